// One operand of a map kernel: included once for each, with its NAME, its SLOT and its TYPE.
#define OF(name) PASTE(name, NAME)
#if SLOT < 3
#define FIRST      parameters.firsts[SLOT]
#define ROW_STRIDE parameters.row_strides[SLOT]
#define BASE_BYTES push.base_bytes[SLOT + 1]
#else
#define FIRST      parameters.more_firsts[SLOT - 3]
#define ROW_STRIDE parameters.more_row_strides[SLOT - 3]
#define BASE_BYTES push.more_base_bytes[SLOT - 3]
#endif

BUFFER_OF_WORDS(SLOT + 2, readonly, OF(Operand_), OF(words_));
BUFFER_OF_VECTORS(SLOT + 2, readonly, OF(OperandVectors_), OF(vectors_));

const uint OF(ROWS_) = ROWS >> (4 * SLOT) & 7u;
const bool OF(IS_ALIGNED_) = (ROWS >> (4 * SLOT) & ALIGNED) != 0;
const uint OF(BITS_) = BITS_OF(TYPE);
const uint OF(MASK_) = OF(BITS_) < 32 ? (1u << (OF(BITS_) & 31u)) - 1u : 0xFFFFFFFFu;
const uint OF(ITEM_BITS_) = ITEM * OF(BITS_);
const bool OF(SIGNS_OF_) = IS_SIGNED(TYPE);
const bool OF(IS_HALF_) = TYPE == FLOAT16;
const bool OF(EXTENDS_) = BOTH(OF(SIGNS_OF_), OF(BITS_) < 32);
const bool OF(HAS_TENSOR_) = BOTH(OF(ROWS_) != ABSENT, OF(ROWS_) != INDEX);

uvec4 OF(packed_)[2]; // the elements of an item, as they lie in memory
ELEMENT OF(element_); // one, its bits in the low ones
uint OF(index_);      // of INDEX: the item's first element, or that of compute_element()

// The bits of the element at a distance from the operand's first.
ELEMENT OF(load_element_)(uint distance)
{
    uint offset = distance + FIRST;
    uint base = BASE_BYTES >> 2;
#ifdef IS_WIDE
    if (OF(BITS_) == 64)
        return uvec2(OF(words_).words[base + offset * 2], OF(words_).words[base + offset * 2 + 1]);
#endif
    uint packed = 32 / min(OF(BITS_), 32u);
    uint word = OF(words_).words[base + offset / packed];
#ifdef IS_WIDE
    return uvec2((word >> (offset % packed) * OF(BITS_)) & OF(MASK_), 0);
#else
    return (word >> (offset % packed) * OF(BITS_)) & OF(MASK_);
#endif
}

#ifndef ALL_ARE_FLOATS
// 32 bits of memory from any byte on.
uint OF(load_word_)(uint byte)
{
    uint shift = (byte & 3) * 8;
    uint word = OF(words_).words[byte >> 2];
    if (!OF(IS_ALIGNED_) && shift != 0)
        word = (word >> shift) | (OF(words_).words[(byte >> 2) + 1] << (32 - shift));
    return word;
}
#endif

uvec4 OF(load_vector_)(uint byte)
{
    if (OF(IS_ALIGNED_) || (byte & 15) == 0)
        return OF(vectors_).vectors[byte >> 4];
    uint word = byte >> 2;
    uvec4 bits = uvec4(OF(words_).words[word], OF(words_).words[word + 1], OF(words_).words[word + 2],
                       OF(words_).words[word + 3]);
    uint shift = (byte & 3) * 8;
    if (shift != 0)
        bits = (bits >> shift) | (uvec4(bits.yzw, OF(words_).words[word + 4]) << (32 - shift));
    return bits;
}

// An item of elements side by side.
void OF(load_dense_)(uint distance)
{
    uint offset = distance + FIRST;
    uint byte = BASE_BYTES + (OF(BITS_) < 8 ? offset / 2 : offset * (OF(BITS_) / 8));
#ifdef ALL_ARE_FLOATS
    OF(packed_)[0] = OF(load_vector_)(byte);
#else
    if (OF(ITEM_BITS_) >= 128) {
        OF(packed_)[0] = OF(load_vector_)(byte);
        if (OF(ITEM_BITS_) > 128)
            OF(packed_)[1] = OF(load_vector_)(byte + 16);
    } else if (OF(ITEM_BITS_) == 64) {
        OF(packed_)[0].xy = uvec2(OF(load_word_)(byte), OF(load_word_)(byte + 4));
    } else if (OF(ITEM_BITS_) == 32) {
        OF(packed_)[0].x = OF(load_word_)(byte);
    } else {
        // Less than a word; it lies in one where it begins at a multiple of its size.
        uint shift = (byte & 3) * 8;
        uint word = OF(words_).words[byte >> 2] >> shift;
        if (!OF(IS_ALIGNED_) && shift + OF(ITEM_BITS_) > 32)
            word |= OF(words_).words[(byte >> 2) + 1] << (32 - shift);
        OF(packed_)[0].x = word;
    }
#endif
}

// Puts an element into its place among the packed.
void OF(insert_)(uint k, ELEMENT bits)
{
#ifdef ALL_ARE_FLOATS
    if (!OF(IS_HALF_))
        OF(packed_)[0][k] = bits;
    else if ((k & 1) == 0)
        OF(packed_)[0][k >> 1] = bits;
    else
        OF(packed_)[0][k >> 1] |= bits << 16;
#else
    uint at = k * OF(BITS_);
    uint word = at >> 5;
#ifdef IS_WIDE
    if (OF(BITS_) == 64) {
        OF(packed_)[word >> 2][word & 3] = bits.x;
        OF(packed_)[word >> 2][(word & 3) + 1] = bits.y;
        return;
    }
    uint low = bits.x;
#else
    uint low = bits;
#endif
    if (OF(BITS_) == 32)
        OF(packed_)[word >> 2][word & 3] = low;
    else if ((at & 31) == 0)
        OF(packed_)[word >> 2][word & 3] = low;
    else
        OF(packed_)[word >> 2][word & 3] |= low << (at & 31);
#endif
}

// An item all in one row, from the row's distance and a place in it.
void OF(load_item_)(uint row, uint x)
{
    if (OF(ROWS_) == DENSE) {
        OF(load_dense_)(row + x);
    } else if (OF(ROWS_) == REPEATED) {
        ELEMENT bits = OF(load_element_)(row);
        [[unroll]] for (uint k = 0; k < ITEM; ++k)
            OF(insert_)(k, bits);
    } else if (OF(ROWS_) == APART) {
        [[unroll]] for (uint k = 0; k < ITEM; ++k)
            OF(insert_)(k, OF(load_element_)(row + (x + k) * ROW_STRIDE));
#ifndef ALL_ARE_FLOATS
    } else if (OF(ROWS_) == INDEX) {
        OF(index_) = row + x * ROW_STRIDE + FIRST;
#endif
    }
}

// The element at a place in a row.
void OF(load_single_)(uint row, uint x)
{
    uint distance = row + x * ROW_STRIDE;
#ifndef ALL_ARE_FLOATS
    if (OF(ROWS_) == INDEX)
        OF(index_) = distance + FIRST;
#endif
    if (OF(HAS_TENSOR_))
        OF(element_) = OF(load_element_)(distance);
}

// Puts an element of a row into its place in the item.
void OF(load_into_)(uint k, uint row, uint x)
{
    if (OF(HAS_TENSOR_))
        OF(insert_)(k, OF(load_element_)(row + x * ROW_STRIDE));
}

#ifdef ALL_ARE_FLOATS
// Elements k and k + 1 of the item, expanded.
uvec2 OF(pair_)(uint k)
{
    if (OF(IS_HALF_))
        return widen_halves(OF(packed_)[0][k >> 1]);
    return uvec2(OF(packed_)[0][k], OF(packed_)[0][k + 1]);
}

// compute_element()'s, expanded.
uint OF(single_)()
{
    return OF(IS_HALF_) ? widen_half(OF(element_)) : OF(element_);
}
#elif !defined(IS_WIDE)
// Elements k and k + 1 of the item, expanded.
uvec2 OF(pair_)(uint k)
{
    if (OF(ROWS_) == ABSENT)
        return uvec2(0);
    if (OF(ROWS_) == INDEX)
        return OF(index_) + uvec2(k, k + 1) * ROW_STRIDE;
    uint at = k * OF(BITS_);
    uint word = OF(packed_)[at >> 7][at >> 5 & 3];
    if (OF(BITS_) == 32)
        return uvec2(word, OF(packed_)[at >> 7][(at >> 5 & 3) + 1]);
    if (OF(IS_HALF_))
        return widen_halves(word);
    ivec2 places = ivec2(at & 31) + ivec2(0, OF(BITS_));
    if (OF(SIGNS_OF_))
        return uvec2(bitfieldExtract(int(word), places.x, int(OF(BITS_))),
                     bitfieldExtract(int(word), places.y, int(OF(BITS_))));
    return uvec2(bitfieldExtract(word, places.x, int(OF(BITS_))), bitfieldExtract(word, places.y, int(OF(BITS_))));
}

// compute_element()'s, expanded.
uint OF(single_)()
{
    if (OF(ROWS_) == ABSENT)
        return 0;
    if (OF(ROWS_) == INDEX)
        return OF(index_);
    if (OF(IS_HALF_))
        return widen_half(OF(element_));
    if (OF(EXTENDS_))
        return uint(bitfieldExtract(int(OF(element_)), 0, int(OF(BITS_))));
    return OF(element_);
}
#else
// The element in a place among the packed.
uvec2 OF(extract_)(uint k)
{
    uint at = k * OF(BITS_);
    uint word = at >> 5;
    if (OF(BITS_) == 64)
        return uvec2(OF(packed_)[word >> 2][word & 3], OF(packed_)[word >> 2][(word & 3) + 1]);
    return uvec2((OF(packed_)[word >> 2][word & 3] >> (at & 31)) & OF(MASK_), 0);
}

// Element k of the item.
uvec2 OF(item_)(uint k)
{
    if (OF(ROWS_) == ABSENT)
        return uvec2(0);
    if (OF(ROWS_) == INDEX)
        return uvec2(OF(index_) + k * ROW_STRIDE, 0);
    return OF(extract_)(k);
}

// compute_element()'s.
uvec2 OF(single_)()
{
    return OF(ROWS_) == INDEX ? uvec2(OF(index_), 0) : OF(element_);
}
#endif

#ifdef HAS_PROGRAM
// Puts the next two elements of the item where the first two are.
void OF(advance_)()
{
    if (OF(BITS_) == 32)
        OF(packed_)[0] = OF(packed_)[0].zwxy;
    else if (OF(BITS_) == 16)
        OF(packed_)[0] = OF(packed_)[0].yzwx;
    else
        OF(packed_)[0] = OF(packed_)[0] >> 16 | OF(packed_)[0].yzwx << 16;
}
#endif

#undef FIRST
#undef ROW_STRIDE
#undef BASE_BYTES
#undef OF
#undef NAME
#undef SLOT
#undef TYPE
