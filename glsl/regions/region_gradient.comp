// Gradients of planes that regions were pooled from: each element of the target is the sum of what the regions whose
// points lie on it give, in their order. A workgroup has a tile of a plane, and as many planes as an invocation makes
// elements of; which regions reach the tile it finds first, many at a time.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "binding.glsl"
#include "types.glsl"
#include "words.glsl"

layout(constant_id = 1) const uint TYPES = 0x11; // of the source, of the target; 4 bits each
const uint TYPE = TYPES & 15u;
const uint TYPE_OUT = TYPES >> 4;
const uint PER_WORD = TYPE == FLOAT16 ? 2 : 1;
const uint OUT_PER_WORD = TYPE_OUT == FLOAT16 ? 2 : 1;

layout(constant_id = 2) const uint FLAGS = 0;
// In C: VKDML_REGION_GRADIENT_...
const bool ACCUMULATES = (FLAGS & 1u) != 0;  // onto what the target has
const bool INTERPOLATES = (FLAGS & 2u) != 0; // points lie between elements; else they take the nearest
const bool AVERAGES = (FLAGS & 4u) != 0;     // else a bin's gradient goes to the point that it names

layout(constant_id = 3) const uint SAMPLES = 0; // of a bin along an axis, where all have as many; else 0

// In C: VKDML_REGION_GRADIENT_...
const uint TILE_WIDTH = 8; // or a whole workgroup, where that is smaller
const uint PLANES = 8;     // of an invocation

// Strides are in elements, modulo 2^32, from what is bound on. x comes before y.
layout(std140, binding = 0) uniform RegionGradientParameters {
    uint group_count;    // workgroups with work; the grid may hold more
    uint tiles_along;
    uint tiles_down;
    uint channel_groups; // of a picture
    uint first_region;
    uint end_region;
    uint table_first;    // in pairs, behind the records
    uint region_pairs;
    uint source_first;
    uint target_first;
    uint winners_first;
    uint channels;       // of the part
    uvec4 origin;        // of the part: x, y, channel, picture
    uvec4 offsets;       // FLOAT32: of pixels in the output and in the input
    uvec4 extents[2];    // of a plane: a size, as FLOAT32, less one as FLOAT32, and of the part
    uvec4 bins;          // of the part: first x and y, the ones behind the last
    uvec4 source_strides;  // of regions, channels, bins along y and x
    uvec4 target_strides;  // of pictures, channels, y and x
    uvec4 winner_strides;
} parameters;

BUFFER_OF_VECTORS(3, readonly, Records, records);
BUFFER_OF_PAIRS(3, readonly, Table, table);
BUFFER_OF_WORDS(4, readonly, Winners, winners);

#include "points.glsl"

const uint WORDS = (gl_WorkGroupSize.x + 31) / 32; // sizes are powers of two
shared uint reaching[WORDS]; // a bit for each region of so many

uint picture;
uint channel; // of the part, the first
uvec2 pixel;  // in the plane
bool is_pixel;
vec4 sum_a;
vec4 sum_b;

uvec4 planes_a; // where they begin in the source, beside the first
uvec4 planes_b;

uvec2 pair_at(uint region, uint n)
{
    return table.pairs[push.base_bytes.z / 8 + parameters.table_first + region * parameters.region_pairs + n];
}

uvec4 record_at(uint region, uint axis)
{
    uvec4 record = records.vectors[push.base_bytes.z / 16 + 2 * region + axis];
    if (SAMPLES != 0)
        record.z = SAMPLES;
    return record;
}

// ---- what a region gives ----

// What a point gives to the element at a coordinate.
float share_of(uint axis, uint n, uvec4 region, uint coordinate)
{
    Point p = point_of(axis, n, region);
    precise float near = 1.0 - p.far;
    float share = p.low == coordinate ? (INTERPOLATES ? near : 1.0) : 0.0;
    if (INTERPOLATES && p.low != coordinate)
        share = p.high == coordinate ? p.far : 0.0;
    return p.is_inside ? share : 0.0;
}

// What the points of a bin give, of those in a range.
float share_of_bin(uint axis, uint bin, uvec4 region, uvec2 range, uint coordinate)
{
    precise float share = 0.0;
    uint end = min((bin + 1) * region.z, range.x + range.y);
    [[dont_unroll]] for (uint n = max(bin * region.z, range.x); n < end; ++n)
        share = share + share_of(axis, n, region, coordinate);
    return share;
}

float load(uint element)
{
    uint word = source.words[element / PER_WORD];
    return uintBitsToFloat(TYPE == FLOAT16 ? widen_halves(word >> (element & 1) * 16 & 0xFFFF).x : word);
}

// Planes that there are not take the last one's, and are not stored.
uvec4 four_channels(uint v)
{
    return min(channel + v + uvec4(0, 1, 2, 3), uvec4(parameters.channels - 1));
}

vec4 load_four(uvec4 elements)
{
    return vec4(load(elements.x), load(elements.y), load(elements.z), load(elements.w));
}

// What has no share does not count; of averages none comes here that has none.
vec4 added(vec4 sum, vec4 numbers, vec4 shares)
{
    precise vec4 more = sum + numbers * shares;
    return AVERAGES ? more : mix(more, sum, equal(shares, vec4(0.0)));
}

vec4 shares_of_winners(uint v, uint base, uvec2 bin, uvec4 x, uvec4 y, uvec2 range_x, uvec2 range_y)
{
    vec4 shares = vec4(0.0);
    uvec4 at = base + four_channels(v) * parameters.winner_strides.y;
    [[unroll]] for (uint k = 0; k < 4; ++k) {
        uint winner = winners.words[at[k]];
        uvec2 n = bin * uvec2(x.z, y.z) + uvec2(winner % x.z, winner / x.z);
        bool is_near = n.x - range_x.x < range_x.y && n.y - range_y.x < range_y.y;
        if (winner != 0xFFFFFFFFu && is_near) {
            precise float share = share_of(0, n.x, x, pixel.x) * share_of(1, n.y, y, pixel.y);
            shares[k] = share;
        }
    }
    return shares;
}

void add_bin(uint region, uvec2 bin, vec4 shares_a, vec4 shares_b)
{
    uvec4 strides = parameters.source_strides;
    uint base = parameters.source_first + push.base_bytes.x / 4 * PER_WORD + region * strides.x + bin.y * strides.z +
                bin.x * strides.w;
    sum_a = added(sum_a, load_four(base + planes_a), shares_a);
    sum_b = added(sum_b, load_four(base + planes_b), shares_b);
}

void add_region(uint region)
{
    uvec4 x = record_at(region, 0);
    uvec4 y = record_at(region, 1);
    uvec2 range_x = pair_at(region, 2 + pixel.x);
    uvec2 range_y = pair_at(region, 2 + parameters.extents[0].x + pixel.y);
    if (range_x.y == 0 || range_y.y == 0)
        return;
    uvec2 first = max(uvec2(range_x.x / x.z, range_y.x / y.z), parameters.bins.xy);
    uvec2 end = uvec2((range_x.x + range_x.y - 1) / x.z, (range_y.x + range_y.y - 1) / y.z) + 1;
    end = min(end, parameters.bins.zw);
    [[dont_unroll]] for (uint i = first.y; i < end.y; ++i) {
        precise float down = 0.0;
        if (AVERAGES)
            down = share_of_bin(1, i, y, range_y, pixel.y) * uintBitsToFloat(y.w);
        [[dont_unroll]] for (uint j = first.x; j < end.x; ++j) {
            if (AVERAGES) {
                precise float share = down * share_of_bin(0, j, x, range_x, pixel.x);
                if (share != 0.0)
                    add_bin(region, uvec2(j, i), vec4(share), vec4(share));
            } else {
                uvec4 strides = parameters.winner_strides;
                uint base = parameters.winners_first + push.base_bytes.w / 4 + region * strides.x + i * strides.z +
                            j * strides.w;
                add_bin(region, uvec2(j, i), shares_of_winners(0, base, uvec2(j, i), x, y, range_x, range_y),
                        shares_of_winners(4, base, uvec2(j, i), x, y, range_x, range_y));
            }
        }
    }
}

// ---- tiles ----

bool reaches(uint region, uvec2 low, uvec2 high)
{
    uvec2 x = pair_at(region, 0);
    uvec2 y = pair_at(region, 1);
    bool is_there = record_at(region, 0).w == picture;
    bool is_near = all(lessThan(uvec2(x.x, y.x), high)) && all(greaterThan(uvec2(x.y, y.y), low));
    return is_there && is_near;
}

void store(uint v, float sum)
{
    uvec4 strides = parameters.target_strides;
    uvec2 at = pixel - parameters.origin.xy;
    uint element = parameters.target_first + push.base_bytes.y / 4 * OUT_PER_WORD +
                   (picture - parameters.origin.w) * strides.x + (channel + v) * strides.y + at.y * strides.z +
                   at.x * strides.w;
    if (channel + v >= parameters.channels || !is_pixel)
        return;
    if (ACCUMULATES) { // of FLOAT32 alone
        precise float total = uintBitsToFloat(destination.words[element]) + sum;
        sum = total;
    }
    if (TYPE_OUT == FLOAT16) {
        uint shift = (element & 1) * 16;
        store_word(element / 2, narrow_to_half(floatBitsToUint(sum)) << shift, 0xFFFFu << shift);
    } else {
        destination.words[element] = floatBitsToUint(sum);
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count) // of the whole workgroup
        return;
    uint width = min(TILE_WIDTH, gl_WorkGroupSize.x);
    uvec2 tile = uvec2(width, gl_WorkGroupSize.x / width);
    uint rest = group / parameters.tiles_along;
    uvec2 tile_at = uvec2(group - rest * parameters.tiles_along, rest % parameters.tiles_down);
    uvec2 low = parameters.origin.xy + tile_at * tile;
    rest /= parameters.tiles_down;
    picture = parameters.origin.w + rest / parameters.channel_groups;
    channel = rest % parameters.channel_groups * PLANES;
    uint n = gl_LocalInvocationIndex;
    uvec2 end = parameters.origin.xy + uvec2(parameters.extents[0].w, parameters.extents[1].w);
    pixel = low + uvec2(n % tile.x, n / tile.x);
    is_pixel = all(lessThan(pixel, end));
    planes_a = four_channels(0) * parameters.source_strides.y;
    planes_b = four_channels(4) * parameters.source_strides.y;
    sum_a = vec4(0.0);
    sum_b = vec4(0.0);
    uint first = parameters.first_region;
    [[dont_unroll]] for (; first < parameters.end_region; first += gl_WorkGroupSize.x) {
        if (n < WORDS)
            reaching[n] = 0;
        barrier();
        if (first + n < parameters.end_region) {
            if (reaches(first + n, low, min(low + tile, end)))
                atomicOr(reaching[n / 32], 1u << n % 32);
        }
        barrier();
        [[dont_unroll]] for (uint w = 0; w < WORDS; ++w) {
            uint bits = is_pixel ? reaching[w] : 0;
            [[dont_unroll]] while (bits != 0) {
                add_region(first + 32 * w + findLSB(bits));
                bits &= bits - 1;
            }
        }
        barrier();
    }
    [[unroll]] for (uint v = 0; v < 4; ++v) {
        store(v, sum_a[v]);
        store(v + 4, sum_b[v]);
    }
}
