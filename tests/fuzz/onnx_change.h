/* Changes ONNX models part by part, so that what comes of it is still a message: numbers, names, types, sizes, data. */
#ifndef FUZZ_ONNX_CHANGE_H
#define FUZZ_ONNX_CHANGE_H

#include <stddef.h>
#include <stdint.h>

/* Changes a model that lies in `room` bytes once or a few times, as the seed says, the same each time. Returns its
 * length, which is the old one where it is no message or there is no room. */
size_t onnx_change(unsigned char *bytes, size_t length, size_t room, uint64_t seed);

/* Puts a part of one model into another: a node, an initializer, an attribute, a function. */
size_t onnx_cross(const unsigned char *bytes, size_t length, const unsigned char *other, size_t other_length,
                  unsigned char *to, size_t room, uint64_t seed);

#endif
