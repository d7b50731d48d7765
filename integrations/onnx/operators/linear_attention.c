/* LinearAttention: a state that each row of keys and values changes, and queries read. One row is a step; of more,
 * chunks are computed at once, as products, and only the state goes from one to the next. All is computed in FLOAT. */
#include <math.h>
#include <string.h>

#include "onnx/operators/attention.h"
#include "onnx/operators/move.h"

enum {
    BLOCK = 8,       /* rows that are solved for by a product */
    CHUNK = 64,      /* rows, of one decay for a head */
    CHUNK_EACH = 16, /* rows, of a decay for each element of a key: these are multiplied one by one */
};

/* {batch * heads of keys, rows, ..}; of queries {.., those that share a head of keys, rows, ..}. */
struct linear {
    uint32_t batch, heads, shared, rows, size, columns, count;
    float scale;
    struct onnx_tensor *q, *k, *v;
    struct onnx_tensor *decay, *beta, *state; /* or NULL; no state is one of zeros */
};

/* ---- inputs ---- */

static struct onnx_tensor *unpack(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t heads) {
    tensor = onnx_split_heads(call, onnx_cast(call, tensor, ONNX_FLOAT), heads);
    return tensor == NULL
               ? NULL
               : onnx_reshape(call, tensor, 3,
                              (const uint32_t[]){tensor->sizes[0] * heads, tensor->sizes[2], tensor->sizes[3]});
}

static bool is_of_rows(const struct linear *l, const struct onnx_tensor *tensor) {
    return tensor != NULL && tensor->rank == 3 && tensor->sizes[0] == l->batch && tensor->sizes[1] == l->rows &&
           tensor->sizes[2] != 0;
}

static bool read_gates(const struct onnx_call *call, struct linear *l) {
    const char *rule = onnx_text(call, "update_rule", "gated_delta");
    const bool is_gated = strncmp(rule, "gated", 5) == 0, is_delta = strstr(rule, "delta") != NULL;
    struct onnx_tensor *decay = onnx_input(call, 4), *beta = onnx_input(call, 5);
    if (strcmp(rule, "linear") != 0 && strcmp(rule, "gated") != 0 && strcmp(rule, "delta") != 0 &&
        strcmp(rule, "gated_delta") != 0) {
        return onnx_refuse(call, "update_rule %s", rule);
    }
    if (is_gated != (decay != NULL) || is_delta != (beta != NULL)) {
        return onnx_refuse(call, "a decay or a beta that the rule %s has not, or lacks", rule);
    }
    if ((is_gated &&
         (!is_of_rows(l, decay) || (decay->sizes[2] != l->heads && decay->sizes[2] != (uint64_t)l->heads * l->size))) ||
        (is_delta && (!is_of_rows(l, beta) || (beta->sizes[2] != l->heads && beta->sizes[2] != 1)))) {
        return onnx_refuse(call, "a decay or a beta whose sizes do not fit");
    }
    l->decay = unpack(call, decay, l->heads);
    l->beta = unpack(call, onnx_broadcast(call, beta, 3, (const uint32_t[]){l->batch, l->rows, l->heads}), l->heads);
    return call->error->text[0] == 0;
}

static bool read_state(const struct onnx_call *call, struct linear *l) {
    struct onnx_tensor *past = onnx_input(call, 3);
    if (past == NULL) {
        return true;
    }
    if (past->rank != 4 || past->sizes[0] != l->batch || past->sizes[1] != l->heads || past->sizes[2] != l->size ||
        past->sizes[3] != l->columns) {
        return onnx_refuse(call, "a past state whose sizes do not fit");
    }
    l->state =
        onnx_reshape(call, onnx_cast(call, past, ONNX_FLOAT), 3, (const uint32_t[]){l->count, l->size, l->columns});
    return l->state != NULL;
}

static bool read_inputs(const struct onnx_call *call, struct linear *l) {
    const int64_t q_heads = onnx_int(call, "q_num_heads", 0), heads = onnx_int(call, "kv_num_heads", 0);
    struct onnx_tensor *q = onnx_needed(call, 0), *k = onnx_needed(call, 1), *v = onnx_needed(call, 2);
    if (q == NULL || k == NULL || v == NULL || q->rank != 3 || heads < 1 || q_heads > INT32_MAX || q_heads < heads ||
        q_heads % heads != 0 || !onnx_is_float(q->type)) {
        return onnx_refuse(call, "heads that have no meaning, or queries of other than 3 dimensions of floats");
    }
    l->batch = q->sizes[0];
    l->rows = q->sizes[1];
    l->heads = (uint32_t)heads;
    l->shared = (uint32_t)(q_heads / heads);
    if (onnx_is_empty(q) || !is_of_rows(l, k) || !is_of_rows(l, v) || q->sizes[2] % q_heads != 0 ||
        k->sizes[2] % heads != 0 || v->sizes[2] % heads != 0 || q->sizes[2] / q_heads != k->sizes[2] / heads) {
        return onnx_refuse(call, "queries, keys and values whose sizes do not fit");
    }
    l->size = k->sizes[2] / l->heads;
    l->columns = v->sizes[2] / l->heads;
    l->count = l->batch * l->heads;
    l->scale = onnx_float(call, "scale", 0.0F);
    l->scale = l->scale != 0 ? l->scale : 1.0F / sqrtf((float)l->size);
    l->q = unpack(call, q, (uint32_t)q_heads);
    l->q = onnx_reshape(call, l->q, 4, (const uint32_t[]){l->count, l->shared, l->rows, l->size});
    l->k = unpack(call, k, l->heads);
    l->v = unpack(call, v, l->heads);
    return l->q != NULL && l->k != NULL && l->v != NULL && read_gates(call, l) && read_state(call, l);
}

/* ---- one row ---- */

/* {count, rows, elements} as {count, elements, rows}. */
static struct onnx_tensor *turn(const struct onnx_call *call, struct onnx_tensor *tensor) {
    return onnx_transpose(call, tensor, (const uint32_t[]){0, 2, 1});
}

static struct onnx_tensor *exponential(const struct onnx_call *call, struct onnx_tensor *tensor) {
    return onnx_unary(call, DML_OPERATOR_ELEMENT_WISE_EXP, tensor);
}

/* beta * (v - k * state), or v. */
static struct onnx_tensor *correct(const struct onnx_call *call, const struct linear *l, struct onnx_tensor *k,
                                   struct onnx_tensor *state) {
    if (l->beta == NULL) {
        return l->v;
    }
    struct onnx_tensor *known = state == NULL ? NULL : onnx_gemm(call, k, state, false, 1.0F, NULL);
    return onnx_multiply(call, l->beta, state == NULL ? l->v : onnx_subtract(call, l->v, known));
}

/* What queries read, {count, shared, columns}; the state becomes the next. */
static struct onnx_tensor *step(const struct onnx_call *call, struct linear *l) {
    struct onnx_tensor *state = l->state;
    if (state != NULL && l->decay != NULL) {
        state = onnx_multiply(call, state, turn(call, exponential(call, l->decay)));
        if (state == NULL) {
            return NULL;
        }
    }
    l->state = onnx_gemm(call, turn(call, l->k), correct(call, l, l->k, state), false, 1.0F, state);
    struct onnx_tensor *q = onnx_reshape(call, l->q, 3, (const uint32_t[]){l->count, l->shared, l->size});
    return onnx_gemm(call, q, l->state, false, l->scale, NULL);
}

/* ---- chunks ---- */

static struct onnx_tensor *accumulate(const struct onnx_call *call, struct onnx_tensor *tensor) {
    DML_CUMULATIVE_SUMMATION_OPERATOR_DESC desc = {.Axis = 1};
    return onnx_make(call, DML_OPERATOR_CUMULATIVE_SUMMATION, &desc, ONNX_TENSORS(tensor));
}

/* The tensor, {.., rows, rows}, where its row is behind its column, or the same; elsewhere 0. */
static struct onnx_tensor *keep_lower(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t row,
                                      uint32_t column, bool is_same_kept) {
    if (tensor == NULL) {
        return NULL;
    }
    struct onnx_tensor *is_kept =
        onnx_compare(call,
                     is_same_kept ? DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL
                                  : DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN,
                     onnx_iota(call, ONNX_INT32, tensor->rank, row, tensor->sizes[row]),
                     onnx_iota(call, ONNX_INT32, tensor->rank, column, tensor->sizes[column]));
    return onnx_select(call, is_kept, tensor, onnx_number(call, ONNX_FLOAT, 0));
}

/* What is left in row i of what row j wrote, {count, i, j, elements or 1}: of sums of what lies between, since the
 * difference of two sums from the start would cancel. Above the diagonal it has no meaning. */
static struct onnx_tensor *find_rest(const struct onnx_call *call, const struct linear *l) {
    if (l->decay == NULL) {
        return NULL;
    }
    const uint32_t elements = l->decay->sizes[2], one[] = {l->count, l->rows, 1, elements};
    const uint32_t sizes[] = {l->count, l->rows, l->rows, elements};
    struct onnx_tensor *decay = onnx_broadcast(call, onnx_reshape(call, l->decay, 4, one), 4, sizes);
    return exponential(call, accumulate(call, keep_lower(call, decay, 1, 2, false)));
}

/* Products of rows, {count, times, rows, size}, and keys, each with what is left of it: {count, times, rows, rows}. */
static struct onnx_tensor *score(const struct onnx_call *call, const struct linear *l, struct onnx_tensor *rows,
                                 uint32_t times, struct onnx_tensor *rest) {
    static const uint32_t swapped[] = {0, 2, 1, 3};
    const uint32_t sizes[] = {l->count, times, l->rows, l->rows};
    if (rest != NULL && rest->sizes[3] != 1) {
        struct onnx_tensor *keys = onnx_reshape(call, l->k, 4, (const uint32_t[]){l->count, 1, l->rows, l->size});
        rows = onnx_gemm(call, onnx_transpose(call, rows, swapped), onnx_multiply(call, keys, rest), true, 1.0F, NULL);
        return onnx_transpose(call, rows, swapped);
    }
    rows = onnx_reshape(call, rows, 3, (const uint32_t[]){l->count, times * l->rows, l->size});
    rows = onnx_reshape(call, onnx_gemm(call, rows, l->k, true, 1.0F, NULL), 4, sizes);
    if (rest == NULL) {
        return rows;
    }
    return onnx_multiply(call, rows, onnx_reshape(call, rest, 4, (const uint32_t[]){l->count, 1, l->rows, l->rows}));
}

/* (1 + a)^-1 of at most BLOCK rows, whose 8th power is 0: (1 - a) (1 + a^2) (1 + a^4). */
static struct onnx_tensor *invert(const struct onnx_call *call, struct onnx_tensor *a) {
    if (a == NULL) {
        return NULL;
    }
    const uint32_t rows = a->sizes[1];
    float one[BLOCK * BLOCK] = {0};
    for (uint32_t i = 0; i < rows; ++i) {
        one[i * rows + i] = 1;
    }
    struct onnx_tensor *made =
        onnx_subtract(call, onnx_constant(call, ONNX_FLOAT, 3, (const uint32_t[]){1, rows, rows}, one), a);
    for (uint32_t power = 2; power < rows; power *= 2) {
        a = onnx_gemm(call, a, a, false, 1.0F, NULL);
        made = onnx_gemm(call, made, a, false, 1.0F, made);
    }
    return made;
}

/* x of (1 + a) x = b, a being below the diagonal: block by block from the first. */
static struct onnx_tensor *solve(const struct onnx_call *call, const struct linear *l, struct onnx_tensor *a,
                                 struct onnx_tensor *b) {
    if (l->rows <= BLOCK) {
        return onnx_gemm(call, invert(call, a), b, false, 1.0F, NULL);
    }
    const uint32_t blocks = l->rows / BLOCK, parts[] = {l->count, blocks, BLOCK, blocks, BLOCK};
    struct onnx_tensor *inverse = onnx_diagonal(call, onnx_reshape(call, a, 5, parts), 1, 3), *x = NULL;
    inverse = invert(call, onnx_reshape(call, inverse, 3, (const uint32_t[]){l->count * blocks, BLOCK, BLOCK}));
    inverse = onnx_reshape(call, inverse, 3, (const uint32_t[]){l->count, l->rows, BLOCK});
    for (uint32_t i = 0; i < blocks; ++i) {
        struct onnx_tensor *rest = onnx_slice_axis(call, b, 1, i * BLOCK, BLOCK, 1);
        if (i != 0) {
            struct onnx_tensor *before = onnx_slice_axis(call, a, 1, i * BLOCK, BLOCK, 1);
            rest = onnx_gemm(call, onnx_slice_axis(call, before, 2, 0, i * BLOCK, 1), x, false, -1.0F, rest);
        }
        rest = onnx_gemm(call, onnx_slice_axis(call, inverse, 1, i * BLOCK, BLOCK, 1), rest, false, 1.0F, NULL);
        x = i == 0 || rest == NULL ? rest : onnx_join(call, 2, (struct onnx_tensor *[]){x, rest}, 1);
        if (x == NULL) {
            return NULL;
        }
    }
    return x;
}

/* As step(), of all rows of l. What is written is what the rule's correction leaves of values: it depends on what was
 * written before, in the state and in the rows above. */
static struct onnx_tensor *pass_chunk(const struct onnx_call *call, struct linear *l) {
    const uint32_t last = l->rows - 1, each[] = {l->count, 1, l->rows, l->size};
    struct onnx_tensor *rest = find_rest(call, l), *state = l->state, *q = l->q, *k = l->k, *kept = l->k;
    if (l->decay != NULL) {
        /* What is left of the state in each row. */
        struct onnx_tensor *left = exponential(call, accumulate(call, l->decay));
        struct onnx_tensor *of_last = onnx_slice_axis(call, rest, 1, last, 1, 1);
        if (left == NULL || of_last == NULL) {
            return NULL;
        }
        const uint32_t elements = l->decay->sizes[2];
        q = onnx_multiply(call, q, onnx_reshape(call, left, 4, (const uint32_t[]){l->count, 1, l->rows, elements}));
        k = onnx_multiply(call, k, left);
        kept = onnx_multiply(call, kept, onnx_reshape(call, of_last, 3, left->sizes));
        state =
            state == NULL ? NULL : onnx_multiply(call, state, turn(call, onnx_slice_axis(call, left, 1, last, 1, 1)));
    }
    struct onnx_tensor *written = correct(call, l, k, l->state);
    if (l->beta != NULL) {
        struct onnx_tensor *own = score(call, l, onnx_reshape(call, l->k, 4, each), 1, rest);
        own = onnx_reshape(call, own, 3, (const uint32_t[]){l->count, l->rows, l->rows});
        written = solve(call, l, keep_lower(call, onnx_multiply(call, l->beta, own), 1, 2, false), written);
    }
    const uint32_t rows = l->shared * l->rows;
    struct onnx_tensor *scores = keep_lower(call, score(call, l, l->q, l->shared, rest), 2, 3, true), *read = NULL;
    scores = onnx_reshape(call, scores, 3, (const uint32_t[]){l->count, rows, l->rows});
    if (l->state != NULL) {
        q = onnx_reshape(call, q, 3, (const uint32_t[]){l->count, rows, l->size});
        read = onnx_gemm(call, q, l->state, false, l->scale, NULL);
    }
    l->state = onnx_gemm(call, turn(call, kept), written, false, 1.0F, state);
    read = onnx_gemm(call, scores, written, false, l->scale, read);
    return call->error->text[0] != 0
               ? NULL
               : onnx_reshape(call, read, 4, (const uint32_t[]){l->count, l->shared, l->rows, l->columns});
}

/* Rows of zeros behind, which change nothing, so that there are whole blocks. */
static struct onnx_tensor *pad(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t rows) {
    const uint32_t none[4] = {0};
    uint32_t end[4] = {0};
    if (tensor == NULL) {
        return NULL;
    }
    end[tensor->rank - 2] = rows - tensor->sizes[tensor->rank - 2];
    return end[tensor->rank - 2] == 0 ? tensor : onnx_pad_zeros(call, tensor, none, end);
}

static struct onnx_tensor *cut(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t at, uint32_t rows) {
    return tensor == NULL ? NULL : onnx_slice_axis(call, tensor, tensor->rank - 2, at, rows, 1);
}

static struct onnx_tensor *pass_all(const struct onnx_call *call, struct linear *l) {
    const bool is_each = l->decay != NULL && l->decay->sizes[2] != 1;
    const uint32_t most = is_each ? CHUNK_EACH : CHUNK;
    const uint32_t whole = l->rows <= BLOCK ? l->rows : (l->rows + BLOCK - 1) / BLOCK * BLOCK;
    struct onnx_tensor **parts = onnx_scratch(call, whole / most + 1, sizeof(struct onnx_tensor *));
    uint32_t count = 0;
    if (parts == NULL) {
        return NULL;
    }
    struct onnx_tensor *q = pad(call, l->q, whole), *k = pad(call, l->k, whole), *v = pad(call, l->v, whole);
    struct onnx_tensor *decay = pad(call, l->decay, whole), *beta = pad(call, l->beta, whole);
    for (uint32_t at = 0; at < whole && call->error->text[0] == 0; at += most) {
        struct linear chunk = *l;
        chunk.rows = whole - at < most ? whole - at : most;
        chunk.q = cut(call, q, at, chunk.rows);
        chunk.k = cut(call, k, at, chunk.rows);
        chunk.v = cut(call, v, at, chunk.rows);
        chunk.decay = cut(call, decay, at, chunk.rows);
        chunk.beta = cut(call, beta, at, chunk.rows);
        parts[count++] = call->error->text[0] != 0 ? NULL : pass_chunk(call, &chunk);
        l->state = chunk.state;
        if (!onnx_charge_plan(call, 64)) {
            return NULL;
        }
    }
    return call->error->text[0] != 0 ? NULL : cut(call, onnx_join(call, count, parts, 2), 0, l->rows);
}

/* ---- the node ---- */

static bool linear_attention(const struct onnx_call *call) {
    struct linear l = {0};
    if (!read_inputs(call, &l)) {
        return false;
    }
    const struct onnx_tensor *past = onnx_input(call, 3);
    const enum onnx_type type = onnx_input(call, 0)->type;
    struct onnx_tensor *result = l.rows == 1 ? step(call, &l) : pass_all(call, &l);
    result = onnx_reshape(call, result, 4, (const uint32_t[]){l.batch, l.heads * l.shared, l.rows, l.columns});
    result = onnx_cast(call, onnx_merge_heads(call, result), type);
    struct onnx_tensor *state = onnx_reshape(call, l.state, 4, (const uint32_t[]){l.batch, l.heads, l.size, l.columns});
    return onnx_output(call, 0, result) &&
           onnx_output(call, 1, onnx_cast(call, state, past == NULL ? type : past->type));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "LinearAttention", 27, linear_attention},
};
ONNX_DEFINE_FAMILY(linear_attention, rows)
