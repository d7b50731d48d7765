// The main function of the gather frame: see gather.glsl.

// The offset in output elements of a row within the window, and its coordinates in the whole.
uint decode_row(uint row, out uvec4 coordinates[2])
{
    coordinates[0] = uvec4(0);
    coordinates[1] = uvec4(0);
    uint offset = parameters.output_first;
    for (uint n = 0; n < RANK; ++n) {
        uint d = RANK - 1 - n;
        uint quotient = row / parameters.sizes[d >> 2][d & 3];
        uint coordinate = row - quotient * parameters.sizes[d >> 2][d & 3];
        row = quotient;
        coordinates[d >> 2][d & 3] = parameters.origins[d >> 2][d & 3] + coordinate;
        offset += coordinate * parameters.output_strides[d >> 2][d & 3];
    }
    return offset;
}

// One 32-bit word of a dense row: the elements of the row that lie in it, which at the row's ends are not all.
void gather_word(uint row_offset, uint slot)
{
    uint lead = row_offset % ELEMENTS_PER_WORD; // elements before the row in its first word
    uint bits = 0;
    uint mask = 0;
    for (uint k = 0; k < ELEMENTS_PER_WORD; ++k) {
        uint i = slot * ELEMENTS_PER_WORD + k - lead; // wraps above row_length before the row
        if (i < parameters.row_length) {
            bits |= (element(parameters.row_origin + i).x & ELEMENT_MASK) << (k * ELEMENT_BITS);
            mask |= ELEMENT_MASK << (k * ELEMENT_BITS);
        }
    }
    if (mask != 0)
        store_word(row_offset / ELEMENTS_PER_WORD + slot, bits, mask);
}

void main()
{
    uint group = group_index();
    uint item = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    // The second test alone would let an item wrap around 2^32 in the last workgroup.
    if (group >= parameters.group_count || item - gl_LocalInvocationIndex > item || item >= parameters.item_count)
        return;

    uint row = item / parameters.items_per_row;
    uint slot = item - row * parameters.items_per_row;
    uvec4 coordinates[2];
    uint row_offset = decode_row(row, coordinates);
    begin_row(row, coordinates);

    if (ELEMENT_BITS < 32 && parameters.row_output_stride == 1) {
        gather_word(row_offset, slot);
        return;
    }
    uint offset = row_offset + slot * parameters.row_output_stride;
    uint i = parameters.row_origin + slot;
    if (ELEMENT_BITS < 32) {
        uint shift = (offset % ELEMENTS_PER_WORD) * ELEMENT_BITS;
        store_word(offset / ELEMENTS_PER_WORD, (element(i).x & ELEMENT_MASK) << shift, ELEMENT_MASK << shift);
    } else {
        store_element(offset, element(i));
    }
}
