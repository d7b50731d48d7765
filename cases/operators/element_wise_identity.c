#include <string.h>

#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"

static const char *const fixed[] = {
    /* Copies keep every bit: signalling NaNs, denormals, signs of zero. */
    "ELEMENT_WISE_IDENTITY seed=1 InputTensor=FLOAT32[6] "
    "InputTensor.data=0x7f800001,0xffc12345,0x1,0x80000000,1.5,-inf "
    "OutputTensor=FLOAT32[6] OutputTensor.data=0x7f800001,0xffc12345,0x1,0x80000000,0x3fc00000,0xff800000",
    "ELEMENT_WISE_IDENTITY seed=2 InputTensor=FLOAT16[5] InputTensor.data=0x7c01,0xfe00,0x1,0x8000,0x3c00 "
    "OutputTensor=FLOAT16[5] OutputTensor.data=0x7c01,0xfe00,0x1,0x8000,0x3c00",
    /* A transposition; bytes between the elements of a gapped output keep their values. */
    "ELEMENT_WISE_IDENTITY seed=3 InputTensor=UINT8[2,3] InputTensor.data=1,2,3,4,5,6 InputTensor.strides=1,2 "
    "OutputTensor=UINT8[2,3] OutputTensor.strides=7,2 OutputTensor.data=1,2,3,4,5,6",
    /* Broadcast. */
    "ELEMENT_WISE_IDENTITY seed=4 InputTensor=INT16[3,2] InputTensor.strides=0,1 InputTensor.data=7,-8,7,-8,7,-8 "
    "OutputTensor=INT16[3,2] OutputTensor.data=7,-8,7,-8,7,-8",
    /* Neighbouring narrow elements written by many threads. */
    "ELEMENT_WISE_IDENTITY seed=5 InputTensor=UINT8[1025] InputTensor.fill=BITS OutputTensor=UINT8[1025] "
    "OutputTensor.extra=3",
    /* Rows of a kilobyte and more, with gaps, in another order, broadcast: regions of a copy, where devices are to
       copy. */
    "ELEMENT_WISE_IDENTITY seed=41 InputTensor=UINT8[70,1031] InputTensor.strides=1040,1 InputTensor.fill=BITS "
    "OutputTensor=UINT8[70,1031] OutputTensor.strides=1033,1",
    "ELEMENT_WISE_IDENTITY seed=42 InputTensor=FLOAT32[3,2,5,257] InputTensor.strides=257,3855,771,1 "
    "InputTensor.fill=BITS OutputTensor=FLOAT32[3,2,5,257] OutputTensor.strides=2600,1300,260,1",
    "ELEMENT_WISE_IDENTITY seed=43 InputTensor=INT64[2,3,129] InputTensor.strides=130,0,1 InputTensor.fill=BITS "
    "OutputTensor=INT64[2,3,129] OutputTensor.strides=129,258,1",
    "ELEMENT_WISE_IDENTITY seed=44 InputTensor=FLOAT16[2,600] InputTensor.strides=601,1 InputTensor.fill=BITS "
    "OutputTensor=FLOAT16[2,600] OutputTensor.strides=601,1 OutputTensor.in_place=1",
    "ELEMENT_WISE_IDENTITY seed=45 InputTensor=UINT8[3,2,1025] InputTensor.fill=BITS InputTensor.owned=1 "
    "OutputTensor=UINT8[3,2,1025] OutputTensor.strides=1025,3075,1",
    "ELEMENT_WISE_IDENTITY seed=6 InputTensor=UINT8[31,33] InputTensor.fill=BITS OutputTensor=UINT8[31,33] "
    "OutputTensor.strides=1,31",
    /* The oldest level, and OWNED_BY_DML. */
    "ELEMENT_WISE_IDENTITY seed=7 level=1_0 InputTensor=FLOAT16[1,2,3,4] InputTensor.fill=BITS InputTensor.owned=1 "
    "OutputTensor=FLOAT16[1,2,3,4]",
    "ELEMENT_WISE_IDENTITY seed=8 InputTensor=INT64[2,2] InputTensor.fill=BITS InputTensor.owned=1 "
    "OutputTensor=INT64[2,2] OutputTensor.strides=1,2 ScaleBias=1,0",
    /* In place. */
    "ELEMENT_WISE_IDENTITY seed=9 InputTensor=INT8[3,5] InputTensor.strides=7,1 InputTensor.fill=BITS "
    "OutputTensor=INT8[3,5] OutputTensor.strides=7,1 OutputTensor.in_place=1 ScaleBias=2,1",
    /* Rows of many times 16 bytes, at all distances from them; of gaps too. */
    "ELEMENT_WISE_IDENTITY seed=10 InputTensor=UINT8[60,201] InputTensor.strides=203,1 InputTensor.fill=BITS "
    "OutputTensor=UINT8[60,201] OutputTensor.strides=202,1",
    "ELEMENT_WISE_IDENTITY seed=11 InputTensor=INT8[60,201] InputTensor.strides=203,1 InputTensor.fill=BITS "
    "OutputTensor=INT8[60,201] OutputTensor.strides=203,1 OutputTensor.in_place=1",
    "ELEMENT_WISE_IDENTITY seed=12 InputTensor=FLOAT16[9,2001] InputTensor.strides=2003,1 InputTensor.fill=BITS "
    "OutputTensor=FLOAT16[9,2001]",
    /* FLOAT32 rounds twice: (1 + 2^-23)^2 - (1 + 2^-22) is 0, not 2^-46. */
    "ELEMENT_WISE_IDENTITY seed=20 InputTensor=FLOAT32[1] InputTensor.data=0x3f800001 OutputTensor=FLOAT32[1] "
    "OutputTensor.data=0x0 ScaleBias=0x3f800001,0xbf800002",
    /* Any NaN result is the positive quiet NaN; denormals are kept; -0 + 0 is +0. */
    "ELEMENT_WISE_IDENTITY seed=21 InputTensor=FLOAT32[6] InputTensor.data=0xff812345,inf,-inf,0x1,0x80000001,-0.0 "
    "OutputTensor=FLOAT32[6] OutputTensor.data=0x7fc00000,0x7f800000,0xff800000,0x1,0x80000001,0x0 ScaleBias=1,0",
    "ELEMENT_WISE_IDENTITY seed=22 InputTensor=FLOAT32[3] InputTensor.data=inf,-inf,1 OutputTensor=FLOAT32[3] "
    "OutputTensor.data=0x7fc00000,0x7fc00000,0x3f800000 ScaleBias=0,1",
    "ELEMENT_WISE_IDENTITY seed=23 InputTensor=FLOAT32[2] InputTensor.data=inf,-inf OutputTensor=FLOAT32[2] "
    "OutputTensor.data=0x7f800000,0x7fc00000 ScaleBias=1,inf",
    /* FLOAT16 rounds the FLOAT32 result to nearest even: 65504 + 16 overflows, 1 + 2^-11 is a tie. */
    "ELEMENT_WISE_IDENTITY seed=24 InputTensor=FLOAT16[3] InputTensor.data=65504,0x7bfe,0xfbff OutputTensor=FLOAT16[3] "
    "OutputTensor.data=0x7c00,0x7bfe,0xfbfe ScaleBias=1,16",
    "ELEMENT_WISE_IDENTITY seed=25 InputTensor=FLOAT16[3] InputTensor.data=0x3c00,0x3c01,0x7d55 "
    "OutputTensor=FLOAT16[3] OutputTensor.data=0x3c00,0x3c02,0x7e00 ScaleBias=1,0x3a000000",
    "ELEMENT_WISE_IDENTITY seed=26 InputTensor=FLOAT16[3] InputTensor.data=0x1,0x3,0x8003 OutputTensor=FLOAT16[3] "
    "OutputTensor.data=0x0,0x2,0x8002 ScaleBias=0.5,0",
    /* FLOAT64 computes in FLOAT64: 0.1 * 3. */
    "ELEMENT_WISE_IDENTITY seed=27 InputTensor=FLOAT64[3] InputTensor.data=0.1,0x7ff0000000000001,0x1 "
    "OutputTensor=FLOAT64[3] OutputTensor.data=0x3fd3333333333334,0x7ff8000000000000,0x3 ScaleBias=3,0",
    /* .. in FLOAT64 alone: ties of the product, which is rounded before it is added to. */
    "ELEMENT_WISE_IDENTITY seed=82 InputTensor=FLOAT64[4] "
    "InputTensor.data=0x3ff0000000000001,0x3ff0000000000003,0xbff0000000000001,0x3ff0000000000002 "
    "OutputTensor=FLOAT64[4] "
    "OutputTensor.data=0x3ff8000000000002,0x3ff8000000000004,0xbff8000000000002,0x3ff8000000000003 ScaleBias=1.5,0",
    "ELEMENT_WISE_IDENTITY seed=83 InputTensor=FLOAT64[4] InputTensor.data=0x3ff0000000000001,1,-0.0,0 "
    "OutputTensor=FLOAT64[4] OutputTensor.data=0x3cc0000000000000,0x0,-1.5,-1.5 ScaleBias=1.5,-1.5",
    /* Ties of the sum, and less and more than ties: 2^53, 2^53 + 2 and -2^53 with 1 and its neighbours. */
    "ELEMENT_WISE_IDENTITY seed=84 InputTensor=FLOAT64[3] "
    "InputTensor.data=0x4340000000000000,0x4340000000000001,0xc340000000000000 OutputTensor=FLOAT64[3] "
    "OutputTensor.data=0x4340000000000000,0x4340000000000002,0xc33fffffffffffff ScaleBias=1,1",
    "ELEMENT_WISE_IDENTITY seed=85 InputTensor=FLOAT64[3] "
    "InputTensor.data=0x4340000000000000,0x4340000000000001,0xc340000000000000 OutputTensor=FLOAT64[3] "
    "OutputTensor.data=0x4340000000000001,0x4340000000000002,0xc33fffffffffffff ScaleBias=1,0x3f800001",
    "ELEMENT_WISE_IDENTITY seed=86 InputTensor=FLOAT64[3] "
    "InputTensor.data=0x4340000000000000,0x4340000000000001,0xc340000000000000 OutputTensor=FLOAT64[3] "
    "OutputTensor.data=0x433fffffffffffff,0x4340000000000001,0xc340000000000000 ScaleBias=1,0xbf7fffff",
    /* Denormals, from operands that are and are not, and the largest number and beyond. */
    "ELEMENT_WISE_IDENTITY seed=87 InputTensor=FLOAT64[6] "
    "InputTensor.data=0x1,0x3,0x8000000000000003,0x8000000000000001,0x0010000000000001,0x0018000000000001 "
    "OutputTensor=FLOAT64[6] OutputTensor.data=0x0,0x2,0x8000000000000002,0x8000000000000000,0x8000000000000,"
    "0xc000000000000 ScaleBias=0.5,0x80000000",
    "ELEMENT_WISE_IDENTITY seed=88 InputTensor=FLOAT64[4] InputTensor.data=0x1,0x1000,0x800fffffffffffff,0x100000000 "
    "OutputTensor=FLOAT64[4] OutputTensor.data=0x04c0000000000000,0x0580000000000000,0x87fffffffffffffe,"
    "0x06c0000000000000 ScaleBias=0x7f000000,0",
    "ELEMENT_WISE_IDENTITY seed=89 InputTensor=FLOAT64[4] "
    "InputTensor.data=0x7fdfffffffffffff,0x7fe0000000000000,0xffefffffffffffff,inf OutputTensor=FLOAT64[4] "
    "OutputTensor.data=0x7fefffffffffffff,inf,-inf,inf ScaleBias=2,0xff7fffff",
    "ELEMENT_WISE_IDENTITY seed=90 InputTensor=FLOAT64[4] InputTensor.data=inf,-inf,0x7ff0000000000001,-0.0 "
    "OutputTensor=FLOAT64[4] OutputTensor.data=0x7ff8000000000000,inf,0x7ff8000000000000,inf ScaleBias=-1,inf",
    "ELEMENT_WISE_IDENTITY seed=103 InputTensor=FLOAT32[5] InputTensor.data=0x1,0x3,0x80000003,0x00800001,0x00c00001 "
    "OutputTensor=FLOAT32[5] OutputTensor.data=0x0,0x2,0x80000002,0x400000,0x600000 ScaleBias=0.5,0",
    "ELEMENT_WISE_IDENTITY seed=104 InputTensor=FLOAT32[2] InputTensor.data=0x7f7fffff,0xff7fffff "
    "OutputTensor=FLOAT32[2] OutputTensor.data=inf,-inf ScaleBias=2,1",
    "ELEMENT_WISE_IDENTITY seed=107 InputTensor=FLOAT32[2] InputTensor.data=0x3,0x1 "
    "OutputTensor=FLOAT32[2] OutputTensor.data=0x3,0x1 ScaleBias=0.5,0x1",
    /* 2^-1075 and 2^-150 and the least bit that a product can have more: not a tie. */
    "ELEMENT_WISE_IDENTITY seed=100 InputTensor=FLOAT64[1] InputTensor.data=0x02fffff5c003487f OutputTensor=FLOAT64[1] "
    "OutputTensor.data=0x1 ScaleBias=0x0d800029,0",
    "ELEMENT_WISE_IDENTITY seed=101 InputTensor=FLOAT32[1] InputTensor.data=0x197f9d74 OutputTensor=FLOAT32[1] "
    "OutputTensor.data=0x1 ScaleBias=0x1a803159,0",
    /* Integers: the exact value, truncated toward zero, saturated; NaN is 0. */
    "ELEMENT_WISE_IDENTITY seed=28 InputTensor=INT8[6] InputTensor.data=-128,127,1,-1,3,-3 OutputTensor=INT8[6] "
    "OutputTensor.data=-64,63,0,0,1,-1 ScaleBias=0.5,0",
    "ELEMENT_WISE_IDENTITY seed=29 InputTensor=UINT8[4] InputTensor.data=200,127,128,0 OutputTensor=UINT8[4] "
    "OutputTensor.data=255,253,255,0 ScaleBias=2,-1",
    "ELEMENT_WISE_IDENTITY seed=30 InputTensor=INT32[3] InputTensor.data=16777217,2147483647,-2147483648 "
    "OutputTensor=INT32[3] OutputTensor.data=16777218,2147483647,-2147483647 ScaleBias=1,1",
    "ELEMENT_WISE_IDENTITY seed=31 InputTensor=UINT64[3] InputTensor.data=18446744073709551615,9007199254740993,0 "
    "OutputTensor=UINT64[3] OutputTensor.data=18446744073709551615,9007199254740993,0 ScaleBias=1,0.5",
    "ELEMENT_WISE_IDENTITY seed=32 InputTensor=INT64[4] InputTensor.data=0x7fffffffffffffff,0x8000000000000000,3,-3 "
    "OutputTensor=INT64[4] OutputTensor.data=0x8000000000000002,0x7fffffffffffffff,-2,3 ScaleBias=-1,0.25",
    "ELEMENT_WISE_IDENTITY seed=33 InputTensor=INT64[2] InputTensor.data=0,1 OutputTensor=INT64[2] "
    "OutputTensor.data=0,0x7fffffffffffffff ScaleBias=inf,0",
    /* Nothing is rounded before the truncation, however large the terms that cancel. */
    "ELEMENT_WISE_IDENTITY seed=34 InputTensor=INT64[2] InputTensor.data=4611686018427387905,4611686018427387903 "
    "OutputTensor=INT64[2] OutputTensor.data=1,-1 ScaleBias=1,-4611686018427387904",
    "ELEMENT_WISE_IDENTITY seed=35 InputTensor=INT32[3] InputTensor.data=3,-3,6 OutputTensor=INT32[3] "
    "OutputTensor.data=0,-4,2 ScaleBias=0x3f2aaaab,-2",
    "ELEMENT_WISE_IDENTITY seed=36 InputTensor=UINT64[1] InputTensor.data=9223372036854775809 OutputTensor=UINT64[1] "
    "OutputTensor.data=4611686018427387904 ScaleBias=0.5,0.25",
    /* In fixed point of 32 bits, of 64, and where the scale is too small for that. */
    "ELEMENT_WISE_IDENTITY seed=68 InputTensor=UINT8[5] InputTensor.data=0,1,127,128,255 "
    "OutputTensor=UINT8[5] OutputTensor.data=255,255,109,108,0 ScaleBias=-1.5,300",
    "ELEMENT_WISE_IDENTITY seed=69 InputTensor=INT16[8] InputTensor.data=-32768,32767,255,-255,254,-254,128,127 "
    "OutputTensor=INT16[8] OutputTensor.data=-128,128,1,0,1,0,1,0 ScaleBias=0x3b808081,0.5",
    "ELEMENT_WISE_IDENTITY seed=70 InputTensor=INT32[4] InputTensor.data=2147483647,-2147483648,3,-3 "
    "OutputTensor=INT32[4] OutputTensor.data=1610612735,-1610612736,2,-2 ScaleBias=0.75,-0.25",
    "ELEMENT_WISE_IDENTITY seed=71 InputTensor=UINT32[3] InputTensor.data=4294967295,0,7 "
    "OutputTensor=UINT32[3] OutputTensor.data=1,4294967295,4294967289 ScaleBias=-1,4294967296",
    "ELEMENT_WISE_IDENTITY seed=72 InputTensor=INT8[4] InputTensor.data=-128,127,0,-1 "
    "OutputTensor=INT8[4] OutputTensor.data=0,1,1,0 ScaleBias=0x21800000,1",
    "ELEMENT_WISE_IDENTITY seed=73 InputTensor=INT8[4] InputTensor.data=-128,127,0,-1 "
    "OutputTensor=INT8[4] OutputTensor.data=0,1,1,0 ScaleBias=0x1c800000,1",
    "ELEMENT_WISE_IDENTITY seed=77 InputTensor=UINT32[3] InputTensor.data=7,5,0 OutputTensor=UINT32[3] "
    "OutputTensor.data=0,0,5 ScaleBias=-1,5",
    "ELEMENT_WISE_IDENTITY seed=78 InputTensor=UINT8[3] InputTensor.data=7,5,0 OutputTensor=UINT8[3] "
    "OutputTensor.data=0,0,5 ScaleBias=-1,5",
    "ELEMENT_WISE_IDENTITY seed=91 InputTensor=INT64[4] InputTensor.data=0x7fffffffffffffff,0x8000000000000000,0,-1 "
    "OutputTensor=INT64[4] OutputTensor.data=8388608,-8388607,0,0 ScaleBias=0x2b800000,0.5",
    "ELEMENT_WISE_IDENTITY seed=92 InputTensor=UINT64[4] InputTensor.data=0xffffffffffffffff,0x8000000000000000,1,0 "
    "OutputTensor=UINT64[4] OutputTensor.data=0,0,1,4 ScaleBias=-3,4",
    "ELEMENT_WISE_IDENTITY seed=102 InputTensor=UINT64[3] InputTensor.data=5,0,0xffffffffffffffff "
    "OutputTensor=UINT64[3] OutputTensor.data=4,0,0xfffffffffffffffe ScaleBias=1,-1",
    "ELEMENT_WISE_IDENTITY seed=105 InputTensor=UINT64[3] InputTensor.data=0x8000000000000000,0xffffffffffffffff,3 "
    "OutputTensor=UINT64[3] OutputTensor.data=0xffffffffffffffff,0xffffffffffffffff,7 ScaleBias=2,1",
    "ELEMENT_WISE_IDENTITY seed=106 InputTensor=INT64[4] "
    "InputTensor.data=0x4000000000000000,0xc000000000000000,0x2000000000000000,-3 OutputTensor=INT64[4] "
    "OutputTensor.data=0x7fffffffffffffff,0x8000000000000000,0x7fffffffffffffff,-12 ScaleBias=4,0",
    /* Of 8 and 16 bits with what fixed point cannot hold: cancelling, next to an integer, not finite; each result of 8
       bits looked up, where rows have no gaps. */
    "ELEMENT_WISE_IDENTITY seed=93 InputTensor=INT16[4] InputTensor.data=3,4,2,-32768 "
    "OutputTensor=INT16[4] OutputTensor.data=0,32767,-32768,-32768 ScaleBias=0x71800000,0xf2400000",
    "ELEMENT_WISE_IDENTITY seed=94 InputTensor=INT16[5] InputTensor.data=5,-5,0,1,-32768 "
    "OutputTensor=INT16[5] OutputTensor.data=4,-5,0,0,-32768 ScaleBias=1,0x9e000000",
    "ELEMENT_WISE_IDENTITY seed=95 InputTensor=UINT16[4] InputTensor.data=5,65535,0,1 "
    "OutputTensor=UINT16[4] OutputTensor.data=65535,65535,0,65535 ScaleBias=inf,-1",
    "ELEMENT_WISE_IDENTITY seed=96 InputTensor=INT8[5] InputTensor.data=5,-5,0,1,-128 "
    "OutputTensor=INT8[5] OutputTensor.data=4,-5,0,0,-128 ScaleBias=1,0x9e000000",
    "ELEMENT_WISE_IDENTITY seed=97 InputTensor=UINT8[5] InputTensor.data=5,4,0,3,255 "
    "OutputTensor=UINT8[5] OutputTensor.strides=2 OutputTensor.data=4,3,0,2,254 ScaleBias=1,0x9e000000",
    "ELEMENT_WISE_IDENTITY seed=98 InputTensor=INT8[70,1031] InputTensor.strides=1040,1 InputTensor.fill=BITS "
    "OutputTensor=INT8[70,1031] OutputTensor.strides=1033,1 ScaleBias=0x40490fdb,0x9e000000",
    "ELEMENT_WISE_IDENTITY seed=99 InputTensor=UINT8[70001] InputTensor.fill=BITS OutputTensor=UINT8[70001] "
    "OutputTensor.in_place=1 ScaleBias=0x3d8f5c29,0x1e000000",
    /* The least FLOAT16, and less than half of it. */
    "ELEMENT_WISE_IDENTITY seed=79 InputTensor=FLOAT16[3] InputTensor.data=0x1,0x3,0x8001 OutputTensor=FLOAT16[3] "
    "OutputTensor.data=0x1,0x2,0x8001 ScaleBias=0.75,0",
    "ELEMENT_WISE_IDENTITY seed=80 InputTensor=FLOAT16[3] InputTensor.data=0x1,0x3,0x8001 OutputTensor=FLOAT16[3] "
    "OutputTensor.data=0x0,0x2,0x8000 ScaleBias=0.5,0",
    /* FLOAT32 and FLOAT16: zeros of both signs, sums that cancel, and all that is not normal beside what is. */
    "ELEMENT_WISE_IDENTITY seed=74 InputTensor=FLOAT32[8] InputTensor.data=0,0x80000000,0.5,-0.5,1,0x1,0x7f800000,0x0 "
    "OutputTensor=FLOAT32[8] OutputTensor.data=1,1,0,2,-1,1,0xff800000,1 ScaleBias=-2,1",
    "ELEMENT_WISE_IDENTITY seed=75 InputTensor=FLOAT32[4] InputTensor.data=0,0x80000000,1,-1 OutputTensor=FLOAT32[4] "
    "OutputTensor.data=0x80000000,0x0,-2,2 ScaleBias=-2,0x80000000",
    "ELEMENT_WISE_IDENTITY seed=76 InputTensor=FLOAT16[8] "
    "InputTensor.data=0x0,0x8000,0x3800,0xb800,0x3c00,0x1,0x7c00,0x0 OutputTensor=FLOAT16[8] "
    "OutputTensor.data=0x3c00,0x3c00,0x0,0x4000,0xbc00,0x3c00,0xfc00,0x3c00 ScaleBias=-2,1",
    /* Windows that begin within a 32-bit word, where a descriptor binds 32 KiB. */
    "ELEMENT_WISE_IDENTITY seed=40 InputTensor=UINT8[3,40001] InputTensor.strides=40003,1 InputTensor.fill=INDEX "
    "OutputTensor=UINT8[3,40001]",
    "ELEMENT_WISE_IDENTITY seed=41 InputTensor=INT16[301,303] InputTensor.strides=1,301 InputTensor.fill=INDEX "
    "OutputTensor=INT16[301,303]",
    /* Transpositions of every width, in whole tiles and in odd ones whose rows begin and end within words. */
    "ELEMENT_WISE_IDENTITY seed=50 InputTensor=UINT8[256,144] InputTensor.strides=1,256 InputTensor.fill=BITS "
    "OutputTensor=UINT8[256,144]",
    "ELEMENT_WISE_IDENTITY seed=51 InputTensor=INT16[128,72] InputTensor.strides=1,128 InputTensor.fill=BITS "
    "OutputTensor=INT16[128,72]",
    "ELEMENT_WISE_IDENTITY seed=52 InputTensor=FLOAT32[64,68] InputTensor.strides=1,64 InputTensor.fill=BITS "
    "OutputTensor=FLOAT32[64,68]",
    "ELEMENT_WISE_IDENTITY seed=53 InputTensor=INT64[66,36] InputTensor.strides=1,66 InputTensor.fill=BITS "
    "OutputTensor=INT64[66,36]",
    "ELEMENT_WISE_IDENTITY seed=54 InputTensor=UINT8[131,267] InputTensor.strides=1,131 InputTensor.fill=BITS "
    "OutputTensor=UINT8[131,267]",
    "ELEMENT_WISE_IDENTITY seed=55 InputTensor=FLOAT16[67,133] InputTensor.strides=1,69 InputTensor.fill=BITS "
    "OutputTensor=FLOAT16[67,133] OutputTensor.strides=135,1 OutputTensor.offset=48",
    "ELEMENT_WISE_IDENTITY seed=56 InputTensor=UINT32[65,67] InputTensor.strides=1,65 InputTensor.offset=16 "
    "InputTensor.fill=BITS OutputTensor=UINT32[65,67]",
    "ELEMENT_WISE_IDENTITY seed=57 InputTensor=FLOAT64[35,33] InputTensor.strides=1,35 InputTensor.fill=BITS "
    "OutputTensor=FLOAT64[35,33] OutputTensor.strides=37,1",
    "ELEMENT_WISE_IDENTITY seed=68 InputTensor=UINT8[528,512] InputTensor.strides=1,528 InputTensor.fill=BITS "
    "OutputTensor=UINT8[528,512]",
    /* Inner runs that both layouts share, moved as units of 8, 12, 16 and 32 bytes. */
    "ELEMENT_WISE_IDENTITY seed=58 InputTensor=INT32[70,37,2] InputTensor.strides=2,140,1 InputTensor.fill=BITS "
    "OutputTensor=INT32[70,37,2]",
    "ELEMENT_WISE_IDENTITY seed=59 InputTensor=FLOAT32[41,70,3] InputTensor.strides=3,123,1 InputTensor.fill=BITS "
    "OutputTensor=FLOAT32[41,70,3]",
    "ELEMENT_WISE_IDENTITY seed=60 InputTensor=UINT8[33,40,16] InputTensor.strides=16,528,1 InputTensor.fill=BITS "
    "OutputTensor=UINT8[33,40,16]",
    "ELEMENT_WISE_IDENTITY seed=61 InputTensor=UINT64[17,20,4] InputTensor.strides=4,68,1 InputTensor.fill=BITS "
    "OutputTensor=UINT64[17,20,4]",
    /* Channels last and first: one of the runs is short. */
    "ELEMENT_WISE_IDENTITY seed=62 InputTensor=FLOAT32[2,1025,3] InputTensor.strides=3075,1,1025 InputTensor.fill=BITS "
    "OutputTensor=FLOAT32[2,1025,3]",
    "ELEMENT_WISE_IDENTITY seed=63 InputTensor=UINT8[2,4100,4] InputTensor.strides=16400,1,4100 InputTensor.fill=BITS "
    "OutputTensor=UINT8[2,4100,4]",
    "ELEMENT_WISE_IDENTITY seed=64 InputTensor=UINT8[2,3,1025] InputTensor.strides=3075,1,3 InputTensor.fill=BITS "
    "OutputTensor=UINT8[2,3,1025]",
    /* Runs of several dimensions. */
    "ELEMENT_WISE_IDENTITY seed=65 InputTensor=FLOAT32[9,8,7,6,5] InputTensor.strides=1,9,72,504,3024 "
    "InputTensor.fill=BITS OutputTensor=FLOAT32[9,8,7,6,5]",
    "ELEMENT_WISE_IDENTITY seed=66 InputTensor=UINT8[5,6,7,8,4,9] InputTensor.strides=36,1440,8640,1,8,180 "
    "InputTensor.fill=BITS OutputTensor=UINT8[5,6,7,8,4,9]",
    "ELEMENT_WISE_IDENTITY seed=67 InputTensor=INT16[3,2,4,5,6,7,2,3] InputTensor.strides=1,1680,7,84,28,420,3,3360 "
    "InputTensor.fill=BITS OutputTensor=INT16[3,2,4,5,6,7,2,3]",
    /* Long rows of narrow elements that begin anywhere, ends of tiles within them, and gaps between them. */
    "ELEMENT_WISE_IDENTITY seed=70 InputTensor=UINT8[263,403] InputTensor.strides=1,265 InputTensor.offset=16 "
    "InputTensor.fill=BITS OutputTensor=UINT8[263,403]",
    "ELEMENT_WISE_IDENTITY seed=71 InputTensor=FLOAT16[3,135,201] InputTensor.strides=27135,1,135 "
    "InputTensor.fill=BITS OutputTensor=FLOAT16[3,135,201] OutputTensor.strides=27405,203,1 OutputTensor.offset=48",
    "ELEMENT_WISE_IDENTITY seed=72 InputTensor=INT8[256,259] InputTensor.strides=1,256 InputTensor.fill=BITS "
    "OutputTensor=INT8[256,259]",
    /* Blocks: of pictures of odd and even sizes, to and fro; of many small dimensions, whole and in parts; at offsets.
     */
    "ELEMENT_WISE_IDENTITY seed=73 InputTensor=UINT8[3,2049,3] InputTensor.strides=6147,1,2049 InputTensor.fill=BITS "
    "OutputTensor=UINT8[3,2049,3]",
    "ELEMENT_WISE_IDENTITY seed=74 InputTensor=FLOAT16[2,3,2051] InputTensor.strides=6153,1,3 InputTensor.fill=BITS "
    "OutputTensor=FLOAT16[2,3,2051] OutputTensor.strides=6159,2053,1",
    "ELEMENT_WISE_IDENTITY seed=75 InputTensor=FLOAT64[2,1030,3] InputTensor.strides=3090,1,1030 "
    "InputTensor.offset=16 InputTensor.fill=BITS OutputTensor=FLOAT64[2,1030,3]",
    "ELEMENT_WISE_IDENTITY seed=76 InputTensor=UINT8[3,7,24,3,32] InputTensor.strides=672,3,2016,1,21 "
    "InputTensor.fill=BITS OutputTensor=UINT8[3,7,24,3,32] OutputTensor.offset=32",
    "ELEMENT_WISE_IDENTITY seed=77 InputTensor=FLOAT32[5,7,22,3,31] InputTensor.strides=651,3,3255,1,21 "
    "InputTensor.fill=BITS OutputTensor=FLOAT32[5,7,22,3,31]",
    "ELEMENT_WISE_IDENTITY seed=78 InputTensor=INT64[2,3,2,3,2,5,3,8] InputTensor.strides=1440,1,480,24,240,48,720,3 "
    "InputTensor.fill=BITS OutputTensor=INT64[2,3,2,3,2,5,3,8]",
    "ELEMENT_WISE_IDENTITY seed=81 InputTensor=INT64[2,2,2,2,2,2,2,2] InputTensor.strides=1,2,4,8,16,32,64,128 "
    "InputTensor.fill=BITS OutputTensor=INT64[2,2,2,2,2,2,2,2]",
    "ELEMENT_WISE_IDENTITY seed=79 InputTensor=UINT8[67,71,3] InputTensor.strides=3,201,1 InputTensor.fill=BITS "
    "OutputTensor=UINT8[67,71,3] OutputTensor.strides=217,3,1",
    "ELEMENT_WISE_IDENTITY seed=80 InputTensor=UINT16[97,67] InputTensor.strides=1,99 InputTensor.fill=BITS "
    "OutputTensor=UINT16[97,67] OutputTensor.strides=69,1",
    /* By squares: of the columns that words begin within, of whole words, of more columns than a part holds. */
    "ELEMENT_WISE_IDENTITY seed=82 InputTensor=INT16[5,7,24,3,32] InputTensor.strides=672,3,3360,1,21 "
    "InputTensor.fill=BITS OutputTensor=INT16[5,7,24,3,32]",
    "ELEMENT_WISE_IDENTITY seed=83 InputTensor=UINT8[5,12,7,24,3,32] InputTensor.strides=193536,1,36,8064,12,252 "
    "InputTensor.fill=BITS OutputTensor=UINT8[5,12,7,24,3,32]",
    "ELEMENT_WISE_IDENTITY seed=84 InputTensor=UINT8[301,11,36] InputTensor.strides=11,1,3313 "
    "InputTensor.fill=BITS OutputTensor=UINT8[301,11,36]",
    "ELEMENT_WISE_IDENTITY seed=85 InputTensor=UINT8[31,11,204] InputTensor.strides=11,1,343 "
    "InputTensor.fill=BITS OutputTensor=UINT8[31,11,204]",
    "ELEMENT_WISE_IDENTITY seed=101 InputTensor=INT16[3,50,24] InputTensor.strides=1248,1,52 InputTensor.fill=BITS "
    "OutputTensor=INT16[3,50,24]",
    "ELEMENT_WISE_IDENTITY seed=102 InputTensor=FLOAT16[256,10,4] InputTensor.strides=1,1024,256 InputTensor.fill=BITS "
    "OutputTensor=FLOAT16[256,10,4] OutputTensor.strides=40,1,10",
    "ELEMENT_WISE_IDENTITY seed=103 InputTensor=UINT8[9,24,3,7,16] InputTensor.strides=672,21,7,1,21 "
    "InputTensor.fill=BITS OutputTensor=UINT8[9,24,3,7,16]",
    /* Planes interleaved and separated, of every width, with units of a batch that do not fill a workgroup. */
    "ELEMENT_WISE_IDENTITY seed=86 InputTensor=UINT8[2,1552,3] InputTensor.strides=4656,1,1552 "
    "InputTensor.fill=BITS OutputTensor=UINT8[2,1552,3]",
    "ELEMENT_WISE_IDENTITY seed=87 InputTensor=UINT8[3,8,1552] InputTensor.strides=12432,1,8 "
    "InputTensor.fill=BITS OutputTensor=UINT8[3,8,1552] OutputTensor.strides=12544,1568,1",
    "ELEMENT_WISE_IDENTITY seed=88 InputTensor=FLOAT16[3,5,776] InputTensor.strides=3888,1,5 "
    "InputTensor.fill=BITS OutputTensor=FLOAT16[3,5,776] OutputTensor.strides=3920,784,1",
    "ELEMENT_WISE_IDENTITY seed=89 InputTensor=INT16[2,776,2] InputTensor.strides=1552,1,776 "
    "InputTensor.fill=BITS OutputTensor=INT16[2,776,2]",
    "ELEMENT_WISE_IDENTITY seed=90 InputTensor=FLOAT32[2,388,7] InputTensor.strides=2716,1,388 "
    "InputTensor.offset=16 InputTensor.fill=BITS OutputTensor=FLOAT32[2,388,7]",
    "ELEMENT_WISE_IDENTITY seed=91 InputTensor=FLOAT32[2,2,3,388] InputTensor.strides=2336,1168,1,3 "
    "InputTensor.fill=BITS OutputTensor=FLOAT32[2,2,3,388]",
    "ELEMENT_WISE_IDENTITY seed=92 InputTensor=INT64[2,194,3] InputTensor.strides=582,1,194 InputTensor.fill=BITS "
    "OutputTensor=INT64[2,194,3]",
    "ELEMENT_WISE_IDENTITY seed=93 InputTensor=INT64[2,4,194] InputTensor.strides=776,1,4 InputTensor.fill=BITS "
    "OutputTensor=INT64[2,4,194]",
    /* Rows that begin anywhere, longer than tiles: of words and of units of words, of several dimensions. */
    "ELEMENT_WISE_IDENTITY seed=94 InputTensor=UINT8[259,513] InputTensor.strides=1,263 InputTensor.fill=BITS "
    "OutputTensor=UINT8[259,513] OutputTensor.strides=519,1 OutputTensor.offset=48",
    "ELEMENT_WISE_IDENTITY seed=95 InputTensor=FLOAT32[133,167] InputTensor.strides=1,133 InputTensor.fill=BITS "
    "OutputTensor=FLOAT32[133,167]",
    "ELEMENT_WISE_IDENTITY seed=96 InputTensor=FLOAT32[67,33,5] InputTensor.strides=5,335,1 InputTensor.fill=BITS "
    "OutputTensor=FLOAT32[67,33,5]",
    "ELEMENT_WISE_IDENTITY seed=97 InputTensor=INT64[67,71,3] InputTensor.strides=3,201,1 InputTensor.fill=BITS "
    "OutputTensor=INT64[67,71,3]",
    "ELEMENT_WISE_IDENTITY seed=98 InputTensor=UINT8[301,23,13] InputTensor.strides=1,4001,303 "
    "InputTensor.fill=BITS OutputTensor=UINT8[301,23,13]",
    "ELEMENT_WISE_IDENTITY seed=99 InputTensor=INT16[2,7,43,259] InputTensor.strides=77959,43,1,301 "
    "InputTensor.fill=BITS OutputTensor=INT16[2,7,43,259]",
    "ELEMENT_WISE_IDENTITY seed=100 InputTensor=FLOAT64[35,70] InputTensor.strides=1,37 InputTensor.offset=16 "
    "InputTensor.fill=BITS OutputTensor=FLOAT64[35,70] OutputTensor.strides=73,1",
};

/* -scale times a value that the data is likely to hold, so that sums cancel. */
static float cancelling_bias(struct random *random, DML_TENSOR_DATA_TYPE type, float scale) {
    double value = random_chance(random, 50) ? number_decode(type, number_special(type, random))
                                             : (double)random_below(random, 41) - 20.0;
    return (float)(-(double)scale * value);
}

static void generate_scale_bias(struct random *random, DML_TENSOR_DATA_TYPE type, struct operator_case *c) {
    float scale_bias[2];
    scale_bias[0] = number_special_float(random);
    scale_bias[1] =
        random_chance(random, 40) ? cancelling_bias(random, type, scale_bias[0]) : number_special_float(random);
    uint32_t words[2];
    memcpy(words, scale_bias, sizeof(words));
    case_set(c, "ScaleBias", 2, words);
}

/* Both tensors packed, in different orders of the dimensions, and large enough for tiles. */
static void generate_transposition(struct random *random, struct case_tensor *input, struct case_tensor *output) {
    uint32_t order[DML_TENSOR_DIMENSION_COUNT_MAX1];
    const uint32_t elements = random_between(random, 1000, 40000);
    generate_sizes(random, generate_budget_is_fixed() ? generate_budget(random) : elements, input);
    *output = *input;
    generate_input_layout(random, input); /* for where it lies */
    random_permutation(random, input->rank, order);
    uint32_t stride = 1;
    for (uint32_t i = 0; i < input->rank; i++) {
        input->strides[order[i]] = stride;
        stride *= input->sizes[order[i]];
    }
    input->has_strides = 1;
    generate_output_layout(random, output);
}

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    (void)family;
    static const enum case_fill copy_fills[] = {CASE_FILL_BITS, CASE_FILL_INDEX, CASE_FILL_SPECIAL};
    static const enum case_fill number_fills[] = {CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_SPECIAL,
                                                  CASE_FILL_SPECIAL};
    case_begin(c, DML_OPERATOR_ELEMENT_WISE_IDENTITY);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_between(random, 1, DML_TENSOR_DIMENSION_COUNT_MAX1);
    if (random_chance(random, 25)) {
        generate_transposition(random, input, output);
        input->fill = RANDOM_OF(random, copy_fills);
        generate_call(random, c);
        return;
    }
    generate_sizes(random, generate_budget(random), input);
    *output = *input;
    generate_output_layout(random, output);
    if (random_chance(random, 20)) {
        *input = *output;
        output->in_place = 1;
    } else {
        generate_input_layout(random, input);
    }
    if (random_chance(random, 60)) {
        generate_scale_bias(random, input->type, c);
        input->fill = RANDOM_OF(random, number_fills);
    } else {
        input->fill = RANDOM_OF(random, copy_fills);
    }
    c->flags = random_chance(random, 5) ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0;
    generate_call(random, c);
}

/* Of every size of element. */
#define SIZES (CASE_TYPE(FLOAT64) | CASE_TYPE(FLOAT32) | CASE_TYPE(FLOAT16) | CASE_TYPE(UINT8))

#define ROW_BYTES 4096u

static struct case_tensor *begin_benchmark(struct operator_case *c) {
    case_begin(c, DML_OPERATOR_ELEMENT_WISE_IDENTITY);
    return case_tensor(c, "InputTensor");
}

/* Gives the output the input's sizes, packed. */
static void end_benchmark(struct operator_case *c) {
    const struct case_tensor *input = case_tensor(c, "InputTensor");
    benchmark_tensor(case_tensor(c, "OutputTensor"), input->type, input->rank, input->sizes);
}

static void make_rows(struct case_tensor *tensor, uint64_t bytes, DML_TENSOR_DATA_TYPE type) {
    const uint32_t width = ROW_BYTES / vkdmlGetDataTypeSize(type);
    benchmark_tensor(tensor, type, 2, (const uint32_t[]){benchmark_size(bytes, type, width, 1), width});
}

static void make_contiguous(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    (void)argument;
    make_rows(begin_benchmark(c), bytes, type);
    end_benchmark(c);
}

static void make_scale_bias(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_contiguous(bytes, type, argument, c);
    /* 1.5 and 0.25 */
    case_set(c, "ScaleBias", 2, (const uint32_t[]){0x3fc00000, 0x3e800000});
    case_tensor(c, "InputTensor")->fill = CASE_FILL_SMALL;
}

/* Rows `apart` elements apart. */
static void make_strided(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t apart, const char *field,
                         struct operator_case *c) {
    make_contiguous(bytes, type, 0, c);
    struct case_tensor *tensor = case_tensor(c, field);
    tensor->has_strides = 1;
    tensor->strides[0] = tensor->sizes[1] + apart;
    tensor->strides[1] = 1;
}

static void make_strided_rows(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_strided(bytes, type, argument, "InputTensor", c);
}

static void make_strided_output(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_strided(bytes, type, argument, "OutputTensor", c);
}

/* One row, or with argument 1 one column, for all. */
static void make_broadcast(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    make_contiguous(bytes, type, 0, c);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    input->has_strides = 1;
    input->strides[argument] = 0;
    input->strides[1 - argument] = 1;
}

/* Strides of the input as if it were packed with its dimensions in `order`. */
static void permute(struct case_tensor *tensor, const uint32_t *order) {
    uint32_t stride = 1;
    tensor->has_strides = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        tensor->strides[order[i]] = stride;
        stride *= tensor->sizes[order[i]];
    }
}

/* A square, its side less `argument`. */
static void make_transpose(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    struct case_tensor *input = begin_benchmark(c);
    uint32_t side = 64;
    while ((uint64_t)(side + 64) * (side + 64) * vkdmlGetDataTypeSize(type) <= bytes) {
        side += 64;
    }
    benchmark_tensor(input, type, 2, (const uint32_t[]){side - argument, side - argument});
    permute(input, (const uint32_t[]){1, 0});
    end_benchmark(c);
}

/* NCHW, of so many channels as a picture has, or with 0 as a layer has. */
static struct case_tensor *begin_images(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t channels,
                                        struct operator_case *c) {
    struct case_tensor *input = begin_benchmark(c);
    benchmark_images(input, bytes, type);
    if (channels != 0) {
        input->sizes[1] = channels;
        input->sizes[0] = benchmark_size(bytes, type, (uint64_t)channels * input->sizes[2] * input->sizes[3], 1);
    }
    return input;
}

static void make_nhwc(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    struct case_tensor *input = begin_images(bytes, type, argument, c);
    const uint32_t nhwc[] = {input->sizes[0], input->sizes[2], input->sizes[3], input->sizes[1]};
    memcpy(input->sizes, nhwc, sizeof(nhwc));
    permute(input, (const uint32_t[]){0, 3, 1, 2});
    end_benchmark(c);
}

static void make_nchw(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    struct case_tensor *input = begin_images(bytes, type, argument, c);
    permute(input, (const uint32_t[]){0, 2, 3, 1});
    end_benchmark(c);
}

/* Permutations of rank `argument`, in which no two neighbours stay neighbours. */
static void make_permutation(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    static const uint32_t sizes[] = {1, 5, 16, 12, 7, 24, 3, 32};
    static const uint32_t orders[][DML_TENSOR_DIMENSION_COUNT_MAX1] = {
        {2, 0, 4, 1, 3}, {3, 0, 5, 2, 4, 1}, {5, 2, 0, 4, 6, 1, 3}, {6, 3, 0, 5, 2, 7, 4, 1}};
    struct case_tensor *input = begin_benchmark(c);
    const uint64_t count = bytes / vkdmlGetDataTypeSize(type);
    uint64_t others = 1;
    uint32_t own[DML_TENSOR_DIMENSION_COUNT_MAX1];
    for (uint32_t d = 1; d < argument; d++) {
        own[d] = sizes[d + (sizeof(sizes) / sizeof(sizes[0]) - argument)];
        others *= own[d];
    }
    for (uint32_t d = 1; others > count / 2; d = d % (argument - 1) + 1) {
        others = others / own[d] * ((own[d] + 1) / 2);
        own[d] = (own[d] + 1) / 2;
    }
    own[0] = benchmark_size(bytes, type, others, 1);
    benchmark_tensor(input, type, argument, own);
    permute(input, orders[argument - 5]);
    end_benchmark(c);
}

static const struct case_benchmark benchmarks[] = {
    {"contiguous", SIZES, 0, 0, make_contiguous, NULL},
    {"contiguous/transfer", CASE_TYPE(FLOAT32), 0, CASE_BENCHMARK_TRANSFER, make_contiguous, NULL},
    {"strided_rows", SIZES, 64, 0, make_strided_rows, NULL},
    {"strided_rows/odd", SIZES, 3, 0, make_strided_rows, NULL},
    {"strided_output", SIZES, 64, 0, make_strided_output, NULL},
    {"strided_output/odd", SIZES, 3, 0, make_strided_output, NULL},
    {"broadcast/rows", SIZES, 0, 0, make_broadcast, NULL},
    {"broadcast/columns", SIZES, 1, 0, make_broadcast, NULL},
    {"transpose", SIZES, 0, 0, make_transpose, loop_transpose},
    {"transpose/odd", SIZES, 3, 0, make_transpose, loop_transpose},
    {"nchw_to_nhwc", SIZES, 0, 0, make_nhwc, NULL},
    {"nchw_to_nhwc/rgb", SIZES, 3, 0, make_nhwc, NULL},
    {"nhwc_to_nchw", SIZES, 0, 0, make_nchw, NULL},
    {"nhwc_to_nchw/rgb", SIZES, 3, 0, make_nchw, NULL},
    {"permutation5d", SIZES, 5, 0, make_permutation, NULL},
    {"permutation6d", SIZES, 6, 0, make_permutation, NULL},
    {"permutation7d", SIZES, 7, 0, make_permutation, NULL},
    {"permutation8d", SIZES, 8, 0, make_permutation, NULL},
    {"scale_bias", CASE_TYPES_UP_TO_64, 0, 0, make_scale_bias, NULL},
};

static const struct case_tensor_support support[] = {
    {"InputTensor",
     CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 5, CASE_TYPES_FLOATS}, {DML_FEATURE_LEVEL_2_1, 4, 5, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_3_0, 1, 8, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64})},
    {"OutputTensor",
     CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 5, CASE_TYPES_FLOATS}, {DML_FEATURE_LEVEL_2_1, 4, 5, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_3_0, 1, 8, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64})},
};

const struct case_family vkdml_cases_element_wise_identity = {.type = DML_OPERATOR_ELEMENT_WISE_IDENTITY,
                                                              CASE_SUPPORTED(support),
                                                              CASE_FIXED(fixed),
                                                              .has_frame = true,
                                                              .transfers = true,
                                                              .generate = generate,
                                                              .group = "identity",
                                                              CASE_BENCHMARKS(benchmarks)};
