// The frame of matrix products: out[m][n] = f(alpha * the sum over k of a[m][k] * b[k][n] + beta * c[m][n]), of some
// batches. A workgroup makes a tile of TILE_M x TILE_N sums, an invocation ROWS x COLUMNS of them in registers. K may
// have shares, whose sums another dispatch adds up (JOINS). All sums are FLOAT32's, in an order that shapes alone
// decide.
#ifndef VKDML_PRODUCT_GLSL
#define VKDML_PRODUCT_GLSL

#extension GL_EXT_control_flow_attributes : require

#define HAS_EIGHT_BUFFERS
#include "binding.glsl"
#include "tensors.glsl"

layout(constant_id = 2) const uint SHAPE = 0;
// How four elements of a and of b are taken: along k or along the rows of a, the columns of b; and whether these are
// one load.
// In C: VKDML_PRODUCT_...
const uint ALONG_ROWS = 1;
const uint VECTORS = 2;
const uint LAYOUT_B_SHIFT = 2;
const bool HAS_C = (SHAPE & 16u) != 0;
const bool C_IS_VECTOR = (SHAPE & 32u) != 0;   // four of a row are one load
const bool OUT_IS_VECTOR = (SHAPE & 64u) != 0; // .. and one store
const bool TO_SUMS = (SHAPE & 128u) != 0;      // the output is sums, of which nothing is made yet
const bool ACCUMULATES = (SHAPE & 256u) != 0;  // .. and they are added to what is there
const bool JOINS = (SHAPE & 512u) != 0;        // a is such sums, of as many shares as k says: there is no b
const bool IS_SERIAL = (SHAPE & 1024u) != 0;   // an invocation goes alone, for CPUs
const bool TWO_STAGES = (SHAPE & 2048u) != 0;  // one tile of operands in shared memory is filled while another is used
const bool IS_THIN = (SHAPE & 16384u) != 0;    // of COLUMNS columns alone, at most four
const bool OPERAND_IS_VECTOR = (SHAPE & 32768u) != 0; // an epilogue's: four of a row are one load
const uint LAYOUT_A = SHAPE & 3u;
const uint LAYOUT_B = SHAPE >> LAYOUT_B_SHIFT & 3u;
const uint STAGES = TWO_STAGES ? 2 : 1;

layout(constant_id = 3) const uint TILE_M = 64; // of JOINS and IS_SERIAL: of an invocation
layout(constant_id = 4) const uint TILE_N = 64;
layout(constant_id = 5) const uint TILE_K = 16;
layout(constant_id = 6) const uint ROWS = 4;    // 4 or 8; of a subgroup in product_matrix.comp
layout(constant_id = 7) const uint COLUMNS = 4; // ..

// In elements.
layout(std140, binding = 0) uniform ProductParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint unit_count;  // JOINS and IS_SERIAL: invocations with work
    uint m;
    uint n;
    uint k;
    uint tiles_m;
    uint tiles_n;
    uint share_count;
    uint share;        // of k, a multiple of TILE_K
    uint inner_batches;
    uint out_share;    // between the sums of shares
    uint alpha;        // FLOAT32, as beta
    uint beta;
    uint n_first;      // of columns that are pixels of the output, if they are parts of all
    uint k_first;      // .. and of steps that are taps
    uint k_used;       // k, or 0: there is nothing to add up
    uvec4 firsts;      // of a, b, c and the output, from the bound range's start
    uvec4 steps;       // of a: between rows, along k; of b: between columns, along k
    uvec4 more_steps;  // of c and of the output: between rows, between columns
    uvec4 batches[2];  // outer and inner: of a, b, c and the output
    uvec4 arguments[3];
    // Of b that is gathered, see gathered.glsl: what divides k in two, its multiplier and shifts, the channels' stride;
    // and of each dimension of pixels size, multiplier, taps, their multiplier; step, start, tap_step, stride;
    // source_size, shifts of both multipliers, divisor, multiplier; and this one's shifts.
    uvec4 channels;
    uvec4 pixel_counts[4];
    uvec4 pixel_steps[4];
    uvec4 pixel_sizes[4];
    uvec4 divisor_shifts;
    uvec4 out_pixels[4]; // of the output: size, multiplier, shifts, stride
    uvec4 ending;         // of an epilogue: where the operand begins, its factor
    uvec4 operand_steps;  // .. between outer and inner batches, rows, columns
    uvec4 operand_pixels; // .. and along pixels of the output
} parameters;

// Where the matrices of a batch begin, and what of k is added up: up to k_count, and k_end is at least 1 and bounds
// what is loaded.
uint a_first;
uint b_first;
uint c_first;
uint out_first;
uint operand_first; // of an epilogue
uint k_count;
uint k_end;
uint b_k_first;

// Which batch a number is of, and which share of k.
void find_batch(uint number)
{
    uint share_index = number % parameters.share_count;
    number /= parameters.share_count;
    uint outer = number / parameters.inner_batches;
    uint inner = number - outer * parameters.inner_batches;
    uvec4 begin = parameters.firsts + outer * parameters.batches[0] + inner * parameters.batches[1];
    a_first = begin.x + push.base_bytes[0] * 8 / BITS_OF(TYPE);
    b_first = begin.y + push.base_bytes[2] * 8 / BITS_OF(TYPE);
    c_first = begin.z + push.base_bytes[3] * 8 / BITS_OF(TYPE_C);
    out_first = begin.w + push.base_bytes[1] * 8 / BITS_OF(TYPE_OUT) + share_index * parameters.out_share;
    operand_first = parameters.ending.x + outer * parameters.operand_steps.x + inner * parameters.operand_steps.y +
                    push.more_base_bytes[0] * 8 / BITS_OF(TYPE_OUT);
    k_end = parameters.k;
    k_count = k_end;
    b_k_first = parameters.k_first;
    if (!JOINS) {
        // The last may have nothing; what it loads all the same is the first's.
        bool has_steps = share_index * parameters.share < parameters.k;
        uint k_first = has_steps ? share_index * parameters.share : 0;
        k_end = min(parameters.share, parameters.k - k_first);
        k_count = has_steps ? min(k_end, parameters.k_used) : 0;
        b_k_first += k_first;
        a_first += k_first * parameters.steps.y;
        b_first += k_first * parameters.steps.w;
    }
}

// Tiles go by bands of so many rows of them, down each column, so that those at work at once share what they read.
const uint BAND = TILE_M < TILE_N ? 16 : 8;

void find_tile(uint tile, out uint m, out uint n)
{
    uint band = tile / (BAND * parameters.tiles_n);
    uint rest = tile - band * BAND * parameters.tiles_n;
    uint height = min(BAND, parameters.tiles_m - band * BAND);
    n = rest / height;
    m = band * BAND + rest - n * height;
}

#define ONE a_one
#define FOUR a_four
#define LOAD_ELEMENT(element) LOAD_ONE(a, TYPE, element)
#define LOAD_VECTOR(element) LOAD_FOUR(a, TYPE, element)
#define LAYOUT LAYOUT_A
#define FIRST a_first
#define EXTENT parameters.m
#define ROW_STEP parameters.steps.x
#define K_STEP parameters.steps.y
#include "operand.glsl"

#define ONE plain_b_one
#define FOUR plain_b_four
#define LOAD_ELEMENT(element) LOAD_ONE(b, TYPE, element)
#define LOAD_VECTOR(element) LOAD_FOUR(b, TYPE, element)
#define LAYOUT LAYOUT_B
#define FIRST b_first
#define EXTENT parameters.n
#define ROW_STEP parameters.steps.z
#define K_STEP parameters.steps.w
#include "operand.glsl"

#include "gathered.glsl"

#endif
