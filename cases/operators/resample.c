/* Cases of RESAMPLE and its newer versions. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"
#include "cases/support.h"

#define MAX_RANK 4
#define LINEAR   DML_INTERPOLATION_MODE_LINEAR
#define NEAREST  DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR

/* ---- attributes ---- */

static const uint32_t *words_of(const struct operator_case *c, const char *field) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (strcmp(c->schema->fields[i].name, field) == 0) {
            return c->fields[i].words;
        }
    }
    return NULL;
}

/* An element of an array, or what stands for one where the operator has no such field. */
static float float_of(const struct operator_case *c, const char *field, uint32_t d, float without) {
    const uint32_t *words = words_of(c, field);
    float value = without;
    if (words != NULL) {
        memcpy(&value, &words[d], sizeof(value));
    }
    return value;
}

static bool is_antialiased(const struct operator_case *c) {
    const uint32_t *words = words_of(c, "Antialiased");
    return words != NULL && *words != 0;
}

struct resampling {
    float scales[MAX_RANK], input_offsets[MAX_RANK], output_offsets[MAX_RANK];
};

static void set_floats(struct operator_case *c, const char *field, uint32_t count, const float *values) {
    uint32_t words[MAX_RANK];
    memcpy(words, values, count * sizeof(values[0]));
    case_set(c, field, count, words);
}

static void set_resampling(struct operator_case *c, uint32_t mode, uint32_t direction, bool antialiased, uint32_t rank,
                           const struct resampling *r) {
    case_set_uint(c, "InterpolationMode", mode);
    case_set_uint(c, words_of(c, "ScaleCount") != NULL ? "ScaleCount" : "DimensionCount", rank);
    set_floats(c, "Scales", rank, r->scales);
    if (words_of(c, "ScaleCount") == NULL) {
        set_floats(c, "InputPixelOffsets", rank, r->input_offsets);
        set_floats(c, "OutputPixelOffsets", rank, r->output_offsets);
    }
    if (words_of(c, "RoundingDirection") != NULL) {
        case_set_uint(c, "RoundingDirection", direction);
    }
    if (words_of(c, "Antialiased") != NULL) {
        case_set_uint(c, "Antialiased", antialiased);
    }
}

/* ---- what is exact ---- */

/* The elements [first, last] of a dimension that count, and how much; the outermost for what is beyond them too. */
struct span {
    uint32_t first, last;
    double place, reach, sum, below, above;
};

static double nearness(const struct span *span, double element) {
    return fmax(1 - fabs(element - span->place) / span->reach, 0);
}

static double weight_in(const struct span *span, uint32_t element, uint32_t size) {
    double weight = nearness(span, element);
    weight += element == 0 ? span->below : 0;
    weight += element == size - 1 ? span->above : 0;
    return weight / span->sum;
}

static struct span span_of(const struct operator_case *c, uint32_t d, uint32_t coordinate) {
    const float scale = fminf(float_of(c, "Scales", d, 1), 0x1p64f);
    const double most = c->tensors[0].sizes[d] - 1;
    float place = ((float)coordinate - float_of(c, "OutputPixelOffsets", d, -0.5f)) / scale;
    place -= float_of(c, "InputPixelOffsets", d, 0.5f);
    place = fabsf(place) < 0x1p-32f ? 0 : place;
    struct span span = {.place = (double)place, .reach = 1};
    if (is_antialiased(c) && scale < 1) {
        span.reach = 1 / (double)scale;
    } else {
        span.place = fmin(fmax(span.place, 0), most);
    }
    const double first = floor(span.place - span.reach), last = ceil(span.place + span.reach);
    span.first = (uint32_t)fmin(fmax(first, 0), most);
    span.last = (uint32_t)fmin(fmax(last, 0), most);
    for (double element = first; element <= last; element++) {
        const double weight = nearness(&span, element);
        span.sum += weight;
        span.below += element < 0 ? weight : 0;
        span.above += element > most ? weight : 0;
    }
    return span;
}

struct blend {
    double sum, magnitudes, greatest; /* of the elements that have a weight */
    double error;                     /* relative to magnitudes */
    double averaged;                  /* dimensions */
    bool is_uncertain;                /* elements that are no numbers may have a weight, or none */
};

static double number_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const struct case_tensor *input = &c->tensors[0];
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1];
    case_strides(input, strides);
    return number_decode(input->type, case_read_element(input, tensors[0], case_element_position(input, strides, at)));
}

static struct blend blend_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const struct case_tensor *input = &c->tensors[0];
    struct blend blend = {.error = accuracy_of_terms(c, 1)};
    struct span spans[MAX_RANK];
    struct case_tensor box = {.rank = input->rank};
    uint32_t in_box[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0}, from[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0};
    for (uint32_t d = 0; d < input->rank; d++) {
        spans[d] = span_of(c, d, at[d]);
        box.sizes[d] = spans[d].last - spans[d].first + 1;
        if (spans[d].reach > 1) {
            blend.error += (2 * spans[d].reach + 18) * 0x1p-24;
            blend.averaged++;
        }
    }
    do {
        double weight = 1;
        for (uint32_t d = 0; d < input->rank; d++) {
            from[d] = spans[d].first + in_box[d];
            weight *= weight_in(&spans[d], from[d], input->sizes[d]);
        }
        const double x = number_at(c, tensors, from);
        blend.is_uncertain = blend.is_uncertain || (blend.averaged != 0 && weight < 0x1p-20 && !isfinite(x));
        blend.sum += weight == 0 ? 0 : weight * x;
        blend.magnitudes += weight == 0 ? 0 : weight * fabs(x);
        blend.greatest = weight != 0 && fabs(x) > blend.greatest ? fabs(x) : blend.greatest;
    } while (case_next_coordinates(&box, in_box));
    return blend;
}

static struct accuracy_bounds bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                     const uint32_t *at) {
    if (*words_of(c, "InterpolationMode") != LINEAR) {
        return accuracy_is_exact; /* exact */
    }
    const struct blend b = blend_at(c, tensors, at);
    if (b.is_uncertain) {
        return accuracy_anything;
    }
    /* FLOAT32 denormals may be taken for 0. */
    const double denormal = c->tensors[0].type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 0x1p-120 : 0;
    const double error =
        isfinite(b.magnitudes) ? b.magnitudes * b.error + b.averaged * b.greatest * 0x1p-21 + denormal : 0;
    return (struct accuracy_bounds){b.sum - error, b.sum + error, isnan(b.sum)};
}

static struct accuracy_exact exact(const struct operator_case *c, const unsigned char *const *tensors,
                                   const uint32_t *at) {
    if (*words_of(c, "InterpolationMode") != LINEAR) {
        return accuracy_no_exact;
    }
    const struct blend b = blend_at(c, tensors, at);
    return (struct accuracy_exact){b.sum, 0x1p-24 * b.magnitudes + 0x1p-126};
}

/* ---- random cases ---- */

static uint32_t scaled_size(struct random *random, uint32_t size, float scale, uint32_t most) {
    const double exact = floor((double)size * (double)scale + 1e-6);
    double scaled = exact;
    if (random_chance(random, 15)) {
        scaled = exact + (double)random_between(random, 0, 6) - 3;
    }
    return scaled < 1 ? 1 : scaled > most ? most : (uint32_t)scaled;
}

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_SPECIAL, CASE_FILL_UNIT,
                                           CASE_FILL_INDEX};
    static const float scales[] = {1,    1,     2,        2,    2,    0.5f, 0.5f, 3,     4,       5,  0.25f, 1 / 3.0f,
                                   1.5f, 0.75f, 4 / 3.0f, 1.3f, 0.7f, 0.1f, 7,    0.03f, FLT_MAX, 41, 1e-3f};
    static const float offsets[][2] = {{0.5f, -0.5f}, {0.5f, -0.5f}, {0.5f, -0.5f}, {0, 0},         {0, -0.5f},
                                       {1, -0.5f},    {0, 0.5f},     {-2, 1},       {0.37f, -1.4f}, {1e9f, 3}};
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_between(random, 1, MAX_RANK);
    const uint32_t budget = generate_budget(random) / 8 + 1;
    generate_sizes(random, budget, input);
    *output = *input;
    struct resampling r;
    uint64_t left = 4 * (uint64_t)budget + 16;
    const bool centres = random_chance(random, 60);
    for (uint32_t d = 0; d < input->rank; d++) {
        r.scales[d] = d + 2 < input->rank && random_chance(random, 70) ? 1 : RANDOM_OF(random, scales);
        const float *pair = offsets[centres ? 0 : random_below(random, CASE_COUNT(offsets))];
        r.input_offsets[d] = pair[0];
        r.output_offsets[d] = pair[1];
        output->sizes[d] = scaled_size(random, input->sizes[d], r.scales[d], left > 3000 ? 3000 : (uint32_t)left);
        if (r.scales[d] == FLT_MAX) {
            output->sizes[d] = random_between(random, 1, left < 4 ? (uint32_t)left : 4);
        }
        left = left / output->sizes[d] + 1;
        if (random_chance(random, 10) && input->sizes[d] > 1 && output->sizes[d] > 1) {
            r.scales[d] = (float)(output->sizes[d] - 1) / (float)(input->sizes[d] - 1); /* corners on corners */
            r.input_offsets[d] = r.output_offsets[d] = 0;
        }
    }
    set_resampling(c, random_chance(random, 60) ? LINEAR : NEAREST, random_below(random, 2), random_chance(random, 70),
                   input->rank, &r);
    input->fill = RANDOM_OF(random, fills);
    generate_input_layout(random, input);
    generate_output_layout(random, output);
    generate_call(random, c);
}

/* ---- fixed cases ---- */

#define BYTES (CASE_TYPE(UINT8) | CASE_TYPE(INT8))
#define RESAMPLED(level)                                                                                               \
    CASE_SUPPORT(AT_LEVEL(level, 4, 4, FLOATS), AT_LEVEL(5_1, 1, 4, FLOATS), AT_LEVEL(6_2, 1, 4, FLOATS | BYTES))
static const struct case_tensor_support resample_support[] = {{"InputTensor", RESAMPLED(2_0)},
                                                              {"OutputTensor", RESAMPLED(2_0)}};
static const struct case_tensor_support resample1_support[] = {{"InputTensor", RESAMPLED(2_1)},
                                                               {"OutputTensor", RESAMPLED(2_1)}};
#define RESAMPLED2 CASE_SUPPORT(AT_LEVEL(5_1, 1, 4, FLOATS), AT_LEVEL(6_2, 1, 4, FLOATS | BYTES))
static const struct case_tensor_support resample2_support[] = {{"InputTensor", RESAMPLED2},
                                                               {"OutputTensor", RESAMPLED2}};
#define RESAMPLED3 CASE_SUPPORT(AT_LEVEL(6_4, 1, 4, FLOATS | BYTES))
static const struct case_tensor_support resample3_support[] = {{"InputTensor", RESAMPLED3},
                                                               {"OutputTensor", RESAMPLED3}};

static const char *const resample_fixed[] = {
    /* Centres on centres: between 1 and 2 halves go to the greater. */
    "RESAMPLE InputTensor=FLOAT32[1,1,2,2] InputTensor.data=1,2,3,4 OutputTensor=FLOAT32[1,1,1,3] "
    "OutputTensor.data=3,4,4 InterpolationMode=NEAREST_NEIGHBOR ScaleCount=4 Scales=1,1,0.5,1.5",
    "RESAMPLE InputTensor=FLOAT32[1,1,2,2] InputTensor.data=1,2,3,4 OutputTensor=FLOAT32[1,1,4,4] "
    "OutputTensor.data=1,1.25,1.75,2,1.5,1.75,2.25,2.5,2.5,2.75,3.25,3.5,3,3.25,3.75,4 InterpolationMode=LINEAR "
    "ScaleCount=4 Scales=1,1,2,2",
    "RESAMPLE InputTensor=FLOAT32[1,1,2,4] InputTensor.data=1,2,3,4,5,6,7,8 OutputTensor=FLOAT32[1,1,1,2] "
    "OutputTensor.data=3.5,5.5 InterpolationMode=LINEAR ScaleCount=4 Scales=1,1,0.5,0.5",
    /* Fewer and more elements than the scale says: cropped, and the edge goes on. */
    "RESAMPLE InputTensor=FLOAT32[1,1,1,3] InputTensor.data=0,2,4 OutputTensor=FLOAT32[1,1,1,4] "
    "OutputTensor.data=0,0.5,1.5,2.5 InterpolationMode=LINEAR ScaleCount=4 Scales=1,1,1,2",
    "RESAMPLE InputTensor=FLOAT32[1,1,1,3] InputTensor.data=0,2,4 OutputTensor=FLOAT32[1,1,1,8] "
    "OutputTensor.data=0,0.5,1.5,2.5,3.5,4,4,4 InterpolationMode=LINEAR ScaleCount=4 Scales=1,1,1,2",
    /* All dimensions at once. */
    "RESAMPLE InputTensor=FLOAT16[2,2,2,2] InputTensor.data=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 "
    "OutputTensor=FLOAT16[1,1,1,1] OutputTensor.data=7.5 InterpolationMode=LINEAR ScaleCount=4 "
    "Scales=0.5,0.5,0.5,0.5",
    "RESAMPLE seed=1 InputTensor=FLOAT32[2,3,40,64] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,80,128] "
    "InterpolationMode=LINEAR ScaleCount=4 Scales=1,1,2,2",
    "RESAMPLE seed=2 InputTensor=FLOAT16[2,3,40,64] InputTensor.fill=UNIT OutputTensor=FLOAT16[2,3,20,32] "
    "InterpolationMode=LINEAR ScaleCount=4 Scales=1,1,0.5,0.5",
    "RESAMPLE seed=3 InputTensor=FLOAT32[2,3,40,64] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,30,32] "
    "InterpolationMode=LINEAR ScaleCount=4 Scales=1,1,0.75,0.5",
    "RESAMPLE seed=4 InputTensor=FLOAT16[1,3,33,65] InputTensor.fill=BITS OutputTensor=FLOAT16[1,3,66,130] "
    "InterpolationMode=NEAREST_NEIGHBOR ScaleCount=4 Scales=1,1,2,2",
    "RESAMPLE seed=5 InputTensor=UINT8[4,5,6,7] InputTensor.fill=BITS OutputTensor=UINT8[6,10,6,3] "
    "InterpolationMode=LINEAR ScaleCount=4 Scales=1.5,2,1,0.5",
};

static const char *const resample1_fixed[] = {
    /* Corners on corners; the first element's neighbour has no weight and does not count. */
    "RESAMPLE1 InputTensor=FLOAT32[3] InputTensor.data=1,inf,3 OutputTensor=FLOAT32[5] "
    "OutputTensor.data=1,inf,inf,inf,3 InterpolationMode=LINEAR DimensionCount=1 Scales=2 InputPixelOffsets=0 "
    "OutputPixelOffsets=0",
    "RESAMPLE1 InputTensor=INT8[2] InputTensor.data=-3,0 OutputTensor=INT8[3] OutputTensor.data=-3,-2,0 "
    "InterpolationMode=LINEAR DimensionCount=1 Scales=2 InputPixelOffsets=0 OutputPixelOffsets=0",
    "RESAMPLE1 InputTensor=UINT8[2] InputTensor.data=254,255 OutputTensor=UINT8[5] "
    "OutputTensor.data=254,254,254,255,255 InterpolationMode=LINEAR DimensionCount=1 Scales=4 InputPixelOffsets=0 "
    "OutputPixelOffsets=0",
    /* floor(place + 0.5) */
    "RESAMPLE1 InputTensor=FLOAT32[4] InputTensor.data=0,1,2,3 OutputTensor=FLOAT32[7] "
    "OutputTensor.data=0,1,1,2,2,3,3 InterpolationMode=NEAREST_NEIGHBOR DimensionCount=1 Scales=2 "
    "InputPixelOffsets=0 OutputPixelOffsets=0",
    /* As networks ask for element 0 alone. */
    "RESAMPLE1 InputTensor=FLOAT32[2] InputTensor.data=5,6 OutputTensor=FLOAT32[3] OutputTensor.data=5,5,5 "
    "InterpolationMode=LINEAR DimensionCount=1 Scales=3.40282347e+38 InputPixelOffsets=0 OutputPixelOffsets=0",
    "RESAMPLE1 seed=1 InputTensor=FLOAT32[2,3,20,30] InputTensor.strides=1800,1,90,3 InputTensor.fill=UNIT "
    "OutputTensor=FLOAT32[2,3,31,47] OutputTensor.strides=4371,1,141,3 InterpolationMode=LINEAR DimensionCount=4 "
    "Scales=1,1,1.55,1.5666667 InputPixelOffsets=0.5,0.5,0.5,0.5 OutputPixelOffsets=-0.5,-0.5,-0.5,-0.5",
    "RESAMPLE1 seed=2 InputTensor=FLOAT16[2,16,20,30] InputTensor.strides=9600,1,480,16 InputTensor.fill=UNIT "
    "OutputTensor=FLOAT16[2,16,31,47] OutputTensor.strides=23312,1,752,16 InterpolationMode=LINEAR DimensionCount=4 "
    "Scales=1,1,1.55,1.5666667 InputPixelOffsets=0.5,0.5,0.5,0.5 OutputPixelOffsets=-0.5,-0.5,-0.5,-0.5",
};

static const char *const resample2_fixed[] = {
    "RESAMPLE2 InputTensor=FLOAT32[2,2] InputTensor.data=1,2,3,4 OutputTensor=FLOAT32[1,3] OutputTensor.data=1,1,2 "
    "InterpolationMode=NEAREST_NEIGHBOR RoundingDirection=DECREASING DimensionCount=2 Scales=0.5,1.5 "
    "InputPixelOffsets=0,0 OutputPixelOffsets=0,0",
    "RESAMPLE2 InputTensor=FLOAT32[2,2] InputTensor.data=1,2,3,4 OutputTensor=FLOAT32[1,3] OutputTensor.data=1,2,2 "
    "InterpolationMode=NEAREST_NEIGHBOR RoundingDirection=INCREASING DimensionCount=2 Scales=0.5,1.5 "
    "InputPixelOffsets=0,0 OutputPixelOffsets=0,0",
    /* 1 / 3 in FLOAT32: element 3 o, though the scale is a little more. */
    "RESAMPLE2 InputTensor=INT8[9] InputTensor.data=0,1,2,3,4,5,6,7,8 OutputTensor=INT8[3] OutputTensor.data=0,3,6 "
    "InterpolationMode=NEAREST_NEIGHBOR RoundingDirection=DECREASING DimensionCount=1 Scales=0.333333343 "
    "InputPixelOffsets=0 OutputPixelOffsets=0",
    /* 18 times the rounded reciprocal is 15, the rounded quotient less. */
    "RESAMPLE2 InputTensor=INT8[16] InputTensor.data=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 OutputTensor=INT8[19] "
    "OutputTensor.data=0,0,1,2,3,4,5,5,6,7,8,9,10,10,11,12,13,14,14 InterpolationMode=NEAREST_NEIGHBOR "
    "RoundingDirection=DECREASING DimensionCount=1 Scales=1.2 InputPixelOffsets=0 OutputPixelOffsets=0",
    "RESAMPLE2 InputTensor=UINT8[2,2] InputTensor.data=1,2,3,4 OutputTensor=UINT8[4,6] "
    "OutputTensor.data=1,1,1,2,2,2,1,1,1,2,2,2,3,3,3,4,4,4,3,3,3,4,4,4 InterpolationMode=NEAREST_NEIGHBOR "
    "RoundingDirection=INCREASING DimensionCount=2 Scales=2,3 InputPixelOffsets=1,1 OutputPixelOffsets=-0.5,-0.5",
    /* Every quotient by a scale whose reciprocal is not exact. */
    "RESAMPLE2 seed=1 InputTensor=FLOAT32[70000] InputTensor.fill=INDEX OutputTensor=FLOAT32[98000] "
    "InterpolationMode=NEAREST_NEIGHBOR RoundingDirection=DECREASING DimensionCount=1 Scales=1.4 "
    "InputPixelOffsets=0 OutputPixelOffsets=0",
    "RESAMPLE2 seed=2 InputTensor=FLOAT16[2,70000] InputTensor.fill=BITS OutputTensor=FLOAT16[2,23333] "
    "InterpolationMode=NEAREST_NEIGHBOR RoundingDirection=INCREASING DimensionCount=2 Scales=1,0.3333333 "
    "InputPixelOffsets=0,0 OutputPixelOffsets=0,-0.5",
    "RESAMPLE2 seed=3 InputTensor=FLOAT32[3,5,7,9] InputTensor.fill=UNIT OutputTensor=FLOAT32[6,4,14,13] "
    "InterpolationMode=LINEAR RoundingDirection=INCREASING DimensionCount=4 Scales=2,0.8,2,1.5 "
    "InputPixelOffsets=0.5,0,0.5,0.1 OutputPixelOffsets=-0.5,0,-0.5,-0.3",
};

static const char *const resample3_fixed[] = {
    /* Places 0.5 and 2.5; weights 0.25 + 0.75, 0.75, 0.25 of 2, and the same backward. */
    "RESAMPLE3 InputTensor=FLOAT32[4] InputTensor.data=0,7,14,21 OutputTensor=FLOAT32[2] "
    "OutputTensor.data=4.375,16.625 "
    "InterpolationMode=LINEAR RoundingDirection=INCREASING DimensionCount=1 Scales=0.5 InputPixelOffsets=0.5 "
    "OutputPixelOffsets=-0.5 Antialiased=1",
    "RESAMPLE3 InputTensor=FLOAT32[4] InputTensor.data=0,7,14,21 OutputTensor=FLOAT32[2] OutputTensor.data=3.5,17.5 "
    "InterpolationMode=LINEAR RoundingDirection=INCREASING DimensionCount=1 Scales=0.5 InputPixelOffsets=0.5 "
    "OutputPixelOffsets=-0.5 Antialiased=0",
    "RESAMPLE3 InputTensor=UINT8[4] InputTensor.data=0,7,14,21 OutputTensor=UINT8[2] OutputTensor.data=4,17 "
    "InterpolationMode=LINEAR RoundingDirection=DECREASING DimensionCount=1 Scales=0.5 InputPixelOffsets=0.5 "
    "OutputPixelOffsets=-0.5 Antialiased=1",
    "RESAMPLE3 seed=1 InputTensor=FLOAT32[2,3,64,96] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,16,144] "
    "InterpolationMode=LINEAR RoundingDirection=DECREASING DimensionCount=4 Scales=1,1,0.25,1.5 "
    "InputPixelOffsets=0.5,0.5,0.5,0.5 OutputPixelOffsets=-0.5,-0.5,-0.5,-0.5 Antialiased=1",
    "RESAMPLE3 seed=2 InputTensor=FLOAT16[3,50,60,16] InputTensor.fill=UNIT OutputTensor=FLOAT16[3,13,17,16] "
    "InterpolationMode=LINEAR RoundingDirection=DECREASING DimensionCount=4 Scales=1,0.26,0.2833333,1 "
    "InputPixelOffsets=0.5,0.5,0.5,0.5 OutputPixelOffsets=-0.5,-0.5,-0.5,-0.5 Antialiased=1",
    "RESAMPLE3 seed=3 InputTensor=FLOAT32[3000] InputTensor.fill=UNIT OutputTensor=FLOAT32[2] "
    "InterpolationMode=LINEAR RoundingDirection=DECREASING DimensionCount=1 Scales=0.001 InputPixelOffsets=0.5 "
    "OutputPixelOffsets=-0.5 Antialiased=1",
};

#define ONE_TO_TWO "InputTensor=FLOAT32[1] OutputTensor=FLOAT32[2] InterpolationMode=LINEAR "
static const struct case_refusal resample_refused[] = {
    {"RESAMPLE InputTensor=FLOAT32[1,2] OutputTensor=FLOAT32[1,2] InterpolationMode=LINEAR ScaleCount=1 Scales=1",
     "DML_OPERATOR_RESAMPLE: ScaleCount is 1, must be 2 = InputTensor.DimensionCount"},
    {"RESAMPLE " ONE_TO_TWO "ScaleCount=1 Scales=0",
     "DML_OPERATOR_RESAMPLE: Scales[0] is 0, must be finite and at least 2^-32"},
    {"RESAMPLE " ONE_TO_TWO "ScaleCount=1 Scales=nan",
     "DML_OPERATOR_RESAMPLE: Scales[0] is nan, must be finite and at least 2^-32"},
};
static const struct case_refusal resample1_refused[] = {
    {"RESAMPLE1 " ONE_TO_TWO "DimensionCount=1 Scales=inf InputPixelOffsets=inf OutputPixelOffsets=-5e9",
     "DML_OPERATOR_RESAMPLE1: Scales[0] is inf, must be finite and at least 2^-32\n"
     "DML_OPERATOR_RESAMPLE1: InputPixelOffsets[0] is inf, must be from -2^32 to 2^32\n"
     "DML_OPERATOR_RESAMPLE1: OutputPixelOffsets[0] is -5e+09, must be from -2^32 to 2^32"},
};
static const struct case_refusal resample2_refused[] = {
    {"RESAMPLE2 " ONE_TO_TWO "RoundingDirection=INCREASING DimensionCount=2 Scales=1,1 InputPixelOffsets=0,0 "
     "OutputPixelOffsets=0,0",
     "DML_OPERATOR_RESAMPLE2: DimensionCount is 2, must be 1 = InputTensor.DimensionCount"},
};
static const struct case_refusal resample3_refused[] = {
    {"RESAMPLE3 " ONE_TO_TWO "RoundingDirection=INCREASING DimensionCount=1 Scales=-1 InputPixelOffsets=0 "
     "OutputPixelOffsets=0 Antialiased=0",
     "DML_OPERATOR_RESAMPLE3: Scales[0] is -1, must be finite and at least 2^-32"},
};

/* ---- benchmarks ---- */

/* The argument: the mode, twice whether antialiased, four times twelve times the scale of height and width, and 2^12
 * times whether channels are innermost. */
#define BENCHMARK(mode, antialiased, twelfths, nhwc) ((mode) | (antialiased) << 1 | (twelfths) << 2 | (nhwc) << 12)

static void make(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, DML_OPERATOR_TYPE operator_type,
                 struct operator_case *c) {
    case_begin(c, operator_type);
    const uint32_t twelfths = argument >> 2 & 0x3FF, first = (argument >> 12) != 0 ? 1 : 2;
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    benchmark_images(input, twelfths > 12 ? bytes * 144 / (twelfths * twelfths) : bytes, type);
    if (first == 1) {
        const uint32_t side = input->sizes[3];
        input->sizes[3] = input->sizes[1];
        input->sizes[1] = side;
    }
    input->fill = CASE_FILL_UNIT;
    *output = *input;
    struct resampling r = {{1, 1, 1, 1}, {0.5f, 0.5f, 0.5f, 0.5f}, {-0.5f, -0.5f, -0.5f, -0.5f}};
    for (uint32_t d = first; d < first + 2; d++) {
        r.scales[d] = (float)twelfths / 12;
        output->sizes[d] = input->sizes[d] * twelfths / 12;
    }
    set_resampling(c, argument & 1, DML_AXIS_DIRECTION_DECREASING, (argument & 2) != 0, 4, &r);
}

static void make_resample1(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make(bytes, type, argument, DML_OPERATOR_RESAMPLE1, c);
}

static void make_resample3(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make(bytes, type, argument, DML_OPERATOR_RESAMPLE3, c);
}

#define LONGEST_ROW 65536

/* Of each output coordinate the first of two neighbours, the second, and its share. */
struct places {
    uint32_t first[LONGEST_ROW], second[LONGEST_ROW];
    float far[LONGEST_ROW];
};

static void find_places(const struct operator_case *c, uint32_t d, struct places *places) {
    const uint32_t last = c->tensors[0].sizes[d] - 1;
    const bool is_nearest = *words_of(c, "InterpolationMode") == NEAREST;
    for (uint32_t i = 0; i < c->tensors[1].sizes[d]; i++) {
        const float place = fminf(fmaxf(((float)i + 0.5f) / float_of(c, "Scales", d, 1) - 0.5f, 0), (float)last);
        const uint32_t first = (uint32_t)(is_nearest ? place + 0.5f : place);
        places->first[i] = first;
        places->second[i] = first < last ? first + 1 : last;
        places->far[i] = place - (float)first;
    }
}

/* Images of whole planes: two rows to one, and from that the elements. */
static void resample_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *input = &c->tensors[0], *output = &c->tensors[1];
    const DML_TENSOR_DATA_TYPE type = input->type;
    const bool is_nearest = *words_of(c, "InterpolationMode") == NEAREST;
    const size_t planes = (size_t)input->sizes[0] * input->sizes[1], height = input->sizes[2], width = input->sizes[3];
    const size_t rows = output->sizes[2], columns = output->sizes[3];
    static struct places down, along;
    static float row[LONGEST_ROW];
    find_places(c, 2, &down);
    find_places(c, 3, &along);
    for (size_t i = 0; i < planes * rows; i++) {
        const size_t plane = i / rows, y = i % rows;
        const size_t near = (plane * height + down.first[y]) * width, far = (plane * height + down.second[y]) * width;
        if (is_nearest) {
            for (size_t x = 0; x < columns; x++) {
                loop_store(tensors[1], type, i * columns + x, loop_load(tensors[0], type, near + along.first[x]));
            }
            continue;
        }
        for (size_t x = 0; x < width; x++) {
            const float a = loop_load(tensors[0], type, near + x), b = loop_load(tensors[0], type, far + x);
            row[x] = a * (1 - down.far[y]) + b * down.far[y];
        }
        for (size_t x = 0; x < columns; x++) {
            const float a = row[along.first[x]], b = row[along.second[x]];
            loop_store(tensors[1], type, i * columns + x, a * (1 - along.far[x]) + b * along.far[x]);
        }
    }
}

static const struct case_benchmark resample1_benchmarks[] = {
    {"resample/nearest_x2", FLOATS, BENCHMARK(NEAREST, 0, 24, 0), 0, make_resample1, resample_loop},
    {"resample/nearest_x1.5", FLOATS, BENCHMARK(NEAREST, 0, 18, 0), 0, make_resample1, resample_loop},
    {"resample/linear_x2", FLOATS, BENCHMARK(LINEAR, 0, 24, 0), 0, make_resample1, resample_loop},
    {"resample/linear_x1.5", FLOATS, BENCHMARK(LINEAR, 0, 18, 0), 0, make_resample1, resample_loop},
    {"resample/linear_to_half", FLOATS, BENCHMARK(LINEAR, 0, 6, 0), 0, make_resample1, resample_loop},
    {"resample/linear_x1.5_nhwc", FLOATS, BENCHMARK(LINEAR, 0, 18, 1), 0, make_resample1, NULL},
};

static const struct case_benchmark resample3_benchmarks[] = {
    {"resample/antialiased_to_half", FLOATS, BENCHMARK(LINEAR, 1, 6, 0), 0, make_resample3, NULL},
};

#define FAMILY(name, NAME, ...)                                                                                        \
    CASE_FAMILY(name, NAME, .transfers = true, .generate = generate, .group = "window", .bounds = bounds,              \
                .exact = exact, __VA_ARGS__)

FAMILY(resample, RESAMPLE, .has_frame = false);
FAMILY(resample1, RESAMPLE1, CASE_BENCHMARKS(resample1_benchmarks));
FAMILY(resample2, RESAMPLE2, .has_frame = false);
FAMILY(resample3, RESAMPLE3, .has_frame = true, CASE_BENCHMARKS(resample3_benchmarks));
