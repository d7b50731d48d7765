#include "onnx/expansion.h"

#include <inttypes.h>

#define BASE_UNITS     UINT64_C(131072)
#define UNITS_PER_BYTE 4
#define BYTES_PER_UNIT 16 /* a node with one input and one output takes about 50 bytes of a file */

struct onnx_expansion onnx_expansion_begin(size_t bytes) {
    const uint64_t limit = BASE_UNITS + (uint64_t)bytes * UNITS_PER_BYTE;
    return (struct onnx_expansion){limit, limit};
}

uint64_t onnx_expansion_units(size_t bytes) {
    return bytes / BYTES_PER_UNIT + 1;
}

bool onnx_expand(struct onnx_expansion *expansion, uint64_t units, struct onnx_error *error) {
    if (units > expansion->left) {
        return onnx_fail(error,
                         "the calls of functions and the bodies of Loop, Scan and If expand to more than %" PRIu64
                         " nodes and values, the limit for this model",
                         expansion->limit);
    }
    expansion->left -= units;
    return true;
}
