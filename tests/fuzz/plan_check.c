#include "plan_check.h"

#include "kernels/blocks.h"
#include "tensor/tensor.h"

bool plan_buffer_lies_within(const struct vkdml_plan_buffer *buffer, uint32_t repeat_count, uint32_t repeat_stride,
                             uint64_t resource_bytes) {
    const uint64_t room = (resource_bytes + 3) / 4 * 4; /* what is bound is at least that */
    /* Of a step that is repeated the size holds all times. */
    const uint64_t last = repeat_count > 1 ? (uint64_t)(repeat_count - 1) * repeat_stride : 0;
    return buffer->size != 0 && buffer->offset % 4 == 0 && buffer->size % 4 == 0 && buffer->offset <= room &&
           buffer->size <= room - buffer->offset && last < buffer->size;
}

uint64_t plan_end_moved(uint64_t end, uint32_t size, uint64_t stride) {
    const uint64_t steps = size - UINT64_C(1); /* far too many for a size of 0 */
    return size == 0 || (stride != 0 && steps > (UINT64_MAX - end) / stride) ? UINT64_MAX : end + steps * stride;
}

/* The end of the last run. */
static uint64_t end_of(const struct vkdml_plan_copy *copy, const uint64_t *strides) {
    uint64_t end = copy->run_bytes;
    for (uint32_t d = 0; d < copy->rank; d++)
        end = plan_end_moved(end, copy->sizes[d], strides[d]);
    return end;
}

bool plan_copy_lies_within(const struct vkdml_plan_copy *copy, const struct vkdml_plan_buffer buffers[2]) {
    return copy->run_bytes != 0 && copy->rank <= VKDML_PLAN_MAX_COPY_RANK &&
           end_of(copy, copy->source_strides) <= buffers[0].size &&
           end_of(copy, copy->target_strides) <= buffers[1].size;
}

#define MAP_OPERANDS 3 /* of the kernels that are looked at; what comes behind is the output */

/* How many elements of operand `t` lie before the end of the last one, from the buffer's start on. */
static uint64_t map_end(const struct vkdml_map_parameters *p, uint32_t rank, uint32_t t) {
    const bool is_output = t == MAP_OPERANDS;
    uint64_t end = UINT64_C(1) + (is_output ? p->output_first : p->firsts[t]);
    for (uint32_t d = 0; d < rank; d++)
        end = plan_end_moved(end, p->sizes[d][0], p->strides[d][t]);
    return plan_end_moved(end, p->row_length, is_output ? p->row_output_stride : p->row_strides[t]);
}

/* Whether items are as many as there are elements: runs of rows, with one more where a run begins within an item. */
static bool map_counts(const struct vkdml_plan_step *step, const struct vkdml_map_parameters *p) {
    const uint32_t run_rank = step->constants[VKDML_MAP_CONSTANT_RUN_RANK];
    const uint32_t rank = step->constants[VKDML_MAP_CONSTANT_RANK], item = step->constants[VKDML_MAP_CONSTANT_ITEM];
    uint64_t runs = 1, run = p->row_length;
    for (uint32_t d = 0; d < rank; d++)
        *(d < run_rank ? &runs : &run) *= p->sizes[d][0];
    return run == p->run_length && p->items_per_run == (run + 2 * (uint64_t)item - 2) / item &&
           p->item_count == runs * p->items_per_run;
}

bool plan_map_lies_within(const struct vkdml_plan_step *step) {
    if (step->kind != VKDML_PLAN_DISPATCH ||
        (step->kernel != VKDML_KERNEL_MAP && step->kernel != VKDML_KERNEL_MAP_WIDE))
        return true;
    const void *words = vkdml_plan_step_parameters(step);
    const struct vkdml_map_parameters *p = words; /* its beginning, behind which nothing is looked at */
    bool lies_within = map_counts(step, p);
    for (uint32_t t = 0; t <= MAP_OPERANDS; t++) {
        const uint32_t rows = step->constants[VKDML_MAP_CONSTANT_ROWS] >> 4 * t & 7;
        const uint32_t type = step->constants[VKDML_MAP_CONSTANT_TYPES] >> 4 * t & 15;
        if (t < MAP_OPERANDS && (rows == VKDML_MAP_ROWS_ABSENT || rows == VKDML_MAP_ROWS_INDEX))
            continue;
        const uint64_t bits = vkdml_data_type_bits((DML_TENSOR_DATA_TYPE)type);
        const uint64_t room = step->buffers[t == MAP_OPERANDS ? 0 : t + 1].size * 8 / bits;
        lies_within = lies_within && map_end(p, step->constants[VKDML_MAP_CONSTANT_RANK], t) <= room;
    }
    return lies_within;
}

/* The coordinates that a walk reaches, from where it begins on: it may go back, by strides that are 2^32 less. */
struct walk {
    int64_t low, high;
};

static void walk_along(struct walk *walk, uint32_t size, uint32_t stride, bool goes_back) {
    const int64_t step = (int64_t)stride - (goes_back ? INT64_C(1) << 32 : 0);
    /* No tensor is so far apart: what is reached lies outside in any case. */
    const int64_t most = INT64_C(1) << 58, steps = size - INT64_C(1);
    const int64_t length =
        step != 0 && steps > most / (step < 0 ? -step : step) ? (step < 0 ? -most : most) : steps * step;
    *(length < 0 ? &walk->low : &walk->high) += length;
}

/* What is added modulo 2^32 takes the walk to where it begins in the window; from there on nothing wraps. A bit for
 * each dimension, and one for the row, says whether its stride is one that goes back: far apart elements have such
 * numbers too. */
static bool gather_input_within(const struct vkdml_gather_parameters *p, uint32_t rank, uint64_t room, uint32_t back) {
    uint32_t first = p->input_first + p->row_origin * p->row_input_stride;
    struct walk walk = {0, 0};
    walk_along(&walk, p->row_length, p->row_input_stride, back >> rank & 1);
    for (uint32_t d = 0; d < rank; d++) {
        first += p->origins[d] * p->input_strides[d];
        walk_along(&walk, p->sizes[d], p->input_strides[d], back >> d & 1);
    }
    return walk.low + first >= 0 && (uint64_t)(walk.high + first) < room;
}

static uint64_t gather_output_end(const struct vkdml_gather_parameters *p, uint32_t rank) {
    uint64_t end = plan_end_moved(p->output_first + UINT64_C(1), p->row_length, p->row_output_stride);
    for (uint32_t d = 0; d < rank; d++)
        end = plan_end_moved(end, p->sizes[d], p->output_strides[d]);
    return end;
}

bool plan_gather_lies_within(const struct vkdml_plan_step *step) {
    if (step->kind != VKDML_PLAN_DISPATCH ||
        (step->kernel != VKDML_KERNEL_COPY && step->kernel != VKDML_KERNEL_COPY_RUNS))
        return true;
    const void *words = vkdml_plan_step_parameters(step);
    const struct vkdml_gather_parameters *p = words; /* its beginning, behind which nothing is looked at */
    const uint32_t rank = step->constants[VKDML_GATHER_CONSTANT_RANK];
    const uint32_t bits = step->constants[VKDML_GATHER_CONSTANT_ELEMENT_BITS];
    const uint64_t room = step->buffers[0].size * 8 / bits;
    uint32_t back = 0;
    while (!gather_input_within(p, rank, room, back) && back >> (rank + 1) == 0)
        back++;
    return back >> (rank + 1) == 0 && gather_output_end(p, rank) <= step->buffers[1].size * 8 / bits;
}
