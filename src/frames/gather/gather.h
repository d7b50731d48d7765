/* Plans of the gather kernels (glsl/gather/gather.glsl): every output element is computed from at most one input
 * element. An operator describes its dimensions; this orders and collapses them, cuts what a device cannot bind whole
 * into windows, and fills in the steps. */
#ifndef VKDML_FRAMES_GATHER_GATHER_H
#define VKDML_FRAMES_GATHER_GATHER_H

#include "base/report.h"
#include "kernels/blocks.h"
#include "plan/builder.h"
#include "plan/step.h"
#include "tensor/tensor.h"

/* One dimension of a gather, in elements. */
struct vkdml_gather_dimension {
    uint32_t size; /* of the output */
    uint32_t output_stride;
    uint32_t input_stride; /* 0 where there is no input */
    uint32_t input_size;   /* equals size unless padded */
    uint32_t start;        /* padding before the input */
    uint32_t period;       /* of padding: after how many elements the input repeats, at least 1 */
    uint32_t role;         /* an operator's own mark; dimensions with one are not merged, nor widened as rows */
    bool is_backward;      /* the input is walked from its end on: input_stride is subtracted */
};

/* Stands for a coordinate that no input element fills. */
#define VKDML_GATHER_OUTSIDE UINT32_MAX

/* Before they are collapsed: tiles and blocks split dimensions in two. What is planned has VKDML_MAX_DIMENSIONS. */
#define VKDML_GATHER_MAX_DIMENSIONS (2 * VKDML_MAX_DIMENSIONS)

struct vkdml_gather {
    uint32_t element_bytes; /* 1, 2, 4 or 8 */
    struct vkdml_origin output;
    struct vkdml_origin input; /* of coordinate 0, of dimensions walked backward too; no tensor: nothing is read. The
                                  first elements of both are counted by element_bytes, whatever their types */
    uint32_t count;            /* of dimensions */
    struct vkdml_gather_dimension
        dimensions[VKDML_GATHER_MAX_DIMENSIONS]; /* outermost first; the last one is the row */
    /* The input coordinate that fills output coordinate c of a padded dimension, or OUTSIDE; NULL where none is padded.
     */
    uint32_t (*source)(const struct vkdml_gather_dimension *dimension, uint32_t mode, uint32_t c);
    uint32_t source_mode; /* handed to source */
};

/* A specialization constant, VKDML_GATHER_CONSTANT_... */
struct vkdml_gather_constant {
    uint32_t id;
    uint32_t value;
};

/* Which kernels a gather takes, and how they are specialized. */
struct vkdml_gather_use {
    enum vkdml_kernel kernel;
    /* The same for CPUs (glsl/gather/gather_runs.glsl); 0, which is VKDML_KERNEL_COPY: none. */
    enum vkdml_kernel runs_kernel;
    uint32_t constant_count;
    struct vkdml_gather_constant constants[4]; /* the operator's own, of which kernels may lack some */
    uint32_t chunks;                           /* of 16 bytes of a dense output per invocation; 0: as many as usual */
    uint32_t arguments[4];
    bool has_pattern;
    uint32_t pattern[8]; /* of a band, see gather_band.glsl: takes the place of the dimensions' starts */
    bool has_seams;      /* of padding: glsl/gather/gather_seams.glsl is in the kernel */
    bool reads_rims;     /* of padding */
};

/* Takes the output's dimensions, and the input's strides where `input` is not NULL (same sizes assumed). */
void vkdml_gather_init(struct vkdml_gather *gather, const struct vkdml_view *output, const struct vkdml_view *input);

/* Takes where two tensors lie, and no dimensions: those are to be added. */
void vkdml_gather_begin(struct vkdml_gather *gather, const struct vkdml_view *output, const struct vkdml_view *input);

bool vkdml_gather_has_input(const struct vkdml_gather *gather);

/* Drops dimensions of size 1, orders the others by output stride, merges neighbours that are one run in both tensors
 * and not padded, among dimensions [first, first + count). At least one dimension remains in all. */
void vkdml_gather_collapse(struct vkdml_gather *gather, uint32_t first, uint32_t count);

/* Makes the element wider, up to 4 bytes, where whole wider elements lie side by side in both tensors. Only for gathers
 * that move every element unchanged. */
void vkdml_gather_widen(struct vkdml_gather *gather);

/* For general plans: adds dimensions of size 1 up to VKDML_MAX_DIMENSIONS, so that kernels do not depend on how many
 * remain after collapsing. Elements of the last one are adjacent in the output where there is room for such a dimension.
 */
void vkdml_gather_make_general(struct vkdml_gather *gather);

bool vkdml_gather_is_padded(const struct vkdml_gather_dimension *dimension);

/* Whether a step goes by tiles or blocks: for those who would rather not copy than element by element. */
bool vkdml_gather_is_tiled(const struct vkdml_plan_step *step);

/* Adds the gather's steps: one where both tensors can be bound whole, else one per window. */
VkdmlResult vkdml_gather_plan(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                              struct vkdml_builder *builder);

#endif
