/* What the files of normalization share. */
#ifndef ONNX_NORMALIZE_H
#define ONNX_NORMALIZE_H

#include "onnx/operators/network.h"

/* scale * (x - mean) / sqrt(variance + epsilon) + bias, over axes; scale and bias, of x's rank or NULL, are broadcast.
 * Computed in `type`, which all are cast to. */
struct onnx_normalization {
    struct onnx_tensor *x, *scale, *bias;
    enum onnx_type type;
    enum onnx_type result; /* the result's type; UNDEFINED: x's */
    uint32_t axis_count, axes[ONNX_MAX_RANK];
    float epsilon;
    bool has_no_mean; /* 0 in its place, in the variance too */
};

struct onnx_tensor *onnx_normalize(const struct onnx_call *call, const struct onnx_normalization *n);

#endif
