/* Feature levels on command lines. */
#ifndef LEVELS_H
#define LEVELS_H

#include <vkdml/dml_types.h>

/* The argument of an option, a feature level as "5_0", "5.0" or "DML_FEATURE_LEVEL_5_0"; 0, and a message on stderr,
 * where it is none. */
DML_FEATURE_LEVEL command_feature_level(const char *text);

/* The oldest level newer than one; of 0 the oldest of all, after the newest 0. */
DML_FEATURE_LEVEL levels_next(DML_FEATURE_LEVEL level);

DML_FEATURE_LEVEL levels_newest(void);

#endif
