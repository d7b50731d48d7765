// Reads elements where indices say, as bits; of SCATTER where the numbers say that index_mark.comp left.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "index.glsl"
#include "place.glsl"

const uint INDEX_VECTORS = BOTH(ROW == VECTORS, ITEM * INDEX_WORDS >= 4) ? ITEM * INDEX_WORDS / 4 : 1; // of an item

// What became of an item.
const uint DONE = 0;
const uint LEFT = 1; // it needs care

void store(Place p, uvec4 bits)
{
    destination_vectors.vectors[p.element / ITEM] = bits;
}

// 16 bytes that lie side by side in the input.
uint copy_item(Place p, uvec4 places)
{
    Source from = source_of(places, load_index(places.y));
    if (HAS_WINDOWS && from.state != NOWHERE) {
        uint last = from.place + (ITEM - 1);
        bool begins = from.place < parameters.input_count;
        bool ends = last < parameters.input_count;
        if (from.place > last || begins != ends)
            return LEFT;
        if (!begins)
            return DONE;
    }
    if (from.state == ELSEWHERE)
        return DONE;
    uvec4 bits = uvec4(0);
    if (from.state == HERE)
        bits = load_vector(from.place);
    else if (MODE == SCATTER)
        bits = load_rest_vector(places.z);
    store(p, bits);
    return DONE;
}

// Elements that share an index.
uint spread_item(Place p, uvec4 places)
{
    uvec2 index = load_index(places.y);
    uvec4 bits = uvec4(0);
    uint found = HERE;
    [[unroll]] for (uint k = 0; k < ITEM; ++k) {
        uint state;
        insert(bits, k, element_of(places + k * parameters.row_strides, index, state));
        found = max(found, state);
    }
    if (HAS_WINDOWS && found == ELSEWHERE)
        return LEFT;
    store(p, bits);
    return DONE;
}

// Elements with indices of their own.
uint gather_item(Place p, uvec4 places)
{
    uvec4 loaded[INDEX_VECTORS];
    if (ROW == VECTORS) {
        uint vector = ((push.base_bytes.z >> 2) + places.y * INDEX_WORDS) >> 2;
        [[unroll]] for (uint n = 0; n < INDEX_VECTORS; ++n)
            loaded[n] = index_vectors.vectors[vector + n];
    }
    uvec4 bits = uvec4(0);
    uint found = HERE;
    [[unroll]] for (uint k = 0; k < ITEM; ++k) {
        uvec4 here = places + k * parameters.row_strides;
        uvec2 index;
        if (ROW == VECTORS) {
            uint word = k * INDEX_WORDS;
            index = IS_LONG ? uvec2(loaded[word >> 2][word & 3], loaded[word >> 2][(word & 3) + 1])
                            : widen(loaded[word >> 2][word & 3]);
        } else {
            index = load_index(here.y);
        }
        uint state;
        insert(bits, k, element_of(here, index, state));
        found = max(found, state);
    }
    if (HAS_WINDOWS && found == ELSEWHERE)
        return LEFT;
    store(p, bits);
    return DONE;
}

// Puts the on value to byte k, which may be none of the item's.
void put_on(inout uvec4 bits, uint k)
{
    uint change = (off_value.x ^ on_value.x) << (k & 3) * 8;
    bits ^= mix(uvec4(0), uvec4(change), equal(uvec4(k >> 2), uvec4(0, 1, 2, 3)));
}

// Off but for one element a row; of two rows where one ends in the item.
uint mark_item(Place p)
{
    uint left;
    uvec4 places = places_of(p, p.i, left);
    uvec4 bits = uvec4(off_value.x * 0x01010101u);
    uint coordinate = coordinate_of(load_index(places.y), column_size(0));
    put_on(bits, coordinate != NONE && coordinate - places.z < left ? coordinate - places.z : NONE);
    if (HAS_ROWS && left < ITEM) {
        uint next;
        places = places_of(p, p.i + left, next);
        coordinate = coordinate_of(load_index(places.y), column_size(0));
        put_on(bits, coordinate < ITEM ? coordinate - places.z + left : NONE);
    }
    store(p, bits);
    return DONE;
}

// An item that is all in one row.
uint fill_at_once(Place p)
{
    if (!DENSE || p.i >= parameters.run_length || parameters.run_length - p.i < ITEM)
        return LEFT;
    if (ROW == ALONG)
        return mark_item(p);
    uint left;
    uvec4 places = places_of(p, p.i, left);
    if (HAS_ROWS && left < ITEM)
        return LEFT;
    if (ROW <= TOGETHER)
        return copy_item(p, places);
    if (ROW == SHARED)
        return spread_item(p, places);
    return gather_item(p, places);
}

// Element i of a run, and the bits that it has: none where it is not there.
uvec2 element_at(Place p, uint i, out bool there)
{
    there = i < parameters.run_length;
    uvec2 bits = uvec2(0);
    if (there) {
        uint left;
        uvec4 places = places_of(p, i, left);
        uint state;
        bits = element_of(places, load_index(places.y), state);
        there = state != ELSEWHERE;
    }
    return bits;
}

// Element by element, those that are in the run, word by word.
void fill_carefully(Place p)
{
    bool there;
    if (!DENSE) {
        uvec2 bits = element_at(p, p.i, there);
        uint word = p.element * WORDS_PER_ELEMENT / ELEMENTS_PER_WORD;
        uint shift = p.element % ELEMENTS_PER_WORD * ELEMENT_BITS;
        if (there) {
            store_word(word, bits.x << shift, ELEMENT_MASK << shift);
            if (ELEMENT_BITS == 64)
                destination.words[word + 1] = bits.y;
        }
        return;
    }
    uint first = p.element / ITEM * 4;
    [[dont_unroll]] for (uint word = 0; word < 4; word += WORDS_PER_ELEMENT) {
        uint filled = 0;
        uint mask = 0;
        uint high = 0;
        [[dont_unroll]] for (uint k = 0; k < ELEMENTS_PER_WORD; ++k) {
            uvec2 bits = element_at(p, p.i + word / WORDS_PER_ELEMENT * ELEMENTS_PER_WORD + k, there);
            if (there) {
                filled |= bits.x << k * ELEMENT_BITS;
                mask |= ELEMENT_MASK << k * ELEMENT_BITS;
                high = bits.y;
            }
        }
        if (mask != 0) {
            store_word(first + word, filled, mask);
            if (ELEMENT_BITS == 64)
                destination.words[first + word + 1] = high;
        }
    }
}

// For CPUs, which execute both sides of every branch and all of a loop at least once: what needs care is left for
// afterwards.
void fill_items(uint first, uint end)
{
    for (uint block = first; block < end; block += 32) {
        uint left = 0;
        uint count = min(end - block, 32);
        for (uint n = 0; n < count; ++n)
            left |= fill_at_once(place_of(block + n)) << n;
        while (left != 0) {
            fill_carefully(place_of(block + findLSB(left)));
            left &= left - 1;
        }
    }
}

// The items from one on that are whole and in one row of elements side by side, whose places are looked up once: how
// many.
uint copy_items(uint item, uint most)
{
    Place p = place_of(item);
    bool begins = p.i < parameters.run_length; // else it begins before the run
    uint left;
    uvec4 places = places_of(p, begins ? p.i : 0, left);
    uint count = begins ? min(most, left / ITEM) : 0;
    Source from = source_of(places, load_index(places.y));
    uint vector = p.element / ITEM;
    for (uint n = 0; n < count; ++n) {
        uvec4 bits = uvec4(0);
        if (from.state == HERE)
            bits = load_vector(from.place + n * ITEM);
        else if (MODE == SCATTER)
            bits = load_rest_vector(places.z + n * ITEM);
        destination_vectors.vectors[vector + n] = bits;
    }
    return count;
}

const uint MOST_RAGGED = 32;

// The same for rows of elements side by side.
void copy_share(uint first, uint end)
{
    uint item = first;
    while (item < end) {
        uint ragged[MOST_RAGGED];
        uint count = 0;
        while (item < end && count < MOST_RAGGED) {
            uint copied = copy_items(item, end - item);
            ragged[count] = item;
            count += copied == 0 ? 1 : 0;
            item += max(copied, 1u);
        }
        for (uint n = 0; n < count; ++n)
            fill_carefully(place_of(ragged[n]));
    }
}

const bool COPIES = BOTH(BOTH(DENSE, ROW <= TOGETHER), HAS_WINDOWS ? false : true);

void fill_share(uint first, uint end)
{
    if (COPIES)
        copy_share(first, end);
    else
        fill_items(first, end);
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    if (MODE == ONE_HOT)
        load_values();
    uint invocation = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (IS_SERIAL) {
        if (invocation <= (parameters.item_count - 1) / parameters.share) {
            uint first = invocation * parameters.share;
            fill_share(first, first + min(parameters.share, parameters.item_count - first));
        }
    } else {
        uint item = HAS_STRIPS ? item_in_strips(invocation) : invocation;
        if (item < parameters.item_count) {
            Place p = place_of(item);
            if (fill_at_once(p) != DONE)
                fill_carefully(p);
        }
    }
}
