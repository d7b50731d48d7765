/* From an ONNX graph to DirectML's, for shapes that are known: each node becomes operators, by a row of the table in
 * operators.h. What depends on constants alone, and is small, is computed at once, by the CPU reference; so shapes that
 * are computed are known where they are needed.
 *
 * A translation takes tensors and makes tensors. A tensor is data on the host, an input of the graph, or what an
 * operator makes; views of it, of other sizes and strides, cost nothing. */
#ifndef ONNX_PLAN_H
#define ONNX_PLAN_H

#include <vkdml/vkdml.h>

#include "onnx/error.h"
#include "onnx/graph.h"

struct onnx_plan;

/* A dimension of a tensor that depends on a size of an input which the plan does not fix. The tensor has the size that
 * the plan makes room for; elements of inputs beyond the size of the run are 0. */
struct onnx_growing_dimension {
    uint32_t input, dimension;
    int32_t added; /* the input's size, plus `added`; the capacity likewise */
    bool is_zero;  /* elements that a run does not use are 0; otherwise they have no meaning */
};

/* Immutable once made; lives as long as the plan. Elements lie where strides say, one behind another in C order where
 * is_strided is not set. A tensor of no elements has nowhere to lie: no operator takes it, see onnx_is_empty(). */
struct onnx_tensor {
    enum onnx_type type;
    uint32_t rank; /* 0: a scalar */
    uint32_t sizes[ONNX_MAX_RANK];
    bool is_strided;
    uint32_t strides[ONNX_MAX_RANK]; /* in elements, where it is strided */
    const void *data;                /* known on the host: the first element of what it is a view of; else NULL */
    uint32_t source;                 /* the number of that, which is the plan's; ONNX_NONE of a tensor of no elements */
    const struct onnx_growing_dimension *growing; /* NULL: all sizes are fixed */
};

/* An integer that is computed from a size of an input: scale * size + bias. */
struct onnx_size_element {
    uint32_t input; /* ONNX_NONE: it is `bias`, whatever the sizes are */
    int64_t scale, bias;
};

struct onnx_scope;

/* A node that is being translated. Inputs that are absent are NULL; there may be fewer than the operator has. The
 * translation sets each output that something reads; others may stay NULL. */
struct onnx_call {
    struct onnx_plan *plan;
    const struct onnx_scope *scope; /* what values are, for bodies */
    const struct onnx_node *node;
    uint32_t input_count, output_count;
    struct onnx_tensor *const *inputs;
    struct onnx_tensor **outputs;
    const bool *wanted; /* of each output: whether anything reads it */
    struct onnx_error *error;
};

/* ---- what is asked of a call; all texts and arrays live as long as the plan ---- */

/* What reasons call a node: OP 'NAME', or OP. */
struct onnx_title {
    char text[264];
};
struct onnx_title onnx_node_title(const struct onnx_node *node);

/* Fails with the node's operator and name before the text. Returns false, so that it can be returned. */
bool onnx_refuse(const struct onnx_call *call, const char *format, ...) ONNX_PRINTF(2, 3);
bool onnx_refuse_with(const struct onnx_call *call, VkdmlResult result, const char *format, ...) ONNX_PRINTF(3, 4);

/* Refuses types that the translation does not support: VKDML_ERROR_NOT_IMPLEMENTED. A node that waits for elements of
 * its inputs is claimed before they are known, unless it is refused with that code: so use the code, by
 * onnx_refuse_with(), also for elements that are plausible and not supported. */
bool onnx_refuse_type(const struct onnx_call *call, const char *format, ...) ONNX_PRINTF(2, 3);

/* An input, or NULL where it is absent or beyond the last. */
struct onnx_tensor *onnx_input(const struct onnx_call *call, uint32_t index);

/* Sets an output, under the type and rank that it has. False where the tensor is NULL, which something failed for. */
bool onnx_output(const struct onnx_call *call, uint32_t index, struct onnx_tensor *tensor);

/* The attribute of that name and kind, or NULL. */
const struct onnx_attribute *onnx_attribute(const struct onnx_call *call, const char *name,
                                            enum onnx_attribute_kind kind);
int64_t onnx_int(const struct onnx_call *call, const char *name, int64_t otherwise);
float onnx_float(const struct onnx_call *call, const char *name, float otherwise);
const char *onnx_text(const struct onnx_call *call, const char *name, const char *otherwise);

/* The body of that name; NULL where the node has none. False where whoever gave the graph keeps it, which is told. */
bool onnx_find_body(const struct onnx_call *call, const char *name, const struct onnx_graph **body);

/* INTS; NULL and a count of 0 where it is absent. */
const int64_t *onnx_ints(const struct onnx_call *call, const char *name, uint32_t *count);

/* An input's elements on the host, integers of any width as INT64 (bools 0 and 1), in C order. NULL, and the reason
 * told, where it is absent, of another type, or not known before the model runs. */
const int64_t *onnx_host_ints(const struct onnx_call *call, uint32_t index, uint32_t *count);

/* Whether an input is one integer that lies in a range. The plan then holds for all of the range, where
 * onnx_host_ints() ties it to the one number. False too where it is not known; nothing is refused. */
bool onnx_is_within(const struct onnx_call *call, uint32_t index, int64_t least, int64_t most);

/* The size of a tensor's dimension, which the plan may not fix. */
struct onnx_size_element onnx_size_of(const struct onnx_tensor *tensor, uint32_t dimension);

/* A tensor of INT32 or INT64 elements that are computed from sizes, in C order: a constant where the plan fixes all of
 * them, otherwise one whose elements are known only when the model runs. */
struct onnx_tensor *onnx_size_tensor(const struct onnx_call *call, enum onnx_type type, uint32_t rank,
                                     const uint32_t *sizes, const struct onnx_size_element *elements);

/* Whether input `index` is one integer that is, in each run for which the plan holds, the growing size of a tensor plus
 * `added`. False too where it is not now; nothing is refused. */
bool onnx_is_growing_sum(const struct onnx_call *call, uint32_t index, const struct onnx_tensor *tensor,
                         uint32_t added);

/* Likewise whether two tensors have growing sizes that are equal in each run. */
bool onnx_grow_alike(const struct onnx_call *call, const struct onnx_tensor *a, const struct onnx_tensor *b);

/* A tensor of the capacity, one dimension of which has this size in each run. NULL with a reason. */
struct onnx_tensor *onnx_with_growing(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t dimension,
                                      const struct onnx_size_element *size, bool is_zero);

/* Makes the plan hold only where a growing size is within the capacity. Returns false with a reason. */
bool onnx_has_room(const struct onnx_call *call, const struct onnx_size_element *size);

/* The tensor as operators read it, of the capacity. */
struct onnx_tensor *onnx_without_growing(const struct onnx_call *call, struct onnx_tensor *tensor);

/* The tensor without its growing dimension: elements that a run does not use are `value`. */
struct onnx_tensor *onnx_fill_unused(const struct onnx_call *call, struct onnx_tensor *tensor, double value);

/* Rows after those that a run uses of a tensor with a growing dimension, and 0 after them: a tensor that grows by one
 * size more. NULL where the plan must fix the size, or with a reason. */
struct onnx_tensor *onnx_append(const struct onnx_call *call, struct onnx_tensor *tensor, struct onnx_tensor *added);

/* A size as a tensor of one INT32. */
struct onnx_tensor *onnx_size_number(const struct onnx_call *call, const struct onnx_size_element *size);

/* Which of `count` elements along a dimension are below a size: BOOL, with sizes of 1 otherwise. */
struct onnx_tensor *onnx_in_use(const struct onnx_call *call, const struct onnx_size_element *size, uint32_t count,
                                uint32_t rank, uint32_t dimension);

/* Refuses a tensor with a growing dimension: the graph is then planned for the sizes that the input has. */
bool onnx_fix_growing(const struct onnx_call *call, const struct onnx_tensor *tensor);

/* As onnx_host_ints(), floats of any width as double; also integers. */
const double *onnx_host_floats(const struct onnx_call *call, uint32_t index, uint32_t *count);

/* An axis that counts from the end where it is negative, of 0 to rank - 1. Refuses others. */
bool onnx_axis(const struct onnx_call *call, int64_t axis, uint32_t rank, uint32_t *found);

/* ---- views; NULL where `tensor` is, and where something failed, which is told ---- */

/* NULL, which is what failed, is not empty and has no elements. */
bool onnx_is_empty(const struct onnx_tensor *tensor);
uint64_t onnx_count(const struct onnx_tensor *tensor);

/* The same elements in the same order by other sizes; copied before that where they lie otherwise. */
struct onnx_tensor *onnx_reshape(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t rank,
                                 const uint32_t *sizes);

/* With leading sizes of 1, so that it has at least so many dimensions. */
struct onnx_tensor *onnx_pad_rank(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t rank);

/* Dimension d of the result is dimension order[d]. */
struct onnx_tensor *onnx_transpose(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *order);

/* Two dimensions of one size as one, in the place of the first: what lies where both are equal. */
struct onnx_tensor *onnx_diagonal(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t first,
                                  uint32_t second);

/* By NumPy's rules, to these sizes. */
struct onnx_tensor *onnx_broadcast(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t rank,
                                   const uint32_t *sizes);

/* The sizes that all of these broadcast to; NULL ones are left out. */
bool onnx_broadcast_sizes(const struct onnx_call *call, uint32_t count, struct onnx_tensor *const *tensors,
                          uint32_t *rank, uint32_t sizes[ONNX_MAX_RANK]);

/* Bits as another type of the same width; from or to bool, of what is 0 and 1. */
struct onnx_tensor *onnx_reinterpret(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type);

/* The bits of BOOL, BFLOAT16, DOUBLE and COMPLEX64 elements, as an integer type that operators which move elements
 * take; other types as they are. */
struct onnx_tensor *onnx_as_bits(const struct onnx_call *call, struct onnx_tensor *tensor);

/* ---- what makes tensors ---- */

/* Data of the host, copied. */
struct onnx_tensor *onnx_constant(const struct onnx_call *call, enum onnx_type type, uint32_t rank,
                                  const uint32_t *sizes, const void *data);

/* One number, rounded to the type: a tensor of rank 0. */
struct onnx_tensor *onnx_number(const struct onnx_call *call, enum onnx_type type, double number);

/* All elements one number. */
struct onnx_tensor *onnx_fill(const struct onnx_call *call, enum onnx_type type, uint32_t rank, const uint32_t *sizes,
                              double number);

/* What an operator is to make, where vkdmlInferOutputSizes() does not find it; nothing is in it yet. */
struct onnx_tensor *onnx_declare(const struct onnx_call *call, enum onnx_type type, uint32_t rank,
                                 const uint32_t *sizes);

/* An operator. `desc` is DirectML's struct for the type, its attributes set and its tensors NULL: these are filled in
 * from `inputs` and `outputs`, in the order of its fields, an array's tensors each. Arrays and fused operators that it
 * points to are copied. An input that is NULL is absent. Of an output that is NULL on entry sizes are inferred, and its
 * type where it is not UNKNOWN to the rules, else it is the first input's; one that was declared is what it says, and
 * one of &onnx_absent is absent. Ranks are DirectML's: a scalar has one dimension. False, and DirectML's reason told
 * for the node, where the operator is refused. */
bool onnx_emit(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc, uint32_t input_count,
               struct onnx_tensor *const *inputs, uint32_t output_count, struct onnx_tensor **outputs);
extern struct onnx_tensor onnx_absent;

/* The same for operators of one output, which is inferred; the count is the inputs'. NULL where it is refused. */
struct onnx_tensor *onnx_make(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc, uint32_t count,
                              struct onnx_tensor *const *inputs);
#define ONNX_TENSORS(...)                                                                                              \
    sizeof((struct onnx_tensor *[]){__VA_ARGS__}) / sizeof(struct onnx_tensor *), (struct onnx_tensor *[]) {           \
        __VA_ARGS__                                                                                                    \
    }

/* Common operators. Element by element tensors are broadcast first, to the sizes of all together. */
struct onnx_tensor *onnx_binary(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                struct onnx_tensor *b); /* ADD, SUBTRACT, MULTIPLY, .. whose desc is A, B, output */
struct onnx_tensor *onnx_cast(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type);
struct onnx_tensor *onnx_copy(const struct onnx_call *call, struct onnx_tensor *tensor); /* packed */

/* The place of a tensor that nodes of the plan make alike, of two tensors, which may be NULL, and two numbers: what the
 * first that asks puts there the others find. NULL in it: it is not made yet. NULL: memory is out, which is told. */
struct onnx_tensor **onnx_share(const struct onnx_call *call, const char *what, const struct onnx_tensor *a,
                                const struct onnx_tensor *b, uint32_t m, uint32_t n);

/* Takes units of the plan's budget (expansion.h), of which bodies take theirs. False, with the reason, if fewer are
 * left. */
bool onnx_charge_plan(const struct onnx_call *call, uint64_t units);

/* The nodes of a body, with these inputs, for operators that are what their bodies are. Outputs are the body's. */
bool onnx_translate_body(const struct onnx_call *call, const struct onnx_graph *body, uint32_t input_count,
                         struct onnx_tensor *const *inputs, struct onnx_tensor **outputs);

/* ---- plans ---- */

/* What is known of an input of the graph before it runs. More than 64 inputs may be looked at all together only. */
struct onnx_plan_input {
    enum onnx_type type; /* UNDEFINED of an optional input: its initializer holds */
    uint32_t rank;
    uint32_t sizes[ONNX_MAX_RANK];
    const void *data; /* its elements, which are looked at where a shape depends on them; or NULL. Lives as long as the
                         plan */
};

/* Where the data of an input of DirectML's graph comes from. */
struct onnx_graph_input {
    uint32_t input;   /* of the model's graph, then of size vectors; or ONNX_NONE */
    const void *data; /* then: bytes of a constant, OWNED_BY_DML */
    size_t bytes;
    bool is_of_model; /* they are the model's own, not computed by planning */
};

/* A size of an input that a plan does not fix: it holds for sizes of a range. */
struct onnx_growing_size {
    bool is_growing;
    uint32_t dimension;
    uint32_t capacity; /* of the input that DirectML's graph reads; elements beyond the input's size must be 0 */
    int64_t least, most;
    bool is_step; /* bits of results depend on the capacity, which is the same for all sizes of the range, not others */
};

/* Elements of INT32 or INT64 that DirectML's graph reads and that the plan's user computes for each run. */
struct onnx_size_vector {
    enum onnx_type type;
    uint32_t count;
    const struct onnx_size_element *elements;
};

/* An output of the model's graph. */
struct onnx_plan_output {
    enum onnx_type type;
    uint32_t rank;
    uint32_t sizes[ONNX_MAX_RANK];
    uint64_t bytes;   /* of its elements, packed */
    uint32_t output;  /* of DirectML's graph, or ONNX_NONE: */
    const void *data; /* its elements are known, or it has none */
    const struct onnx_growing_dimension *growing; /* a run has a part of it; or NULL */
};

/* Inputs whose sizes cannot grow, a bit each, because of the nodes that read them: so a later plan of the same graph
 * need not try: `alone` without other inputs, `stepped` in step with a cache. Zeros at first. */
struct onnx_growth_hints {
    uint64_t alone, stepped;
};

struct onnx_plan_options {
    uint32_t fold_limit;            /* bytes of results that are computed on the host at most; 0: 64 KiB */
    uint64_t host_limit;            /* bytes of all tensors that planning writes out, without those of up to 4 KiB; 0: 1 GiB */
    struct onnx_growth_hints *hints; /* of earlier plans of this graph; or NULL */
    bool has_growing_sizes;         /* a size may grow if no shape depends on it, see onnx_plan_growing_sizes() */
    bool has_float32_intermediates; /* of normalizations, softmax and attention that are written out in FLOAT16 */
};

/* Whether a graph takes this many inputs: all that must be given, and any number of the optional ones after them. */
bool onnx_check_input_count(const struct onnx_graph *graph, uint32_t count, struct onnx_error *error);

/* Translates a graph. Constants stay the model's, and must live as long as the plan, as must the model itself. False
 * with the reason, which names the node. */
bool onnx_plan_create(const struct onnx_model *model, const struct onnx_graph *graph, uint32_t input_count,
                      const struct onnx_plan_input *inputs, const struct onnx_plan_options *options,
                      struct onnx_plan **plan, struct onnx_error *error);
void onnx_plan_free(struct onnx_plan *plan);

uint32_t onnx_plan_input_count(const struct onnx_plan *plan); /* of DirectML's graph */
const struct onnx_graph_input *onnx_plan_inputs(const struct onnx_plan *plan);
uint32_t onnx_plan_output_count(const struct onnx_plan *plan); /* of the model's graph */
const struct onnx_plan_output *onnx_plan_outputs(const struct onnx_plan *plan);
uint32_t onnx_plan_node_count(const struct onnx_plan *plan);

/* Outputs of DirectML's graph: those of the model that operators make, then those that nothing reads. */
uint32_t onnx_plan_graph_output_count(const struct onnx_plan *plan);

/* Outputs of operators that nothing reads and that must be bound: behind the model's among DirectML's outputs, this
 * many bytes each. */
uint32_t onnx_plan_unread_count(const struct onnx_plan *plan);
const uint64_t *onnx_plan_unread_bytes(const struct onnx_plan *plan);

/* Bytes of host memory that it takes. */
size_t onnx_plan_bytes(const struct onnx_plan *plan);

/* Of each input of the model's graph whether the plan holds for its elements alone, not only for its shape. */
const bool *onnx_plan_looked_at(const struct onnx_plan *plan);

/* Of each input the size that the plan does not fix. */
const struct onnx_growing_size *onnx_plan_growing_sizes(const struct onnx_plan *plan);

/* What the plan's user computes from the sizes of inputs. Vector v is input `input_count` + v of onnx_graph_input, of
 * the input count that the plan was created with. */
uint32_t onnx_plan_size_vector_count(const struct onnx_plan *plan);
const struct onnx_size_vector *onnx_plan_size_vectors(const struct onnx_plan *plan);

/* Whether it holds for inputs of the same shapes, but for growing sizes, whose elements are the same where they were
 * looked at: others may have to lie in ranges, as must growing sizes. */
bool onnx_plan_holds(const struct onnx_plan *plan, const struct onnx_plan_input *inputs);
/* Whether it then looks at this input's elements. */
bool onnx_plan_has_range(const struct onnx_plan *plan, uint32_t input);

/* Makes DirectML's graph, with the operators of a device, to be freed once it is compiled. A plan of no nodes has none.
 */
struct onnx_plan_graph;
bool onnx_plan_graph_create(const struct onnx_plan *plan, VkdmlDevice device, struct onnx_plan_graph **graph,
                            struct onnx_error *error);
const DML_GRAPH_DESC *onnx_plan_graph_desc(const struct onnx_plan_graph *graph);
void onnx_plan_graph_free(struct onnx_plan_graph *graph);

#endif
