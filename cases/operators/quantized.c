#include "cases/operators/quantized.h"

#include <string.h>

#include "cases/generate.h"
#include "cases/number.h"

static uint32_t dimension_of(enum quantized_along along, uint32_t rank) {
    if (rank < 2) {
        return 0;
    }
    return along == QUANTIZED_CHANNELS ? 1 : along == QUANTIZED_ROWS ? rank - 2 : rank - 1;
}

static void set_values(struct random *random, struct case_tensor *tensor, uint32_t count) {
    /* Powers of two make ties; the small ones keep sums within bytes. */
    static const double scales[] = {1, 0.5, 0.25, 2, 0.1, 0.02, 0.003, 3, 1e-4, 700, -0.5, 0, 1e-30, 1e30};
    if (number_is_float(tensor->type) && count <= CASE_MAX_VALUES && random_chance(random, 80)) {
        tensor->value_count = count;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t most = random_chance(random, 90) ? 9 : sizeof(scales) / sizeof(scales[0]);
            tensor->values[i] = number_encode(tensor->type, scales[random_below(random, most)]);
        }
    } else {
        tensor->fill = number_is_float(tensor->type) ? (random_chance(random, 70) ? CASE_FILL_UNIT : CASE_FILL_SPECIAL)
                                                     : CASE_FILL_BITS;
    }
}

void quantized_choose(struct random *random, struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type,
                      uint32_t rank, enum quantized_along along, uint32_t count) {
    struct case_tensor *tensor = case_tensor(c, field);
    const uint32_t own = random_chance(random, 50) ? count : 1;
    tensor->type = type;
    tensor->rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
        tensor->sizes[d] = d == dimension_of(along, rank) ? own : 1;
    }
    set_values(random, tensor, own);
    if (tensor->value_count == 0) {
        generate_input_layout(random, tensor);
    }
}

void quantized_choose_optional(struct random *random, struct operator_case *c, const char *field,
                               DML_TENSOR_DATA_TYPE type, uint32_t rank, enum quantized_along along, uint32_t count) {
    if (random_chance(random, 70)) {
        quantized_choose(random, c, field, type, rank, along, count);
    }
}

void quantized_fill(struct random *random, struct case_tensor *tensor) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_COUNTED,
                                           CASE_FILL_SPECIAL};
    tensor->fill = RANDOM_OF(random, fills);
}

void quantized_set(struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type, uint32_t rank, double value) {
    static const uint32_t ones[] = {1, 1, 1, 1, 1};
    struct case_tensor *tensor = case_tensor(c, field);
    benchmark_tensor(tensor, type, rank, ones);
    tensor->value_count = 1;
    tensor->values[0] = number_encode(type, value);
}
