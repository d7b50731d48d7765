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
shared float besides[QUERIES];

const uint FRAGMENTS_M = SUBGROUP_ROWS / FRAGMENT_M;
const uint FRAGMENTS_D = DEPTH / FRAGMENT_K;
const uint FRAGMENTS_C = COLUMNS / FRAGMENT_N;
const uint FRAGMENTS_N = KEYS / FRAGMENT_N;
#define RESULTS(type) coopmat<type, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_N, gl_MatrixUseAccumulator>
coopmat<float16_t, gl_ScopeSubgroup, FRAGMENT_M, FRAGMENT_K, gl_MatrixUseA> q_parts[FRAGMENTS_M * FRAGMENTS_D];
RESULTS(float) sums[FRAGMENTS_M * FRAGMENTS_C];
RESULTS(float) score_parts[FRAGMENTS_M * FRAGMENTS_N];
RESULTS(float) beside_parts[FRAGMENTS_M]; // in each column the same
RESULTS(float) total_parts[FRAGMENTS_M];  // of weights that were made in fragments: columns to be added

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

// Keys and values that come next are loaded while those in shared memory are multiplied. These views are volatile:
// compilers move a load to where its result is used, behind all that it should go along with. On an H200 heads of 64
// elements made 132 TFLOP/s so, and 185 with loads that stay (vkdml bench -f attention/self_64/float16 -b 64MiB).
layout(std430, binding = 1) volatile readonly buffer QueriesAhead { uvec4 vectors[]; } queries_ahead;
layout(std430, binding = 3) volatile readonly buffer KeysAhead { uvec4 vectors[]; } keys_ahead;
layout(std430, binding = 4) volatile readonly buffer ValuesAhead { uvec4 vectors[]; } values_ahead;
#define Q_VECTOR_AHEAD(index) Q_VECTOR(index)
#define K_VECTOR_AHEAD(index) (IS_TOGETHER ? queries_ahead.vectors[index] : keys_ahead.vectors[index])
#define V_VECTOR_AHEAD(index) (IS_TOGETHER ? queries_ahead.vectors[index] : values_ahead.vectors[index])

// Eight of a row from an element on; beyond the last 0, but of what is one load: that is cleared when it has come, for
// a comparison waits for it.
#define EIGHT_OF(name, tensor, in_eights, count)                                                                       \
    uvec4 name##_eight(uint first, uint element)                                                                       \
    {                                                                                                                  \
        if (in_eights)                                                                                                 \
            return tensor##_VECTOR_AHEAD((first + min(element, count - 8)) / 8);                                       \
        return join_fours(name##_four(first, element), name##_four(first, element + 4));                               \
    }
EIGHT_OF(q, Q, Q_IN_EIGHTS, parameters.depth)
EIGHT_OF(k, K, K_IN_EIGHTS, parameters.depth)
EIGHT_OF(v, V, V_IN_EIGHTS, parameters.columns)

uvec4 cleared(uvec4 eight, uint element, uint count)
{
    return element < count ? eight : uvec4(0);
}

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
        uint place = unit % (DEPTH / 8);
        cells[unit / (DEPTH / 8) * PITCH_K + place] = cleared(k_next[i], place * 8, parameters.depth);
    }
    [[unroll]] for (uint i = 0; i < V_LOADS; ++i) {
        uint unit = gl_LocalInvocationIndex + i * gl_WorkGroupSize.x;
        uint place = unit % (COLUMNS / 8);
        cells[V_CELLS + unit / (COLUMNS / 8) * PITCH_V + place] = cleared(v_next[i], place * 8, parameters.columns);
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
                cells[own_cells + own_row * PITCH_S + i] =
                    cleared(q_eight(row.q, d * FRAGMENT_K + i * 8), d * FRAGMENT_K + i * 8, parameters.depth);
        }
        sync_subgroup();
        [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
            coopMatLoad(q_parts[m * FRAGMENTS_D + d], cells, own_cells + m * FRAGMENT_M * PITCH_S, PITCH_S,
                        gl_CooperativeMatrixLayoutRowMajor);
        sync_subgroup();
    }
}

void multiply_keys()
{
    [[unroll]] for (uint n = 0; n < FRAGMENTS_N; ++n) {
        [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
            score_parts[m * FRAGMENTS_N + n] = RESULTS(float)(0.0);
        [[unroll]] for (uint d = 0; d < FRAGMENTS_D; ++d) {
            coopmat<float16_t, gl_ScopeSubgroup, FRAGMENT_K, FRAGMENT_N, gl_MatrixUseB> k_part;
            coopMatLoad(k_part, cells, n * FRAGMENT_N * PITCH_K + d * (FRAGMENT_K / 8), PITCH_K,
                        gl_CooperativeMatrixLayoutColumnMajor);
            [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
                score_parts[m * FRAGMENTS_N + n] =
                    coopMatMulAdd(q_parts[m * FRAGMENTS_D + d], k_part, score_parts[m * FRAGMENTS_N + n]);
        }
    }
}

void put_scores()
{
    [[unroll]] for (uint i = 0; i < FRAGMENTS_M * FRAGMENTS_N; ++i)
        coopMatStore(score_parts[i], cells,
                     own_cells + i / FRAGMENTS_N * FRAGMENT_M * PITCH_S + i % FRAGMENTS_N * (FRAGMENT_N / 4), PITCH_S,
                     gl_CooperativeMatrixLayoutRowMajor);
    sync_subgroup();
}

// A row's scores up to now are beside this; sums are scaled only where a score is so far above it that weights could
// leave FLOAT16.
const float SLACK = 5.5;
float beside;
float total; // of an invocation's own keys
vec4 scores[OWN_KEYS / 4];

const float LOG2_E = 1.44269502;

const bool IS_PLAIN = HAS_BIAS ? false : MASK == NONE;
// Whether keys may be seen by all rows, with nothing added.
const bool IS_EVER_WHOLE = HAS_BIAS ? false : MASK != ADDED;

// Weights of scores where they are, but for what is so far above what it is beside: then says so instead. What they are
// beside is a fragment whose columns are one in memory.
bool weigh_parts()
{
    const float scale = uintBitsToFloat(parameters.scale) * LOG2_E;
    float most = MINUS_INFINITY;
    [[unroll]] for (uint i = 0; i < FRAGMENTS_M * FRAGMENTS_N; ++i) {
        [[unroll]] for (uint e = 0; e < score_parts[i].length(); ++e)
            most = max(most, fma(score_parts[i][e], scale, -beside_parts[i / FRAGMENTS_N][e]));
    }
    if (!(most <= SLACK * LOG2_E))
        rises[gl_SubgroupID] = 1;
    sync_subgroup();
    if (rises[gl_SubgroupID] != 0)
        return false;
    [[unroll]] for (uint i = 0; i < FRAGMENTS_M * FRAGMENTS_N; ++i) {
        uint m = i / FRAGMENTS_N;
        [[unroll]] for (uint e = 0; e < score_parts[i].length(); ++e)
            score_parts[i][e] = exp2(fma(score_parts[i][e], scale, -beside_parts[m][e]));
        total_parts[m] += score_parts[i];
        coopMatStore(RESULTS(float16_t)(score_parts[i]), cells,
                     own_cells + m * FRAGMENT_M * PITCH_S + i % FRAGMENTS_N * (FRAGMENT_N / 8), PITCH_S,
                     gl_CooperativeMatrixLayoutRowMajor);
    }
    sync_subgroup();
    return true;
}

// From fragments to each row's invocations, of which each adds its share of the columns.
void take_totals()
{
    const uint fours = FRAGMENT_N / 4 / LANES;
    [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m) {
        coopMatStore(total_parts[m], cells, own_cells + m * FRAGMENT_M * PITCH_S, PITCH_S,
                     gl_CooperativeMatrixLayoutRowMajor);
        total_parts[m] = RESULTS(float)(0.0);
    }
    sync_subgroup();
    [[unroll]] for (uint f = 0; f < fours; ++f) {
        vec4 x = uintBitsToFloat(cells[own_cells + own_row * PITCH_S + own_part * fours + f]);
        total += (x.x + x.y) + (x.z + x.w);
    }
    sync_subgroup();
}

void take_besides()
{
    if (own_part == 0)
        besides[gl_SubgroupID * SUBGROUP_ROWS + own_row] = beside * LOG2_E;
    sync_subgroup();
    [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m)
        coopMatLoad(beside_parts[m], besides, gl_SubgroupID * SUBGROUP_ROWS + m * FRAGMENT_M, 0,
                    gl_CooperativeMatrixLayoutColumnMajor);
}

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
    put_scores();
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
        float factor = exp2((beside - next) * LOG2_E);
        beside = next;
        take_totals();
        total *= factor;
        scale_sums(factor);
    }
    if (IS_EVER_WHOLE && (is_first || rises[gl_SubgroupID] != 0))
        take_besides();
    uint place = own_cells + own_row * PITCH_S + own_part * (OWN_KEYS / 8);
    [[unroll]] for (uint i = 0; i < OWN_KEYS / 8; ++i) {
        vec4 low = exp2((scores[2 * i] - beside) * LOG2_E);
        vec4 high = exp2((scores[2 * i + 1] - beside) * LOG2_E);
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

// Of keys that these rows all see, with nothing added: the first, and the one behind the last.
uvec2 whole_keys(uint row_first, uint end)
{
    uint least = end;
    if (MASK == CAUSAL) {
        uint last = min(row_first + QUERIES, parameters.rows) - 1;
        uint query = row_first / parameters.queries == last / parameters.queries ? row_first % parameters.queries : 0;
        least = min(end, past + parameters.query_first + query + 1);
    }
    if (EITHER(MASK == END, MASK == END_START))
        least = min(end, seen_end);
    return uvec2(seen_first, IS_EVER_WHOLE ? least : 0);
}

float whole_total()
{
    take_totals();
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
        sums[i] = RESULTS(float)(0.0);
    [[unroll]] for (uint m = 0; m < FRAGMENTS_M; ++m) {
        total_parts[m] = RESULTS(float)(0.0);
        beside_parts[m] = RESULTS(float)(0.0);
    }
    uint first = share * parameters.share;
    uint end = min(first + parameters.share, last_seen(row_tile * QUERIES, QUERIES));
    uvec2 whole = whole_keys(row_tile * QUERIES, end);
    if (first < end) {
        load_keys(first, end);
        put_keys();
    }
    if (gl_SubgroupInvocationID == 0)
        rises[gl_SubgroupID] = 0;
    barrier();
    [[dont_unroll]] for (uint key = first; key < end; key += KEYS) {
        load_keys(key + KEYS, end); // on their way meanwhile
        multiply_keys();
        bool is_whole = key != first && key >= whole.x && key + KEYS <= whole.y;
        if (!is_whole || !weigh_parts())
            weigh(row, key, end, key == first);
        add_values();
        if (gl_SubgroupInvocationID == 0)
            rises[gl_SubgroupID] = 0;
        barrier();
        put_keys();
        barrier();
    }
    finish(row, number < parameters.rows, share);
}
