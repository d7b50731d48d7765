/* Models by eight threads at once: one session of all, sessions of their own, memory of one pool, the C functions on
 * one model, all on few devices, of whose queues each is used by one thread at a time. On the machine's first Vulkan
 * device.
 *
 * test_onnx_threads [ROUNDS]: of each thread, 6 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models.h"
#include "onnx/file.h"
#include "onnx/session.h"
#include "onnx/vkdml_onnx.h"
#include "watched_queue.h"

enum { THREADS = 8, WIDTH = 32, MOST = 4, SHAPES = 3 };

struct worker {
    uint32_t seed;
    struct onnx_session *own; /* of work_without_fences() */
    const char *failed;       /* what failed first, and why */
    char why[512];
};

static uint32_t rounds = 6;
static char folder[] = "/tmp/vkdml-threads-XXXXXX", path[64]; /* of the model; pipelines are kept beside it */
static float x[MOST * WIDTH];
static struct onnx_file *file;
static struct onnx_device *device;
static struct onnx_pool *pool;
static struct onnx_session *session; /* of all threads, with the pool */
static VkdmlOnnxModel opened;        /* likewise, and its device */

static bool good(struct worker *worker, bool done, const char *what, const char *why) {
    if (!done && worker->failed == NULL) {
        worker->failed = what;
        snprintf(worker->why, sizeof worker->why, "%s", why);
    }
    return done;
}

/* y = relu(x w), w all 1.5. */
static bool is_right(const float *y, uint32_t rows) {
    bool right = true;
    for (size_t i = 0; i < (size_t)rows * WIDTH; i++) {
        right = right && y[i] == 1.5F * (WIDTH * (WIDTH - 1) / 2);
    }
    return right;
}

static struct onnx_plan_input input_of(uint32_t rows, const void *data) {
    return (struct onnx_plan_input){.type = ONNX_FLOAT, .rank = 2, .sizes = {rows, WIDTH}, .data = data};
}

static void run(struct worker *worker, struct onnx_session *of, uint32_t rows) {
    const struct onnx_plan_input input = input_of(rows, x);
    struct onnx_error error = {0};
    struct onnx_run *begun;
    float y[MOST * WIDTH];
    void *const outputs[] = {y};
    if (good(worker, onnx_run_begin(of, 1, &input, &begun, &error), "a run's begin", error.text)) {
        good(worker, onnx_run_execute(begun, outputs, &error), "a run", error.text);
        onnx_run_end(begun);
        good(worker, is_right(y, rows), "a run", "other numbers");
    }
}

static void run_own(struct worker *worker, uint32_t rows) {
    const struct onnx_model *model = onnx_file_model(file);
    struct onnx_error error = {0};
    struct onnx_run_facts facts;
    struct onnx_session *own;
    if (good(worker, onnx_session_create(device, model, &model->graph, NULL, &own, &error), "a session", error.text)) {
        if (rows % 2 == 0) {
            onnx_session_prepare(own, &facts);
        }
        run(worker, own, rows);
        run(worker, own, rows);
        onnx_session_free(own);
    }
}

static void run_at_places(struct worker *worker, uint32_t rows) {
    const struct onnx_plan_input input = input_of(rows, NULL);
    const size_t bytes = rows * WIDTH * sizeof(float);
    struct onnx_error error = {0};
    struct onnx_run *begun;
    struct onnx_place from, to;
    float y[MOST * WIDTH];
    void *const outputs[] = {NULL};
    void *in = onnx_pool_allocate(pool, bytes, &error), *out = onnx_pool_allocate(pool, bytes, &error);
    if (good(worker, in != NULL && out != NULL, "memory", error.text) && onnx_pool_find(pool, in, bytes, &from) &&
        onnx_pool_find(pool, out, bytes, &to) &&
        good(worker, onnx_place_write(pool, &from, x, bytes, &error), "writing", error.text) &&
        good(worker, onnx_run_begin_at(session, 1, &input, &from, &begun, &error), "a run's begin", error.text)) {
        good(worker, onnx_run_execute_at(begun, outputs, &to, &error), "a run at places", error.text);
        onnx_run_end(begun);
        good(worker, onnx_place_read(pool, &to, y, bytes, &error), "reading", error.text);
        good(worker, is_right(y, rows), "a run at places", "other numbers");
    }
    onnx_pool_release(pool, in);
    onnx_pool_release(pool, out);
}

static void run_opened(struct worker *worker, uint32_t rows) {
    const VkdmlOnnxTensor tensor = {.type = ONNX_FLOAT, .rank = 2, .sizes = {rows, WIDTH}, .data = x};
    const VkdmlOnnxTensor wrong = {.type = ONNX_INT64, .rank = 2, .sizes = {rows, WIDTH}, .data = x};
    VkdmlOnnxRun begun;
    float y[MOST * WIDTH];
    void *const outputs[] = {y};
    if (good(worker, vkdmlOnnxBeginRun(opened, 1, &tensor, &begun) == VKDML_SUCCESS, "vkdmlOnnxBeginRun",
             vkdmlOnnxGetErrorMessage())) {
        good(worker, vkdmlOnnxExecuteRun(begun, outputs) == VKDML_SUCCESS, "vkdmlOnnxExecuteRun",
             vkdmlOnnxGetErrorMessage());
        vkdmlOnnxEndRun(begun);
        good(worker, is_right(y, rows), "vkdmlOnnxExecuteRun", "other numbers");
    }
    good(worker, vkdmlOnnxBeginRun(opened, 1, &wrong, &begun) == VKDML_ERROR_INVALID_ARGUMENT, "a wrong input", "");
    good(worker, strstr(vkdmlOnnxGetErrorMessage(), "is of type") != NULL, "a thread's reason", "another");
}

static void *work(void *argument) {
    struct worker *worker = argument;
    for (uint32_t round = 0; round < rounds && worker->failed == NULL; round++) {
        const uint32_t rows = 1 + (worker->seed + round) % SHAPES;
        if (worker->seed % 2 == 0) {
            run_own(worker, rows);
        }
        run(worker, session, rows);
        run_at_places(worker, rows);
        run_opened(worker, rows);
        if (worker->seed % 2 != 0) {
            run_own(worker, rows);
        }
        if (worker->seed == round % THREADS) {
            onnx_device_keep_pipelines(device);
            onnx_pool_trim(pool);
        }
    }
    return NULL;
}

/* Each wait for a fence fails: the queue is waited for then, before what it uses ends. By sessions of their own: runs
 * of one come one after another. */
static void *work_without_fences(void *argument) {
    struct worker *worker = argument;
    for (uint32_t round = 0; round < rounds && worker->failed == NULL; round++) {
        const struct onnx_plan_input input = input_of(1, x);
        struct onnx_error error = {0};
        struct onnx_run *begun;
        float y[MOST * WIDTH];
        void *const outputs[] = {y};
        if (good(worker, onnx_run_begin(worker->own, 1, &input, &begun, &error), "a run's begin", error.text)) {
            good(worker, !onnx_run_execute(begun, outputs, &error), "a wait that fails", "the run did not");
            good(worker, error.result == VKDML_ERROR_OUT_OF_HOST_MEMORY, "a wait that fails", error.text);
            onnx_run_end(begun);
        }
    }
    return NULL;
}

static int set_up(void **state) {
    const int64_t sizes[] = {WIDTH, WIDTH};
    struct proto graph = {NULL, 0};
    struct onnx_error error = {0};
    (void)state;
    proto_message(&graph, 1, model_node("MatMul", "x w", "a"));
    proto_message(&graph, 1, model_node("Relu", "a", "y"));
    proto_message(&graph, 5, model_tensor("w", 2, sizes));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 32"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "n 32"));
    struct proto model = model_of(graph);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(model.bytes, 1, model.length, to), model.length);
    assert_int_equal(fclose(to), 0);
    proto_free(&model);
    for (size_t i = 0; i < MOST * WIDTH; i++) {
        x[i] = (float)(i % WIDTH);
    }
    return !onnx_open(path, &file, &error);
}

static int tear_down(void **state) {
    char command[128];
    (void)state;
    onnx_close(file);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void open_all(void) {
    struct onnx_error error = {0};
    const struct onnx_device_options device_options = {.cache_folder = folder};
    const VkdmlOnnxOpenInfo info = {.structSize = sizeof info, .path = path, .cacheFolder = folder};
    assert_true(onnx_device_open(&device_options, &device, &error));
    assert_true(onnx_pool_create(device, &pool, &error));
    const struct onnx_session_options options = {.pool = pool, .shapes_kept = 2};
    const struct onnx_model *model = onnx_file_model(file);
    assert_true(onnx_session_create(device, model, &model->graph, &options, &session, &error));
    assert_int_equal(vkdmlOnnxOpenModel(&info, &opened), VKDML_SUCCESS);
}

static void close_all(void) {
    vkdmlOnnxCloseModel(opened);
    onnx_session_free(session);
    onnx_pool_free(pool);
    onnx_device_close(device);
}

static void begin_eight(struct worker workers[THREADS], pthread_t threads[THREADS], void *(*work_of)(void *)) {
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].seed = i;
        assert_int_equal(pthread_create(&threads[i], NULL, work_of, &workers[i]), 0);
    }
}

static void end_eight(const pthread_t threads[THREADS]) {
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

static void assert_good(const struct worker workers[THREADS]) {
    for (uint32_t i = 0; i < THREADS; i++) {
        if (workers[i].failed != NULL) {
            fail_msg("thread %u: %s failed: %s", (unsigned)i, workers[i].failed, workers[i].why);
        }
    }
}

static void eight_threads_run_models_at_once(void **state) {
    (void)state;
    struct worker workers[THREADS] = {{0}};
    pthread_t threads[THREADS];
    watched_queue_take();
    open_all();
    begin_eight(workers, threads, work);
    end_eight(threads);
    close_all();
    assert_good(workers);
    const struct watched_queue watched = watched_queue_take();
    assert_true(watched.submissions >= THREADS * rounds);
    assert_int_equal(watched.overlaps, 0);
    assert_int_equal(watched.unwatched, 0);
}

static void eight_threads_wait_for_one_queue(void **state) {
    (void)state;
    struct worker workers[THREADS] = {{0}};
    pthread_t threads[THREADS];
    struct onnx_error error = {0};
    const struct onnx_model *model = onnx_file_model(file);
    open_all();
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_true(onnx_session_create(device, model, &model->graph, NULL, &workers[i].own, &error));
        run(&workers[i], workers[i].own, 1); /* uploads and compiles what is kept */
    }
    watched_queue_take();
    watched_queue_fail_waits(true);
    begin_eight(workers, threads, work_without_fences);
    end_eight(threads);
    watched_queue_fail_waits(false);
    const struct watched_queue watched = watched_queue_take();
    for (uint32_t i = 0; i < THREADS; i++) {
        run(&workers[i], workers[i].own, 1);
        onnx_session_free(workers[i].own);
    }
    close_all();
    assert_good(workers);
    assert_int_equal(watched.waits, THREADS * rounds);
    assert_int_equal(watched.overlaps, 0);
}

enum { DRIVER_FAILS = 3 };

/* A child is refused its parent's model at once, also while a thread runs it, leaves it, and opens its own. */
static void children_open_their_own(void **state) {
    const VkdmlOnnxTensor tensor = {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, WIDTH}, .data = x};
    VkdmlOnnxRun begun, other;
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* ThreadSanitizer ends a child that starts threads, as the driver does */
#endif
    open_all();
    assert_int_equal(vkdmlOnnxBeginRun(opened, 1, &tensor, &begun), VKDML_SUCCESS); /* holds its lock */
    const pid_t child = fork();
    if (child == 0) {
        struct worker worker = {.seed = 0};
        alarm(20); /* a wait without end ends the child */
        bool good = vkdmlOnnxBeginRun(opened, 1, &tensor, &other) == VKDML_ERROR_DEVICE_LOST &&
                    strstr(vkdmlOnnxGetErrorMessage(), "before fork()") != NULL;
        run(&worker, session, 1);
        good = good && strstr(worker.why, "before fork()") != NULL;
        close_all();
        struct onnx_error error = {0};
        if (!onnx_device_open(&(struct onnx_device_options){.name = NULL}, &device, &error)) {
            _exit(strstr(error.text, "a child of fork()") != NULL ? DRIVER_FAILS : 1);
        }
        onnx_device_close(device);
        open_all();
        worker = (struct worker){.seed = 0};
        run_opened(&worker, 1);
        run_at_places(&worker, 1);
        close_all();
        _exit(good && worker.failed == NULL ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    vkdmlOnnxEndRun(begun);
    struct worker worker = {.seed = 0};
    run_opened(&worker, 1);
    close_all();
    assert_null(worker.failed);
    if (WIFEXITED(status) && WEXITSTATUS(status) == DRIVER_FAILS) {
        skip(); /* NVIDIA's driver 580 opens no device in a child of a process that has one */
    }
    assert_int_equal(status, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_threads_run_models_at_once),
        cmocka_unit_test(eight_threads_wait_for_one_queue),
        cmocka_unit_test(children_open_their_own),
    };
    if (argc > 1) {
        rounds = (uint32_t)strtoul(argv[1], NULL, 10);
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
