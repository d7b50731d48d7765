/* One element of a data type: from JSON, to text, and its name in .npy files. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>
#include <vkdml/schema.h>

#include "base/suggest.h"

/* Bits and bytes: elements of 4 bits are parsed into and formatted from a byte of their own, whose high half is 0. They
 * share bytes where they are stored, which element_store() and element_load() know. */

/* Longest text of an element, verbose form and final zero included. */
#define ELEMENT_TEXT_SIZE 64

/* A data type by full name or suffix ("FLOAT32"); false where there is none. */
bool element_type_from_name(const char *name, DML_TENSOR_DATA_TYPE *type);

/* "; did you mean FLOAT32?" for what is no data type, or "". Returns `hint`. */
const char *element_type_hint(const char *name, char hint[SUGGEST_SIZE]);

/* "FLOAT32"; "UNKNOWN" for values that are none. */
const char *element_type_name(DML_TENSOR_DATA_TYPE type);

/* "<f4" and the like; NULL where .npy files have no such type. */
const char *element_npy_name(DML_TENSOR_DATA_TYPE type);

/* False where there is no such type. NumPy's bool is UINT8. */
bool element_type_from_npy_name(const char *name, DML_TENSOR_DATA_TYPE *type);

/* Stores a JSON number, or the string "nan", "inf" or "-inf" for the floating-point types, as an element. Returns NULL,
 * or what is wrong with the value: "must be ...". */
const char *element_parse(struct json_object *value, DML_TENSOR_DATA_TYPE type, void *element);

/* Bytes that `count` elements take. */
uint64_t element_bytes(DML_TENSOR_DATA_TYPE type, uint64_t count);

/* Puts an element, as it is parsed, at its place among others, and takes it from there. */
void element_store(DML_TENSOR_DATA_TYPE type, const void *element, uint64_t index, unsigned char *elements);
void element_load(DML_TENSOR_DATA_TYPE type, const unsigned char *elements, uint64_t index, void *element);

/* The element as a number; integers beyond 2^53 rounded. */
double element_number(DML_TENSOR_DATA_TYPE type, const void *element);

/* Whether it is one of the floating-point types. */
bool element_is_float(DML_TENSOR_DATA_TYPE type);

/* The element nearest to a number; of integers saturated, and 0 of NaN. */
void element_from_number(DML_TENSOR_DATA_TYPE type, double number, void *element);

/* The least and the greatest integer of a type, sign extended. */
void element_integer_range(DML_TENSOR_DATA_TYPE type, uint64_t *least, uint64_t *greatest);

/* An integer element of the lower bits of `bits`, and such bits of an element, sign extended. */
void element_from_bits(DML_TENSOR_DATA_TYPE type, uint64_t bits, void *element);
uint64_t element_bits(DML_TENSOR_DATA_TYPE type, const void *element);

/* How far two elements are apart; 0 between two NaNs, infinity between NaN or infinity and anything else. */
double element_distance(DML_TENSOR_DATA_TYPE type, const void *a, const void *b);

/* A unit in the last place of an element, of denormals, infinities and NaN the type's least; 1 of integers. */
double element_unit(DML_TENSOR_DATA_TYPE type, const void *element);

/* *element += *delta, rounded to the type, or modulo its range. */
void element_add(DML_TENSOR_DATA_TYPE type, void *element, const void *delta);

/* The shortest decimal text that gives the element back; verbose puts its bits behind it: "1 (0x3F800000)". */
void element_format(DML_TENSOR_DATA_TYPE type, const void *element, bool verbose, char text[ELEMENT_TEXT_SIZE]);

#endif
