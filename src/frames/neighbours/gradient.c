/* What a device cannot bind whole is cut along the target, and along the steps of walks where that does not help or
 * where there are too many: then sums add up, of FLOAT16 in the temporary resource. */
#include "frames/neighbours/gradient.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/neighbours/collapse.h"
#include "frames/neighbours/gradient_step.h"

/* What is made to fit, in that order. */
enum { SOURCE, TARGET, TERMS, WINNERS };

struct windows {
    const struct vkdml_gradient *gradient;
    const struct vkdml_gradient_table *table;
    struct vkdml_builder *builder;
    bool is_rehearsal; /* nothing is added */
    bool accumulates;  /* found: parts beyond the first steps */
};

/* ---- what coordinates take ---- */

/* The first coordinate of the source whose place is at coordinate i of the target or behind: places never fall. */
static uint32_t first_at(const struct vkdml_neighbours_dimension *dimension, uint64_t i) {
    uint32_t first = 0, end = dimension->source_size;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (vkdml_scaling_first(&dimension->scaling, dimension->size, middle) >= i) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    return first;
}

struct range {
    uint64_t first;
    uint64_t end;
};

/* The coordinates of the source that give to those of the target, and others between them. Of the nearest there is one
 * too many. */
static struct range given_to(const struct vkdml_neighbours_dimension *dimension, uint64_t first, uint64_t last) {
    struct range range;
    if (dimension->is_scaled) {
        range.first = first_at(dimension, first == 0 ? 0 : first - 1);
        range.end = first_at(dimension, last + 1);
        return range;
    }
    const uint64_t reach = (uint64_t)(dimension->taps - 1) * dimension->tap_step;
    const uint64_t lowest = first + dimension->start;
    range.first = lowest > reach ? vkdml_divide_up(lowest - reach, dimension->source_step) : 0;
    range.end = (last + dimension->start) / dimension->source_step + 1;
    range.end = range.end < dimension->source_size ? range.end : dimension->source_size;
    return range;
}

uint32_t vkdml_gradient_steps(const struct vkdml_neighbours_dimension *dimension) {
    const uint64_t most = dimension->source_size;
    if (!dimension->is_scaled) {
        const uint64_t steps = vkdml_divide_up((uint64_t)(dimension->taps - 1) * dimension->tap_step + 1,
                                               (uint64_t)dimension->source_step * vkdml_gradient_apart(dimension));
        return (uint32_t)(steps < most ? steps : most);
    }
    /* Between the ends as many places as two elements take, and those that rounding may add. */
    const struct vkdml_scaling *scaling = &dimension->scaling;
    const double scale = (double)scaling->scale;
    const double far = (double)most + fabs((double)scaling->output_offset) +
                       scale * (fabs((double)scaling->input_offset) + dimension->size);
    const double between = 2 * scale + 4 + far * 0x1p-20;
    const struct range low = given_to(dimension, 0, 0),
                       high = given_to(dimension, dimension->size - 1, dimension->size - 1);
    uint64_t steps = between < (double)most ? (uint64_t)between : most;
    steps = low.end - low.first > steps ? low.end - low.first : steps;
    steps = high.end - high.first > steps ? high.end - high.first : steps;
    return (uint32_t)(steps == 0 ? 1 : steps < most ? steps : most);
}

/* ---- what a box takes ---- */

/* Of a walk: the coordinates of the source that a box reaches by its steps. */
static struct range reached(const struct windows *w, const struct vkdml_box *box, uint32_t walk) {
    const struct vkdml_neighbours *n = &w->gradient->neighbours;
    const uint32_t d = w->table->walks[walk];
    const struct vkdml_neighbours_dimension *dimension = &n->dimensions[d];
    const uint64_t last = (uint64_t)box->origin[d] + box->size[d] - 1;
    const uint64_t apart = vkdml_gradient_apart(dimension);
    const uint64_t steps = (uint64_t)box->origin[n->count + walk] + box->size[n->count + walk];
    struct range range = given_to(dimension, box->origin[d], last);
    const struct range of_last = given_to(dimension, last, last);
    const uint64_t end = of_last.first + steps * apart;
    range.first += box->origin[n->count + walk] * apart;
    range.end = range.end < end ? range.end : end;
    return range;
}

static struct vkdml_span source_span(const struct windows *w, const struct vkdml_box *box, bool winners) {
    const struct vkdml_neighbours *n = &w->gradient->neighbours;
    const uint64_t first = (winners ? n->own : n->source).first;
    struct vkdml_span span = {first, 1};
    uint32_t walk = 0;
    for (uint32_t d = 0; d < n->count; ++d) {
        const uint64_t stride = winners ? n->dimensions[d].own_stride : n->dimensions[d].source_stride;
        struct range range = {box->origin[d], (uint64_t)box->origin[d] + box->size[d]};
        if (n->dimensions[d].is_walked) {
            range = reached(w, box, walk++);
        }
        if (range.first >= range.end) {
            return (struct vkdml_span){first, 1}; /* nothing is read */
        }
        span.first += range.first * stride;
        span.count += (range.end - range.first - 1) * stride;
    }
    return span;
}

static struct vkdml_span target_span(const struct vkdml_neighbours *n, const struct vkdml_box *box) {
    struct vkdml_span span = {n->target.first, 1};
    for (uint32_t d = 0; d < n->count; ++d) {
        span.first += (uint64_t)box->origin[d] * n->dimensions[d].target_stride;
        span.count += (uint64_t)(box->size[d] - 1) * n->dimensions[d].target_stride;
    }
    return span;
}

static uint64_t terms_of(const struct windows *w, const struct vkdml_box *box) {
    const uint32_t count = w->gradient->neighbours.count;
    uint64_t terms = 1;
    for (uint32_t walk = 0; walk < w->table->walk_count; ++walk) {
        terms = terms > UINT32_MAX ? terms : terms * box->size[count + walk];
    }
    return terms;
}

/* ---- covering ---- */

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct windows *w = context;
    const struct vkdml_neighbours *n = &w->gradient->neighbours;
    if (t == TERMS) {
        const uint64_t terms = terms_of(w, box);
        *fits = terms <= VKDML_GRADIENT_MOST_TERMS;
        return terms / VKDML_GRADIENT_MOST_TERMS * w->builder->limits->max_storage_buffer_range;
    }
    const struct vkdml_origin *tensor = t == TARGET ? &n->target : t == SOURCE ? &n->source : &n->own;
    const struct vkdml_span span = t == TARGET ? target_span(n, box) : source_span(w, box, t == WINNERS);
    const struct vkdml_window window = vkdml_window_of(span, vkdml_data_type_bits(tensor->type));
    *fits = vkdml_fits(w->builder->limits, tensor->offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct windows *w = context;
    const struct vkdml_neighbours *n = &w->gradient->neighbours;
    const bool is_step = d >= n->count;
    if (t == TERMS) {
        return is_step ? box->size[d] : 0;
    }
    const struct vkdml_neighbours_dimension *dimension = &n->dimensions[is_step ? w->table->walks[d - n->count] : d];
    if (t == TARGET) {
        return is_step ? 0 : (uint64_t)(box->size[d] - 1) * dimension->target_stride;
    }
    const uint64_t stride = t == WINNERS ? dimension->own_stride : dimension->source_stride;
    if (is_step) {
        return (uint64_t)(box->size[d] - 1) * vkdml_gradient_apart(dimension) * stride;
    }
    if (!dimension->is_walked) {
        return (uint64_t)(box->size[d] - 1) * stride;
    }
    const struct range first = given_to(dimension, box->origin[d], box->origin[d]);
    const uint64_t at = (uint64_t)box->origin[d] + box->size[d] - 1;
    return (given_to(dimension, at, at).first - first.first) * stride;
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    struct windows *w = context;
    const struct vkdml_neighbours *n = &w->gradient->neighbours;
    struct vkdml_neighbours_part part = {.box = *box};
    for (uint32_t walk = 0; walk < w->table->walk_count; ++walk) {
        const uint32_t steps = vkdml_gradient_steps(&n->dimensions[w->table->walks[walk]]);
        part.is_cut = part.is_cut || box->size[n->count + walk] != steps;
        part.accumulates = part.accumulates || box->origin[n->count + walk] != 0;
    }
    w->accumulates = w->accumulates || part.accumulates;
    if (w->is_rehearsal) {
        return VKDML_SUCCESS;
    }
    part.source = source_span(w, box, false);
    part.own = w->gradient->kind == VKDML_GRADIENT_WINNERS ? source_span(w, box, true) : part.source;
    part.target = target_span(n, box);
    if (part.accumulates) { /* a covering comes to an element's first steps first */
        vkdml_builder_phase(w->builder);
    }
    struct vkdml_plan_step *step;
    const VkdmlResult result = vkdml_builder_add(w->builder, &step);
    return result != VKDML_SUCCESS
               ? result
               : vkdml_gradient_fill_step(w->gradient, w->table, &part, w->builder->limits, w->builder->report, step);
}

static VkdmlResult cover(struct windows *w) {
    const struct vkdml_neighbours *n = &w->gradient->neighbours;
    const uint32_t tensors = w->gradient->kind == VKDML_GRADIENT_WINNERS ? WINNERS + 1 : WINNERS;
    const struct vkdml_covering covering = {w, n->count + w->table->walk_count, tensors, w->builder, bytes, reach, add};
    struct vkdml_box whole = {{0}, {0}};
    for (uint32_t d = 0; d < n->count; ++d) {
        whole.size[d] = n->dimensions[d].size;
    }
    for (uint32_t walk = 0; walk < w->table->walk_count; ++walk) {
        whole.size[n->count + walk] = vkdml_gradient_steps(&n->dimensions[w->table->walks[walk]]);
    }
    return vkdml_cover_until(&covering, &whole, w->is_rehearsal ? &w->accumulates : NULL);
}

/* ---- plans ---- */

static struct vkdml_gradient_table table_of(const struct vkdml_gradient *gradient) {
    struct vkdml_gradient_table table = {.pairs = 0};
    for (uint32_t d = 0; d < gradient->neighbours.count; ++d) {
        const struct vkdml_neighbours_dimension *dimension = &gradient->neighbours.dimensions[d];
        if (dimension->is_walked) {
            table.first[table.walk_count] = table.pairs;
            table.walks[table.walk_count++] = d;
            table.pairs += dimension->size;
            table.pairs += vkdml_gradient_has_shares(gradient) ? dimension->source_size : 0;
        }
    }
    return table;
}

static VkdmlResult plan_table(const struct vkdml_gradient *gradient, struct vkdml_gradient_table *table,
                              struct vkdml_builder *builder) {
    const uint64_t range = builder->limits->max_storage_buffer_range;
    *table = table_of(gradient);
    if (table->walk_count == 0) {
        return VKDML_SUCCESS;
    }
    table->at =
        vkdml_builder_region(builder, "which coordinates give to which", 8 * table->pairs, DML_TENSOR_DATA_TYPE_UINT32);
    if (!vkdml_fits(builder->limits, table->at.offset, 8 * table->pairs)) {
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "maxStorageBufferRange (%" PRIu64 ") is too small for %" PRIu64
                                " bytes that say which coordinates give to which",
                                range, 8 * table->pairs);
    }
    struct vkdml_plan_step *step;
    const VkdmlResult result = vkdml_builder_add(builder, &step);
    return result != VKDML_SUCCESS ? result
                                   : vkdml_gradient_fill_table(gradient, table, builder->limits, builder->report, step);
}

/* Sums of FLOAT16 that add up: numbers in the temporary resource first, which are rounded once. */
static VkdmlResult plan_in_two(const struct windows *whole) {
    struct vkdml_gradient sums = *whole->gradient, rest = sums;
    const struct vkdml_gradient_table no_table = {.walk_count = 0};
    struct windows w = *whole;
    uint32_t elements = 1; /* at most 2^32-1 */
    for (uint32_t d = sums.neighbours.count; d-- > 0;) {
        sums.neighbours.dimensions[d].target_stride = elements;
        rest.neighbours.dimensions[d].source_stride = elements;
        rest.neighbours.dimensions[d].is_walked = false;
        elements *= sums.neighbours.dimensions[d].size;
    }
    sums.neighbours.target =
        vkdml_builder_region(w.builder, "sums", (uint64_t)elements * 4, DML_TENSOR_DATA_TYPE_FLOAT32);
    rest.neighbours.source = sums.neighbours.target;
    rest.kind = VKDML_GRADIENT_ALL;
    rest.factor = 1;
    w.gradient = &sums;
    VkdmlResult result = cover(&w);
    vkdml_builder_phase(w.builder);
    w.gradient = &rest;
    w.table = &no_table;
    return result == VKDML_SUCCESS ? cover(&w) : result;
}

VkdmlResult vkdml_gradient_plan_pass(const struct vkdml_gradient *gradient, struct vkdml_builder *builder) {
    struct vkdml_gradient collapsed = *gradient;
    struct vkdml_gradient_table table;
    struct windows w = {.gradient = &collapsed, .table = &table, .builder = builder, .is_rehearsal = true};
    vkdml_neighbours_collapse(&collapsed.neighbours);
    vkdml_builder_phase(builder);
    VkdmlResult result = plan_table(&collapsed, &table, builder);
    if (table.walk_count == 0) { /* each element is alone in its window, so it wins */
        collapsed.kind = VKDML_GRADIENT_ALL;
    }
    if (result == VKDML_SUCCESS) {
        result = cover(&w);
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    w.is_rehearsal = false;
    vkdml_builder_phase(builder);
    if (w.accumulates && collapsed.neighbours.target.type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        vkdml_note(builder->report, "gradient: sums are cut, and add up in the temporary resource");
        return plan_in_two(&w);
    }
    return cover(&w);
}
