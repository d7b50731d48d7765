/* An activation behind an operator that takes one in its descriptor.
 *
 * Results keep their bits: kernels give the activation the FLOAT32 number that they would have stored, and both apply
 * it by the same text (glsl/common/float_operations.glsl). FLOAT16 they round once, behind it, where two nodes round
 * twice; a maximum with 0 alone does not care. */
#include <stddef.h>

#include "graph/pattern.h"

/* Operators that another does as well, which takes an activation. */
static const struct {
    DML_OPERATOR_TYPE type;
    DML_OPERATOR_TYPE with_activation;
} successors[] = {{DML_OPERATOR_ELEMENT_WISE_ADD, DML_OPERATOR_ELEMENT_WISE_ADD1}};

/* f(round(x)) is round(f(x)). */
static const DML_OPERATOR_TYPE commuting_with_rounding[] = {DML_OPERATOR_ACTIVATION_RELU,
                                                            DML_OPERATOR_ACTIVATION_IDENTITY};

static DML_OPERATOR_TYPE with_activation(DML_OPERATOR_TYPE type) {
    for (size_t i = 0; i < sizeof successors / sizeof successors[0]; ++i) {
        if (successors[i].type == type) {
            return successors[i].with_activation;
        }
    }
    return type;
}

static bool commutes(DML_OPERATOR_TYPE type) {
    bool found = false;
    for (size_t i = 0; i < sizeof commuting_with_rounding / sizeof commuting_with_rounding[0]; ++i) {
        found = found || commuting_with_rounding[i] == type;
    }
    return found;
}

/* SOFTMAX, which GEMM alone takes, gains nothing by it: there are two dispatches either way. */
static bool matches(const struct vkdml_instance *last) {
    return (int)last->schema->fusableSince != 0 && last->schema->fusableInto == DML_OPERATOR_INVALID &&
           last->input_count == 1 && last->output_count == 1;
}

/* Rows that registers hold are one dispatch, and with an activation two, of other sums. */
static bool divides_by_deviation(const struct vkdml_instance *instance) {
    return vkdml_attribute_of(instance, "NormalizeVariance", VKDML_FIELD_TYPE_BOOL) != 0 ||
           vkdml_attribute_of(instance, "UseVariance", VKDML_FIELD_TYPE_BOOL) != 0;
}

static bool suits(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node) {
    const struct vkdml_instance *made_by = fusion->graph->nodes[producer].instance;
    const struct vkdml_instance *activation = fusion->graph->nodes[node].instance;
    const struct vkdml_tensor *between = &made_by->outputs[0], *input = &activation->inputs[0];
    if (made_by->activation_count != 0) {
        vkdml_fusion_refuse(fusion, producer, node, "that has an activation already");
    } else if (divides_by_deviation(made_by)) {
        vkdml_fusion_refuse(fusion, producer, node, "its rows may be one dispatch, which takes no activation");
    } else if (!vkdml_fusion_lies_alike(between, input) || !vkdml_same_layout(input, &activation->outputs[0]) ||
               between->total_bytes != activation->outputs[0].total_bytes) {
        vkdml_fusion_refuse(fusion, producer, node, "types, sizes or strides differ");
    } else if (!vkdml_fusion_is_unrounded(fusion, input->data_type) && !commutes(activation->schema->type)) {
        vkdml_fusion_refuse(fusion, producer, node, "its FLOAT16 input would not be rounded");
    } else {
        return vkdml_fusion_is_private(fusion, producer, node);
    }
    return false;
}

static VkdmlResult apply(struct vkdml_fusion *fusion, uint32_t last) {
    uint32_t producer;
    const struct vkdml_instance *made_by = vkdml_fusion_producer(fusion, last, 0, &producer);
    if (made_by == NULL) {
        return VKDML_SUCCESS;
    }
    const DML_OPERATOR_TYPE type = with_activation(made_by->schema->type);
    if (vkdml_field_of(vkdml_schema_find(type), "FusedActivation", VKDML_FIELD_TYPE_OPERATOR_DESC) == NULL ||
        !suits(fusion, producer, last)) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_tensor output = vkdml_fusion_output(fusion, producer, last);
    const struct vkdml_edit edits[] = {
        {.field = "OutputTensor", .tensor = &output},
        {.field = "FusedActivation", .activation = fusion->graph->nodes[last].instance},
    };
    struct vkdml_instance *made;
    const VkdmlResult result = vkdml_fusion_rewrite(fusion, producer, last, type, edits, 2, &made);
    if (result == VKDML_SUCCESS && made != NULL) {
        vkdml_fusion_join(fusion, producer, last, made);
    }
    return result;
}

const struct vkdml_pattern vkdml_pattern_activation = {"activation", matches, apply};
