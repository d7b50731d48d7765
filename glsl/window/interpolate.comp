// Linear interpolation of inputs that are enlarged by whole factors: the centre of an output element lies between those of two input
// elements in each dimension that is walked, and takes from each the share of its nearness; beyond the outermost centres it takes these.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "window.glsl"

// Of a walk here: a coordinate to begin at; how many steps of two, and the first; the source's size; the factor, its multiplier and
// shifts, and as FLOAT32 half of its reciprocal.
struct Pair {
    uint first; // of the two neighbours
    vec2 weights;
};

Pair pair_of(uint walk, uint coordinate)
{
    uvec4 steps = parameters.walks[2 * walk];
    uvec4 factor = parameters.walks[2 * walk + 1];
    uint first = divide(coordinate, factor.y, factor.z);
    uint part = coordinate - first * factor.x;
    uint halves = 2 * part + 1 - factor.x; // between the centres, in units of half a step
    if (part < factor.x >> 1) {
        first -= 1;
        halves += 2 * factor.x;
    }
    precise float far = float(halves) * uintBitsToFloat(factor.w);
    precise float near = 1.0 - far;
    Pair p = Pair(first, vec2(near, far));
    if (first + 1 == 0 || first + 1 == steps.w) {
        p.first = min(first + 1, steps.w - 1);
        p.weights = vec2(1.0, 0.0);
    }
    if (IS_CUT) {
        if (steps.z != 0)
            p.weights.x = 0.0;
        if (steps.z + steps.y < 2)
            p.weights.y = 0.0;
    }
    return p;
}

const uint ROWS = 1 << OUTER_WALKS;
uint rows[4];
float row_weights[4];

// Row n by the two neighbours of a walk, which are rows n and n + count.
void split_row(uint n, uint count, Pair p, uint stride)
{
    precise float far = row_weights[n] * p.weights.y;
    precise float near = row_weights[n] * p.weights.x;
    rows[n + count] = rows[n] + (p.first + 1) * stride;
    rows[n] += p.first * stride;
    row_weights[n + count] = far;
    row_weights[n] = near;
}

void find_rows()
{
    rows[0] = source_base;
    row_weights[0] = 1.0;
    if (OUTER_WALKS > 0)
        split_row(0, 1, pair_of(0, positions[0]), parameters.walk_strides[0].x);
    if (OUTER_WALKS > 1) {
        Pair p = pair_of(1, positions[1]);
        split_row(0, 2, p, parameters.walk_strides[0].y);
        split_row(1, 2, p, parameters.walk_strides[0].y);
    }
}

// Where a weight is 0 nothing is there, or it must not count.
float weighted(float weight, float number)
{
    precise float product = weight * number;
    return weight == 0.0 ? 0.0 : product;
}

float column(uint element)
{
    precise float sum = 0.0;
    for (uint n = 0; n < ROWS; ++n)
        if (row_weights[n] != 0.0)
            sum = sum + weighted(row_weights[n], uintBitsToFloat(source_element(rows[n] + element).x));
    return sum;
}

// The last two columns.
uvec2 column_places;
vec2 columns;

float known_column(uint place)
{
    if (place == column_places.x)
        return columns.x;
    if (place != column_places.y) {
        column_places = uvec2(column_places.y, place);
        columns = vec2(columns.y, column(place * parameters.walk_strides[OUTER_WALKS / 4][OUTER_WALKS % 4]));
    }
    return columns.y;
}

float interpolated(uint v)
{
    if (walk_of(RANK - 1) == NO_WALK)
        return column((x + v) * parameters.sizes[RANK - 1].w);
    Pair p = pair_of(OUTER_WALKS, x + v + parameters.walks[2 * OUTER_WALKS].x);
    precise float near = 0.0;
    precise float far = 0.0;
    if (p.weights.x != 0.0)
        near = weighted(p.weights.x, known_column(p.first));
    if (p.weights.y != 0.0)
        far = weighted(p.weights.y, known_column(p.first + 1));
    precise float sum = near + far;
    return sum;
}

// ---- rows of twice their size ----

// An item of whole rows lies above half as many elements of two rows side by side, and takes the one before and the one behind them too.
struct Columns {
    vec4 own;
    vec2 ends;
};

Columns load_columns(uint row)
{
    uint place = x / 2;
    uint behind = min(place + V / 2, parameters.walks[2 * OUTER_WALKS].w - 1);
    uint before = max(place, 1) - 1;
    uint index = (row + place) / PER_WORD;
    Columns columns;
    columns.ends = uintBitsToFloat(uvec2(source_element(row + before).x, source_element(row + behind).x));
    if (BITS == 16)
        columns.own = uintBitsToFloat(uvec4(widen_halves(source.words[index]), widen_halves(source.words[index + 1])));
    else if (V > 4)
        columns.own = uintBitsToFloat(source_vectors.vectors[index / 4]);
    else
        columns.own = uintBitsToFloat(uvec4(source.words[index], source.words[index + 1], 0, 0));
    return columns;
}

Values doubled()
{
    Columns columns;
    if (OUTER_WALKS == 0) {
        columns = load_columns(source_base);
    } else {
        Pair p = pair_of(0, positions[0]);
        uint near = source_base + p.first * parameters.walk_strides[0].x;
        uint far = near + parameters.walk_strides[0].x;
        if (p.weights.y == 0.0) { // nothing is there, or it must not count
            far = near;
            p.weights = vec2(0.5);
        }
        Columns a = load_columns(near);
        Columns b = load_columns(far);
        precise vec4 own = a.own * p.weights.x + b.own * p.weights.y;
        precise vec2 ends = a.ends * p.weights.x + b.ends * p.weights.y;
        columns = Columns(own, ends);
    }
    precise vec4 much = columns.own * 0.75;
    precise vec4 little = columns.own * 0.25;
    precise vec2 ends = columns.ends * 0.25;
    precise vec4 first = much.xxyy + vec4(ends.x, little.y, little.x, V > 4 ? little.z : ends.y);
    precise vec4 second = much.zzww + vec4(little.y, little.w, little.z, ends.y);
    return Values(floatBitsToUint(first), floatBitsToUint(second));
}

Values interpolated_item()
{
    find_rows();
    column_places = uvec2(0xFFFFFFFF);
    Values values = NOTHING;
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v)) {
            uint bits = floatBitsToUint(interpolated(v));
            if (v < 4)
                values.a[v] = bits;
            else
                values.b[v & 3] = bits;
        }
    }
    return values;
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
        find_item(item);
        Values values;
        if (MODE == DOUBLED)
            values = doubled();
        else
            values = interpolated_item();
        if (ACCUMULATES)
            values = add(stored_item(), values);
        store_item(values);
    }
}
