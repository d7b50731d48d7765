// What operations and functions on FLOAT32 are made of. Included twice: with arithmetic that is fast and says by `good`
// whether it was sure to be right, and with arithmetic that always is. The includer defines FORMULA(name), TELLS (the
// parameter `good`, or nothing), PASSES (that it is passed on), ADD, MULTIPLY, DIVIDE, DIVIDE_BY_ARGUMENT(x), SQRT,
// SCALE(x, scale, bias), RARELY(condition), which leaves what it is true of to the arithmetic that is right,
// CALL(function, x) and CALL2(function, x, y) of glsl/math, and, of the functions there that FLOAT16 has its own of,
// CALL_GRADED and CALL2_GRADED. A kernel of NORMALIZE alone defines IS_NORMALIZATION, one that has no operations
// NO_OPERATIONS: of the functions these have those that are fused; and where ONLY_ARITHMETIC is defined those of sums,
// products and choices.

#if !defined(NO_OPERATIONS) || defined(HAS_DESCENT)
// Of two numbers, such a part of each.
uint FORMULA(blend)(uint a, uint b, uint part_of_a, uint part_of_b TELLS)
{
    uint first = MULTIPLY(part_of_a, a);
    uint second = MULTIPLY(part_of_b, b);
    return ADD(first, second);
}

uint FORMULA(blend_squares)(uint a, uint b, uint part_of_a, uint part_of_b TELLS)
{
    uint first = MULTIPLY(part_of_a, a);
    uint second = MULTIPLY(part_of_b, b);
    second = MULTIPLY(second, b);
    return ADD(first, second);
}

// a - b / (sqrt(c) + more). Parameters that nothing ever moved, whose b and c are 0, are common.
uint FORMULA(descend)(uint a, uint b, uint c, uint more TELLS)
{
    bool is_still = math_is_zero(c);
    uint root = SQRT(is_still ? ONE : c);
    uint divisor = ADD(is_still ? c : root, more);
    bool is_done = math_is_zero(b) && is_positive(divisor);
    uint quotient = DIVIDE(is_done ? ONE : b, is_done ? ONE : divisor);
    return ADD(a, negate(is_done ? b : quotient));
}
#endif

#ifndef NO_OPERATIONS
uint FORMULA(float_operation)(uint a, uint b, uint c TELLS)
{
    switch (OPERATION) {
    case OP_NORMALIZE: { // of a mean and a variance
        uint difference = ADD(a, negate(b));
        uint variance = ADD(c, parameters.arguments[1].x);
        uint deviation = SQRT(variance);
        return DIVIDE(difference, deviation);
    }
#ifndef IS_NORMALIZATION
    case OP_MULTIPLY_ADD: {
        uint product = MULTIPLY(a, b);
        return ADD(product, c);
    }
    case OP_STANDARDIZE: { // of a mean and the inverse of a deviation
        uint difference = ADD(a, negate(b));
        return MULTIPLY(difference, c);
    }
    case OP_SOFTMAX: { // of the greatest element, and the inverse of the sum; what is below 2^-125 is 0
        uint difference = ADD(a, negate(b));
        bool vanishes = is_below(difference, 0xC2AE0000u); // -87
        uint power = CALL_GRADED(exp, vanishes ? 0xC2AE0000u : difference);
        uint product = MULTIPLY(power, c);
        return vanishes ? 0 : product;
    }
    case OP_LOG_SOFTMAX: { // of the greatest element, and the logarithm of the sum beside it
        uint difference = ADD(a, negate(b));
        return ADD(difference, negate(c));
    }
    case OP_BLEND:
        return FORMULA(blend)(a, b, parameters.arguments[1].x, parameters.arguments[1].y PASSES);
    case OP_BLEND_SQUARES:
        return FORMULA(blend_squares)(a, b, parameters.arguments[1].x, parameters.arguments[1].y PASSES);
    case OP_DESCEND:
        return FORMULA(descend)(a, b, c, parameters.arguments[1].x PASSES);
    case OP_OVER_DEVIATION: { // of a variance
        uint variance = ADD(b, parameters.arguments[1].x);
        uint deviation = SQRT(variance);
        return DIVIDE(a, deviation);
    }
    case OP_OVER_VARIANCE: { // of a part of a
        uint variance = ADD(b, parameters.arguments[1].x);
        uint part = MULTIPLY(a, parameters.arguments[1].y);
        return DIVIDE(part, variance);
    }
    case OP_MULTIPLY_DIFFERENCE: {
        uint difference = ADD(b, negate(c));
        return MULTIPLY(a, difference);
    }
    case OP_OVER_POWER: {
        uint base = SCALE(b, parameters.arguments[1].x, parameters.arguments[1].y);
        uint power = CALL2(pow, base, parameters.arguments[1].z);
        return DIVIDE(a, power);
    }
    case OP_OVER_SCALED: {
        uint product = MULTIPLY(a, b);
        uint divisor = SCALE(c, parameters.arguments[1].x, parameters.arguments[1].y);
        return DIVIDE(product, divisor);
    }
    case OP_SUBTRACT_PRODUCT: {
        uint product = MULTIPLY(b, c);
        product = MULTIPLY(parameters.arguments[1].x, product);
        return ADD(a, negate(product));
    }
    case OP_ADD:
        return ADD(a, b);
    case OP_SUBTRACT:
        return ADD(a, negate(b));
    case OP_MULTIPLY:
        return MULTIPLY(a, b);
    case OP_DIVIDE:
        return BOTH(HALVES, TYPE_B == FLOAT16) ? CALL2(half_divide, a, b) : DIVIDE(a, b);
    case OP_MEAN: {
        uint sum = ADD(a, b);
        return MULTIPLY(sum, HALF);
    }
    case OP_DIFFERENCE_SQUARE: {
        uint difference = ADD(a, negate(b));
        return MULTIPLY(difference, difference);
    }
    case OP_MODULUS_TRUNCATE:
        return CALL2(remainder_truncate, a, b);
    case OP_MODULUS_FLOOR:
        return CALL2(remainder_floor, a, b);
    case OP_POW:
        return CALL2_GRADED(pow, a, b);
    case OP_ATAN_YX:
        return CALL2(atan2, a, b);
    case OP_PARAMETERIZED_RELU: {
        uint product = MULTIPLY(a, b);
        return is_negative(a) || is_nan(a) ? product : a;
    }
    case OP_SEQUENCE: {
        uint index = floatBitsToUint(float(a));
        return SCALE(index, parameters.arguments[1].z, parameters.arguments[1].x);
    }
    case OP_ADD_BY_INDEX: { // of a channel's bias
        uint bias = b == 0 ? parameters.arguments[1].x : b == 1 ? parameters.arguments[1].y : parameters.arguments[1].z;
        return SCALE(a, parameters.arguments[1].w, bias);
    }
#endif
    default:
        return float_choice(a, b);
    }
}
#endif

// x / alpha, where the inverse of alpha, if it is exact, is beta.
uint FORMULA(divide_by_argument)(uint x TELLS)
{
    uint alpha = FUNCTION_ARGUMENTS.x;
    uint beta = FUNCTION_ARGUMENTS.y;
    if (beta != 0)
        return MULTIPLY(x, beta);
    return DIVIDE(x, alpha);
}

uint FORMULA(float_function)(uint x TELLS)
{
    uint alpha = FUNCTION_ARGUMENTS.x;
    uint beta = FUNCTION_ARGUMENTS.y;
    switch (FUNCTION) {
#ifndef ONLY_FUSED
    case FN_CEIL:
        return CALL(ceil, x);
    case FN_FLOOR:
        return CALL(floor, x);
    case FN_TRUNCATE:
        return CALL(truncate, x);
    case FN_ROUND_HALVES_EVEN:
        return CALL(round_even, x);
    case FN_ROUND_HALVES_AWAY:
        return CALL(round_away, x);
    case FN_SQRT:
        return HALVES ? CALL(half_sqrt, x) : SQRT(x);
    case FN_RECIPROCAL:
        return HALVES ? CALL(half_reciprocal, x) : DIVIDE(ONE, x);
#endif
    case FN_LEAKY_RELU: {
        uint product = MULTIPLY(x, alpha);
        return is_negative(x) || is_nan(x) ? product : x;
    }
    case FN_LINEAR:
        return SCALE(x, alpha, beta);
    case FN_HARD_SIGMOID:
    case FN_HARD_SWISH: {
        uint scaled = SCALE(x, alpha, beta);
        uint sigmoid = clamp_to_one(scaled);
        return FUNCTION == FN_HARD_SWISH ? MULTIPLY(x, sigmoid) : sigmoid;
    }
    case FN_SHRINK: {
        bool above = is_above(x, beta);
        bool below = is_below(x, negate(beta));
        uint shrunk = ADD(x, above ? negate(alpha) : alpha);
        return above || below ? shrunk : 0;
    }
#ifndef ONLY_ARITHMETIC
    case FN_SOFTSIGN: {
        uint divisor = ADD(ONE, x & ~SIGN_BIT);
        return DIVIDE(x, divisor);
    }
    case FN_TANH:
        return CALL_GRADED(tanh, x);
#ifndef ONLY_FUSED
    case FN_EXP:
        return CALL_GRADED(exp, x);
    case FN_LOG:
        return CALL_GRADED(log, x);
    case FN_CONSTANT_POW:
        return CALL2_GRADED(pow, x, alpha);
    case FN_SIN:
        return CALL_GRADED(sin, x);
    case FN_COS:
        return CALL_GRADED(cos, x);
    case FN_TAN:
        return CALL_GRADED(tan, x);
    case FN_ASIN:
        return CALL_GRADED(asin, x);
    case FN_ACOS:
        return CALL_GRADED(acos, x);
    case FN_ATAN:
        return CALL_GRADED(atan, x);
    case FN_SINH:
        return CALL_GRADED(sinh, x);
    case FN_COSH:
        return CALL_GRADED(cosh, x);
    case FN_ASINH:
        return CALL_GRADED(asinh, x);
    case FN_ACOSH:
        return CALL_GRADED(acosh, x);
    case FN_ATANH:
        return CALL_GRADED(atanh, x);
    case FN_ERF:
        return CALL_GRADED(erf, x);
#endif
    case FN_SIGMOID:
        return CALL_GRADED(sigmoid, x);
    case FN_CELU: { // alpha * expm1(x / alpha) below 0
        uint quotient = DIVIDE_BY_ARGUMENT(x);
        uint rest;
        // FLOAT16's grade ends where the result does, and a product may lie within
        if (RARELY(HALVES && !is_positive(alpha)))
            rest = CALL(expm1, quotient);
        else
            rest = CALL_GRADED(expm1, quotient);
        uint product = MULTIPLY(alpha, rest);
        uint below = min_float(0, product);
        return ADD(max_float(0, x), below);
    }
    case FN_ELU: {
        uint rest = CALL_GRADED(expm1, x);
        uint product = MULTIPLY(alpha, rest);
        return is_negative(x) || is_nan(x) ? product : x;
    }
    case FN_SCALED_ELU: { // of alpha and gamma
        uint rest = CALL_GRADED(expm1, x);
        uint inner = MULTIPLY(alpha, rest);
        inner = is_positive(x) ? x : inner;
        return MULTIPLY(beta, inner);
    }
    case FN_SCALED_TANH: {
        uint inner = MULTIPLY(beta, x);
        inner = CALL(tanh, inner);
        return MULTIPLY(alpha, inner);
    }
    case FN_SOFTPLUS: { // of a steepness
        uint inner = MULTIPLY(alpha, x);
        if (RARELY(lacks_digits(inner))) {
            inner = MULTIPLY(inner, HALF);
            inner = CALL(exp, inner);
            uint quotient = DIVIDE_BY_ARGUMENT(inner);
            return MULTIPLY(quotient, inner);
        }
        inner = CALL_GRADED(softplus, inner);
        return DIVIDE_BY_ARGUMENT(inner);
    }
    case FN_PARAMETRIC_SOFTPLUS: {
        uint inner = MULTIPLY(beta, x);
        if (RARELY(lacks_digits(inner))) {
            inner = MULTIPLY(inner, HALF);
            inner = CALL(exp, inner);
            uint product = MULTIPLY(alpha, inner);
            return MULTIPLY(product, inner);
        }
        inner = CALL_GRADED(softplus, inner);
        return MULTIPLY(alpha, inner);
    }
    case FN_GELU:
        return CALL_GRADED(gelu, x);
    case FN_SWISH: {
        uint inner = MULTIPLY(alpha, x);
        if (RARELY(lacks_digits(inner))) {
            inner = MULTIPLY(inner, HALF);
            inner = CALL(exp, inner);
            uint product = MULTIPLY(x, inner);
            return MULTIPLY(product, inner);
        }
        inner = CALL_GRADED(sigmoid, inner);
        return MULTIPLY(x, inner);
    }
#endif
    default:
        return float_selection(x);
    }
}

#undef FORMULA
#undef TELLS
#undef PASSES
#undef ADD
#undef MULTIPLY
#undef DIVIDE
#undef DIVIDE_BY_ARGUMENT
#undef SQRT
#undef SCALE
#undef RARELY
#undef CALL
#undef CALL2
