/* Plans of ONNX graphs: what is folded, looked at, refused. No device is opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "models.h"
#include "onnx/conditions.h"
#include "onnx/file.h"
#include "onnx/judge.h"
#include "onnx/operators.h"
#include "onnx/plan.h"
#include "onnx/plan_parts.h"
#include "onnx/split.h"

enum { MOST_INPUTS = 4 };

/* A graph that is being written: its parts in their order. */
static struct proto graph;

static void add_node(const char *op, const char *inputs, const char *outputs) {
    proto_message(&graph, 1, model_node(op, inputs, outputs));
}

static void add_ints(const char *name, uint32_t count, const int64_t *ints) {
    struct proto tensor = {NULL, 0};
    proto_int(&tensor, 1, count);
    proto_int(&tensor, 2, ONNX_INT64);
    proto_text(&tensor, 8, name);
    proto_bytes(&tensor, 9, ints, count * sizeof *ints);
    proto_message(&graph, 5, tensor);
}

static void add_input(const char *name, enum onnx_type type, const char *sizes) {
    proto_message(&graph, 11, model_value(name, type, sizes));
}

static void add_output(const char *name, enum onnx_type type, const char *sizes) {
    proto_message(&graph, 12, model_value(name, type, sizes));
}

/* The model of that graph, which is empty again. */
static struct proto read_graph(struct onnx_model *model) {
    struct onnx_error error = {0};
    struct proto bytes = model_of(graph);
    proto_message(&bytes, 8, model_opset("com.microsoft", 1));
    graph = (struct proto){NULL, 0};
    if (!onnx_read_model(bytes.bytes, bytes.length, NULL, model, &error)) {
        fail_msg("%s", error.text);
    }
    return bytes;
}

static struct onnx_plan *plan_graph(const struct onnx_model *model, const struct onnx_plan_input *inputs) {
    struct onnx_plan *plan;
    struct onnx_error error = {0};
    if (!onnx_plan_create(model, &model->graph, model->graph.input_count, inputs, NULL, &plan, &error)) {
        fail_msg("%s", error.text);
    }
    return plan;
}

static void expect_refused(const struct onnx_plan_input *inputs, const char *reason) {
    struct onnx_model model;
    struct onnx_plan *plan;
    struct onnx_error error = {0};
    struct proto bytes = read_graph(&model);
    if (onnx_plan_create(&model, &model.graph, model.graph.input_count, inputs, NULL, &plan, &error)) {
        fail_msg("planned, must be refused: %s", reason);
    }
    assert_null(plan);
    if (strstr(error.text, reason) == NULL) {
        fail_msg("refused: %s\nmust be: %s", error.text, reason);
    }
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static const struct onnx_plan_input two_by_six = {.type = ONNX_FLOAT, .rank = 2, .sizes = {2, 6}};

/* A shape that is computed of the input's is known when planning, and leaves no operator. */
static void shapes_are_folded(void **state) {
    struct onnx_model model;
    (void)state;
    add_node("Shape", "x", "s");
    add_node("Add", "s s", "t");
    add_node("Sub", "t s", "u");
    add_node("Add", "x x", "y");
    add_node("Reshape", "y u", "z");
    add_input("x", ONNX_FLOAT, "a b");
    add_output("z", ONNX_FLOAT, "a b");
    add_output("t", ONNX_INT64, "2");
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, &two_by_six);
    assert_int_equal(onnx_plan_node_count(plan), 1);
    const struct onnx_plan_output *outputs = onnx_plan_outputs(plan);
    assert_int_equal(outputs[0].rank, 2);
    assert_int_equal(outputs[0].sizes[1], 6);
    assert_int_equal(outputs[0].output, 0);
    assert_null(outputs[0].data);
    assert_int_equal(outputs[1].output, ONNX_NONE);
    assert_memory_equal(outputs[1].data, ((const int64_t[]){4, 12}), 16);
    assert_false(onnx_plan_looked_at(plan)[0]);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* An input that a shape depends on is looked at where its elements are given; the plan holds for these. */
static void inputs_are_looked_at_where_shapes_ask(void **state) {
    static const int64_t shape[] = {4, 3};
    struct onnx_model model;
    (void)state;
    add_node("Add", "x x", "y");
    add_node("Reshape", "y s", "z");
    add_input("x", ONNX_FLOAT, "2 6");
    add_input("s", ONNX_INT64, "2");
    add_output("z", ONNX_FLOAT, "a b");
    struct onnx_plan_input inputs[] = {two_by_six, {.type = ONNX_INT64, .rank = 1, .sizes = {2}, .data = shape}};
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, inputs);
    assert_int_equal(onnx_plan_outputs(plan)[0].sizes[0], 4);
    assert_false(onnx_plan_looked_at(plan)[0]);
    assert_true(onnx_plan_looked_at(plan)[1]);
    onnx_plan_free(plan);
    struct onnx_error error = {0};
    inputs[1].data = NULL;
    assert_false(onnx_plan_create(&model, &model.graph, 2, inputs, NULL, &plan, &error));
    assert_non_null(strstr(error.text, "Reshape"));
    assert_non_null(strstr(error.text, "not known before the model runs"));
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* An input that has an initializer: it holds, and is folded, unless another value of the input's type is given. */
static void an_initializer_holds_where_nothing_is_given(void **state) {
    static const int64_t other[] = {3, 4, 5};
    struct onnx_model model;
    (void)state;
    add_ints("w", 2, (const int64_t[]){1, 2});
    add_node("Add", "w w", "y");
    add_node("Add", "x x", "z");
    add_input("w", ONNX_INT64, "n");
    add_input("x", ONNX_FLOAT, "2 6");
    add_output("y", ONNX_INT64, "n");
    add_output("z", ONNX_FLOAT, "2 6");
    struct onnx_plan_input inputs[] = {two_by_six, {.type = ONNX_UNDEFINED}};
    struct proto bytes = read_graph(&model);
    for (uint32_t count = 1; count <= 3; ++count) {
        struct onnx_error error = {0};
        struct onnx_plan *plan;
        if (count == 3) {
            inputs[1] = (struct onnx_plan_input){.type = ONNX_INT64, .rank = 1, .sizes = {3}, .data = other};
        }
        assert_true(onnx_plan_create(&model, &model.graph, count < 2 ? 1 : 2, inputs, NULL, &plan, &error));
        assert_int_equal(onnx_plan_node_count(plan), count < 3 ? 1 : 2);
        assert_int_equal(onnx_plan_outputs(plan)[0].sizes[0], count < 3 ? 2 : 3);
        if (count < 3) {
            assert_memory_equal(onnx_plan_outputs(plan)[0].data, ((const int64_t[]){2, 4}), 16);
        }
        onnx_plan_free(plan);
    }
    struct onnx_error error = {0};
    struct onnx_plan *plan;
    assert_false(onnx_plan_create(&model, &model.graph, 3, inputs, NULL, &plan, &error));
    assert_string_equal(error.text, "3 inputs for a graph of 1, and some that have initializers");
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* Views cost nothing: what comes of two transposes is the input, which is copied to be an output. */
/* A number may be all that a plan needs the range of: a cache of 16 keys has room for rows and what is past. */
static void plans_hold_for_a_range(void **state) {
    static const int32_t lengths[] = {2}, totals[] = {3, 16, 17, 0};
    struct onnx_plan_input inputs[] = {{.type = ONNX_FLOAT, .rank = 3, .sizes = {1, 1, 24}},
                                       {.type = ONNX_FLOAT, .rank = 4, .sizes = {1, 1, 16, 8}},
                                       {.type = ONNX_INT32, .rank = 1, .sizes = {1}, .data = lengths},
                                       {.type = ONNX_INT32, .data = &totals[0]}};
    struct proto node = model_call("com.microsoft", "GroupQueryAttention", "x - - past past lengths total", "y");
    const char *const heads[] = {"num_heads", "kv_num_heads"};
    struct onnx_model model;
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct proto attribute = {NULL, 0};
        proto_text(&attribute, 1, heads[i]);
        proto_int(&attribute, 3, 1);
        proto_int(&attribute, 20, ONNX_ATTRIBUTE_INT);
        proto_message(&node, 5, attribute);
    }
    proto_message(&graph, 1, node);
    add_input("x", ONNX_FLOAT, "1 rows 24");
    add_input("past", ONNX_FLOAT, "1 1 room 8");
    add_input("lengths", ONNX_INT32, "1");
    add_input("total", ONNX_INT32, "");
    add_output("y", ONNX_FLOAT, "1 rows 8");
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, inputs);
    for (int i = 0; i < 4; i++) {
        assert_false(onnx_plan_looked_at(plan)[i]);
        inputs[3].data = &totals[i];
        assert_int_equal(onnx_plan_holds(plan, inputs), i < 2);
    }
    inputs[3].data = NULL;
    assert_false(onnx_plan_holds(plan, inputs));
    onnx_plan_free(plan);

    inputs[3].data = &totals[2]; /* the cache grows */
    plan = plan_graph(&model, inputs);
    assert_true(onnx_plan_looked_at(plan)[3]);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static struct proto with_int(struct proto node, const char *name, int64_t value) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    proto_int(&attribute, 3, value);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_INT);
    proto_message(&node, 5, attribute);
    return node;
}

/* A cache that grows by one: a step of lengths, where the mask is one longer and keys and values are alike. */
static void plans_hold_for_a_step_of_lengths(void **state) {
    static const struct {
        uint32_t keys, values, mask;
        bool holds;
    } cases[] = {{70, 70, 71, true},    {64, 64, 65, true},  {127, 127, 128, true}, {63, 63, 64, false},
                 {128, 128, 129, false}, {70, 70, 70, false}, {70, 71, 71, false}};
    const struct onnx_plan_options options = {.has_growing_sizes = true};
    struct onnx_plan_input inputs[] = {{.type = ONNX_FLOAT, .rank = 3, .sizes = {1, 1, 24}},
                                       {.type = ONNX_FLOAT, .rank = 4, .sizes = {1, 1, 70, 8}},
                                       {.type = ONNX_FLOAT, .rank = 4, .sizes = {1, 1, 70, 8}},
                                       {.type = ONNX_INT64, .rank = 2, .sizes = {1, 71}}};
    struct onnx_model model;
    struct onnx_plan *plan;
    struct onnx_error error = {0};
    (void)state;
    add_ints("one", 1, (const int64_t[]){1});
    add_node("Shape", "mask", "shape");
    add_node("Gather", "shape one", "total64");
    proto_message(&graph, 1, with_int(model_node("Cast", "total64", "total"), "to", ONNX_INT32));
    proto_message(&graph, 1, with_int(model_node("ReduceSum", "mask one", "sums"), "keepdims", 0));
    proto_message(&graph, 1, with_int(model_node("Cast", "sums", "lengths"), "to", ONNX_INT32));
    struct proto node = model_call("com.microsoft", "GroupQueryAttention", "x - - k v lengths total", "y nk nv");
    proto_message(&graph, 1, with_int(with_int(node, "num_heads", 1), "kv_num_heads", 1));
    add_input("x", ONNX_FLOAT, "1 rows 24");
    add_input("k", ONNX_FLOAT, "1 1 past 8");
    add_input("v", ONNX_FLOAT, "1 1 past 8");
    add_input("mask", ONNX_INT64, "1 all");
    add_output("y", ONNX_FLOAT, "1 rows 8");
    add_output("nk", ONNX_FLOAT, "1 1 all 8");
    struct proto bytes = read_graph(&model);
    if (!onnx_plan_create(&model, &model.graph, 4, inputs, &options, &plan, &error)) {
        fail_msg("%s", error.text);
    }
    const struct onnx_growing_size *growing = onnx_plan_growing_sizes(plan);
    assert_false(growing[0].is_growing);
    assert_true(growing[1].is_growing && growing[1].is_step && growing[1].dimension == 2 && growing[1].capacity == 128);
    assert_true(growing[3].is_growing && growing[3].is_step && growing[3].dimension == 1);
    assert_int_equal(growing[3].capacity, 128);
    assert_int_equal(onnx_plan_outputs(plan)[1].sizes[2], 128);
    assert_int_equal(onnx_plan_outputs(plan)[1].growing->added, 1);
    assert_null(onnx_plan_outputs(plan)[0].growing);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        inputs[1].sizes[2] = cases[i].keys;
        inputs[2].sizes[2] = cases[i].values;
        inputs[3].sizes[1] = cases[i].mask;
        assert_int_equal(onnx_plan_holds(plan, inputs), cases[i].holds);
    }
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* What is past grows, and not the new rows, which may be an input too. */
static void the_first_input_of_concat_grows(void **state) {
    const struct onnx_plan_options options = {.has_growing_sizes = true};
    struct onnx_plan_input inputs[] = {{.type = ONNX_FLOAT, .rank = 3, .sizes = {1, 7, 4}},
                                       {.type = ONNX_FLOAT, .rank = 3, .sizes = {1, 3, 4}}};
    struct onnx_model model;
    struct onnx_plan *plan;
    struct onnx_error error = {0};
    (void)state;
    proto_message(&graph, 1, with_int(model_node("Concat", "past new", "y"), "axis", -2));
    add_input("past", ONNX_FLOAT, "1 past 4");
    add_input("new", ONNX_FLOAT, "1 rows 4");
    add_output("y", ONNX_FLOAT, "1 all 4");
    struct proto bytes = read_graph(&model);
    if (!onnx_plan_create(&model, &model.graph, 2, inputs, &options, &plan, &error)) {
        fail_msg("%s", error.text);
    }
    assert_true(onnx_plan_growing_sizes(plan)[0].is_growing);
    assert_false(onnx_plan_growing_sizes(plan)[1].is_growing);
    assert_int_equal(onnx_plan_outputs(plan)[0].growing->added, 3);
    for (uint32_t size = 1; size < 64; ++size) { /* three more must have room */
        inputs[0].sizes[1] = size;
        assert_int_equal(onnx_plan_holds(plan, inputs), size <= 61);
    }
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* A later plan does not try again what no size would change. */
static void inputs_that_never_grow_are_remembered(void **state) {
    struct onnx_growth_hints hints = {0};
    const struct onnx_plan_options options = {.hints = &hints, .has_growing_sizes = true};
    struct onnx_plan_input inputs[] = {{.type = ONNX_INT64, .rank = 2, .sizes = {1, 7}},
                                       {.type = ONNX_INT64, .rank = 2, .sizes = {1, 7}}};
    struct onnx_model model;
    struct onnx_plan *plan;
    struct onnx_error error = {0};
    (void)state;
    add_node("Identity", "a", "same");
    add_node("Size", "same", "y");
    add_node("Neg", "b", "z");
    add_input("a", ONNX_INT64, "1 all");
    add_input("b", ONNX_INT64, "1 rest");
    add_output("y", ONNX_INT64, "");
    add_output("z", ONNX_INT64, "1 rest");
    struct proto bytes = read_graph(&model);
    for (int i = 0; i < 2; ++i) {
        if (!onnx_plan_create(&model, &model.graph, 2, inputs, &options, &plan, &error)) {
            fail_msg("%s", error.text);
        }
        assert_int_equal(hints.alone, 1);
        assert_int_equal(hints.stepped, 0);
        assert_false(onnx_plan_growing_sizes(plan)[0].is_growing);
        assert_true(onnx_plan_growing_sizes(plan)[1].is_growing);
        onnx_plan_free(plan);
    }
    /* Nor does one that is told so. */
    hints = (struct onnx_growth_hints){.alone = 3};
    assert_true(onnx_plan_create(&model, &model.graph, 2, inputs, &options, &plan, &error));
    assert_false(onnx_plan_growing_sizes(plan)[1].is_growing);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static void views_leave_no_operators(void **state) {
    struct onnx_model model;
    (void)state;
    add_node("Transpose", "x", "t");
    add_node("Transpose", "t", "u");
    add_node("Identity", "u", "v");
    add_node("Add", "v t2", "y");
    add_node("Transpose", "y", "z");
    add_ints("unread", 1, (const int64_t[]){1});
    add_node("Transpose", "x", "t1");
    add_node("Transpose", "t1", "t2");
    add_input("x", ONNX_FLOAT, "2 6");
    add_output("y", ONNX_FLOAT, "2 6");
    add_output("z", ONNX_FLOAT, "6 2");
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, &two_by_six);
    assert_int_equal(onnx_plan_node_count(plan), 2); /* the sum, and a copy for z */
    assert_int_equal(onnx_plan_input_count(plan), 1);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* Dimensions of a view are split, and joined where they lie one in another; else they are copied before. */
static void views_have_other_sizes(void **state) {
    static const struct {
        const char *name;
        uint32_t count, nodes;
        int64_t sizes[4];
    } shapes[] = {
        {"split", 4, 2, {3, 2, 1, 2}}, {"joined again", 3, 2, {6, 1, 2}},   {"of one dimension", 1, 3, {12}},
        {"across", 2, 3, {4, 3}},      {"split in three", 3, 2, {2, 3, 2}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        struct onnx_model model;
        add_node("Transpose", "x", "t");
        add_ints("split", 3, (const int64_t[]){3, 2, 2});
        add_node("Reshape", "t split", "u");
        add_ints("sizes", shapes[i].count, shapes[i].sizes);
        add_node("Reshape", "u sizes", "v");
        add_node("Relu", "v", "y");
        add_node("Relu", "y", "z");
        add_input("x", ONNX_FLOAT, "2 6");
        add_output("z", ONNX_FLOAT, "a b");
        struct proto bytes = read_graph(&model);
        struct onnx_plan *plan = plan_graph(&model, &two_by_six);
        if (onnx_plan_node_count(plan) != shapes[i].nodes) {
            fail_msg("%s: %u operators", shapes[i].name, onnx_plan_node_count(plan));
        }
        onnx_plan_free(plan);
        onnx_arena_free(&model.arena);
        proto_free(&bytes);
    }
}

/* One element along an axis, which is known, is a part of what lies anyhow; it is not copied before. */
static void a_known_index_is_a_part(void **state) {
    struct onnx_model model;
    (void)state;
    add_node("Transpose", "x", "t");
    add_ints("sizes", 3, (const int64_t[]){2, 3, 2});
    add_node("Reshape", "t sizes", "u");
    add_ints("i", 1, (const int64_t[]){-2});
    add_node("Gather", "u i", "y");
    add_input("x", ONNX_FLOAT, "2 6");
    add_output("y", ONNX_FLOAT, "1 3 2");
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, &two_by_six);
    assert_int_equal(onnx_plan_node_count(plan), 1);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static void tensors_of_no_elements_have_no_operator(void **state) {
    const struct onnx_plan_input empty = {.type = ONNX_FLOAT, .rank = 2, .sizes = {0, 6}};
    struct onnx_model model;
    (void)state;
    add_node("Add", "x x", "y");
    add_input("x", ONNX_FLOAT, "a 6");
    add_output("y", ONNX_FLOAT, "a 6");
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, &empty);
    assert_int_equal(onnx_plan_node_count(plan), 0);
    assert_int_equal(onnx_plan_outputs(plan)[0].bytes, 0);
    assert_int_equal(onnx_plan_outputs(plan)[0].sizes[1], 6);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static void sizes_beyond_what_there_is_are_refused(void **state) {
    static const int64_t huge[] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    (void)state;
    add_ints("s", 6, huge);
    add_node("Expand", "x s", "y");
    add_input("x", ONNX_FLOAT, "1");
    add_output("y", ONNX_FLOAT, "a b c d e f");
    expect_refused(&(struct onnx_plan_input){.type = ONNX_FLOAT, .rank = 1, .sizes = {1}},
                   "more than 2^32 - 1 elements");

    add_ints("s", 6, huge);
    add_node("ConstantOfShape", "s", "y");
    add_output("y", ONNX_FLOAT, "a b c d e f");
    expect_refused(NULL, "more than 2^32 - 1 elements");

    add_node("Add", "x x", "y");
    add_input("x", ONNX_FLOAT, "a b c");
    add_output("y", ONNX_FLOAT, "a b c");
    expect_refused(&(struct onnx_plan_input){.type = ONNX_FLOAT, .rank = 3, .sizes = {65536, 65536, 65536}},
                   "2^32 - 1 elements");
}

/* A shape of two billion numbers, of which there is one. */
static void operands_of_many_elements_are_not_looked_at(void **state) {
    (void)state;
    add_ints("s", 1, (const int64_t[]){INT32_MAX});
    add_node("ConstantOfShape", "s", "many");
    add_node("Cast", "many", "t");
    add_node("Reshape", "x many", "y");
    add_input("x", ONNX_FLOAT, "2 6");
    add_output("y", ONNX_FLOAT, "a");
    expect_refused(&two_by_six, "Reshape");
}

static void refusals_name_the_node(void **state) {
    (void)state;
    add_node("Det", "x", "y");
    add_input("x", ONNX_FLOAT, "2 6");
    add_output("y", ONNX_FLOAT, "");
    expect_refused(&two_by_six, "Det: there is no translation of Det 17");

    add_ints("s", 2, (const int64_t[]){5, 5});
    add_node("Reshape", "x s", "y");
    add_input("x", ONNX_FLOAT, "2 6");
    add_output("y", ONNX_FLOAT, "a b");
    expect_refused(&two_by_six, "Reshape");
}

/* What refuses a node stands in the way of those alone that need what it does not say. */
static void nodes_are_judged_one_by_one(void **state) {
    struct onnx_model model;
    (void)state;
    add_node("Add", "x x", "a");
    add_node("Det", "a", "b");
    add_node("Add", "b b", "c");
    add_node("Reshape", "x s", "d");
    add_node("Add", "d d", "e");
    add_input("x", ONNX_FLOAT, "n n");
    add_input("s", ONNX_INT64, "2");
    add_output("c", ONNX_FLOAT, "");
    add_output("e", ONNX_FLOAT, "3 3");
    struct proto bytes = read_graph(&model);
    const struct onnx_verdict *verdicts = onnx_judge(&model, &model.graph, &model.arena);
    assert_non_null(verdicts);
    const char *const expected[] = {NULL, "no translation of Det", "'b'", NULL, "'d'"};
    assert_int_equal(model.graph.node_count, 5);
    for (uint32_t n = 0; n < 5; ++n) {
        assert_int_equal(verdicts[n].is_translated, expected[n] == NULL);
        if (expected[n] != NULL && strstr(verdicts[n].reason, expected[n]) == NULL) {
            fail_msg("node %u: %s", (unsigned)n, verdicts[n].reason);
        }
    }
    assert_true(verdicts[0].is_assumed);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* The verdict on the last node of the graph, which must not be translated for a reason, or must be where that is NULL.
 * */
static void expect_verdict(const char *reason) {
    struct onnx_model model;
    struct proto bytes = read_graph(&model);
    const struct onnx_verdict *verdicts = onnx_judge(&model, &model.graph, &model.arena);
    assert_non_null(verdicts);
    const struct onnx_verdict *last = &verdicts[model.graph.node_count - 1];
    if (last->is_translated != (reason == NULL) || (reason != NULL && strstr(last->reason, reason) == NULL)) {
        fail_msg("%s: %s, must be: %s", model.graph.nodes[model.graph.node_count - 1].op,
                 last->is_translated ? "translated" : last->reason, reason == NULL ? "translated" : reason);
    }
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* A node that waits for elements of an input is not claimed where its types are not supported, whatever the elements.
 * */
static void types_are_judged_before_elements(void **state) {
    static const struct {
        const char *op, *inputs, *outputs;
        enum onnx_type first, second;
        const char *first_sizes, *second_sizes, *reason;
    } cases[] = {
        {"TopK", "x k", "y i", ONNX_DOUBLE, ONNX_INT64, "4 6", "1", "FLOAT64"},
        {"TopK", "x k", "y i", ONNX_BFLOAT16, ONNX_INT64, "4 6", "1", "BFLOAT16"},
        {"TopK", "x k", "y i", ONNX_FLOAT, ONNX_INT64, "4 6", "1", NULL},
        {"ReduceSum", "x k", "y", ONNX_BFLOAT16, ONNX_INT64, "4 6", "1", "BFLOAT16"},
        {"ReduceSum", "x k", "y", ONNX_INT16, ONNX_INT64, "4 6", "1", "of INT16"},
        {"ReduceSum", "x k", "y", ONNX_INT64, ONNX_INT64, "4 6", "1", NULL},
        {"CumSum", "x k", "y", ONNX_BFLOAT16, ONNX_INT32, "4 6", "", "BFLOAT16"},
        {"Pow", "x k", "y", ONNX_INT32, ONNX_FLOAT, "4 6", "", "an exponent that is no integer"},
        {"Pow", "x k", "y", ONNX_INT32, ONNX_INT32, "4 6", "", NULL},
        {"Unique", "x", "y", ONNX_UINT64, ONNX_INT64, "4", "1", "UINT64"},
        {"Dropout", "x - k", "y", ONNX_FLOAT, ONNX_BOOL, "4 6", "", "training drops elements"},
        {"Reshape", "x k", "y", ONNX_BFLOAT16, ONNX_INT64, "4 6", "3", NULL},
        {"Reshape", "x k", "y", ONNX_FLOAT, ONNX_INT64, "n m", "3", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        add_node(cases[i].op, cases[i].inputs, cases[i].outputs);
        add_input("x", cases[i].first, cases[i].first_sizes);
        add_input("k", cases[i].second, cases[i].second_sizes);
        add_output("y", cases[i].first, "");
        expect_verdict(cases[i].reason);
    }
    /* One input after another: the ratio is asked for where elements are dropped. */
    add_node("Dropout", "x r k", "y");
    add_input("x", ONNX_FLOAT, "4 6");
    add_input("r", ONNX_FLOAT, "");
    add_input("k", ONNX_BOOL, "");
    add_output("y", ONNX_FLOAT, "4 6");
    expect_verdict("training drops elements");
}

static void expect_copy(struct proto node, enum onnx_type type) {
    struct onnx_model model;
    const struct onnx_plan_input input = {.type = type, .rank = 2, .sizes = {6, 6}};
    proto_message(&graph, 1, node);
    add_input("x", type, "6 6");
    add_output("y", type, "");
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, &input);
    assert_int_equal(onnx_plan_node_count(plan), 1);
    assert_int_equal(onnx_plan_outputs(plan)[0].type, type);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* Views of types that DirectML does not have are copied as bits, where they are outputs. */
static void views_of_any_type_are_copied(void **state) {
    static const enum onnx_type types[] = {ONNX_BFLOAT16, ONNX_COMPLEX64, ONNX_DOUBLE, ONNX_BOOL, ONNX_FLOAT16};
    static const char *const equations[] = {"ij->ji", "ii->i"};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        expect_copy(model_node("Transpose", "x", "y"), types[i]);
        for (size_t k = 0; k < sizeof equations / sizeof equations[0]; ++k) {
            struct proto node = model_node("Einsum", "x", "y"), equation = {NULL, 0};
            proto_text(&equation, 1, "equation");
            proto_text(&equation, 4, equations[k]);
            proto_int(&equation, 20, ONNX_ATTRIBUTE_STRING);
            proto_message(&node, 5, equation);
            expect_copy(node, types[i]);
        }
    }
}

/* ---- open sizes ---- */

/* Whether all nodes are translated for the same sizes, and under which conditions, each but the first after "; ". */
static bool judge_open(char *conditions, size_t size) {
    struct onnx_model model;
    struct onnx_judgement judgement;
    const struct onnx_condition *found;
    uint32_t count;
    struct proto bytes = read_graph(&model);
    bool is_translated = true;
    assert_true(onnx_judge_open(&model, &model.graph, &model.arena, &judgement));
    assert_true(onnx_find_conditions(&model, &model.graph, &model.arena, &judgement, &found, &count));
    for (uint32_t n = 0; n < model.graph.node_count; ++n) {
        assert_false(judgement.verdicts[n].is_consistent && !judgement.verdicts[n].is_translated);
        is_translated = is_translated && judgement.verdicts[n].is_consistent;
    }
    conditions[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const size_t length = strlen(conditions);
        snprintf(conditions + length, size - length, "%s%s", i == 0 ? "" : "; ",
                 onnx_condition_text(&found[i], &judgement.open, &model.graph).text);
    }
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
    return is_translated;
}

static void expect_conditions(const char *expected) {
    char conditions[1024];
    assert_true(judge_open(conditions, sizeof conditions));
    assert_string_equal(conditions, expected);
}

static void add_weights(const char *name, int64_t window) {
    proto_message(&graph, 5, model_tensor(name, 3, (const int64_t[]){1, 1, window}));
}

static void add_int(struct proto *node, const char *name, int64_t value) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    proto_int(&attribute, 3, value);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_INT);
    proto_message(node, 5, attribute);
}

static void add_int_node(const char *op, const char *inputs, const char *outputs, const char *name, int64_t value) {
    struct proto node = model_node(op, inputs, outputs);
    add_int(&node, name, value);
    proto_message(&graph, 1, node);
}

/* Open sizes are neither images' nor 1, but what the rules ask for. */
static void windows_state_least_sizes(void **state) {
    (void)state;
    add_weights("v", 512);
    add_weights("w", 300);
    add_node("Conv", "x v", "a");
    add_node("Conv", "a w", "y");
    add_input("x", ONNX_FLOAT, "batch 1 length");
    add_output("y", ONNX_FLOAT, "");
    expect_conditions("'length' >= 811");
}

static void shapes_state_multiples(void **state) {
    (void)state;
    add_ints("s", 3, (const int64_t[]){2, -1, 13});
    add_node("Reshape", "x s", "y");
    add_input("x", ONNX_FLOAT, "2 ?");
    add_output("y", ONNX_FLOAT, "");
    expect_conditions("'x.1' % 13 = 0");
}

/* 224 x 224 positions have more than 2^32 pairs; fewer can run. */
static void counts_of_elements_shrink_sizes(void **state) {
    (void)state;
    add_ints("s", 3, (const int64_t[]){2, 8, -1});
    add_ints("t", 3, (const int64_t[]){2, -1, 8});
    add_node("Reshape", "x s", "a");
    add_node("Reshape", "x t", "b");
    add_node("MatMul", "b a", "y");
    add_input("x", ONNX_FLOAT, "2 8 height width");
    add_output("y", ONNX_FLOAT, "");
    expect_conditions("");
}

static void joined_sizes_state_sums(void **state) {
    (void)state;
    add_int_node("Concat", "past x", "all", "axis", 1);
    add_node("Add", "all mask", "y");
    add_input("mask", ONNX_FLOAT, "4 total");
    add_input("past", ONNX_FLOAT, "4 past");
    add_input("x", ONNX_FLOAT, "4 length");
    add_output("y", ONNX_FLOAT, "");
    expect_conditions("'total' = 'past' + 'length' or 1");
}

/* A head size that is open, and follows from the queries. */
static void head_sizes_follow_from_queries(void **state) {
    struct proto node = model_call("com.microsoft", "GroupQueryAttention", "x - - k v s t", "y p q");
    (void)state;
    add_int(&node, "num_heads", 4);
    add_int(&node, "kv_num_heads", 2);
    add_ints("eight", 1, (const int64_t[]){8});
    add_int_node("Cast", "eight", "t", "to", ONNX_INT32);
    proto_message(&graph, 1, node);
    add_input("x", ONNX_FLOAT, "1 3 64");
    add_input("k", ONNX_FLOAT, "1 2 5 head");
    add_input("v", ONNX_FLOAT, "1 2 5 head");
    add_input("s", ONNX_INT32, "1");
    add_output("y", ONNX_FLOAT, "1 3 32");
    add_output("p", ONNX_FLOAT, "1 2 8 head");
    add_output("q", ONNX_FLOAT, "1 2 8 head");
    expect_conditions("'head' = 8");
}

/* A limit that depends on another size is no number. */
static void limits_may_be_other_sizes(void **state) {
    (void)state;
    add_ints("zero", 1, (const int64_t[]){0});
    proto_message(&graph, 5, model_tensor("table", 2, (const int64_t[]){300, 4}));
    add_node("Shape", "x", "s");
    add_int_node("Gather", "s i", "n", "axis", 0);
    add_node("Slice", "table zero n zero", "rows");
    add_node("Add", "x rows", "y");
    add_ints("i", 1, (const int64_t[]){0});
    add_input("x", ONNX_FLOAT, "length 4");
    add_output("y", ONNX_FLOAT, "");
    expect_conditions("'length' <= 300");
}

/* What no sizes fit is not claimed, and the search ends. */
static void sizes_that_cannot_fit_are_not_claimed(void **state) {
    char conditions[256];
    (void)state;
    add_ints("s", 2, (const int64_t[]){7, 11});
    add_node("Reshape", "x s", "y");
    add_input("x", ONNX_FLOAT, "2 n m k");
    add_output("y", ONNX_FLOAT, "");
    assert_false(judge_open(conditions, sizeof conditions));
    assert_string_equal(conditions, "");
}

/* Two nodes that need different sizes of the same name are both claimed; no run has both. */
static void nodes_are_claimed_for_sizes_of_their_own(void **state) {
    struct onnx_model model;
    struct onnx_judgement judgement;
    (void)state;
    add_ints("s", 2, (const int64_t[]){5, 7});
    add_ints("t", 2, (const int64_t[]){5, 11});
    add_node("Reshape", "x s", "y");
    add_node("Reshape", "x t", "z");
    add_input("x", ONNX_FLOAT, "n");
    add_output("y", ONNX_FLOAT, "");
    add_output("z", ONNX_FLOAT, "");
    struct proto bytes = read_graph(&model);
    assert_true(onnx_judge_open(&model, &model.graph, &model.arena, &judgement));
    assert_true(judgement.verdicts[0].is_translated && judgement.verdicts[0].is_consistent);
    assert_true(judgement.verdicts[1].is_translated && !judgement.verdicts[1].is_consistent);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* A run with sizes that do not fit is told which condition they do not meet. */
static void reasons_name_conditions(void **state) {
    static const struct {
        uint32_t length;
        const char *added;
    } cases[] = {{511, "; the model needs 'length' >= 512, but it is 511"},
                 {512, "; sizes of this run: 'length' = 512"}};
    struct onnx_model model;
    (void)state;
    add_weights("v", 512);
    add_node("Conv", "x v", "y");
    add_input("x", ONNX_FLOAT, "1 1 length");
    add_output("y", ONNX_FLOAT, "");
    struct proto bytes = read_graph(&model);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 3, .sizes = {1, 1, cases[i].length}};
        struct onnx_error error = {.text = "why", .result = VKDML_ERROR_INVALID_ARGUMENT};
        assert_false(onnx_explain_sizes(&model, &model.graph, 1, &input, &error));
        assert_string_equal(error.text + 3, cases[i].added);
    }
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static void add_graph(struct proto *node, const char *name, struct proto body) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    proto_message(&attribute, 6, body);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_GRAPH);
    proto_message(node, 5, attribute);
}

static struct proto branch_of(const char *op) {
    struct proto body = {NULL, 0};
    proto_message(&body, 1, model_node(op, "x", "z"));
    proto_message(&body, 12, model_value("z", ONNX_FLOAT, ""));
    return body;
}

/* ONNX Runtime keeps the bodies of nodes, which then are not translated; nodes after them are, whatever their ranks. */
static void nodes_after_kept_bodies_are_translated(void **state) {
    struct onnx_model model;
    struct proto node = model_node("If", "c", "b"), value = {NULL, 0}, type = {NULL, 0}, tensor = {NULL, 0};
    (void)state;
    add_graph(&node, "then_branch", branch_of("Identity"));
    add_graph(&node, "else_branch", branch_of("Squeeze"));
    proto_message(&graph, 1, node);
    add_node("Relu", "b", "y");
    add_input("x", ONNX_FLOAT, "n 3 4");
    add_input("c", ONNX_BOOL, "");
    proto_int(&tensor, 1, ONNX_FLOAT); /* a type without a shape */
    proto_message(&type, 1, tensor);
    proto_text(&value, 1, "b");
    proto_message(&value, 2, type);
    proto_message(&graph, 13, value);
    add_output("y", ONNX_FLOAT, "");
    struct proto bytes = read_graph(&model);
    struct onnx_attribute kept[2] = {model.graph.nodes[0].attributes[0], model.graph.nodes[0].attributes[1]};
    kept[0].graph = kept[1].graph = NULL;
    model.graph.nodes[0].attributes = kept;
    const struct onnx_verdict *verdicts = onnx_judge(&model, &model.graph, &model.arena);
    assert_non_null(verdicts);
    assert_false(verdicts[0].is_translated);
    assert_non_null(strstr(verdicts[0].reason, "ONNX Runtime runs nodes that have bodies"));
    assert_true(verdicts[1].is_translated);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* ONNX states two activations for RNN also where it has one direction: the first counts. */
static void surplus_activations_are_left_out(void **state) {
    (void)state;
    for (uint32_t count = 0; count < 3; ++count) {
        struct proto node = model_node("RNN", "x w r", "y"), activations = {NULL, 0};
        proto_text(&activations, 1, "activations");
        for (uint32_t i = 0; i < count; ++i) {
            proto_text(&activations, 9, i == 0 ? "Relu" : "Tanh");
        }
        proto_int(&activations, 20, ONNX_ATTRIBUTE_STRINGS);
        if (count != 0) {
            proto_message(&node, 5, activations);
        } else {
            proto_free(&activations);
        }
        proto_message(&graph, 1, node);
        add_input("x", ONNX_FLOAT, "5 1 4");
        add_input("w", ONNX_FLOAT, "1 3 4");
        add_input("r", ONNX_FLOAT, "1 3 3");
        add_output("y", ONNX_FLOAT, "5 1 1 3");
        expect_verdict(NULL);
    }
}

/* Elements that are not known yet may fit; types that are refused stay refused. */
static void types_are_judged_without_elements(void **state) {
    static const enum onnx_type types[] = {ONNX_FLOAT, ONNX_DOUBLE};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        struct onnx_model model;
        graph = (struct proto){NULL, 0};
        add_node("CumSum", "x axis", "y");
        add_input("x", types[i], "2 6");
        add_input("axis", ONNX_INT64, "");
        add_output("y", types[i], "2 6");
        struct proto bytes = read_graph(&model);
        const struct onnx_verdict *verdicts = onnx_judge(&model, &model.graph, &model.arena);
        assert_non_null(verdicts);
        if (verdicts[0].is_translated != (types[i] == ONNX_FLOAT)) {
            fail_msg("%s: %s", onnx_type_name(types[i]), verdicts[0].is_translated ? "claimed" : verdicts[0].reason);
        }
        onnx_arena_free(&model.arena);
        proto_free(&bytes);
    }
    graph = (struct proto){NULL, 0};
}

/* ---- stages ---- */

/* The stages of the graph, each as the operators of its nodes, "|" between them, and "host " before those of the host. */
static void expect_stages(const char *expected) {
    struct onnx_model model;
    struct onnx_split split;
    struct onnx_error error;
    char found[256] = "";
    struct proto bytes = read_graph(&model);
    assert_true(onnx_split(&model.graph, &split, &error));
    for (uint32_t s = 0; s < split.count; ++s) {
        strcat(found, s == 0 ? "" : "|");
        strcat(found, split.stages[s].is_host ? "host" : "");
        for (uint32_t n = 0; n < split.stages[s].graph.node_count; ++n) {
            strcat(found, found[0] == 0 || found[strlen(found) - 1] == '|' ? "" : " ");
            strcat(found, split.stages[s].graph.nodes[n].op);
        }
    }
    assert_string_equal(found, expected);
    onnx_split_free(&split);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static void nodes_of_the_host_end_stages(void **state) {
    (void)state;
    add_node("Relu", "x", "a");
    add_node("NonZero", "a", "p");
    add_node("Neg", "a", "b");
    add_node("Transpose", "p", "t");
    add_node("GatherND", "b t", "v");
    add_node("Compress", "v c", "y");
    add_node("Unique", "v", "unread");
    add_input("x", ONNX_FLOAT, "2 6");
    add_input("c", ONNX_BOOL, "2");
    add_output("y", ONNX_FLOAT, "n");
    expect_stages("Relu Neg|host NonZero|Transpose GatherND|host Compress|");

    /* Both read the same stage, and what follows waits for both. */
    add_node("NonZero", "x", "p");
    add_node("NonZero", "z", "q");
    add_node("Concat", "p q", "y");
    add_input("x", ONNX_FLOAT, "2 6");
    add_input("z", ONNX_FLOAT, "2 6");
    add_output("y", ONNX_INT64, "2 n");
    expect_stages("host NonZero|host NonZero|Concat");
}

static void what_follows_from_shapes_is_one_stage(void **state) {
    (void)state;
    add_node("Shape", "x", "s");
    add_node("ConstantOfShape", "s", "o");
    add_node("NonZero", "o", "p");
    add_ints("c", 1, (const int64_t[]){1});
    add_node("Compress", "x c", "y");
    add_input("x", ONNX_FLOAT, "2 6");
    add_output("p", ONNX_INT64, "2 n");
    add_output("y", ONNX_FLOAT, "1");
    expect_stages("Shape ConstantOfShape NonZero Compress");

    add_node("NonZero", "x", "p");
    add_node("RandomNormal", "", "r");
    add_node("NonZero", "r", "q");
    add_input("x", ONNX_FLOAT, "2 6");
    add_output("q", ONNX_INT64, "2 n");
    expect_stages("RandomNormal|host NonZero|");
}

/* ---- what changed models found ---- */

/* Judged, and planned for inputs: refused with the reason both times. */
static void expect_refused_by_all(const struct onnx_plan_input *inputs, const char *reason) {
    struct onnx_model model;
    struct onnx_arena arena = {0};
    const struct proto copy = graph;
    graph = (struct proto){NULL, 0};
    proto_append(&graph, copy.bytes, copy.length);
    struct proto bytes = read_graph(&model);
    const struct onnx_verdict *verdicts = onnx_judge(&model, &model.graph, &arena);
    assert_non_null(verdicts);
    assert_false(verdicts[model.graph.node_count - 1].is_translated);
    if (strstr(verdicts[model.graph.node_count - 1].reason, reason) == NULL) {
        fail_msg("judged: %s\nmust be: %s", verdicts[model.graph.node_count - 1].reason, reason);
    }
    onnx_arena_free(&arena);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
    graph = copy;
    expect_refused(inputs, reason);
}

/* Strings have no elements here to be looked at. */
static void strings_are_no_operands(void **state) {
    (void)state;
    const struct onnx_plan_input inputs[] = {two_by_six, {.type = ONNX_STRING, .rank = 1, .sizes = {2}}};
    add_node("Reshape", "x s", "y");
    add_input("x", ONNX_FLOAT, "2 6");
    add_input("s", ONNX_STRING, "2");
    add_output("y", ONNX_FLOAT, "? ?");
    expect_refused_by_all(inputs, "input 1 is of type STRING, which is not computed with");
}

static void strings_are_not_divided(void **state) {
    (void)state;
    const struct onnx_plan_input inputs[] = {{.type = ONNX_STRING, .rank = 1, .sizes = {2}},
                                             {.type = ONNX_STRING, .rank = 1, .sizes = {2}}};
    add_node("Div", "x s", "y");
    add_input("x", ONNX_STRING, "2");
    add_input("s", ONNX_STRING, "2");
    add_output("y", ONNX_STRING, "?");
    expect_refused(inputs, "STRING");
}

/* A cast that is refused is the reason, and nothing is asked of what it did not make. */
static void what_fails_is_asked_nothing(void **state) {
    (void)state;
    const struct onnx_plan_input inputs[] = {{.type = ONNX_COMPLEX64, .rank = 1, .sizes = {1}},
                                             {.type = ONNX_FLOAT16, .rank = 1, .sizes = {1}}};
    struct proto node = model_node("QuantizeLinear", "x s", "y");
    struct proto precision = {NULL, 0};
    proto_text(&precision, 1, "precision");
    proto_int(&precision, 3, ONNX_FLOAT16);
    proto_int(&precision, 20, ONNX_ATTRIBUTE_INT);
    proto_message(&node, 5, precision);
    proto_message(&graph, 1, node);
    add_input("x", ONNX_COMPLEX64, "1");
    add_input("s", ONNX_FLOAT16, "1");
    add_output("y", ONNX_UINT8, "1");
    expect_refused_by_all(inputs, "QuantizeLinear");
}

/* What is written out while planning is not larger than a plan may be. */
static void tables_are_not_of_any_size(void **state) {
    (void)state;
    const struct onnx_plan_input picture = {.type = ONNX_FLOAT, .rank = 2, .sizes = {3, 3}};
    add_ints("first", 1, (const int64_t[]){0});
    add_ints("last", 1, (const int64_t[]){(int64_t)1 << 33});
    add_ints("step", 1, (const int64_t[]){1});
    add_node("Range", "first last step", "y");
    add_input("x", ONNX_FLOAT, "3 3");
    add_output("y", ONNX_INT64, "n");
    expect_refused_by_all(&picture, "a range of more than 2^32 - 1 numbers");

    struct proto node = model_node("Resize", "x - - sizes", "y"), mode = {NULL, 0};
    proto_text(&mode, 1, "mode");
    proto_text(&mode, 4, "cubic");
    proto_int(&mode, 20, ONNX_ATTRIBUTE_STRING);
    proto_message(&node, 5, mode);
    proto_message(&graph, 1, node);
    add_ints("sizes", 2, (const int64_t[]){3, 1 << 28});
    add_input("x", ONNX_FLOAT, "3 3");
    add_output("y", ONNX_FLOAT, "a b");
    expect_refused_by_all(&picture, "a table of 1073741824 elements, which takes more than 268435456 bytes");
}

/* A mask of 2^31 elements is a node, and nothing that the plan holds. */
static void large_outputs_are_not_written_out(void **state) {
    (void)state;
    struct onnx_model model;
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 1, .sizes = {0x80000000U}};
    add_node("Dropout", "x", "y m");
    add_input("x", ONNX_FLOAT, "?");
    add_output("y", ONNX_FLOAT, "?");
    add_output("m", ONNX_BOOL, "?");
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, &input);
    assert_int_equal(onnx_plan_node_count(plan), 2);
    assert_null(onnx_plan_outputs(plan)[1].data);
    assert_int_equal(onnx_plan_outputs(plan)[1].bytes, 0x80000000U);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* ---- what multiplies ---- */

static uint64_t allocated; /* bytes that were asked for */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size) {
    allocated += (uint64_t)count * size;
    return __real_calloc(count, size);
}

static struct proto with_graph(struct proto node, const char *name, struct proto body) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    proto_message(&attribute, 6, body);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_GRAPH);
    proto_message(&node, 5, attribute);
    return node;
}

enum growth { LOOPS, LOOPS_OF_CALLS, CALLS_OF_LOOPS, SCANS, GROWTHS };

/* 'out' of 'in' by a node of the kind around another, `depth` of them. */
static struct proto grow(enum growth growth, int depth, const char *in, const char *out) {
    if (depth == 0) {
        return growth == LOOPS_OF_CALLS ? model_call("local", "f", in, out) : model_node("Neg", in, out);
    }
    char inner_in[16], inner_out[16], text[64];
    snprintf(inner_in, sizeof inner_in, "i%d", depth);
    snprintf(inner_out, sizeof inner_out, "o%d", depth);
    struct proto body = {NULL, 0};
    if (growth == SCANS) {
        struct proto count = {NULL, 0};
        proto_text(&count, 1, "num_scan_inputs");
        proto_int(&count, 3, 1);
        proto_int(&count, 20, ONNX_ATTRIBUTE_INT);
        proto_message(&body, 1, grow(growth, depth - 1, inner_in, inner_out));
        proto_message(&body, 11, model_value(inner_in, ONNX_FLOAT, "2 6"));
        proto_message(&body, 11, model_value("element", ONNX_INT64, ""));
        proto_message(&body, 12, model_value(inner_out, ONNX_FLOAT, "2 6"));
        snprintf(text, sizeof text, "%s scanned", in);
        struct proto node = with_graph(model_node("Scan", text, out), "body", body);
        proto_message(&node, 5, count);
        return node;
    }
    proto_message(&body, 1, model_node("Identity", "go", "on"));
    proto_message(&body, 1, grow(growth, depth - 1, inner_in, inner_out));
    proto_message(&body, 11, model_value("turn", ONNX_INT64, ""));
    proto_message(&body, 11, model_value("go", ONNX_BOOL, ""));
    proto_message(&body, 11, model_value(inner_in, ONNX_FLOAT, "2 6"));
    proto_message(&body, 12, model_value("on", ONNX_BOOL, ""));
    proto_message(&body, 12, model_value(inner_out, ONNX_FLOAT, "2 6"));
    snprintf(text, sizeof text, "count - %s", in);
    return with_graph(model_node("Loop", text, out), "body", body);
}

/* y = a node of functions and bodies around one another, 4^depth Neg where none is refused. */
static struct proto grown_model(enum growth growth, int depth) {
    struct proto own = {NULL, 0};
    if (growth == CALLS_OF_LOOPS) {
        proto_message(&own, 1, model_call("local", "f", "x count", "y"));
    } else {
        proto_message(&own, 1, grow(growth, depth, "x", "y"));
    }
    struct proto count = {NULL, 0}, scanned = {NULL, 0};
    proto_int(&count, 2, ONNX_INT64);
    proto_text(&count, 8, "count");
    proto_bytes(&count, 9, (const int64_t[]){4}, 8);
    proto_message(&own, 5, count);
    proto_int(&scanned, 1, 4);
    proto_int(&scanned, 2, ONNX_INT64);
    proto_text(&scanned, 8, "scanned");
    proto_bytes(&scanned, 9, (const int64_t[]){1, 2, 3, 4}, 32);
    proto_message(&own, 5, scanned);
    proto_message(&own, 11, model_value("x", ONNX_FLOAT, "2 6"));
    proto_message(&own, 12, model_value("y", ONNX_FLOAT, "2 6"));
    struct proto bytes = model_of(own), function = {NULL, 0};
    proto_message(&bytes, 8, model_opset("local", 1));
    proto_text(&function, 1, "f");
    model_names(&function, 4, growth == CALLS_OF_LOOPS ? "a count" : "a");
    model_names(&function, 5, "p");
    proto_message(&function, 9, model_opset("", 17));
    proto_message(&function, 9, model_opset("local", 1));
    proto_text(&function, 10, "local");
    proto_message(&function, 7, growth == CALLS_OF_LOOPS ? grow(growth, depth, "a", "p") : model_node("Neg", "a", "p"));
    proto_message(&bytes, 25, function);
    return bytes;
}

static bool plan_grown(enum growth growth, int depth, struct onnx_error *error, uint32_t *node_count) {
    struct onnx_model model;
    struct onnx_plan *plan;
    struct proto bytes = grown_model(growth, depth);
    allocated = 0;
    if (!onnx_read_model(bytes.bytes, bytes.length, NULL, &model, error)) {
        fail_msg("%s", error->text);
    }
    *error = (struct onnx_error){0};
    const bool is_planned = onnx_plan_create(&model, &model.graph, 1, &two_by_six, NULL, &plan, error);
    *node_count = is_planned ? onnx_plan_node_count(plan) : 0;
    assert_in_range(allocated, 1, (UINT64_C(256) << 20) + 1024 * bytes.length);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
    return is_planned;
}

/* Bodies multiply what they hold, and so do functions in them and they in functions: all draw on one budget. */
static void bodies_in_bodies_do_not_fill_memory(void **state) {
    struct onnx_error error = {0};
    uint32_t node_count;
    (void)state;
    for (enum growth growth = LOOPS; growth < GROWTHS; ++growth) {
        if (!plan_grown(growth, 3, &error, &node_count)) {
            fail_msg("kind %d: %s", (int)growth, error.text);
        }
        assert_int_equal(node_count, 4 * 4 * 4);
        if (plan_grown(growth, 15, &error, &node_count)) {
            fail_msg("kind %d: 15 bodies in one another are planned, must be refused", (int)growth);
        }
        if (strstr(error.text, "bodies of Loop, Scan and If expand to more than 1") == NULL) {
            fail_msg("kind %d: %s", (int)growth, error.text);
        }
    }
}

/* A body that is not nested is planned for all turns that a Loop may have, however large it is. */
static void a_large_body_is_planned_for_all_turns(void **state) {
    enum { NODES = 1000, TURNS = 64 };
    struct onnx_model model;
    struct proto body = {NULL, 0};
    char in[32], out[32];
    (void)state;
    for (int n = 0; n < NODES; ++n) {
        snprintf(in, sizeof in, "/model/layer/n%d", n);
        snprintf(out, sizeof out, "/model/layer/n%d", n + 1);
        proto_message(&body, 1, model_node("Neg", in, out));
    }
    proto_message(&body, 11, model_value("turn", ONNX_INT64, ""));
    proto_message(&body, 11, model_value("go", ONNX_BOOL, ""));
    proto_message(&body, 11, model_value("/model/layer/n0", ONNX_FLOAT, "2 6"));
    proto_message(&body, 12, model_value("go", ONNX_BOOL, ""));
    proto_message(&body, 12, model_value(out, ONNX_FLOAT, "2 6"));
    add_ints("count", 1, (const int64_t[]){TURNS});
    proto_message(&graph, 1, with_graph(model_node("Loop", "count - x", "y"), "body", body));
    add_input("x", ONNX_FLOAT, "2 6");
    add_output("y", ONNX_FLOAT, "2 6");
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, &two_by_six);
    assert_int_equal(onnx_plan_node_count(plan), NODES * TURNS);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

/* Each table is small enough, together they are not; results that need not be computed while planning are not. */
static void tables_are_bounded_together(void **state) {
    enum { BYTES = 8 << 10 };
    const struct onnx_plan_options options = {.host_limit = 4 * BYTES};
    static int64_t ints[BYTES / 8];
    struct onnx_model model;
    struct onnx_plan *plan = NULL;
    (void)state;
    add_ints("first", 1, (const int64_t[]){0});
    add_ints("last", 1, (const int64_t[]){BYTES / 8});
    add_ints("step", 1, (const int64_t[]){1});
    add_ints("table", BYTES / 8, ints);
    add_node("Add", "table table", "folded");
    add_node("Add", "folded folded", "left");
    add_node("Range", "first last step", "y1");
    add_node("Range", "first last step", "y2");
    add_node("Range", "first last step", "y3");
    add_node("Range", "first last step", "y4");
    add_output("left", ONNX_INT64, "n");
    for (int n = 1; n < 5; ++n) {
        char name[16];
        snprintf(name, sizeof name, "y%d", n);
        add_output(name, ONNX_INT64, "n");
        const struct proto copy = graph;
        struct onnx_error error = {0};
        graph = (struct proto){NULL, 0};
        proto_append(&graph, copy.bytes, copy.length);
        struct proto bytes = read_graph(&model);
        graph = copy;
        const bool is_planned = onnx_plan_create(&model, &model.graph, 0, NULL, &options, &plan, &error);
        assert_int_equal(is_planned, n < 4);
        if (is_planned) {
            assert_int_equal(onnx_plan_node_count(plan), 1);
        } else {
            assert_non_null(strstr(error.text, "Range: tensors that are computed before the model runs take more than"));
        }
        onnx_plan_free(plan);
        onnx_arena_free(&model.arena);
        proto_free(&bytes);
    }
    proto_free(&graph);
}

static void each_row_of_the_table_is_found(void **state) {
    (void)state;
    const struct onnx_operator *row;
    uint32_t count = 0;
    for (; (row = onnx_operator_at(count)) != NULL; ++count) {
        assert_ptr_equal(onnx_find_operator(row->domain, row->op, row->since), row);
    }
    assert_in_range(count, 100, UINT32_MAX);
    assert_null(onnx_find_operator("", "NoSuchOperator", 20));
    assert_null(onnx_find_operator("no.such.domain", "Add", 20));
    assert_null(onnx_find_operator("", "Add", 0));
}

static void add_softmax(int64_t axis, const char *input, const char *output) {
    struct proto node = model_node("Softmax", input, output), attribute = {NULL, 0};
    proto_text(&attribute, 1, "axis");
    proto_int(&attribute, 3, (uint64_t)axis);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_INT);
    proto_message(&node, 5, attribute);
    proto_message(&graph, 1, node);
}

/* Nodes share an operator where all of its descriptor is the same: not where attributes, sizes or types differ. */
static void equal_operators_are_one(void **state) {
    struct onnx_model model;
    (void)state;
    add_node("Relu", "x", "a");
    add_node("Relu", "a", "b");
    add_softmax(1, "b", "c");
    add_softmax(0, "c", "d");
    add_softmax(1, "d", "e");
    add_node("Relu", "other", "f");
    add_node("Abs", "x", "g");
    add_node("Abs", "ints", "h");
    add_input("x", ONNX_FLOAT, "2 6");
    add_input("other", ONNX_FLOAT, "6 2");
    add_input("ints", ONNX_INT32, "2 6");
    add_output("e", ONNX_FLOAT, "2 6");
    add_output("f", ONNX_FLOAT, "6 2");
    add_output("g", ONNX_FLOAT, "2 6");
    add_output("h", ONNX_INT32, "2 6");
    const struct onnx_plan_input inputs[] = {two_by_six,
                                             {.type = ONNX_FLOAT, .rank = 2, .sizes = {6, 2}},
                                             {.type = ONNX_INT32, .rank = 2, .sizes = {2, 6}}};
    struct proto bytes = read_graph(&model);
    struct onnx_plan *plan = plan_graph(&model, inputs);
    const uint32_t expected[] = {0, 0, 1, 2, 1, 3, 4, 5};
    assert_int_equal(plan->node_count, sizeof expected / sizeof *expected);
    assert_int_equal(plan->known_count, 6);
    for (uint32_t n = 0; n < plan->node_count; ++n) {
        assert_int_equal(plan->nodes[n].known, expected[n]);
    }
    assert_int_equal(onnx_plan_outputs(plan)[1].sizes[0], 6);
    assert_int_equal(onnx_plan_outputs(plan)[3].type, ONNX_INT32);
    onnx_plan_free(plan);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_of_the_table_is_found),
        cmocka_unit_test(equal_operators_are_one),
        cmocka_unit_test(shapes_are_folded),
        cmocka_unit_test(inputs_are_looked_at_where_shapes_ask),
        cmocka_unit_test(an_initializer_holds_where_nothing_is_given),
        cmocka_unit_test(plans_hold_for_a_range),
        cmocka_unit_test(plans_hold_for_a_step_of_lengths),
        cmocka_unit_test(the_first_input_of_concat_grows),
        cmocka_unit_test(inputs_that_never_grow_are_remembered),
        cmocka_unit_test(views_leave_no_operators),
        cmocka_unit_test(views_have_other_sizes),
        cmocka_unit_test(a_known_index_is_a_part),
        cmocka_unit_test(tensors_of_no_elements_have_no_operator),
        cmocka_unit_test(sizes_beyond_what_there_is_are_refused),
        cmocka_unit_test(operands_of_many_elements_are_not_looked_at),
        cmocka_unit_test(refusals_name_the_node),
        cmocka_unit_test(nodes_are_judged_one_by_one),
        cmocka_unit_test(types_are_judged_before_elements),
        cmocka_unit_test(views_of_any_type_are_copied),
        cmocka_unit_test(nodes_after_kept_bodies_are_translated),
        cmocka_unit_test(surplus_activations_are_left_out),
        cmocka_unit_test(types_are_judged_without_elements),
        cmocka_unit_test(windows_state_least_sizes),
        cmocka_unit_test(shapes_state_multiples),
        cmocka_unit_test(counts_of_elements_shrink_sizes),
        cmocka_unit_test(joined_sizes_state_sums),
        cmocka_unit_test(head_sizes_follow_from_queries),
        cmocka_unit_test(limits_may_be_other_sizes),
        cmocka_unit_test(sizes_that_cannot_fit_are_not_claimed),
        cmocka_unit_test(nodes_are_claimed_for_sizes_of_their_own),
        cmocka_unit_test(reasons_name_conditions),
        cmocka_unit_test(nodes_of_the_host_end_stages),
        cmocka_unit_test(what_follows_from_shapes_is_one_stage),
        cmocka_unit_test(strings_are_no_operands),
        cmocka_unit_test(strings_are_not_divided),
        cmocka_unit_test(what_fails_is_asked_nothing),
        cmocka_unit_test(tables_are_not_of_any_size),
        cmocka_unit_test(large_outputs_are_not_written_out),
        cmocka_unit_test(bodies_in_bodies_do_not_fill_memory),
        cmocka_unit_test(a_large_body_is_planned_for_all_turns),
        cmocka_unit_test(tables_are_bounded_together),
    };
    return cmocka_run_group_tests_name("onnx_plan", tests, NULL, NULL);
}
