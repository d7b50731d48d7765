#include "compute.h"

#include <stdlib.h>

#include "import.h"
#include "report.h"

struct compute {
    OrtNodeComputeInfo info; /* first: ONNX Runtime has a pointer to it */
    struct onnx_model model;
    struct onnx_session *session;
    const char *report;
};

/* Inputs and outputs of one run; most fused nodes have few. */
struct ends {
    struct onnx_plan_input *inputs;
    void **outputs;
};

static bool read_input(const OrtKernelContext *context, uint32_t index, struct onnx_plan_input *input,
                       struct onnx_error *error) {
    const OrtValue *value = NULL;
    OrtTensorTypeAndShapeInfo *shape;
    ONNXTensorElementDataType type;
    size_t rank;
    int64_t sizes[ONNX_MAX_RANK];
    if (!ort_check(ort.api->KernelContext_GetInput(context, index, &value), error) ||
        !ort_check(value == NULL ? NULL : ort.api->GetTensorTypeAndShape(value, &shape), error) || value == NULL) {
        return onnx_fail(error, "input %u is missing", (unsigned)index);
    }
    bool done = ort_check(ort.api->GetTensorElementType(shape, &type), error) &&
                ort_check(ort.api->GetDimensionsCount(shape, &rank), error);
    done = done &&
           (rank <= ONNX_MAX_RANK || onnx_fail(error, "input %u has more than 8 dimensions", (unsigned)index)) &&
           ort_check(ort.api->GetDimensions(shape, sizes, rank), error);
    ort.api->ReleaseTensorTypeAndShapeInfo(shape);
    if (!done) {
        return false;
    }
    *input = (struct onnx_plan_input){.type = import_type(type), .rank = (uint32_t)rank};
    for (size_t d = 0; d < rank; ++d) {
        if (sizes[d] < 0 || sizes[d] > UINT32_MAX) {
            return onnx_fail(error, "input %u has a size of more than 32 bits", (unsigned)index);
        }
        input->sizes[d] = (uint32_t)sizes[d];
    }
    return ort_check(ort.api->GetTensorData(value, &input->data), error);
}

static bool make_outputs(OrtKernelContext *context, const struct onnx_run *run, uint32_t count, void **outputs,
                         struct onnx_error *error) {
    for (uint32_t o = 0; o < count; ++o) {
        const struct onnx_plan_output *output = &onnx_run_outputs(run)[o];
        int64_t sizes[ONNX_MAX_RANK];
        OrtValue *value;
        for (uint32_t d = 0; d < output->rank; ++d) {
            sizes[d] = output->sizes[d];
        }
        if (!ort_check(ort.api->KernelContext_GetOutput(context, o, sizes, output->rank, &value), error) ||
            (value != NULL && !ort_check(ort.api->GetTensorMutableData(value, &outputs[o]), error))) {
            return false;
        }
    }
    return true;
}

static void report(const struct compute *compute, const struct onnx_run *run) {
    struct onnx_run_facts facts;
    onnx_run_facts(run, &facts);
    if (facts.is_new && compute->report[0] != 0) {
        report_plan(compute->report, facts.node_count);
    }
}

static bool run(struct compute *compute, OrtKernelContext *context, const struct ends *ends, struct onnx_error *error) {
    const struct onnx_graph *graph = &compute->model.graph;
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        if (!read_input(context, i, &ends->inputs[i], error)) {
            return false;
        }
    }
    struct onnx_run *begun;
    if (!onnx_run_begin(compute->session, graph->input_count, ends->inputs, &begun, error)) {
        return false;
    }
    report(compute, begun);
    const bool done = make_outputs(context, begun, graph->output_count, ends->outputs, error) &&
                      onnx_run_execute(begun, ends->outputs, error);
    onnx_run_end(begun);
    return done;
}

static OrtStatus *ORT_API_CALL create_state(OrtNodeComputeInfo *info, OrtNodeComputeContext *context, void **state) {
    (void)context;
    *state = info;
    return NULL;
}

static OrtStatus *ORT_API_CALL compute_run(OrtNodeComputeInfo *info, void *state, OrtKernelContext *context) {
    struct compute *compute = (struct compute *)info;
    struct onnx_error error = {{0}};
    const struct ends ends = {calloc(compute->model.graph.input_count + 1, sizeof *ends.inputs),
                              calloc(compute->model.graph.output_count + 1, sizeof *ends.outputs)};
    (void)state;
    bool done = (ends.inputs != NULL && ends.outputs != NULL) || onnx_fail(&error, "memory is out");
    done = done && run(compute, context, &ends, &error);
    free(ends.inputs);
    free(ends.outputs);
    return ort_status(done, &error);
}

static void ORT_API_CALL release_state(OrtNodeComputeInfo *info, void *state) {
    (void)info;
    (void)state;
}

/* Where the model says all sizes it is compiled with the session, and the first run is as any other. What stands in the
 * way is told by that run. */
static void prepare(struct compute *compute) {
    const struct onnx_graph *graph = &compute->model.graph;
    struct onnx_plan_input *inputs = calloc(graph->input_count + 1, sizeof *inputs);
    bool is_said = inputs != NULL;
    for (uint32_t i = 0; is_said && i < graph->input_count; ++i) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        is_said = value->type != ONNX_UNDEFINED && value->has_shape;
        inputs[i] = (struct onnx_plan_input){.type = value->type, .rank = value->rank};
        for (uint32_t d = 0; is_said && d < value->rank; ++d) {
            is_said = value->sizes[d] >= 0 && value->sizes[d] <= UINT32_MAX;
            inputs[i].sizes[d] = (uint32_t)value->sizes[d];
        }
    }
    struct onnx_run *begun;
    struct onnx_error error = {{0}};
    if (is_said && onnx_run_begin(compute->session, graph->input_count, inputs, &begun, &error)) {
        report(compute, begun);
        onnx_run_end(begun);
    }
    free(inputs);
}

bool compute_create(struct onnx_device *device, const OrtGraph *graph, const OrtNode *fused,
                    const struct onnx_session_options *options, const char *report, OrtNodeComputeInfo **info,
                    struct onnx_error *error) {
    struct compute *compute = calloc(1, sizeof *compute);
    *info = NULL;
    if (compute == NULL) {
        return onnx_fail(error, "memory is out");
    }
    compute->info = (OrtNodeComputeInfo){.ort_version_supported = API_VERSION,
                                         .CreateState = create_state,
                                         .Compute = compute_run,
                                         .ReleaseState = release_state};
    compute->report = report;
    if (!import_graph(graph, true, &compute->model, error) || !import_ends(fused, &compute->model, error) ||
        !onnx_session_create(device, &compute->model, &compute->model.graph, options, &compute->session, error)) {
        compute_release(&compute->info);
        return false;
    }
    prepare(compute);
    *info = &compute->info;
    return true;
}

void compute_release(OrtNodeComputeInfo *info) {
    struct compute *compute = (struct compute *)info;
    if (compute != NULL) {
        onnx_session_free(compute->session);
        onnx_arena_free(&compute->model.arena);
        free(compute);
    }
}
