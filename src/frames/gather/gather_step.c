#include "frames/gather/gather_step.h"

#include "frames/gather/gather_elements.h"
#include "frames/gather/gather_interleave.h"
#include "frames/gather/gather_permute.h"
#include "frames/gather/gather_transpose.h"

/* Runs of permutations, in bytes. Shorter ones go better by tiles where there are any: 8-bit elements in runs of 32
 * reach 0.51 of the copy peak on an NVIDIA H200, element by element in blocks 0.42. */
#define LONG_RUN  64
#define LEAST_RUN 16

/* Copies that go otherwise than element by element. As timed on an NVIDIA H200: few planes by interleaving, tiles where
 * they are full and read and written in long runs, blocks where their runs are of two sectors at least, then whatever
 * there is. */
static bool fill_permutation(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                             const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                             struct vkdml_plan_step *step, VkdmlResult *result) {
    return vkdml_gather_interleave(gather, part, limits, report, step, result) ||
           vkdml_gather_transpose(gather, part, limits, true, report, step, result) ||
           vkdml_gather_permute(gather, part, limits, LONG_RUN, report, step, result) ||
           vkdml_gather_transpose(gather, part, limits, false, report, step, result) ||
           vkdml_gather_permute(gather, part, limits, LEAST_RUN, report, step, result);
}

static bool is_forward(const struct vkdml_gather *gather) {
    for (uint32_t d = 0; d < gather->count; ++d) {
        if (gather->dimensions[d].is_backward) {
            return false;
        }
    }
    return true;
}

VkdmlResult vkdml_gather_fill_step(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                                   const struct vkdml_gather_part *part, const struct vkdml_plan_limits *limits,
                                   struct vkdml_report *report, struct vkdml_plan_step *step) {
    VkdmlResult result;
    if (use->kernel == VKDML_KERNEL_COPY && is_forward(gather) &&
        fill_permutation(gather, part, limits, report, step, &result)) {
        return result;
    }
    return vkdml_gather_elements(gather, use, part, limits, report, step);
}

bool vkdml_gather_is_tiled(const struct vkdml_plan_step *step) {
    return step->kind == VKDML_PLAN_DISPATCH &&
           (step->kernel == VKDML_KERNEL_TRANSPOSE || step->kernel == VKDML_KERNEL_TRANSPOSE_SHIFTED ||
            step->kernel == VKDML_KERNEL_PERMUTE);
}
