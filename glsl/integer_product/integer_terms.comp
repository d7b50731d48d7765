// Collects scales, zero points and biases of up to seven tensors as words, one tensor's behind another's: INT32 of
// integers, FLOAT32 of floats.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define HAS_EIGHT_BUFFERS
#include "binding.glsl"
#include "buffers.glsl"
#include "types.glsl"

layout(constant_id = 1) const uint TYPES = 0; // 4 bits each, 0: there is none

layout(std140, binding = 0) uniform IntegerTermsParameters {
    uint group_count;
    uint unit_count;
    uint target_first;
    uvec4 sources[7]; // the first word of the output, the first element, the stride
} parameters;

BUFFER_OF_WORDS(1, writeonly, Terms, terms);
BUFFER_OF_WORDS(2, readonly, Source0, source0);
BUFFER_OF_WORDS(3, readonly, Source1, source1);
BUFFER_OF_WORDS(4, readonly, Source2, source2);
BUFFER_OF_WORDS(5, readonly, Source3, source3);
BUFFER_OF_WORDS(6, readonly, Source4, source4);
BUFFER_OF_WORDS(7, readonly, Source5, source5);
BUFFER_OF_WORDS(8, readonly, Source6, source6);

uint widened(uint type, uint word, uint element)
{
    if (type == UINT8)
        return bitfieldExtract(word, int(element % 4 * 8), 8);
    if (type == INT8)
        return uint(bitfieldExtract(int(word), int(element % 4 * 8), 8));
    return type == FLOAT16 ? widen_half(word >> (element % 2 * 16) & 0xFFFFu) : word;
}

// Tensors from the last to the first: a word is of the last one that begins at it or before, and nothing is read of any
// other, whose end lies before it.
#define TAKE(i, source, base)                                                                                          \
    if ((TYPES >> (4 * i) & 15u) != 0 && !is_taken) {                                                                  \
        const uint type = TYPES >> (4 * i) & 15u;                                                                      \
        is_taken = unit >= parameters.sources[i].x;                                                                    \
        if (is_taken) {                                                                                                \
            uint element = (base) * 8 / BITS_OF(type) + parameters.sources[i].y +                                      \
                           (unit - parameters.sources[i].x) * parameters.sources[i].z;                                 \
            term = widened(type, source.words[element / (32 / BITS_OF(type))], element);                               \
        }                                                                                                              \
    }

void main()
{
    uint group = group_index();
    uint unit = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (group >= parameters.group_count || unit >= parameters.unit_count)
        return;
    uint term = 0;
    bool is_taken = false;
    TAKE(6, source6, push.more_base_bytes.w)
    TAKE(5, source5, push.more_base_bytes.z)
    TAKE(4, source4, push.more_base_bytes.y)
    TAKE(3, source3, push.more_base_bytes.x)
    TAKE(2, source2, push.base_bytes.w)
    TAKE(1, source1, push.base_bytes.z)
    TAKE(0, source0, push.base_bytes.y)
    terms.words[parameters.target_first + push.base_bytes.x / 4 + unit] = term;
}
