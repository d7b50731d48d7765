// Elements of inputs that are enlarged or made smaller: the place of an output element lies between two input elements
// in each dimension that is walked. It takes the nearest, or from each the share of its nearness; or, of one dimension,
// from all that are near enough. Beyond the outermost places it takes these.
#version 450
#extension GL_GOOGLE_include_directive : require
#define VECTORS_PER_WALK 3
#include "neighbours.glsl"
#include "target.glsl"
#include "../math/quotient.glsl"

// In C: VKDML_INTERPOLATE_...
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

// ---- elements one by one ----

// The coordinates of four elements of an item, from the one numbered v on; beyond the row they stay in it.
uvec4 four_from(uint v)
{
    return V > 1 ? min(x + v + uvec4(0, 1, 2, 3), uvec4(parameters.row_length - 1)) : uvec4(x);
}

uvec4 load_four(uvec4 elements)
{
    return uvec4(source_element(elements.x).x, source_element(elements.y).x, source_element(elements.z).x,
                 source_element(elements.w).x);
}

// ---- the nearest ----

uvec4 nearest_four(uint base, uint v)
{
    uvec4 at = four_from(v);
    if (walk_of(RANK - 1) == NO_WALK)
        return load_four(base + at * parameters.sizes[RANK - 1].w);
    uvec4 nearest = nearest_of(OUTER_WALKS, at + steps_of(OUTER_WALKS).x);
    return load_four(base + nearest * parameters.walk_strides[OUTER_WALKS / 4][OUTER_WALKS % 4]);
}

Values nearest_item()
{
    uint base = source_base;
    [[dont_unroll]] for (uint walk = 0; walk < OUTER_WALKS; ++walk)
        base += nearest_of(walk, uvec4(positions[walk])).x * parameters.walk_strides[walk / 4][walk % 4];
    if (MODE == SIDE) {
        if (is_whole())
            return source_item(base + x);
    }
    Values values = NOTHING;
    values.a = nearest_four(base, 0);
    if (V > 4)
        values.b = nearest_four(base, 4);
    return values;
}

// ---- between two ----

uvec4 rows; // of as many as there are
vec4 row_weights;

void find_rows()
{
    rows = uvec4(source_base);
    row_weights = vec4(1.0);
    if (OUTER_WALKS > 0) {
        Pairs p = pairs_of(0, uvec4(positions[0]));
        rows += uvec4(p.near.x, p.far.x, p.near.x, p.far.x) * parameters.walk_strides[0].x;
        row_weights = vec4(p.near_weights.x, p.far_weights.x, p.near_weights.x, p.far_weights.x);
    }
    if (OUTER_WALKS > 1) {
        Pairs p = pairs_of(1, uvec4(positions[1]));
        rows += uvec4(p.near.xx, p.far.xx) * parameters.walk_strides[0].y;
        precise vec4 weights = row_weights * vec4(p.near_weights.xx, p.far_weights.xx);
        row_weights = weights;
    }
}

// Where a weight is 0 nothing is there, or it must not count.
vec4 weighted(vec4 weights, vec4 numbers)
{
    precise vec4 products = weights * numbers;
    return mix(products, NONE, equal(weights, NONE));
}

vec4 columns(uvec4 elements)
{
    precise vec4 sum = weighted(row_weights.xxxx, numbers_of(load_four(rows.x + elements)));
    if (OUTER_WALKS > 0)
        sum = sum + weighted(row_weights.yyyy, numbers_of(load_four(rows.y + elements)));
    if (OUTER_WALKS > 1) {
        sum = sum + weighted(row_weights.zzzz, numbers_of(load_four(rows.z + elements)));
        sum = sum + weighted(row_weights.wwww, numbers_of(load_four(rows.w + elements)));
    }
    return sum;
}

vec4 interpolated_four(uint v)
{
    uvec4 at = four_from(v);
    if (walk_of(RANK - 1) == NO_WALK)
        return columns(at * parameters.sizes[RANK - 1].w);
    uint stride = parameters.walk_strides[OUTER_WALKS / 4][OUTER_WALKS % 4];
    Pairs p = pairs_of(OUTER_WALKS, at + steps_of(OUTER_WALKS).x);
    precise vec4 sum =
        weighted(p.near_weights, columns(p.near * stride)) + weighted(p.far_weights, columns(p.far * stride));
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
    precise vec4 a = sum.a + weighted(vec4(weight), numbers_of(item.a));
    sum.a = a;
    if (V > 4) {
        precise vec4 b = sum.b + weighted(vec4(weight), numbers_of(item.b));
        sum.b = b;
    }
}

Numbers interpolated_item()
{
    find_rows();
    Numbers sum = Numbers(NONE, NONE);
    if (MODE == SIDE) {
        if (is_whole()) {
            add_share(sum, row_weights.x, rows.x + x);
            if (OUTER_WALKS > 0)
                add_share(sum, row_weights.y, rows.y + x);
            if (OUTER_WALKS > 1) {
                add_share(sum, row_weights.z, rows.z + x);
                add_share(sum, row_weights.w, rows.w + x);
            }
            return sum;
        }
    }
    sum.a = interpolated_four(0);
    if (V > 4)
        sum.b = interpolated_four(4);
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
    Pairs p = pairs_of(0, uvec4(positions[0]));
    uvec2 rows = source_base + uvec2(p.near.x, p.far.x) * parameters.walk_strides[0].x;
    vec2 weights = vec2(p.near_weights.x, p.far_weights.x);
    return Rows(rows.x, rows.y, weights.y == 0.0 ? vec2(0.5) : weights); // of one row both are the same
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
    Numbers sum = Numbers(NONE, NONE);
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

// Adds up the steps of walk 0, of items side by side or of element v.
void add_spread(inout Numbers sum, Spread s, uint base, uint stride, bool side_by_side, uint v)
{
    uvec4 steps = steps_of(0);
    precise float total = 0.0;
    [[dont_unroll]] for (uint n = steps.z; n < steps.z + steps.y; ++n) {
        precise float weight = nearness(s, n) * s.share;
        if (weight != 0.0) {
            uint element = base + element_at(s, n, steps.w) * stride;
            if (side_by_side)
                add_share(sum, weight, element);
            else
                total = total + weight * numbers_of(uvec4(source_element(element).x)).x;
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
    Numbers sum = Numbers(NONE, NONE);
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
            add_spread(sum, s, along ? source_base : source_base + (x + v) * parameters.sizes[RANK - 1].w, stride,
                       false, v);
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
    Numbers sum = Numbers(NONE, NONE);
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
