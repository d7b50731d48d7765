/* Plans of the fold kernels (glsl/fold/fold.glsl): each output element is what a function makes of the input's elements
 * that differ in some dimensions alone. */
#ifndef VKDML_FRAMES_FOLD_H
#define VKDML_FRAMES_FOLD_H

#include "base/report.h"
#include "kernels/plan.h"
#include "tensor/tensor.h"

/* What elements become; the values are glsl/fold/fold.glsl's. */
enum vkdml_fold_function {
    VKDML_FOLD_ARGMAX,
    VKDML_FOLD_ARGMIN,
    VKDML_FOLD_AVERAGE,
    VKDML_FOLD_L1,
    VKDML_FOLD_L2,
    VKDML_FOLD_LOG_SUM,
    VKDML_FOLD_LOG_SUM_EXP,
    VKDML_FOLD_MAX,
    VKDML_FOLD_MIN,
    VKDML_FOLD_MULTIPLY,
    VKDML_FOLD_SUM,
    VKDML_FOLD_SUM_SQUARE,
    /* These give two words, FLOAT32 if it is not said: */
    VKDML_FOLD_MOMENTS,    /* the mean, and 1 / sqrt(variance + argument) */
    VKDML_FOLD_POWERS,     /* the greatest, and 1 / the sum of exp(x - the greatest) */
    VKDML_FOLD_LOG_POWERS, /* the greatest, and ln of that sum */
    VKDML_FOLD_RANGE,      /* the scale, and the zero point, an INT32, that quantize all elements and 0 in 8 bits */
};

struct vkdml_fold {
    const struct vkdml_tensor *input;
    enum vkdml_plan_resource source;   /* where it lies: input 0, or the temporary resource, */
    uint64_t source_offset;            /* bytes from its start, a multiple of 16 */
    const struct vkdml_tensor *output; /* of size 1 in the dimensions that are folded, else of the input's sizes; of
                                          words its elements are FLOAT32, of places an integer type, else the input's
                                          type or, of floats, FLOAT32 */
    enum vkdml_plan_resource target;   /* where the output lies: output 0, or the temporary resource */
    uint64_t offsets[2];               /* bytes from its start; of a second word those it lies at, like the first */
    uint32_t folded;                   /* a bit for each dimension that is */
    enum vkdml_fold_function function;
    bool option;       /* ARGMIN, ARGMAX: of equal elements the last; MOMENTS: about 0, which takes the mean's place;
                          RANGE: of INT8, else UINT8 */
    uint32_t argument; /* MOMENTS: see there; L1, L2: what the norm is at least; FLOAT32's bits */
};

VkdmlResult vkdml_fold_plan(const struct vkdml_fold *fold, const struct vkdml_plan_limits *limits,
                            struct vkdml_report *report, struct vkdml_plan *plan);

#endif
