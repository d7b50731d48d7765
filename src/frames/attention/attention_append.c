#include "frames/attention/attention_append.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"
#include "plan/step.h"

#define LOCAL_SIZE 64

enum { BATCH, HEAD, ROW, ELEMENT };
enum { ROWS, BUFFER, LENGTHS };

/* In a general plan whatever sizes are 1. */
static bool is_even(const struct vkdml_view *view, const struct vkdml_plan_limits *limits) {
    bool is_even = view->at.first % 2 == 0 && view->sizes[ELEMENT] % 2 == 0 && view->strides[ELEMENT] == 1;
    for (uint32_t d = 0; d < ELEMENT; ++d) {
        is_even = is_even && ((view->sizes[d] == 1 && !limits->general) || view->strides[d] % 2 == 0);
    }
    return is_even;
}

/* Takes pairs of halves for elements. */
static void widen(struct vkdml_view *view) {
    view->at.first /= 2;
    view->at.type = DML_TENSOR_DATA_TYPE_UINT32;
    view->sizes[ELEMENT] /= 2;
    for (uint32_t d = 0; d < ELEMENT; ++d) {
        view->strides[d] /= 2;
    }
}

static bool bind(struct vkdml_plan_step *step, uint32_t index, const struct vkdml_view *view,
                 const struct vkdml_plan_limits *limits) {
    const uint64_t size = vkdml_view_span(view);
    step->buffers[index] = vkdml_origin_buffer(&view->at, 0, size);
    return vkdml_fits(limits, view->at.offset, size);
}

static void fill_parameters(const struct vkdml_attention_append *append, uint32_t units,
                            struct vkdml_attention_append_parameters *parameters) {
    const struct vkdml_view *tensors[] = {&append->rows, &append->buffer};
    memset(parameters, 0, sizeof(*parameters));
    parameters->unit_count = units;
    parameters->heads = append->rows.sizes[HEAD];
    parameters->rows = append->rows.sizes[ROW];
    parameters->width = append->rows.sizes[ELEMENT];
    parameters->capacity = append->buffer.sizes[ROW];
    parameters->length_first = (uint32_t)append->lengths.at.first;
    parameters->length_step = append->lengths.strides[0];
    for (uint32_t t = 0; t < 2; ++t) {
        parameters->firsts[t] = (uint32_t)tensors[t]->at.first;
        parameters->batch_steps[t] = tensors[t]->strides[BATCH];
        parameters->head_steps[t] = tensors[t]->strides[HEAD];
        parameters->row_steps[t] = tensors[t]->strides[ROW];
        parameters->element_steps[t] = tensors[t]->strides[ELEMENT];
    }
}

VkdmlResult vkdml_attention_append_plan(const struct vkdml_attention_append *append, struct vkdml_builder *builder) {
    const struct vkdml_plan_limits *limits = builder->limits;
    struct vkdml_attention_append wide = *append;
    struct vkdml_attention_append_parameters parameters;
    struct vkdml_plan_step *step;
    const bool is_half = append->rows.at.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    const bool is_paired = is_half && is_even(&append->rows, limits) && is_even(&append->buffer, limits);
    if (is_paired) {
        widen(&wide.rows);
        widen(&wide.buffer);
    }
    VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const uint32_t units = vkdml_view_elements(&wide.rows);
    const uint32_t local_size = vkdml_local_size(limits, LOCAL_SIZE);
    const bool fits_rows = bind(step, ROWS, &wide.rows, limits), fits_buffer = bind(step, BUFFER, &wide.buffer, limits);
    if (!bind(step, LENGTHS, &wide.lengths, limits) || !fits_rows || !fits_buffer) {
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "maxStorageBufferRange (%llu) is too small for rows that are appended, and what they "
                                "are appended to",
                                (unsigned long long)limits->max_storage_buffer_range);
    }
    vkdml_note_step(builder->report, "appends %u rows of each head, where the number of the batch says",
                    (unsigned)wide.rows.sizes[ROW]);
    step->buffer_count = 3;
    step->kernel = VKDML_KERNEL_ATTENTION_APPEND;
    vkdml_step_constant(step, VKDML_ATTENTION_APPEND_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_ATTENTION_APPEND_CONSTANT_BITS, is_half && !is_paired ? 16 : 32);
    fill_parameters(&wide, units, &parameters);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(vkdml_divide_up(units, local_size), limits, builder->report, step->groups);
}
