#include "base/intern.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_BUCKETS 256

struct vkdml_interned {
    struct vkdml_interned *next;
    uint64_t hash;
    uint64_t number;
    size_t count;
    unsigned char bytes[];
};

/* FNV-1a's step over a word of 8 bytes; 0x100000001b3 is its 64-bit prime. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* It only picks the bucket. Strings have thousands of bytes, and each step waits for the one before: so LANES hashes,
 * which do not wait for each other, take turns. 0xcbf29ce484222325 is FNV-1a's 64-bit offset basis. */
#define LANES 4
static uint64_t hash_of(const unsigned char *bytes, size_t count) {
    uint64_t lanes[LANES] = {UINT64_C(0xcbf29ce484222325) ^ count, 1, 2, 3}, words[LANES];
    size_t i = 0;
    for (; count - i >= sizeof words; i += sizeof words) {
        memcpy(words, bytes + i, sizeof words);
        for (size_t l = 0; l < LANES; ++l) {
            lanes[l] = mix(lanes[l], words[l]);
        }
    }
    memset(words, 0, sizeof words);
    memcpy(words, bytes + i, count - i);
    uint64_t hash = 0;
    for (size_t l = 0; l < LANES; ++l) {
        hash = mix(hash, mix(lanes[l], words[l]));
    }
    return hash ^ hash >> 32;
}

static bool grow(struct vkdml_intern *intern) {
    const size_t count = intern->bucket_count == 0 ? FIRST_BUCKETS : intern->bucket_count * 4;
    struct vkdml_interned **buckets = vkdml_allocate(intern->callbacks, count * sizeof(struct vkdml_interned *));
    if (buckets == NULL) {
        return false;
    }
    for (size_t b = 0; b < intern->bucket_count; ++b) {
        while (intern->buckets[b] != NULL) {
            struct vkdml_interned *entry = intern->buckets[b];
            intern->buckets[b] = entry->next;
            entry->next = buckets[entry->hash & (count - 1)];
            buckets[entry->hash & (count - 1)] = entry;
        }
    }
    vkdml_free(intern->callbacks, intern->buckets);
    intern->buckets = buckets;
    intern->bucket_count = count;
    return true;
}

uint64_t vkdml_intern(struct vkdml_intern *intern, const void *bytes, size_t count) {
    const uint64_t hash = hash_of(bytes, count);
    if (intern->bucket_count != 0) {
        const struct vkdml_interned *entry = intern->buckets[hash & (intern->bucket_count - 1)];
        for (; entry != NULL; entry = entry->next) {
            if (entry->hash == hash && entry->count == count && memcmp(entry->bytes, bytes, count) == 0) {
                return entry->number;
            }
        }
    }
    if (intern->count >= intern->bucket_count && !grow(intern)) {
        return 0;
    }
    struct vkdml_interned *added = vkdml_allocate(intern->callbacks, sizeof *added + count);
    if (added == NULL) {
        return 0;
    }
    struct vkdml_interned **bucket = &intern->buckets[hash & (intern->bucket_count - 1)];
    added->next = *bucket;
    added->hash = hash;
    added->number = ++intern->count;
    added->count = count;
    memcpy(added->bytes, bytes, count);
    *bucket = added;
    return added->number;
}

void vkdml_intern_end(struct vkdml_intern *intern) {
    for (size_t b = 0; b < intern->bucket_count; ++b) {
        while (intern->buckets[b] != NULL) {
            struct vkdml_interned *next = intern->buckets[b]->next;
            vkdml_free(intern->callbacks, intern->buckets[b]);
            intern->buckets[b] = next;
        }
    }
    vkdml_free(intern->callbacks, intern->buckets);
    *intern = (struct vkdml_intern){.callbacks = intern->callbacks};
}
