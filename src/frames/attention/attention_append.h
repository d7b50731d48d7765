/* Plans of attention_append.comp: rows of keys or values go behind those that a buffer has, in each batch as many as a
 * tensor of INT32 says. */
#ifndef VKDML_FRAMES_ATTENTION_ATTENTION_APPEND_H
#define VKDML_FRAMES_ATTENTION_ATTENTION_APPEND_H

#include "base/report.h"
#include "plan/builder.h"

struct vkdml_attention_append {
    struct vkdml_view rows;    /* {batch, head, row, element} */
    struct vkdml_view buffer;  /* the same, of as many rows or more, or fewer */
    struct vkdml_view lengths; /* of one dimension, a number for each batch */
};

/* Adds the step. What the buffer has otherwise stays. */
VkdmlResult vkdml_attention_append_plan(const struct vkdml_attention_append *append, struct vkdml_builder *builder);

#endif
