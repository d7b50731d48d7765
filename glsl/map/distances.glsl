// How far coordinates lead from the first element, in each operand and in the output.
#ifndef VKDML_DISTANCES_GLSL
#define VKDML_DISTANCES_GLSL

#if OPERANDS > 3
struct Distances {
    uint x, y, z; // of operands a, b, c
    uint w;       // of the output
    uint u, v;    // of operands d, e
};

Distances sum(Distances a, Distances b)
{
    return Distances(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w, a.u + b.u, a.v + b.v);
}

// Those of a coordinate of outer dimension d.
Distances distances_of(uint coordinate, uint d)
{
    uvec4 first = coordinate * parameters.strides[d];
    uvec2 more = coordinate * parameters.more_strides[d].xy;
    return Distances(first.x, first.y, first.z, first.w, more.x, more.y);
}

#define NO_DISTANCES                       Distances(0, 0, 0, 0, 0, 0)
#define ADD_DISTANCES(distance, addend)    distance = sum(distance, addend)
#define DISTANCES_OF(coordinate, dimension) distances_of(coordinate, dimension)
#else
#define Distances                          uvec4 // of a, b, c and of the output
#define NO_DISTANCES                       uvec4(0)
#define ADD_DISTANCES(distance, addend)    distance += addend
#define DISTANCES_OF(coordinate, dimension) coordinate * parameters.strides[dimension]
#endif

#endif
