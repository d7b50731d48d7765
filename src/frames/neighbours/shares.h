/* How a step's items are shared among invocations. */
#ifndef VKDML_FRAMES_NEIGHBOURS_SHARES_H
#define VKDML_FRAMES_NEIGHBOURS_SHARES_H

#include <stdbool.h>
#include <stdint.h>

struct vkdml_shares {
    uint64_t items;
    uint64_t share;  /* items of an invocation; where it walks a ring, how far */
    uint64_t shares; /* of a ring, each of which is an item */
};

/* Whole rings of so many coordinates become shares of `shortest` at least and `most` at most. */
void vkdml_shares_of_ring(struct vkdml_shares *shares, uint64_t length, uint64_t shortest, uint64_t most,
                          bool is_serial);

/* Items without a ring, of which an invocation can take `most`. */
void vkdml_shares_of_items(struct vkdml_shares *shares, uint64_t most, bool is_serial);

#endif
