/* Plans of the reduce kernels (glsl/reduce/reduce.glsl): each output element is what a function makes of the input's
 * elements that differ in some dimensions alone. */
#ifndef VKDML_FRAMES_REDUCE_REDUCE_H
#define VKDML_FRAMES_REDUCE_REDUCE_H

#include "base/report.h"
#include "kernels/blocks.h"
#include "plan/builder.h"
#include "plan/epilogue.h"
#include "tensor/tensor.h"

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
    struct vkdml_view beside; /* of GRADIENTS that vkdml_reduce_takes_gradients(): a tensor that lies like the input */
    struct vkdml_view means;  /* .. and one of the outputs' sizes */
    const struct vkdml_epilogue *epilogue; /* that vkdml_reduce_takes(), of the output's sizes; NULL: none */
};

/* Whether an epilogue may become of the results of a reduce: of one output of floats what vkdml_epilogue_is_short()
 * says. It changes nothing else of a plan, so not a bit of results before it. */
bool vkdml_reduce_takes(const struct vkdml_reduce *reduce, const struct vkdml_epilogue *epilogue,
                        const struct vkdml_plan_limits *limits);

/* Whether sums can be made of an input and a tensor beside it: both lie alike, and a dispatch has buffers enough. */
bool vkdml_reduce_takes_gradients(const struct vkdml_reduce *reduce, const struct vkdml_plan_limits *limits);

VkdmlResult vkdml_reduce_plan(const struct vkdml_reduce *reduce, struct vkdml_builder *builder);

#endif
