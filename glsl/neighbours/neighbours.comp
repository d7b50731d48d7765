// Sums of the elements that steps lead to, or of their squares, and what is made of a sum and of the element at the
// output's own place.
#version 450
#extension GL_GOOGLE_include_directive : require
#define HAS_OWN
#define HAS_EPILOGUES
#define ONLY_ARITHMETIC
#include "neighbours.glsl"
#include "epilogue.glsl"
#include "target.glsl"
#include "../math/power.glsl"

// FINISH. In C the last three follow from the power.
// In C: enum vkdml_neighbours_finish, VKDML_NEIGHBOURS_...
const uint TOTAL = 0;      // the sum itself
const uint NORMALIZED = 1; // own / (bias + scale * sum)^power; arguments: scale, bias, power
const uint NORMALIZED_3_4 = 2; // of this power, 3/4, and so on
const uint NORMALIZED_1_2 = 3;
const uint NORMALIZED_1 = 4;

// A sum that goes on for long is made of blocks of so many terms: errors grow with the number of either.
const uint BLOCK = 64;

Values total;
Values blocks;
uint taken;

uvec4 squared(uvec4 bits)
{
    precise vec4 square = uintBitsToFloat(bits) * uintBitsToFloat(bits);
    return SQUARES ? floatBitsToUint(square) : bits;
}

Values term_of(Values values)
{
    values.a = squared(values.a);
    if (V > 4)
        values.b = squared(values.b);
    return values;
}

void take(Values term)
{
    total = add(total, term);
    if (IS_LONG) {
        if (++taken == BLOCK) {
            blocks = add(blocks, total);
            total = NOTHING;
            taken = 0;
        }
    }
}

// The sums of SIZE values side by side, 2 to 9, from `first`, `first + 1`, 2 and 3 on: what all four have in common,
// what is before it and what is behind it are each added up once.
#define FOUR_SUMS(TYPE, ADD, values, first, SIZE, sums)                                                                \
    if (SIZE < 4) {                                                                                                    \
        sums[0] = ADD(values[first], values[first + 1]);                                                               \
        sums[1] = ADD(values[first + 1], values[first + 2]);                                                           \
        sums[2] = ADD(values[first + 2], values[first + 3]);                                                           \
        sums[3] = ADD(values[first + 3], values[first + 4]);                                                           \
        if (SIZE > 2) {                                                                                                \
            sums[0] = ADD(sums[0], values[first + 2]);                                                                 \
            sums[1] = ADD(sums[1], values[first + 3]);                                                                 \
            sums[2] = ADD(sums[2], values[first + 4]);                                                                 \
            sums[3] = ADD(sums[3], values[first + 5]);                                                                 \
        }                                                                                                              \
    } else {                                                                                                           \
        TYPE middle = values[first + 3];                                                                               \
        if (SIZE > 4)                                                                                                  \
            middle = ADD(middle, values[first + 4]);                                                                   \
        if (SIZE > 5)                                                                                                  \
            middle = ADD(middle, values[first + 5]);                                                                   \
        if (SIZE > 6)                                                                                                  \
            middle = ADD(middle, values[first + 6]);                                                                   \
        if (SIZE > 7)                                                                                                  \
            middle = ADD(middle, values[first + 7]);                                                                   \
        if (SIZE > 8)                                                                                                  \
            middle = ADD(middle, values[first + 8]);                                                                   \
        TYPE before = ADD(values[first + 1], values[first + 2]);                                                       \
        sums[0] = ADD(ADD(values[first], before), middle);                                                             \
        sums[1] = ADD(ADD(before, middle), values[first + SIZE]);                                                      \
        TYPE behind = ADD(values[first + SIZE], values[first + SIZE + 1]);                                             \
        sums[2] = ADD(ADD(values[first + 2], middle), behind);                                                         \
        sums[3] = ADD(middle, ADD(behind, values[first + SIZE + 2]));                                                  \
    }

// ---- steps ----

// Of a walk whose tap_step is 1 the steps are side by side at `first` and so on; of others all are tried.
uint counts[6];
uint firsts[6];
uint strides[6];

bool is_tried(uint walk)
{
    return parameters.walks[2 * walk].z != 1;
}

uint divided(uint n, uint walk)
{
    uvec4 source_step = parameters.walks[2 * walk + 1];
    return source_step.x == 1 ? n : divide(n, source_step.y, source_step.z);
}

void prepare(uint walk)
{
    uvec4 steps = parameters.walks[2 * walk];
    uint source_step = parameters.walks[2 * walk + 1].x;
    uint tap_stride = parameters.walks[2 * walk + 1].w;
    uint source_stride = parameters.walk_strides[walk / 4][walk % 4];
    uint position = positions[walk];
    counts[walk] = steps.y;
    if (IS_CUT && int(position) < 0) {
        counts[walk] = 0;
    } else if (!is_tried(walk)) {
        uint q = divided(position, walk);
        uint t = position - q * source_step;
        if (q >= steps.w) {
            t += (q - (steps.w - 1)) * source_step;
            q = steps.w - 1;
        }
        counts[walk] = t < steps.y ? min(divided(steps.y - 1 - t, walk), q) + 1 : 0;
        firsts[walk] = t * tap_stride + q * source_stride;
        strides[walk] = source_step * tap_stride - source_stride;
    }
}

// Where step `n` of a walk leads; false: nowhere.
bool find_step(uint walk, uint n, inout uint element)
{
    if (!is_tried(walk)) {
        element += firsts[walk] + n * strides[walk];
        return true;
    }
    uvec4 steps = parameters.walks[2 * walk];
    uint position = positions[walk] - n * steps.z;
    uint q = divided(position, walk);
    element += n * parameters.walks[2 * walk + 1].w + q * parameters.walk_strides[walk / 4][walk % 4];
    return n * steps.z <= positions[walk] && q < steps.w && q * parameters.walks[2 * walk + 1].x == position;
}

// ---- an item ----

const bool ALWAYS_WHOLE = BOTH(ITEMS_ARE_WHOLE, MODE == SIDE);

// The elements from `element` on whose coordinates, from q on, are below `limit`; others are 0.
Values load_side(uint element, uint q, uint limit)
{
    if (ALWAYS_WHOLE) // on processors no branch would leave out what is below
        return source_item(element);
    if (is_whole() && q < limit && limit - q >= V)
        return source_item(element);
    Values values = NOTHING;
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v) && q + v < limit) {
            uint bits = source_element(element + v).x;
            if (v < 4)
                values.a[v] = bits;
            else
                values.b[v & 3] = bits;
        }
    }
    return values;
}

const uint ITEM_WALK = WALK_OF >> (4 * (RANK - 1)) & 15u; // in the modes SLIDE and TAPS

// An element goes to all whose windows reach it.
void slide(uint base)
{
    uvec4 steps = parameters.walks[2 * ITEM_WALK];
    uint first = x < parameters.row_length ? 0 : 0 - x;
    uint end = min(V, parameters.row_length - x);
    [[dont_unroll]] for (uint k = first; k < end + steps.y - 1; ++k) {
        uint q = x + steps.x + k - (steps.y - 1);
        if (q < steps.w) {
            uvec4 bits = squared(uvec4(source_element(base + q).x));
            uvec4 behind = uvec4(k) - uvec4(0, 1, 2, 3);
            Values term;
            term.a = mix(uvec4(0), bits, lessThan(behind, steps.yyyy));
            term.b = mix(uvec4(0), bits, lessThan(behind - 4, steps.yyyy));
            take(term);
        }
    }
}

const uint SLIDE_TAPS = SLIDING & 15u; // 0: element by element
const uint SLIDE_FIRST = SLIDING >> 4; // of the vector before the item's own, that the first element's steps lead to

float add_numbers(float a, float b)
{
    precise float sum = a + b;
    return sum;
}

#define PUT(k, vector)                                                                                                 \
    numbers[k] = uintBitsToFloat(vector.x);                                                                            \
    numbers[k + 1] = uintBitsToFloat(vector.y);                                                                        \
    numbers[k + 2] = uintBitsToFloat(vector.z);                                                                        \
    numbers[k + 3] = uintBitsToFloat(vector.w);
#define GET(sums) floatBitsToUint(vec4(sums[0], sums[1], sums[2], sums[3]))

// Steps of rows of whole items lead into an item, the one before and the one behind.
void slide_by_items(uint element)
{
    Values before = NOTHING;
    Values own = source_item(element);
    Values behind = NOTHING;
    if (x != 0)
        before = source_item(element - V);
    if (x + V < parameters.row_length)
        behind = source_item(element + V);
    before = term_of(before);
    own = term_of(own);
    behind = term_of(behind);
    float numbers[24];
    float sums[4];
    Values term = NOTHING;
    PUT(0, before.a)
    if (V > 4) {
        PUT(4, before.b)
        PUT(8, own.a)
        PUT(12, own.b)
        PUT(16, behind.a)
        PUT(20, behind.b)
        FOUR_SUMS(float, add_numbers, numbers, SLIDE_FIRST + 4, SLIDE_TAPS, sums)
        term.b = GET(sums);
    } else {
        PUT(4, own.a)
        PUT(8, behind.a)
    }
    FOUR_SUMS(float, add_numbers, numbers, SLIDE_FIRST, SLIDE_TAPS, sums)
    term.a = GET(sums);
    take(term);
}

void take_row(uint base)
{
    if (SLIDE_TAPS != 0) {
        slide_by_items(base + x);
    } else if (MODE == SIDE) {
        take(term_of(load_side(base + x, x, parameters.row_length)));
    } else if (MODE == SLIDE) {
        slide(base);
    } else if (MODE == TAPS) {
        uvec4 steps = parameters.walks[2 * ITEM_WALK];
        uint tap_stride = parameters.walks[2 * ITEM_WALK + 1].w;
        for (uint t = 0; t < steps.y; ++t) {
            uint q = x + steps.x - t * steps.z;
            if (q + V - 1 < steps.w + V - 1)
                take(term_of(load_side(base + t * tap_stride + q, q, steps.w)));
        }
    } else {
        take(term_of(Values(uvec4(source_element(base), 0, 0), uvec4(0))));
    }
}

// All that the outer walks lead to from `base` on.
void take_rows(uint base)
{
    uint count = 1;
    for (uint walk = 0; walk < OUTER_WALKS; ++walk) {
        prepare(walk);
        count *= counts[walk];
    }
    for (uint n = 0; n < count; ++n) {
        uint rest = n;
        uint element = base;
        bool leads = true;
        for (uint k = 0; k < OUTER_WALKS; ++k) {
            uint walk = OUTER_WALKS - 1 - k;
            uint step = rest;
            if (walk != 0) {
                rest = rest / counts[walk];
                step -= rest * counts[walk];
            }
            leads = find_step(walk, step, element) && leads;
        }
        if (leads)
            take_row(element);
    }
}

void clear()
{
    total = NOTHING;
    blocks = NOTHING;
    taken = 0;
}

Values sum()
{
    return IS_LONG ? add(blocks, total) : total;
}

Values item_total()
{
    if (MODE != SINGLE) {
        clear();
        take_rows(source_base);
        return sum();
    }
    Values values = NOTHING;
    uint walk = walk_of(RANK - 1);
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v)) {
            uint base = source_base;
            if (walk == NO_WALK)
                base += (x + v) * parameters.sizes[RANK - 1].w;
            else
                positions[walk] = x + v + parameters.walks[2 * walk].x;
            clear();
            take_rows(base);
            Values one = sum();
            if (V == 1)
                values = one;
            else if (v < 4)
                values.a[v] = one.a.x;
            else
                values.b[v & 3] = one.a.x;
        }
    }
    return values;
}

// ---- the end ----

const bool OWN_IS_WHOLE = BOTH(ITEMS_ARE_WHOLE, OWN_IS_SIDE_BY_SIDE);

Values load_own()
{
    if (OWN_IS_WHOLE)
        return own_item(own_base + x);
    if (OWN_IS_SIDE_BY_SIDE) {
        if (is_whole())
            return own_item(own_base + x);
    }
    Values values = NOTHING;
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v)) {
            uint bits = own_element(own_base + (x + v) * parameters.own_strides[(RANK - 1) / 4][(RANK - 1) % 4]).x;
            if (v < 4)
                values.a[v] = bits;
            else
                values.b[v & 3] = bits;
        }
    }
    return values;
}

uvec4 divisors_of(uvec4 sums)
{
    precise vec4 product = uintBitsToFloat(sums) * uintBitsToFloat(parameters.arguments.x);
    precise vec4 divisor = product + uintBitsToFloat(parameters.arguments.y);
    return floatBitsToUint(divisor);
}

// own / divisor^power. Inverse roots are the device's, within 2 units in the last place; what they are of 0 and less is
// said here.
uint normalized(uint own, uint divisor)
{
    precise float x = uintBitsToFloat(own);
    bool is_negative = divisor > SIGN_BIT;
    if (FINISH == NORMALIZED) { // by half the power twice, which is in range where the power is not
        precise float half_power = uintBitsToFloat(parameters.arguments.z) * (is_negative ? -1.0 : -0.5);
        precise float part = uintBitsToFloat(math_pow(divisor, floatBitsToUint(half_power)));
        precise float result = x * part;
        result = result * (is_negative ? 1.0 : part);
        return floatBitsToUint(result);
    }
    if (IS_STEADY) {
        precise float root = math_inverse_root(uintBitsToFloat(divisor));
        root = divisor == INFINITY ? 0.0 : root;
        precise float result = x * root;
        if (FINISH == NORMALIZED_3_4) {
            precise float fourth = math_inverse_root(max(root, 5.421010862427522e-20)); // no finite divisor's is less
            fourth = root * fourth;
            result = result * fourth;
        }
        if (FINISH == NORMALIZED_1)
            result = result * root;
        return floatBitsToUint(result);
    }
    uint magnitude = divisor & ~SIGN_BIT;
    precise float root = math_inverse_root(uintBitsToFloat(magnitude));
    root = magnitude < 0x00800000u ? uintBitsToFloat(INFINITY) : magnitude == INFINITY ? 0.0 : root;
    precise float result = x * root;
    if (FINISH == NORMALIZED_3_4) {
        precise float fourth = math_inverse_root(root);
        fourth = magnitude < 0x00800000u ? 1.0 : magnitude == INFINITY ? 1.0 : root * fourth;
        result = result * fourth;
    }
    if (FINISH == NORMALIZED_1) {
        result = result * root;
        return floatBitsToUint(result) ^ (is_negative ? SIGN_BIT : 0);
    }
    return is_negative ? QUIET_NAN : floatBitsToUint(result);
}

uvec4 normalized(uvec4 own, uvec4 divisors)
{
    return uvec4(normalized(own.x, divisors.x), normalized(own.y, divisors.y), normalized(own.z, divisors.z),
                 normalized(own.w, divisors.w));
}

Values finish(Values sums, Values own)
{
    if (FINISH == TOTAL)
        return sums;
    Values result = NOTHING;
    if (V == 1)
        result.a.x = normalized(own.a.x, divisors_of(sums.a).x);
    else
        result.a = normalized(own.a, divisors_of(sums.a));
    if (V > 4)
        result.b = normalized(own.b, divisors_of(sums.b));
    return result;
}

void end_item(Values sums, Values own)
{
    if (ACCUMULATES)
        sums = add(stored_item(), sums);
    store_item(finish(sums, own));
}

// ---- a ring ----

// What one dimension's steps lead to stays in registers while four neighbours after the other along it are computed:
// elements, or where other dimensions are walked as well, the sums of a row. So four loads are on their way at once,
// and a value is moved once in four.
const uint RING_SIZE = RING & 15u;
const uint RING_OWN = RING >> 4 & 15u; // which is the element at the output's own place
// In C: VKDML_NEIGHBOURS_...
const uint NO_OWN = 15; // that is another tensor's
const uint RING_WALK = OUTER_WALKS;
const bool HOLDS_ELEMENTS = BOTH(MODE == SIDE, OUTER_WALKS == 0);
const bool HOLDS_OWN = BOTH(HOLDS_ELEMENTS, RING_OWN != NO_OWN);

Values ring[12];
Values owns[12];

Values load_ring(uint q)
{
    if (q >= parameters.walks[2 * RING_WALK].w)
        return NOTHING;
    uint base = source_base + q * parameters.walk_strides[RING_WALK / 4][RING_WALK % 4];
    if (HOLDS_ELEMENTS)
        return load_side(base + x, x, parameters.row_length);
    clear();
    take_rows(base);
    return sum();
}

void end_ring(Values sums, Values own)
{
    if (FINISH != TOTAL) {
        if (!HOLDS_OWN)
            own = load_own();
    }
    end_item(sums, own);
    own_base += parameters.own_strides[(RING_DIMENSION) / 4][(RING_DIMENSION) % 4];
    target_base += parameters.target_strides[(RING_DIMENSION) / 4][(RING_DIMENSION) % 4];
    if (HAS_OPERAND)
        operand_base += parameters.operand_strides[RING_DIMENSION / 4][RING_DIMENSION % 4];
}

const uint NEW = RING_SIZE > 1 ? RING_SIZE - 1 : 0; // where the first of four new values goes
const uint OWN_AT = HOLDS_OWN ? RING_OWN : 0;

void walk_ring()
{
    uint q = positions[RING_WALK] - (RING_SIZE - 1);
    uint count = min(parameters.share, parameters.ring_length - ring_begin);
#define FILL(k)                                                                                                        \
    if (RING_SIZE > k + 1) {                                                                                           \
        owns[k] = load_ring(q++);                                                                                      \
        ring[k] = HOLDS_ELEMENTS ? term_of(owns[k]) : owns[k];                                                         \
    }
    FILL(0) FILL(1) FILL(2) FILL(3) FILL(4) FILL(5) FILL(6) FILL(7)
    for (uint n = 0; n < count; n += 4) {
#define LOAD(k) owns[NEW + k] = load_ring(q++);
#define TERM(k) ring[NEW + k] = HOLDS_ELEMENTS ? term_of(owns[NEW + k]) : owns[NEW + k];
        LOAD(0) LOAD(1) LOAD(2) LOAD(3)
        TERM(0) TERM(1) TERM(2) TERM(3)
        Values sums[4];
        FOUR_SUMS(Values, add, ring, 0, RING_SIZE, sums)
        end_ring(sums[0], owns[OWN_AT]);
        if (n + 1 < count)
            end_ring(sums[1], owns[OWN_AT + 1]);
        if (n + 2 < count)
            end_ring(sums[2], owns[OWN_AT + 2]);
        if (n + 3 < count)
            end_ring(sums[3], owns[OWN_AT + 3]);
#define SHIFT(k)                                                                                                       \
    if (RING_SIZE > k + 1) {                                                                                           \
        ring[k] = ring[k + 4];                                                                                         \
        owns[k] = owns[k + 4];                                                                                         \
    }
        SHIFT(0) SHIFT(1) SHIFT(2) SHIFT(3) SHIFT(4) SHIFT(5) SHIFT(6) SHIFT(7)
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint invocation = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (RING != 0) {
        if (invocation < parameters.item_count) {
            find_item(invocation);
            walk_ring();
        }
        return;
    }
    for (uint n = 0; n < parameters.share; ++n) {
        uint item = invocation * parameters.share + n;
        if (item >= parameters.item_count)
            return;
        find_item(item);
        Values sums = item_total();
        Values own = NOTHING;
        if (FINISH != TOTAL)
            own = load_own();
        end_item(sums, own);
    }
}
