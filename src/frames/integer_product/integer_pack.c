#include "frames/integer_product/integer_pack.h"

#include <string.h>

#include "base/checked.h"
#include "kernels/blocks.h"
#include "plan/boxes.h"
#include "plan/step.h"

enum { RANK = VKDML_INTEGER_LINE_RANK };

/* Of a box of lines, behind their dimensions, the parts of a line. */
enum { PARTS = RANK, BOX_RANK };
enum { SOURCE, PACKED, ZERO_POINT, TENSORS };

#define VECTOR            16 /* bytes */
#define LONGEST_BY_WORDS  8
#define LOCAL_SIZE        64
#define SERIAL_LOCAL_SIZE 8

struct packing {
    const struct vkdml_integer_lines *lines;
    const struct vkdml_origin *packed;
    struct vkdml_builder *builder;
    uint32_t words; /* of a line */
    uint32_t width; /* words of a part */
};

uint32_t vkdml_integer_line_words(const struct vkdml_integer_lines *lines) {
    const uint64_t width = lines->count <= LONGEST_BY_WORDS ? 1 : VECTOR / 4;
    return (uint32_t)(vkdml_divide_up(lines->count, 4 * width) * width);
}

uint64_t vkdml_integer_line_count(const struct vkdml_integer_lines *lines) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < lines->rank && count <= UINT32_MAX; ++d) {
        count *= lines->dimensions[d].size;
    }
    return count;
}

/* ---- what a box takes ---- */

/* Coordinates of the source in a dimension of a box; where all are padding the first, which is not read. */
static struct vkdml_span reached(const struct vkdml_integer_dimension *dimension, uint32_t origin, uint32_t size) {
    const uint64_t end = (uint64_t)origin + size;
    const uint64_t last = (uint64_t)dimension->start + dimension->source_size;
    const uint64_t from = origin > dimension->start ? origin : dimension->start;
    const uint64_t to = end < last ? end : last;
    return from >= to ? (struct vkdml_span){0, 1} : (struct vkdml_span){from - dimension->start, to - from};
}

static struct vkdml_span source_span(const struct packing *packing, const struct vkdml_box *box) {
    const struct vkdml_integer_lines *lines = packing->lines;
    const uint64_t first = (uint64_t)box->origin[PARTS] * packing->width * 4;
    const uint64_t end = first + (uint64_t)box->size[PARTS] * packing->width * 4;
    const uint64_t elements = (end < lines->count ? end : lines->count) - first;
    struct vkdml_span span = {lines->source.first + first * lines->step, 1 + (elements - 1) * lines->step};
    for (uint32_t d = 0; d < lines->rank; ++d) {
        const struct vkdml_span q = reached(&lines->dimensions[d], box->origin[d], box->size[d]);
        span.first += q.first * lines->dimensions[d].stride;
        span.count += (q.count - 1) * lines->dimensions[d].stride;
    }
    return span;
}

/* Words of the output: lines of a box, with what lies between them. */
static struct vkdml_span packed_span(const struct packing *packing, const struct vkdml_box *box) {
    struct vkdml_span span = {packing->packed->first + (uint64_t)box->origin[PARTS] * packing->width,
                              (uint64_t)box->size[PARTS] * packing->width};
    uint64_t stride = packing->words;
    for (uint32_t d = packing->lines->rank; d-- > 0;) {
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
        stride *= packing->lines->dimensions[d].size;
    }
    return span;
}

static struct vkdml_window window_of(const struct packing *packing, uint32_t t, const struct vkdml_box *box) {
    if (t == SOURCE) {
        return vkdml_window_of(source_span(packing, box), 8);
    }
    if (t == PACKED) {
        return vkdml_window_of(packed_span(packing, box), 32);
    }
    return vkdml_window_of((struct vkdml_span){packing->lines->zero_point.first, 1}, 8);
}

static const struct vkdml_origin *origin_of(const struct packing *packing, uint32_t t) {
    return t == SOURCE ? &packing->lines->source : t == PACKED ? packing->packed : &packing->lines->zero_point;
}

/* Whether places of the source are looked at before it is read: in general plans always. */
static bool has_padding(const struct packing *packing) {
    bool has_padding = packing->builder->limits->general;
    for (uint32_t d = 0; d < packing->lines->rank; ++d) {
        const struct vkdml_integer_dimension *dimension = &packing->lines->dimensions[d];
        has_padding = has_padding || dimension->start != 0 || dimension->size > dimension->source_size;
    }
    return has_padding;
}

static bool exists(const struct packing *packing, uint32_t t) {
    return t != ZERO_POINT || (packing->lines->zero_point.type != DML_TENSOR_DATA_TYPE_UNKNOWN && has_padding(packing));
}

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct packing *packing = context;
    *fits = true;
    if (!exists(packing, t)) {
        return 0;
    }
    const struct vkdml_window window = window_of(packing, t, box);
    *fits = vkdml_fits(packing->builder->limits, origin_of(packing, t)->offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct packing *packing = context;
    struct vkdml_box line = *box;
    for (uint32_t other = 0; other < BOX_RANK; ++other) {
        line.size[other] = other == d ? box->size[d] : 1;
    }
    return t == SOURCE   ? source_span(packing, &line).count - 1
           : t == PACKED ? packed_span(packing, &line).count - 1
                         : 0;
}

/* ---- a step ---- */

/* Whether parts of lines are vectors of the source, too. */
static bool has_vectors(const struct packing *packing, const struct vkdml_box *box) {
    const struct vkdml_integer_lines *lines = packing->lines;
    const struct vkdml_window window = window_of(packing, SOURCE, box);
    const uint32_t place =
        vkdml_place_modulo_16(packing->builder->limits, lines->source.offset + window.offset, window.lead);
    bool has_vectors =
        packing->width > 1 && lines->step == 1 && lines->count % VECTOR == 0 && place == 0 && !has_padding(packing);
    for (uint32_t d = 0; d < lines->rank; ++d) {
        has_vectors = has_vectors && (box->size[d] == 1 || lines->dimensions[d].stride % VECTOR == 0);
    }
    return has_vectors;
}

/* Lines of a box, dimensions of more than one coordinate innermost first. Returns how many of these there are. */
static uint32_t fill_lines(const struct packing *packing, const struct vkdml_box *box,
                           struct vkdml_integer_pack_parameters *parameters) {
    const struct vkdml_integer_lines *lines = packing->lines;
    const bool is_padded = has_padding(packing);
    uint32_t rank = 0;
    for (uint32_t d = lines->rank; d-- > 0;) {
        const struct vkdml_integer_dimension *dimension = &lines->dimensions[d];
        const struct vkdml_span q = reached(dimension, box->origin[d], box->size[d]);
        parameters->first -= (uint32_t)q.first * dimension->stride;
        if (!is_padded && box->size[d] == 1) {
            parameters->first += box->origin[d] * dimension->stride;
            continue;
        }
        const struct vkdml_divisor divisor = vkdml_divisor(box->size[d]);
        const uint32_t size[] = {box->size[d], divisor.multiplier, divisor.shifts, dimension->stride};
        const uint32_t place[] = {dimension->start - box->origin[d], dimension->source_size};
        memcpy(parameters->sizes[rank], size, sizeof(size));
        memcpy(parameters->places[rank], place, sizeof(place));
        parameters->first += is_padded ? 0 : box->origin[d] * dimension->stride;
        ++rank;
    }
    return rank;
}

/* Lines of the output are one stride apart in a box that is cut along its outermost dimension alone. */
static bool has_even_lines(const struct packing *packing, const struct vkdml_box *box) {
    bool is_even = true, is_begun = false;
    for (uint32_t d = 0; d < packing->lines->rank; ++d) {
        is_even = is_even && (!is_begun || box->size[d] == packing->lines->dimensions[d].size);
        is_begun = is_begun || box->size[d] > 1;
    }
    return is_even;
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    struct packing *packing = context;
    const struct vkdml_integer_lines *lines = packing->lines;
    const struct vkdml_plan_limits *limits = packing->builder->limits;
    if (!has_even_lines(packing, box)) { /* its outermost dimension of several coordinates, one by one */
        VkdmlResult result = VKDML_SUCCESS;
        uint32_t outermost = 0;
        while (box->size[outermost] == 1) {
            ++outermost;
        }
        struct vkdml_box piece = *box;
        piece.size[outermost] = 1;
        for (uint32_t i = 0; i < box->size[outermost] && result == VKDML_SUCCESS; ++i) {
            piece.origin[outermost] = box->origin[outermost] + i;
            result = add(context, &piece);
        }
        return result;
    }
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(packing->builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    const bool along_lines = limits->general || lines->step != 1;
    struct vkdml_integer_pack_parameters parameters;
    memset(&parameters, 0, sizeof(parameters));
    uint64_t line_count = 1;
    for (uint32_t d = 0; d < lines->rank; ++d) {
        line_count *= box->size[d];
    }
    const uint64_t units = line_count * box->size[PARTS];
    const struct vkdml_divisor divisor = vkdml_divisor(along_lines ? (uint32_t)line_count : box->size[PARTS]);
    parameters.unit_count = (uint32_t)units; /* no more than words, which can be bound */
    parameters.group_count = (uint32_t)vkdml_divide_up(units, local_size);
    parameters.line_count = (uint32_t)line_count;
    parameters.part_count = box->size[PARTS];
    parameters.part_multiplier = divisor.multiplier;
    parameters.part_shifts = divisor.shifts;
    parameters.first_part = box->origin[PARTS];
    parameters.count = lines->count;
    parameters.step = lines->step;
    parameters.first = window_of(packing, SOURCE, box).lead - box->origin[PARTS] * packing->width * 4 * lines->step;
    parameters.target_first = window_of(packing, PACKED, box).lead - box->origin[PARTS] * packing->width;
    parameters.target_step = packing->words;
    const uint32_t rank = fill_lines(packing, box, &parameters);
    step->kernel = VKDML_KERNEL_INTEGER_PACK;
    vkdml_step_constant(step, VKDML_INTEGER_PACK_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_INTEGER_PACK_CONSTANT_SHAPE,
                        rank << VKDML_INTEGER_PACK_RANK_SHIFT |
                            (lines->source.type == DML_TENSOR_DATA_TYPE_UINT8 ? VKDML_INTEGER_PACK_IS_UNSIGNED : 0) |
                            (packing->width > 1 ? VKDML_INTEGER_PACK_BY_VECTORS : 0) |
                            (has_vectors(packing, box) ? VKDML_INTEGER_PACK_FROM_VECTORS : 0) |
                            (along_lines ? VKDML_INTEGER_PACK_ALONG_LINES : 0) |
                            (has_padding(packing) ? VKDML_INTEGER_PACK_HAS_PADDING : 0) |
                            (exists(packing, ZERO_POINT) ? VKDML_INTEGER_PACK_HAS_ZERO_POINT : 0));
    step->buffer_count = exists(packing, ZERO_POINT) ? TENSORS : ZERO_POINT;
    for (uint32_t t = 0; t < step->buffer_count; ++t) {
        const struct vkdml_window window = window_of(packing, t, box);
        step->buffers[t] = vkdml_origin_buffer(origin_of(packing, t), window.offset, window.size);
        parameters.zero_point = t == ZERO_POINT ? window.lead : 0;
    }
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(parameters.group_count, limits, packing->builder->report, step->groups);
}

VkdmlResult vkdml_integer_pack_plan(const struct vkdml_integer_lines *lines, const struct vkdml_origin *packed,
                                    struct vkdml_builder *builder) {
    const uint32_t words = vkdml_integer_line_words(lines);
    struct packing packing = {lines, packed, builder, words, words % 4 == 0 ? 4 : 1};
    const struct vkdml_covering covering = {&packing, BOX_RANK, TENSORS, builder, bytes, reach, add};
    struct vkdml_box whole = {{0}, {0}};
    for (uint32_t d = 0; d < RANK; ++d) {
        whole.size[d] = d < lines->rank ? lines->dimensions[d].size : 1;
    }
    whole.size[PARTS] = words / packing.width;
    return vkdml_cover(&covering, &whole);
}
