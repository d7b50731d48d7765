/* What a device cannot bind whole is cut along the output, and where that does not help along k: then sums add up in
 * the temporary resource, a dispatch after the other. */
#include "frames/product/product.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/product/pixels.h"
#include "frames/product/product_step.h"
#include "plan/step.h"

enum { OUTER = VKDML_PRODUCT_OUTER, INNER, M, N, K, RANK };
enum { A = VKDML_PRODUCT_A, B, C, OUT, OPERAND, TENSORS };

struct parts {
    const struct vkdml_product *product;
    struct vkdml_builder *builder;
    struct vkdml_product_part part; /* but for the box */
    bool is_rehearsal;              /* nothing is added */
    bool is_cut;                    /* found: a part that has not all of k */
};

/* ---- dimensions ---- */

static bool exists(const struct vkdml_product *p, uint32_t t) {
    return p->tensors[t].at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

/* Whether coordinates of dimension d are those of m beyond its last, in all tensors. */
static bool continues_m(const struct vkdml_product *p, uint32_t d) {
    bool continues = (uint64_t)p->sizes[d] * p->sizes[M] <= UINT32_MAX;
    for (uint32_t t = 0; t < TENSORS; ++t) {
        const uint32_t *strides = p->tensors[t].strides;
        continues = continues &&
                    (p->sizes[M] == 1 ? t != B || strides[d] == 0 : (uint64_t)strides[M] * p->sizes[M] == strides[d]);
    }
    return continues;
}

/* Batches that share b are rows of one product. */
static void merge_batches(struct vkdml_product *p) {
    for (uint32_t d = M; d-- > 0;) {
        if (p->sizes[d] == 1) {
            continue;
        }
        if (!continues_m(p, d)) {
            return;
        }
        for (uint32_t t = 0; t < TENSORS && p->sizes[M] == 1; ++t) {
            p->tensors[t].strides[M] = p->tensors[t].strides[d];
        }
        p->sizes[M] *= p->sizes[d];
        p->sizes[d] = 1;
    }
}

/* Whether the same product the other way round has few columns, or columns that lie side by side in the output. */
static bool is_better_turned(const struct vkdml_product *p) {
    if (p->gather.rank > 0 || p->scatter.rank > 0) {
        return false;
    }
    const uint32_t turned[RANK] = {[M] = p->sizes[N], [N] = p->sizes[M], [K] = p->sizes[K]};
    const bool is_thin = vkdml_product_is_thin(p, p->sizes);
    if (is_thin != vkdml_product_is_thin(p, turned)) {
        return !is_thin;
    }
    const uint32_t *strides = p->tensors[OUT].strides;
    return strides[N] > strides[M] && p->sizes[M] > 1 && p->sizes[N] > 1;
}

static void turn(struct vkdml_product *p) {
    if (!is_better_turned(p)) {
        return;
    }
    const struct vkdml_product_tensor a = p->tensors[A];
    const uint32_t m = p->sizes[M];
    p->tensors[A] = p->tensors[B];
    p->tensors[B] = a;
    p->sizes[M] = p->sizes[N];
    p->sizes[N] = m;
    for (uint32_t t = 0; t < TENSORS; ++t) {
        const uint32_t stride = p->tensors[t].strides[M];
        p->tensors[t].strides[M] = p->tensors[t].strides[N];
        p->tensors[t].strides[N] = stride;
    }
}

/* ---- covering ---- */

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct parts *parts = context;
    const struct vkdml_product_tensor *tensor = &parts->product->tensors[t];
    *fits = true;
    if (!exists(parts->product, t)) {
        return 0;
    }
    struct vkdml_box plain;
    struct vkdml_product room;
    const struct vkdml_product *narrow = vkdml_product_narrow(parts->product, box, &room, &plain);
    struct vkdml_span span = vkdml_product_span(narrow, t, &plain);
    span.count += t == OUT ? (uint64_t)(parts->part.share_count - 1) * parts->part.out_share : 0;
    const struct vkdml_window window = vkdml_window_of(span, vkdml_data_type_bits(tensor->at.type));
    *fits = vkdml_fits(parts->builder->limits, tensor->at.offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct parts *parts = context;
    if (t == B && parts->product->gather.rank > 0 && d >= K) {
        return vkdml_product_gathered_reach(parts->product, box, d);
    }
    struct vkdml_box line = *box;
    struct vkdml_box plain;
    for (uint32_t other = 0; other < VKDML_MAX_BOX_RANK; ++other) {
        line.size[other] = other == d ? box->size[d] : 1;
    }
    struct vkdml_product room;
    const struct vkdml_product *narrow = vkdml_product_narrow(parts->product, &line, &room, &plain);
    return vkdml_product_span(narrow, t, &plain).count - 1;
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    struct parts *parts = context;
    struct vkdml_product_part part = parts->part;
    struct vkdml_product room;
    const struct vkdml_product *narrow = vkdml_product_narrow(parts->product, box, &room, &part.box);
    part.accumulates = box->origin[K] != 0;
    parts->is_cut = parts->is_cut || box->size[K] != parts->product->sizes[K];
    if (parts->is_rehearsal) {
        return VKDML_SUCCESS;
    }
    if (part.accumulates) { /* a covering comes to an element's first steps first */
        vkdml_builder_phase(parts->builder);
    }
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(parts->builder, &step);
    if (result == VKDML_SUCCESS) {
        result = vkdml_product_fill_step(narrow, &part, parts->builder->limits, parts->builder->report, step);
    }
    return result;
}

static VkdmlResult cover(struct parts *parts) {
    struct vkdml_covering covering = {parts, RANK + parts->product->gather.rank, TENSORS, parts->builder, bytes, reach,
                                      add};
    struct vkdml_box whole = {{0}, {0}};
    memcpy(whole.size, parts->product->sizes, sizeof(parts->product->sizes));
    for (uint32_t d = 0; d < parts->product->gather.rank; ++d) {
        whole.size[N] = 1;
        whole.size[RANK + d] = parts->product->gather.walks[d].size;
    }
    return vkdml_cover_until(&covering, &whole, parts->is_rehearsal ? &parts->is_cut : NULL);
}

/* ---- sums in the temporary resource ---- */

/* Rows of them begin at multiples of 16 bytes, and the shares of a row follow one another. */
static struct vkdml_product_tensor sums_of(const struct vkdml_product *p, uint32_t shares,
                                           struct vkdml_builder *builder) {
    const uint64_t width = ((uint64_t)p->sizes[N] + 3) / 4 * 4;
    const uint64_t row = width * shares;
    const uint64_t elements = row * p->sizes[M] * p->sizes[INNER] * p->sizes[OUTER];
    const struct vkdml_origin region =
        vkdml_builder_region(builder, "sums", 4 * elements, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_product_tensor sums = {.at = region};
    sums.strides[OUTER] = (uint32_t)(row * p->sizes[M] * p->sizes[INNER]);
    sums.strides[INNER] = (uint32_t)(row * p->sizes[M]);
    sums.strides[M] = (uint32_t)row;
    sums.strides[N] = 1;
    return sums;
}

/* Strides of sums are 32 bits wide: shares are so few that they fit, which only an output near 2^32 elements prevents.
 */
static bool sums_fit(const struct vkdml_product *p, uint64_t shares) {
    const uint64_t rows = (uint64_t)p->sizes[M] * p->sizes[INNER] * p->sizes[OUTER]; /* at most the output's elements */
    return rows * (((uint64_t)p->sizes[N] + 3) / 4 * 4) <= UINT32_MAX / shares;
}

/* Sums of pixels are cut as these are. */
static void scatter_sums(struct vkdml_product *sums) {
    uint32_t stride = 1;
    sums->scatter.rank = sums->gather.rank;
    sums->tensors[OUT].strides[N] = 0;
    for (uint32_t d = sums->gather.rank; d-- > 0;) {
        sums->scatter.strides[d] = stride;
        stride *= sums->gather.walks[d].size;
    }
}

static VkdmlResult plan_in_two(struct parts *parts, uint32_t shares) {
    const struct vkdml_product *p = parts->product;
    if (!sums_fit(p, shares)) {
        return vkdml_report_add(parts->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "needs sums in parts, %u for each element of the output, which are more than can be "
                                "addressed",
                                (unsigned)shares);
    }
    static const struct vkdml_epilogue none = {.count = 0};
    struct vkdml_product sums = *p;
    struct vkdml_product rest = *p;
    sums.tensors[OUT] = sums_of(p, shares, parts->builder);
    sums.tensors[C].at.type = DML_TENSOR_DATA_TYPE_UNKNOWN;
    sums.tensors[OPERAND] = (struct vkdml_product_tensor){.at = {.type = DML_TENSOR_DATA_TYPE_UNKNOWN}};
    memset(sums.scatter.operand_strides, 0, sizeof(sums.scatter.operand_strides));
    sums.scatter.rank = 0;
    sums.epilogue = &none;
    sums.tail = NULL;
    rest.sizes[K] = shares;
    rest.tensors[A] = sums.tensors[OUT];
    rest.tensors[A].strides[K] = sums.tensors[OUT].strides[M] / shares;
    rest.tensors[B].at.type = DML_TENSOR_DATA_TYPE_UNKNOWN;
    rest.gather.rank = 0;
    if (p->gather.rank > 0) {
        scatter_sums(&sums);
    }
    rest.is_empty = false;

    struct parts first = *parts;
    first.product = &sums;
    first.part =
        (struct vkdml_product_part){.to_sums = true, .share_count = shares, .out_share = rest.tensors[A].strides[K]};
    VkdmlResult result = cover(&first);
    if (result == VKDML_SUCCESS) {
        vkdml_builder_phase(parts->builder);
        struct parts second = *parts;
        second.product = &rest;
        second.part = (struct vkdml_product_part){.joins = true, .share_count = 1};
        result = cover(&second);
    }
    return result;
}

void vkdml_product_add(struct vkdml_epilogue *epilogue, float factor, const struct vkdml_view *tensor) {
    if (!vkdml_view_exists(tensor)) {
        return;
    }
    if (epilogue->count == 0) {
        *vkdml_epilogue_add(epilogue) = (struct vkdml_epilogue_step){.function = VKDML_FUNCTION_NONE};
    }
    epilogue->steps[0].operation = VKDML_MAP_ADD;
    epilogue->steps[0].operand = *tensor;
    epilogue->steps[0].factor = factor;
}

VkdmlResult vkdml_product_plan(const struct vkdml_product *product, struct vkdml_builder *builder) {
    struct vkdml_product p = *product;
    vkdml_product_collapse_pixels(&p);
    if (p.gather.rank != 0) {
        p = *product; /* a box has the pixels' dimensions as they were */
    }
    merge_batches(&p);
    turn(&p);
    vkdml_note(builder->report, "product: %u x %u batches of %u x %u, sums of %u products each",
               (unsigned)p.sizes[OUTER], (unsigned)p.sizes[INNER], (unsigned)p.sizes[M], (unsigned)p.sizes[N],
               (unsigned)p.sizes[K]);
    struct parts parts = {.product = &p, .builder = builder, .part = {.share_count = 1}, .is_rehearsal = true};
    VkdmlResult result = cover(&parts);
    parts.is_rehearsal = false;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const uint32_t shares = vkdml_product_shares(&p, builder->limits);
    if (shares > 1 || parts.is_cut) {
        vkdml_note(builder->report, "product: sums are made in %u shares, in the temporary resource, and joined: %s",
                   (unsigned)shares,
                   shares > 1 ? "tiles are too few to keep the device busy" : "they cannot be bound whole");
        return plan_in_two(&parts, shares);
    }
    return cover(&parts);
}
