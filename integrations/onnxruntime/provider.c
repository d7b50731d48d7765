#include "provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "import.h"
#include "onnx/judge.h"
#include "report.h"

struct provider {
    OrtEp ep; /* first: ONNX Runtime has a pointer to it */
    struct provider_options options;
    const OrtLogger *logger;
    struct adapter *adapter;
    struct adapter_device *device;
    struct onnx_error error; /* of the latest call */
};

static const char *ORT_API_CALL get_name(const OrtEp *ep) {
    (void)ep;
    return PROVIDER_NAME;
}

/* ---- which nodes ---- */

/* The number of the part of the graph that each node is of: parts with less numbers run before. A node that is not ours
 * ends those before it. */
static bool find_parts(const struct onnx_model *model, const struct onnx_verdict *verdicts, uint32_t *parts,
                       uint32_t *part_count, struct onnx_error *error) {
    const struct onnx_graph *graph = &model->graph;
    uint32_t *of_values = calloc(graph->value_count + 1, sizeof *of_values);
    if (of_values == NULL) {
        return onnx_fail_memory(error);
    }
    *part_count = 0;
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        const struct onnx_node *node = &graph->nodes[n];
        uint32_t part = 0;
        for (uint32_t i = 0; i < node->input_count; ++i) {
            if (node->inputs[i] != ONNX_NONE && of_values[node->inputs[i]] > part) {
                part = of_values[node->inputs[i]];
            }
        }
        parts[n] = part;
        *part_count = part + 1 > *part_count ? part + 1 : *part_count;
        for (uint32_t o = 0; o < node->output_count; ++o) {
            if (node->outputs[o] != ONNX_NONE) {
                of_values[node->outputs[o]] = part + !verdicts[n].is_translated;
            }
        }
    }
    free(of_values);
    return true;
}

/* Claimed nodes, those of a part behind those of the parts before it: part p's end at ends[p]. */
static void sort_claimed(const struct onnx_verdict *verdicts, const OrtNode *const *nodes, uint32_t count,
                         const uint32_t *parts, uint32_t part_count, const OrtNode **claimed, uint32_t *ends) {
    for (uint32_t n = 0; n < count; ++n) {
        ends[parts[n] + 1] += verdicts[n].is_translated;
    }
    for (uint32_t part = 0; part < part_count; ++part) {
        ends[part + 1] += ends[part];
    }
    for (uint32_t n = 0; n < count; ++n) {
        if (verdicts[n].is_translated) {
            claimed[ends[parts[n]]++] = nodes[n];
        }
    }
}

static bool claim(const struct onnx_model *model, const struct onnx_verdict *verdicts, const OrtNode *const *nodes,
                  OrtEpGraphSupportInfo *info, struct onnx_error *error) {
    const OrtNodeFusionOptions options = {.ort_version_supported = API_VERSION, .drop_constant_initializers = true};
    const uint32_t count = model->graph.node_count;
    uint32_t part_count = 0, first = 0;
    uint32_t *parts = calloc(count + 1, sizeof *parts), *ends = calloc((size_t)count + 2, sizeof *ends);
    const OrtNode **claimed = calloc(count + 1, sizeof(OrtNode *));
    bool done = (parts != NULL && ends != NULL && claimed != NULL) || onnx_fail_memory(error);
    done = done && find_parts(model, verdicts, parts, &part_count, error);
    if (done) {
        sort_claimed(verdicts, nodes, count, parts, part_count, claimed, ends);
    }
    for (uint32_t part = 0; done && part < part_count; first = ends[part++]) {
        if (ends[part] != first) {
            done = ort_check(
                ort.ep->EpGraphSupportInfo_AddNodesToFuse(info, claimed + first, ends[part] - first, &options), error);
        }
    }
    free(parts);
    free(ends);
    free(claimed);
    return done;
}

static bool find_nodes(const OrtGraph *graph, struct onnx_model *model, const OrtNode ***nodes,
                       struct onnx_error *error) {
    *nodes = onnx_allocate(&model->arena, model->graph.node_count, sizeof **nodes);
    if (*nodes == NULL) {
        return onnx_fail_memory(error);
    }
    return model->graph.node_count == 0 ||
           ort_check(ort.api->Graph_GetNodes(graph, *nodes, model->graph.node_count), error);
}

/* Whether the graph is the body of a node that ONNX Runtime writes out as other nodes, as SequenceMap: it then finds
 * that what was fused there is of no operator set. Bodies of If, Loop and Scan stay what they are. */
static bool is_written_out(const OrtGraph *graph, bool *is_left, struct onnx_error *error) {
    const OrtNode *parent = NULL;
    const char *op;
    *is_left = false;
    if (!ort_check(ort.api->Graph_GetParentNode(graph, &parent), error)) {
        return false;
    }
    if (parent == NULL || !ort_check(ort.api->Node_GetOperatorType(parent, &op), error)) {
        return parent == NULL;
    }
    *is_left = strcmp(op, "If") != 0 && strcmp(op, "Loop") != 0 && strcmp(op, "Scan") != 0;
    return true;
}

static OrtStatus *ORT_API_CALL get_capability(OrtEp *ep, const OrtGraph *graph, OrtEpGraphSupportInfo *info) {
    struct provider *provider = (struct provider *)ep;
    struct onnx_model model;
    struct onnx_error error = {0};
    const OrtNode **nodes;
    bool is_left = false;
    bool done = import_graph(graph, false, &model, &error) && find_nodes(graph, &model, &nodes, &error) &&
                is_written_out(graph, &is_left, &error);
    if (done && !is_left) {
        const struct onnx_verdict *verdicts = onnx_judge(&model, &model.graph, &model.arena);
        done = verdicts != NULL || onnx_fail_memory(&error);
        done = done && claim(&model, verdicts, nodes, info, &error);
        if (done && provider->options.report[0] != 0) {
            report_nodes(provider->options.report, &model, verdicts);
        }
    }
    onnx_arena_free(&model.arena);
    return ort_status(done, &error);
}

/* ---- what becomes of them ---- */

static OrtStatus *ORT_API_CALL compile(OrtEp *ep, const OrtGraph **graphs, const OrtNode **fused, size_t count,
                                       OrtNodeComputeInfo **infos, OrtNode **contexts) {
    struct provider *provider = (struct provider *)ep;
    struct onnx_error error = {0};
    (void)contexts;
    const struct provider_options *asked = &provider->options;
    const struct compute_options options = {
        .session = {.allows_half = asked->allows_half,
                    .has_float32_intermediates = asked->has_float32_intermediates,
                    .node_by_node = asked->node_by_node,
                    .kept_bytes = asked->kept_bytes,
                    .pool = provider->device->pool},
        .check = {asked->check, provider->logger},
        .report = asked->report,
        .prepares = asked->prepares,
        .log = asked->logs ? provider->logger : NULL};
    for (size_t i = 0; i < count; ++i) {
        if (!compute_create(provider->device->device, graphs[i], fused[i], &options, &infos[i], &error)) {
            for (size_t k = 0; k < i; ++k) {
                compute_release(infos[k]);
                infos[k] = NULL;
            }
            return ort_status(false, &error);
        }
    }
    return NULL;
}

static void ORT_API_CALL release_infos(OrtEp *ep, OrtNodeComputeInfo **infos, size_t count) {
    (void)ep;
    for (size_t i = 0; i < count; ++i) {
        compute_release(infos[i]);
    }
}

/* ---- the provider ---- */

bool provider_create(struct adapter *adapter, const struct provider_options *options, const OrtLogger *logger,
                     OrtEp **made, struct onnx_error *error) {
    struct provider *provider = calloc(1, sizeof *provider);
    *made = NULL;
    if (provider == NULL) {
        return onnx_fail_memory(error);
    }
    provider->options = *options;
    provider->logger = logger;
    provider->adapter = adapter;
    if (options->report[0] != 0 && !report_check(options->report, error)) {
        free(provider);
        return false;
    }
    const bool is_named = options->device[0] == 0 || adapter_is_named(adapter, options->device);
    provider->device = is_named ? adapter_acquire(adapter, options->logs, options->labels, error) : NULL;
    if (provider->device == NULL) {
        free(provider);
        return is_named ? false
                        : onnx_fail(error, "option device is %s, but the session was given %s", options->device,
                                    adapter->info.name);
    }
    if (options->has_cache && !onnx_device_use_cache(provider->device->device, options->cache_folder, error)) {
        provider_release(&provider->ep);
        return false;
    }
    provider->ep = (OrtEp){.ort_version_supported = API_VERSION,
                           .GetName = get_name,
                           .GetCapability = get_capability,
                           .Compile = compile,
                           .ReleaseNodeComputeInfos = release_infos};
    *made = &provider->ep;
    return true;
}

void provider_release(OrtEp *ep) {
    struct provider *provider = (struct provider *)ep;
    if (provider != NULL) {
        adapter_release(provider->adapter, provider->device);
        free(provider);
    }
}
