/* Graphs, attributes and functions of ONNX files as they are read, and what is refused of them. */
#include "reading.h"

static uint32_t find_value(const struct onnx_graph *graph, const char *name) {
    for (uint32_t i = 0; i < graph->value_count; i++) {
        if (strcmp(graph->values[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("no value %s", name);
    return ONNX_NONE;
}

static void expect_order(const struct onnx_graph *graph, const char *operators) {
    char text[256] = "";
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", i != 0 ? " " : "", graph->nodes[i].op);
    }
    assert_string_equal(text, operators);
}

/* ---- graphs ---- */

static void a_graph_is_read(void **state) {
    struct proto bytes = model_of(make_graph());
    struct onnx_model model;
    (void)state;
    expect_read(bytes, NULL, &model);
    const struct onnx_graph *graph = &model.graph;
    assert_int_equal(model.ir_version, 8);
    assert_string_equal(model.producer, "a test");
    assert_int_equal(model.opset_count, 1);
    assert_string_equal(graph->name, "net");
    expect_order(graph, "Clip Relu If Add");
    assert_int_equal(graph->input_count, 2);
    assert_int_equal(graph->output_count, 2);
    assert_int_equal(graph->optional_count, 1);
    assert_string_equal(graph->values[graph->inputs[2]].name, "s");

    const struct onnx_value *x = &graph->values[graph->inputs[0]], *s = &graph->values[find_value(graph, "s")];
    assert_string_equal(x->name, "x");
    assert_int_equal(x->type, ONNX_FLOAT);
    assert_true(x->has_shape);
    assert_int_equal(x->rank, 3);
    assert_string_equal(x->symbols[0], "N");
    assert_null(x->symbols[1]);
    assert_null(x->symbols[2]);
    assert_int_equal(x->sizes[0], -1);
    assert_int_equal(x->sizes[1], 2);
    assert_int_equal(x->sizes[2], -1);
    assert_string_equal(graph->values[graph->inputs[1]].name, "flag");
    assert_int_equal(s->type, ONNX_FLOAT); /* the initializer's, whatever the input says */
    assert_int_equal(s->rank, 0);
    assert_non_null(s->constant);
    assert_true(*(const float *)s->constant->data == 1.5f);
    assert_int_equal(graph->values[find_value(graph, "w")].constant->bytes, 24);
    assert_int_equal(graph->values[find_value(graph, "z")].sizes[0], -1);
    assert_string_equal(graph->values[find_value(graph, "t")].symbols[0], "M");

    const struct onnx_node *clip = &graph->nodes[0], *branch = &graph->nodes[2];
    assert_int_equal(clip->version, 17);
    assert_int_equal(clip->input_count, 3);
    assert_int_equal(clip->inputs[1], ONNX_NONE);
    assert_int_equal(clip->inputs[2], find_value(graph, "s"));
    const struct onnx_graph *body = branch->attributes[0].graph;
    expect_order(body, "Neg");
    assert_int_equal(body->values[body->nodes[0].inputs[0]].outer, find_value(graph, "y"));
    assert_int_equal(body->values[body->outputs[0]].outer, ONNX_NONE);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static struct proto of_nodes(uint32_t count, struct proto *nodes) {
    struct proto graph = {NULL, 0};
    for (uint32_t i = 0; i < count; i++) {
        proto_message(&graph, 1, nodes[i]);
    }
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "2"));
    proto_message(&graph, 5, model_tensor("w", 0, NULL));
    return model_of(graph);
}

#define NODES(...) of_nodes(sizeof((struct proto[]){__VA_ARGS__}) / sizeof(struct proto), (struct proto[]){__VA_ARGS__})

static void graphs_that_are_none_are_refused(void **state) {
    struct proto graph = {NULL, 0};
    (void)state;
    expect_refused(NODES(model_node("Add", "x b", "a"), model_node("Neg", "a", "b")), "depends on itself");
    expect_refused(NODES(model_node("Neg", "a", "a")), "(Neg) depends on itself");
    expect_refused(NODES(model_node("Neg", "nil", "a")), "node \"a\" (Neg): value \"nil\" is read, but nothing makes");
    expect_refused(NODES(model_node("Neg", "x", "a"), model_node("Abs", "x", "a")),
                   "node \"a\" (Abs): value \"a\" is made more than once");
    expect_refused(NODES(model_node("Neg", "x", "a a")), "value \"a\" is made more than once");
    expect_refused(NODES(model_node("Neg", "x", "x")), "value \"x\" is made more than once");
    expect_refused(NODES(model_node("Neg", "x", "w")), "value \"w\" is made more than once");
    expect_refused(NODES(model_node("", "x", "a")), "it has no operator");
    expect_refused(NODES(model_call("far", "Neg", "x", "a")), "no operator set is imported for domain \"far\"");
    expect_refused((struct proto){NULL, 0}, "it is empty");
    proto_message(&graph, 12, model_value("x", ONNX_FLOAT, "2"));
    expect_refused(model_of(graph), "value \"x\" is read, but nothing makes it");
    graph = (struct proto){NULL, 0};
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "1 1 1 1 1 1 1 1 1"));
    expect_refused(model_of(graph), "value \"x\" has more than 8 dimensions");
    graph = (struct proto){NULL, 0};
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "3 -2"));
    expect_refused(model_of(graph), "value \"x\": dimension 1 is -2");
    graph = (struct proto){NULL, 0};
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, ""));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, ""));
    expect_refused(model_of(graph), "value \"x\" is made more than once");
    graph = (struct proto){NULL, 0};
    proto_bytes(&graph, 15, "", 0);
    expect_refused(model_of(graph), "sparse initializers");
    graph = (struct proto){NULL, 0};
    proto_message(&graph, 1, model_node("Neg", "", "a"));
    proto_bytes(&graph, 2, "a\0b", 3);
    expect_refused(model_of(graph), "a name has a zero in it");
    graph = (struct proto){NULL, 0};
    proto_text(&graph, 2, "no graph");
    expect_refused(graph, "it has no graph");
}

static void later_operator_sets_are_refused(void **state) {
    struct onnx_model model;
    (void)state;
    for (int64_t version = 28; version < 30; version++) {
        struct proto bytes = {NULL, 0}, graph = {NULL, 0};
        proto_int(&bytes, 1, 8);
        proto_text(&graph, 2, "net");
        proto_message(&bytes, 7, graph);
        proto_message(&bytes, 8, model_opset("local", 99));
        proto_message(&bytes, 8, model_opset("ai.onnx", version));
        if (version == 28) {
            expect_read(bytes, NULL, &model);
            onnx_arena_free(&model.arena);
            proto_free(&bytes);
        } else {
            expect_refused(bytes, "operator set 29 of ai.onnx is not supported: 28 is the newest that is known");
        }
    }
}

/* The fields of TypeProto. */
static void inputs_that_are_no_tensors_have_their_kind(void **state) {
    static const struct {
        uint32_t field;
        enum onnx_kind kind;
    } cases[] = {{4, ONNX_KIND_SEQUENCE},
                 {5, ONNX_KIND_MAP},
                 {7, ONNX_KIND_OPAQUE},
                 {8, ONNX_KIND_SPARSE_TENSOR},
                 {9, ONNX_KIND_OPTIONAL}};
    (void)state;
    for (size_t i = 0; i < ENTRIES(cases); i++) {
        struct proto graph = {NULL, 0}, value = {NULL, 0}, type = {NULL, 0}, inner = {NULL, 0};
        struct onnx_model model;
        proto_message(&type, cases[i].field, inner);
        proto_text(&value, 1, "x");
        proto_message(&value, 2, type);
        proto_message(&graph, 11, value);
        struct proto bytes = model_of(graph);
        expect_read(bytes, NULL, &model);
        assert_int_equal(model.graph.values[model.graph.inputs[0]].kind, cases[i].kind);
        assert_int_equal(model.graph.values[model.graph.inputs[0]].type, ONNX_UNDEFINED);
        onnx_arena_free(&model.arena);
        proto_free(&bytes);
    }
}

static void a_model_of_before_operator_sets_has_the_first(void **state) {
    struct proto graph = {NULL, 0}, model = {NULL, 0};
    struct onnx_model read;
    (void)state;
    proto_message(&graph, 1, model_call("ai.onnx", "Neg", "x", "y"));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, ""));
    proto_int(&model, 1, 2);
    proto_message(&model, 7, graph);
    expect_read(model, NULL, &read);
    assert_int_equal(read.graph.nodes[0].version, 1);
    assert_string_equal(read.graph.nodes[0].domain, "");
    onnx_arena_free(&read.arena);
    proto_free(&model);
}

static void many_nodes_are_sorted_without_a_stack(void **state) {
    enum { COUNT = 100000 };
    struct proto graph = {NULL, 0};
    struct onnx_model model;
    (void)state;
    for (int i = COUNT; i-- > 0;) {
        char from[16], to[16];
        snprintf(from, sizeof from, "v%d", i);
        snprintf(to, sizeof to, "v%d", i + 1);
        proto_message(&graph, 1, model_node("Neg", from, to));
    }
    proto_message(&graph, 11, model_value("v0", ONNX_FLOAT, ""));
    struct proto bytes = model_of(graph);
    expect_read(bytes, NULL, &model);
    assert_int_equal(model.graph.node_count, COUNT);
    assert_string_equal(model.graph.values[model.graph.nodes[0].inputs[0]].name, "v0");
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static struct proto nested(int depth) {
    struct proto graph = {NULL, 0};
    if (depth == 0) {
        proto_message(&graph, 1, model_node("Neg", "x", "n"));
        return graph;
    }
    struct proto attribute = {NULL, 0}, node = model_node("Loop", "", "");
    proto_message(&attribute, 6, nested(depth - 1));
    proto_message(&node, 5, attribute);
    proto_message(&graph, 1, node);
    return graph;
}

static void bodies_read_through_those_around_them(void **state) {
    struct proto outer = nested(3);
    struct onnx_model model;
    (void)state;
    proto_message(&outer, 11, model_value("x", ONNX_FLOAT, "5"));
    struct proto bytes = model_of(outer);
    expect_read(bytes, NULL, &model);
    const struct onnx_graph *graph = &model.graph;
    for (int i = 0; i < 3; i++) {
        const struct onnx_graph *body = graph->nodes[0].attributes[0].graph;
        const struct onnx_value *x = &body->values[find_value(body, "x")];
        assert_int_equal(x->outer, find_value(graph, "x"));
        assert_int_equal(x->sizes[0], 5);
        graph = body;
    }
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
    expect_refused(model_of(nested(1000)), "bodies are more than 64 deep");
}

/* ---- attributes ---- */

static struct proto make_attributes(bool says_kind) {
    struct proto node = model_node("Neg", "x", "y"), a[8];
    const float numbers[] = {0.5f, -2.0f};
    for (int i = 0; i < 8; i++) {
        a[i] = attribute_of((const char[]){(char)('a' + i), 0}, says_kind ? i + 1 : 0);
    }
    proto_fixed32(&a[0], 2, &numbers[0]);
    proto_int(&a[1], 3, -5);
    proto_text(&a[2], 4, "text");
    proto_message(&a[3], 5, model_tensor("", 1, (const int64_t[]){2}));
    proto_message(&a[4], 6, nested(0));
    proto_bytes(&a[5], 7, numbers, sizeof numbers);
    proto_int(&a[6], 8, INT64_MIN);
    proto_int(&a[6], 8, 3);
    proto_text(&a[7], 9, "one");
    proto_text(&a[7], 9, "");
    for (int i = 0; i < 8; i++) {
        proto_message(&node, 5, a[i]);
    }
    return NODES(node);
}

static void attributes_of_all_kinds_are_read(void **state) {
    (void)state;
    for (int says_kind = 0; says_kind < 2; says_kind++) {
        struct proto bytes = make_attributes(says_kind);
        struct onnx_model model;
        expect_read(bytes, NULL, &model);
        const struct onnx_attribute *a = model.graph.nodes[0].attributes;
        assert_int_equal(model.graph.nodes[0].attribute_count, 8);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(a[i].kind, i + 1);
            assert_int_equal(a[i].name[0], 'a' + i);
            assert_int_equal(a[i].count, i < 5 ? 1 : 2);
        }
        assert_true(a[0].floats[0] == 0.5f);
        assert_int_equal(a[1].ints[0], -5);
        assert_string_equal(a[2].strings[0], "text");
        assert_int_equal(a[3].tensor.bytes, 8);
        expect_order(a[4].graph, "Neg");
        assert_true(a[5].floats[0] == 0.5f && a[5].floats[1] == -2.0f);
        assert_int_equal(a[6].ints[0], INT64_MIN);
        assert_int_equal(a[6].ints[1], 3);
        assert_string_equal(a[7].strings[0], "one");
        assert_string_equal(a[7].strings[1], "");
        onnx_arena_free(&model.arena);
        proto_free(&bytes);
    }
}

static void other_attributes_are_refused(void **state) {
    static const struct {
        int64_t kind;
        const char *reason;
    } cases[] = {{0, "attribute \"k\" is of kind 0"},    {4, "attribute \"k\" lacks its tensor"},
                 {5, "attribute \"k\" lacks its graph"}, {9, "attribute \"k\" is of kind 9"},
                 {11, "attribute \"k\" is of kind 11"},  {-1, "attribute \"k\" is of kind -1"}};
    (void)state;
    for (size_t i = 0; i < ENTRIES(cases); i++) {
        struct proto node = model_node("Neg", "x", "y");
        proto_message(&node, 5, attribute_of("k", cases[i].kind));
        expect_refused(NODES(node), cases[i].reason);
    }
    struct proto node = model_node("Neg", "x", "y"), reference = attribute_of("k", 1);
    proto_text(&reference, 21, "alpha");
    proto_message(&node, 5, reference);
    expect_refused(NODES(node), "refers to \"alpha\", but is in no function");
}

/* ---- functions ---- */

static void calls_become_their_nodes(void **state) {
    struct proto f = function_of("f", "a b", "p q a"), graph = {NULL, 0}, bytes;
    struct onnx_model model;
    (void)state;
    f = with_float(f, 11, "alpha", 0.25f);
    proto_message(&f, 7, with_reference(model_node("Elu", "t", "p"), "alpha", "beta"));
    proto_message(&f, 7, with_reference(model_node("Selu", "a", "t"), "alpha", "alpha"));
    proto_message(&f, 7, with_reference(model_node("Clip", "t b", "q"), "none", "gamma"));
    proto_message(&graph, 1, model_node("Neg", "same", "z"));
    proto_message(&graph, 1, with_float(model_call("local", "f", "x", "y - same"), 5, "beta", 4.0f));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, ""));
    bytes = model_of(graph);
    proto_message(&bytes, 25, f);
    expect_read(bytes, NULL, &model);
    expect_order(&model.graph, "Identity Neg Selu Elu Clip");
    const struct onnx_node *nodes = model.graph.nodes;
    const uint32_t x = find_value(&model.graph, "x"), y = find_value(&model.graph, "y");
    assert_int_equal(nodes[0].inputs[0], x);
    assert_int_equal(nodes[0].outputs[0], find_value(&model.graph, "same"));
    assert_int_equal(nodes[0].version, 16);
    assert_int_equal(nodes[1].version, 17);
    assert_int_equal(nodes[2].inputs[0], x);
    assert_true(nodes[2].attributes[0].floats[0] == 0.25f);
    assert_string_equal(nodes[3].attributes[0].name, "alpha");
    assert_true(nodes[3].attributes[0].floats[0] == 4.0f);
    assert_int_equal(nodes[3].inputs[0], nodes[2].outputs[0]);
    assert_int_equal(nodes[3].outputs[0], y);
    assert_int_equal(nodes[4].attribute_count, 0);
    assert_int_equal(nodes[4].inputs[1], ONNX_NONE);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static struct proto calling(struct proto function) {
    struct proto bytes = NODES(model_call("local", "f", "x", "y"));
    proto_message(&bytes, 25, function);
    return bytes;
}

static void calls_that_cannot_be_are_refused(void **state) {
    struct proto f = function_of("f", "a", "p");
    (void)state;
    expect_refused(calling(f), "node \"y\" (f): the function does not make its output \"p\"");
    f = function_of("f", "", "p");
    expect_refused(calling(f), "node \"y\" (f): 1 inputs, the function has 0");
    f = function_of("f", "a", "");
    expect_refused(calling(f), "node \"y\" (f): 1 outputs, the function has 0");
    f = function_of("f", "a a", "p");
    expect_refused(calling(f), "input \"a\" of a function is there twice");
    f = function_of("f", "a", "p");
    proto_message(&f, 7, model_node("Neg", "x", "p"));
    expect_refused(calling(f), "node \"p\" (Neg): value \"x\" is read, but nothing makes it");
    f = function_of("f", "a", "p");
    proto_message(&f, 7, model_call("local", "f", "a", "p"));
    expect_refused(calling(f), "more than 64 deep, or call themselves");
    f = function_of("f", "a", "p");
    struct proto bytes = calling(f);
    proto_message(&bytes, 25, function_of("f", "", ""));
    expect_refused(bytes, "function \"f\" is there twice");
}

/* 2^40 nodes of some hundred bytes. */
static void calls_of_calls_do_not_fill_memory(void **state) {
    struct proto bytes = NODES(model_call("local", "f0", "x", "y"));
    (void)state;
    for (int i = 0; i < 40; i++) {
        char name[8], called[8];
        snprintf(name, sizeof name, "f%d", i);
        snprintf(called, sizeof called, "f%d", i + 1);
        struct proto function = function_of(name, "a", "p");
        proto_message(&function, 7, model_call("local", called, "a", "t"));
        proto_message(&function, 7, model_call("local", called, "t", "p"));
        proto_message(&bytes, 25, function);
    }
    struct proto last = function_of("f40", "a", "p");
    proto_message(&last, 7, model_node("Neg", "a", "p"));
    proto_message(&bytes, 25, last);
    expect_refused(bytes, "expand to more than 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_is_read),
        cmocka_unit_test(graphs_that_are_none_are_refused),
        cmocka_unit_test(later_operator_sets_are_refused),
        cmocka_unit_test(inputs_that_are_no_tensors_have_their_kind),
        cmocka_unit_test(a_model_of_before_operator_sets_has_the_first),
        cmocka_unit_test(many_nodes_are_sorted_without_a_stack),
        cmocka_unit_test(bodies_read_through_those_around_them),
        cmocka_unit_test(attributes_of_all_kinds_are_read),
        cmocka_unit_test(other_attributes_are_refused),
        cmocka_unit_test(calls_become_their_nodes),
        cmocka_unit_test(calls_that_cannot_be_are_refused),
        cmocka_unit_test(calls_of_calls_do_not_fill_memory),
    };
    return cmocka_run_group_tests_name("onnx_file", tests, NULL, NULL);
}
