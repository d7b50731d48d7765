/* The constants of a session's plans, on the device once, whatever number of shapes use them: a weight store of vkdml's,
 * its memory, and the identities of constants. Not thread-safe: the session's lock is held. */
#ifndef ONNX_WEIGHTS_H
#define ONNX_WEIGHTS_H

#include "onnx/device.h"
#include "onnx/plan.h"

struct onnx_weights;

/* Called on the thread that loads: `done` of `total` bytes on the device have been initialized. */
typedef void (*onnx_load_callback)(void *data, uint64_t done, uint64_t total);

/* The identities of a plan's constants, as VkdmlCompileInfo::weightIds, for as long as the plan lives. */
struct onnx_weight_ids {
    struct onnx_weight_ids *next;
    const struct onnx_plan *plan;
    uint64_t *ids;                      /* of each input of DirectML's graph; 0 of those that are no constants */
    uint32_t *computed, computed_count; /* inputs that planning computed */
};

/* The device and the model outlive it, and so do `callback` (NULL: none) and its data. */
bool onnx_weights_create(struct onnx_device *device, const struct onnx_model *model, onnx_load_callback callback,
                         void *callback_data, struct onnx_weights **weights, struct onnx_error *error);
/* What was compiled with the store has been destroyed. NULL is ignored. */
void onnx_weights_free(struct onnx_weights *weights);

/* Finds the identities of a plan's constants. A constant of the model is identified by where it is in memory, which does
 * not change as long as the session lives. One that planning computed is equal to that of another plan if all its bytes
 * are, which are compared; so there are no collisions, and no copies besides those that plans keep anyway. */
bool onnx_weights_identify(struct onnx_weights *weights, const struct onnx_plan *plan, struct onnx_weight_ids *ids,
                           struct onnx_error *error);
/* Before the plan is freed. {0} is ignored. */
void onnx_weights_forget(struct onnx_weights *weights, struct onnx_weight_ids *ids);

/* Compiles with the store. */
bool onnx_weights_compile(struct onnx_weights *weights, const DML_GRAPH_DESC *graph, const struct onnx_weight_ids *ids,
                          VkdmlCompileInfo info, VkdmlDispatchable *compiled, struct onnx_error *error);

/* Loads the constants that a compiled plan needs and that are not on the device, through a staging buffer of bounded
 * size. After a failure those that were not loaded can be loaded by a later call. */
bool onnx_weights_load(struct onnx_weights *weights, const struct onnx_plan *plan, VkdmlDispatchable compiled,
                       struct onnx_error *error);

/* Frees memory that no compiled plan uses. */
void onnx_weights_trim(struct onnx_weights *weights);

struct onnx_weights_facts {
    uint64_t device_bytes; /* of pages */
    uint32_t page_count;
    uint64_t loaded_bytes; /* of constants, as the model has them, so far */
    double load_seconds;
};
void onnx_weights_facts(const struct onnx_weights *weights, struct onnx_weights_facts *facts);

#endif
