// Which function an instruction's is: included twice for each instruction, as FORMULA says.

uint FORMULA(OF(operation_))(const uint a, const uint b, const uint c)
{
    switch (OF(OPERATION_)) {
    case OP_ADD:
        return FORMULA(add)(a, b);
    case OP_SUBTRACT:
        return FORMULA(add)(a, negate(b));
    case OP_MULTIPLY:
        return FORMULA(multiply)(a, b);
    case OP_DIVIDE:
        return FORMULA(divide)(a, b);
    case OP_DIVIDE + GRADED:
        return FORMULA(half_divide)(a, b);
    case OP_MEAN:
        return FORMULA(mean)(a, b);
    case OP_DIFFERENCE_SQUARE:
        return FORMULA(difference_square)(a, b);
    case OP_POW:
        return FORMULA(pow)(a, b);
    case OP_POW + GRADED:
        return FORMULA(half_pow)(a, b);
    case OP_PARAMETERIZED_RELU:
        return FORMULA(leaky_relu)(a, b);
    case OP_CAST:
        return FORMULA(cast)(a);
    default:
        return PASTE(plain_, OF(operation_))(a, b, c);
    }
}

uint FORMULA(OF(function_))(const uint x)
{
    const uint alpha = parameters.program[N].x;
    const uint beta = parameters.program[N].y;
    switch (OF(FUNCTION_)) {
    case FN_CEIL:
        return FORMULA(ceil)(x);
    case FN_FLOOR:
        return FORMULA(floor)(x);
    case FN_TRUNCATE:
        return FORMULA(truncate)(x);
    case FN_ROUND_HALVES_EVEN:
        return FORMULA(round_even)(x);
    case FN_SQRT:
        return FORMULA(sqrt)(x);
    case FN_SQRT + GRADED:
        return FORMULA(half_sqrt)(x);
    case FN_RECIPROCAL:
        return FORMULA(divide)(ONE, x);
    case FN_RECIPROCAL + GRADED:
        return FORMULA(half_reciprocal)(x);
    case FN_LEAKY_RELU:
        return FORMULA(leaky_relu)(x, alpha);
    case FN_LINEAR:
        return FORMULA(scale)(x, alpha, beta);
    case FN_HARD_SIGMOID:
        return FORMULA(hard_sigmoid)(x, alpha, beta);
    case FN_HARD_SWISH:
        return FORMULA(multiply)(x, FORMULA(hard_sigmoid)(x, alpha, beta));
    case FN_SOFTSIGN:
        return FORMULA(softsign)(x);
    case FN_EXP:
        return FORMULA(exp)(x);
    case FN_EXP + GRADED:
        return FORMULA(half_exp)(x);
    case FN_LOG:
        return FORMULA(log)(x);
    case FN_LOG + GRADED:
        return FORMULA(half_log)(x);
    case FN_CONSTANT_POW:
        return FORMULA(pow)(x, alpha);
    case FN_CONSTANT_POW + GRADED:
        return FORMULA(half_pow)(x, alpha);
    case FN_TANH:
        return FORMULA(tanh)(x);
    case FN_TANH + GRADED:
        return FORMULA(half_tanh)(x);
    case FN_ERF:
        return FORMULA(erf)(x);
    case FN_ERF + GRADED:
        return FORMULA(half_erf)(x);
    case FN_SIGMOID:
        return FORMULA(sigmoid)(x);
    case FN_SIGMOID + GRADED:
        return FORMULA(half_sigmoid)(x);
    case FN_ELU:
        return FORMULA(below_zero)(x, FORMULA(multiply)(alpha, FORMULA(expm1)(x)));
    case FN_ELU + GRADED:
        return FORMULA(below_zero)(x, FORMULA(multiply)(alpha, FORMULA(half_expm1)(x)));
    case FN_GELU:
        return FORMULA(gelu)(x);
    case FN_GELU + GRADED:
        return FORMULA(half_gelu)(x);
    case FN_SWISH:
        return FORMULA(swish)(x, alpha);
    case FN_SWISH + GRADED:
        return FORMULA(half_swish)(x, alpha);
    default:
        return PASTE(plain_, OF(function_))(x);
    }
}

#undef FORMULA
