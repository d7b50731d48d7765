/* Bytes read as an ONNX model and as a tensor: whatever they are, the reader says what they are or why they are none.
 * What it reads is walked through: every text, number and element, and that numbers are of what is there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "onnx/file.h"
#include "require.h"

static size_t seen; /* so that nothing that is read is left out by the compiler */

static void walk_data(const struct onnx_data *data) {
    uint64_t elements = 1;
    REQUIRE(data->rank <= ONNX_MAX_RANK);
    for (uint32_t i = 0; i < data->rank; i++) {
        elements *= data->sizes[i];
    }
    REQUIRE(data->type == ONNX_STRING ? data->data == NULL : data->data != NULL);
    REQUIRE(data->type == ONNX_STRING || data->bytes == onnx_bytes_of(data->type, elements));
    for (size_t i = 0; i < data->bytes; i++) {
        seen += ((const unsigned char *)data->data)[i];
    }
}

static void walk_values(const uint32_t *values, uint32_t count, uint32_t limit, bool may_be_absent) {
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(values[i] < limit || (may_be_absent && values[i] == ONNX_NONE));
    }
}

static void walk_graph(const struct onnx_graph *graph, uint32_t outer_count);

static void walk_attribute(const struct onnx_attribute *attribute, uint32_t value_count) {
    seen += strlen(attribute->name) + strlen(onnx_type_name(attribute->tensor.type));
    for (size_t i = 0; i < attribute->count; i++) {
        seen += attribute->floats != NULL && attribute->floats[i] > 0;
        seen += attribute->ints != NULL && attribute->ints[i] > 0;
        seen += attribute->strings != NULL ? strlen(attribute->strings[i]) : 0;
    }
    if (attribute->kind == ONNX_ATTRIBUTE_TENSOR) {
        walk_data(&attribute->tensor);
    }
    REQUIRE((attribute->kind == ONNX_ATTRIBUTE_GRAPH) == (attribute->graph != NULL));
    if (attribute->graph != NULL) {
        walk_graph(attribute->graph, value_count);
    }
}

static void walk_graph(const struct onnx_graph *graph, uint32_t outer_count) {
    unsigned char *is_made = calloc(1, (size_t)graph->value_count + 1);
    REQUIRE(is_made != NULL);
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const struct onnx_value *value = &graph->values[i];
        REQUIRE(value->outer == ONNX_NONE || value->outer < outer_count);
        REQUIRE(value->rank <= ONNX_MAX_RANK);
        seen += strlen(value->name);
        for (uint32_t axis = 0; axis < value->rank; axis++) {
            REQUIRE(value->sizes[axis] >= -1);
            seen += value->symbols[axis] != NULL ? strlen(value->symbols[axis]) : 0;
        }
        if (value->constant != NULL) {
            walk_data(value->constant);
        }
        is_made[i] = value->constant != NULL || value->outer != ONNX_NONE;
    }
    walk_values(graph->inputs, graph->input_count, graph->value_count, false);
    walk_values(graph->outputs, graph->output_count, graph->value_count, false);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        REQUIRE(!is_made[graph->inputs[i]]);
        is_made[graph->inputs[i]] = 1;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct onnx_node *node = &graph->nodes[i];
        seen += strlen(node->name) + strlen(node->domain);
        REQUIRE(strlen(node->op) > 0 && node->version > 0);
        walk_values(node->inputs, node->input_count, graph->value_count, true);
        walk_values(node->outputs, node->output_count, graph->value_count, true);
        for (uint32_t a = 0; a < node->attribute_count; a++) {
            const struct onnx_graph *body = node->attributes[a].graph;
            walk_attribute(&node->attributes[a], graph->value_count);
            for (uint32_t v = 0; body != NULL && v < body->value_count; v++) {
                REQUIRE(body->values[v].outer == ONNX_NONE || is_made[body->values[v].outer]);
            }
        }
        for (uint32_t v = 0; v < node->input_count; v++) {
            REQUIRE(node->inputs[v] == ONNX_NONE || is_made[node->inputs[v]]);
        }
        for (uint32_t v = 0; v < node->output_count; v++) {
            if (node->outputs[v] != ONNX_NONE) {
                REQUIRE(!is_made[node->outputs[v]]);
                is_made[node->outputs[v]] = 1;
            }
        }
    }
    for (uint32_t i = 0; i < graph->value_count; i++) {
        REQUIRE(is_made[i]);
    }
    free(is_made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct onnx_model model;
    struct onnx_arena arena = {0};
    struct onnx_data tensor;
    struct onnx_error error;
    const char *name;
    if (onnx_read_model(data, size, NULL, &model, &error)) {
        REQUIRE(error.text[0] == 0);
        walk_graph(&model.graph, 0);
        onnx_arena_free(&model.arena);
    } else {
        REQUIRE(error.text[0] != 0);
        REQUIRE(model.arena.first == NULL);
    }
    if (onnx_read_tensor(data, size, &arena, &tensor, &name, &error)) {
        walk_data(&tensor);
        seen += strlen(name);
    }
    onnx_arena_free(&arena);
    return 0;
}
