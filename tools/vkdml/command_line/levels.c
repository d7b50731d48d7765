#include "command_line/levels.h"

#include <stdio.h>
#include <string.h>

#include <vkdml/schema.h>

#include "command_line/refusal.h"

DML_FEATURE_LEVEL levels_next(DML_FEATURE_LEVEL level) {
    /* Levels are 0xMmmm with major version M and minor version mmm, in steps of 0x100. */
    for (int next = level ? (int)level + 0x100 : 0x1000; next <= 0xFF00; next += 0x100) {
        if (vkdmlGetFeatureLevelName((DML_FEATURE_LEVEL)next)) {
            return (DML_FEATURE_LEVEL)next;
        }
    }
    return (DML_FEATURE_LEVEL)0;
}

DML_FEATURE_LEVEL levels_newest(void) {
    DML_FEATURE_LEVEL newest = levels_next((DML_FEATURE_LEVEL)0);
    while (levels_next(newest)) {
        newest = levels_next(newest);
    }
    return newest;
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
    char all[256] = "";
    for (DML_FEATURE_LEVEL level = levels_next(none); level; level = levels_next(level)) {
        const size_t length = strlen(all);
        snprintf(all + length, sizeof(all) - length, " %s", vkdmlGetFeatureLevelName(level));
    }
    refusal_tell("'%s' is no feature level; there are%s", text, all);
    return none;
}
