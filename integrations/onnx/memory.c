/* A session's memory for runs, which take turns. */
#include "onnx/run.h"

static void free_recordings(struct onnx_session *session, struct onnx_run *also) {
    for (struct onnx_run *run = session->runs; run != NULL; run = run->next) {
        onnx_run_free_recordings(run);
    }
    if (also != NULL) {
        onnx_run_free_recordings(also);
    }
}

bool onnx_session_reserve(struct onnx_run *run, enum onnx_room room, uint64_t bytes, enum onnx_memory memory,
                          struct onnx_error *error) {
    struct onnx_session *session = run->session;
    struct onnx_buffer *buffer = &session->rooms[room];
    if (bytes == 0 || (buffer->buffer != VK_NULL_HANDLE && buffer->size >= bytes)) {
        return true;
    }
    /* Sizes that grow from run to run replace it only now and then. */
    const uint64_t more = buffer->size + buffer->size / 4;
    free_recordings(session, run);
    onnx_buffer_free(session->device, buffer);
    struct onnx_error ignored = {0};
    return (more > bytes && onnx_buffer_create(session->device, more, memory, buffer, &ignored)) ||
           onnx_buffer_create(session->device, bytes, memory, buffer, error);
}

static uint64_t need_of(const struct onnx_run *run, enum onnx_room room) {
    return room == ONNX_ROOM_SCRATCH                               ? run->scratch_bytes
           : room == ONNX_ROOM_INPUTS || room == ONNX_ROOM_UPLOAD ? run->input_bytes
                                                                   : run->output_bytes;
}

void onnx_session_shrink(struct onnx_session *session) {
    for (int room = 0; room < ONNX_ROOM_COUNT; ++room) {
        uint64_t most = 0;
        for (const struct onnx_run *run = session->runs; run != NULL; run = run->next) {
            const uint64_t need = need_of(run, (enum onnx_room)room);
            most = need > most ? need : most;
        }
        if (session->rooms[room].size / 2 > most || session->runs == NULL) {
            free_recordings(session, NULL);
            onnx_buffer_free(session->device, &session->rooms[room]);
        }
    }
}

void onnx_session_note(struct onnx_session *session) {
    struct onnx_session_facts facts = {0};
    struct onnx_weights_facts weights = {0};
    if (session->weights != NULL) {
        onnx_weights_facts(session->weights, &weights);
    }
    facts.weight_bytes = weights.device_bytes;
    facts.loaded_bytes = weights.loaded_bytes;
    facts.load_seconds = weights.load_seconds;
    facts.prepared_count = session->prepared_count;
    facts.prepare_seconds = session->prepare_seconds;
    for (int room = 0; room < ONNX_ROOM_COUNT; ++room) {
        facts.tensor_bytes += session->rooms[room].size;
    }
    for (const struct onnx_run *run = session->runs; run != NULL; run = run->next) {
        ++facts.kept_count;
        facts.held_bytes += run->held_bytes;
    }
    pthread_mutex_lock(&session->facts_lock);
    session->facts = facts;
    pthread_mutex_unlock(&session->facts_lock);
}

void onnx_session_facts(struct onnx_session *session, struct onnx_session_facts *facts) {
    pthread_mutex_lock(&session->facts_lock);
    *facts = session->facts;
    pthread_mutex_unlock(&session->facts_lock);
}
