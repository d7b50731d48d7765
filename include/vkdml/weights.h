/**
 * @file weights.h
 * @brief Weight stores: constant inputs of graphs, packed once, for all compiled graphs that read them.
 *
 * DirectML gives each compiled graph a persistent resource of its own, so a model that is compiled for ten input shapes
 * holds ten copies of its weights. A weight store holds one. A graph that is compiled with a store
 * (VkdmlCompileInfo::weightStore) has no persistent resource; it refers to regions of the store. A region is identified
 * by the weights it is made from (VkdmlCompileInfo::weightIds) and by the steps that make it: copying, packing,
 * dequantizing, and whatever nodes depend on constants only. Two graphs that pack a weight alike share its region, and
 * only regions that do not exist yet need initialization.
 *
 * You own the memory. The store asks for it page by page, through VkdmlWeightStoreCreateInfo::allocatePage, while a
 * graph is compiled.
 *
 * A new model or a new input shape:
 *  1. vkdmlCompileGraph() with the store;
 *  2. while vkdmlCreateWeightInitializer() returns an initializer: bind the inputs that
 *     vkdmlGetWeightInitializerInputs() names, record, submit, wait, destroy it;
 *  3. bind the graph's other inputs, its outputs and its temporary resource, and record it.
 * No persistent resource is bound at execution.
 *
 * Threads: all functions may be called from any thread. Recording an initializer is what makes its regions count as
 * initialized: submit it before any graph that is compiled, or recorded, afterwards with the same store, on the same
 * queue or with a semaphore between, and order it by a barrier from its shader and transfer writes to shader and
 * transfer reads. If it cannot be submitted, call vkdmlResetWeightInitializer(). It is simplest to hold one lock of
 * your own from compiling until the initializers were submitted.
 */
#ifndef VKDML_WEIGHTS_H
#define VKDML_WEIGHTS_H

#include "vkdml/binding.h"
#include "vkdml/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Provides `bytes` bytes of device memory, which stay valid until freePage receives them. page->offset is a multiple
 *  of 256, page->size at least `bytes`, and the buffer's usage as for persistent resources (binding.h). Called during
 *  vkdmlCompileGraph(), on its thread. Must not call vkdml. Any other result than VKDML_SUCCESS fails the compilation
 *  with that result. */
typedef VkdmlResult (*VkdmlAllocatePageCallback)(void *userData, uint64_t bytes, VkdmlBufferBinding *page);

/** Takes a page back. Called during vkdmlTrimWeightStore() and vkdmlDestroyWeightStore(). Must not call vkdml. */
typedef void (*VkdmlFreePageCallback)(void *userData, const VkdmlBufferBinding *page);

/** How to create a weight store. */
typedef struct VkdmlWeightStoreCreateInfo {
    size_t structSize;                      /**< sizeof(VkdmlWeightStoreCreateInfo); see version.h */
    uint64_t maxPageBytes;                  /**< regions share pages of up to this size; 0: 64 MiB. A larger region has
                                                 a page of its own */
    VkdmlAllocatePageCallback allocatePage; /**< required */
    VkdmlFreePageCallback freePage;         /**< required */
    void *userData;                         /**< handed to both */
} VkdmlWeightStoreCreateInfo;

/**
 * Creates an empty weight store.
 *
 * @param device outlives the store
 * @param info   copied
 * @param[out] store destroyed with vkdmlDestroyWeightStore()
 * @return VKDML_ERROR_INVALID_ARGUMENT, VKDML_ERROR_OUT_OF_HOST_MEMORY. *store is then NULL.
 */
VKDML_API VkdmlResult vkdmlCreateWeightStore(VkdmlDevice device, const VkdmlWeightStoreCreateInfo *info,
                                             VkdmlWeightStore *store);

/** Destroys a store and frees its pages. The dispatchables that were compiled with it have been destroyed, and the GPU
 *  has finished with them. NULL is ignored. */
VKDML_API void vkdmlDestroyWeightStore(VkdmlWeightStore store);

/** Frees the pages in which no compiled graph refers to any region. The GPU has finished with those that did. */
VKDML_API VkdmlResult vkdmlTrimWeightStore(VkdmlWeightStore store);

/** What a weight store holds. */
typedef struct VkdmlWeightStoreInfo {
    uint32_t pageCount;          /**< pages that allocatePage provided */
    uint64_t pageBytes;          /**< of all pages, as they were asked for */
    uint32_t regionCount;        /**< regions that have a place in a page */
    uint64_t regionBytes;        /**< of all regions, each rounded up to 256 */
    uint32_t uninitializedCount; /**< regions that no initializer was recorded for */
    uint64_t uninitializedBytes; /**< of these */
} VkdmlWeightStoreInfo;

/** Tells what a weight store holds. */
VKDML_API VkdmlResult vkdmlGetWeightStoreInfo(VkdmlWeightStore store, VkdmlWeightStoreInfo *info);

/**
 * Creates an initializer for some of the regions that a compiled graph needs and that are not initialized.
 *
 * It takes as many regions as can be made from weights of up to maxInputBytes bytes together, but at least one, so that
 * a large model can be uploaded through a small staging buffer. Regions that another initializer already takes are left
 * to that one. Of its inputs, as many as the graph has, those that vkdmlGetWeightInitializerInputs() names must be
 * bound, the others must not; they may be buffers in host-visible memory, and are read once. It has no outputs, and its
 * temporary resource is as vkdmlGetBindingProperties() says. Destroying an initializer that was not recorded leaves its
 * regions uninitialized; vkdmlResetWeightInitializer() takes a recording back.
 *
 * @param compiled      by vkdmlCompileGraph() with a weight store; must outlive the initializer
 * @param maxInputBytes 0: no limit
 * @param[out] initializer destroyed with vkdmlDestroyDispatchable(); NULL, with VKDML_SUCCESS, if nothing is left to
 *                         initialize
 * @return VKDML_ERROR_INVALID_ARGUMENT, VKDML_ERROR_OUT_OF_HOST_MEMORY
 */
VKDML_API VkdmlResult vkdmlCreateWeightInitializer(VkdmlDispatchable compiled, uint64_t maxInputBytes,
                                                   VkdmlDispatchable *initializer);

/**
 * The graph inputs that an initializer reads.
 *
 * @param initializer    by vkdmlCreateWeightInitializer()
 * @param[in,out] count the capacity of `indices`; then how many there are, which may be more
 * @param[out] indices  GraphInputIndex of each, ascending; may be NULL if *count is 0
 */
VKDML_API VkdmlResult vkdmlGetWeightInitializerInputs(VkdmlDispatchable initializer, uint32_t *count,
                                                      uint32_t *indices);

/**
 * Takes back the recording of an initializer whose commands were not executed, as after a failed submission.
 *
 * The regions of the initializer count as uninitialized again. Then record the initializer once more, or destroy it and
 * create another one. Graphs that were compiled between the recording and this call cannot initialize these regions:
 * vkdmlCreateWeightInitializer() returns VKDML_ERROR_INVALID_ARGUMENT for them until an initializer of an earlier
 * graph, or of a graph that is compiled after this call, was recorded. Does nothing if the initializer was not recorded.
 *
 * @param initializer by vkdmlCreateWeightInitializer(); the GPU does not execute it
 * @return VKDML_ERROR_INVALID_ARGUMENT
 */
VKDML_API VkdmlResult vkdmlResetWeightInitializer(VkdmlDispatchable initializer);

#ifdef __cplusplus
}
#endif

#endif /* VKDML_WEIGHTS_H */
