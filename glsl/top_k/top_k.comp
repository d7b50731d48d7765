// Workgroups keep the first items of units. Where a unit's items fit shared memory they are sorted there, by blocks of as many as are
// kept; of two blocks the first items stay, until there is one. Several units of a workgroup are blocks of one sort. Else
// (SELECTS) invocations hold a unit's items in registers, find the last that is kept, and sort what is before it.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "top_k.glsl"

layout(constant_id = 4) const uint CAPACITY = 1024; // items in shared memory, a power of two, at least 4
layout(constant_id = 5) const uint ITEMS = 32;      // SELECTS: of an invocation, at most 32, and whole vectors
layout(constant_id = 6) const uint WIDTH = 1024;    // else: of a unit, a power of two, at least 4
layout(constant_id = 8) const uint BLOCK = 1024;    // a power of two that holds what is kept, at least 4 and at most WIDTH

shared uint shared_lows[CAPACITY];
shared uint shared_highs[WIDE ? CAPACITY : 1];
shared uint shared_marks[CAPACITY];

const uint LANES = gl_WorkGroupSize.x;
uint lane;

// ---- sorting ----

// Items are in blocks of 2^block_log, which begin 2^step_log apart.
uint block_log;
uint step_log;

uint slot_of(uint n)
{
    return ((n >> block_log) << step_log) + (n & ((1u << block_log) - 1));
}

Item get_slot(uint slot)
{
    return Item(shared_lows[slot], WIDE ? shared_highs[WIDE ? slot : 0] : 0, shared_marks[slot]);
}

void put_slot(uint slot, Item item)
{
    shared_lows[slot] = item.low;
    if (WIDE)
        shared_highs[WIDE ? slot : 0] = item.high;
    shared_marks[slot] = item.mark;
}

Item get(uint n)
{
    return get_slot(slot_of(n));
}

void put(uint n, Item item)
{
    put_slot(slot_of(n), item);
}

#include "network.glsl"

void turns(uint kind, uint size, uint total)
{
    [[dont_unroll]] for (uint n = lane; n < total / 4; n += LANES)
        turn(kind, size, n);
    barrier();
}

void merge_blocks(uint size, uint total)
{
    [[dont_unroll]] for (; size >= 4; size /= 4)
        turns(HALVE, size, total);
    if (size == 2)
        turns(LAST, 0, total);
}

// Blocks of `block` items each, of `total` in all.
void sort_blocks(uint block, uint total)
{
    turns(SORT_FOUR, 0, total);
    [[dont_unroll]] for (uint size = 8; size <= block; size *= 2) {
        turns(FLIP, size, total);
        merge_blocks(size / 4, total);
    }
}

// Of every two blocks the first items, until units have one block.
void reduce_blocks()
{
    uint total = CAPACITY;
    [[dont_unroll]] for (uint width = WIDTH; width > BLOCK; width /= 2) {
        total /= 2;
        [[dont_unroll]] for (uint n = lane; n < total; n += LANES) {
            uint within = n & (BLOCK - 1);
            uint first = ((n - within) << 1 << (step_log - block_log)) + within;
            Item a = get_slot(first);
            Item b = get_slot(first - within + (1u << step_log) + BLOCK - 1 - within);
            if (is_before(b, a))
                put_slot(first, b);
        }
        step_log += 1;
        barrier();
        merge_blocks(BLOCK, total);
    }
}

void sort_units(uint group)
{
    const uint units = CAPACITY / WIDTH;
    uint last = 0xFFFFFFFFu;
    Unit unit;
    [[dont_unroll]] for (uint slot = lane; slot < CAPACITY; slot += LANES) {
        uint own = ACROSS ? slot % units : slot / WIDTH;
        uint x = ACROSS ? slot / units : slot % WIDTH;
        if (own != last)
            unit = unit_of(group * units + own);
        last = own;
        Item item = no_item();
        if (x < unit.count)
            item = load_item(unit, x);
        put_slot(own * WIDTH + x, item);
    }
    block_log = uint(findMSB(BLOCK));
    step_log = block_log;
    barrier();
    if (MERGES) {
        merge_blocks(BLOCK, CAPACITY);
    } else {
        sort_blocks(BLOCK, CAPACITY);
        reduce_blocks();
    }
    last = 0xFFFFFFFFu;
    [[dont_unroll]] for (uint n = lane; n < units * BLOCK; n += LANES) {
        uint own = ACROSS ? n % units : n / BLOCK;
        uint x = ACROSS ? n / units : n % BLOCK;
        uint number = group * units + own;
        if (own != last)
            unit = unit_of(number);
        last = own;
        if (number < parameters.unit_count && x < parameters.kept)
            store_item(unit, x, get_slot(own * WIDTH + x));
    }
}

// ---- selecting ----

uint lows[ITEMS];
uint highs[WIDE ? ITEMS : 1];
uint marks[FROM_RECORDS ? ITEMS : 1];
uint negative_zeros;
uint unit_place;

const uint PER_VECTOR = VECTORS ? 128 / BITS : 1;

// The place of an invocation's n-th item in the unit.
uint place_of(uint n)
{
    return (n / PER_VECTOR * LANES + lane) * PER_VECTOR + n % PER_VECTOR;
}

Item item(uint n, uint count)
{
    uint x = place_of(n);
    uint mark = FROM_RECORDS ? marks[FROM_RECORDS ? n : 0] : unit_place + x;
    if (FLOATS && !FROM_RECORDS)
        mark = mark * 2 + (negative_zeros >> n & 1);
    return Item(lows[n], WIDE ? highs[WIDE ? n : 0] : 0, FROM_RECORDS || x < count ? mark : 0xFFFFFFFFu);
}

void keep(uint n, Item item)
{
    lows[n] = item.low;
    if (WIDE)
        highs[WIDE ? n : 0] = item.high;
    if (FROM_RECORDS)
        marks[FROM_RECORDS ? n : 0] = item.mark;
    else if (FLOATS)
        negative_zeros |= (item.mark & 1) << n;
}

uvec2 element_of_vector(uvec4 bits, uint n)
{
    if (WIDE)
        return n == 0 ? bits.xy : bits.zw;
    const uint per_word = 32 / (BITS < 32 ? BITS : 32);
    return uvec2(BITS == 32 ? bits[n] : bitfieldExtract(bits[n / per_word], int(n % per_word * BITS), int(BITS)), 0);
}

void load_items(Unit unit)
{
    negative_zeros = 0;
    unit_place = unit.place;
    if (VECTORS) {
        uvec4 vectors[ITEMS / PER_VECTOR];
        [[unroll]] for (uint v = 0; v < ITEMS / PER_VECTOR; ++v) {
            uint x = place_of(v * PER_VECTOR);
            vectors[v] = uvec4(0);
            if (x < unit.count)
                vectors[v] = source_vectors.vectors[(unit.source + x) / PER_VECTOR];
        }
        [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
            uint x = place_of(n);
            Item loaded = item_of(element_of_vector(vectors[n / PER_VECTOR], n % PER_VECTOR), 0);
            if (x >= unit.count)
                loaded = no_item();
            keep(n, loaded);
        }
    } else {
        [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
            uint x = place_of(n);
            Item loaded = no_item();
            if (x < unit.count)
                loaded = load_item(unit, x);
            keep(n, loaded);
        }
    }
}

shared uint found;
shared uint histogram[256];
shared uint sums[16];

// Puts all items that are not after the last into shared memory, in any order; those beyond its capacity are only counted.
uint gather_items(Unit unit, Item last)
{
    uint own = 0;
    [[unroll]] for (uint n = 0; n < ITEMS; ++n)
        own += is_before(last, item(n, unit.count)) ? 0 : 1;
    if (own != 0) {
        uint slot = atomicAdd(found, own);
        [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
            Item kept = item(n, unit.count);
            if (!is_before(last, kept)) {
                if (slot < CAPACITY)
                    put_slot(slot, kept);
                ++slot;
            }
        }
    }
    barrier();
    uint all = found;
    barrier();
    return all;
}

// An item that `kept` items are not after, and few others: the last of as many groups' first ones, of as many groups as a
// quarter of the invocations.
Item filter_items(Unit unit)
{
    const uint groups = LANES / 4;
    Item first = item(0, unit.count);
    [[unroll]] for (uint n = 1; n < ITEMS; ++n) {
        Item other = item(n, unit.count);
        if (is_before(other, first))
            first = other;
    }
    put_slot(lane, first);
    barrier();
    if (lane < groups) {
        [[unroll]] for (uint k = 1; k < 4; ++k) {
            Item other = get_slot(lane + k * groups);
            if (is_before(other, first))
                first = other;
        }
    }
    barrier();
    if (lane < groups)
        put_slot(lane, first);
    else if (lane == groups)
        put_slot(lane, no_item()); // where items of no element, which are equal, leave no rank for it
    barrier();
    uint rank = 0;
    if (lane < groups) {
        for (uint k = 0; k < groups; ++k)
            rank += is_before(get_slot(k), first) ? 1 : 0;
        if (rank + 1 == parameters.kept)
            put_slot(groups, first);
    }
    barrier();
    Item last = get_slot(groups);
    barrier();
    return last;
}

// The last item that is kept, and how many like it are not to be. Eight bits of keys and then of marks at a time: of items that begin
// with those found, a histogram of the next ones says which the last has. Ends where no more bits matter.
Item select_items(Unit unit)
{
    Item last = no_item();
    uint left = parameters.kept;
    const uint key_bits = WIDE ? 64 : BITS;
    bool found_all = false;
    [[dont_unroll]] for (uint at = 0; at < key_bits + 32 && !found_all; at += 8) {
        uint word = WIDE && at < 32 ? 0 : at < key_bits ? 1 : 2;
        uint shift = word == 0 ? 24 - at : word == 1 ? key_bits - 8 - at : 24 - (at - key_bits);
        [[dont_unroll]] for (uint bin = lane; bin < 256; bin += LANES)
            histogram[bin] = 0;
        barrier();
        uint begun = word == 0 ? last.high : word == 1 ? last.low : last.mark;
        [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
            Item own = item(n, unit.count);
            uint bits = word == 0 ? own.high : word == 1 ? own.low : own.mark;
            bool matches = ((bits ^ begun) >> shift >> 8) == 0;
            if (WIDE)
                matches = word == 0 ? matches : own.high == last.high ? matches : false;
            matches = word < 2 ? matches : own.low == last.low ? matches : false;
            if (matches)
                atomicAdd(histogram[(bits >> shift) & 255], 1);
        }
        barrier();
        if (lane < 16) {
            uint sum = 0;
            [[unroll]] for (uint k = 0; k < 16; ++k)
                sum += histogram[lane * 16 + k];
            sums[lane] = sum;
        }
        barrier();
        uint bin = 0;
        [[dont_unroll]] for (uint k = 0; k < 15 && left > sums[k]; ++k) {
            left -= sums[k];
            bin += 16;
        }
        [[dont_unroll]] for (uint k = 0; k < 15 && left > histogram[bin]; ++k) {
            left -= histogram[bin];
            bin += 1;
        }
        found_all = left == histogram[bin];
        uint bits = begun ^ ((bin ^ 255) << shift);
        if (word == 0)
            last.high = bits;
        else if (word == 1)
            last.low = bits;
        else
            last.mark = bits;
        barrier();
    }
    return last;
}

void select_unit(uint group)
{
    Unit unit = unit_of(group);
    load_items(unit);
    if (lane == 0)
        found = 0;
    uint count = 0;
    if (FILTERS) {
        Item last = filter_items(unit);
        count = gather_items(unit, last);
    }
    if (!FILTERS || count > CAPACITY) {
        if (lane == 0)
            found = 0;
        Item last = select_items(unit);
        count = min(gather_items(unit, last), CAPACITY);
    }
    uint kept = min(count, parameters.kept);
    if (!UNSORTED || count != kept) {
        uint size = 4;
        while (size < count)
            size *= 2;
        for (uint n = count + lane; n < size; n += LANES)
            put_slot(n, no_item());
        block_log = 31;
        barrier();
        sort_blocks(size, size);
    }
    [[dont_unroll]] for (uint n = lane; n < kept; n += LANES)
        store_item(unit, n, get_slot(n));
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    lane = gl_LocalInvocationIndex;
    if (SELECTS)
        select_unit(group);
    else
        sort_units(group);
}
