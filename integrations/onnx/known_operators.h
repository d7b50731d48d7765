/* Operators that a plan has already, by what their descriptors say: the layers of a network repeat them. */
#ifndef ONNX_KNOWN_OPERATORS_H
#define ONNX_KNOWN_OPERATORS_H

#include "onnx/emit.h"

struct onnx_known_operator {
    struct onnx_known_operator *next; /* of the same bucket */
    uint64_t hash;
    const unsigned char *key;
    size_t key_bytes;
    uint32_t number;                /* among those of the plan */
    const VkdmlTensorShape *shapes; /* of the outputs; NULL as long as the operator was not found valid */
};

/* The entry for an operator whose tensors are set, as far as outputs are known: a new one where the plan has none. NULL
 * with a reason if memory is out. */
struct onnx_known_operator *onnx_know_operator(const struct onnx_emission *e);

#endif
