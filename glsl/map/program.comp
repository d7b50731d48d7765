// Programs: up to eight instructions, each an operation of up to three values and a function of what that gives. Values
// are the operands and what instructions before have given; the last one's is the output. Elements have up to 32 bits.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define OPERANDS 5
#define ELEMENT uint
#define HAS_PROGRAM
#include "map.glsl"
#include "float32.glsl"

#define OPERATION(NAME, value, turns, work) const uint OP_##NAME = value;
#define FUNCTION(NAME, value, turns, work) const uint FN_##NAME = value;
#include "operation_list.inc"

// An instruction's word: its operation, 7 bits, its function, 7, the values that they take, 5 each, and these bits; and
// the highest, so that it is 0 where there is none.
// In C: VKDML_PROGRAM_...
const uint GRADED = 64;         // of operation and function: FLOAT16 numbers go in and come out, by its grade
const uint ROUNDS = 0x20000000; // what comes out becomes FLOAT16
const uint MAKES = 0x40000000;  // .. is a float that was computed: its NaNs are the quiet one without payload

layout(constant_id = 12) const uint WORD_0 = 0;
layout(constant_id = 13) const uint WORD_1 = 0;
layout(constant_id = 14) const uint WORD_2 = 0;
layout(constant_id = 15) const uint WORD_3 = 0;
layout(constant_id = 16) const uint WORD_4 = 0;
layout(constant_id = 17) const uint WORD_5 = 0;
layout(constant_id = 18) const uint WORD_6 = 0;
layout(constant_id = 19) const uint WORD_7 = 0;

#include "program_parts.glsl"

#define N 0
#include "program_instruction.glsl"
#define N 1
#include "program_instruction.glsl"
#define N 2
#include "program_instruction.glsl"
#define N 3
#include "program_instruction.glsl"
#define N 4
#include "program_instruction.glsl"
#define N 5
#include "program_instruction.glsl"
#define N 6
#include "program_instruction.glsl"
#define N 7
#include "program_instruction.glsl"

#define OF_INSTRUCTIONS(call)                                                                                          \
    call(0) call(1) call(2) call(3) call(4) call(5) call(6) call(7)
#define VALUES (OPERANDS + INSTRUCTIONS)

#define RUN(n)                                                                                                         \
    if (WORD_##n != 0) {                                                                                               \
        result = pair_of_##n(values[A_##n], values[B_##n], values[C_##n]);                                       \
        values[OPERANDS + n] = result;                                                                                 \
    }
#define RUN_SLOWLY(n)                                                                                                  \
    if (WORD_##n != 0) {                                                                                               \
        result = single_of_##n(values[A_##n], values[B_##n], values[C_##n]);                                           \
        values[OPERANDS + n] = result;                                                                                 \
    }

uvec2 compute_pair(const uint k)
{
    uvec2 values[VALUES];
    uvec2 result = uvec2(0);
    values[0] = pair_a(k);
    values[1] = pair_b(k);
    values[2] = pair_c(k);
    values[3] = pair_d(k);
    values[4] = pair_e(k);
    OF_INSTRUCTIONS(RUN)
    return result;
}

// Two elements of the output side by side, in the low bits of as many words as they take.
uvec2 packed_pair(const uvec2 result)
{
    if (TYPE_OUT == FLOAT16)
        return uvec2(narrow_to_halves(result, good), 0);
    if (BITS_OUT == 32)
        return result;
    return uvec2((result.x & OUT_MASK) | (result.y & OUT_MASK) << BITS_OUT, 0);
}

void put_pair(const uint k)
{
    uint at = k * BITS_OUT;
    uvec2 bits = packed_pair(compute_pair(k));
    if (BITS_OUT == 32) {
        packed_out[0][at >> 5] = bits.x;
        packed_out[0][(at >> 5) + 1] = bits.y;
    } else {
        packed_out[0][at >> 5] |= bits.x << (at & 31);
    }
}

// For CPUs, whose compilers take as long for each copy of a program: always the first pair, while the others move up.
void put_pairs()
{
    [[dont_unroll]] for (uint k = 0; k < ITEM; k += 2) {
        uvec2 bits = packed_pair(compute_pair(0));
        if (BITS_OUT == 32)
            packed_out[0] = uvec4(packed_out[0].zw, bits);
        else if (BITS_OUT == 16)
            packed_out[0] = uvec4(packed_out[0].yzw, bits.x);
        else
            packed_out[0] = packed_out[0] >> 16 | uvec4(packed_out[0].yzw, bits.x) << 16;
        advance_a();
        advance_b();
        advance_c();
        advance_d();
        advance_e();
    }
    if (ITEM_BYTES == 8)
        packed_out[0].xy = packed_out[0].zw;
    else if (ITEM_BYTES == 4)
        packed_out[0].x = packed_out[0].w;
}

// On GPUs by no loop, for the reason that map_words.glsl gives.
bool compute_item()
{
    good = true;
    packed_out[0] = uvec4(0);
    if (IS_SERIAL) {
        put_pairs();
        return good;
    }
    put_pair(0);
    if (ITEM > 2)
        put_pair(2);
    if (ITEM > 4) {
        put_pair(4);
        put_pair(6);
    }
    if (ITEM > 8) {
        put_pair(8);
        put_pair(10);
        put_pair(12);
        put_pair(14);
    }
    return good;
}

uint compute_element()
{
    uint values[VALUES];
    uint result = 0;
    values[0] = single_a();
    values[1] = single_b();
    values[2] = single_c();
    values[3] = single_d();
    values[4] = single_e();
    OF_INSTRUCTIONS(RUN_SLOWLY)
    return TYPE_OUT == FLOAT16 ? narrow_keeping_payload(result) : result & OUT_MASK;
}

#include "map_main.glsl"
