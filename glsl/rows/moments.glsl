// ---- moments ----

vec4 means;
vec4 squares;

void take_elements(uint n)
{
    precise vec4 next = sums + held[n]; // 0 where there is none
    sums = next;
}

void take_distances(uint n)
{
    precise vec4 distances = held[n] - means;
    if (exists(n)) {
        precise vec4 next = sums + distances;
        precise vec4 next_squares = squares + distances * distances;
        sums = next;
        squares = next_squares;
    }
    held[n] = distances;
}

void finish_normalized(uint n)
{
    precise vec4 results = (held[n] - means) * factors;
    if (exists(n)) {
        if (HAS_SCALE)
            results = results * scale_at(n);
        if (HAS_BIAS)
            results = results + bias_at(n);
    }
    held[n] = results;
}

vec4 means_of(uvec4 totals)
{
    precise vec4 quotients = uintBitsToFloat(totals) * uintBitsToFloat(parameters.inverse_count);
    return quotients;
}

float inverse_deviation(float variance)
{
    precise float sum = variance + uintBitsToFloat(parameters.argument);
    return inverse_root_of(sum);
}

// Twice over what is held. What the first mean lacks, since it is a FLOAT32, the distances from it have.
void normalize()
{
    uvec4 unused = uvec4(0);
    sums = vec4(0.0);
    squares = vec4(0.0);
    means = vec4(0.0);
    if (!ABOUT_ZERO) {
        EACH(take_elements)
        uvec4 totals = floatBitsToUint(sums);
        of_all(totals, unused, true, false);
        means = means_of(totals);
        sums = vec4(0.0);
    }
    EACH(take_distances)
    first_value = floatBitsToUint(sums);
    second_value = floatBitsToUint(squares);
    of_all(first_value, second_value, true, true);
    precise vec4 rests = ABOUT_ZERO ? vec4(0.0) : means_of(first_value);
    precise vec4 variances = means_of(second_value) - rests * rests;
    variances = mix(variances, vec4(0.0), lessThan(variances, vec4(0.0)));
    means = rests;
    factors = vec4(inverse_deviation(variances.x));
    if (ACROSS)
        factors = vec4(factors.x, inverse_deviation(variances.y), inverse_deviation(variances.z), inverse_deviation(variances.w));
    // Beside infinities and NaN both factor and mean are NaN; scales may be anything.
    is_ordinary = EITHER(HAS_SCALE, HAS_BIAS) ? false : all(lessThan(floatBitsToUint(factors), uvec4(INFINITY)));
    EACH(finish_normalized)
}

