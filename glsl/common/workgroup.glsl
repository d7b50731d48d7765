// Sums over a workgroup; with VKDML_SUBGROUPS by subgroup operations, else in shared memory alone.
#ifndef VKDML_WORKGROUP_GLSL
#define VKDML_WORKGROUP_GLSL

#ifdef VKDML_SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

shared uint scratch[gl_WorkGroupSize.x];

// The sum of a value per subgroup over all subgroups, and over lower ones.
uint sum_subgroups(uint value, out uint before)
{
    if (subgroupElect())
        scratch[gl_SubgroupID] = value;
    barrier();
    uint sum = 0;
    before = 0;
    for (uint i = 0; i < gl_NumSubgroups; ++i) {
        before = i == gl_SubgroupID ? sum : before;
        sum += scratch[i];
    }
    barrier(); // scratch may be used again
    return sum;
}

// The invocation's place in the order that workgroup_sum() counts in, 0 to gl_WorkGroupSize.x - 1. Vulkan promises neither
// that subgroups are full nor which invocations they hold, so places are counted rather than computed.
uint workgroup_place()
{
    uint before;
    sum_subgroups(subgroupAdd(1), before);
    return before + subgroupExclusiveAdd(1);
}

// The sum of `value` over the workgroup, for all its invocations.
uint workgroup_total(uint value)
{
    uint before;
    return sum_subgroups(subgroupAdd(value), before);
}

// The same; *before gets the sum over those of lower places.
uint workgroup_sum(uint value, out uint before)
{
    uint inclusive = subgroupInclusiveAdd(value);
    uint sum = sum_subgroups(subgroupAdd(value), before);
    before += inclusive - value;
    return sum;
}

#else

// Two halves: each step of a sum reads one and writes the other, so that a barrier between steps is enough.
shared uint scratch[2 * gl_WorkGroupSize.x];

uint workgroup_place()
{
    return gl_LocalInvocationIndex;
}

uint workgroup_sum(uint value, out uint before)
{
    uint self = gl_LocalInvocationIndex;
    uint half_from = 0;
    uint inclusive = value;
    scratch[self] = value;
    barrier();
    for (uint reach = 1; reach < gl_WorkGroupSize.x; reach *= 2) {
        inclusive += self >= reach ? scratch[half_from + self - reach] : 0;
        half_from = gl_WorkGroupSize.x - half_from;
        scratch[half_from + self] = inclusive;
        barrier();
    }
    before = inclusive - value;
    uint sum = scratch[half_from + gl_WorkGroupSize.x - 1];
    barrier(); // scratch may be used again
    return sum;
}

uint workgroup_total(uint value)
{
    uint before;
    return workgroup_sum(value, before);
}

#endif
#endif
