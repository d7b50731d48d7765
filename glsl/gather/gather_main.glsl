// The main function of the gather frame: see gather.glsl.

// Chunks per invocation, as many workgroup sizes apart: all are loaded before the first is stored.
layout(constant_id = 5) const uint CHUNKS = 1;

const uint WORDS_PER_ELEMENT = ELEMENT_BITS == 64 ? 2 : 1;

// Enters the coordinates of `index`, which counts in row-major order over outer dimensions [first, end), into a row;
// returns its distance in output elements.
uint decode(uint index, uint first, uint end, inout Row row)
{
    uint distance = 0;
    for (uint n = first; n < end; ++n) {
        uint d = first + end - 1 - n;
        TAKE_COORDINATE(coordinate, index, d == first, parameters.sizes[d >> 2][d & 3],
                        parameters.multipliers[d >> 2][d & 3], parameters.shifts[d >> 2][d & 3])
        enter(row, d, parameters.origins[d >> 2][d & 3] + coordinate);
        distance += coordinate * parameters.output_strides[d >> 2][d & 3];
    }
    return distance;
}

// Where a run begins.
struct Run {
    uint byte; // of the output
    uint lead; // elements before it in its first chunk
    Row row;   // of which only coordinates outside the run are known
};

Run begin_run(uint run)
{
    Row row = begin_row();
    uint first = parameters.output_first + decode(run, 0, RUN_RANK, row);
    uint byte = push.base_bytes.y + first * ELEMENT_BYTES;
    return Run(byte, (byte & 15) / ELEMENT_BYTES, row);
}

uint run_of(uint item)
{
    return RUN_RANK == 0 ? 0 : divide(item, parameters.items_divisor.x, parameters.items_divisor.y);
}

// Aligned 16 bytes of the output.
struct Chunk {
    uint i;     // of the first element in its run; wraps around 0 before the run
    uint place; // the output byte
    Row row;    // as the run's
};

Chunk chunk_of(Run run, uint slot)
{
    return Chunk(slot * CHUNK - run.lead, (run.byte & ~15u) + slot * CHUNK_BYTES, run.row);
}

Row row_of(Chunk c, uint index)
{
    Row row = c.row;
    decode(index, RUN_RANK, RANK, row);
    return row;
}

// The element of 16 bytes that begin at x of row `a`, whose end may be in row `b`.
uvec2 element_of(Row a, Row b, uint x)
{
    bool is_next = x >= parameters.row_length;
    if (is_next)
        a = b;
    return element(a, parameters.row_origin + (is_next ? x - parameters.row_length : x));
}

// 16 bytes of a run, all of which it has, of rows at least as long. Where a row ends within a subgroup all of it goes
// this way: no loads wait for one another, and no more is done for an element than must be.
uvec4 load_across(Row a, Row b, uint x)
{
    uvec4 bits;
    if (ELEMENT_BITS == 64) {
        bits = uvec4(element_of(a, b, x), element_of(a, b, x + 1));
    } else {
        [[unroll]] for (uint word = 0; word < 4; ++word) {
            uint filled = 0;
            [[unroll]] for (uint k = 0; k < ELEMENTS_PER_WORD; ++k)
                filled |= element_of(a, b, x + word * ELEMENTS_PER_WORD + k).x << (k * ELEMENT_BITS & 31u);
            bits[word] = filled;
        }
    }
    return bits;
}

bool is_whole(Chunk c)
{
    return ROWS != SHORT && c.i < parameters.run_length && parameters.run_length - c.i >= CHUNK;
}

void store_element(uint byte, uvec2 bits)
{
    if (ELEMENT_BITS < 32) {
        uint shift = (byte & 3) * 8;
        store_word(byte / 4, (bits.x & ELEMENT_MASK) << shift, ELEMENT_MASK << shift);
    } else {
        destination.words[byte / 4] = bits.x;
        if (ELEMENT_BITS == 64)
            destination.words[byte / 4 + 1] = bits.y;
    }
}

#ifdef HAS_SEAMS
#include "gather_seams.glsl"
#include "gather_rims.glsl"
#endif
#if !defined(HAS_PARTS) && !defined(HAS_BAND)
const bool IN_PARTS = false;
#endif

// What is left to be done for a chunk.
const uint NOTHING = 0;
const uint STORE = 1;
const uint FILL = 2;

#ifdef HAS_BAND
uint load_band(Chunk c, out uvec4 bits);
#endif

// Loads 16 bytes at once where that can be.
uint load(Chunk c, out uvec4 bits)
{
    uint left = FILL;
    bits = uvec4(0);
#ifdef HAS_BAND
    if (IN_PARTS)
        return load_band(c, bits);
#endif
    if (is_whole(c)) {
        uint index = divide(c.i, parameters.row_divisor.x, parameters.row_divisor.y);
        uint x = c.i - index * parameters.row_length;
        Row row = row_of(c, index);
        bool in_row = parameters.row_length - x >= CHUNK;
        if (in_row && has_chunk(row, parameters.row_origin + x)) {
            bits = chunk(row, parameters.row_origin + x);
            left = STORE;
        } else if (!IN_PARTS) {
            left = STORE;
            Row next = row;
            if (!in_row)
                next = row_of(c, index + 1);
            bits = load_across(row, next, x);
        }
    }
    return left;
}

// Arithmetic is long, and lavapipe inlines every call before it drops what specialization leaves out: it is called from
// one place, and a loop turns the elements past it.
uvec4 convert_chunk(uvec4 bits)
{
    uvec4 converted_bits;
    if (convert_at_once(bits, converted_bits))
        return converted_bits;
    [[dont_unroll]] for (uint k = 0; k < CHUNK; ++k) {
        uvec2 converted = convert(uvec2(bits.x & ELEMENT_MASK, bits.y));
        if (ELEMENT_BITS == 64)
            bits = uvec4(bits.zw, converted);
        else if (ELEMENT_BITS == 32)
            bits = uvec4(bits.yzw, converted.x);
        else
            bits = (bits >> (ELEMENT_BITS & 31u)) | (uvec4(bits.yzw, converted.x) << (32u - ELEMENT_BITS & 31u));
    }
    return bits;
}

// A walk along a run.
struct Walk {
    uint i; // of the element in the run; wraps around 0 before the run
    uint x; // in its row
    uint index; // of its row
    Row row;
    Row next; // the row after it
};

// The next element of a run, all ones in z where it is the run's. Rows shorter than a chunk begin one after another, of
// others two at once, and no element waits for another.
uvec3 walk(inout Walk w, Chunk c)
{
    bool ends = w.x == parameters.row_length && w.i < parameters.run_length;
    if (ends) {
        w.x = 0;
        w.row = w.next;
        if (ROWS == SHORT)
            w.next = row_of(c, ++w.index + 1);
    }
    uvec3 bits = uvec3(0);
    if (w.i < parameters.run_length)
        bits = uvec3(element(w.row, parameters.row_origin + w.x), 0xFFFFFFFFu);
    ++w.i;
    ++w.x;
    return bits;
}

// Stores the bits of a chunk under a mask.
void store_chunk(Chunk c, uvec4 bits, uvec4 mask)
{
    if (all(equal(mask, uvec4(0xFFFFFFFFu)))) {
        destination_vectors.vectors[c.place >> 4] = bits;
    } else {
        store_part(c.place / 4, bits.x, mask.x);
        store_part(c.place / 4 + 1, bits.y, mask.y);
        store_part(c.place / 4 + 2, bits.z, mask.z);
        store_part(c.place / 4 + 3, bits.w, mask.w);
    }
}

// Element by element; the mask leaves out those beyond the run's ends.
uvec4 load_elements(Chunk c, out uvec4 mask)
{
    uint first = c.i < parameters.run_length ? c.i : 0;
    Walk w;
    w.i = c.i;
    w.index = divide(first, parameters.row_divisor.x, parameters.row_divisor.y);
    w.x = c.i - w.index * parameters.row_length; // wraps around 0 before the run
    w.row = row_of(c, w.index);
    w.next = w.row;
    if (w.x + CHUNK > parameters.row_length)
        w.next = row_of(c, w.index + 1); // beyond the last row unused
    uvec4 bits = uvec4(0);
    mask = uvec4(0);
    for (uint word = 0; word < 4; word += WORDS_PER_ELEMENT) {
        uvec3 filled = uvec3(0);
        for (uint k = 0; k < ELEMENTS_PER_WORD; ++k) {
            uvec3 element = walk(w, c);
            if (ELEMENT_BITS < 32)
                element = (element & ELEMENT_MASK) << (k * ELEMENT_BITS & 31u);
            filled |= element;
        }
        bvec4 here = equal(uvec4(word), uvec4(0, 1, 2, 3));
        bits = mix(bits, filled.xxxx, here);
        mask = mix(mask, filled.zzzz, here);
        if (ELEMENT_BITS == 64) {
            bits = mix(bits, filled.yyyy, here.wxyz);
            mask = mix(mask, filled.zzzz, here.wxyz);
        }
    }
    return bits;
}

#ifdef HAS_BAND
#include "gather_band.glsl"
#endif

#ifdef HAS_PARTS
// Piece by piece, likewise.
void fill_parts(Chunk c)
{
    bool begins = c.i >= parameters.run_length; // within the chunk
    uint first = begins ? min(-c.i, CHUNK) : 0; // all of it lies behind the run, however long that is
    uint end = min(parameters.run_length - c.i, CHUNK);
    uint i = c.i + first;
    uint index = divide(i, parameters.row_divisor.x, parameters.row_divisor.y);
    uint x = i - index * parameters.row_length;
    uvec4 bits = part(row_of(c, index), parameters.row_origin + x, first);
    uint begin = first + min(parameters.row_length - x, CHUNK); // of the next row
    if (begin < end) {
        uvec4 next = part(row_of(c, index + 1), parameters.row_origin, begin);
        bits = mix_bits(bits, next, mask_from_element(begin));
    }
    store_chunk(c, bits, mask_elements(first, end));
}
#endif

void fill(Chunk c)
{
#if defined(HAS_PARTS) || defined(HAS_BAND)
    if (IN_PARTS) {
        fill_parts(c);
        return;
    }
#endif
    uvec4 mask;
    uvec4 bits = load_elements(c, mask);
    store_chunk(c, bits, mask);
}

void fill_dense(uint begin, uint end)
{
    Chunk chunks[CHUNKS];
    uvec4 bits[CHUNKS];
    uint left[CHUNKS];
    [[unroll]] for (uint n = 0; n < CHUNKS; ++n) {
        uint item = begin + n * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
        uint run = run_of(item);
        chunks[n] = chunk_of(begin_run(run), item - run * parameters.items_per_run);
        left[n] = NOTHING;
        if (item < end)
            left[n] = load(chunks[n], bits[n]);
    }
    [[unroll]] for (uint n = 0; n < CHUNKS; ++n) {
        uvec4 mask = uvec4(0xFFFFFFFFu);
        if (CONVERTS && left[n] == FILL)
            bits[n] = load_elements(chunks[n], mask);
        if (CONVERTS && left[n] != NOTHING)
            store_chunk(chunks[n], convert_chunk(bits[n]), mask);
        else if (left[n] == FILL)
            fill(chunks[n]);
        else if (left[n] == STORE)
            destination_vectors.vectors[chunks[n].place >> 4] = bits[n];
    }
}

// An element of a row with gaps.
void fill_element(uint item)
{
    uint run = run_of(item);
    uint x = item - run * parameters.items_per_run;
    Run r = begin_run(run);
    uvec2 bits = element(r.row, parameters.row_origin + x);
    if (CONVERTS)
        bits = convert(bits);
    store_element(r.byte + x * parameters.row_output_stride * ELEMENT_BYTES, bits);
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
#ifdef HAS_TABLE
    fill_table();
#endif
    uint span = gl_WorkGroupSize.x * CHUNKS;
    uint begin = group * span;
    uint end = parameters.item_count - begin < span ? parameters.item_count : begin + span;
#ifdef HAS_SEAMS
    if (IS_SEAMED)
        fill_seamed(begin, end);
    else if (IS_RIMMED)
        fill_rimmed(begin, end);
    else
#endif
    if (DENSE)
        fill_dense(begin, end);
    else if (gl_LocalInvocationIndex < end - begin)
        fill_element(begin + gl_LocalInvocationIndex);
}
