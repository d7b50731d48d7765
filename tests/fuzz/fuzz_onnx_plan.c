/* ONNX models, read, judged, planned and compiled for an invented device; changed part by part, so that most of what is
 * tried is still a model. Begins best with small ones: those of ONNX's own tests. */
#include <string.h>

#include "onnx_change.h"
#include "onnx_try.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *to,
                                 size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    onnx_try(data, size, NULL);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    return seed % 16 == 0 ? LLVMFuzzerMutate(data, size, room) : onnx_change(data, size, room, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *to,
                                 size_t room, unsigned seed) {
    return onnx_cross(data, size, other, other_size, to, room, seed);
}
