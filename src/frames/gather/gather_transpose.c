#include "frames/gather/gather_transpose.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"
#include "plan/step.h"

#define LOCAL_SIZE 256

/* Places of x that an invocation moves where it works alone. */
#define SERIAL_RUN        16
#define SERIAL_LOCAL_SIZE 64

/* Vulkan 1.2 limit minimum for maxComputeSharedMemorySize. */
#define SHARED_BYTES 16384

/* 32 bytes per invocation, of 16 to 128 the fastest on an NVIDIA H200, but for long runs of bytes, where 64 are. */
#define TILE_BYTES           8192
#define TILE_BYTES_LONG_RUNS 16384
_Static_assert(TILE_BYTES <= SHARED_BYTES && TILE_BYTES_LONG_RUNS <= SHARED_BYTES, "a tile fits");

/* Elements that lie side by side in both tensors move together up to so many bytes; longer runs are read and written
 * well enough one by one. */
#define LARGEST_UNIT 32

/* Below this a tile gives a workgroup too little to do. */
#define LEAST_TILE_BYTES 2048

/* Shorter runs of the output, of elements narrower than words, are left to the kernel that gathers 16 bytes at a time;
 * so are runs that begin or end within words, which costs atomics, unless they are longer still. */
#define LEAST_NARROW_ROW  16
#define LEAST_PARTIAL_ROW 64

/* Longer sides go by the kernel for rows that begin anywhere where they do. */
#define LEAST_SHIFTED_SIDE 96

#define LONG_RUN 64

/* Dimensions whose places count as one: their elements lie side by side in a tensor. */
struct side {
    uint32_t rank;
    uint64_t size;
    uint32_t tile;
    struct vkdml_gather_dimension dimensions[VKDML_MAX_DIMENSIONS]; /* innermost first */
};

struct transpose {
    uint32_t element_bytes; /* at most 4 */
    uint32_t unit;          /* elements */
    uint32_t scale;         /* elements per element of the gather */
    uint32_t batch_rank;
    struct vkdml_gather_dimension batch[VKDML_MAX_DIMENSIONS]; /* innermost last */
    struct side x;
    struct side y;
    bool serial;      /* invocations work alone, each on four words of x.tile output rows */
    bool aligned;     /* every run of the input begins at a multiple of 16 bytes */
    bool shifted;     /* not every run of the output does */
    bool partial;     /* some of them within a word */
    bool whole_words; /* none of the input does */
    bool by_shifts;   /* by the kernel for rows that begin anywhere */
};

/* The dimensions of a part, of more than one coordinate each, all as batch dimensions. */
static void begin(const struct vkdml_gather *gather, const struct vkdml_gather_part *part, struct transpose *t) {
    memset(t, 0, sizeof(*t));
    t->element_bytes = gather->element_bytes < 4 ? gather->element_bytes : 4;
    t->scale = gather->element_bytes / t->element_bytes;
    t->unit = t->scale;
    for (uint32_t d = 0; d < gather->count; ++d) {
        if (part->box.size[d] > 1) {
            t->batch[t->batch_rank] = gather->dimensions[d];
            t->batch[t->batch_rank++].size = part->box.size[d];
        }
    }
}

static struct vkdml_gather_dimension take(struct transpose *t, uint32_t d) {
    const struct vkdml_gather_dimension taken = t->batch[d];
    memmove(t->batch + d, t->batch + d + 1, (--t->batch_rank - d) * sizeof(*t->batch));
    return taken;
}

/* Takes an innermost run that both tensors share into the unit. False where it is too long, or cannot be. */
static bool take_unit(struct transpose *t) {
    const struct vkdml_gather_dimension *row = &t->batch[t->batch_rank - 1];
    if (row->output_stride != 1 || row->input_stride != 1) {
        return row->input_stride != 0; /* a broadcast is not read for every element */
    }
    const uint64_t unit = (uint64_t)t->unit * row->size;
    if (t->element_bytes < 4 || unit * t->element_bytes > LARGEST_UNIT) {
        return false;
    }
    t->unit = (uint32_t)unit;
    take(t, t->batch_rank - 1);
    return true;
}

/* Adds to a side the batch dimension that continues it: whose stride, in the tensor that the side lies in, is that of
 * the side's end. */
static bool extend(struct transpose *t, struct side *side) {
    const uint64_t wanted = (side->rank == 0 ? 1 : side->size) * (t->unit / t->scale);
    for (uint32_t d = 0; d < t->batch_rank; ++d) {
        const uint32_t stride = side == &t->x ? t->batch[d].input_stride : t->batch[d].output_stride;
        if (stride == wanted) {
            side->dimensions[side->rank++] = take(t, d);
            side->size = (side->rank == 1 ? 1 : side->size) * side->dimensions[side->rank - 1].size;
            return true;
        }
    }
    return false;
}

/* Whether tiles along a side would be far from full. */
static bool is_wasteful(const struct side *side, uint32_t tile) {
    return side->size < 4 * (uint64_t)tile && side->size % tile != 0;
}

static uint32_t power_up_to(uint64_t limit) {
    uint32_t power = 1;
    while ((uint64_t)power * 2 <= limit && power < 1u << 30) {
        power *= 2;
    }
    return power;
}

static uint32_t power_from(uint64_t size) {
    const uint32_t power = power_up_to(size);
    return power < size ? 2 * power : power;
}

/* The tile's edge along a side: enough for all of it, within limits. */
static uint32_t tile_of(const struct side *side, uint32_t most, uint32_t least) {
    const uint32_t tile = power_from(side->size < most ? side->size : most);
    return tile < least ? least : tile;
}

/* Before sides are extended. */
static uint32_t tile_bytes(const struct transpose *t) {
    const bool is_long = t->x.size >= 512 && t->y.size >= 512 && t->x.size % 16 == 0 && t->y.size % 16 == 0;
    return t->element_bytes == 1 && is_long ? TILE_BYTES_LONG_RUNS : TILE_BYTES;
}

/* Both sides, of as many dimensions as fill tiles, and the tiles. */
static bool choose_tiles(struct transpose *t) {
    uint32_t least = 1; /* whose elements are a multiple of 16 bytes */
    while (least * t->unit * t->element_bytes % 16 != 0) {
        least *= 2;
    }
    if (!extend(t, &t->y) || !extend(t, &t->x)) {
        return false;
    }
    if (t->serial) {
        t->x.tile = SERIAL_RUN;
        t->y.tile = 16 / t->element_bytes;
        return t->x.size >= 4 && t->y.size * t->unit >= t->y.tile;
    }
    const uint32_t area = power_up_to(tile_bytes(t) / (t->element_bytes * t->unit));
    uint32_t edge = 1;
    while (4 * (uint64_t)edge * edge <= area) {
        edge *= 2;
    }
    /* The shorter side first: both may want the same dimension. */
    bool grows = true;
    while (grows) {
        struct side *shorter = t->x.size < t->y.size ? &t->x : &t->y;
        struct side *longer = shorter == &t->x ? &t->y : &t->x;
        grows = (is_wasteful(shorter, edge) && extend(t, shorter)) || (is_wasteful(longer, edge) && extend(t, longer));
    }
    t->x.tile = tile_of(&t->x, edge, least);
    t->y.tile = tile_of(&t->y, area / t->x.tile, least);
    t->x.tile = tile_of(&t->x, area / t->y.tile, least);
    return (uint64_t)t->x.tile * t->y.tile * t->unit * t->element_bytes >= LEAST_TILE_BYTES;
}

/* Whether every stride is a multiple of `multiple` bytes, in the input or in the output. */
static bool are_multiples(const struct transpose *t, const struct vkdml_gather_dimension *dimensions, uint32_t count,
                          bool of_input, uint32_t multiple) {
    for (uint32_t d = 0; d < count; ++d) {
        const uint64_t stride = of_input ? dimensions[d].input_stride : dimensions[d].output_stride;
        if (stride * t->scale * t->element_bytes % multiple != 0) {
            return false;
        }
    }
    return true;
}

static void align(struct transpose *t, const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                  const struct vkdml_plan_limits *limits, const struct vkdml_transpose_parameters *parameters) {
    const uint32_t input = vkdml_place_modulo_16(limits, gather->input.offset + part->input.offset,
                                                 (uint64_t)parameters->input_first * t->element_bytes);
    const uint32_t output = vkdml_place_modulo_16(limits, gather->output.offset + part->output.offset,
                                                  (uint64_t)parameters->output_first * t->element_bytes);
    t->aligned = input == 0 && are_multiples(t, t->batch, t->batch_rank, true, 16) &&
                 are_multiples(t, t->y.dimensions, t->y.rank, true, 16);
    t->shifted = output != 0 || !are_multiples(t, t->batch, t->batch_rank, false, 16) ||
                 !are_multiples(t, t->x.dimensions, t->x.rank, false, 16);
    if (t->serial) {
        t->shifted = t->shifted || t->y.size * t->unit * t->element_bytes % 16 != 0;
        t->aligned = t->aligned && t->x.size * t->unit * t->element_bytes % 16 == 0;
    }
    t->whole_words = input % 4 == 0 && are_multiples(t, t->batch, t->batch_rank, true, 4) &&
                     are_multiples(t, t->y.dimensions, t->y.rank, true, 4);
    t->by_shifts = !t->serial && (t->shifted || !(t->element_bytes == 4 ? t->aligned : t->whole_words)) &&
                   t->x.size * t->unit * t->element_bytes >= LEAST_SHIFTED_SIDE &&
                   t->y.size * t->unit * t->element_bytes >= LEAST_SHIFTED_SIDE;
    t->partial = output % 4 != 0 || !are_multiples(t, t->batch, t->batch_rank, false, 4) ||
                 !are_multiples(t, t->x.dimensions, t->x.rank, false, 4);
}

static void fill_dimension(const struct transpose *t, const struct vkdml_gather_dimension *dimension, uint32_t d,
                           struct vkdml_transpose_parameters *parameters) {
    const struct vkdml_divisor divisor = vkdml_divisor(dimension->size);
    parameters->sizes[d] = dimension->size;
    parameters->multipliers[d] = divisor.multiplier;
    parameters->shifts[d] = divisor.shifts;
    /* Modulo 2^32, which is exact within a window. */
    parameters->output_strides[d] = dimension->output_stride * t->scale;
    parameters->input_strides[d] = dimension->input_stride * t->scale;
}

static uint64_t fill_parameters(const struct transpose *t, const struct vkdml_gather *gather,
                                const struct vkdml_gather_part *part, struct vkdml_transpose_parameters *parameters) {
    memset(parameters, 0, sizeof(*parameters));
    uint32_t d = 0;
    uint64_t batches = 1;
    for (uint32_t i = 0; i < t->batch_rank; ++i) {
        fill_dimension(t, &t->batch[i], d++, parameters);
        batches *= t->batch[i].size;
    }
    for (uint32_t i = t->x.rank; i-- > 0;) {
        fill_dimension(t, &t->x.dimensions[i], d++, parameters);
    }
    for (uint32_t i = t->y.rank; i-- > 0;) {
        fill_dimension(t, &t->y.dimensions[i], d++, parameters);
    }
    uint64_t input_first = 0 - part->input_base;
    for (uint32_t i = 0; i < gather->count; ++i) {
        input_first += (uint64_t)part->box.origin[i] * gather->dimensions[i].input_stride;
    }
    parameters->input_first = (uint32_t)(input_first * t->scale);
    parameters->output_first = part->output.lead * t->scale;
    return batches;
}

/* The tiles of the kernel for rows that begin anywhere. */
struct shifted_tiles {
    uint32_t words; /* of a row of the input */
    uint32_t rows;
    uint32_t local_size;
};

/* Of 16 to 64 words, 32 to 128 rows and 128 or 256 invocations the fastest on an NVIDIA H200. */
static struct shifted_tiles shifted_tiles_of(const struct transpose *t) {
    switch (t->element_bytes) {
    case 1:
        return (struct shifted_tiles){32, 64, 128};
    case 2:
        return (struct shifted_tiles){16, 128, 256};
    default:
        return t->unit == 1 ? (struct shifted_tiles){32, 64, 256} : (struct shifted_tiles){64, 32, 256};
    }
}

static uint32_t shifted_tile(uint64_t size, uint32_t most, uint32_t multiple) {
    const uint64_t whole = vkdml_divide_up(size, multiple) * multiple;
    return whole < most ? (uint32_t)whole : most;
}

static void choose_shifted_tiles(struct transpose *t) {
    const struct shifted_tiles tiles = shifted_tiles_of(t);
    const uint32_t packed = 4 / t->element_bytes;
    t->x.tile = shifted_tile(t->x.size, packed == 1 ? tiles.words / t->unit : (tiles.words - 1) * packed, packed);
    t->y.tile = shifted_tile(t->y.size, tiles.rows, 4 * packed);
}

/* The words of rows of a tile that an invocation reads: each row one more, and rows of 16 bytes more. */
static uint32_t shifted_share(const struct transpose *t, uint32_t local_size) {
    const uint32_t packed = 4 / t->element_bytes;
    const uint32_t columns = t->x.tile * t->unit / packed + (packed > 1);
    const uint64_t rows = t->y.tile + vkdml_divide_up(4 * packed, t->unit);
    return (uint32_t)vkdml_divide_up(columns * rows / packed, local_size);
}

/* Returns the tiles of a batch. */
static uint64_t fill_tiles(struct transpose *t, struct vkdml_transpose_parameters *parameters) {
    if (t->by_shifts) {
        choose_shifted_tiles(t);
    }
    parameters->x_size = (uint32_t)t->x.size;
    parameters->y_size = (uint32_t)t->y.size;
    parameters->tiles_x = (uint32_t)vkdml_divide_up(t->x.size, t->x.tile);
    parameters->tiles_y = (uint32_t)vkdml_divide_up(t->y.size * (t->serial ? t->unit : 1), t->y.tile);
    parameters->tiles_x_divisor = vkdml_divisor(parameters->tiles_x);
    parameters->tiles_y_divisor = vkdml_divisor(parameters->tiles_y);
    return (uint64_t)parameters->tiles_x * parameters->tiles_y;
}

/* Whether a side fills its tiles by so many percent. */
static bool is_full(const struct side *side, uint32_t percent) {
    return 100 * side->size >= percent * vkdml_divide_up(side->size, side->tile) * side->tile;
}

static uint64_t run_bytes(const struct transpose *t, const struct side *side) {
    return (side->size < side->tile ? side->size : side->tile) * t->unit * t->element_bytes;
}

/* Whether tiles are full, and both sides go without shifts but of whole words and in runs of two sectors at least,
 * those of the input perhaps because rows lie side by side. Rows that begin anywhere are no better served by blocks,
 * but where tiles are hardly more than half full (35 32-bit elements, in tiles of 32: 0.48 of the copy peak on an
 * NVIDIA H200, by blocks 0.81; 127 and 129: 0.74). */
static bool serves_well(const struct transpose *t) {
    const bool is_dense = t->y.dimensions[0].input_stride == t->x.size * (t->unit / t->scale);
    return (t->by_shifts && is_full(&t->x, 60) && is_full(&t->y, 60)) ||
           ((t->element_bytes == 4 || !t->shifted) && t->whole_words && is_full(&t->x, 75) && is_full(&t->y, 75) &&
            run_bytes(t, &t->y) >= LONG_RUN && (is_dense || run_bytes(t, &t->x) >= LONG_RUN));
}

/* Whether runs of the output are long enough. */
static bool suits_rows(const struct transpose *t) {
    const uint64_t row = t->y.size * t->element_bytes;
    return t->element_bytes == 4 || row >= (t->partial || row % 4 != 0 ? LEAST_PARTIAL_ROW : LEAST_NARROW_ROW);
}

bool vkdml_gather_transpose(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                            const struct vkdml_plan_limits *limits, bool only_well, struct vkdml_report *report,
                            struct vkdml_plan_step *step, VkdmlResult *result) {
    struct transpose t;
    begin(gather, part, &t);
    t.serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    if (t.batch_rank == 0 || !take_unit(&t) || t.batch_rank == 0 || !choose_tiles(&t)) {
        return false;
    }
    struct vkdml_transpose_parameters parameters;
    const uint64_t batches = fill_parameters(&t, gather, part, &parameters);
    align(&t, gather, part, limits, &parameters);
    if (!(t.serial ? !t.partial : suits_rows(&t))) {
        return false;
    }
    const uint64_t tiles = batches * fill_tiles(&t, &parameters);
    if (only_well && !t.serial && !serves_well(&t)) {
        return false;
    }
    const uint32_t wanted = t.serial ? SERIAL_LOCAL_SIZE : t.by_shifts ? shifted_tiles_of(&t).local_size : LOCAL_SIZE;
    const uint32_t local_size = vkdml_local_size(limits, wanted);
    parameters.item_count = (uint32_t)tiles;
    const uint64_t group_count = t.serial ? vkdml_divide_up(tiles, local_size) : tiles;
    *result = vkdml_grid(group_count, limits, report, step->groups);
    if (*result != VKDML_SUCCESS) {
        return true;
    }
    parameters.group_count = (uint32_t)group_count;
    vkdml_note_step(report, "tiles of %u x %u, since the innermost dimensions of input and output differ%s",
                    (unsigned)t.x.tile, (unsigned)t.y.tile,
                    t.by_shifts ? "; by shifts, since rows begin within words" : "");
    step->kernel = t.by_shifts ? VKDML_KERNEL_TRANSPOSE_SHIFTED : VKDML_KERNEL_TRANSPOSE;
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_ELEMENT_BITS, 8 * t.element_bytes);
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_UNIT, t.unit);
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_TILE_X, t.x.tile);
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_TILE_Y, t.y.tile);
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_BATCH_RANK, t.batch_rank);
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_X_RANK, t.x.rank);
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_Y_RANK, t.y.rank);
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_ALIGNED, t.aligned);
    vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_SHIFTED, t.shifted);
    if (t.by_shifts) {
        vkdml_step_constant(step, VKDML_TRANSPOSE_CONSTANT_SHARE, shifted_share(&t, local_size));
    }
    vkdml_gather_bind_step(gather, part, &parameters, sizeof(parameters), step);
    return true;
}
