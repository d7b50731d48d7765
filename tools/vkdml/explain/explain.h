/* What `vkdml explain` tells of a dispatchable, for people and for programs. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>
#include <vkdml/vkdml.h>

/* Of a kernel what was measured: docs/performance/h200.md, on an NVIDIA H200. */
struct explain_share {
    const char *kernel;
    const char *share; /* "0.87 to 1.02", of a peak; NULL: it is not measured so, and `what` says how else */
    const char *peak;  /* "copy", "fill", "read" */
    const char *what;  /* of which benchmarks that is */
};

#define EXPLAIN_SHARE_DEVICE "NVIDIA H200"
#define EXPLAIN_SHARE_SOURCE "docs/performance/h200.md"

/* NULL: not measured. */
const struct explain_share *explain_share_of(const char *kernel, VkdmlKernelVariant variant);

/* A dispatchable of a model, explained. */
struct explained {
    const char *name;
    const VkdmlExplanation *explanation;
    double compile_ms; /* creating the pipelines that it is the first to need, among them */
};

/* How much of it is printed. */
struct explain_detail {
    uint32_t steps; /* at most */
    bool values;    /* constants and parameters */
};

void explain_print(const struct explained *explained, const struct explain_detail *detail);

/* What became of the nodes of a graph; explain_print() and explain_to_json() have it among the rest. */
void explain_print_graph(const VkdmlExplanation *explanation);
bool explain_graph_to_json(struct json_object *object, const VkdmlExplanation *explanation);

/* Appends it to an array. False where memory is out. */
bool explain_to_json(struct json_object *array, const struct explained *explained);

const char *explain_variant_name(VkdmlKernelVariant variant);

#endif
