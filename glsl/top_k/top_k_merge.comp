// Turns of the bitonic network over records in the temporary resource, where blocks do not fit shared memory: four
// items at a time of one window, or two, of which the second may lie in another.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_control_flow_attributes : require
#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "items.glsl"

layout(constant_id = 2) const uint KIND = 0; // network.glsl's, and
// In C: VKDML_TOP_K_TURN_...
const uint PAIRS = 4;          // items apart: n and n + distance
const uint OPPOSITE_PAIRS = 5; // n and distance - n
const uint KEEPS = 6;          // the same, and of two only the first stays

layout(std140, binding = 0) uniform TopKMergeParameters {
    uint turn_count;   // of a row
    uint all_turns;    // of all rows
    uint own_turns;    // of an invocation, side by side
    uint row_items;    // records between rows
    uint count;        // of a row, that there are
    uint size;         // network.glsl's
    uint distance;     // of pairs
    uint turns_log;    // of pairs: 2^turns_log turns are of one block
    uint block_span;   // and blocks are so many items
    uint block_log;    // 2^block_log items lie side by side, and the next ones
    uint block_stride; // so far from their first
    uint other_first;  // where the second window begins, counted from the first
    uvec2 turn_divisor;
    uvec2 unused;
} parameters;

BUFFER_OF_PAIRS(1, , Records, records);
BUFFER_OF_VECTORS(1, , WideRecords, wide_records);
BUFFER_OF_PAIRS(2, , Others, others);
BUFFER_OF_VECTORS(2, , WideOthers, wide_others);

layout(constant_id = 3) const bool HAS_OTHERS = false; // second items of pairs lie in a window of their own

uint row_first;

Item item_of_record(uvec4 record)
{
    return WIDE ? Item(record.x, record.y, record.z) : Item(record.x, 0, record.y);
}

Item load(uint at)
{
    return item_of_record(WIDE ? wide_records.vectors[at] : uvec4(records.pairs[at], 0, 0));
}

void store(uint at, Item item)
{
    if (WIDE)
        wide_records.vectors[at] = uvec4(item.low, item.high, item.mark, 0);
    else
        records.pairs[at] = uvec2(item.low, item.mark);
}

Item load_other(uint at)
{
    return item_of_record(WIDE ? wide_others.vectors[at] : uvec4(others.pairs[at], 0, 0));
}

void store_other(uint at, Item item)
{
    if (WIDE)
        wide_others.vectors[at] = uvec4(item.low, item.high, item.mark, 0);
    else
        others.pairs[at] = uvec2(item.low, item.mark);
}

// Items of blocks that may lie apart.
uint position_of(uint n)
{
    return (n >> parameters.block_log) * parameters.block_stride + (n & ((1u << parameters.block_log) - 1));
}

Item get(uint n)
{
    uint position = position_of(n);
    Item item = no_item();
    if (position < parameters.count)
        item = load(row_first + position);
    return item;
}

void put(uint n, Item item)
{
    uint position = position_of(n);
    if (position < parameters.count)
        store(row_first + position, item);
}

#include "network.glsl"

void pair(uint n)
{
    uint block = n >> parameters.turns_log;
    uint within = n & ((1u << parameters.turns_log) - 1);
    uint first = position_of(block * parameters.block_span + within);
    uint second = position_of(block * parameters.block_span +
                              (KIND == PAIRS ? parameters.distance + within : parameters.distance - within));
    if (second >= parameters.count)
        return;
    Item a = load(row_first + first);
    uint other = HAS_OTHERS ? push.base_bytes[1] / (4 * RECORD_WORDS) + second - parameters.other_first
                            : row_first + second;
    Item b;
    if (HAS_OTHERS)
        b = load_other(other);
    else
        b = load(other);
    if (!is_before(b, a))
        return;
    store(row_first + first, b);
    if (KIND == KEEPS)
        return;
    if (HAS_OTHERS)
        store_other(other, a);
    else
        store(other, a);
}

void main()
{
    uint number = (group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex) * parameters.own_turns;
    [[dont_unroll]] for (uint end = min(number + parameters.own_turns, parameters.all_turns); number < end; ++number) {
        uint row = divide(number, parameters.turn_divisor.x, parameters.turn_divisor.y);
        uint n = number - row * parameters.turn_count;
        row_first = push.base_bytes[0] / (4 * RECORD_WORDS) + row * parameters.row_items;
        if (KIND < PAIRS)
            turn(KIND, parameters.size, n);
        else
            pair(n);
    }
}
