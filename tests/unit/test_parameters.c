/* Parameter blocks of one unit and of more, in slabs. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/report.h"
#include "device_fixture.h"
#include "plan/plan.h"
#include "vulkan/device.h"

#define MOST 256

static VkdmlDevice device;

static int set_up(void **state) {
    (void)state;
    reset_vulkan();
    device = import_device(0, NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    vkdmlDestroyDevice(device);
    assert_nothing_left();
    return 0;
}

static struct vkdml_parameter_block create(uint32_t count) {
    static uint32_t words[VKDML_PLAN_MAX_PARAMETERS];
    struct vkdml_report report;
    struct vkdml_parameter_block block;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_parameters_create(device, words, count, &report, &block), VKDML_SUCCESS);
    return block;
}

static bool overlap(const struct vkdml_parameter_block *a, const struct vkdml_parameter_block *b) {
    return a->slab == b->slab && a->first < b->first + b->units && b->first < a->first + a->units;
}

static void a_block_takes_what_its_kernel_does(void **state) {
    (void)state;
    const uint32_t unit_words = device->parameters.unit_bytes / sizeof(uint32_t);
    const uint32_t counts[] = {0, 1, unit_words, VKDML_PLAN_MAX_PARAMETERS};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const struct vkdml_parameter_block block = create(counts[i]);
        const VkDescriptorBufferInfo info = vkdml_parameters_descriptor(device, block);
        assert_true(info.range >= counts[i] * sizeof(uint32_t) && info.range > 0);
        assert_true(info.range < counts[i] * sizeof(uint32_t) + device->parameters.unit_bytes || counts[i] == 0);
        assert_int_equal(info.offset % device->parameters.unit_bytes, 0);
        vkdml_parameters_destroy(device, block);
    }
}

/* Some are given back in between, so that large ones must find places among small ones. */
static void blocks_never_share_bytes(void **state) {
    (void)state;
    struct vkdml_parameter_block blocks[MOST];
    uint32_t count = 0;
    for (uint32_t turn = 0; turn < MOST; turn++) {
        blocks[count++] = create(turn % 3 == 0 ? VKDML_PLAN_MAX_PARAMETERS : 5);
        if (turn % 4 == 3) {
            const uint32_t at = turn % count--;
            vkdml_parameters_destroy(device, blocks[at]);
            blocks[at] = blocks[count];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            assert_false(overlap(&blocks[i], &blocks[j]));
        }
    }
    while (count > 0) {
        vkdml_parameters_destroy(device, blocks[--count]);
    }
    assert_ptr_equal(create(1).slab, device->parameters.slabs); /* one slab is left, and used again */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_block_takes_what_its_kernel_does, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_never_share_bytes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, set_up_vulkan, tear_down_vulkan);
}
