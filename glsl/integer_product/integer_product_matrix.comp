// Products of bytes by matrix cores (VK_KHR_cooperative_matrix), with INT32 sums. A subgroup makes ROWS x COLUMNS sums
// of the workgroup's tile in fragments, of a size that the device has.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int32 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#include "integer_product.glsl"
#include "finish.glsl"

// A fragment's rows, columns and bytes along lines, 8 bits each, and the vectors of 16 bytes that are in shared memory
// at once.
layout(constant_id = 7) const uint FRAGMENT = 0;
layout(constant_id = 8) const uint TILE_K = 4;
const uint FRAGMENT_M = FRAGMENT == 0 ? 16 : FRAGMENT & 255u;
const uint FRAGMENT_N = FRAGMENT == 0 ? 16 : FRAGMENT >> 8 & 255u;
const uint FRAGMENT_K = FRAGMENT == 0 ? 32 : FRAGMENT >> 16;

// Lines lie behind one another in shared memory; one vector more each keeps them out of one another's banks. Sums go
// through it to be stored, a row of fragments of each subgroup at a time, in vectors of four.
const uint PITCH = TILE_K + 1;
const uint B_CELLS = TILE_M * PITCH;
const uint CELLS = B_CELLS + TILE_N * PITCH;
const uint SUM_PITCH = TILE_N / 4 + 1;
const uint SUM_ROWS = TILE_M / ROWS * FRAGMENT_M;
const uint SUM_CELLS = SUM_ROWS * SUM_PITCH;
// Fragments of eight bytes, as lavapipe has, begin between vectors: then operands lie in pairs of words.
const bool BY_PAIRS = FRAGMENT_K % 16 != 0;
shared uvec4 cells[BY_PAIRS ? SUM_CELLS : CELLS > SUM_CELLS ? CELLS : SUM_CELLS];
shared uvec2 pairs[BY_PAIRS ? 2 * CELLS : 1];

const uint FRAGMENTS_M = ROWS / FRAGMENT_M;
const uint FRAGMENTS_N = COLUMNS / FRAGMENT_N;
const uint SUBGROUPS_N = TILE_N / COLUMNS;
coopmat<int32_t, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_N, gl_MatrixUseAccumulator> sums[FRAGMENTS_M * FRAGMENTS_N];

// What each invocation loads of a tile: vectors of some lines, all at one place of theirs.
const uint A_LOADS = TILE_M * TILE_K / gl_WorkGroupSize.x;
const uint B_LOADS = TILE_N * TILE_K / gl_WorkGroupSize.x;
uint a_lines[A_LOADS];
uint b_lines[B_LOADS];
uvec4 a_next[A_LOADS];
uvec4 b_next[B_LOADS];

#define LINE(i) ((gl_LocalInvocationIndex + (i) * gl_WorkGroupSize.x) / TILE_K)

void find_lines(uint m_first, uint n_first)
{
    [[unroll]] for (uint i = 0; i < A_LOADS; ++i)
        a_lines[i] = a_line(m_first + LINE(i));
    [[unroll]] for (uint i = 0; i < B_LOADS; ++i)
        b_lines[i] = b_line(n_first + LINE(i));
}

void load_tile(uint k_first)
{
    uint k = k_first + gl_LocalInvocationIndex % TILE_K;
    [[unroll]] for (uint i = 0; i < A_LOADS; ++i)
        a_next[i] = a_vector(a_lines[i], k);
    [[unroll]] for (uint i = 0; i < B_LOADS; ++i)
        b_next[i] = b_vector(b_lines[i], k);
}

void put(uint place, uvec4 vector)
{
    if (BY_PAIRS) {
        pairs[2 * place] = vector.xy;
        pairs[2 * place + 1] = vector.zw;
    } else {
        cells[place] = vector;
    }
}

void put_tile()
{
    uint lane = gl_LocalInvocationIndex % TILE_K;
    [[unroll]] for (uint i = 0; i < A_LOADS; ++i)
        put(LINE(i) * PITCH + lane, a_next[i]);
    [[unroll]] for (uint i = 0; i < B_LOADS; ++i)
        put(B_CELLS + LINE(i) * PITCH + lane, b_next[i]);
}

// A fragment of lines from the one on that begins at a place, and of their bytes from k on.
#define LOAD_FRAGMENT(fragment, place, k, order)                                                                       \
    if (BY_PAIRS)                                                                                                      \
        coopMatLoad(fragment, pairs, 2 * (place) + (k) / 8, 2 * PITCH, order);                                         \
    else                                                                                                               \
        coopMatLoad(fragment, cells, (place) + (k) / 16, PITCH, order);

void add_products()
{
    uint row = gl_SubgroupID / SUBGROUPS_N * ROWS;
    uint column = gl_SubgroupID % SUBGROUPS_N * COLUMNS;
    [[unroll]] for (uint k = 0; k < 16 * TILE_K; k += FRAGMENT_K) {
        coopmat<int8_t, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_K, gl_MatrixUseA> a_part[FRAGMENTS_M];
        [[unroll]] for (uint i = 0; i < FRAGMENTS_M; ++i)
            LOAD_FRAGMENT(a_part[i], (row + i * FRAGMENT_M) * PITCH, k, gl_CooperativeMatrixLayoutRowMajor)
        [[unroll]] for (uint j = 0; j < FRAGMENTS_N; ++j) {
            coopmat<int8_t, gl_ScopeSubgroup, FRAGMENT_K, FRAGMENT_N, gl_MatrixUseB> b_part;
            LOAD_FRAGMENT(b_part, B_CELLS + (column + j * FRAGMENT_N) * PITCH, k,
                          gl_CooperativeMatrixLayoutColumnMajor)
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

void make_tile(uint m_first, uint n_first)
{
    [[unroll]] for (uint i = 0; i < FRAGMENTS_M * FRAGMENTS_N; ++i)
        sums[i] = coopmat<int32_t, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_N, gl_MatrixUseAccumulator>(0);
    find_lines(m_first, n_first);
    load_tile(0);
    put_tile();
    barrier();
    for (uint k_first = 0; k_first * 4 < parameters.word_count; k_first += TILE_K) {
        load_tile(k_first + TILE_K); // on their way meanwhile; beyond the last zeros
        add_products();
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
            store_four(m_first + m, n_first + place * 4, ivec4(cells[line * SUM_PITCH + place]));
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
