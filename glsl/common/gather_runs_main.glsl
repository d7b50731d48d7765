// The main function of the gather kernels for CPUs: see gather_runs.glsl. An invocation fills a long part of a run, 16
// aligned bytes after the other, row after row. On lavapipe each access to memory is a loop over the lanes, both sides of
// a branch are always executed, and a loop takes as many turns as its slowest lane; so whole chunks have a loop of their
// own, of one load and one store each whatever the alignments, and lanes meet before it rather than take turns in it.

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

// The words of the input from `word` on, which may lie beyond its ends: other words are put in place of those that do.
uvec4 load_words(int word)
{
    int last = int(source.words.length()) - 1;
    ivec4 words = clamp(word + ivec4(0, 1, 2, 3), ivec4(0), ivec4(last));
    return uvec4(source.words[words.x], source.words[words.y], source.words[words.z], source.words[words.w]);
}

// 16 bytes of which those from `from` on begin with the segment.
uvec4 piece_bits(Segment segment, uint from)
{
    uvec4 bits = repeat(segment.bits);
    if (!READS_INPUT)
        return bits;
    uint byte = input_byte(segment.distance);
    int offset = int(byte & 3) - int(segment.kind == BACKWARD ? CHUNK_BYTES - ELEMENT_BYTES - from : from);
    int word = int(byte >> 2) + (offset >> 2);
    if (segment.kind != FILL) {
        bits = load_words(word);
        if (ELEMENT_BITS < 32) {
            int last = int(source.words.length()) - 1;
            bits = funnel(bits, uvec4(source.words[clamp(word + 4, 0, last)]), uint(offset) & 3);
        }
    }
    return segment.kind == BACKWARD ? reverse(bits) : bits;
}

// For each word of a chunk the bits of its bytes from `from` on.
uvec4 mask_from(uint from)
{
    ivec4 bits = clamp(int(from) * 8 - ivec4(0, 32, 64, 96), ivec4(0), ivec4(32));
    return mix(uvec4(0xFFFFFFFFu) << (uvec4(bits) & 31u), uvec4(0), equal(bits, ivec4(32)));
}

// The whole chunks from here on that are of one segment, and whose input is inside its buffer by whole vectors.
uint whole_chunks(Cursor cursor, uint end)
{
    Segment segment = cursor.segment;
    uint chunks = min(min(segment.count, parameters.row_length - cursor.x), end - cursor.i) / CHUNK;
    if ((cursor.byte & 15) != 0 || segment.kind == BACKWARD)
        return 0;
    if (READS_INPUT && segment.kind == FORWARD) {
        uint byte = input_byte(segment.distance);
        uint vectors = uint(source_vectors.vectors.length());
        chunks = min(chunks, vectors - min(vectors, (byte >> 4) + min(byte & 15, 1)));
    }
    return chunks;
}

// Fills whole chunks. Loads before stores, by fours: a chunk by itself takes a tenth longer on lavapipe.
void write_chunks(Cursor cursor, uint chunks)
{
    bool reads = READS_INPUT && cursor.segment.kind == FORWARD;
    uint byte = input_byte(cursor.segment.distance);
    uint shift = byte & 15;
    uint vector = byte >> 4;
    uint place = cursor.byte >> 4;
    uvec4 pattern = repeat(cursor.segment.bits);
    uvec4 low = uvec4(0);
    if (reads && shift != 0 && chunks != 0)
        low = source_vectors.vectors[vector++];
    uint k = 0;
    for (; k + 4 <= chunks; k += 4) {
        uvec4 a = pattern, b = pattern, c = pattern, d = pattern;
        if (reads) {
            a = source_vectors.vectors[vector + k];
            b = source_vectors.vectors[vector + k + 1];
            c = source_vectors.vectors[vector + k + 2];
            d = source_vectors.vectors[vector + k + 3];
            uvec4 next = d;
            if (shift != 0) {
                d = funnel(c, d, shift);
                c = funnel(b, c, shift);
                b = funnel(a, b, shift);
                a = funnel(low, a, shift);
            }
            low = next;
        }
        destination_vectors.vectors[place + k] = a;
        destination_vectors.vectors[place + k + 1] = b;
        destination_vectors.vectors[place + k + 2] = c;
        destination_vectors.vectors[place + k + 3] = d;
    }
    for (; k < chunks; ++k) {
        uvec4 a = pattern;
        if (reads) {
            a = source_vectors.vectors[vector + k];
            uvec4 next = a;
            if (shift != 0)
                a = funnel(low, a, shift);
            low = next;
        }
        destination_vectors.vectors[place + k] = a;
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
        while (cursor.i < end) {
            if (cursor.x == parameters.row_length) {
                cursor.x = 0;
                begin_row_of_run(++cursor.row, coordinates);
            }
            cursor.segment = segment(parameters.row_origin + cursor.x);
            chunks = whole_chunks(cursor, end);
            if (chunks != 0)
                break;
            uint from = cursor.byte & 15;
            uint room = min((CHUNK_BYTES - from) / ELEMENT_BYTES, end - cursor.i);
            uint count = min(min(cursor.segment.count, parameters.row_length - cursor.x), room);
            uvec4 piece = piece_bits(cursor.segment, from);
            uvec4 mask = mask_from(from);
            bits = (bits & ~mask) | (piece & mask);
            if (from + count * ELEMENT_BYTES == CHUNK_BYTES) {
                if (first_from != 0 && (cursor.byte >> 4) == (first_byte >> 4))
                    first_bits = bits;
                else
                    destination_vectors.vectors[cursor.byte >> 4] = bits;
            }
            cursor.i += count;
            cursor.byte += count * ELEMENT_BYTES;
            cursor.x += count;
        }
        write_chunks(cursor, chunks);
        cursor.i += chunks * CHUNK;
        cursor.byte += chunks * CHUNK_BYTES;
        cursor.x += chunks * CHUNK;
    }
    bool in_first = (cursor.byte >> 4) == (first_byte >> 4); // never left
    if (first_from != 0)
        write_part(first_byte & ~15u, first_from, in_first ? cursor.byte & 15 : CHUNK_BYTES, in_first ? bits : first_bits);
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
    Cursor cursor;
    cursor.i = first_element(slot, lead);
    cursor.byte = begin + cursor.i * ELEMENT_BYTES;
    cursor.row = divide(cursor.i, parameters.row_divisor.x, parameters.row_divisor.y);
    cursor.x = cursor.i - cursor.row * parameters.row_length;
    fill_run(cursor, first_element(slot + 1, lead), coordinates);
}
