#include "cases/random.h"

#include <string.h>

/* The splitmix64 generator: one addition and one bijective mix a number, any seed good, period 2^64. */
uint64_t random_next(struct random *random) {
    uint64_t mixed = random->state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

uint64_t random_mix(uint64_t a, uint64_t b) {
    struct random random = {.state = a};
    random.state = random_next(&random) ^ b;
    return random_next(&random);
}

uint32_t random_below(struct random *random, uint32_t count) {
    return (uint32_t)(((random_next(random) >> 32) * count) >> 32);
}

uint32_t random_between(struct random *random, uint32_t first, uint32_t last) {
    return first + (uint32_t)(random_next(random) % ((uint64_t)last - first + 1));
}

bool random_chance(struct random *random, uint32_t percent) {
    return random_below(random, 100) < percent;
}

void random_bytes(struct random *random, void *bytes, size_t count) {
    unsigned char *to = bytes;
    while (count > 0) {
        uint64_t word = random_next(random);
        size_t step = count < sizeof(word) ? count : sizeof(word);
        memcpy(to, &word, step);
        to += step;
        count -= step;
    }
}

void random_permutation(struct random *random, uint32_t count, uint32_t *order) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = random_below(random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}
