#include "base/aliases.h"

bool vkdml_places_overlap(const struct vkdml_place *a, const struct vkdml_place *b) {
    /* Without sums, which a range at the end of memory would make wrap around. */
    return a->first < b->first ? b->first - a->first < a->bytes : a->first - b->first < b->bytes;
}

static bool has_bit(uint32_t bits, size_t index) {
    return index < 32 && (bits >> index & 1) != 0;
}

const char *vkdml_overlap_refusal(const struct vkdml_aliases *aliases, size_t input, const struct vkdml_place *a,
                                  const struct vkdml_place *b) {
    if (!has_bit(aliases->may, input)) {
        return "";
    }
    if (!has_bit(aliases->same_layouts, input)) {
        return " (in place needs the same sizes, strides and type)";
    }
    return a->first == b->first ? NULL : " (in place needs the same first byte)";
}
