#include "file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *read_rest(FILE *file, size_t expected, unsigned char **bytes, size_t *length) {
    size_t capacity = expected + 1;
    size_t used = 0;
    for (;;) {
        unsigned char *grown = realloc(*bytes, capacity);
        if (!grown) {
            return "out of memory";
        }
        *bytes = grown;
        used += fread(*bytes + used, 1, capacity - used, file);
        if (used < capacity) {
            break;
        }
        /* Larger than stat said: a pipe, or still growing. */
        if (capacity > SIZE_MAX / 2) {
            return "too large";
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

const char *file_read(const char *path, unsigned char **bytes, size_t *length) {
    const char *why = NULL;
    struct stat status;
    *bytes = NULL;
    *length = 0;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) != 0) {
        why = strerror(errno);
        goto done;
    }
    if (S_ISDIR(status.st_mode)) {
        why = strerror(EISDIR);
        goto done;
    }
    if ((uintmax_t)status.st_size >= SIZE_MAX / 2) {
        why = "too large";
        goto done;
    }
    why = read_rest(file, (size_t)status.st_size, bytes, length);
done:
    if (file) {
        fclose(file);
    }
    if (why) {
        free(*bytes);
        *bytes = NULL;
    }
    return why;
}

const char *file_read_standard_input(unsigned char **bytes, size_t *length) {
    *bytes = NULL;
    *length = 0;
    /* 64 KiB: what a pipe holds on Linux. */
    const char *why = read_rest(stdin, (size_t)64 << 10, bytes, length);
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
