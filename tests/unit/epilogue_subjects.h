/* What test_epilogue.c gives epilogues, and which. */
#ifndef UNIT_EPILOGUE_SUBJECTS_H
#define UNIT_EPILOGUE_SUBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/builder.h"
#include "plan/epilogue.h"

enum {
    EPILOGUE_WORDS = 1 << 16,                  /* of a tensor's memory */
    EPILOGUE_FACTOR_PLACE = EPILOGUE_WORDS - 8 /* the element of the operand's memory that is the factor */
};

enum subject_kind { SUBJECT_REDUCE, SUBJECT_POOL, SUBJECT_SUM };

/* A reduction, a pool or a sum of neighbours, of input 0 to output 0. */
struct subject {
    const char *name;
    enum subject_kind kind;
    uint32_t function; /* a reduction's, or enum vkdml_pool */
    uint32_t ending;   /* enum vkdml_pool_ending */
    bool across;       /* the second dimension lies closest in memory, else the last */
    uint32_t gap;      /* elements between rows of the output */
    uint32_t sizes[4];
    uint32_t folded; /* of a reduction: a bit for each dimension */
    uint32_t window; /* of the last two dimensions; of a sum of the second and last */
    uint32_t step;
    bool has_places;
};

uint32_t subject_count(void);
const struct subject *subject_at(uint32_t index);

/* Where results go. */
struct vkdml_view subject_output(const struct subject *subject, DML_TENSOR_DATA_TYPE type);

VkdmlResult subject_plan(const struct subject *subject, const struct vkdml_view *output,
                         const struct vkdml_epilogue *epilogue, struct vkdml_builder *builder);
bool subject_takes(const struct subject *subject, const struct vkdml_view *output,
                   const struct vkdml_epilogue *epilogue, const struct vkdml_plan_limits *limits);

/* Writes the source and the operand, EPILOGUE_WORDS each. */
void subject_fill(const struct subject *subject, DML_TENSOR_DATA_TYPE type, unsigned char *source,
                  unsigned char *operand);

enum ending_operand { OPERAND_NONE, OPERAND_WHOLE, OPERAND_TURNED, OPERAND_BY_CHANNEL, OPERAND_OF_ONE };

struct ending {
    const char *name;
    enum vkdml_map_operation operation;
    enum ending_operand operand;
    float factor;
    enum vkdml_map_function function;
    bool in_two; /* the function is a step of its own */
    float arguments[2];
    bool is_arithmetic;
};

uint32_t ending_count(void);
const struct ending *ending_at(uint32_t index);

/* Its operand is input 1. */
struct vkdml_epilogue ending_epilogue(const struct ending *ending, const struct vkdml_view *output);

/* Writes the factor where the operand is. */
void ending_fill(const struct ending *ending, DML_TENSOR_DATA_TYPE type, unsigned char *operand);

#endif
