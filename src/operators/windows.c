#include "operators/windows.h"

#include <inttypes.h>

#include "operators/positive.h"
#include "tensor/infer.h"

const uint32_t vkdml_no_dilations[] = {1, 1, 1};

static bool check_numbers(const struct vkdml_windows *windows, enum vkdml_windows_rule rule,
                          struct vkdml_report *report) {
    const struct vkdml_positive arrays[] = {
        {"Strides", windows->strides}, {"WindowSize", windows->window}, {"Dilations", windows->dilations}};
    const uint32_t first = rule == VKDML_WINDOWS_ANY ? 1 : 0;
    return vkdml_positive_check(arrays + first, sizeof(arrays) / sizeof(arrays[0]) - first, windows->dimension_count,
                                report);
}

/* From a window's first element to its last one. */
static uint64_t reach_of(const struct vkdml_windows *windows, uint32_t s) {
    return (uint64_t)windows->dilations[s] * (windows->window[s] - 1);
}

/* The number of windows that fit into the padded tensor along a spatial dimension. */
static uint64_t window_count(const struct vkdml_tensor *tensor, const struct vkdml_windows *windows, uint32_t s) {
    const uint64_t padded = (uint64_t)tensor->sizes[2 + s] + windows->start[s] + windows->end[s];
    const uint64_t reach = reach_of(windows, s);
    return padded <= reach ? 0 : (padded - reach - 1) / windows->strides[s] + 1;
}

static void refuse_window(const struct vkdml_windows *windows, const struct vkdml_tensor *tensor, const char *name,
                          uint32_t s, struct vkdml_report *report) {
    vkdml_report_invalid(report,
                         "the number of windows along %s.Sizes[%" PRIu32 "] (%" PRIu32
                         ") is 0, must be at least 1: WindowSize[%" PRIu32 "] (%" PRIu32 ") with Dilations[%" PRIu32
                         "] (%" PRIu32 ") reaches beyond it, StartPadding[%" PRIu32 "] (%" PRIu32
                         ") and EndPadding[%" PRIu32 "] (%" PRIu32 ")",
                         name, 2 + s, tensor->sizes[2 + s], s, windows->window[s], s, windows->dilations[s], s,
                         windows->start[s], s, windows->end[s]);
}

/* Checks or finds the number of windows along a spatial dimension. */
static void check_count(const struct vkdml_windows *windows, enum vkdml_windows_rule rule,
                        const struct vkdml_tensor *tensor, const char *name, struct vkdml_tensor *pooled,
                        const char *pooled_name, uint32_t s, struct vkdml_report *report) {
    const uint32_t d = 2 + s;
    if (rule != VKDML_WINDOWS_THAT_FIT && !vkdml_size_is_unknown(pooled, d)) {
        return;
    }
    if (windows->strides[s] == 0) {
        vkdml_report_invalid(report, "Strides[%" PRIu32 "] is 0, must be at least 1 where %s.Sizes[%" PRIu32
                                     "] is not stated",
                             s, pooled_name, d);
        return;
    }
    const uint64_t size = window_count(tensor, windows, s);
    if (size == 0) {
        refuse_window(windows, tensor, name, s, report);
    } else if (!vkdml_size_is(pooled, d, size)) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 ", the number of windows",
                             pooled_name, d, pooled->sizes[d], size);
    }
}

void vkdml_windows_check(const struct vkdml_windows *windows, enum vkdml_windows_rule rule,
                         const struct vkdml_tensor *tensor, const char *name, struct vkdml_tensor *pooled,
                         const char *pooled_name, struct vkdml_report *report) {
    const uint32_t spatial = windows->dimension_count;
    if (tensor->dimension_count < 4 || tensor->dimension_count > 5 || tensor->dimension_count != spatial + 2) {
        vkdml_report_invalid(report, "DimensionCount is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount - 2",
                             spatial, tensor->dimension_count - 2, name);
        return;
    }
    if (!check_numbers(windows, rule, report) || pooled->dimension_count != tensor->dimension_count) {
        return;
    }
    for (uint32_t d = 0; d < 2; ++d) {
        if (!vkdml_size_is(pooled, d, tensor->sizes[d])) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 pooled_name, d, pooled->sizes[d], tensor->sizes[d], name, d);
        }
    }
    for (uint32_t s = 0; s < spatial; ++s) {
        check_count(windows, rule, tensor, name, pooled, pooled_name, s, report);
    }
}

/* The elements up to the end of the last window, of StartPadding on. */
static uint64_t length_of(const struct vkdml_windows *windows, const struct vkdml_tensor *pooled, uint32_t s) {
    return (uint64_t)(pooled->sizes[2 + s] - 1) * windows->strides[s] + reach_of(windows, s) + 1;
}

bool vkdml_windows_have_padding(const struct vkdml_windows *windows, const struct vkdml_tensor *tensor,
                                const struct vkdml_tensor *pooled, uint32_t s) {
    return windows->start[s] != 0 || windows->end[s] != 0 || length_of(windows, pooled, s) > tensor->sizes[2 + s];
}

VkdmlResult vkdml_windows_check_lengths(const struct vkdml_windows *windows, const struct vkdml_tensor *tensor,
                                        const struct vkdml_tensor *pooled, struct vkdml_report *report) {
    for (uint32_t s = 0; s < windows->dimension_count; ++s) {
        const uint64_t padded = (uint64_t)tensor->sizes[2 + s] + windows->start[s] + windows->end[s];
        const uint64_t length = length_of(windows, pooled, s), size = length > padded ? length : padded;
        if (size > INT32_MAX) {
            return vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED,
                                    "the padded input is %" PRIu64 " elements long in spatial dimension %" PRIu32
                                    ", must be at most %" PRId32,
                                    size, s, INT32_MAX);
        }
    }
    return VKDML_SUCCESS;
}

void vkdml_windows_set_dimensions(const struct vkdml_windows *windows, uint32_t walked, const struct vkdml_view *from,
                                  const struct vkdml_view *to, const struct vkdml_view *places,
                                  struct vkdml_neighbours *pool) {
    uint32_t place_stride = 1;
    pool->count = from->rank;
    for (uint32_t d = pool->count; d-- > 0;) {
        struct vkdml_neighbours_dimension *dimension = &pool->dimensions[d];
        *dimension = (struct vkdml_neighbours_dimension){
            .size = to->sizes[d],
            .source_stride = from->strides[d],
            .own_stride = places != NULL ? places->strides[d] : 0,
            .target_stride = to->strides[d],
            .tap_stride = places != NULL ? place_stride : 0,
        };
        if (d >= 2 && (walked >> (d - 2) & 1) != 0) {
            const uint32_t s = d - 2;
            dimension->is_walked = true;
            dimension->start = windows->start[s];
            dimension->taps = windows->window[s];
            dimension->tap_step = windows->window[s] == 1 ? 1 : windows->dilations[s];
            dimension->source_size = from->sizes[d];
            dimension->source_step = to->sizes[d] == 1 ? 1 : windows->strides[s];
        }
        place_stride *= from->sizes[d]; /* all elements fit 32 bits */
    }
}
