#include "graph/program.h"

#include <string.h>

#include "operators/mapping.h"

#define NO_VALUE UINT8_MAX

bool vkdml_graph_program_takes(const struct vkdml_graph_node *node) {
    if (node->instance == NULL || node->instance->output_count != 1) {
        return false;
    }
    const struct vkdml_operator *op = vkdml_operator_of(node->instance->schema->type);
    return op->plan == vkdml_plan_mapping || op == &vkdml_operator_cast ||
           op == &vkdml_operator_element_wise_identity || op == &vkdml_operator_activation_identity;
}

static bool has_sizes_of(const struct vkdml_tensor *a, const struct vkdml_tensor *b) {
    return a->dimension_count == b->dimension_count &&
           memcmp(a->sizes, b->sizes, a->dimension_count * sizeof *a->sizes) == 0;
}

static bool is_read_alike(const struct vkdml_tensor *a, const struct vkdml_tensor *b) {
    return a->data_type == b->data_type && has_sizes_of(a, b) &&
           memcmp(a->strides, b->strides, a->dimension_count * sizeof *a->strides) == 0;
}

/* The value of what an input reads from a node that was added; NO_VALUE: from none. */
static uint8_t inner_value(const struct vkdml_graph_program *made, const struct vkdml_graph *graph, uint32_t value) {
    for (uint32_t i = 0; i < made->node_count; ++i) {
        if (graph->nodes[made->nodes[i]].first_value == value) {
            return made->results[i];
        }
    }
    return NO_VALUE;
}

/* The operand that an input is, which may be one that there is; NO_VALUE: there are too many. */
static uint8_t operand_of(struct vkdml_graph_program *made, uint32_t value, const struct vkdml_tensor *tensor,
                          const struct vkdml_plan_limits *limits) {
    struct vkdml_program *program = &made->program;
    for (uint32_t i = 0; i < program->operand_count; ++i) {
        if (made->values[i] == value && is_read_alike(made->tensors[i], tensor)) {
            return (uint8_t)i;
        }
    }
    const uint32_t i = program->operand_count;
    if (i == vkdml_program_operands(limits)) {
        return NO_VALUE;
    }
    made->values[i] = value;
    made->tensors[i] = tensor;
    program->operands[i] = vkdml_view_input(tensor, i);
    ++program->operand_count;
    return (uint8_t)i;
}

/* The value of a node's input; else why there is none. */
static const char *find_value(struct vkdml_graph_program *made, const struct vkdml_graph *graph, uint32_t node,
                              uint32_t input, const struct vkdml_plan_limits *limits, uint8_t *found) {
    const struct vkdml_instance *instance = graph->nodes[node].instance;
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    const uint32_t value = vkdml_graph_source(graph, node, input);
    const uint8_t inner = inner_value(made, graph, value);
    if (inner == NO_VALUE) {
        *found = operand_of(made, value, tensor, limits);
        return *found == NO_VALUE ? "the program would have too many operands" : NULL;
    }
    *found = inner;
    return vkdml_same_layout(&graph->nodes[graph->values[value].node].instance->outputs[0], tensor) &&
                   has_sizes_of(tensor, &instance->outputs[0])
               ? NULL
               : "it is read by other sizes or strides than it is written by";
}

/* A further instruction; NULL: there are too many. */
static struct vkdml_program_instruction *add_instruction(struct vkdml_program *program) {
    return program->count < VKDML_PROGRAM_INSTRUCTIONS ? &program->instructions[program->count++] : NULL;
}

static const char *add_map(struct vkdml_graph_program *made, const struct vkdml_map *map, const uint8_t values[3],
                           DML_TENSOR_DATA_TYPE types[3], DML_TENSOR_DATA_TYPE type) {
    static const char many[] = "the program would have too many instructions";
    struct vkdml_program_instruction *instruction = add_instruction(&made->program);
    if (instruction == NULL) {
        return many;
    }
    memcpy(instruction->values, values, sizeof instruction->values);
    instruction->type = type;
    if (map->scale != VKDML_MAP_NO_SCALE) {
        const bool is_all = map->operation == VKDML_MAP_FIRST && map->function == VKDML_FUNCTION_NONE;
        instruction->function = VKDML_FUNCTION_LINEAR;
        memcpy(instruction->arguments, map->arguments, 2 * sizeof *instruction->arguments);
        if (!vkdml_data_type_is_float(types[0]) || types[0] == DML_TENSOR_DATA_TYPE_FLOAT64) {
            return "programs do not scale integers";
        }
        if (is_all) {
            return NULL;
        }
        types[0] = instruction->type = DML_TENSOR_DATA_TYPE_FLOAT32;
        instruction = add_instruction(&made->program);
        if (instruction == NULL) {
            return many;
        }
        memcpy(instruction->values, values, sizeof instruction->values);
        instruction->values[0] = (uint8_t)(VKDML_PROGRAM_OPERANDS + made->program.count - 2);
        instruction->type = type;
    }
    instruction->operation = map->operation;
    instruction->function = map->function;
    const bool is_of_operation = map->operation == VKDML_MAP_CLIP_GRAD;
    memcpy(instruction->arguments, map->arguments + (is_of_operation ? 4 : VKDML_MAP_FUNCTION_ARGUMENTS),
           sizeof instruction->arguments);
    return vkdml_program_suits(map->operation, map->function, types, type) ? NULL
                                                                           : "programs do not compute what it does";
}

static uint32_t count_long(const struct vkdml_program *program) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->count; ++i) {
        count += vkdml_program_is_long(&program->instructions[i]);
    }
    return count;
}

const char *vkdml_graph_program_add(struct vkdml_graph_program *made, const struct vkdml_graph *graph, uint32_t node,
                                    const struct vkdml_plan_limits *limits) {
    const struct vkdml_instance *instance = graph->nodes[node].instance;
    const struct vkdml_operator *op = vkdml_operator_of(instance->schema->type);
    struct vkdml_builder builder = {.limits = limits};
    const struct vkdml_planning planning = {.instance = instance, .builder = &builder};
    struct vkdml_map map;
    uint8_t values[3] = {0, 0, 0};
    DML_TENSOR_DATA_TYPE types[3] = {DML_TENSOR_DATA_TYPE_UNKNOWN};
    vkdml_mapping_begin(op, &planning, &map);
    if (map.operation == VKDML_MAP_CAST && map.tensors[0].type == map.tensors[VKDML_MAP_OUTPUT].type) {
        map.operation = VKDML_MAP_FIRST; /* as it is then planned */
    }
    for (uint32_t i = 0; i < 3; ++i) {
        if (map.tensors[i].type != DML_TENSOR_DATA_TYPE_UNKNOWN) {
            const uint32_t input = map.tensors[i].index;
            const char *reason = find_value(made, graph, node, input, limits, &values[i]);
            if (reason != NULL) {
                return reason;
            }
            types[i] = instance->inputs[input].data_type;
        }
    }
    const char *reason = add_map(made, &map, values, types, instance->outputs[0].data_type);
    if (reason == NULL && count_long(&made->program) > VKDML_PROGRAM_LONG) {
        reason = "the program would compute long in too many instructions";
    }
    made->program.output = vkdml_output_view(instance, 0);
    made->nodes[made->node_count] = node;
    made->results[made->node_count++] = (uint8_t)(VKDML_PROGRAM_OPERANDS + made->program.count - 1);
    return reason;
}
