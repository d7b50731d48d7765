#include "fusion_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/graph.h"
#include "api/operator.h"
#include "base/arena.h"
#include "base/notes.h"
#include "one_device.h"
#include "vulkan/device.h"

#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define F16 DML_TENSOR_DATA_TYPE_FLOAT16

/* Every input and output of a graph has as much room. */
#define SLOT   ((size_t)8192)
#define INPUTS 8

struct graph graph;

/* ---- tensors ---- */

#define MOST_DIMENSIONS 5

struct shaped {
    uint32_t sizes[MOST_DIMENSIONS];
    uint32_t strides[MOST_DIMENSIONS];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

static struct shaped tensors[64];
static uint32_t tensor_count;

/* As long as the graph is being built. strides NULL: packed. */
const DML_TENSOR_DESC *ranked(DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes,
                              const uint32_t *strides) {
    assert_true(tensor_count < sizeof tensors / sizeof tensors[0] && rank <= MOST_DIMENSIONS);
    struct shaped *shaped = &tensors[tensor_count++];
    memcpy(shaped->sizes, sizes, rank * sizeof *sizes);
    memcpy(shaped->strides, strides != NULL ? strides : sizes, rank * sizeof *sizes);
    const uint64_t bytes = vkdmlCalcBufferTensorSize(type, rank, sizes, strides);
    shaped->buffer = (DML_BUFFER_TENSOR_DESC){
        type, DML_TENSOR_FLAG_NONE, rank, shaped->sizes, strides != NULL ? shaped->strides : NULL, bytes, 0};
    shaped->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &shaped->buffer};
    return &shaped->desc;
}

const DML_TENSOR_DESC *tensor_of(DML_TENSOR_DATA_TYPE type, const uint32_t *sizes, const uint32_t *strides) {
    return ranked(type, 4, sizes, strides);
}

const DML_TENSOR_DESC *owned(const DML_TENSOR_DESC *desc) {
    uint32_t t = 0;
    while (&tensors[t].desc != desc) {
        t++;
    }
    tensors[t].buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    return desc;
}

/* ---- nodes ---- */

uint32_t node(DML_OPERATOR_TYPE type, const void *operator_desc, const char *name) {
    const DML_OPERATOR_DESC desc = {type, operator_desc};
    VkdmlOperator op;
    if (vkdmlCreateOperator(device, &desc, &op) != VKDML_SUCCESS) {
        fail_msg("%s", vkdmlGetErrorMessage());
    }
    return graph_operator(&graph, op, name);
}

/* An activation, all numbers of which are 1.25. */
uint32_t activation_node(DML_OPERATOR_TYPE type, const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output) {
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

uint32_t relu_node(const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output) {
    return activation_node(DML_OPERATOR_ACTIVATION_RELU, input, output);
}

uint32_t identity_node(const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output, const DML_SCALE_BIAS *scale) {
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {input, output, scale};
    return node(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, "identity");
}

uint32_t add_node(const DML_TENSOR_DESC *a, const DML_TENSOR_DESC *b, const DML_TENSOR_DESC *output) {
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC desc = {a, b, output};
    return node(DML_OPERATOR_ELEMENT_WISE_ADD, &desc, "add");
}

uint32_t cast_node(const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output) {
    const DML_CAST_OPERATOR_DESC desc = {input, output};
    return node(DML_OPERATOR_CAST, &desc, "cast");
}

/* 20 by 24, of inputs 0 and 1. */
uint32_t gemm_node(DML_TENSOR_DATA_TYPE type, const DML_TENSOR_DESC *c, float alpha) {
    const DML_GEMM_OPERATOR_DESC desc = {TENSOR(type, 1, 1, ROWS, DEPTH),
                                         TENSOR(type, 1, 1, DEPTH, COLUMNS),
                                         c,
                                         TENSOR(type, 1, 1, ROWS, COLUMNS),
                                         0,
                                         0,
                                         alpha,
                                         0.5f,
                                         NULL};
    const uint32_t gemm = node(DML_OPERATOR_GEMM, &desc, "gemm");
    graph_input(&graph, 0, gemm, 0);
    graph_input(&graph, 1, gemm, 1);
    return gemm;
}

const uint32_t ones[] = {1, 1}, zeros[] = {0, 0};

/* 2 by 6 by 8 by 8, of inputs 0 and 1, `lacking` at each end of 10 by 10. */
uint32_t convolution_of(DML_TENSOR_DATA_TYPE type, DML_CONVOLUTION_DIRECTION direction, uint32_t lacking) {
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

uint32_t convolution_node(DML_TENSOR_DATA_TYPE type) {
    const uint32_t convolution = convolution_of(type, DML_CONVOLUTION_DIRECTION_FORWARD, 0);
    graph_input(&graph, 0, convolution, 0);
    return convolution;
}

/* ---- what becomes of a graph ---- */

void begin(uint32_t inputs, uint32_t outputs) {
    tensor_count = 0;
    graph_begin(&graph, inputs, outputs);
}

char notes_text[NOTES_MOST];
static uint32_t constants_left;

typedef VkdmlResult passes(struct vkdml_graph *graph, DML_FEATURE_LEVEL level, const struct vkdml_plan_limits *limits,
                           struct vkdml_report *report);

/* How many nodes there are once they have been fused; notes lie in notes_text, a line each. */
static uint32_t fuse_by(passes *fuse_graph, DML_EXECUTION_FLAGS flags, uint32_t storage_buffers) {
    static struct vkdml_report report;
    struct vkdml_notes notes;
    struct vkdml_graph *read;
    struct vkdml_compilation compilation;
    const VkdmlCompileInfo info = {.structSize = sizeof info, .executionFlags = flags};
    uint32_t left = 0;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_read_compile_info(device, &info, &report, &compilation), VKDML_SUCCESS);
    assert_int_equal(vkdml_read_graph(device, &graph.desc, device->callbacks, &report, &read), VKDML_SUCCESS);
    vkdml_notes_begin(&notes, NULL, &report);
    if (compilation.limits.max_storage_buffers > storage_buffers) {
        compilation.limits.max_storage_buffers = storage_buffers;
    }
    assert_int_equal(fuse_graph(read, DML_FEATURE_LEVEL_6_4, &compilation.limits, &report), VKDML_SUCCESS);
    constants_left = 0;
    for (uint32_t n = 0; n < read->node_count; n++) {
        left += !read->nodes[n].is_gone;
        constants_left += read->nodes[n].data != NULL && !read->nodes[n].is_gone;
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

uint32_t fuse(DML_EXECUTION_FLAGS flags) {
    return fuse_by(vkdml_graph_fuse_patterns, flags, UINT32_MAX);
}

uint32_t fuse_all(DML_EXECUTION_FLAGS flags, uint32_t storage_buffers) {
    return fuse_by(vkdml_graph_fuse, flags, storage_buffers);
}

uint32_t count_storage_buffers(void) {
    static struct vkdml_report report;
    const VkdmlCompileInfo info = {.structSize = sizeof info};
    struct vkdml_compilation compilation;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_read_compile_info(device, &info, &report, &compilation), VKDML_SUCCESS);
    return compilation.limits.max_storage_buffers;
}

static void assert_left(uint32_t left, uint32_t expected, const char *note) {
    if (left != expected || (note == NULL ? notes_text[0] != '\0' : strstr(notes_text, note) == NULL)) {
        fail_msg("%u nodes, must be %u; notes must have \"%s\":\n%s", (unsigned)left, (unsigned)expected,
                 note != NULL ? note : "nothing", notes_text);
    }
}

void assert_nodes(uint32_t expected, const char *note) {
    assert_left(fuse(DML_EXECUTION_FLAG_NONE), expected, note);
}

void assert_operators(uint32_t expected, const char *note) {
    const uint32_t left = fuse(DML_EXECUTION_FLAG_NONE);
    assert_left(left - constants_left, expected, note);
}

void assert_all_nodes(uint32_t expected, const char *note) {
    assert_left(fuse_all(DML_EXECUTION_FLAG_NONE, UINT32_MAX), expected, note);
}

uint32_t count_steps(VkdmlCompileFlags flags) {
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = flags};
    const VkdmlExplanation *e;
    uint32_t count = 0;
    assert_int_equal(vkdmlExplainGraph(device, &graph.desc, &info, &e), VKDML_SUCCESS);
    for (uint32_t s = 0; s < e->stepCount; s++) {
        count += !e->steps[s].initializes;
    }
    vkdmlDestroyExplanation(e);
    return count;
}

/* ---- execution ---- */

#define OUTPUTS_AT (VULKAN_BUFFER_BYTES / 2)

static DML_TENSOR_DATA_TYPE input_type;

/* Bits that have nothing to do with those of other places: the end of MurmurHash3. */
static uint32_t random_at(uint32_t i) {
    i = (i + 1) * 0x9E3779B9u;
    i = (i ^ i >> 16) * 0x85EBCA6Bu;
    i = (i ^ i >> 13) * 0xC2B2AE35u;
    return i ^ i >> 16;
}

/* Two halves, or a float, of both signs, 2^-2 to 4. */
static uint32_t numbers_of(uint32_t random) {
    return input_type == F16
               ? (random & 0x83FF83FF) | (13u + (random >> 10 & 3)) << 10 | (13u + (random >> 26 & 3)) << 26
               : (random & 0x807FFFFF) | (125u + (random >> 29 & 3)) << 23;
}

static void fill_inputs(void) {
    for (uint32_t i = 0; i < INPUTS * SLOT / 4; i++) {
        const uint32_t bits = numbers_of(random_at(i));
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

static void initialize(VkdmlDispatchable compiled, VkdmlBufferBinding persistent) {
    VkdmlBufferBinding inputs[INPUTS];
    for (uint32_t i = 0; i < graph.desc.InputCount; i++) {
        inputs[i] = is_bound(i, DML_TENSOR_FLAG_OWNED_BY_DML) ? range(SLOT * i, SLOT) : nothing;
    }
    initialize_one(compiled, graph.desc.InputCount, inputs, persistent);
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
    if (properties.persistentResourceSize > 0) {
        initialize(compiled, persistent);
    }
    VkdmlBufferBinding inputs[INPUTS], outputs[INPUTS];
    for (uint32_t i = 0; i < graph.desc.InputCount; i++) {
        inputs[i] = is_bound(i, DML_TENSOR_FLAG_NONE) ? range(SLOT * i, SLOT) : nothing;
    }
    for (uint32_t i = 0; i < graph.desc.OutputCount; i++) {
        outputs[i] = range(OUTPUTS_AT + SLOT * i, SLOT);
    }
    const struct bindings bindings = {graph.desc.InputCount,  inputs, graph.desc.OutputCount, outputs, persistent,
                                      VULKAN_BUFFER_BYTES / 4};
    VkdmlBindingTable table = bind_all(compiled, &bindings);
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
    memset(outputs, 0x55, INPUTS * SLOT);
    assert_int_equal(graph_reference(&graph, inputs, bindings), VKDML_SUCCESS);
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

/* Fills inputs with numbers of a type, and finds what the reference makes of them. */
static void begin_execution(DML_TENSOR_DATA_TYPE type) {
    input_type = type;
    fill_inputs();
    execute_reference(reference);
}

/* Fused nodes give the bits that they give one by one. The graph ends. */
void agree(DML_TENSOR_DATA_TYPE type) {
    begin_execution(type);
    execute(0, DML_EXECUTION_FLAG_NONE, fused);
    execute(VKDML_COMPILE_FLAG_NODE_BY_NODE, DML_EXECUTION_FLAG_NONE, apart);
    assert_memory_equal(fused, apart, SLOT * graph.desc.OutputCount);
    assert_near(fused, reference, type);
    graph_end(&graph);
}

/* .. but of FLOAT16 that is rounded less. */
void agree_about(DML_TENSOR_DATA_TYPE type) {
    begin_execution(type);
    execute(0, DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION, fused);
    assert_near(fused, reference, type);
    graph_end(&graph);
}

void agree_nearly(DML_TENSOR_DATA_TYPE type) {
    begin_execution(type);
    execute(0, DML_EXECUTION_FLAG_NONE, fused);
    execute(VKDML_COMPILE_FLAG_NODE_BY_NODE, DML_EXECUTION_FLAG_NONE, apart);
    assert_near(fused, reference, type);
    assert_near(apart, reference, type);
    graph_end(&graph);
}

/* The sum of all terms' magnitudes, by the reference: all are of one sign, and the deviation is what it was. */
static void find_magnitudes(uint32_t mean, uint32_t variance, unsigned char *magnitudes) {
    for (uint32_t input = 0; input < graph.desc.InputCount; input++) {
        for (size_t i = 0; i < SLOT / 4 && input != variance; i++) {
            uint32_t bits;
            memcpy(&bits, vulkan.bytes + SLOT * input + 4 * i, sizeof bits);
            bits = (bits & 0x7FFFFFFF) | (input == mean ? 0x80000000 : 0);
            memcpy(vulkan.bytes + SLOT * input + 4 * i, &bits, sizeof bits);
        }
    }
    execute_reference(magnitudes);
}

/* The reference is within the same of what is right. */
static void assert_within(const unsigned char *made, const unsigned char *magnitudes, uint32_t products) {
    const float most = 2 * (12 + (float)products) * 0x1p-24F;
    for (size_t i = 0; i < graph.desc.OutputCount * SLOT / 4; i++) {
        const float a = number_at(made, F32, i), b = number_at(reference, F32, i);
        if (memcmp(made + 4 * i, reference + 4 * i, 4) != 0 &&
            !(fabsf(a - b) <= most * number_at(magnitudes, F32, i))) {
            fail_msg("element %zu is %g, must be %g", i, (double)a, (double)b);
        }
    }
}

void agree_in_sums(uint32_t products, uint32_t mean, uint32_t variance) {
    static unsigned char magnitudes[INPUTS * SLOT];
    input_type = F32;
    fill_inputs();
    execute_reference(reference);
    execute(0, DML_EXECUTION_FLAG_NONE, fused);
    execute(VKDML_COMPILE_FLAG_NODE_BY_NODE, DML_EXECUTION_FLAG_NONE, apart);
    find_magnitudes(mean, variance, magnitudes);
    assert_within(fused, magnitudes, products);
    assert_within(apart, magnitudes, products);
    graph_end(&graph);
}

/* ---- memory ---- */

void assert_no_leaks(void) {
    const size_t block_bytes = vkdml_arena_block_bytes;
    vkdml_arena_block_bytes = 0; /* so that each allocation fails once */
    for (uint32_t explained = 0; explained < 2; explained++) {
        VkdmlResult result = VKDML_ERROR_OUT_OF_HOST_MEMORY;
        int fails = 0;
        while (result != VKDML_SUCCESS) {
            VkdmlDispatchable compiled = NULL;
            const VkdmlExplanation *e = NULL;
            const int live = atomic_load(&allocations.live);
            atomic_store(&allocations.made, 0);
            atomic_store(&allocations.fails, ++fails);
            result = explained != 0 ? vkdmlExplainGraph(device, &graph.desc, NULL, &e)
                                    : vkdmlCompileGraph(device, &graph.desc, NULL, &compiled);
            atomic_store(&allocations.fails, 0);
            if (result != VKDML_SUCCESS) {
                assert_true(result == VKDML_ERROR_OUT_OF_HOST_MEMORY || result == VKDML_ERROR_OUT_OF_DEVICE_MEMORY);
                assert_true(compiled == NULL && e == NULL);
                /* A device keeps pipelines that were made. */
                assert_true(explained == 0 || atomic_load(&allocations.live) == live);
            }
            assert_true(fails < 1000);
            vkdmlDestroyExplanation(e);
            vkdmlDestroyDispatchable(compiled);
        }
        assert_true(fails > 20);
    }
    vkdml_arena_block_bytes = block_bytes;
    graph_end(&graph);
}
