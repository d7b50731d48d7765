#include "frames/gather/gather_elements.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "plan/step.h"

/* A multiple of every subgroup size in use, 4 to 128; devices that allow fewer invocations get fewer. */
#define LOCAL_SIZE 256

#define CHUNK_BYTES 16

/* Kernels for CPUs: an invocation per lane of lavapipe's vectors. Each fills RUNS_BYTES, less of small tensors so that
 * there are at least RUNS_ITEMS to share out. Rows of 1 KiB padded by 3 elements take a fifth longer by 4 KiB, and no
 * less time by 32 KiB, where rows of a byte would come near lavapipe's 65,535 turns of loops. */
#define RUNS_LOCAL_SIZE 8
#define RUNS_BYTES      16384
#define RUNS_ITEMS      64

/* Loads of one element for many are few: it takes more stores per invocation to keep the memory busy. */
#define BROADCAST_CHUNKS 4

/* At most: rows of 524 bytes take 2 % less time with two than with three on an H200. */
#define SEAMED_CHUNKS 2

/* Bytes of a row's rims that are filled in element by element, and of input that the kernel loads at once. Four 16-bit
 * elements, two at a time, took a third longer on an NVIDIA H200 than all of a row element by element. */
#define RIM_BYTES    4
#define RIMMED_BYTES 20

static enum vkdml_gather_input_rows input_rows(const struct vkdml_gather *gather,
                                               const struct vkdml_plan_limits *limits) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    return limits->general || row->input_stride > 1 || row->is_backward ? VKDML_GATHER_INPUT_APART
           : row->input_stride == 0                  ? VKDML_GATHER_INPUT_TOGETHER
           : vkdml_gather_is_padded(row)             ? VKDML_GATHER_INPUT_UNALIGNED
                                                     : VKDML_GATHER_INPUT_TOGETHER;
}

/* How many of the outer dimensions lie outside a run: rows of the part that lie side by side in the output. */
static uint32_t run_rank(const struct vkdml_gather *gather, const struct vkdml_box *box) {
    uint32_t d = gather->count - 1;
    uint64_t length = box->size[d];
    if (gather->dimensions[d].output_stride != 1) {
        return d;
    }
    while (d > 0 && gather->dimensions[d - 1].output_stride == length) {
        length *= box->size[--d];
    }
    return d;
}

/* Kernels count elements modulo 2^32. */
static uint32_t kernel_stride(const struct vkdml_gather_dimension *dimension) {
    return dimension->is_backward ? 0 - dimension->input_stride : dimension->input_stride;
}

static void fill_dimensions(const struct vkdml_gather *gather, const struct vkdml_box *box,
                            struct vkdml_gather_parameters *parameters) {
    const uint32_t last = gather->count - 1;
    const struct vkdml_gather_dimension *row = &gather->dimensions[last];
    for (uint32_t d = 0; d < last; ++d) {
        const struct vkdml_gather_dimension *outer = &gather->dimensions[d];
        const struct vkdml_divisor divisor = vkdml_divisor(box->size[d]);
        parameters->sizes[d] = box->size[d];
        parameters->multipliers[d] = divisor.multiplier;
        parameters->shifts[d] = divisor.shifts;
        parameters->output_strides[d] = outer->output_stride;
        parameters->input_strides[d] = kernel_stride(outer);
        parameters->input_sizes[d] = outer->input_size;
        parameters->starts[d] = outer->start;
        const struct vkdml_divisor period = vkdml_divisor(outer->period > 0 ? outer->period : 1);
        parameters->period_multipliers[d] = period.multiplier;
        parameters->period_shifts[d] = period.shifts;
        parameters->origins[d] = box->origin[d];
    }
    parameters->row_length = box->size[last];
    parameters->row_divisor = vkdml_divisor(box->size[last]);
    parameters->row_output_stride = row->output_stride;
    parameters->row_input_stride = kernel_stride(row);
    parameters->row_input_size = row->input_size;
    parameters->row_start = row->start;
    parameters->row_origin = box->origin[last];
    parameters->row_period_divisor = vkdml_divisor(row->period > 0 ? row->period : 1);
}

/* Whether the kernel for CPUs can do it: rows are dense, and the input's too, or one element repeated. It rounds places
 * up in 32 bits. */
static bool is_in_runs(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                       const struct vkdml_gather_part *part, const struct vkdml_plan_limits *limits) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    const bool is_serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL && !limits->general;
    return is_serial && use->runs_kernel != VKDML_KERNEL_COPY && row->output_stride == 1 && row->input_stride <= 1 &&
           !row->is_backward && part->output.size <= UINT32_MAX / 2;
}

/* Shares runs of `length` elements out to the kernel for CPUs: an item is some whole rows, or a part of a row cut into
 * equal ones, so that invocations side by side come to the ends of their rows together. Returns the items of a run. */
static uint64_t fill_items(uint32_t element_bytes, uint32_t runs, uint32_t length,
                           struct vkdml_gather_parameters *parameters) {
    const uint32_t chunk = CHUNK_BYTES / element_bytes;
    const uint64_t share = (uint64_t)runs * length / RUNS_ITEMS;
    uint32_t wanted = RUNS_BYTES / element_bytes;
    wanted = share >= wanted ? wanted : share > chunk ? (uint32_t)share : chunk;
    const uint32_t row = parameters->row_length;
    if (row <= wanted) {
        parameters->parts = 1;
        parameters->group_length = wanted / row * row;
        parameters->part_length = parameters->group_length;
    } else {
        const uint32_t part = (uint32_t)vkdml_divide_up(row, vkdml_divide_up(row, wanted));
        parameters->part_length = (uint32_t)vkdml_divide_up(part, chunk) * chunk;
        parameters->parts = (uint32_t)vkdml_divide_up(row, parameters->part_length);
        parameters->group_length = row;
    }
    parameters->parts_divisor = vkdml_divisor(parameters->parts);
    return vkdml_divide_up(length, parameters->group_length) * parameters->parts;
}

/* Whether rows of at least a chunk are of padding and end within chunks, and all are whole and of one run: then their
 * seams can be shared out or their rims filled in. */
static bool is_cut(const struct vkdml_gather *gather, const struct vkdml_gather_use *use, const struct vkdml_box *box,
                   uint32_t rank, const struct vkdml_gather_parameters *parameters) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    const uint32_t chunk = CHUNK_BYTES / gather->element_bytes;
    return use->has_seams && rank == 0 && row->output_stride == 1 && row->input_stride == 1 &&
           (vkdml_gather_is_padded(row) || row->size % chunk != 0) && box->size[gather->count - 1] == row->size &&
           parameters->run_length <= UINT32_MAX / 2 /* the kernel adds a row to places */;
}

/* Whether rims of cut rows are filled in: they are few elements of the input, and those narrow. Of wider elements a
 * chunk has few, and these go one by one. */
static bool is_rimmed(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                      const struct vkdml_gather_part *part) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    return use->reads_rims && gather->element_bytes < 4 &&
           row->size - row->input_size <= RIM_BYTES / gather->element_bytes && part->input.size >= RIMMED_BYTES;
}

/* Gives the kernel the input coordinates of what it fills rims with, in the order in which they follow one another from
 * the end of a row's input on; where there are more to give, of the input itself. */
static void fill_rims(const struct vkdml_gather *gather, struct vkdml_gather_parameters *parameters) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    for (uint32_t n = 0; n < RIM_BYTES; ++n) {
        const uint32_t c = (row->start + row->input_size + n) % row->size;
        const bool inside = c >= row->start && c - row->start < row->input_size;
        parameters->arguments[n] = inside ? c - row->start : gather->source(row, gather->source_mode, c);
    }
}

/* Says how the seams are shared out, as units to the invocations of a workgroup. Returns the chunks of an invocation,
 * or 0 where rows do not hold a chunk of input, or there are more units than invocations. */
static uint32_t fill_seams(const struct vkdml_gather *gather, uint32_t local_size,
                           struct vkdml_gather_parameters *parameters) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    const uint32_t chunk = CHUNK_BYTES / gather->element_bytes;
    const uint64_t seam = row->size - row->input_size;
    const uint64_t seam_chunks = seam == 0 ? 1 : (seam - 1) / chunk + 2;
    for (uint32_t chunks = row->input_size >= chunk ? SEAMED_CHUNKS : 0; chunks > 0; --chunks) {
        const uint64_t seams = ((uint64_t)chunks * local_size * chunk + seam - 1) / row->size + 1;
        const uint64_t units = seams * seam_chunks * (gather->element_bytes == 8 ? 2 : 4);
        if (units <= local_size) {
            parameters->seam_chunks = (uint32_t)seam_chunks;
            parameters->seam_divisor = vkdml_divisor((uint32_t)seam_chunks);
            parameters->seam_units = (uint32_t)units;
            return chunks;
        }
    }
    return 0;
}

/* Says how the rows of a step go; changes the chunks of an invocation where seams are shared out. */
static enum vkdml_gather_rows fill_rows(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                                        const struct vkdml_gather_part *part, uint32_t rank, uint32_t local_size,
                                        struct vkdml_gather_parameters *parameters, uint32_t *chunks) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    if (parameters->row_length < CHUNK_BYTES / gather->element_bytes) {
        return VKDML_GATHER_ROWS_SHORT;
    }
    if (!is_cut(gather, use, &part->box, rank, parameters)) {
        return VKDML_GATHER_ROWS_LONG;
    }
    const uint32_t seamed = fill_seams(gather, local_size, parameters);
    if (seamed != 0) {
        *chunks = seamed;
        return VKDML_GATHER_ROWS_SEAMED;
    }
    if (is_rimmed(gather, use, part)) {
        fill_rims(gather, parameters);
        return row->size - row->input_size <= 2 ? VKDML_GATHER_ROWS_TWO_RIMS : VKDML_GATHER_ROWS_FOUR_RIMS;
    }
    return VKDML_GATHER_ROWS_LONG;
}

static void fill_parameters(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                            const struct vkdml_gather_part *part, uint32_t rank, bool in_runs,
                            struct vkdml_gather_parameters *parameters) {
    memset(parameters, 0, sizeof(*parameters));
    fill_dimensions(gather, &part->box, parameters);
    uint32_t runs = 1;
    uint32_t length = 1;
    for (uint32_t d = 0; d < gather->count; ++d) {
        *(d < rank ? &runs : &length) *= part->box.size[d];
    }
    uint64_t items = length;
    if (in_runs) {
        items = fill_items(gather->element_bytes, runs, length, parameters);
    } else if (gather->dimensions[gather->count - 1].output_stride == 1) {
        /* A run may begin up to one element short of a chunk's end. */
        const uint32_t chunk = CHUNK_BYTES / gather->element_bytes;
        items = vkdml_divide_up((uint64_t)length + chunk - 1, chunk);
    }
    parameters->run_length = length;
    parameters->items_per_run = (uint32_t)items;
    parameters->items_divisor = vkdml_divisor((uint32_t)items);
    parameters->item_count = runs * (uint32_t)items; /* at most the elements */
    /* The kernel counts input elements from the tensor's first, modulo 2^32, which is exact within a window. */
    parameters->input_first = (uint32_t)(0 - part->input_base);
    parameters->output_first = part->output.lead;
    parameters->input_words = (uint32_t)(part->input.size / 4);
    memcpy(parameters->arguments, use->arguments, sizeof(parameters->arguments));
    if (use->has_pattern) {
        memcpy(parameters->starts, use->pattern, sizeof(parameters->starts));
    }
}

static void note_rows(enum vkdml_gather_rows rows, bool dense, bool in_runs, uint32_t chunks,
                      struct vkdml_report *report) {
    static const char *const names[] = {[VKDML_GATHER_ROWS_SHORT] = "rows shorter than that",
                                        [VKDML_GATHER_ROWS_LONG] = "rows at least as long",
                                        [VKDML_GATHER_ROWS_SEAMED] =
                                            "what is around the ends of rows shared out to the workgroup",
                                        [VKDML_GATHER_ROWS_TWO_RIMS] = "up to two elements around rows filled in",
                                        [VKDML_GATHER_ROWS_FOUR_RIMS] = "up to four elements around rows filled in"};
    if (in_runs) {
        vkdml_note_step(report, "runs: an invocation fills up to 16 KiB of rows, as suits processors");
    } else if (dense) {
        vkdml_note_step(report, "an invocation fills 16 aligned bytes of the output, %u times; %s", (unsigned)chunks,
                        names[rows]);
    } else {
        vkdml_note_step(report, "element by element: those of an output row lie apart");
    }
}

struct walk {
    uint32_t local_size;
    uint32_t rank;
    uint32_t run_rank;
    bool dense;
    enum vkdml_gather_rows rows;
    enum vkdml_gather_input_rows input_rows;
};

static void set_walk(const struct walk *walk, uint32_t element_bytes, struct vkdml_plan_step *step) {
    vkdml_step_constant(step, VKDML_GATHER_CONSTANT_LOCAL_SIZE, walk->local_size);
    vkdml_step_constant(step, VKDML_GATHER_CONSTANT_ELEMENT_BITS, 8 * element_bytes);
    vkdml_step_constant(step, VKDML_GATHER_CONSTANT_RANK, walk->rank);
    vkdml_step_constant(step, VKDML_GATHER_CONSTANT_RUN_RANK, walk->run_rank);
    vkdml_step_constant(step, VKDML_GATHER_CONSTANT_DENSE, walk->dense);
    vkdml_step_constant(step, VKDML_GATHER_CONSTANT_ROWS, walk->rows);
    vkdml_step_constant(step, VKDML_GATHER_CONSTANT_INPUT_ROWS, walk->input_rows);
}

void vkdml_gather_set_general_copy(uint32_t element_bytes, const struct vkdml_plan_limits *limits,
                                   struct vkdml_plan_step *step) {
    const uint32_t rank = VKDML_MAX_DIMENSIONS - 1;
    const struct walk walk = {
        vkdml_local_size(limits, LOCAL_SIZE), rank, rank, true, VKDML_GATHER_ROWS_SHORT, VKDML_GATHER_INPUT_APART};
    step->kernel = VKDML_KERNEL_COPY;
    step->buffer_count = 2;
    set_walk(&walk, element_bytes, step);
    vkdml_step_constant(step, VKDML_GATHER_CONSTANT_CHUNKS, 1);
}

/* General plans go row by row, however long rows are. */
VkdmlResult vkdml_gather_elements(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                                  const struct vkdml_gather_part *part, const struct vkdml_plan_limits *limits,
                                  struct vkdml_report *report, struct vkdml_plan_step *step) {
    const uint32_t rank = limits->general ? gather->count - 1 : run_rank(gather, &part->box);
    struct vkdml_gather_parameters parameters;
    const bool in_runs = is_in_runs(gather, use, part, limits);
    fill_parameters(gather, use, part, rank, in_runs, &parameters);

    const uint32_t local_size = vkdml_local_size(limits, in_runs ? RUNS_LOCAL_SIZE : LOCAL_SIZE);
    const bool dense = gather->dimensions[gather->count - 1].output_stride == 1;
    const bool is_broadcast = dense && !in_runs && gather->dimensions[gather->count - 1].input_stride == 0;
    const bool chosen = dense && use->chunks != 0 && !limits->general;
    uint32_t chunks = chosen ? use->chunks : is_broadcast && !limits->general ? BROADCAST_CHUNKS : 1;
    const enum vkdml_gather_rows rows =
        in_runs                   ? VKDML_GATHER_ROWS_LONG
        : limits->general ? VKDML_GATHER_ROWS_SHORT
                                  : fill_rows(gather, use, part, rank, local_size, &parameters, &chunks);
    const uint64_t group_count = vkdml_divide_up(parameters.item_count, (uint64_t)local_size * chunks);
    VkdmlResult result = vkdml_grid(group_count, limits, report, step->groups);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.group_count = (uint32_t)group_count;
    note_rows(rows, dense, in_runs, chunks, report);

    step->kernel = in_runs ? use->runs_kernel : use->kernel;
    const struct walk walk = {
        local_size, gather->count - 1, rank, dense, rows, input_rows(gather, limits),
    };
    set_walk(&walk, gather->element_bytes, step);
    if (in_runs) {
        const bool repeated = gather->dimensions[gather->count - 1].input_stride == 0;
        vkdml_step_constant(step, VKDML_GATHER_CONSTANT_REPEATED, repeated);
    } else {
        vkdml_step_constant(step, VKDML_GATHER_CONSTANT_CHUNKS, chunks);
    }
    for (uint32_t i = 0; i < use->constant_count; ++i) {
        if ((vkdml_kernel_info(step->kernel)->constants >> use->constants[i].id & 1) != 0) {
            vkdml_step_constant(step, use->constants[i].id, use->constants[i].value);
        }
    }
    vkdml_gather_bind_step(gather, part, &parameters, sizeof(parameters), step);
    return VKDML_SUCCESS;
}
