#include "frames/product/pixels.h"

#include <string.h>

#include "plan/step.h"

enum { N = VKDML_PRODUCT_N, K = VKDML_PRODUCT_K };
enum { B = VKDML_PRODUCT_B, OUT = VKDML_PRODUCT_OUT, OPERAND = VKDML_PRODUCT_OPERAND };

/* A run of coordinates; none where last is below first. */
struct range {
    int64_t first;
    int64_t last;
};

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

/* Where coordinates and taps of a walk lead, be it none of the source's. */
static struct range reached(const struct vkdml_product_walk *walk, struct range coordinates, struct range taps) {
    const int64_t near = (walk->tap_step < 0 ? taps.last : taps.first) * walk->tap_step;
    const int64_t far = (walk->tap_step < 0 ? taps.first : taps.last) * walk->tap_step;
    const int64_t first = coordinates.first * walk->step + near + walk->start;
    const int64_t last = coordinates.last * walk->step + far + walk->start;
    return (struct range){floor_divide(first, walk->divisor), floor_divide(last, walk->divisor)};
}

static bool is_checked(const struct vkdml_product_walk *walk) {
    const struct range all =
        reached(walk, (struct range){0, (int64_t)walk->size - 1}, (struct range){0, (int64_t)walk->taps - 1});
    return walk->divisor > 1 || all.first < 0 || all.last >= walk->source_size;
}

/* ---- collapsing ---- */

/* Whether coordinates are whole strides apart, and there is nothing else to the walk. */
static bool is_even(const struct vkdml_product_walk *walk) {
    return walk->taps == 1 && !is_checked(walk);
}

static struct vkdml_product_walk even_walk(uint32_t size, uint64_t stride, bool keeps) {
    return (struct vkdml_product_walk){.size = size,
                                       .taps = 1,
                                       .step = 1,
                                       .divisor = 1,
                                       .source_size = size,
                                       .stride = size > 1 || keeps ? (uint32_t)stride : 0}; /* of all, 32 bits */
}

static void collapse_gather(struct vkdml_product *p) {
    const struct vkdml_product_gather whole = p->gather;
    struct vkdml_product_gather *gather = &p->gather;
    gather->rank = 0;
    for (uint32_t d = 0; d < whole.rank; ++d) {
        struct vkdml_product_walk walk = whole.walks[d];
        if (is_even(&walk)) {
            p->tensors[B].at.first += (uint32_t)walk.start * walk.stride; /* within the tensor */
            walk = even_walk(walk.size, (uint64_t)walk.step * walk.stride, p->keeps_pixels);
            if (walk.size == 1 && !p->keeps_pixels) {
                continue;
            }
        }
        struct vkdml_product_walk *outer = gather->rank > 0 ? &gather->walks[gather->rank - 1] : NULL;
        if (outer != NULL && is_even(outer) && is_even(&walk) && outer->stride == (uint64_t)walk.stride * walk.size) {
            *outer = even_walk(outer->size * walk.size, walk.stride, p->keeps_pixels);
        } else {
            gather->walks[gather->rank++] = walk;
        }
    }
    const bool is_plain = whole.rank > 0 && (gather->rank == 0 || (gather->rank == 1 && is_even(&gather->walks[0])));
    if (is_plain) {
        p->tensors[B].strides[N] = gather->rank == 0 ? 0 : gather->walks[0].stride;
        p->tensors[B].strides[K] = gather->channel_stride;
        gather->rank = 0;
    }
}

static void collapse_scatter(struct vkdml_product *p) {
    const struct vkdml_product_scatter whole = p->scatter;
    struct vkdml_product_scatter *scatter = &p->scatter;
    scatter->rank = 0;
    for (uint32_t d = 0; d < whole.rank; ++d) {
        const uint32_t last = scatter->rank - 1;
        if (whole.sizes[d] == 1 && !p->keeps_pixels) {
            continue;
        }
        if (scatter->rank > 0 && scatter->strides[last] == (uint64_t)whole.strides[d] * whole.sizes[d] &&
            scatter->operand_strides[last] == (uint64_t)whole.operand_strides[d] * whole.sizes[d]) {
            scatter->sizes[last] *= whole.sizes[d];
        } else {
            scatter->sizes[scatter->rank++] = whole.sizes[d];
        }
        scatter->strides[scatter->rank - 1] = whole.strides[d];
        scatter->operand_strides[scatter->rank - 1] = whole.operand_strides[d];
    }
    if (whole.rank > 0 && scatter->rank <= 1) {
        p->tensors[OUT].strides[N] = scatter->rank == 0 ? 0 : scatter->strides[0];
        p->tensors[OPERAND].strides[N] = scatter->rank == 0 ? 0 : scatter->operand_strides[0];
        scatter->rank = 0;
    }
}

void vkdml_product_collapse_pixels(struct vkdml_product *product) {
    collapse_gather(product);
    collapse_scatter(product);
}

const struct vkdml_product *vkdml_product_narrow(const struct vkdml_product *product, const struct vkdml_box *box,
                                                 struct vkdml_product *room, struct vkdml_box *plain) {
    *plain = *box;
    if (product->gather.rank == 0 && product->scatter.rank == 0) {
        return product;
    }
    *room = *product;
    for (uint32_t d = 0; d < product->gather.rank; ++d) {
        const uint32_t origin = box->origin[VKDML_PRODUCT_RANK + d], size = box->size[VKDML_PRODUCT_RANK + d];
        room->gather.walks[d].size = size;
        room->gather.walks[d].start += (int64_t)origin * room->gather.walks[d].step;
        room->scatter.sizes[d] = size;
        room->tensors[OUT].at.first += origin * room->scatter.strides[d];
        room->tensors[OPERAND].at.first += (uint64_t)origin * room->scatter.operand_strides[d];
        plain->size[N] *= size;
    }
    vkdml_product_collapse_pixels(room);
    return room;
}

/* ---- what a box takes ---- */

/* The coordinates in each dimension of `count` numbers from `first` on, which count the last dimension fastest: all of
 * a dimension where those before it differ. */
static void split_range(uint32_t first, uint32_t count, uint32_t rank, const uint32_t *sizes, struct range *ranges) {
    uint32_t last = first + (count - 1);
    for (uint32_t d = rank; d-- > 1;) {
        ranges[d] = (struct range){first % sizes[d], last % sizes[d]};
        first /= sizes[d];
        last /= sizes[d];
    }
    ranges[0] = (struct range){first, last};
    bool differ = ranges[0].first != ranges[0].last;
    for (uint32_t d = 1; d < rank; ++d) {
        if (differ) {
            ranges[d] = (struct range){0, (int64_t)sizes[d] - 1};
        }
        differ = differ || ranges[d].first != ranges[d].last;
    }
}

/* The channels, and the taps of each dimension. */
static struct range split_steps(const struct vkdml_product_gather *gather, const struct vkdml_box *box,
                                struct range taps[VKDML_PRODUCT_PIXELS]) {
    uint32_t sizes[VKDML_PRODUCT_PIXELS + 1];
    struct range ranges[VKDML_PRODUCT_PIXELS + 1];
    const uint32_t channel = gather->channels_last ? gather->rank : 0;
    const uint32_t tap = gather->channels_last ? 0 : 1;
    sizes[channel] = gather->channels;
    for (uint32_t d = 0; d < gather->rank; ++d) {
        sizes[tap + d] = gather->walks[d].taps;
    }
    split_range(box->origin[K], box->size[K], gather->rank + 1, sizes, ranges);
    memcpy(taps, ranges + tap, gather->rank * sizeof(*ranges));
    return ranges[channel];
}

struct vkdml_span vkdml_product_gathered_span(const struct vkdml_product *product, const struct vkdml_box *box) {
    const struct vkdml_product_gather *gather = &product->gather;
    struct range taps[VKDML_PRODUCT_PIXELS];
    const struct range channels = split_steps(gather, box, taps);
    struct vkdml_span span = {(uint64_t)channels.first * gather->channel_stride,
                              1 + (uint64_t)(channels.last - channels.first) * gather->channel_stride};
    for (uint32_t d = 0; d < gather->rank; ++d) {
        const struct vkdml_product_walk *walk = &gather->walks[d];
        struct range q = reached(walk, (struct range){0, (int64_t)walk->size - 1}, taps[d]);
        q.first = q.first < 0 ? 0 : q.first;
        q.last = q.last >= walk->source_size ? (int64_t)walk->source_size - 1 : q.last;
        if (q.last < q.first) {
            return (struct vkdml_span){0, 1}; /* nothing is read */
        }
        span.first += (uint64_t)q.first * walk->stride;
        span.count += (uint64_t)(q.last - q.first) * walk->stride;
    }
    return span;
}

uint64_t vkdml_product_gathered_reach(const struct vkdml_product *product, const struct vkdml_box *box,
                                      uint32_t dimension) {
    const struct vkdml_product_gather *gather = &product->gather;
    if (dimension != K) {
        const struct vkdml_product_walk *walk = &gather->walks[dimension - VKDML_PRODUCT_RANK];
        return (uint64_t)(box->size[dimension] - 1) * walk->step / walk->divisor * walk->stride;
    }
    struct range taps[VKDML_PRODUCT_PIXELS];
    const struct range channels = split_steps(gather, box, taps);
    uint64_t reach = (uint64_t)(channels.last - channels.first) * gather->channel_stride;
    for (uint32_t d = 0; d < gather->rank; ++d) {
        const struct vkdml_product_walk *walk = &gather->walks[d];
        const int64_t distance = (taps[d].last - taps[d].first) * walk->tap_step;
        reach += (uint64_t)(distance < 0 ? -distance : distance) / walk->divisor * walk->stride;
    }
    return reach;
}

static const uint32_t *scattered(const struct vkdml_product_scatter *scatter, uint32_t t) {
    return t == OPERAND ? scatter->operand_strides : scatter->strides;
}

struct vkdml_span vkdml_product_scattered_span(const struct vkdml_product *product, uint32_t t,
                                               const struct vkdml_box *box) {
    const struct vkdml_product_scatter *scatter = &product->scatter;
    const uint32_t *strides = scattered(scatter, t);
    struct range ranges[VKDML_PRODUCT_PIXELS];
    struct vkdml_span span = {0, 1};
    split_range(box->origin[N], box->size[N], scatter->rank, scatter->sizes, ranges);
    for (uint32_t d = 0; d < scatter->rank; ++d) {
        span.first += (uint64_t)ranges[d].first * strides[d];
        span.count += (uint64_t)(ranges[d].last - ranges[d].first) * strides[d];
    }
    return span;
}

/* ---- vectors ---- */

bool vkdml_product_gathers_fours(const struct vkdml_product *product, uint32_t dimension) {
    const struct vkdml_product_gather *gather = &product->gather;
    const struct vkdml_product_walk *inner = &gather->walks[gather->rank - 1];
    const bool along_k = dimension == K;
    bool fours = along_k ? gather->channels_last && gather->channel_stride == 1 && gather->channels % 4 == 0
                         : is_even(inner) && inner->stride == 1 && inner->size % 4 == 0 &&
                               (gather->channel_stride % 4 == 0 || gather->channels == 1);
    for (uint32_t d = 0; d < gather->rank - (along_k ? 0 : 1); ++d) {
        fours = fours && gather->walks[d].stride % 4 == 0;
    }
    return fours;
}

bool vkdml_product_scatters_fours(const struct vkdml_product *product, uint32_t t) {
    const struct vkdml_product_scatter *scatter = &product->scatter;
    const uint32_t *strides = scattered(scatter, t);
    bool fours = strides[scatter->rank - 1] == 1 && scatter->sizes[scatter->rank - 1] % 4 == 0;
    for (uint32_t d = 0; d + 1 < scatter->rank; ++d) {
        fours = fours && strides[d] % 4 == 0;
    }
    return fours;
}

/* ---- what a kernel is told ---- */

static void fill_gather(const struct vkdml_product_gather *gather, struct vkdml_product_parameters *parameters) {
    uint32_t taps = 1;
    for (uint32_t d = 0; d < gather->rank; ++d) {
        const struct vkdml_product_walk *walk = &gather->walks[gather->rank - 1 - d];
        const struct vkdml_divisor of_size = vkdml_divisor(walk->size);
        const struct vkdml_divisor of_taps = vkdml_divisor(walk->taps);
        const struct vkdml_divisor of_divisor = vkdml_divisor(walk->divisor);
        parameters->pixel_counts[d][0] = walk->size;
        parameters->pixel_counts[d][1] = of_size.multiplier;
        parameters->pixel_counts[d][2] = walk->taps;
        parameters->pixel_counts[d][3] = of_taps.multiplier;
        parameters->pixel_steps[d][0] = walk->step;
        parameters->pixel_steps[d][1] = (uint32_t)walk->start;
        parameters->pixel_steps[d][2] = (uint32_t)walk->tap_step;
        parameters->pixel_steps[d][3] = walk->stride;
        parameters->pixel_sizes[d][0] = walk->source_size;
        parameters->pixel_sizes[d][1] = of_size.shifts | of_taps.shifts << 16;
        parameters->pixel_sizes[d][2] = walk->divisor;
        parameters->pixel_sizes[d][3] = of_divisor.multiplier;
        parameters->divisor_shifts[d] = of_divisor.shifts;
        taps *= walk->taps; /* a filter's elements fit 32 bits */
    }
    const uint32_t inner = gather->channels_last ? gather->channels : taps;
    const struct vkdml_divisor divisor = vkdml_divisor(inner);
    const uint32_t channels[] = {inner, divisor.multiplier, divisor.shifts, gather->channel_stride};
    memcpy(parameters->channels, channels, sizeof(channels));
}

/* Whether taps may lie beyond an edge depends on sizes, of which general plans know nothing. */
uint32_t vkdml_product_pixel_bits(const struct vkdml_product *product) {
    const struct vkdml_product_gather *gather = &product->gather;
    uint32_t bits = product->scatter.rank << VKDML_PRODUCT_OUT_RANK_SHIFT;
    bits |= gather->rank | (gather->rank > 0 && gather->channels_last ? VKDML_PRODUCT_CHANNELS_LAST : 0);
    for (uint32_t d = 0; d < gather->rank; ++d) {
        const struct vkdml_product_walk *walk = &gather->walks[gather->rank - 1 - d];
        const bool may_miss = is_checked(walk) || (product->keeps_pixels && walk->taps > 1);
        bits |= (may_miss ? 1u : 0u) << (VKDML_PRODUCT_CHECKED_SHIFT + d);
        bits |= (walk->taps > 1 ? 1u : 0u) << (VKDML_PRODUCT_WALKED_SHIFT + d);
        bits |= (walk->divisor > 1 ? 1u : 0u) << (VKDML_PRODUCT_DIVIDED_SHIFT + d);
    }
    return bits;
}

void vkdml_product_fill_pixels(const struct vkdml_product *product, struct vkdml_product_parameters *parameters) {
    const struct vkdml_product_scatter *scatter = &product->scatter;
    for (uint32_t d = 0; d < scatter->rank; ++d) {
        const uint32_t size = scatter->sizes[scatter->rank - 1 - d];
        const struct vkdml_divisor divisor = vkdml_divisor(size);
        const uint32_t out[] = {size, divisor.multiplier, divisor.shifts, scatter->strides[scatter->rank - 1 - d]};
        memcpy(parameters->out_pixels[d], out, sizeof(out));
        parameters->operand_pixels[d] = scatter->operand_strides[scatter->rank - 1 - d];
    }
    if (product->gather.rank > 0) {
        fill_gather(&product->gather, parameters);
    }
}
