/* ONNX files as they are read, and what is refused of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "models.h"
#include "onnx/file.h"

#define ENTRIES(array) (sizeof(array) / sizeof((array)[0]))

/* ---- what is asked of a model ---- */

static void expect_read(struct proto bytes, const char *folder, struct onnx_model *model) {
    struct onnx_error error;
    if (!onnx_read_model(bytes.bytes, bytes.length, folder, model, &error)) {
        fail_msg("refused: %s", error.text);
    }
}

/* The reason has to have a text in it. */
static void expect_refused_in(struct proto bytes, const char *folder, const char *reason) {
    struct onnx_model model;
    struct onnx_error error;
    if (onnx_read_model(bytes.bytes, bytes.length, folder, &model, &error)) {
        fail_msg("read, must be refused: %s", reason);
    }
    if (strstr(error.text, reason) == NULL) {
        fail_msg("refused: %s\nmust be: %s", error.text, reason);
    }
    assert_null(model.arena.first);
    proto_free(&bytes);
}

static void expect_refused(struct proto bytes, const char *reason) {
    expect_refused_in(bytes, NULL, reason);
}

static void expect_tensor_refused(struct proto tensor, const char *reason) {
    struct proto graph = {NULL, 0};
    proto_message(&graph, 5, tensor);
    expect_refused(model_of(graph), reason);
}

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

/* ---- tensors ---- */

struct kind {
    enum onnx_type type;
    uint32_t field; /* of typed data */
    size_t element; /* bytes of a number there */
    size_t numbers; /* for three elements */
};

static const struct kind kinds[] = {{ONNX_FLOAT, 4, 4, 3},     {ONNX_UINT8, 5, 1, 3},       {ONNX_INT8, 5, 1, 3},
                                    {ONNX_UINT16, 5, 2, 3},    {ONNX_INT16, 5, 2, 3},       {ONNX_INT32, 5, 4, 3},
                                    {ONNX_INT64, 7, 8, 3},     {ONNX_BOOL, 5, 1, 3},        {ONNX_FLOAT16, 5, 2, 3},
                                    {ONNX_DOUBLE, 10, 8, 3},   {ONNX_UINT32, 11, 4, 3},     {ONNX_UINT64, 11, 8, 3},
                                    {ONNX_COMPLEX64, 4, 4, 6}, {ONNX_COMPLEX128, 10, 8, 6}, {ONNX_BFLOAT16, 5, 2, 3},
                                    {ONNX_UINT4, 5, 1, 2},     {ONNX_INT4, 5, 1, 2}};

/* Elements of many bits; bools are 1 0 1. */
static void make_elements(const struct kind *kind, unsigned char *elements) {
    for (size_t i = 0; i < kind->element * kind->numbers; i++) {
        elements[i] = kind->type == ONNX_BOOL ? i != 1 : (unsigned char)(251 - 37 * i);
    }
}

static void put_number(struct proto *proto, const struct kind *kind, const unsigned char *element) {
    int64_t number = 0;
    memcpy(&number, element, kind->element);
    if (kind->type == ONNX_INT8) {
        number = (int8_t)number;
    } else if (kind->type == ONNX_INT16) {
        number = (int16_t)number;
    } else if (kind->type == ONNX_INT32) {
        number = (int32_t)number; /* ten bytes, where it is below zero */
    }
    proto_varint(proto, (uint64_t)number);
}

enum form { RAW, PACKED, ONE_BY_ONE, FORMS };

static struct proto make_tensor(const struct kind *kind, enum form form, const unsigned char *elements) {
    struct proto tensor = {NULL, 0}, list = {NULL, 0};
    proto_int(&tensor, 1, 3);
    proto_int(&tensor, 2, (int64_t)kind->type);
    proto_text(&tensor, 8, "t");
    for (size_t i = 0; i < kind->numbers; i++) {
        const unsigned char *element = elements + i * kind->element;
        if (form == RAW || kind->field == 4 || kind->field == 10) {
            proto_append(&list, element, kind->element);
        } else {
            put_number(&list, kind, element);
        }
        if (form == ONE_BY_ONE) {
            proto_varint(&tensor, kind->field << 3 | (kind->field == 4 ? 5u : kind->field == 10 ? 1u : 0u));
            proto_append(&tensor, list.bytes, list.length);
            list.length = 0;
        }
    }
    if (form != ONE_BY_ONE) {
        proto_bytes(&tensor, form == RAW ? 9 : kind->field, list.bytes, list.length);
    }
    proto_free(&list);
    return tensor;
}

static void expect_elements(struct proto bytes, size_t shift, const struct kind *kind, const unsigned char *elements) {
    struct onnx_arena arena = {NULL};
    struct onnx_data tensor;
    struct onnx_error error;
    const char *name;
    unsigned char *moved = malloc(bytes.length + shift);
    memcpy(moved + shift, bytes.bytes, bytes.length);
    if (!onnx_read_tensor(moved + shift, bytes.length, &arena, &tensor, &name, &error)) {
        fail_msg("%s: %s", onnx_type_name(kind->type), error.text);
    }
    assert_string_equal(name, "t");
    assert_int_equal(tensor.type, kind->type);
    assert_int_equal(tensor.rank, 1);
    assert_int_equal(tensor.sizes[0], 3);
    assert_int_equal(tensor.bytes, kind->element * kind->numbers);
    assert_int_equal(onnx_bytes_of(kind->type, 3), tensor.bytes);
    assert_memory_equal(tensor.data, elements, tensor.bytes);
    assert_int_equal((uintptr_t)tensor.data % kind->element, 0);
    onnx_arena_free(&arena);
    free(moved);
}

static void every_type_is_read_in_every_form_wherever_it_lies(void **state) {
    (void)state;
    for (size_t i = 0; i < ENTRIES(kinds); i++) {
        unsigned char elements[48];
        make_elements(&kinds[i], elements);
        for (int form = RAW; form < FORMS; form++) {
            struct proto tensor = make_tensor(&kinds[i], (enum form)form, elements);
            for (size_t shift = 0; shift < 8; shift++) {
                expect_elements(tensor, shift, &kinds[i], elements);
            }
            proto_free(&tensor);
        }
    }
}

static void bools_become_0_and_1(void **state) {
    const struct kind *kind = &kinds[7];
    (void)state;
    for (int form = RAW; form < FORMS; form++) {
        struct proto tensor = make_tensor(kind, (enum form)form, (const unsigned char[]){2, 0, 255});
        expect_elements(tensor, 0, kind, (const unsigned char[]){1, 0, 1});
        proto_free(&tensor);
    }
}

static struct proto sized(uint32_t rank, const int64_t *sizes, int64_t type, size_t raw) {
    static const unsigned char zeros[64] = {0};
    struct proto tensor = {NULL, 0};
    for (uint32_t i = 0; i < rank; i++) {
        proto_int(&tensor, 1, sizes[i]);
    }
    proto_int(&tensor, 2, type);
    proto_text(&tensor, 8, "w");
    proto_bytes(&tensor, 9, zeros, raw);
    return tensor;
}

#define SIZED(type, raw, ...)                                                                                          \
    sized(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__}, type, raw)

static void tensors_that_are_not_what_they_say_are_refused(void **state) {
    const int64_t half = INT64_C(1) << 31;
    (void)state;
    expect_tensor_refused(SIZED(1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1), "tensor \"w\" has 9 dimensions");
    expect_tensor_refused(SIZED(1, 4, -1), "tensor \"w\": dimension 0 is -1");
    expect_tensor_refused(SIZED(1, 4, 1, 2 * half), "tensor \"w\": dimension 1 is 4294967296");
    expect_tensor_refused(SIZED(2, 0, half, half, 4), "tensor \"w\" has more than 2^64 - 1 elements");
    expect_tensor_refused(SIZED(1, 0, half, half, 2), "tensor \"w\" has more bytes than memory can have");
    expect_tensor_refused(SIZED(1, 11, 3), "tensor \"w\" has 11 bytes of data, its shape takes 12");
    expect_tensor_refused(SIZED(1, 13, 3), "tensor \"w\" has 13 bytes of data, its shape takes 12");
    expect_tensor_refused(SIZED(22, 3, 3), "tensor \"w\" has 3 bytes of data, its shape takes 2");
    expect_tensor_refused(SIZED(1, 4, 0), "tensor \"w\" has 4 bytes of data, its shape takes 0");
    expect_tensor_refused(SIZED(17, 3, 3), "tensor \"w\" is of FLOAT8E4M3FN, which is not supported");
    expect_tensor_refused(SIZED(99, 3, 3), "tensor \"w\" is of type 99, which is not supported");
    expect_tensor_refused(SIZED(-1, 3, 3), "tensor \"w\" is of UNDEFINED");
    expect_tensor_refused(SIZED(8, 3, 3), "tensor \"w\" has 0 texts, its shape takes 3");
    struct proto typed = {NULL, 0};
    proto_int(&typed, 1, 2);
    proto_int(&typed, 2, ONNX_INT32);
    proto_int(&typed, 5, 7);
    expect_tensor_refused(typed, "tensor \"\" has 1 numbers of data, its shape takes 2");
    struct proto wrong = {NULL, 0};
    proto_int(&wrong, 1, 1);
    proto_int(&wrong, 2, ONNX_INT32);
    proto_fixed32(&wrong, 5, "....");
    expect_tensor_refused(wrong, "kind that is not its number's");
    struct proto segment = SIZED(1, 4, 1);
    proto_text(&segment, 3, "");
    expect_tensor_refused(segment, "tensor \"w\" is one segment");
    expect_tensor_refused(model_tensor("", 0, NULL), "an initializer has no name");
}

static void names_of_types_are_onnx_s(void **state) {
    (void)state;
    assert_string_equal(onnx_type_name(ONNX_BFLOAT16), "BFLOAT16");
    assert_string_equal(onnx_type_name(ONNX_INT4), "INT4");
    assert_string_equal(onnx_type_name((enum onnx_type)99), "type 99");
    assert_int_equal(onnx_bytes_of(ONNX_STRING, 4), 0);
    assert_int_equal(onnx_bytes_of((enum onnx_type)99, 4), 0);
    assert_int_equal(onnx_bytes_of(ONNX_DOUBLE, UINT64_MAX / 2), SIZE_MAX);
    assert_int_equal(onnx_bytes_of(ONNX_UINT4, UINT64_MAX), UINT64_C(1) << 63);
}

/* ---- graphs ---- */

/* Two nodes, one behind its reader, a weight, a scalar that is an input too, and a body. */
static struct proto make_graph(void) {
    struct proto graph = {NULL, 0}, attribute = {NULL, 0}, body = {NULL, 0};
    proto_text(&graph, 2, "net");
    struct proto condition = model_node("If", "flag", "z");
    proto_message(&body, 1, model_node("Neg", "y", "n"));
    proto_message(&body, 12, model_value("n", ONNX_FLOAT, "2"));
    proto_text(&attribute, 1, "then_branch");
    proto_message(&attribute, 6, body);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_GRAPH);
    proto_message(&condition, 5, attribute);
    proto_message(&graph, 1, condition);
    proto_message(&graph, 1, model_node("Relu", "t", "y"));
    proto_message(&graph, 1, model_node("Clip", "x - s", "t"));
    proto_message(&graph, 1, model_node("Add", "w x", "u"));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "N 2 ?"));
    proto_message(&graph, 11, model_value("s", ONNX_FLOAT16, "7"));
    proto_message(&graph, 11, model_value("flag", ONNX_BOOL, ""));
    proto_message(&graph, 5, model_tensor("w", 2, (const int64_t[]){2, 3}));
    proto_message(&graph, 5, model_tensor("s", 0, NULL));
    proto_message(&graph, 12, model_value("z", ONNX_FLOAT, "-1 4"));
    proto_message(&graph, 12, model_value("u", ONNX_UNDEFINED, ""));
    proto_message(&graph, 13, model_value("t", ONNX_FLOAT, "M"));
    proto_message(&graph, 13, model_value("nowhere", ONNX_FLOAT, "M"));
    return graph;
}

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

static struct proto attribute_of(const char *name, int64_t kind) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    if (kind != 0) {
        proto_int(&attribute, 20, kind);
    }
    return attribute;
}

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

static struct proto function_of(const char *name, const char *inputs, const char *outputs) {
    struct proto function = {NULL, 0};
    proto_text(&function, 1, name);
    model_names(&function, 4, inputs);
    model_names(&function, 5, outputs);
    proto_message(&function, 9, model_opset("", 16));
    proto_text(&function, 10, "local");
    return function;
}

static struct proto with_reference(struct proto node, const char *name, const char *reference) {
    struct proto attribute = attribute_of(name, ONNX_ATTRIBUTE_FLOAT);
    proto_text(&attribute, 21, reference);
    proto_message(&node, 5, attribute);
    return node;
}

static struct proto with_float(struct proto node, uint32_t field, const char *name, float number) {
    struct proto attribute = attribute_of(name, ONNX_ATTRIBUTE_FLOAT);
    proto_fixed32(&attribute, 2, &number);
    proto_message(&node, field, attribute);
    return node;
}

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
    expect_refused(bytes, "calls of functions make too large a graph");
}

/* ---- external data ---- */

static char folder[] = "/tmp/vkdml-onnx-XXXXXX";

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* A folder in a folder, and a secret beside it. */
static int make_folder(void **state) {
    char target[256];
    (void)state;
    if (mkdtemp(folder) == NULL || mkdir(path_of("model"), 0700) != 0 || mkdir(path_of("model/sub"), 0700) != 0 ||
        mkfifo(path_of("model/pipe"), 0600) != 0) {
        return -1;
    }
    write_file("secret", "0123456789abcdef", 16);
    write_file("model/data", "0123456789abcdef", 16);
    write_file("model/sub/data", "0123456789abcdef", 16);
    write_file("model/..data", "0123456789abcdef", 16);
    snprintf(target, sizeof target, "%s", path_of("secret"));
    return symlink(target, path_of("model/out")) | symlink("../secret", path_of("model/up")) |
           symlink("..", path_of("model/parent")) | symlink("sub/data", path_of("model/in")) |
           symlink("loop", path_of("model/loop"));
}

static int remove_folder(void **state) {
    static const char *const names[] = {
        "secret",   "model/data", "model/sub/data", "model/..data", "model/out", "model/up", "model/parent",
        "model/in", "model/loop", "model/pipe",     "model/net",    "model/sub", "model",    ""};
    (void)state;
    for (size_t i = 0; i < ENTRIES(names); i++) {
        remove(path_of(names[i]));
    }
    return 0;
}

static void put_entry(struct proto *tensor, const char *key, const char *value) {
    struct proto entry = {NULL, 0};
    if (value != NULL) {
        proto_text(&entry, 1, key);
        proto_text(&entry, 2, value);
        proto_message(tensor, 13, entry);
    }
}

/* Two INT16 of a file. */
static struct proto outside(const char *location, const char *offset, const char *length) {
    struct proto tensor = {NULL, 0}, graph = {NULL, 0};
    proto_int(&tensor, 1, 2);
    proto_int(&tensor, 2, ONNX_INT16);
    proto_text(&tensor, 8, "w");
    put_entry(&tensor, "location", location);
    put_entry(&tensor, "offset", offset);
    put_entry(&tensor, "length", length);
    put_entry(&tensor, "checksum", "whatever");
    proto_int(&tensor, 14, 1);
    proto_message(&graph, 5, tensor);
    return model_of(graph);
}

static void expect_outside(struct proto bytes, const char *expected) {
    struct onnx_model model;
    expect_read(bytes, path_of("model"), &model);
    const struct onnx_data *data = model.graph.values[0].constant;
    assert_int_equal(data->bytes, 4);
    assert_memory_equal(data->data, expected, 4);
    assert_int_equal((uintptr_t)data->data % 2, 0);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static void external_data_is_read(void **state) {
    (void)state;
    expect_outside(outside("data", NULL, NULL), "0123");
    expect_outside(outside("data", "12", "4"), "cdef");
    expect_outside(outside("data", "3", "4"), "3456");
    expect_outside(outside("sub/data", "2", NULL), "2345");
    expect_outside(outside("./data", "2", NULL), "2345");
    expect_outside(outside("in", "2", NULL), "2345");
    expect_outside(outside("..data", "2", NULL), "2345");
}

static void external_data_stays_in_its_folder(void **state) {
    static const char not_below[] = "is not below the model's folder", out[] = "is a link out of the model's folder";
    const struct {
        const char *location, *reason;
    } cases[] = {{"../secret", not_below},
                 {"sub/../../secret", not_below},
                 {"..", not_below},
                 {"/etc/passwd", not_below},
                 {"", not_below},
                 {NULL, not_below},
                 {"sub//data", not_below},
                 {"data/", not_below},
                 {"sub/..", not_below},
                 {"out", out},
                 {"up", out},
                 {"parent/secret", out},
                 {"loop", "\"loop\": "},
                 {"nil", "\"nil\": "},
                 {"pipe", "is no file"},
                 {"sub", "is no file"},
                 {"parent/model/data", NULL},
                 {".", out}};
    (void)state;
    for (size_t i = 0; i < ENTRIES(cases); i++) {
        if (cases[i].reason != NULL) {
            expect_refused_in(outside(cases[i].location, NULL, NULL), path_of("model"), cases[i].reason);
        } else {
            expect_outside(outside(cases[i].location, NULL, NULL), "0123");
        }
    }
    expect_refused(outside("data", NULL, NULL), "external data \"data\": the model has no folder");
    struct proto link = {NULL, 0}, graph = {NULL, 0};
    proto_int(&link, 2, ONNX_STRING);
    proto_int(&link, 14, 1);
    proto_message(&graph, 5, link);
    expect_refused_in(model_of(graph), path_of("model"), "is of STRING, which is not supported");
}

static void external_data_stays_in_its_file(void **state) {
    const struct {
        const char *offset, *length, *reason;
    } cases[] = {{"13", NULL, "tensor \"w\" takes 4 bytes from byte 13 of a file that has 16"},
                 {"17", NULL, "takes 4 bytes from byte 17"},
                 {"18446744073709551615", "4", "takes 4 bytes from byte 18446744073709551615"},
                 {"18446744073709551616", "4", "tensor \"w\": external data's offset is no number"},
                 {"-1", NULL, "external data's offset is no number"},
                 {"", NULL, "external data's offset is no number"},
                 {"0", "4x", "external data's length is no number"},
                 {"0", "5", "tensor \"w\" has 5 bytes of data, its shape takes 4"}};
    (void)state;
    for (size_t i = 0; i < ENTRIES(cases); i++) {
        expect_refused_in(outside("data", cases[i].offset, cases[i].length), path_of("model"), cases[i].reason);
    }
}

/* Each a copy, since none is aligned. */
static void a_small_model_does_not_fill_memory_from_a_large_file(void **state) {
    struct proto graph = {NULL, 0};
    (void)state;
    for (int i = 0; i < 32; i++) {
        struct proto tensor = {NULL, 0};
        char name[8];
        snprintf(name, sizeof name, "w%d", i);
        proto_int(&tensor, 1, 7);
        proto_int(&tensor, 2, ONNX_INT16);
        proto_text(&tensor, 8, name);
        put_entry(&tensor, "location", "data");
        put_entry(&tensor, "offset", "1");
        proto_int(&tensor, 14, 1);
        proto_message(&graph, 5, tensor);
    }
    expect_refused_in(model_of(graph), path_of("model"), "is one of too many from the same external data");
}

static void files_are_opened(void **state) {
    struct proto bytes = outside("data", "12", "4");
    struct onnx_file *file;
    struct onnx_error error;
    char path[256];
    (void)state;
    write_file("model/net", bytes.bytes, bytes.length);
    snprintf(path, sizeof path, "%s", path_of("model/net"));
    assert_true(onnx_open(path, &file, &error));
    assert_memory_equal(onnx_file_model(file)->graph.values[0].constant->data, "cdef", 4);
    onnx_close(file);
    assert_int_equal(chdir(path_of("model")), 0);
    assert_true(onnx_open("net", &file, &error));
    onnx_close(file);
    assert_false(onnx_open("nil", &file, &error));
    assert_non_null(strstr(error.text, "nil: "));
    assert_null(file);
    assert_false(onnx_open("data", &file, &error));
    assert_non_null(strstr(error.text, "byte 2 of the file"));
    assert_false(onnx_open("sub", &file, &error));
    assert_int_equal(chdir("/"), 0);
    onnx_close(NULL);
    proto_free(&bytes);
}

/* ---- bytes ---- */

static void expect_wire_refused(const char *bytes, size_t length, const char *reason) {
    struct proto proto = {NULL, 0};
    proto_append(&proto, bytes, length);
    expect_refused(proto, reason);
}

static void bytes_that_are_no_message_are_refused(void **state) {
    char groups[66];
    (void)state;
    expect_wire_refused("\x08\x80", 2, "byte 1 of the file: a number ends beyond its message");
    expect_wire_refused("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, "a number has more than 64 bits");
    expect_wire_refused("\x12\x02x", 3, "byte 0 of the file: a field ends beyond its message");
    expect_wire_refused("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, "a field ends beyond its message");
    expect_wire_refused("\x15...", 4, "a number ends beyond its message");
    expect_wire_refused("\x11.......", 8, "a number ends beyond its message");
    expect_wire_refused("\x02\x00", 2, "this is no field");
    expect_wire_refused("\x0e", 1, "a field has no kind that is known");
    expect_wire_refused("\x0c", 1, "a field has no kind that is known");
    expect_wire_refused("\x0b\x08\x01", 3, "a group does not end");
    expect_wire_refused("\x0b\x14", 2, "the end of another group");
    expect_wire_refused("\x0b\x13\x10\x01\x14\x0c", 6, "it has no graph");
    expect_wire_refused("\x0a\x00", 2, "kind that is not its number's");
    memset(groups, 0x0b, sizeof groups);
    expect_wire_refused(groups, sizeof groups, "more than 64 groups");
}

/* Everything that a model can have, for what follows. */
static struct proto make_all(void) {
    struct proto graph = make_graph(), f = function_of("f", "a", "p"), bytes;
    proto_message(&f, 7, with_reference(model_node("Elu", "a", "p"), "alpha", "alpha"));
    proto_message(&graph, 1, with_float(model_call("local", "f", "x", "called"), 5, "alpha", 4.0f));
    for (size_t i = 0; i < ENTRIES(kinds); i++) {
        unsigned char elements[48];
        struct proto constant = model_node("Constant", "", ""), attribute = attribute_of("value", 4);
        make_elements(&kinds[i], elements);
        proto_message(&attribute, 5, make_tensor(&kinds[i], (enum form)(i % FORMS), elements));
        proto_message(&constant, 5, attribute);
        proto_message(&graph, 1, constant);
    }
    bytes = model_of(graph);
    proto_message(&bytes, 25, f);
    return bytes;
}

/* In memory of its own, so that a sanitizer sees what is read beyond it. */
static bool read_exactly(const unsigned char *bytes, size_t length) {
    unsigned char *copy = malloc(length);
    struct onnx_model model;
    struct onnx_error error;
    memcpy(copy, bytes, length);
    const bool is_read = onnx_read_model(copy, length, NULL, &model, &error);
    if (is_read) {
        assert_int_equal(error.text[0], 0);
        onnx_arena_free(&model.arena);
    } else {
        assert_true(error.text[0] != 0);
    }
    free(copy);
    return is_read;
}

static void a_model_cut_off_anywhere_is_refused_or_whole(void **state) {
    struct proto bytes = make_all();
    size_t whole = 0;
    (void)state;
    assert_true(read_exactly(bytes.bytes, bytes.length));
    for (size_t length = 1; length < bytes.length; length++) {
        whole += read_exactly(bytes.bytes, length);
    }
    assert_int_equal(whole, 0);
    proto_free(&bytes);
}

static void a_model_with_any_byte_changed_is_refused_or_another(void **state) {
    static const unsigned char changes[] = {1, 128, 255};
    struct proto bytes = make_all();
    (void)state;
    for (size_t at = 0; at < bytes.length; at++) {
        for (size_t i = 0; i < sizeof changes; i++) {
            bytes.bytes[at] ^= changes[i];
            read_exactly(bytes.bytes, bytes.length);
            bytes.bytes[at] ^= changes[i];
        }
    }
    proto_free(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_in_every_form_wherever_it_lies),
        cmocka_unit_test(bools_become_0_and_1),
        cmocka_unit_test(tensors_that_are_not_what_they_say_are_refused),
        cmocka_unit_test(names_of_types_are_onnx_s),
        cmocka_unit_test(a_graph_is_read),
        cmocka_unit_test(graphs_that_are_none_are_refused),
        cmocka_unit_test(a_model_of_before_operator_sets_has_the_first),
        cmocka_unit_test(many_nodes_are_sorted_without_a_stack),
        cmocka_unit_test(bodies_read_through_those_around_them),
        cmocka_unit_test(attributes_of_all_kinds_are_read),
        cmocka_unit_test(other_attributes_are_refused),
        cmocka_unit_test(calls_become_their_nodes),
        cmocka_unit_test(calls_that_cannot_be_are_refused),
        cmocka_unit_test(calls_of_calls_do_not_fill_memory),
        cmocka_unit_test(external_data_is_read),
        cmocka_unit_test(external_data_stays_in_its_folder),
        cmocka_unit_test(external_data_stays_in_its_file),
        cmocka_unit_test(a_small_model_does_not_fill_memory_from_a_large_file),
        cmocka_unit_test(files_are_opened),
        cmocka_unit_test(bytes_that_are_no_message_are_refused),
        cmocka_unit_test(a_model_cut_off_anywhere_is_refused_or_whole),
        cmocka_unit_test(a_model_with_any_byte_changed_is_refused_or_another),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
