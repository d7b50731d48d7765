/* The dimensions of what is gathered: those of the indices and those of the input that no index walks. */
#ifndef VKDML_OPERATORS_GATHERED_H
#define VKDML_OPERATORS_GATHERED_H

#include "frames/index/index.h"
#include "operators/operators.h"

/* Where a dimension comes from. */
struct vkdml_gathered_source {
    const char *name; /* of the tensor */
    uint32_t dimension;
    uint32_t size;
    uint32_t input_stride;
    uint32_t index_stride;
};

/* The last `count` dimensions, before which there are ones. */
struct vkdml_gathered {
    uint32_t count;
    struct vkdml_gathered_source sources[2 * VKDML_MAX_DIMENSIONS];
};

/* The inputs. */
enum { VKDML_GATHERED_INPUT, VKDML_GATHERED_INDICES };

/* Adds dimension d of one of them. */
void vkdml_gathered_add(struct vkdml_gathered *layout, const struct vkdml_instance *instance, uint32_t input,
                        uint32_t d);

/* The dimensions of a tensor before the last `count` must have one coordinate. */
void vkdml_gathered_check_ignored(const struct vkdml_tensor *tensor, const char *name, const char *count_name,
                                  uint32_t count, struct vkdml_report *report);

/* The tensor must have these dimensions. */
void vkdml_gathered_check(const struct vkdml_instance *instance, const struct vkdml_gathered *layout,
                          struct vkdml_tensor *output, const char *name, struct vkdml_report *report);

/* Sets the strides of an index's last dimensions. */
void vkdml_gathered_set(const struct vkdml_gathered *layout, struct vkdml_index *index);

#endif
