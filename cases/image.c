#include "cases/image.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/number.h"
#include "cases/random.h"

/* What the resources are bound at, relative to a multiple of CASE_OFFSET_PERIOD, and how much more than needed. Both
 * come from the seed, so a line tells them too. */
static const size_t resource_offsets[] = {0, DML_TEMPORARY_BUFFER_ALIGNMENT, 3 * DML_TEMPORARY_BUFFER_ALIGNMENT};
static const size_t resource_extras[] = {0, 4, 256};

static void place(struct image_layout *layout, struct case_name name, size_t offset, size_t size, size_t extra,
                  struct image_region *region) {
    size_t start = (layout->size + IMAGE_GUARD + CASE_OFFSET_PERIOD - 1) / CASE_OFFSET_PERIOD * CASE_OFFSET_PERIOD;
    *region = (struct image_region){.name = name, .offset = start + offset, .size = size, .bound = size + extra};
    layout->size = region->offset + region->bound + IMAGE_GUARD;
}

static void place_resource(struct image_layout *layout, const char *name, uint64_t size, struct random *random,
                           struct image_region *region) {
    if (size != 0) {
        size_t offset = RANDOM_OF(random, resource_offsets);
        struct case_name region_name;
        snprintf(region_name.text, sizeof(region_name.text), "%s", name);
        place(layout, region_name, offset, (size_t)size, RANDOM_OF(random, resource_extras), region);
    }
}

/* Puts an output, and the other inputs that it is in place of, where the first of them is. Arrays are never in place.
 */
static void share_place(const struct operator_case *c, uint32_t output, struct image_layout *layout) {
    const uint32_t aliases = case_aliases(c, output);
    const struct image_region *shared = NULL;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if ((aliases >> i & 1) != 0) {
            shared = shared == NULL ? &layout->tensors[i] : shared;
            layout->tensors[i] = *shared;
        }
    }
    assert(shared != NULL);
    layout->tensors[output] = *shared;
}

void image_place(const struct operator_case *c, uint64_t temporary, uint64_t persistent, struct image_layout *layout) {
    struct random random = {.state = random_mix(c->seed, 1)};
    memset(layout, 0, sizeof(*layout));
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.tensor->in_place) {
            share_place(c, at.field, layout);
        } else {
            place(layout, case_tensor_name(c, at), at.tensor->offset, case_total_bytes(at.tensor), at.tensor->extra,
                  &layout->tensors[at.slot]);
        }
    }
    place_resource(layout, "the temporary resource", temporary, &random, &layout->temporary);
    place_resource(layout, "the persistent resource", persistent, &random, &layout->persistent);
}

void image_write(const struct operator_case *c, const struct image_layout *layout, unsigned char *bytes) {
    struct random random = {.state = random_mix(c->seed, 2)};
    random_bytes(&random, bytes, layout->size);
    if (random_chance(&random, 50)) {
        memset(bytes + layout->temporary.offset, 0xff, layout->temporary.size);
        memset(bytes + layout->persistent.offset, 0xff, layout->persistent.size);
    }
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input || at.tensor->fill != CASE_FILL_BITS) { /* of an output: what it has before */
            random.state = random_mix(c->seed, 3 + at.slot);
            struct case_tensor tensor = *at.tensor;
            tensor.value_count = at.is_input ? tensor.value_count : 0; /* those that must come out */
            case_write_input(&tensor, &random, bytes + layout->tensors[at.slot].offset);
        }
    }
}

static void turn_over(const struct image_region *region, unsigned char *bytes) {
    for (size_t i = 0; i < region->size; i++) {
        bytes[region->offset + i] ^= 0xff;
    }
}

void image_turn_over(const struct operator_case *c, const struct image_layout *layout, unsigned char *bytes) {
    turn_over(&layout->temporary, bytes);
    turn_over(&layout->persistent, bytes);
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (!at.is_input && at.tensor->fill == CASE_FILL_BITS && at.tensor->in_place == 0) {
            turn_over(&layout->tensors[at.slot], bytes);
        }
    }
}

/* Walks the elements of a tensor in row-major order. */
struct walk {
    const struct case_tensor *tensor;
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint32_t coordinates[DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint64_t index;
    uint64_t position; /* in elements */
    size_t start;      /* in the image */
};

static struct walk walk_begin(const struct image_layout *layout, struct case_at at) {
    struct walk walk = {.tensor = at.tensor, .start = layout->tensors[at.slot].offset};
    case_strides(walk.tensor, walk.strides);
    return walk;
}

static bool walk_next(struct walk *walk) {
    walk->index++;
    bool more = case_next_coordinates(walk->tensor, walk->coordinates);
    walk->position = case_element_position(walk->tensor, walk->strides, walk->coordinates);
    return more;
}

static uint64_t walk_read(const struct walk *walk, const unsigned char *image) {
    return case_read_element(walk->tensor, image + walk->start, walk->position);
}

static void walk_write(const struct walk *walk, uint64_t bits, unsigned char *image) {
    case_write_element(walk->tensor, bits, walk->position, image + walk->start);
}

void image_copy_outputs(const struct operator_case *c, const struct image_layout *layout, const unsigned char *from,
                        unsigned char *to) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input) {
            continue;
        }
        struct walk walk = walk_begin(layout, at);
        do {
            walk_write(&walk, walk_read(&walk, from), to);
        } while (walk_next(&walk));
    }
}

void image_expect_same(const struct operator_case *c, const struct image_layout *layout, const unsigned char *before,
                       const unsigned char *after, const unsigned char *initial, unsigned char *bytes) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input) {
            continue;
        }
        struct walk walk = walk_begin(layout, at);
        do {
            const uint64_t other = walk_read(&walk, after);
            if (other != walk_read(&walk, before) || walk_read(&walk, bytes) != walk_read(&walk, initial)) {
                walk_write(&walk, other, bytes);
            }
        } while (walk_next(&walk));
    }
}

bool image_write_typed(const struct operator_case *c, const struct image_layout *layout, unsigned char *bytes) {
    bool any = false;
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input || at.tensor->value_count == 0) {
            continue;
        }
        any = true;
        struct walk walk = walk_begin(layout, at);
        do {
            if (!walk.tensor->kept[walk.index]) {
                walk_write(&walk, walk.tensor->values[walk.index], bytes);
            }
        } while (walk_next(&walk));
    }
    return any;
}

void image_accept(const struct operator_case *c, const struct image_layout *layout, accuracy_bounds_of *bounds_of,
                  const unsigned char *initial, const unsigned char *got, unsigned char *want) {
    const unsigned char *tensors[CASE_MAX_TENSORS];
    for (uint32_t i = 0; i < CASE_MAX_TENSORS; i++) {
        tensors[i] = initial + layout->tensors[i].offset;
    }
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (!at.is_input) {
            const size_t start = layout->tensors[at.slot].offset;
            accuracy_accept(c, at, bounds_of, tensors, got + start, want + start);
        }
    }
}

static void describe_element(const struct walk *walk, const char *name, const unsigned char *got,
                             const unsigned char *want, char *text, size_t text_size) {
    const uint64_t got_bits = walk_read(walk, got), want_bits = walk_read(walk, want);
    char coordinates[DML_TENSOR_DIMENSION_COUNT_MAX1 * 11 + 1] = "";
    size_t used = 0;
    for (uint32_t d = 0; d < walk->tensor->rank; d++) {
        used += (size_t)snprintf(coordinates + used, sizeof(coordinates) - used, d == 0 ? "%" PRIu32 : ",%" PRIu32,
                                 walk->coordinates[d]);
    }
    snprintf(text, text_size,
             "%s element %" PRIu64 " = [%s], byte %" PRIu64 ": got 0x%" PRIx64 " (%.9g), want 0x%" PRIx64 " (%.9g)",
             name, walk->index, coordinates, walk->position * number_bits(walk->tensor->type) / 8, got_bits,
             number_decode(walk->tensor->type, got_bits), want_bits, number_decode(walk->tensor->type, want_bits));
}

/* The first output element that differs. */
static bool element_difference(const struct operator_case *c, const struct image_layout *layout,
                               const unsigned char *got, const unsigned char *want, char *text, size_t text_size) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input) {
            continue;
        }
        struct walk walk = walk_begin(layout, at);
        do {
            if (walk_read(&walk, got) != walk_read(&walk, want)) {
                describe_element(&walk, case_tensor_name(c, at).text, got, want, text, text_size);
                return true;
            }
        } while (walk_next(&walk));
    }
    return false;
}

/* The region that begins last before a byte, or at most a guard behind it. */
static const struct image_region *nearest_region(const struct operator_case *c, const struct image_layout *layout,
                                                 size_t position) {
    const struct image_region *regions[CASE_MAX_TENSORS + 2] = {&layout->temporary, &layout->persistent};
    const struct image_region *nearest = NULL;
    uint32_t count = 2;
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        regions[count++] = &layout->tensors[at.slot];
    }
    for (uint32_t i = 0; i < count; i++) {
        bool before_guard_ends = position + IMAGE_GUARD >= regions[i]->offset;
        if (regions[i]->size != 0 && before_guard_ends && (nearest == NULL || regions[i]->offset > nearest->offset)) {
            nearest = regions[i];
        }
    }
    return nearest;
}

/* Describes a byte that belongs to no output element, by the region nearest before or after it. */
static void describe_byte(const struct operator_case *c, const struct image_layout *layout, size_t position,
                          unsigned got, unsigned want, char *text, size_t text_size) {
    const struct image_region *nearest = nearest_region(c, layout, position);
    const char *name = nearest != NULL ? nearest->name.text : "the buffer";
    long long distance = (long long)position - (long long)(nearest != NULL ? nearest->offset : 0);
    const char *what = nearest == NULL || distance < 0     ? "guard before"
                       : (size_t)distance < nearest->size  ? "no element's byte of"
                       : (size_t)distance < nearest->bound ? "bound guard after"
                                                           : "guard after";
    snprintf(text, text_size, "%s %s, byte %lld from its start: got 0x%02x, want 0x%02x", what, name, distance, got,
             want);
}

bool image_difference(const struct operator_case *c, const struct image_layout *layout, const unsigned char *got,
                      const unsigned char *want, char *text, size_t text_size) {
    if (memcmp(got, want, layout->size) == 0) {
        return false;
    }
    if (element_difference(c, layout, got, want, text, text_size)) {
        return true;
    }
    size_t position = 0;
    while (got[position] == want[position]) {
        position++;
    }
    describe_byte(c, layout, position, got[position], want[position], text, text_size);
    return true;
}
