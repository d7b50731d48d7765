/* GEMM. Products are summed in double, which holds each exactly. */
#include <math.h>

#include "reference/element.h"
#include "reference/mapping.h"
#include "reference/number.h"
#include "reference/reduction.h"
#include "reference/reference.h"

/* Alpha * A x B + Beta * C. */
static float sum_at(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                    const struct vkdml_coordinate *at) {
    const DML_GEMM_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *a = &instance->inputs[0], *b = &instance->inputs[1], *c = &instance->inputs[2];
    const uint32_t column = instance->outputs[0].dimension_count - 1, row = column - 1;
    const int turns_a = desc->TransA == DML_MATRIX_TRANSFORM_TRANSPOSE;
    const int turns_b = desc->TransB == DML_MATRIX_TRANSFORM_TRANSPOSE;
    const uint32_t depth = a->sizes[turns_a ? row : column];
    struct vkdml_coordinate of_a = *at, of_b = *at;
    of_a.index[turns_a ? column : row] = at->index[row];
    of_b.index[turns_b ? row : column] = at->index[column];
    double sum = 0;
    for (uint32_t k = 0; k < depth; k++) {
        of_a.index[turns_a ? row : column] = k;
        of_b.index[turns_b ? column : row] = k;
        sum += vkdml_number_read(a, memory->inputs[0], &of_a) * vkdml_number_read(b, memory->inputs[1], &of_b);
    }
    sum *= (double)desc->Alpha;
    if (c->dimension_count != 0) {
        sum += (double)desc->Beta * vkdml_number_read(c, memory->inputs[2], at);
    }
    return (float)sum;
}

static void write(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                  const struct vkdml_coordinate *at, float y) {
    const struct vkdml_tensor *output = &instance->outputs[0];
    vkdml_element_write(output, memory->outputs[0], at, vkdml_float_to_element(output->data_type, y));
}

/* Whether SOFTMAX or SOFTMAX1 is fused, and the dimensions that it goes over: of SOFTMAX1 there may be none. */
static bool fuses_softmax(const struct vkdml_instance *instance, uint32_t *dimensions) {
    const struct vkdml_instance *fused = instance->activation_count != 0 ? &instance->activations[0] : NULL;
    *dimensions = 0;
    if (fused != NULL && fused->schema->type == DML_OPERATOR_ACTIVATION_SOFTMAX) {
        *dimensions = 1u << (instance->outputs[0].dimension_count - 1);
        return true;
    }
    if (fused != NULL && fused->schema->type == DML_OPERATOR_ACTIVATION_SOFTMAX1) {
        const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC *desc = fused->desc;
        for (uint32_t i = 0; i < desc->AxisCount; i++) {
            *dimensions |= 1u << desc->Axes[i];
        }
        return true;
    }
    return false;
}

/* Sums are found anew each time they are asked for. */
static void write_softmax(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                          uint32_t dimensions) {
    struct vkdml_reduction reduction = {&instance->outputs[0], memory->outputs[0], dimensions, {{0}}};
    struct vkdml_coordinate first = {{0}};
    do {
        double greatest = -(double)INFINITY, powers = 0;
        reduction.at = first;
        do {
            const double x = (double)sum_at(instance, memory, &reduction.at);
            greatest = x > greatest || isnan(x) ? x : greatest; /* nothing is greater than NaN */
        } while (vkdml_reduction_next(&reduction));
        do {
            const double x = (double)sum_at(instance, memory, &reduction.at);
            powers += isinf(greatest) ? x == greatest : exp(x - greatest);
        } while (vkdml_reduction_next(&reduction));
        do {
            const double x = (double)sum_at(instance, memory, &reduction.at);
            write(instance, memory, &reduction.at, (float)(exp(x - greatest) / powers));
        } while (vkdml_reduction_next(&reduction));
    } while (vkdml_reduction_step(&reduction, &first));
}

void vkdml_reference_gemm(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    uint32_t dimensions;
    struct vkdml_coordinate at = {{0}};
    if (fuses_softmax(instance, &dimensions)) {
        write_softmax(instance, memory, dimensions);
        return;
    }
    do {
        write(instance, memory, &at, vkdml_reference_fused(instance, sum_at(instance, memory, &at)));
    } while (vkdml_coordinate_next(&instance->outputs[0], &at));
}
