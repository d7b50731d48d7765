// The frame of kernels that compute each output element from several input elements near its place. An item is V
// elements of the innermost dimension that lie side by side in the target, from a multiple of V on, or one element. In
// a dimension that is walked coordinate c takes the steps t below `taps` for which c + start - t * tap_step is a
// coordinate q below source_size times source_step: the element at q * source_stride + t * tap_stride. In pools it
// takes those for which c * source_step + t * tap_step - start is a coordinate q. A kernel includes this, epilogue.glsl
// if it defines HAS_EPILOGUES, and target.glsl.
#ifndef VKDML_WINDOW_GLSL
#define VKDML_WINDOW_GLSL

#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

#ifndef VECTORS_PER_WALK
#define VECTORS_PER_WALK 2
#endif

#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "types.glsl"

// of the source, of the element at the output's own place, of the target; 4 bits each
layout(constant_id = 1) const uint TYPES = 0x111;
const uint TYPE = TYPES & 15u;
const uint TYPE_OWN = TYPES >> 4 & 15u;
const uint TYPE_OUT = TYPES >> 8 & 15u;
const uint BITS = BITS_OF(TYPE);
const uint BITS_OWN = BITS_OF(TYPE_OWN);
const uint BITS_OUT = BITS_OF(TYPE_OUT);
const bool FLOATS = IS_FLOAT(TYPE);

layout(constant_id = 2) const uint OPERATION = 0;
// In C: VKDML_NEIGHBOURS_...
const bool SQUARES = (OPERATION & 1u) != 0;     // of elements are summed
const bool IS_LONG = (OPERATION & 2u) != 0;     // sums go by blocks
const bool ACCUMULATES = (OPERATION & 4u) != 0; // onto what the target has
// a dimension's first steps are another dispatch's: positions may be negative
const bool IS_CUT = (OPERATION & 8u) != 0;
const bool SOURCE_IS_ALIGNED = (OPERATION & 16u) != 0; // items of it begin at multiples of their size
const bool OWN_IS_ALIGNED = (OPERATION & 32u) != 0;
const bool OWN_IS_SIDE_BY_SIDE = (OPERATION & 64u) != 0;
// items begin anywhere in the target: a ring's neighbours begin differently
const bool IS_LOOSE = (OPERATION & 128u) != 0;
const bool ITEMS_ARE_WHOLE = (OPERATION & 256u) != 0; // rows begin and end with items
const bool IS_STEADY = (OPERATION & 512u) != 0; // divisors are NaN, or normal and above 0, or infinite
#ifdef POOLS
// In C: VKDML_POOL_...
const bool IS_REST = (OPERATION & 0x100000u) != 0; // the source is sums, which lie as places do
const uint OWN_BUFFER = IS_REST ? 0 : 2;
#else
// In C: VKDML_NEIGHBOURS_...
const uint FINISH_SHIFT = 12;
const uint FINISH = OPERATION >> FINISH_SHIFT;
const uint OWN_BUFFER = 2;
#endif

layout(constant_id = 3) const uint RANK = 8;
layout(constant_id = 4) const uint WALK_OF = 0xFFFFFFFFu; // of each dimension the walk, 4 bits; 15: it is not walked
layout(constant_id = 5) const uint OUTER_WALKS = 6;       // the first of them, which are not the ring's or the items'
layout(constant_id = 6) const uint V = 4;                 // 1, or 4 or 8 elements of whole words
layout(constant_id = 7) const uint MODE = 0;              // how an item's elements find theirs:
// In C: enum vkdml_neighbours_mode, VKDML_NEIGHBOURS_MODE_...
const uint SINGLE = 0; // one by one
const uint SIDE = 1;   // side by side; the innermost dimension is not walked
const uint SLIDE = 2;  // each from the next place on along the same elements
const uint TAPS = 3;   // side by side for each step
const uint DOUBLED = 4; // interpolated, from half as many
const uint HALVED = 5; // the same, from twice as many
// steps of a dimension whose elements stay in registers, 2 to 9, and the dimension, 8 bits more
layout(constant_id = 8) const uint RING = 0;
// of SLIDE by whole items: the steps, 2 to 9, and where the first leads, 4 bits more
layout(constant_id = 9) const uint SLIDING = 0;

const uint PER_WORD = 32 / (BITS < 32 ? BITS : 32);
const uint OWN_PER_WORD = 32 / (BITS_OWN < 32 ? BITS_OWN : 32);
const uint OUT_PER_WORD = 32 / (BITS_OUT < 32 ? BITS_OUT : 32);

// Strides are in elements.
layout(std140, binding = 0) uniform NeighboursParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;
    uint items_per_row;
    uint row_length;
    uvec2 row_divisor; // for divide(): items_per_row
    uint share;        // items of an invocation; of a ring, elements along it
    uint ring_length;
    uint source_first; // from the bound range's start, modulo 2^32
    uint own_first;
    uint target_first;
    uint place_first;  // of pools: the place of the source's first element
    uvec4 arguments;
    // outermost first: a size (of a ring how many shares), its multiplier and shifts, the source's stride
    uvec4 sizes[8];
    uvec4 own_strides[2];
    uvec4 target_strides[2];
    // Two of each: start, taps, tap_step, source_size; source_step, its multiplier and shifts, tap_stride. Three where
    // what they lead to is interpolated: places.glsl.
    uvec4 walks[12];
    uvec4 walk_strides[2];
#ifdef HAS_EPILOGUES
    uint operand_first; // see epilogue.glsl
    uint factor;
    uvec2 function_arguments;
    uvec4 operand_strides[2];
#endif
#ifdef POOLS
    uvec4 place_strides[2];
#endif
} parameters;

BUFFER_OF_WORDS(1, readonly, Source, source);
BUFFER_OF_VECTORS(1, readonly, SourceVectors, source_vectors);
BUFFER_OF_WORDS(2, , Target, destination);
BUFFER_OF_VECTORS(2, , TargetVectors, destination_vectors);

#ifdef POOLS
BUFFER_OF_WORDS(3, , Places, places);
BUFFER_OF_VECTORS(3, , PlaceVectors, place_vectors);
#else
BUFFER_OF_WORDS(3, readonly, Own, own_elements);
BUFFER_OF_VECTORS(3, readonly, OwnVectors, own_vectors);
#endif

#ifdef HAS_EPILOGUES
#define RESULT_TYPE (BITS_OUT == 16 ? FLOAT16 : FLOAT32)
#define OPERAND_FACTOR parameters.factor
#define FUNCTION_ARGUMENTS parameters.function_arguments
#endif

// The elements of an item, each expanded to 32 bits, of floats to FLOAT32: four, eight, or in x and y one.
struct Values {
    uvec4 a;
    uvec4 b;
};

const Values NOTHING = Values(uvec4(0), uvec4(0));

#define ELEMENT_TYPE TYPE
#define ELEMENT_BITS BITS
#define ELEMENTS_PER_WORD PER_WORD
#define IS_ALIGNED SOURCE_IS_ALIGNED
#define TENSOR source
#define TENSOR_VECTORS source_vectors
#define LOAD_ELEMENT source_element
#define LOAD_ITEM source_item
#include "item.glsl"

#ifdef HAS_OWN
#define ELEMENT_TYPE TYPE_OWN
#define ELEMENT_BITS BITS_OWN
#define ELEMENTS_PER_WORD OWN_PER_WORD
#define IS_ALIGNED OWN_IS_ALIGNED
#define TENSOR own_elements
#define TENSOR_VECTORS own_vectors
#define LOAD_ELEMENT own_element
#define LOAD_ITEM own_item
#include "item.glsl"
#endif

#endif
