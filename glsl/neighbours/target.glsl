// Where an item is, and how it is stored: the second half of neighbours.glsl.
#ifndef VKDML_NEIGHBOURS_TARGET_GLSL
#define VKDML_NEIGHBOURS_TARGET_GLSL

// ---- where an item is ----

uint source_base;
uint own_base;
uint target_base;
uint x;            // of the item's first element; wraps around 0 before the row
// c + start, of each walk; of pools the coordinate of the source that the first step leads to, modulo 2^32
uint positions[6];
uint ring_begin;
uint place_base;   // of pools
uint operand_base; // of an epilogue

// In C: VKDML_NEIGHBOURS_...
const uint NO_WALK = 15;
const uint RING_DIMENSION = RING >> 8;

uint walk_of(uint d)
{
    return WALK_OF >> (4 * d) & 15u;
}

bool is_in_row(uint v)
{
    return ITEMS_ARE_WHOLE || x + v < parameters.row_length;
}

bool is_whole()
{
    return ITEMS_ARE_WHOLE || (x < parameters.row_length && parameters.row_length - x >= V);
}

void find_item(uint item)
{
    source_base = parameters.source_first + push.base_bytes[0] * 8 / BITS;
    own_base = parameters.own_first + push.base_bytes[OWN_BUFFER] * 8 / BITS_OWN;
    target_base = parameters.target_first + push.base_bytes[1] * 8 / BITS_OUT;
#ifdef POOLS
    place_base = parameters.place_first;
#endif
#ifdef HAS_EPILOGUES
    if (HAS_OPERAND)
        operand_base = parameters.operand_first + push.base_bytes[3] * 8 / OPERAND_BITS;
#endif
    uint rest = RANK > 1 ? divide(item, parameters.row_divisor.x, parameters.row_divisor.y) : 0;
    x = item - rest * parameters.items_per_row;
    for (uint n = 1; n < RANK; ++n) {
        uint d = RANK - 1 - n;
        TAKE_COORDINATE(coordinate, rest, d == 0, parameters.sizes[d].x, parameters.sizes[d].y, parameters.sizes[d].z)
        if (RING != 0 && d == RING_DIMENSION) {
            coordinate *= parameters.share;
            ring_begin = coordinate;
        }
        own_base += coordinate * parameters.own_strides[d / 4][d % 4];
        target_base += coordinate * parameters.target_strides[d / 4][d % 4];
#ifdef HAS_EPILOGUES
        if (HAS_OPERAND)
            operand_base += coordinate * parameters.operand_strides[d / 4][d % 4];
#endif
        uint walk = walk_of(d);
        if (walk == NO_WALK)
            source_base += coordinate * parameters.sizes[d].w;
        else
#ifdef POOLS
            positions[walk] = coordinate * parameters.walks[2 * walk + 1].x + parameters.walks[2 * walk].x;
        if (walk == NO_WALK)
            place_base += coordinate * parameters.place_strides[d / 4][d % 4];
#else
            positions[walk] = coordinate + parameters.walks[VECTORS_PER_WALK * walk].x;
#endif
    }
    if (V > 1)
        x = x * V - (EITHER(IS_LOOSE, ITEMS_ARE_WHOLE) ? 0 : target_base % V);
}

// ---- the target ----

uint narrow(uint value)
{
    return TYPE_OUT == FLOAT16 ? narrow_to_half(value) : value;
}

// Other invocations may own the word's other bits, so only the bits that change are flipped, in one atomic.
void flip(uint index, uint bits, uint mask)
{
    uint old = atomicOr(destination.words[index], 0);
    atomicXor(destination.words[index], (old ^ bits) & mask);
}

void store_element(uint element, uvec2 bits)
{
    if (BITS_OUT == 64) {
        destination.words[element * 2] = bits.x;
        destination.words[element * 2 + 1] = bits.y;
    } else if (BITS_OUT < 32) {
        uint mask = (1u << (BITS_OUT & 31u)) - 1u;
        uint shift = element % OUT_PER_WORD * BITS_OUT;
        flip(element / OUT_PER_WORD, narrow(bits.x) << shift, mask << shift);
    } else {
        destination.words[element] = bits.x;
    }
}

uvec2 halves_of(uvec4 values)
{
    if (TYPE_OUT == FLOAT16) {
        bool good = true;
        uvec2 words = uvec2(narrow_to_halves(values.xy, good), narrow_to_halves(values.zw, good));
        if (good)
            return words;
        values = uvec4(narrow_to_half(values.x), narrow_to_half(values.y), narrow_to_half(values.z),
                       narrow_to_half(values.w));
    }
    return (values.xz & 0xFFFF) | values.yw << 16;
}

uint value_at(Values values, uint v)
{
    return v < 4 ? values.a[v] : values.b[v & 3];
}

// Four floats of 32 bits, or eight of 16.
void store_loose(uint element, Values values)
{
    if (BITS_OUT == 32) {
        destination.words[element] = values.a.x;
        destination.words[element + 1] = values.a.y;
        destination.words[element + 2] = values.a.z;
        destination.words[element + 3] = values.a.w;
        return;
    }
    uvec4 words = uvec4(halves_of(values.a), halves_of(values.b));
    uint index = element / 2;
    if ((element & 1) != 0) {
        flip(index, words.x << 16, 0xFFFF0000u);
        flip(index + 4, words.w >> 16, 0xFFFFu);
        destination.words[index + 1] = words.x >> 16 | words.y << 16;
        destination.words[index + 2] = words.y >> 16 | words.z << 16;
        destination.words[index + 3] = words.z >> 16 | words.w << 16;
    } else {
        destination.words[index] = words.x;
        destination.words[index + 1] = words.y;
        destination.words[index + 2] = words.z;
        destination.words[index + 3] = words.w;
    }
}

#ifdef HAS_EPILOGUES
// A maximum's bits are moved as those of an integer, and are elements already; other results are narrowed when they are
// stored.
const bool MOVES_HALVES = BOTH(BITS_OUT == 16, TYPE_OUT != FLOAT16);

uvec4 ended_four(uvec4 results, uint v)
{
    uvec4 places = uvec4(0);
    if (V == 1)
        results = results.xxxx;
    if (HAS_OPERAND) {
        uvec4 at = V > 1 ? min(x + v + uvec4(0, 1, 2, 3), uvec4(parameters.row_length - 1)) : uvec4(x);
        places = operand_base + at * parameters.operand_strides[(RANK - 1) / 4][(RANK - 1) % 4];
    }
    if (MOVES_HALVES)
        return ended(results, places);
    return expanded(ended(RESULT_TYPE == FLOAT16 ? narrowed(results) : results, places));
}

void end(inout Values values)
{
    values.a = ended_four(values.a, 0);
    if (V > 4)
        values.b = ended_four(values.b, 4);
}
#endif

void store_item(Values values)
{
#ifdef HAS_EPILOGUES
    if (EPILOGUE != 0)
        end(values);
#endif
    uint element = target_base + x * (V > 1 ? 1 : parameters.target_strides[(RANK - 1) / 4][(RANK - 1) % 4]);
    if (V == 1) {
        store_element(element, values.a.xy);
    } else if (!ITEMS_ARE_WHOLE && !is_whole()) {
        [[dont_unroll]] for (uint v = 0; v < V; ++v)
            if (is_in_row(v))
                store_element(element + v, uvec2(value_at(values, v), 0));
    } else if (IS_LOOSE) {
        store_loose(element, values);
    } else if (BITS_OUT == 32) {
        destination_vectors.vectors[element / 4] = values.a;
        if (V > 4)
            destination_vectors.vectors[element / 4 + 1] = values.b;
    } else if (BITS_OUT == 16) {
        if (V > 4) {
            destination_vectors.vectors[element / 8] = uvec4(halves_of(values.a), halves_of(values.b));
        } else {
            uvec2 words = halves_of(values.a);
            destination.words[element / 2] = words.x;
            destination.words[element / 2 + 1] = words.y;
        }
    } else {
        uvec4 bytes = values.a & 0xFF;
        destination.words[element / 4] = bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24;
    }
}

// What the target has, of totals, which are FLOAT32 or integers.
Values stored_item()
{
    uint element = target_base + x * (V > 1 ? 1 : parameters.target_strides[(RANK - 1) / 4][(RANK - 1) % 4]);
    Values values = NOTHING;
    [[dont_unroll]] for (uint v = 0; v < V; ++v) {
        if (is_in_row(v)) {
            uint at = element + v;
            uint bits = BITS_OUT == 64 ? destination.words[at * 2]
                                       : destination.words[at / OUT_PER_WORD] >> (at % OUT_PER_WORD * (BITS_OUT & 31u));
            if (v < 4)
                values.a[v] = bits;
            else
                values.b[v & 3] = bits;
            if (BITS_OUT == 64)
                values.a.y = destination.words[at * 2 + 1];
        }
    }
    return values;
}

// ---- sums ----

uvec4 add_bits(uvec4 a, uvec4 b)
{
    if (BITS == 64) {
        uint carry;
        uint low = uaddCarry(a.x, b.x, carry);
        return uvec4(low, a.y + b.y + carry, 0, 0);
    }
    if (!FLOATS)
        return a + b;
    precise vec4 sum = uintBitsToFloat(a) + uintBitsToFloat(b);
    return floatBitsToUint(sum);
}

Values add(Values s, Values t)
{
    s.a = add_bits(s.a, t.a);
    if (V > 4)
        s.b = add_bits(s.b, t.b);
    return s;
}

#endif
