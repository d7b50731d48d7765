/* An operator on its way into a plan; for emit.c, describe.c and known_operators.c alone. */
#ifndef ONNX_EMIT_H
#define ONNX_EMIT_H

#include "onnx/plan_parts.h"

#define ONNX_ROUND_UP_4(bytes) (((bytes) + 3) / 4 * 4)

struct onnx_emission {
    const struct onnx_call *call;
    const VkdmlOperatorSchema *schema;
    unsigned char *desc; /* the plan's copy */
    DML_OPERATOR_DESC op;
    bool is_kept; /* a node, also where all is known */
    uint32_t input_count, output_count;
    struct onnx_tensor *const *inputs;
    struct onnx_tensor **own_inputs; /* the same array */
    struct onnx_tensor **outputs;
    struct onnx_known_operator *known; /* set before outputs are inferred */
    DML_BUFFER_TENSOR_DESC *buffers; /* of the outputs */
    DML_TENSOR_DESC *descs;          /* likewise */
};

/* Memory of the plan; NULL where it is out, which is told. */
void *onnx_emission_memory(const struct onnx_emission *e, size_t count, size_t size);

/* With what its pointers lead to, but for tensors. */
bool onnx_copy_operator(const struct onnx_emission *e, const DML_OPERATOR_DESC *from, DML_OPERATOR_DESC *to);

/* How many tensors of a kind a descriptor has, arrays' each. */
uint32_t onnx_count_tensors(const VkdmlOperatorSchema *schema, const unsigned char *desc, VkdmlFieldKind kind);

/* The length of the array that a field points to; 1 of a pointer that is no array's. */
uint32_t onnx_count_elements(const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field,
                             const unsigned char *desc);

/* Points the descriptor to its inputs or outputs. */
bool onnx_set_tensors(const struct onnx_emission *e, VkdmlFieldKind kind);

#endif
