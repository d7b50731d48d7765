#include "onnx_try.h"

#include <stdlib.h>
#include <string.h>

#include "invented.h"
#include "onnx/conditions.h"
#include "onnx/file.h"
#include "onnx/judge.h"
#include "onnx/report.h"
#include "onnx/split.h"
#include "require.h"

#define GIVEN_BYTES 65536 /* of an input whose elements are given: what session.c lets plans look at */

struct onnx_tried onnx_tried;

/* ---- inputs ---- */

struct onnx_plan_input *onnx_try_inputs(const struct onnx_graph *graph, uint32_t open, const void *elements) {
    struct onnx_plan_input *inputs = calloc((size_t)graph->input_count + 1, sizeof *inputs);
    REQUIRE(inputs != NULL);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        inputs[i].type = value->type == ONNX_UNDEFINED ? ONNX_FLOAT : value->type;
        inputs[i].rank = value->has_shape ? value->rank : open;
        for (uint32_t d = 0; d < inputs[i].rank; d++) {
            const int64_t size = value->has_shape ? value->sizes[d] : -1;
            inputs[i].sizes[d] = size >= 0 && size <= UINT32_MAX ? (uint32_t)size : open;
        }
        const size_t bytes = onnx_bytes_of(inputs[i].type, onnx_elements(inputs[i].rank, inputs[i].sizes));
        if (bytes == SIZE_MAX || bytes == 0 || !onnx_is_countable(inputs[i].rank, inputs[i].sizes)) {
            /* What api.c and ONNX Runtime do not let through. */
            inputs[i].rank = 1;
            inputs[i].type = bytes == 0 && onnx_bytes_of(inputs[i].type, 2) == 0 ? ONNX_FLOAT : inputs[i].type;
            inputs[i].sizes[0] = open;
        }
        inputs[i].data = onnx_bytes_of(inputs[i].type, onnx_elements(inputs[i].rank, inputs[i].sizes)) <= GIVEN_BYTES
                             ? elements
                             : NULL;
    }
    return inputs;
}

/* ---- what becomes of a model ---- */

static void tell(void *data, const struct onnx_node_report *report) {
    (void)data;
    REQUIRE(report->node != NULL && report->reason != NULL);
    REQUIRE((report->outcome == ONNX_REFUSED) <= (report->reason[0] != 0));
}

/* Explaining a refusal takes many plans: only some are explained. */
static void try_plan(const struct onnx_model *model, const struct onnx_plan_input *inputs, bool explains) {
    struct onnx_error error = {0};
    struct onnx_plan *plan;
    struct onnx_plan_graph *graph;
    const uint32_t count = model->graph.input_count;
    REQUIRE(onnx_report(model, &model->graph, count, inputs, tell, NULL, &error) || error.text[0] != 0);
    error.text[0] = 0;
    /* Which looks for patterns, too, and leaves sizes open as sessions do. */
    const struct onnx_plan_options wide = {.has_float32_intermediates = true, .has_growing_sizes = true};
    if (!onnx_plan_create(model, &model->graph, count, inputs, &wide, &plan, &error)) {
        REQUIRE(plan == NULL && error.text[0] != 0);
        REQUIRE(!explains || !onnx_explain_sizes(model, &model->graph, count, inputs, &error));
        return;
    }
    onnx_tried.planned++;
    if (onnx_plan_node_count(plan) != 0) {
        VkdmlDevice device = invented_device();
        const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED};
        VkdmlDispatchable compiled = NULL;
        if (onnx_plan_graph_create(plan, device, &graph, &error)) {
            if (vkdmlCompileGraph(device, onnx_plan_graph_desc(graph), &info, &compiled) == VKDML_SUCCESS) {
                onnx_tried.compiled++;
            } else {
                REQUIRE(vkdmlGetErrorMessage()[0] != 0);
            }
            onnx_plan_graph_free(graph);
        } else {
            REQUIRE(error.text[0] != 0);
        }
        vkdmlDestroyDispatchable(compiled);
    }
    onnx_plan_free(plan);
}

/* Stages read what is there, and make all outputs. */
static void try_split(const struct onnx_model *model) {
    const struct onnx_graph *graph = &model->graph;
    struct onnx_split split;
    struct onnx_error error;
    bool *is_there = malloc(graph->value_count + 1);
    REQUIRE(is_there != NULL && onnx_split(graph, &split, &error) && split.count != 0);
    memset(is_there, 1, graph->value_count);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        for (uint32_t o = 0; o < graph->nodes[n].output_count; o++) {
            if (graph->nodes[n].outputs[o] != ONNX_NONE) {
                is_there[graph->nodes[n].outputs[o]] = false;
            }
        }
    }
    for (uint32_t s = 0; s < split.count; s++) {
        const struct onnx_stage *stage = &split.stages[s];
        for (uint32_t i = 0; i < stage->graph.input_count + stage->graph.optional_count; i++) {
            REQUIRE(is_there[stage->inputs[i]]);
        }
        for (uint32_t o = 0; o < stage->graph.output_count; o++) {
            is_there[stage->outputs[o]] = true;
        }
    }
    for (uint32_t o = 0; o < graph->output_count; o++) {
        REQUIRE(is_there[graph->outputs[o]]);
    }
    onnx_split_free(&split);
    free(is_there);
}

void onnx_try(const unsigned char *bytes, size_t length, const char *folder) {
    struct onnx_model model;
    struct onnx_error error;
    struct onnx_arena arena = {0};
    if (!onnx_read_model(bytes, length, folder, &model, &error)) {
        REQUIRE(error.text[0] != 0 && model.arena.first == NULL);
        return;
    }
    onnx_tried.read++;
    const struct onnx_verdict *verdicts = onnx_judge(&model, &model.graph, &arena);
    for (uint32_t n = 0; verdicts != NULL && n < model.graph.node_count; n++) {
        REQUIRE(verdicts[n].is_translated || (verdicts[n].reason != NULL && verdicts[n].reason[0] != 0));
    }
    onnx_tried.judged += verdicts != NULL;
    onnx_arena_free(&arena);
    try_split(&model);
    int64_t *elements = malloc(GIVEN_BYTES);
    REQUIRE(elements != NULL);
    for (size_t i = 0; i < GIVEN_BYTES / sizeof *elements; i++) {
        elements[i] = (int64_t)(i % 3 + 1);
    }
    struct onnx_plan_input *inputs = onnx_try_inputs(&model.graph, 2, elements);
    try_plan(&model, inputs, length % 16 == 0);
    free(inputs);
    memset(elements, 0, GIVEN_BYTES);
    inputs = onnx_try_inputs(&model.graph, length % 2 == 0 ? 0 : 5, elements);
    try_plan(&model, inputs, false);
    free(inputs);
    free(elements);
    onnx_arena_free(&model.arena);
}

void onnx_try_end(void) {
    invented_end();
}
