/* Planners against invented devices: whatever the descriptor, a plan keeps to the device's limits and the caller's
 * memory, or is refused with the limit and the value. No GPU, and no memory for the tensors. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/case.h"
#include "cases/random.h"
#include "plan_fixture.h"

/* ---- random cases ---- */

static const DML_TENSOR_DATA_TYPE movable_types[] = {
    DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_DATA_TYPE_UINT32,
    DML_TENSOR_DATA_TYPE_UINT16,  DML_TENSOR_DATA_TYPE_UINT8,   DML_TENSOR_DATA_TYPE_INT32,
    DML_TENSOR_DATA_TYPE_INT16,   DML_TENSOR_DATA_TYPE_INT8,    DML_TENSOR_DATA_TYPE_FLOAT64,
    DML_TENSOR_DATA_TYPE_UINT64,  DML_TENSOR_DATA_TYPE_INT64,
};
#define COUNTABLE_TYPES 8 /* the first of them: what NONZERO_COORDINATES takes */

/* Sizes of any magnitude, their product between 1 and 2^bits and below 2^32. */
static void random_shape(struct random *random, uint32_t rank, uint32_t bits, struct case_tensor *tensor) {
    uint32_t order[DML_TENSOR_DIMENSION_COUNT_MAX1], left = random_between(random, 0, bits);
    random_permutation(random, rank, order);
    tensor->rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t spent = i + 1 == rank && random_chance(random, 50) ? left : random_between(random, 0, left);
        uint64_t most = UINT64_C(1) << spent;
        if (most > UINT32_MAX)
            most = UINT32_MAX;
        tensor->sizes[order[i]] = random_between(random, (uint32_t)(most / 2 + 1), (uint32_t)most);
        left -= spent;
    }
    while (case_element_count(tensor) > UINT32_MAX)
        tensor->sizes[random_below(random, rank)] = 1;
}

/* Strides in any order of the dimensions, with or without gaps; none where they would not fit 32 bits. */
static void random_strides(struct random *random, struct case_tensor *tensor) {
    uint32_t order[DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint32_t gaps = random_below(random, 3);
    uint64_t stride = 1;
    tensor->has_strides = 0;
    if (random_chance(random, 30))
        return;
    random_permutation(random, tensor->rank, order);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (gaps != 0 && random_chance(random, 40))
            stride += gaps == 1 ? random_below(random, 8) : random_below(random, 1u << random_below(random, 20));
        if (stride > UINT32_MAX)
            return;
        tensor->strides[order[i]] = (uint32_t)stride;
        stride *= tensor->sizes[order[i]];
    }
    tensor->has_strides = 1;
}

static void random_rest_of_output(struct random *random, struct case_tensor *tensor) {
    static const uint32_t slacks[] = {0, 0, 4, 12, 1024, 1u << 30};
    static const uint32_t alignments[] = {0, 0, 0, 8, 16, 64, 256, 4096};
    random_strides(random, tensor);
    tensor->slack = RANDOM_OF(random, slacks);
    tensor->align = RANDOM_OF(random, alignments);
}

/* As an output, but its elements may also be broadcast, or overlap at will. */
static void random_rest_of_input(struct random *random, struct case_tensor *tensor) {
    random_rest_of_output(random, tensor);
    for (uint32_t i = 0; tensor->has_strides && i < tensor->rank; i++)
        if (random_chance(random, 20))
            tensor->strides[i] = random_below(random, 3);
    tensor->owned = random_chance(random, 25);
}

static void random_identity(struct random *random, struct operator_case *c) {
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    random_shape(random, random_between(random, 1, 8), 32, output);
    output->type = RANDOM_OF(random, movable_types);
    *input = *output;
    random_rest_of_output(random, output);
    random_rest_of_input(random, input);
    if (random_chance(random, 30))
        case_set(c, "ScaleBias", 2, (const uint32_t[]){0x40000000, 0x3f800000}); /* 2 and 1 */
}

static void random_padding(struct random *random, struct operator_case *c) {
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    uint32_t start[DML_TENSOR_DIMENSION_COUNT_MAX1], end[DML_TENSOR_DIMENSION_COUNT_MAX1];
    random_shape(random, random_between(random, 1, 8), 32, output);
    output->type = RANDOM_OF(random, movable_types);
    *input = *output;
    for (uint32_t i = 0; i < output->rank; i++) {
        if (random_chance(random, 50))
            input->sizes[i] = random_between(random, 1, output->sizes[i]);
        start[i] = random_between(random, 0, output->sizes[i] - input->sizes[i]);
        end[i] = output->sizes[i] - input->sizes[i] - start[i];
    }
    random_rest_of_output(random, output);
    random_rest_of_input(random, input);
    case_set_uint(c, "PaddingMode", random_below(random, 5));
    case_set_float(c, "PaddingValue", -1.5f);
    case_set_uint(c, "DimensionCount", output->rank);
    case_set(c, "StartPadding", output->rank, start);
    case_set(c, "EndPadding", output->rank, end);
}

static void random_diagonal(struct random *random, struct operator_case *c) {
    static const uint32_t offsets[] = {0, 1, UINT32_MAX, 1000, 0x7fffffff, 0x80000000};
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    random_shape(random, random_between(random, 2, 4), 32, output);
    output->type = RANDOM_OF(random, movable_types);
    random_rest_of_output(random, output);
    case_set_uint(c, "Offset", RANDOM_OF(random, offsets));
    case_set_float(c, "Value", 1.0f);
}

/* What lies above the main diagonal is filled, never all. */
static void random_triangle(struct random *random, struct operator_case *c) {
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    random_shape(random, random_between(random, 2, 4), 32, output);
    output->type = RANDOM_OF(random, movable_types);
    *input = *output;
    random_rest_of_output(random, output);
    random_rest_of_input(random, input);
    case_set_uint(c, "ValueDataType", output->type);
    case_set_uint(c, "DiagonalFillBegin", 1);
    case_set_uint(c, "DiagonalFillEnd", INT32_MAX);
}

static uint32_t effective_rank(const struct case_tensor *tensor) {
    uint32_t ones = 0;
    while (ones < tensor->rank && tensor->sizes[ones] == 1)
        ones++;
    return tensor->rank - ones;
}

static void random_nonzero(struct random *random, struct operator_case *c) {
    struct case_tensor *input = case_tensor(c, "InputTensor"), *count = case_tensor(c, "OutputCountTensor"),
                       *coordinates = case_tensor(c, "OutputCoordinatesTensor");
    random_shape(random, random_between(random, 1, 8), 28, input); /* coordinates have up to 8 columns */
    input->type = movable_types[random_below(random, COUNTABLE_TYPES)];
    random_rest_of_input(random, input);
    random_shape(random, random_between(random, 1, 8), 0, count);
    count->type = coordinates->type = DML_TENSOR_DATA_TYPE_UINT32;
    random_rest_of_output(random, count);
    random_shape(random, random_between(random, 2, 8), 0, coordinates);
    uint32_t least = effective_rank(input);
    coordinates->sizes[coordinates->rank - 2] = (uint32_t)case_element_count(input);
    coordinates->sizes[coordinates->rank - 1] = random_between(random, least > 1 ? least : 1, input->rank);
    random_rest_of_output(random, coordinates);
}

/* A tensor of one element. */
static void set_scalar(struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type, uint32_t rank) {
    struct case_tensor *tensor = case_tensor(c, field);
    tensor->type = type;
    tensor->rank = rank;
    for (uint32_t i = 0; i < rank; i++)
        tensor->sizes[i] = 1;
}

static void random_quantized_add(struct random *random, struct operator_case *c) {
    struct case_tensor *a = case_tensor(c, "ATensor"), *b = case_tensor(c, "BTensor"),
                       *output = case_tensor(c, "OutputTensor");
    random_shape(random, random_between(random, 1, 8), 32, output);
    output->type = DML_TENSOR_DATA_TYPE_INT8;
    *a = *b = *output;
    random_rest_of_output(random, output);
    random_rest_of_input(random, a);
    random_rest_of_input(random, b);
    set_scalar(c, "AScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, output->rank);
    set_scalar(c, "BScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, output->rank);
    set_scalar(c, "OutputScaleTensor", DML_TENSOR_DATA_TYPE_FLOAT32, output->rank);
    set_scalar(c, "BZeroPointTensor", DML_TENSOR_DATA_TYPE_INT8, output->rank);
}

/* Each operand but the first is broadcast along some dimensions. */
static void random_normalization(struct random *random, struct operator_case *c) {
    static const char *const others[] = {"MeanTensor", "VarianceTensor", "ScaleTensor", "BiasTensor"};
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    random_shape(random, random_between(random, 1, 8), 32, output);
    output->type = random_chance(random, 50) ? DML_TENSOR_DATA_TYPE_FLOAT32 : DML_TENSOR_DATA_TYPE_FLOAT16;
    *input = *output;
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct case_tensor *other = case_tensor(c, others[i]);
        *other = *output;
        for (uint32_t d = 0; d < other->rank; d++)
            other->sizes[d] = random_chance(random, 50) ? 1 : other->sizes[d];
        random_rest_of_input(random, other);
    }
    random_rest_of_output(random, output);
    random_rest_of_input(random, input);
}

static const DML_TENSOR_DATA_TYPE index_types[] = {DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_INT64};

/* Also of updates, whose sizes are the indices' then, and the output's the input's. */
static void random_indices(struct random *random, struct operator_case *c) {
    const bool scatters = c->schema->type == DML_OPERATOR_SCATTER_ELEMENTS;
    struct case_tensor *input = case_tensor(c, "InputTensor"), *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    random_shape(random, random_between(random, 1, 8), 32, input);
    input->type = RANDOM_OF(random, movable_types);
    const uint32_t axis = random_below(random, input->rank);
    *indices = *output = *input;
    indices->sizes[axis] = random_between(random, 1, input->sizes[axis]);
    if (scatters) {
        struct case_tensor *updates = case_tensor(c, "UpdatesTensor");
        *updates = *indices;
        random_rest_of_input(random, updates);
    } else {
        output->sizes[axis] = indices->sizes[axis];
    }
    indices->type = RANDOM_OF(random, index_types);
    random_rest_of_output(random, output);
    random_rest_of_input(random, input);
    random_rest_of_input(random, indices);
    case_set_uint(c, "Axis", axis);
}

/* Tuples of as many coordinates as the input has dimensions. */
static void random_tuples(struct random *random, struct operator_case *c) {
    struct case_tensor *input = case_tensor(c, "InputTensor"), *indices = case_tensor(c, "IndicesTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    random_shape(random, random_between(random, 2, 8), 32, input);
    output->type = input->type = RANDOM_OF(random, movable_types);
    random_shape(random, input->rank, 28, indices);
    indices->sizes[input->rank - 1] = input->rank;
    indices->type = RANDOM_OF(random, index_types);
    output->rank = input->rank;
    output->sizes[0] = 1;
    memcpy(output->sizes + 1, indices->sizes, (input->rank - 1) * sizeof(indices->sizes[0]));
    random_rest_of_output(random, output);
    random_rest_of_input(random, input);
    random_rest_of_input(random, indices);
    case_set_uint(c, "InputDimensionCount", input->rank);
    case_set_uint(c, "IndicesDimensionCount", input->rank);
}

#define RANDOM_CASES 1000 /* of each operator; those of thousands of windows take milliseconds */
#define FEW_CASES    40   /* of those of several passes, or of windows of many operands */

static const struct {
    DML_OPERATOR_TYPE type;
    void (*fill)(struct random *random, struct operator_case *c);
    uint32_t cases;
} generators[] = {
    {DML_OPERATOR_ELEMENT_WISE_IDENTITY, random_identity, RANDOM_CASES},
    {DML_OPERATOR_PADDING, random_padding, RANDOM_CASES},
    {DML_OPERATOR_DIAGONAL_MATRIX, random_diagonal, RANDOM_CASES},
    {DML_OPERATOR_DIAGONAL_MATRIX1, random_triangle, RANDOM_CASES},
    {DML_OPERATOR_NONZERO_COORDINATES, random_nonzero, RANDOM_CASES},
    {DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD, random_quantized_add, FEW_CASES},
    {DML_OPERATOR_BATCH_NORMALIZATION, random_normalization, FEW_CASES},
    {DML_OPERATOR_GATHER_ELEMENTS, random_indices, 4 * FEW_CASES},
    {DML_OPERATOR_GATHER_ND, random_tuples, 4 * FEW_CASES},
    {DML_OPERATOR_SCATTER_ELEMENTS, random_indices, 4 * FEW_CASES},
};

/* ---- tests ---- */

static void random_plans_keep_to_the_limits(void **state) {
    (void)state;
    const char *seed_text = getenv("VKDML_TEST_SEED");
    uint64_t seed = seed_text != NULL ? strtoull(seed_text, NULL, 0) : 1;
    for (size_t g = 0; g < COUNT_OF(generators); g++) {
        uint32_t planned = 0, refused = 0;
        for (uint32_t i = 0; i < generators[g].cases; i++) {
            struct random random = {random_mix(random_mix(seed, g), i)};
            static struct operator_case c;
            case_begin(&c, generators[g].type);
            generators[g].fill(&random, &c);
            struct subject subject;
            open_subject(&subject, &c, &devices[DEVICE_MINIMUM]);
            subject.flags = random_chance(&random, 30) ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0;
            for (size_t d = 0; d < COUNT_OF(devices); d++) {
                subject.device = &devices[d];
                check_subject(&subject);
                *(subject.result == VKDML_SUCCESS ? &planned : &refused) += 1;
            }
            close_subject(&subject);
        }
        /* Otherwise the generator has gone astray and the test says nothing. */
        assert_true(planned > generators[g].cases);
        assert_true(refused > generators[g].cases / 100);
    }
}

static void a_tensor_may_fill_the_range_but_for_the_alignment(void **state) {
    (void)state;
    static struct operator_case c;
    /* 128 MiB in rows of 16 bytes; at an offset of 240 beyond a multiple of 256, 15 rows fewer fit. */
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, (1u << 23) - 15, 4);
    assert_int_equal(steps_of(&c, &devices[DEVICE_MINIMUM]), 1);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, (1u << 23) - 14, 4);
    assert_int_equal(steps_of(&c, &devices[DEVICE_MINIMUM]), 2);
    /* Where every tensor offset is aligned well enough nothing is lost. */
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 1u << 23, 4);
    assert_int_equal(steps_of(&c, &devices[DEVICE_LAVAPIPE]), 1);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, (1u << 23) + 1, 4);
    assert_int_equal(steps_of(&c, &devices[DEVICE_LAVAPIPE]), 2);
}

static void a_transpose_of_4_gib_is_covered_by_windows(void **state) {
    (void)state;
    static struct operator_case c;
    case_begin(&c, DML_OPERATOR_ELEMENT_WISE_IDENTITY);
    struct case_tensor *input = case_tensor(&c, "InputTensor"), *output = case_tensor(&c, "OutputTensor");
    input->type = DML_TENSOR_DATA_TYPE_FLOAT32;
    input->rank = 2;
    input->sizes[0] = 1u << 15;
    input->sizes[1] = 1u << 15;
    *output = *input;
    input->has_strides = 1;
    input->strides[0] = 1;
    input->strides[1] = 1u << 15;
    const uint32_t steps = steps_of(&c, &devices[DEVICE_MINIMUM]);
    /* 33 parts of each tensor: 32 would need all of the range, alignment included. */
    assert_true(steps >= 32 * 32 && steps <= 33 * 33);
}

static void nonzero_case(struct operator_case *c, DML_TENSOR_DATA_TYPE type, uint32_t elements) {
    case_begin(c, DML_OPERATOR_NONZERO_COORDINATES);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *count = case_tensor(c, "OutputCountTensor"),
                       *coordinates = case_tensor(c, "OutputCoordinatesTensor");
    input->type = type;
    count->type = coordinates->type = DML_TENSOR_DATA_TYPE_UINT32;
    input->rank = count->rank = 1;
    coordinates->rank = 2;
    input->sizes[0] = coordinates->sizes[0] = elements;
    count->sizes[0] = coordinates->sizes[1] = 1;
}

/* The workgroups of both passes over that many elements, with one variant's kernels. */
static uint32_t nonzero_groups(VkdmlKernelVariant variant, DML_TENSOR_DATA_TYPE type, uint32_t elements) {
    static struct operator_case c;
    static struct invented_device device;
    device = devices[DEVICE_LAVAPIPE];
    device.limits.variant = variant;
    device.limits.max_storage_buffer_range = UINT32_MAX;
    nonzero_case(&c, type, elements);
    struct subject subject;
    open_subject(&subject, &c, &device);
    check_subject(&subject);
    CHECK(&subject, plan_subject(&subject, &subject.plan) == VKDML_SUCCESS && subject.plan.steps.count == 2);
    const uint32_t *mark = subject.plan.steps.items[0].groups;
    const uint32_t *write = subject.plan.steps.items[1].groups;
    const uint32_t groups = mark[0] * mark[1];
    CHECK(&subject, groups == write[0] * write[1]);
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
    return groups;
}

static void nonzero_has_no_more_chunks_than_totals_that_can_be_bound(void **state) {
    (void)state;
    static struct operator_case c;
    static struct invented_device device;
    device = devices[DEVICE_LAVAPIPE];
    device.limits.max_storage_buffer_range = 4096;
    device.limits.min_storage_buffer_offset_alignment = 64;
    device.cramped = true;
    nonzero_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 1u << 15);
    assert_true(steps_of(&c, &device) > 2);
}

static void nonzero_is_split_as_the_variant_needs(void **state) {
    (void)state;
    const DML_TENSOR_DATA_TYPE type = DML_TENSOR_DATA_TYPE_FLOAT32, narrow = DML_TENSOR_DATA_TYPE_UINT8;
    /* Tiles of 256 invocations with 128 bytes each, until every workgroup would read too many totals. */
    assert_int_equal(nonzero_groups(VKDML_KERNEL_VARIANT_PORTABLE, type, 1), 1);
    assert_int_equal(nonzero_groups(VKDML_KERNEL_VARIANT_PORTABLE, type, 8193), 2);
    assert_int_equal(nonzero_groups(VKDML_KERNEL_VARIANT_SUBGROUP, narrow, 32769), 2);
    assert_int_equal(nonzero_groups(VKDML_KERNEL_VARIANT_SUBGROUP, type, 1u << 29), 1024);
    /* Serial kernels: 1024 chunks of one invocation each, more where a chunk's loops would be too long. */
    assert_int_equal(nonzero_groups(VKDML_KERNEL_VARIANT_SERIAL, type, 1u << 24), 1024 / 8);
    assert_int_equal(nonzero_groups(VKDML_KERNEL_VARIANT_SERIAL, type, 1u << 29), (1u << 29) / (512 * 32) / 8);
}

static void a_refusal_names_limit_and_value(void **state) {
    (void)state;
    static struct operator_case c;
    /* Rows 16 GiB apart, each a window of its own. */
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 5000, 1);
    case_tensor(&c, "OutputTensor")->has_strides = 1;
    case_tensor(&c, "OutputTensor")->strides[0] = UINT32_MAX;
    case_tensor(&c, "OutputTensor")->strides[1] = 1;
    struct subject subject;
    open_subject(&subject, &c, &devices[DEVICE_MINIMUM]);
    check_subject(&subject);
    CHECK(&subject, subject.result == VKDML_ERROR_LIMIT_EXCEEDED);
    CHECK(&subject, strstr(subject.report.text, "DML_OPERATOR_DIAGONAL_MATRIX: ") != NULL);
    CHECK(&subject, contains_number(subject.report.text, VKDML_PLAN_MAX_STEPS));
    CHECK(&subject, contains_number(subject.report.text, 128 * MIB));
    close_subject(&subject);
}

static void slack_behind_the_elements_does_not_count(void **state) {
    (void)state;
    static struct operator_case c;
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 3, 3);
    case_tensor(&c, "OutputTensor")->slack = 1u << 30;
    assert_int_equal(result_of(&c, &devices[DEVICE_MINIMUM]), VKDML_SUCCESS);
}

/* 2^32 - 1 elements of one byte, the most there may be, need a grid of workgroups in two dimensions. */
static void the_largest_tensors_are_planned(void **state) {
    (void)state;
    static const struct invented_device roomy = {.name = "Vulkan 1.2 minimum with large ranges",
                                                 .limits = {RANGES(UINT64_C(1) << 40, 256), GRID_MINIMUM,
                                                            WORKGROUPS_MINIMUM, .max_storage_buffers = 4,
                                                            .variant = PORTABLE}};
    static struct operator_case c;
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_UINT8, 65535, 65537);
    assert_int_equal(result_of(&c, &roomy), VKDML_SUCCESS);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_UINT8, 65535, 65537);
    case_tensor(&c, "OutputTensor")->has_strides = 1;
    case_tensor(&c, "OutputTensor")->strides[0] = 1;
    case_tensor(&c, "OutputTensor")->strides[1] = 65535;
    assert_int_equal(result_of(&c, &roomy), VKDML_SUCCESS);
}

/* 2^32 - 1 elements along a dimension, in pieces: behind the last a next would begin beyond 32 bits. */
static void the_longest_dimensions_end(void **state) {
    (void)state;
    static const char *const lines[] = {
        "REDUCE InputTensor=FLOAT32[1,4294967295] OutputTensor=FLOAT32[1,1] Function=SUM AxisCount=1 Axes=1",
        "CUMULATIVE_SUMMATION InputTensor=FLOAT32[4294967295,1] OutputTensor=FLOAT32[4294967295,1] Axis=1 "
        "AxisDirection=INCREASING HasExclusiveSum=0",
    };
    static struct operator_case c;
    char text[256];
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        if (!case_parse(lines[i], &c, text, sizeof(text)))
            fail_msg("%s", text);
        struct subject subject;
        open_subject(&subject, &c, &devices[DEVICE_MINIMUM]);
        CHECK(&subject, plan_subject(&subject, &subject.plan) == VKDML_SUCCESS);
        CHECK(&subject, subject.plan.steps.count >= 128); /* 16 GiB by 128 MiB */
        vkdml_plan_end(&subject.plan);
        close_subject(&subject);
    }
}

/* Each was refused once, for more than 4096 dispatches, as it was cut where that helps least: along dimensions that a
 * pass does not scale, along steps outside of the picture, into twice as many parts of a window as are needed, and
 * where rows of a window became more than there were. */
static void what_few_dispatches_cover_is_not_refused(void **state) {
    (void)state;
    static const struct {
        const char *line;
        uint32_t device;
        uint32_t most;
    } rows[] = {
        {"RESAMPLE1 InputTensor=INT8[16777217,2,6] InputTensor.strides=10,2,37 OutputTensor=INT8[16777221,1,2] "
         "InterpolationMode=LINEAR DimensionCount=3 Scales=1,0.7,0.33333334 InputPixelOffsets=0,0,0.5 "
         "OutputPixelOffsets=0.5,-0.5,-0.5",
         DEVICE_MINIMUM, 8},
        {"RESAMPLE3 InputTensor=UINT8[7,268435457] OutputTensor=UINT8[9,8053065] InterpolationMode=LINEAR "
         "RoundingDirection=INCREASING DimensionCount=2 Scales=1.3,0.03 InputPixelOffsets=0.5,0.5 "
         "OutputPixelOffsets=512,0 Antialiased=1",
         DEVICE_MINIMUM, 32},
        {"RESAMPLE3 InputTensor=UINT8[4,536870911] OutputTensor=UINT8[1,134217759] OutputTensor.strides=7,2 "
         "InterpolationMode=LINEAR RoundingDirection=DECREASING DimensionCount=2 Scales=0.001,0.25 "
         "InputPixelOffsets=0.5,0.5 OutputPixelOffsets=-0.5,-0.5 Antialiased=1",
         DEVICE_MINIMUM, 900},
        {"RESAMPLE3 InputTensor=UINT8[2,2047,4] InputTensor.strides=4294967295,4,1 OutputTensor=UINT8[2047,2047,7] "
         "InterpolationMode=LINEAR RoundingDirection=DECREASING DimensionCount=3 Scales=1,1.5,2.3333333 "
         "InputPixelOffsets=0.5,0.5,0 OutputPixelOffsets=4194304,-0.5,0 Antialiased=1",
         DEVICE_MINIMUM, 4},
        {"LP_POOLING InputTensor=FLOAT16[5,2,8192,8192] InputTensor.strides=1,5,1,1 OutputTensor=FLOAT16[5,2,1,1] "
         "DimensionCount=2 Strides=8192,8192 WindowSize=8192,8192 StartPadding=0,0 EndPadding=0,0 P=1000",
         DEVICE_MINIMUM, 2900},
        {"LP_POOLING InputTensor=FLOAT32[4,1,1,8193,8193] InputTensor.strides=1,4,16,8,4 "
         "OutputTensor=FLOAT32[4,1,1,1,1] DimensionCount=3 Strides=3,8193,8193 WindowSize=8193,8193,3 "
         "StartPadding=0,1,1 EndPadding=8193,1,0 P=1000",
         DEVICE_MINIMUM, 4},
        {"LP_POOLING InputTensor=FLOAT32[3,2,8388608,2] OutputTensor=FLOAT32[3,2,1,1048577] DimensionCount=2 "
         "Strides=3,8 WindowSize=8388608,2 StartPadding=0,0 EndPadding=0,8388608 P=2",
         DEVICE_LARGE, 800},
        {"ROI_POOLING InputTensor=FLOAT16[1,3,8388607,7] InputTensor.strides=3,36,9,3 ROITensor=FLOAT16[1,1,8388607,5] "
         "OutputTensor=FLOAT16[8388607,3,4,5] SpatialScale=1 PooledSize=5,4",
         DEVICE_LARGE, 2300},
    };
    static struct operator_case c;
    char text[256];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!case_parse(rows[i].line, &c, text, sizeof(text)))
            fail_msg("%s", text);
        struct subject subject;
        open_subject(&subject, &c, &devices[rows[i].device]);
        CHECK(&subject, plan_subject(&subject, &subject.plan) == VKDML_SUCCESS);
        CHECK(&subject, subject.plan.steps.count <= rows[i].most);
        vkdml_plan_end(&subject.plan);
        close_subject(&subject);
    }
}

/* Larger windows would take more dispatches than there may be, and that is the reason. */
static void a_window_of_too_many_elements_is_refused(void **state) {
    (void)state;
    static struct operator_case c;
    char text[256];
    struct subject subject;
    assert_true(case_parse("LP_POOLING InputTensor=FLOAT32[1,1,4096,65536] OutputTensor=FLOAT32[1,1,1,1] "
                           "DimensionCount=2 Strides=1,1 WindowSize=4096,65536 StartPadding=0,0 EndPadding=0,0 P=7",
                           &c, text, sizeof(text)));
    open_subject(&subject, &c, &devices[DEVICE_MINIMUM]);
    CHECK(&subject, plan_subject(&subject, &subject.plan) == VKDML_ERROR_LIMIT_EXCEEDED);
    CHECK(&subject, strcmp(subject.report.text,
                           "DML_OPERATOR_LP_POOLING: a window has 268435456 elements, of which a dispatch takes 24000, "
                           "and there are at most 4096 dispatches") == 0);
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
}

/* 2^64 - 8 bytes: added to anything they wrap. 2^29 strides of 2^32 - 1 and one of 2^29 - 2 reach element 2^61 - 2. */
static void a_tensor_of_almost_2_to_the_64_bytes_is_refused(void **state) {
    (void)state;
    static struct operator_case c;
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT64, (1u << 29) + 1, 2);
    struct case_tensor *output = case_tensor(&c, "OutputTensor");
    output->has_strides = 1;
    output->strides[0] = UINT32_MAX;
    output->strides[1] = (1u << 29) - 2;
    assert_true(case_total_bytes(output) == UINT64_MAX - 7);
    for (size_t d = 0; d < COUNT_OF(devices); d++)
        assert_int_equal(result_of(&c, &devices[d]), VKDML_ERROR_LIMIT_EXCEEDED);
}

/* 2^61 + 2^30 bytes are 2^64 bits and more: counted in bits, a window of all had 1 GiB. */
static void a_tensor_of_more_than_2_to_the_64_bits_is_refused(void **state) {
    (void)state;
    static struct operator_case c;
    char text[256];
    assert_true(case_parse("ELEMENT_WISE_IF ConditionTensor=UINT8[268435457] ConditionTensor.strides=0 "
                           "ATensor=INT32[268435457] ATensor.strides=2147483649 BTensor=INT32[268435457] "
                           "OutputTensor=INT32[268435457] OutputTensor.strides=2",
                           &c, text, sizeof(text)));
    for (size_t d = 0; d < COUNT_OF(devices); d++)
        assert_int_equal(result_of(&c, &devices[d]), VKDML_ERROR_LIMIT_EXCEEDED);
}

/* Plans a case, and says of each step whether it waits for those before it. */
static void check_waits(const char *line, const struct invented_device *device, const bool *waits, uint32_t count) {
    static struct operator_case c;
    char text[256];
    struct subject subject;
    assert_true(case_parse(line, &c, text, sizeof(text)));
    open_subject(&subject, &c, device);
    CHECK(&subject, plan_subject(&subject, &subject.plan) == VKDML_SUCCESS);
    CHECK(&subject, subject.plan.steps.count == count);
    for (uint32_t i = 0; i < count; i++)
        CHECK(&subject, subject.plan.steps.items[i].barrier_before == waits[i]);
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
}

static void steps_wait_for_what_they_read(void **state) {
    (void)state;
    static const bool of_a_sum[] = {false, false, true, true}, of_two[] = {false, true}, of_one[] = {false};
    static const bool of_three[] = {false, true, true};
    check_waits("SCATTER_ELEMENTS InputTensor=UINT8[5] IndicesTensor=UINT32[3] UpdatesTensor=UINT8[3] "
                "OutputTensor=UINT8[5] Axis=0",
                &devices[DEVICE_MINIMUM], of_three, COUNT_OF(of_three));
    static const char normalization[] =
        "BATCH_NORMALIZATION InputTensor=FLOAT32[5] MeanTensor=FLOAT32[1] VarianceTensor=FLOAT32[1] "
        "ScaleTensor=FLOAT32[1] BiasTensor=FLOAT32[1] OutputTensor=FLOAT32[5]";
    check_waits(normalization, &devices[DEVICE_MINIMUM], of_two, COUNT_OF(of_two)); /* of four buffers */
    check_waits(normalization, &devices[DEVICE_LAVAPIPE], of_one, COUNT_OF(of_one));
    check_waits("ELEMENT_WISE_QUANTIZED_LINEAR_ADD ATensor=UINT8[5] AScaleTensor=FLOAT32[1] BTensor=INT8[5] "
                "BScaleTensor=FLOAT32[1] OutputScaleTensor=FLOAT32[1] OutputTensor=INT8[5]",
                &devices[DEVICE_MINIMUM], of_a_sum, COUNT_OF(of_a_sum));
}

static void an_owned_input_is_copied_at_initialization(void **state) {
    (void)state;
    static struct operator_case c;
    case_begin(&c, DML_OPERATOR_ELEMENT_WISE_IDENTITY);
    struct case_tensor *input = case_tensor(&c, "InputTensor"), *output = case_tensor(&c, "OutputTensor");
    input->type = DML_TENSOR_DATA_TYPE_INT16;
    input->rank = 3;
    input->sizes[0] = input->sizes[1] = input->sizes[2] = 5;
    *output = *input;
    input->owned = 1;
    struct subject subject;
    open_subject(&subject, &c, &devices[DEVICE_MINIMUM]);
    check_subject(&subject);
    CHECK(&subject, subject.result == VKDML_SUCCESS);
    CHECK(&subject, subject.init_step_count == 1);
    CHECK(&subject, subject.persistent_bytes >= 252);
    close_subject(&subject);
}

/* As glsl/common/division.glsl has it. */
static uint32_t divide(uint32_t n, struct vkdml_divisor by) {
    const uint32_t high = (uint32_t)((uint64_t)by.multiplier * n >> 32);
    return (high + ((n - high) >> (by.shifts & 0xFF))) >> (by.shifts >> 8);
}

static uint32_t divide_short(uint32_t n, struct vkdml_divisor by) {
    return (uint32_t)((uint64_t)by.multiplier * n >> 32) >> by.shifts;
}

/* Items of a pool load what lies between the elements that they take, to the end of the row: 60 elements, not 59. */
static void what_a_pool_loads_is_bound(void **state) {
    (void)state;
    static const char line[] = "MAX_POOLING2 InputTensor=FLOAT32[1,2,5,6] OutputTensor=FLOAT32[1,2,5,3] "
                               "OutputIndicesTensor=UINT32[1,2,5,3] DimensionCount=2 Strides=1,2 WindowSize=1,1 "
                               "StartPadding=0,0 EndPadding=0,0 Dilations=1,1";
    static struct operator_case c;
    char text[256];
    struct subject subject;
    assert_true(case_parse(line, &c, text, sizeof(text)));
    open_subject(&subject, &c, &devices[DEVICE_LAVAPIPE]);
    CHECK(&subject, plan_subject(&subject, &subject.plan) == VKDML_SUCCESS);
    CHECK(&subject, subject.plan.steps.count == 1 && subject.plan.steps.items[0].buffers[0].size == 240);
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
}

/* 2 x 1073741823 x 5 of the first dimension's passes, counted modulo 2^32, were a third of what a step bound. */
static void what_is_between_has_elements_that_32_bits_count(void **state) {
    (void)state;
    static const char line[] =
        "RESAMPLE3 InputTensor=FLOAT16[2,1073741823,1] InputTensor.strides=406340543,1,1 "
        "OutputTensor=FLOAT16[1,536871039,5] OutputTensor.strides=32769,5,1 InterpolationMode=LINEAR "
        "RoundingDirection=DECREASING DimensionCount=3 Scales=0.5,0.5,5 InputPixelOffsets=0.5,1e9,0.4 "
        "OutputPixelOffsets=-0.5,3,-1.4 Antialiased=1";
    static struct operator_case c;
    char text[256];
    struct subject subject;
    assert_true(case_parse(line, &c, text, sizeof(text)));
    open_subject(&subject, &c, &devices[DEVICE_LAVAPIPE]);
    CHECK(&subject, plan_subject(&subject, &subject.plan) == VKDML_ERROR_LIMIT_EXCEEDED);
    CHECK(&subject, strstr(subject.report.text, "what is computed on the way has more than 4294967295 elements"));
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
}

/* Host memory that is full at one allocation, after so many others. */
struct ending_memory {
    uint32_t made, fails;
    uint32_t live;
};

static void *VKAPI_PTR allocate_but_once(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    struct ending_memory *memory = data;
    (void)alignment;
    (void)scope;
    if (memory->made++ == memory->fails) {
        return NULL;
    }
    memory->live++;
    return malloc(size);
}

static void *VKAPI_PTR reallocate_never(void *data, void *memory, size_t size, size_t alignment,
                                        VkSystemAllocationScope scope) {
    (void)data;
    (void)memory;
    (void)size;
    (void)alignment;
    (void)scope;
    return NULL;
}

static void VKAPI_PTR free_counting(void *data, void *memory) {
    ((struct ending_memory *)data)->live--;
    free(memory);
}

/* Plans grow with their steps, and may end at any of them. */
static void plans_tell_where_memory_ends(void **state) {
    (void)state;
#define TRAINED                                                                                                        \
    " InputTensor=FLOAT32[3,8,5] InputGradientTensor=FLOAT32[3,8,5] MeanTensor=FLOAT32[1,8,1] "                        \
    "VarianceTensor=FLOAT32[1,8,1] ScaleTensor=FLOAT32[1,8,1] OutputGradientTensor=FLOAT32[3,8,5] "                    \
    "OutputScaleGradientTensor=FLOAT32[1,8,1] OutputBiasGradientTensor=FLOAT32[1,8,1] Epsilon=1"
    static const struct {
        const char *line;
        uint32_t steps;
    } rows[] = {
        {"BATCH_NORMALIZATION_GRAD" TRAINED, 7},
        {"BATCH_NORMALIZATION_TRAINING_GRAD" TRAINED, 10},
        {"MATRIX_MULTIPLY_INTEGER_TO_FLOAT ATensor=INT32[4,3] AScaleTensor=FLOAT32[1,1] BTensor=INT32[3,5] "
         "BScaleTensor=FLOAT32[1,1] OutputTensor=FLOAT32[4,5]",
         3},
    };
#undef TRAINED
    static struct operator_case c;
    char text[256];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct ending_memory memory = {.live = 0};
        const VkAllocationCallbacks callbacks = {&memory, allocate_but_once, reallocate_never, free_counting, NULL,
                                                 NULL};
        struct subject subject;
        VkdmlResult result = VKDML_ERROR_OUT_OF_HOST_MEMORY;
        assert_true(case_parse(rows[i].line, &c, text, sizeof(text)));
        open_subject(&subject, &c, &devices[DEVICE_MINIMUM]);
        uint32_t steps = 0;
        for (uint32_t allocations = 0; result == VKDML_ERROR_OUT_OF_HOST_MEMORY; allocations++) {
            CHECK(&subject, allocations < 32);
            memory.made = 0;
            memory.fails = allocations;
            vkdml_plan_begin(&subject.plan, &callbacks);
            vkdml_report_clear(&subject.report);
            result = vkdml_plan(subject.instance, &subject.device->limits, 0, &subject.report, &subject.plan);
            CHECK(&subject, result == VKDML_SUCCESS || strstr(subject.report.text, "a plan") != NULL);
            steps = subject.plan.steps.count;
            vkdml_plan_end(&subject.plan);
            CHECK(&subject, memory.live == 0);
        }
        CHECK(&subject, result == VKDML_SUCCESS);
        assert_int_equal(steps, rows[i].steps);
        close_subject(&subject);
    }
}

static void check_division(uint32_t n, uint32_t d) {
    const uint32_t quotient = divide(n, vkdml_divisor(d));
    if (quotient != n / d) {
        fail_msg("%" PRIu32 " / %" PRIu32 " is %" PRIu32, n, d, quotient);
    }
    const uint32_t below = n & INT32_MAX;
    if (d > 1 && divide_short(below, vkdml_short_divisor(d)) != below / d) {
        fail_msg("%" PRIu32 " / %" PRIu32 " is %" PRIu32, below, d, divide_short(below, vkdml_short_divisor(d)));
    }
}

static void divisors_are_exact_for_every_32_bit_number(void **state) {
    (void)state;
    struct random random = {4};
    for (uint32_t bit = 0; bit < 32; ++bit) {
        for (uint32_t beside = 0; beside < 3; ++beside) {
            const uint32_t d = (UINT32_C(1) << bit) + beside - 1;
            for (uint32_t i = 0; d != 0 && i < 1000; ++i) {
                const uint32_t n = (uint32_t)random_next(&random);
                check_division(n, d);
                check_division(n, n | 1);
                check_division(n - n % d, d); /* a multiple, and one less */
                check_division(n - n % d - 1, d);
                check_division(UINT32_MAX - i, d);
                check_division((n & INT32_MAX) / d * d - 1, d);
                check_division(i, d);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tensor_may_fill_the_range_but_for_the_alignment),
        cmocka_unit_test(a_transpose_of_4_gib_is_covered_by_windows),
        cmocka_unit_test(nonzero_is_split_as_the_variant_needs),
        cmocka_unit_test(nonzero_has_no_more_chunks_than_totals_that_can_be_bound),
        cmocka_unit_test(a_refusal_names_limit_and_value),
        cmocka_unit_test(slack_behind_the_elements_does_not_count),
        cmocka_unit_test(the_largest_tensors_are_planned),
        cmocka_unit_test(the_longest_dimensions_end),
        cmocka_unit_test(what_few_dispatches_cover_is_not_refused),
        cmocka_unit_test(a_window_of_too_many_elements_is_refused),
        cmocka_unit_test(a_tensor_of_almost_2_to_the_64_bytes_is_refused),
        cmocka_unit_test(a_tensor_of_more_than_2_to_the_64_bits_is_refused),
        cmocka_unit_test(what_a_pool_loads_is_bound),
        cmocka_unit_test(what_is_between_has_elements_that_32_bits_count),
        cmocka_unit_test(steps_wait_for_what_they_read),
        cmocka_unit_test(plans_tell_where_memory_ends),
        cmocka_unit_test(an_owned_input_is_copied_at_initialization),
        cmocka_unit_test(divisors_are_exact_for_every_32_bit_number),
        cmocka_unit_test(random_plans_keep_to_the_limits),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
