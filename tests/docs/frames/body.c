/* A fragment of C: statements, in a function that has what fragments speak of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#include <vkdml/vkdml.h>

extern VkdmlDevice device;
extern VkdmlOperator op;
extern VkdmlDispatchable compiled;
extern VkdmlBindingTable table;
extern VkCommandBuffer commands;
extern VkCommandBuffer commandBuffer;
extern VkBuffer buffer;
extern DML_OPERATOR_DESC desc;
extern DML_GRAPH_DESC graphDesc;
extern VkdmlAllocatePageCallback allocatePage;
extern VkdmlFreePageCallback freePage;
extern void *userData;
extern const uint64_t *ids;

void fragment(void);
void fragment(void) {
    SNIPPET;
}
