#include "frames/integer_product/integer_product.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/integer_product/integer_product_step.h"
#include "plan/step.h"

/* Words of a line of a, which is several packed ones behind one another. */
static uint64_t words_of_sum(const struct vkdml_integer_product *p) {
    return (uint64_t)vkdml_integer_line_words(&p->a.lines) * p->taps * p->tap_rows;
}

/* Turns of an invocation's loops, which lavapipe ends silently beyond 65,535: of words of short lines, else of vectors.
 */
#define MOST_TURNS 60000

static VkdmlResult check_depth(const struct vkdml_integer_product *p, struct vkdml_report *report) {
    const uint64_t most = MOST_TURNS * UINT64_C(4) * (vkdml_integer_line_words(&p->a.lines) % 4 == 0 ? 4 : 1);
    const uint64_t bytes = 4 * words_of_sum(p);
    if (bytes <= most) {
        return VKDML_SUCCESS;
    }
    return vkdml_report_add(report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "a sum is of %" PRIu64 " products, with what lines are filled up by, must be of at most "
                            "%" PRIu64,
                            bytes, most);
}

static bool has_sums(const struct vkdml_integer_operand *other, const struct vkdml_integer_term *zero_point) {
    return other->lines.source.type == DML_TENSOR_DATA_TYPE_UINT8 ||
           zero_point->at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

/* ---- packing ---- */

/* An operand's sums of lines, one for each coordinate of batches that have lines of their own. */
static void describe_sums(const struct vkdml_integer_product *p, const struct vkdml_integer_operand *operand,
                          struct vkdml_integer_packed *packed) {
    struct vkdml_integer_sums *sums = &packed->sums;
    const uint32_t words = vkdml_integer_line_words(&operand->lines);
    const bool is_a = operand == &p->a;
    sums->rank = 2;
    sums->sizes[0] = operand->outer_step == 0 ? 1 : p->outer;
    sums->sizes[1] = operand->inner_step == 0 ? 1 : p->inner;
    sums->strides[0] = operand->outer_step * words;
    sums->strides[1] = operand->inner_step * words;
    for (uint32_t d = 0; d < (is_a ? 1 : p->column_rank); ++d) {
        sums->sizes[sums->rank] = is_a ? p->m : p->columns[d].size;
        sums->strides[sums->rank] = (is_a ? operand->row_step : p->columns[d].step) * words;
        ++sums->rank;
    }
    sums->word_count = (uint32_t)words_of_sum(p);
    sums->is_gathered = !is_a && p->taps * p->tap_rows > 1;
    if (sums->is_gathered) { /* a's do not depend on how b is walked */
        sums->tap_words = words;
        sums->taps_of_row = p->taps;
        sums->tap_step = p->tap_step * words;
        sums->row_step = p->tap_row_step * words;
    }
}

/* Finds a place for an operand and its sums, these behind it. */
static VkdmlResult place(const struct vkdml_integer_product *p, const struct vkdml_integer_operand *operand,
                         struct vkdml_builder *builder, struct vkdml_integer_packed *packed) {
    const uint64_t lines = vkdml_integer_line_count(&operand->lines);
    const uint64_t words = lines * vkdml_integer_line_words(&operand->lines); /* both of 33 bits at most */
    const char *name = operand == &p->a ? "packed a" : "packed b";
    uint64_t sums = packed->has_sums ? 1 : 0;
    describe_sums(p, operand, packed);
    for (uint32_t d = 0; d < packed->sums.rank; ++d) {
        sums *= packed->sums.sizes[d]; /* no more than the output has elements */
    }
    const uint64_t bytes = 4 * (words + sums);
    if (lines > UINT32_MAX || words_of_sum(p) > UINT32_MAX || words + sums > UINT32_MAX ||
        !vkdml_fits(builder->limits, 0, bytes)) {
        return vkdml_report_add(builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "%s has %" PRIu64 " lines of %" PRIu32 " bytes, padding included, which must be "
                                "within maxStorageBufferRange (%" PRIu64 ") together",
                                name, lines, 4 * vkdml_integer_line_words(&operand->lines),
                                builder->limits->max_storage_buffer_range);
    }
    packed->at = operand->is_owned ? vkdml_builder_kept(builder, name, bytes, DML_TENSOR_DATA_TYPE_INT32)
                                   : vkdml_builder_region(builder, name, bytes, DML_TENSOR_DATA_TYPE_INT32);
    packed->word_count = (uint32_t)(words + sums);
    packed->sums_first = (uint32_t)words;
    packed->sums.packed = packed->at;
    packed->sums.packed_words = words;
    packed->sums.sums = packed->at;
    packed->sums.sums.first = words;
    return VKDML_SUCCESS;
}

/* Packs operands, and adds up their lines: what is owned at initialization, the rest with the builder. */
static VkdmlResult pack(const struct vkdml_integer_operand *const *operands, struct vkdml_integer_packed *packed,
                        bool is_owned, struct vkdml_builder *builder) {
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t i = 0; i < 2 && result == VKDML_SUCCESS; ++i) {
        if (operands[i]->is_owned == is_owned) {
            result = vkdml_integer_pack_plan(&operands[i]->lines, &packed[i].at, builder);
        }
    }
    vkdml_builder_phase(builder);
    for (uint32_t i = 0; i < 2 && result == VKDML_SUCCESS; ++i) {
        if (operands[i]->is_owned == is_owned && packed[i].has_sums) {
            result = vkdml_integer_sums_plan(&packed[i].sums, builder);
        }
    }
    vkdml_builder_phase(builder);
    return result;
}

/* ---- covering ---- */

struct parts {
    const struct vkdml_integer_product *product;
    const struct vkdml_integer_packed *packed;
    const struct vkdml_integer_terms *terms;
    struct vkdml_builder *builder;
};

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct parts *parts = context;
    const struct vkdml_window window = vkdml_integer_out_window(parts->product, box);
    (void)t;
    *fits = vkdml_fits(parts->builder->limits, parts->product->out.offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct parts *parts = context;
    (void)t;
    return (uint64_t)(box->size[d] - 1) * vkdml_integer_out_stride(parts->product, d);
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    const struct parts *parts = context;
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(parts->builder, &step);
    return result == VKDML_SUCCESS
               ? vkdml_integer_fill_step(parts->product, parts->packed, parts->terms, box, parts->builder, step)
               : result;
}

VkdmlResult vkdml_integer_product_plan(const struct vkdml_integer_product *product, struct vkdml_builder *builder) {
    const struct vkdml_integer_product *p = product;
    const struct vkdml_integer_operand *operands[] = {&p->a, &p->b};
    struct vkdml_integer_packed packed[2];
    struct vkdml_integer_terms terms;
    struct vkdml_builder initialization = vkdml_builder_at_initialization(builder);
    memset(packed, 0, sizeof(packed));
    packed[0].has_sums = has_sums(&p->b, &p->terms[VKDML_INTEGER_TERM_ZERO_B]);
    packed[1].has_sums = has_sums(&p->a, &p->terms[VKDML_INTEGER_TERM_ZERO_A]);
    vkdml_note(builder->report, "integer product: %u x %u batches of %u x %u, sums of %" PRIu64 " products each",
               (unsigned)p->outer, (unsigned)p->inner, (unsigned)p->m, (unsigned)vkdml_integer_column_count(p),
               (uint64_t)p->a.lines.count * p->taps * p->tap_rows);
    VkdmlResult result = check_depth(p, builder->report);
    result = result == VKDML_SUCCESS ? place(p, &p->a, builder, &packed[0]) : result;
    result = result == VKDML_SUCCESS ? place(p, &p->b, builder, &packed[1]) : result;
    result = result == VKDML_SUCCESS ? vkdml_integer_terms_plan(p->terms, builder, &terms) : result;
    result = result == VKDML_SUCCESS ? pack(operands, packed, true, &initialization) : result;
    result = result == VKDML_SUCCESS ? pack(operands, packed, false, builder) : result;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct parts parts = {p, packed, &terms, builder};
    const struct vkdml_covering covering = {&parts, 3 + p->column_rank, 1, builder, bytes, reach, add};
    struct vkdml_box whole = {{0}, {0}};
    whole.size[0] = p->outer;
    whole.size[1] = p->inner;
    whole.size[2] = p->m;
    for (uint32_t d = 0; d < p->column_rank; ++d) {
        whole.size[3 + d] = p->columns[d].size;
    }
    return vkdml_cover(&covering, &whole);
}
