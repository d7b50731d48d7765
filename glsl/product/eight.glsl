// Eight FLOAT16 of an operand, of what operand.glsl has four of; where they are one load extents are multiples of eight.
uvec4 EIGHT(uint row, uint k)
{
    if (IN_EIGHTS) {
        uint r = min(row, EXTENT - (RUNS_ALONG_ROWS ? 8 : 1));
        uint element = FIRST + r * ROW_STEP + min(k, k_end - (RUNS_ALONG_ROWS ? 1 : 8)) * K_STEP;
        return mix(uvec4(0), VIEW.vectors[element / 8], bvec4(k < k_end));
    }
    f16vec4 low = f16vec4(FOUR(row, k));
    f16vec4 high = f16vec4(RUNS_ALONG_ROWS ? FOUR(row + 4, k) : FOUR(row, k + 4));
    return uvec4(packFloat2x16(low.xy), packFloat2x16(low.zw), packFloat2x16(high.xy), packFloat2x16(high.zw));
}

#undef EIGHT
#undef FOUR
#undef VIEW
#undef IN_EIGHTS
#undef RUNS_ALONG_ROWS
#undef FIRST
#undef EXTENT
#undef ROW_STEP
#undef K_STEP
