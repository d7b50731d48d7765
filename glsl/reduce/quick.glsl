// The quick way of what elements of up to 32 bits are mostly folded by: without a branch, and without keys.
//     sums of floats    of one scale, beside the greatest magnitudes; those tell whether it was the right one
//     MIN, MAX, RANGE   the extremes of bits as numbers with and without a sign, which tell those of floats, and
//                       whether one is
//                       NaN; narrow elements are at the top of words, and what lies below them does not matter
//     ARGMIN, ARGMAX    of a run the first item with the extreme, in which its place is found when the block ends;
//                       across, of
//                       narrow elements the extreme rank with the item's number in the bits below it
#ifndef VKDML_FOLD_QUICK_GLSL
#define VKDML_FOLD_QUICK_GLSL

const bool IS_EXTREME = EITHER(FUNCTION == RANGE, EITHER(FUNCTION == MIN, FUNCTION == MAX));
// One dimension is walked in the order of places.
const bool IS_QUICK = BOTH(!FROM_TOTALS, EITHER(EITHER(IS_FLOAT_SUM, IS_EXTREME), BOTH(IS_ARG, REDUCED_RANK == 1)));

// Of each of totals; of a run extremes in x alone, which takes fewer registers: 0.97 of the read peak for 0.91 on an
// H200, of FLOAT32.
uvec4 most;
uvec4 least;
ivec4 greatest; // with a sign; of integers' MIN the least

void begin_extremes()
{
    most = uvec4(0);
    least = uvec4(0xFFFFFFFFu);
    greatest = ivec4(BOTH(!FLOATS, IS_LEAST) ? 0x7FFFFFFFu : SIGN_BIT);
}

// Of places; of a run in x alone.
const int NO_RANK = int(SIGN_BIT);
ivec4 best;
ivec4 worst;
uvec4 best_index;
uvec4 best_bits; // of a run: the item
uint item_number;
bool has_nan;

void begin_quickly()
{
    begin_extremes();
    best = ivec4(NO_RANK);
    worst = ivec4(0);
    item_number = 0;
    has_nan = false;
}

uint greatest_of(uvec4 x)
{
    return max(max(x.x, x.y), max(x.z, x.w));
}

uint least_of(uvec4 x)
{
    return min(min(x.x, x.y), min(x.z, x.w));
}

int greatest_of(ivec4 x)
{
    return max(max(x.x, x.y), max(x.z, x.w));
}

int least_of(ivec4 x)
{
    return min(min(x.x, x.y), min(x.z, x.w));
}

// ---- sums of floats ----

void add_quickly(uvec4 x)
{
    uvec4 magnitudes = x & ~SIGN_BIT;
    most = max(most, magnitudes);
    precise vec4 terms = uintBitsToFloat(HAS_SIGNS ? x : magnitudes);
    if (IS_SQUARES)
        terms = terms * terms;
    precise vec4 sums = vec4(uintBitsToFloat(totals[0].value), uintBitsToFloat(totals[1].value),
                             uintBitsToFloat(totals[2].value), uintBitsToFloat(totals[3].value)) +
                        terms;
    totals[0].value = floatBitsToUint(sums.x);
    totals[1].value = floatBitsToUint(sums.y);
    totals[2].value = floatBitsToUint(sums.z);
    totals[3].value = floatBitsToUint(sums.w);
}

// Whether a scale of 1 was right, which is the mark of squares of elements below 2^47, and of others below 2^95.
bool end_sum(inout Total t, uint magnitude)
{
    if (!HAS_LEVELS)
        return magnitude < INFINITY;
    if (!IS_SQUARES)
        return magnitude < HIGH;
    t.mark = math_is_zero(magnitude) ? LOW : MIDDLE;
    return math_is_zero(magnitude) || (magnitude >= LOW && magnitude < MIDDLE);
}

bool end_sums()
{
    if (DENSE)
        most = uvec4(greatest_of(most));
    bool x = end_sum(totals[0], most.x);
    bool y = end_sum(totals[1], most.y);
    bool z = end_sum(totals[2], most.z);
    bool w = end_sum(totals[3], most.w);
    return x && y && z && w;
}

// ---- MIN, MAX, RANGE ----

const bool IS_SIGNED_LEAST = BOTH(!FLOATS, IS_LEAST);

void order_across(uvec4 bits)
{
    most = max(most, bits);
    least = min(least, bits);
    greatest = IS_SIGNED_LEAST ? min(greatest, ivec4(bits)) : max(greatest, ivec4(bits));
}

void order_run(uvec4 bits)
{
    most.x = max(most.x, greatest_of(bits));
    least.x = min(least.x, least_of(bits));
    greatest.x = IS_SIGNED_LEAST ? min(greatest.x, least_of(ivec4(bits))) : max(greatest.x, greatest_of(ivec4(bits)));
}

void order(uvec4 bits)
{
    if (DENSE)
        order_run(bits);
    else
        order_across(bits);
}

// From the top of a word.
uint expanded(uint bits)
{
    if (FLOATS)
        return TYPE == FLOAT16 ? widen_half(bits >> 16) : bits;
    return SIGNS ? uint(int(bits) >> (32 - BITS)) : bits >> (32 - BITS);
}

const uint TOP = 0xFFFFFFFFu << (32 - (BITS < 32 ? BITS : 32)); // where narrow elements are
const uint LAST = TYPE == FLOAT16 ? 0x7C000000u : INFINITY;

bool is_nan_among(uint high, uint positive)
{
    return int(positive & TOP) > int(LAST) || (high & TOP) > (LAST | SIGN_BIT);
}

// Without a positive number the negative one that is nearest to 0; and the other way round.
uint upper_of(uint low, uint positive)
{
    return (positive & SIGN_BIT) == 0 ? positive : low;
}

uint lower_of(uint high, uint low)
{
    return (high & SIGN_BIT) != 0 ? high : low;
}

uint extreme_of(uint high, uint low, uint positive)
{
    if (FLOATS)
        return IS_LEAST ? lower_of(high, low) : upper_of(low, positive);
    return SIGNS ? positive : IS_LEAST ? low : high;
}

Total total_of_extremes(uint high, uint low, uint positive)
{
    uint key = key_of(expanded(extreme_of(high, low, positive)));
    uint other = FUNCTION == RANGE ? ~key_of(expanded(lower_of(high, low))) : 0u;
    if (FLOATS && is_nan_among(high, positive)) {
        key = 0xFFFFFFFFu;
        other = 0u;
    }
    if (FLOATS && high < low) // none was taken
        return no_total();
    return a_total(key, other);
}

bool end_extremes()
{
    totals[0] = total_of_extremes(most.x, least.x, uint(greatest.x));
    if (!DENSE && WIDTH > 1) {
        totals[1] = total_of_extremes(most.y, least.y, uint(greatest.y));
        totals[2] = total_of_extremes(most.z, least.z, uint(greatest.z));
        totals[3] = total_of_extremes(most.w, least.w, uint(greatest.w));
    }
    return true;
}

// ---- ARGMIN, ARGMAX ----

// Greater where an element comes first; zeros are equal. Of elements at the top of words.
ivec4 ranks_of(uvec4 x)
{
    if (FLOATS) {
        ivec4 signs = ivec4(IS_LEAST ? ~x : x) >> 31;
        return (ivec4(x & ~SIGN_BIT) ^ signs) - signs;
    }
    ivec4 ranks = ivec4(SIGNS ? x : x ^ SIGN_BIT);
    return IS_LEAST ? ranks ^ int(TOP) : ranks;
}

uint element_of_rank(int rank)
{
    if (FLOATS) {
        int signs = rank >> 31;
        uint sign = uint(IS_LEAST ? ~signs : signs) & SIGN_BIT;
        return uint((rank + signs) ^ signs) | sign;
    }
    uint x = uint(IS_LEAST ? rank ^ int(TOP) : rank);
    return SIGNS ? x : x ^ SIGN_BIT;
}

const uint NUMBERS = 63; // more than the items of a block

void rank_run(uvec4 bits, uint index)
{
    uint extreme = extreme_of(most.x, least.x, uint(greatest.x)) & TOP;
    if (FLOATS)
        has_nan = has_nan || is_nan_among(most.x, uint(greatest.x));
    int rank = ranks_of(uvec4(extreme)).x;
    bool replaces = TAKES_LAST ? rank >= best.x : rank > best.x;
    best.x = replaces ? rank : best.x;
    best_index.x = replaces ? index : best_index.x;
    best_bits = mix(best_bits, bits, bvec4(replaces));
}

void rank_across(uvec4 tops, uint index)
{
    ivec4 ranks = ranks_of(tops & TOP);
    if (FLOATS)
        worst = min(worst, ranks);
    if (BITS < 32) {
        ranks |= int(TAKES_LAST ? item_number : NUMBERS - item_number);
        best = max(best, ranks);
        best_index.x = index;
        ++item_number;
    } else {
        bvec4 replaces = TAKES_LAST ? greaterThanEqual(ranks, best) : greaterThan(ranks, best);
        best = mix(best, ranks, replaces);
        best_index = mix(best_index, uvec4(index), replaces);
    }
}

// False where there is none, or NaN may be among them.
bool end_place(inout Total t, int rank, int lowest, uint index)
{
    bool sure = rank != NO_RANK && (FLOATS ? max(rank, -lowest) <= int(LAST | (BITS < 32 ? NUMBERS : 0u)) : true);
    if (BITS < 32) {
        uint number = uint(rank) & NUMBERS;
        number = item_number - 1 - (TAKES_LAST ? number : NUMBERS - number);
        index = best_index.x - number * lane_count() * parameters.run_index_stride;
    }
    uint key = key_of(expanded(element_of_rank(rank & int(TOP))));
    t = a_total(key, TAKES_LAST ? ~index : index);
    return sure;
}

bool end_places()
{
    bool sure = end_place(totals[0], best.x, worst.x, best_index.x);
    if (WIDTH > 1)
        sure = end_place(totals[1], best.y, worst.y, best_index.y) && sure;
    if (WIDTH > 2) {
        sure = end_place(totals[2], best.z, worst.z, best_index.z) && sure;
        sure = end_place(totals[3], best.w, worst.w, best_index.w) && sure;
    }
    return sure;
}

#endif
