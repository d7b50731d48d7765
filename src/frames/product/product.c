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

static struct vkdml_box whole_of(const struct vkdml_product *p) {
    struct vkdml_box whole = {{0}, {0}};
    memcpy(whole.size, p->sizes, sizeof(p->sizes));
    for (uint32_t d = 0; d < p->gather.rank; ++d) {
        whole.size[N] = 1;
        whole.size[RANK + d] = p->gather.walks[d].size;
    }
    return whole;
}

static VkdmlResult cover(struct parts *parts) {
    struct vkdml_covering covering = {parts, RANK + parts->product->gather.rank, TENSORS, parts->builder, bytes, reach,
                                      add};
    const struct vkdml_box whole = whole_of(parts->product);
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

/* The product that makes sums, and the one that joins them. */
static void split(const struct vkdml_product *p, const struct vkdml_product_tensor *to, uint32_t shares,
                  struct vkdml_product *sums, struct vkdml_product *rest) {
    static const struct vkdml_epilogue none = {.count = 0};
    *sums = *p;
    *rest = *p;
    sums->tensors[OUT] = *to;
    sums->tensors[C].at.type = DML_TENSOR_DATA_TYPE_UNKNOWN;
    sums->tensors[OPERAND] = (struct vkdml_product_tensor){.at = {.type = DML_TENSOR_DATA_TYPE_UNKNOWN}};
    memset(sums->scatter.operand_strides, 0, sizeof(sums->scatter.operand_strides));
    sums->scatter.rank = 0;
    sums->epilogue = &none;
    sums->tail = NULL;
    rest->sizes[K] = shares;
    rest->tensors[A] = *to;
    rest->tensors[A].strides[K] = to->strides[M] / shares;
    rest->tensors[B].at.type = DML_TENSOR_DATA_TYPE_UNKNOWN;
    rest->gather.rank = 0;
    rest->is_empty = false;
    if (p->gather.rank > 0) {
        scatter_sums(sums);
    }
}

static VkdmlResult plan_in_two(struct parts *parts, uint32_t shares, uint32_t share_step) {
    const struct vkdml_product *p = parts->product;
    if (!sums_fit(p, shares)) {
        return vkdml_report_add(parts->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "needs sums in parts, %u for each element of the output, which are more than can be "
                                "addressed",
                                (unsigned)shares);
    }
    const struct vkdml_product_tensor to = sums_of(p, shares, parts->builder);
    struct vkdml_product sums, rest;
    split(p, &to, shares, &sums, &rest);
    struct parts first = *parts;
    first.product = &sums;
    first.part = (struct vkdml_product_part){.to_sums = true,
                                             .share_count = shares,
                                             .out_share = rest.tensors[A].strides[K],
                                             .share_step = share_step};
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

/* As it is covered. */
static struct vkdml_product prepare(const struct vkdml_product *product, bool keeps_pixels) {
    struct vkdml_product p = *product;
    p.keeps_pixels = keeps_pixels;
    vkdml_product_collapse_pixels(&p);
    if (p.gather.rank != 0) {
        p = *product; /* a box has the pixels' dimensions as they were */
        p.keeps_pixels = keeps_pixels;
    }
    merge_batches(&p);
    turn(&p);
    return p;
}

/* ---- general plans ---- */

static VkdmlResult add_spare(const struct vkdml_product *p, const struct vkdml_product_part *kind, uint32_t count,
                             struct vkdml_builder *builder) {
    struct vkdml_plan_step step = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
    struct vkdml_product_part part = *kind;
    struct vkdml_product room;
    const struct vkdml_box whole = whole_of(p);
    const struct vkdml_product *narrow = vkdml_product_narrow(p, &whole, &room, &part.box);
    part.box.size[N] = count != 0 ? count : part.box.size[N];
    vkdml_product_set_kernel(narrow, &part, builder->limits, &step);
    return vkdml_builder_add_spare(builder, &step);
}

/* Of one dispatch, and of sums in shares where some sizes have these; columns are `count`, if that is not 0. */
static VkdmlResult add_ways(const struct vkdml_product *p, uint32_t count, struct vkdml_builder *builder) {
    const bool serial = builder->limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const struct vkdml_product_tensor to = {.at = {.type = DML_TENSOR_DATA_TYPE_FLOAT32}};
    struct vkdml_product sums, rest;
    VkdmlResult result = add_spare(p, &(struct vkdml_product_part){.share_count = 1}, count, builder);
    if (result == VKDML_SUCCESS && vkdml_product_may_share(p, serial)) {
        split(p, &to, 2, &sums, &rest);
        result = add_spare(&sums, &(struct vkdml_product_part){.to_sums = true, .share_count = 2}, count, builder);
        if (result == VKDML_SUCCESS) {
            result = add_spare(&rest, &(struct vkdml_product_part){.joins = true, .share_count = 1}, 0, builder);
        }
    }
    return result;
}

/* The ways to go about a product that differ in the order of its sums: of few columns, of columns that are too few for
 * matrix cores, and of many. */
static const uint32_t counts[] = {1, 8, 4096};
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

/* Of two activations: any two sizes may change. */
static VkdmlResult add_spares_of_activations(const struct vkdml_product *product, struct vkdml_builder *builder) {
    static const uint32_t pairs[][2] = {{M, N}, {M, K}, {N, K}};
    VkdmlResult result = VKDML_SUCCESS;
    for (size_t i = 0; i < 3 * COUNTS * COUNTS && result == VKDML_SUCCESS; ++i) {
        struct vkdml_product other = *product;
        other.sizes[pairs[i / (COUNTS * COUNTS)][0]] = counts[i / COUNTS % COUNTS];
        other.sizes[pairs[i / (COUNTS * COUNTS)][1]] = counts[i % COUNTS];
        other = prepare(&other, false);
        result = add_ways(&other, 0, builder);
    }
    return result;
}

static VkdmlResult add_spares(const struct vkdml_product *product, const struct vkdml_product *collapsed,
                              struct vkdml_builder *builder) {
    const struct vkdml_product pixels = prepare(product, true);
    VkdmlResult result = VKDML_SUCCESS;
    if (product->open_dimension == 0) {
        return add_spares_of_activations(product, builder);
    }
    for (size_t i = 0; i < COUNTS; ++i) {
        if (product->gather.rank == 0) {
            struct vkdml_product other = *product;
            other.sizes[product->open_dimension] = counts[i];
            struct vkdml_product one_batch = other;
            one_batch.sizes[OUTER] = one_batch.sizes[INNER] = 1;
            other = prepare(&other, false);
            one_batch = prepare(&one_batch, false);
            result = add_ways(&other, 0, builder);
            result = result == VKDML_SUCCESS ? add_ways(&one_batch, 0, builder) : result;
        } else if (counts[i] > 1 || collapsed->gather.rank == 0) {
            result = add_ways(counts[i] > 1 ? &pixels : collapsed, counts[i], builder);
        }
        if (result != VKDML_SUCCESS) {
            break;
        }
    }
    return result;
}

/* As many shares as the collapsed product has, whose order of sums a general plan keeps. */
static VkdmlResult plan_prepared(const struct vkdml_product *p, const struct vkdml_product *collapsed,
                                 struct vkdml_builder *builder) {
    struct vkdml_plan_limits best = *builder->limits;
    struct parts parts = {.product = p, .builder = builder, .part = {.share_count = 1}, .is_rehearsal = true};
    VkdmlResult result = cover(&parts);
    best.general = false;
    parts.is_rehearsal = false;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const uint32_t shares = vkdml_product_shares(collapsed, &best);
    if (shares > 1 || parts.is_cut) {
        vkdml_note(builder->report, "product: sums are made in %u shares, in the temporary resource, and joined: %s",
                   (unsigned)shares,
                   shares > 1 ? "tiles are too few to keep the device busy" : "they cannot be bound whole");
        const uint32_t step = builder->limits->general ? vkdml_product_share_step(collapsed, &best) : 0;
        return plan_in_two(&parts, shares, step);
    }
    return cover(&parts);
}

VkdmlResult vkdml_product_plan(const struct vkdml_product *product, struct vkdml_builder *builder) {
    const struct vkdml_product collapsed = prepare(product, false);
    const bool is_thin = vkdml_product_is_thin(&collapsed, collapsed.sizes);
    const bool keeps_pixels = builder->limits->general && product->gather.rank > 0 && !is_thin;
    const struct vkdml_product p = keeps_pixels ? prepare(product, true) : collapsed;
    vkdml_note(builder->report, "product: %u x %u batches of %u x %u, sums of %u products each",
               (unsigned)p.sizes[OUTER], (unsigned)p.sizes[INNER], (unsigned)p.sizes[M], (unsigned)p.sizes[N],
               (unsigned)p.sizes[K]);
    VkdmlResult result = plan_prepared(&p, &collapsed, builder);
    if (result == VKDML_SUCCESS && vkdml_builder_wants_spares(builder)) {
        result = add_spares(product, &collapsed, builder);
    }
    return result;
}
