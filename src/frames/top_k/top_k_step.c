#include "frames/top_k/top_k_step.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "kernels/blocks.h"
#include "plan/boxes.h"
#include "plan/step.h"

/* Multiples of every subgroup size in use, 4 to 128; devices that allow fewer invocations get fewer. */
#define LOCAL_SIZE        256
#define LARGE_LOCAL_SIZE  512
#define LARGE_BLOCK       2048
#define SERIAL_LOCAL_SIZE 8

/* Items of an invocation, in registers: 32 of a word, 16 of two. */
#define MOST_ITEMS      32
#define MOST_LONG_ITEMS 16

/* Items in shared memory: what any device has room for, beside some counts, and the most that pay. */
#define SHARED_REST    272
#define LEAST_CAPACITY 1024
#define LEAST_BLOCK    8 /* items of a turn */
#define MOST_CAPACITY  4096

/* What a processor's invocation can sort. */
#define SERIAL_BLOCK 2048

/* Below so many items for each invocation, or of so few that are dropped, sorting all is as fast as selecting first. */
#define LEAST_SELECTED 2
#define LEAST_DROPPED  8

/* Columns: neighbours that are read together, and how few of a share are kept at most. */
#define LEAST_ACROSS      8
#define LEAST_ACROSS_DROP 4

/* An invocation's loops must stay below 65,535 turns in total, which lavapipe ends silently: an item takes one, and one
 * for each level of a heap. Shares of 8192 would fall on the same lines of a cache. */
#define MOST_TURNS        60000
#define MOST_SERIAL_SHARE 8176

enum tensor { SOURCE, VALUES, INDICES, SCRATCH, TENSOR_COUNT };

/* What covers windows: boxes of the rows' dimensions and of shares or, of outputs, of ranks. */
struct keeping {
    const struct vkdml_top_k_use *use;
    const struct vkdml_top_k_keeping *k;
};

uint32_t vkdml_top_k_power(uint64_t n) {
    return UINT32_C(1) << vkdml_top_k_log(n);
}

uint32_t vkdml_top_k_log(uint64_t n) {
    uint32_t log = 0;
    while (log < 31 && UINT64_C(1) << log < n) {
        ++log;
    }
    return log;
}

static bool can_bind(const struct vkdml_plan_limits *limits, uint64_t bytes) {
    return vkdml_fits(limits, 4, bytes + 8); /* up to a word more on either side */
}

uint32_t vkdml_top_k_window(const struct vkdml_top_k_use *use) {
    uint32_t items = UINT32_C(1) << 31;
    while (items > 1 && !can_bind(use->builder->limits, (uint64_t)items * use->record_bytes)) {
        items /= 2;
    }
    return items;
}

uint32_t vkdml_top_k_block(const struct vkdml_top_k_use *use) {
    const uint32_t words = vkdml_view_bits(&use->top_k->input) == 64 ? 3 : 2;
    uint32_t block = use->serial ? SERIAL_BLOCK : LEAST_CAPACITY;
    while (!use->serial && !use->builder->limits->general && block < use->kept && block < MOST_CAPACITY &&
           2 * block * words * 4 + SHARED_REST <= use->builder->limits->max_shared_memory_bytes) {
        block *= 2;
    }
    const uint32_t window = vkdml_top_k_window(use);
    return block < window ? block : window;
}

struct vkdml_top_k_rows vkdml_top_k_add_rows(const struct vkdml_top_k_use *use, uint32_t length) {
    const uint64_t bytes = use->row_count * length * use->record_bytes;
    return (struct vkdml_top_k_rows){
        true, vkdml_builder_region(use->builder, "records", bytes, DML_TENSOR_DATA_TYPE_UNKNOWN), length};
}

/* ---- how rows lie ---- */

static uint32_t axis_stride(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows) {
    return rows->are_records ? 1 : use->top_k->input.strides[use->top_k->axis];
}

static uint64_t row_stride(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows, uint32_t d) {
    const uint32_t *strides = use->dimensions[d].strides;
    return rows->are_records ? (uint64_t)strides[VKDML_TOP_K_ROW] * rows->length : strides[VKDML_TOP_K_INPUT];
}

/* Whether neighbours in memory are of different rows. */
static bool lies_across(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows) {
    return !use->builder->limits->general && !rows->are_records && !use->serial && use->rank > 0 &&
           use->dimensions[use->rank - 1].strides[VKDML_TOP_K_INPUT] < axis_stride(use, rows) &&
           use->dimensions[use->rank - 1].size >= LEAST_ACROSS;
}

static uint32_t local_size(const struct vkdml_top_k_use *use) {
    if (use->serial) {
        return vkdml_local_size(use->builder->limits, SERIAL_LOCAL_SIZE);
    }
    return vkdml_local_size(use->builder->limits, use->block >= LARGE_BLOCK ? LARGE_LOCAL_SIZE : LOCAL_SIZE);
}

static uint32_t most_items(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows) {
    return rows->are_records || vkdml_view_bits(&use->top_k->input) == 64 ? MOST_LONG_ITEMS : MOST_ITEMS;
}

static uint32_t most_bound(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows) {
    const uint32_t bits = rows->are_records ? 8 * use->record_bytes : vkdml_view_bits(&use->top_k->input);
    uint32_t least = 1, most = rows->length; /* the first can always be bound, or covering says that it cannot */
    while (least < most) {
        const uint32_t middle = most - (most - least) / 2;
        const uint64_t elements = (uint64_t)(middle - 1) * axis_stride(use, rows) + 1;
        const bool fits = can_bind(use->builder->limits, vkdml_bytes_of(elements, bits));
        least = fits ? middle : least;
        most = fits ? most : middle - 1;
    }
    return least;
}

uint32_t vkdml_top_k_largest_share(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows,
                                   uint32_t kept) {
    uint32_t share;
    if (use->serial) {
        share = MOST_TURNS / (vkdml_top_k_log(kept) + 3);
        share = share < MOST_SERIAL_SHARE ? share : MOST_SERIAL_SHARE;
    } else if (use->builder->limits->general) {
        share = use->block;
    } else {
        share = local_size(use) * most_items(use, rows);
        const uint32_t across = use->block / LEAST_ACROSS;
        if (lies_across(use, rows) && rows->length > use->block && kept * LEAST_ACROSS_DROP <= across) {
            share = across;
        }
    }
    const uint32_t bound = most_bound(use, rows);
    return share < bound ? share : bound;
}

/* ---- boxes ---- */

struct range {
    uint64_t first, end;
};

static struct range shares_of(const struct keeping *s, const struct vkdml_box *box) {
    const uint64_t first = box->origin[s->use->rank], end = first + box->size[s->use->rank];
    return s->k->to_records ? (struct range){first, end}
                            : (struct range){first / s->k->kept, vkdml_divide_up(end, s->k->kept)};
}

static uint64_t place_of(uint64_t share, uint32_t shift, uint32_t block, uint32_t own) {
    return (share >> shift) * block + (share & ((UINT64_C(1) << shift) - 1)) * own;
}

static struct range items_of(const struct keeping *s, const struct vkdml_box *box) {
    const struct vkdml_top_k_keeping *k = s->k;
    const struct range shares = shares_of(s, box);
    const uint64_t end = place_of(shares.end - 1, k->share_shift, k->block_stride, k->share) + k->share;
    return (struct range){place_of(shares.first, k->share_shift, k->block_stride, k->share),
                          end < k->from.length ? end : k->from.length};
}

static struct range ranks_of(const struct keeping *s, const struct vkdml_box *box) {
    const struct vkdml_top_k_keeping *k = s->k;
    if (!k->to_records) {
        const uint64_t first = box->origin[s->use->rank];
        return (struct range){first, first + box->size[s->use->rank]};
    }
    const struct range shares = shares_of(s, box);
    const uint64_t end = place_of(shares.end - 1, k->share_shift, k->block_ranks, k->kept) + k->kept;
    return (struct range){place_of(shares.first, k->share_shift, k->block_ranks, k->kept),
                          end < k->to.length ? end : k->to.length};
}

static uint64_t rows_of(const struct keeping *s, const struct vkdml_box *box) {
    uint64_t rows = 1;
    for (uint32_t d = 0; d < s->use->rank; ++d) {
        rows *= box->size[d];
    }
    return rows;
}

static uint64_t units_of(const struct keeping *s, const struct vkdml_box *box) {
    const struct range shares = shares_of(s, box);
    return rows_of(s, box) * (shares.end - shares.first);
}

static uint32_t bits_of(const struct keeping *s, enum tensor t) {
    const struct vkdml_top_k *top_k = s->use->top_k;
    const bool is_record = t == SOURCE ? s->k->from.are_records : t == VALUES ? s->k->to_records : t == SCRATCH;
    return is_record      ? 8 * s->use->record_bytes
           : t == INDICES ? vkdml_view_bits(&top_k->indices)
                          : vkdml_view_bits(&top_k->input);
}

static uint64_t stride_of(const struct keeping *s, enum tensor t, uint32_t d) {
    const uint32_t *strides = s->use->dimensions[d].strides;
    return t == SOURCE        ? row_stride(s->use, &s->k->from, d)
           : s->k->to_records ? row_stride(s->use, &s->k->to, d)
                              : strides[t == VALUES ? VKDML_TOP_K_VALUES : VKDML_TOP_K_INDICES];
}

static uint32_t last_stride(const struct keeping *s, enum tensor t) {
    const struct vkdml_top_k *top_k = s->use->top_k;
    return t == SOURCE        ? axis_stride(s->use, &s->k->from)
           : s->k->to_records ? 1
                              : (t == VALUES ? &top_k->values : &top_k->indices)->strides[top_k->axis];
}

static bool is_bound(const struct keeping *s, enum tensor t) {
    return t == SCRATCH ? s->use->serial && !s->k->to_records : t != INDICES || !s->k->to_records;
}

static uint64_t last_reach(const struct keeping *s, enum tensor t, const struct vkdml_box *box) {
    const struct range range = t == SOURCE ? items_of(s, box) : ranks_of(s, box);
    return (range.end - range.first - 1) * last_stride(s, t);
}

/* Of what is no scratch. */
static const struct vkdml_origin *origin_of(const struct keeping *s, enum tensor t) {
    return t == SOURCE        ? &s->k->from.at
           : s->k->to_records ? &s->k->to.at
           : t == VALUES      ? &s->use->top_k->values.at
                              : &s->use->top_k->indices.at;
}

static struct vkdml_window window_of(const struct keeping *s, enum tensor t, const struct vkdml_box *box) {
    const struct range range = t == SOURCE ? items_of(s, box) : ranks_of(s, box);
    struct vkdml_span span = {origin_of(s, t)->first + range.first * last_stride(s, t), last_reach(s, t, box) + 1};
    for (uint32_t d = 0; d < s->use->rank; ++d) {
        span.first += box->origin[d] * stride_of(s, t, d);
        span.count += (box->size[d] - 1) * stride_of(s, t, d);
    }
    return vkdml_window_of(span, bits_of(s, t));
}

static uint64_t bytes(void *context, uint32_t n, const struct vkdml_box *box, bool *fits) {
    const struct keeping *s = context;
    const enum tensor t = (enum tensor)n;
    *fits = true;
    if (!is_bound(s, t)) {
        return 0;
    }
    if (t == SCRATCH) {
        const uint64_t size = units_of(s, box) * s->k->kept * s->use->record_bytes;
        *fits = vkdml_fits(s->use->builder->limits, 0, size);
        return size;
    }
    const struct vkdml_window window = window_of(s, t, box);
    *fits = vkdml_fits(s->use->builder->limits, origin_of(s, t)->offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t n, const struct vkdml_box *box, uint32_t d) {
    const struct keeping *s = context;
    const enum tensor t = (enum tensor)n;
    if (t == SCRATCH) {
        return box->size[d];
    }
    return d == s->use->rank ? last_reach(s, t, box) : (box->size[d] - 1) * stride_of(s, t, d);
}

/* ---- steps ---- */

/* How the kernel is specialized. */
struct shape {
    uint32_t local_size;
    uint32_t flags;
    uint32_t capacity;
    uint32_t items;
    uint32_t width;
    uint32_t block;
    uint32_t units; /* of a workgroup */
};

static bool has_vectors(const struct keeping *s, const struct vkdml_box *box) {
    const struct vkdml_top_k_keeping *k = s->k;
    const uint32_t bits = vkdml_view_bits(&s->use->top_k->input), elements = 128 / bits;
    if (k->from.are_records || axis_stride(s->use, &k->from) != 1) {
        return false;
    }
    const struct vkdml_window window = window_of(s, SOURCE, box);
    const uint64_t lead = (uint64_t)window.lead * bits / 8;
    bool aligned = vkdml_place_modulo_16(s->use->builder->limits, k->from.at.offset + window.offset, lead) == 0 &&
                   k->share % elements == 0 && k->from.length % elements == 0;
    for (uint32_t d = 0; d < s->use->rank; ++d) {
        aligned = aligned && (box->size[d] == 1 || stride_of(s, SOURCE, d) % elements == 0);
    }
    return aligned;
}

static bool selects(const struct keeping *s) {
    const struct vkdml_top_k_keeping *k = s->k;
    const uint32_t invocations = local_size(s->use);
    return k->share > (s->use->block < LEAST_CAPACITY ? LEAST_CAPACITY : s->use->block) ||
           (k->share > LEAST_SELECTED * invocations && !lies_across(s->use, &k->from) &&
            k->kept <= k->share / LEAST_DROPPED);
}

static void choose_shape(const struct keeping *s, const struct vkdml_box *box, struct shape *shape) {
    const struct vkdml_top_k_keeping *k = s->k;
    const uint32_t kept = vkdml_top_k_power(k->kept < LEAST_BLOCK ? LEAST_BLOCK : k->kept);
    memset(shape, 0, sizeof(*shape));
    shape->local_size = local_size(s->use);
    shape->flags = (k->from.are_records ? VKDML_TOP_K_FROM_RECORDS : 0) | (k->to_records ? VKDML_TOP_K_TO_RECORDS : 0) |
                   (s->use->top_k->takes_least ? VKDML_TOP_K_LEAST : 0) | (k->unsorted ? VKDML_TOP_K_UNSORTED : 0);
    shape->capacity = s->use->block < LEAST_CAPACITY ? LEAST_CAPACITY : s->use->block;
    shape->items = 1;
    if (s->use->serial) {
        shape->units = shape->local_size;
        shape->width = shape->block = shape->capacity;
        return;
    }
    shape->units = 1;
    if (s->use->builder->limits->general) { /* sorts a share, however short */
        shape->flags |= k->merges ? VKDML_TOP_K_MERGES : 0;
        shape->width = shape->block = shape->capacity;
        return;
    }
    if (!k->merges && selects(s)) {
        shape->flags |= VKDML_TOP_K_SELECTS | (has_vectors(s, box) ? VKDML_TOP_K_VECTORS : 0);
        shape->flags |= k->kept <= shape->local_size / 16 * 3 ? VKDML_TOP_K_FILTERS : 0;
        shape->items = vkdml_top_k_power(vkdml_divide_up(k->share, shape->local_size));
        const uint32_t least =
            (shape->flags & VKDML_TOP_K_VECTORS) != 0 ? 128 / vkdml_view_bits(&s->use->top_k->input) : 1;
        shape->items = shape->items < least ? least : shape->items;
        shape->width = shape->block = shape->capacity;
        return;
    }
    shape->flags |= k->merges ? VKDML_TOP_K_MERGES : lies_across(s->use, &k->from) ? VKDML_TOP_K_ACROSS : 0;
    shape->width = vkdml_top_k_power(k->share < LEAST_BLOCK ? LEAST_BLOCK : k->share);
    shape->block = k->merges ? shape->width : kept;
    shape->units = shape->capacity / shape->width;
}

/* Behind them, general plans have dimensions of size 1. */
static void fill_rows(const struct keeping *s, const struct vkdml_box *box, struct vkdml_top_k_parameters *parameters) {
    for (uint32_t d = s->use->rank; d < VKDML_MAX_DIMENSIONS - 1; ++d) {
        parameters->rows[d][0] = 1;
        parameters->rows[d][1] = vkdml_divisor(1).multiplier;
        parameters->rows[d][2] = vkdml_divisor(1).shifts;
    }
    for (uint32_t d = 0; d < s->use->rank; ++d) {
        const struct vkdml_divisor divisor = vkdml_divisor(box->size[d]);
        parameters->rows[d][0] = box->size[d];
        parameters->rows[d][1] = divisor.multiplier;
        parameters->rows[d][2] = divisor.shifts;
        parameters->rows[d][3] = (uint32_t)stride_of(s, SOURCE, d);
        parameters->targets[d][0] = (uint32_t)stride_of(s, VALUES, d);
        parameters->targets[d][1] = (uint32_t)stride_of(s, INDICES, d);
    }
}

static void fill_parameters(const struct keeping *s, const struct vkdml_box *box, const struct shape *shape,
                            struct vkdml_top_k_parameters *parameters) {
    const struct vkdml_top_k_keeping *k = s->k;
    const struct range shares = shares_of(s, box), ranks = ranks_of(s, box), items = items_of(s, box);
    memset(parameters, 0, sizeof(*parameters));
    parameters->unit_count = (uint32_t)units_of(s, box);
    parameters->group_count = (uint32_t)vkdml_divide_up(parameters->unit_count, shape->units);
    parameters->row_count = (uint32_t)rows_of(s, box);
    parameters->row_divisor = vkdml_divisor(parameters->row_count);
    parameters->count = k->from.length;
    parameters->share = k->share;
    parameters->share_shift = k->share_shift;
    parameters->block_stride = k->block_stride;
    parameters->kept = k->kept;
    parameters->source_stride = last_stride(s, SOURCE);
    parameters->source_first = window_of(s, SOURCE, box).lead - (uint32_t)items.first * parameters->source_stride;
    parameters->value_first = window_of(s, VALUES, box).lead;
    parameters->value_stride = last_stride(s, VALUES);
    if (!k->to_records) {
        parameters->index_first = window_of(s, INDICES, box).lead;
        parameters->index_stride = last_stride(s, INDICES);
    }
    parameters->share_first = (uint32_t)shares.first;
    parameters->rank_first = (uint32_t)ranks.first;
    parameters->rank_end = (uint32_t)ranks.end;
    parameters->block_ranks = k->block_ranks;
    fill_rows(s, box, parameters);
}

static void bind_step(const struct keeping *s, const struct vkdml_box *box, struct vkdml_plan_step *step) {
    const struct vkdml_top_k_keeping *k = s->k;
    for (uint32_t n = 0; n < TENSOR_COUNT; ++n) {
        const enum tensor t = (enum tensor)n;
        struct vkdml_plan_buffer *buffer = &step->buffers[n];
        if (!is_bound(s, t)) {
            continue;
        }
        step->buffer_count = n + 1;
        if (t == SCRATCH) {
            const uint64_t size = units_of(s, box) * k->kept * s->use->record_bytes;
            const struct vkdml_origin heaps =
                vkdml_builder_region(s->use->builder, "heaps", size, DML_TENSOR_DATA_TYPE_UNKNOWN);
            *buffer = vkdml_origin_buffer(&heaps, 0, size);
            continue;
        }
        const struct vkdml_window window = window_of(s, t, box);
        *buffer = vkdml_origin_buffer(origin_of(s, t), window.offset, window.size);
    }
}

static void set_kernel(const struct keeping *s, const struct shape *shape, struct vkdml_plan_step *step) {
    step->kernel = VKDML_KERNEL_TOP_K;
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_LOCAL_SIZE, shape->local_size);
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_TYPE, (uint32_t)s->use->top_k->input.at.type);
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_INDEX_BITS, vkdml_view_bits(&s->use->top_k->indices));
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_SHAPE, shape->flags);
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_CAPACITY, shape->capacity);
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_ITEMS, shape->items);
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_WIDTH, shape->width);
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_RANK,
                        s->use->builder->limits->general ? VKDML_MAX_DIMENSIONS - 1 : s->use->rank);
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_BLOCK, shape->block);
    vkdml_step_constant(step, VKDML_TOP_K_CONSTANT_FLOAT_CONTROLS, 0); /* bits are compared, nothing is computed */
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    const struct keeping *s = context;
    struct vkdml_plan_step *step;
    struct vkdml_top_k_parameters parameters;
    struct shape shape;
    VkdmlResult result = vkdml_builder_add(s->use->builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    choose_shape(s, box, &shape);
    fill_parameters(s, box, &shape, &parameters);
    set_kernel(s, &shape, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    bind_step(s, box, step);
    return vkdml_grid(parameters.group_count, s->use->builder->limits, s->use->builder->report, step->groups);
}

VkdmlResult vkdml_top_k_keep(const struct vkdml_top_k_use *use, const struct vkdml_top_k_keeping *keeping) {
    struct keeping s = {use, keeping};
    const struct vkdml_covering covering = {&s, use->rank + 1, TENSOR_COUNT, use->builder, bytes, reach, add};
    struct vkdml_box whole = vkdml_box_of(use->rank, &use->dimensions->size, sizeof(*use->dimensions));
    whole.size[use->rank] = keeping->to_records ? keeping->share_count : use->kept;
    if (keeping->from.are_records) {
        vkdml_builder_phase(use->builder);
    }
    return vkdml_cover(&covering, &whole);
}

/* Adds what rows of other lengths need: they are ordered at once, or keep some in records first, or are sorted. */
VkdmlResult vkdml_top_k_add_spares(const struct vkdml_top_k_use *use, bool sorts) {
    static const struct {
        bool from_records, to_records, unsorted, merges;
    } ways[] = {{false, false, false, false}, {false, true, true, false}, {true, true, true, false},
                {true, false, false, false},  {false, true, false, false}, {true, true, false, false},
                {true, true, false, true},    {true, false, false, true}};
    const size_t count = sorts ? sizeof(ways) / sizeof(ways[0]) : 4;
    const struct vkdml_box box = {{0}, {0}};
    VkdmlResult result = VKDML_SUCCESS;
    for (size_t i = 0; i < count && result == VKDML_SUCCESS; ++i) {
        struct vkdml_plan_step spare = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
        const struct vkdml_top_k_keeping keeping = {.from = {.are_records = ways[i].from_records},
                                                    .to_records = ways[i].to_records,
                                                    .unsorted = ways[i].unsorted,
                                                    .merges = ways[i].merges && !use->serial,
                                                    .kept = use->kept};
        const struct keeping s = {use, &keeping};
        struct shape shape;
        choose_shape(&s, &box, &shape);
        set_kernel(&s, &shape, &spare);
        spare.buffer_count = keeping.to_records ? INDICES : use->serial ? SCRATCH + 1 : SCRATCH;
        result = vkdml_builder_add_spare(use->builder, &spare);
    }
    return result;
}
