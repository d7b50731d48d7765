/* Cases of any operator out of the fuzzer's bytes. */
#ifndef FUZZ_CHANGE_CASE_H
#define FUZZ_CHANGE_CASE_H

#include "bytes.h"
#include "cases/case.h"

/* One that its operator's family generates, and then parts of it changed: sizes, strides, types, attributes, towards
 * what is large, odd or at a limit. Many are legal still: outputs are mostly made what follows from the rest. */
void take_case(struct bytes *bytes, struct operator_case *c);

/* The same of a case that is there. */
void change_case(struct bytes *bytes, struct operator_case *c);

#endif
