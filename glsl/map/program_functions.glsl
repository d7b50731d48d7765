// What instructions of programs compute, a function each: what common/float_formulas.glsl says of the operations and
// functions that networks have between others, and what of the rest is short. Included twice, as that is: with
// arithmetic that is fast and says by `good` whether it was sure to be right, and with arithmetic that always is.
// Parameters are `const` and `good` is global, so that a call is one instruction: there is one for each function in
// each of eight instructions.

#define OF_ONE(name)                                                                                                   \
    uint FORMULA(name)(const uint x)                                                                                   \
    {                                                                                                                  \
        return CALL(name, x);                                                                                          \
    }
#define OF_TWO(name)                                                                                                   \
    uint FORMULA(name)(const uint a, const uint b)                                                                     \
    {                                                                                                                  \
        return CALL2(name, a, b);                                                                                      \
    }
OF_ONE(ceil)
OF_ONE(floor)
OF_ONE(truncate)
OF_ONE(round_even)
OF_ONE(exp)
OF_ONE(log)
OF_ONE(tanh)
OF_ONE(erf)
OF_ONE(sigmoid)
OF_ONE(expm1)
OF_ONE(gelu)
OF_ONE(half_sqrt)
OF_ONE(half_reciprocal)
OF_ONE(half_exp)
OF_ONE(half_log)
OF_ONE(half_tanh)
OF_ONE(half_erf)
OF_ONE(half_sigmoid)
OF_ONE(half_expm1)
OF_ONE(half_gelu)
OF_TWO(pow)
OF_TWO(half_pow)
OF_TWO(half_divide)
#undef OF_ONE
#undef OF_TWO

uint FORMULA(add)(const uint a, const uint b)
{
    return ADD(a, b);
}

uint FORMULA(multiply)(const uint a, const uint b)
{
    return MULTIPLY(a, b);
}

uint FORMULA(divide)(const uint a, const uint b)
{
    return DIVIDE(a, b);
}

uint FORMULA(sqrt)(const uint x)
{
    return SQRT(x);
}

uint FORMULA(scale)(const uint x, const uint scale, const uint bias)
{
    return SCALE(x, scale, bias);
}

uint FORMULA(mean)(const uint a, const uint b)
{
    return FORMULA(multiply)(FORMULA(add)(a, b), HALF);
}

uint FORMULA(difference_square)(const uint a, const uint b)
{
    uint difference = FORMULA(add)(a, negate(b));
    return FORMULA(multiply)(difference, difference);
}

uint FORMULA(leaky_relu)(const uint x, const uint slope)
{
    uint product = FORMULA(multiply)(x, slope);
    return is_negative(x) || is_nan(x) ? product : x;
}

uint FORMULA(hard_sigmoid)(const uint x, const uint alpha, const uint beta)
{
    return clamp_to_one(FORMULA(scale)(x, alpha, beta));
}

uint FORMULA(softsign)(const uint x)
{
    return FORMULA(divide)(x, FORMULA(add)(ONE, x & ~SIGN_BIT));
}

uint FORMULA(below_zero)(const uint x, const uint product)
{
    return is_negative(x) || is_nan(x) ? product : x;
}

// By two factors, where sigmoid lacks digits.
uint FORMULA(swish_below)(const uint x, const uint inner)
{
    uint power = FORMULA(exp)(FORMULA(multiply)(inner, HALF));
    return FORMULA(multiply)(FORMULA(multiply)(x, power), power);
}

uint FORMULA(swish)(const uint x, const uint alpha)
{
    uint inner = FORMULA(multiply)(alpha, x);
    if (RARELY(lacks_digits(inner)))
        return FORMULA(swish_below)(x, inner);
    return FORMULA(multiply)(x, FORMULA(sigmoid)(inner));
}

uint FORMULA(half_swish)(const uint x, const uint alpha)
{
    uint inner = FORMULA(multiply)(alpha, x);
    if (RARELY(lacks_digits(inner)))
        return FORMULA(swish_below)(x, inner);
    return FORMULA(multiply)(x, FORMULA(half_sigmoid)(inner));
}

uint FORMULA(cast)(const uint x)
{
    return CAST(x);
}

#undef FORMULA
#undef ADD
#undef MULTIPLY
#undef DIVIDE
#undef SQRT
#undef SCALE
#undef CAST
#undef RARELY
#undef CALL
#undef CALL2
