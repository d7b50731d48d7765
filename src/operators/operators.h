/* The operators: rules that the table cannot say, and planners. One struct vkdml_operator per row of the table. */
#ifndef VKDML_OPERATORS_OPERATORS_H
#define VKDML_OPERATORS_OPERATORS_H

#include "base/report.h"
#include "frames/map/map.h"
#include "plan/builder.h"
#include "schema/schema.h"
#include "vkdml/operator.h"

/* What is planned. */
struct vkdml_planning {
    const struct vkdml_instance *instance; /* valid */
    VkdmlCompileFlags flags;
    struct vkdml_builder *builder;
    const struct vkdml_epilogue *tail; /* NULL, or what becomes of output 0 that the operator takes, in a graph */
};

/* How attributes become a kernel's arguments, in their order. */
enum vkdml_attributes {
    VKDML_ATTRIBUTES_AS_FLOATS,   /* FLOAT: FLOAT32's bits */
    VKDML_ATTRIBUTES_AS_ELEMENTS, /* FLOAT and DML_SCALAR_UNION: converted to output 0's type */
};

/* What an operator that maps elements computes, see operators/mapping.h. */
struct vkdml_mapping {
    enum vkdml_map_operation operation;
    enum vkdml_map_function function;
    enum vkdml_attributes attributes;
    bool attributes_of_operation; /* else of the function */
    bool moves_bits;              /* what elements mean does not matter */
    /* NULL, or what else the descriptor says of the function, whose results are of a type; arguments were read. */
    void (*adjust)(const struct vkdml_instance *instance, DML_TENSOR_DATA_TYPE type, struct vkdml_epilogue_step *step);
    bool puts_first_last; /* of three operands: DirectML's first is the operation's last */
};

/* Elements that an operator takes from an input to an output, bit for bit, in the order of dimensions: as many as the
 * smaller of both has in each. */
struct vkdml_move {
    uint32_t input;
    uint32_t output;
    uint64_t from; /* the element of the input that the first one is */
    uint64_t to;   /* the same of the output */
};

struct vkdml_operator {
    /* NULL: the table says it all. Of an operator that is fused they look at attributes only: it has no tensors then.
     * What they say of outputs' sizes they say by tensor/infer.h, so that outputs are found as they are checked; of
     * those, dimension counts of 0, sizes of 0 and the type UNKNOWN are not known yet. */
    void (*rules)(const struct vkdml_instance *instance, struct vkdml_report *report);
    VkdmlResult (*plan)(const struct vkdml_operator *op, const struct vkdml_planning *planning);
    struct vkdml_mapping mapping;
    bool takes_strides; /* reads its inputs where they lie as fast as packed ones, if runs are long */
    /* NULL: it does more than to move elements. Move `index`; false where there are no more of them, or this operator
     * leaves some of the input's out in between or takes them backward. */
    bool (*moves)(const struct vkdml_instance *instance, uint32_t index, struct vkdml_move *move);
    /* NULL: no tail. Whether its planner takes planning's, whose operands have output 0's sizes; of the builder only
     * the limits are there. Elements of the output are made as without one, and their bits are those of maps behind the
     * operator, one for each step. */
    bool (*takes)(const struct vkdml_planning *planning);
    uint32_t partial_outputs; /* bit 1u << i: executions may leave elements of output i unwritten, as undefined ones */
};

/* Copies and validates a descriptor: readability, the table's rules, the operator's own. *instance is NULL on failure.
 */
VkdmlResult vkdml_validate(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                           const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                           struct vkdml_instance **instance);

/* Holds a copy to all of these rules, and to the operator's own alone. */
void vkdml_check_instance(const struct vkdml_instance *instance, struct vkdml_report *report);
void vkdml_check_rules(const struct vkdml_instance *instance, struct vkdml_report *report);

/* Plans a valid instance for a device. plan was begun, and is to be ended whatever comes of it. */
VkdmlResult vkdml_plan(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                       VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan);

/* The same for a part of a larger plan, which finds barriers itself and keeps inputs that are OWNED_BY_DML: steps read
 * these as other inputs. Those of initialization, if there are any, read them too. tail: NULL, or one that the operator
 * takes. */
VkdmlResult vkdml_plan_unkept(const struct vkdml_instance *instance, const struct vkdml_epilogue *tail,
                              const struct vkdml_plan_limits *limits, VkdmlCompileFlags flags,
                              struct vkdml_report *report, struct vkdml_plan *plan);

/* Tensors of an instance, where they are bound; of an absent one a view of no tensor. */
struct vkdml_view vkdml_input_view(const struct vkdml_instance *instance, uint32_t index);
struct vkdml_view vkdml_output_view(const struct vkdml_instance *instance, uint32_t index);

/* Plans the copy of input 0, all of it, to output 0. */
VkdmlResult vkdml_plan_input_copy(const struct vkdml_planning *planning);

/* The only move of such an operator. */
bool vkdml_moves_input(const struct vkdml_instance *instance, uint32_t index, struct vkdml_move *move);

/* The number of bytes of an output, from the first element on, that every execution writes. */
uint64_t vkdml_output_written(const struct vkdml_instance *instance, uint32_t output);

/* What there is to an operator of the table. */
const struct vkdml_operator *vkdml_operator_of(DML_OPERATOR_TYPE type);

/* See schema/operator_table.inc for the list. */
#define VKDML_OPERATOR(NAME, name, ...) extern const struct vkdml_operator vkdml_operator_##name;
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR

#endif
