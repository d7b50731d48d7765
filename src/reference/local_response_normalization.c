#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "reference/number.h"
#include "reference/reference.h"

/* What is beyond FLOAT32 is infinite. */
static double limited(double x) {
    return x > (double)FLT_MAX ? (double)INFINITY : x < -(double)FLT_MAX ? -(double)INFINITY : x;
}

struct region {
    uint32_t first[VKDML_MAX_DIMENSIONS], last[VKDML_MAX_DIMENSIONS];
};

static double sum_of_squares(const struct vkdml_tensor *tensor, const void *memory, const struct region *region) {
    struct vkdml_coordinate at = {{region->first[0], region->first[1], region->first[2], region->first[3]}};
    double sum = 0;
    for (;;) {
        const double x = vkdml_number_read(tensor, memory, &at);
        sum += x * x;
        uint32_t d = tensor->dimension_count;
        while (d-- > 0 && ++at.index[d] > region->last[d]) {
            at.index[d] = region->first[d];
        }
        if (d == UINT32_MAX) {
            return sum;
        }
    }
}

/* The elements around one at `at` that count for it; mirrored, those that it counts for. */
static struct region region_of(const struct vkdml_tensor *input, const struct vkdml_coordinate *at, int across,
                               uint32_t local_size, int is_mirrored) {
    const uint32_t before = is_mirrored ? local_size / 2 : (local_size - 1) / 2;
    const uint32_t behind = is_mirrored ? (local_size - 1) / 2 : local_size / 2;
    struct region region = {{0}, {0}};
    for (uint32_t d = 0; d < input->dimension_count; d++) {
        const uint32_t c = at->index[d], most = input->sizes[d] - 1;
        const int is_around = across ? d == 1 : d >= 2;
        region.first[d] = !is_around ? c : c > before ? c - before : 0;
        region.last[d] = !is_around ? c : most - c > behind ? c + behind : most;
    }
    return region;
}

void vkdml_reference_local_response_normalization(const struct vkdml_instance *instance,
                                                  const struct vkdml_reference_memory *memory) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        const struct region region = region_of(input, &at, desc->CrossChannel, desc->LocalSize, 0);
        const double sum = limited(sum_of_squares(input, memory->inputs[0], &region));
        const double scale = (double)(float)((double)desc->Alpha / desc->LocalSize);
        const double divisor = limited((double)desc->Bias + limited(scale * sum));
        const double x = vkdml_number_read(input, memory->inputs[0], &at);
        vkdml_number_write(&instance->outputs[0], memory->outputs[0], &at, x / pow(divisor, (double)desc->Beta));
    } while (vkdml_coordinate_next(input, &at));
}

/* ---- the gradient ---- */

/* What the gradient at an element is divided by before its power is taken. */
static double divisor_at(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                         const struct vkdml_coordinate *at) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct region region = region_of(input, at, desc->CrossChannel, desc->LocalSize, 0);
    return (double)desc->Bias +
           (double)desc->Alpha / desc->LocalSize * sum_of_squares(input, memory->inputs[0], &region);
}

/* Of each element gradient * x / D^(Beta + 1), in the order of elements: each counts for many others. */
static void find_terms(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                       double *terms) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *gradient = &instance->inputs[1];
    struct vkdml_coordinate at = {{0}};
    do {
        *terms++ = vkdml_number_read(gradient, memory->inputs[1], &at) *
                   vkdml_number_read(input, memory->inputs[0], &at) *
                   pow(divisor_at(instance, memory, &at), -(double)desc->Beta - 1);
    } while (vkdml_coordinate_next(input, &at));
}

/* Of elements that count one at `at`. */
static double sum_of_terms(const struct vkdml_instance *instance, const double *terms,
                           const struct vkdml_coordinate *at) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const struct region region = region_of(input, at, desc->CrossChannel, desc->LocalSize, 1);
    struct vkdml_coordinate other = {{region.first[0], region.first[1], region.first[2], region.first[3]}};
    double sum = 0;
    for (;;) {
        size_t element = 0;
        for (uint32_t i = 0; i < input->dimension_count; i++) {
            element = element * input->sizes[i] + other.index[i];
        }
        sum += terms[element];
        uint32_t d = input->dimension_count;
        while (d-- > 0 && ++other.index[d] > region.last[d]) {
            other.index[d] = region.first[d];
        }
        if (d == UINT32_MAX) {
            return sum;
        }
    }
}

void vkdml_reference_local_response_normalization_grad(const struct vkdml_instance *instance,
                                                       const struct vkdml_reference_memory *memory) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *gradient = &instance->inputs[1];
    const double factor = 2 * (double)desc->Alpha / desc->LocalSize * (double)desc->Beta;
    const size_t bytes = vkdml_tensor_elements(input) * sizeof(double);
    double *terms = vkdml_allocate(NULL, bytes);
    if (terms == NULL) {
        vkdml_report_out_of_memory(memory->report, bytes, "terms");
        return;
    }
    find_terms(instance, memory, terms);
    struct vkdml_coordinate at = {{0}};
    do {
        const double x = vkdml_number_read(input, memory->inputs[0], &at);
        const double g = vkdml_number_read(gradient, memory->inputs[1], &at);
        const double result = g * pow(divisor_at(instance, memory, &at), -(double)desc->Beta) -
                              factor * x * sum_of_terms(instance, terms, &at);
        vkdml_number_write(&instance->outputs[0], memory->outputs[0], &at, result);
    } while (vkdml_coordinate_next(input, &at));
    vkdml_free(NULL, terms);
}
