#include "frames/attention/attention_step.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "plan/step.h"

enum { BATCH = VKDML_ATTENTION_BATCH, HEAD, GROUP, QUERY, KEY, ELEMENT, RANK };
enum { Q = VKDML_ATTENTION_Q, K, V, OUT, MASK, BIAS, TENSORS };

static uint32_t least_of(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

static bool exists(const struct vkdml_attention *a, uint32_t t) {
    return a->tensors[t].at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

/* ---- a step ---- */

/* Of matrix cores, whose operands are FLOAT16. */
static uint32_t eights_of(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                          const struct vkdml_plan_limits *limits) {
    static const uint32_t bits[] = {VKDML_ATTENTION_Q_IN_EIGHTS, VKDML_ATTENTION_K_IN_EIGHTS,
                                    VKDML_ATTENTION_V_IN_EIGHTS};
    uint32_t shape = 0;
    for (uint32_t t = Q; t <= V; ++t) {
        const bool is_half = a->tensors[t].at.type == DML_TENSOR_DATA_TYPE_FLOAT16;
        shape |= is_half && vkdml_attention_has_runs(a, part, t, 8, limits) ? bits[t] : 0;
    }
    return shape;
}

static uint32_t shape_of(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                         const struct vkdml_attention_way *way, const struct vkdml_plan_limits *limits) {
    const bool has_runs =
        limits->general ? part->out_has_runs : !part->to_sums && vkdml_attention_has_runs(a, part, OUT, 4, limits);
    const uint32_t out = has_runs ? VKDML_ATTENTION_OUT_IN_VECTORS : 0;
    if (part->joins) {
        return out;
    }
    return out | (way->kernel == VKDML_KERNEL_ATTENTION_MATRIX ? eights_of(a, part, limits) : 0) |
           (vkdml_attention_has_runs(a, part, Q, 4, limits) ? VKDML_ATTENTION_Q_IN_VECTORS : 0) |
           (vkdml_attention_has_runs(a, part, K, 4, limits) ? VKDML_ATTENTION_K_IN_VECTORS : 0) |
           (vkdml_attention_has_runs(a, part, V, 4, limits) ? VKDML_ATTENTION_V_IN_VECTORS : 0) |
           (exists(a, BIAS) ? VKDML_ATTENTION_HAS_BIAS : 0) |
           (part->to_sums || limits->general ? VKDML_ATTENTION_TO_SUMS : 0) |
           (limits->general ? VKDML_ATTENTION_IS_OPEN : 0) |
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
                            const struct vkdml_attention_way *way, struct vkdml_attention_parameters *parameters) {
    const uint32_t *sizes = part->box.size;
    memset(parameters, 0, sizeof(*parameters));
    parameters->heads = sizes[HEAD];
    parameters->rows = sizes[GROUP] * sizes[QUERY];
    parameters->queries = sizes[QUERY];
    parameters->keys = a->sizes[KEY];
    parameters->depth = a->depth;
    parameters->columns = a->columns;
    parameters->column_tiles = (uint32_t)vkdml_divide_up(a->columns, way->columns);
    parameters->row_tiles = (uint32_t)vkdml_divide_up((uint64_t)sizes[GROUP] * sizes[QUERY], way->rows);
    parameters->share_count = part->share_count;
    parameters->share = least_of(
        vkdml_divide_up(vkdml_divide_up(a->sizes[KEY], part->share_count), way->keys) * way->keys, a->sizes[KEY]);
    parameters->query_first = part->box.origin[QUERY];
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
                           const struct vkdml_attention_way *way, const struct vkdml_plan_limits *limits,
                           struct vkdml_plan_step *step) {
    const DML_TENSOR_DATA_TYPE type = a->tensors[part->to_sums ? K : OUT].at.type;
    step->float_controls = type == DML_TENSOR_DATA_TYPE_FLOAT16 ? limits->float_controls
                                                                : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->kernel = way->kernel;
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_LOCAL_SIZE, way->local_size);
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_TYPE, (uint32_t)type);
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_SHAPE, shape_of(a, part, way, limits));
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_MASK,
                        (uint32_t)(part->joins ? VKDML_ATTENTION_MASK_NONE : a->mask));
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_COLUMNS, way->columns);
    if (way->kernel == VKDML_KERNEL_ATTENTION_JOIN) {
        return;
    }
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_KEYS, way->keys);
    if (way->kernel == VKDML_KERNEL_ATTENTION_ROWS) {
        return;
    }
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_QUERIES, way->rows);
    vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_DEPTH, way->depth);
    if (way->kernel == VKDML_KERNEL_ATTENTION_MATRIX) {
        const struct vkdml_matrix_cores *cores = &limits->matrix_cores;
        vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_FRAGMENT, cores->m | cores->n << 8 | cores->k << 16);
        vkdml_step_constant(step, VKDML_ATTENTION_CONSTANT_SUBGROUP_ROWS, way->subgroup_rows);
    }
}

static void note_way(const struct vkdml_attention_part *part, const struct vkdml_attention_way *way,
                     struct vkdml_report *report) {
    if (part->joins) {
        vkdml_note_step(report, "joins the sums of %u shares of keys", (unsigned)part->share_count);
    } else if (way->kernel == VKDML_KERNEL_ATTENTION_ROWS) {
        vkdml_note_step(report, "an invocation makes a row alone, of up to %u columns, as suits processors",
                        (unsigned)way->columns);
    } else if (way->kernel == VKDML_KERNEL_ATTENTION_FEW) {
        vkdml_note_step(report, "few rows: bound by reading keys and values, once for up to %u rows, %u keys at once",
                        (unsigned)way->rows, (unsigned)way->keys);
    } else {
        vkdml_note_step(report, "tiles of %u rows by %u columns, %u keys at once, %s", (unsigned)way->rows,
                        (unsigned)way->columns, (unsigned)way->keys,
                        way->kernel == VKDML_KERNEL_ATTENTION_MATRIX ? "on matrix cores" : "without matrix cores");
    }
}

/* Invocations that go alone have a row each; else workgroups have tiles, and those that join a row. */
static uint64_t count_units(const struct vkdml_attention_part *part, const struct vkdml_attention_way *way,
                            const struct vkdml_attention_parameters *parameters) {
    const uint64_t heads = (uint64_t)part->box.size[BATCH] * part->box.size[HEAD]; /* there are less than 2^32 rows */
    const uint64_t rows = heads * (way->rows == 1 ? parameters->rows : parameters->row_tiles);
    return part->joins ? rows : rows * parameters->column_tiles * part->share_count;
}

void vkdml_attention_set_kernel(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                                const struct vkdml_attention_way *way, const struct vkdml_plan_limits *limits,
                                struct vkdml_plan_step *step) {
    fill_constants(attention, part, way, limits, step);
    bind(attention, part, step);
}

VkdmlResult vkdml_attention_fill_step(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                                      const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                      struct vkdml_plan_step *step) {
    const struct vkdml_attention_way way = vkdml_attention_choose(attention, part, limits);
    struct vkdml_attention_parameters parameters;
    note_way(part, &way, report);
    fill_parameters(attention, part, &way, &parameters);
    uint64_t group_count = count_units(part, &way, &parameters);
    if (group_count > UINT32_MAX) {
        return vkdml_grid(UINT64_MAX / 2, limits, report, step->groups); /* says why */
    }
    parameters.unit_count = (uint32_t)group_count;
    group_count =
        way.kernel == VKDML_KERNEL_ATTENTION_ROWS ? vkdml_divide_up(group_count, way.local_size) : group_count;
    VkdmlResult result = vkdml_grid(group_count, limits, report, step->groups);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.group_count = (uint32_t)group_count;
    vkdml_attention_set_kernel(attention, part, &way, limits, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return VKDML_SUCCESS;
}
