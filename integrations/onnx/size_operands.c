#include "onnx/size_operands.h"

#include <string.h>

#include "onnx/data_node.h"

struct row {
    const char *op;
    uint32_t operands; /* a bit for each input */
};

uint32_t onnx_size_operands(const struct onnx_node *node) {
    static const struct row rows[] = {
        {"CenterCropPad", 0x02}, {"Col2Im", 0x06}, {"ConstantOfShape", 0x01}, {"Expand", 0x02}, {"MaxUnpool", 0x04},
        {"OneHot", 0x02},        {"Pad", 0x0A},    {"Range", 0x07},           {"Reshape", 0x02}, {"Resize", 0x0E},
        {"Slice", 0x1E},         {"Split", 0x02},  {"Tile", 0x02},            {"TopK", 0x02},    {"Upsample", 0x02},
    };
    for (size_t i = 0; node->domain[0] == 0 && i < sizeof rows / sizeof rows[0]; ++i) {
        if (strcmp(node->op, rows[i].op) == 0) {
            return rows[i].operands;
        }
    }
    return 0;
}

/* Operators that models compute sizes with. */
static bool is_size_arithmetic(const struct onnx_node *node) {
    static const char *const names[] = {
        "Abs",     "Add",    "And",       "Cast",      "Ceil",       "Concat",    "Div",     "Equal", "Expand",
        "Floor",   "Gather", "Greater",   "Identity",  "Less",       "Max",       "Min",     "Mod",   "Mul",
        "Neg",     "Not",    "Or",        "Range",     "ReduceMax",  "ReduceMin", "Reshape", "Round", "Slice",
        "Split",   "Sub",    "ReduceSum", "Unsqueeze", "ReduceProd", "Squeeze",   "Where",   "GreaterOrEqual",
        "LessOrEqual"};
    bool is_found = false;
    for (size_t i = 0; node->domain[0] == 0 && i < sizeof names / sizeof names[0]; ++i) {
        is_found = is_found || strcmp(node->op, names[i]) == 0;
    }
    return is_found;
}

static bool is_float(enum onnx_type type) {
    return type == ONNX_FLOAT || type == ONNX_FLOAT16 || type == ONNX_BFLOAT16 || type == ONNX_DOUBLE;
}

/* Inputs of samples, images and states. */
static bool is_large_input(const struct onnx_value *value) {
    return value->is_input && is_float(value->type) && (!value->has_shape || value->rank > 1);
}

bool *onnx_find_computed(const struct onnx_graph *graph, const bool *known, struct onnx_arena *arena) {
    bool *computed = onnx_allocate(arena, graph->value_count, sizeof *computed);
    for (uint32_t v = 0; computed != NULL && v < graph->value_count; ++v) {
        computed[v] = is_large_input(&graph->values[v]);
    }
    for (uint32_t n = 0; computed != NULL && n < graph->node_count; ++n) {
        const struct onnx_node *node = &graph->nodes[n];
        const bool is_host = onnx_is_data_node(node, known);
        bool is_computed = !is_size_arithmetic(node);
        for (uint32_t i = 0; i < node->input_count; ++i) {
            is_computed = is_computed || (node->inputs[i] != ONNX_NONE && computed[node->inputs[i]]);
        }
        for (uint32_t o = 0; o < node->output_count; ++o) {
            const uint32_t value = node->outputs[o];
            if (value != ONNX_NONE) {
                computed[value] = is_computed && !known[value] && !is_host;
            }
        }
    }
    return computed;
}

bool onnx_waits_for_sizes(const struct onnx_node *node, const bool *computed) {
    const uint32_t operands = onnx_size_operands(node);
    bool waits = false;
    for (uint32_t i = 0; i < node->input_count && i < 32; ++i) {
        waits = waits || ((operands >> i & 1) != 0 && node->inputs[i] != ONNX_NONE && computed[node->inputs[i]]);
    }
    return waits;
}
