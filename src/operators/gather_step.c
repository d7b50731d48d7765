#include "operators/gather_step.h"

#include <string.h>

#include "base/checked.h"
#include "operators/plan_step.h"

/* A multiple of every subgroup size in use, 4 to 128; devices that allow fewer invocations get fewer. */
#define LOCAL_SIZE 256

_Static_assert(sizeof(struct vkdml_gather_parameters) <= 4 * VKDML_PLAN_MAX_PARAMETERS, "must fit a parameter block");

/* Invocations per row: a word each where narrow elements lie side by side, an element each otherwise. A row may begin
 * up to one element short of a word's end. */
static uint32_t items_per_row(const struct vkdml_gather *gather, const struct vkdml_gather_dimension *row) {
    uint32_t per_word = gather->element_bytes < 4 ? 4 / gather->element_bytes : 1;
    if (row->output_stride != 1) {
        return row->size;
    }
    return (uint32_t)vkdml_divide_up((uint64_t)row->size + per_word - 1, per_word);
}

static void fill_parameters(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                            const struct vkdml_gather_box *box, struct vkdml_gather_parameters *parameters) {
    const uint32_t last = gather->count - 1;
    struct vkdml_gather_dimension row = gather->dimensions[last];
    uint32_t rows = 1;
    memset(parameters, 0, sizeof(*parameters));
    for (uint32_t d = 0; d < last; ++d) {
        const struct vkdml_gather_dimension *outer = &gather->dimensions[d];
        rows *= box->size[d];
        parameters->sizes[d] = box->size[d];
        parameters->output_strides[d] = outer->output_stride;
        parameters->input_strides[d] = outer->input_stride;
        parameters->input_sizes[d] = outer->input_size;
        parameters->starts[d] = outer->start;
        parameters->origins[d] = box->origin[d];
    }
    row.size = box->size[last];
    parameters->items_per_row = items_per_row(gather, &row);
    parameters->item_count = rows * parameters->items_per_row; /* at most the elements, see there */
    parameters->row_length = row.size;
    parameters->row_output_stride = row.output_stride;
    parameters->row_input_stride = row.input_stride;
    parameters->row_input_size = row.input_size;
    parameters->row_start = row.start;
    parameters->row_origin = box->origin[last];
    memcpy(parameters->arguments, use->arguments, sizeof(parameters->arguments));
}

VkdmlResult vkdml_gather_fill_step(const struct vkdml_gather *gather, const struct vkdml_gather_use *use,
                                   const struct vkdml_gather_part *part, const struct vkdml_plan_limits *limits,
                                   struct vkdml_report *report, struct vkdml_plan_step *step) {
    struct vkdml_gather_parameters parameters;
    fill_parameters(gather, use, &part->box, &parameters);
    /* The kernel counts input elements from the tensor's first, modulo 2^32, which is exact within a window. */
    parameters.input_first = (uint32_t)(0 - part->input_base);
    parameters.output_first = part->output.lead;

    const uint32_t local_size = vkdml_local_size(limits, LOCAL_SIZE);
    const uint64_t group_count = vkdml_divide_up(parameters.item_count, local_size);
    VkdmlResult result = vkdml_grid(group_count, limits, report, step->groups);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.group_count = (uint32_t)group_count;

    step->kernel = use->kernel;
    step->specializations[VKDML_SPECIALIZATION_LOCAL_SIZE] = local_size;
    step->specializations[1] = 8 * gather->element_bytes;
    step->specializations[2] = gather->count - 1;
    for (uint32_t i = 0; i < use->specialization_count; ++i) {
        step->specializations[3 + i] = use->specializations[i];
    }
    step->specialization_count = 3 + use->specialization_count;
    step->parameter_count = sizeof(parameters) / 4;
    memcpy(step->parameters, &parameters, sizeof(parameters));

    /* Without an input the kernel reads none; its binding must still hold a buffer. */
    const struct vkdml_plan_buffer out = {use->output, 0, use->output_offset + part->output.offset, part->output.size};
    const struct vkdml_plan_buffer in = {use->input, use->input_index, part->input.offset, part->input.size};
    step->buffers[0] = use->has_input ? in : out;
    step->buffers[1] = out;
    step->buffer_count = 2;
    return VKDML_SUCCESS;
}
