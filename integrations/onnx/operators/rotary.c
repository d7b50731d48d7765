/* RotaryEmbedding of ai.onnx and com.microsoft: pairs of elements are rotated, by angles that depend on the row. */
#include "onnx/operators.h"
#include "onnx/operators/attention.h"
#include "onnx/operators/parts.h"

struct onnx_tensor *onnx_look_up(const struct onnx_call *call, struct onnx_tensor *table, struct onnx_tensor *places) {
    if (table == NULL || places == NULL) {
        return NULL;
    }
    if (table->rank != 2 || places->rank != 2) {
        onnx_refuse(call, "a table or positions of other than 2 dimensions");
        return NULL;
    }
    const uint32_t count = places->sizes[0] * places->sizes[1];
    const uint32_t sizes[] = {places->sizes[0], places->sizes[1], table->sizes[1]};
    places = onnx_reshape(call, places, 2, (const uint32_t[]){1, count});
    DML_GATHER_OPERATOR_DESC desc = {.Axis = 0, .IndexDimensions = 1};
    struct onnx_tensor *rows = onnx_declare(call, table->type, 2, (const uint32_t[]){count, table->sizes[1]});
    if (places == NULL || rows == NULL ||
        !onnx_emit(call, DML_OPERATOR_GATHER, &desc, ONNX_TENSORS(table, places), 1, &rows)) {
        return NULL;
    }
    return onnx_reshape(call, rows, 3, sizes);
}

/* {batch or 1, rows, elements} as {.., 1, rows, elements}. */
static struct onnx_tensor *for_heads(const struct onnx_call *call, struct onnx_tensor *angles) {
    if (angles == NULL) {
        return NULL;
    }
    const uint32_t sizes[] = {angles->sizes[0], 1, angles->sizes[1], angles->sizes[2]};
    return onnx_reshape(call, angles, 4, sizes);
}

/* Two halves of rows, or neighbours, together again. */
static struct onnx_tensor *join_pairs(const struct onnx_call *call, struct onnx_tensor *first,
                                      struct onnx_tensor *second, bool is_interleaved) {
    if (!is_interleaved || first == NULL || second == NULL) {
        return onnx_join(call, 2, (struct onnx_tensor *[]){first, second}, 3);
    }
    uint32_t sizes[] = {first->sizes[0], first->sizes[1], first->sizes[2], first->sizes[3], 1};
    first = onnx_reshape(call, first, 5, sizes);
    second = onnx_reshape(call, second, 5, sizes);
    struct onnx_tensor *pairs = onnx_join(call, 2, (struct onnx_tensor *[]){first, second}, 4);
    sizes[3] *= 2;
    return onnx_reshape(call, pairs, 4, sizes);
}

struct onnx_tensor *onnx_rotate(const struct onnx_call *call, struct onnx_tensor *tensor, struct onnx_tensor *cosines,
                                struct onnx_tensor *sines, uint32_t rotated, bool is_interleaved) {
    if (tensor == NULL || cosines == NULL || sines == NULL) {
        return NULL;
    }
    const uint32_t half = rotated / 2, size = tensor->sizes[3];
    bool fits = rotated % 2 == 0 && rotated != 0 && rotated <= size;
    const struct onnx_tensor *angles[] = {cosines, sines};
    for (int i = 0; i < 2; ++i) {
        fits = fits && angles[i]->rank == 3 && (angles[i]->sizes[0] == 1 || angles[i]->sizes[0] == tensor->sizes[0]) &&
               angles[i]->sizes[1] == tensor->sizes[2] && angles[i]->sizes[2] == half;
    }
    if (!fits || onnx_is_empty(tensor)) {
        onnx_refuse(call, "cosines and sines whose sizes do not fit");
        return NULL;
    }
    cosines = for_heads(call, cosines);
    sines = for_heads(call, sines);
    const int32_t stride = is_interleaved ? 2 : 1;
    struct onnx_tensor *x = onnx_slice_axis(call, tensor, 3, 0, half, stride);
    struct onnx_tensor *y = onnx_slice_axis(call, tensor, 3, is_interleaved ? 1 : half, half, stride);
    struct onnx_tensor *real = onnx_subtract(call, onnx_multiply(call, cosines, x), onnx_multiply(call, sines, y));
    struct onnx_tensor *imaginary = onnx_add(call, onnx_multiply(call, sines, x), onnx_multiply(call, cosines, y));
    struct onnx_tensor *turned = join_pairs(call, real, imaginary, is_interleaved);
    if (turned == NULL || rotated == size) {
        return turned;
    }
    struct onnx_tensor *rest = onnx_slice_axis(call, tensor, 3, rotated, size - rotated, 1);
    return onnx_join(call, 2, (struct onnx_tensor *[]){turned, rest}, 3);
}

/* ---- nodes ---- */

/* {batch, heads, rows, elements}; of 3 dimensions by a number of heads, or of so many elements each. */
static struct onnx_tensor *read_heads(const struct onnx_call *call, struct onnx_tensor *x, uint32_t elements) {
    if (x == NULL || x->rank == 4) {
        return x;
    }
    int64_t heads = onnx_int(call, "num_heads", 0);
    if (heads == 0 && elements != 0 && x->rank == 3) {
        heads = x->sizes[2] / elements;
    }
    if (x->rank != 3 || heads < 1 || heads > UINT32_MAX) {
        onnx_refuse(call, "a tensor of other than 3 or 4 dimensions, or no num_heads");
        return NULL;
    }
    return onnx_split_heads(call, x, (uint32_t)heads);
}

static bool finish(const struct onnx_call *call, struct onnx_tensor *x, struct onnx_tensor *cosines,
                   struct onnx_tensor *sines) {
    const int64_t asked = onnx_int(call, "rotary_embedding_dim", 0);
    if (x == NULL || asked < 0 || asked > UINT32_MAX) {
        return onnx_refuse(call, "a rotary_embedding_dim that has no meaning");
    }
    const bool is_interleaved = onnx_int(call, "interleaved", 0) == 1;
    struct onnx_tensor *y =
        onnx_rotate(call, x, cosines, sines, asked == 0 ? x->sizes[3] : (uint32_t)asked, is_interleaved);
    return onnx_output(call, 0, onnx_input(call, 0)->rank == 3 ? onnx_merge_heads(call, y) : y);
}

static bool rotate(const struct onnx_call *call) {
    struct onnx_tensor *cosines = onnx_input(call, 1), *sines = onnx_input(call, 2), *places = onnx_input(call, 3);
    struct onnx_tensor *x = read_heads(call, onnx_input(call, 0), 0);
    if (x == NULL || cosines == NULL || sines == NULL) {
        return onnx_refuse(call, "no input");
    }
    if (places != NULL) {
        cosines = onnx_look_up(call, cosines, places);
        sines = onnx_look_up(call, sines, places);
    }
    return finish(call, x, cosines, sines);
}

/* Positions are of {batch, rows}, or the first row's. */
static bool rotate_microsoft(const struct onnx_call *call) {
    struct onnx_tensor *places = onnx_input(call, 1), *cosines = onnx_input(call, 2), *sines = onnx_input(call, 3);
    if (onnx_int(call, "is_packed_batching", 0) != 0 || onnx_float(call, "scale", 1.0F) != 1.0F) {
        return onnx_refuse(call, "packed batches, or a scale");
    }
    if (places == NULL || cosines == NULL || sines == NULL || cosines->rank != 2) {
        return onnx_refuse(call, "no input");
    }
    struct onnx_tensor *x = read_heads(call, onnx_input(call, 0), 2 * cosines->sizes[1]);
    if (x != NULL && onnx_count(places) == 1) {
        places = onnx_reshape(call, onnx_cast(call, places, ONNX_INT32), 2, (const uint32_t[]){1, 1});
        places = onnx_add(call, places, onnx_iota(call, ONNX_INT32, 2, 1, x->sizes[2]));
    }
    return finish(call, x, onnx_look_up(call, cosines, places), onnx_look_up(call, sines, places));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "RotaryEmbedding", 23, rotate},
    {ONNX_MICROSOFT, "RotaryEmbedding", 1, rotate_microsoft},
};
ONNX_DEFINE_FAMILY(rotary, rows)
