#include "operators/convolution_rules.h"

#include <inttypes.h>

#include "operators/positive.h"
#include "tensor/infer.h"

enum { INPUT = VKDML_CONVOLUTION_INPUT };

static bool check_numbers(const struct vkdml_convolution *convolution, struct vkdml_report *report) {
    const struct vkdml_positive arrays[] = {{"Strides", convolution->strides}, {"Dilations", convolution->dilations}};
    bool good = vkdml_positive_check(arrays, sizeof(arrays) / sizeof(arrays[0]), convolution->spatial, report);
    if (convolution->groups == 0) {
        vkdml_report_invalid(report, "GroupCount is 0, must be at least 1");
        good = false;
    }
    return good;
}

/* A dimension of a tensor. */
struct place {
    const char *name;
    struct vkdml_tensor *tensor;
    uint32_t dimension;
};

static uint32_t size_of(const struct place *place) {
    return place->tensor->sizes[place->dimension];
}

/* That a size is another, or so many times it where groups are more than one. */
static void check_same(const struct place *checked, const struct place *with, uint32_t groups,
                       struct vkdml_report *report) {
    const uint64_t wanted = (uint64_t)size_of(with) * groups;
    if (!vkdml_size_is(checked->tensor, checked->dimension, wanted)) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %s.Sizes[%" PRIu32 "]%s",
                             checked->name, checked->dimension, size_of(checked), wanted, with->name, with->dimension,
                             groups == 1 ? "" : " * GroupCount");
    }
}

static void check_divides(const struct place *checked, uint32_t groups, struct vkdml_report *report) {
    if (size_of(checked) % groups != 0) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be a multiple of GroupCount (%" PRIu32 ")",
                             checked->name, checked->dimension, size_of(checked), groups);
    }
}

static void check_channels(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                           struct vkdml_report *report) {
    struct vkdml_tensor *inputs = instance->inputs;
    const char *input_name = vkdml_input_name(instance, INPUT);
    const char *filter_name = vkdml_input_name(instance, convolution->filter);
    const char *output_name = vkdml_output_name(instance, 0);
    struct vkdml_tensor *filter = &inputs[convolution->filter];
    const struct place batches = {input_name, &inputs[INPUT], 0}, taken = {input_name, &inputs[INPUT], 1};
    const struct place filters = {filter_name, filter, 0}, channels = {filter_name, filter, 1};
    const struct place own_batches = {output_name, &instance->outputs[0], 0};
    const struct place made = {output_name, &instance->outputs[0], 1};
    check_same(&own_batches, &batches, 1, report);
    check_divides(&filters, convolution->groups, report);
    if (convolution->is_backward) {
        check_same(&filters, &taken, 1, report);
        check_same(&made, &channels, convolution->groups, report);
    } else {
        check_same(&taken, &channels, convolution->groups, report);
        check_same(&made, &filters, 1, report);
    }
}

static void check_forward_size(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                               uint32_t s, struct vkdml_report *report) {
    const uint32_t d = 2 + s, size = instance->outputs[0].sizes[d];
    const uint64_t places = vkdml_convolution_places(instance, convolution, s);
    const bool is_padded = convolution->output_padding != NULL;
    const uint64_t wanted = places + (is_padded ? convolution->output_padding[s] : 0);
    const char *filter_name = vkdml_input_name(instance, convolution->filter);
    const char *input_name = vkdml_input_name(instance, INPUT);
    if (places == 0) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] (%" PRIu32 ") with Dilations[%" PRIu32 "] (%" PRIu32
                             ") reaches beyond %s.Sizes[%" PRIu32 "] (%" PRIu32 ") + StartPadding[%" PRIu32
                             "] (%" PRIu32 ") + EndPadding[%" PRIu32 "] (%" PRIu32 ")",
                             filter_name, d, instance->inputs[convolution->filter].sizes[d], s,
                             convolution->dilations[s], input_name, d, instance->inputs[INPUT].sizes[d], s,
                             convolution->start[s], s, convolution->end[s]);
    } else if (vkdml_size_is(&instance->outputs[0], d, wanted)) {
        return;
    } else if (!is_padded) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 ", the places of the filter",
                             vkdml_output_name(instance, 0), d, size, wanted);
    } else {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %" PRIu64
                             " places of the filter + OutputPadding[%" PRIu32 "] (%" PRIu32 ")",
                             vkdml_output_name(instance, 0), d, size, wanted, places, s,
                             convolution->output_padding[s]);
    }
}

static void check_backward_size(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                                uint32_t s, struct vkdml_report *report) {
    const uint32_t d = 2 + s, size = instance->outputs[0].sizes[d];
    const uint64_t cut = (uint64_t)convolution->start[s] + convolution->end[s];
    const uint64_t last_place = vkdml_convolution_distance(instance->inputs[INPUT].sizes[d], convolution->strides[s]);
    const uint64_t reach =
        vkdml_convolution_distance(instance->inputs[convolution->filter].sizes[d], convolution->dilations[s]);
    const uint64_t most = (uint64_t)UINT32_MAX + cut; /* below 2^34 */
    if (last_place > most || reach > most) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be more than %" PRIu32
                             " for what Strides[%" PRIu32 "] (%" PRIu32 ") and Dilations[%" PRIu32 "] (%" PRIu32
                             ") reach",
                             vkdml_output_name(instance, 0), d, size, UINT32_MAX, s, convolution->strides[s], s,
                             convolution->dilations[s]);
        return;
    }
    const uint64_t reached = last_place + reach + 1, padded = reached + convolution->output_padding[s];
    if (padded <= cut) {
        vkdml_report_invalid(
            report,
            "StartPadding[%" PRIu32 "] (%" PRIu32 ") and EndPadding[%" PRIu32 "] (%" PRIu32
            ") leave nothing of %" PRIu64 " elements reached by the filter + OutputPadding[%" PRIu32 "] (%" PRIu32 ")",
            s, convolution->start[s], s, convolution->end[s], reached, s, convolution->output_padding[s]);
    } else if (!vkdml_size_is(&instance->outputs[0], d, padded - cut)) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %" PRIu64
                             " reached by the filter + OutputPadding[%" PRIu32 "] (%" PRIu32 ") - StartPadding[%" PRIu32
                             "] (%" PRIu32 ") - EndPadding[%" PRIu32 "] (%" PRIu32 ")",
                             vkdml_output_name(instance, 0), d, size, padded - cut, reached, s,
                             convolution->output_padding[s], s, convolution->start[s], s, convolution->end[s]);
    }
}

static void check_bias(const struct vkdml_instance *instance, uint32_t index, struct vkdml_report *report) {
    struct vkdml_tensor *bias = &instance->inputs[index];
    const char *name = vkdml_input_name(instance, index);
    for (uint32_t d = 0; d < bias->dimension_count; ++d) {
        if (d == 1) {
            const struct place channels = {name, bias, d},
                               made = {vkdml_output_name(instance, 0), instance->outputs, d};
            check_same(&channels, &made, 1, report);
        } else if (bias->sizes[d] != 1) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1", name, d, bias->sizes[d]);
        }
    }
}

/* Whether those tensors that have the input's dimension count do; if not the table says so. */
static bool agree_in_rank(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution) {
    const uint32_t rank = instance->inputs[INPUT].dimension_count;
    const uint32_t of_filter = instance->inputs[convolution->filter].dimension_count;
    const uint32_t of_bias = convolution->bias != 0 ? instance->inputs[convolution->bias].dimension_count : 0;
    return of_filter == rank && (of_bias == rank || of_bias == 0) && instance->outputs[0].dimension_count == rank &&
           rank >= 3 && rank <= 2 + VKDML_CONVOLUTION_SPATIAL;
}

void vkdml_convolution_check(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                             struct vkdml_report *report) {
    const uint32_t rank = instance->inputs[INPUT].dimension_count;
    if (!agree_in_rank(instance, convolution)) {
        return;
    }
    if (convolution->spatial != rank - 2) {
        vkdml_report_invalid(report, "DimensionCount is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount - 2",
                             convolution->spatial, rank - 2, vkdml_input_name(instance, INPUT));
        return;
    }
    if (!check_numbers(convolution, report)) {
        return;
    }
    check_channels(instance, convolution, report);
    for (uint32_t s = 0; s < convolution->spatial; ++s) {
        if (!vkdml_size_is_unknown(&instance->outputs[0], 2 + s)) {
            continue; /* any size, as in DirectML: elements beyond the formula see padding or are 0 */
        }
        if (convolution->is_backward) {
            check_backward_size(instance, convolution, s, report);
        } else {
            check_forward_size(instance, convolution, s, report);
        }
    }
    if (convolution->bias != 0) {
        check_bias(instance, convolution->bias, report);
    }
}
