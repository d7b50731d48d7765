#include "command_line/onnx_request.h"

#include <string.h>

#include "base/file.h"
#include "command_line/refusal.h"

bool onnx_request_takes(int key) {
    return key == OPTION_ONNX_SIZE || key == OPTION_ONNX_INPUT || key == OPTION_ONNX_OUTPUT;
}

bool onnx_request_apply(int key, const char *argument, struct onnx_request *request) {
    struct onnx_pairs *pairs = key == OPTION_ONNX_SIZE    ? &request->sizes
                               : key == OPTION_ONNX_INPUT ? &request->inputs
                                                          : &request->outputs;
    const char *equals = strrchr(argument, '=');
    if (!equals || equals == argument || equals[1] == '\0') {
        return refusal_tell("'%s' must be %s", argument, key == OPTION_ONNX_SIZE ? "NAME=N" : "NAME=FILE");
    }
    if (key == OPTION_ONNX_SIZE && (strspn(equals + 1, "0123456789") != strlen(equals + 1) || strlen(equals + 1) > 9)) {
        return refusal_tell("'%s' must be a whole number from 0 to 999999999", equals + 1);
    }
    if (pairs->count == ONNX_REQUEST_MOST) {
        return refusal_tell("more than %d times", ONNX_REQUEST_MOST);
    }
    pairs->texts[pairs->count++] = argument;
    return true;
}

const char *onnx_pairs_find(const struct onnx_pairs *pairs, const char *name) {
    const size_t length = strlen(name);
    for (size_t i = pairs->count; i-- > 0;) {
        const char *equals = strrchr(pairs->texts[i], '=');
        if ((size_t)(equals - pairs->texts[i]) == length && strncmp(pairs->texts[i], name, length) == 0) {
            return equals + 1;
        }
    }
    return NULL;
}

bool onnx_request_is_model(const char *path) {
    return file_has_extension(path, "onnx");
}

bool onnx_request_is_used(const struct onnx_request *request) {
    return request->sizes.count || request->inputs.count || request->outputs.count || request->zeros ||
           request->half || request->float32_intermediates;
}
