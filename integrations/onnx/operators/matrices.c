/* Matrix products by NumPy's rules, as DirectML takes them. */
#include "onnx/operators/matrices.h"

static void append(uint32_t *rank, uint32_t *sizes, uint32_t size) {
    sizes[(*rank)++] = size;
}

/* Batches as rows of a, which saves the broadcast of b. */
static bool fold(const struct onnx_call *call, struct onnx_matrices *m, uint32_t inner) {
    uint64_t rows = m->rows;
    for (uint32_t d = 0; d < m->batch_rank; ++d) {
        rows *= m->batches[d];
    }
    if (rows > UINT32_MAX) {
        return onnx_refuse(call, "more than 2^32 rows");
    }
    m->rank = 2;
    m->is_folded = true;
    m->a = onnx_reshape(call, m->a, 2, (const uint32_t[]){(uint32_t)rows, inner});
    m->b = onnx_reshape(call, m->b, 2, (const uint32_t[]){inner, m->columns});
    return m->a != NULL && m->b != NULL;
}

/* Two leading dimensions stay, more become one. */
static struct onnx_tensor *spread(const struct onnx_call *call, const struct onnx_matrices *m,
                                  struct onnx_tensor *tensor) {
    uint32_t sizes[ONNX_MAX_RANK + 2], rank = 0, count = 1;
    for (uint32_t d = 0; d < m->batch_rank; ++d) {
        append(&rank, sizes, m->batches[d]);
        count *= m->batches[d];
    }
    const uint32_t rows = tensor->sizes[tensor->rank - 2], columns = tensor->sizes[tensor->rank - 1];
    append(&rank, sizes, rows);
    append(&rank, sizes, columns);
    if (rank > ONNX_MAX_RANK) {
        onnx_refuse(call, "more than 8 dimensions");
        return NULL;
    }
    tensor = onnx_broadcast(call, tensor, rank, sizes);
    return rank <= 4 ? tensor : onnx_reshape(call, tensor, 3, (const uint32_t[]){count, rows, columns});
}

static bool has_batches(const struct onnx_tensor *tensor) {
    for (uint32_t d = 0; d + 2 < tensor->rank; ++d) {
        if (tensor->sizes[d] != 1) {
            return true;
        }
    }
    return false;
}

bool onnx_line_up(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b, struct onnx_matrices *m) {
    *m = (struct onnx_matrices){0};
    if (a == NULL || b == NULL || a->rank == 0 || b->rank == 0) {
        return onnx_refuse(call, "no matrices");
    }
    const bool is_row = a->rank == 1, is_column = b->rank == 1;
    m->a = onnx_pad_rank(call, a, 2);
    m->b = is_column ? onnx_reshape(call, b, 2, (const uint32_t[]){b->sizes[0], 1}) : b;
    if (m->a == NULL || m->b == NULL) {
        return false;
    }
    const uint32_t inner = m->a->sizes[m->a->rank - 1];
    if (inner != m->b->sizes[m->b->rank - 2]) {
        return onnx_refuse(call, "matrices whose sizes do not fit: %u and %u", (unsigned)inner,
                           (unsigned)m->b->sizes[m->b->rank - 2]);
    }
    m->rows = m->a->sizes[m->a->rank - 2];
    m->columns = m->b->sizes[m->b->rank - 1];
    struct onnx_tensor leading[] = {*m->a, *m->b};
    leading[0].rank -= 2;
    leading[1].rank -= 2;
    if (!onnx_broadcast_sizes(call, 2, (struct onnx_tensor *[]){&leading[0], &leading[1]}, &m->batch_rank,
                              m->batches)) {
        return false;
    }
    for (uint32_t d = 0; d < m->batch_rank; ++d) {
        append(&m->result_rank, m->result_sizes, m->batches[d]);
    }
    if (!is_row) {
        append(&m->result_rank, m->result_sizes, m->rows);
    }
    if (!is_column) {
        append(&m->result_rank, m->result_sizes, m->columns);
    }
    if (!has_batches(m->b)) {
        return fold(call, m, inner);
    }
    m->a = spread(call, m, m->a);
    m->b = spread(call, m, m->b);
    if (m->a == NULL || m->b == NULL) {
        return false;
    }
    m->rank = m->a->rank;
    return true;
}

/* One number as {1, ..}. */
static bool is_single(const struct onnx_call *call, const struct onnx_matrices *m, struct onnx_tensor **tensor) {
    const uint32_t ones[] = {1, 1, 1, 1};
    *tensor = onnx_reshape(call, *tensor, m->rank, ones);
    return *tensor != NULL;
}

bool onnx_for_rows(const struct onnx_call *call, const struct onnx_matrices *m, struct onnx_tensor **tensor) {
    if (*tensor == NULL || onnx_count(*tensor) == 1) {
        return *tensor == NULL || is_single(call, m, tensor);
    }
    struct onnx_tensor *rows = *tensor;
    if (rows->rank == 1) {
        rows = onnx_reshape(call, rows, 2, (const uint32_t[]){rows->sizes[0], 1});
    }
    if (rows == NULL || rows->sizes[rows->rank - 1] != 1 || rows->sizes[rows->rank - 2] != m->rows) {
        return onnx_refuse(call, "scales or zero points that are neither one nor one for each row");
    }
    if (!m->is_folded) {
        *tensor = has_batches(rows) ? spread(call, m, rows) : onnx_pad_rank(call, rows, m->rank);
        return *tensor != NULL;
    }
    rows = spread(call, m, rows);
    *tensor = onnx_reshape(call, rows, 2, (const uint32_t[]){m->a->sizes[0], 1});
    return *tensor != NULL;
}

bool onnx_for_columns(const struct onnx_call *call, const struct onnx_matrices *m, struct onnx_tensor **tensor) {
    if (*tensor == NULL || onnx_count(*tensor) == 1) {
        return *tensor == NULL || is_single(call, m, tensor);
    }
    struct onnx_tensor *columns = onnx_pad_rank(call, *tensor, 2);
    if (columns == NULL || columns->sizes[columns->rank - 1] != m->columns || columns->sizes[columns->rank - 2] != 1) {
        return onnx_refuse(call, "scales or zero points that are neither one nor one for each column");
    }
    if (has_batches(columns)) {
        *tensor = spread(call, m, columns);
    } else {
        const uint32_t sizes[] = {1, m->columns};
        *tensor = onnx_pad_rank(call, onnx_reshape(call, columns, 2, sizes), m->rank);
    }
    return *tensor != NULL;
}

void onnx_product_sizes(const struct onnx_matrices *m, uint32_t sizes[ONNX_MAX_RANK]) {
    for (uint32_t d = 0; d < m->rank; ++d) {
        sizes[d] = m->a->sizes[d];
    }
    sizes[m->rank - 1] = m->columns;
}

struct onnx_tensor *onnx_product_result(const struct onnx_call *call, const struct onnx_matrices *m,
                                        struct onnx_tensor *made) {
    return onnx_reshape(call, made, m->result_rank, m->result_sizes);
}

struct onnx_tensor *onnx_product_to_float(const struct onnx_call *call, const struct onnx_quantized *a,
                                          const struct onnx_quantized *b, struct onnx_tensor *bias) {
    struct onnx_matrices m;
    struct onnx_quantized x = *a, y = *b;
    if (!onnx_line_up(call, x.tensor, y.tensor, &m) || !onnx_for_rows(call, &m, &x.scale) ||
        !onnx_for_rows(call, &m, &x.zero) || !onnx_for_columns(call, &m, &y.scale) ||
        !onnx_for_columns(call, &m, &y.zero)) {
        return NULL;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    onnx_product_sizes(&m, sizes);
    if (x.scale == NULL || y.scale == NULL) {
        onnx_refuse(call, "no scale");
        return NULL;
    }
    struct onnx_tensor *result = onnx_declare(call, x.scale->type, m.rank, sizes);
    if (result == NULL || onnx_is_empty(result)) {
        return onnx_product_result(call, &m, result);
    }
    if (bias != NULL) {
        bias = onnx_broadcast(call, bias, m.rank, sizes);
        if (bias == NULL) {
            return NULL;
        }
    }
    DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC desc = {0};
    return onnx_emit(call, DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT, &desc,
                     ONNX_TENSORS(m.a, x.scale, x.zero, m.b, y.scale, y.zero, bias), 1, &result)
               ? onnx_product_result(call, &m, result)
               : NULL;
}
