#include "frames/map/program_step.h"

#include <assert.h>
#include <string.h>

#include "frames/map/costs.h"
#include "plan/step.h"

/* What an operation or a function takes, and what it makes of that. */
enum kind {
    ABSENT,  /* the kernel does not have it */
    NUMBERS, /* floats to a float */
    CHOICES, /* the same, a number that was there or an integer: nothing is to be rounded */
    TESTS,   /* floats to an integer */
    LOGIC,   /* integers to an integer */
    NOTHING, /* what there is stays; or of two one is chosen by a third, an integer */
};

static enum kind operation_kind(enum vkdml_map_operation operation) {
    static const uint8_t kinds[] = {
        [VKDML_MAP_FIRST] = NOTHING,
        [VKDML_MAP_ADD] = NUMBERS,
        [VKDML_MAP_SUBTRACT] = NUMBERS,
        [VKDML_MAP_MULTIPLY] = NUMBERS,
        [VKDML_MAP_DIVIDE] = NUMBERS,
        [VKDML_MAP_MEAN] = NUMBERS,
        [VKDML_MAP_DIFFERENCE_SQUARE] = NUMBERS,
        [VKDML_MAP_POW] = NUMBERS,
        [VKDML_MAP_MIN] = CHOICES,
        [VKDML_MAP_MAX] = CHOICES,
        [VKDML_MAP_EQUALS] = TESTS,
        [VKDML_MAP_GREATER_THAN] = TESTS,
        [VKDML_MAP_LESS_THAN] = TESTS,
        [VKDML_MAP_GREATER_THAN_OR_EQUAL] = TESTS,
        [VKDML_MAP_LESS_THAN_OR_EQUAL] = TESTS,
        [VKDML_MAP_LOGICAL_AND] = LOGIC,
        [VKDML_MAP_LOGICAL_OR] = LOGIC,
        [VKDML_MAP_LOGICAL_XOR] = LOGIC,
        [VKDML_MAP_IF] = NOTHING,
        [VKDML_MAP_CLIP_GRAD] = NUMBERS,
        [VKDML_MAP_RELU_GRAD] = NUMBERS,
        [VKDML_MAP_PARAMETERIZED_RELU] = NUMBERS,
        [VKDML_MAP_CAST] = NUMBERS,
    };
    return operation < sizeof kinds ? (enum kind)kinds[operation] : ABSENT;
}

static enum kind function_kind(enum vkdml_map_function function) {
    static const uint8_t kinds[] = {
        [VKDML_FUNCTION_NONE] = NOTHING,         [VKDML_FUNCTION_ABS] = CHOICES,
        [VKDML_FUNCTION_NEGATE] = CHOICES,       [VKDML_FUNCTION_SIGN] = CHOICES,
        [VKDML_FUNCTION_CEIL] = CHOICES,         [VKDML_FUNCTION_FLOOR] = CHOICES,
        [VKDML_FUNCTION_TRUNCATE] = CHOICES,     [VKDML_FUNCTION_ROUND_HALVES_EVEN] = CHOICES,
        [VKDML_FUNCTION_SQRT] = NUMBERS,         [VKDML_FUNCTION_RECIPROCAL] = NUMBERS,
        [VKDML_FUNCTION_CLIP] = CHOICES,         [VKDML_FUNCTION_THRESHOLD] = CHOICES,
        [VKDML_FUNCTION_LOGICAL_NOT] = LOGIC,    [VKDML_FUNCTION_IS_NAN] = TESTS,
        [VKDML_FUNCTION_IS_INFINITY] = TESTS,    [VKDML_FUNCTION_RELU] = CHOICES,
        [VKDML_FUNCTION_LEAKY_RELU] = NUMBERS,   [VKDML_FUNCTION_LINEAR] = NUMBERS,
        [VKDML_FUNCTION_HARD_SIGMOID] = NUMBERS, [VKDML_FUNCTION_HARD_SWISH] = NUMBERS,
        [VKDML_FUNCTION_SOFTSIGN] = NUMBERS,     [VKDML_FUNCTION_THRESHOLDED_RELU] = CHOICES,
        [VKDML_FUNCTION_EXP] = NUMBERS,          [VKDML_FUNCTION_LOG] = NUMBERS,
        [VKDML_FUNCTION_CONSTANT_POW] = NUMBERS, [VKDML_FUNCTION_TANH] = NUMBERS,
        [VKDML_FUNCTION_ERF] = NUMBERS,          [VKDML_FUNCTION_SIGMOID] = NUMBERS,
        [VKDML_FUNCTION_ELU] = NUMBERS,          [VKDML_FUNCTION_GELU] = NUMBERS,
        [VKDML_FUNCTION_SWISH] = NUMBERS,
    };
    return function < sizeof kinds ? (enum kind)kinds[function] : ABSENT;
}

/* Whether there is a form of FLOAT16's grade. */
static bool operation_has_grade(enum vkdml_map_operation operation) {
    return operation == VKDML_MAP_DIVIDE || operation == VKDML_MAP_POW;
}

static bool function_has_grade(enum vkdml_map_function function) {
    switch (function) {
    case VKDML_FUNCTION_SQRT:
    case VKDML_FUNCTION_RECIPROCAL:
    case VKDML_FUNCTION_EXP:
    case VKDML_FUNCTION_LOG:
    case VKDML_FUNCTION_CONSTANT_POW:
    case VKDML_FUNCTION_TANH:
    case VKDML_FUNCTION_ERF:
    case VKDML_FUNCTION_SIGMOID:
    case VKDML_FUNCTION_ELU:
    case VKDML_FUNCTION_GELU:
    case VKDML_FUNCTION_SWISH:
        return true;
    default:
        return false;
    }
}

/* ---- what suits ---- */

static bool is_float(DML_TENSOR_DATA_TYPE type) {
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 || type == DML_TENSOR_DATA_TYPE_FLOAT16;
}

static bool is_integer(DML_TENSOR_DATA_TYPE type) {
    const uint32_t bits = vkdml_data_type_bits(type);
    return bits >= 8 && bits <= 32 && !is_float(type);
}

/* Of a value of a type: what a function or an operation of such a kind makes of it, a float or an integer. */
static bool takes(enum kind kind, DML_TENSOR_DATA_TYPE type) {
    switch (kind) {
    case NUMBERS:
    case CHOICES:
    case TESTS:
        return is_float(type);
    case LOGIC:
        return is_integer(type);
    case NOTHING:
        return is_float(type) || is_integer(type);
    default:
        return false;
    }
}

static DML_TENSOR_DATA_TYPE made_of(enum kind kind, DML_TENSOR_DATA_TYPE type) {
    return kind == TESTS || kind == LOGIC ? DML_TENSOR_DATA_TYPE_UINT32 : type;
}

bool vkdml_program_suits(enum vkdml_map_operation operation, enum vkdml_map_function function,
                         const DML_TENSOR_DATA_TYPE types[3], DML_TENSOR_DATA_TYPE type) {
    const enum kind kind = operation_kind(operation), last = function_kind(function);
    if (operation == VKDML_MAP_IF) {
        return last == NOTHING && types[0] == types[1] && types[0] == type && takes(NOTHING, type) &&
               is_integer(types[2]);
    }
    for (uint32_t i = 0; i < 3; ++i) {
        if (types[i] != DML_TENSOR_DATA_TYPE_UNKNOWN && !takes(kind, types[i])) {
            return false;
        }
    }
    const DML_TENSOR_DATA_TYPE between = made_of(kind, types[0]);
    if (!takes(last, between)) {
        return false;
    }
    return is_float(made_of(last, between)) ? is_float(type) : is_integer(type);
}

/* ---- words ---- */

#define PRESENT (UINT32_C(1) << 31)

static DML_TENSOR_DATA_TYPE type_of(const struct vkdml_program *program, uint32_t value) {
    return value < VKDML_PROGRAM_OPERANDS ? program->operands[value].at.type
                                          : program->instructions[value - VKDML_PROGRAM_OPERANDS].type;
}

/* Whether FLOAT16 is all that it can give, of FLOAT16. */
static bool is_choice(const struct vkdml_program_instruction *instruction, DML_TENSOR_DATA_TYPE first) {
    const enum kind kind = operation_kind(instruction->operation), last = function_kind(instruction->function);
    return first == DML_TENSOR_DATA_TYPE_FLOAT16 && (kind == CHOICES || kind == NOTHING) &&
           (last == CHOICES || last == NOTHING);
}

static uint32_t word_of(const struct vkdml_program *program, uint32_t n) {
    const struct vkdml_program_instruction *instruction = &program->instructions[n];
    const DML_TENSOR_DATA_TYPE first = type_of(program, instruction->values[0]);
    const bool is_half = instruction->type == DML_TENSOR_DATA_TYPE_FLOAT16;
    const bool is_graded = is_half && first == DML_TENSOR_DATA_TYPE_FLOAT16;
    const bool moves =
        operation_kind(instruction->operation) == NOTHING && instruction->function == VKDML_FUNCTION_NONE;
    uint32_t operation = instruction->operation, function = instruction->function;
    operation |= is_graded && operation_has_grade(instruction->operation) ? VKDML_PROGRAM_GRADED : 0;
    function |= is_graded && function_has_grade(instruction->function) ? VKDML_PROGRAM_GRADED : 0;
    uint32_t word = PRESENT | operation | function << 7;
    for (uint32_t i = 0; i < 3; ++i) {
        word |= (uint32_t)instruction->values[i] << (14 + 5 * i);
    }
    /* The last one's is rounded when it is stored. */
    word |= is_half && n + 1 < program->count && !is_choice(instruction, first) ? VKDML_PROGRAM_ROUNDS : 0;
    word |= is_float(instruction->type) && !moves ? VKDML_PROGRAM_MAKES : 0;
    return word;
}

void vkdml_program_set(const struct vkdml_program *program, struct vkdml_map_parameters *parameters,
                       struct vkdml_plan_step *step) {
    for (uint32_t n = 0; n < VKDML_PROGRAM_INSTRUCTIONS; ++n) {
        const bool is_present = n < program->count;
        vkdml_step_constant(step, VKDML_MAP_CONSTANT_WORD_0 + n, is_present ? word_of(program, n) : 0);
        if (is_present) {
            memcpy(parameters->program[n], program->instructions[n].arguments, sizeof parameters->program[n]);
        }
    }
}

/* ---- what it takes ---- */

bool vkdml_program_is_long(const struct vkdml_program_instruction *instruction) {
    return vkdml_map_cost(instruction->operation, instruction->function).turns > 0 ||
           instruction->function >= VKDML_FUNCTION_EXP;
}

uint32_t vkdml_program_turns(const struct vkdml_program *program) {
    uint32_t turns = 1; /* CPUs take two elements a turn */
    for (uint32_t n = 0; n < program->count; ++n) {
        turns += vkdml_map_cost(program->instructions[n].operation, program->instructions[n].function).turns;
    }
    return turns;
}

bool vkdml_program_computes_much(const struct vkdml_program *program) {
    for (uint32_t n = 0; n < program->count; ++n) {
        if (vkdml_map_cost(program->instructions[n].operation, program->instructions[n].function).is_much) {
            return true;
        }
    }
    return program->count > 3;
}

bool vkdml_program_has(const struct vkdml_program *program, DML_TENSOR_DATA_TYPE type) {
    for (uint32_t n = 0; n < program->count; ++n) {
        if (program->instructions[n].type == type) {
            return true;
        }
    }
    return false;
}
