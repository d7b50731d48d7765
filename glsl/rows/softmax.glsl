// ---- softmax ----

// Of numbers in their order; that of NaN is the greatest.
uint key_of(uint x)
{
    return is_nan(x) ? 0xFFFFFFFFu : x ^ (uint(int(x) >> 31) | SIGN_BIT);
}

uint number_of(uint key)
{
    return key == 0xFFFFFFFFu ? QUIET_NAN : (key & SIGN_BIT) != 0 ? key ^ SIGN_BIT : ~key;
}

vec4 greatest; // of numbers; NaN may be passed over, but not in sums

void find_greatest(uint n)
{
    if (exists(n))
        greatest = max(greatest, held[n]);
}

bvec4 is_finite; // the greatest of each row

// e^x within 2^-16 for x from -87 to 0: math_half_power() with its products and sums fused, where a device fuses them. It has an
// H200's time for some 28 instructions an element, and these are 10 of them; what a device makes of it hangs on its sums either way.
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

vec4 sums;

void take_powers(uint n)
{
    precise vec4 distances = held[n] - greatest;
    vec4 powers = vec4(power_of(distances.x), power_of(distances.y), power_of(distances.z), power_of(distances.w));
    if (exists(n)) {
        precise vec4 next = sums + powers;
        sums = next;
    }
    held[n] = FUNCTION == SOFTMAX ? powers : distances;
}

// Of a row whose greatest is infinity the sum tells NaN alone.
void take_nans(uint n)
{
    if (exists(n)) {
        bvec4 are_nan = isnan_of(floatBitsToUint(item_at(n)));
        precise vec4 next = sums + uintBitsToFloat(mix(uvec4(0), uvec4(QUIET_NAN), are_nan));
        sums = mix(next, sums, is_finite);
    }
}

vec4 factors; // or what is added

void finish_softmax(uint n)
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

void finish_extraordinary(uint n)
{
    if (exists(n)) {
        vec4 x = item_at(n);
        vec4 powers = held[n];
        held[n] = vec4(extraordinary(powers.x, x.x, greatest.x, is_finite.x), extraordinary(powers.y, x.y, greatest.y, is_finite.y),
                       extraordinary(powers.z, x.z, greatest.z, is_finite.z), extraordinary(powers.w, x.w, greatest.w, is_finite.w));
    }
}

float factor_of(float sum)
{
    return FUNCTION == SOFTMAX ? inverse_of(sum) : uintBitsToFloat(math_log(floatBitsToUint(sum)));
}

void softmax()
{
    greatest = vec4(uintBitsToFloat(SIGN_BIT | INFINITY));
    EACH(find_greatest)
    uvec4 bits = floatBitsToUint(greatest);
    uvec4 keys = uvec4(key_of(bits.x), key_of(bits.y), key_of(bits.z), key_of(bits.w));
    uvec4 unused = uvec4(0);
    of_all(keys, unused, false, false);
    bits = uvec4(number_of(keys.x), number_of(keys.y), number_of(keys.z), number_of(keys.w));
    greatest = uintBitsToFloat(bits);
    is_finite = lessThan(bits & ~SIGN_BIT, uvec4(INFINITY));
    is_ordinary = all(is_finite);
    sums = vec4(0.0);
    EACH(take_powers)
    if (!all(is_finite)) {
        sums = mix(vec4(0.0), sums, is_finite);
        EACH(take_nans)
    }
    uvec4 totals = floatBitsToUint(sums);
    of_all(totals, unused, true, false);
    sums = uintBitsToFloat(totals);
    is_ordinary = is_ordinary && !any(isnan_of(totals));
    factors = vec4(factor_of(sums.x));
    if (ACROSS)
        factors = vec4(factors.x, factor_of(sums.y), factor_of(sums.z), factor_of(sums.w));
    factors = mix(mix(vec4(0.0), sums, isnan_of(totals)), factors, is_finite);
    EACH(finish_softmax)
    if (FUNCTION == SOFTMAX && !is_ordinary) {
        EACH(finish_extraordinary)
    }
}

