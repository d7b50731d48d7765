/* Bands of diagonals over stacks of matrices: gathers of an input, of zeros, or over what the output holds. */
#ifndef VKDML_FRAMES_GATHER_BAND_H
#define VKDML_FRAMES_GATHER_BAND_H

#include "plan/builder.h"

/* Diagonals x - y of the elements to fill, `first` to `last`; first > last: none. */
struct vkdml_band {
    int64_t first;
    int64_t last;
    bool invert;       /* fill what is outside instead */
    uint32_t value[2]; /* an element of the output's type, low word first */
};

/* Fills a band of matrices, which are the output's last two dimensions; what is not filled is the input's, or 0 where
 * that is no tensor. */
VkdmlResult vkdml_band_plan(const struct vkdml_band *band, const struct vkdml_view *output,
                            const struct vkdml_view *input, struct vkdml_builder *builder);

#endif
