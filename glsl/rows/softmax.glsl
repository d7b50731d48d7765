// ---- softmax ----

vec4 greatest; // of numbers; NaN may be passed over, but not in sums

void find_greatest(uint n)
{
    if (exists(n))
        greatest = max(greatest, held[n]);
}

bvec4 is_finite; // the greatest of each row

// e^x within 2^-16 for x from -87 to 0: math_half_power() with its products and sums fused, where a device fuses them.
// It has an H200's time for some 28 instructions an element, and these are 10 of them; what a device makes of it hangs
// on its sums either way.
float half_power(float x)
{
    precise float shifted = fma(x, 1.44269502, 12583039.0);
    precise float r = fma(x, 1.44269502, -math_shifted_integer(shifted));
    precise float p = fma(r, 0.00692756241, 0.0602071993);
    p = fma(p, r, 0.346577197);
    p = fma(p, r, 0.999995291);
    precise float result = p * p * math_shifted_power(shifted);
    return result;
}

// exp(x) of what is not above 0; below -87, where exp is less than 2^-125, 0. Of NaN NaN.
float power_of(float x)
{
    float power = TYPE == FLOAT16 ? half_power(x) : uintBitsToFloat(math_exp_common(floatBitsToUint(x)));
    return x < -87.0 ? 0.0 : power;
}

bvec4 isnan_of(uvec4 x)
{
    return greaterThan(x & ~SIGN_BIT, uvec4(INFINITY));
}

vec4 powers_of(vec4 distances)
{
    return vec4(power_of(distances.x), power_of(distances.y), power_of(distances.z), power_of(distances.w));
}

void take_powers(uint n)
{
    precise vec4 distances = held[n] - greatest;
    vec4 powers = powers_of(distances);
    if (exists(n)) {
        precise vec4 next = sums + powers;
        sums = next;
    }
    held[n] = FUNCTION == SOFTMAX ? powers : distances;
}

void finish_powers(uint n)
{
    precise vec4 results = FUNCTION == SOFTMAX ? held[n] * factors : held[n] - factors;
    held[n] = results;
}

// exp(x) / sum where the greatest is infinity: those of that sign are divided by one another.
float extraordinary(float power, float x, float most, bool is_finite_row)
{
    if (is_finite_row)
        return power;
    return floatBitsToUint(most) == INFINITY && floatBitsToUint(x) != INFINITY ? power : uintBitsToFloat(QUIET_NAN);
}

// Of rows that are not ordinary, in a loop over what is read again: this is rare, and is to take neither registers nor
// time of the rest.
void store_extraordinary()
{
    [[dont_unroll]] for (uint n = 0; n < HELD; ++n) {
        if (item_of(n) < item_count) {
            vec4 x = item_at(n);
            precise vec4 results = x - greatest;
            if (FUNCTION == SOFTMAX) {
                results = powers_of(results) * factors;
                results = vec4(extraordinary(results.x, x.x, greatest.x, is_finite.x),
                               extraordinary(results.y, x.y, greatest.y, is_finite.y),
                               extraordinary(results.z, x.z, greatest.z, is_finite.z),
                               extraordinary(results.w, x.w, greatest.w, is_finite.w));
            } else {
                results = results - factors;
            }
            store_item(n, results);
        }
    }
}

// Of a finite row the sum is from 1 to its elements' number.
float factor_of(float sum)
{
    if (FUNCTION == SOFTMAX)
        return inverse_of_moderate(sum);
    uint bits = floatBitsToUint(sum);
    return uintBitsToFloat(TYPE == FLOAT16 ? math_half_log_common(bits) : math_log_common(bits));
}

// ---- of a long row ----

const float LEAST = -3.40282347e38; // beside which -infinity is a distance of -infinity

float exact_power_of(float x)
{
    return x < -87.0 ? 0.0 : uintBitsToFloat(math_exp_common(floatBitsToUint(x)));
}

// From powers beside one number to those beside another that is not less.
void scale_sums(float from, float to)
{
    precise vec4 scaled = sums * exact_power_of(from - to);
    sums = scaled;
}

// An invocation's blocks up to this one have a greatest element, and sums of powers beside it.
void take_block()
{
    float known = greatest.x;
    EACH(find_greatest)
    greatest = vec4(max(max(greatest.x, greatest.y), max(greatest.z, greatest.w)));
    scale_sums(known, greatest.x);
    EACH(take_powers)
}

void take_blocks()
{
    greatest = vec4(LEAST);
    take_block();
    [[dont_unroll]] for (uint block = 1; block < parameters.block_count; ++block) {
        load_block(block);
        take_block();
    }
}

// ---- of any ----

// Of a row whose greatest is infinity the sum tells NaN alone.
void take_nans()
{
    sums = mix(vec4(0.0), sums, is_finite);
    [[dont_unroll]] for (uint item = lane; item < item_count; item += IS_OPEN ? parameters.lanes : LANES) {
        bvec4 are_nan = isnan_of(floatBitsToUint(LOAD_ITEM(source, source_first + item * SOURCE_STEP)));
        precise vec4 next = sums + uintBitsToFloat(mix(uvec4(0), uvec4(QUIET_NAN), are_nan));
        sums = mix(next, sums, is_finite);
    }
}

void survey_powers()
{
    greatest = vec4(uintBitsToFloat(SIGN_BIT | INFINITY));
    sums = vec4(0.0);
    if (IS_LONG) {
        take_blocks();
    } else {
        EACH(find_greatest)
    }
    float own = greatest.x;
    uvec4 bits = floatBitsToUint(greatest);
    uvec4 unused = uvec4(0);
    of_all(bits, unused, FIRST, false, false);
    greatest = uintBitsToFloat(bits);
    is_finite = lessThan(bits & ~SIGN_BIT, uvec4(INFINITY));
    if (IS_LONG) {
        scale_sums(own, greatest.x);
    } else {
        EACH(take_powers)
    }
    if (!all(is_finite))
        take_nans();
    uvec4 totals = floatBitsToUint(sums);
    of_all(totals, unused, SECOND, true, false);
    if (IS_LONG && totals.x == 0 && is_finite.x) // nothing but -infinity
        totals = uvec4(QUIET_NAN);
    sums = uintBitsToFloat(totals);
    bvec4 are_nan = isnan_of(totals);
    is_ordinary = all(is_finite) && !any(are_nan);
    factors = vec4(factor_of(sums.x));
    if (ACROSS)
        factors = vec4(factors.x, factor_of(sums.y), factor_of(sums.z), factor_of(sums.w));
    if (!is_ordinary)
        factors = mix(mix(vec4(0.0), factors, is_finite), sums, are_nan);
}
