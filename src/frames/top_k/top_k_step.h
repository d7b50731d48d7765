/* The steps of a top-k that keep the first items of rows' shares, and what these have in common with those that merge.
 */
#ifndef VKDML_FRAMES_TOP_K_TOP_K_STEP_H
#define VKDML_FRAMES_TOP_K_TOP_K_STEP_H

#include "frames/top_k/top_k.h"
#include "plan/dimensions.h"

/* Strides of the dimensions that rows differ in. */
enum vkdml_top_k_stride {
    VKDML_TOP_K_INPUT,
    VKDML_TOP_K_VALUES,
    VKDML_TOP_K_INDICES,
    VKDML_TOP_K_ROW, /* of the rows' numbers, by which records lie */
    VKDML_TOP_K_STRIDES
};

struct vkdml_top_k_use {
    const struct vkdml_top_k *top_k;
    struct vkdml_builder *builder;
    uint32_t rank;
    struct vkdml_dimension dimensions[VKDML_MAX_DIMENSIONS];
    uint64_t row_count;
    uint32_t length; /* of a row of the input */
    uint32_t kept;   /* of each, in all */
    uint32_t
        block; /* items that a workgroup, or a processor's invocation, sorts and that can be bound; a power of two */
    uint32_t record_bytes;
    bool serial;
};

/* Rows of items: the input's, or records in the temporary resource. */
struct vkdml_top_k_rows {
    bool are_records;
    struct vkdml_origin at; /* records lie row after row from there on */
    uint32_t length;
};

/* What is kept of rows. Shares are side by side, or in blocks. */
struct vkdml_top_k_keeping {
    struct vkdml_top_k_rows from;
    uint32_t share; /* the most items of one */
    uint32_t share_count;
    uint32_t share_shift;  /* 2^share_shift shares are a block */
    uint32_t block_stride; /* between the items that blocks begin with: `share` where blocks are shares */
    uint32_t kept;         /* of a share */
    uint32_t block_ranks;  /* and the same between what is kept: `kept` where blocks are shares */
    bool to_records;       /* else to the outputs, vkdml_top_k_use::kept items a row */
    struct vkdml_top_k_rows to;
    bool merges;   /* shares are bitonic, and of vkdml_top_k_use::block items */
    bool unsorted; /* what is kept may be in any order */
};

/* The most items of a share of such rows, of which `kept` are kept: what can be bound, and kept in registers. */
uint32_t vkdml_top_k_largest_share(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows,
                                   uint32_t kept);

/* Adds what keeps: one step, or where windows are needed several. */
VkdmlResult vkdml_top_k_keep(const struct vkdml_top_k_use *use, const struct vkdml_top_k_keeping *keeping);

/* The most records that can be bound wherever they begin, a power of two. */
uint32_t vkdml_top_k_window(const struct vkdml_top_k_use *use);

/* What vkdml_top_k_use::block is to be, of what else stands there. */
uint32_t vkdml_top_k_block(const struct vkdml_top_k_use *use);

/* Makes room for `length` records of every row. */
struct vkdml_top_k_rows vkdml_top_k_add_rows(const struct vkdml_top_k_use *use, uint32_t length);

/* The least power of two that is not below n, at least 1; at most 2^31. And its logarithm. */
uint32_t vkdml_top_k_power(uint64_t n);
uint32_t vkdml_top_k_log(uint64_t n);

/* Adds to a general plan what rows of other lengths need, or only those that none is sorted of. */
VkdmlResult vkdml_top_k_add_spares(const struct vkdml_top_k_use *use, bool sorts);

#endif
