#include "graph/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A block's turn: those with greater keys come first, and of these the larger. */
struct turn {
    uint64_t key;
    uint64_t bytes;
    uint32_t index;
};

static int by_turn(const void *a, const void *b) {
    const struct turn *left = a, *right = b;
    if (left->key != right->key) {
        return left->key > right->key ? -1 : 1;
    }
    if (left->bytes != right->bytes) {
        return left->bytes > right->bytes ? -1 : 1;
    }
    return left->index < right->index ? -1 : left->index > right->index; /* the same on every machine */
}

/* Scratch memory, for all blocks that are not empty. */
struct placing {
    struct vkdml_block *blocks;
    uint32_t count;
    struct turn *turns;
    uint32_t *placed; /* blocks that have a place, by where it begins */
    uint64_t *best;   /* the better places so far */
};

/* Into the smallest gap that holds it between placed blocks of its time, else behind them. */
static uint64_t place_block(const struct placing *placing, uint32_t placed_count, const struct vkdml_block *block) {
    uint64_t end = 0, found = UINT64_MAX, smallest = UINT64_MAX;
    for (uint32_t p = 0; p < placed_count; ++p) {
        const struct vkdml_block *other = &placing->blocks[placing->placed[p]];
        if (other->first > block->last || other->last < block->first) {
            continue;
        }
        if (other->offset >= end && other->offset - end >= block->bytes && other->offset - end < smallest) {
            smallest = other->offset - end;
            found = end;
        }
        end = other->offset + other->bytes > end ? other->offset + other->bytes : end;
    }
    return found != UINT64_MAX ? found : end;
}

static void insert(const struct placing *placing, uint32_t placed_count, uint32_t index) {
    uint32_t at = placed_count;
    while (at > 0 && placing->blocks[placing->placed[at - 1]].offset > placing->blocks[index].offset) {
        placing->placed[at] = placing->placed[at - 1];
        --at;
    }
    placing->placed[at] = index;
}

/* Places all in the order of their turns; what they take. */
static uint64_t place_all(const struct placing *placing) {
    uint64_t total = 0;
    qsort(placing->turns, placing->count, sizeof *placing->turns, by_turn);
    for (uint32_t t = 0; t < placing->count; ++t) {
        struct vkdml_block *block = &placing->blocks[placing->turns[t].index];
        block->offset = place_block(placing, t, block);
        insert(placing, t, placing->turns[t].index);
        total = block->offset + block->bytes > total ? block->offset + block->bytes : total;
    }
    return total;
}

uint64_t vkdml_place_bound(const struct vkdml_block *blocks, uint32_t count, uint64_t *sums, uint32_t moments) {
    uint64_t most = 0, sum = 0;
    memset(sums, 0, moments * sizeof *sums);
    /* What begins less what ended, modulo 2^64. */
    for (uint32_t b = 0; b < count; ++b) {
        sums[blocks[b].first] += blocks[b].bytes;
        if (blocks[b].last + 1 < moments) {
            sums[blocks[b].last + 1] -= blocks[b].bytes;
        }
    }
    for (uint32_t m = 0; m < moments; ++m) {
        sum += sums[m];
        sums[m] = sum;
        most = sum > most ? sum : most;
    }
    return most;
}

/* By size: the largest first. By breadth: first what lives at the moment that needs most (arXiv 2001.03288). */
static void set_turns(const struct placing *placing, uint32_t block_count, const uint64_t *sums) {
    uint32_t turn = 0;
    for (uint32_t b = 0; b < block_count; ++b) {
        const struct vkdml_block *block = &placing->blocks[b];
        uint64_t key = 0;
        for (uint32_t m = block->first; sums != NULL && m <= block->last; ++m) {
            key = sums[m] > key ? sums[m] : key;
        }
        if (block->bytes > 0) {
            placing->turns[turn++] = (struct turn){key, block->bytes, b};
        }
    }
}

static uint64_t place_both_ways(const struct placing *placing, uint32_t block_count, uint64_t *sums, uint32_t moments) {
    const uint64_t bound = vkdml_place_bound(placing->blocks, block_count, sums, moments);
    set_turns(placing, block_count, NULL);
    const uint64_t by_size = place_all(placing);
    if (by_size == bound) {
        return by_size;
    }
    for (uint32_t b = 0; b < block_count; ++b) {
        placing->best[b] = placing->blocks[b].offset;
    }
    set_turns(placing, block_count, sums);
    const uint64_t by_breadth = place_all(placing);
    for (uint32_t b = 0; b < block_count && by_breadth >= by_size; ++b) {
        placing->blocks[b].offset = placing->best[b];
    }
    return by_breadth < by_size ? by_breadth : by_size;
}

VkdmlResult vkdml_place(struct vkdml_block *blocks, uint32_t count, const VkAllocationCallbacks *callbacks,
                        struct vkdml_report *report, uint64_t *bytes) {
    struct placing placing = {.blocks = blocks};
    uint32_t moments = 1;
    for (uint32_t b = 0; b < count; ++b) {
        placing.count += blocks[b].bytes > 0;
        moments = blocks[b].last + 1 > moments ? blocks[b].last + 1 : moments;
    }
    const size_t size =
        placing.count * (sizeof *placing.turns + sizeof *placing.placed) + ((size_t)count + moments) * sizeof(uint64_t);
    unsigned char *memory = vkdml_allocate(callbacks, size);
    if (memory == NULL) {
        return vkdml_report_out_of_memory(report, size, "the places of intermediate tensors");
    }
    placing.turns = (struct turn *)memory;
    placing.best = (uint64_t *)(placing.turns + placing.count);
    uint64_t *sums = placing.best + count;
    placing.placed = (uint32_t *)(sums + moments);
    *bytes = place_both_ways(&placing, count, sums, moments);
    vkdml_free(callbacks, memory);
    return VKDML_SUCCESS;
}
