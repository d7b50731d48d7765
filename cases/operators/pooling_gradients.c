/* Cases of AVERAGE_POOLING_GRAD and MAX_POOLING_GRAD. */
#include "cases/operators/pooling.h"

/* ---- what is exact ---- */

static double number_at(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                        const uint32_t *at) {
    const struct case_tensor *tensor = &c->tensors[slot];
    uint32_t strides[CASE_MAX_RANK];
    case_strides(tensor, strides);
    return number_decode(tensor->type,
                         case_read_element(tensor, tensors[slot], case_element_position(tensor, strides, at)));
}

/* Whether a window's element number `element` is in a tensor, and where. */
static bool place_of(const struct pooling_windows *w, const struct case_tensor *tensor, const uint32_t *window,
                     const uint32_t *element, uint32_t *place) {
    memcpy(place, window, CASE_MAX_RANK * sizeof(place[0]));
    for (uint32_t s = 0; s < w->spatial; s++) {
        const int64_t q = (int64_t)window[2 + s] * w->strides[s] + (int64_t)element[s] * w->dilations[s] - w->start[s];
        if (q < 0 || q >= tensor->sizes[2 + s]) {
            return false;
        }
        place[2 + s] = (uint32_t)q;
    }
    return true;
}

static struct case_tensor box_of(const struct pooling_windows *w) {
    struct case_tensor box = {.rank = w->spatial};
    memcpy(box.sizes, w->window, sizeof(w->window));
    return box;
}

/* As maxima are found: NaN is the greatest, -0 below 0, the first of equal ones wins. */
static bool beats(double x, double best) {
    return isnan(best) ? false : isnan(x) || x > best || (x == 0 && best == 0 && signbit(best) && !signbit(x));
}

static bool wins(const struct operator_case *c, const unsigned char *const *tensors, const struct pooling_windows *w,
                 const uint32_t *window, const uint32_t *at) {
    const struct case_tensor box = box_of(w);
    uint32_t element[CASE_MAX_RANK] = {0}, place[CASE_MAX_RANK], winner[CASE_MAX_RANK] = {0};
    double best = 0;
    bool is_first = true;
    do {
        if (place_of(w, &c->tensors[0], window, element, place)) {
            const double x = number_at(c, tensors, 0, place);
            if (is_first || beats(x, best)) {
                best = x;
                memcpy(winner, place, sizeof(winner));
            }
            is_first = false;
        }
    } while (case_next_coordinates(&box, element));
    return memcmp(winner, at, c->tensors[0].rank * sizeof(at[0])) == 0;
}

/* What is divided by: the elements of a window. */
static double divisor_of(const struct operator_case *c, const struct pooling_windows *w, const uint32_t *window) {
    const struct case_tensor *tensor = &c->tensors[1];
    double divisor = 1;
    for (uint32_t s = 0; s < w->spatial; s++) {
        double count = 0;
        for (uint32_t k = 0; k < w->window[s]; k++) {
            const int64_t q = (int64_t)window[2 + s] * w->strides[s] + k - w->start[s];
            count += case_word(c, "IncludePadding") != 0 || (q >= 0 && q < tensor->sizes[2 + s]);
        }
        divisor *= count;
    }
    return divisor;
}

static struct neighbours_collected collected_at(const struct operator_case *c, const unsigned char *const *tensors,
                                                const uint32_t *at) {
    const bool is_maximum = case_has(c, "InputTensor");
    const uint32_t slot = is_maximum ? 1 : 0;
    const struct case_tensor *gradient = &c->tensors[slot];
    const struct pooling_windows w = pooling_read_windows(c);
    const struct case_tensor box = box_of(&w);
    uint32_t element[CASE_MAX_RANK] = {0}, window[CASE_MAX_RANK];
    struct neighbours_collected sum = {0, 0, 0, 0};
    memcpy(window, at, sizeof(window));
    do {
        bool is_there = true;
        for (uint32_t s = 0; s < w.spatial; s++) {
            const int64_t first = (int64_t)at[2 + s] + w.start[s] - (int64_t)element[s] * w.dilations[s];
            is_there =
                is_there && first >= 0 && first % w.strides[s] == 0 && first / w.strides[s] < gradient->sizes[2 + s];
            window[2 + s] = (uint32_t)(first / w.strides[s]);
        }
        if (is_there && (!is_maximum || wins(c, tensors, &w, window, at))) {
            const double x = number_at(c, tensors, slot, window);
            const double share = is_maximum ? x : x / divisor_of(c, &w, window);
            sum.sum += share;
            sum.magnitudes += fabs(share);
            sum.finite += isfinite(x) ? fabs(x) : 0;
            sum.count++;
        }
    } while (case_next_coordinates(&box, element));
    return sum;
}

static struct accuracy_bounds bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                     const uint32_t *at) {
    const struct neighbours_collected sum = collected_at(c, tensors, at);
    return neighbours_bounds(c, &sum);
}

static struct accuracy_exact exact(const struct operator_case *c, const unsigned char *const *tensors,
                                   const uint32_t *at) {
    const struct neighbours_collected sum = collected_at(c, tensors, at);
    return neighbours_exact(&sum);
}

/* ---- random cases ---- */

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    struct pooling_windows w;
    struct case_tensor input = {.rank = random_chance(random, 60) ? 4 : 5};
    case_begin(c, family->type);
    struct case_tensor *gradient = case_tensor(c, "InputGradientTensor"),
                       *output = case_tensor(c, "OutputGradientTensor");
    const bool is_maximum = case_has(c, "InputTensor");
    input.type = generate_type(random, c, "OutputGradientTensor");
    generate_sizes(random, generate_budget(random) / 8 + 1, &input);
    pooling_generate_windows(random, &input, is_maximum, &w);
    pooling_set_windows(c, &w);
    *output = input;
    gradient->type = input.type;
    pooling_set_sizes(&w, &input, gradient);
    if (is_maximum) {
        struct case_tensor *forward = case_tensor(c, "InputTensor");
        *forward = input;
        forward->fill = neighbours_fill(random);
        generate_input_layout(random, forward);
    } else {
        case_set_uint(c, "IncludePadding", random_below(random, 2));
        pooling_change_count(random, &w, gradient);
    }
    neighbours_lay_out(random, gradient, output);
    generate_call(random, c);
}

/* ---- fixed cases ---- */

#define AVERAGE "AVERAGE_POOLING_GRAD "
#define NO_PAD  "StartPadding=0,0 EndPadding=0,0 "
static const char *const average_pooling_grad_fixed[] = {
    /* The page's illustration. */
    AVERAGE "InputGradientTensor=FLOAT32[1,1,2,2] InputGradientTensor.data=1,2,3,4 "
            "OutputGradientTensor=FLOAT32[1,1,3,3] OutputGradientTensor.data=0.25,0.75,0.5,1,2.5,1.5,0.75,1.75,1 "
            "DimensionCount=2 Strides=1,1 WindowSize=2,2 " NO_PAD "IncludePadding=0",
    /* The corner's window has one element of four; and all count. */
    AVERAGE
    "InputGradientTensor=FLOAT32[1,1,2,2] InputGradientTensor.data=4,8,16,32 "
    "OutputGradientTensor=FLOAT32[1,1,2,3] OutputGradientTensor.data=4,4,4,16,16,16 DimensionCount=2 Strides=2,2 "
    "WindowSize=2,2 StartPadding=1,1 EndPadding=1,0 IncludePadding=0",
    AVERAGE "InputGradientTensor=FLOAT16[1,1,2,2] InputGradientTensor.data=4,8,16,32 "
            "OutputGradientTensor=FLOAT16[1,1,2,3] OutputGradientTensor.data=1,2,2,4,8,8 DimensionCount=2 Strides=2,2 "
            "WindowSize=2,2 StartPadding=1,1 EndPadding=1,0 IncludePadding=1",
    /* Elements between windows get nothing, and a window of padding alone gives nothing. */
    AVERAGE "InputGradientTensor=FLOAT32[1,1,1,3] InputGradientTensor.data=9,4,6 "
            "OutputGradientTensor=FLOAT32[1,1,1,5] OutputGradientTensor.data=0,4,0,0,6 DimensionCount=2 Strides=1,3 "
            "WindowSize=1,1 StartPadding=0,2 EndPadding=0,0 IncludePadding=0",
    AVERAGE "InputGradientTensor=FLOAT32[1,1,1,4] InputGradientTensor.data=nan,3,5,inf "
            "OutputGradientTensor=FLOAT32[1,1,1,2] OutputGradientTensor.data=3,5 DimensionCount=2 Strides=1,1 "
            "WindowSize=1,1 StartPadding=0,1 EndPadding=0,1 IncludePadding=0",
    /* Volumes; FLOAT16 is summed in FLOAT32, which has 8196 and 2049. */
    AVERAGE "InputGradientTensor=FLOAT32[1,1,1,1,1] InputGradientTensor.data=8 "
            "OutputGradientTensor=FLOAT32[1,1,2,2,2] OutputGradientTensor.data=1,1,1,1,1,1,1,1 DimensionCount=3 "
            "Strides=1,1,1 WindowSize=2,2,2 StartPadding=0,0,0 EndPadding=0,0,0 IncludePadding=1",
    AVERAGE "InputGradientTensor=FLOAT16[1,1,1,3] InputGradientTensor.data=8192,4,4 "
            "OutputGradientTensor=FLOAT16[1,1,1,6] OutputGradientTensor.data=2048,2048,2050,2050,2,1 DimensionCount=2 "
            "Strides=1,1 WindowSize=1,4 " NO_PAD "IncludePadding=0",
    AVERAGE "seed=1 InputGradientTensor=FLOAT32[2,3,16,32] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT32[2,3,32,64] DimensionCount=2 Strides=2,2 WindowSize=3,3 StartPadding=1,1 "
            "EndPadding=1,1 IncludePadding=0",
    AVERAGE "seed=2 InputGradientTensor=FLOAT16[2,3,32,64] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT16[2,3,32,64] DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=1,1 "
            "EndPadding=1,1 IncludePadding=1",
    AVERAGE "seed=9 InputGradientTensor=FLOAT16[2,3,10,16] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT16[2,3,19,32] DimensionCount=2 Strides=2,2 WindowSize=3,3 StartPadding=1,1 "
            "EndPadding=1,1 IncludePadding=0",
    AVERAGE "seed=10 InputGradientTensor=FLOAT32[2,3,7,9] InputGradientTensor.fill=SPECIAL "
            "OutputGradientTensor=FLOAT32[2,3,27,36] DimensionCount=2 Strides=4,4 WindowSize=5,5 StartPadding=1,3 "
            "EndPadding=1,1 IncludePadding=0",
    /* Rows that end, or begin, between vectors. */
    AVERAGE "seed=11 InputGradientTensor=FLOAT32[2,3,7,7] InputGradientTensor.strides=168,56,8,1 "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT32[2,3,8,8] DimensionCount=2 Strides=1,1 "
            "WindowSize=2,2 " NO_PAD "IncludePadding=1",
    AVERAGE "seed=12 InputGradientTensor=FLOAT16[2,3,8,8] InputGradientTensor.strides=240,80,9,1 "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT16[2,3,8,8] DimensionCount=2 Strides=1,1 "
            "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 IncludePadding=0",
    /* Large windows go dimension by dimension; the whole picture. */
    AVERAGE "seed=3 InputGradientTensor=FLOAT32[1,2,11,32] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT32[1,2,41,61] DimensionCount=2 Strides=1,1 WindowSize=31,30 " NO_PAD
            "IncludePadding=1",
    AVERAGE "seed=4 InputGradientTensor=FLOAT16[1,2,41,61] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT16[1,2,41,61] DimensionCount=2 Strides=1,1 WindowSize=11,21 StartPadding=5,10 "
            "EndPadding=5,10 IncludePadding=0",
    AVERAGE "seed=5 InputGradientTensor=FLOAT32[3,5,1,1] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT32[3,5,56,56] DimensionCount=2 Strides=1,1 WindowSize=56,56 " NO_PAD
            "IncludePadding=0",
    /* Channels side by side. */
    AVERAGE "seed=6 InputGradientTensor=FLOAT16[1,64,9,10] InputGradientTensor.strides=5760,1,640,64 "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT16[1,64,18,20] "
            "OutputGradientTensor.strides=23040,1,1280,64 DimensionCount=2 Strides=2,2 WindowSize=2,2 " NO_PAD
            "IncludePadding=0",
    /* More windows have an element than an invocation may walk: sums add up. */
    AVERAGE "seed=7 InputGradientTensor=FLOAT16[1,1,1,20001] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT16[1,1,1,24000] DimensionCount=2 Strides=1,1 WindowSize=1,4000 "
            "StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
    AVERAGE "seed=8 InputGradientTensor=FLOAT16[1,1,1,12001] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT16[1,1,1,8] DimensionCount=2 Strides=1,1 WindowSize=1,12000 "
            "StartPadding=0,11996 EndPadding=0,11996 IncludePadding=1",
    /* More windows than fit, fewer, and one that is larger than the tensor. */
    AVERAGE "InputGradientTensor=FLOAT32[1,1,1,4] InputGradientTensor.data=2,4,6,8 "
            "OutputGradientTensor=FLOAT32[1,1,1,5] OutputGradientTensor.data=1,1,2,2,6 DimensionCount=2 Strides=1,2 "
            "WindowSize=1,2 " NO_PAD "IncludePadding=0",
    AVERAGE "InputGradientTensor=FLOAT32[1,1,1,3] InputGradientTensor.data=2,4,6 "
            "OutputGradientTensor=FLOAT32[1,1,1,5] OutputGradientTensor.data=1,1,2,2,3 DimensionCount=2 Strides=1,2 "
            "WindowSize=1,2 " NO_PAD "IncludePadding=1",
    AVERAGE "InputGradientTensor=FLOAT16[1,1,1,1] InputGradientTensor.data=2 OutputGradientTensor=FLOAT16[1,1,1,5] "
            "OutputGradientTensor.data=1,1,0,0,0 DimensionCount=2 Strides=1,2 WindowSize=1,2 " NO_PAD
            "IncludePadding=0",
    AVERAGE "InputGradientTensor=FLOAT32[1,1,1,2] InputGradientTensor.data=4,8 OutputGradientTensor=FLOAT32[1,1,4,2] "
            "OutputGradientTensor.data=1,2,1,2,1,2,1,2 DimensionCount=2 Strides=1,1 WindowSize=7,1 " NO_PAD
            "IncludePadding=0",
    AVERAGE "seed=13 InputGradientTensor=FLOAT32[2,3,18,32] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT32[2,3,32,61] DimensionCount=2 Strides=2,2 WindowSize=3,3 StartPadding=1,1 "
            "EndPadding=0,0 IncludePadding=0",
};

static const struct case_refusal average_pooling_grad_refused[] = {
    {AVERAGE "InputGradientTensor=FLOAT32[2,1,4,4] OutputGradientTensor=FLOAT32[1,1,4,4] DimensionCount=2 Strides=1,1 "
             "WindowSize=1,1 " NO_PAD "IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING_GRAD: InputGradientTensor.Sizes[0] is 2, must be 1 = OutputGradientTensor.Sizes[0]"},
    {AVERAGE "InputGradientTensor=FLOAT32[1,1,4,4] OutputGradientTensor=FLOAT32[1,1,4,4] DimensionCount=2 Strides=0,1 "
             "WindowSize=1,0 " NO_PAD "IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING_GRAD: Strides[0] is 0, must be at least 1\n"
     "DML_OPERATOR_AVERAGE_POOLING_GRAD: WindowSize[1] is 0, must be at least 1"},
};

#define MAXIMUM      "MAX_POOLING_GRAD "
#define NO_DILATIONS "Dilations=1,1"
static const char *const max_pooling_grad_fixed[] = {
    /* The page's illustration. */
    MAXIMUM
    "InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,2,4,2,5,6,7 InputGradientTensor=FLOAT32[1,1,2,2] "
    "InputGradientTensor.data=1,2,4,5 OutputGradientTensor=FLOAT32[1,1,3,3] "
    "OutputGradientTensor.data=0,0,0,0,3,0,0,4,5 DimensionCount=2 Strides=1,1 WindowSize=2,2 " NO_PAD NO_DILATIONS,
    /* The first of equal elements wins, and the first NaN; +0 is above -0; padding never. */
    MAXIMUM "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=5,5,5,5 InputGradientTensor=FLOAT32[1,1,1,3] "
            "InputGradientTensor.data=1,2,4 OutputGradientTensor=FLOAT32[1,1,1,4] OutputGradientTensor.data=1,2,4,0 "
            "DimensionCount=2 Strides=1,1 WindowSize=1,2 " NO_PAD NO_DILATIONS,
    MAXIMUM "InputTensor=FLOAT32[1,1,1,6] InputTensor.data=9,nan,nan,-0,0,-0 InputGradientTensor=FLOAT32[1,1,1,2] "
            "InputGradientTensor.data=1,2 OutputGradientTensor=FLOAT32[1,1,1,6] OutputGradientTensor.data=0,1,0,0,2,0 "
            "DimensionCount=2 Strides=1,3 WindowSize=1,3 " NO_PAD NO_DILATIONS,
    MAXIMUM "InputTensor=FLOAT16[1,1,1,2] InputTensor.data=-inf,-inf InputGradientTensor=FLOAT16[1,1,1,4] "
            "InputGradientTensor.data=1,2,4,8 OutputGradientTensor=FLOAT16[1,1,1,2] OutputGradientTensor.data=3,4 "
            "DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,1 EndPadding=0,2 " NO_DILATIONS,
    /* Every third element. */
    MAXIMUM "InputTensor=FLOAT32[1,1,1,6] InputTensor.data=1,2,9,4,5,6 InputGradientTensor=FLOAT32[1,1,1,3] "
            "InputGradientTensor.data=1,2,4 OutputGradientTensor=FLOAT32[1,1,1,6] "
            "OutputGradientTensor.data=0,0,4,1,2,0 DimensionCount=2 Strides=1,1 WindowSize=1,2 " NO_PAD "Dilations=1,3",
    MAXIMUM "seed=1 InputTensor=FLOAT32[2,3,32,64] InputTensor.fill=SMALL InputGradientTensor=FLOAT32[2,3,16,32] "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT32[2,3,32,64] DimensionCount=2 Strides=2,2 "
            "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 " NO_DILATIONS,
    MAXIMUM "seed=2 InputTensor=FLOAT16[2,3,31,45] InputTensor.fill=UNIT InputGradientTensor=FLOAT16[2,3,31,45] "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT16[2,3,31,45] DimensionCount=2 Strides=1,1 "
            "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 " NO_DILATIONS,
    MAXIMUM "seed=3 InputTensor=FLOAT16[1,2,5,12,14] InputTensor.fill=UNIT InputGradientTensor=FLOAT16[1,2,2,4,5] "
            "InputGradientTensor.fill=SMALL OutputGradientTensor=FLOAT16[1,2,5,12,14] DimensionCount=3 Strides=2,2,2 "
            "WindowSize=2,3,3 StartPadding=0,0,0 EndPadding=0,0,0 Dilations=2,2,2",
    MAXIMUM "seed=4 InputTensor=FLOAT32[1,4,9,10] InputTensor.strides=360,1,40,4 InputTensor.fill=UNIT "
            "InputGradientTensor=FLOAT32[1,4,4,5] InputGradientTensor.strides=80,1,20,4 InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT32[1,4,9,10] OutputGradientTensor.strides=360,1,40,4 DimensionCount=2 "
            "Strides=2,2 WindowSize=2,2 " NO_PAD NO_DILATIONS,
    /* A patch at a time. */
    MAXIMUM "seed=6 InputTensor=FLOAT16[2,3,19,32] InputTensor.fill=SPECIAL InputGradientTensor=FLOAT16[2,3,10,16] "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT16[2,3,19,32] DimensionCount=2 Strides=2,2 "
            "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 " NO_DILATIONS,
    MAXIMUM "seed=7 InputTensor=FLOAT32[2,3,14,20] InputTensor.fill=SMALL InputGradientTensor=FLOAT32[2,3,6,20] "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT32[2,3,14,20] DimensionCount=2 Strides=2,1 "
            "WindowSize=4,3 StartPadding=0,1 EndPadding=0,1 " NO_DILATIONS,
    MAXIMUM "seed=8 InputTensor=FLOAT32[2,3,15,16] InputTensor.fill=SMALL InputGradientTensor=FLOAT32[2,3,5,4] "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT32[2,3,15,16] DimensionCount=2 Strides=3,4 "
            "WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 " NO_DILATIONS,
    /* Strides that have something in common with dilations. */
    MAXIMUM "seed=5 InputTensor=FLOAT32[1,1,40,61] InputTensor.fill=UNIT InputGradientTensor=FLOAT32[1,1,6,10] "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT32[1,1,40,61] DimensionCount=2 Strides=4,6 "
            "WindowSize=4,3 StartPadding=1,2 EndPadding=0,1 Dilations=6,4",
};

static const struct case_refusal max_pooling_grad_refused[] = {
    {MAXIMUM "InputTensor=FLOAT32[1,1,1,6] InputGradientTensor=FLOAT32[1,1,1,5] OutputGradientTensor=FLOAT32[1,1,1,6] "
             "DimensionCount=2 Strides=1,1 WindowSize=1,2 " NO_PAD "Dilations=1,3",
     "DML_OPERATOR_MAX_POOLING_GRAD: InputGradientTensor.Sizes[3] is 5, must be 3, the number of windows"},
    {MAXIMUM "InputTensor=FLOAT32[1,1,1,6] InputGradientTensor=FLOAT32[1,1,1,5] OutputGradientTensor=FLOAT32[1,1,1,6] "
             "DimensionCount=2 Strides=1,1 WindowSize=1,2 " NO_PAD "Dilations=1,0",
     "DML_OPERATOR_MAX_POOLING_GRAD: Dilations[1] is 0, must be at least 1"},
    {MAXIMUM "InputTensor=FLOAT32[1,1,4,4,4] InputGradientTensor=FLOAT32[1,1,4,4,4] "
             "OutputGradientTensor=FLOAT32[1,1,4,4,4] DimensionCount=2 Strides=1,1 WindowSize=1,1 " NO_PAD NO_DILATIONS,
     "DML_OPERATOR_MAX_POOLING_GRAD: DimensionCount is 2, must be 3 = InputTensor.DimensionCount - 2"},
};

static const char *const average_pooling_grad_repeated[] = {
    AVERAGE "seed=1 InputGradientTensor=FLOAT32[2,3,16,32] InputGradientTensor.fill=UNIT "
            "OutputGradientTensor=FLOAT32[2,3,16,32] DimensionCount=2 Strides=1,1 WindowSize=7,9 StartPadding=3,4 "
            "EndPadding=3,4 IncludePadding=0",
};
static const char *const max_pooling_grad_repeated[] = {
    MAXIMUM "seed=1 InputTensor=FLOAT32[2,3,32,64] InputTensor.fill=SMALL InputGradientTensor=FLOAT32[2,3,16,32] "
            "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT32[2,3,32,64] DimensionCount=2 Strides=2,2 "
            "WindowSize=5,5 StartPadding=2,2 EndPadding=1,1 " NO_DILATIONS,
};

/* ---- benchmarks ---- */

static void make(DML_OPERATOR_TYPE operator_type, uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument,
                 struct operator_case *c) {
    const uint32_t side = argument & 15, stride = argument >> 4 & 15, picture = 112, pad = side % 2 != 0 ? side / 2 : 0;
    const struct pooling_windows w = {2, {stride, stride}, {side, side}, {pad, pad}, {pad, pad}, {1, 1}};
    case_begin(c, operator_type);
    struct case_tensor *gradient = case_tensor(c, "InputGradientTensor"),
                       *output = case_tensor(c, "OutputGradientTensor");
    const uint32_t channels = benchmark_size(bytes, type, (uint64_t)picture * picture, 1);
    const uint32_t sizes[] = {channels < 64 ? 1 : channels / 64, channels < 64 ? channels : 64, picture, picture};
    benchmark_tensor(output, type, 4, sizes);
    gradient->type = type;
    gradient->fill = CASE_FILL_UNIT;
    pooling_set_windows(c, &w);
    pooling_set_sizes(&w, output, gradient);
    if (case_has(c, "InputTensor")) {
        struct case_tensor *input = case_tensor(c, "InputTensor");
        *input = *output;
        input->fill = CASE_FILL_UNIT;
    }
}

static void make_average(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make(DML_OPERATOR_AVERAGE_POOLING_GRAD, bytes, type, argument, c);
}

static void make_maximum(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make(DML_OPERATOR_MAX_POOLING_GRAD, bytes, type, argument, c);
}

#define FLAGS CASE_BENCHMARK_TYPE_OF_OUTPUT
static const struct case_benchmark average_pooling_grad_benchmarks[] = {
    {"pool_gradient/average_3x3_by_2", FLOATS, POOLING_SIDE(3, 2), FLAGS, make_average, NULL},
    {"pool_gradient/average_3x3", FLOATS, POOLING_SIDE(3, 1), FLAGS, make_average, NULL},
};
static const struct case_benchmark max_pooling_grad_benchmarks[] = {
    {"pool_gradient/max_3x3_by_2", FLOATS, POOLING_SIDE(3, 2), FLAGS, make_maximum, NULL},
    {"pool_gradient/max_2x2_by_2", FLOATS, POOLING_SIDE(2, 2), FLAGS, make_maximum, NULL},
};

static const struct case_tensor_support average_pooling_grad_support[] = {
    {"InputGradientTensor", CASE_SUPPORT(AT_LEVEL(3_0, 4, 5, FLOATS))},
    {"OutputGradientTensor", CASE_SUPPORT(AT_LEVEL(3_0, 4, 5, FLOATS))},
};
#define MAX_SUPPORT CASE_SUPPORT(AT_LEVEL(3_0, 4, 4, FLOATS), AT_LEVEL(4_0, 4, 5, FLOATS))
static const struct case_tensor_support max_pooling_grad_support[] = {
    {"InputTensor", MAX_SUPPORT}, {"InputGradientTensor", MAX_SUPPORT}, {"OutputGradientTensor", MAX_SUPPORT}};

#define FAMILY(name, NAME, ...)                                                                                        \
    CASE_FAMILY(name, NAME, .binds_whole = true, .generate = generate, .group = "window", .bounds = bounds,            \
                .exact = exact, CASE_BENCHMARKS(name##_benchmarks), CASE_REPEATED(name##_repeated), __VA_ARGS__)

FAMILY(average_pooling_grad, AVERAGE_POOLING_GRAD, .has_frame = true);
FAMILY(max_pooling_grad, MAX_POOLING_GRAD, .has_frame = true);
