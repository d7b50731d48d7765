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

#endif
