// What the gather kernels for CPUs are told of a row, beside gather.glsl. A kernel defines
//     void begin_row(uvec4 coordinates[2])     keeps what it needs of a row; coordinates of the RANK outer dimensions
//     Segment segment(uint x)                  what fills the row from element x on
// and includes gather_runs_main.glsl. Rows are dense, and the input's row stride is 0 or 1.
#ifndef VKDML_GATHER_RUNS_GLSL
#define VKDML_GATHER_RUNS_GLSL

layout(constant_id = 5) const bool REPEATED = false; // one element of the input fills a row

uint row_input; // distance of the row from the input's first element

void begin_input_row(uvec4 coordinates[2])
{
    row_input = 0;
    for (uint d = 0; d < RANK; ++d)
        row_input += coordinates[d >> 2][d & 3] * parameters.input_strides[d >> 2][d & 3];
}

void begin_row(uvec4 coordinates[2]);

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

const uint FILL = 0;     // one element repeated
const uint FORWARD = 1;  // input elements side by side, from `distance` upwards
const uint BACKWARD = 2; // the same, downwards

struct Segment {
    uint kind;
    uint count;  // elements, at least 1; what reaches beyond the row does not count
    uint beyond; // elements of the next row that continue it where it does
    uint distance;
    uvec2 bits;
};

Segment fill(uint count, uvec2 bits)
{
    return Segment(FILL, count, 0, 0, bits);
}

Segment forward(uint count, uint distance)
{
    return Segment(FORWARD, count, 0, distance, uvec2(0));
}

Segment backward(uint count, uint distance)
{
    return Segment(BACKWARD, count, 0, distance, uvec2(0));
}

// `count` elements of the input whose first is at `distance`.
Segment input_segment(uint count, uint distance)
{
    if (REPEATED)
        return fill(count, load_element(distance));
    return forward(count, distance);
}

#endif
