// What a device reads at most: `vkdml bench` holds reductions to it. No kernel of the library's. An invocation loads SHARE vectors
// of 16 bytes, four on their way at once, and writes only where they are what they hardly ever are.
#version 450

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint SHARE = 4;         // a multiple of 4
layout(constant_id = 2) const bool IS_SERIAL = false; // an invocation's vectors lie side by side; else its neighbours' do

layout(std430, binding = 0) readonly buffer Source {
    uvec4 vectors[];
} source;

layout(std430, binding = 1) buffer Destination {
    uint words[];
} destination;

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint local_size = gl_WorkGroupSize.x;
    uint step = IS_SERIAL ? 1u : local_size;
    uint at = group * local_size * SHARE + gl_LocalInvocationIndex * (IS_SERIAL ? SHARE : 1u);
    uvec4 all = uvec4(0);
    for (uint i = 0; i < SHARE; i += 4) {
        uvec4 a = source.vectors[at];
        uvec4 b = source.vectors[at + step];
        uvec4 c = source.vectors[at + 2 * step];
        uvec4 d = source.vectors[at + 3 * step];
        all ^= (a ^ b) ^ (c ^ d);
        at += 4 * step;
    }
    if (all == uvec4(1, 2, 3, 4))
        destination.words[0] = group;
}
