/* Whole files in and out. */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a file into malloc'ed memory with a zero byte after its end. On failure returns why, else NULL. */
const char *file_read(const char *path, unsigned char **bytes, size_t *length);

/* The same of standard input. */
const char *file_read_standard_input(unsigned char **bytes, size_t *length);

/* Writes two pieces, one after the other. On failure returns why, else NULL; a file half written is removed. */
const char *file_write(const char *path, const void *head, size_t head_length, const void *body, size_t body_length);

bool file_exists(const char *path);

/* Whether a path ends in ".extension", ASCII case ignored. */
bool file_has_extension(const char *path, const char *extension);

#endif
