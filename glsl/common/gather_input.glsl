// A row of the input beside the output's, for gather kernels whose input has the output's coordinates.
#ifndef VKDML_GATHER_INPUT_GLSL
#define VKDML_GATHER_INPUT_GLSL

uint row_input; // distance of the row from the input's first element

void begin_input_row(uvec4 coordinates[2])
{
    row_input = 0;
    for (uint d = 0; d < RANK; ++d)
        row_input += coordinates[d >> 2][d & 3] * parameters.input_strides[d >> 2][d & 3];
}

uvec2 input_element(uint x)
{
    return load_element(row_input + x * parameters.row_input_stride);
}

bool input_chunk(uint x, out uvec4 bits)
{
    bits = uvec4(0);
    if (parameters.row_input_stride == 1)
        bits = load_chunk(row_input + x);
    else if (parameters.row_input_stride == 0)
        bits = repeat(load_element(row_input));
    else
        return false;
    return true;
}

#endif
