// ---- norms ----

uvec4 most;   // magnitudes
vec4 scaling; // a power of two, which keeps squares from overflow and from vanishing
vec4 lowering; // of an element, and of the norm before it is inverted, which leaves no inverse denormal

void find_most(uint n)
{
    most = max(most, floatBitsToUint(held[n]) & ~SIGN_BIT);
}

void take_magnitudes(uint n)
{
    precise vec4 terms = abs(held[n]) * scaling; // 0 where there is none
    if (SQUARES)
        terms = terms * terms;
    precise vec4 next = sums + terms;
    sums = next;
}

void finish_magnitudes(uint n)
{
    precise vec4 lowered = held[n] * lowering;
    precise vec4 results = lowered * factors;
    held[n] = results;
}

uint exponent_of(uint magnitude)
{
    return clamp(magnitude >> 23, 1, 253);
}

// The inverse of the norm times `scale`.
float inverse_norm(uint total, uint magnitude, out float scale)
{
    uint norm = math_multiply(SQUARES ? math_sqrt(total) : total, exponent_of(magnitude) << 23);
    if (magnitude >= INFINITY)
        norm = magnitude; // infinity, or NaN
    norm = max(norm, parameters.argument); // that of NaN is greater
    if (norm < 0x7E800000u) { // 2^126
        scale = 1.0;
        return inverse_of(uintBitsToFloat(norm)); // which may be denormal: a product might be 0
    }
    scale = 0.25;
    precise float lowered = uintBitsToFloat(norm) * scale;
    return inverse_of(lowered);
}

void choose_scaling()
{
    uvec4 exponents = uvec4(exponent_of(most.x), exponent_of(most.y), exponent_of(most.z), exponent_of(most.w));
    scaling = uintBitsToFloat((254 - exponents) << 23);
}

// ---- of a long row ----

// Sums at the scale of one magnitude at that of another that is not less.
void lower_sums(uint from, uint to)
{
    uint distance = min(exponent_of(to) - exponent_of(from), 126);
    precise vec4 lower = sums * uintBitsToFloat((127 - distance) << 23);
    if (SQUARES)
        lower = lower * uintBitsToFloat((127 - distance) << 23);
    sums = lower;
}

void take_block_of_magnitudes()
{
    uint known = most.x;
    EACH(find_most)
    most = uvec4(max(max(most.x, most.y), max(most.z, most.w)));
    lower_sums(known, most.x);
    choose_scaling();
    EACH(take_magnitudes)
}

void take_blocks_of_magnitudes()
{
    take_block_of_magnitudes();
    [[dont_unroll]] for (uint block = 1; block < parameters.block_count; ++block) {
        load_block(block);
        take_block_of_magnitudes();
    }
}

// ---- of any ----

void survey_magnitudes()
{
    uvec4 unused = uvec4(0);
    most = uvec4(0);
    sums = vec4(0.0);
    if (IS_LONG) {
        take_blocks_of_magnitudes();
    } else {
        EACH(find_most)
    }
    uint own = most.x;
    of_all(most, unused, FIRST, false, false);
    if (IS_LONG) {
        lower_sums(own, most.x);
    } else {
        choose_scaling();
        EACH(take_magnitudes)
    }
    uvec4 totals = floatBitsToUint(sums);
    of_all(totals, unused, SECOND, true, false);
    factors = vec4(inverse_norm(totals.x, most.x, lowering.x));
    lowering = lowering.xxxx;
    if (ACROSS)
        factors = vec4(factors.x, inverse_norm(totals.y, most.y, lowering.y),
                       inverse_norm(totals.z, most.z, lowering.z), inverse_norm(totals.w, most.w, lowering.w));
    is_ordinary = all(lessThan(most, uvec4(INFINITY))) && all(lessThan(floatBitsToUint(factors), uvec4(INFINITY)));
}
