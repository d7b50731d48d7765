// Workgroups keep the first items of units. Where a unit's items fit shared memory they are sorted there, by blocks of
// as many as are kept; of two blocks the first items stay, until there is one. Several units of a workgroup are blocks
// of one sort. Else (SELECTS) invocations hold a unit's items in registers, find the last that is kept, and sort what
// is before it.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "top_k.glsl"

#include "shared_items.glsl"

layout(constant_id = 5) const uint ITEMS = 32;   // SELECTS: of an invocation, at most 32, and whole vectors
layout(constant_id = 6) const uint WIDTH = 1024; // else: of a unit, a power of two, at least 8
layout(constant_id = 8) const uint BLOCK = 1024; // a power of two that holds what is kept, at least 8 and at most WIDTH

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
        Item item = no_item_yet();
        if (x < unit.count)
            item = pack(load_item(unit, x), unit);
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
            store_item(unit, x, unpack(get_slot(own * WIDTH + x), unit), true);
    }
}

// ---- selecting ----

uint lows[ITEMS];
uint highs[WIDE ? ITEMS : 1];
uint negative_zeros; // marks are not held: few are asked for
uint wanted;         // which items are not after the last, and which have its key
uint alike;

const uint PER_VECTOR = VECTORS ? 128 / BITS : 1;

// The place of an invocation's n-th item in the unit.
uint place_of(uint n)
{
    return (n / PER_VECTOR * LANES + lane) * PER_VECTOR + n % PER_VECTOR;
}

uint mark_of(uint n, Unit unit)
{
    uint mark = 0xFFFFFFFFu;
    if (place_of(n) < unit.count) {
        if (FROM_RECORDS)
            mark = load_item(unit, place_of(n)).mark;
        else
            mark = first_mark(unit) + (FLOATS ? 2 * place_of(n) + (negative_zeros >> n & 1) : place_of(n));
    }
    return mark;
}

void keep(uint n, Item item)
{
    lows[n] = item.low;
    if (WIDE)
        highs[WIDE ? n : 0] = item.high;
    if (FLOATS && !PACKED && !FROM_RECORDS)
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
            Item loaded =
                pack(item_of(element_of_vector(vectors[n / PER_VECTOR], n % PER_VECTOR), unit.place + x), unit);
            if (x >= unit.count)
                loaded = no_item_yet();
            keep(n, loaded);
        }
    } else {
        [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
            uint x = place_of(n);
            Item loaded = no_item_yet();
            if (x < unit.count)
                loaded = pack(load_item(unit, x), unit);
            keep(n, loaded);
        }
    }
}

shared uint found;
shared uint sums[16];

void compare_items(Item last)
{
    wanted = 0;
    alike = 0;
    last.low = PACKED ? min(last.low, 0xFFFFFFFEu) : last.low; // before what is no item
    [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
        bool after = last.low < lows[n], same = last.low == lows[n];
        if (WIDE) {
            after = highs[WIDE ? n : 0] == last.high ? after : last.high < highs[WIDE ? n : 0];
            same = highs[WIDE ? n : 0] == last.high ? same : false;
        }
        wanted |= after ? 0 : 1u << n;
        alike |= same ? 1u << n : 0;
    }
}

// Puts what is wanted into shared memory, in any order, and says how much; what is beyond its capacity is only counted.
uint gather_items(Unit unit)
{
    if (lane == 0)
        found = 0;
    barrier();
    if (wanted != 0) {
        uint slot = atomicAdd(found, bitCount(wanted));
        [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
            if ((wanted >> n & 1) != 0) {
                if (slot < CAPACITY)
                    put_slot(slot, Item(lows[n], WIDE ? highs[WIDE ? n : 0] : 0, PACKED ? 0 : mark_of(n, unit)));
                ++slot;
            }
        }
    }
    barrier();
    uint all = found;
    barrier();
    return all;
}

// An item that `kept` items are not after, and few others: the last of as many groups' first ones, of as many groups as
// a quarter of the invocations. By keys alone, and of equal ones the groups' order.
Item filter_items(Unit unit)
{
    const uint groups = LANES / 4;
    Item first = Item(lows[0], WIDE ? highs[0] : 0, 0);
    [[unroll]] for (uint n = 1; n < ITEMS; ++n) {
        Item other = Item(lows[n], WIDE ? highs[WIDE ? n : 0] : 0, 0);
        if (is_before(other, first))
            first = other;
    }
    put(lane, first);
    barrier();
    if (lane < groups) {
        [[unroll]] for (uint k = 1; k < 4; ++k) {
            Item other = get(lane + k * groups);
            if (is_before(other, first))
                first = other;
        }
    }
    barrier();
    if (lane < groups)
        put(lane, first);
    barrier();
    if (lane < groups) {
        uint rank = 0;
        first.mark = lane;
        for (uint k = 0; k < groups; ++k) {
            Item other = get(k);
            other.mark = k;
            rank += is_before(other, first) ? 1 : 0;
        }
        if (rank + 1 == parameters.kept)
            put(groups, first);
    }
    barrier();
    Item last = get(groups);
    last.mark = 0xFFFFFFFFu;
    barrier();
    return last;
}

void clear_histogram()
{
    [[dont_unroll]] for (uint bin = lane; bin < 256; bin += LANES)
        shared_words[bin] = 0;
    barrier();
}

// Which bin has the left-th item; makes `left` its number there.
uint find_bin(inout uint left)
{
    barrier();
    if (lane < 16) {
        uint sum = 0;
        [[unroll]] for (uint k = 0; k < 16; ++k)
            sum += shared_words[lane * 16 + (k + lane) % 16];
        sums[lane] = sum;
    }
    barrier();
    uint bin = 0;
    [[dont_unroll]] for (uint k = 0; k < 15 && left > sums[k]; ++k) {
        left -= sums[k];
        bin += 16;
    }
    [[dont_unroll]] for (uint k = 0; k < 15 && left > shared_words[bin]; ++k) {
        left -= shared_words[bin];
        bin += 1;
    }
    return bin;
}

// A key that at least `kept` items' are not after. Eight bits at a time: of items that begin with those found, a
// histogram of the next ones says which the last has. Ends where there are at most so many; else `left` are to be kept
// of those with that key.
Item select_key(Unit unit, uint most, inout uint left)
{
    Item last = no_item_yet();
    const uint key_bits = WIDE ? 64 : PACKED ? BITS + MARK_BITS : BITS;
    if (PACKED)
        last.low >>= PACKED ? 16 - BITS : 0;
    [[dont_unroll]] for (uint at = 0; at < key_bits && left != 0; at += 8) {
        bool is_high = WIDE && at < 32;
        uint shift = is_high ? 24 - at : key_bits - 8 - at;
        uint begun = is_high ? last.high : last.low;
        clear_histogram();
        [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
            uint bits = lows[n];
            if (WIDE)
                bits = is_high ? highs[WIDE ? n : 0] : bits;
            bool matches = ((bits ^ begun) >> shift >> 8) == 0;
            if (WIDE)
                matches = is_high || highs[WIDE ? n : 0] == last.high ? matches : false;
            if (matches)
                atomicAdd(shared_words[bits >> shift & 255], 1);
        }
        uint bin = find_bin(left);
        if (parameters.kept - left + shared_words[bin] <= most)
            left = 0;
        begun ^= (bin ^ 255) << shift;
        if (is_high)
            last.high = begun;
        else
            last.low = begun;
        barrier();
    }
    return last;
}

// Of the items alike, `left` stay wanted: the least marks. All others that there are not.
void select_marks(Unit unit, uint left)
{
    uint last = 0xFFFFFFFFu;
    [[dont_unroll]] for (uint shift = 32; shift > 0 && left != 0;) {
        shift -= 8;
        clear_histogram();
        [[dont_unroll]] for (uint rest = alike; rest != 0; rest &= rest - 1) {
            uint mark = mark_of(findLSB(rest), unit);
            if (((mark ^ last) >> shift >> 8) == 0)
                atomicAdd(shared_words[mark >> shift & 255], 1);
        }
        last ^= (find_bin(left) ^ 255) << shift;
        barrier();
    }
    [[dont_unroll]] for (uint rest = alike; rest != 0; rest &= rest - 1) {
        uint mark = mark_of(findLSB(rest), unit);
        if (mark > last || mark == 0xFFFFFFFFu)
            wanted &= ~(1u << findLSB(rest));
    }
}

// Values of less than a word side by side: whole words where all of it is this unit's.
void store_values(Unit unit, uint kept)
{
    const uint per_word = 32 / (BITS < 32 ? BITS : 32);
    uint first = max(unit.rank, parameters.rank_first), end = min(unit.rank + kept, parameters.rank_end);
    uint to = unit.value - parameters.rank_first; // of rank 0
    [[dont_unroll]] for (uint word = (to + first) / per_word + lane; word * per_word < to + end; word += LANES) {
        uint bits = 0;
        bool whole = word * per_word >= to + first && (word + 1) * per_word <= to + end;
        [[unroll]] for (uint k = 0; k < per_word; ++k) {
            uint rank = word * per_word + k - to;
            if (whole || (rank >= first && rank < end)) {
                uvec2 element = element_of(unpack(get_slot(rank - unit.rank), unit));
                bits |= element.x << k * BITS % 32;
                if (!whole)
                    store_value(to + rank, element);
            }
        }
        if (whole)
            values.words[word] = bits;
    }
}

// Few items by their ranks, which need no turns.
void store_few(Unit unit, uint count)
{
    if (lane >= count)
        return;
    Item own = get_slot(lane);
    uint rank = 0;
    for (uint k = 0; k < count; ++k)
        rank += is_before(get_slot(k), own) ? 1 : 0;
    if (rank < parameters.kept)
        store_item(unit, rank, unpack(own, unit), true);
}

void select_unit(uint group)
{
    Unit unit = unit_of(group);
    load_items(unit);
    block_log = 31;
    uint most = 8;
    while (most < parameters.kept)
        most *= 2;
    bool filters = FILTERS;
    uint count;
    do {
        Item last = no_item_yet();
        uint left = 0;
        if (filters) {
            last = filter_items(unit);
        } else if (unit.count > parameters.kept) {
            left = parameters.kept;
            last = select_key(unit, UNSORTED ? parameters.kept : most, left);
        }
        compare_items(last);
        if (!PACKED && (left != 0 || last.low == ONES))
            select_marks(unit, left);
        count = gather_items(unit);
        filters = !filters;
    } while (!filters && count > CAPACITY);
    uint kept = min(count, parameters.kept);
    [[dont_unroll]] for (uint n = count + lane; n < parameters.kept; n += LANES)
        store_item(unit, n, no_item(), true); // of records: other shares have all that are kept
    if (!UNSORTED || count != kept) {
        if (count <= LANES / 4) {
            store_few(unit, count);
            return;
        }
        uint size = 8;
        while (size < count)
            size *= 2;
        for (uint n = count + lane; n < size; n += LANES)
            put_slot(n, no_item_yet());
        barrier();
        sort_blocks(size, size);
    }
    bool by_words = BITS < 32 && !TO_RECORDS && parameters.value_stride == 1;
    [[dont_unroll]] for (uint n = lane; n < kept; n += LANES)
        store_item(unit, n, unpack(get_slot(n), unit), !by_words);
    if (by_words)
        store_values(unit, kept);
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
