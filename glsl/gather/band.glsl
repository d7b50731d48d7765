// A band of diagonals x - y of matrices whose dimensions lie in any order.
#ifndef VKDML_BAND_GLSL
#define VKDML_BAND_GLSL

// What is beside the band: zeros; the input; the input, whose runs lie as the output's; what the output holds.
// In C: enum vkdml_band_source, VKDML_BAND_...
const uint ZEROS = 0;
const uint INPUT = 1;
const uint ALIKE = 2;
const uint OUTPUT = 3;
layout(constant_id = 7) const uint SOURCE = ZEROS;
layout(constant_id = 8) const bool INVERT = false; // fill what is outside the band
// The dimensions of the columns and of the rows; RANK is the innermost.
// In C: VKDML_BAND_...
const uint NO_DIMENSION = 8;
const uint PATTERN = 9; // instead of the columns' dimension
layout(constant_id = 10) const uint X_DIMENSION = 7;
layout(constant_id = 11) const uint Y_DIMENSION = 8;

// What a stack of matrices of few elements has over and over, where they lie side by side, instead: a bit for each
// element, and behind them those of the next matrix as far as 128 bits go. parameters.starts, of padding elsewhere,
// holds them, what to divide by the elements of a matrix with, and their number.
const bool HAS_PATTERN = X_DIMENSION == PATTERN;

const bool HAS_INPUT = SOURCE == INPUT || SOURCE == ALIKE;

// How a coordinate's next one changes the difference x - y, modulo 2^32.
uint step_of(uint d)
{
    return d == X_DIMENSION ? 1 : d == Y_DIMENSION ? 0xFFFFFFFFu : 0;
}

// Whether a diagonal, counted from the band's first, is the band's.
bool in_band(uint difference)
{
    return difference <= parameters.arguments.w;
}

#endif
