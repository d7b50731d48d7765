#include "weight_pages.h"

#include <stdlib.h>

#define MOST_PAGES 1024

uint32_t weight_pages_live;

static struct page {
    VkBuffer buffer;
    VkDeviceMemory memory;
} pages[MOST_PAGES];

static VkResult create_buffer(VkDevice device, uint64_t bytes, struct page *page) {
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = bytes,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    VkResult result = vkCreateBuffer(device, &info, NULL, &page->buffer);
    if (result != VK_SUCCESS) {
        return result;
    }
    vkGetBufferMemoryRequirements(device, page->buffer, &needs);
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    while ((needs.memoryTypeBits >> allocation.memoryTypeIndex & 1) == 0) {
        ++allocation.memoryTypeIndex;
    }
    result = vkAllocateMemory(device, &allocation, NULL, &page->memory);
    return result == VK_SUCCESS ? vkBindBufferMemory(device, page->buffer, page->memory, 0) : result;
}

static void destroy(VkDevice device, struct page *page) {
    vkDestroyBuffer(device, page->buffer, NULL);
    vkFreeMemory(device, page->memory, NULL);
    *page = (struct page){.buffer = VK_NULL_HANDLE};
}

static VkdmlResult allocate_page(void *data, uint64_t bytes, VkdmlBufferBinding *page) {
    const struct gpu *gpu = data;
    uint32_t free = 0;
    while (free < MOST_PAGES && pages[free].buffer != VK_NULL_HANDLE) {
        ++free;
    }
    if (free == MOST_PAGES) {
        return VKDML_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    if (create_buffer(gpu->vulkan.device, bytes, &pages[free]) != VK_SUCCESS) {
        destroy(gpu->vulkan.device, &pages[free]);
        return VKDML_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    *page = (VkdmlBufferBinding){.buffer = pages[free].buffer, .size = bytes};
    ++weight_pages_live;
    return VKDML_SUCCESS;
}

static void free_page(void *data, const VkdmlBufferBinding *page) {
    const struct gpu *gpu = data;
    for (uint32_t p = 0; p < MOST_PAGES; ++p) {
        if (pages[p].buffer == page->buffer) {
            destroy(gpu->vulkan.device, &pages[p]);
            --weight_pages_live;
            return;
        }
    }
    abort(); /* a page that is none */
}

VkdmlWeightStore weight_pages_store(struct gpu *gpu, uint64_t page_bytes) {
    const VkdmlWeightStoreCreateInfo info = {.structSize = sizeof info,
                                             .maxPageBytes = page_bytes,
                                             .allocatePage = allocate_page,
                                             .freePage = free_page,
                                             .userData = gpu};
    VkdmlWeightStore store;
    vkdmlCreateWeightStore(gpu->device, &info, &store);
    return store;
}
