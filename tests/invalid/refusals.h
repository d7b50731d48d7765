/* The rows of refusals.inc: descriptors that break one rule, and their legal neighbours. */
#ifndef VKDML_TESTS_INVALID_REFUSALS_H
#define VKDML_TESTS_INVALID_REFUSALS_H

#include "sample.h"
#include "vkdml/result.h"

struct refusal {
    const char *name;
    DML_OPERATOR_TYPE type;
    void (*edit)(struct sample *s); /* of a legal sample */
    VkdmlResult result;
    const char *reason; /* the whole message; NULL for legal descriptors */
};

#define REFUSED(name, ...) REFUSAL_##name,
#define LEGAL(name, ...)   REFUSAL_##name,
enum {
#include "refusals.inc"
    REFUSAL_COUNT
};
#undef REFUSED
#undef LEGAL

extern const struct refusal refusals[REFUSAL_COUNT];

#endif
