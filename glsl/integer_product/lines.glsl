// Lines of packed bytes. That of a row lies in one piece. Where windows are gathered a line is a window: it has a piece
// for each tap, of so many words, all the channels of a pixel.
#ifndef VKDML_INTEGER_LINES_GLSL
#define VKDML_INTEGER_LINES_GLSL

#include "division.glsl"

// Where word k of a line lies, counted from the line's first.
uint word_of_line(bool is_gathered, uint k)
{
    if (!is_gathered)
        return k;
    uint tap = divide(k, parameters.taps.y, parameters.taps.z);
    uint row = divide(tap, parameters.tap_rows.y, parameters.tap_rows.z);
    return k - tap * parameters.taps.x + row * parameters.tap_rows.w +
           (tap - row * parameters.tap_rows.x) * parameters.taps.w;
}

#define DOT_OF_ONES(word)                                                                                              \
    (bitfieldExtract(int(word), 0, 8) + bitfieldExtract(int(word), 8, 8) + bitfieldExtract(int(word), 16, 8) +         \
     (int(word) >> 24))

#endif
