/* ADAM_OPTIMIZER */
#include "cases/case_data.h"
#include "cases/generate.h"
#include "cases/number.h"
#include "cases/operators/mapping.h"

#define MOMENTS CASE_SUPPORT(AT_LEVEL(3_0, 4, 4, FLOATS), AT_LEVEL(4_0, 1, 8, FLOATS))
static const struct case_tensor_support adam_optimizer_support[] = {
    {"InputParametersTensor", MOMENTS},
    {"InputFirstMomentTensor", MOMENTS},
    {"InputSecondMomentTensor", MOMENTS},
    {"GradientTensor", MOMENTS},
    {"TrainingStepTensor",
     CASE_SUPPORT(AT_LEVEL(3_0, 4, 4, CASE_TYPE(UINT32)), AT_LEVEL(4_0, 1, 8, CASE_TYPE(UINT32)))},
    {"OutputParametersTensor", MOMENTS},
    {"OutputFirstMomentTensor", MOMENTS},
    {"OutputSecondMomentTensor", MOMENTS},
};

static const char *const inputs[] = {"InputParametersTensor", "InputFirstMomentTensor", "InputSecondMomentTensor",
                                     "GradientTensor"};
static const char *const outputs[] = {"OutputParametersTensor", "OutputFirstMomentTensor", "OutputSecondMomentTensor"};

#define TENSORS_OF(TYPE, n, x, m, v, g, t)                                                                             \
    "ADAM_OPTIMIZER InputParametersTensor=" TYPE n " InputParametersTensor.data=" x " InputFirstMomentTensor=" TYPE n  \
    " InputFirstMomentTensor.data=" m " InputSecondMomentTensor=" TYPE n " InputSecondMomentTensor.data=" v            \
    " GradientTensor=" TYPE n " GradientTensor.data=" g " TrainingStepTensor=UINT32[1] TrainingStepTensor.data=" t
#define RESULTS(TYPE, n, x, m, v)                                                                                      \
    " OutputParametersTensor=" TYPE n " OutputParametersTensor.data=" x " OutputFirstMomentTensor=" TYPE n             \
    " OutputFirstMomentTensor.data=" m " OutputSecondMomentTensor=" TYPE n " OutputSecondMomentTensor.data=" v
#define HALVES  " LearningRate=1 Beta1=0.5 Beta2=0.75 Epsilon=0"
#define USUALLY " LearningRate=0.001 Beta1=0.9 Beta2=0.999 Epsilon=1e-8"

/* Of a size that takes several workgroups, outputs in the place of inputs; bits as bind_in_place() gives them. */
#define SEEDED(seed, t)                                                                                                \
    "ADAM_OPTIMIZER seed=" seed " InputParametersTensor=FLOAT32[70001] InputFirstMomentTensor=FLOAT32[70001] "         \
    "InputSecondMomentTensor=FLOAT32[70001] InputSecondMomentTensor.fill=UNIT GradientTensor=FLOAT32[70001] "          \
    "GradientTensor.fill=UNIT TrainingStepTensor=UINT32[1] TrainingStepTensor.data=" t                                 \
    " OutputParametersTensor=FLOAT32[70001] OutputFirstMomentTensor=FLOAT32[70001] "                                   \
    "OutputSecondMomentTensor=FLOAT32[70001]" USUALLY
#define IN_PLACE_OF(x, m, v)                                                                                           \
    " OutputParametersTensor.in_place=" x " OutputFirstMomentTensor.in_place=" m " OutputSecondMomentTensor.in_"       \
                                                                                 "place=" v

static const char *const adam_optimizer_fixed[] = {
    /* m 2, v 16, alpha sqrt(1/4) / (1/2) = 1: x - 2 / 4. */
    TENSORS_OF("FLOAT32", "[1]", "3", "0", "16", "4", "1") RESULTS("FLOAT32", "[1]", "2.5", "2", "16") HALVES,
    /* Where T is 0 nothing is corrected. */
    TENSORS_OF("FLOAT32", "[2]", "3,-1", "1,2", "16,0", "0,0", "0")
        RESULTS("FLOAT32", "[2]", "2.855662432702594,-inf", "0.5,1", "12,0") HALVES,
    /* A gradient of 0 moves nothing that never moved. */
    TENSORS_OF("FLOAT32", "[3]", "3,-0,0.5", "0,0,0", "0,0,0", "0,0,0", "7")
        RESULTS("FLOAT32", "[3]", "3,-0,0.5", "0,0,0", "0,0,0") USUALLY,
    /* At the first step it goes a rate far, whatever the gradient. */
    TENSORS_OF("FLOAT16", "[1,1,1,2]", "1,1", "0,0", "0,0", "4,-1000", "1")
        RESULTS("FLOAT16", "[1,1,1,2]", "0x3bfe,0x3c01", "0.39990234,-100", "0.0160064697,1000") USUALLY,
    SEEDED("1", "1"),
    SEEDED("2", "2"),
    SEEDED("3", "1000"),
    SEEDED("4", "1000000"),
    SEEDED("5", "0"),
    SEEDED("6", "0xffffffff"),
    /* Each output in place of each input. */
    SEEDED("7", "3") IN_PLACE_OF("1", "2", "4"),
    SEEDED("8", "3") IN_PLACE_OF("2", "4", "8"),
    SEEDED("9", "3") IN_PLACE_OF("4", "8", "1"),
    SEEDED("10", "3") IN_PLACE_OF("8", "1", "2"),
};

#define REFUSED(attributes)                                                                                            \
    TENSORS_OF("FLOAT32", "[1]", "3", "0", "16", "4", "1") RESULTS("FLOAT32", "[1]", "0", "0", "0") attributes
static const struct case_refusal adam_optimizer_refused[] = {
    {REFUSED(" LearningRate=1 Beta1=1.5 Beta2=0.5 Epsilon=0"),
     "DML_OPERATOR_ADAM_OPTIMIZER: Beta1 is 1.5, must be from 0 to 1"},
    {REFUSED(" LearningRate=1 Beta1=1 Beta2=-0.5 Epsilon=0"),
     "DML_OPERATOR_ADAM_OPTIMIZER: Beta2 is -0.5, must be from 0 to 1"},
};

/* ---- random cases ---- */

static void choose_numbers(struct random *random, struct operator_case *c) {
    static const float rates[] = {0.001f, 0.001f, 1, 0.5f, 0, -0.1f, 1e30f};
    static const float betas[] = {0.9f, 0.9f, 0.999f, 0.999f, 0.99999994f, 0.5f, 0.1f, 0, 1, 1e-20f};
    static const float epsilons[] = {1e-8f, 1e-8f, 1e-3f, 0, 1};
    static const uint32_t steps[] = {0, 1, 2, 3, 10, 1000, 1000000, 0x7FFFFFFF, 0xFFFFFFFF};
    case_set_float(c, "LearningRate", RANDOM_OF(random, rates));
    case_set_float(c, "Beta1", RANDOM_OF(random, betas));
    case_set_float(c, "Beta2", RANDOM_OF(random, betas));
    case_set_float(c, "Epsilon", RANDOM_OF(random, epsilons));
    struct case_tensor *step = case_tensor(c, "TrainingStepTensor");
    step->type = DML_TENSOR_DATA_TYPE_UINT32;
    step->rank = random_between(random, 1, CASE_MAX_RANK);
    for (uint32_t d = 0; d < step->rank; d++) {
        step->sizes[d] = 1;
    }
    step->value_count = 1;
    step->values[0] = random_chance(random, 70) ? RANDOM_OF(random, steps) : random_below(random, 5000);
    generate_input_layout(random, step);
}

/* Puts outputs where inputs are, no two in one place. */
static void bind_in_place(struct random *random, struct operator_case *c) {
    uint32_t order[] = {0, 1, 2, 3};
    for (uint32_t i = 3; i > 0; i--) {
        const uint32_t other = random_below(random, i + 1), moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
    for (uint32_t i = 0; i < CASE_COUNT(outputs); i++) {
        if (random_chance(random, 40)) {
            struct case_tensor *input = case_tensor(c, inputs[order[i]]), *output = case_tensor(c, outputs[i]);
            const enum case_fill fill = input->fill;
            *input = *output;
            input->fill = fill;
            output->in_place = 1u << order[i];
        }
    }
}

static void generate_adam(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_UNIT, CASE_FILL_UNIT, CASE_FILL_SMALL, CASE_FILL_SPECIAL,
                                           CASE_FILL_BITS};
    case_begin(c, family->type);
    struct case_tensor shape = {.type = generate_type(random, c, inputs[0]),
                                .rank = random_between(random, 1, CASE_MAX_RANK)};
    generate_sizes(random, generate_budget(random), &shape);
    for (uint32_t i = 0; i < CASE_COUNT(inputs); i++) {
        struct case_tensor *input = case_tensor(c, inputs[i]);
        *input = shape;
        generate_input_layout(random, input);
        input->fill = RANDOM_OF(random, fills);
    }
    choose_numbers(random, c);
    generate_output_layout(random, &shape);
    const bool lie_alike = random_chance(random, 60);
    for (uint32_t i = 0; i < CASE_COUNT(outputs); i++) {
        struct case_tensor *output = case_tensor(c, outputs[i]);
        *output = shape;
        if (!lie_alike) {
            generate_output_layout(random, output);
        }
    }
    if (random_chance(random, 50)) {
        bind_in_place(random, c);
    }
    generate_call(random, c);
}

/* ---- benchmarks ---- */

static void make_adam(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    static const uint32_t one = 1;
    const uint32_t size = benchmark_size(bytes, type, 1, 4);
    (void)argument;
    case_begin(c, DML_OPERATOR_ADAM_OPTIMIZER);
    for (uint32_t i = 0; i < CASE_COUNT(inputs); i++) {
        benchmark_tensor(case_tensor(c, inputs[i]), type, 1, &size);
        case_tensor(c, inputs[i])->fill = CASE_FILL_UNIT;
    }
    for (uint32_t i = 0; i < CASE_COUNT(outputs); i++) {
        benchmark_tensor(case_tensor(c, outputs[i]), type, 1, &size);
    }
    struct case_tensor *step = case_tensor(c, "TrainingStepTensor");
    benchmark_tensor(step, DML_TENSOR_DATA_TYPE_UINT32, 1, &one);
    step->value_count = 1;
    step->values[0] = 1000;
    case_set_float(c, "LearningRate", 0.001f);
    case_set_float(c, "Beta1", 0.9f);
    case_set_float(c, "Beta2", 0.999f);
    case_set_float(c, "Epsilon", 1e-8f);
}

static void adam_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const float *in[4];
    float *out[3];
    for (uint32_t i = 0; i < 4; i++) {
        in[i] = (const float *)(const void *)tensors[case_index(c, inputs[i])];
    }
    for (uint32_t i = 0; i < 3; i++) {
        out[i] = (float *)(void *)tensors[case_index(c, outputs[i])];
    }
    const float beta1 = case_float(c, "Beta1"), beta2 = case_float(c, "Beta2"), epsilon = case_float(c, "Epsilon");
    const double t = *(const uint32_t *)(const void *)tensors[case_index(c, "TrainingStepTensor")];
    const double alpha = sqrt(1 - pow((double)beta2, t)) / (1 - pow((double)beta1, t));
    const float rate = case_float(c, "LearningRate") * (float)alpha;
    const uint64_t count = case_element_count(&c->tensors[0]);
    for (uint64_t i = 0; i < count; i++) {
        const float g = in[3][i];
        out[1][i] = beta1 * in[1][i] + (1 - beta1) * g;
        out[2][i] = beta2 * in[2][i] + (1 - beta2) * g * g;
        out[0][i] = in[0][i] - rate * out[1][i] / (sqrtf(out[2][i]) + epsilon);
    }
}

static const struct case_benchmark adam_optimizer_benchmarks[] = {
    {"packed", CASE_TYPES_FLOATS, 0, 0, make_adam, adam_loop},
};

CASE_FAMILY(adam_optimizer, ADAM_OPTIMIZER, .has_frame = true, .generate = generate_adam, .group = "adam_optimizer",
            CASE_BENCHMARKS(adam_optimizer_benchmarks));
