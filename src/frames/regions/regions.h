/* Plans of the regions kernel (glsl/regions/regions.glsl): each output element is made of what a bin of a region covers
 * in one plane of the input, of a picture that the region names. */
#ifndef VKDML_FRAMES_REGIONS_REGIONS_H
#define VKDML_FRAMES_REGIONS_REGIONS_H

#include "base/report.h"
#include "plan/builder.h"
#include "tensor/tensor.h"

/* The kernel's coordinates are FLOAT32: of so many bins along an axis, of so many samples each, all points are numbers
 * that it holds. A bin's loops take less than the 65,535 turns after which lavapipe ends them, silently. */
#define VKDML_REGIONS_MOST_BINS    65536
#define VKDML_REGIONS_MOST_SAMPLES 160

/* What becomes of bins that are grids of points. */
enum vkdml_regions_result {
    VKDML_REGIONS_POOLED,
    VKDML_REGIONS_WINNERS, /* the number of the greatest point, rows of points one after another, UINT32; all bits where
                              no point is inside */
    VKDML_REGIONS_CORNER_TERMS, /* what a bin adds to the gradients of its region's four numbers, by the gradient of
                                   what the bin became; FLOAT32, four side by side, from the output's place on */
};

/* What bins are made of; x comes before y. Tensors have four dimensions where nothing else is said. */
struct vkdml_regions {
    struct vkdml_view input;
    struct vkdml_view corners;        /* a region's x, y, x, y along the last dimension, regions before */
    struct vkdml_view indices;        /* each region's picture, along the last dimension; no tensor: it is the
                                                  first of the corners' five numbers, truncated */
    struct vkdml_view output;         /* regions, channels, and bins along y and x */
    enum vkdml_regions_result result; /* where it is not POOLED no plane can be cut: VKDML_ERROR_LIMIT_EXCEEDED */
    struct vkdml_view gradient;       /* of CORNER_TERMS: of the sizes of the output */
    float scales[2];                  /* of corners */
    uint32_t outside; /* FLOAT32's bits: of what lies outside the pictures, of regions whose picture there is not, and
                         of empty boxes */
    bool has_samples; /* bins are grids of points; else boxes of elements, of which the greatest is taken */
    /* Of points: */
    bool interpolates; /* between four elements; else the nearest is taken */
    bool averages;     /* else the greatest is taken */
    bool to_corners;   /* the outermost points are a region's size apart */
    float input_offset;
    float output_offset;
    uint32_t least_samples; /* of a bin along an axis: 1 to VKDML_REGIONS_MOST_SAMPLES */
    uint32_t most_samples;
};

/* Adds the steps: one that makes records of regions in the temporary resource, and one that walks bins; several where
 * tensors cannot be bound whole. */
VkdmlResult vkdml_regions_plan(const struct vkdml_regions *regions, struct vkdml_builder *builder);

/* Adds the steps that make the gradient of `input`, which is no input here but what is written, of that of the output,
 * which is read: each element is the sum of what the points on it give. `winners`: where the greatest is taken, of the
 * output's sizes. */
VkdmlResult vkdml_region_gradient_plan(const struct vkdml_regions *regions, const struct vkdml_view *winners,
                                       struct vkdml_builder *builder);

#endif
