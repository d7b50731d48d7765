/* Cases of the operators that move elements: slices, joins, splits, tiles, blocks and windows. */
#include <string.h>

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"

#define MAX_RANK        DML_TENSOR_DIMENSION_COUNT_MAX1
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define BENCHMARKED     (CASE_TYPES_FLOATS | CASE_TYPE(UINT8) | CASE_TYPE(INT64))
#define WORDS_AND_HALVES                                                                                               \
    (CASE_TYPES_FLOATS | CASE_TYPE(INT32) | CASE_TYPE(INT16) | CASE_TYPE(UINT32) | CASE_TYPE(UINT16))

static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_INDEX, CASE_FILL_SPECIAL};

/* A family of this file, of what is called after it: .._support, .._fixed, .._refused, .._benchmarks, generate_... One
 * has a frame for all, with every kind of step and direction. */
#define FAMILY(name, NAME, has_frame_)                                                                                 \
    const struct case_family vkdml_cases_##name = {                                                                    \
        .type = DML_OPERATOR_##NAME,                                                                                   \
        .support = name##_support,                                                                                     \
        .support_count = COUNT_OF(name##_support),                                                                     \
        .fixed = name##_fixed,                                                                                         \
        .fixed_count = COUNT_OF(name##_fixed),                                                                         \
        .has_frame = has_frame_,                                                                                       \
        .transfers = true,                                                                                             \
        .refused = name##_refused,                                                                                     \
        .refused_count = COUNT_OF(name##_refused),                                                                     \
        .generate = generate_##name,                                                                                   \
        .group = #name,                                                                                                \
        .benchmarks = name##_benchmarks,                                                                               \
        .benchmark_count = COUNT_OF(name##_benchmarks),                                                                \
    }

/* A tensor of a type that the field takes, of any sizes. */
static struct case_tensor *any_tensor(struct random *random, struct operator_case *c, const char *field) {
    struct case_tensor *tensor = case_tensor(c, field);
    tensor->type = generate_type(random, c, field);
    tensor->rank = random_between(random, 1, MAX_RANK);
    generate_sizes(random, generate_budget(random), tensor);
    return tensor;
}

/* The same type, rank and sizes, for a caller that changes some. */
static void copy_shape(struct case_tensor *to, const struct case_tensor *from) {
    to->type = from->type;
    to->rank = from->rank;
    for (uint32_t d = 0; d < from->rank; d++) {
        to->sizes[d] = from->sizes[d];
    }
}

static void lay_out(struct random *random, struct case_tensor *input, struct case_tensor *output) {
    input->fill = RANDOM_OF(random, fills);
    generate_input_layout(random, input);
    generate_output_layout(random, output);
}

/* ---- slices ---- */

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
    uint32_t offsets[MAX_RANK], sizes[MAX_RANK], strides[MAX_RANK];
};

static struct any_window draw_window(struct random *random, bool backward, const struct case_tensor *whole,
                                     struct case_tensor *part) {
    struct any_window window;
    copy_shape(part, whole);
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

static void generate_slice(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    struct case_tensor *input = any_tensor(random, c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    const struct any_window window = draw_window(random, false, input, output);
    case_set_uint(c, "DimensionCount", input->rank);
    case_set(c, "Offsets", input->rank, window.offsets);
    case_set(c, "Sizes", input->rank, output->sizes);
    case_set(c, "Strides", input->rank, window.strides);
    lay_out(random, input, output);
    generate_call(random, c);
}

static void set_window(struct operator_case *c, uint32_t rank, const struct any_window *window) {
    case_set_uint(c, "DimensionCount", rank);
    case_set(c, "InputWindowOffsets", rank, window->offsets);
    case_set(c, "InputWindowSizes", rank, window->sizes);
    case_set(c, "InputWindowStrides", rank, window->strides);
}

static void generate_slice1(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    struct case_tensor *input = any_tensor(random, c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    const struct any_window window = draw_window(random, true, input, output);
    set_window(c, input->rank, &window);
    lay_out(random, input, output);
    generate_call(random, c);
}

static void generate_slice_grad(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    struct case_tensor *output = any_tensor(random, c, "OutputGradientTensor");
    struct case_tensor *input = case_tensor(c, "InputGradientTensor");
    const struct any_window window = draw_window(random, true, output, input);
    set_window(c, output->rank, &window);
    lay_out(random, input, output);
    generate_call(random, c);
}

/* Images without their rims, of every image and channel. */
static void make_crop(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    case_begin(c, (DML_OPERATOR_TYPE)argument);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    benchmark_images(input, bytes, type);
    copy_shape(output, input);
    output->sizes[2] -= 6;
    output->sizes[3] -= 6;
    case_set_uint(c, "DimensionCount", 4);
    if (argument == DML_OPERATOR_SLICE) {
        case_set(c, "Offsets", 4, (const uint32_t[]){0, 0, 3, 3});
        case_set(c, "Sizes", 4, output->sizes);
        case_set(c, "Strides", 4, (const uint32_t[]){1, 1, 1, 1});
    } else {
        case_set(c, "InputWindowOffsets", 4, (const uint32_t[]){0, 0, 3, 3});
        case_set(c, "InputWindowSizes", 4, output->sizes);
        case_set(c, "InputWindowStrides", 4, (const uint32_t[]){1, 1, 1, 1});
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

static void make_slice_grad(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_SLICE_GRAD);
    (void)argument;
    struct case_tensor *output = case_tensor(c, "OutputGradientTensor");
    struct case_tensor *input = case_tensor(c, "InputGradientTensor");
    benchmark_images(output, bytes, type);
    copy_shape(input, output);
    input->sizes[2] -= 6;
    input->sizes[3] -= 6;
    case_set_uint(c, "DimensionCount", 4);
    case_set(c, "InputWindowOffsets", 4, (const uint32_t[]){0, 0, 3, 3});
    case_set(c, "InputWindowSizes", 4, input->sizes);
    case_set(c, "InputWindowStrides", 4, (const uint32_t[]){1, 1, 1, 1});
}

static uint32_t slot_of(const struct operator_case *c, const char *field) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (strcmp(c->schema->fields[at.field].name, field) == 0) {
            return at.slot;
        }
    }
    return 0;
}

static const uint32_t *words_of(const struct operator_case *c, const char *field) {
    uint32_t i = 0;
    while (strcmp(c->schema->fields[i].name, field) != 0) {
        i++;
    }
    return c->fields[i].words;
}

/* How far apart packed elements are along a dimension. */
static ptrdiff_t packed_stride(const struct case_tensor *tensor, uint32_t d) {
    ptrdiff_t stride = 1;
    while (++d < tensor->rank) {
        stride *= tensor->sizes[d];
    }
    return stride;
}

/* Moves a window of `whole` to `part`. */
static void loop_window(const struct operator_case *c, unsigned char *const *tensors, const char *whole_field,
                        const char *part_field, const uint32_t *offsets, const uint32_t *sizes,
                        const uint32_t *strides) {
    const uint32_t whole = slot_of(c, whole_field), part = slot_of(c, part_field);
    const struct case_tensor *from = &c->tensors[whole], *to = &c->tensors[part];
    struct loop_move move = {.element = vkdmlGetDataTypeSize(to->type), .rank = to->rank};
    ptrdiff_t first = 0;
    for (uint32_t d = 0; d < to->rank; d++) {
        const int32_t step = (int32_t)strides[d];
        first += packed_stride(from, d) * (ptrdiff_t)(offsets[d] + (step < 0 ? sizes[d] - 1 : 0));
        move.sizes[d] = to->sizes[d];
        move.from[d] = packed_stride(from, d) * step;
        move.to[d] = packed_stride(to, d);
    }
    loop_move(&move, tensors[whole] + first * (ptrdiff_t)move.element, tensors[part]);
}

static void slice_loop(const struct operator_case *c, unsigned char *const *tensors) {
    loop_window(c, tensors, "InputTensor", "OutputTensor", words_of(c, "Offsets"), words_of(c, "Sizes"),
                words_of(c, "Strides"));
}

static void slice1_loop(const struct operator_case *c, unsigned char *const *tensors) {
    loop_window(c, tensors, "InputTensor", "OutputTensor", words_of(c, "InputWindowOffsets"),
                words_of(c, "InputWindowSizes"), words_of(c, "InputWindowStrides"));
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
    {"crop", BENCHMARKED, 0, 0, make_slice_grad, NULL},
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

FAMILY(slice, SLICE, false);
FAMILY(slice1, SLICE1, true);
FAMILY(slice_grad, SLICE_GRAD, false);

/* ---- several tensors ---- */

#define SPLIT_TYPES                                                                                                    \
    CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 4, WORDS_AND_HALVES}, {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32},  \
                 {DML_FEATURE_LEVEL_3_0, 1, 8, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64})
#define JOIN_TYPES                                                                                                     \
    CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 4, WORDS_AND_HALVES}, {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32},  \
                 {DML_FEATURE_LEVEL_3_0, 4, 5, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64})

#define MOST_PARTS 5

/* Cuts a tensor into parts along any axis, and lays them out. */
static void generate_parts(struct random *random, struct operator_case *c, const char *whole_field,
                           const char *parts_field, const char *count_field, bool parts_are_inputs) {
    struct case_tensor *whole = any_tensor(random, c, whole_field);
    const uint32_t axis = random_below(random, whole->rank);
    uint32_t left = whole->sizes[axis];
    uint32_t count = 0;
    while (left != 0) {
        struct case_tensor *part = case_array_tensor(c, parts_field, count++);
        copy_shape(part, whole);
        part->sizes[axis] = count == MOST_PARTS || random_chance(random, 20) ? left : random_between(random, 1, left);
        left -= part->sizes[axis];
        part->fill = parts_are_inputs ? RANDOM_OF(random, fills) : part->fill;
        (parts_are_inputs ? generate_input_layout : generate_output_layout)(random, part);
    }
    whole->fill = parts_are_inputs ? whole->fill : RANDOM_OF(random, fills);
    (parts_are_inputs ? generate_output_layout : generate_input_layout)(random, whole);
    case_set_uint(c, count_field, count);
    case_set_uint(c, "Axis", axis);
    generate_call(random, c);
}

static void generate_split(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_parts(random, c, "InputTensor", "OutputTensors", "OutputCount", false);
}

static void generate_join(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    generate_parts(random, c, "OutputTensor", "InputTensors", "InputCount", true);
}

/* Two halves of a matrix, along its rows or its columns. */
static void make_halves(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, bool splits,
                        struct operator_case *c) {
    case_begin(c, splits ? DML_OPERATOR_SPLIT : DML_OPERATOR_JOIN);
    struct case_tensor *whole = case_tensor(c, splits ? "InputTensor" : "OutputTensor");
    const uint32_t rows = benchmark_size(bytes, type, 2048, 2);
    benchmark_tensor(whole, type, 2, (const uint32_t[]){rows, 2048});
    for (uint32_t p = 0; p < 2; p++) {
        struct case_tensor *part = case_array_tensor(c, splits ? "OutputTensors" : "InputTensors", p);
        benchmark_tensor(part, type, 2, whole->sizes);
        part->sizes[axis] /= 2;
    }
    case_set_uint(c, splits ? "OutputCount" : "InputCount", 2);
    case_set_uint(c, "Axis", axis);
}

static void make_split(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    make_halves(bytes, type, axis, true, c);
}

static void make_join(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t axis, struct operator_case *c) {
    make_halves(bytes, type, axis, false, c);
}

/* Both halves, one after the other. */
static void loop_halves(const struct operator_case *c, unsigned char *const *tensors, const char *whole_field,
                        const char *parts_field) {
    const uint32_t whole = slot_of(c, whole_field);
    const bool splits = c->schema->type == DML_OPERATOR_SPLIT;
    const uint32_t axis = *words_of(c, "Axis");
    ptrdiff_t at = 0;
    for (struct case_at part = case_first(c); part.tensor != NULL; part = case_next(c, part)) {
        if (strcmp(c->schema->fields[part.field].name, parts_field) != 0) {
            continue;
        }
        struct loop_move move = {.element = vkdmlGetDataTypeSize(part.tensor->type), .rank = part.tensor->rank};
        for (uint32_t d = 0; d < move.rank; d++) {
            const ptrdiff_t of_whole = packed_stride(&c->tensors[whole], d), of_part = packed_stride(part.tensor, d);
            move.sizes[d] = part.tensor->sizes[d];
            move.from[d] = splits ? of_whole : of_part;
            move.to[d] = splits ? of_part : of_whole;
        }
        unsigned char *side = tensors[whole] + at * (ptrdiff_t)move.element;
        loop_move(&move, splits ? side : tensors[part.slot], splits ? tensors[part.slot] : side);
        at += packed_stride(&c->tensors[whole], axis) * part.tensor->sizes[axis];
    }
}

static void split_loop(const struct operator_case *c, unsigned char *const *tensors) {
    loop_halves(c, tensors, "InputTensor", "OutputTensors");
}

static void join_loop(const struct operator_case *c, unsigned char *const *tensors) {
    loop_halves(c, tensors, "OutputTensor", "InputTensors");
}

static const struct case_benchmark split_benchmarks[] = {
    {"outer", BENCHMARKED, 0, 0, make_split, split_loop},
    {"inner", BENCHMARKED, 1, 0, make_split, split_loop},
};

static const struct case_benchmark join_benchmarks[] = {
    {"outer", BENCHMARKED, 0, 0, make_join, join_loop},
    {"inner", BENCHMARKED, 1, 0, make_join, join_loop},
};

static const struct case_tensor_support split_support[] = {{"InputTensor", SPLIT_TYPES},
                                                           {"OutputTensors", SPLIT_TYPES}};
static const struct case_tensor_support join_support[] = {{"InputTensors", JOIN_TYPES}, {"OutputTensor", JOIN_TYPES}};

static const char *const split_fixed[] = {
    "SPLIT OutputCount=3 Axis=2 InputTensor=FLOAT32[1,1,6,2] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "OutputTensors[0]=FLOAT32[1,1,2,2] OutputTensors[0].data=1,2,3,4 OutputTensors[1]=FLOAT32[1,1,1,2] "
    "OutputTensors[1].data=5,6 OutputTensors[2]=FLOAT32[1,1,3,2] OutputTensors[2].data=7,8,9,10,11,12",
    "SPLIT OutputCount=2 Axis=3 InputTensor=FLOAT32[1,1,6,2] InputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12 "
    "OutputTensors[0]=FLOAT32[1,1,6,1] OutputTensors[0].data=1,3,5,7,9,11 "
    "OutputTensors[1]=FLOAT32[1,1,6,1] OutputTensors[1].data=2,4,6,8,10,12",
    ("SPLIT InputTensor=UINT8[3] InputTensor.data=1,2,3 OutputCount=1 OutputTensors[0]=UINT8[3] "
     "OutputTensors[0].data=1,2,3 Axis=0"),
};

static const char *const join_fixed[] = {
    "JOIN InputCount=2 Axis=3 InputTensors[0]=FLOAT32[1,1,2,3] InputTensors[0].data=1,2,3,4,5,6 "
    "InputTensors[1]=FLOAT32[1,1,2,4] InputTensors[1].data=7,8,9,10,11,12,13,14 "
    "OutputTensor=FLOAT32[1,1,2,7] OutputTensor.data=1,2,3,7,8,9,10,4,5,6,11,12,13,14",
    "JOIN InputCount=3 Axis=1 InputTensors[0]=FLOAT32[1,1,2,2] InputTensors[0].data=1,2,3,4 "
    "InputTensors[1]=FLOAT32[1,1,2,2] InputTensors[1].data=5,6,7,8 InputTensors[2]=FLOAT32[1,1,2,2] "
    "InputTensors[2].data=9,10,11,12 OutputTensor=FLOAT32[1,3,2,2] "
    "OutputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12",
    "JOIN InputCount=3 Axis=2 InputTensors[0]=FLOAT32[1,1,2,2] InputTensors[0].data=1,2,3,4 "
    "InputTensors[1]=FLOAT32[1,1,2,2] InputTensors[1].data=5,6,7,8 InputTensors[2]=FLOAT32[1,1,2,2] "
    "InputTensors[2].data=9,10,11,12 OutputTensor=FLOAT32[1,1,6,2] "
    "OutputTensor.data=1,2,3,4,5,6,7,8,9,10,11,12",
    "JOIN InputCount=3 Axis=3 InputTensors[0]=FLOAT32[1,1,2,2] InputTensors[0].data=1,2,3,4 "
    "InputTensors[1]=FLOAT32[1,1,2,2] InputTensors[1].data=5,6,7,8 InputTensors[2]=FLOAT32[1,1,2,2] "
    "InputTensors[2].data=9,10,11,12 OutputTensor=FLOAT32[1,1,2,6] "
    "OutputTensor.data=1,2,5,6,9,10,3,4,7,8,11,12",
    /* Parts that share words. */
    "JOIN InputCount=3 InputTensors[0]=UINT8[2,1] InputTensors[0].data=1,2 InputTensors[1]=UINT8[2,2] "
    "InputTensors[1].data=3,4,5,6 InputTensors[2]=UINT8[2,3] InputTensors[2].data=7,8,9,10,11,12 "
    "OutputTensor=UINT8[2,6] OutputTensor.data=1,3,4,7,8,9,2,5,6,10,11,12 Axis=1",
};

static const struct case_refusal split_refused[] = {
    {"SPLIT InputTensor=FLOAT32[4] OutputCount=1 OutputTensors[0]=FLOAT32[4] Axis=1",
     "DML_OPERATOR_SPLIT: Axis is 1, must be below 1 = InputTensor.DimensionCount"},
    {"SPLIT InputTensor=FLOAT32[4,2] OutputCount=2 OutputTensors[0]=FLOAT32[2,2] OutputTensors[1]=FLOAT32[2,3] Axis=0",
     "DML_OPERATOR_SPLIT: OutputTensors[1].Sizes[1] is 3, must be 2 = InputTensor.Sizes[1]"},
    {"SPLIT InputTensor=FLOAT32[4] OutputCount=2 OutputTensors[0]=FLOAT32[2] OutputTensors[1]=FLOAT32[1] Axis=0",
     "DML_OPERATOR_SPLIT: InputTensor.Sizes[0] is 4, must be 3, the sum of the sizes along Axis of the 2 tensors"},
};

static const struct case_refusal join_refused[] = {
    {"JOIN InputCount=1 InputTensors[0]=FLOAT32[4] OutputTensor=FLOAT32[4] Axis=7",
     "DML_OPERATOR_JOIN: Axis is 7, must be below 1 = OutputTensor.DimensionCount"},
    {"JOIN InputCount=2 InputTensors[0]=FLOAT32[2] InputTensors[1]=FLOAT32[3] OutputTensor=FLOAT32[6] Axis=0",
     "DML_OPERATOR_JOIN: OutputTensor.Sizes[0] is 6, must be 5, the sum of the sizes along Axis of the 2 tensors"},
};

FAMILY(split, SPLIT, false);
FAMILY(join, JOIN, false);

/* ---- tiles ---- */

#define TILE_TYPES                                                                                                     \
    CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 4, CASE_TYPES_FLOATS}, {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32}, \
                 {DML_FEATURE_LEVEL_3_1, 1, 8, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64 & ~CASE_TYPE(FLOAT64)})

static void generate_tile(const struct case_family *family, struct random *random, struct operator_case *c) {
    uint32_t repeats[MAX_RANK];
    case_begin(c, family->type);
    struct case_tensor *output = any_tensor(random, c, "OutputTensor");
    struct case_tensor *input = case_tensor(c, "InputTensor");
    copy_shape(input, output);
    for (uint32_t d = 0; d < output->rank; d++) {
        const uint32_t size =
            random_chance(random, 40) ? output->sizes[d] : random_between(random, 1, output->sizes[d]);
        input->sizes[d] = size;
        repeats[d] = output->sizes[d] / size;
        output->sizes[d] = size * repeats[d];
    }
    case_set_uint(c, "RepeatsCount", output->rank);
    case_set(c, "Repeats", output->rank, repeats);
    lay_out(random, input, output);
    generate_call(random, c);
}

static void make_tiles(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t inner, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_TILE);
    const uint32_t rows = benchmark_size(bytes, type, 4096, 2);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, (const uint32_t[]){rows, 4096});
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 2,
                     (const uint32_t[]){inner != 0 ? rows : rows / 2, inner != 0 ? 2048 : 4096});
    case_set_uint(c, "RepeatsCount", 2);
    case_set(c, "Repeats", 2, (const uint32_t[]){inner != 0 ? 1 : 2, inner != 0 ? 2 : 1});
}

static void tile_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const uint32_t in = slot_of(c, "InputTensor"), out = slot_of(c, "OutputTensor");
    const struct case_tensor *from = &c->tensors[in], *to = &c->tensors[out];
    struct loop_move move = {.element = vkdmlGetDataTypeSize(to->type), .rank = 2 * to->rank};
    for (uint32_t d = 0; d < to->rank; d++) {
        move.sizes[2 * d] = to->sizes[d] / from->sizes[d];
        move.to[2 * d] = packed_stride(to, d) * from->sizes[d];
        move.sizes[2 * d + 1] = from->sizes[d];
        move.from[2 * d + 1] = packed_stride(from, d);
        move.to[2 * d + 1] = packed_stride(to, d);
    }
    loop_move(&move, tensors[in], tensors[out]);
}

static const struct case_benchmark tile_benchmarks[] = {
    {"outer", BENCHMARKED & ~CASE_TYPE(FLOAT64), 0, 0, make_tiles, tile_loop},
    {"inner", BENCHMARKED & ~CASE_TYPE(FLOAT64), 1, 0, make_tiles, tile_loop},
};

static const struct case_tensor_support tile_support[] = {{"InputTensor", TILE_TYPES}, {"OutputTensor", TILE_TYPES}};

static const char *const tile_fixed[] = {
    "TILE RepeatsCount=4 Repeats=1,1,3,3 InputTensor=FLOAT32[1,1,2,3] InputTensor.data=1,2,3,4,5,6 "
    "OutputTensor=FLOAT32[1,1,6,9] "
    "OutputTensor.data=1,2,3,1,2,3,1,2,3,4,5,6,4,5,6,4,5,6,1,2,3,1,2,3,1,2,3,4,5,6,4,5,6,4,5,6,1,2,3,1,2,3,1,2,3,4,5,6,"
    "4,5,6,4,5,6",
    /* So large that GPUs walk through both copies block by block. */
    "TILE seed=2 InputTensor=FLOAT32[2100,1024] InputTensor.fill=BITS OutputTensor=FLOAT32[4200,1024] "
    "RepeatsCount=2 Repeats=2,1",
    /* Sixteen dimensions once split: more than kernels take. */
    "TILE seed=1 InputTensor=UINT8[2,2,2,2,2,2,2,3] InputTensor.fill=INDEX OutputTensor=UINT8[4,4,4,4,4,4,4,6] "
    "RepeatsCount=8 Repeats=2,2,2,2,2,2,2,2",
};

static const struct case_refusal tile_refused[] = {
    {"TILE InputTensor=FLOAT32[2] OutputTensor=FLOAT32[4] RepeatsCount=2 Repeats=2,1",
     "DML_OPERATOR_TILE: RepeatsCount is 2, must be 1 = InputTensor.DimensionCount"},
    {"TILE InputTensor=FLOAT32[2] OutputTensor=FLOAT32[4] RepeatsCount=1 Repeats=0",
     "DML_OPERATOR_TILE: Repeats[0] is 0, must be at least 1"},
    {"TILE InputTensor=FLOAT32[2] OutputTensor=FLOAT32[4] RepeatsCount=1 Repeats=3",
     "DML_OPERATOR_TILE: OutputTensor.Sizes[0] is 4, must be 6 = InputTensor.Sizes[0] (2) * Repeats[0] (3)"},
};

FAMILY(tile, TILE, false);

/* ---- blocks ---- */

#define BLOCKS_SINCE_2_1                                                                                               \
    CASE_SUPPORT({DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32}, {DML_FEATURE_LEVEL_5_0, 4, 4, CASE_TYPES_UP_TO_64})
#define BLOCKS                                                                                                         \
    CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 4, CASE_TYPES_FLOATS}, {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32}, \
                 {DML_FEATURE_LEVEL_5_0, 4, 4, CASE_TYPES_UP_TO_64})

/* The sizes of the deep tensor and of the wide one. */
static void set_blocks(struct operator_case *c, DML_TENSOR_DATA_TYPE type, const uint32_t *wide, uint32_t block,
                       bool to_depth) {
    benchmark_tensor(case_tensor(c, to_depth ? "InputTensor" : "OutputTensor"), type, 4,
                     (const uint32_t[]){wide[0], wide[1], wide[2] * block, wide[3] * block});
    benchmark_tensor(case_tensor(c, to_depth ? "OutputTensor" : "InputTensor"), type, 4,
                     (const uint32_t[]){wide[0], wide[1] * block * block, wide[2], wide[3]});
    case_set_uint(c, "BlockSize", block);
}

static void generate_blocks(struct random *random, struct operator_case *c, bool to_depth, bool has_order) {
    struct case_tensor sizes = {.rank = 4};
    const uint32_t budget = generate_budget(random);
    const uint32_t blocks[] = {1, 2, 2, 3, 4, 8};
    const uint32_t block = RANDOM_OF(random, blocks);
    generate_sizes(random, budget / (block * block) + 1, &sizes);
    set_blocks(c, generate_type(random, c, "InputTensor"), sizes.sizes, block, to_depth);
    if (has_order) {
        case_set_uint(c, "Order", random_below(random, 2));
    }
    lay_out(random, case_tensor(c, "InputTensor"), case_tensor(c, "OutputTensor"));
    generate_call(random, c);
}

/* Images of 64 channels, by blocks of 2 x 2. */
static void make_blocks(uint64_t bytes, DML_TENSOR_DATA_TYPE type, DML_OPERATOR_TYPE operator_type, uint32_t order,
                        bool to_depth, struct operator_case *c) {
    struct case_tensor images = {.rank = 4};
    case_begin(c, operator_type);
    benchmark_images(&images, bytes, type);
    set_blocks(c, type, (const uint32_t[]){images.sizes[0], images.sizes[1], images.sizes[2] / 2, images.sizes[3] / 2},
               2, to_depth);
    if (operator_type == DML_OPERATOR_SPACE_TO_DEPTH1 || operator_type == DML_OPERATOR_DEPTH_TO_SPACE1) {
        case_set_uint(c, "Order", order);
    }
}

/* Rows of the output, whose elements lie a block apart in the wide tensor, or side by side in the deep one. */
static void loop_blocks(const struct operator_case *c, unsigned char *const *tensors, bool to_depth,
                        bool channels_first) {
    const uint32_t in = slot_of(c, "InputTensor"), out = slot_of(c, "OutputTensor");
    const struct case_tensor *deep = &c->tensors[to_depth ? out : in], *wide = &c->tensors[to_depth ? in : out];
    const uint32_t block = *words_of(c, "BlockSize");
    const ptrdiff_t depth = packed_stride(deep, 1), channels = wide->sizes[1];
    const ptrdiff_t column = channels_first ? depth : depth * channels;
    struct loop_move move = {.element = vkdmlGetDataTypeSize(deep->type), .rank = 6};
    const ptrdiff_t of_deep[] = {packed_stride(deep, 0), channels_first ? depth * block * block : depth,
                                 column * block,         column,
                                 packed_stride(deep, 2), 1};
    const ptrdiff_t of_wide[] = {packed_stride(wide, 0),         packed_stride(wide, 1),
                                 packed_stride(wide, 2),         1,
                                 packed_stride(wide, 2) * block, block};
    const uint32_t sizes[] = {wide->sizes[0], wide->sizes[1], block, block, deep->sizes[2], deep->sizes[3]};
    /* The row of the wide tensor is that of two dimensions: the block's column is the inner one. */
    static const uint32_t to_deep_order[] = {0, 1, 2, 3, 4, 5}, to_wide_order[] = {0, 1, 4, 2, 5, 3};
    for (uint32_t d = 0; d < 6; d++) {
        const uint32_t n = to_depth ? to_deep_order[d] : to_wide_order[d];
        move.sizes[d] = sizes[n];
        move.from[d] = to_depth ? of_wide[n] : of_deep[n];
        move.to[d] = to_depth ? of_deep[n] : of_wide[n];
    }
    loop_move(&move, tensors[in], tensors[out]);
}

#define BLOCK_FAMILY(name, NAME, to_depth, has_order, support)                                                         \
    static void generate_##name(const struct case_family *family, struct random *random, struct operator_case *c) {    \
        case_begin(c, family->type);                                                                                   \
        generate_blocks(random, c, to_depth, has_order);                                                               \
    }                                                                                                                  \
    static void make_##name(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t order, struct operator_case *c) {      \
        make_blocks(bytes, type, DML_OPERATOR_##NAME, order, to_depth, c);                                             \
    }                                                                                                                  \
    static const struct case_tensor_support name##_support[] = {{"InputTensor", support}, {"OutputTensor", support}};  \
    static void name##_loop(const struct operator_case *c, unsigned char *const *tensors) {                            \
        loop_blocks(c, tensors, to_depth, (has_order) && *words_of(c, "Order") != 0);                                  \
    }                                                                                                                  \
    static const struct case_benchmark name##_benchmarks[] = {                                                         \
        {"blocks_2x2", BENCHMARKED, has_order, 0, make_##name, name##_loop},                                           \
    };                                                                                                                 \
    FAMILY(name, NAME, false)

static const char *const space_to_depth_fixed[] = {
    "SPACE_TO_DEPTH BlockSize=2 InputTensor=UINT32[1,2,4,6] "
    "InputTensor.data=0,18,1,19,2,20,36,54,37,55,38,56,3,21,4,22,5,23,39,57,40,58,41,59,9,27,10,28,11,29,45,63,46,64,"
    "47,65,12,30,13,31,14,32,48,66,49,67,50,68 "
    "OutputTensor=UINT32[1,8,2,3] "
    "OutputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68",
};

static const char *const space_to_depth1_fixed[] = {
    "SPACE_TO_DEPTH1 BlockSize=2 Order=DEPTH_COLUMN_ROW InputTensor=UINT32[1,2,4,6] "
    "InputTensor.data=0,18,1,19,2,20,36,54,37,55,38,56,3,21,4,22,5,23,39,57,40,58,41,59,9,27,10,28,11,29,45,63,46,64,"
    "47,65,12,30,13,31,14,32,48,66,49,67,50,68 "
    "OutputTensor=UINT32[1,8,2,3] "
    "OutputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68",
    "SPACE_TO_DEPTH1 BlockSize=2 Order=COLUMN_ROW_DEPTH InputTensor=UINT32[1,2,4,6] "
    "InputTensor.data=0,9,1,10,2,11,18,27,19,28,20,29,3,12,4,13,5,14,21,30,22,31,23,32,36,45,37,46,38,47,54,63,55,64,"
    "56,65,39,48,40,49,41,50,57,66,58,67,59,68 "
    "OutputTensor=UINT32[1,8,2,3] "
    "OutputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68",
};

static const char *const depth_to_space_fixed[] = {
    "DEPTH_TO_SPACE InputTensor=FLOAT16[1,8,1,2] InputTensor.data=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 "
    "OutputTensor=FLOAT16[1,2,2,4] OutputTensor.data=0,4,1,5,8,12,9,13,2,6,3,7,10,14,11,15 BlockSize=2",
};

static const char *const depth_to_space1_fixed[] = {
    "DEPTH_TO_SPACE1 BlockSize=2 Order=DEPTH_COLUMN_ROW InputTensor=UINT32[1,8,2,3] "
    "InputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68 "
    "OutputTensor=UINT32[1,2,4,6] "
    "OutputTensor.data=0,18,1,19,2,20,36,54,37,55,38,56,3,21,4,22,5,23,39,57,40,58,41,59,9,27,10,28,11,29,45,63,46,64,"
    "47,65,12,30,13,31,14,32,48,66,49,67,50,68",
    "DEPTH_TO_SPACE1 BlockSize=2 Order=COLUMN_ROW_DEPTH InputTensor=UINT32[1,8,2,3] "
    "InputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68 "
    "OutputTensor=UINT32[1,2,4,6] "
    "OutputTensor.data=0,9,1,10,2,11,18,27,19,28,20,29,3,12,4,13,5,14,21,30,22,31,23,32,36,45,37,46,38,47,54,63,55,64,"
    "56,65,39,48,40,49,41,50,57,66,58,67,59,68",
};

static const struct case_refusal space_to_depth_refused[] = {
    {"SPACE_TO_DEPTH InputTensor=FLOAT32[1,1,2,2] OutputTensor=FLOAT32[1,4,1,1] BlockSize=0",
     "DML_OPERATOR_SPACE_TO_DEPTH: BlockSize is 0, must be at least 1"},
    {"SPACE_TO_DEPTH InputTensor=FLOAT32[1,1,2,2] OutputTensor=FLOAT32[1,3,1,1] BlockSize=2",
     "DML_OPERATOR_SPACE_TO_DEPTH: OutputTensor.Sizes[1] is 3, must be InputTensor.Sizes[1] (1) * 4; BlockSize is 2"},
};

static const struct case_refusal space_to_depth1_refused[] = {
    {"SPACE_TO_DEPTH1 InputTensor=FLOAT32[1,1,3,2] OutputTensor=FLOAT32[1,4,1,1] BlockSize=2 Order=COLUMN_ROW_DEPTH",
     "DML_OPERATOR_SPACE_TO_DEPTH1: InputTensor.Sizes[2] is 3, must be OutputTensor.Sizes[2] (1) * 2; BlockSize is 2"},
};

static const struct case_refusal depth_to_space_refused[] = {
    {"DEPTH_TO_SPACE InputTensor=FLOAT32[2,4,1,1] OutputTensor=FLOAT32[1,1,2,2] BlockSize=2",
     "DML_OPERATOR_DEPTH_TO_SPACE: OutputTensor.Sizes[0] is 1, must be InputTensor.Sizes[0] (2) * 1; BlockSize is 2"},
};

static const struct case_refusal depth_to_space1_refused[] = {
    {"DEPTH_TO_SPACE1 InputTensor=FLOAT32[1,4,1,1] OutputTensor=FLOAT32[1,1,2,5] BlockSize=2 Order=COLUMN_ROW_DEPTH",
     "DML_OPERATOR_DEPTH_TO_SPACE1: OutputTensor.Sizes[3] is 5, must be InputTensor.Sizes[3] (1) * 2; BlockSize is 2"},
};

BLOCK_FAMILY(space_to_depth, SPACE_TO_DEPTH, true, false, BLOCKS);
BLOCK_FAMILY(space_to_depth1, SPACE_TO_DEPTH1, true, true, BLOCKS_SINCE_2_1);
BLOCK_FAMILY(depth_to_space, DEPTH_TO_SPACE, false, false, BLOCKS);
BLOCK_FAMILY(depth_to_space1, DEPTH_TO_SPACE1, false, true, BLOCKS_SINCE_2_1);

/* ---- windows ---- */

#define SPATIAL (MAX_RANK - 2)

static void set_unfold(struct operator_case *c, uint32_t spatial, const uint32_t *windows, const uint32_t *strides,
                       const uint32_t *dilations, const uint32_t *start, const uint32_t *end) {
    case_set_uint(c, "DimensionCount", spatial);
    case_set(c, "WindowSizes", spatial, windows);
    case_set(c, "Strides", spatial, strides);
    case_set(c, "Dilations", spatial, dilations);
    case_set(c, "StartPadding", spatial, start);
    case_set(c, "EndPadding", spatial, end);
}

static void generate_unfold(const struct case_family *family, struct random *random, struct operator_case *c) {
    uint32_t windows[SPATIAL], strides[SPATIAL], dilations[SPATIAL], start[SPATIAL], end[SPATIAL];
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_between(random, 3, MAX_RANK);
    generate_sizes(random, generate_budget(random) / 4 + 1, input);
    const uint32_t spatial = input->rank - 2;
    const bool is_padded = random_chance(random, 50);
    uint32_t window = 1, blocks = 1, room = 64;
    for (uint32_t s = 0; s < spatial; s++) {
        start[s] = is_padded ? random_below(random, 3) : 0;
        end[s] = is_padded ? random_below(random, 3) : 0;
        const uint32_t padded = input->sizes[2 + s] + start[s] + end[s];
        const uint32_t most = padded < 4 ? padded : 4;
        windows[s] = random_between(random, 1, most < room ? most : room);
        room /= windows[s];
        dilations[s] = windows[s] > 1 ? random_between(random, 1, (padded - 1) / (windows[s] - 1)) : 1;
        strides[s] = random_between(random, 1, 3);
        window *= windows[s];
        blocks *= (padded - dilations[s] * (windows[s] - 1) - 1) / strides[s] + 1;
    }
    set_unfold(c, spatial, windows, strides, dilations, start, end);
    output->type = input->type;
    output->rank = random_chance(random, 50) ? 3 : input->rank;
    for (uint32_t d = 0; d < output->rank; d++) {
        output->sizes[d] = 1;
    }
    output->sizes[output->rank - 3] = input->sizes[0];
    output->sizes[output->rank - 2] = input->sizes[1] * window;
    output->sizes[output->rank - 1] = blocks;
    lay_out(random, input, output);
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
    set_unfold(c, 2, (const uint32_t[]){3, 3}, (const uint32_t[]){1, 1}, (const uint32_t[]){1, 1},
               (const uint32_t[]){pad, pad}, (const uint32_t[]){pad, pad});
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

FAMILY(unfold, UNFOLD, false);
