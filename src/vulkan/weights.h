/* Weight stores: regions of pages that the caller allocates, by what they hold, and the compiled graphs that use them. */
#ifndef VKDML_VULKAN_WEIGHTS_H
#define VKDML_VULKAN_WEIGHTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/intern.h"
#include "plan/regions.h"
#include "vkdml/weights.h"
#include "vulkan/handles.h"

enum vkdml_weight_state {
    VKDML_WEIGHT_MISSING, /* no initializer makes it */
    VKDML_WEIGHT_CLAIMED, /* one will, once it is recorded */
    VKDML_WEIGHT_READY,   /* one was recorded */
};

struct vkdml_weight_page {
    struct vkdml_weight_page *next;
    VkdmlBufferBinding binding; /* the caller's */
    uint64_t bytes;             /* that were asked for */
    uint64_t taken;             /* from its beginning, by regions */
};

struct vkdml_weight_region {
    struct vkdml_weight_region *next;       /* in its bucket */
    struct vkdml_weight_region *next_fresh; /* while a plan's regions get their places: the next without one */
    uint64_t content;
    uint64_t bytes;
    struct vkdml_weight_page *page;
    uint64_t offset;   /* in the page */
    uint32_t users;    /* dispatchables that use it */
    atomic_uint state; /* enum vkdml_weight_state */
};

#define VKDML_WEIGHT_BUCKETS 1024

struct VkdmlWeightStore_T {
    struct vkdml_handle handle;
    pthread_mutex_t lock; /* of all below */
    VkdmlWeightStoreCreateInfo info;
    uint32_t references; /* the caller's, and each dispatchable's: who gives back the last frees the struct */
    bool has_graphs;     /* a graph was compiled with it, which may be destroyed by now */
    uint64_t unnamed;    /* inputs that had no id so far */
    struct vkdml_intern contents;
    struct vkdml_weight_page *pages;
    struct vkdml_weight_region *buckets[VKDML_WEIGHT_BUCKETS]; /* by content */
};

/* What a dispatchable has in a store. Of an initializer: the regions that it claims. */
struct vkdml_weights {
    VkdmlWeightStore store;
    bool is_claim; /* an initializer's */
    uint32_t region_count;
    struct vkdml_weight_region **regions; /* by region of the plan; several may be one */
    bool *makes; /* by region: the compiled graph has init steps that make it; NULL of initializers */
    uint32_t page_count;
    const struct vkdml_weight_page **pages; /* by index of VKDML_PLAN_PAGE */
    struct vkdml_regions flow;              /* of the compiled graph's init steps; of initializers empty */
};

/* info: checked. */
VkdmlResult vkdml_weight_store_create(VkdmlDevice device, const VkdmlWeightStoreCreateInfo *info,
                                      struct vkdml_report *report, VkdmlWeightStore *store);
/* NULL is ignored. */
void vkdml_weight_store_destroy(VkdmlWeightStore store);
void vkdml_weight_store_trim(VkdmlWeightStore store);
/* Whether a graph was compiled with it, as vkdml_weight_store_note() was told. */
bool vkdml_weight_store_has_graphs(VkdmlWeightStore store);
void vkdml_weight_store_note(VkdmlWeightStore store);
void vkdml_weight_store_facts(VkdmlWeightStore store, VkdmlWeightStoreInfo *info);

/* Which inputs of a graph are constant, and what they hold. */
struct vkdml_weight_inputs {
    uint32_t count;
    const bool *owned;   /* by input: it is OWNED_BY_DML */
    const uint64_t *ids; /* by input; NULL: all are 0 */
};

/* Moves a plan's persistent resource to regions of a store, of which those that do not exist yet get a place. Steps of
 * the plan then use VKDML_PLAN_PAGE, and of the init steps those are left that make regions which are not ready. On
 * success *weights is to be released, and barriers are to be found by vkdml_plan_synchronize(). */
VkdmlResult vkdml_weights_place(VkdmlWeightStore store, struct vkdml_plan *plan,
                                const struct vkdml_weight_inputs *inputs, struct vkdml_report *report,
                                struct vkdml_weights **weights);

/* Gives back regions: those of an initializer that was not recorded are missing again. NULL is ignored. */
void vkdml_weights_release(struct vkdml_weights *weights);

/* Before a compiled graph is recorded: fails unless all its regions are ready. */
VkdmlResult vkdml_weights_check(const struct vkdml_weights *weights, struct vkdml_report *report);

/* Once an initializer is recorded: its regions are ready. */
void vkdml_weights_finish(const struct vkdml_weights *weights);

/* What vkdml_weights_finish() did is undone: the initializer's regions are claimed by it, and not ready. */
void vkdml_weights_reset(const struct vkdml_weights *weights);

/* The first region of a plan that is kept where region r is. */
uint32_t vkdml_weights_first(const struct vkdml_weights *weights, uint32_t r);

/* weight_initializer.c; see vkdmlCreateWeightInitializer(). */
VkdmlResult vkdml_weight_initializer_create(VkdmlDispatchable compiled, uint64_t max_input_bytes,
                                            struct vkdml_report *report, VkdmlDispatchable *initializer);

#endif
