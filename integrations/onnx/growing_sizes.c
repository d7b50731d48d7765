/* Sizes of inputs that a plan does not fix. The plan makes room for a capacity, and elements beyond the size of a run
 * are 0; growing_nodes.c has what nodes do with such tensors. Two kinds of inputs grow:
 * - What the model extends and returns: keys and values that Concat or attention append new rows to. Results may depend
 *   on the capacity in their last bits, so the capacity follows from the size, and a plan holds only for sizes that
 *   have the same capacity. Masks that are longer by the new rows grow in step with the first of these inputs.
 * - Other masks of integers, as far as only exact arithmetic of integers reads them. */
#include <string.h>

#include "onnx/operators.h"
#include "onnx/plan_parts.h"

/* Room for this many elements along a growing dimension at least; then twice as many, and so on. */
#define LEAST_MASK 256
#define LEAST_CACHE 64

/* Elements of a padded mask. Larger ones are planned for the size that they have. */
#define MOST_PADDED ((uint64_t)1 << 20)

/* Integers whose conversions and sums have the same bits in any order. */
bool onnx_is_exact_type(enum onnx_type type) {
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

/* ---- what reads inputs ---- */

/* Of an input: whether a node reads it that takes no growing dimension, and the dimension that nodes append to. */
struct onnx_input_readers {
    bool is_refused;
    uint32_t appended;
};

/* The dimension that a node appends to; ONNX_NONE: to none. */
static uint32_t appended_by(const struct onnx_graph *graph, const struct onnx_node *node, uint32_t input,
                            const bool *is_output) {
    static const struct {
        const char *domain, *op;
        uint32_t first, last, dimension;
    } rows[] = {
        {"", "Attention", 4, 5, 2},
        {ONNX_MICROSOFT, "Attention", 4, 4, 3},
        {ONNX_MICROSOFT, "GroupQueryAttention", 3, 4, 2},
        {ONNX_MICROSOFT, "MultiHeadAttention", 6, 7, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (strcmp(node->op, rows[i].op) == 0 && strcmp(node->domain, rows[i].domain) == 0) {
            return input >= rows[i].first && input <= rows[i].last ? rows[i].dimension : ONNX_NONE;
        }
    }
    /* The first input of Concat is what is past: the others are new rows. */
    if (input != 0 || strcmp(node->op, "Concat") != 0 || node->domain[0] != 0 || node->output_count == 0 ||
        node->outputs[0] == ONNX_NONE || !is_output[node->outputs[0]]) {
        return ONNX_NONE;
    }
    for (uint32_t a = 0; a < node->attribute_count; ++a) {
        if (strcmp(node->attributes[a].name, "axis") == 0 && node->attributes[a].kind == ONNX_ATTRIBUTE_INT) {
            const int64_t axis = node->attributes[a].ints[0];
            return (uint32_t)(axis < 0 ? axis + graph->values[node->inputs[input]].rank : axis);
        }
    }
    return ONNX_NONE;
}

static void note_reader(struct onnx_input_readers *readers, const struct onnx_graph *graph,
                        const struct onnx_node *node, uint32_t input, const bool *is_output) {
    const uint32_t appended = appended_by(graph, node, input, is_output);
    readers->is_refused = readers->is_refused || !onnx_takes_growing(node, input) ||
                          (appended != ONNX_NONE && readers->appended != ONNX_NONE && appended != readers->appended);
    readers->appended = appended != ONNX_NONE ? appended : readers->appended;
}

/* What bodies read has no growing dimension. */
static void note_bodies(struct onnx_input_readers *const *of_values, const struct onnx_node *node) {
    for (uint32_t a = 0; a < node->attribute_count; ++a) {
        const struct onnx_attribute *attribute = &node->attributes[a];
        const struct onnx_graph *body = attribute->kind == ONNX_ATTRIBUTE_GRAPH ? attribute->graph : NULL;
        for (uint32_t v = 0; body != NULL && v < body->value_count; ++v) {
            const uint32_t outer = body->values[v].outer;
            if (outer != ONNX_NONE && of_values[outer] != NULL) {
                of_values[outer]->is_refused = true;
            }
        }
    }
}

static bool has_growth(const struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t i, uint32_t dimension) {
    const struct onnx_plan_input *input = &plan->inputs[i];
    const struct onnx_value *value = &graph->values[graph->inputs[i]];
    return ((plan->fixed | plan->looked_at) & onnx_bit_of(i)) == 0 && !plan->readers[i].is_refused &&
           dimension < input->rank && input->rank <= ONNX_MAX_RANK && value->rank == input->rank &&
           value->sizes[dimension] < 0 && onnx_elements(input->rank, input->sizes) != 0;
}

static bool is_cache(const struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t i) {
    const enum onnx_type type = plan->inputs[i].type;
    const uint64_t never = plan->hints == NULL ? 0 : plan->hints->stepped;
    return (type == ONNX_FLOAT || type == ONNX_FLOAT16) && (never & onnx_bit_of(i)) == 0 &&
           has_growth(plan, graph, i, plan->readers[i].appended);
}

static bool find_readers(struct onnx_plan *plan, const struct onnx_graph *graph) {
    struct onnx_input_readers **of_values =
        onnx_allocate(&plan->arena, graph->value_count, sizeof(struct onnx_input_readers *));
    bool *is_output = onnx_allocate(&plan->arena, graph->value_count, sizeof *is_output);
    plan->readers = onnx_allocate(&plan->arena, plan->input_count, sizeof *plan->readers);
    if (of_values == NULL || is_output == NULL || plan->readers == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < plan->input_count; ++i) {
        plan->readers[i].appended = ONNX_NONE;
        of_values[graph->inputs[i]] = &plan->readers[i];
    }
    for (uint32_t o = 0; o < graph->output_count; ++o) {
        is_output[graph->outputs[o]] = true;
        if (of_values[graph->outputs[o]] != NULL) {
            of_values[graph->outputs[o]]->is_refused = true;
        }
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        const struct onnx_node *node = &graph->nodes[n];
        note_bodies(of_values, node);
        for (uint32_t i = 0; i < node->input_count; ++i) {
            if (node->inputs[i] != ONNX_NONE && of_values[node->inputs[i]] != NULL) {
                note_reader(of_values[node->inputs[i]], graph, node, i, is_output);
            }
        }
    }
    return true;
}

/* ---- what grows ---- */

static uint32_t find_capacity(uint32_t least, uint32_t size) {
    uint64_t capacity = least;
    while (capacity < size) {
        capacity *= 2;
    }
    return capacity > UINT32_MAX ? UINT32_MAX : (uint32_t)capacity;
}

/* With room for new rows. */
static struct onnx_growing_size growing_cache(const struct onnx_plan *plan, uint32_t dimension, uint32_t size) {
    const uint32_t capacity = find_capacity(LEAST_CACHE, size > UINT32_MAX - plan->room ? size : size + plan->room);
    return (struct onnx_growing_size){.is_growing = true,
                                      .dimension = dimension,
                                      .capacity = capacity,
                                      .least = capacity == LEAST_CACHE ? 1 : (int64_t)capacity / 2 + 1 - plan->room,
                                      .most = (int64_t)capacity - plan->room,
                                      .is_step = true};
}

/* Masks that are inputs before it need its capacity. */
static void choose_first_cache(struct onnx_plan *plan, const struct onnx_graph *graph) {
    plan->first_cache = ONNX_NONE;
    for (uint32_t i = 0; plan->first_cache == ONNX_NONE && i < plan->input_count; ++i) {
        if (!is_cache(plan, graph, i)) {
            continue;
        }
        uint32_t sizes[ONNX_MAX_RANK];
        const uint32_t d = plan->readers[i].appended;
        memcpy(sizes, plan->inputs[i].sizes, sizeof sizes);
        plan->growing[i] = growing_cache(plan, d, sizes[d]);
        sizes[d] = plan->growing[i].capacity;
        if (onnx_is_countable(plan->inputs[i].rank, sizes)) {
            plan->first_cache = i;
        } else {
            plan->growing[i] = (struct onnx_growing_size){0};
        }
    }
}

bool onnx_find_growing(struct onnx_plan *plan, const struct onnx_graph *graph) {
    if (plan->inputs == NULL || plan->fixed == UINT64_MAX) {
        return true;
    }
    if (!find_readers(plan, graph)) {
        return false;
    }
    choose_first_cache(plan, graph);
    return true;
}

static uint32_t first_size(const struct onnx_plan *plan) {
    return plan->inputs[plan->first_cache].sizes[plan->readers[plan->first_cache].appended];
}

/* Whether another input that is not a cache has an open size of as many elements, such as the new rows. */
static bool is_open_size(const struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t index,
                         uint32_t size) {
    for (uint32_t i = 0; i < plan->input_count; ++i) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        if (i == index || is_cache(plan, graph, i) || value->rank != plan->inputs[i].rank) {
            continue;
        }
        for (uint32_t d = 0; d < value->rank && d < ONNX_MAX_RANK; ++d) {
            if (value->sizes[d] < 0 && plan->inputs[i].sizes[d] == size) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a mask is as long as the first cache and the new rows. */
static bool follows_cache(const struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t index) {
    const struct onnx_plan_input *input = &plan->inputs[index];
    if (plan->first_cache == ONNX_NONE || input->rank == 0 || !has_growth(plan, graph, index, input->rank - 1)) {
        return false;
    }
    const uint32_t size = input->sizes[input->rank - 1], past = first_size(plan);
    return size == past || (size > past && is_open_size(plan, graph, index, size - past));
}

/* Inputs from 63 on share a bit, so it stands for stepped sizes alone. */
static bool grows_alone(const struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t index) {
    const struct onnx_plan_input *input = &plan->inputs[index];
    const uint64_t never = plan->hints == NULL ? 0 : plan->hints->alone;
    return input->rank != 0 && (never & onnx_bit_of(index)) == 0 && onnx_is_exact_type(input->type) && index < 63 &&
           input->sizes[input->rank - 1] > 1 && has_growth(plan, graph, index, input->rank - 1);
}

static bool find_growth(struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t index,
                        struct onnx_growing_size *growing, struct onnx_size_element *size) {
    const struct onnx_plan_input *input = &plan->inputs[index];
    *size = (struct onnx_size_element){index, 1, 0};
    if (is_cache(plan, graph, index)) {
        const uint32_t d = plan->readers[index].appended;
        *growing = growing_cache(plan, d, input->sizes[d]);
        if (index != plan->first_cache && input->sizes[d] == first_size(plan)) {
            size->input = plan->first_cache;
        }
        return true;
    }
    if (follows_cache(plan, graph, index)) {
        *size = (struct onnx_size_element){plan->first_cache, 1,
                                           (int64_t)input->sizes[input->rank - 1] - first_size(plan)};
        *growing = growing_cache(plan, plan->readers[plan->first_cache].appended, first_size(plan));
        growing->dimension = input->rank - 1;
        plan->needed_room = size->bias > plan->room ? (uint32_t)size->bias : plan->needed_room;
        growing->least = 1;
        growing->most = UINT32_MAX;
        return true;
    }
    const uint32_t capacity =
        input->rank == 0 ? 0 : find_capacity(LEAST_MASK, input->sizes[input->rank - 1]);
    *growing = (struct onnx_growing_size){
        .is_growing = true, .dimension = input->rank - 1, .capacity = capacity, .least = 1, .most = capacity};
    return grows_alone(plan, graph, index);
}

bool onnx_grow_input(struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t index,
                     uint32_t sizes[ONNX_MAX_RANK], const struct onnx_growing_dimension **dimension) {
    const struct onnx_plan_input *input = &plan->inputs[index];
    struct onnx_growing_size growing;
    struct onnx_size_element size;
    uint32_t padded[ONNX_MAX_RANK];
    memcpy(sizes, input->sizes, ONNX_MAX_RANK * sizeof *sizes);
    *dimension = NULL;
    if (plan->readers == NULL || !find_growth(plan, graph, index, &growing, &size)) {
        return true;
    }
    memcpy(padded, sizes, sizeof padded);
    padded[growing.dimension] = growing.capacity;
    if (!onnx_is_countable(input->rank, padded) ||
        (!growing.is_step && onnx_elements(input->rank, padded) > MOST_PADDED)) {
        return true;
    }
    struct onnx_growing_dimension *made = onnx_allocate(&plan->arena, 1, sizeof *made);
    plan->growing[index] = growing;
    if (made == NULL || (size.input != index && !onnx_relate_sizes(plan, index, size.input, size.bias))) {
        return false;
    }
    memcpy(sizes, padded, sizeof padded);
    plan->grown |= onnx_bit_of(index);
    plan->stepped |= growing.is_step ? onnx_bit_of(index) : 0;
    *made = (struct onnx_growing_dimension){size.input, growing.dimension, (int32_t)size.bias, true};
    *dimension = made;
    return true;
}

/* ---- what does not ---- */

bool onnx_fix_sizes(const struct onnx_call *call, uint64_t inputs) {
    call->plan->to_fix |= inputs;
    return onnx_refuse(call, "a size that the plan does not fix");
}

bool onnx_never_grow(const struct onnx_call *call, uint64_t inputs) {
    struct onnx_growth_hints *hints = call->plan->hints;
    const uint64_t stepped = call->plan->stepped;
    if (hints != NULL) {
        hints->stepped |= (inputs & stepped) == 0 ? 0 : stepped;
        hints->alone |= inputs & ~stepped;
    }
    return onnx_fix_sizes(call, inputs);
}

bool onnx_fix_growing(const struct onnx_call *call, const struct onnx_tensor *tensor) {
    return tensor->growing == NULL || onnx_fix_sizes(call, onnx_bit_of(tensor->growing->input));
}

bool onnx_is_exact(const DML_OPERATOR_DESC *op, uint32_t count, struct onnx_tensor *const *tensors) {
    switch (op->Type) {
    case DML_OPERATOR_ELEMENT_WISE_IF:
    case DML_OPERATOR_GATHER:
    case DML_OPERATOR_GATHER_ND1:
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
        if (tensors[i] != NULL && tensors[i] != &onnx_absent && !onnx_is_exact_type(tensors[i]->type)) {
            return false;
        }
    }
    return true;
}
