/* One session and many shapes: weights are on the device once, memory does not grow with the number of shapes, and every
 * new shape has the bits that a session of its own has. On the machine's first Vulkan device.
 *
 * test_onnx_shapes [GRAPHS [SEED]]: random graphs, 2 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>
#include <unistd.h>

#include "models.h"
#include "onnx/file.h"
#include "onnx/session.h"
#include "onnx/vkdml_onnx.h"

enum { WIDTH = 64, MOST_ROWS = 400, WEIGHT_BYTES = 4 * WIDTH * WIDTH };

static uint32_t graphs = 2, seed = 1;
static struct onnx_device *device;
static float x[MOST_ROWS * WIDTH];

static uint32_t next_random(uint32_t *state, uint32_t below) {
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % below;
}

/* Numbers that sums of a graph keep apart. */
static struct proto weights_of(const char *name, uint32_t rank, const int64_t *sizes, uint32_t of) {
    struct proto tensor = {NULL, 0}, raw = {NULL, 0};
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        proto_int(&tensor, 1, sizes[i]);
        count *= sizes[i];
    }
    proto_int(&tensor, 2, ONNX_FLOAT);
    proto_text(&tensor, 8, name);
    for (int64_t i = 0; i < count; i++) {
        const float number = ((float)next_random(&of, 2001) - 1000) / 4000;
        proto_append(&raw, &number, 4);
    }
    proto_message(&tensor, 9, raw);
    return tensor;
}

/* ---- models ---- */

struct subject {
    struct proto bytes;
    struct onnx_model model;
    struct onnx_session *session;
};

static void open_subject(struct subject *subject, struct proto graph, const struct onnx_session_options *options) {
    struct onnx_error error = {0};
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 64"));
    subject->bytes = model_of(graph);
    if (!onnx_read_model(subject->bytes.bytes, subject->bytes.length, NULL, &subject->model, &error) ||
        !onnx_session_create(device, &subject->model, &subject->model.graph, options, &subject->session, &error)) {
        fail_msg("%s", error.text);
    }
}

static void close_subject(struct subject *subject) {
    onnx_session_free(subject->session);
    onnx_arena_free(&subject->model.arena);
    proto_free(&subject->bytes);
}

/* Runs a session on the first rows of x. Returns the one output, to be freed, and its bytes. */
static void *run(struct onnx_session *session, uint32_t rows, uint64_t *bytes) {
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {rows, WIDTH}, .data = x};
    struct onnx_error error = {0};
    struct onnx_run *begun;
    if (!onnx_run_begin(session, 1, &input, &begun, &error)) {
        fail_msg("%u rows: %s", (unsigned)rows, error.text);
    }
    *bytes = onnx_run_outputs(begun)[0].bytes;
    void *output = calloc(1, *bytes + 1);
    assert_non_null(output);
    if (!onnx_run_execute(begun, &output, &error)) {
        fail_msg("%u rows: %s", (unsigned)rows, error.text);
    }
    onnx_run_end(begun);
    return output;
}

static void run_only(struct onnx_session *session, uint32_t rows) {
    uint64_t bytes;
    free(run(session, rows, &bytes));
}

static struct onnx_session_facts facts_of(struct onnx_session *session) {
    struct onnx_session_facts facts;
    onnx_session_facts(session, &facts);
    return facts;
}

/* count 0: a scalar. */
static struct proto int64s_of(const char *name, uint32_t count, const int64_t *numbers) {
    struct proto tensor = {NULL, 0}, raw = {NULL, 0};
    if (count != 0) {
        proto_int(&tensor, 1, count);
    }
    proto_int(&tensor, 2, ONNX_INT64);
    proto_text(&tensor, 8, name);
    proto_append(&raw, numbers, (count == 0 ? 1 : count) * sizeof *numbers);
    proto_message(&tensor, 9, raw);
    return tensor;
}

/* r = (n c) for x of n rows: planning computes it, of as many bytes for each shape and not the same. */
static void add_scaled(struct proto *graph) {
    static const int64_t sizes[] = {WIDTH, WIDTH};
    struct proto cast = model_node("Cast", "rows", "float"), to = {NULL, 0};
    proto_message(graph, 5, weights_of("c", 2, sizes, 3));
    proto_message(graph, 5, int64s_of("zero", 0, &(const int64_t){0}));
    proto_text(&to, 1, "to");
    proto_int(&to, 3, ONNX_FLOAT);
    proto_int(&to, 20, 2);
    proto_message(&cast, 5, to);
    proto_message(graph, 1, model_node("Shape", "x", "sizes"));
    proto_message(graph, 1, model_node("Gather", "sizes zero", "rows"));
    proto_message(graph, 1, cast);
    proto_message(graph, 1, model_node("Mul", "c float", "r"));
}

/* y = relu(x a) b, of two weights, or relu(x a) r. */
static struct proto products(bool is_scaled) {
    static const int64_t sizes[] = {WIDTH, WIDTH};
    struct proto graph = {NULL, 0};
    proto_message(&graph, 5, weights_of("a", 2, sizes, 1));
    proto_message(&graph, 5, weights_of("b", 2, sizes, 2));
    if (is_scaled) {
        add_scaled(&graph);
    }
    proto_message(&graph, 1, model_node("MatMul", "x a", "p"));
    proto_message(&graph, 1, model_node("Relu", "p", "q"));
    proto_message(&graph, 1, model_node("MatMul", is_scaled ? "q r" : "q b", "y"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "n 64"));
    return graph;
}

/* ---- tests ---- */

static void weights_are_on_the_device_once(void **state) {
    struct subject subject;
    (void)state;
    open_subject(&subject, products(false), NULL);
    run_only(subject.session, 40);
    const struct onnx_session_facts first = facts_of(subject.session);
    assert_int_equal(first.loaded_bytes, 2 * WEIGHT_BYTES);
    assert_true(first.weight_bytes >= 2 * WEIGHT_BYTES && first.weight_bytes < 3 * WEIGHT_BYTES);
    for (uint32_t rows = 1; rows <= 6; rows++) {
        run_only(subject.session, 40 - rows);
    }
    const struct onnx_session_facts last = facts_of(subject.session);
    assert_int_equal(last.loaded_bytes, first.loaded_bytes);
    assert_int_equal(last.weight_bytes, first.weight_bytes);
    assert_int_equal(last.tensor_bytes, first.tensor_bytes);
    assert_int_equal(last.kept_count, 7);
    close_subject(&subject);
}

/* Memory of tensors is that of the largest shape, with some room for growth. */
static void tensors_of_all_shapes_share_memory(void **state) {
    struct subject many, one;
    (void)state;
    open_subject(&many, products(false), NULL);
    open_subject(&one, products(false), NULL);
    run_only(one.session, MOST_ROWS);
    for (uint32_t rows = 50; rows <= MOST_ROWS; rows += 50) {
        run_only(many.session, rows);
    }
    assert_true(facts_of(many.session).tensor_bytes <= facts_of(one.session).tensor_bytes * 5 / 4 + 4096);
    /* Shapes whose memory was replaced run again. */
    for (uint32_t rows = 50; rows <= MOST_ROWS; rows += 50) {
        uint64_t bytes, expected_bytes;
        void *got = run(many.session, rows, &bytes), *expected = run(one.session, rows, &expected_bytes);
        assert_int_equal(bytes, expected_bytes);
        assert_memory_equal(got, expected, bytes);
        free(got);
        free(expected);
    }
    close_subject(&many);
    close_subject(&one);
}

static uint64_t resident_bytes(void) {
    unsigned long long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        assert_int_equal(fscanf(file, "%llu %llu", &all, &resident), 2);
        fclose(file);
    }
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void memory_does_not_grow_with_shapes(void **state) {
    const struct onnx_session_options options = {.kept_bytes = 1 << 20};
    struct subject subject;
    struct onnx_session_facts early = {0}, late;
    uint64_t resident = 0;
    (void)state;
    open_subject(&subject, products(true), &options);
    run_only(subject.session, MOST_ROWS);
    for (uint32_t rows = 1; rows <= 300; rows++) {
        run_only(subject.session, MOST_ROWS - rows);
        if (rows == 100) {
            early = facts_of(subject.session);
            resident = resident_bytes();
        }
    }
    late = facts_of(subject.session);
    assert_true(late.held_bytes <= options.kept_bytes);
    assert_true(late.kept_count > 1 && late.kept_count <= early.kept_count + 8);
    assert_true(late.weight_bytes <= early.weight_bytes + (64 << 10));
    assert_true(late.tensor_bytes <= early.tensor_bytes);
    (void)resident; /* with sanitizers */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (resident_bytes() > resident + (4 << 20)) {
        fail_msg("200 shapes took %llu bytes", (unsigned long long)(resident_bytes() - resident));
    }
#endif
    close_subject(&subject);
}

static void the_least_recently_used_shapes_go(void **state) {
    const struct onnx_session_options few = {.shapes_kept = 2}, none = {.kept_bytes = 1};
    struct subject subject;
    (void)state;
    open_subject(&subject, products(false), &few);
    for (uint32_t rows = 1; rows <= 4; rows++) {
        run_only(subject.session, rows);
    }
    assert_int_equal(facts_of(subject.session).kept_count, 2);
    assert_int_equal(facts_of(subject.session).loaded_bytes, 2 * WEIGHT_BYTES);
    close_subject(&subject);
    open_subject(&subject, products(false), &none);
    for (uint32_t rows = 1; rows <= 4; rows++) {
        run_only(subject.session, rows);
    }
    assert_int_equal(facts_of(subject.session).kept_count, 1);
    assert_int_equal(facts_of(subject.session).loaded_bytes, 2 * WEIGHT_BYTES);
    close_subject(&subject);
}

/* Pipelines and weights are there before the first run, without memory for tensors; bits are the same. */
static void a_session_is_prepared(void **state) {
    struct subject prepared, plain;
    struct onnx_run_facts facts;
    (void)state;
    for (int is_scaled = 0; is_scaled < 2; is_scaled++) {
        open_subject(&prepared, products(is_scaled != 0), NULL);
        open_subject(&plain, products(is_scaled != 0), NULL);
        onnx_session_prepare(prepared.session, &facts);
        assert_int_equal(facts.node_count, 0); /* of no run */
        const struct onnx_session_facts before = facts_of(prepared.session);
        assert_in_range(before.prepared_count, 2, 3);
        assert_int_equal(before.kept_count, before.prepared_count);
        assert_int_equal(before.tensor_bytes, 0);
        assert_true(before.weight_bytes >= 2 * WEIGHT_BYTES && before.loaded_bytes >= 2 * WEIGHT_BYTES);
        assert_true(before.prepare_seconds > 0);
        for (uint32_t rows = 30; rows < 400; rows += 123) {
            uint64_t bytes, expected_bytes;
            void *got = run(prepared.session, rows, &bytes), *expected = run(plain.session, rows, &expected_bytes);
            assert_int_equal(bytes, expected_bytes);
            assert_memory_equal(got, expected, bytes);
            free(got);
            free(expected);
        }
        const struct onnx_session_facts after = facts_of(prepared.session), other = facts_of(plain.session);
        assert_int_equal(after.kept_count, other.kept_count); /* what was prepared is gone */
        assert_true(is_scaled || after.loaded_bytes == before.loaded_bytes);
        assert_true(is_scaled || after.weight_bytes == other.weight_bytes);
        close_subject(&prepared);
        close_subject(&plain);
    }
}

/* Convolutions of x as an image of n rows. */
static struct proto image(void) {
    static const int64_t first[] = {8, 1, 3, 3}, second[] = {8, 8, 3, 3};
    struct proto graph = {NULL, 0};
    proto_message(&graph, 5, weights_of("a", 4, first, 1));
    proto_message(&graph, 5, weights_of("b", 4, second, 2));
    proto_message(&graph, 5, int64s_of("shape", 4, (const int64_t[]){1, 1, -1, 64}));
    proto_message(&graph, 1, model_node("Reshape", "x shape", "i"));
    proto_message(&graph, 1, model_node("Conv", "i a", "p"));
    proto_message(&graph, 1, model_node("Relu", "p", "q"));
    proto_message(&graph, 1, model_node("Conv", "q b", "y"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "1 8 m 60"));
    return graph;
}

/* Nodes of a run that begins which run on general pipelines. */
static uint32_t general_nodes(struct onnx_session *session, uint32_t rows) {
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {rows, WIDTH}, .data = x};
    struct onnx_error error = {0};
    struct onnx_run_facts facts;
    struct onnx_run *begun;
    if (!onnx_run_begin(session, 1, &input, &begun, &error)) {
        fail_msg("%u rows: %s", (unsigned)rows, error.text);
    }
    onnx_run_facts(begun, &facts);
    onnx_run_end(begun);
    return facts.general_count;
}

/* Runs of a shape change to better pipelines once a thread has created these. On a device without pipelines. */
static void shapes_do_not_stay_general(void **state) {
    struct onnx_device *shared = device;
    struct onnx_error error = {0};
    struct subject subject;
    uint32_t rows = 40;
    uint64_t bytes, better_bytes;
    (void)state;
    assert_true(onnx_device_open(NULL, &device, &error));
    open_subject(&subject, image(), NULL);
    run_only(subject.session, rows);
    assert_int_equal(general_nodes(subject.session, rows), 0);
    while (++rows < MOST_ROWS && general_nodes(subject.session, rows) == 0) {
    }
    assert_true(rows < MOST_ROWS);
    void *general = run(subject.session, rows, &bytes);
    const struct onnx_session_facts before = facts_of(subject.session);
    for (uint32_t wait = 0; general_nodes(subject.session, rows) != 0; wait++) {
        assert_true(wait < 20000);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    void *better = run(subject.session, rows, &better_bytes);
    assert_int_equal(bytes, better_bytes);
    assert_memory_equal(general, better, bytes);
    const struct onnx_session_facts after = facts_of(subject.session);
    assert_int_equal(after.kept_count, before.kept_count);
    assert_int_equal(after.loaded_bytes, before.loaded_bytes);
    assert_int_equal(after.weight_bytes, before.weight_bytes);
    free(general);
    free(better);
    close_subject(&subject);
    onnx_device_close(device);
    device = shared;
}

/* ---- random graphs ---- */

static void add_weight(struct proto *graph, const char *name, uint32_t *random, bool is_matrix) {
    static const int64_t sizes[] = {WIDTH, WIDTH};
    proto_message(graph, 5, weights_of(name, is_matrix ? 2 : 1, sizes, next_random(random, 1000)));
}

/* Softmax of the products of all rows of one value with all of another, times the latter. */
static void add_attention(struct proto *graph, const char *last, const char *other, const char *name) {
    char names[3][16], inputs[280];
    static const char *const suffixes[] = {"t", "s", "p"};
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(names[i], sizeof names[i], "%s%s", name, suffixes[i]);
    }
    proto_message(graph, 1, model_node("Transpose", other, names[0]));
    snprintf(inputs, sizeof inputs, "%s %s", last, names[0]);
    proto_message(graph, 1, model_node("MatMul", inputs, names[1]));
    proto_message(graph, 1, model_node("Softmax", names[1], names[2]));
    snprintf(inputs, sizeof inputs, "%s %s", names[2], other);
    proto_message(graph, 1, model_node("MatMul", inputs, name));
}

/* A value less the mean of all its elements. */
static void add_centered(struct proto *graph, const char *last, const char *name) {
    char mean[16], inputs[280];
    snprintf(mean, sizeof mean, "%sm", name);
    proto_message(graph, 1, model_node("ReduceMean", last, mean));
    snprintf(inputs, sizeof inputs, "%s %s", last, mean);
    proto_message(graph, 1, model_node("Sub", inputs, name));
}

/* A chain of products, sums, normalizations and attention; some read what is further back. */
static struct proto random_graph(uint32_t of) {
    static const char *const unary[] = {"Relu", "Sigmoid", "Softmax", "Neg", "Abs"};
    static const char *const binary[] = {"Add", "Mul", "Sub", "Max"};
    const uint32_t count = 2 + next_random(&of, 8);
    struct proto graph = {NULL, 0};
    char names[32][8] = {"x"}, weight[8], inputs[264];
    for (uint32_t i = 1; i <= count; i++) {
        const uint32_t kind = next_random(&of, 8);
        const char *last = names[i - 1], *other = names[next_random(&of, i)];
        snprintf(names[i], sizeof names[i], i == count ? "y" : "v%u", (unsigned)i);
        snprintf(weight, sizeof weight, "w%u", (unsigned)i);
        if (kind < 2) {
            add_weight(&graph, weight, &of, true);
            snprintf(inputs, sizeof inputs, "%s %s", last, weight);
            proto_message(&graph, 1, model_node("MatMul", inputs, names[i]));
        } else if (kind == 2) {
            add_weight(&graph, weight, &of, false);
            snprintf(inputs, sizeof inputs, "%s %s", last, weight);
            proto_message(&graph, 1, model_node("LayerNormalization", inputs, names[i]));
        } else if (kind == 3) {
            add_weight(&graph, weight, &of, false);
            snprintf(inputs, sizeof inputs, "%s %s", last, weight);
            proto_message(&graph, 1, model_node(binary[next_random(&of, 4)], inputs, names[i]));
        } else if (kind == 4) {
            snprintf(inputs, sizeof inputs, "%s %s", last, other);
            proto_message(&graph, 1, model_node(binary[next_random(&of, 4)], inputs, names[i]));
        } else if (kind == 5) {
            add_attention(&graph, last, other, names[i]);
        } else if (kind == 6) {
            add_centered(&graph, last, names[i]);
        } else {
            proto_message(&graph, 1, model_node(unary[next_random(&of, 5)], last, names[i]));
        }
    }
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "n 64"));
    return graph;
}

static void expect_bits_of_own(struct subject *subject, struct proto graph, uint32_t rows) {
    struct subject own;
    uint64_t bytes, expected_bytes;
    open_subject(&own, graph, NULL);
    void *got = run(subject->session, rows, &bytes), *expected = run(own.session, rows, &expected_bytes);
    assert_int_equal(bytes, expected_bytes);
    assert_memory_equal(got, expected, bytes);
    free(got);
    free(expected);
    close_subject(&own);
}

/* Constants that planning computes for each shape are told apart by their bytes, and found again by them. */
static void computed_constants_are_those_of_their_shape(void **state) {
    struct subject subject;
    (void)state;
    open_subject(&subject, products(true), NULL);
    for (uint32_t rows = 8; rows >= 5; rows--) {
        expect_bits_of_own(&subject, products(true), rows);
    }
    assert_int_equal(facts_of(subject.session).loaded_bytes, 5 * WEIGHT_BYTES); /* a, and 4 of r */
    close_subject(&subject);
}

static void every_shape_has_the_bits_of_a_session_of_its_own(void **state) {
    (void)state;
    for (uint32_t g = 0; g < graphs; g++) {
        struct subject subject;
        uint32_t random = seed + g;
        print_message("# graph %u\n", (unsigned)(seed + g));
        open_subject(&subject, random_graph(seed + g), NULL);
        for (uint32_t shape = 0; shape < 3; shape++) {
            expect_bits_of_own(&subject, random_graph(seed + g), 1 + next_random(&random, 90));
        }
        close_subject(&subject);
    }
}

/* ---- external weights ---- */

static const char folder_pattern[] = "/tmp/vkdml-shapes-XXXXXX";

static void write_whole(const char *path, const void *bytes, size_t length, uint64_t offset) {
    FILE *file = fopen(path, offset == 0 ? "wb" : "r+b");
    assert_non_null(file);
    assert_int_equal(fseeko(file, (off_t)offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static struct proto text_pair(const char *key, const char *value) {
    struct proto entry = {NULL, 0};
    proto_text(&entry, 1, key);
    proto_text(&entry, 2, value);
    return entry;
}

enum { SIDE = 256, PARTS = 3 };

/* A 256 x 256 tensor of a file beside the model. */
static struct proto tensor_of_file(const char *name, uint64_t offset) {
    struct proto tensor = {NULL, 0};
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)offset);
    proto_int(&tensor, 1, SIDE);
    proto_int(&tensor, 1, SIDE);
    proto_int(&tensor, 2, ONNX_FLOAT);
    proto_text(&tensor, 8, name);
    proto_message(&tensor, 13, text_pair("location", "data"));
    proto_message(&tensor, 13, text_pair("offset", text));
    proto_int(&tensor, 14, 1);
    return tensor;
}

struct files {
    char folder[sizeof folder_pattern], data[64], model[64];
};

static float diagonals[SIDE * SIDE], input[SIDE], output[SIDE];

/* y = x a b c, where a, b and c are 2, 4 and 8 on their diagonals; they begin in their file at `first`, and `step` apart.
 */
static void write_files(struct files *files, uint64_t first, uint64_t step) {
    struct proto graph = {NULL, 0};
    memcpy(files->folder, folder_pattern, sizeof files->folder);
    assert_non_null(mkdtemp(files->folder));
    snprintf(files->data, sizeof files->data, "%s/data", files->folder);
    snprintf(files->model, sizeof files->model, "%s/model", files->folder);
    write_whole(files->data, "", 0, 0);
    for (uint32_t i = 0; i < PARTS; i++) {
        const char name[] = {"abc"[i], 0};
        for (size_t d = 0; d < SIDE; d++) {
            diagonals[d * SIDE + d] = (float)(2 << i);
            input[d] = (float)d - 100;
        }
        write_whole(files->data, diagonals, sizeof diagonals, first + i * step);
        proto_message(&graph, 5, tensor_of_file(name, first + i * step));
    }
    proto_message(&graph, 1, model_node("MatMul", "x a", "p"));
    proto_message(&graph, 1, model_node("MatMul", "p b", "q"));
    proto_message(&graph, 1, model_node("MatMul", "q c", "y"));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 256"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "n 256"));
    struct proto bytes = model_of(graph);
    write_whole(files->model, bytes.bytes, bytes.length, 0);
    proto_free(&bytes);
}

static void remove_files(const struct files *files) {
    unlink(files->data);
    unlink(files->model);
    rmdir(files->folder);
}

static VkdmlResult run_files(VkdmlOnnxModel model) {
    const VkdmlOnnxTensor tensor = {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, SIDE}, .data = input};
    void *const outputs[] = {output};
    VkdmlOnnxRun begun = NULL;
    VkdmlResult result = vkdmlOnnxBeginRun(model, 1, &tensor, &begun);
    result = result == VKDML_SUCCESS ? vkdmlOnnxExecuteRun(begun, outputs) : result;
    vkdmlOnnxEndRun(begun);
    return result;
}

/* Of a file of more than 6 GiB, which has few bytes on the disk. */
static void weights_lie_beyond_4_gib(void **state) {
    struct files files;
    VkdmlOnnxModel model;
    (void)state;
    write_files(&files, (UINT64_C(4) << 30) + 4096, UINT64_C(1) << 30);
    const VkdmlOnnxOpenInfo info = {.structSize = sizeof info, .path = files.model};
    if (vkdmlOnnxOpenModel(&info, &model) != VKDML_SUCCESS || run_files(model) != VKDML_SUCCESS) {
        fail_msg("%s", vkdmlOnnxGetErrorMessage());
    }
    VkdmlOnnxMemory memory = {.structSize = sizeof memory};
    assert_int_equal(vkdmlOnnxGetMemory(model, &memory), VKDML_SUCCESS);
    assert_in_range(memory.weightBytes, PARTS * sizeof diagonals, PARTS * sizeof diagonals + (256 << 10));
    assert_int_equal(memory.shapeCount, 1);
    vkdmlOnnxCloseModel(model);
    for (size_t d = 0; d < SIDE; d++) {
        assert_true(output[d] == 64 * input[d]);
    }
    remove_files(&files);
}

static uint64_t told_done, told_total;

static void tell(void *data, uint64_t done, uint64_t total) {
    assert_ptr_equal(data, &told_done);
    assert_true(done > told_done && done <= total && (told_total == 0 || total == told_total));
    told_done = done;
    told_total = total;
}

/* Loading is told, to those whose struct has the callback: when the model is opened, unless the run is to do it. */
static void loading_is_told(void **state) {
    static const size_t sizes[] = {sizeof(VkdmlOnnxOpenInfo), offsetof(VkdmlOnnxOpenInfo, keptBytes),
                                   sizeof(VkdmlOnnxOpenInfo)};
    struct files files;
    (void)state;
    write_files(&files, 8, sizeof diagonals);
    for (size_t i = 0; i < 3; i++) {
        const VkdmlOnnxOpenInfo info = {.structSize = sizes[i],
                                        .path = files.model,
                                        .flags = i == 2 ? VKDML_ONNX_PREPARE_LATER : 0,
                                        .progressCallback = tell,
                                        .progressUserData = &told_done};
        VkdmlOnnxModel model;
        told_done = told_total = 0;
        assert_int_equal(vkdmlOnnxOpenModel(&info, &model), VKDML_SUCCESS);
        assert_int_equal(told_done != 0, i == 0);
        assert_int_equal(run_files(model), VKDML_SUCCESS);
        assert_int_equal(told_total >= PARTS * sizeof diagonals, i != 1);
        assert_int_equal(told_done, told_total);
        const uint64_t done = told_done;
        assert_int_equal(run_files(model), VKDML_SUCCESS);
        assert_int_equal(told_done, done);
        vkdmlOnnxCloseModel(model);
    }
    remove_files(&files);
}

/* A file that becomes shorter while the model is open is an error, not the process's end. */
static void files_that_are_written_are_an_error(void **state) {
    struct files files;
    VkdmlOnnxModel model;
    (void)state;
    write_files(&files, 8, sizeof diagonals);
    const VkdmlOnnxOpenInfo info = {
        .structSize = sizeof info, .path = files.model, .flags = VKDML_ONNX_PREPARE_LATER};
    assert_int_equal(vkdmlOnnxOpenModel(&info, &model), VKDML_SUCCESS);
    assert_int_equal(truncate(files.data, 4), 0);
    assert_int_equal(run_files(model), VKDML_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(vkdmlOnnxGetErrorMessage(), "data was changed since the model was opened"));
    vkdmlOnnxCloseModel(model);
    remove_files(&files);
    write_files(&files, 8, sizeof diagonals);
    const VkdmlOnnxOpenInfo again = {
        .structSize = sizeof again, .path = files.model, .flags = VKDML_ONNX_PREPARE_LATER};
    assert_int_equal(vkdmlOnnxOpenModel(&again, &model), VKDML_SUCCESS);
    remove_files(&files); /* what is removed is still there for who has it open */
    assert_int_equal(run_files(model), VKDML_SUCCESS);
    assert_true(output[1] == 64 * input[1]);
    vkdmlOnnxCloseModel(model);
}

/* ---- the program ---- */

static int set_up(void **state) {
    struct onnx_error error = {0};
    uint32_t random = 3;
    (void)state;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        x[i] = ((float)next_random(&random, 2001) - 1000) / 500;
    }
    return onnx_device_open(NULL, &device, &error) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    onnx_device_close(device);
    return 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_on_the_device_once),
        cmocka_unit_test(tensors_of_all_shapes_share_memory),
        cmocka_unit_test(memory_does_not_grow_with_shapes),
        cmocka_unit_test(the_least_recently_used_shapes_go),
        cmocka_unit_test(a_session_is_prepared),
        cmocka_unit_test(shapes_do_not_stay_general),
        cmocka_unit_test(computed_constants_are_those_of_their_shape),
        cmocka_unit_test(every_shape_has_the_bits_of_a_session_of_its_own),
        cmocka_unit_test(weights_lie_beyond_4_gib),
        cmocka_unit_test(loading_is_told),
        cmocka_unit_test(files_that_are_written_are_an_error),
    };
    graphs = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : graphs;
    seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : seed;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
