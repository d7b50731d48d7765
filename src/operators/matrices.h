/* Products of matrices, {.., M, K} by {.., K, N}: what all such operators have in common. */
#ifndef VKDML_OPERATORS_MATRICES_H
#define VKDML_OPERATORS_MATRICES_H

#include "base/report.h"
#include "schema/schema.h"

/* Which inputs they are, and whether the last two dimensions of the first two are to be exchanged. */
struct vkdml_matrices {
    uint32_t a;
    uint32_t b;
    uint32_t c; /* of the output's sizes; 0: there is none in any descriptor */
    bool turns_a;
    bool turns_b;
};

/* Checks the sizes; false where dimension counts leave nothing to check, which the table refuses. */
bool vkdml_matrices_check(const struct vkdml_instance *instance, const struct vkdml_matrices *matrices,
                          struct vkdml_report *report);

#endif
