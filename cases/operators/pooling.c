/* Cases of AVERAGE_POOLING, LP_POOLING, MAX_POOLING and MAX_UNPOOLING. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"
#include "cases/support.h"

#define MAX_RANK        DML_TENSOR_DIMENSION_COUNT_MAX1
#define MOST_SPATIAL    3
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- windows ---- */

static const struct case_field *field_of(const struct operator_case *c, const char *name) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (strcmp(c->schema->fields[i].name, name) == 0) {
            return &c->fields[i];
        }
    }
    return NULL;
}

struct windows {
    uint32_t spatial;
    uint32_t strides[MOST_SPATIAL], window[MOST_SPATIAL], start[MOST_SPATIAL], end[MOST_SPATIAL];
    uint32_t dilations[MOST_SPATIAL];
};

static struct windows read_windows(const struct operator_case *c) {
    struct windows w = {.spatial = field_of(c, "DimensionCount")->words[0], .dilations = {1, 1, 1}};
    const struct case_field *dilations = field_of(c, "Dilations");
    memcpy(w.strides, field_of(c, "Strides")->words, sizeof(w.strides));
    memcpy(w.window, field_of(c, "WindowSize")->words, sizeof(w.window));
    memcpy(w.start, field_of(c, "StartPadding")->words, sizeof(w.start));
    memcpy(w.end, field_of(c, "EndPadding")->words, sizeof(w.end));
    if (dilations != NULL) {
        memcpy(w.dilations, dilations->words, sizeof(w.dilations));
    }
    return w;
}

static void set_windows(struct operator_case *c, const struct windows *w) {
    case_set_uint(c, "DimensionCount", w->spatial);
    case_set(c, "Strides", w->spatial, w->strides);
    case_set(c, "WindowSize", w->spatial, w->window);
    case_set(c, "StartPadding", w->spatial, w->start);
    case_set(c, "EndPadding", w->spatial, w->end);
    if (field_of(c, "Dilations") != NULL) {
        case_set(c, "Dilations", w->spatial, w->dilations);
    }
}

static void set_output_sizes(const struct windows *w, const struct case_tensor *input, struct case_tensor *output) {
    output->rank = input->rank;
    memcpy(output->sizes, input->sizes, sizeof(output->sizes));
    for (uint32_t s = 0; s < w->spatial; s++) {
        const uint32_t padded = input->sizes[2 + s] + w->start[s] + w->end[s];
        output->sizes[2 + s] = (padded - w->dilations[s] * (w->window[s] - 1) - 1) / w->strides[s] + 1;
    }
}

/* What is made of a window's elements; `size` counts padding too. */
struct pooled {
    double sum, magnitudes, squares, greatest, count, size;
    double finite; /* magnitudes that are */
    double powers; /* of magnitudes beside a number */
};

static struct pooled pool_beside(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at,
                                 double beside) {
    const struct case_tensor *input = &c->tensors[0];
    const struct case_field *power = field_of(c, "P");
    const struct windows w = read_windows(c);
    struct case_tensor box = {.rank = w.spatial};
    uint32_t strides[MAX_RANK], element[MAX_RANK] = {0}, from[MAX_RANK];
    struct pooled p = {.size = 1};
    memcpy(from, at, sizeof(from));
    case_strides(input, strides);
    for (uint32_t s = 0; s < w.spatial; s++) {
        box.sizes[s] = w.window[s];
        p.size *= w.window[s];
    }
    do {
        bool is_there = true;
        for (uint32_t s = 0; s < w.spatial; s++) {
            const int64_t q = (int64_t)at[2 + s] * w.strides[s] + (int64_t)element[s] * w.dilations[s] - w.start[s];
            is_there = is_there && q >= 0 && q < input->sizes[2 + s];
            from[2 + s] = (uint32_t)q;
        }
        if (is_there) {
            const double x = number_decode(
                input->type, case_read_element(input, tensors[0], case_element_position(input, strides, from)));
            p.sum += x;
            p.magnitudes += fabs(x);
            p.finite += isfinite(x) ? fabs(x) : 0;
            p.squares += x * x;
            p.greatest = isnan(x) || isnan(p.greatest) ? (double)NAN : fmax(p.greatest, fabs(x));
            p.powers += beside != 0 ? pow(fabs(x) / beside, power->words[0]) : 0;
            p.count++;
        }
    } while (case_next_coordinates(&box, element));
    return p;
}

static struct pooled pool_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    return pool_beside(c, tensors, at, 0);
}

/* FLOAT32 denormals may be taken for 0. */
static double denormal_of(const struct operator_case *c) {
    return c->tensors[0].type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 0x1p-126 : 0;
}

static double sum_error(double terms) {
    return (68 + terms / 64) * 0x1p-24;
}

static const struct accuracy_bounds anything = {-INFINITY, INFINITY, true};
static const struct accuracy_exact no_exact = {(double)NAN, (double)NAN};
static const double greatest_float = (double)FLT_MAX * (1 - 0x1p-10);

/* One rounding of FLOAT32. */
static struct accuracy_exact exact_beside(double value, double magnitudes) {
    return (struct accuracy_exact){value, 0x1p-24 * magnitudes + 0x1p-126};
}

/* ---- cases ---- */

static uint32_t window_size(struct random *random, uint32_t padded, uint32_t room) {
    const uint32_t most = random_chance(random, 85) ? 4 : random_chance(random, 80) ? 10 : 40;
    const uint32_t limit = padded < room ? padded : room;
    return random_between(random, 1, limit < most ? limit : most);
}

static void generate_windows(struct random *random, const struct case_tensor *input, bool dilates, struct windows *w) {
    const bool is_padded = random_chance(random, 50), is_global = random_chance(random, 10);
    uint32_t room = 128;
    w->spatial = input->rank - 2;
    for (uint32_t s = 0; s < w->spatial; s++) {
        const uint32_t size = input->sizes[2 + s];
        w->start[s] = is_padded ? random_below(random, 3) : 0;
        w->end[s] = is_padded ? random_below(random, 3) : 0;
        w->dilations[s] = 1;
        w->strides[s] = random_chance(random, 40) ? 1 : random_between(random, 1, random_chance(random, 80) ? 3 : 12);
        if (is_global && (s == 0 || size <= room)) {
            w->window[s] = size + (random_chance(random, 30) ? w->start[s] + w->end[s] : 0);
            room = room / (w->window[s] < room ? w->window[s] : room);
            continue;
        }
        const uint32_t padded = size + w->start[s] + w->end[s];
        w->window[s] = window_size(random, padded, room == 0 ? 1 : room);
        room /= w->window[s];
        if (dilates && w->window[s] > 1 && random_chance(random, 50)) {
            const uint32_t farthest = (padded - 1) / (w->window[s] - 1);
            w->dilations[s] = random_between(random, 1, random_chance(random, 70) && farthest > 3 ? 3 : farthest);
        } else if (dilates && w->window[s] == 1 && random_chance(random, 20)) {
            w->dilations[s] = random_chance(random, 50) ? 7 : UINT32_MAX;
        }
    }
}

static void generate_pooling(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_SPECIAL, CASE_FILL_UNIT,
                                           CASE_FILL_ABOVE_ONE};
    static const uint32_t powers[] = {1, 2, 2, 2, 3, 4, 7, 1000, UINT32_MAX};
    struct windows w;
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_chance(random, 60) ? 4 : 5;
    generate_sizes(random, generate_budget(random) / 4 + 1, input);
    generate_windows(random, input, field_of(c, "Dilations") != NULL, &w);
    set_windows(c, &w);
    output->type = input->type;
    set_output_sizes(&w, input, output);
    if (field_of(c, "IncludePadding") != NULL) {
        case_set_uint(c, "IncludePadding", random_below(random, 2));
    }
    if (field_of(c, "P") != NULL) {
        case_set_uint(c, "P", RANDOM_OF(random, powers));
    }
    input->fill = RANDOM_OF(random, fills);
    generate_input_layout(random, input);
    generate_output_layout(random, output);
    if (field_of(c, "OutputIndicesTensor") != NULL && random_chance(random, 60)) {
        struct case_tensor *indices = case_tensor(c, "OutputIndicesTensor");
        indices->type = generate_type(random, c, "OutputIndicesTensor");
        indices->rank = output->rank;
        memcpy(indices->sizes, output->sizes, sizeof(indices->sizes));
        generate_output_layout(random, indices);
    }
    generate_call(random, c);
}

/* ---- benchmarks ---- */

/* The argument: the window's side, 0 for the whole picture, and 16 times the stride; an odd side is padded all round.
 */
#define SIDE(side, stride) ((side) | (stride) << 4)
#define WITH_INDICES       0x100

static void make_pooling(DML_OPERATOR_TYPE operator_type, uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument,
                         struct operator_case *c) {
    const uint32_t side = argument & 15, stride = argument >> 4 & 15;
    case_begin(c, operator_type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    benchmark_images(input, bytes, type);
    input->fill = CASE_FILL_UNIT;
    struct windows w = {2, {stride, stride}, {side, side}, {side / 2, side / 2}, {side / 2, side / 2}, {1, 1}};
    if (side == 0) {
        w.window[0] = input->sizes[2];
        w.window[1] = input->sizes[3];
    } else if (side % 2 == 0) {
        memset(w.start, 0, sizeof(w.start));
        memset(w.end, 0, sizeof(w.end));
    }
    set_windows(c, &w);
    output->type = type;
    set_output_sizes(&w, input, output);
    if ((argument & WITH_INDICES) != 0) {
        struct case_tensor *indices = case_tensor(c, "OutputIndicesTensor");
        *indices = *output;
        indices->type = DML_TENSOR_DATA_TYPE_UINT32;
    }
}

enum loop_function { LOOP_MAXIMUM, LOOP_AVERAGE, LOOP_ROOT };

/* Row by row of the output, onto which the window's elements go one after another. */
static void pooling_loop(const struct operator_case *c, unsigned char *const *tensors, enum loop_function function) {
    const struct case_tensor *in = &c->tensors[0], *out = &c->tensors[1];
    const struct windows w = read_windows(c);
    const ptrdiff_t height = in->sizes[2], width = in->sizes[3], planes = (ptrdiff_t)in->sizes[0] * in->sizes[1];
    const ptrdiff_t down = out->sizes[2], along = out->sizes[3];
    const ptrdiff_t stride_y = w.strides[0], stride = w.strides[1], start_y = w.start[0], start = w.start[1];
    const float scale = 1 / (float)(w.window[0] * w.window[1]);
    static float row[65536];
    static uint32_t places[65536];
    for (ptrdiff_t i = 0; i < planes * down; i++) {
        for (ptrdiff_t x = 0; x < along; x++) {
            row[x] = function == LOOP_MAXIMUM ? -INFINITY : 0;
        }
        for (ptrdiff_t dy = 0; dy < w.window[0]; dy++) {
            const ptrdiff_t y = i % down * stride_y + dy - start_y;
            const ptrdiff_t from = (i / down * height + y) * width;
            for (ptrdiff_t dx = 0; y >= 0 && y < height && dx < w.window[1]; dx++) {
                const ptrdiff_t before = start > dx ? (start - dx + stride - 1) / stride : 0;
                const ptrdiff_t last = (width - 1 + start - dx) / stride;
                const ptrdiff_t end = last + 1 < along ? last + 1 : along;
                for (ptrdiff_t x = before; x < end; x++) {
                    const ptrdiff_t at = from + x * stride + dx - start;
                    const float v = loop_load(tensors[0], in->type, (size_t)at);
                    if (function == LOOP_MAXIMUM) {
                        if (tensors[2] != NULL) {
                            places[x] = v > row[x] ? (uint32_t)at : places[x];
                        }
                        row[x] = v > row[x] ? v : row[x];
                    } else {
                        row[x] += function == LOOP_ROOT ? v * v : v;
                    }
                }
            }
        }
        for (ptrdiff_t x = 0; x < along; x++) {
            const float v = function == LOOP_MAXIMUM ? row[x] : function == LOOP_ROOT ? sqrtf(row[x]) : row[x] * scale;
            loop_store(tensors[1], out->type, (size_t)(i * along + x), v);
        }
        if (function == LOOP_MAXIMUM && tensors[2] != NULL) {
            memcpy((uint32_t *)tensors[2] + i * along, places, (size_t)along * sizeof(places[0]));
        }
    }
}

#define BENCHMARK(name, function, DESC)                                                                                \
    static void make_##name(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {   \
        make_pooling(DML_OPERATOR_##DESC, bytes, type, argument, c);                                                   \
    }                                                                                                                  \
    static void name##_loop(const struct operator_case *c, unsigned char *const *tensors) {                            \
        pooling_loop(c, tensors, function);                                                                            \
    }

/* ---- the families ---- */

#define FAMILY(name, DESC, ...)                                                                                        \
    const struct case_family vkdml_cases_##name = {.type = DML_OPERATOR_##DESC,                                        \
                                                   .support = name##_support,                                          \
                                                   .support_count = COUNT_OF(name##_support),                          \
                                                   .fixed = name##_fixed,                                              \
                                                   .fixed_count = COUNT_OF(name##_fixed),                              \
                                                   .refused = name##_refused,                                          \
                                                   .refused_count = COUNT_OF(name##_refused),                          \
                                                   .generate = generate_pooling,                                       \
                                                   .group = "window",                                                  \
                                                   __VA_ARGS__};

#define BENCHMARKS(name) .benchmarks = name##_benchmarks, .benchmark_count = COUNT_OF(name##_benchmarks)
#define FLOAT_SUPPORT(name, level)                                                                                     \
    static const struct case_tensor_support name##_support[] = {                                                       \
        {"InputTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS))},                                                  \
        {"OutputTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS))},                                                 \
    };

/* ---- AVERAGE_POOLING ---- */

static double divisor_of(const struct operator_case *c, const struct pooled *p) {
    return field_of(c, "IncludePadding")->words[0] != 0 ? p->size : p->count == 0 ? 1 : p->count;
}

static struct accuracy_bounds average_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                             const uint32_t *at) {
    const struct pooled p = pool_at(c, tensors, at);
    if (p.finite > greatest_float) {
        return anything; /* sums on the way may be infinite */
    }
    const double divisor = divisor_of(c, &p), average = p.sum / divisor;
    const double distance = p.magnitudes * sum_error(p.count) + p.count * denormal_of(c);
    const double error = isfinite(p.magnitudes) ? distance / divisor + denormal_of(c) : 0;
    return (struct accuracy_bounds){average - error, average + error, isnan(average)};
}

static struct accuracy_exact average_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                           const uint32_t *at) {
    const struct pooled p = pool_at(c, tensors, at);
    const double divisor = divisor_of(c, &p);
    return p.magnitudes > 0x1p120 ? no_exact : exact_beside(p.sum / divisor, p.magnitudes / divisor);
}

#define AVERAGE "AVERAGE_POOLING "
static const char *const average_pooling_fixed[] = {
    AVERAGE "InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,4,5,6,7,8,9 OutputTensor=FLOAT32[1,1,2,2] "
            "OutputTensor.data=3,4,6,7 DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 "
            "IncludePadding=0",
    /* The corner has one element of four. */
    AVERAGE "InputTensor=FLOAT32[1,1,2,3] InputTensor.data=4,8,12,16,20,24 OutputTensor=FLOAT32[1,1,2,2] "
            "OutputTensor.data=4,10,16,22 DimensionCount=2 Strides=2,2 WindowSize=2,2 StartPadding=1,1 EndPadding=1,0 "
            "IncludePadding=0",
    AVERAGE "InputTensor=FLOAT16[1,1,2,3] InputTensor.data=4,8,12,16,20,24 OutputTensor=FLOAT16[1,1,2,2] "
            "OutputTensor.data=1,5,4,11 DimensionCount=2 Strides=2,2 WindowSize=2,2 StartPadding=1,1 EndPadding=1,0 "
            "IncludePadding=1",
    /* Volumes; a window of padding alone is 0. */
    AVERAGE "InputTensor=FLOAT32[1,1,2,2,2] InputTensor.data=1,2,3,4,5,6,7,8 OutputTensor=FLOAT32[1,1,1,1,1] "
            "OutputTensor.data=4.5 DimensionCount=3 Strides=1,1,1 WindowSize=2,2,2 StartPadding=0,0,0 EndPadding=0,0,0 "
            "IncludePadding=1",
    AVERAGE "InputTensor=FLOAT32[1,1,1,2] InputTensor.data=3,5 OutputTensor=FLOAT32[1,1,1,4] OutputTensor.data=0,3,5,0 "
            "DimensionCount=2 Strides=1,1 WindowSize=1,1 StartPadding=0,1 EndPadding=0,1 IncludePadding=0",
    AVERAGE "InputTensor=FLOAT32[1,1,1,4] InputTensor.data=inf,1,nan,-inf OutputTensor=FLOAT32[1,1,1,3] "
            "OutputTensor.data=inf,nan,nan DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 "
            "IncludePadding=0",
    AVERAGE "seed=1 InputTensor=FLOAT32[2,3,32,64] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,32,64] "
            "DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 IncludePadding=0",
    AVERAGE "seed=2 InputTensor=FLOAT16[2,3,32,64] InputTensor.fill=UNIT OutputTensor=FLOAT16[2,3,16,32] "
            "DimensionCount=2 Strides=2,2 WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 IncludePadding=0",
    AVERAGE "seed=3 InputTensor=FLOAT32[1,2,41,61] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,2,11,32] "
            "DimensionCount=2 Strides=1,1 WindowSize=31,30 StartPadding=0,0 EndPadding=0,0 IncludePadding=1",
    AVERAGE "seed=6 InputTensor=FLOAT16[1,2,41,61] InputTensor.fill=UNIT OutputTensor=FLOAT16[1,2,41,61] "
            "DimensionCount=2 Strides=1,1 WindowSize=11,21 StartPadding=5,10 EndPadding=5,10 IncludePadding=0",
    /* Channels side by side. */
    AVERAGE "seed=4 InputTensor=FLOAT16[1,64,9,10] InputTensor.strides=5760,1,640,64 InputTensor.fill=UNIT "
            "OutputTensor=FLOAT16[1,64,9,10] OutputTensor.strides=5760,1,640,64 DimensionCount=2 Strides=1,1 "
            "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 IncludePadding=0",
    /* More elements than an invocation may walk. */
    AVERAGE "seed=5 InputTensor=FLOAT32[1,1,160,251] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,1,1,2] "
            "DimensionCount=2 Strides=1,1 WindowSize=160,250 StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
};
static const struct case_refusal average_pooling_refused[] = {
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[1,1,2,3] DimensionCount=2 Strides=2,1 WindowSize=2,2 "
             "StartPadding=0,0 EndPadding=0,1 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: OutputTensor.Sizes[3] is 3, must be 4, the number of windows"},
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[2,1,4,4] DimensionCount=2 Strides=1,1 WindowSize=1,1 "
             "StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: OutputTensor.Sizes[0] is 2, must be 1 = InputTensor.Sizes[0]"},
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[1,1,4,4] DimensionCount=2 Strides=0,1 WindowSize=1,0 "
             "StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: Strides[0] is 0, must be at least 1\n"
     "DML_OPERATOR_AVERAGE_POOLING: WindowSize[1] is 0, must be at least 1"},
    {AVERAGE "InputTensor=FLOAT32[1,1,4,4,4] OutputTensor=FLOAT32[1,1,4,4,4] DimensionCount=2 Strides=1,1 "
             "WindowSize=1,1 StartPadding=0,0 EndPadding=0,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING: DimensionCount is 2, must be 3 = InputTensor.DimensionCount - 2"},
};
FLOAT_SUPPORT(average_pooling, 1_0)

BENCHMARK(average, LOOP_AVERAGE, AVERAGE_POOLING)
static const struct case_benchmark average_pooling_benchmarks[] = {
    {"pool/average_3x3", FLOATS, SIDE(3, 1), 0, make_average, average_loop},
    {"pool/average_3x3_by_2", FLOATS, SIDE(3, 2), 0, make_average, average_loop},
    {"pool/average_global", FLOATS, SIDE(0, 1), CASE_BENCHMARK_READ, make_average, average_loop},
};
FAMILY(average_pooling, AVERAGE_POOLING, BENCHMARKS(average_pooling), .bounds = average_bounds, .exact = average_exact)

static const char *const average_pooling1_fixed[] = {
    "AVERAGE_POOLING1 InputTensor=FLOAT32[1,1,1,6] InputTensor.data=1,2,3,4,5,6 OutputTensor=FLOAT32[1,1,1,4] "
    "OutputTensor.data=3,2.5,3.5,4.5 DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,1 EndPadding=0,0 "
    "Dilations=1,3 IncludePadding=0",
    "AVERAGE_POOLING1 seed=1 InputTensor=FLOAT32[2,3,20,48] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,16,44] "
    "DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=0,0 EndPadding=0,0 Dilations=2,2 IncludePadding=1",
};
static const struct case_refusal average_pooling1_refused[] = {
    {"AVERAGE_POOLING1 InputTensor=FLOAT32[1,1,1,6] OutputTensor=FLOAT32[1,1,1,5] DimensionCount=2 Strides=1,1 "
     "WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,3 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING1: OutputTensor.Sizes[3] is 5, must be 3, the number of windows"},
    {"AVERAGE_POOLING1 InputTensor=FLOAT32[1,1,1,6] OutputTensor=FLOAT32[1,1,1,5] DimensionCount=2 Strides=1,1 "
     "WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,0 IncludePadding=0",
     "DML_OPERATOR_AVERAGE_POOLING1: Dilations[1] is 0, must be at least 1"},
};
FLOAT_SUPPORT(average_pooling1, 6_2)
FAMILY(average_pooling1, AVERAGE_POOLING1, .has_frame = true, .bounds = average_bounds, .exact = average_exact)

/* ---- LP_POOLING ---- */

static double norm_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at,
                      struct pooled *p) {
    const uint32_t power = field_of(c, "P")->words[0];
    *p = pool_at(c, tensors, at);
    if (power <= 2 || p->greatest == 0 || !isfinite(p->greatest)) {
        return power == 1 ? p->magnitudes : power == 2 ? sqrt(p->squares) : p->greatest;
    }
    return p->greatest * pow(pool_beside(c, tensors, at, p->greatest).powers, 1.0 / power);
}

static struct accuracy_bounds norm_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                          const uint32_t *at) {
    struct pooled p;
    const uint32_t power = field_of(c, "P")->words[0];
    const double norm = norm_at(c, tensors, at, &p);
    if (!isfinite(norm)) {
        return (struct accuracy_bounds){norm, norm, isnan(norm)};
    }
    double distance = norm * (sum_error(p.count) + (power > 2 ? 0x1p-20 : 0)) + p.count * denormal_of(c);
    if (power == 2) { /* squares, and their sum, are FLOAT32's */
        distance += norm == 0 ? 0 : p.count * 0x1p-125 / norm;
    }
    struct accuracy_bounds bounds = {fmax(norm - distance, 0), norm + distance, false};
    if ((power == 2 ? p.squares : power == 1 ? p.magnitudes : norm) > greatest_float) {
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
    return p.greatest > 0x1p60 || p.greatest < 0x1p-55 ? no_exact : exact_beside(norm, norm);
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
FLOAT_SUPPORT(lp_pooling, 1_0)

BENCHMARK(norm, LOOP_ROOT, LP_POOLING)
static void make_norm_of_two(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_norm(bytes, type, argument, c);
    case_set_uint(c, "P", 2);
}
static const struct case_benchmark lp_pooling_benchmarks[] = {
    {"pool/l2_3x3_by_2", FLOATS, SIDE(3, 2), 0, make_norm_of_two, norm_loop},
};
FAMILY(lp_pooling, LP_POOLING, BENCHMARKS(lp_pooling), .bounds = norm_bounds, .exact = norm_exact)

static const char *const lp_pooling1_fixed[] = {
    "LP_POOLING1 InputTensor=FLOAT32[1,1,1,6] InputTensor.data=3,6,0,4,8,0 OutputTensor=FLOAT32[1,1,1,3] "
    "OutputTensor.data=5,10,0 DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 "
    "Dilations=1,3 P=2",
};
static const struct case_refusal lp_pooling1_refused[] = {
    {"LP_POOLING1 InputTensor=FLOAT32[1,1,1,6] OutputTensor=FLOAT32[1,1,1,3] DimensionCount=2 Strides=1,1 "
     "WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,3 P=0",
     "DML_OPERATOR_LP_POOLING1: P is 0, must be at least 1"},
};
FLOAT_SUPPORT(lp_pooling1, 6_2)
FAMILY(lp_pooling1, LP_POOLING1, .has_frame = true, .bounds = norm_bounds, .exact = norm_exact)

/* ---- MAX_POOLING ---- */

#define EVERY_NUMBER(level)                                                                                            \
    CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS), AT_LEVEL(3_0, 4, 5, FLOATS | CASE_TYPE(INT8) | CASE_TYPE(UINT8)),      \
                 AT_LEVEL(5_0, 4, 5, NUMBERS))
#define PLACES(level)                                                                                                  \
    CASE_SUPPORT(AT_LEVEL(level, 4, 5, CASE_TYPE(UINT32)), AT_LEVEL(5_0, 4, 5, CASE_TYPE(UINT32) | CASE_TYPE(UINT64)))

static const struct case_tensor_support max_pooling_support[] = {
    {"InputTensor", EVERY_NUMBER(1_0)},
    {"OutputTensor", EVERY_NUMBER(1_0)},
};
static const struct case_tensor_support max_pooling1_support[] = {
    {"InputTensor", EVERY_NUMBER(2_0)},
    {"OutputTensor", EVERY_NUMBER(2_0)},
    {"OutputIndicesTensor", PLACES(2_0)},
};
static const struct case_tensor_support max_pooling2_support[] = {
    {"InputTensor", EVERY_NUMBER(2_1)},
    {"OutputTensor", EVERY_NUMBER(2_1)},
    {"OutputIndicesTensor", PLACES(2_1)},
};

#define MAX "MAX_POOLING "
static const char *const max_pooling_fixed[] = {
    MAX "InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,2,4,2,5,6,7 OutputTensor=FLOAT32[1,1,2,2] "
        "OutputTensor.data=4,4,6,7 DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0",
    /* Padding is below all; NaN above all, -0 below 0. */
    MAX "InputTensor=FLOAT16[1,1,1,6] InputTensor.data=-1,nan,-inf,-0,0,-0 OutputTensor=FLOAT16[1,1,1,7] "
        "OutputTensor.data=-1,0x7e00,0x7e00,-0,0,0,-0 DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,1 "
        "EndPadding=0,1",
    MAX "InputTensor=INT8[1,1,1,2] InputTensor.data=-5,-128 OutputTensor=INT8[1,1,1,4] "
        "OutputTensor.data=-128,-5,-128,-128 DimensionCount=2 Strides=1,1 WindowSize=1,1 StartPadding=0,1 "
        "EndPadding=0,1",
    MAX "InputTensor=UINT64[1,1,1,3] InputTensor.data=0x100000000,0xffffffff,0xffffffffffffffff "
        "OutputTensor=UINT64[1,1,1,2] OutputTensor.data=0x100000000,0xffffffffffffffff DimensionCount=2 Strides=1,1 "
        "WindowSize=1,2 StartPadding=0,0 EndPadding=0,0",
    MAX "InputTensor=INT64[1,1,1,3] InputTensor.data=0xffffffff00000000,0xffffffffffffffff,0x8000000000000000 "
        "OutputTensor=INT64[1,1,1,2] OutputTensor.data=0xffffffffffffffff,0xffffffffffffffff DimensionCount=2 "
        "Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0",
    MAX "seed=1 InputTensor=FLOAT32[2,3,32,64] OutputTensor=FLOAT32[2,3,32,64] DimensionCount=2 Strides=1,1 "
        "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1",
    MAX "seed=2 InputTensor=FLOAT16[2,3,32,64] OutputTensor=FLOAT16[2,3,16,32] DimensionCount=2 Strides=2,2 "
        "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1",
    MAX "seed=3 InputTensor=UINT8[2,3,55,61] OutputTensor=UINT8[2,3,27,30] DimensionCount=2 Strides=2,2 "
        "WindowSize=3,3 StartPadding=0,0 EndPadding=0,0",
    MAX "seed=4 InputTensor=INT16[2,3,24,24] OutputTensor=INT16[2,3,12,12] DimensionCount=2 Strides=2,2 "
        "WindowSize=2,2 StartPadding=0,0 EndPadding=0,0",
    MAX "seed=5 InputTensor=INT32[1,2,9,16,16] OutputTensor=INT32[1,2,9,16,16] DimensionCount=3 Strides=1,1,1 "
        "WindowSize=3,3,3 StartPadding=1,1,1 EndPadding=1,1,1",
    MAX "seed=6 InputTensor=FLOAT32[1,2,40,48] OutputTensor=FLOAT32[1,2,40,48] DimensionCount=2 Strides=1,1 "
        "WindowSize=9,13 StartPadding=4,6 EndPadding=4,6",
    MAX "seed=8 InputTensor=UINT8[2,3,40,48] OutputTensor=UINT8[2,3,20,36] DimensionCount=2 Strides=2,1 "
        "WindowSize=9,13 StartPadding=4,0 EndPadding=4,0",
    MAX "seed=9 InputTensor=INT64[1,2,5,12,14] OutputTensor=INT64[1,2,1,8,10] DimensionCount=3 Strides=1,1,1 "
        "WindowSize=5,5,5 StartPadding=0,0,0 EndPadding=0,0,0",
    MAX "seed=7 InputTensor=FLOAT16[2,5,7,7] OutputTensor=FLOAT16[2,5,1,1] DimensionCount=2 Strides=1,1 "
        "WindowSize=7,7 StartPadding=0,0 EndPadding=0,0",
};
static const struct case_refusal max_pooling_refused[] = {
    {MAX "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[1,1,1,1] DimensionCount=2 Strides=1,1 WindowSize=5,4 "
         "StartPadding=0,0 EndPadding=0,0",
     "DML_OPERATOR_MAX_POOLING: OutputTensor.Sizes[2] is 1, must be 0, the number of windows"},
};

BENCHMARK(max, LOOP_MAXIMUM, MAX_POOLING)
static const struct case_benchmark max_pooling_benchmarks[] = {
    {"pool/max_3x3", FLOATS, SIDE(3, 1), 0, make_max, max_loop},
    {"pool/max_3x3_by_2", FLOATS, SIDE(3, 2), 0, make_max, max_loop},
    {"pool/max_2x2_by_2", FLOATS, SIDE(2, 2), 0, make_max, max_loop},
    {"pool/max_global", FLOATS, SIDE(0, 1), CASE_BENCHMARK_READ, make_max, max_loop},
};
FAMILY(max_pooling, MAX_POOLING, BENCHMARKS(max_pooling))

#define MAX1 "MAX_POOLING1 "
static const char *const max_pooling1_fixed[] = {
    MAX1 "InputTensor=FLOAT32[1,1,2,4] InputTensor.data=3,5,7,1,9,4,2,8 OutputTensor=FLOAT32[1,1,2,2] "
         "OutputTensor.data=7,7,9,8 OutputIndicesTensor=UINT32[1,1,2,2] OutputIndicesTensor.data=2,2,4,7 "
         "DimensionCount=2 Strides=1,1 WindowSize=1,3 StartPadding=0,0 EndPadding=0,0",
    MAX1 "InputTensor=UINT8[1,1,1,2] InputTensor.data=1,2 OutputTensor=UINT8[1,1,1,1] OutputTensor.data=2 "
         "DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0",
};
static const struct case_refusal max_pooling1_refused[] = {
    {MAX1 "InputTensor=FLOAT32[1,1,4,4] OutputTensor=FLOAT32[1,1,1,4] DimensionCount=1 Strides=1 WindowSize=4 "
          "StartPadding=0 EndPadding=0",
     "DML_OPERATOR_MAX_POOLING1: DimensionCount is 1, must be 2 = InputTensor.DimensionCount - 2"},
};
FAMILY(max_pooling1, MAX_POOLING1, .benchmarks = NULL)

#define MAX2 "MAX_POOLING2 "
static const char *const max_pooling2_fixed[] = {
    MAX2 "InputTensor=FLOAT32[1,1,3,3] InputTensor.data=1,2,3,2,4,2,5,6,7 OutputTensor=FLOAT32[1,1,2,2] "
         "OutputTensor.data=4,4,6,7 OutputIndicesTensor=UINT32[1,1,2,2] OutputIndicesTensor.data=4,4,7,8 "
         "DimensionCount=2 Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,1",
    /* Places count in the whole tensor; the first of equal ones; -0 is below 0; without an element nowhere. */
    MAX2 "InputTensor=FLOAT32[1,2,2,2] InputTensor.data=1,1,1,1,-0,0,-0,nan OutputTensor=FLOAT32[1,2,1,1] "
         "OutputTensor.data=1,nan OutputIndicesTensor=UINT64[1,2,1,1] OutputIndicesTensor.data=0,7 DimensionCount=2 "
         "Strides=1,1 WindowSize=2,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,1",
    MAX2 "InputTensor=FLOAT16[1,1,1,4] InputTensor.data=-0,0,-inf,-inf OutputTensor=FLOAT16[1,1,1,6] "
         "OutputTensor.data=-inf,-0,0,-inf,-inf,-inf OutputIndicesTensor=UINT32[1,1,1,6] "
         "OutputIndicesTensor.data=0xffffffff,0,1,2,3,0xffffffff DimensionCount=2 Strides=1,1 WindowSize=1,1 "
         "StartPadding=0,1 EndPadding=0,1 Dilations=1,1",
    MAX2 "InputTensor=INT32[1,1,1,3] InputTensor.data=0x80000000,0x80000000,5 OutputTensor=INT32[1,1,1,4] "
         "OutputTensor.data=0x80000000,0x80000000,5,5 OutputIndicesTensor=UINT64[1,1,1,4] "
         "OutputIndicesTensor.data=0,0,2,2 DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,1 "
         "EndPadding=0,1 Dilations=1,1",
    MAX2 "InputTensor=UINT8[1,1,1,1] InputTensor.data=0 OutputTensor=UINT8[1,1,1,3] OutputTensor.data=0,0,0 "
         "OutputIndicesTensor=UINT64[1,1,1,3] OutputIndicesTensor.data=0xffffffffffffffff,0,0xffffffffffffffff "
         "DimensionCount=2 Strides=1,1 WindowSize=1,1 StartPadding=0,1 EndPadding=0,1 Dilations=1,1",
    MAX2 "InputTensor=INT16[1,1,1,6] InputTensor.data=1,2,3,4,5,4 OutputTensor=INT16[1,1,1,3] "
         "OutputTensor.data=4,5,4 OutputIndicesTensor=UINT32[1,1,1,3] OutputIndicesTensor.data=3,4,5 DimensionCount=2 "
         "Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,3",
    MAX2 "seed=1 InputTensor=FLOAT32[2,3,32,64] InputTensor.fill=SMALL OutputTensor=FLOAT32[2,3,32,64] "
         "OutputIndicesTensor=UINT32[2,3,32,64] DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=1,1 "
         "EndPadding=1,1 Dilations=1,1",
    MAX2 "seed=2 InputTensor=FLOAT16[2,3,32,64] InputTensor.fill=SMALL OutputTensor=FLOAT16[2,3,16,32] "
         "OutputIndicesTensor=UINT64[2,3,16,32] DimensionCount=2 Strides=2,2 WindowSize=3,3 StartPadding=1,1 "
         "EndPadding=1,1 Dilations=1,1",
    MAX2 "seed=3 InputTensor=FLOAT32[1,2,9,16,16] InputTensor.fill=SMALL OutputTensor=FLOAT32[1,2,9,16,16] "
         "OutputIndicesTensor=UINT32[1,2,9,16,16] DimensionCount=3 Strides=1,1,1 WindowSize=3,3,3 "
         "StartPadding=1,1,1 EndPadding=1,1,1 Dilations=1,1,1",
    MAX2 "seed=4 InputTensor=FLOAT32[1,1,160,251] InputTensor.fill=SMALL OutputTensor=FLOAT32[1,1,1,2] "
         "OutputIndicesTensor=UINT32[1,1,1,2] DimensionCount=2 Strides=1,1 WindowSize=160,250 StartPadding=0,0 "
         "EndPadding=0,0 Dilations=1,1",
    /* Channels side by side, and columns. */
    MAX2 "seed=5 InputTensor=FLOAT16[1,64,9,10] InputTensor.strides=5760,1,640,64 InputTensor.fill=SMALL "
         "OutputTensor=FLOAT16[1,64,9,10] OutputTensor.strides=5760,1,640,64 OutputIndicesTensor=UINT32[1,64,9,10] "
         "DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 Dilations=1,1",
    MAX2 "seed=6 InputTensor=INT8[2,3,24,32] InputTensor.strides=2304,768,1,24 InputTensor.fill=SMALL "
         "OutputTensor=INT8[2,3,24,32] OutputTensor.strides=2304,768,1,24 OutputIndicesTensor=UINT64[2,3,24,32] "
         "OutputIndicesTensor.strides=2304,768,1,24 DimensionCount=2 Strides=1,1 WindowSize=3,3 StartPadding=1,1 "
         "EndPadding=1,1 Dilations=1,1",
};
static const struct case_refusal max_pooling2_refused[] = {
    {MAX2 "InputTensor=FLOAT32[1,1,1,6] OutputTensor=FLOAT32[1,1,1,3] OutputIndicesTensor=UINT32[1,1,1,3] "
          "DimensionCount=2 Strides=1,1 WindowSize=1,2 StartPadding=0,0 EndPadding=0,0 Dilations=1,2",
     "DML_OPERATOR_MAX_POOLING2: OutputTensor.Sizes[3] is 3, must be 4, the number of windows"},
};

BENCHMARK(places, LOOP_MAXIMUM, MAX_POOLING2)
static const struct case_benchmark max_pooling2_benchmarks[] = {
    {"pool/max_places_3x3_by_2", FLOATS, SIDE(3, 2) | WITH_INDICES, 0, make_places, places_loop},
};
FAMILY(max_pooling2, MAX_POOLING2, .has_frame = true, BENCHMARKS(max_pooling2))

/* ---- MAX_UNPOOLING ---- */

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

const struct case_family vkdml_cases_max_unpooling = {
    .type = DML_OPERATOR_MAX_UNPOOLING,
    .support = max_unpooling_support,
    .support_count = COUNT_OF(max_unpooling_support),
    .fixed = max_unpooling_fixed,
    .fixed_count = COUNT_OF(max_unpooling_fixed),
    .refused = max_unpooling_refused,
    .refused_count = COUNT_OF(max_unpooling_refused),
    .generate = generate_unpooling,
    .group = "window",
    .benchmarks = max_unpooling_benchmarks,
    .benchmark_count = COUNT_OF(max_unpooling_benchmarks),
};
