#include "onnx/session.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SHAPES_KEPT      8
#define ROUND_UP(x, to)  (((x) + ((to)-1)) / (to) * (to))
#define TENSOR_ALIGNMENT 256

struct onnx_run {
    struct onnx_session *session;
    struct onnx_run *next; /* the one that was used before this */
    struct onnx_plan_input *key;
    void **elements;                      /* of inputs that the plan holds for alone, copies */
    const struct onnx_plan_input *inputs; /* of the run that is under way */
    struct onnx_plan *plan;
    VkdmlDispatchable dispatchable;
    VkdmlBindingTable table;
    struct onnx_buffer persistent, tensors, staging;
    uint64_t *places; /* in `tensors`: DirectML's inputs, its outputs, and the temporary resource */
    uint64_t input_end, output_begin, output_end;
    uint64_t temporary_bytes;
    struct onnx_commands commands;
    bool is_new;
};

struct onnx_session {
    struct onnx_device *device;
    const struct onnx_model *model;
    const struct onnx_graph *graph;
    struct onnx_session_options options;
    pthread_mutex_t lock; /* of everything, while a run is under way */
    struct onnx_run *runs;
};

/* ---- one shape ---- */

static void free_run(struct onnx_run *run) {
    struct onnx_device *device = run->session->device;
    onnx_commands_free(device, &run->commands);
    vkdmlDestroyBindingTable(run->table);
    vkdmlDestroyDispatchable(run->dispatchable);
    onnx_buffer_free(device, &run->persistent);
    onnx_buffer_free(device, &run->tensors);
    onnx_buffer_free(device, &run->staging);
    onnx_plan_free(run->plan);
    for (uint32_t i = 0; run->elements != NULL && i < run->session->graph->input_count; ++i) {
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

static bool is_same(const struct onnx_run *run, const struct onnx_plan_input *inputs) {
    for (uint32_t i = 0; i < run->session->graph->input_count; ++i) {
        const struct onnx_plan_input *own = &run->key[i];
        if (own->type != inputs[i].type || own->rank != inputs[i].rank ||
            memcmp(own->sizes, inputs[i].sizes, own->rank * sizeof own->sizes[0]) != 0) {
            return false;
        }
        if (run->elements[i] != NULL && memcmp(run->elements[i], inputs[i].data, bytes_of(own)) != 0) {
            return false;
        }
    }
    return onnx_plan_holds(run->plan, inputs);
}

/* What a plan may look at lives as long as it: copies, of which those that it did not look at go again. */
static bool copy_inputs(struct onnx_run *run, const struct onnx_plan_input *inputs, struct onnx_error *error) {
    const uint32_t count = run->session->graph->input_count;
    run->key = calloc(count + 1, sizeof *run->key);
    run->elements = calloc(count + 1, sizeof *run->elements);
    if (run->key == NULL || run->elements == NULL) {
        return onnx_fail(error, "memory is out");
    }
    for (uint32_t i = 0; i < count; ++i) {
        run->key[i] = inputs[i];
        run->key[i].data = NULL;
        const uint64_t bytes = bytes_of(&inputs[i]);
        if (bytes == 0 || bytes > 65536 || inputs[i].data == NULL) {
            continue;
        }
        run->elements[i] = malloc(ROUND_UP(bytes, 8));
        if (run->elements[i] == NULL) {
            return onnx_fail(error, "memory is out");
        }
        memcpy(run->elements[i], inputs[i].data, bytes);
        run->key[i].data = run->elements[i];
    }
    return true;
}

static bool make_plan(struct onnx_run *run, const struct onnx_plan_input *inputs, struct onnx_error *error) {
    const struct onnx_session *session = run->session;
    if (!copy_inputs(run, inputs, error) ||
        !onnx_plan_create(session->model, session->graph, session->graph->input_count, run->key, NULL, &run->plan,
                          error)) {
        return false;
    }
    const bool *looked_at = onnx_plan_looked_at(run->plan);
    for (uint32_t i = 0; i < session->graph->input_count; ++i) {
        if (!looked_at[i]) {
            free(run->elements[i]);
            run->elements[i] = NULL;
            run->key[i].data = NULL;
        }
    }
    return true;
}

static uint32_t count_outputs(const struct onnx_run *run) {
    uint32_t count = onnx_plan_unread_count(run->plan);
    for (uint32_t i = 0; i < onnx_plan_output_count(run->plan); ++i) {
        count += onnx_plan_outputs(run->plan)[i].output != ONNX_NONE;
    }
    return count;
}

/* Where tensors lie, one behind another: inputs of the model, its outputs, what nothing reads, and the temporary
 * resource. */
static bool place_tensors(struct onnx_run *run, struct onnx_error *error) {
    const struct onnx_plan *plan = run->plan;
    const uint32_t input_count = onnx_plan_input_count(plan);
    const uint32_t model_outputs = count_outputs(run) - onnx_plan_unread_count(plan);
    run->places = calloc((size_t)input_count + count_outputs(run) + 1, sizeof *run->places);
    if (run->places == NULL) {
        return onnx_fail(error, "memory is out");
    }
    uint64_t end = 0;
    for (uint32_t i = 0; i < input_count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(plan)[i];
        if (input->input != ONNX_NONE) {
            run->places[i] = end;
            end += ROUND_UP(input->bytes, TENSOR_ALIGNMENT);
        }
    }
    run->input_end = end;
    run->output_begin = end;
    for (uint32_t i = 0; i < onnx_plan_output_count(plan); ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(plan)[i];
        if (output->output != ONNX_NONE) {
            run->places[input_count + output->output] = end;
            end += ROUND_UP(output->bytes, TENSOR_ALIGNMENT);
        }
    }
    run->output_end = end;
    for (uint32_t i = 0; i < onnx_plan_unread_count(plan); ++i) {
        run->places[input_count + model_outputs + i] = end;
        end += ROUND_UP(onnx_plan_unread_bytes(plan)[i], TENSOR_ALIGNMENT);
    }
    run->places[input_count + count_outputs(run)] = end;
    end += run->temporary_bytes;
    struct onnx_device *device = run->session->device;
    const bool shares = onnx_device_shares_memory(device);
    return onnx_buffer_create(device, end + TENSOR_ALIGNMENT, shares ? ONNX_MEMORY_SHARED : ONNX_MEMORY_DEVICE,
                              &run->tensors, error) &&
           (shares ||
            onnx_buffer_create(device, run->output_end + TENSOR_ALIGNMENT, ONNX_MEMORY_HOST, &run->staging, error));
}

static bool fail_vkdml(struct onnx_error *error) {
    return onnx_fail(error, "%s", vkdmlGetErrorMessage());
}

static bool compile(struct onnx_run *run, struct onnx_error *error) {
    const struct onnx_session *session = run->session;
    struct onnx_plan_graph *graph;
    const VkdmlDevice device = onnx_device_vkdml(session->device);
    if (!onnx_plan_graph_create(run->plan, device, &graph, error)) {
        return false;
    }
    const VkdmlCompileInfo info = {
        .structSize = sizeof info,
        .executionFlags = session->options.allows_half ? DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION
                                                       : DML_EXECUTION_FLAG_NONE,
        .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED |
                 (session->options.node_by_node ? (VkdmlCompileFlags)VKDML_COMPILE_FLAG_NODE_BY_NODE : 0)};
    const VkdmlResult compiled = vkdmlCompileGraph(device, onnx_plan_graph_desc(graph), &info, &run->dispatchable);
    onnx_plan_graph_free(graph);
    return compiled == VKDML_SUCCESS || fail_vkdml(error);
}

/* ---- constants ---- */

static bool bind_constants(struct onnx_run *run, const struct onnx_buffer *constants, VkdmlDispatchable initializer,
                           VkdmlBindingTable *table, struct onnx_error *error) {
    const uint32_t count = onnx_plan_input_count(run->plan);
    VkdmlBufferBinding *bindings = calloc(count + 1, sizeof *bindings);
    if (bindings == NULL) {
        return onnx_fail(error, "memory is out");
    }
    uint64_t place = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        if (input->input == ONNX_NONE) {
            bindings[i] = (VkdmlBufferBinding){constants->buffer, place, ROUND_UP(input->bytes, 4)};
            place += ROUND_UP(input->bytes, TENSOR_ALIGNMENT);
        }
    }
    VkdmlBindingProperties needs;
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = initializer};
    const VkdmlBufferBinding persistent = {run->persistent.buffer, 0, run->persistent.size};
    bool done = vkdmlGetBindingProperties(initializer, &needs) == VKDML_SUCCESS &&
                vkdmlCreateBindingTable(onnx_device_vkdml(run->session->device), &info, table) == VKDML_SUCCESS &&
                vkdmlBindInputs(*table, count, bindings) == VKDML_SUCCESS &&
                vkdmlBindOutputs(*table, 1, &persistent) == VKDML_SUCCESS;
    free(bindings);
    return done || fail_vkdml(error);
}

static bool bind_temporary(struct onnx_run *run, VkdmlDispatchable initializer, VkdmlBindingTable table,
                           struct onnx_buffer *temporary, struct onnx_error *error) {
    VkdmlBindingProperties needs;
    if (vkdmlGetBindingProperties(initializer, &needs) != VKDML_SUCCESS) {
        return fail_vkdml(error);
    }
    if (needs.temporaryResourceSize == 0) {
        return true;
    }
    if (!onnx_buffer_create(run->session->device, needs.temporaryResourceSize, ONNX_MEMORY_DEVICE, temporary, error)) {
        return false;
    }
    const VkdmlBufferBinding binding = {temporary->buffer, 0, needs.temporaryResourceSize};
    return vkdmlBindTemporaryResource(table, &binding) == VKDML_SUCCESS || fail_vkdml(error);
}

/* Constants go through memory that the host sees to the device's, once. */
static bool upload_constants(struct onnx_run *run, struct onnx_buffer *staging, struct onnx_buffer *constants,
                             struct onnx_commands *commands, struct onnx_error *error) {
    struct onnx_device *device = run->session->device;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < onnx_plan_input_count(run->plan); ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        bytes += input->input == ONNX_NONE ? ROUND_UP(input->bytes, TENSOR_ALIGNMENT) : 0;
    }
    const bool shares = onnx_device_shares_memory(device);
    if (!onnx_buffer_create(device, bytes + TENSOR_ALIGNMENT, shares ? ONNX_MEMORY_SHARED : ONNX_MEMORY_DEVICE,
                            constants, error) ||
        (!shares && !onnx_buffer_create(device, bytes + TENSOR_ALIGNMENT, ONNX_MEMORY_HOST, staging, error)) ||
        !onnx_commands_begin(device, commands, error)) {
        return false;
    }
    unsigned char *to = shares ? constants->mapped : staging->mapped;
    for (uint32_t i = 0; i < onnx_plan_input_count(run->plan); ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        if (input->input == ONNX_NONE) {
            memcpy(to, input->data, input->bytes);
            to += ROUND_UP(input->bytes, TENSOR_ALIGNMENT);
        }
    }
    if (!shares) {
        onnx_commands_copy(device, commands, staging->buffer, 0, constants->buffer, 0, bytes + TENSOR_ALIGNMENT);
        onnx_commands_barrier(device, commands);
    }
    return true;
}

static bool initialize(struct onnx_run *run, struct onnx_error *error) {
    struct onnx_device *device = run->session->device;
    const VkdmlDevice vkdml = onnx_device_vkdml(device);
    struct onnx_buffer staging = {0}, constants = {0}, temporary = {0};
    struct onnx_commands commands = {0};
    VkdmlDispatchable initializer = NULL;
    VkdmlBindingTable table = NULL;
    bool done = upload_constants(run, &staging, &constants, &commands, error);
    if (done && vkdmlCreateOperatorInitializer(vkdml, 1, &run->dispatchable, &initializer) != VKDML_SUCCESS) {
        done = fail_vkdml(error);
    }
    done = done && bind_constants(run, &constants, initializer, &table, error) &&
           bind_temporary(run, initializer, table, &temporary, error);
    if (done && vkdmlRecordDispatch(vkdml, commands.buffer, initializer, table) != VKDML_SUCCESS) {
        done = fail_vkdml(error);
    }
    done = done && onnx_commands_end(device, &commands, error) && onnx_commands_run(device, &commands, error);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(initializer);
    onnx_commands_free(device, &commands);
    onnx_buffer_free(device, &staging);
    onnx_buffer_free(device, &constants);
    onnx_buffer_free(device, &temporary);
    return done;
}

/* ---- recording ---- */

static bool bind(struct onnx_run *run, struct onnx_error *error) {
    const uint32_t input_count = onnx_plan_input_count(run->plan), output_count = count_outputs(run);
    VkdmlBufferBinding *bindings = calloc((size_t)input_count + output_count + 1, sizeof *bindings);
    if (bindings == NULL) {
        return onnx_fail(error, "memory is out");
    }
    for (uint32_t i = 0; i < input_count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        if (input->input != ONNX_NONE) {
            bindings[i] = (VkdmlBufferBinding){run->tensors.buffer, run->places[i], ROUND_UP(input->bytes, 4)};
        }
    }
    VkdmlBufferBinding *outputs = bindings + input_count;
    for (uint32_t i = 0; i < output_count; ++i) {
        const uint64_t place = run->places[input_count + i], end = run->places[input_count + i + 1];
        outputs[i] = (VkdmlBufferBinding){run->tensors.buffer, place, end - place};
    }
    const VkdmlBufferBinding temporary = {run->tensors.buffer, run->places[input_count + output_count],
                                          run->temporary_bytes};
    const VkdmlBufferBinding persistent = {run->persistent.buffer, 0, run->persistent.size};
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = run->dispatchable};
    const bool done =
        vkdmlCreateBindingTable(onnx_device_vkdml(run->session->device), &info, &run->table) == VKDML_SUCCESS &&
        vkdmlBindInputs(run->table, input_count, bindings) == VKDML_SUCCESS &&
        vkdmlBindOutputs(run->table, output_count, outputs) == VKDML_SUCCESS &&
        (run->temporary_bytes == 0 || vkdmlBindTemporaryResource(run->table, &temporary) == VKDML_SUCCESS) &&
        (run->persistent.size == 0 || vkdmlBindPersistentResource(run->table, &persistent) == VKDML_SUCCESS);
    free(bindings);
    return done || fail_vkdml(error);
}

static bool record(struct onnx_run *run, struct onnx_error *error) {
    struct onnx_device *device = run->session->device;
    const bool stages = run->staging.buffer != VK_NULL_HANDLE;
    if (!onnx_commands_begin(device, &run->commands, error)) {
        return false;
    }
    if (stages && run->input_end != 0) {
        onnx_commands_copy(device, &run->commands, run->staging.buffer, 0, run->tensors.buffer, 0, run->input_end);
    }
    onnx_commands_barrier(device, &run->commands);
    if (vkdmlRecordDispatch(onnx_device_vkdml(device), run->commands.buffer, run->dispatchable, run->table) !=
        VKDML_SUCCESS) {
        return fail_vkdml(error);
    }
    onnx_commands_barrier(device, &run->commands);
    if (stages && run->output_end != run->output_begin) {
        onnx_commands_copy(device, &run->commands, run->tensors.buffer, run->output_begin, run->staging.buffer,
                           run->output_begin, run->output_end - run->output_begin);
        onnx_commands_barrier(device, &run->commands);
    }
    return onnx_commands_end(device, &run->commands, error);
}

static bool prepare(struct onnx_run *run, struct onnx_error *error) {
    VkdmlBindingProperties needs;
    if (onnx_plan_node_count(run->plan) == 0 || run->session->options.by_reference) {
        return true;
    }
    if (!compile(run, error)) {
        return false;
    }
    if (vkdmlGetBindingProperties(run->dispatchable, &needs) != VKDML_SUCCESS) {
        return fail_vkdml(error);
    }
    run->temporary_bytes = needs.temporaryResourceSize;
    if (needs.persistentResourceSize != 0 && (!onnx_buffer_create(run->session->device, needs.persistentResourceSize,
                                                                  ONNX_MEMORY_DEVICE, &run->persistent, error) ||
                                              !initialize(run, error))) {
        return false;
    }
    if (!place_tensors(run, error) || !bind(run, error) || !record(run, error)) {
        return false;
    }
    onnx_device_keep_pipelines(run->session->device);
    return true;
}

/* ---- sessions ---- */

bool onnx_session_create(struct onnx_device *device, const struct onnx_model *model, const struct onnx_graph *graph,
                         const struct onnx_session_options *options, struct onnx_session **made,
                         struct onnx_error *error) {
    struct onnx_session *session = calloc(1, sizeof *session);
    *made = NULL;
    if (session == NULL || pthread_mutex_init(&session->lock, NULL) != 0) {
        free(session);
        return onnx_fail(error, "memory is out");
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

void onnx_session_free(struct onnx_session *session) {
    if (session == NULL) {
        return;
    }
    while (session->runs != NULL) {
        struct onnx_run *next = session->runs->next;
        free_run(session->runs);
        session->runs = next;
    }
    pthread_mutex_destroy(&session->lock);
    free(session);
}

/* Takes the run for these inputs out of the list, or NULL. */
static struct onnx_run *find_run(struct onnx_session *session, const struct onnx_plan_input *inputs) {
    for (struct onnx_run **place = &session->runs; *place != NULL; place = &(*place)->next) {
        struct onnx_run *run = *place;
        if (is_same(run, inputs)) {
            *place = run->next;
            return run;
        }
    }
    return NULL;
}

/* Those that were not used for longest go, so that one more has room. */
static void make_room(struct onnx_session *session) {
    const uint32_t kept = session->options.shapes_kept == 0 ? SHAPES_KEPT : session->options.shapes_kept;
    struct onnx_run **place = &session->runs;
    for (uint32_t i = 1; i < kept && *place != NULL; ++i) {
        place = &(*place)->next;
    }
    while (*place != NULL) {
        struct onnx_run *next = (*place)->next;
        free_run(*place);
        *place = next;
    }
}

bool onnx_run_begin(struct onnx_session *session, uint32_t input_count, const struct onnx_plan_input *inputs,
                    struct onnx_run **begun, struct onnx_error *error) {
    *begun = NULL;
    if (input_count != session->graph->input_count) {
        return onnx_fail(error, "%u inputs for a graph of %u", (unsigned)input_count,
                         (unsigned)session->graph->input_count);
    }
    pthread_mutex_lock(&session->lock);
    struct onnx_run *run = find_run(session, inputs);
    if (run != NULL) {
        run->is_new = false;
    } else {
        make_room(session);
        run = calloc(1, sizeof *run);
        if (run == NULL) {
            pthread_mutex_unlock(&session->lock);
            return onnx_fail(error, "memory is out");
        }
        run->session = session;
        run->is_new = true;
        if (!make_plan(run, inputs, error) || !prepare(run, error)) {
            free_run(run);
            pthread_mutex_unlock(&session->lock);
            return false;
        }
    }
    run->inputs = inputs;
    run->next = session->runs;
    session->runs = run;
    *begun = run;
    return true;
}

const struct onnx_plan_output *onnx_run_outputs(const struct onnx_run *run) {
    return onnx_plan_outputs(run->plan);
}

/* An input of the reference, which is only read: a copy where it does not lie as the reference wants it. */
static bool bind_input(VkdmlHostBinding *binding, const void *data, size_t bytes, struct onnx_arena *copies) {
    const union {
        const void *constant;
        void *data;
    } place = {data};
    *binding = (VkdmlHostBinding){place.data, ROUND_UP(bytes, 4)};
    if (bytes % 4 != 0 || (uintptr_t)data % 8 != 0) {
        binding->data = onnx_allocate(copies, ROUND_UP(bytes, 4), 1);
        if (binding->data != NULL) {
            memcpy(binding->data, data, bytes);
        }
    }
    return binding->data != NULL;
}

/* On the CPU reference, with outputs in memory of their own: they need room for whole words. */
static bool execute_by_reference(struct onnx_run *run, unsigned char *const *memory, struct onnx_error *error) {
    const struct onnx_plan *plan = run->plan;
    const uint32_t input_count = onnx_plan_input_count(plan), output_count = count_outputs(run);
    struct onnx_plan_graph *graph;
    if (!onnx_plan_graph_create(plan, onnx_device_vkdml(run->session->device), &graph, error)) {
        return false;
    }
    VkdmlHostBinding *bindings = calloc((size_t)input_count + output_count + 1, sizeof *bindings);
    struct onnx_arena copies = {NULL};
    bool done = bindings != NULL || onnx_fail(error, "memory is out");
    for (uint32_t i = 0; done && i < input_count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(plan)[i];
        done = bind_input(&bindings[i], input->input == ONNX_NONE ? input->data : run->inputs[input->input].data,
                          input->bytes, &copies) ||
               onnx_fail(error, "memory is out");
    }
    for (uint32_t i = 0; done && i < onnx_plan_output_count(plan); ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(plan)[i];
        if (output->output != ONNX_NONE) {
            bindings[input_count + output->output] =
                (VkdmlHostBinding){memory[output->output], ROUND_UP(output->bytes, 4)};
        }
    }
    const uint32_t unread = onnx_plan_unread_count(plan), first = output_count - unread;
    for (uint32_t i = 0; done && i < unread; ++i) {
        bindings[input_count + first + i] =
            (VkdmlHostBinding){memory[first + i], ROUND_UP(onnx_plan_unread_bytes(plan)[i], 4)};
    }
    const VkdmlReferenceGraphInfo info = {.structSize = sizeof info,
                                          .desc = onnx_plan_graph_desc(graph),
                                          .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED,
                                          .inputCount = input_count,
                                          .inputs = bindings,
                                          .outputCount = output_count,
                                          .outputs = bindings == NULL ? NULL : bindings + input_count};
    done = done && (vkdmlReferenceExecuteGraph(&info) == VKDML_SUCCESS || fail_vkdml(error));
    free(bindings);
    onnx_arena_free(&copies);
    onnx_plan_graph_free(graph);
    return done;
}

static bool run_reference(struct onnx_run *run, void *const *outputs, struct onnx_error *error) {
    const uint32_t count = count_outputs(run), model_count = onnx_plan_output_count(run->plan);
    unsigned char **memory = calloc(count + 1, sizeof *memory);
    bool done = memory != NULL;
    for (uint32_t i = 0; done && i < model_count; ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(run->plan)[i];
        if (output->output != ONNX_NONE) {
            memory[output->output] = calloc(1, output->bytes + 8);
            done = memory[output->output] != NULL;
        }
    }
    const uint32_t unread = onnx_plan_unread_count(run->plan);
    for (uint32_t i = 0; done && i < unread; ++i) {
        memory[count - unread + i] = calloc(1, onnx_plan_unread_bytes(run->plan)[i] + 8);
        done = memory[count - unread + i] != NULL;
    }
    done = done ? execute_by_reference(run, memory, error) : onnx_fail(error, "memory is out");
    for (uint32_t i = 0; done && i < model_count; ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(run->plan)[i];
        if (output->output != ONNX_NONE && outputs[i] != NULL) {
            memcpy(outputs[i], memory[output->output], output->bytes);
        }
    }
    for (uint32_t i = 0; memory != NULL && i < count; ++i) {
        free(memory[i]);
    }
    free(memory);
    return done;
}

static bool run_device(struct onnx_run *run, void *const *outputs, struct onnx_error *error) {
    const struct onnx_plan *plan = run->plan;
    const uint32_t input_count = onnx_plan_input_count(plan);
    unsigned char *host = run->staging.mapped != NULL ? run->staging.mapped : run->tensors.mapped;
    for (uint32_t i = 0; i < input_count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(plan)[i];
        if (input->input != ONNX_NONE) {
            memcpy(host + run->places[i], run->inputs[input->input].data, input->bytes);
        }
    }
    if (!onnx_commands_run(run->session->device, &run->commands, error)) {
        return false;
    }
    for (uint32_t i = 0; i < onnx_plan_output_count(plan); ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(plan)[i];
        if (output->output != ONNX_NONE && outputs[i] != NULL) {
            memcpy(outputs[i], host + run->places[input_count + output->output], output->bytes);
        }
    }
    return true;
}

bool onnx_run_execute(struct onnx_run *run, void *const *outputs, struct onnx_error *error) {
    if (onnx_plan_node_count(run->plan) != 0 &&
        !(run->session->options.by_reference ? run_reference(run, outputs, error) : run_device(run, outputs, error))) {
        return false;
    }
    for (uint32_t i = 0; i < onnx_plan_output_count(run->plan); ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(run->plan)[i];
        if (output->data != NULL && outputs[i] != NULL) {
            memcpy(outputs[i], output->data, output->bytes);
        }
        /* DirectML leaves the half byte behind an odd number of elements as it was; ONNX's is 0. */
        const bool is_of_4_bits = output->type == ONNX_UINT4 || output->type == ONNX_INT4;
        if (is_of_4_bits && outputs[i] != NULL && onnx_elements(output->rank, output->sizes) % 2 != 0) {
            unsigned char *last = (unsigned char *)outputs[i] + output->bytes - 1;
            *last &= 15;
        }
    }
    return true;
}

void onnx_run_end(struct onnx_run *run) {
    if (run != NULL) {
        run->inputs = NULL;
        pthread_mutex_unlock(&run->session->lock);
    }
}

void onnx_run_facts(const struct onnx_run *run, struct onnx_run_facts *facts) {
    *facts = (struct onnx_run_facts){.node_count = onnx_plan_node_count(run->plan),
                                     .temporary_bytes = run->temporary_bytes,
                                     .persistent_bytes = run->persistent.size,
                                     .tensor_bytes = run->tensors.size,
                                     .is_new = run->is_new};
}
