/* Pages of a weight store on the device under test: a buffer with memory of its own each. */
#ifndef GRAPH_WEIGHT_PAGES_H
#define GRAPH_WEIGHT_PAGES_H

#include "cases/gpu.h"

/* A store with such pages of up to `page_bytes` bytes; NULL with vkdmlGetErrorMessage(). */
VkdmlWeightStore weight_pages_store(struct gpu *gpu, uint64_t page_bytes);

/* Pages that were allocated and not freed. */
extern uint32_t weight_pages_live;

#endif
