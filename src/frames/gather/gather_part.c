#include "frames/gather/gather_part.h"

void vkdml_gather_bind_step(const struct vkdml_gather_use *use, const struct vkdml_gather_part *part,
                            const void *parameters, size_t parameter_bytes, struct vkdml_plan_step *step) {
    vkdml_step_parameters(step, parameters, parameter_bytes);

    /* Without an input the kernel reads none; its binding must still hold a buffer. */
    const struct vkdml_plan_buffer out = {use->output, use->output_index, use->output_offset + part->output.offset,
                                          part->output.size};
    const struct vkdml_plan_buffer in = {use->input, use->input_index, part->input.offset, part->input.size};
    step->buffers[0] = use->has_input ? in : out;
    step->buffers[1] = out;
    step->buffer_count = 2;
}
