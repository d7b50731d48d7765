// Interleaves the elements of a few planes, as from NCHW to NHWC with few channels, or separates them again. A unit is
// 16 bytes of every plane: planes are read or written 16 bytes per invocation, what is interleaved goes through shared
// memory so that invocations side by side move it, and elements are exchanged in registers. All begins at multiples of
// 16 bytes.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "binding.glsl"
#include "division.glsl"
#include "words.glsl"

layout(constant_id = 1) const uint ELEMENT_BITS = 32; // 8, 16, 32 or 64
layout(constant_id = 2) const uint PLANES = 3;
layout(constant_id = 3) const uint BATCH_RANK = 1;
layout(constant_id = 4) const bool SEPARATES = false;
layout(constant_id = 5) const uint TILE_VECTORS = 768;

const uint PIECE_BITS = ELEMENT_BITS < 32 ? ELEMENT_BITS : 32; // of an element or of half of one
const uint PACKED = 32 / PIECE_BITS;                           // of a word
const uint PIECES = ELEMENT_BITS / PIECE_BITS;                 // of an element
const uint CHUNK = 128 / ELEMENT_BITS;                         // elements of 16 bytes
const uint PIECE_MASK = 0xFFFFFFFFu >> (32 - PIECE_BITS);

// Strides are in 16 bytes.
layout(std140, binding = 0) uniform InterleaveParameters {
    uint group_count;
    uint unit_count;
    uint units; // of a row of the planes
    uint plane_stride;
    uvec2 units_divisor;
    uint output_first;
    uint input_first;
    uvec4 sizes[2]; // of the batch dimensions, outermost first, as of strides
    uvec4 multipliers[2]; // for divide() by them
    uvec4 shifts[2];
    uvec4 output_strides[2];
    uvec4 input_strides[2];
} parameters;

shared uvec4 tile[TILE_VECTORS];

// Where 16 bytes lie: those PLANES apart fall on different banks.
uint slot(uint index)
{
    return PLANES % 2 == 0 ? index + index / 8 : index;
}

// Where a unit begins, {output, input}, in 16 bytes.
uvec2 unit_at(uint unit)
{
    uint index = divide(unit, parameters.units_divisor.x, parameters.units_divisor.y);
    unit -= index * parameters.units;
    uvec2 sum = uvec2(parameters.output_first, parameters.input_first) + push.base_bytes.yx / 16 +
                unit * uvec2(SEPARATES ? 1 : PLANES, SEPARATES ? PLANES : 1);
    for (uint n = 0; n < BATCH_RANK; ++n) {
        uint d = BATCH_RANK - 1 - n;
        TAKE_COORDINATE(coordinate, index, d == 0, parameters.sizes[d >> 2][d & 3],
                        parameters.multipliers[d >> 2][d & 3], parameters.shifts[d >> 2][d & 3])
        sum += coordinate * uvec2(parameters.output_strides[d >> 2][d & 3], parameters.input_strides[d >> 2][d & 3]);
    }
    return sum;
}

// Where a piece of what is interleaved lies in the 16 bytes of the planes, one after the other.
uint piece_of_planes(uint index)
{
    uint element = index / PIECES;
    return (element % PLANES * CHUNK + element / PLANES) * PIECES + index % PIECES;
}

// The inverse.
uint piece_of_interleaved(uint index)
{
    uint element = index / PIECES;
    return (element % CHUNK * PLANES + element / CHUNK) * PIECES + index % PIECES;
}

uvec4 held[PLANES]; // of an invocation

uint piece(uint index)
{
    return held[index / PACKED / 4][index / PACKED % 4] >> index % PACKED * PIECE_BITS & PIECE_MASK;
}

// 16 bytes of what is held, exchanged.
uvec4 exchanged(uint vector)
{
    uvec4 result = uvec4(0);
    [[unroll]] for (uint i = 0; i < 4 * PACKED; ++i) {
        uint index = vector * 4 * PACKED + i;
        uint bits = piece(SEPARATES ? piece_of_interleaved(index) : piece_of_planes(index));
        result[i / PACKED] |= bits << i % PACKED * PIECE_BITS;
    }
    return result;
}

void read_interleaved(uint first, uint count)
{
    [[unroll]] for (uint p = 0; p < PLANES; ++p) {
        uint index = gl_LocalInvocationIndex + p * gl_WorkGroupSize.x;
        uint unit = min(index / PLANES, count - 1);
        held[p] = source_vectors.vectors[unit_at(first + unit).y + index % PLANES];
    }
    [[unroll]] for (uint p = 0; p < PLANES; ++p)
        tile[slot(gl_LocalInvocationIndex + p * gl_WorkGroupSize.x)] = held[p];
}

void write_planes(uint begin)
{
    [[unroll]] for (uint p = 0; p < PLANES; ++p)
        held[p] = tile[slot(gl_LocalInvocationIndex * PLANES + p)];
    [[unroll]] for (uint p = 0; p < PLANES; ++p)
        destination_vectors.vectors[begin + p * parameters.plane_stride] = exchanged(p);
}

void read_planes(uint begin)
{
    [[unroll]] for (uint p = 0; p < PLANES; ++p)
        held[p] = source_vectors.vectors[begin + p * parameters.plane_stride];
    [[unroll]] for (uint p = 0; p < PLANES; ++p)
        tile[slot(gl_LocalInvocationIndex * PLANES + p)] = exchanged(p);
}

void write_interleaved(uint first, uint count)
{
    [[unroll]] for (uint p = 0; p < PLANES; ++p) {
        uint index = gl_LocalInvocationIndex + p * gl_WorkGroupSize.x;
        if (index < count * PLANES)
            destination_vectors.vectors[unit_at(first + index / PLANES).x + index % PLANES] = tile[slot(index)];
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint first = group * gl_WorkGroupSize.x;
    uint count = min(parameters.unit_count - first, gl_WorkGroupSize.x);
    bool has_unit = gl_LocalInvocationIndex < count;
    uvec2 begin = unit_at(first + gl_LocalInvocationIndex);
    if (SEPARATES)
        read_interleaved(first, count);
    else if (has_unit)
        read_planes(begin.y);
    barrier();
    if (!SEPARATES)
        write_interleaved(first, count);
    else if (has_unit)
        write_planes(begin.x);
}
