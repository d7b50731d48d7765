/* A case: everything about one operator call that a test varies, as plain data. A case is printed as one line of text
 * and parsed back from it, so that a failure can be rerun; the operator table gives the fields and their names, so
 * nothing here knows an operator.
 *
 * The line: operator name without DML_OPERATOR_, then name=value pairs, blanks between.
 *   seed=17                     of data, poison and guards
 *   level=5_0                   feature level; left out: the newest
 *   flags=1 execution=2         VkdmlCompileFlags and DML_EXECUTION_FLAGS
 *   InputTensor=FLOAT16[2,3,4]  type and sizes, then as needed:
 *     InputTensor.strides=12,4,1  in elements; left out: NULL
 *     InputTensor.slack=8         bytes that TotalTensorSizeInBytes exceeds the minimum by
 *     InputTensor.extra=64        bytes that the bound range exceeds TotalTensorSizeInBytes by
 *     InputTensor.align=32        GuaranteedBaseOffsetAlignment
 *     InputTensor.offset=16       of the bound range from a multiple of CASE_OFFSET_PERIOD
 *     InputTensor.owned=1         DML_TENSOR_FLAG_OWNED_BY_DML
 *     InputTensor.fill=SPARSE:500 see enum case_fill; the number is the nonzero elements per thousand, or of INDICES,
 *                                 COORDINATES, PERMUTED and HOSTILE the size of the dimension that they are of
 *     InputTensor.data=1,0x2,-3.5 the elements themselves: numbers, or bits with 0x
 *     OutputTensor.in_place=1     bound where an input is that it may alias: bit 1 for the first such input, bit 2 for
 *                                 the second; 3: all three in one place. They then have one layout, slack and extra
 *     OutputTensor.fill=UNIT      what it holds before, where the operator reads that; left out: random bits
 *     OutputTensor.data=1,?,3     the elements that must come out; ? where they must keep their bytes
 *   InputTensors[0]=FLOAT32[2] InputTensors[1]=FLOAT32[3] InputTensors[1].slack=4   the tensors of an array, in order
 *   Offset=-1 PaddingMode=EDGE StartPadding=0,1 PaddingValue=0x41100000 ScaleBias=2,0.5   attributes; floats as numbers
 *                               or bits, BOOL as 0 or 1, SIZE_2D as Width,Height
 *   FusedActivation=LEAKY_RELU FusedActivation.Alpha=0.1   an operator to fuse, without ACTIVATION_; of an array:
 *                               ActivationDescs[0]=TANH
 */
#ifndef CASES_CASE_H
#define CASES_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vkdml/vkdml.h"

#define CASE_MAX_FIELDS       24
#define CASE_MAX_ARRAY        32 /* tensors in an array */
#define CASE_MAX_TENSORS      (CASE_MAX_FIELDS + CASE_MAX_ARRAY - 1)
#define CASE_MAX_FUSED        8
#define CASE_MAX_FUSED_FIELDS 8
#define CASE_MAX_VALUES       128
#define CASE_MAX_LINE         8192
#define CASE_MAX_DESC_BYTES   192
#define CASE_OFFSET_PERIOD    1024
#define CASE_MAX_RANK         DML_TENSOR_DIMENSION_COUNT_MAX1

/* What an input's elements are. */
enum case_fill {
    CASE_FILL_BITS,        /* random bits */
    CASE_FILL_SPECIAL,     /* half of them the type's special values: 0, limits, denormals, infinities, NaNs */
    CASE_FILL_SMALL,       /* integers of small magnitude */
    CASE_FILL_INDEX,       /* the element's position: shows where a value came from */
    CASE_FILL_SPARSE,      /* zeros (of both signs), and here and there something else */
    CASE_FILL_RUNS,        /* the same in runs of one kind */
    CASE_FILL_COUNTED,     /* the position as bits: of 8 and 16 bits, every element there is */
    CASE_FILL_LISTED,      /* the type's special values in turn: see number_listed() */
    CASE_FILL_UNIT,        /* floats above 0 and up to 1; integers as SMALL */
    CASE_FILL_ABOVE_ONE,   /* floats above 1 and up to 2; integers as SMALL */
    CASE_FILL_FAR,         /* floats no more than 1 from 10000, FLOAT16 from 1000; integers as SMALL */
    CASE_FILL_LEVEL,       /* floats that are 5000.37 or here and there near it; integers as SMALL */
    CASE_FILL_INDICES,     /* integers: coordinates of a dimension, mostly; some from its end, and some that are none */
    CASE_FILL_COORDINATES, /* .. and nothing else, none from the end */
    CASE_FILL_PERMUTED,    /* .. and each once, before one comes again */
    CASE_FILL_CENTERED,    /* floats from -1 / n to 1 / n, n being the number; integers as SMALL */
    CASE_FILL_HOSTILE, /* what no coordinate, length, count or scale should be: beyond either end of a dimension, what
                          wraps around in 32 bits, limits; floats that are 0, negative, denormal, infinite, NaN */
    CASE_FILL_COUNT
};

struct case_tensor {
    DML_TENSOR_DATA_TYPE type;
    uint32_t rank;
    uint32_t sizes[DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint32_t has_strides;
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint32_t slack;
    uint32_t extra;
    uint32_t align;
    uint32_t offset;
    uint32_t owned;
    uint32_t in_place;
    enum case_fill fill;
    uint32_t fill_permille; /* the fill's number */
    uint32_t value_count;   /* 0, or the number of elements */
    uint64_t values[CASE_MAX_VALUES];
    uint8_t kept[CASE_MAX_VALUES]; /* of outputs: 1 for ? */
};

/* One field of a descriptor, by its index in the schema. */
struct case_field {
    uint32_t present;    /* 0: a NULL pointer */
    uint32_t count;      /* of tensors and operators: how many there are, 1 where the field is no array */
    uint32_t word_count; /* of attributes: 1, an array's length, or 2 for ScaleBias, scalar unions and sizes */
    uint32_t words[DML_TENSOR_DIMENSION_COUNT_MAX1];
};

/* An operator to fuse. Its tensors are NULL. */
struct case_fused {
    const VkdmlOperatorSchema *schema;
    struct case_field fields[CASE_MAX_FUSED_FIELDS];
};

struct operator_case {
    const VkdmlOperatorSchema *schema;
    uint64_t seed;
    DML_FEATURE_LEVEL level; /* 0: the newest */
    VkdmlCompileFlags flags;
    uint32_t execution;
    struct case_field fields[CASE_MAX_FIELDS];
    struct case_tensor tensors[CASE_MAX_TENSORS]; /* by slot: at its field's index, of an array the first; then the
                                                     others of the array, of which an operator has one at most */
    struct case_fused fused[CASE_MAX_FUSED];      /* of the one field with operators */
};

/* A descriptor built from a case, with all it points to. */
struct case_desc {
    DML_OPERATOR_DESC op;
    uint64_t desc[CASE_MAX_DESC_BYTES / sizeof(uint64_t)];
    DML_TENSOR_DESC tensors[CASE_MAX_FIELDS]; /* by field */
    DML_TENSOR_DESC array[CASE_MAX_ARRAY];
    DML_BUFFER_TENSOR_DESC buffers[CASE_MAX_TENSORS]; /* by slot, as the next two */
    uint32_t sizes[CASE_MAX_TENSORS][DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint32_t strides[CASE_MAX_TENSORS][DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint32_t words[CASE_MAX_FIELDS][DML_TENSOR_DIMENSION_COUNT_MAX1];
    DML_OPERATOR_DESC fused[CASE_MAX_FUSED];
    uint64_t fused_desc[CASE_MAX_FUSED][CASE_MAX_DESC_BYTES / sizeof(uint64_t)];
    uint32_t fused_words[CASE_MAX_FUSED][CASE_MAX_FUSED_FIELDS][DML_TENSOR_DIMENSION_COUNT_MAX1];
};

/* An empty case of an implemented operator: all attributes 0, tensors absent. */
void case_begin(struct operator_case *c, DML_OPERATOR_TYPE type);

/* A field by its name in the descriptor struct; the name must exist. Marks it present. Of an array of tensors, and of
 * operators, `element` is at most the number that are there. */
struct case_tensor *case_tensor(struct operator_case *c, const char *field);
struct case_tensor *case_array_tensor(struct operator_case *c, const char *field, uint32_t element);
struct case_fused *case_fuse(struct operator_case *c, const char *field, uint32_t element, DML_OPERATOR_TYPE type);
void case_set(struct operator_case *c, const char *field, uint32_t word_count, const uint32_t *words);
void case_set_uint(struct operator_case *c, const char *field, uint32_t value);
void case_set_float(struct operator_case *c, const char *field, float value);
void case_fused_set_float(struct case_fused *fused, const char *field, float value);

/* A field's index, which is its tensor's slot; whether there is one of the name; an attribute's words, its first, and
 * that as a float. */
uint32_t case_index(const struct operator_case *c, const char *field);
bool case_has(const struct operator_case *c, const char *field);
const uint32_t *case_words(const struct operator_case *c, const char *field);
uint32_t case_word(const struct operator_case *c, const char *field);
float case_float(const struct operator_case *c, const char *field);

void case_build_desc(const struct operator_case *c, struct case_desc *desc);

bool case_is_tensor(const struct operator_case *c, uint32_t field); /* or an array of them */
bool case_is_input(const struct operator_case *c, uint32_t field);

/* A tensor that is present, and where it is. */
struct case_at {
    uint32_t field;
    uint32_t element; /* of an array's */
    uint32_t slot;
    uint32_t binding; /* among the inputs, or outputs */
    bool is_input;
    const struct case_tensor *tensor; /* NULL: there is no more */
};

/* The tensors that are present, one after another: for (struct case_at at = case_first(c); at.tensor != NULL; at =
 * case_next(c, at)) */
struct case_at case_first(const struct operator_case *c);
struct case_at case_next(const struct operator_case *c, struct case_at at);

/* "InputTensor", "InputTensors[3]" */
struct case_name {
    char text[64];
};
struct case_name case_tensor_name(const struct operator_case *c, struct case_at at);

/* How many inputs, and outputs, there are to bind, absent ones among them. */
uint32_t case_input_count(const struct operator_case *c);
uint32_t case_output_count(const struct operator_case *c);

/* The fields, a bit each, that an output's in_place stands for. */
uint32_t case_aliases(const struct operator_case *c, uint32_t field);

/* Strides in elements, packed ones where the tensor has none. */
void case_strides(const struct case_tensor *tensor, uint32_t *strides);
uint64_t case_element_count(const struct case_tensor *tensor);
/* Of the minimum, by DML's formula, written anew here as a check on the library's. */
uint64_t case_minimum_bytes(const struct case_tensor *tensor);
uint64_t case_total_bytes(const struct case_tensor *tensor);

/* Steps coordinates (rank of them, the first time all 0) in row-major order; false after the last. */
bool case_next_coordinates(const struct case_tensor *tensor, uint32_t *coordinates);
/* The element's position in storage, in elements. */
uint64_t case_element_position(const struct case_tensor *tensor, const uint32_t *strides, const uint32_t *coordinates);

/* One line, without a newline; false where it does not fit. */
bool case_print(const struct operator_case *c, char *line, size_t size);
/* False, with the reason in `error`, where the line is none. */
bool case_parse(const char *line, struct operator_case *c, char *error, size_t error_size);

#endif
