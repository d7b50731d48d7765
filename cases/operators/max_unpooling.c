#include <string.h>

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/support.h"

static void generate_unpooling(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_INDICES, CASE_FILL_COORDINATES, CASE_FILL_PERMUTED};
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    indices->type = generate_type(random, c, "IndicesTensor");
    output->type = input->type;
    input->rank = indices->rank = output->rank = 4;
    const uint32_t budget = generate_budget(random);
    generate_sizes(random, budget / 2 + 1, input);
    generate_sizes(random, budget / 2 + 1, output);
    memcpy(indices->sizes, input->sizes, sizeof(indices->sizes));
    input->fill = CASE_FILL_INDEX;
    indices->fill = RANDOM_OF(random, fills);
    indices->fill_permille = output->sizes[0] * output->sizes[1] * output->sizes[2] * output->sizes[3];
    generate_input_layout(random, input);
    generate_input_layout(random, indices);
    generate_output_layout(random, output);
    generate_call(random, c);
}

static const struct case_tensor_support max_unpooling_support[] = {
    {"InputTensor", CASE_SUPPORT(AT_LEVEL(2_0, 4, 4, FLOATS), AT_LEVEL(5_0, 4, 4, NUMBERS))},
    {"IndicesTensor",
     CASE_SUPPORT(AT_LEVEL(2_0, 4, 4, CASE_TYPE(UINT32)), AT_LEVEL(5_0, 4, 4, CASE_TYPE(UINT32) | CASE_TYPE(UINT64)))},
    {"OutputTensor", CASE_SUPPORT(AT_LEVEL(2_0, 4, 4, FLOATS), AT_LEVEL(5_0, 4, 4, NUMBERS))},
};

#define UNPOOLING "MAX_UNPOOLING "
static const char *const max_unpooling_fixed[] = {
    UNPOOLING "InputTensor=FLOAT32[1,1,2,2] InputTensor.data=5,6,7,8 IndicesTensor=UINT32[1,1,2,2] "
              "IndicesTensor.data=5,7,13,15 OutputTensor=FLOAT32[1,1,4,4] "
              "OutputTensor.data=0,0,0,0,0,5,0,6,0,0,0,0,0,7,0,8",
    /* The last of several stays; what names no element is left out; places count in the whole output. */
    UNPOOLING "InputTensor=INT16[2,1,1,3] InputTensor.data=1,2,3,4,5,6 IndicesTensor=UINT64[2,1,1,3] "
              "IndicesTensor.data=3,0x100000000,3,4,0xffffffffffffffff,0 OutputTensor=INT16[1,1,1,4] "
              "OutputTensor.data=6,0,0,3",
    UNPOOLING "InputTensor=UINT64[1,2,1,2] InputTensor.data=1,2,3,0xffffffffffffffff IndicesTensor=UINT32[1,2,1,2] "
              "IndicesTensor.data=0,0,0xffffffff,3 OutputTensor=UINT64[1,2,1,2] OutputTensor.strides=8,1,2,4 "
              "OutputTensor.data=2,0,0,0xffffffffffffffff",
};
static const struct case_refusal max_unpooling_refused[] = {
    {UNPOOLING "InputTensor=FLOAT32[1,1,2,2] IndicesTensor=UINT32[1,1,2,1] OutputTensor=FLOAT32[1,1,4,4]",
     "DML_OPERATOR_MAX_UNPOOLING: IndicesTensor.Sizes[3] is 1, must be 2 = InputTensor.Sizes[3]"},
};

/* Pictures of twice the sides; indices lie near one another, as those of a max pooling. */
static void make_unpooling(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    (void)argument;
    case_begin(c, DML_OPERATOR_MAX_UNPOOLING);
    struct case_tensor *output = case_tensor(c, "OutputTensor"), *indices = case_tensor(c, "IndicesTensor");
    benchmark_images(output, bytes, type);
    uint32_t sizes[4] = {output->sizes[0], output->sizes[1], output->sizes[2] / 2, output->sizes[3] / 2};
    sizes[2] += sizes[2] == 0;
    sizes[3] += sizes[3] == 0;
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 4, sizes);
    benchmark_tensor(indices, DML_TENSOR_DATA_TYPE_UINT32, 4, sizes);
    indices->fill = CASE_FILL_COUNTED;
}

static void unpooling_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *in = &c->tensors[0], *out = &c->tensors[2];
    const size_t bytes = out->type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 2 : 4;
    const size_t count = (size_t)out->sizes[0] * out->sizes[1] * out->sizes[2] * out->sizes[3];
    memset(tensors[2], 0, count * bytes);
    for (size_t i = 0; i < (size_t)in->sizes[0] * in->sizes[1] * in->sizes[2] * in->sizes[3]; i++) {
        const uint32_t to = ((const uint32_t *)tensors[1])[i];
        if (to < count) {
            memcpy(tensors[2] + to * bytes, tensors[0] + i * bytes, bytes);
        }
    }
}

static const struct case_benchmark max_unpooling_benchmarks[] = {
    {"unpool/max_2x2", FLOATS, 0, 0, make_unpooling, unpooling_loop},
};

CASE_FAMILY(max_unpooling, MAX_UNPOOLING, .generate = generate_unpooling, .group = "window",
            CASE_BENCHMARKS(max_unpooling_benchmarks));
