// Gradients of what neighbourhoods became: each element of the target is the sum of those elements of the source whose
// neighbourhoods have it, in the order of their coordinates, each with its share. Which these are gradient_ranges.comp
// has found, dimension by dimension. An item is V elements side by side, or one.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "binding.glsl"
#include "division.glsl"
#include "types.glsl"
#include "words.glsl"

layout(constant_id = 1) const uint TYPES = 0x11; // of the source, of the target; 4 bits each
const uint TYPE = TYPES & 15u;
const uint TYPE_OUT = TYPES >> 4;
const uint PER_WORD = TYPE == FLOAT16 ? 2 : 1;
const uint OUT_PER_WORD = TYPE_OUT == FLOAT16 ? 2 : 1;

layout(constant_id = 2) const uint FLAGS = 0;
// In C: VKDML_GRADIENT_...
const bool ACCUMULATES = (FLAGS & 1u) != 0; // onto what the target has
const bool HAS_WINNERS = (FLAGS & 2u) != 0; // an element goes to the one place that it names
const bool IS_ALONG = (FLAGS & 4u) != 0;    // the innermost dimension is walked, as the last walk
const bool HAS_PARTS = (FLAGS & 8u) != 0;   // other steps of a walk are another dispatch's
const bool HAS_COUNTS = (FLAGS & 16u) != 0; // elements have shares by their coordinates
const bool IS_LINEAR = (FLAGS & 32u) != 0;  // elements share themselves out between two neighbours
const bool HAS_FACTOR = (FLAGS & 64u) != 0; // sums are multiplied by a factor
const bool HAS_PLACES = (FLAGS & 128u) != 0; // an element gives to what is near its place
const bool IS_ALIGNED = (FLAGS & 256u) != 0; // rows of the source begin at multiples of four elements
layout(constant_id = 3) const uint RANK = 8;
layout(constant_id = 4) const uint WALK_OF = 0xFFFFFFFFu; // of each dimension the walk, 4 bits; 15: it is not walked
layout(constant_id = 5) const uint OUTER_WALKS = 3;       // the first of them: all but the innermost dimension's
layout(constant_id = 6) const uint V = 1;                 // 1, 4 of FLOAT32, 2 or 8 of FLOAT16

// Strides are in elements, modulo 2^32, from what is bound on.
layout(std140, binding = 0) uniform GradientParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;
    uint items_per_row;
    uint row_length;
    uvec2 row_divisor; // for divide(): items_per_row
    uint share;        // items of an invocation
    uint factor;       // FLOAT32
    uint source_first;
    uint target_first;
    uint winners_first;
    uint place_first;  // of the target's first element
    uvec4 sizes[8];    // outermost first: a size, its multiplier and shifts, the source's stride
    uvec4 target_strides[2];
    uvec4 winner_strides[2];
    uvec4 place_strides[2];
    // Of a walk: a coordinate to begin at, where its ranges begin in the table, and its shares, the source's stride;
    // the first step, the steps, how far they are apart, the winners' stride.
    uvec4 walks[6];
} parameters;

BUFFER_OF_PAIRS(3, readonly, Table, table);
BUFFER_OF_WORDS(4, readonly, Winners, winners);

const uint NO_WALK = 15;

uint source_base;
uint winner_base;
uint target_base;
uint place_base;
uint x; // of the item's first element
uint positions[3];

uint walk_of(uint d)
{
    return WALK_OF >> (4 * d) & 15u;
}

void find_item(uint item)
{
    source_base = parameters.source_first + push.base_bytes[0] / 4 * PER_WORD;
    target_base = parameters.target_first + push.base_bytes[1] / 4 * OUT_PER_WORD;
    winner_base = parameters.winners_first + push.base_bytes[3] / 4;
    place_base = parameters.place_first;
    uint rest = RANK > 1 ? divide(item, parameters.row_divisor.x, parameters.row_divisor.y) : 0;
    x = (item - rest * parameters.items_per_row) * V;
    for (uint n = 1; n < RANK; ++n) {
        uint d = RANK - 1 - n;
        TAKE_COORDINATE(c, rest, d == 0, parameters.sizes[d].x, parameters.sizes[d].y, parameters.sizes[d].z)
        target_base += c * parameters.target_strides[d / 4][d % 4];
        place_base += c * parameters.place_strides[d / 4][d % 4];
        uint walk = walk_of(d);
        if (walk == NO_WALK) {
            source_base += c * parameters.sizes[d].w;
            winner_base += c * parameters.winner_strides[d / 4][d % 4];
        } else {
            positions[walk] = c + parameters.walks[2 * walk].x;
        }
    }
}

// ---- walks ----

uvec2 pair_at(uint n)
{
    return table.pairs[push.base_bytes[2] / 8 + n];
}

// The first of the source's coordinates, and how many there are.
uvec2 range_of(uint walk, uint coordinate)
{
    uvec2 range = pair_at(parameters.walks[2 * walk].y + coordinate);
    if (HAS_PARTS) {
        uvec4 part = parameters.walks[2 * walk + 1];
        uint skipped = min(part.x, range.y);
        range = uvec2(range.x + skipped * part.z, min(range.y - skipped, part.y));
    }
    return range;
}

// What the element at coordinate o of the source gives to such a coordinate of the target.
float share_of(uint walk, uint o, uint coordinate)
{
    if (!HAS_COUNTS && !IS_LINEAR)
        return 1.0;
    uvec2 pair = pair_at(parameters.walks[2 * walk].z + o);
    float share = uintBitsToFloat(pair.y);
    precise float near = 1.0 - share;
    return HAS_COUNTS || pair.x != coordinate ? share : near;
}

// The innermost dimension's, of four elements.
struct Lanes {
    uvec4 first;
    uvec4 count;
    uvec4 at;
};

Lanes lanes_of(uint v)
{
    Lanes lanes;
    [[unroll]] for (uint n = 0; n < 4; ++n) {
        uint at = min(x + v + n, parameters.row_length - 1);
        lanes.at[n] = at + parameters.walks[2 * OUTER_WALKS].x;
        uvec2 range = uvec2(0);
        if (v + n < V)
            range = range_of(OUTER_WALKS, lanes.at[n]);
        lanes.first[n] = range.x;
        lanes.count[n] = range.y;
    }
    return lanes;
}

// ---- elements ----

float load(uint element)
{
    uint word = source.words[element / PER_WORD];
    return uintBitsToFloat(TYPE == FLOAT16 ? widen_halves(word >> (element & 1) * 16 & 0xFFFF).x : word);
}

vec4 sum_a;
vec4 sum_b;

// What has no share does not count.
vec4 added(vec4 sum, vec4 number, vec4 share, bvec4 takes)
{
    precise vec4 more = sum + number * share;
    bvec4 counts = notEqual(share, vec4(0.0));
    return mix(sum, mix(sum, more, counts), takes);
}

uvec4 places_of_four(uint v)
{
    return place_base + (x + v + uvec4(0, 1, 2, 3)) * parameters.place_strides[(RANK - 1) / 4][(RANK - 1) % 4];
}

// The element at o goes to those of four whose range has it.
vec4 given(vec4 sum, Lanes lanes, uint v, uint o, float number, float share, uint winner, uvec2 pair)
{
    bvec4 takes = lessThan(o - lanes.first, lanes.count);
    if (HAS_WINNERS)
        takes = notEqual(uvec4(takes) * uvec4(equal(places_of_four(v), uvec4(winner))), uvec4(0));
    vec4 shares = vec4(share);
    if (HAS_COUNTS || IS_LINEAR) {
        float far = uintBitsToFloat(pair.y);
        precise float near = 1.0 - far;
        vec4 along = vec4(far);
        if (IS_LINEAR)
            along = mix(along, vec4(near), equal(lanes.at, uvec4(pair.x)));
        precise vec4 products = along * share;
        shares = products;
    }
    return added(sum, vec4(number), shares, takes);
}

Lanes lanes_a;
Lanes lanes_b;

void add_along(float share, uint row, uint winner_row)
{
    uint walk = OUTER_WALKS;
    uvec4 steps = parameters.walks[2 * walk];
    uint apart = V > 1 ? 1 : parameters.walks[2 * walk + 1].z;
    uint first = lanes_a.first.x;
    uint last = V > 4 ? 3 : V - 1;
    uint end = V > 4 ? lanes_b.first[last] + lanes_b.count[last] : lanes_a.first[last] + lanes_a.count[last];
    uint count = V > 1 ? end - first : lanes_a.count.x;
    [[dont_unroll]] for (uint n = 0; n < count; ++n) {
        uint o = first + n * apart;
        float number = load(row + o * steps.w);
        uint winner = 0;
        if (HAS_WINNERS)
            winner = winners.words[winner_row + o * parameters.walks[2 * walk + 1].w];
        uvec2 pair = uvec2(0);
        if (HAS_COUNTS || IS_LINEAR)
            pair = pair_at(steps.z + o);
        if (V == 1) {
            bool takes = !HAS_WINNERS || winner == places_of_four(0).x;
            precise float product = share * share_of(walk, o, lanes_a.at.x);
            sum_a = added(sum_a, vec4(number), vec4(product), bvec4(takes));
        } else {
            sum_a = given(sum_a, lanes_a, 0, o, number, share, winner, pair);
            if (V > 4)
                sum_b = given(sum_b, lanes_b, 4, o, number, share, winner, pair);
        }
    }
}

vec4 add_four(vec4 sum, uint v, float share, uint row, uint winner_row)
{
    uint stride = parameters.sizes[RANK - 1].w;
    uint winner_stride = parameters.winner_strides[(RANK - 1) / 4][(RANK - 1) % 4];
    uvec4 at = min(x + v + uvec4(0, 1, 2, 3), uvec4(parameters.row_length - 1));
    uvec4 elements = row + at * stride;
    vec4 numbers = vec4(load(elements.x));
    bvec4 takes = bvec4(true);
    if (V > 1)
        numbers = vec4(numbers.x, load(elements.y), load(elements.z), load(elements.w));
    if (HAS_WINNERS) {
        uvec4 named = winner_row + at * winner_stride;
        uvec4 found = uvec4(winners.words[named.x]);
        if (V > 1)
            found = uvec4(found.x, winners.words[named.y], winners.words[named.z], winners.words[named.w]);
        takes = equal(found, places_of_four(v));
    }
    return added(sum, numbers, vec4(share), takes);
}

void add_row(float share, uint row, uint winner_row)
{
    if (IS_ALONG) {
        add_along(share, row, winner_row);
    } else {
        sum_a = add_four(sum_a, 0, share, row, winner_row);
        if (V > 4)
            sum_b = add_four(sum_b, 4, share, row, winner_row);
    }
}

// What the coordinates of some walks lead to.
struct Row {
    uint element;
    uint winner;
    float share;
};

Row row_at(uint walk, uint n, uvec2 range, Row row)
{
    if (OUTER_WALKS <= walk)
        return row;
    uvec4 part = parameters.walks[2 * walk + 1];
    uint o = range.x + n * part.z;
    row.element += o * parameters.walks[2 * walk].w;
    row.winner += o * part.w;
    if (HAS_COUNTS || IS_LINEAR) {
        precise float share = row.share * share_of(walk, o, positions[walk]);
        row.share = share;
    }
    return row;
}

void add_rows()
{
    uvec2 ranges[3] = uvec2[](uvec2(0, 1), uvec2(0, 1), uvec2(0, 1));
    [[unroll]] for (uint w = 0; w < 3; ++w)
        if (OUTER_WALKS > w)
            ranges[w] = range_of(w, positions[w]);
    Row all = Row(source_base, winner_base, 1.0);
    [[dont_unroll]] for (uint i = 0; i < (OUTER_WALKS > 0 ? ranges[0].y : 1); ++i) {
        Row outer = row_at(0, i, ranges[0], all);
        [[dont_unroll]] for (uint j = 0; j < (OUTER_WALKS > 1 ? ranges[1].y : 1); ++j) {
            Row middle = row_at(1, j, ranges[1], outer);
            [[dont_unroll]] for (uint k = 0; k < (OUTER_WALKS > 2 ? ranges[2].y : 1); ++k) {
                Row row = row_at(2, k, ranges[2], middle);
                add_row(row.share, row.element, row.winner);
            }
        }
    }
}

// ---- rows and columns of places ----

// Two walks, the second along the items: columns add up rows first, four at a time, so that what a column gives to
// elements side by side is found once.
const bool BY_COLUMNS = BOTH(BOTH(HAS_PLACES, IS_ALONG), OUTER_WALKS == 1);

struct Rows {
    uvec4 first; // elements
    vec4 shares;
};

Rows rows_from(uvec2 range, uint n)
{
    Rows rows;
    [[unroll]] for (uint k = 0; k < 4; ++k) {
        uint o = range.x + min(n + k, range.y - 1);
        rows.first[k] = source_base + o * parameters.walks[0].w;
        rows.shares[k] = n + k < range.y ? share_of(0, o, positions[0]) : 0.0;
    }
    return rows;
}

vec4 load_four(uint element)
{
    if (TYPE == FLOAT16) {
        uvec4 wide = uvec4(widen_halves(source.words[element / 2]), widen_halves(source.words[element / 2 + 1]));
        return uintBitsToFloat(wide);
    }
    return uintBitsToFloat(source_vectors.vectors[element / 4]);
}

// Four columns from o on, those that there are.
vec4 columns_at(Rows rows, uint o, uint end)
{
    vec4 sum = vec4(0.0);
    uvec4 at = min(o + uvec4(0, 1, 2, 3), uvec4(end - 1)) * parameters.walks[2].w;
    [[unroll]] for (uint k = 0; k < 4; ++k) {
        vec4 numbers = vec4(0.0);
        if (rows.shares[k] != 0.0) {
            if (IS_ALIGNED)
                numbers = load_four(rows.first[k] + o);
            else
                numbers = vec4(load(rows.first[k] + at.x), load(rows.first[k] + at.y), load(rows.first[k] + at.z),
                               load(rows.first[k] + at.w));
            precise vec4 more = sum + numbers * rows.shares[k];
            sum = more;
        }
    }
    return sum;
}

void add_column(uint o, uint end, float number)
{
    uvec2 pair = uvec2(0);
    if (IS_LINEAR)
        pair = pair_at(parameters.walks[2].z + min(o, end - 1));
    sum_a = given(sum_a, lanes_a, 0, o, number, 1.0, 0, pair);
    if (V > 4)
        sum_b = given(sum_b, lanes_b, 4, o, number, 1.0, 0, pair);
}

void add_columns()
{
    uvec2 range = range_of(0, positions[0]);
    uint first = lanes_a.first.x;
    uint end = V > 4    ? lanes_b.first.w + lanes_b.count.w
               : V == 4 ? lanes_a.first.w + lanes_a.count.w
               : V == 2 ? lanes_a.first.y + lanes_a.count.y
                        : lanes_a.first.x + lanes_a.count.x;
    if (IS_ALIGNED)
        first &= ~3u;
    [[dont_unroll]] for (uint n = 0; n < range.y; n += 4) {
        Rows rows = rows_from(range, n);
        [[dont_unroll]] for (uint o = first; o < end; o += 4) {
            vec4 columns = columns_at(rows, o, end);
            [[unroll]] for (uint k = 0; k < 4; ++k)
                add_column(o + k, end, columns[k]);
        }
    }
}

// ---- the target ----

uint element_of_item()
{
    return target_base + x * (V > 1 ? 1 : parameters.target_strides[(RANK - 1) / 4][(RANK - 1) % 4]);
}

uvec2 halves_of(uvec4 wide)
{
    bool good = true;
    uvec2 words = uvec2(narrow_to_halves(wide.xy, good), narrow_to_halves(wide.zw, good));
    if (good)
        return words;
    return uvec2(narrow_to_half(wide.x) | narrow_to_half(wide.y) << 16,
                 narrow_to_half(wide.z) | narrow_to_half(wide.w) << 16);
}

void store()
{
    uint element = element_of_item();
    if (HAS_FACTOR) {
        precise vec4 a = sum_a * uintBitsToFloat(parameters.factor);
        precise vec4 b = sum_b * uintBitsToFloat(parameters.factor);
        sum_a = a;
        sum_b = b;
    }
    if (ACCUMULATES) { // of FLOAT32 alone
        precise vec4 a = sum_a;
        if (V > 1)
            a = uintBitsToFloat(destination_vectors.vectors[element / 4]) + a;
        else
            a.x = uintBitsToFloat(destination.words[element]) + a.x;
        sum_a = a;
    }
    uvec4 bits = floatBitsToUint(sum_a);
    if (TYPE_OUT != FLOAT16) {
        if (V > 1)
            destination_vectors.vectors[element / 4] = bits;
        else
            destination.words[element] = bits.x;
    } else if (V == 1) {
        uint shift = (element & 1) * 16;
        store_word(element / 2, narrow_to_half(bits.x) << shift, 0xFFFFu << shift);
    } else if (V == 2) {
        destination.words[element / 2] = halves_of(bits.xyxy).x;
    } else {
        destination_vectors.vectors[element / 8] = uvec4(halves_of(bits), halves_of(floatBitsToUint(sum_b)));
    }
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
        sum_a = vec4(0.0);
        sum_b = vec4(0.0);
        if (IS_ALONG) {
            lanes_a = lanes_of(0);
            if (V > 4)
                lanes_b = lanes_of(4);
        }
        if (BY_COLUMNS)
            add_columns();
        else
            add_rows();
        store();
    }
}
