/* The C API of the shared library. */
#include "onnx/vkdml_onnx.h"

#include <stdlib.h>
#include <string.h>

#include "onnx/diagnosis.h"
#include "onnx/file.h"
#include "onnx/report.h"
#include "onnx/stages.h"
#include "text/visible_text.h"

struct VkdmlOnnxModel_T {
    struct onnx_file *file;
    const struct onnx_model *model;
    struct onnx_device *device;
    struct onnx_stages *stages;
    VkdmlOnnxWarningCallback warn; /* NULL: silent */
    void *warn_data;
    struct onnx_session_options options;
    bool checks_finite, checks_reference;
};

struct VkdmlOnnxRun_T {
    VkdmlOnnxModel model;
    struct onnx_stages_run *run;
    struct onnx_plan_input *inputs;
};

_Static_assert(VKDML_ONNX_MAX_RANK == ONNX_MAX_RANK, "ranks");
_Static_assert((int)VKDML_ONNX_UNNEEDED == (int)ONNX_UNNEEDED, "outcomes");
_Static_assert(sizeof(DML_OPERATOR_TYPE) == sizeof(int32_t), "types");

/* The size of the first version of the struct. */
#define OLDEST_INFO offsetof(VkdmlOnnxOpenInfo, warningCallback)

static _Thread_local struct onnx_error last_error;

const char *vkdmlOnnxGetErrorMessage(void) {
    return last_error.text;
}

static struct onnx_error *begin_error(void) {
    last_error = (struct onnx_error){0};
    return &last_error;
}

/* ---- models ---- */

static void warn(void *data, VkdmlLogLevel level, const char *message) {
    const struct VkdmlOnnxModel_T *model = data;
    (void)level;
    if (model->warn != NULL) {
        model->warn(model->warn_data, message);
    }
}

static VkdmlResult open_parts(const VkdmlOnnxOpenInfo *info, VkdmlOnnxModel model, struct onnx_error *error) {
    const struct onnx_device_options device = {
        .name = info->device, .cache_folder = info->cacheFolder, .warn = warn, .log_data = model};
    struct onnx_session_options session = {
        .allows_half = (info->flags & VKDML_ONNX_ALLOW_HALF) != 0,
        .node_by_node = (info->flags & VKDML_ONNX_NODE_BY_NODE) != 0,
        .has_float32_intermediates = (info->flags & VKDML_ONNX_FLOAT32_INTERMEDIATES) != 0,
        .by_reference = (info->flags & VKDML_ONNX_REFERENCE) != 0,
        .shapes_kept = info->shapesKept};
    if (info->structSize > offsetof(VkdmlOnnxOpenInfo, progressUserData)) {
        session.kept_bytes = info->keptBytes;
        session.load_callback = info->progressCallback;
        session.load_callback_data = info->progressUserData;
    }
    if (!onnx_open(info->path, &model->file, error)) {
        return error->result;
    }
    model->options = session;
    model->checks_finite = (info->flags & VKDML_ONNX_CHECK_FINITE) != 0;
    model->checks_reference = (info->flags & VKDML_ONNX_CHECK_CPU) != 0;
    model->model = onnx_file_model(model->file);
    if (!onnx_device_open(&device, &model->device, error) ||
        !onnx_stages_create(model->device, model->model, &model->model->graph, &session, &model->stages, error)) {
        return error->result;
    }
    if ((info->flags & VKDML_ONNX_PREPARE_LATER) == 0) {
        struct onnx_run_facts facts;
        onnx_stages_prepare(model->stages, &facts);
    }
    return VKDML_SUCCESS;
}

VkdmlResult vkdmlOnnxOpenModel(const VkdmlOnnxOpenInfo *info, VkdmlOnnxModel *made) {
    struct onnx_error *error = begin_error();
    *made = NULL;
    if (info == NULL || info->structSize < OLDEST_INFO || info->path == NULL) {
        onnx_fail(error, info == NULL || info->path == NULL ? "info and its path must be there"
                                                            : "info->structSize must be sizeof(VkdmlOnnxOpenInfo)");
        return error->result;
    }
    VkdmlOnnxModel model = calloc(1, sizeof *model);
    if (model == NULL) {
        onnx_fail_memory(error);
        return error->result;
    }
    if (info->structSize > offsetof(VkdmlOnnxOpenInfo, warningUserData)) {
        model->warn = info->warningCallback;
        model->warn_data = info->warningUserData;
    }
    const VkdmlResult result = open_parts(info, model, error);
    if (result != VKDML_SUCCESS) {
        vkdmlOnnxCloseModel(model);
        return result;
    }
    *made = model;
    return VKDML_SUCCESS;
}

void vkdmlOnnxCloseModel(VkdmlOnnxModel model) {
    /* What is inherited may be half changed: it goes with the process. */
    if (model != NULL && (model->device == NULL || !onnx_device_is_inherited(model->device))) {
        onnx_stages_free(model->stages);
        onnx_device_close(model->device);
        onnx_close(model->file);
        free(model);
    }
}

const char *vkdmlOnnxGetDeviceName(VkdmlOnnxModel model) {
    return onnx_device_name(model->device);
}

uint32_t vkdmlOnnxGetInputCount(VkdmlOnnxModel model) {
    return model->model->graph.input_count;
}

uint32_t vkdmlOnnxGetOptionalInputCount(VkdmlOnnxModel model) {
    return model->model->graph.optional_count;
}

uint32_t vkdmlOnnxGetOutputCount(VkdmlOnnxModel model) {
    return model->model->graph.output_count;
}

VkdmlResult vkdmlOnnxGetMemory(VkdmlOnnxModel model, VkdmlOnnxMemory *memory) {
    struct onnx_error *error = begin_error();
    struct onnx_session_facts facts;
    if (memory == NULL || memory->structSize < sizeof *memory) {
        onnx_fail(error, memory == NULL ? "memory must be there"
                                        : "memory->structSize must be sizeof(VkdmlOnnxMemory)");
        return error->result;
    }
    if (!onnx_device_check_process(model->device, error)) {
        return error->result;
    }
    onnx_stages_held(model->stages, &facts);
    memory->weightBytes = facts.weight_bytes;
    memory->tensorBytes = facts.tensor_bytes;
    memory->shapeBytes = facts.held_bytes;
    memory->shapeCount = facts.kept_count;
    return VKDML_SUCCESS;
}

static void describe(const struct onnx_value *value, VkdmlOnnxValue *described) {
    *described = (VkdmlOnnxValue){.name = value->name,
                                  .type = (uint32_t)value->type,
                                  .hasShape = value->has_shape,
                                  .rank = value->has_shape ? value->rank : 0};
    for (uint32_t d = 0; d < described->rank; ++d) {
        described->sizes[d] = value->sizes[d];
        described->symbols[d] = value->symbols[d];
    }
}

void vkdmlOnnxGetInput(VkdmlOnnxModel model, uint32_t index, VkdmlOnnxValue *value) {
    describe(&model->model->graph.values[model->model->graph.inputs[index]], value);
}

void vkdmlOnnxGetOutput(VkdmlOnnxModel model, uint32_t index, VkdmlOnnxValue *value) {
    describe(&model->model->graph.values[model->model->graph.outputs[index]], value);
}

/* ---- inputs ---- */

static bool take_input(const struct onnx_value *value, const VkdmlOnnxTensor *tensor, struct onnx_plan_input *input,
                       struct onnx_error *error) {
    const struct visible_text name = visible_text(value->name);
    uint64_t count = 1;
    if (value->kind != ONNX_KIND_TENSOR) {
        return onnx_fail(error, "input '%s' is %s: maps, sequences and optional values are not supported", name.text,
                         onnx_kind_name(value->kind));
    }
    if (value->type != ONNX_UNDEFINED && (uint32_t)value->type != tensor->type) {
        char type[32];
        strncpy(type, onnx_type_name((enum onnx_type)tensor->type), sizeof type - 1);
        type[sizeof type - 1] = 0;
        return onnx_fail(error, "input '%s' is of type %s, must be %s", name.text, type, onnx_type_name(value->type));
    }
    if (tensor->rank > ONNX_MAX_RANK || (value->has_shape && value->rank != tensor->rank)) {
        return onnx_fail(error, "input '%s' has %u dimensions, must have %s%u", name.text, (unsigned)tensor->rank,
                         value->has_shape ? "" : "at most ",
                         (unsigned)(value->has_shape ? value->rank : ONNX_MAX_RANK));
    }
    *input = (struct onnx_plan_input){.type = (enum onnx_type)tensor->type, .rank = tensor->rank, .data = tensor->data};
    for (uint32_t d = 0; d < tensor->rank; ++d) {
        if (value->has_shape && value->sizes[d] >= 0 && value->sizes[d] != (int64_t)tensor->sizes[d]) {
            return onnx_fail(error, "input '%s' has %u elements in dimension %u, must have %lld", name.text,
                             (unsigned)tensor->sizes[d], (unsigned)d, (long long)value->sizes[d]);
        }
        if (tensor->sizes[d] != 0 && count > SIZE_MAX / 32 / tensor->sizes[d]) {
            return onnx_fail(error, "input '%s' is too large", name.text);
        }
        input->sizes[d] = tensor->sizes[d];
        count *= tensor->sizes[d];
    }
    if (count != 0 && onnx_bytes_of(input->type, count) == 0) {
        return onnx_fail(error, "input '%s': %s is no type that is computed with", name.text,
                         onnx_type_name(input->type));
    }
    return true;
}

/* In memory of their own; NULL, and the reason told, where they are not the model's. */
static struct onnx_plan_input *take_inputs(VkdmlOnnxModel model, uint32_t count, const VkdmlOnnxTensor *tensors,
                                           bool needs_data, struct onnx_error *error) {
    const struct onnx_graph *graph = &model->model->graph;
    struct onnx_plan_input *inputs =
        calloc((size_t)graph->input_count + graph->optional_count + 1, sizeof *inputs);
    bool good = inputs != NULL ? onnx_check_input_count(graph, count, error) : onnx_fail_memory(error);
    for (uint32_t i = 0; good && i < count; ++i) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        if (i >= graph->input_count && tensors[i].type == 0) {
            continue;
        }
        good = take_input(value, &tensors[i], &inputs[i], error);
        bool is_empty = false;
        for (uint32_t d = 0; good && d < inputs[i].rank; ++d) {
            is_empty = is_empty || inputs[i].sizes[d] == 0;
        }
        if (good && needs_data && inputs[i].data == NULL && !is_empty) {
            good = onnx_fail(error, "input '%s' has no data", visible_text(value->name).text);
        }
    }
    if (!good) {
        free(inputs);
        return NULL;
    }
    return inputs;
}

/* ---- reports ---- */

struct telling {
    VkdmlOnnxNodeCallback callback;
    void *data;
};

static void tell(void *data, const struct onnx_node_report *report) {
    const struct telling *telling = data;
    const VkdmlOnnxNode node = {.name = report->node->name,
                                .domain = report->node->domain,
                                .op = report->node->op,
                                .version = report->node->version,
                                .outcome = (VkdmlOnnxOutcome)report->outcome,
                                .reason = report->reason,
                                .operatorCount = report->operator_count,
                                .operators = (const int32_t *)report->operators};
    telling->callback(telling->data, &node);
}

VkdmlResult vkdmlOnnxReportNodes(VkdmlOnnxModel model, uint32_t count, const VkdmlOnnxTensor *tensors,
                                 VkdmlOnnxNodeCallback callback, void *data) {
    struct onnx_error *error = begin_error();
    struct telling telling = {callback, data};
    struct onnx_plan_input *inputs = take_inputs(model, count, tensors, false, error);
    if (inputs == NULL) {
        return error->result;
    }
    const bool done = onnx_report(model->model, &model->model->graph, count, inputs, tell, &telling, error);
    free(inputs);
    return done ? VKDML_SUCCESS : error->result;
}

/* ---- runs ---- */

VkdmlResult vkdmlOnnxBeginRun(VkdmlOnnxModel model, uint32_t count, const VkdmlOnnxTensor *tensors,
                              VkdmlOnnxRun *begun) {
    struct onnx_error *error = begin_error();
    *begun = NULL;
    struct onnx_plan_input *inputs = take_inputs(model, count, tensors, true, error);
    VkdmlOnnxRun run = inputs == NULL ? NULL : calloc(1, sizeof *run);
    if (run == NULL) {
        free(inputs);
        onnx_fail_memory(error); /* where no reason has been told */
        return error->result;
    }
    *run = (struct VkdmlOnnxRun_T){.model = model, .inputs = inputs};
    if (!onnx_stages_begin(model->stages, count, inputs, NULL, &run->run, error)) {
        vkdmlOnnxEndRun(run);
        return error->result;
    }
    *begun = run;
    return VKDML_SUCCESS;
}

void vkdmlOnnxGetResult(VkdmlOnnxRun run, uint32_t index, VkdmlOnnxTensor *result) {
    const struct onnx_plan_output *output = &onnx_stages_outputs(run->run)[index];
    *result = (VkdmlOnnxTensor){.type = (uint32_t)output->type, .rank = output->rank, .bytes = output->bytes};
    memcpy(result->sizes, output->sizes, output->rank * sizeof output->sizes[0]);
}

static bool check(const struct VkdmlOnnxRun_T *run, enum onnx_check check, void *const *outputs,
                  struct onnx_error *error) {
    const struct VkdmlOnnxModel_T *model = run->model;
    const struct onnx_diagnosis diagnosis = {.check = check,
                                             .device = model->device,
                                             .model = model->model,
                                             .graph = &model->model->graph,
                                             .options = model->options};
    return onnx_require_right(&diagnosis, run->inputs, (const void *const *)outputs, error);
}

VkdmlResult vkdmlOnnxExecuteRun(VkdmlOnnxRun run, void *const *outputs) {
    struct onnx_error *error = begin_error();
    const bool done = onnx_stages_execute(run->run, outputs, NULL, error) &&
                      (!run->model->checks_finite || check(run, ONNX_CHECK_FINITE, outputs, error)) &&
                      (!run->model->checks_reference || check(run, ONNX_CHECK_REFERENCE, outputs, error));
    return done ? VKDML_SUCCESS : error->result;
}

void vkdmlOnnxEndRun(VkdmlOnnxRun run) {
    if (run != NULL) {
        onnx_stages_end(run->run);
        free(run->inputs);
        free(run);
    }
}
