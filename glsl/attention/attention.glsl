// The frame of attention: of each row, which is a query of a head, the scores of all keys become weights, by softmax,
// and the output is the sum of the values by their weights. One pass: a row's greatest score up to now, the sum of its
// weights beside that, and the sums of values, which are scaled where a greater score comes. Query heads that share
// keys are a group: their queries are the rows of one head of keys. Keys may have shares, whose sums another dispatch
// joins. All sums are FLOAT32's.
#ifndef VKDML_ATTENTION_GLSL
#define VKDML_ATTENTION_GLSL

#extension GL_EXT_control_flow_attributes : require

#define HAS_EIGHT_BUFFERS
#include "binding.glsl"
#include "types.glsl"

#include "../math/exponential.glsl"

layout(constant_id = 1) const uint TYPE = FLOAT32; // of all but the mask
layout(constant_id = 2) const uint SHAPE = 0;
// What lies in fours, or of FLOAT16 in eights, along elements; what is there; and where.
// In C: VKDML_ATTENTION_...
const bool Q_IN_VECTORS = (SHAPE & 1u) != 0;
const bool K_IN_VECTORS = (SHAPE & 2u) != 0;
const bool V_IN_VECTORS = (SHAPE & 4u) != 0;
const bool OUT_IN_VECTORS = (SHAPE & 8u) != 0;
const bool HAS_BIAS = (SHAPE & 16u) != 0;    // beside the scores
const bool TO_SUMS = (SHAPE & 32u) != 0;     // the output is a share's sums, which another dispatch joins
const bool IS_TOGETHER = (SHAPE & 64u) != 0; // keys and values lie in the buffer of the queries
// beside TO_SUMS: the output is sums where there are several shares, else it is the output
const bool IS_OPEN = (SHAPE & 1024u) != 0;

layout(constant_id = 3) const uint MASK = 0;
// What of keys a row does not see, and what becomes of the score then.
// In C: enum vkdml_attention_mask, VKDML_ATTENTION_MASK_...
const uint NONE = 0;
const uint END = 1;       // keys from a number on, one for each batch: the filter is the score
const uint END_START = 2; // and those before another
const uint ADDED = 3;     // where an element is not above 0: the filter is added
const uint CAUSAL = 4;    // keys beyond a number, of the batch, and the query's own: they are not there

// In elements. Of two vectors of four the first is of queries, keys, values and the output, the second of the mask and
// the bias.
layout(std140, binding = 0) uniform AttentionParameters {
    uint group_count; // workgroups with work; the grid may hold more
    uint unit_count;  // invocations with work, where these go alone
    uint heads;       // of keys
    uint rows;        // of a head of keys
    uint queries;     // rows of a query head
    uint keys;
    uint depth;       // elements of queries and keys
    uint columns;     // .. of values
    uint column_tiles;
    uint row_tiles;
    uint share_count;
    uint share;       // keys of one
    uint out_share;   // between the sums of shares
    uint scale;       // FLOAT32, as the filter
    uint filter_bits;
    uint query_first; // the number of the first query among all
    uint mask_start;  // where the second number of END_START is, from the first
    uvec4 firsts[2];  // from the bound range's start
    uvec4 batch_steps[2];
    uvec4 head_steps[2];
    uvec4 group_steps[2];
    uvec4 query_steps[2];
    uvec4 key_steps[2];
    uvec4 element_steps[2];
} parameters;

#define VIEWS(access, Name, name, number)                                                                              \
    layout(std430, binding = number) access buffer Name##Words { uint words[]; } name;                                 \
    layout(std430, binding = number) access buffer Name##Pairs { uvec2 pairs[]; } name##_pairs;                        \
    layout(std430, binding = number) access buffer Name##Vectors { uvec4 vectors[]; } name##_vectors;
VIEWS(readonly, Queries, queries, 1)
VIEWS(, Output, destination, 2)
VIEWS(readonly, Keys, keys, 3)
VIEWS(readonly, Values, values, 4)
VIEWS(readonly, Fifth, fifth, 5)
VIEWS(readonly, Sixth, sixth, 6)

// The mask comes behind what is always there, and the bias behind it.
const bool BIAS_IS_FIRST = MASK == NONE;
#define Q_WORD(index) queries.words[index]
#define K_WORD(index) (IS_TOGETHER ? queries.words[index] : keys.words[index])
#define V_WORD(index) (IS_TOGETHER ? queries.words[index] : values.words[index])
#define Q_PAIR(index) queries_pairs.pairs[index]
#define K_PAIR(index) (IS_TOGETHER ? queries_pairs.pairs[index] : keys_pairs.pairs[index])
#define V_PAIR(index) (IS_TOGETHER ? queries_pairs.pairs[index] : values_pairs.pairs[index])
#define Q_VECTOR(index) queries_vectors.vectors[index]
#define K_VECTOR(index) (IS_TOGETHER ? queries_vectors.vectors[index] : keys_vectors.vectors[index])
#define V_VECTOR(index) (IS_TOGETHER ? queries_vectors.vectors[index] : values_vectors.vectors[index])
#define MASK_WORD(index) (IS_TOGETHER ? keys.words[index] : fifth.words[index])
#define BIAS_WORD(index)                                                                                               \
    (BIAS_IS_FIRST ? (IS_TOGETHER ? keys.words[index] : fifth.words[index])                                            \
                   : (IS_TOGETHER ? values.words[index] : sixth.words[index]))
const uint K_BINDING = IS_TOGETHER ? 1 : 3;
const uint V_BINDING = IS_TOGETHER ? 1 : 4;
const uint MASK_BINDING = IS_TOGETHER ? 3 : 5;
const uint BIAS_BINDING = BIAS_IS_FIRST ? MASK_BINDING : MASK_BINDING + 1;
#define BASE_OF(binding_)                                                                                              \
    ((binding_) <= 4 ? push.base_bytes[((binding_) - 1) % 4] : push.more_base_bytes[((binding_) - 1) % 4])

float half_at(uint word, uint element)
{
    uint bits = word >> (element % 2 * 16) & 0xFFFF;
    return HALVES_ARE_EXACT ? float(unpackFloat2x16(bits).x) : uintBitsToFloat(widen_half(bits));
}

vec4 halves(uvec2 words)
{
    return uintBitsToFloat(uvec4(widen_halves(words.x), widen_halves(words.y)));
}

// An element, or four side by side.
#define LOAD_ONE(tensor, element)                                                                                      \
    (TYPE == FLOAT16 ? half_at(tensor##_WORD((element) / 2), element) : uintBitsToFloat(tensor##_WORD(element)))
#define LOAD_FOUR(tensor, element)                                                                                     \
    (TYPE == FLOAT16 ? halves(tensor##_PAIR((element) / 4)) : uintBitsToFloat(tensor##_VECTOR((element) / 4)))

// Where the head of a batch begins in each tensor, and the keys that are seen.
uint q_first;
uint k_first;
uint v_first;
uint out_first;
uint mask_first;
uint bias_first;
uint seen_first;
uint seen_end;
uint past; // CAUSAL: keys that the first query of a head sees, less its own

int mask_at(uint element)
{
    return int(MASK_WORD(element));
}

uint clamped(int number)
{
    return min(uint(max(number, 0)), parameters.keys);
}

void find_head(uint batch, uint head)
{
    uvec4 begin = parameters.firsts[0] + batch * parameters.batch_steps[0] + head * parameters.head_steps[0];
    uvec4 more = parameters.firsts[1] + batch * parameters.batch_steps[1] + head * parameters.head_steps[1];
    q_first = begin.x + push.base_bytes[0] * 8 / BITS_OF(TYPE);
    k_first = begin.y + BASE_OF(K_BINDING) * 8 / BITS_OF(TYPE);
    v_first = begin.z + BASE_OF(V_BINDING) * 8 / BITS_OF(TYPE);
    out_first = begin.w + push.base_bytes[1] * 8 / (TO_SUMS ? 32 : BITS_OF(TYPE));
    if (IS_OPEN) {
        if (parameters.share_count == 1)
            out_first = begin.w + push.base_bytes[1] * 8 / BITS_OF(TYPE);
    }
    mask_first = 0;
    bias_first = 0;
    seen_first = 0;
    seen_end = parameters.keys;
    past = parameters.keys;
    if (MASK != NONE)
        mask_first = more.x + BASE_OF(MASK_BINDING) / 4;
    if (HAS_BIAS)
        bias_first = more.y + BASE_OF(BIAS_BINDING) * 8 / BITS_OF(TYPE);
    if (EITHER(MASK == END, MASK == END_START))
        seen_end = clamped(mask_at(mask_first));
    if (MASK == END_START)
        seen_first = clamped(mask_at(mask_first + parameters.mask_start));
    if (MASK == CAUSAL)
        past = clamped(mask_at(mask_first));
}

// A row: where it is in each tensor, and how many keys there are for it.
struct Row {
    uint q;
    uint destination;
    uint mask;
    uint bias;
    uint key_count;
};

Row find_row(uint number)
{
    uint group = number / parameters.queries;
    uint query = number - group * parameters.queries;
    uvec4 steps = group * parameters.group_steps[0] + query * parameters.query_steps[0];
    uvec4 more = group * parameters.group_steps[1] + query * parameters.query_steps[1];
    Row row;
    row.q = q_first + steps.x;
    row.destination = out_first + steps.w;
    row.mask = mask_first + more.x;
    row.bias = bias_first + more.y;
    row.key_count = parameters.keys;
    if (MASK == CAUSAL)
        row.key_count = min(past + parameters.query_first + query + 1, parameters.keys);
    return row;
}

// The keys that some of `count` rows see.
uint last_seen(uint first, uint count)
{
    if (MASK != CAUSAL)
        return parameters.keys;
    uint last = min(first + count, parameters.rows) - 1;
    uint query = first / parameters.queries == last / parameters.queries ? last % parameters.queries
                                                                         : parameters.queries - 1;
    return min(past + parameters.query_first + query + 1, parameters.keys);
}

// Four elements side by side of a query, a key or a value; beyond the last 0.
#define FOUR_OF(name, tensor, in_vectors, count, step)                                                               \
    vec4 name(uint first, uint element)                                                                                \
    {                                                                                                                  \
        if (in_vectors)                                                                                                \
            return mix(vec4(0.0), LOAD_FOUR(tensor, first + min(element, count - 4)), bvec4(element < count));       \
        uvec4 elements = element + uvec4(0, 1, 2, 3);                                                                  \
        uvec4 at = first + min(elements, uvec4(count - 1)) * step;                                                     \
        vec4 x = vec4(LOAD_ONE(tensor, at.x), LOAD_ONE(tensor, at.y), LOAD_ONE(tensor, at.z),                    \
                      LOAD_ONE(tensor, at.w));                                                                       \
        return mix(vec4(0.0), x, lessThan(elements, uvec4(count)));                                                    \
    }
FOUR_OF(q_four, Q, Q_IN_VECTORS, parameters.depth, parameters.element_steps[0].x)
FOUR_OF(k_four, K, K_IN_VECTORS, parameters.depth, parameters.element_steps[0].y)
FOUR_OF(v_four, V, V_IN_VECTORS, parameters.columns, parameters.element_steps[0].z)

// Beside any number -infinity is infinitely far, and beside this one too: of a row that sees nothing all weights are 0.
const float LEAST = -3.40282347e38;
#define MINUS_INFINITY uintBitsToFloat(SIGN_BIT | INFINITY)

// What a sum of products becomes.
float score_of(float product, Row row, uint key)
{
    float score = product * uintBitsToFloat(parameters.scale);
    if (HAS_BIAS)
        score += LOAD_ONE(BIAS, row.bias + min(key, parameters.keys - 1) * parameters.key_steps[1].y);
    if (MASK == ADDED) {
        if (mask_at(row.mask + min(key, parameters.keys - 1) * parameters.key_steps[1].x) <= 0)
            score += uintBitsToFloat(parameters.filter_bits);
    }
    if (EITHER(MASK == END, MASK == END_START))
        score = key >= seen_first && key < seen_end ? score : uintBitsToFloat(parameters.filter_bits);
    return score;
}

// e^x of what is not above 0; below -87, where that is less than 2^-125, 0. Of NaN NaN. Of FLOAT16 within 2^-16, as
// softmax has it.
float half_weight(float x)
{
    precise float shifted = fma(x, 1.44269502, 12583039.0);
    precise float r = fma(x, 1.44269502, -math_shifted_integer(shifted));
    precise float p = fma(r, 0.00692756241, 0.0602071993);
    p = fma(p, r, 0.346577197);
    p = fma(p, r, 0.999995291);
    precise float weight = p * p * math_shifted_power(shifted);
    return weight;
}

float weight_of(float x)
{
    float weight = TYPE == FLOAT16 ? half_weight(x) : uintBitsToFloat(math_exp_common(floatBitsToUint(x)));
    return x < -87.0 ? 0.0 : weight;
}

// Sums of a share: the greatest score and the sum of weights, and then four by four the sums of values.
const uint SUMS_FIRST = 4;

#endif
