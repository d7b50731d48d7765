#include "frames/index/index_step.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"

#define INPUT   VKDML_INDEX_OF_INPUT
#define INDICES VKDML_INDEX_OF_INDICES
#define REST    VKDML_INDEX_OF_REST
#define OUTPUT  VKDML_INDEX_OF_OUTPUT

/* A multiple of every subgroup size in use, 4 to 128; devices that allow fewer invocations get fewer. */
#define LOCAL_SIZE 256

/* Of CPUs: an invocation per lane of lavapipe's vectors, of so many items, and fewer of small tensors so that there are
 * at least so many to share out. */
#define SERIAL_LOCAL_SIZE 8
#define SERIAL_ITEMS      1024
#define LEAST_SHARES      64

/* Lavapipe ends all loops of an invocation after 65,535 turns in total, silently. */
#define MOST_TURNS 60000

/* Of a row beside its elements'. */
#define ROW_TURNS 20

#define VECTOR_BYTES 16u

/* Of GPUs: the bytes of a strip (place.glsl), of which some fit a cache, and of one of its rows at least. */
#define STRIP_BYTES (UINT64_C(8) << 20)
#define LEAST_STRIP 64

/* Of GPUs: the elements of a line that keep a workgroup busy, and the bytes of the lines of one that lets others run
 * beside it. */
#define LEAST_LINE  512
#define LINES_BYTES 16384u

/* Shared memory says how many workgroups run side by side, so that they are the larger the more of it they take: on an
 * H200 lines of 4 KiB are best with 256 invocations, of 16 KiB with 512, of 32 KiB with 1024. */
#define BYTES_OF_INVOCATION    32
#define LEAST_LINES_LOCAL_SIZE 256
#define MOST_LINES_LOCAL_SIZE  1024

/* A part whose dimensions all have more than one coordinate, but for the row. */
struct shape {
    uint32_t rank; /* of outer dimensions */
    struct vkdml_dimension outer[VKDML_MAX_DIMENSIONS];
    struct vkdml_dimension row;
    uint32_t run_rank;   /* of the outer dimensions, those outside a run: rows that lie side by side in the output */
    uint32_t run_length; /* elements */
    uint32_t item;       /* elements: 16 bytes of the output, or one of a row with gaps */
};

static bool has_rest(const struct vkdml_index *index) {
    return index->mode == VKDML_INDEX_SCATTER || index->mode == VKDML_INDEX_UPDATE;
}

static void find_shape(const struct vkdml_index *index, const struct vkdml_box *box, struct shape *shape) {
    memset(shape, 0, sizeof(*shape));
    shape->row.size = 1;
    shape->rank = vkdml_dimensions_take(index->dimensions, index->rank, box->size, shape->outer);
    if (shape->rank > 0) {
        shape->row = shape->outer[--shape->rank];
    }
    shape->run_rank = shape->rank;
    shape->run_length = shape->row.size;
    const bool has_gaps = index->mode == VKDML_INDEX_MARK || (shape->row.size > 1 && shape->row.strides[OUTPUT] != 1);
    if (!has_gaps) {
        shape->run_rank = vkdml_dimensions_run(shape->outer, shape->rank, OUTPUT, &shape->run_length);
    }
    shape->item = has_gaps ? 1 : VECTOR_BYTES / index->element_bytes;
}

/* Of general plans: element by element, through as many dimensions as there can be. */
static void make_general(struct shape *shape) {
    vkdml_dimensions_make_general(shape->outer, &shape->rank);
    shape->run_rank = shape->rank;
    shape->run_length = shape->row.size;
    shape->item = 1;
}

/* The coordinates of the first outer dimensions. */
static uint32_t count_outer(const struct shape *shape, uint32_t rank) {
    uint32_t count = 1;
    for (uint32_t d = 0; d < rank; ++d) {
        count *= shape->outer[d].size;
    }
    return count;
}

static uint32_t count_runs(const struct shape *shape) {
    return count_outer(shape, shape->run_rank);
}

static uint64_t first_of_box(const struct vkdml_index *index, const struct vkdml_box *box, enum vkdml_index_stride t) {
    uint64_t first = 0;
    for (uint32_t d = 0; d < index->rank; ++d) {
        first += box->origin[d] * (uint64_t)index->dimensions[d].strides[t];
    }
    return first;
}

/* The place of the input's first element of the box in what is bound: that may begin behind it. */
static uint32_t first_of_input(const struct vkdml_index *index, const struct vkdml_index_part *part) {
    return (uint32_t)(index->input.first + first_of_box(index, &part->box, INPUT) -
                      part->input.offset / index->element_bytes);
}

/* Where a window's element `first` lies modulo `unit` elements, a power of two up to 16 bytes, counted from the
 * descriptor's start. */
static uint32_t place_of(const struct vkdml_plan_limits *limits, uint64_t offset, uint32_t first,
                         uint32_t element_bytes, uint32_t unit) {
    return (vkdml_place_modulo_16(limits, offset, 0) / element_bytes + first) % unit;
}

/* Whether outer dimensions lead by multiples of `unit` elements, in the output and in `t`. */
static bool keeps_place(const struct shape *shape, enum vkdml_index_stride t, uint32_t unit) {
    for (uint32_t d = 0; d < shape->rank; ++d) {
        if (shape->outer[d].strides[t] % unit != 0 || shape->outer[d].strides[OUTPUT] % unit != 0) {
            return false;
        }
    }
    return true;
}

static uint32_t place_of_output(const struct vkdml_index *index, const struct vkdml_index_part *part,
                                const struct vkdml_plan_limits *limits, uint32_t unit) {
    return place_of(limits, index->output.offset + part->output.offset, part->output.lead, index->element_bytes, unit);
}

/* Whether every item's elements begin at a multiple of 16 bytes of the input, as those of the output do. */
static bool is_aligned(const struct vkdml_index *index, const struct vkdml_index_part *part, const struct shape *shape,
                       const struct vkdml_plan_limits *limits) {
    for (uint32_t k = 0; k < index->column_count; ++k) {
        if (index->columns[k].stride % shape->item != 0) {
            return false;
        }
    }
    const bool rest_is_aligned = !has_rest(index) || (keeps_place(shape, REST, shape->item) &&
                                                      place_of(limits, index->rest.offset + part->rest.offset,
                                                               part->rest.lead, index->element_bytes, shape->item) ==
                                                          place_of_output(index, part, limits, shape->item));
    return rest_is_aligned && keeps_place(shape, INPUT, shape->item) &&
           place_of(limits, index->input.offset + part->input.offset, first_of_input(index, part), index->element_bytes,
                    shape->item) == place_of_output(index, part, limits, shape->item);
}

/* Whether the indices of every item are whole vectors of them. */
static bool has_index_vectors(const struct vkdml_index *index, const struct vkdml_index_part *part,
                              const struct shape *shape, const struct vkdml_plan_limits *limits) {
    const uint32_t unit = VECTOR_BYTES / index->index_bytes;
    return shape->row.strides[INDICES] == 1 && shape->item % unit == 0 && keeps_place(shape, INDICES, unit) &&
           place_of(limits, index->indices.offset + part->indices.offset, part->indices.lead, index->index_bytes,
                    unit) == place_of_output(index, part, limits, unit);
}

static enum vkdml_index_row row_of(const struct vkdml_index *index, const struct vkdml_index_part *part,
                                   const struct shape *shape, const struct vkdml_plan_limits *limits) {
    if (shape->item == 1 || shape->row.size == 1) {
        return VKDML_INDEX_ROW_SHARED;
    }
    if (shape->row.strides[INDICES] != 0) {
        return has_index_vectors(index, part, shape, limits) ? VKDML_INDEX_ROW_VECTORS : VKDML_INDEX_ROW_EACH;
    }
    /* Wider elements are compared one by one: on lavapipe 8 bits take 0.6 of the time this way, 32 bits more. */
    if (index->mode == VKDML_INDEX_ONE_HOT && index->element_bytes == 1 && shape->row.strides[REST] == 1 &&
        shape->row.size >= shape->item && part->box.size[index->rank - 1] == index->dimensions[index->rank - 1].size) {
        return VKDML_INDEX_ROW_ALONG;
    }
    if (shape->row.strides[INPUT] != 1 || shape->row.strides[REST] != (index->mode == VKDML_INDEX_SCATTER ? 1u : 0u)) {
        return VKDML_INDEX_ROW_SHARED;
    }
    return is_aligned(index, part, shape, limits) ? VKDML_INDEX_ROW_ALIGNED : VKDML_INDEX_ROW_TOGETHER;
}

static void fill_parameters(const struct vkdml_index *index, const struct vkdml_index_part *part,
                            const struct shape *shape, struct vkdml_index_parameters *parameters) {
    memset(parameters, 0, sizeof(*parameters));
    for (uint32_t d = 0; d < shape->rank; ++d) {
        const struct vkdml_divisor divisor = vkdml_divisor(shape->outer[d].size);
        parameters->sizes[d][0] = shape->outer[d].size;
        parameters->sizes[d][1] = divisor.multiplier;
        parameters->sizes[d][2] = divisor.shifts;
        memcpy(parameters->strides[d], shape->outer[d].strides, sizeof(parameters->strides[d]));
    }
    for (uint32_t k = 0; k < index->column_count; ++k) {
        parameters->column_sizes[k] = index->columns[k].size;
        parameters->column_strides[k] = index->columns[k].stride;
    }
    memcpy(parameters->row_strides, shape->row.strides, sizeof(parameters->row_strides));
    parameters->row_length = shape->row.size;
    parameters->row_divisor = vkdml_divisor(shape->row.size);
    parameters->run_length = shape->run_length;
    /* A run may begin up to one element short of an item's end. */
    parameters->items_per_run = (uint32_t)vkdml_divide_up((uint64_t)shape->run_length + shape->item - 1, shape->item);
    parameters->items_divisor = vkdml_divisor(parameters->items_per_run);
    parameters->item_count = count_runs(shape) * parameters->items_per_run; /* at most the elements */
    parameters->firsts[INPUT] = first_of_input(index, part);
    parameters->firsts[INDICES] = part->indices.lead;
    parameters->firsts[REST] = has_rest(index) ? part->rest.lead : (uint32_t)first_of_box(index, &part->box, REST);
    parameters->firsts[OUTPUT] = part->output.lead;
    parameters->column_index_stride = index->column_index_stride;
    parameters->input_count = (uint32_t)(part->input.size / index->element_bytes);
    parameters->writes_rest = part->is_first_window;
}

/* The shift of the items that a strip (place.glsl) is wide: 0 where strips are of no use, because indices lead
 * elsewhere than to other rows, or all rows fit a cache. */
static uint32_t strip_shift_of(const struct vkdml_index *index, const struct vkdml_index_part *part,
                               const struct shape *shape, const struct vkdml_plan_limits *limits) {
    const bool is_mark = index->mode == VKDML_INDEX_MARK;
    if (shape->rank == 0 || shape->outer[shape->rank - 1].strides[INPUT] != 0 || shape->row.strides[INPUT] == 0 ||
        shape->row.strides[INDICES] == 0 || shape->row.size % shape->item != 0 ||
        (!is_mark &&
         (shape->run_rank != 0 || shape->item == 1 || place_of_output(index, part, limits, shape->item) != 0))) {
        return 0;
    }
    const uint32_t item_bytes = shape->item * index->element_bytes, width = shape->row.size / shape->item;
    const uint64_t rows = shape->outer[shape->rank - 1].size;
    uint32_t shift = 0;
    while (width >> shift >= 8 && (rows * item_bytes << (shift + 1)) <= STRIP_BYTES) {
        ++shift;
    }
    const bool fits = rows * width * item_bytes <= STRIP_BYTES;
    const bool is_short = (uint64_t)count_runs(shape) * shape->run_length <= UINT32_MAX / 2;
    return !fits && is_short && item_bytes << shift >= LEAST_STRIP ? shift : 0;
}

/* Sets what strips need; returns their items, and those of the last ones that are none. */
static uint32_t fill_strips(const struct shape *shape, uint32_t strip_shift,
                            struct vkdml_index_parameters *parameters) {
    const uint32_t width = shape->row.size / shape->item;
    const uint32_t strips = ((width - 1) >> strip_shift) + 1;
    parameters->strip_shift = strip_shift;
    parameters->strips_divisor = vkdml_divisor(strips);
    parameters->item_count = count_runs(shape) * (shape->run_length / shape->item); /* whole ones */
    return parameters->item_count / width * (strips << strip_shift);
}

/* ---- lines in shared memory ---- */

/* The elements that an invocation takes at once of a line. */
static uint32_t unit_of(const struct vkdml_index *index) {
    return index->element_bytes == 8 ? 2 : 4;
}

/* Whether lines begin at multiples of `unit` elements of a tensor. */
static bool begins_at(const struct vkdml_index *index, const struct shape *shape, enum vkdml_index_stride t,
                      uint64_t offset, uint32_t first, uint32_t unit, const struct vkdml_plan_limits *limits) {
    for (uint32_t d = 0; d < shape->rank; ++d) {
        if (shape->outer[d].strides[t] % unit != 0) {
            return false;
        }
    }
    return place_of(limits, offset, first, t == INDICES ? index->index_bytes : index->element_bytes, unit) == 0;
}

/* How lines go through shared memory. */
struct lines {
    uint32_t bundle;        /* lines whose elements share words there */
    uint32_t count;         /* of a workgroup */
    uint32_t shared_length; /* in vectors, of an UPDATE in numbers */
    uint32_t values_length;
    uint32_t local_size;
};

static bool has_one_line_of_indices(const struct shape *shape) {
    for (uint32_t d = 0; d < shape->rank; ++d) {
        if (shape->outer[d].strides[INDICES] != 0) {
            return false;
        }
    }
    return true;
}

/* Whether a line fits. */
static bool find_lines(const struct vkdml_index *index, const struct shape *shape,
                       const struct vkdml_plan_limits *limits, struct lines *lines) {
    const uint32_t length = index->columns[0].size, bytes = index->element_bytes;
    const uint64_t most = limits->max_shared_memory_bytes;
    uint64_t shared_bytes;
    *lines = (struct lines){.bundle = 1, .count = 1, .shared_length = 1, .values_length = 1};
    if (index->mode == VKDML_INDEX_UPDATE) {
        lines->shared_length = length;
        lines->values_length = bytes < 4 ? 1 : length * (bytes / 4);
        shared_bytes = length * (uint64_t)(bytes < 4 ? 4 : 4 + bytes);
    } else {
        uint32_t line_bytes = length * bytes;
        if (has_one_line_of_indices(shape)) {
            if (bytes < 4 && length * UINT64_C(4) <= most) {
                lines->bundle = 4 / bytes;
                line_bytes = length * 4;
            }
            const uint32_t all = (uint32_t)vkdml_divide_up(count_outer(shape, shape->rank), lines->bundle);
            const uint32_t fit = LINES_BYTES / line_bytes;
            lines->count = lines->bundle * (fit == 0 ? 1 : fit < all ? fit : all);
        }
        lines->shared_length = lines->count / lines->bundle * (line_bytes / VECTOR_BYTES);
        shared_bytes = lines->shared_length * (uint64_t)VECTOR_BYTES;
    }
    lines->local_size = LEAST_LINES_LOCAL_SIZE;
    while (lines->local_size < MOST_LINES_LOCAL_SIZE && lines->local_size * BYTES_OF_INVOCATION < shared_bytes) {
        lines->local_size *= 2;
    }
    lines->local_size = vkdml_local_size(limits, lines->local_size);
    return shared_bytes <= most;
}

static bool has_lines(const struct vkdml_index *index, const struct vkdml_index_part *part, const struct shape *shape,
                      const struct vkdml_plan_limits *limits, struct lines *lines) {
    const struct vkdml_index_column *column = &index->columns[0];
    const bool updates = index->mode == VKDML_INDEX_UPDATE;
    const uint32_t unit = unit_of(index), bytes = index->element_bytes;
    const uint32_t input_unit = updates ? unit : VECTOR_BYTES / bytes;
    if (limits->general || limits->variant == VKDML_KERNEL_VARIANT_SERIAL || (index->mode != VKDML_INDEX_GATHER && !updates) ||
        part->has_windows || index->column_count != 1 || column->stride != 1 || shape->row.strides[OUTPUT] != 1 ||
        shape->row.strides[INDICES] != 1 || shape->row.strides[INPUT] != updates ||
        shape->row.strides[REST] != updates || shape->row.size < LEAST_LINE || column->size / 2 > shape->row.size ||
        shape->row.size % unit != 0 || column->size % input_unit != 0 ||
        column->size > limits->max_shared_memory_bytes || !find_lines(index, shape, limits, lines) ||
        (updates && bytes < 4 && shape->row.size >> (32 - 8 * bytes) != 0)) {
        return false;
    }
    return begins_at(index, shape, OUTPUT, index->output.offset + part->output.offset, part->output.lead, unit,
                     limits) &&
           begins_at(index, shape, INDICES, index->indices.offset + part->indices.offset, part->indices.lead,
                     VECTOR_BYTES / index->index_bytes, limits) &&
           begins_at(index, shape, INPUT, index->input.offset + part->input.offset, first_of_input(index, part),
                     input_unit, limits) &&
           (!updates ||
            begins_at(index, shape, REST, index->rest.offset + part->rest.offset, part->rest.lead, unit, limits));
}

bool vkdml_index_has_lines(const struct vkdml_index *index, const struct vkdml_index_part *part,
                           const struct vkdml_plan_limits *limits) {
    struct shape shape;
    struct lines lines;
    find_shape(index, &part->box, &shape);
    return has_lines(index, part, &shape, limits, &lines);
}

/* The items of an invocation: looked at twice, the second time element by element. */
static uint32_t share_of(const struct vkdml_index *index, const struct shape *shape, uint32_t item_count) {
    const uint32_t element_turns = 2 + shape->rank + index->column_count;
    const uint32_t turns = 10 + 3 * shape->rank + 2 * shape->item * element_turns;
    const uint32_t most = MOST_TURNS / turns < SERIAL_ITEMS ? MOST_TURNS / turns : SERIAL_ITEMS;
    const uint32_t share = item_count / LEAST_SHARES;
    return share == 0 ? 1 : share < most ? share : most;
}

/* Whether the column and all dimensions but the last lead to elements of their own: each stride is more than what all
 * lesser ones reach together. */
static bool is_nested(const struct vkdml_index *index) {
    struct vkdml_index_column nest[VKDML_MAX_DIMENSIONS];
    uint32_t count = 0;
    nest[count++] = index->columns[0];
    for (uint32_t d = 0; d + 1 < index->rank; ++d) {
        nest[count++] = (struct vkdml_index_column){index->dimensions[d].size, index->dimensions[d].strides[INPUT]};
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t reach = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const bool is_outer = k != i && nest[k].stride > nest[i].stride;
            reach += k == i || is_outer ? 0 : (uint64_t)(nest[k].size - 1) * nest[k].stride;
            if (k != i && nest[k].stride == nest[i].stride) {
                return false;
            }
        }
        if (nest[i].stride <= reach) {
            return false;
        }
    }
    return true;
}

/* Whether marks that lead to one element are of one row, whole in the part, and an invocation may walk it. */
static bool owns_rows(const struct vkdml_index *index, const struct vkdml_index_part *part, const struct shape *shape) {
    const struct vkdml_dimension *last = &index->dimensions[index->rank - 1];
    return index->mode == VKDML_INDEX_MARK && index->column_count == 1 && last->strides[INPUT] == 0 &&
           last->strides[REST] != 0 && last->size > 1 && part->box.size[index->rank - 1] == last->size &&
           last->size <= MOST_TURNS / 2 && count_runs(shape) >= LEAST_SHARES && is_nested(index);
}

/* The items of an invocation that owns rows. */
static uint32_t share_of_rows(const struct shape *shape) {
    const uint32_t most = MOST_TURNS / (shape->row.size + ROW_TURNS), even = count_runs(shape) / LEAST_SHARES;
    return (most < even ? most : even) * shape->row.size;
}

VkdmlResult vkdml_index_fill_step(const struct vkdml_index *index, const struct vkdml_index_part *part,
                                  const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                  struct vkdml_plan_step *step) {
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const bool marks = index->mode == VKDML_INDEX_MARK, updates = index->mode == VKDML_INDEX_UPDATE;
    uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    struct shape shape;
    struct vkdml_index_parameters parameters;
    find_shape(index, &part->box, &shape);
    if (limits->general) {
        make_general(&shape);
    }
    fill_parameters(index, part, &shape, &parameters);
    struct lines lines;
    const bool by_lines = has_lines(index, part, &shape, limits, &lines);
    const bool by_rows = serial && !limits->general && owns_rows(index, part, &shape);
    const uint32_t strip_shift = serial || by_lines || limits->general ? 0 : strip_shift_of(index, part, &shape, limits);
    const uint32_t item_count =
        strip_shift != 0 ? fill_strips(&shape, strip_shift, &parameters) : parameters.item_count;
    parameters.share = by_rows ? share_of_rows(&shape) : serial ? share_of(index, &shape, item_count) : 1;
    uint64_t group_count = vkdml_divide_up(item_count, (uint64_t)local_size * parameters.share);
    if (by_lines) {
        local_size = lines.local_size;
        parameters.item_count = count_outer(&shape, shape.rank);
        parameters.share = lines.count;
        group_count = vkdml_divide_up(parameters.item_count, lines.count);
    }
    VkdmlResult result = vkdml_grid(group_count, limits, report, step->groups);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.group_count = (uint32_t)group_count;

    if (by_lines) {
        vkdml_note_step(report, "lines: %u of them are loaded whole into a workgroup's shared memory",
                        (unsigned)lines.count);
    } else if (strip_shift != 0) {
        vkdml_note_step(report, "strips of columns, all of whose rows fit a cache");
    } else if (by_rows) {
        vkdml_note_step(report, "an invocation walks whole rows, as suits processors");
    }
    const uint32_t index_type =
        (index->index_bytes == 8 ? VKDML_INDEX_IS_LONG : 0) | (index->index_is_signed ? VKDML_INDEX_IS_SIGNED : 0);
    const uint32_t mode = marks ? VKDML_INDEX_GATHER : updates ? VKDML_INDEX_SCATTER : index->mode;
    const uint32_t flags = (part->has_windows ? VKDML_INDEX_HAS_WINDOWS : 0) | (serial ? VKDML_INDEX_IS_SERIAL : 0) |
                           (by_rows ? VKDML_INDEX_OWNS_ROWS : 0) | (strip_shift != 0 ? VKDML_INDEX_HAS_STRIPS : 0) |
                           (by_lines && lines.bundle > 1 ? VKDML_INDEX_IS_BUNDLED : 0);
    step->kernel = by_lines ? VKDML_KERNEL_INDEX_LINES : marks ? VKDML_KERNEL_INDEX_MARK : VKDML_KERNEL_INDEX;
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_ELEMENT_BITS, 8 * index->element_bytes);
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_RANK, shape.rank);
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_RUN_RANK, shape.run_rank);
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_DENSE, shape.item > 1);
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_ROW, row_of(index, part, &shape, limits));
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_MODE, mode);
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_INDEX_TYPE, index_type);
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_COLUMNS, index->column_count);
    vkdml_step_constant(step, VKDML_INDEX_CONSTANT_FLAGS, flags);
    if (by_lines) {
        vkdml_step_constant(step, VKDML_INDEX_CONSTANT_SHARED_LENGTH, lines.shared_length);
        vkdml_step_constant(step, VKDML_INDEX_CONSTANT_VALUES_LENGTH, lines.values_length);
    }
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    step->buffers[0] = vkdml_origin_buffer(&index->input, part->input.offset, part->input.size);
    step->buffers[1] =
        marks ? step->buffers[0] : vkdml_origin_buffer(&index->output, part->output.offset, part->output.size);
    step->buffers[2] = vkdml_origin_buffer(&index->indices, part->indices.offset, part->indices.size);
    step->buffers[3] = vkdml_origin_buffer(&index->rest, part->rest.offset, part->rest.size);
    step->buffer_count = has_rest(index) ? 4 : 3;
    return VKDML_SUCCESS;
}
