/* GEMM. Products are summed in double, which holds each exactly. */
#include "reference/element.h"
#include "reference/mapping.h"
#include "reference/number.h"
#include "reference/reference.h"

static double number_at(const struct vkdml_tensor *tensor, const void *memory, const struct vkdml_coordinate *at) {
    return (double)vkdml_element_to_float(tensor->data_type, vkdml_element_read(tensor, memory, at));
}

static float activated(const struct vkdml_instance *instance, float x) {
    if (instance->activation_count == 0) {
        return x;
    }
    const struct vkdml_instance *activation = &instance->activations[0];
    const struct vkdml_map_context context = {.desc = activation->desc, .type = DML_TENSOR_DATA_TYPE_FLOAT32};
    return vkdml_reference_activation(activation->schema->type)(&x, &context);
}

void vkdml_reference_gemm(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_GEMM_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *a = &instance->inputs[0], *b = &instance->inputs[1], *c = &instance->inputs[2];
    const struct vkdml_tensor *output = &instance->outputs[0];
    const uint32_t row = output->dimension_count - 2, column = output->dimension_count - 1;
    const int turns_a = desc->TransA == DML_MATRIX_TRANSFORM_TRANSPOSE;
    const int turns_b = desc->TransB == DML_MATRIX_TRANSFORM_TRANSPOSE;
    const uint32_t depth = a->sizes[turns_a ? row : column];
    struct vkdml_coordinate at = {{0}};
    do {
        struct vkdml_coordinate of_a = at, of_b = at;
        of_a.index[turns_a ? column : row] = at.index[row];
        of_b.index[turns_b ? row : column] = at.index[column];
        double sum = 0;
        for (uint32_t k = 0; k < depth; k++) {
            of_a.index[turns_a ? row : column] = k;
            of_b.index[turns_b ? column : row] = k;
            sum += number_at(a, memory->inputs[0], &of_a) * number_at(b, memory->inputs[1], &of_b);
        }
        sum *= (double)desc->Alpha;
        if (c->dimension_count != 0) {
            sum += (double)desc->Beta * number_at(c, memory->inputs[2], &at);
        }
        const float y = activated(instance, (float)sum);
        vkdml_element_write(output, memory->outputs[0], &at, vkdml_float_to_element(output->data_type, y));
    } while (vkdml_coordinate_next(output, &at));
}
