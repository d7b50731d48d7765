// The frame of kernels that replace each element of a line, all elements along an axis, by a tally of those up to it.
// An item is WIDTH elements that lie side by side: along the line, or across, one of each of as many neighbouring lines
// (ACROSS). LANES invocations walk a line together, HELD items each at a time, which they keep in registers, and
// exchange what they add up to. Of a line cut into shares one dispatch leaves each share's total among the entries, and
// another begins with the entries before its own. A kernel defines VALUE, TALLY_WORDS and MOST_TALLIES, includes this,
// defines
//     Tally no_tally()                         of no elements
//     Tally combine(Tally a, Tally b)
//     void add_item(uvec4 bits)                adds WIDTH elements to tallies
//     uvec4 put_item(uvec4 bits)               the same, and what becomes of them
// and includes scan_main.glsl.
#ifndef VKDML_SCAN_GLSL
#define VKDML_SCAN_GLSL

#extension GL_EXT_control_flow_attributes : require

#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "types.glsl"

layout(constant_id = 1) const uint TYPE = 1;
layout(constant_id = 2) const bool MULTIPLIES = false; // else adds
layout(constant_id = 3) const uint SHAPE = 0;
// In C: VKDML_SCAN_...
const bool ACROSS = (SHAPE & 1u) != 0;
const bool IS_BACKWARD = (SHAPE & 2u) != 0;  // an item's elements, of a line, lie in falling order
const bool IS_EXCLUSIVE = (SHAPE & 4u) != 0; // an element's own value does not count
const bool TO_ENTRIES = (SHAPE & 8u) != 0;   // the output is entries: shares' totals
const bool HAS_ENTRIES = (SHAPE & 16u) != 0; // something comes before a share
const bool KEEPS_LAST = (SHAPE & 32u) != 0;  // the last share leaves an entry for what comes behind
// whatever an invocation holds is whole items: there is nothing to look at, which on processors costs as much as what
// it avoids
const bool IS_EVEN = (SHAPE & 64u) != 0;

layout(constant_id = 4) const uint LANES = 1; // invocations of a line; a power of two
layout(constant_id = 5) const uint WIDTH = 1; // 1, or elements that are 16 aligned bytes, ACROSS also a whole word
layout(constant_id = 6) const uint HELD = 1;  // 1, 2 or 4
layout(constant_id = 7) const uint KEPT_RANK = 7;

const uint BITS = BITS_OF(TYPE);
const bool FLOATS = IS_FLOAT(TYPE);
const uint PER_WORD = 32 / (BITS < 32 ? BITS : 32);
const uint TALLIES = ACROSS ? WIDTH : 1;
const bool IS_FLOAT_SUM = BOTH(FLOATS, !MULTIPLIES);
const bool HAS_MARKS = BOTH(FLOATS, MULTIPLIES);

// What an invocation adds up alone it adds up in blocks of so many turns, and those: errors grow with the number of
// either.
const bool IS_BLOCKED = BOTH(IS_FLOAT_SUM, EITHER(LANES == 1, TO_ENTRIES));
const uint BLOCK = EITHER(ACROSS, WIDTH == 1) ? 64 : 16;
const uint ENTRY_BLOCK = 64;

// Strides are in elements, modulo 2^32.
layout(std140, binding = 0) uniform ScanParameters {
    uint group_count;   // workgroups with work; the grid may hold more
    uint unit_count;    // of TALLIES lines
    uint unit_groups;   // workgroups that walk the same share; of LANES 1 invocations
    uint share_count;
    uint share;         // items
    uint item_count;    // of a line
    uint length_;       // of a line, in elements
    uint line_count;
    uint source_stride; // along the line
    uint target_stride;
    uint source_first;  // the first line's first element, from the bound range's start
    uint target_first;
    uint first_entry;   // of those before a share: 0, what came before the first, or 1
    uint entries_first; // words to those that are read, or written by TO_ENTRIES
    uint last_first;    // words to those that KEEPS_LAST writes
    uint is_turned;     // 1: shares are walked last first, while the last ones are still in a cache
    uvec2 groups_divisor; // for divide(): unit_groups
    uvec2 reserved;
    uvec4 kept[8];     // outermost first: a size, for divide() its multiplier and shifts, and the input's stride
    uvec4 kept_out[2]; // the output's strides
} parameters;

#include "words.glsl"

BUFFER_OF_WORDS(3, , Entries, entries);

struct Tally {
    VALUE value;
    uint mark; // of products of floats the exponent
};

Tally tallies[MOST_TALLIES]; // of what was met
Tally bases[MOST_TALLIES];   // of blocks before

// Loops of a constant number of turns, which compilers unroll, so that arrays are registers.
#define EACH_TALLY [[unroll]] for (uint w = 0; w < TALLIES; ++w)
#define EACH_HELD  [[unroll]] for (uint n = 0; n < HELD; ++n)

#endif
