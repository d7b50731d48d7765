/* Sizes of inputs that a plan does not fix. The plan makes room for a capacity, and elements beyond the size of a
 * run are 0. Only nodes whose results do not depend on the padding may read such an input. Masks: Shape, casts
 * between integers, and sums of integers over the growing dimension. Caches that grow: GroupQueryAttention, which
 * masks rows that are not in use. Sums over a cache are of floats, whose bits depend on the capacity: so the
 * capacity follows from the size, and a plan holds only for sizes that have the same capacity. */
#include <string.h>

#include "onnx/operators.h"
#include "onnx/plan_parts.h"

/* Room for this many elements along a growing dimension at least; then twice as many, and so on. */
#define LEAST_MASK 256
#define LEAST_CACHE 64

/* Elements of a padded mask. Larger ones are planned for the size that they have. */
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

/* Whether a node takes an input of this type with a growing dimension. */
static bool takes_growing(const struct onnx_node *node, uint32_t input, enum onnx_type type) {
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

bool onnx_check_growing(const struct onnx_call *call) {
    uint64_t to_fix = 0;
    call->plan->allows_growing = false;
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_tensor *input = onnx_input(call, i);
        if (input != NULL && input->growing != NULL) {
            call->plan->allows_growing = true;
            to_fix |= takes_growing(call->node, i, input->type) ? 0 : onnx_bit_of(input->growing->input);
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
static bool may_grow(const struct onnx_graph *graph, uint32_t value, enum onnx_type type) {
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        const struct onnx_node *node = &graph->nodes[n];
        for (uint32_t i = 0; i < node->input_count; ++i) {
            if (node->inputs[i] == value && !takes_growing(node, i, type)) {
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

/* What of an input can grow: the last dimension of masks, and the rows of a cache. */
struct growth {
    uint32_t dimension, least_capacity;
    bool is_step;
};

static bool find_growth(const struct onnx_plan_input *input, struct growth *growth) {
    if (is_exact_type(input->type) && input->rank != 0) {
        *growth = (struct growth){input->rank - 1, LEAST_MASK, false};
        return true;
    }
    *growth = (struct growth){2, LEAST_CACHE, true};
    return (input->type == ONNX_FLOAT || input->type == ONNX_FLOAT16) && input->rank == 4;
}

static struct onnx_growing_size find_growing_size(const struct growth *growth, uint32_t size) {
    uint64_t capacity = growth->least_capacity;
    while (capacity < size) {
        capacity *= 2;
    }
    const bool is_first = !growth->is_step || capacity == growth->least_capacity;
    return (struct onnx_growing_size){.is_growing = true,
                                      .dimension = growth->dimension,
                                      .capacity = capacity > UINT32_MAX ? UINT32_MAX : (uint32_t)capacity,
                                      .least = is_first ? 1 : (int64_t)capacity / 2 + 1,
                                      .most = (int64_t)capacity,
                                      .is_step = growth->is_step};
}

bool onnx_grow_input(struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t index,
                     const struct onnx_plan_input *input, uint32_t sizes[ONNX_MAX_RANK]) {
    memcpy(sizes, input->sizes, ONNX_MAX_RANK * sizeof *sizes);
    const uint64_t bit = onnx_bit_of(index);
    const struct onnx_value *value = &graph->values[graph->inputs[index]];
    struct growth growth;
    if (((plan->fixed | plan->looked_at) & bit) != 0 || !find_growth(input, &growth) ||
        onnx_elements(input->rank, input->sizes) == 0 || value->rank != input->rank ||
        value->sizes[growth.dimension] >= 0 || !may_grow(graph, graph->inputs[index], input->type)) {
        return false;
    }
    const struct onnx_growing_size growing = find_growing_size(&growth, input->sizes[growth.dimension]);
    sizes[growth.dimension] = growing.capacity;
    /* Inputs from 63 on share a bit, so it stands for caches alone. */
    if (!onnx_is_countable(input->rank, sizes) ||
        (!growth.is_step && (index >= 63 || onnx_elements(input->rank, sizes) > MOST_PADDED))) {
        sizes[growth.dimension] = input->sizes[growth.dimension];
        return false;
    }
    plan->grown |= bit;
    plan->stepped |= growth.is_step ? bit : 0;
    plan->growing[index] = growing;
    return true;
}

bool onnx_fix_sizes(const struct onnx_call *call, uint64_t inputs) {
    call->plan->to_fix |= inputs;
    return onnx_refuse(call, "a size that the plan does not fix");
}

bool onnx_reduces_growing(const struct onnx_call *call, const struct onnx_tensor *tensor, uint32_t count,
                          const uint32_t *axes) {
    bool is_closed = tensor->growing == NULL;
    for (uint32_t i = 0; i < count && !is_closed; ++i) {
        is_closed = axes[i] == tensor->growing->dimension;
    }
    return is_closed || onnx_fix_sizes(call, onnx_bit_of(tensor->growing->input));
}

bool onnx_fix_growing(const struct onnx_call *call, const struct onnx_tensor *tensor) {
    const uint64_t bit = tensor->growing == NULL ? 0 : onnx_bit_of(tensor->growing->input);
    const uint64_t stepped = call->plan->stepped;
    return bit == 0 || onnx_fix_sizes(call, (bit & stepped) == 0 ? bit : stepped); /* layers have caches alike */
}

struct onnx_tensor *onnx_grow_by(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t dimension,
                                 const struct onnx_tensor *of, uint32_t added) {
    struct onnx_tensor *view = tensor == NULL ? NULL : onnx_reshape(call, tensor, tensor->rank, tensor->sizes);
    struct onnx_growing_dimension *growing = onnx_allocate(&call->plan->arena, 1, sizeof *growing);
    if (view == NULL || growing == NULL) {
        onnx_memory_is_out(call);
        return NULL;
    }
    *growing = (struct onnx_growing_dimension){of->growing->input, dimension, of->growing->added + added};
    view->growing = growing;
    return view;
}

bool onnx_mark_growing(const struct onnx_call *call) {
    const struct onnx_tensor *input = onnx_input(call, 0);
    const bool keeps = strcmp(call->node->op, "Identity") == 0 || strcmp(call->node->op, "Cast") == 0;
    struct onnx_tensor *output = call->output_count == 0 ? NULL : call->outputs[0];
    if (!call->plan->allows_growing || !keeps || input == NULL || input->growing == NULL || output == NULL ||
        output->growing != NULL) {
        return true;
    }
    if (!is_exact_type(output->type)) {
        return onnx_fix_sizes(call, onnx_bit_of(input->growing->input));
    }
    struct onnx_tensor *view = onnx_reshape(call, output, output->rank, output->sizes);
    if (view != NULL) {
        view->growing = input->growing;
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
