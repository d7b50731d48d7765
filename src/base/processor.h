/* What the processor has that this runs on, as far as a driver that compiles for it depends on that. */
#ifndef VKDML_BASE_PROCESSOR_H
#define VKDML_BASE_PROCESSOR_H

#include <stdbool.h>

/* Whether it has AVX-512 and the system lets programs use it. False where the compiler has no way to ask. */
bool vkdml_processor_has_avx512(void);

#endif
