/* Planners against invented devices: whatever the descriptor, a plan keeps to the device's limits and the caller's
 * memory, or is refused with the limit and the value. No GPU, and no memory for the tensors. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/case.h"
#include "harness/random.h"
#include "operators/operators.h"
#include "operators/plan_step.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MIB             (UINT64_C(1) << 20)

struct invented_device {
    const char *name;
    bool cramped; /* below what Vulkan guarantees: any legal descriptor may be too large */
    struct vkdml_plan_limits limits;
};

#define PORTABLE VKDML_KERNEL_VARIANT_PORTABLE
#define SUBGROUP VKDML_KERNEL_VARIANT_SUBGROUP
#define SERIAL   VKDML_KERNEL_VARIANT_SERIAL

static const struct invented_device devices[] = {
    {"Vulkan 1.2 minimum",
     false,
     {128 * MIB, 256, {65535, 65535, 65535}, {128, 128, 64}, 128, 16384, PORTABLE, false, false}},
    {"lavapipe", false, {128 * MIB, 16, {65535, 65535, 65535}, {1024, 1024, 1024}, 1024, 32768, SERIAL, false, false}},
    {"small processor",
     false,
     {128 * MIB, 256, {65535, 65535, 65535}, {128, 128, 64}, 128, 16384, SERIAL, false, false}},
    {"processor with transfer commands",
     false,
     {128 * MIB, 16, {65535, 65535, 65535}, {1024, 1024, 1024}, 1024, 32768, SERIAL, true, true}},
    {"slow transfer commands",
     false,
     {128 * MIB, 16, {65535, 65535, 65535}, {1024, 1024, 1024}, 1024, 32768, SUBGROUP, true, false}},
    {"large",
     false,
     {UINT32_MAX, 16, {2147483647, 65535, 65535}, {1024, 1024, 64}, 1024, 49152, SUBGROUP, false, false}},
    {"byte-aligned", false, {2048 * MIB, 1, {65535, 65535, 65535}, {512, 512, 64}, 256, 32768, SUBGROUP, false, false}},
    {"narrow workgroups",
     false,
     {2048 * MIB, 32, {65535, 65535, 65535}, {128, 1024, 64}, 1024, 32768, PORTABLE, false, false}},
    {"few invocations",
     false,
     {2048 * MIB, 32, {65535, 65535, 65535}, {1024, 1024, 64}, 128, 32768, PORTABLE, false, false}},
    {"4 KiB ranges", true, {4096, 64, {65535, 65535, 65535}, {128, 128, 64}, 128, 16384, SERIAL, false, false}},
    {"few workgroups", true, {128 * MIB, 256, {7, 5, 3}, {128, 128, 64}, 128, 16384, SERIAL, false, false}},
};

/* What a test holds while it looks at one descriptor on one device. */
struct subject {
    const struct operator_case *c;
    const struct invented_device *device;
    VkdmlCompileFlags flags;
    struct vkdml_instance *instance;
    struct vkdml_report report;
    VkdmlResult result;
    struct vkdml_plan plan;               /* while it is checked */
    enum vkdml_plan_step_kind first_kind; /* of its steps */
    uint32_t step_count;                  /* that it had */
    uint32_t init_step_count;             /* likewise */
    enum vkdml_kernel kernel;             /* of its first step */
    uint32_t constant_8;                  /* likewise; UINT32_MAX where it has none */
    uint32_t constant_10;                 /* likewise */
    uint64_t persistent_bytes;
};

static void fail_subject(const struct subject *subject, int line) {
    static char text[CASE_MAX_LINE];
    if (!case_print(subject->c, text, sizeof(text)))
        snprintf(text, sizeof(text), "(a case too long to print)");
    print_error("on \"%s\": %s\n  flags %u, %s, reason: %s\n", subject->device->name, text, subject->flags,
                vkdmlResultToString(subject->result), subject->report.text);
    _fail(__FILE__, line);
}

#define CHECK(subject, expression)                                                                                     \
    do {                                                                                                               \
        if (!(expression)) {                                                                                           \
            print_error("does not hold: %s\n", #expression);                                                           \
            fail_subject(subject, __LINE__);                                                                           \
        }                                                                                                              \
    } while (0)

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

static const struct {
    DML_OPERATOR_TYPE type;
    void (*fill)(struct random *random, struct operator_case *c);
} generators[] = {
    {DML_OPERATOR_ELEMENT_WISE_IDENTITY, random_identity}, {DML_OPERATOR_PADDING, random_padding},
    {DML_OPERATOR_DIAGONAL_MATRIX, random_diagonal},       {DML_OPERATOR_DIAGONAL_MATRIX1, random_triangle},
    {DML_OPERATOR_NONZERO_COORDINATES, random_nonzero},
};

/* ---- what must hold ---- */

static const struct vkdml_tensor *tensor_of(const struct subject *subject, const struct vkdml_plan_buffer *buffer) {
    return buffer->resource == VKDML_PLAN_INPUT ? &subject->instance->inputs[buffer->index]
                                                : &subject->instance->outputs[buffer->index];
}

static uint64_t span_of(const struct vkdml_tensor *tensor) {
    uint64_t bytes = 0;
    assert_true(
        vkdml_minimum_bytes(tensor->element_size, tensor->dimension_count, tensor->sizes, tensor->strides, &bytes));
    return bytes;
}

/* How far a buffer's first byte may lie behind the descriptor's start: what is left of the caller's offset, a multiple
 * of `multiple`, and the plan's after rounding down to the device's alignment. */
static uint64_t greatest_rest(uint64_t offset, uint32_t multiple, uint32_t alignment) {
    return alignment > multiple ? alignment - multiple + offset % multiple : offset % alignment;
}

static void check_buffer(const struct subject *subject, const struct vkdml_plan_buffer *buffer, bool is_descriptor) {
    const VkdmlOperatorSchema *schema = subject->instance->schema;
    const struct vkdml_plan_limits *limits = &subject->device->limits;
    bool is_tensor = buffer->resource == VKDML_PLAN_INPUT || buffer->resource == VKDML_PLAN_OUTPUT;
    uint32_t multiple = DML_TEMPORARY_BUFFER_ALIGNMENT;
    uint64_t room =
        buffer->resource == VKDML_PLAN_TEMPORARY ? subject->plan.temporary_bytes : subject->plan.persistent_bytes;
    if (is_tensor) {
        uint32_t count = buffer->resource == VKDML_PLAN_INPUT ? schema->inputCount : schema->outputCount;
        CHECK(subject, buffer->index < count);
        room = tensor_of(subject, buffer)->total_bytes;
        multiple = DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
    } else {
        CHECK(subject, buffer->index == 0);
    }
    CHECK(subject, buffer->offset % 4 == 0 && buffer->size % 4 == 0 && buffer->size > 0);
    CHECK(subject, buffer->offset <= room && buffer->size <= room - buffer->offset);
    if (!is_descriptor) {
        return;
    }
    uint64_t rest = greatest_rest(buffer->offset, multiple, limits->min_storage_buffer_offset_alignment);
    CHECK(subject, buffer->size <= limits->max_storage_buffer_range);
    CHECK(subject, rest <= limits->max_storage_buffer_range - buffer->size);
}

/* Bytes from the first to past the last that a copy's runs reach on one side. */
static uint64_t copy_reach(const struct vkdml_plan_copy *copy, const uint64_t *strides) {
    uint64_t bytes = copy->run_bytes;
    for (uint32_t d = 0; d < copy->rank; d++)
        bytes += (copy->sizes[d] - 1) * strides[d];
    return bytes;
}

/* Copies and fills, which Vulkan does not limit, are planned only where they are allowed and faster. */
static void check_transfer(const struct subject *subject, const struct vkdml_plan_step *step) {
    const struct vkdml_plan_copy *copy = &step->copy;
    CHECK(subject, subject->device->limits.transfer_allowed && subject->device->limits.transfer_is_faster);
    CHECK(subject, step->buffer_count == (step->kind == VKDML_PLAN_COPY ? 2 : 1));
    if (step->kind == VKDML_PLAN_COPY) {
        CHECK(subject, copy->run_bytes > 0 && copy->rank <= VKDML_PLAN_MAX_COPY_RANK);
        CHECK(subject, copy_reach(copy, copy->source_strides) <= step->buffers[0].size);
        CHECK(subject, copy_reach(copy, copy->target_strides) <= step->buffers[1].size);
    }
    for (uint32_t i = 0; i < step->buffer_count; i++)
        check_buffer(subject, &step->buffers[i], false);
}

static void check_step(const struct subject *subject, const struct vkdml_plan_step *step) {
    const struct vkdml_plan_limits *limits = &subject->device->limits;
    if (step->kind != VKDML_PLAN_DISPATCH) {
        check_transfer(subject, step);
        return;
    }
    CHECK(subject, step->kernel < VKDML_KERNEL_COUNT);
    CHECK(subject, step->buffer_count == vkdml_kernel_info(step->kernel)->buffer_count);
    CHECK(subject, step->parameter_count <= VKDML_PLAN_MAX_PARAMETERS);
    CHECK(subject, step->specialization_count >= 1);
    CHECK(subject, step->specialization_count <= VKDML_PLAN_MAX_SPECIALIZATIONS);
    uint32_t local_size = step->specializations[VKDML_SPECIALIZATION_LOCAL_SIZE];
    CHECK(subject, local_size > 0);
    /* Elements are loaded 16 bytes at a time only from windows that hold all of their chunks'; others add to marks. */
    CHECK(subject, step->kernel != VKDML_KERNEL_NONZERO_MARK || !step->specializations[3] || !step->barrier_before);
    CHECK(subject, local_size <= limits->max_workgroup_size[0]);
    CHECK(subject, local_size <= limits->max_workgroup_invocations);
    for (uint32_t axis = 0; axis < 3; axis++) {
        CHECK(subject, step->groups[axis] > 0);
        CHECK(subject, step->groups[axis] <= limits->max_workgroup_count[axis]);
    }
    for (uint32_t i = 0; i < step->buffer_count; i++)
        check_buffer(subject, &step->buffers[i], true);
}

static bool uses(const struct vkdml_plan_step *step, enum vkdml_plan_resource resource, uint32_t index) {
    for (uint32_t i = 0; i < step->buffer_count; i++)
        if (step->buffers[i].resource == resource && step->buffers[i].index == index)
            return true;
    return false;
}

static bool copies(const struct vkdml_plan_step *step) {
    return step->kernel == VKDML_KERNEL_COPY || step->kernel == VKDML_KERNEL_TRANSPOSE ||
           step->kernel == VKDML_KERNEL_TRANSPOSE_SHIFTED || step->kernel == VKDML_KERNEL_PERMUTE ||
           step->kernel == VKDML_KERNEL_INTERLEAVE;
}

/* The windows of one pass write apart from each other; a pass that reads what another wrote begins with a barrier. */
static void check_barriers(const struct subject *subject, const struct vkdml_plan_step *steps, uint32_t count) {
    CHECK(subject, count == 0 || !steps[0].barrier_before);
    for (uint32_t i = 1; i < count; i++) {
        const bool same_kernel = steps[i].kernel == steps[i - 1].kernel || (copies(&steps[i]) && copies(&steps[i - 1]));
        const bool same_pass = steps[i].kind == steps[i - 1].kind && same_kernel;
        CHECK(subject, same_pass || steps[i].barrier_before);
    }
}

/* Every element of a tensor lies in a buffer of some step. */
static void check_reach(const struct subject *subject, const struct vkdml_plan_step *steps, uint32_t count,
                        enum vkdml_plan_resource resource, uint32_t index) {
    uint64_t reach = 0;
    for (uint32_t step = 0; step < count; step++)
        for (uint32_t i = 0; i < steps[step].buffer_count; i++) {
            const struct vkdml_plan_buffer *buffer = &steps[step].buffers[i];
            if (buffer->resource == resource && buffer->index == index && buffer->offset + buffer->size > reach)
                reach = buffer->offset + buffer->size;
        }
    struct vkdml_plan_buffer whole = {resource, index, 0, 0};
    CHECK(subject, reach >= span_of(tensor_of(subject, &whole)));
}

/* An input OWNED_BY_DML is copied once, at initialization, and read from the persistent resource afterwards. */
static void check_persistent(const struct subject *subject) {
    const struct vkdml_plan *plan = &subject->plan;
    uint32_t owned = 0;
    for (uint32_t input = 0; input < subject->instance->schema->inputCount; input++) {
        bool is_owned = (subject->instance->inputs[input].flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
        if (is_owned) {
            CHECK(subject, owned < plan->init_steps.count);
            check_reach(subject, plan->init_steps.items, plan->init_steps.count, VKDML_PLAN_INPUT, input);
        } else {
            check_reach(subject, plan->steps.items, plan->steps.count, VKDML_PLAN_INPUT, input);
        }
        for (uint32_t step = 0; is_owned && step < plan->steps.count; step++)
            CHECK(subject, !uses(&plan->steps.items[step], VKDML_PLAN_INPUT, input));
        owned += is_owned;
    }
    CHECK(subject, plan->init_steps.count >= owned && (owned > 0 || plan->init_steps.count == 0));
    CHECK(subject, (plan->persistent_bytes > 0) == (owned > 0));
    bool reads_persistent = false;
    for (uint32_t step = 0; step < plan->steps.count; step++)
        reads_persistent = reads_persistent || uses(&plan->steps.items[step], VKDML_PLAN_PERSISTENT, 0);
    CHECK(subject, reads_persistent == (owned > 0));
    for (uint32_t step = 0; step < plan->init_steps.count; step++)
        CHECK(subject, uses(&plan->init_steps.items[step], VKDML_PLAN_PERSISTENT, 0));
}

/* The largest distance of the elements of any tensor, in bytes. */
static uint64_t largest_span(const struct subject *subject) {
    uint64_t largest = 0;
    const VkdmlOperatorSchema *schema = subject->instance->schema;
    for (uint32_t i = 0; i < schema->inputCount + schema->outputCount; i++) {
        const struct vkdml_tensor *tensor = i < schema->inputCount
                                                ? &subject->instance->inputs[i]
                                                : &subject->instance->outputs[i - schema->inputCount];
        uint64_t span = span_of(tensor);
        if (span > largest)
            largest = span;
    }
    return largest;
}

static void check_plan(const struct subject *subject) {
    const struct vkdml_plan *plan = &subject->plan;
    bool is_nonzero = subject->instance->schema->type == DML_OPERATOR_NONZERO_COORDINATES;
    const struct vkdml_plan_limits *limits = &subject->device->limits;
    const uint64_t whole = limits->max_storage_buffer_range - limits->min_storage_buffer_offset_alignment;
    const uint32_t passes = is_nonzero ? 2 : 1;
    CHECK(subject, plan->steps.count >= passes && plan->steps.count <= VKDML_PLAN_MAX_STEPS);
    /* No more dispatches than passes where everything can be bound whole; a fill may come before, or tiles of more than
     * a MiB. */
    const bool is_tiled = subject->instance->schema->type == DML_OPERATOR_DIAGONAL_MATRIX1 &&
                          plan->steps.items[0].kind == VKDML_PLAN_DISPATCH && copies(&plan->steps.items[0]) &&
                          largest_span(subject) > 0x100000;
    const uint32_t fills = plan->steps.items[0].kind == VKDML_PLAN_FILL || is_tiled;
    if (largest_span(subject) <= whole && plan->temporary_bytes <= whole) {
        CHECK(subject, plan->steps.count - fills == passes || (fills == 1 && plan->steps.count == 1));
    }
    CHECK(subject, plan->init_steps.count <= VKDML_PLAN_MAX_STEPS);
    CHECK(subject, plan->temporary_bytes % 4 == 0 && plan->persistent_bytes % 4 == 0);
    CHECK(subject, is_nonzero || plan->temporary_bytes == 0);
    for (uint32_t i = 0; i < plan->steps.count; i++)
        check_step(subject, &plan->steps.items[i]);
    for (uint32_t i = 0; i < plan->init_steps.count; i++)
        check_step(subject, &plan->init_steps.items[i]);
    check_barriers(subject, plan->steps.items, plan->steps.count);
    check_barriers(subject, plan->init_steps.items, plan->init_steps.count);
    for (uint32_t output = 0; output < subject->instance->schema->outputCount; output++)
        check_reach(subject, plan->steps.items, plan->steps.count, VKDML_PLAN_OUTPUT, output);
    check_persistent(subject);
}

static bool contains_number(const char *text, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof(digits), "%" PRIu64, number);
    return strstr(text, digits) != NULL;
}

static void check_refusal(const struct subject *subject) {
    const struct vkdml_plan_limits *limits = &subject->device->limits;
    const char *text = subject->report.text;
    CHECK(subject, subject->result == VKDML_ERROR_LIMIT_EXCEEDED);
    CHECK(subject, subject->report.result == VKDML_ERROR_LIMIT_EXCEEDED);
    CHECK(subject, strncmp(text, subject->instance->schema->name, strlen(subject->instance->schema->name)) == 0);
    CHECK(subject, subject->device->cramped || strstr(text, "maxStorageBufferRange") != NULL ||
                       strstr(text, "to be OWNED_BY_DML") != NULL);
    CHECK(subject,
          strstr(text, "maxStorageBufferRange") == NULL || contains_number(text, limits->max_storage_buffer_range));
    CHECK(subject,
          strstr(text, "maxComputeWorkGroupCount") == NULL || contains_number(text, limits->max_workgroup_count[0]));
    CHECK(subject, strstr(text, "maxStorageBufferRange") != NULL || strstr(text, "maxComputeWorkGroupCount") != NULL ||
                       strstr(text, "to be OWNED_BY_DML") != NULL);
}

static VkdmlResult plan_subject(struct subject *subject, struct vkdml_plan *plan) {
    vkdml_plan_begin(plan, NULL);
    vkdml_report_clear(&subject->report);
    return vkdml_plan(subject->instance, &subject->device->limits, subject->flags, &subject->report, plan);
}

static bool same_steps(const struct vkdml_plan_steps *a, const struct vkdml_plan_steps *b) {
    return a->count == b->count && (a->count == 0 || memcmp(a->items, b->items, a->count * sizeof(*a->items)) == 0);
}

/* Plans, checks, and leaves the result in the subject. */
static void check_subject(struct subject *subject) {
    uint64_t range = subject->device->limits.max_storage_buffer_range;
    uint64_t rest = subject->device->limits.min_storage_buffer_offset_alignment;
    uint64_t span = largest_span(subject);
    subject->result = plan_subject(subject, &subject->plan);
    if (subject->result != VKDML_SUCCESS) {
        vkdml_plan_end(&subject->plan);
        check_refusal(subject);
        CHECK(subject, subject->device->cramped || span > range - rest); /* needlessly refused? */
        return;
    }
    CHECK(subject, subject->report.count == 0);
    check_plan(subject);

    struct vkdml_plan again;
    CHECK(subject, plan_subject(subject, &again) == VKDML_SUCCESS);
    CHECK(subject, same_steps(&again.steps, &subject->plan.steps));
    CHECK(subject, same_steps(&again.init_steps, &subject->plan.init_steps));
    CHECK(subject, again.temporary_bytes == subject->plan.temporary_bytes);
    CHECK(subject, again.persistent_bytes == subject->plan.persistent_bytes);
    subject->persistent_bytes = subject->plan.persistent_bytes;
    subject->step_count = subject->plan.steps.count;
    subject->first_kind = subject->step_count != 0 ? subject->plan.steps.items[0].kind : VKDML_PLAN_DISPATCH;
    subject->kernel = subject->step_count != 0 ? subject->plan.steps.items[0].kernel : VKDML_KERNEL_COUNT;
    const struct vkdml_plan_step *first = &subject->plan.steps.items[0];
    subject->constant_8 =
        subject->step_count != 0 && first->specialization_count > 8 ? first->specializations[8] : UINT32_MAX;
    subject->constant_10 =
        subject->step_count != 0 && first->specialization_count > 10 ? first->specializations[10] : UINT32_MAX;
    subject->init_step_count = subject->plan.init_steps.count;
    vkdml_plan_end(&again);
    vkdml_plan_end(&subject->plan);
}

/* Makes the instance of a case that must be legal. */
static void open_subject(struct subject *subject, const struct operator_case *c, const struct invented_device *device) {
    static struct case_desc desc;
    memset(subject, 0, sizeof(*subject));
    subject->c = c;
    subject->device = device;
    vkdml_report_clear(&subject->report);
    case_build_desc(c, &desc);
    subject->result = vkdml_validate(&desc.op, c->level, NULL, &subject->report, &subject->instance);
    CHECK(subject, subject->result == VKDML_SUCCESS);
}

static void close_subject(struct subject *subject) {
    vkdml_instance_destroy(subject->instance, NULL);
}

/* ---- tests ---- */

#define RANDOM_CASES 1000 /* of each operator; those of thousands of windows take milliseconds */

static void random_plans_keep_to_the_limits(void **state) {
    (void)state;
    const char *seed_text = getenv("VKDML_TEST_SEED");
    uint64_t seed = seed_text != NULL ? strtoull(seed_text, NULL, 0) : 1;
    for (size_t g = 0; g < COUNT_OF(generators); g++) {
        uint32_t planned = 0, refused = 0;
        for (uint32_t i = 0; i < RANDOM_CASES; i++) {
            struct random random = {random_mix(random_mix(seed, g), i)};
            static struct operator_case c;
            case_begin(&c, generators[g].type);
            generators[g].fill(&random, &c);
            struct subject subject;
            open_subject(&subject, &c, &devices[0]);
            subject.flags = random_chance(&random, 30) ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0;
            for (size_t d = 0; d < COUNT_OF(devices); d++) {
                subject.device = &devices[d];
                check_subject(&subject);
                *(subject.result == VKDML_SUCCESS ? &planned : &refused) += 1;
            }
            close_subject(&subject);
        }
        /* Otherwise the generator has gone astray and the test says nothing. */
        assert_true(planned > RANDOM_CASES);
        assert_true(refused > RANDOM_CASES / 100);
    }
}

/* DIAGONAL_MATRIX with {rows, columns} of a type. */
static void diagonal_case(struct operator_case *c, DML_TENSOR_DATA_TYPE type, uint32_t rows, uint32_t columns) {
    case_begin(c, DML_OPERATOR_DIAGONAL_MATRIX);
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    output->type = type;
    output->rank = 2;
    output->sizes[0] = rows;
    output->sizes[1] = columns;
    case_set_float(c, "Value", 1.0f);
}

static VkdmlResult result_of(struct operator_case *c, const struct invented_device *device) {
    struct subject subject;
    open_subject(&subject, c, device);
    check_subject(&subject);
    close_subject(&subject);
    return subject.result;
}

static uint32_t steps_of(struct operator_case *c, const struct invented_device *device) {
    struct subject subject;
    open_subject(&subject, c, device);
    check_subject(&subject);
    CHECK(&subject, subject.result == VKDML_SUCCESS);
    close_subject(&subject);
    return subject.step_count;
}

static void a_tensor_may_fill_the_range_but_for_the_alignment(void **state) {
    (void)state;
    static struct operator_case c;
    /* 128 MiB in rows of 16 bytes; at an offset of 240 beyond a multiple of 256, 15 rows fewer fit. */
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, (1u << 23) - 15, 4);
    assert_int_equal(steps_of(&c, &devices[0]), 1);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, (1u << 23) - 14, 4);
    assert_int_equal(steps_of(&c, &devices[0]), 2);
    /* Where every tensor offset is aligned well enough nothing is lost. */
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 1u << 23, 4);
    assert_int_equal(steps_of(&c, &devices[1]), 1);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, (1u << 23) + 1, 4);
    assert_int_equal(steps_of(&c, &devices[1]), 2);
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
    const uint32_t steps = steps_of(&c, &devices[0]);
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
    device = devices[1];
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
    device = devices[1];
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

/* Plans a case that has one step on a device. */
static void plan_line(const char *line, const struct invented_device *device, struct subject *subject) {
    static struct operator_case c;
    char text[256];
    assert_true(case_parse(line, &c, text, sizeof(text)));
    open_subject(subject, &c, device);
    check_subject(subject);
    CHECK(subject, subject->result == VKDML_SUCCESS && subject->step_count == 1);
    close_subject(subject);
}

static enum vkdml_kernel kernel_of(const char *line, const struct invented_device *device) {
    struct subject subject;
    plan_line(line, device, &subject);
    return subject.kernel;
}

static uint32_t scaling_of(const char *tensors, const char *scale_bias, const struct invented_device *device) {
    char line[256];
    struct subject subject;
    snprintf(line, sizeof(line), "ELEMENT_WISE_IDENTITY seed=1 %s ScaleBias=%s", tensors, scale_bias);
    plan_line(line, device, &subject);
    assert_int_equal(subject.kernel, VKDML_KERNEL_SCALE_BIAS);
    return subject.constant_8;
}

/* 0: as exact reals or FLOAT64; 1: in 32 bits more than the element's; 2: in 32; 3: FLOAT16 in FLOAT32; 4: by a table,
 * which devices other than processors prefer. */
static void integers_are_scaled_in_fixed_point_where_it_suffices(void **state) {
    (void)state;
    static const struct {
        const char *type;
        const char *scale_bias;
        uint32_t fixed_point;
    } rows[] = {
        {"UINT8", "1.5,0.25", 2},
        {"INT16", "-1.5,0.25", 2},
        {"INT32", "1,0", 1},
        {"UINT8", "0x3b808081,0", 1}, /* 1 / 255: 24 bits */
        {"UINT8", "0x3fffff00,0", 2},
        {"UINT8", "0x3fffff80,0", 2}, /* 16 bits, 17 */
        {"UINT8", "0x487fffff,0", 1}, /* 24 bits */
        {"UINT8", "1,1073741823", 1},
        {"UINT8", "1,1073740800", 2}, /* 2^30, and just below */
        {"INT32", "1073741824,0", 0},
        {"INT32", "1073741760,0", 1}, /* the same of a scale */
        {"INT32", "1,0x1e000000", 0},
        {"INT32", "0,0x1e000000", 0}, /* 2^-67 */
        {"INT32", "0x21800000,1", 1},
        {"INT8", "0x21800000,1", 1}, /* 2^-60 */
        {"UINT16", "inf,0", 0},
        {"UINT16", "0,nan", 0},
        {"UINT8", "inf,0", 4},
        {"INT8", "1,0x1e000000", 4},
        {"INT64", "1,0", 1},
        {"UINT64", "0x21800000,-1", 1},
        {"INT64", "1073741824,0", 0},
        {"INT64", "1,2305843009213693952", 0},
        {"INT64", "1,-2305842871774740480", 1}, /* -2^61, and just above */
        {"FLOAT32", "1,0", 0},
        {"FLOAT16", "0x66000000,-0.5", 0},
        {"FLOAT16", "0x58000000,0x80000000", 3},
        {"FLOAT16", "0x59000000,0", 0},
        {"FLOAT16", "0,1", 0},
        {"FLOAT16", "1,nan", 0},
        {"FLOAT16", "1,0", 3},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char tensors[64];
        snprintf(tensors, sizeof(tensors), "InputTensor=%s[64] OutputTensor=%s[64]", rows[i].type, rows[i].type);
        const uint32_t of_processors = scaling_of(tensors, rows[i].scale_bias, &devices[1]);
        const uint32_t of_others = scaling_of(tensors, rows[i].scale_bias, &devices[0]);
        if (of_processors != rows[i].fixed_point ||
            of_others != (strstr(rows[i].type, "INT8") != NULL ? 4 : rows[i].fixed_point)) {
            fail_msg("%s %s: %" PRIu32 " and %" PRIu32, tensors, rows[i].scale_bias, of_processors, of_others);
        }
    }
    /* Of rows with gaps an invocation has one element. */
    const char *gaps = "InputTensor=UINT8[64] OutputTensor=UINT8[64] OutputTensor.strides=2";
    assert_int_equal(scaling_of(gaps, "1,0", &devices[0]), 2);
    assert_int_equal(scaling_of(gaps, "inf,0", &devices[1]), 0);
}

static void copies_go_by_tiles_where_innermost_dimensions_differ(void **state) {
    (void)state;
    static const struct {
        const char *tensors; /* "InputTensor=.. OutputTensor=.." */
        enum vkdml_kernel parallel;
        enum vkdml_kernel serial;
    } rows[] = {
#define COPY(input, output, parallel, serial)                                                                          \
    {"ELEMENT_WISE_IDENTITY seed=1 InputTensor=" input " OutputTensor=" output, VKDML_KERNEL_##parallel,               \
     VKDML_KERNEL_##serial}
        COPY("FLOAT32[64,64] InputTensor.strides=1,64", "FLOAT32[64,64]", TRANSPOSE, TRANSPOSE),
        COPY("UINT8[128,128] InputTensor.strides=1,128", "UINT8[128,128]", TRANSPOSE, TRANSPOSE),
        COPY("INT64[65,67] InputTensor.strides=1,65", "INT64[65,67]", TRANSPOSE_SHIFTED, TRANSPOSE),
        COPY("FLOAT32[64,64]", "FLOAT32[64,64] OutputTensor.strides=1,64", TRANSPOSE, TRANSPOSE),
        /* Not worth a workgroup. */
        COPY("FLOAT32[8,8] InputTensor.strides=1,8", "FLOAT32[8,8]", COPY, TRANSPOSE),
        /* Innermost dimensions agree, or the input's repeats one element. */
        COPY("FLOAT32[64,64]", "FLOAT32[64,64]", COPY, COPY_RUNS),
        COPY("FLOAT32[64,64] InputTensor.strides=80,1", "FLOAT32[64,64]", COPY, COPY_RUNS),
        COPY("FLOAT32[64,64] InputTensor.strides=1,0", "FLOAT32[64,64]", COPY, COPY_RUNS),
        COPY("FLOAT32[64,64] InputTensor.strides=1,64", "FLOAT32[64,64] OutputTensor.strides=128,2", COPY, COPY),
        /* A run that both share moves as one, unless it is long. */
        COPY("FLOAT32[64,64,4] InputTensor.strides=4,256,1", "FLOAT32[64,64,4]", TRANSPOSE, TRANSPOSE),
        COPY("FLOAT32[64,64,9] InputTensor.strides=9,576,1", "FLOAT32[64,64,9]", COPY, COPY_RUNS),
        COPY("UINT8[64,64,3] InputTensor.strides=3,192,1", "UINT8[64,64,3]", PERMUTE, COPY_RUNS),
        /* Output rows that begin within words: atomics at their ends, and words that invocations share. */
        COPY("UINT8[91,95] InputTensor.strides=1,91", "UINT8[91,95]", TRANSPOSE, COPY),
        COPY("UINT8[97,99] InputTensor.strides=1,97", "UINT8[97,99]", TRANSPOSE_SHIFTED, COPY),
        COPY("FLOAT32[64,64] InputTensor.strides=1,65", "FLOAT32[64,64]", TRANSPOSE_SHIFTED, TRANSPOSE),
        COPY("FLOAT32[64,23] InputTensor.strides=1,65", "FLOAT32[64,23]", PERMUTE, TRANSPOSE),
        COPY("FLOAT16[192,128] InputTensor.strides=1,192", "FLOAT16[192,128]", TRANSPOSE, TRANSPOSE),
        /* Runs of several dimensions are long where each is short. */
        COPY("UINT8[4099,3] InputTensor.strides=1,4099", "UINT8[4099,3]", PERMUTE, COPY),
        COPY("FLOAT32[4099,3] InputTensor.strides=1,4099", "FLOAT32[4099,3]", PERMUTE, COPY),
        /* Few planes whose elements fill 16 bytes, and begin there. */
        COPY("UINT8[4096,3] InputTensor.strides=1,4096", "UINT8[4096,3]", INTERLEAVE, COPY),
        COPY("FLOAT32[2,3,1024] InputTensor.strides=3072,1,3", "FLOAT32[2,3,1024]", INTERLEAVE, COPY),
        COPY("FLOAT16[1024,8] InputTensor.strides=1,1024", "FLOAT16[1024,8]", INTERLEAVE, TRANSPOSE),
        COPY("FLOAT16[1024,9] InputTensor.strides=1,1024", "FLOAT16[1024,9]", PERMUTE, COPY),
        COPY("FLOAT32[4096,3] InputTensor.strides=1,4097", "FLOAT32[4096,3]", PERMUTE, COPY),
        COPY("FLOAT32[64,3] InputTensor.strides=1,64", "FLOAT32[64,3]", COPY, COPY),
        COPY("FLOAT16[16,7,24,3,32] InputTensor.strides=672,3,10752,1,21", "FLOAT16[16,7,24,3,32]", PERMUTE, COPY),
        /* Hardly more than half of a tile, where rows begin anywhere. */
        COPY("FLOAT32[4,5,16,7,24,3,32] InputTensor.strides=430080,1,1120,5,17920,1720320,35",
             "FLOAT32[4,5,16,7,24,3,32]", PERMUTE, TRANSPOSE),
        COPY("FLOAT32[127,129] InputTensor.strides=1,127", "FLOAT32[127,129]", TRANSPOSE_SHIFTED, TRANSPOSE),
        /* Arithmetic is none of it. */
        COPY("FLOAT32[64,64] InputTensor.strides=1,64", "FLOAT32[64,64] ScaleBias=1,2", SCALE_BIAS, SCALE_BIAS),
#undef COPY
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const enum vkdml_kernel parallel = kernel_of(rows[i].tensors, &devices[0]);
        const enum vkdml_kernel serial = kernel_of(rows[i].tensors, &devices[2]);
        if (parallel != rows[i].parallel || serial != rows[i].serial) {
            fail_msg("%s goes by %s and %s", rows[i].tensors, vkdml_kernel_info(parallel)->name,
                     vkdml_kernel_info(serial)->name);
        }
    }
}

/* Where words of the output are whole and columns of the input fill squares but for a third. */
static void narrow_elements_are_permuted_by_squares(void **state) {
    (void)state;
    static const struct {
        const char *tensors;
        bool by_squares;
    } rows[] = {
#define COPY(input, output, by_squares)                                                                                \
    {"ELEMENT_WISE_IDENTITY seed=1 InputTensor=" input " OutputTensor=" output, by_squares}
        COPY("UINT8[16,7,24,3,32] InputTensor.strides=672,3,10752,1,21", "UINT8[16,7,24,3,32]", true),
        COPY("FLOAT16[16,7,24,3,32] InputTensor.strides=672,3,10752,1,21", "FLOAT16[16,7,24,3,32]", true),
        COPY("FLOAT32[16,7,24,3,32] InputTensor.strides=672,3,10752,1,21", "FLOAT32[16,7,24,3,32]", false),
        COPY("UINT8[16,7,24,3,33] InputTensor.strides=693,3,11088,1,21", "UINT8[16,7,24,3,33]", false),
        COPY("UINT8[512,5,36] InputTensor.strides=180,1,5", "UINT8[512,5,36]", false),
        COPY("UINT8[512,7,32] InputTensor.strides=224,1,7", "UINT8[512,7,32] OutputTensor.strides=226,32,1", false),
#undef COPY
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct subject subject;
        plan_line(rows[i].tensors, &devices[0], &subject);
        if (subject.kernel != VKDML_KERNEL_PERMUTE || (subject.constant_10 != 0) != rows[i].by_squares) {
            fail_msg("%s: kernel %d, columns of %" PRIu32 " dimensions", rows[i].tensors, subject.kernel,
                     subject.constant_10);
        }
    }
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
    open_subject(&subject, &c, &devices[0]);
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
    assert_int_equal(result_of(&c, &devices[0]), VKDML_SUCCESS);
}

/* 2^32 - 1 elements of one byte, the most there may be, need a grid of workgroups in two dimensions. */
static void the_largest_tensors_are_planned(void **state) {
    (void)state;
    static const struct invented_device roomy = {
        "Vulkan 1.2 minimum with large ranges",
        false,
        {UINT64_C(1) << 40, 256, {65535, 65535, 65535}, {128, 128, 64}, 128, 16384, PORTABLE, false, false}};
    static struct operator_case c;
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_UINT8, 65535, 65537);
    assert_int_equal(result_of(&c, &roomy), VKDML_SUCCESS);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_UINT8, 65535, 65537);
    case_tensor(&c, "OutputTensor")->has_strides = 1;
    case_tensor(&c, "OutputTensor")->strides[0] = 1;
    case_tensor(&c, "OutputTensor")->strides[1] = 65535;
    assert_int_equal(result_of(&c, &roomy), VKDML_SUCCESS);
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
    open_subject(&subject, &c, &devices[0]);
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

/* Where transfer commands are allowed and faster. */
static const struct invented_device *transferring(void) {
    size_t d = 0;
    while (!devices[d].limits.transfer_allowed || !devices[d].limits.transfer_is_faster)
        d++;
    return &devices[d];
}

/* ELEMENT_WISE_IDENTITY of {rows, columns}, rows of the output `gap` elements apart. */
static void rows_case(struct operator_case *c, DML_TENSOR_DATA_TYPE type, uint32_t rows, uint32_t columns,
                      uint32_t gap) {
    case_begin(c, DML_OPERATOR_ELEMENT_WISE_IDENTITY);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->type = type;
    input->rank = 2;
    input->sizes[0] = rows;
    input->sizes[1] = columns;
    *output = *input;
    output->has_strides = 1;
    output->strides[0] = columns + gap;
    output->strides[1] = 1;
}

/* What the only step of a case is; fails where there are several. */
static enum vkdml_plan_step_kind only_kind(const struct operator_case *c, const struct invented_device *device) {
    struct subject subject;
    open_subject(&subject, c, device);
    check_subject(&subject);
    CHECK(&subject, subject.result == VKDML_SUCCESS && subject.step_count == 1);
    close_subject(&subject);
    return subject.first_kind;
}

static void contiguous_elements_are_copied_by_the_device_however_many(void **state) {
    (void)state;
    static struct operator_case c;
    rows_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 1u << 15, 1u << 15, 0);
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_COPY);
    rows_case(&c, DML_TENSOR_DATA_TYPE_UINT8, 3, 7, 0); /* vkCmdCopyBuffer() takes any number of bytes */
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_COPY);
    case_set(&c, "ScaleBias", 2, (const uint32_t[]){0x40000000, 0x3f800000}); /* 2 and 1 */
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_DISPATCH);
}

static void few_long_rows_are_copied_by_the_device(void **state) {
    (void)state;
    static struct operator_case c;
    rows_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 4096, 256, 1);
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_COPY);
    rows_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 4097, 256, 1);
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_DISPATCH);
    rows_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 4096, 255, 1);
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_DISPATCH);
}

static void a_diagonal_is_a_fill_and_a_dispatch_behind_a_barrier(void **state) {
    (void)state;
    static struct operator_case c;
    struct subject subject;
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT16, 1000, 1000);
    open_subject(&subject, &c, transferring());
    assert_int_equal(plan_subject(&subject, &subject.plan), VKDML_SUCCESS);
    const struct vkdml_plan_step *steps = subject.plan.steps.items;
    assert_int_equal(subject.plan.steps.count, 2);
    assert_int_equal(steps[0].kind, VKDML_PLAN_FILL);
    assert_int_equal(steps[0].fill_word, 0);
    assert_int_equal(steps[0].buffers[0].size, 2000000);
    assert_int_equal(steps[1].kind, VKDML_PLAN_DISPATCH);
    assert_true(steps[1].barrier_before && !steps[0].barrier_before);
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT16, 3, 3); /* half a word at the end */
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_DISPATCH);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT16, 4, 4);
    case_set_uint(&c, "Offset", 4); /* past the corner */
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_FILL);
}

/* The last step of a band's plan, by the constants of diagonal.comp. */
struct band_plan {
    const char *line;
    uint32_t steps;
    uint32_t bits; /* of an element */
    uint32_t rank; /* outer dimensions; x or y that are it are the row, those that are more are nowhere */
    uint32_t source;
    uint32_t x;
    uint32_t y;
};

static void check_band_plan(const struct band_plan *expected, const struct invented_device *device) {
    static struct operator_case c;
    struct subject subject;
    char text[256];
    assert_true(case_parse(expected->line, &c, text, sizeof(text)));
    open_subject(&subject, &c, device);
    assert_int_equal(plan_subject(&subject, &subject.plan), VKDML_SUCCESS);
    assert_int_equal(subject.plan.steps.count, expected->steps);
    const struct vkdml_plan_step *step = &subject.plan.steps.items[expected->steps - 1];
    const uint32_t constants[] = {step->specializations[1], step->specializations[2], step->specializations[7],
                                  step->specializations[10], step->specializations[11]};
    const uint32_t wanted[] = {expected->bits, expected->rank, expected->source, expected->x, expected->y};
    if (step->kernel != VKDML_KERNEL_DIAGONAL || memcmp(constants, wanted, sizeof(wanted)) != 0 ||
        step->barrier_before != (expected->steps == 2)) {
        fail_msg("%s: %" PRIu32 " bits, rank %" PRIu32 ", source %" PRIu32 ", x %" PRIu32 ", y %" PRIu32,
                 expected->line, constants[0], constants[1], constants[2], constants[3], constants[4]);
    }
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
}

static void a_band_goes_along_the_innermost_dimension(void **state) {
    (void)state;
    enum { ZEROS, INPUT, ALIKE, OUTPUT, NONE = VKDML_MAX_DIMENSIONS, PATTERN };
#define DIAGONAL(output) "DIAGONAL_MATRIX seed=1 Offset=0 Value=1 OutputTensor=" output
#define TRIANGLE(type, input, output)                                                                                  \
    "DIAGONAL_MATRIX1 seed=1 ValueDataType=" type " Value=0x1,0x0 DiagonalFillBegin=0 DiagonalFillEnd=90 "             \
    "InputTensor=" type input " OutputTensor=" type output
    static const struct band_plan plans[] = {
        {DIAGONAL("UINT8[6,70,90]"), 1, 8, 2, ZEROS, 2, 1},
        {DIAGONAL("UINT8[6,70,90] OutputTensor.strides=6300,1,70"), 1, 8, 2, ZEROS, 2, 1},
        {DIAGONAL("UINT8[7,70,90] OutputTensor.strides=1,7,490"), 1, 8, 2, ZEROS, 0, 1},
        {DIAGONAL("UINT8[7,70,90] OutputTensor.strides=1,630,7"), 1, 8, 2, ZEROS, 1, 0},
        /* Wider elements, until matrices are the row. */
        {DIAGONAL("UINT8[6,70,90] OutputTensor.strides=1,6,420"), 1, 16, 2, ZEROS, 0, 1},
        {DIAGONAL("UINT8[4,70,90] OutputTensor.strides=1,4,280"), 1, 32, 1, ZEROS, 1, 0},
        {DIAGONAL("UINT8[4,70,90] OutputTensor.strides=1,5,350"), 1, 8, 2, ZEROS, 0, 1},
        /* Gaps everywhere; one column, one row. */
        {DIAGONAL("UINT8[7,70,90] OutputTensor.strides=2,16,1200"), 1, 8, 2, ZEROS, 0, 1},
        {DIAGONAL("UINT8[7,140,1]"), 1, 8, 1, ZEROS, 1, NONE},
        {DIAGONAL("UINT8[7,1,90] OutputTensor.strides=1,1,8"), 1, 8, 1, ZEROS, 0, NONE},
        /* So few elements that what is filled is a pattern, and one more; beside others of the batch. */
        {DIAGONAL("UINT8[9,1,113]"), 1, 8, 1, ZEROS, PATTERN, NONE},
        {DIAGONAL("UINT8[9,2,57]"), 1, 8, 2, ZEROS, 2, 1},
        {DIAGONAL("UINT8[9,7,3,5] OutputTensor.strides=200,1,7,21"), 1, 8, 3, ZEROS, PATTERN, 2},
        {DIAGONAL("UINT8[9,7,3,5] OutputTensor.strides=200,1,8,24"), 1, 8, 3, ZEROS, 1, 2},
        {TRIANGLE("UINT8", "[9,10,11]", "[9,10,11]"), 1, 8, 2, ALIKE, PATTERN, 1},
        {TRIANGLE("UINT8", "[9,10,11] InputTensor.strides=200,11,1", "[9,10,11]"), 1, 8, 2, INPUT, 2, 1},
        /* Inputs that lie as the output does, those that do not in parts, and those that do nowhere: tiles. */
        {TRIANGLE("UINT8", "[7,70,80]", "[7,70,80]"), 1, 8, 2, ALIKE, 2, 1},
        {TRIANGLE("UINT8", "[7,70,80] InputTensor.strides=6000,81,1", "[7,70,80]"), 1, 8, 2, INPUT, 2, 1},
        {TRIANGLE("UINT8", "[7,70,80] InputTensor.strides=6000,80,1", "[7,70,80] OutputTensor.strides=6001,80,1"), 1, 8,
         2, ALIKE, 2, 1},
        {TRIANGLE("FLOAT32", "[600,513] InputTensor.strides=1,600", "[600,513]"), 2, 32, 1, OUTPUT, 1, 0},
        {TRIANGLE("FLOAT16", "[2100,258] InputTensor.strides=1,2100", "[2100,258]"), 2, 16, 1, OUTPUT, 1, 0},
        {TRIANGLE("FLOAT32", "[9,513] InputTensor.strides=1,9", "[9,513] OutputTensor.strides=1026,2"), 1, 32, 1, INPUT,
         1, 0},
        /* By elements: near enough, small enough, or not for tiles. */
        {TRIANGLE("FLOAT32", "[600,512] InputTensor.strides=1,600", "[600,512]"), 1, 32, 1, INPUT, 1, 0},
        {TRIANGLE("FLOAT16", "[2100,256] InputTensor.strides=1,2100", "[2100,256]"), 1, 16, 1, INPUT, 1, 0},
        {TRIANGLE("FLOAT32", "[512,512] InputTensor.strides=1,512", "[512,512] OutputTensor.strides=513,1"), 1, 32, 1,
         INPUT, 1, 0},
        {TRIANGLE("FLOAT32", "[70,600] InputTensor.strides=2,140", "[70,600]"), 1, 32, 1, INPUT, 1, 0},
        /* All of it is filled. */
        {"DIAGONAL_MATRIX1 seed=1 ValueDataType=UINT8 Value=0x1,0x0 DiagonalFillBegin=-2 DiagonalFillEnd=8 "
         "OutputTensor=UINT8[3,3,8] OutputTensor.strides=1,3,9",
         1, 32, 0, ZEROS, NONE, NONE},
    };
    /* For CPUs. */
    static const struct band_plan near_by_tiles = {
        TRIANGLE("FLOAT32", "[3300,80] InputTensor.strides=1,3300", "[3300,80]"), 2, 32, 1, OUTPUT, 1, 0};
#undef DIAGONAL
#undef TRIANGLE
    for (size_t i = 0; i < COUNT_OF(plans); i++) {
        check_band_plan(&plans[i], &devices[0]);
    }
    check_band_plan(&near_by_tiles, &devices[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tensor_may_fill_the_range_but_for_the_alignment),
        cmocka_unit_test(a_transpose_of_4_gib_is_covered_by_windows),
        cmocka_unit_test(nonzero_is_split_as_the_variant_needs),
        cmocka_unit_test(nonzero_has_no_more_chunks_than_totals_that_can_be_bound),
        cmocka_unit_test(integers_are_scaled_in_fixed_point_where_it_suffices),
        cmocka_unit_test(copies_go_by_tiles_where_innermost_dimensions_differ),
        cmocka_unit_test(narrow_elements_are_permuted_by_squares),
        cmocka_unit_test(a_refusal_names_limit_and_value),
        cmocka_unit_test(slack_behind_the_elements_does_not_count),
        cmocka_unit_test(the_largest_tensors_are_planned),
        cmocka_unit_test(a_tensor_of_almost_2_to_the_64_bytes_is_refused),
        cmocka_unit_test(an_owned_input_is_copied_at_initialization),
        cmocka_unit_test(divisors_are_exact_for_every_32_bit_number),
        cmocka_unit_test(contiguous_elements_are_copied_by_the_device_however_many),
        cmocka_unit_test(few_long_rows_are_copied_by_the_device),
        cmocka_unit_test(a_diagonal_is_a_fill_and_a_dispatch_behind_a_barrier),
        cmocka_unit_test(a_band_goes_along_the_innermost_dimension),
        cmocka_unit_test(random_plans_keep_to_the_limits),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
