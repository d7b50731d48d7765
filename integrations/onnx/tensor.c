/* Tensors and views of them. */
#include <string.h>

#include "onnx/plan_parts.h"

struct onnx_tensor onnx_absent;

DML_TENSOR_DATA_TYPE onnx_dml_type(enum onnx_type type) {
    switch (type) {
    case ONNX_FLOAT:
        return DML_TENSOR_DATA_TYPE_FLOAT32;
    case ONNX_FLOAT16:
        return DML_TENSOR_DATA_TYPE_FLOAT16;
    case ONNX_DOUBLE:
        return DML_TENSOR_DATA_TYPE_FLOAT64;
    case ONNX_BOOL:
    case ONNX_UINT8:
        return DML_TENSOR_DATA_TYPE_UINT8;
    case ONNX_UINT16:
        return DML_TENSOR_DATA_TYPE_UINT16;
    case ONNX_UINT32:
        return DML_TENSOR_DATA_TYPE_UINT32;
    case ONNX_UINT64:
        return DML_TENSOR_DATA_TYPE_UINT64;
    case ONNX_INT8:
        return DML_TENSOR_DATA_TYPE_INT8;
    case ONNX_INT16:
        return DML_TENSOR_DATA_TYPE_INT16;
    case ONNX_INT32:
        return DML_TENSOR_DATA_TYPE_INT32;
    case ONNX_INT64:
        return DML_TENSOR_DATA_TYPE_INT64;
    case ONNX_UINT4:
        return DML_TENSOR_DATA_TYPE_UINT4;
    case ONNX_INT4:
        return DML_TENSOR_DATA_TYPE_INT4;
    default:
        return DML_TENSOR_DATA_TYPE_UNKNOWN;
    }
}

enum onnx_type onnx_type_of_dml(DML_TENSOR_DATA_TYPE type) {
    for (int i = ONNX_UNDEFINED; i <= ONNX_INT4; ++i) {
        if (i != ONNX_BOOL && onnx_dml_type((enum onnx_type)i) == type) {
            return (enum onnx_type)i;
        }
    }
    return ONNX_UNDEFINED;
}

bool onnx_is_empty(const struct onnx_tensor *tensor) {
    return tensor != NULL && onnx_count(tensor) == 0;
}

uint64_t onnx_count(const struct onnx_tensor *tensor) {
    return tensor == NULL ? 0 : onnx_elements(tensor->rank, tensor->sizes);
}

uint32_t onnx_add_source(struct onnx_plan *plan, const struct onnx_source *source) {
    if (plan->source_count == plan->source_room) {
        const uint32_t room = plan->source_room == 0 ? 64 : plan->source_room * 2;
        struct onnx_source *grown = onnx_allocate(&plan->arena, room, sizeof *grown);
        if (grown == NULL) {
            return ONNX_NONE;
        }
        if (plan->source_count != 0) {
            memcpy(grown, plan->sources, plan->source_count * sizeof *grown);
        }
        plan->sources = grown;
        plan->source_room = room;
    }
    plan->sources[plan->source_count] = *source;
    plan->sources[plan->source_count].graph_number = ONNX_NONE;
    return plan->source_count++;
}

struct onnx_tensor *onnx_add_tensor(struct onnx_plan *plan, enum onnx_type type, uint32_t rank, const uint32_t *sizes,
                                    uint32_t source) {
    struct onnx_tensor *tensor = onnx_allocate(&plan->arena, 1, sizeof *tensor);
    if (tensor == NULL) {
        return NULL;
    }
    tensor->type = type;
    tensor->rank = rank;
    tensor->source = source;
    for (uint32_t d = 0; d < rank; ++d) {
        tensor->sizes[d] = sizes[d];
    }
    if (source != ONNX_NONE && plan->sources[source].kind == ONNX_SOURCE_HOST) {
        tensor->data = plan->sources[source].data;
    }
    return tensor;
}

struct onnx_tensor *onnx_add_data(struct onnx_plan *plan, enum onnx_type type, uint32_t rank, const uint32_t *sizes,
                                  const void *data, size_t bytes, uint64_t depends) {
    uint32_t source = ONNX_NONE;
    if (bytes != 0) {
        source = onnx_add_source(
            plan, &(struct onnx_source){.kind = ONNX_SOURCE_HOST, .data = data, .bytes = bytes, .depends = depends});
        if (source == ONNX_NONE) {
            return NULL;
        }
    }
    return onnx_add_tensor(plan, type, rank, sizes, source);
}

/* ---- packed ---- */

static void copy_elements(const struct onnx_tensor *tensor, size_t size, unsigned char *to) {
    const uint64_t count = onnx_count(tensor);
    uint32_t at[ONNX_MAX_RANK] = {0};
    uint64_t element = 0;
    for (uint64_t i = 0; i < count; ++i) {
        memcpy(to + i * size, (const unsigned char *)tensor->data + element * size, size);
        for (uint32_t d = tensor->rank; d-- > 0;) {
            element += tensor->strides[d];
            if (++at[d] < tensor->sizes[d]) {
                break;
            }
            element -= (uint64_t)tensor->strides[d] * at[d];
            at[d] = 0;
        }
    }
}

const void *onnx_packed(struct onnx_plan *plan, const struct onnx_tensor *tensor) {
    if (!tensor->is_strided || onnx_is_empty(tensor)) {
        return tensor->data;
    }
    const size_t size = onnx_bytes_of(tensor->type, 1);
    unsigned char *bytes = onnx_allocate(&plan->arena, (size_t)onnx_count(tensor), size);
    if (bytes != NULL) {
        copy_elements(tensor, size, bytes);
    }
    return bytes;
}

static bool is_of_bits(const struct onnx_tensor *tensor) {
    return tensor->type == ONNX_UINT4 || tensor->type == ONNX_INT4;
}

/* As a tensor that is packed. */
struct onnx_tensor *onnx_copy(const struct onnx_call *call, struct onnx_tensor *tensor) {
    if (tensor == NULL || !tensor->is_strided || onnx_is_empty(tensor)) {
        return tensor;
    }
    struct onnx_plan *plan = call->plan;
    const size_t bytes = onnx_bytes_of(tensor->type, onnx_count(tensor));
    if (tensor->data != NULL && bytes <= plan->fold_limit && !is_of_bits(tensor)) {
        const void *packed = onnx_packed(plan, tensor);
        struct onnx_tensor *copy = packed == NULL ? NULL
                                                  : onnx_add_data(plan, tensor->type, tensor->rank, tensor->sizes,
                                                                  packed, bytes, plan->sources[tensor->source].depends);
        return copy != NULL || onnx_memory_is_out(call) ? copy : NULL;
    }
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {0};
    struct onnx_tensor *bits = onnx_as_bits(call, tensor);
    struct onnx_tensor *copy =
        bits == NULL ? NULL : onnx_make(call, DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, ONNX_TENSORS(bits));
    return onnx_reinterpret(call, onnx_reshape(call, copy, tensor->rank, tensor->sizes), tensor->type);
}

/* ---- views ---- */

static struct onnx_tensor *view_of(const struct onnx_call *call, const struct onnx_tensor *tensor) {
    struct onnx_tensor *view = onnx_allocate(&call->plan->arena, 1, sizeof *view);
    if (view == NULL) {
        onnx_memory_is_out(call);
        return NULL;
    }
    *view = *tensor;
    return view;
}

/* Strides in any case. */
static void make_strided(struct onnx_tensor *view) {
    uint64_t stride = 1;
    for (uint32_t d = view->rank; d-- > 0 && !view->is_strided;) {
        view->strides[d] = (uint32_t)stride;
        stride *= view->sizes[d];
    }
    view->is_strided = true;
}

/* Says so where strides are those of elements one behind another. */
static void settle(struct onnx_tensor *view) {
    uint64_t stride = 1;
    for (uint32_t d = view->rank; d-- > 0;) {
        if (view->sizes[d] != 1 && view->strides[d] != stride) {
            return;
        }
        stride *= view->sizes[d];
    }
    view->is_strided = false;
}

/* `count` times sizes from `*d` on, until it is as large as `least`; `*d` is behind the last of them. */
static uint64_t next_run(const uint32_t *sizes, uint32_t rank, uint32_t *d, uint64_t count, uint64_t least) {
    while (count < least && *d < rank) {
        count *= sizes[(*d)++];
    }
    return count;
}

/* The strides of a view by other sizes, of what has elements: any dimension may be split, and those that lie one in
 * another be joined. False where others would be. */
static bool find_strides(const struct onnx_tensor *tensor, uint32_t rank, const uint32_t *sizes,
                         struct onnx_tensor *view) {
    uint32_t from = 0, to = 0;
    while (from < tensor->rank || to < rank) {
        const uint32_t first = from, made = to;
        uint64_t there = from < tensor->rank ? tensor->sizes[from++] : 1, wanted = to < rank ? sizes[to++] : 1;
        while (there != wanted) {
            there = next_run(tensor->sizes, tensor->rank, &from, there, wanted);
            wanted = next_run(sizes, rank, &to, wanted, there);
        }
        uint64_t stride = 0, extent = 1; /* the innermost stride, and how many elements it is of */
        for (uint32_t d = from; d-- > first;) {
            if (tensor->sizes[d] == 1) {
                continue;
            }
            if (extent != 1 && tensor->strides[d] != stride * extent) {
                return false;
            }
            stride = extent == 1 ? tensor->strides[d] : stride;
            extent *= tensor->sizes[d];
        }
        for (uint32_t d = to; d-- > made;) {
            view->strides[d] = sizes[d] == 1 ? 0 : (uint32_t)stride;
            stride *= sizes[d];
        }
    }
    return true;
}

struct onnx_tensor *onnx_reshape(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t rank,
                                 const uint32_t *sizes) {
    if (tensor == NULL) {
        return NULL;
    }
    if (rank > ONNX_MAX_RANK || onnx_elements(rank, sizes) != onnx_count(tensor)) {
        onnx_refuse(call, rank > ONNX_MAX_RANK ? "more than 8 dimensions" : "a shape of another number of elements");
        return NULL;
    }
    struct onnx_tensor *view = view_of(call, tensor);
    if (view == NULL) {
        return NULL;
    }
    if (onnx_is_empty(tensor)) {
        view->is_strided = false;
    } else if (tensor->is_strided && !find_strides(tensor, rank, sizes, view)) {
        return onnx_reshape(call, onnx_copy(call, tensor), rank, sizes);
    }
    view->rank = rank;
    for (uint32_t d = 0; d < rank; ++d) {
        view->sizes[d] = sizes[d];
    }
    if (view->is_strided) {
        settle(view);
    }
    return view;
}

bool onnx_align(const struct onnx_call *call, uint32_t count, struct onnx_tensor **tensors) {
    const struct onnx_source *last = NULL;
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i]->source == ONNX_NONE) { /* strings, say: who makes an operator of it refuses it */
            return true;
        }
        const struct onnx_source *source = &call->plan->sources[tensors[i]->source];
        /* A part of what is made has fewer elements, and one that is broadcast has strides. */
        const bool is_all = source->kind == ONNX_SOURCE_NODE && !tensors[i]->is_strided &&
                            onnx_elements(source->rank, source->sizes) == onnx_count(tensors[i]);
        last = is_all && (last == NULL || source > last) ? source : last;
    }
    if (last == NULL) {
        return true;
    }
    const uint32_t rank = last->rank;
    uint32_t sizes[ONNX_MAX_RANK];
    memcpy(sizes, last->sizes, sizeof sizes);
    for (uint32_t i = 0; i < count; ++i) {
        struct onnx_tensor lies;
        if (tensors[i]->is_strided && !find_strides(tensors[i], rank, sizes, &lies)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        tensors[i] = onnx_reshape(call, tensors[i], rank, sizes);
        if (tensors[i] == NULL) {
            return false;
        }
    }
    return true;
}

struct onnx_tensor *onnx_pad_rank(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t rank) {
    if (tensor == NULL || tensor->rank >= rank) {
        return tensor;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    const uint32_t ones = rank - tensor->rank;
    for (uint32_t d = 0; d < rank; ++d) {
        sizes[d] = d < ones ? 1 : tensor->sizes[d - ones];
    }
    return onnx_reshape(call, tensor, rank, sizes);
}

struct onnx_tensor *onnx_transpose(const struct onnx_call *call, struct onnx_tensor *tensor, const uint32_t *order) {
    struct onnx_tensor *view = tensor == NULL ? NULL : view_of(call, tensor);
    if (view == NULL) {
        return NULL;
    }
    make_strided(view);
    const struct onnx_tensor from = *view;
    for (uint32_t d = 0; d < view->rank; ++d) {
        view->sizes[d] = from.sizes[order[d]];
        view->strides[d] = from.strides[order[d]];
    }
    settle(view);
    return view;
}

struct onnx_tensor *onnx_diagonal(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t first,
                                  uint32_t second) {
    struct onnx_tensor *view = tensor == NULL ? NULL : view_of(call, tensor);
    if (view == NULL) {
        return NULL;
    }
    if (first >= second || second >= view->rank || view->sizes[first] != view->sizes[second]) {
        onnx_refuse(call, "a diagonal of sizes that differ");
        return NULL;
    }
    make_strided(view);
    view->strides[first] += view->strides[second];
    --view->rank;
    for (uint32_t d = second; d < view->rank; ++d) {
        view->sizes[d] = view->sizes[d + 1];
        view->strides[d] = view->strides[d + 1];
    }
    settle(view);
    return view;
}

struct onnx_tensor *onnx_broadcast(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t rank,
                                   const uint32_t *sizes) {
    if (tensor == NULL) {
        return NULL;
    }
    struct onnx_tensor *view = view_of(call, tensor);
    if (view == NULL) {
        return NULL;
    }
    make_strided(view);
    const struct onnx_tensor from = *view;
    const uint32_t ones = rank - from.rank;
    bool fits = rank >= from.rank && rank <= ONNX_MAX_RANK;
    for (uint32_t d = 0; d < rank && fits; ++d) {
        const bool is_there = d >= ones && from.sizes[d - ones] == sizes[d];
        fits = d < ones || is_there || from.sizes[d - ones] == 1;
        view->sizes[d] = sizes[d];
        view->strides[d] = is_there ? from.strides[d - ones] : 0;
    }
    if (!fits || !onnx_is_countable(rank, sizes)) {
        onnx_refuse(call, fits ? "a tensor of more than 2^32 - 1 elements" : "sizes that do not broadcast");
        return NULL;
    }
    view->rank = rank;
    if (onnx_is_empty(view)) {
        view->source = ONNX_NONE;
        view->data = NULL;
    }
    settle(view);
    return view;
}

bool onnx_broadcast_sizes(const struct onnx_call *call, uint32_t count, struct onnx_tensor *const *tensors,
                          uint32_t *rank, uint32_t sizes[ONNX_MAX_RANK]) {
    *rank = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] != NULL && tensors[i]->rank > *rank) {
            *rank = tensors[i]->rank;
        }
    }
    for (uint32_t d = 0; d < *rank; ++d) {
        sizes[d] = 1;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t ones = tensors[i] == NULL ? 0 : *rank - tensors[i]->rank;
        for (uint32_t d = 0; tensors[i] != NULL && d < tensors[i]->rank; ++d) {
            const uint32_t size = tensors[i]->sizes[d];
            if (size != 1 && sizes[ones + d] != 1 && size != sizes[ones + d]) {
                return onnx_refuse(call, "inputs of sizes that do not broadcast: %u and %u", (unsigned)sizes[ones + d],
                                   (unsigned)size);
            }
            sizes[ones + d] = size == 1 ? sizes[ones + d] : size;
        }
    }
    return true;
}

struct onnx_tensor *onnx_reinterpret(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type) {
    if (tensor == NULL || tensor->type == type) {
        return tensor;
    }
    struct onnx_tensor *view = view_of(call, tensor);
    if (view != NULL) {
        view->type = type;
    }
    return view;
}

struct onnx_tensor *onnx_as_bits(const struct onnx_call *call, struct onnx_tensor *tensor) {
    if (tensor == NULL) {
        return NULL;
    }
    switch (tensor->type) {
    case ONNX_BOOL:
        return onnx_reinterpret(call, tensor, ONNX_UINT8);
    case ONNX_BFLOAT16:
        return onnx_reinterpret(call, tensor, ONNX_UINT16);
    case ONNX_DOUBLE: /* TILE has no FLOAT64 */
    case ONNX_COMPLEX64:
        return onnx_reinterpret(call, tensor, ONNX_UINT64);
    default:
        return tensor;
    }
}

/* ---- shared ones ---- */

struct onnx_tensor **onnx_share(const struct onnx_call *call, const char *what, const struct onnx_tensor *a,
                                const struct onnx_tensor *b, uint32_t m, uint32_t n) {
    struct onnx_plan *plan = call->plan;
    for (struct onnx_shared *s = plan->shared; s != NULL; s = s->next) {
        if (s->of[0] == a && s->of[1] == b && s->numbers[0] == m && s->numbers[1] == n && strcmp(s->what, what) == 0) {
            return &s->made;
        }
    }
    struct onnx_shared *added = onnx_allocate(&plan->arena, 1, sizeof *added);
    if (added == NULL) {
        onnx_memory_is_out(call);
        return NULL;
    }
    *added = (struct onnx_shared){what, {a, b}, {m, n}, NULL, plan->shared};
    plan->shared = added;
    return &added->made;
}
