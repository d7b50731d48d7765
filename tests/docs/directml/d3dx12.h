/* As the samples of Direct3D 12 have it beside them. */
#include <directx/d3dx12.h>
