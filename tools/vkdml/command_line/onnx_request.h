/* What a command line says of an ONNX model: options that `run`, `check`, `explain` and `bench` share. */
#ifndef ONNX_REQUEST_H
#define ONNX_REQUEST_H

#include "command_line/subcommand.h"

/* More than models have inputs that are given by hand. */
#define ONNX_REQUEST_MOST 64

/* Texts "NAME=VALUE". */
struct onnx_pairs {
    const char *texts[ONNX_REQUEST_MOST];
    size_t count;
};

struct onnx_request {
    struct onnx_pairs sizes, inputs, outputs;
    bool zeros, half, float32_intermediates;
};

/* Their keys: far from those of the subcommands' own options. */
enum {
    OPTION_ONNX_SIZE = OPTION_KEY_FIRST + 512,
    OPTION_ONNX_INPUT,
    OPTION_ONNX_OUTPUT,
    OPTION_ONNX_ZEROS,
    OPTION_ONNX_HALF,
    OPTION_ONNX_WIDE
};

/* Rows of an option table; the request is a member of the subcommand's. */
#define ONNX_ROWS(type, member)                                                                                        \
    {OPTION_ONNX_SIZE, "size", .argument = "NAME=N",                                                                   \
     .text = "of an ONNX model: the size of a dimension that it leaves open, by its name, or as INPUT.0 by the input " \
             "and the dimension (1, or what --input has); may be given more than once"},                               \
        {OPTION_ONNX_INPUT, "input", .argument = "NAME=FILE",                                                          \
         .text =                                                                                                       \
             "of an ONNX model: the input is what the .npy file has (random, of a seed that its name makes: floats "   \
             "normal with deviation 1, integers 0 and 1); may be given more than once"},                               \
    {                                                                                                                  \
        OPTION_ONNX_ZEROS, "zeros", SETS(type, member.zeros),                                                          \
            .text = "of an ONNX model: inputs that no file has are 0"                                                  \
    }

#define ONNX_HALF_ROW(type, member)                                                                                    \
    {                                                                                                                  \
        OPTION_ONNX_HALF, "half", SETS(type, member.half),                                                             \
            .text = "of an ONNX model: sums of FLOAT16 may be computed in half precision "                             \
                    "(DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION)"                                            \
    }

#define ONNX_WIDE_ROW(type, member)                                                                                    \
    {                                                                                                                  \
        OPTION_ONNX_WIDE, "float32-intermediates", SETS(type, member.float32_intermediates),                           \
            .text = "of an ONNX model: normalizations, softmax and attention that are written out as several FLOAT16 " \
                    "nodes keep their intermediate values in FLOAT32"                                                  \
    }

#define ONNX_OUTPUT_ROW                                                                                                \
    {                                                                                                                  \
        OPTION_ONNX_OUTPUT, "output",                                                                                  \
            .argument = "NAME=FILE",                                                                                   \
            .text =                                                                                                    \
                "of an ONNX model: write the output as a .npy file instead of printing it; may be given more than "    \
                "once"                                                                                                 \
    }

/* Whether the option is one of those above that apply() is asked for. */
bool onnx_request_takes(int key);

/* Takes it. False, with the reason on stderr, where its argument is wrong. */
bool onnx_request_apply(int key, const char *argument, struct onnx_request *request);

/* The value of a name; NULL: there is none. Of several the last. */
const char *onnx_pairs_find(const struct onnx_pairs *pairs, const char *name);

/* Whether an operand is an ONNX model, by its name. */
bool onnx_request_is_model(const char *path);

/* Whether any of the options was given. */
bool onnx_request_is_used(const struct onnx_request *request);

#endif
