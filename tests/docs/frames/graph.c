/* A fragment of C, as body.c, that speaks of two operators: a product and an activation. */
#include <vulkan/vulkan.h>

#include <vkdml/vkdml.h>

extern VkdmlDevice device;
extern VkdmlOperator product, relu;

void fragment(void);
void fragment(void) {
    SNIPPET;
}
