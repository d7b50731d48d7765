/* The kernel variant of a device is a pure function of what it reports, and of what is known of its driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "kernels/variant.h"

#define ENOUGH (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)

static void expect_choice(VkDriverId driver, uint32_t version, VkSubgroupFeatureFlags operations,
                          VkdmlKernelVariant expected) {
    const struct vkdml_variant_device device = {.driver = driver, .driver_version = version, .operations = operations};
    const char *reason = NULL;
    assert_int_equal(vkdml_variant_choose(&device, &reason), expected);
    assert_non_null(reason);
}

static void a_device_with_the_operations_runs_the_subgroup_kernels(void **state) {
    (void)state;
    expect_choice(VK_DRIVER_ID_MESA_RADV, 1, ENOUGH, VKDML_KERNEL_VARIANT_SUBGROUP);
    expect_choice(VK_DRIVER_ID_NVIDIA_PROPRIETARY, 1, UINT32_MAX, VKDML_KERNEL_VARIANT_SUBGROUP);
    expect_choice((VkDriverId)0, 0, ENOUGH, VKDML_KERNEL_VARIANT_SUBGROUP);
}

static void a_device_without_one_of_them_runs_the_portable_kernels(void **state) {
    (void)state;
    expect_choice(VK_DRIVER_ID_MESA_RADV, 1, 0, VKDML_KERNEL_VARIANT_PORTABLE);
    expect_choice(VK_DRIVER_ID_MESA_RADV, 1, VK_SUBGROUP_FEATURE_BASIC_BIT, VKDML_KERNEL_VARIANT_PORTABLE);
    expect_choice(VK_DRIVER_ID_MESA_RADV, 1, ~(VkSubgroupFeatureFlags)VK_SUBGROUP_FEATURE_ARITHMETIC_BIT,
                  VKDML_KERNEL_VARIANT_PORTABLE);
    expect_choice(VK_DRIVER_ID_MESA_RADV, 1, ~(VkSubgroupFeatureFlags)VK_SUBGROUP_FEATURE_BASIC_BIT,
                  VKDML_KERNEL_VARIANT_PORTABLE);
}

/* A row each: on the first and last version it names, and on the versions beside them. */
static void every_quirk_holds_for_its_versions_only(void **state) {
    (void)state;
#define VKDML_QUIRK(DRIVER, first, last, reason) {VK_DRIVER_ID_##DRIVER, first, last},
    static const struct {
        VkDriverId driver;
        uint32_t first, last;
    } quirks[] = {
#include "kernels/quirk_list.inc"
    };
    for (size_t i = 0; i < sizeof quirks / sizeof *quirks; i++) {
        assert_true(quirks[i].first <= quirks[i].last);
        expect_choice(quirks[i].driver, quirks[i].first, ENOUGH, VKDML_KERNEL_VARIANT_PORTABLE);
        expect_choice(quirks[i].driver, quirks[i].last, ENOUGH, VKDML_KERNEL_VARIANT_PORTABLE);
        if (quirks[i].first > 0) {
            expect_choice(quirks[i].driver, quirks[i].first - 1, ENOUGH, VKDML_KERNEL_VARIANT_SUBGROUP);
        }
        if (quirks[i].last < UINT32_MAX) {
            expect_choice(quirks[i].driver, quirks[i].last + 1, ENOUGH, VKDML_KERNEL_VARIANT_SUBGROUP);
        }
    }
}

static void names_are_read_as_they_are_written(void **state) {
    (void)state;
    VkdmlKernelVariant variant;
    for (int i = VKDML_KERNEL_VARIANT_PORTABLE; i <= VKDML_KERNEL_VARIANT_SUBGROUP; i++) {
        assert_true(vkdml_variant_parse(vkdml_variant_name((VkdmlKernelVariant)i), &variant));
        assert_int_equal(variant, i);
    }
    assert_true(vkdml_variant_parse(NULL, &variant));
    assert_int_equal(variant, VKDML_KERNEL_VARIANT_DEFAULT);
    assert_true(vkdml_variant_parse("", &variant));
    assert_int_equal(variant, VKDML_KERNEL_VARIANT_DEFAULT);
    assert_false(vkdml_variant_parse("Portable", &variant));
    assert_false(vkdml_variant_parse("portable ", &variant));
    assert_null(vkdml_variant_name(VKDML_KERNEL_VARIANT_DEFAULT));
    assert_null(vkdml_variant_name((VkdmlKernelVariant)3));
    assert_null(vkdml_variant_name((VkdmlKernelVariant)-1));
}

/* OpCapability's operands from GroupNonUniform (61) to GroupNonUniformQuad (68). */
static bool uses_subgroups(const struct vkdml_kernel_module *module) {
    const uint32_t op_capability = 17;
    for (size_t i = 5; i < module->code_size / 4 && (module->code[i] & 0xFFFF) == op_capability; i += 2) {
        if (module->code[i + 1] >= 61 && module->code[i + 1] <= 68) {
            return true;
        }
    }
    return false;
}

static void only_subgroup_modules_use_subgroups(void **state) {
    (void)state;
    size_t with = 0;
    for (int i = 0; i < VKDML_KERNEL_COUNT; i++) {
        const struct vkdml_kernel_info *info = vkdml_kernel_info((enum vkdml_kernel)i);
        assert_false(uses_subgroups(&info->portable));
        assert_ptr_equal(vkdml_kernel_module((enum vkdml_kernel)i, VKDML_KERNEL_VARIANT_PORTABLE), &info->portable);
        if (info->subgroup.code) {
            assert_true(uses_subgroups(&info->subgroup));
            assert_ptr_equal(vkdml_kernel_module((enum vkdml_kernel)i, VKDML_KERNEL_VARIANT_SUBGROUP), &info->subgroup);
            with++;
        } else {
            assert_ptr_equal(vkdml_kernel_module((enum vkdml_kernel)i, VKDML_KERNEL_VARIANT_SUBGROUP), &info->portable);
        }
    }
    assert_true(with > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_with_the_operations_runs_the_subgroup_kernels),
        cmocka_unit_test(a_device_without_one_of_them_runs_the_portable_kernels),
        cmocka_unit_test(every_quirk_holds_for_its_versions_only),
        cmocka_unit_test(names_are_read_as_they_are_written),
        cmocka_unit_test(only_subgroup_modules_use_subgroups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
