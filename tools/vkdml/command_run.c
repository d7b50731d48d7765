#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <vkdml/result.h>
#include <vulkan/vulkan_core.h>

#include "command_line/refusal.h"
#include "commands.h"
#include "device/devices.h"
#include "onnx/run_model.h"
#include "run/run.h"

enum {
    OPTION_BARRIERS = OPTION_KEY_FIRST,
    OPTION_LEVEL,
    OPTION_ZERO,
    OPTION_INPUT,
    OPTION_OUTPUT,
    OPTION_COMMANDS,
    OPTION_GPU_TIMES,
    OPTION_NO_CACHES,
    OPTION_COMPARE,
    OPTION_CHECK,
    OPTION_NODE_BY_NODE,
    OPTION_PER_NODE,
    OPTION_PRINT,
    OPTION_REFERENCE_SECONDS,
    OPTION_JSON,
    OPTION_DEFAULT_HEAPS,
    /* Of DxDispatch, without a letter, and refused. */
    OPTION_GPU_TIMEOUT,
    OPTION_BACKGROUND,
    OPTION_POWER_STATE,
    OPTION_AGILITY,
    OPTION_DISASSEMBLY,
    OPTION_XBOX,
    OPTION_ONNX_PROFILING,
    OPTION_DRED,
    OPTION_PRESENT,
};

#define NO_DIRECT3D "that is a matter of Direct3D, and vkdml runs on Vulkan"
#define NO_PIX      "PIX captures Direct3D; RenderDoc and the vendors' tools capture Vulkan"
#define NO_HLSL     "vkdml runs no HLSL"
#define NO_ONNX     "it is a matter of ONNX Runtime"

/* What a command line asks for. */
struct request {
    struct run_options options;
    struct onnx_request onnx;
    const char *model;
    bool show_adapters;
    bool show_versions;
};

static const struct option_row options[] = {
    {'a', "adapter", KEEPS(struct request, options.device), .alias = "device", .argument = "TEXT",
     .kind = ARGUMENT_DEVICE,
     .text =
         "the device whose name contains TEXT, `#N` by number, or a UUID; `reference` is the CPU reference; default: "
         "$VKDML_DEVICE, else the "
         "best device"},
    {'s', "show_adapters", SETS(struct request, show_adapters), .text = "list the devices and exit"},
    {'d', "debug", SETS(struct request, options.validation),
     .text = "with the Vulkan validation layer; any message of it is a failure"},
    {'i', "dispatch_iterations", .argument = "N", .text = "bind, dispatch and wait at least N times (1)"},
    {'r', "dispatch_repeat", .argument = "N", .text = "dispatch N times in each iteration (1)"},
    {'t', "milliseconds_to_run", .argument = "N", .text = "and for at least N milliseconds"},
    {'I', "dispatch_interval", .argument = "N", .text = "start iterations at least N milliseconds apart (0)"},
    {'w', "warmup_samples", .argument = "N",
     .text = "leave the first N iterations out of the median, if there are more (1)"},
    {'v', "timing_verbosity", .argument = "0|1|2", .text = "0: one line; 1: statistics; 2: every iteration (0)"},
    {OPTION_BARRIERS, "post_dispatch_barriers", .argument = "none|uav|uav+aliasing",
     .text = "between repeats (uav). Vulkan has no aliasing barrier apart from the memory barrier of uav"},
    {OPTION_LEVEL, "dml_feature_level", .alias = "level", .argument = "L", .kind = ARGUMENT_LEVEL,
     .text = "hold operators to feature level L, e.g. 5_0 (the newest)"},
    {OPTION_ZERO, "zero-undefined", SETS(struct request, options.zero_undefined),
     .text = "outputs that DirectML leaves undefined are 0"},
    {OPTION_INPUT, "input_path", KEEPS(struct request, options.input_path), .argument = "DIR", .kind = ARGUMENT_FOLDER,
     .text = "files are read from DIR (the model's folder)"},
    {OPTION_OUTPUT, "output_path", KEEPS(struct request, options.output_path), .argument = "DIR",
     .kind = ARGUMENT_FOLDER, .text = "files are written to DIR (the working directory)"},
    {OPTION_COMMANDS, "print_commands", SETS(struct request, options.print_commands),
     .text = "print each command before it runs"},
    {OPTION_COMPARE, "compare", SETS(struct request, options.compare_reference), .argument = "reference|cpu",
     .text = "hold what each dispatch makes of its inputs to the CPU reference, within the accuracy of the operator's "
             "row in the table, and print the first differences; any is a failure. Of an ONNX model "
             "what each node makes of its inputs, and the outputs"},
    {OPTION_CHECK, "check", .argument = "finite|cpu",
     .text = "finite: run an ONNX model node by node and print the nodes that make infinities or NaN of finite inputs, "
             "with their inputs' ranges and the reason; any is a failure. cpu: as --compare cpu"},
    {OPTION_NODE_BY_NODE, "node-by-node", SETS(struct request, options.node_by_node),
     .text = "execute graphs node by node: nothing is fused"},
    {OPTION_PER_NODE, "per-node", SETS(struct request, options.per_node),
     .text =
         "dispatch each node of a graph by itself, too, and print a table of their times, without those of the first "
         "dispatches, unless -w 0 wants them; with --compare, hold each to the reference"},
    {OPTION_REFERENCE_SECONDS, "reference-seconds", .argument = "N",
     .text = "end with a message where the CPU reference takes longer than N seconds for a dispatch (as long as it "
             "takes)"},
    {OPTION_PRINT, "print", .argument = "flat|array",
     .text = "how values are printed: in one line, or as NumPy does, with brackets by the tensor's sizes, and of more "
             "than 1000 only the ends (flat)"},
    {OPTION_JSON, "json", SETS(struct request, options.json), .text = "print one JSON document instead of lines"},
    {OPTION_GPU_TIMES, "max_gpu_time_measurements", .argument = "N",
     .text = "time the first N iterations of a dispatch on the device too, 0: none (all)"},
    {OPTION_NO_CACHES, "clear_shader_caches", SETS(struct request, options.no_driver_caches),
     .text = "compile kernels without what Mesa's and NVIDIA's drivers keep of earlier ones in files"},
    {'m', "model", KEEPS(struct request, model), .argument = "FILE", .kind = ARGUMENT_MODEL,
     .text = "the model, as if it were named alone"},
    {'S', "show_dependencies", SETS(struct request, show_versions),
     .text = "print the versions of vkdml and of what it is made of, and exit"},
    {'q', "queue_type", .argument = "TYPE",
     .text = "`compute`, which has no effect: dispatches always go to the device's first queue family that computes"},
    {OPTION_DEFAULT_HEAPS, "disable_custom_heaps", 
     .text = "no effect: resources are always in device-local memory"},
    ONNX_ROWS(struct request, onnx),
    ONNX_OUTPUT_ROW,
    ONNX_HALF_ROW(struct request, onnx),
    ONNX_WIDE_ROW(struct request, onnx),
    {OPTION_DRED, "enable_dred",
     .refusal = "DRED explains why Direct3D removed a device; --debug runs under Vulkan's validation layer"},
    {OPTION_PRESENT, "present_separator", .refusal = "vkdml run presents nothing, so its captures have no frames"},
    {OPTION_GPU_TIMEOUT, "disable_gpu_timeout",
     .refusal = "Vulkan has no such switch; the time a dispatch may take is "
                "the driver's or the system's to set"},
    {OPTION_BACKGROUND, "disable_background_processing", .refusal = NO_DIRECT3D},
    {OPTION_POWER_STATE, "set_stable_power_state",
     .refusal = "Vulkan has no such switch; the drivers' own tools fix "
                "clocks, such as nvidia-smi --lock-gpu-clocks"},
    {OPTION_AGILITY, "disable_agility_sdk", .refusal = NO_DIRECT3D},
    {OPTION_DISASSEMBLY, "print_hlsl_disassembly", .refusal = NO_HLSL},
    {OPTION_XBOX, "xbox_allow_precompile", .refusal = NO_HLSL},
    {'c', "pix_capture_type", .refusal = NO_PIX},
    {'o', "pix_capture_name", .refusal = NO_PIX},
    {'f', "onnx_free_dim_name_override", .refusal = "--size NAME=N says it"},
    {'F', "onnx_free_dim_denotation_override", .refusal = "--size NAME=N says it, by the dimension's name"},
    {'e', "onnx_session_config_entry", .refusal = NO_ONNX},
    {'b', "binding_shape", .refusal = "--size INPUT.0=N says it"},
    {'l', "onnx_graph_optimization_level", .refusal = NO_ONNX},
    {'L', "onnx_logging_level", .refusal = NO_ONNX},
    {'p', "print_onnx_bindings", .refusal = NO_ONNX},
    {'x', "enable_ort_extensions", .refusal = NO_ONNX},
    {OPTION_ONNX_PROFILING, "enable_onnx_profiling", .refusal = NO_ONNX},
    {0},
};

/* Options of iterations and their timing. */
static bool apply_timing(int key, const char *argument, struct run_options *run) {
    /* 2^31: beyond any patience. */
    const uint32_t many = (uint32_t)1 << 31;
    switch (key) {
    case 'i':
        return command_line_number(argument, 1, many, &run->iterations);
    case 'r':
        return command_line_number(argument, 1, many, &run->repeats);
    case 't':
        return command_line_number(argument, 1, many, &run->milliseconds);
    case 'I':
        return command_line_number(argument, 0, many, &run->interval);
    case 'w':
        return command_line_number(argument, 0, many, &run->warmup);
    case OPTION_REFERENCE_SECONDS:
        return command_line_number(argument, 1, many, &run->reference_seconds);
    case OPTION_GPU_TIMES:
        return command_line_number(argument, 0, UINT32_MAX, &run->gpu_times);
    default:
        return command_line_number(argument, 0, 2, &run->verbosity);
    }
}

static bool apply_option(int key, const char *argument, void *context) {
    struct request *request = context;
    struct run_options *run = &request->options;
    if (onnx_request_takes(key)) {
        return onnx_request_apply(key, argument, &request->onnx);
    }
    switch (key) {
    case OPTION_BARRIERS:
        run->barriers = strcmp(argument, "none") != 0;
        return true;
    case OPTION_LEVEL:
        run->level = command_feature_level(argument);
        return run->level != 0;
    case OPTION_CHECK:
        run->check_finite = run->check_finite || strcmp(argument, "finite") == 0;
        run->compare_reference = run->compare_reference || strcmp(argument, "cpu") == 0;
        return true;
    case OPTION_DEFAULT_HEAPS:
        return true;
    case 'q':
        return strcmp(argument, "compute") == 0 ||
               refusal_tell("'%s' must be compute: vkdml takes the first queue family that computes", argument);
    case OPTION_PRINT:
        run->arrays = strcmp(argument, "array") == 0;
        return true;
    default:
        return apply_timing(key, argument, run);
    }
}

static void print_versions(void) {
    printf("vkdml %s\njson-c %s\nVulkan headers %d.%d.%d\n", vkdmlGetVersionString(), json_c_version(),
           VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE), VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE),
           VK_API_VERSION_PATCH(VK_HEADER_VERSION_COMPLETE));
}

/* Whether the options are of that kind of model; what is not is told. */
static bool options_agree(const struct request *request, bool is_onnx) {
    const struct run_options *run = &request->options;
    if (!is_onnx && (onnx_request_is_used(&request->onnx) || run->check_finite)) {
        fputs("vkdml run: --size, --input, --output, --zeros, --half, --float32-intermediates and --check finite are of "
              "ONNX models\n",
              stderr);
        return false;
    }
    if (is_onnx && (run->level || run->validation || run->print_commands || run->per_node || run->no_driver_caches ||
                    run->repeats != 1 || run->input_path || run->output_path)) {
        fputs("vkdml run: --dml_feature_level, --debug, --print_commands, --per-node, --clear_shader_caches, "
              "--dispatch_repeat, --input_path and --output_path are of JSON models\n",
              stderr);
        return false;
    }
    return true;
}

static bool run_any(const char *path, const struct request *request) {
    return onnx_request_is_model(path) ? run_onnx_model(path, &request->options, &request->onnx)
                                       : run_model(path, &request->options);
}

static int run(int argc, char **argv) {
    struct request request = {
        .options = {.iterations = 1, .repeats = 1, .warmup = 1, .barriers = true, .gpu_times = UINT32_MAX}};
    int first;
    const int status = command_line_read(&subcommand_run, argc, argv, &request, &first);
    if (status != COMMAND_LINE_GO_ON) {
        return status;
    }
    if (request.show_versions) {
        print_versions();
        return EXIT_SUCCESS;
    }
    if (request.show_adapters) {
        return devices_list() ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if ((first < argc) == (request.model != NULL)) {
        fprintf(stderr, "vkdml run: %s (`vkdml run --help` tells more)\n",
                request.model ? "one model at a time" : "which model?");
        return EXIT_USAGE;
    }
    if (request.options.compare_reference && devices_is_reference(request.options.device)) {
        fputs("vkdml run: --compare holds a device to the reference, and -a names the reference itself\n", stderr);
        return EXIT_USAGE;
    }
    const char *path = request.model ? request.model : argv[first];
    if (!options_agree(&request, onnx_request_is_model(path))) {
        return EXIT_USAGE;
    }
    return run_any(path, &request) ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct subcommand subcommand_run = {
    .name = "run",
    .operands = "MODEL",
    .operands_most = 1, /* --show_adapters needs none, nor does --model */
    .kind = ARGUMENT_MODEL,
    .summary = "runs a model",
    .description =
        "Runs an operator model; `vkdml MODEL.json` is short for it. `-` reads the model from standard input. An ONNX "
        "model, MODEL.onnx, is run once with inputs from files, or random ones, and its outputs are printed.",
    .options = options,
    .apply = apply_option,
    .run = run,
};
