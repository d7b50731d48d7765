// A b that is gathered. Column n is a pixel of up to four dimensions, step k a channel and a tap in each dimension that
// is walked: the element is at coordinate pixel * step + tap * tap_step + start of each dimension, divided by a divisor
// where there is one. Where that is no coordinate of b's it is 0. Dimensions are counted from the innermost on.

#include "division.glsl"

layout(constant_id = 10) const uint GATHER = 0;
const uint PIXEL_RANK = GATHER & 7u; // 0: b is not gathered
// In C: VKDML_PRODUCT_...
const uint CHECKED_SHIFT = 4;
const uint WALKED_SHIFT = 8;
const uint DIVIDED_SHIFT = 12;
const uint OUT_RANK_SHIFT = 20;
const bool CHANNELS_LAST = (GATHER & 0x10000u) != 0; // k counts taps outside and channels inside
const uint CHECKED = GATHER >> CHECKED_SHIFT & 15u; // of each dimension a bit: some coordinates are none of b's
const uint WALKED = GATHER >> WALKED_SHIFT & 15u;   // .. there is more than one tap
const uint DIVIDED = GATHER >> DIVIDED_SHIFT & 15u;
// dimensions of pixels in the output; 0: columns are one step apart
const uint OUT_RANK = GATHER >> OUT_RANK_SHIFT & 7u;
const bool B_IS_GATHERED = PIXEL_RANK != 0;

#define HAS(mask, d) (((mask) >> (d) & 1u) != 0)
#define DIVIDE_COUNTS(n, d) divide(n, parameters.pixel_counts[d].y, parameters.pixel_sizes[d].y & 0xFFFF)
#define DIVIDE_TAPS(n, d) divide(n, parameters.pixel_counts[d].w, parameters.pixel_sizes[d].y >> 16)

// Four columns: where taps and channel 0 lie, modulo 2^32, and their coordinates.
struct Columns {
    uvec4 firsts;
    ivec4 places[4];
};

#define COLUMN_DIMENSION(d)                                                                                            \
    if (PIXEL_RANK > d) {                                                                                              \
        uvec4 coordinates = rest;                                                                                      \
        if (PIXEL_RANK > d + 1) {                                                                                      \
            rest = DIVIDE_COUNTS(rest, d);                                                                             \
            coordinates -= rest * parameters.pixel_counts[d].x;                                                        \
        }                                                                                                              \
        uvec4 places = coordinates * parameters.pixel_steps[d].x + parameters.pixel_steps[d].y;                        \
        columns.places[d] = ivec4(places);                                                                             \
        if (!HAS(DIVIDED, d))                                                                                          \
            columns.firsts += places * parameters.pixel_steps[d].w;                                                    \
    }

Columns find_columns(uint n)
{
    Columns columns;
    columns.firsts = uvec4(b_first);
    uvec4 rest = min(n + uvec4(0, 1, 2, 3), uvec4(parameters.n - 1));
    COLUMN_DIMENSION(0)
    COLUMN_DIMENSION(1)
    COLUMN_DIMENSION(2)
    COLUMN_DIMENSION(3)
    return columns;
}

// A step along k leads so much farther.
struct Tap {
    uint element;
    int places[4];
};

#define TAP_DIMENSION(d)                                                                                               \
    tap.places[d] = 0;                                                                                                 \
    if (HAS(WALKED, d)) {                                                                                              \
        uint number = rest;                                                                                            \
        if (WALKED >> d != 1) {                                                                                        \
            rest = DIVIDE_TAPS(rest, d);                                                                               \
            number -= rest * parameters.pixel_counts[d].z;                                                             \
        }                                                                                                              \
        uint place = number * parameters.pixel_steps[d].z;                                                             \
        tap.places[d] = int(place);                                                                                    \
        if (!HAS(DIVIDED, d))                                                                                          \
            tap.element += place * parameters.pixel_steps[d].w;                                                        \
    }

Tap find_tap(uint k)
{
    uint channel = b_k_first + min(k, k_end - 1);
    uint rest = 0;
    if (WALKED != 0) {
        uint quotient = divide(channel, parameters.channels.y, parameters.channels.z);
        uint remainder = channel - quotient * parameters.channels.x;
        rest = CHANNELS_LAST ? quotient : remainder;
        channel = CHANNELS_LAST ? remainder : quotient;
    }
    Tap tap;
    tap.element = channel * parameters.channels.w;
    TAP_DIMENSION(0)
    TAP_DIMENSION(1)
    TAP_DIMENSION(2)
    TAP_DIMENSION(3)
    return tap;
}

#define CHECK_DIMENSION(d)                                                                                             \
    if (HAS(CHECKED, d)) {                                                                                             \
        uvec4 places = uvec4(columns.places[d] + tap.places[d]);                                                       \
        if (HAS(DIVIDED, d)) {                                                                                         \
            uvec4 quotients = divide(places, parameters.pixel_sizes[d].w, parameters.divisor_shifts[d]);               \
            exist = mix(bvec4(false), equal(quotients * parameters.pixel_sizes[d].z, places), exist);                  \
            exist = mix(bvec4(false), lessThan(places, uvec4(0x80000000u)), exist);                                    \
            elements += quotients * parameters.pixel_steps[d].w;                                                       \
            places = quotients;                                                                                        \
        }                                                                                                              \
        exist = mix(bvec4(false), lessThan(places, uvec4(parameters.pixel_sizes[d].x)), exist);                        \
    }

// Finding them takes divisions: a workgroup that walks along k by TILE_K keeps those of a step and of the next in
// shared memory.
shared uint stored_taps[B_IS_GATHERED ? 10 * TILE_K : 1];

void store_tap(uint k)
{
    Tap tap = find_tap(k);
    uint place = k % (2 * TILE_K) * 5;
    stored_taps[place] = tap.element;
    [[unroll]] for (uint d = 0; d < 4; ++d) {
        if (HAS(CHECKED, d))
            stored_taps[place + 1 + d] = uint(tap.places[d]);
    }
}

Tap stored_tap(uint k)
{
    Tap tap;
    uint place = k % (2 * TILE_K) * 5;
    tap.element = stored_taps[place];
    [[unroll]] for (uint d = 0; d < 4; ++d)
        tap.places[d] = HAS(CHECKED, d) ? int(stored_taps[place + 1 + d]) : 0;
    return tap;
}

// Four elements of columns that were found: one of each, or four of `column` alone where they lie side by side along k.
vec4 gathered_four(Columns columns, uint column, Tap tap, uint k)
{
    uvec4 elements = columns.firsts + tap.element;
    bvec4 exist = bvec4(k < k_end);
    CHECK_DIMENSION(0)
    CHECK_DIMENSION(1)
    CHECK_DIMENSION(2)
    CHECK_DIMENSION(3)
    elements = mix(uvec4(push.base_bytes[2] * 8 / BITS_OF(TYPE)), elements, exist); // what is bound in any case
    if ((LAYOUT_B & VECTORS) != 0) {
        if (!exist[column])
            return vec4(0.0);
        return LOAD_FOUR(b, TYPE, elements[column]);
    }
    vec4 x = vec4(LOAD_ONE(b, TYPE, elements.x), LOAD_ONE(b, TYPE, elements.y), LOAD_ONE(b, TYPE, elements.z),
                  LOAD_ONE(b, TYPE, elements.w));
    return mix(vec4(0.0), x, exist);
}

// Of any b: of four columns from n on, one or all as b lies; columns are what find_columns() says.
vec4 b_four_of(Columns columns, uint n, uint column, uint k)
{
    return B_IS_GATHERED ? gathered_four(columns, column, find_tap(k), k) : plain_b_four(n + column, k);
}

// The same, where the tap is stored.
vec4 b_four_stored(Columns columns, uint n, uint column, uint k)
{
    return B_IS_GATHERED ? gathered_four(columns, column, stored_tap(k), k) : plain_b_four(n + column, k);
}

vec4 b_four(uint n, uint k)
{
    return b_four_of(find_columns(n), n, 0, k);
}
