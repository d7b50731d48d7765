// Elements of inputs that are enlarged or made smaller: the place of an output element lies between two input elements in each dimension
// that is walked. It takes the nearest, or from each the share of its nearness; or, of one dimension, from all that are near enough.
// Beyond the outermost places it takes these.
#version 450
#extension GL_GOOGLE_include_directive : require
#define VECTORS_PER_WALK 3
#include "window.glsl"
#include "../math/quotient.glsl"

const bool IS_SCALED = (FINISH & 1u) != 0; // by any factors, in FLOAT32
const bool DIVIDES = (FINISH & 2u) != 0;   // some scale is no power of two
const bool IS_NEAREST = (FINISH & 4u) != 0;
const bool ROUNDS_UP = (FINISH & 8u) != 0;
const bool IS_AVERAGE = (FINISH & 16u) != 0;

#include "places.glsl"

vec4 numbers_of(uvec4 bits)
{
    if (TYPE == UINT8)
        return vec4(bits);
    if (TYPE == INT8)
        return vec4(ivec4(bits << 24) >> 24);
    return uintBitsToFloat(bits);
}

float number_of(uint bits)
{
    return numbers_of(uvec4(bits)).x;
}

// Integers rounded to nearest even: their low bits stand behind those of 1.5 x 2^23.
uvec4 bits_of(vec4 numbers)
{
    precise vec4 shifted = numbers + 12582912.0;
    return floatBitsToUint(IS_FLOAT(TYPE_OUT) ? numbers : shifted);
}

Values values_of(vec4 a, vec4 b)
{
    return Values(bits_of(a), bits_of(b));
}

// ---- the nearest ----

Values nearest_item()
{
    uint base = source_base;
    [[dont_unroll]] for (uint walk = 0; walk < OUTER_WALKS; ++walk)
        base += nearest_of(walk, positions[walk]) * parameters.walk_strides[walk / 4][walk % 4];
    if (MODE == SIDE) {
        if (is_whole())
            return source_item(base + x);
    }
    Values values = NOTHING;
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v)) {
            uint element = (x + v) * parameters.sizes[RANK - 1].w;
            if (walk_of(RANK - 1) != NO_WALK)
                element = nearest_of(OUTER_WALKS, x + v + steps_of(OUTER_WALKS).x) * parameters.walk_strides[OUTER_WALKS / 4][OUTER_WALKS % 4];
            uint bits = source_element(base + element).x;
            if (v < 4)
                values.a[v] = bits;
            else
                values.b[v & 3] = bits;
        }
    }
    return values;
}

// ---- between two ----

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
            sum = sum + weighted(row_weights[n], number_of(source_element(rows[n] + element).x));
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
    Pair p = pair_of(OUTER_WALKS, x + v + steps_of(OUTER_WALKS).x);
    precise float near = 0.0;
    precise float far = 0.0;
    if (p.weights.x != 0.0)
        near = weighted(p.weights.x, known_column(p.first));
    if (p.weights.y != 0.0)
        far = weighted(p.weights.y, known_column(p.first + 1));
    precise float sum = near + far;
    return sum;
}

struct Numbers {
    vec4 a;
    vec4 b;
};

// Adds a share of elements side by side.
void add_share(inout Numbers sum, float weight, uint element)
{
    Values item = source_item(element);
    precise vec4 a = sum.a + weight * numbers_of(item.a);
    sum.a = a;
    if (V > 4) {
        precise vec4 b = sum.b + weight * numbers_of(item.b);
        sum.b = b;
    }
}

Numbers interpolated_item()
{
    find_rows();
    column_places = uvec2(0xFFFFFFFF);
    Numbers sum = Numbers(vec4(0.0), vec4(0.0));
    if (MODE == SIDE) {
        if (is_whole()) {
            for (uint n = 0; n < ROWS; ++n)
                if (row_weights[n] != 0.0)
                    add_share(sum, row_weights[n], rows[n] + x);
            return sum;
        }
    }
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v)) {
            if (v < 4)
                sum.a[v] = interpolated(v);
            else
                sum.b[v & 3] = interpolated(v);
        }
    }
    return sum;
}

// ---- rows of twice their size, and of half ----

// Where an item of whole rows lies in two of them, and the rows' shares.
struct Rows {
    uint near;
    uint far;
    vec2 weights;
};

Rows find_two_rows()
{
    if (OUTER_WALKS == 0)
        return Rows(source_base, source_base, vec2(1.0, 0.0));
    Pair p = pair_of(0, positions[0]);
    uint near = source_base + p.first * parameters.walk_strides[0].x;
    if (p.weights.y == 0.0) // nothing is there, or it must not count
        return Rows(near, near, vec2(0.5));
    return Rows(near, near + parameters.walk_strides[0].x, p.weights);
}

// An item lies above half as many elements side by side, and takes the one before and the one behind them too.
struct Columns {
    vec4 own;
    vec2 ends;
};

Columns load_columns(uint row)
{
    uint place = x / 2;
    uint behind = min(place + V / 2, steps_of(OUTER_WALKS).w - 1);
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
    Rows rows = find_two_rows();
    Columns columns = load_columns(rows.near);
    if (OUTER_WALKS != 0) {
        Columns b = load_columns(rows.far);
        precise vec4 own = columns.own * rows.weights.x + b.own * rows.weights.y;
        precise vec2 ends = columns.ends * rows.weights.x + b.ends * rows.weights.y;
        columns = Columns(own, ends);
    }
    precise vec4 much = columns.own * 0.75;
    precise vec4 little = columns.own * 0.25;
    precise vec2 ends = columns.ends * 0.25;
    precise vec4 first = much.xxyy + vec4(ends.x, little.y, little.x, V > 4 ? little.z : ends.y);
    precise vec4 second = much.zzww + vec4(little.y, little.w, little.z, ends.y);
    return Values(floatBitsToUint(first), floatBitsToUint(second));
}

// Elements of both rows together, each by half of its share.
Numbers load_halves(Rows rows, uint element)
{
    Numbers sum = Numbers(vec4(0.0), vec4(0.0));
    precise vec2 halves = rows.weights * 0.5;
    add_share(sum, halves.x, rows.near + element);
    if (OUTER_WALKS != 0)
        add_share(sum, halves.y, rows.far + element);
    return sum;
}

Values halved()
{
    Rows rows = find_two_rows();
    Numbers first = load_halves(rows, 2 * x);
    Numbers second = load_halves(rows, 2 * x + V);
    if (V > 4) {
        precise vec4 a = vec4(first.a.xz, first.b.xz) + vec4(first.a.yw, first.b.yw);
        precise vec4 b = vec4(second.a.xz, second.b.xz) + vec4(second.a.yw, second.b.yw);
        return values_of(a, b);
    }
    precise vec4 sum = vec4(first.a.xz, second.a.xz) + vec4(first.a.yw, second.a.yw);
    return values_of(sum, vec4(0.0));
}

// ---- of all that are near enough ----

// Adds up the steps of walk 0 from an element of the source's on, of items side by side or of element v.
void add_spread(inout Numbers sum, Spread s, uint base, uint stride, bool side_by_side, uint v)
{
    uvec4 steps = steps_of(0);
    uint first = s.first + steps.z;
    uint behind = min(first + steps.y, steps.w);
    precise float total = 0.0;
    [[dont_unroll]] for (uint element = first; element < behind; ++element) {
        precise float weight = nearness(s, element) * s.share;
        if (weight != 0.0) {
            if (side_by_side)
                add_share(sum, weight, base + element * stride);
            else
                total = total + weight * number_of(source_element(base + element * stride).x);
        }
    }
    if (!side_by_side) {
        if (v < 4)
            sum.a[v] = total;
        else
            sum.b[v & 3] = total;
    }
}

Numbers averaged_item()
{
    uint stride = parameters.walk_strides[0].x;
    bool along = walk_of(RANK - 1) != NO_WALK;
    Numbers sum = Numbers(vec4(0.0), vec4(0.0));
    Spread s;
    if (!along)
        s = spread_of(0, positions[0]);
    if (MODE == SIDE) {
        if (is_whole()) {
            add_spread(sum, s, source_base + x, stride, true, 0);
            return sum;
        }
    }
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v)) {
            if (along)
                s = spread_of(0, x + v + steps_of(0).x);
            add_spread(sum, s, along ? source_base : source_base + (x + v) * parameters.sizes[RANK - 1].w, stride, false, v);
        }
    }
    return sum;
}

Values item()
{
    if (IS_NEAREST)
        return nearest_item();
    if (MODE == DOUBLED)
        return doubled();
    if (MODE == HALVED)
        return halved();
    Numbers sum = Numbers(vec4(0.0), vec4(0.0));
    if (IS_AVERAGE)
        sum = averaged_item();
    else
        sum = interpolated_item();
    if (ACCUMULATES) {
        Values before = stored_item();
        precise vec4 a = uintBitsToFloat(before.a) + sum.a;
        precise vec4 b = uintBitsToFloat(before.b) + sum.b;
        sum = Numbers(a, b);
    }
    return values_of(sum.a, sum.b);
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint invocation = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    for (uint n = 0; n < parameters.share; ++n) {
        uint number = invocation * parameters.share + n;
        if (number >= parameters.item_count)
            return;
        find_item(number);
        store_item(item());
    }
}
