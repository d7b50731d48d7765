/* What cases of all operators that pool regions of pictures have in common, and those of ROI_POOLING. */
#include "cases/operators/regions.h"

#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"
#include "cases/support.h"

#define MOST_BINS 65536

const uint32_t *regions_words(const struct operator_case *c, const char *field) {
    uint32_t i = 0;
    while (strcmp(c->schema->fields[i].name, field) != 0) {
        i++;
    }
    return c->fields[i].words;
}

float regions_float(const struct operator_case *c, const char *field) {
    float value;
    memcpy(&value, regions_words(c, field), sizeof(value));
    return value;
}

uint64_t regions_bits_at(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                         const uint32_t *at) {
    const struct case_tensor *tensor = &c->tensors[slot];
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1];
    case_strides(tensor, strides);
    return case_read_element(tensor, tensors[slot], case_element_position(tensor, strides, at));
}

double regions_number_at(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                         const uint32_t *at) {
    return number_decode(c->tensors[slot].type, regions_bits_at(c, tensors, slot, at));
}

/* ---- regions ---- */

/* A corner along an axis of a plane of `size`, before it is scaled: mostly inside, or not far outside, now and then
 * anything at all. */
static uint64_t some_corner(struct random *random, DML_TENSOR_DATA_TYPE type, uint32_t size, float scale) {
    const double part = random_below(random, 1u << 16) * 0x1p-16;
    const uint32_t kind = random_below(random, 100);
    const double place = kind < 45   ? size * part
                         : kind < 70 ? random_below(random, 2 * size + 1) * 0.5
                         : kind < 90 ? size * (3 * part - 1)
                                     : size * (300 * part - 150);
    return kind < 95 && scale != 0 ? number_encode(type, place / (double)scale) : number_special(type, random);
}

/* Regions as typed data where there are few, else as a fill. */
void regions_generate(struct random *random, struct operator_case *c, const float *scales, bool has_picture) {
    const struct case_tensor *input = &c->tensors[INPUT];
    struct case_tensor *roi = case_tensor(c, "ROITensor");
    static const enum case_fill fills[] = {CASE_FILL_SMALL,     CASE_FILL_UNIT,    CASE_FILL_UNIT,
                                           CASE_FILL_ABOVE_ONE, CASE_FILL_SPECIAL, CASE_FILL_BITS};
    const uint32_t numbers = roi->sizes[roi->rank - 1], regions = roi->sizes[roi->rank - 2];
    roi->fill = RANDOM_OF(random, fills);
    if (regions * numbers > CASE_MAX_VALUES || random_chance(random, 10)) {
        return;
    }
    roi->fill = CASE_FILL_BITS;
    roi->value_count = regions * numbers;
    for (uint32_t i = 0; i < roi->value_count; i++) {
        const uint32_t number = i % numbers - has_picture;
        if (has_picture && i % numbers == 0) {
            const double picture = random_below(random, input->sizes[0]) + 0.25 * random_below(random, 4);
            roi->values[i] = random_chance(random, 85) ? number_encode(roi->type, picture)
                             : random_chance(random, 70)
                                 ? number_encode(roi->type, random_below(random, 3) * (double)input->sizes[0] - 1)
                                 : number_special(roi->type, random);
        } else {
            roi->values[i] = some_corner(random, roi->type, input->sizes[3 - number % 2], scales[number % 2]);
        }
    }
}

float regions_scale(struct random *random, uint32_t size) {
    static const float scales[] = {1, 1, 1, 0.5f, 0.0625f, 2, 0.3f, -1, 0};
    return random_chance(random, 30) ? (float)size : RANDOM_OF(random, scales);
}

/* An input, and regions of a grid of bins, each of which takes `cost` elements. */
void regions_generate_tensors(struct random *random, struct operator_case *c, uint32_t cost) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_SPECIAL, CASE_FILL_UNIT,
                                           CASE_FILL_INDEX};
    struct case_tensor *input = case_tensor(c, "InputTensor"), *roi = case_tensor(c, "ROITensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    const uint32_t budget = generate_budget(random);
    input->type = generate_type(random, c, "InputTensor");
    input->rank = 4;
    generate_sizes(random, budget / 4 + 1, input);
    output->type = roi->type = input->type;
    output->rank = 4;
    const uint32_t most = 2000000 / (cost == 0 ? input->sizes[2] * input->sizes[3] : cost);
    uint32_t room = (budget < most ? budget : most) / input->sizes[1];
    room = room == 0 ? 1 : room;
    generate_sizes(random, room, output);
    output->sizes[0] *= output->sizes[1];
    output->sizes[1] = input->sizes[1];
    for (uint32_t d = 2; d < 4; d++) {
        output->sizes[d] = output->sizes[d] > MOST_BINS ? MOST_BINS : output->sizes[d];
    }
    input->fill = RANDOM_OF(random, fills);
}

void regions_set(struct case_tensor *roi, uint32_t rank, uint32_t regions, uint32_t numbers) {
    roi->rank = rank;
    roi->sizes[0] = roi->sizes[1] = 1;
    roi->sizes[rank - 2] = regions;
    roi->sizes[rank - 1] = numbers;
}

/* ---- ROI_POOLING ---- */

static void set_pooling(struct operator_case *c, float scale) {
    const struct case_tensor *output = &c->tensors[2];
    case_set_float(c, "SpatialScale", scale);
    case_set(c, "PooledSize", 2, (const uint32_t[]){output->sizes[3], output->sizes[2]});
}

static void generate_pooling(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    regions_generate_tensors(random, c, 0);
    regions_set(case_tensor(c, "ROITensor"), 4, c->tensors[2].sizes[0], 5);
    const float scale = regions_scale(random, c->tensors[INPUT].sizes[3]);
    set_pooling(c, scale);
    regions_generate(random, c, (const float[]){scale, scale}, true);
    generate_input_layout(random, &c->tensors[INPUT]);
    generate_input_layout(random, &c->tensors[ROI]);
    generate_output_layout(random, &c->tensors[2]);
    generate_call(random, c);
}

#define POOLING_SUPPORT CASE_SUPPORT(AT_LEVEL(1_0, 4, 4, FLOATS))
static const struct case_tensor_support roi_pooling_support[] = {
    {"InputTensor", POOLING_SUPPORT}, {"ROITensor", POOLING_SUPPORT}, {"OutputTensor", POOLING_SUPPORT}};

#define POOL "ROI_POOLING "
static const char *const roi_pooling_fixed[] = {
    /* Whole pictures; cells of two elements; of three rows cells of two that overlap. */
    POOL SIXTEEN
    "ROITensor=FLOAT32[1,1,3,5] ROITensor.data=0,0,0,3,3,0,1,1,2,2,0,0,0,2,2 OutputTensor=FLOAT32[3,1,2,2] "
    "OutputTensor.data=6,8,14,16,6,7,10,11,6,7,10,11 SpatialScale=1 PooledSize=2,2",
    /* Corners round to the nearest element, halves away from 0; inverted regions are one element. */
    POOL SIXTEEN
    "ROITensor=FLOAT32[1,1,4,5] ROITensor.data=0,0.5,0.5,1.4,1.4,0,0.49,0.49,1.5,1.5,0,3,3,1,1,0,-2,-2,0,0 "
    "OutputTensor=FLOAT32[4,1,1,1] OutputTensor.data=6,11,16,1 SpatialScale=1 PooledSize=1,1",
    /* Regions and pictures that there are not; a picture's number is truncated. */
    POOL SIXTEEN
    "ROITensor=FLOAT32[1,1,9,5] ROITensor.data=1,0,0,3,3,-1,0,0,3,3,nan,0,0,3,3,0,4,4,9,9,0,-9,-9,-1,-1,0,nan,"
    "0,3,3,0,-inf,-1e30,inf,1e30,0.75,0,0,3,3,-0.75,0,0,3,3 OutputTensor=FLOAT32[9,1,1,1] "
    "OutputTensor.data=0,0,0,0,0,0,16,16,16 SpatialScale=1 PooledSize=1,1",
    /* NaN is the greatest; -0 is below 0; denormals are kept. */
    POOL "InputTensor=FLOAT32[1,1,2,3] InputTensor.data=-0,0,1,0x80000001,-1,nan ROITensor=FLOAT32[1,1,2,5] "
         "ROITensor.data=0,0,0,2,1,0,0,1,0,1 OutputTensor=FLOAT32[2,1,1,3] "
         "OutputTensor.data=-0,0,nan,0x80000001,0x80000001,0x80000001 SpatialScale=1 PooledSize=3,1",
    POOL "InputTensor=FLOAT16[2,2,2,2] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 "
         "ROITensor=FLOAT16[1,1,2,5] ROITensor.data=1,0,0,2,2,0,2,2,2,2 OutputTensor=FLOAT16[2,2,1,1] "
         "OutputTensor.data=12,16,4,8 SpatialScale=0.5 PooledSize=1,1",
    POOL "seed=1 InputTensor=FLOAT32[1,3,40,50] ROITensor=FLOAT32[1,1,3,5] "
         "ROITensor.data=0,0,0,49,39,0,10,5,30,33,0,-20,-20,80,80 OutputTensor=FLOAT32[3,3,7,7] SpatialScale=1 "
         "PooledSize=7,7",
    /* More elements in a cell than one dispatch may walk. */
    POOL
    "seed=2 InputTensor=FLOAT16[1,1,700,901] ROITensor=FLOAT16[1,1,2,5] ROITensor.data=0,0,0,900,699,0,300,200,301,699 "
    "OutputTensor=FLOAT16[2,1,1,1] SpatialScale=1 PooledSize=1,1",
    POOL "seed=3 InputTensor=FLOAT32[2,5,17,19] InputTensor.strides=1615,1,95,5 ROITensor=FLOAT32[1,1,2,5] "
         "ROITensor.data=0,1,1,12,9,1,5,3,18,16 OutputTensor=FLOAT32[2,5,3,4] OutputTensor.strides=60,1,20,5 "
         "SpatialScale=1 PooledSize=4,3",
};

#define POOLED "InputTensor=FLOAT32[1,3,4,4] ROITensor=FLOAT32[1,1,2,5] "
static const struct case_refusal roi_pooling_refused[] = {
    {POOL POOLED "OutputTensor=FLOAT32[2,3,5,6] SpatialScale=1 PooledSize=5,6",
     "DML_OPERATOR_ROI_POOLING: OutputTensor.Sizes[2] is 5, must be 6 = PooledSize.Height\n"
     "DML_OPERATOR_ROI_POOLING: OutputTensor.Sizes[3] is 6, must be 5 = PooledSize.Width"},
    {POOL POOLED "OutputTensor=FLOAT32[1,4,1,1] SpatialScale=1 PooledSize=1,1",
     "DML_OPERATOR_ROI_POOLING: OutputTensor.Sizes[0] is 1, must be 2 = ROITensor.Sizes[2]\n"
     "DML_OPERATOR_ROI_POOLING: OutputTensor.Sizes[1] is 4, must be 3 = InputTensor.Sizes[1]"},
    {POOL "InputTensor=FLOAT32[1,1,1,1] ROITensor=FLOAT32[2,1,1,4] OutputTensor=FLOAT32[1,1,1,1] SpatialScale=1 "
          "PooledSize=1,1",
     "DML_OPERATOR_ROI_POOLING: ROITensor.Sizes[0] is 2, must be 1\n"
     "DML_OPERATOR_ROI_POOLING: ROITensor.Sizes[3] is 4, must be 5, the numbers of a region"},
    {POOL "InputTensor=FLOAT32[1,1,1,1] ROITensor=FLOAT32[1,1,1,5] OutputTensor=FLOAT32[1,1,1,65537] SpatialScale=1 "
          "PooledSize=65537,1",
     "DML_OPERATOR_ROI_POOLING: OutputTensor.Sizes[3] is 65537, must be at most 65536"},
};

/* Benchmarks have no typed data: corners are anywhere in (0, 1], so half of all regions are inverted along an axis. */
void regions_benchmark(struct operator_case *c, uint32_t numbers) {
    struct case_tensor *roi = case_tensor(c, "ROITensor");
    roi->type = c->tensors[INPUT].type;
    roi->fill = CASE_FILL_UNIT;
    regions_set(roi, 4, 24, numbers);
}

/* One picture of as many channels as there is room for. */
void regions_benchmark_planes(struct operator_case *c, uint64_t bytes, DML_TENSOR_DATA_TYPE type) {
    const uint32_t channels = benchmark_size(bytes, type, 64 * 64, 1);
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 4, (const uint32_t[]){1, channels, 64, 64});
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 4, (const uint32_t[]){24, channels, 7, 7});
    case_tensor(c, "InputTensor")->fill = CASE_FILL_UNIT;
}

static void make_pooling(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    (void)argument;
    case_begin(c, DML_OPERATOR_ROI_POOLING);
    regions_benchmark_planes(c, bytes, type);
    regions_benchmark(c, 5);
    set_pooling(c, 64);
}

/* Of the benchmarks: planes of 64 x 64, 7 x 7 bins. */
static void pooling_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *t = &c->tensors[INPUT];
    const size_t channels = t->sizes[1], regions = c->tensors[ROI].sizes[2];
    for (size_t r = 0; r < regions; r++) {
        size_t corner[4];
        for (size_t n = 0; n < 4; n++) {
            corner[n] = (size_t)roundf(64 * loop_load(tensors[ROI], t->type, r * 5 + 1 + n));
        }
        const size_t width = corner[2] < corner[0] ? 1 : corner[2] - corner[0] + 1;
        const size_t height = corner[3] < corner[1] ? 1 : corner[3] - corner[1] + 1;
        for (size_t i = 0; i < channels * 49; i++) {
            const size_t x = i % 7, y = i / 7 % 7, plane = i / 49 * 4096;
            const size_t right = corner[0] + ((x + 1) * width + 6) / 7, below = corner[1] + ((y + 1) * height + 6) / 7;
            float greatest = -INFINITY;
            for (size_t v = corner[1] + y * height / 7; v < below && v < 64; v++) {
                for (size_t u = corner[0] + x * width / 7; u < right && u < 64; u++) {
                    const float e = loop_load(tensors[INPUT], t->type, plane + v * 64 + u);
                    greatest = e > greatest ? e : greatest;
                }
            }
            loop_store(tensors[2], t->type, r * channels * 49 + i, greatest);
        }
    }
}

static const struct case_benchmark pooling_benchmarks[] = {
    {"roi_pooling/7x7", FLOATS, 0, 0, make_pooling, pooling_loop},
};

CASE_FAMILY(roi_pooling, ROI_POOLING, .has_frame = true, .generate = generate_pooling, .group = "regions",
            CASE_BENCHMARKS(pooling_benchmarks));
