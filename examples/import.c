/* An application with a Vulkan device of its own hands it to vkdml, and records an operator between its own commands:
 * it fills a buffer, pads it, and reads the result. */
#include <volk.h>

#include <stdio.h>
#include <string.h>

#include <vkdml/vkdml.h>

/* The application: its instance, device, queue, and one command buffer. */
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
};

enum { INPUT_BYTES = 3 * 4, OUTPUT_BYTES = 7 * 4, OUTPUT_OFFSET = 256, BUFFER_BYTES = 512 };

static int create_device(struct application *app) {
    const float priority = 1.0f;
    /* vkdml needs an instance and a device of Vulkan 1.2, a queue that computes, and no feature or extension:
     * vkdmlGetRequirements() says so, and names what it would profit from. */
    const VkApplicationInfo info = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &info};
    VkQueueFamilyProperties families[16];
    uint32_t family_count = 16;
    uint32_t device_count = 1;
    if (volkInitialize() != VK_SUCCESS || vkCreateInstance(&instance, NULL, &app->instance) != VK_SUCCESS) {
        return 0;
    }
    volkLoadInstance(app->instance);
    vkEnumeratePhysicalDevices(app->instance, &device_count, &app->physical_device);
    if (device_count == 0) {
        return 0;
    }
    vkGetPhysicalDeviceQueueFamilyProperties(app->physical_device, &family_count, families);
    while (app->queue_family < family_count && !(families[app->queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
        app->queue_family++;
    }
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = app->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    if (app->queue_family == family_count ||
        vkCreateDevice(app->physical_device, &device, NULL, &app->device) != VK_SUCCESS) {
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

static void destroy(struct application *app) {
    if (app->device) {
        vkDestroyCommandPool(app->device, app->pool, NULL);
        vkDestroyBuffer(app->device, app->buffer, NULL);
        vkFreeMemory(app->device, app->memory, NULL);
        vkDestroyDevice(app->device, NULL);
    }
    if (app->instance) {
        vkDestroyInstance(app->instance, NULL);
    }
}

/* Everything before or after is visible to everything after or before: the application's barriers order its own
 * commands and vkdml's. */
static void barrier(struct application *app) {
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(app->commands, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL, 0,
                         NULL);
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
    const VkdmlBindingTableCreateInfo info = {.dispatchable = dispatchable};
    const VkdmlBufferBinding input = {buffer, 0, INPUT_BYTES};
    const VkdmlBufferBinding output = {buffer, OUTPUT_OFFSET, OUTPUT_BYTES};
    VkdmlResult result = vkdmlCreateBindingTable(device, &info, table);
    if (result == VKDML_SUCCESS) {
        result = vkdmlBindInputs(*table, 1, &input);
    }
    return result == VKDML_SUCCESS ? vkdmlBindOutputs(*table, 1, &output) : result;
}

/* The application's commands with vkdml's between them. */
static int record_and_submit(struct application *app, VkdmlDevice device, VkdmlDispatchable dispatchable,
                             VkdmlBindingTable table) {
    const float elements[] = {1, 2, 3};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (vkBeginCommandBuffer(app->commands, &begin) != VK_SUCCESS) {
        return 0;
    }
    vkCmdUpdateBuffer(app->commands, app->buffer, 0, sizeof(elements), elements);
    barrier(app);
    if (vkdmlRecordDispatch(device, app->commands, dispatchable, table) != VKDML_SUCCESS) {
        return 0;
    }
    barrier(app);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &app->commands};
    return vkEndCommandBuffer(app->commands) == VK_SUCCESS &&
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
    if (!create_device(&app) || !create_buffer(&app) || !create_commands(&app)) {
        fprintf(stderr, "no Vulkan 1.2 device\n");
        goto done;
    }
    const VkdmlDeviceCreateInfo info = {.instance = app.instance,
                                        .physicalDevice = app.physical_device,
                                        .device = app.device,
                                        .queueFamilyIndex = app.queue_family,
                                        .getInstanceProcAddr = vkGetInstanceProcAddr};
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
