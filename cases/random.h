/* Seeded pseudo-random numbers: the same on every machine, so that a seed names a case. */
#ifndef CASES_RANDOM_H
#define CASES_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state; /* the seed, to begin with */
};

uint64_t random_next(struct random *random);

/* One number out of two, in which every bit of both matters. */
uint64_t random_mix(uint64_t a, uint64_t b);

/* 0 to count - 1; count must not be 0. */
uint32_t random_below(struct random *random, uint32_t count);

/* first to last, both included. */
uint32_t random_between(struct random *random, uint32_t first, uint32_t last);

bool random_chance(struct random *random, uint32_t percent);

void random_bytes(struct random *random, void *bytes, size_t count);

/* Puts 0 .. count - 1 into random order. */
void random_permutation(struct random *random, uint32_t count, uint32_t *order);

#define RANDOM_OF(random, array) ((array)[random_below((random), (uint32_t)(sizeof(array) / sizeof((array)[0])))])

#endif
