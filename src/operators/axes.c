#include "operators/axes.h"

#include <inttypes.h>

static bool is_listed(const struct vkdml_axes *axes, uint32_t count, uint32_t axis) {
    for (uint32_t i = 0; i < count; ++i) {
        if (axes->items[i] == axis) {
            return true;
        }
    }
    return false;
}

bool vkdml_axes_list(const struct vkdml_axes *axes, uint32_t dimension) {
    return is_listed(axes, axes->count, dimension);
}

void vkdml_axes_check_of(const struct vkdml_tensor *tensor, const char *name, const struct vkdml_axes *axes,
                         struct vkdml_report *report) {
    const uint32_t dimensions = tensor->dimension_count;
    for (uint32_t i = 0; i < axes->count; ++i) {
        if (axes->items[i] >= dimensions) {
            vkdml_report_invalid(report,
                                 "Axes[%" PRIu32 "] is %" PRIu32 ", must be below %" PRIu32 " = %s.DimensionCount", i,
                                 axes->items[i], dimensions, name);
        } else if (is_listed(axes, i, axes->items[i])) {
            vkdml_report_invalid(report, "Axes[%" PRIu32 "] is %" PRIu32 ", must not be listed twice", i,
                                 axes->items[i]);
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
