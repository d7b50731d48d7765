// The frame of every kernel that computes each output element from the elements at its coordinates in some operands.
// Dimensions are ordered as the output lies; outer dimensions are all but the innermost, which is the row. A kernel
// defines OPERANDS, up to 3 or 5, includes this, and defines
//     bool compute_item()         computes the elements of an item from the packed operands into packed_out, unless
//                                 what is
//                                 fast does not serve some of them: then false
//     ELEMENT compute_element()   computes any element from element_a, .. as they lie in memory
// and includes map_main.glsl. Where all operands are there, and of the output's type, FLOAT32 or FLOAT16, it may define
// ALL_ARE_FLOATS, which leaves out what others need. It may also define HAS_TABLE and void fill_table(), which the
// workgroup calls first, or HAS_MORE_OUTPUTS and void store_more(uint element) and store_more_of_element(uint element),
// which store to outputs that lie like the first what compute_item() and compute_element() made beside its elements; or
// HAS_RECORDS, and operand c is of four numbers each.
#ifndef VKDML_MAP_GLSL
#define VKDML_MAP_GLSL

#extension GL_EXT_control_flow_attributes : require

#if OPERANDS > 3
#define HAS_EIGHT_BUFFERS
#endif
#define INSTRUCTIONS 8
#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "types.glsl"

// The data types of operands a, b, c and of the output, 4 bits each from the lowest on; of five those of d and e before
// the output's.
layout(constant_id = 1) const uint TYPES = 0x1111;
const uint TYPE_A = TYPES & 15u;
const uint TYPE_B = TYPES >> 4 & 15u;
const uint TYPE_C = TYPES >> 8 & 15u;
#if OPERANDS > 3
const uint TYPE_D = TYPES >> 12 & 15u;
const uint TYPE_E = TYPES >> 16 & 15u;
const uint TYPE_OUT = TYPES >> 20 & 15u;
#else
const uint TYPE_OUT = TYPES >> 12 & 15u;
#endif
const uint BITS_OUT = BITS_OF(TYPE_OUT);
const uint OUT_PER_WORD = 32 / (BITS_OUT < 32 ? BITS_OUT : 32);
const uint OUT_MASK = BITS_OUT < 32 ? (1u << (BITS_OUT & 31u)) - 1u : 0xFFFFFFFFu;

// How the rows of operands a, b, .. lie, 3 bits each from the lowest on, and whether every item of them begins at a
// multiple of its size, the bit above.
layout(constant_id = 2) const uint ROWS = 0;
// In C: enum vkdml_map_rows, VKDML_MAP_ROWS_...
const uint ABSENT = 0;   // there is no such operand
const uint DENSE = 1;    // elements side by side
const uint REPEATED = 2; // one element for all
const uint APART = 3;    // elements at any distance
const uint INDEX = 4;    // no tensor: an element is its distance, by the strides given
const uint ALIGNED = 8;

layout(constant_id = 3) const uint RANK = 7;     // outer dimensions
// of them, those outside a run: rows that lie side by side in the output
layout(constant_id = 4) const uint RUN_RANK = 7;
// Elements of an item, which is `ITEM` elements of the output that lie side by side, from a multiple of their size on;
// or 1, of rows with gaps.
layout(constant_id = 5) const uint ITEM = 4;
// per invocation, as many workgroup sizes apart; 0: side by side, for CPUs
layout(constant_id = 6) const uint ITEMS = 1;
// Not 0: each workgroup walks so many rows at once, along the last outer dimension, as an operand that lies across has
// them side by side. A run is a row then.
layout(constant_id = 7) const uint TILE_ROWS = 0;

const uint ITEM_BYTES = ITEM * BITS_OUT / 8;
const bool HAS_GAPS = ITEM == 1;
const bool IS_SERIAL = ITEMS == 0;

// Strides and sizes are in elements.
layout(std140, binding = 0) uniform MapParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;
    uint items_per_run;
    uint run_length;
    uint row_length;
    uint row_output_stride;
    uint output_first; // elements from the bound range's start to the window's first
    uint share;        // items of an invocation, for CPUs
    uvec2 items_divisor; // for divide(): items_per_run, row_length
    uvec2 row_divisor;
    uvec4 firsts;      // added, modulo 2^32, to the distance of an element of a, b, c from the operand's first
    uvec4 row_strides; // of a, b, c
    uvec4 arguments[3]; // the kernel's own
    uvec4 sizes[8];    // of the outer dimensions, outermost first: a size, and for divide() its multiplier and shifts
    uvec4 strides[8];  // .. of a, b, c and of the output
#if OPERANDS > 3
    uvec2 more_firsts; // the same of d and e
    uvec2 more_row_strides;
    uvec4 more_strides[7];
#endif
#ifdef HAS_PROGRAM
    uvec4 program[INSTRUCTIONS]; // an instruction's arguments
#endif
} parameters;

BUFFER_OF_WORDS(1, , Output, destination);
BUFFER_OF_VECTORS(1, , OutputVectors, destination_vectors);

#define PASTE_(left, right) left##right
#define PASTE(left, right) PASTE_(left, right)

#define NAME a
#define SLOT 0
#define TYPE TYPE_A
#include "operand.glsl"
#if OPERANDS > 1
#define NAME b
#define SLOT 1
#define TYPE TYPE_B
#include "operand.glsl"
#endif
#ifdef HAS_RECORDS
#include "record.glsl"
#elif OPERANDS > 2
#define NAME c
#define SLOT 2
#define TYPE TYPE_C
#include "operand.glsl"
#endif
#if OPERANDS > 3
#define NAME d
#define SLOT 3
#define TYPE TYPE_D
#include "operand.glsl"
#define NAME e
#define SLOT 4
#define TYPE TYPE_E
#include "operand.glsl"
#endif

uvec4 packed_out[2];
bool is_in_one_row; // the item whose elements are packed

#endif
