/* The table of ONNX operators. */
#ifndef ONNX_OPERATORS_H
#define ONNX_OPERATORS_H

#include "onnx/plan.h"

typedef bool (*onnx_translation)(const struct onnx_call *call);

/* Domains. */
#define ONNX_ML        "" /* ai.onnx */
#define ONNX_MICROSOFT "com.microsoft"
#define ONNX_PREVIEW   "ai.onnx.preview"

/* From one version of the operator set on, until a newer row of the same operator. */
struct onnx_operator {
    const char *domain;
    const char *op;
    uint32_t since;
    onnx_translation translate;
};

/* A family's rows. Each file of operators/ has one, which families.inc names. */
struct onnx_family {
    const struct onnx_operator *operators;
    uint32_t count;
};

/* Defines a file's family of an array of rows. */
#define ONNX_DEFINE_FAMILY(name, rows)                                                                                 \
    extern const struct onnx_family onnx_family_##name;                                                                \
    const struct onnx_family onnx_family_##name = {rows, sizeof(rows) / sizeof(rows)[0]};

/* The row for an operator of a version, or NULL. */
const struct onnx_operator *onnx_find_operator(const char *domain, const char *op, uint32_t version);

/* All rows, family by family, for lists; NULL behind the last. */
const struct onnx_operator *onnx_operator_at(uint32_t index);

#endif
