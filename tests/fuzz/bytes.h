/* The fuzzer's bytes as numbers. */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    const uint8_t *next;
    size_t left;
};

/* Zeros once the bytes are used up. */
static inline uint32_t take(struct bytes *bytes, uint32_t count) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < count && bytes->left > 0; i++, bytes->left--)
        value = value << 8 | *bytes->next++;
    return value;
}

/* Numbers below `small` mostly, and sometimes any. */
static inline uint32_t take_below(struct bytes *bytes, uint32_t small) {
    uint32_t first = take(bytes, 1);
    return first < 240 ? first % small : take(bytes, 4);
}

#endif
