#include "onnx/single.h"

#include <string.h>

struct making {
    const struct onnx_graph *whole;
    const bool *is_given;
    uint32_t *numbers; /* of values of the whole graph; ONNX_NONE: none yet */
    struct onnx_value *values;
    uint32_t *names;  /* of the values: which of the whole graph's each is */
    uint32_t *inputs; /* of the graph that is made */
    uint32_t value_count, input_count;
};

void onnx_for_each_read(const struct onnx_node *node, void (*call)(void *data, uint32_t value), void *data) {
    for (uint32_t i = 0; i < node->input_count; ++i) {
        if (node->inputs[i] != ONNX_NONE) {
            call(data, node->inputs[i]);
        }
    }
    for (uint32_t a = 0; a < node->attribute_count; ++a) {
        const struct onnx_graph *body =
            node->attributes[a].kind == ONNX_ATTRIBUTE_GRAPH ? node->attributes[a].graph : NULL;
        for (uint32_t v = 0; body != NULL && v < body->value_count; ++v) {
            if (body->values[v].outer != ONNX_NONE) {
                call(data, body->values[v].outer);
            }
        }
    }
}

static void count_one(void *data, uint32_t value) {
    (void)value;
    ++*(uint32_t *)data;
}

static void forget(void *data, uint32_t value) {
    ((uint32_t *)data)[value] = ONNX_NONE;
}

static void add_value(struct making *m, uint32_t value) {
    m->numbers[value] = m->value_count;
    m->names[m->value_count] = value;
    m->values[m->value_count++] = m->whole->values[value];
}

static void add_read(void *data, uint32_t value) {
    struct making *m = data;
    if (m->numbers[value] != ONNX_NONE) {
        return;
    }
    add_value(m, value);
    struct onnx_value *made = &m->values[m->value_count - 1];
    if (made->constant == NULL || m->is_given[value]) {
        made->constant = NULL;
        m->inputs[m->input_count++] = m->numbers[value];
    }
}

/* A body reads values of the graph around it by their numbers there. */
static struct onnx_graph *copy_body(const struct making *m, const struct onnx_graph *body, struct onnx_arena *arena) {
    struct onnx_graph *copy = onnx_allocate(arena, 1, sizeof *copy);
    struct onnx_value *values = onnx_allocate(arena, body->value_count, sizeof *values);
    if (copy == NULL || values == NULL) {
        return NULL;
    }
    *copy = *body;
    copy->values = values;
    for (uint32_t v = 0; v < body->value_count; ++v) {
        values[v] = body->values[v];
        values[v].outer = values[v].outer == ONNX_NONE ? ONNX_NONE : m->numbers[values[v].outer];
    }
    return copy;
}

static bool copy_attributes(const struct making *m, struct onnx_node *node, struct onnx_arena *arena) {
    struct onnx_attribute *attributes = onnx_allocate(arena, node->attribute_count, sizeof *attributes);
    bool done = attributes != NULL;
    for (uint32_t a = 0; done && a < node->attribute_count; ++a) {
        attributes[a] = node->attributes[a];
        if (attributes[a].kind == ONNX_ATTRIBUTE_GRAPH) {
            attributes[a].graph = copy_body(m, attributes[a].graph, arena);
            done = attributes[a].graph != NULL;
        }
    }
    node->attributes = attributes;
    return done;
}

static bool copy_node(const struct making *m, const struct onnx_node *node, struct onnx_node *copy,
                      struct onnx_arena *arena) {
    uint32_t *ends = onnx_allocate(arena, (size_t)node->input_count + node->output_count, sizeof *ends);
    *copy = *node;
    if (ends == NULL || !copy_attributes(m, copy, arena)) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; ++i) {
        ends[i] = node->inputs[i] == ONNX_NONE ? ONNX_NONE : m->numbers[node->inputs[i]];
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        ends[node->input_count + i] = node->outputs[i] == ONNX_NONE ? ONNX_NONE : m->numbers[node->outputs[i]];
    }
    copy->inputs = ends;
    copy->outputs = ends + node->input_count;
    return true;
}

/* The numbers of `count` values of the graph that is made in the whole graph. */
static uint32_t *name_all(const struct making *m, const uint32_t *values, uint32_t count, struct onnx_arena *arena) {
    uint32_t *names = onnx_allocate(arena, count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; ++i) {
        names[i] = m->names[values[i]];
    }
    return names;
}

bool onnx_single_make(const struct onnx_graph *whole, const struct onnx_node *node, const bool *is_given,
                      const bool *wanted, uint32_t *numbers, struct onnx_arena *arena, struct onnx_single *single) {
    uint32_t room = node->output_count;
    onnx_for_each_read(node, count_one, &room);
    onnx_for_each_read(node, forget, numbers);
    struct making m = {.whole = whole, .is_given = is_given, .numbers = numbers};
    m.values = onnx_allocate(arena, room, sizeof *m.values);
    m.names = onnx_allocate(arena, room, sizeof *m.names);
    m.inputs = onnx_allocate(arena, room, sizeof *m.inputs);
    uint32_t *outputs = onnx_allocate(arena, node->output_count, sizeof *outputs);
    struct onnx_node *copy = onnx_allocate(arena, 1, sizeof *copy);
    if (m.values == NULL || m.names == NULL || m.inputs == NULL || outputs == NULL || copy == NULL) {
        return false;
    }
    onnx_for_each_read(node, add_read, &m);
    uint32_t output_count = 0;
    for (uint32_t i = 0; i < node->output_count; ++i) {
        if (node->outputs[i] != ONNX_NONE) {
            add_value(&m, node->outputs[i]);
            if (wanted[node->outputs[i]]) {
                outputs[output_count++] = m.numbers[node->outputs[i]];
            }
        }
    }
    single->inputs = name_all(&m, m.inputs, m.input_count, arena);
    single->outputs = name_all(&m, outputs, output_count, arena);
    if (!copy_node(&m, node, copy, arena) || single->inputs == NULL || single->outputs == NULL) {
        return false;
    }
    single->graph = (struct onnx_graph){.name = whole->name,
                                        .value_count = m.value_count,
                                        .node_count = 1,
                                        .input_count = m.input_count,
                                        .output_count = output_count,
                                        .values = m.values,
                                        .nodes = copy,
                                        .inputs = m.inputs,
                                        .outputs = outputs};
    return true;
}
