#include "cases/generate.h"

#include <assert.h>
#include <string.h>

#include "cases/number.h"

static _Thread_local uint32_t fixed_budget; /* 0: left to chance */

/* Storage of one tensor, in elements: strides that need more are drawn again. */
static uint64_t largest_storage(void) {
    const uint64_t storage = (uint64_t)1 << 22;
    return 2 * (uint64_t)fixed_budget > storage ? 2 * (uint64_t)fixed_budget : storage;
}

/* Tensors up to so many elements may have strides that do not nest; whether they overlap is found by trying. */
#define LARGEST_ENTANGLED 2048

void generate_fix_budget(uint32_t elements) {
    fixed_budget = elements;
}

bool generate_budget_is_fixed(void) {
    return fixed_budget != 0;
}

uint32_t generate_budget(struct random *random) {
    if (fixed_budget != 0) {
        return fixed_budget;
    }
    uint32_t kind = random_below(random, 100);
    return kind < 60   ? random_between(random, 1, 600)
           : kind < 93 ? random_between(random, 600, 5000)
           : kind < 98 ? random_between(random, 5000, 60000)
                       : random_between(random, 60000, 1100000);
}

static uint32_t edge_size(struct random *random, uint32_t largest) {
    static const uint32_t edges[] = {1,   1,   1,   2,   2,   3,   3,   4,    5,    6,    7,    8,    9,
                                     11,  13,  15,  16,  17,  31,  32,  33,   63,   64,   65,   127,  128,
                                     129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097};
    uint32_t size = random_chance(random, 80) ? RANDOM_OF(random, edges) : random_between(random, 1, largest);
    return size <= largest ? size : random_between(random, 1, largest);
}

void generate_sizes(struct random *random, uint32_t budget, struct case_tensor *tensor) {
    uint32_t order[CASE_MAX_RANK];
    random_permutation(random, tensor->rank, order);
    uint32_t left = budget;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        /* The first dimension drawn does not take all, so that high ranks are not mostly ones. */
        uint32_t largest = i + 1 < tensor->rank && random_chance(random, 70) ? left / 4 + 1 : left;
        uint32_t size = edge_size(random, largest <= left ? largest : left);
        tensor->sizes[order[i]] = size;
        left /= size;
    }
    if (fixed_budget != 0 && tensor->rank != 0) {
        /* The sizes tried above leave most of a large budget. */
        tensor->sizes[order[random_below(random, tensor->rank)]] *= left;
    }
}

uint32_t generate_tile_size(struct random *random, uint32_t most) {
    static const uint32_t edges[] = {1,  1,  2,  3,  4,  5,  7,   8,   9,   15,  16,   17,
                                     31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 1021, 4099};
    const uint32_t size = random_chance(random, 70) ? RANDOM_OF(random, edges) : random_between(random, 1, 300);
    return size < most ? size : most;
}

DML_TENSOR_DATA_TYPE generate_type(struct random *random, const struct operator_case *c, const char *field) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (strcmp(c->schema->fields[i].name, field) != 0) {
            continue;
        }
        uint32_t types = c->schema->fields[i].support[0].dataTypes;
        uint32_t last =
            types >> DML_TENSOR_DATA_TYPE_UINT4 != 0 ? DML_TENSOR_DATA_TYPE_INT4 : DML_TENSOR_DATA_TYPE_INT64;
        for (;;) {
            uint32_t type = random_between(random, DML_TENSOR_DATA_TYPE_FLOAT32, last);
            if ((types >> type & 1) != 0) {
                return (DML_TENSOR_DATA_TYPE)type;
            }
        }
    }
    assert(0 && "no such field");
    return DML_TENSOR_DATA_TYPE_UNKNOWN;
}

/* Strides of dimensions laid out one around the other, in any order, with gaps or without, some broadcast. */
static bool nest(struct random *random, bool permuted, bool gaps, uint32_t broadcast_percent,
                 struct case_tensor *tensor) {
    uint32_t order[CASE_MAX_RANK];
    for (uint32_t d = 0; d < tensor->rank; d++) {
        order[d] = tensor->rank - 1 - d;
    }
    if (permuted) {
        random_permutation(random, tensor->rank, order);
    }
    uint64_t stride = gaps ? random_between(random, 1, 3) : 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t d = order[i];
        if (random_chance(random, broadcast_percent)) {
            tensor->strides[d] = 0;
            continue;
        }
        tensor->strides[d] = (uint32_t)stride;
        stride *= tensor->sizes[d];
        if (gaps && random_chance(random, 50)) {
            stride += random_below(random, 9);
        }
        if (stride > largest_storage()) {
            return false;
        }
    }
    return true;
}

static bool any_strides(struct random *random, struct case_tensor *tensor) {
    uint32_t largest = (uint32_t)case_element_count(tensor);
    uint64_t storage = 1;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        tensor->strides[d] = random_between(random, 1, random_chance(random, 50) ? 12 : largest + 1);
        storage += (uint64_t)(tensor->sizes[d] - 1) * tensor->strides[d];
    }
    return storage <= largest_storage();
}

/* By visiting every element. */
static bool overlaps(const struct case_tensor *tensor) {
    uint64_t seen[LARGEST_ENTANGLED];
    uint32_t count = 0;
    uint32_t coordinates[CASE_MAX_RANK] = {0};
    do {
        uint64_t position = case_element_position(tensor, tensor->strides, coordinates);
        for (uint32_t i = 0; i < count; i++) {
            if (seen[i] == position) {
                return true;
            }
        }
        seen[count++] = position;
    } while (case_next_coordinates(tensor, coordinates));
    return false;
}

/* The stride of a dimension of size 1 addresses nothing; it may be anything. */
static void free_strides_of_ones(struct random *random, bool input, struct case_tensor *tensor) {
    static const uint32_t strides[] = {1, 2, 7, 4096, 0x7fffffff, 0x80000000, 0xffffffff};
    for (uint32_t d = 0; d < tensor->rank; d++) {
        if (tensor->sizes[d] == 1 && random_chance(random, 25)) {
            tensor->strides[d] = input && random_chance(random, 30) ? 0 : RANDOM_OF(random, strides);
        }
    }
}

static bool draw_strides(struct random *random, bool input, struct case_tensor *tensor) {
    uint64_t count = case_element_count(tensor);
    switch (random_below(random, 8)) {
    case 0:
        return nest(random, false, false, 0, tensor);
    case 1:
    case 2:
        return nest(random, true, false, 0, tensor);
    case 3:
        return nest(random, false, true, 0, tensor);
    case 4:
    case 5:
        return nest(random, true, true, 0, tensor);
    case 6:
        return nest(random, random_chance(random, 50), random_chance(random, 30), input ? 40 : 0, tensor);
    default:
        return count <= LARGEST_ENTANGLED && any_strides(random, tensor) && (input || !overlaps(tensor));
    }
}

static void generate_placement(struct random *random, struct case_tensor *tensor) {
    static const uint32_t extras[] = {1, 3, 4, 16, 60, 64, 200};
    uint32_t element = (number_bits(tensor->type) + 7) / 8;
    tensor->slack = random_chance(random, 70) ? 0 : random_between(random, 1, 160);
    tensor->extra = random_chance(random, 40) ? 0 : RANDOM_OF(random, extras);
    tensor->align = random_chance(random, 60) ? 0 : element << random_below(random, 7);
    uint32_t step =
        tensor->align > DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT ? tensor->align : DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
    tensor->offset = step * random_below(random, CASE_OFFSET_PERIOD / step);
}

static void generate_layout(struct random *random, bool input, struct case_tensor *tensor) {
    tensor->has_strides = random_chance(random, 60) && case_element_count(tensor) <= largest_storage();
    while (tensor->has_strides && !draw_strides(random, input, tensor)) {
    }
    if (tensor->has_strides) {
        free_strides_of_ones(random, input, tensor);
    } else {
        memset(tensor->strides, 0, sizeof(tensor->strides));
    }
    generate_placement(random, tensor);
}

void generate_input_layout(struct random *random, struct case_tensor *tensor) {
    generate_layout(random, true, tensor);
}

void generate_output_layout(struct random *random, struct case_tensor *tensor) {
    generate_layout(random, false, tensor);
}

static bool has_in_place_output(const struct operator_case *c) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.tensor->in_place) {
            return true;
        }
    }
    return false;
}

static void generate_owned(struct random *random, struct operator_case *c) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input && random_chance(random, 10)) {
            c->tensors[at.slot].owned = 1;
        }
    }
}

void generate_call(struct random *random, struct operator_case *c) {
    static const DML_FEATURE_LEVEL levels[] = {DML_FEATURE_LEVEL_1_0, DML_FEATURE_LEVEL_2_0, DML_FEATURE_LEVEL_2_1,
                                               DML_FEATURE_LEVEL_3_0, DML_FEATURE_LEVEL_3_1, DML_FEATURE_LEVEL_4_0,
                                               DML_FEATURE_LEVEL_4_1, DML_FEATURE_LEVEL_5_0, DML_FEATURE_LEVEL_5_1,
                                               DML_FEATURE_LEVEL_5_2, DML_FEATURE_LEVEL_6_0, DML_FEATURE_LEVEL_6_1,
                                               DML_FEATURE_LEVEL_6_2, DML_FEATURE_LEVEL_6_3};
    struct case_desc desc;
    c->seed = random_next(random) >> 32;
    c->execution = random_chance(random, 10) ? random_below(random, 8) : 0;
    if (!has_in_place_output(c)) {
        generate_owned(random, c);
    }
    if (random_chance(random, 15)) {
        DML_FEATURE_LEVEL level = RANDOM_OF(random, levels);
        case_build_desc(c, &desc);
        if (vkdmlValidateOperator(&desc.op, level) == VKDML_SUCCESS) {
            c->level = level;
        }
    }
}

uint32_t benchmark_size(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint64_t others, uint32_t step) {
    const uint64_t elements = bytes * 8 / vkdmlGetDataTypeBits(type);
    const uint64_t size = (elements < UINT32_MAX ? elements : UINT32_MAX) / others / step * step;
    return size > step ? (uint32_t)size : step;
}

void benchmark_tensor(struct case_tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes) {
    tensor->type = type;
    tensor->rank = rank;
    memcpy(tensor->sizes, sizes, rank * sizeof(sizes[0]));
}

void benchmark_images(struct case_tensor *tensor, uint64_t bytes, DML_TENSOR_DATA_TYPE type) {
    uint32_t channels = 64, side = 256;
    while (side > 16 && (uint64_t)channels * side * side * vkdmlGetDataTypeSize(type) > bytes) {
        side /= 2;
    }
    const uint32_t batch = benchmark_size(bytes, type, (uint64_t)channels * side * side, 1);
    benchmark_tensor(tensor, type, 4, (const uint32_t[]){batch, channels, side, side});
}

void benchmark_rows(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t width, struct operator_case *c) {
    struct case_tensor *input = case_tensor(c, "InputTensor");
    if (width == 0) {
        benchmark_images(input, bytes, type);
    } else {
        benchmark_tensor(input, type, 2, (const uint32_t[]){benchmark_size(bytes, type, width, 1), width});
    }
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, input->rank, input->sizes);
    input->fill = CASE_FILL_UNIT;
}
