/* Plans of recurrent networks: few steps and bounded memory, however long they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cases/case.h"
#include "plan_fixture.h"

/* A GPU as large ones are. */
static struct invented_device gpu(void) {
    struct invented_device device = {.name = "a GPU", .limits = devices[DEVICE_MINIMUM].limits};
    device.limits.max_storage_buffer_range = UINT32_MAX;
    device.limits.max_workgroup_size[0] = 1024;
    device.limits.max_workgroup_invocations = 1024;
    device.limits.max_shared_memory_bytes = 49152;
    device.limits.variant = SUBGROUP;
    return device;
}

/* LSTM of one input. */
static void lstm_case(struct operator_case *c, uint32_t steps, uint32_t batch, uint32_t hidden) {
    char line[1024], error[256];
    snprintf(line, sizeof(line),
             "LSTM InputTensor=FLOAT32[1,%u,%u,1] WeightTensor=FLOAT32[1,1,%u,1] RecurrenceTensor=FLOAT32[1,1,%u,%u] "
             "OutputSingleTensor=FLOAT32[1,1,%u,%u] ActivationDescCount=3 ActivationDescs[0]=SIGMOID "
             "ActivationDescs[1]=TANH ActivationDescs[2]=TANH Direction=FORWARD ClipThreshold=0 UseClipThreshold=0 "
             "CoupleInputForget=0",
             (unsigned)steps, (unsigned)batch, (unsigned)(4 * hidden), (unsigned)(4 * hidden), (unsigned)hidden,
             (unsigned)batch, (unsigned)hidden);
    if (!case_parse(line, c, error, sizeof(error))) {
        fail_msg("%s: %s", line, error);
    }
}

/* What the kernel does all steps of: how often it is recorded, in how many steps of the plan. */
struct turns {
    uint64_t recorded;
    uint32_t steps, all_steps;
    uint64_t temporary_bytes;
};

static struct turns turns_of(uint32_t steps, uint32_t batch, uint32_t hidden, enum vkdml_kernel kernel) {
    static struct operator_case c;
    struct invented_device device = gpu();
    struct subject subject;
    struct vkdml_plan plan;
    lstm_case(&c, steps, batch, hidden);
    open_subject(&subject, &c, &device);
    assert_int_equal(plan_subject(&subject, &plan), VKDML_SUCCESS);
    struct turns turns = {.all_steps = plan.steps.count, .temporary_bytes = plan.steps.temporary_bytes};
    for (uint32_t s = 0; s < plan.steps.count; s++) {
        const struct vkdml_plan_step *step = &plan.steps.items[s];
        if (step->kind == VKDML_PLAN_DISPATCH && step->kernel == kernel) {
            turns.steps++;
            turns.recorded += step->repeat_count > 1 ? step->repeat_count : 1;
            assert_true(step->repeat_count <= 1 || step->buffer_count <= VKDML_PLAN_REPETITION);
        }
    }
    vkdml_plan_end(&plan);
    close_subject(&subject);
    return turns;
}

static void each_step_is_a_dispatch_of_one_step(void **state) {
    (void)state;
    const struct turns turns = turns_of(64, 32, 512, VKDML_KERNEL_RECURRENT);
    assert_int_equal(turns.recorded, 64);
    assert_int_equal(turns.steps, 1);
    assert_true(turns.all_steps < 8 && turns.temporary_bytes < 64 * MIB);
}

static void small_networks_take_one_dispatch(void **state) {
    (void)state;
    const struct turns turns = turns_of(200, 1, 128, VKDML_KERNEL_RECURRENT_LOOP);
    assert_int_equal(turns.recorded, 1);
    assert_true(turns.all_steps < 8);
}

static void any_length_takes_few_steps(void **state) {
    (void)state;
    static const uint32_t lengths[] = {1, 5000, 1000000, 50000000};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        const struct turns large = turns_of(lengths[i], 1, 512, VKDML_KERNEL_RECURRENT);
        assert_int_equal(large.recorded, lengths[i]);
        assert_true(large.all_steps <= 2 * 257 + 8);
        const struct turns loops = turns_of(lengths[i], 1, 32, VKDML_KERNEL_RECURRENT_LOOP);
        const struct turns others = turns_of(lengths[i], 1, 32, VKDML_KERNEL_RECURRENT);
        assert_true(loops.steps != 0 || others.recorded == lengths[i]);
        assert_true(loops.all_steps <= 2 * 257 + 8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_is_a_dispatch_of_one_step),
        cmocka_unit_test(small_networks_take_one_dispatch),
        cmocka_unit_test(any_length_takes_few_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
