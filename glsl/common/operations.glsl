// The operation and the function that a kernel is to compute.
#ifndef VKDML_OPERATIONS_GLSL
#define VKDML_OPERATIONS_GLSL

layout(constant_id = 8) const uint OPERATION = 0;
layout(constant_id = 9) const uint FUNCTION = 0;
#define OPERATION(NAME, value, turns, work) const uint OP_##NAME = value;
#define FUNCTION(NAME, value, turns, work) const uint FN_##NAME = value;
#include "operation_list.inc"

#endif
