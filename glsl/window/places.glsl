// Where a coordinate of the target lies in the source.

// Of a walk: a coordinate to begin at; the steps and the first of them; the source's size. Then of whole factors: the factor, its
// multiplier and shifts, and as FLOAT32 half of its reciprocal; else scale, reciprocal and offsets. Then the greatest place, what is
// added before it is rounded, of averages how far they reach, and all their steps.

uvec4 steps_of(uint walk)
{
    return parameters.walks[VECTORS_PER_WALK * walk];
}

uvec4 scaling_of(uint walk)
{
    return parameters.walks[VECTORS_PER_WALK * walk + 1];
}

uvec4 rounding_of(uint walk)
{
    return parameters.walks[VECTORS_PER_WALK * walk + 2];
}

uint high_half(float x)
{
    return floatBitsToUint(x) & 0xFFFFF000u;
}

// n / d as IEEE 754 has it, d above 0, from a quotient that is within 1.5 units of its last place: what the exact rest says of it and of
// its neighbour on the rest's side.
float rounded_quotient(float n, float d, float quotient)
{
    float d_high = uintBitsToFloat(high_half(d));
    float high = uintBitsToFloat(high_half(quotient));
    precise float d_low = d - d_high;
    precise float low = quotient - high;
    precise float product = quotient * d;
    precise float behind = high * d_high - product + high * d_low + low * d_high + low * d_low; // all exact
    precise float rest = n - product - behind;
    uint outward = (rest < 0.0) == (quotient < 0.0) ? 1u : 0xFFFFFFFFu;
    float neighbour = uintBitsToFloat(floatBitsToUint(quotient) + outward);
    precise float between = (neighbour - quotient) * 0.5 * d;
    return abs(rest) > abs(between) ? neighbour : quotient;
}

// The formula in FLOAT32, each operation rounded to nearest, so that all devices find the same neighbours. Those beyond the source's are
// its outermost.
float place_of(uint walk, uint coordinate)
{
    vec4 scaling = uintBitsToFloat(scaling_of(walk));
    vec2 limits = uintBitsToFloat(rounding_of(walk).xy);
    precise float number = float(coordinate >> 12) * 4096.0 + float(coordinate & 0xFFF);
    precise float distance = number - scaling.z;
    precise float quotient = distance * scaling.y;
    if (DIVIDES)
        quotient = rounded_quotient(distance, scaling.x, quotient);
    precise float place = quotient - scaling.w;
    place = abs(place) < 2.3283064365386963e-10 ? 0.0 : place; // 2^-32; devices differ in what is denormal
    precise float biased = place + limits.y;
    return clamp(biased, 0.0, limits.x);
}

uint nearest_of(uint walk, uint coordinate)
{
    float place = place_of(walk, coordinate);
    uint below = uint(place);
    return below + (BOTH(ROUNDS_UP, float(below) < place) ? 1 : 0);
}

// Two neighbours and their shares.
struct Pair {
    uint first;
    vec2 weights;
};

Pair cut_pair(Pair p, uvec4 steps)
{
    if (IS_CUT) {
        if (steps.z != 0)
            p.weights.x = 0.0;
        if (steps.z + steps.y < 2)
            p.weights.y = 0.0;
    }
    return p;
}

Pair pair_of(uint walk, uint coordinate)
{
    uvec4 steps = steps_of(walk);
    if (IS_SCALED) {
        float place = place_of(walk, coordinate);
        uint first = uint(place);
        precise float far = place - float(first);
        precise float near = 1.0 - far;
        return cut_pair(Pair(first, vec2(near, far)), steps);
    }
    uvec4 factor = scaling_of(walk);
    uint first = divide(coordinate, factor.y, factor.z);
    uint part = coordinate - first * factor.x;
    uint halves = 2 * part + 1 - factor.x; // between the centres, in units of half a step
    if (part < factor.x >> 1) {
        first -= 1;
        halves += 2 * factor.x;
    }
    precise float far = float(halves) * uintBitsToFloat(factor.w);
    precise float near = 1.0 - far;
    Pair p = Pair(first, vec2(near, far));
    if (first + 1 == 0 || first + 1 == steps.w) {
        p.first = min(first + 1, steps.w - 1);
        p.weights = vec2(1.0, 0.0);
    }
    return cut_pair(p, steps);
}

// Elements around a place, of which each has a share that falls off with its distance.
struct Spread {
    uint first;
    float place;
    float scale;
    float share; // of an element at the place
};

float nearness(Spread s, uint element)
{
    precise float distance = float(element) - s.place;
    precise float share = 1.0 - abs(distance) * s.scale;
    return max(share, 0.0);
}

Spread spread_of(uint walk, uint coordinate)
{
    uvec4 rounding = rounding_of(walk);
    Spread s;
    s.place = place_of(walk, coordinate);
    s.scale = uintBitsToFloat(scaling_of(walk).x);
    s.first = max(uint(s.place) + 1, rounding.z) - rounding.z;
    uint behind = min(s.first + rounding.w, steps_of(walk).w);
    precise float sum = 0.0;
    [[dont_unroll]] for (uint element = s.first; element < behind; ++element)
        sum = sum + nearness(s, element);
    s.share = math_quotient(1.0, sum);
    return s;
}
