/* Columns of a product that are pixels: what b is gathered from, where the output goes. */
#ifndef VKDML_FRAMES_PRODUCT_PIXELS_H
#define VKDML_FRAMES_PRODUCT_PIXELS_H

#include "frames/product/product.h"
#include "kernels/blocks.h"
#include "plan/boxes.h"

/* Drops and joins dimensions of pixels; where one is left that lies evenly b, or the output, has a stride instead. */
void vkdml_product_collapse_pixels(struct vkdml_product *product);

/* Of a product whose b is gathered a box has the dimensions of pixels behind all others, and of n one column: the same
 * product of this box's pixels alone, collapsed, and the box with them as columns. Without pixels it is the product
 * itself, else made in `room`. */
const struct vkdml_product *vkdml_product_narrow(const struct vkdml_product *product, const struct vkdml_box *box,
                                                 struct vkdml_product *room, struct vkdml_box *plain);

/* What a box of coordinates takes of b that is gathered, or of tensor t, the output or a tail's operand, that pixels
 * scatter: elements from the
 * tensor's first on, counted as if all batches and rows began there. */
struct vkdml_span vkdml_product_gathered_span(const struct vkdml_product *product, const struct vkdml_box *box);
struct vkdml_span vkdml_product_scattered_span(const struct vkdml_product *product, uint32_t t,
                                               const struct vkdml_box *box);

/* How far b that is gathered reaches along k, or a dimension of pixels, of a box; what is padding is as good as b. */
uint64_t vkdml_product_gathered_reach(const struct vkdml_product *product, const struct vkdml_box *box,
                                      uint32_t dimension);

/* Whether four elements from a multiple of four on, along n or k, always lie side by side from a multiple of four of
 * the tensor on, as far as pixels have a say. */
bool vkdml_product_gathers_fours(const struct vkdml_product *product, uint32_t dimension);
bool vkdml_product_scatters_fours(const struct vkdml_product *product, uint32_t t);

/* GATHER of gathered.glsl. */
uint32_t vkdml_product_pixel_bits(const struct vkdml_product *product);

/* Fills in what a kernel is told of pixels, but for what is 0. */
void vkdml_product_fill_pixels(const struct vkdml_product *product, struct vkdml_product_parameters *parameters);

#endif
