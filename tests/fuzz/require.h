/* What a target holds: ends it, saying what, for the fuzzer to keep the input. */
#ifndef FUZZ_REQUIRE_H
#define FUZZ_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(expression)                                                                                            \
    do {                                                                                                               \
        if (!(expression)) {                                                                                           \
            fprintf(stderr, "does not hold: %s\n", #expression);                                                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
