/* What may lie in one place: the rule of bindings on the GPU and of the reference's memory. */
#ifndef VKDML_BASE_ALIASES_H
#define VKDML_BASE_ALIASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The inputs that an output may lie in place of. */
struct vkdml_aliases {
    uint32_t may;          /* bit 1 << i for each input i */
    uint32_t same_layouts; /* the bits of those whose layout is the output's: only then in place */
};

/* The bytes that a tensor or resource takes, of one buffer or of the host's memory. */
struct vkdml_place {
    uint64_t first;
    uint64_t bytes;
};

/* No inputs: of what is no output, and the index of what is no input. */
#define VKDML_NO_INPUT SIZE_MAX

/* Neither may be empty. */
bool vkdml_places_overlap(const struct vkdml_place *a, const struct vkdml_place *b);

/* Of an output at `a` that overlaps input `input` at `b`: NULL where it may, else static text that goes behind "must be
 * disjoint" and says what in place would need; empty where it never may. */
const char *vkdml_overlap_refusal(const struct vkdml_aliases *aliases, size_t input, const struct vkdml_place *a,
                                  const struct vkdml_place *b);

#endif
