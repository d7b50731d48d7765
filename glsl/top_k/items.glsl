// What is ordered: an item is an element's key and mark. Keys are unsigned, of the element's bits, and less where an
// element comes first; NaN is the greatest element. A mark is the element's place in its row, of floats twice that and
// 1 where it is -0, which has 0's key: so marks break ties, and items differ. In the temporary resource an item is a
// record, of two words or of four.
#ifndef VKDML_TOP_K_ITEMS_GLSL
#define VKDML_TOP_K_ITEMS_GLSL

#include "types.glsl"

layout(constant_id = 1) const uint TYPE = 1;
const uint BITS = BITS_OF(TYPE);
const bool FLOATS = IS_FLOAT(TYPE);
const bool WIDE = BITS == 64;
const uint RECORD_WORDS = WIDE ? 4 : 2;

struct Item {
    uint low;
    uint high; // of keys of 64 bits, else 0
    uint mark;
};

const uint TOP = 1u << (BITS < 32 ? BITS - 1 : 31);
const uint ONES = TOP - 1 + TOP;

// Comes after all.
Item no_item()
{
    return Item(ONES, WIDE ? 0xFFFFFFFFu : 0u, 0xFFFFFFFFu);
}

bool is_before(Item a, Item b)
{
    bool before = a.low == b.low ? a.mark < b.mark : a.low < b.low;
    if (WIDE)
        before = a.high == b.high ? before : a.high < b.high;
    return before;
}

void order(inout Item a, inout Item b)
{
    bool swaps = is_before(b, a);
    Item first = Item(swaps ? b.low : a.low, WIDE ? (swaps ? b.high : a.high) : 0, swaps ? b.mark : a.mark);
    b = Item(swaps ? a.low : b.low, WIDE ? (swaps ? a.high : b.high) : 0, swaps ? a.mark : b.mark);
    a = first;
}

#endif
