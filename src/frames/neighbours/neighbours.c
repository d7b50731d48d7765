/* What a device cannot bind whole is cut along the dimensions of the target, and where that does not help along the
 * steps of walks. Then sums add up in the temporary resource, a dispatch after the other. */
#include "frames/neighbours/neighbours.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/neighbours/collapse.h"
#include "frames/neighbours/neighbours_step.h"
#include "plan/boxes.h"
#include "plan/step.h"

enum { SOURCE, TARGET, OWN };

/* Of a pool's box, in an invocation: lavapipe ends its loops after 65,535 turns in total, and norms walk twice. */
#define MOST_STEPS 24000

struct windows {
    const struct vkdml_neighbours *neighbours;
    struct vkdml_builder *builder;
    bool is_rehearsal; /* nothing is added */
    bool is_cut;       /* found: a part that has not all steps */
    bool accumulates;  /* parts beyond the first steps */
};

/* ---- what a box reads ---- */

/* A run of coordinates; none where last is below first. */
struct range {
    int64_t first;
    int64_t last;
};

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The first element that coordinate c takes; below 0: it lies before all. */
static int64_t first_taken(const struct vkdml_neighbours *n, const struct vkdml_neighbours_dimension *dimension,
                           int64_t c) {
    if (dimension->is_scaled && n->kind == VKDML_NEIGHBOURS_AVERAGE) {
        const int64_t below = vkdml_scaling_below(&dimension->scaling, dimension->source_size, (uint32_t)c);
        return below + 1 - (int64_t)vkdml_scaling_reach(&dimension->scaling);
    }
    if (dimension->is_scaled) {
        return vkdml_scaling_first(&dimension->scaling, dimension->source_size, (uint32_t)c);
    }
    return floor_divide(2 * c + 1 - (int64_t)dimension->source_step, 2 * (int64_t)dimension->source_step);
}

/* Which coordinates of the source some coordinates of a walked dimension reach, by some steps. */
static struct range reached(const struct vkdml_neighbours *n, const struct vkdml_neighbours_dimension *dimension,
                            struct range coordinates, struct range steps) {
    const int64_t size = dimension->source_size;
    struct range q;
    if (n->kind != VKDML_NEIGHBOURS_SUM) {
        q.first = first_taken(n, dimension, coordinates.first) + steps.first;
        q.last = first_taken(n, dimension, coordinates.last) + steps.last;
        return (struct range){least(most(q.first, 0), size - 1), least(most(q.last, 0), size - 1)};
    }
    const int64_t start = dimension->start;
    const int64_t tap_step = dimension->tap_step;
    const int64_t source_step = dimension->source_step;
    if (n->pool != VKDML_POOL_NONE) {
        q.first = coordinates.first * source_step + steps.first * tap_step - start;
        q.last = coordinates.last * source_step + steps.last * tap_step - start;
        return (struct range){most(q.first, 0), least(q.last, size - 1)};
    }
    q.first = -floor_divide(-(coordinates.first + start - steps.last * tap_step), source_step);
    q.last = floor_divide(coordinates.last + start - steps.first * tap_step, source_step);
    return (struct range){most(q.first, 0), least(q.last, size - 1)};
}

static struct vkdml_span place_span(const struct vkdml_neighbours *n, const struct vkdml_box *box, bool own) {
    struct vkdml_span span = {(own ? n->is_rest ? n->source : n->own : n->target).first, 1};
    for (uint32_t d = 0; d < n->count; ++d) {
        const uint64_t stride = own ? n->dimensions[d].own_stride : n->dimensions[d].target_stride;
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
    }
    return span;
}

static struct vkdml_span source_span(const struct vkdml_neighbours *n, const struct vkdml_box *box) {
    if (n->is_rest) {
        return place_span(n, box, true);
    }
    struct vkdml_span span = {n->source.first, 1};
    uint32_t walk = n->count;
    for (uint32_t d = 0; d < n->count; ++d) {
        const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
        const struct range coordinates = {box->origin[d], (int64_t)box->origin[d] + box->size[d] - 1};
        struct range q = coordinates;
        if (dimension->is_walked) {
            const struct range steps = {box->origin[walk], (int64_t)box->origin[walk] + box->size[walk] - 1};
            q = reached(n, dimension, coordinates, steps);
            if (n->pool == VKDML_POOL_NONE) {
                span.first += (uint64_t)steps.first * dimension->tap_stride;
                span.count += (uint64_t)(steps.last - steps.first) * dimension->tap_stride;
            }
            ++walk;
        }
        if (q.last < q.first) {
            return (struct vkdml_span){n->source.first, 1}; /* nothing is read */
        }
        if (n->pool != VKDML_POOL_NONE && dimension->is_walked && d + 1 == n->count) {
            q.last = least(q.last + VKDML_POOL_MOST_SPAN, (int64_t)dimension->source_size - 1);
        }
        span.first += (uint64_t)q.first * dimension->source_stride;
        span.count += (uint64_t)(q.last - q.first) * dimension->source_stride;
    }
    return span;
}

/* ---- covering ---- */

static const struct vkdml_origin *tensor_of(const struct vkdml_neighbours *n, uint32_t t) {
    return t == SOURCE ? &n->source : t == TARGET ? &n->target : &n->own;
}

static struct vkdml_span span_of(const struct vkdml_neighbours *n, uint32_t t, const struct vkdml_box *box) {
    return t == SOURCE ? source_span(n, box) : place_span(n, box, t == OWN);
}

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct windows *w = context;
    const struct vkdml_origin *tensor = tensor_of(w->neighbours, t);
    const struct vkdml_window window =
        vkdml_window_of(span_of(w->neighbours, t, box), vkdml_data_type_bits(tensor->type));
    *fits = vkdml_fits(w->builder->limits, tensor->offset + window.offset, window.size);
    return window.size;
}

static const struct vkdml_neighbours_dimension *walked(const struct vkdml_neighbours *n, uint32_t walk) {
    uint32_t d = 0;
    while (!n->dimensions[d].is_walked || walk-- != 0) {
        ++d;
    }
    return &n->dimensions[d];
}

/* How far a scaled dimension's coordinates, or the steps of its walk, reach in the source: some lie outside of it. */
static uint64_t scaled_reach(const struct vkdml_neighbours *n, const struct vkdml_neighbours_dimension *dimension,
                             struct range coordinates, struct range steps) {
    const struct range q = reached(n, dimension, coordinates, steps);
    return (uint64_t)(q.last - q.first) * dimension->source_stride;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct windows *w = context;
    const struct vkdml_neighbours *n = w->neighbours;
    const uint64_t length = box->size[d] - 1;
    if (n->pool != VKDML_POOL_NONE && t == SOURCE) {
        const struct vkdml_neighbours_dimension *dimension =
            d >= n->count ? walked(n, d - n->count) : &n->dimensions[d];
        const uint64_t steps = !dimension->is_walked ? 1 : d >= n->count ? dimension->tap_step : dimension->source_step;
        return n->is_rest ? d >= n->count ? 0 : length * dimension->own_stride
                          : length * steps * dimension->source_stride;
    }
    if (d >= n->count && t != SOURCE) {
        return 0;
    }
    if (d >= n->count) {
        const struct vkdml_neighbours_dimension *dimension = walked(n, d - n->count);
        const uint64_t along = (uint64_t)dimension->source_stride * dimension->tap_step / dimension->source_step;
        if (dimension->is_scaled) {
            const size_t own = (size_t)(dimension - n->dimensions);
            const int64_t first = box->origin[own], last = first + box->size[own] - 1;
            const struct range steps = {box->origin[d], (int64_t)box->origin[d] + (int64_t)length};
            const uint64_t at_first = scaled_reach(n, dimension, (struct range){first, first}, steps);
            const uint64_t at_last = scaled_reach(n, dimension, (struct range){last, last}, steps);
            return at_first > at_last ? at_first : at_last;
        }
        return n->kind != VKDML_NEIGHBOURS_SUM ? length * dimension->source_stride
               : along > dimension->tap_stride ? length * along
                                               : length * dimension->tap_stride;
    }
    const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
    if (t == SOURCE && dimension->is_scaled && dimension->is_walked) {
        const int64_t first = box->origin[d];
        return scaled_reach(n, dimension, (struct range){first, first + (int64_t)length}, (struct range){0});
    }
    if (t == SOURCE) {
        return length * dimension->source_stride / (dimension->is_walked ? dimension->source_step : 1);
    }
    return length * (t == OWN ? dimension->own_stride : dimension->target_stride);
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    struct windows *w = context;
    const struct vkdml_neighbours *n = w->neighbours;
    struct vkdml_neighbours_part part = {.box = *box, .is_last = true};
    uint32_t walk = n->count;
    for (uint32_t d = 0; d < n->count; ++d) {
        if (n->dimensions[d].is_walked) {
            part.is_cut = part.is_cut || box->size[walk] != n->dimensions[d].taps;
            part.accumulates = part.accumulates || box->origin[walk] != 0;
            part.is_last = part.is_last && box->origin[walk] + box->size[walk] == n->dimensions[d].taps;
            ++walk;
        }
    }
    w->is_cut = w->is_cut || part.is_cut;
    if (w->is_rehearsal) {
        return VKDML_SUCCESS;
    }
    part.source = source_span(n, box);
    part.target = place_span(n, box, false);
    part.own = place_span(n, box, true);
    if (part.accumulates) { /* a covering comes to an element's first steps first */
        vkdml_builder_phase(w->builder);
    }
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(w->builder, &step);
    if (result == VKDML_SUCCESS) {
        result = n->pool != VKDML_POOL_NONE
                     ? vkdml_pool_fill_step(n, &part, w->builder->limits, w->builder->report, step)
                     : vkdml_neighbours_fill_step(n, &part, w->builder->limits, w->builder->report, step);
    }
    if (result == VKDML_SUCCESS && vkdml_builder_wants_spares(w->builder)) {
        result = n->pool != VKDML_POOL_NONE ? vkdml_pool_add_spares(n, &part, w->builder)
                                            : vkdml_neighbours_add_spares(n, &part, w->builder);
    }
    return result;
}

/* Parts of the innermost walk that boxes of steps are tried with. */
#define MOST_PARTS 16

/* Steps of a walk that lie in the source, of so many that follow one another: the others are not walked. */
static uint64_t steps_within(const struct vkdml_neighbours *n, uint32_t walk, uint32_t steps) {
    const uint32_t size = walked(n, walk)->source_size;
    return size < steps ? size : steps;
}

/* Boxes of at most MOST_STEPS steps, of so many parts of the innermost walk; how many there are. */
static uint64_t share_steps(const struct vkdml_covering *covering, const struct vkdml_neighbours *n,
                            const struct vkdml_box *whole, uint32_t parts, struct vkdml_box *box) {
    uint64_t room = MOST_STEPS;
    uint64_t boxes = 1;
    *box = *whole;
    for (uint32_t w = covering->rank; w-- > n->count;) {
        const uint32_t wanted = w + 1 == covering->rank ? parts : 1;
        const uint32_t size = (uint32_t)vkdml_divide_up(whole->size[w], wanted);
        box->size[w] = steps_within(n, w - n->count, size) <= room ? size : (uint32_t)room;
        room /= steps_within(n, w - n->count, box->size[w]);
        boxes *= vkdml_divide_up(whole->size[w], box->size[w]);
    }
    return boxes;
}

/* As few of them as the parts allow. */
static uint64_t choose_steps(const struct vkdml_covering *covering, const struct vkdml_neighbours *n,
                             const struct vkdml_box *whole, struct vkdml_box *box) {
    uint64_t fewest = UINT64_MAX;
    for (uint32_t parts = 1; parts <= MOST_PARTS; ++parts) {
        struct vkdml_box tried;
        const uint64_t boxes = share_steps(covering, n, whole, parts, &tried);
        if (boxes < fewest) {
            fewest = boxes;
            *box = tried;
        }
    }
    return fewest;
}

/* A pool of so many steps that an invocation must not walk them all goes by boxes of them, first steps first. */
static VkdmlResult cover_steps(const struct vkdml_covering *covering, const struct vkdml_neighbours *n,
                               const struct vkdml_box *whole, const bool *is_over) {
    uint64_t steps = 1;
    for (uint32_t w = n->count; w < covering->rank; ++w) {
        steps *= steps_within(n, w - n->count, whole->size[w]); /* all elements fit 32 bits */
    }
    if (n->pool == VKDML_POOL_NONE || n->is_rest || steps <= MOST_STEPS) {
        return vkdml_cover_until(covering, whole, is_over);
    }
    struct vkdml_box box;
    if (choose_steps(covering, n, whole, &box) > VKDML_PLAN_MAX_STEPS) {
        return vkdml_report_add(covering->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "a window has %" PRIu64
                                " elements, of which a dispatch takes %d, and there are at most "
                                "%d dispatches",
                                steps, MOST_STEPS, VKDML_PLAN_MAX_STEPS);
    }
    const struct vkdml_box most = box;
    for (;;) {
        const VkdmlResult result = vkdml_cover_until(covering, &box, is_over);
        uint32_t w = covering->rank;
        while (w-- > n->count) {
            box.origin[w] += box.size[w];
            const uint32_t left = whole->size[w] - box.origin[w];
            box.size[w] = left < most.size[w] ? left : most.size[w];
            if (left != 0) {
                break;
            }
            box.origin[w] = 0;
            box.size[w] = most.size[w];
        }
        if (result != VKDML_SUCCESS || w < n->count || (is_over != NULL && *is_over)) {
            return result;
        }
    }
}

/* Those that a box has windows of. */
static uint32_t tensor_count(const struct vkdml_neighbours *n) {
    return n->finish == VKDML_NEIGHBOURS_TOTAL && !n->has_places ? 2 : 3;
}

static struct vkdml_box whole_box(const struct vkdml_neighbours *n) {
    struct vkdml_box whole = {{0}, {0}};
    uint32_t rank = n->count;
    for (uint32_t d = 0; d < n->count; ++d) {
        whole.size[d] = n->dimensions[d].size;
        if (n->dimensions[d].is_walked) {
            whole.size[rank++] = n->dimensions[d].taps;
        }
    }
    return whole;
}

static uint32_t count_walks(const struct vkdml_neighbours *n) {
    uint32_t walks = 0;
    for (uint32_t d = 0; d < n->count; ++d) {
        walks += n->dimensions[d].is_walked;
    }
    return walks;
}

static VkdmlResult cover(struct windows *w) {
    const struct vkdml_neighbours *n = w->neighbours;
    const struct vkdml_covering covering = {w,  n->count + count_walks(n), tensor_count(n), w->builder, bytes, reach,
                                            add};
    const struct vkdml_box whole = whole_box(n);
    return cover_steps(&covering, n, &whole, w->is_rehearsal ? &w->is_cut : NULL);
}

/* ---- sums that add up ---- */

/* A pool's rest looks at the dimensions of its sums: how many elements these have. */
static void end_pool(struct vkdml_neighbours *sums, struct vkdml_neighbours *rest, uint32_t d, uint32_t stride) {
    sums->ending = VKDML_POOL_AS_IT_IS;
    rest->is_rest = true;
    rest->dimensions[d].own_stride = stride;
}

/* Sums into a packed tensor of the temporary resource, and from there what becomes of them. */
static VkdmlResult plan_in_two(struct windows *w) {
    const struct vkdml_neighbours *n = w->neighbours;
    struct vkdml_neighbours sums = *n;
    struct vkdml_neighbours rest = *n;
    const bool is_float = n->kind != VKDML_NEIGHBOURS_SUM || vkdml_data_type_is_float(n->source.type);
    const DML_TENSOR_DATA_TYPE type = is_float ? DML_TENSOR_DATA_TYPE_FLOAT32 : n->source.type;
    uint32_t elements = 1; /* at most 2^32-1 */
    sums.finish = VKDML_NEIGHBOURS_TOTAL;
    sums.epilogue = NULL;
    rest.kind = n->kind == VKDML_NEIGHBOURS_SUM ? n->kind : VKDML_NEIGHBOURS_LINEAR; /* of no dimension */
    rest.squares = false;
    for (uint32_t d = n->count; d-- > 0;) {
        sums.dimensions[d].target_stride = elements;
        if (n->pool != VKDML_POOL_NONE) {
            end_pool(&sums, &rest, d, elements);
        } else {
            rest.dimensions[d].source_stride = elements;
            rest.dimensions[d].is_walked = false;
        }
        elements *= n->dimensions[d].size;
    }
    const uint64_t size = (uint64_t)elements * vkdml_data_type_bits(type) / 8;
    sums.target = vkdml_builder_region(w->builder, "sums", size, type);
    rest.source = sums.target;

    struct windows windows = *w;
    windows.neighbours = &sums;
    VkdmlResult result = cover(&windows);
    if (result == VKDML_SUCCESS) {
        vkdml_builder_phase(w->builder);
        if (n->pool == VKDML_POOL_NONE) {
            vkdml_neighbours_collapse(&rest);
        }
        windows.neighbours = &rest;
        result = cover(&windows);
    }
    return result;
}

static void note_dimensions(const struct vkdml_neighbours *n, struct vkdml_report *report) {
    const struct vkdml_neighbours_dimension *first = n->dimensions;
    const struct vkdml_note_column columns[] = {{"sizes", &first->size},
                                                {"steps of the neighbourhood", &first->taps},
                                                {"source strides", &first->source_stride},
                                                {"target strides", &first->target_stride}};
    vkdml_note_dimensions(report, "window, collapsed", n->count, sizeof(*first), columns, 4);
}

static struct vkdml_neighbours collapsed_of(const struct vkdml_neighbours *neighbours) {
    struct vkdml_neighbours collapsed = *neighbours;
    const struct vkdml_ending ending = vkdml_epilogue_ending(neighbours->epilogue);
    for (uint32_t d = 0; d < collapsed.count; ++d) {
        collapsed.dimensions[d].operand_stride = vkdml_ending_stride(&ending, d);
    }
    vkdml_neighbours_collapse(&collapsed);
    return collapsed;
}

bool vkdml_neighbours_takes(const struct vkdml_neighbours *neighbours, const struct vkdml_epilogue *epilogue,
                            const struct vkdml_plan_limits *limits) {
    const bool pools = neighbours->pool != VKDML_POOL_NONE;
    if (neighbours->kind != VKDML_NEIGHBOURS_SUM ||
        !vkdml_epilogue_is_short(epilogue, neighbours->target.type, !pools, limits)) {
        return false;
    }
    const struct vkdml_neighbours collapsed = collapsed_of(neighbours);
    struct vkdml_builder builder = {.limits = limits};
    struct windows w = {.neighbours = &collapsed, .builder = &builder};
    const struct vkdml_box whole = whole_box(&collapsed);
    bool fits = true;
    for (uint32_t t = 0; t < tensor_count(&collapsed) && fits; ++t) {
        bytes(&w, t, &whole, &fits);
    }
    return fits;
}

VkdmlResult vkdml_neighbours_plan(const struct vkdml_neighbours *neighbours, struct vkdml_builder *builder) {
    const struct vkdml_neighbours collapsed = collapsed_of(neighbours);
    struct windows w = {.neighbours = &collapsed, .builder = builder, .is_rehearsal = true};
    assert(!vkdml_epilogue_exists(neighbours->epilogue) ||
           vkdml_neighbours_takes(neighbours, neighbours->epilogue, builder->limits));
    note_dimensions(&collapsed, builder->report);
    VkdmlResult result = cover(&w);
    w.is_rehearsal = false;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    if (w.is_cut && neighbours->pool != VKDML_POOL_MAXIMUM) {
        vkdml_note(builder->report, "window: neighbourhoods are cut, and their sums add up in the temporary resource");
        return plan_in_two(&w);
    }
    return cover(&w);
}
