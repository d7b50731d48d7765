/* Operators with one constraint less: rows of the table of which one entry is taken away, and refusals that are not
 * made. The linker puts what looks rows up, and what refuses, before the library's (--wrap). */
#ifndef VKDML_TESTS_INVALID_MUTANTS_H
#define VKDML_TESTS_INVALID_MUTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "vkdml/schema.h"

/* Which tests have to notice. */
enum judge {
    JUDGE_CASES,     /* cases that are refused, of the operator */
    JUDGE_ALL_CASES, /* .. of any operator */
    JUDGE_TYPES,     /* what the documents say of one tensor's type `type`, in any dimension count */
    JUDGE_RANKS,     /* .. of its dimension count `rank`, of any type */
    JUDGE_SUPPORT,   /* .. of both */
    JUDGE_LEVEL,     /* what they say of the level that introduced the operator */
};

struct mutant {
    char name[200]; /* "ADD BTensor: agreement with ATensor, SIZES" */
    DML_OPERATOR_TYPE type;
    enum judge judge;
    const char *tensor;
    DML_FEATURE_LEVEL level;
    uint32_t data_type;
    uint32_t rank;
};

/* Calls `meet` for each of an operator's, while the row lacks what it lacks. */
typedef void meet_mutant(const struct mutant *mutant);
void for_row_mutants(const VkdmlOperatorSchema *schema, meet_mutant *meet);

/* As in for_row_mutants(), again or not: while it is met. */
void suspend_mutant(void);
void resume_mutant(void);

/* A refusal by its words, numbers left out: "Strides[#] is #, must be at least #". NULL: all are made. Of the table and
 * of what reads descriptors, whichever operator's, all of one format are one. */
void silence(const char *words);

/* Calls it for each refusal, whether it is made or not. NULL: nothing. */
typedef void hear_refusal(const char *words);
extern hear_refusal *hear;

#endif
