// Attention by matrix cores (VK_KHR_cooperative_matrix), of FLOAT16, sums FLOAT32. A subgroup has some rows of the
// workgroup's tile: their queries in fragments, and the sums of values; of KEYS keys at once scores go to shared
// memory, where an invocation, or two, make a row's weights of them, which come back as FLOAT16. Pipelines are made of
// it on devices that keep FLOAT16's denormals only (HALVES_ARE_EXACT).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#include "attention.glsl"
#include "store.glsl"

layout(constant_id = 4) const uint QUERIES = 128;
layout(constant_id = 5) const uint KEYS = 32;
layout(constant_id = 6) const uint COLUMNS = 64;
layout(constant_id = 7) const uint DEPTH = 64;
layout(constant_id = 8) const uint FRAGMENT = 0x101010; // its rows, columns and steps along k, 8 bits each
layout(constant_id = 9) const uint SUBGROUP_ROWS = 32;  // as many as a subgroup's invocations, or half of them
const uint FRAGMENT_M = FRAGMENT & 255u;
const uint FRAGMENT_N = FRAGMENT >> 8 & 255u;
const uint FRAGMENT_K = FRAGMENT >> 16;

// Eight elements along a row are one load.
// In C: VKDML_ATTENTION_...
const bool Q_IN_EIGHTS = (SHAPE & 128u) != 0;
const bool K_IN_EIGHTS = (SHAPE & 256u) != 0;
const bool V_IN_EIGHTS = (SHAPE & 512u) != 0;

const uint SUBGROUPS = QUERIES / SUBGROUP_ROWS;
const uint LANES = gl_WorkGroupSize.x / QUERIES; // invocations of a row
const uint OWN_KEYS = KEYS / LANES;

// In vectors of eight halves, of scores of four; one more a line keeps lines out of one another's banks.
const uint PITCH_K = DEPTH / 8 + 1;
const uint PITCH_V = COLUMNS / 8 + 1;
const uint PITCH_S = KEYS / 4 + 1;
const uint V_CELLS = KEYS * PITCH_K;
const uint S_CELLS = V_CELLS + KEYS * PITCH_V;
shared uvec4 cells[S_CELLS + QUERIES * PITCH_S];
shared float of_lanes[gl_WorkGroupSize.x];
shared uint rises[SUBGROUPS];

const uint FRAGMENTS_M = SUBGROUP_ROWS / FRAGMENT_M;
const uint FRAGMENTS_D = DEPTH / FRAGMENT_K;
const uint FRAGMENTS_C = COLUMNS / FRAGMENT_N;
coopmat<float16_t, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_K, gl_MatrixUseA> q_parts[FRAGMENTS_M * FRAGMENTS_D];
coopmat<float, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_N, gl_MatrixUseAccumulator> sums[FRAGMENTS_M * FRAGMENTS_C];

const uint K_LOADS = KEYS * DEPTH / 8 / gl_WorkGroupSize.x;
const uint V_LOADS = KEYS * COLUMNS / 8 / gl_WorkGroupSize.x;
uvec4 k_next[K_LOADS];
uvec4 v_next[V_LOADS];

uvec4 join_fours(vec4 low, vec4 high)
{
    f16vec4 low_halves = f16vec4(low);
    f16vec4 high_halves = f16vec4(high);
    return uvec4(packFloat2x16(low_halves.xy), packFloat2x16(low_halves.zw), packFloat2x16(high_halves.xy),
                 packFloat2x16(high_halves.zw));
}

// Eight of a row from an element on; beyond the last 0.
#define EIGHT_OF(name, tensor, in_eights, count)                                                                       \
    uvec4 name##_eight(uint first, uint element)                                                                       \
    {                                                                                                                  \
        if (in_eights)                                                                                                 \
            return mix(uvec4(0), tensor##_VECTOR((first + min(element, count - 8)) / 8), bvec4(element < count));      \
        return join_fours(name##_four(first, element), name##_four(first, element + 4));                               \
    }
EIGHT_OF(q, Q, Q_IN_EIGHTS, parameters.depth)
EIGHT_OF(k, K, K_IN_EIGHTS, parameters.depth)
EIGHT_OF(v, V, V_IN_EIGHTS, parameters.columns)

// Keys beyond the last are the last: their weights are 0.
void load_keys(uint key_first, uint end)
{
    [[unroll]] for (uint i = 0; i < K_LOADS; ++i) {
        uint unit = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        uint key = min(key_first + unit / (DEPTH / 8), end - 1);
        k_next[i] = k_eight(k_first + key * parameters.key_steps[0].y, unit % (DEPTH / 8) * 8);
    }
    [[unroll]] for (uint i = 0; i < V_LOADS; ++i) {
        uint unit = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        uint key = min(key_first + unit / (COLUMNS / 8), end - 1);
        v_next[i] = v_eight(v_first + key * parameters.key_steps[0].z, unit % (COLUMNS / 8) * 8);
    }
}

void put_keys()
{
    [[unroll]] for (uint i = 0; i < K_LOADS; ++i) {
        uint unit = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        cells[unit / (DEPTH / 8) * PITCH_K + unit % (DEPTH / 8)] = k_next[i];
    }
    [[unroll]] for (uint i = 0; i < V_LOADS; ++i) {
        uint unit = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        cells[V_CELLS + unit / (COLUMNS / 8) * PITCH_V + unit % (COLUMNS / 8)] = v_next[i];
    }
}

// A subgroup's rows, in shared memory; and of an invocation its row there, and which part of it.
uint own_cells;
uint own_row;
uint own_part;

void sync_subgroup()
{
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}

void load_queries(uint row_first)
{
    Row row = find_row(min(row_first + gl_SubgroupID * SUBGROUP_ROWS + own_row, parameters.rows - 1));
    [[unroll]] for (uint d = 0; d < FRAGMENTS_D; ++d) {
        if (own_part == 0) {
            [[unroll]] for (uint i = 0; i < FRAGMENT_K / 8; ++i)
                cells[own_cells + own_row * PITCH_S + i] = q_eight(row.q, d * FRAGMENT_K + i * 8);
        }
        sync_subgroup();
        [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
            coopMatLoad(q_parts[m * FRAGMENTS_D + d], cells, own_cells + m * FRAGMENT_M * PITCH_S, PITCH_S,
                        gl_CooperativeMatrixLayoutRowMajor);
        sync_subgroup();
    }
}

void put_scores()
{
    [[unroll]] for (uint n = 0; n < KEYS / FRAGMENT_N; ++n) {
        coopmat<float, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_N, gl_MatrixUseAccumulator> scores[FRAGMENTS_M];
        [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
            scores[m] = coopmat<float, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_N, gl_MatrixUseAccumulator>(0.0);
        [[unroll]] for (uint d = 0; d < FRAGMENTS_D; ++d) {
            coopmat<float16_t, gl_ScopeSubgroup, FRAGMENT_K, FRAGMENT_N, gl_MatrixUseB> k_part;
            coopMatLoad(k_part, cells, n * FRAGMENT_N * PITCH_K + d * (FRAGMENT_K / 8), PITCH_K,
                        gl_CooperativeMatrixLayoutColumnMajor);
            [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
                scores[m] = coopMatMulAdd(q_parts[m * FRAGMENTS_D + d], k_part, scores[m]);
        }
        [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
            coopMatStore(scores[m], cells, own_cells + m * FRAGMENT_M * PITCH_S + n * (FRAGMENT_N / 4), PITCH_S,
                         gl_CooperativeMatrixLayoutRowMajor);
    }
    sync_subgroup();
}

// A row's scores up to now are beside this; sums are scaled only where a score is so far above it that weights could
// leave FLOAT16.
const float SLACK = 5.5;
float beside;
float total; // of an invocation's own keys
vec4 scores[OWN_KEYS / 4];

// What sums of values have is scaled, through shared memory, by a factor of each row.
void scale_sums(float factor)
{
    const uint fours = FRAGMENT_N / 4 / LANES;
    [[dont_unroll]] for (uint c = 0; c < FRAGMENTS_C; ++c) {
        [[unroll]] for (uint i = 0; i < FRAGMENTS_C; ++i) {
            if (i == c) {
                [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
                    coopMatStore(sums[m * FRAGMENTS_C + i], cells, own_cells + m * FRAGMENT_M * PITCH_S, PITCH_S,
                                 gl_CooperativeMatrixLayoutRowMajor);
            }
        }
        sync_subgroup();
        [[unroll]] for (uint f = 0; f < fours; ++f) {
            uint place = own_cells + own_row * PITCH_S + own_part * fours + f;
            cells[place] = floatBitsToUint(uintBitsToFloat(cells[place]) * factor);
        }
        sync_subgroup();
        [[unroll]] for (uint i = 0; i < FRAGMENTS_C; ++i) {
            if (i == c) {
                [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
                    coopMatLoad(sums[m * FRAGMENTS_C + i], cells, own_cells + m * FRAGMENT_M * PITCH_S, PITCH_S,
                                gl_CooperativeMatrixLayoutRowMajor);
            }
        }
        sync_subgroup();
    }
}

const bool IS_PLAIN = HAS_BIAS ? false : MASK == NONE;

// Where much is done for a score it is done in shared memory: in registers each would have code of its own.
void finish_scores(Row row, uint first, uint key)
{
    [[dont_unroll]] for (uint i = 0; i < OWN_KEYS / 4; ++i) {
        vec4 x = uintBitsToFloat(cells[first + i]);
        [[unroll]] for (uint v = 0; v < 4; ++v)
            x[v] = score_of(x[v], row, key + i * 4 + v);
        cells[first + i] = floatBitsToUint(x);
    }
}

float take_scores(Row row, uint key_first, uint end)
{
    uint first = own_cells + own_row * PITCH_S + own_part * (OWN_KEYS / 4);
    uint key = key_first + own_part * OWN_KEYS;
    uint own_end = min(end, row.key_count);
    vec4 most = vec4(MINUS_INFINITY);
    if (!IS_PLAIN)
        finish_scores(row, first, key);
    [[unroll]] for (uint i = 0; i < OWN_KEYS / 4; ++i) {
        vec4 x = uintBitsToFloat(cells[first + i]);
        if (IS_PLAIN)
            x *= uintBitsToFloat(parameters.scale);
        x = mix(vec4(MINUS_INFINITY), x, lessThan(key + i * 4 + uvec4(0, 1, 2, 3), uvec4(own_end)));
        scores[i] = x;
        most = max(most, x);
    }
    return max(max(most.x, most.y), max(most.z, most.w));
}

// The cell of a row's other invocation; nothing says which of the workgroup's these are.
uint other_of_row()
{
    return gl_SubgroupID * gl_SubgroupSize + (gl_SubgroupInvocationID ^ SUBGROUP_ROWS);
}

// The greatest that either of a row's invocations has.
float of_row(float own)
{
    if (LANES == 1)
        return own;
    of_lanes[gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID] = own;
    sync_subgroup();
    float most = max(own, of_lanes[other_of_row()]);
    sync_subgroup();
    return most;
}

void weigh(Row row, uint key_first, uint end, bool is_first)
{
    float most = of_row(take_scores(row, key_first, end));
    if (is_first)
        beside = max(beside, most);
    if (gl_SubgroupInvocationID == 0)
        rises[gl_SubgroupID] = 0;
    sync_subgroup();
    if (most > beside + SLACK)
        rises[gl_SubgroupID] = 1;
    sync_subgroup();
    if (rises[gl_SubgroupID] != 0) {
        float next = most > beside + SLACK ? most : beside;
        float factor = exp2((beside - next) * 1.44269502);
        beside = next;
        total *= factor;
        scale_sums(factor);
    }
    uint place = own_cells + own_row * PITCH_S + own_part * (OWN_KEYS / 8);
    [[unroll]] for (uint i = 0; i < OWN_KEYS / 8; ++i) {
        vec4 low = exp2((scores[2 * i] - beside) * 1.44269502);
        vec4 high = exp2((scores[2 * i + 1] - beside) * 1.44269502);
        vec4 both = low + high;
        total += (both.x + both.y) + (both.z + both.w);
        cells[place + i] = join_fours(low, high);
    }
    sync_subgroup();
}

void add_values()
{
    [[unroll]] for (uint k = 0; k < KEYS / FRAGMENT_K; ++k) {
        coopmat<float16_t, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_K, gl_MatrixUseA> weights[FRAGMENTS_M];
        [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
            coopMatLoad(weights[m], cells, own_cells + m * FRAGMENT_M * PITCH_S + k * (FRAGMENT_K / 8), PITCH_S,
                        gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (uint c = 0; c < FRAGMENTS_C; ++c) {
            coopmat<float16_t, gl_ScopeSubgroup, FRAGMENT_K, FRAGMENT_N, gl_MatrixUseB> v_part;
            coopMatLoad(v_part, cells, V_CELLS + k * FRAGMENT_K * PITCH_V + c * (FRAGMENT_N / 8), PITCH_V,
                        gl_CooperativeMatrixLayoutRowMajor);
            [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
                sums[m * FRAGMENTS_C + c] = coopMatMulAdd(weights[m], v_part, sums[m * FRAGMENTS_C + c]);
        }
    }
    sync_subgroup();
}

float whole_total()
{
    if (LANES == 1)
        return total;
    of_lanes[gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID] = total;
    sync_subgroup();
    return total + of_lanes[other_of_row()];
}

void finish(Row row, bool is_there, uint share)
{
    const uint fours = FRAGMENT_N / 4 / LANES;
    float whole = whole_total();
    float factor = factor_of(whole);
    if (TO_SUMS && is_there && own_part == 0)
        store_statistics(row.destination, share, beside, whole);
    [[dont_unroll]] for (uint c = 0; c < FRAGMENTS_C; ++c) {
        [[unroll]] for (uint i = 0; i < FRAGMENTS_C; ++i) {
            if (i == c) {
                [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
                    coopMatStore(sums[m * FRAGMENTS_C + i], cells, own_cells + m * FRAGMENT_M * PITCH_S, PITCH_S,
                                 gl_CooperativeMatrixLayoutRowMajor);
            }
        }
        sync_subgroup();
        [[unroll]] for (uint f = 0; f < fours; ++f) {
            uint four = own_part * fours + f;
            vec4 x = uintBitsToFloat(cells[own_cells + own_row * PITCH_S + four]);
            if (is_there)
                store_four(row.destination, share, c * FRAGMENT_N + four * 4, x, factor);
        }
        sync_subgroup();
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint row_tile = group % parameters.row_tiles;
    group /= parameters.row_tiles;
    uint share = group % parameters.share_count;
    group /= parameters.share_count;
    find_head(group / parameters.heads, group % parameters.heads);
    own_cells = S_CELLS + gl_SubgroupID * SUBGROUP_ROWS * PITCH_S;
    own_row = gl_SubgroupInvocationID % SUBGROUP_ROWS;
    own_part = gl_SubgroupInvocationID / SUBGROUP_ROWS;
    load_queries(row_tile * QUERIES);
    uint number = row_tile * QUERIES + gl_SubgroupID * SUBGROUP_ROWS + own_row;
    Row row = find_row(min(number, parameters.rows - 1));
    beside = LEAST;
    total = 0.0;
    [[unroll]] for (uint i = 0; i < FRAGMENTS_M * FRAGMENTS_C; ++i)
        sums[i] = coopmat<float, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_N, gl_MatrixUseAccumulator>(0.0);
    uint first = share * parameters.share;
    uint end = min(first + parameters.share, last_seen(row_tile * QUERIES, QUERIES));
    if (first < end) {
        load_keys(first, end);
        put_keys();
    }
    barrier();
    [[dont_unroll]] for (uint key = first; key < end; key += KEYS) {
        load_keys(key + KEYS, end); // on their way meanwhile
        put_scores();
        weigh(row, key, end, key == first);
        add_values();
        barrier();
        put_keys();
        barrier();
    }
    finish(row, number < parameters.rows, share);
}
