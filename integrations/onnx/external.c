#include "onnx/external.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/visible_text.h"

#define MOST_AT_ONCE ((size_t)1 << 30) /* of one read: some systems refuse 2 GiB */
#define MOST_READ    4                 /* bytes of parts for each byte of their files */

/* ---- files ---- */

/* Opens a regular file: its descriptor, or -1. Opening a pipe would wait for a writer. */
static int open_file(const char *path, uint64_t *length, struct onnx_error *error) {
    struct stat status;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) {
        onnx_fail(error, "%s: %s", visible_text(path).text, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        onnx_fail(error, "%s is no file", visible_text(path).text);
    } else {
        *length = (uint64_t)status.st_size;
        return file;
    }
    if (file >= 0) {
        close(file);
    }
    return -1;
}

/* Fills memory with what a file has from an offset on. */
static bool read_at(int file, uint64_t offset, unsigned char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t done = pread(file, bytes, length < MOST_AT_ONCE ? length : MOST_AT_ONCE, (off_t)offset);
        if (done == 0 || (done < 0 && errno != EINTR)) {
            return false;
        }
        if (done > 0) {
            bytes += done;
            offset += (uint64_t)done;
            length -= (size_t)done;
        }
    }
    return true;
}

/* The same in memory of an arena. */
static bool read_part(const char *path, int file, uint64_t offset, size_t length, struct onnx_arena *arena,
                      const unsigned char **bytes, struct onnx_error *error) {
    unsigned char *memory = onnx_allocate(arena, length, 1);
    *bytes = memory;
    if (memory == NULL) {
        return onnx_fail_with(error, VKDML_ERROR_OUT_OF_HOST_MEMORY, "%s: memory is out", visible_text(path).text);
    }
    return read_at(file, offset, memory, length) || onnx_fail(error, "%s cannot be read", visible_text(path).text);
}

bool onnx_read_and_map_file(const char *path, struct onnx_arena *arena, struct onnx_arena *maps,
                            const unsigned char **bytes, const unsigned char **mapped, size_t *length,
                            struct onnx_error *error) {
    uint64_t all = 0;
    const int file = open_file(path, &all, error);
    if (file < 0) {
        return false;
    }
    *length = (size_t)all;
    *mapped = NULL;
    const bool is_read = all < SIZE_MAX ? read_part(path, file, 0, *length, arena, bytes, error)
                                        : onnx_fail(error, "%s is larger than memory can be", visible_text(path).text);
    if (is_read && maps != NULL && all > ONNX_MOST_COPIED) {
        *mapped = onnx_map_file(maps, path, file, *length);
    }
    close(file);
    return is_read;
}

bool onnx_read_file(const char *path, struct onnx_arena *arena, const unsigned char **bytes, size_t *length,
                    struct onnx_error *error) {
    const unsigned char *mapped;
    return onnx_read_and_map_file(path, arena, NULL, bytes, &mapped, length, error);
}

/* ---- locations ---- */

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

/* Room for one more element of an array, which doubles. */
static bool grow(struct onnx_arena *arena, uint32_t count, size_t size, void *array) {
    void *items, *grown;
    if (count != 0 && (count & (count - 1)) != 0) {
        return true;
    }
    grown = count < UINT32_MAX / 2 ? onnx_allocate(arena, count == 0 ? 1 : (size_t)count * 2, size) : NULL;
    if (grown == NULL) {
        return false;
    }
    memcpy(&items, array, sizeof items);
    if (count != 0) {
        memcpy(grown, items, count * size);
    }
    memcpy(array, &grown, sizeof grown);
    return true;
}

/* Paths without links find each file once, whatever the model calls it. */
bool onnx_external_add(struct onnx_external *external, const char *path, uint32_t *number, struct onnx_error *error) {
    const struct onnx_name *known = onnx_names_find(&external->file_names, (struct onnx_text){path, strlen(path)});
    if (known != NULL) {
        *number = known->number;
        return true;
    }
    uint64_t length = 0;
    const int file = open_file(path, &length, error);
    if (file < 0) {
        return false;
    }
    close(file);
    const char *copy = onnx_copy_text(external->memory, path, strlen(path));
    *number = external->file_names.count;
    external->file_names.arena = external->memory;
    if (copy == NULL || !grow(external->memory, *number, sizeof *external->files, &external->files) ||
        !onnx_names_add(&external->file_names, (struct onnx_text){copy, strlen(copy)}, *number)) {
        return onnx_fail_memory(error);
    }
    external->files[*number] = (struct onnx_external_file){copy, length, NULL};
    external->bytes += length;
    return true;
}

static bool find_resolved(struct onnx_external *external, const char *folder, const char *path, const char *location,
                          uint32_t *file, struct onnx_error *error) {
    if (folder == NULL || path == NULL) {
        return onnx_fail_with(error, errno == ENOMEM ? VKDML_ERROR_OUT_OF_HOST_MEMORY : VKDML_ERROR_INVALID_ARGUMENT,
                              "external data \"%s\": %s", visible_text(location).text, strerror(errno));
    }
    if (!is_within(folder, path)) {
        return onnx_fail(error, "external data \"%s\" is a link out of the model's folder",
                         visible_text(location).text);
    }
    return onnx_external_add(external, path, file, error);
}

bool onnx_external_find(struct onnx_external *external, struct onnx_text location, uint32_t *file,
                        struct onnx_error *error) {
    if (external->folder == NULL) {
        return onnx_fail(error, "external data \"%s\": the model has no folder",
                         visible_bytes(location.text, location.length).text);
    }
    if (!is_below(location)) {
        return onnx_fail(error, "external data \"%s\" is not below the model's folder",
                         visible_bytes(location.text, location.length).text);
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
    const bool is_found = find_resolved(external, real_folder, real_path, name, file, error);
    free(real_path);
    free(real_folder);
    free(joined);
    return is_found;
}

/* ---- parts ---- */

/* Reads a part, or maps the whole file if the part is large. `of->mapped` is set then. */
static bool read_or_map(struct onnx_external_file *of, uint64_t offset, size_t length, struct onnx_arena *arena,
                        const unsigned char **bytes, struct onnx_error *error) {
    /* Who reads a tensor may read whole words, which are there but at the end of a file. */
    const bool has_words = length % 4 == 0 || (offset <= of->length && length + 4 <= of->length - offset);
    const bool is_mapped = length > ONNX_MOST_COPIED && has_words;
    if (is_mapped && of->mapped != NULL) {
        *bytes = of->mapped + offset;
        return true;
    }
    uint64_t now = 0;
    const int file = open_file(of->path, &now, error);
    if (file < 0) {
        return false;
    }
    const bool is_there = offset <= now && length <= now - offset && of->length <= now;
    if (is_mapped && is_there && of->length <= SIZE_MAX) {
        of->mapped = onnx_map_file(arena, of->path, file, (size_t)of->length);
    }
    const bool done = is_mapped && of->mapped != NULL;
    *bytes = done ? of->mapped + offset : NULL;
    const bool is_read = done || read_part(of->path, file, offset, length, arena, bytes, error);
    close(file);
    return is_read;
}

bool onnx_external_read(struct onnx_external *external, uint32_t number, uint64_t offset, size_t length,
                        struct onnx_arena *arena, const unsigned char **bytes, struct onnx_error *error) {
    struct onnx_external_file *of = &external->files[number];
    char key[64];
    const int key_length = snprintf(key, sizeof key, "%" PRIu32 " %" PRIu64 " %zu", number, offset, length);
    const struct onnx_text name = {key, (size_t)key_length};
    const struct onnx_name *known = onnx_names_find(&external->part_names, name);
    if (known != NULL) {
        *bytes = external->parts[known->number];
        return true;
    }
    if (external->read / MOST_READ > external->bytes) {
        return onnx_fail(error, "%s: parts of external data overlap too much", visible_text(of->path).text);
    }
    external->read += length;
    const bool is_read = read_or_map(of, offset, length, arena, bytes, error);
    const uint32_t part = external->part_names.count;
    const char *copy = is_read ? onnx_copy_text(external->memory, key, name.length) : NULL;
    external->part_names.arena = external->memory;
    if (is_read && (copy == NULL || !grow(external->memory, part, sizeof *external->parts, &external->parts) ||
                    !onnx_names_add(&external->part_names, (struct onnx_text){copy, name.length}, part))) {
        return onnx_fail_memory(error);
    }
    if (is_read) {
        external->parts[part] = *bytes;
    }
    return is_read;
}
