// Epilogues (src/plan/epilogue.h) of results that are elements of the output's type: an operation with elements of an
// operand, at binding 4 or OPERAND_BINDING, and a function, as the map frame would compute them of what is stored. A
// kernel defines what results.glsl asks for but FUNCTION, and OPERAND_FACTOR. One that has functions without epilogues,
// too, defines HAS_OWN_FUNCTION and includes operations.glsl before: FUNCTION is the epilogue's where it has one.
#ifndef VKDML_EPILOGUE_GLSL
#define VKDML_EPILOGUE_GLSL

#include "buffers.glsl"

layout(constant_id = 12) const uint EPILOGUE = 0;
// Beside the function, in the lowest bits.
// In C: VKDML_EPILOGUE_...
const bool ADDS = (EPILOGUE & 64u) != 0;        // the operand
const bool MULTIPLIES = (EPILOGUE & 128u) != 0; // by it
const bool HAS_FACTOR = (EPILOGUE & 256u) != 0; // of the operand, that is not 1
const bool IS_STORED = (EPILOGUE & 512u) != 0;  // the function is of what the output could hold
// In C: VKDML_EPILOGUE_...
const uint OPERAND_RANK_SHIFT = 10; // dimensions of the operand, of a kernel that counts them

const uint EPILOGUE_FUNCTION = EPILOGUE & 63u;
const uint OPERAND_RANK = EPILOGUE >> OPERAND_RANK_SHIFT;
const bool HAS_OPERAND = EITHER(ADDS, MULTIPLIES);

#ifndef OPERAND_BINDING
#define OPERAND_BINDING 4
#endif
BUFFER_OF_WORDS(OPERAND_BINDING, readonly, Operand, operand);

#define HAS_GRADES
#ifdef HAS_OWN_FUNCTION
#define IS_GRADED EPILOGUE_FUNCTION != FN_NONE
#include "results.glsl"
#else
#define IS_GRADED true
#define OPERATION(NAME, value, turns, work)
#define FUNCTION(NAME, value, turns, work) const uint FN_##NAME = value;
#include "operation_list.inc"
#define FUNCTION EPILOGUE_FUNCTION
#include "results.glsl"
#undef FUNCTION
#endif

// Elements of the output, expanded again.
uvec4 expanded(uvec4 bits)
{
    if (RESULT_TYPE != FLOAT16)
        return bits;
    uvec2 words = (bits.xz & 0xFFFF) | bits.yw << 16;
    return uvec4(widen_halves(words.x), widen_halves(words.y));
}

uint operation_fast(uint x, uint y, inout bool good)
{
    if (HAS_FACTOR)
        y = multiply_fast(y, OPERAND_FACTOR, good);
    if (MULTIPLIES)
        return multiply_fast(x, y, good);
    return add_fast(x, y, good);
}

uint operation_slow(uint x, uint y)
{
    if (HAS_FACTOR)
        y = math_multiply(y, OPERAND_FACTOR);
    if (MULTIPLIES)
        return math_multiply(x, y);
    return math_add(x, y);
}

uvec4 operated(uvec4 x, uvec4 y)
{
    bool good = true;
    uvec4 z = uvec4(operation_fast(x.x, y.x, good), operation_fast(x.y, y.y, good), operation_fast(x.z, y.z, good),
                    operation_fast(x.w, y.w, good));
    if (!good) {
        [[dont_unroll]] for (uint v = 0; v < 4; ++v)
            z[v] = operation_slow(x[v], y[v]);
    }
    return z;
}

// Of the output's type, as results are.
const uint OPERAND_BITS = RESULT_TYPE == FLOAT16 ? 16 : 32;

uint operand_at(uint element)
{
    if (RESULT_TYPE == FLOAT16)
        return operand.words[element / 2] >> (element % 2 * 16) & 0xFFFF;
    return operand.words[element];
}

uvec4 operands_at(uvec4 places)
{
    return uvec4(operand_at(places.x), operand_at(places.y), operand_at(places.z), operand_at(places.w));
}

// Elements of the output, and of the operand, become elements of the output.
uvec4 ended_with(uvec4 bits, uvec4 others)
{
    uvec4 x = expanded(bits);
    if (HAS_OPERAND) {
        x = operated(x, expanded(others));
        if (IS_STORED)
            x = expanded(narrowed(x));
    }
    if (EPILOGUE_FUNCTION != FN_NONE)
        x = activated(x);
    return narrowed(x);
}

// The same of places of the operand's.
uvec4 ended(uvec4 bits, uvec4 places)
{
    return ended_with(bits, HAS_OPERAND ? operands_at(places) : uvec4(0));
}

#endif
