/* A run's commands, and running them. */
#include <stdlib.h>
#include <string.h>

#include "onnx/run.h"

/* Who keeps tensors on the device binds two sets of them in turn, as past and present, or a few. */
#define RECORDINGS_KEPT 4

/* ---- where inputs and outputs are ---- */

static bool overlaps(const struct onnx_place *a, uint64_t a_bytes, const struct onnx_place *b, uint64_t b_bytes) {
    return a->piece == b->piece && a->offset < b->offset + b_bytes && b->offset < a->offset + a_bytes;
}

/* Whether operators read this input of the graph where it lies; else it is copied first. */
static bool reads_there(const struct onnx_run *run, uint32_t input) {
    return onnx_run_is_at(run->begun_at, input) && !onnx_run_is_padded(run, input) &&
           run->begun_at[input].offset % DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT == 0;
}

/* Whether operators write this output of the model where it shall lie: not over what they read. */
static bool writes_there(const struct onnx_run *run, const struct onnx_place *places, uint32_t index) {
    if (!onnx_run_is_at(places, index) || onnx_run_is_cut(run, index) ||
        places[index].offset % DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT != 0) {
        return false;
    }
    bool is_apart = true;
    for (uint32_t i = 0; i < onnx_plan_input_count(run->plan); ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        if (input->input != ONNX_NONE && onnx_run_is_at(run->begun_at, input->input)) {
            is_apart = is_apart && !overlaps(&places[index], onnx_plan_outputs(run->plan)[index].bytes,
                                             &run->begun_at[input->input], input->bytes);
        }
    }
    return is_apart;
}

static const struct onnx_buffer *room_of(const struct onnx_run *run, enum onnx_room room) {
    return &run->session->rooms[room];
}

/* The room that the host writes inputs to: what operators read, or what is copied there. */
static const struct onnx_buffer *written_room(const struct onnx_run *run) {
    const struct onnx_buffer *inputs = room_of(run, ONNX_ROOM_INPUTS);
    return inputs->mapped != NULL ? inputs : room_of(run, ONNX_ROOM_UPLOAD);
}

/* The room that the host reads outputs from, likewise. */
static const struct onnx_buffer *read_room(const struct onnx_run *run) {
    return room_of(run, onnx_device_shares_memory(run->session->device) ? ONNX_ROOM_OUTPUTS : ONNX_ROOM_DOWNLOAD);
}

/* Memory of the session, for inputs and outputs that the host has. The host writes inputs where the device reads them,
 * if it can; outputs it reads from memory that it caches. */
static bool make_own(struct onnx_run *run, bool has_inputs, bool has_outputs, struct onnx_error *error) {
    const bool shares = onnx_device_shares_memory(run->session->device);
    const uint64_t inputs = has_inputs ? run->input_bytes : 0, outputs = has_outputs ? run->output_bytes : 0;
    if (!onnx_session_reserve(run, ONNX_ROOM_SCRATCH, run->scratch_bytes, ONNX_MEMORY_DEVICE, error) ||
        !onnx_session_reserve(run, ONNX_ROOM_INPUTS, inputs, shares ? ONNX_MEMORY_SHARED : ONNX_MEMORY_OPEN, error) ||
        !onnx_session_reserve(run, ONNX_ROOM_OUTPUTS, outputs, shares ? ONNX_MEMORY_SHARED : ONNX_MEMORY_DEVICE,
                              error)) {
        return false;
    }
    const bool uploads = written_room(run) != room_of(run, ONNX_ROOM_INPUTS);
    return onnx_session_reserve(run, ONNX_ROOM_UPLOAD, uploads ? inputs : 0, ONNX_MEMORY_HOST, error) &&
           onnx_session_reserve(run, ONNX_ROOM_DOWNLOAD, shares ? 0 : outputs, ONNX_MEMORY_HOST, error);
}

/* Of DirectML's inputs and outputs. */
static struct onnx_where *find_where(const struct onnx_run *run, const struct onnx_place *outputs, bool *has_inputs,
                                     bool *has_outputs) {
    const struct onnx_plan *plan = run->plan;
    const uint32_t input_count = onnx_plan_input_count(plan), output_count = onnx_plan_graph_output_count(run->plan);
    struct onnx_where *where = calloc((size_t)input_count + output_count + 1, sizeof *where);
    *has_inputs = *has_outputs = false;
    for (uint32_t i = 0; where != NULL && i < input_count; ++i) {
        const uint32_t input = onnx_plan_inputs(plan)[i].input;
        if (input == ONNX_NONE) {
            continue;
        }
        const bool is_at = onnx_run_is_at(run->begun_at, input);
        const uint64_t given_bytes = is_at && onnx_run_is_padded(run, input) ? onnx_run_given_bytes(run, input) : 0;
        where[i] = is_at ? (struct onnx_where){onnx_place_id(&run->begun_at[input]), run->begun_at[input].offset,
                                               given_bytes}
                         : (struct onnx_where){0, run->places[i], 0};
        *has_inputs = *has_inputs || !reads_there(run, input);
    }
    for (uint32_t i = 0; where != NULL && i < output_count; ++i) {
        where[input_count + i] = (struct onnx_where){0, run->places[input_count + i], 0};
    }
    for (uint32_t i = 0; where != NULL && i < onnx_plan_output_count(plan); ++i) {
        const uint32_t output = onnx_plan_outputs(plan)[i].output;
        if (output == ONNX_NONE) {
            continue;
        }
        if (onnx_run_is_at(outputs, i)) {
            where[input_count + output] = (struct onnx_where){
                onnx_place_id(&outputs[i]), outputs[i].offset, onnx_run_is_cut(run, i) ? run->results[i].bytes : 0};
        }
        *has_outputs = *has_outputs || !writes_there(run, outputs, i);
    }
    return where;
}

/* What operators read and write, of what find_where() made: copies go to and from the session's memory. */
static struct onnx_where *find_bound(const struct onnx_run *run, const struct onnx_place *outputs,
                                     const struct onnx_where *where) {
    const struct onnx_plan *plan = run->plan;
    const uint32_t input_count = onnx_plan_input_count(plan);
    const size_t count = (size_t)input_count + onnx_plan_graph_output_count(plan);
    struct onnx_where *bound = where == NULL ? NULL : malloc((count + 1) * sizeof *bound);
    if (bound == NULL) {
        return NULL;
    }
    memcpy(bound, where, (count + 1) * sizeof *bound);
    for (uint32_t i = 0; i < input_count; ++i) {
        const uint32_t input = onnx_plan_inputs(plan)[i].input;
        if (input != ONNX_NONE && !reads_there(run, input)) {
            bound[i] = (struct onnx_where){0, run->places[i], 0};
        }
    }
    for (uint32_t i = 0; i < onnx_plan_output_count(plan); ++i) {
        const uint32_t output = onnx_plan_outputs(plan)[i].output;
        if (output != ONNX_NONE && !writes_there(run, outputs, i)) {
            bound[input_count + output] = (struct onnx_where){0, run->places[input_count + output], 0};
        }
    }
    return bound;
}

/* ---- recording ---- */

static void fill_bindings(const struct onnx_run *run, const struct onnx_place *places, VkdmlBufferBinding *inputs,
                          VkdmlBufferBinding *outputs) {
    const struct onnx_plan *plan = run->plan;
    const uint32_t input_count = onnx_plan_input_count(plan), output_count = onnx_plan_graph_output_count(run->plan);
    const uint32_t unread_count = onnx_plan_unread_count(plan);
    const VkBuffer own_inputs = room_of(run, ONNX_ROOM_INPUTS)->buffer;
    const VkBuffer own_outputs = room_of(run, ONNX_ROOM_OUTPUTS)->buffer;
    const VkBuffer scratch = room_of(run, ONNX_ROOM_SCRATCH)->buffer;
    for (uint32_t i = 0; i < input_count; ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(plan)[i];
        if (input->input != ONNX_NONE) {
            const bool is_at = reads_there(run, input->input);
            const struct onnx_place *at = is_at ? &run->begun_at[input->input] : NULL;
            inputs[i] = (VkdmlBufferBinding){is_at ? onnx_place_buffer(at) : own_inputs,
                                             is_at ? at->offset : run->places[i], ROUND_UP(input->bytes, 4)};
        }
    }
    for (uint32_t i = 0; i < onnx_plan_output_count(plan); ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(plan)[i];
        if (output->output != ONNX_NONE) {
            const bool is_at = writes_there(run, places, i);
            outputs[output->output] = (VkdmlBufferBinding){
                is_at ? onnx_place_buffer(&places[i]) : own_outputs,
                is_at ? places[i].offset : run->places[input_count + output->output], ROUND_UP(output->bytes, 4)};
        }
    }
    for (uint32_t i = 0; i < unread_count; ++i) {
        const uint32_t output = output_count - unread_count + i;
        outputs[output] = (VkdmlBufferBinding){scratch, run->places[input_count + output],
                                               ROUND_UP(onnx_plan_unread_bytes(plan)[i], 4)};
    }
}

static bool bind(struct onnx_run *run, const struct onnx_place *places, VkdmlBindingTable *table,
                 struct onnx_error *error) {
    const uint32_t input_count = onnx_plan_input_count(run->plan);
    const uint32_t output_count = onnx_plan_graph_output_count(run->plan);
    VkdmlBufferBinding *bindings = calloc((size_t)input_count + output_count + 1, sizeof *bindings);
    if (bindings == NULL) {
        return onnx_fail_memory(error);
    }
    fill_bindings(run, places, bindings, bindings + input_count);
    const VkdmlBufferBinding temporary = {room_of(run, ONNX_ROOM_SCRATCH)->buffer,
                                          run->places[input_count + output_count], run->temporary_bytes};
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = run->dispatchable};
    const bool done =
        onnx_check(vkdmlCreateBindingTable(onnx_device_vkdml(run->session->device), &info, table), error) &&
        onnx_check(vkdmlBindInputs(*table, input_count, bindings), error) &&
        onnx_check(vkdmlBindOutputs(*table, output_count, bindings + input_count), error) &&
        (run->temporary_bytes == 0 || onnx_check(vkdmlBindTemporaryResource(*table, &temporary), error));
    free(bindings);
    return done;
}

/* Whether an input of DirectML's graph is on the device and operators do not read it there. */
static bool is_copied(const struct onnx_run *run, uint32_t index) {
    const uint32_t input = onnx_plan_inputs(run->plan)[index].input;
    return input != ONNX_NONE && onnx_run_is_at(run->begun_at, input) && !reads_there(run, input);
}

/* Zeros where inputs are padded. Returns whether there are some. */
static bool clear_padded(const struct onnx_run *run, const struct onnx_commands *commands, bool follows_copy) {
    bool clears = false;
    for (uint32_t i = 0; i < onnx_plan_input_count(run->plan); ++i) {
        const uint32_t input = onnx_plan_inputs(run->plan)[i].input;
        if (!is_copied(run, i) || !onnx_run_is_padded(run, input)) {
            continue;
        }
        if (follows_copy && !clears) { /* over what came up with the others */
            onnx_commands_barrier(run->session->device, commands);
        }
        onnx_run_clear_padded(run, commands, input, room_of(run, ONNX_ROOM_INPUTS)->buffer, run->places[i]);
        clears = true;
    }
    return clears;
}

/* Inputs that operators do not read where they lie. Returns whether there are some. */
static bool copy_inputs(const struct onnx_run *run, const struct onnx_commands *commands, bool has_own) {
    struct onnx_device *device = run->session->device;
    const struct onnx_buffer *own = room_of(run, ONNX_ROOM_INPUTS), *written = written_room(run);
    const bool uploads = has_own && written != own;
    if (uploads) {
        onnx_commands_copy(device, commands, written->buffer, 0, own->buffer, 0, run->input_bytes);
    }
    bool needs_barrier = clear_padded(run, commands, uploads) || uploads, copies = needs_barrier;
    for (uint32_t i = 0; i < onnx_plan_input_count(run->plan); ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        if (!is_copied(run, i)) {
            continue;
        }
        if (needs_barrier) {
            onnx_commands_barrier(device, commands);
            needs_barrier = false;
        }
        const struct onnx_place *from = &run->begun_at[input->input];
        if (onnx_run_is_padded(run, input->input)) {
            onnx_run_copy_padded(run, commands, input->input, own->buffer, run->places[i]);
        } else {
            onnx_commands_copy(device, commands, onnx_place_buffer(from), from->offset, own->buffer, run->places[i],
                               input->bytes);
        }
        copies = true;
    }
    return copies;
}

/* What the host will want to read goes where it reads fast, and what operators did not write where it shall lie there.
 */
static void copy_outputs(struct onnx_run *run, struct onnx_recording *recording, const struct onnx_commands *commands,
                         const struct onnx_place *places, bool has_own) {
    struct onnx_device *device = run->session->device;
    const struct onnx_plan *plan = run->plan;
    const struct onnx_buffer *own = room_of(run, ONNX_ROOM_OUTPUTS), *read = read_room(run);
    bool copies = false;
    if (has_own && read != own) {
        onnx_commands_copy(device, commands, own->buffer, 0, read->buffer, 0, run->output_bytes);
        copies = true;
    }
    for (uint32_t i = 0; i < onnx_plan_output_count(plan); ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(plan)[i];
        if (output->output == ONNX_NONE || !onnx_run_is_at(places, i)) {
            continue;
        }
        const bool is_there = writes_there(run, places, i);
        const VkBuffer from = is_there ? onnx_place_buffer(&places[i]) : own->buffer;
        const uint64_t offset = is_there ? places[i].offset : run->places[onnx_plan_input_count(plan) + output->output];
        if (onnx_run_is_cut(run, i)) {
            onnx_run_copy_cut(run, commands, i, from, offset, &places[i]);
            copies = true;
        } else if (!is_there) {
            onnx_commands_copy(device, commands, from, offset, onnx_place_buffer(&places[i]),
                               places[i].offset, output->bytes);
            copies = true;
        }
        struct onnx_mirror *mirror =
            onnx_place_mirror(run->session->options.pool, &places[i], run->results[i].bytes);
        recording->mirrors[output->output] = mirror;
        if (mirror != NULL) {
            if (!is_there) {
                onnx_commands_barrier(device, commands);
            }
            onnx_commands_copy(device, commands, onnx_place_buffer(&places[i]), places[i].offset,
                               mirror->host.buffer, 0, run->results[i].bytes);
            copies = true;
        }
    }
    if (copies) {
        onnx_commands_barrier(device, commands);
    }
}

/* Whether copies have commands of their own. */
static bool splits(const struct onnx_run *run, const struct onnx_place *places) {
    return run->begun_at != NULL || places != NULL;
}

/* Commands that only copy: lengths and places of what is copied may be others in each run. */
static bool record_copies(struct onnx_run *run, struct onnx_recording *recording, const struct onnx_place *places,
                          bool has_inputs, bool has_outputs, struct onnx_error *error) {
    struct onnx_device *device = run->session->device;
    if (!onnx_commands_begin(device, &recording->before, error)) {
        return false;
    }
    onnx_commands_barrier(device, &recording->before);
    copy_inputs(run, &recording->before, has_inputs);
    if (!onnx_commands_end(device, &recording->before, error) ||
        !onnx_commands_begin(device, &recording->after, error)) {
        return false;
    }
    memset(recording->mirrors, 0, onnx_plan_graph_output_count(run->plan) * sizeof(struct onnx_mirror *));
    copy_outputs(run, recording, &recording->after, places, has_outputs);
    return onnx_commands_end(device, &recording->after, error);
}

static bool record(struct onnx_run *run, struct onnx_recording *recording, const struct onnx_place *places,
                   bool has_inputs, bool has_outputs, struct onnx_error *error) {
    struct onnx_device *device = run->session->device;
    const bool is_split = splits(run, places);
    if (!make_own(run, has_inputs, has_outputs, error) || !bind(run, places, &recording->table, error) ||
        !onnx_commands_begin(device, &recording->commands, error)) {
        return false;
    }
    onnx_commands_barrier(device, &recording->commands);
    if (!is_split && copy_inputs(run, &recording->commands, has_inputs)) {
        onnx_commands_barrier(device, &recording->commands);
    }
    if (!onnx_check(vkdmlRecordDispatch(onnx_device_vkdml(device), recording->commands.buffer, run->dispatchable,
                                        recording->table),
                    error)) {
        return false;
    }
    onnx_commands_barrier(device, &recording->commands);
    if (!is_split) {
        copy_outputs(run, recording, &recording->commands, places, has_outputs);
    }
    return onnx_commands_end(device, &recording->commands, error) &&
           (!is_split || record_copies(run, recording, places, has_inputs, has_outputs, error));
}

static void free_recording(struct onnx_run *run, struct onnx_recording *recording) {
    onnx_commands_free(run->session->device, &recording->commands);
    onnx_commands_free(run->session->device, &recording->before);
    onnx_commands_free(run->session->device, &recording->after);
    vkdmlDestroyBindingTable(recording->table);
    free(recording->bound);
    free(recording->where);
    free(recording->mirrors);
    free(recording);
}

void onnx_run_free_recordings(struct onnx_run *run) {
    while (run->recordings != NULL) {
        struct onnx_recording *next = run->recordings->next;
        free_recording(run, run->recordings);
        run->recordings = next;
    }
}

/* Takes the one for these places out of the list, or NULL; behind the first few the list ends. */
static struct onnx_recording *take_recording(struct onnx_run *run, const struct onnx_where *bound,
                                             bool is_split) {
    const size_t count = (size_t)onnx_plan_input_count(run->plan) + onnx_plan_graph_output_count(run->plan);
    struct onnx_recording **link = &run->recordings;
    for (int i = 1; *link != NULL; ++i) {
        struct onnx_recording *recording = *link;
        const bool is_same = (recording->before.buffer != VK_NULL_HANDLE) == is_split &&
                             memcmp(recording->bound, bound, count * sizeof *bound) == 0;
        if (is_same || i == RECORDINGS_KEPT) {
            *link = recording->next;
            if (is_same) {
                return recording;
            }
            free_recording(run, recording);
        } else {
            link = &recording->next;
        }
    }
    return NULL;
}

/* Takes `bound` and `where`, or frees them. */
static struct onnx_recording *make_recording(struct onnx_run *run, struct onnx_where *bound, struct onnx_where *where,
                                             struct onnx_error *error) {
    struct onnx_recording *recording = bound == NULL || where == NULL ? NULL : calloc(1, sizeof *recording);
    struct onnx_mirror **mirrors =
        calloc((size_t)onnx_plan_graph_output_count(run->plan) + 1, sizeof(struct onnx_mirror *));
    if (recording == NULL || mirrors == NULL) {
        free(recording);
        free(mirrors);
        free(bound);
        free(where);
        onnx_fail_memory(error);
        return NULL;
    }
    recording->bound = bound;
    recording->where = where;
    recording->mirrors = mirrors;
    return recording;
}

/* The commands for these places, first in the list; NULL with a reason. Copies alone are recorded again where operators
 * read and write what they did: then the session's memory is as large as they need. */
static struct onnx_recording *find_recording(struct onnx_run *run, const struct onnx_place *places,
                                             struct onnx_error *error) {
    const size_t count = (size_t)onnx_plan_input_count(run->plan) + onnx_plan_graph_output_count(run->plan);
    bool has_inputs, has_outputs, done = true;
    struct onnx_where *where = find_where(run, places, &has_inputs, &has_outputs);
    struct onnx_where *bound = find_bound(run, places, where);
    struct onnx_recording *recording = bound == NULL ? NULL : take_recording(run, bound, splits(run, places));
    if (recording == NULL) {
        recording = make_recording(run, bound, where, error);
        done = recording != NULL && record(run, recording, places, has_inputs, has_outputs, error);
    } else {
        const bool is_same = memcmp(recording->where, where, count * sizeof *where) == 0;
        free(bound);
        free(recording->where);
        recording->where = where;
        done = is_same || record_copies(run, recording, places, has_inputs, has_outputs, error);
    }
    if (!done) {
        if (recording != NULL) {
            free_recording(run, recording);
        }
        return NULL;
    }
    recording->next = run->recordings;
    run->recordings = recording;
    return recording;
}

bool onnx_run_record(struct onnx_run *run, struct onnx_error *error) {
    return find_recording(run, NULL, error) != NULL;
}

/* ---- running ---- */

static void write_inputs(const struct onnx_run *run) {
    unsigned char *host = written_room(run)->mapped;
    for (uint32_t i = 0; i < onnx_plan_input_count(run->plan); ++i) {
        const struct onnx_graph_input *input = &onnx_plan_inputs(run->plan)[i];
        if (input->input != ONNX_NONE && !onnx_run_is_at(run->begun_at, input->input)) {
            onnx_run_write_input(run, input->input, input->bytes, host + run->places[i]);
        }
    }
}

static void read_outputs(const struct onnx_run *run, void *const *outputs, const struct onnx_place *places) {
    const unsigned char *host = read_room(run)->mapped;
    const uint64_t *own = run->places + onnx_plan_input_count(run->plan);
    for (uint32_t i = 0; i < onnx_plan_output_count(run->plan); ++i) {
        const struct onnx_plan_output *output = &onnx_plan_outputs(run->plan)[i];
        if (output->output != ONNX_NONE && outputs[i] != NULL && !onnx_run_is_at(places, i)) {
            onnx_run_read_output(run, i, host + own[output->output], outputs[i]);
        }
    }
}

bool onnx_run_on_device(struct onnx_run *run, void *const *outputs, const struct onnx_place *places,
                        struct onnx_error *error) {
    struct onnx_recording *recording = find_recording(run, places, error);
    if (recording == NULL) {
        return false;
    }
    for (uint32_t i = 0; places != NULL && i < onnx_plan_output_count(run->plan); ++i) {
        if (places[i].piece != NULL) {
            onnx_place_touch(&places[i], run->results[i].bytes);
        }
    }
    write_inputs(run);
    const struct onnx_commands *const commands[] = {&recording->before, &recording->commands, &recording->after};
    if (!onnx_commands_run_all(run->session->device, 3, commands, error)) {
        return false;
    }
    for (uint32_t i = 0; i < onnx_plan_graph_output_count(run->plan); ++i) {
        if (recording->mirrors[i] != NULL) {
            recording->mirrors[i]->is_valid = true;
        }
    }
    read_outputs(run, outputs, places);
    return true;
}
