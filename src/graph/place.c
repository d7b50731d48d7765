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

/* Blocks that have a place and live at some moments side by side, by where they begin. */
struct shelf {
    uint32_t *blocks;
    uint32_t count;
};

/* Those who look at more shelves than so many look at one with all blocks instead. */
#define MOST_SHELVES_AT_ONCE 4

/* Moments are cut into so many shelves at most: of chains, whose tensors live for two moments, each has few blocks. */
#define MOST_SHELVES 256

/* Scratch memory, for all blocks that are not empty. */
struct placing {
    struct vkdml_block *blocks;
    uint32_t count;
    struct turn *turns;
    struct shelf *shelves; /* behind those of moments the one of all blocks */
    uint32_t shelf_count;  /* of moments */
    uint32_t width;        /* moments of each */
    bool has_long;         /* some live on more than MOST_SHELVES_AT_ONCE */
    uint64_t *best;        /* the better places so far */
    uint64_t best_bytes;
    uint64_t bound;
};

static uint32_t first_shelf(const struct placing *placing, const struct vkdml_block *block) {
    return block->first / placing->width;
}

static uint32_t last_shelf(const struct placing *placing, const struct vkdml_block *block) {
    return block->last / placing->width;
}

/* Into the smallest gap that holds it between placed blocks of its time, else behind them. Shelves are walked together,
 * from the lowest block on; one that lives on two of them is met twice, which does no harm. */
static uint64_t place_block(const struct placing *placing, const struct vkdml_block *block) {
    const struct shelf *shelves = placing->shelves + first_shelf(placing, block);
    uint32_t count = last_shelf(placing, block) - first_shelf(placing, block) + 1;
    uint32_t at[MOST_SHELVES_AT_ONCE] = {0};
    uint64_t end = 0, found = UINT64_MAX, smallest = UINT64_MAX;
    if (count > MOST_SHELVES_AT_ONCE) {
        shelves = placing->shelves + placing->shelf_count;
        count = 1;
    }
    for (;;) {
        const struct vkdml_block *other = NULL;
        uint32_t lowest = 0;
        for (uint32_t s = 0; s < count; ++s) {
            if (at[s] < shelves[s].count) {
                const struct vkdml_block *next = &placing->blocks[shelves[s].blocks[at[s]]];
                if (other == NULL || next->offset < other->offset) {
                    other = next;
                    lowest = s;
                }
            }
        }
        if (other == NULL) {
            return found != UINT64_MAX ? found : end;
        }
        ++at[lowest];
        if (other->first > block->last || other->last < block->first) {
            continue;
        }
        if (other->offset >= end && other->offset - end >= block->bytes && other->offset - end < smallest) {
            smallest = other->offset - end;
            found = end;
        }
        end = other->offset + other->bytes > end ? other->offset + other->bytes : end;
    }
}

static void put_on(const struct placing *placing, struct shelf *shelf, uint32_t index) {
    uint32_t low = 0, high = shelf->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (placing->blocks[shelf->blocks[middle]].offset <= placing->blocks[index].offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    memmove(shelf->blocks + low + 1, shelf->blocks + low, (shelf->count - low) * sizeof *shelf->blocks);
    shelf->blocks[low] = index;
    ++shelf->count;
}

/* Places all in the order of their turns; what they take. *highest: the turn of one that ends there. */
static uint64_t place_all(const struct placing *placing, uint32_t *highest) {
    uint64_t total = 0;
    for (uint32_t s = 0; s <= placing->shelf_count; ++s) {
        placing->shelves[s].count = 0;
    }
    for (uint32_t t = 0; t < placing->count; ++t) {
        const uint32_t index = placing->turns[t].index;
        struct vkdml_block *block = &placing->blocks[index];
        block->offset = place_block(placing, block);
        for (uint32_t s = first_shelf(placing, block); s <= last_shelf(placing, block); ++s) {
            put_on(placing, &placing->shelves[s], index);
        }
        if (placing->has_long) {
            put_on(placing, &placing->shelves[placing->shelf_count], index);
        }
        if (block->offset + block->bytes > total) {
            total = block->offset + block->bytes;
            *highest = t;
        }
    }
    return total;
}

uint64_t vkdml_place_bound(const struct vkdml_block *blocks, uint32_t count, uint64_t *sums, uint32_t moments) {
    uint64_t most = 0, sum = 0;
    memset(sums, 0, moments * sizeof *sums);
    /* What begins less what ended, modulo 2^64. */
    for (uint32_t b = 0; b < count; ++b) {
        if (blocks[b].bytes == 0) {
            continue;
        }
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

/* Places all, and keeps the places if they are the best; whether none can be better. */
static bool try_turns(struct placing *placing, uint32_t block_count, uint32_t *highest) {
    const uint64_t bytes = place_all(placing, highest);
    if (bytes < placing->best_bytes) {
        placing->best_bytes = bytes;
        for (uint32_t b = 0; b < block_count; ++b) {
            placing->best[b] = placing->blocks[b].offset;
        }
    }
    return placing->best_bytes == placing->bound;
}

/* What ends highest is placed first the next time, so often, but not when there are so many blocks that it takes
 * milliseconds. Of 400 graphs of random blocks 16 tries bring the worst from 1.112 of the bound to 1.068. */
#define MOST_TRIES        16
#define MOST_BLOCKS_TRIED 4096

/* Places in the order of a way, then with what ends highest brought to the front, `tries` times. Whether no placement
 * can be better than the best one. */
static bool try_way(struct placing *placing, uint32_t block_count, const uint64_t *sums, uint32_t tries) {
    uint32_t highest = 0, last = UINT32_MAX, repeated = 0;
    set_turns(placing, block_count, sums);
    qsort(placing->turns, placing->count, sizeof *placing->turns, by_turn);
    bool is_best = try_turns(placing, block_count, &highest);
    for (uint32_t i = 0; i < tries && !is_best; ++i) {
        /* The first k turns, each brought to the front by one more time than k, are in their old order again: all that
         * follows was tried. */
        repeated = highest == last ? repeated + 1 : 0;
        last = highest;
        if (repeated == highest) {
            break;
        }
        const struct turn turn = placing->turns[highest];
        memmove(placing->turns + 1, placing->turns, highest * sizeof *placing->turns);
        placing->turns[0] = turn;
        is_best = try_turns(placing, block_count, &highest);
    }
    return is_best;
}

/* Mostly one of the two ways is best at once, so both come before any tries. */
static void place_well(struct placing *placing, uint32_t block_count, const uint64_t *sums) {
    const uint32_t most = MOST_BLOCKS_TRIED / placing->count, tries = most < MOST_TRIES ? most : MOST_TRIES;
    if (!try_way(placing, block_count, NULL, 0) && !try_way(placing, block_count, sums, 0) && tries > 0 &&
        !try_way(placing, block_count, NULL, tries)) {
        try_way(placing, block_count, sums, tries);
    }
}

/* Shelves as wide as blocks live on average, so that most are on one or two. */
static void choose_width(struct placing *placing, uint32_t block_count, uint32_t moments) {
    uint64_t lives = 0;
    for (uint32_t b = 0; b < block_count; ++b) {
        lives += placing->blocks[b].bytes > 0 ? placing->blocks[b].last - placing->blocks[b].first + 1 : 0;
    }
    const uint64_t average = placing->count > 0 ? lives / placing->count : 0;
    placing->width = moments / MOST_SHELVES + 1;
    placing->width = average > placing->width ? (uint32_t)average : placing->width;
    placing->shelf_count = (moments - 1) / placing->width + 1;
}

/* Gives each shelf room for the blocks that live on it. Returns the room of all, in blocks. */
static size_t cut_shelves(struct placing *placing, uint32_t block_count, uint32_t *room) {
    size_t sum = 0;
    memset(placing->shelves, 0, (placing->shelf_count + (size_t)1) * sizeof *placing->shelves);
    for (uint32_t b = 0; b < block_count; ++b) {
        const struct vkdml_block *block = &placing->blocks[b];
        for (uint32_t s = first_shelf(placing, block); block->bytes > 0 && s <= last_shelf(placing, block); ++s) {
            ++placing->shelves[s].count;
        }
        placing->has_long =
            placing->has_long ||
            (block->bytes > 0 && last_shelf(placing, block) >= first_shelf(placing, block) + MOST_SHELVES_AT_ONCE);
    }
    for (uint32_t s = 0; s <= placing->shelf_count; ++s) {
        placing->shelves[s].blocks = room != NULL ? room + sum : NULL;
        sum += s < placing->shelf_count ? placing->shelves[s].count : placing->count;
    }
    return sum;
}

static VkdmlResult place(struct placing *placing, uint32_t block_count, uint32_t moments,
                         const VkAllocationCallbacks *callbacks, struct vkdml_report *report) {
    struct shelf shelves[MOST_SHELVES + 1];
    choose_width(placing, block_count, moments);
    placing->shelves = shelves;
    const size_t room = cut_shelves(placing, block_count, NULL);
    const size_t size = placing->count * sizeof *placing->turns + ((size_t)block_count + moments) * sizeof(uint64_t) +
                        room * sizeof(uint32_t);
    unsigned char *memory = vkdml_allocate(callbacks, size);
    if (memory == NULL) {
        return vkdml_report_out_of_memory(report, size, "the places of intermediate tensors");
    }
    placing->turns = (struct turn *)memory;
    placing->best = (uint64_t *)(placing->turns + placing->count);
    uint64_t *sums = placing->best + block_count;
    cut_shelves(placing, block_count, (uint32_t *)(sums + moments));
    placing->bound = vkdml_place_bound(placing->blocks, block_count, sums, moments);
    place_well(placing, block_count, sums);
    for (uint32_t b = 0; b < block_count; ++b) {
        placing->blocks[b].offset = placing->blocks[b].bytes > 0 ? placing->best[b] : 0;
    }
    vkdml_free(callbacks, memory);
    return VKDML_SUCCESS;
}

VkdmlResult vkdml_place(struct vkdml_block *blocks, uint32_t count, const VkAllocationCallbacks *callbacks,
                        struct vkdml_report *report, uint64_t *bytes) {
    struct placing placing = {.blocks = blocks, .best_bytes = UINT64_MAX};
    uint32_t moments = 1;
    *bytes = 0;
    for (uint32_t b = 0; b < count; ++b) {
        placing.count += blocks[b].bytes > 0;
        moments = blocks[b].bytes > 0 && blocks[b].last + 1 > moments ? blocks[b].last + 1 : moments;
    }
    if (placing.count == 0) {
        return VKDML_SUCCESS;
    }
    const VkdmlResult result = place(&placing, count, moments, callbacks, report);
    *bytes = result == VKDML_SUCCESS ? placing.best_bytes : 0;
    return result;
}
