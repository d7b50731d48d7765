// Matrix products. FLOAT16 arithmetic is left in a pipeline's module where FLOAT_CONTROLS say that the device has it.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "product.glsl"
#include "store.glsl"

// Rows 4 to 7 of an invocation lie half a tile behind rows 0 to 3, columns alike, so that neighbours read neighbouring 16 bytes.
// Row i, columns 0 to 3, is sums[2 * i], columns 4 to 7 the next.
vec4 sums[16];

#define EACH_ROW(f)                                                                                                    \
    f(0) f(1) f(2) f(3) if (ROWS > 4)                                                                                  \
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

// Of both operands TILE_K steps are in shared memory, in vectors of rows or columns; four more a step keep invocations that write
// neighbouring steps out of one another's banks. The sums of a row of each invocation go through it to be stored.
const bool HAS_TILES = EITHER(JOINS, IS_SERIAL) ? false : true;
const uint PITCH_A = TILE_M + 4;
const uint PITCH_B = TILE_N + 4;
const uint B_CELLS = TILE_K * PITCH_A / 4;
const uint CELLS = B_CELLS + TILE_K * PITCH_B / 4;
const uint ROW_CELLS = TILE_M / ROWS * TILE_N / 4;
shared vec4 cells[HAS_TILES ? (CELLS > ROW_CELLS ? CELLS : ROW_CELLS) : 1];

const uint A_LOADS = TILE_M * TILE_K / 4 / gl_WorkGroupSize.x; // 1 or 2, as those of b
const uint B_LOADS = TILE_N * TILE_K / 4 / gl_WorkGroupSize.x;

// Where four elements that are loaded lie in the tile.
#define ROW_OF(layout_, unit, tile) (((layout_) & ALONG_ROWS) != 0 ? (unit) % ((tile) / 4) * 4 : (unit) / (TILE_K / 4))
#define K_OF(layout_, unit, tile) (((layout_) & ALONG_ROWS) != 0 ? (unit) / ((tile) / 4) : (unit) % (TILE_K / 4) * 4)

void put_cell(uint place, float x)
{
    cells[place / 4][place % 4] = x;
}

void put(uint first, uint pitch, bool along_rows, uint row, uint k, vec4 x)
{
    uint place = first * 4 + k * pitch + row;
    if (along_rows) {
        cells[place / 4] = x;
    } else {
        put_cell(place, x.x);
        put_cell(place + pitch, x.y);
        put_cell(place + 2 * pitch, x.z);
        put_cell(place + 3 * pitch, x.w);
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
    LOAD_TILE(0)
    for (uint k_first = 0; k_first < k_count; k_first += TILE_K) {
        barrier();
        put(0, PITCH_A, (LAYOUT_A & ALONG_ROWS) != 0, a_row, a_k, a_next);
        put(B_CELLS, PITCH_B, (LAYOUT_B & ALONG_ROWS) != 0, b_row, b_k, b_next);
        if (A_LOADS > 1)
            put(0, PITCH_A, (LAYOUT_A & ALONG_ROWS) != 0, a_row2, a_k2, a_next2);
        if (B_LOADS > 1)
            put(B_CELLS, PITCH_B, (LAYOUT_B & ALONG_ROWS) != 0, b_row2, b_k2, b_next2);
        barrier();
        LOAD_TILE(k_first + TILE_K) // on their way meanwhile; beyond the last zeros
        [[unroll]] for (uint k = 0; k < TILE_K; ++k) {
            uint a_place = k * (PITCH_A / 4) + row;
            uint b_place = B_CELLS + k * (PITCH_B / 4) + column;
            add_products(cells[a_place], cells[ROWS > 4 ? a_place + TILE_M / 8 : a_place], cells[b_place],
                         cells[COLUMNS > 4 ? b_place + TILE_N / 8 : b_place]);
        }
    }
    [[dont_unroll]] for (uint r = 0; r < ROWS; ++r) {
        vec4 low;
        vec4 high;
        take_row(r, low, high);
        barrier();
        cells[row * (TILE_N / 4) + column] = low;
        if (COLUMNS > 4)
            cells[row * (TILE_N / 4) + TILE_N / 8 + column] = high;
        barrier();
        [[dont_unroll]] for (uint cell = slot; cell < ROW_CELLS; cell += gl_WorkGroupSize.x) {
            uint m = cell / (TILE_N / 4) * 4 + (r & 3) + (r < 4 ? 0 : TILE_M / 2);
            store_four(m_first + m, n_first + cell % (TILE_N / 4) * 4, cells[cell]);
        }
    }
}

// Tiles go by bands of so many rows of them, down each column, so that those at work at once share what they read.
const uint BAND = 8;

void find_tile(uint tile, out uint m, out uint n)
{
    uint band = tile / (BAND * parameters.tiles_n);
    uint rest = tile - band * BAND * parameters.tiles_n;
    uint height = min(BAND, parameters.tiles_m - band * BAND);
    n = rest / height;
    m = band * BAND + rest - n * height;
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
    uint unit = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (unit >= parameters.unit_count)
        return;
    uint batch = unit / tiles;
    uint rest = unit - batch * tiles;
    find_batch(batch);
    if (JOINS) { // neighbours have neighbouring columns
        uint m = rest / parameters.tiles_n;
        join(m * TILE_M, (rest - m * parameters.tiles_n) * TILE_N);
    } else { // .. or rows, so that they load the same columns
        uint n = rest / parameters.tiles_m;
        clear_sums();
        make_block((rest - n * parameters.tiles_m) * TILE_M, n * TILE_N);
    }
}
