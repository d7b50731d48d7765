#include "operators/convolution_parts.h"

struct vkdml_convolution vkdml_convolution_read(const struct vkdml_instance *instance) {
    const DML_CONVOLUTION_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_convolution){
        .spatial = desc->DimensionCount,
        .groups = desc->GroupCount,
        .is_backward = desc->Direction == DML_CONVOLUTION_DIRECTION_BACKWARD,
        .turns_filter = desc->Mode == DML_CONVOLUTION_MODE_CONVOLUTION,
        .strides = desc->Strides,
        .dilations = desc->Dilations,
        .start = desc->StartPadding,
        .end = desc->EndPadding,
        .output_padding = desc->OutputPadding,
        .filter = VKDML_CONVOLUTION_FILTER,
        .bias = VKDML_CONVOLUTION_BIAS,
    };
}

enum { INPUT = VKDML_CONVOLUTION_INPUT, FILTER = VKDML_CONVOLUTION_FILTER };

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Takes the elements of the filter in reverse order. */
static void turn_filter(struct vkdml_convolution_part *part, uint32_t size) {
    const uint32_t last = part->filter_first + (part->walk.taps - 1) * part->filter_step;
    part->filter_first = size - 1 - last;
    part->walk.start += (int32_t)(part->walk.taps - 1) * part->walk.tap_step;
    part->walk.tap_step = -part->walk.tap_step;
}

/* What is the same in all parts of spatial dimension s: all outputs and all taps of a forward convolution. */
static struct vkdml_convolution_part whole_part(const struct vkdml_instance *instance,
                                                const struct vkdml_convolution *convolution, uint32_t s) {
    const uint32_t d = 2 + s;
    const struct vkdml_tensor *input = &instance->inputs[INPUT];
    const uint32_t taps = instance->inputs[FILTER].sizes[d];
    return (struct vkdml_convolution_part){
        .step = 1,
        .filter_step = 1,
        .walk = {.size = instance->outputs[0].sizes[d],
                 .taps = taps,
                 .step = convolution->strides[s],
                 .tap_step = taps > 1 ? (int32_t)convolution->dilations[s] : 0,
                 .start = -(int32_t)convolution->start[s],
                 .divisor = 1,
                 .source_size = input->sizes[d],
                 .stride = input->strides[d]},
    };
}

/* Outputs of which nothing but the bias is made. */
static struct vkdml_convolution_part empty_part(struct vkdml_convolution_part part, uint32_t first, uint32_t step,
                                                uint32_t size) {
    part.first = first;
    part.step = step;
    part.is_empty = true;
    part.walk.size = size;
    part.walk.taps = 1;
    part.walk.step = part.walk.divisor = 1;
    part.walk.tap_step = 0;
    part.walk.start = INT32_MIN / 2; /* before all elements, wherever it begins */
    return part;
}

/* Every stride-th output from r on of a backward convolution: the taps that meet an input are the same ones. There is
 * a part for each r below the stride, however few outputs there are, so that parts and their filters depend on the
 * filter and on attributes alone. */
static struct vkdml_convolution_part phase(struct vkdml_convolution_part part,
                                           const struct vkdml_convolution *convolution, uint32_t s, uint32_t r) {
    const uint32_t stride = convolution->strides[s], taps = part.walk.taps;
    const uint32_t divisor = common_divisor(stride, convolution->dilations[s]);
    const int64_t dilation = convolution->dilations[s], place = (int64_t)r + convolution->start[s];
    const uint32_t size = r < part.walk.size ? (part.walk.size - 1 - r) / stride + 1 : 0;
    uint32_t tap = 0;
    while (tap < taps && tap < stride && (place - tap * dilation) % stride != 0) {
        ++tap;
    }
    if (tap == taps || tap == stride) {
        return empty_part(part, r, stride, size);
    }
    part.first = r;
    part.step = stride;
    part.filter_first = tap;
    part.filter_step = stride / divisor;
    part.walk.size = size;
    part.walk.taps = (taps - 1 - tap) / part.filter_step + 1;
    part.walk.step = 1;
    part.walk.tap_step = part.walk.taps > 1 ? -(int32_t)(convolution->dilations[s] / divisor) : 0;
    part.walk.start = (int32_t)((place - tap * dilation) / stride);
    return part;
}

/* How many outputs of a forward convolution come before the zeros of OutputPadding. The zeros are at the end, after the
 * places of the filter: an output that ends there has none. */
static uint32_t count_summed(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                             uint32_t s) {
    const uint32_t size = instance->outputs[0].sizes[2 + s], padding = convolution->output_padding[s];
    const uint64_t places = vkdml_convolution_places(instance, convolution, s);
    const uint32_t before = padding < size ? size - padding : 0;
    return places >= size ? size : before > places ? before : (uint32_t)places;
}

uint32_t vkdml_convolution_part_count(const struct vkdml_convolution *convolution, uint32_t s) {
    if (!convolution->is_backward) {
        return convolution->output_padding[s] != 0 ? 2 : 1;
    }
    return convolution->is_divided[s] ? 1 : convolution->strides[s];
}

struct vkdml_convolution_part vkdml_convolution_part_of(const struct vkdml_instance *instance,
                                                        const struct vkdml_convolution *convolution, uint32_t s,
                                                        uint32_t number) {
    struct vkdml_convolution_part part = whole_part(instance, convolution, s);
    const uint32_t size = part.walk.size;
    if (!convolution->is_backward) {
        const uint32_t summed = count_summed(instance, convolution, s);
        if (number == 1) {
            return empty_part(part, summed, 1, size - summed);
        }
        part.walk.size = summed;
    } else if (!convolution->is_divided[s]) {
        part = phase(part, convolution, s, number);
    } else {
        part.walk.step = 1;
        part.walk.divisor = convolution->strides[s];
        part.walk.start = (int32_t)convolution->start[s];
        part.walk.tap_step = -part.walk.tap_step;
    }
    if (convolution->turns_filter && !part.is_empty) {
        turn_filter(&part, instance->inputs[FILTER].sizes[2 + s]);
    }
    return part;
}

void vkdml_convolution_limit_parts(struct vkdml_convolution *convolution) {
    for (;;) {
        uint64_t count = 1;
        uint32_t most = 0;
        for (uint32_t s = 0; s < convolution->spatial; ++s) {
            const uint32_t parts = vkdml_convolution_part_count(convolution, s);
            count = count * parts < UINT32_MAX ? count * parts : UINT32_MAX;
            most = parts > vkdml_convolution_part_count(convolution, most) ? s : most;
        }
        if (count <= VKDML_CONVOLUTION_MOST_PARTS || !convolution->is_backward) {
            return;
        }
        convolution->is_divided[most] = true;
    }
}

uint64_t vkdml_convolution_distance(uint32_t count, uint32_t step) {
    return (uint64_t)(count - 1) * step;
}

uint64_t vkdml_convolution_places(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                                  uint32_t s) {
    const uint64_t reach =
        vkdml_convolution_distance(instance->inputs[convolution->filter].sizes[2 + s], convolution->dilations[s]);
    const uint64_t padded =
        (uint64_t)instance->inputs[INPUT].sizes[2 + s] + convolution->start[s] + convolution->end[s];
    return padded <= reach ? 0 : (padded - reach - 1) / convolution->strides[s] + 1;
}
