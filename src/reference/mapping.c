#include "reference/mapping.h"

#include <assert.h>
#include <string.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/scale_bias.h"

#define MAX_OPERANDS 3

static bool is_float(DML_TENSOR_DATA_TYPE type) {
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 || type == DML_TENSOR_DATA_TYPE_FLOAT16;
}

/* One execution of a map. */
struct mapping {
    const struct vkdml_map_reference *map;
    const struct vkdml_instance *instance;
    const struct vkdml_reference_memory *memory;
    const DML_SCALE_BIAS *scale_bias;
    struct vkdml_map_context context;
};

static uint64_t operand(const struct mapping *m, uint32_t i, const struct vkdml_coordinate *at) {
    return vkdml_element_read(&m->instance->inputs[i], m->memory->inputs[i], at);
}

static bool has(const struct mapping *m, uint32_t i) {
    return i < m->instance->input_count && m->instance->inputs[i].dimension_count != 0;
}

static void read_floats(const struct mapping *m, const struct vkdml_coordinate *at, float *x) {
    for (uint32_t i = 0; i < MAX_OPERANDS && has(m, i); i++) {
        x[i] = vkdml_element_to_float(m->instance->inputs[i].data_type, operand(m, i, at));
    }
    if (m->scale_bias != NULL) {
        x[0] = vkdml_scale_bias_float(x[0], m->scale_bias);
    }
}

static uint64_t of_floats(const struct mapping *m, const struct vkdml_coordinate *at) {
    float x[MAX_OPERANDS] = {0};
    read_floats(m, at, x);
    if (!is_float(m->instance->outputs[0].data_type)) {
        return m->map->truth(x, &m->context);
    }
    float y = m->map->floats(x, &m->context);
    if (m->instance->activation_count != 0) {
        const struct vkdml_instance *activation = &m->instance->activations[0];
        const struct vkdml_map_context context = {
            .desc = activation->desc, .type = m->context.type, .is_half = m->context.is_half};
        y = vkdml_reference_activation(activation->schema->type)(&y, &context);
    }
    return vkdml_float_to_element(m->instance->outputs[0].data_type, y);
}

static uint64_t of_integers(const struct mapping *m, const struct vkdml_coordinate *at) {
    uint64_t x[MAX_OPERANDS] = {0};
    for (uint32_t i = 0; i < MAX_OPERANDS && has(m, i); i++) {
        uint64_t bits = operand(m, i, at);
        if (i == 0 && m->scale_bias != NULL) {
            bits = vkdml_scale_bias(m->context.type, bits, m->scale_bias);
        }
        const DML_TENSOR_DATA_TYPE type = m->instance->inputs[i].data_type;
        x[i] = m->map->bits || is_float(type) ? bits : vkdml_integer_extend(type, bits);
    }
    return m->map->integers(x, &m->context); /* the element keeps the bits it has */
}

float vkdml_reference_fused(const struct vkdml_instance *instance, float x) {
    if (instance->activation_count == 0) {
        return x;
    }
    const struct vkdml_instance *activation = &instance->activations[0];
    const struct vkdml_map_context context = {.desc = activation->desc, .type = DML_TENSOR_DATA_TYPE_FLOAT32};
    return vkdml_reference_activation(activation->schema->type)(&x, &context);
}

void vkdml_reference_map(const struct vkdml_map_reference *map, const struct vkdml_instance *instance,
                         const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    const struct mapping m = {
        .map = map,
        .instance = instance,
        .memory = memory,
        .scale_bias = vkdml_instance_scale_bias(instance),
        .context = {.desc = instance->desc,
                    .type = instance->inputs[0].data_type,
                    .second_type =
                        instance->input_count > 1 ? instance->inputs[1].data_type : DML_TENSOR_DATA_TYPE_UNKNOWN,
                    .is_half = instance->inputs[0].data_type == DML_TENSOR_DATA_TYPE_FLOAT16 &&
                               vkdml_instance_scale_bias(instance) == NULL},
    };
    const bool floats = !map->bits && is_float(m.context.type);
    assert(floats ? map->floats != NULL || map->truth != NULL : map->integers != NULL);
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_element_write(output, memory->outputs[0], &at, floats ? of_floats(&m, &at) : of_integers(&m, &at));
    } while (vkdml_coordinate_next(output, &at));
}
