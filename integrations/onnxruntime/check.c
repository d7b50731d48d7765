#include "check.h"

#include <stdlib.h>
#include <string.h>

/* Behind elements, for who reads whole words. */
#define PADDING 8

static uint64_t bytes_of(const struct onnx_plan_input *input) {
    return onnx_bytes_of(input->type, onnx_elements(input->rank, input->sizes));
}

bool check_keep(struct onnx_pool *pool, uint32_t count, const struct onnx_plan_input *inputs,
                const struct onnx_place *places, struct check_inputs *kept, struct onnx_error *error) {
    *kept = (struct check_inputs){count, calloc((size_t)count + 1, sizeof *kept->inputs),
                                  calloc((size_t)count + 1, sizeof *kept->copies)};
    if (kept->inputs == NULL || kept->copies == NULL) {
        return onnx_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t bytes = bytes_of(&inputs[i]);
        kept->copies[i] = calloc(1, bytes + PADDING);
        if (kept->copies[i] == NULL) {
            return onnx_fail_memory(error);
        }
        kept->inputs[i] = inputs[i];
        kept->inputs[i].data = kept->copies[i];
        if (places[i].piece == NULL && bytes != 0) {
            memcpy(kept->copies[i], inputs[i].data, bytes);
        } else if (bytes != 0 && !onnx_place_read(pool, &places[i], kept->copies[i], bytes, error)) {
            return false;
        }
    }
    return true;
}

void check_release(struct check_inputs *kept) {
    for (uint32_t i = 0; kept->copies != NULL && i < kept->count; ++i) {
        free(kept->copies[i]);
    }
    free(kept->copies);
    free(kept->inputs);
    *kept = (struct check_inputs){0};
}

static void log_found(void *data, const struct onnx_found *found) {
    const struct check_options *options = data;
    if (found->is_wrong) {
        ort.api->ReleaseStatus(ort.api->Logger_LogMessage(options->logger, ORT_LOGGING_LEVEL_WARNING, found->text,
                                                          ORT_FILE, __LINE__, "vkdml"));
    }
}

/* Outputs on the host: their own addresses, or copies. NULL ones stay NULL. */
static bool read_outputs(struct onnx_pool *pool, uint32_t count, const struct onnx_plan_output *made,
                         void *const *outputs, const struct onnx_place *places, const void **read, void **copies,
                         struct onnx_error *error) {
    for (uint32_t o = 0; o < count; ++o) {
        read[o] = outputs[o];
        if (places[o].piece != NULL) {
            copies[o] = calloc(1, made[o].bytes + PADDING);
            read[o] = copies[o];
            if (copies[o] == NULL) {
                return onnx_fail_memory(error);
            }
            if (!onnx_place_read(pool, &places[o], copies[o], made[o].bytes, error)) {
                return false;
            }
        }
    }
    return true;
}

bool check_run(const struct check_options *options, const struct onnx_diagnosis *of, const struct check_inputs *kept,
               const struct onnx_plan_output *made, void *const *outputs, const struct onnx_place *places,
               struct onnx_error *error) {
    const uint32_t count = of->graph->output_count;
    const void **read = calloc((size_t)count + 1, sizeof *read);
    void **copies = calloc((size_t)count + 1, sizeof *copies);
    struct check_options with = *options;
    struct onnx_diagnosis diagnosis = *of;
    diagnosis.check = options->check;
    diagnosis.tell = log_found;
    diagnosis.data = &with;
    bool done = (read != NULL && copies != NULL) || onnx_fail_memory(error);
    done = done && read_outputs(of->options.pool, count, made, outputs, places, read, copies, error) &&
           onnx_require_right(&diagnosis, kept->inputs, read, error);
    for (uint32_t o = 0; copies != NULL && o < count; ++o) {
        free(copies[o]);
    }
    free(copies);
    free(read);
    return done;
}
