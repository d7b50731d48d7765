/* One step of the product kernel. */
#ifndef VKDML_FRAMES_PRODUCT_PRODUCT_STEP_H
#define VKDML_FRAMES_PRODUCT_PRODUCT_STEP_H

#include "frames/product/product.h"
#include "plan/boxes.h"

/* A box of coordinates, and what of it is computed. */
struct vkdml_product_part {
    struct vkdml_box box;
    bool to_sums;         /* the output is FLOAT32 sums, of which nothing is made yet */
    bool accumulates;     /* .. which are added to those that are there */
    bool joins;           /* a is such sums: k counts them, and there is no b */
    uint32_t share_count; /* of k, each with sums of its own */
    uint32_t out_share;   /* elements between these */
    uint32_t share_step;  /* each share but the last is a multiple of that; 0: of what the tile has at once */
};

/* Whether there are so few columns that the product is bound by reading a. */
bool vkdml_product_is_thin(const struct vkdml_product *product, const uint32_t *sizes);

/* Into how many shares k is cut, so that enough workgroups are at work. */
uint32_t vkdml_product_shares(const struct vkdml_product *product, const struct vkdml_plan_limits *limits);

/* What shares are multiples of, where nothing else is said. */
uint32_t vkdml_product_share_step(const struct vkdml_product *product, const struct vkdml_plan_limits *limits);

/* The kernel, its constants and how many buffers it has. */
void vkdml_product_set_kernel(const struct vkdml_product *product, const struct vkdml_product_part *part,
                              const struct vkdml_plan_limits *limits, struct vkdml_plan_step *step);

/* Whether that may be more than one for some number of columns. */
bool vkdml_product_may_share(const struct vkdml_product *product, bool serial);

VkdmlResult vkdml_product_fill_step(const struct vkdml_product *product, const struct vkdml_product_part *part,
                                    const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                    struct vkdml_plan_step *step);

/* Elements [first, first + count) of a tensor that a box of coordinates takes. */
struct vkdml_span vkdml_product_span(const struct vkdml_product *product, uint32_t t, const struct vkdml_box *box);

#endif
