// Chunks that the rows of a matrix end in, of gather_main.glsl where a kernel HAS_BAND: masks of whole chunks, and at most
// two loads of the input.

// Where element i of a run is.
struct Place {
    uint x; // in its row
    uint index; // of its row
};

Place place_of(uint i)
{
    uint index = divide(i, parameters.row_divisor.x, parameters.row_divisor.y);
    return Place(i - index * parameters.row_length, index);
}

// The outer dimensions of a run.
const uint OUTER = RANK - RUN_RANK;

uint size_of(uint d)
{
    return d == RANK ? parameters.row_length : parameters.sizes[d >> 2][d & 3];
}

// What the difference changes by besides where outer dimension d steps on and the one within it begins again.
uint carry_to(uint d)
{
    return step_of(d) - step_of(d + 1) * size_of(d + 1);
}

// The band's bits of a chunk of short rows, the run's element at `place` being the chunk's `from`: element by element, each
// a step from the one before.
uvec4 short_mask(Chunk c, Place place, uint from)
{
    Row row = c.row;
    uint index = place.index;
    uvec4 coordinates = uvec4(place.x, 0, 0, 0); // innermost first
    [[unroll]] for (uint k = 1; k <= 3; ++k) {
        if (k <= OUTER) {
            uint d = RANK - k;
            uint coordinate = index;
            if (d != RUN_RANK) {
                uint quotient = divide(index, parameters.multipliers[d >> 2][d & 3], parameters.shifts[d >> 2][d & 3]);
                coordinate = index - quotient * parameters.sizes[d >> 2][d & 3];
                index = quotient;
            }
            coordinates[k] = coordinate;
            row.difference += step_of(d) * (parameters.origins[d >> 2][d & 3] + coordinate);
        }
    }
    uint difference = difference_at(row, parameters.row_origin + place.x - from);
    coordinates.x -= from; // wraps around 0 before the run
    uvec4 mask = uvec4(0);
    [[unroll]] for (uint word = 0; word < 4; word += WORDS_PER_ELEMENT) {
        uint filled = 0;
        [[unroll]] for (uint k = 0; k < ELEMENTS_PER_WORD; ++k) {
            if (in_band(difference))
                filled |= ELEMENT_MASK << (k * ELEMENT_BITS & 31u);
            difference += step_of(RANK);
            ++coordinates.x;
            [[unroll]] for (uint n = 0; n < 3; ++n) {
                if (n < OUTER && coordinates[n] == size_of(RANK - n)) {
                    coordinates[n] = 0;
                    ++coordinates[n + 1];
                    difference += carry_to(RANK - 1 - n);
                }
            }
        }
        mask[word] = filled;
        if (ELEMENT_BITS == 64)
            mask[word + 1] = filled;
    }
    return mask;
}

// Elements [first, end) of a chunk are the run's.
void fill_parts(Chunk c)
{
    bool begins = c.i >= parameters.run_length; // within the chunk
    uint first = begins ? -c.i : 0;
    uint end = min(parameters.run_length - c.i, CHUNK);
    Place place = place_of(c.i + first);
    uint x = parameters.row_origin + place.x;
    Row row = row_of(c, place.index);
    Row next = row;
    uint begin = CHUNK; // of the next row, not of short ones
    uvec4 mask;
    if (ROWS == SHORT) {
        mask = short_mask(c, place, first);
    } else {
        mask = band_mask(row, x - first);
        begin = first + min(parameters.row_length - place.x, CHUNK);
        if (begin < end) {
            next = row_of(c, place.index + 1);
            mask = mix_bits(mask, band_mask(next, parameters.row_origin - begin), mask_from_element(begin));
        }
    }
    mask = INVERT ? ~mask : mask;
    uvec4 run = mask_elements(first, end);
    uvec4 bits = uvec4(0);
    if (HAS_INPUT && any(notEqual(run & ~mask, uvec4(0)))) {
        bits = input_part(row.base, x, first);
        if (SOURCE != ALIKE && begin < end)
            bits = mix_bits(bits, input_part(next.base, parameters.row_origin, begin), mask_from_element(begin));
    }
    store_chunk(c, mix_bits(bits, repeat(parameters.arguments.xy), mask), SOURCE == OUTPUT ? run & mask : run);
}
