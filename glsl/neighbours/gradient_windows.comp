// Gradients of small windows on pictures, a patch of the target at a time: some rows of V elements side by side. Which
// windows have which elements is the same for all patches, since strides divide a patch's sides; so all loops are
// unrolled. Elements add up what windows give in the windows' order. Of maxima each window's winner is found again.
// Linear places of what was enlarged by 2 are taken so as well.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "binding.glsl"
#include "division.glsl"
#include "types.glsl"
#include "words.glsl"

layout(constant_id = 1) const uint TYPE = 1; // of all tensors
const bool IS_HALF = TYPE == FLOAT16;
const uint PER_WORD = IS_HALF ? 2 : 1;
const uint V = IS_HALF ? 8 : 4; // elements of 16 bytes

layout(constant_id = 2) const uint FLAGS = 0;
// In C: VKDML_GRADIENT_WINDOWS_...
const bool HAS_WINNERS = (FLAGS & 1u) != 0; // a window gives to its greatest element alone
const bool HAS_COUNTS = (FLAGS & 2u) != 0;  // it shares out to those elements that there are
const bool HAS_FACTOR = (FLAGS & 4u) != 0;  // sums are multiplied
const bool IS_ALIGNED = (FLAGS & 8u) != 0;  // the source's rows begin and end at multiples of OWN_X elements, of a word
const bool IS_LINEAR = (FLAGS & 16u) != 0;  // instead of windows: places of a picture twice as large, IS_ALIGNED by V
layout(constant_id = 3) const uint OUTER_RANK = 4;
layout(constant_id = 4) const uint ROWS = 2; // of a patch
// Elements, strides and starts of windows, and how many of the elements get nothing, the first ones; 4 bits each: x
// before y. A start is less than the elements.
layout(constant_id = 5) const uint WINDOW = 0x112233;
const uint WIDTH = WINDOW & 15u;
const uint HEIGHT = WINDOW >> 4 & 15u;
const uint STRIDE_X = WINDOW >> 8 & 15u;
const uint STRIDE_Y = WINDOW >> 12 & 15u;
const uint START_X = WINDOW >> 16 & 15u;
const uint START_Y = WINDOW >> 20 & 15u;
const uint SKIPPED_X = WINDOW >> 24 & 15u;
const uint SKIPPED_Y = WINDOW >> 28;

// Windows that reach a patch: those before the one whose stride is the patch's, and all.
const uint BEFORE_X = (WIDTH - 1 - START_X) / STRIDE_X;
const uint BEFORE_Y = (HEIGHT - 1 - START_Y) / STRIDE_Y;
const uint COUNT_X = BEFORE_X + (V - 1 + START_X) / STRIDE_X + 1;
const uint COUNT_Y = BEFORE_Y + (ROWS - 1 + START_Y) / STRIDE_Y + 1;
// Along x those whose strides are the patch's.
const uint OWN_X = V / STRIDE_X;
// From a window's first element to a patch's first; and the elements of all these windows.
const uint LEAD_X = BEFORE_X * STRIDE_X + START_X;
const uint LEAD_Y = BEFORE_Y * STRIDE_Y + START_Y;
const uint REACH_Y = (COUNT_Y - 1) * STRIDE_Y + HEIGHT;

// Strides are in elements, modulo 2^32, from what is bound on.
layout(std140, binding = 0) uniform GradientWindowsParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint item_count;  // patches
    uint share;       // of an invocation
    uint factor;      // FLOAT32
    uint source_first;
    uint target_first;
    uint input_first;
    uint unused;
    uvec4 divisors;       // of patches in a row and in a column: multipliers and shifts
    uvec4 patches;        // in a row and in a column
    uvec4 size;           // of the target: width, height; windows, or the source's elements, along and down
    uvec4 column_strides; // of the source, and rows' of the source, the target, the input
    uvec4 shares[4];      // FLOAT32: one by 0 to 15
    uvec4 outer[4];       // dimensions, outermost first: a size, its multiplier and shifts, the source's stride
    uvec4 target_strides;
    uvec4 input_strides;
} parameters;

BUFFER_OF_VECTORS(3, readonly, InputElements, input_vectors);

float sums[32]; // rows of V

float load(uint element)
{
    uint word = source.words[element / PER_WORD];
    return uintBitsToFloat(IS_HALF ? widen_halves(word >> (element & 1) * 16 & 0xFFFF).x : word);
}

// ---- winners ----

// The keys of a row of elements, in three vectors: the patch's and those on both sides. LEAST: beyond the borders.
uint keys[24];
const uint LEAST = IS_HALF ? SIGN_BIT : 0;

// As unsigned integers in order, all NaN the greatest; none is 0.
uint key_of(uint bits)
{
    uint key = bits ^ (uint(int(bits) >> 31) | SIGN_BIT);
    return is_nan(bits) ? 0xFFFFFFFFu : key;
}

// As signed integers: FLOAT16 above, and below it which element it is, counted backwards, so that the greatest is the
// first of equal ones.
uint key_of_half(uint bits, uint place)
{
    uint key = bits ^ (uint(int(bits) >> 31) & 0x7FFF0000u);
    return ((bits & ~SIGN_BIT) > 0x7C000000u ? 0x7FFF0000u : key) | (~place & 0xFFFF);
}

// `row`: of elements, a multiple of V. `place`: of the first element that any window has.
void load_keys(uint row, uint x, bool is_there, uint place)
{
    place += LEAD_X - V;
    [[unroll]] for (uint n = 0; n < 3; ++n) {
        uint at = x + n * V - V; // wraps around before the row
        bool is_inside = is_there && at < parameters.size.x;
        uvec4 vector = input_vectors.vectors[(row + (is_inside ? at : 0)) / V];
        [[unroll]] for (uint v = 0; v < V; ++v) {
            uint word = vector[v / PER_WORD];
            uint key = IS_HALF ? key_of_half((v & 1) != 0 ? word & 0xFFFF0000u : word << 16, place + n * V + v)
                               : key_of(word);
            keys[n * V + v] = is_inside ? key : LEAST;
        }
    }
}

// Of each window that reaches the patch: its greatest key so far, and which element that is of, counted from the first
// that any window has.
uint greatest[64];
uint winner[64];

void find_winners(uint row, uint x, uint y)
{
    [[unroll]] for (uint w = 0; w < COUNT_Y * COUNT_X; ++w) {
        greatest[w] = LEAST;
        winner[w] = 0xFFFFFFFFu;
    }
    [[unroll]] for (uint i = 0; i < REACH_Y; ++i) {
        uint at = y + i - LEAD_Y;
        bool is_there = at < parameters.size.y;
        load_keys(row + (is_there ? at : 0) * parameters.column_strides.w, x, is_there, i << 8);
        [[unroll]] for (uint a = 0; a < COUNT_Y; ++a) {
            if (i - a * STRIDE_Y < HEIGHT) {
                [[unroll]] for (uint b = 0; b < COUNT_X; ++b) {
                    [[unroll]] for (uint k = 0; k < WIDTH; ++k) {
                        uint column = b * STRIDE_X + k;
                        uint key = keys[V - LEAD_X + column];
                        uint best = greatest[a * COUNT_X + b];
                        if (IS_HALF) {
                            greatest[a * COUNT_X + b] = uint(max(int(key), int(best)));
                        } else {
                            greatest[a * COUNT_X + b] = max(key, best);
                            winner[a * COUNT_X + b] = key > best ? i << 8 | column : winner[a * COUNT_X + b];
                        }
                    }
                }
            }
        }
    }
    if (IS_HALF) {
        [[unroll]] for (uint w = 0; w < COUNT_Y * COUNT_X; ++w)
            winner[w] = ~greatest[w] & 0xFFFF; // of LEAST no element
    }
}

// ---- sums ----

// What a row of windows gives, 0 where there is none: sums begin with 0 and never become -0, so 0 changes none.
float numbers[16];

void load_numbers(uint row, uint first, bool is_row)
{
    [[unroll]] for (uint b = 0; b < COUNT_X; ++b) {
        if (!IS_ALIGNED || b - BEFORE_X >= OWN_X) {
            bool is_there = is_row && first + b < parameters.size.z;
            float number = load(row + (is_there ? first + b : 0) * parameters.column_strides.x);
            numbers[b] = is_there ? number : 0.0;
        }
    }
    if (IS_ALIGNED) {
        uint own = first + BEFORE_X;
        bool is_there = is_row && own < parameters.size.z;
        uint element = row + (is_there ? own : 0);
        uvec4 bits = uvec4(0);
        if (STRIDE_X == 1)
            bits = source_vectors.vectors[element / V];
        [[unroll]] for (uint w = 0; w < OWN_X / PER_WORD; ++w) {
            uint word = STRIDE_X == 1 ? bits[w] : source.words[element / PER_WORD + w];
            word = is_there ? word : 0;
            uvec2 wide = IS_HALF ? widen_halves(word) : uvec2(word);
            [[unroll]] for (uint n = 0; n < PER_WORD; ++n)
                numbers[BEFORE_X + w * PER_WORD + n] = uintBitsToFloat(wide[n]);
        }
    }
}

// One by a number of elements.
float share_of(uint o, uint stride, uint start, uint elements, uint size)
{
    uint first = max(o * stride, start);
    uint end = min(o * stride + elements, start + size);
    uint count = max(end, first + 1) - first;
    return uintBitsToFloat(parameters.shares[count >> 2 & 3][count & 3]);
}

void add_windows(uint plane, uvec2 first)
{
    float along[16];
    [[unroll]] for (uint b = 0; b < COUNT_X; ++b)
        along[b] = HAS_COUNTS ? share_of(first.x + b, STRIDE_X, START_X, WIDTH, parameters.size.x) : 1.0;
    [[unroll]] for (uint a = 0; a < COUNT_Y; ++a) {
        uint y = first.y + a;
        float down = HAS_COUNTS ? share_of(y, STRIDE_Y, START_Y, HEIGHT, parameters.size.y) : 1.0;
        bool is_row = y < parameters.size.w;
        load_numbers(plane + (is_row ? y : 0) * parameters.column_strides.y, first.x, is_row);
        [[unroll]] for (uint b = 0; b < COUNT_X; ++b) {
            float number = numbers[b];
            if (HAS_COUNTS) {
                precise float product = down * along[b];
                product = product * number;
                number = product;
            }
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                [[unroll]] for (uint v = 0; v < V; ++v) {
                    if (r + LEAD_Y - a * STRIDE_Y - SKIPPED_Y < HEIGHT - SKIPPED_Y &&
                        v + LEAD_X - b * STRIDE_X - SKIPPED_X < WIDTH - SKIPPED_X) {
                        bool takes =
                            !HAS_WINNERS || winner[a * COUNT_X + b] == ((r + LEAD_Y) << 8 | (v + LEAD_X));
                        precise float sum = sums[r * V + v] + number;
                        sums[r * V + v] = takes ? sum : sums[r * V + v];
                    }
                }
            }
        }
    }
}

// ---- linear by 2 ----

// Centres on centres: an element takes a quarter, three quarters, as much and a quarter of four, of which the first
// lies before twice its coordinate. At borders there are three, the outermost whole.
const uint LINE = 2 * V + 2;
float line[18];
float columns[36]; // of two rows of the target

float tap_share(uint t, bool is_first, bool is_last)
{
    float inner = (t == 1 ? is_first : is_last) ? 1.0 : 0.75;
    return t - 1 < 2 ? inner : 0.25;
}

void load_line(uint row, uint first, bool is_row)
{
    [[unroll]] for (uint n = 0; n < 2; ++n) {
        uvec4 bits = source_vectors.vectors[(row + first) / V + n];
        [[unroll]] for (uint w = 0; w < 4; ++w) {
            uint word = is_row ? bits[w] : 0;
            uvec2 wide = IS_HALF ? widen_halves(word) : uvec2(word);
            [[unroll]] for (uint p = 0; p < PER_WORD; ++p)
                line[1 + n * V + w * PER_WORD + p] = uintBitsToFloat(wide[p]);
        }
    }
    bool has_left = is_row && first != 0;
    bool has_right = is_row && first + 2 * V < parameters.size.z;
    float left = load(row + (has_left ? first - 1 : 0));
    float right = load(row + (has_right ? first + 2 * V : 0));
    line[0] = has_left ? left : 0.0;
    line[LINE - 1] = has_right ? right : 0.0;
}

void add_places(uint plane, uint x, uint y)
{
    [[unroll]] for (uint n = 0; n < ROWS * LINE; ++n)
        columns[n] = 0.0;
    [[unroll]] for (uint l = 0; l < 2 * ROWS + 2; ++l) {
        uint at = 2 * y + l - 1;
        bool is_row = at < parameters.size.w;
        load_line(plane + (is_row ? at : 0) * parameters.column_strides.y, 2 * x, is_row);
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            if (l - 2 * r < 4) {
                float share = tap_share(l - 2 * r, y + r == 0, y + r + 1 == parameters.size.y);
                [[unroll]] for (uint c = 0; c < LINE; ++c) {
                    precise float sum = columns[r * LINE + c] + line[c] * share;
                    columns[r * LINE + c] = sum;
                }
            }
        }
    }
    [[unroll]] for (uint n = 0; n < ROWS * V; ++n) {
        uint v = n % V;
        [[unroll]] for (uint t = 0; t < 4; ++t) {
            float share = tap_share(t, v == 0 && x == 0, v + 1 == V && x + V == parameters.size.x);
            precise float sum = sums[n] + columns[n / V * LINE + 2 * v + t] * share;
            sums[n] = sum;
        }
    }
}

// ---- the target ----

uvec2 halves_of(uvec4 wide)
{
    bool good = true;
    uvec2 words = uvec2(narrow_to_halves(wide.xy, good), narrow_to_halves(wide.zw, good));
    if (good)
        return words;
    return uvec2(narrow_to_half(wide.x) | narrow_to_half(wide.y) << 16,
                 narrow_to_half(wide.z) | narrow_to_half(wide.w) << 16);
}

uvec4 bits_of_four(uint first)
{
    precise vec4 four = vec4(sums[first], sums[first + 1], sums[first + 2], sums[first + 3]);
    if (HAS_FACTOR)
        four = four * uintBitsToFloat(parameters.factor);
    return floatBitsToUint(four);
}

void make(uint item)
{
    uint rest = divide(item, parameters.divisors.x, parameters.divisors.y);
    uint x = (item - rest * parameters.patches.x) * V;
    uint outer = divide(rest, parameters.divisors.z, parameters.divisors.w);
    uint y = (rest - outer * parameters.patches.y) * ROWS;
    uint plane = parameters.source_first + push.base_bytes[0] / 4 * PER_WORD;
    uint target = parameters.target_first + push.base_bytes[1] / 4 * PER_WORD;
    uint row = parameters.input_first + (HAS_WINNERS ? push.base_bytes[2] / 4 * PER_WORD : 0);
    for (uint n = 0; n < OUTER_RANK; ++n) {
        uint d = OUTER_RANK - 1 - n;
        TAKE_COORDINATE(c, outer, d == 0, parameters.outer[d].x, parameters.outer[d].y, parameters.outer[d].z)
        plane += c * parameters.outer[d].w;
        target += c * parameters.target_strides[d];
        row += c * parameters.input_strides[d];
    }
    if (HAS_WINNERS)
        find_winners(row, x, y);
    [[unroll]] for (uint n = 0; n < ROWS * V; ++n)
        sums[n] = 0.0;
    if (IS_LINEAR)
        add_places(plane, x, y);
    else
        add_windows(plane, uvec2(x / STRIDE_X - BEFORE_X, y / STRIDE_Y - BEFORE_Y));
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        uint vector = (target + (y + r) * parameters.column_strides.z + x) / V;
        if (y + r < parameters.size.y) {
            if (IS_HALF)
                destination_vectors.vectors[vector] =
                    uvec4(halves_of(bits_of_four(r * V)), halves_of(bits_of_four(r * V + 4)));
            else
                destination_vectors.vectors[vector] = bits_of_four(r * V);
        }
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
        make(item);
    }
}
