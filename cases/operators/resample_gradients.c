/* Cases of RESAMPLE_GRAD and RESAMPLE_GRAD1. */
#include <stdlib.h>

#include "cases/operators/neighbours.h"

#define MAX_RANK 4
#define LINEAR   DML_INTERPOLATION_MODE_LINEAR
#define NEAREST  DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR

/* ---- what is exact ---- */

/* An element of an array of floats. */
static float float_of(const struct operator_case *c, const char *field, uint32_t d) {
    float value;
    memcpy(&value, &case_words(c, field)[d], sizeof(value));
    return value;
}

/* How the nearest is rounded: down, up, or halves up. */
enum rounding { DOWN, UP, HALVES_UP };

static enum rounding rounding_of(const struct operator_case *c) {
    return !case_has(c, "RoundingDirection")                                    ? HALVES_UP
           : case_word(c, "RoundingDirection") == DML_AXIS_DIRECTION_INCREASING ? UP
                                                                                : DOWN;
}

/* Where coordinate `o` of the gradient lies in `size` elements; places are FLOAT32's. */
static double place_of(const struct operator_case *c, uint32_t d, uint32_t o, uint32_t size) {
    const float scale = fminf(float_of(c, "Scales", d), 0x1p64f);
    float place = ((float)o - float_of(c, "InputPixelOffsets", d)) / scale;
    place -= float_of(c, "OutputPixelOffsets", d);
    place = fabsf(place) < 0x1p-32f ? 0 : place;
    double found = (double)place;
    if (case_word(c, "InterpolationMode") == NEAREST) {
        const enum rounding rounding = rounding_of(c);
        found = rounding == DOWN ? floor(found) : rounding == UP ? ceil(found) : floor((double)(place + 0.5f));
    }
    return fmin(fmax(found, 0), (double)size - 1);
}

/* What gives to a coordinate, in a dimension. */
struct givers {
    uint32_t count;
    uint32_t first;
    double *shares; /* of coordinates from the first on */
};

static struct givers find_givers(const struct operator_case *c, uint32_t d, uint32_t i) {
    const uint32_t size = c->tensors[1].sizes[d], all = c->tensors[0].sizes[d];
    struct givers givers = {0, 0, malloc(all * sizeof(double))};
    for (uint32_t o = 0; o < all; o++) {
        const double share = 1 - fabs(place_of(c, d, o, size) - i);
        if (share > 0 && givers.count == 0) {
            givers.first = o;
        }
        if (share > 0) {
            givers.shares[givers.count++] = share;
        }
    }
    return givers;
}

static struct neighbours_collected collected_at(const struct operator_case *c, const unsigned char *const *tensors,
                                                const uint32_t *at) {
    const struct case_tensor *gradient = &c->tensors[0];
    struct case_tensor box = {.rank = gradient->rank};
    struct givers givers[MAX_RANK];
    uint32_t in_box[CASE_MAX_RANK] = {0}, from[CASE_MAX_RANK] = {0}, strides[CASE_MAX_RANK];
    struct neighbours_collected sum = {0, 0, 0, 0};
    bool is_none = false;
    case_strides(gradient, strides);
    for (uint32_t d = 0; d < gradient->rank; d++) {
        givers[d] = find_givers(c, d, at[d]);
        box.sizes[d] = givers[d].count;
        is_none = is_none || givers[d].count == 0;
    }
    if (!is_none) {
        do {
            double share = 1;
            for (uint32_t d = 0; d < gradient->rank; d++) {
                share *= givers[d].shares[in_box[d]];
                from[d] = givers[d].first + in_box[d];
            }
            const double x =
                number_decode(gradient->type,
                              case_read_element(gradient, tensors[0], case_element_position(gradient, strides, from)));
            sum.sum += share * x;
            sum.magnitudes += share * fabs(x);
            sum.finite += isfinite(x) ? fabs(x) : 0;
            sum.count++;
        } while (case_next_coordinates(&box, in_box));
    }
    for (uint32_t d = 0; d < gradient->rank; d++) {
        free(givers[d].shares);
    }
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

struct resampling {
    float scales[MAX_RANK], input_offsets[MAX_RANK], output_offsets[MAX_RANK];
};

static void set_floats(struct operator_case *c, const char *field, uint32_t count, const float *values) {
    uint32_t words[MAX_RANK];
    memcpy(words, values, count * sizeof(values[0]));
    case_set(c, field, count, words);
}

static void set_resampling(struct operator_case *c, uint32_t mode, uint32_t direction, uint32_t rank,
                           const struct resampling *r) {
    case_set_uint(c, "InterpolationMode", mode);
    case_set_uint(c, "DimensionCount", rank);
    set_floats(c, "Scales", rank, r->scales);
    set_floats(c, "InputPixelOffsets", rank, r->input_offsets);
    set_floats(c, "OutputPixelOffsets", rank, r->output_offsets);
    if (case_has(c, "RoundingDirection")) {
        case_set_uint(c, "RoundingDirection", direction);
    }
}

static uint32_t scaled_size(struct random *random, uint32_t size, float scale, uint32_t most) {
    double scaled = floor((double)size * (double)scale + 1e-6);
    if (random_chance(random, 15)) {
        scaled += (double)random_between(random, 0, 6) - 3;
    }
    return scaled < 1 ? 1 : scaled > most ? most : (uint32_t)scaled;
}

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const float scales[] = {1,    1,     2,        2,    2,    0.5f, 0.5f, 3,     4,       5,  0.25f, 1 / 3.0f,
                                   1.5f, 0.75f, 4 / 3.0f, 1.3f, 0.7f, 0.1f, 7,    0.03f, FLT_MAX, 41, 1e-3f};
    static const float offsets[][2] = {{-0.5f, 0.5f}, {-0.5f, 0.5f}, {-0.5f, 0.5f}, {0, 0},         {-0.5f, 0},
                                       {-0.5f, 1},    {0.5f, 0},     {1, -2},       {-1.4f, 0.37f}, {3, 1e9f}};
    case_begin(c, family->type);
    struct case_tensor *gradient = case_tensor(c, "InputGradientTensor"),
                       *output = case_tensor(c, "OutputGradientTensor");
    output->type = generate_type(random, c, "OutputGradientTensor");
    output->rank = random_between(random, 1, MAX_RANK);
    const uint32_t budget = generate_budget(random) / 16 + 1;
    generate_sizes(random, budget, output);
    *gradient = *output;
    struct resampling r;
    uint64_t left = 4 * (uint64_t)budget + 16;
    const bool centres = random_chance(random, 60);
    for (uint32_t d = 0; d < output->rank; d++) {
        const float *pair = offsets[centres ? 0 : random_below(random, CASE_COUNT(offsets))];
        r.scales[d] = d + 2 < output->rank && random_chance(random, 70) ? 1 : RANDOM_OF(random, scales);
        r.input_offsets[d] = pair[0];
        r.output_offsets[d] = pair[1];
        gradient->sizes[d] = scaled_size(random, output->sizes[d], r.scales[d], left > 2000 ? 2000 : (uint32_t)left);
        left = left / gradient->sizes[d] + 1;
        if (random_chance(random, 10) && output->sizes[d] > 1 && gradient->sizes[d] > 1) {
            r.scales[d] = (float)(gradient->sizes[d] - 1) / (float)(output->sizes[d] - 1); /* corners on corners */
            r.input_offsets[d] = r.output_offsets[d] = 0;
        }
    }
    set_resampling(c, random_chance(random, 60) ? LINEAR : NEAREST, random_below(random, 2), output->rank, &r);
    neighbours_lay_out(random, gradient, output);
    generate_call(random, c);
}

/* ---- fixed cases ---- */

static const struct case_tensor_support resample_grad_support[] = {
    {"InputGradientTensor", CASE_SUPPORT(AT_LEVEL(3_0, 4, 4, FLOATS), AT_LEVEL(5_1, 1, 4, FLOATS))},
    {"OutputGradientTensor", CASE_SUPPORT(AT_LEVEL(3_0, 4, 4, FLOATS), AT_LEVEL(5_1, 1, 4, FLOATS))},
};
static const struct case_tensor_support resample_grad1_support[] = {
    {"InputGradientTensor", CASE_SUPPORT(AT_LEVEL(5_1, 1, 4, FLOATS))},
    {"OutputGradientTensor", CASE_SUPPORT(AT_LEVEL(5_1, 1, 4, FLOATS))},
};

#define GRAD "RESAMPLE_GRAD "
#define HALF "InputPixelOffsets=-0.5,-0.5,-0.5,-0.5 OutputPixelOffsets=0.5,0.5,0.5,0.5"
static const char *const resample_grad_fixed[] = {
    /* From centres: 0, 1.5 and 3 of two halves of 2 that go to the greater. */
    GRAD "InputGradientTensor=FLOAT32[3] InputGradientTensor.data=4,5,6 OutputGradientTensor=FLOAT32[2] "
         "OutputGradientTensor.data=4,11 InterpolationMode=NEAREST_NEIGHBOR DimensionCount=1 Scales=1.5 "
         "InputPixelOffsets=-0.5 OutputPixelOffsets=0.5",
    /* Each element is there twice in each dimension. */
    GRAD "InputGradientTensor=FLOAT32[1,1,4,4] InputGradientTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 "
         "OutputGradientTensor=FLOAT32[1,1,2,2] OutputGradientTensor.data=14,22,46,54 "
         "InterpolationMode=NEAREST_NEIGHBOR DimensionCount=4 Scales=1,1,2,2 " HALF,
    /* Between two, three quarters and one; beyond the outermost all. */
    GRAD "InputGradientTensor=FLOAT32[4] InputGradientTensor.data=4,8,16,32 OutputGradientTensor=FLOAT32[2] "
         "OutputGradientTensor.data=14,46 InterpolationMode=LINEAR DimensionCount=1 Scales=2 InputPixelOffsets=-0.5 "
         "OutputPixelOffsets=0.5",
    GRAD "InputGradientTensor=FLOAT16[1,1,1,2] InputGradientTensor.data=4,8 OutputGradientTensor=FLOAT16[1,1,2,4] "
         "OutputGradientTensor.data=1,1,2,2,1,1,2,2 InterpolationMode=LINEAR DimensionCount=4 Scales=1,1,0.5,0.5 " HALF,
    /* Of a picture made much smaller most elements are left out; what has no share does not count. */
    GRAD "InputGradientTensor=FLOAT32[2] InputGradientTensor.data=3,inf OutputGradientTensor=FLOAT32[9] "
         "OutputGradientTensor.data=3,0,0,0,inf,0,0,0,0 InterpolationMode=LINEAR DimensionCount=1 Scales=0.25 "
         "InputPixelOffsets=0 OutputPixelOffsets=0",
    GRAD "InputGradientTensor=FLOAT32[3] InputGradientTensor.data=1,2,4 OutputGradientTensor=FLOAT32[1] "
         "OutputGradientTensor.data=7 InterpolationMode=LINEAR DimensionCount=1 Scales=1 InputPixelOffsets=-0.5 "
         "OutputPixelOffsets=0.5",
    /* Nothing is resampled. */
    GRAD "InputGradientTensor=FLOAT16[2,3] InputGradientTensor.data=1,2,3,4,5,6 OutputGradientTensor=FLOAT16[2,3] "
         "OutputGradientTensor.data=1,2,3,4,5,6 InterpolationMode=LINEAR DimensionCount=2 Scales=1,1 "
         "InputPixelOffsets=-0.5,-0.5 OutputPixelOffsets=0.5,0.5",
    GRAD "seed=1 InputGradientTensor=FLOAT32[2,3,80,128] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT32[2,3,40,64] InterpolationMode=LINEAR DimensionCount=4 Scales=1,1,2,2 " HALF,
    GRAD "seed=2 InputGradientTensor=FLOAT16[2,3,20,32] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT16[2,3,40,64] InterpolationMode=LINEAR DimensionCount=4 Scales=1,1,0.5,0.5 " HALF,
    GRAD "seed=3 InputGradientTensor=FLOAT32[2,3,30,39] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT32[2,3,40,26] InterpolationMode=LINEAR DimensionCount=4 Scales=1,1,0.75,1.5 " HALF,
    GRAD "seed=12 InputGradientTensor=FLOAT16[2,3,26,64] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT16[2,3,13,32] InterpolationMode=LINEAR DimensionCount=4 Scales=1,1,2,2 " HALF,
    GRAD "InputGradientTensor=FLOAT32[1,1,2,8] InputGradientTensor.data=inf,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 "
         "OutputGradientTensor=FLOAT32[1,1,1,4] OutputGradientTensor.data=inf,4,4,4 InterpolationMode=LINEAR "
         "DimensionCount=4 Scales=1,1,2,2 " HALF,
    /* Many terms go dimension by dimension; all four dimensions at once. */
    GRAD "seed=4 InputGradientTensor=FLOAT16[1,2,70,91] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT16[1,2,7,7] InterpolationMode=LINEAR DimensionCount=4 Scales=1,1,10,13 " HALF,
    GRAD "seed=5 InputGradientTensor=FLOAT32[6,10,6,3] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT32[4,5,6,7] InterpolationMode=LINEAR DimensionCount=4 Scales=1.5,2,1.25,0.5 " HALF,
    /* All of a long row goes to one element. */
    GRAD "seed=6 InputGradientTensor=FLOAT16[20000] InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT16[2] "
         "InterpolationMode=LINEAR DimensionCount=1 Scales=10000 InputPixelOffsets=-0.5 OutputPixelOffsets=0.5",
    GRAD "seed=7 InputGradientTensor=FLOAT32[1,9,9,8] InputGradientTensor.strides=648,1,72,9 "
         "InputGradientTensor.fill=UNIT OutputGradientTensor=FLOAT32[1,9,3,4] OutputGradientTensor.strides=108,1,36,9 "
         "InterpolationMode=NEAREST_NEIGHBOR DimensionCount=4 Scales=1,1,3,2 " HALF,
    /* By whole numbers: windows that tile, also short ones, and elements to which one gives, or none. */
    GRAD "seed=8 InputGradientTensor=FLOAT16[2,3,22,64] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT16[2,3,11,32] InterpolationMode=NEAREST_NEIGHBOR DimensionCount=4 "
         "Scales=1,1,2,2 " HALF,
    GRAD "seed=9 InputGradientTensor=FLOAT32[2,3,13,26] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT32[2,3,5,14] InterpolationMode=NEAREST_NEIGHBOR DimensionCount=4 Scales=1,1,3,2 "
         "InputPixelOffsets=-0.5,-0.5,-0.5,0 OutputPixelOffsets=0.5,0.5,0.5,0",
    GRAD "InputGradientTensor=FLOAT32[1,1,1,2] InputGradientTensor.data=-1,nan OutputGradientTensor=FLOAT32[1,1,2,4] "
         "OutputGradientTensor.data=0,0,0,0,0,-1,0,nan InterpolationMode=NEAREST_NEIGHBOR DimensionCount=4 "
         "Scales=1,1,0.5,0.5 " HALF,
    GRAD "seed=10 InputGradientTensor=FLOAT16[2,3,20,32] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT16[2,3,41,64] InterpolationMode=NEAREST_NEIGHBOR DimensionCount=4 "
         "Scales=1,1,0.5,0.5 " HALF,
    GRAD "seed=11 InputGradientTensor=FLOAT32[2,3,10,16] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT32[2,3,40,64] InterpolationMode=LINEAR DimensionCount=4 Scales=1,1,0.25,0.25 " HALF,
};
static const struct case_refusal resample_grad_refused[] = {
    {GRAD "InputGradientTensor=FLOAT32[4] OutputGradientTensor=FLOAT32[2] InterpolationMode=LINEAR DimensionCount=1 "
          "Scales=0 InputPixelOffsets=0 OutputPixelOffsets=inf",
     "DML_OPERATOR_RESAMPLE_GRAD: Scales[0] is 0, must be finite and at least 2^-32\n"
     "DML_OPERATOR_RESAMPLE_GRAD: OutputPixelOffsets[0] is inf, must be from -2^32 to 2^32"},
    {GRAD "InputGradientTensor=FLOAT32[4,4] OutputGradientTensor=FLOAT32[2,2] InterpolationMode=LINEAR "
          "DimensionCount=1 Scales=2 InputPixelOffsets=0 OutputPixelOffsets=0",
     "DML_OPERATOR_RESAMPLE_GRAD: DimensionCount is 1, must be 2 = InputGradientTensor.DimensionCount"},
};

#define GRAD1 "RESAMPLE_GRAD1 "
static const char *const resample_grad1_fixed[] = {
    /* The page's illustration. */
    GRAD1 "InputGradientTensor=FLOAT32[1,3] InputGradientTensor.data=4,5,6 OutputGradientTensor=FLOAT32[2,2] "
          "OutputGradientTensor.data=9,6,0,0 InterpolationMode=NEAREST_NEIGHBOR RoundingDirection=DECREASING "
          "DimensionCount=2 Scales=0.5,1.5 InputPixelOffsets=0,0 OutputPixelOffsets=0,0",
    GRAD1 "InputGradientTensor=FLOAT32[3] InputGradientTensor.data=4,5,6 OutputGradientTensor=FLOAT32[3] "
          "OutputGradientTensor.data=4,5,6 InterpolationMode=NEAREST_NEIGHBOR RoundingDirection=INCREASING "
          "DimensionCount=1 Scales=1.5 InputPixelOffsets=0 OutputPixelOffsets=0",
    GRAD1 "seed=1 InputGradientTensor=FLOAT16[2,3,30,39] InputGradientTensor.fill=UNIT "
          "OutputGradientTensor=FLOAT16[2,3,40,26] InterpolationMode=NEAREST_NEIGHBOR RoundingDirection=INCREASING "
          "DimensionCount=4 Scales=1,1,0.75,1.5 " HALF,
    /* Windows that begin before the first element. */
    GRAD1 "InputGradientTensor=FLOAT32[1,1,4,4] InputGradientTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 "
          "OutputGradientTensor=FLOAT32[1,1,3,3] OutputGradientTensor.data=1,5,4,14,34,20,13,29,16 "
          "InterpolationMode=NEAREST_NEIGHBOR RoundingDirection=INCREASING DimensionCount=4 Scales=1,1,2,2 " HALF,
};
static const struct case_refusal resample_grad1_refused[] = {
    {GRAD1 "InputGradientTensor=FLOAT32[4] OutputGradientTensor=FLOAT32[2] InterpolationMode=LINEAR "
           "RoundingDirection=DECREASING DimensionCount=1 Scales=inf InputPixelOffsets=nan OutputPixelOffsets=0",
     "DML_OPERATOR_RESAMPLE_GRAD1: Scales[0] is inf, must be finite and at least 2^-32\n"
     "DML_OPERATOR_RESAMPLE_GRAD1: InputPixelOffsets[0] is nan, must be from -2^32 to 2^32"},
};

static const char *const resample_grad_repeated[] = {
    GRAD "seed=1 InputGradientTensor=FLOAT32[2,3,80,120] InputGradientTensor.fill=UNIT "
         "OutputGradientTensor=FLOAT32[2,3,32,80] InterpolationMode=LINEAR DimensionCount=4 Scales=1,1,2.5,1.5 " HALF,
};

/* ---- benchmarks ---- */

/* The argument: the mode, and twice twelve times the scale of height and width. */
#define BENCHMARK(mode, twelfths) ((mode) | (twelfths) << 1)

static void make(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const uint32_t twelfths = argument >> 1, picture = 128;
    const uint64_t largest = twelfths > 12 ? bytes * 144 / (twelfths * twelfths) : bytes;
    case_begin(c, DML_OPERATOR_RESAMPLE_GRAD);
    struct case_tensor *gradient = case_tensor(c, "InputGradientTensor"),
                       *output = case_tensor(c, "OutputGradientTensor");
    const uint32_t channels = benchmark_size(largest, type, (uint64_t)picture * picture, 1);
    const uint32_t sizes[] = {channels < 64 ? 1 : channels / 64, channels < 64 ? channels : 64, picture, picture};
    struct resampling r = {{1, 1, 1, 1}, {-0.5f, -0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f, 0.5f}};
    benchmark_tensor(output, type, 4, sizes);
    *gradient = *output;
    gradient->fill = CASE_FILL_UNIT;
    for (uint32_t d = 2; d < 4; d++) {
        r.scales[d] = (float)twelfths / 12;
        gradient->sizes[d] = output->sizes[d] * twelfths / 12;
    }
    set_resampling(c, argument & 1, 0, 4, &r);
}

static const struct case_benchmark resample_grad_benchmarks[] = {
    {"resample_gradient/nearest_x2", FLOATS, BENCHMARK(NEAREST, 24), 0, make, NULL},
    {"resample_gradient/nearest_to_half", FLOATS, BENCHMARK(NEAREST, 6), CASE_BENCHMARK_TYPE_OF_OUTPUT, make, NULL},
    {"resample_gradient/linear_x2", FLOATS, BENCHMARK(LINEAR, 24), 0, make, NULL},
    {"resample_gradient/linear_to_half", FLOATS, BENCHMARK(LINEAR, 6), CASE_BENCHMARK_TYPE_OF_OUTPUT, make, NULL},
    {"resample_gradient/linear_x1.5", FLOATS, BENCHMARK(LINEAR, 18), 0, make, NULL},
};

#define FAMILY(name, NAME, ...)                                                                                        \
    CASE_FAMILY(name, NAME, .binds_whole = true, .generate = generate, .group = "window", .bounds = bounds,            \
                .exact = exact, __VA_ARGS__)

FAMILY(resample_grad, RESAMPLE_GRAD, .has_frame = false, CASE_REPEATED(resample_grad_repeated),
       CASE_BENCHMARKS(resample_grad_benchmarks));
FAMILY(resample_grad1, RESAMPLE_GRAD1, .has_frame = true);
