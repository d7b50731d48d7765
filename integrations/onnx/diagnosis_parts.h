/* What the files of diagnosis.h share: the state of a walk over a graph, and how a node is run by itself. */
#ifndef ONNX_DIAGNOSIS_PARTS_H
#define ONNX_DIAGNOSIS_PARTS_H

#include "onnx/diagnosis.h"
#include "onnx/diagnosis_text.h"
#include "onnx/single.h"

/* Bytes behind elements, for who reads whole words. */
#define ONNX_DIAGNOSIS_PADDING 8

/* A value of the graph, once it is known. */
struct onnx_held {
    struct onnx_plan_input is; /* with its elements */
    void *own;                 /* these, if they are to be freed */
    uint32_t last_reader;      /* the number of the node; ONNX_NONE: kept until the end */
};

struct onnx_walking {
    const struct onnx_diagnosis *diagnosis;
    const struct onnx_graph *graph;
    struct onnx_held *held;
    bool *is_given; /* of each value: an input of the graph, or what a node made */
    const bool *wanted;
    uint32_t *numbers; /* room for onnx_single_make() */
    uint32_t wrong;
    struct onnx_error *error;
};

/* What a run made. */
struct onnx_made {
    uint32_t count;
    struct onnx_plan_output *outputs;
    void **elements;
};

/* A node and its inputs. */
struct onnx_visit {
    struct onnx_walking *walk;
    const struct onnx_node *node;
    struct onnx_single single;
    struct onnx_plan_input *inputs; /* of the single node's graph */
    uint32_t read_count;
    struct onnx_read_value *reads; /* of the node's inputs, those that are there */
    struct onnx_arena arena;
};

/* Elements of a tensor; 0 of types without numbers, as strings. */
uint64_t onnx_count_of(enum onnx_type type, uint32_t rank, const uint32_t *sizes);

/* ---- diagnosis_run.c ---- */

/* Runs a graph once. onnx_made_free() is due either way. */
bool onnx_execute(const struct onnx_walking *walk, const struct onnx_graph *graph, const struct onnx_plan_input *inputs,
                  bool by_reference, struct onnx_made *made, struct onnx_error *error);
void onnx_made_free(struct onnx_made *made);

/* The same with a visit's node, which the reason names. */
bool onnx_execute_node(struct onnx_visit *v, const struct onnx_plan_input *inputs, bool by_reference,
                       struct onnx_made *made);

/* Counts and tells. */
void onnx_tell_found(struct onnx_walking *walk, const struct onnx_found *found);

/* ---- diagnosis_finite.c, diagnosis_reference.c: what becomes of output o of a node ---- */

/* False where memory is out. */
bool onnx_check_finite(struct onnx_visit *v, const struct onnx_made *made, uint32_t o);
bool onnx_check_reference(struct onnx_visit *v, const struct onnx_made *got, const struct onnx_made *expected,
                          uint32_t o);

/* Compares what a whole run made of the model's outputs with what the nodes made. */
bool onnx_check_outputs(struct onnx_walking *walk, const struct onnx_plan_input *inputs, const void *const *outputs);

#endif
