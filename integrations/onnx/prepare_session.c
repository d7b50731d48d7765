/* Sessions are made ready before the first run. If the model states all sizes, all is known. Otherwise plans for a few
 * sizes that fit create the pipelines that other sizes share, and load the weights. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "onnx/judge.h"
#include "onnx/run.h"

/* Where the search for sizes begins: usual sizes of one image or text; a single step, as of a decoder; a batch. Each
 * has pipelines that the others lack. */
static const struct onnx_first_sizes trials[] = {
    {.batch = 1, .others = 224}, {.batch = 1, .others = 1}, {.batch = 16, .others = 224}};
#define TRIAL_COUNT (sizeof trials / sizeof trials[0])

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Whether the model states types and ranks of all inputs; *is_open: but not all sizes. */
static bool has_ranks(const struct onnx_graph *graph, bool *is_open) {
    bool has = true;
    *is_open = false;
    for (uint32_t i = 0; has && i < graph->input_count; ++i) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        has = value->type != ONNX_UNDEFINED && value->kind == ONNX_KIND_TENSOR && value->has_shape &&
              value->rank <= ONNX_MAX_RANK;
        for (uint32_t d = 0; has && d < value->rank; ++d) {
            *is_open = *is_open || value->sizes[d] < 0;
            has = value->sizes[d] <= UINT32_MAX;
        }
    }
    return has;
}

/* Inputs of stated sizes, and of those that were found for open ones. */
static void set_sizes(const struct onnx_graph *graph, const struct onnx_judgement *found,
                      struct onnx_plan_input *inputs) {
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        inputs[i] = (struct onnx_plan_input){.type = value->type, .rank = value->rank};
        for (uint32_t d = 0; d < value->rank; ++d) {
            inputs[i].sizes[d] = value->sizes[d] >= 0
                                     ? (uint32_t)value->sizes[d]
                                     : found->assumed[onnx_open_size_of(&found->open, graph, graph->inputs[i], d)];
        }
    }
}

static bool are_same(const struct onnx_plan_input *a, const struct onnx_plan_input *b, uint32_t count) {
    bool are_same = true;
    for (uint32_t i = 0; i < count && are_same; ++i) {
        are_same = memcmp(a[i].sizes, b[i].sizes, sizeof a[i].sizes) == 0;
    }
    return are_same;
}

/* Whether other sizes may fit: nothing is wrong with the device or with memory. */
static bool is_of_sizes(const struct onnx_error *error) {
    return error->result == VKDML_ERROR_INVALID_ARGUMENT || error->result == VKDML_ERROR_NOT_IMPLEMENTED ||
           error->result == VKDML_ERROR_LIMIT_EXCEEDED || error->result == VKDML_ERROR_FEATURE_NOT_PRESENT;
}

/* Plans for sizes that fit. Those that do not are left to runs that have them. With the session's lock held. */
static void try_sizes(struct onnx_session *session, struct onnx_plan_input *inputs) {
    const struct onnx_graph *graph = session->graph;
    uint32_t count = 0;
    bool goes_on = true;
    for (size_t t = 0; goes_on && t < TRIAL_COUNT; ++t) {
        struct onnx_plan_input *own = inputs + (size_t)count * graph->input_count;
        struct onnx_arena arena = {0};
        struct onnx_judgement found;
        struct onnx_error error = {0};
        bool is_new = onnx_find_sizes(session->model, graph, &trials[t], &arena, &found);
        if (is_new) {
            set_sizes(graph, &found, own);
        }
        onnx_arena_free(&arena);
        for (uint32_t before = 0; is_new && before < count; ++before) {
            is_new = !are_same(own, inputs + (size_t)before * graph->input_count, graph->input_count);
        }
        if (is_new) {
            ++count;
            const bool fits = onnx_session_try(session, own, &error);
            session->prepared_count += fits;
            goes_on = fits || is_of_sizes(&error);
        }
    }
}

/* All sizes are stated: this is the first run but for its execution. */
static void prepare_run(struct onnx_session *session, const struct onnx_plan_input *inputs,
                        struct onnx_run_facts *facts) {
    struct onnx_error ignored = {0};
    struct onnx_run *run;
    if (onnx_run_begin(session, session->graph->input_count, inputs, &run, &ignored)) {
        onnx_run_facts(run, facts);
        ++session->prepared_count;
        onnx_run_end(run);
    }
}

void onnx_session_prepare(struct onnx_session *session, struct onnx_run_facts *facts) {
    const struct onnx_graph *graph = session->graph;
    const double begin = now();
    bool is_open;
    *facts = (struct onnx_run_facts){0};
    if (session->options.by_reference || onnx_device_is_inherited(session->device) || !has_ranks(graph, &is_open)) {
        return;
    }
    struct onnx_plan_input *inputs = calloc(TRIAL_COUNT * graph->input_count + 1, sizeof *inputs);
    if (inputs != NULL && !is_open) {
        set_sizes(graph, NULL, inputs);
        prepare_run(session, inputs, facts);
    }
    pthread_mutex_lock(&session->lock);
    if (inputs != NULL && is_open) {
        try_sizes(session, inputs);
    }
    session->prepare_seconds = now() - begin;
    onnx_session_note(session);
    pthread_mutex_unlock(&session->lock);
    free(inputs);
}
