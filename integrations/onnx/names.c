#include "onnx/names.h"

#include <string.h>

/* FNV-1a, 64 bits, begun with an address: a model cannot be made for it. */
static uint64_t hash(const struct onnx_names *names, struct onnx_text text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(uintptr_t)names->arena;
    for (size_t i = 0; i < text.length; i++) {
        hash = (hash ^ (unsigned char)text.text[i]) * UINT64_C(0x100000001b3);
    }
    return hash ^ hash >> 29;
}

bool onnx_text_equals(struct onnx_text a, struct onnx_text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.text, b.text, a.length) == 0);
}

/* Where it is, or would be: at least half of the slots are free. */
static uint32_t *slot_of(const struct onnx_names *names, struct onnx_text text) {
    uint32_t slot = (uint32_t)hash(names, text) & (names->slot_count - 1);
    while (names->slots[slot] != 0 && !onnx_text_equals(names->entries[names->slots[slot] - 1].text, text)) {
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return &names->slots[slot];
}

struct onnx_name *onnx_names_find(const struct onnx_names *names, struct onnx_text text) {
    const uint32_t *slot = names->count != 0 ? slot_of(names, text) : NULL;
    return slot != NULL && *slot != 0 ? &names->entries[*slot - 1] : NULL;
}

static bool grow(struct onnx_names *names) {
    const uint32_t slots = names->slot_count != 0 ? 2 * names->slot_count : 16;
    if (names->slot_count > UINT32_MAX / 4) {
        return false;
    }
    struct onnx_name *entries = onnx_allocate(names->arena, slots / 2, sizeof *entries);
    uint32_t *places = onnx_allocate(names->arena, slots, sizeof *places);
    if (entries == NULL || places == NULL) {
        return false;
    }
    if (names->count != 0) {
        memcpy(entries, names->entries, names->count * sizeof *entries);
    }
    names->entries = entries;
    names->slots = places;
    names->slot_count = slots;
    for (uint32_t i = 0; i < names->count; i++) {
        *slot_of(names, entries[i].text) = i + 1;
    }
    return true;
}

bool onnx_names_add(struct onnx_names *names, struct onnx_text text, uint32_t number) {
    if (names->count == names->slot_count / 2 && !grow(names)) {
        return false;
    }
    names->entries[names->count] = (struct onnx_name){.text = text, .number = number};
    *slot_of(names, text) = ++names->count;
    return true;
}
