#include "try_memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "fuzz/invented.h"
#include "fuzz/onnx_try.h"
#include "onnx/file.h"
#include "onnx/judge.h"
#include "onnx/report.h"

#define ELEMENT_BYTES 65536

struct memory_tried memory_tried;

/* What is done to a model, and what is there for it. */
struct subject {
    const unsigned char *bytes;
    size_t length;
    const char *folder;
    struct onnx_model model;
    const struct onnx_plan_input *inputs;
    VkdmlDevice device;
    struct onnx_plan *plan;
    struct onnx_plan_graph *graph;
    struct onnx_error error;
    uint32_t told[4]; /* nodes of each outcome; of a plan its operators */
};

/* Plans of FLOAT16 patterns and of sizes that grow allocate more so. */
static const struct onnx_plan_options wide = {.has_float32_intermediates = true, .has_growing_sizes = true};

/* ---- the steps: each frees what it makes ---- */

static bool do_read(struct subject *s) {
    struct onnx_model model;
    const bool done = onnx_read_model(s->bytes, s->length, s->folder, &model, &s->error);
    if (done) {
        onnx_arena_free(&model.arena);
    }
    return done;
}

static bool do_judge(struct subject *s) {
    struct onnx_arena arena = {0};
    const struct onnx_verdict *verdicts = onnx_judge(&s->model, &s->model.graph, &arena);
    memset(s->told, 0, sizeof s->told);
    for (uint32_t n = 0; verdicts != NULL && n < s->model.graph.node_count; n++) {
        s->told[verdicts[n].is_translated]++;
    }
    onnx_arena_free(&arena);
    return verdicts != NULL || onnx_fail_memory(&s->error);
}

static void tell(void *data, const struct onnx_node_report *report) {
    ((struct subject *)data)->told[report->outcome]++;
}

static bool do_report(struct subject *s) {
    memset(s->told, 0, sizeof s->told);
    return onnx_report(&s->model, &s->model.graph, s->model.graph.input_count, s->inputs, tell, s, &s->error);
}

static bool do_plan(struct subject *s) {
    struct onnx_plan *plan;
    const bool done =
        onnx_plan_create(&s->model, &s->model.graph, s->model.graph.input_count, s->inputs, &wide, &plan, &s->error);
    s->told[0] = done ? onnx_plan_node_count(plan) : 0;
    onnx_plan_free(plan);
    return done;
}

static bool do_make(struct subject *s) {
    struct onnx_plan_graph *graph;
    const bool done = onnx_plan_graph_create(s->plan, s->device, &graph, &s->error);
    onnx_plan_graph_free(graph);
    return done;
}

static bool do_compile(struct subject *s) {
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED};
    VkdmlDispatchable compiled;
    const VkdmlResult result = vkdmlCompileGraph(s->device, onnx_plan_graph_desc(s->graph), &info, &compiled);
    vkdmlDestroyDispatchable(compiled);
    return onnx_check(result, &s->error);
}

/* ---- the points of a step ---- */

static bool complain(const char *step, int nth, const char *what, const struct onnx_error *error) {
    printf("# %s, allocation %d fails: %s (%d %s)\n", step, nth, what, (int)error->result, error->text);
    return false;
}

static bool tells_of_memory(const struct onnx_error *error) {
    return strstr(error->text, "memory") != NULL || strstr(error->text, "MEMORY") != NULL;
}

/* As it is without a fault: success, or a refusal that memory has nothing to do with. */
static bool try_points(struct subject *s, const char *step, bool (*act)(struct subject *s), bool *succeeds,
                       uint64_t *count) {
    s->error = (struct onnx_error){0};
    memset(s->told, 0, sizeof s->told);
    *succeeds = act(s);
    const struct onnx_error usual = s->error;
    uint32_t told[4];
    memcpy(told, s->told, sizeof told);
    const int live = failing_memory_live();
    /* Of a node that is refused for another reason it does not matter what fails besides; nor of a plan that is made
     * once more, with what it has to look at. */
    const bool tells = act == do_judge || act == do_report || act == do_plan;
    /* Judging tries many sizes, so later allocations repeat earlier ones: of those only some fail. */
    const int often = act == do_judge ? 64 : INT_MAX;
    for (int nth = 1;; nth += 1 + nth / often) {
        s->error = (struct onnx_error){0};
        failing_memory_begin(nth);
        const bool done = act(s);
        const bool reached = failing_memory_end();
        if (failing_memory_live() != live) {
            return complain(step, nth, "memory is left", &s->error);
        }
        if (!reached) {
            return done == *succeeds || complain(step, nth, "then it is not what it was", &s->error);
        }
        ++*count;
        /* What is refused may be so before it asks for what fails. */
        const bool is_usual = !*succeeds && strcmp(usual.text, s->error.text) == 0;
        memory_tried.survived += done;
        if (done && (!tells || memcmp(told, s->told, sizeof told) != 0)) {
            return complain(step, nth, "it succeeds", &s->error);
        }
        const bool is_memory = s->error.result == VKDML_ERROR_OUT_OF_HOST_MEMORY ||
                               s->error.result == VKDML_ERROR_OUT_OF_DEVICE_MEMORY; /* the invented device's */
        if (!done && !is_usual && !(is_memory && tells_of_memory(&s->error))) {
            return complain(step, nth, "the code or the reason is another", &s->error);
        }
        s->error = (struct onnx_error){0};
        if (act(s) != *succeeds || strcmp(usual.text, s->error.text) != 0 || memcmp(told, s->told, sizeof told) != 0) {
            return complain(step, nth, "and afterwards it is another", &s->error);
        }
    }
}

static bool try_graph(struct subject *s) {
    bool succeeds;
    s->device = invented_device(); /* that there is one hangs on no memory */
    if (!try_points(s, "making the graph", do_make, &succeeds, &memory_tried.made) || !succeeds) {
        return !succeeds;
    }
    struct onnx_error error = {0};
    const bool made = onnx_plan_graph_create(s->plan, s->device, &s->graph, &error);
    do_compile(s); /* pipelines are the device's and stay */
    const bool done = made && try_points(s, "compiling", do_compile, &succeeds, &memory_tried.compiled);
    onnx_plan_graph_free(s->graph);
    return done;
}

static bool try_inputs(struct subject *s) {
    bool succeeds;
    if (!try_points(s, "reporting", do_report, &succeeds, &memory_tried.reported) ||
        !try_points(s, "planning", do_plan, &succeeds, &memory_tried.planned)) {
        return false;
    }
    struct onnx_error error = {0};
    if (!succeeds ||
        !onnx_plan_create(&s->model, &s->model.graph, s->model.graph.input_count, s->inputs, &wide, &s->plan, &error)) {
        return !succeeds;
    }
    const bool done = onnx_plan_node_count(s->plan) == 0 || try_graph(s);
    onnx_plan_free(s->plan);
    return done;
}

bool try_memory(const unsigned char *bytes, size_t length, const char *folder) {
    struct subject s = {.bytes = bytes, .length = length, .folder = folder};
    bool succeeds;
    if (!try_points(&s, "reading", do_read, &succeeds, &memory_tried.read) || !succeeds) {
        return !succeeds;
    }
    int64_t *elements = malloc(ELEMENT_BYTES);
    if (elements == NULL || !onnx_read_model(bytes, length, folder, &s.model, &s.error)) {
        free(elements);
        return false;
    }
    for (size_t i = 0; i < ELEMENT_BYTES / sizeof *elements; i++) {
        elements[i] = (int64_t)(i % 3 + 1);
    }
    struct onnx_plan_input *inputs = onnx_try_inputs(&s.model.graph, 2, elements);
    s.inputs = inputs;
    const bool done = try_points(&s, "judging", do_judge, &succeeds, &memory_tried.judged) && try_inputs(&s);
    free(inputs);
    free(elements);
    onnx_arena_free(&s.model.arena);
    return done;
}
