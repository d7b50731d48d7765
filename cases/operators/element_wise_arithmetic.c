/* ELEMENT_WISE_ operators that compute with two numbers. */
#include "cases/operators/mapping.h"

static const struct case_support subtracted[] = {AT_LEVEL(1_0, 4, 4, FLOATS),    AT_LEVEL(2_1, 4, 4, FLOATS_32),
                                                 AT_LEVEL(3_0, 1, 8, FLOATS_32), AT_LEVEL(4_1, 1, 8, FLOATS_32 | LONG),
                                                 AT_LEVEL(5_1, 1, 8, NUMBERS),   {0}};
static const struct case_support squared[] = {AT_LEVEL(3_1, 1, 8, FLOATS_32), {0}};
static const struct case_support divided[] = {AT_LEVEL(1_0, 4, 4, FLOATS),    AT_LEVEL(2_1, 4, 4, FLOATS_32),
                                              AT_LEVEL(3_0, 1, 8, FLOATS_32), AT_LEVEL(5_1, 1, 8, UP_TO_32),
                                              AT_LEVEL(6_0, 1, 8, NUMBERS),   {0}};
static const struct case_support averaged[] = {
    AT_LEVEL(1_0, 4, 4, FLOATS), AT_LEVEL(2_1, 4, 4, FLOATS_32), AT_LEVEL(3_0, 1, 8, FLOATS_32), {0}};
static const struct case_support fused[] = {AT_LEVEL(2_0, 4, 5, FLOATS), AT_LEVEL(3_0, 1, 8, FLOATS), {0}};

#define INF     "0x7f800000"
#define NEG_INF "0xff800000"
#define NAN_    "0x7fc00000"
#define NEG_0   "0x80000000"

/* Everything is timed with this one. */
BINARY_TENSORS(element_wise_add, arithmetic, arithmetic);
LOOP_OF_TWO(element_wise_add, a + b)
FAMILY(element_wise_add, ELEMENT_WISE_ADD, mapping_of_layouts, element_wise_add_loop, NULL,
       OF_TWO(ELEMENT_WISE_ADD, FLOAT32, 6, "1.5," NEG_0 "," INF ",0x00000001,16777216,0x7f7fffff",
              "2," NEG_0 "," NEG_INF ",0x00000001,1,0x7f7fffff", "3.5," NEG_0 "," NAN_ ",0x00000002,16777216," INF),
       OF_TWO(ELEMENT_WISE_ADD, FLOAT16, 3, "2048,65504,0x0001", "1,16,0x0001", "2048,0x7c00,0x0002"),
       OF_TWO(ELEMENT_WISE_ADD, INT8, 3, "127,-128,5", "1,-1,-6", "-128,127,-1"),
       OF_TWO(ELEMENT_WISE_ADD, UINT64, 2, "0xffffffffffffffff,4294967295", "1,1", "0,4294967296"),
       /* Rows that lie across: their ends are not whole tiles. */
       "ELEMENT_WISE_ADD ATensor=FLOAT32[37,131] ATensor.fill=BITS BTensor=FLOAT32[37,131] BTensor.strides=1,37 "
       "BTensor.fill=BITS OutputTensor=FLOAT32[37,131]",
       "ELEMENT_WISE_ADD ATensor=FLOAT16[3,300,70] ATensor.strides=1,3,900 ATensor.fill=BITS BTensor=FLOAT16[3,300,70] "
       "BTensor.strides=21000,1,300 BTensor.fill=BITS OutputTensor=FLOAT16[3,300,70]",
       "ELEMENT_WISE_ADD ATensor=INT8[65,257] ATensor.strides=1,65 ATensor.fill=BITS BTensor=INT8[65,257] "
       "BTensor.fill=BITS OutputTensor=INT8[65,257] OutputTensor.strides=259,1");

#define FUSED_BENCHMARKS element_wise_add1_benchmarks
static const struct case_benchmark element_wise_add1_benchmarks[] = {
    MAPPING_BENCHMARK("packed", CASE_TYPES_FLOATS, MAPPING_PACKED),
    MAPPING_BENCHMARK("relu", CASE_TYPES_FLOATS, MAPPING_PACKED | MAPPING_FUSED),
};
BINARY_TENSORS(element_wise_add1, fused, fused);
FAMILY(element_wise_add1, ELEMENT_WISE_ADD1, element_wise_add1_benchmarks, NULL, NULL,
       OF_TWO(ELEMENT_WISE_ADD1, FLOAT32, 2, "1,-3", "1,1", "2,-2"),
       OF_TWO(ELEMENT_WISE_ADD1, FLOAT32, 2, "1,-3", "1,1",
              "2,-0.5") " FusedActivation=LEAKY_RELU FusedActivation.Alpha=0.25",
       OF_TWO(ELEMENT_WISE_ADD1, FLOAT16, 2, "1,-3", "1,1", "2,0") " FusedActivation=RELU");

BINARY(element_wise_subtract, ELEMENT_WISE_SUBTRACT, subtracted, a - b,
       OF_TWO(ELEMENT_WISE_SUBTRACT, FLOAT32, 4, "1.5,0," INF ",0x00800000", "2,0," INF ",0x00000001",
              "-0.5,0," NAN_ ",0x007fffff"),
       OF_TWO(ELEMENT_WISE_SUBTRACT, UINT8, 3, "0,255,5", "1,255,7", "255,0,254"),
       OF_TWO(ELEMENT_WISE_SUBTRACT, INT64, 2, "0x8000000000000000,4294967296", "1,1",
              "0x7fffffffffffffff,4294967295"));
BINARY(element_wise_multiply, ELEMENT_WISE_MULTIPLY, arithmetic, a *b,
       OF_TWO(ELEMENT_WISE_MULTIPLY, FLOAT32, 5, "1.5,0," INF ",0x00800000,0x7f7fffff", "2,-1,0,0.5,2",
              "3," NEG_0 "," NAN_ ",0x00400000," INF),
       OF_TWO(ELEMENT_WISE_MULTIPLY, INT16, 3, "256,-32768,181", "256,-1,181", "0,-32768,32761"),
       OF_TWO(ELEMENT_WISE_MULTIPLY, UINT64, 2, "4294967297,0xffffffffffffffff", "4294967297,2",
              "8589934593,0xfffffffffffffffe"));
BINARY(element_wise_divide, ELEMENT_WISE_DIVIDE, divided, a / b,
       OF_TWO(ELEMENT_WISE_DIVIDE, FLOAT32, 6, "1,1,0,-1," INF ",0x00000002", "3,0,0,0," INF ",2",
              "0x3eaaaaab," INF "," NAN_ "," NEG_INF "," NAN_ ",0x00000001"),
       OF_TWO(ELEMENT_WISE_DIVIDE, INT8, 6, "7,-7,7,-128,5,0", "2,2,-2,-1,0,0", "3,-3,-3,-128,0,0"),
       OF_TWO(ELEMENT_WISE_DIVIDE, UINT32, 3, "4294967295,7,1", "2,0,4294967295", "2147483647,0,0"),
       OF_TWO(ELEMENT_WISE_DIVIDE, INT64, 4, "0x8000000000000000,-9000000000,1,0x7fffffffffffffff",
              "-1,4294967296,0,-3", "0x8000000000000000,-2,0,-3074457345618258602"));
BINARY(element_wise_modulus_truncate, ELEMENT_WISE_MODULUS_TRUNCATE, remainders, fmodf(a, b),
       OF_TWO(ELEMENT_WISE_MODULUS_TRUNCATE, FLOAT32, 7, "5.5,-5.5,5.5,1," INF ",1," NEG_0, "2,2,-2,0,1," INF ",2",
              "1.5,-1.5,1.5," NAN_ "," NAN_ ",1," NEG_0),
       OF_TWO(ELEMENT_WISE_MODULUS_TRUNCATE, INT8, 6, "7,-7,7,-128,5,-7", "3,3,-3,-1,0,-3", "1,-1,1,0,0,-1"),
       OF_TWO(ELEMENT_WISE_MODULUS_TRUNCATE, UINT64, 2, "0xffffffffffffffff,7", "10,0", "5,0"));
BINARY(element_wise_modulus_floor, ELEMENT_WISE_MODULUS_FLOOR, remainders, a - b * floorf(a / b),
       OF_TWO(ELEMENT_WISE_MODULUS_FLOOR, FLOAT32, 7, "5.5,-5.5,5.5,-5.5,1,-4,4", "2,2,-2,-2,0,2,-2",
              "1.5,0.5,-0.5,-1.5," NAN_ ",0," NEG_0),
       OF_TWO(ELEMENT_WISE_MODULUS_FLOOR, INT8, 6, "7,-7,7,-128,5,-7", "3,3,-3,-1,0,-3", "1,2,-2,0,0,-1"),
       OF_TWO(ELEMENT_WISE_MODULUS_FLOOR, INT64, 2, "-4294967297,7", "4294967296,0", "4294967295,0"));
BINARY(element_wise_mean, ELEMENT_WISE_MEAN, averaged, (a + b) / 2,
       OF_TWO(ELEMENT_WISE_MEAN, FLOAT32, 3, "1,0x7f7fffff,0x00000001", "2,0x7f7fffff,0", "1.5," INF ",0"),
       OF_TWO(ELEMENT_WISE_MEAN, INT32, 4, "1,-1,2147483647,-2", "2,-2,1,1", "1,-1,-1073741824,0"),
       OF_TWO(ELEMENT_WISE_MEAN, UINT32, 2, "4294967295,7", "1,2", "0,4"));
BINARY(element_wise_difference_square, ELEMENT_WISE_DIFFERENCE_SQUARE, squared, (a - b) * (a - b),
       OF_TWO(ELEMENT_WISE_DIFFERENCE_SQUARE, FLOAT32, 3, "1,-3," INF, "3,0," INF, "4,9," NAN_),
       OF_TWO(ELEMENT_WISE_DIFFERENCE_SQUARE, UINT32, 2, "1,65536", "3,0", "4,0"));
