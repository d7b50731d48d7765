// The frame of kernels that fold a set of dimensions of a tensor: what elements become that differ in those alone.
// Neighbouring invocations walk one reduction together (LANES of them, ACROSS false), or own neighbouring outputs
// (ACROSS) and walk down; what LANES of them have is combined in shared memory. Where an output has several shares, of
// workgroups or of windows, each writes a Total, and another dispatch of the same kernel folds those. A kernel defines
// VALUE and READ, includes this, defines
//     VALUE read_value(uvec4 bits, uint element)   an element, expanded to VALUE, of what load() gave
//     void take_vector(uvec4 bits, uint index)     folds 16 bytes of a run of elements into totals
//     void take_single(VALUE value, uint index)    one element of a run
//     void take_across(uvec4 bits, uint index)     folds WIDTH elements side by side, each into its own of totals
//     const bool IS_QUICK                          whether there is a quicker way, which elements may be wrong for:
//     void begin_quickly()                         its beginning,
//     void take_quickly(uvec4 bits, uint element, uint index)  what load() gave, like take_vector() or take_across(),
//                                                              or one element,
//     bool end_quickly()                           and its end, which makes totals; false: the block is to be taken
//                                                  again
//     void take_gradients(uvec4 bits, uvec4 others, uint element)
//                                                  where it defines HAS_GRADIENTS: takes an item and what lies at its
//     void take_gradient(VALUE value, uint element)
//                                                  place in the other tensor, or one element of a run,
//     void close_block()                           makes of totals what combine() takes: of a run, one
//     const bool HAS_EPILOGUE                      whether results go through one, of a kernel that defines
//                                                  HAS_EPILOGUES,
//     const bool NUMBERS_OUTPUTS                   and whether that has an operand
//     and what totals.glsl needs,
// and includes fold_main.glsl.
#ifndef VKDML_FOLD_GLSL
#define VKDML_FOLD_GLSL

#extension GL_EXT_control_flow_attributes : require

#include "binding.glsl"
#include "buffers.glsl"
#include "division.glsl"
#include "types.glsl"

layout(constant_id = 1) const uint TYPE = 1;     // of the input's elements
layout(constant_id = 2) const uint BITS_OUT = 32; // of the output's elements
layout(constant_id = 3) const uint FUNCTION = 10;
layout(constant_id = 4) const uint SHAPE = 0;
// In C: VKDML_REDUCE_...
const bool ACROSS = (SHAPE & 1u) != 0;      // neighbours own neighbouring outputs
// an item is 16 bytes of a run of the reduction; else one element, or WIDTH of them
const bool DENSE = (SHAPE & 2u) != 0;
const bool FROM_TOTALS = (SHAPE & 4u) != 0; // the input's elements are totals
const bool TO_TOTALS = (SHAPE & 8u) != 0;   // and the output's
const bool IS_FLAT = (SHAPE & 32u) != 0;    // workgroups hold invocations of several shares, each of which walks alone
const bool IS_WHOLE = (SHAPE & 64u) != 0;   // DENSE: runs are made of whole items
const bool IS_PACKED = (SHAPE & 16u) != 0;  // the outputs of an invocation, narrower than words, are whole ones

// Invocations that share a reduction; a power of two. 0: what depends on sizes is parameters, the lanes among them.
layout(constant_id = 5) const uint LANES = 1;
const bool IS_OPEN = LANES == 0;
const uint FIXED_LANES = IS_OPEN ? 1 : LANES;
// outputs of an invocation: 1, or 2 or 4 elements of the input that are 4, 8 or 16 aligned bytes
layout(constant_id = 6) const uint WIDTH = 1;
layout(constant_id = 7) const uint KEPT_RANK = 7;
layout(constant_id = 8) const uint REDUCED_RANK = 8;
layout(constant_id = 9) const uint LOADS = 1; // items on their way at once, 1 or 4
layout(constant_id = 10) const bool OPTION = false;
const bool TAKES_LAST = OPTION; // ARGMIN and ARGMAX: of equal elements the last is the one that counts
const bool ABOUT_ZERO = OPTION; // MOMENTS, VARIANCE: 0 takes the mean's place
const bool TO_SIGNED = OPTION;  // RANGE: to INT8

// DML_REDUCE_FUNCTION's values, and those that give two words, each into an output of its own.
// In C: enum vkdml_reduce_function, VKDML_REDUCE_...
const uint ARGMAX = 0;
const uint ARGMIN = 1;
const uint AVERAGE = 2;
const uint L1 = 3;
const uint L2 = 4;
const uint LOG_SUM = 5;
const uint LOG_SUM_EXP = 6;
const uint MAX = 7;
const uint MIN = 8;
const uint MULTIPLY = 9;
const uint SUM = 10;
const uint SUM_SQUARE = 11;
const uint MOMENTS = 12;    // the mean, and 1 / sqrt(the variance + an argument)
const uint POWERS = 13;     // the greatest, and 1 / the sum of exp(x - the greatest)
const uint LOG_POWERS = 14; // the greatest, and the logarithm of that sum
// a scale and an integer, the zero point, which quantize from the least to the greatest, or 0, in 8 bits
const uint RANGE = 15;
const uint VARIANCE = 16; // the mean, and the variance
// the sum, and that of elements times how far those of another tensor, at their places, are from a mean that is given
const uint GRADIENTS = 17;

const uint BITS = BITS_OF(TYPE);
const bool FLOATS = IS_FLOAT(TYPE);
const bool SIGNS = IS_SIGNED(TYPE);
const uint PER_WORD = 32 / (BITS < 32 ? BITS : 32);
const uint ITEM = 128 / BITS;
const bool IS_ARG = FUNCTION <= ARGMIN;
const bool IS_LEAST = EITHER(FUNCTION == ARGMIN, FUNCTION == MIN);
const bool IS_ORDER = EITHER(IS_ARG, EITHER(FUNCTION == MIN, FUNCTION == MAX));
const bool IS_POWERS = EITHER(FUNCTION == LOG_SUM_EXP, EITHER(FUNCTION == POWERS, FUNCTION == LOG_POWERS));
const bool IS_PAIR = FUNCTION >= MOMENTS;
const bool HAS_MOMENTS = EITHER(FUNCTION == MOMENTS, FUNCTION == VARIANCE);
const uint TOTAL_WORDS = EITHER(BITS == 64, HAS_MOMENTS) ? 4 : 2; // as they lie in memory

// What is summed is summed in blocks of so many items, and those sums are: errors grow with the number of either.
const uint BLOCK = 32;
const uint LONG_BLOCK = 36; // a run's last few

// Strides are in elements; of totals, in those.
layout(std140, binding = 0) uniform ReduceParameters {
    uint group_count;    // workgroups with work; the grid may hold more
    uint unit_count;     // of WIDTH outputs
    uint unit_groups;    // workgroups that walk the same share; IS_FLAT: invocations
    uint item_count;     // of a reduction
    uint share;          // of them, that a workgroup walks
    uint items_per_run;
    uint run_length;     // the innermost of the reduced dimensions
    uint run_stride;
    uint run_index_stride; // of ARGMIN and ARGMAX; with an operand, which these do not have, where it begins
    uint source_first;   // from the bound range's start
    uint target_first;
    uint index_first;    // of ARGMIN and ARGMAX; with an operand the number of the first output
    uint element_count;  // of a whole reduction, as FLOAT32
    uint share_stride;   // between the totals of an output's shares
    uint width_stride;   // between the outputs of an invocation
    uint share_count;
    uvec2 groups_divisor; // for divide(): unit_groups, items_per_run
    uvec2 run_divisor;
    uint argument;       // MOMENTS: what is added to the variance; norms: what they are at least
    uint factor;         // of an epilogue: see epilogue.glsl
    uvec2 function_arguments;
    uvec4 kept[8];    // outermost first: a size, for divide() its multiplier and shifts, and the input's stride
    uvec4 kept_out[2]; // the output's strides
    // outermost first, without the innermost; a size, its multiplier and shifts, and the input's stride; and at the end
    // of the list the dimensions in which an operand lies, of outputs as they are numbered
    uvec4 reduced[8];
    // what a coordinate counts in the place of an element; with an operand what one of the kept dimensions counts in an
    // output's number
    uvec4 reduced_index[2];
    uvec4 kept_mean[2]; // GRADIENTS: what a coordinate counts in the tensor of means
    uint mean_first;
    uint mean_width_stride;
    // Where they are no constants:
    uint lanes;
    uint is_across;   // ACROSS
    uint leaves_ends; // LEAVES_ENDS
} parameters;

uint lane_count()
{
    if (IS_OPEN)
        return parameters.lanes;
    return LANES;
}

const bool HAS_BESIDE = BOTH(FUNCTION == GRADIENTS, !FROM_TOTALS);

#include "words.glsl"

BUFFER_OF_WORDS(3, , Second, second);

// What became of some elements of a reduction; see totals.glsl.
struct Total {
    VALUE value;
    uint mark;
    uint count; // MOMENTS and VARIANCE alone: of the elements, as FLOAT32, and what is subtracted from each
    uint pivot;
};

Total a_total(VALUE value, uint mark)
{
    return Total(value, mark, 0u, 0u);
}

Total totals[4];

#endif
