// Lays bytes out as integer products take them: lines along which sums go are whole words of four bytes, where they are
// long whole vectors of 16, one line behind another. Bytes are signed: of unsigned ones 128 is taken off. What a line
// has beyond its elements is 0; where a line lies in padding its elements are the zero point.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"

layout(constant_id = 2) const uint SHAPE = 0;
// In C: VKDML_INTEGER_PACK_...
const bool IS_UNSIGNED = (SHAPE & 1u) != 0;
const bool BY_VECTORS = (SHAPE & 2u) != 0;    // lines are whole vectors of 16 bytes, of which an invocation makes one
const bool FROM_VECTORS = (SHAPE & 4u) != 0;  // .. that lie so in the source, too
const bool ALONG_LINES = (SHAPE & 8u) != 0;   // neighbours have neighbouring lines, else neighbouring parts of a line
const bool HAS_PADDING = (SHAPE & 16u) != 0;
const bool HAS_ZERO_POINT = (SHAPE & 32u) != 0;
const uint RANK_SHIFT = 8;
const uint RANK = SHAPE >> RANK_SHIFT; // of the dimensions of lines, at most four

// In bytes of the source, and words of the output.
layout(std140, binding = 0) uniform IntegerPackParameters {
    uint group_count;
    uint unit_count;
    uint line_count;
    uint part_count;      // vectors, or words, of a line
    uint part_multiplier; // what divides by it, or by the lines
    uint part_shifts;
    uint first_part;      // of a line's, where they are some of them
    uint count;           // elements of a line
    uint step;            // between them
    uint first;           // from the bound range's start, modulo 2^32, as if no line began before it
    uint target_first;
    uint target_step;     // from line to line
    uint zero_point;      // where it lies
    uvec4 sizes[4];       // of dimensions of lines, innermost first: size, multiplier, shifts, stride
    uvec4 places[4];      // ..: start, and how many coordinates behind it are none of padding
} parameters;

BUFFER_OF_WORDS(1, readonly, Source, source);
BUFFER_OF_VECTORS(1, readonly, SourceVectors, source_vectors);
BUFFER_OF_WORDS(2, writeonly, Packed, packed_words);
BUFFER_OF_VECTORS(2, writeonly, PackedVectors, packed_vectors);
BUFFER_OF_WORDS(3, readonly, ZeroPoint, zero_point);

const uint SIGN_BITS = IS_UNSIGNED ? 0x80808080u : 0;

#define LINE_DIMENSION(d)                                                                                              \
    if (RANK > d) {                                                                                                    \
        TAKE_COORDINATE(coordinate, rest, RANK == d + 1, parameters.sizes[d].x, parameters.sizes[d].y,                 \
                        parameters.sizes[d].z)                                                                         \
        if (HAS_PADDING) {                                                                                             \
            coordinate -= parameters.places[d].x;                                                                      \
            is_padding = is_padding || coordinate >= parameters.places[d].y;                                           \
        }                                                                                                              \
        element += coordinate * parameters.sizes[d].w;                                                                 \
    }

// Where a line begins in the source.
uint find_line(uint line, out bool is_padding)
{
    uint element = parameters.first + push.base_bytes[0];
    uint rest = line;
    is_padding = false;
    LINE_DIMENSION(0)
    LINE_DIMENSION(1)
    LINE_DIMENSION(2)
    LINE_DIMENSION(3)
    return element;
}

uint byte_at(uint element)
{
    return source.words[element / 4] >> (element % 4 * 8) & 0xFFu;
}

// The bits of a word's bytes that are elements.
uint used_bits(uint k)
{
    uint left = parameters.count - min(k, parameters.count);
    return left >= 4 ? 0xFFFFFFFFu : (1u << (left * 8)) - 1;
}

uint word_at(uint first, uint k, bool is_padding)
{
    uint used = used_bits(k);
    uint word = 0;
    if (is_padding) {
        if (HAS_ZERO_POINT) {
            uint at = parameters.zero_point + push.base_bytes[2];
            word = (zero_point.words[at / 4] >> (at % 4 * 8) & 0xFFu) * 0x01010101u;
        }
    } else {
        uvec4 elements = first + min(k + uvec4(0, 1, 2, 3), uvec4(parameters.count - 1)) * parameters.step;
        word = byte_at(elements.x) | byte_at(elements.y) << 8 | byte_at(elements.z) << 16 | byte_at(elements.w) << 24;
    }
    return (word ^ SIGN_BITS) & used;
}

void main()
{
    uint group = group_index();
    uint unit = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (group >= parameters.group_count || unit >= parameters.unit_count)
        return;
    uint outer = divide(unit, parameters.part_multiplier, parameters.part_shifts);
    uint inner = unit - outer * (ALONG_LINES ? parameters.line_count : parameters.part_count);
    uint line = ALONG_LINES ? inner : outer;
    uint part = parameters.first_part + (ALONG_LINES ? outer : inner);
    bool is_padding;
    uint first = find_line(line, is_padding);
    uint target = parameters.target_first + push.base_bytes[1] / 4 + line * parameters.target_step;
    if (!BY_VECTORS) {
        packed_words.words[target + part] = word_at(first, part * 4, is_padding);
    } else if (FROM_VECTORS) {
        packed_vectors.vectors[target / 4 + part] = source_vectors.vectors[first / 16 + part] ^ SIGN_BITS;
    } else {
        uint k = part * 16;
        packed_vectors.vectors[target / 4 + part] =
            uvec4(word_at(first, k, is_padding), word_at(first, k + 4, is_padding), word_at(first, k + 8, is_padding),
                  word_at(first, k + 12, is_padding));
    }
}
