/* Whether a tensor's strides lay two elements on one place.
 *
 * Coordinates x and y share an element where sum((x[i] - y[i]) * stride[i]) is 0, so the question is whether there is a
 * difference d other than all zeros, |d[i]| <= size[i] - 1, with sum(d[i] * stride[i]) == 0. Strides as they occur are
 * settled by one pass over the sorted dimensions; the rest is a bounded search. */
#include <assert.h>

#include "base/checked.h"
#include "tensor/tensor.h"

/* Measured at 4 ns a node, so the worst descriptor takes a few milliseconds. Enough for every two-dimensional tensor:
 * its search has fewer nodes than the shorter dimension has elements. */
#define NODE_BUDGET (1u << 20)

/* Reaches below this let every sum of the search fit int64_t. A tensor beyond it spans exabytes. */
#define REACH_LIMIT (UINT64_C(1) << 62)

struct dimension {
    int64_t stride;
    int64_t most;  /* size - 1, above 0 */
    int64_t reach; /* sum of most * stride over this dimension and all after it */
};

struct search {
    uint32_t count;
    uint32_t nodes;
    struct dimension dimensions[VKDML_MAX_DIMENSIONS]; /* widest stride first */
};

static void insert_by_stride(struct search *search, uint32_t size, uint32_t stride) {
    uint32_t at = search->count++;
    for (; at > 0 && search->dimensions[at - 1].stride < stride; at--) {
        search->dimensions[at] = search->dimensions[at - 1];
    }
    search->dimensions[at].stride = stride;
    search->dimensions[at].most = (int64_t)size - 1;
}

/* True where each stride steps over all that the narrower dimensions reach. *fits: the reaches were computed. */
static bool is_nested(struct search *search, bool *fits) {
    bool nested = true;
    uint64_t reach = 0;
    *fits = true;
    for (uint32_t i = search->count; i-- > 0;) {
        struct dimension *dimension = &search->dimensions[i];
        nested = nested && (uint64_t)dimension->stride > reach;
        if (!vkdml_checked_add(reach, (uint64_t)dimension->most * (uint64_t)dimension->stride, &reach)) {
            reach = UINT64_MAX; /* no stride steps over that */
        }
        *fits = *fits && reach < REACH_LIMIT;
        dimension->reach = *fits ? (int64_t)reach : 0;
    }
    return nested;
}

static int64_t divide_down(int64_t value, int64_t divisor) {
    return value / divisor - (value % divisor < 0);
}

/* Whether dimensions i and on can bring `sum`, which is within their reach, to 0. Gives up, with false, once the budget
 * is spent. */
static bool can_cancel(struct search *search, uint32_t i, int64_t sum) {
    const struct dimension *dimension = &search->dimensions[i];
    if (search->nodes >= NODE_BUDGET) {
        return false;
    }
    search->nodes++;
    if (i + 1 == search->count) {
        return sum % dimension->stride == 0;
    }
    /* What is left after this dimension must be within the reach of those behind it. */
    const int64_t reach_behind = search->dimensions[i + 1].reach;
    int64_t first = -divide_down(reach_behind + sum, dimension->stride);
    int64_t last = divide_down(reach_behind - sum, dimension->stride);
    if (first < -dimension->most) {
        first = -dimension->most;
    }
    if (last > dimension->most) {
        last = dimension->most;
    }
    for (int64_t d = first; d <= last && search->nodes < NODE_BUDGET; d++) {
        if (can_cancel(search, i + 1, sum + d * dimension->stride)) {
            return true;
        }
    }
    return false;
}

/* Tries each dimension as the first in which the coordinates differ; of d and -d one is enough. */
static bool find_difference(struct search *search) {
    for (uint32_t i = search->count - 1; i-- > 0;) { /* the last one alone cannot come to 0 */
        const struct dimension *dimension = &search->dimensions[i];
        const int64_t most_cancelled = search->dimensions[i + 1].reach / dimension->stride;
        for (int64_t d = 1; d <= dimension->most && d <= most_cancelled && search->nodes < NODE_BUDGET; d++) {
            if (can_cancel(search, i + 1, d * dimension->stride)) {
                return true;
            }
        }
    }
    return false;
}

enum vkdml_overlap vkdml_self_overlap(uint32_t dimension_count, const uint32_t *sizes, const uint32_t *strides) {
    assert(dimension_count <= VKDML_MAX_DIMENSIONS);
    struct search search = {0};
    bool repeats = false;
    for (uint32_t i = 0; i < dimension_count; i++) {
        if (sizes[i] == 0) {
            return VKDML_OVERLAP_NONE; /* no elements */
        }
        if (sizes[i] > 1) {
            repeats = repeats || strides[i] == 0;
            insert_by_stride(&search, sizes[i], strides[i]);
        }
    }
    if (repeats) {
        return VKDML_OVERLAP_FOUND;
    }
    bool fits;
    if (is_nested(&search, &fits)) {
        return VKDML_OVERLAP_NONE;
    }
    if (!fits) {
        return VKDML_OVERLAP_UNDECIDED;
    }
    /* More elements than places for them. */
    uint64_t elements;
    if (!vkdml_element_count(dimension_count, sizes, &elements) ||
        elements > (uint64_t)search.dimensions[0].reach + 1) {
        return VKDML_OVERLAP_FOUND;
    }
    if (find_difference(&search)) {
        return VKDML_OVERLAP_FOUND;
    }
    return search.nodes < NODE_BUDGET ? VKDML_OVERLAP_NONE : VKDML_OVERLAP_UNDECIDED;
}
