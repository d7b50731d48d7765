#include "frames/integer_product/integer_terms.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "plan/boxes.h"
#include "plan/step.h"

enum { TERMS = VKDML_INTEGER_TERM_TERM_COUNT };

#define LOCAL_SIZE        64
#define SERIAL_LOCAL_SIZE 8

static bool exists(const struct vkdml_integer_term *term) {
    return term->at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static struct vkdml_window window_of(const struct vkdml_integer_term *term) {
    const struct vkdml_span span = {term->at.first, 1 + (uint64_t)(term->count - 1) * term->stride};
    return vkdml_window_of(span, vkdml_data_type_bits(term->at.type));
}

/* Collects those that are there from `*next` on, as many as a dispatch binds. */
static VkdmlResult add(const struct vkdml_integer_term *terms, const struct vkdml_integer_terms *collected,
                       struct vkdml_builder *builder, uint32_t *next) {
    const struct vkdml_plan_limits *limits = builder->limits;
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    struct vkdml_integer_terms_parameters parameters;
    struct vkdml_plan_step *step;
    uint32_t types = 0, first = 0;
    VkdmlResult result = vkdml_builder_add(builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    memset(&parameters, 0, sizeof(parameters));
    step->buffer_count = 1;
    for (; *next < TERMS && step->buffer_count < limits->max_storage_buffers; ++*next) {
        const struct vkdml_integer_term *term = &terms[*next];
        if (!exists(term)) {
            continue;
        }
        const uint32_t source = step->buffer_count - 1;
        const struct vkdml_window window = window_of(term);
        first = source == 0 ? collected->firsts[*next] : first;
        types |= (uint32_t)term->at.type << (4 * source);
        parameters.sources[source][0] = collected->firsts[*next] - first;
        parameters.sources[source][1] = window.lead;
        parameters.sources[source][2] = term->stride;
        parameters.unit_count = collected->firsts[*next] - first + term->count;
        step->buffers[step->buffer_count++] = vkdml_origin_buffer(&term->at, window.offset, window.size);
    }
    const struct vkdml_window target = vkdml_window_of((struct vkdml_span){first, parameters.unit_count}, 32);
    step->buffers[0] = vkdml_origin_buffer(&collected->at, target.offset, target.size);
    parameters.target_first = target.lead;
    parameters.group_count = (uint32_t)vkdml_divide_up(parameters.unit_count, local_size);
    step->kernel = VKDML_KERNEL_INTEGER_TERMS;
    vkdml_step_constant(step, VKDML_INTEGER_TERMS_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_INTEGER_TERMS_CONSTANT_TYPES, types);
    vkdml_step_constant(step, VKDML_INTEGER_TERMS_CONSTANT_FLOAT_CONTROLS, 0);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    return vkdml_grid(parameters.group_count, limits, builder->report, step->groups);
}

VkdmlResult vkdml_integer_terms_plan(const struct vkdml_integer_term *terms, struct vkdml_builder *builder,
                                     struct vkdml_integer_terms *collected) {
    uint64_t words = 0;
    uint32_t last = 0;
    memset(collected, 0, sizeof(*collected));
    for (uint32_t t = 0; t < TERMS; ++t) {
        collected->firsts[t] = (uint32_t)words;
        words += exists(&terms[t]) ? terms[t].count : 0;
        last = exists(&terms[t]) ? t : last;
        if (exists(&terms[t]) && !vkdml_fits(builder->limits, terms[t].at.offset, window_of(&terms[t]).size)) {
            words = UINT32_MAX;
        }
    }
    if (words == 0) {
        return VKDML_SUCCESS;
    }
    if (words > UINT32_MAX / 4 || !vkdml_fits(builder->limits, 0, 4 * words)) {
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "maxStorageBufferRange (%" PRIu64 ") is too small for all scales and zero points",
                                builder->limits->max_storage_buffer_range);
    }
    collected->at = vkdml_builder_region(builder, "scales and zero points", 4 * words, DML_TENSOR_DATA_TYPE_INT32);
    collected->word_count = (uint32_t)words;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t next = 0; next <= last && result == VKDML_SUCCESS;) {
        result = add(terms, collected, builder, &next);
    }
    return result;
}
