#include "vulkan/dispatchable.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "vkdml/dml_types.h"
#include "vulkan/device.h"
#include "vulkan/device_memory.h"
#include "vulkan/weights.h"

static struct vkdml_bind_point resource_point(const char *name, uint64_t bytes, uint32_t alignment,
                                              const char *alignment_rule, const char *unbound) {
    return (struct vkdml_bind_point){.name = name,
                                     .element = VKDML_NO_INDEX,
                                     .operator_index = VKDML_NO_INDEX,
                                     .unbound = unbound,
                                     .bytes = bytes,
                                     .alignment = alignment,
                                     .alignment_rule = alignment_rule};
}

struct vkdml_bind_point_name vkdml_bind_point_name(const struct vkdml_bind_point *point) {
    char owner[32] = "", element[16] = "";
    struct vkdml_bind_point_name name;
    if (point->operator_index != VKDML_NO_INDEX) {
        snprintf(owner, sizeof owner, "operators[%u].", point->operator_index);
    }
    if (point->element != VKDML_NO_INDEX) {
        snprintf(element, sizeof element, "[%u]", point->element);
    }
    snprintf(name.text, sizeof name.text, "%s%s%s", owner, point->name, element);
    return name;
}

/* Bind points beside inputs and outputs: the temporary and the persistent resource. */
#define RESOURCE_POINTS 2

size_t vkdml_dispatchable_point(const struct VkdmlDispatchable_T *dispatchable, enum vkdml_plan_resource resource,
                                uint32_t index) {
    const size_t outputs = dispatchable->output_count;
    const size_t first[] = {[VKDML_PLAN_OUTPUT] = 0,
                            [VKDML_PLAN_TEMPORARY] = outputs,
                            [VKDML_PLAN_PERSISTENT] = outputs + 1,
                            [VKDML_PLAN_INPUT] = outputs + RESOURCE_POINTS,
                            [VKDML_PLAN_PAGE] = outputs + RESOURCE_POINTS + dispatchable->input_count};
    return first[resource] + index;
}

size_t vkdml_dispatchable_point_count(const struct VkdmlDispatchable_T *dispatchable) {
    return vkdml_dispatchable_point(dispatchable, VKDML_PLAN_PAGE, dispatchable->page_count);
}

/* One allocation for the struct, its arrays and, where there are labels, these. False where the size does not fit. */
static bool dispatchable_bytes(const struct vkdml_dispatchable_info *info, bool labels, size_t *bytes) {
    /* Counts are 32-bit, elements below 2^10 bytes: 64 bits hold the sum. */
    uint64_t points = (uint64_t)info->input_count + RESOURCE_POINTS + info->output_count + info->page_count;
    uint64_t steps = (uint64_t)info->step_count + info->init_step_count;
    uint64_t sum = sizeof(struct VkdmlDispatchable_T) + points * sizeof(struct vkdml_bind_point) +
                   steps * sizeof(struct vkdml_step);
    sum += labels ? VKDML_LABEL_CAPACITY + steps * VKDML_STEP_LABEL_CAPACITY : 0;
    *bytes = (size_t)sum;
    return sum <= SIZE_MAX;
}

struct vkdml_dispatchable_info vkdml_dispatchable_of_plan(const struct vkdml_plan *plan) {
    return (struct vkdml_dispatchable_info){.kind = VKDML_COMPILED_OPERATOR,
                                            .step_count = plan->steps.count,
                                            .init_step_count = plan->init_steps.count,
                                            .temporary_bytes = plan->steps.temporary_bytes,
                                            .init_temporary_bytes = plan->init_steps.temporary_bytes,
                                            .persistent_bytes = plan->persistent_bytes,
                                            .keeps_input = plan->keeps_input};
}

VkdmlResult vkdml_dispatchable_create(VkdmlDevice device, const struct vkdml_dispatchable_info *info,
                                      struct vkdml_report *report, VkdmlDispatchable *dispatchable) {
    _Static_assert(sizeof(struct vkdml_step) < 1024 && sizeof(struct vkdml_bind_point) < 1024, "dispatchable_bytes()");
    _Static_assert(_Alignof(struct vkdml_step) <= _Alignof(uint64_t) &&
                       _Alignof(struct vkdml_bind_point) <= _Alignof(uint64_t) &&
                       sizeof(struct VkdmlDispatchable_T) % _Alignof(uint64_t) == 0,
                   "the arrays lie behind one another without gaps");
    const bool labels = vkdml_debug_is_on(device);
    size_t bytes;
    VkdmlDispatchable d = dispatchable_bytes(info, labels, &bytes) ? vkdml_allocate(device->callbacks, bytes) : NULL;
    *dispatchable = d;
    if (!d) {
        return vkdml_report_out_of_memory(report, bytes, "a dispatchable");
    }
    vkdml_handle_begin(&d->handle, VKDML_HANDLE_DISPATCHABLE, device, bytes);
    d->kind = info->kind;
    d->context = info->context;
    d->input_count = info->input_count;
    d->output_count = info->output_count;
    d->page_count = info->page_count;
    d->keeps_input = info->keeps_input;
    d->step_count = info->step_count;
    d->init_step_count = info->init_step_count;
    d->init_temporary_bytes = info->init_temporary_bytes;
    d->steps = (struct vkdml_step *)(d + 1);
    d->init_steps = d->steps + d->step_count;
    d->points = (struct vkdml_bind_point *)(d->init_steps + d->init_step_count);
    if (labels) {
        d->label = (char *)(d->points + vkdml_dispatchable_point_count(d));
        snprintf(d->label, VKDML_LABEL_CAPACITY, "%s", d->context);
    }
    d->outputs = d->points;
    d->temporary = d->points + vkdml_dispatchable_point(d, VKDML_PLAN_TEMPORARY, 0);
    d->persistent = d->points + vkdml_dispatchable_point(d, VKDML_PLAN_PERSISTENT, 0);
    d->inputs = d->points + vkdml_dispatchable_point(d, VKDML_PLAN_INPUT, 0);
    d->pages = d->points + vkdml_dispatchable_point(d, VKDML_PLAN_PAGE, 0);
    *d->temporary = resource_point("TemporaryResource", info->temporary_bytes, DML_TEMPORARY_BUFFER_ALIGNMENT,
                                   "DML_TEMPORARY_BUFFER_ALIGNMENT", NULL);
    *d->persistent = resource_point("PersistentResource", info->persistent_bytes, DML_PERSISTENT_BUFFER_ALIGNMENT,
                                    "DML_PERSISTENT_BUFFER_ALIGNMENT",
                                    info->kind == VKDML_OPERATOR_INITIALIZER
                                        ? "an initializer's outputs are the operators' persistent resources"
                                        : NULL);
    return VKDML_SUCCESS;
}

void vkdml_dispatchable_take_weights(VkdmlDispatchable d, struct vkdml_weights *weights) {
    assert(weights->page_count == d->page_count);
    d->weights = weights;
    for (uint32_t p = 0; p < d->page_count; p++) {
        d->pages[p] = resource_point("WeightPage", weights->pages[p]->bytes, DML_PERSISTENT_BUFFER_ALIGNMENT,
                                     "DML_PERSISTENT_BUFFER_ALIGNMENT", "it is the weight store's");
        d->pages[p].element = p;
    }
}

/* Whether a planner kept to what it may address. */
static bool is_within(const struct VkdmlDispatchable_T *d, const struct vkdml_plan_buffer *buffer, bool init) {
    const uint32_t counts[] = {[VKDML_PLAN_INPUT] = d->input_count,
                               [VKDML_PLAN_OUTPUT] = init ? 0 : d->output_count,
                               [VKDML_PLAN_TEMPORARY] = 1,
                               [VKDML_PLAN_PERSISTENT] = 1,
                               [VKDML_PLAN_PAGE] = d->page_count};
    if (buffer->index >= counts[buffer->resource]) {
        return false;
    }
    const struct vkdml_bind_point *point = &d->points[vkdml_dispatchable_point(d, buffer->resource, buffer->index)];
    const uint64_t bytes = init && buffer->resource == VKDML_PLAN_TEMPORARY ? d->init_temporary_bytes : point->bytes;
    return buffer->offset + buffer->size <= bytes && (buffer->resource != VKDML_PLAN_INPUT || point->owned == init);
}

static uint32_t region_count(const struct vkdml_plan_copy *copy) {
    uint64_t count = vkdml_divide_up(copy->run_bytes, VKDML_MAX_REGION_BYTES);
    for (uint32_t d = 0; d < copy->rank; d++) {
        count *= copy->sizes[d];
    }
    assert(count <= UINT32_MAX); /* planners see to it that runs are few */
    return (uint32_t)count;
}

/* Says what a step does with what, in the order of its bindings: "product: ATensor, OutputTensor, BTensor; 2x1x1
 * workgroups"; before it, of a graph, for which node: "conv1: ". */
static void write_label(const struct VkdmlDispatchable_T *d, const struct vkdml_plan_step *planned, bool init,
                        const struct vkdml_node_names *names, char label[VKDML_STEP_LABEL_CAPACITY]) {
    const char *kind = planned->kind == VKDML_PLAN_DISPATCH ? vkdml_kernel_info(planned->kernel)->name
                       : planned->kind == VKDML_PLAN_COPY   ? "copy"
                                                            : "fill";
    const bool is_node = names && planned->node != VKDML_PLAN_NO_NODE;
    char text[VKDML_STEP_LABEL_CAPACITY];
    const char *node = is_node ? names->name(names->of, planned->node, text, sizeof text) : "";
    size_t length = (size_t)snprintf(label, VKDML_STEP_LABEL_CAPACITY, "%s%s%.64s%s%s", init ? d->context : "",
                                     init ? ": " : "", node, is_node ? ": " : "", kind);
    for (uint32_t i = 0; i < planned->buffer_count && length < VKDML_STEP_LABEL_CAPACITY; i++) {
        const struct vkdml_plan_buffer *buffer = &planned->buffers[i];
        const struct vkdml_bind_point *point = &d->points[vkdml_dispatchable_point(d, buffer->resource, buffer->index)];
        length += (size_t)snprintf(label + length, VKDML_STEP_LABEL_CAPACITY - length, "%s%s", i == 0 ? ": " : ", ",
                                   vkdml_bind_point_name(point).text);
    }
    if (planned->kind == VKDML_PLAN_DISPATCH) {
        snprintf(text, sizeof text, "; %ux%ux%u workgroups", planned->groups[0], planned->groups[1],
                 planned->groups[2]);
    } else {
        snprintf(text, sizeof text, "; %" PRIu64 " bytes", planned->buffers[planned->buffer_count - 1].size);
    }
    if (length < VKDML_STEP_LABEL_CAPACITY) {
        snprintf(label + length, VKDML_STEP_LABEL_CAPACITY - length, "%s", text);
    }
}

static VkdmlResult compile_step(VkdmlDispatchable d, const struct vkdml_plan_step *planned, bool init,
                                const struct vkdml_node_names *names, struct vkdml_step *step,
                                struct vkdml_report *report) {
    step->kind = planned->kind;
    if (planned->kind == VKDML_PLAN_COPY) {
        step->copy = planned->copy;
        step->region_count = region_count(&planned->copy);
    }
    step->fill_word = planned->fill_word;
    step->buffer_count = planned->buffer_count;
    memcpy(step->groups, planned->groups, sizeof step->groups);
    step->repeat_count = planned->repeat_count;
    memcpy(step->repeat_strides, planned->repeat_strides, sizeof step->repeat_strides);
    if (d->label) {
        char *labels = d->label + VKDML_LABEL_CAPACITY; /* by step, those of initialization behind the others */
        char *label = labels + (size_t)(step - d->steps) * VKDML_STEP_LABEL_CAPACITY;
        write_label(d, planned, init, names, label);
        step->label = label;
    }
    for (uint32_t i = 0; i < planned->buffer_count; i++) {
        assert(is_within(d, &planned->buffers[i], init));
        step->buffers[i] = planned->buffers[i];
    }
    (void)is_within; /* without assertions */
    (void)init;
    if (planned->kind != VKDML_PLAN_DISPATCH) {
        return VKDML_SUCCESS;
    }
    VkdmlResult result = vkdml_pipelines_get(d->handle.device, planned, report, &step->pipeline);
    if (result == VKDML_SUCCESS) {
        result = vkdml_parameters_create(d->handle.device, vkdml_plan_step_parameters(planned),
                                         planned->parameter_count, report, &step->parameters);
    }
    return result;
}

VkPipelineStageFlags vkdml_step_stage(enum vkdml_plan_step_kind kind) {
    return kind == VKDML_PLAN_DISPATCH ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT;
}

static VkdmlResult compile_steps(VkdmlDispatchable d, const struct vkdml_plan_steps *planned, bool init,
                                 const struct vkdml_node_names *names, struct vkdml_step *steps,
                                 struct vkdml_report *report) {
    VkdmlResult result = VKDML_SUCCESS;
    VkPipelineStageFlags earlier = 0;
    for (uint32_t i = 0; i < planned->count && result == VKDML_SUCCESS; i++) {
        const struct vkdml_plan_step *step = &planned->items[i];
        steps[i].waits_for = step->barrier_before ? earlier : 0;
        earlier |= vkdml_step_stage(step->kind);
        result = compile_step(d, step, init, names, &steps[i], report);
    }
    return result;
}

VkdmlResult vkdml_dispatchable_compile(VkdmlDispatchable dispatchable, const struct vkdml_plan *plan,
                                       const struct vkdml_node_names *names, struct vkdml_report *report) {
    assert(plan->steps.count == dispatchable->step_count && plan->init_steps.count == dispatchable->init_step_count);
    VkdmlResult result = compile_steps(dispatchable, &plan->steps, false, names, dispatchable->steps, report);
    if (result == VKDML_SUCCESS) {
        result = compile_steps(dispatchable, &plan->init_steps, true, names, dispatchable->init_steps, report);
    }
    return result;
}

struct vkdml_descriptor_count vkdml_dispatchable_descriptors(const struct VkdmlDispatchable_T *dispatchable) {
    struct vkdml_descriptor_count count = {0, 0};
    for (uint32_t i = 0; i < dispatchable->step_count; i++) {
        const struct vkdml_step *step = &dispatchable->steps[i];
        if (step->kind == VKDML_PLAN_DISPATCH) {
            count.sets++;
            count.storage_buffers += step->buffer_count;
        }
    }
    return count;
}

void vkdml_dispatchable_destroy(VkdmlDispatchable dispatchable) {
    if (!dispatchable) {
        return;
    }
    if (dispatchable->kind == VKDML_COMPILED_OPERATOR) { /* an initializer's blocks are its operators' */
        for (uint32_t i = 0; i < dispatchable->step_count + dispatchable->init_step_count; i++) {
            vkdml_parameters_destroy(dispatchable->handle.device,
                                     dispatchable->steps[i].parameters); /* init_steps follow */
        }
    }
    vkdml_weights_release(dispatchable->weights);
    vkdml_awaited_end(&dispatchable->awaited);
    vkdml_device_end_object(&dispatchable->handle);
}
