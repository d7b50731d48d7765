#include "frames/top_k/top_k_merge.h"

#include <string.h>

#include "base/checked.h"
#include "kernels/blocks.h"
#include "plan/step.h"

#define LOCAL_SIZE        256
#define SERIAL_LOCAL_SIZE 8
#define MOST_SERIAL_TURNS 1024 /* of an invocation */
#define NO_BLOCKS         31   /* log of more items than there are */

/* Some turns, of all rows alike. */
struct stage {
    uint32_t kind;      /* VKDML_TOP_K_TURN_ */
    uint32_t size;      /* FLIP: of a block; HALVE: twice the first distance; pairs: what blocks of turns span */
    uint32_t distance;  /* of pairs */
    uint32_t turns_log; /* of pairs: turns in a block */
    uint32_t block_log; /* items side by side */
    uint32_t block_stride;
    uint32_t blocks; /* of that kind in a row, where they lie apart; else 0 */
};

/* What a step binds: records from one on, and of pairs across windows others. */
struct window {
    uint64_t first;
    uint32_t count;
    uint64_t rows;
    bool has_other;
    uint64_t other_first;
    uint32_t other_count;
};

struct merging {
    const struct vkdml_top_k_use *use;
    const struct vkdml_top_k_rows *rows;
    uint32_t window; /* records that can be bound; not below a row's where that can be */
};

static uint64_t turns_of(const struct stage *stage, uint32_t count) {
    if (stage->blocks != 0) {
        const uint64_t items = (uint64_t)stage->blocks << stage->block_log;
        return stage->kind < VKDML_TOP_K_TURN_PAIRS ? items / 4 : items / 2;
    }
    const uint64_t blocks = vkdml_divide_up(count, stage->size);
    return stage->kind < VKDML_TOP_K_TURN_PAIRS ? blocks * stage->size / 4 : blocks << stage->turns_log;
}

static uint32_t local_size_of(const struct vkdml_top_k_use *use) {
    return vkdml_local_size(use->builder->limits, use->serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
}

static void set_kernel(const struct vkdml_top_k_use *use, uint32_t kind, bool has_other, uint32_t local_size,
                       struct vkdml_plan_step *step) {
    step->kernel = VKDML_KERNEL_TOP_K_MERGE;
    vkdml_step_constant(step, VKDML_TOP_K_MERGE_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_TOP_K_MERGE_CONSTANT_TYPE, (uint32_t)use->top_k->input.at.type);
    vkdml_step_constant(step, VKDML_TOP_K_MERGE_CONSTANT_KIND, kind);
    vkdml_step_constant(step, VKDML_TOP_K_MERGE_CONSTANT_HAS_OTHERS, has_other);
    vkdml_step_constant(step, VKDML_TOP_K_MERGE_CONSTANT_FLOAT_CONTROLS,
                        0); /* bits are compared, nothing is computed */
}

static VkdmlResult add_step(struct merging *m, const struct stage *stage, const struct window *window) {
    const struct vkdml_top_k_use *use = m->use;
    const uint32_t bytes = use->record_bytes;
    const uint64_t turns = window->has_other ? window->count : turns_of(stage, window->count);
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(use->builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const uint64_t all = turns * window->rows;
    uint64_t own = 1;
    const uint32_t local_size = local_size_of(use);
    while (use->serial && own < MOST_SERIAL_TURNS && all / (own * 64) > local_size) {
        own *= 2;
    }
    const struct vkdml_top_k_merge_parameters parameters = {
        .turn_count = (uint32_t)turns,
        .all_turns = (uint32_t)all,
        .own_turns = (uint32_t)own,
        .row_items = m->rows->length,
        .count =
            window->has_other ? (uint32_t)(window->other_first - window->first) + window->other_count : window->count,
        .size = stage->size,
        .distance = stage->distance,
        .turns_log = stage->turns_log,
        .block_span = stage->size,
        .block_log = stage->block_log,
        .block_stride = stage->block_stride,
        .other_first = (uint32_t)(window->other_first - window->first),
        .turn_divisor = vkdml_divisor((uint32_t)turns),
    };
    set_kernel(use, stage->kind, window->has_other, local_size, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    const uint64_t items = (window->rows - 1) * m->rows->length + window->count;
    step->buffers[0] = vkdml_origin_buffer(&m->rows->at, window->first * bytes, items * bytes);
    step->buffer_count = 1;
    if (window->has_other) {
        step->buffers[1] =
            vkdml_origin_buffer(&m->rows->at, window->other_first * bytes, (uint64_t)window->other_count * bytes);
        step->buffer_count = 2;
    }
    return vkdml_grid(vkdml_divide_up(vkdml_divide_up(all, own), local_size), use->builder->limits,
                      use->builder->report, step->groups);
}

/* A stage whose turns stay within windows: as many rows as can be bound at a time, or parts of one. */
static VkdmlResult add_stage(struct merging *m, const struct stage *stage) {
    const uint32_t length = m->rows->length;
    const uint64_t rows = m->use->row_count;
    VkdmlResult result = VKDML_SUCCESS;
    vkdml_builder_phase(m->use->builder);
    if (length <= m->window) {
        const uint64_t together = m->window / length;
        for (uint64_t row = 0; row < rows && result == VKDML_SUCCESS; row += together) {
            const struct window window = {
                .first = row * length, .count = length, .rows = rows - row < together ? rows - row : together};
            result = add_step(m, stage, &window);
        }
        return result;
    }
    for (uint64_t row = 0; row < rows && result == VKDML_SUCCESS; ++row) {
        for (uint64_t at = 0; at < length && result == VKDML_SUCCESS; at += m->window) {
            const uint64_t left = length - at;
            const struct window window = {
                .first = row * length + at, .count = (uint32_t)(left < m->window ? left : m->window), .rows = 1};
            result = add_step(m, stage, &window);
        }
    }
    return result;
}

/* Pairs of blocks of `size` records whose items lie in two windows, of m->window records each. */
static VkdmlResult add_pairs(struct merging *m, uint32_t size, bool opposite) {
    const uint64_t length = m->rows->length, window_items = m->window;
    VkdmlResult result = VKDML_SUCCESS;
    vkdml_builder_phase(m->use->builder);
    for (uint64_t row = 0; row < m->use->row_count; ++row) {
        for (uint64_t block = 0; block < length; block += size) {
            for (uint64_t at = 0; at < size / 2 && result == VKDML_SUCCESS; at += window_items) {
                const uint64_t first = block + at;
                const uint64_t other = opposite ? block + size - at - window_items : first + size / 2;
                if (other >= length) {
                    continue;
                }
                const uint64_t left = length - other;
                const struct window window = {.first = row * length + first,
                                              .count = (uint32_t)window_items,
                                              .rows = 1,
                                              .has_other = true,
                                              .other_first = row * length + other,
                                              .other_count = (uint32_t)(left < window_items ? left : window_items)};
                const struct stage stage = {.kind = opposite ? VKDML_TOP_K_TURN_OPPOSITE_PAIRS : VKDML_TOP_K_TURN_PAIRS,
                                            .distance =
                                                (uint32_t)(opposite ? other - first + window_items - 1 : size / 2),
                                            .turns_log = NO_BLOCKS,
                                            .block_log = NO_BLOCKS};
                result = add_step(m, &stage, &window);
            }
        }
    }
    return result;
}

static struct merging begin(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows) {
    struct merging m = {use, rows, vkdml_top_k_window(use)};
    const uint64_t items = use->builder->limits->max_storage_buffer_range / use->record_bytes;
    if (m.window < rows->length && rows->length <= items &&
        vkdml_fits(use->builder->limits, 4, (uint64_t)rows->length * use->record_bytes)) {
        m.window = rows->length;
    }
    return m;
}

/* Orders items a `distance` apart, half of that, .. `least`. Blocks of 2^block_log items may lie apart. */
static VkdmlResult add_halves(struct merging *m, uint32_t distance, uint32_t least, struct stage stage) {
    const bool whole = m->rows->length <= m->window;
    VkdmlResult result = VKDML_SUCCESS;
    while (distance >= least && distance > 0 && result == VKDML_SUCCESS) {
        if (!whole && distance >= m->window) {
            result = add_pairs(m, 2 * distance, false);
            distance /= 2;
            continue;
        }
        const bool two = distance / 2 >= least && distance >= 2;
        stage.kind = two ? VKDML_TOP_K_TURN_HALVE : VKDML_TOP_K_TURN_PAIRS;
        stage.size = 2 * distance;
        stage.distance = distance;
        stage.turns_log = vkdml_top_k_log(distance);
        result = add_stage(m, &stage);
        distance /= two ? 4 : 2;
    }
    return result;
}

VkdmlResult vkdml_top_k_merge(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows, uint32_t size,
                              uint32_t least) {
    struct merging m = begin(use, rows);
    const bool whole = rows->length <= m.window;
    struct stage stage = {.kind = VKDML_TOP_K_TURN_OPPOSITE_PAIRS,
                          .size = size,
                          .distance = size - 1,
                          .turns_log = vkdml_top_k_log(size / 2),
                          .block_log = NO_BLOCKS};
    uint32_t distance = size / 4;
    VkdmlResult result;
    if (!whole && size > m.window) {
        result = add_pairs(&m, size, true);
    } else if (size >= 4 && size / 4 >= least) {
        stage.kind = VKDML_TOP_K_TURN_FLIP;
        distance = size / 8;
        result = add_stage(&m, &stage);
    } else {
        result = add_stage(&m, &stage);
    }
    return result == VKDML_SUCCESS ? add_halves(&m, distance, least, stage) : result;
}

VkdmlResult vkdml_top_k_halve(const struct vkdml_top_k_use *use, const struct vkdml_top_k_rows *rows, uint32_t size,
                              uint32_t stride, uint32_t least) {
    struct merging m = begin(use, rows);
    struct stage stage = {.kind = VKDML_TOP_K_TURN_KEEPS,
                          .size = 2 * stride,
                          .distance = stride + size - 1,
                          .turns_log = vkdml_top_k_log(size),
                          .block_log = NO_BLOCKS};
    VkdmlResult result = add_stage(&m, &stage);
    stage.block_log = vkdml_top_k_log(size);
    stage.block_stride = 2 * stride;
    stage.blocks = (uint32_t)vkdml_divide_up(rows->length, 2 * (uint64_t)stride);
    return result == VKDML_SUCCESS ? add_halves(&m, size / 2, least, stage) : result;
}

VkdmlResult vkdml_top_k_add_merge_spares(const struct vkdml_top_k_use *use) {
    static const uint32_t kinds[] = {VKDML_TOP_K_TURN_OPPOSITE_PAIRS, VKDML_TOP_K_TURN_PAIRS, VKDML_TOP_K_TURN_HALVE,
                                     VKDML_TOP_K_TURN_FLIP, VKDML_TOP_K_TURN_KEEPS};
    VkdmlResult result = VKDML_SUCCESS;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && result == VKDML_SUCCESS; ++i) {
        struct vkdml_plan_step spare = {.kind = VKDML_PLAN_DISPATCH, .is_general = true, .buffer_count = 1};
        set_kernel(use, kinds[i], false, local_size_of(use), &spare);
        result = vkdml_builder_add_spare(use->builder, &spare);
    }
    return result;
}
