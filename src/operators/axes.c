#include "operators/axes.h"

#include <inttypes.h>

bool vkdml_axes_list(const struct vkdml_axes *axes, uint32_t dimension) {
    for (uint32_t i = 0; i < axes->count; ++i) {
        if (axes->items[i] == dimension) {
            return true;
        }
    }
    return false;
}

void vkdml_axes_check_of(const struct vkdml_tensor *tensor, const char *name, const struct vkdml_axes *axes,
                         struct vkdml_report *report) {
    const uint32_t dimensions = tensor->dimension_count;
    for (uint32_t i = 0; i < axes->count; ++i) {
        if (axes->items[i] >= dimensions) {
            vkdml_report_invalid(report,
                                 "Axes[%" PRIu32 "] is %" PRIu32 ", must be below %" PRIu32 " = %s.DimensionCount", i,
                                 axes->items[i], dimensions, name);
        }
    }
}

void vkdml_axes_check(const struct vkdml_instance *instance, const struct vkdml_axes *axes,
                      struct vkdml_report *report) {
    vkdml_axes_check_of(&instance->inputs[0], vkdml_input_name(instance, 0), axes, report);
}

uint32_t vkdml_axes_bits(const struct vkdml_axes *axes) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < axes->count; ++i) {
        bits |= 1u << axes->items[i];
    }
    return bits;
}
