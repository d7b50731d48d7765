/* Values whose readers take strides: what a node only moves to another layout they read where it lies. */
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/map/program.h"
#include "graph/planning.h"
#include "operators/operators.h"

/* Runs of so many bytes at least are read as fast as if one were behind the other: they fill cache lines of CPUs, and
 * half of those of GPUs. With shorter ones, as of transposed matrices, a tiled copy is faster than strided reads. */
#define LEAST_RUN_BYTES 64

/* Whether what is moved lies in long runs of both tensors, that begin where words of four do. */
static bool has_runs(const struct vkdml_tensor *input, const struct vkdml_tensor *output) {
    bool found = false;
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        const uint64_t pitch = (uint64_t)input->strides[d] * input->element_bits / 8;
        if (output->sizes[d] == 1) {
            continue;
        }
        if (input->strides[d] == 1 && output->strides[d] == 1) {
            found = (uint64_t)output->sizes[d] * output->element_bits / 8 >= LEAST_RUN_BYTES;
        } else if (pitch % DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT != 0) {
            return false;
        }
    }
    return found;
}

/* Whether an output is nothing but a move: its own elements all, from where a tensor may begin. */
static bool is_strided(const struct vkdml_instance *instance, const struct vkdml_move *move) {
    const struct vkdml_tensor *input = &instance->inputs[move->input], *output = &instance->outputs[move->output];
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        if (output->sizes[d] > input->sizes[d]) {
            return false;
        }
    }
    return input->element_bits % 8 == 0 && move->to == 0 &&
           move->from * input->element_bits % (UINT64_C(8) * DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT) == 0 &&
           has_runs(input, output);
}

/* Whether a node reads a value as it was written, and would as well with other strides. Programs are maps. What a tail
 * reads was found to suit as it is. */
static bool takes_strides(const struct vkdml_graph_node *reader, uint32_t input, const struct vkdml_tensor *written) {
    struct vkdml_view read;
    if (reader->tail != NULL && input >= reader->instance->input_count) {
        return false;
    }
    if (reader->program != NULL) {
        read = reader->program->operands[input];
    } else if (vkdml_operator_of(reader->instance->schema->type)->takes_strides) {
        read = vkdml_input_view(reader->instance, input);
    } else {
        return false;
    }
    if (read.rank != written->dimension_count || vkdml_view_bits(&read) != written->element_bits) {
        return false;
    }
    for (uint32_t d = 0; d < read.rank; ++d) {
        if (read.sizes[d] != written->sizes[d] || (read.sizes[d] > 1 && read.strides[d] != written->strides[d])) {
            return false;
        }
    }
    return true;
}

/* Which values somebody reads otherwise. */
static void find_readers(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        for (uint32_t i = 0; i < graph->nodes[n].input_count; ++i) {
            const uint32_t v = vkdml_graph_source(graph, n, i);
            const uint32_t from = v != VKDML_GRAPH_NONE ? graph->values[v].node : v;
            if (from != VKDML_GRAPH_NONE && graph->nodes[from].instance != NULL) {
                planning->values[v].is_dense =
                    planning->values[v].is_dense || planning->nodes[n].is_fixed ||
                    !takes_strides(&graph->nodes[n], i, &graph->nodes[from].instance->outputs[graph->values[v].output]);
            }
        }
    }
}

static bool is_candidate(const struct vkdml_graph_planning *planning, uint32_t n) {
    const struct vkdml_graph *graph = planning->graph;
    const struct vkdml_instance *instance = graph->nodes[n].instance;
    const struct vkdml_operator *op = instance != NULL ? vkdml_operator_of(instance->schema->type) : NULL;
    struct vkdml_move move;
    uint32_t moves = 0;
    if (op == NULL || op->moves == NULL || planning->nodes[n].is_fixed || graph->nodes[n].input_count != 1 ||
        planning->values[vkdml_graph_source(graph, n, 0)].is_fixed) {
        return false;
    }
    for (; op->moves(instance, moves, &move); ++moves) {
        const uint32_t to = vkdml_graph_value_of(graph, n, move.output);
        if (graph->values[to].outputs > 0 || planning->values[to].is_dense || !is_strided(instance, &move)) {
            return false;
        }
    }
    return moves > 0;
}

void vkdml_graph_find_strided(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    find_readers(planning);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        if (!is_candidate(planning, n)) {
            continue;
        }
        const struct vkdml_instance *instance = graph->nodes[n].instance;
        const struct vkdml_operator *op = vkdml_operator_of(instance->schema->type);
        const struct vkdml_graph_text text = vkdml_graph_node_text(n, graph->nodes[n].name);
        struct vkdml_move move;
        for (uint32_t m = 0; op->moves(instance, m, &move); ++m) {
            struct vkdml_value_plan *value = &planning->values[vkdml_graph_value_of(graph, n, move.output)];
            value->whole = vkdml_graph_source(graph, n, 0);
            value->at = vkdml_whole_bytes_of(move.from, instance->inputs[0].element_bits);
            value->strides = instance->inputs[0].strides;
        }
        planning->nodes[n].is_view = true;
        vkdml_note(planning->report, "%s (%s): a view, without a dispatch: whoever reads it takes strides", text.text,
                   instance->schema->name);
    }
}
