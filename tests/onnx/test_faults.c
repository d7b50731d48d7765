/* Sessions where Vulkan fails: each call of each function, by a loader that fails where it is told to. What fails tells
 * why, what was made ends, and what comes after works, but on a device that is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "faults.h"
#include "models.h"
#include "onnx/file.h"
#include "onnx/stages.h"

enum { WIDTH = 32, MOST_ROWS = 60 };

static faults_set_function faults_set;
static faults_calls_function faults_calls;
static faults_failed_function faults_failed;
static faults_live_function faults_live;
static faults_misuses_function faults_misuses;

static struct proto bytes, staged_bytes;
static struct onnx_model model, staged_model;
static float x[MOST_ROWS * WIDTH];

static void find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fail_msg("libvulkan.so.1 has no %s: it is not that of tests/onnx, which LD_LIBRARY_PATH must name", name);
    }
    memcpy(function, &symbol, sizeof symbol);
}

/* Where relu(x) is not 0, as FLOAT: a plan, a node of the host, and another plan. */
static bool set_up_stages(void) {
    struct proto graph = {NULL, 0}, cast = model_node("Cast", "p", "y"), to = {NULL, 0};
    struct onnx_error error;
    proto_text(&to, 1, "to");
    proto_int(&to, 3, ONNX_FLOAT);
    proto_int(&to, 20, ONNX_ATTRIBUTE_INT);
    proto_message(&cast, 5, to);
    proto_message(&graph, 1, model_node("Relu", "x", "a"));
    proto_message(&graph, 1, model_node("NonZero", "a", "p"));
    proto_message(&graph, 1, cast);
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 32"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "2 m"));
    staged_bytes = model_of(graph);
    return onnx_read_model(staged_bytes.bytes, staged_bytes.length, NULL, &staged_model, &error);
}

/* y = relu(x w): weights are a constant that is uploaded. */
static int set_up(void **state) {
    const int64_t sizes[] = {WIDTH, WIDTH};
    struct proto graph = {NULL, 0};
    struct onnx_error error;
    (void)state;
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    find(library, "faults_set", &faults_set);
    find(library, "faults_calls", &faults_calls);
    find(library, "faults_failed", &faults_failed);
    find(library, "faults_live", &faults_live);
    find(library, "faults_misuses", &faults_misuses);
    proto_message(&graph, 1, model_node("MatMul", "x w", "a"));
    proto_message(&graph, 1, model_node("Relu", "a", "y"));
    proto_message(&graph, 5, model_tensor("w", 2, sizes));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 32"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "n 32"));
    bytes = model_of(graph);
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        x[i] = (float)(i % WIDTH);
    }
    return !onnx_read_model(bytes.bytes, bytes.length, NULL, &model, &error) || !set_up_stages();
}

static int tear_down(void **state) {
    (void)state;
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
    onnx_arena_free(&staged_model.arena);
    proto_free(&staged_bytes);
    return 0;
}

/* Of a number of rows, which are the same. */
static bool run_rows(struct onnx_session *session, uint32_t rows, struct onnx_error *error) {
    static float y[MOST_ROWS * WIDTH];
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {rows, WIDTH}, .data = x};
    struct onnx_run *begun;
    void *const outputs[] = {y};
    *error = (struct onnx_error){0};
    if (!onnx_run_begin(session, 1, &input, &begun, error)) {
        assert_null(begun);
        return false;
    }
    const bool done = onnx_run_execute(begun, outputs, error);
    onnx_run_end(begun);
    for (size_t i = 0; done && i < rows * (size_t)WIDTH; i++) {
        assert_float_equal(y[i], 1.5F * (WIDTH * (WIDTH - 1) / 2), 0);
    }
    return done;
}

static bool run(struct onnx_session *session, struct onnx_error *error) {
    return run_rows(session, 1, error);
}

static bool run_stages(struct onnx_stages *stages, struct onnx_error *error) {
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, WIDTH}, .data = x};
    struct onnx_stages_run *begun;
    float y[2][WIDTH - 1] = {{0}};
    void *const outputs[] = {y};
    *error = (struct onnx_error){0};
    if (!onnx_stages_begin(stages, 1, &input, NULL, &begun, error)) {
        assert_null(begun);
        return false;
    }
    assert_int_equal(onnx_stages_outputs(begun)[0].sizes[1], WIDTH - 1);
    const bool done = onnx_stages_execute(begun, outputs, NULL, error);
    onnx_stages_end(begun);
    for (size_t i = 0; done && i < WIDTH - 1; i++) {
        assert_float_equal(y[0][i], 0, 0);
        assert_float_equal(y[1][i], i + 1, 0);
    }
    return done;
}

/* A session, or one of several stages. */
struct tried {
    struct onnx_session *session;
    struct onnx_stages *stages;
};

static bool create(struct onnx_device *device, bool has_stages, struct tried *tried, struct onnx_error *error) {
    const struct onnx_session_options options = {0};
    return has_stages ? onnx_stages_create(device, &staged_model, &staged_model.graph, &options, &tried->stages, error)
                      : onnx_session_create(device, &model, &model.graph, NULL, &tried->session, error);
}

static bool is_there(const struct tried *tried) {
    return tried->session != NULL || tried->stages != NULL;
}

static bool run_tried(const struct tried *tried, struct onnx_error *error) {
    return tried->stages != NULL ? run_stages(tried->stages, error) : run(tried->session, error);
}

static bool tells_of_loss(const struct onnx_error *error) {
    return strstr(error->text, "lost") != NULL || strstr(error->text, "DEVICE_LOST") != NULL;
}

/* A failure's reason names the call, and what is wrong. */
static void expect_reason(const struct onnx_error *error, const char *call, VkResult failure) {
    const bool is_loss = failure == VK_ERROR_DEVICE_LOST;
    if (is_loss ? !tells_of_loss(error) : strstr(error->text, call) == NULL) {
        fail_msg("%s failed, and the reason is: %s", call, error->text);
    }
}

/* Two runs; whether there was an nth call that failed. */
static bool fail_call(bool has_stages, const char *call, uint32_t nth, VkResult failure) {
    struct onnx_device *device = NULL;
    struct tried tried = {NULL, NULL};
    struct onnx_error error = {0};
    faults_set(call, (int32_t)nth, failure);
    bool done = onnx_device_open(NULL, &device, &error);
    done = done && create(device, has_stages, &tried, &error);
    done = done && run_tried(&tried, &error) && run_tried(&tried, &error);
    const bool failed = faults_failed() != 0;
    if (!done) {
        assert_true(failed);
        expect_reason(&error, call, failure);
        assert_true(failure != VK_ERROR_DEVICE_LOST || !is_there(&tried) || !run_tried(&tried, &error));
        assert_true(failure != VK_ERROR_DEVICE_LOST || !is_there(&tried) || tells_of_loss(&error));
    }
    faults_set(NULL, 0, 0);
    if (is_there(&tried) && failure != VK_ERROR_DEVICE_LOST && !run_tried(&tried, &error)) {
        fail_msg("after %s %u had failed with %d a run fails: %s", call, (unsigned)nth, (int)failure, error.text);
    }
    onnx_session_free(tried.session);
    onnx_stages_free(tried.stages);
    onnx_device_close(device);
    if (faults_live() != 0 || faults_misuses() != 0) {
        fail_msg("after %s %u had failed with %d %d objects are left, and there were %u misuses", call, (unsigned)nth,
                 (int)failure, (int)faults_live(), (unsigned)faults_misuses());
    }
    return failed;
}

static void any_call_may_fail(void **state) {
    (void)state;
    static const char *const names[] = {
        "vkCreateInstance", "vkCreateDevice",  "vkAllocateMemory", "vkCreateComputePipelines",
        "vkQueueSubmit",    "vkWaitForFences", "vkResetFences",
#define FAULT_CREATE(name, object)                "vkCreate" #name,
#define FAULT_REPORT(name, parameters, arguments) "vk" #name,
#include "faults.inc"
    };
    static const VkResult failures[] = {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY,
                                        VK_ERROR_DEVICE_LOST};
    uint32_t reached = 0, failed = 0;
    for (size_t f = 0; f < sizeof failures / sizeof *failures; f++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (failures[f] == VK_ERROR_DEVICE_LOST && strcmp(names[i], "vkCreateInstance") == 0) {
                continue; /* there is none to be lost */
            }
            uint32_t nth = 1;
            while (fail_call(false, names[i], nth, failures[f])) {
                nth++;
            }
            reached += nth - 1;
            failed += f == 0 && nth > 1;
        }
    }
    print_message("# %u calls of %u functions failed\n", (unsigned)reached, (unsigned)failed);
    assert_int_equal(failed, sizeof names / sizeof *names);
}

/* Between stages, too: nothing that a stage made is left, and the next run works. */
static void any_stage_may_fail(void **state) {
    (void)state;
    static const struct {
        const char *call;
        VkResult failure;
    } faults[] = {{"vkAllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                  {"vkCreateBuffer", VK_ERROR_OUT_OF_HOST_MEMORY},
                  {"vkCreateComputePipelines", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                  {"vkQueueSubmit", VK_ERROR_OUT_OF_HOST_MEMORY},
                  {"vkWaitForFences", VK_ERROR_DEVICE_LOST}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        uint32_t nth = 1;
        while (fail_call(true, faults[i].call, nth, faults[i].failure)) {
            nth++;
        }
        assert_true(nth > 2); /* in both plans */
    }
}

/* What fails while a session is prepared is made up for by the run, and no other sizes are tried meanwhile. */
static void preparation_may_fail(void **state) {
    static const struct {
        const char *call;
        VkResult failure;
        bool ends; /* nothing is tried in its place */
    } faults[] = {{"vkAllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY, true},
                  {"vkCreateComputePipelines", VK_ERROR_OUT_OF_HOST_MEMORY, false},
                  {"vkQueueSubmit", VK_ERROR_OUT_OF_HOST_MEMORY, true}};
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        bool failed = true;
        for (int32_t nth = 1; failed; nth *= 2) {
            struct onnx_device *device;
            struct tried tried = {NULL, NULL};
            struct onnx_error error = {0};
            struct onnx_run_facts facts;
            struct onnx_session_facts held;
            assert_true(onnx_device_open(NULL, &device, &error) && create(device, false, &tried, &error));
            faults_set(faults[i].call, nth, faults[i].failure);
            onnx_session_prepare(tried.session, &facts);
            failed = faults_failed() != 0;
            faults_set(NULL, 0, 0);
            onnx_session_facts(tried.session, &held);
            assert_true(failed || nth != 1);
            assert_true(nth != 1 || !faults[i].ends || held.prepared_count == 0);
            assert_true(run_rows(tried.session, 3, &error));
            onnx_session_free(tried.session);
            onnx_device_close(device);
            assert_int_equal(faults_live(), 0);
        }
    }
}

/* Pipelines are created before a run, but for stages of whose inputs the model does not state the rank. */
static void the_first_stage_is_prepared(void **state) {
    (void)state;
    struct onnx_device *device;
    struct tried tried = {NULL, NULL};
    struct onnx_error error = {0};
    struct onnx_run_facts facts;
    assert_true(onnx_device_open(NULL, &device, &error) && create(device, true, &tried, &error));
    faults_set("vkCreateComputePipelines", INT32_MAX, VK_ERROR_DEVICE_LOST); /* none fails: they are counted */
    onnx_stages_prepare(tried.stages, &facts);
    const uint32_t prepared = faults_calls();
    assert_true(prepared != 0);
    assert_true(run_tried(&tried, &error));
    const uint32_t all = faults_calls();
    assert_true(all > prepared);
    assert_true(run_tried(&tried, &error));
    assert_int_equal(faults_calls(), all);
    faults_set(NULL, 0, 0);
    onnx_stages_free(tried.stages);
    onnx_device_close(device);
}

/* With what the input then holds; outputs of other sizes have no room. */
static void stages_are_executed_again(void **state) {
    (void)state;
    struct onnx_device *device;
    struct tried tried = {NULL, NULL};
    struct onnx_error error = {0};
    float changed[WIDTH] = {1, 0, 2, 0, 3}, y[2][3] = {{0}};
    void *const outputs[] = {y};
    const struct onnx_plan_input input = {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, WIDTH}, .data = changed};
    struct onnx_stages_run *begun;
    assert_true(onnx_device_open(NULL, &device, &error) && create(device, true, &tried, &error));
    assert_true(onnx_stages_begin(tried.stages, 1, &input, NULL, &begun, &error));
    assert_true(onnx_stages_execute(begun, outputs, NULL, &error));
    assert_true(y[1][0] == 0 && y[1][1] == 2 && y[1][2] == 4);
    changed[0] = 0;
    changed[7] = 1;
    assert_true(onnx_stages_execute(begun, outputs, NULL, &error));
    assert_true(y[1][0] == 2 && y[1][1] == 4 && y[1][2] == 7);
    changed[8] = 1;
    assert_false(onnx_stages_execute(begun, outputs, NULL, &error));
    assert_int_equal(error.result, VKDML_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "output 0 gets other sizes"));
    onnx_stages_end(begun);
    assert_true(run_tried(&tried, &error));
    onnx_stages_free(tried.stages);
    onnx_device_close(device);
}

/* A session on a device that is lost ends; another has another device, and works. */
static void another_session_works_after_a_loss(void **state) {
    (void)state;
    struct onnx_device *devices[2];
    struct onnx_session *sessions[2];
    struct onnx_error error = {0};
    for (size_t i = 0; i < 2; i++) {
        assert_true(onnx_device_open(NULL, &devices[i], &error));
        assert_true(onnx_session_create(devices[i], &model, &model.graph, NULL, &sessions[i], &error));
        assert_true(run(sessions[i], &error));
    }
    faults_set("vkQueueSubmit", 2, VK_ERROR_DEVICE_LOST);
    assert_true(run(sessions[0], &error));
    assert_false(run(sessions[0], &error));
    assert_string_equal(error.text, "vkQueueSubmit: the device is lost");
    for (uint32_t turn = 0; turn < 3; turn++) {
        assert_false(run(sessions[0], &error));
        assert_true(tells_of_loss(&error));
        assert_true(run(sessions[1], &error));
    }
    for (size_t i = 0; i < 2; i++) {
        onnx_session_free(sessions[i]);
        onnx_device_close(devices[i]);
    }
    assert_true(onnx_device_open(NULL, &devices[0], &error));
    assert_true(onnx_session_create(devices[0], &model, &model.graph, NULL, &sessions[0], &error));
    assert_true(run(sessions[0], &error));
    onnx_session_free(sessions[0]);
    onnx_device_close(devices[0]);
    assert_int_equal(faults_live(), 0);
    assert_int_equal(faults_misuses(), 0);
}

/* Memory that is out for a new shape is had of other shapes; where there is none a later run works. */
static void a_new_shape_may_fail(void **state) {
    (void)state;
    struct onnx_device *device;
    struct onnx_session *session;
    struct onnx_error error = {0};
    assert_true(onnx_device_open(NULL, &device, &error));
    assert_true(onnx_session_create(device, &model, &model.graph, NULL, &session, &error));
    assert_true(run(session, &error));
    faults_set("vkAllocateMemory", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_true(run_rows(session, MOST_ROWS / 2, &error));
    assert_true(faults_failed() != 0);
    faults_set("vkAllocateMemory", -1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_false(run_rows(session, MOST_ROWS, &error));
    assert_int_equal(error.result, VKDML_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_non_null(strstr(error.text, "vkAllocateMemory"));
    faults_set(NULL, 0, 0);
    assert_true(run_rows(session, MOST_ROWS, &error));
    assert_true(run(session, &error));
    onnx_session_free(session);
    onnx_device_close(device);
    assert_int_equal(faults_live(), 0);
    assert_int_equal(faults_misuses(), 0);
}

/* As many shapes as are kept, the number of Vulkan's objects is the same: memory, descriptor pools, command pools. */
static void objects_do_not_grow_with_shapes(void **state) {
    (void)state;
    const struct onnx_session_options options = {.shapes_kept = 3};
    struct onnx_device *device;
    struct onnx_session *session;
    struct onnx_error error = {0};
    assert_true(onnx_device_open(NULL, &device, &error));
    assert_true(onnx_session_create(device, &model, &model.graph, &options, &session, &error));
    assert_true(run_rows(session, MOST_ROWS, &error));
    int32_t most[2] = {0, 0}; /* of the first and of the last half: shapes have different numbers of pipelines */
    for (uint32_t rows = 1; rows < MOST_ROWS; rows++) {
        assert_true(run_rows(session, rows, &error));
        int32_t *half = &most[rows >= MOST_ROWS / 2];
        *half = faults_live() > *half ? faults_live() : *half;
    }
    assert_true(most[1] <= most[0]);
    onnx_session_free(session);
    onnx_device_close(device);
    assert_int_equal(faults_live(), 0);
    assert_int_equal(faults_misuses(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_shape_may_fail),
        cmocka_unit_test(objects_do_not_grow_with_shapes),
        cmocka_unit_test(any_call_may_fail),
        cmocka_unit_test(any_stage_may_fail),
        cmocka_unit_test(preparation_may_fail),
        cmocka_unit_test(the_first_stage_is_prepared),
        cmocka_unit_test(stages_are_executed_again),
        cmocka_unit_test(another_session_works_after_a_loss),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
