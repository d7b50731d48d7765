/* Zeros around what CONVOLUTION, AVERAGE_POOLING or LP_POOLING reads, which they put there themselves.
 *
 * Sums go over the same taps in the same order, and what lies outside counts as 0: bits are kept. A filter of 1 x 1 and
 * a window that holds all are other products and folds than without padding: their sums may be regrouped, within the
 * bound. An average counts what lies outside only with IncludePadding. MAX_POOLING does not take it for 0. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "graph/pattern.h"
#include "schema/fields.h"

/* Operators with padding of their own, where an attribute has a value. */
static const struct padded {
    DML_OPERATOR_TYPE type;
    const char *field; /* may be NULL */
    VkdmlFieldType field_type;
    uint32_t needed;
    const char *refusal;
} padded_operators[] = {
    {DML_OPERATOR_CONVOLUTION, "Direction", VKDML_FIELD_TYPE_ENUM, DML_CONVOLUTION_DIRECTION_FORWARD,
     "padding of a backward convolution takes away"},
    {DML_OPERATOR_AVERAGE_POOLING, "IncludePadding", VKDML_FIELD_TYPE_BOOL, 1, "IncludePadding is FALSE"},
    {DML_OPERATOR_AVERAGE_POOLING1, "IncludePadding", VKDML_FIELD_TYPE_BOOL, 1, "IncludePadding is FALSE"},
    {DML_OPERATOR_LP_POOLING, NULL, VKDML_FIELD_TYPE_BOOL, 0, NULL},
    {DML_OPERATOR_LP_POOLING1, NULL, VKDML_FIELD_TYPE_BOOL, 0, NULL},
};

static const struct padded *find_padded(const struct vkdml_instance *instance) {
    for (size_t i = 0; i < sizeof padded_operators / sizeof padded_operators[0]; ++i) {
        if (padded_operators[i].type == instance->schema->type) {
            return &padded_operators[i];
        }
    }
    return NULL;
}

static bool matches(const struct vkdml_instance *last) {
    return find_padded(last) != NULL;
}

/* Of a float or of a scalar of a float type, either sign. */
static bool is_zero(const struct vkdml_instance *padding) {
    const uint32_t bits = vkdml_attribute_of(padding, "PaddingValue", VKDML_FIELD_TYPE_FLOAT);
    const VkdmlFieldSchema *scalar = vkdml_field_of(padding->schema, "PaddingValue", VKDML_FIELD_TYPE_SCALAR_UNION);
    if (scalar == NULL) {
        return bits << 1 == 0;
    }
    const uint32_t word = vkdml_field_uint(padding->desc, scalar);
    return padding->outputs[0].data_type == DML_TENSOR_DATA_TYPE_FLOAT16 ? (word & 0x7FFF) == 0 : word << 1 == 0;
}

struct sums {
    uint32_t start[VKDML_MAX_DIMENSIONS];
    uint32_t end[VKDML_MAX_DIMENSIONS];
};

static bool add_up(const uint32_t *own, const uint32_t *more, uint32_t count, uint32_t *sums) {
    bool fits = more[0] == 0 && more[1] == 0; /* batches and channels */
    for (uint32_t s = 0; s < count; ++s) {
        sums[s] = own[s] + more[2 + s];
        fits = fits && own[s] <= INT32_MAX && more[2 + s] <= INT32_MAX && sums[s] <= INT32_MAX;
    }
    return fits;
}

static bool find_sums(const struct vkdml_instance *padding, const struct vkdml_instance *last, struct sums *sums) {
    const uint32_t count = vkdml_attribute_of(last, "DimensionCount", VKDML_FIELD_TYPE_UINT);
    return padding->outputs[0].dimension_count == count + 2 &&
           add_up(vkdml_numbers_of(last, "StartPadding"), vkdml_numbers_of(padding, "StartPadding"), count,
                  sums->start) &&
           add_up(vkdml_numbers_of(last, "EndPadding"), vkdml_numbers_of(padding, "EndPadding"), count, sums->end);
}

static bool suits(const struct vkdml_fusion *fusion, uint32_t producer, uint32_t node, struct sums *sums) {
    const struct vkdml_graph *graph = fusion->graph;
    const struct vkdml_instance *padding = graph->nodes[producer].instance, *last = graph->nodes[node].instance;
    const struct padded *padded = find_padded(last);
    const struct vkdml_graph_value *value = &graph->values[vkdml_graph_value_of(graph, producer, 0)];
    if (value->outputs > 0) {
        vkdml_fusion_refuse(fusion, node, producer, "its output is an output of the graph");
    } else if (value->readers > 1) {
        vkdml_fusion_refuse(fusion, node, producer, "its output is read %" PRIu32 " times", value->readers);
    } else if (vkdml_attribute_of(padding, "PaddingMode", VKDML_FIELD_TYPE_ENUM) != DML_PADDING_MODE_CONSTANT ||
               !is_zero(padding)) {
        vkdml_fusion_refuse(fusion, node, producer, "it pads by other than 0");
    } else if (padded->field != NULL && vkdml_attribute_of(last, padded->field, padded->field_type) != padded->needed) {
        vkdml_fusion_refuse(fusion, node, producer, "%s", padded->refusal);
    } else if (!vkdml_same_layout(&padding->outputs[0], &last->inputs[0])) {
        vkdml_fusion_refuse(fusion, node, producer, "types, sizes or strides differ");
    } else if (!find_sums(padding, last, sums)) {
        vkdml_fusion_refuse(fusion, node, producer, "it pads batches or channels, or too much");
    } else {
        return true;
    }
    return false;
}

/* Here the node stays, and its producer goes. */
static VkdmlResult apply(struct vkdml_fusion *fusion, uint32_t last) {
    struct vkdml_graph *graph = fusion->graph;
    uint32_t producer;
    const struct vkdml_instance *padding = vkdml_fusion_producer(fusion, last, 0, &producer);
    struct sums sums;
    if (padding == NULL ||
        (padding->schema->type != DML_OPERATOR_PADDING && padding->schema->type != DML_OPERATOR_PADDING1) ||
        !suits(fusion, producer, last, &sums)) {
        return VKDML_SUCCESS;
    }
    const struct vkdml_edit edits[] = {{.field = "InputTensor", .tensor = &padding->inputs[0]},
                                       {.field = "StartPadding", .numbers = sums.start},
                                       {.field = "EndPadding", .numbers = sums.end}};
    struct vkdml_instance *made;
    const VkdmlResult result = vkdml_fusion_rewrite(fusion, last, producer, graph->nodes[last].instance->schema->type,
                                                    edits, sizeof edits / sizeof edits[0], &made);
    if (result == VKDML_SUCCESS && made != NULL) {
        vkdml_fusion_tell(fusion, last, producer);
        vkdml_graph_replace(graph, last, made);
        vkdml_graph_set_source(graph, last, 0, vkdml_graph_source(graph, producer, 0));
        vkdml_graph_drop(graph, producer);
    }
    return result;
}

const struct vkdml_pattern vkdml_pattern_padding = {"padding", matches, apply};
