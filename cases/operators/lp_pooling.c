/* Cases of LP_POOLING and LP_POOLING1. */
#include "cases/operators/pooling.h"

static double norm_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at,
                      struct pooled *p) {
    const uint32_t power = case_word(c, "P");
    *p = pooling_at(c, tensors, at);
    if (power <= 2 || p->greatest == 0 || !isfinite(p->greatest)) {
        return power == 1 ? p->magnitudes : power == 2 ? sqrt(p->squares) : p->greatest;
    }
    return p->greatest * pow(pooling_beside(c, tensors, at, p->greatest).powers, 1.0 / power);
}

static struct accuracy_bounds norm_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                          const uint32_t *at) {
    struct pooled p;
    const uint32_t power = case_word(c, "P");
    const double norm = norm_at(c, tensors, at, &p);
    if (!isfinite(norm)) {
        return (struct accuracy_bounds){norm, norm, isnan(norm)};
    }
    double distance =
        norm * (accuracy_of_result(c, p.count) + (power > 2 ? 0x1p-20 : 0)) + p.count * neighbours_denormal(c);
    if (power == 2) { /* squares, and their sum, are FLOAT32's */
        distance += norm == 0 ? 0 : p.count * 0x1p-125 / norm;
    }
    struct accuracy_bounds bounds = {fmax(norm - distance, 0), norm + distance, false};
    if ((power == 2 ? p.squares : power == 1 ? p.magnitudes : norm) > NEIGHBOURS_GREATEST) {
        bounds.greatest = INFINITY;
    }
    if (power == 2 && p.squares < p.count * 0x1p-120) {
        bounds = (struct accuracy_bounds){0, norm + sqrt(p.count * 0x1p-120), false};
    }
    return bounds;
}

static struct accuracy_exact norm_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                        const uint32_t *at) {
    struct pooled p;
    const double norm = norm_at(c, tensors, at, &p);
    return p.greatest > 0x1p60 || p.greatest < 0x1p-55 ? accuracy_no_exact : accuracy_beside(norm, norm);
}

#define LP "LP_POOLING "
static const char *const lp_pooling_fixed[] = {
    LP "InputTensor=FLOAT32[1,1,2,3] InputTensor.data=3,-4,12,0,0,5 OutputTensor=FLOAT32[1,1,1,2] "
       "OutputTensor.data=5,13.6014705 DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 P=2",
    LP "InputTensor=FLOAT16[1,1,2,3] InputTensor.data=3,-4,12,0,0,5 OutputTensor=FLOAT16[1,1,1,2] "
       "OutputTensor.data=7,21 DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 P=1",
    /* 3^3 + 4^3 + 5^3 = 6^3, of elements whose cubes are beyond FLOAT32, and below it. */
    LP "InputTensor=FLOAT32[1,1,1,3] InputTensor.data=3e30,-4e30,5e30 OutputTensor=FLOAT32[1,1,1,1] "
       "OutputTensor.data=6e30 DimensionCount=2 Strides=1,1 WindowSize=1,3 StartPadding=0,0 EndPadding=0,0 P=3",
    LP "InputTensor=FLOAT32[1,1,1,3] InputTensor.data=3e-30,-4e-30,5e-30 OutputTensor=FLOAT32[1,1,1,1] "
       "OutputTensor.data=6e-30 DimensionCount=2 Strides=1,1 WindowSize=1,3 StartPadding=0,0 EndPadding=0,0 P=3",
    LP "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=inf,1,nan,-inf OutputTensor=FLOAT32[1,1,1,4] "
       "OutputTensor.data=inf,nan,nan,inf DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,1 "
       "P=5",
    LP "seed=1 InputTensor=FLOAT32[2,3,32,64] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,16,32] "
       "DimensionCount=2 Strides=2,2 WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 P=2",
    LP "seed=2 InputTensor=FLOAT16[2,3,33,60] InputTensor.fill=UNIT OutputTensor=FLOAT16[2,3,31,58] "
       "DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=0,0 EndPadding=0,0 P=3",
    LP "seed=3 InputTensor=FLOAT32[1,1,160,251] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,1,1,2] "
       "DimensionCount=2 Strides=1,1 WindowSize=160,250 StartPadding=0,0 EndPadding=0,0 P=4",
    LP "seed=4 InputTensor=FLOAT16[1,1,160,251] InputTensor.fill=UNIT OutputTensor=FLOAT16[1,1,1,2] "
       "DimensionCount=2 Strides=1,1 WindowSize=160,250 StartPadding=0,0 EndPadding=0,0 P=2",
    LP "seed=6 InputTensor=FLOAT32[1,2,41,61] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,2,41,61] "
       "DimensionCount=2 Strides=1,1 WindowSize=11,21 StartPadding=5,10 EndPadding=5,10 P=2",
    LP "seed=5 InputTensor=FLOAT32[1,2,20,32] InputTensor.fill=SPECIAL OutputTensor=FLOAT32[1,2,1,1] "
       "DimensionCount=2 Strides=1,1 WindowSize=20,32 StartPadding=0,0 EndPadding=0,0 P=2",
};
static const struct case_refusal lp_pooling_refused[] = {
    {LP "InputTensor=FLOAT32[1,1,1,1] OutputTensor=FLOAT32[1,1,1,1] DimensionCount=2 Strides=1,1 WindowSize=1,1 "
        "StartPadding=0,0 EndPadding=0,0 P=0",
     "DML_OPERATOR_LP_POOLING: P is 0, must be at least 1"},
};
POOLING_SUPPORT(lp_pooling, 1_0)

POOLING_BENCHMARK(norm, POOLING_ROOT, LP_POOLING)
static void make_norm_of_two(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_norm(bytes, type, argument, c);
    case_set_uint(c, "P", 2);
}
static const struct case_benchmark lp_pooling_benchmarks[] = {
    {"pool/l2_3x3_by_2", FLOATS, POOLING_SIDE(3, 2), 0, make_norm_of_two, norm_loop},
};
POOLING_FAMILY(lp_pooling, LP_POOLING, CASE_BENCHMARKS(lp_pooling_benchmarks), .bounds = norm_bounds,
               .exact = norm_exact);

static const char *const lp_pooling1_fixed[] = {
    "LP_POOLING1 InputTensor=FLOAT32[1,1,1,6] InputTensor.data=3,6,0,4,8,0 OutputTensor=FLOAT32[1,1,1,3] "
    "OutputTensor.data=5,10,0 DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 "
    "Dilations=1,3 P=2",
    /* Windows beyond the input, of all three kinds of norms; windows at one place. */
    "LP_POOLING1 InputTensor=FLOAT32[1,1,1,3] InputTensor.data=3,-4,12 OutputTensor=FLOAT32[1,1,1,3] "
    "OutputTensor.data=5,12,0 DimensionCount=2 Strides=1,2 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 "
    "Dilations=1,1 P=2",
    "LP_POOLING1 InputTensor=FLOAT32[1,1,1,3] InputTensor.data=3,-4,12 OutputTensor=FLOAT32[1,1,1,3] "
    "OutputTensor.data=7,12,0 DimensionCount=2 Strides=1,2 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 "
    "Dilations=1,1 P=1",
    "LP_POOLING1 InputTensor=FLOAT32[1,1,1,3] InputTensor.data=3,-4,5 OutputTensor=FLOAT32[1,1,1,2] "
    "OutputTensor.data=6,6 DimensionCount=2 Strides=0,0 WindowSize=1,3 StartPadding=0,0 EndPadding=0,0 "
    "Dilations=1,1 P=3",
};
static const struct case_refusal lp_pooling1_refused[] = {
    {"LP_POOLING1 InputTensor=FLOAT32[1,1,1,6] OutputTensor=FLOAT32[1,1,1,3] DimensionCount=2 Strides=1,1 "
     "WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,3 P=0",
     "DML_OPERATOR_LP_POOLING1: P is 0, must be at least 1"},
};
POOLING_SUPPORT(lp_pooling1, 6_2)
POOLING_FAMILY(lp_pooling1, LP_POOLING1, .has_frame = true, .bounds = norm_bounds, .exact = norm_exact);
