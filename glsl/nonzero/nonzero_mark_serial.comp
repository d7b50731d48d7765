// The first pass of NONZERO_COORDINATES where invocations of a workgroup run one after the other: each has a chunk of
// its own, and needs no other.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "nonzero_input.glsl"

void main()
{
    uint chunk = parameters.chunk_first + group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (chunk >= parameters.chunk_end)
        return;
    uint word = chunk * parameters.chunk_words;
    uint chunk_end = min(word + parameters.chunk_words, parameters.mask_words);
    uint count = 0;
    if (DENSE) {
        uint whole_end = min(chunk_end, parameters.element_count / 32);
        for (; word < whole_end; ++word) {
            uint mask = 0;
            [[unroll]] for (uint i = 0; i < GROUPS_PER_WORD; ++i)
                mask |= vector_marks(load_group(word * 32 + i * GROUP)) << i * GROUP;
            marks.words[(push.base_bytes.y >> 2) + mask_place(word)] = mask;
            count += bitCount(mask);
        }
    }
    for (; word < chunk_end; ++word) {
        uint at = (push.base_bytes.y >> 2) + mask_place(word);
        uint mask = parameters.first_pass != 0 ? 0 : marks.words[at];
        for (uint i = 0; i < GROUPS_PER_WORD; ++i) {
            uint element = word * 32 + i * GROUP;
            if (element < parameters.element_count)
                mask |= group_marks(element) << i * GROUP;
        }
        marks.words[at] = mask;
        count += bitCount(mask);
    }
    totals.words[(push.base_bytes.z >> 2) + chunk] = count;
}
