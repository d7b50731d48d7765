/* Cases of SPLIT and JOIN. */
#include <string.h>

#include "cases/operators/rearranging.h"

#define SPLIT_TYPES                                                                                                    \
    CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 4, WORDS_AND_HALVES}, {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32},  \
                 {DML_FEATURE_LEVEL_3_0, 1, 8, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64})
#define JOIN_TYPES                                                                                                     \
    CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 4, WORDS_AND_HALVES}, {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32},  \
                 {DML_FEATURE_LEVEL_3_0, 4, 5, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64})

#define MOST_PARTS 5

/* Cuts a tensor into parts along any axis, and lays them out. */
static void generate_parts(struct random *random, struct operator_case *c, const char *whole_field,
                           const char *parts_field, const char *count_field, bool parts_are_inputs) {
    struct case_tensor *whole = rearranging_any_tensor(random, c, whole_field);
    const uint32_t axis = random_below(random, whole->rank);
    uint32_t left = whole->sizes[axis];
    uint32_t count = 0;
    while (left != 0) {
        struct case_tensor *part = case_array_tensor(c, parts_field, count++);
        rearranging_copy_shape(part, whole);
        part->sizes[axis] = count == MOST_PARTS || random_chance(random, 20) ? left : random_between(random, 1, left);
        left -= part->sizes[axis];
        part->fill = parts_are_inputs ? rearranging_fill(random) : part->fill;
        (parts_are_inputs ? generate_input_layout : generate_output_layout)(random, part);
    }
    whole->fill = parts_are_inputs ? whole->fill : rearranging_fill(random);
    (parts_are_inputs ? generate_output_layout : generate_input_layout)(random, whole);
    case_set_uint(c, count_field, count);
    case_set_uint(c, "Axis", axis);
    generate_call(random, c);
}

static void generate_split(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_parts(random, c, "InputTensor", "OutputTensors", "OutputCount", false);
}

static void generate_join(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_parts(random, c, "OutputTensor", "InputTensors", "InputCount", true);
}

/* Two halves of a matrix, along its rows or its columns. */
static void make_halves(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, bool splits,
                        struct operator_case *c) {
    case_begin(c, splits ? DML_OPERATOR_SPLIT : DML_OPERATOR_JOIN);
    struct case_tensor *whole = case_tensor(c, splits ? "InputTensor" : "OutputTensor");
    const uint32_t rows = benchmark_size(bytes, type, 2048, 2);
    benchmark_tensor(whole, type, 2, (const uint32_t[]){rows, 2048});
    for (uint32_t p = 0; p < 2; p++) {
        struct case_tensor *part = case_array_tensor(c, splits ? "OutputTensors" : "InputTensors", p);
        benchmark_tensor(part, type, 2, whole->sizes);
        part->sizes[axis] /= 2;
    }
    case_set_uint(c, splits ? "OutputCount" : "InputCount", 2);
    case_set_uint(c, "Axis", axis);
}

static void make_split(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    make_halves(bytes, type, axis, true, c);
}

static void make_join(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    make_halves(bytes, type, axis, false, c);
}

/* Both halves, one after the other. */
static void loop_halves(const struct operator_case *c, unsigned char *const *tensors, const char *whole_field,
                        const char *parts_field) {
    const uint32_t whole = case_index(c, whole_field);
    const bool splits = c->schema->type == DML_OPERATOR_SPLIT;
    const uint32_t axis = case_word(c, "Axis");
    ptrdiff_t at = 0;
    for (struct case_at part = case_first(c); part.tensor != NULL; part = case_next(c, part)) {
        if (strcmp(c->schema->fields[part.field].name, parts_field) != 0) {
            continue;
        }
        struct loop_move move = {.element = vkdmlGetDataTypeSize(part.tensor->type), .rank = part.tensor->rank};
        for (uint32_t d = 0; d < move.rank; d++) {
            const ptrdiff_t of_whole = rearranging_packed_stride(&c->tensors[whole], d),
                            of_part = rearranging_packed_stride(part.tensor, d);
            move.sizes[d] = part.tensor->sizes[d];
            move.from[d] = splits ? of_whole : of_part;
            move.to[d] = splits ? of_part : of_whole;
        }
        unsigned char *side = tensors[whole] + at * (ptrdiff_t)move.element;
        loop_move(&move, splits ? side : tensors[part.slot], splits ? tensors[part.slot] : side);
        at += rearranging_packed_stride(&c->tensors[whole], axis) * part.tensor->sizes[axis];
    }
}

static void split_loop(const struct operator_case *c, unsigned char *const *tensors) {
    loop_halves(c, tensors, "InputTensor", "OutputTensors");
}

static void join_loop(const struct operator_case *c, unsigned char *const *tensors) {
    loop_halves(c, tensors, "OutputTensor", "InputTensors");
}

static const struct case_benchmark split_benchmarks[] = {
    {"outer", BENCHMARKED, 0, 0, make_split, split_loop},
    {"inner", BENCHMARKED, 1, 0, make_split, split_loop},
};

static const struct case_benchmark join_benchmarks[] = {
    {"outer", BENCHMARKED, 0, 0, make_join, join_loop},
    {"inner", BENCHMARKED, 1, 0, make_join, join_loop},
};

static const struct case_tensor_support split_support[] = {{"InputTensor", SPLIT_TYPES},
                                                           {"OutputTensors", SPLIT_TYPES}};
static const struct case_tensor_support join_support[] = {{"InputTensors", JOIN_TYPES}, {"OutputTensor", JOIN_TYPES}};

static const char *const split_fixed[] = {
    "SPLIT OutputCount=3 Axis=2 InputTensor=FLOAT32[1,1,6,2] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "OutputTensors[0]=FLOAT32[1,1,2,2] OutputTensors[0].data=1,2,3,4 OutputTensors[1]=FLOAT32[1,1,1,2] "
    "OutputTensors[1].data=5,6 OutputTensors[2]=FLOAT32[1,1,3,2] OutputTensors[2].data=7,8,9,10,11,12",
    "SPLIT OutputCount=2 Axis=3 InputTensor=FLOAT32[1,1,6,2] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "OutputTensors[0]=FLOAT32[1,1,6,1] OutputTensors[0].data=1,3,5,7,9,11 "
    "OutputTensors[1]=FLOAT32[1,1,6,1] OutputTensors[1].data=2,4,6,8,10,12",
    ("SPLIT InputTensor=UINT8[3] InputTensor.data=1,2,3 OutputCount=1 OutputTensors[0]=UINT8[3] "
     "OutputTensors[0].data=1,2,3 Axis=0"),
};

static const char *const join_fixed[] = {
    "JOIN InputCount=2 Axis=3 InputTensors[0]=FLOAT32[1,1,2,3] InputTensors[0].data=1,2,3,4,5,6 "
    "InputTensors[1]=FLOAT32[1,1,2,4] InputTensors[1].data=7,8,9,10,11,12,13,14 "
    "OutputTensor=FLOAT32[1,1,2,7] OutputTensor.data=1,2,3,7,8,9,10,4,5,6,11,12,13,14",
    "JOIN InputCount=3 Axis=1 InputTensors[0]=FLOAT32[1,1,2,2] InputTensors[0].data=1,2,3,4 "
    "InputTensors[1]=FLOAT32[1,1,2,2] InputTensors[1].data=5,6,7,8 InputTensors[2]=FLOAT32[1,1,2,2] "
    "InputTensors[2].data=9,10,11,12 OutputTensor=FLOAT32[1,3,2,2] "
    "OutputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12",
    "JOIN InputCount=3 Axis=2 InputTensors[0]=FLOAT32[1,1,2,2] InputTensors[0].data=1,2,3,4 "
    "InputTensors[1]=FLOAT32[1,1,2,2] InputTensors[1].data=5,6,7,8 InputTensors[2]=FLOAT32[1,1,2,2] "
    "InputTensors[2].data=9,10,11,12 OutputTensor=FLOAT32[1,1,6,2] "
    "OutputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12",
    "JOIN InputCount=3 Axis=3 InputTensors[0]=FLOAT32[1,1,2,2] InputTensors[0].data=1,2,3,4 "
    "InputTensors[1]=FLOAT32[1,1,2,2] InputTensors[1].data=5,6,7,8 InputTensors[2]=FLOAT32[1,1,2,2] "
    "InputTensors[2].data=9,10,11,12 OutputTensor=FLOAT32[1,1,2,6] "
    "OutputTensor.data=1,2,5,6,9,10,3,4,7,8,11,12",
    /* Parts that share words. */
    "JOIN InputCount=3 InputTensors[0]=UINT8[2,1] InputTensors[0].data=1,2 InputTensors[1]=UINT8[2,2] "
    "InputTensors[1].data=3,4,5,6 InputTensors[2]=UINT8[2,3] InputTensors[2].data=7,8,9,10,11,12 "
    "OutputTensor=UINT8[2,6] OutputTensor.data=1,3,4,7,8,9,2,5,6,10,11,12 Axis=1",
};

static const struct case_refusal split_refused[] = {
    {"SPLIT InputTensor=FLOAT32[4] OutputCount=1 OutputTensors[0]=FLOAT32[4] Axis=1",
     "DML_OPERATOR_SPLIT: Axis is 1, must be below 1 = InputTensor.DimensionCount"},
    {"SPLIT InputTensor=FLOAT32[4,2] OutputCount=2 OutputTensors[0]=FLOAT32[2,2] OutputTensors[1]=FLOAT32[2,3] Axis=0",
     "DML_OPERATOR_SPLIT: OutputTensors[1].Sizes[1] is 3, must be 2 = InputTensor.Sizes[1]"},
    {"SPLIT InputTensor=FLOAT32[4] OutputCount=2 OutputTensors[0]=FLOAT32[2] OutputTensors[1]=FLOAT32[1] Axis=0",
     "DML_OPERATOR_SPLIT: InputTensor.Sizes[0] is 4, must be 3, the sum of the sizes along Axis of the 2 tensors"},
};

static const struct case_refusal join_refused[] = {
    {"JOIN InputCount=1 InputTensors[0]=FLOAT32[4] OutputTensor=FLOAT32[4] Axis=7",
     "DML_OPERATOR_JOIN: Axis is 7, must be below 1 = OutputTensor.DimensionCount"},
    {"JOIN InputCount=2 InputTensors[0]=FLOAT32[2] InputTensors[1]=FLOAT32[3] OutputTensor=FLOAT32[6] Axis=0",
     "DML_OPERATOR_JOIN: OutputTensor.Sizes[0] is 6, must be 5, the sum of the sizes along Axis of the 2 tensors"},
};

REARRANGING_FAMILY(split, SPLIT, false);
REARRANGING_FAMILY(join, JOIN, false);
