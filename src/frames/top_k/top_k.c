/* A top-k of rows that a workgroup holds is a step. Of longer rows shares leave what they keep in the temporary
 * resource, as records, of which the same is done again. Where a share would keep about as much as it has, because many
 * are asked for or little can be bound, all become records, blocks of these are sorted, and merged by a network: until
 * blocks hold what is asked for; of two of those only the first items are looked at any more. */
#include "frames/top_k/top_k.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/top_k/top_k_merge.h"

/* Shares are whole vectors of any type. */
#define SHARE_STEP 16

/* A share that is worth a step has so many times what it keeps. */
#define LEAST_RATIO 2

static void init(struct vkdml_top_k_use *use) {
    const struct vkdml_top_k *top_k = use->top_k;
    uint32_t count = 0;
    for (uint32_t d = 0; d < top_k->input.rank; ++d) {
        if (d != top_k->axis) {
            struct vkdml_dimension *dimension = &use->dimensions[count++];
            memset(dimension, 0, sizeof(*dimension));
            dimension->size = top_k->input.sizes[d];
            dimension->strides[VKDML_TOP_K_INPUT] = top_k->input.strides[d];
            dimension->strides[VKDML_TOP_K_VALUES] = top_k->values.strides[d];
            dimension->strides[VKDML_TOP_K_INDICES] = top_k->indices.strides[d];
        }
    }
    use->rank = vkdml_dimensions_collapse(use->dimensions, count, VKDML_TOP_K_INPUT);
    use->row_count = 1;
    for (uint32_t d = use->rank; d-- > 0;) {
        use->dimensions[d].strides[VKDML_TOP_K_ROW] = (uint32_t)use->row_count;
        use->row_count *= use->dimensions[d].size;
    }
    use->length = top_k->input.sizes[top_k->axis];
    use->kept = top_k->values.sizes[top_k->axis];
    use->record_bytes = vkdml_view_bits(&top_k->input) == 64 ? 16 : 8;
    use->serial = use->builder->limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    use->block = vkdml_top_k_block(use);
}

/* Shares side by side, of which `kept` items are. */
static struct vkdml_top_k_keeping shares_of(const struct vkdml_top_k_rows *rows, uint32_t share, uint32_t kept) {
    return (struct vkdml_top_k_keeping){
        .from = *rows,
        .share = share,
        .share_count = (uint32_t)vkdml_divide_up(rows->length, share),
        .block_stride = share,
        .kept = kept,
        .block_ranks = kept,
    };
}

/* Sorts blocks of records, in place, which are bitonic already (merges); or to the outputs. */
static struct vkdml_top_k_keeping blocks_of(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows,
                                            bool merges) {
    struct vkdml_top_k_keeping keeping = shares_of(rows, use->block, use->block);
    keeping.merges = merges && !use->serial;
    return keeping;
}

/* Bitonic blocks of `size` records, `stride` apart: sorts them in place. */
static VkdmlResult finish_blocks(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows, uint32_t size,
                                 uint32_t stride) {
    struct vkdml_top_k_keeping keeping = blocks_of(use, rows, true);
    keeping.to_records = true;
    keeping.to = *rows;
    if (stride > size) {
        keeping.share_shift = vkdml_top_k_log(size / use->block);
        keeping.block_stride = keeping.block_ranks = stride;
        keeping.share_count = (uint32_t)vkdml_divide_up(rows->length, stride) << keeping.share_shift;
    }
    return use->serial ? VKDML_SUCCESS : vkdml_top_k_keep(use, &keeping);
}

/* Rows of records, whose blocks are sorted. */
static VkdmlResult plan_network(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows) {
    const uint32_t least = use->serial ? 1 : use->block; /* where workgroups take over */
    const uint32_t wanted = vkdml_top_k_power(use->kept);
    const bool can_halve = rows->length <= vkdml_top_k_window(use);
    uint32_t size = use->block;
    uint64_t stride = size;
    VkdmlResult result = VKDML_SUCCESS;
    while (stride < rows->length && result == VKDML_SUCCESS) {
        const bool is_last = 2 * stride >= rows->length;
        const uint32_t down_to = is_last ? use->block : least;
        if (can_halve && size >= wanted) {
            result = vkdml_top_k_halve(use, rows, size, (uint32_t)stride, down_to);
        } else {
            size *= 2;
            result = vkdml_top_k_merge(use, rows, size, down_to);
        }
        stride *= 2;
        if (result == VKDML_SUCCESS && !is_last) {
            result = finish_blocks(use, rows, size, (uint32_t)stride);
        }
    }
    const struct vkdml_top_k_keeping last = blocks_of(use, rows, true);
    return result == VKDML_SUCCESS ? vkdml_top_k_keep(use, &last) : result;
}

/* All of the input as records, in sorted blocks. */
static VkdmlResult plan_sort(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *input) {
    const uint32_t largest = vkdml_top_k_largest_share(use, input, use->block);
    const uint32_t share = largest < use->block ? largest : use->block;
    struct vkdml_top_k_keeping keeping = shares_of(input, share, share);
    const struct vkdml_top_k_rows rows = vkdml_top_k_add_rows(use, input->length);
    keeping.to_records = true;
    keeping.to = rows;
    VkdmlResult result = vkdml_top_k_keep(use, &keeping);
    if (result == VKDML_SUCCESS && share < use->block) {
        struct vkdml_top_k_keeping blocks = blocks_of(use, &rows, false);
        blocks.to_records = true;
        blocks.to = rows;
        result = vkdml_top_k_keep(use, &blocks);
    }
    return result == VKDML_SUCCESS ? plan_network(use, &rows) : result;
}

static VkdmlResult plan_rows(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows) {
    const uint32_t largest = vkdml_top_k_largest_share(use, rows, use->kept);
    if (rows->length <= largest && use->kept <= use->block) {
        vkdml_note(use->builder->report, "top-k: %u of rows of %u, which a workgroup orders", (unsigned)use->kept,
                   (unsigned)rows->length);
        const struct vkdml_top_k_keeping all = shares_of(rows, rows->length, use->kept);
        return vkdml_top_k_keep(use, &all);
    }
    if (use->kept > use->block || largest < LEAST_RATIO * use->kept) {
        vkdml_note(use->builder->report,
                   "top-k: %u of rows of %u, which is about all: blocks of %u are sorted, then merged",
                   (unsigned)use->kept, (unsigned)rows->length, (unsigned)use->block);
        return plan_sort(use, rows);
    }
    uint64_t share = vkdml_divide_up(rows->length, vkdml_divide_up(rows->length, largest));
    share = (share + SHARE_STEP - 1) / SHARE_STEP * SHARE_STEP;
    struct vkdml_top_k_keeping some = shares_of(rows, share < largest ? (uint32_t)share : largest, use->kept);
    vkdml_note(use->builder->report,
               "top-k: %u of rows of %u: %u shares of each keep as many, in the temporary resource",
               (unsigned)use->kept, (unsigned)rows->length, (unsigned)some.share_count);
    some.to_records = true;
    some.unsorted = true;
    some.to = vkdml_top_k_add_rows(use, some.share_count * use->kept);
    VkdmlResult result = vkdml_top_k_keep(use, &some);
    return result == VKDML_SUCCESS ? plan_rows(use, &some.to) : result;
}

/* Kernels that sort are for many items alone: few models ask for so many, and most of these always. */
static VkdmlResult add_spares(const struct vkdml_top_k_use *use) {
    const bool sorts = use->kept > use->block / LEAST_RATIO;
    const VkdmlResult result = vkdml_top_k_add_spares(use, sorts);
    return result == VKDML_SUCCESS && sorts ? vkdml_top_k_add_merge_spares(use) : result;
}

VkdmlResult vkdml_top_k_plan(const struct vkdml_top_k *top_k, struct vkdml_builder *builder) {
    struct vkdml_top_k_use use = {.top_k = top_k, .builder = builder};
    init(&use);
    if (use.length > INT32_MAX) { /* marks are twice a place */
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "Axis has %" PRIu32 " elements, must be at most %" PRId32 " to be ordered", use.length,
                                INT32_MAX);
    }
    const struct vkdml_top_k_rows input = {false, top_k->input.at, use.length};
    const VkdmlResult result = plan_rows(&use, &input);
    return result == VKDML_SUCCESS && vkdml_builder_wants_spares(builder) ? add_spares(&use) : result;
}
