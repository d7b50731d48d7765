// Items in shared memory, and their bitonic sorting there: a turn takes eight items through three steps of the network.
#ifndef VKDML_TOP_K_SHARED_ITEMS_GLSL
#define VKDML_TOP_K_SHARED_ITEMS_GLSL

layout(constant_id = 4) const uint CAPACITY = 1024; // items in shared memory, a power of two, at least 256

// A key of 16 bits or less and a mark, counted from the unit's first, share a word, which takes half the memory and
// orders by one comparison. A share has at most 2^14 items.
const bool PACKED = FROM_RECORDS ? false : BITS <= 16;
const uint MARK_BITS = 16; // of floats 15 are used

// Before there are items a histogram has the same memory.
shared uint shared_words[CAPACITY * (PACKED ? 1 : WIDE ? 3 : 2)];

const uint LANES = gl_WorkGroupSize.x;
uint lane;

uint first_mark(Unit unit)
{
    return FLOATS ? unit.place * 2 : unit.place;
}

Item pack(Item item, Unit unit)
{
    return PACKED ? Item(item.low << MARK_BITS | (item.mark - first_mark(unit)), 0, 0) : item;
}

Item unpack(Item item, Unit unit)
{
    if (PACKED) {
        uint mark = (item.low & ((1u << MARK_BITS) - 1)) + first_mark(unit);
        item = item.low == 0xFFFFFFFFu ? no_item() : Item(item.low >> MARK_BITS, 0, mark);
    }
    return item;
}

// Packed, or not.
Item no_item_yet()
{
    return PACKED ? Item(0xFFFFFFFFu, 0, 0) : no_item();
}

// Items are in blocks of 2^block_log, which begin 2^step_log slots apart.
uint block_log;
uint step_log;

// Where a slot's words are: 32 slots side by side are in banks of their own, and so are those that 32 invocations take
// in a turn, at any distance. As slot_of() it is linear: the place of a ^ b is that of a ^ that of b.
uint place_of_slot(uint slot)
{
    return slot ^ (slot >> 3 & 28) ^ (slot >> 6 & 3);
}

uint slot_of(uint n)
{
    return ((n >> block_log) << step_log) + (n & ((1u << block_log) - 1));
}

uint place_of_item(uint n)
{
    return place_of_slot(slot_of(n));
}

Item get(uint place)
{
    Item item = Item(shared_words[place], 0, 0);
    if (WIDE)
        item.high = shared_words[WIDE ? 2 * CAPACITY + place : 0];
    if (!PACKED)
        item.mark = shared_words[PACKED ? 0 : CAPACITY + place];
    return item;
}

void put(uint place, Item item)
{
    shared_words[place] = item.low;
    if (WIDE)
        shared_words[WIDE ? 2 * CAPACITY + place : 0] = item.high;
    if (!PACKED)
        shared_words[PACKED ? 0 : CAPACITY + place] = item.mark;
}

Item get_slot(uint slot)
{
    return get(place_of_slot(slot));
}

void put_slot(uint slot, Item item)
{
    put(place_of_slot(slot), item);
}

// What a turn does: sorts eight items side by side; or orders the items of two sorted halves of a block, last against
// first, and takes two steps more; or takes one to three steps, the last of items `apart`.
const uint SORT_EIGHT = 0;
const uint FLIP = 4;

Item turned[8];

void order_turned(const uint a, const uint b)
{
    if (PACKED) {
        uint last = max(turned[a].low, turned[b].low);
        turned[a].low = min(turned[a].low, turned[b].low);
        turned[b].low = last;
    } else if (is_before(turned[b], turned[a])) {
        Item first = turned[b];
        turned[b] = turned[a];
        turned[a] = first;
    }
}

void turns(uint kind, uint apart, uint total)
{
    uint next = place_of_item(apart), third = place_of_item(2 * apart);
    uint upper = place_of_item(kind == FLIP ? 8 * apart - 1 : 4 * apart);
    [[dont_unroll]] for (uint n = lane; n < total / 8; n += LANES) {
        uint within = n & (apart - 1);
        uint place = place_of_item((n - within) * 8 + within);
        [[unroll]] for (uint k = 0; k < 8; ++k)
            turned[k] = get(place ^ ((k & 1) != 0 ? next : 0) ^ ((k & 2) != 0 ? third : 0) ^ (k < 4 ? 0 : upper));
        if (kind == SORT_EIGHT) { // by 19 comparisons, the fewest
            order_turned(0, 1);
            order_turned(2, 3);
            order_turned(4, 5);
            order_turned(6, 7);
            order_turned(0, 2);
            order_turned(1, 3);
            order_turned(4, 6);
            order_turned(5, 7);
            order_turned(1, 2);
            order_turned(5, 6);
            order_turned(0, 4);
            order_turned(3, 7);
            order_turned(1, 5);
            order_turned(2, 6);
            order_turned(1, 4);
            order_turned(3, 6);
            order_turned(2, 4);
            order_turned(3, 5);
            order_turned(3, 4);
        } else {
            if (kind >= 3) {
                order_turned(0, 4);
                order_turned(1, 5);
                order_turned(2, 6);
                order_turned(3, 7);
            }
            if (kind == FLIP) { // the upper ones lie backward
                order_turned(0, 2);
                order_turned(1, 3);
                order_turned(7, 5);
                order_turned(6, 4);
                order_turned(7, 6);
                order_turned(5, 4);
            } else {
                if (kind >= 2) {
                    order_turned(0, 2);
                    order_turned(1, 3);
                    order_turned(4, 6);
                    order_turned(5, 7);
                }
                order_turned(4, 5);
                order_turned(6, 7);
            }
            order_turned(0, 1);
            order_turned(2, 3);
        }
        [[unroll]] for (uint k = 0; k < 8; ++k)
            put(place ^ ((k & 1) != 0 ? next : 0) ^ ((k & 2) != 0 ? third : 0) ^ (k < 4 ? 0 : upper), turned[k]);
    }
    barrier();
}

// Blocks of `size` items, which are bitonic.
void merge_blocks(uint size, uint total)
{
    [[dont_unroll]] for (; size >= 8; size /= 8)
        turns(3, size / 8, total);
    if (size >= 2)
        turns(size / 2, 1, total);
}

// Blocks of `block` items each, at least 8, of `total` in all.
void sort_blocks(uint block, uint total)
{
    turns(SORT_EIGHT, 1, total);
    [[dont_unroll]] for (uint size = 16; size <= block; size *= 2) {
        turns(FLIP, size / 8, total);
        merge_blocks(size / 8, total);
    }
}

#endif
