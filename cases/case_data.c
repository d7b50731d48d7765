#include "cases/case_data.h"

#include <math.h>
#include <string.h>

#include "cases/number.h"

/* Long enough to span several workgroups' chunks of a small tensor. */
#define LONGEST_RUN 600

struct filler {
    const struct case_tensor *tensor;
    struct random *random;
    uint32_t run_left; /* of CASE_FILL_RUNS */
    bool run_zero;
    uint32_t kind; /* of CASE_FILL_HOSTILE: HOSTILE_KINDS and more: any of them */
};

#define HOSTILE_KINDS 10

static uint64_t zero(const struct filler *filler) {
    bool negative = number_is_float(filler->tensor->type) && random_chance(filler->random, 25);
    uint32_t sign_bit = number_bits(filler->tensor->type) - 1;
    return negative ? (uint64_t)1 << sign_bit : 0;
}

static uint64_t nonzero(const struct filler *filler) {
    uint64_t bits;
    do {
        bits = random_chance(filler->random, 50) ? number_special(filler->tensor->type, filler->random)
                                                 : random_next(filler->random);
    } while (number_is_zero(filler->tensor->type, bits));
    return bits;
}

static uint64_t small(const struct filler *filler) {
    const DML_TENSOR_DATA_TYPE type = filler->tensor->type;
    return number_encode_integer(type, (int64_t)random_below(filler->random, 41) - (number_is_signed(type) ? 20 : 0));
}

static uint64_t above(const struct filler *filler, int least) {
    const double part = (random_below(filler->random, 1u << 20) + 1.0) / (1u << 20);
    return number_is_float(filler->tensor->type) ? number_encode(filler->tensor->type, least + part) : small(filler);
}

/* A number of no more than `spread` beside one that is far greater. */
static uint64_t beside(const struct filler *filler, double number, double spread) {
    const double part = random_below(filler->random, (1u << 20) + 1) / (double)(1u << 19) - 1;
    return number_is_float(filler->tensor->type) ? number_encode(filler->tensor->type, number + part * spread)
                                                 : small(filler);
}

static uint64_t far(const struct filler *filler) {
    return beside(filler, filler->tensor->type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 1000 : 10000, 1);
}

static uint64_t level(const struct filler *filler) {
    return beside(filler, 5000.37, random_below(filler->random, 300) == 0 ? 50 : 0);
}

/* Of a dimension of fill_permille coordinates. One in ten is hostile: beyond either end, or anything at all. */
static uint64_t index_bits(const struct filler *filler) {
    const DML_TENSOR_DATA_TYPE type = filler->tensor->type;
    const uint32_t size = filler->tensor->fill_permille != 0 ? filler->tensor->fill_permille : 1;
    const uint32_t kind = random_below(filler->random, 100);
    const int64_t coordinate = random_below(filler->random, size);
    const int64_t beyond = size + (int64_t)random_below(filler->random, 3);
    const bool from_the_end = number_is_signed(type) && kind % 4 == 0;
    return kind >= 97   ? random_next(filler->random)
           : kind >= 94 ? number_special(type, filler->random)
                        : number_encode_integer(type, from_the_end ? -1 - (kind < 90 ? coordinate : beyond)
                                                                   : (kind < 90 ? coordinate : beyond));
}

/* The coordinates of a dimension of `size` in an order of no pattern: that many positions in a row have one each. */
static uint64_t permuted(uint64_t position, uint32_t size) {
    uint32_t mask = size - 1;
    for (uint32_t shift = 1; shift < 32; shift *= 2) {
        mask |= mask >> shift;
    }
    uint32_t x = (uint32_t)(position % size);
    do {
        x = (x * 0x9E3779B1u + (uint32_t)(position / size) * 0x85EBCA6Bu) & mask;
        x ^= (x & mask) >> 5;
        x = x * 0xC2B2AE35u & mask;
    } while (x >= size);
    return x;
}

/* Coordinates and lengths of a dimension of `size` that are none, but for the first kind. */
static uint64_t hostile_integer(const struct filler *filler, uint32_t kind, uint32_t size) {
    const DML_TENSOR_DATA_TYPE type = filler->tensor->type;
    struct random *random = filler->random;
    const int64_t coordinate = random_below(random, size);
    const int64_t few = random_below(random, 3);
    const int64_t power = (int64_t)1 << random_between(random, 28, 33); /* times an element's size 2^32, or near it */
    const int64_t numbers[HOSTILE_KINDS] = {
        coordinate,
        size + few,
        -1 - coordinate,
        -1 - (int64_t)size - few,
        ((1 + few) << 32) + coordinate, /* a coordinate, of its low 32 bits */
        INT64_MIN + coordinate,
        power + few - 1,
        INT32_MAX - few,
        INT32_MIN + few,
    };
    return kind == HOSTILE_KINDS - 1 ? number_special(type, random) : number_encode_integer(type, numbers[kind]);
}

static uint64_t hostile_float(const struct filler *filler, uint32_t kind, uint32_t size) {
    const DML_TENSOR_DATA_TYPE type = filler->tensor->type;
    struct random *random = filler->random;
    const bool is_half = type == DML_TENSOR_DATA_TYPE_FLOAT16;
    const double powers[] = {0x1p31, 0x1p32, 0x1p63, 0x1p64, 0x1p24 + 2};
    const double power = RANDOM_OF(random, powers);
    const double part = random_below(random, 1024) / 1024.0;
    const double coordinate = random_below(random, size);
    const double sign = random_chance(random, 50) ? -1 : 1;
    const double numbers[HOSTILE_KINDS] = {
        coordinate + part,
        0,
        size + 3 * part,
        (double)INFINITY,
        (double)NAN,
        ldexp(1 + part, is_half ? -18 : -130),               /* a denormal */
        ldexp(2 - 0x1p-10 * (1 + part), is_half ? 15 : 127), /* almost infinite */
        power,
        1 / (1 + part),
    };
    return kind == HOSTILE_KINDS - 1 ? number_special(type, random) : number_encode(type, sign * numbers[kind]);
}

/* In half the tensors all elements are of one kind. */
static uint64_t hostile(const struct filler *filler) {
    const uint32_t size = filler->tensor->fill_permille != 0 ? filler->tensor->fill_permille : 1;
    const uint32_t kind = filler->kind < HOSTILE_KINDS ? filler->kind : random_below(filler->random, HOSTILE_KINDS);
    return number_is_float(filler->tensor->type) ? hostile_float(filler, kind, size)
                                                 : hostile_integer(filler, kind, size);
}

static uint64_t next_element(struct filler *filler, uint64_t position) {
    const struct case_tensor *tensor = filler->tensor;
    struct random *random = filler->random;
    switch (tensor->fill) {
    case CASE_FILL_SPECIAL:
        return random_chance(random, 50) ? number_special(tensor->type, random) : random_next(random);
    case CASE_FILL_SMALL:
        return small(filler);
    case CASE_FILL_INDEX:
        return number_encode_integer(tensor->type, (int64_t)position);
    case CASE_FILL_SPARSE:
        return random_below(random, 1000) < tensor->fill_permille ? nonzero(filler) : zero(filler);
    case CASE_FILL_RUNS:
        if (filler->run_left-- == 0) {
            filler->run_left = random_below(random, LONGEST_RUN);
            filler->run_zero = random_below(random, 1000) >= tensor->fill_permille;
        }
        return filler->run_zero ? zero(filler) : nonzero(filler);
    case CASE_FILL_COUNTED:
        return position;
    case CASE_FILL_LISTED:
        return number_listed(tensor->type, (uint32_t)(position % number_listed_count(tensor->type)));
    case CASE_FILL_UNIT:
        return above(filler, 0);
    case CASE_FILL_ABOVE_ONE:
        return above(filler, 1);
    case CASE_FILL_FAR:
        return far(filler);
    case CASE_FILL_LEVEL:
        return level(filler);
    case CASE_FILL_INDICES:
        return index_bits(filler);
    case CASE_FILL_COORDINATES:
        return random_below(random, tensor->fill_permille != 0 ? tensor->fill_permille : 1);
    case CASE_FILL_PERMUTED:
        return permuted(position, tensor->fill_permille != 0 ? tensor->fill_permille : 1);
    case CASE_FILL_CENTERED:
        return beside(filler, 0, 1.0 / (tensor->fill_permille != 0 ? tensor->fill_permille : 1));
    case CASE_FILL_HOSTILE:
        return hostile(filler);
    case CASE_FILL_BITS:
    case CASE_FILL_COUNT:
        break;
    }
    return random_next(random);
}

/* Elements are the low bytes of a word: true of little-endian hosts, the only ones with Vulkan drivers. Of two elements
 * in a byte the first is the low half. */
uint64_t case_read_element(const struct case_tensor *tensor, const unsigned char *bytes, uint64_t position) {
    const uint32_t width = number_bits(tensor->type);
    const uint64_t first = position * width;
    uint64_t bits = 0;
    memcpy(&bits, bytes + first / 8, (width + 7) / 8);
    return width < 8 ? bits >> first % 8 & 0xF : bits;
}

void case_write_element(const struct case_tensor *tensor, uint64_t bits, uint64_t position, unsigned char *bytes) {
    const uint32_t width = number_bits(tensor->type);
    const uint64_t first = position * width;
    if (width < 8) {
        const unsigned other = bytes[first / 8] & (0xF0u >> first % 8);
        bits = other | (bits & 0xF) << first % 8;
    }
    memcpy(bytes + first / 8, &bits, (width + 7) / 8);
}

double case_number(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                   const uint32_t *at) {
    const struct case_tensor *tensor = &c->tensors[slot];
    uint32_t strides[CASE_MAX_RANK];
    case_strides(tensor, strides);
    return number_decode(tensor->type,
                         case_read_element(tensor, tensors[slot], case_element_position(tensor, strides, at)));
}

void case_write_input(const struct case_tensor *tensor, struct random *random, unsigned char *bytes) {
    uint64_t total = case_total_bytes(tensor);
    struct filler filler = {.tensor = tensor, .random = random};
    random_bytes(random, bytes, total);
    if (tensor->fill == CASE_FILL_HOSTILE) {
        filler.kind = random_below(random, 2 * HOSTILE_KINDS);
    }
    if (tensor->fill != CASE_FILL_BITS) {
        for (uint64_t i = 0; i < total * 8 / number_bits(tensor->type); i++) {
            case_write_element(tensor, next_element(&filler, i), i, bytes);
        }
    }
    if (tensor->value_count == 0) {
        return;
    }
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint32_t coordinates[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0};
    case_strides(tensor, strides);
    for (uint32_t i = 0; i < tensor->value_count; i++) {
        case_write_element(tensor, tensor->values[i], case_element_position(tensor, strides, coordinates), bytes);
        case_next_coordinates(tensor, coordinates);
    }
}
