// First pass of NONZERO_COORDINATES: marks the nonzero elements of each chunk and counts them.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "nonzero.glsl"

layout(constant_id = 1) const uint ELEMENT_BITS = 32; // 8, 16 or 32
layout(constant_id = 2) const uint RANK = 1;          // of the collapsed input, at least 1
const uint ELEMENTS_PER_WORD = 32 / ELEMENT_BITS;
const uint ELEMENT_MASK = 0xFFFFFFFFu >> (32 - ELEMENT_BITS);

layout(std430, binding = 1) readonly buffer Input {
    uint words[];
} source;

layout(std430, binding = 2) writeonly buffer Temporary {
    uint words[];
} temporary;

bool is_nonzero(uint index)
{
    uint offset = 0;
    for (uint n = 0; n + 1 < RANK; ++n) {
        uint d = RANK - 1 - n;
        uint quotient = index / parameters.sizes[d >> 2][d & 3];
        offset += (index - quotient * parameters.sizes[d >> 2][d & 3]) * parameters.strides[d >> 2][d & 3];
        index = quotient;
    }
    offset += index * parameters.strides[0].x;
    uint word = source.words[(push.base_bytes.x >> 2) + offset / ELEMENTS_PER_WORD];
    return ((word >> (offset % ELEMENTS_PER_WORD) * ELEMENT_BITS) & parameters.significant_bits) != 0;
}

void main()
{
    uint chunk = gl_WorkGroupID.x;
    uint chunk_begin = chunk * parameters.chunk_words;
    uint chunk_end = min(chunk_begin + parameters.chunk_words, parameters.mask_words);
    uint count = 0;
    for (uint w = chunk_begin + gl_LocalInvocationIndex; w < chunk_end; w += gl_WorkGroupSize.x) {
        uint mask = 0;
        uint elements = min(parameters.element_count - w * 32, 32);
        for (uint bit = 0; bit < elements; ++bit) {
            if (is_nonzero(w * 32 + bit))
                mask |= 1u << bit;
        }
        temporary.words[(push.base_bytes.y >> 2) + w] = mask;
        count += bitCount(mask);
    }
    uint before;
    uint total = workgroup_sum(count, before);
    if (gl_LocalInvocationIndex == 0)
        temporary.words[(push.base_bytes.y >> 2) + parameters.mask_words + chunk] = total;
}
