// What a device makes of floats where a module asks for nothing: `vkdml selftest` reports it. No kernel of the
// library's. A workgroup does one operation, on operands of which no compiler knows anything; bits go in and out as
// integers.
#version 450

layout(local_size_x = 1) in;

layout(std430, binding = 0) readonly buffer Questions {
    uvec4 questions[]; // an operation, and the bits of a, b and c
};

layout(std430, binding = 1) writeonly buffer Answers {
    uint answers[];
};

void main()
{
    uint number = gl_WorkGroupID.x;
    uvec4 question = questions[number];
    float a = uintBitsToFloat(question.y);
    float b = uintBitsToFloat(question.z);
    float c = uintBitsToFloat(question.w);
    float result = 0.0;
    switch (question.x) {
    case 0: result = a + b; break;
    case 1: result = a * b; break;
    case 2: result = a * b + c; break;
    case 3: result = a / b; break;
    case 4: result = sqrt(a); break;
    case 5: result = unpackHalf2x16(question.y).x; break;
    default: break;
    }
    answers[number] = question.x == 6u ? packHalf2x16(vec2(a, 0.0)) : floatBitsToUint(result);
}
