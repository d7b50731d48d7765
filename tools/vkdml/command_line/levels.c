#include "command_line/levels.h"

#include <stdio.h>
#include <string.h>

#include <vkdml/schema.h>

DML_FEATURE_LEVEL levels_next(DML_FEATURE_LEVEL level) {
    /* Levels are 0xMmmm with major version M and minor version mmm, in steps of 0x100. */
    for (int next = level ? (int)level + 0x100 : 0x1000; next <= 0xFF00; next += 0x100) {
        if (vkdmlGetFeatureLevelName((DML_FEATURE_LEVEL)next)) {
            return (DML_FEATURE_LEVEL)next;
        }
    }
    return (DML_FEATURE_LEVEL)0;
}

DML_FEATURE_LEVEL command_feature_level(const char *text) {
    static const char prefix[] = "DML_FEATURE_LEVEL_";
    const DML_FEATURE_LEVEL none = (DML_FEATURE_LEVEL)0;
    char name[16];
    snprintf(name, sizeof(name), "%s", strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : text);
    char *point = strchr(name, '.');
    if (point) {
        *point = '_';
    }
    for (DML_FEATURE_LEVEL level = levels_next(none); level; level = levels_next(level)) {
        if (strcmp(vkdmlGetFeatureLevelName(level), name) == 0) {
            return level;
        }
    }
    fprintf(stderr, "vkdml: '%s' is no feature level; there are", text);
    for (DML_FEATURE_LEVEL level = levels_next(none); level; level = levels_next(level)) {
        fprintf(stderr, " %s", vkdmlGetFeatureLevelName(level));
    }
    fputc('\n', stderr);
    return none;
}
