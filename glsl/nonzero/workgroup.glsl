// Sums of pairs over a workgroup; with VKDML_SUBGROUPS by subgroup operations, else in shared memory alone. Who
// includes this declares `shared uint scratch[]` of at least 4 * gl_WorkGroupSize.x words. All invocations must be done
// with it before a sum, and may use it after.
#ifndef VKDML_WORKGROUP_GLSL
#define VKDML_WORKGROUP_GLSL

void keep_pair(uint n, uvec2 pair)
{
    scratch[2 * n] = pair.x;
    scratch[2 * n + 1] = pair.y;
}

uvec2 kept_pair(uint n)
{
    return uvec2(scratch[2 * n], scratch[2 * n + 1]);
}

#ifdef VKDML_SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

// The sum of a pair per subgroup over all subgroups, and over lower ones.
uvec2 sum_subgroups(uvec2 value, out uvec2 before)
{
    if (subgroupElect())
        keep_pair(gl_SubgroupID, value);
    barrier();
    uvec2 sum = uvec2(0);
    before = uvec2(0);
    for (uint i = 0; i < gl_NumSubgroups; ++i) {
        before = i == gl_SubgroupID ? sum : before;
        sum += kept_pair(i);
    }
    barrier();
    return sum;
}

// The invocation's place in the order that workgroup_sum() counts in, 0 to gl_WorkGroupSize.x - 1. Vulkan promises
// neither that subgroups are full nor which invocations they hold, so places are counted rather than computed.
uint workgroup_place()
{
    uvec2 before;
    sum_subgroups(uvec2(subgroupAdd(1), 0), before);
    return before.x + subgroupExclusiveAdd(1);
}

// The sum of `value` over the workgroup, for all its invocations.
uvec2 workgroup_total(uvec2 value)
{
    uvec2 before;
    return sum_subgroups(subgroupAdd(value), before);
}

// The same; *before gets the sum over those of lower places.
uvec2 workgroup_sum(uvec2 value, out uvec2 before)
{
    uvec2 inclusive = subgroupInclusiveAdd(value);
    uvec2 sum = sum_subgroups(subgroupAdd(value), before);
    before += inclusive - value;
    return sum;
}

#else

uint workgroup_place()
{
    return gl_LocalInvocationIndex;
}

uvec2 workgroup_sum(uvec2 value, out uvec2 before)
{
    uint self = gl_LocalInvocationIndex;
    uint half_from = 0; // of two: each step reads one and writes the other, so that a barrier between steps is enough
    uvec2 inclusive = value;
    keep_pair(self, value);
    barrier();
    for (uint reach = 1; reach < gl_WorkGroupSize.x; reach *= 2) {
        inclusive += self >= reach ? kept_pair(half_from + self - reach) : uvec2(0);
        half_from = gl_WorkGroupSize.x - half_from;
        keep_pair(half_from + self, inclusive);
        barrier();
    }
    before = inclusive - value;
    uvec2 sum = kept_pair(half_from + gl_WorkGroupSize.x - 1);
    barrier();
    return sum;
}

uvec2 workgroup_total(uvec2 value)
{
    uvec2 before;
    return workgroup_sum(value, before);
}

#endif
#endif
