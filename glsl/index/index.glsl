// The frame of the kernels whose elements lie where a tensor of indices says. Each element of the output comes from the
// place in the input that its own coordinates and some indices make: columns, of which each has an index for the
// element, and a dimension of the input that the index is a coordinate of. What no element of the input belongs to is
// 0, or the rest's.
#ifndef VKDML_INDEX_GLSL
#define VKDML_INDEX_GLSL

#extension GL_EXT_control_flow_attributes : require

#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "words.glsl"

// With conditions rather than && and ||, which glslang 12 turns into branches.
#define EITHER(a, b) ((a) ? true : (b))
#define BOTH(a, b)   ((a) ? (b) : false)

layout(constant_id = 1) const uint ELEMENT_BITS = 32; // 8, 16, 32 or 64
layout(constant_id = 2) const uint RANK = 7;          // outer dimensions
layout(constant_id = 3) const uint RUN_RANK = 7;      // of them, those outside a run: rows side by side in the output
layout(constant_id = 4) const bool DENSE = true;      // an item is 16 aligned bytes of the output, else an element
// The elements of a row.
// In C: enum vkdml_index_row, VKDML_INDEX_ROW_...
const uint ALIGNED = 0;  // share their indices and lie side by side in the input, from a multiple of 16 bytes on
const uint TOGETHER = 1; // from anywhere on
const uint SHARED = 2;   // share their indices, and lie at any distance from one another
const uint EACH = 3;     // have indices of their own
const uint VECTORS = 4;  // .. which are whole 16 bytes of indices for each item
// ONE_HOT of 8 bits: go along the column's dimension, an item or more of them, and share their index
const uint ALONG = 5;
layout(constant_id = 5) const uint ROW = TOGETHER;
// What an index stands for.
// In C: enum vkdml_index_mode, VKDML_INDEX_...
const uint GATHER = 0;  // a coordinate of the column's dimension, a negative one counted from its end
const uint REVERSE = 1; // how many first elements along the column's dimension are in reverse order
// a coordinate as in GATHER: where it is the element's own the second value is taken, else the first
const uint ONE_HOT = 2;
const uint SCATTER = 3; // one more than the number that the columns' coordinates make in row-major order; 0: the rest's
const uint MARK = 4;    // of index_mark: a coordinate as in GATHER, of the output, here called the input
const uint UPDATE = 5;  // of index_lines: MARK and SCATTER in one
layout(constant_id = 6) const uint MODE = GATHER;
// The indices: bit 0 64 bits wide, bit 1 signed.
layout(constant_id = 7) const uint INDEX_TYPE = 0;
// In C: VKDML_INDEX_...
const bool IS_LONG = (INDEX_TYPE & 1u) != 0;
const bool IS_SIGNED = (INDEX_TYPE & 2u) != 0;
const uint INDEX_WORDS = IS_LONG ? 2 : 1;
layout(constant_id = 8) const uint COLUMNS = 1;
layout(constant_id = 9) const uint FLAGS = 0;
// In C: VKDML_INDEX_...
const bool HAS_WINDOWS = (FLAGS & 1u) != 0; // the input is bound in part: elements elsewhere are another dispatch's
const bool IS_SERIAL = (FLAGS & 2u) != 0;
// index_mark: an invocation walks whole rows, and no two rows lead to one element
const bool OWNS_ROWS = (FLAGS & 4u) != 0;
const bool HAS_STRIPS = (FLAGS & 8u) != 0; // items are walked by strips: see place.glsl
const bool IS_BUNDLED = (FLAGS & 16u) != 0; // index_lines: lines have their indices in common

const uint ELEMENT_BYTES = ELEMENT_BITS / 8;
const uint ELEMENT_MASK = ELEMENT_BITS < 32 ? (1u << (ELEMENT_BITS & 31u)) - 1u : 0xFFFFFFFFu;
const uint ELEMENTS_PER_WORD = ELEMENT_BITS < 32 ? 32 / ELEMENT_BITS : 1;
const uint WORDS_PER_ELEMENT = ELEMENT_BITS == 64 ? 2 : 1;
const uint ITEM = DENSE ? 16 / ELEMENT_BYTES : 1; // elements

// Strides and sizes are in elements.
layout(std140, binding = 0) uniform IndexParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;
    uint items_per_run;
    uint run_length;
    uint row_length;
    uint share; // items of an invocation, for CPUs
    uint column_index_stride; // between the indices of an element
    uint input_count;         // HAS_WINDOWS: elements that are bound
    uvec2 items_divisor;      // for divide(): items_per_run, row_length
    uvec2 row_divisor;
    uint writes_rest; // HAS_WINDOWS: whether this dispatch writes what no element of the input belongs to
    uint strip_shift; // HAS_STRIPS: of the items that a strip is wide, and for divide() the strips side by side
    uvec2 strips_divisor;
    // The four below are of the input, the indices, the rest or the coordinate that MODE asks for, and the output.
    // Places of the first element in what is bound, modulo 2^32, and its coordinate:
    uvec4 firsts;
    uvec4 row_strides;
    uvec4 column_sizes[2];
    uvec4 column_strides[2]; // of the input
    // of the outer dimensions, outermost first: a size, and for divide() its multiplier and shifts
    uvec4 sizes[8];
    uvec4 strides[8];
} parameters;

BUFFER_OF_WORDS(3, readonly, Indices, indices);
BUFFER_OF_VECTORS(3, readonly, IndexVectors, index_vectors);
BUFFER_OF_WORDS(4, readonly, Rest, rest);
BUFFER_OF_VECTORS(4, readonly, RestVectors, rest_vectors);

// ---- indices ----
// What is asked of each element of an item chooses by mix(), or between names and constants: of anything else glslang
// 12 makes branches, and of many, one after the other, SwiftShader's compiler (Subzero) never comes to an end.

// Not a coordinate.
const uint NONE = 0xFFFFFFFFu;

uint column_size(uint column)
{
    return parameters.column_sizes[column >> 2][column & 3];
}

uint column_stride(uint column)
{
    return parameters.column_strides[column >> 2][column & 3];
}

// One of 32 bits as one of 64.
uvec2 widen(uint index)
{
    return uvec2(index, IS_SIGNED ? uint(int(index) >> 31) : 0);
}

uvec2 load_index(uint place)
{
    uint word = (push.base_bytes.z >> 2) + place * INDEX_WORDS;
    if (IS_LONG)
        return uvec2(indices.words[word], indices.words[word + 1]);
    return widen(indices.words[word]);
}

// The coordinate that an index names in a dimension, or NONE. A negative index that leads before the first is no less
// than the size when the size is added modulo 2^32.
uint coordinate_of(uvec2 index, uint size)
{
    bool negative = int(index.y) < 0;
    negative = negative && IS_SIGNED;
    uint coordinate = mix(index.x, index.x + size, negative);
    uint high = negative ? 0xFFFFFFFFu : 0;
    bool fits = index.y == high;
    bool inside = coordinate < size;
    return fits && inside ? coordinate : NONE;
}

// Where coordinate c lies when the first `index` elements of a dimension are in reverse order.
uint reversed(uvec2 index, uint size, uint c)
{
    uint count = mix(min(index.x, size), size, index.y != 0);
    return mix(c, count - 1 - c, c < count);
}

// Where the columns' coordinates lead that make a number in row-major order.
uint place_of_number(uint number)
{
    uint place = 0;
    [[unroll]] for (uint n = 1; n < COLUMNS; ++n) {
        uint k = COLUMNS - n;
        uint quotient = number / column_size(k);
        place += (number - quotient * column_size(k)) * column_stride(k);
        number = quotient;
    }
    return place + number * column_stride(0);
}

// ---- elements ----

// Where an element comes from.
const uint HERE = 0;      // a place in the input
const uint NOWHERE = 1;   // the rest, or it is 0
const uint ELSEWHERE = 2; // another dispatch sees to it

struct Source {
    uint place; // in what is bound of the input
    uint state;
};

// Of the element whose own coordinates make these places, as `firsts` are; `index` is its first.
Source source_of(uvec4 places, uvec2 index)
{
    uint place = places.x;
    bool found = true;
    if (MODE == REVERSE) {
        place += reversed(index, column_size(0), places.z) * column_stride(0);
    } else if (MODE == SCATTER) {
        found = index.x != 0;
        place += place_of_number(index.x - 1);
    } else {
        [[unroll]] for (uint k = 0; k < COLUMNS; ++k) {
            if (k != 0)
                index = load_index(places.y + k * parameters.column_index_stride);
            uint coordinate = coordinate_of(index, column_size(k));
            bool is_one = coordinate != NONE;
            found = found && is_one;
            place += coordinate * column_stride(k);
        }
    }
    uint state = found ? HERE : NOWHERE;
    if (HAS_WINDOWS) {
        uint within = place < parameters.input_count ? HERE : ELSEWHERE;
        uint without = parameters.writes_rest != 0 ? NOWHERE : ELSEWHERE;
        state = found ? within : without;
    }
    return Source(place, state);
}

const bool IS_ALIGNED = ROW == ALIGNED;
const bool LOOKS_FOR_VECTORS = IS_SERIAL ? false : true; // CPUs would load both ways

#define LOAD_ELEMENT load_element
#define LOAD_VECTOR load_vector
#define TENSOR source
#define TENSOR_VECTORS source_vectors
#define BASE_BYTES push.base_bytes.x
#include "tensor.glsl"

#define LOAD_ELEMENT load_rest_element
#define LOAD_VECTOR load_rest_vector
#define TENSOR rest
#define TENSOR_VECTORS rest_vectors
#define BASE_BYTES push.base_bytes.w
#include "tensor.glsl"

// Of ONE_HOT: loaded once.
uvec2 off_value;
uvec2 on_value;

void load_values()
{
    off_value = load_element(parameters.firsts.x);
    on_value = load_element(parameters.firsts.x + column_stride(0));
}

// The bits of an element of the output, given its first index. Without a branch, so that many loads are on their way:
// what is bound begins with an element.
uvec2 element_of(uvec4 places, uvec2 index, out uint state)
{
    if (MODE == ONE_HOT) {
        state = HERE;
        return coordinate_of(index, column_size(0)) == places.z ? on_value : off_value;
    }
    Source source = source_of(places, index);
    state = source.state;
    uvec2 bits = load_element(state == HERE ? source.place : 0);
    uvec2 other = uvec2(0);
    if (MODE == SCATTER)
        other = load_rest_element(places.z);
    return state == HERE ? bits : other;
}

// Puts an element into its place among the 16 bytes.
void insert(inout uvec4 bits, uint k, uvec2 element)
{
    if (ELEMENT_BITS == 64) {
        bits[k * 2] = element.x;
        bits[k * 2 + 1] = element.y;
    } else {
        uint word = k / ELEMENTS_PER_WORD;
        bits[word] |= element.x << (k % ELEMENTS_PER_WORD) * ELEMENT_BITS;
    }
}

#endif
