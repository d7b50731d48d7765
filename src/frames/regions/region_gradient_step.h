/* Steps of the kernels that make gradients of planes. */
#ifndef VKDML_FRAMES_REGIONS_REGION_GRADIENT_STEP_H
#define VKDML_FRAMES_REGIONS_REGION_GRADIENT_STEP_H

#include "frames/regions/regions_step.h"

/* What is bound. */
enum {
    VKDML_REGION_GRADIENT_SOURCE,
    VKDML_REGION_GRADIENT_TARGET,
    VKDML_REGION_GRADIENT_WINNERS,
    VKDML_REGION_GRADIENT_TENSORS
};

/* A plan: tensors with strides as regions' boxes have them, and the records with the table behind them. */
struct vkdml_region_gradient {
    const struct vkdml_regions *regions;
    struct vkdml_regions_tensor tensors[VKDML_REGION_GRADIENT_TENSORS];
    struct vkdml_origin records;
    uint64_t record_bytes;
    uint64_t table_bytes;
};

struct vkdml_region_gradient_part {
    struct vkdml_box box;
    struct vkdml_span spans[VKDML_REGION_GRADIENT_TENSORS];
    bool accumulates;
};

/* The pairs of words that the table has for a region. */
uint64_t vkdml_region_gradient_pairs(const struct vkdml_regions *regions);

VkdmlResult vkdml_region_gradient_fill_table(const struct vkdml_region_gradient *gradient,
                                             const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                             struct vkdml_plan_step *step);

VkdmlResult vkdml_region_gradient_fill_step(const struct vkdml_region_gradient *gradient,
                                            const struct vkdml_region_gradient_part *part,
                                            const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                            struct vkdml_plan_step *step);

#endif
