// Chunks of a band, of gather_main.glsl where a kernel HAS_BAND: which elements of 16 bytes are the band's is told row
// by row, a bit each, and what is beside the band takes a load, or two where rows of the input are apart.

// A row of a chunk.
struct BandRow {
    uint index;
    uint x;            // the row's element that the chunk goes on with
    uvec4 coordinates; // of the run's outer dimensions, innermost first
    Row row;
};

const uint OUTER = RANK - RUN_RANK; // of a run

// The row that element i of a run is in.
BandRow band_row_of(Chunk c, uint i)
{
    uint index = divide(i, parameters.row_divisor.x, parameters.row_divisor.y);
    BandRow r = BandRow(index, i - index * parameters.row_length, uvec4(0), c.row);
    [[unroll]] for (uint k = 0; k < 3; ++k) {
        if (k < OUTER) {
            uint d = RANK - 1 - k;
            TAKE_COORDINATE(coordinate, index, d == RUN_RANK, parameters.sizes[d >> 2][d & 3],
                            parameters.multipliers[d >> 2][d & 3], parameters.shifts[d >> 2][d & 3])
            r.coordinates[k] = coordinate;
            enter(r.row, d, parameters.origins[d >> 2][d & 3] + coordinate);
        }
    }
    return r;
}

// Goes on to the next row of the run; only its difference is kept up.
void next_row(inout BandRow r)
{
    r.x = 0;
    bool carries = true;
    [[unroll]] for (uint k = 0; k < 3; ++k) {
        if (k < OUTER) {
            uint d = RANK - 1 - k;
            bool ends = carries && k + 1 < OUTER && r.coordinates[k] + 1 == parameters.sizes[d >> 2][d & 3];
            uint change = ends ? -r.coordinates[k] : carries ? 1 : 0;
            r.coordinates[k] += change;
            r.row.difference += step_of(d) * change;
            carries = ends;
        }
    }
}

// Whether the elements of a row from `difference` on are the band's, a bit each; CHUNK bits have a meaning.
uint row_bits(uint difference)
{
    bool begun = in_band(difference);
    if (step_of(RANK) == 0)
        return begun ? 0xFFFFFFFFu : 0;
    uint first = begun ? 0 : min(-difference, CHUNK);
    uint count = min(parameters.arguments.w - (begun ? difference : 0), CHUNK - 1) + 1;
    return (1u << count) - 1 << first;
}

// .. of a chunk, whose element `from` is the one that `r` goes on with.
uint chunk_bits(BandRow r, uint from)
{
    uint bits = 0;
    uint at = from;
    [[dont_unroll]] for (uint n = 0; n < CHUNK && at < CHUNK; ++n) {
        if (n != 0)
            next_row(r);
        uint count = min(parameters.row_length - r.x, CHUNK);
        bits |= (row_bits(difference_at(r.row, parameters.row_origin + r.x)) & (1u << count) - 1) << at;
        at += count;
    }
    return bits;
}

// Short rows change the difference by no more than CHUNK in a chunk, unless the dimension around them begins again:
// true where all of the chunk is then the band's, or nothing of it.
bool is_uniform(BandRow r, out uint bits)
{
    uint d = RANK - 1;
    bool stays = OUTER == 1 || (OUTER > 1 && parameters.sizes[d >> 2][d & 3] - r.coordinates.x > CHUNK);
    uint difference = difference_at(r.row, parameters.row_origin + r.x);
    uint last = parameters.arguments.w;
    bool inside = last >= 2 * CHUNK && difference - CHUNK <= last - 2 * CHUNK;
    bits = inside ? 0xFFFFFFFFu : 0;
    return ROWS == SHORT && stays && (inside || difference + CHUNK > last + 2 * CHUNK);
}

// The bits from element i of a run on, where they are a pattern's.
uint pattern_bits(uint i)
{
    uint place = i - divide(i, parameters.starts[1].x, parameters.starts[1].y) * parameters.starts[1].z;
    uint low = parameters.starts[0][place >> 5];
    uint high = parameters.starts[0][min((place >> 5) + 1, 3)];
    return low >> (place & 31) | high << 1 << (31 - (place & 31));
}

// The mask of a chunk from a bit for each element.
uvec4 mask_of_bits(uint bits)
{
    if (ELEMENT_BITS == 64)
        return -(uvec4(bits) >> uvec4(0, 0, 1, 1) & 1u);
    uvec4 words = uvec4(bits) >> uvec4(0, 1, 2, 3) * ELEMENTS_PER_WORD;
    if (ELEMENT_BITS == 8)
        return ((words & 0xFu) * 0x00204081u & 0x01010101u) * 0xFFu;
    if (ELEMENT_BITS == 16)
        return ((words & 0x3u) * 0x00008001u & 0x00010001u) * 0xFFFFu;
    return -(words & 1u);
}

// What lies beside the band in elements [from, end) of a chunk.
uvec4 input_beside(Chunk c, BandRow r, uint from, uint end)
{
    uint x = parameters.row_origin + r.x;
    uint begin = from + min(parameters.row_length - r.x, CHUNK); // of the next row
    if (SOURCE != ALIKE && begin < end) {
        Row next = row_of(c, r.index + 1);
        return mix_bits(input_part(r.row.base, x, from), input_part(next.base, parameters.row_origin, begin),
                        mask_from_element(begin));
    }
    return from == 0 && end == CHUNK ? input_chunk(r.row.base, x) : input_part(r.row.base, x, from);
}

// Elements [from, end) of a chunk, and which of them are filled.
uvec4 band_chunk(Chunk c, uint from, uint end, out uvec4 mask)
{
    BandRow r;
    if (HAS_INPUT || !HAS_PATTERN)
        r = band_row_of(c, c.i + from);
    uint bits;
    if (HAS_PATTERN)
        bits = pattern_bits(c.i + from) << from;
    else if (!is_uniform(r, bits))
        bits = chunk_bits(r, from);
    bits = INVERT ? ~bits : bits;
    mask = mask_of_bits(bits);
    uvec4 other = uvec4(0);
    if (HAS_INPUT && (~bits & (1u << end) - (1u << from)) != 0)
        other = input_beside(c, r, from, end);
    return mix_bits(other, repeat(parameters.arguments.xy), mask);
}

// As load().
uint load_band(Chunk c, out uvec4 bits)
{
    bits = uvec4(0);
    if (SOURCE == OUTPUT || c.i >= parameters.run_length || parameters.run_length - c.i < CHUNK)
        return FILL;
    uvec4 mask;
    bits = band_chunk(c, 0, CHUNK, mask);
    return STORE;
}

void fill_parts(Chunk c)
{
    bool begins = c.i >= parameters.run_length; // within the chunk
    uint from = begins ? min(-c.i, CHUNK) : 0; // all of it lies behind the run, however long that is
    uint end = min(parameters.run_length - c.i, CHUNK);
    uvec4 mask;
    uvec4 bits = band_chunk(c, from, end, mask);
    uvec4 run = mask_elements(from, end);
    store_chunk(c, bits, SOURCE == OUTPUT ? run & mask : run);
}
