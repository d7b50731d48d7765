// How elements of a tensor are loaded: included once for each, with the functions' names, the buffer's and BASE_BYTES.

// The bits of an element.
uvec2 LOAD_ELEMENT(uint place)
{
    uint base = BASE_BYTES >> 2;
    if (ELEMENT_BITS == 64)
        return uvec2(TENSOR.words[base + place * 2], TENSOR.words[base + place * 2 + 1]);
    uint word = TENSOR.words[base + place / ELEMENTS_PER_WORD];
    return uvec2((word >> (place % ELEMENTS_PER_WORD) * ELEMENT_BITS) & ELEMENT_MASK, 0);
}

// 16 bytes from an element on.
uvec4 LOAD_VECTOR(uint place)
{
    uint byte = BASE_BYTES + place * ELEMENT_BYTES;
    if (IS_ALIGNED)
        return TENSOR_VECTORS.vectors[byte >> 4];
    if (LOOKS_FOR_VECTORS && (byte & 15) == 0)
        return TENSOR_VECTORS.vectors[byte >> 4];
    uint word = byte >> 2;
    uvec4 bits = uvec4(TENSOR.words[word], TENSOR.words[word + 1], TENSOR.words[word + 2], TENSOR.words[word + 3]);
    uint shift = (byte & 3) * 8;
    if (shift != 0)
        bits = (bits >> shift) | (uvec4(bits.yzw, TENSOR.words[word + 4]) << (32 - shift));
    return bits;
}

#undef LOAD_ELEMENT
#undef LOAD_VECTOR
#undef TENSOR
#undef TENSOR_VECTORS
#undef BASE_BYTES
