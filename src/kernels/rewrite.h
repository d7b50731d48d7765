/* A module on its way through vkdml_specialize(): what is read, what is written, and what is known of ids. */
#ifndef VKDML_KERNELS_REWRITE_H
#define VKDML_KERNELS_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/constant_fold.h"
#include "kernels/spirv.h"

struct vkdml_rewrite_id {
    struct vkdml_value value; /* of labels the word is the block's index, never known */
    uint32_t at;              /* where the definition was written, if it stands outside of functions; 0: nowhere */
    uint32_t function;        /* where the function begins in what is read; 0: it is none */
    uint32_t defined_before;  /* the id that was defined so before; 0: none */
    uint32_t called_before;   /* the function not written yet that was called before; 0: none */
    bool used;                /* a word of what was written may be this id */
    bool called;              /* something written calls the function */
    bool written;             /* a function, or what is defined in one, and was written */
};

/* A block of the function that is being written. */
struct vkdml_rewrite_block {
    uint32_t label;      /* its id */
    uint32_t begin;      /* OpLabel */
    uint32_t merge;      /* its merge instruction; 0: none */
    uint32_t terminator; /* its last instruction */
    uint32_t edges;      /* that are taken into it */
    uint32_t back_to; /* label of the loop header that names it as its continue target, if that is all there is to it */
    bool reached;
    bool keeps_merge; /* the merge instruction stays */
    bool named;       /* by a merge instruction that stays */
};

struct vkdml_rewrite {
    const uint32_t *words; /* read */
    size_t count;
    struct vkdml_rewrite_id *ids;
    uint32_t id_count; /* one for each below the bound, and as many as may be added */
    uint32_t bound;
    uint32_t last_defined;              /* outside of functions */
    uint32_t last_called;               /* of functions not written yet */
    struct vkdml_rewrite_block *blocks; /* room for every label of the module */
    uint32_t block_count;
    uint32_t *out; /* written */
    size_t out_count;
    size_t out_capacity; /* of what can become of the words: writing checks it all the same */
};

/* Id 0 stands for all that are none. */
static inline struct vkdml_rewrite_id *vkdml_rewrite_id(const struct vkdml_rewrite *rewrite, uint32_t id) {
    return &rewrite->ids[id < rewrite->bound ? id : 0];
}

void vkdml_rewrite_put(struct vkdml_rewrite *rewrite, const uint32_t *words, uint32_t count);

/* Has a function written, once. */
void vkdml_rewrite_call(struct vkdml_rewrite *rewrite, uint32_t id);

/* Writes a function without what its constants leave out, and marks what it uses and calls. */
void vkdml_rewrite_function(struct vkdml_rewrite *rewrite, size_t begin);

#endif
