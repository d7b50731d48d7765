/* RNN, GRU and LSTM, as their descriptors have them alike. */
#ifndef VKDML_OPERATORS_RECURRENT_H
#define VKDML_OPERATORS_RECURRENT_H

#include "frames/recurrent/recurrent.h"
#include "operators/operators.h"

#define VKDML_RECURRENT_NONE UINT32_MAX

/* What the three differ in, and where their tensors are among an instance's; NONE: they have no such tensor. */
struct vkdml_recurrent_kind {
    enum vkdml_recurrent_cell cell;
    uint32_t functions; /* of a direction */
    uint32_t cell_init, lengths, peephole;
    uint32_t cell_single;
};

enum {
    VKDML_RECURRENT_INPUT,
    VKDML_RECURRENT_WEIGHTS,
    VKDML_RECURRENT_RECURRENCE,
    VKDML_RECURRENT_BIAS,
    VKDML_RECURRENT_HIDDEN_INIT
};
enum { VKDML_RECURRENT_SEQUENCE, VKDML_RECURRENT_SINGLE };

const struct vkdml_recurrent_kind *vkdml_recurrent_kind_of(const struct vkdml_instance *instance);

DML_RECURRENT_NETWORK_DIRECTION vkdml_recurrent_direction(const struct vkdml_instance *instance);

static inline uint32_t vkdml_recurrent_direction_count(DML_RECURRENT_NETWORK_DIRECTION direction) {
    return direction == DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL ? 2 : 1;
}

/* Plans an instance: products of the input for many steps at once, then these steps. */
VkdmlResult vkdml_recurrent_plan_network(const struct vkdml_operator *op, const struct vkdml_planning *planning);

#endif
