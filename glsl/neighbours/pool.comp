// The greatest elements of boxes and their places, or sums and norms of their elements. In a dimension that is walked
// coordinate c takes the elements c * step - padding + t * dilation, those that there are.
#version 450
#extension GL_GOOGLE_include_directive : require
#define POOLS
#define HAS_EPILOGUES
#include "neighbours.glsl"
#include "epilogue.glsl"
#include "target.glsl"
#include "../math/power.glsl"
#include "../math/quotient.glsl"
#include "../math/root.glsl"

// In C: VKDML_POOL_...
const bool HAS_PLACES = (OPERATION & 1024u) != 0;
// of equal elements the one whose place is less, in whatever order they come
const bool BY_PLACE = (OPERATION & 2048u) != 0;

// In C: VKDML_POOL_...
const uint FUNCTION_SHIFT = 12;
const uint ENDING_SHIFT = 15;
const uint ORDER_SHIFT = 18;

// What is made of the elements of a box.
const uint FUNCTION = OPERATION >> FUNCTION_SHIFT & 7u;
// In C: enum vkdml_pool, VKDML_POOL_...
// no pool: the source's places follow from the steps as the dimensions say, and other kernels serve
const uint NONE = 0;
const uint MAXIMUM = 1;
const uint SUM = 2;
const uint MAGNITUDES = 3; // summed
const uint SQUARED = 4;
const uint NORM = 5; // the root of the sum of magnitudes to the power arguments.y; arguments.z is its inverse

// What becomes of a sum.
const uint ENDING = OPERATION >> ENDING_SHIFT & 7u;
// In C: enum vkdml_pool_ending, VKDML_POOL_...
const uint AS_IT_IS = 0;
const uint SCALED = 1;  // by arguments.x
const uint AVERAGE = 2; // over the elements that there are
const uint ROOT = 3;

// How the bits of maxima compare: types are unsigned integers.
const uint ORDER = OPERATION >> ORDER_SHIFT & 3u;
// In C: enum vkdml_pool_order, VKDML_POOL_ORDER_...
const uint UNSIGNED = 0;
const uint SIGNED = 1;
const uint FLOAT = 2; // -0 is below +0, NaN above all

const uint RING_TAPS = RING & 15u;
const uint RING_STEP = RING >> 4 & 15u;
const uint RING_WALK = OUTER_WALKS;
const uint ITEM_WALK = WALK_OF >> (4 * (RANK - 1)) & 15u;

// Of SLIDE: steps, 1 to 9, how far neighbours are apart, and where in a vector the first step of an item leads.
const uint SLIDE_TAPS = SLIDING & 15u;
const uint SLIDE_STEP = SLIDING >> 4 & 15u;
const uint SLIDE_LEAD = SLIDING >> 8 & 7u;
const uint SLIDE_SPAN = SLIDE_LEAD + (V - 1) * SLIDE_STEP + SLIDE_TAPS;

const bool IS_MAXIMUM = FUNCTION == MAXIMUM;
const uint LEAST = IS_MAXIMUM ? SIGN_BIT : 0u; // below all but the least of the whole 32 bits; of 64 the upper word's
const uint NOWHERE = 0xFFFFFFFFu;

// ---- elements ----

const uint SPARE_BITS = (32 - BITS) & 31u;
const int MAGNITUDE = BITS == 16 ? 0x7FFF : 0x7FFFFFFF;
const int INFINITE = BITS == 16 ? 0x7C00 : 0x7F800000;
const int NO_NUMBER = BITS == 16 ? 0x7E00 : 0x7FC00000;

// Keys are compared as integers with a sign; of 64 bits the second word is the first.
uvec4 keys_of(uvec4 bits)
{
    if (BITS == 64)
        return uvec4(bits.x, ORDER == UNSIGNED ? bits.y ^ SIGN_BIT : bits.y, 0, 0);
    if (ORDER == UNSIGNED)
        return BITS == 32 ? bits ^ SIGN_BIT : bits << SPARE_BITS >> SPARE_BITS;
    ivec4 keys = ivec4(bits << SPARE_BITS) >> SPARE_BITS;
    if (ORDER == SIGNED)
        return uvec4(keys);
    ivec4 magnitudes = keys & MAGNITUDE;
    keys ^= keys >> 31 & MAGNITUDE;
    return uvec4(mix(keys, ivec4(NO_NUMBER), greaterThan(magnitudes, ivec4(INFINITE))));
}

// Of LEAST what is least of the type.
uvec4 bits_of(uvec4 keys)
{
    if (BITS == 64)
        return uvec4(keys.x, ORDER == UNSIGNED ? keys.y ^ SIGN_BIT : keys.y, 0, 0);
    if (ORDER == UNSIGNED)
        return BITS == 32 ? keys ^ SIGN_BIT : uvec4(max(ivec4(keys), ivec4(0)));
    if (ORDER == SIGNED)
        return uvec4(max(ivec4(keys), ivec4(int(SIGN_BIT) >> SPARE_BITS)));
    ivec4 numbers = max(ivec4(keys), ivec4(~INFINITE));
    return uvec4(numbers ^ (numbers >> 31 & MAGNITUDE));
}

// What elements are compared by, or add to sums.
uvec4 terms_of(uvec4 bits)
{
    if (IS_MAXIMUM)
        return keys_of(bits);
    if (FUNCTION == MAGNITUDES)
        return bits & ~SIGN_BIT;
    precise vec4 squares = uintBitsToFloat(bits) * uintBitsToFloat(bits);
    return FUNCTION == SQUARED ? floatBitsToUint(squares) : bits;
}

Values terms_of(Values values)
{
    values.a = terms_of(values.a);
    if (V > 4)
        values.b = terms_of(values.b);
    return values;
}

// ---- what an item has so far ----

struct Pool {
    Values best; // or sums
    Values places;
};

Pool nothing()
{
    Values best = Values(uvec4(LEAST), uvec4(LEAST));
    if (BITS == 64)
        best.a.x = 0;
    return Pool(best, Values(uvec4(NOWHERE), uvec4(NOWHERE)));
}

void join(inout uvec4 best, inout uvec4 places, uvec4 terms, uvec4 at)
{
    if (!IS_MAXIMUM) {
        best = add_bits(best, terms);
    } else if (BITS == 64) {
        bool is_same = all(equal(best.xy, terms.xy));
        bool is_greater = best.y == terms.y ? terms.x > best.x : int(terms.y) > int(best.y);
        if (is_same ? at.x < places.x : is_greater) {
            best = terms;
            places = at;
        }
    } else if (!HAS_PLACES) {
        best = uvec4(max(ivec4(best), ivec4(terms)));
    } else {
        bvec4 wins = greaterThan(ivec4(terms), ivec4(best));
        if (BY_PLACE)
            wins = mix(wins, lessThan(at, places), equal(terms, best));
        best = mix(best, terms, wins);
        places = mix(places, at, wins);
    }
}

Pool join(Pool p, Pool other)
{
    join(p.best.a, p.places.a, other.best.a, other.places.a);
    if (V > 4)
        join(p.best.b, p.places.b, other.best.b, other.places.b);
    return p;
}

// ---- steps ----

uint counts[6];
uint firsts[6];

// The first coordinate that the steps from `position` on lead to, and how many lead to one.
uvec2 inside(uint walk, uint position)
{
    uvec4 steps = parameters.walks[2 * walk];
    uvec4 dilation = parameters.walks[2 * walk + 1];
    uint skipped = 0;
    if (int(position) < 0)
        skipped = steps.z == 1 ? -position : divide(-position + (steps.z - 1), dilation.y, dilation.z);
    uint first = position + skipped * steps.z;
    uint behind = steps.w - 1 - first;
    uint most = first >= steps.w ? 0 : (steps.z == 1 ? behind : divide(behind, dilation.y, dilation.z)) + 1;
    return uvec2(first, min(steps.y - min(skipped, steps.y), most));
}

void prepare()
{
    for (uint walk = 0; walk < 3; ++walk)
        counts[walk] = 1;
    for (uint walk = 0; walk < OUTER_WALKS; ++walk) {
        uvec2 steps = inside(walk, positions[walk]);
        firsts[walk] = steps.x;
        counts[walk] = steps.y;
    }
}

// Adds where step n of an outer walk leads to an element, and to its place.
uvec2 lead(uvec2 element, uint walk, uint n)
{
    if (walk >= OUTER_WALKS)
        return element;
    uint q = firsts[walk] + n * parameters.walks[2 * walk].z;
    return element + q * uvec2(parameters.walk_strides[walk / 4][walk % 4], parameters.walks[2 * walk + 1].w);
}

#define FOR_ALL_ROWS(element, start)                                                                                   \
    for (uint outer = 0; outer < counts[0]; ++outer)                                                                   \
        for (uint middle = 0; middle < counts[1]; ++middle)                                                            \
            for (uint inner = 0; inner < counts[2]; ++inner) {                                                         \
                uvec2 element = lead(lead(lead(start, 0, outer), 1, middle), 2, inner);
#define END }

// ---- a row of an item ----

// Elements side by side in a dimension that is not walked.
Pool take_side(uvec2 element)
{
    Pool p = nothing();
    if (ITEMS_ARE_WHOLE) {
        p.best = source_item(element.x + x);
    } else if (is_whole()) {
        p.best = source_item(element.x + x);
    } else {
        [[dont_unroll]] for (uint v = 0; v < V; ++v) {
            if (is_in_row(v)) {
                uint bits = source_element(element.x + x + v).x;
                if (v < 4)
                    p.best.a[v] = bits;
                else
                    p.best.b[v & 3] = bits;
            }
        }
    }
    p.best = terms_of(p.best);
    uint stride = parameters.place_strides[(RANK - 1) / 4][(RANK - 1) % 4];
    p.places.a = element.y + (x + uvec4(0, 1, 2, 3)) * stride;
    p.places.b = p.places.a + 4 * stride;
    return p;
}

// What the steps of an item lead to along its row, each element once.
uint line[32];

#define PUT(k, vector)                                                                                                 \
    line[k] = vector.x;                                                                                                \
    line[k + 1] = vector.y;                                                                                            \
    line[k + 2] = vector.z;                                                                                            \
    line[k + 3] = vector.w;

// A vector lies in the row whole or not at all.
Values load_vector(uint base, uint q, uint size)
{
    Values terms = nothing().best;
    if (q < size)
        terms = terms_of(source_item(base + q));
    return terms;
}

// Four elements, `count` of which are needed. For a place outside the row the nearest in it is read, which is bound:
// steps that lead beyond its end do so by less than 64, all others before its beginning.
uvec4 load_four(uint base, uint first, uint size, uint count)
{
    uvec4 q = first + uvec4(0, 1, 2, 3);
    uvec4 nearest = mix(uvec4(0), uvec4(size - 1), lessThan(q - size, uvec4(64)));
    uvec4 at = base + mix(nearest, q, lessThan(q, uvec4(size)));
    uvec4 bits = uvec4(source_element(at.x).x, 0, 0, 0);
    if (count > 1)
        bits.y = source_element(at.y).x;
    if (count > 2)
        bits.z = source_element(at.z).x;
    if (count > 3)
        bits.w = source_element(at.w).x;
    return mix(uvec4(LEAST), terms_of(bits), lessThan(q, uvec4(size)));
}

#define LOAD_VECTOR(k)                                                                                                 \
    if (SLIDE_SPAN > k * V) {                                                                                          \
        Values terms = load_vector(element.x, first - SLIDE_LEAD + k * V, size);                                       \
        PUT(k * V, terms.a)                                                                                            \
        if (V > 4) {                                                                                                   \
            PUT(k * V + 4, terms.b)                                                                                    \
        }                                                                                                              \
    }
#define LOAD_FOUR(k)                                                                                                   \
    if (SLIDE_SPAN > k) {                                                                                              \
        uvec4 terms = load_four(element.x, first + k, size, SLIDE_SPAN - k);                                           \
        PUT(k, terms)                                                                                                  \
    }

uvec4 places_of(uvec4 q, uint place)
{
    uvec4 at = place + q * parameters.walks[2 * ITEM_WALK + 1].w;
    return BY_PLACE ? mix(uvec4(NOWHERE), at, lessThan(q, parameters.walks[2 * ITEM_WALK].wwww)) : at;
}

const uint S = SLIDE_STEP;
const uint FIRST_0 = SLIDE_LEAD; // of each element of an item
const uint FIRST_1 = FIRST_0 + S;
const uint FIRST_2 = FIRST_1 + S;
const uint FIRST_3 = FIRST_2 + S;
const uint FIRST_4 = FIRST_3 + S;
const uint FIRST_5 = FIRST_4 + S;
const uint FIRST_6 = FIRST_5 + S;
const uint FIRST_7 = FIRST_6 + S;
#define AT(t, v) line[FIRST_##v + t]

#define SLIDE_TAP(t)                                                                                                   \
    if (SLIDE_TAPS > t) {                                                                                              \
        join(p.best.a, p.places.a, uvec4(AT(t, 0), AT(t, 1), AT(t, 2), AT(t, 3)), places_of(q + t, element.y));        \
        if (V > 4)                                                                                                     \
            join(p.best.b, p.places.b, uvec4(AT(t, 4), AT(t, 5), AT(t, 6), AT(t, 7)),                                  \
                 places_of(q + 4 * S + t, element.y));                                                                 \
    }

Pool slide(uvec2 element)
{
    uint size = parameters.walks[2 * ITEM_WALK].w;
    uint first = x * S + parameters.walks[2 * ITEM_WALK].x;
    if (SOURCE_IS_ALIGNED) {
        LOAD_VECTOR(0) LOAD_VECTOR(1) LOAD_VECTOR(2)
        if (V < 8) {
            LOAD_VECTOR(3) LOAD_VECTOR(4) LOAD_VECTOR(5)
        }
    } else {
        LOAD_FOUR(0) LOAD_FOUR(4) LOAD_FOUR(8) LOAD_FOUR(12) LOAD_FOUR(16) LOAD_FOUR(20)
    }
    uvec4 q = first + S * uvec4(0, 1, 2, 3);
    Pool p = nothing();
    SLIDE_TAP(0) SLIDE_TAP(1) SLIDE_TAP(2) SLIDE_TAP(3) SLIDE_TAP(4) SLIDE_TAP(5) SLIDE_TAP(6) SLIDE_TAP(7) SLIDE_TAP(8)
    return p;
}

Pool take_row(uvec2 element)
{
    if (MODE == SIDE)
        return take_side(element);
    if (MODE == SLIDE)
        return slide(element);
    Pool p = nothing();
    p.best.a = terms_of(uvec4(source_element(element.x), 0, 0));
    p.places.a.x = element.y;
    return p;
}

// Sums that go on for long are made of blocks of so many terms: errors grow with the number of either.
const uint BLOCK = 64;

// All that the outer walks lead to.
Pool take_rows(uvec2 start)
{
    Pool p = nothing();
    Pool blocks = nothing();
    uint taken = 0;
    FOR_ALL_ROWS(element, start)
        p = join(p, take_row(element));
        if (IS_LONG) {
            if (++taken == BLOCK) {
                blocks = join(blocks, p);
                p = nothing();
                taken = 0;
            }
        }
    END
    return IS_LONG ? join(blocks, p) : p;
}

struct Norm {
    float scale; // a power of two
    float rest_scale;
    float divisor; // the greatest magnitude, scaled
};

float power_of(uint magnitude, Norm n)
{
    precise float part = uintBitsToFloat(magnitude) * n.scale;
    part = part * n.rest_scale;
    part = part == n.divisor ? 1.0 : min(math_quotient(part, n.divisor), 1.0); // large powers show what it is off
    precise float power = uintBitsToFloat(math_pow(floatBitsToUint(part), parameters.arguments.y));
    return power;
}

// The P-th root of the sum of magnitudes to the power P, beside the greatest of them, with one more that is `stored`.
uint norm(uvec2 start, uint stored)
{
    uint greatest = stored;
    FOR_ALL_ROWS(element, start)
        greatest = max(greatest, source_element(element.x).x & ~SIGN_BIT);
    END
    if (greatest - 0x00800000u >= 0x7F000000u)
        return greatest > INFINITY ? QUIET_NAN : greatest == INFINITY ? INFINITY : 0; // denormals may be taken for 0
    // By powers of two, so that the greatest is from 1 to 2, in two steps, because 2^126 is the greatest one that has
    // an inverse.
    uint exponent = greatest >> 23;
    precise float scale = uintBitsToFloat((127 + (127 - int(exponent)) / 2) << 23);
    precise float rest_scale = uintBitsToFloat((127 + (127 - int(exponent)) - (127 - int(exponent)) / 2) << 23);
    Norm n = Norm(scale, rest_scale, uintBitsToFloat((greatest & 0x7FFFFFu) | 0x3F800000u));
    precise float sum = power_of(stored, n);
    precise float blocks = 0.0;
    uint taken = 0;
    FOR_ALL_ROWS(element, start)
        sum = sum + power_of(source_element(element.x).x & ~SIGN_BIT, n);
        if (++taken == BLOCK) {
            blocks = blocks + sum;
            sum = 0.0;
            taken = 0;
        }
    END
    sum = sum + blocks;
    precise float result =
        uintBitsToFloat(math_pow(floatBitsToUint(sum), parameters.arguments.z)) * uintBitsToFloat(greatest);
    return floatBitsToUint(result);
}

// ---- the end ----

// How many elements an item's have along the row, and in all other dimensions. No array: its type would be that of the
// parameter block's, whose layout no variable may have.
uvec4 columns_a;
uvec4 columns_b;
uint rows;

void count_columns()
{
    columns_a = uvec4(1);
    columns_b = uvec4(1);
    if (MODE == SLIDE) {
        ivec4 first = ivec4(x * S + parameters.walks[2 * ITEM_WALK].x + S * uvec4(0, 1, 2, 3));
        ivec4 size = ivec4(parameters.walks[2 * ITEM_WALK].w);
        columns_a = uvec4(max(min(first + int(SLIDE_TAPS), size) - max(first, ivec4(0)), ivec4(0)));
        first += 4 * int(S);
        columns_b = uvec4(max(min(first + int(SLIDE_TAPS), size) - max(first, ivec4(0)), ivec4(0)));
    }
}

void count_rows()
{
    rows = counts[0] * counts[1] * counts[2];
    if (RING != 0)
        rows *= inside(RING_WALK, positions[RING_WALK]).y;
}

float share_of(uint count)
{
    precise float share = math_quotient(1.0, float(max(count, 1)));
    return share;
}

// The root of a sum of squares: the root's function takes what is neither very large nor very small.
uint root_of(uint bits)
{
    precise float sum = uintBitsToFloat(bits);
    bool is_small = bits < 0x0D800000u; // 2^-100
    bool is_large = bits > 0x71800000u; // 2^100
    precise float scaled = sum * mix(mix(1.0, 7.888609052210118e-31, is_large), 1.2676506002282294e30, is_small);
    precise float root = math_root(scaled);
    root = root * mix(mix(1.0, 1125899906842624.0, is_large), 8.881784197001252e-16, is_small);
    return bits >= INFINITY ? (bits > INFINITY ? QUIET_NAN : INFINITY) : bits < 0x00800000u ? 0 : floatBitsToUint(root);
}

uvec4 finished(uvec4 sums, uvec4 columns)
{
    if (IS_MAXIMUM)
        return bits_of(sums);
    if (ENDING == ROOT)
        return uvec4(root_of(sums.x), root_of(sums.y), root_of(sums.z), root_of(sums.w));
    precise vec4 share = vec4(uintBitsToFloat(parameters.arguments.x));
    if (ENDING == AVERAGE)
        share = vec4(share_of(columns.x * rows), share_of(columns.y * rows), share_of(columns.z * rows),
                     share_of(columns.w * rows));
    precise vec4 shares = uintBitsToFloat(sums) * share;
    return ENDING == AS_IT_IS ? sums : floatBitsToUint(shares);
}

const uint PLACE_WORDS = BITS_OWN / 32;

void store_place(uint element, uint place)
{
    places.words[element * PLACE_WORDS] = place;
    if (PLACE_WORDS > 1)
        places.words[element * PLACE_WORDS + 1] = place == NOWHERE ? NOWHERE : 0;
}

void store_four(uint element, uvec4 at)
{
    uvec4 above = mix(uvec4(0), uvec4(NOWHERE), equal(at, uvec4(NOWHERE)));
    if (PLACE_WORDS > 1) {
        place_vectors.vectors[element / 2] = uvec4(at.x, above.x, at.y, above.y);
        place_vectors.vectors[element / 2 + 1] = uvec4(at.z, above.z, at.w, above.w);
    } else {
        place_vectors.vectors[element / 4] = at;
    }
}

void store_places(Values at)
{
    uint stride = parameters.own_strides[(RANK - 1) / 4][(RANK - 1) % 4];
    uint element = own_base + x * stride;
    if (OWN_IS_ALIGNED) {
        if (is_whole()) {
            store_four(element, at.a);
            if (V > 4)
                store_four(element + 4, at.b);
            return;
        }
    }
    [[dont_unroll]] for (uint v = 0; v < V; ++v)
        if (is_in_row(v))
            store_place(element + v * stride, value_at(at, v));
}

void end_item(Pool p)
{
    if (HAS_PLACES) {
        if (!BY_PLACE) {
            p.places.a = mix(p.places.a, uvec4(NOWHERE), equal(p.best.a, uvec4(LEAST)));
            p.places.b = mix(p.places.b, uvec4(NOWHERE), equal(p.best.b, uvec4(LEAST)));
        }
        store_places(p.places);
    }
    Values values;
    values.a = finished(p.best.a, columns_a);
    values.b = V > 4 ? finished(p.best.b, columns_b) : uvec4(0);
    store_item(values);
}

// ---- element by element ----

// What other steps left in the target; parts that have not all steps are of single elements.
Pool stored_pool()
{
    Pool p = nothing();
    p.best.a = stored_item().a;
    if (IS_MAXIMUM)
        p.best.a = keys_of(p.best.a);
    if (HAS_PLACES)
        p.places.a.x =
            places.words[(own_base + x * parameters.own_strides[(RANK - 1) / 4][(RANK - 1) % 4]) * PLACE_WORDS];
    return p;
}

void single_item()
{
    Pool p = nothing();
    Values values = NOTHING;
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v)) {
            uvec2 start = uvec2(source_base, place_base);
            if (ITEM_WALK == NO_WALK)
                start += (x + v) *
                         uvec2(parameters.sizes[RANK - 1].w, parameters.place_strides[(RANK - 1) / 4][(RANK - 1) % 4]);
            else
                positions[ITEM_WALK] =
                    (x + v) * parameters.walks[2 * ITEM_WALK + 1].x + parameters.walks[2 * ITEM_WALK].x;
            prepare();
            count_rows();
            count_columns();
            if (IS_REST)
                p.best.a.x =
                    source_element(own_base + (x + v) * parameters.own_strides[(RANK - 1) / 4][(RANK - 1) % 4]).x;
            else if (FUNCTION == NORM)
                p.best.a.x = norm(start, ACCUMULATES ? stored_item().a.x : 0);
            else
                p = take_rows(start);
            if (V > 1) {
                uint bits = finished(p.best.a, uvec4(1)).x;
                if (v < 4)
                    values.a[v] = bits;
                else
                    values.b[v & 3] = bits;
                if (HAS_PLACES)
                    store_place(own_base + (x + v) * parameters.own_strides[(RANK - 1) / 4][(RANK - 1) % 4],
                                p.places.a.x);
            }
        }
    }
    if (V > 1) {
        store_item(values);
        return;
    }
    if (ACCUMULATES && FUNCTION != NORM)
        p = join(stored_pool(), p);
    end_item(p);
}

// ---- a ring ----

// What the steps of one dimension lead to stays in registers while neighbours along it are computed.
Pool ring[9];

Pool load_ring(uint q)
{
    if (q >= parameters.walks[2 * RING_WALK].w)
        return nothing();
    uvec2 place = uvec2(source_base, place_base);
    place += q * uvec2(parameters.walk_strides[RING_WALK / 4][RING_WALK % 4], parameters.walks[2 * RING_WALK + 1].w);
    if (OUTER_WALKS == 0)
        return take_row(place);
    return take_rows(place);
}

void walk_ring()
{
    uint q = positions[RING_WALK];
    uint count = min(parameters.share, parameters.ring_length - ring_begin);
#define FILL(k)                                                                                                        \
    if (RING_TAPS > k + RING_STEP)                                                                                     \
        ring[k] = load_ring(q++);
    FILL(0) FILL(1) FILL(2) FILL(3) FILL(4) FILL(5) FILL(6) FILL(7)
    for (uint n = 0; n < count; ++n) {
#define LOAD(k)                                                                                                        \
    if (RING_TAPS > k) {                                                                                               \
        if (RING_TAPS <= k + RING_STEP)                                                                                \
            ring[k] = load_ring(q++);                                                                                  \
    }
        LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7) LOAD(8)
        Pool p = ring[0];
#define JOIN(k)                                                                                                        \
    if (RING_TAPS > k)                                                                                                 \
        p = join(p, ring[k]);
        JOIN(1) JOIN(2) JOIN(3) JOIN(4) JOIN(5) JOIN(6) JOIN(7) JOIN(8)
        if (ENDING == AVERAGE)
            count_rows();
        end_item(p);
        own_base += parameters.own_strides[RING_DIMENSION / 4][RING_DIMENSION % 4];
        target_base += parameters.target_strides[RING_DIMENSION / 4][RING_DIMENSION % 4];
        if (HAS_OPERAND)
            operand_base += parameters.operand_strides[RING_DIMENSION / 4][RING_DIMENSION % 4];
        positions[RING_WALK] += RING_STEP;
#define SHIFT(k)                                                                                                       \
    if (RING_TAPS > k + RING_STEP)                                                                                     \
        ring[k] = ring[k + RING_STEP];
        SHIFT(0) SHIFT(1) SHIFT(2) SHIFT(3) SHIFT(4) SHIFT(5) SHIFT(6) SHIFT(7)
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    // Never so. Mesa 26.1's lavapipe looks the buffer's descriptor up where it is met first. In the loop that would be
    // for each invocation, and where none of a vector has an item it reads through the first one's, which is none.
    if (ACCUMULATES && destination.words.length() == 0)
        return;
    uint invocation = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (RING != 0) {
        if (invocation < parameters.item_count) {
            find_item(invocation);
            prepare();
            count_columns();
            walk_ring();
        }
        return;
    }
    for (uint n = 0; n < parameters.share; ++n) {
        uint item = invocation * parameters.share + n;
        if (item >= parameters.item_count)
            return;
        find_item(item);
        if (MODE == SINGLE) {
            single_item();
        } else {
            prepare();
            count_columns();
            count_rows();
            end_item(take_rows(uvec2(source_base, place_base)));
        }
    }
}
