// Rows with rims of few narrow elements of the input that are too short for their seams to be shared out, part of
// gather_main.glsl. A chunk is 16 bytes around a row's input, where the next row begins within it as many around that
// one's, and over them the rims, element by element. It is no longer than a row, so it has no more of these than a row
// has. All that it takes is on its way before any of it is looked at.
const bool IS_RIMMED = ROWS >= TWO_RIMS;
const uint RIMS = ROWS == TWO_RIMS ? 2 : 4;

// An element of a rim.
struct Rim {
    uint k;    // of the chunk's elements, if it is one
    uint word; // of the input
    uint shift;
};

// Element n of those that follow one another from the end of a row's input on, in the next row after its end. Behind
// the rims' come the input's own, which may be stored twice.
Rim load_rim(uint n, Row row, Row next, uint x)
{
    uint c = n < end_rim() ? parameters.row_length - end_rim() + n : n - end_rim();
    bool is_next = c < x;
    uint distance = (is_next ? input_row(next) : input_row(row)) + parameters.arguments[n] + parameters.input_first;
    uint byte = push.base_bytes.x + distance * ELEMENT_BYTES;
    return Rim(c - x + (is_next ? parameters.row_length : 0), source.words[byte >> 2], (byte & 3) * 8);
}

uvec4 with_rim(uvec4 bits, Rim rim)
{
    uint shift = rim.k % ELEMENTS_PER_WORD * ELEMENT_BITS;
    uvec4 with = mix_bits(bits, uvec4(rim.word >> rim.shift << shift), uvec4(ELEMENT_MASK << (shift & 31)));
    return mix(bits, with, equal(uvec4(rim.k / ELEMENTS_PER_WORD), uvec4(0, 1, 2, 3)));
}

struct Rimmed {
    Words words;
    Words next; // for elements from next_from on
    uint next_from;
    Rim rims[RIMS];
};

// What a whole chunk is put together from, or for one that is not the run's first.
Rimmed load_rimmed(Chunk c)
{
    uint i = is_whole(c) ? c.i : 0;
    uint index = divide(i, parameters.row_divisor.x, parameters.row_divisor.y);
    uint x = i - index * parameters.row_length;
    uint start = min(x, parameters.row_start);
    Row row = row_of(c, index);
    Row next = row;
    Rimmed r;
    r.words = load_words_around(input_row(row) + x - start, parameters.row_start - start);
    r.next = r.words;
    r.next_from = parameters.row_length - x;
    if (r.next_from < CHUNK) {
        next = row_of(c, index + 1);
        r.next = load_words_around(input_row(next), r.next_from + parameters.row_start);
    }
    [[unroll]] for (uint n = 0; n < RIMS; ++n)
        r.rims[n] = load_rim(n, row, next, x);
    return r;
}

uvec4 join_rimmed(Rimmed r)
{
    uvec4 bits = join(r.words);
    if (r.next_from < CHUNK)
        bits = mix_bits(bits, join(r.next), mask_from_element(r.next_from));
    [[unroll]] for (uint n = 0; n < RIMS; ++n)
        bits = with_rim(bits, r.rims[n]);
    return bits;
}

// Of invocations with a chunk each.
void fill_rimmed(uint begin, uint end)
{
    uint item = begin + gl_LocalInvocationIndex;
    if (item < end) {
        Chunk c = chunk_of(begin_run(0), item);
        uvec4 bits = join_rimmed(load_rimmed(c));
        if (is_whole(c))
            destination_vectors.vectors[c.place >> 4] = bits;
        else
            fill_end(c);
    }
}
