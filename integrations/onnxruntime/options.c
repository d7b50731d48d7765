#include "options.h"

#include <stdio.h>
#include <string.h>

enum { KEY_ROOM = 64 };

/* The session's entry for an option: the long one, or the short one if the long one is not set. */
static bool find_entry(const OrtSessionOptions *session, const char *name, char key[KEY_ROOM], int *is_set,
                       struct onnx_error *error) {
    static const char *const prefixes[] = {"ep.vkdmlexecutionprovider.", "ep.vkdml."};
    *is_set = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && *is_set == 0; ++i) {
        snprintf(key, KEY_ROOM, "%s%s", prefixes[i], name);
        if (!ort_check(ort.api->HasSessionConfigEntry(session, key, is_set), error)) {
            return false;
        }
    }
    return true;
}

static bool read_text(const OrtSessionOptions *session, const char *name, char *text, size_t room,
                      struct onnx_error *error) {
    char key[KEY_ROOM];
    int is_set;
    size_t length = room;
    text[0] = 0;
    return find_entry(session, name, key, &is_set, error) &&
           (is_set == 0 || ort_check(ort.api->GetSessionConfigEntry(session, key, text, &length), error));
}

static bool has_option(const OrtSessionOptions *session, const char *name, bool *has, struct onnx_error *error) {
    char key[KEY_ROOM];
    int is_set;
    const bool done = find_entry(session, name, key, &is_set, error);
    *has = is_set != 0;
    return done;
}

/* If the entry is not set the truth stays what it is. */
static bool read_truth(const OrtSessionOptions *session, const char *name, bool *truth, struct onnx_error *error) {
    char text[8];
    if (!read_text(session, name, text, sizeof text, error)) {
        return false;
    }
    const bool is_true = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
    const bool is_known = is_true || text[0] == 0 || strcmp(text, "0") == 0 || strcmp(text, "false") == 0;
    *truth = text[0] == 0 ? *truth : is_true;
    return is_known || onnx_fail(error, "option %s is %s, must be 0 or 1", name, text);
}

static bool read_bytes(const OrtSessionOptions *session, const char *name, uint64_t *bytes, struct onnx_error *error) {
    char text[24];
    if (!read_text(session, name, text, sizeof text, error)) {
        return false;
    }
    *bytes = 0;
    for (const char *at = text; *at != 0; ++at) {
        const unsigned digit = (unsigned)(*at - '0');
        if (digit > 9 || *bytes > (UINT64_MAX - digit) / 10) {
            return onnx_fail(error, "option %s is %s, must be a number of bytes", name, text);
        }
        *bytes = *bytes * 10 + digit;
    }
    return true;
}

static bool read_check(const OrtSessionOptions *session, enum onnx_check *check, struct onnx_error *error) {
    static const char name[] = "check";
    char text[16];
    if (!read_text(session, name, text, sizeof text, error)) {
        return false;
    }
    *check = strcmp(text, "finite") == 0 ? ONNX_CHECK_FINITE
             : strcmp(text, "cpu") == 0  ? ONNX_CHECK_REFERENCE
                                         : ONNX_CHECK_NOTHING;
    return *check != ONNX_CHECK_NOTHING || text[0] == 0 ||
           onnx_fail(error, "option %s is %s, must be finite or cpu", name, text);
}

/* ONNX Runtime's own entry, which its ModelCompiler sets too. Without this ONNX Runtime would find only after all
 * compilation that there are no nodes to write. */
static bool refuse_contexts(const OrtSessionOptions *session, struct onnx_error *error) {
    static const char key[] = "ep.context_enable";
    char text[8] = "";
    size_t length = sizeof text;
    int is_set = 0;
    if (!ort_check(ort.api->HasSessionConfigEntry(session, key, &is_set), error) ||
        (is_set != 0 && !ort_check(ort.api->GetSessionConfigEntry(session, key, text, &length), error))) {
        return false;
    }
    return text[0] == 0 || strcmp(text, "0") == 0 ||
           onnx_fail(error, "ep.context_enable is %s: vkdml does not write models with EPContext nodes, as ModelCompiler "
                            "does; ep.vkdml.cache keeps compiled pipelines", text);
}

bool read_options(const OrtSessionOptions *session, struct provider_options *options, struct onnx_error *error) {
    *options = (struct provider_options){.prepares = true};
    return refuse_contexts(session, error) &&
           read_text(session, "device", options->device, sizeof options->device, error) &&
           has_option(session, "cache", &options->has_cache, error) &&
           read_text(session, "cache", options->cache_folder, sizeof options->cache_folder, error) &&
           read_text(session, "report", options->report, sizeof options->report, error) &&
           read_truth(session, "half", &options->allows_half, error) &&
           read_truth(session, "float32_intermediates", &options->has_float32_intermediates, error) &&
           read_truth(session, "node_by_node", &options->node_by_node, error) &&
           read_truth(session, "prepare", &options->prepares, error) &&
           read_bytes(session, "kept_bytes", &options->kept_bytes, error) &&
           read_truth(session, "log", &options->logs, error) && read_truth(session, "labels", &options->labels, error) &&
           read_check(session, &options->check, error);
}
