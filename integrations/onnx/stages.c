#include "onnx/stages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "onnx/data_node.h"
#include "onnx/split.h"

struct onnx_stages {
    struct onnx_device *device;
    const struct onnx_model *model;
    const struct onnx_graph *graph;
    struct onnx_session_options options; /* their pool is own_pool where the caller has none */
    struct onnx_pool *own_pool;
    struct onnx_split split;
    struct onnx_session **sessions; /* of each stage; NULL: the host computes it */
    pthread_mutex_t lock;           /* while a run is under way */
};

/* A value of the graph that is there: an input, or what a stage made. */
struct value {
    struct onnx_plan_input tensor; /* `data` on the host, or NULL */
    struct onnx_place place;
    void *on_host, *in_pool; /* its own memory */
};

struct onnx_stages_run {
    struct onnx_stages *stages;
    struct onnx_run *last; /* of the last stage */
    const struct onnx_plan_output *outputs;
    struct onnx_run_facts facts;
    /* Of more than one stage: */
    uint32_t input_count;
    const struct onnx_plan_input *inputs; /* the caller's */
    const struct onnx_place *places;
    struct value *values;
    struct onnx_plan_output *made;      /* the outputs */
    struct onnx_plan_input *last_inputs; /* which the run of the last stage reads */
    struct onnx_place *last_places;
    bool is_executed;
};

static bool is_one(const struct onnx_stages *stages) {
    return stages->split.count == 1;
}

/* ---- sessions ---- */

bool onnx_stages_create(struct onnx_device *device, const struct onnx_model *model, const struct onnx_graph *graph,
                        const struct onnx_session_options *options, struct onnx_stages **made,
                        struct onnx_error *error) {
    struct onnx_stages *stages = calloc(1, sizeof *stages);
    *made = NULL;
    if (stages == NULL || pthread_mutex_init(&stages->lock, NULL) != 0) {
        free(stages);
        return onnx_fail_memory(error);
    }
    stages->device = device;
    stages->model = model;
    stages->graph = graph;
    stages->options = *options;
    bool done = onnx_split(graph, &stages->split, error);
    stages->sessions = done ? calloc(stages->split.count, sizeof(struct onnx_session *)) : NULL;
    done = done && (stages->sessions != NULL || onnx_fail_memory(error));
    if (done && stages->split.count > 1 && options->pool == NULL && !options->by_reference) {
        done = onnx_pool_create(device, &stages->own_pool, error);
        stages->options.pool = stages->own_pool;
    }
    for (uint32_t s = 0; done && s < stages->split.count; ++s) {
        const struct onnx_graph *part = is_one(stages) ? graph : &stages->split.stages[s].graph;
        done = stages->split.stages[s].is_host ||
               onnx_session_create(device, model, part, &stages->options, &stages->sessions[s], error);
    }
    if (!done) {
        onnx_stages_free(stages);
        return false;
    }
    *made = stages;
    return true;
}

void onnx_stages_free(struct onnx_stages *stages) {
    if (stages == NULL || onnx_device_is_inherited(stages->device)) {
        return;
    }
    for (uint32_t s = 0; stages->sessions != NULL && s < stages->split.count; ++s) {
        onnx_session_free(stages->sessions[s]);
    }
    onnx_pool_free(stages->own_pool);
    free(stages->sessions);
    onnx_split_free(&stages->split);
    pthread_mutex_destroy(&stages->lock);
    free(stages);
}

void onnx_stages_prepare(struct onnx_stages *stages, struct onnx_run_facts *facts) {
    pthread_mutex_lock(&stages->lock);
    for (uint32_t s = 0; s < stages->split.count; ++s) {
        if (stages->sessions[s] != NULL) {
            onnx_session_prepare(stages->sessions[s], facts);
        }
    }
    pthread_mutex_unlock(&stages->lock);
    if (!is_one(stages)) {
        *facts = (struct onnx_run_facts){0};
    }
}

/* ---- values ---- */

static uint64_t bytes_of(const struct onnx_plan_input *tensor) {
    return onnx_bytes_of(tensor->type, onnx_elements(tensor->rank, tensor->sizes));
}

static void release(struct onnx_stages *stages, struct value *value) {
    if (value->in_pool != NULL) {
        onnx_pool_release(stages->options.pool, value->in_pool);
    }
    free(value->on_host);
    *value = (struct value){0};
}

/* Memory for what a stage makes: the device's, or on the CPU reference the host's. */
static bool make_room(struct onnx_stages *stages, const struct onnx_plan_output *output, struct value *value,
                      struct onnx_error *error) {
    release(stages, value);
    value->tensor = (struct onnx_plan_input){.type = output->type, .rank = output->rank};
    memcpy(value->tensor.sizes, output->sizes, sizeof output->sizes);
    if (output->bytes == 0) {
        return true;
    }
    if (stages->options.by_reference) {
        value->tensor.data = value->on_host = malloc(output->bytes + 8);
        return value->on_host != NULL || onnx_fail_memory(error);
    }
    value->in_pool = onnx_pool_allocate(stages->options.pool, output->bytes, error);
    return value->in_pool != NULL &&
           (onnx_pool_find(stages->options.pool, value->in_pool, output->bytes, &value->place) ||
            onnx_fail(error, "memory between stages is not found"));
}

/* What the caller gave. Optional inputs that are not given hold their initializers. */
static void set_inputs(struct onnx_stages_run *run) {
    const struct onnx_graph *graph = run->stages->graph;
    for (uint32_t i = 0; i < graph->input_count + graph->optional_count; ++i) {
        struct value *value = &run->values[graph->inputs[i]];
        *value = (struct value){0};
        if (i < run->input_count) {
            value->tensor = run->inputs[i];
            value->place = run->places == NULL ? (struct onnx_place){NULL, 0} : run->places[i];
        }
    }
}

/* The elements of a value on the host. */
static bool fetch(struct onnx_stages_run *run, uint32_t number, struct onnx_plan_input *tensor,
                  struct onnx_error *error) {
    struct value *value = &run->values[number];
    const struct onnx_data *constant = run->stages->graph->values[number].constant;
    if (value->tensor.type == ONNX_UNDEFINED && constant != NULL) {
        *tensor = (struct onnx_plan_input){.type = constant->type, .rank = constant->rank, .data = constant->data};
        memcpy(tensor->sizes, constant->sizes, sizeof constant->sizes);
        return true;
    }
    const uint64_t bytes = bytes_of(&value->tensor);
    if (value->place.piece != NULL && value->on_host == NULL && bytes != 0) {
        value->on_host = malloc(bytes + 8);
        if (value->on_host == NULL) {
            return onnx_fail_memory(error);
        }
        if (!onnx_place_read(run->stages->options.pool, &value->place, value->on_host, bytes, error)) {
            free(value->on_host);
            value->on_host = NULL;
            return false;
        }
    }
    *tensor = value->tensor;
    tensor->data = tensor->data != NULL ? tensor->data : value->on_host;
    return true;
}

/* ---- stages ---- */

static bool run_on_host(struct onnx_stages_run *run, const struct onnx_stage *stage, struct onnx_error *error) {
    const struct onnx_graph *graph = &stage->graph;
    struct onnx_plan_input *inputs = calloc((size_t)graph->input_count + 1, sizeof *inputs);
    struct onnx_plan_input *outputs = calloc((size_t)graph->output_count + 1, sizeof *outputs);
    bool done = (inputs != NULL && outputs != NULL) || onnx_fail_memory(error);
    for (uint32_t i = 0; done && i < graph->input_count; ++i) {
        done = fetch(run, stage->inputs[i], &inputs[i], error);
    }
    if (done) {
        done = onnx_data_node_run(run->stages->model, graph, inputs, outputs, error);
        for (uint32_t o = 0; o < graph->output_count; ++o) {
            struct value *value = &run->values[stage->outputs[o]];
            const union {
                const void *constant;
                void *data;
            } elements = {outputs[o].data};
            release(run->stages, value);
            *value = (struct value){.tensor = outputs[o], .on_host = elements.data};
        }
    }
    free(inputs);
    free(outputs);
    return done;
}

/* Inputs of a stage, as its run reads them. */
static void gather(const struct onnx_stages_run *run, const struct onnx_stage *stage, struct onnx_plan_input *inputs,
                   struct onnx_place *places) {
    for (uint32_t i = 0; i < stage->graph.input_count + stage->graph.optional_count; ++i) {
        const struct value *value = &run->values[stage->inputs[i]];
        inputs[i] = value->tensor;
        places[i] = value->place;
    }
}

static void add_facts(struct onnx_stages_run *run, const struct onnx_run *part) {
    struct onnx_run_facts facts;
    onnx_run_facts(part, &facts);
    run->facts.node_count += facts.node_count;
    run->facts.temporary_bytes += facts.temporary_bytes;
    run->facts.is_new = run->facts.is_new || facts.is_new;
}

static bool execute_stage(struct onnx_stages_run *run, const struct onnx_stage *stage, struct onnx_run *part,
                          void **addresses, struct onnx_place *places, struct onnx_error *error) {
    const struct onnx_plan_output *outputs = onnx_run_outputs(part);
    for (uint32_t o = 0; o < stage->graph.output_count; ++o) {
        struct value *value = &run->values[stage->outputs[o]];
        if (!make_room(run->stages, &outputs[o], value, error)) {
            return false;
        }
        addresses[o] = value->on_host;
        places[o] = value->place;
    }
    return onnx_run_execute_at(part, addresses, places, error);
}

/* A stage that is not the last, on the device or the CPU reference. */
static bool run_stage(struct onnx_stages_run *run, uint32_t s, struct onnx_error *error) {
    const struct onnx_stage *stage = &run->stages->split.stages[s];
    const uint32_t input_count = stage->graph.input_count + stage->graph.optional_count;
    struct onnx_plan_input *inputs = calloc((size_t)input_count + 1, sizeof *inputs);
    struct onnx_place *places = calloc((size_t)input_count + stage->graph.output_count + 1, sizeof *places);
    void **addresses = calloc((size_t)stage->graph.output_count + 1, sizeof(void *));
    bool done = (inputs != NULL && places != NULL && addresses != NULL) || onnx_fail_memory(error);
    if (done) {
        struct onnx_run *part;
        gather(run, stage, inputs, places);
        done = onnx_run_begin_at(run->stages->sessions[s], input_count, inputs, places, &part, error);
        if (done) {
            add_facts(run, part);
            done = execute_stage(run, stage, part, addresses, places + input_count, error);
            onnx_run_end(part);
        }
    }
    free(inputs);
    free(places);
    free(addresses);
    return done;
}

static bool begin_last(struct onnx_stages_run *run, struct onnx_error *error) {
    const uint32_t s = run->stages->split.count - 1;
    const struct onnx_stage *stage = &run->stages->split.stages[s];
    const uint32_t input_count = stage->graph.input_count + stage->graph.optional_count;
    gather(run, stage, run->last_inputs, run->last_places);
    if (!onnx_run_begin_at(run->stages->sessions[s], input_count, run->last_inputs, run->last_places, &run->last,
                           error)) {
        return false;
    }
    add_facts(run, run->last);
    return true;
}

static bool run_stages(struct onnx_stages_run *run, struct onnx_error *error) {
    const struct onnx_split *split = &run->stages->split;
    bool done = true;
    run->facts = (struct onnx_run_facts){0};
    for (uint32_t s = 0; done && s + 1 < split->count; ++s) {
        done = split->stages[s].is_host ? run_on_host(run, &split->stages[s], error) : run_stage(run, s, error);
    }
    return done && begin_last(run, error);
}

/* ---- runs ---- */

/* The output of the last stage that output `index` of the graph is, or ONNX_NONE: another stage made it. A value that
 * is several outputs of the graph is as many of the stage's. */
static uint32_t of_last(const struct onnx_stages *stages, uint32_t index) {
    const struct onnx_stage *stage = &stages->split.stages[stages->split.count - 1];
    const uint32_t *outputs = stages->graph->outputs;
    uint32_t before = 0;
    for (uint32_t o = 0; o < index; ++o) {
        before += outputs[o] == outputs[index];
    }
    for (uint32_t o = 0; o < stage->graph.output_count; ++o) {
        if (stage->outputs[o] == outputs[index] && before-- == 0) {
            return o;
        }
    }
    return ONNX_NONE;
}

static void describe_outputs(const struct onnx_stages_run *run, struct onnx_plan_output *outputs) {
    for (uint32_t o = 0; o < run->stages->graph->output_count; ++o) {
        const uint32_t last = of_last(run->stages, o);
        const struct onnx_plan_input *tensor = &run->values[run->stages->graph->outputs[o]].tensor;
        if (last != ONNX_NONE) {
            outputs[o] = onnx_run_outputs(run->last)[last];
            continue;
        }
        outputs[o] = (struct onnx_plan_output){
            .type = tensor->type, .rank = tensor->rank, .bytes = bytes_of(tensor), .output = ONNX_NONE};
        memcpy(outputs[o].sizes, tensor->sizes, sizeof tensor->sizes);
    }
}

static bool begin_stages(struct onnx_stages_run *run, struct onnx_error *error) {
    const struct onnx_graph *graph = run->stages->graph;
    const size_t count = (size_t)graph->value_count + 1;
    run->values = calloc(count, sizeof *run->values);
    run->made = calloc((size_t)graph->output_count + 1, sizeof *run->made);
    run->last_inputs = calloc(count, sizeof *run->last_inputs);
    run->last_places = calloc(count, sizeof *run->last_places);
    if (run->values == NULL || run->made == NULL || run->last_inputs == NULL || run->last_places == NULL) {
        return onnx_fail_memory(error);
    }
    set_inputs(run);
    if (!run_stages(run, error)) {
        return false;
    }
    describe_outputs(run, run->made);
    run->outputs = run->made;
    return true;
}

bool onnx_stages_begin(struct onnx_stages *stages, uint32_t input_count, const struct onnx_plan_input *inputs,
                       const struct onnx_place *places, struct onnx_stages_run **begun, struct onnx_error *error) {
    *begun = NULL;
    if (!onnx_device_check_process(stages->device, error) ||
        !onnx_check_input_count(stages->graph, input_count, error)) {
        return false;
    }
    struct onnx_stages_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return onnx_fail_memory(error);
    }
    *run = (struct onnx_stages_run){
        .stages = stages, .input_count = input_count, .inputs = inputs, .places = places};
    pthread_mutex_lock(&stages->lock);
    bool done;
    if (is_one(stages)) {
        done = onnx_run_begin_at(stages->sessions[0], input_count, inputs, places, &run->last, error);
        run->outputs = done ? onnx_run_outputs(run->last) : NULL;
        if (done) {
            add_facts(run, run->last);
        }
    } else {
        done = begin_stages(run, error);
    }
    if (!done) {
        onnx_stages_end(run);
        return false;
    }
    *begun = run;
    return true;
}

const struct onnx_plan_output *onnx_stages_outputs(const struct onnx_stages_run *run) {
    return run->outputs;
}

/* All stages once more, where the caller's inputs may hold something else. */
static bool begin_again(struct onnx_stages_run *run, struct onnx_error *error) {
    const uint32_t count = run->stages->graph->output_count;
    onnx_run_end(run->last);
    run->last = NULL;
    struct onnx_plan_output *outputs = calloc((size_t)count + 1, sizeof *outputs);
    bool done = (outputs != NULL || onnx_fail_memory(error)) && run_stages(run, error);
    if (done) {
        describe_outputs(run, outputs);
    }
    for (uint32_t o = 0; done && o < count; ++o) {
        done = (outputs[o].rank == run->made[o].rank &&
                memcmp(outputs[o].sizes, run->made[o].sizes, outputs[o].rank * sizeof outputs[o].sizes[0]) == 0) ||
               onnx_fail(error, "output %u gets other sizes than when the run was begun", (unsigned)o);
    }
    free(outputs);
    return done;
}

/* An output that an early stage made. */
static bool copy_output(struct onnx_stages_run *run, uint32_t index, void *output, const struct onnx_place *place,
                        struct onnx_error *error) {
    struct onnx_pool *pool = run->stages->options.pool;
    const struct value *value = &run->values[run->stages->graph->outputs[index]];
    const uint64_t bytes = run->outputs[index].bytes;
    const void *elements = value->tensor.data != NULL ? value->tensor.data : value->on_host;
    if (bytes == 0) {
        return true;
    }
    if (place != NULL) {
        return elements != NULL ? onnx_place_write(pool, place, elements, bytes, error)
                                : onnx_place_copy(pool, &value->place, place, bytes, error);
    }
    if (elements != NULL) {
        memcpy(output, elements, bytes);
    }
    return elements != NULL || onnx_place_read(pool, &value->place, output, bytes, error);
}

static bool execute_last(struct onnx_stages_run *run, void *const *outputs, const struct onnx_place *places,
                         struct onnx_error *error) {
    const struct onnx_stages *stages = run->stages;
    const uint32_t count = stages->split.stages[stages->split.count - 1].graph.output_count;
    void **own = calloc((size_t)count + 1, sizeof(void *));
    struct onnx_place *own_places = calloc((size_t)count + 1, sizeof *own_places);
    bool done = (own != NULL && own_places != NULL) || onnx_fail_memory(error);
    for (uint32_t o = 0; done && o < stages->graph->output_count; ++o) {
        const uint32_t last = of_last(stages, o);
        if (last != ONNX_NONE && (outputs[o] != NULL || (places != NULL && places[o].piece != NULL))) {
            own[last] = outputs[o];
            own_places[last] = places == NULL ? (struct onnx_place){NULL, 0} : places[o];
        }
    }
    done = done && onnx_run_execute_at(run->last, own, own_places, error);
    free(own);
    free(own_places);
    return done;
}

bool onnx_stages_execute(struct onnx_stages_run *run, void *const *outputs, const struct onnx_place *places,
                         struct onnx_error *error) {
    if (is_one(run->stages)) {
        return onnx_run_execute_at(run->last, outputs, places, error);
    }
    if (!onnx_device_check_process(run->stages->device, error) ||
        ((run->is_executed || run->last == NULL) && !begin_again(run, error)) ||
        !execute_last(run, outputs, places, error)) {
        return false;
    }
    run->is_executed = true;
    for (uint32_t o = 0; o < run->stages->graph->output_count; ++o) {
        const struct onnx_place *place = places != NULL && places[o].piece != NULL ? &places[o] : NULL;
        if (of_last(run->stages, o) == ONNX_NONE && (outputs[o] != NULL || place != NULL) &&
            !copy_output(run, o, outputs[o], place, error)) {
            return false;
        }
    }
    return true;
}

void onnx_stages_end(struct onnx_stages_run *run) {
    if (run == NULL) {
        return;
    }
    struct onnx_stages *stages = run->stages;
    onnx_run_end(run->last);
    for (uint32_t v = 0; run->values != NULL && v < stages->graph->value_count; ++v) {
        release(stages, &run->values[v]);
    }
    free(run->values);
    free(run->made);
    free(run->last_inputs);
    free(run->last_places);
    free(run);
    pthread_mutex_unlock(&stages->lock);
}

void onnx_stages_facts(const struct onnx_stages_run *run, struct onnx_run_facts *facts) {
    *facts = run->facts;
}

void onnx_stages_held(const struct onnx_stages *stages, struct onnx_session_facts *facts) {
    *facts = (struct onnx_session_facts){0};
    for (uint32_t s = 0; s < stages->split.count; ++s) {
        struct onnx_session_facts one = {0};
        if (stages->sessions[s] != NULL) {
            onnx_session_facts(stages->sessions[s], &one);
        }
        facts->weight_bytes += one.weight_bytes;
        facts->tensor_bytes += one.tensor_bytes;
        facts->loaded_bytes += one.loaded_bytes;
        facts->load_seconds += one.load_seconds;
        facts->prepared_count += one.prepared_count;
        facts->prepare_seconds += one.prepare_seconds;
        facts->kept_count += one.kept_count;
        facts->held_bytes += one.held_bytes;
    }
}
