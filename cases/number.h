/* Elements as bits: conversion from numbers, and the values worth trying. */
#ifndef CASES_NUMBER_H
#define CASES_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "cases/random.h"
#include "vkdml/dml_types.h"

uint32_t number_bits(DML_TENSOR_DATA_TYPE type); /* of an element; 0 for UNKNOWN */
bool number_is_float(DML_TENSOR_DATA_TYPE type);
bool number_is_signed(DML_TENSOR_DATA_TYPE type);

/* A number in a type, to nearest even for floats; integers must fit. */
uint64_t number_encode(DML_TENSOR_DATA_TYPE type, double number);
uint64_t number_encode_integer(DML_TENSOR_DATA_TYPE type, int64_t number);

/* The nearest double of an element. */
double number_decode(DML_TENSOR_DATA_TYPE type, uint64_t bits);

/* One of the type's special values: zeros, limits, powers of two and their neighbours, denormals, infinities, NaNs. */
uint64_t number_special(DML_TENSOR_DATA_TYPE type, struct random *random);

/* All of some hundred values worth trying, in a fixed order: zeros, denormals, infinities, NaNs, the limits of all
 * types and of functions' domains and ranges, powers of two, and neighbours of each, in both signs. */
uint32_t number_listed_count(DML_TENSOR_DATA_TYPE type);
uint64_t number_listed(DML_TENSOR_DATA_TYPE type, uint32_t index);

/* A special or random float, for attributes: also out of every integer's range. */
float number_special_float(struct random *random);

/* Zero in both signs for floats. */
bool number_is_zero(DML_TENSOR_DATA_TYPE type, uint64_t bits);

#endif
