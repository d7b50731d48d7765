/* Adds two tensors on a Vulkan device. With VK_NO_PROTOTYPES Vulkan is reached through a volk of the program's own,
 * without it through the loader that the program is linked to. */
#ifdef VK_NO_PROTOTYPES
#define VOLK_IMPLEMENTATION
#include <volk.h>
#else
#include <vulkan/vulkan.h>
#endif

#include <stdio.h>
#include <string.h>

#include <vkdml/vkdml.h>

/* Each tensor's place in the one buffer. */
enum { TENSOR_BYTES = 16, A_OFFSET = 0, B_OFFSET = 256, SUM_OFFSET = 512, BUFFER_BYTES = 768 };

struct program {
    VkdmlDevice device;
    VkdmlVulkanHandles vk;
    VkdmlOperator op;
    VkdmlDispatchable compiled;
    VkdmlBindingTable table;
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *mapped;
    VkCommandPool pool;
};

static int open_device(struct program *p) {
    const VkdmlDeviceOpenInfo info = {.structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION};
    if (vkdmlOpenDevice(&info, &p->device) != VKDML_SUCCESS ||
        vkdmlGetVulkanHandles(p->device, &p->vk) != VKDML_SUCCESS) {
        return 0;
    }
#ifdef VK_NO_PROTOTYPES
    volkInitializeCustom(p->vk.getInstanceProcAddr);
    volkLoadInstance(p->vk.instance);
    volkLoadDevice(p->vk.device);
#endif
    return 1;
}

static int create_operator(struct program *p) {
    const uint32_t sizes[] = {4};
    const DML_BUFFER_TENSOR_DESC buffer = {.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                           .DimensionCount = 1,
                                           .Sizes = sizes,
                                           .TotalTensorSizeInBytes = TENSOR_BYTES};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = {&tensor, &tensor, &tensor};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_ADD, &add};
    return vkdmlCreateOperator(p->device, &desc, &p->op) == VKDML_SUCCESS &&
           vkdmlCompileOperator(p->op, NULL, &p->compiled) == VKDML_SUCCESS;
}

static int create_buffer(struct program *p) {
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                            .size = BUFFER_BYTES,
                                            .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties types;
    if (vkCreateBuffer(p->vk.device, &buffer_info, NULL, &p->buffer) != VK_SUCCESS) {
        return 0;
    }
    vkGetBufferMemoryRequirements(p->vk.device, p->buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(p->vk.physicalDevice, &types);
    while (!(needs.memoryTypeBits & 1u << memory_info.memoryTypeIndex) ||
           (types.memoryTypes[memory_info.memoryTypeIndex].propertyFlags & wanted) != wanted) {
        memory_info.memoryTypeIndex++; /* Vulkan promises that there is one */
    }
    memory_info.allocationSize = needs.size;
    return vkAllocateMemory(p->vk.device, &memory_info, NULL, &p->memory) == VK_SUCCESS &&
           vkBindBufferMemory(p->vk.device, p->buffer, p->memory, 0) == VK_SUCCESS &&
           vkMapMemory(p->vk.device, p->memory, 0, VK_WHOLE_SIZE, 0, &p->mapped) == VK_SUCCESS;
}

static int bind(struct program *p) {
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = p->compiled};
    const VkdmlBufferBinding inputs[] = {{p->buffer, A_OFFSET, TENSOR_BYTES}, {p->buffer, B_OFFSET, TENSOR_BYTES}};
    const VkdmlBufferBinding output = {p->buffer, SUM_OFFSET, TENSOR_BYTES};
    return vkdmlCreateBindingTable(p->device, &info, &p->table) == VKDML_SUCCESS &&
           vkdmlBindInputs(p->table, 2, inputs) == VKDML_SUCCESS &&
           vkdmlBindOutputs(p->table, 1, &output) == VKDML_SUCCESS;
}

static int run(struct program *p) {
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = p->vk.queueFamilyIndex};
    const VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    if (vkCreateCommandPool(p->vk.device, &pool_info, NULL, &p->pool) != VK_SUCCESS) {
        return 0;
    }
    const VkCommandBufferAllocateInfo commands_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = p->pool, .commandBufferCount = 1};
    if (vkAllocateCommandBuffers(p->vk.device, &commands_info, &commands) != VK_SUCCESS ||
        vkBeginCommandBuffer(commands, &begin_info) != VK_SUCCESS ||
        vkdmlRecordDispatch(p->device, commands, p->compiled, p->table) != VKDML_SUCCESS) {
        return 0;
    }
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                         NULL, 0, NULL);
    return vkEndCommandBuffer(commands) == VK_SUCCESS &&
           vkQueueSubmit(p->vk.queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
           vkQueueWaitIdle(p->vk.queue) == VK_SUCCESS;
}

static void destroy(struct program *p) {
    vkdmlDestroyBindingTable(p->table);
    vkdmlDestroyDispatchable(p->compiled);
    vkdmlDestroyOperator(p->op);
    if (p->vk.device) {
        vkDestroyCommandPool(p->vk.device, p->pool, NULL);
        vkDestroyBuffer(p->vk.device, p->buffer, NULL);
        vkFreeMemory(p->vk.device, p->memory, NULL);
    }
    vkdmlDestroyDevice(p->device);
}

int main(void) {
    const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    struct program p = {0};
    float sum[4];
    int done = open_device(&p) && create_operator(&p) && create_buffer(&p) && bind(&p);
    if (done) {
        memcpy((char *)p.mapped + A_OFFSET, a, sizeof a);
        memcpy((char *)p.mapped + B_OFFSET, b, sizeof b);
        done = run(&p);
    }
    if (done) {
        memcpy(sum, (char *)p.mapped + SUM_OFFSET, sizeof sum);
        printf("%g %g %g %g\n", (double)sum[0], (double)sum[1], (double)sum[2], (double)sum[3]);
    } else {
        fprintf(stderr, "failed; vkdml's latest message: %s\n", vkdmlGetErrorMessage());
    }
    destroy(&p);
    return done ? 0 : 1;
}
