#include <stdlib.h>
#include <string.h>

#include "onnx/conditions.h"
#include "onnx/run.h"
#include "text/visible_text.h"

/* Of shapes that are kept, see held_bytes; by default. */
#define KEPT_BYTES ((uint64_t)256 << 20)

/* Of host memory and the device's that a compiled graph takes for each operator. */
#define OPERATOR_BYTES 2048

/* Inputs of more bytes decide no shapes. */
#define MOST_LOOKED_AT 65536

/* With those that have initializers. */
static uint32_t count_inputs(const struct onnx_session *session) {
    return session->graph->input_count + session->graph->optional_count;
}

/* ---- one shape ---- */

static void free_run(struct onnx_run *run) {
    onnx_run_free_recordings(run);
    vkdmlDestroyDispatchable(run->dispatchable);
    onnx_weights_forget(run->session->weights, &run->weight_ids);
    onnx_run_free_sizes(run);
    onnx_plan_free(run->plan);
    for (uint32_t i = 0; run->elements != NULL && i < count_inputs(run->session); ++i) {
        free(run->elements[i]);
    }
    free(run->elements);
    free(run->key);
    free(run->places);
    free(run);
}

static uint64_t bytes_of(const struct onnx_plan_input *input) {
    return onnx_bytes_of(input->type, onnx_elements(input->rank, input->sizes));
}

/* Inputs that a run is begun for. */
struct asked {
    struct onnx_session *session;
    const struct onnx_place *places; /* NULL: all on the host */
    struct onnx_plan_input *seen;    /* all inputs, with elements of those on the device once they were asked for: */
    void **read;                     /* copies */
};

/* An input's elements on the host, or NULL; of those on the device it reads a copy. */
static const void *look_at(const struct asked *asked, uint32_t i, struct onnx_error *error) {
    struct onnx_plan_input *input = &asked->seen[i];
    if (input->data != NULL || !onnx_run_is_at(asked->places, i)) {
        return input->data;
    }
    void *copy = malloc(ROUND_UP(bytes_of(input), 8));
    if (copy == NULL) {
        onnx_fail_memory(error);
    } else if (!onnx_place_read(asked->session->options.pool, &asked->places[i], copy, bytes_of(input), error)) {
        free(copy);
        copy = NULL;
    }
    asked->read[i] = copy;
    input->data = copy;
    return copy;
}

/* Whether an input has the sizes that a run was planned for, or such as the plan lets grow. */
static bool has_sizes(const struct onnx_run *run, uint32_t i, const struct onnx_plan_input *input) {
    const struct onnx_plan_input *own = &run->key[i];
    const struct onnx_growing_size *growing = &onnx_plan_growing_sizes(run->plan)[i];
    bool is_same = own->type == input->type && own->rank == input->rank;
    for (uint32_t d = 0; d < own->rank && is_same; ++d) {
        is_same = own->sizes[d] == input->sizes[d] || (growing->is_growing && growing->dimension == d);
    }
    return is_same;
}

/* What cannot be looked at is another. */
static bool is_same(const struct onnx_run *run, const struct asked *asked) {
    struct onnx_error ignored = {0};
    for (uint32_t i = 0; i < count_inputs(run->session); ++i) {
        const struct onnx_plan_input *own = &run->key[i];
        if (!has_sizes(run, i, &asked->seen[i])) {
            return false;
        }
        const bool is_asked = run->elements[i] != NULL || onnx_plan_has_range(run->plan, i);
        const void *elements = is_asked ? look_at(asked, i, &ignored) : NULL;
        if (run->elements[i] != NULL && (elements == NULL || memcmp(run->elements[i], elements, bytes_of(own)) != 0)) {
            return false;
        }
    }
    return onnx_plan_holds(run->plan, asked->seen);
}

/* What a plan may look at lives as long as it: copies, of which those that it did not look at go again. */
static bool copy_inputs(struct onnx_run *run, const struct asked *asked, struct onnx_error *error) {
    const uint32_t count = count_inputs(run->session);
    run->key = calloc(count + 1, sizeof *run->key);
    run->elements = calloc(count + 1, sizeof *run->elements);
    if (run->key == NULL || run->elements == NULL) {
        return onnx_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        run->key[i] = asked->seen[i];
        run->key[i].data = NULL;
        const uint64_t bytes = bytes_of(&asked->seen[i]);
        const bool has_elements = asked->seen[i].data != NULL || onnx_run_is_at(asked->places, i);
        if (bytes == 0 || bytes > MOST_LOOKED_AT || !has_elements) {
            continue;
        }
        const void *elements = look_at(asked, i, error);
        run->elements[i] = elements == NULL ? NULL : malloc(ROUND_UP(bytes, 8));
        if (run->elements[i] == NULL) {
            return onnx_fail_memory(error);
        }
        memcpy(run->elements[i], elements, bytes);
        run->key[i].data = run->elements[i];
    }
    return true;
}

static bool check_files(const struct onnx_session *session, struct onnx_error *error) {
    const char *changed = onnx_arena_changed_file(&session->model->arena);
    return changed == NULL || onnx_fail(error, "%s was changed since the model was opened: open it again",
                                        visible_text(changed).text);
}

static bool make_plan(struct onnx_run *run, const struct asked *asked, struct onnx_error *error) {
    struct onnx_session *session = run->session;
    const struct onnx_plan_options options = {
        .hints = &session->growth_hints,
        .has_growing_sizes = true,
        .has_float32_intermediates = session->options.has_float32_intermediates};
    if (!copy_inputs(run, asked, error) ||
        !onnx_plan_create(session->model, session->graph, count_inputs(session), run->key, &options, &run->plan, error)) {
        return onnx_explain_sizes(session->model, session->graph, count_inputs(session), run->key, error);
    }
    const bool *looked_at = onnx_plan_looked_at(run->plan);
    for (uint32_t i = 0; i < count_inputs(session); ++i) {
        if (!looked_at[i]) {
            free(run->elements[i]);
            run->elements[i] = NULL;
            run->key[i].data = NULL;
        }
    }
    return onnx_run_create_sizes(run, error);
}

/* ---- sessions ---- */

bool onnx_session_create(struct onnx_device *device, const struct onnx_model *model, const struct onnx_graph *graph,
                         const struct onnx_session_options *options, struct onnx_session **made,
                         struct onnx_error *error) {
    struct onnx_session *session = calloc(1, sizeof *session);
    *made = NULL;
    if (session == NULL || pthread_mutex_init(&session->lock, NULL) != 0) {
        free(session);
        return onnx_fail_memory(error);
    }
    if (pthread_mutex_init(&session->facts_lock, NULL) != 0) {
        pthread_mutex_destroy(&session->lock);
        free(session);
        return onnx_fail_memory(error);
    }
    session->device = device;
    session->model = model;
    session->graph = graph;
    if (options != NULL) {
        session->options = *options;
    }
    *made = session;
    return true;
}

/* All that can be made again. */
static void free_runs(struct onnx_session *session) {
    while (session->runs != NULL) {
        struct onnx_run *next = session->runs->next;
        free_run(session->runs);
        session->runs = next;
    }
    onnx_session_shrink(session);
    onnx_weights_free(session->weights);
    session->weights = NULL;
}

void onnx_session_free(struct onnx_session *session) {
    if (session == NULL || onnx_device_is_inherited(session->device)) {
        return;
    }
    free_runs(session);
    pthread_mutex_destroy(&session->facts_lock);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

/* Takes the run for these inputs out of the list, or NULL. */
static struct onnx_run *find_run(struct onnx_session *session, const struct asked *asked) {
    for (struct onnx_run **place = &session->runs; *place != NULL; place = &(*place)->next) {
        struct onnx_run *run = *place;
        if (is_same(run, asked)) {
            *place = run->next;
            return run;
        }
    }
    return NULL;
}

/* A shape runs by now: trials share their constants with it. Other constants of theirs go. */
static void drop_trials(struct onnx_session *session) {
    bool any = false;
    for (struct onnx_run **place = &session->runs; *place != NULL;) {
        struct onnx_run *run = *place;
        if (run->is_trial) {
            any = true;
            *place = run->next;
            free_run(run);
        } else {
            place = &run->next;
        }
    }
    if (any && session->weights != NULL) {
        onnx_weights_trim(session->weights);
    }
}

/* The runs that were not used for longest go where all together hold too much. The first one stays. */
static void drop_runs(struct onnx_session *session) {
    const struct onnx_session_options *options = &session->options;
    const uint64_t most_bytes = options->kept_bytes == 0 ? KEPT_BYTES : options->kept_bytes;
    const uint32_t most = options->shapes_kept == 0 ? UINT32_MAX : options->shapes_kept;
    struct onnx_run **place = &session->runs;
    uint64_t bytes = 0;
    for (uint32_t i = 0; *place != NULL; ++i) {
        bytes += (*place)->held_bytes;
        if (i != 0 && (i >= most || bytes > most_bytes)) {
            break;
        }
        place = &(*place)->next;
    }
    if (*place == NULL) {
        return;
    }
    while (*place != NULL) {
        struct onnx_run *next = (*place)->next;
        free_run(*place);
        *place = next;
    }
    onnx_session_shrink(session);
    if (session->weights != NULL) {
        onnx_weights_trim(session->weights);
    }
}

/* Host memory that a run takes, and what it has on the device of its own: parameters and descriptors. What is known of
 * operators is their number; measured, each takes about so much. */
static uint64_t held_bytes(const struct onnx_run *run) {
    return sizeof *run + onnx_plan_bytes(run->plan) + (uint64_t)onnx_plan_node_count(run->plan) * OPERATOR_BYTES;
}

/* NULL with a reason. `runs`: it is to run, so that memory for its tensors is made ready, too. */
static struct onnx_run *make_run(struct onnx_session *session, const struct asked *asked, bool runs,
                                 struct onnx_error *error) {
    struct onnx_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        onnx_fail_memory(error);
        return NULL;
    }
    run->session = session;
    run->is_new = true;
    run->is_trial = !runs;
    bool done = check_files(session, error) && make_plan(run, asked, error);
    if (done && onnx_plan_node_count(run->plan) != 0 && !session->options.by_reference) {
        /* Who has none on the device now will not at the first run. */
        done = onnx_run_prepare(run, error) &&
               (session->options.pool != NULL || !runs || onnx_run_record(run, error));
    }
    if (!done) {
        free_run(run);
        return NULL;
    }
    run->held_bytes = held_bytes(run);
    return run;
}

/* Where the device's memory is out it once more has that of other shapes. */
static struct onnx_run *make_run_and_room(struct onnx_session *session, const struct asked *asked,
                                          struct onnx_error *error) {
    struct onnx_error reason = {0};
    struct onnx_run *run = make_run(session, asked, true, &reason);
    if (run == NULL && reason.result == VKDML_ERROR_OUT_OF_DEVICE_MEMORY && session->runs != NULL) {
        free_runs(session);
        return make_run(session, asked, true, error);
    }
    return run != NULL || onnx_fail_with(error, reason.result, "%s", reason.text) ? run : NULL;
}

/* What asks for inputs, and memory for what becomes of them. */
static bool ask(struct onnx_session *session, uint32_t input_count, const struct onnx_plan_input *inputs,
                const struct onnx_place *places, struct asked *asked, struct onnx_error *error) {
    const size_t all = (size_t)count_inputs(session) + 1;
    *asked = (struct asked){session, places, calloc(all, sizeof *asked->seen), calloc(all, sizeof(void *))};
    if (asked->seen == NULL || asked->read == NULL) {
        free(asked->seen);
        free(asked->read);
        return onnx_fail_memory(error);
    }
    memcpy(asked->seen, inputs, input_count * sizeof *inputs);
    return true;
}

static void free_asked(const struct asked *asked) {
    for (uint32_t i = 0; i < count_inputs(asked->session); ++i) {
        free(asked->read[i]);
    }
    free(asked->read);
    free(asked->seen);
}

bool onnx_session_try(struct onnx_session *session, const struct onnx_plan_input *inputs, struct onnx_error *error) {
    struct asked asked;
    if (!ask(session, session->graph->input_count, inputs, NULL, &asked, error)) {
        return false;
    }
    struct onnx_run *run = make_run(session, &asked, false, error);
    free_asked(&asked);
    if (run != NULL) {
        run->next = session->runs;
        session->runs = run;
    } else if (error->result == VKDML_ERROR_OUT_OF_DEVICE_MEMORY && session->runs == NULL) {
        free_runs(session);
    }
    return run != NULL;
}

/* A run that was found: on better pipelines from now on, if they exist. A trial asks for them now. */
static void reuse(struct onnx_run *run) {
    struct onnx_error ignored = {0};
    run->is_new = run->is_trial;
    run->is_trial = false;
    if (run->dispatchable != NULL && (run->is_new || onnx_run_can_improve(run)) && check_files(run->session, &ignored)) {
        onnx_run_improve(run);
    }
}

bool onnx_run_begin_at(struct onnx_session *session, uint32_t input_count, const struct onnx_plan_input *inputs,
                       const struct onnx_place *places, struct onnx_run **begun, struct onnx_error *error) {
    *begun = NULL;
    if (!onnx_device_check_process(session->device, error) ||
        !onnx_check_input_count(session->graph, input_count, error)) {
        return false;
    }
    struct asked asked;
    if (!ask(session, input_count, inputs, places, &asked, error)) {
        return false;
    }
    pthread_mutex_lock(&session->lock);
    struct onnx_run *run = find_run(session, &asked);
    if (run != NULL) {
        reuse(run);
    } else {
        run = make_run_and_room(session, &asked, error);
    }
    if (run == NULL) {
        pthread_mutex_unlock(&session->lock);
    } else {
        onnx_run_set_inputs(run, input_count, inputs, places);
        run->next = session->runs;
        session->runs = run;
        if (run->is_new) {
            drop_trials(session);
            drop_runs(session);
        }
        onnx_session_note(session);
    }
    free_asked(&asked);
    *begun = run;
    return run != NULL;
}

bool onnx_run_begin(struct onnx_session *session, uint32_t input_count, const struct onnx_plan_input *inputs,
                    struct onnx_run **begun, struct onnx_error *error) {
    return onnx_run_begin_at(session, input_count, inputs, NULL, begun, error);
}

const struct onnx_plan_output *onnx_run_outputs(const struct onnx_run *run) {
    return run->results;
}

/* What the plan knows of an output without operators: its elements; and that of 4 bits the half byte behind an odd
 * number is 0, which DirectML leaves as it was. */
static bool finish_output(const struct onnx_run *run, const struct onnx_plan_output *output, void *to,
                          const struct onnx_place *place, struct onnx_error *error) {
    struct onnx_pool *pool = run->session->options.pool;
    if (output->data != NULL && place != NULL && !onnx_place_write(pool, place, output->data, output->bytes, error)) {
        return false;
    }
    if (output->data != NULL && place == NULL) {
        memcpy(to, output->data, output->bytes);
    }
    const bool is_of_4_bits = output->type == ONNX_UINT4 || output->type == ONNX_INT4;
    if (!is_of_4_bits || onnx_elements(output->rank, output->sizes) % 2 == 0) {
        return true;
    }
    unsigned char last = 0;
    const struct onnx_place end = place == NULL ? (struct onnx_place){NULL, 0}
                                                : (struct onnx_place){place->piece, place->offset + output->bytes - 1};
    if (place != NULL) {
        const bool is_read = onnx_place_read(pool, &end, &last, 1, error);
        last &= 15;
        return is_read && onnx_place_write(pool, &end, &last, 1, error);
    }
    unsigned char *byte = (unsigned char *)to + output->bytes - 1;
    *byte &= 15;
    return true;
}

bool onnx_run_execute_at(struct onnx_run *run, void *const *outputs, const struct onnx_place *places,
                         struct onnx_error *error) {
    if (!onnx_device_check_process(run->session->device, error)) {
        return false;
    }
    if (run->session->options.by_reference && !check_files(run->session, error)) {
        return false;
    }
    if (onnx_plan_node_count(run->plan) != 0 &&
        !(run->session->options.by_reference ? onnx_run_by_reference(run, outputs, error)
                                             : onnx_run_on_device(run, outputs, places, error))) {
        return false;
    }
    for (uint32_t i = 0; i < onnx_plan_output_count(run->plan); ++i) {
        const struct onnx_place *place = onnx_run_is_at(places, i) ? &places[i] : NULL;
        if ((place != NULL || outputs[i] != NULL) &&
            !finish_output(run, &onnx_plan_outputs(run->plan)[i], outputs[i], place, error)) {
            return false;
        }
    }
    return true;
}

bool onnx_run_execute(struct onnx_run *run, void *const *outputs, struct onnx_error *error) {
    return onnx_run_execute_at(run, outputs, NULL, error);
}

void onnx_run_end(struct onnx_run *run) {
    if (run != NULL) {
        run->begun = NULL;
        run->begun_at = NULL;
        onnx_session_note(run->session);
        pthread_mutex_unlock(&run->session->lock);
    }
}

void onnx_run_facts(const struct onnx_run *run, struct onnx_run_facts *facts) {
    *facts = (struct onnx_run_facts){.node_count = onnx_plan_node_count(run->plan),
                                     .general_count = run->general_count,
                                     .temporary_bytes = run->temporary_bytes,
                                     .is_new = run->is_new};
}
