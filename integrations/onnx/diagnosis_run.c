/* Runs a node, or a whole graph, once. */
#include <stdlib.h>
#include <string.h>

#include "onnx/diagnosis_parts.h"
#include "onnx/stages.h"

uint64_t onnx_count_of(enum onnx_type type, uint32_t rank, const uint32_t *sizes) {
    return onnx_bytes_of(type, 1) == 0 ? 0 : onnx_elements(rank, sizes);
}

void onnx_made_free(struct onnx_made *made) {
    for (uint32_t i = 0; made->elements != NULL && i < made->count; ++i) {
        free(made->elements[i]);
    }
    free(made->elements);
    free(made->outputs);
    *made = (struct onnx_made){0};
}

static bool made_begin(struct onnx_made *made, uint32_t count, const struct onnx_plan_output *outputs) {
    made->count = count;
    made->outputs = calloc((size_t)count + 1, sizeof *made->outputs);
    made->elements = calloc((size_t)count + 1, sizeof *made->elements);
    bool done = made->outputs != NULL && made->elements != NULL;
    for (uint32_t i = 0; done && i < count; ++i) {
        made->outputs[i] = outputs[i];
        made->elements[i] = calloc(1, outputs[i].bytes + ONNX_DIAGNOSIS_PADDING);
        done = made->elements[i] != NULL;
    }
    return done;
}

bool onnx_execute(const struct onnx_walking *walk, const struct onnx_graph *graph, const struct onnx_plan_input *inputs,
                  bool by_reference, struct onnx_made *made, struct onnx_error *error) {
    struct onnx_session_options options = walk->diagnosis->options;
    struct onnx_stages *stages = NULL;
    struct onnx_stages_run *run = NULL;
    options.by_reference = options.by_reference || by_reference;
    options.pool = NULL;
    options.load_callback = NULL;
    *made = (struct onnx_made){0};
    const struct onnx_diagnosis *diagnosis = walk->diagnosis;
    bool done = onnx_stages_create(diagnosis->device, diagnosis->model, graph, &options, &stages, error) &&
                onnx_stages_begin(stages, graph->input_count + graph->optional_count, inputs, NULL, &run, error);
    done = done && (made_begin(made, graph->output_count, onnx_stages_outputs(run)) || onnx_fail_memory(error));
    done = done && onnx_stages_execute(run, made->elements, NULL, error);
    onnx_stages_end(run);
    onnx_stages_free(stages);
    return done;
}

/* A reason for a node that could not be run names it, as those of plans do by themselves. */
static bool fail_node(struct onnx_visit *v, const struct onnx_error *reason) {
    struct onnx_text_buffer text = {.size = 0};
    if (reason->result != VKDML_ERROR_INVALID_ARGUMENT) {
        onnx_text_add_node(&text, v->walk->graph, v->node);
        onnx_text_add(&text, ": ");
    }
    onnx_text_add(&text, "%s", reason->text);
    return onnx_fail_with(v->walk->error, reason->result, "%s", text.text);
}

bool onnx_execute_node(struct onnx_visit *v, const struct onnx_plan_input *inputs, bool by_reference,
                       struct onnx_made *made) {
    struct onnx_error reason = {0};
    return onnx_execute(v->walk, &v->single.graph, inputs, by_reference, made, &reason) || fail_node(v, &reason);
}

void onnx_tell_found(struct onnx_walking *walk, const struct onnx_found *found) {
    walk->wrong += found->is_wrong;
    if (walk->diagnosis->tell != NULL) {
        walk->diagnosis->tell(walk->diagnosis->data, found);
    }
}
