// Folds of elements of up to 32 bits. FLOAT16 arithmetic is left in a pipeline's module where FLOAT_CONTROLS say that
// the device has it.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define VALUE uint
#define HAS_GRADIENTS
#define HAS_EIGHT_BUFFERS
#include "reduce.glsl"
#define HAS_EPILOGUES
#define RESULT_TYPE (BITS_OUT == 16 ? FLOAT16 : FLOAT32)
#define OPERAND_FACTOR parameters.factor
#define FUNCTION_ARGUMENTS parameters.function_arguments
#include "epilogue.glsl"
const bool HAS_EPILOGUE = EPILOGUE != 0;
const bool NUMBERS_OUTPUTS = HAS_OPERAND;
#include "totals.glsl"
#include "quick.glsl"

uint sign_extended(uint x)
{
    return SIGNS ? uint(bitfieldExtract(int(x), 0, int(BITS))) : x;
}

uint read_value(uvec4 bits, uint element)
{
    if (BITS == 32)
        return bits.x;
    uint x = bitfieldExtract(bits.x, int(element % PER_WORD * BITS), int(BITS));
    return TYPE == FLOAT16 ? widen_half(x) : sign_extended(x);
}

uvec2 pair_of(uint word)
{
    if (TYPE == FLOAT16)
        return widen_halves(word);
    return uvec2(sign_extended(word & 0xFFFF), sign_extended(word >> 16));
}

uvec4 bytes_of(uint word)
{
    uvec4 bytes = uvec4(word, word >> 8, word >> 16, word >> 24) & 0xFF;
    return uvec4(sign_extended(bytes.x), sign_extended(bytes.y), sign_extended(bytes.z), sign_extended(bytes.w));
}

void take_elements(inout Total t, uint word, uint index)
{
    uint step = parameters.run_index_stride;
    if (BITS == 32) {
        take(t, word, index);
    } else if (BITS == 16) {
        uvec2 pair = pair_of(word);
        take(t, pair.x, index);
        take(t, pair.y, index + step);
    } else {
        uvec4 bytes = bytes_of(word);
        take(t, bytes.x, index);
        take(t, bytes.y, index + step);
        take(t, bytes.z, index + 2 * step);
        take(t, bytes.w, index + 3 * step);
    }
}

void take_four_of(uvec4 x)
{
    if (HAS_MOMENTS)
        take_moments(x);
    else
        take_powers(x);
}

void take_vector(uvec4 bits, uint index)
{
    if (IS_FLOAT_SUM) {
        if (TYPE == FLOAT16) {
            uvec4 halves = uvec4(pair_of(bits.x), pair_of(bits.y));
            uvec4 others = uvec4(pair_of(bits.z), pair_of(bits.w));
            add_terms(halves);
            add_terms(others);
        } else {
            add_terms(bits);
        }
        return;
    }
    if (EITHER(IS_POWERS, HAS_MOMENTS)) {
        if (TYPE == FLOAT16) {
            uvec4 halves = uvec4(pair_of(bits.x), pair_of(bits.y));
            uvec4 others = uvec4(pair_of(bits.z), pair_of(bits.w));
            take_four_of(halves);
            take_four_of(others);
        } else {
            take_four_of(bits);
        }
        return;
    }
    uint step = parameters.run_index_stride * PER_WORD;
    take_elements(totals[0], bits.x, index);
    take_elements(totals[1], bits.y, index + step);
    take_elements(totals[2], bits.z, index + 2 * step);
    take_elements(totals[3], bits.w, index + 3 * step);
}

void take_single(uint value, uint index)
{
    if (IS_FLOAT_SUM)
        add_terms(uvec4(value, 0, 0, 0));
    else
        take(totals[0], value, index);
}

uvec4 values_across(uvec4 bits)
{
    if (BITS == 16)
        return uvec4(pair_of(bits.x), pair_of(bits.y));
    return BITS == 8 ? bytes_of(bits.x) : bits;
}

void take_across(uvec4 bits, uint index)
{
    uvec4 values = values_across(bits);
    take(totals[0], values.x, index);
    take(totals[1], values.y, index);
    if (WIDTH > 2) {
        take(totals[2], values.z, index);
        take(totals[3], values.w, index);
    }
}

// Elements at the top of words, with any below.
uvec4 tops_of(uvec4 bits, uint element)
{
    if (WIDTH == 1)
        return uvec4(bits.x << (32 - BITS - element % PER_WORD * BITS));
    if (BITS == 16)
        return uvec4(bits.x << 16, bits.x, bits.y << 16, bits.y);
    return BITS == 8 ? uvec4(bits.x << 24, bits.x << 16, bits.x << 8, bits.x) : bits;
}

void take_extremes(uvec4 bits, uint element)
{
    if (DENSE) {
        order(bits);
        if (BITS <= 16)
            order(bits << 16);
        if (BITS == 8) {
            order(bits << 8);
            order(bits << 24);
        }
    } else {
        order(tops_of(bits, element));
    }
}

void take_places(uvec4 bits, uint element, uint index)
{
    if (DENSE) {
        begin_extremes();
        take_extremes(bits, element);
        rank_run(bits, index);
    } else {
        rank_across(tops_of(bits, element), index);
    }
}

void take_terms(uvec4 bits, uint element)
{
    if (BOTH(DENSE, TYPE == FLOAT16)) {
        uvec4 halves = uvec4(pair_of(bits.x), pair_of(bits.y));
        uvec4 others = uvec4(pair_of(bits.z), pair_of(bits.w));
        add_quickly(halves);
        add_quickly(others);
    } else if (EITHER(DENSE, WIDTH > 1)) {
        add_quickly(values_across(bits));
    } else {
        add_quickly(uvec4(read_value(bits, element), 0, 0, 0));
    }
}

void take_quickly(uvec4 bits, uint element, uint index)
{
    if (IS_ARG)
        take_places(bits, element, index);
    else if (IS_EXTREME)
        take_extremes(bits, element);
    else
        take_terms(bits, element);
}

bool end_quickly()
{
    if (IS_ARG && !DENSE)
        return end_places();
    if (IS_ARG) {
        take_vector(best_bits, best_index.x);
        return best.x != NO_RANK && !has_nan;
    }
    return IS_EXTREME ? end_extremes() : end_sums();
}

// ---- GRADIENTS ----

BUFFER_OF_WORDS(4, readonly, Beside, beside);
BUFFER_OF_VECTORS(4, readonly, BesideVectors, beside_vectors);
BUFFER_OF_WORDS(5, readonly, Means, given_means);

uvec4 means; // of the outputs of an invocation

// Of words, from where the input's are: multiples of 4, modulo 2^32.
uint beside_words()
{
    return (push.base_bytes[3] >> 2) - (push.base_bytes[0] >> 2);
}

uint mean_at(uint element)
{
    element += push.more_base_bytes[0] * 8 / BITS;
    return read_value(uvec4(given_means.words[element / PER_WORD], 0, 0, 0), element);
}

uvec4 means_from(uint element)
{
    uint step = parameters.mean_width_stride;
    uvec4 all = uvec4(mean_at(element));
    if (WIDTH > 1)
        all.y = mean_at(element + step);
    if (WIDTH > 2)
        all.zw = uvec2(mean_at(element + 2 * step), mean_at(element + 3 * step));
    return all;
}

void take_four_gradients(uvec4 gradients, uvec4 others, uvec4 from)
{
    precise vec4 distances = uintBitsToFloat(others) - uintBitsToFloat(from);
    precise vec4 products = uintBitsToFloat(gradients) * distances;
    precise vec4 sums = vec4(uintBitsToFloat(totals[0].value), uintBitsToFloat(totals[1].value),
                             uintBitsToFloat(totals[2].value), uintBitsToFloat(totals[3].value)) +
                        uintBitsToFloat(gradients);
    precise vec4 along = vec4(uintBitsToFloat(totals[0].mark), uintBitsToFloat(totals[1].mark),
                              uintBitsToFloat(totals[2].mark), uintBitsToFloat(totals[3].mark)) +
                         products;
    totals[0] = a_total(floatBitsToUint(sums.x), floatBitsToUint(along.x));
    totals[1] = a_total(floatBitsToUint(sums.y), floatBitsToUint(along.y));
    totals[2] = a_total(floatBitsToUint(sums.z), floatBitsToUint(along.z));
    totals[3] = a_total(floatBitsToUint(sums.w), floatBitsToUint(along.w));
}

void take_gradients(uvec4 bits, uvec4 others, uint element)
{
    if (BOTH(DENSE, TYPE == FLOAT16)) {
        take_four_gradients(uvec4(pair_of(bits.x), pair_of(bits.y)), uvec4(pair_of(others.x), pair_of(others.y)),
                            means.xxxx);
        take_four_gradients(uvec4(pair_of(bits.z), pair_of(bits.w)), uvec4(pair_of(others.z), pair_of(others.w)),
                            means.xxxx);
    } else if (DENSE) {
        take_four_gradients(bits, others, means.xxxx);
    } else if (WIDTH > 1) {
        take_four_gradients(values_across(bits), values_across(others), means);
    } else {
        take_four_gradients(uvec4(read_value(bits, element), 0, 0, 0), uvec4(read_value(others, element), 0, 0, 0),
                            uvec4(means.x, 0, 0, 0));
    }
}

void take_gradient(uint value, uint element)
{
    uvec4 other = uvec4(beside.words[element / PER_WORD + beside_words()], 0, 0, 0);
    take_four_gradients(uvec4(value, 0, 0, 0), uvec4(read_value(other, element), 0, 0, 0), uvec4(means.x, 0, 0, 0));
}

Total total_of(uvec4 bits)
{
    return Total(bits.x, bits.y, bits.z, bits.w);
}

// Ends a block: one total of all that are in use, or each by itself.
void close_block()
{
    if (HAS_MOMENTS) {
        if (DENSE)
            gather_moments();
        settle_moments(totals[0]);
        if (WIDTH > 1)
            settle_moments(totals[1]);
        if (WIDTH > 2) {
            settle_moments(totals[2]);
            settle_moments(totals[3]);
        }
    } else if (BOTH(DENSE, !IS_POWERS)) {
        totals[0] = combine(combine(totals[0], totals[1]), combine(totals[2], totals[3]));
    }
}

void store_total(uint at, Total t)
{
    destination.words[at] = t.value;
    destination.words[at + 1] = t.mark;
    if (HAS_MOMENTS) {
        destination.words[at + 2] = t.count;
        destination.words[at + 3] = t.pivot;
    }
}

#include "reduce_main.glsl"
