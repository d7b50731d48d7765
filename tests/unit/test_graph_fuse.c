/* Fusion of nodes: what is made, and what is not and why; and that results are those of the nodes one by one, bit for
 * bit, and the reference's within what sums may be off. On the machine's first Vulkan device. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/graph.h"
#include "api/operator.h"
#include "base/notes.h"
#include "graph_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define F16 DML_TENSOR_DATA_TYPE_FLOAT16

/* Every input and output of a graph has as much room. */
#define SLOT   ((size_t)8192)
#define INPUTS 8

static struct graph graph;

/* ---- tensors ---- */

struct shaped {
    uint32_t sizes[4];
    uint32_t strides[4];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

static struct shaped tensors[64];
static uint32_t tensor_count;

/* As long as the graph is being built. strides NULL: packed. */
static const DML_TENSOR_DESC *tensor_of(DML_TENSOR_DATA_TYPE type, const uint32_t *sizes, const uint32_t *strides) {
    assert_true(tensor_count < sizeof tensors / sizeof tensors[0]);
    struct shaped *shaped = &tensors[tensor_count++];
    memcpy(shaped->sizes, sizes, sizeof shaped->sizes);
    memcpy(shaped->strides, strides != NULL ? strides : sizes, sizeof shaped->strides);
    const uint64_t bytes = vkdmlCalcBufferTensorSize(type, 4, sizes, strides);
    shaped->buffer = (DML_BUFFER_TENSOR_DESC){
        type, DML_TENSOR_FLAG_NONE, 4, shaped->sizes, strides != NULL ? shaped->strides : NULL, bytes, 0};
    shaped->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &shaped->buffer};
    return &shaped->desc;
}

#define SIZES(...)                    ((const uint32_t[4]){__VA_ARGS__})
#define TENSOR(type, ...)             tensor_of((type), SIZES(__VA_ARGS__), NULL)
#define STRIDED(type, sizes, strides) tensor_of((type), (sizes), (strides))

static const DML_TENSOR_DESC *owned(const DML_TENSOR_DESC *desc) {
    tensors[tensor_count - 1].buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    return desc;
}

/* ---- nodes ---- */

static uint32_t node(DML_OPERATOR_TYPE type, const void *operator_desc, const char *name) {
    const DML_OPERATOR_DESC desc = {type, operator_desc};
    VkdmlOperator op;
    if (vkdmlCreateOperator(device, &desc, &op) != VKDML_SUCCESS) {
        fail_msg("%s", vkdmlGetErrorMessage());
    }
    return graph_operator(&graph, op, name);
}

/* An activation, all numbers of which are 1.25. */
static uint32_t activation_node(DML_OPERATOR_TYPE type, const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(type);
    _Alignas(8) unsigned char desc[64] = {0};
    const float number = 1.25f;
    assert_true(schema->descSize <= sizeof desc);
    memcpy(desc + schema->fields[0].offset, &input, sizeof input);
    memcpy(desc + schema->fields[1].offset, &output, sizeof output);
    for (uint32_t i = 2; i < schema->fieldCount; i++) {
        memcpy(desc + schema->fields[i].offset, &number, sizeof number);
    }
    return node(type, desc, "activation");
}

static uint32_t relu_node(const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output) {
    return activation_node(DML_OPERATOR_ACTIVATION_RELU, input, output);
}

static uint32_t identity_node(const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output,
                              const DML_SCALE_BIAS *scale) {
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {input, output, scale};
    return node(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, "identity");
}

static uint32_t add_node(const DML_TENSOR_DESC *a, const DML_TENSOR_DESC *b, const DML_TENSOR_DESC *output) {
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC desc = {a, b, output};
    return node(DML_OPERATOR_ELEMENT_WISE_ADD, &desc, "add");
}

static uint32_t cast_node(const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output) {
    const DML_CAST_OPERATOR_DESC desc = {input, output};
    return node(DML_OPERATOR_CAST, &desc, "cast");
}

#define M 20
#define N 24
#define K 36

/* 20 by 24, of inputs 0 and 1. */
static uint32_t gemm_node(DML_TENSOR_DATA_TYPE type, const DML_TENSOR_DESC *c, float alpha) {
    const DML_GEMM_OPERATOR_DESC desc = {
        TENSOR(type, 1, 1, M, K), TENSOR(type, 1, 1, K, N), c, TENSOR(type, 1, 1, M, N), 0, 0, alpha, 0.5f, NULL};
    const uint32_t gemm = node(DML_OPERATOR_GEMM, &desc, "gemm");
    graph_input(&graph, 0, gemm, 0);
    graph_input(&graph, 1, gemm, 1);
    return gemm;
}

static const uint32_t ones[] = {1, 1}, zeros[] = {0, 0};

/* 2 by 6 by 8 by 8, of inputs 0 and 1, `lacking` at each end of 10 by 10. */
static uint32_t convolution_of(DML_TENSOR_DATA_TYPE type, DML_CONVOLUTION_DIRECTION direction, uint32_t lacking) {
    const uint32_t padding[] = {lacking, lacking};
    const uint32_t size = direction == DML_CONVOLUTION_DIRECTION_FORWARD ? 10 - 2 * lacking : 6 + 2 * lacking;
    const DML_CONVOLUTION_OPERATOR_DESC desc = {TENSOR(type, 2, 6, size, size),
                                                TENSOR(type, 6, 6, 3, 3),
                                                NULL,
                                                TENSOR(type, 2, 6, 8, 8),
                                                DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                                                direction,
                                                2,
                                                ones,
                                                ones,
                                                padding,
                                                padding,
                                                zeros,
                                                1,
                                                NULL};
    const uint32_t convolution = node(DML_OPERATOR_CONVOLUTION, &desc, "convolution");
    graph_input(&graph, 1, convolution, 1);
    return convolution;
}

static uint32_t convolution_node(DML_TENSOR_DATA_TYPE type) {
    const uint32_t convolution = convolution_of(type, DML_CONVOLUTION_DIRECTION_FORWARD, 0);
    graph_input(&graph, 0, convolution, 0);
    return convolution;
}

/* ---- what becomes of a graph ---- */

static void begin(uint32_t inputs, uint32_t outputs) {
    tensor_count = 0;
    graph_begin(&graph, inputs, outputs);
}

static char notes_text[4096];

/* How many nodes there are once they have been fused; notes lie in notes_text, a line each. */
static uint32_t fuse(DML_EXECUTION_FLAGS flags) {
    static struct vkdml_report report;
    struct vkdml_notes notes;
    struct vkdml_graph *read;
    struct vkdml_compilation compilation;
    const VkdmlCompileInfo info = {.structSize = sizeof info, .executionFlags = flags};
    uint32_t left = 0;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_read_compile_info(device, &info, &report, &compilation), VKDML_SUCCESS);
    assert_int_equal(vkdml_read_graph(device, &graph.desc, &report, &read), VKDML_SUCCESS);
    vkdml_notes_begin(&notes, NULL, &report);
    assert_int_equal(vkdml_graph_fuse(read, DML_FEATURE_LEVEL_6_4, &compilation.limits, &report), VKDML_SUCCESS);
    for (uint32_t n = 0; n < read->node_count; n++) {
        left += !read->nodes[n].is_gone;
    }
    assert_true(notes.length < sizeof notes_text);
    for (size_t i = 0; i < notes.length; i++) {
        notes_text[i] = notes.text[i];
        notes_text[i] = (char)(notes_text[i] == '\0' ? '\n' : notes_text[i]);
    }
    notes_text[notes.length] = '\0';
    vkdml_notes_end(&notes, &report);
    vkdml_graph_destroy(read);
    return left;
}

static void assert_nodes(uint32_t expected, const char *note) {
    const uint32_t left = fuse(DML_EXECUTION_FLAG_NONE);
    if (left != expected || (note == NULL ? notes_text[0] != '\0' : strstr(notes_text, note) == NULL)) {
        fail_msg("%u nodes, must be %u; notes must have \"%s\":\n%s", (unsigned)left, (unsigned)expected,
                 note != NULL ? note : "nothing", notes_text);
    }
}

/* ---- execution ---- */

#define OUTPUTS_AT (VULKAN_BUFFER_BYTES / 2)

static DML_TENSOR_DATA_TYPE input_type;

static uint16_t half_of(uint32_t random) {
    return (uint16_t)((random >> 16 & 0x8000) | (13u + (random >> 8 & 3)) << 10 | (random & 0x3FF));
}

/* Floats of both signs, 2^-2 to 4. */
static void fill_inputs(void) {
    uint32_t random = 12345;
    for (size_t i = 0; i < INPUTS * SLOT / 4; i++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t bits =
            input_type == F16 ? half_of(random) | (uint32_t)half_of(random * 2654435761u) << 16
                              : (random & 0x80000000u) | (125u + (random >> 29 & 3)) << 23 | (random >> 3 & 0x7FFFFF);
        memcpy(vulkan.bytes + 4 * i, &bits, sizeof bits);
    }
}

/* Whether a graph input is bound when the graph is initialized, or when it is executed; one without edges never is. */
static bool is_bound(uint32_t input, DML_TENSOR_FLAGS flags) {
    for (uint32_t e = 0; e < graph.desc.InputEdgeCount; e++) {
        const DML_INPUT_GRAPH_EDGE_DESC *edge = &graph.input_edges[e];
        const VkdmlOperator op = (VkdmlOperator)(void *)graph.operators[edge->ToNodeIndex].Operator;
        if (edge->GraphInputIndex == input) {
            return op->instance->inputs[edge->ToNodeInputIndex].flags == flags;
        }
    }
    return false;
}

static void initialize(VkdmlDispatchable compiled, const VkdmlBufferBinding *persistent) {
    VkdmlDispatchable initializer;
    assert_int_equal(vkdmlCreateOperatorInitializer(device, 1, &compiled, &initializer), VKDML_SUCCESS);
    VkdmlBindingProperties properties;
    assert_int_equal(vkdmlGetBindingProperties(initializer, &properties), VKDML_SUCCESS);
    VkdmlBindingTable table = create_table(device, initializer, VK_NULL_HANDLE);
    VkdmlBufferBinding inputs[INPUTS];
    for (uint32_t i = 0; i < graph.desc.InputCount; i++) {
        inputs[i] = is_bound(i, DML_TENSOR_FLAG_OWNED_BY_DML) ? range(SLOT * i, SLOT) : nothing;
    }
    const VkdmlBufferBinding temporary = other_range(VULKAN_BUFFER_BYTES / 2, properties.temporaryResourceSize);
    assert_int_equal(vkdmlBindInputs(table, graph.desc.InputCount, inputs), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, 1, persistent), VKDML_SUCCESS);
    if (properties.temporaryResourceSize > 0) {
        assert_int_equal(vkdmlBindTemporaryResource(table, &temporary), VKDML_SUCCESS);
    }
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), initializer, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
}

static void execute(VkdmlCompileFlags flags, DML_EXECUTION_FLAGS execution_flags, unsigned char *outputs_read) {
    VkdmlDispatchable compiled;
    VkdmlBindingProperties properties;
    const VkdmlCompileInfo info = {.structSize = sizeof info, .executionFlags = execution_flags, .flags = flags};
    if (vkdmlCompileGraph(device, &graph.desc, &info, &compiled) != VKDML_SUCCESS) {
        fail_msg("%s", vkdmlGetErrorMessage());
    }
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    const VkdmlBufferBinding persistent = other_range(0, properties.persistentResourceSize);
    const VkdmlBufferBinding temporary = other_range(VULKAN_BUFFER_BYTES / 4, properties.temporaryResourceSize);
    if (properties.persistentResourceSize > 0) {
        initialize(compiled, &persistent);
    }
    VkdmlBindingTable table = create_table(device, compiled, VK_NULL_HANDLE);
    VkdmlBufferBinding inputs[INPUTS], outputs[INPUTS];
    for (uint32_t i = 0; i < graph.desc.InputCount; i++) {
        inputs[i] = is_bound(i, DML_TENSOR_FLAG_NONE) ? range(SLOT * i, SLOT) : nothing;
    }
    for (uint32_t i = 0; i < graph.desc.OutputCount; i++) {
        outputs[i] = range(OUTPUTS_AT + SLOT * i, SLOT);
    }
    assert_int_equal(vkdmlBindInputs(table, graph.desc.InputCount, inputs), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(table, graph.desc.OutputCount, outputs), VKDML_SUCCESS);
    if (properties.persistentResourceSize > 0) {
        assert_int_equal(vkdmlBindPersistentResource(table, &persistent), VKDML_SUCCESS);
    }
    if (properties.temporaryResourceSize > 0) {
        assert_int_equal(vkdmlBindTemporaryResource(table, &temporary), VKDML_SUCCESS);
    }
    memset(vulkan.bytes + OUTPUTS_AT, 0x55, INPUTS * SLOT);
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    memcpy(outputs_read, vulkan.bytes + OUTPUTS_AT, SLOT * graph.desc.OutputCount);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
}

static void execute_reference(unsigned char *outputs) {
    VkdmlHostBinding inputs[INPUTS], bindings[INPUTS];
    for (uint32_t i = 0; i < INPUTS; i++) {
        inputs[i] = (VkdmlHostBinding){vulkan.bytes + SLOT * i, SLOT};
        bindings[i] = (VkdmlHostBinding){outputs + SLOT * i, SLOT};
    }
    const VkdmlReferenceGraphInfo info = {.structSize = sizeof info,
                                          .desc = &graph.desc,
                                          .inputCount = graph.desc.InputCount,
                                          .inputs = inputs,
                                          .outputCount = graph.desc.OutputCount,
                                          .outputs = bindings};
    memset(outputs, 0x55, INPUTS * SLOT);
    assert_int_equal(vkdmlReferenceExecuteGraph(&info), VKDML_SUCCESS);
}

static float number_at(const unsigned char *bytes, DML_TENSOR_DATA_TYPE type, size_t i) {
    if (type == F32) {
        float number;
        memcpy(&number, bytes + 4 * i, sizeof number);
        return number;
    }
    uint16_t half;
    memcpy(&half, bytes + 2 * i, sizeof half);
    const float magnitude = (half >> 10 & 31) == 0 ? ldexpf((float)(half & 0x3FF), -24)
                                                   : ldexpf((float)(half & 0x3FF) + 1024, (half >> 10 & 31) - 25);
    return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

/* Outputs are floats of a type, not far from another's. */
static void assert_near(const unsigned char *made, const unsigned char *wanted, DML_TENSOR_DATA_TYPE type) {
    const size_t size = type == F32 ? 4 : 2;
    const float most = type == F32 ? 2e-5f : 4e-3f;
    for (size_t i = 0; i < graph.desc.OutputCount * SLOT / size; i++) {
        const float a = number_at(made, type, i), b = number_at(wanted, type, i);
        if (memcmp(made + i * size, wanted + i * size, size) != 0 && !(fabsf(a - b) <= most * (fabsf(b) + 64))) {
            fail_msg("element %zu is %g, must be %g", i, (double)a, (double)b);
        }
    }
}

static unsigned char fused[INPUTS * SLOT], apart[INPUTS * SLOT], reference[INPUTS * SLOT];

/* Fused nodes give the bits that they give one by one. The graph ends. */
static void agree(DML_TENSOR_DATA_TYPE type) {
    input_type = type;
    fill_inputs();
    execute_reference(reference);
    execute(0, DML_EXECUTION_FLAG_NONE, fused);
    execute(VKDML_COMPILE_FLAG_NODE_BY_NODE, DML_EXECUTION_FLAG_NONE, apart);
    assert_memory_equal(fused, apart, SLOT * graph.desc.OutputCount);
    assert_near(fused, reference, type);
    graph_end(&graph);
}

/* .. but of FLOAT16 that is rounded less. */
static void agree_about(DML_TENSOR_DATA_TYPE type) {
    input_type = type;
    fill_inputs();
    execute_reference(reference);
    execute(0, DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION, fused);
    assert_near(fused, reference, type);
    graph_end(&graph);
}

/* ---- activations ---- */

#define MADE_OF_GEMM  SIZES(1, 1, M, N)
#define MADE_OF_OTHER SIZES(2, 6, 8, 8)

static uint32_t sum_producer(DML_TENSOR_DATA_TYPE type) {
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_OTHER, NULL);
    const uint32_t add = add_node(tensor, tensor, tensor);
    graph_input(&graph, 0, add, 0);
    graph_input(&graph, 1, add, 1);
    return add;
}

static uint32_t sum1_producer(DML_TENSOR_DATA_TYPE type) {
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_OTHER, NULL);
    const DML_ELEMENT_WISE_ADD1_OPERATOR_DESC desc = {tensor, tensor, tensor, NULL};
    const uint32_t add = node(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, "add1");
    graph_input(&graph, 0, add, 0);
    graph_input(&graph, 1, add, 1);
    return add;
}

static uint32_t gemm_producer(DML_TENSOR_DATA_TYPE type) {
    return gemm_node(type, NULL, 1);
}

static uint32_t batch_producer(DML_TENSOR_DATA_TYPE type) {
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_OTHER, NULL), *channels = TENSOR(type, 1, 6, 1, 1);
    const DML_BATCH_NORMALIZATION_OPERATOR_DESC desc = {tensor, channels, channels, channels, channels,
                                                        tensor, 1,        20,       NULL};
    const uint32_t batch = node(DML_OPERATOR_BATCH_NORMALIZATION, &desc, "batch");
    for (uint32_t i = 0; i < 5; i++) {
        graph_input(&graph, i, batch, i);
    }
    return batch;
}

static uint32_t mean_producer(DML_TENSOR_DATA_TYPE type) {
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_OTHER, NULL);
    static const uint32_t axes[] = {2, 3};
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc = {tensor, NULL, NULL, tensor, 2, axes, 0, 1e-5f, NULL};
    const uint32_t mean = node(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &desc, "mean");
    graph_input(&graph, 0, mean, 0);
    return mean;
}

static const struct {
    uint32_t (*add)(DML_TENSOR_DATA_TYPE type);
    uint32_t sizes[4];
} producers[] = {{sum_producer, {2, 6, 8, 8}},     {sum1_producer, {2, 6, 8, 8}},  {gemm_producer, {1, 1, M, N}},
                 {convolution_node, {2, 6, 8, 8}}, {batch_producer, {2, 6, 8, 8}}, {mean_producer, {2, 6, 8, 8}}};

static uint32_t begin_activated(size_t producer, DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE data_type) {
    begin(5, 1);
    const uint32_t made = producers[producer].add(data_type);
    const DML_TENSOR_DESC *tensor = tensor_of(data_type, producers[producer].sizes, NULL);
    const uint32_t activation = activation_node(type, tensor, tensor);
    graph_join(&graph, made, 0, activation, 0);
    graph_output(&graph, activation, 0, 0);
    return activation;
}

/* The row at an index of the table, if it is an activation that any operator takes. */
static const VkdmlOperatorSchema *activation_at(uint32_t index) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(index);
    return (int)schema->fusableSince != 0 && schema->fusableInto == DML_OPERATOR_INVALID ? schema : NULL;
}

#define PRODUCERS (sizeof producers / sizeof producers[0])

/* All behind one operator, and one behind all. */
static void activations_are_fused(void **state) {
    (void)state;
    uint32_t count = 0;
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = activation_at(i);
        for (size_t p = 0; schema != NULL && p < PRODUCERS; p++) {
            if (schema->type != DML_OPERATOR_ACTIVATION_TANH && p != i % PRODUCERS) {
                continue;
            }
            begin_activated(p, schema->type, F32);
            const bool is_erased = schema->type == DML_OPERATOR_ACTIVATION_IDENTITY;
            assert_nodes(1, is_erased ? "Nodes[1] (activation) is erased" : "Nodes[1] (activation) is fused into");
            agree(F32);
            count++;
        }
    }
    assert_int_equal(count, 19 - 1 + PRODUCERS);
}

static void activations_of_halves_are_fused_where_rounding_allows(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = activation_at(i);
        if (schema == NULL || schema->type == DML_OPERATOR_ACTIVATION_IDENTITY) {
            continue;
        }
        const bool commutes = schema->type == DML_OPERATOR_ACTIVATION_RELU;
        begin_activated(i % PRODUCERS, schema->type, F16);
        assert_nodes(commutes ? 1 : 2, commutes ? "is fused" : "its FLOAT16 input would not be rounded");
        assert_int_equal(fuse(DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION), 1);
        graph_end(&graph);
    }
    for (size_t p = 0; p < PRODUCERS; p++) {
        begin_activated(p, DML_OPERATOR_ACTIVATION_RELU, F16);
        assert_nodes(1, "is fused");
        agree(F16);
    }
}

static void tensors_of_other_dimensions_may_be_the_same_bytes(void **state) {
    (void)state;
    begin(2, 1);
    const uint32_t gemm = gemm_node(F32, NULL, 1), relu = relu_node(TENSOR(F32, M, 1, N, 1), TENSOR(F32, M, 1, N, 1));
    graph_join(&graph, gemm, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(1, "is fused");
    agree(F32);
}

static void activations_stay_where_others_need_what_they_read(void **state) {
    (void)state;
    begin_activated(2, DML_OPERATOR_ACTIVATION_TANH, F32);
    graph.desc.OutputCount = 2;
    graph_output(&graph, 0, 0, 1);
    assert_nodes(2, "Nodes[1] (activation) is not fused into Nodes[0] (gemm): its input is an output of the graph");
    agree(F32);

    begin_activated(2, DML_OPERATOR_ACTIVATION_TANH, F32);
    graph.desc.OutputCount = 2;
    const uint32_t other = relu_node(TENSOR(F32, 1, 1, M, N), TENSOR(F32, 1, 1, M, N));
    graph_join(&graph, 0, 0, other, 0);
    graph_output(&graph, other, 0, 1);
    assert_nodes(3, "Nodes[1] (activation) is not fused into Nodes[0] (gemm): its input is read 2 times");
    agree(F32);

    begin_activated(2, DML_OPERATOR_ACTIVATION_TANH, F32);
    graph.desc.OutputEdgeCount = 0;
    graph_join(&graph, 1, 0, relu_node(TENSOR(F32, 1, 1, M, N), TENSOR(F32, 1, 1, M, N)), 0);
    graph_output(&graph, 2, 0, 0);
    assert_nodes(2, "Nodes[2] (activation) is not fused into Nodes[0] (gemm): that has an activation already");
    agree(F32);

    begin(2, 1);
    const uint32_t gemm = gemm_node(F32, NULL, 1);
    const uint32_t relu = relu_node(TENSOR(F32, 1, 1, M, N), STRIDED(F32, MADE_OF_GEMM, SIZES(0, 0, 1, M)));
    graph_join(&graph, gemm, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(2, "types, sizes or strides differ");
    agree(F32);
}

static void rows_take_no_activation(void **state) {
    (void)state;
    static const uint32_t axes[] = {3};
    begin(1, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_OTHER, NULL);
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc = {tensor, NULL, NULL, tensor, 1, axes, 1, 1e-5f, NULL};
    const uint32_t mean = node(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &desc, "mean");
    const uint32_t relu = relu_node(tensor, tensor);
    graph_input(&graph, 0, mean, 0);
    graph_join(&graph, mean, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(2, "its rows may be one dispatch, which takes no activation");
    agree(F32);
}

static void what_is_computed_once_stays_so(void **state) {
    (void)state;
    begin(3, 1);
    const DML_GEMM_OPERATOR_DESC desc = {owned(TENSOR(F32, 1, 1, M, K)),
                                         owned(TENSOR(F32, 1, 1, K, N)),
                                         NULL,
                                         TENSOR(F32, 1, 1, M, N),
                                         0,
                                         0,
                                         1,
                                         0,
                                         NULL};
    const uint32_t gemm = node(DML_OPERATOR_GEMM, &desc, "gemm");
    const DML_TENSOR_DESC *tensor = TENSOR(F32, 1, 1, M, N);
    const uint32_t add = add_node(tensor, tensor, tensor);
    graph_input(&graph, 0, gemm, 0);
    graph_input(&graph, 1, gemm, 1);
    graph_join(&graph, gemm, 0, add, 1);
    graph_input(&graph, 2, add, 0);
    graph_output(&graph, add, 0, 0);
    assert_nodes(2, "its input is computed once, when the graph is initialized");
    agree(F32);
}

/* ---- biases ---- */

/* A sum of what a product makes and input 2 by strides; the product is operand `place`. */
static uint32_t begin_sum(DML_TENSOR_DATA_TYPE type, bool is_gemm, const uint32_t *strides, uint32_t place) {
    begin(4, 1);
    const uint32_t *sizes = is_gemm ? MADE_OF_GEMM : MADE_OF_OTHER;
    const uint32_t made = is_gemm ? gemm_node(type, NULL, 0.75f) : convolution_node(type);
    const DML_TENSOR_DESC *packed = tensor_of(type, sizes, NULL), *other = tensor_of(type, sizes, strides);
    const uint32_t add = add_node(place == 0 ? packed : other, place == 0 ? other : packed, packed);
    graph_join(&graph, made, 0, add, place);
    graph_input(&graph, 2, add, 1 - place);
    graph_output(&graph, add, 0, 0);
    return add;
}

static void sums_become_biases(void **state) {
    (void)state;
    for (uint32_t place = 0; place < 2; place++) {
        static const uint32_t of_gemm[][4] = {{0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 0, 0}, {M * N, M * N, N, 1}};
        for (size_t i = 0; i < sizeof of_gemm / sizeof of_gemm[0]; i++) {
            begin_sum(F32, true, of_gemm[i], place);
            assert_nodes(1, "Nodes[1] (add) is fused into Nodes[0] (gemm)");
            agree(F32);
        }
        begin_sum(F32, false, SIZES(0, 1, 0, 0), place);
        assert_nodes(1, "Nodes[1] (add) is fused into Nodes[0] (convolution)");
        agree(F32);
        begin_sum(F32, false, SIZES(0, 3, 0, 0), place);
        assert_nodes(1, "Nodes[1] (add) is fused into Nodes[0] (convolution)");
        agree(F32);
    }
}

static void sums_take_their_activation_along(void **state) {
    (void)state;
    for (uint32_t is_gemm = 0; is_gemm < 2; is_gemm++) {
        const uint32_t *sizes = is_gemm ? MADE_OF_GEMM : MADE_OF_OTHER;
        begin_sum(F32, is_gemm, is_gemm ? SIZES(0, 0, 0, 1) : SIZES(0, 1, 0, 0), 0);
        graph.desc.OutputEdgeCount = 0;
        const uint32_t tanh =
            activation_node(DML_OPERATOR_ACTIVATION_TANH, tensor_of(F32, sizes, NULL), tensor_of(F32, sizes, NULL));
        graph_join(&graph, 1, 0, tanh, 0);
        graph_output(&graph, tanh, 0, 0);
        assert_nodes(1, "Nodes[2] (activation) is fused into Nodes[0]");
        agree(F32);
    }
    begin(3, 1);
    const DML_TENSOR_DESC *tensor = TENSOR(F32, 1, 1, M, N);
    const DML_ACTIVATION_SIGMOID_OPERATOR_DESC sigmoid = {NULL, NULL};
    const DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_SIGMOID, &sigmoid};
    const DML_ELEMENT_WISE_ADD1_OPERATOR_DESC desc = {tensor, tensor, tensor, &activation};
    const uint32_t gemm = gemm_node(F32, NULL, 1), add = node(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, "add1");
    graph_join(&graph, gemm, 0, add, 1);
    graph_input(&graph, 2, add, 0);
    graph_output(&graph, add, 0, 0);
    assert_nodes(1, "Nodes[1] (add1) is fused into Nodes[0] (gemm)");
    agree(F32);
}

static void other_sums_stay(void **state) {
    (void)state;
    begin_sum(F32, false, SIZES(0, 0, 0, 1), 0);
    assert_nodes(2, "Nodes[1] (add) is not fused into Nodes[0] (convolution): what is added is not one number for each "
                    "channel");
    agree(F32);
    begin_sum(F16, true, SIZES(0, 0, 0, 1), 0);
    assert_nodes(2, "its FLOAT16 input would not be rounded");
    agree(F16);
    begin_sum(F16, true, SIZES(0, 0, 0, 1), 0);
    assert_int_equal(fuse(DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION), 1);
    agree_about(F16);

    begin_sum(F32, true, SIZES(0, 0, 0, 1), 0); /* and another sum behind it */
    graph.desc.OutputEdgeCount = 0;
    const DML_TENSOR_DESC *tensor = TENSOR(F32, 1, 1, M, N);
    const uint32_t last = add_node(tensor, tensor, tensor);
    graph_join(&graph, 1, 0, last, 0);
    graph_input(&graph, 3, last, 1);
    graph_output(&graph, last, 0, 0);
    assert_nodes(2, "Nodes[2] (add) is not fused into Nodes[0] (gemm): that has a CTensor already");
    agree(F32);

    begin(2, 1); /* the product and itself */
    const uint32_t gemm = gemm_node(F32, NULL, 1),
                   add = add_node(tensor_of(F32, MADE_OF_GEMM, NULL), tensor_of(F32, MADE_OF_GEMM, NULL),
                                  tensor_of(F32, MADE_OF_GEMM, NULL));
    graph_join(&graph, gemm, 0, add, 0);
    graph_join(&graph, gemm, 0, add, 1);
    graph_output(&graph, add, 0, 0);
    assert_nodes(2, "its input is read 2 times");
    agree(F32);
}

/* A sum of two products waits for one of them only. */
static void one_of_two_products_takes_the_other(void **state) {
    (void)state;
    begin(2, 1);
    const uint32_t first = gemm_node(F32, NULL, 1), second = gemm_node(F32, NULL, -0.5f);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
    const uint32_t add = add_node(tensor, tensor, tensor);
    graph_join(&graph, first, 0, add, 0);
    graph_join(&graph, second, 0, add, 1);
    graph_output(&graph, add, 0, 0);
    assert_nodes(2, "Nodes[2] (add) is fused into Nodes[0] (gemm)");
    agree(F32);
}

/* ---- factors ---- */

static uint32_t begin_scaled(DML_TENSOR_DATA_TYPE type, const DML_TENSOR_DESC *c, float alpha,
                             const DML_SCALE_BIAS *scale) {
    begin(3, 1);
    const uint32_t gemm = gemm_node(type, c != NULL ? TENSOR(type, 1, 1, M, N) : NULL, alpha);
    const uint32_t identity = identity_node(TENSOR(type, 1, 1, M, N), TENSOR(type, 1, 1, M, N), scale);
    if (c != NULL) {
        graph_input(&graph, 2, gemm, 2);
    }
    graph_join(&graph, gemm, 0, identity, 0);
    graph_output(&graph, identity, 0, 0);
    return identity;
}

static void factors_become_alpha(void **state) {
    (void)state;
    begin_scaled(F32, NULL, 1, &(DML_SCALE_BIAS){0.3f, 0});
    assert_nodes(1, "Nodes[1] (identity) is fused into Nodes[0] (gemm)");
    agree(F32);
    begin_scaled(F32, NULL, 1, &(DML_SCALE_BIAS){-0.3f, -0.0f});
    assert_nodes(1, "Nodes[1] (identity) is fused into Nodes[0] (gemm)");
    agree(F32);
    for (uint32_t place = 0; place < 2; place++) {
        static const float factor = -1.7f;
        begin(2, 1);
        const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
        const DML_TENSOR_DESC *constant = STRIDED(F32, MADE_OF_GEMM, SIZES(0, 0, 0, 0));
        const DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC desc = {place == 0 ? tensor : constant,
                                                              place == 0 ? constant : tensor, tensor};
        const uint32_t gemm = gemm_node(F32, NULL, 1), multiply = node(DML_OPERATOR_ELEMENT_WISE_MULTIPLY, &desc, "by");
        graph_join(&graph, gemm, 0, multiply, place);
        graph_join(&graph, graph_constant(&graph, &factor, sizeof factor, "factor"), 0, multiply, 1 - place);
        graph_output(&graph, multiply, 0, 0);
        assert_nodes(1, "Nodes[1] (by) is fused into Nodes[0] (gemm)"); /* nor is there the constant any more */
        agree(F32);
    }
}

static void other_factors_stay(void **state) {
    (void)state;
    begin_scaled(F32, NULL, 1, &(DML_SCALE_BIAS){0.3f, 1});
    assert_nodes(2, NULL);
    agree(F32);
    begin_scaled(F32, NULL, 1, &(DML_SCALE_BIAS){-0.3f, 0});
    assert_nodes(2, NULL);
    agree(F32);
    begin_scaled(F32, NULL, 0.7f, &(DML_SCALE_BIAS){0.3f, 0});
    assert_nodes(2, "that has an Alpha already");
    agree(F32);
    begin_scaled(F16, NULL, 1, &(DML_SCALE_BIAS){0.3f, 0});
    assert_nodes(2, "its FLOAT16 input would not be rounded");
    agree(F16);
    begin_scaled(F32, &tensors[0].desc, 1, &(DML_SCALE_BIAS){0.3f, 0});
    assert_nodes(2, "that has a CTensor");
    agree(F32);
}

/* ---- copies ---- */

static void copies_between_equal_layouts_are_erased(void **state) {
    (void)state;
    begin(3, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
    const uint32_t first = identity_node(tensor, tensor, NULL), gemm = gemm_node(F32, NULL, 1);
    const uint32_t second = cast_node(tensor, tensor), add = add_node(tensor, tensor, tensor);
    graph_input(&graph, 2, first, 0);
    graph_join(&graph, gemm, 0, second, 0);
    graph_join(&graph, first, 0, add, 0);
    graph_join(&graph, second, 0, add, 1);
    graph_output(&graph, add, 0, 0);
    assert_nodes(1, "Nodes[0] (identity) is erased"); /* what is left is a GEMM and its C */
    agree(F32);
}

static void copies_of_inputs_to_outputs_stay(void **state) {
    (void)state;
    begin(1, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_GEMM, NULL);
    const uint32_t identity = identity_node(tensor, tensor, NULL);
    graph_input(&graph, 0, identity, 0);
    graph_output(&graph, identity, 0, 0);
    assert_nodes(1, "Nodes[0] (identity) is not erased: an output of the graph would be an input");
    agree(F32);
}

static void copies_that_move_elements_stay(void **state) {
    (void)state;
    begin(1, 1);
    const DML_TENSOR_DESC *turned = STRIDED(F32, MADE_OF_GEMM, SIZES(0, 0, 1, M));
    const uint32_t identity = identity_node(turned, tensor_of(F32, MADE_OF_GEMM, NULL), NULL);
    const uint32_t relu = relu_node(tensor_of(F32, MADE_OF_GEMM, NULL), tensor_of(F32, MADE_OF_GEMM, NULL));
    graph_input(&graph, 0, identity, 0);
    graph_join(&graph, identity, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(2, NULL);
    agree(F32);
}

static void transposes_there_and_back_are_erased(void **state) {
    (void)state;
    for (uint32_t is_other = 0; is_other < 2; is_other++) {
        begin(1, 1);
        const uint32_t there =
            identity_node(STRIDED(F32, SIZES(1, 4, 5, 6), SIZES(120, 1, 24, 4)), TENSOR(F32, 1, 4, 5, 6), NULL);
        const uint32_t back = identity_node(
            STRIDED(F32, SIZES(1, 5, 6, 4), SIZES(120, 6, 1, 30)),
            is_other ? STRIDED(F32, SIZES(1, 5, 6, 4), SIZES(120, 1, 20, 5)) : TENSOR(F32, 1, 5, 6, 4), NULL);
        const uint32_t relu = relu_node(TENSOR(F32, 1, 5, 6, 4), TENSOR(F32, 1, 5, 6, 4));
        graph_input(&graph, 0, there, 0);
        graph_join(&graph, there, 0, back, 0);
        graph_join(&graph, back, 0, relu, 0);
        graph_output(&graph, relu, 0, 0);
        assert_nodes(is_other ? 3 : 1, is_other ? NULL : "Nodes[1] (identity) is erased");
        agree(F32);
    }
}

/* What RELU makes is cast there and back. */
static void begin_casts(DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE between, bool behind_relu) {
    begin(1, 1);
    const DML_TENSOR_DESC *tensor = tensor_of(type, MADE_OF_GEMM, NULL);
    const DML_TENSOR_DESC *other = tensor_of(between, MADE_OF_GEMM, NULL);
    const uint32_t there = cast_node(tensor, other), back = cast_node(other, tensor);
    const uint32_t relu = relu_node(tensor, tensor), last = relu_node(tensor, tensor);
    graph_input(&graph, 0, behind_relu ? relu : there, 0);
    if (behind_relu) {
        graph_join(&graph, relu, 0, there, 0);
    } else {
        graph_join(&graph, back, 0, relu, 0);
    }
    graph_join(&graph, there, 0, back, 0);
    graph_join(&graph, behind_relu ? back : relu, 0, last, 0);
    graph_output(&graph, last, 0, 0);
}

static void casts_that_lose_nothing_are_erased(void **state) {
    (void)state;
    begin_casts(F16, F32, true);
    assert_nodes(2, "Nodes[1] (cast) is erased");
    agree(F16);
    begin_casts(F32, F16, true);
    assert_nodes(4, "casts there and back may change elements");
    agree(F32);
    begin_casts(F16, F32, false); /* NaNs of the caller's */
    assert_nodes(4, "casts there and back may change elements");
    agree(F16);
    begin_casts(DML_TENSOR_DATA_TYPE_INT16, DML_TENSOR_DATA_TYPE_INT64, false);
    assert_nodes(2, "Nodes[1] (cast) is erased");
    agree(F16);
    begin_casts(DML_TENSOR_DATA_TYPE_INT32, F32, false);
    assert_nodes(4, "casts there and back may change elements");
    agree(F32);
}

/* ---- padding ---- */

struct padded {
    float value;
    DML_PADDING_MODE mode;
    uint32_t channels; /* before the first */
};

static uint32_t padding_node(DML_TENSOR_DATA_TYPE type, const struct padded *padded, const uint32_t *from,
                             const uint32_t *to) {
    const uint32_t start[] = {0, padded->channels, 1, 1}, end[] = {0, 0, 1, 1};
    const DML_PADDING_OPERATOR_DESC desc = {
        tensor_of(type, from, NULL), tensor_of(type, to, NULL), padded->mode, padded->value, 4, start, end};
    const uint32_t padding = node(DML_OPERATOR_PADDING, &desc, "padding");
    graph_input(&graph, 0, padding, 0);
    return padding;
}

/* 8 by 8 is padded to 10 by 10, and further to 12 by 12 by the convolution. */
static void begin_padded(DML_TENSOR_DATA_TYPE type, const struct padded *padded, DML_CONVOLUTION_DIRECTION direction) {
    const bool is_forward = direction == DML_CONVOLUTION_DIRECTION_FORWARD;
    begin(2, 1);
    const uint32_t lacking = is_forward ? 1 : 2;
    const uint32_t size = is_forward ? 8 : 10;
    const uint32_t convolution = convolution_of(type, direction, lacking);
    const uint32_t padding =
        padding_node(type, padded, SIZES(2, 6 - padded->channels, size - 2, size - 2), SIZES(2, 6, size, size));
    graph_join(&graph, padding, 0, convolution, 0);
    graph_output(&graph, convolution, 0, 0);
}

static void padding_becomes_the_convolutions(void **state) {
    (void)state;
    static const struct padded with_zero = {.value = 0}, with_one = {.value = 1}, of_channels = {.channels = 1},
                               of_edges = {.mode = DML_PADDING_MODE_EDGE};
    static const DML_TENSOR_DATA_TYPE types[] = {F32, F16};
    for (size_t i = 0; i < 2; i++) {
        begin_padded(types[i], &with_zero, DML_CONVOLUTION_DIRECTION_FORWARD);
        assert_nodes(1, "Nodes[1] (padding) is fused into Nodes[0] (convolution)");
        agree(types[i]);
    }
    begin_padded(F32, &with_one, DML_CONVOLUTION_DIRECTION_FORWARD);
    assert_nodes(2, "Nodes[1] (padding) is not fused into Nodes[0] (convolution): it pads by other than 0");
    agree(F32);
    begin_padded(F32, &of_edges, DML_CONVOLUTION_DIRECTION_FORWARD);
    assert_nodes(2, "it pads by other than 0");
    agree(F32);
    begin_padded(F32, &of_channels, DML_CONVOLUTION_DIRECTION_FORWARD);
    assert_nodes(2, "it pads batches or channels");
    agree(F32);
    begin_padded(F32, &with_zero, DML_CONVOLUTION_DIRECTION_BACKWARD);
    assert_nodes(2, "padding of a backward convolution takes away");
    agree(F32);
    begin_padded(F32, &with_zero, DML_CONVOLUTION_DIRECTION_FORWARD);
    graph.desc.OutputCount = 2;
    graph_output(&graph, 1, 0, 1);
    assert_nodes(2, "its output is an output of the graph");
    agree(F32);
}

static void padding_becomes_the_poolings(void **state) {
    (void)state;
    static const struct padded with_zero = {.value = 0};
    static const uint32_t window[] = {3, 3};
    for (int32_t included = 0; included < 2; included++) {
        begin(1, 2);
        const DML_TENSOR_DESC *input = TENSOR(F32, 1, 3, 10, 10), *output = TENSOR(F32, 1, 3, 8, 8);
        const DML_AVERAGE_POOLING_OPERATOR_DESC average = {input, output, 2, ones, window, zeros, zeros, included};
        const DML_LP_POOLING_OPERATOR_DESC norm = {input, output, 2, ones, window, zeros, zeros, 2};
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t padding = padding_node(F32, &with_zero, SIZES(1, 3, 8, 8), SIZES(1, 3, 10, 10));
            const uint32_t pooling = i == 0 ? node(DML_OPERATOR_AVERAGE_POOLING, &average, "average")
                                            : node(DML_OPERATOR_LP_POOLING, &norm, "norm");
            graph_join(&graph, padding, 0, pooling, 0);
            graph_output(&graph, pooling, 0, i);
        }
        assert_nodes(included ? 2 : 3,
                     included ? "Nodes[0] (padding) is fused into Nodes[1] (average)" : "IncludePadding is FALSE");
        assert_non_null(strstr(notes_text, "Nodes[2] (padding) is fused into Nodes[3] (norm)"));
        agree(F32);
    }
}

/* A network's block: padding, convolution, bias, sum, activation, and a copy. */
static void a_block_becomes_two_nodes(void **state) {
    (void)state;
    static const struct padded with_zero = {.value = 0};
    begin_padded(F32, &with_zero, DML_CONVOLUTION_DIRECTION_FORWARD);
    graph.desc.OutputEdgeCount = 0;
    graph.desc.InputCount = 4;
    const DML_TENSOR_DESC *tensor = tensor_of(F32, MADE_OF_OTHER, NULL);
    const uint32_t bias = add_node(tensor, STRIDED(F32, MADE_OF_OTHER, SIZES(0, 1, 0, 0)), tensor);
    const uint32_t residual = add_node(tensor, tensor, tensor), copy = identity_node(tensor, tensor, NULL);
    const uint32_t relu = relu_node(tensor, tensor);
    graph_join(&graph, 0, 0, bias, 0);
    graph_input(&graph, 2, bias, 1);
    graph_join(&graph, bias, 0, residual, 1);
    graph_input(&graph, 3, residual, 0);
    graph_join(&graph, residual, 0, copy, 0);
    graph_join(&graph, copy, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    assert_nodes(2, "Nodes[5] (activation) is fused into Nodes[3] (add)");
    agree(F32);
}

static void nothing_leaks_where_memory_ends(void **state) {
    (void)state;
    begin_sum(F32, true, SIZES(0, 0, 0, 1), 0);
    VkdmlDispatchable compiled;
    VkdmlResult result = VKDML_ERROR_OUT_OF_HOST_MEMORY;
    for (int fails = 1; result != VKDML_SUCCESS; fails++) {
        atomic_store(&allocations.made, 0);
        atomic_store(&allocations.fails, fails);
        result = vkdmlCompileGraph(device, &graph.desc, NULL, &compiled);
        atomic_store(&allocations.fails, 0);
        if (result != VKDML_SUCCESS) {
            assert_int_equal(result, VKDML_ERROR_OUT_OF_HOST_MEMORY);
            assert_null(compiled);
        }
    }
    vkdmlDestroyDispatchable(compiled);
    graph_end(&graph);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(activations_are_fused),
        TEST(activations_of_halves_are_fused_where_rounding_allows),
        TEST(tensors_of_other_dimensions_may_be_the_same_bytes),
        TEST(activations_stay_where_others_need_what_they_read),
        TEST(rows_take_no_activation),
        TEST(what_is_computed_once_stays_so),
        TEST(sums_become_biases),
        TEST(sums_take_their_activation_along),
        TEST(other_sums_stay),
        TEST(one_of_two_products_takes_the_other),
        TEST(factors_become_alpha),
        TEST(other_factors_stay),
        TEST(copies_between_equal_layouts_are_erased),
        TEST(copies_of_inputs_to_outputs_stay),
        TEST(copies_that_move_elements_stay),
        TEST(transposes_there_and_back_are_erased),
        TEST(casts_that_lose_nothing_are_erased),
        TEST(padding_becomes_the_convolutions),
        TEST(padding_becomes_the_poolings),
        TEST(a_block_becomes_two_nodes),
        TEST(nothing_leaks_where_memory_ends),
    };
    return cmocka_run_group_tests_name("graph_fuse", tests, set_up_vulkan, tear_down_vulkan);
}
