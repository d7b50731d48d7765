/* Allocators and copies of tensors on Vulkan devices, by adapters. */
#ifndef VKDML_ORT_MEMORY_H
#define VKDML_ORT_MEMORY_H

#include "adapter.h"

/* The adapter outlives it. NULL: memory is out. */
OrtAllocator *memory_create_allocator(struct adapter *adapter);
void memory_release_allocator(OrtAllocator *allocator);

/* Between tensors of these adapters, and between them and the host's. They outlive it. NULL: memory is out. */
OrtDataTransferImpl *memory_create_transfer(struct adapter *adapters, uint32_t count);

#endif
