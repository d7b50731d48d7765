/* Cases of FOLD, and of UNFOLD, which takes apart what it adds up. */
#include "cases/operators/neighbours.h"
#include "cases/operators/rearranging.h"

/* ---- FOLD ---- */

#define SPATIAL (CASE_MAX_RANK - 2)

struct folding {
    uint32_t windows[SPATIAL], strides[SPATIAL], dilations[SPATIAL], start[SPATIAL], end[SPATIAL];
};

static uint32_t block_count(const struct folding *f, uint32_t s, uint32_t size) {
    return (size + f->start[s] + f->end[s] - f->dilations[s] * (f->windows[s] - 1) - 1) / f->strides[s] + 1;
}

static struct folding read_folding(const struct operator_case *c) {
    struct folding f;
    memcpy(f.windows, case_words(c, "WindowSizes"), sizeof(f.windows));
    memcpy(f.strides, case_words(c, "Strides"), sizeof(f.strides));
    memcpy(f.dilations, case_words(c, "Dilations"), sizeof(f.dilations));
    memcpy(f.start, case_words(c, "StartPadding"), sizeof(f.start));
    memcpy(f.end, case_words(c, "EndPadding"), sizeof(f.end));
    return f;
}

static void set_folding(struct operator_case *c, uint32_t spatial, const struct folding *f) {
    case_set_uint(c, "DimensionCount", spatial);
    case_set(c, "WindowSizes", spatial, f->windows);
    case_set(c, "Strides", spatial, f->strides);
    case_set(c, "Dilations", spatial, f->dilations);
    case_set(c, "StartPadding", spatial, f->start);
    case_set(c, "EndPadding", spatial, f->end);
}

struct folded {
    double sum, magnitudes, count;
};

/* All blocks are tried. */
static struct folded folded_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const struct case_tensor *input = &c->tensors[0], *output = &c->tensors[1];
    const struct folding f = read_folding(c);
    const uint32_t spatial = output->rank - 2;
    struct case_tensor blocks = {.rank = spatial};
    uint32_t block[CASE_MAX_RANK] = {0};
    struct folded t = {0, 0, 0};
    for (uint32_t s = 0; s < spatial; s++) {
        blocks.sizes[s] = block_count(&f, s, output->sizes[2 + s]);
    }
    do {
        uint32_t from[CASE_MAX_RANK] = {0}, row = at[1], column = 0;
        bool is_there = true;
        for (uint32_t s = 0; s < spatial; s++) {
            const int64_t distance = (int64_t)at[2 + s] + f.start[s] - (int64_t)block[s] * f.strides[s];
            const int64_t element = distance / f.dilations[s];
            is_there = is_there && distance >= 0 && distance % f.dilations[s] == 0 && element < f.windows[s];
            row = row * f.windows[s] + (uint32_t)element;
            column = column * blocks.sizes[s] + block[s];
        }
        if (is_there) {
            from[input->rank - 3] = at[0];
            from[input->rank - 2] = row;
            from[input->rank - 1] = column;
            const double x = case_number(c, tensors, 0, from);
            t.sum += x;
            t.magnitudes += fabs(x);
            t.count++;
        }
    } while (case_next_coordinates(&blocks, block));
    return t;
}

static struct accuracy_bounds fold_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                          const uint32_t *at) {
    if (!number_is_float(c->tensors[0].type)) {
        return (struct accuracy_bounds){NAN, NAN, false}; /* exact */
    }
    const struct folded t = folded_at(c, tensors, at);
    if (isfinite(t.magnitudes) && t.magnitudes > NEIGHBOURS_GREATEST) {
        return accuracy_anything; /* sums on the way may be infinite */
    }
    const double error =
        isfinite(t.magnitudes) ? t.magnitudes * accuracy_of_terms(c, t.count) + t.count * neighbours_denormal(c) : 0;
    return (struct accuracy_bounds){t.sum - error, t.sum + error, isnan(t.sum)};
}

static struct accuracy_exact fold_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                        const uint32_t *at) {
    const struct folded t = folded_at(c, tensors, at);
    return t.magnitudes > 0x1p120 ? accuracy_no_exact : accuracy_beside(t.sum, t.magnitudes);
}

/* Windows of an image, of which the other tensor is made. */
static void choose_folding(struct random *random, struct operator_case *c, const struct case_tensor *image,
                           struct case_tensor *folded, bool may_tile, struct folding *f) {
    const uint32_t spatial = image->rank - 2;
    const bool is_padded = random_chance(random, 50), tiles = may_tile && random_chance(random, 15);
    uint32_t window = 1, blocks = 1, room = 64;
    for (uint32_t s = 0; s < spatial; s++) {
        f->start[s] = is_padded ? random_below(random, 3) : 0;
        f->end[s] = is_padded ? random_below(random, 3) : 0;
        const uint32_t padded = image->sizes[2 + s] + f->start[s] + f->end[s];
        const uint32_t most = padded < 4 ? padded : 4;
        f->windows[s] = random_between(random, 1, most < room ? most : room);
        room /= f->windows[s];
        const uint32_t farthest = f->windows[s] > 1 ? (padded - 1) / (f->windows[s] - 1) : 3;
        const uint32_t near = farthest < 3 ? farthest : 3;
        f->dilations[s] =
            random_chance(random, 50) ? 1 : random_between(random, 1, random_chance(random, 70) ? near : farthest);
        f->strides[s] = random_chance(random, 40) ? 1 : random_between(random, 1, 4);
        if (tiles) {
            f->strides[s] = f->windows[s];
            f->dilations[s] = 1;
        }
        window *= f->windows[s];
        blocks *= block_count(f, s, image->sizes[2 + s]);
    }
    set_folding(c, spatial, f);
    folded->type = image->type;
    folded->rank = random_chance(random, 50) ? 3 : image->rank;
    for (uint32_t d = 0; d < folded->rank; d++) {
        folded->sizes[d] = 1;
    }
    folded->sizes[folded->rank - 3] = image->sizes[0];
    folded->sizes[folded->rank - 2] = image->sizes[1] * window;
    folded->sizes[folded->rank - 1] = blocks;
}

static void generate_fold(const struct case_family *family, struct random *random, struct operator_case *c) {
    struct folding f;
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    output->type = generate_type(random, c, "OutputTensor");
    output->rank = random_chance(random, 60) ? 4 : random_between(random, 3, CASE_MAX_RANK);
    generate_sizes(random, generate_budget(random) / 16 + 1, output);
    choose_folding(random, c, output, input, true, &f);
    neighbours_lay_out(random, input, output);
    generate_call(random, c);
}

#define FOLD_SUPPORT CASE_SUPPORT(AT_LEVEL(6_4, 1, 8, NUMBERS))
static const struct case_tensor_support fold_support[] = {{"InputTensor", FOLD_SUPPORT},
                                                          {"OutputTensor", FOLD_SUPPORT}};

static const char *const fold_fixed[] = {
    /* A window so wide that no ring is walked, of elements that are read again in each of its places. */
    "FOLD seed=1 InputTensor=FLOAT32[1,800,10] InputTensor.strides=10,0,1 InputTensor.fill=UNIT "
    "OutputTensor=FLOAT32[1,1,3,404] DimensionCount=2 WindowSizes=2,400 Strides=1,1 Dilations=1,1 StartPadding=0,0 "
    "EndPadding=0,0",
    "FOLD InputTensor=FLOAT32[1,4,2] InputTensor.data=1,2,3,4,5,6,7,8 OutputTensor=FLOAT32[1,2,3] "
    "OutputTensor.data=1,5,4,5,13,8 DimensionCount=1 WindowSizes=2 Strides=1 Dilations=1 StartPadding=0 EndPadding=0",
    "FOLD InputTensor=INT8[1,1,4,4] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 OutputTensor=INT8[1,1,2,2] "
    "OutputTensor.data=13,10,7,4 DimensionCount=2 WindowSizes=2,2 Strides=2,2 Dilations=1,1 StartPadding=1,1 "
    "EndPadding=1,1",
    /* Integers wrap around. */
    "FOLD InputTensor=INT64[1,2,2] InputTensor.data=0,0x7fffffffffffffff,0x7fffffffffffffff,0 "
    "OutputTensor=INT64[1,1,3] OutputTensor.data=0,0xfffffffffffffffe,0 DimensionCount=1 WindowSizes=2 Strides=1 "
    "Dilations=1 StartPadding=0 EndPadding=0",
    /* Places that no window reaches, and steps that share a factor, or none. */
    "FOLD InputTensor=UINT16[1,2,2] InputTensor.data=1,2,3,4 OutputTensor=UINT16[1,1,6] OutputTensor.data=1,0,3,2,0,4 "
    "DimensionCount=1 WindowSizes=2 Strides=3 Dilations=2 StartPadding=0 EndPadding=0",
    "FOLD InputTensor=FLOAT16[1,3,2] InputTensor.data=1,2,3,4,5,6 OutputTensor=FLOAT16[1,1,8] "
    "OutputTensor.data=1,0,5,0,9,0,6,0 DimensionCount=1 WindowSizes=3 Strides=2 Dilations=2 StartPadding=0 "
    "EndPadding=0",
    "FOLD seed=1 InputTensor=FLOAT32[2,27,1200] InputTensor.fill=UNIT OutputTensor=FLOAT32[2,3,30,40] DimensionCount=2 "
    "WindowSizes=3,3 Strides=1,1 Dilations=1,1 StartPadding=1,1 EndPadding=1,1",
    "FOLD seed=2 InputTensor=FLOAT16[2,27,1064] InputTensor.fill=UNIT OutputTensor=FLOAT16[2,3,30,40] DimensionCount=2 "
    "WindowSizes=3,3 Strides=1,1 Dilations=1,1 StartPadding=0,0 EndPadding=0,0",
    "FOLD seed=3 InputTensor=FLOAT32[1,300,5] InputTensor.fill=UNIT OutputTensor=FLOAT32[1,1,304] DimensionCount=1 "
    "WindowSizes=300 Strides=1 Dilations=1 StartPadding=0 EndPadding=0",
    "FOLD seed=4 InputTensor=FLOAT16[1,200,200] InputTensor.fill=UNIT OutputTensor=FLOAT16[1,1,399] DimensionCount=1 "
    "WindowSizes=200 Strides=1 Dilations=1 StartPadding=0 EndPadding=0",
    "FOLD seed=5 InputTensor=INT16[2,64,64] InputTensor.fill=BITS OutputTensor=INT16[2,1,3,3,3,3,3,3] "
    "DimensionCount=6 WindowSizes=2,2,2,2,2,2 Strides=1,1,1,1,1,1 Dilations=1,1,1,1,1,1 StartPadding=0,0,0,0,0,0 "
    "EndPadding=0,0,0,0,0,0",
    "FOLD seed=6 InputTensor=UINT8[1,12,300] InputTensor.fill=BITS OutputTensor=UINT8[1,3,20,60] DimensionCount=2 "
    "WindowSizes=2,2 Strides=2,2 Dilations=1,1 StartPadding=0,0 EndPadding=0,0",
};

#define FOLDED "InputTensor=FLOAT32[1,4,2] OutputTensor=FLOAT32[1,2,3] "
static const struct case_refusal fold_refused[] = {
    {"FOLD " FOLDED "DimensionCount=2 WindowSizes=2,1 Strides=1,1 Dilations=1,1 StartPadding=0,0 EndPadding=0,0",
     "DML_OPERATOR_FOLD: OutputTensor.DimensionCount is 3, must be 4 = DimensionCount (2, 1 to 6) + 2"},
    {"FOLD " FOLDED "DimensionCount=1 WindowSizes=2 Strides=1 Dilations=0 StartPadding=0 EndPadding=0",
     "DML_OPERATOR_FOLD: Dilations[0] is 0, must be at least 1"},
    {"FOLD " FOLDED "DimensionCount=1 WindowSizes=2 Strides=1 Dilations=2 StartPadding=0 EndPadding=0",
     "DML_OPERATOR_FOLD: InputTensor.Sizes[2] is 2, must be 1, the number of windows"},
    {"FOLD " FOLDED "DimensionCount=1 WindowSizes=1 Strides=1 Dilations=1 StartPadding=0 EndPadding=0",
     "DML_OPERATOR_FOLD: InputTensor.Sizes[1] is 4, must be 2, the channels times the elements of a window\n"
     "DML_OPERATOR_FOLD: InputTensor.Sizes[2] is 2, must be 3, the number of windows"},
};

/* What a convolution of so many squared reads, added up; the argument: the window's side, and 16 times the stride. */
static void make_fold(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_FOLD);
    const uint32_t side = argument & 15, stride = argument >> 4;
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    benchmark_images(output, bytes / (side * side) * (stride * stride), type);
    const uint32_t length = (output->sizes[2] - side) / stride + 1;
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 3,
                     (const uint32_t[]){output->sizes[0], output->sizes[1] * side * side, length * length});
    case_tensor(c, "InputTensor")->fill = CASE_FILL_UNIT;
    const struct folding f = {{side, side}, {stride, stride}, {1, 1}, {0, 0}, {0, 0}};
    set_folding(c, 2, &f);
}

/* Zeros, and onto them window element by window element. */
static void fold_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *output = &c->tensors[1];
    const size_t planes = (size_t)output->sizes[0] * output->sizes[1], height = output->sizes[2],
                 width = output->sizes[3];
    const size_t side = case_word(c, "WindowSizes"), stride = case_word(c, "Strides");
    const size_t down = (height - side) / stride + 1, along = (width - side) / stride + 1;
    static float image[1u << 20];
    for (size_t p = 0; p < planes; p++) {
        memset(image, 0, height * width * sizeof(image[0]));
        for (size_t e = 0; e < side * side; e++) {
            const size_t from = (p * side * side + e) * down * along;
            for (size_t y = 0; y < down; y++) {
                float *row = &image[(y * stride + e / side) * width + e % side];
                for (size_t x = 0; x < along; x++) {
                    row[x * stride] += loop_load(tensors[0], output->type, from + y * along + x);
                }
            }
        }
        for (size_t i = 0; i < height * width; i++) {
            loop_store(tensors[1], output->type, p * height * width + i, image[i]);
        }
    }
}

static const struct case_benchmark fold_benchmarks[] = {
    {"fold/windows_3x3", FLOATS, 3 | 1 << 4, 0, make_fold, fold_loop},
    {"fold/windows_3x3_by_2", FLOATS, 3 | 2 << 4, 0, make_fold, fold_loop},
    {"fold/tiles_2x2", FLOATS, 2 | 2 << 4, 0, make_fold, fold_loop},
};

CASE_FAMILY(fold, FOLD, .has_frame = true, .transfers = true, .generate = generate_fold, .group = "window",
            CASE_BENCHMARKS(fold_benchmarks), .bounds = fold_bounds, .exact = fold_exact);

/* ---- UNFOLD ---- */

static void generate_unfold(const struct case_family *family, struct random *random, struct operator_case *c) {
    struct folding f;
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_between(random, 3, CASE_MAX_RANK);
    generate_sizes(random, generate_budget(random) / 4 + 1, input);
    choose_folding(random, c, input, output, false, &f);
    rearranging_lay_out(random, input, output);
    generate_call(random, c);
}

/* What a convolution of 3 x 3 reads. */
static void make_unfold(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t pad, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_UNFOLD);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    benchmark_images(input, bytes / 9, type);
    const uint32_t side = input->sizes[2] + 2 * pad - 2;
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 3,
                     (const uint32_t[]){input->sizes[0], input->sizes[1] * 9, side * side});
    set_folding(c, 2, &(struct folding){{3, 3}, {1, 1}, {1, 1}, {pad, pad}, {pad, pad}});
}

static const struct case_benchmark unfold_benchmarks[] = {
    {"windows_3x3", BENCHMARKED, 0, 0, make_unfold, NULL},
    {"windows_3x3/padded", BENCHMARKED, 1, 0, make_unfold, NULL},
};

#define UNFOLD_TYPES CASE_SUPPORT({DML_FEATURE_LEVEL_6_4, 1, 8, CASE_TYPES_UP_TO_64})
static const struct case_tensor_support unfold_support[] = {{"InputTensor", UNFOLD_TYPES},
                                                            {"OutputTensor", UNFOLD_TYPES}};

static const char *const unfold_fixed[] = {
    "UNFOLD InputTensor=FLOAT32[1,2,3] InputTensor.data=1,2,3,4,5,6 OutputTensor=FLOAT32[1,4,2] "
    "OutputTensor.data=1,2,2,3,4,5,5,6 DimensionCount=1 WindowSizes=2 Strides=1 Dilations=1 StartPadding=0 "
    "EndPadding=0",
    "UNFOLD InputTensor=FLOAT32[1,1,2,2] InputTensor.data=1,2,3,4 OutputTensor=FLOAT32[1,1,4,4] "
    "OutputTensor.data=0,0,0,4,0,0,3,0,0,2,0,0,1,0,0,0 DimensionCount=2 WindowSizes=2,2 Strides=2,2 Dilations=1,1 "
    "StartPadding=1,1 EndPadding=1,1",
    "UNFOLD seed=1 InputTensor=INT16[2,1,3,3,3,3,3,3] InputTensor.fill=INDEX OutputTensor=INT16[2,64,64] "
    "DimensionCount=6 WindowSizes=2,2,2,2,2,2 Strides=1,1,1,1,1,1 Dilations=1,1,1,1,1,1 StartPadding=0,0,0,0,0,0 "
    "EndPadding=0,0,0,0,0,0",
};

static const struct case_refusal unfold_refused[] = {
    {"UNFOLD InputTensor=FLOAT32[1,2,3] OutputTensor=FLOAT32[1,4,2] DimensionCount=2 WindowSizes=2,1 Strides=1,1 "
     "Dilations=1,1 StartPadding=0,0 EndPadding=0,0",
     "DML_OPERATOR_UNFOLD: InputTensor.DimensionCount is 3, must be 4 = DimensionCount (2, 1 to 6) + 2"},
    {"UNFOLD InputTensor=FLOAT32[1,2,3,3] OutputTensor=FLOAT32[4,2] DimensionCount=2 WindowSizes=2,1 Strides=1,1 "
     "Dilations=1,1 StartPadding=0,0 EndPadding=0,0",
     "DML_OPERATOR_UNFOLD: OutputTensor.DimensionCount is 2, must be 3, or 4 with ones before"},
    {"UNFOLD InputTensor=FLOAT32[1,2,3] OutputTensor=FLOAT32[1,4,2] DimensionCount=1 WindowSizes=2 Strides=0 "
     "Dilations=1 StartPadding=0 EndPadding=0",
     "DML_OPERATOR_UNFOLD: Strides[0] is 0, must be at least 1"},
    {"UNFOLD InputTensor=FLOAT32[1,2,3] OutputTensor=FLOAT32[1,4,3] DimensionCount=1 WindowSizes=2 Strides=1 "
     "Dilations=1 StartPadding=0 EndPadding=0",
     "DML_OPERATOR_UNFOLD: OutputTensor.Sizes[2] is 3, must be 2, the number of windows"},
    {"UNFOLD InputTensor=FLOAT32[1,2,3] OutputTensor=FLOAT32[1,5,2] DimensionCount=1 WindowSizes=2 Strides=1 "
     "Dilations=1 StartPadding=0 EndPadding=0",
     "DML_OPERATOR_UNFOLD: OutputTensor.Sizes[1] is 5, must be 4, the channels times the elements of a window"},
};

REARRANGING_FAMILY(unfold, UNFOLD, false);
