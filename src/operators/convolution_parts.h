/* Parts of a convolution: outputs that take the same taps. */
#ifndef VKDML_OPERATORS_CONVOLUTION_PARTS_H
#define VKDML_OPERATORS_CONVOLUTION_PARTS_H

#include "frames/product/product.h"
#include "schema/schema.h"

#define VKDML_CONVOLUTION_SPATIAL 3

/* The inputs. */
enum { VKDML_CONVOLUTION_INPUT, VKDML_CONVOLUTION_FILTER, VKDML_CONVOLUTION_BIAS };

/* The descriptor. Arrays have an element per spatial dimension. */
struct vkdml_convolution {
    uint32_t spatial; /* dimensions, after batches and channels */
    uint32_t groups;
    bool is_backward;
    bool turns_filter; /* its elements are taken in reverse order along all spatial dimensions */
    const uint32_t *strides;
    const uint32_t *dilations;
    const uint32_t *start;
    const uint32_t *end;
    const uint32_t *output_padding;             /* NULL: there is none */
    uint32_t filter;                            /* among the inputs, of which the first is convolved */
    uint32_t bias;                              /* ..; 0: there is none in any descriptor */
    bool is_divided[VKDML_CONVOLUTION_SPATIAL]; /* backward: whether an input is met is found by a division, output by
                                                   output */
};

struct vkdml_convolution vkdml_convolution_read(const struct vkdml_instance *instance);

/* How far the last of some elements is from the first; sizes and steps have 32 bits. */
uint64_t vkdml_convolution_distance(uint32_t count, uint32_t step);

/* Forward: at how many places along spatial dimension s the filter lies within the padded input. */
uint64_t vkdml_convolution_places(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                                  uint32_t s);

/* Outputs along a spatial dimension that take the same taps: coordinate c of them is first + c * step of the output,
 * and tap t of the walk meets element filter_first + t * filter_step of the filter. */
struct vkdml_convolution_part {
    uint32_t first;
    uint32_t step;
    uint32_t filter_first;
    uint32_t filter_step;
    bool is_empty;                  /* there is no tap, though the walk has one */
    struct vkdml_product_walk walk; /* of size 0: there are no such outputs */
};

/* More outputs than these take taps of their own go at once, by a division for each element. */
#define VKDML_CONVOLUTION_MOST_PARTS 256

/* Divides along the dimensions of the most parts until there are few enough of all. */
void vkdml_convolution_limit_parts(struct vkdml_convolution *convolution);

/* How many parts spatial dimension s has, and one of them. */
uint32_t vkdml_convolution_part_count(const struct vkdml_convolution *convolution, uint32_t s);
struct vkdml_convolution_part vkdml_convolution_part_of(const struct vkdml_instance *instance,
                                                        const struct vkdml_convolution *convolution, uint32_t s,
                                                        uint32_t number);

#endif
