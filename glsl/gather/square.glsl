// Squares of elements in words. A kernel defines PACKED, the elements of a word, and includes this.
#ifndef VKDML_SQUARE_GLSL
#define VKDML_SQUARE_GLSL

// Exchanges rows and columns of a square of elements, a word a row.
uvec4 transpose_square(uvec4 rows)
{
    if (PACKED == 2)
        return uvec4((rows.x & 0xFFFFu) | (rows.y << 16), (rows.x >> 16) | (rows.y & 0xFFFF0000u), 0, 0);
    if (PACKED == 4) {
        uvec2 even = (rows.xz & 0x00FF00FFu) | ((rows.yw & 0x00FF00FFu) << 8);
        uvec2 odd = ((rows.xz >> 8) & 0x00FF00FFu) | (rows.yw & 0xFF00FF00u);
        return uvec4((even.x & 0xFFFFu) | (even.y << 16), (odd.x & 0xFFFFu) | (odd.y << 16),
                     (even.x >> 16) | (even.y & 0xFFFF0000u), (odd.x >> 16) | (odd.y & 0xFFFF0000u));
    }
    return rows;
}

// 32 of 64 bits, from bit `shift` on, less than 32.
uint funnel(uint low, uint high, uint shift)
{
    return (low >> shift) | ((high << 1) << (31 - shift));
}

#endif
