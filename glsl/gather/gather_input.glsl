// A row of the input beside the output's, for gather kernels whose input has the output's coordinates.
#ifndef VKDML_GATHER_INPUT_GLSL
#define VKDML_GATHER_INPUT_GLSL

// How far a coordinate moves a row from the input's first element.
uint input_distance(uint d, uint coordinate)
{
    return coordinate * parameters.input_strides[d >> 2][d & 3];
}

uvec2 input_element(uint row, uint x)
{
    return load_element(row + x * parameters.row_input_stride);
}

bool has_input_chunk()
{
    return INPUT_ROWS != APART;
}

uvec4 input_chunk(uint row, uint x)
{
    return parameters.row_input_stride == 1 ? load_chunk(row + x) : repeat(load_element(row));
}

uvec4 input_part(uint row, uint x, uint from)
{
    return parameters.row_input_stride == 1 ? load_part(row + x, from) : repeat(load_element(row));
}

#endif
