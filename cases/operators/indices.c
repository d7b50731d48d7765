#include "cases/operators/indices.h"

static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_INDEX, CASE_FILL_SPECIAL};

DML_TENSOR_DATA_TYPE indices_type(struct random *random) {
    static const DML_TENSOR_DATA_TYPE types[] = {DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_UINT32,
                                                 DML_TENSOR_DATA_TYPE_INT32, DML_TENSOR_DATA_TYPE_UINT64,
                                                 DML_TENSOR_DATA_TYPE_INT64};
    return RANDOM_OF(random, types);
}

void indices_last_sizes(struct random *random, uint32_t budget, uint32_t rank, struct case_tensor *tensor) {
    struct case_tensor last = {.rank = rank};
    generate_sizes(random, budget > 0 ? budget : 1, &last);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        const uint32_t ones = tensor->rank - rank;
        tensor->sizes[d] = d < ones ? 1 : last.sizes[d - ones];
    }
}

void indices_set_last_sizes(struct case_tensor *tensor, uint32_t count, const uint32_t *sizes) {
    for (uint32_t d = 0; d < tensor->rank; d++) {
        const uint32_t ones = tensor->rank - count;
        tensor->sizes[d] = d < ones ? 1 : sizes[d - ones];
    }
}

uint32_t indices_budget(struct random *random) {
    const uint32_t budget = generate_budget(random);
    return budget > 100000 && !generate_budget_is_fixed() ? budget / 4 : budget;
}

uint32_t indices_rank(struct random *random) {
    return random_chance(random, 30) ? 4 : random_between(random, 1, CASE_MAX_RANK);
}

static struct case_tensor *updates_of(struct operator_case *c) {
    return case_has(c, "UpdatesTensor") ? case_tensor(c, "UpdatesTensor") : NULL;
}

void indices_end(struct random *random, struct operator_case *c, struct case_tensor *input, struct case_tensor *indices,
                 uint32_t size, struct case_tensor *output) {
    struct case_tensor *updates = updates_of(c);
    indices->fill = CASE_FILL_INDICES;
    indices->fill_permille = size;
    generate_input_layout(random, input);
    generate_input_layout(random, indices);
    if (updates != NULL) {
        generate_input_layout(random, updates);
        updates->fill = RANDOM_OF(random, fills);
    }
    generate_output_layout(random, output);
    input->fill = RANDOM_OF(random, fills);
    generate_call(random, c);
}

void indices_generate_elements(const struct case_family *family, struct random *random, struct operator_case *c) {
    const uint32_t budget = indices_budget(random);
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor"), *updates = updates_of(c);
    input->type = generate_type(random, c, "InputTensor");
    input->rank = indices_rank(random);
    generate_sizes(random, budget, input);
    const uint32_t axis = random_below(random, input->rank);
    const uint32_t most = budget / ((uint32_t)case_element_count(input) / input->sizes[axis]);
    struct case_tensor named = *input;
    if (random_chance(random, 80)) {
        named.sizes[axis] = random_between(random, 1, most);
    }
    *output = updates != NULL ? *input : named;
    if (updates != NULL) {
        *updates = named;
    }
    *indices = named;
    indices->type = indices_type(random);
    case_set_uint(c, "Axis", axis);
    indices_end(random, c, input, indices, input->sizes[axis], output);
}

/* Sizes and attributes: an input with dimensions that count behind ones, tuples of indices, and the blocks that they
 * name, as many as the tensors' ranks have room for. Returns the size of the dimension that indices are of. */
static uint32_t nd_sizes(struct random *random, uint32_t budget, bool has_batches, struct case_tensor *input,
                         struct case_tensor *indices, struct case_tensor *blocks, struct operator_case *c) {
    const uint32_t rank = input->rank, relevant = random_between(random, 1, rank), first = rank - relevant;
    const uint32_t batches = has_batches ? random_below(random, relevant) : 0;
    const uint32_t tuple = random_between(random, 1, relevant - batches), left = relevant - batches - tuple;
    /* Blocks have the indices' dimensions but the last, and what is left of the input's. */
    const uint32_t most = rank - left + 1 < rank ? rank - left + 1 : rank;
    const uint32_t index_rank = random_between(random, batches + 1, most);
    indices_last_sizes(random, budget, relevant, input);

    uint32_t sizes[2 * CASE_MAX_RANK], count = 0;
    uint64_t others = tuple;
    for (uint32_t d = first; d < rank; d++) {
        others *= d < first + batches || d >= first + batches + tuple ? input->sizes[d] : 1;
    }
    struct case_tensor tuples = {.rank = index_rank - 1 - batches};
    generate_sizes(random, budget / others > 0 ? (uint32_t)(budget / others) : 1, &tuples);
    for (uint32_t d = 0; d < batches; d++) {
        sizes[count++] = input->sizes[first + d];
    }
    for (uint32_t d = 0; d < tuples.rank; d++) {
        sizes[count++] = tuples.sizes[d];
    }
    sizes[count] = tuple;
    indices_set_last_sizes(indices, index_rank, sizes);
    for (uint32_t d = first + batches + tuple; d < rank; d++) {
        sizes[count++] = input->sizes[d];
    }
    indices_set_last_sizes(blocks, count, sizes);
    const uint32_t size = input->sizes[first + batches + random_below(random, tuple)];
    case_set_uint(c, "InputDimensionCount", relevant);
    case_set_uint(c, "IndicesDimensionCount", index_rank);
    if (has_batches) {
        case_set_uint(c, "BatchDimensionCount", batches);
    }
    return size;
}

/* Adds a leading dimension of size 1, sometimes. */
static void add_dimension(struct random *random, struct case_tensor *tensor) {
    if (tensor->rank < CASE_MAX_RANK && random_chance(random, 30)) {
        memmove(&tensor->sizes[1], &tensor->sizes[0], tensor->rank * sizeof(tensor->sizes[0]));
        tensor->sizes[0] = 1;
        tensor->rank++;
    }
}

void indices_generate_tuples(const struct case_family *family, struct random *random, struct operator_case *c) {
    const uint32_t budget = indices_budget(random);
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor"), *updates = updates_of(c);
    struct case_tensor *blocks = updates != NULL ? updates : output;
    blocks->type = input->type = generate_type(random, c, "InputTensor");
    indices->type = indices_type(random);
    input->rank = indices->rank = blocks->rank = indices_rank(random);
    const uint32_t size = nd_sizes(random, budget, case_has(c, "BatchDimensionCount"), input, indices, blocks, c);
    if (updates != NULL) {
        add_dimension(random, input);
        add_dimension(random, indices);
        add_dimension(random, updates);
        *output = *input;
    }
    indices_end(random, c, input, indices, size, output);
}

void indices_make(struct case_tensor *indices, uint32_t rank, const uint32_t *sizes, uint32_t size) {
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, rank, sizes);
    indices->fill = CASE_FILL_COORDINATES;
    indices->fill_permille = size;
}

void indices_make_others(struct operator_case *c, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes) {
    struct case_tensor *updates = updates_of(c);
    benchmark_tensor(case_tensor(c, "InputTensor"), type, rank, sizes);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, rank, sizes);
    if (updates != NULL) {
        benchmark_tensor(updates, type, rank, sizes);
    }
}

void indices_make_lines(struct operator_case *c, const char *field, uint64_t bytes, DML_TENSOR_DATA_TYPE type,
                        uint32_t axis, uint32_t length, uint32_t size, uint32_t sizes[2]) {
    struct case_tensor *indices = case_tensor(c, field);
    sizes[axis] = length;
    sizes[1 - axis] = benchmark_size(bytes, type, length, 1);
    indices_make(indices, 2, sizes, size);
    indices->sizes[axis] = 1;
    case_set_uint(c, "Axis", axis);
}

void indices_make_elements(DML_OPERATOR_TYPE operator_type, uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis,
                           struct operator_case *c) {
    case_begin(c, operator_type);
    const uint32_t columns = 4096, rows = benchmark_size(bytes, type, columns, 1);
    const uint32_t sizes[] = {rows, columns};
    indices_make_others(c, type, 2, sizes);
    indices_make(case_tensor(c, "IndicesTensor"), 2, sizes, sizes[axis]);
    case_set_uint(c, "Axis", axis);
}
