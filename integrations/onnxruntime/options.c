#include "options.h"

#include <string.h>

static bool has_entry(const OrtSessionOptions *session, const char *name, bool *has, struct onnx_error *error) {
    int is_there = 0;
    const bool done = ort_check(ort.api->HasSessionConfigEntry(session, name, &is_there), error);
    *has = is_there != 0;
    return done;
}

static bool read_text(const OrtSessionOptions *session, const char *name, char *text, size_t room,
                      struct onnx_error *error) {
    bool is_there;
    size_t length = room;
    text[0] = 0;
    return has_entry(session, name, &is_there, error) &&
           (!is_there || ort_check(ort.api->GetSessionConfigEntry(session, name, text, &length), error));
}

static bool read_truth(const OrtSessionOptions *session, const char *name, bool *truth, struct onnx_error *error) {
    char text[8];
    if (!read_text(session, name, text, sizeof text, error)) {
        return false;
    }
    *truth = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
    const bool is_known = *truth || text[0] == 0 || strcmp(text, "0") == 0 || strcmp(text, "false") == 0;
    return is_known || onnx_fail(error, "%s is %s, must be 0 or 1", name, text);
}

static bool read_check(const OrtSessionOptions *session, enum onnx_check *check, struct onnx_error *error) {
    static const char name[] = "ep.vkdml.check";
    char text[16];
    if (!read_text(session, name, text, sizeof text, error)) {
        return false;
    }
    *check = strcmp(text, "finite") == 0 ? ONNX_CHECK_FINITE
             : strcmp(text, "cpu") == 0  ? ONNX_CHECK_REFERENCE
                                         : ONNX_CHECK_NOTHING;
    return *check != ONNX_CHECK_NOTHING || text[0] == 0 ||
           onnx_fail(error, "%s is %s, must be finite or cpu", name, text);
}

/* ONNX Runtime's entry, which its ModelCompiler sets, too. It would find only after all compilation that there are no
 * nodes to write. */
static bool refuse_contexts(const OrtSessionOptions *session, struct onnx_error *error) {
    bool writes_contexts;
    return read_truth(session, "ep.context_enable", &writes_contexts, error) &&
           (!writes_contexts || onnx_fail(error, "ep.context_enable is 1: vkdml does not write models with EPContext "
                                                 "nodes, as ModelCompiler does; ep.vkdml.cache keeps compiled pipelines"));
}

bool read_options(const OrtSessionOptions *session, struct provider_options *options, struct onnx_error *error) {
    *options = (struct provider_options){0};
    return refuse_contexts(session, error) &&
           read_text(session, "ep.vkdml.device", options->device, sizeof options->device, error) &&
           has_entry(session, "ep.vkdml.cache", &options->has_cache, error) &&
           read_text(session, "ep.vkdml.cache", options->cache_folder, sizeof options->cache_folder, error) &&
           read_text(session, "ep.vkdml.report", options->report, sizeof options->report, error) &&
           read_truth(session, "ep.vkdml.half", &options->allows_half, error) &&
           read_truth(session, "ep.vkdml.float32_intermediates", &options->has_float32_intermediates, error) &&
           read_truth(session, "ep.vkdml.node_by_node", &options->node_by_node, error) &&
           read_truth(session, "ep.vkdml.log", &options->logs, error) &&
           read_truth(session, "ep.vkdml.labels", &options->labels, error) &&
           read_check(session, &options->check, error);
}
