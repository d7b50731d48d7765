#include "frames/rows/rows.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"
#include "plan/dimensions.h"
#include "plan/step.h"

#define ITEM 4 /* elements */

/* Invocations of a workgroup, or as many as hold a row: few, since all wait for the last one's elements. Of 256 softmax
 * of rows of 128 FLOAT16 reaches 0.76 of an H200's copy peak, of 64 0.96. */
#define LOCAL_SIZE 64
#define MOST_LANES 256

/* Neighbours that read side by side. */
#define LEAST_LANES      8
#define LEAST_LANES_HALF 4

/* Across, invocations beside one another want neighbouring rows: 16 of 16 bytes. */
#define MOST_LANES_ACROSS 16

/* Items of an invocation, in 64 registers; and as many as are on their way well before the first is used. Across,
 * FLOAT16's are loads of 8 bytes. */
#define MOST_HELD        16
#define HELD             8
#define HELD_HALF_ACROSS 16

/* Of long rows: large workgroups, so that few rows at once are to stay in the cache; but powers of e take long, and
 * two workgroups of half the size overlap them with loads. */
#define LOCAL_SIZE_LONG        1024
#define LOCAL_SIZE_LONG_POWERS 512
#define LEAST_LANES_LONG       128
#define HELD_LONG              4
#define LEAST_LONG             96 /* rows, to keep a device busy */

/* A sum rounds for each item, and for each block up to three times more: 384 times of the 512 that are allowed. A mean
 * rounds once a block beside what it is made of, of the 16 that are allowed. */
#define MOST_BLOCKS         48
#define MOST_BLOCKS_MOMENTS 12

enum { INPUT, OUTPUT, SCALE, BIAS, TENSORS };

/* How rows are walked. */
struct walk {
    const struct vkdml_view *tensors[TENSORS];
    struct vkdml_dimension kept[VKDML_MAX_DIMENSIONS], row[VKDML_MAX_DIMENSIONS]; /* outermost first */
    uint32_t kept_rank, row_rank;
    uint32_t general_rank; /* of kept dimensions, whatever sizes are 1 */
    bool across;
    uint32_t items; /* of a row */
    uint64_t units; /* rows, or across fours of them */
    uint32_t lanes, held, local_size;
    bool is_half, is_paired;
    uint32_t blocks; /* of a row: 1, or of a long one more */
};

static uint32_t stride_of(const struct vkdml_view *tensor, uint32_t d) {
    return !vkdml_view_exists(tensor) || tensor->sizes[d] == 1 ? 0 : tensor->strides[d];
}

static void collapse(const struct vkdml_rows *rows, struct walk *walk) {
    const struct vkdml_view *input = &rows->input;
    for (uint32_t d = 0; d < input->rank; ++d) {
        struct vkdml_dimension dimension = {.size = input->sizes[d]};
        for (uint32_t t = 0; t < TENSORS; ++t) {
            dimension.strides[t] = stride_of(walk->tensors[t], d);
        }
        if ((rows->folded >> d & 1) != 0) {
            walk->row[walk->row_rank++] = dimension;
        } else {
            walk->kept[walk->kept_rank++] = dimension;
        }
    }
    walk->row_rank = vkdml_dimensions_collapse(walk->row, walk->row_rank, OUTPUT);
    walk->kept_rank = vkdml_dimensions_collapse(walk->kept, walk->kept_rank, OUTPUT);
}

/* The dimension along which an item's four elements lie. */
static const struct vkdml_dimension *item_dimension(const struct walk *walk) {
    return walk->across ? &walk->kept[walk->kept_rank - 1] : &walk->row[0];
}

/* Whether what is so many elements wide lies at multiples of that in a tensor, in every dimension but its own. */
static bool is_aligned(const struct walk *walk, uint32_t t, uint32_t width) {
    const struct vkdml_dimension *own = item_dimension(walk);
    bool aligned = own->strides[t] == 1;
    for (uint32_t d = 0; d < walk->kept_rank; ++d) {
        aligned = aligned && (&walk->kept[d] == own || walk->kept[d].strides[t] % width == 0);
    }
    return aligned && (!walk->across || walk->row[0].strides[t] % width == 0);
}

static bool has_vectors(const struct walk *walk, uint32_t t) {
    return vkdml_view_exists(walk->tensors[t]) && item_dimension(walk)->strides[t] != 0;
}

/* Input and output as items or pairs of them, and of what scales them the same, or one element for each. */
static bool lies_well(const struct walk *walk, uint32_t width) {
    bool well = item_dimension(walk)->size % width == 0;
    for (uint32_t t = 0; t < TENSORS; ++t) {
        well = well && (t > OUTPUT && !has_vectors(walk, t) ? true : is_aligned(walk, t, width));
    }
    return well;
}

/* The bytes before its first element. */
static uint64_t start_of(const struct vkdml_view *tensor) {
    return vkdml_whole_bytes_of(tensor->at.first, vkdml_view_bits(tensor));
}

/* Whether all can be bound whole, from a multiple of 16 bytes on. */
static bool fits(const struct walk *walk, const struct vkdml_plan_limits *limits) {
    bool fits = true;
    for (uint32_t t = 0; t < TENSORS; ++t) {
        const struct vkdml_view *tensor = walk->tensors[t];
        const uint64_t start = start_of(tensor);
        fits = fits && start % DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT == 0 &&
               (!vkdml_view_exists(tensor) ||
                vkdml_fits(limits, tensor->at.offset + start, vkdml_view_span(tensor) - start));
    }
    return fits;
}

static uint32_t most_lanes(const struct walk *walk) {
    return walk->across ? MOST_LANES_ACROSS : MOST_LANES;
}

/* As few invocations as hold a row by eight items each: fewer meet in shared memory, and more is on its way. */
static bool choose_lanes(struct walk *walk, uint32_t most) {
    const uint32_t held = walk->across && walk->is_half ? HELD_HALF_ACROSS : HELD;
    const uint32_t least = walk->is_half ? LEAST_LANES_HALF : LEAST_LANES;
    walk->lanes = walk->across || walk->items < least ? 1 : least;
    while (walk->lanes < most && walk->items > walk->lanes * held) {
        walk->lanes = walk->lanes == 1 ? 4 : walk->lanes * 2;
    }
    walk->held = 1;
    while (walk->held * walk->lanes < walk->items && walk->held <= MOST_HELD) {
        walk->held *= 2;
    }
    walk->blocks = 1;
    return walk->held <= MOST_HELD;
}

/* Of a row that is too long for that a workgroup walks blocks. False where a device has no workgroups for it. */
static bool choose_block(struct walk *walk, enum vkdml_rows_function function, const struct vkdml_plan_limits *limits) {
    const bool takes_powers = function == VKDML_ROWS_SOFTMAX || function == VKDML_ROWS_LOG_SOFTMAX;
    walk->lanes = vkdml_local_size(limits, takes_powers ? LOCAL_SIZE_LONG_POWERS : LOCAL_SIZE_LONG);
    walk->held = walk->is_half && !takes_powers ? 2 * HELD_LONG : HELD_LONG;
    return !walk->across && walk->lanes >= LEAST_LANES_LONG;
}

static bool choose_blocks(struct walk *walk, enum vkdml_rows_function function,
                          const struct vkdml_plan_limits *limits) {
    const bool has_block = choose_block(walk, function, limits);
    const uint64_t blocks = vkdml_divide_up(walk->items, (uint64_t)walk->lanes * walk->held);
    const uint32_t most = function == VKDML_ROWS_MOMENTS ? MOST_BLOCKS_MOMENTS : MOST_BLOCKS;
    walk->blocks = (uint32_t)blocks;
    return has_block && walk->units >= LEAST_LONG && blocks <= most;
}

static const struct vkdml_view absent = {.at = {.type = DML_TENSOR_DATA_TYPE_UNKNOWN}};

/* Whether it is what the kernel does behind MOMENTS: a scale and then a bias, or one of them. */
static bool suits(const struct vkdml_epilogue *epilogue) {
    bool suits = epilogue->count <= 2;
    for (uint32_t i = 0; i < epilogue->count && suits; ++i) {
        const struct vkdml_epilogue_step *step = &epilogue->steps[i];
        const bool adds = step->operation == VKDML_MAP_ADD && step->factor == 1;
        suits = step->function == VKDML_FUNCTION_NONE &&
                ((step->operation == VKDML_MAP_MULTIPLY && i == 0) || (adds && i + 1 == epilogue->count));
    }
    return suits;
}

/* Of a general plan's steps; see IS_OPEN in rows.comp. */
static void make_general(const struct vkdml_plan_limits *limits, struct walk *walk) {
    const uint32_t more = walk->general_rank - walk->kept_rank;
    memmove(walk->kept + more, walk->kept, walk->kept_rank * sizeof(*walk->kept));
    for (uint32_t d = 0; d < more; ++d) {
        walk->kept[d] = (struct vkdml_dimension){.size = 1};
    }
    walk->kept_rank = walk->general_rank;
    const bool is_block = walk->blocks > 1 || walk->lanes > MOST_LANES;
    walk->held = is_block ? walk->held : MOST_HELD;
    walk->local_size = is_block ? walk->lanes : vkdml_local_size(limits, walk->across ? LOCAL_SIZE : MOST_LANES);
}

/* Whether the kernel may do it for some sizes. */
static bool begin_walk(const struct vkdml_rows *rows, const struct vkdml_plan_limits *limits, struct walk *walk) {
    static const struct vkdml_epilogue none = {.count = 0};
    const struct vkdml_epilogue *epilogue = rows->epilogue != NULL ? rows->epilogue : &none;
    if (limits->variant == VKDML_KERNEL_VARIANT_SERIAL || !suits(epilogue)) {
        return false;
    }
    memset(walk, 0, sizeof(*walk));
    walk->tensors[INPUT] = &rows->input;
    walk->tensors[OUTPUT] = &rows->output;
    const struct vkdml_epilogue_step *scale = vkdml_epilogue_find(epilogue, VKDML_MAP_MULTIPLY);
    const struct vkdml_epilogue_step *bias = vkdml_epilogue_find(epilogue, VKDML_MAP_ADD);
    walk->tensors[SCALE] = scale != NULL ? &scale->operand : &absent;
    walk->tensors[BIAS] = bias != NULL ? &bias->operand : &absent;
    walk->is_half = rows->input.at.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    for (uint32_t d = 0; d < rows->input.rank; ++d) {
        walk->general_rank += (rows->folded >> d & 1) == 0;
    }
    return true;
}

static bool find_walk(const struct vkdml_rows *rows, const struct vkdml_plan_limits *limits, struct walk *walk) {
    if (!begin_walk(rows, limits, walk)) {
        return false;
    }
    collapse(rows, walk);
    if (walk->row_rank != 1) {
        return false;
    }
    walk->across = walk->row[0].strides[OUTPUT] != 1;
    if ((walk->across && walk->kept_rank == 0) || !lies_well(walk, ITEM) || !fits(walk, limits)) {
        return false;
    }
    walk->units = 1;
    for (uint32_t d = 0; d < walk->kept_rank; ++d) {
        walk->units *= walk->kept[d].size;
    }
    walk->units /= walk->across ? ITEM : 1;
    walk->items = walk->row[0].size / (walk->across ? 1 : ITEM);
    if (!choose_lanes(walk, vkdml_local_size(limits, most_lanes(walk))) && !choose_blocks(walk, rows->function, limits)) {
        return false;
    }
    const uint32_t local_size = vkdml_local_size(limits, LOCAL_SIZE);
    walk->local_size = local_size < walk->lanes ? walk->lanes : local_size;
    walk->is_paired = walk->is_half && !walk->across && walk->held > 1 && lies_well(walk, 2 * ITEM);
    if (limits->general) {
        make_general(limits, walk);
    }
    return true;
}

static uint32_t shape_of(const struct vkdml_rows *rows, const struct walk *walk, bool general) {
    return (walk->across ? VKDML_ROWS_ACROSS : 0) |
           (vkdml_view_exists(walk->tensors[SCALE]) ? VKDML_ROWS_HAS_SCALE : 0) |
           (vkdml_view_exists(walk->tensors[BIAS]) ? VKDML_ROWS_HAS_BIAS : 0) |
           (has_vectors(walk, SCALE) ? VKDML_ROWS_SCALE_IS_VECTOR : 0) |
           (has_vectors(walk, BIAS) ? VKDML_ROWS_BIAS_IS_VECTOR : 0) | (rows->option ? VKDML_ROWS_OPTION : 0) |
           (walk->is_paired && !general ? VKDML_ROWS_PAIRED : 0) | (walk->blocks > 1 ? VKDML_ROWS_IS_LONG : 0);
}

/* Of an invocation's items the first that all invocations have, in each block. */
static uint32_t full_items(const struct walk *walk) {
    if (walk->blocks > 1) {
        return walk->items % (walk->lanes * walk->held) == 0 ? walk->held : 0;
    }
    return walk->is_paired ? walk->items / 2 / walk->lanes * 2 : walk->items / walk->lanes;
}

static void fill_parameters(const struct vkdml_rows *rows, const struct walk *walk,
                            struct vkdml_rows_parameters *parameters) {
    const float inverse_count = 1 / (float)walk->row[0].size;
    memset(parameters, 0, sizeof(*parameters));
    parameters->unit_count = (uint32_t)walk->units;
    parameters->item_count = walk->items;
    memcpy(&parameters->inverse_count, &inverse_count, sizeof(inverse_count));
    parameters->argument = rows->argument;
    parameters->block_count = walk->blocks;
    parameters->lanes = walk->lanes;
    parameters->is_paired = walk->is_paired;
    for (uint32_t t = 0; t < TENSORS; ++t) {
        parameters->steps[t] = walk->row[0].strides[t] * (walk->across ? 1 : ITEM);
    }
    for (uint32_t d = 0; d < walk->kept_rank; ++d) {
        const struct vkdml_dimension *dimension = &walk->kept[d];
        const uint32_t width = walk->across && d + 1 == walk->kept_rank ? ITEM : 1;
        const struct vkdml_divisor divisor = vkdml_divisor(dimension->size / width);
        parameters->kept[d][0] = dimension->size / width;
        parameters->kept[d][1] = divisor.multiplier;
        parameters->kept[d][2] = divisor.shifts;
        parameters->kept[d][3] = dimension->strides[INPUT] * width;
        for (uint32_t t = OUTPUT; t < TENSORS; ++t) {
            parameters->kept_more[d][t - OUTPUT] = dimension->strides[t] * width;
        }
    }
}

/* Input and output, then what scales up to the last there is; the input stands for what is absent. */
static void bind(const struct walk *walk, struct vkdml_plan_step *step) {
    for (uint32_t t = 0; t < TENSORS; ++t) {
        const bool present = vkdml_view_exists(walk->tensors[t]);
        const struct vkdml_view *tensor = walk->tensors[present ? t : INPUT];
        const uint64_t start = start_of(tensor);
        step->buffers[t] = vkdml_origin_buffer(&tensor->at, start, vkdml_view_span(tensor) - start);
        step->buffer_count = present ? t + 1 : step->buffer_count;
    }
}

static void set_constants(const struct vkdml_rows *rows, const struct walk *walk,
                          const struct vkdml_plan_limits *limits, struct vkdml_plan_step *step) {
    const uint32_t float_controls =
        walk->is_half ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    const bool general = limits->general;
    step->kernel = VKDML_KERNEL_ROWS;
    step->float_controls = float_controls;
    vkdml_step_constant(step, VKDML_ROWS_CONSTANT_LOCAL_SIZE, walk->local_size);
    vkdml_step_constant(step, VKDML_ROWS_CONSTANT_TYPE, (uint32_t)rows->input.at.type);
    vkdml_step_constant(step, VKDML_ROWS_CONSTANT_FUNCTION, (uint32_t)rows->function);
    vkdml_step_constant(step, VKDML_ROWS_CONSTANT_SHAPE, shape_of(rows, walk, general));
    vkdml_step_constant(step, VKDML_ROWS_CONSTANT_LANES, general ? 0 : walk->lanes);
    vkdml_step_constant(step, VKDML_ROWS_CONSTANT_HELD, walk->held);
    vkdml_step_constant(step, VKDML_ROWS_CONSTANT_KEPT_RANK, walk->kept_rank);
    vkdml_step_constant(step, VKDML_ROWS_CONSTANT_FULL, general ? 0 : full_items(walk));
    vkdml_step_constant(step, VKDML_ROWS_CONSTANT_FLOAT_CONTROLS, float_controls);
}

static VkdmlResult add_step(const struct vkdml_rows *rows, const struct walk *walk, struct vkdml_builder *builder) {
    struct vkdml_rows_parameters parameters;
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_note_step(builder->report, "one pass: rows of %u elements, %s by %u invocations each",
                    (unsigned)walk->row[0].size, walk->blocks > 1 ? "walked block by block" : "held in registers",
                    (unsigned)walk->lanes);
    const uint64_t groups = vkdml_divide_up(walk->units, walk->local_size / walk->lanes);
    fill_parameters(rows, walk, &parameters);
    parameters.group_count = (uint32_t)groups;
    set_constants(rows, walk, builder->limits, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    bind(walk, step);
    return vkdml_grid(groups, builder->limits, builder->report, step->groups);
}

/* ---- general plans ---- */

/* The dimension of items, of which strides alone matter: the last of the kept or of the folded ones. */
static void set_item_dimension(const struct vkdml_rows *rows, struct walk *walk) {
    struct vkdml_dimension dimension = {.size = ITEM};
    for (uint32_t d = 0; d < rows->input.rank; ++d) {
        for (uint32_t t = 0; t < TENSORS && ((rows->folded >> d & 1) == 0) == walk->across; ++t) {
            dimension.strides[t] = stride_of(walk->tensors[t], d);
        }
    }
    walk->kept_rank = walk->general_rank;
    if (walk->across) {
        walk->kept[walk->kept_rank - 1] = dimension;
    } else {
        walk->row[0] = dimension;
    }
}

/* Of rows of no block, of one, or of several. */
static VkdmlResult add_spare(const struct vkdml_rows *rows, bool across, uint32_t blocks,
                             struct vkdml_builder *builder) {
    struct walk walk;
    struct vkdml_plan_step step = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
    if (!begin_walk(rows, builder->limits, &walk)) {
        return VKDML_SUCCESS;
    }
    walk.across = across;
    walk.blocks = blocks > 1 ? blocks : 1;
    if (blocks != 0 && !choose_block(&walk, rows->function, builder->limits)) {
        return VKDML_SUCCESS;
    }
    if (blocks == 1 && walk.lanes * walk.held <= MOST_LANES * MOST_HELD) {
        return VKDML_SUCCESS; /* what fits one block fits without */
    }
    set_item_dimension(rows, &walk);
    make_general(builder->limits, &walk);
    set_constants(rows, &walk, builder->limits, &step);
    bind(&walk, &step);
    return vkdml_builder_add_spare(builder, &step);
}

/* Whether there are sizes for which items lie across rows. */
static bool may_lie_across(const struct vkdml_rows *rows) {
    uint32_t last = 0;
    for (uint32_t d = 0; d < rows->input.rank; ++d) {
        last = (rows->folded >> d & 1) != 0 ? d : last;
    }
    const uint32_t all = (UINT32_C(1) << rows->input.rank) - 1;
    return (rows->folded & all) != all && (last + 1 != rows->input.rank || rows->output.strides[last] != 1);
}

static VkdmlResult add_spares(const struct vkdml_rows *rows, struct vkdml_builder *builder) {
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t blocks = 0; blocks <= 2 && result == VKDML_SUCCESS; ++blocks) {
        result = add_spare(rows, false, blocks, builder);
    }
    return result == VKDML_SUCCESS && may_lie_across(rows) ? add_spare(rows, true, 0, builder) : result;
}

VkdmlResult vkdml_rows_plan(const struct vkdml_rows *rows, struct vkdml_builder *builder, bool *is_planned,
                            bool *is_only) {
    struct walk walk;
    VkdmlResult result = VKDML_SUCCESS;
    *is_planned = find_walk(rows, builder->limits, &walk);
    const bool wants_spares = vkdml_builder_wants_spares(builder);
    *is_only = *is_planned && (!wants_spares || (rows->is_fixed && walk.blocks == 1));
    if (*is_planned) {
        result = add_step(rows, &walk, builder);
    }
    return result == VKDML_SUCCESS && wants_spares && !*is_only ? add_spares(rows, builder) : result;
}
