#include "onnx/layers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "device/devices.h"
#include "model/element.h"
#include "onnx/diagnosis.h"
#include "text/visible_text.h"

/* Of nodes that make infinities or NaN: others often follow from the first ones. */
#define MOST_PRINTED 8

struct telling {
    const struct subject *subject;
    const struct run_options *options;
    struct results *results;
    uint32_t count, different; /* values of nodes */
    uint32_t different_outputs;
    uint64_t excused; /* elements of these */
    double farthest;
    char where[64]; /* the value that is farthest, cut */
};

static void load(const struct onnx_comparison *comparison, uint64_t index, struct compare_difference *difference) {
    const DML_TENSOR_DATA_TYPE type = subject_type(comparison->type);
    *difference = (struct compare_difference){.index = index};
    element_load(type, comparison->got, index, difference->got);
    element_load(type, comparison->expected, index, difference->expected);
    difference->distance = element_distance(type, difference->got, difference->expected);
}

static void print_comparison(const struct telling *telling, const struct onnx_found *found) {
    const struct onnx_comparison *comparison = found->comparison;
    const struct compare_arrays arrays = {subject_type(found->type), comparison->count, comparison->got,
                                          comparison->expected};
    const struct compare_tolerance tolerance = {.bits = comparison->relative == 0,
                                                .relative = comparison->relative,
                                                .of_largest = comparison->of_largest};
    struct compare_result result = {.different = comparison->wrong};
    uint64_t sizes[ONNX_MAX_RANK];
    char name[256];
    for (uint32_t d = 0; d < found->rank; d++) {
        sizes[d] = found->sizes[d];
    }
    for (; result.kept < COMPARE_KEPT && result.kept < ONNX_WRONG_KEPT && result.kept < comparison->wrong;) {
        load(comparison, comparison->first[result.kept], &result.first[result.kept]);
        result.kept++;
    }
    if (comparison->wrong) {
        load(comparison, comparison->worst, &result.largest);
    }
    const struct compare_shape shape = compare_shape_of_sizes(found->rank, sizes);
    const struct onnx_node *node = found->node;
    snprintf(name, sizeof(name), "%s%s%s", node ? visible_text(node->op).text : telling->subject->name,
             node && *node->name ? " " : "", node ? visible_text(node->name).text : "");
    const struct dispatchable dispatchable = {.name = name};
    results_comparison(telling->results, &dispatchable, found->value, &arrays, &tolerance, &result, &shape);
}

/* Lines tell of the first node that differs, or with -v of all; documents have all. */
static void tell_comparison(void *data, const struct onnx_found *found) {
    struct telling *telling = data;
    if (!found->node) {
        telling->different_outputs += found->is_wrong;
        print_comparison(telling, found);
        return;
    }
    const bool is_first = found->is_wrong && telling->different == 0;
    if (subject_type(found->type) != DML_TENSOR_DATA_TYPE_UNKNOWN &&
        (telling->results->root || telling->options->verbosity || is_first)) {
        print_comparison(telling, found);
    }
    if (is_first) {
        message_print("%s: %s", telling->subject->path, found->text);
    }
    if (found->comparison->farthest > telling->farthest || telling->count == 0) {
        telling->farthest = found->comparison->farthest;
        snprintf(telling->where, sizeof(telling->where), "%s", found->value);
    }
    telling->excused += found->comparison->excused;
    telling->different += found->is_wrong;
    telling->count++;
}

static void tell_non_finite(void *data, const struct onnx_found *found) {
    struct telling *telling = data;
    telling->count++;
    telling->different += found->is_wrong;
    if (found->is_wrong && telling->different <= MOST_PRINTED) {
        message_print("%s: %s", telling->subject->path, found->text);
    }
}

static bool diagnose(struct telling *telling, struct onnx_device *device, enum onnx_check check,
                     const void *const *outputs) {
    const struct subject *subject = telling->subject;
    const struct onnx_session_options options = {.allows_half = subject->request->half,
                                                 .has_float32_intermediates =
                                                     subject->request->float32_intermediates,
                                                 .node_by_node = telling->options->node_by_node,
                                                 .by_reference = devices_is_reference(telling->options->device)};
    const struct onnx_diagnosis diagnosis = {.check = check,
                                             .device = device,
                                             .model = subject->model,
                                             .graph = subject->graph,
                                             .options = options,
                                             .tell = check == ONNX_CHECK_FINITE ? tell_non_finite : tell_comparison,
                                             .data = telling};
    struct onnx_error error = {0};
    uint32_t wrong = 0;
    return onnx_diagnose(&diagnosis, subject->inputs, outputs, &wrong, &error) || subject_fail(subject, &error);
}

bool layers_compare(const struct subject *subject, struct onnx_device *device, const struct run_options *options,
                    struct results *results, const struct values *outputs) {
    struct telling telling = {.subject = subject, .options = options, .results = results};
    if (!diagnose(&telling, device, ONNX_CHECK_REFERENCE, (const void *const *)outputs->elements)) {
        return false;
    }
    if (telling.different) {
        message_print("Node by node %u of %u values differ from the reference; that is the first of them",
                      telling.different, telling.count);
    } else if (!results->root) {
        printf("Node by node all %u values are the reference's, within %.2g of the largest element (%s)\n",
               telling.count, telling.farthest, visible_text(telling.where).text);
        if (telling.excused) {
            printf("%" PRIu64 " elements are outside the bound, but rounding of their nodes' inputs moves them as far\n",
                   telling.excused);
        }
    }
    if (telling.different_outputs && !telling.different) {
        message_print("Every node by itself is right: run with --node-by-node, and report the fusion if that is right");
    }
    return telling.different == 0 && telling.different_outputs == 0;
}

bool layers_check_finite(const struct subject *subject, struct onnx_device *device, const struct run_options *options) {
    struct telling telling = {.subject = subject, .options = options};
    if (!diagnose(&telling, device, ONNX_CHECK_FINITE, NULL)) {
        return false;
    }
    if (telling.different > MOST_PRINTED) {
        message_print("%s: .. and %u more nodes", subject->path, telling.different - MOST_PRINTED);
    } else if (telling.different == 0 && !options->json) {
        printf("Node by node no node makes infinities or NaN of finite inputs: %u values\n", telling.count);
    }
    return telling.different == 0;
}
