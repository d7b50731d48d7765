/* Seeded random elements, the same on every machine. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include <vkdml/dml_types.h>

/* What random elements are like. */
struct random_distribution {
    DML_TENSOR_DATA_TYPE type;
    bool normal;      /* else uniform */
    double mean;      /* of a normal distribution, with .. */
    double deviation; /* .. its standard deviation; integers are rounded to the nearest and saturated */
    double min,
        max;        /* of a uniform distribution of floats: from min up to max, or where that is where rounding leads */
    uint64_t first; /* of a uniform distribution of integers: the least one's bits, sign extended .. */
    uint64_t last;  /* .. and the greatest one's; both come up */
};

/* The generator is splitmix64 (Steele, Lea and Flood 2014): state += 0x9E3779B97F4A7C15, then two rounds of shift, xor
 * and multiplication. Any seed is good.
 *
 * A uniform float takes one number: its upper 53 bits, n, are u = n / 2^53, and the element is min (1 - u) + max u in
 * double, rounded to the type.
 * Normal elements come in pairs, by Marsaglia's polar method in double with a logarithm of this file's, and are rounded
 * once. An integer takes the numbers it needs until one is below the largest multiple of how many integers there are;
 * what is left of it after division is added to the least. */
void random_fill(const struct random_distribution *distribution, uint64_t seed, uint64_t count,
                 unsigned char *elements);

/* The seed of those who name none: a hash (FNV-1a, 64 bits) of a name. */
uint64_t random_seed_of_name(const char *name);

#endif
