/* What the files of network operators share. */
#ifndef ONNX_NETWORK_H
#define ONNX_NETWORK_H

#include "onnx/operators.h"
#include "onnx/operators/parts.h"

/* ---- windows: convolutions and pooling ---- */

#define ONNX_MOST_SPATIAL 3

/* Spatial dimensions alone. What ceil_mode adds to the end is in `end` too, and in `more`. */
struct onnx_window {
    uint32_t count;
    uint32_t kernel[ONNX_MOST_SPATIAL], strides[ONNX_MOST_SPATIAL], dilations[ONNX_MOST_SPATIAL];
    uint32_t start[ONNX_MOST_SPATIAL], end[ONNX_MOST_SPATIAL], more[ONNX_MOST_SPATIAL];
    uint32_t output[ONNX_MOST_SPATIAL];
};

/* An attribute of so many integers of at least `least`; all are `otherwise` where it is absent or has none. */
bool onnx_read_sizes(const struct onnx_call *call, const char *name, uint32_t count, uint32_t least, uint32_t otherwise,
                     uint32_t *sizes);

/* kernel_shape, or the sizes of a filter, strides, dilations; of a tensor {N, C, spatial sizes}. */
bool onnx_read_kernel(const struct onnx_call *call, const struct onnx_tensor *x, const struct onnx_tensor *filter,
                      struct onnx_window *window);

/* The same, then pads, auto_pad, ceil_mode and the sizes that follow. */
bool onnx_read_window(const struct onnx_call *call, const struct onnx_tensor *x, const struct onnx_tensor *filter,
                      struct onnx_window *window);

/* {N, C, S} as {N, C, 1, S}, and the window as one of two dimensions. */
struct onnx_tensor *onnx_widen_window(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_window *window);

/* ---- activations that may be fused ---- */

struct onnx_activation {
    DML_OPERATOR_TYPE type;
    DML_ACTIVATION_LINEAR_OPERATOR_DESC desc; /* begins as each of them does */
    uint32_t number_count;                    /* how many of Alpha and Beta it has */
    bool has_defaults;
};

/* By its name in ONNX, with ONNX's Alpha and Beta. False where there is none. */
bool onnx_find_activation(const char *name, struct onnx_activation *activation);
struct onnx_tensor *onnx_activate(const struct onnx_call *call, const struct onnx_activation *activation,
                                  struct onnx_tensor *x);

/* ---- channels and products ---- */

/* 1-D to {1, .., C, .., 1} with C in dimension `axis` of so many. */
struct onnx_tensor *onnx_along(const struct onnx_call *call, struct onnx_tensor *x, uint32_t axis, uint32_t rank);

/* {.., M, K} x {.., K, N}, of two dimensions at least, which broadcast but for the last two. Integers wrap. */
struct onnx_tensor *onnx_matmul(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b);

#endif
