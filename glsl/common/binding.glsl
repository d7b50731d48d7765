// What every kernel shares: workgroup size, and where bound resources begin.
#ifndef VKDML_BINDING_GLSL
#define VKDML_BINDING_GLSL

layout(local_size_x_id = 0) in;

// Whether all resources begin where their descriptors do, on every device whose alignment is a tensor's: then there is
// nothing to load before the first address is known.
layout(constant_id = 24) const bool BASES_ARE_ZERO = false;

// Per storage buffer, the bytes between the start of its descriptor and the resource: descriptors begin at the bound
// offset rounded down to minStorageBufferOffsetAlignment. Multiples of 4. A kernel of more than four buffers defines
// HAS_EIGHT_BUFFERS.
layout(push_constant) uniform PushConstants {
    uvec4 base_bytes;
#ifdef HAS_EIGHT_BUFFERS
    uvec4 more_base_bytes;
#endif
} pushed;

struct Bases {
    uvec4 base_bytes;
#ifdef HAS_EIGHT_BUFFERS
    uvec4 more_base_bytes;
#endif
};

#ifdef HAS_EIGHT_BUFFERS
Bases push = Bases(BASES_ARE_ZERO ? uvec4(0) : pushed.base_bytes, BASES_ARE_ZERO ? uvec4(0) : pushed.more_base_bytes);
#else
Bases push = Bases(BASES_ARE_ZERO ? uvec4(0) : pushed.base_bytes);
#endif

// The index of this workgroup in a grid folded into two dimensions.
uint group_index()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

#endif
