// Tiles of tensors, by layouts of one kind. Types by number are all the same to the compiler, so functions are told apart by name.
#define LAYOUT spirv_type(ADDRESSING, id = 5370, RANK, CLAMPING)
spirv_instruction(ADDRESSING, id = 5372) LAYOUT OF(create_layout)();
spirv_instruction(ADDRESSING, id = 5373) LAYOUT OF(set_dimensions)(LAYOUT whole, uint outer, uint inner);
spirv_instruction(ADDRESSING, id = 5374) LAYOUT OF(set_strides)(LAYOUT whole, uint outer, uint inner);
spirv_instruction(ADDRESSING, id = 5375) LAYOUT OF(slice)(LAYOUT whole, uint outer, uint outer_size, uint inner, uint inner_size);

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
LOAD(A_TILE, OF(load_a), uvec4)
LOAD(B_TILE, OF(load_b), uvec4)
LOAD_VIEW(A_TILE, OF(view_a), uvec4)
LOAD_VIEW(B_TILE, OF(view_b), uvec4)
LOAD(HALF_TILE, OF(load_halves), uvec2)
LOAD(SUM_TILE, OF(load_sums), uvec4)
STORE(HALF_TILE, OF(store_halves), uvec2)
STORE(SUM_TILE, OF(store_sums), uvec4)
#undef LOAD
#undef LOAD_VIEW
#undef STORE

// A matrix of which so many elements side by side are one load: the driver is told by a stride that is a multiple of that.
LAYOUT OF(layout_of)(uint outer, uint inner, uint stride, uint side_by_side)
{
    return OF(set_strides)(OF(set_dimensions)(OF(create_layout)(), outer, inner), stride / side_by_side * side_by_side, 1);
}

SUM_TILE OF(multiply)(uint m_first, uint n_first)
{
    LAYOUT a_all = OF(layout_of)(A_ALONG_ROWS ? k_end : parameters.m, A_ALONG_ROWS ? parameters.m : k_end,
                                 A_ALONG_ROWS ? parameters.steps.y : parameters.steps.x, 8);
    LAYOUT b_all = OF(layout_of)(B_ALONG_ROWS ? k_end : parameters.n, B_ALONG_ROWS ? parameters.n : k_end,
                                 B_ALONG_ROWS ? parameters.steps.w : parameters.steps.z, 8);
    SUM_TILE sums = SUM_TILE(0.0);
    for (uint k = 0; k < k_count; k += TILE_K) {
        A_TILE a_part;
        B_TILE b_part;
        if (A_ALONG_ROWS)
            a_part = OF(view_a)(a_vectors.vectors[a_first / 8], a_part, OF(slice)(a_all, k, TILE_K, m_first, TILE_M), 0, 1, create_view());
        else
            a_part = OF(load_a)(a_vectors.vectors[a_first / 8], a_part, OF(slice)(a_all, m_first, TILE_M, k, TILE_K), 0, 0);
        if (B_ALONG_ROWS)
            b_part = OF(load_b)(b_vectors.vectors[b_first / 8], b_part, OF(slice)(b_all, k, TILE_K, n_first, TILE_N), 0, 0);
        else
            b_part = OF(view_b)(b_vectors.vectors[b_first / 8], b_part, OF(slice)(b_all, n_first, TILE_N, k, TILE_K), 0, 1, create_view());
        sums = coopMatMulAdd(a_part, b_part, sums);
    }
    return sums;
}

#undef LAYOUT
#undef OF
#undef CLAMPING
