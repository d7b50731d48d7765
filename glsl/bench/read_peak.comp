// What a device reads at most: `vkdml bench` holds reductions to it. No kernel of the library's. An invocation loads
// `share` vectors of 16 bytes, four on their way at once, and writes only where they are what they hardly ever are.
#version 450

layout(local_size_x = 128) in;

layout(push_constant) uniform PushConstants {
    uint share;     // a multiple of 4
    uint is_serial; // an invocation's vectors lie side by side; else its neighbours' do
} form;

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
    bool is_serial = form.is_serial != 0;
    uint step = is_serial ? 1u : local_size;
    uint at = group * local_size * form.share + gl_LocalInvocationIndex * (is_serial ? form.share : 1u);
    uvec4 all = uvec4(0);
    for (uint i = 0; i < form.share; i += 4) {
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
