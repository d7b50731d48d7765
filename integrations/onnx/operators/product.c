/* Products of matrices. */
#include <string.h>

#include "onnx/operators/network.h"

/* A product of integers of up to this many terms is their sum; others are products of bytes. */
#define MOST_TERMS (1U << 22)

/* Columns that are multiplied at once: eight times as many products of bytes stay below 2^32. */
#define MOST_INNER 8192

/* ---- batches ---- */

/* a and b of one rank, whose leading dimensions are broadcast; {.., M, N}. False where these do not fit. */
static bool match(const struct onnx_call *call, struct onnx_tensor **a, struct onnx_tensor **b, uint32_t *rank,
                  uint32_t sizes[ONNX_MAX_RANK]) {
    *rank = (*a)->rank > (*b)->rank ? (*a)->rank : (*b)->rank;
    *a = onnx_pad_rank(call, *a, *rank);
    *b = onnx_pad_rank(call, *b, *rank);
    if (*a == NULL || *b == NULL) {
        return false;
    }
    if ((*a)->sizes[*rank - 1] != (*b)->sizes[*rank - 2]) {
        return onnx_refuse(call, "matrices of %u columns and %u rows", (unsigned)(*a)->sizes[*rank - 1],
                           (unsigned)(*b)->sizes[*rank - 2]);
    }
    uint32_t of_a[ONNX_MAX_RANK], of_b[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < *rank; ++d) {
        of_a[d] = (*a)->sizes[d];
        of_b[d] = (*b)->sizes[d];
        if (d + 2 < *rank) {
            if (of_a[d] != of_b[d] && of_a[d] != 1 && of_b[d] != 1) {
                return onnx_refuse(call, "sizes that do not broadcast: %u and %u", (unsigned)of_a[d],
                                   (unsigned)of_b[d]);
            }
            of_a[d] = of_b[d] = of_a[d] == 1 ? of_b[d] : of_a[d];
        }
        sizes[d] = d + 1 == *rank ? of_b[d] : of_a[d];
    }
    *a = onnx_broadcast(call, *a, *rank, of_a);
    *b = onnx_broadcast(call, *b, *rank, of_b);
    return *a != NULL && *b != NULL;
}

/* One dimension of all but the last two where there are more than four. */
static struct onnx_tensor *join_batches(const struct onnx_call *call, struct onnx_tensor *x) {
    if (x == NULL || x->rank <= 4) {
        return x;
    }
    uint64_t batches = 1;
    for (uint32_t d = 0; d + 2 < x->rank; ++d) {
        batches *= x->sizes[d];
    }
    if (batches > UINT32_MAX) {
        onnx_refuse(call, "sizes beyond 32 bits");
        return NULL;
    }
    return onnx_reshape(call, x, 3,
                        (const uint32_t[]){(uint32_t)batches, x->sizes[x->rank - 2], x->sizes[x->rank - 1]});
}

/* Rows of all batches as rows of one matrix, where the other side is the same for all: then nothing is read twice. */
static struct onnx_tensor *join_rows(const struct onnx_call *call, struct onnx_tensor *a, const struct onnx_tensor *b) {
    uint64_t rows = 1;
    for (uint32_t d = 0; d + 1 < a->rank; ++d) {
        rows *= a->sizes[d];
    }
    if (a->rank <= 2 || b->rank != 2 || a->is_strided || rows > UINT32_MAX) {
        return a;
    }
    return onnx_reshape(call, a, 2, (const uint32_t[]){(uint32_t)rows, a->sizes[a->rank - 1]});
}

/* ---- products ---- */

/* Of floats by GEMM; c may be NULL. */
static struct onnx_tensor *gemm_of(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b,
                                   struct onnx_tensor *c, float alpha, float beta,
                                   const struct onnx_activation *fused) {
    const DML_OPERATOR_DESC activation = {fused == NULL ? DML_OPERATOR_INVALID : fused->type,
                                          fused == NULL ? NULL : &fused->desc};
    DML_GEMM_OPERATOR_DESC desc = {.TransA = DML_MATRIX_TRANSFORM_NONE,
                                   .TransB = DML_MATRIX_TRANSFORM_NONE,
                                   .Alpha = alpha,
                                   .Beta = beta,
                                   .FusedActivation = fused == NULL ? NULL : &activation};
    return onnx_make(call, DML_OPERATOR_GEMM, &desc, ONNX_TENSORS(a, b, c));
}

/* Of integers, which DirectML's GEMM does not take: {.., M, K, N} of all terms, and their sums. */
static struct onnx_tensor *sum_terms(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b) {
    const uint32_t rank = a->rank;
    uint32_t sizes[ONNX_MAX_RANK] = {0};
    memcpy(sizes, a->sizes, rank * sizeof *sizes);
    sizes[rank] = 1;
    a = onnx_reshape(call, a, rank + 1, sizes);
    memcpy(sizes, b->sizes, (rank - 2) * sizeof *sizes);
    sizes[rank - 2] = 1;
    sizes[rank - 1] = b->sizes[rank - 2];
    sizes[rank] = b->sizes[rank - 1];
    b = onnx_reshape(call, b, rank + 1, sizes);
    const uint32_t axis = rank - 1;
    return onnx_reduce(call, DML_REDUCE_FUNCTION_SUM, onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, a, b), 1,
                       &axis);
}

/* Byte `index` of each element of UINT32 or UINT64. */
static struct onnx_tensor *byte_of(const struct onnx_call *call, struct onnx_tensor *x, uint32_t index) {
    if (x != NULL && index != 0) {
        x = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT, x, onnx_number(call, x->type, 8.0 * index));
    }
    if (x != NULL) {
        x = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_AND, x, onnx_number(call, x->type, 255));
    }
    return onnx_cast(call, x, ONNX_UINT8);
}

/* Products of bytes whose places add up to `place`, summed: those of a beside one another, times those of b. */
static struct onnx_tensor *multiply_bytes(const struct onnx_call *call, uint32_t place, struct onnx_tensor *const *a,
                                          struct onnx_tensor *const *b) {
    struct onnx_tensor *turned[8];
    for (uint32_t i = 0; i <= place; ++i) {
        turned[i] = b[place - i];
        if (a[i] == NULL || turned[i] == NULL) {
            return NULL;
        }
    }
    const uint32_t rank = a[0]->rank;
    struct onnx_tensor *left = onnx_join(call, place + 1, a, rank - 1);
    struct onnx_tensor *right = onnx_join(call, place + 1, turned, rank - 2);
    if (left == NULL || right == NULL) {
        return NULL;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    memcpy(sizes, left->sizes, rank * sizeof *sizes);
    sizes[rank - 1] = right->sizes[rank - 1];
    struct onnx_tensor *sum = onnx_declare(call, ONNX_INT32, rank, sizes);
    DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC desc = {0};
    return sum != NULL && onnx_emit(call, DML_OPERATOR_MATRIX_MULTIPLY_INTEGER, &desc,
                                    ONNX_TENSORS(left, NULL, right, NULL), 1, &sum)
               ? onnx_reinterpret(call, sum, ONNX_UINT32)
               : NULL;
}

/* Of UINT32 or UINT64 modulo 2^32 or 2^64: the sum of 256^place times products of bytes. */
static struct onnx_tensor *multiply_words(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b) {
    const enum onnx_type type = a->type;
    const uint32_t bytes = type == ONNX_UINT64 ? 8 : 4;
    struct onnx_tensor *of_a[8], *of_b[8], *sum = NULL;
    for (uint32_t i = 0; i < bytes; ++i) {
        of_a[i] = byte_of(call, a, i);
        of_b[i] = byte_of(call, b, i);
        struct onnx_tensor *part = onnx_cast(call, multiply_bytes(call, i, of_a, of_b), type);
        if (part == NULL) {
            return NULL;
        }
        part = i == 0 ? part
                      : onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_LEFT, part,
                                    onnx_number(call, type, 8.0 * i));
        sum = i == 0 ? part : onnx_add(call, sum, part);
    }
    return sum;
}

/* Of many integers, signed or not: what is kept of a product does not depend on it. */
static struct onnx_tensor *multiply_integers(const struct onnx_call *call, struct onnx_tensor *a,
                                             struct onnx_tensor *b) {
    const enum onnx_type type = a->type;
    const enum onnx_type words = type == ONNX_INT32 || type == ONNX_UINT32 ? ONNX_UINT32 : ONNX_UINT64;
    a = join_batches(call, onnx_reinterpret(call, a, words));
    b = join_batches(call, onnx_reinterpret(call, b, words));
    if (a == NULL || b == NULL) {
        return NULL;
    }
    const uint32_t rank = a->rank, inner = b->sizes[rank - 2];
    struct onnx_tensor *sum = NULL;
    for (uint32_t at = 0; at < inner; at += MOST_INNER) {
        const uint32_t size = inner - at < MOST_INNER ? inner - at : MOST_INNER;
        struct onnx_tensor *left = onnx_slice_axis(call, a, rank - 1, at, size, 1);
        struct onnx_tensor *right = onnx_slice_axis(call, b, rank - 2, at, size, 1);
        struct onnx_tensor *part = left == NULL || right == NULL ? NULL : multiply_words(call, left, right);
        sum = at == 0 ? part : onnx_add(call, sum, part);
        if (sum == NULL || !onnx_charge_plan(call, 32)) {
            return NULL;
        }
    }
    return onnx_reinterpret(call, sum, type);
}

static bool is_wide_integer(const struct onnx_tensor *x) {
    return x->type == ONNX_INT32 || x->type == ONNX_INT64 || x->type == ONNX_UINT32 || x->type == ONNX_UINT64;
}

static struct onnx_tensor *product_of(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b,
                                      float alpha, const struct onnx_activation *fused) {
    if (a == NULL || b == NULL) {
        return NULL;
    }
    if (a->type != b->type || (!onnx_is_float(a->type) && !is_wide_integer(a)) ||
        (!onnx_is_float(a->type) && (alpha != 1.0F || fused != NULL))) {
        onnx_refuse_type(call, "a product of %s", onnx_type_name(a->type));
        return NULL;
    }
    uint32_t rank, sizes[ONNX_MAX_RANK];
    struct onnx_tensor *left = join_rows(call, a, b), *right = b;
    const struct onnx_tensor *const before = left;
    if (left == NULL || !match(call, &left, &right, &rank, sizes)) {
        return NULL;
    }
    struct onnx_tensor *output;
    if (onnx_is_empty(left) || onnx_is_empty(right)) {
        output = onnx_fill(call, a->type, rank, sizes, 0);
        output = fused == NULL ? output : onnx_activate(call, fused, output);
    } else if (onnx_is_float(a->type)) {
        output = gemm_of(call, join_batches(call, left), join_batches(call, right), NULL, alpha, 0, fused);
    } else if (rank < ONNX_MAX_RANK && onnx_count(left) * right->sizes[rank - 1] <= MOST_TERMS) {
        output = sum_terms(call, left, right);
    } else {
        output = multiply_integers(call, left, right);
    }
    if (before != a) {
        memcpy(sizes, a->sizes, a->rank * sizeof *sizes);
        rank = a->rank;
        sizes[rank - 1] = b->sizes[1];
    }
    return onnx_reshape(call, output, rank, sizes);
}

struct onnx_tensor *onnx_matmul(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b) {
    return product_of(call, a, b, 1, NULL);
}

/* By NumPy's rules for vectors: a row on the left, a column on the right, and the dimension is taken off again. */
static struct onnx_tensor *multiply(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b,
                                    float alpha, const struct onnx_activation *fused) {
    if (a == NULL || b == NULL) {
        return NULL;
    }
    if (a->rank == 0 || b->rank == 0) {
        onnx_refuse(call, "a product of a scalar");
        return NULL;
    }
    const bool is_row = a->rank == 1, is_column = b->rank == 1;
    a = is_row ? onnx_reshape(call, a, 2, (const uint32_t[]){1, a->sizes[0]}) : a;
    b = is_column ? onnx_reshape(call, b, 2, (const uint32_t[]){b->sizes[0], 1}) : b;
    struct onnx_tensor *product = product_of(call, a, b, alpha, fused);
    if (product == NULL || (!is_row && !is_column)) {
        return product;
    }
    uint32_t rank = 0, sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < product->rank; ++d) {
        const bool is_gone = (is_row && d + 2 == product->rank) || (is_column && d + 1 == product->rank);
        if (!is_gone) {
            sizes[rank++] = product->sizes[d];
        }
    }
    return onnx_reshape(call, product, rank, sizes);
}

static bool mat_mul(const struct onnx_call *call) {
    if (onnx_input(call, 0) == NULL || onnx_input(call, 1) == NULL) {
        return onnx_refuse(call, "no input");
    }
    return onnx_output(call, 0, multiply(call, onnx_input(call, 0), onnx_input(call, 1), 1, NULL));
}

/* ---- fused ---- */

/* Without an activation *is_there is false. */
static bool read_fused(const struct onnx_call *call, struct onnx_activation *activation, bool *is_there) {
    const char *name = onnx_text(call, "activation", "");
    *is_there = name[0] != 0;
    if (*is_there && !onnx_find_activation(name, activation)) {
        return onnx_refuse(call, "activation %s", name);
    }
    if (*is_there && activation->number_count > 0) {
        if (!activation->has_defaults && onnx_attribute(call, "activation_alpha", ONNX_ATTRIBUTE_FLOAT) == NULL) {
            return onnx_refuse(call, "activation %s without activation_alpha", name);
        }
        activation->desc.Alpha = onnx_float(call, "activation_alpha", activation->desc.Alpha);
        activation->desc.Beta = onnx_float(call, "activation_beta", activation->desc.Beta);
    }
    return true;
}

/* trans: the last two dimensions; transBatch: the first one goes before the last. */
static struct onnx_tensor *turn(const struct onnx_call *call, struct onnx_tensor *x, bool last, bool batch) {
    if (x == NULL || x->rank < 2) {
        return x;
    }
    const uint32_t rank = x->rank;
    uint32_t order[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < rank; ++d) {
        order[d] = batch && d + 1 < rank ? (d + 1) % (rank - 1) : d;
    }
    if (last) {
        const uint32_t kept = order[rank - 1];
        order[rank - 1] = order[rank - 2];
        order[rank - 2] = kept;
    }
    return onnx_transpose(call, x, order);
}

static bool fused_mat_mul(const struct onnx_call *call) {
    struct onnx_activation activation;
    bool is_there;
    if (onnx_input(call, 0) == NULL || onnx_input(call, 1) == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (!read_fused(call, &activation, &is_there)) {
        return false;
    }
    struct onnx_tensor *a =
        turn(call, onnx_input(call, 0), onnx_int(call, "transA", 0) != 0, onnx_int(call, "transBatchA", 0) != 0);
    struct onnx_tensor *b =
        turn(call, onnx_input(call, 1), onnx_int(call, "transB", 0) != 0, onnx_int(call, "transBatchB", 0) != 0);
    return onnx_output(call, 0, multiply(call, a, b, onnx_float(call, "alpha", 1), is_there ? &activation : NULL));
}

/* ---- Gemm ---- */

static struct onnx_tensor *gemm_of_integers(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b,
                                            struct onnx_tensor *c) {
    if (onnx_float(call, "alpha", 1) != 1.0F || onnx_float(call, "beta", 1) != 1.0F) {
        onnx_refuse(call, "alpha or beta of integers");
        return NULL;
    }
    struct onnx_tensor *product = onnx_matmul(call, a, b);
    return c == NULL ? product : onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_ADD, product, c);
}

/* C broadcasts to {M, N} alone; in versions 1 and 6 where `broadcast` says so, which needs no looking at. */
static bool gemm(const struct onnx_call *call) {
    struct onnx_tensor *a = onnx_input(call, 0), *b = onnx_input(call, 1), *c = onnx_input(call, 2);
    struct onnx_activation activation;
    bool is_there = false;
    if (a == NULL || b == NULL || a->rank != 2 || b->rank != 2 || a->type != b->type) {
        return onnx_refuse(call, "inputs that are no two matrices of a type");
    }
    if (!read_fused(call, &activation, &is_there)) {
        return false;
    }
    a = turn(call, a, onnx_int(call, "transA", 0) != 0, false);
    b = turn(call, b, onnx_int(call, "transB", 0) != 0, false);
    if (a == NULL || b == NULL) {
        return false;
    }
    if (a->sizes[1] != b->sizes[0]) {
        return onnx_refuse(call, "matrices of %u columns and %u rows", (unsigned)a->sizes[1], (unsigned)b->sizes[0]);
    }
    const uint32_t sizes[] = {a->sizes[0], b->sizes[1]};
    const float alpha = onnx_float(call, "alpha", 1), beta = onnx_float(call, "beta", 1);
    c = c == NULL ? NULL : onnx_broadcast(call, c, 2, sizes);
    if (onnx_input(call, 2) != NULL && c == NULL) {
        return false;
    }
    struct onnx_tensor *y;
    if (is_wide_integer(a) && !is_there) {
        y = gemm_of_integers(call, a, b, c);
    } else if (sizes[0] == 0 || sizes[1] == 0) {
        y = onnx_declare(call, a->type, 2, sizes);
    } else if (onnx_is_empty(a)) {
        y = c == NULL ? onnx_fill(call, a->type, 2, sizes, 0) : onnx_linear(call, c, beta, 0);
        y = is_there ? onnx_activate(call, &activation, y) : y;
    } else {
        y = gemm_of(call, a, b, c, alpha, beta, is_there ? &activation : NULL);
    }
    return onnx_output(call, 0, y);
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "Gemm", 1, gemm},
    {ONNX_ML, "MatMul", 1, mat_mul},
    {ONNX_MICROSOFT, "FusedGemm", 1, gemm},
    {ONNX_MICROSOFT, "FusedMatMul", 1, fused_mat_mul},
    {ONNX_MICROSOFT, "FusedMatMulActivation", 1, fused_mat_mul},
};
ONNX_DEFINE_FAMILY(product, rows)
