#include "profiles/uncalled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Vulkan has some 700 functions. */
#define COUNT 2048

static char names[COUNT][128];
static size_t used;
static void (*tell_name)(const char *name);

_Noreturn static void called(size_t function) {
    tell_name(names[function]);
    abort();
}

/* X(n) for each three-digit hexadecimal number below COUNT. */
#define EACH_16(X, n)                                                                                                  \
    X(n##0)                                                                                                            \
    X(n##1)                                                                                                            \
    X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9) X(n##A) X(n##B) X(n##C) X(n##D) X(n##E) X(n##F)
#define EACH_256(X, n)                                                                                                 \
    EACH_16(X, n##0)                                                                                                   \
    EACH_16(X, n##1)                                                                                                   \
    EACH_16(X, n##2)                                                                                                   \
    EACH_16(X, n##3)                                                                                                   \
    EACH_16(X, n##4)                                                                                                   \
    EACH_16(X, n##5)                                                                                                   \
    EACH_16(X, n##6)                                                                                                   \
    EACH_16(X, n##7)                                                                                                   \
    EACH_16(X, n##8)                                                                                                   \
    EACH_16(X, n##9)                                                                                                   \
    EACH_16(X, n##A)                                                                                                   \
    EACH_16(X, n##B)                                                                                                   \
    EACH_16(X, n##C)                                                                                                   \
    EACH_16(X, n##D)                                                                                                   \
    EACH_16(X, n##E)                                                                                                   \
    EACH_16(X, n##F)
#define EACH(X)                                                                                                        \
    EACH_256(X, 0)                                                                                                     \
    EACH_256(X, 1)                                                                                                     \
    EACH_256(X, 2)                                                                                                     \
    EACH_256(X, 3)                                                                                                     \
    EACH_256(X, 4)                                                                                                     \
    EACH_256(X, 5)                                                                                                     \
    EACH_256(X, 6)                                                                                                     \
    EACH_256(X, 7)

/* A function does not know how it was called, so each name has one of its own. None returns: whatever its parameters
 * and its result would be, they are never looked at. */
#define DEFINE(n)                                                                                                      \
    static VKAPI_ATTR void VKAPI_CALL function_##n(void) {                                                             \
        called(0x##n);                                                                                                 \
    }
#define LIST(n) function_##n,
EACH(DEFINE)
static const PFN_vkVoidFunction functions[COUNT] = {EACH(LIST)};

PFN_vkVoidFunction uncalled_function(const char *name, void (*tell)(const char *name)) {
    size_t i = 0;
    tell_name = tell;
    while (i < used && strcmp(names[i], name) != 0) {
        i++;
    }
    if (i == COUNT) {
        tell("one function more than the profiles have room for");
        abort();
    }
    if (i == used) {
        snprintf(names[used++], sizeof *names, "%s", name);
    }
    return functions[i];
}
