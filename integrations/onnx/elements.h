/* Packed elements on the host as numbers. */
#ifndef ONNX_ELEMENTS_H
#define ONNX_ELEMENTS_H

#include "onnx/graph.h"

/* FLOAT, FLOAT16, BFLOAT16 or DOUBLE. */
bool onnx_is_real(enum onnx_type type);

/* What a tensor's elements are. */
struct onnx_extent {
    uint64_t count, infinities, nans, zeros;
    double least, most; /* of the finite elements; 0 if there are none */
};
struct onnx_extent onnx_measure(enum onnx_type type, uint64_t count, const void *data);

/* The largest finite number of a type of real numbers. */
double onnx_largest(enum onnx_type type);

/* Moves each finite element that is not 0 by one unit in the last place, up or down as a generator of pseudorandom
 * bits says, whose state is *seed. Does nothing to elements of other types than real numbers. */
void onnx_perturb(enum onnx_type type, uint64_t count, void *data, uint64_t *seed);

#endif
