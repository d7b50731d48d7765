// Totals of integers of 64 bits: of MIN, MAX, ARGMIN and ARGMAX the greatest key, and of the latter its place; else the
// integer.
#ifndef VKDML_FOLD_TOTALS64_GLSL
#define VKDML_FOLD_TOTALS64_GLSL

#include "integer64.glsl"

Total no_total()
{
    return a_total(uvec2(FUNCTION == MULTIPLY ? 1u : 0u, 0), IS_ARG ? 0xFFFFFFFFu : 0u);
}

// Greater where an element comes first; and back.
uvec2 key_of(uvec2 x)
{
    if (SIGNS)
        x.y ^= SIGN_BIT;
    return IS_LEAST ? ~x : x;
}

Total combine(Total a, Total b)
{
    if (IS_ORDER) {
        bool replaces = less64(a.value, b.value, false) || (a.value == b.value && b.mark < a.mark);
        return a_total(replaces ? b.value : a.value, replaces ? b.mark : a.mark);
    }
    return a_total(FUNCTION == MULTIPLY ? multiply64(a.value, b.value) : add64(a.value, b.value), 0u);
}

void take(inout Total t, uvec2 x, uint index)
{
    if (IS_ORDER)
        x = key_of(x);
    if (FUNCTION == L1)
        x = SIGNS && int(x.y) < 0 ? negate64(x) : x;
    if (FUNCTION == SUM_SQUARE)
        x = multiply64(x, x);
    t = combine(t, a_total(x, IS_ARG ? (TAKES_LAST ? ~index : index) : 0u));
}

uvec2 finish(Total t)
{
    if (IS_ARG)
        return uvec2(TAKES_LAST ? ~t.mark : t.mark, 0);
    if (!IS_ORDER)
        return t.value;
    uvec2 key = IS_LEAST ? ~t.value : t.value;
    return SIGNS ? uvec2(key.x, key.y ^ SIGN_BIT) : key;
}

#endif
