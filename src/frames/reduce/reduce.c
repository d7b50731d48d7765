/* A reduce is a step where every reduction can be walked by one workgroup, or part of one, within its limits. Else its
 * reductions have shares, which steps turn into totals in the temporary resource, and the totals are folded the same
 * way. What cannot be bound whole is cut into pieces of equal sizes, along kept and folded dimensions; a piece of a
 * folded one is a share too. */
#include "frames/reduce/reduce.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"
#include "plan/boxes.h"
#include "plan/step.h"

/* A multiple of every subgroup size in use, 4 to 128; devices that allow fewer invocations get fewer. */
#define LOCAL_SIZE        256
#define SERIAL_LOCAL_SIZE 8

/* Items of an invocation. Sums are made of blocks of 32, so that of the most an element goes through some 200
 * additions; with fewer than the least an invocation costs more than it does. Loops of an invocation must stay below
 * 65,535 turns in total, which lavapipe ends silently: an item takes some for each folded dimension, and where runs are
 * dense, of four items at least, two ends may take 16 more each. */
#define MOST_ITEMS         4096
#define LEAST_ITEMS        16
#define LEAST_SERIAL_ITEMS 512
#define MOST_TURNS         60000
#define DENSE_TURNS        8
#define LEAST_DENSE_ITEMS  4

/* What fills the largest GPUs several times over, in workgroups and in invocations; and processors. */
#define ENOUGH_GROUPS      1024
#define ENOUGH_INVOCATIONS (1u << 18)
#define ENOUGH_SERIAL      64

/* A vector's invocations on a processor walk shares side by side, which at multiples of this many items would fall on
 * the same lines of a cache. */
#define SERIAL_STEP 4

/* A processor walks columns so many rows at a time: they stay in its cache for the columns beside. */
#define MOST_SERIAL_ROWS 128

/* An invocation that walks alone still wants neighbours that read with it. */
#define LEAST_ACROSS 32

/* Loads on their way at once. */
#define LOADS 4

/* Where there are enough invocations they take so many loads each, so that what a reduction's make together is less
 * work beside: of rows of 1024 on an H200 8 reach 0.91 of the read peak, 16 0.87, 1 0.51. */
#define ENOUGH_LOADS 8

/* The input, two outputs, what lies beside the input, and the means. */
#define GRADIENT_BUFFERS 5

/* A dimension that is kept or folded. */
struct dimension {
    uint32_t size;
    uint32_t stride;  /* the input's */
    uint32_t other;   /* a kept one's stride in the output, or what a coordinate of a folded one counts in an element's
                         place */
    uint32_t number;  /* a kept one's: how many outputs a coordinate counts */
    uint32_t operand; /* .. and its stride in an epilogue's operand */
    uint32_t mean;    /* .. or in the means of GRADIENTS */
};

struct dimensions {
    uint32_t rank;
    struct dimension items[VKDML_MAX_DIMENSIONS]; /* outermost first */
};

/* What steps read: a tensor, or totals. */
struct source {
    struct vkdml_origin at;
    bool totals;
    uint32_t element_bits;
};

/* Part of a reduce, in elements (or totals) from the source's first, and from the output's. */
struct part {
    struct dimensions kept;
    struct dimensions reduced;
    uint64_t source_first;
    uint64_t target_first;
    uint32_t index_first;
    uint64_t number_first;
    uint64_t mean_first;
};

struct reducing {
    const struct vkdml_reduce *reduce;
    struct vkdml_builder *builder;
    struct vkdml_ending ending;
    struct dimensions operand; /* the kept ones with its strides, as outputs are numbered */
    uint32_t element_count;    /* of a whole reduction, FLOAT32's bits */
    bool serial;
    bool general;
    uint32_t kept_rank, folded_rank; /* of a general plan's steps, whatever sizes are 1: at least 1 is folded */
};

/* ---- dimensions ---- */

/* Elements that are the same lie farthest, so that the innermost dimension is one along which memory is walked. */
static bool lies_closer(const struct dimension *a, const struct dimension *b) {
    return a->stride != 0 && (b->stride == 0 || a->stride < b->stride);
}

static void insert(struct dimensions *dimensions, struct dimension added) {
    uint32_t place = dimensions->rank++;
    for (; place > 0 && lies_closer(&dimensions->items[place - 1], &added); --place) {
        dimensions->items[place] = dimensions->items[place - 1];
    }
    dimensions->items[place] = added;
}

static void merge_runs(struct dimensions *dimensions) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < dimensions->rank; ++d) {
        const struct dimension inner = dimensions->items[d];
        struct dimension *outer = kept > 0 ? &dimensions->items[kept - 1] : NULL;
        if (outer != NULL && outer->stride == (uint64_t)inner.stride * inner.size &&
            outer->other == (uint64_t)inner.other * inner.size && outer->mean == (uint64_t)inner.mean * inner.size) {
            const uint32_t size = outer->size * inner.size; /* all elements fit 32 bits */
            *outer = inner;
            outer->size = size;
        } else {
            dimensions->items[kept++] = inner;
        }
    }
    dimensions->rank = kept;
}

static bool is_place(const struct vkdml_reduce *reduce) {
    return reduce->function == VKDML_REDUCE_ARGMAX || reduce->function == VKDML_REDUCE_ARGMIN;
}

/* Numbers outputs in the order of kept dimensions, before these become runs: those of the operand are other ones. */
static void number_outputs(struct reducing *f, struct dimensions *kept) {
    uint32_t number = 1;
    for (uint32_t d = kept->rank; d-- > 0;) {
        kept->items[d].number = number;
        number *= kept->items[d].size; /* at most the elements */
    }
    f->operand = *kept;
    for (uint32_t d = 0; d < kept->rank; ++d) {
        f->operand.items[d].stride = kept->items[d].operand;
        f->operand.items[d].other = 0;
    }
    merge_runs(&f->operand);
}

static bool has_gradients(const struct vkdml_reduce *reduce) {
    return reduce->function == VKDML_REDUCE_GRADIENTS;
}

/* Sorts the dimensions of more than one coordinate into kept and folded ones, as the input lies. */
static void collapse(struct reducing *f, struct part *part) {
    const struct vkdml_reduce *reduce = f->reduce;
    memset(part, 0, sizeof(*part));
    part->source_first = reduce->input.at.first;
    part->target_first = reduce->outputs[0].at.first;
    part->mean_first = reduce->means.at.first;
    uint32_t place = 1;
    for (uint32_t d = reduce->input.rank; d-- > 0;) {
        const uint32_t size = reduce->input.sizes[d];
        const bool folded = (reduce->folded >> d & 1) != 0;
        struct dimension dimension = {.size = size,
                                      .stride = reduce->input.strides[d],
                                      .other = folded ? place : reduce->outputs[0].strides[d],
                                      .operand = vkdml_ending_stride(&f->ending, d)};
        if (has_gradients(reduce) && !folded) {
            dimension.mean = reduce->means.strides[d];
        }
        if (folded) {
            place *= size; /* at most the elements */
            dimension.other = is_place(reduce) ? dimension.other : 0;
        }
        if (size > 1) {
            insert(folded ? &part->reduced : &part->kept, dimension);
        }
    }
    if (f->ending.operand != NULL) {
        number_outputs(f, &part->kept);
    }
    merge_runs(&part->kept);
    merge_runs(&part->reduced);
    if (part->reduced.rank == 0) {
        part->reduced.items[0] = (struct dimension){.size = 1, .stride = 1};
        part->reduced.rank = 1;
    }
}

static uint64_t count(const struct dimensions *dimensions) {
    uint64_t elements = 1;
    for (uint32_t d = 0; d < dimensions->rank; ++d) {
        elements *= dimensions->items[d].size;
    }
    return elements;
}

/* From the first element to the last, in one of the tensors. */
static uint64_t reach(const struct dimensions *dimensions, bool other) {
    uint64_t elements = 0;
    for (uint32_t d = 0; d < dimensions->rank; ++d) {
        const struct dimension *dimension = &dimensions->items[d];
        elements += (uint64_t)(dimension->size - 1) * (other ? dimension->other : dimension->stride);
    }
    return elements;
}

/* ---- one step ---- */

/* How a part is walked. */
struct walk {
    uint32_t shape;
    uint32_t width;
    uint32_t local_size;
    uint32_t lanes;
    uint32_t items_per_run;
    uint64_t items; /* of a reduction */
    uint64_t units;
    uint64_t unit_groups;
    uint64_t share;
    uint64_t shares;
    uint64_t groups;
};

static struct vkdml_window source_window(const struct source *source, const struct part *part) {
    const struct vkdml_span span = {part->source_first, reach(&part->kept, false) + reach(&part->reduced, false) + 1};
    return vkdml_window_of(span, source->element_bits);
}

static struct vkdml_window output_window(const struct reducing *f, const struct part *part) {
    const struct vkdml_span span = {part->target_first, reach(&part->kept, true) + 1};
    return vkdml_window_of(span, vkdml_view_bits(&f->reduce->outputs[0]));
}

static uint32_t total_bytes(const struct reducing *f) {
    const enum vkdml_reduce_function function = f->reduce->function;
    const bool has_moments = function == VKDML_REDUCE_MOMENTS || function == VKDML_REDUCE_VARIANCE;
    return vkdml_view_bits(&f->reduce->input) == 64 || has_moments ? 16 : 8;
}

static bool is_pair(const struct vkdml_reduce *reduce) {
    return reduce->function >= VKDML_REDUCE_MOMENTS;
}

static bool are_multiples(const struct dimension *dimensions, uint32_t count, uint32_t elements) {
    bool multiples = true;
    for (uint32_t d = 0; d < count; ++d) {
        multiples = multiples && dimensions[d].stride % elements == 0;
    }
    return multiples;
}

/* Whether a part, and whatever lies along all its dimensions but one, begins at multiples of so many elements. */
static bool is_aligned(const struct reducing *f, const struct source *source, const struct part *part,
                       const struct dimensions *inner, uint32_t elements) {
    const struct vkdml_window window = source_window(source, part);
    const uint32_t bytes = elements * source->element_bits / 8;
    const uint64_t lead = (uint64_t)window.lead * source->element_bits / 8;
    const struct dimensions *kept = &part->kept, *reduced = &part->reduced;
    return vkdml_place_modulo_16(f->builder->limits, source->at.offset + window.offset, lead) % bytes == 0 &&
           are_multiples(kept->items, kept->rank - (kept == inner), elements) &&
           are_multiples(reduced->items, reduced->rank - (reduced == inner), elements);
}

/* The elements side by side that an invocation takes at once: whole words, of 16 bytes at most. */
static uint32_t width_of(const struct reducing *f, const struct source *source, const struct part *part) {
    const struct dimension *inner = &part->kept.items[part->kept.rank - 1];
    if (source->totals || inner->stride != 1) {
        return 1;
    }
    for (uint32_t width = 4; width > 1; width /= 2) {
        const uint32_t bits = width * source->element_bits;
        if (bits >= 32 && bits <= 128 && inner->size % width == 0 && is_aligned(f, source, part, &part->kept, width)) {
            return width;
        }
    }
    return 1;
}

/* Whether `width` outputs, narrower than words, are whole ones. */
static bool is_packed(const struct reducing *f, const struct part *part, uint32_t width, uint32_t lead) {
    bool packed = width > 1 && vkdml_view_bits(&f->reduce->outputs[0]) < 32 && lead % width == 0 &&
                  part->kept.items[part->kept.rank - 1].other == 1;
    for (uint32_t d = 0; d + 1 < part->kept.rank; ++d) {
        packed = packed && part->kept.items[d].other % width == 0;
    }
    return packed;
}

static void choose_shape(const struct reducing *f, const struct source *source, const struct part *part,
                         struct walk *walk) {
    const struct dimension *run = &part->reduced.items[part->reduced.rank - 1];
    const struct dimension *inner = part->kept.rank != 0 ? &part->kept.items[part->kept.rank - 1] : NULL;
    walk->width = 1;
    walk->shape = source->totals ? VKDML_REDUCE_FROM_TOTALS : 0;
    walk->items_per_run = run->size;
    if (inner != NULL && lies_closer(inner, run)) {
        walk->shape |= VKDML_REDUCE_ACROSS;
        walk->width = width_of(f, source, part);
        if (is_packed(f, part, walk->width, output_window(f, part).lead)) {
            walk->shape |= VKDML_REDUCE_IS_PACKED;
        }
    } else if (!source->totals && run->stride == 1) {
        const uint32_t item = 128 / source->element_bits;
        if (run->size / item >= LEAST_DENSE_ITEMS) {
            const bool aligned = is_aligned(f, source, part, &part->reduced, item);
            walk->shape |= VKDML_REDUCE_DENSE | (aligned && run->size % item == 0 ? VKDML_REDUCE_IS_WHOLE : 0);
            /* Else a run may begin up to one element short of an item's end. */
            walk->items_per_run = (uint32_t)vkdml_divide_up((uint64_t)run->size + (aligned ? 0 : item - 1), item);
        }
    }
    walk->items = count(&part->reduced) / run->size * walk->items_per_run;
    walk->units = count(&part->kept) / walk->width;
}

static uint64_t at_least_one(uint64_t n) {
    return n == 0 ? 1 : n;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The invocations of a reduction. */
static uint32_t choose_lanes(const struct reducing *f, const struct walk *walk) {
    uint32_t lanes = 1;
    if (f->serial) {
        return 1;
    }
    if ((walk->shape & VKDML_REDUCE_ACROSS) != 0) {
        while (lanes * LEAST_ACROSS < walk->local_size && walk->units * lanes < ENOUGH_INVOCATIONS &&
               walk->items >= 2 * (uint64_t)lanes * LEAST_ITEMS) {
            lanes *= 2;
        }
        return lanes;
    }
    while (lanes < walk->local_size && (uint64_t)lanes * LOADS < walk->items &&
           (walk->units * lanes < ENOUGH_INVOCATIONS || (uint64_t)lanes * LOADS * ENOUGH_LOADS <= walk->items)) {
        lanes *= 2;
    }
    return lanes;
}

/* Few enough items that loops end, and that sums are exact. */
static uint64_t most_items(const struct reducing *f, const struct part *part, const struct walk *walk) {
    const uint32_t turns = 2 + part->reduced.rank + ((walk->shape & VKDML_REDUCE_DENSE) != 0 ? DENSE_TURNS : 0);
    const bool walks_columns =
        f->serial && (walk->shape & (VKDML_REDUCE_ACROSS | VKDML_REDUCE_FROM_TOTALS)) == VKDML_REDUCE_ACROSS;
    return walks_columns ? MOST_SERIAL_ROWS : least(MOST_TURNS / turns, MOST_ITEMS);
}

static void choose_walk(const struct reducing *f, const struct source *source, const struct part *part,
                        struct walk *walk) {
    memset(walk, 0, sizeof(*walk));
    walk->local_size = vkdml_local_size(f->builder->limits, f->serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    choose_shape(f, source, part, walk);
    walk->lanes = choose_lanes(f, walk);
    walk->unit_groups = vkdml_divide_up(walk->units, walk->local_size / walk->lanes);
    const uint64_t wanted = f->serial ? ENOUGH_SERIAL / at_least_one(walk->units) : ENOUGH_GROUPS / walk->unit_groups;
    const uint32_t fewest = f->serial ? LEAST_SERIAL_ITEMS : LEAST_ITEMS;
    const uint64_t needed = vkdml_divide_up(walk->items, walk->lanes * most_items(f, part, walk));
    const uint64_t bindable = f->builder->limits->max_storage_buffer_range / 4 / (count(&part->kept) * total_bytes(f));
    walk->shares = at_least_one(least(least(wanted, bindable), walk->items / ((uint64_t)walk->lanes * fewest)));
    walk->shares = walk->shares < needed ? needed : walk->shares;
    walk->share = vkdml_divide_up(walk->items, walk->shares);
    if (f->serial && walk->shares > 1 && walk->share > SERIAL_STEP && walk->share % SERIAL_STEP == 0) {
        --walk->share;
    }
    walk->shares = vkdml_divide_up(walk->items, walk->share);
    if (f->general) { /* the same sums, in the same order, without vectors */
        walk->units *= walk->width;
        walk->width = 1;
        walk->unit_groups = vkdml_divide_up(walk->units, walk->local_size / walk->lanes);
        walk->shape &= ~(uint32_t)(VKDML_REDUCE_IS_PACKED | VKDML_REDUCE_IS_WHOLE);
    }
    walk->groups = walk->unit_groups * walk->shares;
    if (f->serial && (walk->shares > 1 || f->general)) {
        walk->shape |= VKDML_REDUCE_IS_FLAT;
        walk->unit_groups = walk->units;
        walk->groups = vkdml_divide_up(walk->units * walk->shares, walk->local_size);
    }
}

/* The dimensions of a step; in a general plan with outer ones of one coordinate, as many as there can be. */
static struct dimensions padded(const struct reducing *f, const struct dimensions *dimensions, uint32_t rank) {
    struct dimensions result = *dimensions;
    if (f->general && rank > dimensions->rank) {
        const uint32_t more = rank - dimensions->rank;
        result.rank = rank;
        for (uint32_t d = 0; d < rank; ++d) {
            result.items[d] = d < more ? (struct dimension){.size = 1} : dimensions->items[d - more];
        }
    }
    return result;
}

static void fill_dimension(const struct dimension *dimension, uint32_t width, uint32_t *words) {
    const struct vkdml_divisor divisor = vkdml_divisor(dimension->size / width);
    words[0] = dimension->size / width;
    words[1] = divisor.multiplier;
    words[2] = divisor.shifts;
    words[3] = dimension->stride * width;
}

static void fill_dimensions(const struct part *part, const struct walk *walk,
                            struct vkdml_reduce_parameters *parameters) {
    for (uint32_t d = 0; d < part->kept.rank; ++d) {
        const uint32_t width = d + 1 == part->kept.rank ? walk->width : 1;
        const struct dimension *dimension = &part->kept.items[d];
        fill_dimension(dimension, width, parameters->kept[d]);
        parameters->kept_out[d] = dimension->other * width;
        parameters->width_stride = dimension->other;
        parameters->kept_mean[d] = dimension->mean * width;
        parameters->mean_width_stride = dimension->mean;
    }
    for (uint32_t d = 0; d + 1 < part->reduced.rank; ++d) {
        fill_dimension(&part->reduced.items[d], 1, parameters->reduced[d]);
        parameters->reduced_index[d] = part->reduced.items[d].other;
    }
}

/* What becomes of the results of a step. */
static void fill_ending(const struct reducing *f, const struct part *part, const struct walk *walk,
                        struct vkdml_reduce_parameters *parameters) {
    const struct dimensions operand = padded(f, &f->operand, f->kept_rank);
    parameters->factor = f->ending.factor;
    memcpy(parameters->function_arguments, f->ending.arguments, sizeof(f->ending.arguments));
    if (f->ending.operand == NULL) {
        return;
    }
    parameters->run_index_stride = f->ending.first;
    parameters->index_first = (uint32_t)part->number_first;
    for (uint32_t d = 0; d < part->kept.rank; ++d) {
        const uint32_t width = d + 1 == part->kept.rank ? walk->width : 1;
        parameters->reduced_index[d] = part->kept.items[d].number * width;
    }
    for (uint32_t d = 0; d < operand.rank; ++d) {
        fill_dimension(&operand.items[d], 1, parameters->reduced[VKDML_MAX_DIMENSIONS - operand.rank + d]);
    }
}

static bool computes_much(const struct reducing *f) {
    const enum vkdml_reduce_function function = f->reduce->function;
    return function == VKDML_REDUCE_MULTIPLY;
}

/* The step of a part. */
struct step {
    const struct source *source;
    const struct part *part;
    const struct walk *walk;
    const struct vkdml_plan_buffer *totals; /* where they go in the temporary resource; NULL: to the outputs */
    struct vkdml_window from;
    struct vkdml_window to;
};

/* Totals lie side by side, in the order of units. */
static void fill_totals(const struct step *s, struct vkdml_reduce_parameters *parameters) {
    const struct part *part = s->part;
    uint32_t stride = 1;
    for (uint32_t d = part->kept.rank; d-- > 0;) {
        parameters->kept_out[d] = stride * (d + 1 == part->kept.rank ? s->walk->width : 1);
        stride *= part->kept.items[d].size;
    }
    parameters->width_stride = 1;
    parameters->share_stride = stride;
}

/* Items on their way at once. */
static uint32_t loads_of(const struct reducing *f, const struct step *s) {
    const bool many =
        s->walk->share / s->walk->lanes >= LOADS && !f->serial && !computes_much(f) && !s->source->totals;
    return many ? LOADS : 1;
}

static void fill_parameters(const struct reducing *f, const struct step *s,
                            struct vkdml_reduce_parameters *parameters) {
    const struct part *part = s->part;
    const struct walk *walk = s->walk;
    const struct dimension *run = &part->reduced.items[part->reduced.rank - 1];
    memset(parameters, 0, sizeof(*parameters));
    parameters->group_count = (uint32_t)walk->groups;
    parameters->unit_count = (uint32_t)walk->units;
    parameters->unit_groups = (uint32_t)walk->unit_groups;
    parameters->groups_divisor = vkdml_divisor((uint32_t)walk->unit_groups);
    parameters->item_count = (uint32_t)walk->items;
    parameters->share = (uint32_t)walk->share;
    parameters->share_count = (uint32_t)walk->shares;
    parameters->items_per_run = walk->items_per_run;
    parameters->run_divisor = vkdml_divisor(walk->items_per_run);
    parameters->run_length = run->size;
    parameters->run_stride = run->stride;
    parameters->run_index_stride = run->other;
    parameters->source_first = s->from.lead;
    parameters->target_first = s->totals != NULL ? 0 : s->to.lead;
    parameters->index_first = part->index_first;
    parameters->mean_first = (uint32_t)part->mean_first;
    parameters->element_count = f->element_count;
    parameters->argument = f->reduce->argument;
    parameters->lanes = walk->lanes;
    parameters->is_across = (walk->shape & VKDML_REDUCE_ACROSS) != 0;
    parameters->leaves_ends = loads_of(f, s) != LOADS;
    fill_dimensions(part, walk, parameters);
    if (s->totals != NULL) {
        fill_totals(s, parameters);
    } else if (f->ending.constant != 0) {
        fill_ending(f, part, walk, parameters);
    }
}

static uint32_t float_controls_of(const struct reducing *f) {
    const DML_TENSOR_DATA_TYPE type = f->reduce->input.at.type;
    const uint32_t controls = f->builder->limits->float_controls;
    if (vkdml_data_type_bits(type) == 64) {
        return 0;
    }
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 ? controls : controls & ~VKDML_FLOAT_CONTROLS_16;
}

static void set_kernel(const struct reducing *f, const struct step *s, struct vkdml_plan_step *step) {
    const struct walk *walk = s->walk;
    const DML_TENSOR_DATA_TYPE type = f->reduce->input.at.type;
    const bool is_wide = vkdml_data_type_bits(type) == 64;
    const uint32_t of_all = f->general ? walk->shape & ~(uint32_t)VKDML_REDUCE_ACROSS : walk->shape;
    const uint32_t shape = s->totals != NULL ? (of_all & ~VKDML_REDUCE_IS_PACKED) | VKDML_REDUCE_TO_TOTALS : of_all;
    step->kernel = is_wide ? VKDML_KERNEL_REDUCE_WIDE : VKDML_KERNEL_REDUCE;
    step->float_controls = float_controls_of(f);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_LOCAL_SIZE, walk->local_size);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_TYPE, (uint32_t)type);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_BITS_OUT, vkdml_view_bits(&f->reduce->outputs[0]));
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_FUNCTION, (uint32_t)f->reduce->function);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_SHAPE, shape);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_LANES, f->general ? 0 : walk->lanes);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_WIDTH, walk->width);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_KEPT_RANK, s->part->kept.rank);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_REDUCED_RANK, s->part->reduced.rank);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_LOADS, f->general ? 1 : loads_of(f, s));
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_OPTION, f->reduce->option);
    vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    if (!is_wide) {
        vkdml_step_constant(step, VKDML_REDUCE_CONSTANT_EPILOGUE, s->totals == NULL ? f->ending.constant : 0);
    }
}

static void set_buffers(const struct reducing *f, const struct step *s, struct vkdml_plan_step *step) {
    step->buffers[0] = vkdml_origin_buffer(&s->source->at, s->from.offset, s->from.size);
    step->buffer_count = s->totals == NULL && is_pair(f->reduce) ? 3 : 2;
    for (uint32_t i = 1; i < step->buffer_count; ++i) {
        step->buffers[i] = vkdml_origin_buffer(&f->reduce->outputs[i - 1].at, s->to.offset, s->to.size);
    }
    if (s->totals != NULL) {
        step->buffers[1] = *s->totals;
    } else {
        vkdml_ending_bind(&f->ending, step);
    }
    if (has_gradients(f->reduce) && !s->source->totals) {
        step->buffers[2] = s->totals != NULL ? *s->totals : step->buffers[2];
        step->buffers[3] = vkdml_origin_buffer(&f->reduce->beside.at, s->from.offset, s->from.size);
        step->buffers[4] = vkdml_origin_buffer(&f->reduce->means.at, 0, vkdml_view_span(&f->reduce->means));
        step->buffer_count = GRADIENT_BUFFERS;
    }
}

static VkdmlResult add_step(const struct reducing *f, const struct source *source, const struct part *part,
                            const struct walk *walk, const struct vkdml_plan_buffer *totals) {
    struct part whole = *part;
    whole.kept = padded(f, &part->kept, f->kept_rank);
    whole.reduced = padded(f, &part->reduced, source->totals ? 1 : f->folded_rank);
    const struct step s = {.source = source,
                           .part = &whole,
                           .walk = walk,
                           .totals = totals,
                           .from = source_window(source, part),
                           .to = output_window(f, part)};
    struct vkdml_reduce_parameters parameters;
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(f->builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_note_step(f->builder->report,
                    "%" PRIu64 " reductions of %" PRIu64 " elements: %u invocations share one, in %" PRIu64 " shares",
                    count(&part->kept), count(&part->reduced), (unsigned)walk->lanes, walk->shares);
    fill_parameters(f, &s, &parameters);
    set_kernel(f, &s, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    set_buffers(f, &s, step);
    return vkdml_grid(walk->groups, f->builder->limits, f->builder->report, step->groups);
}

/* ---- pieces ---- */

/* How long a piece is in each dimension. */
struct pieces {
    struct dimensions kept;
    struct dimensions reduced;
};

static struct dimension *widest(struct dimensions *dimensions, bool other, struct dimension *best) {
    for (uint32_t d = 0; d < dimensions->rank; ++d) {
        struct dimension *dimension = &dimensions->items[d];
        const uint64_t own = (uint64_t)(dimension->size - 1) * (other ? dimension->other : dimension->stride);
        const uint64_t most = best == NULL ? 0 : (uint64_t)(best->size - 1) * (other ? best->other : best->stride);
        if (dimension->size > 1 && (best == NULL || own > most)) {
            best = dimension;
        }
    }
    return best;
}

static uint64_t window_bytes(uint64_t elements, uint32_t bits) {
    return (vkdml_bytes_of(elements, bits) + 3) & ~UINT64_C(3);
}

/* Whether a window of so many bytes can be bound: one of a whole tensor where the tensor can, others wherever they
 * begin. */
static bool can_bind(const struct reducing *f, uint64_t bytes, bool is_cut) {
    return is_cut ? vkdml_fits(f->builder->limits, 4, bytes + 8) : vkdml_fits(f->builder->limits, 0, bytes);
}

static uint64_t piece_count(const struct dimensions *whole, const struct dimensions *piece) {
    uint64_t pieces = 1;
    for (uint32_t d = 0; d < whole->rank; ++d) {
        pieces *= vkdml_divide_up(whole->items[d].size, piece->items[d].size);
    }
    return pieces;
}

/* Pieces longer than this are multiples of it, so that they begin alike in memory. */
#define PIECE_STEP 64

/* Of an output so many totals can be bound at once, so that each step leaves fewer. */
#define LEAST_TOTALS 16

/* Shortens a dimension as if all that is bound, `bytes`, hung on it. False where there is none. */
static bool shorten(const struct reducing *f, struct dimension *longest, uint64_t bytes) {
    const uint64_t range = f->builder->limits->max_storage_buffer_range;
    const uint64_t lost = 2 * (uint64_t)f->builder->limits->min_storage_buffer_offset_alignment + 16;
    const uint64_t usable = range > 2 * lost ? range - lost : range / 2;
    if (longest == NULL) {
        return false;
    }
    uint64_t size = bytes > usable ? (uint64_t)((double)longest->size * (double)usable / (double)bytes)
                                   : (uint64_t)longest->size - 1;
    size = size >= longest->size ? longest->size - 1 : size;
    size = size > PIECE_STEP ? size / PIECE_STEP * PIECE_STEP : size;
    longest->size = size == 0 ? 1 : (uint32_t)size;
    return true;
}

/* Cuts a part until a piece's windows can be bound, and the totals of its outputs too. */
static VkdmlResult cut(const struct reducing *f, const struct source *source, const struct part *whole,
                       struct part *piece) {
    *piece = *whole;
    bool is_cut = false;
    bool shortened = true;
    while (shortened) {
        struct walk walk;
        choose_walk(f, source, piece, &walk);
        const uint64_t from =
            window_bytes(reach(&piece->kept, false) + reach(&piece->reduced, false) + 1, source->element_bits);
        const uint64_t to = window_bytes(reach(&piece->kept, true) + 1, vkdml_view_bits(&f->reduce->outputs[0]));
        const uint64_t shares = walk.shares * piece_count(&whole->reduced, &piece->reduced);
        const uint64_t together = shares < LEAST_TOTALS ? shares : LEAST_TOTALS;
        const uint64_t totals =
            count(&piece->kept) * total_bytes(f) * (walk.shares > together ? walk.shares : together);
        if (!can_bind(f, from, is_cut)) {
            shortened = shorten(f, widest(&piece->reduced, false, widest(&piece->kept, false, NULL)), from);
        } else if (!can_bind(f, to, is_cut)) {
            shortened = shorten(f, widest(&piece->kept, true, NULL), to);
        } else if (!can_bind(f, totals, shares > 1) || walk.groups > UINT32_MAX / walk.local_size) {
            shortened = shorten(f, widest(&piece->kept, true, NULL), totals);
        } else {
            return VKDML_SUCCESS;
        }
        is_cut = true;
    }
    return vkdml_report_add(f->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "maxStorageBufferRange (%" PRIu64 ") is too small for one element and its totals",
                            f->builder->limits->max_storage_buffer_range);
}

/* Steps to the next piece; false after the last. */
static bool next_piece(const struct dimensions *whole, const struct dimensions *piece, uint32_t *origin) {
    for (uint32_t d = whole->rank; d-- > 0;) {
        if (piece->items[d].size < whole->items[d].size - origin[d]) {
            origin[d] += piece->items[d].size;
            return true;
        }
        origin[d] = 0;
    }
    return false;
}

/* The dimensions of a piece of a part, which begins there; *other grows by how far it lies. */
static struct dimensions piece_at(const struct dimensions *whole, const struct dimensions *piece,
                                  const uint32_t *origin, struct part *part, uint64_t *other) {
    struct dimensions result = *whole;
    for (uint32_t d = 0; d < whole->rank; ++d) {
        const uint32_t left = whole->items[d].size - origin[d];
        result.items[d].size = left < piece->items[d].size ? left : piece->items[d].size;
        part->source_first += (uint64_t)origin[d] * whole->items[d].stride;
        part->number_first += (uint64_t)origin[d] * whole->items[d].number;
        part->mean_first += (uint64_t)origin[d] * whole->items[d].mean;
        *other += (uint64_t)origin[d] * whole->items[d].other;
    }
    return result;
}

static VkdmlResult plan_part(const struct reducing *f, const struct source *source, const struct part *part);

/* Makes totals of all shares of a part's reductions, and folds those. */
static VkdmlResult plan_totals(const struct reducing *f, const struct source *source, const struct part *part,
                               const struct dimensions *piece, uint64_t shares) {
    const uint64_t outputs = count(&part->kept);
    const uint64_t bytes = outputs * total_bytes(f); /* of one share */
    vkdml_note(f->builder->report,
               "reduce: too few reductions to keep the device busy, or too long ones for a step: %" PRIu64
               " shares leave totals in the temporary resource, which are folded next",
               shares);
    const struct vkdml_origin region =
        vkdml_builder_region(f->builder, "totals", shares * bytes, DML_TENSOR_DATA_TYPE_UNKNOWN);

    uint32_t origin[VKDML_MAX_DIMENSIONS] = {0};
    uint64_t share = 0;
    VkdmlResult result = VKDML_SUCCESS;
    do {
        struct part smaller = *part;
        uint64_t index = part->index_first;
        smaller.reduced = piece_at(&part->reduced, piece, origin, &smaller, &index);
        smaller.index_first = (uint32_t)index;
        struct walk walk;
        choose_walk(f, source, &smaller, &walk);
        const struct vkdml_plan_buffer totals = vkdml_origin_buffer(&region, share * bytes, walk.shares * bytes);
        result = add_step(f, source, &smaller, &walk, &totals);
        share += walk.shares;
    } while (result == VKDML_SUCCESS && next_piece(&part->reduced, piece, origin));
    if (result != VKDML_SUCCESS) {
        return result;
    }

    struct part rest = *part;
    uint32_t stride = 1;
    for (uint32_t d = rest.kept.rank; d-- > 0;) {
        rest.kept.items[d].stride = stride;
        stride *= rest.kept.items[d].size;
    }
    rest.source_first = 0;
    rest.index_first = 0;
    rest.reduced = (struct dimensions){1, {{.size = (uint32_t)shares, .stride = stride}}};
    const struct source of_totals = {region, true, 8 * total_bytes(f)};
    vkdml_builder_phase(f->builder);
    return plan_part(f, &of_totals, &rest);
}

static uint64_t count_shares(const struct reducing *f, const struct source *source, const struct part *part,
                             const struct dimensions *piece) {
    uint32_t origin[VKDML_MAX_DIMENSIONS] = {0};
    uint64_t shares = 0;
    do {
        struct part smaller = *part;
        uint64_t index = 0;
        struct walk walk;
        smaller.reduced = piece_at(&part->reduced, piece, origin, &smaller, &index);
        choose_walk(f, source, &smaller, &walk);
        shares += walk.shares;
    } while (next_piece(&part->reduced, piece, origin));
    return shares;
}

/* Each piece takes a step at least. */
static VkdmlResult expect_pieces(const struct reducing *f, const struct part *whole, const struct part *piece) {
    const uint64_t kept = piece_count(&whole->kept, &piece->kept); /* numbers of elements are below 2^32 */
    return vkdml_builder_expect(f->builder, kept * piece_count(&whole->reduced, &piece->reduced));
}

static VkdmlResult plan_part(const struct reducing *f, const struct source *source, const struct part *part) {
    struct part piece;
    VkdmlResult result = cut(f, source, part, &piece);
    if (result == VKDML_SUCCESS) {
        result = expect_pieces(f, part, &piece);
    }
    uint32_t origin[VKDML_MAX_DIMENSIONS] = {0};
    while (result == VKDML_SUCCESS) {
        struct part smaller = *part;
        smaller.kept = piece_at(&part->kept, &piece.kept, origin, &smaller, &smaller.target_first);
        const uint64_t shares = count_shares(f, source, &smaller, &piece.reduced);
        if (shares == 1) {
            struct walk walk;
            choose_walk(f, source, &smaller, &walk);
            result = add_step(f, source, &smaller, &walk, NULL);
        } else {
            result = plan_totals(f, source, &smaller, &piece.reduced, shares);
        }
        if (!next_piece(&part->kept, &piece.kept, origin)) {
            break;
        }
    }
    return result;
}

bool vkdml_reduce_takes(const struct vkdml_reduce *reduce, const struct vkdml_epilogue *epilogue,
                        const struct vkdml_plan_limits *limits) {
    const DML_TENSOR_DATA_TYPE type = reduce->outputs[0].at.type;
    return !is_pair(reduce) && vkdml_data_type_bits(reduce->input.at.type) <= 32 &&
           vkdml_epilogue_is_short(epilogue, type, false, limits);
}

bool vkdml_reduce_takes_gradients(const struct vkdml_reduce *reduce, const struct vkdml_plan_limits *limits) {
    const struct vkdml_view *input = &reduce->input, *beside = &reduce->beside, *means = &reduce->means;
    return limits->max_storage_buffers >= GRADIENT_BUFFERS && input->at.type == beside->at.type &&
           input->at.type == means->at.type && input->at.first == beside->at.first &&
           memcmp(input->strides, beside->strides, input->rank * sizeof(*input->strides)) == 0 &&
           vkdml_fits(limits, means->at.offset, vkdml_view_span(means));
}

/* ---- general plans ---- */

static VkdmlResult add_spare(const struct reducing *f, const struct source *source, uint32_t shape, bool to_totals) {
    const struct part whole = {.kept = {.rank = f->kept_rank}, .reduced = {.rank = source->totals ? 1 : f->folded_rank}};
    const struct walk walk = {
        .shape = shape | (source->totals ? VKDML_REDUCE_FROM_TOTALS : 0) | (f->serial ? VKDML_REDUCE_IS_FLAT : 0),
        .width = 1,
        .local_size = vkdml_local_size(f->builder->limits, f->serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE),
        .lanes = 1};
    const struct vkdml_plan_buffer totals = {.size = 0};
    const struct step s = {.source = source, .part = &whole, .walk = &walk, .totals = to_totals ? &totals : NULL};
    struct vkdml_plan_step step = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
    set_kernel(f, &s, &step);
    set_buffers(f, &s, &step);
    return vkdml_builder_add_spare(f->builder, &step);
}

/* Runs and single elements, at once and by totals, and what folds totals. */
static VkdmlResult add_spares(const struct reducing *f, const struct source *source) {
    const struct source of_totals = {source->at, true, 8 * total_bytes(f)};
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t to_totals = 0; to_totals < 2 && result == VKDML_SUCCESS; ++to_totals) {
        result = add_spare(f, source, 0, to_totals);
        if (result == VKDML_SUCCESS) {
            result = add_spare(f, source, VKDML_REDUCE_DENSE, to_totals);
        }
        if (result == VKDML_SUCCESS) {
            result = add_spare(f, &of_totals, 0, to_totals);
        }
    }
    return result;
}

static uint32_t count_bits(uint32_t bits) {
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        ++count;
    }
    return count;
}

VkdmlResult vkdml_reduce_plan(const struct vkdml_reduce *reduce, struct vkdml_builder *builder) {
    struct part whole;
    const uint32_t folded = count_bits(reduce->folded & ((UINT32_C(1) << reduce->input.rank) - 1));
    struct reducing f = {.reduce = reduce,
                         .builder = builder,
                         .ending = vkdml_epilogue_ending(reduce->epilogue),
                         .serial = builder->limits->variant == VKDML_KERNEL_VARIANT_SERIAL,
                         .general = builder->limits->general,
                         .kept_rank = reduce->input.rank - folded,
                         .folded_rank = folded == 0 ? 1 : folded};
    assert(f.ending.constant == 0 || vkdml_reduce_takes(reduce, reduce->epilogue, builder->limits));
    collapse(&f, &whole);
    f.element_count = vkdml_float_bits((float)count(&whole.reduced));
    if (f.ending.operand != NULL) {
        f.ending.constant |= (f.general ? f.kept_rank : f.operand.rank) << VKDML_EPILOGUE_OPERAND_RANK_SHIFT;
    }
    const struct source source = {reduce->input.at, false, vkdml_view_bits(&reduce->input)};
    const VkdmlResult result = plan_part(&f, &source, &whole);
    return result == VKDML_SUCCESS && vkdml_builder_wants_spares(builder) ? add_spares(&f, &source) : result;
}
