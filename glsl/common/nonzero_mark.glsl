// First pass of NONZERO_COORDINATES: marks the nonzero elements of each chunk and counts them.
#include "nonzero.glsl"

layout(constant_id = 1) const uint ELEMENT_BITS = 32; // 8, 16 or 32
layout(constant_id = 2) const uint RANK = 1;          // of the collapsed input, at least 1
const uint ELEMENTS_PER_WORD = 32 / ELEMENT_BITS;

layout(std430, binding = 1) readonly buffer Input {
    uint words[];
} source;

layout(std430, binding = 2) buffer Mask {
    uint words[];
} marks;

layout(std430, binding = 3) writeonly buffer Totals {
    uint words[];
} totals;

bool is_nonzero(uint index)
{
    uint distance = 0; // from the input's first element
    for (uint n = 0; n + 1 < RANK; ++n) {
        uint d = RANK - 1 - n;
        uint quotient = index / parameters.sizes[d >> 2][d & 3];
        distance += (index - quotient * parameters.sizes[d >> 2][d & 3]) * parameters.strides[d >> 2][d & 3];
        index = quotient;
    }
    distance += index * parameters.strides[0].x;
    uint offset = distance - parameters.input_first; // wraps for what lies before the window
    if (offset >= parameters.input_count)
        return false; // another dispatch's
    uint word = source.words[(push.base_bytes.x >> 2) + offset / ELEMENTS_PER_WORD];
    return ((word >> (offset % ELEMENTS_PER_WORD) * ELEMENT_BITS) & parameters.significant_bits) != 0;
}

void main()
{
    begin_workgroup();
    uint chunk = parameters.chunk_first + gl_WorkGroupID.x;
    uint chunk_begin = chunk * parameters.chunk_words;
    uint chunk_end = min(chunk_begin + parameters.chunk_words, parameters.mask_words);
    uint count = 0;
    for (uint w = chunk_begin + lane; w < chunk_end; w += gl_WorkGroupSize.x) {
        uint place = (push.base_bytes.y >> 2) + mask_place(w);
        uint mask = parameters.first_pass != 0 ? 0 : marks.words[place];
        uint elements = min(parameters.element_count - w * 32, 32);
        for (uint bit = 0; bit < elements; ++bit) {
            if (is_nonzero(w * 32 + bit))
                mask |= 1u << bit;
        }
        marks.words[place] = mask;
        count += bitCount(mask);
    }
    uint before;
    uint total = workgroup_sum(count, before);
    if (lane == 0)
        totals.words[(push.base_bytes.z >> 2) + chunk] = total;
}
