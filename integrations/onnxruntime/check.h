/* The option "check": after a run each node runs by itself on the same inputs, and those that go wrong are reported. */
#ifndef VKDML_ORT_CHECK_H
#define VKDML_ORT_CHECK_H

#include "onnx/diagnosis.h"
#include "ort.h"

/* What a session asks for. */
struct check_options {
    enum onnx_check check;
    const OrtLogger *logger; /* the session's */
};

/* Inputs of a run as they were before it, all on the host. */
struct check_inputs {
    uint32_t count;
    struct onnx_plan_input *inputs;
    void **copies;
};

/* Copies inputs, since an output may be written over one. check_release() is due either way. */
bool check_keep(struct onnx_pool *pool, uint32_t count, const struct onnx_plan_input *inputs,
                const struct onnx_place *places, struct check_inputs *kept, struct onnx_error *error);
void check_release(struct check_inputs *kept);

/* Checks the nodes, and what the run made: outputs at addresses of the host, or at places. Logs each node that is
 * wrong as a warning. False with the text of the first one; its data is only partly in the error if it is long. */
bool check_run(const struct check_options *options, const struct onnx_diagnosis *of, const struct check_inputs *kept,
               const struct onnx_plan_output *made, void *const *outputs, const struct onnx_place *places,
               struct onnx_error *error);

#endif
