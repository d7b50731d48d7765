/* Modules as they are embedded are deflated (RFC 1951). */
#ifndef VKDML_KERNELS_INFLATE_H
#define VKDML_KERNELS_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/* What is held back of a deflated text may be looked at before it is known to be needed: so many bytes behind it. */
#define VKDML_INFLATE_SLACK 8

/* Writes a text of so many bytes. What is deflated is the library's own and known to be right. */
void vkdml_inflate(const uint8_t *deflated, uint8_t *text, size_t bytes);

#endif
