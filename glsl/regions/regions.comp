// Pools regions of pictures.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "regions.glsl"
#include "../math/arithmetic.glsl"

// ---- records ----
// Correctly rounded, so that every device and the reference have the same points.

const float LEAST_NORMAL = 1.17549435e-38;

// Devices may take a denormal number for 0.
float normal(float x)
{
    return abs(x) < LEAST_NORMAL ? 0.0 : x;
}

float scaled(uint axis, uint corner)
{
    precise float place = normal(uintBitsToFloat(corner)) * uintBitsToFloat(parameters.offsets[2 + axis]);
    return place;
}

// Where a point lies in a plane: point n of all along an axis, of a region that begins at `start`.
float place_of(uint n, float start, float apart)
{
    precise float place = float(n) - uintBitsToFloat(parameters.offsets.x);
    place = place * apart;
    place = place + start;
    place = place - uintBitsToFloat(parameters.offsets.y);
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

// Of an axis: the elements that a point lies between, and how far from the first.
struct Point {
    uint low;
    uint high;
    float far;
    bool is_inside; // the plane, or less than an element outside
    bool is_here;   // in what is bound
};

Point point_of(uint axis, uint n, uvec4 region)
{
    uvec4 extent = parameters.extents[axis];
    float last = uintBitsToFloat(extent.z);
    float place = place_of(n, uintBitsToFloat(region.x), uintBitsToFloat(region.y));
    bool is_behind = place >= -1.0;
    bool is_before = place <= uintBitsToFloat(extent.y);
    Point p;
    p.is_inside = is_behind && is_before;
    place = place < LEAST_NORMAL ? 0.0 : place;
    bool is_between = place < last;
    p.low = is_between ? min(uint(place), extent.x - 1) : extent.x - 1;
    p.high = min(p.low + 1, extent.x - 1);
    precise float far = place - float(p.low);
    p.far = is_between ? far : 0.0;
    if (!INTERPOLATES)
        p.low = p.far > 0.5 ? p.high : p.low;
    p.is_here = true;
    if (HAS_PARTS)
        p.is_here = p.low - parameters.part_first[1 + axis] < parameters.part_size[1 + axis];
    return p;
}

// What has no weight does not count.
float weighted(float weight, float number)
{
    precise float product = weight * number;
    return weight == 0.0 ? 0.0 : product;
}

float blend(float far, uint near_bits, uint far_bits)
{
    precise float near = 1.0 - far;
    precise float sum = weighted(near, uintBitsToFloat(near_bits)) + weighted(far, uintBitsToFloat(far_bits));
    return sum;
}

// The total, or the greatest as a key, of a bin's points, those that are here. `first`: the bin's first point.
uint pool_points(uint plane, uint nowhere, uvec2 first, uvec4 x, uvec4 y)
{
    precise float total = 0.0;
    uint greatest = LOWEST;
    [[dont_unroll]] for (uint i = 0; i < y.z; ++i) {
        Point v = point_of(1, first.y + i, y);
        uint low = plane + v.low * parameters.extents[1].w;
        uint high = plane + v.high * parameters.extents[1].w;
        precise float row = 0.0;
        [[dont_unroll]] for (uint j = 0; j < x.z; ++j) {
            Point u = point_of(0, first.x + j, x);
            bool is_inside = u.is_inside && v.is_inside;
            bool is_bound = u.is_here && v.is_here;
            bool is_here = is_inside && is_bound;
            bool counts = is_inside ? is_bound : !ACCUMULATES; // what is outside belongs to the first part
            uint left = u.low * parameters.extents[0].w;
            uint right = u.high * parameters.extents[0].w;
            uint bits = load(is_here ? low + left : nowhere);
            if (INTERPOLATES) {
                float above = blend(u.far, bits, load(is_here ? low + right : nowhere));
                float below =
                    blend(u.far, load(is_here ? high + left : nowhere), load(is_here ? high + right : nowhere));
                bits = floatBitsToUint(blend(v.far, floatBitsToUint(above), floatBitsToUint(below)));
            }
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
    uint bits; // FLOAT32
    bool is_written;
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
    if (HAS_SAMPLES) {
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
    if (!AVERAGES) {
        if (ACCUMULATES)
            bits = max(bits, key_of(stored(e.place)));
        bits = of_key(bits);
    }
    if (!ACCUMULATES)
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
