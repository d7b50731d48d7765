/* Graphs: what is refused and how, and that one dispatch gives what the reference gives node by node. On the machine's
 * first Vulkan device. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph_fixture.h"
#include "interposer.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define COUNT 64 /* elements of every tensor, 256 bytes */
#define BYTES ((size_t)4 * COUNT)

static struct graph graph;

static void tensor_init(struct tensor *tensor, DML_TENSOR_FLAGS flags) {
    *tensor = (struct tensor){.sizes = {1, 1, 1, COUNT}};
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){DML_TENSOR_DATA_TYPE_FLOAT32, flags, 4, tensor->sizes, NULL, BYTES, 0};
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
}

static VkdmlOperator create(DML_OPERATOR_TYPE type, const void *operator_desc) {
    const DML_OPERATOR_DESC desc = {type, operator_desc};
    VkdmlOperator op;
    assert_int_equal(vkdmlCreateOperator(device, &desc, &op), VKDML_SUCCESS);
    return op;
}

static uint32_t add_node(const char *name, DML_TENSOR_FLAGS first_flags, DML_TENSOR_FLAGS second_flags) {
    struct tensor a, b, output;
    tensor_init(&a, first_flags);
    tensor_init(&b, second_flags);
    tensor_init(&output, DML_TENSOR_FLAG_NONE);
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = {&a.desc, &b.desc, &output.desc};
    return graph_operator(&graph, create(DML_OPERATOR_ELEMENT_WISE_ADD, &add), name);
}

static uint32_t unary_node(DML_OPERATOR_TYPE type, const char *name) {
    struct tensor input, output;
    tensor_init(&input, DML_TENSOR_FLAG_NONE);
    tensor_init(&output, DML_TENSOR_FLAG_NONE);
    const DML_ACTIVATION_RELU_OPERATOR_DESC unary = {&input.desc, &output.desc}; /* IDENTITY: no ScaleBias behind */
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity = {&input.desc, &output.desc, NULL};
    return graph_operator(
        &graph, create(type, type == DML_OPERATOR_ACTIVATION_RELU ? (const void *)&unary : (const void *)&identity),
        name);
}

static uint32_t relu_node(const char *name) {
    return unary_node(DML_OPERATOR_ACTIVATION_RELU, name);
}

/* Inputs lie one behind the other in the first half of the group's buffer, outputs in the second. */
static void fill_inputs(void) {
    for (uint32_t i = 0; i < COUNT * graph.desc.InputCount; i++) {
        ((float *)vulkan.bytes)[i] = (float)((int32_t)(i * 37 % 101) - 50) / 8;
    }
}

#define OUTPUTS_AT (VULKAN_BUFFER_BYTES / 2)

static void execute_reference(unsigned char *outputs) {
    VkdmlHostBinding inputs[8], bindings[8];
    for (uint32_t i = 0; i < graph.desc.InputCount; i++) {
        inputs[i] = (VkdmlHostBinding){vulkan.bytes + BYTES * i, BYTES};
    }
    for (uint32_t i = 0; i < graph.desc.OutputCount; i++) {
        bindings[i] = (VkdmlHostBinding){outputs + BYTES * i, BYTES};
    }
    assert_int_equal(graph_reference(&graph, inputs, bindings), VKDML_SUCCESS);
}

static void initialize(VkdmlDispatchable compiled, VkdmlBufferBinding persistent, const bool *owned) {
    VkdmlBufferBinding inputs[8];
    for (uint32_t i = 0; i < graph.desc.InputCount; i++) {
        inputs[i] = owned[i] ? range(BYTES * i, BYTES) : nothing;
    }
    initialize_one(compiled, graph.desc.InputCount, inputs, persistent);
}

static VkdmlCompileFlags flags; /* that agree() compiles with */

/* Compiles the graph, destroys its operators, initializes it, and submits what it recorded once twice; outputs are then
 * the reference's. owned, unbound: by input. */
static VkdmlBindingProperties agree(const bool *owned, const bool *unbound) {
    static unsigned char expected[8 * BYTES];
    VkdmlDispatchable compiled;
    VkdmlBindingProperties properties;
    fill_inputs();
    memset(expected, 0, sizeof expected);
    execute_reference(expected);
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = flags};
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, &info, &compiled), VKDML_SUCCESS);
    graph_end(&graph);
    assert_int_equal(vkdmlGetBindingProperties(compiled, &properties), VKDML_SUCCESS);
    const VkdmlBufferBinding persistent = other_range(0, properties.persistentResourceSize);
    if (properties.persistentResourceSize > 0) {
        initialize(compiled, persistent, owned);
    }
    VkdmlBufferBinding inputs[8], outputs[8];
    for (uint32_t i = 0; i < graph.desc.InputCount; i++) {
        inputs[i] = owned[i] || unbound[i] ? nothing : range(BYTES * i, BYTES);
        memset(vulkan.bytes + BYTES * i, owned[i] ? 0xEE : vulkan.bytes[BYTES * i], owned[i] ? BYTES : 1);
    }
    for (uint32_t i = 0; i < graph.desc.OutputCount; i++) {
        outputs[i] = range(OUTPUTS_AT + BYTES * i, BYTES);
    }
    const struct bindings bindings = {graph.desc.InputCount,  inputs, graph.desc.OutputCount, outputs, persistent,
                                      VULKAN_BUFFER_BYTES / 4};
    VkdmlBindingTable table = bind_all(compiled, &bindings);
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    for (uint32_t time = 0; time < 2; time++) {
        memset(vulkan.bytes + OUTPUTS_AT, 0x55, 8 * BYTES);
        memset(vulkan.other_bytes + bindings.temporary_at, 0xFF, VULKAN_BUFFER_BYTES / 4);
        (time == 0 ? vulkan_run : vulkan_run_again)(&vulkan);
        assert_memory_equal(vulkan.bytes + OUTPUTS_AT, expected, BYTES * graph.desc.OutputCount);
    }
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    return properties;
}

static const bool none[8];

static void one_node_is_its_operator(void **state) {
    (void)state;
    graph_begin(&graph, 1, 1);
    const uint32_t relu = relu_node("relu");
    graph_input(&graph, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    const VkdmlBindingProperties properties = agree(none, none);
    assert_int_equal(properties.temporaryResourceSize, 0);
    assert_int_equal(properties.persistentResourceSize, 0);
}

/* TensorFlow's plugin reads only the values of TOP_K; the indices are computed and lost. */
static void outputs_without_a_reader_are_lost(void **state) {
    (void)state;
    struct tensor input, values, indices;
    tensor_init(&input, DML_TENSOR_FLAG_NONE);
    tensor_init(&values, DML_TENSOR_FLAG_NONE);
    tensor_init(&indices, DML_TENSOR_FLAG_NONE);
    indices.buffer.DataType = DML_TENSOR_DATA_TYPE_UINT32;
    const DML_TOP_K_OPERATOR_DESC top = {&input.desc, &values.desc, &indices.desc, 3, COUNT};
    graph_begin(&graph, 1, 1);
    const uint32_t node = graph_operator(&graph, create(DML_OPERATOR_TOP_K, &top), "top"), relu = relu_node("relu");
    graph_input(&graph, 0, node, 0);
    graph_join(&graph, node, 0, relu, 0);
    graph_output(&graph, relu, 0, 0);
    agree(none, none);
}

static void edges_are_shared_and_outputs_are_read_inside(void **state) {
    (void)state;
    graph_begin(&graph, 3, 3); /* input 1 is unused */
    const uint32_t sum = add_node("sum", 0, 0), relu = relu_node("relu"), last = add_node(NULL, 0, 0);
    graph_input(&graph, 0, sum, 0);
    graph_input(&graph, 2, sum, 1);
    graph_join(&graph, sum, 0, relu, 0);
    graph_join(&graph, relu, 0, last, 0);
    graph_join(&graph, sum, 0, last, 1);
    graph_output(&graph, last, 0, 0);
    graph_output(&graph, relu, 0, 1);
    graph_output(&graph, relu, 0, 2);
    agree(none, (const bool[8]){false, true});
}

static void what_constants_and_owned_inputs_give_is_computed_once(void **state) {
    (void)state;
    static float data[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        data[i] = 0.5f * (float)i - 7;
    }
    graph_begin(&graph, 2, 2);
    const uint32_t constant = graph_constant(&graph, data, sizeof data, "constant");
    const uint32_t fixed = add_node("fixed", DML_TENSOR_FLAG_OWNED_BY_DML, 0), relu = relu_node("relu");
    const uint32_t last = add_node("last", 0, 0);
    graph_input(&graph, 1, fixed, 0);
    graph_join(&graph, constant, 0, fixed, 1);
    graph_join(&graph, fixed, 0, relu, 0);
    graph_join(&graph, relu, 0, last, 0);
    graph_input(&graph, 0, last, 1);
    graph_output(&graph, last, 0, 0);
    graph_output(&graph, constant, 0, 1);
    const VkdmlBindingProperties properties = agree((const bool[8]){false, true}, none);
    assert_int_equal(properties.temporaryResourceSize, 0);
    /* The constant, as an output, and what RELU gives. */
    assert_int_equal(properties.persistentResourceSize, 512);
}

static void a_constant_that_nobody_reads_is_an_output_of_all_its_bytes(void **state) {
    (void)state;
    static float data[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        data[i] = 3 - (float)i;
    }
    graph_begin(&graph, 1, 2);
    const uint32_t constant = graph_constant(&graph, data, sizeof data, "constant"), relu = relu_node("relu");
    graph_input(&graph, 0, relu, 0);
    graph_output(&graph, constant, 0, 1);
    graph_output(&graph, relu, 0, 0);
    assert_int_equal(agree(none, none).persistentResourceSize, BYTES);
    assert_memory_equal(vulkan.bytes + OUTPUTS_AT + BYTES, data, BYTES);
}

/* RELU after RELU, of which every second one may be a sum with the input. */
static void make_chain(uint32_t count, bool adds) {
    graph_begin(&graph, 1, 1);
    uint32_t node = relu_node(NULL);
    graph_input(&graph, 0, node, 0);
    for (uint32_t i = 1; i < count; i++) {
        const bool sum = adds && i % 2 != 0;
        const uint32_t next = sum ? add_node(NULL, 0, 0) : relu_node(NULL);
        graph_join(&graph, node, 0, next, 0);
        if (sum) {
            graph_input(&graph, 0, next, 1);
        }
        node = next;
    }
    graph_output(&graph, node, 0, 0);
}

static void tensors_of_a_chain_take_each_others_place(void **state) {
    (void)state;
    make_chain(50, true);
    assert_int_equal(agree(none, none).temporaryResourceSize, BYTES); /* each over what it reads */
}

/* A good graph, whose parts a test then breaks: input 0 -> relu -> sum (with input 1) -> output 0. */
static void begin_good(void) {
    graph_begin(&graph, 2, 1);
    const uint32_t relu = relu_node("relu"), sum = add_node("sum", 0, 0);
    graph_input(&graph, 0, relu, 0);
    graph_join(&graph, relu, 0, sum, 0);
    graph_input(&graph, 1, sum, 1);
    graph_output(&graph, sum, 0, 0);
}

static void assert_refused(const char *reason) {
    VkdmlDispatchable compiled = (VkdmlDispatchable)(void *)&graph;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_ERROR_INVALID_ARGUMENT);
    assert_null(compiled);
    assert_reason(reason);
    graph_end(&graph);
}

/* A GEMM without a C, of tensors whose bytes RELU's are. */
static uint32_t product_node(const char *name) {
    static const uint32_t sizes[] = {1, 1, 8, 8};
    const DML_BUFFER_TENSOR_DESC buffer = {
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, BYTES, 0};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_GEMM_OPERATOR_DESC gemm = {.ATensor = &tensor, .BTensor = &tensor, .OutputTensor = &tensor, .Alpha = 1};
    return graph_operator(&graph, create(DML_OPERATOR_GEMM, &gemm), name);
}

/* A MAX_POOLING1 that tells no indices. */
static uint32_t pooling_node(const char *name) {
    static const uint32_t sizes[] = {1, 1, 8, 8}, ones[] = {1, 1}, zeros[] = {0, 0};
    const DML_BUFFER_TENSOR_DESC buffer = {
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, BYTES, 0};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_MAX_POOLING1_OPERATOR_DESC pooling = {&tensor, &tensor, NULL, 2, ones, ones, zeros, zeros};
    return graph_operator(&graph, create(DML_OPERATOR_MAX_POOLING1, &pooling), name);
}

static void edges_do_not_lead_to_absent_tensors(void **state) {
    (void)state;
    graph_begin(&graph, 2, 1);
    const uint32_t product = product_node("product");
    for (uint32_t i = 0; i < 3; i++) {
        graph_input(&graph, i / 2, product, i);
    }
    graph_output(&graph, product, 0, 0);
    assert_refused("InputEdges[2]: Nodes[0] (product).CTensor is absent, must be a tensor");
    graph_begin(&graph, 1, 1);
    const uint32_t pooling = pooling_node("pooling");
    graph_input(&graph, 0, pooling, 0);
    graph_output(&graph, pooling, 1, 0);
    assert_refused("OutputEdges[0]: Nodes[0] (pooling).OutputIndicesTensor is absent, must be a tensor");
}

static void broken_graphs_are_refused(void **state) {
    (void)state;
    begin_good();
    graph.input_edges[1].GraphInputIndex = 2;
    assert_refused("DML_GRAPH_DESC: InputEdges[1]: GraphInputIndex is 2, must be below InputCount (2)");
    begin_good();
    graph.intermediate_edges[0].FromNodeIndex = 9;
    graph.intermediate_edges[0].Name = "edge";
    assert_refused("IntermediateEdges[0] (edge): FromNodeIndex is 9, must be below NodeCount (2)");
    begin_good();
    graph.intermediate_edges[0].FromNodeOutputIndex = 1;
    assert_refused("FromNodeOutputIndex is 1, must be below the outputs of Nodes[0] (relu) (1)");
    begin_good();
    graph.input_edges[1].ToNodeInputIndex = 0;
    assert_refused("IntermediateEdges[0]: Nodes[1] (sum).ATensor is fed by InputEdges[1] too, must be by one edge");
    begin_good();
    graph.desc.InputEdgeCount = 1;
    assert_refused("Nodes[1] (sum).BTensor has no edge, must have one");
    begin_good();
    graph.desc.OutputEdgeCount = 0;
    assert_refused("GraphOutputIndex 0 is that of no edge, must be of one");
    begin_good();
    graph.desc.IntermediateEdgeCount = 0;
    assert_refused("Nodes[0] (relu).OutputTensor has no edge, must have one");
    begin_good();
    graph_output(&graph, 0, 0, 0);
    assert_refused("OutputEdges[1]: GraphOutputIndex 0 is that of OutputEdges[0] too, must be of one edge");
    begin_good();
    graph.edges[0][1].Type = DML_GRAPH_EDGE_TYPE_OUTPUT;
    assert_refused("InputEdges[1].Type is 2, must be 1, that of InputEdges");
    begin_good();
    graph.edges[2][0].Desc = NULL;
    assert_refused("IntermediateEdges[0].Desc is NULL, must point to an edge");
    begin_good();
    graph.nodes[1].Type = DML_GRAPH_NODE_TYPE_INVALID;
    assert_refused("Nodes[1].Type is 0, must be DML_GRAPH_NODE_TYPE_OPERATOR or _CONSTANT");
    vkdmlDestroyOperator((VkdmlOperator)(void *)graph.operators[1].Operator);
    begin_good();
    graph.desc.Nodes = NULL;
    assert_refused("Nodes is NULL, must point to NodeCount (2) of them");
    graph_begin(&graph, 1, 1);
    assert_refused("NodeCount is 0, must be at least 1");
}

/* A type that is not known does not say how large the struct is: none of it may be read. */
static void structs_of_unknown_types_are_not_read(void **state) {
    void *unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(unreadable != MAP_FAILED);
    static const int types[] = {DML_GRAPH_NODE_TYPE_INVALID, 3, -1};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        begin_good();
        vkdmlDestroyOperator((VkdmlOperator)(void *)graph.operators[1].Operator);
        graph.nodes[1] = (DML_GRAPH_NODE_DESC){(DML_GRAPH_NODE_TYPE)types[i], unreadable};
        assert_refused("must be DML_GRAPH_NODE_TYPE_OPERATOR or _CONSTANT");
    }
    for (int list = 0; list < 3; ++list) {
        begin_good();
        graph.edges[list][0] = (DML_GRAPH_EDGE_DESC){DML_GRAPH_EDGE_TYPE_INVALID, unreadable};
        assert_refused("Edges[0].Type is 0, must be ");
    }
    assert_int_equal(munmap(unreadable, 4096), 0);
}

static void nodes_in_a_circle_are_named(void **state) {
    (void)state;
    graph_begin(&graph, 2, 1);
    const uint32_t a = add_node("a", 0, 0), b = relu_node("b"), c = relu_node("c");
    graph_input(&graph, 0, a, 0);
    graph_join(&graph, c, 0, a, 1);
    graph_join(&graph, a, 0, b, 0);
    graph_join(&graph, b, 0, c, 0);
    graph_output(&graph, b, 0, 0);
    assert_refused("nodes must not depend on themselves: Nodes[0] (a) reads Nodes[2] (c) reads Nodes[1] (b) reads "
                   "Nodes[0] (a)");
}

static void the_reference_refuses_unknown_flags(void **state) {
    (void)state;
    _Alignas(8) unsigned char bytes[3][BYTES];
    const VkdmlHostBinding inputs[] = {{bytes[0], BYTES}, {bytes[1], BYTES}}, output = {bytes[2], BYTES};
    begin_good();
    const VkdmlReferenceGraphInfo info = {sizeof info, &graph.desc, 0x80000000, 2, inputs, 1, &output};
    assert_int_equal(vkdmlReferenceExecuteGraph(&info), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("flags is 0x80000000, must hold VkdmlCompileFlagBits only");
    graph_end(&graph);
}

static void the_reference_refuses_memory_that_is_not_the_graphs(void **state) {
    (void)state;
    static _Alignas(8) unsigned char bytes[4][BYTES];
    const VkdmlHostBinding good[] = {{bytes[0], BYTES}, {bytes[1], BYTES}, {bytes[2], BYTES}};
    const struct {
        uint32_t input_count;
        bool lacks_inputs, lacks_outputs;
        uint32_t binding; /* the other of two inputs or the output */
        VkdmlHostBinding other;
        const char *reason;
    } cases[] = {
        {3, false, false, 0, good[0], "inputCount and outputCount are 3 and 1, must be the graph's, 2 and 1"},
        {2, true, false, 0, good[0], "inputs is NULL"},
        {2, false, true, 0, good[0], "outputs is NULL"},
        {2, false, false, 1, {NULL, BYTES}, "inputs[1].data is NULL"},
        {2, false, false, 2, {NULL, BYTES}, "outputs[0].data is NULL"},
        {2, false, false, 0, {bytes[0], BYTES - 1}, "inputs[0].size is 255, must be at least 256"},
        {2, false, false, 0, {bytes[0] + 4, BYTES}, "must be a multiple of 8"},
        {2, false, false, 2, {bytes[1] + BYTES / 2, BYTES}, "outputs[0] overlaps inputs[1], must be disjoint"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        VkdmlHostBinding bindings[3];
        memcpy(bindings, good, sizeof bindings);
        bindings[cases[i].binding] = cases[i].other;
        begin_good();
        const VkdmlReferenceGraphInfo info = {.structSize = sizeof info,
                                              .desc = &graph.desc,
                                              .inputCount = cases[i].input_count,
                                              .inputs = cases[i].lacks_inputs ? NULL : bindings,
                                              .outputCount = 1,
                                              .outputs = cases[i].lacks_outputs ? NULL : bindings + 2};
        assert_int_equal(vkdmlReferenceExecuteGraph(&info), VKDML_ERROR_INVALID_ARGUMENT);
        assert_reason(cases[i].reason);
        graph_end(&graph);
    }
}

static void ends_of_edges_agree(void **state) {
    (void)state;
    begin_good();
    struct identity other;
    identity_init(&other, COUNT / 2);
    VkdmlOperator op;
    assert_int_equal(vkdmlCreateOperator(device, &other.desc, &op), VKDML_SUCCESS);
    const uint32_t node = graph_operator(&graph, op, "half");
    graph_join(&graph, 0, 0, node, 0);
    graph.desc.OutputCount = 2;
    graph_output(&graph, node, 0, 1);
    assert_refused(
        "Nodes[2] (half).InputTensor.TotalTensorSizeInBytes is 128, must be 256, that of what feeds it, output "
        "0 of Nodes[0] (relu)");
    graph_begin(&graph, 1, 2);
    graph_input(&graph, 0, add_node("first", DML_TENSOR_FLAG_OWNED_BY_DML, 0), 0);
    graph_input(&graph, 0, 0, 1);
    graph_output(&graph, 0, 0, 0);
    graph_input(&graph, 0, add_node("second", DML_TENSOR_FLAG_OWNED_BY_DML, DML_TENSOR_FLAG_OWNED_BY_DML), 0);
    graph_join(&graph, 0, 0, 1, 1);
    graph_output(&graph, 1, 0, 1);
    VkdmlDispatchable compiled;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("Nodes[0] (first).BTensor is not OWNED_BY_DML, must be as others that GraphInputIndex 0 feeds are");
    assert_reason("Nodes[1] (second).BTensor is OWNED_BY_DML, must not be, as Nodes[0] (first) feeds it");
    graph_end(&graph);
    static const float data[COUNT - 1];
    begin_good();
    graph_join(&graph, graph_constant(&graph, data, sizeof data, "short"), 0, 1, 1);
    graph.desc.InputEdgeCount = 1;
    assert_refused("Nodes[1] (sum).BTensor needs 256 bytes, DataSize of Nodes[2] (short) is 252");
}

static void operators_are_live_and_of_the_device(void **state) {
    (void)state;
    begin_good();
    IDMLOperator *op = graph.operators[0].Operator;
    graph.operators[0].Operator = NULL;
    VkdmlDispatchable compiled;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, NULL, &compiled), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("Nodes[0] (relu).Operator is NULL");
    graph.operators[0].Operator = op;
    VkdmlDevice other = import_device(0, NULL);
    assert_int_equal(vkdmlCompileGraph(other, &graph.desc, NULL, &compiled), VKDML_ERROR_INVALID_ARGUMENT);
    assert_reason("Nodes[0] (relu).Operator is of another device");
    vkdmlDestroyDevice(other);
    graph_end(&graph);
}

static VkdmlResult compile(void **handle) {
    VkdmlDispatchable compiled;
    const VkdmlResult result = vkdmlCompileGraph(device, &graph.desc, NULL, &compiled);
    *handle = compiled;
    return result;
}

static void nothing_leaks_where_memory_ends(void **state) {
    (void)state;
    static const float data[COUNT];
    begin_good();
    graph_join(&graph, graph_constant(&graph, data, sizeof data, "zeros"), 0, 1, 1);
    graph.desc.InputEdgeCount = 1;
    void *compiled;
    survive_failing_allocations(compile, true, &compiled); /* pipelines that were made stay */
    vkdmlDestroyDispatchable(compiled);
    graph_end(&graph);
}

static void a_thousand_nodes_compile(void **state) {
    (void)state;
    make_chain(1000, false);
    agree(none, none);
}

/* Which threads of the device's allocate. */
static void *VKAPI_PTR allocate_noting(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    atomic_bool *others = ((void **)data)[0];
    const pthread_t *own = ((void **)data)[1];
    (void)scope;
    if (!pthread_equal(*own, pthread_self())) {
        atomic_store(others, true);
    }
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void *VKAPI_PTR reallocate_never(void *data, void *memory, size_t size, size_t alignment,
                                        VkSystemAllocationScope scope) {
    (void)memory;
    return allocate_noting(data, size, alignment, scope);
}

static void VKAPI_PTR free_memory(void *data, void *memory) {
    (void)data;
    free(memory);
}

static void pipelines_come_from_many_threads_where_they_may(void **state) {
    (void)state;
    static const DML_OPERATOR_TYPE types[] = {DML_OPERATOR_ACTIVATION_RELU, DML_OPERATOR_ELEMENT_WISE_ABS,
                                              DML_OPERATOR_ELEMENT_WISE_EXP, DML_OPERATOR_ELEMENT_WISE_SIN};
    for (uint32_t parallel = 0; parallel < 2; parallel++) {
        atomic_bool others = false;
        pthread_t own = pthread_self();
        void *data[] = {&others, &own};
        const VkAllocationCallbacks callbacks = {data, allocate_noting, reallocate_never, free_memory, NULL, NULL};
        VkdmlDeviceCreateInfo create_info = vulkan_device_info(&vulkan);
        create_info.allocationCallbacks = &callbacks;
        VkdmlDevice outer = device;
        assert_int_equal(vkdmlCreateDevice(&create_info, &device), VKDML_SUCCESS);
        graph_begin(&graph, 1, 1);
        for (uint32_t i = 0; i < sizeof types / sizeof *types; i++) {
            const uint32_t node = unary_node(types[i], NULL);
            if (i == 0) {
                graph_input(&graph, 0, node, 0);
            } else {
                graph_join(&graph, node - 1, 0, node, 0);
            }
        }
        graph_output(&graph, sizeof types / sizeof *types - 1, 0, 0);
        flags = VKDML_COMPILE_FLAG_NODE_BY_NODE | (parallel ? VKDML_COMPILE_FLAG_PARALLEL : 0u);
        agree(none, none);
        flags = 0;
        assert_true(!others || parallel);
        assert_true(others || !parallel || sysconf(_SC_NPROCESSORS_ONLN) < 2);
        vkdmlDestroyDevice(device);
        device = outer;
    }
}

static void a_device_that_threads_lose_is_lost(void **state) {
    (void)state;
    VkdmlDeviceCreateInfo create_info = vulkan_device_info(&vulkan);
    create_info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    VkdmlDevice outer = device;
    assert_int_equal(vkdmlCreateDevice(&create_info, &device), VKDML_SUCCESS);
    graph_begin(&graph, 1, 1);
    graph_input(&graph, 0, unary_node(DML_OPERATOR_ACTIVATION_RELU, NULL), 0);
    graph_join(&graph, 0, 0, unary_node(DML_OPERATOR_ELEMENT_WISE_EXP, NULL), 0);
    graph_output(&graph, 1, 0, 0);
    interposer.failing = INTERPOSED_CreateComputePipelines;
    interposer.fail_at = interposer.calls[INTERPOSED_CreateComputePipelines] + 1;
    interposer.failure = VK_ERROR_DEVICE_LOST;
    const VkdmlCompileInfo info = {.structSize = sizeof info,
                                   .flags = VKDML_COMPILE_FLAG_NODE_BY_NODE | VKDML_COMPILE_FLAG_PARALLEL};
    VkdmlDispatchable compiled;
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, &info, &compiled), VKDML_ERROR_DEVICE_LOST);
    assert_null(compiled);
    interposer.fail_at = 0;
    graph_end(&graph);
    vkdmlDestroyDevice(device);
    device = outer;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_node_is_its_operator, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(outputs_without_a_reader_are_lost, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(edges_are_shared_and_outputs_are_read_inside, begin_with_device,
                                        end_with_device),
        cmocka_unit_test_setup_teardown(what_constants_and_owned_inputs_give_is_computed_once, begin_with_device,
                                        end_with_device),
        cmocka_unit_test_setup_teardown(a_constant_that_nobody_reads_is_an_output_of_all_its_bytes, begin_with_device,
                                        end_with_device),
        cmocka_unit_test_setup_teardown(tensors_of_a_chain_take_each_others_place, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(broken_graphs_are_refused, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(edges_do_not_lead_to_absent_tensors, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(structs_of_unknown_types_are_not_read, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(nodes_in_a_circle_are_named, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(the_reference_refuses_unknown_flags, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(the_reference_refuses_memory_that_is_not_the_graphs, begin_with_device,
                                        end_with_device),
        cmocka_unit_test_setup_teardown(ends_of_edges_agree, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(operators_are_live_and_of_the_device, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(nothing_leaks_where_memory_ends, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(pipelines_come_from_many_threads_where_they_may, begin_with_device,
                                        end_with_device),
        cmocka_unit_test_setup_teardown(a_device_that_threads_lose_is_lost, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(a_thousand_nodes_compile, begin_with_device, end_with_device),
    };
    return cmocka_run_group_tests_name("graph", tests, set_up_vulkan, tear_down_vulkan);
}
