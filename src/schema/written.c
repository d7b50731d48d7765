#include "schema/written.h"

#include "tensor/tensor.h"

uint64_t vkdml_output_written(const struct vkdml_instance *instance, uint32_t output) {
    /* Coordinates after the count are undefined. */
    const bool partly = instance->schema->type == DML_OPERATOR_NONZERO_COORDINATES && output != 0;
    return partly ? 0 : vkdml_dense_bytes(&instance->outputs[output]);
}
