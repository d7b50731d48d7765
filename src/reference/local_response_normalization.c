#include <float.h>
#include <math.h>

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

void vkdml_reference_local_response_normalization(const struct vkdml_instance *instance,
                                                  const struct vkdml_reference_memory *memory) {
    const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0];
    const uint32_t before = (desc->LocalSize - 1) / 2, behind = desc->LocalSize / 2;
    struct vkdml_coordinate at = {{0}};
    do {
        struct region region;
        for (uint32_t d = 0; d < input->dimension_count; d++) {
            const uint32_t c = at.index[d], most = input->sizes[d] - 1;
            const int is_around = desc->CrossChannel ? d == 1 : d >= 2;
            region.first[d] = !is_around ? c : c > before ? c - before : 0;
            region.last[d] = !is_around ? c : most - c > behind ? c + behind : most;
        }
        const double sum = limited(sum_of_squares(input, memory->inputs[0], &region));
        const double scale = (double)(float)((double)desc->Alpha / desc->LocalSize);
        const double divisor = limited((double)desc->Bias + limited(scale * sum));
        const double x = vkdml_number_read(input, memory->inputs[0], &at);
        vkdml_number_write(&instance->outputs[0], memory->outputs[0], &at, x / pow(divisor, (double)desc->Beta));
    } while (vkdml_coordinate_next(input, &at));
}
