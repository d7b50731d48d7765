/* Models on a device: planned and compiled at the first run of each shape, and kept. */
#ifndef ONNX_SESSION_H
#define ONNX_SESSION_H

#include "onnx/device.h"
#include "onnx/plan.h"
#include "onnx/pool.h"
#include "onnx/weights.h"

struct onnx_session;

struct onnx_session_options {
    bool allows_half;               /* DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION */
    bool has_float32_intermediates; /* as onnx_plan_options */
    bool node_by_node;              /* nothing is fused */
    bool by_reference;              /* on the CPU reference; the device is asked for its rules alone */
    struct onnx_pool *pool;         /* of what inputs and outputs may lie in, on the same device; NULL: none do */
    uint32_t shapes_kept;           /* compiled for so many shapes at once; 0: no limit */
    uint64_t kept_bytes;            /* of memory that compiled shapes take, without weights; 0: 256 MiB. Where there are
                                       more the least recently used shapes go; one shape is always kept */
    onnx_load_callback load_callback; /* tells how far weights are loaded; NULL: none */
    void *load_callback_data;
};

/* The model and the graph, which may be one of its bodies, must live as long as the session, as must the device.
 * options NULL: all defaults. */
bool onnx_session_create(struct onnx_device *device, const struct onnx_model *model, const struct onnx_graph *graph,
                         const struct onnx_session_options *options, struct onnx_session **session,
                         struct onnx_error *error);
void onnx_session_free(struct onnx_session *session);

struct onnx_run_facts {
    uint32_t node_count;      /* of DirectML's graph before it is fused; 0 where all is known without */
    uint32_t general_count;   /* nodes of it that run on general pipelines: better ones did not exist */
    uint64_t temporary_bytes; /* of the device's memory */
    bool is_new;              /* it was planned and compiled by onnx_run_begin(), or before the first run */
};

/* Does before the first run what does not depend on the inputs: plans, compiles and loads weights. If the model states
 * all sizes, the facts are those of its run; otherwise they are 0, and plans for a few sizes that fit create pipelines
 * for all, without memory for tensors. What cannot be prepared is left to the first run, which reports why. */
void onnx_session_prepare(struct onnx_session *session, struct onnx_run_facts *facts);

/* A session that is ready to run for certain inputs: no other thread uses it until onnx_run_end(). */
struct onnx_run;

/* Plans, compiles and initializes, unless a plan that is kept holds for inputs of these types and sizes. All have
 * data. */
bool onnx_run_begin(struct onnx_session *session, uint32_t input_count, const struct onnx_plan_input *inputs,
                    struct onnx_run **run, struct onnx_error *error);

/* As onnx_run_begin(), with inputs that have no data on the device, at places of the session's pool. */
bool onnx_run_begin_at(struct onnx_session *session, uint32_t input_count, const struct onnx_plan_input *inputs,
                       const struct onnx_place *places, struct onnx_run **run, struct onnx_error *error);

/* What will come of it; as many as the graph has outputs. Valid until onnx_run_end(). */
const struct onnx_plan_output *onnx_run_outputs(const struct onnx_run *run);

/* Runs once, on the inputs that it was begun for. Outputs are written packed, as many bytes as onnx_plan_output says,
 * NULL ones not at all. */
bool onnx_run_execute(struct onnx_run *run, void *const *outputs, struct onnx_error *error);

/* As onnx_run_execute(), with outputs at places, where these have a piece; their addresses are not looked at then. An
 * output may lie over an input. */
bool onnx_run_execute_at(struct onnx_run *run, void *const *outputs, const struct onnx_place *places,
                         struct onnx_error *error);
void onnx_run_end(struct onnx_run *run);

void onnx_run_facts(const struct onnx_run *run, struct onnx_run_facts *facts);

/* What a session holds. */
struct onnx_session_facts {
    uint64_t weight_bytes; /* of device memory, for weights, */
    uint64_t tensor_bytes; /* .. and for tensors of runs: temporary ones, and inputs and outputs that the host has */
    uint64_t loaded_bytes; /* of weights that were loaded so far, as the model has them, */
    double load_seconds;   /* .. and how long that took */
    uint32_t prepared_count; /* shapes that onnx_session_prepare() compiled for, */
    double prepare_seconds;  /* .. and how long that took */
    uint32_t kept_count;   /* shapes that are kept, */
    uint64_t held_bytes;   /* .. and what they take besides the above: an estimate */
};
/* As of the latest begin or end of a run. Thread-safe, and does not wait for a run. */
void onnx_session_facts(struct onnx_session *session, struct onnx_session_facts *facts);

#endif
