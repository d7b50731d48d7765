// Eight FLOAT16 of an operand that are one load, of what operand.glsl has four of: extents are multiples of eight.
uvec4 EIGHT(uint row, uint k)
{
    uint r = min(row, EXTENT - (RUNS_ALONG_ROWS ? 8 : 1));
    uint element = FIRST + r * ROW_STEP + min(k, k_end - (RUNS_ALONG_ROWS ? 1 : 8)) * K_STEP;
    return mix(uvec4(0), VIEW.vectors[element / 8], bvec4(k < k_end));
}

#undef EIGHT
#undef VIEW
#undef RUNS_ALONG_ROWS
#undef FIRST
#undef EXTENT
#undef ROW_STEP
#undef K_STEP
