// ---- moments ----

vec4 means;
vec4 rests; // what the means lack, since they are FLOAT32
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

void finish_distances(uint n)
{
    precise vec4 results = (held[n] - rests) * factors;
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

// ---- of a long row ----

float counted; // elements

void count(uint n)
{
    precise float next = counted + (exists(n) ? 4.0 : 0.0);
    counted = next;
}

float total_of(vec4 x)
{
    precise float total = (x.x + x.y) + (x.z + x.w);
    return total;
}

// Of an invocation's elements, all blocks so far: their number, mean, and the sum of squares of distances from it.
vec3 own = vec3(0.0);

// What a block has is found twice over what is held, and joined to that (Chan, Golub and LeVeque).
void join_block()
{
    counted = 0.0;
    EACH(count)
    sums = vec4(0.0);
    EACH(take_elements)
    float inverse = inverse_of_moderate(max(counted, 1.0));
    precise float mean = total_of(sums) * inverse;
    means = vec4(mean);
    sums = vec4(0.0);
    squares = vec4(0.0);
    EACH(take_distances)
    precise float offset = total_of(sums) * inverse;
    mean = mean + offset;
    precise float count = own.x + counted;
    precise float part = counted * inverse_of_moderate(max(count, 1.0));
    precise float distance = mean - own.y;
    precise float between = distance * own.x * part * distance;
    precise float within = total_of(squares) - offset * total_of(sums);
    precise vec3 both = vec3(count, own.y + distance * part, own.z + (max(within, 0.0) + between));
    own = both;
}

void join_blocks()
{
    join_block();
    [[dont_unroll]] for (uint block = 1; block < parameters.block_count; ++block) {
        load_block(block);
        join_block();
    }
    precise float sum = own.x * own.y;
    uvec4 totals = uvec4(floatBitsToUint(sum), 0, 0, 0);
    uvec4 unused = uvec4(0);
    of_all(totals, unused, FIRST, true, false);
    means = means_of(totals);
    precise float distance = own.y - means.x;
    precise float rest = own.x * distance;
    precise float square = own.z + rest * distance;
    sums = vec4(rest, 0.0, 0.0, 0.0);
    squares = vec4(square, 0.0, 0.0, 0.0);
}

void square_blocks()
{
    EACH(take_distances)
    [[dont_unroll]] for (uint block = 1; block < parameters.block_count; ++block) {
        load_block(block);
        EACH(take_distances)
    }
}

// ---- of any ----

// Twice over what is held.
void take_held()
{
    uvec4 unused = uvec4(0);
    if (!ABOUT_ZERO) {
        EACH(take_elements)
        uvec4 totals = floatBitsToUint(sums);
        of_all(totals, unused, FIRST, true, false);
        means = means_of(totals);
        sums = vec4(0.0);
    }
    EACH(take_distances)
}

void survey_moments()
{
    sums = vec4(0.0);
    squares = vec4(0.0);
    means = vec4(0.0);
    if (!IS_LONG)
        take_held();
    else if (ABOUT_ZERO)
        square_blocks();
    else
        join_blocks();
    uvec4 first_value = floatBitsToUint(sums);
    uvec4 second_value = floatBitsToUint(squares);
    of_all(first_value, second_value, SECOND, true, true);
    rests = ABOUT_ZERO ? vec4(0.0) : means_of(first_value);
    precise vec4 variances = means_of(second_value) - rests * rests;
    variances = mix(variances, vec4(0.0), lessThan(variances, vec4(0.0)));
    factors = vec4(inverse_deviation(variances.x));
    if (ACROSS)
        factors = vec4(factors.x, inverse_deviation(variances.y), inverse_deviation(variances.z),
                       inverse_deviation(variances.w));
    // Beside infinities and NaN both factor and mean are NaN; scales may be anything.
    is_ordinary = EITHER(HAS_SCALE, HAS_BIAS) ? false : all(lessThan(floatBitsToUint(factors), uvec4(INFINITY)));
}
