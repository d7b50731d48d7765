#include "reference_fixture.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "vkdml/schema.h"

void host_tensor_init(struct host_tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t count, const uint32_t *sizes,
                      const uint32_t *strides) {
    memcpy(tensor->sizes, sizes, count * sizeof sizes[0]);
    if (strides != NULL) {
        memcpy(tensor->strides, strides, count * sizeof strides[0]);
    }
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){
        .DataType = type,
        .DimensionCount = count,
        .Sizes = tensor->sizes,
        .Strides = strides != NULL ? tensor->strides : NULL,
        .TotalTensorSizeInBytes = vkdmlCalcBufferTensorSize(type, count, sizes, strides),
    };
    assert(tensor->buffer.TotalTensorSizeInBytes > 0);
    assert(tensor->buffer.TotalTensorSizeInBytes <= sizeof tensor->bytes);
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
    memset(tensor->bytes, POISON, sizeof tensor->bytes);
}

static unsigned char *address(const struct host_tensor *tensor, uint64_t offset, uint32_t *size) {
    *size = vkdmlGetDataTypeSize(tensor->buffer.DataType);
    assert((offset + 1) * *size <= sizeof tensor->bytes);
    return (unsigned char *)tensor->bytes + offset * *size;
}

static int is_big_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

uint64_t host_tensor_get(const struct host_tensor *tensor, uint64_t offset) {
    uint32_t size;
    const unsigned char *source = address(tensor, offset, &size);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i++) {
        bits |= (uint64_t)source[is_big_endian() ? size - 1 - i : i] << (8 * i);
    }
    return bits;
}

void host_tensor_set(struct host_tensor *tensor, uint64_t offset, uint64_t bits) {
    uint32_t size;
    unsigned char *target = address(tensor, offset, &size);
    for (uint32_t i = 0; i < size; i++) {
        target[is_big_endian() ? size - 1 - i : i] = (unsigned char)(bits >> (8 * i));
    }
}

void host_tensor_set_floats(struct host_tensor *tensor, uint32_t count, const float *values) {
    assert(count * sizeof values[0] <= sizeof tensor->bytes);
    memcpy(tensor->bytes, values, count * sizeof values[0]);
}

VkdmlResult reference_run(DML_OPERATOR_TYPE type, const void *desc, VkdmlCompileFlags flags, struct host_tensor *input,
                          struct host_tensor *output, struct host_tensor *second_output) {
    VkdmlHostBinding inputs[1], outputs[2];
    uint32_t input_count = 0, output_count = 0;
    if (input != NULL) {
        inputs[input_count++] = (VkdmlHostBinding){input->bytes, (size_t)input->buffer.TotalTensorSizeInBytes};
    }
    outputs[output_count++] = (VkdmlHostBinding){output->bytes, (size_t)output->buffer.TotalTensorSizeInBytes};
    if (second_output != NULL) {
        outputs[output_count++] =
            (VkdmlHostBinding){second_output->bytes, (size_t)second_output->buffer.TotalTensorSizeInBytes};
    }
    const DML_OPERATOR_DESC operator_desc = {type, desc};
    const VkdmlReferenceInfo info = {
        .structSize = sizeof info,
        .desc = &operator_desc,
        .flags = flags,
        .inputCount = input_count,
        .inputs = inputs,
        .outputCount = output_count,
        .outputs = outputs,
    };
    return vkdmlReferenceExecute(&info);
}

float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void expect_success(VkdmlResult result) {
    if (result != VKDML_SUCCESS) {
        fail_msg("%s", vkdmlGetErrorMessage());
    }
}

void expect_poison(const struct host_tensor *tensor, size_t used) {
    const unsigned char *bytes = (const unsigned char *)tensor->bytes;
    for (size_t i = used; i < sizeof tensor->bytes; i++) {
        assert_int_equal(bytes[i], POISON);
    }
}
