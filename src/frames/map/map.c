#include "frames/map/map.h"

#include <assert.h>
#include <string.h>

#include "frames/map/map_step.h"
#include "plan/step.h"

void vkdml_map_begin(struct vkdml_map *map, struct vkdml_view output) {
    memset(map, 0, sizeof(*map));
    map->tensors[VKDML_MAP_OUTPUT] = output.at;
    map->rank = output.rank;
    for (uint32_t d = 0; d < map->rank; ++d) {
        map->dimensions[d].size = output.sizes[d];
        map->dimensions[d].strides[VKDML_MAP_OUTPUT] = output.strides[d];
    }
}

void vkdml_map_set_operand(struct vkdml_map *map, uint32_t operand, struct vkdml_view tensor) {
    map->tensors[operand] = tensor.at;
    map->is_index[operand] = false;
    for (uint32_t d = 0; d < map->rank; ++d) {
        map->dimensions[d].strides[operand] = tensor.sizes[d] == 1 ? 0 : tensor.strides[d];
    }
}

#define RECORDS 2

/* Whether records are found by the number of an element: the output is packed, and as its dimensions lie those in which
 * records differ are neighbours, and records lie in their order. `inner` elements side by side have one of `count`. */
static bool number_records(const struct vkdml_map *map, uint32_t *inner, uint32_t *count) {
    struct vkdml_dimension sorted[2 * VKDML_MAX_DIMENSIONS];
    uint32_t elements = 1;
    bool is_behind = false; /* the records' dimensions */
    *inner = *count = 1;
    memcpy(sorted, map->dimensions, map->rank * sizeof(*sorted));
    for (uint32_t d = vkdml_dimensions_collapse(sorted, map->rank, VKDML_MAP_OUTPUT); d-- > 0;) {
        const struct vkdml_dimension *dimension = &sorted[d];
        const bool differs = dimension->strides[RECORDS] != 0;
        if (dimension->strides[VKDML_MAP_OUTPUT] != elements ||
            (differs && (is_behind || dimension->strides[RECORDS] != *count))) {
            return false;
        }
        is_behind = is_behind || (!differs && *count > 1);
        *count *= differs ? dimension->size : 1;
        *inner *= differs || is_behind ? 1 : dimension->size;
        elements *= dimension->size;
    }
    return true;
}

static void set_number_arguments(uint32_t *arguments, uint32_t by) {
    const struct vkdml_divisor divisor = vkdml_divisor(by);
    arguments[0] = by;
    arguments[1] = divisor.multiplier;
    arguments[2] = divisor.shifts;
}

void vkdml_map_set_records(struct vkdml_map *map, struct vkdml_view first_words,
                           const struct vkdml_plan_limits *limits) {
    const uint64_t bytes = (uint64_t)vkdml_view_elements(&first_words) * VKDML_MAP_RECORD_WORDS * sizeof(float);
    uint32_t inner, count;
    vkdml_map_set_operand(map, RECORDS, first_words);
    map->has_records = true;
    map->tensors[RECORDS].first /= VKDML_MAP_RECORD_WORDS;
    for (uint32_t d = 0; d < map->rank; ++d) {
        map->dimensions[d].strides[RECORDS] /= VKDML_MAP_RECORD_WORDS;
    }
    if (number_records(map, &inner, &count) && map->tensors[RECORDS].first == 0 &&
        vkdml_fits(limits, map->tensors[RECORDS].offset, bytes)) {
        map->is_index[RECORDS] = true;
        map->record_bytes = bytes;
        set_number_arguments(map->arguments, inner);
        set_number_arguments(map->arguments + 4, count);
        for (uint32_t d = 0; d < map->rank; ++d) {
            map->dimensions[d].strides[RECORDS] = map->dimensions[d].strides[VKDML_MAP_OUTPUT];
        }
    }
}

void vkdml_map_set_epilogue(struct vkdml_map *map, const struct vkdml_epilogue *epilogue) {
    uint32_t *arguments = map->arguments + VKDML_MAP_FUNCTION_ARGUMENTS;
    assert(epilogue->count <= 1 && (epilogue->count == 0 || epilogue->steps[0].operation == VKDML_MAP_FIRST));
    if (epilogue->count != 0) {
        map->function = vkdml_epilogue_function(epilogue, arguments);
    }
}

void vkdml_map_set_index(struct vkdml_map *map, uint32_t operand, const uint32_t *strides) {
    map->tensors[operand] = (struct vkdml_origin){.type = DML_TENSOR_DATA_TYPE_UINT32};
    map->is_index[operand] = true;
    for (uint32_t d = 0; d < map->rank; ++d) {
        map->dimensions[d].strides[operand] = strides[d];
    }
}

void vkdml_map_exchange(struct vkdml_map *map, uint32_t a, uint32_t b) {
    const struct vkdml_origin tensor = map->tensors[a];
    const bool is_index = map->is_index[a];
    map->tensors[a] = map->tensors[b];
    map->is_index[a] = map->is_index[b];
    map->tensors[b] = tensor;
    map->is_index[b] = is_index;
    for (uint32_t d = 0; d < map->rank; ++d) {
        uint32_t *strides = map->dimensions[d].strides;
        const uint32_t stride = strides[a];
        strides[a] = strides[b];
        strides[b] = stride;
    }
}

void vkdml_map_split(struct vkdml_map *map, uint32_t d, uint32_t count) {
    memmove(map->dimensions + d + 1, map->dimensions + d, (map->rank - d) * sizeof(*map->dimensions));
    ++map->rank;
    struct vkdml_dimension *blocks = &map->dimensions[d];
    struct vkdml_dimension *elements = &map->dimensions[d + 1];
    elements->size /= count;
    blocks->size = count;
    for (uint32_t t = 0; t <= VKDML_MAP_OUTPUT; ++t) {
        blocks->strides[t] *= elements->size;
    }
}

static void collapse(struct vkdml_map *map) {
    map->rank = vkdml_dimensions_collapse(map->dimensions, map->rank, VKDML_MAP_OUTPUT);
    if (map->rank == 0) {
        map->dimensions[0] = (struct vkdml_dimension){.size = 1, .strides = {1, 1, 1, 1, 1, 1}};
        map->rank = 1;
    }
}

/* ---- windows ---- */

struct windows {
    const struct vkdml_map *map;
    struct vkdml_builder *builder;
};

/* Tensors in the order in which they are made to fit: the output first. */
static uint32_t tensor_at(uint32_t n) {
    return VKDML_MAP_OUTPUT - n;
}

static bool is_bound(const struct vkdml_map *map, uint32_t t) {
    return map->tensors[t].type != DML_TENSOR_DATA_TYPE_UNKNOWN && !map->is_index[t];
}

static struct vkdml_window window_of(const struct vkdml_map *map, uint32_t t, const struct vkdml_box *box) {
    struct vkdml_span span = {map->tensors[t].first, 1};
    for (uint32_t d = 0; d < map->rank; ++d) {
        const uint64_t stride = map->dimensions[d].strides[t];
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
    }
    const uint32_t words = map->has_records && t == RECORDS ? VKDML_MAP_RECORD_WORDS : 1;
    return vkdml_window_of(span, words * vkdml_data_type_bits(map->tensors[t].type));
}

static uint64_t bytes(void *context, uint32_t n, const struct vkdml_box *box, bool *fits) {
    const struct windows *w = context;
    const uint32_t t = tensor_at(n);
    *fits = true;
    if (!is_bound(w->map, t)) {
        return 0;
    }
    const struct vkdml_window window = window_of(w->map, t, box);
    *fits = vkdml_fits(w->builder->limits, w->map->tensors[t].offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t n, const struct vkdml_box *box, uint32_t d) {
    const struct windows *w = context;
    return (uint64_t)(box->size[d] - 1) * w->map->dimensions[d].strides[tensor_at(n)];
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    const struct windows *w = context;
    struct vkdml_map_part part = {.box = *box};
    for (uint32_t t = 0; t <= VKDML_MAP_OUTPUT; ++t) {
        if (is_bound(w->map, t)) {
            part.windows[t] = window_of(w->map, t, box);
        }
    }
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(w->builder, &step);
    return result == VKDML_SUCCESS ? vkdml_map_fill_step(w->map, &part, w->builder->limits, w->builder->report, step)
                                   : result;
}

/* Kernels know so many dimensions. More are left only where blocks have scales of their own in several. */
static VkdmlResult cover_outermost(const struct vkdml_covering *covering, struct vkdml_box *box, uint32_t d) {
    const struct windows *w = covering->context;
    if (w->map->rank - d <= VKDML_MAX_DIMENSIONS) {
        return vkdml_cover(covering, box);
    }
    VkdmlResult result = VKDML_SUCCESS;
    box->size[d] = 1;
    for (uint32_t c = 0; c < w->map->dimensions[d].size && result == VKDML_SUCCESS; ++c) {
        box->origin[d] = c;
        result = cover_outermost(covering, box, d + 1);
    }
    return result;
}

struct names {
    const char *of[VKDML_DIMENSION_STRIDES];
};

/* What the strides of tensors are called, of those that there are. */
static struct names names_of(const struct vkdml_map *map) {
    struct names names = {{"a strides", "b strides", "c strides", "d strides", "e strides", "output strides"}};
    for (uint32_t t = 0; t < VKDML_MAP_OPERANDS; ++t) {
        names.of[t] = map->tensors[t].type != DML_TENSOR_DATA_TYPE_UNKNOWN ? names.of[t] : NULL;
    }
    return names;
}

VkdmlResult vkdml_map_plan(const struct vkdml_map *map, struct vkdml_builder *builder) {
    struct vkdml_map collapsed = *map;
    collapse(&collapsed);
    const struct names names = names_of(&collapsed);
    vkdml_dimensions_note(collapsed.dimensions, collapsed.rank, "map, collapsed", names.of, builder->report);
    struct windows w = {&collapsed, builder};
    const struct vkdml_covering covering = {&w, collapsed.rank, VKDML_MAP_OPERANDS + 1, builder, bytes, reach, add};
    struct vkdml_box whole = vkdml_box_of(collapsed.rank, &collapsed.dimensions->size, sizeof(*collapsed.dimensions));
    return cover_outermost(&covering, &whole, 0);
}
