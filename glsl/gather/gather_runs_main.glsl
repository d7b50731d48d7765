// The main function of the gather kernels for CPUs: see gather_runs.glsl. An invocation fills a long part of a run, 16
// aligned bytes after the other, row after row. On lavapipe each access to memory is a loop over the lanes, both sides
// of a branch are always executed, and a loop takes as many turns as its slowest lane; so whole chunks have a loop of
// their own, of one load and one store each whatever the alignments, and lanes meet before it rather than take turns in
// it.

const bool LOADS = READS_INPUT && !REPEATED; // chunks of the input

// Where an invocation is in its run.
struct Cursor {
    uint i;    // elements before it
    uint byte; // its place in the output
    uint row;
    uint x;          // elements of the row before it
    Segment segment; // what fills the row from x on
};

// 16 bytes from byte `shift` of two vectors on.
uvec4 funnel(uvec4 low, uvec4 high, uint shift)
{
    bool two = (shift & 8) != 0;
    bool one = (shift & 4) != 0;
    uvec4 a = two ? uvec4(low.zw, high.xy) : low;
    uvec2 a_next = two ? high.zw : high.xy;
    uvec4 b = one ? uvec4(a.yzw, a_next.x) : a;
    if (ELEMENT_BITS >= 32)
        return b;
    uint b_next = one ? a_next.y : a_next.x;
    uint bits = (shift & 3) * 8;
    return (b >> bits) | ((uvec4(b.yzw, b_next) << 1) << (31 - bits));
}

uvec4 reverse(uvec4 v)
{
    if (ELEMENT_BITS == 64)
        return v.zwxy;
    v = v.wzyx;
    if (ELEMENT_BITS <= 16)
        v = (v >> 16) | (v << 16);
    if (ELEMENT_BITS == 8)
        v = ((v >> 8) & 0x00FF00FFu) | ((v & 0x00FF00FFu) << 8);
    return v;
}

// The input's byte that an element at a distance begins at.
uint input_byte(uint distance)
{
    return push.base_bytes.x + (distance + parameters.input_first) * ELEMENT_BYTES;
}

uint vector_count; // of the input that are whole
uvec4 last_vector; // .. and what there is of the one behind them

void load_last_vector()
{
    uint words = uint(source.words.length());
    vector_count = words / 4;
    last_vector = uvec4(0);
    for (uint w = 0; w < 3; ++w) {
        if (vector_count * 4 + w < words)
            last_vector[w] = source.words[vector_count * 4 + w];
    }
}

// 16 bytes of the input; of what lies beyond its ends any.
uvec4 load_vector(int index)
{
    uvec4 bits = last_vector;
    if (uint(index) < vector_count)
        bits = source_vectors.vectors[index];
    return bits;
}

// Where the 16 bytes begin that a segment continues from byte `from` of a chunk on: {vector, byte of it}.
ivec2 input_place(Segment segment, uint from)
{
    uint byte = input_byte(segment.distance);
    int offset = int(byte & 15) - int(segment.kind == BACKWARD ? CHUNK_BYTES - ELEMENT_BYTES - from : from);
    return ivec2(int(byte >> 4) + (offset >> 4), offset & 15);
}

// 16 bytes of which those from `from` on begin with the segment.
uvec4 piece_bits(Segment segment, uint from)
{
    uvec4 bits = repeat(segment.bits);
    if (LOADS && segment.kind != FILL) {
        ivec2 place = input_place(segment, from);
        bits = funnel(load_vector(place.x), load_vector(place.x + 1), uint(place.y));
        bits = segment.kind == BACKWARD ? reverse(bits) : bits;
    }
    return bits;
}

// For each word of a chunk the bits of its bytes from `from` on.
uvec4 mask_from(uint from)
{
    ivec4 bits = clamp(int(from) * 8 - ivec4(0, 32, 64, 96), ivec4(0), ivec4(32));
    return mix(uvec4(0xFFFFFFFFu) << (uvec4(bits) & 31u), uvec4(0), equal(bits, ivec4(32)));
}

// Chunks of one element go piece by piece where they are fewer.
const uint LEAST_FILLED_CHUNKS = 4;

// The chunks that the cursor's segment fills up, `count` elements of it, if they are for copy_chunks() or
// fill_chunks().
uint long_chunks(Cursor cursor, uint count, bool in_first)
{
    uint from = cursor.byte & 15;
    uint chunks = (from + count * ELEMENT_BYTES) / CHUNK_BYTES;
    if (cursor.segment.kind == FILL)
        chunks = from != 0 || chunks < LEAST_FILLED_CHUNKS ? 0 : chunks & ~3u;
    return cursor.segment.kind == BACKWARD || in_first ? 0 : chunks;
}

// Fills up chunks from the cursor's on, of which `bits` is known, and leaves in `bits` what the segment has of the
// next. By fours: a chunk by itself takes a tenth longer on lavapipe, as do tests and masks where chunks are loaded or
// stored.
void copy_chunks(Cursor cursor, uint chunks, inout uvec4 bits)
{
    uint from = cursor.byte & 15;
    uint place = cursor.byte >> 4;
    uvec4 mask = mask_from(from);
    ivec2 input_at = input_place(cursor.segment, from);
    int vector = input_at.x;
    uint shift = uint(input_at.y);
    uint end = place + chunks;
    uint fours = (chunks - min(chunks, min(from, 1))) / 4;
    if (vector + int(chunks) >= int(vector_count))
        fours = 0;
    uvec4 low = uvec4(0);
    if (chunks != 0)
        low = load_vector(vector);
    uvec4 kept = uvec4(0);
    for (; place + 4 * fours < end; ++place) {
        uvec4 high = load_vector(++vector);
        kept = (bits & ~mask) | (funnel(low, high, shift) & mask);
        destination_vectors.vectors[place] = kept;
        mask = uvec4(0xFFFFFFFFu);
        low = high;
    }
    for (; place < end; place += 4) {
        uvec4 a = source_vectors.vectors[vector + 1];
        uvec4 b = source_vectors.vectors[vector + 2];
        uvec4 c = source_vectors.vectors[vector + 3];
        uvec4 d = source_vectors.vectors[vector + 4];
        uvec4 next = d;
        d = funnel(c, d, shift);
        c = funnel(b, c, shift);
        b = funnel(a, b, shift);
        a = funnel(low, a, shift);
        destination_vectors.vectors[place] = a;
        destination_vectors.vectors[place + 1] = b;
        destination_vectors.vectors[place + 2] = c;
        destination_vectors.vectors[place + 3] = d;
        low = next;
        vector += 4;
        kept = a ^ b ^ c ^ d;
    }
    if (chunks != 0)
        bits = funnel(low, load_vector(vector + 1), shift);
    if (chunks > 0x7FFFFFFFu)
        bits = kept;
}

// Fills whole chunks, a multiple of four, with one element.
void fill_chunks(Cursor cursor, uint chunks)
{
    uint place = cursor.byte >> 4;
    uint end = place + chunks;
    uvec4 pattern = repeat(cursor.segment.bits);
    for (; place < end; place += 4) {
        destination_vectors.vectors[place] = pattern;
        destination_vectors.vectors[place + 1] = pattern;
        destination_vectors.vectors[place + 2] = pattern;
        destination_vectors.vectors[place + 3] = pattern;
    }
}

// Stores the bytes [from, to) of a chunk of which others may own the rest.
void write_part(uint byte, uint from, uint to, uvec4 bits)
{
    uvec4 mask = mask_from(from) & ~mask_from(to);
    for (uint k = 0; k < 4; ++k) {
        if (mask[k] != 0)
            store_word((byte >> 2) + k, bits[k], mask[k]);
    }
}

// Fills elements [cursor.i, end) of a run; both are its own ends or those of chunks.
void fill_run(Cursor cursor, uint end, uvec4 coordinates[2])
{
    uint first_byte = cursor.byte;
    uint first_from = cursor.byte & 15; // not 0 where the run begins within a chunk
    uvec4 first_bits = uvec4(0);
    uvec4 bits = uvec4(0); // of the chunk that the cursor is in, as far as they are known
    begin_row_of_run(cursor.row, coordinates);
    while (cursor.i < end) {
        uint chunks = 0;
        uint count = 0;
        while (cursor.i < end) {
            if (cursor.x >= parameters.row_length) {
                cursor.x -= parameters.row_length;
                begin_row_of_run(++cursor.row, coordinates);
            }
            cursor.segment = segment(parameters.row_origin + cursor.x);
            uint left = parameters.row_length - cursor.x;
            count = cursor.segment.count < left ? cursor.segment.count : left + cursor.segment.beyond;
            count = min(count, end - cursor.i);
            bool in_first = first_from != 0 && (cursor.byte >> 4) == (first_byte >> 4);
            chunks = long_chunks(cursor, count, in_first);
            if (chunks != 0)
                break;
            uint from = cursor.byte & 15;
            count = min(count, (CHUNK_BYTES - from) / ELEMENT_BYTES);
            uvec4 piece = piece_bits(cursor.segment, from);
            uvec4 mask = mask_from(from);
            bits = (bits & ~mask) | (piece & mask);
            if (from + count * ELEMENT_BYTES == CHUNK_BYTES) {
                if (in_first)
                    first_bits = bits;
                else
                    destination_vectors.vectors[cursor.byte >> 4] = bits;
            }
            cursor.i += count;
            cursor.byte += count * ELEMENT_BYTES;
            cursor.x += count;
        }
        bool copies = LOADS && cursor.segment.kind == FORWARD;
        if (LOADS)
            copy_chunks(cursor, copies ? chunks : 0, bits);
        if (FILLS)
            fill_chunks(cursor, copies ? 0 : chunks);
        count = copies && chunks != 0 ? count : chunks * CHUNK;
        cursor.i += count;
        cursor.byte += count * ELEMENT_BYTES;
        cursor.x += count;
    }
    bool in_first = (cursor.byte >> 4) == (first_byte >> 4); // never left
    if (first_from != 0)
        write_part(first_byte & ~15u, first_from, in_first ? cursor.byte & 15 : CHUNK_BYTES,
                   in_first ? bits : first_bits);
    if ((cursor.byte & 15) != 0 && !(in_first && first_from != 0))
        write_part(cursor.byte & ~15u, 0, cursor.byte & 15, bits);
}

// The run's element that item `item` of it begins with: the first of its part, or of the first chunk in that.
uint first_element(uint item, uint lead)
{
    if (item >= parameters.items_per_run)
        return parameters.run_length;
    uint group = divide(item, parameters.parts_divisor.x, parameters.parts_divisor.y);
    uint part = item - group * parameters.parts;
    uint element = group * parameters.group_length + part * parameters.part_length;
    uint chunked = (element + lead + CHUNK - 1) / CHUNK * CHUNK;
    return element == 0 ? 0 : min(chunked - lead, parameters.run_length);
}

void main()
{
    uint group = group_index();
    uint item = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    // The second test alone would let an item wrap around 2^32 in the last workgroup.
    if (group >= parameters.group_count || item - gl_LocalInvocationIndex > item || item >= parameters.item_count)
        return;

    uint run = RUN_RANK == 0 ? 0 : divide(item, parameters.items_divisor.x, parameters.items_divisor.y);
    uint slot = item - run * parameters.items_per_run;
    uvec4 coordinates[2] = uvec4[2](uvec4(0), uvec4(0));
    uint begin = push.base_bytes.y + (parameters.output_first + decode(run, 0, RUN_RANK, coordinates)) * ELEMENT_BYTES;
    uint lead = (begin & 15) / ELEMENT_BYTES;
    if (LOADS)
        load_last_vector();
    Cursor cursor;
    cursor.i = first_element(slot, lead);
    cursor.byte = begin + cursor.i * ELEMENT_BYTES;
    cursor.row = divide(cursor.i, parameters.row_divisor.x, parameters.row_divisor.y);
    cursor.x = cursor.i - cursor.row * parameters.row_length;
    fill_run(cursor, first_element(slot + 1, lead), coordinates);
}
