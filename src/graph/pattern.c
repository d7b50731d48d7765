#include "graph/pattern.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/notes.h"
#include "operators/scalar.h"

const struct vkdml_instance *vkdml_fusion_producer(const struct vkdml_fusion *fusion, uint32_t node, uint32_t index,
                                                   uint32_t *producer) {
    const struct vkdml_graph *graph = fusion->graph;
    const uint32_t value = vkdml_graph_source(graph, node, index);
    *producer = value != VKDML_GRAPH_NONE ? graph->values[value].node : VKDML_GRAPH_NONE;
    return *producer != VKDML_GRAPH_NONE ? graph->nodes[*producer].instance : NULL;
}

static struct vkdml_graph_text text_of(const struct vkdml_fusion *fusion, uint32_t node) {
    return vkdml_graph_node_text(node, fusion->graph->nodes[node].name);
}

void vkdml_fusion_tell(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node) {
    fusion->graph->nodes[node].into = producer + 1;
    if (fusion->report->notes != NULL) {
        vkdml_note(fusion->report, "%s is fused into %s", text_of(fusion, node).text, text_of(fusion, producer).text);
    }
}

void vkdml_fusion_refuse(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node, const char *format, ...) {
    if (fusion->report->notes == NULL) {
        return;
    }
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    vkdml_note(fusion->report, "%s is not fused into %s: %s", text_of(fusion, node).text,
               text_of(fusion, producer).text, reason);
}

/* Of values that were added. */
static VkdmlResult follow_values(struct vkdml_fusion *fusion, bool is_fixed) {
    const struct vkdml_graph *graph = fusion->graph;
    const struct vkdml_graph_node *last = &graph->nodes[graph->node_count - 1];
    if (graph->value_count > fusion->fixed_room) {
        const uint32_t room = graph->value_count + graph->value_count / 2;
        bool *fixed = vkdml_allocate(graph->callbacks, room * sizeof *fixed);
        if (fixed == NULL) {
            return vkdml_report_out_of_memory(fusion->report, room * sizeof *fixed, "a graph's fusion");
        }
        memcpy(fixed, fusion->fixed, fusion->fixed_room * sizeof *fixed);
        vkdml_free(graph->callbacks, fusion->fixed);
        fusion->fixed = fixed;
        fusion->fixed_room = room;
    }
    for (uint32_t i = 0; i < last->output_count; ++i) {
        fusion->fixed[last->first_value + i] = is_fixed;
    }
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_fusion_add_node(struct vkdml_fusion *fusion, struct vkdml_instance *own, const uint32_t *sources,
                                  uint32_t beside, const char *what, uint32_t *value) {
    struct vkdml_graph *graph = fusion->graph;
    const char *name = graph->nodes[beside].name;
    char text[sizeof(struct vkdml_graph_text) + 16];
    uint32_t added;
    snprintf(text, sizeof text, "%.64s %s", name != NULL && name[0] != '\0' ? name : text_of(fusion, beside).text,
             what);
    VkdmlResult result = vkdml_graph_add_node(graph, own, text, fusion->report, &added);
    bool is_fixed = true;
    for (uint32_t i = 0; result == VKDML_SUCCESS && i < graph->nodes[added].input_count; ++i) {
        vkdml_graph_set_source(graph, added, i, sources[i]);
        is_fixed = is_fixed && (sources[i] == VKDML_GRAPH_NONE || fusion->fixed[sources[i]]);
    }
    if (result == VKDML_SUCCESS) {
        result = follow_values(fusion, is_fixed);
    }
    if (result == VKDML_SUCCESS) {
        *value = vkdml_graph_value_of(graph, added, 0);
        if (fusion->report->notes != NULL) {
            vkdml_note(fusion->report, "%s is added", text_of(fusion, added).text);
        }
    }
    return result;
}

VkdmlResult vkdml_fusion_zero(struct vkdml_fusion *fusion, uint32_t *value) {
    static const uint32_t zero = 0;
    VkdmlResult result = VKDML_SUCCESS;
    if (fusion->zero == VKDML_GRAPH_NONE) {
        uint32_t added;
        result = vkdml_graph_add_constant(fusion->graph, &zero, sizeof zero, "zero", fusion->report, &added);
        if (result == VKDML_SUCCESS) {
            fusion->zero = vkdml_graph_value_of(fusion->graph, added, 0);
            result = follow_values(fusion, true);
        }
    }
    *value = fusion->zero;
    return result;
}

bool vkdml_fusion_is_private(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node) {
    const struct vkdml_graph *graph = fusion->graph;
    const uint32_t between = vkdml_graph_value_of(graph, producer, 0), after = vkdml_graph_value_of(graph, node, 0);
    const struct vkdml_graph_value *value = &graph->values[between];
    if (value->outputs > 0) {
        vkdml_fusion_refuse(fusion, producer, node, "its input is an output of the graph");
    } else if (value->readers > 1) {
        vkdml_fusion_refuse(fusion, producer, node, "its input is read %" PRIu32 " times", value->readers);
    } else if (fusion->fixed[between] != fusion->fixed[after]) {
        vkdml_fusion_refuse(fusion, producer, node, "its input is computed once, when the graph is initialized");
    } else {
        return true;
    }
    return false;
}

bool vkdml_fusion_constant(const struct vkdml_fusion *fusion, uint32_t node, uint32_t input, float *number) {
    const struct vkdml_graph *graph = fusion->graph;
    const uint32_t value = vkdml_graph_source(graph, node, input);
    const uint32_t from = value != VKDML_GRAPH_NONE ? graph->values[value].node : VKDML_GRAPH_NONE;
    const struct vkdml_tensor *tensor = &graph->nodes[node].instance->inputs[input];
    if (from == VKDML_GRAPH_NONE || graph->nodes[from].data == NULL) {
        return false;
    }
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        if (tensor->sizes[d] > 1 && tensor->strides[d] != 0) {
            return false;
        }
    }
    if (tensor->data_type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        memcpy(number, graph->nodes[from].data, sizeof *number);
    } else if (tensor->data_type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        uint16_t half;
        memcpy(&half, graph->nodes[from].data, sizeof half);
        *number = vkdml_float_of_half(half);
    } else {
        return false;
    }
    return true;
}

bool vkdml_fusion_is_unrounded(const struct vkdml_fusion *fusion, DML_TENSOR_DATA_TYPE type) {
    return type != DML_TENSOR_DATA_TYPE_FLOAT16 || fusion->limits->half_allowed;
}

static bool is_packed(const struct vkdml_tensor *tensor) {
    uint32_t strides[VKDML_MAX_DIMENSIONS];
    bool packed = vkdml_packed_strides(tensor->dimension_count, tensor->sizes, strides);
    for (uint32_t d = 0; d < tensor->dimension_count && packed; ++d) {
        packed = tensor->sizes[d] == 1 || tensor->strides[d] == strides[d];
    }
    return packed;
}

bool vkdml_fusion_lies_alike(const struct vkdml_tensor *a, const struct vkdml_tensor *b) {
    return vkdml_same_layout(a, b) || (a->data_type == b->data_type && is_packed(a) && is_packed(b) &&
                                       vkdml_tensor_elements(a) == vkdml_tensor_elements(b));
}

/* Elements that are as far apart from one another, from the last dimension before *end on: how many. */
static uint64_t next_run(const struct vkdml_tensor *tensor, uint32_t *end, uint32_t *stride) {
    uint64_t count = 1;
    *stride = 0;
    for (; *end > 0; --*end) {
        const uint32_t size = tensor->sizes[*end - 1];
        if (count > 1 && size > 1 && tensor->strides[*end - 1] != *stride * count) {
            break;
        }
        *stride = count == 1 && size > 1 ? tensor->strides[*end - 1] : *stride;
        count *= size;
    }
    return count;
}

bool vkdml_fusion_reshape(const struct vkdml_tensor *tensor, const struct vkdml_tensor *sizes,
                          struct vkdml_tensor *reshaped) {
    uint32_t end = tensor->dimension_count, stride = 0;
    uint64_t left = 1, taken = 1; /* of a run */
    *reshaped = *tensor;
    reshaped->dimension_count = sizes->dimension_count;
    reshaped->has_strides = true;
    for (uint32_t d = sizes->dimension_count; d-- > 0;) {
        const uint32_t size = sizes->sizes[d];
        if (size > 1 && left == 1) {
            left = next_run(tensor, &end, &stride);
            taken = 1;
        }
        if (left % size != 0) {
            return false;
        }
        reshaped->sizes[d] = size;
        reshaped->strides[d] = size > 1 ? (uint32_t)(stride * taken) : 0;
        left /= size;
        taken *= size;
    }
    return left == 1 && next_run(tensor, &end, &stride) == 1;
}

struct vkdml_tensor vkdml_fusion_output(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node) {
    struct vkdml_tensor tensor = fusion->graph->nodes[producer].instance->outputs[0];
    tensor.base_alignment = fusion->graph->nodes[node].instance->outputs[0].base_alignment;
    return tensor;
}

VkdmlResult vkdml_fusion_rewrite(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node,
                                 DML_OPERATOR_TYPE type, const struct vkdml_edit *edits, size_t edit_count,
                                 struct vkdml_instance **made) {
    struct vkdml_report refusal;
    const VkdmlResult result = vkdml_rewrite(fusion->graph->nodes[producer].instance, type, edits, edit_count,
                                             fusion->level, fusion->graph->callbacks, fusion->report, &refusal, made);
    if (result == VKDML_SUCCESS && *made == NULL) {
        vkdml_fusion_refuse(fusion, producer, node, "%.*s", (int)strcspn(refusal.text, "\n"), refusal.text);
    }
    return result;
}

void vkdml_fusion_absorb(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node) {
    struct vkdml_graph *graph = fusion->graph;
    const uint32_t between = vkdml_graph_value_of(graph, producer, 0), after = vkdml_graph_value_of(graph, node, 0);
    vkdml_fusion_tell(fusion, producer, node);
    graph->values[between].alignment = graph->values[after].alignment;
    vkdml_graph_redirect(graph, after, between);
    for (uint32_t i = 0; i < graph->nodes[node].input_count; ++i) {
        vkdml_graph_set_source(graph, node, i, VKDML_GRAPH_NONE);
    }
    vkdml_graph_drop(graph, node);
}

void vkdml_fusion_join(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node,
                       struct vkdml_instance *made) {
    vkdml_graph_replace(fusion->graph, producer, made);
    vkdml_fusion_absorb(fusion, producer, node);
}
