// What the kernels share that keep the first items of rows: what they read and write. A unit is a share of a row, of
// which `kept` items are kept. Rows are a tensor's, or of records in the temporary resource; what is kept becomes
// records, or the outputs.
#ifndef VKDML_TOP_K_GLSL
#define VKDML_TOP_K_GLSL

#extension GL_EXT_control_flow_attributes : require

#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "items.glsl"

layout(constant_id = 2) const uint INDEX_BITS = 32; // of the output of indices
layout(constant_id = 3) const uint SHAPE = 0;
// In C: VKDML_TOP_K_...
const bool FROM_RECORDS = (SHAPE & 1u) != 0;
const bool TO_RECORDS = (SHAPE & 2u) != 0;
const bool VECTORS = (SHAPE & 4u) != 0;  // 16 aligned bytes of the input are elements of one share
const bool ACROSS = (SHAPE & 8u) != 0;   // neighbours in memory are of different units
const bool LEAST = (SHAPE & 16u) != 0;   // the least elements come first
const bool SELECTS = (SHAPE & 32u) != 0; // a workgroup selects the items of one share before it sorts them
const bool FILTERS = (SHAPE & 64u) != 0; // it keeps few: at most as many as a quarter of its invocations
const bool MERGES = (SHAPE & 128u) != 0; // a share's items are bitonic
const bool UNSORTED = (SHAPE & 256u) != 0; // what is kept may be in any order
layout(constant_id = 7) const uint RANK = 7;

// Positions are in elements, or records, from the bound range's start.
layout(std140, binding = 0) uniform TopKParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint unit_count;
    uint row_count;   // unit = share * row_count + row
    uint count;       // items of a row
    uint share;       // of them, the most in a share
    uint share_shift; // a share's number is its block's and, of so many bits, its own in that
    uint block_stride; // between blocks' first items
    uint kept;
    uint source_first; // of item 0 of the whole row, modulo 2^32
    uint source_stride;
    uint value_first; // or the records' to write
    uint value_stride;
    uint index_first;
    uint index_stride;
    uint share_first; // of this step's
    uint rank_first;  // what is written, of the ranks of what is kept
    uint rank_end;
    uint scratch_first; // of processors: a heap per unit
    uint unused;
    uint block_ranks; // between the ranks of blocks' first items
    uvec2 row_divisor;
    uvec2 unused_pair;
    uvec4 rows[8];    // outermost first: a size, for divide() its multiplier and shifts, and the source's stride
    uvec4 targets[8]; // strides of values, or of records to write, and of indices
} parameters;

BUFFER_OF_WORDS(1, readonly, Source, source);
BUFFER_OF_VECTORS(1, readonly, SourceVectors, source_vectors);
BUFFER_OF_PAIRS(1, readonly, SourcePairs, source_pairs);

// Of workgroups that write records where they read them.
BUFFER_OF_WORDS(2, , Values, values);
BUFFER_OF_VECTORS(2, , ValueVectors, value_vectors);
BUFFER_OF_PAIRS(2, , ValuePairs, value_pairs);
BUFFER_OF_WORDS(3, , Indices, indices);

// ---- units ----

struct Unit {
    uint source; // item 0 of its share
    uint count;  // the share's items
    uint place;  // of item 0 in the whole row
    uint rank;   // of the first that is kept
    uint value;
    uint index;
};

Unit unit_of(uint n)
{
    uint share = divide(n, parameters.row_divisor.x, parameters.row_divisor.y);
    uint row = n - share * parameters.row_count;
    share += parameters.share_first;
    uint first = (share >> parameters.share_shift) * parameters.block_stride +
                 (share & ((1u << parameters.share_shift) - 1)) * parameters.share;
    Unit unit;
    unit.source = parameters.source_first + first * parameters.source_stride +
                  (FROM_RECORDS ? push.base_bytes[0] / (4 * RECORD_WORDS) : push.base_bytes[0] * 8 / BITS);
    unit.count =
        n < parameters.unit_count && first < parameters.count ? min(parameters.share, parameters.count - first) : 0;
    unit.place = first;
    unit.rank = (share >> parameters.share_shift) * parameters.block_ranks +
                (share & ((1u << parameters.share_shift) - 1)) * parameters.kept;
    unit.value =
        parameters.value_first + (TO_RECORDS ? push.base_bytes[1] / (4 * RECORD_WORDS) : push.base_bytes[1] * 8 / BITS);
    unit.index = parameters.index_first + (TO_RECORDS ? 0 : push.base_bytes[2] * 8 / INDEX_BITS);
    for (uint d = RANK; d-- > 0;) {
        TAKE_COORDINATE(coordinate, row, d == 0, parameters.rows[d].x, parameters.rows[d].y, parameters.rows[d].z)
        unit.source += coordinate * parameters.rows[d].w;
        unit.value += coordinate * parameters.targets[d].x;
        unit.index += coordinate * parameters.targets[d].y;
    }
    return unit;
}

// ---- elements and items ----

// An element's key; its mark is marked with what is lost of it.
Item item_of(uvec2 bits, uint place)
{
    uint x = bits.x;
    uint mark = place;
    if (FLOATS) {
        const uint infinity = TYPE == FLOAT16 ? 0x7C00 : INFINITY;
        bool is_negative_zero = x == TOP;
        mark = mark * 2 + (is_negative_zero ? 1 : 0);
        bool is_nan = (x & (TOP - 1)) > infinity;
        x = is_negative_zero ? 0 : x;
        x = is_nan ? ONES : (x & TOP) != 0 ? x ^ ONES : x | TOP;
    } else if (IS_SIGNED(TYPE)) {
        if (WIDE)
            bits.y ^= SIGN_BIT;
        else
            x ^= TOP;
    }
    if (!LEAST) {
        x ^= ONES;
        bits.y = ~bits.y;
    }
    return Item(x, WIDE ? bits.y : 0, mark);
}

// The element that an item was; NaN without payload.
uvec2 element_of(Item item)
{
    uint x = LEAST ? item.low : item.low ^ ONES;
    uint high = LEAST ? item.high : ~item.high;
    if (FLOATS) {
        bool is_nan = x == ONES;
        x = (x & TOP) != 0 ? x ^ TOP : x ^ ONES;
        if ((item.mark & 1) != 0)
            x = TOP;
        if (is_nan)
            x = TYPE == FLOAT16 ? 0x7E00 : QUIET_NAN;
    } else if (IS_SIGNED(TYPE)) {
        if (WIDE)
            high ^= SIGN_BIT;
        else
            x ^= TOP;
    }
    return uvec2(x, high);
}

uvec2 load_element(uint at)
{
    if (WIDE)
        return uvec2(source.words[2 * at], source.words[2 * at + 1]);
    if (BITS == 32)
        return uvec2(source.words[at], 0);
    const uint per_word = 32 / (BITS < 32 ? BITS : 32);
    return uvec2(bitfieldExtract(source.words[at / per_word], int(at % per_word * BITS), int(BITS)), 0);
}

Item item_of_record(uvec4 record)
{
    return WIDE ? Item(record.x, record.y, record.z) : Item(record.x, 0, record.y);
}

Item load_item(Unit unit, uint x)
{
    uint at = unit.source + x * parameters.source_stride;
    if (FROM_RECORDS)
        return item_of_record(WIDE ? source_vectors.vectors[at] : uvec4(source_pairs.pairs[at], 0, 0));
    return item_of(load_element(at), unit.place + x);
}

void store_record(uint at, Item item)
{
    if (WIDE)
        value_vectors.vectors[at] = uvec4(item.low, item.high, item.mark, 0);
    else
        value_pairs.pairs[at] = uvec2(item.low, item.mark);
}

// Other invocations may own the word's other bits, so only the bits that change are flipped, in one atomic.
void store_value(uint at, uvec2 bits)
{
    if (WIDE) {
        values.words[2 * at] = bits.x;
        values.words[2 * at + 1] = bits.y;
    } else if (BITS == 32) {
        values.words[at] = bits.x;
    } else {
        const uint per_word = 32 / (BITS < 32 ? BITS : 32);
        uint shift = at % per_word * BITS;
        uint old = atomicOr(values.words[at / per_word], 0);
        atomicXor(values.words[at / per_word], (old ^ (bits.x << shift)) & (ONES << shift));
    }
}

void store_place(uint at, Item item)
{
    uint place = FLOATS ? item.mark >> 1 : item.mark;
    if (INDEX_BITS == 64) {
        indices.words[2 * at] = place;
        indices.words[2 * at + 1] = 0;
    } else {
        indices.words[at] = place;
    }
}

// The n-th of what a unit keeps; or of that only its place.
void store_item(Unit unit, uint n, Item item, bool with_value)
{
    uint rank = unit.rank + n;
    if (rank < parameters.rank_first || rank >= parameters.rank_end)
        return;
    rank -= parameters.rank_first;
    if (TO_RECORDS) {
        store_record(unit.value + rank, item);
        return;
    }
    if (with_value)
        store_value(unit.value + rank * parameters.value_stride, element_of(item));
    store_place(unit.index + rank * parameters.index_stride, item);
}

#endif
