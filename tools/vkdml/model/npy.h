/* NumPy's .npy files: format 1.0 to 3.0, little-endian, C order. */
#ifndef NPY_H
#define NPY_H

#include <stddef.h>
#include <stdint.h>

#include <vkdml/dml_types.h>

/* NumPy's own limit on dimensions, up to its version 1. */
#define NPY_MAX_DIMENSIONS 32

struct npy {
    DML_TENSOR_DATA_TYPE type;
    uint32_t dimension_count; /* 0: a single element */
    uint64_t dimensions[NPY_MAX_DIMENSIONS];
    uint64_t count;            /* elements */
    const unsigned char *data; /* in the bytes read */
};

/* Room for any header that npy_header() writes. */
#define NPY_HEADER_SIZE 1024

/* Understands a file's bytes. Returns NULL, or what is wrong with them. */
const char *npy_read(const unsigned char *bytes, size_t length, struct npy *npy);

/* Writes the header of a version 1.0 file and returns its length; 0 where the type has no .npy name. */
size_t npy_header(DML_TENSOR_DATA_TYPE type, uint32_t dimension_count, const uint64_t *dimensions,
                  char header[NPY_HEADER_SIZE]);

#endif
