// The quick way of what elements of up to 32 bits are mostly folded by: without a branch, and without keys.
//     sums of floats    of one scale, beside the greatest magnitudes; those tell whether it was the right one
//     MIN, MAX, RANGE   the extremes of bits as numbers with and without a sign, which tell those of floats, and whether one is
//                       NaN; narrow elements are at the top of words, and what lies below them does not matter
#ifndef VKDML_FOLD_QUICK_GLSL
#define VKDML_FOLD_QUICK_GLSL

const bool IS_EXTREME = EITHER(FUNCTION == RANGE, EITHER(FUNCTION == MIN, FUNCTION == MAX));
const bool IS_QUICK = BOTH(!FROM_TOTALS, EITHER(IS_FLOAT_SUM, IS_EXTREME));

// Of each of totals, or of a fourth of a run.
uvec4 most;
uvec4 least;
ivec4 greatest; // with a sign; of integers' MIN the least

void begin_quickly()
{
    most = uvec4(0);
    least = uvec4(0xFFFFFFFFu);
    greatest = ivec4(BOTH(!FLOATS, IS_LEAST) ? 0x7FFFFFFFu : SIGN_BIT);
}

// ---- sums of floats ----

void add_quickly(uvec4 x)
{
    uvec4 magnitudes = x & ~SIGN_BIT;
    most = max(most, magnitudes);
    precise vec4 terms = uintBitsToFloat(HAS_SIGNS ? x : magnitudes);
    if (IS_SQUARES)
        terms = terms * terms;
    precise vec4 sums = vec4(uintBitsToFloat(totals[0].value), uintBitsToFloat(totals[1].value), uintBitsToFloat(totals[2].value),
                             uintBitsToFloat(totals[3].value)) + terms;
    totals[0].value = floatBitsToUint(sums.x);
    totals[1].value = floatBitsToUint(sums.y);
    totals[2].value = floatBitsToUint(sums.z);
    totals[3].value = floatBitsToUint(sums.w);
}

// Whether a scale of 1 was right, which is the mark of squares of elements below 2^47, and of others below 2^95.
bool end_sum(inout Total t, uint magnitude)
{
    if (!HAS_LEVELS)
        return magnitude < INFINITY;
    if (!IS_SQUARES)
        return magnitude < HIGH;
    t.mark = magnitude == 0 ? LOW : MIDDLE;
    return magnitude == 0 || (magnitude >= LOW && magnitude < MIDDLE);
}

bool end_sums()
{
    if (DENSE)
        most = uvec4(max(max(most.x, most.y), max(most.z, most.w)));
    bool x = end_sum(totals[0], most.x);
    bool y = end_sum(totals[1], most.y);
    bool z = end_sum(totals[2], most.z);
    bool w = end_sum(totals[3], most.w);
    return x && y && z && w;
}

// ---- MIN, MAX, RANGE ----

void order(uvec4 bits)
{
    if (EITHER(FLOATS, !SIGNS)) {
        if (EITHER(FLOATS, IS_LEAST))
            least = min(least, bits);
        if (EITHER(FLOATS, !IS_LEAST))
            most = max(most, bits);
    }
    if (EITHER(FLOATS, SIGNS))
        greatest = BOTH(!FLOATS, IS_LEAST) ? min(greatest, ivec4(bits)) : max(greatest, ivec4(bits));
}

// From the top of a word.
uint expanded(uint bits)
{
    if (FLOATS)
        return TYPE == FLOAT16 ? widen_half(bits >> 16) : bits;
    return SIGNS ? uint(int(bits) >> (32 - BITS)) : bits >> (32 - BITS);
}

Total extreme_of(uint high, uint low, uint positive)
{
    if (!FLOATS)
        return a_total(key_of(expanded(SIGNS ? positive : IS_LEAST ? low : high)), 0u);
    if (high < low) // none was taken
        return no_total();
    uint last = TYPE == FLOAT16 ? 0x7C00FFFFu : INFINITY;
    uint upper = (positive & SIGN_BIT) == 0 ? positive : low; // without a positive one the negative one that is nearest to 0
    uint lower = (high & SIGN_BIT) != 0 ? high : low;
    if (int(positive) > int(last))
        upper = lower = SIGN_BIT - 1;
    if (high > (last | SIGN_BIT))
        upper = lower = SIGN_BIT - 1;
    uint key = key_of(expanded(IS_LEAST ? lower : upper));
    return a_total(key, FUNCTION == RANGE ? ~key_of(expanded(lower)) : 0u);
}

bool end_extremes()
{
    if (DENSE) {
        most.x = max(max(most.x, most.y), max(most.z, most.w));
        least.x = min(min(least.x, least.y), min(least.z, least.w));
        ivec2 two = BOTH(!FLOATS, IS_LEAST) ? min(greatest.xy, greatest.zw) : max(greatest.xy, greatest.zw);
        greatest.x = BOTH(!FLOATS, IS_LEAST) ? min(two.x, two.y) : max(two.x, two.y);
    }
    totals[0] = extreme_of(most.x, least.x, uint(greatest.x));
    if (!DENSE && WIDTH > 1) {
        totals[1] = extreme_of(most.y, least.y, uint(greatest.y));
        totals[2] = extreme_of(most.z, least.z, uint(greatest.z));
        totals[3] = extreme_of(most.w, least.w, uint(greatest.w));
    }
    return true;
}

bool end_quickly()
{
    return IS_EXTREME ? end_extremes() : end_sums();
}

#endif
