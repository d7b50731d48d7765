#include "model/random.h"

#include <math.h>

#include "model/element.h"

static uint64_t next(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

/* 0 to 1, without 1: the upper 53 bits, as many as a double holds. */
static double next_part(uint64_t *state) {
    return (double)(next(state) >> 11) * 0x1p-53;
}

/* 0 to last, each as likely as the others. */
static uint64_t next_up_to(uint64_t *state, uint64_t last) {
    const uint64_t count = last + 1; /* 0: all 2^64 */
    uint64_t number = next(state);
    if (count == 0) {
        return number;
    }
    /* Those in the cut last part of the range would come up more often than the others. */
    while (number - number % count > UINT64_MAX - last) {
        number = next(state);
    }
    return number % count;
}

/* The natural logarithm of a normal number, within a few units in the last place. Libraries' differ from each other in
 * the last bit, and with it the elements would. */
static double logarithm(double x) {
    int exponent;
    double significand = frexp(x, &exponent); /* 0.5 to 1 */
    if (significand < 0.70710678118654752) {
        significand *= 2;
        exponent--;
    }
    /* log m = 2 artanh((m - 1) / (m + 1)), whose argument is at most 0.172: its 23rd power is below 2^-58. */
    const double part = (significand - 1) / (significand + 1);
    const double square = part * part;
    double sum = 0;
    for (int power = 21; power >= 1; power -= 2) {
        sum = sum * square + 1.0 / power;
    }
    return exponent * 0.69314718055994531 + 2 * part * sum;
}

/* Two numbers of the standard normal distribution. */
static void next_normal(uint64_t *state, double pair[2]) {
    double x, y, square;
    do { /* a point of the unit circle other than its centre */
        x = 2 * next_part(state) - 1;
        y = 2 * next_part(state) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double factor = sqrt(-2 * logarithm(square) / square);
    pair[0] = x * factor;
    pair[1] = y * factor;
}

static void fill_normal(const struct random_distribution *distribution, uint64_t *state, uint64_t count,
                        unsigned char *elements) {
    double pair[2] = {0};
    for (uint64_t i = 0; i < count; i++) {
        unsigned char element[8] = {0};
        if (i % 2 == 0) {
            next_normal(state, pair);
        }
        element_from_number(distribution->type, distribution->mean + distribution->deviation * pair[i % 2], element);
        element_store(distribution->type, element, i, elements);
    }
}

static void fill_uniform(const struct random_distribution *distribution, uint64_t *state, uint64_t count,
                         unsigned char *elements) {
    const bool is_float = element_is_float(distribution->type);
    for (uint64_t i = 0; i < count; i++) {
        unsigned char element[8] = {0};
        if (is_float) {
            const double part = next_part(state);
            /* Weighed, so that from -1e308 to 1e308 nothing overflows; rounding leads no farther than to the ends. */
            const double number = distribution->min * (1 - part) + distribution->max * part;
            element_from_number(distribution->type, fmax(distribution->min, fmin(distribution->max, number)), element);
        } else {
            element_from_bits(distribution->type,
                              distribution->first + next_up_to(state, distribution->last - distribution->first),
                              element);
        }
        element_store(distribution->type, element, i, elements);
    }
}

void random_fill(const struct random_distribution *distribution, uint64_t seed, uint64_t count,
                 unsigned char *elements) {
    uint64_t state = seed;
    if (distribution->normal) {
        fill_normal(distribution, &state, count, elements);
    } else {
        fill_uniform(distribution, &state, count, elements);
    }
}

uint64_t random_seed_of_name(const char *name) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    }
    return hash;
}
