#include "onnx/report.h"

#include <stdlib.h>
#include <string.h>

#include "onnx/plan_parts.h"

/* Of a plan whose nodes are told of: what onnx_follow() is given. */
struct onnx_follower {
    void (*tell)(void *data, const struct onnx_node_report *report); /* NULL: what shapes depend on is only found */
    void *data;
    const struct onnx_plan_input *inputs;
};

/* A size of a value: as the model says it, or what the input has that names it alike. */
static bool find_size(const struct onnx_plan *plan, const struct onnx_graph *graph, const struct onnx_value *value,
                      uint32_t d, uint32_t *size) {
    if (value->sizes[d] >= 0 && value->sizes[d] <= UINT32_MAX) {
        *size = (uint32_t)value->sizes[d];
        return true;
    }
    for (uint32_t i = 0; value->symbols[d] != NULL && i < graph->input_count; ++i) {
        const struct onnx_value *input = &graph->values[graph->inputs[i]];
        const struct onnx_plan_input *given = &plan->follower->inputs[i];
        for (uint32_t j = 0; input->has_shape && j < input->rank && j < given->rank; ++j) {
            if (input->symbols[j] != NULL && strcmp(input->symbols[j], value->symbols[d]) == 0) {
                *size = given->sizes[j];
                return true;
            }
        }
    }
    return false;
}

/* What a refused node would have made, where its type and sizes are said. */
static void stand_in(struct onnx_plan *plan, const struct onnx_scope *scope, uint32_t v) {
    const struct onnx_value *value = &scope->graph->values[v];
    uint32_t sizes[ONNX_MAX_RANK];
    if (value->type == ONNX_UNDEFINED || !value->has_shape) {
        return;
    }
    for (uint32_t d = 0; d < value->rank; ++d) {
        if (!find_size(plan, scope->graph, value, d, &sizes[d])) {
            return;
        }
    }
    if (!onnx_is_countable(value->rank, sizes)) {
        return;
    }
    const size_t bytes = onnx_bytes_of(value->type, onnx_elements(value->rank, sizes));
    uint32_t source = ONNX_NONE;
    if (bytes != 0) {
        source = onnx_add_source(plan, &(struct onnx_source){.kind = ONNX_SOURCE_INPUT, .bytes = bytes});
        if (source == ONNX_NONE) {
            return;
        }
    }
    scope->tensors[v] = onnx_add_tensor(plan, value->type, value->rank, sizes, source);
}

static bool reads_nothing(const struct onnx_scope *scope, const struct onnx_node *node) {
    for (uint32_t i = 0; i < node->input_count; ++i) {
        if (node->inputs[i] != ONNX_NONE && scope->tensors[node->inputs[i]] == NULL) {
            return true;
        }
    }
    return false;
}

bool onnx_follow(struct onnx_plan *plan, const struct onnx_scope *scope, const struct onnx_node *node, bool is_needed,
                 uint32_t first, bool is_done, struct onnx_error *error) {
    struct onnx_node_report report = {.node = node, .outcome = is_needed ? ONNX_TRANSLATED : ONNX_UNNEEDED};
    if (!is_done) {
        report.outcome = reads_nothing(scope, node) ? ONNX_UNREACHED : ONNX_REFUSED;
        for (uint32_t i = 0; i < node->output_count; ++i) {
            if (node->outputs[i] != ONNX_NONE) {
                stand_in(plan, scope, node->outputs[i]);
            }
        }
    }
    report.reason = error->text;
    report.operator_count = is_done ? plan->node_count - first : 0;
    DML_OPERATOR_TYPE *types = onnx_allocate(&plan->arena, report.operator_count, sizeof *types);
    if (types == NULL) {
        *error = (struct onnx_error){{0}};
        return onnx_fail(error, "memory is out");
    }
    for (uint32_t n = 0; n < report.operator_count; ++n) {
        types[n] = plan->nodes[first + n].desc.Type;
    }
    report.operators = types;
    if (plan->follower->tell != NULL) {
        plan->follower->tell(plan->follower->data, &report);
    }
    *error = (struct onnx_error){{0}};
    return true;
}

bool onnx_report(const struct onnx_model *model, const struct onnx_graph *graph, uint32_t input_count,
                 const struct onnx_plan_input *inputs, void (*tell)(void *data, const struct onnx_node_report *report),
                 void *data, struct onnx_error *error) {
    if (input_count != graph->input_count) {
        return onnx_fail(error, "%u inputs for a graph of %u", (unsigned)input_count, (unsigned)graph->input_count);
    }
    uint64_t looked_at = 0;
    /* Until all is known that shapes depend on; then once more, telling. */
    for (bool tells = false;;) {
        const struct onnx_follower follower = {tells ? tell : NULL, data, inputs};
        struct onnx_plan *plan = onnx_plan_start(model, graph, NULL);
        if (plan == NULL) {
            return onnx_fail(error, "memory is out");
        }
        plan->looked_at = looked_at;
        plan->follower = &follower;
        const bool done = onnx_plan_make(plan, graph, inputs, error);
        const uint64_t more = onnx_plan_more(plan, input_count, inputs);
        onnx_plan_free(plan);
        if (!done || tells) {
            return done;
        }
        tells = more == 0;
        looked_at |= more;
    }
}
