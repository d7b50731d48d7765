#include "operators/attention_parts.h"

#include <string.h>

enum { QUERIES = VKDML_ATTENTION_QUERIES, KEYS, VALUES, ROLES };

/* ---- attributes ---- */

static bool is_newer(const struct vkdml_instance *instance) {
    return instance->schema->type == DML_OPERATOR_MULTIHEAD_ATTENTION1;
}

struct vkdml_attention_attributes vkdml_attention_read(const struct vkdml_instance *instance) {
    if (is_newer(instance)) {
        const DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC *desc = instance->desc;
        return (struct vkdml_attention_attributes){desc->Scale, desc->MaskFilterValue, desc->QueryHeadCount,
                                                   desc->KeyValueHeadCount, desc->MaskType};
    }
    const DML_MULTIHEAD_ATTENTION_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_attention_attributes){desc->Scale, desc->MaskFilterValue, desc->HeadCount, desc->HeadCount,
                                               desc->MaskType};
}

bool vkdml_attention_has_lengths(const struct vkdml_instance *instance) {
    return is_newer(instance) && instance->inputs[VKDML_ATTENTION_PAST_LENGTHS].dimension_count != 0;
}

/* ---- sources ---- */

struct vkdml_attention_source vkdml_attention_source(const struct vkdml_instance *instance, uint32_t role) {
    static const struct vkdml_attention_source candidates[ROLES][3] = {
        {{1, VKDML_ATTENTION_QUERY_TENSOR, 0, 0},
         {1, VKDML_ATTENTION_STACKED_QUERY_KEY, 0, 2},
         {1, VKDML_ATTENTION_STACKED_QUERY_KEY_VALUE, 0, 3}},
        {{1, VKDML_ATTENTION_KEY_TENSOR, 0, 0},
         {1, VKDML_ATTENTION_STACKED_QUERY_KEY, 1, 2},
         {1, VKDML_ATTENTION_STACKED_QUERY_KEY_VALUE, 1, 3}},
        {{1, VKDML_ATTENTION_VALUE_TENSOR, 0, 0}, {0, 0, 0, 0}, {1, VKDML_ATTENTION_STACKED_QUERY_KEY_VALUE, 2, 3}},
    };
    struct vkdml_attention_source found = {0, 0, 0, 0};
    for (uint32_t i = 0; i < 3; ++i) {
        const struct vkdml_attention_source *candidate = &candidates[role][i];
        if (candidate->count != 0 && instance->inputs[candidate->input].dimension_count != 0) {
            const uint32_t count = found.count + 1;
            found = *candidate;
            found.count = count;
        }
    }
    if (role != QUERIES && instance->inputs[VKDML_ATTENTION_STACKED_KEY_VALUE].dimension_count != 0) {
        found = (struct vkdml_attention_source){found.count + 1, VKDML_ATTENTION_STACKED_KEY_VALUE, role - KEYS, 2};
    }
    return found;
}

uint32_t vkdml_attention_size(const struct vkdml_tensor *tensor, uint32_t count, uint32_t index) {
    const uint32_t rank = tensor->dimension_count;
    return rank + index < count ? 1 : tensor->sizes[rank + index - count];
}

/* ---- parts ---- */

struct taking {
    const struct vkdml_instance *instance;
    struct vkdml_attention_parts *parts;
};

static uint32_t stride_of(const struct vkdml_view *view, uint32_t count, uint32_t index) {
    return view->rank + index < count ? 0 : view->strides[view->rank + index - count];
}

/* The product of a count and a stride, which is of 32 bits or of more than one coordinate none. */
static uint32_t step(struct taking *taking, uint64_t count, uint32_t stride, uint32_t size) {
    const uint64_t product = count * stride;
    taking->parts->fits = taking->parts->fits && (size == 1 || product <= UINT32_MAX);
    return (uint32_t)product;
}

/* Four dimensions, the last of a tensor, which may have fewer. */
static struct vkdml_view last_four(const struct vkdml_view *view) {
    struct vkdml_view result = {.at = view->at, .rank = 4};
    for (uint32_t d = 0; d < 4; ++d) {
        result.sizes[d] = view->rank + d < 4 ? 1 : view->sizes[view->rank + d - 4];
        result.strides[d] = result.sizes[d] == 1 ? 0 : stride_of(view, 4, d);
    }
    return result;
}

/* Of a tensor {.., batch, row, heads * elements}. */
static struct vkdml_view split_heads(struct taking *taking, const struct vkdml_view *view, uint32_t heads) {
    const uint32_t width = view->sizes[view->rank - 1] / heads, stride = view->strides[view->rank - 1];
    return (struct vkdml_view){
        .at = view->at,
        .rank = 4,
        .sizes = {view->sizes[view->rank - 3], heads, view->sizes[view->rank - 2], width},
        .strides = {view->strides[view->rank - 3], step(taking, width, stride, heads), view->strides[view->rank - 2],
                    stride},
    };
}

static struct vkdml_view role_of(struct taking *taking, uint32_t role, uint32_t heads) {
    const struct vkdml_attention_source source = vkdml_attention_source(taking->instance, role);
    const struct vkdml_view view = vkdml_input_view(taking->instance, source.input);
    if (source.stack == 0) {
        return split_heads(taking, &view, heads);
    }
    struct vkdml_view result = {
        .at = view.at,
        .rank = 4,
        .sizes = {view.sizes[0], heads, view.sizes[1], view.sizes[4]},
        .strides = {view.strides[0], view.strides[2], view.strides[1], view.strides[4]},
    };
    result.at.first += (uint64_t)source.place * view.strides[3];
    return result;
}

/* The part of the bias that a role has, of what begins with `before` elements of others. */
static struct vkdml_view bias_of(struct taking *taking, uint32_t role, uint64_t before) {
    const struct vkdml_view view = vkdml_input_view(taking->instance, VKDML_ATTENTION_BIAS_TENSOR);
    const struct vkdml_view *whole = &taking->parts->roles[role];
    struct vkdml_view result = view;
    if (vkdml_view_exists(&view)) {
        const uint32_t stride = view.strides[view.rank - 1];
        result = (struct vkdml_view){
            .at = view.at,
            .rank = 4,
            .sizes = {1, whole->sizes[1], 1, whole->sizes[3]},
            .strides = {0, step(taking, whole->sizes[3], stride, whole->sizes[1]), 0, stride},
        };
        result.at.first += before * stride;
    }
    return result;
}

static void take_biases(struct taking *taking) {
    uint64_t before = 0;
    for (uint32_t role = QUERIES; role < ROLES; ++role) {
        const struct vkdml_view *whole = &taking->parts->roles[role];
        taking->parts->biases[role] = bias_of(taking, role, before);
        before += (uint64_t)whole->sizes[1] * whole->sizes[3];
    }
}

/* Numbers of batches: the last dimension's, of KEY_QUERY_SEQUENCE_LENGTH_START_END its first ones. */
static void take_mask(struct taking *taking) {
    struct vkdml_attention_parts *parts = taking->parts;
    const struct vkdml_view mask =
        vkdml_input_view(taking->instance, vkdml_attention_has_lengths(taking->instance) ? VKDML_ATTENTION_PAST_LENGTHS
                                                                                         : VKDML_ATTENTION_MASK_TENSOR);
    parts->mask = mask;
    if (!vkdml_view_exists(&mask)) {
        return;
    }
    if (parts->attributes.mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN) {
        parts->mask = last_four(&mask);
        return;
    }
    parts->mask = (struct vkdml_view){
        .at = mask.at, .rank = 1, .sizes = {parts->roles[QUERIES].sizes[0]}, .strides = {mask.strides[mask.rank - 1]}};
    parts->mask_start = parts->attributes.mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START
                            ? stride_of(&mask, 2, 0)
                            : 0;
}

static struct vkdml_view headed(const struct vkdml_view *view) {
    return vkdml_view_exists(view) ? last_four(view) : *view;
}

void vkdml_attention_take_parts(const struct vkdml_instance *instance, struct vkdml_attention_parts *parts) {
    struct taking taking = {instance, parts};
    memset(parts, 0, sizeof(*parts));
    parts->fits = true;
    parts->attributes = vkdml_attention_read(instance);
    for (uint32_t role = QUERIES; role < ROLES; ++role) {
        parts->roles[role] =
            role_of(&taking, role, role == QUERIES ? parts->attributes.query_heads : parts->attributes.key_heads);
    }
    take_biases(&taking);
    take_mask(&taking);
    const struct vkdml_view output = vkdml_output_view(instance, VKDML_ATTENTION_OUTPUT);
    parts->output = split_heads(&taking, &output, parts->attributes.query_heads);
    const struct vkdml_view relative = vkdml_input_view(instance, VKDML_ATTENTION_RELATIVE_BIAS);
    parts->relative_bias = headed(&relative);
    for (uint32_t role = KEYS; role < ROLES; ++role) {
        const struct vkdml_view past = vkdml_input_view(instance, VKDML_ATTENTION_PAST_KEY + role - KEYS);
        const struct vkdml_view present = vkdml_output_view(instance, VKDML_ATTENTION_PRESENT_KEY + role - KEYS);
        parts->pasts[role] = headed(&past);
        parts->presents[role] = headed(&present);
    }
}
