/* Plans of the gather kernels (glsl/gather/gather.glsl): every output element is computed from at most one input
 * element. An operator describes its dimensions; this orders and collapses them, cuts what a device cannot bind whole
 * into windows, and fills in the steps. */
#ifndef VKDML_FRAMES_GATHER_GATHER_H
#define VKDML_FRAMES_GATHER_GATHER_H

#include "base/report.h"
#include "plan/builder.h"
#include "plan/step.h"
#include "tensor/tensor.h"

/* The parameter block, word for word that of gather.glsl. */
struct vkdml_gather_parameters {
    uint32_t group_count;
    uint32_t item_count;
    uint32_t items_per_run;
    uint32_t run_length;
    uint32_t row_length;
    uint32_t row_output_stride;
    uint32_t row_input_stride;
    uint32_t row_input_size;
    uint32_t row_start;
    uint32_t row_origin;
    uint32_t output_first;
    uint32_t input_first;
    struct vkdml_divisor items_divisor;
    struct vkdml_divisor row_divisor;
    struct vkdml_divisor row_period_divisor;
    struct vkdml_divisor seam_divisor;
    uint32_t arguments[4];
    uint32_t sizes[8];
    uint32_t multipliers[8];
    uint32_t shifts[8];
    uint32_t output_strides[8];
    uint32_t input_strides[8];
    uint32_t input_sizes[8];
    uint32_t starts[8];
    uint32_t origins[8];
    uint32_t period_multipliers[8];
    uint32_t period_shifts[8];
    uint32_t group_length;
    uint32_t parts;
    uint32_t part_length;
    uint32_t seam_chunks;
    struct vkdml_divisor parts_divisor;
    uint32_t seam_units;
    uint32_t input_words;
};

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
    uint64_t output_first;  /* output elements before the first of the gather */
    uint64_t input_first;   /* input elements before that of coordinate 0, of dimensions walked backward too */
    uint32_t count;         /* of dimensions */
    struct vkdml_gather_dimension
        dimensions[VKDML_GATHER_MAX_DIMENSIONS]; /* outermost first; the last one is the row */
    /* The input coordinate that fills output coordinate c of a padded dimension, or OUTSIDE; NULL where none is padded.
     */
    uint32_t (*source)(const struct vkdml_gather_dimension *dimension, uint32_t mode, uint32_t c);
    uint32_t source_mode; /* handed to source */
};

/* What a gather's steps bind, and how they are specialized. */
struct vkdml_gather_use {
    enum vkdml_kernel kernel;
    /* The same for CPUs (glsl/gather/gather_runs.glsl); 0, which is VKDML_KERNEL_COPY: none. */
    enum vkdml_kernel runs_kernel;
    uint32_t specialization_count;
    uint32_t specializations[4]; /* constants 7 and 8, 10 and 11; others are every gather's */
    uint32_t chunks;             /* of 16 bytes of a dense output per invocation; 0: as many as usual */
    uint32_t arguments[4];
    bool has_pattern;
    uint32_t pattern[8]; /* of a band, see gather_band.glsl: takes the place of the dimensions' starts */
    bool has_seams;      /* of padding: glsl/gather/gather_seams.glsl is in the kernel */
    bool reads_rims;     /* of padding */
    bool has_input;
    enum vkdml_plan_resource input;
    enum vkdml_plan_resource output;
    uint32_t input_index;
    uint32_t output_index;
    uint64_t output_offset; /* bytes from where the output resource begins, multiple of 4 */
};

/* Takes the output's dimensions, and the input's strides where `input` is not NULL (same sizes assumed). */
void vkdml_gather_init(struct vkdml_gather *gather, const struct vkdml_tensor *output,
                       const struct vkdml_tensor *input);

/* Drops dimensions of size 1, orders the others by output stride, merges neighbours that are one run in both tensors
 * and not padded, among dimensions [first, first + count). At least one dimension remains in all. */
void vkdml_gather_collapse(struct vkdml_gather *gather, uint32_t first, uint32_t count);

/* Makes the element wider, up to 4 bytes, where whole wider elements lie side by side in both tensors. Only for gathers
 * that move every element unchanged. */
void vkdml_gather_widen(struct vkdml_gather *gather);

bool vkdml_gather_is_padded(const struct vkdml_gather_dimension *dimension);

/* Whether a step goes by tiles or blocks: for those who would rather not copy than element by element. */
bool vkdml_gather_is_tiled(const struct vkdml_plan_step *step);

/* Adds the gather's steps: one where both tensors can be bound whole, else one per window. */
VkdmlResult vkdml_gather_plan(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                              struct vkdml_builder *builder);

#endif
