// Matrix products by matrix cores (VK_KHR_cooperative_matrix): operands are FLOAT16, or are rounded to it, sums
// FLOAT32. A subgroup makes ROWS x COLUMNS sums of the workgroup's tile in fragments, of a size that the device has.
// Pipelines are made of it on devices that keep FLOAT16's denormals only (HALVES_ARE_EXACT).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#include "product.glsl"
#include "store.glsl"

// Products have no operation: in its place are a fragment's rows, columns and steps along k, 8 bits each.
const uint FRAGMENT_M = OPERATION == 0 ? 16 : OPERATION & 255u;
const uint FRAGMENT_N = OPERATION == 0 ? 16 : OPERATION >> 8 & 255u;
const uint FRAGMENT_K = OPERATION == 0 ? 16 : OPERATION >> 16;

// Eight elements along what lies side by side are one load.
// In C: VKDML_PRODUCT_...
const bool A_IN_EIGHTS = (SHAPE & 4096u) != 0;
const bool B_IN_EIGHTS = (SHAPE & 8192u) != 0;

const bool A_ALONG_ROWS = (LAYOUT_A & ALONG_ROWS) != 0;
const bool B_ALONG_ROWS = (LAYOUT_B & ALONG_ROWS) != 0;

#define EIGHT a_eight
#define VIEW a_vectors
#define RUNS_ALONG_ROWS A_ALONG_ROWS
#define FIRST a_first
#define EXTENT parameters.m
#define ROW_STEP parameters.steps.x
#define K_STEP parameters.steps.y
#include "eight.glsl"

#define EIGHT b_eight
#define VIEW b_vectors
#define RUNS_ALONG_ROWS B_ALONG_ROWS
#define FIRST b_first
#define EXTENT parameters.n
#define ROW_STEP parameters.steps.z
#define K_STEP parameters.steps.w
#include "eight.glsl"

// Eight of two fours.
uvec4 join_fours(vec4 low, vec4 high)
{
    f16vec4 low_halves = f16vec4(low);
    f16vec4 high_halves = f16vec4(high);
    return uvec4(packFloat2x16(low_halves.xy), packFloat2x16(low_halves.zw), packFloat2x16(high_halves.xy),
                 packFloat2x16(high_halves.zw));
}

// Operands lie in shared memory as they do in theirs, in vectors of eight elements; one more a line keeps lines out of
// one another's banks. Sums go through it to be stored, a row of fragments of each subgroup at a time, in vectors of
// four.
const uint PITCH_A = (A_ALONG_ROWS ? TILE_M : TILE_K) / 8 + 1;
const uint PITCH_B = (B_ALONG_ROWS ? TILE_N : TILE_K) / 8 + 1;
const uint A_CELLS = (A_ALONG_ROWS ? TILE_K : TILE_M) * PITCH_A;
const uint CELLS = A_CELLS + (B_ALONG_ROWS ? TILE_K : TILE_N) * PITCH_B;
const uint SUM_PITCH = TILE_N / 4 + 1;
const uint SUM_ROWS = TILE_M / ROWS * FRAGMENT_M;
const uint SUM_CELLS = SUM_ROWS * SUM_PITCH;
shared uvec4 cells[CELLS > SUM_CELLS ? CELLS : SUM_CELLS];

const int ORDER_A = A_ALONG_ROWS ? gl_CooperativeMatrixLayoutColumnMajor : gl_CooperativeMatrixLayoutRowMajor;
const int ORDER_B = B_ALONG_ROWS ? gl_CooperativeMatrixLayoutRowMajor : gl_CooperativeMatrixLayoutColumnMajor;

const uint FRAGMENTS_M = ROWS / FRAGMENT_M;
const uint FRAGMENTS_N = COLUMNS / FRAGMENT_N;
const uint SUBGROUPS_N = TILE_N / COLUMNS;
coopmat<float, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_N, gl_MatrixUseAccumulator> sums[FRAGMENTS_M * FRAGMENTS_N];

// What each invocation loads of a tile: vectors of eight.
const uint A_LOADS = TILE_M * TILE_K / 8 / gl_WorkGroupSize.x;
const uint B_LOADS = TILE_N * TILE_K / 8 / gl_WorkGroupSize.x;
uvec4 a_next[A_LOADS];
uvec4 b_next[B_LOADS];

// Where the i-th of them lies in the tile: its line, and its place there.
#define LINE(i, line_cells) ((gl_LocalInvocationIndex + (i) * gl_WorkGroupSize.x) / (line_cells))
#define PLACE(i, line_cells) ((gl_LocalInvocationIndex + (i) * gl_WorkGroupSize.x) % (line_cells))

// Of b that is gathered the columns of those that are loaded: along columns all have the same eight, else each one of
// its own.
Columns b_columns[B_ALONG_ROWS ? 2 : B_LOADS];

void find_all_columns(uint n_first)
{
    if (B_ALONG_ROWS) {
        b_columns[0] = find_columns(n_first + PLACE(0, PITCH_B - 1) * 8);
        b_columns[B_ALONG_ROWS ? 1 : 0] = find_columns(n_first + PLACE(0, PITCH_B - 1) * 8 + 4);
    } else {
        [[unroll]] for (uint i = 0; i < B_LOADS; ++i)
            b_columns[i] = find_columns(n_first + LINE(i, PITCH_B - 1));
    }
}

void load_tile(uint m_first, uint n_first, uint k_first)
{
    [[unroll]] for (uint i = 0; i < A_LOADS; ++i) {
        uint line = LINE(i, PITCH_A - 1);
        uint place = PLACE(i, PITCH_A - 1) * 8;
        uint m = m_first + (A_ALONG_ROWS ? place : line);
        uint k = k_first + (A_ALONG_ROWS ? line : place);
        if (A_IN_EIGHTS)
            a_next[i] = a_eight(m, k);
        else
            a_next[i] = join_fours(a_four(m, k), A_ALONG_ROWS ? a_four(m + 4, k) : a_four(m, k + 4));
    }
    [[unroll]] for (uint i = 0; i < B_LOADS; ++i) {
        uint line = LINE(i, PITCH_B - 1);
        uint place = PLACE(i, PITCH_B - 1) * 8;
        uint n = n_first + (B_ALONG_ROWS ? place : line);
        uint k = k_first + (B_ALONG_ROWS ? line : place);
        if (B_IN_EIGHTS)
            b_next[i] = b_eight(n, k);
        else if (B_ALONG_ROWS)
            b_next[i] = join_fours(b_four_stored(b_columns[0], n, 0, k),
                                   b_four_stored(b_columns[B_ALONG_ROWS ? 1 : 0], n + 4, 0, k));
        else
            b_next[i] = join_fours(b_four_stored(b_columns[i], n, 0, k), b_four_stored(b_columns[i], n, 0, k + 4));
    }
}

void put_tile()
{
    [[unroll]] for (uint i = 0; i < A_LOADS; ++i)
        cells[LINE(i, PITCH_A - 1) * PITCH_A + PLACE(i, PITCH_A - 1)] = a_next[i];
    [[unroll]] for (uint i = 0; i < B_LOADS; ++i)
        cells[A_CELLS + LINE(i, PITCH_B - 1) * PITCH_B + PLACE(i, PITCH_B - 1)] = b_next[i];
}

// Where a fragment begins: both are multiples of eight.
uint place_of(bool along_rows, uint pitch, uint row, uint k)
{
    return along_rows ? k * pitch + row / 8 : row * pitch + k / 8;
}

void add_products()
{
    uint row = gl_SubgroupID / SUBGROUPS_N * ROWS;
    uint column = gl_SubgroupID % SUBGROUPS_N * COLUMNS;
    [[unroll]] for (uint k = 0; k < TILE_K; k += FRAGMENT_K) {
        coopmat<float16_t, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_K, gl_MatrixUseA> a_part[FRAGMENTS_M];
        [[unroll]] for (uint i = 0; i < FRAGMENTS_M; ++i)
            coopMatLoad(a_part[i], cells, place_of(A_ALONG_ROWS, PITCH_A, row + i * FRAGMENT_M, k), PITCH_A, ORDER_A);
        [[unroll]] for (uint j = 0; j < FRAGMENTS_N; ++j) {
            coopmat<float16_t, gl_ScopeSubgroup, FRAGMENT_K, FRAGMENT_N, gl_MatrixUseB> b_part;
            coopMatLoad(b_part, cells, A_CELLS + place_of(B_ALONG_ROWS, PITCH_B, column + j * FRAGMENT_N, k), PITCH_B,
                        ORDER_B);
            [[unroll]] for (uint i = 0; i < FRAGMENTS_M; ++i)
                sums[i * FRAGMENTS_N + j] = coopMatMulAdd(a_part[i], b_part, sums[i * FRAGMENTS_N + j]);
        }
    }
}

// Row r of its fragments, of each subgroup.
void put_sums(uint r)
{
    uint first = gl_SubgroupID / SUBGROUPS_N * FRAGMENT_M * SUM_PITCH + gl_SubgroupID % SUBGROUPS_N * (COLUMNS / 4);
    [[unroll]] for (uint i = 0; i < FRAGMENTS_M; ++i) {
        if (i == r) {
            [[unroll]] for (uint j = 0; j < FRAGMENTS_N; ++j)
                coopMatStore(sums[i * FRAGMENTS_N + j], cells, first + j * (FRAGMENT_N / 4), SUM_PITCH,
                             gl_CooperativeMatrixLayoutRowMajor);
        }
    }
}

// Taps of the tile of b that is loaded next but one, in the place of one that is loaded.
void store_taps(uint k_first)
{
    if (B_IS_GATHERED) {
        // Four subgroups of eight are fewer than the steps.
        [[unroll]] for (uint i = 0; i < TILE_K; i += gl_WorkGroupSize.x) {
            if (i + gl_LocalInvocationIndex < TILE_K)
                store_tap(k_first + i + gl_LocalInvocationIndex);
        }
    }
}

void make_tile(uint m_first, uint n_first)
{
    [[unroll]] for (uint i = 0; i < FRAGMENTS_M * FRAGMENTS_N; ++i)
        sums[i] = coopmat<float, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_N, gl_MatrixUseAccumulator>(0.0);
    find_all_columns(n_first);
    store_taps(0);
    store_taps(TILE_K);
    if (B_IS_GATHERED)
        barrier();
    load_tile(m_first, n_first, 0);
    put_tile();
    barrier();
    // A second tile in shared memory, filled while the first is used, leaves room for 16 steps of 128 x 256 sums, and
    // was slower: on an H200 212 TFLOPS instead of 298 (vkdml bench -f 'product/gemm/nn/float16/*' -b 32MiB).
    for (uint k_first = 0; k_first < k_count; k_first += TILE_K) {
        load_tile(m_first, n_first, k_first + TILE_K); // on their way meanwhile; beyond the last zeros
        add_products();
        store_taps(k_first + 2 * TILE_K);
        barrier();
        put_tile();
        barrier();
    }
    [[dont_unroll]] for (uint r = 0; r < FRAGMENTS_M; ++r) {
        put_sums(r);
        barrier();
        [[dont_unroll]] for (uint cell = gl_LocalInvocationIndex; cell < SUM_ROWS * (TILE_N / 4);
                             cell += gl_WorkGroupSize.x) {
            uint line = cell / (TILE_N / 4);
            uint place = cell % (TILE_N / 4);
            uint m = line / FRAGMENT_M * ROWS + r * FRAGMENT_M + line % FRAGMENT_M;
            store_four(m_first + m, n_first + place * 4, uintBitsToFloat(cells[line * SUM_PITCH + place]));
        }
        barrier();
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint tiles = parameters.tiles_m * parameters.tiles_n;
    uint batch = group / tiles;
    find_batch(batch);
    uint m;
    uint n;
    find_tile(group - batch * tiles, m, n);
    make_tile(m * TILE_M, n * TILE_N);
}
