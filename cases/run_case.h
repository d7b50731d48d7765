/* Running one case: on the GPU, on the CPU reference, and comparing all memory of both, byte for byte, but for sums. */
#ifndef CASES_RUN_CASE_H
#define CASES_RUN_CASE_H

#include <stddef.h>

#include "cases/accuracy.h"
#include "cases/case.h"
#include "cases/gpu.h"

enum case_status {
    CASE_PASSED,
    CASE_FAILED,
    CASE_SKIPPED, /* the device lacks what the case needs, and said so */
    CASE_STOPPED, /* failed, and no other case can run: out of memory, device lost */
};

struct runner {
    struct gpu *gpu;
    accuracy_bounds_of *(*bounds)(DML_OPERATOR_TYPE type); /* of operators whose accuracy is SUM; NULL: none */
    /* NULL, or what is shown every result before it is judged: a case's tensors by slot and its first output, each from
     * its first element on. */
    void (*observe)(const struct operator_case *c, const unsigned char *const *tensors, const unsigned char *got);
    uint64_t repeats; /* of each case after its first run, which must leave the same bits */
    bool poisons;     /* each case a second time, every bit of resources and outputs before it the other one; it must
                         leave the same bits */
    /* Images of the buffer on the host. */
    unsigned char *initial;  /* as uploaded */
    unsigned char *expected; /* as it must be afterwards */
    unsigned char *scratch;
    size_t capacity; /* of each, in bytes */
};

/* Runs a case. Where it does not pass, `text` tells why, in a line or more. */
enum case_status run_case(struct runner *runner, const struct operator_case *c, char *text, size_t text_size);

void runner_free(struct runner *runner);

#endif
