// Seams shared out, part of gather_main.glsl.
const bool IS_SEAMED = ROWS == SEAMED;

// A seam is the end of a row's input, the rims, and the beginning of the next row's input. Its whole chunks take many
// instructions, and where rows are short each subgroup would have one and wait for it; so units of them, a word or an
// element of 64 bits, are shared out among as many invocations, which fill them beside their own chunks.
const uint UNIT_WORDS = WORDS_PER_ELEMENT;
const uint UNITS = 4 / UNIT_WORDS; // of a chunk
const uint UNIT_ELEMENTS = CHUNK / UNITS;

// The rows that a workgroup's chunks touch, and the one before them: each is decoded once.
const uint SHARED_ROWS = gl_WorkGroupSize.x / 2 + 4; // a seam has two units at least
shared Row shared_rows[SHARED_ROWS];

// Decodes them for items [begin, end); returns the first one's index.
uint share_rows(Run run, uint begin, uint end)
{
    uint first = max(begin * CHUNK, run.lead) - run.lead;
    uint last = end * CHUNK - 1 - run.lead;
    // unused where it wraps around 0
    uint index = divide(first, parameters.row_divisor.x, parameters.row_divisor.y) - 1;
    uint count = divide(last, parameters.row_divisor.x, parameters.row_divisor.y) - index + 1;
    Chunk c = chunk_of(run, 0);
    for (uint i = gl_LocalInvocationIndex; i < min(count, SHARED_ROWS); i += gl_WorkGroupSize.x)
        shared_rows[i] = row_of(c, index + i);
    barrier();
    return index;
}

Row shared_row(uint index)
{
    return shared_rows[min(index, SHARED_ROWS - 1)];
}

// Elements of the rim that ends a row.
uint end_rim()
{
    return parameters.row_length - parameters.row_start - parameters.row_input_size;
}

// Stores those elements of a chunk that are in its run: little code for few chunks.
void fill_end(Chunk c)
{
    [[dont_unroll]] for (uint k = 0; k < CHUNK; ++k) {
        uint i = c.i + k;
        if (i < parameters.run_length) {
            uint index = divide(i, parameters.row_divisor.x, parameters.row_divisor.y);
            uvec2 bits = element(row_of(c, index), parameters.row_origin + i - index * parameters.row_length);
            store_element(c.place + k * ELEMENT_BYTES, bits);
        }
    }
}

// Those of the chunks of an invocation whose bits are set.
void fill_ends(Run run, uint begin, uint ends)
{
    [[dont_unroll]] for (uint n = 0; ends >> n != 0; ++n)
        if ((ends >> n & 1) != 0)
            fill_end(chunk_of(run, begin + n * gl_WorkGroupSize.x + gl_LocalInvocationIndex));
}

// Whether the chunk that begins with element x of a row is of a seam.
bool is_seam(uint x)
{
    return x < parameters.row_start || x + CHUNK > parameters.row_start + parameters.row_input_size;
}

struct Unit {
    bool exists;
    uint word; // of the output
    uvec2 bits;
};

// This invocation's unit of the seams among items [begin, end).
Unit load_unit(Run run, uint begin, uint end, uint first_row)
{
    Unit unit = Unit(false, 0, uvec2(0));
    if (gl_LocalInvocationIndex < parameters.seam_units) {
        uint q = gl_LocalInvocationIndex / UNITS;
        uint part = gl_LocalInvocationIndex % UNITS;
        uint n = divide(q, parameters.seam_divisor.x, parameters.seam_divisor.y);
        // Seam n is around the first element of row n; the first one here is that not wholly before the items.
        uint first = max(begin * CHUNK, run.lead) - run.lead + parameters.row_length - parameters.row_start;
        uint index = divide(first, parameters.row_divisor.x, parameters.row_divisor.y) + n;
        uint joint = index * parameters.row_length;
        uint slot = (max(joint + run.lead, end_rim()) - end_rim()) / CHUNK + q - n * parameters.seam_chunks;
        Chunk c = chunk_of(run, slot);
        unit.exists = slot >= begin && slot < end && is_whole(c) && c.i < joint + parameters.row_start;
        if (unit.exists) {
            Row a = shared_row(index - 1 - first_row); // before the first row and behind the last unused
            Row b = shared_row(index - first_row);
            uint x = c.i - joint + parameters.row_length + part * UNIT_ELEMENTS;
            [[unroll]] for (uint k = 0; k < UNIT_ELEMENTS; ++k) {
                uvec2 bits = element_of(a, b, x + k);
                unit.bits |= ELEMENT_BITS < 32 ? bits << (k * ELEMENT_BITS & 31u) : bits;
            }
            unit.word = c.place / 4 + part * UNIT_WORDS;
        }
    }
    return unit;
}

void store_unit(Unit unit)
{
    if (unit.exists) {
        destination.words[unit.word] = unit.bits.x;
        if (ELEMENT_BITS == 64)
            destination.words[unit.word + 1] = unit.bits.y;
    }
}

// All that is taken from the input is on its way before any of it is looked at: where it is not, 16-bit rows of 524
// bytes take 8 % longer on an NVIDIA H200.
void fill_seamed(uint begin, uint end)
{
    Run run = begin_run(0);
    uint first_row = share_rows(run, begin, end);
    Words words[CHUNKS];
    bool stores[CHUNKS];
    bool is_rim[CHUNKS];
    uint ends = 0; // bit n: chunk n
    [[unroll]] for (uint n = 0; n < CHUNKS; ++n) {
        uint item = begin + n * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
        Chunk c = chunk_of(run, item);
        uint index = divide(c.i, parameters.row_divisor.x, parameters.row_divisor.y);
        uint x = c.i - index * parameters.row_length;
        Row row = shared_row(index - first_row);
        stores[n] = item < end && is_whole(c) && !is_seam(x);
        ends |= item < end && !is_whole(c) ? 1u << n : 0;
        is_rim[n] = has_rim_only(row);
        words[n] =
            load_words(stores[n] && !is_rim[n] ? input_row(row) + x - parameters.row_start : -parameters.input_first);
    }
    store_unit(load_unit(run, begin, end, first_row));
    [[unroll]] for (uint n = 0; n < CHUNKS; ++n) {
        Chunk c = chunk_of(run, begin + n * gl_WorkGroupSize.x + gl_LocalInvocationIndex);
        uvec4 bits = is_rim[n] ? rim_chunk() : join(words[n]);
        if (stores[n])
            destination_vectors.vectors[c.place >> 4] = bits;
    }
    fill_ends(run, begin, ends);
}
