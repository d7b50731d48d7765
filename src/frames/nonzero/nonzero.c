/* A stream compaction in two passes. The first marks and counts the nonzero elements of each
 * chunk, the second sums the counts of the chunks before its own and writes coordinates from that row on. No invocation
 * waits for another workgroup, so it needs no forward progress guarantee. */
#include "frames/nonzero/nonzero.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"
#include "plan/step.h"

/* Each workgroup of the second pass reads the totals of the chunks before its own: few enough that this is little
 * beside its own work, enough to fill the largest GPUs several times over. */
#define MAX_CHUNKS 1024

/* The second pass takes 87 bytes of shared memory per invocation: with Vulkan 1.2's least
 * maxComputeWorkGroupInvocations within the least of that, 16 KiB. The first takes 24 at most. */
#define MARK_LOCAL_SIZE  256
#define WRITE_LOCAL_SIZE 128

/* Of the serial kernels. Workgroups of a vector's width share a processor's cores evenly. */
#define SERIAL_LOCAL_SIZE 8
#define SERIAL_CHUNKS     1024

/* An invocation of a serial kernel takes a loop iteration per mask word and per element of its chunk, another to zero
 * the row of an element's number, and one per four chunks: lavapipe ends loops after 65,535 in total. */
#define MAX_SERIAL_CHUNK_WORDS 512

/* Copies the input's dimensions without those of size 1 and with runs merged, in their order; returns how many, at
 * least one. Elements keep their ascending order. */
static uint32_t collapse_input(const struct vkdml_view *input, uint32_t sizes[8], uint32_t strides[8]) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < input->rank; ++d) {
        if (input->sizes[d] == 1) {
            continue;
        }
        if (kept > 0 && strides[kept - 1] == (uint64_t)input->strides[d] * input->sizes[d]) {
            sizes[kept - 1] *= input->sizes[d];
            strides[kept - 1] = input->strides[d];
        } else {
            sizes[kept] = input->sizes[d];
            strides[kept++] = input->strides[d];
        }
    }
    if (kept == 0) {
        sizes[0] = 1;
        strides[0] = 1;
        kept = 1;
    }
    return kept;
}

/* Of general plans: adds dimensions of size 1 before those of the input, up to as many as kernels take. */
static uint32_t fill_up(uint32_t sizes[8], uint32_t strides[8], uint32_t rank) {
    const uint32_t more = 8 - rank;
    memmove(sizes + more, sizes, rank * sizeof(*sizes));
    memmove(strides + more, strides, rank * sizeof(*strides));
    for (uint32_t d = 0; d < more; ++d) {
        sizes[d] = 1;
        strides[d] = 0;
    }
    return 8;
}

/* Of a word of elements. */
static uint32_t significant_bits(DML_TENSOR_DATA_TYPE type) {
    if (!vkdml_data_type_is_float(type)) {
        return UINT32_MAX;
    }
    return vkdml_data_type_size(type) == 2 ? 0x7FFF7FFF : 0x7FFFFFFF; /* -0.0 is zero */
}

/* What all steps of one operator have in common. */
struct compaction {
    const struct vkdml_nonzero *select;
    struct vkdml_builder *builder;
    struct vkdml_nonzero_parameters parameters;
    uint32_t mark_local_size;
    uint32_t write_local_size;
    uint32_t chunks_per_group;
    uint32_t columns; /* of the coordinates */
    bool short_division;
    struct vkdml_origin mask;   /* a bit for each element */
    struct vkdml_origin totals; /* a word for each chunk */
};

static uint32_t element_size(const struct compaction *c) {
    return vkdml_data_type_size(c->select->input.at.type);
}

/* The input's first element lies lead_of() elements behind a multiple of 16 bytes, start_of(). */
static uint64_t start_of(const struct compaction *c) {
    return c->select->input.at.first * element_size(c) & ~UINT64_C(15);
}

static uint64_t lead_of(const struct compaction *c) {
    return c->select->input.at.first - start_of(c) / element_size(c);
}

/* Splits the elements into chunks of whole tiles: of the workgroups, of both passes, or of invocations. */
static void split(struct compaction *c) {
    struct vkdml_nonzero_parameters *parameters = &c->parameters;
    const struct vkdml_view *input = &c->select->input;
    const bool serial = c->builder->limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    c->mark_local_size = vkdml_local_size(c->builder->limits, serial ? SERIAL_LOCAL_SIZE : MARK_LOCAL_SIZE);
    c->write_local_size = vkdml_local_size(c->builder->limits, serial ? SERIAL_LOCAL_SIZE : WRITE_LOCAL_SIZE);
    c->chunks_per_group = serial ? c->mark_local_size : 1;
    const uint32_t tile = serial ? 1 : 4 / element_size(c) * c->mark_local_size;
    parameters->element_count = vkdml_view_elements(input);
    parameters->mask_words = (uint32_t)vkdml_divide_up(parameters->element_count, 32);
    const uint32_t tiles = (uint32_t)vkdml_divide_up(parameters->mask_words, tile);
    uint32_t most = serial ? SERIAL_CHUNKS : MAX_CHUNKS;
    while (most > 1 && !vkdml_fits(c->builder->limits, 4, 4 * (uint64_t)most)) {
        most /= 2;
    }
    parameters->chunk_words = (uint32_t)vkdml_divide_up(tiles, most) * tile;
    if (serial && parameters->chunk_words > MAX_SERIAL_CHUNK_WORDS) {
        parameters->chunk_words = MAX_SERIAL_CHUNK_WORDS;
    }
    parameters->chunk_count = (uint32_t)vkdml_divide_up(parameters->mask_words, parameters->chunk_words);
}

/* Chunks [first, first + count). */
struct chunks {
    uint32_t first;
    uint32_t count;
};

static struct vkdml_plan_buffer mask_buffer(const struct compaction *c, struct chunks chunks) {
    const uint64_t begin = (uint64_t)chunks.first * c->parameters.chunk_words;
    const uint64_t end = begin + (uint64_t)chunks.count * c->parameters.chunk_words;
    const uint64_t words = (end < c->parameters.mask_words ? end : c->parameters.mask_words) - begin;
    return vkdml_origin_buffer(&c->mask, 4 * begin, 4 * words);
}

/* Totals are read 16 bytes at a time. */
static struct vkdml_plan_buffer totals_buffer(const struct compaction *c) {
    return vkdml_origin_buffer(&c->totals, 0, (4 * (uint64_t)c->parameters.chunk_count + 15) & ~UINT64_C(15));
}

/* How many chunks, from the first of them on, have a mask that can be bound; at least one. */
static uint32_t bindable_chunks(const struct compaction *c) {
    const uint64_t bytes = 4 * (uint64_t)c->parameters.chunk_words;
    uint64_t count = c->parameters.chunk_count;
    while (count > 1 && !vkdml_fits(c->builder->limits, 4, count * bytes)) {
        count = (count + 1) / 2;
    }
    return (uint32_t)count;
}

static VkdmlResult add_step(const struct compaction *c, enum vkdml_kernel kernel, struct chunks chunks,
                            struct vkdml_plan_step **step) {
    VkdmlResult result = vkdml_builder_add(c->builder, step);
    if (result == VKDML_SUCCESS) {
        (*step)->kernel = kernel;
        vkdml_step_constant(*step, VKDML_NONZERO_CONSTANT_LOCAL_SIZE,
                            kernel == VKDML_KERNEL_NONZERO_MARK ? c->mark_local_size : c->write_local_size);
        result = vkdml_grid(vkdml_divide_up(chunks.count, c->chunks_per_group), c->builder->limits, c->builder->report,
                            (*step)->groups);
    }
    return result;
}

static void set_sizes(struct vkdml_nonzero_parameters *parameters, const uint32_t *sizes, uint32_t count) {
    memcpy(parameters->sizes, sizes, count * sizeof(*sizes));
    for (uint32_t d = 0; d < count; ++d) {
        const struct vkdml_divisor divisor = vkdml_divisor(sizes[d]);
        parameters->multipliers[d] = divisor.multiplier;
        parameters->shifts[d] = divisor.shifts;
    }
}

/* Whether vkdml_short_divisor() serves for elements' numbers and the columns' sizes, of which nothing is divided by the
 * first. */
static bool division_is_short(const struct compaction *c, const uint32_t *sizes) {
    bool is_short = !c->builder->limits->general && c->parameters.element_count <= UINT32_C(1) << 31;
    for (uint32_t n = 1; n < c->columns; ++n) {
        is_short = is_short && sizes[n] > 1;
    }
    return is_short;
}

/* ---- first pass ---- */

/* A window of the input: elements [first, first + count) from its first one. */
struct input_window {
    uint64_t first;
    uint64_t count;
};

/* How the first pass finds elements. */
struct input_layout {
    uint32_t rank;
    bool dense; /* one run; its windows hold whole chunks and so begin at multiples of 32 elements */
};

static VkdmlResult add_mark(const struct compaction *c, struct input_layout layout, struct chunks chunks,
                            struct input_window window, bool first_pass) {
    const uint32_t size = element_size(c);
    const uint64_t start = start_of(c), lead = lead_of(c);
    struct vkdml_nonzero_parameters parameters = c->parameters;
    struct vkdml_plan_step *step;
    if (!first_pass) { /* adds to marks of an earlier dispatch */
        vkdml_builder_phase(c->builder);
    }
    VkdmlResult result = add_step(c, VKDML_KERNEL_NONZERO_MARK, chunks, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    /* From a multiple of 4 bytes to one: elements of the same word are the window's too, which does no harm. */
    const uint64_t begin = (lead + window.first) * size & ~UINT64_C(3);
    const uint64_t end = ((lead + window.first + window.count) * size + 3) & ~UINT64_C(3);
    parameters.chunk_first = chunks.first;
    parameters.chunk_end = chunks.first + chunks.count;
    parameters.first_pass = first_pass;
    parameters.input_first = (uint32_t)(begin / size - lead); /* modulo 2^32 */
    parameters.input_count = (uint32_t)((end - begin) / size);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    vkdml_step_constant(step, VKDML_NONZERO_CONSTANT_ELEMENT_BITS, 8 * size);
    vkdml_step_constant(step, VKDML_NONZERO_CONSTANT_RANK, layout.rank);
    vkdml_step_constant(step, VKDML_NONZERO_CONSTANT_DENSE, layout.dense);
    step->buffers[0] = vkdml_origin_buffer(&c->select->input.at, start + begin, end - begin);
    step->buffers[1] = mask_buffer(c, chunks);
    step->buffers[2] = totals_buffer(c);
    step->buffer_count = 3;
    return VKDML_SUCCESS;
}

/* The largest number of elements of a window that can be bound wherever it begins. */
static uint64_t bindable_elements(const struct vkdml_plan_limits *limits, uint32_t element_size) {
    uint64_t bytes = limits->max_storage_buffer_range & ~UINT64_C(3);
    while (bytes > 8 && !vkdml_fits(limits, 4, bytes)) {
        bytes -= 4;
    }
    return (bytes - 8) / element_size; /* up to 3 bytes before and after go to whole words */
}

/* Chunks of an input that is one run: their elements lie in windows of their own. 0: not even one chunk's can be bound.
 */
static uint32_t chunks_per_run_window(const struct compaction *c, uint64_t stride, uint64_t bindable) {
    const uint64_t elements = 32 * (uint64_t)c->parameters.chunk_words;
    uint64_t count = c->parameters.chunk_count;
    while (count > 0 && (count * elements - 1) * stride + 1 > bindable) {
        count /= 2;
    }
    return (uint32_t)count;
}

static VkdmlResult plan_marks(struct compaction *c) {
    const struct vkdml_view *input = &c->select->input;
    const uint32_t size = element_size(c);
    const uint64_t bytes = vkdml_view_span(input) - start_of(c);
    const uint64_t span = bytes / size - lead_of(c);
    const uint64_t bindable = bindable_elements(c->builder->limits, size);
    uint32_t sizes[8];
    const uint32_t rank = collapse_input(input, sizes, c->parameters.strides);
    const uint64_t run_stride = c->parameters.strides[0]; /* of an input that is one run */
    const bool is_general = c->builder->limits->general;
    const uint32_t walked = is_general ? fill_up(sizes, c->parameters.strides, rank) : rank;
    set_sizes(&c->parameters, sizes, walked);
    const bool whole = vkdml_fits(c->builder->limits, input->at.offset + start_of(c), bytes);
    uint32_t run_chunks = 0;
    if (!whole && rank == 1) {
        run_chunks = chunks_per_run_window(c, run_stride, bindable);
    }
    if (!whole && run_chunks == 0 && span > UINT32_MAX) {
        return vkdml_report_add(c->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "%s spans %" PRIu64 " elements with its strides, must be at most %" PRIu32
                                " where maxStorageBufferRange (%" PRIu64 ") cannot bind it whole",
                                c->select->input_name, span, UINT32_MAX, c->builder->limits->max_storage_buffer_range);
    }

    const struct input_layout layout = {
        walked, !is_general && rank == 1 && run_stride == 1 && lead_of(c) == 0 && (whole || run_chunks != 0)};
    uint32_t most = bindable_chunks(c);
    if (run_chunks != 0 && run_chunks < most) {
        most = run_chunks;
    }
    VkdmlResult result = VKDML_SUCCESS;
    for (uint64_t first = 0; first < c->parameters.chunk_count && result == VKDML_SUCCESS; first += most) {
        const uint64_t left = c->parameters.chunk_count - first;
        const struct chunks chunks = {(uint32_t)first, left < most ? (uint32_t)left : most};
        struct input_window window = {0, span};
        if (run_chunks != 0) {
            const uint64_t elements = 32 * (uint64_t)c->parameters.chunk_words;
            const uint64_t begin = chunks.first * elements;
            uint64_t end = begin + chunks.count * elements;
            end = end < c->parameters.element_count ? end : c->parameters.element_count;
            window = (struct input_window){begin * run_stride, (end - 1 - begin) * run_stride + 1};
            result = add_mark(c, layout, chunks, window, true);
        } else if (whole) {
            result = add_mark(c, layout, chunks, window, true);
        } else {
            for (uint64_t at = 0; at < span && result == VKDML_SUCCESS; at += bindable) {
                window = (struct input_window){at, span - at < bindable ? span - at : bindable};
                result = add_mark(c, layout, chunks, window, at == 0);
            }
        }
    }
    return result;
}

/* ---- second pass ---- */

/* Rows and columns of the coordinates that one dispatch writes. */
struct rows_window {
    uint64_t row_first;
    uint64_t row_count;
    uint32_t column_first;
    uint32_t column_count;
};

static uint64_t coordinates_span(const struct compaction *c, uint64_t rows, uint64_t columns) {
    return (rows - 1) * c->parameters.row_stride + (columns - 1) * (uint64_t)c->parameters.column_stride + 1;
}

static VkdmlResult add_write(const struct compaction *c, struct chunks chunks, struct rows_window window,
                             bool first_pass) {
    struct vkdml_nonzero_parameters parameters = c->parameters;
    struct vkdml_plan_step *step;
    VkdmlResult result = add_step(c, VKDML_KERNEL_NONZERO_WRITE, chunks, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.chunk_first = chunks.first;
    parameters.chunk_end = chunks.first + chunks.count;
    parameters.first_pass = first_pass;
    parameters.row_first = (uint32_t)window.row_first;
    parameters.row_end = (uint32_t)(window.row_first + window.row_count);
    parameters.column_first = window.column_first;
    parameters.column_end = window.column_first + window.column_count;
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    const bool is_dense = c->parameters.row_stride == c->columns &&
                          (c->parameters.column_stride == 1 || c->columns == 1) && window.column_count == c->columns;
    const bool is_wide =
        !c->builder->limits->general && c->parameters.sizes[c->columns - 1] >= 32; /* elements of a mask word */
    vkdml_step_constant(step, VKDML_NONZERO_CONSTANT_ZERO_UNDEFINED, c->select->zeroes_rest);
    vkdml_step_constant(step, VKDML_NONZERO_CONSTANT_COLUMNS, c->columns);
    vkdml_step_constant(step, VKDML_NONZERO_CONSTANT_DENSE, is_dense);
    vkdml_step_constant(step, VKDML_NONZERO_CONSTANT_SHORT_DIVISION, c->short_division);
    vkdml_step_constant(step, VKDML_NONZERO_CONSTANT_WIDE, is_wide);
    const uint64_t offset =
        window.row_first * c->parameters.row_stride + window.column_first * (uint64_t)c->parameters.column_stride;
    step->buffers[0] = mask_buffer(c, chunks);
    step->buffers[1] = totals_buffer(c);
    step->buffers[2] = vkdml_origin_buffer(&c->select->count.at, 4 * c->select->count.at.first, 4);
    step->buffers[3] = vkdml_origin_buffer(&c->select->coordinates.at, 4 * offset,
                                           4 * coordinates_span(c, window.row_count, window.column_count));
    step->buffer_count = 4;
    return VKDML_SUCCESS;
}

/* How many rows of so many columns can be bound wherever they begin; 0: not even one. */
static uint64_t bindable_rows(const struct compaction *c, uint64_t columns) {
    const uint64_t bindable = bindable_elements(c->builder->limits, 4);
    const uint64_t rows = c->parameters.element_count;
    if (coordinates_span(c, 1, columns) > bindable) {
        return 0;
    }
    const uint64_t more =
        (bindable - coordinates_span(c, 1, columns)) / (c->parameters.row_stride != 0 ? c->parameters.row_stride : 1);
    return more < rows ? more + 1 : rows;
}

static VkdmlResult plan_writes(struct compaction *c) {
    const struct vkdml_view *input = &c->select->input;
    const struct vkdml_view *coordinates = &c->select->coordinates;
    const uint32_t last = coordinates->rank - 1;
    const uint32_t columns = coordinates->sizes[last];
    const uint64_t rows = c->parameters.element_count;
    c->parameters.row_stride = coordinates->strides[last - 1];
    c->parameters.column_stride = coordinates->strides[last];
    c->columns = columns;
    const uint32_t *sizes = input->sizes + input->rank - columns;
    set_sizes(&c->parameters, sizes, columns);
    c->short_division = division_is_short(c, sizes);
    for (uint32_t n = 1; c->short_division && n < columns; ++n) {
        const struct vkdml_divisor divisor = vkdml_short_divisor(sizes[n]);
        c->parameters.multipliers[n] = divisor.multiplier;
        c->parameters.shifts[n] = divisor.shifts;
    }

    /* Windows of whole rows, or, where columns lie far apart, of one column each: whichever are fewer. */
    uint64_t window_rows = rows;
    uint32_t window_columns = columns;
    if (!vkdml_fits(c->builder->limits, coordinates->at.offset + 4 * coordinates->at.first,
                    vkdml_view_span(coordinates) - 4 * coordinates->at.first)) {
        const uint64_t rows_of_all = bindable_rows(c, columns);
        const uint64_t rows_of_one = bindable_rows(c, 1);
        const bool by_column =
            rows_of_all == 0 || columns * vkdml_divide_up(rows, rows_of_one) < vkdml_divide_up(rows, rows_of_all);
        window_rows = by_column ? rows_of_one : rows_of_all;
        window_columns = by_column ? 1 : columns;
    }
    const uint32_t most = bindable_chunks(c);
    VkdmlResult result = VKDML_SUCCESS;
    bool first_pass = true;
    for (uint64_t chunk = 0; chunk < c->parameters.chunk_count && result == VKDML_SUCCESS; chunk += most) {
        const uint64_t left = c->parameters.chunk_count - chunk;
        const struct chunks chunks = {(uint32_t)chunk, left < most ? (uint32_t)left : most};
        for (uint64_t row = 0; row < rows && result == VKDML_SUCCESS; row += window_rows) {
            for (uint32_t column = 0; column < columns && result == VKDML_SUCCESS; column += window_columns) {
                const uint64_t rows_left = rows - row;
                const struct rows_window window = {row, rows_left < window_rows ? rows_left : window_rows, column,
                                                   window_columns};
                result = add_write(c, chunks, window, first_pass);
                first_pass = false;
            }
        }
    }
    return result;
}

VkdmlResult vkdml_nonzero_plan(const struct vkdml_nonzero *select, struct vkdml_builder *builder) {
    struct compaction c = {.select = select, .builder = builder};
    split(&c);
    c.parameters.significant_bits = significant_bits(select->input.at.type);
    c.mask = vkdml_builder_region(builder, "marks", 4 * (uint64_t)c.parameters.mask_words, DML_TENSOR_DATA_TYPE_UINT32);
    c.totals = vkdml_builder_region(builder, "counts", totals_buffer(&c).size, DML_TENSOR_DATA_TYPE_UINT32);
    const struct vkdml_plan_buffer totals = totals_buffer(&c);
    if (!vkdml_fits(builder->limits, totals.offset, totals.size)) {
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "needs %" PRIu64 " bytes of totals, more than maxStorageBufferRange (%" PRIu64
                                ") can bind",
                                totals.size, builder->limits->max_storage_buffer_range);
    }
    vkdml_note(builder->report,
               "select: %u chunks are marked and counted first; what comes before a chunk is then known to those who "
               "write coordinates",
               (unsigned)c.parameters.chunk_count);
    VkdmlResult result = plan_marks(&c);
    vkdml_builder_phase(builder);
    return result == VKDML_SUCCESS ? plan_writes(&c) : result;
}
