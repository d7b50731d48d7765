#include "frames/attention/attention_step.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "plan/step.h"

enum { BATCH = VKDML_ATTENTION_BATCH, HEAD, GROUP, QUERY, KEY, ELEMENT, RANK };
enum { Q = VKDML_ATTENTION_Q, K, V, OUT, MASK, BIAS, TENSORS };

/* Of invocations that go alone: so many side by side, and columns of each, whose sums lie in memory of its own. */
#define ROWS_LOCAL_SIZE 8
#define MOST_COLUMNS    256
/* Turns of an invocation's loops in all, of which lavapipe ends those beyond 65535; and keys of a turn, fewer where
 * elements are loaded one by one: that is four times the code, which takes lavapipe a second to compile. */
#define MOST_TURNS          40000
#define KEYS_OF_A_TURN      8
#define KEYS_OF_A_SLOW_TURN 2

#define JOIN_LOCAL_SIZE 64

static bool exists(const struct vkdml_attention *a, uint32_t t) {
    return a->tensors[t].at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static uint32_t least_of(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

/* ---- where tensors lie ---- */

static bool is_sums(const struct vkdml_attention_part *part, uint32_t t) {
    return (t == OUT && part->to_sums) || (t == Q && part->joins);
}

/* Elements that lie along the last dimension. */
static uint32_t width_of(const struct vkdml_attention *a, uint32_t t) {
    return t == Q || t == K ? a->depth : t == V || t == OUT ? a->columns : 1;
}

struct vkdml_span vkdml_attention_span(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                                       uint32_t t) {
    const struct vkdml_attention_tensor *tensor = &attention->tensors[t];
    struct vkdml_span span = {tensor->at.first, 1};
    for (uint32_t d = 0; d < KEY; ++d) {
        span.first += part->box.origin[d] * tensor->strides[d];
        span.count += (part->box.size[d] - 1) * tensor->strides[d];
    }
    span.count += (attention->sizes[KEY] - 1) * tensor->strides[KEY];
    if (is_sums(part, t)) {
        span.count += (uint64_t)part->share_count * part->out_share - 1;
    } else {
        span.count += (width_of(attention, t) - 1) * tensor->strides[ELEMENT];
    }
    span.count += t == MASK && attention->mask == VKDML_ATTENTION_MASK_END_START ? attention->mask_start : 0;
    return span;
}

static struct vkdml_window window_of(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                                     uint32_t t) {
    const struct vkdml_span span = vkdml_attention_span(a, part, t);
    return vkdml_window_of(span, vkdml_data_type_bits(a->tensors[t].at.type));
}

/* What holds queries, keys and values of one region. */
static struct vkdml_window window_of_all(const struct vkdml_attention *a, const struct vkdml_attention_part *part) {
    struct vkdml_window all = window_of(a, part, Q);
    for (uint32_t t = K; t <= V; ++t) {
        const struct vkdml_window window = window_of(a, part, t);
        const uint64_t end = window.offset + window.size, end_of_all = all.offset + all.size;
        all.offset = window.offset < all.offset ? window.offset : all.offset;
        all.size = (end > end_of_all ? end : end_of_all) - all.offset;
    }
    return all;
}

struct vkdml_window vkdml_attention_window(const struct vkdml_attention *attention,
                                           const struct vkdml_attention_part *part, uint32_t t) {
    if (!part->is_together || t > V) {
        return window_of(attention, part, t);
    }
    struct vkdml_window all = window_of_all(attention, part);
    const uint32_t bits = vkdml_data_type_bits(attention->tensors[t].at.type);
    all.lead = (uint32_t)(vkdml_attention_span(attention, part, t).first - all.offset * 8 / bits);
    return all;
}

/* Whether so many elements are always one load, or store: they begin at multiples of their bytes. */
static bool has_runs(const struct vkdml_attention *a, const struct vkdml_attention_part *part, uint32_t t,
                     uint32_t elements, const struct vkdml_plan_limits *limits) {
    const struct vkdml_attention_tensor *tensor = &a->tensors[t];
    const struct vkdml_window window = vkdml_attention_window(a, part, t);
    const uint32_t bytes = vkdml_data_type_size(tensor->at.type);
    bool aligned = tensor->strides[ELEMENT] == 1 && width_of(a, t) % elements == 0 &&
                   vkdml_place_modulo_16(limits, tensor->at.offset + window.offset, (uint64_t)window.lead * bytes) %
                           (elements * bytes) ==
                       0;
    for (uint32_t d = 0; d < ELEMENT; ++d) {
        const uint32_t size = d == KEY ? a->sizes[KEY] : part->box.size[d];
        aligned = aligned && (size == 1 || tensor->strides[d] % elements == 0);
    }
    return aligned;
}

/* ---- how it is computed ---- */

struct way {
    enum vkdml_kernel kernel;
    uint32_t local_size;
    uint32_t keys;    /* at once */
    uint32_t columns; /* of a tile */
};

static bool loads_vectors(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                          const struct vkdml_plan_limits *limits) {
    return has_runs(a, part, Q, 4, limits) && has_runs(a, part, K, 4, limits) && has_runs(a, part, V, 4, limits);
}

static struct way way_alone(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                            const struct vkdml_plan_limits *limits) {
    const uint32_t columns = least_of((uint64_t)(a->columns - 1) / 4 * 4 + 4, MOST_COLUMNS);
    const uint32_t keys = loads_vectors(a, part, limits) ? KEYS_OF_A_TURN : KEYS_OF_A_SLOW_TURN;
    return (struct way){VKDML_KERNEL_ATTENTION_ROWS, vkdml_local_size(limits, ROWS_LOCAL_SIZE), keys, columns};
}

static struct way choose_way(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                             const struct vkdml_plan_limits *limits) {
    if (part->joins) {
        return (struct way){VKDML_KERNEL_ATTENTION_JOIN, vkdml_local_size(limits, JOIN_LOCAL_SIZE), 0, 4};
    }
    return way_alone(a, part, limits);
}

uint32_t vkdml_attention_shares(const struct vkdml_attention *attention, const struct vkdml_plan_limits *limits) {
    (void)limits;
    const uint64_t columns = least_of(attention->columns, MOST_COLUMNS);
    const uint64_t turns = vkdml_divide_up(attention->depth, 4) + vkdml_divide_up(columns, 4) + 1;
    const uint64_t most = (MOST_TURNS / turns + 1) * KEYS_OF_A_SLOW_TURN;
    return (uint32_t)vkdml_divide_up(attention->sizes[KEY], most);
}

/* ---- a step ---- */

static uint32_t shape_of(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                         const struct vkdml_plan_limits *limits) {
    const uint32_t out = !part->to_sums && has_runs(a, part, OUT, 4, limits) ? VKDML_ATTENTION_OUT_IN_VECTORS : 0;
    if (part->joins) {
        return out;
    }
    return out | (has_runs(a, part, Q, 4, limits) ? VKDML_ATTENTION_Q_IN_VECTORS : 0) |
           (has_runs(a, part, K, 4, limits) ? VKDML_ATTENTION_K_IN_VECTORS : 0) |
           (has_runs(a, part, V, 4, limits) ? VKDML_ATTENTION_V_IN_VECTORS : 0) |
           (exists(a, BIAS) ? VKDML_ATTENTION_HAS_BIAS : 0) | (part->to_sums ? VKDML_ATTENTION_TO_SUMS : 0) |
           (part->is_together ? VKDML_ATTENTION_IS_TOGETHER : 0);
}

static void fill_strides(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                         struct vkdml_attention_parameters *parameters) {
    uint32_t *const steps[] = {parameters->batch_steps, parameters->head_steps, parameters->group_steps,
                               parameters->query_steps, parameters->key_steps,  parameters->element_steps};
    for (uint32_t t = 0; t < TENSORS; ++t) {
        if (!exists(a, t) || (part->joins && t != Q && t != OUT)) {
            continue;
        }
        parameters->firsts[t] = vkdml_attention_window(a, part, t).lead;
        for (uint32_t d = 0; d < RANK; ++d) {
            steps[d][t] = (uint32_t)a->tensors[t].strides[d]; /* one that is too large is of a single coordinate */
        }
    }
}

static void fill_parameters(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                            const struct way *way, struct vkdml_attention_parameters *parameters) {
    const uint32_t *sizes = part->box.size;
    memset(parameters, 0, sizeof(*parameters));
    parameters->heads = sizes[HEAD];
    parameters->rows = sizes[GROUP] * sizes[QUERY];
    parameters->queries = sizes[QUERY];
    parameters->keys = a->sizes[KEY];
    parameters->depth = a->depth;
    parameters->columns = a->columns;
    parameters->column_tiles = (uint32_t)vkdml_divide_up(a->columns, way->columns);
    parameters->share_count = part->share_count;
    parameters->share = (uint32_t)vkdml_divide_up(a->sizes[KEY], part->share_count);
    parameters->out_share = part->out_share;
    parameters->scale = vkdml_float_bits(a->scale);
    parameters->filter_bits = vkdml_float_bits(a->filter);
    parameters->mask_start = (uint32_t)a->mask_start;
    fill_strides(a, part, parameters);
}

static void bind(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                 struct vkdml_plan_step *step) {
    /* In the bindings' order; with keys and values in the queries' buffer these have none. */
    static const uint32_t apart[] = {Q, OUT, K, V, MASK, BIAS}, together[] = {Q, OUT, MASK, BIAS};
    const uint32_t *order = part->is_together || part->joins ? together : apart;
    const uint32_t count = part->joins ? 2 : part->is_together ? 4 : 6;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t t = order[i];
        if (exists(a, t)) {
            const struct vkdml_window window = vkdml_attention_window(a, part, t);
            step->buffers[step->buffer_count++] = vkdml_origin_buffer(&a->tensors[t].at, window.offset, window.size);
        }
    }
}

static void fill_constants(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                           const struct way *way, const struct vkdml_plan_limits *limits,
                           struct vkdml_plan_step *step) {
    const DML_TENSOR_DATA_TYPE type = a->tensors[part->to_sums ? K : OUT].at.type;
    step->float_controls = type == DML_TENSOR_DATA_TYPE_FLOAT16 ? limits->float_controls
                                                                : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->kernel = way->kernel;
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_LOCAL_SIZE, way->local_size);
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_TYPE, (uint32_t)type);
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_SHAPE, shape_of(a, part, limits));
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_MASK,
                        (uint32_t)(part->joins ? VKDML_ATTENTION_MASK_NONE : a->mask));
    if (part->joins) {
        return;
    }
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_KEYS, way->keys);
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_COLUMNS, way->columns);
}

static void note_way(const struct vkdml_attention_part *part, const struct way *way, struct vkdml_report *report) {
    if (part->joins) {
        vkdml_note_step(report, "joins the sums of %u shares of keys", (unsigned)part->share_count);
    } else {
        vkdml_note_step(report, "an invocation makes a row alone, of up to %u columns, as suits processors",
                        (unsigned)way->columns);
    }
}

VkdmlResult vkdml_attention_fill_step(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                                      const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                      struct vkdml_plan_step *step) {
    const struct way way = choose_way(attention, part, limits);
    const uint32_t *sizes = part->box.size;
    struct vkdml_attention_parameters parameters;
    note_way(part, &way, report);
    fill_parameters(attention, part, &way, &parameters);
    const uint64_t heads = (uint64_t)sizes[BATCH] * sizes[HEAD]; /* of elements, of which there are less than 2^32 */
    uint64_t group_count = heads * parameters.rows * parameters.column_tiles;
    group_count *= part->joins ? 1 : part->share_count;
    if (group_count > UINT32_MAX) {
        return vkdml_grid(UINT64_MAX / 2, limits, report, step->groups); /* says why */
    }
    parameters.unit_count = (uint32_t)group_count;
    group_count = vkdml_divide_up(group_count, way.local_size);
    VkdmlResult result = vkdml_grid(group_count, limits, report, step->groups);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.group_count = (uint32_t)group_count;
    fill_constants(attention, part, &way, limits, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    bind(attention, part, step);
    return VKDML_SUCCESS;
}
