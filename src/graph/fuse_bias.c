/* A sum behind a product that adds something itself: GEMM's C, CONVOLUTION's bias.
 *
 * FLOAT32 results keep their bits: the product rounds its sum, and what that and the other operand make, as two nodes
 * do; on devices that flush denormals what is one may differ, as it may in the product. FLOAT16 would be rounded once
 * instead of twice, and stays unless half precision is allowed. */
#include <stddef.h>
#include <string.h>

#include "graph/pattern.h"

/* The tensor that a product is to add, of what a sum does; false where it cannot. */
typedef bool fit_addend(const struct vkdml_tensor *output, struct vkdml_tensor *addend);

struct product {
    DML_OPERATOR_TYPE type;
    uint32_t input; /* what is added */
    const char *field;
    const char *factor; /* what it is multiplied by; may be NULL */
    fit_addend *fit;
};

static bool fit_matrix(const struct vkdml_tensor *output, struct vkdml_tensor *addend) {
    (void)output;
    (void)addend; /* sizes are the sum's, and strides any */
    return true;
}

/* The channels are dimension 1. */
static bool fit_channels(const struct vkdml_tensor *output, struct vkdml_tensor *addend) {
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        if (d == 1) {
            continue;
        }
        if (addend->strides[d] != 0 && addend->sizes[d] > 1) {
            return false;
        }
        addend->sizes[d] = 1;
    }
    addend->has_strides = true;
    return true;
}

static const struct product products[] = {
    {DML_OPERATOR_GEMM, 2, "CTensor", "Beta", fit_matrix},
    {DML_OPERATOR_CONVOLUTION, 2, "BiasTensor", NULL, fit_channels},
};

static const struct product *find_product(const struct vkdml_instance *instance) {
    for (size_t i = 0; instance != NULL && i < sizeof products / sizeof products[0]; ++i) {
        if (products[i].type == instance->schema->type) {
            return &products[i];
        }
    }
    return NULL;
}

static bool matches(const struct vkdml_instance *last) {
    return last->schema->type == DML_OPERATOR_ELEMENT_WISE_ADD || last->schema->type == DML_OPERATOR_ELEMENT_WISE_ADD1;
}

/* What is added fits in *addend. */
static bool suits(const struct vkdml_fusion *fusion, const struct product *product, uint32_t producer, uint32_t node,
                  struct vkdml_tensor *addend) {
    const struct vkdml_instance *made_by = fusion->graph->nodes[producer].instance;
    const struct vkdml_instance *sum = fusion->graph->nodes[node].instance;
    const struct vkdml_tensor *between = &made_by->outputs[0], *output = &sum->outputs[0];
    if (made_by->inputs[product->input].dimension_count != 0) {
        vkdml_fusion_refuse(fusion, producer, node, "that has a %s already", product->field);
    } else if (made_by->activation_count != 0) {
        vkdml_fusion_refuse(fusion, producer, node, "that has an activation already");
    } else if (!vkdml_same_layout(between, output) || between->total_bytes != output->total_bytes) {
        vkdml_fusion_refuse(fusion, producer, node, "types, sizes or strides differ");
    } else if (!vkdml_fusion_is_unrounded(fusion, output->data_type)) {
        vkdml_fusion_refuse(fusion, producer, node, "its FLOAT16 input would not be rounded");
    } else if (!product->fit(between, addend)) {
        vkdml_fusion_refuse(fusion, producer, node, "what is added is not one number for each channel");
    } else {
        return vkdml_fusion_is_private(fusion, producer, node);
    }
    return false;
}

static VkdmlResult join(struct vkdml_fusion *fusion, const struct product *product, uint32_t producer, uint32_t node,
                        uint32_t other, const struct vkdml_tensor *addend) {
    const struct vkdml_instance *sum = fusion->graph->nodes[node].instance;
    const struct vkdml_tensor output = vkdml_fusion_output(fusion, producer, node);
    const float one = 1;
    struct vkdml_edit edits[4] = {{.field = "OutputTensor", .tensor = &output},
                                  {.field = product->field, .tensor = addend}};
    size_t count = 2;
    if (product->factor != NULL) {
        edits[count].field = product->factor;
        memcpy(&edits[count++].bits, &one, sizeof one);
    }
    if (sum->activation_count != 0) {
        edits[count++] = (struct vkdml_edit){.field = "FusedActivation", .activation = &sum->activations[0]};
    }
    struct vkdml_instance *made;
    const VkdmlResult result = vkdml_fusion_rewrite(fusion, producer, node, product->type, edits, count, &made);
    if (result == VKDML_SUCCESS && made != NULL) {
        const uint32_t added = vkdml_graph_source(fusion->graph, node, other);
        vkdml_graph_set_source(fusion->graph, producer, product->input, added);
        vkdml_fusion_join(fusion, producer, node, made);
    }
    return result;
}

/* Either operand may be the product. No other reads that, so what is added does not wait for it. */
static VkdmlResult apply(struct vkdml_fusion *fusion, uint32_t last) {
    for (uint32_t i = 0; i < 2; ++i) {
        uint32_t producer;
        const struct vkdml_instance *made_by = vkdml_fusion_producer(fusion, last, i, &producer);
        const struct product *product = find_product(made_by);
        const struct vkdml_instance *sum = fusion->graph->nodes[last].instance;
        struct vkdml_tensor addend = sum->inputs[1 - i];
        if (product == NULL || !vkdml_same_layout(&made_by->outputs[0], &sum->inputs[i])) {
            continue;
        }
        if (suits(fusion, product, producer, last, &addend)) {
            return join(fusion, product, producer, last, 1 - i, &addend);
        }
    }
    return VKDML_SUCCESS;
}

const struct vkdml_pattern vkdml_pattern_bias = {"bias", matches, apply};
