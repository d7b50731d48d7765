/* What Resize and Upsample say, as numbers. */
#ifndef ONNX_RESIZE_H
#define ONNX_RESIZE_H

#include "onnx/operators/move.h"

enum onnx_resize_mode { ONNX_NEAREST, ONNX_LINEAR, ONNX_CUBIC };

enum onnx_coordinates {
    ONNX_HALF_PIXEL,
    ONNX_HALF_PIXEL_SYMMETRIC,
    ONNX_PYTORCH_HALF_PIXEL,
    ONNX_ALIGN_CORNERS,
    ONNX_ASYMMETRIC,
    ONNX_TF_CROP_AND_RESIZE,
    ONNX_TF_HALF_PIXEL_FOR_NN,
};

/* SIMPLE is what versions before 11 do: down, but up where the output is the smaller. */
enum onnx_rounding { ONNX_ROUND_PREFER_FLOOR, ONNX_ROUND_PREFER_CEIL, ONNX_FLOOR, ONNX_CEIL, ONNX_SIMPLE };

struct onnx_resize_axis {
    uint32_t in, out;
    double scale, width; /* width: in * scale, which need not be whole */
    double start, end;   /* the region of interest, of TF_CROP_AND_RESIZE */
};

struct onnx_resize {
    enum onnx_resize_mode mode;
    enum onnx_coordinates coordinates;
    enum onnx_rounding rounding;
    bool antialias, exclude_outside;
    double cubic_a, extrapolation;
    struct onnx_resize_axis axes[ONNX_MAX_RANK];
    uint32_t order_count, order[ONNX_MAX_RANK]; /* axes as the node names them */
};

/* Output 0 of the call. */
bool onnx_resize(const struct onnx_call *call, const struct onnx_resize *resize, struct onnx_tensor *tensor);

#endif
