/* A factor behind GEMM that becomes its Alpha, where that is 1.
 *
 * FLOAT32 results keep their bits: Alpha multiplies the rounded sum, and the product is rounded, as a node of its own
 * does. A bias of 0 makes 0 of -0, which a sum is where products underflow alone, or a negative factor makes of 0:
 * such factors stay. FLOAT16 would be rounded once instead of twice, and stays unless half precision is allowed. */
#include <math.h>
#include <string.h>

#include "graph/pattern.h"

/* A multiplication by a number: which input is multiplied, and the number. */
static bool read_factor(const struct vkdml_fusion *fusion, uint32_t node, uint32_t *multiplied, float *factor) {
    const struct vkdml_instance *instance = fusion->graph->nodes[node].instance;
    const DML_SCALE_BIAS *scale_bias = vkdml_instance_scale_bias(instance);
    *multiplied = 0;
    if (scale_bias != NULL) {
        *factor = scale_bias->Scale;
        return scale_bias->Bias == 0 && (signbit(scale_bias->Bias) || scale_bias->Scale > 0);
    }
    if (instance->input_count != 2) {
        return false;
    }
    *multiplied = vkdml_fusion_constant(fusion, node, 0, factor) ? 1 : 0;
    return *multiplied == 1 || vkdml_fusion_constant(fusion, node, 1, factor);
}

static bool matches(const struct vkdml_instance *last) {
    return last->schema->type == DML_OPERATOR_ELEMENT_WISE_MULTIPLY ||
           (last->schema->type == DML_OPERATOR_ELEMENT_WISE_IDENTITY && vkdml_instance_scale_bias(last) != NULL);
}

static bool suits(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node, uint32_t input) {
    const struct vkdml_instance *made_by = fusion->graph->nodes[producer].instance;
    const struct vkdml_instance *last = fusion->graph->nodes[node].instance;
    const DML_GEMM_OPERATOR_DESC *desc = made_by->desc;
    const struct vkdml_tensor *between = &made_by->outputs[0];
    if (made_by->inputs[2].dimension_count != 0) {
        vkdml_fusion_refuse(fusion, producer, node, "that has a CTensor");
    } else if (made_by->activation_count != 0) {
        vkdml_fusion_refuse(fusion, producer, node, "that has an activation");
    } else if (desc->Alpha != 1) {
        vkdml_fusion_refuse(fusion, producer, node, "that has an Alpha already, and two factors are rounded twice");
    } else if (!vkdml_same_layout(between, &last->inputs[input]) || !vkdml_same_layout(between, &last->outputs[0]) ||
               between->total_bytes != last->outputs[0].total_bytes) {
        vkdml_fusion_refuse(fusion, producer, node, "types, sizes or strides differ");
    } else if (!vkdml_fusion_is_unrounded(fusion, between->data_type)) {
        vkdml_fusion_refuse(fusion, producer, node, "its FLOAT16 input would not be rounded");
    } else {
        return vkdml_fusion_is_private(fusion, producer, node);
    }
    return false;
}

static VkdmlResult apply(struct vkdml_fusion *fusion, uint32_t last) {
    uint32_t input, producer;
    float factor;
    if (!read_factor(fusion, last, &input, &factor)) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_instance *made_by = vkdml_fusion_producer(fusion, last, input, &producer);
    if (made_by == NULL || made_by->schema->type != DML_OPERATOR_GEMM || !suits(fusion, producer, last, input)) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_tensor output = vkdml_fusion_output(fusion, producer, last);
    struct vkdml_edit edits[] = {{.field = "OutputTensor", .tensor = &output}, {.field = "Alpha"}};
    memcpy(&edits[1].bits, &factor, sizeof factor);
    struct vkdml_instance *made;
    const VkdmlResult result = vkdml_fusion_rewrite(fusion, producer, last, DML_OPERATOR_GEMM, edits, 2, &made);
    if (result == VKDML_SUCCESS && made != NULL) {
        vkdml_fusion_join(fusion, producer, last, made);
    }
    return result;
}

const struct vkdml_pattern vkdml_pattern_scale = {"scale", matches, apply};
