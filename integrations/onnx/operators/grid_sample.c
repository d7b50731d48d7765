/* GridSample, which DirectML has not: coordinates are computed element by element, and neighbours gathered. */
#include <string.h>

#include "onnx/operators/move.h"

enum sampling { NEAREST, LINEAR, CUBIC };
enum border { ZEROS, BORDER, REFLECTION };

struct grid {
    enum sampling sampling;
    enum border border;
    bool aligns_corners;
    uint32_t dimensions, batches, channels, count; /* count: of the output's places */
    const uint32_t *sizes;                         /* of the input's dimensions */
};

/* A neighbour along one dimension: an index, its weight, and whether it is there; NULL where that is always so. */
struct neighbour {
    struct onnx_tensor *index, *weight, *is_there;
};

/* There and back between the first and the last place, however far beyond. */
static struct onnx_tensor *reflect(const struct onnx_call *call, const struct grid *grid, struct onnx_tensor *place,
                                   uint32_t size) {
    const float least = grid->aligns_corners ? 0 : -0.5F, range = grid->aligns_corners ? (float)size - 1 : (float)size;
    struct onnx_tensor *way = onnx_linear(call, place, 1, -least);
    struct onnx_tensor *turns =
        onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_FLOOR, onnx_linear(call, way, 1 / (2 * range), 0));
    way = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, way, onnx_linear(call, turns, 2 * range, 0));
    way = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MIN, way, onnx_linear(call, way, -1, 2 * range));
    return onnx_linear(call, way, 1, least);
}

static struct onnx_tensor *put_within(const struct onnx_call *call, const struct grid *grid, struct onnx_tensor *place,
                                      uint32_t size) {
    switch (grid->border) {
    case BORDER:
        return onnx_clip(call, place, 0, (float)(size - 1.0));
    case REFLECTION:
        return reflect(call, grid, place, size);
    default:
        return place;
    }
}

/* Places in one dimension, of -1 to 1 in the grid. */
static struct onnx_tensor *find_places(const struct onnx_call *call, const struct grid *grid,
                                       struct onnx_tensor *points, uint32_t dimension) {
    const float size = (float)grid->sizes[dimension];
    struct onnx_tensor *part = onnx_slice_axis(call, points, 2, grid->dimensions - 1 - dimension, 1, 1);
    part = onnx_reshape(call, part, 3, (uint32_t[]){grid->batches, 1, grid->count});
    part = onnx_linear(call, part, 1, 1);
    part = grid->aligns_corners ? onnx_linear(call, part, (size - 1) / 2, 0)
                                : onnx_linear(call, onnx_linear(call, part, size, -1), 0.5F, 0);
    part = grid->sampling == NEAREST ? onnx_round(call, part) : part;
    /* Of a cubic filter the border goes on, as ONNX Runtime and PyTorch have it; ONNX's reference moves the place. */
    const bool goes_on = grid->sampling == CUBIC && grid->border == BORDER;
    return goes_on ? part : put_within(call, grid, part, grid->sizes[dimension]);
}

/* Of the element at an offset from a place's floor. */
static bool set_neighbour(const struct onnx_call *call, const struct grid *grid, struct onnx_tensor *low, float offset,
                          uint32_t size, struct neighbour *neighbour) {
    struct onnx_tensor *index = offset == 0 ? low : onnx_linear(call, low, 1, offset);
    if (grid->border == ZEROS) {
        struct onnx_tensor *not_before = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL,
                                                      index, onnx_number(call, ONNX_FLOAT, 0));
        struct onnx_tensor *not_behind = onnx_compare(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, index,
                                                      onnx_number(call, ONNX_FLOAT, (double)size));
        neighbour->is_there = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND, onnx_as_bits(call, not_before),
                                          onnx_as_bits(call, not_behind));
        if (neighbour->is_there == NULL) {
            return false;
        }
    } else {
        index = put_within(call, grid, index, size);
    }
    neighbour->index = onnx_cast(call, onnx_clip(call, index, 0, (float)(size - 1.0)), ONNX_INT32);
    return neighbour->index != NULL;
}

/* Weights of ONNX's cubic filter, a of -0.75, for the distance from the floor: polynomials by their factors. */
static struct onnx_tensor *cubic_weight(const struct onnx_call *call, struct onnx_tensor *rest, uint32_t tap) {
    static const float factors[4][4] = {
        {-0.75F, 1.5F, -0.75F, 0}, {1.25F, -2.25F, 0, 1}, {-1.25F, 1.5F, 0.75F, 0}, {0.75F, -0.75F, 0, 0}};
    struct onnx_tensor *sum = onnx_linear(call, rest, factors[tap][0], factors[tap][1]);
    for (uint32_t i = 2; i < 4; ++i) {
        sum = onnx_linear(call, onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, sum, rest), 1, factors[tap][i]);
    }
    return sum;
}

static uint32_t tap_count(const struct grid *grid) {
    return grid->sampling == NEAREST ? 1 : grid->sampling == LINEAR ? 2 : 4;
}

static bool find_neighbours(const struct onnx_call *call, const struct grid *grid, struct onnx_tensor *points,
                            uint32_t dimension, struct neighbour neighbours[4]) {
    struct onnx_tensor *place = find_places(call, grid, points, dimension);
    const uint32_t size = grid->sizes[dimension];
    if (grid->sampling == NEAREST) {
        return place != NULL && set_neighbour(call, grid, place, 0, size, &neighbours[0]);
    }
    struct onnx_tensor *low = onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_FLOOR, place);
    struct onnx_tensor *rest = low == NULL ? NULL : onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_SUBTRACT, place, low);
    for (uint32_t t = 0; rest != NULL && t < tap_count(grid); ++t) {
        const float offset = (float)t - (grid->sampling == CUBIC ? 1 : 0);
        neighbours[t].weight = grid->sampling == CUBIC ? cubic_weight(call, rest, t)
                               : t == 0                ? onnx_linear(call, rest, -1, 1)
                                                       : rest;
        if (neighbours[t].weight == NULL || !set_neighbour(call, grid, low, offset, size, &neighbours[t])) {
            return false;
        }
    }
    return rest != NULL;
}

/* One element of all dimensions' neighbours, times its weight. */
static struct onnx_tensor *gather_one(const struct onnx_call *call, const struct grid *grid, struct onnx_tensor *data,
                                      const struct neighbour *const *corner) {
    struct neighbour all = *corner[0];
    for (uint32_t d = 1; d < grid->dimensions; ++d) {
        all.index = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, all.index,
                                onnx_number(call, ONNX_INT32, (double)grid->sizes[d]));
        all.index = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, all.index, corner[d]->index);
        if (all.weight != NULL) {
            all.weight = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, all.weight, corner[d]->weight);
        }
        if (all.is_there != NULL) {
            all.is_there = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND, all.is_there, corner[d]->is_there);
        }
    }
    const uint32_t sizes[3] = {grid->batches, grid->channels, grid->count};
    struct onnx_tensor *indices = onnx_broadcast(call, all.index, 3, sizes);
    DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {.Axis = 2};
    struct onnx_tensor *made = onnx_make(call, DML_OPERATOR_GATHER_ELEMENTS, &desc, ONNX_TENSORS(data, indices));
    if (made != NULL && all.is_there != NULL) {
        made = onnx_select(call, all.is_there, made, onnx_number(call, made->type, 0));
    }
    return made == NULL || grid->sampling == NEAREST
               ? made
               : onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, made, all.weight);
}

static struct onnx_tensor *sample(const struct onnx_call *call, const struct grid *grid, struct onnx_tensor *data,
                                  struct onnx_tensor *points) {
    struct neighbour neighbours[3][4];
    memset(neighbours, 0, sizeof neighbours);
    const uint32_t taps = tap_count(grid);
    uint32_t corners = 1;
    for (uint32_t d = 0; d < grid->dimensions; ++d) {
        corners *= taps;
        if (!find_neighbours(call, grid, points, d, neighbours[d])) {
            return NULL;
        }
    }
    struct onnx_tensor *sum = NULL;
    for (uint32_t c = 0; c < corners; ++c) {
        const struct neighbour *corner[3] = {neighbours[0], neighbours[0], neighbours[0]};
        uint32_t rest = c;
        for (uint32_t d = grid->dimensions; d-- > 0;) {
            corner[d] = &neighbours[d][rest % taps];
            rest /= taps;
        }
        struct onnx_tensor *part = gather_one(call, grid, data, corner);
        sum = sum == NULL || part == NULL ? part : onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, sum, part);
        if (sum == NULL) {
            return NULL;
        }
    }
    return sum;
}

static bool read_grid(const struct onnx_call *call, struct grid *grid) {
    const char *mode = onnx_text(call, "mode", call->node->version < 20 ? "bilinear" : "linear");
    const char *border = onnx_text(call, "padding_mode", "zeros");
    grid->aligns_corners = onnx_int(call, "align_corners", 0) != 0;
    if (strcmp(mode, "nearest") == 0) {
        grid->sampling = NEAREST;
    } else if (strcmp(mode, "linear") == 0 || strcmp(mode, "bilinear") == 0) {
        grid->sampling = LINEAR;
    } else if (strcmp(mode, "cubic") == 0 || strcmp(mode, "bicubic") == 0) {
        grid->sampling = CUBIC;
    } else {
        return onnx_refuse(call, "mode %s", mode);
    }
    if (strcmp(border, "zeros") != 0 && strcmp(border, "border") != 0 && strcmp(border, "reflection") != 0) {
        return onnx_refuse(call, "padding_mode %s", border);
    }
    grid->border = border[0] == 'z' ? ZEROS : border[0] == 'b' ? BORDER : REFLECTION;
    return true;
}

static bool check_grid(const struct onnx_call *call, const struct grid *grid, const struct onnx_tensor *input,
                       const struct onnx_tensor *points) {
    uint64_t elements = 1;
    if (grid->dimensions > 3 || (grid->sampling == CUBIC && grid->dimensions != 2) || points->rank != input->rank ||
        points->sizes[points->rank - 1] != grid->dimensions || points->sizes[0] != input->sizes[0] ||
        points->type != ONNX_FLOAT) {
        return onnx_refuse_type(call, "a grid of other dimensions or of another type");
    }
    for (uint32_t d = 0; d < grid->dimensions; ++d) {
        elements *= grid->sizes[d];
        if (grid->sizes[d] == 1 && grid->aligns_corners && grid->border == REFLECTION) {
            return onnx_refuse(call, "reflection of one element");
        }
        if (elements > INT32_MAX) {
            return onnx_refuse(call, "more than 2^31 - 1 elements");
        }
    }
    return elements != 0 || onnx_refuse(call, "an input of no elements");
}

static bool grid_sample(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0), *points = onnx_needed(call, 1);
    struct grid grid = {0};
    if (input == NULL || points == NULL || input->rank < 3 || !read_grid(call, &grid)) {
        return onnx_refuse(call, "no input");
    }
    grid.dimensions = input->rank - 2;
    grid.sizes = input->sizes + 2;
    grid.batches = input->sizes[0];
    grid.channels = input->sizes[1];
    if (!check_grid(call, &grid, input, points)) {
        return false;
    }
    uint32_t sizes[ONNX_MAX_RANK] = {grid.batches, grid.channels};
    uint64_t count = 1, elements = 1;
    for (uint32_t d = 0; d < grid.dimensions; ++d) {
        sizes[d + 2] = points->sizes[d + 1];
        count *= sizes[d + 2];
        elements *= grid.sizes[d];
    }
    struct onnx_tensor *result = onnx_declare(call, input->type, input->rank, sizes);
    if (result == NULL || onnx_is_empty(result)) {
        return onnx_output(call, 0, result);
    }
    if (count > UINT32_MAX) {
        return onnx_refuse(call, "sizes beyond 32 bits");
    }
    grid.count = (uint32_t)count;
    const enum onnx_type type = input->type;
    struct onnx_tensor *data = onnx_as_bits(call, input);
    if (grid.sampling != NEAREST) {
        if (type != ONNX_FLOAT && type != ONNX_FLOAT16) {
            return onnx_refuse_type(call, "%s between elements", onnx_type_name(type));
        }
        data = onnx_cast(call, input, ONNX_FLOAT);
    }
    data = onnx_reshape(call, data, 3, (uint32_t[]){grid.batches, grid.channels, (uint32_t)elements});
    points = onnx_reshape(call, points, 3, (uint32_t[]){grid.batches, grid.count, grid.dimensions});
    if (data == NULL || points == NULL) {
        return false;
    }
    result = sample(call, &grid, data, points);
    result = grid.sampling == NEAREST ? onnx_reinterpret(call, result, type) : onnx_cast(call, result, type);
    return onnx_output(call, 0, onnx_reshape(call, result, input->rank, sizes));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "GridSample", 16, grid_sample},
};
ONNX_DEFINE_FAMILY(grid_sample, rows)
