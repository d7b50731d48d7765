/* FILL_VALUE_CONSTANT and FILL_VALUE_SEQUENCE. */
#include "cases/generate.h"
#include "cases/operators/mapping.h"

static const struct case_support constants[] = {
    AT_LEVEL(2_1, 4, 4, UP_TO_32), AT_LEVEL(4_0, 1, 8, UP_TO_32), AT_LEVEL(4_1, 1, 8, CASE_TYPES_UP_TO_64), {0}};
static const struct case_support sequences[] = {
    AT_LEVEL(2_1, 4, 4, UP_TO_32), AT_LEVEL(4_0, 1, 8, UP_TO_32), AT_LEVEL(5_0, 1, 8, NUMBERS), {0}};

static const struct case_benchmark fills[] = {
    {"packed", CASE_TYPES_UP_TO_64, MAPPING_PACKED, CASE_BENCHMARK_FILL, benchmark_mapping, NULL},
};

TENSORS(fill_value_constant, {"OutputTensor", constants});
FAMILY_WITH(
    TRANSFERS, fill_value_constant, FILL_VALUE_CONSTANT, fills, NULL, NULL,
    /* The documented example. */
    "FILL_VALUE_CONSTANT OutputTensor=FLOAT32[1,1,2,4] OutputTensor.data=13,13,13,13,13,13,13,13 "
    "ValueDataType=FLOAT32 Value=0x41500000,0",
    "FILL_VALUE_CONSTANT OutputTensor=INT8[3,3] OutputTensor.strides=5,1 OutputTensor.data=-2,-2,-2,-2,-2,-2,-2,-2,-2 "
    "ValueDataType=INT8 Value=0xfe,0",
    "FILL_VALUE_CONSTANT OutputTensor=FLOAT64[2] OutputTensor.data=0x7ff0000000000001,0x7ff0000000000001 "
    "ValueDataType=FLOAT64 Value=0x1,0x7ff00000");

TENSORS(fill_value_sequence, {"OutputTensor", sequences});
FAMILY(
    fill_value_sequence, FILL_VALUE_SEQUENCE, fills, NULL, NULL,
    /* The documented examples. */
    "FILL_VALUE_SEQUENCE OutputTensor=FLOAT32[1,1,1,3] OutputTensor.data=3,5,7 ValueDataType=FLOAT32 "
    "ValueStart=0x40400000,0 ValueDelta=0x40000000,0",
    "FILL_VALUE_SEQUENCE OutputTensor=UINT8[1,1,2,2] OutputTensor.data=10,8,6,4 ValueDataType=UINT8 ValueStart=0xa,0 "
    "ValueDelta=0xfe,0",
    /* In row-major order, however the tensor lies. */
    "FILL_VALUE_SEQUENCE OutputTensor=INT16[2,3] OutputTensor.strides=1,2 OutputTensor.data=32767,-32768,-32767,-32766,"
    "-32765,-32764 ValueDataType=INT16 ValueStart=0x7fff,0 ValueDelta=0x1,0",
    "FILL_VALUE_SEQUENCE OutputTensor=UINT64[3] OutputTensor.data=0xffffffffffffffff,4294967295,8589934591 "
    "ValueDataType=UINT64 ValueStart=0xffffffff,0xffffffff ValueDelta=0,0x1",
    "FILL_VALUE_SEQUENCE OutputTensor=FLOAT16[3] OutputTensor.data=2048,2048,2050 ValueDataType=FLOAT16 "
    "ValueStart=0x6800,0 ValueDelta=0x3c00,0");
