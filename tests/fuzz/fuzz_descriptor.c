/* Any bytes as a descriptor of any operator: validation refuses it with a reason or takes it, and what it takes has a
 * plan within the device's limits, or none for a reason, and soon. For libFuzzer; sanitizers see the rest. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "change_case.h"
#include "operators/infer.h"
#include "plan/step.h"
#include "plan_check.h"
#include "vkdml/reference.h"

/* Processor time that validating, inferring or planning may take; sanitizers take some of their own. */
#if defined(__SANITIZE_ADDRESS__)
#define MOST_SECONDS 3.0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MOST_SECONDS 3.0
#endif
#endif
#ifndef MOST_SECONDS
#define MOST_SECONDS 0.1
#endif

static struct operator_case current;

static void require(bool holds, const char *what) {
    if (!holds) {
        static char line[CASE_MAX_LINE];
        case_print(&current, line, sizeof(line));
        fprintf(stderr, "does not hold: %s\n%s\n", what, line);
        abort();
    }
}

#define REQUIRE(expression) require(expression, #expression)

static void require_soon(clock_t begun) {
    REQUIRE((double)(clock() - begun) / CLOCKS_PER_SEC <= MOST_SECONDS);
}

#define MOST_PLACES 65536 /* a bit for each place an element may have, in small outputs */

/* Walks a small output and sees whether two elements share a place. */
static void require_no_overlap(const struct vkdml_tensor *tensor) {
    static uint8_t seen[MOST_PLACES];
    if (tensor->dimension_count == 0 || tensor->total_bytes >= MOST_PLACES * tensor->element_bits / 8)
        return;
    memset(seen, 0, sizeof(seen));
    const uint64_t places = tensor->total_bytes * 8 / tensor->element_bits;
    const uint32_t elements = vkdml_tensor_elements(tensor);
    for (uint32_t element = 0; element < elements; element++) {
        uint64_t place = 0;
        uint32_t rest = element;
        for (uint32_t d = tensor->dimension_count; d-- > 0;) {
            place += (uint64_t)(rest % tensor->sizes[d]) * tensor->strides[d];
            rest /= tensor->sizes[d];
        }
        REQUIRE(place < places);
        REQUIRE(!seen[place]);
        seen[place] = 1;
    }
}

static uint64_t bytes_of(const struct vkdml_instance *instance, const struct vkdml_plan *plan,
                         const struct vkdml_plan_steps *steps, const struct vkdml_plan_buffer *buffer) {
    switch (buffer->resource) {
    case VKDML_PLAN_INPUT:
        REQUIRE(buffer->index < instance->input_count);
        return instance->inputs[buffer->index].total_bytes;
    case VKDML_PLAN_OUTPUT:
        REQUIRE(buffer->index < instance->output_count);
        return instance->outputs[buffer->index].total_bytes;
    case VKDML_PLAN_TEMPORARY:
        return steps->temporary_bytes;
    default:
        return plan->persistent_bytes;
    }
}

/* Limits of the device, and that no step binds or copies what lies beyond its resources. */
static void require_step(const struct vkdml_instance *instance, const struct vkdml_plan *plan,
                         const struct vkdml_plan_steps *steps, const struct vkdml_plan_step *step,
                         const struct vkdml_plan_limits *limits) {
    for (uint32_t axis = 0; axis < 3; axis++)
        REQUIRE(step->kind != VKDML_PLAN_DISPATCH ||
                (step->groups[axis] >= 1 && step->groups[axis] <= limits->max_workgroup_count[axis]));
    REQUIRE(step->buffer_count >= 1 && step->buffer_count <= limits->max_storage_buffers);
    for (uint32_t b = 0; b < step->buffer_count; b++) {
        const struct vkdml_plan_buffer *buffer = &step->buffers[b];
        REQUIRE(step->kind != VKDML_PLAN_DISPATCH || vkdml_fits(limits, buffer->offset, buffer->size));
        REQUIRE(plan_buffer_lies_within(buffer, step->repeat_count, step->repeat_strides[b],
                                        bytes_of(instance, plan, steps, buffer)));
    }
    REQUIRE(step->kind != VKDML_PLAN_COPY || plan_copy_lies_within(&step->copy, step->buffers));
    REQUIRE(plan_map_lies_within(step));
    REQUIRE(plan_gather_lies_within(step));
    REQUIRE(plan_reduce_lies_within(step));
    REQUIRE(plan_rows_lies_within(step));
    REQUIRE(plan_scan_lies_within(step));
}

static void require_steps(const struct vkdml_instance *instance, const struct vkdml_plan *plan,
                          const struct vkdml_plan_steps *steps, const struct vkdml_plan_limits *limits) {
    REQUIRE(steps->count <= VKDML_PLAN_MAX_STEPS);
    for (uint32_t s = 0; s < steps->count; s++)
        require_step(instance, plan, steps, &steps->items[s], limits);
}

/* What Vulkan 1.2 guarantees. */
#define MINIMUM(buffers, kernels)                                                                                      \
    {                                                                                                                  \
        .max_storage_buffer_range = UINT64_C(1) << 27, .min_storage_buffer_offset_alignment = 256,                     \
        .max_workgroup_count = {65535, 65535, 65535}, .max_workgroup_size = {128, 128, 64},                            \
        .max_workgroup_invocations = 128, .max_shared_memory_bytes = 16384, .max_storage_buffers = (buffers),          \
        .variant = (kernels)                                                                                           \
    }

static void plan_for_all(const struct vkdml_instance *instance) {
    static const struct vkdml_plan_limits devices[] = {
        MINIMUM(4, VKDML_KERNEL_VARIANT_PORTABLE),
        MINIMUM(8, VKDML_KERNEL_VARIANT_SERIAL),
        {.max_storage_buffer_range = UINT64_C(1) << 27,
         .min_storage_buffer_offset_alignment = 16,
         .max_workgroup_count = {65535, 65535, 65535},
         .max_workgroup_size = {1024, 1024, 1024},
         .max_workgroup_invocations = 1024,
         .max_shared_memory_bytes = 32768,
         .max_storage_buffers = 8,
         .variant = VKDML_KERNEL_VARIANT_SERIAL,
         .transfer_allowed = true,
         .transfer_is_faster = true},
        {.max_storage_buffer_range = UINT32_MAX,
         .min_storage_buffer_offset_alignment = 16,
         .max_workgroup_count = {INT32_MAX, 65535, 65535},
         .max_workgroup_size = {1024, 1024, 64},
         .max_workgroup_invocations = 1024,
         .max_shared_memory_bytes = 49152,
         .max_storage_buffers = 16,
         .variant = VKDML_KERNEL_VARIANT_SUBGROUP},
    };
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        struct vkdml_plan plan;
        vkdml_plan_begin(&plan, NULL);
        struct vkdml_report report;
        vkdml_report_clear(&report);
        const clock_t begun = clock();
        VkdmlResult result = vkdml_plan(instance, &devices[i], 0, &report, &plan);
        require_soon(begun);
        REQUIRE(result == VKDML_SUCCESS || (result == VKDML_ERROR_LIMIT_EXCEEDED && report.count > 0));
        if (result == VKDML_SUCCESS)
            require_steps(instance, &plan, &plan.steps, &devices[i]);
        if (result == VKDML_SUCCESS)
            require_steps(instance, &plan, &plan.init_steps, &devices[i]);
        vkdml_plan_end(&plan);
    }
}

#define MOST_REFERENCE_BYTES     65536 /* of tensors that the reference runs over */
#define MOST_REFERENCE_TENSORS   64
#define MOST_REFERENCE_ATTRIBUTE 64 /* windows and repetitions */

/* A tensor's memory, of exactly its size; false where it is too large to be run over. */
static bool take_memory(const struct vkdml_tensor *tensor, VkdmlHostBinding *binding) {
    *binding = (VkdmlHostBinding){NULL, 0};
    if (tensor->dimension_count == 0)
        return true;
    if (tensor->total_bytes > MOST_REFERENCE_BYTES || vkdml_tensor_elements(tensor) > 4096)
        return false;
    binding->size = tensor->total_bytes;
    binding->data = malloc(binding->size);
    if (binding->data != NULL)
        memset(binding->data, 1, binding->size);
    return binding->data != NULL;
}

/* The numbers that loops may hang on, beside sizes of tensors. */
static bool has_small_attributes(void) {
    for (uint32_t i = 0; i < current.schema->fieldCount; i++)
        for (uint32_t w = 0; w < current.fields[i].word_count; w++)
            if (current.schema->fields[i].type == VKDML_FIELD_TYPE_UINT_ARRAY &&
                current.fields[i].words[w] > MOST_REFERENCE_ATTRIBUTE)
                return false;
    return true;
}

/* What is accepted is computed by the reference, where that is no long work. */
static void run_reference(const struct vkdml_instance *instance, const DML_OPERATOR_DESC *desc,
                          DML_FEATURE_LEVEL level) {
    VkdmlHostBinding bindings[MOST_REFERENCE_TENSORS];
    const uint32_t count = instance->input_count + instance->output_count;
    bool runs = count <= MOST_REFERENCE_TENSORS && has_small_attributes();
    uint32_t taken = 0;
    for (; runs && taken < count; taken++)
        runs = take_memory(taken < instance->input_count ? &instance->inputs[taken]
                                                         : &instance->outputs[taken - instance->input_count],
                           &bindings[taken]);
    const VkdmlReferenceInfo info = {
        .structSize = sizeof(info),
        .desc = desc,
        .featureLevel = level,
        .inputCount = instance->input_count,
        .inputs = bindings,
        .outputCount = instance->output_count,
        .outputs = bindings + instance->input_count,
    };
    if (runs) {
        const VkdmlResult result = vkdmlReferenceExecute(&info);
        REQUIRE(result == VKDML_SUCCESS || result == VKDML_ERROR_INVALID_ARGUMENT);
    }
    for (uint32_t i = 0; i < taken; i++)
        free(bindings[i].data);
}

static void require_consistency(VkdmlResult result, const struct vkdml_instance *instance,
                                const struct vkdml_report *report) {
    REQUIRE((result == VKDML_SUCCESS) == (instance != NULL));
    REQUIRE((result == VKDML_SUCCESS) == (report->count == 0));
}

/* What is found is valid, but for a type that none says; what is valid is found again. */
static void require_inference(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, bool is_valid) {
    struct vkdml_report report;
    struct vkdml_instance *instance = NULL;
    vkdml_report_clear(&report);
    const clock_t begun = clock();
    VkdmlResult result = vkdml_infer(desc, level, NULL, &report, &instance);
    require_soon(begun);
    require_consistency(result, instance, &report);
    REQUIRE(result == VKDML_SUCCESS || !is_valid);
    for (uint32_t i = 0; instance != NULL && i < instance->output_count; i++)
        REQUIRE(instance->outputs[i].dimension_count == 0 || vkdml_tensor_elements(&instance->outputs[i]) != 0);
    vkdml_instance_destroy(instance, NULL);
}

static void check(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level) {
    struct vkdml_report report;
    struct vkdml_instance *instance = NULL;
    vkdml_report_clear(&report);
    const clock_t begun = clock();
    VkdmlResult result = vkdml_validate(desc, level, NULL, &report, &instance);
    require_soon(begun);
    require_consistency(result, instance, &report);
    REQUIRE(result == VKDML_SUCCESS || result == VKDML_ERROR_INVALID_ARGUMENT || result == VKDML_ERROR_NOT_IMPLEMENTED);
    REQUIRE(report.length == strlen(report.text) && report.length < sizeof(report.text));
    require_inference(desc, level, instance != NULL);
    if (instance == NULL)
        return;
    for (uint32_t i = 0; i < instance->output_count; i++)
        require_no_overlap(&instance->outputs[i]);
    plan_for_all(instance);
    run_reference(instance, desc, level);
    vkdml_instance_destroy(instance, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a case cannot say: sizes in bytes, alignments, flags and kinds of tensors of any value. */
static void change_desc(struct bytes *bytes, struct case_desc *desc) {
    const uint32_t choice = take(bytes, 1) % 8;
    DML_BUFFER_TENSOR_DESC *buffer = &desc->buffers[take(bytes, 1) % CASE_MAX_TENSORS];
    if (choice == 0)
        buffer->TotalTensorSizeInBytes = (uint64_t)take(bytes, 4) << 32 | take(bytes, 4);
    else if (choice == 1)
        buffer->GuaranteedBaseOffsetAlignment = take_below(bytes, 32);
    else if (choice == 2)
        buffer->Flags = (DML_TENSOR_FLAGS)take_below(bytes, 3);
    else if (choice == 3)
        buffer->DataType = (DML_TENSOR_DATA_TYPE)take_below(bytes, 16);
    else if (choice == 4)
        buffer->DimensionCount = take_below(bytes, CASE_MAX_RANK + 1);
    else if (choice == 5)
        desc->tensors[take(bytes, 1) % CASE_MAX_FIELDS].Type = (DML_TENSOR_TYPE)take(bytes, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct case_desc desc;
    struct bytes bytes = {data, size};
    take_case(&bytes, &current);
    case_build_desc(&current, &desc);
    change_desc(&bytes, &desc);
    check(&desc.op, current.level);
    return 0;
}
