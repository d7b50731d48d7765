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
};

/* Of input 0 onto output 0. */
struct vkdml_fold {
    const struct vkdml_tensor *input;
    const struct vkdml_tensor *output; /* of size 1 in the dimensions that are folded, else of the input's sizes */
    uint32_t folded;                   /* a bit for each dimension that is */
    enum vkdml_fold_function function;
    bool takes_last; /* ARGMIN and ARGMAX: of equal elements the last */
};

VkdmlResult vkdml_fold_plan(const struct vkdml_fold *fold, const struct vkdml_plan_limits *limits,
                            struct vkdml_report *report, struct vkdml_plan *plan);

#endif
