#include "frames/neighbours/response_gradient.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "plan/step.h"

enum { BATCH, CHANNEL, HEIGHT, WIDTH, RANK };

/* A multiple of every subgroup size in use; of CPUs an invocation per lane of lavapipe's vectors. */
#define LOCAL_SIZE        128
#define SERIAL_LOCAL_SIZE 8

/* Where places are fewer than fill a device, channels are shared out, at least so many times what a box reaches beyond
 * them; and lavapipe ends an invocation's loops after 65,535 turns. */
#define ENOUGH_INVOCATIONS (1u << 17)
#define ENOUGH_SERIAL      512
#define LEAST_REACHES      4
#define MOST_CHANNELS      (1u << 17)

static bool fits(const struct vkdml_view *view, const struct vkdml_plan_limits *limits) {
    return vkdml_fits(limits, view->at.offset, vkdml_view_span(view));
}

bool vkdml_response_gradient_suits(const struct vkdml_response_gradient *response,
                                   const struct vkdml_plan_limits *limits) {
    return response->size <= VKDML_RESPONSE_MOST_SIZE && response->input.sizes[CHANNEL] <= MOST_CHANNELS &&
           fits(&response->input, limits) && fits(&response->gradient, limits) && fits(&response->output, limits);
}

static uint32_t power_of(float power) {
    static const struct {
        float power;
        uint32_t constant;
    } powers[] = {{0.75f, VKDML_RESPONSE_POWER_3_4}, {0.5f, VKDML_RESPONSE_POWER_1_2}, {1.0f, VKDML_RESPONSE_POWER_1}};
    for (uint32_t i = 0; i < sizeof(powers) / sizeof(powers[0]); ++i) {
        if (memcmp(&powers[i].power, &power, sizeof(power)) == 0) {
            return powers[i].constant;
        }
    }
    return VKDML_RESPONSE_POWER_ANY;
}

/* The channels of an invocation. */
static uint32_t chunk_of(const struct vkdml_response_gradient *response, uint32_t units, bool serial) {
    const uint32_t channels = response->input.sizes[CHANNEL];
    const uint32_t wanted = (serial ? ENOUGH_SERIAL : ENOUGH_INVOCATIONS) / units;
    const uint32_t least = LEAST_REACHES * 2 * response->size;
    const uint32_t chunk = wanted > 1 ? (uint32_t)vkdml_divide_up(channels, wanted) : channels;
    return chunk > least ? chunk : least < channels ? least : channels;
}

static void fill_parameters(const struct vkdml_response_gradient *response, uint32_t units, uint32_t chunk,
                            struct vkdml_response_gradient_parameters *parameters) {
    const float numbers[] = {response->scale, response->bias, response->power, response->factor};
    const struct vkdml_view *input = &response->input;
    memset(parameters, 0, sizeof(*parameters));
    parameters->unit_count = units;
    parameters->chunk = chunk;
    parameters->chunk_count = (uint32_t)vkdml_divide_up(input->sizes[CHANNEL], chunk);
    parameters->unit_divisor = vkdml_divisor(units);
    parameters->height_divisor = vkdml_divisor(input->sizes[HEIGHT]);
    parameters->width_divisor = vkdml_divisor(input->sizes[WIDTH]);
    memcpy(parameters->sizes, input->sizes, sizeof(parameters->sizes));
    memcpy(parameters->input_strides, input->strides, sizeof(parameters->input_strides));
    memcpy(parameters->gradient_strides, response->gradient.strides, sizeof(parameters->gradient_strides));
    memcpy(parameters->output_strides, response->output.strides, sizeof(parameters->output_strides));
    memcpy(parameters->numbers, numbers, sizeof(parameters->numbers));
}

VkdmlResult vkdml_response_gradient_plan(const struct vkdml_response_gradient *response,
                                         struct vkdml_builder *builder) {
    const struct vkdml_plan_limits *limits = builder->limits;
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    const uint32_t units = vkdml_view_elements(&response->input) / response->input.sizes[CHANNEL];
    const struct vkdml_view *tensors[] = {&response->input, &response->gradient, &response->output};
    struct vkdml_response_gradient_parameters parameters;
    struct vkdml_plan_step *step;
    const VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    fill_parameters(response, units, chunk_of(response, units, serial), &parameters);
    const uint64_t groups = vkdml_divide_up((uint64_t)units * parameters.chunk_count, local_size);
    parameters.group_count = (uint32_t)groups;
    vkdml_note_step(builder->report,
                    "an invocation walks down %u channels of a place, a box of %u of them in registers",
                    (unsigned)parameters.chunk, (unsigned)response->size);
    step->kernel = VKDML_KERNEL_RESPONSE_GRADIENT;
    vkdml_step_constant(step, VKDML_RESPONSE_GRADIENT_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_RESPONSE_GRADIENT_CONSTANT_SIZE, response->size);
    vkdml_step_constant(step, VKDML_RESPONSE_GRADIENT_CONSTANT_TYPE, (uint32_t)response->input.at.type);
    step->float_controls = limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    vkdml_step_constant(step, VKDML_RESPONSE_GRADIENT_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_constant(step, VKDML_RESPONSE_GRADIENT_CONSTANT_POWER, power_of(response->power));
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    step->buffer_count = 3;
    for (uint32_t i = 0; i < 3; ++i) {
        step->buffers[i] = vkdml_origin_buffer(&tensors[i]->at, 0, vkdml_view_span(tensors[i]));
    }
    return vkdml_grid(groups, limits, builder->report, step->groups);
}
