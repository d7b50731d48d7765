/* Nodes whose elements are made of those at the same place. */
#include <math.h>
#include <string.h>

#include "cases/number.h"
#include "making.h"

#define FLOAT32 DML_TENSOR_DATA_TYPE_FLOAT32
#define FLOAT16 DML_TENSOR_DATA_TYPE_FLOAT16

/* What becomes of a range. */
enum effect {
    SAME,    /* the magnitude grows by no more than the gain, elements stay multiples */
    HALVED,  /* elements are multiples of halves of what they were */
    WHOLE,   /* integers */
    WITHIN,  /* anything not beyond 1 */
    SMOOTH,  /* anything not beyond the magnitude times the gain, and 1 */
    UNKNOWN, /* anything */
};

static const struct unary {
    DML_OPERATOR_TYPE type;
    uint32_t types;
    bool is_continuous;
    enum effect effect;
    double gain;                /* the steepest slope */
    const char *first, *second; /* attributes */
    float first_value, second_value;
} unaries[] = {
    {DML_OPERATOR_ELEMENT_WISE_ABS, GRAPH_FLOATS | CASE_TYPE(INT32), true, SAME, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_NEGATE, GRAPH_FLOATS | CASE_TYPE(INT32), true, SAME, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_SIGN, GRAPH_TYPES, false, WHOLE, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_FLOOR, GRAPH_FLOATS, false, WHOLE, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_CEIL, GRAPH_FLOATS, false, WHOLE, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_SQRT, GRAPH_FLOATS, false, UNKNOWN, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_RECIP, GRAPH_FLOATS, false, UNKNOWN, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_EXP, GRAPH_FLOATS, false, UNKNOWN, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_SIN, GRAPH_FLOATS, true, WITHIN, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_ERF, GRAPH_FLOATS, true, WITHIN, 1.2, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_TANH, GRAPH_FLOATS, true, WITHIN, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_CLIP, GRAPH_FLOATS, true, HALVED, 1, "Min", "Max", -1.5F, 3},
    {DML_OPERATOR_ELEMENT_WISE_THRESHOLD, GRAPH_FLOATS, true, HALVED, 1, "Min", NULL, 0.5F, 0},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT, CASE_TYPE(UINT8) | CASE_TYPE(UINT32), false, WHOLE, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ELEMENT_WISE_BIT_NOT, CASE_TYPE(UINT8) | CASE_TYPE(UINT32), false, UNKNOWN, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ACTIVATION_RELU, GRAPH_FLOATS, true, SAME, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ACTIVATION_LEAKY_RELU, GRAPH_FLOATS, true, HALVED, 1, "Alpha", NULL, 0.5F, 0},
    {DML_OPERATOR_ACTIVATION_LINEAR, GRAPH_FLOATS, true, HALVED, 2, "Alpha", "Beta", 2, -0.5F},
    {DML_OPERATOR_ACTIVATION_SIGMOID, GRAPH_FLOATS, true, WITHIN, 1, NULL, NULL, 0, 0},
    {DML_OPERATOR_ACTIVATION_HARD_SIGMOID, GRAPH_FLOATS, true, WITHIN, 1, "Alpha", "Beta", 0.2F, 0.5F},
    {DML_OPERATOR_ACTIVATION_ELU, GRAPH_FLOATS, true, SMOOTH, 1, "Alpha", NULL, 1, 0},
    {DML_OPERATOR_ACTIVATION_SOFTPLUS, GRAPH_FLOATS, true, SMOOTH, 1, "Steepness", NULL, 1, 0},
    {DML_OPERATOR_ACTIVATION_TANH, GRAPH_FLOATS, true, WITHIN, 1, NULL, NULL, 0, 0},
};

static struct graph_range effect_on(const struct unary *unary, const struct graph_range *range) {
    struct graph_range result = {range->most * unary->gain + 1, GRAPH_DENSE, range->error * unary->gain};
    const bool is_dense = range->fraction == GRAPH_DENSE;
    switch (unary->effect) {
    case SAME:
        result.most = range->most;
        result.fraction = range->fraction;
        break;
    case HALVED:
        result.most += 1;
        result.fraction = is_dense ? GRAPH_DENSE : range->fraction + 1;
        break;
    case WHOLE:
        result.fraction = 0;
        break;
    case WITHIN:
        result.most = 1;
        break;
    case SMOOTH:
        break;
    case UNKNOWN:
        result.most = INFINITY;
        break;
    }
    /* NaN stays what it is. */
    if (!range_is_finite(range)) {
        result.most = INFINITY;
        result.fraction = GRAPH_DENSE;
    }
    return result;
}

bool make_unary(struct making *making) {
    const struct unary *unary = &RANDOM_OF(making->random, unaries);
    struct view view;
    making->needs_exact = !unary->is_continuous;
    if (!take(making, unary->types, 1, 4, &view)) {
        return false;
    }
    begin_node(making, unary->type);
    read_view(making, "InputTensor", 0, &view);
    if (unary->first != NULL) {
        case_set_float(making->c, unary->first, unary->first_value);
    }
    if (unary->second != NULL) {
        case_set_float(making->c, unary->second, unary->second_value);
    }
    return write_result(making, "OutputTensor", 0, view.tensor.type, view.tensor.rank, view.tensor.sizes,
                        effect_on(unary, &view.range));
}

void fuse_activation(struct making *making, DML_TENSOR_DATA_TYPE type, struct graph_range *range) {
    const struct unary *unary = &RANDOM_OF(making->random, unaries);
    if (!number_is_float(type) || unary->type < DML_OPERATOR_ACTIVATION_ELU ||
        unary->type > DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU) {
        return;
    }
    struct case_fused *fused = case_fuse(making->c, "FusedActivation", 0, unary->type);
    if (unary->first != NULL) {
        case_fused_set_float(fused, unary->first, unary->first_value);
    }
    if (unary->second != NULL) {
        case_fused_set_float(fused, unary->second, unary->second_value);
    }
    *range = effect_on(unary, range);
}

/* ---- of two ---- */

static const struct binary {
    DML_OPERATOR_TYPE type;
    uint32_t types;
    enum { ADDS, MULTIPLIES, CHOOSES, ANYTHING } effect;
} binaries[] = {
    {DML_OPERATOR_ELEMENT_WISE_ADD, GRAPH_TYPES, ADDS},
    {DML_OPERATOR_ELEMENT_WISE_ADD, GRAPH_FLOATS, ADDS},
    {DML_OPERATOR_ELEMENT_WISE_ADD1, GRAPH_FLOATS, ADDS},
    {DML_OPERATOR_ELEMENT_WISE_SUBTRACT, GRAPH_TYPES, ADDS},
    {DML_OPERATOR_ELEMENT_WISE_MULTIPLY, GRAPH_FLOATS, MULTIPLIES},
    {DML_OPERATOR_ELEMENT_WISE_MULTIPLY, GRAPH_TYPES, MULTIPLIES},
    {DML_OPERATOR_ELEMENT_WISE_MAX, GRAPH_TYPES, CHOOSES},
    {DML_OPERATOR_ELEMENT_WISE_MIN, GRAPH_TYPES, CHOOSES},
    {DML_OPERATOR_ELEMENT_WISE_DIVIDE, GRAPH_FLOATS, ANYTHING},
    {DML_OPERATOR_ELEMENT_WISE_BIT_AND, CASE_TYPE(UINT8) | CASE_TYPE(UINT32), ANYTHING},
    {DML_OPERATOR_ELEMENT_WISE_BIT_XOR, CASE_TYPE(UINT8) | CASE_TYPE(UINT32), ANYTHING},
};

/* Two tensors of one type and size: a value twice now and then. */
static bool take_two(struct making *making, uint32_t types, struct view *a, struct view *b) {
    if (!take(making, types, 1, 4, a)) {
        return false;
    }
    if (random_chance(making->random, 10)) {
        *b = *a;
        return true;
    }
    struct view other;
    if (!take_alike(making, a->tensor.type, a->tensor.rank, a->tensor.sizes, true,
                    usual_numbers(making, a->tensor.type), &other)) {
        return false;
    }
    *b = random_chance(making->random, 50) ? *a : other;
    *a = b->value == other.value ? *a : other;
    return true;
}

static struct graph_range both_effects(const struct binary *binary, const struct graph_range *a,
                                       const struct graph_range *b) {
    struct graph_range range = {INFINITY, GRAPH_DENSE, 0};
    switch (binary->effect) {
    case ADDS:
        range = range_add(a, b);
        break;
    case MULTIPLIES:
        range = range_multiply(a, b);
        break;
    case CHOOSES:
        range = range_both(a, b);
        break;
    case ANYTHING:
        break;
    }
    return range;
}

bool make_binary(struct making *making) {
    const struct binary *binary = &RANDOM_OF(making->random, binaries);
    struct view a, b;
    making->needs_exact = binary->effect == ANYTHING;
    if (!take_two(making, binary->types, &a, &b)) {
        return false;
    }
    begin_node(making, binary->type);
    read_view(making, "ATensor", 0, &a);
    read_view(making, "BTensor", 0, &b);
    struct graph_range range = both_effects(binary, &a.range, &b.range);
    if (binary->type == DML_OPERATOR_ELEMENT_WISE_ADD1) {
        fuse_activation(making, a.tensor.type, &range);
    }
    return write_result(making, "OutputTensor", 0, a.tensor.type, a.tensor.rank, a.tensor.sizes, range);
}

bool make_comparison(struct making *making) {
    static const DML_OPERATOR_TYPE types[] = {
        DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN,
        DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL};
    static const struct graph_range truth = {1, 0, 0};
    struct view a, b;
    making->needs_exact = true;
    if (!take_two(making, GRAPH_TYPES, &a, &b)) {
        return false;
    }
    begin_node(making, RANDOM_OF(making->random, types));
    read_view(making, "ATensor", 0, &a);
    read_view(making, "BTensor", 0, &b);
    return write_result(making, "OutputTensor", 0,
                        random_chance(making->random, 60) ? DML_TENSOR_DATA_TYPE_UINT8 : DML_TENSOR_DATA_TYPE_UINT32,
                        a.tensor.rank, a.tensor.sizes, truth);
}

bool make_choice(struct making *making) {
    static const struct numbers truth = {0, 1, 0};
    struct view a, b, condition;
    if (!take_two(making, GRAPH_TYPES, &a, &b) ||
        !take_alike(making, DML_TENSOR_DATA_TYPE_UINT8, a.tensor.rank, a.tensor.sizes, true, truth, &condition)) {
        return false;
    }
    begin_node(making, DML_OPERATOR_ELEMENT_WISE_IF);
    read_view(making, "ConditionTensor", 0, &condition);
    read_view(making, "ATensor", 0, &a);
    read_view(making, "BTensor", 0, &b);
    return write_result(making, "OutputTensor", 0, a.tensor.type, a.tensor.rank, a.tensor.sizes,
                        range_both(&a.range, &b.range));
}

bool make_cast(struct making *making) {
    static const DML_TENSOR_DATA_TYPE types[] = {FLOAT32,
                                                 FLOAT32,
                                                 FLOAT16,
                                                 FLOAT16,
                                                 DML_TENSOR_DATA_TYPE_INT32,
                                                 DML_TENSOR_DATA_TYPE_UINT32,
                                                 DML_TENSOR_DATA_TYPE_UINT8};
    const DML_TENSOR_DATA_TYPE type = RANDOM_OF(making->random, types);
    struct view view;
    making->needs_exact = !number_is_float(type);
    if (!take(making, GRAPH_TYPES, 1, 4, &view)) {
        return false;
    }
    struct graph_range range = view.range;
    if (!number_is_float(type)) {
        range = (struct graph_range){type == DML_TENSOR_DATA_TYPE_UINT8 ? 255 : 0x1p32, 0, 0};
        range.most = range_is_finite(&view.range) && number_is_signed(type) ? view.range.most : range.most;
    }
    begin_node(making, DML_OPERATOR_CAST);
    read_view(making, "InputTensor", 0, &view);
    return write_result(making, "OutputTensor", 0, type, view.tensor.rank, view.tensor.sizes, range);
}
