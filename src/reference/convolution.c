/* CONVOLUTION. Products are summed in double, which holds each exactly. Padding has none. */
#include <stdbool.h>

#include "reference/element.h"
#include "reference/mapping.h"
#include "reference/number.h"
#include "reference/reference.h"

/* The next element of the filter along its spatial dimensions, in row-major order. */
static bool next_element(const struct vkdml_tensor *filter, struct vkdml_coordinate *element) {
    for (uint32_t d = filter->dimension_count; d-- > 2;) {
        if (++element->index[d] < filter->sizes[d]) {
            return true;
        }
        element->index[d] = 0;
    }
    return false;
}

/* Whether an output element of a forward convolution is a zero of OutputPadding: these are at the end, after the places
 * where the filter lies within the padded input. */
static bool is_zero(const struct vkdml_instance *instance, uint32_t d, uint32_t out) {
    const DML_CONVOLUTION_OPERATOR_DESC *desc = instance->desc;
    const uint32_t s = d - 2;
    const uint64_t padded = (uint64_t)instance->inputs[0].sizes[d] + desc->StartPadding[s] + desc->EndPadding[s];
    const uint64_t reach = (uint64_t)(instance->inputs[1].sizes[d] - 1) * desc->Dilations[s];
    const bool is_place = reach < padded && out <= (padded - reach - 1) / desc->Strides[s];
    return !is_place && (uint64_t)out + desc->OutputPadding[s] >= instance->outputs[0].sizes[d];
}

/* Finds the input element along dimension d that an output element multiplies by a filter element. Returns false in the
 * padding. Sizes and steps have 32 bits, so positions are compared by division before products could overflow. */
static bool find_place(const struct vkdml_instance *instance, uint32_t d, uint32_t out, uint32_t element,
                       uint32_t *place) {
    const DML_CONVOLUTION_OPERATOR_DESC *desc = instance->desc;
    const uint32_t s = d - 2, input_size = instance->inputs[0].sizes[d];
    const uint64_t stride = desc->Strides[s], dilation = desc->Dilations[s], start = desc->StartPadding[s];
    const bool is_backward = desc->Direction == DML_CONVOLUTION_DIRECTION_BACKWARD;
    const uint64_t end = is_backward ? out + start : start + input_size - 1; /* the last place that counts */
    if (element > end / dilation || (!is_backward && out > end / stride)) {
        return false;
    }
    uint64_t at = element * dilation;
    if (is_backward) {
        at = end - at;
        *place = (uint32_t)(at / stride);
        return at % stride == 0 && at / stride < input_size;
    }
    at += out * stride;
    *place = (uint32_t)(at - start);
    return !is_zero(instance, d, out) && at >= start && at <= end;
}

/* What an element of the filter, counted in the direction of the input, adds to an output element. */
static double products_at(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                          const struct vkdml_coordinate *at, const struct vkdml_coordinate *element) {
    const DML_CONVOLUTION_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *filter = &instance->inputs[1];
    const bool is_backward = desc->Direction == DML_CONVOLUTION_DIRECTION_BACKWARD;
    const uint32_t channels = input->sizes[1] / desc->GroupCount;
    const uint32_t made = instance->outputs[0].sizes[1] / desc->GroupCount;
    const uint32_t group = at->index[1] / made;
    struct vkdml_coordinate of_input = *at, of_filter = {{0}};
    for (uint32_t d = 2; d < input->dimension_count; d++) {
        if (!find_place(instance, d, at->index[d], element->index[d], &of_input.index[d])) {
            return 0;
        }
        of_filter.index[d] = desc->Mode == DML_CONVOLUTION_MODE_CONVOLUTION ? filter->sizes[d] - 1 - element->index[d]
                                                                            : element->index[d];
    }
    double sum = 0;
    for (uint32_t c = 0; c < channels; c++) {
        of_input.index[1] = group * channels + c;
        of_filter.index[0] = is_backward ? group * channels + c : at->index[1];
        of_filter.index[1] = is_backward ? at->index[1] % made : c;
        sum += vkdml_number_read(input, memory->inputs[0], &of_input) *
               vkdml_number_read(filter, memory->inputs[1], &of_filter);
    }
    return sum;
}

void vkdml_reference_convolution(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *bias = &instance->inputs[2], *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        struct vkdml_coordinate element = {{0}}, of_bias = {{0}};
        double sum = 0;
        do {
            sum += products_at(instance, memory, &at, &element);
        } while (next_element(&instance->inputs[1], &element));
        if (bias->dimension_count != 0) {
            of_bias.index[1] = at.index[1];
            sum += vkdml_number_read(bias, memory->inputs[2], &of_bias);
        }
        const float y = vkdml_reference_fused(instance, (float)sum);
        vkdml_element_write(output, memory->outputs[0], &at, vkdml_float_to_element(output->data_type, y));
    } while (vkdml_coordinate_next(output, &at));
}
