// Seams shared out, part of gather_main.glsl.
const bool IS_SEAMED = ROWS == SEAMED;

// A seam is the end of a row's input, the rims, and the beginning of the next row's input. Its whole chunks take many
// instructions, and where rows are short each subgroup would have one and wait for it; so units of them, a word or an
// element of 64 bits, are shared out among as many invocations, which fill them beside their own chunks.
const uint UNIT_WORDS = WORDS_PER_ELEMENT;
const uint UNITS = 4 / UNIT_WORDS; // of a chunk
const uint UNIT_ELEMENTS = CHUNK / UNITS;

// Elements of the rim that ends a row.
uint end_rim()
{
    return parameters.row_length - parameters.row_start - parameters.row_input_size;
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

// This invocation's unit of the seams among items [begin, end) of the run that is all of the output.
Unit load_unit(uint begin, uint end)
{
    Unit unit = Unit(false, 0, uvec2(0));
    if (IS_SEAMED && gl_LocalInvocationIndex < parameters.seam_units) {
        Run run = begin_run(0);
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
            Row a = row_of(c, index - 1); // before the first row and behind the last unused
            Row b = row_of(c, index);
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

// Stores those elements of a chunk that are in its run: little code for the ends of the only one.
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
