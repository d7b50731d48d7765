#include "small_graph.h"

#include <stddef.h>

#include "unit/operator_fixture.h"

static const float constant[SMALL_COUNT] = {1, -2, 3, -4, 5};

static void init(struct tensor *tensor, bool owned) {
    *tensor = (struct tensor){.sizes = {1, 1, 1, SMALL_COUNT}};
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                              .Flags = owned ? DML_TENSOR_FLAG_OWNED_BY_DML : DML_TENSOR_FLAG_NONE,
                                              .DimensionCount = 4,
                                              .Sizes = tensor->sizes,
                                              .TotalTensorSizeInBytes = SMALL_BYTES};
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
}

static VkdmlOperator create(VkdmlDevice device, DML_OPERATOR_TYPE type, const void *operator_desc) {
    const DML_OPERATOR_DESC desc = {type, operator_desc};
    VkdmlOperator op = NULL;
    vkdmlCreateOperator(device, &desc, &op);
    return op;
}

VkdmlOperator small_add(VkdmlDevice device, bool owned) {
    struct tensor a, b, output;
    init(&a, owned);
    init(&b, false);
    init(&output, false);
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = {&a.desc, &b.desc, &output.desc};
    return create(device, DML_OPERATOR_ELEMENT_WISE_ADD, &add);
}

VkdmlOperator small_relu(VkdmlDevice device) {
    struct tensor input, output;
    init(&input, false);
    init(&output, false);
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {&input.desc, &output.desc};
    return create(device, DML_OPERATOR_ACTIVATION_RELU, &relu);
}

void small_graph(VkdmlDevice device, struct graph *graph) {
    graph_begin(graph, 3, 2);
    const uint32_t fixed = graph_operator(graph, small_add(device, true), "fixed");
    const uint32_t data = graph_constant(graph, constant, sizeof constant, "constant");
    const uint32_t relu = graph_operator(graph, small_relu(device), "relu");
    const uint32_t sum = graph_operator(graph, small_add(device, false), "sum");
    const uint32_t last = graph_operator(graph, small_relu(device), "last");
    graph_input(graph, 1, fixed, 0);
    graph_join(graph, data, 0, fixed, 1);
    graph_join(graph, fixed, 0, relu, 0);
    graph_join(graph, relu, 0, sum, 0);
    graph_input(graph, 0, sum, 1);
    graph_join(graph, sum, 0, last, 0);
    graph_output(graph, sum, 0, 0);
    graph_output(graph, last, 0, 1);
}
