#include "frames/gather/gather_permute.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"
#include "plan/step.h"

/* Of 128 to 1024 the fastest on an NVIDIA H200, where the kernel takes 50 registers and more. */
#define LOCAL_SIZE 256

/* Of the tile with its skew, and of where blocks begin. Vulkan 1.2 limit minimum for maxComputeSharedMemorySize: 16384.
 */
#define SHARED_BYTES 16384
#define MAX_BLOCKS   16 /* of a workgroup, 16 bytes each */

/* What an invocation keeps of places stays in registers. */
#define MAX_PLACES  16
#define MAX_WORDS   8
#define MAX_VECTORS 4
#define MAX_SQUARES 16 /* times the elements of a word */

/* By squares shorter runs go better than by tiles too: 8-bit elements in runs of 32 reach 0.80 of the copy peak on an
 * NVIDIA H200, by tiles 0.51. */
#define LEAST_SQUARES_RUN 32

/* Workgroups that keep a large GPU busy; small tensors are cut into smaller blocks. */
#define WANTED_BLOCKS 512
#define LEAST_BYTES   2048

/* Runs that both tensors share are moved well enough one by one where they are as long. */
#define LEAST_SHARED_RUN 32

/* Below this a block gives a workgroup too little to do. */
#define LEAST_BLOCK_BYTES 1024

#define SMALL_DIMENSION 64

#define MAX_RANK (VKDML_MAX_DIMENSIONS + 1) /* with the words of an element */

struct dimension {
    uint32_t size;
    uint32_t extent; /* of a block, 1 to size */
    uint64_t output_stride;
    uint64_t input_stride;
};

struct permutation {
    uint32_t element_bytes; /* at most 4 */
    uint32_t scale;         /* elements per element of the gather */
    uint32_t rank;
    struct dimension dimensions[MAX_RANK]; /* outermost of the output first */
    uint32_t input_place;                  /* where the part begins, in bytes modulo 16 */
    uint32_t output_place;
    uint32_t across; /* by squares: the dimension of words of the output; rank: one by one */
    uint32_t local_size;
    uint32_t most_words; /* per invocation; or squares */
    uint64_t most_bytes; /* of a block */
};

/* The elements of a block that lie side by side in a tensor. */
struct run {
    uint64_t length;
    uint32_t next;       /* the dimension that would make it longer; rank: none */
    uint32_t dimensions; /* a bit for each that it counts along */
    uint32_t multiple;   /* of bytes, at most 16, that every run begins at */
};

struct block {
    uint64_t size;
    struct run input;
    struct run output;
    uint32_t run_vectors;
    uint32_t run_words;
    uint64_t input_slots;
    uint64_t output_slots;
    uint32_t column_dimensions; /* by squares: a bit for each */
    uint64_t column_length;
};

static uint64_t stride_of(const struct dimension *dimension, bool of_input) {
    return of_input ? dimension->input_stride : dimension->output_stride;
}

static struct run run_of(const struct permutation *p, bool of_input) {
    struct run run = {1, p->rank, 0, 16};
    bool found = true;
    while (found) {
        found = false;
        for (uint32_t d = p->rank; d-- > 0 && !found;) {
            const struct dimension *dimension = &p->dimensions[d];
            if (stride_of(dimension, of_input) == run.length && (run.dimensions >> d & 1) == 0) {
                run.next = dimension->extent < dimension->size ? d : p->rank;
                if (dimension->extent > 1) {
                    run.dimensions |= 1u << d;
                    run.length *= dimension->extent;
                    found = run.next == p->rank;
                }
                d = 0;
            }
        }
    }
    uint64_t place = of_input ? p->input_place : p->output_place;
    for (uint32_t d = 0; d < p->rank; ++d) {
        const struct dimension *dimension = &p->dimensions[d];
        const uint64_t stride = stride_of(dimension, of_input) * p->element_bytes;
        if ((run.dimensions >> d & 1) == 0) {
            place |= stride;
        } else if (dimension->extent < dimension->size) {
            place |= stride * dimension->extent;
        }
    }
    while (place % run.multiple != 0) {
        run.multiple /= 2;
    }
    return run;
}

/* What of a block's run of the input comes before the dimension of words of the output. */
static void find_columns(const struct permutation *p, struct block *b) {
    b->column_length = 1;
    b->column_dimensions = 0;
    for (uint32_t d = 0; d < p->rank;) {
        const struct dimension *dimension = &p->dimensions[d];
        const uint32_t others = b->input.dimensions & ~b->column_dimensions;
        const bool continues = d != p->across && (others >> d & 1) != 0 && dimension->input_stride == b->column_length;
        if (continues) {
            b->column_dimensions |= 1u << d;
            b->column_length *= dimension->extent;
            if (dimension->extent < dimension->size) {
                return;
            }
        }
        d = continues ? 0 : d + 1;
    }
}

static uint32_t packed_of(const struct permutation *p) {
    return 4 / p->element_bytes;
}

static void measure_squares(const struct permutation *p, struct block *b) {
    find_columns(p, b);
    const uint32_t extent = p->dimensions[p->across].extent;
    const uint32_t packed = packed_of(p);
    b->run_words = (uint32_t)vkdml_divide_up(extent, packed);
    b->output_slots = b->size / (b->column_length * extent) * b->run_words * vkdml_divide_up(b->column_length, packed);
}

/* False where a block of these extents is too large. */
static bool measure(const struct permutation *p, struct block *b) {
    b->size = 1;
    for (uint32_t d = 0; d < p->rank; ++d) {
        b->size *= p->dimensions[d].extent;
    }
    if (b->size * p->element_bytes > p->most_bytes) {
        return false;
    }
    b->input = run_of(p, true);
    b->output = run_of(p, false);
    const uint32_t output_multiple = b->output.multiple < 4 ? b->output.multiple : 4;
    b->run_vectors = (uint32_t)vkdml_divide_up(b->input.length * p->element_bytes + 16 - b->input.multiple, 16);
    b->run_words = (uint32_t)vkdml_divide_up(b->output.length * p->element_bytes + 4 - output_multiple, 4);
    b->input_slots = b->size / b->input.length * b->run_vectors;
    b->output_slots = b->size / b->output.length * b->run_words;
    if (p->across < p->rank) {
        measure_squares(p, b);
    }
    const uint64_t words = 4 * b->input_slots;
    return 4 * (words + words / 32 + 2) <= SHARED_BYTES - 16 * MAX_BLOCKS &&
           b->input_slots <= (uint64_t)p->local_size * MAX_VECTORS &&
           b->output_slots <= (uint64_t)p->local_size * p->most_words;
}

static bool begin(const struct vkdml_gather *gather, const struct vkdml_gather_part *part, struct permutation *p) {
    memset(p, 0, sizeof(*p));
    p->element_bytes = gather->element_bytes < 4 ? gather->element_bytes : 4;
    p->scale = gather->element_bytes / p->element_bytes;
    for (uint32_t d = 0; d < gather->count; ++d) {
        const struct vkdml_gather_dimension *from = &gather->dimensions[d];
        if (part->box.size[d] > 1) {
            p->dimensions[p->rank++] =
                (struct dimension){part->box.size[d], 1, (uint64_t)from->output_stride * p->scale,
                                   (uint64_t)from->input_stride * p->scale};
        }
    }
    const struct dimension *row = &p->dimensions[p->rank > 0 ? p->rank - 1 : 0];
    if (p->rank < 2 || row->input_stride == 0) {
        return false;
    }
    const bool is_shared = row->output_stride == p->scale && row->input_stride == p->scale;
    if (is_shared && (uint64_t)row->size * gather->element_bytes >= LEAST_SHARED_RUN) {
        return false;
    }
    if (p->scale > 1) {
        p->dimensions[p->rank++] = (struct dimension){p->scale, p->scale, 1, 1};
    }
    return true;
}

/* Makes a block longer along a dimension: of a small one by the next of its divisors, so that all blocks are alike,
 * else up to twice. False where it cannot be. */
static bool grow(struct permutation *p, uint32_t d, struct block *b) {
    struct dimension *dimension = &p->dimensions[d];
    const uint32_t extent = dimension->extent;
    const bool is_small = dimension->size <= SMALL_DIMENSION;
    uint32_t longer = dimension->size - extent < extent ? dimension->size : 2 * extent;
    if (is_small) {
        for (longer = extent + 1; dimension->size % longer != 0;) {
            ++longer;
        }
    }
    for (uint32_t more = longer - extent; more > 0; more = is_small ? 0 : more / 2) {
        dimension->extent = extent + more;
        if (measure(p, b)) {
            return true;
        }
    }
    dimension->extent = extent;
    measure(p, b);
    return false;
}

/* Cuts a dimension into equal parts, such that blocks begin at the same places within 16 bytes. */
static void even_out(struct permutation *p, struct dimension *dimension) {
    uint32_t multiple = 1;
    while (multiple < 16 && (multiple * dimension->input_stride * p->element_bytes % 16 != 0 ||
                             multiple * dimension->output_stride * p->element_bytes % 4 != 0)) {
        multiple *= 2;
    }
    const uint32_t parts = (uint32_t)vkdml_divide_up(dimension->size, dimension->extent);
    const uint32_t even = (uint32_t)vkdml_divide_up(dimension->size, parts);
    const uint32_t up = (uint32_t)vkdml_divide_up(even, multiple) * multiple;
    const uint32_t down = dimension->extent / multiple * multiple;
    dimension->extent = up <= dimension->extent ? up : down > 0 ? down : even;
}

static bool choose_block(struct permutation *p, struct block *b) {
    if (!measure(p, b)) {
        return false;
    }
    bool closed[2] = {false, false};
    while (!closed[0] || !closed[1]) {
        closed[0] = closed[0] || b->output.next == p->rank;
        closed[1] = closed[1] || b->input.next == p->rank;
        const bool of_input = closed[0] || (!closed[1] && b->input.length < b->output.length);
        if (!closed[of_input]) {
            closed[of_input] = !grow(p, of_input ? b->input.next : b->output.next, b);
        }
    }
    uint32_t block_rank = 0;
    for (uint32_t d = 0; d < p->rank; ++d) {
        block_rank += p->dimensions[d].extent > 1;
        if (p->dimensions[d].extent > 1 && p->dimensions[d].size % p->dimensions[d].extent != 0) {
            even_out(p, &p->dimensions[d]);
        }
    }
    return block_rank <= VKDML_MAX_DIMENSIONS && measure(p, b);
}

/* Whether runs of the output along a dimension begin at words. */
static bool has_output_words(const struct permutation *p, uint32_t across) {
    uint64_t place = p->output_place;
    for (uint32_t d = 0; d < p->rank; ++d) {
        place |= d == across ? 0 : p->dimensions[d].output_stride * p->element_bytes;
    }
    return place % 4 == 0;
}

/* Whether columns of a block begin at words of the input. */
static bool has_input_words(const struct permutation *p, const struct block *b) {
    uint64_t place = p->input_place;
    for (uint32_t d = 0; d < p->rank; ++d) {
        const struct dimension *dimension = &p->dimensions[d];
        const bool is_column = (b->column_dimensions >> d & 1) != 0;
        const uint32_t step = !is_column ? 1 : dimension->extent < dimension->size ? dimension->extent : 0;
        place |= step * dimension->input_stride * p->element_bytes;
    }
    return place % 4 == 0;
}

/* The dimension whose elements make up words of the output, where these are all whole; rank: none. */
static uint32_t find_across(const struct permutation *p) {
    for (uint32_t d = 0; d < p->rank && p->element_bytes < 4; ++d) {
        const struct dimension *dimension = &p->dimensions[d];
        if (dimension->output_stride == 1 && dimension->input_stride > 1 && dimension->size % packed_of(p) == 0 &&
            has_output_words(p, d)) {
            return d;
        }
    }
    return p->rank;
}

/* Whether squares of a block are full, but for a third at most. */
static bool has_squares(const struct permutation *p, const struct block *b) {
    const uint32_t packed = packed_of(p);
    return p->dimensions[p->across].extent % packed == 0 &&
           2 * vkdml_divide_up(b->column_length, packed) * packed <= 3 * b->column_length;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* By squares where they are full, else one by one. */
static bool choose_way(struct permutation *p, struct block *b) {
    const uint32_t packed = packed_of(p);
    p->across = find_across(p);
    p->most_words = MAX_SQUARES / packed;
    if (p->across < p->rank && choose_block(p, b) && has_squares(p, b)) {
        return true;
    }
    for (uint32_t d = 0; d < p->rank; ++d) {
        p->dimensions[d].extent = p->scale > 1 && d + 1 == p->rank ? p->scale : 1;
    }
    p->across = p->rank;
    p->most_words = (uint32_t)least(MAX_PLACES / packed, MAX_WORDS);
    return choose_block(p, b);
}

/* The dimensions of a block in the order that the kernel counts along, outermost first. Returns their number. */
static uint32_t order_block(const struct permutation *p, const struct block *b, uint32_t order[],
                            uint32_t constants[]) {
    const bool by_squares = p->across < p->rank;
    uint32_t count = 0;
    for (uint32_t d = 0; d < p->rank; ++d) {
        const bool later =
            by_squares ? d == p->across || (b->column_dimensions >> d & 1) != 0 : (b->output.dimensions >> d & 1) != 0;
        if (p->dimensions[d].extent > 1 && !later) {
            order[count++] = d;
        }
    }
    constants[VKDML_PERMUTE_CONSTANT_OUTER_RANK] = count;
    for (uint32_t d = 0; d < p->rank && !by_squares; ++d) {
        if ((b->output.dimensions >> d & 1) != 0) {
            order[count++] = d;
        }
    }
    if (by_squares) {
        for (uint64_t stride = b->column_length; stride > 1;) {
            for (uint32_t d = 0; d < p->rank; ++d) {
                const struct dimension *dimension = &p->dimensions[d];
                if ((b->column_dimensions >> d & 1) != 0 && dimension->input_stride * dimension->extent == stride) {
                    order[count++] = d;
                    stride = dimension->input_stride;
                }
            }
        }
        constants[VKDML_PERMUTE_CONSTANT_COLUMN_RANK] = count - constants[VKDML_PERMUTE_CONSTANT_OUTER_RANK];
        order[count++] = p->across;
    }
    return count;
}

/* The dimensions that a block has parts of, the last one of the output first. */
static void fill_splits(const struct permutation *p, const uint32_t order[], uint32_t rank, uint32_t constants[],
                        struct vkdml_permute_parameters *parameters) {
    for (uint32_t d = p->rank; d-- > 0;) {
        const struct dimension *dimension = &p->dimensions[d];
        for (uint32_t place = 0; place < rank; ++place) {
            if (order[place] == d && dimension->extent < dimension->size) {
                const uint32_t split = constants[VKDML_PERMUTE_CONSTANT_SPLIT_RANK]++;
                parameters->split_sizes[split] = dimension->size;
                parameters->split_dimensions[split] = place;
                parameters->split_dimensions[2 + split] = dimension->extent;
            }
        }
    }
}

static void fill_block(const struct permutation *p, const struct block *b, uint32_t constants[],
                       struct vkdml_permute_parameters *parameters) {
    uint32_t order[MAX_RANK];
    const uint32_t rank = order_block(p, b, order, constants);
    uint32_t run_stride = 1;
    for (uint32_t place = rank; place-- > 0;) {
        const uint32_t d = order[place];
        const struct dimension *dimension = &p->dimensions[d];
        const struct vkdml_divisor divisor = vkdml_divisor(dimension->extent);
        parameters->sizes[place] = dimension->extent;
        parameters->multipliers[place] = divisor.multiplier;
        parameters->shifts[place] = divisor.shifts;
        parameters->output_strides[place] = (uint32_t)dimension->output_stride;
        parameters->input_strides[place] = (uint32_t)dimension->input_stride;
        if ((b->input.dimensions >> d & 1) == 0) {
            parameters->run_strides[place] = run_stride;
            run_stride *= dimension->extent;
        }
    }
    fill_splits(p, order, rank, constants, parameters);
    constants[VKDML_PERMUTE_CONSTANT_BLOCK_RANK] = rank;
    if (p->across < p->rank) {
        const uint32_t columns = (uint32_t)vkdml_divide_up(b->column_length, packed_of(p));
        parameters->columns = columns;
        parameters->columns_divisor = vkdml_divisor(columns);
        constants[VKDML_PERMUTE_CONSTANT_WHOLE_WORDS] = has_input_words(p, b);
    }
    parameters->input_slots = (uint32_t)b->input_slots;
    parameters->run_vectors = b->run_vectors;
    parameters->output_slots = (uint32_t)b->output_slots;
    parameters->run_words = b->run_words;
    parameters->run_vectors_divisor = vkdml_divisor(b->run_vectors);
    parameters->run_words_divisor = vkdml_divisor(b->run_words);
    parameters->run_length = (uint32_t)b->output.length;
}

static void fill_batch(const struct dimension *dimension, uint32_t place, struct vkdml_permute_parameters *parameters) {
    const uint32_t size = (uint32_t)vkdml_divide_up(dimension->size, dimension->extent);
    const struct vkdml_divisor divisor = vkdml_divisor(size);
    parameters->batch_sizes[place] = size;
    parameters->batch_multipliers[place] = divisor.multiplier;
    parameters->batch_shifts[place] = divisor.shifts;
    parameters->batch_output_strides[place] = (uint32_t)(dimension->output_stride * dimension->extent);
    parameters->batch_input_strides[place] = (uint32_t)(dimension->input_stride * dimension->extent);
}

/* Blocks are counted along dimensions outside them, and innermost along those that they have parts of. Returns their
 * number. */
static uint64_t fill_batches(const struct permutation *p, uint32_t constants[],
                             struct vkdml_permute_parameters *parameters) {
    uint64_t blocks = 1;
    uint32_t rank = 0;
    for (uint32_t d = 0; d < p->rank; ++d) {
        if (p->dimensions[d].extent == 1) {
            fill_batch(&p->dimensions[d], rank++, parameters);
            blocks *= p->dimensions[d].size;
        }
    }
    for (uint32_t d = 0; d < p->rank; ++d) {
        if (p->dimensions[d].extent > 1 && p->dimensions[d].extent < p->dimensions[d].size) {
            fill_batch(&p->dimensions[d], rank++, parameters);
            blocks *= parameters->batch_sizes[rank - 1];
        }
    }
    constants[VKDML_PERMUTE_CONSTANT_BATCH_RANK] = rank;
    return blocks;
}

static void set_limits(struct permutation *p, const struct vkdml_plan_limits *limits) {
    uint64_t bytes = p->element_bytes;
    for (uint32_t d = 0; d < p->rank; ++d) {
        bytes *= p->dimensions[d].size;
    }
    p->local_size = vkdml_local_size(limits, LOCAL_SIZE);
    p->most_bytes = bytes / WANTED_BLOCKS < LEAST_BYTES ? LEAST_BYTES : bytes / WANTED_BLOCKS;
    p->most_bytes = least(p->most_bytes, SHARED_BYTES);
}

bool vkdml_gather_permute(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                          const struct vkdml_plan_limits *limits, uint32_t least_run, struct vkdml_report *report,
                          struct vkdml_plan_step *step, VkdmlResult *result) {
    struct permutation p;
    struct block b;
    if (limits->variant == VKDML_KERNEL_VARIANT_SERIAL || !begin(gather, part, &p)) {
        return false;
    }
    uint64_t input_first = 0 - part->input_base;
    for (uint32_t i = 0; i < gather->count; ++i) {
        input_first += (uint64_t)part->box.origin[i] * gather->dimensions[i].input_stride;
    }
    struct vkdml_permute_parameters parameters;
    memset(&parameters, 0, sizeof(parameters));
    parameters.input_first = (uint32_t)(input_first * p.scale);
    parameters.output_first = part->output.lead * p.scale;
    p.input_place = vkdml_place_modulo_16(limits, gather->input.offset + part->input.offset,
                                          (uint64_t)parameters.input_first * p.element_bytes);
    p.output_place = vkdml_place_modulo_16(limits, gather->output.offset + part->output.offset,
                                           (uint64_t)parameters.output_first * p.element_bytes);
    set_limits(&p, limits);
    const bool chosen = choose_way(&p, &b);
    if (p.across < p.rank && least_run > LEAST_SQUARES_RUN) {
        least_run = LEAST_SQUARES_RUN;
    }
    if (!chosen || b.size * p.element_bytes < LEAST_BLOCK_BYTES || b.input.length * p.element_bytes < least_run ||
        b.output.length * p.element_bytes < least_run) {
        return false;
    }
    uint32_t constants[VKDML_KERNEL_CONSTANTS] = {0};
    fill_block(&p, &b, constants, &parameters);
    const uint64_t blocks = fill_batches(&p, constants, &parameters);
    const uint64_t share = blocks / (4 * WANTED_BLOCKS);
    const uint32_t blocks_per_group = share < 1 ? 1 : (uint32_t)least(share, MAX_BLOCKS);
    const uint64_t group_count = vkdml_divide_up(blocks, blocks_per_group);
    *result = vkdml_grid(group_count, limits, report, step->groups);
    if (*result != VKDML_SUCCESS) {
        return true;
    }
    parameters.group_count = (uint32_t)group_count;
    parameters.block_count = (uint32_t)blocks;
    constants[VKDML_PERMUTE_CONSTANT_LOCAL_SIZE] = p.local_size;
    constants[VKDML_PERMUTE_CONSTANT_ELEMENT_BITS] = 8 * p.element_bytes;
    constants[VKDML_PERMUTE_CONSTANT_BLOCKS] = blocks_per_group;
    constants[VKDML_PERMUTE_CONSTANT_WORDS] = (uint32_t)vkdml_divide_up(b.output_slots, p.local_size);
    constants[VKDML_PERMUTE_CONSTANT_VECTORS] = (uint32_t)vkdml_divide_up(b.input_slots, p.local_size);
    constants[VKDML_PERMUTE_CONSTANT_TILE_WORDS] = (uint32_t)(4 * b.input_slots + b.input_slots / 8 + 2);
    vkdml_note_step(report,
                    "blocks read in runs of %u bytes and written in runs of %u, since the inner dimensions are small",
                    (unsigned)(b.input.length * p.element_bytes), (unsigned)(b.output.length * p.element_bytes));
    step->kernel = VKDML_KERNEL_PERMUTE;
    for (uint32_t i = VKDML_PERMUTE_CONSTANT_LOCAL_SIZE; i <= VKDML_PERMUTE_CONSTANT_WHOLE_WORDS; ++i) {
        vkdml_step_constant(step, i, constants[i]);
    }
    vkdml_gather_bind_step(gather, part, &parameters, sizeof(parameters), step);
    return true;
}
