#include "cases/operators/indices.h"

static const struct case_support reversed[] = {AT_LEVEL(2_1, 4, 4, UP_TO_32),
                                               AT_LEVEL(3_0, 4, 5, UP_TO_32),
                                               AT_LEVEL(4_0, 1, 8, UP_TO_32),
                                               AT_LEVEL(5_0, 1, 8, CASE_TYPES_UP_TO_64),
                                               {0}};
static const struct case_support lengths[] = {AT_LEVEL(2_1, 4, 4, CASE_TYPE(UINT32)),
                                              AT_LEVEL(3_0, 4, 5, CASE_TYPE(UINT32)),
                                              AT_LEVEL(4_0, 1, 8, CASE_TYPE(UINT32)),
                                              AT_LEVEL(5_0, 1, 8, CASE_TYPE(UINT32) | CASE_TYPE(UINT64)),
                                              {0}};

static const char *const reverse_subsequences_fixed[] = {
    /* The documented examples. */
    "REVERSE_SUBSEQUENCES seed=1 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "SequenceLengthsTensor=UINT32[1,1,3,1] SequenceLengthsTensor.data=2,4,3 OutputTensor=FLOAT32[1,1,3,4] "
    "OutputTensor.data=2,1,3,4,8,7,6,5,11,10,9,12 Axis=3",
    "REVERSE_SUBSEQUENCES seed=2 InputTensor=FLOAT32[1,1,3,4] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "SequenceLengthsTensor=UINT32[1,1,1,4] SequenceLengthsTensor.data=2,3,1,0 OutputTensor=FLOAT32[1,1,3,4] "
    "OutputTensor.data=5,10,3,4,1,6,7,8,9,2,11,12 Axis=2",
    /* Lengths beyond the size, of which 32 bits say otherwise. */
    "REVERSE_SUBSEQUENCES seed=3 InputTensor=INT8[4,3] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "SequenceLengthsTensor=UINT64[4,1] SequenceLengthsTensor.data=0x100000001,4,0xffffffffffffffff,1 "
    "OutputTensor=INT8[4,3] OutputTensor.data=3,2,1,6,5,4,9,8,7,10,11,12 Axis=1",
    "REVERSE_SUBSEQUENCES seed=4 level=2_1 InputTensor=UINT16[3,5,40,64] InputTensor.fill=BITS InputTensor.owned=1 "
    "SequenceLengthsTensor=UINT32[3,1,40,64] SequenceLengthsTensor.fill=INDICES:6 OutputTensor=UINT16[3,5,40,64] "
    "Axis=1",
    "REVERSE_SUBSEQUENCES seed=5 level=3_0 InputTensor=UINT8[1,20,9,7,33] InputTensor.fill=BITS "
    "SequenceLengthsTensor=UINT32[1,1,9,7,33] SequenceLengthsTensor.strides=0,0,7,1,0 "
    "SequenceLengthsTensor.fill=INDICES:21 OutputTensor=UINT8[1,20,9,7,33] Axis=1",
    "REVERSE_SUBSEQUENCES seed=6 InputTensor=FLOAT64[30,99] InputTensor.fill=BITS "
    "SequenceLengthsTensor=UINT64[30,1] SequenceLengthsTensor.fill=INDICES:100 OutputTensor=FLOAT64[30,99] Axis=1",
    /* Sequences whose ends a descriptor of 32 KiB does not bind together. */
    "REVERSE_SUBSEQUENCES seed=7 InputTensor=INT16[30001,2] InputTensor.fill=BITS "
    "SequenceLengthsTensor=UINT32[1,2] SequenceLengthsTensor.data=29999,40000 OutputTensor=INT16[30001,2] Axis=0",
};

static void generate_reverse_subsequences(const struct case_family *family, struct random *random,
                                          struct operator_case *c) {
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *sequences = case_tensor(c, "SequenceLengthsTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = indices_rank(random);
    generate_sizes(random, indices_budget(random), input);
    const uint32_t axis = random_below(random, input->rank);
    *output = *sequences = *input;
    sequences->type = random_chance(random, 50) ? DML_TENSOR_DATA_TYPE_UINT32 : DML_TENSOR_DATA_TYPE_UINT64;
    sequences->sizes[axis] = 1;
    case_set_uint(c, "Axis", axis);
    indices_end(random, c, input, sequences, input->sizes[axis] + 1, output);
}

static const struct case_tensor_support reverse_subsequences_support[] = {
    {"InputTensor", reversed}, {"SequenceLengthsTensor", lengths}, {"OutputTensor", reversed}};

static const struct case_refusal reverse_subsequences_refused[] = {
    {"REVERSE_SUBSEQUENCES seed=1 InputTensor=FLOAT32[3,4] SequenceLengthsTensor=UINT32[3,1] "
     "OutputTensor=FLOAT32[3,4] Axis=2",
     "DML_OPERATOR_REVERSE_SUBSEQUENCES: Axis is 2, must be below 2 = InputTensor.DimensionCount"},
    {"REVERSE_SUBSEQUENCES seed=1 InputTensor=FLOAT32[3,4] SequenceLengthsTensor=UINT32[2,4] "
     "OutputTensor=FLOAT32[3,4] Axis=1",
     "DML_OPERATOR_REVERSE_SUBSEQUENCES: SequenceLengthsTensor.Sizes[0] is 2, must be 3 = InputTensor.Sizes[0]\n"
     "DML_OPERATOR_REVERSE_SUBSEQUENCES: SequenceLengthsTensor.Sizes[1] is 4, must be 1 along Axis (1)"},
};

/* Sequences of 1024, along Axis of a packed matrix. */
static void make_reverse(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_REVERSE_SUBSEQUENCES);
    uint32_t sizes[2];
    indices_make_lines(c, "SequenceLengthsTensor", bytes, type, axis, 1024, 1024 + 1, sizes);
    indices_make_others(c, type, 2, sizes);
}

/* Along Axis of a matrix: a row's beginning backward, or of each column the coordinate's own. */
static void reverse_subsequences_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0];
    const size_t element = vkdmlGetDataTypeSize(input->type), height = input->sizes[0], width = input->sizes[1];
    const bool rows = c->fields[3].words[0] == 0;
    for (size_t i = 0; i < height; i++) {
        const unsigned char *from = tensors[0] + i * width * element;
        unsigned char *to = tensors[2] + i * width * element;
        if (rows) {
            for (size_t j = 0; j < width; j++) {
                const size_t length = loop_index(tensors, 1, j), named = i < length ? length - 1 - i : i;
                loop_copy(to + j * element, tensors[0] + (named * width + j) * element, element);
            }
        } else {
            const size_t length = loop_index(tensors, 1, i);
            for (size_t j = 0; j < length; j++) {
                loop_copy(to + j * element, from + (length - 1 - j) * element, element);
            }
            memcpy(to + length * element, from + length * element, (width - length) * element);
        }
    }
}

static const struct case_benchmark reverse_subsequences_benchmarks[] = {
    {"inner", INDICES_BENCHMARKED, 1, 0, make_reverse, reverse_subsequences_loop},
    {"outer", INDICES_BENCHMARKED, 0, 0, make_reverse, reverse_subsequences_loop},
};

CASE_FAMILY(reverse_subsequences, REVERSE_SUBSEQUENCES, .generate = generate_reverse_subsequences,
            .group = "reverse_subsequences", CASE_BENCHMARKS(reverse_subsequences_benchmarks));
