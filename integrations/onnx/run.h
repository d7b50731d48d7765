/* What sessions and the parts of a run share: session.c, prepare_session.c, memory.c, prepare.c, record.c, run_sizes.c,
 * by_reference.c. */
#ifndef ONNX_RUN_H
#define ONNX_RUN_H

#include <pthread.h>

#include "onnx/session.h"
#include "onnx/weights.h"

#define ROUND_UP(x, to) (((x) + ((to)-1)) / (to) * (to))

/* Where tensors begin in memory of the run's own. */
#define TENSOR_ALIGNMENT 256

/* Commands for inputs and outputs at certain places. */
struct onnx_recording {
    struct onnx_recording *next; /* the one that was used before this */
    VkdmlBindingTable table;
    struct onnx_commands commands;
    struct onnx_commands before, after; /* copies, where inputs or outputs are on the device; else among `commands` */
    struct onnx_where *bound;     /* what operators read and write: DirectML's inputs and outputs */
    struct onnx_where *where;     /* where these are copied from and to, or the same */
    struct onnx_mirror **mirrors; /* of its outputs, or NULL */
};

/* Where an input or output of DirectML's graph lies. */
struct onnx_where {
    uint64_t id; /* of the piece; 0: in the run's own memory */
    uint64_t offset;
    uint64_t given_bytes; /* of an input that is padded from there, or an output of which a part goes there; else 0 */
};

/* A graph for inputs of certain types and sizes. */
struct onnx_run {
    struct onnx_session *session;
    struct onnx_run *next; /* the one that was used before this */
    struct onnx_plan_input *key;
    void **elements; /* of inputs that the plan holds for alone, copies */
    struct onnx_plan *plan;
    struct onnx_weight_ids weight_ids;
    VkdmlDispatchable dispatchable;
    uint64_t *places; /* in the session's memory: of DirectML's inputs; of its outputs, with what nothing reads last; of
                         the temporary resource */
    uint64_t input_bytes, output_bytes, scratch_bytes, temporary_bytes;
    uint64_t held_bytes; /* an estimate of what keeping the run takes */
    struct onnx_recording *recordings;
    bool is_new;
    bool is_trial;          /* no run had these sizes: it is dropped with the first run of others */
    uint32_t general_count; /* nodes that run on general pipelines, */
    bool may_improve;       /* .. for which compiling again was not tried */
    struct onnx_plan_input *own_inputs; /* what `begun` points to: inputs of the model's graph, then size vectors */
    struct onnx_place *own_places;      /* likewise */
    void **own_data;                    /* of size vectors */
    struct onnx_plan_output *results;   /* outputs of the model as the run has them */
    /* Of the run that is under way: */
    const struct onnx_plan_input *begun;
    const struct onnx_place *begun_at; /* NULL: all on the host */
};

/* Memory that runs of a session use, one at a time; each buffer is as large as the largest run needs. */
enum onnx_room {
    ONNX_ROOM_SCRATCH, /* what nothing reads, and the temporary resource */
    ONNX_ROOM_INPUTS,  /* of those that the host has */
    ONNX_ROOM_OUTPUTS,
    ONNX_ROOM_UPLOAD,   /* what the host writes, if it does not write inputs */
    ONNX_ROOM_DOWNLOAD, /* what the host reads, if it does not read outputs */
    ONNX_ROOM_COUNT
};

struct onnx_session {
    struct onnx_device *device;
    const struct onnx_model *model;
    const struct onnx_graph *graph;
    struct onnx_session_options options;
    struct onnx_growth_hints growth_hints;
    pthread_mutex_t lock; /* of everything, while a run is under way */
    struct onnx_run *runs;
    struct onnx_weights *weights; /* NULL: nothing has been compiled */
    struct onnx_buffer rooms[ONNX_ROOM_COUNT];
    uint32_t prepared_count; /* by onnx_session_prepare() */
    double prepare_seconds;
    pthread_mutex_t facts_lock; /* of what is below */
    struct onnx_session_facts facts;
};

/* Whether one of the model's inputs lies on the device. */
static inline bool onnx_run_is_at(const struct onnx_place *places, uint32_t index) {
    return places != NULL && places[index].piece != NULL;
}

/* ---- memory.c ---- */

/* Makes the session's memory large enough for a run. Where a buffer is replaced, all recordings of the session are
 * freed, the run's too: they name the old one. */
bool onnx_session_reserve(struct onnx_run *run, enum onnx_room room, uint64_t bytes, enum onnx_memory memory,
                          struct onnx_error *error);

/* Frees memory that is much larger than the runs need that are kept; all of it if there are none. */
void onnx_session_shrink(struct onnx_session *session);

/* Notes what the session holds, for onnx_session_facts(). */
void onnx_session_note(struct onnx_session *session);

/* ---- prepare.c ---- */

/* Compiles the plan, loads constants that the device does not have, and finds where tensors will lie. */
bool onnx_run_prepare(struct onnx_run *run, struct onnx_error *error);

/* Whether compiling the plan again would replace general pipelines by better ones that exist by now. */
bool onnx_run_can_improve(const struct onnx_run *run);

/* Does that, without waiting for pipelines. What fails leaves the run as it is, and is not tried again. */
void onnx_run_improve(struct onnx_run *run);

/* ---- session.c ---- */

/* Plans and compiles for inputs that have no data, and loads weights, but allocates no memory for tensors. It is kept
 * until another shape runs, so that the constants that planning computed can be shared. An entry for each input that
 * must be given. With the session's lock held. */
bool onnx_session_try(struct onnx_session *session, const struct onnx_plan_input *inputs, struct onnx_error *error);

/* ---- record.c ---- */

/* Makes ready for inputs and outputs on the host; onnx_run_on_device() does it as well. */
bool onnx_run_record(struct onnx_run *run, struct onnx_error *error);
bool onnx_run_on_device(struct onnx_run *run, void *const *outputs, const struct onnx_place *places,
                        struct onnx_error *error);
void onnx_run_free_recordings(struct onnx_run *run);

/* ---- run_sizes.c ---- */

/* Memory for what depends on sizes that the plan does not fix. */
bool onnx_run_create_sizes(struct onnx_run *run, struct onnx_error *error);
void onnx_run_free_sizes(struct onnx_run *run);

/* The inputs of a run that begins. */
void onnx_run_set_inputs(struct onnx_run *run, uint32_t given, const struct onnx_plan_input *inputs,
                         const struct onnx_place *places);

/* Whether DirectML's graph reads a padded copy of this input of the model, and whether an output of the model is a part
 * of what DirectML's graph writes. */
bool onnx_run_is_padded(const struct onnx_run *run, uint32_t input);
bool onnx_run_is_cut(const struct onnx_run *run, uint32_t output);

/* An input on the host, as DirectML's graph reads it: `bytes`. */
void onnx_run_write_input(const struct onnx_run *run, uint32_t input, uint64_t bytes, void *to);

/* An output of the model, from what DirectML's graph wrote. */
void onnx_run_read_output(const struct onnx_run *run, uint32_t output, const void *from, void *to);

/* Bytes of an input as it was given. */
uint64_t onnx_run_given_bytes(const struct onnx_run *run, uint32_t input);

/* Record the padding of an input on the device: zeros, and over them, after a barrier, its elements; and the copy of an
 * output's part to its place. */
void onnx_run_clear_padded(const struct onnx_run *run, const struct onnx_commands *commands, uint32_t input,
                           VkBuffer to, uint64_t offset);
void onnx_run_copy_padded(const struct onnx_run *run, const struct onnx_commands *commands, uint32_t input, VkBuffer to,
                          uint64_t offset);
void onnx_run_copy_cut(const struct onnx_run *run, const struct onnx_commands *commands, uint32_t output, VkBuffer from,
                       uint64_t offset, const struct onnx_place *to);

/* ---- by_reference.c ---- */

bool onnx_run_by_reference(struct onnx_run *run, void *const *outputs, struct onnx_error *error);

#endif
