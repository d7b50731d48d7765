// Totals of elements of up to 32 bits, which are expanded: floats to FLOAT32, integers by their sign. What value and
// mark are hangs on the function:
//     MIN, MAX, ARGMIN, ARGMAX   the greatest key, and of the latter its place
//     sums of floats             the sum, times a power of two that the mark tells: so no sum on the way overflows or
//                                vanishes
//                                whose result would not
//     LOG_SUM_EXP, POWERS        the sum of exp(x - mark), mark being the greatest x
//     MOMENTS, VARIANCE          of count elements the mean less the pivot, and the sum of squares of their distances
//                                from it
//     RANGE                      the greatest key, and the greatest complement of a key
//     MULTIPLY of floats         the product as a significand in [1, 2), or 0, infinity or NaN, and its exponent
//     GRADIENTS                  the two sums
//     else                       the integer
#ifndef VKDML_FOLD_TOTALS_GLSL
#define VKDML_FOLD_TOTALS_GLSL

#include "../math/math.glsl"

const bool IS_SQUARES = EITHER(FUNCTION == L2, FUNCTION == SUM_SQUARE);
const bool IS_FLOAT_SUM = BOTH(FLOATS, EITHER(IS_SQUARES, EITHER(EITHER(FUNCTION == SUM, FUNCTION == AVERAGE),
                                                                 EITHER(FUNCTION == L1, FUNCTION == LOG_SUM))));
const bool HAS_SIGNS = EITHER(FUNCTION == SUM, EITHER(FUNCTION == AVERAGE, FUNCTION == LOG_SUM));

// The mark of a sum: what magnitudes must stay below, in FLOAT32's bits, and in its lowest bits what was met that is no
// number. Squares are summed times 2^126 of elements below 2^-30, as they are below 2^47, then times 2^-162; other sums
// as they are of elements below 2^95, then times 2^-64. Of 2^32 terms none of these overflows, and what vanishes beside
// an element that made the scale necessary is less than its last bit. FLOAT16 needs none of it.
const uint LOW = 97u << 23;
const uint MIDDLE = 174u << 23;
const uint HIGH = 222u << 23;
const uint MET_INFINITY = 1;
const uint MET_NEGATIVE_INFINITY = 2;
const uint MET_NAN = 4;
const bool HAS_LEVELS = TYPE == FLOAT32;

const uint NEGATIVE_INFINITY = 0xFF800000u;

float power_of_two(int n)
{
    return uintBitsToFloat(uint(n + 127) << 23);
}

uint first_mark()
{
    if (IS_ARG)
        return 0xFFFFFFFFu;
    if (IS_POWERS)
        return NEGATIVE_INFINITY;
    if (IS_FLOAT_SUM)
        return HAS_LEVELS ? (IS_SQUARES ? LOW : HIGH) : INFINITY;
    return 0;
}

// Of no elements.
Total no_total()
{
    return a_total(FUNCTION == MULTIPLY ? (FLOATS ? ONE : 1u) : 0u, first_mark());
}

// ---- order ----

// Greater where an element comes first; that of NaN is the greatest.
uint key_of(uint x)
{
    if (FLOATS) {
        bool nan = (x & ~SIGN_BIT) > INFINITY;
        if (IS_ARG)
            x = x == SIGN_BIT ? 0u : x;
        uint key = x ^ (uint(int(x) >> 31) | SIGN_BIT);
        key = IS_LEAST ? ~key : key;
        return nan ? 0xFFFFFFFFu : key;
    }
    uint key = SIGNS ? x ^ SIGN_BIT : x;
    return IS_LEAST ? ~key : key;
}

uint value_of_key(uint key)
{
    if (FLOATS) {
        if (key == 0xFFFFFFFFu)
            return QUIET_NAN;
        key = IS_LEAST ? ~key : key;
        return (key & SIGN_BIT) != 0 ? key ^ SIGN_BIT : ~key;
    }
    key = IS_LEAST ? ~key : key;
    return SIGNS ? key ^ SIGN_BIT : key;
}

Total first_of(Total a, Total b)
{
    if (!IS_ARG)
        return a_total(max(a.value, b.value), 0u);
    bool replaces = b.value > a.value || (b.value == a.value && b.mark < a.mark);
    return a_total(replaces ? b.value : a.value, replaces ? b.mark : a.mark);
}

// ---- sums of floats ----

float scale_of(uint mark)
{
    if (!HAS_LEVELS)
        return 1.0;
    if (IS_SQUARES)
        return mark >= INFINITY ? power_of_two(-81) : mark >= MIDDLE ? 1.0 : power_of_two(63);
    return mark >= INFINITY ? power_of_two(-64) : 1.0;
}

uint limit_above(uint magnitude)
{
    if (IS_SQUARES)
        return magnitude < LOW ? LOW : magnitude < MIDDLE ? MIDDLE : INFINITY;
    return magnitude < HIGH ? HIGH : INFINITY;
}

// Every step is precise: a device that put the two factors of a square's scale together would multiply by 0.
void raise(inout Total t, uint limit)
{
    uint own = t.mark & INFINITY;
    precise float sum = uintBitsToFloat(t.value);
    if (IS_SQUARES) {
        if (own == LOW && limit > LOW)
            sum = sum * power_of_two(-63) * power_of_two(-63);
        if (own < INFINITY && limit == INFINITY)
            sum = sum * power_of_two(-81) * power_of_two(-81);
    } else if (own < limit) {
        sum = sum * power_of_two(-64);
    }
    t.value = floatBitsToUint(sum);
    t.mark = max(own, limit) | (t.mark & 7u);
}

void add_term(inout Total t, uint x)
{
    uint magnitude = x & ~SIGN_BIT;
    if (magnitude >= (t.mark & INFINITY)) {
        if (magnitude >= INFINITY) {
            bool negative = HAS_SIGNS ? (x & SIGN_BIT) != 0 : false;
            t.mark |= magnitude > INFINITY ? MET_NAN : negative ? MET_NEGATIVE_INFINITY : MET_INFINITY;
            x = 0;
        } else if (HAS_LEVELS) {
            raise(t, limit_above(magnitude));
        }
    }
    precise float term = uintBitsToFloat(HAS_SIGNS ? x : x & ~SIGN_BIT) * scale_of(t.mark);
    if (IS_SQUARES)
        term = term * term;
    precise float sum = uintBitsToFloat(t.value) + term;
    t.value = floatBitsToUint(sum);
}

// Of a run four terms at once, each into its own of totals, which have one scale, and so one branch: on processors a
// branch costs what is in it whichever way it goes.
void add_terms(uvec4 x)
{
    uvec4 magnitudes = x & ~SIGN_BIT;
    uint most = max(max(magnitudes.x, magnitudes.y), max(magnitudes.z, magnitudes.w));
    if (most >= (totals[0].mark & INFINITY)) {
        bvec4 numbers = lessThan(magnitudes, uvec4(INFINITY));
        bool nan = any(greaterThan(magnitudes, uvec4(INFINITY)));
        bool negative = HAS_SIGNS ? any(equal(x, uvec4(NEGATIVE_INFINITY))) : false;
        bool positive = any(equal(HAS_SIGNS ? x : magnitudes, uvec4(INFINITY)));
        totals[0].mark |=
            (nan ? MET_NAN : 0u) | (negative ? MET_NEGATIVE_INFINITY : 0u) | (positive ? MET_INFINITY : 0u);
        x = mix(uvec4(0), x, numbers);
        if (HAS_LEVELS) {
            magnitudes = mix(uvec4(0), magnitudes, numbers);
            uint limit = limit_above(max(max(magnitudes.x, magnitudes.y), max(magnitudes.z, magnitudes.w)));
            raise(totals[0], limit);
            raise(totals[1], limit);
            raise(totals[2], limit);
            raise(totals[3], limit);
        }
    }
    precise vec4 terms = uintBitsToFloat(HAS_SIGNS ? x : x & ~SIGN_BIT) * scale_of(totals[0].mark);
    if (IS_SQUARES)
        terms = terms * terms;
    precise vec4 sums = vec4(uintBitsToFloat(totals[0].value), uintBitsToFloat(totals[1].value),
                             uintBitsToFloat(totals[2].value), uintBitsToFloat(totals[3].value)) +
                        terms;
    totals[0].value = floatBitsToUint(sums.x);
    totals[1].value = floatBitsToUint(sums.y);
    totals[2].value = floatBitsToUint(sums.z);
    totals[3].value = floatBitsToUint(sums.w);
}

Total add_sums(Total a, Total b)
{
    if (HAS_LEVELS && ((a.mark ^ b.mark) & INFINITY) != 0) {
        uint limit = max(a.mark & INFINITY, b.mark & INFINITY);
        raise(a, limit);
        raise(b, limit);
    }
    precise float both = uintBitsToFloat(a.value) + uintBitsToFloat(b.value);
    Total sum = a_total(floatBitsToUint(both), a.mark | b.mark);
    if (HAS_LEVELS && !IS_SQUARES && (sum.value & ~SIGN_BIT) >= (sum.mark & INFINITY))
        raise(sum, INFINITY);
    return sum;
}

uint value_of_sum(Total t)
{
    uint met = t.mark & 7u;
    if ((met & MET_NAN) != 0 || met == (MET_INFINITY | MET_NEGATIVE_INFINITY))
        return QUIET_NAN;
    bool is_high = HAS_LEVELS && t.mark >= INFINITY;
    bool is_low = HAS_LEVELS && t.mark < MIDDLE;
    uint sum = t.value;
    if (met != 0) {
        sum = met == MET_INFINITY ? INFINITY : NEGATIVE_INFINITY;
        is_high = false;
        is_low = false;
    }
    if (FUNCTION == LOG_SUM) {
        uint logarithm = math_log(sum);
        return is_high ? math_add(logarithm, 0x42317218u) : logarithm; // 64 ln(2)
    }
    if (FUNCTION == AVERAGE)
        sum = math_divide(sum, parameters.element_count);
    if (FUNCTION == L2)
        sum = math_sqrt(sum);
    if (HAS_LEVELS && !IS_SQUARES && is_high)
        sum = math_multiply(sum, floatBitsToUint(power_of_two(64)));
    if (HAS_LEVELS && IS_SQUARES) {
        uint scale = floatBitsToUint(power_of_two(is_low ? -63 : is_high ? 81 : 0));
        sum = math_multiply(sum, scale);
        if (FUNCTION == SUM_SQUARE)
            sum = math_multiply(sum, scale);
    }
    return EITHER(FUNCTION == L1, FUNCTION == L2) ? max(sum, parameters.argument) : sum; // that of NaN is greater
}

// ---- sums of powers of e ----

// Of a number with exp(x - x) = 1 a total is made, and combined: one exp for each.
Total add_powers(Total a, Total b)
{
    bool nan = is_nan(a.mark) || is_nan(b.mark);
    precise float difference = uintBitsToFloat(a.mark) - uintBitsToFloat(b.mark);
    uint distance = floatBitsToUint(difference) & ~SIGN_BIT;
    bool is_less = difference < 0.0;
    Total greater = a_total(is_less ? b.value : a.value, is_less ? b.mark : a.mark);
    uint lesser = is_less ? a.value : b.value;
    // Beyond 80 it is nothing beside 1; and infinities differ by infinity, or by NaN.
    float power = distance <= 0x42A00000u ? uintBitsToFloat(math_exp_common(distance | SIGN_BIT)) : 0.0;
    precise float both = uintBitsToFloat(greater.value) + uintBitsToFloat(lesser) * power;
    greater.value = floatBitsToUint(both);
    if (a.mark == NEGATIVE_INFINITY)
        greater = b;
    if (b.mark == NEGATIVE_INFINITY)
        greater = a;
    if (a.mark == INFINITY || b.mark == INFINITY)
        greater = a_total(ONE, INFINITY);
    if (nan)
        greater = a_total(ONE, QUIET_NAN);
    return greater;
}

// exp(x) of what is not above 0; below -87, where exp is less than 2^-125, 0. Of NaN NaN.
float power_of(float x)
{
    const bool has_grade = BOTH(TYPE == FLOAT16, FUNCTION != LOG_SUM_EXP);
    float power = has_grade ? math_half_power(x) : uintBitsToFloat(math_exp_common(floatBitsToUint(x)));
    return x < -87.0 ? 0.0 : power;
}

// Four elements at once: one exp for each, and one where there is a new greatest. Of infinities and NaN the sum is no
// number, or the greatest is none: those are taken one by one.
void take_powers(uvec4 x)
{
    vec4 elements = uintBitsToFloat(x);
    float greatest = max(max(elements.x, elements.y), max(elements.z, elements.w));
    float known = uintBitsToFloat(totals[0].mark);
    precise float sum = uintBitsToFloat(totals[0].value);
    if (greatest > known) {
        precise float distance = known - greatest;
        sum = sum * power_of(distance);
        known = greatest;
    }
    precise vec4 distances = elements - known;
    precise float first = power_of(distances.x) + power_of(distances.y);
    precise float second = power_of(distances.z) + power_of(distances.w);
    sum = sum + (first + second);
    if (sum < uintBitsToFloat(INFINITY)) {
        totals[0] = a_total(floatBitsToUint(sum), floatBitsToUint(known));
    } else {
        totals[0] = add_powers(totals[0], a_total(ONE, x.x));
        totals[0] = add_powers(totals[0], a_total(ONE, x.y));
        totals[0] = add_powers(totals[0], a_total(ONE, x.z));
        totals[0] = add_powers(totals[0], a_total(ONE, x.w));
    }
}

uvec2 value_of_powers(Total t)
{
    if (FUNCTION == POWERS)
        return uvec2(t.mark, math_divide(ONE, t.value));
    if (FUNCTION == LOG_SUM_EXP && (t.mark & INFINITY) == INFINITY)
        return uvec2(t.mark, 0);
    uint logarithm = math_log(t.value);
    return FUNCTION == LOG_POWERS ? uvec2(t.mark, logarithm) : uvec2(math_add(t.mark, logarithm), 0);
}

// ---- MULTIPLY ----

// Exponents of more than 2^23 elements could leave an integer's range: they stay where no result is but 0 or infinity.
const int FARTHEST = 1 << 29;

Total product_of(uint x)
{
    uint magnitude = x & ~SIGN_BIT;
    if (magnitude > INFINITY)
        return a_total(QUIET_NAN, 0u);
    if (math_is_zero(x) || magnitude == INFINITY)
        return a_total(x, 0u);
    if (magnitude < 0x00800000u) {
        uint zeros = math_leading_zeros(magnitude) - 8;
        uint significand = magnitude << zeros;
        return a_total((x & SIGN_BIT) | ONE | (significand & 0x7FFFFFu), uint(-126 - int(zeros)));
    }
    return a_total((x & 0x807FFFFFu) | ONE, (magnitude >> 23) - 127);
}

Total multiply_products(Total a, Total b)
{
    uint sign = (a.value ^ b.value) & SIGN_BIT;
    bool numbers = (a.value & INFINITY) == ONE && (b.value & INFINITY) == ONE;
    if (!numbers) {
        bool nan = is_nan(a.value) || is_nan(b.value);
        bool zero = math_is_zero(a.value) || math_is_zero(b.value);
        bool infinite = (a.value & ~SIGN_BIT) == INFINITY || (b.value & ~SIGN_BIT) == INFINITY;
        return a_total(nan || (zero && infinite) ? QUIET_NAN : sign | (zero ? 0u : INFINITY), 0u);
    }
    precise float both = uintBitsToFloat(a.value) * uintBitsToFloat(b.value);
    uint product = floatBitsToUint(both);
    int above = int((product & INFINITY) >> 23) - 127; // 0 or 1
    return a_total(product - (uint(above) << 23), uint(clamp(int(a.mark) + int(b.mark) + above, -FARTHEST, FARTHEST)));
}

uint value_of_product(Total t)
{
    uint sign = t.value & SIGN_BIT;
    int exponent = int(t.mark);
    if ((t.value & INFINITY) != ONE)
        return t.value;
    if (exponent > 127)
        return sign | INFINITY;
    if (exponent >= -126)
        return (t.value & 0x807FFFFFu) | uint(exponent + 127) << 23;
    // A denormal, rounded once.
    return math_multiply((t.value & 0x807FFFFFu) | 1u << 23, floatBitsToUint(power_of_two(max(exponent + 126, -40))));
}

#include "statistics.glsl"

// ---- all ----

Total combine(Total a, Total b)
{
    if (IS_ORDER)
        return first_of(a, b);
    if (IS_FLOAT_SUM)
        return add_sums(a, b);
    if (IS_POWERS)
        return add_powers(a, b);
    if (HAS_MOMENTS)
        return add_moments(a, b);
    if (FUNCTION == RANGE)
        return a_total(max(a.value, b.value), max(a.mark, b.mark));
    if (FUNCTION == GRADIENTS)
        return add_gradients(a, b);
    if (FUNCTION == MULTIPLY)
        return FLOATS ? multiply_products(a, b) : a_total(a.value * b.value, 0u);
    return a_total(a.value + b.value, 0u);
}

void take(inout Total t, uint x, uint index)
{
    if (IS_FLOAT_SUM) {
        add_term(t, x);
    } else if (IS_ORDER) {
        t = first_of(t, a_total(key_of(x), TAKES_LAST ? ~index : index));
    } else if (IS_POWERS) {
        t = add_powers(t, a_total(ONE, x));
    } else if (HAS_MOMENTS) {
        take_moment(t, x);
    } else if (FUNCTION == RANGE) {
        uint key = key_of(x);
        t = a_total(max(t.value, key), max(t.mark, ~key));
    } else if (FUNCTION == MULTIPLY) {
        t = FLOATS ? multiply_products(t, product_of(x)) : a_total(t.value * x, 0u);
    } else {
        if (FUNCTION == L1)
            x = SIGNS && int(x) < 0 ? 0u - x : x;
        if (FUNCTION == SUM_SQUARE)
            x = x * x;
        t.value += x;
    }
}

// The element that a total is, or two.
uvec2 finish(Total t)
{
    if (IS_ARG)
        return uvec2(TAKES_LAST ? ~t.mark : t.mark, 0);
    if (HAS_MOMENTS)
        return value_of_moments(t);
    if (FUNCTION == RANGE)
        return value_of_range(t);
    if (FUNCTION == GRADIENTS)
        return uvec2(t.value, t.mark);
    if (EITHER(FUNCTION == POWERS, FUNCTION == LOG_POWERS))
        return value_of_powers(t);
    uint x = t.value;
    if (IS_ORDER)
        x = value_of_key(x);
    else if (IS_FLOAT_SUM)
        x = value_of_sum(t);
    else if (FUNCTION == LOG_SUM_EXP)
        x = value_of_powers(t).x;
    else if (FUNCTION == MULTIPLY && FLOATS)
        x = value_of_product(t);
    return uvec2(BOTH(TYPE == FLOAT16, BITS_OUT == 16) ? narrow_to_half(x) : x, 0);
}

#endif
