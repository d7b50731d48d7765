/* Changes texts of words, numbers, strings and brackets, such as JSON, part by part. */
#ifndef FUZZ_TEXT_CHANGE_H
#define FUZZ_TEXT_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "cases/random.h"

/* Changes a text that lies in `room` bytes once; its length then. words: strings that it may hold, NULL at the end. */
size_t text_change(uint8_t *text, size_t length, size_t room, struct random *random, const char *const *words);

#endif
