#include "onnx/data_node.h"

#include <stdlib.h>
#include <string.h>

enum data_operator { NONE, NONZERO, COMPRESS, UNIQUE, SUPPRESSION };

static enum data_operator operator_of(const struct onnx_node *node) {
    static const struct {
        const char *op;
        enum data_operator which;
    } rows[] = {
        {"NonZero", NONZERO}, {"Compress", COMPRESS}, {"Unique", UNIQUE}, {"NonMaxSuppression", SUPPRESSION}};
    for (size_t i = 0; node->domain[0] == 0 && i < sizeof rows / sizeof rows[0]; ++i) {
        if (strcmp(node->op, rows[i].op) == 0) {
            return rows[i].which;
        }
    }
    return NONE;
}

bool onnx_is_data_node(const struct onnx_node *node, const bool *known) {
    const enum data_operator which = operator_of(node);
    bool is_open = false;
    for (uint32_t i = 0; which != NONE && i < node->input_count; ++i) {
        /* Of Compress the condition alone decides. */
        const bool decides = which != COMPRESS || i == 1;
        is_open = is_open || (decides && node->inputs[i] != ONNX_NONE && !known[node->inputs[i]]);
    }
    return is_open;
}

bool onnx_data_node_takes(const struct onnx_node *node, uint32_t input_count, const enum onnx_type *types) {
    const enum data_operator which = operator_of(node);
    const enum onnx_type type = input_count == 0 ? ONNX_UNDEFINED : types[0];
    if (which == SUPPRESSION) {
        return type == ONNX_FLOAT || type == ONNX_UNDEFINED;
    }
    return which != NONE && type != ONNX_STRING && type != ONNX_COMPLEX64 && type != ONNX_COMPLEX128 &&
           type != ONNX_UINT4 && type != ONNX_INT4 && !(which == UNIQUE && type == ONNX_UINT64);
}

/* ---- the most that comes of it ---- */

static const struct onnx_attribute *axis_of(const struct onnx_node *node) {
    for (uint32_t i = 0; i < node->attribute_count; ++i) {
        if (node->attributes[i].kind == ONNX_ATTRIBUTE_INT && strcmp(node->attributes[i].name, "axis") == 0) {
            return &node->attributes[i];
        }
    }
    return NULL;
}

/* Those of the input, or all its elements in one dimension where no axis is given. */
static bool along_axis(const struct onnx_node *node, const struct onnx_tensor *input, uint32_t *rank, uint32_t *sizes,
                       uint32_t *size) {
    const struct onnx_attribute *axis = axis_of(node);
    const int64_t at = axis == NULL ? 0 : axis->ints[0] < 0 ? axis->ints[0] + input->rank : axis->ints[0];
    *rank = axis == NULL ? 1 : input->rank;
    memcpy(sizes, input->sizes, sizeof input->sizes);
    if (axis == NULL) {
        sizes[0] = (uint32_t)onnx_count(input);
    }
    if (at < 0 || at >= *rank) {
        return false;
    }
    *size = sizes[at];
    return true;
}

/* All boxes of all classes of all batches, or as many of a class as a known number says. */
static bool most_selected(uint32_t input_count, struct onnx_tensor *const *inputs, uint32_t *rank, uint32_t *sizes) {
    const struct onnx_tensor *scores = input_count < 2 ? NULL : inputs[1];
    const struct onnx_tensor *most = input_count < 3 ? NULL : inputs[2];
    if (scores == NULL || scores->rank != 3) {
        return false;
    }
    uint64_t boxes = scores->sizes[2];
    if (most == NULL) {
        boxes = 0;
    } else if (most->data != NULL && most->type == ONNX_INT64) {
        int64_t number;
        memcpy(&number, most->data, sizeof number);
        boxes = number < 0 ? 0 : (uint64_t)number < boxes ? (uint64_t)number : boxes;
    }
    const double count = (double)scores->sizes[0] * scores->sizes[1] * (double)boxes;
    *rank = 2;
    sizes[0] = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
    sizes[1] = 3;
    return true;
}

bool onnx_data_node_most(const struct onnx_node *node, uint32_t index, uint32_t input_count,
                         struct onnx_tensor *const *inputs, enum onnx_type *type, uint32_t *rank, uint32_t *sizes) {
    const enum data_operator which = operator_of(node);
    const struct onnx_tensor *input = input_count == 0 ? NULL : inputs[0];
    uint32_t size = 0;
    *type = ONNX_INT64;
    if (which == NONE || input == NULL || which == SUPPRESSION) {
        return which == SUPPRESSION && most_selected(input_count, inputs, rank, sizes);
    }
    if (which == NONZERO) {
        *rank = 2;
        sizes[0] = input->rank;
        sizes[1] = (uint32_t)onnx_count(input);
        return true;
    }
    if (!along_axis(node, input, rank, sizes, &size)) {
        return false;
    }
    if (index == 0) {
        *type = input->type;
    } else {
        *rank = 1;
        sizes[0] = size;
    }
    return true;
}

/* ---- on the host ---- */

static bool copy_output(const struct onnx_plan_output *made, struct onnx_plan_input *output, struct onnx_error *error) {
    *output = (struct onnx_plan_input){.type = made->type, .rank = made->rank};
    memcpy(output->sizes, made->sizes, sizeof made->sizes);
    if (made->bytes == 0) {
        return true;
    }
    if (made->data == NULL) {
        return onnx_fail(error, "the host does not compute elements of %s", onnx_type_name(made->type));
    }
    void *copy = malloc(made->bytes + 8);
    if (copy == NULL) {
        return onnx_fail_memory(error);
    }
    memcpy(copy, made->data, made->bytes);
    output->data = copy;
    return true;
}

/* The graph with its inputs as constants. False where memory is out. */
static bool make_constant(const struct onnx_graph *single, const struct onnx_plan_input *inputs,
                          struct onnx_arena *arena, struct onnx_graph *made) {
    struct onnx_value *values = onnx_allocate(arena, single->value_count, sizeof *values);
    struct onnx_data *constants = onnx_allocate(arena, single->input_count, sizeof *constants);
    if (values == NULL || constants == NULL) {
        return false;
    }
    memcpy(values, single->values, single->value_count * sizeof *values);
    for (uint32_t i = 0; i < single->input_count; ++i) {
        const struct onnx_plan_input *input = &inputs[i];
        constants[i] = (struct onnx_data){.type = input->type,
                                          .rank = input->rank,
                                          .data = input->data,
                                          .bytes = onnx_bytes_of(input->type,
                                                                 onnx_elements(input->rank, input->sizes))};
        memcpy(constants[i].sizes, input->sizes, sizeof input->sizes);
        values[single->inputs[i]].constant = &constants[i];
    }
    *made = *single;
    made->values = values;
    made->input_count = 0;
    return true;
}

/* Planning computes what follows from constants. */
bool onnx_data_node_run(const struct onnx_model *model, const struct onnx_graph *single,
                        const struct onnx_plan_input *inputs, struct onnx_plan_input *outputs,
                        struct onnx_error *error) {
    const struct onnx_plan_options options = {.fold_limit = UINT32_MAX, .host_limit = UINT64_MAX};
    struct onnx_arena arena = {0};
    struct onnx_graph graph;
    struct onnx_plan *plan = NULL;
    memset(outputs, 0, single->output_count * sizeof *outputs);
    bool done = make_constant(single, inputs, &arena, &graph) || onnx_fail_memory(error);
    done = done && onnx_plan_create(model, &graph, 0, NULL, &options, &plan, error);
    for (uint32_t o = 0; done && o < single->output_count; ++o) {
        done = copy_output(&onnx_plan_outputs(plan)[o], &outputs[o], error);
    }
    onnx_plan_free(plan);
    onnx_arena_free(&arena);
    return done;
}
