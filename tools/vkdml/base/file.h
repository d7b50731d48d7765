/* Whole files in and out. */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that is read of what has no size: pipes, devices, standard input. 256 MiB is more than any model. */
#define FILE_PIPE_LIMIT ((uint64_t)256 << 20)

/* Reads a regular file of at most `limit` bytes into malloc'ed memory with a zero byte after its end. On failure
 * returns why, else NULL. Pipes and devices are refused: they may never end. */
const char *file_read(const char *path, uint64_t limit, unsigned char **bytes, size_t *length);

/* The same of any file but a folder, pipes and devices up to a limit of their own. */
const char *file_read_any(const char *path, uint64_t limit, uint64_t pipe_limit, unsigned char **bytes, size_t *length);

/* The same of standard input, to its end. */
const char *file_read_standard_input(uint64_t limit, unsigned char **bytes, size_t *length);

/* Writes two pieces, one after the other. On failure returns why, else NULL; a file half written is removed. */
const char *file_write(const char *path, const void *head, size_t head_length, const void *body, size_t body_length);

bool file_exists(const char *path);

/* Whether a path ends in ".extension", ASCII case ignored. */
bool file_has_extension(const char *path, const char *extension);

#endif
