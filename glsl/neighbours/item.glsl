// How elements of a tensor are loaded: included once for each.

uvec2 LOAD_ELEMENT(uint element)
{
    if (ELEMENT_BITS == 64)
        return uvec2(TENSOR.words[element * 2], TENSOR.words[element * 2 + 1]);
    uint word = TENSOR.words[element / ELEMENTS_PER_WORD];
    if (ELEMENT_BITS == 32)
        return uvec2(word, 0);
    uint bits = word >> (element % ELEMENTS_PER_WORD * ELEMENT_BITS) & ((1u << (ELEMENT_BITS & 31u)) - 1u);
    return uvec2(ELEMENT_TYPE == FLOAT16 ? widen_halves(bits).x : bits, 0);
}

// V elements from `element` on, of more than one.
Values LOAD_ITEM(uint element)
{
    const uint WORDS = V * ELEMENT_BITS / 32;
    uint index = element / ELEMENTS_PER_WORD;
    Values values = NOTHING;
    if (WORDS < 4) {
        values.a.x = TENSOR.words[index];
        if (WORDS == 2)
            values.a.y = TENSOR.words[index + 1];
    } else if (IS_ALIGNED) {
        values.a = TENSOR_VECTORS.vectors[index / 4];
        if (WORDS == 8)
            values.b = TENSOR_VECTORS.vectors[index / 4 + 1];
    } else {
        values.a =
            uvec4(TENSOR.words[index], TENSOR.words[index + 1], TENSOR.words[index + 2], TENSOR.words[index + 3]);
        if (WORDS == 8)
            values.b = uvec4(TENSOR.words[index + 4], TENSOR.words[index + 5], TENSOR.words[index + 6],
                             TENSOR.words[index + 7]);
    }
    if (ELEMENT_BITS == 32)
        return values;
    uint shift = element % ELEMENTS_PER_WORD * ELEMENT_BITS;
    if (!IS_ALIGNED) {
        if (shift != 0) {
            uint next = TENSOR.words[index + WORDS];
            uvec4 behind = WORDS == 1   ? uvec4(next, 0, 0, 0)
                           : WORDS == 2 ? uvec4(values.a.y, next, 0, 0)
                                        : uvec4(values.a.yzw, next);
            values.a = values.a >> shift | behind << (32 - shift);
        }
    }
    uvec4 words = values.a;
    if (ELEMENT_BITS == 8) {
        values.a = uvec4(words.x, words.x >> 8, words.x >> 16, words.x >> 24) & 0xFF;
    } else if (ELEMENT_TYPE == FLOAT16) {
        values.a = uvec4(widen_halves(words.x), widen_halves(words.y));
        if (V > 4)
            values.b = uvec4(widen_halves(words.z), widen_halves(words.w));
    } else {
        values.a = uvec4(words.x & 0xFFFF, words.x >> 16, words.y & 0xFFFF, words.y >> 16);
        if (V > 4)
            values.b = uvec4(words.z & 0xFFFF, words.z >> 16, words.w & 0xFFFF, words.w >> 16);
    }
    return values;
}

#undef ELEMENT_TYPE
#undef ELEMENT_BITS
#undef ELEMENTS_PER_WORD
#undef IS_ALIGNED
#undef TENSOR
#undef TENSOR_VECTORS
#undef LOAD_ELEMENT
#undef LOAD_ITEM
