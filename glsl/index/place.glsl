// Where items of an index kernel lie.
#ifndef VKDML_PLACE_GLSL
#define VKDML_PLACE_GLSL

const bool HAS_ROWS = RUN_RANK != RANK;

// The distances that coordinates make: `index` counts in row-major order over outer dimensions [first, end).
uvec4 decode(uint index, uint first, uint end)
{
    uvec4 distance = uvec4(0);
    for (uint n = first; n < end; ++n) {
        uint d = first + end - 1 - n;
        TAKE_COORDINATE(coordinate, index, d == first, parameters.sizes[d].x,
                        parameters.sizes[d].y, parameters.sizes[d].z)
        distance += coordinate * parameters.strides[d];
    }
    return distance;
}

// Where an item lies.
struct Place {
    uint i;       // its first element in the run; wraps around 0 before the run
    uint element; // of the output, from the descriptor's start
    uvec4 run;    // the places of the run, without those in its rows
};

Place place_of(uint item)
{
    uint run = RUN_RANK == 0 ? 0 : divide(item, parameters.items_divisor.x, parameters.items_divisor.y);
    uint slot = item - run * parameters.items_per_run;
    uvec4 places = parameters.firsts + decode(run, 0, RUN_RANK);
    uint first = places.w + push.base_bytes.y / ELEMENT_BYTES;
    if (!DENSE)
        return Place(slot, first + slot * parameters.row_strides.w, places);
    uint lead = first % ITEM;
    return Place(slot * ITEM - lead, first - lead + slot * ITEM, places);
}

// Where indices lead along the innermost of the outer dimensions, neighbours take elements from different rows, a
// sector of memory for each. The rows of a strip fit a GPU's cache: so those are walked, one item below the other,
// before the strip to the right. The item that comes n-th; the last strip has some that are none.
uint item_in_strips(uint n)
{
    uvec4 height = parameters.sizes[RANK - 1];
    uint width = parameters.row_length / ITEM;
    uint shift = parameters.strip_shift;
    uint line = n >> shift;
    uint strip = divide(line, height.y, height.z);
    uint plane = divide(strip, parameters.strips_divisor.x, parameters.strips_divisor.y);
    uint strips = ((width - 1) >> shift) + 1;
    uint x = ((strip - plane * strips) << shift) + (n & ((1u << shift) - 1));
    uint y = line - (strip - plane) * height.x;
    return x < width ? y * width + x : 0xFFFFFFFFu;
}

// The places that the coordinates of element i of a run make. left: the elements from it to its row's end.
uvec4 places_of(Place p, uint i, out uint left)
{
    uvec4 places = p.run;
    uint x = i;
    if (HAS_ROWS) {
        uint row = divide(i, parameters.row_divisor.x, parameters.row_divisor.y);
        x -= row * parameters.row_length;
        places += decode(row, RUN_RANK, RANK);
    }
    left = parameters.row_length - x;
    return places + x * parameters.row_strides;
}

#endif
