#include "frames/map/map_step.h"

#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/map/costs.h"
#include "frames/map/program_step.h"
#include "kernels/blocks.h"

#define OUTPUT   VKDML_MAP_OUTPUT
#define OPERANDS VKDML_MAP_OPERANDS

/* Of kernels that have fewer. */
#define FEW_OPERANDS 3

/* A multiple of every subgroup size in use, 4 to 128; devices that allow fewer invocations get fewer. */
#define LOCAL_SIZE 256

/* Of GPUs: items of an invocation where computing takes longer than finding their places would, and there are enough of
 * them. On an H200, of 256 MiB, 4 make FLOAT16's exp 1.19 times as fast as 1 and FLOAT32's tanh 1.07 times, but ADD
 * 0.98. */
#define ITEMS       4
#define LEAST_ITEMS (1u << 18)

/* Of CPUs: an invocation per lane of lavapipe's vectors, of so many items, which are 16 bytes of the widest tensor, and
 * fewer of small tensors so that there are at least so many to share out. */
#define SERIAL_LOCAL_SIZE 8
#define SERIAL_ITEMS      1024
#define LEAST_SHARES      64

/* Lavapipe ends all loops of an invocation after 65,535 turns in total, silently. An item may take so many for each
 * dimension, and each of its elements again, beside those of what is computed. */
#define MOST_TURNS  60000
#define SCALE_TURNS 8

/* A part whose dimensions all have more than one coordinate, but for the row. */
struct shape {
    uint32_t rank; /* of outer dimensions */
    struct vkdml_dimension outer[VKDML_MAX_DIMENSIONS];
    struct vkdml_dimension row;
    uint32_t run_rank;   /* of the outer dimensions, those outside a run: rows that lie side by side in the output */
    uint32_t run_length; /* elements */
    uint32_t item;       /* elements */
    uint32_t tile_rows;  /* 0, or how many rows a workgroup walks at once, along the last outer dimension */
};

/* Programs are of the kernels that have. */
static bool has_many_operands(const struct vkdml_map *map) {
    bool has_many = map->program != NULL;
    for (uint32_t t = FEW_OPERANDS; t < OPERANDS; ++t) {
        has_many = has_many || map->tensors[t].type != DML_TENSOR_DATA_TYPE_UNKNOWN;
    }
    return has_many;
}

/* Records are no elements that items are made of. */
static bool is_records(const struct vkdml_map *map, uint32_t t) {
    return map->has_records && t == FEW_OPERANDS - 1;
}

static uint32_t bits_of(const struct vkdml_map *map, uint32_t t) {
    return map->is_index[t] || is_records(map, t) ? 0 : vkdml_data_type_bits(map->tensors[t].type);
}

/* An item is 16 bytes of the widest tensor, but at least a word of the output. The rate of a step of ADAM is one number
 * for all. */
static uint32_t item_of(const struct vkdml_map *map) {
    uint32_t widest = bits_of(map, OUTPUT);
    for (uint32_t t = 0; t < OPERANDS - (map->operation == VKDML_MAP_ADAM); ++t) {
        widest = bits_of(map, t) > widest ? bits_of(map, t) : widest;
    }
    const uint32_t least = 32 / bits_of(map, OUTPUT);
    return 128 / widest > least ? 128 / widest : least;
}

static void find_shape(const struct vkdml_map *map, const struct vkdml_box *box, struct shape *shape) {
    memset(shape, 0, sizeof(*shape));
    shape->rank = vkdml_dimensions_take(map->dimensions, map->rank - 1, box->size, shape->outer);
    shape->row = map->dimensions[map->rank - 1];
    shape->row.size = box->size[map->rank - 1];
    shape->run_rank = shape->rank;
    shape->run_length = shape->row.size;
    const bool has_gaps = shape->row.size > 1 && shape->row.strides[OUTPUT] != 1;
    if (!has_gaps) {
        shape->run_rank = vkdml_dimensions_run(shape->outer, shape->rank, OUTPUT, &shape->run_length);
    }
    shape->item = has_gaps ? 1 : item_of(map);
}

/* Of general plans: element by element, through as many dimensions as there can be. */
static void make_general(struct shape *shape) {
    vkdml_dimensions_make_general(shape->outer, &shape->rank);
    shape->run_rank = shape->rank;
    shape->run_length = shape->row.size;
    shape->item = 1;
}

static uint32_t count_runs(const struct shape *shape) {
    uint32_t runs = 1;
    for (uint32_t d = 0; d < shape->run_rank; ++d) {
        runs *= shape->outer[d].size;
    }
    return runs;
}

/* Of an operand whose rows lie across the output's, elements that lie side by side are read together: as many as 32
 * bytes hold, which is what memory is fetched by, and at least so many. */
#define TILE_BITS       256
#define LEAST_TILE_ROWS 8

static bool lies_across(const struct vkdml_map *map, const struct shape *shape, uint32_t t, uint32_t d) {
    return bits_of(map, t) != 0 && shape->row.strides[t] > 1 && shape->outer[d].strides[t] == 1;
}

/* Makes tiles of it where an operand lies across: the dimension along which that is becomes the last outer one. */
static void choose_tile(const struct vkdml_map *map, struct shape *shape) {
    for (uint32_t n = 0; shape->item > 1 && n < shape->rank * OPERANDS; ++n) {
        const uint32_t d = n / OPERANDS;
        const uint32_t t = n % OPERANDS;
        if (lies_across(map, shape, t, d)) {
            const uint32_t rows = TILE_BITS / bits_of(map, t);
            const struct vkdml_dimension across = shape->outer[d];
            memmove(shape->outer + d, shape->outer + d + 1, (shape->rank - d - 1) * sizeof(across));
            shape->outer[shape->rank - 1] = across;
            shape->run_rank = shape->rank;
            shape->run_length = shape->row.size;
            shape->tile_rows = rows > LEAST_TILE_ROWS ? rows : LEAST_TILE_ROWS;
            return;
        }
    }
}

/* The element that a tensor's part begins with, counted from its window's first. */
static uint32_t first_of(const struct vkdml_map *map, const struct vkdml_map_part *part, uint32_t t) {
    if (map->is_index[t]) {
        uint32_t first = 0;
        for (uint32_t d = 0; d < map->rank; ++d) {
            first += part->box.origin[d] * map->dimensions[d].strides[t];
        }
        return first;
    }
    return part->windows[t].lead;
}

/* How many elements of a tensor lie between its first and the place of an item's, counted from its descriptor's start;
 * modulo the item. */
static uint32_t place_of(const struct vkdml_map *map, const struct vkdml_map_part *part, const struct shape *shape,
                         const struct vkdml_plan_limits *limits, uint32_t t) {
    const uint32_t bits = bits_of(map, t);
    const uint32_t byte = vkdml_place_modulo_16(limits, map->tensors[t].offset + part->windows[t].offset, 0);
    return (byte * 8 / bits + first_of(map, part, t)) % shape->item;
}

/* Whether an operand's elements that items begin with are all as far from a multiple of an item as the first. */
static bool keeps_place(const struct shape *shape, uint32_t t) {
    for (uint32_t d = 0; d < shape->rank; ++d) {
        if (shape->outer[d].strides[t] % shape->item != 0) {
            return false;
        }
    }
    return true;
}

/* Whether every item begins at a multiple of its size, in the operand. In the output it does; so it must be as far from
 * the run's first element there as here. */
static bool is_aligned(const struct vkdml_map *map, const struct vkdml_map_part *part, const struct shape *shape,
                       const struct vkdml_plan_limits *limits, uint32_t t) {
    const bool rows_keep = shape->run_rank == shape->rank || shape->row.size % shape->item == 0;
    bool runs_keep = true;
    for (uint32_t d = 0; d < shape->run_rank; ++d) {
        runs_keep = runs_keep && shape->outer[d].strides[OUTPUT] % shape->item == 0;
    }
    return rows_keep && runs_keep && keeps_place(shape, t) &&
           place_of(map, part, shape, limits, t) == place_of(map, part, shape, limits, OUTPUT);
}

static uint32_t rows_of(const struct vkdml_map *map, const struct vkdml_map_part *part, const struct shape *shape,
                        const struct vkdml_plan_limits *limits, uint32_t t) {
    if (map->is_index[t]) {
        return VKDML_MAP_ROWS_INDEX;
    }
    if (map->tensors[t].type == DML_TENSOR_DATA_TYPE_UNKNOWN) {
        return VKDML_MAP_ROWS_ABSENT;
    }
    if (shape->item == 1 || is_records(map, t) || (shape->row.size > 1 && shape->row.strides[t] > 1)) {
        return VKDML_MAP_ROWS_APART;
    }
    if (shape->row.size > 1 && shape->row.strides[t] == 0) {
        return VKDML_MAP_ROWS_REPEATED;
    }
    if (is_aligned(map, part, shape, limits, t)) {
        return VKDML_MAP_ROWS_DENSE | VKDML_MAP_ROWS_ALIGNED;
    }
    return bits_of(map, t) < 8 ? VKDML_MAP_ROWS_APART : VKDML_MAP_ROWS_DENSE; /* an item may begin within a byte */
}

static void fill_parameters(const struct vkdml_map *map, const struct vkdml_map_part *part, const struct shape *shape,
                            struct vkdml_map_parameters *parameters) {
    memset(parameters, 0, sizeof(*parameters));
    for (uint32_t d = 0; d < shape->rank; ++d) {
        const struct vkdml_divisor divisor = vkdml_divisor(shape->outer[d].size);
        parameters->sizes[d][0] = shape->outer[d].size;
        parameters->sizes[d][1] = divisor.multiplier;
        parameters->sizes[d][2] = divisor.shifts;
        memcpy(parameters->strides[d], shape->outer[d].strides, FEW_OPERANDS * sizeof(uint32_t));
        parameters->strides[d][FEW_OPERANDS] = shape->outer[d].strides[OUTPUT];
    }
    for (uint32_t t = 0; t < FEW_OPERANDS; ++t) {
        parameters->firsts[t] = first_of(map, part, t);
        parameters->row_strides[t] = shape->row.strides[t];
    }
    parameters->output_first = first_of(map, part, OUTPUT);
    parameters->row_length = shape->row.size;
    parameters->row_output_stride = shape->row.strides[OUTPUT];
    parameters->row_divisor = vkdml_divisor(shape->row.size);
    parameters->run_length = shape->run_length;
    /* A run may begin up to one element short of an item's end. */
    parameters->items_per_run = (uint32_t)vkdml_divide_up((uint64_t)shape->run_length + shape->item - 1, shape->item);
    parameters->items_divisor = vkdml_divisor(parameters->items_per_run);
    parameters->item_count = count_runs(shape) * parameters->items_per_run; /* at most the elements */
    memcpy(parameters->arguments, map->arguments, sizeof(parameters->arguments));
}

static void fill_more_parameters(const struct vkdml_map *map, const struct vkdml_map_part *part,
                                 const struct shape *shape, struct vkdml_map_parameters *parameters) {
    for (uint32_t t = FEW_OPERANDS; t < OPERANDS; ++t) {
        const uint32_t more = t - FEW_OPERANDS;
        parameters->more_firsts[more] = first_of(map, part, t);
        parameters->more_row_strides[more] = shape->row.strides[t];
        for (uint32_t d = 0; d < shape->rank; ++d) {
            parameters->more_strides[d][more] = shape->outer[d].strides[t];
        }
    }
}

/* Workgroups of so many items in each of tile_rows rows. */
static uint64_t count_tiles(const struct shape *shape, uint32_t items_per_run, uint32_t items) {
    const uint32_t rows = shape->outer[shape->rank - 1].size;
    return vkdml_divide_up(rows, shape->tile_rows) * vkdml_divide_up(items_per_run, items) * (count_runs(shape) / rows);
}

/* The output, and the operands in their order: a kernel takes no fewer than up to its last. */
static void bind(const struct vkdml_map *map, const struct vkdml_map_part *part, struct vkdml_plan_step *step) {
    for (uint32_t n = 0; n <= OPERANDS; ++n) {
        const bool is_bound = n != 0 && (bits_of(map, n - 1) != 0 || is_records(map, n - 1));
        const uint32_t bound = is_bound ? n - 1 : OUTPUT;
        const bool is_whole = is_records(map, bound) && map->is_index[bound];
        step->buffers[n] = vkdml_origin_buffer(&map->tensors[bound], is_whole ? 0 : part->windows[bound].offset,
                                               is_whole ? map->record_bytes : part->windows[bound].size);
        step->buffer_count = n == 0 || bound != OUTPUT ? n + 1 : step->buffer_count;
    }
    if (map->operation == VKDML_MAP_ADAM) {
        for (uint32_t i = 0; i < 2; ++i) {
            step->buffers[step->buffer_count++] =
                vkdml_origin_buffer(&map->more_outputs[i], part->windows[OUTPUT].offset, part->windows[OUTPUT].size);
        }
    }
}

static enum vkdml_kernel kernel_of(const struct vkdml_map *map) {
    if (map->program != NULL) {
        return VKDML_KERNEL_PROGRAM;
    }
    if (map->operation == VKDML_MAP_ADAM) {
        return VKDML_KERNEL_ADAM;
    }
    if (map->has_records) {
        return VKDML_KERNEL_RECORDS;
    }
    if (has_many_operands(map)) {
        return map->operation == VKDML_MAP_STANDARDIZE ? VKDML_KERNEL_STANDARDIZE : VKDML_KERNEL_NORMALIZE;
    }
    for (uint32_t t = 0; t <= OUTPUT; ++t) {
        if (bits_of(map, t) > 32) {
            return VKDML_KERNEL_MAP_WIDE;
        }
    }
    return VKDML_KERNEL_MAP;
}

/* Whether anything is of a type. */
static bool has_type(const struct vkdml_map *map, DML_TENSOR_DATA_TYPE type) {
    for (uint32_t t = 0; t <= OUTPUT; ++t) {
        if (map->tensors[t].type == type) {
            return true;
        }
    }
    return map->program != NULL && vkdml_program_has(map->program, type);
}

/* Of the widths that there are. */
static uint32_t float_controls(const struct vkdml_map *map, const struct vkdml_plan_limits *limits) {
    const bool has_halves = has_type(map, DML_TENSOR_DATA_TYPE_FLOAT16);
    return has_halves ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
}

/* Whether a FLOAT32 is 0, infinite, or far from both: then what is computed of it and FLOAT16 is no denormal FLOAT32,
 * or too little to be a FLOAT16. Operations multiply two arguments and two operands at most, and cancel 24 bits. Of
 * what is multiplied by an infinite argument a softplus alone may be less than any number, and must not be 0 then. */
static bool is_moderate(enum vkdml_map_function function, uint32_t argument) {
    const uint32_t exponent = argument >> 23 & 0xFF;
    if (argument << 1 == 0xFF000000) {
        return function != VKDML_FUNCTION_PARAMETRIC_SOFTPLUS;
    }
    return argument << 1 == 0 || (exponent >= 127 - 30 && exponent <= 127 + 60);
}

static bool has_moderate_arguments(const struct vkdml_program *program) {
    for (uint32_t i = 0; i < program->count * VKDML_FUNCTION_ARGUMENTS; ++i) {
        const struct vkdml_program_instruction *instruction = &program->instructions[i / VKDML_FUNCTION_ARGUMENTS];
        if (!is_moderate(instruction->function, instruction->arguments[i % VKDML_FUNCTION_ARGUMENTS])) {
            return false;
        }
    }
    return true;
}

/* Whether denormals of FLOAT32 cannot matter, since none is read or written. */
static bool has_no_denormals(const struct vkdml_map *map) {
    if (has_type(map, DML_TENSOR_DATA_TYPE_FLOAT32)) {
        return false;
    }
    for (uint32_t i = 0; i < VKDML_MAP_ARGUMENTS; ++i) {
        if (!is_moderate(map->function, map->arguments[i])) {
            return false;
        }
    }
    return map->program == NULL || has_moderate_arguments(map->program);
}

static bool computes_much(const struct vkdml_map *map) {
    if (map->program != NULL) {
        return vkdml_program_computes_much(map->program);
    }
    return map->scale != VKDML_MAP_NO_SCALE || vkdml_map_cost(map->operation, map->function).is_much;
}

static uint32_t element_turns(const struct vkdml_map *map) {
    if (map->program != NULL) {
        return vkdml_program_turns(map->program);
    }
    const uint32_t scale_turns = map->scale == VKDML_MAP_NO_SCALE ? 0 : SCALE_TURNS;
    return scale_turns + vkdml_map_cost(map->operation, map->function).turns;
}

/* The items of an invocation. */
static uint32_t share_of(const struct vkdml_map *map, const struct shape *shape, uint32_t item_count) {
    const uint32_t turns = 2 + shape->rank + shape->item * (1 + shape->rank + element_turns(map));
    const uint32_t most = MOST_TURNS / turns < SERIAL_ITEMS ? MOST_TURNS / turns : SERIAL_ITEMS;
    const uint32_t share = item_count / LEAST_SHARES;
    return share == 0 ? 1 : share < most ? share : most;
}

static void note_items(const struct vkdml_map *map, const struct shape *shape, uint32_t share,
                       struct vkdml_report *report) {
    if (shape->item == 1) {
        vkdml_note_step(report, "element by element: those of an output row lie apart");
    } else {
        vkdml_note_step(report, "items of %u elements, 16 bytes of the widest tensor; %u for an invocation%s",
                        (unsigned)shape->item, (unsigned)share,
                        computes_much(map) ? ", of a function that computes long" : "");
    }
    if (shape->tile_rows != 0) {
        vkdml_note_step(report, "an operand lies across the output: a workgroup walks %u rows at once",
                        (unsigned)shape->tile_rows);
    }
}

static void set_shape_constants(const struct vkdml_map *map, const struct vkdml_map_part *part,
                                const struct shape *shape, const struct vkdml_plan_limits *limits,
                                struct vkdml_plan_step *step) {
    const uint32_t operands = has_many_operands(map) ? OPERANDS : FEW_OPERANDS;
    uint32_t types = (uint32_t)map->tensors[OUTPUT].type << (4 * operands);
    uint32_t rows = 0;
    for (uint32_t t = 0; t < operands; ++t) {
        types |= (uint32_t)map->tensors[t].type << (4 * t);
        rows |= rows_of(map, part, shape, limits, t) << (4 * t);
    }
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_TYPES, types);
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_ROWS, rows);
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_RANK, shape->rank);
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_RUN_RANK, shape->run_rank);
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_ITEM, shape->item);
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_TILE_ROWS, shape->tile_rows);
}

static void set_float_constant(const struct vkdml_map *map, const struct vkdml_plan_limits *limits,
                               struct vkdml_report *report, struct vkdml_plan_step *step) {
    step->float_controls = float_controls(map, limits);
    const uint32_t float_facts = step->float_controls | (has_no_denormals(map) ? VKDML_FLOAT_NO_DENORMALS : 0);
    if ((float_facts & (VKDML_FLOAT_CONTROLS_DENORMALS | VKDML_FLOAT_NO_DENORMALS)) == 0) {
        vkdml_note_step(report, "denormals of FLOAT32 are looked for: the device does not promise to keep them");
    }
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_FLOAT_CONTROLS, float_facts);
}

/* What is computed, and with it the parameters, of which the kernel has the beginning. */
static void set_work(const struct vkdml_map *map, const struct shape *shape, struct vkdml_map_parameters *parameters,
                     struct vkdml_plan_step *step) {
    if (map->program != NULL) {
        vkdml_program_set(map->program, parameters, step);
        vkdml_step_parameters(step, parameters, sizeof *parameters);
        return;
    }
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_OPERATION, map->operation);
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_FUNCTION, map->function);
    if (has_many_operands(map)) {
        vkdml_step_parameters(step, parameters, offsetof(struct vkdml_map_parameters, program));
        return;
    }
    if (map->has_records) {
        vkdml_step_parameters(step, parameters, offsetof(struct vkdml_map_parameters, more_firsts));
        return;
    }
    /* A table serves elements that lie side by side, and holds what hangs on the first operand alone; it is made of the
     * same arguments. */
    const bool by_doubles =
        map->scale == VKDML_MAP_TABLE_SCALE && (shape->item == 1 || map->operation != VKDML_MAP_FIRST);
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_SCALE_BIAS, by_doubles ? VKDML_MAP_DOUBLE_SCALE : map->scale);
    vkdml_step_parameters(step, parameters, offsetof(struct vkdml_map_parameters, more_firsts));
}

VkdmlResult vkdml_map_fill_step(const struct vkdml_map *map, const struct vkdml_map_part *part,
                                const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                struct vkdml_plan_step *step) {
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    struct shape shape;
    find_shape(map, &part->box, &shape);
    if (limits->general) {
        make_general(&shape);
    } else if (!serial && local_size == LOCAL_SIZE) {
        choose_tile(map, &shape);
    }
    struct vkdml_map_parameters parameters;
    fill_parameters(map, part, &shape, &parameters);
    fill_more_parameters(map, part, &shape, &parameters);

    const bool has_many = !limits->general && shape.tile_rows == 0 && parameters.item_count >= LEAST_ITEMS;
    const uint32_t items = serial ? 0 : has_many && computes_much(map) ? ITEMS : 1;
    parameters.share = serial ? share_of(map, &shape, parameters.item_count) : items;
    const uint64_t group_count = shape.tile_rows != 0
                                     ? count_tiles(&shape, parameters.items_per_run, local_size / shape.tile_rows)
                                     : vkdml_divide_up(parameters.item_count, (uint64_t)local_size * parameters.share);
    VkdmlResult result = vkdml_grid(group_count, limits, report, step->groups);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.group_count = (uint32_t)group_count;
    note_items(map, &shape, parameters.share, report);

    step->kernel = kernel_of(map);
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_MAP_CONSTANT_ITEMS, items);
    set_shape_constants(map, part, &shape, limits, step);
    set_float_constant(map, limits, report, step);
    set_work(map, &shape, &parameters, step);
    bind(map, part, step);
    return VKDML_SUCCESS;
}
