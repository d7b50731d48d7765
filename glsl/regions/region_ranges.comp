// What region_gradient.comp looks up: of each region the box of elements that its points lie on, two pairs (x and y:
// the first element, the one behind the last), and of each row and each column of a plane the first of the region's
// points that lie on it, and how many there are. First come the regions' records, by regions.comp.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "regions.glsl"
#include "points.glsl"

BUFFER_OF_PAIRS(2, writeonly, Table, table);

// Points in the order in which they go up.
struct Line {
    uint axis;
    uint count;
    uint size;
    bool goes_down;
    uvec4 region;
};

Line line_of(uint axis, uvec4 region)
{
    Line line;
    line.axis = axis;
    line.count = parameters.bins[axis].x * region.z;
    line.size = parameters.extents[axis].x;
    line.goes_down = int(region.y) < 0;
    line.region = region;
    return line;
}

Point ordered_point(Line line, uint n)
{
    return point_of(line.axis, line.goes_down ? line.count - 1 - n : n, line.region);
}

// The first point that is not before the plane and begins at `element` or behind; or that is beyond the plane or begins
// behind it.
uint first_point(Line line, uint element, bool ends)
{
    uint first = 0;
    uint end = line.count;
    [[dont_unroll]] for (uint turn = 0; turn < 25; ++turn) { // of fewer than 2^24
        uint middle = first + (end - first) / 2;
        if (first < end) {
            Point p = ordered_point(line, middle);
            bool is_before = p.place < -1.0;
            bool is_behind = !is_before && !p.is_inside;
            bool is_there = ends ? EITHER(is_behind, p.low > element) : EITHER(is_behind, p.low >= element);
            if (BOTH(!is_before, is_there))
                end = middle;
            else
                first = middle + 1;
        }
    }
    return first;
}

// Of a row or column.
uvec2 points_on(Line line, uint element)
{
    uint first = first_point(line, INTERPOLATES ? max(element, 1) - 1 : element, false);
    uint end = first_point(line, element, true);
    return uvec2(line.goes_down ? line.count - end : first, end - min(first, end));
}

uvec2 box_of(Line line)
{
    uint first = first_point(line, 0, false);
    uint end = first_point(line, line.size - 1, true);
    if (first >= end)
        return uvec2(0);
    Point last = ordered_point(line, end - 1);
    return uvec2(ordered_point(line, first).low, (INTERPOLATES ? last.high : last.low) + 1);
}

void make(uint item)
{
    uint width = parameters.extents[0].x;
    uint per_region = 2 + width + parameters.extents[1].x;
    uint region = item / per_region;
    uint n = item - region * per_region;
    bool is_box = n < 2;
    uint place = is_box ? n : n - 2;
    uint axis = is_box ? n : place < width ? 0 : 1;
    uvec4 record = source_vectors.vectors[push.base_bytes.x / 16 + 2 * region + axis];
    uint picture = axis == 0 ? record.w : source_vectors.vectors[push.base_bytes.x / 16 + 2 * region].w;
    Line line = line_of(axis, record);
    uvec2 pair = uvec2(0);
    if (picture != NO_PICTURE)
        pair = is_box ? box_of(line) : points_on(line, axis == 0 ? place : place - width);
    table.pairs[push.base_bytes.y / 8 + parameters.target_first / 2 + item] = pair;
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
        make(item);
    }
}
