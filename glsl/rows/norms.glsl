// ---- norms ----

uvec4 most;   // magnitudes
vec4 scaling; // a power of two, which keeps squares from overflow and from vanishing

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

void finish_quotients(uint n)
{
    precise vec4 results = held[n] * factors;
    held[n] = results;
}

uint exponent_of(uint magnitude)
{
    return clamp(magnitude >> 23, 1, 253);
}

float inverse_norm(uint total, uint magnitude)
{
    uint norm = math_multiply(SQUARES ? math_sqrt(total) : total, exponent_of(magnitude) << 23);
    if (magnitude >= INFINITY)
        norm = magnitude; // infinity, or NaN
    return inverse_of(uintBitsToFloat(max(norm, parameters.argument))); // that of NaN is greater
}

void divide_by_norm()
{
    uvec4 unused = uvec4(0);
    most = uvec4(0);
    EACH(find_most)
    of_all(most, unused, false, false);
    uvec4 exponents = uvec4(exponent_of(most.x), exponent_of(most.y), exponent_of(most.z), exponent_of(most.w));
    scaling = uintBitsToFloat((254 - exponents) << 23);
    sums = vec4(0.0);
    EACH(take_magnitudes)
    uvec4 totals = floatBitsToUint(sums);
    of_all(totals, unused, true, false);
    factors = vec4(inverse_norm(totals.x, most.x));
    if (ACROSS)
        factors = vec4(factors.x, inverse_norm(totals.y, most.y), inverse_norm(totals.z, most.z), inverse_norm(totals.w, most.w));
    is_ordinary = all(lessThan(most, uvec4(INFINITY))) && all(lessThan(floatBitsToUint(factors), uvec4(INFINITY)));
    EACH(finish_quotients)
}

