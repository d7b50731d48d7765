// The main function of the fold frame: see fold.glsl.

// Of an invocation: where its reduction begins, of both tensors.
uint source_begin;
uint target_begin;
uint first_number; // of its outputs, which have numbers where an epilogue has an operand

void find_unit(uint unit)
{
    source_begin = parameters.source_first +
                   (FROM_TOTALS ? push.base_bytes[0] / (4 * TOTAL_WORDS) : push.base_bytes[0] * 8 / BITS);
    target_begin = parameters.target_first;
    if (NUMBERS_OUTPUTS)
        first_number = parameters.index_first;
    uint mean = parameters.mean_first;
    for (uint n = 0; n < KEPT_RANK; ++n) {
        uint d = KEPT_RANK - 1 - n;
        TAKE_COORDINATE(coordinate, unit, d == 0, parameters.kept[d].x, parameters.kept[d].y, parameters.kept[d].z)
        source_begin += coordinate * parameters.kept[d].w;
        target_begin += coordinate * parameters.kept_out[d / 4][d % 4];
        if (NUMBERS_OUTPUTS)
            first_number += coordinate * parameters.reduced_index[d / 4][d % 4];
        if (HAS_BESIDE)
            mean += coordinate * parameters.kept_mean[d / 4][d % 4];
    }
#ifdef HAS_GRADIENTS
    if (HAS_BESIDE)
        means = means_from(mean);
#endif
}

// Where an item lies.
struct Place {
    uint element; // the first of its run, from the descriptor's start
    uint x;       // its own first in the run; wraps around 0 before that
    uint index;   // the place of the run's first
};

Place place_of(uint item)
{
    Place p = Place(source_begin, item, parameters.index_first);
    if (REDUCED_RANK > 1) {
        uint run = divide(item, parameters.run_divisor.x, parameters.run_divisor.y);
        p.x -= run * parameters.items_per_run;
        for (uint n = 0; n < REDUCED_RANK - 1; ++n) {
            uint d = REDUCED_RANK - 2 - n;
            TAKE_COORDINATE(coordinate, run, d == 0, parameters.reduced[d].x,
                            parameters.reduced[d].y, parameters.reduced[d].z)
            p.element += coordinate * parameters.reduced[d].w;
            p.index += coordinate * parameters.reduced_index[d / 4][d % 4];
        }
    }
    if (DENSE)
        p.x = p.x * ITEM - (IS_WHOLE ? 0 : p.element % ITEM);
    return p;
}

bool is_whole(Place p)
{
    return EITHER(!DENSE, IS_WHOLE) || (p.x < parameters.run_length && parameters.run_length - p.x >= ITEM);
}

uint element_of(Place p)
{
    return p.element + p.x * parameters.run_stride;
}

uint index_of(Place p)
{
    return p.index + p.x * parameters.run_index_stride;
}

uvec4 load_element(uint element)
{
    if (BITS == 64)
        return uvec4(source.words[element * 2], source.words[element * 2 + 1], 0, 0);
    return uvec4(source.words[element / PER_WORD], 0, 0, 0);
}

uvec4 load(Place p)
{
    if (DENSE)
        return source_vectors.vectors[(p.element + p.x) / ITEM];
    uint element = element_of(p);
    if (FROM_TOTALS) {
        uint at = element * TOTAL_WORDS;
        return uvec4(source.words[at], source.words[at + 1], TOTAL_WORDS == 4 ? source.words[at + TOTAL_WORDS / 2] : 0,
                     HAS_MOMENTS ? source.words[at + TOTAL_WORDS - 1] : 0);
    }
    if (WIDTH * BITS == 128)
        return source_vectors.vectors[element / ITEM];
    if (WIDTH > 1 && WIDTH * BITS == 64)
        return uvec4(source.words[element / PER_WORD], source.words[element / PER_WORD + 1], 0, 0);
    return load_element(element);
}

#ifdef HAS_GRADIENTS
// Both tensors begin at multiples of 16 bytes.
uvec4 load_beside(Place p)
{
    if (!HAS_BESIDE)
        return uvec4(0);
    if (DENSE)
        return beside_vectors.vectors[(p.element + p.x) / ITEM + (beside_words() >> 2)];
    uint element = element_of(p);
    uint word = element / PER_WORD + beside_words();
    if (WIDTH * BITS == 128)
        return beside_vectors.vectors[word >> 2];
    return uvec4(beside.words[word], WIDTH > 1 && WIDTH * BITS == 64 ? beside.words[word + 1] : 0, 0, 0);
}
#else
uvec4 load_beside(Place p)
{
    return uvec4(0);
}

void take_gradients(uvec4 bits, uvec4 others, uint element)
{
}

void take_gradient(VALUE value, uint element)
{
}
#endif

void take_item(uvec4 bits, uvec4 others, Place p)
{
    if (HAS_BESIDE)
        take_gradients(bits, others, element_of(p));
    else if (FROM_TOTALS)
        totals[0] = combine(totals[0], total_of(bits));
    else if (DENSE)
        take_vector(bits, index_of(p));
    else if (WIDTH > 1)
        take_across(bits, index_of(p));
    else
        take(totals[0], read_value(bits, element_of(p)), index_of(p));
}

// Of a run's ends: what 16 bytes have of it.
void take_part(Place p)
{
    [[dont_unroll]] for (uint k = 0; k < ITEM; ++k) {
        Place single = Place(p.element, p.x + k, p.index);
        if (single.x < parameters.run_length) {
            uint element = single.element + single.x;
            if (HAS_BESIDE)
                take_gradient(read_value(load_element(element), element), element);
            else
                take_single(read_value(load_element(element), element), index_of(single));
        }
    }
}

void take_quick(uvec4 bits, uvec4 others, Place p)
{
    if (IS_QUICK)
        take_quickly(bits, element_of(p), index_of(p));
    else
        take_item(bits, others, p);
}

// Whether ends of runs are left to a loop of their own; else they are taken where they are met.
const bool LEAVES_ENDS = EITHER(IS_QUICK, LOADS != 4);
const bool ENDS_ARE_OPEN = BOTH(IS_OPEN, !IS_QUICK);

// False of an end.
bool take_one(uint item)
{
    Place p = place_of(item);
    bool whole = is_whole(p);
    if (whole)
        take_quick(load(p), load_beside(p), p);
    else if (!LEAVES_ENDS)
        take_part(p);
    else if (ENDS_ARE_OPEN) {
        if (parameters.leaves_ends == 0)
            take_part(p);
    }
    return whole;
}

bool take_four(uint item)
{
    Place a = place_of(item);
    Place b = place_of(item + LANES);
    Place c = place_of(item + 2 * LANES);
    Place d = place_of(item + 3 * LANES);
    bool taken = is_whole(a) && is_whole(b) && is_whole(c) && is_whole(d);
    if (taken) {
        uvec4 bits_a = load(a);
        uvec4 bits_b = load(b);
        uvec4 bits_c = load(c);
        uvec4 bits_d = load(d);
        uvec4 others_a = load_beside(a);
        uvec4 others_b = load_beside(b);
        uvec4 others_c = load_beside(c);
        uvec4 others_d = load_beside(d);
        take_quick(bits_a, others_a, a);
        take_quick(bits_b, others_b, b);
        take_quick(bits_c, others_c, c);
        take_quick(bits_d, others_d, d);
    } else {
        [[dont_unroll]] for (uint n = 0; n < 4; ++n)
            take_one(item + n * LANES);
    }
    return taken;
}

void clear()
{
    totals[0] = no_total();
    totals[1] = no_total();
    totals[2] = no_total();
    totals[3] = no_total();
    if (IS_QUICK)
        begin_quickly();
}

Total results[4];

void keep_block()
{
    if (!FROM_TOTALS)
        close_block();
    results[0] = combine(results[0], totals[0]);
    if (WIDTH > 1) {
        results[1] = combine(results[1], totals[1]);
        if (WIDTH > 2) {
            results[2] = combine(results[2], totals[2]);
            results[3] = combine(results[3], totals[3]);
        }
    }
}

// What is rare, ends of runs and elements that the quick way is wrong for, is left to a loop of its own, which is
// mostly not entered: a processor goes through both sides of a branch.
void fold_block(uint first, uint turns)
{
    bool all = true;
    uint n = 0;
    clear();
    if (LOADS == 4) {
        for (; n + 4 <= turns; n += 4)
            all = take_four(first + n * LANES) && all;
    }
    for (; n < turns; ++n)
        all = take_one(first + n * lane_count()) && all;
    bool again = IS_QUICK ? !end_quickly() : false;
    if (again)
        clear();
    if (ENDS_ARE_OPEN)
        all = all || parameters.leaves_ends == 0;
    if (LEAVES_ENDS) {
        [[dont_unroll]] for (n = all && !again ? turns : 0; n < turns; ++n) {
            Place p = place_of(first + n * lane_count());
            if (!is_whole(p))
                take_part(p);
            else if (again)
                take_item(load(p), load_beside(p), p);
        }
    }
    keep_block();
}

// Every lane_count()-th item from the first on, `count` of them.
void fold_items(uint first, uint count)
{
    while (count != 0) {
        uint turns = count <= LONG_BLOCK ? count : BLOCK;
        fold_block(first, turns);
        first += turns * lane_count();
        count -= turns;
    }
}

const uint SHARED_SIZE = LANES != 1 ? gl_WorkGroupSize.x : 1;
const uint UNITS = gl_WorkGroupSize.x / FIXED_LANES; // of a workgroup
const uint STEP = ACROSS ? UNITS : 1;                // between the invocations of a reduction
shared VALUE shared_values[SHARED_SIZE];
shared uint shared_marks[SHARED_SIZE];
shared uint shared_counts[HAS_MOMENTS ? SHARED_SIZE : 1];
shared uint shared_pivots[HAS_MOMENTS ? SHARED_SIZE : 1];

void share(uint slot, Total own)
{
    shared_values[slot] = own.value;
    shared_marks[slot] = own.mark;
    if (HAS_MOMENTS) {
        shared_counts[slot] = own.count;
        shared_pivots[slot] = own.pivot;
    }
}

Total shared_total(uint slot)
{
    Total t = a_total(shared_values[slot], shared_marks[slot]);
    if (HAS_MOMENTS) {
        t.count = shared_counts[slot];
        t.pivot = shared_pivots[slot];
    }
    return t;
}

uint units_of_group()
{
    if (IS_OPEN)
        return gl_WorkGroupSize.x / parameters.lanes;
    return UNITS;
}

uint step_of_lanes()
{
    if (IS_OPEN)
        return parameters.is_across != 0 ? units_of_group() : 1;
    return STEP;
}

// Combines the totals of a reduction's invocations; the first has the result.
Total combined(Total own, uint lane)
{
    uint slot = gl_LocalInvocationIndex;
    barrier();
    share(slot, own);
    barrier();
    for (uint half_lanes = lane_count() / 2; half_lanes > 0; half_lanes /= 2) {
        if (lane < half_lanes) {
            own = combine(own, shared_total(slot + half_lanes * step_of_lanes()));
            share(slot, own);
        }
        barrier();
    }
    return own;
}

// Other invocations may own the word's other bits, so only the bits that change are flipped, in one atomic.
void store_element(uint element, uvec2 bits)
{
    if (BITS_OUT == 64) {
        destination.words[element * 2] = bits.x;
        destination.words[element * 2 + 1] = bits.y;
    } else if (BITS_OUT < 32) {
        const uint per_word = 32 / (BITS_OUT < 32 ? BITS_OUT : 32);
        uint mask = (1u << (BITS_OUT & 31u)) - 1u;
        uint index = element / per_word;
        uint shift = element % per_word * BITS_OUT;
        uint old = atomicOr(destination.words[index], 0);
        atomicXor(destination.words[index], (old ^ (bits.x << shift)) & (mask << shift));
    } else {
        destination.words[element] = bits.x;
    }
}

void store_pair(uint element, uvec2 words)
{
    destination.words[element + push.base_bytes[1] / 4] = words.x;
    second.words[element + push.base_bytes[2] / 4] = words.y;
}

#ifdef HAS_EPILOGUES
uvec4 ends; // elements that results became

// Where the operand's elements for outputs side by side are.
uvec4 operand_places()
{
    uvec4 places = uvec4(parameters.run_index_stride + push.base_bytes[3] * 8 / OPERAND_BITS);
    uvec4 numbers = first_number + min(uvec4(0, 1, 2, 3), uvec4(WIDTH - 1));
    for (uint n = 0; n < OPERAND_RANK; ++n) {
        uvec4 dimension = parameters.reduced[7 - n];
        uvec4 coordinates = numbers;
        if (n + 1 != OPERAND_RANK) {
            numbers = divide(numbers, dimension.y, dimension.z);
            coordinates -= numbers * dimension.x;
        }
        places += coordinates * dimension.w;
    }
    return places;
}

void end_results()
{
    uvec4 bits = uvec4(finish(results[0]).x);
    if (WIDTH > 1)
        bits.y = finish(results[1]).x;
    if (WIDTH > 2)
        bits.zw = uvec2(finish(results[2]).x, finish(results[3]).x);
    uvec4 places = uvec4(0);
    if (NUMBERS_OUTPUTS)
        places = operand_places();
    ends = ended(bits, places);
}
#else
const uvec4 ends = uvec4(0);
#endif

void store(uint k, uint share_index)
{
    uint element = target_begin + k * parameters.width_stride;
    if (TO_TOTALS)
        store_total(push.base_bytes[1] / 4 + (element + share_index * parameters.share_stride) * TOTAL_WORDS,
                    results[k]);
    else if (IS_PAIR)
        store_pair(element, finish(results[k]));
    else if (HAS_EPILOGUE)
        store_element(element + push.base_bytes[1] * 8 / BITS_OUT, uvec2(ends[k], 0));
    else
        store_element(element + push.base_bytes[1] * 8 / BITS_OUT, finish(results[k]));
}

uint packed(uint k)
{
    uint mask = (1u << (BITS_OUT & 31u)) - 1u;
    if (HAS_EPILOGUE)
        return ends[k] & mask;
    return finish(results[k]).x & mask;
}

void store_words()
{
    uint index = push.base_bytes[1] / 4 + target_begin * BITS_OUT / 32;
    if (BITS_OUT == 16) {
        destination.words[index] = packed(0) | packed(1) << 16;
        if (WIDTH > 2)
            destination.words[index + 1] = packed(2) | packed(3) << 16;
    } else {
        destination.words[index] = packed(0) | packed(1) << 8 | packed(2) << 16 | packed(3) << 24;
    }
}

void main()
{
    uint group = group_index();
    if (group >= parameters.group_count)
        return;
    uint number = IS_FLAT ? group * gl_WorkGroupSize.x + gl_LocalInvocationIndex : group;
    uint share_index = divide(number, parameters.groups_divisor.x, parameters.groups_divisor.y);
    uint unit = number - share_index * parameters.unit_groups;
    if (!IS_FLAT)
        unit *= units_of_group();
    uint lane;
    if (IS_FLAT) {
        lane = 0;
    } else if (IS_OPEN) {
        bool is_across = parameters.is_across != 0;
        uint side = is_across ? units_of_group() : parameters.lanes;
        uint low = gl_LocalInvocationIndex % side;
        uint high = gl_LocalInvocationIndex / side;
        unit += is_across ? low : high;
        lane = is_across ? high : low;
    } else if (ACROSS) {
        unit += gl_LocalInvocationIndex % UNITS;
        lane = gl_LocalInvocationIndex / UNITS;
    } else {
        unit += gl_LocalInvocationIndex / LANES;
        lane = gl_LocalInvocationIndex % LANES;
    }
    bool is_active = unit < parameters.unit_count && share_index < parameters.share_count;
    uint begin = share_index * parameters.share;
    uint count = begin < parameters.item_count ? min(parameters.share, parameters.item_count - begin) : 0;
    results[0] = no_total();
    results[1] = no_total();
    results[2] = no_total();
    results[3] = no_total();
    if (is_active) {
        find_unit(unit);
        fold_items(begin + lane, lane < count ? (count - lane - 1) / lane_count() + 1 : 0);
    }
    if (LANES != 1) {
        results[0] = combined(results[0], lane);
        if (WIDTH > 1)
            results[1] = combined(results[1], lane);
        if (WIDTH > 2) {
            results[2] = combined(results[2], lane);
            results[3] = combined(results[3], lane);
        }
    }
    if (is_active && lane == 0) {
#ifdef HAS_EPILOGUES
        if (HAS_EPILOGUE)
            end_results();
#endif
        if (IS_PACKED) {
            store_words();
        } else {
            store(0, share_index);
            if (WIDTH > 1)
                store(1, share_index);
            if (WIDTH > 2) {
                store(2, share_index);
                store(3, share_index);
            }
        }
    }
}
