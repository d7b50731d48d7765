#include "onnx/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "model/element.h"
#include "onnx/session.h"
#include "text/visible_text.h"

/* The graph with other outputs: all that its nodes make and others read, and its own. */
struct watched {
    struct onnx_graph graph;
    uint32_t *values;
    const struct onnx_node **makers; /* of each; NULL: an input or a constant */
    uint32_t *own;                   /* of each output of the model: its place among them */
    bool *is_read;                   /* of each value of the graph */
};

static void watched_free(struct watched *watched) {
    free(watched->values);
    free(watched->makers);
    free(watched->own);
    free(watched->is_read);
}

static bool is_needed(const struct watched *watched, const struct onnx_node *node) {
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != ONNX_NONE && watched->is_read[node->outputs[i]]) {
            return true;
        }
    }
    return false;
}

static void mark_body(const struct onnx_graph *body, bool *is_read) {
    for (uint32_t v = 0; v < body->value_count; v++) {
        if (body->values[v].outer != ONNX_NONE) {
            is_read[body->values[v].outer] = true;
        }
    }
}

/* Backward from the outputs, as plans find what they need. */
static void find_read(const struct onnx_graph *graph, struct watched *watched) {
    for (uint32_t i = 0; i < graph->output_count; i++) {
        watched->is_read[graph->outputs[i]] = true;
    }
    for (uint32_t n = graph->node_count; n-- > 0;) {
        const struct onnx_node *node = &graph->nodes[n];
        if (!is_needed(watched, node)) {
            continue;
        }
        for (uint32_t i = 0; i < node->input_count; i++) {
            if (node->inputs[i] != ONNX_NONE) {
                watched->is_read[node->inputs[i]] = true;
            }
        }
        for (uint32_t a = 0; a < node->attribute_count; a++) {
            if (node->attributes[a].kind == ONNX_ATTRIBUTE_GRAPH) {
                mark_body(node->attributes[a].graph, watched->is_read);
            }
        }
    }
}

static uint32_t place_of(const struct watched *watched, uint32_t value) {
    uint32_t place = 0;
    while (place < watched->graph.output_count && watched->values[place] != value) {
        place++;
    }
    return place;
}

static bool watch(const struct onnx_graph *graph, struct watched *watched) {
    const size_t room = (size_t)graph->value_count + graph->output_count + 1;
    *watched = (struct watched){.graph = *graph};
    watched->values = calloc(room, sizeof(*watched->values));
    watched->makers = calloc(room, sizeof(*watched->makers));
    watched->own = calloc((size_t)graph->output_count + 1, sizeof(*watched->own));
    watched->is_read = calloc((size_t)graph->value_count + 1, sizeof(*watched->is_read));
    watched->graph.outputs = watched->values;
    watched->graph.output_count = 0;
    if (!watched->values || !watched->makers || !watched->own || !watched->is_read) {
        message_print("vkdml: out of memory");
        return false;
    }
    find_read(graph, watched);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct onnx_node *node = &graph->nodes[n];
        for (uint32_t i = 0; i < node->output_count; i++) {
            if (node->outputs[i] != ONNX_NONE && watched->is_read[node->outputs[i]]) {
                watched->makers[watched->graph.output_count] = node;
                watched->values[watched->graph.output_count++] = node->outputs[i];
            }
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        watched->own[i] = place_of(watched, graph->outputs[i]);
        if (watched->own[i] == watched->graph.output_count) {
            watched->values[watched->graph.output_count++] = graph->outputs[i];
        }
    }
    return true;
}

static bool run_watched(const struct subject *subject, struct onnx_device *device, const struct watched *watched,
                        const struct onnx_session_options *options, struct values *values) {
    struct onnx_error error = {0};
    struct onnx_session *session = NULL;
    struct onnx_run *run = NULL;
    bool good = onnx_session_create(device, subject->model, &watched->graph, options, &session, &error) &&
                onnx_run_begin(session, subject->input_count, subject->inputs, &run, &error);
    if (good) {
        good = values_begin(values, watched->graph.output_count, onnx_run_outputs(run));
        good = good && onnx_run_execute(run, values->elements, &error);
    }
    onnx_run_end(run);
    onnx_session_free(session);
    return good || (error.text[0] != '\0' && subject_fail(subject, &error));
}

/* The rule of thumb of sums, tolerance.h: what it takes from node to node is the reader's to judge. */
static struct compare_tolerance tolerance_of(DML_TENSOR_DATA_TYPE type, bool half) {
    if (!element_is_float(type)) {
        return (struct compare_tolerance){.bits = true};
    }
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16 || half) {
        return (struct compare_tolerance){.relative = 0x1p-9, .of_largest = 0x1p-12};
    }
    return (struct compare_tolerance){.relative = 0x1p-13, .of_largest = 0x1p-16};
}

/* What one output of both is. */
struct pair {
    struct compare_arrays arrays;
    struct compare_tolerance tolerance;
    struct compare_result result;
    struct compare_shape shape;
    double farthest; /* the largest distance, in largest magnitudes that are expected */
};

static double largest_magnitude(const struct compare_arrays *arrays) {
    double largest = 0;
    for (uint64_t i = 0; i < arrays->count; i++) {
        unsigned char element[8];
        element_load(arrays->type, arrays->expected, i, element);
        const double magnitude = fabs(element_number(arrays->type, element));
        largest = isfinite(magnitude) && magnitude > largest ? magnitude : largest;
    }
    return largest;
}

static void compare(const struct values *got, uint32_t got_index, const struct values *expected,
                    uint32_t expected_index, bool half, struct pair *pair) {
    const struct onnx_plan_output *output = &expected->outputs[expected_index];
    const struct compare_tolerance none = {.bits = false};
    uint64_t sizes[ONNX_MAX_RANK];
    struct compare_result all;
    for (uint32_t d = 0; d < output->rank; d++) {
        sizes[d] = output->sizes[d];
    }
    pair->arrays = (struct compare_arrays){subject_type(output->type), values_elements(expected, expected_index),
                                           got->elements[got_index], expected->elements[expected_index]};
    pair->tolerance = tolerance_of(pair->arrays.type, half);
    pair->shape = compare_shape_of_sizes(output->rank, sizes);
    compare_elements(&pair->arrays, &pair->tolerance, &pair->result);
    compare_elements(&pair->arrays, &none, &all);
    const double largest = largest_magnitude(&pair->arrays);
    pair->farthest = all.different == 0 ? 0 : largest > 0 ? all.largest.distance / largest : (double)INFINITY;
}

static bool compare_outputs(const struct subject *subject, struct results *results, const struct values *outputs,
                            const struct values *reference, const uint32_t *own) {
    const struct dispatchable whole = {.name = subject->name};
    bool good = true;
    for (uint32_t i = 0; i < outputs->count; i++) {
        struct pair pair;
        compare(outputs, i, reference, own[i], subject->request->half, &pair);
        results_comparison(results, &whole, subject_output(subject, i), &pair.arrays, &pair.tolerance, &pair.result,
                           &pair.shape);
        good = good && pair.result.different == 0;
    }
    return good;
}

static void name_node(const struct onnx_node *node, char *text, size_t size) {
    snprintf(text, size, "%s%s%s", visible_text(node->op).text, *node->name ? " " : "",
             visible_text(node->name).text);
}

/* What nodes made, in their order. Lines tell of the first that differs, or with -v of all; documents have all. */
static bool compare_layers(const struct watched *watched, const struct run_options *options, struct results *results,
                           const struct values *got, const struct values *reference, bool half) {
    uint32_t different = 0, count = 0;
    double farthest = 0;
    const char *where = NULL;
    for (uint32_t i = 0; i < got->count; i++) {
        char name[256];
        struct pair pair;
        if (!watched->makers[i]) {
            continue;
        }
        name_node(watched->makers[i], name, sizeof(name));
        const struct dispatchable node = {.name = name};
        const char *value = watched->graph.values[watched->values[i]].name;
        compare(got, i, reference, i, half, &pair);
        const bool differs = pair.result.different != 0;
        if (results->root || options->verbosity || (differs && different == 0)) {
            results_comparison(results, &node, value, &pair.arrays, &pair.tolerance, &pair.result, &pair.shape);
        }
        if (pair.farthest > farthest || (!where && pair.farthest == farthest)) {
            farthest = pair.farthest;
            where = value;
        }
        different += differs;
        count++;
    }
    if (different) {
        message_print("Node by node %u of %u values differ from the reference; that is the first of them", different,
                      count);
    } else if (!results->root && where) {
        printf("Node by node all %u values are the reference's, within %.2g of the largest element (%s)\n", count,
               farthest, visible_text(where).text);
    }
    return different == 0;
}

bool layers_compare(const struct subject *subject, struct onnx_device *device, const struct run_options *options,
                    struct results *results, const struct values *outputs) {
    struct watched watched;
    struct values got = {0}, reference = {0};
    const struct onnx_session_options on_device = {.allows_half = subject->request->half,
                                                   .node_by_node = options->node_by_node};
    const struct onnx_session_options by_reference = {.by_reference = true};
    bool good = watch(subject->graph, &watched) && run_watched(subject, device, &watched, &by_reference, &reference) &&
                run_watched(subject, device, &watched, &on_device, &got);
    if (good) {
        good = compare_outputs(subject, results, outputs, &reference, watched.own);
        good = compare_layers(&watched, options, results, &got, &reference, subject->request->half) && good;
    }
    values_free(&got);
    values_free(&reference);
    watched_free(&watched);
    return good;
}
