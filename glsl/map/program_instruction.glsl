// One instruction of a program: included once for each, with its number N. All of it hangs on one
// constant, its word.
#define OF(name) PASTE(name, N)
const uint OF(OPERATION_) = OF(WORD_) & 127u;
const uint OF(FUNCTION_) = OF(WORD_) >> 7 & 127u;
const uint OF(A_) = OF(WORD_) >> 14 & 31u;
const uint OF(B_) = OF(WORD_) >> 19 & 31u;
const uint OF(C_) = OF(WORD_) >> 24 & 31u;
const bool OF(ROUNDS_) = (OF(WORD_) & ROUNDS) != 0;
const bool OF(MAKES_) = BOTH((OF(WORD_) & MAKES) != 0, IS_EXACT);

// Without arithmetic, right at once.
uint PASTE(plain_, OF(operation_))(const uint a, const uint b, const uint c)
{
    switch (OF(OPERATION_)) {
    case OP_MIN:
        return least(a, b);
    case OP_MAX:
        return greatest(a, b);
    case OP_EQUALS:
        return equal(a, b);
    case OP_GREATER_THAN:
        return is_less(b, a);
    case OP_LESS_THAN:
        return is_less(a, b);
    case OP_GREATER_THAN_OR_EQUAL:
        return is_at_most(b, a);
    case OP_LESS_THAN_OR_EQUAL:
        return is_at_most(a, b);
    case OP_CLIP_GRAD:
        return clip_gradient(a, b, parameters.program[N].xy);
    case OP_RELU_GRAD:
        return relu_gradient(a, b);
    case OP_LOGICAL_AND:
        return logical_and(a, b);
    case OP_LOGICAL_OR:
        return logical_or(a, b);
    case OP_LOGICAL_XOR:
        return logical_xor(a, b);
    case OP_IF:
        return choice(a, b, c);
    default:
        return a;
    }
}

uint PASTE(plain_, OF(function_))(const uint x)
{
    const uint alpha = parameters.program[N].x;
    switch (OF(FUNCTION_)) {
    case FN_ABS:
        return absolute(x);
    case FN_NEGATE:
        return negative(x);
    case FN_SIGN:
        return sign_of(x);
    case FN_CLIP:
        return greatest(alpha, least(x, parameters.program[N].y));
    case FN_THRESHOLD:
        return greatest(x, alpha);
    case FN_LOGICAL_NOT:
        return logical_not(x);
    case FN_IS_NAN:
        return not_a_number(x);
    case FN_IS_INFINITY:
        return infinite(x, alpha);
    case FN_RELU:
        return relu(x);
    case FN_THRESHOLDED_RELU:
        return thresholded_relu(x, alpha);
    default:
        return x;
    }
}

#define FORMULA(name) PASTE(fast_, name)
#include "program_choices.glsl"
#define FORMULA(name) PASTE(slow_, name)
#include "program_choices.glsl"

// Two elements at once, as far as `good` says.
uvec2 OF(pair_of_)(const uvec2 a, const uvec2 b, const uvec2 c)
{
    const uint x = PASTE(fast_, OF(operation_))(a.x, b.x, c.x);
    const uint y = PASTE(fast_, OF(operation_))(a.y, b.y, c.y);
    const uvec2 result = uvec2(PASTE(fast_, OF(function_))(x), PASTE(fast_, OF(function_))(y));
    return OF(ROUNDS_) ? rounded_pair(result) : OF(MAKES_) ? canonical_pair(result) : result;
}

// Any.
uint OF(single_of_)(const uint a, const uint b, const uint c)
{
    const uint result = PASTE(slow_, OF(function_))(PASTE(slow_, OF(operation_))(a, b, c));
    return OF(ROUNDS_) ? rounded_single(result) : result;
}

#undef OF
#undef N
