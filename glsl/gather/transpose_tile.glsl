// What the transposes by tiles in shared memory share. A kernel defines HELD_Y, the y's that its tile has room for, and
// includes this.
#ifndef VKDML_TRANSPOSE_TILE_GLSL
#define VKDML_TRANSPOSE_TILE_GLSL

const uint CHUNK = 4 * PACKED;                        // elements of 16 bytes
const uint COLUMNS = HELD_Y / PACKED;                 // y's that share a word
const uint VECTORS = TILE_X * UNIT / CHUNK;           // 16 bytes of a row of the input
const uint OUTPUT_WORDS = COLUMNS * UNIT;             // of a row of the output
const uint GROUPS = OUTPUT_WORDS / 4;                 // 16 bytes of it
const uint SPREAD = CHUNK > UNIT ? CHUNK / UNIT : 1;  // x's of a vector of the input
const uint SQUARES = VECTORS * COLUMNS;               // vectors of PACKED rows
const uint ABREAST = COLUMNS < 4 ? COLUMNS : 4;       // of them side by side

shared uvec4 tile[TILE_X * GROUPS];

// Where 16 bytes of row x lie: rows are rotated so that neither x nor group falls on one bank.
uint slot(uint x, uint group)
{
    return x * GROUPS + (group + x / SPREAD) % GROUPS;
}

// The column of a square, and its vector. Four columns are side by side, which together
// with rotated rows puts the words of 32 invocations on 32 banks.
uvec2 square_at(uint index)
{
    return uvec2(index % ABREAST + index / (ABREAST * VECTORS) * ABREAST, index / ABREAST % VECTORS);
}

void put_square(uint index, uvec4 first, uvec4 second, uvec4 third, uvec4 fourth)
{
    if (index >= SQUARES)
        return;
    uvec2 square = square_at(index);
    for (uint w = 0; w < 4; ++w) {
        uvec4 columns = transpose_square(uvec4(first[w], second[w], third[w], fourth[w]));
        uint word = square.y * 4 + w;
        uint place = square.x * UNIT + word % UNIT;
        for (uint row = 0; row < PACKED; ++row)
            tile[slot(word / UNIT * PACKED + row, place / 4)][place % 4] = columns[row];
    }
}

// The bits of a word that belong to a row of `count` elements, `lead` of which would precede it.
uint row_mask(uint word, uint lead, uint count)
{
    uint first = word * PACKED;
    if (first + PACKED <= lead || first >= lead + count)
        return 0;
    uint mask = 0xFFFFFFFFu;
    if (first < lead)
        mask <<= (lead - first) * ELEMENT_BITS;
    uint left = lead + count - first;
    if (left < PACKED)
        mask &= (1u << left * ELEMENT_BITS) - 1;
    return mask;
}

#endif
