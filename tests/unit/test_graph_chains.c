/* Chains and trees of operators that map elements: as the programs that they become they give the bits that they give
 * node by node. On the machine's first Vulkan device, of the kernels' variant that VKDML_KERNEL_VARIANT names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/graph.h"
#include "base/report.h"
#include "cases/random.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "graph_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define MOST_VALUES 40
#define SLOT        4096 /* bytes for each tensor */
#define OUTPUTS_AT  (VULKAN_BUFFER_BYTES / 2)

#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define F16 DML_TENSOR_DATA_TYPE_FLOAT16
#define U8  DML_TENSOR_DATA_TYPE_UINT8

/* An operator by the fields of its descriptor: x a float that goes in, b a UINT8, o and p the same that come out, c a
 * float of the other width that does; s a ScaleBias that may be there, S one that is, n a number, m a mode, a a fused
 * activation. */
static const struct entry {
    DML_OPERATOR_TYPE type;
    const char *fields;
    float numbers[2];
} entries[] = {
#include "chain_operators.inc"
};
#define ENTRIES (sizeof entries / sizeof *entries)

/* A tensor that nodes read: the graph's input or a node's output. */
struct value {
    DML_TENSOR_DATA_TYPE type;
    bool is_input;
    uint32_t index; /* the graph's input, or the node */
    uint32_t strides[4];
    uint64_t bytes;
    bool is_read;
};

/* A graph as it is made, on tensors of one list of sizes. */
static struct {
    struct graph graph;
    struct random random;
    uint32_t sizes[4];
    uint32_t count;
    struct value values[MOST_VALUES];
    uint32_t outputs[MOST_VALUES]; /* values */
} made;

static uint32_t bits_of(DML_TENSOR_DATA_TYPE type) {
    return type == U8 ? 8 : type == F16 ? 16 : 32;
}

static void begin(uint64_t seed, const uint32_t *sizes) {
    memset(&made, 0, sizeof made);
    graph_begin(&made.graph, 0, 0);
    made.random.state = seed;
    memcpy(made.sizes, sizes, sizeof made.sizes);
}

static struct value *add_value(DML_TENSOR_DATA_TYPE type, bool is_input, uint32_t index, uint32_t repeated) {
    struct value *value = &made.values[made.count++];
    uint32_t stride = 1;
    uint64_t elements = 1;
    assert_true(made.count <= MOST_VALUES);
    *value = (struct value){.type = type, .is_input = is_input, .index = index};
    for (uint32_t d = 4; d-- > 0;) {
        const bool is_repeated = (repeated >> d & 1) != 0;
        value->strides[d] = is_repeated ? 0 : stride;
        elements += is_repeated ? 0 : (uint64_t)(made.sizes[d] - 1) * stride;
        stride *= is_repeated ? 1 : made.sizes[d];
    }
    value->bytes = (elements * bits_of(type) / 8 + 3) / 4 * 4;
    assert_true(value->bytes <= SLOT);
    return value;
}

/* A new input of the graph; in the dimensions of a mask one element serves all. */
static struct value *add_input(DML_TENSOR_DATA_TYPE type, uint32_t repeated) {
    return add_value(type, true, made.graph.desc.InputCount++, repeated);
}

struct fields {
    unsigned char bytes[128];
    size_t end;
};

static void put(struct fields *fields, const void *field, size_t size) {
    fields->end = (fields->end + size - 1) / size * size;
    memcpy(fields->bytes + fields->end, field, size);
    fields->end += size;
}

/* A node of an operator on values; what it gives. */
static struct value *add_node(const struct entry *entry, struct value *const *inputs, bool scales) {
    static const DML_SCALE_BIAS scale_bias = {1.25f, -0.375f};
    static const DML_ACTIVATION_SIGMOID_OPERATOR_DESC sigmoid;
    static const DML_OPERATOR_DESC fused = {DML_OPERATOR_ACTIVATION_SIGMOID, &sigmoid};
    const DML_SCALE_BIAS *no_scale = NULL, *scale = &scale_bias;
    const DML_OPERATOR_DESC *activation = &fused;
    DML_BUFFER_TENSOR_DESC buffers[4];
    DML_TENSOR_DESC tensors[4];
    struct fields fields = {.end = 0};
    struct value *output = NULL;
    uint32_t tensor = 0, input = 0, number = 0;
    for (const char *field = entry->fields; *field != '\0'; field++) {
        if (strchr("xbopc", *field) != NULL) {
            struct value *value = inputs[*field == 'x' || *field == 'b' ? input++ : 0];
            if (strchr("opc", *field) != NULL) {
                const DML_TENSOR_DATA_TYPE first =
                    inputs[strchr("bx", entry->fields[1]) != NULL && entry->fields[0] == 'b' && *field == 'o']->type;
                value = output = add_value(*field == 'p'   ? U8
                                           : *field == 'o' ? first
                                           : first == F16  ? F32
                                                           : F16,
                                           false, made.graph.desc.NodeCount, 0);
            }
            buffers[tensor] = (DML_BUFFER_TENSOR_DESC){.DataType = value->type,
                                                       .DimensionCount = 4,
                                                       .Sizes = made.sizes,
                                                       .Strides = value->strides,
                                                       .TotalTensorSizeInBytes = value->bytes};
            tensors[tensor] = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &buffers[tensor]};
            const DML_TENSOR_DESC *pointer = &tensors[tensor++];
            put(&fields, &pointer, sizeof pointer);
        } else if (*field == 's' || *field == 'S') {
            put(&fields, scales || *field == 'S' ? &scale : &no_scale, sizeof scale);
        } else if (*field == 'a') {
            put(&fields, &activation, sizeof activation);
        } else if (*field == 'n') {
            put(&fields, &entry->numbers[number++], sizeof(float));
        } else {
            const int mode = (int)entry->numbers[0];
            put(&fields, &mode, sizeof mode);
        }
    }
    const DML_OPERATOR_DESC desc = {entry->type, fields.bytes};
    VkdmlOperator op;
    if (vkdmlCreateOperator(device, &desc, &op) != VKDML_SUCCESS) {
        fail_msg("%s", vkdmlGetErrorMessage());
    }
    const uint32_t node = graph_operator(&made.graph, op, NULL);
    for (uint32_t i = 0; i < input; i++) {
        inputs[i]->is_read = true;
        if (inputs[i]->is_input) {
            graph_input(&made.graph, inputs[i]->index, node, i);
        } else {
            graph_join(&made.graph, inputs[i]->index, 0, node, i);
        }
    }
    return output;
}

static void set_output(const struct value *value) {
    const uint32_t output = made.graph.desc.OutputCount++;
    made.outputs[output] = (uint32_t)(value - made.values);
    graph_output(&made.graph, value->index, 0, output);
}

/* ---- data ---- */

/* Specials, in FLOAT32: quiet and signalling NaNs, infinities, zeros, denormals, numbers at ends of ranges. */
static const uint32_t specials[] = {0x7FC00000, 0xFFC12345, 0x7F812345, 0x7F800000, 0xFF800000, 0,          0x80000000,
                                    1,          0x80000001, 0x007FFFFF, 0x80400000, 0x7F7FFFFF, 0x00800000, 0x3F800000,
                                    0xBF000000, 0x42D00000, 0xC2D00000, 0x477FE000, 0x33800000, 0x38000000};
static const uint16_t half_specials[] = {0x7E00, 0xFE12, 0x7C12, 0x7C00, 0xFC00, 0,      0x8000, 1,     0x8001,
                                         0x03FF, 0x8200, 0x7BFF, 0x0400, 0x3C00, 0xB800, 0x4B00, 0xCB00};

static void fill_input(const struct value *value, uint32_t wild) {
    unsigned char *bytes = vulkan.bytes + (size_t)value->index * SLOT;
    for (uint32_t at = 0; at < SLOT; at += bits_of(value->type) / 8) {
        const bool is_wild = random_chance(&made.random, wild);
        if (value->type == U8) {
            bytes[at] = (unsigned char)random_below(&made.random, is_wild ? 256 : 2);
        } else if (value->type == F16) {
            const uint16_t number = (uint16_t)((13u + random_below(&made.random, 5)) << 10 |
                                               random_below(&made.random, 1024) | random_below(&made.random, 2) << 15);
            const uint16_t half = is_wild ? RANDOM_OF(&made.random, half_specials) : number;
            memcpy(bytes + at, &half, sizeof half);
        } else {
            const float number = ((float)random_below(&made.random, 1 << 16) - (1 << 15)) / 8192;
            uint32_t word;
            memcpy(&word, &number, sizeof word);
            word = is_wild ? RANDOM_OF(&made.random, specials) : word;
            memcpy(bytes + at, &word, sizeof word);
        }
    }
}

static void fill_inputs(uint32_t wild) {
    for (uint32_t v = 0; v < made.count; v++) {
        if (made.values[v].is_input) {
            fill_input(&made.values[v], wild);
        }
    }
}

/* ---- execution ---- */

struct compiled {
    VkdmlDispatchable dispatchable;
    VkdmlBindingTable table;
    VkDeviceSize temporary_bytes;
};

static struct compiled compile(VkdmlCompileFlags flags) {
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = flags};
    struct compiled compiled;
    VkdmlBindingProperties properties;
    VkdmlBufferBinding inputs[MOST_VALUES], outputs[MOST_VALUES];
    assert_int_equal(vkdmlCompileGraph(device, &made.graph.desc, &info, &compiled.dispatchable), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetBindingProperties(compiled.dispatchable, &properties), VKDML_SUCCESS);
    compiled.temporary_bytes = properties.temporaryResourceSize;
    compiled.table = create_table(device, compiled.dispatchable, VK_NULL_HANDLE);
    for (uint32_t v = 0; v < made.count; v++) {
        if (made.values[v].is_input) {
            const uint32_t i = made.values[v].index;
            inputs[i] = made.values[v].is_read ? range((VkDeviceSize)SLOT * i, made.values[v].bytes) : nothing;
        }
    }
    for (uint32_t i = 0; i < made.graph.desc.OutputCount; i++) {
        outputs[i] = range(OUTPUTS_AT + (VkDeviceSize)SLOT * i, made.values[made.outputs[i]].bytes);
    }
    assert_int_equal(vkdmlBindInputs(compiled.table, made.graph.desc.InputCount, inputs), VKDML_SUCCESS);
    assert_int_equal(vkdmlBindOutputs(compiled.table, made.graph.desc.OutputCount, outputs), VKDML_SUCCESS);
    if (compiled.temporary_bytes > 0) {
        const VkdmlBufferBinding temporary = other_range(0, compiled.temporary_bytes);
        assert_int_equal(vkdmlBindTemporaryResource(compiled.table, &temporary), VKDML_SUCCESS);
    }
    return compiled;
}

static void execute(const struct compiled *compiled) {
    memset(vulkan.bytes + OUTPUTS_AT, 0x55, (size_t)SLOT * made.graph.desc.OutputCount);
    memset(vulkan.other_bytes, 0xFF, (size_t)compiled->temporary_bytes);
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled->dispatchable, compiled->table),
                     VKDML_SUCCESS);
    vulkan_run(&vulkan);
}

static void destroy(struct compiled *compiled) {
    vkdmlDestroyBindingTable(compiled->table);
    vkdmlDestroyDispatchable(compiled->dispatchable);
}

/* Joined and node by node, on tame numbers, wild ones, and some of both; how much temporary memory there is. */
static VkDeviceSize agree(const char *what, uint64_t number) {
    static unsigned char expected[(size_t)SLOT * MOST_VALUES];
    struct compiled apart = compile(VKDML_COMPILE_FLAG_NODE_BY_NODE);
    struct compiled joined = compile(0);
    const size_t bytes = (size_t)SLOT * made.graph.desc.OutputCount;
    for (uint32_t wild = 0; wild <= 100; wild += wild == 0 ? 10 : 90) {
        fill_inputs(wild);
        execute(&apart);
        memcpy(expected, vulkan.bytes + OUTPUTS_AT, bytes);
        execute(&joined);
        for (size_t at = 0; at < bytes; at++) {
            if (vulkan.bytes[OUTPUTS_AT + at] != expected[at]) {
                const struct value *value = &made.values[made.outputs[at / SLOT]];
                fail_msg("%s %llu, %u %% wild: output %zu, type %d, differs at byte %zu", what,
                         (unsigned long long)number, (unsigned)wild, at / SLOT, (int)value->type, at % SLOT);
            }
        }
    }
    destroy(&apart);
    destroy(&joined);
    graph_end(&made.graph);
    return joined.temporary_bytes;
}

/* ---- tests ---- */

/* Behind a clip or a negation, and before a function: one dispatch, without temporary memory. */
static void test_entry(const struct entry *entry, DML_TENSOR_DATA_TYPE type, bool scales) {
    static const struct entry negate = {DML_OPERATOR_ELEMENT_WISE_NEGATE, "xo", {0}};
    static const struct entry not = {DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT, "bp", {0}};
    static const struct entry linear = {DML_OPERATOR_ACTIVATION_LINEAR, "xonn", {0.75f, 0.125f}};
    struct value *inputs[3];
    begin((uint64_t)(entry - entries), (const uint32_t[]){1, 2, 3, 37});
    for (uint32_t i = 0; strchr("xb", entry->fields[i]) != NULL; i++) {
        const bool is_float = entry->fields[i] == 'x';
        inputs[i] = add_input(is_float ? type : U8, 0);
        if (i == 0) {
            inputs[0] = add_node(is_float ? &negate : &not, inputs, false);
        }
    }
    struct value *output = add_node(entry, inputs, scales);
    set_output(add_node(output->type == U8 ? &not : &linear, &output, false));
    if (agree(vkdmlGetOperatorName(entry->type), (uint64_t)type) != 0) {
        fail_msg("%s is not joined", vkdmlGetOperatorName(entry->type));
    }
}

static void every_operator_is_joined(void **state) {
    (void)state;
    for (size_t e = 0; e < ENTRIES; e++) {
        test_entry(&entries[e], F32, false);
        test_entry(&entries[e], F16, false);
        if (strchr(entries[e].fields, 's') != NULL && e % 4 == 0) {
            test_entry(&entries[e], F32, true);
            test_entry(&entries[e], F16, true);
        }
    }
}

/* A value of a type that there is, rather a late one, or a new input. */
static struct value *choose(DML_TENSOR_DATA_TYPE type) {
    for (uint32_t tries = 0; tries < 3; tries++) {
        const uint32_t back = random_below(&made.random, 5);
        if (back < made.count && made.values[made.count - 1 - back].type == type) {
            return &made.values[made.count - 1 - back];
        }
    }
    return add_input(type, random_chance(&made.random, 40) ? random_below(&made.random, 16) : 0);
}

static void random_graph(uint64_t seed) {
    static const uint32_t sizes[][4] = {{1, 1, 1, 64}, {1, 2, 3, 37}, {2, 3, 5, 8}, {1, 1, 1, 3}, {3, 1, 4, 16}};
    begin(seed * UINT64_C(0x9E3779B97F4A7C15), sizes[seed % 5]);
    const DML_TENSOR_DATA_TYPE type = seed % 2 == 0 ? F32 : F16;
    const uint32_t nodes = random_between(&made.random, 2, 15);
    for (uint32_t n = 0; n < nodes && made.count < MOST_VALUES - 4; n++) {
        const struct entry *entry = &RANDOM_OF(&made.random, entries);
        struct value *inputs[3];
        for (uint32_t i = 0; strchr("xb", entry->fields[i]) != NULL; i++) {
            inputs[i] = choose(entry->fields[i] == 'x' ? type : U8);
        }
        add_node(entry, inputs, random_chance(&made.random, 15));
    }
    for (uint32_t v = 0; v < made.count; v++) {
        if (!made.values[v].is_input && (!made.values[v].is_read || random_chance(&made.random, 5))) {
            set_output(&made.values[v]);
        }
    }
    agree("seed", seed);
}

static void random_graphs_agree(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        random_graph(seed);
    }
}

static const struct vkdml_plan_limits few_buffers = {.max_storage_buffer_range = 1 << 27,
                                                     .min_storage_buffer_offset_alignment = 256,
                                                     .max_workgroup_count = {65535, 65535, 65535},
                                                     .max_workgroup_size = {128, 128, 64},
                                                     .max_workgroup_invocations = 128,
                                                     .max_shared_memory_bytes = 16384,
                                                     .max_storage_buffers = 4,
                                                     .variant = VKDML_KERNEL_VARIANT_PORTABLE};

/* The steps of a sum of so many inputs, one after the other, as a graph of theirs on a device of limits. */
static uint32_t count_steps(uint32_t inputs, const struct vkdml_plan_limits *limits, uint32_t *most_buffers) {
    struct vkdml_report report;
    struct vkdml_graph *graph;
    struct vkdml_plan plan;
    struct value *sum[2];
    begin(0, (const uint32_t[]){1, 1, 4, 128});
    sum[0] = add_input(F32, 0);
    for (uint32_t i = 1; i < inputs; i++) {
        sum[1] = add_input(F32, 0);
        sum[0] = add_node(&entries[2], sum, false);
    }
    set_output(sum[0]);
    vkdml_report_clear(&report);
    vkdml_plan_begin(&plan, NULL);
    assert_int_equal(vkdml_read_graph(device, &made.graph.desc, NULL, &report, &graph), VKDML_SUCCESS);
    assert_int_equal(vkdml_graph_fuse(graph, DML_FEATURE_LEVEL_6_4, limits, &report), VKDML_SUCCESS);
    assert_int_equal(vkdml_graph_plan(graph, limits, 0, &report, &plan), VKDML_SUCCESS);
    const uint32_t count = plan.steps.count;
    *most_buffers = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t buffers = plan.steps.items[i].buffer_count;
        *most_buffers = buffers > *most_buffers ? buffers : *most_buffers;
    }
    vkdml_plan_end(&plan);
    vkdml_graph_destroy(graph);
    graph_end(&made.graph);
    return count;
}

static void limits_are_kept(void **state) {
    (void)state;
    struct vkdml_plan_limits limits = few_buffers;
    uint32_t most;
    assert_int_equal(count_steps(9, &limits, &most), 4); /* two sums each */
    assert_int_equal(most, 4);
    limits.max_storage_buffers = 8;
    assert_int_equal(count_steps(9, &limits, &most), 2); /* four */
    assert_int_equal(most, 6);
    limits.max_storage_buffer_range = 1024;
    assert_in_range(count_steps(3, &limits, &most), 2, 8); /* windows */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_operator_is_joined, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(limits_are_kept, begin_with_device, end_with_device),
        cmocka_unit_test_setup_teardown(random_graphs_agree, begin_with_device, end_with_device),
    };
    return cmocka_run_group_tests_name("graph_chains", tests, set_up_vulkan, tear_down_vulkan);
}
