// Leaves a number in each element of the output that indices name, the largest of those that do: one more than that of
// the index, as the strides of the coordinate count them. The output's elements are words that were 0 before; they lie
// as those of an input would.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "index.glsl"
#include "place.glsl"

void mark(uint item)
{
    uint left;
    Place p = place_of(item);
    uvec4 places = places_of(p, p.i, left);
    Source named = source_of(places, load_index(places.y));
    if (named.state == HERE)
        atomicMax(destination.words[(push.base_bytes.y >> 2) + named.place], places.z + 1);
}

// Of rows from an item on: numbers grow along them, so the last one that leads to an element is the largest, and an
// atomic, which costs CPUs as much as all else, is not needed.
void mark_rows(uint first, uint end)
{
    for (uint item = first; item < end; item += parameters.row_length) {
        uint left;
        uvec4 places = places_of(place_of(item), 0, left);
        for (uint i = 0; i < parameters.row_length; ++i) {
            Source named = source_of(places, load_index(places.y));
            if (named.state == HERE)
                destination.words[(push.base_bytes.y >> 2) + named.place] = places.z + 1;
            places += parameters.row_strides;
        }
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint invocation = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (IS_SERIAL) {
        if (invocation <= (parameters.item_count - 1) / parameters.share) {
            uint first = invocation * parameters.share;
            uint end = first + min(parameters.share, parameters.item_count - first);
            if (OWNS_ROWS) {
                mark_rows(first, end);
            } else {
                for (uint item = first; item < end; ++item)
                    mark(item);
            }
        }
    } else {
        uint item = HAS_STRIPS ? item_in_strips(invocation) : invocation;
        if (item < parameters.item_count)
            mark(item);
    }
}
