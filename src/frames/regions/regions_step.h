/* One step of the regions kernel. */
#ifndef VKDML_FRAMES_REGIONS_REGIONS_STEP_H
#define VKDML_FRAMES_REGIONS_REGIONS_STEP_H

#include "frames/regions/regions.h"
#include "plan/boxes.h"

/* What is walked, and cut: the output's dimensions, and of the input pictures, and rows and columns that begin bins'
 * points or that are in their boxes. Of the step that makes records regions alone. */
enum {
    VKDML_REGIONS_REGION,
    VKDML_REGIONS_CHANNEL,
    VKDML_REGIONS_BIN_Y,
    VKDML_REGIONS_BIN_X,
    VKDML_REGIONS_PICTURE,
    VKDML_REGIONS_Y,
    VKDML_REGIONS_X,
    VKDML_REGIONS_RANK
};

/* What is bound. */
enum {
    VKDML_REGIONS_CORNERS,
    VKDML_REGIONS_INDICES,
    VKDML_REGIONS_RECORDS,
    VKDML_REGIONS_INPUT,
    VKDML_REGIONS_TARGET,
    VKDML_REGIONS_GRADIENT, /* of corners' terms */
    VKDML_REGIONS_TENSORS
};

/* Of a region, in the temporary resource. */
#define VKDML_REGIONS_RECORD_BYTES 32

/* A tensor as it is read or written: as the instance has it, or copied. */
struct vkdml_regions_tensor {
    struct vkdml_origin at; /* of records a type of no meaning */
    uint32_t strides[VKDML_REGIONS_RANK];
    uint32_t column_stride; /* of corners */
};

/* The bins of a plan, and all that they are made of. */
struct vkdml_regions_bins {
    const struct vkdml_regions *regions;
    struct vkdml_regions_tensor tensors[VKDML_REGIONS_TENSORS];
};

struct vkdml_regions_part {
    bool is_first; /* makes records */
    bool has_parts;
    bool accumulates;
    struct vkdml_box box;
    struct vkdml_span spans[VKDML_REGIONS_TENSORS]; /* in elements; of records in vectors of 16 bytes */
};

/* Sets a plan's tensors but for the records, packed where not even a region's numbers can be bound. */
VkdmlResult vkdml_regions_begin(const struct vkdml_regions *regions, struct vkdml_regions_bins *bins,
                                struct vkdml_builder *builder);

/* Adds the steps that make records, of 32 bytes each, from where `records` begins. */
VkdmlResult vkdml_regions_plan_records(struct vkdml_regions_bins *bins, const struct vkdml_origin *records,
                                       struct vkdml_builder *builder);

/* The fields of a block that tell points. */
void vkdml_regions_fill_points(const struct vkdml_regions *regions, uint32_t extents[2][4], uint32_t offsets[4]);

/* How many turns of loops an item takes where its box reaches over so much of a plane. */
uint64_t vkdml_regions_turns(const struct vkdml_regions *regions, uint32_t height, uint32_t width);

/* Lavapipe's limit, with something for what else there is in a step. */
#define VKDML_REGIONS_MOST_TURNS 60000

VkdmlResult vkdml_regions_fill_step(const struct vkdml_regions_bins *bins, const struct vkdml_regions_part *part,
                                    const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                    struct vkdml_plan_step *step);

#endif
