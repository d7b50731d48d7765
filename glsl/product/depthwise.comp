// Convolutions of groups of one channel each. An invocation makes ROWS rows of four pixels side by side, of one channel
// of the output: coordinate c of a dimension takes tap t at c * step + t * tap_step + start of the channel's elements,
// where that is one of them.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define HAS_EIGHT_BUFFERS
#include "binding.glsl"
#include "division.glsl"
#include "tensors.glsl"

layout(constant_id = 2) const uint SHAPE = 0;
// In C: VKDML_DEPTHWISE_...
const bool HAS_C = (SHAPE & 16u) != 0;
const bool B_IS_VECTOR = (SHAPE & 32u) != 0;   // four of a line, from a multiple of four on, are one load
const bool OUT_IS_VECTOR = (SHAPE & 64u) != 0; // four pixels are one store
const bool CHANNELS_INNER = (SHAPE & 128u) != 0; // neighbours have channels side by side, not pixels
const bool OPERAND_IS_VECTOR = (SHAPE & 256u) != 0; // of an epilogue: four pixels are one load

// Where all taps of rows and columns are in registers, and next to one another: how many.
layout(constant_id = 3) const uint COLUMN_TAPS = 0; // 0: one after the other, wherever they are
layout(constant_id = 4) const uint ROW_TAPS = 0;
// .. how far pixels are apart, 4 bits more: what vectors begin before the first tap
layout(constant_id = 5) const uint COLUMN_STEP = 1;
layout(constant_id = 6) const uint ROW_STEP = 1;
layout(constant_id = 7) const uint ROWS = 1; // at most 4; 1 where taps are anywhere
const bool HAS_LINES = COLUMN_TAPS != 0;
const uint STEP = COLUMN_STEP & 15u;
const uint LEAD = COLUMN_STEP >> 4;
const uint SPAN = LEAD + 3 * STEP + COLUMN_TAPS;

// Dimensions: columns, rows, two more of pixels. In elements.
layout(std140, binding = 0) uniform DepthwiseParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint unit_count;
    uint unused0;
    uint unused1;
    uvec4 firsts;   // of a, which is the filter, b, c and the output
    uvec4 groups;   // strides
    uvec4 rows;     // .. of channels of a group of the output
    // of each dimension, the channels of a group, groups: count, multiplier, shifts, stride of the output
    uvec4 units[6];
    uvec4 steps[4]; // step, start, tap_step, stride of b
    uvec4 sizes[4]; // of the output, of taps; the end of what is taken of b; stride of a
    uvec4 arguments[3];
    uvec4 ending;         // of an epilogue: where the operand begins, its factor
    uvec4 operand_steps;  // .. between groups and channels of a group
    uvec4 operand_pixels; // .. and along each dimension
} parameters;

#include "finish.glsl"

uint rest;

uint take(uint d)
{
    uint quotient = divide(rest, parameters.units[d].y, parameters.units[d].z);
    uint coordinate = rest - quotient * parameters.units[d].x;
    rest = quotient;
    return coordinate;
}

vec4 sums[4];
float weights[49];
float line[28];

float weight_at(uint element)
{
    return LOAD_ONE(a, TYPE, element);
}

vec4 load_side(uint row, uint q, uint end)
{
    if (q >= end)
        return vec4(0.0);
    return LOAD_FOUR(b, TYPE, row + q);
}

vec4 load_apart(uint row, uvec4 q, uint end)
{
    bvec4 exist = lessThan(q, uvec4(end));
    uvec4 elements = mix(uvec4(push.base_bytes[2] * 8 / BITS_OF(TYPE)), row + q * parameters.steps[0].w, exist);
    vec4 x = vec4(LOAD_ONE(b, TYPE, elements.x), LOAD_ONE(b, TYPE, elements.y), LOAD_ONE(b, TYPE, elements.z),
                  LOAD_ONE(b, TYPE, elements.w));
    return mix(vec4(0.0), x, exist);
}

// The elements that four pixels and their taps reach along a row.
void load_line(uint row, uint first)
{
    uint end = parameters.sizes[0].z;
    [[unroll]] for (uint i = 0; i < (SPAN + 3) / 4; ++i) {
        uint q = first - LEAD + 4 * i;
        vec4 x = B_IS_VECTOR ? load_side(row, q, end) : load_apart(row, q + uvec4(0, 1, 2, 3), end);
        line[4 * i] = x.x;
        line[4 * i + 1] = x.y;
        line[4 * i + 2] = x.z;
        line[4 * i + 3] = x.w;
    }
}

// Each line is loaded once, for all rows of pixels that it is a tap of.
void add_lines(uint a_plane, uint b_plane, uint x, uint y)
{
    [[unroll]] for (uint i = 0; i < ROW_TAPS * COLUMN_TAPS; ++i) weights[i] =
        weight_at(a_plane + i / COLUMN_TAPS * parameters.sizes[1].w + i % COLUMN_TAPS * parameters.sizes[0].w);
    uint first = x * STEP + parameters.steps[0].y;
    [[unroll]] for (uint i = 0; i < (ROWS - 1) * ROW_STEP + ROW_TAPS; ++i) {
        uint q = y * ROW_STEP + parameters.steps[1].y + i;
        if (q < parameters.sizes[1].z) {
            load_line(b_plane + q * parameters.steps[1].w, first);
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                [[unroll]] for (uint t = 0; t < COLUMN_TAPS; ++t) {
                    if (i - r * ROW_STEP < ROW_TAPS)
                        sums[r] = fma(vec4(weights[(i - r * ROW_STEP) * COLUMN_TAPS + t]),
                                      vec4(line[LEAD + t], line[LEAD + STEP + t], line[LEAD + 2 * STEP + t],
                                           line[LEAD + 3 * STEP + t]),
                                      sums[r]);
                }
            }
        }
    }
}

// Each tap by itself.
void add_taps(uint a_plane, uint b_plane, uint x, uint y)
{
    uvec4 columns = (x + uvec4(0, 1, 2, 3)) * parameters.steps[0].x + parameters.steps[0].y;
    for (uint t = 0; t < parameters.sizes[1].y; ++t) {
        uint q = y * parameters.steps[1].x + parameters.steps[1].y + t * parameters.steps[1].z;
        if (q < parameters.sizes[1].z) {
            uint row = b_plane + q * parameters.steps[1].w;
            for (uint u = 0; u < parameters.sizes[0].y; ++u) {
                vec4 taken = load_apart(row, columns + u * parameters.steps[0].z, parameters.sizes[0].z);
                sums[0] = fma(vec4(weight_at(a_plane + t * parameters.sizes[1].w + u * parameters.sizes[0].w)), taken,
                              sums[0]);
            }
        }
    }
}

// Four pixels from x on, none of which is beyond the row's end where they are one store; `place` is where the row of an
// epilogue's operand begins.
void store_row(uint element, uint place, uint x, float bias, vec4 row)
{
    precise vec4 sum = row;
    if (HAS_C)
        sum = sum + bias;
    uvec4 columns = HAS_OPERAND ? min(x + uvec4(0, 1, 2, 3), uvec4(parameters.sizes[0].x - 1)) : uvec4(0);
    uvec4 bits =
        finished(floatBitsToUint(sum), place + columns * parameters.operand_pixels.x, OPERAND_IS_VECTOR);
    if (OUT_IS_VECTOR) {
        if (TYPE_OUT == FLOAT16)
            destination_pairs.pairs[element / 4] = uvec2(bits.x | bits.y << 16, bits.z | bits.w << 16);
        else
            destination_vectors.vectors[element / 4] = bits;
    } else {
        [[dont_unroll]] for (uint v = 0; v < 4; ++v)
            if (x + v < parameters.sizes[0].x)
                store_one(element + v * parameters.units[0].w, bits[v]);
    }
}

void main()
{
    uint group = group_index();
    rest = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (group >= parameters.group_count || rest >= parameters.unit_count)
        return;
    uint m = CHANNELS_INNER ? take(4) : 0;
    uint g = CHANNELS_INNER ? take(5) : 0;
    uint x = take(0) * 4;
    uint y = take(1) * ROWS;
    uint z = take(2);
    uint w = take(3);
    if (!CHANNELS_INNER) {
        m = take(4);
        g = rest;
    }
    uvec4 firsts = parameters.firsts + g * parameters.groups + m * parameters.rows;
    uint a_first = firsts.x + push.base_bytes[0] * 8 / BITS_OF(TYPE);
    uint b_first = firsts.y + push.base_bytes[2] * 8 / BITS_OF(TYPE);
    [[unroll]] for (uint r = 0; r < 4; ++r)
        sums[r] = vec4(0.0);
    for (uint t = 0; t < parameters.sizes[3].y; ++t) {
        uint volume = w * parameters.steps[3].x + parameters.steps[3].y + t * parameters.steps[3].z;
        for (uint u = 0; u < parameters.sizes[2].y; ++u) {
            uint plane = z * parameters.steps[2].x + parameters.steps[2].y + u * parameters.steps[2].z;
            if (volume < parameters.sizes[3].z && plane < parameters.sizes[2].z) {
                uint a_plane = a_first + t * parameters.sizes[3].w + u * parameters.sizes[2].w;
                uint b_plane = b_first + volume * parameters.steps[3].w + plane * parameters.steps[2].w;
                if (HAS_LINES)
                    add_lines(a_plane, b_plane, x, y);
                else
                    add_taps(a_plane, b_plane, x, y);
            }
        }
    }
    float bias = HAS_C ? LOAD_ONE(c, TYPE_C, firsts.z + push.base_bytes[3] * 8 / BITS_OF(TYPE_C)) : 0.0;
    uint element = firsts.w + push.base_bytes[1] * 8 / BITS_OF(TYPE_OUT) + x * parameters.units[0].w +
                   y * parameters.units[1].w + z * parameters.units[2].w + w * parameters.units[3].w;
    uint place = parameters.ending.x + push.more_base_bytes[0] * 8 / BITS_OF(TYPE_OUT) +
                 g * parameters.operand_steps.x + m * parameters.operand_steps.y + y * parameters.operand_pixels.y +
                 z * parameters.operand_pixels.z + w * parameters.operand_pixels.w;
    if (FUNCTION == FN_NONE && EPILOGUE == 0) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            if (y + r < parameters.sizes[1].x)
                store_row(element + r * parameters.units[1].w, place, x, bias, sums[r]);
    } else { // activations are too long for a copy each
        [[dont_unroll]] for (uint r = 0; r < ROWS; ++r) {
            vec4 row = mix(mix(sums[0], sums[1], bvec4(r == 1)), mix(sums[2], sums[3], bvec4(r == 3)), bvec4(r >= 2));
            if (y + r < parameters.sizes[1].x)
                store_row(element + r * parameters.units[1].w, place + r * parameters.operand_pixels.y, x, bias, row);
        }
    }
}
