#include "base/operator_names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"

/* Before every operator's name. */
#define PREFIX "DML_OPERATOR_"

/* Longer than any name. */
#define CAPACITY 256

/* DirectML numbers its operators from 1 on without leaving many out. */
#define LAST_NUMBER 1024

const char *operator_names_short(const char *name) {
    return strncasecmp(name, PREFIX, strlen(PREFIX)) == 0 ? name + strlen(PREFIX) : name;
}

bool operator_names_equal(const char *text, const char *name) {
    return strcasecmp(operator_names_short(text), operator_names_short(name)) == 0;
}

static const char *lower(const char *text, char copy[CAPACITY]) {
    size_t i = 0;
    for (; text[i] != '\0' && i + 1 < CAPACITY; i++) {
        copy[i] = (char)tolower((unsigned char)text[i]);
    }
    copy[i] = '\0';
    return copy;
}

static bool is_pattern(const char *text) {
    return strpbrk(text, "*?[") != NULL;
}

/* Case is ignored by fnmatch() itself only where it is GNU's. */
static bool fits_whole(const char *pattern, const char *name) {
    char lower_pattern[CAPACITY], lower_name[CAPACITY];
    return fnmatch(lower(pattern, lower_pattern), lower(name, lower_name), 0) == 0;
}

bool operator_names_fit(const char *pattern, const char *name) {
    return is_pattern(pattern) ? fits_whole(operator_names_short(pattern), operator_names_short(name))
                               : operator_names_equal(pattern, name);
}

bool operator_names_part(const char *text, const char *name) {
    char lower_text[CAPACITY], lower_name[CAPACITY];
    return is_pattern(text) ? fits_whole(text, name) : strstr(lower(name, lower_name), lower(text, lower_text)) != NULL;
}

void operator_names_refuse(const char *subcommand, const char *text) {
    struct suggest suggest = suggest_begin(operator_names_short(text));
    char hint[SUGGEST_SIZE];
    for (int type = 1; type <= LAST_NUMBER; type++) {
        const char *name = vkdmlGetOperatorName((DML_OPERATOR_TYPE)type);
        if (name && operator_names_equal(text, name)) {
            fprintf(stderr, "vkdml %s: %s is not implemented yet\n", subcommand, name);
            return;
        }
    }
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        suggest_consider(&suggest, operator_names_short(vkdmlGetOperatorSchemaAt(i)->name));
    }
    fprintf(stderr, "vkdml %s: there is no operator '%s'%s\n", subcommand, text, suggest_hint(&suggest, hint));
}

const VkdmlOperatorSchema *operator_names_find(const char *subcommand, const char *text) {
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        if (operator_names_equal(text, schema->name)) {
            return schema;
        }
    }
    operator_names_refuse(subcommand, text);
    return NULL;
}
