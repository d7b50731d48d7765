/* Plans of the reduce kernels (glsl/reduce/reduce.glsl): each output element is what a function makes of the input's
 * elements that differ in some dimensions alone. */
#ifndef VKDML_FRAMES_REDUCE_REDUCE_H
#define VKDML_FRAMES_REDUCE_REDUCE_H

#include "base/report.h"
#include "plan/builder.h"
#include "tensor/tensor.h"

/* What elements become; the values are glsl/reduce/reduce.glsl's. */
enum vkdml_reduce_function {
    VKDML_REDUCE_ARGMAX,
    VKDML_REDUCE_ARGMIN,
    VKDML_REDUCE_AVERAGE,
    VKDML_REDUCE_L1,
    VKDML_REDUCE_L2,
    VKDML_REDUCE_LOG_SUM,
    VKDML_REDUCE_LOG_SUM_EXP,
    VKDML_REDUCE_MAX,
    VKDML_REDUCE_MIN,
    VKDML_REDUCE_MULTIPLY,
    VKDML_REDUCE_SUM,
    VKDML_REDUCE_SUM_SQUARE,
    /* These give two words, FLOAT32 if it is not said: */
    VKDML_REDUCE_MOMENTS,    /* the mean, and 1 / sqrt(variance + argument) */
    VKDML_REDUCE_POWERS,     /* the greatest, and 1 / the sum of exp(x - the greatest) */
    VKDML_REDUCE_LOG_POWERS, /* the greatest, and ln of that sum */
    VKDML_REDUCE_RANGE,      /* the scale, and the zero point, an INT32, that quantize all elements and 0 in 8 bits */
};

struct vkdml_reduce {
    struct vkdml_view input;
    /* Of size 1 in the dimensions that are folded, else of the input's sizes; of words its elements are FLOAT32, of
     * places an integer type, else the input's type or, of floats, FLOAT32. Of second words a tensor that lies like the
     * first.
     */
    struct vkdml_view outputs[2];
    uint32_t folded; /* a bit for each dimension that is */
    enum vkdml_reduce_function function;
    bool option;       /* ARGMIN, ARGMAX: of equal elements the last; MOMENTS: about 0, which takes the mean's place;
                          RANGE: of INT8, else UINT8 */
    uint32_t argument; /* MOMENTS: see there; L1, L2: what the norm is at least; FLOAT32's bits */
};

VkdmlResult vkdml_reduce_plan(const struct vkdml_reduce *reduce, struct vkdml_builder *builder);

#endif
