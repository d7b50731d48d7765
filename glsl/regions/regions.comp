// Pools regions of pictures.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "regions.glsl"
#include "points.glsl"
#include "../math/arithmetic.glsl"

// ---- records ----
// Correctly rounded, so that every device and the reference have the same points.

float scaled(uint axis, uint corner)
{
    precise float place = normal(uintBitsToFloat(corner)) * uintBitsToFloat(parameters.offsets[2 + axis]);
    return place;
}

bool is_finite(float x)
{
    return (floatBitsToUint(x) & INFINITY) != INFINITY;
}

const float MOST_SAMPLES = 160.0;

// Points: the start, how far apart they are, how many a bin has. Between the outermost two nothing overflows where
// these do not.
uvec3 points_of(uint axis, uint low, uint high, inout bool is_good)
{
    float start = scaled(axis, low);
    precise float size = scaled(axis, high) - start;
    uint bits = floatBitsToUint(size);
    float wanted = clamp(uintBitsToFloat(math_divide(bits, parameters.bins[axis].w)), 0.0, MOST_SAMPLES);
    uint count = uint(wanted);
    count += float(count) < wanted ? 1 : 0;
    count = clamp(count, parameters.least, parameters.most);
    uint points = parameters.bins[axis].x * count; // below 2^24
    uint steps = TO_CORNERS ? max(points - 1, 1) : points;
    float apart = normal(uintBitsToFloat(math_divide(bits, floatBitsToUint(float(steps)))));
    bool begins = is_finite(place_of(0, start, apart));
    bool ends = is_finite(place_of(points - 1, start, apart));
    is_good = is_good && begins;
    is_good = is_good && ends;
    return uvec3(floatBitsToUint(start), floatBitsToUint(apart), count);
}

const float FARTHEST = 536870912.0; // 2^29

// A corner's element, the nearest, of two the one farther from 0.
int element_of(uint axis, uint corner, inout bool is_good)
{
    float place = scaled(axis, corner);
    bool is_number = !is_nan(floatBitsToUint(place));
    is_good = is_good && is_number;
    float magnitude = min(abs(place), FARTHEST);
    int element = int(magnitude);
    precise float rest = magnitude - float(element);
    element += rest >= 0.5 ? 1 : 0;
    return place < 0.0 ? -element : element;
}

// Boxes: the first element, and the size by the number of bins, with what is left over.
uvec3 boxes_of(uint axis, uint low, uint high, inout bool is_good)
{
    int first = element_of(axis, low, is_good);
    uint size = uint(max(element_of(axis, high, is_good) - first + 1, 1));
    uvec4 bins = parameters.bins[axis];
    uint whole = divide(size, bins.y, bins.z);
    return uvec3(uint(first), whole, size - whole * bins.x);
}

// The picture that a float names, truncated.
uint picture_of_float(uint number)
{
    uint magnitude = number & ~SIGN_BIT;
    bool is_integer = magnitude < 0x4F800000u; // 2^32
    bool is_negative = number > 0xBF7FFFFFu;   // -1 and below
    uint picture = is_integer ? uint(uintBitsToFloat(magnitude)) : NO_PICTURE;
    return is_negative ? NO_PICTURE : picture;
}

void record(uint region)
{
    uint row = parameters.corners_first + push.base_bytes.x / 4 * PER_WORD + region * parameters.corners_stride;
    uint picture;
    if (TYPE_OF_INDICES == 0) {
        picture = picture_of_float(load(row));
        row += parameters.column_stride;
    } else {
        uint index = parameters.indices_first + region * parameters.indices_stride;
        uint word = push.base_bytes.z / 4 + (TYPE_OF_INDICES == UINT64 ? 2 * index : index);
        picture = indices.words[word];
        if (TYPE_OF_INDICES == UINT64)
            picture = indices.words[word + 1] != 0 ? NO_PICTURE : picture;
    }
    uint corners[4];
    [[unroll]] for (uint n = 0; n < 4; ++n)
        corners[n] = load(row + n * parameters.column_stride);
    bool is_good = picture < parameters.picture_count;
    uvec3 x =
        HAS_SAMPLES ? points_of(0, corners[0], corners[2], is_good) : boxes_of(0, corners[0], corners[2], is_good);
    uvec3 y =
        HAS_SAMPLES ? points_of(1, corners[1], corners[3], is_good) : boxes_of(1, corners[1], corners[3], is_good);
    uint inverse = HAS_SAMPLES ? math_divide(0x3F800000u, floatBitsToUint(float(x.z * y.z))) : 0;
    uint vector = push.base_bytes.y / 16 + parameters.target_first / 4 + 2 * region;
    destination_vectors.vectors[vector] = uvec4(x, is_good ? picture : NO_PICTURE);
    destination_vectors.vectors[vector + 1] = uvec4(y, inverse);
}

// ---- maxima ----
// As unsigned keys, NaN the greatest.

const uint LOWEST = ~0xFF800000u; // minus infinity's

uint key_of(uint bits)
{
    uint key = int(bits) < 0 ? ~bits : bits | SIGN_BIT;
    return is_nan(bits) ? 0xFFFFFFFFu : key;
}

uint of_key(uint key)
{
    uint bits = int(key) < 0 ? key ^ SIGN_BIT : ~key;
    return key == 0xFFFFFFFFu ? QUIET_NAN : bits;
}

// ---- points ----

// Whether the element that a point begins at is bound.
bool is_bound(uint axis, Point p)
{
    return !HAS_PARTS || p.low - parameters.part_first[1 + axis] < parameters.part_size[1 + axis];
}

// The four elements around a point, or any where it is not here.
uvec4 elements_of(uint plane, uint nowhere, Point u, Point v, bool is_here)
{
    uint low = plane + v.low * parameters.extents[1].w;
    uint high = plane + v.high * parameters.extents[1].w;
    uint left = u.low * parameters.extents[0].w;
    uint right = u.high * parameters.extents[0].w;
    uint first = load(is_here ? low + left : nowhere);
    if (!INTERPOLATES)
        return uvec4(first);
    return uvec4(first, load(is_here ? low + right : nowhere), load(is_here ? high + left : nowhere),
                 load(is_here ? high + right : nowhere));
}

uint number_of(uvec4 elements, Point u, Point v)
{
    if (!INTERPOLATES)
        return elements.x;
    float above = blend(u.far, elements.x, elements.y);
    float below = blend(u.far, elements.z, elements.w);
    return floatBitsToUint(blend(v.far, floatBitsToUint(above), floatBitsToUint(below)));
}

// The total, or the greatest as a key, of a bin's points, those that are here. `first`: the bin's first point.
uint pool_points(uint plane, uint nowhere, uvec2 first, uvec4 x, uvec4 y)
{
    precise float total = 0.0;
    uint greatest = LOWEST;
    [[dont_unroll]] for (uint i = 0; i < y.z; ++i) {
        Point v = point_of(1, first.y + i, y);
        precise float row = 0.0;
        [[dont_unroll]] for (uint j = 0; j < x.z; ++j) {
            Point u = point_of(0, first.x + j, x);
            bool is_inside = u.is_inside && v.is_inside;
            bool is_here = is_bound(0, u) && is_bound(1, v);
            bool counts = is_inside ? is_here : !ACCUMULATES; // what is outside belongs to the first part
            uint bits = number_of(elements_of(plane, nowhere, u, v, is_inside && is_here), u, v);
            bits = is_inside ? bits : parameters.outside;
            if (AVERAGES)
                row = row + (counts ? uintBitsToFloat(bits) : 0.0);
            else
                greatest = max(greatest, counts ? key_of(bits) : LOWEST);
        }
        total = total + row;
    }
    return AVERAGES ? floatBitsToUint(total) : greatest;
}

// The number of a bin's greatest point, the first of equal ones, of those inside.
uint winner_of(uint plane, uint nowhere, uvec2 first, uvec4 x, uvec4 y)
{
    uint greatest = 0;
    uint winner = NO_WINNER;
    [[dont_unroll]] for (uint i = 0; i < y.z; ++i) {
        Point v = point_of(1, first.y + i, y);
        [[dont_unroll]] for (uint j = 0; j < x.z; ++j) {
            Point u = point_of(0, first.x + j, x);
            bool is_inside = u.is_inside && v.is_inside;
            uint key = key_of(number_of(elements_of(plane, nowhere, u, v, is_inside), u, v));
            bool is_greater = winner == NO_WINNER || key > greatest;
            if (is_inside && is_greater) {
                greatest = key;
                winner = i * x.z + j;
            }
        }
    }
    return winner;
}

// ---- gradients of corners ----

// How a point's element changes with its place along x and y: not at all where it lies on elements, since these are its
// neighbours on both sides, or outside.
vec2 slopes_of(uvec4 elements, Point u, Point v)
{
    vec4 e = uintBitsToFloat(elements);
    precise vec2 along = e.yw - e.xz;
    precise vec2 down = e.zw - e.xy;
    vec2 slopes = vec2(blend(v.far, floatBitsToUint(along.x), floatBitsToUint(along.y)),
                       blend(u.far, floatBitsToUint(down.x), floatBitsToUint(down.y)));
    return mix(slopes, vec2(0.0), equal(vec2(u.far, v.far), vec2(0.0)));
}

// Of a bin's element the sum of what the gradients of the region's x and y, x and y are made of, before scales.
vec4 corners_of(uint plane, uint nowhere, uvec2 first, uvec4 x, uvec4 y)
{
    uvec2 points = uvec2(parameters.bins[0].x * x.z, parameters.bins[1].x * y.z);
    uvec2 steps = TO_CORNERS ? max(points - 1, uvec2(1)) : points;
    vec2 step = uintBitsToFloat(uvec2(math_divide(0x3F800000u, floatBitsToUint(float(steps.x))),
                                      math_divide(0x3F800000u, floatBitsToUint(float(steps.y)))));
    precise vec4 sum = vec4(0.0);
    uint winner = AVERAGES ? NO_WINNER : winner_of(plane, nowhere, first, x, y);
    if (!INTERPOLATES)
        return vec4(0.0);
    [[dont_unroll]] for (uint i = 0; i < y.z; ++i) {
        Point v = point_of(1, first.y + i, y);
        [[dont_unroll]] for (uint j = 0; j < x.z; ++j) {
            Point u = point_of(0, first.x + j, x);
            bool is_inside = u.is_inside && v.is_inside;
            bool counts = AVERAGES ? is_inside : i * x.z + j == winner;
            vec2 slopes = slopes_of(elements_of(plane, nowhere, u, v, counts), u, v);
            precise vec2 part = (vec2(first + uvec2(j, i)) - uintBitsToFloat(parameters.offsets.x)) * step;
            precise vec4 more = vec4(slopes * (1.0 - part), slopes * part);
            if (counts)
                sum = sum + more;
        }
    }
    return sum;
}

// Multiplied by the gradient of the bin's element, which is shared out by points where these are averaged.
vec4 corner_gradients(vec4 sum, uint gradient, float share)
{
    uint word = gradients.words[gradient / PER_WORD];
    float number = uintBitsToFloat(TYPE == FLOAT16 ? widen_halves(word >> (gradient & 1) * 16 & 0xFFFF).x : word);
    precise vec4 scaled = sum * uintBitsToFloat(parameters.offsets.zwzw);
    precise vec4 shared_out = scaled * (AVERAGES ? share : 1.0);
    precise vec4 products = shared_out * number;
    return products;
}

// ---- boxes ----

// A bin's first element along an axis, and the one behind its last, in the plane.
uvec2 box_of(uint axis, uint bin, uvec4 region)
{
    uvec4 bins = parameters.bins[axis];
    uint first = bin * region.z;
    uint end = first + region.z + bins.x - 1; // the next bin's first, rounded up
    first = region.x + bin * region.y + divide(first, bins.y, bins.z);
    end = region.x + (bin + 1) * region.y + divide(end, bins.y, bins.z);
    return min(uvec2(max(ivec2(first, end), ivec2(0))), uvec2(parameters.extents[axis].x));
}

uint pool_box(uint plane, uint nowhere, uvec2 x, uvec2 y)
{
    uint greatest = LOWEST;
    if (HAS_PARTS) {
        x = clamp(x, uvec2(parameters.part_first.y), uvec2(parameters.part_first.y + parameters.part_size.y));
        y = clamp(y, uvec2(parameters.part_first.z), uvec2(parameters.part_first.z + parameters.part_size.z));
    }
    uint stride = parameters.extents[0].w;
    [[dont_unroll]] for (uint i = y.x; i < y.y; ++i) {
        uint row = plane + i * parameters.extents[1].w;
        [[dont_unroll]] for (uint j = x.x; j < x.y; ++j)
            greatest = max(greatest, key_of(load(row + j * stride)));
    }
    return greatest;
}

// ---- elements of the target ----

struct Element {
    uint place;
    uint bits; // FLOAT32, or a winner
    bool is_written;
    vec4 corners;
};

uint stored(uint place)
{
    uint word = destination.words[place / OUT_PER_WORD];
    return TYPE_OUT == FLOAT16 ? widen_halves(word >> (place & 1) * 16 & 0xFFFF).x : word;
}

Element element_at(uint n)
{
    uvec4 at;
    Element e;
    e.place = parameters.target_first + push.base_bytes.y / 4 * OUT_PER_WORD;
    [[unroll]] for (uint k = 0; k < 4; ++k) {
        uint d = 3 - k;
        uint quotient = d == 0 ? 0 : divide(n, parameters.sizes[d].y, parameters.sizes[d].z);
        at[d] = n - quotient * parameters.sizes[d].x;
        e.place += at[d] * parameters.sizes[d].w;
        n = quotient;
    }
    uint region = 2 * at[ORDER & 3u] + push.base_bytes.z / 16;
    uint channel = parameters.origin.x + at[ORDER >> 4 & 3u];
    uint gradient = parameters.gradient_first + (FINDS_CORNERS ? push.base_bytes.w / 4 * PER_WORD : 0);
    if (FINDS_CORNERS)
        for (uint d = 0; d < 4; ++d)
            gradient += at[d] * parameters.gradient_strides[d];
    uvec2 bin = parameters.origin.zy + uvec2(at[ORDER >> 12 & 3u], at[ORDER >> 8 & 3u]);
    uvec4 x = records.vectors[region];
    uvec4 y = records.vectors[region + 1];
    uint picture = x.w;
    uint nowhere = push.base_bytes.x / 4 * PER_WORD;
    uint plane = parameters.source_first + nowhere + picture * parameters.source_strides.x +
                 channel * parameters.source_strides.y;
    bool is_none = picture == NO_PICTURE;
    bool is_here = !is_none;
    e.is_written = true;
    if (HAS_PARTS) {
        is_here = picture - parameters.part_first.x < parameters.part_size.x;
        is_here = is_none ? false : is_here;
        e.is_written = is_none ? !ACCUMULATES && parameters.part_first.x == 0 : is_here;
    }
    uint bits;
    if (FINDS_WINNERS) {
        y.z = is_here ? y.z : 0;
        bits = winner_of(plane, nowhere, bin * uvec2(x.z, y.z), x, y);
    } else if (FINDS_CORNERS) {
        y.z = is_here ? y.z : 0;
        e.corners = corner_gradients(corners_of(plane, nowhere, bin * uvec2(x.z, y.z), x, y), gradient,
                                     uintBitsToFloat(y.w));
    } else if (HAS_SAMPLES) {
        uvec2 first = bin * uvec2(x.z, y.z);
        y.z = is_here ? y.z : 0;
        bits = pool_points(plane, nowhere, first, x, y);
        if (AVERAGES) {
            precise float mean = uintBitsToFloat(bits) * uintBitsToFloat(y.w);
            if (ACCUMULATES)
                mean = mean + uintBitsToFloat(stored(e.place));
            bits = is_nan(floatBitsToUint(mean)) ? QUIET_NAN : floatBitsToUint(mean);
        }
    } else {
        uvec2 columns = box_of(0, bin.x, x);
        uvec2 rows = box_of(1, bin.y, y);
        bool is_empty = columns.x >= columns.y || rows.x >= rows.y;
        is_none = is_none || is_empty;
        rows.y = is_here ? rows.y : rows.x;
        bits = pool_box(plane, nowhere, columns, rows);
    }
    if (!AVERAGES && !FINDS_WINNERS) {
        if (ACCUMULATES)
            bits = max(bits, key_of(stored(e.place)));
        bits = of_key(bits);
    }
    if (!ACCUMULATES && !FINDS_WINNERS)
        bits = is_none ? parameters.outside : bits;
    e.bits = bits;
    return e;
}

void fill_item(uint item)
{
    uint index = 0;
    uint bits = 0;
    uint mask = 0;
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        uint n = item * V + v;
        if (n < parameters.element_count) {
            Element e = element_at(n);
            if (FINDS_CORNERS) {
                [[unroll]] for (uint k = 0; k < 4; ++k)
                    if (e.is_written)
                        destination.words[e.place + k] = floatBitsToUint(e.corners[k]);
                return;
            }
            uint shift = TYPE_OUT == FLOAT16 ? (e.place & 1) * 16 : 0;
            uint value = TYPE_OUT == FLOAT16 ? narrow_to_half(e.bits) : e.bits;
            index = e.place / OUT_PER_WORD;
            if (e.is_written) {
                bits |= value << shift;
                mask |= (TYPE_OUT == FLOAT16 ? 0xFFFFu : 0xFFFFFFFFu) << shift;
            }
        }
    }
    if (mask != 0)
        store_word(index, bits, mask);
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint invocation = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    for (uint n = 0; n < parameters.share; ++n) {
        uint item = invocation * parameters.share + n;
        if (item >= parameters.item_count)
            return;
        if (IS_FIRST)
            record(item);
        else
            fill_item(item);
    }
}
