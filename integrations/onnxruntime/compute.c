#include "compute.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapter.h"
#include "import.h"
#include "onnx/stages.h"
#include "report.h"

struct compute {
    OrtNodeComputeInfo info; /* first: ONNX Runtime has a pointer to it */
    struct onnx_device *device;
    struct onnx_pool *pool; /* of the device */
    struct onnx_model model;
    struct onnx_stages *stages;
    const char *report;
    const OrtLogger *log; /* NULL: nothing is logged */
    uint64_t logged_bytes; /* of weights that were loaded */
    struct check_options check;
    struct onnx_diagnosis diagnosis; /* what it checks */
};

/* Inputs and outputs of one run, on the host or at places on the device. */
struct ends {
    struct onnx_plan_input *inputs;
    struct onnx_place *input_places;
    void **outputs;
    struct onnx_place *output_places;
};

/* Where a tensor's elements are. Those of no device are the host's. */
static bool find_place(const struct compute *compute, const OrtValue *value, const void *address, uint64_t bytes,
                       struct onnx_place *place, struct onnx_error *error) {
    *place = (struct onnx_place){NULL, 0};
    const OrtMemoryDevice *memory = bytes == 0 ? NULL : ort.ep->Value_GetMemoryDevice(value);
    if (memory != NULL && address == NULL) {
        return onnx_fail(error, "a tensor has no memory: %s", adapter_allocation_error());
    }
    return memory == NULL || ort.ep->MemoryDevice_GetDeviceType(memory) == OrtMemoryInfoDeviceType_CPU ||
           onnx_pool_find(compute->pool, address, bytes, place) ||
           onnx_fail(error, "a tensor is not on the session's device, or that was lost and is opened anew");
}

static bool read_input(const struct compute *compute, const OrtKernelContext *context, uint32_t index,
                       struct onnx_plan_input *input, struct onnx_place *place, struct onnx_error *error) {
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
    const uint64_t bytes = onnx_bytes_of(input->type, onnx_elements(input->rank, input->sizes));
    if (!ort_check(ort.api->GetTensorData(value, &input->data), error) ||
        !find_place(compute, value, input->data, bytes, place, error)) {
        return false;
    }
    if (place->piece != NULL) {
        input->data = NULL;
    }
    return true;
}

static bool make_outputs(const struct compute *compute, OrtKernelContext *context, const struct onnx_stages_run *run,
                         const struct ends *ends, struct onnx_error *error) {
    const uint32_t count = compute->model.graph.output_count;
    for (uint32_t o = 0; o < count; ++o) {
        const struct onnx_plan_output *output = &onnx_stages_outputs(run)[o];
        int64_t sizes[ONNX_MAX_RANK];
        OrtValue *value;
        for (uint32_t d = 0; d < output->rank; ++d) {
            sizes[d] = output->sizes[d];
        }
        if (!ort_check(ort.api->KernelContext_GetOutput(context, o, sizes, output->rank, &value), error) ||
            (value != NULL &&
             (!ort_check(ort.api->GetTensorMutableData(value, &ends->outputs[o]), error) ||
              !find_place(compute, value, ends->outputs[o], output->bytes, &ends->output_places[o], error)))) {
            return false;
        }
    }
    return true;
}

static void log_text(const struct compute *compute, const char *text) {
    ort.api->ReleaseStatus(ort.api->Logger_LogMessage(compute->log, ORT_LOGGING_LEVEL_WARNING, text, ORT_FILE,
                                                      __LINE__, "vkdml"));
}

/* Tells of weights where some were loaded. */
static void log_weights(struct compute *compute) {
    struct onnx_session_facts facts;
    char text[160];
    onnx_stages_held(compute->stages, &facts);
    if (facts.loaded_bytes == compute->logged_bytes) {
        return;
    }
    compute->logged_bytes = facts.loaded_bytes;
    snprintf(text, sizeof text,
             "weights: %.1f MiB loaded in %.3f s, %.1f MiB on the device; other tensors: %.1f MiB on the device",
             (double)facts.loaded_bytes / (1 << 20), facts.load_seconds, (double)facts.weight_bytes / (1 << 20),
             (double)facts.tensor_bytes / (1 << 20));
    log_text(compute, text);
}

static void log_preparation(const struct compute *compute) {
    struct onnx_session_facts facts;
    char text[160];
    onnx_stages_held(compute->stages, &facts);
    snprintf(text, sizeof text, "session: prepared for %u %s in %.3f s", (unsigned)facts.prepared_count,
             facts.prepared_count == 1 ? "shape" : "shapes", facts.prepare_seconds);
    log_text(compute, text);
}

static void report(struct compute *compute, const struct onnx_run_facts *facts) {
    if (facts->is_new && compute->report[0] != 0) {
        report_plan(compute->report, facts->node_count);
    }
    if (facts->is_new && compute->log != NULL) {
        log_weights(compute);
    }
}

static bool run(struct compute *compute, OrtKernelContext *context, const struct ends *ends, struct onnx_error *error) {
    const struct onnx_graph *graph = &compute->model.graph;
    if (!onnx_device_check_process(compute->device, error)) {
        return false;
    }
    for (uint32_t i = 0; i < graph->input_count; ++i) {
        if (!read_input(compute, context, i, &ends->inputs[i], &ends->input_places[i], error)) {
            return false;
        }
    }
    struct onnx_stages_run *begun;
    if (!onnx_stages_begin(compute->stages, graph->input_count, ends->inputs, ends->input_places, &begun, error)) {
        return false;
    }
    struct onnx_run_facts facts;
    onnx_stages_facts(begun, &facts);
    report(compute, &facts);
    const bool checks = compute->check.check != ONNX_CHECK_NOTHING;
    struct check_inputs kept = {0};
    bool done = make_outputs(compute, context, begun, ends, error);
    done = done && (!checks || check_keep(compute->pool, graph->input_count, ends->inputs, ends->input_places, &kept,
                                          error));
    done = done && onnx_stages_execute(begun, ends->outputs, ends->output_places, error) &&
           (!checks || check_run(&compute->check, &compute->diagnosis, &kept, onnx_stages_outputs(begun), ends->outputs,
                                 ends->output_places, error));
    onnx_stages_end(begun);
    check_release(&kept);
    return done;
}

static OrtStatus *ORT_API_CALL create_state(OrtNodeComputeInfo *info, OrtNodeComputeContext *context, void **state) {
    (void)context;
    *state = info;
    return NULL;
}

static OrtStatus *ORT_API_CALL compute_run(OrtNodeComputeInfo *info, void *state, OrtKernelContext *context) {
    struct compute *compute = (struct compute *)info;
    struct onnx_error error = {0};
    const size_t input_count = compute->model.graph.input_count, output_count = compute->model.graph.output_count;
    const struct ends ends = {
        calloc(input_count + 1, sizeof *ends.inputs), calloc(input_count + 1, sizeof *ends.input_places),
        calloc(output_count + 1, sizeof *ends.outputs), calloc(output_count + 1, sizeof *ends.output_places)};
    (void)state;
    bool done =
        (ends.inputs != NULL && ends.input_places != NULL && ends.outputs != NULL && ends.output_places != NULL) ||
        onnx_fail_memory(&error);
    done = done && run(compute, context, &ends, &error);
    free(ends.inputs);
    free(ends.input_places);
    free(ends.outputs);
    free(ends.output_places);
    return ort_status(done, &error);
}

static void ORT_API_CALL release_state(OrtNodeComputeInfo *info, void *state) {
    (void)info;
    (void)state;
}

/* So that the first run is like any other. */
static void prepare(struct compute *compute) {
    struct onnx_run_facts facts;
    onnx_stages_prepare(compute->stages, &facts);
    report(compute, &facts);
    if (compute->log != NULL) {
        log_preparation(compute);
        log_weights(compute);
    }
}

bool compute_create(struct onnx_device *device, const OrtGraph *graph, const OrtNode *fused,
                    const struct compute_options *options, OrtNodeComputeInfo **info, struct onnx_error *error) {
    struct compute *compute = calloc(1, sizeof *compute);
    *info = NULL;
    if (compute == NULL) {
        return onnx_fail_memory(error);
    }
    compute->info = (OrtNodeComputeInfo){.ort_version_supported = API_VERSION,
                                         .CreateState = create_state,
                                         .Compute = compute_run,
                                         .ReleaseState = release_state};
    compute->report = options->report;
    compute->log = options->log;
    compute->device = device;
    compute->pool = options->session.pool;
    compute->check = options->check;
    compute->diagnosis = (struct onnx_diagnosis){
        .device = device, .model = &compute->model, .graph = &compute->model.graph, .options = options->session};
    if (!import_graph(graph, true, &compute->model, error) || !import_ends(fused, &compute->model, error) ||
        !onnx_stages_create(device, &compute->model, &compute->model.graph, &options->session, &compute->stages,
                            error)) {
        compute_release(&compute->info);
        return false;
    }
    if (options->prepares) {
        prepare(compute);
    }
    *info = &compute->info;
    return true;
}

void compute_release(OrtNodeComputeInfo *info) {
    struct compute *compute = (struct compute *)info;
    if (compute != NULL) {
        onnx_stages_free(compute->stages);
        onnx_arena_free(&compute->model.arena);
        free(compute);
    }
}
