/* An application with Vulkan of its own shares it with vkdml. It asks vkdml what it needs, makes instance and device
 * accordingly, and records one command buffer: it fills a buffer, vkdml pads what is in there, and a shader of the
 * application's squares the result, which is then read. */
#include <volk.h>

#include <stdio.h>
#include <string.h>

#include <vkdml/vkdml.h>

#include "own_shader.h"

/* The application: its instance, device, queue, one command buffer, and its shader. */
struct application {
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t queue_family;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkBuffer buffer; /* input at byte 0, output at OUTPUT_OFFSET */
    VkDeviceMemory memory;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

enum { INPUT_BYTES = 3 * 4, OUTPUT_BYTES = 7 * 4, OUTPUT_OFFSET = 256, BUFFER_BYTES = 512 };

/* The first queue family that can do what is wanted; VK_QUEUE_FAMILY_IGNORED where none can. */
static uint32_t find_queue_family(VkPhysicalDevice device, VkQueueFlags wanted) {
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if ((families[i].queueFlags & wanted) == wanted) {
            return i;
        }
    }
    return VK_QUEUE_FAMILY_IGNORED;
}

static int choose_physical_device(struct application *app, const VkdmlRequirements *vkdml) {
    VkPhysicalDevice devices[8];
    uint32_t count = 8;
    if (vkEnumeratePhysicalDevices(app->instance, &count, devices) < 0) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        app->physical_device = devices[i];
        app->queue_family = find_queue_family(devices[i], vkdml->queueFlags);
        if (properties.apiVersion >= vkdml->apiVersion && app->queue_family != VK_QUEUE_FAMILY_IGNORED) {
            return 1;
        }
    }
    return 0;
}

/* An application adds its own needs to vkdml's: the higher version, both queue flags, both lists of extensions. */
static int create_device(struct application *app, const VkdmlRequirements *vkdml) {
    const float priority = 1.0f;
    const VkApplicationInfo info = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = vkdml->apiVersion};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &info};
    if (volkInitialize() != VK_SUCCESS || vkCreateInstance(&instance, NULL, &app->instance) != VK_SUCCESS) {
        return 0;
    }
    volkLoadInstance(app->instance);
    if (!choose_physical_device(app, vkdml)) {
        return 0;
    }
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = app->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount = vkdml->requiredExtensionCount,
                                       .ppEnabledExtensionNames = vkdml->requiredExtensions};
    if (vkCreateDevice(app->physical_device, &device, NULL, &app->device) != VK_SUCCESS) {
        return 0;
    }
    volkLoadDevice(app->device);
    vkGetDeviceQueue(app->device, app->queue_family, 0, &app->queue);
    return 1;
}

static int create_buffer(struct application *app) {
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = BUFFER_BYTES,
                                       .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties types;
    if (vkCreateBuffer(app->device, &buffer, NULL, &app->buffer) != VK_SUCCESS) {
        return 0;
    }
    vkGetBufferMemoryRequirements(app->device, app->buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(app->physical_device, &types);
    while (!(needs.memoryTypeBits & 1u << memory.memoryTypeIndex) ||
           (types.memoryTypes[memory.memoryTypeIndex].propertyFlags & wanted) != wanted) {
        memory.memoryTypeIndex++; /* Vulkan promises that there is one */
    }
    memory.allocationSize = needs.size;
    return vkAllocateMemory(app->device, &memory, NULL, &app->memory) == VK_SUCCESS &&
           vkBindBufferMemory(app->device, app->buffer, app->memory, 0) == VK_SUCCESS;
}

static int create_commands(struct application *app) {
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = app->queue_family};
    if (vkCreateCommandPool(app->device, &pool, NULL, &app->pool) != VK_SUCCESS) {
        return 0;
    }
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = app->pool, .commandBufferCount = 1};
    return vkAllocateCommandBuffers(app->device, &commands, &app->commands) == VK_SUCCESS;
}

/* A descriptor of vkdml's output, for the shader. */
static int create_set(struct application *app) {
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    const VkDescriptorBufferInfo elements = {app->buffer, OUTPUT_OFFSET, OUTPUT_BYTES};
    if (vkCreateDescriptorSetLayout(app->device, &layout, NULL, &app->set_layout) != VK_SUCCESS ||
        vkCreateDescriptorPool(app->device, &pool, NULL, &app->set_pool) != VK_SUCCESS) {
        return 0;
    }
    const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = app->set_pool,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &app->set_layout};
    if (vkAllocateDescriptorSets(app->device, &set, &app->set) != VK_SUCCESS) {
        return 0;
    }
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = app->set,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &elements};
    vkUpdateDescriptorSets(app->device, 1, &write, 0, NULL);
    return 1;
}

static int create_shader(struct application *app) {
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &app->set_layout};
    const VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(own_shader), .pCode = own_shader};
    VkShaderModule module;
    if (vkCreatePipelineLayout(app->device, &layout, NULL, &app->layout) != VK_SUCCESS ||
        vkCreateShaderModule(app->device, &code, NULL, &module) != VK_SUCCESS) {
        return 0;
    }
    const VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = app->layout};
    const VkResult result = vkCreateComputePipelines(app->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &app->pipeline);
    vkDestroyShaderModule(app->device, module, NULL);
    return result == VK_SUCCESS;
}

static void destroy(struct application *app) {
    if (app->device) {
        vkDestroyPipeline(app->device, app->pipeline, NULL);
        vkDestroyPipelineLayout(app->device, app->layout, NULL);
        vkDestroyDescriptorPool(app->device, app->set_pool, NULL);
        vkDestroyDescriptorSetLayout(app->device, app->set_layout, NULL);
        vkDestroyCommandPool(app->device, app->pool, NULL);
        vkDestroyBuffer(app->device, app->buffer, NULL);
        vkFreeMemory(app->device, app->memory, NULL);
        vkDestroyDevice(app->device, NULL);
    }
    if (app->instance) {
        vkDestroyInstance(app->instance, NULL);
    }
}

/* [1, 2, 3], two elements wider on both sides, mirrored. */
static VkdmlResult create_padding(VkdmlDevice device, VkdmlDispatchable *dispatchable) {
    const uint32_t input_size = 3;
    const uint32_t output_size = 7;
    const uint32_t padding = 2;
    const DML_BUFFER_TENSOR_DESC input = {.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                          .DimensionCount = 1,
                                          .Sizes = &input_size,
                                          .TotalTensorSizeInBytes = INPUT_BYTES};
    const DML_BUFFER_TENSOR_DESC output = {.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                           .DimensionCount = 1,
                                           .Sizes = &output_size,
                                           .TotalTensorSizeInBytes = OUTPUT_BYTES};
    const DML_TENSOR_DESC input_tensor = {DML_TENSOR_TYPE_BUFFER, &input};
    const DML_TENSOR_DESC output_tensor = {DML_TENSOR_TYPE_BUFFER, &output};
    const DML_PADDING_OPERATOR_DESC pad = {.InputTensor = &input_tensor,
                                           .OutputTensor = &output_tensor,
                                           .PaddingMode = DML_PADDING_MODE_REFLECTION,
                                           .DimensionCount = 1,
                                           .StartPadding = &padding,
                                           .EndPadding = &padding};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_PADDING, &pad};
    VkdmlOperator op = NULL;
    VkdmlResult result = vkdmlCreateOperator(device, &desc, &op);
    if (result == VKDML_SUCCESS) {
        result = vkdmlCompileOperator(op, NULL, dispatchable);
    }
    vkdmlDestroyOperator(op); /* what was compiled lives on */
    return result;
}

static VkdmlResult bind(VkdmlDevice device, VkdmlDispatchable dispatchable, VkBuffer buffer, VkdmlBindingTable *table) {
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = dispatchable};
    const VkdmlBufferBinding input = {buffer, 0, INPUT_BYTES};
    const VkdmlBufferBinding output = {buffer, OUTPUT_OFFSET, OUTPUT_BYTES};
    VkdmlResult result = vkdmlCreateBindingTable(device, &info, table);
    if (result == VKDML_SUCCESS) {
        result = vkdmlBindInputs(*table, 1, &input);
    }
    return result == VKDML_SUCCESS ? vkdmlBindOutputs(*table, 1, &output) : result;
}

/* What `from` wrote becomes visible to `to`. */
static void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                    VkAccessFlags wanted) {
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = wanted};
    vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

/* One command buffer, the application's commands before and after vkdml's. vkdml reads and writes tensors in compute
 * shaders, and puts no barrier around an operator: all three here are the application's business. */
static VkdmlResult record(const struct application *app, VkdmlDevice device, VkdmlDispatchable dispatchable,
                          VkdmlBindingTable table) {
    const VkPipelineStageFlags shader = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkAccessFlags read_and_write = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    const float elements[] = {1, 2, 3};
    vkCmdUpdateBuffer(app->commands, app->buffer, 0, sizeof(elements), elements);
    barrier(app->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, shader, read_and_write);

    const VkdmlResult result = vkdmlRecordDispatch(device, app->commands, dispatchable, table);
    barrier(app->commands, shader, VK_ACCESS_SHADER_WRITE_BIT, shader, read_and_write);

    /* vkdml left a pipeline and a descriptor set of its own bound: bind everything again. */
    vkCmdBindPipeline(app->commands, VK_PIPELINE_BIND_POINT_COMPUTE, app->pipeline);
    vkCmdBindDescriptorSets(app->commands, VK_PIPELINE_BIND_POINT_COMPUTE, app->layout, 0, 1, &app->set, 0, NULL);
    vkCmdDispatch(app->commands, 1, 1, 1);
    barrier(app->commands, shader, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    return result;
}

static int record_and_submit(const struct application *app, VkdmlDevice device, VkdmlDispatchable dispatchable,
                             VkdmlBindingTable table) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &app->commands};
    return vkBeginCommandBuffer(app->commands, &begin) == VK_SUCCESS &&
           record(app, device, dispatchable, table) == VKDML_SUCCESS &&
           vkEndCommandBuffer(app->commands) == VK_SUCCESS &&
           vkQueueSubmit(app->queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
           vkQueueWaitIdle(app->queue) == VK_SUCCESS;
}

int main(void) {
    struct application app = {0};
    VkdmlDevice device = NULL;
    VkdmlDispatchable dispatchable = NULL;
    VkdmlBindingTable table = NULL;
    void *mapped = NULL;
    float result[OUTPUT_BYTES / 4];
    int status = 1;
    VkdmlRequirements requirements;
    /* Before there is any Vulkan. Features come as names, for a person to enable; there are none. */
    if (vkdmlGetRequirements(&requirements) != VKDML_SUCCESS || requirements.requiredFeatureCount != 0) {
        fprintf(stderr, "this vkdml needs features that the example does not enable\n");
        return 1;
    }
    if (!create_device(&app, &requirements) || !create_buffer(&app) || !create_commands(&app) || !create_set(&app) ||
        !create_shader(&app)) {
        fprintf(stderr, "no Vulkan device that vkdml can use\n");
        goto done;
    }
    const VkdmlDeviceCreateInfo info = {.structSize = sizeof info,
                                        .headerVersion = VKDML_HEADER_VERSION,
                                        .instance = app.instance,
                                        .physicalDevice = app.physical_device,
                                        .device = app.device,
                                        .queueFamilyIndex = app.queue_family,
                                        .getInstanceProcAddr = vkGetInstanceProcAddr,
                                        .enabledExtensionCount = requirements.requiredExtensionCount,
                                        .enabledExtensions = requirements.requiredExtensions};
    if (vkdmlCreateDevice(&info, &device) != VKDML_SUCCESS || create_padding(device, &dispatchable) != VKDML_SUCCESS ||
        bind(device, dispatchable, app.buffer, &table) != VKDML_SUCCESS ||
        !record_and_submit(&app, device, dispatchable, table)) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
        goto done;
    }
    if (vkMapMemory(app.device, app.memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS) {
        goto done;
    }
    memcpy(result, (const char *)mapped + OUTPUT_OFFSET, sizeof(result));
    for (int i = 0; i < OUTPUT_BYTES / 4; i++) {
        printf("%g%s", (double)result[i], i + 1 < OUTPUT_BYTES / 4 ? ", " : "\n");
    }
    status = 0;
done:
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(dispatchable);
    vkdmlDestroyDevice(device);
    destroy(&app);
    return status;
}
