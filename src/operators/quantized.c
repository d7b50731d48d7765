#include "operators/quantized.h"

#include <inttypes.h>

#include "operators/operators.h"

/* The dimension that has several: of matrices counted from the last, of pictures from the first. Of one dimension it is
 * that one. */
static uint32_t dimension_of(enum vkdml_quantized_along along, uint32_t rank) {
    if (rank < 2) {
        return 0;
    }
    return along == VKDML_QUANTIZED_CHANNELS ? 1 : along == VKDML_QUANTIZED_ROWS ? rank - 2 : rank - 1;
}

void vkdml_quantized_check(const struct vkdml_instance *instance, uint32_t input, enum vkdml_quantized_along along,
                           uint32_t count, struct vkdml_report *report) {
    static const char *const names[] = {"rows", "columns", "channels"};
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    const char *name = vkdml_input_name(instance, input);
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        const bool has_several = d == dimension_of(along, tensor->dimension_count);
        if (tensor->sizes[d] == 1 || (has_several && tensor->sizes[d] == count)) {
            continue;
        }
        if (has_several && count != 1) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1 or %" PRIu32 ", the number of %s",
                                 name, d, tensor->sizes[d], count, names[along]);
        } else {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1", name, d, tensor->sizes[d]);
        }
    }
}

struct vkdml_integer_term vkdml_quantized_term(const struct vkdml_instance *instance, uint32_t input,
                                               enum vkdml_quantized_along along) {
    const struct vkdml_view view = vkdml_input_view(instance, input);
    struct vkdml_integer_term term = {.at = view.at};
    if (vkdml_view_exists(&view)) {
        const uint32_t d = dimension_of(along, view.rank);
        term.count = view.sizes[d];
        term.stride = view.sizes[d] > 1 ? view.strides[d] : 0;
    }
    return term;
}
