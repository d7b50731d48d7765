// The main function of the scan frame: see scan.glsl.

// Of an invocation: where its line begins in both tensors, and the line's number.
uint source_begin;
uint target_begin;
uint line;
uint lane;
uint lead;     // elements that the line's first item begins before the line
uint item_end; // of its share

void find_unit(uint unit)
{
    line = unit * TALLIES;
    source_begin = parameters.source_first + push.base_bytes[0] * 8 / BITS;
    target_begin = parameters.target_first + (TO_ENTRIES ? 0 : push.base_bytes[1] * 8 / BITS);
    for (uint n = 0; n < KEPT_RANK; ++n) {
        uint d = KEPT_RANK - 1 - n;
        TAKE_COORDINATE(coordinate, unit, d == 0, parameters.kept[d].x, parameters.kept[d].y, parameters.kept[d].z)
        source_begin += coordinate * parameters.kept[d].w;
        target_begin += coordinate * parameters.kept_out[d / 4][d % 4];
    }
    lead = 0;
    if (!ACROSS && WIDTH > 1)
        lead = IS_BACKWARD ? WIDTH - 1 - source_begin % WIDTH : source_begin % WIDTH;
}

// ---- items ----

const bool IS_VECTOR = WIDTH * BITS == 128;

// An item's first element, counted along the line; wraps around 0 before that.
uint place_of(uint item)
{
    return ACROSS ? item : item * WIDTH - lead;
}

bool is_whole(uint item)
{
    uint place = place_of(item);
    bool whole = item < item_end && place < parameters.length_;
    return !ACROSS && WIDTH > 1 ? whole && parameters.length_ - place >= WIDTH : whole;
}

uvec2 load_element(uint element)
{
    if (BITS == 64)
        return uvec2(source.words[element * 2], source.words[element * 2 + 1]);
    uint word = source.words[element / PER_WORD];
    return uvec2(BITS == 16 ? word >> element % 2 * 16 & 0xFFFF : word, 0);
}

// Other invocations may own the word's other bits, so only the bits that change are flipped, in one atomic.
void store_element(uint element, uvec2 bits)
{
    if (BITS == 64) {
        destination.words[element * 2] = bits.x;
        destination.words[element * 2 + 1] = bits.y;
    } else if (BITS == 16) {
        uint shift = element % 2 * 16;
        uint old = atomicOr(destination.words[element / 2], 0);
        atomicXor(destination.words[element / 2], (old ^ bits.x << shift) & 0xFFFFu << shift);
    } else {
        destination.words[element] = bits.x;
    }
}

// A line's elements from 16 bytes, in its order; and back.
uvec4 turned(uvec4 bits)
{
    if (ACROSS || !IS_BACKWARD)
        return bits;
    if (BITS == 64)
        return bits.zwxy;
    return BITS == 16 ? (bits >> 16 | bits << 16).wzyx : bits.wzyx;
}

// Elements that change nothing.
uvec4 nothing()
{
    if (!MULTIPLIES)
        return uvec4(0);
    if (BITS == 64)
        return uvec4(1, 0, 1, 0);
    return uvec4(TYPE == FLOAT32 ? 0x3F800000u : TYPE == FLOAT16 ? 0x3C003C00u : 1u);
}

uvec4 load_whole(uint item)
{
    uint element = source_begin + place_of(item) * parameters.source_stride;
    if (IS_VECTOR)
        return turned(source_vectors.vectors[element / WIDTH]);
    if (WIDTH == 1)
        return uvec4(load_element(element), 0, 0);
    return uvec4(source.words[element / PER_WORD], 0, 0, 0);
}

void store_whole(uint item, uvec4 bits)
{
    uint element = target_begin + place_of(item) * parameters.target_stride;
    if (IS_VECTOR)
        destination_vectors.vectors[element / WIDTH] = turned(bits);
    else if (WIDTH == 1)
        store_element(element, bits.xy);
    else
        destination.words[element / PER_WORD] = bits.x;
}

// What 16 bytes have of a line, at its ends.
uvec4 load_part(uint item)
{
    uvec4 bits = nothing();
    uint place = place_of(item);
    [[dont_unroll]] for (uint k = 0; k < WIDTH; ++k) {
        if (place + k < parameters.length_) {
            uvec2 element = load_element(source_begin + (place + k) * parameters.source_stride);
            if (BITS == 64) {
                bits[k * 2] = element.x;
                bits[k * 2 + 1] = element.y;
            } else if (BITS == 16) {
                bits[k / 2] = bitfieldInsert(bits[k / 2], element.x, int(k % 2 * 16), 16);
            } else {
                bits[k] = element.x;
            }
        }
    }
    return bits;
}

void store_part(uint item, uvec4 bits)
{
    uint place = place_of(item);
    [[dont_unroll]] for (uint k = 0; k < WIDTH; ++k) {
        if (place + k < parameters.length_) {
            uvec2 element;
            if (BITS == 64)
                element = uvec2(bits[k * 2], bits[k * 2 + 1]);
            else
                element = uvec2(BITS == 16 ? bits[k / 2] >> k % 2 * 16 & 0xFFFF : bits[k], 0);
            store_element(target_begin + (place + k) * parameters.target_stride, element);
        }
    }
}

uvec4 load_any(uint item)
{
    if (is_whole(item))
        return load_whole(item);
    if (!ACROSS && WIDTH > 1 && item < item_end)
        return load_part(item);
    return nothing();
}

void store_any(uint item, uvec4 bits)
{
    if (is_whole(item))
        store_whole(item, bits);
    else if (!ACROSS && WIDTH > 1 && item < item_end)
        store_part(item, bits);
}

// Items that are held: ACROSS they follow one another, else neighbouring invocations have neighbours.
const uint ITEM_STEP = ACROSS ? 1 : LANES;

uvec4 held[4];
bool holds_whole_items;
uvec4 ahead[4]; // what is loaded before it is held
bool has_whole_items;

void load_items(uint first)
{
    has_whole_items = true;
    if (!IS_EVEN) {
        EACH_HELD
            has_whole_items = has_whole_items && is_whole(first + n * ITEM_STEP);
    }
    if (IS_EVEN) {
        EACH_HELD
            ahead[n] = load_whole(first + n * ITEM_STEP);
    } else if (has_whole_items) {
        EACH_HELD
            ahead[n] = load_whole(first + n * ITEM_STEP);
    } else {
        EACH_HELD
            ahead[n] = load_any(first + n * ITEM_STEP);
    }
}

void hold_items()
{
    holds_whole_items = has_whole_items;
    EACH_HELD
        held[n] = ahead[n];
}

void store_items(uint first)
{
    if (IS_EVEN) {
        EACH_HELD
            store_whole(first + n * ITEM_STEP, held[n]);
    } else if (holds_whole_items) {
        EACH_HELD
            store_whole(first + n * ITEM_STEP, held[n]);
    } else {
        EACH_HELD
            store_any(first + n * ITEM_STEP, held[n]);
    }
}

void add_items()
{
    EACH_HELD
        add_item(held[n]);
}

void put_items()
{
    EACH_HELD
        held[n] = put_item(held[n]);
}

// ---- the invocations of a line ----

const bool IS_SHARED = LANES > 1;
const bool HAS_PARTS = BOTH(IS_SHARED, BOTH(!ACROSS, HELD > 1));
const uint STEP = ACROSS ? gl_WorkGroupSize.x / LANES : 1; // between them
const uint EXCHANGE_SIZE = gl_WorkGroupSize.x * TALLIES;
const uint PARTS_FIRST = 2 * EXCHANGE_SIZE;
const uint SHARED_SIZE = IS_SHARED ? PARTS_FIRST + (HAS_PARTS ? gl_WorkGroupSize.x * HELD : 0) : 1;
shared VALUE shared_values[SHARED_SIZE];
shared uint shared_marks[HAS_MARKS ? SHARED_SIZE : 1];

void share_tally(uint at, Tally t)
{
    shared_values[at] = t.value;
    if (HAS_MARKS)
        shared_marks[at] = t.mark;
}

Tally shared_tally(uint at)
{
    return Tally(shared_values[at], HAS_MARKS ? shared_marks[at] : 0u);
}

// Two halves are written by turns: when one is written again, everyone has met at a barrier since reading it.
uint half_first = 0;

uint exchange_place(uint w, uint slot)
{
    return half_first + w * gl_WorkGroupSize.x + slot;
}

void exchange()
{
    half_first = EXCHANGE_SIZE - half_first;
    EACH_TALLY
        share_tally(exchange_place(w, gl_LocalInvocationIndex), tallies[w]);
    barrier();
}

void take_from(uint slot)
{
    EACH_TALLY
        tallies[w] = combine(shared_tally(exchange_place(w, slot)), tallies[w]);
}

Tally totals[MOST_TALLIES]; // of all lanes

// Turns tallies into those of the lanes before.
void scan_lanes()
{
    uint slot = gl_LocalInvocationIndex;
    for (uint distance = 1; distance < LANES; distance *= 4) {
        exchange();
        if (lane >= distance)
            take_from(slot - distance * STEP);
        if (lane >= 2 * distance)
            take_from(slot - 2 * distance * STEP);
        if (lane >= 3 * distance)
            take_from(slot - 3 * distance * STEP);
    }
    exchange();
    uint last = slot + (LANES - 1 - lane) * STEP;
    EACH_TALLY
        totals[w] = shared_tally(exchange_place(w, last));
    EACH_TALLY {
        tallies[w] = no_tally();
        if (lane != 0) tallies[w] = shared_tally(exchange_place(w, slot - STEP));
    }
}

// Of a line's items that lie LANES apart: each one's tally depends on all invocations'.
void put_striped()
{
    uint parts = PARTS_FIRST + (gl_LocalInvocationIndex - lane) * HELD;
    EACH_HELD {
        tallies[0] = no_tally();
        add_item(held[n]);
        share_tally(parts + n * LANES + lane, tallies[0]);
    }
    barrier();
    uint own = parts + lane * HELD;
    Tally sums[4];
    tallies[0] = no_tally();
    EACH_HELD {
        sums[n] = tallies[0];
        tallies[0] = combine(tallies[0], shared_tally(own + n));
    }
    scan_lanes();
    Tally before = combine(bases[0], tallies[0]);
    EACH_HELD
        share_tally(own + n, combine(before, sums[n]));
    barrier();
    EACH_HELD {
        tallies[0] = shared_tally(parts + n * LANES + lane);
        held[n] = put_item(held[n]);
    }
}

void put_together()
{
    if (HAS_PARTS) {
        put_striped();
    } else {
        EACH_TALLY
            tallies[w] = no_tally();
        add_items();
        scan_lanes();
        EACH_TALLY
            tallies[w] = combine(bases[w], tallies[w]);
        put_items();
    }
    EACH_TALLY
        bases[w] = combine(bases[w], totals[w]);
}

// ---- shares ----

uint entry_place(uint entry, uint w)
{
    return (entry * parameters.line_count + line + w) * TALLY_WORDS;
}

// What came before a share, into bases.
void take_entries(uint share_index)
{
    uint first = push.base_bytes[2] / 4 + parameters.entries_first;
    uint turn = 0;
    EACH_TALLY
        tallies[w] = no_tally();
    for (uint entry = parameters.first_entry + lane; entry <= share_index; entry += LANES) {
        EACH_TALLY
            tallies[w] = combine(tallies[w], read_entry(first + entry_place(entry, w)));
        if (IS_FLOAT_SUM && ++turn == ENTRY_BLOCK) {
            EACH_TALLY
                bases[w] = combine(bases[w], tallies[w]);
            EACH_TALLY
                tallies[w] = no_tally();
            turn = 0;
        }
    }
    EACH_TALLY
        tallies[w] = combine(bases[w], tallies[w]);
    if (IS_SHARED) {
        scan_lanes();
        EACH_TALLY
            bases[w] = totals[w];
    } else {
        EACH_TALLY
            bases[w] = tallies[w];
    }
}

// Down columns of FLOAT16 a workgroup has the next items on their way while it exchanges what these add up to: 0.86 of
// the copy peak for 0.44 on an H200, where others fall from 0.91 to 0.82.
const bool LOADS_AHEAD = BOTH(BITS == 16, BOTH(ACROSS, BOTH(IS_SHARED, !TO_ENTRIES)));

void walk(uint first, uint turns)
{
    EACH_TALLY
        tallies[w] = no_tally();
    if (!IS_SHARED && !TO_ENTRIES && !IS_BLOCKED) {
        EACH_TALLY
            tallies[w] = combine(bases[w], tallies[w]);
    }
    if (LOADS_AHEAD && turns != 0)
        load_items(first);
    for (uint turn = 0; turn < turns; ++turn) {
        if (!LOADS_AHEAD)
            load_items(first);
        hold_items();
        if (LOADS_AHEAD && turn + 1 < turns)
            load_items(first + LANES * HELD);
        if (TO_ENTRIES) {
            add_items();
        } else {
            if (IS_SHARED)
                put_together();
            else
                put_items();
            store_items(first);
        }
        if (IS_BLOCKED && (turn & (BLOCK - 1)) == BLOCK - 1) {
            EACH_TALLY
                bases[w] = combine(bases[w], tallies[w]);
            EACH_TALLY
                tallies[w] = no_tally();
        }
        first += LANES * HELD;
    }
    // What was added up of the share, or all before its end, is left in bases.
    if (IS_BLOCKED) {
        EACH_TALLY
            bases[w] = combine(bases[w], tallies[w]);
    } else if (!IS_SHARED || TO_ENTRIES) {
        EACH_TALLY
            bases[w] = tallies[w];
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    const uint units = gl_WorkGroupSize.x / LANES;
    group = parameters.is_turned != 0 ? parameters.group_count - 1 - group : group;
    uint number = IS_SHARED ? group : group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    uint share_index = divide(number, parameters.groups_divisor.x, parameters.groups_divisor.y);
    uint unit = number - share_index * parameters.unit_groups;
    lane = 0;
    if (IS_SHARED) {
        unit *= units;
        if (ACROSS) {
            unit += gl_LocalInvocationIndex % units;
            lane = gl_LocalInvocationIndex / units;
        } else {
            unit += gl_LocalInvocationIndex / LANES;
            lane = gl_LocalInvocationIndex % LANES;
        }
    }
    // Of a workgroup all meet at the barriers; what is beyond the last line has no items.
    bool is_active = unit < parameters.unit_count && share_index < parameters.share_count;
    if (!IS_SHARED && !is_active)
        return;
    find_unit(is_active ? unit : 0);
    uint begin = share_index * parameters.share;
    uint end = min(begin + parameters.share, parameters.item_count);
    item_end = is_active ? end : 0;
    EACH_TALLY
        bases[w] = no_tally();
    if (HAS_ENTRIES)
        take_entries(share_index);
    const uint tile = LANES * HELD;
    walk(begin + (ACROSS ? lane * HELD : lane), (end - begin + tile - 1) / tile);
    if (TO_ENTRIES) {
        if (IS_SHARED) {
            EACH_TALLY
                tallies[w] = no_tally();
            EACH_TALLY
                tallies[w] = combine(bases[w], tallies[w]);
            scan_lanes();
            EACH_TALLY
                bases[w] = totals[w];
        }
        uint first = push.base_bytes[1] / 4 + parameters.entries_first;
        if (is_active && lane == 0) {
            EACH_TALLY
                store_total(first + entry_place(share_index + 1, w), bases[w]);
        }
    } else if (KEEPS_LAST) {
        uint first = push.base_bytes[2] / 4 + parameters.last_first;
        if (is_active && lane == 0 && share_index + 1 == parameters.share_count) {
            EACH_TALLY
                store_last(first + entry_place(0, w), bases[w]);
        }
    }
}
