/* Operators with scales and zero points: of every element, of each of a block of them, or of all. */
#include <inttypes.h>

#include "operators/mapping.h"
#include "tensor/infer.h"

/* The tensors of QuantizationTensors, among the inputs. */
enum { SCALE = 1, ZERO_POINT = 2 };

static void check_type(const struct vkdml_instance *instance, uint32_t input, struct vkdml_tensor *other,
                       const char *other_name, struct vkdml_report *report) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    if (!vkdml_data_type_is(other, tensor->data_type)) {
        vkdml_report_invalid_type(report, "%s.DataType is %s, must be %s = %s.DataType",
                                  vkdml_input_name(instance, input), vkdml_data_type_name(tensor->data_type),
                                  vkdml_data_type_name(other->data_type), other_name);
    }
}

static void check_zero_point_sizes(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tensor *scale = &instance->inputs[SCALE];
    const struct vkdml_tensor *zero_point = &instance->inputs[ZERO_POINT];
    for (uint32_t d = 0; d < scale->dimension_count && scale->dimension_count == zero_point->dimension_count; ++d) {
        if (scale->sizes[d] != zero_point->sizes[d]) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 vkdml_input_name(instance, ZERO_POINT), d, zero_point->sizes[d], scale->sizes[d],
                                 vkdml_input_name(instance, SCALE), d);
        }
    }
}

/* Scales are FLOAT32 of INT32 elements, else of the elements' type. */
static void check_linear_scale(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tensor *scale = &instance->inputs[SCALE];
    if (instance->inputs[0].data_type != DML_TENSOR_DATA_TYPE_INT32) {
        check_type(instance, SCALE, &instance->inputs[0], vkdml_input_name(instance, 0), report);
    } else if (scale->data_type != DML_TENSOR_DATA_TYPE_FLOAT32) {
        vkdml_report_invalid_type(
            report,
            "%s.DataType is %s, must be DML_TENSOR_DATA_TYPE_FLOAT32 where %s.DataType is DML_TENSOR_DATA_TYPE_INT32",
            vkdml_input_name(instance, SCALE), vkdml_data_type_name(scale->data_type), vkdml_input_name(instance, 0));
    }
}

const struct vkdml_operator vkdml_operator_element_wise_quantize_linear = {
    .rules = check_linear_scale,
    .plan = vkdml_plan_mapping,
    .mapping = {.operation = VKDML_MAP_QUANTIZE},
};

const struct vkdml_operator vkdml_operator_element_wise_dequantize_linear = {
    .plan = vkdml_plan_mapping,
    .mapping = {.operation = VKDML_MAP_DEQUANTIZE},
};

/* Floats are `floats`, quantized elements `integers`. */
static void check(const struct vkdml_instance *instance, DML_QUANTIZATION_TYPE type, struct vkdml_tensor *floats,
                  const char *floats_name, struct vkdml_tensor *integers, const char *integers_name,
                  struct vkdml_report *report) {
    const uint32_t count = instance->input_count - 1;
    const uint32_t wanted = type == DML_QUANTIZATION_TYPE_SCALE ? 1 : 2;
    if (type == DML_QUANTIZATION_TYPE_NONE) {
        vkdml_report_invalid(report, "QuantizationType is DML_QUANTIZATION_TYPE_NONE, must be "
                                     "DML_QUANTIZATION_TYPE_SCALE or DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT");
        return;
    }
    if (count != wanted) {
        vkdml_report_invalid(report,
                             "QuantizationTensorCount is %" PRIu32 ", must be %" PRIu32 " for this QuantizationType",
                             count, wanted);
        return;
    }
    check_type(instance, SCALE, floats, floats_name, report);
    if (wanted == 2) {
        check_type(instance, ZERO_POINT, integers, integers_name, report);
        check_zero_point_sizes(instance, report);
    }
}

static void check_quantize(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_QUANTIZE_OPERATOR_DESC *desc = instance->desc;
    check(instance, desc->QuantizationType, &instance->inputs[0], vkdml_input_name(instance, 0), &instance->outputs[0],
          vkdml_output_name(instance, 0), report);
}

static void check_dequantize(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_DEQUANTIZE_OPERATOR_DESC *desc = instance->desc;
    check(instance, desc->QuantizationType, &instance->outputs[0], vkdml_output_name(instance, 0), &instance->inputs[0],
          vkdml_input_name(instance, 0), report);
}

/* Where blocks have several elements their dimension becomes two: in the elements' there is one scale for all. */
static VkdmlResult plan_blocks(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_tensor *scale = &planning->instance->inputs[SCALE];
    struct vkdml_map map;
    vkdml_mapping_begin(op, planning, &map);
    for (uint32_t d = map.rank; d-- > 0;) {
        const uint32_t strides[] = {map.dimensions[d].strides[SCALE], map.dimensions[d].strides[ZERO_POINT]};
        if (scale->sizes[d] != map.dimensions[d].size) {
            vkdml_map_split(&map, d, scale->sizes[d]);
            map.dimensions[d].strides[SCALE] = strides[0];
            map.dimensions[d].strides[ZERO_POINT] = strides[1];
            map.dimensions[d + 1].strides[SCALE] = 0;
            map.dimensions[d + 1].strides[ZERO_POINT] = 0;
        }
    }
    return vkdml_map_plan(&map, planning->builder);
}

const struct vkdml_operator vkdml_operator_quantize = {
    .rules = check_quantize,
    .plan = plan_blocks,
    .mapping = {.operation = VKDML_MAP_QUANTIZE},
};

const struct vkdml_operator vkdml_operator_dequantize = {
    .rules = check_dequantize,
    .plan = plan_blocks,
    .mapping = {.operation = VKDML_MAP_DEQUANTIZE},
};

/* ---- ELEMENT_WISE_QUANTIZED_LINEAR_ADD ---- */

/* Its tensors among the inputs: behind each comes its scale, and then its zero point. */
enum { ADDEND_A = 0, ADDEND_B = 3, SUM_SCALE = 6 };

/* The scale at an input, and the zero point behind it, absent or not. */
static void use_scale(const struct vkdml_instance *instance, uint32_t input, struct vkdml_map *map) {
    vkdml_map_set_operand(map, SCALE, vkdml_input_view(instance, input));
    if (instance->inputs[input + 1].dimension_count != 0) {
        vkdml_map_set_operand(map, ZERO_POINT, vkdml_input_view(instance, input + 1));
    }
}

/* Both addends become numbers, one beside the other, their sum takes the place of the first, and is quantized. */
static VkdmlResult plan_quantized_add(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    static const uint32_t addends[] = {ADDEND_A, ADDEND_B};
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_view output = vkdml_output_view(instance, 0);
    struct vkdml_view numbers[2];
    struct vkdml_map map;
    (void)op;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t i = 0; i < 2 && result == VKDML_SUCCESS; ++i) {
        numbers[i] = vkdml_builder_scratch(planning->builder, "numbers", &output, DML_TENSOR_DATA_TYPE_FLOAT32);
        vkdml_map_begin(&map, numbers[i]);
        map.operation = VKDML_MAP_DEQUANTIZE;
        vkdml_map_set_operand(&map, 0, vkdml_input_view(instance, addends[i]));
        use_scale(instance, addends[i] + 1, &map);
        result = vkdml_map_plan(&map, planning->builder);
    }
    if (result == VKDML_SUCCESS) {
        vkdml_map_begin(&map, numbers[0]);
        map.operation = VKDML_MAP_ADD;
        vkdml_map_set_operand(&map, 0, numbers[0]);
        vkdml_map_set_operand(&map, 1, numbers[1]);
        vkdml_builder_phase(planning->builder);
        result = vkdml_map_plan(&map, planning->builder);
    }
    if (result == VKDML_SUCCESS) {
        vkdml_map_begin(&map, vkdml_output_view(instance, 0));
        map.operation = VKDML_MAP_QUANTIZE;
        vkdml_map_set_operand(&map, 0, numbers[0]);
        use_scale(instance, SUM_SCALE, &map);
        vkdml_builder_phase(planning->builder);
        result = vkdml_map_plan(&map, planning->builder);
    }
    return result;
}

const struct vkdml_operator vkdml_operator_element_wise_quantized_linear_add = {.plan = plan_quantized_add};
