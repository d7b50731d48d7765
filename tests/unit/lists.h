/* Lists of sizes and strides as arguments. */
#ifndef UNIT_LISTS_H
#define UNIT_LISTS_H

#include <stdint.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* A dimension count and its sizes or strides, as two arguments. */
#define LIST(...)                                                                                                      \
    COUNT_OF(((const uint32_t[]){__VA_ARGS__})), (const uint32_t[]) {                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define STRIDES(...)                                                                                                   \
    (const uint32_t[]) {                                                                                               \
        __VA_ARGS__                                                                                                    \
    }

#endif
