#include "onnx/diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "onnx/diagnosis_parts.h"
#include "onnx/plan_parts.h"

/* ---- a node ---- */

static void keep_outputs(struct onnx_visit *v, struct onnx_made *made) {
    struct onnx_walking *walk = v->walk;
    for (uint32_t i = 0; i < made->count; ++i) {
        const struct onnx_plan_output *output = &made->outputs[i];
        struct onnx_held *held = &walk->held[v->single.outputs[i]];
        held->is = (struct onnx_plan_input){.type = output->type, .rank = output->rank, .data = made->elements[i]};
        memcpy(held->is.sizes, output->sizes, sizeof held->is.sizes);
        held->own = made->elements[i];
        walk->is_given[v->single.outputs[i]] = true;
        made->elements[i] = NULL;
    }
}

static bool check_node(struct onnx_visit *v) {
    struct onnx_made got = {0}, expected = {0};
    const bool by_reference = v->walk->diagnosis->check == ONNX_CHECK_REFERENCE;
    bool done = onnx_execute_node(v, v->inputs, false, &got);
    done = done && (!by_reference || onnx_execute_node(v, v->inputs, true, &expected));
    for (uint32_t o = 0; done && o < got.count; ++o) {
        if (by_reference) {
            done = onnx_check_reference(v, &got, &expected, o);
        } else {
            done = onnx_check_finite(v, &got, o);
        }
    }
    if (done) {
        keep_outputs(v, &got);
    }
    onnx_made_free(&got);
    onnx_made_free(&expected);
    return done;
}

static void measure_inputs(struct onnx_visit *v) {
    const struct onnx_walking *walk = v->walk;
    for (uint32_t i = 0; i < v->node->input_count; ++i) {
        bool is_new = v->node->inputs[i] != ONNX_NONE;
        for (uint32_t k = 0; k < i; ++k) {
            is_new = is_new && v->node->inputs[k] != v->node->inputs[i];
        }
        if (is_new) {
            const struct onnx_plan_input *is = &walk->held[v->node->inputs[i]].is;
            v->reads[v->read_count++] = (struct onnx_read_value){
                .name = walk->graph->values[v->node->inputs[i]].name,
                .type = is->type,
                .rank = is->rank,
                .sizes = is->sizes,
                .extent = onnx_measure(is->type, onnx_count_of(is->type, is->rank, is->sizes), is->data)};
        }
    }
}

static bool visit_node(struct onnx_walking *walk, const struct onnx_node *node) {
    struct onnx_visit v = {.walk = walk, .node = node};
    bool done = onnx_single_make(walk->graph, node, walk->is_given, walk->wanted, walk->numbers, &v.arena, &v.single);
    v.inputs = onnx_allocate(&v.arena, done ? v.single.graph.input_count : 0, sizeof *v.inputs);
    v.reads = onnx_allocate(&v.arena, node->input_count, sizeof *v.reads);
    done = (done && v.inputs != NULL && v.reads != NULL) || onnx_fail_memory(walk->error);
    for (uint32_t i = 0; done && i < v.single.graph.input_count; ++i) {
        v.inputs[i] = walk->held[v.single.inputs[i]].is;
    }
    if (done) {
        measure_inputs(&v);
    }
    done = done && check_node(&v);
    onnx_arena_free(&v.arena);
    return done;
}

/* ---- the whole ---- */

struct reading {
    struct onnx_walking *walk;
    uint32_t node;
};

static void mark_reader(void *data, uint32_t value) {
    const struct reading *reading = data;
    reading->walk->held[value].last_reader = reading->node;
}

/* Frees what the node is the last to read. */
static void forget_value(void *data, uint32_t value) {
    const struct reading *reading = data;
    struct onnx_held *held = &reading->walk->held[value];
    if (held->last_reader == reading->node) {
        free(held->own);
        held->own = NULL;
    }
}

static void hold_constant(struct onnx_held *held, const struct onnx_data *data) {
    held->is = (struct onnx_plan_input){.type = data->type, .rank = data->rank, .data = data->data};
    memcpy(held->is.sizes, data->sizes, sizeof held->is.sizes);
}

static void begin(struct onnx_walking *walk, const struct onnx_plan_input *inputs) {
    const struct onnx_graph *graph = walk->graph;
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        if (graph->values[v].constant != NULL) {
            hold_constant(&walk->held[v], graph->values[v].constant);
        }
    }
    for (uint32_t i = 0; i < graph->input_count + graph->optional_count; ++i) {
        /* An optional input without a value keeps its initializer. */
        if (i < graph->input_count || inputs[i].type != ONNX_UNDEFINED) {
            walk->held[graph->inputs[i]].is = inputs[i];
            walk->is_given[graph->inputs[i]] = true;
        }
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        struct reading reading = {walk, n};
        onnx_for_each_read(&graph->nodes[n], mark_reader, &reading);
    }
    for (uint32_t i = 0; i < graph->output_count; ++i) {
        walk->held[graph->outputs[i]].last_reader = ONNX_NONE;
    }
}

static bool visit_all(struct onnx_walking *walk) {
    bool done = true;
    for (uint32_t n = 0; done && n < walk->graph->node_count; ++n) {
        const struct onnx_node *node = &walk->graph->nodes[n];
        if (onnx_is_needed(node, walk->wanted)) {
            struct reading reading = {walk, n};
            done = visit_node(walk, node);
            onnx_for_each_read(node, forget_value, &reading);
        }
    }
    return done;
}

bool onnx_diagnose(const struct onnx_diagnosis *diagnosis, const struct onnx_plan_input *inputs,
                   const void *const *outputs, uint32_t *wrong, struct onnx_error *error) {
    const struct onnx_graph *graph = diagnosis->graph;
    struct onnx_plan *plan = onnx_plan_start(diagnosis->model, graph, NULL); /* empty: its memory */
    struct onnx_walking walk = {.diagnosis = diagnosis, .graph = graph, .error = error};
    *wrong = 0;
    if (plan == NULL) {
        return onnx_fail_memory(error);
    }
    walk.held = onnx_allocate(&plan->arena, graph->value_count, sizeof *walk.held);
    walk.is_given = onnx_allocate(&plan->arena, graph->value_count, sizeof *walk.is_given);
    walk.numbers = onnx_allocate(&plan->arena, graph->value_count, sizeof *walk.numbers);
    walk.wanted = onnx_find_wanted(&plan->arena, graph);
    bool done = walk.held != NULL && walk.is_given != NULL && walk.numbers != NULL && walk.wanted != NULL;
    if (done) {
        begin(&walk, inputs);
        done = visit_all(&walk);
        done = done && (diagnosis->check != ONNX_CHECK_REFERENCE || onnx_check_outputs(&walk, inputs, outputs));
        for (uint32_t v = 0; v < graph->value_count; ++v) {
            free(walk.held[v].own);
        }
    }
    onnx_plan_free(plan);
    *wrong = walk.wrong;
    return done || onnx_fail_memory(error); /* where no reason has been told */
}

struct requiring {
    const struct onnx_diagnosis *diagnosis;
    struct onnx_error first;
};

static void keep_first(void *data, const struct onnx_found *found) {
    struct requiring *requiring = data;
    const struct onnx_diagnosis *diagnosis = requiring->diagnosis;
    if (found->is_wrong) {
        onnx_fail_with(&requiring->first,
                       diagnosis->check == ONNX_CHECK_FINITE ? VKDML_ERROR_INVALID_ARGUMENT : VKDML_ERROR_DRIVER, "%s",
                       found->text);
    }
    if (diagnosis->tell != NULL) {
        diagnosis->tell(diagnosis->data, found);
    }
}

bool onnx_require_right(const struct onnx_diagnosis *diagnosis, const struct onnx_plan_input *inputs,
                        const void *const *outputs, struct onnx_error *error) {
    struct requiring requiring = {.diagnosis = diagnosis};
    struct onnx_diagnosis inner = *diagnosis;
    uint32_t wrong = 0;
    inner.tell = keep_first;
    inner.data = &requiring;
    return onnx_diagnose(&inner, inputs, outputs, &wrong, error) &&
           (wrong == 0 || onnx_fail_with(error, requiring.first.result, "%s", requiring.first.text));
}
