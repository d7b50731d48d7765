#include "cases/family.h"
#include "cases/generate.h"
#include "harness/number.h"

static const char *const fixed[] = {
    /* The documented examples. */
    "DIAGONAL_MATRIX seed=1 OutputTensor=FLOAT32[1,1,3,3] OutputTensor.data=1,0,0,0,1,0,0,0,1 Offset=0 Value=1",
    "DIAGONAL_MATRIX seed=2 OutputTensor=FLOAT32[1,1,3,3] OutputTensor.data=0,1,0,0,0,1,0,0,0 Offset=1 Value=1",
    "DIAGONAL_MATRIX seed=3 OutputTensor=FLOAT32[1,1,3,2] OutputTensor.data=0,0,1,0,0,1 Offset=-1 Value=1",
    "DIAGONAL_MATRIX seed=4 OutputTensor=FLOAT32[1,1,3,2] OutputTensor.data=0,0,0,0,0,0 Offset=-3 Value=1",
    /* Offsets at which x - y wraps in 32 bits. */
    "DIAGONAL_MATRIX seed=5 OutputTensor=UINT8[2,3] OutputTensor.data=0,0,0,0,0,0 Offset=-2147483648 Value=1",
    "DIAGONAL_MATRIX seed=6 OutputTensor=UINT8[2,3] OutputTensor.data=0,0,0,0,0,0 Offset=2147483647 Value=1",
    "DIAGONAL_MATRIX seed=7 OutputTensor=INT16[2,2,2] OutputTensor.data=0,5,0,0,0,5,0,0 Offset=1 Value=5.9",
    /* The oldest level; a batch of matrices; a transposed output with gaps. */
    "DIAGONAL_MATRIX seed=8 level=2_0 OutputTensor=FLOAT16[2,1,2,2] OutputTensor.data=1,0,0,1,1,0,0,1 Offset=0 Value=1",
    ("DIAGONAL_MATRIX seed=9 OutputTensor=UINT8[3,3] OutputTensor.strides=2,7 OutputTensor.extra=3 "
     "OutputTensor.data=9,0,0,0,9,0,0,0,9 Offset=0 Value=9"),
    /* Conversion of Value: truncation, saturation, NaN. */
    "DIAGONAL_MATRIX seed=10 OutputTensor=INT8[1,1] OutputTensor.data=-128 Offset=0 Value=-1000",
    "DIAGONAL_MATRIX seed=11 OutputTensor=UINT32[1,1] OutputTensor.data=0 Offset=0 Value=-0.5",
    "DIAGONAL_MATRIX seed=12 OutputTensor=UINT64[1,1] OutputTensor.data=18446744073709551615 Offset=0 Value=inf",
    "DIAGONAL_MATRIX seed=13 OutputTensor=INT64[1,1] OutputTensor.data=0 Offset=0 Value=nan",
    "DIAGONAL_MATRIX seed=14 OutputTensor=FLOAT16[1,2] OutputTensor.data=0,0x7c00 Offset=1 Value=65520",
    "DIAGONAL_MATRIX seed=16 OutputTensor=FLOAT16[1,2] OutputTensor.data=0,0x8000 Offset=1 Value=-0.0",
    "DIAGONAL_MATRIX seed=15 OutputTensor=FLOAT64[1,1] OutputTensor.data=0x3fb99999a0000000 Offset=0 Value=0.1",
};

static int32_t generate_offset(struct random *random, uint32_t height, uint32_t width) {
    int32_t h = (int32_t)height, w = (int32_t)width;
    const int32_t offsets[] = {
        0, 0, 0, 1, -1, w - 1, w, w + 1, -h, 1 - h, -h - 1, w - h, INT32_MIN, INT32_MAX, INT32_MIN + 1, INT32_MIN + h};
    return random_chance(random, 60)   ? RANDOM_OF(random, offsets)
           : random_chance(random, 80) ? (int32_t)random_below(random, height + width) - h
                                       : (int32_t)(uint32_t)random_next(random);
}

static void generate(struct random *random, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_DIAGONAL_MATRIX);
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    output->type = generate_type(random, c, "OutputTensor");
    output->rank = random_between(random, 2, 4);
    generate_sizes(random, generate_budget(random), output);
    generate_output_layout(random, output);
    int32_t offset = generate_offset(random, output->sizes[output->rank - 2], output->sizes[output->rank - 1]);
    case_set_uint(c, "Offset", (uint32_t)offset);
    case_set_float(c, "Value", random_chance(random, 30) ? 1.0f : number_special_float(random));
    c->flags = random_chance(random, 5) ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0;
    generate_call(random, c);
}

static const struct case_tensor_support support[] = {
    {"OutputTensor",
     {{DML_FEATURE_LEVEL_2_0, 4, 4, CASE_TYPES_FLOATS},
      {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32},
      {DML_FEATURE_LEVEL_4_0, 2, 4, CASE_TYPES_UP_TO_32},
      {DML_FEATURE_LEVEL_5_1, 2, 4, CASE_TYPES_UP_TO_64}}},
};

const struct case_family vkdml_cases_diagonal_matrix = {
    .type = DML_OPERATOR_DIAGONAL_MATRIX,
    .support = support,
    .support_count = sizeof(support) / sizeof(support[0]),
    .fixed = fixed,
    .fixed_count = sizeof(fixed) / sizeof(fixed[0]),
    .generate = generate,
};
