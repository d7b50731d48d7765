/* The table of ONNX operators. */
#ifndef ONNX_OPERATORS_H
#define ONNX_OPERATORS_H

#include "onnx/plan.h"

typedef bool (*onnx_translation)(const struct onnx_call *call);

#define ONNX_ML "" /* ai.onnx */
#define ONNX_MICROSOFT "com.microsoft"

/* From one version of the operator set on, until a newer row of the same operator. */
struct onnx_operator {
    const char *domain;
    const char *op;
    uint32_t since;
    onnx_translation translate;
};

/* A family's rows. Each file of operators/ has one, declared in families.inc. */
struct onnx_family {
    const struct onnx_operator *operators;
    uint32_t count;
};

/* The row for an operator of a version, or NULL. */
const struct onnx_operator *onnx_find_operator(const char *domain, const char *op, uint32_t version);

/* All rows, family by family, for lists; NULL behind the last. */
const struct onnx_operator *onnx_operator_at(uint32_t index);

#endif
