// A workgroup makes a tile of TILE_M x TILE_N sums, an invocation ROWS x COLUMNS of them in registers; of a CPU an
// invocation makes them alone. Who includes this says how products of bytes are added up: by DOT_PRODUCT(a, b) of
// words, or in FLOAT32, whose sums are exact while they are few.

// Row i of an invocation is so many rows behind its first: neighbours have neighbouring ones.
const uint ROW_STEP = TILE_M / ROWS;
const uint COLUMN_STEP = TILE_N / COLUMNS;

// Vectors along lines that are in shared memory at once.
const uint TILE_K = 4;

int sums[ROWS * COLUMNS];
uvec4 a_part[ROWS];
uvec4 b_part[COLUMNS];

void clear_sums()
{
    [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i)
        sums[i] = 0;
}

#ifdef DOT_PRODUCT
void begin_parts()
{
}

void end_parts()
{
}

void add_products()
{
    [[unroll]] for (uint i = 0; i < ROWS; ++i) {
        [[unroll]] for (uint j = 0; j < COLUMNS; ++j) {
            [[unroll]] for (uint w = 0; w < 4; ++w)
                sums[i * COLUMNS + j] += DOT_PRODUCT(a_part[i][w], b_part[j][w]);
        }
    }
}
#else
// Sums of up to 1024 products of signed bytes are integers of up to 2^24, which FLOAT32 holds exactly, fused or not.
float parts[ROWS * COLUMNS];

void begin_parts()
{
    [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i)
        parts[i] = 0.0;
}

void end_parts()
{
    [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i)
        sums[i] += int(parts[i]);
}

vec4 numbers(uint word)
{
    int bits = int(word);
    return vec4(bitfieldExtract(bits, 0, 8), bitfieldExtract(bits, 8, 8), bitfieldExtract(bits, 16, 8), bits >> 24);
}

void add_words(uint w)
{
    vec4 b_numbers[COLUMNS];
    [[unroll]] for (uint j = 0; j < COLUMNS; ++j)
        b_numbers[j] = numbers(b_part[j][w]);
    [[unroll]] for (uint i = 0; i < ROWS; ++i) {
        vec4 x = numbers(a_part[i][w]);
        [[unroll]] for (uint j = 0; j < COLUMNS; ++j) {
            vec4 y = b_numbers[j];
            float part = fma(x.y, y.y, fma(x.x, y.x, parts[i * COLUMNS + j]));
            parts[i * COLUMNS + j] = fma(x.w, y.w, fma(x.z, y.z, part));
        }
    }
}

void add_products()
{
    add_words(0);
    add_words(1);
    add_words(2);
    add_words(3);
}
#endif

// Four sums of row i, which is no constant, from column j on.
ivec4 take_four(uint i, uint j)
{
    ivec4 four = ivec4(0);
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
            if (r == i && c / 4 == j / 4)
                four[c % 4] = sums[r * COLUMNS + c];
        }
    }
    return four;
}

// ---- a workgroup's tile ----

const uint PITCH_A = TILE_M + 1;
const uint PITCH_B = TILE_N + 1;
const uint B_CELLS = TILE_K * PITCH_A;
const uint CELLS = B_CELLS + TILE_K * PITCH_B;
const uint SUM_CELLS = ROW_STEP * TILE_N / 4;
shared uvec4 cells[EITHER(IS_SERIAL, IS_THIN) ? 1 : CELLS > SUM_CELLS ? CELLS : SUM_CELLS];

const uint A_LOADS = IS_THIN ? 1 : TILE_M * TILE_K / gl_WorkGroupSize.x;
const uint B_LOADS = IS_THIN ? 1 : TILE_N * TILE_K / gl_WorkGroupSize.x;

void make_tile(uint m_first, uint n_first)
{
    uint slot = gl_LocalInvocationIndex;
    uint row = slot / COLUMN_STEP;
    uint column = slot % COLUMN_STEP;
    uint a_lines[A_LOADS];
    uint b_lines[B_LOADS];
    [[unroll]] for (uint i = 0; i < A_LOADS; ++i)
        a_lines[i] = a_line(m_first + (slot + i * gl_WorkGroupSize.x) / TILE_K);
    [[unroll]] for (uint i = 0; i < B_LOADS; ++i)
        b_lines[i] = b_line(n_first + (slot + i * gl_WorkGroupSize.x) / TILE_K);
    uint lane = slot % TILE_K;
    for (uint k = 0; k * 4 < parameters.word_count; k += TILE_K) {
        uvec4 a_next[A_LOADS];
        uvec4 b_next[B_LOADS];
        [[unroll]] for (uint i = 0; i < A_LOADS; ++i)
            a_next[i] = a_vector(a_lines[i], k + lane);
        [[unroll]] for (uint i = 0; i < B_LOADS; ++i)
            b_next[i] = b_vector(b_lines[i], k + lane);
        barrier();
        [[unroll]] for (uint i = 0; i < A_LOADS; ++i)
            cells[lane * PITCH_A + (slot + i * gl_WorkGroupSize.x) / TILE_K] = a_next[i];
        [[unroll]] for (uint i = 0; i < B_LOADS; ++i)
            cells[B_CELLS + lane * PITCH_B + (slot + i * gl_WorkGroupSize.x) / TILE_K] = b_next[i];
        barrier();
        begin_parts();
        [[unroll]] for (uint v = 0; v < TILE_K; ++v) {
            [[unroll]] for (uint i = 0; i < ROWS; ++i)
                a_part[i] = cells[v * PITCH_A + row + i * ROW_STEP];
            [[unroll]] for (uint j = 0; j < COLUMNS; ++j)
                b_part[j] = cells[B_CELLS + v * PITCH_B + column + j * COLUMN_STEP];
            add_products();
        }
        end_parts();
    }
    // Through shared memory four columns side by side come to one invocation, a row of each at a time.
    [[dont_unroll]] for (uint i = 0; i < ROWS; ++i) {
        barrier();
        [[unroll]] for (uint j = 0; j < COLUMNS; j += 4) {
            ivec4 four = take_four(i, j);
            [[unroll]] for (uint v = 0; v < 4; ++v) {
                uint place = row * TILE_N + column + (j + v) * COLUMN_STEP;
                cells[place / 4][place % 4] = uint(four[v]);
            }
        }
        barrier();
        [[dont_unroll]] for (uint cell = slot; cell < SUM_CELLS; cell += gl_WorkGroupSize.x) {
            uint line = cell / (TILE_N / 4);
            store_four(m_first + i * ROW_STEP + line, n_first + cell % (TILE_N / 4) * 4, ivec4(cells[cell]));
        }
    }
}

// ---- an invocation's ----

// Turns of a loop whose FLOAT32 sums are exact.
const uint MOST_PARTS = 64;

void make_block(uint m, uint n)
{
    uint a_lines[ROWS];
    uint b_lines[COLUMNS];
    [[unroll]] for (uint i = 0; i < ROWS; ++i)
        a_lines[i] = a_line(m + i);
    [[unroll]] for (uint j = 0; j < COLUMNS; ++j)
        b_lines[j] = b_line(n + j);
    uint end = (parameters.word_count + 3) / 4;
    for (uint k_first = 0; k_first < end; k_first += MOST_PARTS) {
        begin_parts();
        [[dont_unroll]] for (uint k = k_first; k < min(k_first + MOST_PARTS, end); ++k) {
            [[unroll]] for (uint i = 0; i < ROWS; ++i)
                a_part[i] = a_vector(a_lines[i], k);
            [[unroll]] for (uint j = 0; j < COLUMNS; ++j)
                b_part[j] = b_vector(b_lines[j], k);
            add_products();
        }
        end_parts();
    }
    [[dont_unroll]] for (uint i = 0; i < ROWS; ++i) {
        [[dont_unroll]] for (uint j = 0; j < COLUMNS; j += 4)
            store_four(m + i, n + j, take_four(i, j));
    }
}

// ---- few rows ----

// A quarter of a workgroup reads a line of b once for all rows.
const uint LANES = gl_WorkGroupSize.x / 4;
shared int shares[IS_THIN ? ROWS * gl_WorkGroupSize.x : 1];

void make_thin(uint n)
{
    uint slot = gl_LocalInvocationIndex;
    uint lane = slot % LANES;
    uint a_lines[ROWS];
    [[unroll]] for (uint i = 0; i < ROWS; ++i)
        a_lines[i] = a_line(i);
    uint line = b_line(n + slot / LANES);
    for (uint k = lane; k * 4 < parameters.word_count; k += LANES) {
        [[unroll]] for (uint i = 0; i < ROWS; ++i)
            a_part[i] = a_vector(a_lines[i], k);
        b_part[0] = b_vector(line, k);
        begin_parts();
        add_products();
        end_parts();
    }
    [[unroll]] for (uint i = 0; i < ROWS; ++i)
        shares[i * gl_WorkGroupSize.x + slot] = sums[i * COLUMNS];
    [[dont_unroll]] for (uint others = LANES / 2; others > 0; others /= 2) {
        barrier();
        if (lane < others) {
            [[unroll]] for (uint i = 0; i < ROWS; ++i)
                shares[i * gl_WorkGroupSize.x + slot] += shares[i * gl_WorkGroupSize.x + slot + others];
        }
    }
    barrier();
    if (slot < ROWS) {
        uint first = slot * gl_WorkGroupSize.x;
        store_four(slot, n, ivec4(shares[first], shares[first + LANES], shares[first + 2 * LANES],
                                  shares[first + 3 * LANES]));
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint tiles = parameters.tiles_m * parameters.tiles_n;
    clear_sums();
    if (IS_THIN) {
        uint batch = group / parameters.tiles_n;
        find_batch(batch);
        make_thin((group - batch * parameters.tiles_n) * 4);
        return;
    }
    if (!IS_SERIAL) {
        uint batch = group / tiles;
        find_batch(batch);
        uint m;
        uint n;
        find_tile(group - batch * tiles, m, n);
        make_tile(m * TILE_M, n * TILE_N);
        return;
    }
    uint unit = group * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (unit >= parameters.unit_count)
        return;
    uint batch = unit / tiles;
    uint rest = unit - batch * tiles;
    find_batch(batch);
    uint n = rest / parameters.tiles_m; // neighbours have neighbouring rows, and load the same columns
    make_block((rest - n * parameters.tiles_m) * TILE_M, n * TILE_N);
}
