#include "base/names.h"

#include <json-c/linkhash.h>
#include <limits.h>

/* Enough for somebody to read; over 100,000 names each takes some milliseconds. */
#define MOST_HINTS 20

bool names_create(struct names *names, size_t count) {
    /* The table grows where that is too little; it must not be 0. */
    const int size = count < INT_MAX / 2 ? (int)count + (int)count / 2 + 1 : INT_MAX / 2;
    *names = (struct names){.table = lh_kchar_table_new(size, NULL)};
    return names->table != NULL;
}

bool names_add(struct names *names, const char *name, void *thing) {
    return lh_table_insert(names->table, name, thing) == 0;
}

void *names_find(const struct names *names, const char *name) {
    void *thing = NULL;
    return names->table && lh_table_lookup_ex(names->table, name, &thing) ? thing : NULL;
}

const char *names_hint(struct names *names, const char *name, char hint[SUGGEST_SIZE]) {
    struct suggest suggest = suggest_begin(name);
    if (names->table && names->hints++ < MOST_HINTS) {
        const struct lh_entry *entry;
        lh_foreach(names->table, entry) {
            suggest_consider(&suggest, lh_entry_k(entry));
        }
    }
    return suggest_hint(&suggest, hint);
}

void names_free(struct names *names) {
    if (names->table) {
        lh_table_free(names->table);
    }
    *names = (struct names){0};
}
