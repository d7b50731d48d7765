// For processors: an invocation keeps the first items of a unit in a heap, the last of them on top, and takes it apart
// from the last on.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "buffers.glsl"
#include "top_k.glsl"

BUFFER_OF_VECTORS(4, , ScratchVectors, scratch_vectors);
BUFFER_OF_PAIRS(4, , ScratchPairs, scratch_pairs);

uint heap_first;

Item get(uint n)
{
    uint at = heap_first + n;
    if (TO_RECORDS)
        return item_of_record(WIDE ? value_vectors.vectors[at] : uvec4(value_pairs.pairs[at], 0, 0));
    return item_of_record(WIDE ? scratch_vectors.vectors[at] : uvec4(scratch_pairs.pairs[at], 0, 0));
}

void put(uint n, Item item)
{
    uint at = heap_first + n;
    if (TO_RECORDS)
        store_record(at, item);
    else if (WIDE)
        scratch_vectors.vectors[at] = uvec4(item.low, item.high, item.mark, 0);
    else
        scratch_pairs.pairs[at] = uvec2(item.low, item.mark);
}

// Puts an item where it belongs below place n, of `size` in all.
void sift(uint n, uint size, Item item)
{
    [[dont_unroll]] for (uint child = 2 * n + 1; child < size; child = 2 * n + 1) {
        Item below = get(child);
        if (child + 1 < size) {
            Item other = get(child + 1);
            if (is_before(below, other)) {
                below = other;
                child += 1;
            }
        }
        if (!is_before(item, below))
            break;
        put(n, below);
        n = child;
    }
    put(n, item);
}

void main()
{
    uint number = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (number >= parameters.unit_count)
        return;
    Unit unit = unit_of(number);
    if (TO_RECORDS)
        heap_first = unit.value + unit.rank - parameters.rank_first;
    else
        heap_first = push.base_bytes[3] / (4 * RECORD_WORDS) + parameters.scratch_first + number * parameters.kept;
    uint size = min(parameters.kept, unit.count);
    if (size != 0) {
        // The first comes before all loops: lavapipe of Mesa 26.1 keeps what a loop finds out about a buffer for the
        // next loop, in the lanes that were in the first alone, and follows a null pointer where there was none.
        put(0, load_item(unit, 0));
        [[dont_unroll]] for (uint n = 1; n < size; ++n)
            put(n, load_item(unit, n));
        [[dont_unroll]] for (uint n = size / 2; n > 0; --n)
            sift(n - 1, size, get(n - 1));
        Item last = get(0);
        // Most are after the last: sixteen are compared before any is looked at again, since a processor's lanes
        // execute what is within an `if`, or a loop's body once, even where none of them needs it. Unrolled they keep
        // SwiftShader's compiler (Subzero) from ever ending.
        [[dont_unroll]] for (uint x = size; x < unit.count; x += 16) {
            uint before = 0;
            [[dont_unroll]] for (uint k = 0; k < 16; ++k)
                before |= uint(is_before(load_item(unit, min(x + k, unit.count - 1)), last)) << k;
            before &= unit.count - x < 16 ? (1u << (unit.count - x)) - 1 : 0xFFFF;
            [[dont_unroll]] for (; before != 0; before &= before - 1) {
                Item item = load_item(unit, x + findLSB(before));
                if (is_before(item, last)) {
                    sift(0, size, item);
                    last = get(0);
                }
            }
        }
    }
    [[dont_unroll]] for (uint n = size; n < parameters.kept; ++n) // of records: others have all that are kept
        store_item(unit, n, no_item(), true);
    if (TO_RECORDS && UNSORTED)
        return;
    [[dont_unroll]] for (uint left = size; left > 0; --left) {
        Item last = get(0);
        Item moved = get(left - 1);
        if (left > 1)
            sift(0, left - 1, moved);
        store_item(unit, left - 1, last, true);
    }
}
