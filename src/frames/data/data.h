/* Data that is known when a plan is made: the constants of graphs. */
#ifndef VKDML_FRAMES_DATA_DATA_H
#define VKDML_FRAMES_DATA_DATA_H

#include "plan/builder.h"

/* Adds what writes `size` bytes, and zeros behind them up to `bytes`, which are a multiple of 4. Steps hold a kilobyte
 * each. */
VkdmlResult vkdml_data_plan(const struct vkdml_origin *output, uint64_t bytes, const void *data, size_t size,
                            struct vkdml_builder *builder);

#endif
