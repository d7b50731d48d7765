#include "image.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "case_data.h"
#include "number.h"
#include "random.h"

/* What the resources are bound at, relative to a multiple of CASE_OFFSET_PERIOD, and how much more than needed. Both
 * come from the seed, so a line tells them too. */
static const size_t resource_offsets[] = {0, DML_TEMPORARY_BUFFER_ALIGNMENT, 3 * DML_TEMPORARY_BUFFER_ALIGNMENT};
static const size_t resource_extras[] = {0, 4, 256};

static void place(struct image_layout *layout, const char *name, size_t offset, size_t size, size_t extra,
                  struct image_region *region) {
    size_t start = (layout->size + IMAGE_GUARD + CASE_OFFSET_PERIOD - 1) / CASE_OFFSET_PERIOD * CASE_OFFSET_PERIOD;
    *region = (struct image_region){.name = name, .offset = start + offset, .size = size, .bound = size + extra};
    layout->size = region->offset + region->bound + IMAGE_GUARD;
}

static void place_resource(struct image_layout *layout, const char *name, uint64_t size, struct random *random,
                           struct image_region *region) {
    if (size != 0) {
        size_t offset = RANDOM_OF(random, resource_offsets);
        place(layout, name, offset, (size_t)size, RANDOM_OF(random, resource_extras), region);
    }
}

/* Puts an output, and the other inputs that it is in place of, where the first of them is. */
static void share_place(const struct operator_case *c, uint32_t output, struct image_layout *layout) {
    const uint32_t aliases = case_aliases(c, output);
    const struct image_region *shared = NULL;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if ((aliases >> i & 1) != 0) {
            shared = shared == NULL ? &layout->fields[i] : shared;
            layout->fields[i] = *shared;
        }
    }
    assert(shared != NULL);
    layout->fields[output] = *shared;
}

void image_place(const struct operator_case *c, uint64_t temporary, uint64_t persistent, struct image_layout *layout) {
    struct random random = {.state = random_mix(c->seed, 1)};
    memset(layout, 0, sizeof(*layout));
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const struct case_tensor *tensor = &c->fields[i].tensor;
        if (!case_is_tensor(c, i) || !c->fields[i].present) {
            continue;
        }
        if (tensor->in_place) {
            share_place(c, i, layout);
        } else {
            place(layout, c->schema->fields[i].name, tensor->offset, case_total_bytes(tensor), tensor->extra,
                  &layout->fields[i]);
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
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (case_is_tensor(c, i) && case_is_input(c, i) && c->fields[i].present) {
            random.state = random_mix(c->seed, 3 + i);
            case_write_input(&c->fields[i].tensor, &random, bytes + layout->fields[i].offset);
        }
    }
}

/* Walks the elements of a tensor in row-major order. */
struct walk {
    const struct case_tensor *tensor;
    uint32_t element; /* bytes */
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint32_t coordinates[DML_TENSOR_DIMENSION_COUNT_MAX1];
    uint64_t index;
    size_t offset; /* in the image */
    size_t start;
};

static bool is_output(const struct operator_case *c, uint32_t field) {
    return case_is_tensor(c, field) && !case_is_input(c, field) && c->fields[field].present;
}

static void walk_begin(const struct operator_case *c, const struct image_layout *layout, uint32_t field,
                       struct walk *walk) {
    memset(walk, 0, sizeof(*walk));
    walk->tensor = &c->fields[field].tensor;
    walk->element = vkdmlGetDataTypeSize(walk->tensor->type);
    walk->start = walk->offset = layout->fields[field].offset;
    case_strides(walk->tensor, walk->strides);
}

static bool walk_next(struct walk *walk) {
    walk->index++;
    bool more = case_next_coordinates(walk->tensor, walk->coordinates);
    walk->offset =
        walk->start + (size_t)case_element_position(walk->tensor, walk->strides, walk->coordinates) * walk->element;
    return more;
}

void image_copy_outputs(const struct operator_case *c, const struct image_layout *layout, const unsigned char *from,
                        unsigned char *to) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (!is_output(c, i)) {
            continue;
        }
        struct walk walk;
        walk_begin(c, layout, i, &walk);
        do {
            memcpy(to + walk.offset, from + walk.offset, walk.element);
        } while (walk_next(&walk));
    }
}

bool image_write_typed(const struct operator_case *c, const struct image_layout *layout, unsigned char *bytes) {
    bool any = false;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (!is_output(c, i) || c->fields[i].tensor.value_count == 0) {
            continue;
        }
        any = true;
        struct walk walk;
        walk_begin(c, layout, i, &walk);
        do {
            if (!walk.tensor->kept[walk.index]) {
                memcpy(bytes + walk.offset, &walk.tensor->values[walk.index], walk.element);
            }
        } while (walk_next(&walk));
    }
    return any;
}

static void describe_element(const struct walk *walk, const char *name, const unsigned char *got,
                             const unsigned char *want, char *text, size_t text_size) {
    uint64_t got_bits = 0, want_bits = 0;
    char coordinates[DML_TENSOR_DIMENSION_COUNT_MAX1 * 11 + 1] = "";
    size_t used = 0;
    memcpy(&got_bits, got + walk->offset, walk->element);
    memcpy(&want_bits, want + walk->offset, walk->element);
    for (uint32_t d = 0; d < walk->tensor->rank; d++) {
        used += (size_t)snprintf(coordinates + used, sizeof(coordinates) - used, d == 0 ? "%" PRIu32 : ",%" PRIu32,
                                 walk->coordinates[d]);
    }
    snprintf(text, text_size,
             "%s element %" PRIu64 " = [%s], byte %zu: got 0x%" PRIx64 " (%.9g), want 0x%" PRIx64 " (%.9g)", name,
             walk->index, coordinates, walk->offset - walk->start, got_bits,
             number_decode(walk->tensor->type, got_bits), want_bits, number_decode(walk->tensor->type, want_bits));
}

/* The first output element that differs. */
static bool element_difference(const struct operator_case *c, const struct image_layout *layout,
                               const unsigned char *got, const unsigned char *want, char *text, size_t text_size) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (!is_output(c, i)) {
            continue;
        }
        struct walk walk;
        walk_begin(c, layout, i, &walk);
        do {
            if (memcmp(got + walk.offset, want + walk.offset, walk.element) != 0) {
                describe_element(&walk, c->schema->fields[i].name, got, want, text, text_size);
                return true;
            }
        } while (walk_next(&walk));
    }
    return false;
}

/* Describes a byte that belongs to no output element, by the region nearest before or after it. */
static void describe_byte(const struct operator_case *c, const struct image_layout *layout, size_t position,
                          unsigned got, unsigned want, char *text, size_t text_size) {
    const struct image_region *nearest = NULL;
    const struct image_region *regions[CASE_MAX_FIELDS + 2];
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        regions[count++] = &layout->fields[i];
    }
    regions[count++] = &layout->temporary;
    regions[count++] = &layout->persistent;
    for (uint32_t i = 0; i < count; i++) {
        bool before_guard_ends = position + IMAGE_GUARD >= regions[i]->offset;
        if (regions[i]->size != 0 && before_guard_ends && (nearest == NULL || regions[i]->offset > nearest->offset)) {
            nearest = regions[i];
        }
    }
    const char *name = nearest != NULL ? nearest->name : "the buffer";
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
