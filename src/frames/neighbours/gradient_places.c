/* Gradients of resampling by whole numbers as other sums, which look nothing up: of enlarged pictures the nearest are
 * the elements of a window, which a pool sums, and what shrunken ones give goes to one or two elements in a row. That
 * places are such is not derived: all are found, in the arithmetic of the kernels. */
#include <math.h>

#include "frames/neighbours/gradient_step.h"

/* Places of a dimension that planning finds. */
#define MOST_PLACES (1u << 17)

/* Elements of a sum: more go dimension by dimension. And those of a window along rows that a pool slides along, of
 * FLOAT32 and of FLOAT16. */
#define MOST_ELEMENTS 32
#define MOST_WORDS    5
#define MOST_HALVES   2

/* ---- of what was enlarged ---- */

/* Whether coordinate o of the source gives to (o + start) / taps, rounded down. */
static bool is_tiled(const struct vkdml_neighbours_dimension *dimension, uint32_t taps, uint32_t *start) {
    uint32_t o = 0; /* those that give to the first */
    while (o < dimension->source_size && o <= taps &&
           vkdml_scaling_first(&dimension->scaling, dimension->size, o) == 0) {
        ++o;
    }
    *start = o < dimension->source_size ? taps - o : 0;
    if (o == 0 || o > taps) {
        return false;
    }
    while (o < dimension->source_size &&
           vkdml_scaling_first(&dimension->scaling, dimension->size, o) == (o + *start) / taps) {
        ++o;
    }
    return o == dimension->source_size;
}

static bool as_tile(const struct vkdml_neighbours *n, struct vkdml_neighbours_dimension *dimension) {
    const float scale = dimension->scaling.scale;
    const bool halves = n->source.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    const float most = dimension->target_stride != 1 ? MOST_ELEMENTS : halves ? MOST_HALVES : MOST_WORDS;
    if (!(scale >= 1) || scale > most || scale != truncf(scale) || dimension->source_size > MOST_PLACES) {
        return false;
    }
    dimension->taps = (uint32_t)scale;
    dimension->source_step = dimension->taps;
    dimension->is_scaled = false;
    return is_tiled(dimension, dimension->taps, &dimension->start);
}

bool vkdml_gradient_as_pool(const struct vkdml_gradient *gradient, struct vkdml_neighbours *pool) {
    uint32_t elements = 1;
    if (gradient->kind != VKDML_GRADIENT_NEAREST || gradient->factor != 1) {
        return false;
    }
    *pool = gradient->neighbours;
    pool->kind = VKDML_NEIGHBOURS_SUM;
    pool->pool = VKDML_POOL_SUM;
    pool->ending = VKDML_POOL_AS_IT_IS;
    pool->own = pool->source;
    for (uint32_t d = 0; d < pool->count; ++d) {
        struct vkdml_neighbours_dimension *dimension = &pool->dimensions[d];
        if (dimension->is_walked && !as_tile(pool, dimension)) {
            return false;
        }
        elements *= dimension->is_walked && elements <= MOST_ELEMENTS ? dimension->taps : 1;
    }
    return elements > 1 && elements <= MOST_ELEMENTS;
}

/* ---- of what was shrunk ---- */

/* Whether coordinate o of the source lies at o * source_step + place, or gives to what is there. */
static bool is_spread(const struct vkdml_neighbours_dimension *dimension, bool is_linear, float place) {
    for (uint32_t o = 0; o < dimension->source_size; ++o) {
        const double wanted = (double)o * dimension->source_step + (double)place;
        const double found = is_linear ? (double)vkdml_scaling_place(&dimension->scaling, dimension->size, o)
                                       : vkdml_scaling_first(&dimension->scaling, dimension->size, o);
        if (found != wanted) {
            return false;
        }
    }
    return true;
}

static bool as_window(struct vkdml_gradient *gradient, struct vkdml_neighbours_dimension *dimension) {
    const bool is_linear = gradient->kind == VKDML_GRADIENT_LINEAR;
    const float step = roundf(1 / dimension->scaling.scale);
    const float place = is_linear ? vkdml_scaling_place(&dimension->scaling, dimension->size, 0)
                                  : (float)vkdml_scaling_first(&dimension->scaling, dimension->size, 0);
    if (!(step >= 1) || step > 8 || !(place < step) || 2 * place != truncf(2 * place) ||
        dimension->source_size > MOST_PLACES) {
        return false;
    }
    const bool is_between = place != truncf(place);
    dimension->source_step = (uint32_t)step;
    dimension->skipped = (uint32_t)place;
    dimension->taps = dimension->skipped + (is_between ? 2 : 1);
    dimension->is_scaled = false;
    gradient->factor *= is_between ? 0.5f : 1;
    return is_spread(dimension, is_linear, place);
}

bool vkdml_gradient_as_windows(const struct vkdml_gradient *gradient, const struct vkdml_plan_limits *limits,
                               struct vkdml_gradient *windows) {
    *windows = *gradient;
    if (gradient->kind != VKDML_GRADIENT_NEAREST && gradient->kind != VKDML_GRADIENT_LINEAR) {
        return false;
    }
    for (uint32_t d = 0; d < windows->neighbours.count; ++d) {
        struct vkdml_neighbours_dimension *dimension = &windows->neighbours.dimensions[d];
        if (dimension->is_walked && !as_window(windows, dimension)) {
            return false;
        }
    }
    windows->kind = VKDML_GRADIENT_ALL;
    return vkdml_gradient_windows_take(windows, limits);
}
