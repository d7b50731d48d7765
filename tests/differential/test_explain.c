/* Explanations of every operator's plan, by each variant of the kernels: on the first of its fixed cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/family.h"
#include "harness/gpu_open.h"

static struct gpu gpu;
static VkdmlDevice devices[2]; /* of GPUs' portable kernels, and of processors' */

/* Host memory that counts, and fails when told to. */
static struct {
    int live;  /* allocations not freed yet */
    int made;  /* allocations asked for */
    int fails; /* the allocation, from 1, that returns NULL; 0: none */
} allocations;

static VKAPI_ATTR void *VKAPI_CALL count_allocation(void *user_data, size_t size, size_t alignment,
                                                    VkSystemAllocationScope scope) {
    (void)user_data;
    (void)scope;
    if (++allocations.made == allocations.fails) {
        return NULL;
    }
    const size_t least = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    void *memory = aligned_alloc(least, (size + least - 1) / least * least);
    allocations.live += memory != NULL;
    return memory;
}

static VKAPI_ATTR void *VKAPI_CALL count_reallocation(void *user_data, void *original, size_t size, size_t alignment,
                                                      VkSystemAllocationScope scope) {
    (void)user_data;
    (void)original;
    (void)size;
    (void)alignment;
    (void)scope;
    return NULL;
}

static VKAPI_ATTR void VKAPI_CALL count_free(void *user_data, void *memory) {
    (void)user_data;
    allocations.live -= memory != NULL;
    free(memory);
}

static const VkAllocationCallbacks callbacks = {
    .pfnAllocation = count_allocation, .pfnReallocation = count_reallocation, .pfnFree = count_free};

/* The VkDevice as one of a variant; callbacks may be NULL. */
static VkdmlDevice import(VkdmlKernelVariant variant, VkdmlDeviceFlags flags, const VkAllocationCallbacks *of_device) {
    VkdmlDevice device = NULL;
    const VkdmlDeviceCreateInfo info = {.structSize = sizeof(info),
                                        .headerVersion = VKDML_HEADER_VERSION,
                                        .instance = gpu.vulkan.instance,
                                        .physicalDevice = gpu.vulkan.physicalDevice,
                                        .device = gpu.vulkan.device,
                                        .queueFamilyIndex = gpu.vulkan.queueFamilyIndex,
                                        .getInstanceProcAddr = gpu.vulkan.getInstanceProcAddr,
                                        .flags = flags,
                                        .allocationCallbacks = of_device,
                                        .kernelVariant = variant};
    if (vkdmlCreateDevice(&info, &device) != VKDML_SUCCESS) {
        fail_msg("%s", vkdmlGetErrorMessage());
    }
    return device;
}

static int set_up(void **state) {
    (void)state;
    if (gpu_open(&gpu, 0) != VKDML_SUCCESS) {
        print_error("no device: %s\n", gpu.error);
        return -1;
    }
    devices[0] = import(VKDML_KERNEL_VARIANT_PORTABLE, 0, NULL);
    devices[1] = import(VKDML_KERNEL_VARIANT_SERIAL, VKDML_DEVICE_FLAG_ALLOW_TRANSFER, NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        vkdmlDestroyDevice(devices[i]);
    }
    gpu_close(&gpu);
    return 0;
}

/* The operator of a case's line. */
static VkdmlOperator create(VkdmlDevice device, const char *line) {
    static struct operator_case c;
    char error[512];
    struct case_desc desc;
    VkdmlOperator op = NULL;
    if (!case_parse(line, &c, error, sizeof(error))) {
        fail_msg("%s: %s", line, error);
    }
    case_build_desc(&c, &desc);
    if (vkdmlCreateOperator(device, &desc.op, &op) != VKDML_SUCCESS) {
        fail_msg("%s: %s", line, vkdmlGetErrorMessage());
    }
    return op;
}

static bool is_among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void check_dispatch(const VkdmlStep *step) {
    static const char *const frames[] = {"gather",  "index",  "integer_product", "map",  "neighbours", "nonzero",
                                         "product", "reduce", "regions",         "rows", "scan",       "top_k"};
    assert_true(is_among(step->frame, frames, sizeof(frames) / sizeof(frames[0])));
    assert_true(step->kernel[0] != '\0' && step->groupSize >= 1 && step->parameterCount > 0);
    assert_true(step->groupCounts[0] >= 1 && step->groupCounts[1] >= 1 && step->groupCounts[2] >= 1);
    assert_true(step->constantCount > 0);
    assert_string_equal(step->constants[0].name, "LOCAL_SIZE");
    assert_int_equal(step->constants[0].value, step->groupSize);
}

/* Whether a step of an explanation writes what is called so, or reads it alone. */
static bool has_buffer(const VkdmlExplanation *explanation, const char *name, bool written) {
    for (uint32_t s = 0; s < explanation->stepCount; s++) {
        const VkdmlStep *step = &explanation->steps[s];
        for (uint32_t b = 0; b < step->bufferCount; b++) {
            if (strcmp(step->buffers[b].name, name) == 0 && (step->buffers[b].written != 0) == written) {
                return true;
            }
        }
    }
    return false;
}

/* Each output is written, by an operator that takes any step; memory is spoken of where there is some. */
static void check_buffers(const VkdmlExplanation *explanation, const char *line) {
    static struct operator_case c;
    char error[512];
    assert_true(case_parse(line, &c, error, sizeof(error)));
    for (struct case_at at = case_first(&c); at.tensor != NULL; at = case_next(&c, at)) {
        const struct case_name name = case_tensor_name(&c, at);
        if (!at.is_input && !has_buffer(explanation, name.text, true)) {
            fail_msg("%s: no step writes %s", line, name.text);
        }
        if (at.is_input && has_buffer(explanation, name.text, true)) {
            fail_msg("%s: a step writes %s, an input", line, name.text);
        }
    }
    assert_int_equal(has_buffer(explanation, "TemporaryResource", true), explanation->temporaryResourceSize != 0);
    assert_int_equal(has_buffer(explanation, "PersistentResource", true), explanation->persistentResourceSize != 0);
}

static void check(const struct case_family *family, VkdmlDevice device) {
    const char *line = family->fixed[0];
    const VkdmlExplanation *explanation = NULL;
    VkdmlDispatchable compiled = NULL;
    VkdmlBindingProperties properties;
    VkdmlOperator op = create(device, line);
    assert_int_equal(vkdmlExplainOperator(op, NULL, &explanation), VKDML_SUCCESS);
    assert_int_equal(vkdmlCompileOperator(op, NULL, &compiled), VKDML_SUCCESS);
    vkdmlDestroyOperator(op); /* both live on */
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    assert_string_equal(explanation->operatorName, vkdmlGetOperatorName(family->type));
    assert_int_equal(explanation->kernelVariant, vkdmlGetKernelVariant(device));
    assert_string_equal(explanation->variantReason, "forced");
    assert_int_equal(explanation->temporaryResourceSize, properties.temporaryResourceSize);
    assert_int_equal(explanation->persistentResourceSize, properties.persistentResourceSize);
    assert_true(explanation->stepCount > 0 && explanation->outputBytes > 0);
    uint32_t dispatches = 0, notes = explanation->noteCount;
    for (uint32_t s = 0; s < explanation->stepCount; s++) {
        const VkdmlStep *step = &explanation->steps[s];
        dispatches += step->kind == VKDML_STEP_KIND_DISPATCH && !step->initializes;
        notes += step->noteCount;
        assert_true(step->bufferCount > 0);
        if (step->kind == VKDML_STEP_KIND_DISPATCH) {
            check_dispatch(step);
        }
    }
    assert_int_equal(dispatches, properties.descriptorSetCount);
    if (notes == 0) {
        fail_msg("%s: nothing is said of its plan", line);
    }
    check_buffers(explanation, line);
    vkdmlDestroyExplanation(explanation);
    vkdmlDestroyDispatchable(compiled);
}

static void every_operator_is_explained_as_it_is_compiled(void **state) {
    (void)state;
    for (size_t f = 0; f < case_family_count; f++) {
        for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
            check(case_families[f], devices[i]);
        }
    }
}

#define TRANSPOSE                                                                                                      \
    "ELEMENT_WISE_IDENTITY InputTensor=FLOAT32[1,1,256,128] InputTensor.strides=0,0,1,256 "                            \
    "OutputTensor=FLOAT32[1,1,256,128]"

static void a_transpose_says_how_it_goes(void **state) {
    const VkdmlExplanation *explanation = NULL;
    (void)state;
    VkdmlOperator op = create(devices[0], TRANSPOSE);
    assert_int_equal(vkdmlExplainOperator(op, NULL, &explanation), VKDML_SUCCESS);
    assert_int_equal(explanation->stepCount, 1);
    assert_string_equal(explanation->steps[0].kernel, "transpose");
    assert_string_equal(explanation->steps[0].frame, "gather");
    assert_int_equal(explanation->inputBytes, 256 * 128 * 4);
    assert_int_equal(explanation->outputBytes, 256 * 128 * 4);
    assert_int_equal(explanation->noteCount, 1);
    assert_string_equal(explanation->notes[0],
                        "gather of elements of 4 bytes, collapsed: sizes 256 128, output strides "
                        "128 1, input strides 1 256");
    assert_int_equal(explanation->steps[0].noteCount, 1);
    assert_non_null(strstr(explanation->steps[0].notes[0], "tiles of "));
    vkdmlDestroyExplanation(explanation);
    vkdmlDestroyOperator(op);
}

static void an_owned_input_is_copied_by_a_step_of_the_initializer(void **state) {
    const VkdmlExplanation *explanation = NULL;
    (void)state;
    VkdmlOperator op = create(devices[0], "ELEMENT_WISE_ADD ATensor=FLOAT32[4] ATensor.owned=1 BTensor=FLOAT32[4] "
                                          "OutputTensor=FLOAT32[4]");
    assert_int_equal(vkdmlExplainOperator(op, NULL, &explanation), VKDML_SUCCESS);
    assert_int_equal(explanation->stepCount, 2);
    assert_true(explanation->steps[0].initializes && !explanation->steps[1].initializes);
    assert_string_equal(explanation->steps[0].buffers[0].name, "ATensor");
    assert_string_equal(explanation->steps[1].kernel, "map");
    assert_true(has_buffer(explanation, "PersistentResource", false));
    bool is_told = false;
    for (uint32_t i = 0; i < explanation->noteCount; i++) {
        is_told = is_told || strstr(explanation->notes[i], "ATensor is OWNED_BY_DML") != NULL;
    }
    assert_true(is_told);
    assert_non_null(strstr(explanation->steps[0].notes[0], "16 aligned bytes"));
    assert_non_null(strstr(explanation->steps[1].notes[0], "items of "));
    vkdmlDestroyExplanation(explanation);
    vkdmlDestroyOperator(op);
}

static void what_is_missing_is_refused(void **state) {
    const VkdmlExplanation *explanation = NULL;
    (void)state;
    VkdmlOperator op = create(devices[0], TRANSPOSE);
    assert_int_equal(vkdmlExplainOperator(NULL, NULL, &explanation), VKDML_ERROR_INVALID_ARGUMENT);
    assert_string_equal(vkdmlGetErrorMessage(), "op is NULL, must be given");
    assert_int_equal(vkdmlExplainOperator(op, NULL, NULL), VKDML_ERROR_INVALID_ARGUMENT);
    assert_string_equal(vkdmlGetErrorMessage(), "explanation is NULL, must be given");
    const VkdmlCompileInfo info = {.structSize = sizeof(info), .flags = 64};
    explanation = (const VkdmlExplanation *)&info; /* a failing call sets it to NULL */
    assert_int_equal(vkdmlExplainOperator(op, &info, &explanation), VKDML_ERROR_INVALID_ARGUMENT);
    assert_null(explanation);
    assert_non_null(strstr(vkdmlGetErrorMessage(), "ELEMENT_WISE_IDENTITY: flags is 0x40"));
    vkdmlDestroyExplanation(NULL);
    vkdmlDestroyOperator(op);
}

static void any_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state) {
    (void)state;
    allocations.made = allocations.fails = 0;
    VkdmlDevice device = import(VKDML_KERNEL_VARIANT_PORTABLE, 0, &callbacks);
    VkdmlOperator op = create(device, TRANSPOSE);
    const VkdmlExplanation *explanation = NULL;
    const int live = allocations.live;
    allocations.made = 0;
    assert_int_equal(vkdmlExplainOperator(op, NULL, &explanation), VKDML_SUCCESS);
    const int count = allocations.made;
    assert_int_equal(allocations.live, live + 1);
    vkdmlDestroyExplanation(explanation);
    assert_int_equal(allocations.live, live);
    assert_true(count >= 3); /* the plan, its notes, what is told of them */
    for (int i = 1; i <= count; i++) {
        allocations.made = 0;
        allocations.fails = i;
        assert_int_equal(vkdmlExplainOperator(op, NULL, &explanation), VKDML_ERROR_OUT_OF_HOST_MEMORY);
        allocations.fails = 0;
        assert_null(explanation);
        assert_non_null(strstr(vkdmlGetErrorMessage(), "no host memory"));
        assert_int_equal(allocations.live, live);
    }
    vkdmlDestroyOperator(op);
    vkdmlDestroyDevice(device);
    assert_int_equal(allocations.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_is_explained_as_it_is_compiled),
        cmocka_unit_test(a_transpose_says_how_it_goes),
        cmocka_unit_test(an_owned_input_is_copied_by_a_step_of_the_initializer),
        cmocka_unit_test(what_is_missing_is_refused),
        cmocka_unit_test(any_failing_allocation_is_out_of_memory_and_leaves_nothing),
    };
    return cmocka_run_group_tests_name("explain", tests, set_up, tear_down);
}
