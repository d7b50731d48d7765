#include "onnx/graph.h"

#include <stdio.h>

/* TensorProto.DataType by its numbers. Of names without bits no tensor is read. */
static const struct {
    const char *name;
    unsigned bits;
} types[] = {
    {"UNDEFINED", 0},      {"FLOAT", 32},    {"UINT8", 8},        {"INT8", 8},           {"UINT16", 16},
    {"INT16", 16},         {"INT32", 32},    {"INT64", 64},       {"STRING", 0},         {"BOOL", 8},
    {"FLOAT16", 16},       {"DOUBLE", 64},   {"UINT32", 32},      {"UINT64", 64},        {"COMPLEX64", 64},
    {"COMPLEX128", 128},   {"BFLOAT16", 16}, {"FLOAT8E4M3FN", 0}, {"FLOAT8E4M3FNUZ", 0}, {"FLOAT8E5M2", 0},
    {"FLOAT8E5M2FNUZ", 0}, {"UINT4", 4},     {"INT4", 4},         {"FLOAT4E2M1", 0},     {"FLOAT8E8M0", 0},
    {"UINT2", 0},          {"INT2", 0},
};

uint64_t onnx_elements(uint32_t rank, const uint32_t *sizes) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < rank; ++d) {
        if (sizes[d] == 0) {
            return 0;
        }
        count = count > UINT64_MAX / sizes[d] ? UINT64_MAX : count * sizes[d];
    }
    return count;
}

bool onnx_is_countable(uint32_t rank, const uint32_t *sizes) {
    return onnx_elements(rank, sizes) <= UINT32_MAX;
}

size_t onnx_bytes_of(enum onnx_type type, uint64_t elements) {
    const unsigned bits = (size_t)type < sizeof types / sizeof types[0] ? types[type].bits : 0;
    if (bits == 4) {
        elements = elements / 2 + elements % 2;
    }
    const uint64_t size = bits == 4 ? 1 : bits / 8;
    return size != 0 && elements > SIZE_MAX / size ? SIZE_MAX : (size_t)(elements * size);
}

const char *onnx_kind_name(enum onnx_kind kind) {
    static const char *const names[] = {[ONNX_KIND_TENSOR] = "a tensor",     [ONNX_KIND_SEQUENCE] = "a sequence",
                                        [ONNX_KIND_MAP] = "a map",           [ONNX_KIND_OPTIONAL] = "an optional value",
                                        [ONNX_KIND_OPAQUE] = "opaque", [ONNX_KIND_SPARSE_TENSOR] = "a sparse tensor"};
    return names[kind];
}

const char *onnx_type_name(enum onnx_type type) {
    static _Thread_local char text[32];
    if ((size_t)type < sizeof types / sizeof types[0]) {
        return types[type].name;
    }
    snprintf(text, sizeof text, "type %u", (unsigned)type);
    return text;
}
