#include "onnx/external.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct onnx_external_file {
    struct onnx_external_file *next;
    const char *path; /* links followed */
    const unsigned char *bytes;
    size_t length;
};

bool onnx_read_file(const char *path, struct onnx_arena *arena, const unsigned char **bytes, size_t *length,
                    struct onnx_error *error) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return onnx_fail(error, "%.200s: %s", path, strerror(errno));
    }
    /* Before it is opened: opening a pipe waits for who writes to it. */
    if (!S_ISREG(status.st_mode)) {
        return onnx_fail(error, "%.200s is no file", path);
    }
    if ((uintmax_t)status.st_size >= SIZE_MAX) {
        return onnx_fail(error, "%.200s is larger than memory can be", path);
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return onnx_fail(error, "%.200s: %s", path, strerror(errno));
    }
    *length = (size_t)status.st_size;
    unsigned char *memory = onnx_allocate(arena, *length, 1);
    const bool is_read = memory != NULL && fread(memory, 1, *length, file) == *length;
    fclose(file);
    *bytes = memory;
    if (memory == NULL) {
        return onnx_fail_with(error, VKDML_ERROR_OUT_OF_HOST_MEMORY, "%.200s: memory is out", path);
    }
    return is_read || onnx_fail(error, "%.200s cannot be read", path);
}

static int shown(struct onnx_text text) {
    return text.length < 200 ? (int)text.length : 200;
}

/* Whether each part of it is a name below where it begins. */
static bool is_below(struct onnx_text location) {
    for (size_t begin = 0, end = 0; begin <= location.length; begin = ++end) {
        while (end < location.length && location.text[end] != '/') {
            end++;
        }
        if (end == begin || (end - begin == 2 && memcmp(location.text + begin, "..", 2) == 0)) {
            return false;
        }
    }
    return true;
}

/* Links followed: whether a path is below a folder. */
static bool is_within(const char *folder, const char *path) {
    const size_t length = strlen(folder);
    return strncmp(folder, path, length) == 0 && (path[length] == '/' || (length > 0 && folder[length - 1] == '/'));
}

/* The file of a path, read once whatever the model calls it. */
static struct onnx_external_file *find(struct onnx_external *external, const char *path, struct onnx_arena *arena,
                                       struct onnx_error *error) {
    struct onnx_external_file *file = external->files;
    while (file != NULL && strcmp(file->path, path) != 0) {
        file = file->next;
    }
    if (file != NULL) {
        return file;
    }
    file = onnx_allocate(arena, 1, sizeof *file);
    const char *copy = onnx_copy_text(arena, path, strlen(path));
    if (file == NULL || copy == NULL) {
        onnx_fail_memory(error);
        return NULL;
    }
    if (!onnx_read_file(path, arena, &file->bytes, &file->length, error)) {
        return NULL;
    }
    file->path = copy;
    file->next = external->files;
    external->files = file;
    external->bytes += file->length;
    return file;
}

static struct onnx_external_file *find_resolved(struct onnx_external *external, const char *folder, const char *path,
                                                const char *location, struct onnx_arena *arena,
                                                struct onnx_error *error) {
    if (folder == NULL || path == NULL) {
        onnx_fail_with(error, errno == ENOMEM ? VKDML_ERROR_OUT_OF_HOST_MEMORY : VKDML_ERROR_INVALID_ARGUMENT,
                       "external data \"%.200s\": %s", location, strerror(errno));
        return NULL;
    }
    if (!is_within(folder, path)) {
        onnx_fail(error, "external data \"%.200s\" is a link out of the model's folder", location);
        return NULL;
    }
    return find(external, path, arena, error);
}

bool onnx_external_read(struct onnx_external *external, struct onnx_arena *arena, struct onnx_text location,
                        const unsigned char **bytes, size_t *length, struct onnx_error *error) {
    if (external->folder == NULL) {
        return onnx_fail(error, "external data \"%.*s\": the model has no folder", shown(location), location.text);
    }
    if (!is_below(location)) {
        return onnx_fail(error, "external data \"%.*s\" is not below the model's folder", shown(location),
                         location.text);
    }
    const char *folder = *external->folder != 0 ? external->folder : ".";
    const size_t room = strlen(folder) + location.length + 2;
    char *joined = malloc(room);
    if (joined == NULL) {
        return onnx_fail_memory(error);
    }
    snprintf(joined, room, "%s/", folder);
    char *name = joined + strlen(joined);
    memcpy(name, location.text, location.length);
    name[location.length] = 0;
    char *real_folder = realpath(folder, NULL);
    char *real_path = real_folder != NULL ? realpath(joined, NULL) : NULL;
    const struct onnx_external_file *file = find_resolved(external, real_folder, real_path, name, arena, error);
    free(real_path);
    free(real_folder);
    free(joined);
    if (file == NULL) {
        return false;
    }
    *bytes = file->bytes;
    *length = file->length;
    return true;
}
