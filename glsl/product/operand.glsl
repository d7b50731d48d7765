// Four elements of an operand, of "rows" (columns, of b) from `row` on and of `k` on: along rows, or along k. Rows
// beyond the last are the last, for nothing is stored of them; what lies beyond k_end is 0. Where they are one load
// extents are multiples of four.
float ONE(uint row, uint k)
{
    uint element = FIRST + min(row, EXTENT - 1) * ROW_STEP + min(k, k_end - 1) * K_STEP;
    return mix(0.0, LOAD_ELEMENT(element), k < k_end);
}

vec4 FOUR(uint row, uint k)
{
    if ((LAYOUT & VECTORS) != 0) {
        bool along_rows = (LAYOUT & ALONG_ROWS) != 0;
        uint r = min(row, EXTENT - (along_rows ? 4 : 1));
        uint element = FIRST + r * ROW_STEP + min(k, k_end - (along_rows ? 1 : 4)) * K_STEP;
        return mix(vec4(0.0), LOAD_VECTOR(element), bvec4(k < k_end));
    }
    if ((LAYOUT & ALONG_ROWS) != 0)
        return vec4(ONE(row, k), ONE(row + 1, k), ONE(row + 2, k), ONE(row + 3, k));
    return vec4(ONE(row, k), ONE(row, k + 1), ONE(row, k + 2), ONE(row, k + 3));
}

#undef ONE
#undef FOUR
#undef LOAD_ELEMENT
#undef LOAD_VECTOR
#undef LAYOUT
#undef FIRST
#undef EXTENT
#undef ROW_STEP
#undef K_STEP
