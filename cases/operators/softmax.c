/* The softmax family. */
#include <math.h>

#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/operators/mapping.h"
#include "cases/operators/reductions.h"
#include "cases/support.h"

/* ---- what floats may be ---- */

static uint32_t last_dimension(const struct operator_case *c) {
    return 1u << (c->tensors[0].rank - 1);
}

/* exp(x) / the sum of exp(x): of infinity NaN beside zeros. */
static struct accuracy_bounds softmax_around(const struct operator_case *c, const struct case_reduction *r, double x) {
    const double value = exp(x - r->greatest) / r->powers;
    return accuracy_around(value, value * accuracy_of_result(c, r->count) + 0x1p-125);
}

static struct accuracy_bounds log_softmax_around(const struct operator_case *c, const struct case_reduction *r,
                                                 double x) {
    const double value = x - r->greatest - log(r->powers);
    return accuracy_around(value,
                           isinf(value) ? 0 : accuracy_of_one(c) + fabs(value) * accuracy_of_result(c, r->count));
}

#define BOUNDS(name, AROUND, DIMENSIONS)                                                                               \
    static struct accuracy_bounds name##_bounds(const struct operator_case *c, const unsigned char *const *tensors,    \
                                                const uint32_t *coordinates) {                                         \
        return AROUND(c, case_reduction_at(c, tensors, DIMENSIONS(c), coordinates),                                    \
                      case_reduction_element(c, tensors, coordinates));                                                \
    }
BOUNDS(softmax, softmax_around, last_dimension)
BOUNDS(softmax1, softmax_around, case_axes)
BOUNDS(log_softmax, log_softmax_around, last_dimension)
BOUNDS(log_softmax1, log_softmax_around, case_axes)

/* The exact values, and what one rounding of FLOAT32 takes of them. */
static struct accuracy_exact exact_softmax(const struct case_reduction *r, double x) {
    const double value = exp(x - r->greatest) / r->powers;
    return (struct accuracy_exact){value, 0x1p-24 * value + 0x1p-126};
}

static struct accuracy_exact exact_log_softmax(const struct case_reduction *r, double x) {
    const double value = x - r->greatest - log(r->powers);
    return (struct accuracy_exact){value, 0x1p-24 * (1 + fabs(value))};
}

#define EXACT(name, OF, DIMENSIONS)                                                                                    \
    static struct accuracy_exact name##_exact(const struct operator_case *c, const unsigned char *const *tensors,      \
                                              const uint32_t *coordinates) {                                           \
        return OF(case_reduction_at(c, tensors, DIMENSIONS(c), coordinates),                                           \
                  case_reduction_element(c, tensors, coordinates));                                                    \
    }
EXACT(softmax1, exact_softmax, case_axes)
EXACT(log_softmax1, exact_log_softmax, case_axes)

/* ---- random cases ---- */

static void choose_axes(struct random *random, struct operator_case *c) {
    case_widen(random, c);
    case_choose_axes(random, c);
}

static void make_matrix(struct random *random, struct operator_case *c) {
    case_widen(random, c);
    for (uint32_t i = 0; i < 2; i++) {
        struct case_tensor *tensor = &c->tensors[i];
        for (uint32_t d = 0; d + 2 < tensor->rank; d++) {
            tensor->sizes[d] = 1;
        }
    }
}

/* ---- benchmarks ---- */

/* The argument is the length of rows; or 0: of pictures, across the 64 channels. */
static void make_rows(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t width, DML_OPERATOR_TYPE operator_type,
                      struct operator_case *c) {
    case_begin(c, operator_type);
    benchmark_rows(bytes, type, width, c);
    case_set_uint(c, "AxisCount", 1);
    case_set(c, "Axes", 1, (const uint32_t[]){1});
}

#define MAKE(name, NAME)                                                                                               \
    static void make_##name(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t width, struct operator_case *c) {      \
        make_rows(bytes, type, width, DML_OPERATOR_ACTIVATION_##NAME, c);                                              \
    }
MAKE(softmax, SOFTMAX1)
MAKE(log_softmax, LOG_SOFTMAX1)
MAKE(hardmax, HARDMAX1)

/* Of FLOAT32, packed: so many reductions, of elements so far apart. */
struct loop {
    const float *in;
    float *out;
    size_t outer, length, inner;
};

static struct loop loop_of(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0];
    struct loop loop = {(const float *)(const void *)tensors[0], (float *)(void *)tensors[1], input->sizes[0],
                        input->sizes[1], 1};
    for (uint32_t d = 2; d < input->rank; d++) {
        loop.inner *= input->sizes[d];
    }
    return loop;
}

#define EACH(loop, x)                                                                                                  \
    for (size_t o = 0; o < (loop).outer; o++)                                                                          \
        for (size_t i = 0, x = o * (loop).length * (loop).inner; i < (loop).inner; i++, x++)

#define DOWN(loop, x, at) for (size_t at = (x); at < (x) + (loop).length * (loop).inner; at += (loop).inner)

static void softmax_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct loop loop = loop_of(c, tensors);
    EACH(loop, x) {
        float greatest = loop.in[x], sum = 0;
        DOWN(loop, x, at) greatest = loop.in[at] > greatest ? loop.in[at] : greatest;
        DOWN(loop, x, at) sum += loop.out[at] = expf(loop.in[at] - greatest);
        const float scale = 1 / sum;
        DOWN(loop, x, at) loop.out[at] *= scale;
    }
}

static void log_softmax_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct loop loop = loop_of(c, tensors);
    EACH(loop, x) {
        float greatest = loop.in[x], sum = 0;
        DOWN(loop, x, at) greatest = loop.in[at] > greatest ? loop.in[at] : greatest;
        DOWN(loop, x, at) sum += expf(loop.in[at] - greatest);
        const float logarithm = logf(sum);
        DOWN(loop, x, at) loop.out[at] = loop.in[at] - greatest - logarithm;
    }
}

static void hardmax_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct loop loop = loop_of(c, tensors);
    EACH(loop, x) {
        size_t place = x;
        DOWN(loop, x, at) place = loop.in[at] > loop.in[place] ? at : place;
        DOWN(loop, x, at) loop.out[at] = at == place;
    }
}

#define OF_TYPES(label, width, make, loop)                                                                             \
    {label, CASE_TYPE(FLOAT32), width, 0, make, loop}, {                                                               \
        label, CASE_TYPE(FLOAT16), width, 0, make, NULL                                                                \
    }

static const struct case_benchmark softmax_benchmarks[] = {
    OF_TYPES("softmax/rows_128", 128, make_softmax, softmax_loop),
    OF_TYPES("softmax/rows_1000", 1000, make_softmax, softmax_loop),
    OF_TYPES("softmax/rows_1024", 1024, make_softmax, softmax_loop),
    OF_TYPES("softmax/rows_8192", 8192, make_softmax, softmax_loop),
    OF_TYPES("softmax/rows_65536", 65536, make_softmax, softmax_loop),
    OF_TYPES("softmax/rows_1048576", 1048576, make_softmax, softmax_loop),
    OF_TYPES("softmax/channels", 0, make_softmax, softmax_loop),
};

static const struct case_benchmark log_softmax_benchmarks[] = {
    OF_TYPES("log_softmax/rows_128", 128, make_log_softmax, log_softmax_loop),
    OF_TYPES("log_softmax/rows_1024", 1024, make_log_softmax, log_softmax_loop),
    OF_TYPES("log_softmax/rows_8192", 8192, make_log_softmax, log_softmax_loop),
    OF_TYPES("log_softmax/rows_65536", 65536, make_log_softmax, log_softmax_loop),
    OF_TYPES("log_softmax/channels", 0, make_log_softmax, log_softmax_loop),
};

static const struct case_benchmark hardmax_benchmarks[] = {
    OF_TYPES("hardmax/rows_1024", 1024, make_hardmax, hardmax_loop),
    OF_TYPES("hardmax/channels", 0, make_hardmax, hardmax_loop),
};

/* ---- families ---- */

#define LINE(NAME, TYPE, sizes, in, out)                                                                               \
#NAME " InputTensor=" #TYPE sizes " InputTensor.data=" in " OutputTensor=" #TYPE sizes " OutputTensor.data=" out
#define LINE1(NAME, TYPE, sizes, in, out, axes) LINE(NAME, TYPE, sizes, in, out) " " axes
#define ONE_AXIS(n)                             "AxisCount=1 Axes=" #n

static const char *const softmax_fixed[] = {
    LINE(ACTIVATION_SOFTMAX, FLOAT32, "[2,2]", "0,0,1,-inf", "0.5,0.5,1,0"),
    LINE(ACTIVATION_SOFTMAX, FLOAT16, "[1,1,1,4]", "60000,60000,60000,60000", "0.25,0.25,0.25,0.25"),
    /* NaN, and nothing to divide by. */
    LINE(ACTIVATION_SOFTMAX, FLOAT32, "[4,2]", "nan,0,-inf,-inf,inf,3,5,1e30",
         "0x7fc00000,0x7fc00000,0x7fc00000,0x7fc00000,0x7fc00000,0,0,1"),
    LINE(ACTIVATION_SOFTMAX, FLOAT32, "[3,1]", "-7,inf,nan", "1,0x7fc00000,0x7fc00000"),
    "ACTIVATION_SOFTMAX seed=2 InputTensor=FLOAT32[3,70001] InputTensor.fill=SMALL OutputTensor=FLOAT32[3,70001]",
    /* Rows of four items an invocation, by four to all of a workgroup's; of sixteen; and one too many. */
    "ACTIVATION_SOFTMAX seed=5 InputTensor=FLOAT32[37,32] InputTensor.fill=SMALL OutputTensor=FLOAT32[37,32]",
    "ACTIVATION_SOFTMAX seed=6 InputTensor=FLOAT32[9,124] InputTensor.fill=SPECIAL OutputTensor=FLOAT32[9,124]",
    "ACTIVATION_SOFTMAX seed=7 InputTensor=FLOAT16[9,1024] InputTensor.fill=SMALL OutputTensor=FLOAT16[9,1024]",
    "ACTIVATION_SOFTMAX seed=8 InputTensor=FLOAT32[9,4000] InputTensor.fill=UNIT OutputTensor=FLOAT32[9,4000]",
    "ACTIVATION_SOFTMAX seed=9 InputTensor=FLOAT32[3,16384] InputTensor.fill=UNIT OutputTensor=FLOAT32[3,16384]",
    "ACTIVATION_SOFTMAX seed=10 InputTensor=FLOAT32[3,16388] InputTensor.fill=UNIT OutputTensor=FLOAT32[3,16388]",
    "ACTIVATION_SOFTMAX seed=3 InputTensor=FLOAT16[5,1000] InputTensor.fill=SMALL OutputTensor=FLOAT16[5,1000]",
    "ACTIVATION_SOFTMAX seed=4 InputTensor=FLOAT32[300,8] InputTensor.fill=SPECIAL OutputTensor=FLOAT32[300,8]",
};
static const char *const softmax1_fixed[] = {
    LINE1(ACTIVATION_SOFTMAX1, FLOAT32, "[2,2]", "0,3,0,3", "0.5,0.5,0.5,0.5", ONE_AXIS(0)),
    LINE1(ACTIVATION_SOFTMAX1, FLOAT32, "[2,2]", "5,5,5,5", "0.25,0.25,0.25,0.25", "AxisCount=2 Axes=1,0"),
    LINE1(ACTIVATION_SOFTMAX1, FLOAT32, "[2,2]", "5,5,5,5", "0.5,0.5,0.5,0.5", "AxisCount=3 Axes=1,1,1"),
    "ACTIVATION_SOFTMAX1 seed=3 InputTensor=FLOAT32[2,64,33] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT32[2,64,33] " ONE_AXIS(1),
    "ACTIVATION_SOFTMAX1 seed=6 InputTensor=FLOAT32[2,64,36] InputTensor.fill=SPECIAL "
    "OutputTensor=FLOAT32[2,64,36] " ONE_AXIS(1),
    "ACTIVATION_SOFTMAX1 seed=7 InputTensor=FLOAT16[3,256,8] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT16[3,256,8] " ONE_AXIS(1),
    "ACTIVATION_SOFTMAX1 seed=8 InputTensor=FLOAT32[3,257,8] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT32[3,257,8] " ONE_AXIS(1),
    "ACTIVATION_SOFTMAX1 seed=4 InputTensor=FLOAT16[3,5,64] InputTensor.fill=SMALL OutputTensor=FLOAT16[3,5,64] "
    "AxisCount=2 Axes=0,2",
    "ACTIVATION_SOFTMAX1 seed=5 InputTensor=FLOAT32[2,3,2,3,2,3,2,3] InputTensor.owned=1 "
    "OutputTensor=FLOAT32[2,3,2,3,2,3,2,3] AxisCount=4 Axes=6,0,2,4",
    /* Long rows, and many. */
    "ACTIVATION_SOFTMAX1 seed=6 InputTensor=FLOAT16[97,16396] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT16[97,16396] " ONE_AXIS(1),
};
static const char *const log_softmax_fixed[] = {
    LINE(ACTIVATION_LOG_SOFTMAX, FLOAT32, "[3,2]", "7,-inf,-inf,-inf,inf,0",
         "0,-inf,0x7fc00000,0x7fc00000,0x7fc00000,-inf"),
    LINE(ACTIVATION_LOG_SOFTMAX, FLOAT32, "[1,2]", "1000,-1000", "0,-2000"),
    "ACTIVATION_LOG_SOFTMAX seed=2 InputTensor=FLOAT16[3,9001] InputTensor.fill=SMALL OutputTensor=FLOAT16[3,9001]",
};
static const char *const log_softmax1_fixed[] = {
    LINE1(ACTIVATION_LOG_SOFTMAX1, FLOAT32, "[2,2]", "0,1e4,-3000,1e4", "0,0xbf317218,-3000,0xbf317218", ONE_AXIS(0)),
    "ACTIVATION_LOG_SOFTMAX1 seed=3 InputTensor=FLOAT32[60,64] InputTensor.fill=SPECIAL "
    "OutputTensor=FLOAT32[60,64] " ONE_AXIS(1),
    "ACTIVATION_LOG_SOFTMAX1 seed=4 InputTensor=FLOAT16[2,64,32] InputTensor.fill=SPECIAL "
    "OutputTensor=FLOAT16[2,64,32] " ONE_AXIS(1),
    "ACTIVATION_LOG_SOFTMAX1 seed=2 InputTensor=FLOAT32[2,64,33] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT32[2,64,33] " ONE_AXIS(1),
    "ACTIVATION_LOG_SOFTMAX1 seed=6 InputTensor=FLOAT32[97,16400] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT32[97,16400] " ONE_AXIS(1),
};
static const char *const hardmax_fixed[] = {
    LINE(ACTIVATION_HARDMAX, FLOAT32, "[3,3]", "1,2,2,-1,-1,-5,nan,inf,nan", "0,1,0,1,0,0,1,0,0"),
    LINE(ACTIVATION_HARDMAX, FLOAT16, "[1,4]", "0x8000,0,0,-1", "1,0,0,0"),
    "ACTIVATION_HARDMAX seed=2 InputTensor=FLOAT32[3,70001] InputTensor.fill=SMALL OutputTensor=FLOAT32[3,70001]",
};
static const char *const hardmax1_fixed[] = {
    LINE1(ACTIVATION_HARDMAX1, FLOAT32, "[2,3]", "1,2,2,3,0,2", "0,1,1,1,0,0", ONE_AXIS(0)),
    LINE1(ACTIVATION_HARDMAX1, FLOAT32, "[2,3]", "1,2,3,3,0,2", "0,0,1,0,0,0", "AxisCount=2 Axes=1,0"),
    "ACTIVATION_HARDMAX1 seed=2 InputTensor=FLOAT16[2,3,2,3,2] OutputTensor=FLOAT16[2,3,2,3,2] AxisCount=3 Axes=4,0,2",
};

#define WIDE "InputTensor=FLOAT32[2,3,4] OutputTensor=FLOAT32[2,3,4]"
#define REFUSED(NAME, name)                                                                                            \
    static const struct case_refusal name##_refused[] = {                                                              \
        {#NAME " " WIDE,                                                                                               \
         "DML_OPERATOR_" #NAME ": InputTensor has 3 dimensions without leading ones, must have at most 2"},            \
    };                                                                                                                 \
    static const struct case_refusal name##1_refused [] = {                                                            \
        {#NAME "1 " WIDE " AxisCount=2 Axes=3,3",                                                                      \
         "DML_OPERATOR_" #NAME "1: Axes[0] is 3, must be below 3 = InputTensor.DimensionCount\n"                       \
         "DML_OPERATOR_" #NAME "1: Axes[1] is 3, must be below 3 = InputTensor.DimensionCount"},                       \
    }
REFUSED(ACTIVATION_SOFTMAX, softmax);
REFUSED(ACTIVATION_LOG_SOFTMAX, log_softmax);
REFUSED(ACTIVATION_HARDMAX, hardmax);

#define SOFTMAX_FAMILY(NAME, name, SUPPORT, ADJUST, ...)                                                               \
    UNARY_TENSORS(name, SUPPORT, SUPPORT);                                                                             \
    const struct case_family vkdml_cases_activation_##name = {.type = DML_OPERATOR_ACTIVATION_##NAME,                  \
                                                              CASE_SUPPORTED(name##_support),                          \
                                                              CASE_FIXED(name##_fixed),                                \
                                                              CASE_REFUSED(name##_refused),                            \
                                                              .generate = generate_mapping,                            \
                                                              .adjust = (ADJUST),                                      \
                                                              .group = "normalize",                                    \
                                                              __VA_ARGS__}
/* In registers, in shares of long rows, and down columns of any length. */
static const char *const repeated[] = {
    "ACTIVATION_SOFTMAX1 seed=2 InputTensor=FLOAT32[37,1024] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT32[37,1024] " ONE_AXIS(1),
    "ACTIVATION_SOFTMAX1 seed=2 InputTensor=FLOAT32[2,70001] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT32[2,70001] " ONE_AXIS(1),
    "ACTIVATION_SOFTMAX1 seed=2 InputTensor=FLOAT16[3,64,36] InputTensor.fill=SMALL "
    "OutputTensor=FLOAT16[3,64,36] " ONE_AXIS(1),
};
#define REPEATED .repeated = repeated, .repeated_count = CASE_COUNT(repeated)

#define BENCHMARKS(name) .benchmarks = name##_benchmarks, .benchmark_count = CASE_COUNT(name##_benchmarks)

SOFTMAX_FAMILY(SOFTMAX, softmax, activated, make_matrix, .bounds = softmax_bounds);
SOFTMAX_FAMILY(SOFTMAX1, softmax1, floats_from_5_1, choose_axes, .bounds = softmax1_bounds, .exact = softmax1_exact,
               REPEATED, BENCHMARKS(softmax));
SOFTMAX_FAMILY(LOG_SOFTMAX, log_softmax, activated, make_matrix, .bounds = log_softmax_bounds);
SOFTMAX_FAMILY(LOG_SOFTMAX1, log_softmax1, floats_from_5_1, choose_axes, .bounds = log_softmax1_bounds,
               .exact = log_softmax1_exact, BENCHMARKS(log_softmax));
SOFTMAX_FAMILY(HARDMAX, hardmax, activated, make_matrix, .bounds = NULL);
SOFTMAX_FAMILY(HARDMAX1, hardmax1, floats_from_5_1, choose_axes, BENCHMARKS(hardmax));
