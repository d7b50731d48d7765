// MOMENTS, VARIANCE, GRADIENTS and RANGE: see fold.glsl.
#ifndef VKDML_FOLD_STATISTICS_GLSL
#define VKDML_FOLD_STATISTICS_GLSL

// ---- MOMENTS and VARIANCE ----
// Within a block of items the total is the sums of x - pivot and of its square, the pivot being the block's first
// element: what a large mean would take from the digits of either is gone. Between blocks it is the mean less the pivot
// and the squares about it; only at the end both become one number.

void take_moment(inout Total t, uint x)
{
    if (!ABOUT_ZERO)
        t.pivot = t.count == 0 ? x : t.pivot;
    precise float distance = uintBitsToFloat(x) - uintBitsToFloat(t.pivot);
    precise float sum = uintBitsToFloat(t.value) + distance;
    precise float squares = uintBitsToFloat(t.mark) + distance * distance;
    precise float count = uintBitsToFloat(t.count) + 1.0;
    t.value = floatBitsToUint(sum);
    t.mark = floatBitsToUint(squares);
    t.count = floatBitsToUint(count);
}

// Four elements, each into its own of totals; pivot and count are the first one's.
void take_moments(uvec4 x)
{
    if (!ABOUT_ZERO)
        totals[0].pivot = totals[0].count == 0 ? x.x : totals[0].pivot;
    precise vec4 distances = uintBitsToFloat(x) - uintBitsToFloat(totals[0].pivot);
    precise vec4 sums = vec4(uintBitsToFloat(totals[0].value), uintBitsToFloat(totals[1].value),
                             uintBitsToFloat(totals[2].value), uintBitsToFloat(totals[3].value)) +
                        distances;
    precise vec4 squares = vec4(uintBitsToFloat(totals[0].mark), uintBitsToFloat(totals[1].mark),
                                uintBitsToFloat(totals[2].mark), uintBitsToFloat(totals[3].mark)) +
                           distances * distances;
    precise float count = uintBitsToFloat(totals[0].count) + 4.0;
    totals[0].value = floatBitsToUint(sums.x);
    totals[1].value = floatBitsToUint(sums.y);
    totals[2].value = floatBitsToUint(sums.z);
    totals[3].value = floatBitsToUint(sums.w);
    totals[0].mark = floatBitsToUint(squares.x);
    totals[1].mark = floatBitsToUint(squares.y);
    totals[2].mark = floatBitsToUint(squares.z);
    totals[3].mark = floatBitsToUint(squares.w);
    totals[0].count = floatBitsToUint(count);
}

// Makes one of the four.
void gather_moments()
{
    precise float first = uintBitsToFloat(totals[0].value) + uintBitsToFloat(totals[1].value);
    precise float second = uintBitsToFloat(totals[2].value) + uintBitsToFloat(totals[3].value);
    precise float sum = first + second;
    precise float first_squares = uintBitsToFloat(totals[0].mark) + uintBitsToFloat(totals[1].mark);
    precise float second_squares = uintBitsToFloat(totals[2].mark) + uintBitsToFloat(totals[3].mark);
    precise float squares = first_squares + second_squares;
    totals[0].value = floatBitsToUint(sum);
    totals[0].mark = floatBitsToUint(squares);
}

// A block's total becomes one of those between blocks.
void settle_moments(inout Total t)
{
    if (ABOUT_ZERO || t.count == 0)
        return;
    precise float offset = uintBitsToFloat(math_divide(t.value, t.count));
    precise float excess = uintBitsToFloat(t.value) * offset;
    precise float squares = uintBitsToFloat(t.mark) - excess;
    t.value = floatBitsToUint(offset);
    t.mark = squares < 0.0 ? 0 : floatBitsToUint(squares);
}

Total add_moments(Total a, Total b)
{
    precise float count = uintBitsToFloat(a.count) + uintBitsToFloat(b.count);
    precise float squares = uintBitsToFloat(a.mark) + uintBitsToFloat(b.mark);
    Total both = Total(0u, floatBitsToUint(squares), floatBitsToUint(count), a.pivot);
    if (ABOUT_ZERO)
        return both;
    if (a.count == 0)
        return b;
    if (b.count == 0)
        return a;
    precise float pivots = uintBitsToFloat(b.pivot) - uintBitsToFloat(a.pivot);
    precise float distance = pivots + (uintBitsToFloat(b.value) - uintBitsToFloat(a.value));
    precise float step = distance * uintBitsToFloat(math_divide(b.count, both.count));
    precise float mean = uintBitsToFloat(a.value) + step;
    precise float between = distance * uintBitsToFloat(a.count) * step;
    squares = squares + between;
    both.value = floatBitsToUint(mean);
    both.mark = floatBitsToUint(squares);
    return both;
}

uvec2 value_of_moments(Total t)
{
    uint variance = math_divide(t.mark, t.count);
    precise float mean = uintBitsToFloat(t.pivot) + uintBitsToFloat(t.value);
    uint first = ABOUT_ZERO ? 0u : floatBitsToUint(mean);
    if (FUNCTION == VARIANCE)
        return uvec2(first, variance);
    return uvec2(first, math_divide(ONE, math_sqrt(math_add(variance, parameters.argument))));
}

// ---- GRADIENTS ----

Total add_gradients(Total a, Total b)
{
    precise float sum = uintBitsToFloat(a.value) + uintBitsToFloat(b.value);
    precise float along = uintBitsToFloat(a.mark) + uintBitsToFloat(b.mark);
    return a_total(floatBitsToUint(sum), floatBitsToUint(along));
}

// ---- RANGE ----

// A scale of 1 where there is nothing but zeros, so that they can be divided by it.
uvec2 value_of_range(Total t)
{
    uint greatest = value_of_key(t.value);
    uint least = value_of_key(~t.mark);
    if (is_nan(greatest))
        return uvec2(QUIET_NAN, TO_SIGNED ? uint(-128) : 0u);
    uint high = (greatest & SIGN_BIT) != 0 ? 0 : greatest;
    uint low = (least & SIGN_BIT) != 0 ? least : 0;
    uint scale = math_divide(math_subtract(high, low), 0x437F0000u); // 255
    scale = scale == 0 ? ONE : scale;
    uint first = TO_SIGNED ? 0xC3000000u : 0u; // -128
    uint zero_point = math_round_even(math_subtract(first, math_divide(low, scale)));
    float limit = TO_SIGNED ? 127.0 : 255.0;
    float clamped =
        is_nan(zero_point) ? uintBitsToFloat(first) : clamp(uintBitsToFloat(zero_point), uintBitsToFloat(first), limit);
    return uvec2(scale, uint(int(clamped)));
}

#endif
