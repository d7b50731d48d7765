// Sums over a workgroup; with VKDML_SUBGROUPS by subgroup operations, else in shared memory alone.
#ifndef VKDML_WORKGROUP_GLSL
#define VKDML_WORKGROUP_GLSL

shared uint scratch[gl_WorkGroupSize.x];

// The invocation's place in the order that workgroup_sum() counts in, 0 to gl_WorkGroupSize.x - 1.
uint lane;

#ifdef VKDML_SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

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

// To be called first. Vulkan promises neither that subgroups are full nor which invocations they hold, so places are
// counted rather than computed.
void begin_workgroup()
{
    uint before;
    sum_subgroups(subgroupAdd(1), before);
    lane = before + subgroupExclusiveAdd(1);
}

// The sum of `value` over the workgroup, for all its invocations; *before gets the sum over those of lower places.
uint workgroup_sum(uint value, out uint before)
{
    uint sum = sum_subgroups(subgroupAdd(value), before);
    before += subgroupExclusiveAdd(value);
    return sum;
}

#else

void begin_workgroup()
{
    lane = gl_LocalInvocationIndex;
}

uint workgroup_sum(uint value, out uint before)
{
    scratch[lane] = value;
    barrier();
    for (uint reach = 1; reach < gl_WorkGroupSize.x; reach *= 2) {
        uint lower = lane >= reach ? scratch[lane - reach] : 0;
        barrier();
        scratch[lane] += lower;
        barrier();
    }
    before = scratch[lane] - value;
    uint sum = scratch[gl_WorkGroupSize.x - 1];
    barrier(); // scratch may be used again
    return sum;
}

#endif
#endif
