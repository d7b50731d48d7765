/* Nodes that go wrong, found by running them one by one: by faults in what nodes make on the device. */
#include "reading.h"

#include <float.h>
#include <math.h>

#include "onnx/diagnosis.h"
#include "onnx/elements.h"
#include "onnx/run.h"

enum { LENGTH = 64, WIDTH = 8, BAD = 5 };

/* ---- faults ---- */

/* What is added to element BAD of what an operator's node makes, by itself, on the device. */
static struct {
    const char *op; /* NULL: nothing */
    float error;
} fault;

bool __real_onnx_run_execute_at(struct onnx_run *run, void *const *outputs, const struct onnx_place *places,
                                struct onnx_error *error);
bool __wrap_onnx_run_execute_at(struct onnx_run *run, void *const *outputs, const struct onnx_place *places,
                                struct onnx_error *error);

bool __wrap_onnx_run_execute_at(struct onnx_run *run, void *const *outputs, const struct onnx_place *places,
                                struct onnx_error *error) {
    const struct onnx_graph *graph = run->session->graph;
    const bool done = __real_onnx_run_execute_at(run, outputs, places, error);
    if (done && fault.op != NULL && !run->session->options.by_reference && graph->node_count == 1 &&
        strcmp(graph->nodes[0].op, fault.op) == 0) {
        ((float *)outputs[0])[BAD] += fault.error;
    }
    return done;
}

/* ---- a model: y = tanh(x w) ---- */

static struct onnx_device *device;
static struct onnx_model model;
static float x[LENGTH], w[LENGTH * WIDTH];

static int set_up(void **state) {
    struct onnx_error error = {0};
    struct proto graph = {NULL, 0};
    (void)state;
    proto_message(&graph, 1, model_node("MatMul", "x w", "h"));
    proto_message(&graph, 1, model_node("Tanh", "h", "y"));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "1 64"));
    proto_message(&graph, 11, model_value("w", ONNX_FLOAT, "64 8"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "1 8"));
    struct proto bytes = model_of(graph);
    expect_read(bytes, NULL, &model);
    proto_free(&bytes);
    return !onnx_device_open(NULL, &device, &error);
}

static int tear_down(void **state) {
    (void)state;
    onnx_device_close(device);
    onnx_arena_free(&model.arena);
    return 0;
}

/* Sums of about 0.5. */
static void fill_plainly(void) {
    for (int i = 0; i < LENGTH; i++) {
        x[i] = (float)(1 + i % 7) / 16;
        for (int j = 0; j < WIDTH; j++) {
            w[i * WIDTH + j] = (float)(1 + (i + j) % 5) / 96;
        }
    }
}

/* Sums of 0.01 whose terms are about 1500, and what they add up to on the way is 50000. */
static void fill_to_cancel(void) {
    for (int i = 0; i < LENGTH; i++) {
        const int k = i % (LENGTH / 2);
        x[i] = 1000 + (float)k * 7.3F;
        x[i] = i == k ? x[i] : nextafterf(x[i], FLT_MAX);
        for (int j = 0; j < WIDTH; j++) {
            w[i * WIDTH + j] = (i == k ? 1.3F : -1.3F) * (1 + (float)j * 0.11F);
        }
    }
}

/* What was found. */
static struct {
    uint32_t told;
    char op[16]; /* of the first that is wrong */
    uint64_t at, wrong, excused;
    char text[ONNX_WRONG_KEPT * 256];
} found;

static void keep(void *data, const struct onnx_found *one) {
    (void)data;
    found.told++;
    if (one->comparison != NULL) {
        found.excused += one->comparison->excused;
    }
    if (one->is_wrong && found.text[0] == 0) {
        snprintf(found.op, sizeof found.op, "%s", one->node == NULL ? "" : one->node->op);
        snprintf(found.text, sizeof found.text, "%s", one->text);
        if (one->comparison != NULL) {
            found.at = one->comparison->first[0];
            found.wrong = one->comparison->wrong;
        }
    }
}

/* How many outputs are wrong. y: what a whole run made, or NULL. */
static uint32_t diagnose(enum onnx_check check, const float *y) {
    const struct onnx_plan_input inputs[] = {
        {.type = ONNX_FLOAT, .rank = 2, .sizes = {1, LENGTH}, .data = x},
        {.type = ONNX_FLOAT, .rank = 2, .sizes = {LENGTH, WIDTH}, .data = w},
    };
    const struct onnx_diagnosis diagnosis = {
        .check = check, .device = device, .model = &model, .graph = &model.graph, .tell = keep};
    const void *const outputs[] = {y};
    struct onnx_error error = {0};
    uint32_t wrong = 0;
    memset(&found, 0, sizeof found);
    if (!onnx_diagnose(&diagnosis, inputs, outputs, &wrong, &error)) {
        fail_msg("%s", error.text);
    }
    return wrong;
}

static void plan_fault(const char *op, float error) {
    fault.op = op;
    fault.error = error;
}

/* ---- the tests ---- */

static void what_is_right_is_right(void **state) {
    (void)state;
    plan_fault(NULL, 0);
    fill_plainly();
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 0);
    assert_int_equal(found.told, 2);
    assert_int_equal(found.excused, 0);
    fill_to_cancel();
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 0);
    assert_int_equal(diagnose(ONNX_CHECK_FINITE, NULL), 0);
}

static void a_wrong_node_is_named(void **state) {
    (void)state;
    fill_plainly();
    plan_fault("MatMul", 5e-4F);
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 1);
    assert_string_equal(found.op, "MatMul");
    assert_int_equal(found.at, BAD);
    assert_int_equal(found.wrong, 1);
    assert_non_null(strstr(found.text, "node MatMul of 'h': output 'h' is not the CPU reference's: 1 of 8 elements is "
                                       "wrong, most at [0, 5]: "));
    assert_non_null(strstr(found.text, "; inputs: 'x' FLOAT [1, 64] from 0.0625 to 0.4375, 0 inf, 0 NaN; 'w' FLOAT"));
    plan_fault("Tanh", 5e-4F);
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 1);
    assert_string_equal(found.op, "Tanh");
    plan_fault("Tanh", (float)NAN);
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 1);
    plan_fault("Tanh", 1e-6F); /* within the bound */
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 0);
}

static void conditioning_excuses_rounding_alone(void **state) {
    (void)state;
    fill_to_cancel();
    plan_fault("MatMul", 5e-3F); /* as far as rounding of the inputs, and far outside the bound */
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 0);
    assert_true(found.excused >= 1);
    plan_fault("MatMul", 1); /* a thousandth of one term */
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 1);
    assert_string_equal(found.op, "MatMul");
    assert_int_equal(found.wrong, 1);
    plan_fault("MatMul", (float)INFINITY);
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 1);
}

/* Products of 2^64 less one unit are just below 2^128: rounding of the inputs decides whether they are infinite. */
static void so_it_does_where_rounding_overflows(void **state) {
    (void)state;
    memset(x, 0, sizeof x);
    memset(w, 0, sizeof w);
    x[0] = nextafterf(0x1p64F, 0);
    for (int j = 0; j < WIDTH; j++) {
        w[j] = nextafterf(0x1p64F, 0);
    }
    plan_fault("MatMul", (float)INFINITY);
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 0);
    assert_int_equal(found.excused, 1);
    w[BAD] /= 2;
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, NULL), 1);
}

static void a_wrong_output_of_the_whole_is_told(void **state) {
    float y[WIDTH] = {0};
    (void)state;
    plan_fault(NULL, 0);
    fill_plainly();
    for (int j = 0; j < WIDTH; j++) {
        double sum = 0;
        for (int i = 0; i < LENGTH; i++) {
            sum += (double)x[i] * (double)w[i * WIDTH + j];
        }
        y[j] = (float)tanh(sum);
    }
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, y), 0);
    assert_int_equal(found.told, 3);
    y[BAD] *= 1.001F;
    assert_int_equal(diagnose(ONNX_CHECK_REFERENCE, y), 1);
    assert_string_equal(found.op, "");
    assert_int_equal(found.at, BAD);
    assert_non_null(strstr(found.text, "the model's output 'y' is not what its nodes make one by one: 1 of 8"));
}

static void the_first_that_is_not_finite_is_named(void **state) {
    (void)state;
    fill_plainly();
    plan_fault("MatMul", (float)INFINITY);
    assert_int_equal(diagnose(ONNX_CHECK_FINITE, NULL), 1);
    assert_string_equal(found.op, "MatMul");
    assert_non_null(strstr(found.text, "has 1 inf and 0 NaN of 8 elements: the result exceeds the largest FLOAT, "));
    plan_fault(NULL, 0);
    x[3] = (float)INFINITY; /* of an infinite input: no fault of a node */
    assert_int_equal(diagnose(ONNX_CHECK_FINITE, NULL), 0);
    x[4] = -(float)INFINITY;
    assert_int_equal(diagnose(ONNX_CHECK_FINITE, NULL), 1);
    assert_non_null(strstr(found.text, "has 0 inf and 8 NaN of 8 elements: infinities among the inputs cancel or meet 0; "
                                       "inputs: 'x' FLOAT [1, 64] from 0.0625 to 0.4375, 2 inf, 0 NaN"));
    x[3] = (float)NAN;
    assert_int_equal(diagnose(ONNX_CHECK_FINITE, NULL), 0);
}

static void elements_move_by_one_unit(void **state) {
    float moved[] = {1, -1, 0, -0.0F, FLT_MAX, (float)INFINITY, FLT_TRUE_MIN, 3};
    const float before[] = {1, -1, 0, -0.0F, FLT_MAX, (float)INFINITY, FLT_TRUE_MIN, 3};
    uint16_t halves[] = {0x3C00, 0x7C00, 0x7BFF, 0x8000};
    uint64_t seed = 1;
    int32_t integer = 7;
    (void)state;
    onnx_perturb(ONNX_FLOAT, ENTRIES(moved), moved, &seed);
    for (size_t i = 0; i < ENTRIES(moved); i++) {
        const bool stays = before[i] == 0 || isinf(before[i]);
        assert_true(isinf(before[i]) || isfinite(moved[i]));
        assert_true(stays ? moved[i] == before[i]
                          : moved[i] == nextafterf(before[i], FLT_MAX) || moved[i] == nextafterf(before[i], -FLT_MAX));
    }
    onnx_perturb(ONNX_FLOAT16, ENTRIES(halves), halves, &seed);
    assert_true(halves[0] == 0x3BFF || halves[0] == 0x3C01);
    assert_int_equal(halves[1], 0x7C00);
    assert_int_equal(halves[2], 0x7BFE);
    assert_int_equal(halves[3], 0x8000);
    onnx_perturb(ONNX_INT32, 1, &integer, &seed);
    assert_int_equal(integer, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_right_is_right),
        cmocka_unit_test(a_wrong_node_is_named),
        cmocka_unit_test(conditioning_excuses_rounding_alone),
        cmocka_unit_test(so_it_does_where_rounding_overflows),
        cmocka_unit_test(a_wrong_output_of_the_whole_is_told),
        cmocka_unit_test(the_first_that_is_not_finite_is_named),
        cmocka_unit_test(elements_move_by_one_unit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
