#include "operators/infer.h"

#include <inttypes.h>
#include <string.h>

/* What a packed tensor takes, where all sizes are known. */
static void lay_out(struct vkdml_tensor *tensor) {
    uint64_t elements;
    if (!vkdml_element_count(tensor->dimension_count, tensor->sizes, &elements) || elements == 0) {
        return;
    }
    if (!vkdml_packed_strides(tensor->dimension_count, tensor->sizes, tensor->strides)) {
        memset(tensor->strides, 0, sizeof tensor->strides); /* too many elements; vkdml_schema_check() says so */
    }
    if (tensor->element_bits != 0) {
        vkdml_minimum_bytes(tensor->element_bits, tensor->dimension_count, tensor->sizes, tensor->strides,
                            &tensor->total_bytes);
    }
}

/* The table's rules, then the operator's own, which find what they compare; and the table's again, for outputs that
 * agree with others. What is wrong is told later. */
static void find_outputs(struct vkdml_instance *instance) {
    struct vkdml_report ignored;
    vkdml_report_clear(&ignored);
    vkdml_schema_infer(instance);
    vkdml_check_rules(instance, &ignored);
    vkdml_schema_infer(instance);
    for (uint32_t i = 0; i < instance->output_count; ++i) {
        if (instance->outputs[i].is_inferred) {
            lay_out(&instance->outputs[i]);
        }
    }
}

/* Reports what no rule says. */
static void check_found(const struct vkdml_tensor *tensor, const char *name, struct vkdml_report *report) {
    if (tensor->dimension_count == 0) {
        vkdml_report_invalid(report, "%s.DimensionCount does not follow from inputs and attributes, must be given",
                             name);
    }
    for (uint32_t d = 0; d < tensor->dimension_count; ++d) {
        if ((tensor->empty_dimensions >> d & 1) != 0) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] comes to 0, must be at least 1", name, d);
        } else if (tensor->sizes[d] == 0) {
            vkdml_report_invalid(
                report, "%s.Sizes[%" PRIu32 "] does not follow from inputs and attributes, must be given", name, d);
        }
    }
}

VkdmlResult vkdml_infer(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, const VkAllocationCallbacks *callbacks,
                        struct vkdml_report *report, struct vkdml_instance **instance) {
    VkdmlResult result = vkdml_instance_create_known(desc, level, callbacks, report, instance);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const char *outer_context = report->context;
    report->context = (*instance)->schema->name;
    find_outputs(*instance);
    vkdml_check_instance(*instance, report);
    const bool is_valid = report->result == VKDML_SUCCESS;
    for (uint32_t i = 0; i < (*instance)->output_count && is_valid; ++i) {
        if ((*instance)->outputs[i].is_inferred) {
            check_found(&(*instance)->outputs[i], vkdml_output_name(*instance, i), report);
        }
    }
    report->context = outer_context;
    if (report->result != VKDML_SUCCESS) {
        vkdml_instance_destroy(*instance, callbacks);
        *instance = NULL;
    }
    return report->result;
}
