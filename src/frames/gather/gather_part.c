#include "frames/gather/gather_part.h"

void vkdml_gather_bind_step(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                            const void *parameters, size_t parameter_bytes, struct vkdml_plan_step *step) {
    vkdml_step_parameters(step, parameters, parameter_bytes);

    /* Without an input the kernel reads none; its binding must still hold a buffer. */
    const struct vkdml_plan_buffer out = vkdml_origin_buffer(&gather->output, part->output.offset, part->output.size);
    const struct vkdml_plan_buffer in = vkdml_origin_buffer(&gather->input, part->input.offset, part->input.size);
    step->buffers[0] = vkdml_gather_has_input(gather) ? in : out;
    step->buffers[1] = out;
    step->buffer_count = 2;
}
