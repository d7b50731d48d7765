/* Elements as text, with a bracket for each dimension, as NumPy prints arrays. */
#ifndef ARRAY_H
#define ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <vkdml/dml_types.h>

/* Elements that lie one after another, the last dimension side by side. */
struct array {
    DML_TENSOR_DATA_TYPE type;
    uint32_t dimension_count;
    const uint64_t *sizes;
    const unsigned char *elements;
    bool verbose; /* with the elements' bits */
};

/* Prints all elements, aligned; of arrays of more than 1000 only three at each end of every dimension. Rows that are
 * longer than 75 columns go on in the next line. A newline is at the end. */
void array_print(FILE *stream, const struct array *array);

#endif
