// The third operand where it is of records: four numbers of FLOAT32 each, the same for many elements, mostly. Where the
// output is packed they are found by numbers of its elements, so that a row need not end where a record does: element n
// has record n / inner % count; else by strides.
BUFFER_OF_VECTORS(4, readonly, Records, records);

const bool IS_NUMBERED = (ROWS >> 8 & 7u) == INDEX;
const uint MOST_OF_ITEM = 8;
vec4 record_of[MOST_OF_ITEM]; // of the elements of an item, or first the one of compute_element()

vec4 load_record(uint index)
{
    return uintBitsToFloat(records.vectors[(push.base_bytes[3] >> 4) + index]);
}

// arguments[0] is inner, for divide() its multiplier and shifts, arguments[1] the same of count.
uint record_of_row(uint row)
{
    return row - divide(row, parameters.arguments[1].y, parameters.arguments[1].z) * parameters.arguments[1].x;
}

uint row_of_number(uint number)
{
    return divide(number, parameters.arguments[0].y, parameters.arguments[0].z);
}

vec4 load_single_record(uint distance)
{
    uint index = distance + parameters.firsts[2];
    return load_record(IS_NUMBERED ? record_of_row(row_of_number(index)) : index);
}

// Of elements side by side.
void load_numbered(uint number)
{
    uint inner = parameters.arguments[0].x;
    uint row = row_of_number(number);
    uint place = number - row * inner;
    if (inner < ITEM) {
        [[unroll]] for (uint k = 0; k < ITEM; ++k)
            record_of[k] = load_record(record_of_row(row_of_number(number + k)));
        return;
    }
    uint index = record_of_row(row);
    vec4 own = load_record(index);
    vec4 following = own;
    if (place + ITEM > inner)
        following = load_record(index + 1 == parameters.arguments[1].x ? 0 : index + 1);
    [[unroll]] for (uint k = 0; k < ITEM; ++k)
        record_of[k] = place + k < inner ? own : following;
}

void load_item_c(uint row, uint x)
{
    uint stride = parameters.row_strides[2];
    if (IS_NUMBERED) {
        load_numbered(row + x * stride + parameters.firsts[2]);
    } else if (stride == 0) {
        vec4 bits = load_single_record(row);
        [[unroll]] for (uint k = 0; k < ITEM; ++k)
            record_of[k] = bits;
    } else {
        [[unroll]] for (uint k = 0; k < ITEM; ++k)
            record_of[k] = load_single_record(row + (x + k) * stride);
    }
}

void load_single_c(uint row, uint x)
{
    record_of[0] = load_single_record(row + x * parameters.row_strides[2]);
}

void load_into_c(uint k, uint row, uint x)
{
    record_of[k] = load_single_record(row + x * parameters.row_strides[2]);
}
