#include "kernels/specialize.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/rewrite.h"

/* What float_controls add: three capabilities, and three execution modes of each width. */
#define FLOAT_CONTROL_WORDS (3 * 2 + 2 * 3 * 4)

/* Of vectors, which a constant operation may make. */
#define MAX_COMPONENTS 4

/* What the operation on vectors of constants becomes takes so much more words than it: a constant for each component,
 * and their vector. */
#define MORE_WORDS (4 * MAX_COMPONENTS + 3 + MAX_COMPONENTS - 6)

/* ---- constants ---- */

/* The definition of a type or constant, as it was written; the header, which is none, of other ids. */
static const uint32_t *definition(const struct vkdml_rewrite *rewrite, uint32_t id) {
    return rewrite->out + vkdml_rewrite_id(rewrite, id)->at;
}

static bool is_bool(const struct vkdml_rewrite *rewrite, uint32_t type) {
    return spirv_opcode(definition(rewrite, type)) == SPIRV_OP_TYPE_BOOL;
}

/* Whether values of a type are bools or scalars of 32 bits. */
static bool is_word(const struct vkdml_rewrite *rewrite, uint32_t type) {
    const uint32_t *found = definition(rewrite, type);
    const uint32_t opcode = spirv_opcode(found);
    const bool is_number = opcode == SPIRV_OP_TYPE_INT || opcode == SPIRV_OP_TYPE_FLOAT;
    return is_bool(rewrite, type) || (is_number && spirv_word(found, 2) == 32);
}

static void put_definition(struct vkdml_rewrite *rewrite, uint32_t id, const uint32_t *words, uint32_t count) {
    struct vkdml_rewrite_id *entry = vkdml_rewrite_id(rewrite, id);
    const uint32_t at = (uint32_t)rewrite->out_count;
    vkdml_rewrite_put(rewrite, words, count);
    if (rewrite->out_count == at) {
        return;
    }
    if (entry->at == 0) {
        entry->defined_before = rewrite->last_defined;
        rewrite->last_defined = id;
    }
    entry->at = at;
}

static void put_constant(struct vkdml_rewrite *rewrite, uint32_t type, uint32_t id, uint32_t value) {
    const uint32_t truth = value != 0 ? SPIRV_OP_CONSTANT_TRUE : SPIRV_OP_CONSTANT_FALSE;
    const bool has_word = !is_bool(rewrite, type);
    const uint32_t length = has_word ? 4 : 3;
    const uint32_t words[] = {spirv_first(has_word ? SPIRV_OP_CONSTANT : truth, length), type, id, value};
    put_definition(rewrite, id, words, length);
    vkdml_rewrite_id(rewrite, id)->value = (struct vkdml_value){has_word ? value : value != 0, true};
}

/* An instruction under another opcode. */
static void put_as(struct vkdml_rewrite *rewrite, uint32_t opcode, const uint32_t *instruction) {
    const size_t at = rewrite->out_count;
    put_definition(rewrite, spirv_word(instruction, 2), instruction, spirv_length(instruction));
    if (rewrite->out_count > at) {
        rewrite->out[at] = spirv_first(opcode, spirv_length(instruction));
    }
}

/* Component i of a constant; a scalar is its own. */
static uint32_t component(const struct vkdml_rewrite *rewrite, uint32_t id, uint32_t i) {
    const uint32_t *found = definition(rewrite, id);
    const uint32_t opcode = spirv_opcode(found);
    const bool is_composite = opcode == SPIRV_OP_CONSTANT_COMPOSITE || opcode == SPIRV_OP_SPEC_CONSTANT_COMPOSITE;
    return is_composite ? spirv_word(found, 3 + i) : id;
}

/* Component i of an OpSpecConstantOp on scalars or vectors. */
static bool fold_component(const struct vkdml_rewrite *rewrite, const uint32_t *operation, uint32_t i,
                           uint32_t *value) {
    struct vkdml_value operands[VKDML_CONSTANT_FOLD_OPERANDS];
    for (uint32_t o = 0; o < VKDML_CONSTANT_FOLD_OPERANDS; o++) {
        operands[o] = vkdml_rewrite_id(rewrite, component(rewrite, spirv_word(operation, 4 + o), i))->value;
    }
    return vkdml_constant_fold(spirv_word(operation, 3), operands, value);
}

static void put_extract(struct vkdml_rewrite *rewrite, const uint32_t *operation) {
    uint32_t part = spirv_word(operation, 4);
    for (uint32_t i = 5; i < spirv_length(operation); i++) {
        part = component(rewrite, part, operation[i]);
    }
    const struct vkdml_value value = vkdml_rewrite_id(rewrite, part)->value;
    if (value.known) {
        put_constant(rewrite, spirv_word(operation, 1), spirv_word(operation, 2), value.word);
    } else {
        put_as(rewrite, SPIRV_OP_SPEC_CONSTANT_OP, operation);
    }
}

/* A vector's components are constants that the module does not have: they get ids of their own. */
static void put_operation(struct vkdml_rewrite *rewrite, const uint32_t *operation) {
    const uint32_t type = spirv_word(operation, 1), id = spirv_word(operation, 2);
    const uint32_t *found = definition(rewrite, type);
    const bool is_vector = spirv_opcode(found) == SPIRV_OP_TYPE_VECTOR;
    const uint32_t element = is_vector ? spirv_word(found, 2) : type, count = is_vector ? spirv_word(found, 3) : 1;
    uint32_t values[MAX_COMPONENTS];
    bool told = is_word(rewrite, element) && count <= MAX_COMPONENTS && count <= rewrite->id_count - rewrite->bound;
    for (uint32_t i = 0; told && i < count; i++) {
        told = fold_component(rewrite, operation, i, &values[i]);
    }
    if (!told) {
        put_as(rewrite, SPIRV_OP_SPEC_CONSTANT_OP, operation);
    } else if (!is_vector) {
        put_constant(rewrite, type, id, values[0]);
    } else {
        uint32_t words[3 + MAX_COMPONENTS] = {spirv_first(SPIRV_OP_CONSTANT_COMPOSITE, 3 + count), type, id};
        for (uint32_t i = 0; i < count; i++) {
            words[3 + i] = rewrite->bound++;
            put_constant(rewrite, element, words[3 + i], values[i]);
        }
        put_definition(rewrite, id, words, 3 + count);
    }
}

static void put_composite(struct vkdml_rewrite *rewrite, const uint32_t *composite) {
    uint32_t opcode = SPIRV_OP_CONSTANT_COMPOSITE;
    for (uint32_t i = 3; i < spirv_length(composite); i++) {
        const uint32_t part = spirv_opcode(definition(rewrite, composite[i]));
        if (part >= SPIRV_OP_SPEC_CONSTANT_TRUE && part <= SPIRV_OP_SPEC_CONSTANT_OP) {
            opcode = SPIRV_OP_SPEC_CONSTANT_COMPOSITE;
        }
    }
    put_as(rewrite, opcode, composite);
}

/* One that is specialized with a value, or keeps its default, as those of other than 32 bits do, or never was to be
 * specialized. */
static void put_scalar(struct vkdml_rewrite *rewrite, const uint32_t *constant) {
    const uint32_t opcode = spirv_opcode(constant), type = spirv_word(constant, 1), id = spirv_word(constant, 2);
    const struct vkdml_value given = vkdml_rewrite_id(rewrite, id)->value;
    if (is_word(rewrite, type)) {
        const bool is_true = opcode == SPIRV_OP_SPEC_CONSTANT_TRUE || opcode == SPIRV_OP_CONSTANT_TRUE;
        put_constant(rewrite, type, id, given.known ? given.word : is_true ? 1 : spirv_word(constant, 3));
    } else {
        put_as(rewrite, opcode == SPIRV_OP_SPEC_CONSTANT ? SPIRV_OP_CONSTANT : opcode, constant);
    }
}

/* ---- all but functions ---- */

/* The id that an instruction outside of functions defines and that may go unused; 0: none. */
static uint32_t defined(const uint32_t *instruction) {
    const uint32_t opcode = spirv_opcode(instruction);
    if ((opcode >= SPIRV_OP_TYPE_VOID && opcode <= SPIRV_OP_TYPE_FUNCTION) ||
        opcode == SPIRV_OP_TYPE_COOPERATIVE_MATRIX) {
        return spirv_word(instruction, 1);
    }
    const bool is_constant = opcode >= SPIRV_OP_CONSTANT_TRUE && opcode <= SPIRV_OP_SPEC_CONSTANT_OP;
    return is_constant || opcode == SPIRV_OP_VARIABLE ? spirv_word(instruction, 2) : 0;
}

static bool is_annotation(const uint32_t *instruction) {
    switch (spirv_opcode(instruction)) {
    case SPIRV_OP_NAME:
    case SPIRV_OP_MEMBER_NAME:
    case SPIRV_OP_DECORATE:
    case SPIRV_OP_MEMBER_DECORATE:
        return true;
    default:
        return false;
    }
}

/* SpecIds come before the constants. */
static void put_decoration(struct vkdml_rewrite *rewrite, const struct vkdml_specialization *specialization,
                           const uint32_t *decorate) {
    struct vkdml_rewrite_id *target = vkdml_rewrite_id(rewrite, spirv_word(decorate, 1));
    const uint32_t decoration = spirv_word(decorate, 2), number = spirv_word(decorate, 3);
    if (decoration == SPIRV_DECORATION_SPEC_ID) {
        if (number < VKDML_SPECIALIZATION_COUNT && (specialization->given >> number & 1) != 0) {
            target->value = (struct vkdml_value){specialization->values[number], true};
        }
        return;
    }
    /* Nothing has to refer to the workgroup's size. */
    target->used = target->used || (decoration == SPIRV_DECORATION_BUILT_IN && number == SPIRV_BUILT_IN_WORKGROUP_SIZE);
    vkdml_rewrite_put(rewrite, decorate, spirv_length(decorate));
}

/* Any word may be an id: a number that looks like one keeps something that could go, which does no harm. */
static void use_words(struct vkdml_rewrite *rewrite, const uint32_t *instruction) {
    for (uint32_t i = 1; i < spirv_length(instruction); i++) {
        vkdml_rewrite_id(rewrite, instruction[i])->used = true;
    }
}

static void put_other(struct vkdml_rewrite *rewrite, const uint32_t *instruction) {
    if (defined(instruction) != 0) {
        put_definition(rewrite, defined(instruction), instruction, spirv_length(instruction));
        return;
    }
    vkdml_rewrite_put(rewrite, instruction, spirv_length(instruction));
    if (!is_annotation(instruction)) {
        use_words(rewrite, instruction);
    }
}

static void put_capability(struct vkdml_rewrite *rewrite, uint32_t capability) {
    const uint32_t words[] = {spirv_first(SPIRV_OP_CAPABILITY, 2), capability};
    vkdml_rewrite_put(rewrite, words, 2);
}

/* Behind the first capability, which every module has. */
static void put_capabilities(struct vkdml_rewrite *rewrite, uint32_t float_controls) {
    put_capability(rewrite, SPIRV_CAPABILITY_SIGNED_ZERO_INF_NAN_PRESERVE);
    put_capability(rewrite, SPIRV_CAPABILITY_ROUNDING_MODE_RTE);
    if ((float_controls & (VKDML_FLOAT_CONTROLS_16 | VKDML_FLOAT_CONTROLS_DENORMALS)) != 0) {
        put_capability(rewrite, SPIRV_CAPABILITY_DENORM_PRESERVE);
    }
}

/* Behind the entry point. */
static void put_execution_modes(struct vkdml_rewrite *rewrite, uint32_t function, uint32_t width,
                                bool keeps_denormals) {
    static const uint32_t modes[] = {SPIRV_EXECUTION_MODE_SIGNED_ZERO_INF_NAN_PRESERVE,
                                     SPIRV_EXECUTION_MODE_ROUNDING_MODE_RTE, SPIRV_EXECUTION_MODE_DENORM_PRESERVE};
    for (size_t i = 0; i < sizeof modes / sizeof *modes - (keeps_denormals ? 0 : 1); i++) {
        const uint32_t words[] = {spirv_first(SPIRV_OP_EXECUTION_MODE, 4), function, modes[i], width};
        vkdml_rewrite_put(rewrite, words, 4);
    }
}

static void put_float_controls(struct vkdml_rewrite *rewrite, uint32_t float_controls, const uint32_t *instruction) {
    if (spirv_opcode(instruction) == SPIRV_OP_ENTRY_POINT) {
        const uint32_t function = spirv_word(instruction, 2);
        if ((float_controls & VKDML_FLOAT_CONTROLS_32) != 0) {
            put_execution_modes(rewrite, function, 32, (float_controls & VKDML_FLOAT_CONTROLS_DENORMALS) != 0);
        }
        if ((float_controls & VKDML_FLOAT_CONTROLS_16) != 0) {
            put_execution_modes(rewrite, function, 16, true);
        }
    } else if (rewrite->out_count == SPIRV_HEADER_WORDS + 2 && float_controls != 0) {
        put_capabilities(rewrite, float_controls);
    }
}

static void put_global(struct vkdml_rewrite *rewrite, const struct vkdml_specialization *specialization,
                       const uint32_t *instruction) {
    switch (spirv_opcode(instruction)) {
    case SPIRV_OP_ENTRY_POINT:
        vkdml_rewrite_call(rewrite, spirv_word(instruction, 2));
        vkdml_rewrite_put(rewrite, instruction, spirv_length(instruction));
        break;
    case SPIRV_OP_DECORATE:
        put_decoration(rewrite, specialization, instruction);
        break;
    case SPIRV_OP_CONSTANT_TRUE:
    case SPIRV_OP_CONSTANT_FALSE:
    case SPIRV_OP_CONSTANT:
    case SPIRV_OP_CONSTANT_NULL:
    case SPIRV_OP_SPEC_CONSTANT_TRUE:
    case SPIRV_OP_SPEC_CONSTANT_FALSE:
    case SPIRV_OP_SPEC_CONSTANT:
        put_scalar(rewrite, instruction);
        break;
    case SPIRV_OP_SPEC_CONSTANT_COMPOSITE:
        put_composite(rewrite, instruction);
        break;
    case SPIRV_OP_SPEC_CONSTANT_OP:
        spirv_word(instruction, 3) == SPIRV_OP_COMPOSITE_EXTRACT ? put_extract(rewrite, instruction)
                                                                 : put_operation(rewrite, instruction);
        break;
    default:
        put_other(rewrite, instruction);
        break;
    }
}

static void put_functions(struct vkdml_rewrite *rewrite) {
    while (rewrite->last_called != 0) {
        const struct vkdml_rewrite_id *function = vkdml_rewrite_id(rewrite, rewrite->last_called);
        rewrite->last_called = function->called_before;
        vkdml_rewrite_function(rewrite, function->function);
    }
}

/* ---- what nothing uses ---- */

/* Takes variables that are not used out of an entry point's interface, which follows a name that ends with a zero byte.
 */
static uint32_t shorten_entry_point(const struct vkdml_rewrite *rewrite, uint32_t *entry) {
    uint32_t length = spirv_length(entry) < 3 ? spirv_length(entry) : 3;
    while (length < spirv_length(entry) && entry[length++] >> 24 != 0) {
    }
    for (uint32_t i = length; i < spirv_length(entry); i++) {
        if (vkdml_rewrite_id(rewrite, entry[i])->used) {
            entry[length++] = entry[i];
        }
    }
    return length;
}

/* Whether a type of 16-bit floats is used. */
static bool has_half(const struct vkdml_rewrite *rewrite) {
    for (uint32_t id = rewrite->last_defined; id != 0; id = vkdml_rewrite_id(rewrite, id)->defined_before) {
        const uint32_t *found = definition(rewrite, id);
        if (spirv_opcode(found) == SPIRV_OP_TYPE_FLOAT && spirv_word(found, 2) == 16 &&
            vkdml_rewrite_id(rewrite, id)->used) {
            return true;
        }
    }
    return false;
}

/* Whether an instruction before the functions has to stay: it defines what is used, or tells of what there is. */
static bool stays(const struct vkdml_rewrite *rewrite, const uint32_t *instruction) {
    if (spirv_opcode(instruction) == SPIRV_OP_CAPABILITY) {
        return spirv_word(instruction, 1) != SPIRV_CAPABILITY_FLOAT16 || has_half(rewrite);
    }
    if (is_annotation(instruction)) {
        const struct vkdml_rewrite_id *subject = vkdml_rewrite_id(rewrite, spirv_word(instruction, 1));
        return subject->written || (subject->used && subject->at != 0);
    }
    const uint32_t id = defined(instruction);
    return id == 0 || vkdml_rewrite_id(rewrite, id)->used;
}

/* What is used is defined before it; a number that looks like what comes later would keep that without what it uses. */
static void use_words_before(struct vkdml_rewrite *rewrite, uint32_t id) {
    const uint32_t *instruction = definition(rewrite, id);
    for (uint32_t i = 1; i < spirv_length(instruction); i++) {
        struct vkdml_rewrite_id *word = vkdml_rewrite_id(rewrite, instruction[i]);
        word->used = word->used || word->at < vkdml_rewrite_id(rewrite, id)->at;
    }
}

static void drop_unused(struct vkdml_rewrite *rewrite, size_t end) {
    size_t to = SPIRV_HEADER_WORDS;
    for (uint32_t id = rewrite->last_defined; id != 0; id = vkdml_rewrite_id(rewrite, id)->defined_before) {
        if (vkdml_rewrite_id(rewrite, id)->used) {
            use_words_before(rewrite, id);
        }
    }
    for (size_t at = SPIRV_HEADER_WORDS, next; at < end; at = next) {
        uint32_t *instruction = rewrite->out + at;
        uint32_t length = spirv_length(instruction);
        next = at + length;
        if (spirv_opcode(instruction) == SPIRV_OP_ENTRY_POINT) {
            length = shorten_entry_point(rewrite, instruction);
            instruction[0] = spirv_first(SPIRV_OP_ENTRY_POINT, length);
        }
        if (stays(rewrite, instruction)) {
            memmove(rewrite->out + to, instruction, length * sizeof *instruction);
            to += length;
        }
    }
    memmove(rewrite->out + to, rewrite->out + end, (rewrite->out_count - end) * sizeof *rewrite->out);
    rewrite->out_count -= end - to;
}

/* ---- the module ---- */

/* Counts what there must be room for. Ends the module where its instructions cease to be whole. */
static void measure(struct vkdml_rewrite *rewrite, uint32_t *labels, uint32_t *operations) {
    size_t at = SPIRV_HEADER_WORDS;
    rewrite->out_capacity = rewrite->count + FLOAT_CONTROL_WORDS;
    while (at < rewrite->count) {
        const uint32_t *instruction = rewrite->words + at;
        const uint32_t opcode = spirv_opcode(instruction), length = spirv_length(instruction);
        if (length == 0 || length > rewrite->count - at) {
            break;
        }
        *labels += opcode == SPIRV_OP_LABEL;
        *operations += opcode == SPIRV_OP_SPEC_CONSTANT_OP;
        /* A block may become OpLabel and OpBranch, and OpConstantNull OpConstant. */
        rewrite->out_capacity += opcode == SPIRV_OP_LABEL || opcode == SPIRV_OP_CONSTANT_NULL ? 1
                                 : opcode == SPIRV_OP_SPEC_CONSTANT_OP                        ? MORE_WORDS
                                                                                              : 0;
        at += length;
    }
    assert(at == rewrite->count);
    rewrite->count = at;
}

static void list_functions(struct vkdml_rewrite *rewrite) {
    for (size_t at = SPIRV_HEADER_WORDS; at < rewrite->count; at += spirv_length(rewrite->words + at)) {
        if (spirv_opcode(rewrite->words + at) == SPIRV_OP_FUNCTION) {
            vkdml_rewrite_id(rewrite, spirv_word(rewrite->words + at, 2))->function = (uint32_t)at;
        }
    }
}

static void rewrite_module(struct vkdml_rewrite *rewrite, const struct vkdml_specialization *specialization) {
    list_functions(rewrite);
    vkdml_rewrite_put(rewrite, rewrite->words, SPIRV_HEADER_WORDS);
    for (size_t at = SPIRV_HEADER_WORDS; at < rewrite->count && spirv_opcode(rewrite->words + at) != SPIRV_OP_FUNCTION;
         at += spirv_length(rewrite->words + at)) {
        put_global(rewrite, specialization, rewrite->words + at);
        put_float_controls(rewrite, specialization->float_controls, rewrite->words + at);
    }
    const size_t end = rewrite->out_count;
    put_functions(rewrite);
    drop_unused(rewrite, end);
    rewrite->out[SPIRV_HEADER_BOUND] = rewrite->bound;
}

uint32_t *vkdml_specialize(const uint32_t *words, size_t *count, const struct vkdml_specialization *specialization,
                           const VkAllocationCallbacks *callbacks) {
    struct vkdml_rewrite rewrite = {.words = words, .count = *count, .bound = words[SPIRV_HEADER_BOUND]};
    uint32_t labels = 0, operations = 0;
    measure(&rewrite, &labels, &operations);
    rewrite.id_count = rewrite.bound + operations * MAX_COMPONENTS;
    rewrite.ids = vkdml_allocate(callbacks, rewrite.id_count * sizeof *rewrite.ids);
    rewrite.blocks = vkdml_allocate(callbacks, labels * sizeof *rewrite.blocks);
    rewrite.out = vkdml_allocate(callbacks, rewrite.out_capacity * sizeof *rewrite.out);
    if (rewrite.ids && rewrite.blocks && rewrite.out) {
        rewrite_module(&rewrite, specialization);
        *count = rewrite.out_count;
    } else {
        vkdml_free(callbacks, rewrite.out);
        rewrite.out = NULL;
    }
    vkdml_free(callbacks, rewrite.blocks);
    vkdml_free(callbacks, rewrite.ids);
    return rewrite.out;
}
