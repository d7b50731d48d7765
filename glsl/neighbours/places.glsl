// Where a coordinate of the target lies in the source.

// Of a walk: a coordinate to begin at; the steps and the first of them; the source's size. Then of whole factors: the
// factor, its multiplier and shifts, and as FLOAT32 half of its reciprocal; else scale, reciprocal and offsets. Then
// the greatest place, what is added before it is rounded, and of averages how far they reach.

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

// n / d as IEEE 754 has it, d above 0, from quotients that are within 1.5 units of their last place: what the exact
// rest says of one and of its neighbour on the rest's side.
vec4 rounded_quotients(vec4 n, float d, vec4 quotients)
{
    float d_high = uintBitsToFloat(floatBitsToUint(d) & 0xFFFFF000u);
    vec4 high = uintBitsToFloat(floatBitsToUint(quotients) & 0xFFFFF000u);
    precise float d_low = d - d_high;
    precise vec4 low = quotients - high;
    precise vec4 product = quotients * d;
    precise vec4 behind = high * d_high - product + high * d_low + low * d_high + low * d_low; // all exact
    precise vec4 rest = n - product - behind;
    uvec4 inward = (floatBitsToUint(rest) ^ floatBitsToUint(quotients)) >> 31;
    vec4 neighbours = uintBitsToFloat(floatBitsToUint(quotients) + 1u - 2u * inward);
    precise vec4 between = (neighbours - quotients) * 0.5 * d;
    return mix(quotients, neighbours, greaterThan(abs(rest), abs(between)));
}

// The formula in FLOAT32, each operation rounded to nearest, so that all devices find the same neighbours.
vec4 any_places_of(uint walk, uvec4 coordinates)
{
    vec4 scaling = uintBitsToFloat(scaling_of(walk));
    precise vec4 numbers = vec4(coordinates >> 12) * 4096.0 + vec4(coordinates & 0xFFF);
    precise vec4 distances = numbers - scaling.z;
    precise vec4 quotients = distances * scaling.y;
    if (DIVIDES)
        quotients = rounded_quotients(distances, scaling.x, quotients);
    precise vec4 places = quotients - scaling.w;
    // 2^-32; devices differ in what is denormal
    return mix(places, vec4(0.0), lessThan(abs(places), vec4(2.3283064365386963e-10)));
}

// Those beyond the source's are its outermost.
vec4 places_of(uint walk, uvec4 coordinates)
{
    vec2 limits = uintBitsToFloat(rounding_of(walk).xy);
    vec4 places = any_places_of(walk, coordinates);
    precise vec4 biased = places + limits.y;
    return clamp(biased, 0.0, limits.x);
}

uvec4 nearest_of(uint walk, uvec4 coordinates)
{
    vec4 places = places_of(walk, coordinates);
    uvec4 below = uvec4(places);
    return ROUNDS_UP ? below + uvec4(lessThan(vec4(below), places)) : below;
}

// Two neighbours of each of four, and their shares. Where one has none its place is the other's, so that it can be
// loaded.
struct Pairs {
    uvec4 near;
    uvec4 far;
    vec4 near_weights;
    vec4 far_weights;
};

const vec4 NONE = vec4(0.0);

Pairs pairs_at(uvec4 first, vec4 near, vec4 far, uvec4 steps)
{
    if (IS_CUT) {
        near = steps.z != 0 ? NONE : near;
        far = steps.z + steps.y < 2 ? NONE : far;
    }
    uvec4 nearer = min(first + uvec4(equal(near, NONE)), uvec4(steps.w - 1));
    return Pairs(nearer, mix(first + 1, nearer, equal(far, NONE)), near, far);
}

Pairs scaled_pairs_of(uint walk, uvec4 coordinates)
{
    vec4 places = places_of(walk, coordinates);
    uvec4 first = uvec4(places);
    precise vec4 far = places - vec4(first);
    precise vec4 near = 1.0 - far;
    return pairs_at(first, near, far, steps_of(walk));
}

uvec4 divide(uvec4 n, uvec4 d)
{
    uvec4 high, low;
    umulExtended(uvec4(d.y), n, high, low);
    return (high + ((n - high) >> (d.z & 0xFF))) >> (d.z >> 8);
}

Pairs pairs_of(uint walk, uvec4 coordinates)
{
    if (IS_SCALED)
        return scaled_pairs_of(walk, coordinates);
    uvec4 steps = steps_of(walk);
    uvec4 factor = scaling_of(walk);
    uvec4 first = divide(coordinates, factor);
    uvec4 parts = coordinates - first * factor.x;
    uvec4 before = uvec4(lessThan(parts, uvec4(factor.x >> 1)));
    uvec4 halves = 2 * parts + 1 - factor.x + before * 2 * factor.x; // between the centres, in units of half a step
    precise vec4 far = vec4(halves) * uintBitsToFloat(factor.w);
    first -= before;
    uvec4 inside = min(first + 1, uvec4(steps.w - 1)); // -1 lies before all
    bvec4 outside = equal(uvec4(equal(first + 1, uvec4(0))) | uvec4(equal(first + 1, uvec4(steps.w))), uvec4(1));
    far = mix(far, NONE, outside);
    precise vec4 near = 1.0 - far;
    return pairs_at(mix(first, inside, outside), near, far, steps);
}

// Steps around a place: elements from `reach` before it on, of which each has a share that falls off with its distance.
// Those beyond the source's are its outermost.
struct Spread {
    uint reach;
    uint below; // the place rounded down, and `reach` more
    float part; // of an element, that the place lies above
    float scale;
    float share; // at the place
};

float nearness(Spread s, uint n)
{
    precise float distance = float(int(n + 1 - s.reach)) - s.part;
    precise float share = 1.0 - abs(distance) * s.scale;
    return max(share, 0.0);
}

uint element_at(Spread s, uint n, uint size)
{
    uint element = max(s.below + n + 1, 2 * s.reach) - 2 * s.reach;
    return min(element, size - 1);
}

Spread spread_of(uint walk, uint coordinate)
{
    uvec4 rounding = rounding_of(walk);
    Spread s;
    s.reach = rounding.z;
    s.scale = uintBitsToFloat(scaling_of(walk).x);
    precise float behind = uintBitsToFloat(rounding.x) + float(s.reach);
    float place = clamp(any_places_of(walk, uvec4(coordinate)).x, -float(s.reach), behind);
    float whole = floor(place);
    precise float part = place - whole;
    s.part = part;
    s.below = whole < 0.0 ? s.reach - uint(abs(whole)) : uint(whole) + s.reach;
    precise float sum = 0.0;
    [[dont_unroll]] for (uint n = 0; n < 2 * s.reach; ++n)
        sum = sum + nearness(s, n);
    s.share = math_quotient(1.0, sum);
    return s;
}
