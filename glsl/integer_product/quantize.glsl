// FLOAT32 to 8 bits, rounded to nearest, halves to even, and then the zero point is added.
#ifndef VKDML_INTEGER_QUANTIZE_GLSL
#define VKDML_INTEGER_QUANTIZE_GLSL

// NaN is the zero point. Beyond 2^20 no zero point brings a number back into the range.
uint quantized(uint type, uint x, int zero_point)
{
    float number = clamp(uintBitsToFloat(x), -1048576.0, 1048576.0);
    int rounded = is_nan(x) ? 0 : int(roundEven(number));
    int least = type == INT8 ? -128 : 0;
    return uint(clamp(rounded + zero_point, least, least + 255)) & 0xFFu;
}

#endif
