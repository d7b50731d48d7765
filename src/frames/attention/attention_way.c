#include "frames/attention/attention_way.h"

#include "base/checked.h"
#include "plan/step.h"

enum { BATCH = VKDML_ATTENTION_BATCH, HEAD, GROUP, QUERY, KEY };
enum { Q = VKDML_ATTENTION_Q, K, V };

/* Of invocations that go alone: so many side by side, and columns of each, whose sums lie in memory of its own. */
#define ROWS_LOCAL_SIZE 8
#define MOST_COLUMNS    256
/* Turns of an invocation's loops in all, of which lavapipe ends those beyond 65535; and keys of a turn, fewer where
 * elements are loaded one by one: that is four times the code, which takes lavapipe a second to compile. */
#define MOST_TURNS          40000
#define KEYS_OF_A_TURN      8 /* the kernel weighs eight or two, written out */
#define KEYS_OF_A_SLOW_TURN 2
#define TURNS_OF_KEYS       100 /* of what a workgroup has at once */

/* Joining: invocations have four columns each, and where there are more of them the shares in turn. */
#define JOIN_LOCAL_SIZE 256

/* Few rows: what is in shared memory at once of the products of keys and rows, and the most of elements. */
#define FEW_ROWS       16
#define FEW_PAIRS      512
#define FEW_LOCAL_SIZE 256
#define FEW_ELEMENTS   256
#define LEAST_FEW_KEYS 32

/* Of which one is enough for a device, whatever the rest. */
#define MOST_BATCHES 1024

/* Workgroups that a large GPU runs side by side, an H200's 132 processors several each; where they are fewer keys have
 * shares, of at least so many. */
#define ENOUGH_GROUPS 128
#define WANTED_GROUPS 256
#define WANTED_FEW    528
#define LEAST_SHARE   256

#define TILE(rows, keys, columns, depth, size)                                                                         \
    { VKDML_KERNEL_ATTENTION, size, rows, keys, columns, depth, 0 }

/* Large ones first. Sums of values are eight rows by columns / (size / (rows / 8)) an invocation, which registers hold;
 * scores likewise. Every device has 16 KiB of shared memory. */
static const struct vkdml_attention_way tiles[] = {
    TILE(128, 64, 64, 16, 128), TILE(128, 64, 128, 16, 256), TILE(128, 64, 32, 16, 128), TILE(64, 64, 64, 16, 64),
    TILE(64, 64, 128, 16, 128), TILE(64, 64, 32, 16, 64),    TILE(32, 32, 64, 16, 32),   TILE(32, 32, 32, 16, 32),
};

static uint32_t least_of(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

static uint32_t power_of_two(uint32_t least, uint32_t x) {
    while (least < x && least < UINT32_C(1) << 31) {
        least *= 2;
    }
    return least;
}

static bool loads_vectors(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                          const struct vkdml_plan_limits *limits) {
    bool loads = true;
    for (uint32_t t = Q; t <= V; ++t) {
        loads = loads && vkdml_attention_has_runs(a, part, t, 4, limits);
    }
    return loads;
}

static struct vkdml_attention_way way_alone(const struct vkdml_attention *a, const struct vkdml_attention_part *part,
                                            const struct vkdml_plan_limits *limits) {
    const uint32_t columns = least_of((uint64_t)(a->columns - 1) / 4 * 4 + 4, MOST_COLUMNS);
    struct vkdml_plan_limits best = *limits; /* the order of sums is the same in a general plan */
    best.general = false;
    const uint32_t keys = loads_vectors(a, part, &best) ? KEYS_OF_A_TURN : KEYS_OF_A_SLOW_TURN;
    return (struct vkdml_attention_way){
        VKDML_KERNEL_ATTENTION_ROWS, vkdml_local_size(limits, ROWS_LOCAL_SIZE), 1, keys, columns, 4, 0};
}

static struct vkdml_attention_way way_to_join(const struct vkdml_attention *a, const struct vkdml_plan_limits *limits) {
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t most = vkdml_local_size(limits, serial ? ROWS_LOCAL_SIZE : JOIN_LOCAL_SIZE);
    const uint32_t fours = power_of_two(1, (uint32_t)vkdml_divide_up(a->columns, 4));
    const uint32_t columns = 4 * (fours < most ? fours : most);
    return (struct vkdml_attention_way){VKDML_KERNEL_ATTENTION_JOIN, serial ? columns / 4 : most, 1, 1, columns, 4, 0};
}

static uint64_t heads_of(const struct vkdml_attention *a) {
    return (uint64_t)a->sizes[BATCH] * a->sizes[HEAD];
}

static uint64_t rows_of(const struct vkdml_attention *a) {
    return (uint64_t)a->sizes[GROUP] * a->sizes[QUERY];
}

/* ---- few rows ---- */

static uint32_t few_shared_bytes(const struct vkdml_attention_way *way) {
    const uint32_t sums = way->local_size * 4, parts = way->rows * 8 * (way->keys / 4);
    return 16 * (way->rows * way->depth / 4 + (parts > sums ? parts : sums) + way->keys * way->rows / 4) +
           4 * (2 * way->rows * (way->keys / 4) + way->rows);
}

static bool find_few(const struct vkdml_attention *a, const struct vkdml_plan_limits *limits,
                     struct vkdml_attention_way *way) {
    const uint64_t rows = rows_of(a);
    if (rows > FEW_ROWS || a->depth > FEW_ELEMENTS || a->columns > FEW_ELEMENTS || a->sizes[KEY] < LEAST_FEW_KEYS ||
        vkdml_local_size(limits, FEW_LOCAL_SIZE) != FEW_LOCAL_SIZE) {
        return false;
    }
    *way = (struct vkdml_attention_way){.kernel = VKDML_KERNEL_ATTENTION_FEW};
    way->local_size = FEW_LOCAL_SIZE;
    way->rows = power_of_two(4, (uint32_t)rows);
    way->keys = FEW_PAIRS / way->rows;
    way->columns = power_of_two(32, a->columns);
    way->depth = power_of_two(32, a->depth);
    return few_shared_bytes(way) <= limits->max_shared_memory_bytes;
}

/* ---- matrix cores ---- */

/* What a subgroup has of queries and sums lies in registers: rows as it has invocations, half of them of larger heads.
 */
#define MATRIX_KEYS       32
#define MATRIX_SMALL      64 /* elements of a head */
#define MATRIX_MOST       128
#define MATRIX_SUBGROUPS  4
#define LEAST_MATRIX_ROWS 32
#define LEAST_MATRIX_SIZE 16

/* Mirrors attention_matrix.comp. */
static uint32_t matrix_shared_bytes(const struct vkdml_attention_way *way) {
    return 16 * (way->keys * (way->depth / 8 + way->columns / 8 + 2) + way->rows * (way->keys / 4 + 1)) +
           4 * (way->local_size + way->rows / way->subgroup_rows + way->rows);
}

static uint32_t multiple_of(uint32_t x, uint32_t step) {
    return (uint32_t)vkdml_divide_up(x, step) * step;
}

/* Whether fragments make up all that is made of them, and what invocations have is whole. */
static bool fits_cores(const struct vkdml_attention_way *way, const struct vkdml_plan_limits *limits) {
    const struct vkdml_matrix_cores *cores = &limits->matrix_cores;
    const uint32_t lanes = cores->subgroup_size / way->subgroup_rows;
    return way->subgroup_rows % cores->m == 0 && way->keys % cores->n == 0 && way->keys % cores->k == 0 &&
           way->depth % cores->k == 0 && way->columns % cores->n == 0 && cores->n % (4 * lanes) == 0 &&
           way->keys % (8 * lanes) == 0 && way->keys * way->depth / 8 % way->local_size == 0 &&
           way->keys * way->columns / 8 % way->local_size == 0 && cores->k <= way->keys && cores->n <= way->keys &&
           matrix_shared_bytes(way) <= limits->max_shared_memory_bytes &&
           vkdml_local_size(limits, way->local_size) == way->local_size;
}

static bool find_matrix(const struct vkdml_attention *a, const struct vkdml_plan_limits *limits,
                        struct vkdml_attention_way *way) {
    const uint32_t size = limits->matrix_cores.subgroup_size;
    const bool has_cores = size != 0 && (limits->float_controls & VKDML_FLOAT_CONTROLS_16) != 0 &&
                           a->tensors[K].at.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    if (!has_cores || rows_of(a) < LEAST_MATRIX_ROWS || a->depth > MATRIX_MOST || a->columns > MATRIX_MOST ||
        a->depth < LEAST_MATRIX_SIZE || a->columns < LEAST_MATRIX_SIZE || a->sizes[KEY] < LEAST_MATRIX_SIZE) {
        return false;
    }
    const uint32_t depth = multiple_of(a->depth, size), columns = multiple_of(a->columns, size);
    const bool is_small = depth <= MATRIX_SMALL && columns <= MATRIX_SMALL;
    const bool is_even = depth % (2 * size) == 0 && columns % (2 * size) == 0;
    const uint32_t rows = is_small ? size : size / 2;
    /* Keys are loaded once for all subgroups of a workgroup: twice as many of them, where that leaves enough
     * workgroups and rows fill them. */
    const uint64_t twice = (uint64_t)2 * MATRIX_SUBGROUPS * rows;
    const bool is_large = is_small ? rows_of(a) > twice / 2 && heads_of(a) * (rows_of(a) / twice) >= ENOUGH_GROUPS
                                   : is_even;
    for (uint32_t subgroups = is_large ? 2 * MATRIX_SUBGROUPS : MATRIX_SUBGROUPS; subgroups >= MATRIX_SUBGROUPS;
         subgroups /= 2) {
        *way = (struct vkdml_attention_way){
            VKDML_KERNEL_ATTENTION_MATRIX, subgroups * size, subgroups * rows, MATRIX_KEYS, columns, depth, rows};
        if (fits_cores(way, limits)) {
            return true;
        }
    }
    return false;
}

/* ---- tiles ---- */

/* Mirrors attention.comp. */
static uint32_t shared_bytes(const struct vkdml_attention_way *tile) {
    const uint32_t pitch_q = tile->rows / 4 + 1, pitch_k = tile->keys / 4 + 1, pitch_v = tile->columns / 4 + 1;
    const uint32_t loaded = pitch_q + pitch_k > pitch_v ? pitch_q + pitch_k : pitch_v;
    return 16 * (tile->depth * loaded + tile->keys * pitch_q) + 4 * 3 * tile->rows;
}

static bool is_allowed(const struct vkdml_attention_way *tile, const struct vkdml_plan_limits *limits) {
    return shared_bytes(tile) <= limits->max_shared_memory_bytes &&
           vkdml_local_size(limits, tile->local_size) == tile->local_size;
}

static uint64_t count_groups(const struct vkdml_attention *a, const struct vkdml_attention_way *way) {
    return heads_of(a) * vkdml_divide_up(rows_of(a), way->rows) * vkdml_divide_up(a->columns, way->columns);
}

/* Columns that are made and not wanted are lost work, and so are rows. */
static bool suits(const struct vkdml_attention *a, const struct vkdml_attention_way *tile) {
    return (tile->columns < 2 * (uint64_t)a->columns || tile->columns == 32) &&
           (tile->rows < 2 * rows_of(a) || tile->rows == 32);
}

/* The first that is enough for the device, or the last; of those of as many columns. NULL: none is allowed. */
static const struct vkdml_attention_way *find_tile(const struct vkdml_attention *a,
                                                   const struct vkdml_plan_limits *limits) {
    const struct vkdml_attention_way *found = NULL;
    for (uint32_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); ++i) {
        const struct vkdml_attention_way *tile = &tiles[i];
        if (!is_allowed(tile, limits) || !suits(a, tile)) {
            continue;
        }
        const bool has_more =
            found != NULL &&
            vkdml_divide_up(a->columns, found->columns) <= vkdml_divide_up(a->columns, tile->columns) &&
            found->columns <= power_of_two(32, a->columns);
        if (found == NULL || !has_more || (count_groups(a, found) < ENOUGH_GROUPS && tile->columns == found->columns)) {
            found = tile;
        }
    }
    return found;
}

/* ---- all ---- */

struct vkdml_attention_way vkdml_attention_choose(const struct vkdml_attention *attention,
                                                  const struct vkdml_attention_part *part,
                                                  const struct vkdml_plan_limits *limits) {
    struct vkdml_attention_way found;
    if (part->joins) {
        return way_to_join(attention, limits);
    }
    if (limits->variant == VKDML_KERNEL_VARIANT_SERIAL) {
        return way_alone(attention, part, limits);
    }
    if (find_few(attention, limits, &found) || find_matrix(attention, limits, &found)) {
        return found;
    }
    const struct vkdml_attention_way *tile = find_tile(attention, limits);
    return tile != NULL ? *tile : way_alone(attention, part, limits);
}

/* ---- for other sizes ---- */

static bool same_way(const struct vkdml_attention_way *a, const struct vkdml_attention_way *b) {
    return a->kernel == b->kernel && a->local_size == b->local_size && a->rows == b->rows && a->keys == b->keys &&
           a->columns == b->columns && a->depth == b->depth && a->subgroup_rows == b->subgroup_rows;
}

static void add_way(struct vkdml_attention_ways *ways, const struct vkdml_attention_way *way) {
    bool is_known = ways->count == VKDML_ATTENTION_MOST_WAYS;
    for (uint32_t i = 0; i < ways->count && !is_known; ++i) {
        is_known = same_way(&ways->items[i], way);
    }
    if (!is_known) {
        ways->items[ways->count++] = *way;
    }
}

/* Whatever alignment makes of those that go alone. */
static void add_both(struct vkdml_attention_ways *ways, struct vkdml_attention_way way) {
    add_way(ways, &way);
    if (way.kernel == VKDML_KERNEL_ATTENTION_ROWS) {
        way.keys = KEYS_OF_A_TURN;
        add_way(ways, &way);
        way.keys = KEYS_OF_A_SLOW_TURN;
        add_way(ways, &way);
    }
}

void vkdml_attention_list_ways(const struct vkdml_attention *attention, const struct vkdml_attention_part *part,
                               const struct vkdml_plan_limits *limits, struct vkdml_attention_ways *ways) {
    /* Few rows of each power of two, whatever the groups, fewer than matrix cores take, and many. */
    static const uint32_t queries[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256};
    static const uint32_t keys[] = {1, 4096};
    struct vkdml_attention other = *attention;
    struct vkdml_attention_part whole = *part;
    ways->count = 0;
    for (uint32_t q = 0; q < sizeof(queries) / sizeof(queries[0]); ++q) {
        for (uint32_t k = 0; k < sizeof(keys) / sizeof(keys[0]); ++k) {
            other.sizes[QUERY] = whole.box.size[QUERY] = queries[q];
            other.sizes[KEY] = keys[k];
            for (uint32_t batch = 1; batch <= MOST_BATCHES; batch *= 2) { /* groups are enough, or not */
                other.sizes[BATCH] = whole.box.size[BATCH] = batch;
                add_both(ways, vkdml_attention_choose(&other, &whole, limits));
            }
        }
    }
}

/* Of an invocation that goes alone: as many as loops must have. */
static uint64_t shares_alone(const struct vkdml_attention *a) {
    const uint64_t columns = least_of(a->columns, MOST_COLUMNS);
    const uint64_t turns = vkdml_divide_up(a->depth, 4) + vkdml_divide_up(columns, 4) + 1;
    return vkdml_divide_up(a->sizes[KEY], (MOST_TURNS / turns + 1) * KEYS_OF_A_SLOW_TURN);
}

uint32_t vkdml_attention_shares(const struct vkdml_attention *attention, const struct vkdml_plan_limits *limits) {
    struct vkdml_attention_part whole = {.share_count = 1};
    for (uint32_t d = 0; d < KEY; ++d) {
        whole.box.size[d] = attention->sizes[d];
    }
    const struct vkdml_attention_way way = vkdml_attention_choose(attention, &whole, limits);
    const bool is_few = way.kernel == VKDML_KERNEL_ATTENTION_FEW;
    if (way.kernel == VKDML_KERNEL_ATTENTION_ROWS) {
        return (uint32_t)shares_alone(attention);
    }
    const uint64_t groups = count_groups(attention, &way);
    const uint64_t wanted = is_few                   ? vkdml_divide_up(WANTED_FEW, groups)
                            : groups < ENOUGH_GROUPS ? WANTED_GROUPS / groups
                                                     : 1;
    const uint64_t most =
        is_few ? vkdml_divide_up(attention->sizes[KEY], way.keys) : attention->sizes[KEY] / LEAST_SHARE;
    /* Of all that an invocation has of keys at once loops have about so many turns. */
    const uint64_t turns = attention->depth / way.depth + TURNS_OF_KEYS;
    const uint64_t needed = vkdml_divide_up(attention->sizes[KEY], (MOST_TURNS / turns + 1) * way.keys);
    const uint64_t shares = wanted < most ? wanted : most > 1 ? most : 1;
    return (uint32_t)(shares > needed ? shares : needed);
}
