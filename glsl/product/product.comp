// Matrix products. FLOAT16 arithmetic is left in a pipeline's module where FLOAT_CONTROLS say that the device has it.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "product.glsl"
#include "store.glsl"

// Rows 4 to 7 of an invocation lie half a tile behind rows 0 to 3, columns alike, so that neighbours read neighbouring
// 16 bytes. Row i, columns 0 to 3, is sums[2 * i], columns 4 to 7 the next.
vec4 sums[16];

#define EACH_ROW(f)                                                                                                    \
    f(0) f(1) f(2) f(3) if (EITHER(ROWS > 4, IS_THIN))                                                                 \
    {                                                                                                                  \
        f(4) f(5) f(6) f(7)                                                                                            \
    }

void clear_sums()
{
#define CLEAR(i)                                                                                                       \
    sums[2 * i] = vec4(0.0);                                                                                           \
    sums[2 * i + 1] = vec4(0.0);
    EACH_ROW(CLEAR)
}

// One step along k, fused or not: either keeps the bound.
void add_products(vec4 a_low, vec4 a_high, vec4 b_low, vec4 b_high)
{
#define ADD_ROW(i)                                                                                                     \
    sums[2 * i] = fma(vec4((i < 4 ? a_low : a_high)[i & 3]), b_low, sums[2 * i]);                                      \
    if (COLUMNS > 4)                                                                                                   \
        sums[2 * i + 1] = fma(vec4((i < 4 ? a_low : a_high)[i & 3]), b_high, sums[2 * i + 1]);
    EACH_ROW(ADD_ROW)
}

// Row r, which is no constant.
void take_row(uint r, out vec4 low, out vec4 high)
{
    low = sums[0];
    high = sums[1];
#define TAKE_ROW(i)                                                                                                    \
    low = mix(low, sums[2 * i], bvec4(r == i));                                                                        \
    high = mix(high, sums[2 * i + 1], bvec4(r == i));
    EACH_ROW(TAKE_ROW)
}

// ---- a workgroup's tile ----

// Of both operands TILE_K steps are in shared memory, in vectors of rows or columns. What is loaded along k is put
// there by 8 rows at four times four steps: four more rows a step, and every other eight steps turned round by eight
// rows, keep these in banks of their own.
const bool HAS_TILES = EITHER(JOINS, EITHER(IS_SERIAL, IS_THIN)) ? false : true;
const bool HAS_THIN_GROUPS = IS_SERIAL ? false : IS_THIN;
const uint PITCH_A = TILE_M + 4;
const uint PITCH_B = TILE_N + 4;
const uint B_CELLS = TILE_K * PITCH_A / 4;
const uint STAGE_CELLS = B_CELLS + TILE_K * PITCH_B / 4;
shared vec4 cells[HAS_TILES ? STAGES * STAGE_CELLS : HAS_THIN_GROUPS ? gl_WorkGroupSize.x * 4 : 1];
#define TURN(layout_, k) (((layout_) & ALONG_ROWS) != 0 ? 0 : (k) / 8 % 2 * 8)

const uint A_LOADS = TILE_M * TILE_K / 4 / gl_WorkGroupSize.x; // 1 or 2, as those of b
const uint B_LOADS = TILE_N * TILE_K / 4 / gl_WorkGroupSize.x;

// Where four elements that are loaded lie in the tile.
#define ROW_OF(layout_, unit, tile) (((layout_) & ALONG_ROWS) != 0 ? (unit) % ((tile) / 4) * 4 : (unit) / (TILE_K / 4))
#define K_OF(layout_, unit, tile) (((layout_) & ALONG_ROWS) != 0 ? (unit) / ((tile) / 4) : (unit) % (TILE_K / 4) * 4)

void put(uint first, uint pitch, uint layout_, uint row, uint k, vec4 x)
{
    uint place = first + k * (pitch / 4) + (row ^ TURN(layout_, k)) / 4;
    if ((layout_ & ALONG_ROWS) != 0) {
        cells[place] = x;
    } else {
        cells[place][row % 4] = x.x;
        cells[place + pitch / 4][row % 4] = x.y;
        cells[place + pitch / 2][row % 4] = x.z;
        cells[place + pitch / 4 * 3][row % 4] = x.w;
    }
}

void make_tile(uint m_first, uint n_first)
{
    uint slot = gl_LocalInvocationIndex;
    uint row = slot / (TILE_N / COLUMNS);
    uint column = slot % (TILE_N / COLUMNS);
    uint a_row = ROW_OF(LAYOUT_A, slot, TILE_M);
    uint a_k = K_OF(LAYOUT_A, slot, TILE_M);
    uint a_row2 = ROW_OF(LAYOUT_A, slot + gl_WorkGroupSize.x, TILE_M);
    uint a_k2 = K_OF(LAYOUT_A, slot + gl_WorkGroupSize.x, TILE_M);
    uint b_row = ROW_OF(LAYOUT_B, slot, TILE_N);
    uint b_k = K_OF(LAYOUT_B, slot, TILE_N);
    uint b_row2 = ROW_OF(LAYOUT_B, slot + gl_WorkGroupSize.x, TILE_N);
    uint b_k2 = K_OF(LAYOUT_B, slot + gl_WorkGroupSize.x, TILE_N);
    Columns columns = find_columns(n_first + b_row);
    Columns columns2 = find_columns(n_first + b_row2);
    vec4 a_next;
    vec4 a_next2;
    vec4 b_next;
    vec4 b_next2;
#define LOAD_TILE(k_first)                                                                                             \
    a_next = a_four(m_first + a_row, (k_first) + a_k);                                                                 \
    b_next = b_four_of(columns, n_first + b_row, 0, (k_first) + b_k);                                                  \
    if (A_LOADS > 1)                                                                                                   \
        a_next2 = a_four(m_first + a_row2, (k_first) + a_k2);                                                          \
    if (B_LOADS > 1)                                                                                                   \
        b_next2 = b_four_of(columns2, n_first + b_row2, 0, (k_first) + b_k2);
#define PUT_TILE(first)                                                                                                \
    put(first, PITCH_A, LAYOUT_A, a_row, a_k, a_next);                                                                 \
    put((first) + B_CELLS, PITCH_B, LAYOUT_B, b_row, b_k, b_next);                                                     \
    if (A_LOADS > 1)                                                                                                   \
        put(first, PITCH_A, LAYOUT_A, a_row2, a_k2, a_next2);                                                          \
    if (B_LOADS > 1)                                                                                                   \
        put((first) + B_CELLS, PITCH_B, LAYOUT_B, b_row2, b_k2, b_next2);
    uint stage = 0;
    LOAD_TILE(0)
    PUT_TILE(0)
    for (uint k_first = 0; k_first < k_count; k_first += TILE_K) {
        barrier();
        LOAD_TILE(k_first + TILE_K) // on their way meanwhile; beyond the last zeros
        [[unroll]] for (uint k = 0; k < TILE_K; ++k) {
            uint a_place = stage + k * (PITCH_A / 4) + (row ^ TURN(LAYOUT_A, k) / 4);
            uint b_place = stage + B_CELLS + k * (PITCH_B / 4) + (column ^ TURN(LAYOUT_B, k) / 4);
            add_products(cells[a_place], cells[ROWS > 4 ? a_place + TILE_M / 8 : a_place], cells[b_place],
                         cells[COLUMNS > 4 ? b_place + TILE_N / 8 : b_place]);
        }
        if (STAGES > 1)
            stage = STAGE_CELLS - stage;
        else
            barrier();
        PUT_TILE(stage)
    }
    // 16 neighbours have a row's columns side by side. Activations are too long for a copy each.
    m_first += row * 4;
    n_first += column * 4;
#define STORE_ROW(r, low, high)                                                                                        \
    store_four(m_first + (r & 3) + (r < 4 ? 0 : TILE_M / 2), n_first, low);                                            \
    if (COLUMNS > 4)                                                                                                   \
        store_four(m_first + (r & 3) + (r < 4 ? 0 : TILE_M / 2), n_first + TILE_N / 2, high);
#define STORE_ROW_OF(r) STORE_ROW(r, sums[2 * r], sums[2 * r + 1])
    if (FUNCTION == FN_NONE && EPILOGUE == 0) {
        EACH_ROW(STORE_ROW_OF)
    } else {
        [[dont_unroll]] for (uint r = 0; r < ROWS; ++r) {
            vec4 low;
            vec4 high;
            take_row(r, low, high);
            STORE_ROW(r, low, high)
        }
    }
}

// ---- an invocation alone ----

// Rows 0 to 7 and columns 0 to 7 lie side by side here.
void make_block(uint m, uint n)
{
    Columns columns[2] = Columns[](find_columns(n), find_columns(n + 4));
    for (uint k = 0; k < k_count; k += 4) {
        vec4 a_part[8];
        vec4 b_part[8];
#define LOAD_PART(i)                                                                                                   \
    a_part[i] = (LAYOUT_A & ALONG_ROWS) != 0 ? a_four(m + i % 2 * 4, k + i / 2) : a_four(m + i, k);                    \
    b_part[i] = (LAYOUT_B & ALONG_ROWS) != 0 ? b_four_of(columns[i % 2], n + i % 2 * 4, 0, k + i / 2)                  \
                                             : b_four_of(columns[i / 4], n + i / 4 * 4, i % 4, k);
        LOAD_PART(0)
        LOAD_PART(1)
        LOAD_PART(2)
        LOAD_PART(3)
        LOAD_PART(4)
        LOAD_PART(5)
        LOAD_PART(6)
        LOAD_PART(7)
#define FOUR_OF(part, layout_, step, half_)                                                                            \
    (((layout_) & ALONG_ROWS) != 0                                                                                     \
         ? part[2 * step + half_]                                                                                      \
         : vec4(part[4 * half_][step], part[4 * half_ + 1][step], part[4 * half_ + 2][step], part[4 * half_ + 3][step]))
#define ADD_STEP(step)                                                                                                 \
    add_products(FOUR_OF(a_part, LAYOUT_A, step, 0), FOUR_OF(a_part, LAYOUT_A, step, 1),                               \
                 FOUR_OF(b_part, LAYOUT_B, step, 0), FOUR_OF(b_part, LAYOUT_B, step, 1));
        ADD_STEP(0)
        ADD_STEP(1)
        ADD_STEP(2)
        ADD_STEP(3)
    }
    [[dont_unroll]] for (uint r = 0; r < 8; ++r) {
        vec4 low;
        vec4 high;
        take_row(r, low, high);
        store_four(m + r, n, low);
        store_four(m + r, n + 4, high);
    }
}

// ---- few columns ----

// An invocation has four rows, of up to four columns, and of k every TILE_K'th four steps: workgroups have TILE_K / 4
// lanes of them. Where a lies along k products of four steps stay apart until all are there, row r, column c being
// sums[4 * r + c]; else four rows are in sums[c].
// So many times that is loaded at once: fewer bytes on their way do not keep an H200's memory busy.
const uint THIN_TURNS = TYPE == FLOAT16 ? 4 : 2;

void add_thin(uint m, uint lane)
{
    const bool along_rows = (LAYOUT_A & ALONG_ROWS) != 0;
    for (uint k_first = lane * 4; k_first < k_count; k_first += THIN_TURNS * TILE_K) {
        vec4 a_part[4 * THIN_TURNS];
        vec4 b_part[4 * THIN_TURNS];
        [[unroll]] for (uint i = 0; i < 4 * THIN_TURNS; ++i) {
            uint k = k_first + i / 4 * TILE_K;
            a_part[i] = along_rows ? a_four(m, k + i % 4) : a_four(m + i % 4, k);
            b_part[i] = i % 4 < COLUMNS ? plain_b_four(i % 4, k) : vec4(0.0);
        }
        [[unroll]] for (uint i = 0; i < 4 * THIN_TURNS; ++i) {
            [[unroll]] for (uint column = 0; column < COLUMNS; ++column) {
                if (along_rows)
                    sums[column] = fma(a_part[i], vec4(b_part[i / 4 * 4 + column][i % 4]), sums[column]);
                else
                    sums[4 * (i % 4) + column] = fma(a_part[i], b_part[i / 4 * 4 + column], sums[4 * (i % 4) + column]);
            }
        }
    }
}

float across(vec4 x)
{
    return (x.x + x.y) + (x.z + x.w);
}

#define THIN_ROW(i)                                                                                                    \
    ((LAYOUT_A & ALONG_ROWS) != 0                                                                                      \
         ? vec4(sums[0][i], sums[1][i], sums[2][i], sums[3][i])                                                        \
         : vec4(across(sums[4 * i]), across(sums[4 * i + 1]), across(sums[4 * i + 2]), across(sums[4 * i + 3])))

void make_thin_rows(uint m)
{
    add_thin(m, 0);
    store_four(m, 0, THIN_ROW(0));
    store_four(m + 1, 0, THIN_ROW(1));
    store_four(m + 2, 0, THIN_ROW(2));
    store_four(m + 3, 0, THIN_ROW(3));
}

// What lies side by side is read by neighbours.
void make_thin_tile(uint m_first)
{
    const uint lanes = TILE_K / 4;
    const uint fours = TILE_M / 4;
    const bool along_rows = (LAYOUT_A & ALONG_ROWS) != 0;
    uint slot = gl_LocalInvocationIndex;
    uint four = along_rows ? slot % fours : slot / lanes;
    uint lane = along_rows ? slot / fours : slot % lanes;
    add_thin(m_first + four * 4, lane);
    uint place = lane * TILE_M + four * 4;
    cells[place] = THIN_ROW(0);
    cells[place + 1] = THIN_ROW(1);
    cells[place + 2] = THIN_ROW(2);
    cells[place + 3] = THIN_ROW(3);
    barrier();
    if (slot < TILE_M) {
        vec4 sum = cells[slot];
        [[dont_unroll]] for (uint other = 1; other < lanes; ++other)
            sum += cells[other * TILE_M + slot];
        store_four(m_first + slot, 0, sum);
    }
}

// ---- shares' sums ----

void join(uint m, uint n)
{
    precise vec4 sum = vec4(0.0);
    for (uint share = 0; share < k_count; ++share) {
        vec4 x = (LAYOUT_A & VECTORS) != 0
                     ? LOAD_FOUR(a, TYPE, a_first + m * parameters.steps.x + share * parameters.steps.y + n)
                     : vec4(0.0);
        if ((LAYOUT_A & VECTORS) == 0) {
            uint row = a_first + m * parameters.steps.x + share * parameters.steps.y;
            uvec4 columns = min(uvec4(n, n + 1, n + 2, n + 3), uvec4(parameters.n - 1));
            x = uintBitsToFloat(uvec4(a.words[row + columns.x], a.words[row + columns.y], a.words[row + columns.z],
                                      a.words[row + columns.w]));
        }
        sum = sum + x;
    }
    store_four(m, n, sum);
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint tiles = parameters.tiles_m * parameters.tiles_n;
    if (HAS_TILES) {
        uint batch = group / tiles;
        find_batch(batch);
        uint m;
        uint n;
        find_tile(group - batch * tiles, m, n);
        clear_sums();
        make_tile(m * TILE_M, n * TILE_N);
        return;
    }
    if (HAS_THIN_GROUPS) {
        uint batch = group / tiles;
        find_batch(batch);
        clear_sums();
        make_thin_tile((group - batch * tiles) * TILE_M);
        return;
    }
    uint unit = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (unit >= parameters.unit_count)
        return;
    uint batch = unit / tiles;
    uint rest = unit - batch * tiles;
    find_batch(batch);
    if (JOINS) { // neighbours have neighbouring columns
        uint m = rest / parameters.tiles_n;
        join(m * TILE_M, (rest - m * parameters.tiles_n) * TILE_N);
    } else if (IS_THIN) {
        clear_sums();
        make_thin_rows(rest * TILE_M);
    } else { // .. or rows, so that they load the same columns
        uint n = rest / parameters.tiles_m;
        clear_sums();
        make_block((rest - n * parameters.tiles_m) * TILE_M, n * TILE_N);
    }
}
