/* Arithmetic on sizes that tells of overflow instead of wrapping. */
#ifndef VKDML_BASE_CHECKED_H
#define VKDML_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool vkdml_checked_add(uint64_t a, uint64_t b, uint64_t *sum) {
    *sum = a + b;
    return *sum >= a;
}

static inline bool vkdml_checked_multiply(uint64_t a, uint64_t b, uint64_t *product) {
    *product = a * b;
    return a == 0 || b <= UINT64_MAX / a;
}

/* alignment: a power of two */
static inline bool vkdml_checked_align(uint64_t value, uint64_t alignment, uint64_t *aligned) {
    bool fits = vkdml_checked_add(value, alignment - 1, aligned);
    *aligned &= ~(alignment - 1);
    return fits;
}

static inline uint64_t vkdml_divide_up(uint64_t value, uint64_t divisor) {
    return value / divisor + (value % divisor != 0);
}

/* The bytes that elements of so many bits take, and those whole. All their bits may be 2^64 and more. */
static inline uint64_t vkdml_bytes_of(uint64_t elements, uint32_t bits) {
    return elements / 8 * bits + (elements % 8 * bits + 7) / 8;
}

static inline uint64_t vkdml_whole_bytes_of(uint64_t elements, uint32_t bits) {
    return elements / 8 * bits + elements % 8 * bits / 8;
}

#endif
