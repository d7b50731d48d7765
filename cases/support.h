/* What DirectML's documentation says that tensors may be, where several operators' say the same. Written from it and
 * never from src/schema/. */
#ifndef CASES_SUPPORT_H
#define CASES_SUPPORT_H

#include "cases/family.h"

#define AT_LEVEL(level, least, most, types)                                                                            \
    { DML_FEATURE_LEVEL_##level, least, most, types }

#define SIGNED    (CASE_TYPE(INT32) | CASE_TYPE(INT16) | CASE_TYPE(INT8))
#define UNSIGNED  (CASE_TYPE(UINT32) | CASE_TYPE(UINT16) | CASE_TYPE(UINT8))
#define FLOATS    CASE_TYPES_FLOATS
#define UP_TO_32  CASE_TYPES_UP_TO_32
#define LONG      (CASE_TYPE(INT64) | CASE_TYPE(UINT64))
#define NUMBERS   (UP_TO_32 | LONG)
#define FLOATS_32 (FLOATS | CASE_TYPE(INT32) | CASE_TYPE(UINT32))
#define TRUTHS    (CASE_TYPE(UINT32) | CASE_TYPE(UINT8))

/* Functions */
static const struct case_support floats_since_1_0[] = {AT_LEVEL(1_0, 4, 4, FLOATS), AT_LEVEL(3_0, 1, 8, FLOATS), {0}};
static const struct case_support floats_since_2_0[] = {AT_LEVEL(2_0, 4, 4, FLOATS), AT_LEVEL(3_0, 1, 8, FLOATS), {0}};
static const struct case_support floats_since_2_1[] = {AT_LEVEL(2_1, 4, 4, FLOATS), AT_LEVEL(3_0, 1, 8, FLOATS), {0}};
static const struct case_support activated[] = {
    AT_LEVEL(1_0, 4, 4, FLOATS), AT_LEVEL(2_0, 4, 5, FLOATS), AT_LEVEL(3_0, 1, 8, FLOATS), {0}};
static const struct case_support activated_integers[] = {AT_LEVEL(1_0, 4, 4, FLOATS),
                                                         AT_LEVEL(2_0, 4, 5, FLOATS),
                                                         AT_LEVEL(3_0, 1, 8, FLOATS),
                                                         AT_LEVEL(5_1, 1, 8, FLOATS | SIGNED),
                                                         {0}};
static const struct case_support floats_from_3_0[] = {AT_LEVEL(3_0, 1, 8, FLOATS), {0}};
static const struct case_support floats_from_3_1[] = {AT_LEVEL(3_1, 1, 8, FLOATS), {0}};
static const struct case_support floats_from_5_1[] = {AT_LEVEL(5_1, 1, 8, FLOATS), {0}};
static const struct case_support floats_from_6_2[] = {AT_LEVEL(6_2, 1, 8, FLOATS), {0}};
static const struct case_support floats_from_6_3[] = {AT_LEVEL(6_3, 1, 8, FLOATS), {0}};
static const struct case_support numbers_from_5_0[] = {AT_LEVEL(5_0, 1, 8, NUMBERS), {0}};

/* Arithmetic */
static const struct case_support arithmetic[] = {AT_LEVEL(1_0, 4, 5, FLOATS),    AT_LEVEL(2_1, 4, 5, FLOATS_32),
                                                 AT_LEVEL(3_0, 1, 8, FLOATS_32), AT_LEVEL(4_1, 1, 8, FLOATS_32 | LONG),
                                                 AT_LEVEL(5_1, 1, 8, NUMBERS),   {0}};
static const struct case_support remainders[] = {
    AT_LEVEL(2_1, 4, 4, UP_TO_32), AT_LEVEL(3_0, 1, 8, UP_TO_32), AT_LEVEL(6_0, 1, 8, NUMBERS), {0}};

/* Order */
static const struct case_support ordered[] = {AT_LEVEL(1_0, 4, 4, FLOATS),
                                              AT_LEVEL(2_1, 4, 4, UP_TO_32),
                                              AT_LEVEL(3_0, 1, 8, UP_TO_32),
                                              AT_LEVEL(5_0, 1, 8, NUMBERS),
                                              {0}};
static const struct case_support compared[] = {AT_LEVEL(1_0, 4, 4, FLOATS),
                                               AT_LEVEL(2_1, 4, 4, UP_TO_32),
                                               AT_LEVEL(3_0, 1, 8, UP_TO_32),
                                               AT_LEVEL(4_1, 1, 8, NUMBERS),
                                               {0}};
static const struct case_support compared_since_3_0[] = {
    AT_LEVEL(3_0, 1, 8, UP_TO_32), AT_LEVEL(4_1, 1, 8, NUMBERS), {0}};

/* Truth */
static const struct case_support logical[] = {
    AT_LEVEL(1_0, 4, 4, CASE_TYPE(UINT32)), AT_LEVEL(2_0, 4, 4, TRUTHS), AT_LEVEL(3_0, 1, 8, TRUTHS), {0}};
static const struct case_support logical_since_2_0[] = {AT_LEVEL(2_0, 4, 4, TRUTHS), AT_LEVEL(3_0, 1, 8, TRUTHS), {0}};
static const struct case_support logical_since_3_0[] = {AT_LEVEL(3_0, 1, 8, TRUTHS), {0}};

/* Bits */
static const struct case_support bit_patterns[] = {
    AT_LEVEL(3_0, 1, 8, UNSIGNED), AT_LEVEL(4_1, 1, 8, CASE_TYPES_UP_TO_64), {0}};
static const struct case_support shifts[] = {AT_LEVEL(2_1, 4, 4, UNSIGNED),
                                             AT_LEVEL(3_0, 1, 8, UNSIGNED),
                                             AT_LEVEL(4_1, 1, 8, UNSIGNED | CASE_TYPE(UINT64)),
                                             {0}};

#endif
