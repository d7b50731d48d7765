#include "base/processor.h"

bool vkdml_processor_has_avx512(void) {
#if defined __GNUC__ && (defined __x86_64__ || defined __i386__)
    return __builtin_cpu_supports("avx512f") != 0;
#else
    return false;
#endif
}
