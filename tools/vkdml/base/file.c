#include "base/file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char too_large[] = "too large";

/* Reads to the end, which should come after `expected` bytes and must come after `limit`. */
static const char *read_rest(FILE *file, uint64_t expected, uint64_t limit, unsigned char **bytes, size_t *length) {
    size_t capacity = (size_t)expected + 1;
    size_t used = 0;
    for (;;) {
        unsigned char *grown = realloc(*bytes, capacity);
        if (!grown) {
            return "out of memory";
        }
        *bytes = grown;
        used += fread(*bytes + used, 1, capacity - used, file);
        if (used > limit) {
            return too_large;
        }
        if (used < capacity) {
            break;
        }
        /* Larger than expected: of no size known before, or still growing. */
        if (capacity > SIZE_MAX / 2) {
            return too_large;
        }
        capacity *= 2;
    }
    if (ferror(file)) {
        return strerror(errno);
    }
    (*bytes)[used] = 0;
    *length = used;
    return NULL;
}

/* Whether a file may be read: NULL, or why not. Asked before it is opened, since opening a pipe waits for its writer.
 */
static const char *check_kind(const char *path, bool regular_only, struct stat *status) {
    if (stat(path, status) != 0) {
        return strerror(errno);
    }
    if (S_ISDIR(status->st_mode)) {
        return strerror(EISDIR);
    }
    return regular_only && !S_ISREG(status->st_mode) ? "is no regular file, may never end" : NULL;
}

static const char *read_file(const char *path, bool regular_only, uint64_t limit, uint64_t pipe_limit,
                             unsigned char **bytes, size_t *length) {
    struct stat status;
    *bytes = NULL;
    *length = 0;
    const char *why = check_kind(path, regular_only, &status);
    if (why) {
        return why;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return strerror(errno);
    }
    const bool regular = S_ISREG(status.st_mode);
    const uint64_t expected = regular ? (uint64_t)status.st_size : 0;
    if (expected > limit || expected >= SIZE_MAX / 2) {
        why = too_large;
    } else {
        why = read_rest(file, expected, regular ? limit : pipe_limit, bytes, length);
    }
    fclose(file);
    if (why) {
        free(*bytes);
        *bytes = NULL;
    }
    return why;
}

const char *file_read(const char *path, uint64_t limit, unsigned char **bytes, size_t *length) {
    return read_file(path, true, limit, 0, bytes, length);
}

const char *file_read_any(const char *path, uint64_t limit, uint64_t pipe_limit, unsigned char **bytes,
                          size_t *length) {
    return read_file(path, false, limit, pipe_limit, bytes, length);
}

const char *file_read_standard_input(uint64_t limit, unsigned char **bytes, size_t *length) {
    *bytes = NULL;
    *length = 0;
    const char *why = read_rest(stdin, 0, limit, bytes, length);
    if (why) {
        free(*bytes);
        *bytes = NULL;
    }
    return why;
}

const char *file_write(const char *path, const void *head, size_t head_length, const void *body, size_t body_length) {
    FILE *file = fopen(path, "wb");
    if (!file) {
        return strerror(errno);
    }
    errno = 0;
    bool written =
        fwrite(head, 1, head_length, file) == head_length && fwrite(body, 1, body_length, file) == body_length;
    int error = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        error = errno;
    }
    if (!written) {
        remove(path);
        return error ? strerror(error) : "cannot be written in full";
    }
    return NULL;
}

bool file_exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0;
}

bool file_has_extension(const char *path, const char *extension) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot + 1, extension) == 0;
}
