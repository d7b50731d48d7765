/* Epilogues of the frames reduce and neighbours: what a plan gives with one has the bits of what it gives without,
 * followed by maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device_fixture.h"
#include "epilogue_subjects.h"
#include "frames/map/map.h"
#include "operators/operators.h"
#include "plan/builder.h"
#include "vkdml/vkdml.h"

/* The linker lets compilation call the one here, which puts another plan in place of an operator's. */
VkdmlResult __real_vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                              VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);
VkdmlResult __wrap_vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                              VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);

enum { BYTES = EPILOGUE_WORDS * 4 }; /* of the source, the operand and the output, which lie behind one another */

/* What is planned instead. */
static struct {
    const struct subject *subject;
    struct vkdml_epilogue epilogue;
    DML_TENSOR_DATA_TYPE type;
    bool fused;
    bool refused;
} wanted;

static VkdmlDevice device;

/* ---- plans ---- */

static VkdmlResult add_map(struct vkdml_builder *builder, const struct vkdml_view *from,
                           const struct vkdml_epilogue_step *step, const struct vkdml_view *to) {
    struct vkdml_map map;
    vkdml_map_begin(&map, *to);
    map.operation = step->operation;
    map.function = step->function;
    memcpy(map.arguments + VKDML_MAP_FUNCTION_ARGUMENTS, step->arguments, sizeof(step->arguments));
    vkdml_map_set_operand(&map, 0, *from);
    if (step->operation != VKDML_MAP_FIRST) {
        vkdml_map_set_operand(&map, 1, step->operand);
    }
    vkdml_builder_phase(builder);
    return vkdml_map_plan(&map, builder);
}

/* The operand times the factor, which lies behind it. */
static VkdmlResult scale_operand(struct vkdml_builder *builder, struct vkdml_epilogue_step *step) {
    struct vkdml_view scaled = step->operand;
    struct vkdml_epilogue_step scale = {.operation = VKDML_MAP_MULTIPLY, .operand = step->operand};
    for (uint32_t d = 0; d < scaled.rank; d++) {
        scale.operand.sizes[d] = 1;
    }
    scale.operand.at.first = EPILOGUE_FACTOR_PLACE;
    vkdml_builder_place(builder, "the operand", &scaled);
    const struct vkdml_view operand = step->operand;
    step->operand = scaled;
    return add_map(builder, &operand, &scale, &scaled);
}

static VkdmlResult plan_in_maps(struct vkdml_builder *builder, const struct vkdml_view *output) {
    struct vkdml_epilogue epilogue = wanted.epilogue;
    struct vkdml_view from = *output;
    vkdml_builder_place(builder, "results", &from);
    VkdmlResult result = subject_plan(wanted.subject, &from, NULL, builder);
    if (epilogue.steps[0].operation == VKDML_MAP_ADD && epilogue.steps[0].factor != 1) {
        result = scale_operand(builder, &epilogue.steps[0]);
    }
    for (uint32_t i = 0; i < epilogue.count && result == VKDML_SUCCESS; i++) {
        struct vkdml_view to = *output;
        if (i + 1 < epilogue.count) {
            vkdml_builder_place(builder, "more results", &to);
        }
        result = add_map(builder, &from, &epilogue.steps[i], &to);
        from = to;
    }
    return result;
}

VkdmlResult __wrap_vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                              VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    (void)instance;
    (void)flags;
    struct vkdml_builder builder = vkdml_builder_begin(plan, limits, report);
    const struct vkdml_view output = subject_output(wanted.subject, wanted.type);
    VkdmlResult result;
    wanted.refused = !subject_takes(wanted.subject, &output, &wanted.epilogue, limits);
    if (wanted.fused && !wanted.refused) {
        result = subject_plan(wanted.subject, &output, &wanted.epilogue, &builder);
    } else {
        result = plan_in_maps(&builder, &output);
    }
    vkdml_plan_synchronize(plan, 0, 0);
    return result;
}

/* ---- on a device ---- */

static VkdmlDispatchable compile(void) {
    const uint32_t words = EPILOGUE_WORDS;
    const DML_BUFFER_TENSOR_DESC buffer = {
        DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 1, &words, NULL, BYTES, 0};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = {&tensor, &tensor, &tensor};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_ADD, &add};
    return compile_desc(device, &desc);
}

static void run(unsigned char *output) {
    VkdmlBindingProperties properties;
    VkdmlDispatchable compiled = compile();
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    const VkdmlBufferBinding inputs[] = {range(0, BYTES), range(BYTES, BYTES)};
    const VkdmlBufferBinding outputs[] = {range(2 * BYTES, BYTES)};
    const VkdmlBufferBinding temporary = other_range(0, properties.temporaryResourceSize);
    memset(vulkan.bytes + 2 * BYTES, 0xA5, BYTES);
    assert_int_equal(vkdmlBindInputs(table, 2, inputs), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, outputs), VKDML_SUCCESS);
    if (properties.temporaryResourceSize != 0) {
        assert_int_equal(vkdmlBindTemporaryResource(table, &temporary), VKDML_SUCCESS);
    }
    VkCommandBuffer commands = vulkan_begin(&vulkan);
    assert_int_equal(vkdmlRecordDispatch(device, commands, compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    memcpy(output, vulkan.bytes + 2 * BYTES, BYTES);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

/* Whether the epilogue is taken; then both ways must give the same. */
static bool try(const struct subject *subject, DML_TENSOR_DATA_TYPE type, const struct ending *ending) {
    static unsigned char fused[BYTES], apart[BYTES];
    const struct vkdml_view output = subject_output(subject, type);
    wanted.subject = subject;
    wanted.type = type;
    wanted.epilogue = ending_epilogue(ending, &output);
    wanted.fused = true;
    subject_fill(subject, type, vulkan.bytes, vulkan.bytes + BYTES);
    ending_fill(ending, type, vulkan.bytes + BYTES);
    run(fused);
    if (wanted.refused) {
        return false;
    }
    wanted.fused = false;
    run(apart);
    const uint32_t bytes = type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 2 : 4;
    for (uint32_t i = 0; i < BYTES / bytes; i++) {
        if (memcmp(fused + i * bytes, apart + i * bytes, bytes) != 0) {
            uint32_t a = 0, b = 0;
            memcpy(&a, fused + i * bytes, bytes);
            memcpy(&b, apart + i * bytes, bytes);
            fail_msg("%s of FLOAT%u with %s: element %u is %08x, %08x node by node", subject->name, bytes * 8,
                     ending->name, i, a, b);
        }
    }
    return true;
}

static const DML_TENSOR_DATA_TYPE types[] = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT16};

/* Endings that all subjects get; of the rest each gets one in so many: most of the time is compilation of pipelines. */
enum { EVERYWHERE = 4, RARELY = 5 };

static void fusing_changes_no_bit(void **state) {
    (void)state;
    uint32_t refused = 0;
    for (uint32_t s = 0; s < subject_count(); s++) {
        for (uint32_t e = 0; e < ending_count(); e++) {
            for (uint32_t t = 0; t < 2 && (e < EVERYWHERE || (s + e) % RARELY == 0); t++) {
                const struct ending *ending = ending_at(e);
                const bool taken = try(subject_at(s), types[t], ending);
                const bool expected = subject_at(s)->kind != SUBJECT_SUM || ending->is_arithmetic;
                /* Tensors that cannot be bound whole are refused, on profile `windows`. */
                assert_true(taken == expected || (!taken && vulkan.properties.limits.maxStorageBufferRange < BYTES));
                refused += !taken;
            }
        }
    }
    assert_true(refused != 0);
}

/* ---- what is not taken ---- */

static void others_are_refused(void **state) {
    (void)state;
    const struct vkdml_plan_limits limits = {.max_storage_buffer_range = 1 << 20,
                                             .min_storage_buffer_offset_alignment = 16};
    const struct subject *subject = subject_at(0);
    const struct vkdml_view output = subject_output(subject, DML_TENSOR_DATA_TYPE_FLOAT32);
    const struct vkdml_view other = subject_output(subject, DML_TENSOR_DATA_TYPE_FLOAT16);
    const struct vkdml_epilogue_step add = {.operation = VKDML_MAP_ADD, .operand = output, .factor = 1};
    const struct vkdml_epilogue_step relu = {.function = VKDML_FUNCTION_RELU};
    struct vkdml_epilogue epilogue = {2, {add, relu}};
    assert_true(subject_takes(subject, &output, &epilogue, &limits));
    assert_false(subject_takes(subject, &other, &epilogue, &limits)); /* of another type */
    epilogue = (struct vkdml_epilogue){2, {relu, add}};
    assert_false(subject_takes(subject, &output, &epilogue, &limits));
    epilogue = (struct vkdml_epilogue){2, {add, add}};
    assert_false(subject_takes(subject, &output, &epilogue, &limits));
    epilogue = (struct vkdml_epilogue){3, {add, relu, relu}};
    assert_false(subject_takes(subject, &output, &epilogue, &limits));
    epilogue = (struct vkdml_epilogue){1, {add}};
    epilogue.steps[0].operation = VKDML_MAP_DIVIDE;
    assert_false(subject_takes(subject, &output, &epilogue, &limits));
    epilogue.steps[0] = relu;
    epilogue.steps[0].function = VKDML_FUNCTION_SQRT;
    assert_false(subject_takes(subject, &output, &epilogue, &limits));
    epilogue.steps[0] = add;
    epilogue.steps[0].operand.at.offset = 0;
    epilogue.steps[0].operand.strides[0] = 1 << 20; /* farther than can be bound */
    assert_false(subject_takes(subject, &output, &epilogue, &limits));
    epilogue.count = 0;
    assert_true(subject_takes(subject, &output, &epilogue, &limits));
}

static int set_up(void **state) {
    const int result = set_up_vulkan(state);
    reset_vulkan();
    device = import_device(0, NULL);
    return result;
}

static int tear_down(void **state) {
    vkdmlDestroyDevice(device);
    return tear_down_vulkan(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fusing_changes_no_bit),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests_name("epilogue", tests, set_up, tear_down);
}
