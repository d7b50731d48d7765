/* Models some of whose sizes depend on data: sessions one after another, see split.h. A model without such nodes is one
 * session. Beginning a run computes what sizes depend on; executing it computes the rest. */
#ifndef ONNX_STAGES_H
#define ONNX_STAGES_H

#include "onnx/session.h"

struct onnx_stages;
struct onnx_stages_run;

/* As onnx_session_create(). */
bool onnx_stages_create(struct onnx_device *device, const struct onnx_model *model, const struct onnx_graph *graph,
                        const struct onnx_session_options *options, struct onnx_stages **stages,
                        struct onnx_error *error);
void onnx_stages_free(struct onnx_stages *stages);

/* As onnx_session_prepare(), for each stage. The facts of more than one stage are 0. */
void onnx_stages_prepare(struct onnx_stages *stages, struct onnx_run_facts *facts);

/* As onnx_run_begin_at(); places may be NULL. Another thread's run ends first. Where sizes depend on data, all stages
 * but the last one run, with what the inputs hold. `inputs` and `places` are read until onnx_stages_end(). */
bool onnx_stages_begin(struct onnx_stages *stages, uint32_t input_count, const struct onnx_plan_input *inputs,
                       const struct onnx_place *places, struct onnx_stages_run **run, struct onnx_error *error);

/* What will come of it; as many as the graph has outputs. */
const struct onnx_plan_output *onnx_stages_outputs(const struct onnx_stages_run *run);

/* As onnx_run_execute_at(); places may be NULL. Executed again, all stages run with what the inputs then hold; it fails
 * where outputs get other sizes. */
bool onnx_stages_execute(struct onnx_stages_run *run, void *const *outputs, const struct onnx_place *places,
                         struct onnx_error *error);
/* NULL is ignored. */
void onnx_stages_end(struct onnx_stages_run *run);

/* What the sessions of all stages hold; as onnx_session_facts(). */
void onnx_stages_held(const struct onnx_stages *stages, struct onnx_session_facts *facts);

/* Of all stages together. */
void onnx_stages_facts(const struct onnx_stages_run *run, struct onnx_run_facts *facts);

#endif
