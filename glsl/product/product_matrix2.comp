// Matrix products by matrix cores as a workgroup uses them (VK_NV_cooperative_matrix2): the driver loads operands by their strides,
// and keeps them where it likes. Of FLOAT16 only, of which eight lie side by side, as four of the output and of c do. glslang has
// had names for its instructions since 15.1; here they have the numbers of SPV_NV_cooperative_matrix2 and SPV_NV_tensor_addressing.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_spirv_intrinsics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#include "product.glsl"
#include "store.glsl"

const bool A_ALONG_ROWS = (LAYOUT_A & ALONG_ROWS) != 0;
const bool B_ALONG_ROWS = (LAYOUT_B & ALONG_ROWS) != 0;

#define A_TILE coopmat<float16_t, gl_ScopeWorkgroup, TILE_M, TILE_K, gl_MatrixUseA>
#define B_TILE coopmat<float16_t, gl_ScopeWorkgroup, TILE_K, TILE_N, gl_MatrixUseB>
#define HALF_TILE coopmat<float16_t, gl_ScopeWorkgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator>
#define SUM_TILE coopmat<float, gl_ScopeWorkgroup, TILE_M, TILE_N, gl_MatrixUseAccumulator>

// Of two dimensions; what lies beyond is 0, and is not written. A view exchanges them.
const uint RANK = 2;
const uint CONSTANT = 1;
const bool HAS_DIMENSIONS = false;
const uint SECOND = 1;
const uint FIRST_ = 0;
#define ADDRESSING extensions = ["SPV_NV_tensor_addressing"], capabilities = [5439]
#define MATRIX2 extensions = ["SPV_NV_cooperative_matrix2"], capabilities = [5433]
#define LAYOUT spirv_type(ADDRESSING, id = 5370, RANK, CONSTANT)
#define VIEW spirv_type(ADDRESSING, id = 5371, RANK, HAS_DIMENSIONS, SECOND, FIRST_)
spirv_instruction(ADDRESSING, id = 5372) LAYOUT create_layout();
spirv_instruction(ADDRESSING, id = 5373) LAYOUT set_dimensions(LAYOUT whole, uint outer, uint inner);
spirv_instruction(ADDRESSING, id = 5374) LAYOUT set_strides(LAYOUT whole, uint outer, uint inner);
spirv_instruction(ADDRESSING, id = 5375) LAYOUT slice(LAYOUT whole, uint outer, uint outer_size, uint inner, uint inner_size);
spirv_instruction(ADDRESSING, id = 5377) VIEW create_view();

// Loads of what `at` begins: what was there before, the layout, no memory operands, and 1 where there is a view.
#define LOAD(Tile, name, Unit)                                                                                         \
    spirv_instruction(MATRIX2, id = 5367) Tile name(spirv_by_reference Unit at, Tile before, LAYOUT part,              \
                                                    spirv_literal uint memory, spirv_literal uint addressing);
#define LOAD_VIEW(Tile, name, Unit)                                                                                    \
    spirv_instruction(MATRIX2, id = 5367) Tile name(spirv_by_reference Unit at, Tile before, LAYOUT part,              \
                                                    spirv_literal uint memory, spirv_literal uint addressing, VIEW view);
#define STORE(Tile, name, Unit)                                                                                        \
    spirv_instruction(MATRIX2, id = 5368) void name(spirv_by_reference Unit at, Tile tile, LAYOUT part,                \
                                                    spirv_literal uint memory, spirv_literal uint addressing);
LOAD(A_TILE, load_a, uvec4)
LOAD_VIEW(A_TILE, load_a, uvec4)
LOAD(B_TILE, load_b, uvec4)
LOAD_VIEW(B_TILE, load_b, uvec4)
LOAD(HALF_TILE, load_halves, uvec2)
LOAD(SUM_TILE, load_sums, uvec4)
STORE(HALF_TILE, store_halves, uvec2)
STORE(SUM_TILE, store_sums, uvec4)

// A matrix of which so many elements side by side are one load: the driver is told by a stride that is a multiple of that.
LAYOUT layout_of(uint outer, uint inner, uint stride, uint side_by_side)
{
    return set_strides(set_dimensions(create_layout(), outer, inner), stride / side_by_side * side_by_side, 1);
}

SUM_TILE multiply(uint m_first, uint n_first)
{
    LAYOUT a_whole = layout_of(A_ALONG_ROWS ? k_end : parameters.m, A_ALONG_ROWS ? parameters.m : k_end,
                               A_ALONG_ROWS ? parameters.steps.y : parameters.steps.x, 8);
    LAYOUT b_whole = layout_of(B_ALONG_ROWS ? k_end : parameters.n, B_ALONG_ROWS ? parameters.n : k_end,
                               B_ALONG_ROWS ? parameters.steps.w : parameters.steps.z, 8);
    SUM_TILE sums = SUM_TILE(0.0);
    for (uint k = 0; k < k_count; k += TILE_K) {
        A_TILE a_part;
        B_TILE b_part;
        if (A_ALONG_ROWS)
            a_part = load_a(a_vectors.vectors[a_first / 8], a_part, slice(a_whole, k, TILE_K, m_first, TILE_M), 0, 1, create_view());
        else
            a_part = load_a(a_vectors.vectors[a_first / 8], a_part, slice(a_whole, m_first, TILE_M, k, TILE_K), 0, 0);
        if (B_ALONG_ROWS)
            b_part = load_b(b_vectors.vectors[b_first / 8], b_part, slice(b_whole, k, TILE_K, n_first, TILE_N), 0, 0);
        else
            b_part = load_b(b_vectors.vectors[b_first / 8], b_part, slice(b_whole, n_first, TILE_N, k, TILE_K), 0, 1, create_view());
        sums = coopMatMulAdd(a_part, b_part, sums);
    }
    return sums;
}

SUM_TILE c_tile(uint m_first, uint n_first)
{
    LAYOUT part = slice(layout_of(parameters.m, parameters.n, parameters.more_steps.x, 4), m_first, TILE_M, n_first, TILE_N);
    HALF_TILE narrow;
    SUM_TILE wide;
    if (TYPE_C == FLOAT16)
        return SUM_TILE(load_halves(c_pairs.pairs[c_first / 4], narrow, part, 0, 0));
    return load_sums(c_vectors.vectors[c_first / 4], wide, part, 0, 0);
}

uint activated_one(uint x)
{
    bool good = true;
    uint y = float_function_fast(x, good);
    return good ? y : float_function_slow(x);
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
    m *= TILE_M;
    n *= TILE_N;
    SUM_TILE sums = multiply(m, n);
    if (!TO_SUMS) {
        sums = uintBitsToFloat(parameters.alpha) * sums;
        if (HAS_C)
            sums = sums + uintBitsToFloat(parameters.beta) * c_tile(m, n);
        if (FUNCTION != FN_NONE) {
            [[unroll]] for (uint i = 0; i < sums.length(); ++i)
                sums[i] = uintBitsToFloat(activated_one(floatBitsToUint(sums[i])));
        }
    }
    LAYOUT part = slice(layout_of(parameters.m, parameters.n, parameters.more_steps.z, 4), m, TILE_M, n, TILE_N);
    if (TYPE_OUT == FLOAT16) {
        HALF_TILE halves = HALF_TILE(sums);
        [[unroll]] for (uint i = 0; i < sums.length(); ++i)
            halves[i] = is_nan(floatBitsToUint(sums[i])) ? unpackFloat2x16(0x7E00).x : halves[i];
        store_halves(destination_pairs.pairs[out_first / 4], halves, part, 0, 0);
    } else {
        if (!TO_SUMS) {
            [[unroll]] for (uint i = 0; i < sums.length(); ++i)
                sums[i] = uintBitsToFloat(canonical(floatBitsToUint(sums[i])));
        }
        store_sums(destination_vectors.vectors[out_first / 4], sums, part, 0, 0);
    }
}
