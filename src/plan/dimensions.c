#include "plan/dimensions.h"

#include <stdbool.h>
#include <string.h>

#include "base/notes.h"
#include "tensor/tensor.h"

static uint32_t drop_ones(struct vkdml_dimension *dimensions, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < count; ++d) {
        if (dimensions[d].size != 1) {
            dimensions[kept++] = dimensions[d];
        }
    }
    return kept;
}

static void sort_by_stride(struct vkdml_dimension *dimensions, uint32_t count, uint32_t output) {
    for (uint32_t i = 1; i < count; ++i) {
        const struct vkdml_dimension moved = dimensions[i];
        uint32_t place = i;
        for (; place > 0 && dimensions[place - 1].strides[output] < moved.strides[output]; --place) {
            dimensions[place] = dimensions[place - 1];
        }
        dimensions[place] = moved;
    }
}

/* Whether `outer` walks over whole runs of `inner`, in every tensor. */
static bool is_one_run(const struct vkdml_dimension *outer, const struct vkdml_dimension *inner) {
    for (uint32_t t = 0; t < VKDML_DIMENSION_STRIDES; ++t) {
        if (outer->strides[t] != (uint64_t)inner->strides[t] * inner->size) {
            return false;
        }
    }
    return true;
}

static uint32_t merge_runs(struct vkdml_dimension *dimensions, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < count; ++d) {
        if (kept > 0 && is_one_run(&dimensions[kept - 1], &dimensions[d])) {
            const uint32_t size = dimensions[kept - 1].size; /* all elements fit 32 bits */
            dimensions[kept - 1] = dimensions[d];
            dimensions[kept - 1].size *= size;
        } else {
            dimensions[kept++] = dimensions[d];
        }
    }
    return kept;
}

uint32_t vkdml_dimensions_collapse(struct vkdml_dimension *dimensions, uint32_t count, uint32_t output) {
    count = drop_ones(dimensions, count);
    sort_by_stride(dimensions, count, output);
    return merge_runs(dimensions, count);
}

uint32_t vkdml_dimensions_take(const struct vkdml_dimension *dimensions, uint32_t count, const uint32_t *sizes,
                               struct vkdml_dimension *taken) {
    uint32_t rank = 0;
    for (uint32_t d = 0; d < count; ++d) {
        if (sizes[d] > 1) {
            taken[rank] = dimensions[d];
            taken[rank++].size = sizes[d];
        }
    }
    return rank;
}

void vkdml_dimensions_make_general(struct vkdml_dimension *outer, uint32_t *count) {
    const uint32_t more = VKDML_MAX_DIMENSIONS - 1 - *count;
    memmove(outer + more, outer, *count * sizeof(*outer));
    for (uint32_t d = 0; d < more; ++d) {
        outer[d] = (struct vkdml_dimension){.size = 1};
    }
    *count += more;
}

uint32_t vkdml_dimensions_run(const struct vkdml_dimension *outer, uint32_t count, uint32_t t, uint32_t *length) {
    while (count > 0 && outer[count - 1].strides[t] == *length) {
        *length *= outer[--count].size;
    }
    return count;
}

void vkdml_dimensions_note(const struct vkdml_dimension *dimensions, uint32_t count, const char *what,
                           const char *const names[VKDML_DIMENSION_STRIDES], struct vkdml_report *report) {
    struct vkdml_note_column columns[1 + VKDML_DIMENSION_STRIDES] = {{"sizes", &dimensions->size}};
    for (uint32_t t = 0; t < VKDML_DIMENSION_STRIDES; ++t) {
        columns[1 + t] = (struct vkdml_note_column){names[t], &dimensions->strides[t]};
    }
    vkdml_note_dimensions(report, what, count, sizeof(*dimensions), columns, 1 + VKDML_DIMENSION_STRIDES);
}
