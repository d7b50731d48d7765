#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/timing.h"
#include "commands.h"
#include "explain/dot.h"
#include "explain/explain.h"
#include "model/graph_build.h"
#include "model/load.h"
#include "onnx/explain_model.h"

enum {
    OPTION_LEVEL = OPTION_KEY_FIRST,
    OPTION_INPUT,
    OPTION_ZERO,
    OPTION_STEPS,
    OPTION_JSON,
    OPTION_DOT,
    OPTION_NODE_BY_NODE
};

/* So many steps of a plan tell what all are like: more are mostly windows of one tensor. */
#define USUAL_STEPS 8

/* What a command line asks for. */
struct request {
    const char *device;
    DML_FEATURE_LEVEL level;
    const char *input_path;
    bool zero_undefined;
    bool json;
    bool dot;
    bool node_by_node;
    struct explain_detail detail;
    struct onnx_request onnx;
};

static const struct option_row options[] = {
    {'a', "adapter", .alias = "device", .argument = "TEXT", .kind = ARGUMENT_DEVICE,
     .text = "the device whose name contains TEXT, `#N` by number, or a UUID; default: `$VKDML_DEVICE`, else the best "
             "device"},
    {'v', "values", SETS(struct request, detail.values),
     .text = "print the specialization constants and parameters of kernels too"},
    {OPTION_STEPS, "steps", .argument = "N", .text = "print at most N steps of a dispatchable (8)"},
    {OPTION_JSON, "json", SETS(struct request, json), .text = "print a JSON document, with all of it"},
    {OPTION_DOT, "dot", SETS(struct request, dot),
     .text = "print the graphs of the model for Graphviz, whose `dot -Tsvg` draws them"},
    {OPTION_NODE_BY_NODE, "node-by-node", SETS(struct request, node_by_node), .text = "graphs are not fused"},
    {OPTION_LEVEL, "dml_feature_level", .alias = "level", .argument = "L", .kind = ARGUMENT_LEVEL,
     .text = "hold operators to feature level L, e.g. 5_0 (the newest)"},
    {OPTION_ZERO, "zero-undefined", SETS(struct request, zero_undefined),
     .text = "outputs that DirectML leaves undefined are 0"},
    {OPTION_INPUT, "input_path", KEEPS(struct request, input_path), .argument = "DIR", .kind = ARGUMENT_FOLDER,
     .text = "files are read from DIR (the model's folder)"},
    ONNX_ROWS(struct request, onnx),
    ONNX_HALF_ROW(struct request, onnx),
    ONNX_WIDE_ROW(struct request, onnx),
    {0},
};

static bool apply_option(int key, const char *argument, void *context) {
    struct request *request = context;
    if (onnx_request_takes(key)) {
        return onnx_request_apply(key, argument, &request->onnx);
    }
    switch (key) {
    case 'a':
        request->device = argument;
        if (strcmp(argument, "reference") == 0) {
            return refusal_tell("the reference runs plain loops; only Vulkan devices have plans");
        }
        return true;
    case OPTION_STEPS:
        return command_line_number(argument, 0, UINT32_MAX, &request->detail.steps);
    default:
        request->level = command_feature_level(argument);
        return request->level != 0;
    }
}

/* Compiles for its time, and explains it. */
static VkdmlResult explain_operator(const struct dispatchable *dispatchable, VkdmlDevice device,
                                    const VkdmlCompileInfo *info, struct explained *explained) {
    VkdmlOperator op = NULL;
    VkdmlDispatchable compiled = NULL;
    VkdmlResult result = vkdmlCreateOperator(device, &dispatchable->desc, &op);
    if (result == VKDML_SUCCESS) {
        const double start = timing_now();
        result = vkdmlCompileOperator(op, info, &compiled);
        explained->compile_ms = timing_now() - start;
    }
    if (result == VKDML_SUCCESS) {
        result = vkdmlExplainOperator(op, info, &explained->explanation);
    }
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyOperator(op);
    return result;
}

static VkdmlResult explain_graph(const struct graph_build *build, VkdmlDevice device, const VkdmlCompileInfo *info,
                                 struct explained *explained) {
    VkdmlDispatchable compiled = NULL;
    const double start = timing_now();
    VkdmlResult result = vkdmlCompileGraph(device, &build->desc, info, &compiled);
    explained->compile_ms = timing_now() - start;
    if (result == VKDML_SUCCESS) {
        result = vkdmlExplainGraph(device, &build->desc, info, &explained->explanation);
    }
    vkdmlDestroyDispatchable(compiled);
    return result;
}

static bool explain(const struct model *model, const struct dispatchable *dispatchable, VkdmlDevice device,
                    const struct request *request, struct explained *explained) {
    const VkdmlCompileInfo info = {.structSize = sizeof(info),
                                   .executionFlags = dispatchable->flags,
                                   .flags = (request->zero_undefined ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0) |
                                            (request->node_by_node ? VKDML_COMPILE_FLAG_NODE_BY_NODE : 0)};
    struct graph_build build = {.operators = NULL};
    VkdmlResult result = VKDML_SUCCESS;
    *explained = (struct explained){.name = dispatchable->name};
    if (dispatchable->graph && !graph_build_begin(&build, model, dispatchable, device)) {
        graph_build_end(&build);
        return false; /* which has been told */
    }
    result = dispatchable->graph ? explain_graph(&build, device, &info, explained)
                                 : explain_operator(dispatchable, device, &info, explained);
    if (result != VKDML_SUCCESS) {
        model_report_refusal(model, dispatchable, dispatchable->graph ? NULL : dispatchable->json);
    }
    graph_build_end(&build);
    return result == VKDML_SUCCESS;
}

/* The graphs among what was explained. */
static bool print_dot(const struct model *model, const struct explained *all) {
    size_t count = 0;
    for (size_t i = 0; i < model->dispatchable_count; i++) {
        if (model->dispatchables[i].graph) {
            dot_print(model->dispatchables[i].graph, all[i].explanation);
            count++;
        }
    }
    return count > 0 || document_error(&model->document, NULL, "the model has no graph to draw");
}

static bool print_json(const char *device, const struct explained *all, size_t count) {
    struct json_object *document = json_object_new_object();
    bool good = json_tree_text(document, "device", device);
    if (count) {
        good = good && json_tree_text(document, "kernels", explain_variant_name(all[0].explanation->kernelVariant)) &&
               json_tree_text(document, "kernels_because", all[0].explanation->variantReason);
    }
    struct json_object *array = good ? json_tree_array(document, "dispatchables") : NULL;
    good = array != NULL;
    for (size_t i = 0; i < count && good; i++) {
        good = explain_to_json(array, &all[i]);
    }
    good = good && json_tree_print(document);
    if (!good) {
        fprintf(stderr, "vkdml: out of memory\n");
    }
    json_object_put(document);
    return good;
}

static void print_text(const char *device, const struct explained *all, size_t count, const struct request *request) {
    printf("on '%s'", device);
    if (count) {
        printf(", %s kernels (%s)", explain_variant_name(all[0].explanation->kernelVariant),
               all[0].explanation->variantReason);
    }
    putchar('\n');
    for (size_t i = 0; i < count; i++) {
        explain_print(&all[i], &request->detail);
    }
}

static const char *device_name(VkdmlDevice device, VkPhysicalDeviceProperties *properties) {
    VkdmlVulkanHandles handles;
    if (vkdmlGetVulkanHandles(device, &handles) != VKDML_SUCCESS) {
        return "?";
    }
    PFN_vkGetPhysicalDeviceProperties get = (PFN_vkGetPhysicalDeviceProperties)handles.getInstanceProcAddr(
        handles.instance, "vkGetPhysicalDeviceProperties");
    get(handles.physicalDevice, properties);
    return properties->deviceName;
}

static bool open_device(const struct request *request, VkdmlDevice *device) {
    /* As `vkdml run` opens it: what is explained is what that runs. */
    const VkdmlDeviceOpenInfo info = {.structSize = sizeof(info),
                                      .headerVersion = VKDML_HEADER_VERSION,
                                      .name = request->device,
                                      .featureLevel = request->level,
                                      .flags = VKDML_DEVICE_FLAG_ALLOW_TRANSFER};
    if (vkdmlOpenDevice(&info, device) != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
        return false;
    }
    return true;
}

static bool explain_model(const struct model *model, const struct request *request) {
    VkdmlDevice device = NULL;
    VkPhysicalDeviceProperties properties;
    struct explained *all = calloc(model->dispatchable_count + 1, sizeof(*all));
    size_t count = 0;
    bool good = all != NULL;
    if (!good) {
        fprintf(stderr, "vkdml: out of memory\n");
    } else {
        good = open_device(request, &device);
    }
    while (good && count < model->dispatchable_count) {
        good = explain(model, &model->dispatchables[count], device, request, &all[count]);
        count += good;
    }
    if (good && request->dot) {
        good = print_dot(model, all);
    } else if (good && request->json) {
        good = print_json(device_name(device, &properties), all, count);
    } else if (good) {
        print_text(device_name(device, &properties), all, count, request);
    }
    for (size_t i = 0; i < count; i++) {
        vkdmlDestroyExplanation(all[i].explanation);
    }
    free(all);
    vkdmlDestroyDevice(device);
    return good;
}

static bool explain_onnx(const char *path, const struct request *request) {
    const VkdmlCompileInfo info = {
        .structSize = sizeof(info),
        .executionFlags =
            request->onnx.half ? DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION : DML_EXECUTION_FLAG_NONE,
        .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED |
                 (request->node_by_node ? (VkdmlCompileFlags)VKDML_COMPILE_FLAG_NODE_BY_NODE : 0)};
    VkdmlDevice device = NULL;
    VkPhysicalDeviceProperties properties;
    struct subject subject;
    struct explained explained = {.name = NULL};
    bool good = subject_open(&subject, path, &request->onnx) && open_device(request, &device) &&
                explain_onnx_model(&subject, device, &info, &explained);
    if (good && request->json) {
        good = print_json(device_name(device, &properties), &explained, 1);
    } else if (good) {
        print_text(device_name(device, &properties), &explained, 1, request);
    }
    vkdmlDestroyExplanation(explained.explanation);
    vkdmlDestroyDevice(device);
    subject_close(&subject);
    return good;
}

static bool explain_json(const char *path, const struct request *request) {
    struct model model;
    bool good = model_load(&model, path, request->input_path, NULL);
    good = model_validate(&model, request->level) && good;
    good = good && explain_model(&model, request);
    model_free(&model);
    return good;
}

/* Options that are of the other kind of models. */
static bool options_agree(const struct request *request, bool is_onnx) {
    if (is_onnx && (request->dot || request->input_path)) {
        fprintf(stderr, "vkdml explain: --dot and --input_path are of JSON models\n");
        return false;
    }
    if (!is_onnx && onnx_request_is_used(&request->onnx)) {
        fputs("vkdml explain: --size, --input, --zeros, --half and --float32-intermediates are of ONNX models\n",
              stderr);
        return false;
    }
    return true;
}

static int run(int argc, char **argv) {
    struct request request = {.detail = {.steps = USUAL_STEPS}};
    int first;
    const int status = command_line_read(&subcommand_explain, argc, argv, &request, &first);
    if (status != COMMAND_LINE_GO_ON) {
        return status;
    }
    const bool is_onnx = onnx_request_is_model(argv[first]);
    if (!options_agree(&request, is_onnx)) {
        return EXIT_USAGE;
    }
    bool good = is_onnx ? explain_onnx(argv[first], &request) : explain_json(argv[first], &request);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "vkdml: standard output cannot be written\n");
        good = false;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct subcommand subcommand_explain = {
    .name = "explain",
    ONE_OPERAND("MODEL", ARGUMENT_MODEL),
    .summary = "tells what the planner makes of a model, and why",
    .description =
        "Compiles the operators and graphs of a model for a device, and tells for each what will be recorded, and why: "
        "the shapes "
        "after what is one run was merged, kernels, workgroups, what each step reads and writes, temporary and "
        "persistent memory, and the share of the memory's speed that such kernels reached where it was measured. "
        "Nothing is run. `-` reads the model from standard input. Of an ONNX model, MODEL.onnx, the graph is explained "
        "that it becomes, with its nodes' names; --zero-undefined is always on there.",
    .options = options,
    .apply = apply_option,
    .run = run,
};
