/* Windows has it under this name. */
#include <wsl/winadapter.h>
#include <directx/d3d12.h>
