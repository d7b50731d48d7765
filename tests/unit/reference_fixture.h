/* Tensors in host memory with the descriptors that point to them, and runs of the reference over them. */
#ifndef UNIT_REFERENCE_FIXTURE_H
#define UNIT_REFERENCE_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "lists.h"
#include "vkdml/dml_types.h"
#include "vkdml/reference.h"

/* What every byte holds before something is written there. */
#define POISON 0xCD

#define HOST_TENSOR_BYTES 16384

/* Points into itself: not to be copied. */
struct host_tensor {
    uint32_t sizes[8];
    uint32_t strides[8];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
    uint64_t bytes[HOST_TENSOR_BYTES / 8]; /* aligned for any type */
};

/* A poisoned tensor; strides NULL: packed. */
void host_tensor_init(struct host_tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t count, const uint32_t *sizes,
                      const uint32_t *strides);

/* The bits of the element that lies `offset` elements after the first. */
uint64_t host_tensor_get(const struct host_tensor *tensor, uint64_t offset);
void host_tensor_set(struct host_tensor *tensor, uint64_t offset, uint64_t bits);

/* Sets the first elements of a packed FLOAT32 tensor. */
void host_tensor_set_floats(struct host_tensor *tensor, uint32_t count, const float *values);

/* Runs an operator at the newest level over up to one input and one or two outputs; NULL for what it lacks. */
VkdmlResult reference_run(DML_OPERATOR_TYPE type, const void *desc, VkdmlCompileFlags flags, struct host_tensor *input,
                          struct host_tensor *output, struct host_tensor *second_output);

float float_of(uint32_t bits);

/* Fails with the reason. */
void expect_success(VkdmlResult result);

/* The bytes of a tensor from `used` on are as they were. */
void expect_poison(const struct host_tensor *tensor, size_t used);

#endif
