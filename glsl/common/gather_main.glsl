// The main function of the gather frame: see gather.glsl.

// Writes the coordinates of `index`, which counts in row-major order over outer dimensions [first, end), as they are in
// the whole tensor; returns its distance in output elements.
uint decode(uint index, uint first, uint end, inout uvec4 coordinates[2])
{
    uint distance = 0;
    for (uint n = first; n < end; ++n) {
        uint d = first + end - 1 - n;
        uint quotient = index; // the outermost is not divided by its size
        if (d != first) {
            quotient = divide(index, parameters.multipliers[d >> 2][d & 3], parameters.shifts[d >> 2][d & 3]);
            index -= quotient * parameters.sizes[d >> 2][d & 3];
        }
        uint coordinate = d != first ? index : quotient;
        index = quotient;
        coordinates[d >> 2][d & 3] = parameters.origins[d >> 2][d & 3] + coordinate;
        distance += coordinate * parameters.output_strides[d >> 2][d & 3];
    }
    return distance;
}

void begin_row_of_run(uint row, inout uvec4 coordinates[2])
{
    decode(row, RUN_RANK, RANK, coordinates);
    begin_row(coordinates);
}

// Elements of a run, from element `i` (which wraps around 0 before the run) to fill the aligned 16 bytes at `place`: one
// by one, those beyond the run's ends left alone.
void gather_elements(uint i, uint place, uvec4 coordinates[2])
{
    uint first = i < parameters.run_length ? i : 0;
    uint row = divide(first, parameters.row_divisor.x, parameters.row_divisor.y);
    uint x = first - row * parameters.row_length;
    begin_row_of_run(row, coordinates);
    for (uint slot = 0; slot < CHUNK_BYTES / max(ELEMENT_BYTES, 4); ++slot) {
        uvec2 bits = uvec2(0);
        uint mask = 0;
        for (uint k = 0; k < ELEMENTS_PER_WORD; ++k, ++i) {
            if (i >= parameters.run_length)
                continue;
            if (x == parameters.row_length) {
                x = 0;
                begin_row_of_run(++row, coordinates);
            }
            uvec2 loaded = element(parameters.row_origin + x++);
            bits |= ELEMENT_BITS < 32 ? (loaded & ELEMENT_MASK) << (k * ELEMENT_BITS) : loaded;
            mask |= ELEMENT_MASK << (k * ELEMENT_BITS & 31u);
        }
        if (mask == 0)
            continue;
        if (ELEMENT_BITS == 64) {
            destination.words[place / 4 + 2 * slot] = bits.x;
            destination.words[place / 4 + 2 * slot + 1] = bits.y;
        } else {
            store_word(place / 4 + slot, bits.x, mask);
        }
    }
}

// Item `slot` of a run that begins at output byte `begin`.
void gather_chunk(uint begin, uint slot, uvec4 coordinates[2])
{
    uint lead = (begin & 15) / ELEMENT_BYTES; // elements before the run in its first 16 bytes
    uint i = slot * CHUNK - lead;             // wraps around 0 before the run
    uint place = (begin & ~15u) + slot * CHUNK_BYTES;
    if (i < parameters.run_length && parameters.run_length - i >= CHUNK) {
        uint row = divide(i, parameters.row_divisor.x, parameters.row_divisor.y);
        uint x = i - row * parameters.row_length;
        begin_row_of_run(row, coordinates);
        uvec4 bits;
        if (parameters.row_length - x >= CHUNK && chunk(parameters.row_origin + x, bits)) {
            destination_vectors.vectors[place >> 4] = bits;
            return;
        }
    }
    gather_elements(i, place, coordinates);
}

// Element x of a row with gaps, at output byte `begin`.
void gather_element(uint begin, uint x, uvec4 coordinates[2])
{
    begin_row(coordinates);
    uvec2 bits = element(parameters.row_origin + x);
    uint byte = begin + x * parameters.row_output_stride * ELEMENT_BYTES;
    if (ELEMENT_BITS < 32) {
        uint shift = (byte & 3) * 8;
        store_word(byte / 4, (bits.x & ELEMENT_MASK) << shift, ELEMENT_MASK << shift);
    } else {
        destination.words[byte / 4] = bits.x;
        if (ELEMENT_BITS == 64)
            destination.words[byte / 4 + 1] = bits.y;
    }
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
    if (DENSE)
        gather_chunk(begin, slot, coordinates);
    else
        gather_element(begin, slot, coordinates);
}
