/* Loops in which lengths grow: how many plans they take, and that each run gives the bits of a plan for exactly its
 * sizes. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "models.h"
#include "onnx/file.h"
#include "onnx/run.h"

enum { BATCH = 2, MOST_ROWS = 2, ROOM = 320, SIZE = 4, MOST_INPUTS = 4, MOST_OUTPUTS = 3 };

static struct onnx_device *device;

/* ---- models ---- */

struct subject {
    struct proto bytes;
    struct onnx_model model;
    struct onnx_session *session;
};

static struct proto with_int(struct proto node, const char *name, int64_t value) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    proto_int(&attribute, 3, value);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_INT);
    proto_message(&node, 5, attribute);
    return node;
}

static void add_ints(struct proto *graph, const char *name, int is_scalar, int64_t value) {
    struct proto tensor = {NULL, 0};
    if (!is_scalar) {
        proto_int(&tensor, 1, 1);
    }
    proto_int(&tensor, 2, ONNX_INT64);
    proto_text(&tensor, 8, name);
    proto_bytes(&tensor, 9, &value, sizeof value);
    proto_message(graph, 5, tensor);
}

static void open_subject(struct subject *s, struct proto graph, const struct onnx_session_options *options) {
    struct onnx_error error = {0};
    add_ints(&graph, "axis", 0, 1);
    add_ints(&graph, "zero", 0, 0);
    add_ints(&graph, "one", 1, 1);
    add_ints(&graph, "two", 1, 2);
    s->bytes = model_of_set(graph, 23);
    proto_message(&s->bytes, 8, model_opset("com.microsoft", 1));
    if (!onnx_read_model(s->bytes.bytes, s->bytes.length, NULL, &s->model, &error) ||
        !onnx_session_create(device, &s->model, &s->model.graph, options, &s->session, &error)) {
        fail_msg("%s", error.text);
    }
}

static void close_subject(struct subject *s) {
    onnx_session_free(s->session);
    onnx_arena_free(&s->model.arena);
    proto_free(&s->bytes);
}

static bool slices; /* the total length is taken by Slice and not by Gather */

/* What GenAI's model builder writes before GroupQueryAttention. */
static void add_mask_arithmetic(struct proto *graph) {
    proto_message(graph, 1, with_int(model_node("ReduceSum", "mask axis", "sums"), "keepdims", 0));
    proto_message(graph, 1, model_node("Sub", "sums one", "last"));
    proto_message(graph, 1, with_int(model_node("Cast", "last", "lengths"), "to", ONNX_INT32));
    proto_message(graph, 1, model_node("Shape", "mask", "shape"));
    if (slices) {
        add_ints(graph, "end", 0, INT64_MAX);
        proto_message(graph, 1, model_node("Slice", "shape axis end zero", "total64"));
    } else {
        proto_message(graph, 1, model_node("Gather", "shape one", "total64"));
    }
    proto_message(graph, 1, with_int(model_node("Cast", "total64", "total"), "to", ONNX_INT32));
}

/* Attention by an operator or as exporters write it; which, see below. */
static struct proto (*written)(const char *mask, const char *room);

static void add_values(struct proto *graph, const char *mask, const char *cache, const char *present) {
    proto_message(graph, 11, model_value("x", ONNX_FLOAT, "b s 16"));
    proto_message(graph, 11, model_value("k", ONNX_FLOAT, cache));
    proto_message(graph, 11, model_value("v", ONNX_FLOAT, cache));
    proto_message(graph, 11, model_value("mask", ONNX_INT64, mask));
    proto_message(graph, 12, model_value("y", ONNX_FLOAT, "b s 8"));
    proto_message(graph, 12, model_value("nk", ONNX_FLOAT, present));
    proto_message(graph, 12, model_value("nv", ONNX_FLOAT, present));
}

/* Attention with a cache that has room for ROOM keys. `mask` states the mask's sizes. */
static struct proto attention(const char *mask) {
    if (written != NULL) {
        return written(mask, "room");
    }
    struct proto graph = {NULL, 0};
    add_mask_arithmetic(&graph);
    struct proto node = model_call("com.microsoft", "GroupQueryAttention", "x - - k v lengths total", "y nk nv");
    node = with_int(with_int(node, "num_heads", 2), "kv_num_heads", 1);
    proto_message(&graph, 1, node);
    add_values(&graph, mask, "b 1 room 4", "b 1 nr 4");
    return graph;
}

/* ---- attention that appends by other operators ---- */

static struct proto with_perm(struct proto node, uint32_t count, const int64_t *perm) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, "perm");
    for (uint32_t i = 0; i < count; ++i) {
        proto_int(&attribute, 8, perm[i]);
    }
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_INTS);
    proto_message(&node, 5, attribute);
    return node;
}

static void add_list(struct proto *graph, const char *name, uint32_t count, const int64_t *values) {
    struct proto tensor = {NULL, 0};
    proto_int(&tensor, 1, count);
    proto_int(&tensor, 2, ONNX_INT64);
    proto_text(&tensor, 8, name);
    proto_bytes(&tensor, 9, values, count * sizeof *values);
    proto_message(graph, 5, tensor);
}

static void add_float(struct proto *graph, const char *name, float value) {
    struct proto tensor = {NULL, 0};
    proto_int(&tensor, 2, ONNX_FLOAT);
    proto_text(&tensor, 8, name);
    proto_bytes(&tensor, 9, &value, sizeof value);
    proto_message(graph, 5, tensor);
}

static void split_x(struct proto *graph) {
    proto_message(graph, 1, with_int(model_node("Split", "x parts", "q a b"), "axis", 2));
    add_list(graph, "parts", 3, (const int64_t[]){8, 4, 4});
}

static void add_caches(struct proto *graph, const char *mask, const char *room) {
    char cache[32];
    snprintf(cache, sizeof cache, "b 1 %s 4", room);
    add_values(graph, mask, cache, "b 1 nr 4");
}

/* As a bias: 0 where the mask is 1, and -1000 where it is 0. */
static void add_bias(struct proto *graph) {
    proto_message(graph, 1, model_node("Unsqueeze", "mask inner", "mask4"));
    proto_message(graph, 1, with_int(model_node("Cast", "mask4", "mask_floats"), "to", ONNX_FLOAT));
    proto_message(graph, 1, model_node("Sub", "mask_floats float_one", "negative"));
    proto_message(graph, 1, model_node("Mul", "negative large", "bias"));
    add_list(graph, "inner", 2, (const int64_t[]){1, 2});
    add_float(graph, "float_one", 1);
    add_float(graph, "large", 1000);
}

static void add_heads(struct proto *graph, const char *from, const char *sizes, const char *to) {
    char inputs[32], split[32];
    snprintf(inputs, sizeof inputs, "%s %s", from, sizes);
    snprintf(split, sizeof split, "%s_split", to);
    proto_message(graph, 1, model_node("Reshape", inputs, split));
    proto_message(graph, 1, with_perm(model_node("Transpose", split, to), 4, (const int64_t[]){0, 2, 1, 3}));
}

static bool is_masked = true; /* padding and rows to come; else all keys of the run are read */

/* Products and a softmax, over a causal mask of positions. */
static struct proto write_out(const char *mask, const char *room) {
    struct proto graph = {NULL, 0};
    split_x(&graph);
    add_bias(&graph);
    add_heads(&graph, "q", "two_heads", "qh");
    add_heads(&graph, "a", "one_head", "kh");
    add_heads(&graph, "b", "one_head", "vh");
    add_list(&graph, "two_heads", 4, (const int64_t[]){0, 0, 2, 4});
    add_list(&graph, "one_head", 4, (const int64_t[]){0, 0, 1, 4});
    proto_message(&graph, 1, with_int(model_node("Concat", "k kh", "nk"), "axis", -2));
    proto_message(&graph, 1, with_int(model_node("Concat", "v vh", "nv"), "axis", 2));
    proto_message(&graph, 1, with_perm(model_node("Transpose", "nk", "kt"), 4, (const int64_t[]){0, 1, 3, 2}));
    proto_message(&graph, 1, model_node("MatMul", "qh kt", "products"));
    proto_message(&graph, 1, model_node("Add", "products bias", "scores"));
    proto_message(&graph, 1, model_node("Shape", "k", "ks"));
    proto_message(&graph, 1, model_node("Gather", "ks two", "past"));
    proto_message(&graph, 1, model_node("Shape", "nk", "nks"));
    proto_message(&graph, 1, model_node("Gather", "nks two", "total"));
    proto_message(&graph, 1, model_node("Range", "past total one", "rows"));
    proto_message(&graph, 1, model_node("Range", "scalar_zero total one", "columns"));
    add_ints(&graph, "scalar_zero", 1, 0);
    proto_message(&graph, 1, model_node("Unsqueeze", "rows axis", "rows2"));
    proto_message(&graph, 1, model_node("LessOrEqual", "columns rows2", "keep"));
    proto_message(&graph, 1, model_node("Where", "keep scores least", "masked"));
    add_float(&graph, "least", -1000);
    const char *const scores = is_masked ? "masked" : "products";
    proto_message(&graph, 1, with_int(model_node("Softmax", scores, "weights"), "axis", -1));
    proto_message(&graph, 1, model_node("MatMul", "weights nv", "made"));
    proto_message(&graph, 1, with_perm(model_node("Transpose", "made", "joined"), 4, (const int64_t[]){0, 2, 1, 3}));
    proto_message(&graph, 1, model_node("Reshape", "joined merged", "y"));
    add_list(&graph, "merged", 3, (const int64_t[]){0, 0, 8});
    add_caches(&graph, mask, room);
    return graph;
}

/* Attention of ai.onnx. */
static struct proto attend(const char *mask, const char *room) {
    struct proto graph = {NULL, 0};
    split_x(&graph);
    add_bias(&graph);
    struct proto node = model_node("Attention", is_masked ? "q a b bias k v" : "q a b - k v", "y nk nv");
    node = with_int(with_int(node, "q_num_heads", 2), "kv_num_heads", 1);
    proto_message(&graph, 1, with_int(node, "is_causal", is_masked));
    add_caches(&graph, mask, room);
    return graph;
}

/* As many heads of queries as of keys. */
static struct proto attend_alike(const char *mask, const char *room) {
    struct proto graph = {NULL, 0};
    split_x(&graph);
    add_bias(&graph);
    proto_message(&graph, 1, with_int(model_node("Split", "q halves", "q1 q2"), "axis", 2));
    add_list(&graph, "halves", 2, (const int64_t[]){4, 4});
    proto_message(&graph, 1, model_node("Expand", "bias rows_one", "bias_rows"));
    add_list(&graph, "rows_one", 4, (const int64_t[]){1, 1, 1, 1});
    struct proto node = model_call("com.microsoft", "MultiHeadAttention", "q1 a b - - bias_rows k v", "half nk nv");
    proto_message(&graph, 1, with_int(with_int(node, "num_heads", 1), "unidirectional", 1));
    proto_message(&graph, 1, with_int(model_node("Concat", "half q2", "y"), "axis", 2));
    add_caches(&graph, mask, room);
    return graph;
}

/* ---- runs ---- */

struct results {
    bool is_new;
    uint32_t count;
    struct onnx_plan_output outputs[MOST_OUTPUTS];
    unsigned char *bytes[MOST_OUTPUTS];
};

static void free_results(struct results *results) {
    for (uint32_t i = 0; i < MOST_OUTPUTS; ++i) {
        free(results->bytes[i]);
    }
}

static struct results run_at(struct subject *s, const struct onnx_plan_input *inputs, const struct onnx_place *places) {
    struct results results = {.count = s->model.graph.output_count};
    struct onnx_error error = {0};
    struct onnx_run *run;
    struct onnx_run_facts facts;
    if (!onnx_run_begin_at(s->session, s->model.graph.input_count, inputs, places, &run, &error)) {
        fail_msg("%s", error.text);
    }
    void *outputs[MOST_OUTPUTS];
    for (uint32_t i = 0; i < results.count; ++i) {
        results.outputs[i] = onnx_run_outputs(run)[i];
        outputs[i] = results.bytes[i] = calloc(1, results.outputs[i].bytes + 1);
    }
    if (!onnx_run_execute(run, outputs, &error)) {
        fail_msg("%s", error.text);
    }
    onnx_run_facts(run, &facts);
    results.is_new = facts.is_new;
    onnx_run_end(run);
    return results;
}

static void expect_same(const struct results *a, const struct results *b) {
    for (uint32_t i = 0; i < a->count; ++i) {
        assert_int_equal(a->outputs[i].rank, b->outputs[i].rank);
        assert_memory_equal(a->outputs[i].sizes, b->outputs[i].sizes, a->outputs[i].rank * sizeof(uint32_t));
        assert_int_equal(a->outputs[i].bytes, b->outputs[i].bytes);
        assert_memory_equal(a->bytes[i], b->bytes[i], a->outputs[i].bytes);
    }
}

/* The same of the first output's floats nearly: a plan for more elements may add in another order. */
static void expect_near(const struct results *a, const struct results *b) {
    assert_int_equal(a->outputs[0].bytes, b->outputs[0].bytes);
    for (uint32_t i = 0; i < a->outputs[0].bytes / sizeof(float); ++i) {
        const float difference = ((float *)a->bytes[0])[i] - ((float *)b->bytes[0])[i];
        assert_true(difference < 1e-5F && difference > -1e-5F);
    }
    for (uint32_t i = 1; i < a->count; ++i) {
        assert_int_equal(a->outputs[i].bytes, b->outputs[i].bytes);
        assert_memory_equal(a->bytes[i], b->bytes[i], a->outputs[i].bytes);
    }
}

/* ---- attention ---- */

/* Of attention in the test that runs. */
static uint32_t batch, rows;

struct cache {
    float x[BATCH * MOST_ROWS * 16], k[BATCH * ROOM * SIZE], v[BATCH * ROOM * SIZE];
    int64_t mask[BATCH * ROOM];
};

/* The second sequence is two shorter. */
static void fill(struct cache *c, uint32_t total) {
    for (uint32_t i = 0; i < BATCH * MOST_ROWS * 16; ++i) {
        c->x[i] = (float)((i * 37 + total * 11) % 29) / 16 - 1;
    }
    for (uint32_t i = 0; i < BATCH * ROOM * SIZE; ++i) {
        c->k[i] = (float)(i * 13 % 31) / 16 - 1;
        c->v[i] = (float)(i * 7 % 23) / 16 - 1;
    }
    for (uint32_t b = 0; b < BATCH; ++b) {
        for (uint32_t i = 0; i < total; ++i) {
            c->mask[b * total + i] = b == 0 || i + 2 < total;
        }
    }
}

static void take_inputs(const struct cache *c, uint32_t room, uint32_t total, struct onnx_plan_input *inputs) {
    inputs[0] = (struct onnx_plan_input){.type = ONNX_FLOAT, .rank = 3, .sizes = {batch, rows, 16}, .data = c->x};
    inputs[1] = (struct onnx_plan_input){.type = ONNX_FLOAT, .rank = 4, .sizes = {batch, 1, room, SIZE}, .data = c->k};
    inputs[2] = (struct onnx_plan_input){.type = ONNX_FLOAT, .rank = 4, .sizes = {batch, 1, room, SIZE}, .data = c->v};
    inputs[3] = (struct onnx_plan_input){.type = ONNX_INT64, .rank = 2, .sizes = {batch, total}, .data = c->mask};
}

/* By a model that states the mask's size, which a plan is for. */
static struct results run_exactly(const struct onnx_plan_input *inputs, uint32_t total) {
    char sizes[32];
    struct subject s;
    snprintf(sizes, sizeof sizes, "b %u", (unsigned)total);
    if (written != NULL) {
        char room[16];
        snprintf(room, sizeof room, "%u", (unsigned)inputs[1].sizes[inputs[1].rank == 5 ? 3 : 2]);
        open_subject(&s, written(sizes, room), NULL);
    } else {
        open_subject(&s, attention(sizes), NULL);
    }
    const struct results results = run_at(&s, inputs, NULL);
    close_subject(&s);
    return results;
}

static uint32_t count_plans(struct subject *s, uint32_t room, uint32_t total, bool is_compared) {
    struct cache c;
    struct onnx_plan_input inputs[MOST_INPUTS];
    fill(&c, total);
    take_inputs(&c, room, total, inputs);
    struct results results = run_at(s, inputs, NULL);
    if (is_compared) {
        struct results exact = run_exactly(inputs, total);
        expect_near(&results, &exact);
        free_results(&exact);
    }
    free_results(&results);
    return results.is_new;
}

static void a_growing_mask_takes_one_plan_per_step(void **state) {
    struct subject s;
    uint32_t plans = 0;
    (void)state;
    open_subject(&s, attention("b total"), NULL);
    for (uint32_t total = 5; total < 17; ++total) {
        plans += count_plans(&s, ROOM, total, total % 5 == 0);
    }
    assert_int_equal(plans, 1);
    assert_int_equal(count_plans(&s, ROOM, 256, false), 0);
    assert_int_equal(count_plans(&s, ROOM, 257, true), 1);
    assert_int_equal(count_plans(&s, ROOM, ROOM, true), 0);
    assert_int_equal(count_plans(&s, ROOM, 3, true), 0); /* what was longer before is not seen */
    close_subject(&s);
}

static void the_total_length_may_be_sliced(void **state) {
    struct subject s;
    (void)state;
    slices = true;
    open_subject(&s, attention("b total"), NULL);
    assert_int_equal(count_plans(&s, 16, 7, false), 1);
    assert_int_equal(count_plans(&s, 16, 8, true), 0);
    close_subject(&s);
}

/* The cache is full: total_sequence_length is beyond its room, which makes it grow. */
static void a_plan_for_a_cache_with_room_does_not_hold_without(void **state) {
    struct subject s;
    (void)state;
    open_subject(&s, attention("b total"), NULL);
    assert_int_equal(count_plans(&s, 8, 7, false), 1);
    assert_int_equal(count_plans(&s, 8, 8, true), 0);
    assert_int_equal(count_plans(&s, 8, 9, true), 1);
    close_subject(&s);
}

static void the_reference_runs_it_too(void **state) {
    const struct onnx_session_options options = {.by_reference = true};
    struct subject s;
    struct cache c;
    struct onnx_plan_input inputs[MOST_INPUTS];
    (void)state;
    open_subject(&s, attention("b total"), &options);
    for (uint32_t total = 6; total > 4; --total) {
        fill(&c, total);
        take_inputs(&c, 8, total, inputs);
        struct results by_reference = run_at(&s, inputs, NULL), exact = run_exactly(inputs, total);
        assert_int_equal(by_reference.is_new, total == 6);
        expect_near(&by_reference, &exact);
        free_results(&by_reference);
        free_results(&exact);
    }
    close_subject(&s);
}

/* ---- a cache that grows ---- */

/* Appends the rows that a run made, from a cache without room. */
static void expect_growing(struct subject *s, uint32_t past, uint32_t *plans) {
    struct cache c;
    struct onnx_plan_input inputs[MOST_INPUTS];
    struct subject fresh;
    fill(&c, past + rows);
    take_inputs(&c, past, past + rows, inputs);
    open_subject(&fresh, attention("b total"), NULL);
    struct results results = run_at(s, inputs, NULL), again = run_at(&fresh, inputs, NULL);
    struct results exact = run_exactly(inputs, past + rows);
    *plans += results.is_new;
    expect_same(&results, &again);
    assert_int_equal(results.outputs[1].sizes[2], past + rows);
    expect_near(&results, &exact);
    free_results(&results);
    free_results(&again);
    free_results(&exact);
    close_subject(&fresh);
}

/* Of one sequence the rows that are past follow from sizes, of more from the mask. */
static void new_rows_may_be_some(void **state) {
    (void)state;
    for (uint32_t count = 0; count < 3; ++count) {
        struct subject s;
        uint32_t plans = 0;
        batch = count == 2 ? 2 : 1;
        rows = count == 0 ? 1 : 2;
        open_subject(&s, attention("b total"), NULL);
        for (uint32_t past = 5; past < 14; past += 4) {
            expect_growing(&s, past, &plans);
        }
        assert_int_equal(plans, 1);
        close_subject(&s);
    }
}

static void a_growing_cache_takes_one_plan_per_step(void **state) {
    struct subject s;
    uint32_t plans = 0;
    (void)state;
    open_subject(&s, attention("b total"), NULL);
    for (uint32_t past = 3; past < 8; ++past) {
        expect_growing(&s, past, &plans);
    }
    assert_int_equal(plans, 1);
    expect_growing(&s, 63, &plans);
    assert_int_equal(plans, 1);
    expect_growing(&s, 64, &plans);
    assert_int_equal(plans, 2);
    expect_growing(&s, 127, &plans);
    expect_growing(&s, 5, &plans);
    assert_int_equal(plans, 2);
    /* Of the same sizes but for the mask's: it does not grow by one. */
    assert_int_equal(count_plans(&s, 70, 60, false), 1);
    assert_int_equal(count_plans(&s, 70, 61, false), 0);
    close_subject(&s);
}

/* Each appends to caches that are outputs too. */
static void attention_that_appends_takes_one_plan_per_step(void **state) {
    struct proto (*const all[])(const char *mask, const char *room) = {write_out, attend, attend_alike};
    (void)state;
    for (size_t i = 0; i < 5; ++i) {
        struct subject s;
        uint32_t plans = 0;
        is_masked = i < 3;
        written = all[i % 3];
        rows = written == write_out ? 1 : 2;
        open_subject(&s, attention("b total"), NULL);
        for (uint32_t past = 61; past < 66; past += 2) {
            expect_growing(&s, past, &plans);
        }
        assert_int_equal(plans, 2);
        close_subject(&s);
    }
}

/* A mask on the device is padded there. */
static void a_mask_on_the_device_grows(void **state) {
    struct onnx_pool *pool;
    struct onnx_error error = {0};
    struct subject s;
    struct cache c;
    uint32_t plans = 0;
    (void)state;
    assert_true(onnx_pool_create(device, &pool, &error));
    const struct onnx_session_options options = {.pool = pool};
    open_subject(&s, attention("b total"), &options);
    void *memory = onnx_pool_allocate(pool, sizeof c.mask, &error);
    assert_non_null(memory);
    for (uint32_t total = 9; total > 2; total -= 3) {
        struct onnx_plan_input inputs[MOST_INPUTS];
        struct onnx_place places[MOST_INPUTS] = {{0}};
        fill(&c, total);
        take_inputs(&c, 16, total, inputs);
        struct results exact = run_exactly(inputs, total);
        assert_true(onnx_pool_find(pool, memory, BATCH * total * sizeof *c.mask, &places[3]));
        assert_true(onnx_place_write(pool, &places[3], c.mask, BATCH * total * sizeof *c.mask, &error));
        inputs[3].data = NULL;
        struct results results = run_at(&s, inputs, places);
        plans += results.is_new;
        expect_same(&results, &exact);
        free_results(&results);
        free_results(&exact);
    }
    assert_int_equal(plans, 1);
    close_subject(&s);
    onnx_pool_release(pool, memory);
    onnx_pool_free(pool);
}

static uint32_t count_recordings(const struct subject *s) {
    uint32_t count = 0;
    for (const struct onnx_recording *r = s->session->runs->recordings; r != NULL; r = r->next) {
        ++count;
    }
    return count;
}

/* Keys and values go to and fro between two sets of places, or from the host to one set. */
static void grow_on_the_device(bool begins_on_host) {
    enum { FIRST = 3, LAST = 7 };
    struct onnx_pool *pool;
    struct onnx_error error = {0};
    struct subject s;
    struct cache c;
    unsigned char *memory[4];
    uint32_t plans = 0;
    assert_true(onnx_pool_create(device, &pool, &error));
    const struct onnx_session_options options = {.pool = pool};
    open_subject(&s, attention("b total"), &options);
    for (int i = 0; i < 4; ++i) {
        memory[i] = onnx_pool_allocate(pool, sizeof c.k, &error);
        assert_non_null(memory[i]);
    }
    for (uint32_t past = FIRST; past <= LAST; ++past) {
        const uint32_t from = begins_on_host ? 0 : past % 2 * 2, to = 2 - from;
        const size_t bytes = BATCH * past * SIZE * sizeof(float), made = BATCH * (past + 1) * SIZE * sizeof(float);
        struct onnx_plan_input inputs[MOST_INPUTS];
        struct onnx_place places[MOST_INPUTS] = {{0}}, out[MOST_OUTPUTS] = {{0}};
        struct onnx_run_facts facts;
        struct onnx_run *run;
        float y[BATCH * 8], k[BATCH * ROOM * SIZE], v[BATCH * ROOM * SIZE];
        fill(&c, past + 1);
        take_inputs(&c, past, past + 1, inputs);
        assert_true(onnx_pool_find(pool, memory[from], bytes, &places[1]));
        assert_true(onnx_pool_find(pool, memory[from + 1], bytes, &places[2]));
        assert_true(onnx_pool_find(pool, memory[to], made, &out[1]));
        assert_true(onnx_pool_find(pool, memory[to + 1], made, &out[2]));
        if (past == FIRST || begins_on_host) {
            assert_true(onnx_place_write(pool, &places[1], c.k, bytes, &error));
            assert_true(onnx_place_write(pool, &places[2], c.v, bytes, &error));
        }
        assert_true(onnx_place_read(pool, &places[1], c.k, bytes, &error));
        assert_true(onnx_place_read(pool, &places[2], c.v, bytes, &error));
        struct results exact = run_exactly(inputs, past + 1);
        if (begins_on_host) {
            places[1] = places[2] = (struct onnx_place){NULL, 0};
        } else {
            inputs[1].data = inputs[2].data = NULL;
        }
        assert_true(onnx_run_begin_at(s.session, MOST_INPUTS, inputs, places, &run, &error));
        assert_true(onnx_run_execute_at(run, (void *[]){y, NULL, NULL}, out, &error));
        onnx_run_facts(run, &facts);
        onnx_run_end(run);
        plans += facts.is_new;
        assert_true(onnx_place_read(pool, &out[1], k, made, &error));
        assert_true(onnx_place_read(pool, &out[2], v, made, &error));
        assert_memory_equal(k, exact.bytes[1], made);
        assert_memory_equal(v, exact.bytes[2], made);
        free_results(&exact);
    }
    assert_int_equal(plans, 1);
    assert_int_equal(count_recordings(&s), 1); /* copies alone are recorded for each length */
    close_subject(&s);
    for (int i = 0; i < 4; ++i) {
        onnx_pool_release(pool, memory[i]);
    }
    onnx_pool_free(pool);
}

static void a_cache_on_the_device_grows(void **state) {
    (void)state;
    grow_on_the_device(false);
    grow_on_the_device(true);
    written = write_out;
    grow_on_the_device(false);
}

/* ---- mask arithmetic ---- */

static struct proto cast(const char *from, const char *to, enum onnx_type type) {
    return with_int(model_node("Cast", from, to), "to", (int64_t)type);
}

static void sum_after_casts(struct proto *graph) {
    proto_message(graph, 1, cast("mask", "bits", ONNX_BOOL));
    proto_message(graph, 1, cast("bits", "numbers", ONNX_INT32));
    proto_message(graph, 1, model_node("Identity", "numbers", "same"));
    proto_message(graph, 1, model_node("ReduceSum", "same axis", "sums"));
    proto_message(graph, 1, cast("sums", "y", ONNX_INT64));
}

/* An output that grows as the mask does. */
static void cast_the_mask(struct proto *graph) {
    proto_message(graph, 1, cast("mask", "numbers", ONNX_INT32));
    proto_message(graph, 1, cast("numbers", "y", ONNX_INT64));
}

/* Exact for integers, also where floats are chosen by them. */
static void choose_by_sizes(struct proto *graph) {
    proto_message(graph, 1, model_node("Shape", "mask", "s"));
    proto_message(graph, 1, model_node("Gather", "s one", "n"));
    proto_message(graph, 1, with_int(model_node("ReduceSum", "mask axis", "sums"), "keepdims", 0));
    proto_message(graph, 1, model_node("Less", "sums n", "is_short"));
    proto_message(graph, 1, model_node("Where", "is_short sums n", "y"));
}

static void sum_all(struct proto *graph) {
    proto_message(graph, 1, with_int(model_node("ReduceSum", "mask", "y"), "keepdims", 0));
}

static void combine_sizes(struct proto *graph) {
    proto_message(graph, 1, model_node("Shape", "mask", "s"));
    proto_message(graph, 1, model_node("Gather", "s axis", "n"));
    proto_message(graph, 1, model_node("Mul", "n two", "m"));
    proto_message(graph, 1, model_node("Sub", "two m", "d"));
    proto_message(graph, 1, with_int(model_node("Concat", "d s n", "t"), "axis", 0));
    proto_message(graph, 1, model_node("Add", "t s1", "y"));
    proto_message(graph, 1, model_node("Gather", "s zero", "s1")); /* the batch, which is fixed */
}

/* Not linear: computed on the device. */
static void multiply_sizes(struct proto *graph) {
    proto_message(graph, 1, model_node("Shape", "mask", "s"));
    proto_message(graph, 1, model_node("Mul", "s s", "squares"));
    proto_message(graph, 1, with_int(model_node("ReduceSum", "mask axis", "sums"), "keepdims", 0));
    proto_message(graph, 1, model_node("Sub", "squares sums", "y"));
}

static void sum_over_the_batch(struct proto *graph) {
    proto_message(graph, 1, model_node("ReduceSum", "mask zero", "y"));
}

static void sum_floats(struct proto *graph) {
    proto_message(graph, 1, cast("mask", "numbers", ONNX_FLOAT));
    proto_message(graph, 1, model_node("ReduceSum", "numbers axis", "sums"));
    proto_message(graph, 1, cast("sums", "y", ONNX_INT64));
}

static void add_elements(struct proto *graph) {
    proto_message(graph, 1, model_node("Identity", "mask", "same"));
    proto_message(graph, 1, model_node("Add", "same one", "y"));
}

static void transpose_the_mask(struct proto *graph) {
    proto_message(graph, 1, model_node("Identity", "mask", "same"));
    proto_message(graph, 1, model_node("Transpose", "same", "turned"));
    proto_message(graph, 1, model_node("ReduceSum", "turned axis", "y"));
}

static void count_elements(struct proto *graph) {
    proto_message(graph, 1, model_node("Identity", "mask", "same"));
    proto_message(graph, 1, model_node("Size", "same", "y"));
}

static void divide_by_sizes(struct proto *graph) {
    proto_message(graph, 1, model_node("Shape", "mask", "s"));
    proto_message(graph, 1, cast("s", "f", ONNX_FLOAT));
    proto_message(graph, 1, model_node("Sqrt", "f", "root"));
    proto_message(graph, 1, cast("root", "y", ONNX_INT64));
}

static void expand_to_sizes(struct proto *graph) {
    proto_message(graph, 1, model_node("Shape", "mask", "s"));
    proto_message(graph, 1, model_node("Expand", "two s", "y"));
}

/* Position ids and a causal mask, as exporters write them. */
static void compare_positions(struct proto *graph) {
    proto_message(graph, 1, model_node("Shape", "mask", "s"));
    proto_message(graph, 1, model_node("Gather", "s one", "n"));
    proto_message(graph, 1, model_node("Range", "z n one", "columns"));
    proto_message(graph, 1, model_node("Unsqueeze", "columns axis", "rows"));
    proto_message(graph, 1, model_node("LessOrEqual", "columns rows", "keep"));
    proto_message(graph, 1, cast("keep", "y", ONNX_INT64));
}

/* Those of the last three. */
static void take_last(struct proto *graph) {
    add_ints(graph, "begin", 0, -3);
    add_ints(graph, "end", 0, INT64_MAX);
    proto_message(graph, 1, model_node("Slice", "mask begin end axis", "part"));
    proto_message(graph, 1, with_int(model_node("Gather", "mask minus", "last"), "axis", 1));
    proto_message(graph, 1, model_node("Add", "part last", "y"));
    add_ints(graph, "minus", 0, -1);
}

static void sum_positions(struct proto *graph) {
    proto_message(graph, 1, model_node("CumSum", "mask one", "sums"));
    proto_message(graph, 1, model_node("Sub", "sums one", "places"));
    proto_message(graph, 1, model_node("Equal", "mask z", "is_unused"));
    proto_message(graph, 1, model_node("Where", "is_unused one places", "y"));
}

struct variant {
    const char *name;
    void (*add)(struct proto *graph);
    uint32_t plans; /* of three sizes */
};

static struct proto variant_graph(const struct variant *variant, const char *mask) {
    struct proto graph = {NULL, 0};
    variant->add(&graph);
    add_ints(&graph, "z", 1, 0);
    proto_message(&graph, 11, model_value("mask", ONNX_INT64, mask));
    proto_message(&graph, 12, model_value("y", ONNX_INT64, "?"));
    return graph;
}

static void expect_variant(const struct variant *variant) {
    struct subject open;
    uint32_t plans = 0;
    open_subject(&open, variant_graph(variant, "b total"), NULL);
    for (uint32_t total = 12; total > 4; total -= 3) {
        char sizes[32];
        struct subject exactly;
        struct cache c;
        fill(&c, total);
        c.mask[1] = -7; /* a number like any other */
        const struct onnx_plan_input input = {
            .type = ONNX_INT64, .rank = 2, .sizes = {BATCH, total}, .data = c.mask};
        snprintf(sizes, sizeof sizes, "%d %u", BATCH, (unsigned)total);
        open_subject(&exactly, variant_graph(variant, sizes), NULL);
        struct results results = run_at(&open, &input, NULL), exact = run_at(&exactly, &input, NULL);
        plans += results.is_new;
        expect_same(&results, &exact);
        free_results(&results);
        free_results(&exact);
        close_subject(&exactly);
    }
    close_subject(&open);
    if (plans != variant->plans) {
        fail_msg("%s: %u plans, must be %u", variant->name, (unsigned)plans, (unsigned)variant->plans);
    }
}

static void sizes_are_data_where_no_shape_depends_on_them(void **state) {
    static const struct variant variants[] = {
        {"a sum after casts", sum_after_casts, 1},        {"a sum of all", sum_all, 1},
        {"linear in a size", combine_sizes, 1},           {"a square of a size", multiply_sizes, 1},
        {"a mask of another type", cast_the_mask, 1},     {"a choice by a size", choose_by_sizes, 1},
        {"a sum over the batch", sum_over_the_batch, 1},  {"a sum of floats", sum_floats, 3},
        {"elements of the mask", add_elements, 1},        {"a transposed mask", transpose_the_mask, 1},
        {"a number of elements", count_elements, 3},      {"a root of a size", divide_by_sizes, 3},
        {"a shape of constants", expand_to_sizes, 3},     {"positions and a causal mask", compare_positions, 3},
        {"positions from sums", sum_positions, 1},        {"the last elements", take_last, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
        expect_variant(&variants[i]);
    }
}

/* Before each test. */
static int set_sizes(void **state) {
    (void)state;
    batch = BATCH;
    rows = 1;
    slices = false;
    written = NULL;
    is_masked = true;
    return 0;
}

static int set_up(void **state) {
    struct onnx_error error = {0};
    (void)state;
    return !onnx_device_open(NULL, &device, &error);
}

static int tear_down(void **state) {
    (void)state;
    onnx_device_close(device);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_growing_mask_takes_one_plan_per_step, set_sizes),
        cmocka_unit_test_setup(the_total_length_may_be_sliced, set_sizes),
        cmocka_unit_test_setup(a_plan_for_a_cache_with_room_does_not_hold_without, set_sizes),
        cmocka_unit_test_setup(the_reference_runs_it_too, set_sizes),
        cmocka_unit_test_setup(a_growing_cache_takes_one_plan_per_step, set_sizes),
        cmocka_unit_test_setup(new_rows_may_be_some, set_sizes),
        cmocka_unit_test_setup(attention_that_appends_takes_one_plan_per_step, set_sizes),
        cmocka_unit_test_setup(a_mask_on_the_device_grows, set_sizes),
        cmocka_unit_test_setup(a_cache_on_the_device_grows, set_sizes),
        cmocka_unit_test_setup(sizes_are_data_where_no_shape_depends_on_them, set_sizes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
