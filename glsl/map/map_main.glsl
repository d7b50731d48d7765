// The main function of the map frame: see map.glsl.
#include "distances.glsl"

const bool HAS_INDEX = EITHER((ROWS & 7u) == INDEX, (ROWS >> 4 & 7u) == INDEX);
const bool LEAVES_ROW_ENDS = EITHER(IS_SERIAL, HAS_INDEX);
const bool HAS_ROWS = RUN_RANK != RANK;

// The distances that coordinates make: `index` counts in row-major order over outer dimensions [first, end).
Distances decode(uint index, uint first, uint end)
{
    Distances distance = NO_DISTANCES;
    for (uint n = first; n < end; ++n) {
        uint d = first + end - 1 - n;
        TAKE_COORDINATE(coordinate, index, d == first, parameters.sizes[d].x,
                        parameters.sizes[d].y, parameters.sizes[d].z)
        ADD_DISTANCES(distance, DISTANCES_OF(coordinate, d));
    }
    return distance;
}

// A statement of each operand, with the name that its distance has in a row.
#if OPERANDS > 3
#define OF_OPERANDS(call) call(a, x) call(b, y) call(c, z) call(d, u) call(e, v)
#elif OPERANDS > 2
#define OF_OPERANDS(call) call(a, x) call(b, y) call(c, z)
#elif OPERANDS > 1
#define OF_OPERANDS(call) call(a, x) call(b, y)
#else
#define OF_OPERANDS(call) call(a, x)
#endif
#define LOAD_ITEM(operand, distance) load_item_##operand(row.distance, x);
#define LOAD_INTO(operand, distance) load_into_##operand(k, row.distance, x);
#define LOAD_SINGLE(operand, distance) load_single_##operand(row.distance, x);

// Where an item lies.
struct Place {
    uint i;        // its first element in the run; wraps around 0 before the run
    uint element;  // of the output, from the descriptor's start
    Distances run; // of the run
};

Place place_of(uint item)
{
    uint run = RUN_RANK == 0 ? 0 : divide(item, parameters.items_divisor.x, parameters.items_divisor.y);
    uint slot = item - run * parameters.items_per_run;
    Distances distance = decode(run, 0, RUN_RANK);
    uint first = parameters.output_first + distance.w + push.base_bytes[0] * 8 / BITS_OUT;
    if (HAS_GAPS)
        return Place(slot, first + slot * parameters.row_output_stride, distance);
    uint lead = first % ITEM;
    return Place(slot * ITEM - lead, first - lead + slot * ITEM, distance);
}

// The distances of the row that element i of a run is in; i becomes its place in the row.
Distances row_of(Place p, inout uint i)
{
    Distances distance = p.run;
    if (HAS_ROWS) {
        uint row = divide(i, parameters.row_divisor.x, parameters.row_divisor.y);
        i -= row * parameters.row_length;
        ADD_DISTANCES(distance, decode(row, RUN_RANK, RANK));
    }
    return distance;
}

// Loads all operands of an item that is all in its run, and where one invocation does much in a row in one row.
bool load(Place p)
{
    bool whole = p.i < parameters.run_length && parameters.run_length - p.i >= ITEM;
    if (!whole)
        return false;
    uint x = p.i;
    Distances row = row_of(p, x);
    is_in_one_row = !HAS_ROWS || (x < parameters.row_length && parameters.row_length - x >= ITEM);
    if (is_in_one_row) {
        OF_OPERANDS(LOAD_ITEM)
        return true;
    }
    if (LEAVES_ROW_ENDS)
        return false;
    [[unroll]] for (uint k = 0; k < ITEM; ++k) {
        x = p.i + k;
        row = row_of(p, x);
        OF_OPERANDS(LOAD_INTO)
    }
    return true;
}

void store(Place p)
{
    uint index = p.element / ITEM;
    if (ITEM_BYTES == 16) {
        destination_vectors.vectors[index] = packed_out[0];
    } else if (ITEM_BYTES == 8) {
        destination.words[index * 2] = packed_out[0].x;
        destination.words[index * 2 + 1] = packed_out[0].y;
    } else {
        destination.words[index] = packed_out[0].x;
    }
#ifdef HAS_MORE_OUTPUTS
    store_more(p.element);
#endif
}

// Other invocations may own the word's other bits, so of a part only the bits that change are flipped, in one atomic;
// in place the output is an operand too.
void store_element(uint element, ELEMENT bits)
{
#ifdef IS_WIDE
    uint low = bits.x;
    if (BITS_OUT == 64) {
        destination.words[element * 2] = low;
        destination.words[element * 2 + 1] = bits.y;
        return;
    }
#else
    uint low = bits;
#endif
    if (BITS_OUT < 32) {
        uint index = element / OUT_PER_WORD;
        uint shift = element % OUT_PER_WORD * BITS_OUT;
        uint old = atomicOr(destination.words[index], 0);
        atomicXor(destination.words[index], (old ^ (low << shift)) & (OUT_MASK << shift));
    } else {
        destination.words[element] = low;
    }
}

// Element by element, those that are in the run.
void fill_carefully(Place p)
{
    [[dont_unroll]] for (uint k = 0; k < ITEM; ++k) {
        uint x = p.i + k;
        if (x < parameters.run_length) {
            Distances row = row_of(p, x);
            OF_OPERANDS(LOAD_SINGLE)
            store_element(p.element + k, compute_element());
#ifdef HAS_MORE_OUTPUTS
            store_more_of_element(p.element + k);
#endif
        }
    }
}

bool fill_at_once(Place p)
{
    bool filled = !HAS_GAPS && load(p) && compute_item();
    if (filled)
        store(p);
    return filled;
}

// For CPUs, which execute both sides of every branch and all of a loop at least once: what needs care is left for
// afterwards.
void fill_share(uint first, uint end)
{
    for (uint block = first; block < end; block += 32) {
        uint left = 0;
        uint count = min(end - block, 32);
        for (uint n = 0; n < count; ++n) {
            if (!fill_at_once(place_of(block + n)))
                left |= 1u << n;
        }
        while (left != 0) {
            fill_carefully(place_of(block + findLSB(left)));
            left &= left - 1;
        }
    }
}

// The item of an invocation where workgroups are tiles: neighbours are in neighbouring rows, and so are workgroups.
// Whether there is one.
bool find_in_tile(uint group, out uint item)
{
    uint height = parameters.sizes[RANK - 1].x;
    uint width = gl_WorkGroupSize.x / TILE_ROWS;
    uint row_blocks = (height + TILE_ROWS - 1) / TILE_ROWS;
    uint column_blocks = (parameters.items_per_run + width - 1) / width;
    uint column = group / row_blocks;
    uint y = group % row_blocks * TILE_ROWS + gl_LocalInvocationIndex % TILE_ROWS;
    uint x = column % column_blocks * width + gl_LocalInvocationIndex / TILE_ROWS;
    item = (column / column_blocks * height + y) * parameters.items_per_run + x;
    return y < height && x < parameters.items_per_run;
}

void fill(uint item)
{
    Place p = place_of(item);
    if (!fill_at_once(p))
        fill_carefully(p);
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
#ifdef HAS_TABLE
    fill_table();
#endif
    if (IS_SERIAL) {
        uint invocation = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
        if (invocation <= (parameters.item_count - 1) / parameters.share) {
            uint first = invocation * parameters.share;
            fill_share(first, first + min(parameters.share, parameters.item_count - first));
        }
    } else if (TILE_ROWS != 0) {
        uint item;
        if (find_in_tile(group, item))
            fill(item);
    } else {
        uint begin = group * gl_WorkGroupSize.x * ITEMS;
        uint count = min(parameters.item_count - begin, gl_WorkGroupSize.x * ITEMS);
        [[unroll]] for (uint n = 0; n < ITEMS; ++n) {
            uint item = n * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
            if (item < count)
                fill(begin + item);
        }
    }
}
