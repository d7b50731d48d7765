/* Any bytes as a descriptor of any row, the table's and those of the tests' own, whose fields are of every type: it is
 * refused with a reason or copied, and what is copied is what was there. For libFuzzer; everything that a descriptor
 * points to is heap memory of exactly its size, so that the address sanitizer sees every byte read too far. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "operators/operators.h"
#include "rows/own_rows.h"
#include "schema/table.h"

#define REQUIRE(expression) require(expression, #expression)

static void require(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "does not hold: %s\n", what);
        abort();
    }
}

/* What the descriptor points to. */
static struct {
    void *items[512];
    uint32_t count;
} allocated;

static uint32_t take_number(struct bytes *bytes) {
    return take_below(bytes, 9);
}

static void *allocate(size_t size) {
    const size_t most = sizeof(allocated.items) / sizeof(allocated.items[0]);
    void *memory = allocated.count < most ? malloc(size > 0 ? size : 1) : NULL;
    if (memory != NULL) {
        allocated.items[allocated.count++] = memory;
        memset(memory, 0, size);
    }
    return memory;
}

static uint32_t *take_numbers(struct bytes *bytes, uint32_t count) {
    uint32_t *numbers = allocate(count * sizeof(*numbers));
    for (uint32_t i = 0; numbers != NULL && i < count; i++)
        numbers[i] = take_number(bytes);
    return numbers;
}

static void take_tensor(struct bytes *bytes, DML_TENSOR_DESC *tensor) {
    DML_BUFFER_TENSOR_DESC *buffer = allocate(sizeof(*buffer));
    const uint32_t choices = take(bytes, 1);
    const uint32_t count = (choices & 3) != 0 ? 2 : take(bytes, 1) % 11;
    if (buffer == NULL)
        return;
    buffer->DataType = (DML_TENSOR_DATA_TYPE)((choices & 4) != 0 ? take(bytes, 1) % 16 : 1);
    buffer->Flags = (DML_TENSOR_FLAGS)((choices & 8) != 0 ? take(bytes, 1) % 3 : 0);
    buffer->DimensionCount = count;
    buffer->Sizes = take_numbers(bytes, count);
    buffer->Strides = (choices & 16) != 0 ? take_numbers(bytes, count) : NULL;
    buffer->TotalTensorSizeInBytes = vkdmlCalcBufferTensorSize(buffer->DataType, count, buffer->Sizes, buffer->Strides);
    if ((choices & 32) != 0)
        buffer->TotalTensorSizeInBytes = take_number(bytes);
    *tensor = (DML_TENSOR_DESC){(DML_TENSOR_TYPE)((choices & 192) != 192), buffer};
}

/* Whether the tests' own rows stand before the table's, whose structs differ. */
static bool has_own;

static const VkdmlOperatorSchema *find(DML_OPERATOR_TYPE type) {
    const VkdmlOperatorSchema *row = has_own ? own_row_find(type) : NULL;
    return row != NULL ? row : vkdml_schema_find(type);
}

static const VkdmlOperatorSchema *take_row(struct bytes *bytes) {
    const uint32_t index = take(bytes, 1);
    return has_own && take(bytes, 1) % 2 == 0 ? own_row_at(index % own_row_count())
                                              : find(vkdml_schema_at(index % vkdml_schema_count())->type);
}

static void *take_desc(struct bytes *bytes, const VkdmlOperatorSchema *row, bool fused);

/* An operator for a field of operators, mostly one that may be fused. */
static void take_operator(struct bytes *bytes, DML_OPERATOR_DESC *desc) {
    const VkdmlOperatorSchema *row = take_row(bytes);
    desc->Type = take(bytes, 1) % 8 != 0 ? row->type : (DML_OPERATOR_TYPE)take_number(bytes);
    desc->Desc = take(bytes, 1) % 16 != 0 ? take_desc(bytes, row, take(bytes, 1) % 8 != 0) : NULL;
    if (desc->Type != row->type)
        desc->Desc = NULL; /* its struct is another */
}

/* What a pointer field points to: as many elements as the field that counts them says, up to a few. */
static const void *take_pointee(struct bytes *bytes, const VkdmlFieldSchema *field, uint32_t length) {
    if (take(bytes, 1) % 16 == 0)
        return NULL;
    if (field->type == VKDML_FIELD_TYPE_TENSOR_DESC || field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
        DML_TENSOR_DESC *tensors = allocate(length * sizeof(*tensors));
        for (uint32_t i = 0; tensors != NULL && i < length; i++)
            take_tensor(bytes, &tensors[i]);
        return tensors;
    }
    if (field->type == VKDML_FIELD_TYPE_OPERATOR_DESC || field->type == VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY) {
        DML_OPERATOR_DESC *operators = allocate(length * sizeof(*operators));
        for (uint32_t i = 0; operators != NULL && i < length; i++)
            take_operator(bytes, &operators[i]);
        return operators;
    }
    return take_numbers(bytes, length);
}

static void *take_desc(struct bytes *bytes, const VkdmlOperatorSchema *row, bool fused) {
    unsigned char *desc = allocate(row->descSize);
    for (uint32_t i = 0; desc != NULL && i < row->fieldCount; i++) {
        const VkdmlFieldSchema *field = &row->fields[i];
        uint32_t length = field->type == VKDML_FIELD_TYPE_SCALE_BIAS ? 2 : 1;
        uint32_t words[2] = {take_number(bytes), 0};
        const void *pointer = words;
        size_t size = field->type == VKDML_FIELD_TYPE_SCALAR_UNION || field->type == VKDML_FIELD_TYPE_SIZE_2D ? 8 : 4;
        if (field->countField != VKDML_NONE) {
            unsigned char *count = desc + row->fields[field->countField].offset;
            memcpy(&length, count, sizeof(length));
            length = length <= VKDML_MAX_ARRAY_TENSORS ? length % 17 : length; /* legal arrays are short */
            memcpy(count, &length, sizeof(length));
        }
        if (field->countField != VKDML_NONE || field->kind != VKDML_FIELD_KIND_ATTRIBUTE ||
            field->type == VKDML_FIELD_TYPE_SCALE_BIAS || field->type == VKDML_FIELD_TYPE_OPERATOR_DESC) {
            /* A longer array is refused for its length alone: nothing of it may be read. */
            pointer = take_pointee(bytes, field, length <= 16 ? length : 0);
            size = sizeof(pointer);
            if (fused && field->kind != VKDML_FIELD_KIND_ATTRIBUTE)
                pointer = NULL;
            memcpy(desc + field->offset, &pointer, size);
        } else {
            memcpy(desc + field->offset, words, size);
        }
    }
    return desc;
}

static void require_complete(const struct vkdml_instance *instance) {
    for (uint32_t i = 0; i < instance->input_count; i++) {
        REQUIRE(strlen(vkdml_input_name(instance, i)) > 0);
        REQUIRE(instance->inputs[i].dimension_count <= VKDML_MAX_DIMENSIONS);
    }
    for (uint32_t i = 0; i < instance->output_count; i++) {
        REQUIRE(strlen(vkdml_output_name(instance, i)) > 0);
        REQUIRE(instance->outputs[i].dimension_count <= VKDML_MAX_DIMENSIONS);
    }
    for (uint32_t i = 0; i < instance->activation_count; i++) {
        REQUIRE(instance->activations[i].schema != NULL && instance->activations[i].desc != NULL);
        REQUIRE((int)instance->activations[i].schema->fusableSince != 0);
        REQUIRE(instance->activations[i].input_count == 0 && instance->activations[i].activation_count == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {.next = data, .left = size};
    has_own = take(&bytes, 1) % 2 == 0;
    const VkdmlOperatorSchema *row = take_row(&bytes);
    const uint32_t level = take(&bytes, 1);
    const DML_OPERATOR_DESC desc = {row->type, take_desc(&bytes, row, false)};
    struct vkdml_report report;
    struct vkdml_instance *instance = NULL;
    vkdml_report_clear(&report);
    VkdmlResult result = vkdml_instance_create_of(find, &desc, (DML_FEATURE_LEVEL)(level % 2 == 0 ? 0 : level << 8),
                                                  NULL, &report, &instance);
    REQUIRE((result == VKDML_SUCCESS) == (instance != NULL));
    REQUIRE((result == VKDML_SUCCESS) == (report.count == 0));
    REQUIRE(result == VKDML_SUCCESS || result == VKDML_ERROR_INVALID_ARGUMENT || result == VKDML_ERROR_NOT_IMPLEMENTED);
    if (instance != NULL) {
        require_complete(instance);
        vkdml_schema_check(instance, &report);
    }
    REQUIRE(report.context == NULL && report.part == NULL);
    REQUIRE(report.length == strlen(report.text) && report.length < sizeof(report.text));
    vkdml_instance_destroy(instance, NULL);
    for (uint32_t i = 0; i < allocated.count; i++)
        free(allocated.items[i]);
    allocated.count = 0;
    return 0;
}
