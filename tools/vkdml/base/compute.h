/* Pipelines of the command's own shaders. */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <volk.h>

/* A module, and a pipeline of its main(). What was made stays the caller's, on failure too. */
bool compute_create(VkDevice device, const uint32_t *words, size_t bytes, VkPipelineLayout layout,
                    VkShaderModule *module, VkPipeline *pipeline);

/* A pipeline and its descriptor set, of two storage buffers. */
struct compute {
    VkShaderModule module;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
};

/* first: what buffer 0 is bound as; constant_bytes: of push constants, which may be none. What was made is destroyed by
 * compute_destroy(), on failure too: `compute` is all zero before. */
bool compute_create_with_set(VkDevice device, const uint32_t *words, size_t bytes, VkDescriptorType first,
                             uint32_t constant_bytes, struct compute *compute);
void compute_destroy(VkDevice device, const struct compute *compute);

#endif
