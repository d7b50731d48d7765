/* What GATHER_ND, GATHER_ND1 and SCATTER_ND share: the indices' last dimension holds tuples, each of which names a
 * block of input 0. */
#ifndef VKDML_OPERATORS_TUPLES_H
#define VKDML_OPERATORS_TUPLES_H

#include "operators/gathered.h"
#include "operators/operators.h"

struct vkdml_tuples {
    uint32_t input_dimensions; /* the last ones, which count */
    uint32_t indices_dimensions;
    uint32_t batch_dimensions;
    bool has_batches;  /* BatchDimensionCount is the descriptor's */
    bool has_one_rank; /* the table requires one dimension count of all tensors */
};

/* The first dimension of a tensor that counts. */
uint32_t vkdml_tuples_first(const struct vkdml_tensor *tensor, uint32_t dimensions);

/* How many coordinates a tuple has. */
uint32_t vkdml_tuples_size(const struct vkdml_instance *instance);

/* The batches, the indices without their last dimension, the input's dimensions that a tuple leaves over. */
struct vkdml_gathered vkdml_tuples_gathered(const struct vkdml_instance *instance, const struct vkdml_tuples *nd);

/* `blocks` has what tuples name: the output, or the updates. */
void vkdml_tuples_check(const struct vkdml_instance *instance, const struct vkdml_tuples *nd,
                        struct vkdml_tensor *blocks, const char *blocks_name, struct vkdml_report *report);

#endif
