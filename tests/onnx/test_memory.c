/* Files, devices, sessions, memory on the device, and the library's C functions, where each allocation fails in turn,
 * of vkdml too: the code and the reason are memory's, nothing is left, and the same objects then do it.
 * tests/onnx/faults.c counts Vulkan's objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_memory.h"
#include "faults.h"
#include "models.h"
#include "onnx/diagnosis.h"
#include "onnx/file.h"
#include "onnx/stages.h"
#include "onnx/vkdml_onnx.h"

enum { WIDTH = 32, BYTES = 4 * WIDTH };

static char folder[] = "/tmp/vkdml-memory-XXXXXX", cache[64], path[64], weights[64];
static float x[WIDTH];
static struct proto staged_bytes;
static struct onnx_model staged_model;
static faults_live_function faults_live;
static faults_misuses_function faults_misuses;

/* ---- what is there for all ---- */

static struct onnx_file *file;
static struct onnx_device *device;
static struct onnx_session *session;
static struct onnx_pool *pool;

static void write_file(const char *name, const void *bytes, size_t length) {
    FILE *to = fopen(name, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(bytes, 1, length, to), length);
    assert_int_equal(fclose(to), 0);
}

static struct proto location(const char *key, const char *value) {
    struct proto entry = {NULL, 0};
    proto_text(&entry, 1, key);
    proto_text(&entry, 2, value);
    return entry;
}

/* y = relu(x w), of weights beside the file, all 1.5; s = the shape of y, which planning computes. */
static void write_model(void) {
    static float data[WIDTH * WIDTH];
    struct proto graph = {NULL, 0}, tensor = {NULL, 0};
    for (size_t i = 0; i < WIDTH * WIDTH; i++) {
        data[i] = 1.5F;
    }
    write_file(weights, data, sizeof data);
    proto_int(&tensor, 1, WIDTH);
    proto_int(&tensor, 1, WIDTH);
    proto_int(&tensor, 2, ONNX_FLOAT);
    proto_text(&tensor, 8, "w");
    proto_message(&tensor, 13, location("location", "weights"));
    proto_int(&tensor, 14, 1);
    proto_message(&graph, 1, model_node("MatMul", "x w", "a"));
    proto_message(&graph, 1, model_node("Relu", "a", "y"));
    proto_message(&graph, 1, model_node("Shape", "y", "s"));
    proto_message(&graph, 5, tensor);
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 32"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "n 32"));
    proto_message(&graph, 12, model_value("s", ONNX_INT64, "2"));
    struct proto model = model_of(graph);
    write_file(path, model.bytes, model.length);
    proto_free(&model);
}

static void find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fail_msg("libvulkan.so.1 has no %s: it is not that of tests/onnx, which LD_LIBRARY_PATH must name", name);
    }
    memcpy(function, &symbol, sizeof symbol);
}

static bool read_stages(void) {
    struct onnx_error error;
    struct proto graph = {NULL, 0};
    proto_message(&graph, 1, model_node("Relu", "x", "a"));
    proto_message(&graph, 1, model_node("NonZero", "a", "y"));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 32"));
    proto_message(&graph, 12, model_value("y", ONNX_INT64, "2 m"));
    staged_bytes = model_of(graph);
    return onnx_read_model(staged_bytes.bytes, staged_bytes.length, NULL, &staged_model, &error);
}

static int set_up(void **state) {
    struct onnx_error error = {0};
    (void)state;
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    find(library, "faults_live", &faults_live);
    find(library, "faults_misuses", &faults_misuses);
    assert_non_null(mkdtemp(folder));
    snprintf(cache, sizeof cache, "%s/cache", folder);
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    snprintf(weights, sizeof weights, "%s/weights", folder);
    assert_int_equal(mkdir(cache, 0777), 0);
    write_model();
    for (size_t i = 0; i < WIDTH; i++) {
        x[i] = (float)i;
    }
    return !onnx_open(path, &file, &error) || !read_stages();
}

static int tear_down(void **state) {
    char command[128];
    (void)state;
    onnx_close(file);
    onnx_arena_free(&staged_model.arena);
    proto_free(&staged_bytes);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void expect_outputs(const float *y, const int64_t *shape) {
    for (size_t i = 0; i < WIDTH; i++) {
        assert_float_equal(y[i], 1.5F * (WIDTH * (WIDTH - 1) / 2), 0);
    }
    assert_int_equal(shape[0], 1);
    assert_int_equal(shape[1], WIDTH);
}

/* ---- what is done; what it makes it ends, but for what the session keeps ---- */

static bool open_file(struct onnx_error *error) {
    struct onnx_file *opened;
    const bool done = onnx_open(path, &opened, error);
    assert_true(done == (opened != NULL));
    onnx_close(opened);
    return done;
}

static bool open_device_of(const char *cache_folder, struct onnx_error *error) {
    const struct onnx_device_options options = {.cache_folder = cache_folder};
    struct onnx_device *opened;
    const bool done = onnx_device_open(&options, &opened, error);
    assert_true(done == (opened != NULL));
    onnx_device_close(opened);
    return done;
}

static bool open_device(struct onnx_error *error) {
    return open_device_of(cache, error);
}

static bool create_session(struct onnx_error *error) {
    struct onnx_session *created;
    const struct onnx_model *model = onnx_file_model(file);
    const bool done = onnx_session_create(device, model, &model->graph, NULL, &created, error);
    assert_true(done == (created != NULL));
    onnx_session_free(created);
    return done;
}

/* Of the session. */
static bool run(struct onnx_error *error) {
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, WIDTH}, .data = x};
    struct onnx_run *begun;
    float y[WIDTH] = {0};
    int64_t shape[2] = {0};
    void *const outputs[] = {y, shape};
    if (!onnx_run_begin(session, 1, &input, &begun, error)) {
        assert_null(begun);
        return false;
    }
    const bool done = onnx_run_execute(begun, outputs, error);
    onnx_run_end(begun);
    if (done) {
        expect_outputs(y, shape);
    }
    return done;
}

/* Of the session, by memory of its pool. */
static bool run_at_places(struct onnx_error *error) {
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, WIDTH}};
    struct onnx_place places[2] = {{NULL, 0}, {NULL, 0}}, at = {NULL, 0};
    struct onnx_run *begun;
    float y[WIDTH] = {0};
    int64_t shape[2] = {0};
    void *const outputs[] = {NULL, shape};
    void *in = onnx_pool_allocate(pool, BYTES, error), *out = onnx_pool_allocate(pool, BYTES, error);
    bool done = in != NULL && out != NULL;
    if (done) {
        assert_true(onnx_pool_find(pool, in, BYTES, &at));
        assert_true(onnx_pool_find(pool, out, BYTES, &places[0]));
        done =
            onnx_place_write(pool, &at, x, BYTES, error) && onnx_run_begin_at(session, 1, &input, &at, &begun, error);
    }
    if (done) {
        done = onnx_run_execute_at(begun, outputs, places, error);
        onnx_run_end(begun);
    }
    done = done && onnx_place_copy(pool, &places[0], &at, BYTES, error) && onnx_place_read(pool, &at, y, BYTES, error);
    if (done) {
        expect_outputs(y, shape);
    }
    assert_true(in == NULL || onnx_pool_release(pool, in));
    assert_true(out == NULL || onnx_pool_release(pool, out));
    return done;
}

static struct onnx_session_options options;
static struct proto loop; /* a model with a mask and a cache that grow */

static struct proto with_int(struct proto node, const char *name, int64_t value) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    proto_int(&attribute, 3, value);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_INT);
    proto_message(&node, 5, attribute);
    return node;
}

static void make_loop(void) {
    struct proto graph = {NULL, 0}, axis = {NULL, 0};
    proto_int(&axis, 1, 1);
    proto_int(&axis, 2, ONNX_INT64);
    proto_text(&axis, 8, "axis");
    proto_bytes(&axis, 9, &(int64_t){1}, sizeof(int64_t));
    proto_message(&graph, 5, axis);
    proto_message(&graph, 1, with_int(model_node("ReduceSum", "mask axis", "sums"), "keepdims", 0));
    proto_message(&graph, 1, model_node("Sub", "sums axis", "last"));
    proto_message(&graph, 1, with_int(model_node("Cast", "last", "lengths"), "to", ONNX_INT32));
    proto_message(&graph, 1, model_node("Shape", "mask", "shape"));
    proto_message(&graph, 1, model_node("Gather", "shape axis", "total64"));
    proto_message(&graph, 1, with_int(model_node("Cast", "total64", "total"), "to", ONNX_INT32));
    proto_message(&graph, 1, model_node("Mul", "shape shape", "squares"));
    struct proto node = model_call("com.microsoft", "GroupQueryAttention", "x - - k v lengths total", "y nk");
    proto_message(&graph, 1, with_int(with_int(node, "num_heads", 1), "kv_num_heads", 1));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "1 s 6"));
    proto_message(&graph, 11, model_value("k", ONNX_FLOAT, "1 1 past 2"));
    proto_message(&graph, 11, model_value("v", ONNX_FLOAT, "1 1 past 2"));
    proto_message(&graph, 11, model_value("mask", ONNX_INT64, "1 all"));
    proto_message(&graph, 12, model_value("nk", ONNX_FLOAT, "1 1 all 2"));
    proto_message(&graph, 12, model_value("squares", ONNX_INT64, "2"));
    loop = model_of(graph);
    proto_message(&loop, 8, model_opset("com.microsoft", 1));
}

/* Two lengths by one plan. */
static bool run_loop(struct onnx_error *error) {
    static const int64_t mask[] = {1, 1, 1, 1};
    struct onnx_model model;
    struct onnx_session *of = NULL;
    if (!onnx_read_model(loop.bytes, loop.length, NULL, &model, error)) {
        return false;
    }
    bool done = onnx_session_create(device, &model, &model.graph, &options, &of, error);
    for (uint32_t past = 2; past < 4 && done; past++) {
        const struct onnx_plan_input inputs[] = {{.type = ONNX_FLOAT, .rank = 3, .sizes = {1, 1, 6}, .data = x},
                                                 {.type = ONNX_FLOAT, .rank = 4, .sizes = {1, 1, past, 2}, .data = x},
                                                 {.type = ONNX_FLOAT, .rank = 4, .sizes = {1, 1, past, 2}, .data = x},
                                                 {.type = ONNX_INT64, .rank = 2, .sizes = {1, past + 1}, .data = mask}};
        float keys[8] = {0};
        int64_t squares[2] = {0};
        struct onnx_run *begun = NULL;
        struct onnx_run_facts facts = {0};
        done = onnx_run_begin(of, 4, inputs, &begun, error) &&
               onnx_run_execute(begun, (void *[]){keys, squares}, error);
        if (done) {
            onnx_run_facts(begun, &facts);
            assert_int_equal(facts.is_new, past == 2);
            assert_memory_equal(keys, x, past * 2 * sizeof *keys);
            assert_memory_equal(keys + past * 2, x + 2, 2 * sizeof *keys);
            assert_int_equal(squares[1], (past + 1) * (past + 1));
        }
        onnx_run_end(begun);
    }
    onnx_session_free(of);
    onnx_arena_free(&model.arena);
    return done;
}

/* Nodes one by one, by the reference; of the model's outputs y is wrong. */
static bool diagnose(struct onnx_error *error) {
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, WIDTH}, .data = x};
    const struct onnx_model *model = onnx_file_model(file);
    const float y[WIDTH] = {0};
    const int64_t shape[] = {1, WIDTH};
    const void *const outputs[] = {y, shape};
    for (int check = ONNX_CHECK_FINITE; check <= ONNX_CHECK_REFERENCE; check++) {
        const struct onnx_diagnosis diagnosis = {.check = (enum onnx_check)check,
                                                 .device = device,
                                                 .model = model,
                                                 .graph = &model->graph,
                                                 .options = {.by_reference = true}};
        uint32_t wrong = 0;
        if (!onnx_diagnose(&diagnosis, &input, outputs, &wrong, error)) {
            return false;
        }
        assert_int_equal(wrong, check == ONNX_CHECK_REFERENCE);
    }
    return true;
}

static bool create_pool(struct onnx_error *error) {
    struct onnx_pool *created;
    const bool done = onnx_pool_create(device, &created, error);
    assert_true(done == (created != NULL));
    onnx_pool_free(created);
    return done;
}

static void count_node(void *data, const VkdmlOnnxNode *node) {
    assert_int_equal(node->outcome, VKDML_ONNX_TRANSLATED);
    ++*(uint32_t *)data;
}

/* A call of the C API, whose code and text are an error of the same. */
static bool called(VkdmlResult result, struct onnx_error *error) {
    return result == VKDML_SUCCESS || onnx_fail_with(error, result, "%s", vkdmlOnnxGetErrorMessage());
}

static bool call_all(struct onnx_error *error) {
    const VkdmlOnnxOpenInfo info = {
        .structSize = sizeof info, .path = path, .cacheFolder = cache, .flags = VKDML_ONNX_REFERENCE};
    const VkdmlOnnxTensor input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, WIDTH}, .data = x};
    VkdmlOnnxModel model;
    VkdmlOnnxRun begun = NULL;
    float y[WIDTH] = {0};
    int64_t shape[2] = {0};
    void *const outputs[] = {y, shape};
    uint32_t nodes = 0;
    bool done = called(vkdmlOnnxOpenModel(&info, &model), error);
    assert_true(done == (model != NULL));
    done = done && called(vkdmlOnnxReportNodes(model, 1, &input, count_node, &nodes), error);
    done = done && called(vkdmlOnnxBeginRun(model, 1, &input, &begun), error) &&
           called(vkdmlOnnxExecuteRun(begun, outputs), error);
    if (done) {
        assert_int_equal(nodes, 3);
        expect_outputs(y, shape);
    }
    vkdmlOnnxEndRun(begun);
    vkdmlOnnxCloseModel(model);
    return done;
}

/* ---- the points ---- */


/* Where relu(x) is not 0: a plan, and a node of the host. */
static bool run_stages(struct onnx_error *error) {
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, WIDTH}, .data = x};
    struct onnx_stages *stages;
    struct onnx_stages_run *begun = NULL;
    int64_t y[2][WIDTH - 1] = {{0}};
    void *const outputs[] = {y};
    bool done = onnx_stages_create(device, &staged_model, &staged_model.graph, &options, &stages, error);
    assert_true(done == (stages != NULL));
    done = done && onnx_stages_begin(stages, 1, &input, NULL, &begun, error);
    for (uint32_t i = 0; done && i < 2; i++) {
        done = onnx_stages_execute(begun, outputs, NULL, error);
        assert_true(!done || (y[0][WIDTH - 2] == 0 && y[1][WIDTH - 2] == WIDTH - 1));
    }
    onnx_stages_end(begun);
    onnx_stages_free(stages);
    return done;
}

static void begin_session(bool has_pool) {
    struct onnx_error error = {0};
    const struct onnx_model *model = onnx_file_model(file);
    if (has_pool) {
        assert_true(onnx_pool_create(device, &pool, &error));
    }
    options.pool = pool;
    assert_true(onnx_session_create(device, model, &model->graph, &options, &session, &error));
}

static void end_session(void) {
    onnx_session_free(session);
    onnx_pool_free(pool);
    session = NULL;
    pool = NULL;
}

/* So many points, at least, must fail: caches of pipelines, and what may be looked at, are done without. */
static void fail_each(const char *what, bool (*act)(struct onnx_error *error), bool has_session, bool has_pool,
                      int least) {
    struct onnx_error error = {0};
    int nth = 0, failures = 0;
    bool reached = true;
    /* Once before, for what the device and the C library keep. */
    if (has_session) {
        begin_session(has_pool);
    }
    assert_true(act(&error));
    end_session();
    const int live = failing_memory_live();
    const int32_t vulkan = faults_live();
    while (reached) {
        nth++;
        if (has_session) {
            begin_session(has_pool);
        }
        error = (struct onnx_error){0};
        failing_memory_begin(nth);
        const bool done = act(&error);
        reached = failing_memory_end();
        if (!done) {
            failures++;
            if (!reached || error.result != VKDML_ERROR_OUT_OF_HOST_MEMORY || strstr(error.text, "memory") == NULL) {
                fail_msg("%s, allocation %d fails: %d %s", what, nth, (int)error.result, error.text);
            }
            error = (struct onnx_error){0};
            if (!act(&error)) {
                fail_msg("%s, after allocation %d had failed: %s", what, nth, error.text);
            }
        }
        end_session();
        if (failing_memory_live() != live || faults_live() != vulkan) {
            fail_msg("%s, after allocation %d had failed %d allocations and %d objects of Vulkan are left", what, nth,
                     failing_memory_live() - live, (int)(faults_live() - vulkan));
        }
    }
    print_message("# %s: %d allocations, %d failures\n", what, nth - 1, failures);
    assert_true(failures >= least);
    assert_int_equal(faults_misuses(), 0);
}

static void files_and_devices(void **state) {
    (void)state;
    fail_each("opening a file", open_file, false, false, 40);
    fail_each("opening a device", open_device, false, false, 3);
}

static void sessions(void **state) {
    struct onnx_error error = {0};
    (void)state;
    assert_true(onnx_device_open(NULL, &device, &error));
    fail_each("creating a session", create_session, false, false, 1);
    fail_each("creating a pool", create_pool, false, false, 1);
    fail_each("checking nodes", diagnose, false, false, 300);
    fail_each("stages", run_stages, false, false, 60);
    fail_each("a session's run", run, true, false, 60);
    fail_each("a run at places", run_at_places, true, true, 60);
    options.by_reference = true;
    fail_each("a run by reference", run, true, false, 40);
    fail_each("stages by reference", run_stages, false, false, 40);
    make_loop();
    fail_each("runs of growing sizes", run_loop, false, false, 200);
    proto_free(&loop);
    options.by_reference = false;
    onnx_device_close(device);
}

static void the_c_functions(void **state) {
    (void)state;
    fail_each("the C functions", call_all, false, false, 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_and_devices),
        cmocka_unit_test(sessions),
        cmocka_unit_test(the_c_functions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
