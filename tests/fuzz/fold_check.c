#include "plan_check.h"

#include "kernels/blocks.h"
#include "tensor/tensor.h"

static uint64_t bits_of_type(uint32_t type) {
    return vkdml_data_type_bits((DML_TENSOR_DATA_TYPE)type);
}

static uint64_t product_of(const uint32_t (*dimensions)[4], uint32_t rank) {
    uint64_t product = 1;
    for (uint32_t d = 0; d < rank; d++)
        product *= dimensions[d][0];
    return product;
}

/* ---- reductions ---- */

/* Whether units and items have coordinates below the sizes, of which kernels do not ask. */
static bool reduce_counts(const struct vkdml_plan_step *step, const struct vkdml_reduce_parameters *p) {
    const uint32_t shape = step->constants[VKDML_REDUCE_CONSTANT_SHAPE];
    const uint64_t item =
        (shape & VKDML_REDUCE_DENSE) != 0 ? 128 / bits_of_type(step->constants[VKDML_REDUCE_CONSTANT_TYPE]) : 1;
    const uint64_t runs = product_of(p->reduced, step->constants[VKDML_REDUCE_CONSTANT_REDUCED_RANK] - 1);
    const bool has_parts = item != 1 && (shape & VKDML_REDUCE_IS_WHOLE) == 0; /* which ask where their run ends */
    return p->unit_count == product_of(p->kept, step->constants[VKDML_REDUCE_CONSTANT_KEPT_RANK]) &&
           p->item_count == runs * p->items_per_run && (has_parts || p->items_per_run * item == p->run_length);
}

static uint64_t reduce_source_end(const struct vkdml_plan_step *step, const struct vkdml_reduce_parameters *p) {
    const uint32_t shape = step->constants[VKDML_REDUCE_CONSTANT_SHAPE];
    const bool is_single = (shape & (VKDML_REDUCE_DENSE | VKDML_REDUCE_FROM_TOTALS)) != 0;
    uint64_t end = p->source_first + (is_single ? UINT64_C(1) : step->constants[VKDML_REDUCE_CONSTANT_WIDTH]);
    for (uint32_t d = 0; d < step->constants[VKDML_REDUCE_CONSTANT_KEPT_RANK]; d++)
        end = plan_end_moved(end, p->kept[d][0], p->kept[d][3]);
    for (uint32_t d = 0; d + 1 < step->constants[VKDML_REDUCE_CONSTANT_REDUCED_RANK]; d++)
        end = plan_end_moved(end, p->reduced[d][0], p->reduced[d][3]);
    return plan_end_moved(end, p->run_length, (shape & VKDML_REDUCE_DENSE) != 0 ? 1 : p->run_stride);
}

static uint64_t reduce_target_end(const struct vkdml_plan_step *step, const struct vkdml_reduce_parameters *p) {
    uint64_t end = p->target_first + UINT64_C(1);
    for (uint32_t d = 0; d < step->constants[VKDML_REDUCE_CONSTANT_KEPT_RANK]; d++)
        end = plan_end_moved(end, p->kept[d][0], p->kept_out[d]);
    end = plan_end_moved(end, step->constants[VKDML_REDUCE_CONSTANT_WIDTH], p->width_stride);
    const bool to_totals = (step->constants[VKDML_REDUCE_CONSTANT_SHAPE] & VKDML_REDUCE_TO_TOTALS) != 0;
    return to_totals ? plan_end_moved(end, p->share_count, p->share_stride) : end;
}

bool plan_reduce_lies_within(const struct vkdml_plan_step *step) {
    if (step->kind != VKDML_PLAN_DISPATCH ||
        (step->kernel != VKDML_KERNEL_REDUCE && step->kernel != VKDML_KERNEL_REDUCE_WIDE))
        return true;
    const void *words = vkdml_plan_step_parameters(step);
    const struct vkdml_reduce_parameters *p = words;
    const uint32_t shape = step->constants[VKDML_REDUCE_CONSTANT_SHAPE];
    const uint32_t function = step->constants[VKDML_REDUCE_CONSTANT_FUNCTION];
    const uint64_t bits = bits_of_type(step->constants[VKDML_REDUCE_CONSTANT_TYPE]);
    const bool is_wide = bits == 64 || function == VKDML_REDUCE_MOMENTS || function == VKDML_REDUCE_VARIANCE;
    const uint64_t total_bits = is_wide ? 128 : 64;
    const uint64_t from_bits = (shape & VKDML_REDUCE_FROM_TOTALS) != 0 ? total_bits : bits;
    const bool is_pair = function >= VKDML_REDUCE_MOMENTS && (shape & VKDML_REDUCE_TO_TOTALS) == 0; /* two words */
    const uint64_t to_bits = (shape & VKDML_REDUCE_TO_TOTALS) != 0 ? total_bits
                             : is_pair                             ? 32
                                                                   : step->constants[VKDML_REDUCE_CONSTANT_BITS_OUT];
    const uint64_t from = reduce_source_end(step, p), to = reduce_target_end(step, p);
    const bool has_beside = function == VKDML_REDUCE_GRADIENTS && (shape & VKDML_REDUCE_FROM_TOTALS) == 0;
    return reduce_counts(step, p) && from <= step->buffers[0].size * 8 / from_bits &&
           to <= step->buffers[1].size * 8 / to_bits && (!is_pair || to <= step->buffers[2].size * 8 / to_bits) &&
           (!has_beside || from <= step->buffers[3].size * 8 / from_bits);
}

/* ---- rows ---- */

#define ROWS_ITEM 4 /* elements */

/* Whether the items that invocations do not ask for are all there, and items that are loaded in twos are so many. */
static bool rows_counts(const struct vkdml_plan_step *step, const struct vkdml_rows_parameters *p) {
    const uint64_t lanes = step->constants[VKDML_ROWS_CONSTANT_LANES], held = step->constants[VKDML_ROWS_CONSTANT_HELD];
    const uint64_t full = step->constants[VKDML_ROWS_CONSTANT_FULL];
    const bool is_paired = (step->constants[VKDML_ROWS_CONSTANT_SHAPE] & VKDML_ROWS_PAIRED) != 0;
    const uint64_t last = is_paired ? (lanes - 1 + (full - 1) / 2 * lanes) * 2 + 1 : full * lanes - 1;
    return p->unit_count == product_of(p->kept, step->constants[VKDML_ROWS_CONSTANT_KEPT_RANK]) &&
           (full == 0 || (p->block_count - 1) * lanes * held + last < p->item_count) &&
           (!is_paired || p->item_count % 2 == 0);
}

bool plan_rows_lies_within(const struct vkdml_plan_step *step) {
    enum { SOURCE, TARGET, SCALE, BIAS, TENSORS };
    if (step->kind != VKDML_PLAN_DISPATCH || step->kernel != VKDML_KERNEL_ROWS)
        return true;
    const void *words = vkdml_plan_step_parameters(step);
    const struct vkdml_rows_parameters *p = words;
    const uint32_t shape = step->constants[VKDML_ROWS_CONSTANT_SHAPE];
    const uint64_t bits = bits_of_type(step->constants[VKDML_ROWS_CONSTANT_TYPE]);
    bool lies_within = rows_counts(step, p);
    for (uint32_t t = 0; t < TENSORS; t++) {
        const bool is_there = t == SCALE  ? (shape & VKDML_ROWS_HAS_SCALE) != 0
                              : t == BIAS ? (shape & VKDML_ROWS_HAS_BIAS) != 0
                                          : true;
        const bool is_single = (t == SCALE && (shape & VKDML_ROWS_SCALE_IS_VECTOR) == 0) ||
                               (t == BIAS && (shape & VKDML_ROWS_BIAS_IS_VECTOR) == 0);
        const bool across = (shape & VKDML_ROWS_ACROSS) != 0;
        uint64_t end = is_single ? 1 : ROWS_ITEM;
        for (uint32_t d = 0; d < step->constants[VKDML_ROWS_CONSTANT_KEPT_RANK]; d++)
            end = plan_end_moved(end, p->kept[d][0], t == SOURCE ? p->kept[d][3] : p->kept_more[d][t - TARGET]);
        end = plan_end_moved(end, p->item_count, across ? p->steps[t] : is_single ? 0 : ROWS_ITEM);
        lies_within = lies_within && (!is_there || end <= step->buffers[t].size * 8 / bits);
    }
    return lies_within;
}

/* ---- scans ---- */

/* Of kernels' constants and a step's numbers. */
struct scan {
    const struct vkdml_scan_parameters *p;
    uint64_t bits, width, lanes, held, units; /* of a workgroup */
    uint64_t entry_words;
    uint32_t shape, rank;
};

static bool scan_has(const struct scan *s, uint32_t shape) {
    return (s->shape & shape) != 0;
}

/* Whether units have coordinates below the sizes, and where no item is asked for all that invocations hold are there.
 */
static bool scan_counts(const struct scan *s) {
    const struct vkdml_scan_parameters *p = s->p;
    const bool across = scan_has(s, VKDML_SCAN_ACROSS);
    const uint64_t tile = s->lanes * s->held, item = across ? 1 : s->width, lines = across ? s->width : 1;
    const bool is_even = scan_has(s, VKDML_SCAN_IS_EVEN);
    return p->unit_count == product_of(p->kept, s->rank) && p->unit_count * lines == p->line_count &&
           (item != 1 || p->item_count == p->length_) &&
           (!is_even || (p->item_count * item == p->length_ && p->item_count % tile == 0 && p->share % tile == 0 &&
                         (s->lanes == 1 || p->unit_count % s->units == 0)));
}

/* Whether the lines of a tensor lie in so many bits; along a line strides that go back are 2^32 more. */
static bool scan_lines_within(const struct scan *s, uint32_t first, uint32_t stride, bool is_target, uint64_t room) {
    const bool is_backward = scan_has(s, VKDML_SCAN_IS_BACKWARD);
    uint64_t end = first + (scan_has(s, VKDML_SCAN_ACROSS) ? s->width : 1);
    for (uint32_t d = 0; d < s->rank; d++)
        end = plan_end_moved(end, s->p->kept[d][0], is_target ? s->p->kept_out[d] : s->p->kept[d][3]);
    if (is_backward)
        return plan_end_moved(0, s->p->length_, (uint32_t)(0 - stride)) <= first && end <= room / s->bits;
    return plan_end_moved(end, s->p->length_, stride) <= room / s->bits;
}

bool plan_scan_lies_within(const struct vkdml_plan_step *step) {
    if (step->kind != VKDML_PLAN_DISPATCH ||
        (step->kernel != VKDML_KERNEL_SCAN && step->kernel != VKDML_KERNEL_SCAN_WIDE))
        return true;
    const void *words = vkdml_plan_step_parameters(step);
    const struct vkdml_scan_parameters *p = words;
    const uint32_t type = step->constants[VKDML_SCAN_CONSTANT_TYPE];
    const bool has_marks =
        step->constants[VKDML_SCAN_CONSTANT_MULTIPLIES] != 0 && vkdml_data_type_is_float((DML_TENSOR_DATA_TYPE)type);
    const struct scan s = {
        .p = p,
        .bits = bits_of_type(type),
        .width = step->constants[VKDML_SCAN_CONSTANT_WIDTH],
        .lanes = step->constants[VKDML_SCAN_CONSTANT_LANES],
        .held = step->constants[VKDML_SCAN_CONSTANT_HELD],
        .units = step->constants[VKDML_SCAN_CONSTANT_LOCAL_SIZE] / step->constants[VKDML_SCAN_CONSTANT_LANES],
        .entry_words = has_marks || bits_of_type(type) == 64 ? 2 : 1,
        .shape = step->constants[VKDML_SCAN_CONSTANT_SHAPE],
        .rank = step->constants[VKDML_SCAN_CONSTANT_KEPT_RANK],
    };
    const uint64_t row = p->line_count * s.entry_words; /* words of the entries of a share */
    const uint64_t read = plan_end_moved(p->entries_first + row, p->share_count, row), written = read + row;
    const bool to_entries = scan_has(&s, VKDML_SCAN_TO_ENTRIES);
    return scan_counts(&s) &&
           scan_lines_within(&s, p->source_first, p->source_stride, false, step->buffers[0].size * 8) &&
           (to_entries ? written <= step->buffers[1].size / 4
                       : scan_lines_within(&s, p->target_first, p->target_stride, true, step->buffers[1].size * 8)) &&
           (!scan_has(&s, VKDML_SCAN_HAS_ENTRIES) || read <= step->buffers[2].size / 4) &&
           (to_entries || !scan_has(&s, VKDML_SCAN_KEEPS_LAST) || p->last_first + row <= step->buffers[2].size / 4);
}
