/* Which part of the input each step of a padding binds, where a device binds little at once: all that fills its part of
 * the output, and not much more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan_fixture.h"

/* The input coordinate, of so many, at a distance from the first one, which is negative before it. */
static uint32_t source_at(const char *mode, uint32_t count, int64_t distance) {
    const int64_t size = count, turn = strcmp(mode, "REFLECTION") == 0 && size > 1 ? size - 1 : size;
    const int64_t period = strcmp(mode, "WRAP") == 0 ? size : 2 * turn;
    if (strcmp(mode, "EDGE") == 0)
        return (uint32_t)(distance < 0 ? 0 : distance < size ? distance : size - 1);
    const int64_t rest = (distance % period + period) % period;
    return (uint32_t)(rest < size ? rest : turn < size ? period - rest : period - 1 - rest);
}

/* Bytes of FLOAT32 that a step reads: from the first to behind the last. */
static void find_source(const char *mode, uint32_t count, uint32_t start, const struct vkdml_gather_parameters *p,
                        uint64_t *first, uint64_t *end) {
    *first = UINT64_MAX;
    *end = 0;
    for (uint32_t n = 0; n < p->row_length; n++) {
        const uint64_t byte = UINT64_C(4) * source_at(mode, count, (int64_t)p->row_origin + n - start);
        *first = byte < *first ? byte : *first;
        *end = byte + 4 > *end ? byte + 4 : *end;
    }
}

static void check_windows(const char *mode, uint32_t count, uint32_t start, uint32_t end,
                          const struct invented_device *device) {
    static struct operator_case c;
    char line[256], error[256];
    struct subject subject;
    snprintf(line, sizeof(line),
             "PADDING InputTensor=FLOAT32[%u] OutputTensor=FLOAT32[%u] PaddingMode=%s DimensionCount=1 "
             "StartPadding=%u EndPadding=%u",
             (unsigned)count, (unsigned)(start + count + end), mode, (unsigned)start, (unsigned)end);
    assert_true(case_parse(line, &c, error, sizeof(error)));
    open_subject(&subject, &c, device);
    CHECK(&subject, plan_subject(&subject, &subject.plan) == VKDML_SUCCESS);
    uint64_t filled = 0;
    for (uint32_t s = 0; s < subject.plan.steps.count; s++) {
        const struct vkdml_plan_step *step = &subject.plan.steps.items[s];
        CHECK(&subject, step->kernel == VKDML_KERNEL_PADDING || step->kernel == VKDML_KERNEL_PADDING_RUNS);
        const void *words = vkdml_plan_step_parameters(step);
        const struct vkdml_gather_parameters *p = words;
        uint64_t first, behind;
        find_source(mode, count, start, p, &first, &behind);
        const struct vkdml_plan_buffer *input = &step->buffers[0];
        const uint64_t alignment = device->limits.min_storage_buffer_offset_alignment;
        CHECK(&subject, input->offset <= first && behind <= input->offset + input->size);
        CHECK(&subject, input->size <= behind - first + alignment + 16);
        filled += p->row_length;
    }
    CHECK(&subject, filled == (uint64_t)start + count + end);
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
}

static void steps_bind_what_fills_their_part(void **state) {
    static const char *const modes[] = {"EDGE", "REFLECTION", "SYMMETRIC", "WRAP"};
    static const uint32_t sizes[][3] = {{20000, 21001, 21002}, {3000, 9001, 0},    {3000, 2, 9001}, {1500, 5000, 4999},
                                        {1025, 1024, 3071},    {1024, 8192, 8193}, {2, 3000, 3001}, {1, 2500, 2500}};
    (void)state;
    for (size_t m = 0; m < COUNT_OF(modes); m++)
        for (size_t n = 0; n < COUNT_OF(sizes); n++)
            check_windows(modes[m], sizes[n][0], sizes[n][1], sizes[n][2], &devices[DEVICE_SMALL_RANGES]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_bind_what_fills_their_part)};
    return cmocka_run_group_tests_name("plan_padding", tests, NULL, NULL);
}
