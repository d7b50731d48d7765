/* What a device cannot bind whole is cut along batches, heads and queries. Keys have shares where rows are few. */
#include "frames/attention/attention.h"

#include <inttypes.h>
#include <string.h>

#include "base/notes.h"
#include "frames/attention/attention_step.h"
#include "frames/gather/copy.h"
#include "plan/step.h"

enum { BATCH = VKDML_ATTENTION_BATCH, HEAD, GROUP, QUERY, KEY, ELEMENT, RANK };
enum { Q = VKDML_ATTENTION_Q, K, V, OUT, MASK, BIAS, TENSORS };

/* Of keys, values, queries and the output; a mask and a bias have one each. */
#define PLAIN_BUFFERS 4

/* Loops over them stay below what lavapipe ends silently. */
#define MOST_DEPTH (1u << 17)

struct parts {
    const struct vkdml_attention *attention;
    struct vkdml_builder *builder;
    struct vkdml_attention_part part; /* but for the box */
};

static bool exists(const struct vkdml_attention *a, uint32_t t) {
    return a->tensors[t].at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

/* ---- covering ---- */

static bool is_bound(const struct parts *parts, uint32_t t) {
    return exists(parts->attention, t) && (!parts->part.joins || t == Q || t == OUT);
}

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct parts *parts = context;
    struct vkdml_attention_part part = parts->part;
    part.box = *box;
    *fits = true;
    if (!is_bound(parts, t)) {
        return 0;
    }
    const struct vkdml_window window = vkdml_attention_window(parts->attention, &part, t);
    *fits = vkdml_fits(parts->builder->limits, parts->attention->tensors[t].at.offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct parts *parts = context;
    return (box->size[d] - 1) * parts->attention->tensors[t].strides[d];
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    struct parts *parts = context;
    struct vkdml_attention_part part = parts->part;
    part.box = *box;
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(parts->builder, &step);
    if (result == VKDML_SUCCESS) {
        result =
            vkdml_attention_fill_step(parts->attention, &part, parts->builder->limits, parts->builder->report, step);
    }
    return result;
}

/* Nothing cuts the keys of a head. */
static VkdmlResult check_head(struct parts *parts) {
    const struct vkdml_box head = {{0}, {1, 1, 1, 1}};
    for (uint32_t t = K; t <= V; ++t) {
        bool fits;
        const uint64_t size = bytes(parts, t, &head, &fits);
        if (!fits) {
            return vkdml_report_add(parts->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                    "maxStorageBufferRange is %" PRIu64 ", must be at least %" PRIu64
                                    ", what the %s of a head take, and what alignment takes",
                                    parts->builder->limits->max_storage_buffer_range, size, t == K ? "keys" : "values");
        }
    }
    return VKDML_SUCCESS;
}

static VkdmlResult cover(struct parts *parts) {
    const struct vkdml_covering covering = {parts, KEY, TENSORS, parts->builder, bytes, reach, add};
    const struct vkdml_box whole = vkdml_box_of(KEY, parts->attention->sizes, sizeof(parts->attention->sizes[0]));
    VkdmlResult result = parts->part.joins ? VKDML_SUCCESS : check_head(parts);
    return result == VKDML_SUCCESS ? vkdml_cover(&covering, &whole) : result;
}

/* ---- shares ---- */

/* Sums of each row, its shares one behind another. */
static struct vkdml_attention_tensor sums_of(const struct vkdml_attention *a, uint32_t shares, uint32_t pitch,
                                             struct vkdml_builder *builder) {
    struct vkdml_attention_tensor sums = {.strides = {0}};
    uint64_t stride = (uint64_t)pitch * shares;
    for (uint32_t d = KEY; d-- > 0;) {
        sums.strides[d] = stride;
        stride *= a->sizes[d];
    }
    sums.at = vkdml_builder_region(builder, "sums", 4 * stride, DML_TENSOR_DATA_TYPE_FLOAT32);
    return sums;
}

static VkdmlResult plan_shares(struct parts *parts, uint32_t shares) {
    const struct vkdml_attention *a = parts->attention;
    const uint32_t pitch = VKDML_ATTENTION_SUMS_FIRST + (a->columns - 1) / 4 * 4 + 4;
    struct vkdml_attention sums = *a, rest = *a;
    vkdml_note(parts->builder->report, "attention: keys have %u shares, whose sums are joined", (unsigned)shares);
    sums.tensors[OUT] = sums_of(a, shares, pitch, parts->builder);
    rest.tensors[Q] = sums.tensors[OUT];
    struct parts first = *parts, second = *parts;
    first.attention = &sums;
    first.part.to_sums = true;
    first.part.share_count = shares;
    first.part.out_share = pitch;
    second.attention = &rest;
    second.part = (struct vkdml_attention_part){
        .share_count = shares, .out_share = pitch, .joins = true, .out_has_runs = parts->part.out_has_runs};
    VkdmlResult result = cover(&first);
    if (result == VKDML_SUCCESS) {
        vkdml_builder_phase(parts->builder);
        result = cover(&second);
    }
    return result;
}

/* ---- few buffers ---- */

/* A tensor as one to copy, with strides of 32 bits. */
static bool view_of(const struct vkdml_attention *a, uint32_t t, const struct vkdml_attention_tensor *tensor,
                    struct vkdml_view *view) {
    const uint32_t width = t == V ? a->columns : a->depth;
    const uint32_t sizes[RANK] = {a->sizes[BATCH],
                                  a->sizes[HEAD],
                                  t == Q ? a->sizes[GROUP] : 1,
                                  t == Q ? a->sizes[QUERY] : 1,
                                  t == Q ? 1 : a->sizes[KEY],
                                  width};
    bool fits = true;
    *view = (struct vkdml_view){.at = tensor->at, .rank = RANK};
    for (uint32_t d = 0; d < RANK; ++d) {
        fits = fits && (sizes[d] == 1 || tensor->strides[d] <= UINT32_MAX);
        view->sizes[d] = sizes[d];
        view->strides[d] = (uint32_t)tensor->strides[d];
    }
    return fits;
}

/* Where queries, keys and values lie in a region of all: those of a head side by side, each from a multiple of eight
 * elements on. */
static void lay_together(struct vkdml_attention *a, struct vkdml_builder *builder) {
    const DML_TENSOR_DATA_TYPE type = a->tensors[Q].at.type;
    uint64_t firsts[OUT], at = 0;
    for (uint32_t t = Q; t <= V; ++t) {
        const uint32_t width = t == V ? a->columns : a->depth;
        const uint64_t rows = t == Q ? (uint64_t)a->sizes[GROUP] * a->sizes[QUERY] : a->sizes[KEY];
        firsts[t] = at;
        at += (rows * width + 7) / 8 * 8;
    }
    const uint64_t elements = at * a->sizes[HEAD] * a->sizes[BATCH];
    const struct vkdml_origin region =
        vkdml_builder_region(builder, "queries, keys and values", elements * vkdml_data_type_size(type), type);
    for (uint32_t t = Q; t <= V; ++t) {
        const uint64_t width = t == V ? a->columns : a->depth;
        a->tensors[t] = (struct vkdml_attention_tensor){.at = region, .strides = {at * a->sizes[HEAD], at}};
        a->tensors[t].at.first = firsts[t];
        a->tensors[t].strides[GROUP] = t == Q ? width * a->sizes[QUERY] : 0;
        a->tensors[t].strides[QUERY] = t == Q ? width : 0;
        a->tensors[t].strides[KEY] = t == Q ? 0 : width;
        a->tensors[t].strides[ELEMENT] = 1;
    }
}

static VkdmlResult bring_together(struct vkdml_attention *attention, struct vkdml_builder *builder) {
    const struct vkdml_attention apart = *attention;
    VkdmlResult result = VKDML_SUCCESS;
    lay_together(attention, builder);
    vkdml_note(builder->report,
               "attention: queries, keys and values are copied to one region: a dispatch may have %u "
               "storage buffers",
               (unsigned)builder->limits->max_storage_buffers);
    for (uint32_t t = Q; t <= V && result == VKDML_SUCCESS; ++t) {
        struct vkdml_view from, to;
        if (!view_of(&apart, t, &apart.tensors[t], &from) || !view_of(attention, t, &attention->tensors[t], &to)) {
            return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                    "elements that are copied lie 2^32 elements apart or more");
        }
        result = vkdml_copy_plan_identity(&to, &from, builder);
        vkdml_builder_phase(builder); /* what is bound of the three overlaps: it is interleaved by heads */
    }
    return result;
}

/* ---- general plans ---- */

static VkdmlResult add_spare(const struct parts *parts, const struct vkdml_attention_part *part,
                             const struct vkdml_attention_way *way) {
    struct vkdml_plan_step step = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
    vkdml_attention_set_kernel(parts->attention, part, way, parts->builder->limits, &step);
    return vkdml_builder_add_spare(parts->builder, &step);
}

/* The ways of other sizes, and what joins shares. */
static VkdmlResult add_spares(const struct parts *parts) {
    const struct vkdml_plan_limits *limits = parts->builder->limits;
    struct vkdml_attention_part part = parts->part;
    struct vkdml_attention_ways ways;
    part.box = vkdml_box_of(KEY, parts->attention->sizes, sizeof(parts->attention->sizes[0]));
    vkdml_attention_list_ways(parts->attention, &part, limits, &ways);
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t i = 0; i < ways.count && result == VKDML_SUCCESS; ++i) {
        result = add_spare(parts, &part, &ways.items[i]);
    }
    part.joins = true;
    part.is_together = false;
    const struct vkdml_attention_way joining = vkdml_attention_choose(parts->attention, &part, limits);
    return result == VKDML_SUCCESS ? add_spare(parts, &part, &joining) : result;
}

VkdmlResult vkdml_attention_plan(const struct vkdml_attention *attention, struct vkdml_builder *builder) {
    const uint32_t *sizes = attention->sizes;
    vkdml_note(builder->report,
               "attention: %u batches of %u x %u heads, %u queries, %u keys of %u elements, values of %u",
               (unsigned)sizes[BATCH], (unsigned)sizes[HEAD], (unsigned)sizes[GROUP], (unsigned)sizes[QUERY],
               (unsigned)sizes[KEY], (unsigned)attention->depth, (unsigned)attention->columns);
    if (attention->depth > MOST_DEPTH) {
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "heads have %u elements, must have at most %u", (unsigned)attention->depth,
                                (unsigned)MOST_DEPTH);
    }
    struct vkdml_attention whole = *attention;
    struct parts parts = {.attention = &whole, .builder = builder, .part = {.share_count = 1}};
    const uint32_t buffers = PLAIN_BUFFERS + exists(attention, MASK) + exists(attention, BIAS);
    if (buffers > builder->limits->max_storage_buffers) {
        parts.part.is_together = true;
        VkdmlResult result = bring_together(&whole, builder);
        if (result != VKDML_SUCCESS) {
            return result;
        }
    }
    if (builder->limits->general) {
        parts.part.box = vkdml_box_of(KEY, whole.sizes, sizeof(whole.sizes[0]));
        parts.part.out_has_runs = vkdml_attention_has_runs(&whole, &parts.part, OUT, 4, builder->limits);
    }
    const uint32_t shares = vkdml_attention_shares(&whole, builder->limits);
    VkdmlResult result = shares > 1 ? plan_shares(&parts, shares) : cover(&parts);
    return result == VKDML_SUCCESS && vkdml_builder_wants_spares(builder) ? add_spares(&parts) : result;
}
