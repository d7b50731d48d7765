/* Einsum: products of matrices, from left to right. */
#include <string.h>

#include "onnx/operators/network.h"

/* A subscript: a letter, or a dimension of the ellipsis counted from its end. */
#define MOST_SUBSCRIPTS (52 + ONNX_MAX_RANK)
#define MOST_OPERANDS   16

struct term {
    struct onnx_tensor *tensor;
    uint32_t labels[ONNX_MAX_RANK]; /* one for each dimension, none twice */
};

struct sum {
    uint32_t count; /* of operands */
    struct term terms[MOST_OPERANDS];
    uint32_t output_rank, output[ONNX_MAX_RANK];
    uint32_t reads[MOST_SUBSCRIPTS]; /* how many operands have it */
    bool is_kept[MOST_SUBSCRIPTS];   /* the output has it */
    uint32_t sizes[MOST_SUBSCRIPTS]; /* 0: not known yet */
    uint32_t ellipsis;               /* dimensions of the longest */
    bool has_arrow;
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static uint32_t label_of(char c) {
    return c >= 'a' ? (uint32_t)(c - 'a') : (uint32_t)(c - 'A') + 26;
}

/* Text of subscripts up to a comma, an arrow or the end; an ellipsis stands for `dots` dimensions. */
static const char *read_labels(const struct onnx_call *call, const char *text, uint32_t dots, uint32_t *rank,
                               uint32_t *labels, bool *has_dots) {
    *rank = 0;
    *has_dots = false;
    for (; *text != 0 && *text != ',' && *text != '-'; ++text) {
        const bool are_dots = strncmp(text, "...", 3) == 0;
        const uint32_t more = are_dots ? dots : 1;
        if (*text == ' ') {
            continue;
        }
        if ((!are_dots && !is_letter(*text)) || (are_dots && *has_dots) || *rank + more > ONNX_MAX_RANK) {
            onnx_refuse(call, "an equation with '%c', or with more than 8 subscripts", *text);
            return NULL;
        }
        for (uint32_t i = 0; i < more; ++i) {
            labels[(*rank)++] = are_dots ? 52 + dots - 1 - i : label_of(*text);
        }
        *has_dots = *has_dots || are_dots;
        text += are_dots ? 2 : 0;
    }
    return text;
}

/* A dimension for each subscript: diagonals where one stands twice. */
static bool set_term(const struct onnx_call *call, struct sum *sum, struct term *term, uint32_t rank,
                     const uint32_t *labels) {
    uint32_t own = 0;
    if (rank != term->tensor->rank) {
        return onnx_refuse(call, "%u subscripts of %u dimensions", (unsigned)rank, (unsigned)term->tensor->rank);
    }
    for (uint32_t d = 0; d < rank; ++d) {
        uint32_t first = 0;
        while (first < own && term->labels[first] != labels[d]) {
            ++first;
        }
        if (first < own) {
            term->tensor = onnx_diagonal(call, term->tensor, first, own);
            if (term->tensor == NULL) {
                return false;
            }
            continue;
        }
        term->labels[own++] = labels[d];
        ++sum->reads[labels[d]];
        const uint32_t size = term->tensor->sizes[own - 1];
        uint32_t *known = &sum->sizes[labels[d]];
        const bool may_broadcast = labels[d] >= 52;
        if (*known != 0 && *known != size && !(may_broadcast && (*known == 1 || size == 1))) {
            return onnx_refuse(call, "a subscript of sizes %u and %u", (unsigned)*known, (unsigned)size);
        }
        *known = *known == 0 || *known == 1 ? size : *known;
    }
    return true;
}

/* Without an arrow the output has the ellipsis, and letters that stand once, in their order. */
static void imply_output(struct sum *sum, const char *equation) {
    uint32_t counts[MOST_SUBSCRIPTS] = {0};
    for (; *equation != 0; ++equation) {
        if (is_letter(*equation)) {
            ++counts[label_of(*equation)];
        }
    }
    for (uint32_t d = 0; d < sum->ellipsis; ++d) {
        sum->output[sum->output_rank++] = 52 + sum->ellipsis - 1 - d;
    }
    /* In the alphabet capitals come first. */
    for (uint32_t i = 0; i < 52; ++i) {
        const uint32_t label = (i + 26) % 52;
        if (counts[label] == 1 && sum->output_rank < ONNX_MAX_RANK) {
            sum->output[sum->output_rank++] = label;
        }
    }
}

static bool read_equation(const struct onnx_call *call, const char *equation, struct sum *sum) {
    const char *text = equation;
    uint32_t labels[ONNX_MAX_RANK], rank;
    bool has_dots;
    sum->count = call->input_count;
    if (sum->count == 0 || sum->count > MOST_OPERANDS) {
        return onnx_refuse(call, "%u operands", (unsigned)sum->count);
    }
    for (uint32_t i = 0; i < sum->count; ++i) {
        struct term *term = &sum->terms[i];
        term->tensor = onnx_input(call, i);
        const char *end = term->tensor == NULL ? NULL : read_labels(call, text, 0, &rank, labels, &has_dots);
        if (end == NULL) {
            return onnx_refuse(call, "no input");
        }
        if (has_dots) {
            if (rank > term->tensor->rank) {
                return onnx_refuse(call, "more subscripts than dimensions");
            }
            const uint32_t dots = term->tensor->rank - rank;
            sum->ellipsis = dots > sum->ellipsis ? dots : sum->ellipsis;
            end = read_labels(call, text, dots, &rank, labels, &has_dots);
        }
        if (end == NULL || !set_term(call, sum, term, rank, labels)) {
            return false;
        }
        if (*end != (i + 1 < sum->count ? ',' : *end == '-' ? '-' : 0)) {
            return onnx_refuse(call, "an equation of another number of operands");
        }
        text = *end == ',' ? end + 1 : end;
    }
    sum->has_arrow = *text == '-';
    if (sum->has_arrow) {
        const char *end = text[1] == '>'
                              ? read_labels(call, text + 2, sum->ellipsis, &sum->output_rank, sum->output, &has_dots)
                              : NULL;
        if (end == NULL || *end != 0) {
            return onnx_refuse(call, "an equation that ends in '%s'", text);
        }
    } else {
        imply_output(sum, equation);
    }
    for (uint32_t d = 0; d < sum->output_rank; ++d) {
        bool *is_kept = &sum->is_kept[sum->output[d]];
        if (*is_kept || sum->reads[sum->output[d]] == 0) {
            return onnx_refuse(call, "an output with a subscript twice, or of its own");
        }
        *is_kept = true;
    }
    return true;
}

/* ---- terms ---- */

static uint32_t find(const struct term *term, uint32_t label) {
    for (uint32_t d = 0; d < term->tensor->rank; ++d) {
        if (term->labels[d] == label) {
            return d;
        }
    }
    return ONNX_NONE;
}

/* Ellipses to their common sizes. */
static bool widen(const struct onnx_call *call, const struct sum *sum, struct term *term) {
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < term->tensor->rank; ++d) {
        sizes[d] = sum->sizes[term->labels[d]];
    }
    term->tensor = onnx_broadcast(call, term->tensor, term->tensor->rank, sizes);
    return term->tensor != NULL;
}

/* Sums over what nothing else reads. */
static bool sum_alone(const struct onnx_call *call, struct sum *sum, struct term *term) {
    uint32_t axes[ONNX_MAX_RANK], count = 0, rank = 0, sizes[ONNX_MAX_RANK], labels[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < term->tensor->rank; ++d) {
        const uint32_t label = term->labels[d];
        if (sum->reads[label] == 1 && !sum->is_kept[label]) {
            axes[count++] = d;
        } else {
            labels[rank] = label;
            sizes[rank++] = term->tensor->sizes[d];
        }
    }
    if (count == 0) {
        return true;
    }
    term->tensor =
        onnx_reshape(call, onnx_reduce(call, DML_REDUCE_FUNCTION_SUM, term->tensor, count, axes), rank, sizes);
    memcpy(term->labels, labels, sizeof labels);
    return term->tensor != NULL;
}

/* A term's dimensions of these labels in this order; count[g] of them are joined to one each: {.., .., ..}. */
static struct onnx_tensor *arrange(const struct onnx_call *call, const struct sum *sum, const struct term *term,
                                   const uint32_t *labels, const uint32_t *counts) {
    uint32_t order[ONNX_MAX_RANK], sizes[3] = {1, 1, 1}, next = 0;
    for (uint32_t g = 0; g < 3; ++g) {
        uint64_t size = 1;
        for (uint32_t i = 0; i < counts[g]; ++i, ++next) {
            order[next] = find(term, labels[next]);
            size *= sum->sizes[labels[next]];
        }
        if (size > UINT32_MAX) {
            onnx_refuse(call, "sizes beyond 32 bits");
            return NULL;
        }
        sizes[g] = (uint32_t)size;
    }
    return onnx_reshape(call, onnx_transpose(call, term->tensor, order), 3, sizes);
}

/* What labels of two terms are for. */
struct roles {
    uint32_t batch_count, left_count, right_count, inner_count;
    uint32_t batch[ONNX_MAX_RANK], left[ONNX_MAX_RANK], right[ONNX_MAX_RANK], inner[ONNX_MAX_RANK];
};

static void find_roles(const struct sum *sum, const struct term *a, const struct term *b, struct roles *r) {
    *r = (struct roles){0};
    for (uint32_t d = 0; d < a->tensor->rank; ++d) {
        const uint32_t label = a->labels[d];
        if (find(b, label) == ONNX_NONE) {
            r->left[r->left_count++] = label;
        } else if (sum->reads[label] > 2 || sum->is_kept[label]) {
            r->batch[r->batch_count++] = label;
        } else {
            r->inner[r->inner_count++] = label;
        }
    }
    for (uint32_t d = 0; d < b->tensor->rank; ++d) {
        if (find(a, b->labels[d]) == ONNX_NONE) {
            r->right[r->right_count++] = b->labels[d];
        }
    }
}

static void append(uint32_t *to, uint32_t *count, const uint32_t *from, uint32_t more) {
    for (uint32_t i = 0; i < more; ++i) {
        to[(*count)++] = from[i];
    }
}

/* a becomes its product with b: {batch, left, inner} x {batch, inner, right}. */
static bool join(const struct onnx_call *call, struct sum *sum, struct term *a, const struct term *b) {
    struct roles r;
    find_roles(sum, a, b, &r);
    uint32_t of_a[ONNX_MAX_RANK], of_b[ONNX_MAX_RANK], result[2 * ONNX_MAX_RANK], count = 0, rank = 0;
    append(of_a, &count, r.batch, r.batch_count);
    append(of_a, &count, r.left, r.left_count);
    append(of_a, &count, r.inner, r.inner_count);
    count = 0;
    append(of_b, &count, r.batch, r.batch_count);
    append(of_b, &count, r.inner, r.inner_count);
    append(of_b, &count, r.right, r.right_count);
    append(result, &rank, r.batch, r.batch_count);
    append(result, &rank, r.left, r.left_count);
    append(result, &rank, r.right, r.right_count);
    if (rank > ONNX_MAX_RANK) {
        return onnx_refuse(call, "a product of more than 8 dimensions");
    }
    struct onnx_tensor *left =
        arrange(call, sum, a, of_a, (const uint32_t[]){r.batch_count, r.left_count, r.inner_count});
    struct onnx_tensor *right =
        arrange(call, sum, b, of_b, (const uint32_t[]){r.batch_count, r.inner_count, r.right_count});
    if (left == NULL || right == NULL) {
        return false;
    }
    struct onnx_tensor *product = r.inner_count == 0
                                      ? onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, left, right)
                                      : onnx_matmul(call, left, right);
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < rank; ++d) {
        sizes[d] = sum->sizes[result[d]];
        a->labels[d] = result[d];
    }
    for (uint32_t i = 0; i < r.batch_count; ++i) {
        --sum->reads[r.batch[i]];
    }
    a->tensor = onnx_reshape(call, product, rank, sizes);
    return a->tensor != NULL;
}

static bool einsum(const struct onnx_call *call) {
    struct sum sum = {0};
    if (!read_equation(call, onnx_text(call, "equation", ""), &sum)) {
        return false;
    }
    for (uint32_t i = 0; i < sum.count; ++i) {
        if (onnx_is_empty(sum.terms[i].tensor)) {
            return onnx_refuse(call, "an operand of no elements");
        }
        if (!widen(call, &sum, &sum.terms[i]) || !sum_alone(call, &sum, &sum.terms[i])) {
            return false;
        }
    }
    for (uint32_t i = 1; i < sum.count; ++i) {
        if (!join(call, &sum, &sum.terms[0], &sum.terms[i])) {
            return false;
        }
    }
    uint32_t order[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < sum.output_rank; ++d) {
        order[d] = find(&sum.terms[0], sum.output[d]);
        if (order[d] == ONNX_NONE) {
            return onnx_refuse(call, "an output of a subscript of its own");
        }
    }
    return onnx_output(call, 0, onnx_transpose(call, sum.terms[0].tensor, order));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Einsum", 12, einsum},
};
ONNX_DEFINE_FAMILY(einsum, rows)
