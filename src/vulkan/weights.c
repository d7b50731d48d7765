#include "vulkan/weights.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "vulkan/device.h"
#include "vulkan/device_memory.h"

#define DEFAULT_PAGE_BYTES ((uint64_t)64 << 20)

/* ---- stores ---- */

VkdmlResult vkdml_weight_store_create(VkdmlDevice device, const VkdmlWeightStoreCreateInfo *info,
                                      struct vkdml_report *report, VkdmlWeightStore *store) {
    VkdmlWeightStore made = vkdml_allocate(device->callbacks, sizeof *made);
    if (made == NULL || pthread_mutex_init(&made->lock, NULL) != 0) {
        vkdml_free(device->callbacks, made);
        return vkdml_report_out_of_memory(report, sizeof *made, "a weight store");
    }
    vkdml_handle_begin(&made->handle, VKDML_HANDLE_WEIGHT_STORE, device, sizeof *made);
    made->info = *info;
    made->info.maxPageBytes = info->maxPageBytes == 0 ? DEFAULT_PAGE_BYTES : info->maxPageBytes;
    made->references = 1;
    made->contents.callbacks = device->callbacks;
    *store = made;
    return VKDML_SUCCESS;
}

static struct vkdml_weight_region **bucket_of(VkdmlWeightStore store, uint64_t content) {
    return &store->buckets[content % VKDML_WEIGHT_BUCKETS];
}

static void remove_region(VkdmlWeightStore store, struct vkdml_weight_region *region) {
    struct vkdml_weight_region **link = bucket_of(store, region->content);
    while (*link != region) {
        link = &(*link)->next;
    }
    *link = region->next;
    if (region->page != NULL && region->page->taken == region->offset + region->bytes) {
        region->page->taken = region->offset;
    }
    vkdml_free(store->handle.device->callbacks, region);
}

/* Removes the regions of a page; NULL: all. */
static void remove_regions(VkdmlWeightStore store, const struct vkdml_weight_page *page) {
    for (size_t b = 0; b < VKDML_WEIGHT_BUCKETS; ++b) {
        struct vkdml_weight_region *next;
        for (struct vkdml_weight_region *region = store->buckets[b]; region != NULL; region = next) {
            next = region->next;
            if (page == NULL || region->page == page) {
                remove_region(store, region);
            }
        }
    }
}

static bool is_used(VkdmlWeightStore store, const struct vkdml_weight_page *page) {
    for (size_t b = 0; b < VKDML_WEIGHT_BUCKETS; ++b) {
        for (const struct vkdml_weight_region *region = store->buckets[b]; region != NULL; region = region->next) {
            if (region->page == page && region->users > 0) {
                return true;
            }
        }
    }
    return false;
}

static void free_page(VkdmlWeightStore store, struct vkdml_weight_page *page) {
    store->info.freePage(store->info.userData, &page->binding);
    vkdml_free(store->handle.device->callbacks, page);
}

void vkdml_weight_store_trim(VkdmlWeightStore store) {
    pthread_mutex_lock(&store->lock);
    for (struct vkdml_weight_page **link = &store->pages; *link != NULL;) {
        struct vkdml_weight_page *page = *link;
        if (is_used(store, page)) {
            link = &page->next;
        } else {
            remove_regions(store, page);
            *link = page->next;
            free_page(store, page);
        }
    }
    pthread_mutex_unlock(&store->lock);
}

/* With the lock held, which it gives back. */
static void dereference(VkdmlWeightStore store) {
    const bool is_last = --store->references == 0;
    pthread_mutex_unlock(&store->lock);
    if (is_last) {
        remove_regions(store, NULL);
        vkdml_intern_end(&store->contents);
        pthread_mutex_destroy(&store->lock);
        vkdml_device_end_object(&store->handle);
    }
}

void vkdml_weight_store_destroy(VkdmlWeightStore store) {
    if (store == NULL) {
        return;
    }
    pthread_mutex_lock(&store->lock);
    for (size_t b = 0; b < VKDML_WEIGHT_BUCKETS; ++b) {
        for (struct vkdml_weight_region *region = store->buckets[b]; region != NULL; region = region->next) {
            region->page = NULL;
        }
    }
    while (store->pages != NULL) {
        struct vkdml_weight_page *page = store->pages;
        store->pages = page->next;
        free_page(store, page);
    }
    dereference(store);
}

bool vkdml_weight_store_has_graphs(VkdmlWeightStore store) {
    pthread_mutex_lock(&store->lock);
    const bool has_graphs = store->has_graphs;
    pthread_mutex_unlock(&store->lock);
    return has_graphs;
}

void vkdml_weight_store_note(VkdmlWeightStore store) {
    pthread_mutex_lock(&store->lock);
    store->has_graphs = true;
    pthread_mutex_unlock(&store->lock);
}

void vkdml_weight_store_facts(VkdmlWeightStore store, VkdmlWeightStoreInfo *info) {
    *info = (VkdmlWeightStoreInfo){.pageCount = 0};
    pthread_mutex_lock(&store->lock);
    for (const struct vkdml_weight_page *page = store->pages; page != NULL; page = page->next) {
        ++info->pageCount;
        info->pageBytes += page->bytes;
    }
    for (size_t b = 0; b < VKDML_WEIGHT_BUCKETS; ++b) {
        for (struct vkdml_weight_region *region = store->buckets[b]; region != NULL; region = region->next) {
            const bool is_ready = atomic_load(&region->state) == VKDML_WEIGHT_READY;
            ++info->regionCount;
            info->regionBytes += region->bytes;
            info->uninitializedCount += !is_ready;
            info->uninitializedBytes += is_ready ? 0 : region->bytes;
        }
    }
    pthread_mutex_unlock(&store->lock);
}

/* ---- places for regions ---- */

static struct vkdml_weight_region *find_region(VkdmlWeightStore store, uint64_t content) {
    struct vkdml_weight_region *region = *bucket_of(store, content);
    while (region != NULL && region->content != content) {
        region = region->next;
    }
    return region;
}

/* A region without a place. */
static struct vkdml_weight_region *add_region(VkdmlWeightStore store, uint64_t content, uint64_t bytes,
                                              struct vkdml_report *report) {
    struct vkdml_weight_region *region = vkdml_allocate(store->handle.device->callbacks, sizeof *region);
    if (region == NULL) {
        vkdml_report_out_of_memory(report, sizeof *region, "a region of a weight store");
        return NULL;
    }
    struct vkdml_weight_region **bucket = bucket_of(store, content);
    *region = (struct vkdml_weight_region){.next = *bucket, .content = content, .bytes = bytes};
    atomic_init(&region->state, VKDML_WEIGHT_MISSING);
    *bucket = region;
    return region;
}

static VkdmlResult check_page(const VkdmlBufferBinding *binding, uint64_t bytes, struct vkdml_report *report) {
    if (binding->buffer == VK_NULL_HANDLE || binding->offset % VKDML_PLAN_REGION_ALIGNMENT != 0 ||
        binding->size < bytes) {
        return vkdml_report_invalid(report,
                                    "allocatePage returned offset %" PRIu64 " and %" PRIu64 " bytes of %s, must be a "
                                    "multiple of %d and at least %" PRIu64 " bytes of a buffer",
                                    binding->offset, binding->size,
                                    binding->buffer == VK_NULL_HANDLE ? "VK_NULL_HANDLE" : "a buffer",
                                    VKDML_PLAN_REGION_ALIGNMENT, bytes);
    }
    return VKDML_SUCCESS;
}

static VkdmlResult add_page(VkdmlWeightStore store, uint64_t bytes, struct vkdml_report *report) {
    struct vkdml_weight_page *page = vkdml_allocate(store->handle.device->callbacks, sizeof *page);
    if (page == NULL) {
        return vkdml_report_out_of_memory(report, sizeof *page, "a page of a weight store");
    }
    VkdmlResult result = store->info.allocatePage(store->info.userData, bytes, &page->binding);
    if (result != VKDML_SUCCESS) {
        result = vkdml_report_add(report, result, "allocatePage failed for %" PRIu64 " bytes of weights", bytes);
        vkdml_free(store->handle.device->callbacks, page);
        return result;
    }
    page->bytes = bytes;
    result = check_page(&page->binding, bytes, report);
    if (result != VKDML_SUCCESS) {
        free_page(store, page);
        return result;
    }
    page->next = store->pages;
    store->pages = page;
    return VKDML_SUCCESS;
}

/* A page for a region and as many of the next ones as fit, no larger. */
static uint64_t page_bytes_for(VkdmlWeightStore store, const struct vkdml_weight_region *region) {
    uint64_t bytes = region->bytes;
    for (const struct vkdml_weight_region *next = region->next_fresh; next != NULL; next = next->next_fresh) {
        if (next->bytes <= store->info.maxPageBytes && bytes + next->bytes <= store->info.maxPageBytes) {
            bytes += next->bytes;
        }
    }
    return bytes;
}

static VkdmlResult place_region(VkdmlWeightStore store, struct vkdml_weight_region *region,
                                struct vkdml_report *report) {
    struct vkdml_weight_page *page = store->pages;
    while (page != NULL && page->bytes - page->taken < region->bytes) {
        page = page->next;
    }
    if (page == NULL) {
        const VkdmlResult result = add_page(store, page_bytes_for(store, region), report);
        if (result != VKDML_SUCCESS) {
            return result;
        }
        page = store->pages;
    }
    region->page = page;
    region->offset = page->taken;
    page->taken += region->bytes;
    return VKDML_SUCCESS;
}

/* ---- a plan's regions ---- */

static uint64_t number_of_input(VkdmlWeightStore store, uint64_t id) {
    const uint64_t key[] = {id != 0, id != 0 ? id : ++store->unnamed};
    return vkdml_intern(&store->contents, key, sizeof key);
}

static VkdmlResult find_flow(VkdmlWeightStore store, const struct vkdml_plan *plan,
                             const struct vkdml_weight_inputs *inputs, struct vkdml_report *report,
                             struct vkdml_regions *flow) {
    const VkAllocationCallbacks *callbacks = store->handle.device->callbacks;
    const size_t bytes = (inputs->count + (size_t)1) * sizeof(uint64_t);
    uint64_t *contents = vkdml_allocate(callbacks, bytes);
    bool done = contents != NULL;
    for (uint32_t i = 0; i < inputs->count && done; ++i) {
        if (inputs->owned[i]) {
            contents[i] = number_of_input(store, inputs->ids != NULL ? inputs->ids[i] : 0);
            done = contents[i] != 0;
        }
    }
    const VkdmlResult result = done ? vkdml_regions_find(plan, contents, &store->contents, callbacks, report, flow)
                                    : vkdml_report_out_of_memory(report, bytes, "the weights of a graph");
    vkdml_free(callbacks, contents);
    return result;
}

static VkdmlResult take_regions(struct vkdml_weights *weights, struct vkdml_report *report) {
    VkdmlWeightStore store = weights->store;
    struct vkdml_weight_region *fresh = NULL, **last = &fresh;
    for (uint32_t r = 0; r < weights->flow.count; ++r) {
        const struct vkdml_region *planned = &weights->flow.items[r];
        struct vkdml_weight_region *region = find_region(store, planned->content);
        if (region == NULL) {
            region = add_region(store, planned->content, planned->bytes, report);
            if (region == NULL) {
                return report->result;
            }
            *last = region;
            last = &region->next_fresh;
        }
        ++region->users;
        weights->regions[weights->region_count++] = region;
    }
    VkdmlResult result = VKDML_SUCCESS;
    for (; fresh != NULL && result == VKDML_SUCCESS; fresh = fresh->next_fresh) {
        result = place_region(store, fresh, report);
    }
    return result;
}

static uint32_t index_of_page(struct vkdml_weights *weights, const struct vkdml_weight_page *page) {
    for (uint32_t p = 0; p < weights->page_count; ++p) {
        if (weights->pages[p] == page) {
            return p;
        }
    }
    weights->pages[weights->page_count] = page;
    return weights->page_count++;
}

static void move_to_pages(struct vkdml_weights *weights, struct vkdml_plan_steps *steps) {
    for (uint32_t s = 0; s < steps->count; ++s) {
        for (uint32_t b = 0; b < steps->items[s].buffer_count; ++b) {
            struct vkdml_plan_buffer *buffer = &steps->items[s].buffers[b];
            if (buffer->resource == VKDML_PLAN_PERSISTENT) {
                const uint32_t r = vkdml_regions_at(&weights->flow, buffer->offset);
                const struct vkdml_weight_region *region = weights->regions[r];
                buffer->resource = VKDML_PLAN_PAGE;
                buffer->offset = buffer->offset - weights->flow.items[r].offset + region->offset;
                buffer->index = index_of_page(weights, region->page);
            }
        }
    }
}

uint32_t vkdml_weights_first(const struct vkdml_weights *weights, uint32_t r) {
    uint32_t first = 0;
    while (weights->regions[first] != weights->regions[r]) {
        ++first;
    }
    return first;
}

/* Leaves the init steps that are marked, in the plan and in its data flow. kept: scratch, an index for each. */
static void keep_marked(struct vkdml_plan *plan, struct vkdml_regions *flow, const bool *marked, uint32_t *kept) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < flow->step_count; ++s) {
        if (!marked[s]) {
            continue;
        }
        for (uint32_t n = 0; n < flow->steps[s].needs.count; ++n) {
            uint32_t *need = &flow->indices[flow->steps[s].needs.first + n];
            *need = kept[*need];
        }
        kept[s] = count;
        flow->steps[count] = flow->steps[s];
        plan->init_steps.items[count++] = plan->init_steps.items[s];
    }
    flow->step_count = count;
    plan->init_steps.count = count;
}

/* Marks the steps of regions that are not ready. memory: region_count and step_count bools, and as many indices. */
static void drop_ready(struct vkdml_weights *weights, struct vkdml_plan *plan, bool *wanted, bool *marked,
                       uint32_t *kept) {
    for (uint32_t r = 0; r < weights->region_count; ++r) {
        weights->makes[r] = atomic_load(&weights->regions[r]->state) != VKDML_WEIGHT_READY;
        wanted[r] = weights->makes[r] && vkdml_weights_first(weights, r) == r;
    }
    vkdml_regions_mark(&weights->flow, wanted, marked);
    keep_marked(plan, &weights->flow, marked, kept);
}

static VkdmlResult place(struct vkdml_weights *weights, struct vkdml_plan *plan, struct vkdml_report *report) {
    const VkAllocationCallbacks *callbacks = weights->store->handle.device->callbacks;
    const uint32_t regions = weights->flow.count, steps = weights->flow.step_count;
    const size_t bytes = regions * sizeof(bool) + steps * (sizeof(bool) + sizeof(uint32_t)) + sizeof(uint32_t);
    const size_t room =
        (regions + (size_t)1) * (sizeof *weights->regions + sizeof *weights->pages + sizeof *weights->makes);
    weights->regions = vkdml_allocate(callbacks, room);
    uint32_t *kept = vkdml_allocate(callbacks, bytes);
    if (weights->regions == NULL || kept == NULL) {
        vkdml_free(callbacks, kept);
        return vkdml_report_out_of_memory(report, room + bytes, "the weights of a graph");
    }
    weights->pages = (const struct vkdml_weight_page **)(void *)(weights->regions + regions + 1);
    weights->makes = (bool *)(weights->pages + regions + 1);
    bool *wanted = (bool *)(kept + steps + 1);
    const VkdmlResult result = take_regions(weights, report);
    if (result == VKDML_SUCCESS) {
        drop_ready(weights, plan, wanted, wanted + regions, kept);
        move_to_pages(weights, &plan->steps);
        move_to_pages(weights, &plan->init_steps);
        plan->persistent_bytes = 0;
    }
    vkdml_free(callbacks, kept);
    return result;
}

VkdmlResult vkdml_weights_place(VkdmlWeightStore store, struct vkdml_plan *plan,
                                const struct vkdml_weight_inputs *inputs, struct vkdml_report *report,
                                struct vkdml_weights **made) {
    struct vkdml_weights *weights = vkdml_allocate(store->handle.device->callbacks, sizeof *weights);
    if (weights == NULL) {
        return vkdml_report_out_of_memory(report, sizeof *weights, "the weights of a graph");
    }
    weights->store = store;
    pthread_mutex_lock(&store->lock);
    ++store->references;
    VkdmlResult result = find_flow(store, plan, inputs, report, &weights->flow);
    if (result == VKDML_SUCCESS) {
        result = place(weights, plan, report);
    }
    pthread_mutex_unlock(&store->lock);
    if (result != VKDML_SUCCESS) {
        vkdml_weights_release(weights);
        return result;
    }
    *made = weights;
    return VKDML_SUCCESS;
}

void vkdml_weights_release(struct vkdml_weights *weights) {
    if (weights == NULL) {
        return;
    }
    VkdmlWeightStore store = weights->store;
    pthread_mutex_lock(&store->lock);
    for (uint32_t r = weights->region_count; r-- > 0;) {
        struct vkdml_weight_region *region = weights->regions[r];
        unsigned claimed = VKDML_WEIGHT_CLAIMED;
        if (weights->is_claim) {
            atomic_compare_exchange_strong(&region->state, &claimed, VKDML_WEIGHT_MISSING);
        }
        if (--region->users == 0 && atomic_load(&region->state) != VKDML_WEIGHT_READY) {
            remove_region(store, region);
        }
    }
    vkdml_regions_end(&weights->flow);
    const VkAllocationCallbacks *callbacks = store->handle.device->callbacks;
    vkdml_free(callbacks, weights->regions);
    vkdml_free(callbacks, weights);
    dereference(store);
}

VkdmlResult vkdml_weights_check(const struct vkdml_weights *weights, struct vkdml_report *report) {
    for (uint32_t r = 0; r < weights->region_count; ++r) {
        if (atomic_load(&weights->regions[r]->state) != VKDML_WEIGHT_READY) {
            return vkdml_report_invalid(report,
                                        "weights are not initialized: the initializers that "
                                        "vkdmlCreateWeightInitializer() makes must be recorded and submitted before");
        }
    }
    return VKDML_SUCCESS;
}

void vkdml_weights_finish(const struct vkdml_weights *weights) {
    for (uint32_t r = 0; r < weights->region_count; ++r) {
        atomic_store(&weights->regions[r]->state, VKDML_WEIGHT_READY);
    }
}

void vkdml_weights_reset(const struct vkdml_weights *weights) {
    for (uint32_t r = 0; r < weights->region_count; ++r) {
        atomic_store(&weights->regions[r]->state, VKDML_WEIGHT_CLAIMED);
    }
}
