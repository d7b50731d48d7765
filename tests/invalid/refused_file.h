/* Cases that are refused, of a file: a case's line, then its reasons, each behind blanks and without the operator's
 * name. Lines that begin with # are comments. */
#ifndef VKDML_TESTS_INVALID_REFUSED_FILE_H
#define VKDML_TESTS_INVALID_REFUSED_FILE_H

#include <stddef.h>

#include "cases/family.h"

struct refused_file {
    struct case_refusal *items; /* whole reasons, as families have them */
    size_t count;
    char *text;
};

/* Aborts, saying why, where it cannot be read. To be freed. */
struct refused_file refused_file_read(const char *path);
void refused_file_free(struct refused_file *file);

#endif
