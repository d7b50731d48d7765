#include "plan_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WORKGROUPS_OF_GPUS                                                                                             \
    .max_workgroup_size = {1024, 1024, 64}, .max_workgroup_invocations = 1024, .max_shared_memory_bytes = 49152

#define LAVAPIPE                                                                                                       \
    RANGES(128 * MIB, 16), GRID_MINIMUM, .max_workgroup_size = {1024, 1024, 1024}, .max_workgroup_invocations = 1024,  \
                                         .max_shared_memory_bytes = 32768, .max_storage_buffers = 8

const struct invented_device devices[DEVICE_COUNT] = {
    [DEVICE_MINIMUM] = {.name = "Vulkan 1.2 minimum",
                        .limits = {RANGES(128 * MIB, 256), GRID_MINIMUM, WORKGROUPS_MINIMUM, .max_storage_buffers = 4,
                                   .variant = PORTABLE}},
    [DEVICE_LAVAPIPE] = {.name = "lavapipe", .limits = {LAVAPIPE, .variant = SERIAL}},
    [DEVICE_SMALL_PROCESSOR] = {.name = "small processor",
                                .limits = {RANGES(128 * MIB, 256), GRID_MINIMUM, WORKGROUPS_MINIMUM,
                                           .max_storage_buffers = 4, .variant = SERIAL}},
    [DEVICE_TRANSFER] = {.name = "processor with transfer commands",
                         .limits = {LAVAPIPE, .variant = SERIAL, .transfer_allowed = true, .transfer_is_faster = true}},
    [DEVICE_SLOW_TRANSFER] = {.name = "slow transfer commands",
                              .limits = {LAVAPIPE, .variant = SUBGROUP, .float_controls = EVERY_FLOAT,
                                         .transfer_allowed = true}},
    [DEVICE_LARGE] = {.name = "large",
                      .limits = {RANGES(UINT32_MAX, 16), .max_workgroup_count = {INT32_MAX, 65535, 65535},
                                 WORKGROUPS_OF_GPUS, .max_storage_buffers = 8, .variant = SUBGROUP,
                                 .float_controls = EVERY_FLOAT, .dot_products = true}},
    [DEVICE_MATRIX_CORES] = {.name = "matrix cores",
                             .limits = {RANGES(UINT32_MAX, 16), .max_workgroup_count = {INT32_MAX, 65535, 65535},
                                        WORKGROUPS_OF_GPUS, .max_storage_buffers = 8, .variant = SUBGROUP,
                                        .float_controls = EVERY_FLOAT, .matrix_cores = {16, 16, 16, 32},
                                        .byte_cores = {16, 16, 32, 32}, .half_allowed = true}},
    [DEVICE_BYTE_ALIGNED] = {.name = "byte-aligned",
                             .limits = {RANGES(2048 * MIB, 1), GRID_MINIMUM, .max_workgroup_size = {512, 512, 64},
                                        .max_workgroup_invocations = 256, .max_shared_memory_bytes = 32768,
                                        .max_storage_buffers = 8, .variant = SUBGROUP, .float_controls = EVERY_FLOAT}},
    [DEVICE_NARROW] = {.name = "narrow workgroups",
                       .limits = {RANGES(2048 * MIB, 32), GRID_MINIMUM, .max_workgroup_size = {128, 1024, 64},
                                  .max_workgroup_invocations = 1024, .max_shared_memory_bytes = 32768,
                                  .max_storage_buffers = 8, .variant = PORTABLE}},
    [DEVICE_FEW_INVOCATIONS] = {.name = "few invocations",
                                .limits = {RANGES(2048 * MIB, 32), GRID_MINIMUM, .max_workgroup_size = {1024, 1024, 64},
                                           .max_workgroup_invocations = 128, .max_shared_memory_bytes = 32768,
                                           .max_storage_buffers = 8, .variant = PORTABLE}},
    [DEVICE_SMALL_RANGES] = {.name = "4 KiB ranges",
                             .cramped = true,
                             .limits = {RANGES(4096, 64), GRID_MINIMUM, WORKGROUPS_MINIMUM, .max_storage_buffers = 8,
                                        .variant = SERIAL}},
    [DEVICE_FEW_WORKGROUPS] = {.name = "few workgroups",
                               .cramped = true,
                               .limits = {RANGES(128 * MIB, 256), .max_workgroup_count = {7, 5, 3}, WORKGROUPS_MINIMUM,
                                          .max_storage_buffers = 8, .variant = SERIAL}},
};

void fail_subject(const struct subject *subject, const char *file, int line) {
    static char text[CASE_MAX_LINE];
    if (!case_print(subject->c, text, sizeof(text)))
        snprintf(text, sizeof(text), "(a case too long to print)");
    print_error("on \"%s\": %s\n  flags %u, %s, reason: %s\n", subject->device->name, text, subject->flags,
                vkdmlResultToString(subject->result), subject->report.text);
    _fail(file, line);
}

static const struct vkdml_tensor *tensor_of(const struct subject *subject, const struct vkdml_plan_buffer *buffer) {
    return buffer->resource == VKDML_PLAN_INPUT ? &subject->instance->inputs[buffer->index]
                                                : &subject->instance->outputs[buffer->index];
}

static uint64_t span_of(const struct vkdml_tensor *tensor) {
    uint64_t bytes = 0;
    if (tensor->dimension_count == 0) /* absent */
        return 0;
    assert_true(
        vkdml_minimum_bytes(tensor->element_bits, tensor->dimension_count, tensor->sizes, tensor->strides, &bytes));
    return bytes;
}

/* How far a buffer's first byte may lie behind the descriptor's start: what is left of the caller's offset, a multiple
 * of `multiple`, and the plan's after rounding down to the device's alignment. */
static uint64_t greatest_rest(uint64_t offset, uint32_t multiple, uint32_t alignment) {
    return alignment > multiple ? alignment - multiple + offset % multiple : offset % alignment;
}

static void check_buffer(const struct subject *subject, const struct vkdml_plan_buffer *buffer, bool is_descriptor) {
    const struct vkdml_instance *instance = subject->instance;
    const struct vkdml_plan_limits *limits = &subject->device->limits;
    bool is_tensor = buffer->resource == VKDML_PLAN_INPUT || buffer->resource == VKDML_PLAN_OUTPUT;
    uint32_t multiple = DML_TEMPORARY_BUFFER_ALIGNMENT;
    uint64_t room =
        buffer->resource == VKDML_PLAN_TEMPORARY ? subject->plan.steps.temporary_bytes : subject->plan.persistent_bytes;
    if (is_tensor) {
        uint32_t count = buffer->resource == VKDML_PLAN_INPUT ? instance->input_count : instance->output_count;
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
    CHECK(subject, step->buffer_count >= 1 && step->buffer_count <= vkdml_kernel_info(step->kernel)->buffer_count);
    CHECK(subject, step->buffer_count <= limits->max_storage_buffers);
    CHECK(subject, step->parameter_count <= VKDML_PLAN_MAX_PARAMETERS);
    /* All that the kernel has, and no others. */
    CHECK(subject, step->constants_given == vkdml_kernel_info(step->kernel)->constants);
    uint32_t local_size = step->constants[VKDML_SPECIALIZATION_LOCAL_SIZE];
    CHECK(subject, local_size > 0);
    /* Elements are loaded 16 bytes at a time only from windows that hold all of their chunks'; others add to marks. */
    CHECK(subject, step->kernel != VKDML_KERNEL_NONZERO_MARK || !step->constants[VKDML_NONZERO_CONSTANT_DENSE] ||
                       !step->barrier_before);
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
    for (uint32_t input = 0; input < subject->instance->input_count; input++) {
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
    const struct vkdml_instance *instance = subject->instance;
    for (uint32_t i = 0; i < instance->input_count + instance->output_count; i++) {
        const struct vkdml_tensor *tensor =
            i < instance->input_count ? &instance->inputs[i] : &instance->outputs[i - instance->input_count];
        uint64_t span = span_of(tensor);
        if (span > largest)
            largest = span;
    }
    return largest;
}

/* How many dispatches an operator takes where none needs windows. What takes several keeps something between them. */
static uint32_t passes_of(const struct subject *subject) {
    switch ((int)subject->instance->schema->type) {
    case DML_OPERATOR_NONZERO_COORDINATES:
        return 2;
    case DML_OPERATOR_SCATTER_ELEMENTS:
    case DML_OPERATOR_SCATTER_ND:
        return 3;
    case DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD:
        return 4;
    case DML_OPERATOR_BATCH_NORMALIZATION:
        return subject->device->limits.max_storage_buffers < 6 ? 2 : 1;
    default:
        return 1;
    }
}

static void check_plan(const struct subject *subject) {
    const struct vkdml_plan *plan = &subject->plan;
    const struct vkdml_plan_limits *limits = &subject->device->limits;
    const uint64_t whole = limits->max_storage_buffer_range - limits->min_storage_buffer_offset_alignment;
    const uint32_t passes = passes_of(subject);
    CHECK(subject, plan->steps.count >= passes && plan->steps.count <= VKDML_PLAN_MAX_STEPS);
    /* No more dispatches than passes where everything can be bound whole; a fill may come before, or tiles of more than
     * a MiB. */
    const bool is_tiled = subject->instance->schema->type == DML_OPERATOR_DIAGONAL_MATRIX1 &&
                          plan->steps.items[0].kind == VKDML_PLAN_DISPATCH && copies(&plan->steps.items[0]) &&
                          largest_span(subject) > 0x100000;
    const uint32_t fills = plan->steps.items[0].kind == VKDML_PLAN_FILL || is_tiled;
    if (largest_span(subject) <= whole && plan->steps.temporary_bytes <= whole) {
        CHECK(subject, plan->steps.count - fills == passes || (fills == 1 && plan->steps.count == 1));
    }
    CHECK(subject, plan->init_steps.count <= VKDML_PLAN_MAX_STEPS);
    CHECK(subject, plan->steps.temporary_bytes % 4 == 0 && plan->persistent_bytes % 4 == 0);
    /* What keeps nothing may begin with packing what lies too far apart to be bound. */
    const bool packs = plan->steps.items[0].kind == VKDML_PLAN_DISPATCH && copies(&plan->steps.items[0]) &&
                       plan->steps.items[0].buffers[1].resource == VKDML_PLAN_TEMPORARY;
    CHECK(subject, (passes > 1 || packs) == (plan->steps.temporary_bytes != 0));
    for (uint32_t i = 0; i < plan->steps.count; i++)
        check_step(subject, &plan->steps.items[i]);
    for (uint32_t i = 0; i < plan->init_steps.count; i++)
        check_step(subject, &plan->init_steps.items[i]);
    check_barriers(subject, plan->steps.items, plan->steps.count);
    check_barriers(subject, plan->init_steps.items, plan->init_steps.count);
    for (uint32_t output = 0; output < subject->instance->output_count; output++)
        check_reach(subject, plan->steps.items, plan->steps.count, VKDML_PLAN_OUTPUT, output);
    check_persistent(subject);
}

bool contains_number(const char *text, uint64_t number) {
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

VkdmlResult plan_subject(struct subject *subject, struct vkdml_plan *plan) {
    vkdml_plan_begin(plan, NULL);
    vkdml_report_clear(&subject->report);
    return vkdml_plan(subject->instance, &subject->device->limits, subject->flags, &subject->report, plan);
}

/* Wherever their words are. */
static bool same_step(const struct vkdml_plan_step *a, const struct vkdml_plan_step *b) {
    struct vkdml_plan_step moved;
    memcpy(&moved, b, sizeof(moved));
    moved.words = a->words;
    moved.first_parameter = a->first_parameter;
    return memcmp(a, &moved, sizeof(*a)) == 0 && memcmp(vkdml_plan_step_parameters(a), vkdml_plan_step_parameters(b),
                                                        a->parameter_count * sizeof(uint32_t)) == 0;
}

bool same_steps(const struct vkdml_plan_steps *a, const struct vkdml_plan_steps *b) {
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = same_step(&a->items[i], &b->items[i]);
    return same;
}

/* Plans, checks, and leaves the result in the subject. */
void check_subject(struct subject *subject) {
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
    CHECK(subject, again.steps.temporary_bytes == subject->plan.steps.temporary_bytes);
    CHECK(subject, again.persistent_bytes == subject->plan.persistent_bytes);
    subject->persistent_bytes = subject->plan.persistent_bytes;
    subject->step_count = subject->plan.steps.count;
    subject->first_kind = subject->step_count != 0 ? subject->plan.steps.items[0].kind : VKDML_PLAN_DISPATCH;
    subject->kernel = subject->step_count != 0 ? subject->plan.steps.items[0].kernel : VKDML_KERNEL_COUNT;
    const struct vkdml_plan_step *first = &subject->plan.steps.items[0];
    for (uint32_t i = 0; i < VKDML_KERNEL_CONSTANTS; i++) {
        const bool has = subject->step_count != 0 && (first->constants_given >> i & 1) != 0;
        subject->constants[i] = has ? first->constants[i] : UINT32_MAX;
    }
    subject->float_controls = subject->step_count != 0 ? first->float_controls : 0;
    subject->groups = subject->step_count != 0 ? first->groups[0] : 0;
    subject->init_step_count = subject->plan.init_steps.count;
    vkdml_plan_end(&again);
    vkdml_plan_end(&subject->plan);
}

/* Makes the instance of a case that must be legal. */
void open_subject(struct subject *subject, const struct operator_case *c, const struct invented_device *device) {
    static struct case_desc desc;
    memset(subject, 0, sizeof(*subject));
    subject->c = c;
    subject->device = device;
    vkdml_report_clear(&subject->report);
    case_build_desc(c, &desc);
    subject->result = vkdml_validate(&desc.op, c->level, NULL, &subject->report, &subject->instance);
    CHECK(subject, subject->result == VKDML_SUCCESS);
}

void close_subject(struct subject *subject) {
    vkdml_instance_destroy(subject->instance, NULL);
}

/* DIAGONAL_MATRIX with {rows, columns} of a type. */
void diagonal_case(struct operator_case *c, DML_TENSOR_DATA_TYPE type, uint32_t rows, uint32_t columns) {
    case_begin(c, DML_OPERATOR_DIAGONAL_MATRIX);
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    output->type = type;
    output->rank = 2;
    output->sizes[0] = rows;
    output->sizes[1] = columns;
    case_set_float(c, "Value", 1.0f);
}

VkdmlResult result_of(struct operator_case *c, const struct invented_device *device) {
    struct subject subject;
    open_subject(&subject, c, device);
    check_subject(&subject);
    close_subject(&subject);
    return subject.result;
}

uint32_t steps_of(struct operator_case *c, const struct invented_device *device) {
    struct subject subject;
    open_subject(&subject, c, device);
    check_subject(&subject);
    CHECK(&subject, subject.result == VKDML_SUCCESS);
    close_subject(&subject);
    return subject.step_count;
}

/* Plans a case that has one step on a device. */
void plan_line(const char *line, const struct invented_device *device, struct subject *subject) {
    static struct operator_case c;
    char text[256];
    assert_true(case_parse(line, &c, text, sizeof(text)));
    open_subject(subject, &c, device);
    check_subject(subject);
    CHECK(subject, subject->result == VKDML_SUCCESS && subject->step_count == 1);
    close_subject(subject);
}
