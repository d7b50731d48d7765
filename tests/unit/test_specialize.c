/* Values of operations, and what specializing a module does besides: memory that runs out, words that are no module.
 * tests/specialize/ has what becomes of modules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cases/random.h"
#include "kernels/constant_fold.h"
#include "kernels/specialize.h"
#include "kernels/spirv.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool fold(uint32_t opcode, uint32_t a, uint32_t b, uint32_t c, uint32_t *value) {
    const struct vkdml_value operands[] = {{a, true}, {b, true}, {c, true}};
    return vkdml_constant_fold(opcode, operands, value);
}

static void operations_have_the_values_that_spirv_gives_them(void **state) {
    (void)state;
    static const struct {
        uint32_t opcode;
        uint32_t a, b, value;
    } rows[] = {
        {SPIRV_OP_S_NEGATE, 5, 0, UINT32_MAX - 4},
        {SPIRV_OP_NOT, 5, 0, UINT32_MAX - 5},
        {SPIRV_OP_LOGICAL_NOT, 0, 0, 1},
        {SPIRV_OP_LOGICAL_NOT, 1, 0, 0},
        {SPIRV_OP_I_ADD, UINT32_MAX, 3, 2},
        {SPIRV_OP_I_SUB, 2, 3, UINT32_MAX},
        {SPIRV_OP_I_MUL, 0x10001, 0x10001, 0x20001},
        {SPIRV_OP_U_DIV, UINT32_MAX, 2, INT32_MAX},
        {SPIRV_OP_U_MOD, UINT32_MAX, 10, 5},
        {SPIRV_OP_S_DIV, (uint32_t)-7, 2, (uint32_t)-3},
        {SPIRV_OP_S_DIV, 0x80000000, UINT32_MAX, 0x80000000}, /* 2^31 does not fit */
        {SPIRV_OP_S_REM, (uint32_t)-7, 3, (uint32_t)-1},
        {SPIRV_OP_S_REM, 7, (uint32_t)-3, 1},
        {SPIRV_OP_S_REM, 0x80000000, UINT32_MAX, 0},
        {SPIRV_OP_S_MOD, (uint32_t)-7, 3, 2},
        {SPIRV_OP_S_MOD, 7, (uint32_t)-3, (uint32_t)-2},
        {SPIRV_OP_S_MOD, (uint32_t)-6, 3, 0},
        /* Undefined, but not fatal. */
        {SPIRV_OP_U_DIV, 5, 0, 0},
        {SPIRV_OP_U_MOD, 5, 0, 0},
        {SPIRV_OP_S_DIV, 5, 0, 0},
        {SPIRV_OP_S_REM, 5, 0, 0},
        {SPIRV_OP_S_MOD, 5, 0, 0},
        {SPIRV_OP_SHIFT_LEFT_LOGICAL, 5, 32, 5},
        {SPIRV_OP_SHIFT_LEFT_LOGICAL, 5, 31, 0x80000000},
        {SPIRV_OP_SHIFT_RIGHT_LOGICAL, 0x80000000, 31, 1},
        {SPIRV_OP_SHIFT_RIGHT_ARITHMETIC, 0x80000000, 30, UINT32_MAX - 1},
        {SPIRV_OP_SHIFT_RIGHT_ARITHMETIC, 0x40000000, 30, 1},
        {SPIRV_OP_BITWISE_OR, 12, 10, 14},
        {SPIRV_OP_BITWISE_XOR, 12, 10, 6},
        {SPIRV_OP_BITWISE_AND, 12, 10, 8},
        {SPIRV_OP_LOGICAL_OR, 1, 0, 1},
        {SPIRV_OP_LOGICAL_OR, 0, 0, 0},
        {SPIRV_OP_LOGICAL_AND, 1, 0, 0},
        {SPIRV_OP_LOGICAL_AND, 1, 1, 1},
        {SPIRV_OP_LOGICAL_EQUAL, 1, 1, 1},
        {SPIRV_OP_LOGICAL_NOT_EQUAL, 1, 1, 0},
        {SPIRV_OP_I_EQUAL, 7, 7, 1},
        {SPIRV_OP_I_NOT_EQUAL, 7, 7, 0},
        {SPIRV_OP_U_GREATER_THAN, UINT32_MAX, 1, 1},
        {SPIRV_OP_S_GREATER_THAN, UINT32_MAX, 1, 0},
        {SPIRV_OP_U_GREATER_THAN_EQUAL, 1, 1, 1},
        {SPIRV_OP_S_GREATER_THAN_EQUAL, 1, 2, 0},
        {SPIRV_OP_U_LESS_THAN, UINT32_MAX, 1, 0},
        {SPIRV_OP_S_LESS_THAN, UINT32_MAX, 1, 1},
        {SPIRV_OP_U_LESS_THAN_EQUAL, 2, 1, 0},
        {SPIRV_OP_S_LESS_THAN_EQUAL, 0x80000000, INT32_MAX, 1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t value = 0xABCD;
        if (!fold(rows[i].opcode, rows[i].a, rows[i].b, 0, &value) || value != rows[i].value) {
            fail_msg("opcode %u of %u and %u: %u, must be %u", rows[i].opcode, rows[i].a, rows[i].b, value,
                     rows[i].value);
        }
    }
    uint32_t value;
    assert_true(fold(SPIRV_OP_SELECT, 1, 8, 9, &value) && value == 8);
    assert_true(fold(SPIRV_OP_SELECT, 0, 8, 9, &value) && value == 9);
    assert_false(fold(SPIRV_OP_FUNCTION_CALL, 1, 2, 3, &value));
    assert_false(fold(129 /* OpFAdd */, 1, 2, 3, &value));
    assert_false(fold(SPIRV_OP_BIT_COUNT, 1, 2, 3, &value));
}

static void only_operands_that_matter_have_to_be_known(void **state) {
    (void)state;
    static const struct {
        uint32_t opcode;
        struct vkdml_value operands[VKDML_CONSTANT_FOLD_OPERANDS];
        bool known;
    } rows[] = {
        {SPIRV_OP_LOGICAL_AND, {{0, true}, {0, false}}, true},
        {SPIRV_OP_LOGICAL_AND, {{0, false}, {0, true}}, true},
        {SPIRV_OP_LOGICAL_AND, {{1, true}, {0, false}}, false},
        {SPIRV_OP_LOGICAL_OR, {{1, true}, {0, false}}, true},
        {SPIRV_OP_LOGICAL_OR, {{0, false}, {1, true}}, true},
        {SPIRV_OP_LOGICAL_OR, {{0, true}, {0, false}}, false},
        {SPIRV_OP_I_ADD, {{1, true}, {0, false}}, false},
        {SPIRV_OP_I_ADD, {{0, false}, {1, true}}, false},
        {SPIRV_OP_NOT, {{0, false}, {1, true}}, false},
        {SPIRV_OP_NOT, {{1, true}, {0, false}}, true},
        {SPIRV_OP_SELECT, {{1, true}, {1, true}}, true},
        {SPIRV_OP_SELECT, {{0, true}, {1, true}}, false},
        {SPIRV_OP_SELECT, {{0, false}, {1, true}, {1, true}}, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t value;
        assert_int_equal(vkdml_constant_fold(rows[i].opcode, rows[i].operands, &value), rows[i].known);
    }
}

/* ---- memory ---- */

struct memory {
    int live, made, fails;
};

static void *VKAPI_PTR allocate(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    struct memory *memory = user;
    (void)alignment;
    (void)scope;
    if (++memory->made == memory->fails) {
        return NULL;
    }
    memory->live++;
    return malloc(size);
}

static void VKAPI_PTR release(void *user, void *block) {
    struct memory *memory = user;
    memory->live -= block != NULL;
    free(block);
}

/* The SPIR-V of a kernel, in malloc'ed memory. */
static uint32_t *unpack(enum vkdml_kernel kernel, size_t *count) {
    const struct vkdml_kernel_module *module = vkdml_kernel_module(kernel, VKDML_KERNEL_VARIANT_PORTABLE);
    uint32_t *words = malloc(module->word_count * sizeof(*words));
    assert_non_null(words);
    vkdml_kernel_unpack(module, words);
    *count = module->word_count;
    return words;
}

static void memory_that_runs_out_is_told_and_nothing_stays(void **state) {
    (void)state;
    const struct vkdml_specialization constants = {0};
    size_t whole;
    uint32_t *words = unpack(VKDML_KERNEL_COPY, &whole);
    uint32_t *specialized = NULL;
    for (int fails = 1; specialized == NULL; fails++) {
        struct memory memory = {.fails = fails};
        const VkAllocationCallbacks callbacks = {.pUserData = &memory, .pfnAllocation = allocate, .pfnFree = release};
        size_t count = whole;
        specialized = vkdml_specialize(words, &count, &constants, &callbacks);
        assert_int_equal(memory.live, specialized != NULL);
        assert_int_equal(count != whole, specialized != NULL);
        vkdml_free(&callbacks, specialized);
        assert_int_equal(memory.live, 0);
        assert_true(fails < 10 && (specialized == NULL || fails > 1));
    }
    free(words);
}

/* ---- words that are no module ---- */

/* Where instructions begin. */
static size_t list_instructions(const uint32_t *words, size_t count, size_t *starts) {
    size_t instructions = 0;
    for (size_t at = SPIRV_HEADER_WORDS; at < count; at += spirv_length(words + at)) {
        starts[instructions++] = at;
    }
    return instructions;
}

/* One word of an instruction, but for its length, becomes another one of the module, or one that is no id. */
static void damage(struct random *random, uint32_t *words, size_t count, const size_t *starts, size_t instructions) {
    const size_t at = starts[random_below(random, (uint32_t)instructions)];
    const uint32_t i = random_below(random, spirv_length(words + at));
    const uint32_t opcode = words[starts[random_below(random, (uint32_t)instructions)]] & 0xFFFF;
    if (i == 0) {
        words[at] = (words[at] & 0xFFFF0000) | opcode;
    } else {
        words[at + i] =
            random_chance(random, 80) ? words[random_below(random, (uint32_t)count)] : (uint32_t)random_next(random);
    }
}

/* Sanitizers see what is read and written beyond; and it ends. */
static void damaged_modules_do_no_harm(void **state) {
    (void)state;
    struct random random = {1};
    for (uint32_t round = 0; round < 2000; round++) {
        size_t count;
        uint32_t *words = unpack((enum vkdml_kernel)random_below(&random, VKDML_KERNEL_COUNT), &count);
        size_t *starts = malloc(count * sizeof(*starts));
        struct vkdml_specialization constants = {.given = (uint32_t)random_next(&random)};
        assert_non_null(starts);
        for (uint32_t i = 0; i < VKDML_SPECIALIZATION_COUNT; i++) {
            constants.values[i] = random_below(&random, 40);
        }
        const size_t instructions = list_instructions(words, count, starts);
        for (uint32_t i = random_below(&random, 40); i-- > 0;) {
            damage(&random, words, count, starts, instructions);
        }
        uint32_t *specialized = vkdml_specialize(words, &count, &constants, NULL);
        assert_non_null(specialized);
        vkdml_free(NULL, specialized);
        free(starts);
        free(words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_have_the_values_that_spirv_gives_them),
        cmocka_unit_test(only_operands_that_matter_have_to_be_known),
        cmocka_unit_test(memory_that_runs_out_is_told_and_nothing_stays),
        cmocka_unit_test(damaged_modules_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
