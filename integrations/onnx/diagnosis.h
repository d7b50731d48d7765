/* Runs a model node by node, each node by itself, and reports those that go wrong: the command's `run --check` and
 * `run --compare cpu`, the option `check` of Python's Model and of ONNX Runtime's plugin. */
#ifndef ONNX_DIAGNOSIS_H
#define ONNX_DIAGNOSIS_H

#include "onnx/comparison.h"
#include "onnx/session.h"

enum onnx_check {
    ONNX_CHECK_NOTHING,
    ONNX_CHECK_FINITE,    /* nodes that make infinities or NaN of finite inputs, or NaN of infinities */
    ONNX_CHECK_REFERENCE, /* nodes whose results are not the CPU reference's for the same inputs */
};

/* What came of an output of a node, or of an output of the model. */
struct onnx_found {
    const struct onnx_node *node; /* NULL: an output of the model, as the whole run made it */
    const char *value;            /* its name */
    enum onnx_type type;
    uint32_t rank;
    const uint32_t *sizes;
    const struct onnx_comparison *comparison; /* NULL for ONNX_CHECK_FINITE */
    bool is_wrong;
    const char *text; /* of what is wrong: node, output, reason and the ranges of the inputs, in one line; else "" */
};

struct onnx_diagnosis {
    enum onnx_check check;
    struct onnx_device *device;
    const struct onnx_model *model;
    const struct onnx_graph *graph;
    struct onnx_session_options options; /* what nodes run by; the pool and shapes_kept are not used */
    /* Called for each output of each node in their order, and then for the model's outputs; what it points to lives
     * until it returns. NULL: not called. */
    void (*tell)(void *data, const struct onnx_found *found);
    void *data;
};

/* Runs the graph's nodes on inputs whose elements are on the host. outputs: what a run of the whole graph made of the
 * same inputs, on the host; ONNX_CHECK_REFERENCE compares them with what the nodes made. NULL ones are not looked at.
 * wrong: how many outputs of nodes and of the model are wrong. False with the reason where something could not be run.
 *
 * Each node is given what the nodes before it made on the device, so differences do not add up from node to node, and a
 * wrong node is found even where what follows hides it. The reference computes sums in double precision. Where an
 * element is outside the bound (comparison.h) the reference runs the node again on inputs that are changed by one unit
 * in the last place: by how much its result then moves says how well the element is determined, and the element is
 * wrong only if it is farther off than several times that. Memory: all values that later nodes read. */
bool onnx_diagnose(const struct onnx_diagnosis *diagnosis, const struct onnx_plan_input *inputs,
                   const void *const *outputs, uint32_t *wrong, struct onnx_error *error);

/* The same, failing where something is wrong, with the text of the first: VKDML_ERROR_INVALID_ARGUMENT for
 * ONNX_CHECK_FINITE, of which model and inputs are the cause, VKDML_ERROR_DRIVER for ONNX_CHECK_REFERENCE. */
bool onnx_require_right(const struct onnx_diagnosis *diagnosis, const struct onnx_plan_input *inputs,
                        const void *const *outputs, struct onnx_error *error);

#endif
