/* The mathematics on the GPU: the same bits as in C.
 *
 * test_math_gpu                                 a few arguments of each kind, cmocka's output
 * test_math_gpu --all [--threads N] [FUNCTION ..]   all 2^32 arguments, and 2^28 pairs; a line for each function */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/gpu_open.h"
#include "inputs.h"
#include "oracle.h"

/* tests/math/math.comp; what it is asked for is chosen when its pipeline is made */
static const uint32_t code[] = {
#include "math_spv.inc"
};
#define BUFFERS    3
#define GROUP      64
#define MAX_REPORT 8
#define CHUNK      ((uint32_t)1 << 22) /* arguments: 65,536 workgroups are too many in one dimension */
#define FEW        ((uint32_t)1 << 18)
#define SPACING    16
#define ALL_PAIRS  ((uint64_t)1 << 28)

static struct {
    struct gpu gpu;
    VkShaderModule module;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    uint32_t *buffers[BUFFERS]; /* x, y, results: CHUNK words each */
} test;

/* ---- the kernel ---- */

static bool create_layouts(VkDevice device) {
    VkDescriptorSetLayoutBinding bindings[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BUFFERS, .pBindings = bindings};
    if (vkCreateDescriptorSetLayout(device, &set_info, NULL, &test.set_layout) != VK_SUCCESS) {
        return false;
    }
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &test.set_layout};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    return vkCreatePipelineLayout(device, &layout_info, NULL, &test.layout) == VK_SUCCESS &&
           vkCreateDescriptorPool(device, &pool_info, NULL, &test.pool) == VK_SUCCESS;
}

static bool create_set(VkDevice device) {
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = test.pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &test.set_layout};
    if (vkAllocateDescriptorSets(device, &info, &test.set) != VK_SUCCESS) {
        return false;
    }
    VkDescriptorBufferInfo ranges[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; i++) {
        ranges[i] = (VkDescriptorBufferInfo){test.gpu.buffer, (VkDeviceSize)i * 4 * CHUNK, 4 * CHUNK};
    }
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = test.set,
                                        .descriptorCount = BUFFERS,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = ranges};
    /* Consecutive bindings of one descriptor each are written as one array. */
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    return true;
}

static bool open_test(void) {
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof code, .pCode = code};
    if (gpu_open(&test.gpu, 0) != VKDML_SUCCESS || !gpu_reserve(&test.gpu, (size_t)BUFFERS * 4 * CHUNK)) {
        fprintf(stderr, "%s\n", test.gpu.error);
        return false;
    }
    VkDevice device = test.gpu.vulkan.device;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        test.buffers[i] = (uint32_t *)(void *)(test.gpu.mapped + (size_t)i * 4 * CHUNK);
    }
    if (vkCreateShaderModule(device, &info, NULL, &test.module) != VK_SUCCESS || !create_layouts(device) ||
        !create_set(device)) {
        fprintf(stderr, "the kernel cannot be had\n");
        return false;
    }
    return true;
}

static void close_test(void) {
    VkDevice device = test.gpu.vulkan.device;
    if (device != VK_NULL_HANDLE) {
        vkDestroyDescriptorPool(device, test.pool, NULL);
        vkDestroyPipelineLayout(device, test.layout, NULL);
        vkDestroyDescriptorSetLayout(device, test.set_layout, NULL);
        vkDestroyShaderModule(device, test.module, NULL);
    }
    gpu_close(&test.gpu);
}

static VkPipeline create_pipeline(const struct math_function *function, uint32_t part) {
    const uint32_t values[] = {function->number, part};
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo specialization = {2, entries, sizeof values, values};
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                        .module = test.module,
                                                        .pName = "main",
                                                        .pSpecializationInfo = &specialization},
                                              .layout = test.layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    vkCreateComputePipelines(test.gpu.vulkan.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    return pipeline;
}

/* Computes the first `count` results, a multiple of GROUP. */
static bool run(VkPipeline pipeline, uint32_t count) {
    VkCommandBuffer commands = gpu_begin_commands(&test.gpu);
    if (commands == VK_NULL_HANDLE) {
        return false;
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1, &test.set, 0, NULL);
    const uint32_t groups = count / GROUP;
    const uint32_t columns = groups < 4096 ? groups : 4096; /* of the 65,535 that there are at least */
    vkCmdDispatch(commands, columns, groups / columns, 1);
    return gpu_submit_and_wait(&test.gpu);
}

/* ---- the comparison ---- */

/* A thread's share of a chunk. */
struct share {
    const struct math_function *function;
    uint32_t begin, end;
    uint64_t differing;
    uint32_t place; /* of the last that differs */
};

static uint32_t in_c(const struct math_function *function, uint32_t i) {
    return function->unary != NULL ? function->unary(test.buffers[0][i])
                                   : function->binary(test.buffers[0][i], test.buffers[1][i]);
}

static void *compare(void *argument) {
    struct share *share = argument;
    for (uint32_t i = share->begin; i < share->end; i++) {
        if (in_c(share->function, i) != test.buffers[2][i]) {
            share->differing++;
            share->place = i;
        }
    }
    return NULL;
}

static void print_difference(const struct math_function *function, uint32_t i) {
    print_error("%s of %08" PRIx32 " (and %08" PRIx32 ") is %08" PRIx32 " on the GPU, %08" PRIx32 " in C\n",
                function->name, test.buffers[0][i], test.buffers[1][i], test.buffers[2][i], in_c(function, i));
}

static void check_function(void **state) {
    const struct math_function *function = *state;
    VkPipeline pipeline = create_pipeline(function, 0);
    assert_true(pipeline != VK_NULL_HANDLE);
    if (function->unary != NULL) {
        inputs_fill(function, SPACING, FEW, test.buffers[0]);
    } else {
        inputs_fill_pairs(function, 0, FEW, test.buffers[0], test.buffers[1]);
    }
    assert_true(run(pipeline, FEW));
    vkDestroyPipeline(test.gpu.vulkan.device, pipeline, NULL);
    uint32_t failures = 0;
    for (uint32_t i = 0; i < FEW && failures < MAX_REPORT; i++) {
        if (in_c(function, i) != test.buffers[2][i]) {
            print_difference(function, i);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
    assert_int_equal(test.gpu.message_count, 0);
}

/* All arguments of one function; whether all agree. */
static bool check_all(const struct math_function *function, uint32_t threads) {
    VkPipeline pipeline = create_pipeline(function, 0);
    const uint64_t count = function->unary != NULL ? (uint64_t)1 << 32 : ALL_PAIRS;
    uint64_t differing = 0;
    for (uint64_t first = 0; pipeline != VK_NULL_HANDLE && first < count; first += CHUNK) {
        if (function->unary != NULL) {
            for (uint32_t i = 0; i < CHUNK; i++) {
                test.buffers[0][i] = (uint32_t)(first + i);
            }
        } else {
            inputs_fill_pairs(function, first, CHUNK, test.buffers[0], test.buffers[1]);
        }
        if (!run(pipeline, CHUNK)) {
            fprintf(stderr, "%s\n", test.gpu.error);
            return false;
        }
        struct share shares[64];
        pthread_t others[64];
        for (uint32_t t = 0; t < threads; t++) {
            const uint32_t part = CHUNK / threads;
            shares[t] = (struct share){function, t * part, t + 1 == threads ? CHUNK : (t + 1) * part, 0, 0};
            if (t > 0 && pthread_create(&others[t], NULL, compare, &shares[t]) != 0) {
                return false;
            }
        }
        compare(&shares[0]);
        for (uint32_t t = 0; t < threads; t++) {
            if (t > 0) {
                pthread_join(others[t], NULL);
            }
            if (differing == 0 && shares[t].differing != 0) {
                print_difference(function, shares[t].place);
            }
            differing += shares[t].differing;
        }
    }
    vkDestroyPipeline(test.gpu.vulkan.device, pipeline, NULL);
    printf("%-20s %" PRIu64 " of %" PRIu64 " differ\n", function->name, differing, count);
    fflush(stdout);
    return pipeline != VK_NULL_HANDLE && differing == 0;
}

static int run_all(int argc, char **argv) {
    uint32_t threads = 2;
    int i = 2;
    if (i + 1 < argc && strcmp(argv[i], "--threads") == 0) {
        threads = (uint32_t)strtoul(argv[i + 1], NULL, 0);
        threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
        i += 2;
    }
    bool good = open_test();
    for (uint32_t f = 0; good && f < math_function_count; f++) {
        bool is_named = i == argc;
        for (int name = i; name < argc; name++) {
            is_named = is_named || strcmp(argv[name], math_functions[f].name) == 0;
        }
        good = !is_named || check_all(&math_functions[f], threads);
    }
    close_test();
    return good ? 0 : 1;
}

static int open_group(void **state) {
    (void)state;
    return open_test() ? 0 : 1;
}

static int close_group(void **state) {
    (void)state;
    close_test();
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--all") == 0) {
        return run_all(argc, argv);
    }
    struct CMUnitTest *tests = calloc(math_function_count, sizeof *tests);
    if (tests == NULL) {
        return 1;
    }
    for (uint32_t f = 0; f < math_function_count; f++) {
        const struct math_function *function = &math_functions[f];
        tests[f] = (struct CMUnitTest){function->name, check_function, NULL, NULL, (void *)(uintptr_t)function};
    }
    const int failed = _cmocka_run_group_tests("math on the GPU", tests, math_function_count, open_group, close_group);
    free(tests);
    return failed;
}
