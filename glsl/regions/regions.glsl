// The frame of the kernel that pools regions of pictures: each element of the target is made of what a bin of a region
// covers in one plane of the source. A first step leaves a record of each region, 32 bytes: two vectors, of x and y,
// each with the region's start and what its bins are made of.
#ifndef VKDML_REGIONS_GLSL
#define VKDML_REGIONS_GLSL

#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "types.glsl"
#include "words.glsl"

// of the source (of a first step the corners), the target, the indices; 4 bits each
layout(constant_id = 1) const uint TYPES = 0x111;
const uint TYPE = TYPES & 15u;
const uint TYPE_OUT = TYPES >> 4 & 15u;
const uint TYPE_OF_INDICES = TYPES >> 8 & 15u; // 0: the picture is the first of a region's five numbers
const uint PER_WORD = TYPE == FLOAT16 ? 2 : 1;
const uint OUT_PER_WORD = TYPE_OUT == FLOAT16 ? 2 : 1;

layout(constant_id = 2) const uint FLAGS = 0;
// In C: VKDML_REGIONS_...
const bool IS_FIRST = (FLAGS & 1u) != 0;      // makes the records
const bool HAS_SAMPLES = (FLAGS & 2u) != 0;   // bins are grids of points; else boxes of elements
const bool INTERPOLATES = (FLAGS & 4u) != 0;  // points lie between elements; else they take the nearest
const bool AVERAGES = (FLAGS & 8u) != 0;      // else the greatest
const bool TO_CORNERS = (FLAGS & 16u) != 0;   // the outermost points are a region's size apart
const bool HAS_PARTS = (FLAGS & 32u) != 0;    // not all of the source is bound
const bool ACCUMULATES = (FLAGS & 64u) != 0;  // onto what the target has
const bool FINDS_WINNERS = (FLAGS & 128u) != 0; // the number of a bin's greatest point, in place of that; UINT32
const bool FINDS_CORNERS = (FLAGS & 256u) != 0; // what the gradients of a region's corners are made of, 4 FLOAT32
// where regions, channels, rows and columns are among the dimensions, 4 bits each
layout(constant_id = 3) const uint ORDER = 0x3210;
layout(constant_id = 4) const uint V = 1;     // elements of an item: as many as fill a word, or 1

// Strides are in elements, modulo 2^32, from what is bound on. x comes before y.
layout(std140, binding = 0) uniform RegionsParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;  // of the first step regions
    uint element_count;
    uint share;       // items of an invocation
    uint corners_first; // of the first step: numbers of regions, and their pictures' indices
    uint corners_stride;
    uint column_stride;
    uint indices_first;
    uint indices_stride;
    uint picture_count;
    uint target_first;
    uint outside;     // FLOAT32: what lies outside the planes
    uint least;       // samples of a bin along an axis
    uint most;
    uint source_first;
    uint gradient_first;
    uvec4 source_strides; // of pictures, channels
    uvec4 offsets;        // FLOAT32: of pixels in the output and in the input; scales of x and y
    uvec4 extents[2];     // of a plane: a size, as FLOAT32, less one as FLOAT32, and the stride
    uvec4 bins[2];        // how many of a region: a size, its multiplier and shifts, as FLOAT32
    uvec4 sizes[4];       // of the target, outermost first: a size, its multiplier and shifts, the stride
    uvec4 origin;         // of the part: first channel, row and column of the target
    uvec4 part_first;     // HAS_PARTS: of what is bound of the source, a picture, column and row
    uvec4 part_size;
    uvec4 gradient_strides; // in the order of sizes
} parameters;

BUFFER_OF_VECTORS(3, readonly, Records, records);
BUFFER_OF_WORDS(3, readonly, Indices, indices);

BUFFER_OF_WORDS(4, readonly, Gradients, gradients);

const uint NO_PICTURE = 0xFFFFFFFFu;
const uint NO_WINNER = 0xFFFFFFFFu; // no point is inside

// An element of the source as FLOAT32. The first bound word is there whatever is asked for.
uint load(uint element)
{
    uint word = source.words[element / PER_WORD];
    return TYPE == FLOAT16 ? widen_halves(word >> (element & 1) * 16 & 0xFFFF).x : word;
}

#endif
