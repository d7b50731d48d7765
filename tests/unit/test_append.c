/* Plans that are put together by hand: appended ones, steps that are repeated, temporary memory at initialization. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device_fixture.h"
#include "operators/operators.h"
#include "plan/append.h"
#include "vkdml/vkdml.h"

/* The linker lets compilation call the one here, which hands plans to the test that runs. */
VkdmlResult __real_vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                              VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);
VkdmlResult __wrap_vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                              VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);

static void (*change)(struct vkdml_plan *plan, const struct vkdml_plan_limits *limits, struct vkdml_report *report);

VkdmlResult __wrap_vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                              VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    VkdmlResult result = __real_vkdml_plan(instance, limits, flags, report, plan);
    if (result == VKDML_SUCCESS && change != NULL) {
        change(plan, limits, report);
    }
    return result;
}

/* ---- plans alone ---- */

/* A plan of one step that fills a region of its own. */
static void begin_fill(struct vkdml_plan *plan, const struct vkdml_plan_limits *limits, struct vkdml_report *report) {
    struct vkdml_plan_step *step;
    vkdml_plan_begin(plan, NULL);
    struct vkdml_builder builder = vkdml_builder_begin(plan, limits, report);
    const struct vkdml_origin region = vkdml_builder_region(&builder, "words", 16, DML_TENSOR_DATA_TYPE_UINT32);
    assert_int_equal(vkdml_builder_add(&builder, &step), VKDML_SUCCESS);
    step->kind = VKDML_PLAN_FILL;
    step->buffer_count = 1;
    step->buffers[0] = vkdml_origin_buffer(&region, 0, 16);
    vkdml_plan_synchronize(plan, 0, 0);
}

static void only_steps_that_meet_wait(void **state) {
    (void)state;
    const struct vkdml_plan_limits limits = {.max_storage_buffer_range = 1024};
    const struct vkdml_renaming behind = {.temporary_offset = VKDML_NEW_REGION};
    const struct vkdml_renaming onto = {.temporary_offset = 0};
    struct vkdml_report report;
    struct vkdml_plan whole, other;
    vkdml_report_clear(&report);
    begin_fill(&whole, &limits, &report);
    begin_fill(&other, &limits, &report);
    assert_int_equal(vkdml_plan_append(&whole, &other, &behind, &report), VKDML_SUCCESS);
    assert_int_equal(vkdml_plan_append(&whole, &other, &onto, &report), VKDML_SUCCESS);
    assert_int_equal(vkdml_plan_append(&whole, &other, &behind, &report), VKDML_SUCCESS);
    assert_int_equal(whole.steps.count, 4);
    assert_int_equal(whole.steps.temporary_bytes, 3 * VKDML_PLAN_REGION_ALIGNMENT);
    assert_int_equal(whole.steps.items[1].buffers[0].offset, VKDML_PLAN_REGION_ALIGNMENT);
    assert_false(whole.steps.items[0].barrier_before);
    assert_false(whole.steps.items[1].barrier_before);
    assert_true(whole.steps.items[2].barrier_before); /* writes what the first did */
    assert_false(whole.steps.items[3].barrier_before);
    vkdml_plan_end(&other);
    vkdml_plan_end(&whole);
}

/* Adds a step of a phase of its own, which reads a region of 16 bytes and writes another. */
static void add_step(struct vkdml_builder *builder, enum vkdml_plan_step_kind kind, const struct vkdml_origin *from,
                     const struct vkdml_origin *to) {
    const bool is_copy = kind == VKDML_PLAN_COPY; /* whose target is behind its source */
    struct vkdml_plan_step *step;
    vkdml_builder_phase(builder);
    assert_int_equal(vkdml_builder_add(builder, &step), VKDML_SUCCESS);
    step->kind = kind;
    step->kernel = VKDML_KERNEL_MAP; /* of a dispatch */
    step->buffer_count = 2;
    step->buffers[is_copy] = vkdml_origin_buffer(to, 0, 16);
    step->buffers[!is_copy] = vkdml_origin_buffer(from, 0, 16);
}

/* What a copy waited for dispatches have not waited for, nor the other way round. */
static void each_stage_waits_for_itself(void **state) {
    (void)state;
    static const enum vkdml_plan_step_kind kinds[][5] = {
        {VKDML_PLAN_DISPATCH, VKDML_PLAN_COPY, VKDML_PLAN_DISPATCH, VKDML_PLAN_DISPATCH, VKDML_PLAN_COPY},
        {VKDML_PLAN_COPY, VKDML_PLAN_DISPATCH, VKDML_PLAN_COPY, VKDML_PLAN_COPY, VKDML_PLAN_DISPATCH},
    };
    const struct vkdml_plan_limits limits = {.max_storage_buffer_range = 1024};
    struct vkdml_report report;
    vkdml_report_clear(&report);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        static const bool waits[] = {false, true, true, false, false};
        struct vkdml_plan plan;
        struct vkdml_origin regions[6];
        vkdml_plan_begin(&plan, NULL);
        struct vkdml_builder builder = vkdml_builder_begin(&plan, &limits, &report);
        for (uint32_t i = 0; i < 6; i++) {
            regions[i] = vkdml_builder_region(&builder, "words", 16, DML_TENSOR_DATA_TYPE_UINT32);
        }
        for (uint32_t s = 0; s < 5; s++) { /* all behind the first one read what it writes */
            add_step(&builder, kinds[k][s], &regions[s == 0 ? 5 : 0], &regions[s]);
        }
        vkdml_plan_synchronize(&plan, 0, 0);
        for (uint32_t s = 0; s < 5; s++) {
            assert_int_equal(plan.steps.items[s].barrier_before, waits[s]);
        }
        vkdml_plan_synchronize(&plan, 2, 0); /* and found anew from a step on */
        for (uint32_t s = 0; s < 5; s++) {
            assert_int_equal(plan.steps.items[s].barrier_before, waits[s]);
        }
        vkdml_plan_end(&plan);
    }
}

/* Behind so many steps that are all apart one waits all the same, and no more do until there are as many again. */
static void a_step_behind_hundreds_waits_unasked(void **state) {
    (void)state;
    const struct vkdml_plan_limits limits = {.max_storage_buffer_range = 1024};
    struct vkdml_report report;
    struct vkdml_plan plan;
    vkdml_report_clear(&report);
    vkdml_plan_begin(&plan, NULL);
    struct vkdml_builder builder = vkdml_builder_begin(&plan, &limits, &report);
    for (uint32_t s = 0; s < 1200; s++) {
        const struct vkdml_origin from = vkdml_builder_region(&builder, "words", 16, DML_TENSOR_DATA_TYPE_UINT32);
        const struct vkdml_origin to = vkdml_builder_region(&builder, "words", 16, DML_TENSOR_DATA_TYPE_UINT32);
        add_step(&builder, VKDML_PLAN_DISPATCH, &from, &to);
    }
    vkdml_plan_synchronize(&plan, 0, 0);
    for (uint32_t s = 0; s < plan.steps.count; s++) {
        assert_int_equal(plan.steps.items[s].barrier_before, s == 513 || s == 2 * 513);
    }
    vkdml_plan_end(&plan);
}

/* Two plans of two steps each: those of one phase come side by side, and one barrier is enough. */
static void plans_side_by_side_share_barriers(void **state) {
    (void)state;
    const struct vkdml_plan_limits limits = {.max_storage_buffer_range = 1024};
    struct vkdml_report report;
    struct vkdml_plan whole, pair, fill;
    vkdml_report_clear(&report);
    vkdml_plan_begin(&whole, NULL);
    begin_fill(&pair, &limits, &report);
    begin_fill(&fill, &limits, &report);
    const struct vkdml_renaming onto = {.temporary_offset = 0};
    assert_int_equal(vkdml_plan_append(&pair, &fill, &onto, &report), VKDML_SUCCESS);
    for (uint32_t i = 0; i < 2; i++) {
        const struct vkdml_renaming part = {.temporary_offset = VKDML_NEW_REGION, .node = i, .is_part = true};
        whole.steps.phase = 0;
        assert_int_equal(vkdml_plan_append(&whole, &pair, &part, &report), VKDML_SUCCESS);
    }
    assert_int_equal(vkdml_plan_sort_phases(&whole, &whole.steps, 0, &report), VKDML_SUCCESS);
    vkdml_plan_synchronize(&whole, 0, 0);
    for (uint32_t s = 0; s < 4; s++) {
        assert_int_equal(whole.steps.items[s].node, s % 2);
        assert_int_equal(whole.steps.items[s].barrier_before, s == 2);
    }
    vkdml_plan_end(&fill);
    vkdml_plan_end(&pair);
    vkdml_plan_end(&whole);
}

static void what_was_tried_is_taken_back(void **state) {
    (void)state;
    const struct vkdml_plan_limits limits = {.max_storage_buffer_range = 1024};
    struct vkdml_report report;
    struct vkdml_plan plan;
    struct vkdml_plan_step *step;
    vkdml_report_clear(&report);
    begin_fill(&plan, &limits, &report);
    struct vkdml_builder builder = vkdml_builder_begin(&plan, &limits, &report);
    const struct vkdml_builder_mark mark = vkdml_builder_mark(&builder);
    assert_null(vkdml_builder_first_since(&builder, &mark));
    assert_null(vkdml_builder_last_before(&builder, &mark)); /* the step there is another builder's */
    vkdml_builder_phase(&builder);
    vkdml_builder_region(&builder, "more", 1, DML_TENSOR_DATA_TYPE_UINT8);
    assert_int_equal(vkdml_builder_add(&builder, &step), VKDML_SUCCESS);
    assert_ptr_equal(vkdml_builder_first_since(&builder, &mark), step);
    vkdml_builder_undo(&builder, &mark);
    assert_int_equal(plan.steps.count, 1);
    assert_int_equal(plan.steps.phase, 0);
    assert_int_equal(plan.steps.temporary_bytes, VKDML_PLAN_REGION_ALIGNMENT);
    vkdml_plan_end(&plan);
}

/* ---- on a device ---- */

enum { ROW = 64, ROWS = 9 }; /* elements, and how often a row is added */

/* ELEMENT_WISE_ADD of rows, of tensors with room for more. */
struct addition {
    uint32_t sizes[1];
    DML_BUFFER_TENSOR_DESC buffers[3];
    DML_TENSOR_DESC tensors[3];
    DML_ELEMENT_WISE_ADD_OPERATOR_DESC add;
    DML_OPERATOR_DESC desc;
};

static void addition_init(struct addition *addition) {
    static const uint32_t rows[] = {1, ROWS, ROWS + 1};
    addition->sizes[0] = ROW;
    for (uint32_t i = 0; i < 3; i++) {
        addition->buffers[i] = (DML_BUFFER_TENSOR_DESC){DML_TENSOR_DATA_TYPE_FLOAT32,
                                                        DML_TENSOR_FLAG_NONE,
                                                        1,
                                                        addition->sizes,
                                                        NULL,
                                                        rows[i] * ROW * sizeof(float),
                                                        0};
        addition->tensors[i] = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &addition->buffers[i]};
    }
    addition->add =
        (DML_ELEMENT_WISE_ADD_OPERATOR_DESC){&addition->tensors[0], &addition->tensors[1], &addition->tensors[2]};
    addition->desc = (DML_OPERATOR_DESC){DML_OPERATOR_ELEMENT_WISE_ADD, &addition->add};
}

/* Row r + 1 of the output is row r of it and row r of b: a recurrence, of one step. */
static void make_recurrent(struct vkdml_plan *plan, const struct vkdml_plan_limits *limits,
                           struct vkdml_report *report) {
    const uint32_t bytes = ROW * sizeof(float);
    (void)limits;
    (void)report;
    assert_int_equal(plan->steps.count, 1);
    struct vkdml_plan_step *step = &plan->steps.items[0];
    assert_int_equal(step->buffer_count, 3); /* the output, a, b */
    step->buffers[0].offset += bytes;
    step->buffers[1] = (struct vkdml_plan_buffer){VKDML_PLAN_OUTPUT, 0, 0, 0};
    step->repeat_count = ROWS;
    for (uint32_t b = 0; b < 3; b++) {
        step->buffers[b].size = ROWS * bytes;
        step->repeat_strides[b] = bytes;
    }
}

static void a_repeated_step_moves_on(void **state) {
    (void)state;
    static struct addition addition;
    const VkDeviceSize bytes = ROW * sizeof(float);
    reset_vulkan();
    VkdmlDevice device = import_device(0, NULL);
    addition_init(&addition);
    change = make_recurrent;
    VkdmlDispatchable compiled = compile_desc(device, &addition.desc);
    change = NULL;
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    float *b = (float *)vulkan.bytes, *output = b + ROWS * ROW;
    for (uint32_t i = 0; i < ROWS * ROW; i++) {
        b[i] = (float)(i % 7);
    }
    for (uint32_t i = 0; i < ROW; i++) {
        output[i] = (float)i;
    }
    const VkdmlBufferBinding inputs[] = {other_range(0, bytes), range(0, ROWS * bytes)};
    const VkdmlBufferBinding outputs[] = {range(ROWS * bytes, (ROWS + 1) * bytes)};
    assert_int_equal(vkdmlBindInputs(table, 2, inputs), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, outputs), VKDML_SUCCESS);
    VkCommandBuffer commands = vulkan_begin(&vulkan);
    assert_int_equal(vkdmlRecordDispatch(device, commands, compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    for (uint32_t r = 0; r < ROWS; r++) {
        for (uint32_t i = 0; i < ROW; i++) {
            const float expected = output[r * ROW + i] + b[r * ROW + i];
            assert_true(output[(r + 1) * ROW + i] == expected);
        }
    }
    assert_true(output[0] == 0 && output[1] == 1);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyDevice(device);
    assert_nothing_left();
}

/* The copy of an owned input goes by the initializer's temporary memory. */
static void make_detour(struct vkdml_plan *plan, const struct vkdml_plan_limits *limits, struct vkdml_report *report) {
    struct vkdml_builder builder = vkdml_builder_begin(plan, limits, report);
    struct vkdml_builder initialization = vkdml_builder_at_initialization(&builder);
    struct vkdml_plan_step *step;
    assert_int_equal(plan->init_steps.count, 1);
    const struct vkdml_plan_step copy = plan->init_steps.items[0];
    const uint64_t size = copy.buffers[1].size;
    const struct vkdml_origin region =
        vkdml_builder_region(&initialization, "a detour", size, DML_TENSOR_DATA_TYPE_FLOAT32);
    plan->init_steps.items[0].buffers[1] = vkdml_origin_buffer(&region, 0, size);
    vkdml_builder_phase(&initialization);
    assert_int_equal(vkdml_builder_add(&initialization, &step), VKDML_SUCCESS);
    const uint32_t phase = step->phase;
    *step = copy;
    step->phase = phase;
    step->buffers[0] = vkdml_origin_buffer(&region, 0, size);
    vkdml_plan_synchronize(plan, 0, 0);
    assert_true(plan->init_steps.items[1].barrier_before);
}

static void an_initializer_has_temporary_memory(void **state) {
    (void)state;
    static struct identity identity;
    const VkDeviceSize bytes = 64 * sizeof(float);
    VkdmlBindingProperties properties;
    reset_vulkan();
    VkdmlDevice device = import_device(0, NULL);
    identity_init(&identity, 64);
    identity.input.buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    change = make_detour;
    VkdmlDispatchable compiled = compile_desc(device, &identity.desc), initializer;
    change = NULL;
    assert_int_equal(vkdmlCreateOperatorInitializer(device, 1, &compiled, &initializer), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetBindingProperties(initializer, &properties), VKDML_SUCCESS);
    assert_int_equal(properties.temporaryResourceSize, VKDML_PLAN_REGION_ALIGNMENT);
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    VkdmlBindingTable init_table = create_table(device, initializer, VK_NULL_HANDLE);
    float *input = (float *)vulkan.bytes, *output = input + 1024;
    for (uint32_t i = 0; i < 64; i++) {
        input[i] = (float)i;
    }
    const VkdmlBufferBinding in = range(0, bytes), out = range(1024 * sizeof(float), bytes);
    const VkdmlBufferBinding temporary = other_range(0, 256), persistent = other_range(256, 256);
    assert_int_equal(vkdmlBindInputs(init_table, 1, &in), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(init_table, 1, &persistent), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindTemporaryResource(init_table, &temporary), VKDML_SUCCESS);
    VkCommandBuffer commands = vulkan_begin(&vulkan);
    assert_int_equal(vkdmlRecordDispatch(device, commands, initializer, init_table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    memset(input, 0, bytes);
    assert_int_equal(vkdmlBindOutputs(table, 1, &out), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindPersistentResource(table, &persistent), VKDML_SUCCESS);
    commands = vulkan_begin(&vulkan);
    assert_int_equal(vkdmlRecordDispatch(device, commands, compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    for (uint32_t i = 0; i < 64; i++) {
        assert_true(output[i] == (float)i);
    }
    vkdmlDestroyBindingTable(init_table);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyDevice(device);
    assert_nothing_left();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_steps_that_meet_wait),
        cmocka_unit_test(each_stage_waits_for_itself),
        cmocka_unit_test(a_step_behind_hundreds_waits_unasked),
        cmocka_unit_test(plans_side_by_side_share_barriers),
        cmocka_unit_test(what_was_tried_is_taken_back),
        cmocka_unit_test(a_repeated_step_moves_on),
        cmocka_unit_test(an_initializer_has_temporary_memory),
    };
    return cmocka_run_group_tests_name("append", tests, set_up_vulkan, tear_down_vulkan);
}
