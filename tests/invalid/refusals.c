#include "refusals.h"

#include <math.h>
#include <stddef.h>

/* Once for the functions that bend the sample ... */
#define REFUSED(name, TYPE, RESULT, reason, ...)                                                                       \
    static void edit_##name(struct sample *s) {                                                                        \
        __VA_ARGS__                                                                                                    \
    }
#define LEGAL(name, TYPE, ...) REFUSED(name, TYPE, , , __VA_ARGS__)
#include "refusals.inc"
#undef REFUSED
#undef LEGAL

/* ... and once for the table. */
#define REFUSED(name, TYPE, RESULT, reason, ...)                                                                       \
    {#name, DML_OPERATOR_##TYPE, edit_##name, VKDML_ERROR_##RESULT, reason},
#define LEGAL(name, TYPE, ...) {#name, DML_OPERATOR_##TYPE, edit_##name, VKDML_SUCCESS, NULL},
const struct refusal refusals[REFUSAL_COUNT] = {
#include "refusals.inc"
};
