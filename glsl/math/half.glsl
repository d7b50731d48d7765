// Functions of FLOAT16's grade: FLOAT32 bits to FLOAT32 bits that the caller rounds to FLOAT16. Before that rounding
// they are within 2^-14 of the exact value, which leaves less than 0.6 ULP of FLOAT16 after it; the quotient, the
// reciprocal and the square root of FLOAT16 numbers are rounded right. They cost a third to two thirds of what
// FLOAT32's do, because elements of half the size leave a kernel half the time.
//
// Of each function NAME there are
//   math_half_NAME_is_common(x)   no NaN, and mostly no infinity or zero where that is singular: cheap
//   math_half_NAME_common(x)      without branches; a number where that holds, never NaN; elsewhere any bits
//   math_half_NAME(x)             right everywhere: the rest is left to FLOAT32's functions
// Arguments are FLOAT16 numbers or sums of two. Those of exp, expm1, sigmoid and softplus may be any FLOAT32.
//
// Beside what math.glsl says they rely on this: sums of zeros and products of zero and a number are zeros with IEEE
// 754's sign.
#include "half_arithmetic.glsl"
#include "half_exponential.glsl"
#include "half_hyperbolic.glsl"
#include "half_power.glsl"
#include "half_trigonometric.glsl"
