/* ELEMENT_WISE_ operators that look at an element's bits. */
#include "cases/operators/mapping.h"

static const struct case_support counts[] = {AT_LEVEL(3_0, 1, 8, TRUTHS), {0}};

#define BITS_OF_TWO(name, NAME, out8, out64)                                                                           \
    BINARY_TENSORS(name, bit_patterns, bit_patterns);                                                                  \
    FAMILY(name, NAME, mapping_packed, NULL, NULL, OF_TWO(NAME, UINT8, 3, "0x0f,0xff,0x81", "0x33,0,0x81", out8),      \
           OF_TWO(NAME, FLOAT64, 2, "0x7ff0000000000001,0", "0x000000ff000000ff,0xffffffffffffffff", out64))

BITS_OF_TWO(element_wise_bit_and, ELEMENT_WISE_BIT_AND, "0x03,0,0x81", "0x1,0");
BITS_OF_TWO(element_wise_bit_or, ELEMENT_WISE_BIT_OR, "0x3f,0xff,0x81", "0x7ff000ff000000ff,0xffffffffffffffff");
BITS_OF_TWO(element_wise_bit_xor, ELEMENT_WISE_BIT_XOR, "0x3c,0xff,0", "0x7ff000ff000000fe,0xffffffffffffffff");

UNARY_TENSORS(element_wise_bit_not, bit_patterns, bit_patterns);
FAMILY(element_wise_bit_not, ELEMENT_WISE_BIT_NOT, mapping_packed, NULL, NULL,
       /* The documented example. */
       "ELEMENT_WISE_BIT_NOT InputTensor=UINT8[2,2] InputTensor.data=0,128,42,255 OutputTensor=UINT8[2,2] "
       "OutputTensor.data=255,127,213,0",
       OF_ONE(ELEMENT_WISE_BIT_NOT, FLOAT16, 2, "0x7c01,0", "0x83fe,0xffff"),
       OF_ONE(ELEMENT_WISE_BIT_NOT, INT64, 2, "0,4294967296", "-1,-4294967297"));
UNARY_TENSORS(element_wise_bit_count, bit_patterns, counts);
FAMILY(element_wise_bit_count, ELEMENT_WISE_BIT_COUNT, mapping_packed, NULL, NULL,
       /* The documented example. */
       "ELEMENT_WISE_BIT_COUNT InputTensor=UINT32[2,2] InputTensor.data=0,123,456,789 OutputTensor=UINT32[2,2] "
       "OutputTensor.data=0,6,4,5",
       OF_ONE_TO(ELEMENT_WISE_BIT_COUNT, INT8, 3, "-1,-128,3", UINT8, "8,1,2"),
       OF_ONE_TO(ELEMENT_WISE_BIT_COUNT, FLOAT64, 2, "0xffffffffffffffff,1", UINT8, "64,10"));

BINARY_TENSORS(element_wise_bit_shift_left, shifts, shifts);
FAMILY(element_wise_bit_shift_left, ELEMENT_WISE_BIT_SHIFT_LEFT, mapping_packed, NULL, NULL,
       OF_TWO(ELEMENT_WISE_BIT_SHIFT_LEFT, UINT32, 5, "1,1,1,0xffffffff,3", "0,31,32,0xffffffff,1",
              "1,0x80000000,0,0,6"),
       OF_TWO(ELEMENT_WISE_BIT_SHIFT_LEFT, UINT8, 4, "1,0xff,1,1", "7,4,8,255", "0x80,0xf0,0,0"),
       OF_TWO(ELEMENT_WISE_BIT_SHIFT_LEFT, UINT64, 4, "1,1,1,1", "32,63,64,4294967296",
              "4294967296,0x8000000000000000,0,0"));
BINARY_TENSORS(element_wise_bit_shift_right, shifts, shifts);
FAMILY(element_wise_bit_shift_right, ELEMENT_WISE_BIT_SHIFT_RIGHT, mapping_packed, NULL, NULL,
       OF_TWO(ELEMENT_WISE_BIT_SHIFT_RIGHT, UINT32, 4, "0xffffffff,0xffffffff,1,6", "31,32,0xffffffff,1", "1,0,0,3"),
       OF_TWO(ELEMENT_WISE_BIT_SHIFT_RIGHT, UINT16, 3, "0xffff,0xffff,0x8000", "15,16,8", "1,0,0x80"),
       OF_TWO(ELEMENT_WISE_BIT_SHIFT_RIGHT, UINT64, 3, "0x8000000000000000,0xffffffffffffffff,4294967296", "63,64,32",
              "1,0,1"));
