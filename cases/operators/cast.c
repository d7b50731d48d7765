#include "cases/operators/mapping.h"

#define INTEGERS (SIGNED | UNSIGNED)
static const struct case_support casts[] = {
    AT_LEVEL(1_0, 4, 4, FLOATS | CASE_TYPE(INT16) | CASE_TYPE(INT8) | CASE_TYPE(UINT16) | CASE_TYPE(UINT8)),
    AT_LEVEL(3_0, 4, 4, NUMBERS),
    AT_LEVEL(3_1, 1, 8, NUMBERS),
    AT_LEVEL(4_1, 1, 8, CASE_TYPES_UP_TO_64),
    {0}};

/* From every width to every other, floats and integers. */
#define WIDTHS                                                                                                         \
    (CASE_TYPE(FLOAT64) | CASE_TYPE(INT64) | CASE_TYPE(FLOAT32) | CASE_TYPE(INT32) | CASE_TYPE(FLOAT16) |              \
     CASE_TYPE(INT16) | CASE_TYPE(UINT8))
static const struct case_benchmark cast_benchmarks[] = {
    MAPPING_BENCHMARK("to_float64", WIDTHS & ~CASE_TYPE(FLOAT64), MAPPING_TO(FLOAT64)),
    MAPPING_BENCHMARK("to_int64", WIDTHS & ~CASE_TYPE(INT64), MAPPING_TO(INT64)),
    MAPPING_BENCHMARK("to_float32", WIDTHS & ~CASE_TYPE(FLOAT32), MAPPING_TO(FLOAT32)),
    MAPPING_BENCHMARK("to_int32", WIDTHS & ~CASE_TYPE(INT32), MAPPING_TO(INT32)),
    MAPPING_BENCHMARK("to_float16", WIDTHS & ~CASE_TYPE(FLOAT16), MAPPING_TO(FLOAT16)),
    MAPPING_BENCHMARK("to_int16", WIDTHS & ~CASE_TYPE(INT16), MAPPING_TO(INT16)),
    MAPPING_BENCHMARK("to_uint8", WIDTHS & ~CASE_TYPE(UINT8), MAPPING_TO(UINT8)),
};

UNARY_TENSORS(cast, casts, casts);
FAMILY_WITH(TRANSFERS, cast, CAST, cast_benchmarks, NULL, NULL,
            OF_ONE_TO(CAST, FLOAT32, 6, "1.9,-1.9,300,-1e20,0x7fc00000,0x7f800000", INT8, "1,-1,127,-128,0,127"),
            OF_ONE_TO(CAST, FLOAT32, 4, "65519,65520,0x33000000,0x33000001", FLOAT16, "65504,0x7c00,0,0x0001"),
            OF_ONE_TO(CAST, FLOAT16, 4, "0x7c01,0x0001,0xfc00,0x3c01", FLOAT64,
                      "0x7ff8000000000000,0x3e70000000000000,0xfff0000000000000,0x3ff0040000000000"),
            OF_ONE_TO(CAST, FLOAT64, 4, "0x3ff0000010000000,0x3ff0000010000001,0x36a0000000000000,0x36a0000000000001",
                      FLOAT32, "1,0x3f800001,0x00000001,0x00000001"),
            /* Below, at and above a half of FLOAT16's last place, nearer to it than FLOAT32 tells. */
            OF_ONE_TO(CAST, FLOAT64, 4, "0x3ff005fffffff000,0xbff005fffffff000,0x3ff0060000000000,0x3ff0020000000001",
                      FLOAT16, "0x3c01,0xbc01,0x3c02,0x3c01"),
            OF_ONE_TO(CAST, FLOAT64, 3, "0x43e0000000000000,0xc3e0000000000000,0x43dfffffffffffff", INT64,
                      "0x7fffffffffffffff,0x8000000000000000,0x7ffffffffffffc00"),
            OF_ONE_TO(CAST, INT64, 4, "4294967297,-1,255,0x8000000000000000", UINT8, "1,255,255,0"),
            OF_ONE_TO(CAST, INT8, 3, "-1,-128,127", UINT32, "4294967295,4294967168,127"),
            OF_ONE_TO(CAST, UINT32, 3, "16777217,16777219,4294967295", FLOAT32, "16777216,16777220,4294967296"),
            OF_ONE_TO(CAST, INT64, 3, "9007199254740993,-9007199791611905,0x7fffffffffffffff", FLOAT32,
                      "0x5a000000,0xda000001,0x5f000000"),
            OF_ONE_TO(CAST, UINT64, 2, "0xffffffffffffffff,9007199254740993", FLOAT64,
                      "0x43f0000000000000,0x4340000000000000"),
            OF_ONE_TO(CAST, FLOAT32, 2, "0x7f800001,0x80000000", FLOAT32, "0x7f800001,0x80000000"),
            OF_ONE_TO(CAST, UINT8, 3, "0,1,255", FLOAT16, "0,1,255"));
