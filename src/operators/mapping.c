#include "operators/mapping.h"

#include <string.h>

#include "operators/scalar.h"
#include "operators/scale_bias.h"

static bool is_signed(DML_TENSOR_DATA_TYPE type) {
    return type == DML_TENSOR_DATA_TYPE_INT8 || type == DML_TENSOR_DATA_TYPE_INT16;
}

void vkdml_mapping_argument(const uint32_t bits[2], DML_TENSOR_DATA_TYPE type, uint32_t words[2]) {
    const uint32_t unused = 32 - vkdml_data_type_bits(type) % 32;
    words[0] = bits[0];
    words[1] = bits[1];
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        words[0] = vkdml_float_bits(vkdml_float_of_half(bits[0]));
    } else if (is_signed(type)) {
        words[0] = (uint32_t)((int32_t)(bits[0] << unused) >> unused);
    }
}

void vkdml_mapping_float_argument(float value, DML_TENSOR_DATA_TYPE type, uint32_t *word) {
    uint32_t bits[2];
    uint32_t words[2];
    vkdml_scalar_from_float(value, type, bits);
    vkdml_mapping_argument(bits, type, words);
    *word = words[0];
}

/* Reads the attributes of a descriptor that are numbers. */
static void read_arguments(const struct vkdml_instance *instance, enum vkdml_attributes as, DML_TENSOR_DATA_TYPE type,
                           uint32_t words[4]) {
    const uint32_t step = as == VKDML_ATTRIBUTES_AS_ELEMENTS && vkdml_data_type_size(type) == 8 ? 2 : 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < instance->schema->fieldCount && n + step <= 4; ++i) {
        const VkdmlFieldSchema *field = &instance->schema->fields[i];
        const unsigned char *at = (const unsigned char *)instance->desc + field->offset;
        uint32_t bits[2] = {0, 0};
        if (field->type == VKDML_FIELD_TYPE_FLOAT) {
            float value;
            memcpy(&value, at, sizeof(value));
            bits[0] = vkdml_float_bits(value);
            if (as == VKDML_ATTRIBUTES_AS_ELEMENTS) {
                vkdml_scalar_from_float(value, type, bits);
            }
        } else if (field->type == VKDML_FIELD_TYPE_SCALAR_UNION) {
            DML_SCALAR_UNION value;
            memcpy(&value, at, sizeof(value));
            vkdml_scalar_from_union(&value, type, bits);
        } else {
            continue;
        }
        uint32_t expanded[2] = {bits[0], bits[1]};
        if (as == VKDML_ATTRIBUTES_AS_ELEMENTS) {
            vkdml_mapping_argument(bits, type, expanded);
        }
        memcpy(words + n, expanded, step * sizeof(*words));
        n += step;
    }
}

/* The function that a mapping ends with. */
static void set_function(const struct vkdml_instance *instance, const struct vkdml_mapping *mapping,
                         DML_TENSOR_DATA_TYPE type, struct vkdml_epilogue_step *step) {
    *step = (struct vkdml_epilogue_step){.operation = VKDML_MAP_FIRST, .function = mapping->function};
    if (!mapping->attributes_of_operation) {
        read_arguments(instance, mapping->attributes, type, step->arguments);
    }
    if (mapping->adjust != NULL) {
        mapping->adjust(instance, type, step);
    }
}

void vkdml_mapping_function(const struct vkdml_instance *activation, DML_TENSOR_DATA_TYPE type,
                            struct vkdml_epilogue_step *step) {
    set_function(activation, &vkdml_operator_of(activation->schema->type)->mapping, type, step);
}

void vkdml_mapping_use_bits(struct vkdml_map *map) {
    static const DML_TENSOR_DATA_TYPE unsigned_types[] = {
        [DML_TENSOR_DATA_TYPE_FLOAT32] = DML_TENSOR_DATA_TYPE_UINT32,
        [DML_TENSOR_DATA_TYPE_INT32] = DML_TENSOR_DATA_TYPE_UINT32,
        [DML_TENSOR_DATA_TYPE_FLOAT16] = DML_TENSOR_DATA_TYPE_UINT16,
        [DML_TENSOR_DATA_TYPE_INT16] = DML_TENSOR_DATA_TYPE_UINT16,
        [DML_TENSOR_DATA_TYPE_INT8] = DML_TENSOR_DATA_TYPE_UINT8,
        [DML_TENSOR_DATA_TYPE_FLOAT64] = DML_TENSOR_DATA_TYPE_UINT64,
        [DML_TENSOR_DATA_TYPE_INT64] = DML_TENSOR_DATA_TYPE_UINT64,
    };
    for (uint32_t t = 0; t <= VKDML_MAP_OUTPUT; ++t) {
        const DML_TENSOR_DATA_TYPE type = map->tensors[t].type;
        if ((size_t)type < sizeof(unsigned_types) / sizeof(unsigned_types[0]) &&
            unsigned_types[type] != DML_TENSOR_DATA_TYPE_UNKNOWN) {
            map->tensors[t].type = unsigned_types[type];
        }
    }
}

void vkdml_mapping_epilogue(const struct vkdml_instance *instance, struct vkdml_epilogue *epilogue) {
    epilogue->count = 0; /* all of it set to 0 takes a tenth of what compiling an operator does */
    if (instance->activation_count != 0) {
        vkdml_mapping_function(&instance->activations[0], instance->outputs[0].data_type, vkdml_epilogue_add(epilogue));
    }
}

void vkdml_mapping_begin(const struct vkdml_operator *op, const struct vkdml_planning *planning,
                         struct vkdml_map *map) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_TENSOR_DATA_TYPE type = instance->outputs[0].data_type;
    vkdml_map_begin(map, vkdml_output_view(instance, 0));
    for (uint32_t i = 0; i < instance->input_count && i < VKDML_MAP_OPERANDS; ++i) {
        if (instance->inputs[i].dimension_count != 0) {
            vkdml_map_set_operand(map, i, vkdml_input_view(instance, i));
        }
    }
    map->operation = op->mapping.operation;
    if (op->mapping.attributes_of_operation) {
        read_arguments(instance, op->mapping.attributes, type, map->arguments + 4);
    }
    struct vkdml_epilogue epilogue;
    epilogue.count = 0;
    set_function(instance, &op->mapping, type, vkdml_epilogue_add(&epilogue));
    vkdml_map_set_epilogue(map, &epilogue);
    if (op->mapping.puts_first_last) {
        vkdml_map_exchange(map, 0, 1);
        vkdml_map_exchange(map, 1, 2);
    }
    const DML_SCALE_BIAS *scale_bias = vkdml_instance_scale_bias(instance);
    if (scale_bias != NULL) {
        vkdml_scale_bias_set(map, instance->inputs[0].data_type, scale_bias, planning->builder->limits);
    }
    if (instance->activation_count != 0) {
        vkdml_mapping_epilogue(instance, &epilogue);
        vkdml_map_set_epilogue(map, &epilogue);
    }
    if (op->mapping.moves_bits) {
        vkdml_mapping_use_bits(map);
    }
}

VkdmlResult vkdml_plan_mapping(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    struct vkdml_map map;
    vkdml_mapping_begin(op, planning, &map);
    return vkdml_map_plan(&map, planning->builder);
}
