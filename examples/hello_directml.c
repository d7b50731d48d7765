/* HelloDirectML with vkdml: a tensor of 1x2x3x4 floats goes through an element-wise identity. docs/DIRECTML.md has the
 * same program for DirectML beside it. */
#include <volk.h>

#include <stdio.h>

#include <vkdml/vkdml.h>

enum { ELEMENTS = 1 * 2 * 3 * 4, TENSOR_BYTES = ELEMENTS * 4, OUTPUT_OFFSET = 256, BUFFER_BYTES = 512 };

/* One buffer that the host sees holds both tensors. On a GPU of its own memory they would be uploaded and read back. */
static VkResult create_buffer(const VkdmlVulkanHandles *vk, VkBuffer *buffer, VkDeviceMemory *memory) {
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = BUFFER_BYTES,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties types;
    VkResult result = vkCreateBuffer(vk->device, &info, NULL, buffer);
    if (result != VK_SUCCESS) {
        return result;
    }
    vkGetBufferMemoryRequirements(vk->device, *buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(vk->physicalDevice, &types);
    while (!(needs.memoryTypeBits & 1u << allocation.memoryTypeIndex) ||
           (types.memoryTypes[allocation.memoryTypeIndex].propertyFlags & wanted) != wanted) {
        allocation.memoryTypeIndex++; /* Vulkan promises that there is one */
    }
    allocation.allocationSize = needs.size;
    result = vkAllocateMemory(vk->device, &allocation, NULL, memory);
    return result == VK_SUCCESS ? vkBindBufferMemory(vk->device, *buffer, *memory, 0) : result;
}

/* Records the dispatch, submits it and waits. What the host wrote before the submission is visible to it; what it
 * writes is made visible to the host by the barrier. */
static int execute(VkdmlDevice device, const VkdmlVulkanHandles *vk, VkCommandPool pool, VkdmlDispatchable dispatchable,
                   VkdmlBindingTable table) {
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    if (vkAllocateCommandBuffers(vk->device, &info, &commands) != VK_SUCCESS ||
        vkBeginCommandBuffer(commands, &begin) != VK_SUCCESS ||
        vkdmlRecordDispatch(device, commands, dispatchable, table) != VKDML_SUCCESS) {
        return 0;
    }
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    return vkEndCommandBuffer(commands) == VK_SUCCESS &&
           vkQueueSubmit(vk->queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
           vkQueueWaitIdle(vk->queue) == VK_SUCCESS;
}

static void print(const char *what, const float *elements) {
    printf("%s tensor:", what);
    for (int i = 0; i < ELEMENTS; i++) {
        printf(" %g", (double)elements[i]);
    }
    printf("\n");
}

int main(void) {
    /* ---- the descriptor ---- */
    const UINT sizes[4] = {1, 2, 3, 4};
    const DML_BUFFER_TENSOR_DESC buffer_desc = {
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, TENSOR_BYTES, 0};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer_desc};
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity = {&tensor, &tensor, NULL};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_IDENTITY, &identity};
    /* ---- */

    VkdmlDevice device = NULL;
    VkdmlVulkanHandles vk = {0};
    VkdmlOperator op = NULL;
    VkdmlDispatchable compiled = NULL;
    VkdmlBindingTable table = NULL;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    void *mapped = NULL;
    int status = 1;

    /* The device, with its Vulkan. */
    if (vkdmlOpenDevice(NULL, &device) != VKDML_SUCCESS || vkdmlGetVulkanHandles(device, &vk) != VKDML_SUCCESS) {
        goto done;
    }
    volkInitializeCustom(vk.getInstanceProcAddr);
    volkLoadInstance(vk.instance);
    volkLoadDevice(vk.device);

    /* The operator. This one has neither a temporary nor a persistent resource, and so nothing to initialize. */
    if (vkdmlCreateOperator(device, &desc, &op) != VKDML_SUCCESS ||
        vkdmlCompileOperator(op, NULL, &compiled) != VKDML_SUCCESS) {
        goto done;
    }

    /* The tensors. */
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = vk.queueFamilyIndex};
    if (create_buffer(&vk, &buffer, &memory) != VK_SUCCESS ||
        vkMapMemory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS ||
        vkCreateCommandPool(vk.device, &pool_info, NULL, &pool) != VK_SUCCESS) {
        goto done;
    }
    float *input = mapped;
    const float *output = input + OUTPUT_OFFSET / sizeof(float);
    for (int i = 0; i < ELEMENTS; i++) {
        input[i] = 1.618f;
    }
    print("input", input);

    /* The bindings. */
    const VkdmlBindingTableCreateInfo table_info = {.structSize = sizeof table_info, .dispatchable = compiled};
    const VkdmlBufferBinding input_binding = {buffer, 0, TENSOR_BYTES};
    const VkdmlBufferBinding output_binding = {buffer, OUTPUT_OFFSET, TENSOR_BYTES};
    if (vkdmlCreateBindingTable(device, &table_info, &table) != VKDML_SUCCESS ||
        vkdmlBindInputs(table, 1, &input_binding) != VKDML_SUCCESS ||
        vkdmlBindOutputs(table, 1, &output_binding) != VKDML_SUCCESS) {
        goto done;
    }

    if (!execute(device, &vk, pool, compiled, table)) {
        goto done;
    }
    print("output", output);
    status = 0;
done:
    if (status) {
        fprintf(stderr, "failed; vkdml's latest message: %s\n", vkdmlGetErrorMessage());
    }
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyOperator(op);
    if (vk.device) {
        vkDestroyCommandPool(vk.device, pool, NULL);
        vkDestroyBuffer(vk.device, buffer, NULL);
        vkFreeMemory(vk.device, memory, NULL);
    }
    vkdmlDestroyDevice(device);
    return status;
}
