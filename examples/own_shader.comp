// The application's own shader in import.c: squares the elements of a buffer in place.
#version 450

layout(local_size_x = 32) in;

layout(std430, set = 0, binding = 0) buffer Elements {
    float elements[];
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < elements.length()) {
        elements[i] *= elements[i];
    }
}
