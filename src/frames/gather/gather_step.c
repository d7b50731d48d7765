#include "frames/gather/gather_step.h"

#include "frames/gather/gather_elements.h"
#include "frames/gather/gather_interleave.h"
#include "frames/gather/gather_permute.h"
#include "frames/gather/gather_transpose.h"

/* Runs of permutations, in bytes. Shorter ones go better by tiles where there are any: 8-bit elements in runs of 32
 * reach 0.51 of the copy peak on an NVIDIA H200, element by element in blocks 0.42. */
#define LONG_RUN  64
#define LEAST_RUN 16

/* A step that is to be filled in. */
struct asked {
    const struct vkdml_gather *gather;
    const struct vkdml_gather_use *use;
    const struct vkdml_gather_part *part;
    const struct vkdml_plan_limits *limits;
    struct vkdml_report *report;
    struct vkdml_plan_step *step;
};

static bool interleave(const struct asked *a, VkdmlResult *result) {
    return vkdml_gather_interleave(a->gather, a->part, a->limits, a->report, a->step, result);
}

static bool transpose_well(const struct asked *a, VkdmlResult *result) {
    return vkdml_gather_transpose(a->gather, a->part, a->limits, true, a->report, a->step, result);
}

static bool permute_long(const struct asked *a, VkdmlResult *result) {
    return vkdml_gather_permute(a->gather, a->part, a->limits, LONG_RUN, a->report, a->step, result);
}

static bool transpose(const struct asked *a, VkdmlResult *result) {
    return vkdml_gather_transpose(a->gather, a->part, a->limits, false, a->report, a->step, result);
}

static bool permute(const struct asked *a, VkdmlResult *result) {
    return vkdml_gather_permute(a->gather, a->part, a->limits, LEAST_RUN, a->report, a->step, result);
}

static bool by_elements(const struct asked *a, VkdmlResult *result) {
    *result = vkdml_gather_elements(a->gather, a->use, a->part, a->limits, a->report, a->step);
    return true;
}

/* The first that suits is taken, the fastest as timed on an NVIDIA H200, and notes why it does. */
static const struct way {
    bool moves_forward; /* only elements that are copied, along dimensions none of which is walked backward */
    bool (*fill)(const struct asked *asked, VkdmlResult *result);
} ways[] = {
    {true, interleave},     /* few planes, which are interleaved or separated */
    {true, transpose_well}, /* tiles that are full, read and written in long runs */
    {true, permute_long},   /* blocks whose runs are of two sectors at least */
    {true, transpose},      /* tiles, though not full ones */
    {true, permute},        /* blocks of short runs */
    {false, by_elements},   /* element by element */
};

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
    const struct asked asked = {gather, use, part, limits, report, step};
    const bool moves_forward = use->kernel == VKDML_KERNEL_COPY && is_forward(gather);
    VkdmlResult result = VKDML_SUCCESS;
    const struct way *way = ways;
    if (limits->general) { /* which suits all sizes */
        by_elements(&asked, &result);
        return result;
    }
    while ((way->moves_forward && !moves_forward) || !way->fill(&asked, &result)) {
        ++way;
    }
    return result;
}

bool vkdml_gather_is_tiled(const struct vkdml_plan_step *step) {
    return step->kind == VKDML_PLAN_DISPATCH &&
           (step->kernel == VKDML_KERNEL_TRANSPOSE || step->kernel == VKDML_KERNEL_TRANSPOSE_SHIFTED ||
            step->kernel == VKDML_KERNEL_PERMUTE);
}
