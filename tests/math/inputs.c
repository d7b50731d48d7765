#include "inputs.h"

#include "cases/random.h"

/* Zeros, infinities, NaN; the ends of the normal and of the denormal numbers, of integers, of odd integers; what
 * functions turn at. */
static const uint32_t specials[] = {
    0x00000001, 0x00000002, 0x00012345, 0x00400000, 0x007FFFFF, 0x00800000, 0x00800002, 0x01000000, 0x0B800000,
    0x0C800000, 0x1F800000, 0x20000000, 0x33000000, 0x33800000, 0x34000000, 0x3A800000, 0x3E800000, 0x3F000000,
    0x3F3504F3, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3FB504F3, 0x3FC00000, 0x40000000, 0x40200000, 0x40400000,
    0x40490FDB, 0x40A00000, 0x41200000, 0x42AEAC50, 0x42B17218, 0x42FE0000, 0x43000000, 0x43150000, 0x43160000,
    0x43800000, 0x4B000000, 0x4B000001, 0x4B400000, 0x4B7FFFFF, 0x4B800000, 0x4C000000, 0x4E800000, 0x4F000000,
    0x4F800000, 0x5F000000, 0x5F800000, 0x60000000, 0x7E800000, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000,
    0x7FFFFFFF, 0x2EDBE6FF, 0x3EAAAAAB, 0x3DCCCCCD, 0x3F2AAAAB, 0x449A5225,
};
#define SPECIALS (sizeof specials / sizeof specials[0])

/* ---- of one argument ---- */

#define NEIGHBOURS 16 /* on either side */
#define HALVES     65536

struct sink {
    uint32_t *x;
    uint32_t count, capacity;
};

static void put_around(struct sink *sink, uint32_t middle) {
    for (uint32_t x = middle - NEIGHBOURS; x != middle + NEIGHBOURS + 1 && sink->count < sink->capacity; x++) {
        sink->x[sink->count++] = x;
    }
}

/* Where the function takes another path than 2^spacing before: around the last number of the first path. */
static void put_turn(struct sink *sink, const struct math_function *function, uint32_t low, uint32_t high) {
    const bool is_common = function->unary_is_common(low);
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (function->unary_is_common(middle) == is_common) {
            low = middle;
        } else {
            high = middle;
        }
    }
    put_around(sink, low);
}

/* All FLOAT16 numbers, and sums of two. */
static void fill_halves(const struct math_function *function, uint32_t count, uint32_t *x) {
    struct random random = {function->number};
    for (uint32_t i = 0; i < count; i++) {
        x[i] = math_widened(i % HALVES);
        if (i >= HALVES && function->arguments == OF_SUMS) {
            const uint32_t other = math_widened((uint32_t)(random_next(&random) % HALVES));
            x[i] = math_bits_of(math_float_of(x[i]) + math_float_of(other));
        }
    }
}

void inputs_fill(const struct math_function *function, uint32_t spacing, uint32_t count, uint32_t *x) {
    if (function->is_half && function->arguments != OF_FLOATS) {
        fill_halves(function, count, x);
        return;
    }
    struct sink sink = {x, 0, count};
    for (uint32_t i = 0; function->is_half && i < HALVES; i++) {
        x[sink.count++] = math_widened(i);
    }
    const uint32_t step = 1u << spacing;
    for (uint32_t i = 0; i < SPECIALS; i++) {
        put_around(&sink, specials[i]);
        put_around(&sink, specials[i] | 0x80000000);
    }
    for (uint32_t exponent = 0; exponent < 512; exponent++) {
        put_around(&sink, exponent << 23);
    }
    for (uint64_t i = 0; i + step <= UINT32_MAX; i += step) {
        if (function->unary_is_common((uint32_t)i) != function->unary_is_common((uint32_t)i + step)) {
            put_turn(&sink, function, (uint32_t)i, (uint32_t)i + step);
        }
    }
    for (uint64_t i = 0; i <= UINT32_MAX && sink.count < count; i += step) {
        x[sink.count++] = (uint32_t)i;
    }
    struct random random = {function->number};
    while (sink.count < count) {
        x[sink.count++] = (uint32_t)random_next(&random);
    }
}

/* ---- of two ---- */

/* Each special value also by one unit less and more, and negative. */
#define SHIFTS 3
#define VALUES (2 * SHIFTS * SPECIALS)

static uint32_t special(uint64_t i) {
    return (specials[i / 2 / SHIFTS] + (uint32_t)(i / 2 % SHIFTS) - 1) ^ (uint32_t)(i % 2) << 31;
}

uint64_t inputs_special_pairs(void) {
    return VALUES * VALUES;
}

/* Exponents from 2^-spread to 2^spread. */
static uint32_t moderate(uint64_t bits, uint32_t spread) {
    const uint32_t exponent = 127 - spread + (uint32_t)(bits >> 32) % (2 * spread + 1);
    return ((uint32_t)bits & 0x807FFFFF) | exponent << 23;
}

/* With few bits in the significand: quotients and powers are then exact, or nearly. */
static uint32_t short_number(uint64_t bits, uint32_t spread) {
    return moderate(bits, spread) & (0xFF800000 | 0x7FFFFFu << (bits >> 40) % 24);
}

/* Positive and near 1. */
static uint32_t near_one(uint64_t bits) {
    const uint32_t reach = 1u << (bits >> 40) % 23;
    return 0x3F800000 - reach + (uint32_t)bits % (2 * reach);
}

static void random_pair(struct random *random, uint32_t *x, uint32_t *y) {
    const uint64_t a = random_next(random), b = random_next(random);
    switch (random_next(random) % 8) {
    case 0: /* anything */
        *x = (uint32_t)a;
        *y = (uint32_t)b;
        break;
    case 1:
        *x = moderate(a, 20);
        *y = moderate(b, 20);
        break;
    case 2:
        *x = moderate(a, 3);
        *y = moderate(b, 3);
        break;
    case 3: /* powers of positive numbers */
        *x = (uint32_t)a & 0x7FFFFFFF;
        *y = moderate(b, 8);
        break;
    case 4: /* alike */
        *x = moderate(a, 100);
        *y = *x + (uint32_t)(b % 64) - 32;
        break;
    case 5:
        *x = short_number(a, 60);
        *y = short_number(b, 10);
        break;
    case 6:
        *x = near_one(a);
        *y = moderate(b, 30);
        break;
    default: /* results that are denormal, or too large */
        *x = moderate(a, 126);
        *y = moderate(b, 126);
    }
}

/* All pairs of significands, then any. */
#define SIGNIFICANDS 1024

static void fill_half_pairs(uint64_t first, uint64_t count, uint32_t *x, uint32_t *y) {
    struct random random = {random_mix(0x68616C66, first)};
    for (uint64_t i = first; i < first + count; i++) {
        const uint64_t bits = random_next(&random);
        const bool is_pair = i < SIGNIFICANDS * SIGNIFICANDS;
        x[i - first] = math_widened(is_pair ? 0x3C00 + (uint32_t)i / SIGNIFICANDS : (uint32_t)bits % HALVES);
        /* Every other is from 1/8 to 16. */
        uint32_t other = (uint32_t)(bits >> 32) % HALVES;
        other = i % 2 != 0 ? other : (other & 0x83FF) | (12 + (uint32_t)(bits >> 48) % 7) << 10;
        y[i - first] = math_widened(is_pair ? 0x3C00 + (uint32_t)i % SIGNIFICANDS : other);
    }
}

void inputs_fill_pairs(const struct math_function *function, uint64_t first, uint64_t count, uint32_t *x, uint32_t *y) {
    if (function->is_half) {
        fill_half_pairs(first, count, x, y);
        return;
    }
    struct random random = {random_mix(0x6D617468, first)};
    for (uint64_t i = 0; i < count; i++) {
        if (first + i < inputs_special_pairs()) {
            x[i] = special((first + i) / VALUES);
            y[i] = special((first + i) % VALUES);
        } else {
            random_pair(&random, &x[i], &y[i]);
        }
    }
}
