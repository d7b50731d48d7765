/* Cases of SLICE, SLICE1 and SLICE_GRAD. */
#include <string.h>

#include "cases/operators/rearranging.h"

#define SLICED_SINCE_2_1                                                                                               \
    CASE_SUPPORT({DML_FEATURE_LEVEL_2_1, 4, 5, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_3_0, 1, 8, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64})
#define SLICED                                                                                                         \
    CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 5, WORDS_AND_HALVES}, {DML_FEATURE_LEVEL_2_1, 4, 5, CASE_TYPES_UP_TO_32},  \
                 {DML_FEATURE_LEVEL_3_0, 1, 8, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64})

/* A window of each dimension of `whole` at a stride, and the sizes of `part` that it leaves. */
struct any_window {
    uint32_t offsets[CASE_MAX_RANK], sizes[CASE_MAX_RANK], strides[CASE_MAX_RANK];
};

static struct any_window draw_window(struct random *random, bool backward, const struct case_tensor *whole,
                                     struct case_tensor *part) {
    struct any_window window;
    rearranging_copy_shape(part, whole);
    for (uint32_t d = 0; d < whole->rank; d++) {
        const uint32_t size = whole->sizes[d];
        const uint32_t strides[] = {1, 1, 1, 2, 3, random_between(random, 1, size), 0x7fffffff};
        const uint32_t stride = RANDOM_OF(random, strides);
        const uint32_t length = random_chance(random, 40) ? size : random_between(random, 1, size);
        const uint32_t most = 1 + (length - 1) / stride;
        window.offsets[d] = random_below(random, size - length + 1);
        window.sizes[d] = length;
        window.strides[d] = backward && random_chance(random, 30) ? 0 - stride : stride;
        part->sizes[d] = random_chance(random, 80) ? most : random_between(random, 1, most);
    }
    return window;
}

/* SLICE's attributes: sizes are the output's. */
static void set_slice(struct operator_case *c, uint32_t rank, const struct any_window *window) {
    case_set_uint(c, "DimensionCount", rank);
    case_set(c, "Offsets", rank, window->offsets);
    case_set(c, "Sizes", rank, window->sizes);
    case_set(c, "Strides", rank, window->strides);
}

static void generate_slice(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    struct case_tensor *input = rearranging_any_tensor(random, c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    struct any_window window = draw_window(random, false, input, output);
    memcpy(window.sizes, output->sizes, sizeof(window.sizes));
    set_slice(c, input->rank, &window);
    rearranging_lay_out(random, input, output);
    generate_call(random, c);
}

static void set_window(struct operator_case *c, uint32_t rank, const struct any_window *window) {
    case_set_uint(c, "DimensionCount", rank);
    case_set(c, "InputWindowOffsets", rank, window->offsets);
    case_set(c, "InputWindowSizes", rank, window->sizes);
    case_set(c, "InputWindowStrides", rank, window->strides);
}

/* `whole` is cut backward as well. */
static void generate_cut(struct random *random, struct operator_case *c, const char *whole_field,
                         const char *part_field) {
    struct case_tensor *whole = rearranging_any_tensor(random, c, whole_field), *part = case_tensor(c, part_field);
    const struct any_window window = draw_window(random, true, whole, part);
    set_window(c, whole->rank, &window);
    rearranging_lay_out(random, c->schema->type == DML_OPERATOR_SLICE1 ? whole : part,
                        c->schema->type == DML_OPERATOR_SLICE1 ? part : whole);
    generate_call(random, c);
}

static void generate_slice1(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_cut(random, c, "InputTensor", "OutputTensor");
}

static void generate_slice_grad(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_cut(random, c, "OutputGradientTensor", "InputGradientTensor");
}

/* Images without their rims, of every image and channel; the argument is the operator. */
static void make_crop(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    static const struct any_window rims = {{0, 0, 3, 3}, {0}, {1, 1, 1, 1}};
    case_begin(c, (DML_OPERATOR_TYPE)argument);
    const bool is_grad = argument == DML_OPERATOR_SLICE_GRAD;
    struct case_tensor *whole = case_tensor(c, is_grad ? "OutputGradientTensor" : "InputTensor");
    struct case_tensor *part = case_tensor(c, is_grad ? "InputGradientTensor" : "OutputTensor");
    benchmark_images(whole, bytes, type);
    rearranging_copy_shape(part, whole);
    part->sizes[2] -= 6;
    part->sizes[3] -= 6;
    struct any_window window = rims;
    memcpy(window.sizes, part->sizes, sizeof(window.sizes));
    if (argument == DML_OPERATOR_SLICE) {
        set_slice(c, 4, &window);
    } else {
        set_window(c, 4, &window);
    }
}

/* Every second row, and every row from its end on. */
static void make_stepped(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t backward, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_SLICE1);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    const uint32_t rows = benchmark_size(bytes, type, 4096, 2);
    benchmark_tensor(input, type, 2, (const uint32_t[]){rows, 4096});
    benchmark_tensor(output, type, 2, (const uint32_t[]){backward != 0 ? rows : rows / 2, 4096});
    case_set_uint(c, "DimensionCount", 2);
    case_set(c, "InputWindowOffsets", 2, (const uint32_t[]){0, 0});
    case_set(c, "InputWindowSizes", 2, (const uint32_t[]){rows, 4096});
    case_set(c, "InputWindowStrides", 2, (const uint32_t[]){backward != 0 ? 1 : 2, backward != 0 ? UINT32_MAX : 1});
}

/* Moves a window of `whole` to `part`. */
static void loop_window(const struct operator_case *c, unsigned char *const *tensors, const char *whole_field,
                        const char *part_field, const uint32_t *offsets, const uint32_t *sizes,
                        const uint32_t *strides) {
    const uint32_t whole = case_index(c, whole_field), part = case_index(c, part_field);
    const struct case_tensor *from = &c->tensors[whole], *to = &c->tensors[part];
    struct loop_move move = {.element = vkdmlGetDataTypeSize(to->type), .rank = to->rank};
    ptrdiff_t first = 0;
    for (uint32_t d = 0; d < to->rank; d++) {
        const int32_t step = (int32_t)strides[d];
        first += rearranging_packed_stride(from, d) * (ptrdiff_t)(offsets[d] + (step < 0 ? sizes[d] - 1 : 0));
        move.sizes[d] = to->sizes[d];
        move.from[d] = rearranging_packed_stride(from, d) * step;
        move.to[d] = rearranging_packed_stride(to, d);
    }
    loop_move(&move, tensors[whole] + first * (ptrdiff_t)move.element, tensors[part]);
}

static void slice_loop(const struct operator_case *c, unsigned char *const *tensors) {
    loop_window(c, tensors, "InputTensor", "OutputTensor", case_words(c, "Offsets"), case_words(c, "Sizes"),
                case_words(c, "Strides"));
}

static void slice1_loop(const struct operator_case *c, unsigned char *const *tensors) {
    loop_window(c, tensors, "InputTensor", "OutputTensor", case_words(c, "InputWindowOffsets"),
                case_words(c, "InputWindowSizes"), case_words(c, "InputWindowStrides"));
}

static const struct case_benchmark slice_benchmarks[] = {
    {"crop", BENCHMARKED, DML_OPERATOR_SLICE, 0, make_crop, slice_loop},
};

static const struct case_benchmark slice1_benchmarks[] = {
    {"crop", BENCHMARKED, DML_OPERATOR_SLICE1, 0, make_crop, slice1_loop},
    {"second_rows", BENCHMARKED, 0, 0, make_stepped, slice1_loop},
    {"reversed_rows", BENCHMARKED, 1, 0, make_stepped, slice1_loop},
};

static const struct case_benchmark slice_grad_benchmarks[] = {
    {"crop", BENCHMARKED, DML_OPERATOR_SLICE_GRAD, 0, make_crop, NULL},
};

static const struct case_tensor_support slice_support[] = {{"InputTensor", SLICED}, {"OutputTensor", SLICED}};
static const struct case_tensor_support slice1_support[] = {{"InputTensor", SLICED_SINCE_2_1},
                                                            {"OutputTensor", SLICED_SINCE_2_1}};
#define GRADIENTS                                                                                                      \
    CASE_SUPPORT({DML_FEATURE_LEVEL_3_0, 4, 5, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_3_1, 1, 8, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64})
static const struct case_tensor_support slice_grad_support[] = {{"InputGradientTensor", GRADIENTS},
                                                                {"OutputGradientTensor", GRADIENTS}};

static const char *const slice_fixed[] = {
    "SLICE DimensionCount=4 Offsets=0,0,1,2 Sizes=1,1,3,2 Strides=1,1,1,1 InputTensor=FLOAT32[1,1,4,4] "
    "InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 OutputTensor=FLOAT32[1,1,3,2] "
    "OutputTensor.data=7,8,11,12,15,16",
    "SLICE DimensionCount=4 Offsets=0,0,1,0 Sizes=1,1,2,2 Strides=1,1,2,3 InputTensor=FLOAT32[1,1,4,4] "
    "InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 OutputTensor=FLOAT32[1,1,2,2] "
    "OutputTensor.data=5,8,13,16",
};

static const char *const slice1_fixed[] = {
    "SLICE1 InputWindowOffsets=0,0,0,1 InputWindowSizes=1,1,4,3 InputWindowStrides=1,1,2,2 "
    "DimensionCount=4 InputTensor=FLOAT32[1,1,4,4] "
    "InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 OutputTensor=FLOAT32[1,1,2,2] "
    "OutputTensor.data=2,4,10,12",
    "SLICE1 InputWindowOffsets=0,0,0,1 InputWindowSizes=1,1,4,3 InputWindowStrides=1,1,-2,2 "
    "DimensionCount=4 InputTensor=FLOAT32[1,1,4,4] "
    "InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 OutputTensor=FLOAT32[1,1,2,2] "
    "OutputTensor.data=14,16,6,8",
    /* Both dimensions backward, and less than the window has. */
    ("SLICE1 InputTensor=INT16[2,5] InputTensor.data=1,2,3,4,5,6,7,8,9,10 OutputTensor=INT16[2,2] DimensionCount=2 "
     "InputWindowOffsets=0,0 InputWindowSizes=2,5 InputWindowStrides=-1,-2 OutputTensor.data=10,8,5,3"),
};

static const char *const slice_grad_fixed[] = {
    "SLICE_GRAD InputGradientTensor=FLOAT32[2,2] InputGradientTensor.data=1,2,3,4 OutputGradientTensor=FLOAT32[4,4] "
    "DimensionCount=2 InputWindowOffsets=0,0 InputWindowSizes=4,4 InputWindowStrides=2,2 "
    "OutputGradientTensor.data=1,0,2,0,0,0,0,0,3,0,4,0,0,0,0,0",
    "SLICE_GRAD InputGradientTensor=UINT8[2] InputGradientTensor.data=1,2 OutputGradientTensor=UINT8[6] "
    "DimensionCount=1 InputWindowOffsets=1 InputWindowSizes=4 InputWindowStrides=-3 "
    "OutputGradientTensor.data=0,2,0,0,1,0",
    "SLICE_GRAD InputGradientTensor=INT64[3] InputGradientTensor.data=1,2,3 OutputGradientTensor=INT64[3] "
    "DimensionCount=1 InputWindowOffsets=0 InputWindowSizes=3 InputWindowStrides=-1 "
    "OutputGradientTensor.data=3,2,1",
};

static const struct case_refusal slice_refused[] = {
    {"SLICE InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] DimensionCount=2 Offsets=0,0 Sizes=2,1 Strides=1,1",
     "DML_OPERATOR_SLICE: DimensionCount is 2, must be 1 = InputTensor.DimensionCount"},
    {"SLICE InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] DimensionCount=1 Offsets=0 Sizes=3 Strides=1",
     "DML_OPERATOR_SLICE: Sizes[0] is 3, must be 2 = OutputTensor.Sizes[0]"},
    {"SLICE InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] DimensionCount=1 Offsets=0 Sizes=2 Strides=0",
     "DML_OPERATOR_SLICE: Strides[0] is 0, must be at least 1"},
    {"SLICE InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] DimensionCount=1 Offsets=1 Sizes=2 Strides=3",
     "DML_OPERATOR_SLICE: Offsets[0] (1) + (Sizes[0] (2) - 1) * Strides[0] (3) is 4, must be below 4 = "
     "InputTensor.Sizes[0]"},
};

static const struct case_refusal slice1_refused[] = {
    {"SLICE1 InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] DimensionCount=3 InputWindowOffsets=0,0,0 "
     "InputWindowSizes=4,1,1 InputWindowStrides=1,1,1",
     "DML_OPERATOR_SLICE1: DimensionCount is 3, must be 1 = InputTensor.DimensionCount"},
    {"SLICE1 InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] DimensionCount=1 InputWindowOffsets=0 InputWindowSizes=4 "
     "InputWindowStrides=0",
     "DML_OPERATOR_SLICE1: InputWindowStrides[0] is 0, must be positive or negative"},
    {"SLICE1 InputTensor=FLOAT32[4] OutputTensor=FLOAT32[1] DimensionCount=1 InputWindowOffsets=0 InputWindowSizes=0 "
     "InputWindowStrides=1",
     "DML_OPERATOR_SLICE1: InputWindowSizes[0] is 0, must be at least 1"},
    {"SLICE1 InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] DimensionCount=1 InputWindowOffsets=2 InputWindowSizes=3 "
     "InputWindowStrides=1",
     "DML_OPERATOR_SLICE1: InputWindowOffsets[0] (2) + InputWindowSizes[0] (3) is 5, must be at most 4 = "
     "InputTensor.Sizes[0]"},
    {"SLICE1 InputTensor=FLOAT32[4] OutputTensor=FLOAT32[3] DimensionCount=1 InputWindowOffsets=0 InputWindowSizes=4 "
     "InputWindowStrides=-2",
     "DML_OPERATOR_SLICE1: OutputTensor.Sizes[0] is 3, must be at most 2: InputWindowSizes[0] is 4, "
     "InputWindowStrides[0] -2"},
};

static const struct case_refusal slice_grad_refused[] = {
    {"SLICE_GRAD InputGradientTensor=FLOAT32[3] OutputGradientTensor=FLOAT32[4] DimensionCount=1 InputWindowOffsets=0 "
     "InputWindowSizes=4 InputWindowStrides=-2",
     "DML_OPERATOR_SLICE_GRAD: InputGradientTensor.Sizes[0] is 3, must be at most 2: InputWindowSizes[0] is 4, "
     "InputWindowStrides[0] -2"},
};

REARRANGING_FAMILY(slice, SLICE, false);
REARRANGING_FAMILY(slice1, SLICE1, true);
REARRANGING_FAMILY(slice_grad, SLICE_GRAD, false);
