#include "onnx/weights.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Weights that are loaded at once; a larger one alone. */
#define STAGING_BYTES ((uint64_t)32 << 20)

#define ROUND_UP(x, to) (((x) + ((to)-1)) / (to) * (to))
#define ALIGNMENT       256

struct page {
    struct page *next;
    struct onnx_buffer buffer;
};

/* A constant of the model. */
struct known {
    const void *data; /* NULL: a free slot */
    size_t bytes;
    uint64_t id;
};

struct onnx_weights {
    struct onnx_device *device;
    const struct onnx_model *model;
    onnx_load_callback callback; /* NULL: none */
    void *callback_data;
    VkdmlWeightStore store;
    struct page *pages;
    struct onnx_error page_error; /* of the latest page that was asked for */
    struct known *known;          /* by a hash */
    uint32_t known_count, known_room;
    uint64_t last_id;
    struct onnx_weight_ids *plans;
    struct onnx_weights_facts facts;
};

/* ---- pages ---- */

static VkdmlResult allocate_page(void *data, uint64_t bytes, VkdmlBufferBinding *binding) {
    struct onnx_weights *weights = data;
    struct page *page = calloc(1, sizeof *page);
    weights->page_error = (struct onnx_error){0};
    if (page == NULL) {
        onnx_fail_memory(&weights->page_error);
    } else if (!onnx_buffer_create(weights->device, bytes, ONNX_MEMORY_DEVICE, &page->buffer, &weights->page_error)) {
        free(page);
        page = NULL;
    }
    if (page == NULL) {
        return weights->page_error.result;
    }
    page->next = weights->pages;
    weights->pages = page;
    weights->facts.device_bytes += bytes;
    ++weights->facts.page_count;
    *binding = (VkdmlBufferBinding){page->buffer.buffer, 0, bytes};
    return VKDML_SUCCESS;
}

static void free_page(void *data, const VkdmlBufferBinding *binding) {
    struct onnx_weights *weights = data;
    struct page **place = &weights->pages;
    while ((*place)->buffer.buffer != binding->buffer) {
        place = &(*place)->next;
    }
    struct page *page = *place;
    *place = page->next;
    weights->facts.device_bytes -= page->buffer.size;
    --weights->facts.page_count;
    onnx_buffer_free(weights->device, &page->buffer);
    free(page);
}

bool onnx_weights_create(struct onnx_device *device, const struct onnx_model *model, onnx_load_callback callback,
                         void *callback_data, struct onnx_weights **made, struct onnx_error *error) {
    struct onnx_weights *weights = calloc(1, sizeof *weights);
    *made = NULL;
    if (weights == NULL) {
        return onnx_fail_memory(error);
    }
    weights->device = device;
    weights->model = model;
    weights->callback = callback;
    weights->callback_data = callback_data;
    const VkdmlWeightStoreCreateInfo info = {.structSize = sizeof info,
                                             .allocatePage = allocate_page,
                                             .freePage = free_page,
                                             .userData = weights};
    if (!onnx_check(vkdmlCreateWeightStore(onnx_device_vkdml(device), &info, &weights->store), error)) {
        free(weights);
        return false;
    }
    *made = weights;
    return true;
}

void onnx_weights_free(struct onnx_weights *weights) {
    if (weights != NULL) {
        vkdmlDestroyWeightStore(weights->store);
        free(weights->known);
        free(weights);
    }
}

void onnx_weights_trim(struct onnx_weights *weights) {
    vkdmlTrimWeightStore(weights->store);
}

void onnx_weights_facts(const struct onnx_weights *weights, struct onnx_weights_facts *facts) {
    *facts = weights->facts;
}

/* ---- identities ---- */

/* The slot of a constant, or where it would be. */
static struct known *slot_of(const struct onnx_weights *weights, const void *data, size_t bytes) {
    const uint64_t mixed = ((uint64_t)(uintptr_t)data ^ (uint64_t)bytes << 20) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(mixed >> 32) & (weights->known_room - 1);
    while (weights->known[slot].data != NULL &&
           (weights->known[slot].data != data || weights->known[slot].bytes != bytes)) {
        slot = (slot + 1) & (weights->known_room - 1);
    }
    return &weights->known[slot];
}

static bool grow_known(struct onnx_weights *weights) {
    if (weights->known_count * 2 < weights->known_room) {
        return true;
    }
    struct known *old = weights->known;
    const uint32_t old_room = weights->known_room, room = old_room == 0 ? 64 : old_room * 2;
    struct known *grown = calloc(room, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    weights->known = grown;
    weights->known_room = room;
    for (uint32_t i = 0; i < old_room; ++i) {
        if (old[i].data != NULL) {
            *slot_of(weights, old[i].data, old[i].bytes) = old[i];
        }
    }
    free(old);
    return true;
}

/* Of a constant of the model; 0: memory is out. */
static uint64_t id_of_model(struct onnx_weights *weights, const struct onnx_graph_input *input) {
    if (!grow_known(weights)) {
        return 0;
    }
    struct known *known = slot_of(weights, input->data, input->bytes);
    if (known->data == NULL) {
        *known = (struct known){input->data, input->bytes, ++weights->last_id};
        ++weights->known_count;
    }
    return known->id;
}

/* Of a constant that planning computed. */
static uint64_t id_of_computed(struct onnx_weights *weights, const struct onnx_graph_input *input) {
    for (const struct onnx_weight_ids *other = weights->plans; other != NULL; other = other->next) {
        for (uint32_t i = 0; i < other->computed_count; ++i) {
            const struct onnx_graph_input *of = &onnx_plan_inputs(other->plan)[other->computed[i]];
            if (of->bytes == input->bytes && memcmp(of->data, input->data, input->bytes) == 0) {
                return other->ids[other->computed[i]];
            }
        }
    }
    return ++weights->last_id;
}

bool onnx_weights_identify(struct onnx_weights *weights, const struct onnx_plan *plan, struct onnx_weight_ids *ids,
                           struct onnx_error *error) {
    const uint32_t count = onnx_plan_input_count(plan);
    *ids = (struct onnx_weight_ids){.plan = plan,
                                    .ids = calloc((size_t)count + 1, sizeof *ids->ids),
                                    .computed = calloc((size_t)count + 1, sizeof *ids->computed)};
    bool done = ids->ids != NULL && ids->computed != NULL;
    for (uint32_t i = 0; done && i < count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(plan)[i];
        if (input->input != ONNX_NONE) {
            continue;
        }
        ids->ids[i] = input->is_of_model ? id_of_model(weights, input) : id_of_computed(weights, input);
        done = ids->ids[i] != 0;
        if (!input->is_of_model) {
            ids->computed[ids->computed_count++] = i;
        }
    }
    if (!done) {
        free(ids->ids);
        free(ids->computed);
        *ids = (struct onnx_weight_ids){0};
        return onnx_fail_memory(error);
    }
    ids->next = weights->plans;
    weights->plans = ids;
    return true;
}

void onnx_weights_forget(struct onnx_weights *weights, struct onnx_weight_ids *ids) {
    if (ids->plan == NULL) {
        return;
    }
    struct onnx_weight_ids **place = &weights->plans;
    while (*place != ids) {
        place = &(*place)->next;
    }
    *place = ids->next;
    free(ids->ids);
    free(ids->computed);
    *ids = (struct onnx_weight_ids){0};
}

bool onnx_weights_compile(struct onnx_weights *weights, const DML_GRAPH_DESC *graph, const struct onnx_weight_ids *ids,
                          VkdmlCompileInfo info, VkdmlDispatchable *compiled, struct onnx_error *error) {
    info.weightStore = weights->store;
    info.weightIdCount = graph->InputCount;
    info.weightIds = ids->ids;
    weights->page_error = (struct onnx_error){0};
    const VkdmlResult result = vkdmlCompileGraph(onnx_device_vkdml(weights->device), graph, &info, compiled);
    if (result != VKDML_SUCCESS && weights->page_error.result != VKDML_SUCCESS) {
        return onnx_fail_with(error, result, "%s", weights->page_error.text);
    }
    return onnx_check(result, error);
}

/* ---- loading ---- */

struct loading {
    struct onnx_weights *weights;
    const struct onnx_plan *plan;
    struct onnx_buffer staging, temporary;
    struct onnx_commands commands;
    uint32_t *indices; /* of inputs of the initializer at hand, */
    uint32_t count;    /* .. so many */
    VkdmlBufferBinding *bindings;
    uint64_t total; /* of regions that were not initialized at the beginning, */
    uint64_t left;  /* .. and of those that still are not */
    uint64_t read;  /* of constants */
    struct onnx_error *error;
};

/* A buffer of at least so many bytes. */
static bool reserve(struct loading *l, struct onnx_buffer *buffer, uint64_t bytes, enum onnx_memory memory) {
    if (buffer->size >= bytes) {
        return true;
    }
    onnx_buffer_free(l->weights->device, buffer);
    return onnx_buffer_create(l->weights->device, bytes, memory, buffer, l->error);
}

/* Memory that the host writes and that the device reads: the device's own where the host sees all of it. */
static bool reserve_staging(struct loading *l, uint64_t bytes) {
    struct onnx_device *device = l->weights->device;
    const enum onnx_memory memory = onnx_device_shares_memory(device) ? ONNX_MEMORY_SHARED : ONNX_MEMORY_OPEN;
    const uint64_t usual = l->left < STAGING_BYTES ? l->left : STAGING_BYTES;
    bytes = bytes < usual ? usual : bytes;
    if (l->staging.size >= bytes) {
        return true;
    }
    if (!reserve(l, &l->staging, bytes, memory)) {
        return false;
    }
    if (l->staging.mapped == NULL) {
        onnx_buffer_free(device, &l->staging);
    }
    return l->staging.mapped != NULL || reserve(l, &l->staging, bytes, ONNX_MEMORY_HOST);
}

/* Writes the initializer's inputs into the staging buffer. */
static bool stage(struct loading *l) {
    uint64_t bytes = 0, place = 0;
    for (uint32_t i = 0; i < l->count; ++i) {
        bytes += ROUND_UP(onnx_plan_inputs(l->plan)[l->indices[i]].bytes, ALIGNMENT);
    }
    if (!reserve_staging(l, bytes)) {
        return false;
    }
    memset(l->bindings, 0, onnx_plan_input_count(l->plan) * sizeof *l->bindings);
    for (uint32_t i = 0; i < l->count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(l->plan)[l->indices[i]];
        memcpy((unsigned char *)l->staging.mapped + place, input->data, input->bytes);
        onnx_arena_release(&l->weights->model->arena, input->data, input->bytes);
        l->bindings[l->indices[i]] = (VkdmlBufferBinding){l->staging.buffer, place, ROUND_UP(input->bytes, 4)};
        place += ROUND_UP(input->bytes, ALIGNMENT);
        l->read += input->bytes;
    }
    return true;
}

static bool bind(struct loading *l, VkdmlDispatchable initializer, VkdmlBindingTable *table) {
    struct onnx_device *device = l->weights->device;
    VkdmlBindingProperties needs;
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = initializer};
    if (!onnx_check(vkdmlGetBindingProperties(initializer, &needs), l->error) ||
        !onnx_check(vkdmlCreateBindingTable(onnx_device_vkdml(device), &info, table), l->error) ||
        !onnx_check(vkdmlBindInputs(*table, onnx_plan_input_count(l->plan), l->bindings), l->error)) {
        return false;
    }
    if (needs.temporaryResourceSize == 0) {
        return true;
    }
    if (!reserve(l, &l->temporary, needs.temporaryResourceSize, ONNX_MEMORY_DEVICE)) {
        return false;
    }
    const VkdmlBufferBinding temporary = {l->temporary.buffer, 0, needs.temporaryResourceSize};
    return onnx_check(vkdmlBindTemporaryResource(*table, &temporary), l->error);
}

/* Runs one initializer. */
static bool run(struct loading *l, VkdmlDispatchable initializer) {
    struct onnx_device *device = l->weights->device;
    VkdmlBindingTable table = NULL;
    l->count = onnx_plan_input_count(l->plan);
    bool done = onnx_check(vkdmlGetWeightInitializerInputs(initializer, &l->count, l->indices), l->error) && stage(l) &&
                bind(l, initializer, &table) && onnx_commands_begin(device, &l->commands, l->error);
    if (done && onnx_check(vkdmlRecordDispatch(onnx_device_vkdml(device), l->commands.buffer, initializer, table),
                           l->error)) {
        onnx_commands_barrier(device, &l->commands);
        done = onnx_commands_end(device, &l->commands, l->error) && onnx_commands_run(device, &l->commands, l->error);
        if (!done) {
            vkdmlResetWeightInitializer(initializer);
        }
    } else {
        done = false;
    }
    vkdmlDestroyBindingTable(table);
    return done;
}

static bool tell(struct loading *l) {
    struct onnx_weights *weights = l->weights;
    VkdmlWeightStoreInfo info;
    if (!onnx_check(vkdmlGetWeightStoreInfo(weights->store, &info), l->error)) {
        return false;
    }
    l->left = info.uninitializedBytes;
    if (weights->callback != NULL && l->left <= l->total) {
        weights->callback(weights->callback_data, l->total - l->left, l->total);
    }
    return true;
}

static bool run_all(struct loading *l, VkdmlDispatchable compiled) {
    for (;;) {
        VkdmlDispatchable initializer = NULL;
        if (!onnx_check(vkdmlCreateWeightInitializer(compiled, STAGING_BYTES, &initializer), l->error)) {
            return false;
        }
        if (initializer == NULL) {
            return true;
        }
        const bool done = run(l, initializer);
        vkdmlDestroyDispatchable(initializer);
        if (!done || !tell(l)) {
            return false;
        }
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

bool onnx_weights_load(struct onnx_weights *weights, const struct onnx_plan *plan, VkdmlDispatchable compiled,
                       struct onnx_error *error) {
    const uint32_t count = onnx_plan_input_count(plan);
    const double begin = now();
    struct loading l = {.weights = weights, .plan = plan, .error = error};
    VkdmlWeightStoreInfo info;
    if (!onnx_check(vkdmlGetWeightStoreInfo(weights->store, &info), error)) {
        return false;
    }
    if (info.uninitializedCount == 0) {
        return true;
    }
    l.total = l.left = info.uninitializedBytes;
    l.indices = calloc((size_t)count + 1, sizeof *l.indices);
    l.bindings = calloc((size_t)count + 1, sizeof *l.bindings);
    const bool done = l.indices != NULL && l.bindings != NULL ? run_all(&l, compiled) : onnx_fail_memory(error);
    onnx_commands_free(weights->device, &l.commands);
    onnx_buffer_free(weights->device, &l.staging);
    onnx_buffer_free(weights->device, &l.temporary);
    free(l.indices);
    free(l.bindings);
    weights->facts.loaded_bytes += l.read;
    weights->facts.load_seconds += now() - begin;
    return done;
}
