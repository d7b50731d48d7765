/* MAP_ANONYMOUS is not in POSIX before 2024 */
#define _DEFAULT_SOURCE
#include "fence.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* bytes: at most a page. The copy's end is the end of its page, so its alignment is that of its size. */
static const void *copy(struct fence *fence, const void *data, size_t bytes) {
    if (data == NULL)
        return NULL;
    size_t page = page_size();
    assert(fence->count < FENCE_MAX_OBJECTS && bytes <= page);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        abort();
    fence->objects[fence->count++] = pages;
    memcpy(pages + page - bytes, data, bytes);
    if (mprotect(pages, page, PROT_READ) != 0 || mprotect(pages + page, page, PROT_NONE) != 0)
        abort();
    return pages + page - bytes;
}

static const uint32_t *copy_array(struct fence *fence, const uint32_t *array, uint32_t count) {
    return copy(fence, array, count <= DML_TENSOR_DIMENSION_COUNT_MAX1 ? count * sizeof(*array) : 0);
}

static const DML_TENSOR_DESC *copy_tensor(struct fence *fence, const DML_TENSOR_DESC *tensor) {
    if (tensor == NULL)
        return NULL;
    DML_TENSOR_DESC outer = *tensor;
    if (outer.Type != DML_TENSOR_TYPE_BUFFER) {
        outer.Desc = copy(fence, outer.Desc, 0);
    } else if (outer.Desc != NULL) {
        DML_BUFFER_TENSOR_DESC buffer = *(const DML_BUFFER_TENSOR_DESC *)outer.Desc;
        buffer.Sizes = copy_array(fence, buffer.Sizes, buffer.DimensionCount);
        buffer.Strides = copy_array(fence, buffer.Strides, buffer.DimensionCount);
        outer.Desc = copy(fence, &buffer, sizeof(buffer));
    }
    return copy(fence, &outer, sizeof(outer));
}

static const void *copy_identity(struct fence *fence, const void *desc) {
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity = *(const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC *)desc;
    identity.InputTensor = copy_tensor(fence, identity.InputTensor);
    identity.OutputTensor = copy_tensor(fence, identity.OutputTensor);
    identity.ScaleBias = copy(fence, identity.ScaleBias, sizeof(*identity.ScaleBias));
    return copy(fence, &identity, sizeof(identity));
}

static const void *copy_padding(struct fence *fence, const void *desc) {
    DML_PADDING_OPERATOR_DESC padding = *(const DML_PADDING_OPERATOR_DESC *)desc;
    padding.InputTensor = copy_tensor(fence, padding.InputTensor);
    padding.OutputTensor = copy_tensor(fence, padding.OutputTensor);
    padding.StartPadding = copy_array(fence, padding.StartPadding, padding.DimensionCount);
    padding.EndPadding = copy_array(fence, padding.EndPadding, padding.DimensionCount);
    return copy(fence, &padding, sizeof(padding));
}

static const void *copy_diagonal(struct fence *fence, const void *desc) {
    DML_DIAGONAL_MATRIX_OPERATOR_DESC diagonal = *(const DML_DIAGONAL_MATRIX_OPERATOR_DESC *)desc;
    diagonal.OutputTensor = copy_tensor(fence, diagonal.OutputTensor);
    return copy(fence, &diagonal, sizeof(diagonal));
}

static const void *copy_nonzero(struct fence *fence, const void *desc) {
    DML_NONZERO_COORDINATES_OPERATOR_DESC nonzero = *(const DML_NONZERO_COORDINATES_OPERATOR_DESC *)desc;
    nonzero.InputTensor = copy_tensor(fence, nonzero.InputTensor);
    nonzero.OutputCountTensor = copy_tensor(fence, nonzero.OutputCountTensor);
    nonzero.OutputCoordinatesTensor = copy_tensor(fence, nonzero.OutputCoordinatesTensor);
    return copy(fence, &nonzero, sizeof(nonzero));
}

static const void *copy_nothing(struct fence *fence, const void *desc) {
    return copy(fence, desc, 0);
}

const DML_OPERATOR_DESC *fence_sample(struct fence *fence, const struct sample *sample) {
    static const struct {
        DML_OPERATOR_TYPE type;
        const void *(*copy_desc)(struct fence *fence, const void *desc);
    } copies[] = {
        {DML_OPERATOR_ELEMENT_WISE_IDENTITY, copy_identity},
        {DML_OPERATOR_PADDING, copy_padding},
        {DML_OPERATOR_DIAGONAL_MATRIX, copy_diagonal},
        {DML_OPERATOR_NONZERO_COORDINATES, copy_nonzero},
    };
    const void *(*copy_desc)(struct fence * fence, const void *desc) = copy_nothing;
    for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
        if (copies[i].type == sample->op.Type)
            copy_desc = copies[i].copy_desc;
    fence->count = 0;
    DML_OPERATOR_DESC op = sample->op;
    op.Desc = op.Desc == NULL ? NULL : copy_desc(fence, op.Desc);
    return copy(fence, &op, sizeof(op));
}

void fence_release(struct fence *fence) {
    for (size_t i = 0; i < fence->count; i++)
        munmap(fence->objects[i], 2 * page_size());
    fence->count = 0;
}
