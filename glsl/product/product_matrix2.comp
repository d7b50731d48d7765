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

// Of two dimensions. What lies beyond a layout's ends is 0, and is not written; of a whole one nothing does. A view exchanges them.
const bool TILES_ARE_WHOLE = (SHAPE & 32768u) != 0;
const uint RANK = 2;
const uint UNDEFINED = 0;
const uint CONSTANT = 1;
const bool HAS_DIMENSIONS = false;
const uint SECOND = 1;
const uint FIRST_ = 0;
#define ADDRESSING extensions = ["SPV_NV_tensor_addressing"], capabilities = [5439]
#define MATRIX2 extensions = ["SPV_NV_cooperative_matrix2"], capabilities = [5433]
#define VIEW spirv_type(ADDRESSING, id = 5371, RANK, HAS_DIMENSIONS, SECOND, FIRST_)
spirv_instruction(ADDRESSING, id = 5377) VIEW create_view();

#define OF(name) name
#define CLAMPING CONSTANT
#include "tensor_tiles.glsl"

#define OF(name) name##_whole
#define CLAMPING UNDEFINED
#include "tensor_tiles.glsl"

SUM_TILE c_tile(uint m_first, uint n_first)
{
    spirv_type(ADDRESSING, id = 5370, RANK, CONSTANT) part = slice(layout_of(parameters.m, parameters.n, parameters.more_steps.x, 4), m_first, TILE_M, n_first, TILE_N);
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
    SUM_TILE sums;
    if (TILES_ARE_WHOLE)
        sums = multiply_whole(m, n);
    else
        sums = multiply(m, n);
    if (!TO_SUMS) {
        sums = uintBitsToFloat(parameters.alpha) * sums;
        if (HAS_C)
            sums = sums + uintBitsToFloat(parameters.beta) * c_tile(m, n);
        if (FUNCTION != FN_NONE) {
            [[unroll]] for (uint i = 0; i < sums.length(); ++i)
                sums[i] = uintBitsToFloat(activated_one(floatBitsToUint(sums[i])));
        }
    }
    spirv_type(ADDRESSING, id = 5370, RANK, CONSTANT) part = slice(layout_of(parameters.m, parameters.n, parameters.more_steps.z, 4), m, TILE_M, n, TILE_N);
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
