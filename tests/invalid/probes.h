/* What the tests of refusals try on an operator, and what they want to be told. */
#ifndef VKDML_TESTS_INVALID_PROBES_H
#define VKDML_TESTS_INVALID_PROBES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/report.h"
#include "cases/family.h"
#include "sample.h"

/* What a report line comes from. */
enum phase {
    PHASE_READING, /* the descriptor's pointers and counts */
    PHASE_TABLE,   /* the row */
    PHASE_RULES,   /* the operator's own rules */
};
extern enum phase phase; /* now */

struct outcome {
    bool was_read;
    struct vkdml_report report;
};

/* What the library makes of a descriptor. Where `stops`, nothing is checked of what could be read: it may lack what no
 * descriptor lacks that comes so far. */
void validate(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, bool stops, struct outcome *outcome);

struct probe {
    const DML_OPERATOR_DESC *desc;
    DML_FEATURE_LEVEL level;
    const char *reason; /* "" of legal ones */
    bool is_readable;
    /* What owns the descriptor; one is NULL. */
    struct case_desc *case_desc;
    struct sample *sample;
};

struct probes {
    struct probe *items;
    size_t count;
    size_t room;
};

/* One of a case's line. */
void probes_add_case(struct probes *probes, const char *line, const char *reason);
void probes_add_sample(struct probes *probes, DML_OPERATOR_TYPE type, void (*edit)(struct sample *s),
                       const char *reason);
void probes_free(struct probes *probes);

/* Whether one of them, of the operator (DML_OPERATOR_INVALID: any), is not told what it wants. */
bool probes_notice(const struct probes *probes, DML_OPERATOR_TYPE type);

#endif
