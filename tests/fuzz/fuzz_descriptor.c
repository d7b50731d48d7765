/* Any bytes as a descriptor: validation refuses it with a reason or takes it, and what it takes has a plan within the
 * device's limits, or none for a reason. For libFuzzer; sanitizers see the rest. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "operators/infer.h"

#define MAX_TENSORS 3

static uint32_t take_number(struct bytes *bytes) {
    return take_below(bytes, 32);
}

/* Heap memory of exactly that size, so that the address sanitizer sees every byte read too far. */
static uint32_t *take_array(struct bytes *bytes, uint32_t count) {
    uint32_t *array = malloc(count > 0 ? count * sizeof(*array) : 1);
    for (uint32_t i = 0; array != NULL && i < count; i++)
        array[i] = take_number(bytes);
    return array;
}

struct tensor {
    DML_TENSOR_DESC outer;
    DML_BUFFER_TENSOR_DESC buffer;
    uint32_t *sizes;
    uint32_t *strides;
};

/* As many dimensions as `shared` says, unless the bytes say otherwise. */
static void take_tensor(struct bytes *bytes, uint32_t shared, struct tensor *tensor) {
    uint32_t choices = take(bytes, 1);
    uint32_t count = (choices & 1) != 0 ? take(bytes, 1) % 11 : shared;
    DML_BUFFER_TENSOR_DESC *buffer = &tensor->buffer;
    tensor->sizes = take_array(bytes, count);
    tensor->strides = (choices & 2) != 0 ? take_array(bytes, count) : NULL;
    buffer->DataType = (DML_TENSOR_DATA_TYPE)(take(bytes, 1) % 16);
    buffer->Flags = (DML_TENSOR_FLAGS)((choices & 4) != 0 ? take(bytes, 1) % 3 : 0);
    buffer->DimensionCount = count;
    buffer->Sizes = tensor->sizes;
    buffer->Strides = tensor->strides;
    buffer->TotalTensorSizeInBytes = vkdmlCalcBufferTensorSize(buffer->DataType, count, tensor->sizes, tensor->strides);
    if ((choices & 8) != 0)
        buffer->TotalTensorSizeInBytes = (uint64_t)take(bytes, 4) << 32 | take(bytes, 4);
    buffer->GuaranteedBaseOffsetAlignment = (choices & 16) != 0 ? take_number(bytes) : 0;
    tensor->outer.Type = (DML_TENSOR_TYPE)((choices & 96) != 96);
    tensor->outer.Desc = buffer;
}

/* Makes a UINT32 tensor of two sizes, packed. */
static void remake(struct tensor *tensor, uint32_t rows, uint32_t columns) {
    free(tensor->sizes);
    free(tensor->strides);
    tensor->strides = NULL;
    tensor->sizes = malloc(2 * sizeof(*tensor->sizes));
    if (tensor->sizes == NULL)
        return;
    tensor->sizes[0] = rows;
    tensor->sizes[1] = columns;
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = DML_TENSOR_DATA_TYPE_UINT32, .DimensionCount = 2};
    tensor->buffer.Sizes = tensor->sizes;
    tensor->buffer.TotalTensorSizeInBytes = vkdmlCalcBufferTensorSize(tensor->buffer.DataType, 2, tensor->sizes, NULL);
}

/* The outputs of NONZERO_COORDINATES follow from the input: left to chance they would hardly ever be legal. */
static void remake_coordinates(struct tensor *tensors) {
    uint32_t elements = 1;
    for (uint32_t i = 0; i < tensors[0].buffer.DimensionCount; i++)
        elements *= tensors[0].sizes[i];
    remake(&tensors[1], 1, 1);
    remake(&tensors[2], elements, tensors[0].buffer.DimensionCount);
}

union any_desc {
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity;
    DML_PADDING_OPERATOR_DESC padding;
    DML_DIAGONAL_MATRIX_OPERATOR_DESC diagonal;
    DML_NONZERO_COORDINATES_OPERATOR_DESC nonzero;
};

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "does not hold: %s\n", what);
        abort();
    }
}

#define REQUIRE(expression) require(expression, #expression)

#define MOST_PLACES 65536 /* a bit for each place an element may have, in small outputs */

/* Walks a small output and sees whether two elements share a place. */
static void require_no_overlap(const struct vkdml_tensor *tensor) {
    static uint8_t seen[MOST_PLACES];
    if (tensor->total_bytes * 8 / tensor->element_bits >= MOST_PLACES)
        return;
    memset(seen, 0, sizeof(seen));
    uint32_t elements = vkdml_tensor_elements(tensor);
    for (uint32_t element = 0; element < elements; element++) {
        uint32_t rest = element, place = 0;
        for (uint32_t d = tensor->dimension_count; d-- > 0;) {
            place += rest % tensor->sizes[d] * tensor->strides[d];
            rest /= tensor->sizes[d];
        }
        REQUIRE(((uint64_t)place + 1) * tensor->element_bits <= tensor->total_bytes * 8);
        REQUIRE(!seen[place]);
        seen[place] = 1;
    }
}

static void require_within_limits(const struct vkdml_plan *plan, const struct vkdml_plan_limits *limits) {
    REQUIRE(plan->steps.count >= 1 && plan->steps.count <= VKDML_PLAN_MAX_STEPS);
    for (uint32_t s = 0; s < plan->steps.count + plan->init_steps.count; s++) {
        const struct vkdml_plan_step *step =
            s < plan->steps.count ? &plan->steps.items[s] : &plan->init_steps.items[s - plan->steps.count];
        for (uint32_t axis = 0; axis < 3; axis++)
            REQUIRE(step->groups[axis] >= 1 && step->groups[axis] <= limits->max_workgroup_count[axis]);
        for (uint32_t b = 0; b < step->buffer_count; b++) {
            REQUIRE(step->buffers[b].size <= limits->max_storage_buffer_range);
            REQUIRE(step->buffers[b].size % 4 == 0 && step->buffers[b].offset % 4 == 0);
        }
    }
}

static void plan_for_all(const struct vkdml_instance *instance) {
    static const struct vkdml_plan_limits devices[] = {
        /* what Vulkan 1.2 guarantees */
        {UINT64_C(1) << 27, 256, {65535, 65535, 65535}, {128, 128, 64}, 128, 16384, 4, VKDML_KERNEL_VARIANT_PORTABLE},
        {UINT64_C(1) << 27, 256, {65535, 65535, 65535}, {128, 128, 64}, 128, 16384, 8, VKDML_KERNEL_VARIANT_SERIAL},
        {UINT32_MAX, 16, {2147483647, 65535, 65535}, {1024, 1024, 64}, 1024, 49152, 16, VKDML_KERNEL_VARIANT_SUBGROUP},
    };
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        struct vkdml_plan plan;
        vkdml_plan_begin(&plan, NULL);
        struct vkdml_report report;
        vkdml_report_clear(&report);
        VkdmlResult result = vkdml_plan(instance, &devices[i], 0, &report, &plan);
        REQUIRE(result == VKDML_SUCCESS || (result == VKDML_ERROR_LIMIT_EXCEEDED && report.count > 0));
        if (result == VKDML_SUCCESS)
            require_within_limits(&plan, &devices[i]);
        vkdml_plan_end(&plan);
    }
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
    VkdmlResult result = vkdml_infer(desc, level, NULL, &report, &instance);
    require_consistency(result, instance, &report);
    REQUIRE(result == VKDML_SUCCESS || !is_valid);
    for (uint32_t i = 0; instance != NULL && i < instance->output_count; i++)
        REQUIRE(vkdml_tensor_elements(&instance->outputs[i]) != 0);
    vkdml_instance_destroy(instance, NULL);
}

static void check(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level) {
    struct vkdml_report report;
    struct vkdml_instance *instance = NULL;
    vkdml_report_clear(&report);
    VkdmlResult result = vkdml_validate(desc, level, NULL, &report, &instance);
    require_consistency(result, instance, &report);
    REQUIRE(result == VKDML_SUCCESS || result == VKDML_ERROR_INVALID_ARGUMENT || result == VKDML_ERROR_NOT_IMPLEMENTED);
    REQUIRE(report.length == strlen(report.text) && report.length < sizeof(report.text));
    require_inference(desc, level, instance != NULL);
    if (instance == NULL)
        return;
    for (uint32_t i = 0; i < instance->output_count; i++)
        require_no_overlap(&instance->outputs[i]);
    plan_for_all(instance);
    vkdml_instance_destroy(instance, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const DML_OPERATOR_TYPE types[] = {DML_OPERATOR_ELEMENT_WISE_IDENTITY, DML_OPERATOR_PADDING,
                                              DML_OPERATOR_DIAGONAL_MATRIX, DML_OPERATOR_NONZERO_COORDINATES};
    struct bytes bytes = {data, size};
    struct tensor tensors[MAX_TENSORS] = {0};
    uint32_t choices = take(&bytes, 1), count = take(&bytes, 1) % 10;
    for (uint32_t i = 0; i < MAX_TENSORS; i++)
        take_tensor(&bytes, count, &tensors[i]);
    uint32_t *start = take_array(&bytes, count), *end = take_array(&bytes, count);
    DML_SCALE_BIAS scale_bias = {2.0f, 1.0f};
    union any_desc any;
    memset(&any, 0, sizeof(any));
    DML_OPERATOR_DESC desc = {types[choices % 4], &any};
    switch (choices % 4) {
    case 0:
        any.identity = (DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC){&tensors[0].outer, &tensors[1].outer,
                                                                 (choices & 4) != 0 ? &scale_bias : NULL};
        break;
    case 1:
        any.padding = (DML_PADDING_OPERATOR_DESC){&tensors[0].outer,
                                                  (choices & 8) != 0 ? NULL : &tensors[1].outer,
                                                  (DML_PADDING_MODE)take(&bytes, 1) % 7,
                                                  0.5f,
                                                  count,
                                                  start,
                                                  end};
        break;
    case 2:
        any.diagonal = (DML_DIAGONAL_MATRIX_OPERATOR_DESC){&tensors[0].outer, (int32_t)take(&bytes, 4), 1e20f};
        break;
    default:
        if ((choices & 8) == 0)
            remake_coordinates(tensors);
        any.nonzero = (DML_NONZERO_COORDINATES_OPERATOR_DESC){&tensors[0].outer, &tensors[1].outer, &tensors[2].outer};
        break;
    }
    check(&desc, (choices & 64) != 0 ? (DML_FEATURE_LEVEL)(take(&bytes, 1) << 8) : (DML_FEATURE_LEVEL)0);
    for (uint32_t i = 0; i < MAX_TENSORS; i++) {
        free(tensors[i].sizes);
        free(tensors[i].strides);
    }
    free(start);
    free(end);
    return 0;
}
