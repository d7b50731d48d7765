// The third operand where it is of records: four numbers of FLOAT32 each, the same for many elements, mostly.
BUFFER_OF_VECTORS(4, readonly, Records, records);

const uint MOST_OF_ITEM = 8;
vec4 record_of[MOST_OF_ITEM]; // of the elements of an item, or first the one of compute_element()

vec4 load_record(uint distance)
{
    return uintBitsToFloat(records.vectors[(push.base_bytes[3] >> 4) + parameters.firsts[2] + distance]);
}

void load_item_c(uint row, uint x)
{
    uint stride = parameters.row_strides[2];
    if (stride == 0) {
        vec4 bits = load_record(row);
        [[unroll]] for (uint k = 0; k < ITEM; ++k)
            record_of[k] = bits;
    } else {
        [[unroll]] for (uint k = 0; k < ITEM; ++k)
            record_of[k] = load_record(row + (x + k) * stride);
    }
}

void load_single_c(uint row, uint x)
{
    record_of[0] = load_record(row + x * parameters.row_strides[2]);
}

void load_into_c(uint k, uint row, uint x)
{
    record_of[k] = load_record(row + x * parameters.row_strides[2]);
}
