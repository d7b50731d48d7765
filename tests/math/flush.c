#include "flush.h"

#if defined(__SSE2__)
#include <pmmintrin.h>
#include <xmmintrin.h>

const bool flush_exists = true;

unsigned flush_begin(void) {
    const unsigned state = _mm_getcsr();
    _mm_setcsr(state | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
    return state;
}

void flush_end(unsigned state) {
    _mm_setcsr(state);
}
#elif defined(__aarch64__)
const bool flush_exists = true;

unsigned flush_begin(void) {
    unsigned long state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    __asm__ volatile("msr fpcr, %0" : : "r"(state | 1ul << 24));
    return (unsigned)state;
}

void flush_end(unsigned state) {
    __asm__ volatile("msr fpcr, %0" : : "r"((unsigned long)state));
}
#else
const bool flush_exists = false;

unsigned flush_begin(void) {
    return 0;
}

void flush_end(unsigned state) {
    (void)state;
}
#endif
