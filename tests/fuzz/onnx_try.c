#include "onnx_try.h"

#include <stdlib.h>
#include <string.h>

#include "onnx/file.h"
#include "onnx/judge.h"
#include "onnx/report.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#define GIVEN_BYTES   65536 /* of an input whose elements are given: what session.c lets plans look at */
#define DEVICE_MODELS 20000 /* that a device is for: it keeps their pipelines */

struct onnx_tried onnx_tried;

/* ---- the device ---- */

static VKAPI_ATTR void VKAPI_CALL invented_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                                        VkPhysicalDeviceProperties2 *properties) {
    (void)device;
    memset(&properties->properties, 0, sizeof properties->properties);
    memset(&properties->properties.limits, 0x7F, sizeof properties->properties.limits);
    properties->properties.apiVersion = VK_API_VERSION_1_2;
    properties->properties.limits.maxStorageBufferRange = 0x40000000;
    properties->properties.limits.minUniformBufferOffsetAlignment = 4;
    properties->properties.limits.minStorageBufferOffsetAlignment = 4;
}

static VKAPI_ATTR void VKAPI_CALL
invented_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *properties) {
    (void)device;
    memset(properties, 0, sizeof *properties);
    properties->memoryTypeCount = 1;
    properties->memoryTypes[0].propertyFlags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    properties->memoryHeapCount = 1;
}

static VKAPI_ATTR void VKAPI_CALL invented_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device,
                                                                                  uint32_t *count,
                                                                                  VkQueueFamilyProperties *families) {
    (void)device;
    if (families != NULL) {
        memset(families, 0, sizeof *families);
        families->queueFlags = VK_QUEUE_COMPUTE_BIT;
        families->queueCount = 1;
    }
    *count = 1;
}

#define INVENTED_CREATE(function, handle_type)                                                                         \
    static VKAPI_ATTR VkResult VKAPI_CALL invented_##function(VkDevice device, const Vk##function##Info *info,         \
                                                              const VkAllocationCallbacks *callbacks,                  \
                                                              handle_type *handle) {                                   \
        (void)device;                                                                                                  \
        (void)info;                                                                                                    \
        (void)callbacks;                                                                                               \
        *handle = (handle_type)(uintptr_t)64;                                                                          \
        return VK_SUCCESS;                                                                                             \
    }
#define VkCreateBufferInfo              VkBufferCreateInfo
#define VkCreateDescriptorPoolInfo      VkDescriptorPoolCreateInfo
#define VkCreateDescriptorSetLayoutInfo VkDescriptorSetLayoutCreateInfo
#define VkCreatePipelineCacheInfo       VkPipelineCacheCreateInfo
#define VkCreatePipelineLayoutInfo      VkPipelineLayoutCreateInfo
#define VkCreateShaderModuleInfo        VkShaderModuleCreateInfo
INVENTED_CREATE(CreateBuffer, VkBuffer)
INVENTED_CREATE(CreateDescriptorPool, VkDescriptorPool)
INVENTED_CREATE(CreateDescriptorSetLayout, VkDescriptorSetLayout)
INVENTED_CREATE(CreatePipelineCache, VkPipelineCache)
INVENTED_CREATE(CreatePipelineLayout, VkPipelineLayout)
INVENTED_CREATE(CreateShaderModule, VkShaderModule)

#define INVENTED_DESTROY(function, handle_type)                                                                        \
    static VKAPI_ATTR void VKAPI_CALL invented_##function(VkDevice device, handle_type handle,                         \
                                                          const VkAllocationCallbacks *callbacks) {                    \
        (void)device;                                                                                                  \
        (void)handle;                                                                                                  \
        (void)callbacks;                                                                                               \
    }
INVENTED_DESTROY(DestroyBuffer, VkBuffer)
INVENTED_DESTROY(DestroyDescriptorPool, VkDescriptorPool)
INVENTED_DESTROY(DestroyDescriptorSetLayout, VkDescriptorSetLayout)
INVENTED_DESTROY(DestroyPipeline, VkPipeline)
INVENTED_DESTROY(DestroyPipelineCache, VkPipelineCache)
INVENTED_DESTROY(DestroyPipelineLayout, VkPipelineLayout)
INVENTED_DESTROY(DestroyShaderModule, VkShaderModule)

static VKAPI_ATTR VkResult VKAPI_CALL invented_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                                      uint32_t count,
                                                                      const VkComputePipelineCreateInfo *infos,
                                                                      const VkAllocationCallbacks *callbacks,
                                                                      VkPipeline *pipelines) {
    (void)device;
    (void)cache;
    (void)infos;
    (void)callbacks;
    for (uint32_t i = 0; i < count; i++) {
        pipelines[i] = (VkPipeline)(uintptr_t)64;
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL invented_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                                       VkMemoryRequirements *requirements) {
    (void)device;
    (void)buffer;
    *requirements = (VkMemoryRequirements){.size = 1 << 20, .alignment = 16, .memoryTypeBits = 1};
}

static VKAPI_ATTR VkResult VKAPI_CALL invented_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                              const VkAllocationCallbacks *callbacks,
                                                              VkDeviceMemory *memory) {
    (void)device;
    (void)callbacks;
    void *bytes = calloc(1, info->allocationSize);
    *memory = (VkDeviceMemory)(uintptr_t)bytes;
    return bytes == NULL ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL invented_FreeMemory(VkDevice device, VkDeviceMemory memory,
                                                      const VkAllocationCallbacks *callbacks) {
    (void)device;
    (void)callbacks;
    free((void *)(uintptr_t)memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL invented_MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                         VkDeviceSize size, VkMemoryMapFlags flags, void **data) {
    (void)device;
    (void)size;
    (void)flags;
    *data = (char *)(uintptr_t)memory + offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL invented_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                                VkDeviceSize offset) {
    (void)device;
    (void)buffer;
    (void)memory;
    (void)offset;
    return VK_SUCCESS;
}

/* What compiling does not call: recording, and what tables of bindings have. */
static VKAPI_ATTR void VKAPI_CALL uncalled(void) {
    abort();
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice device, const char *name);

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char *name) {
    (void)instance;
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device},
#define INVENTED(name) {"vk" #name, (PFN_vkVoidFunction)invented_##name},
        INVENTED(GetPhysicalDeviceProperties2) INVENTED(GetPhysicalDeviceMemoryProperties)
            INVENTED(GetPhysicalDeviceQueueFamilyProperties) INVENTED(CreateBuffer) INVENTED(CreateDescriptorPool)
                INVENTED(CreateDescriptorSetLayout) INVENTED(CreatePipelineCache) INVENTED(CreatePipelineLayout)
                    INVENTED(CreateShaderModule) INVENTED(CreateComputePipelines) INVENTED(DestroyBuffer)
                        INVENTED(DestroyDescriptorPool) INVENTED(DestroyDescriptorSetLayout) INVENTED(DestroyPipeline)
                            INVENTED(DestroyPipelineCache) INVENTED(DestroyPipelineLayout) INVENTED(DestroyShaderModule)
                                INVENTED(GetBufferMemoryRequirements) INVENTED(AllocateMemory) INVENTED(FreeMemory)
                                    INVENTED(MapMemory) INVENTED(BindBufferMemory)};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return functions[i].function;
        }
    }
    return strstr(name, "EXT") != NULL ? NULL : (PFN_vkVoidFunction)uncalled;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice device, const char *name) {
    (void)device;
    return get(VK_NULL_HANDLE, name);
}

static VkdmlDevice device;
static unsigned device_age;

VkdmlDevice onnx_try_device(void) {
    const VkdmlDeviceCreateInfo info = {.structSize = sizeof info,
                                        .headerVersion = VKDML_HEADER_VERSION,
                                        .instance = (VkInstance)(uintptr_t)64,
                                        .physicalDevice = (VkPhysicalDevice)(uintptr_t)64,
                                        .device = (VkDevice)(uintptr_t)64,
                                        .getInstanceProcAddr = get};
    REQUIRE(device != NULL || vkdmlCreateDevice(&info, &device) == VKDML_SUCCESS);
    return device;
}

void onnx_try_end(void) {
    vkdmlDestroyDevice(device);
    device = NULL;
    device_age = 0;
}

/* ---- inputs ---- */

struct onnx_plan_input *onnx_try_inputs(const struct onnx_graph *graph, uint32_t open, const void *elements) {
    struct onnx_plan_input *inputs = calloc((size_t)graph->input_count + 1, sizeof *inputs);
    REQUIRE(inputs != NULL);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        inputs[i].type = value->type == ONNX_UNDEFINED ? ONNX_FLOAT : value->type;
        inputs[i].rank = value->has_shape ? value->rank : open;
        for (uint32_t d = 0; d < inputs[i].rank; d++) {
            const int64_t size = value->has_shape ? value->sizes[d] : -1;
            inputs[i].sizes[d] = size >= 0 && size <= UINT32_MAX ? (uint32_t)size : open;
        }
        const size_t bytes = onnx_bytes_of(inputs[i].type, onnx_elements(inputs[i].rank, inputs[i].sizes));
        if (bytes == SIZE_MAX || bytes == 0 || !onnx_is_countable(inputs[i].rank, inputs[i].sizes)) {
            /* What api.c and ONNX Runtime do not let through. */
            inputs[i].rank = 1;
            inputs[i].type = bytes == 0 && onnx_bytes_of(inputs[i].type, 2) == 0 ? ONNX_FLOAT : inputs[i].type;
            inputs[i].sizes[0] = open;
        }
        inputs[i].data = onnx_bytes_of(inputs[i].type, onnx_elements(inputs[i].rank, inputs[i].sizes)) <= GIVEN_BYTES
                             ? elements
                             : NULL;
    }
    return inputs;
}

/* ---- what becomes of a model ---- */

static void tell(void *data, const struct onnx_node_report *report) {
    (void)data;
    REQUIRE(report->node != NULL && report->reason != NULL);
    REQUIRE((report->outcome == ONNX_REFUSED) <= (report->reason[0] != 0));
}

static void try_plan(const struct onnx_model *model, const struct onnx_plan_input *inputs) {
    struct onnx_error error = {0};
    struct onnx_plan *plan;
    struct onnx_plan_graph *graph;
    const uint32_t count = model->graph.input_count;
    REQUIRE(onnx_report(model, &model->graph, count, inputs, tell, NULL, &error) || error.text[0] != 0);
    error.text[0] = 0;
    if (!onnx_plan_create(model, &model->graph, count, inputs, NULL, &plan, &error)) {
        REQUIRE(plan == NULL && error.text[0] != 0);
        return;
    }
    onnx_tried.planned++;
    if (onnx_plan_node_count(plan) != 0) {
        if (++device_age > DEVICE_MODELS) {
            onnx_try_end();
        }
        const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED};
        VkdmlDispatchable compiled = NULL;
        if (onnx_plan_graph_create(plan, onnx_try_device(), &graph, &error)) {
            if (vkdmlCompileGraph(onnx_try_device(), onnx_plan_graph_desc(graph), &info, &compiled) == VKDML_SUCCESS) {
                onnx_tried.compiled++;
            } else {
                REQUIRE(vkdmlGetErrorMessage()[0] != 0);
            }
            onnx_plan_graph_free(graph);
        } else {
            REQUIRE(error.text[0] != 0);
        }
        vkdmlDestroyDispatchable(compiled);
    }
    onnx_plan_free(plan);
}

void onnx_try(const unsigned char *bytes, size_t length, const char *folder) {
    struct onnx_model model;
    struct onnx_error error;
    struct onnx_arena arena = {NULL};
    if (!onnx_read_model(bytes, length, folder, &model, &error)) {
        REQUIRE(error.text[0] != 0 && model.arena.first == NULL);
        return;
    }
    onnx_tried.read++;
    const struct onnx_verdict *verdicts = onnx_judge(&model, &model.graph, &arena);
    for (uint32_t n = 0; verdicts != NULL && n < model.graph.node_count; n++) {
        REQUIRE(verdicts[n].is_translated || (verdicts[n].reason != NULL && verdicts[n].reason[0] != 0));
    }
    onnx_tried.judged += verdicts != NULL;
    onnx_arena_free(&arena);
    int64_t *elements = malloc(GIVEN_BYTES);
    REQUIRE(elements != NULL);
    for (size_t i = 0; i < GIVEN_BYTES / sizeof *elements; i++) {
        elements[i] = (int64_t)(i % 3 + 1);
    }
    struct onnx_plan_input *inputs = onnx_try_inputs(&model.graph, 2, elements);
    try_plan(&model, inputs);
    free(inputs);
    memset(elements, 0, GIVEN_BYTES);
    inputs = onnx_try_inputs(&model.graph, length % 2 == 0 ? 0 : 5, elements);
    try_plan(&model, inputs);
    free(inputs);
    free(elements);
    onnx_arena_free(&model.arena);
}
