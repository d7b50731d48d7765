#include "frames/attention/attention_tensors.h"

#include "plan/step.h"

enum { BATCH = VKDML_ATTENTION_BATCH, HEAD, GROUP, QUERY, KEY, ELEMENT, RANK };
enum { Q = VKDML_ATTENTION_Q, K, V, OUT, MASK, BIAS, TENSORS };

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

bool vkdml_attention_has_runs(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                              uint32_t t, uint32_t elements, const struct vkdml_plan_limits *limits) {
    const struct vkdml_attention *a = attention;
    const struct vkdml_attention_tensor *tensor = &a->tensors[t];
    const struct vkdml_window window = vkdml_attention_window(a, part, t);
    const uint32_t bytes = vkdml_data_type_size(tensor->at.type);
    bool aligned = tensor->strides[ELEMENT] == 1 && width_of(a, t) % elements == 0 &&
                   vkdml_place_modulo_16(limits, tensor->at.offset + window.offset, (uint64_t)window.lead * bytes) %
                           (elements * bytes) ==
                       0;
    for (uint32_t d = 0; d < ELEMENT; ++d) {
        const uint32_t size = d == KEY ? a->sizes[KEY] : part->box.size[d];
        aligned = aligned && ((size == 1 && !limits->general) || tensor->strides[d] % elements == 0);
    }
    return aligned;
}
