/* Makes a 4x4 identity matrix on a Vulkan device and prints it. */
#include <volk.h>

#include <stdio.h>

#include <vkdml/vkdml.h>

/* A host-visible buffer for the matrix. Real programs use memory of the device and copy. */
static int create_buffer(const VkdmlVulkanHandles *vk, VkDeviceSize size, VkBuffer *buffer, VkDeviceMemory *memory) {
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo buffer_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties types;
    if (vkCreateBuffer(vk->device, &buffer_info, NULL, buffer) != VK_SUCCESS) {
        return 0;
    }
    vkGetBufferMemoryRequirements(vk->device, *buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(vk->physicalDevice, &types);
    while (!(needs.memoryTypeBits & 1u << memory_info.memoryTypeIndex) ||
           (types.memoryTypes[memory_info.memoryTypeIndex].propertyFlags & wanted) != wanted) {
        memory_info.memoryTypeIndex++; /* Vulkan promises that there is one */
    }
    memory_info.allocationSize = needs.size;
    return vkAllocateMemory(vk->device, &memory_info, NULL, memory) == VK_SUCCESS &&
           vkBindBufferMemory(vk->device, *buffer, *memory, 0) == VK_SUCCESS;
}

/* Records an operator into a command buffer of its own, submits it and waits. */
static int dispatch(VkdmlDevice device, const VkdmlVulkanHandles *vk, VkdmlDispatchable dispatchable,
                    VkdmlBindingTable table) {
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = vk->queueFamilyIndex};
    const VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    /* vkdml puts no barrier around an operator: making its results visible to the host is the caller's. */
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    int done = 0;
    if (vkCreateCommandPool(vk->device, &pool_info, NULL, &pool) != VK_SUCCESS) {
        return 0;
    }
    const VkCommandBufferAllocateInfo commands_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    if (vkAllocateCommandBuffers(vk->device, &commands_info, &commands) == VK_SUCCESS &&
        vkBeginCommandBuffer(commands, &begin_info) == VK_SUCCESS &&
        vkdmlRecordDispatch(device, commands, dispatchable, table) == VKDML_SUCCESS) {
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host,
                             0, NULL, 0, NULL);
        const VkSubmitInfo submit = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
        done = vkEndCommandBuffer(commands) == VK_SUCCESS &&
               vkQueueSubmit(vk->queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
               vkQueueWaitIdle(vk->queue) == VK_SUCCESS;
    }
    vkDestroyCommandPool(vk->device, pool, NULL);
    return done;
}

int main(void) {
    /* The operator: DirectML's own structs. */
    const uint32_t sizes[] = {4, 4};
    const DML_BUFFER_TENSOR_DESC matrix = {.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                           .DimensionCount = 2,
                                           .Sizes = sizes,
                                           .TotalTensorSizeInBytes = 4 * 4 * sizeof(float)};
    const DML_TENSOR_DESC output = {DML_TENSOR_TYPE_BUFFER, &matrix};
    const DML_DIAGONAL_MATRIX_OPERATOR_DESC diagonal = {.OutputTensor = &output, .Offset = 0, .Value = 1.0f};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_DIAGONAL_MATRIX, &diagonal};

    VkdmlDevice device = NULL;
    VkdmlVulkanHandles vk = {0};
    VkdmlOperator op = NULL;
    VkdmlDispatchable dispatchable = NULL;
    VkdmlBindingTable table = NULL;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void *mapped = NULL;
    int status = 1;

    /* A device of the library's choice, or the one that the environment variable VKDML_DEVICE names. */
    if (vkdmlOpenDevice(NULL, &device) != VKDML_SUCCESS || vkdmlGetVulkanHandles(device, &vk) != VKDML_SUCCESS) {
        goto refused;
    }
    volkInitializeCustom(vk.getInstanceProcAddr);
    volkLoadInstance(vk.instance);
    volkLoadDevice(vk.device);

    /* Validate, compile, bind. */
    if (vkdmlCreateOperator(device, &desc, &op) != VKDML_SUCCESS ||
        vkdmlCompileOperator(op, NULL, &dispatchable) != VKDML_SUCCESS) {
        goto refused;
    }
    if (!create_buffer(&vk, matrix.TotalTensorSizeInBytes, &buffer, &memory)) {
        goto failed;
    }
    const VkdmlBindingTableCreateInfo table_info = {.structSize = sizeof table_info, .dispatchable = dispatchable};
    const VkdmlBufferBinding binding = {buffer, 0, matrix.TotalTensorSizeInBytes};
    if (vkdmlCreateBindingTable(device, &table_info, &table) != VKDML_SUCCESS ||
        vkdmlBindOutputs(table, 1, &binding) != VKDML_SUCCESS) {
        goto refused;
    }

    /* Run and read. */
    if (!dispatch(device, &vk, dispatchable, table) ||
        vkMapMemory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS) {
        goto failed;
    }
    const float *elements = mapped;
    for (int row = 0; row < 4; row++) {
        printf("%g %g %g %g\n", (double)elements[4 * row], (double)elements[4 * row + 1], (double)elements[4 * row + 2],
               (double)elements[4 * row + 3]);
    }
    status = 0;
    goto done;
refused:
    fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
    goto done;
failed:
    fprintf(stderr, "a Vulkan call failed; vkdml's latest message: %s\n", vkdmlGetErrorMessage());
done:
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(dispatchable);
    vkdmlDestroyOperator(op);
    if (vk.device) {
        vkDestroyBuffer(vk.device, buffer, NULL);
        vkFreeMemory(vk.device, memory, NULL);
    }
    vkdmlDestroyDevice(device);
    return status;
}
