// What every kernel shares: workgroup size, and where bound resources begin.
#ifndef VKDML_BINDING_GLSL
#define VKDML_BINDING_GLSL

layout(local_size_x_id = 0) in;

// Per storage buffer, the bytes between the start of its descriptor and the resource: descriptors begin at the bound
// offset rounded down to minStorageBufferOffsetAlignment. Multiples of 4.
layout(push_constant) uniform PushConstants {
    uvec4 base_bytes;
} push;

// The index of this workgroup in a grid folded into two dimensions.
uint group_index()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

#endif
