// The library's mathematics: functions of FLOAT32, as bits, that give the same bits on every device and in C
// (src/math/math.h).
//
// Of each function NAME there are
//   math_NAME_is_common(x)   whether the short path does: cheap, and true of nearly all that networks compute
//   math_NAME_common(x)      the short path, without branches: right where that says so, elsewhere any bits
//   math_NAME_rare(x)        right where it does not
//   math_NAME(x)             right everywhere
// docs/OPERATORS.md says how right. Sums, differences and products are common or not by what they give, a third
// argument.
//
// Nothing here relies on more than this: + - x of normal FLOAT32 numbers round to nearest even where the result is
// normal, integers are integers, and inverse square roots, with which estimates begin, are within 2 ULP, as Vulkan
// demands. So no denormal number that matters is an operand or a result of a float operation, no other float operation
// is used, and every float that is computed is `precise`, so that nothing is fused or put in another order.
//
// Whether a number is zero is for math_is_zero() alone to ask, here and wherever else FLOAT32 is taken for integers. x
// == 0 and x == 0x80000000, x << 1 or x & 0x7FFFFFFF beside 0, and whatever else is true of the two zeros and of
// nothing else, is a comparison of floats to a compiler that sees where x came from: LLVM makes one of it, which is
// true of denormal numbers, too, where the device flushes them. lavapipe of Mesa 26.1 does, and gave a denormal number
// as its own square root. Beside a zero that nobody knows when a kernel is compiled there is nothing to see.
// tests/source/test_zeros.py looks for the other forms.
#include "arithmetic.glsl"
#include "error_function.glsl"
#include "exponential.glsl"
#include "half.glsl"
#include "hyperbolic.glsl"
#include "inverse_hyperbolic.glsl"
#include "inverse_trigonometric.glsl"
#include "logarithm.glsl"
#include "power.glsl"
#include "remainder.glsl"
#include "rounding.glsl"
#include "trigonometric.glsl"
