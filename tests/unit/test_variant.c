/* The kernel variant of a device is a pure function of what it reports, and of what is known of its driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "kernels/variant.h"
#include "plan/plan.h"

#define ENOUGH (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)

static void expect_choice(struct vkdml_variant_device device, VkdmlKernelVariant expected) {
    const char *reason = NULL;
    assert_int_equal(vkdml_variant_choose(&device, &reason), expected);
    assert_non_null(reason);
}

static const struct vkdml_variant_device radv = {.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                                 .driver = VK_DRIVER_ID_MESA_RADV,
                                                 .vendor = 0x1002,
                                                 .driver_version = 1,
                                                 .subgroup_size = 64,
                                                 .operations = ENOUGH};

static void a_device_with_the_operations_runs_the_subgroup_kernels(void **state) {
    (void)state;
    struct vkdml_variant_device device = radv;
    expect_choice(device, VKDML_KERNEL_VARIANT_SUBGROUP);
    device.operations = UINT32_MAX;
    expect_choice(device, VKDML_KERNEL_VARIANT_SUBGROUP);
    device.driver = (VkDriverId)0;
    expect_choice(device, VKDML_KERNEL_VARIANT_SUBGROUP);
}

static void a_device_without_one_of_them_runs_the_portable_kernels(void **state) {
    (void)state;
    static const VkSubgroupFeatureFlags missing[] = {0, VK_SUBGROUP_FEATURE_BASIC_BIT,
                                                     ~(VkSubgroupFeatureFlags)VK_SUBGROUP_FEATURE_ARITHMETIC_BIT,
                                                     ~(VkSubgroupFeatureFlags)VK_SUBGROUP_FEATURE_BASIC_BIT};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        struct vkdml_variant_device device = radv;
        device.operations = missing[i];
        expect_choice(device, VKDML_KERNEL_VARIANT_PORTABLE);
        assert_non_null(vkdml_variant_unusable(&device, VKDML_KERNEL_VARIANT_SUBGROUP));
        assert_null(vkdml_variant_unusable(&device, VKDML_KERNEL_VARIANT_PORTABLE));
    }
}

static void a_cpu_runs_the_serial_kernels_whatever_else_it_reports(void **state) {
    (void)state;
    struct vkdml_variant_device device = radv;
    device.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    expect_choice(device, VKDML_KERNEL_VARIANT_SERIAL);
    device.operations = 0;
    device.subgroup_size = 0;
    expect_choice(device, VKDML_KERNEL_VARIANT_SERIAL);
    device.type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
    expect_choice(device, VKDML_KERNEL_VARIANT_PORTABLE);
    assert_null(vkdml_variant_unusable(&device, VKDML_KERNEL_VARIANT_SERIAL));
}

static void an_odd_subgroup_size_is_not_trusted_but_may_be_forced(void **state) {
    (void)state;
    static const uint32_t odd[] = {0, 1, 2, 12, 256};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct vkdml_variant_device device = radv;
        device.subgroup_size = odd[i];
        expect_choice(device, VKDML_KERNEL_VARIANT_PORTABLE);
        assert_null(vkdml_variant_unusable(&device, VKDML_KERNEL_VARIANT_SUBGROUP));
    }
    for (uint32_t size = 4; size <= 128; size *= 2) {
        struct vkdml_variant_device device = radv;
        device.subgroup_size = size;
        expect_choice(device, VKDML_KERNEL_VARIANT_SUBGROUP);
    }
}

/* A row each: for the first and last version that it names and for those beside them, for its vendor and for others. */
static void every_quirk_holds_for_what_it_names_only(void **state) {
    (void)state;
#define VKDML_QUIRK(DRIVER, vendor, first, last, reason) {VK_DRIVER_ID_##DRIVER, vendor, first, last},
#define VKDML_MATRIX_QUIRK(...)
#define VKDML_LENGTH_QUIRK(...)
#define VKDML_AVX512_QUIRK(...)
    static const struct {
        VkDriverId driver;
        uint32_t vendor, first, last;
    } quirks[] = {
#include "kernels/quirk_list.inc"
    };
    for (size_t i = 0; i < sizeof quirks / sizeof *quirks; i++) {
        struct vkdml_variant_device device = radv;
        device.driver = quirks[i].driver;
        device.vendor = quirks[i].vendor != 0 ? quirks[i].vendor : 0x10DE;
        assert_true(quirks[i].first <= quirks[i].last);
        device.driver_version = quirks[i].first;
        expect_choice(device, VKDML_KERNEL_VARIANT_PORTABLE);
        device.driver_version = quirks[i].last;
        expect_choice(device, VKDML_KERNEL_VARIANT_PORTABLE);
        if (quirks[i].first > 0) {
            device.driver_version = quirks[i].first - 1;
            expect_choice(device, VKDML_KERNEL_VARIANT_SUBGROUP);
        }
        if (quirks[i].last < UINT32_MAX) {
            device.driver_version = quirks[i].last + 1;
            expect_choice(device, VKDML_KERNEL_VARIANT_SUBGROUP);
        }
        device.driver_version = quirks[i].first;
        device.vendor = 0x106B; /* Apple's, of no row */
        expect_choice(device, quirks[i].vendor != 0 ? VKDML_KERNEL_VARIANT_SUBGROUP : VKDML_KERNEL_VARIANT_PORTABLE);
    }
}

static void matrix_cores_are_not_used_where_they_are_known_to_fail(void **state) {
    (void)state;
#define VKDML_QUIRK(...)
#define VKDML_MATRIX_QUIRK(DRIVER, vendor, first, last, reason) {VK_DRIVER_ID_##DRIVER, vendor, first, last},
#define VKDML_LENGTH_QUIRK(...)
#define VKDML_AVX512_QUIRK(...)
    static const struct {
        VkDriverId driver;
        uint32_t vendor, first, last;
    } quirks[] = {
#include "kernels/quirk_list.inc"
    };
    assert_null(vkdml_matrix_cores_unusable(&radv));
    for (size_t i = 0; i < sizeof quirks / sizeof *quirks; i++) {
        struct vkdml_variant_device device = radv;
        device.driver = quirks[i].driver;
        device.vendor = quirks[i].vendor != 0 ? quirks[i].vendor : 0x10DE;
        device.driver_version = quirks[i].last;
        assert_non_null(vkdml_matrix_cores_unusable(&device));
        device.driver_version = quirks[i].first;
        assert_non_null(vkdml_matrix_cores_unusable(&device));
    }
}

/* Whose compiler takes minutes for it; not from lavapipe, a processor too. */
static void long_code_is_kept_from_swiftshader_alone(void **state) {
    (void)state;
    struct vkdml_variant_device device = radv;
    assert_null(vkdml_long_code_unusable(&device));
    device.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    device.driver = VK_DRIVER_ID_MESA_LLVMPIPE;
    assert_null(vkdml_long_code_unusable(&device));
    device.driver = VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
    assert_non_null(vkdml_long_code_unusable(&device));
}

static void users_are_told_of_avx512_by_llvm_21_alone(void **state) {
    (void)state;
    static const char mesa_26[] = "Mesa 26.1.6-1 (LLVM 21.1.8)";
    const char *warning = vkdml_driver_warning(VK_DRIVER_ID_MESA_LLVMPIPE, mesa_26, true);
    assert_non_null(warning);
    assert_non_null(strstr(warning, "GALLIUM_OVERRIDE_CPU_CAPS=avx"));
    assert_null(vkdml_driver_warning(VK_DRIVER_ID_MESA_LLVMPIPE, mesa_26, false));
    assert_null(vkdml_driver_warning(VK_DRIVER_ID_MESA_RADV, mesa_26, true));
    assert_null(vkdml_driver_warning(VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 25.0.7 (LLVM 19.1.7)", true));
    assert_null(vkdml_driver_warning(VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 26.1.6 (LLVM 22.1.0)", true));
    assert_null(vkdml_driver_warning(VK_DRIVER_ID_MESA_LLVMPIPE, "", true));
}

/* Of what an H200 reports, and of what does not serve. */
static void the_largest_fragments_of_halves_with_floats_as_sums_are_chosen(void **state) {
    (void)state;
    static const VkCooperativeMatrixPropertiesKHR all[] = {
#define FRAGMENT(m, n, k, type, sum)                                                                                   \
    {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR,                                                              \
     NULL,                                                                                                             \
     m,                                                                                                                \
     n,                                                                                                                \
     k,                                                                                                                \
     type,                                                                                                             \
     type,                                                                                                             \
     sum,                                                                                                              \
     sum,                                                                                                              \
     false,                                                                                                            \
     VK_SCOPE_SUBGROUP_KHR}
        FRAGMENT(64, 64, 64, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT16_KHR),
        FRAGMENT(64, 64, 64, VK_COMPONENT_TYPE_FLOAT32_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR),
        FRAGMENT(12, 64, 64, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR),
        FRAGMENT(16, 8, 16, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR),
        FRAGMENT(16, 16, 16, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR),
        FRAGMENT(16, 8, 8, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR)};
    const struct vkdml_matrix_cores none = vkdml_matrix_cores_choose(all, 3, 32);
    assert_int_equal(none.subgroup_size, 0);
    const struct vkdml_matrix_cores cores = vkdml_matrix_cores_choose(all, sizeof all / sizeof *all, 32);
    assert_true(cores.m == 16 && cores.n == 16 && cores.k == 16 && cores.subgroup_size == 32);
    VkCooperativeMatrixPropertiesKHR other = all[4];
    other.scope = (VkScopeKHR)2; /* workgroups */
    assert_int_equal(vkdml_matrix_cores_choose(&other, 1, 32).subgroup_size, 0);
    other = all[4];
    other.saturatingAccumulation = true;
    assert_int_equal(vkdml_matrix_cores_choose(&other, 1, 32).subgroup_size, 0);
}

static void fragments_of_bytes_have_integers_as_sums(void **state) {
    (void)state;
    static const VkCooperativeMatrixPropertiesKHR all[] = {
        FRAGMENT(64, 64, 64, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR),
        FRAGMENT(16, 8, 32, VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_SINT32_KHR),
        FRAGMENT(16, 16, 32, VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_SINT32_KHR),
        FRAGMENT(32, 32, 32, VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR)};
    assert_int_equal(vkdml_byte_cores_choose(all, 1, 32).subgroup_size, 0);
    const struct vkdml_matrix_cores cores = vkdml_byte_cores_choose(all, sizeof all / sizeof *all, 32);
    assert_true(cores.m == 16 && cores.n == 16 && cores.k == 32 && cores.subgroup_size == 32);
}

static void names_are_read_as_they_are_written(void **state) {
    (void)state;
    VkdmlKernelVariant variant;
    for (int i = VKDML_KERNEL_VARIANT_PORTABLE; i <= VKDML_KERNEL_VARIANT_SERIAL; i++) {
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
    assert_null(vkdml_variant_name((VkdmlKernelVariant)4));
    assert_null(vkdml_variant_name((VkdmlKernelVariant)-1));
}

/* OpCapability's operands from GroupNonUniform (61) to GroupNonUniformQuad (68). */
static bool uses_subgroups(const struct vkdml_kernel_module *module) {
    const uint32_t op_capability = 17;
    uint32_t *words = calloc(module->word_count, sizeof *words);
    assert_non_null(words);
    vkdml_kernel_unpack(module, words);
    bool uses = false;
    for (size_t i = 5; i < module->word_count && (words[i] & 0xFFFF) == op_capability; i += 2) {
        uses = uses || (words[i + 1] >= 61 && words[i + 1] <= 68);
    }
    free(words);
    return uses;
}

/* Those of NONZERO_COORDINATES, which therefore is what tests/differential/meson.build runs with the subgroup kernels.
 */
static bool has_subgroup_module(enum vkdml_kernel kernel) {
    return kernel == VKDML_KERNEL_NONZERO_MARK || kernel == VKDML_KERNEL_NONZERO_WRITE;
}

static void only_subgroup_modules_use_subgroups(void **state) {
    (void)state;
    for (int i = 0; i < VKDML_KERNEL_COUNT; i++) {
        const struct vkdml_kernel_info *info = vkdml_kernel_info((enum vkdml_kernel)i);
        /* Which plans of no other variant name. */
        const bool needs_cores = i == VKDML_KERNEL_PRODUCT_MATRIX || i == VKDML_KERNEL_INTEGER_PRODUCT_MATRIX ||
                                 i == VKDML_KERNEL_ATTENTION_MATRIX;
        assert_int_equal(uses_subgroups(&info->portable), needs_cores);
        assert_int_equal(uses_subgroups(vkdml_kernel_module((enum vkdml_kernel)i, VKDML_KERNEL_VARIANT_SERIAL)),
                         needs_cores);
        assert_ptr_equal(vkdml_kernel_module((enum vkdml_kernel)i, VKDML_KERNEL_VARIANT_PORTABLE), &info->portable);
        assert_int_equal(info->subgroup.packed != NULL, has_subgroup_module((enum vkdml_kernel)i));
        if (info->subgroup.packed) {
            assert_true(uses_subgroups(&info->subgroup));
            assert_ptr_equal(vkdml_kernel_module((enum vkdml_kernel)i, VKDML_KERNEL_VARIANT_SUBGROUP), &info->subgroup);
        } else {
            assert_ptr_equal(vkdml_kernel_module((enum vkdml_kernel)i, VKDML_KERNEL_VARIANT_SUBGROUP), &info->portable);
        }
    }
}

/* The repository's spirv/; by default where the repository is the working directory. */
static const char *spirv_folder = "spirv";

/* Reads a module without what only debuggers and the build read: OpSource to OpLine, names among them. */
static size_t read_module(const char *path, uint32_t *words, size_t capacity) {
    uint32_t header[5], first;
    size_t count = 0;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(header, sizeof *header, 5, file), 5);
    for (; count < 5; count++) {
        words[count] = header[count];
    }
    while (fread(&first, sizeof first, 1, file) == 1) {
        const size_t others = (first >> 16) - 1;
        const uint32_t opcode = first & 0xFFFF;
        if (opcode >= 3 && opcode <= 8) {
            assert_int_equal(fseek(file, (long)(4 * others), SEEK_CUR), 0);
        } else {
            assert_true(count + 1 + others <= capacity);
            words[count++] = first;
            assert_int_equal(fread(words + count, sizeof *words, others, file), others);
            count += others;
        }
    }
    fclose(file);
    return count;
}

/* The embedded modules are those of spirv/, word for word, but for names. */
static void unpacked_modules_are_the_files(void **state) {
    (void)state;
    for (int i = 0; i < VKDML_KERNEL_COUNT; i++) {
        const struct vkdml_kernel_info *info = vkdml_kernel_info((enum vkdml_kernel)i);
        uint32_t *words = calloc(info->portable.word_count + 1, sizeof *words);
        uint32_t *file_words = calloc(info->portable.word_count + 1, sizeof *file_words);
        assert_non_null(words);
        assert_non_null(file_words);
        char path[512];
        snprintf(path, sizeof path, "%s/%s.spv", spirv_folder, info->name);
        assert_int_equal(read_module(path, file_words, info->portable.word_count), info->portable.word_count);
        vkdml_kernel_unpack(&info->portable, words);
        assert_int_equal(words[info->portable.word_count], 0);
        assert_memory_equal(words, file_words, info->portable.word_count * sizeof *words);
        free(words);
        free(file_words);
    }
}

static void float_controls_are_declared_where_the_device_states_them_all(void **state) {
    (void)state;
    const VkShaderFloatControlsIndependence all = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    const uint32_t of_32 = VKDML_FLOAT_CONTROLS_32, of_16 = VKDML_FLOAT_CONTROLS_16,
                   denormals = VKDML_FLOAT_CONTROLS_DENORMALS;
    VkPhysicalDeviceFloatControlsProperties floats = {.denormBehaviorIndependence = all,
                                                      .roundingModeIndependence = all};
    assert_int_equal(vkdml_float_controls(&floats, true), 0);
    floats.shaderDenormPreserveFloat32 = true; /* alone it is no help */
    floats.shaderSignedZeroInfNanPreserveFloat32 = true;
    assert_int_equal(vkdml_float_controls(&floats, true), 0);
    floats.shaderRoundingModeRTEFloat32 = true;
    assert_int_equal(vkdml_float_controls(&floats, true), of_32 | denormals);
    floats.shaderDenormPreserveFloat32 = false; /* as an H200 */
    floats.shaderDenormPreserveFloat16 = true;
    floats.shaderSignedZeroInfNanPreserveFloat16 = true;
    assert_int_equal(vkdml_float_controls(&floats, true), of_32);
    floats.shaderRoundingModeRTEFloat16 = true;
    assert_int_equal(vkdml_float_controls(&floats, true), of_32 | of_16);
    assert_int_equal(vkdml_float_controls(&floats, false), of_32);
    floats.shaderDenormPreserveFloat16 = false; /* as lavapipe */
    assert_int_equal(vkdml_float_controls(&floats, true), of_32);
    floats.denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
    assert_int_equal(vkdml_float_controls(&floats, true), 0);
    floats.denormBehaviorIndependence = all;
    floats.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
    assert_int_equal(vkdml_float_controls(&floats, true), 0);
}

int main(int argc, char **argv) {
    spirv_folder = argc > 1 ? argv[1] : spirv_folder;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_with_the_operations_runs_the_subgroup_kernels),
        cmocka_unit_test(a_device_without_one_of_them_runs_the_portable_kernels),
        cmocka_unit_test(a_cpu_runs_the_serial_kernels_whatever_else_it_reports),
        cmocka_unit_test(an_odd_subgroup_size_is_not_trusted_but_may_be_forced),
        cmocka_unit_test(every_quirk_holds_for_what_it_names_only),
        cmocka_unit_test(matrix_cores_are_not_used_where_they_are_known_to_fail),
        cmocka_unit_test(long_code_is_kept_from_swiftshader_alone),
        cmocka_unit_test(users_are_told_of_avx512_by_llvm_21_alone),
        cmocka_unit_test(the_largest_fragments_of_halves_with_floats_as_sums_are_chosen),
        cmocka_unit_test(fragments_of_bytes_have_integers_as_sums),
        cmocka_unit_test(names_are_read_as_they_are_written),
        cmocka_unit_test(unpacked_modules_are_the_files),
        cmocka_unit_test(only_subgroup_modules_use_subgroups),
        cmocka_unit_test(float_controls_are_declared_where_the_device_states_them_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
