#ifndef VKDML_INTEGER_TERM_LIST_GLSL
#define VKDML_INTEGER_TERM_LIST_GLSL

// Numbers of a tensor that has one for all, for each row or for each column: where they begin, and how far they are
// apart along rows, columns and inner batches.
// In C: VKDML_INTEGER_TERM_...
const uint ZERO_A = 0;
const uint ZERO_B = 1;
const uint SCALE_A = 2;
const uint SCALE_B = 3;
const uint BIAS = 4;
const uint SCALE_OUT = 5;
const uint ZERO_OUT = 6;
const uint TERM_COUNT = 7;

#endif
