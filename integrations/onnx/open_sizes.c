/* Sizes of inputs that a plan does not fix. The plan makes room for a capacity, and elements beyond the size of a run
 * are 0. Only nodes whose results do not depend on the padding may read such an input: Shape, casts between integers,
 * and sums of integers over the open dimension. */
#include <string.h>

#include "onnx/operators.h"
#include "onnx/plan_parts.h"

/* Room for this many elements along an open dimension at least; then twice as many, and so on. */
#define LEAST_CAPACITY 256

/* Elements of a padded input. Larger inputs are planned for the size that they have. */
#define MOST_PADDED ((uint64_t)1 << 20)

/* Integers whose conversions and sums have the same bits in any order. */
static bool is_exact_type(enum onnx_type type) {
    switch (type) {
    case ONNX_BOOL:
    case ONNX_UINT8:
    case ONNX_INT8:
    case ONNX_UINT16:
    case ONNX_INT16:
    case ONNX_UINT32:
    case ONNX_INT32:
    case ONNX_UINT64:
    case ONNX_INT64:
        return true;
    default:
        return false;
    }
}

/* Whether a node takes an input of this type with an open dimension. */
static bool takes_open(const struct onnx_node *node, uint32_t input, enum onnx_type type) {
    static const struct {
        const char *domain, *op;
        uint32_t first, last;
        bool takes_masks, takes_caches;
    } rows[] = {
        {"", "Shape", 0, 0, true, true},
        {"", "Identity", 0, 0, true, false},
        {"", "Cast", 0, 0, true, false},
        {"", "ReduceSum", 0, 0, true, false},
        {ONNX_MICROSOFT, "GroupQueryAttention", 3, 4, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (strcmp(node->op, rows[i].op) == 0 && strcmp(node->domain, rows[i].domain) == 0) {
            return input >= rows[i].first && input <= rows[i].last &&
                   (is_exact_type(type) ? rows[i].takes_masks : rows[i].takes_caches);
        }
    }
    return false;
}

bool onnx_begin_open(const struct onnx_call *call) {
    uint64_t to_fix = 0;
    call->plan->allows_open = false;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_tensor *input = onnx_input(call, i);
        if (input != NULL && input->open != NULL) {
            call->plan->allows_open = true;
            to_fix |= takes_open(call->node, i, input->type) ? 0 : onnx_bit_of(input->open->input);
        }
    }
    return to_fix == 0 || onnx_fix_sizes(call, to_fix);
}

static bool body_reads(const struct onnx_node *node, uint32_t value) {
    for (uint32_t a = 0; a < node->attribute_count; ++a) {
        const struct onnx_attribute *attribute = &node->attributes[a];
        const struct onnx_graph *body = attribute->kind == ONNX_ATTRIBUTE_GRAPH ? attribute->graph : NULL;
        for (uint32_t v = 0; body != NULL && v < body->value_count; ++v) {
            if (body->values[v].outer == value) {
                return true;
            }
        }
    }
    return false;
}

/* By the nodes that read an input. What reads the results of these is checked when it is translated. */
static bool may_open(const struct onnx_graph *graph, uint32_t value, enum onnx_type type) {
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        const struct onnx_node *node = &graph->nodes[n];
        for (uint32_t i = 0; i < node->input_count; ++i) {
            if (node->inputs[i] == value && !takes_open(node, i, type)) {
                return false;
            }
        }
        if (body_reads(node, value)) {
            return false;
        }
    }
    for (uint32_t o = 0; o < graph->output_count; ++o) {
        if (graph->outputs[o] == value) {
            return false;
        }
    }
    return true;
}

static uint32_t find_capacity(uint32_t size) {
    uint32_t capacity = LEAST_CAPACITY;
    while (capacity < size) {
        capacity *= 2;
    }
    return capacity;
}

bool onnx_open_input(struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t index,
                     const struct onnx_plan_input *input, uint32_t sizes[ONNX_MAX_RANK]) {
    memcpy(sizes, input->sizes, ONNX_MAX_RANK * sizeof *sizes);
    const uint64_t bit = onnx_bit_of(index), count = onnx_elements(input->rank, input->sizes);
    const struct onnx_value *value = &graph->values[graph->inputs[index]];
    if (((plan->closed | plan->looked_at) & bit) != 0 || input->rank == 0 || !is_exact_type(input->type) ||
        value->rank != input->rank || value->sizes[input->rank - 1] >= 0 || count == 0 || count > MOST_PADDED ||
        !may_open(graph, graph->inputs[index], input->type)) {
        return false;
    }
    const uint32_t last = input->rank - 1, capacity = find_capacity(input->sizes[last]);
    if (count / input->sizes[last] * capacity > MOST_PADDED) {
        return false;
    }
    plan->opened |= bit;
    plan->open[index] = (struct onnx_open_size){true, last, capacity, 1, capacity};
    sizes[last] = capacity;
    return true;
}

bool onnx_fix_sizes(const struct onnx_call *call, uint64_t inputs) {
    call->plan->to_close |= inputs;
    return onnx_refuse(call, "a size that the plan does not fix");
}

bool onnx_closes_open(const struct onnx_call *call, const struct onnx_tensor *tensor, uint32_t count,
                      const uint32_t *axes) {
    bool is_closed = tensor->open == NULL;
    for (uint32_t i = 0; i < count && !is_closed; ++i) {
        is_closed = axes[i] == tensor->open->dimension;
    }
    return is_closed || onnx_fix_sizes(call, onnx_bit_of(tensor->open->input));
}

bool onnx_mark_open(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_input(call, 0);
    const bool keeps = strcmp(call->node->op, "Identity") == 0 || strcmp(call->node->op, "Cast") == 0;
    struct onnx_tensor *output = call->output_count == 0 ? NULL : call->outputs[0];
    if (!call->plan->allows_open || !keeps || input == NULL || input->open == NULL || output == NULL ||
        output->open != NULL) {
        return true;
    }
    if (!is_exact_type(output->type)) {
        return onnx_fix_sizes(call, onnx_bit_of(input->open->input));
    }
    struct onnx_tensor *view = onnx_reshape(call, output, output->rank, output->sizes);
    if (view != NULL) {
        view->open = input->open;
        call->outputs[0] = view;
    }
    return view != NULL;
}

bool onnx_is_exact(const DML_OPERATOR_DESC *op, uint32_t count, struct onnx_tensor *const *tensors) {
    switch (op->Type) {
    case DML_OPERATOR_ELEMENT_WISE_IF:
    case DML_OPERATOR_JOIN:
    case DML_OPERATOR_SLICE1:
        return true;
    case DML_OPERATOR_ELEMENT_WISE_IDENTITY:
        return ((const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC *)op->Desc)->ScaleBias == NULL;
    case DML_OPERATOR_CAST:
    case DML_OPERATOR_ELEMENT_WISE_ADD:
    case DML_OPERATOR_ELEMENT_WISE_SUBTRACT:
    case DML_OPERATOR_ELEMENT_WISE_MULTIPLY:
    case DML_OPERATOR_ELEMENT_WISE_MIN:
    case DML_OPERATOR_ELEMENT_WISE_MAX:
    case DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS:
    case DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN:
    case DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN:
    case DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL:
    case DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL:
        break;
    default:
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] != NULL && tensors[i] != &onnx_absent && !is_exact_type(tensors[i]->type)) {
            return false;
        }
    }
    return true;
}
