#include "refused_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 8192

static void *allocate(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        abort();
    }
    const long size = ftell(file);
    rewind(file);
    char *text = allocate((size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        abort();
    }
    fclose(file);
    return text;
}

/* "DML_OPERATOR_ADD: reason" of a case "ADD .." behind the reasons that there are. */
static char *add_reason(char *reasons, const char *line, const char *reason) {
    const size_t before = reasons != NULL ? strlen(reasons) : 0;
    const size_t size = before + strlen(line) + strlen(reason) + 32;
    char *all = allocate(size);
    snprintf(all, size, "%s%sDML_OPERATOR_%.*s: %s", before != 0 ? reasons : "", before != 0 ? "\n" : "",
             (int)strcspn(line, " "), line, reason);
    free(reasons);
    return all;
}

struct refused_file refused_file_read(const char *path) {
    struct refused_file file = {allocate(MAX_ITEMS * sizeof(struct case_refusal)), 0, read_text(path)};
    char *reasons = NULL;
    for (char *line = file.text; *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\n' ? end + 1 : end;
        *end = '\0';
        const size_t blanks = strspn(line, " ");
        if (blanks != 0 && file.count != 0) {
            reasons = add_reason(reasons, file.items[file.count - 1].line, line + blanks);
            file.items[file.count - 1].reason = reasons;
        } else if (*line != '#' && *line != '\0') {
            if (file.count == MAX_ITEMS) {
                fprintf(stderr, "%s: more than %d cases\n", path, MAX_ITEMS);
                abort();
            }
            file.items[file.count++] = (struct case_refusal){line, ""};
            reasons = NULL;
        }
        line = next;
    }
    return file;
}

void refused_file_free(struct refused_file *file) {
    for (size_t i = 0; i < file->count; i++) {
        if (*file->items[i].reason != '\0') {
            free((char *)(uintptr_t)file->items[i].reason);
        }
    }
    free(file->items);
    free(file->text);
}
