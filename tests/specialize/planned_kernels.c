/* Writes the modules of the pipelines that planners ask for: planned_kernels FOLDER SEED CASES MOST. On each invented
 * device the fixed cases of all operators and CASES random ones are planned. Each pipeline that is not of one before
 * becomes a file, KERNEL.VARIANT.NUMBER.spv, at most MOST of a kernel and variant; all are looked at, and what is wrong
 * with one is told, a line each, on the standard output. So are kernels that no plan has, and planners that say that
 * they do not implement what the validator let through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../unit/plan_fixture.h"
#include "base/memory.h"
#include "cases/family.h"
#include "frames/data/data.h"
#include "frames/map/program.h"
#include "kernels/specialize.h"
#include "kernels/spirv.h"
#include "kernels/variant.h"

#define MAX_PIPELINES 32768
#define BUCKETS       65536 /* more, so that few pipelines share one */

/* Two of the same memory are the same. */
struct pipeline {
    const struct vkdml_kernel_module *module;
    struct vkdml_specialization constants;
};

static struct {
    const char *folder;
    unsigned long most;
    struct pipeline pipelines[MAX_PIPELINES];
    uint32_t buckets[BUCKETS]; /* each pipeline's place and one, in the bucket of its hash or the next free one */
    size_t count, wrong;
    bool planned[VKDML_KERNEL_COUNT];
} list;

/* What modules unpack to, kept for the next pipeline: unpacking would take as long as specializing. */
static struct {
    const struct vkdml_kernel_module *module;
    uint32_t *words;
} unpacked[VKDML_KERNEL_COUNT * 3];

static void tell(const struct pipeline *pipeline, const char *name, const char *wrong) {
    printf("%s with", name);
    for (uint32_t i = 0; i < VKDML_SPECIALIZATION_COUNT; i++) {
        if ((pipeline->constants.given >> i & 1) != 0) {
            printf(" %u=%u", i, pipeline->constants.values[i]);
        }
    }
    printf(": %s\n", wrong);
    list.wrong++;
}

/* How many of a module's instructions are not simple to leave out: those of functions. */
static size_t count_function_words(const uint32_t *words, size_t count) {
    size_t at = SPIRV_HEADER_WORDS;
    while (at < count && spirv_opcode(words + at) != SPIRV_OP_FUNCTION) {
        at += spirv_length(words + at);
    }
    return count - at;
}

static const char *wrong_instruction(const uint32_t *instruction, bool *constants) {
    const uint32_t opcode = spirv_opcode(instruction);
    if (opcode >= SPIRV_OP_SPEC_CONSTANT_TRUE && opcode <= SPIRV_OP_SPEC_CONSTANT_OP) {
        return "a specialization constant is left";
    }
    if (opcode == SPIRV_OP_DECORATE && instruction[2] == SPIRV_DECORATION_SPEC_ID) {
        return "a SpecId is left";
    }
    if (opcode >= SPIRV_OP_CONSTANT_TRUE && opcode <= SPIRV_OP_CONSTANT) {
        constants[instruction[2]] = true;
    }
    if (opcode == SPIRV_OP_BRANCH_CONDITIONAL && constants[instruction[1]]) {
        return "it branches on a constant";
    }
    if (opcode == SPIRV_OP_SWITCH && constants[instruction[1]] && spirv_length(instruction) > 3) {
        return "it switches on a constant";
    }
    return NULL;
}

/* What is wrong with a pipeline's module, or NULL. */
static const char *look(const uint32_t *words, size_t count) {
    const char *wrong = NULL;
    bool *constants = calloc(words[SPIRV_HEADER_BOUND], sizeof *constants);
    assert_non_null(constants);
    for (size_t at = SPIRV_HEADER_WORDS; wrong == NULL && at < count; at += spirv_length(words + at)) {
        wrong = wrong_instruction(words + at, constants);
    }
    free(constants);
    return wrong;
}

static void write_module(const struct pipeline *pipeline, const char *name, const uint32_t *words, size_t count) {
    char path[1024];
    unsigned long same = 0;
    for (size_t i = 0; i < list.count; i++) {
        same += list.pipelines[i].module == pipeline->module;
    }
    if (same > list.most) {
        return;
    }
    snprintf(path, sizeof(path), "%s/%s.%lu.spv", list.folder, name, same);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(words, sizeof *words, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static const uint32_t *unpack(const struct vkdml_kernel_module *module) {
    size_t i = 0;
    while (unpacked[i].module != NULL && unpacked[i].module != module) {
        i++;
    }
    if (unpacked[i].module == NULL) {
        unpacked[i].module = module;
        unpacked[i].words = malloc(module->word_count * sizeof *unpacked[i].words);
        assert_non_null(unpacked[i].words);
        vkdml_kernel_unpack(module, unpacked[i].words);
    }
    return unpacked[i].words;
}

static void specialize(const struct pipeline *pipeline, const char *name) {
    size_t count = pipeline->module->word_count;
    const uint32_t *whole = unpack(pipeline->module);
    uint32_t *once = vkdml_specialize(whole, &count, &pipeline->constants, NULL);
    size_t second_count = pipeline->module->word_count, again_count = count;
    uint32_t *second = vkdml_specialize(whole, &second_count, &pipeline->constants, NULL);
    uint32_t *again = vkdml_specialize(once, &again_count, &pipeline->constants, NULL);
    assert_true(once != NULL && second != NULL && again != NULL);
    const char *wrong = look(once, count);
    if (wrong == NULL && (second_count != count || memcmp(once, second, count * sizeof *once) != 0)) {
        wrong = "the second time it is another module";
    }
    if (wrong == NULL && count_function_words(again, again_count) != count_function_words(once, count)) {
        wrong = "there was more to leave out";
    }
    if (wrong != NULL) {
        tell(pipeline, name, wrong);
    }
    write_module(pipeline, name, once, count);
    vkdml_free(NULL, again);
    vkdml_free(NULL, second);
    vkdml_free(NULL, once);
}

/* False: there is the same already. */
static bool add_pipeline(const struct pipeline *pipeline) {
    uint32_t hash = 0;
    const unsigned char *bytes = (const unsigned char *)pipeline;
    for (size_t i = 0; i < sizeof *pipeline; i++) {
        hash = (hash ^ bytes[i]) * UINT32_C(16777619); /* FNV-1a's prime */
    }
    uint32_t *place = &list.buckets[hash % BUCKETS];
    while (*place != 0 && memcmp(&list.pipelines[*place - 1], pipeline, sizeof *pipeline) != 0) {
        place = &list.buckets[++hash % BUCKETS];
    }
    if (*place != 0) {
        return false;
    }
    assert_true(list.count < MAX_PIPELINES);
    list.pipelines[list.count++] = *pipeline;
    *place = (uint32_t)list.count;
    return true;
}

static void add_dispatch(const struct vkdml_plan_step *step, VkdmlKernelVariant variant, bool aligned) {
    char name[64];
    struct pipeline pipeline;
    list.planned[step->kernel] = true;
    memset(&pipeline, 0, sizeof(pipeline));
    pipeline.module = vkdml_kernel_module(step->kernel, variant);
    if (step->constants_given != vkdml_kernel_info(step->kernel)->constants) {
        printf("%s is given other constants than it has\n", vkdml_kernel_info(step->kernel)->name);
        list.wrong++;
    }
    pipeline.constants.given = step->constants_given | UINT32_C(1) << VKDML_SPECIALIZATION_ALIGNED;
    memcpy(pipeline.constants.values, step->constants, sizeof(step->constants));
    pipeline.constants.values[VKDML_SPECIALIZATION_ALIGNED] = aligned;
    if (!add_pipeline(&pipeline)) {
        return;
    }
    snprintf(name, sizeof(name), "%s.%s", vkdml_kernel_info(step->kernel)->name, vkdml_variant_name(variant));
    specialize(&pipeline, name);
}

static void add_step(const struct case_family *family, const struct vkdml_plan_step *step, VkdmlKernelVariant variant,
                     bool aligned) {
    if (step->kind == VKDML_PLAN_DISPATCH) {
        add_dispatch(step, variant, aligned);
    } else if (!family->transfers) {
        printf("%s has transfer commands, which are tested where its cases say so\n",
               vkdmlGetOperatorName(family->type));
        list.wrong++;
    }
}

/* A case that a device has no plan for is none of this test's business. */
static void plan_case(const struct case_family *family, const struct operator_case *c) {
    static struct case_desc desc;
    struct vkdml_report report;
    struct vkdml_instance *instance = NULL;
    case_build_desc(c, &desc);
    vkdml_report_clear(&report);
    if (vkdml_validate(&desc.op, c->level, NULL, &report, &instance) != VKDML_SUCCESS) {
        return;
    }
    for (size_t d = 0; d < DEVICE_COUNT; d++) {
        struct vkdml_plan plan;
        vkdml_plan_begin(&plan, NULL);
        vkdml_report_clear(&report);
        const VkdmlResult result = vkdml_plan(instance, &devices[d].limits, c->flags, &report, &plan);
        for (uint32_t i = 0; result == VKDML_SUCCESS && i < plan.steps.count; i++) {
            add_step(family, &plan.steps.items[i], devices[d].limits.variant, d % 2 != 0);
        }
        for (uint32_t i = 0; result == VKDML_SUCCESS && i < plan.init_steps.count; i++) {
            /* What is owned may be copied by transfer commands, whatever the operator. */
            if (plan.init_steps.items[i].kind == VKDML_PLAN_DISPATCH) {
                add_dispatch(&plan.init_steps.items[i], devices[d].limits.variant, d % 2 != 0);
            }
        }
        if (result == VKDML_ERROR_NOT_IMPLEMENTED) {
            printf("%s has no plan on \"%s\": %s\n", vkdmlGetOperatorName(family->type), devices[d].name, report.text);
            list.wrong++;
        }
        vkdml_plan_end(&plan);
    }
    vkdml_instance_destroy(instance, NULL);
}

static void plan_family(const struct case_family *family, uint64_t seed, unsigned long cases) {
    static struct operator_case c;
    char error[256];
    struct random random = {seed};
    for (size_t i = 0; i < family->fixed_count; i++) {
        assert_true(case_parse(family->fixed[i], &c, error, sizeof(error)));
        plan_case(family, &c);
    }
    for (unsigned long i = 0; i < cases; i++) {
        family->generate(family, &random, &c);
        plan_case(family, &c);
    }
}

/* What no operator has: the constants of graphs. */
static void plan_data(void) {
    static const uint32_t words[64];
    const struct vkdml_origin output = {.resource = VKDML_PLAN_PERSISTENT, .type = DML_TENSOR_DATA_TYPE_UINT32};
    struct vkdml_report report;
    for (size_t d = 0; d < DEVICE_COUNT; d++) {
        struct vkdml_plan plan;
        vkdml_plan_begin(&plan, NULL);
        vkdml_report_clear(&report);
        struct vkdml_builder builder = vkdml_builder_begin(&plan, &devices[d].limits, &report);
        assert_true(vkdml_data_plan(&output, sizeof(words), words, sizeof(words), &builder) == VKDML_SUCCESS);
        add_dispatch(&plan.steps.items[0], devices[d].limits.variant, d % 2 != 0);
        vkdml_plan_end(&plan);
    }
}

static void plan_program(const struct vkdml_program *program) {
    for (size_t d = 0; d < DEVICE_COUNT; d++) {
        struct vkdml_report report;
        struct vkdml_plan plan;
        vkdml_report_clear(&report);
        vkdml_plan_begin(&plan, NULL);
        struct vkdml_builder builder = vkdml_builder_begin(&plan, &devices[d].limits, &report);
        if (program->operand_count <= vkdml_program_operands(&devices[d].limits) &&
            vkdml_program_plan(program, &builder) == VKDML_SUCCESS) {
            for (uint32_t i = 0; i < plan.steps.count; i++) {
                add_dispatch(&plan.steps.items[i], devices[d].limits.variant, d % 2 != 0);
            }
        }
        vkdml_plan_end(&plan);
    }
}

/* Instructions that there are, of any values before them. */
static void add_instruction(struct random *random, struct vkdml_program *program) {
    const DML_TENSOR_DATA_TYPE type = program->output.at.type;
    const DML_TENSOR_DATA_TYPE types[] = {type, type, DML_TENSOR_DATA_TYPE_UNKNOWN};
    struct vkdml_program_instruction *instruction = &program->instructions[program->count];
    do {
        instruction->operation = (enum vkdml_map_operation)random_below(random, VKDML_MAP_ONE_WHERE_EQUAL + 1);
        instruction->function = (enum vkdml_map_function)random_below(random, VKDML_FUNCTION_SWISH + 1);
    } while (!vkdml_program_suits(instruction->operation, instruction->function, types, type));
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t value = random_below(random, program->operand_count + program->count);
        instruction->values[i] =
            (uint8_t)(value < program->operand_count ? value : VKDML_PROGRAM_OPERANDS + value - program->operand_count);
    }
    instruction->type = type;
    program->count++;
}

/* What graphs' chains become. */
static void plan_programs(uint64_t seed, unsigned long cases) {
    struct random random = {seed};
    const uint32_t sizes[] = {2, 3, 64}, strides[] = {192, 64, 1};
    for (unsigned long i = 0; i < cases; i++) {
        struct vkdml_program program = {.operand_count = random_between(&random, 1, VKDML_PROGRAM_OPERANDS)};
        const uint32_t count = random_between(&random, 1, VKDML_PROGRAM_INSTRUCTIONS);
        struct vkdml_view view = {.rank = 3};
        view.at.type = random_chance(&random, 50) ? DML_TENSOR_DATA_TYPE_FLOAT32 : DML_TENSOR_DATA_TYPE_FLOAT16;
        memcpy(view.sizes, sizes, sizeof sizes);
        memcpy(view.strides, strides, sizeof strides);
        program.output = view;
        program.output.at.resource = VKDML_PLAN_OUTPUT;
        for (uint32_t o = 0; o < program.operand_count; o++) {
            program.operands[o] = view;
            program.operands[o].at.index = o;
            program.operands[o].strides[random_below(&random, 3)] *= random_below(&random, 2);
        }
        while (program.count < count) {
            add_instruction(&random, &program);
        }
        plan_program(&program);
    }
}

int main(int argument_count, char **arguments) {
    if (argument_count != 5) {
        fprintf(stderr, "Usage: planned_kernels FOLDER SEED CASES MOST\n");
        return EXIT_FAILURE;
    }
    list.folder = arguments[1];
    list.most = strtoul(arguments[4], NULL, 0);
    for (size_t i = 0; i < case_family_count; i++) {
        plan_family(case_families[i], strtoul(arguments[2], NULL, 0), strtoul(arguments[3], NULL, 0));
    }
    plan_data();
    plan_programs(strtoul(arguments[2], NULL, 0), strtoul(arguments[3], NULL, 0));
    for (uint32_t kernel = 0; kernel < VKDML_KERNEL_COUNT; kernel++) {
        if (!list.planned[kernel]) {
            printf("%s is in no plan\n", vkdml_kernel_info((enum vkdml_kernel)kernel)->name);
            list.wrong++;
        }
    }
    for (size_t i = 0; unpacked[i].module != NULL; i++) {
        free(unpacked[i].words);
    }
    printf("%zu pipelines\n", list.count);
    return list.wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
