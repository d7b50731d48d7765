// Points of regions: where they lie in a plane, and between which elements. The block of parameters has `offsets` and
// `extents`.
#ifndef VKDML_POINTS_GLSL
#define VKDML_POINTS_GLSL

const float LEAST_NORMAL = 1.17549435e-38;

// Devices may take a denormal number for 0.
float normal(float x)
{
    return abs(x) < LEAST_NORMAL ? 0.0 : x;
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

// Of an axis: the elements that a point lies between, and how far from the first.
struct Point {
    uint low;
    uint high;
    float far;
    float place; // before it is moved onto the plane
    bool is_inside; // the plane, or less than an element outside
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
    p.place = place;
    place = place < LEAST_NORMAL ? 0.0 : place;
    bool is_between = place < last;
    p.low = is_between ? min(uint(place), extent.x - 1) : extent.x - 1;
    p.high = min(p.low + 1, extent.x - 1);
    precise float far = place - float(p.low);
    p.far = is_between ? far : 0.0;
    if (!INTERPOLATES)
        p.low = p.far > 0.5 ? p.high : p.low;
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

#endif
