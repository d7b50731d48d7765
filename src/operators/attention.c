/* MULTIHEAD_ATTENTION and MULTIHEAD_ATTENTION1: where queries, keys and values do not lie as they are to be multiplied,
 * with their bias and behind the past, they are made first; then comes the frame. */
#include "frames/attention/attention.h"

#include <string.h>

#include "frames/attention/attention_append.h"
#include "frames/gather/copy.h"
#include "frames/map/map.h"
#include "operators/attention_parts.h"
#include "operators/attention_rules.h"

enum { QUERIES = VKDML_ATTENTION_QUERIES, KEYS, VALUES, ROLES };
enum { BATCH, HEAD, ROW, ELEMENT };

struct making {
    const struct vkdml_planning *planning;
    const struct vkdml_attention_parts *parts;
    struct vkdml_view ready[ROLES]; /* where each role is once it is made */
    bool is_made;                   /* something was */
};

static const char *const names[ROLES] = {"queries", "keys", "values"};

/* ---- queries, keys and values ---- */

/* Scratch memory of so many rows, packed. */
static struct vkdml_view scratch(struct making *making, uint32_t role, uint32_t rows) {
    struct vkdml_view view = making->parts->roles[role];
    view.sizes[ROW] = rows;
    vkdml_packed_strides(view.rank, view.sizes, view.strides);
    return vkdml_builder_scratch(making->planning->builder, names[role], &view, view.at.type);
}

/* A role, with its bias where it has one, in another place. */
static VkdmlResult move(struct making *making, uint32_t role, const struct vkdml_view *to) {
    const struct vkdml_view *from = &making->parts->roles[role], *bias = &making->parts->biases[role];
    struct vkdml_builder *builder = making->planning->builder;
    if (!vkdml_view_exists(bias)) {
        return vkdml_copy_plan_identity(to, from, builder);
    }
    struct vkdml_map map;
    vkdml_map_begin(&map, *to);
    map.operation = VKDML_MAP_ADD;
    vkdml_map_set_operand(&map, 0, *from);
    vkdml_map_set_operand(&map, 1, *bias);
    return vkdml_map_plan(&map, builder);
}

/* Rows [first, first + count) of a view. */
static struct vkdml_view rows_of(const struct vkdml_view *view, uint32_t first, uint32_t count) {
    struct vkdml_view rows = *view;
    rows.at.first += (uint64_t)first * view->strides[ROW];
    rows.sizes[ROW] = count;
    return rows;
}

/* To scratch memory, with its bias; without one it stays where it is. */
static VkdmlResult make_biased(struct making *making, uint32_t role) {
    const struct vkdml_view *from = &making->parts->roles[role];
    making->ready[role] = *from;
    if (!vkdml_view_exists(&making->parts->biases[role])) {
        return VKDML_SUCCESS;
    }
    making->is_made = true;
    making->ready[role] = scratch(making, role, from->sizes[ROW]);
    return move(making, role, &making->ready[role]);
}

static uint32_t rows_before(const struct making *making, uint32_t role) {
    const struct vkdml_view *past = &making->parts->pasts[role];
    return vkdml_view_exists(past) ? past->sizes[ROW] : 0;
}

static bool is_behind_a_past(const struct making *making, uint32_t role) {
    return vkdml_view_exists(&making->parts->presents[role]) || rows_before(making, role) != 0;
}

/* The past, in the output of what is present where there is one. */
static VkdmlResult make_past(struct making *making, uint32_t role) {
    const struct vkdml_view *past = &making->parts->pasts[role], *present = &making->parts->presents[role];
    const uint32_t before = rows_before(making, role);
    if (!is_behind_a_past(making, role)) {
        return VKDML_SUCCESS;
    }
    making->ready[role] =
        vkdml_view_exists(present) ? *present : scratch(making, role, before + making->parts->roles[role].sizes[ROW]);
    if (before == 0) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_view first = rows_of(&making->ready[role], 0, before);
    making->is_made = true;
    return vkdml_copy_plan_identity(&first, past, making->planning->builder);
}

/* What there is now, behind it. */
static VkdmlResult make_behind(struct making *making, uint32_t role) {
    const struct vkdml_view *from = &making->parts->roles[role];
    const uint32_t before = rows_before(making, role);
    if (!is_behind_a_past(making, role)) {
        return make_biased(making, role);
    }
    const struct vkdml_view behind = rows_of(&making->ready[role], before, from->sizes[ROW]);
    if (before == 0 && !vkdml_view_exists(&making->parts->biases[role])) {
        making->ready[role] = *from; /* what is only copied is read where it was */
    } else {
        making->is_made = true;
    }
    return move(making, role, &behind);
}

/* Behind what the output has, in each batch as much as its length says. */
static VkdmlResult make_appended(struct making *making, uint32_t role) {
    struct vkdml_builder *builder = making->planning->builder;
    VkdmlResult result = make_biased(making, role);
    if (result == VKDML_SUCCESS) {
        const struct vkdml_attention_append append = {making->ready[role], making->parts->presents[role],
                                                      making->parts->mask};
        if (vkdml_view_exists(&making->parts->biases[role])) {
            vkdml_builder_phase(builder);
        }
        result = vkdml_attention_append_plan(&append, builder);
    }
    making->ready[role] = making->parts->presents[role];
    making->is_made = true;
    return result;
}

/* What is behind a past is interleaved with it by heads, and may begin within its last word: it waits for both. */
static VkdmlResult make_keys_and_values(struct making *making) {
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t role = KEYS; role < ROLES && result == VKDML_SUCCESS; ++role) {
        result = make_past(making, role);
    }
    if (rows_before(making, KEYS) != 0 || rows_before(making, VALUES) != 0) {
        vkdml_builder_phase(making->planning->builder);
    }
    for (uint32_t role = KEYS; role < ROLES && result == VKDML_SUCCESS; ++role) {
        result = make_behind(making, role);
    }
    return result;
}

static VkdmlResult make_all(struct making *making) {
    VkdmlResult result = make_biased(making, QUERIES);
    if (!vkdml_attention_has_lengths(making->planning->instance)) {
        return result == VKDML_SUCCESS ? make_keys_and_values(making) : result;
    }
    for (uint32_t role = KEYS; role < ROLES && result == VKDML_SUCCESS; ++role) {
        result = make_appended(making, role);
    }
    return result;
}

/* ---- the frame ---- */

/* Of queries, of what there is beside scores, and of the output: heads are those of keys and their groups; of keys and
 * values rows are keys. */
static struct vkdml_attention_tensor tensor_of(const struct vkdml_view *view, uint32_t groups, bool is_of_queries,
                                               bool is_of_scores) {
    struct vkdml_attention_tensor tensor = {.at = view->at, .strides = {0}};
    if (!vkdml_view_exists(view)) {
        return tensor;
    }
    tensor.strides[VKDML_ATTENTION_BATCH] = view->strides[BATCH];
    tensor.strides[VKDML_ATTENTION_HEAD] = (uint64_t)view->strides[HEAD] * (is_of_queries ? groups : 1);
    tensor.strides[VKDML_ATTENTION_GROUP] = is_of_queries ? view->strides[HEAD] : 0;
    tensor.strides[is_of_queries ? VKDML_ATTENTION_QUERY : VKDML_ATTENTION_KEY] = view->strides[ROW];
    tensor.strides[is_of_scores ? VKDML_ATTENTION_KEY : VKDML_ATTENTION_ELEMENT] = view->strides[ELEMENT];
    return tensor;
}

static struct vkdml_attention_tensor mask_of(const struct vkdml_attention_parts *parts, uint32_t groups) {
    if (parts->mask.rank == 4) {
        return tensor_of(&parts->mask, groups, true, true);
    }
    return (struct vkdml_attention_tensor){.at = parts->mask.at, .strides = {parts->mask.strides[0]}};
}

static enum vkdml_attention_mask mask_kind(const struct making *making) {
    static const enum vkdml_attention_mask kinds[] = {
        [DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE] = VKDML_ATTENTION_MASK_NONE,
        [DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_LENGTH] = VKDML_ATTENTION_MASK_END,
        [DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START] = VKDML_ATTENTION_MASK_END_START,
        [DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_QUERY_SEQUENCE_LENGTH_START_END] = VKDML_ATTENTION_MASK_END,
        [DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN] = VKDML_ATTENTION_MASK_ADDED,
    };
    return vkdml_attention_has_lengths(making->planning->instance) ? VKDML_ATTENTION_MASK_CAUSAL
                                                                   : kinds[making->parts->attributes.mask_type];
}

static VkdmlResult plan_frame(const struct making *making) {
    const struct vkdml_attention_parts *parts = making->parts;
    const struct vkdml_attention_attributes *own = &parts->attributes;
    const uint32_t groups = own->query_heads / own->key_heads;
    const struct vkdml_view *q = &making->ready[QUERIES], *k = &making->ready[KEYS], *v = &making->ready[VALUES];
    const struct vkdml_attention attention = {
        .sizes = {q->sizes[BATCH], own->key_heads, groups, q->sizes[ROW], k->sizes[ROW]},
        .depth = q->sizes[ELEMENT],
        .columns = v->sizes[ELEMENT],
        .tensors = {tensor_of(q, groups, true, false), tensor_of(k, groups, false, false),
                    tensor_of(v, groups, false, false), tensor_of(&parts->output, groups, true, false),
                    mask_of(parts, groups), tensor_of(&parts->relative_bias, groups, true, true)},
        .mask = mask_kind(making),
        .mask_start = parts->mask_start,
        .scale = own->scale,
        .filter = own->filter,
    };
    if (making->is_made) {
        vkdml_builder_phase(making->planning->builder);
    }
    return vkdml_attention_plan(&attention, making->planning->builder);
}

static VkdmlResult plan_attention(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    struct vkdml_attention_parts parts;
    (void)op;
    vkdml_attention_take_parts(planning->instance, &parts);
    if (!parts.fits) {
        return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "heads lie 2^32 elements apart or more, must lie nearer");
    }
    struct making making = {.planning = planning, .parts = &parts};
    const VkdmlResult result = make_all(&making);
    return result == VKDML_SUCCESS ? plan_frame(&making) : result;
}

#define ATTENTION(name)                                                                                                \
    const struct vkdml_operator vkdml_operator_##name = {                                                              \
        .takes_strides = true, .rules = vkdml_attention_check, .plan = plan_attention}

ATTENTION(multihead_attention);
ATTENTION(multihead_attention1);
