/* CONVOLUTION_INTEGER and QUANTIZED_LINEAR_CONVOLUTION: products of the filter's rows and of windows of the input,
 * which is packed with its padding, a pixel's channels side by side. */
#include <inttypes.h>
#include <string.h>

#include "frames/integer_product/integer_depthwise.h"
#include "operators/convolution_rules.h"
#include "operators/operators.h"
#include "operators/quantized.h"

/* An input that a descriptor does not have. */
#define NONE UINT32_MAX

/* Which inputs are what; the first is convolved. */
struct layout {
    uint32_t input_scale, input_zero_point;
    uint32_t filter, filter_scale, filter_zero_point;
    uint32_t bias, out_scale, out_zero_point;
};

static const struct layout plain = {NONE, 1, 2, NONE, 3, NONE, NONE, NONE};
static const struct layout quantized = {1, 2, 3, 4, 5, 6, 7, 8};

#define READ(desc, layout)                                                                                             \
    {                                                                                                                  \
        .spatial = (desc)->DimensionCount, .groups = (desc)->GroupCount, .strides = (desc)->Strides,                   \
        .dilations = (desc)->Dilations, .start = (desc)->StartPadding, .end = (desc)->EndPadding,                      \
        .filter = (layout).filter, .bias = (layout).bias == NONE ? 0 : (layout).bias                                   \
    }

static struct vkdml_convolution read_plain(const struct vkdml_instance *instance) {
    const DML_CONVOLUTION_INTEGER_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_convolution)READ(desc, plain);
}

static struct vkdml_convolution read_quantized(const struct vkdml_instance *instance) {
    const DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_convolution)READ(desc, quantized);
}

/* ---- rules ---- */

static void check_channels(const struct vkdml_instance *instance, const struct layout *layout, uint32_t input,
                           struct vkdml_report *report) {
    if (input != NONE) {
        vkdml_quantized_check(instance, input, VKDML_QUANTIZED_CHANNELS, instance->inputs[layout->filter].sizes[0],
                              report);
    }
}

static void check_plain(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_convolution convolution = read_plain(instance);
    vkdml_convolution_check(instance, &convolution, report);
    check_channels(instance, &plain, plain.filter_zero_point, report);
}

static void check_quantized(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_convolution convolution = read_quantized(instance);
    vkdml_convolution_check(instance, &convolution, report);
    check_channels(instance, &quantized, quantized.filter_scale, report);
    check_channels(instance, &quantized, quantized.filter_zero_point, report);
}

/* ---- plans ---- */

/* A spatial dimension: there are two, of which the first may be made up. */
static struct vkdml_integer_axis axis_of(const struct vkdml_instance *instance,
                                         const struct vkdml_convolution *convolution, uint32_t number) {
    const uint32_t missing = 2 - convolution->spatial;
    if (number < missing) {
        return (struct vkdml_integer_axis){1, 0, 1, 0, 1, 0, 1, 1, 0};
    }
    const uint32_t s = number - missing, d = 2 + s;
    const struct vkdml_tensor *input = &instance->inputs[0], *filter = &instance->inputs[convolution->filter];
    return (struct vkdml_integer_axis){
        .source_size = input->sizes[d],
        .source_stride = input->strides[d],
        .taps = filter->sizes[d],
        .filter_stride = filter->strides[d],
        .size = instance->outputs[0].sizes[d],
        .out_stride = instance->outputs[0].strides[d],
        .step = instance->outputs[0].sizes[d] > 1 ? convolution->strides[s] : 1,
        .tap_step = filter->sizes[d] > 1 ? convolution->dilations[s] : 1,
        .start = convolution->start[s],
    };
}

/* Coordinates of the padded input that windows take; check_reach() excludes an overflow. */
static uint64_t reached(const struct vkdml_integer_axis *axis) {
    return (uint64_t)(axis->size - 1) * axis->step + (uint64_t)(axis->taps - 1) * axis->tap_step + 1;
}

/* Kernels count coordinates in 31 bits. */
static VkdmlResult check_reach(const struct vkdml_integer_axis *axis, struct vkdml_report *report) {
    const uint64_t passed = (uint64_t)(axis->size - 1) * axis->step;
    const uint64_t reach = (uint64_t)(axis->taps - 1) * axis->tap_step;
    if (passed <= INT32_MAX && reach < INT32_MAX - passed) {
        return VKDML_SUCCESS;
    }
    return vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "windows move by %" PRIu64 " elements and reach %" PRIu64 ", must be below %" PRId32
                            " together",
                            passed, reach, INT32_MAX);
}

static struct vkdml_integer_operand filter_of(const struct vkdml_instance *instance,
                                              const struct vkdml_convolution *convolution,
                                              const struct vkdml_integer_axis *axes, bool is_depthwise) {
    const struct vkdml_tensor *filter = &instance->inputs[convolution->filter];
    const uint32_t taps = axes[0].taps * axes[1].taps; /* no more than elements */
    return (struct vkdml_integer_operand){
        .lines = {.source = vkdml_input_view(instance, convolution->filter).at,
                  .rank = 3,
                  .dimensions = {{filter->sizes[0], filter->strides[0], 0, filter->sizes[0]},
                                 {axes[0].taps, axes[0].filter_stride, 0, axes[0].taps},
                                 {axes[1].taps, axes[1].filter_stride, 0, axes[1].taps}},
                  .count = filter->sizes[1],
                  .step = filter->sizes[1] > 1 ? filter->strides[1] : 1},
        .is_owned = !is_depthwise && (filter->flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0,
        .inner_step = filter->sizes[0] / convolution->groups * taps,
        .row_step = taps,
    };
}

/* Pixels of a group follow one another, and groups: a line has a group's channels. */
static struct vkdml_integer_operand input_of(const struct vkdml_instance *instance,
                                             const struct vkdml_convolution *convolution, const struct layout *layout,
                                             const struct vkdml_integer_axis *axes) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    const uint32_t channels = input->sizes[1] / convolution->groups;
    const uint32_t height = (uint32_t)reached(&axes[0]), width = (uint32_t)reached(&axes[1]);
    return (struct vkdml_integer_operand){
        .lines = {.source = vkdml_input_view(instance, 0).at,
                  .rank = 4,
                  .dimensions = {{convolution->groups, channels * input->strides[1], 0, convolution->groups},
                                 {input->sizes[0], input->strides[0], 0, input->sizes[0]},
                                 {height, axes[0].source_stride, axes[0].start, axes[0].source_size},
                                 {width, axes[1].source_stride, axes[1].start, axes[1].source_size}},
                  .count = channels,
                  .step = channels > 1 ? input->strides[1] : 1,
                  .zero_point = vkdml_input_view(instance, layout->input_zero_point).at},
        .inner_step = input->sizes[0] * height * width,
    };
}

static void set_terms(const struct vkdml_instance *instance, const struct layout *layout,
                      struct vkdml_integer_term *terms) {
    const struct {
        uint32_t term, input;
    } inputs[] = {{VKDML_INTEGER_TERM_ZERO_A, layout->filter_zero_point},
                  {VKDML_INTEGER_TERM_ZERO_B, layout->input_zero_point},
                  {VKDML_INTEGER_TERM_SCALE_A, layout->filter_scale},
                  {VKDML_INTEGER_TERM_SCALE_B, layout->input_scale},
                  {VKDML_INTEGER_TERM_BIAS, layout->bias},
                  {VKDML_INTEGER_TERM_SCALE_OUT, layout->out_scale},
                  {VKDML_INTEGER_TERM_ZERO_OUT, layout->out_zero_point}};
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); ++i) {
        if (inputs[i].input != NONE) {
            terms[inputs[i].term] = vkdml_quantized_term(instance, inputs[i].input, VKDML_QUANTIZED_CHANNELS);
        }
    }
}

static struct vkdml_integer_depthwise depthwise_of(const struct vkdml_instance *instance,
                                                   const struct vkdml_convolution *convolution,
                                                   const struct layout *layout, const struct vkdml_integer_axis *axes) {
    const struct vkdml_tensor *input = &instance->inputs[0], *filter = &instance->inputs[convolution->filter],
                              *output = &instance->outputs[0];
    struct vkdml_integer_depthwise depthwise = {
        .pictures = output->sizes[0],
        .groups = convolution->groups,
        .made = output->sizes[1] / convolution->groups,
        .channels = filter->sizes[1],
        .a = vkdml_input_view(instance, convolution->filter).at,
        .b = vkdml_input_view(instance, 0).at,
        .out = vkdml_output_view(instance, 0).at,
        .a_strides = {filter->strides[0], filter->strides[1]},
        .b_strides = {input->strides[0], input->strides[1]},
        .out_strides = {output->strides[0], output->strides[1]},
        .columns = axes[1],
        .rows = axes[0],
        .is_scaled = layout->out_scale != NONE,
    };
    set_terms(instance, layout, depthwise.terms);
    return depthwise;
}

static VkdmlResult plan(const struct vkdml_planning *planning, const struct vkdml_convolution *convolution,
                        const struct layout *layout) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_tensor *output = &instance->outputs[0];
    const uint32_t made = output->sizes[1] / convolution->groups;
    const struct vkdml_integer_axis axes[] = {axis_of(instance, convolution, 0), axis_of(instance, convolution, 1)};
    const struct vkdml_integer_depthwise depthwise = depthwise_of(instance, convolution, layout, axes);
    for (uint32_t i = 0; i < 2; ++i) {
        const VkdmlResult result = check_reach(&axes[i], planning->builder->report);
        if (result != VKDML_SUCCESS) {
            return result;
        }
    }
    /* Where the kernel of such a filter cannot bind the input the filter is packed in each execution: whether it is
     * packed at initialization must not depend on the input. */
    const bool is_depthwise =
        vkdml_integer_depthwise_suits_filter(&depthwise, convolution->strides[convolution->spatial - 1]);
    if (is_depthwise && vkdml_integer_depthwise_suits(&depthwise, planning->builder->limits)) {
        return vkdml_integer_depthwise_plan(&depthwise, planning->builder);
    }
    const uint64_t height = reached(&axes[0]), width = reached(&axes[1]);
    const uint64_t pixels = height * instance->inputs[0].sizes[0];
    if (pixels > UINT32_MAX || width > UINT32_MAX / pixels || pixels * width > UINT32_MAX / convolution->groups) {
        return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "windows reach over %" PRIu64 " x %" PRIu64 " pixels, padding included, of %" PRIu32
                                " pictures, which are too many to be packed",
                                height, width, instance->inputs[0].sizes[0]);
    }
    struct vkdml_integer_product product = {
        .outer = 1,
        .inner = convolution->groups,
        .m = made,
        .a = filter_of(instance, convolution, axes, is_depthwise),
        .b = input_of(instance, convolution, layout, axes),
        .column_rank = 3,
        .columns = {{output->sizes[0], (uint32_t)(height * width), output->strides[0]},
                    {axes[0].size, axes[0].step * (uint32_t)width, axes[0].out_stride},
                    {axes[1].size, axes[1].step, axes[1].out_stride}},
        .tap_rows = axes[0].taps,
        .taps = axes[1].taps,
        .tap_row_step = axes[0].tap_step * (uint32_t)width,
        .tap_step = axes[1].tap_step,
        .out = vkdml_output_view(instance, 0).at,
        .out_strides = {0, made * output->strides[1], output->strides[1]},
        .is_scaled = layout->out_scale != NONE,
    };
    memcpy(product.terms, depthwise.terms, sizeof(product.terms));
    return vkdml_integer_product_plan(&product, planning->builder);
}

static VkdmlResult plan_plain(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_convolution convolution = read_plain(planning->instance);
    (void)op;
    return plan(planning, &convolution, &plain);
}

static VkdmlResult plan_quantized(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_convolution convolution = read_quantized(planning->instance);
    (void)op;
    return plan(planning, &convolution, &quantized);
}

const struct vkdml_operator vkdml_operator_convolution_integer = {.rules = check_plain, .plan = plan_plain};

const struct vkdml_operator vkdml_operator_quantized_linear_convolution = {.rules = check_quantized,
                                                                           .plan = plan_quantized};
