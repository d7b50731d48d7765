/* The rules of bindings: those of one buffer, told when it is bound, and those between buffers, told when recorded. */
#include <inttypes.h>

#include "base/checked.h"
#include "vulkan/binding_table.h"

static void check_offset(const struct vkdml_bind_point *point, const VkdmlBufferBinding *binding,
                         struct vkdml_report *report) {
    if (binding->offset % point->alignment != 0) {
        vkdml_report_invalid(report, "%s: offset is %" PRIu64 ", must be a multiple of %u (%s)",
                             vkdml_bind_point_name(point).text, binding->offset, point->alignment,
                             point->alignment_rule);
    }
    if (point->base_alignment > point->alignment && binding->offset % point->base_alignment != 0) {
        vkdml_report_invalid(report,
                             "%s: offset is %" PRIu64 ", must be a multiple of %u (its GuaranteedBaseOffsetAlignment)",
                             vkdml_bind_point_name(point).text, binding->offset, point->base_alignment);
    }
}

static void check_range(const struct vkdml_bind_point *point, const VkdmlBufferBinding *binding,
                        struct vkdml_report *report) {
    uint64_t end;
    if (binding->size == VK_WHOLE_SIZE) {
        vkdml_report_invalid(report,
                             "%s: size is VK_WHOLE_SIZE, must be a number of bytes: a buffer's size cannot be queried",
                             vkdml_bind_point_name(point).text);
    } else if (binding->size < point->bytes) {
        vkdml_report_invalid(report, "%s: size is %" PRIu64 ", must be at least %" PRIu64,
                             vkdml_bind_point_name(point).text, binding->size, point->bytes);
    } else if (!vkdml_checked_add(binding->offset, binding->size, &end)) {
        vkdml_report_invalid(report, "%s: offset + size is %" PRIu64 " + %" PRIu64 ", must fit 64 bits",
                             vkdml_bind_point_name(point).text, binding->offset, binding->size);
    }
}

static bool is_required(const struct vkdml_bind_point *point) {
    return !point->unbound && point->bytes > 0;
}

/* Whether a buffer may be bound to a point; no buffer at all is for the caller to judge. A temporary or persistent
 * resource that is not needed may be any: engines bind one buffer to all their operators. */
static void check_binding(const struct vkdml_bind_point *point, const VkdmlBufferBinding *binding,
                          struct vkdml_report *report) {
    if (point->unbound) {
        vkdml_report_invalid(report, "%s: buffer is given, must be VK_NULL_HANDLE: %s",
                             vkdml_bind_point_name(point).text, point->unbound);
        return;
    }
    if (!is_required(point)) {
        return;
    }
    check_offset(point, binding, report);
    check_range(point, binding, report);
}

/* Descriptors are written again only where a binding is another; what is not used is not kept. */
static void keep(VkdmlBindingTable table, size_t point, const VkdmlBufferBinding *binding) {
    VkdmlBufferBinding *kept = &table->bindings[point];
    if (is_required(&table->dispatchable->points[point]) &&
        (kept->buffer != binding->buffer || kept->offset != binding->offset || kept->size != binding->size)) {
        *kept = *binding;
        table->changed = true;
    }
}

static void unbind(VkdmlBindingTable table, size_t first, uint32_t count) {
    const VkdmlBufferBinding none = {.buffer = VK_NULL_HANDLE};
    for (uint32_t i = 0; i < count; i++) {
        keep(table, first + i, &none);
    }
}

VkdmlResult vkdml_bind_tensors(VkdmlBindingTable table, enum vkdml_plan_resource inputs_or_outputs, uint32_t count,
                               const VkdmlBufferBinding *bindings, struct vkdml_report *report) {
    const struct VkdmlDispatchable_T *dispatchable = table->dispatchable;
    const bool is_input = inputs_or_outputs == VKDML_PLAN_INPUT;
    const struct vkdml_bind_point *points = is_input ? dispatchable->inputs : dispatchable->outputs;
    const uint32_t expected = is_input ? dispatchable->input_count : dispatchable->output_count;
    if (count == 0) {
        unbind(table, vkdml_dispatchable_point(dispatchable, inputs_or_outputs, 0), expected);
        return VKDML_SUCCESS;
    }
    if (count != expected) {
        return vkdml_report_invalid(report, "count is %u, must be %u (%s), or 0 to unbind", count, expected,
                                    is_input ? "inputCount" : "outputCount");
    }
    if (!bindings) {
        return vkdml_report_invalid(report, "bindings is NULL, must point to %u bindings", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (bindings[i].buffer) {
            check_binding(&points[i], &bindings[i], report);
        } else if (is_required(&points[i])) {
            vkdml_report_invalid(report, "%s: buffer is VK_NULL_HANDLE, must be a buffer of at least %" PRIu64 " bytes",
                                 vkdml_bind_point_name(&points[i]).text, points[i].bytes);
        }
    }
    if (report->count == 0) {
        const size_t first = vkdml_dispatchable_point(dispatchable, inputs_or_outputs, 0);
        for (uint32_t i = 0; i < count; i++) {
            keep(table, first + i, &bindings[i]);
        }
    }
    return report->result;
}

VkdmlResult vkdml_bind_resource(VkdmlBindingTable table, enum vkdml_plan_resource temporary_or_persistent,
                                const VkdmlBufferBinding *binding, struct vkdml_report *report) {
    const size_t index = vkdml_dispatchable_point(table->dispatchable, temporary_or_persistent, 0);
    const VkdmlBufferBinding none = {.buffer = VK_NULL_HANDLE};
    if (binding && binding->buffer) {
        check_binding(&table->dispatchable->points[index], binding, report);
    }
    if (report->count == 0) {
        keep(table, index, binding ? binding : &none);
    }
    return report->result;
}

/* A point with what is bound to it. */
struct slot {
    const struct vkdml_bind_point *point;
    const VkdmlBufferBinding *binding;
};

static struct slot slot_at(const struct VkdmlBindingTable_T *table, size_t index) {
    return (struct slot){&table->dispatchable->points[index], &table->bindings[index]};
}

static struct vkdml_taken taken_at(const struct VkdmlBindingTable_T *table, size_t index) {
    const struct slot slot = slot_at(table, index);
    return (struct vkdml_taken){.buffer = (uint64_t)slot.binding->buffer,
                                .place = {.first = slot.binding->offset, .bytes = slot.point->bytes},
                                .index = index};
}

/* Why a, which is no input, must not overlap b as it does, or NULL. input: the number of b among inputs, or
 * VKDML_NO_INPUT. */
static const char *find_refusal(const struct VkdmlBindingTable_T *table, const struct vkdml_taken *a,
                                const struct vkdml_taken *b, size_t input) {
    return vkdml_overlap_refusal(&table->dispatchable->points[a->index].aliases, input, &a->place, &b->place);
}

static void report_overlap(const struct VkdmlBindingTable_T *table, const struct vkdml_taken *a,
                           const struct vkdml_taken *b, const char *refusal, struct vkdml_report *report) {
    const struct vkdml_bind_point *points = table->dispatchable->points;
    vkdml_report_invalid(report,
                         "%s: bytes %" PRIu64 " to %" PRIu64 " of its buffer overlap %s at %" PRIu64 " to %" PRIu64
                         ", must be disjoint%s",
                         vkdml_bind_point_name(&points[a->index]).text, a->place.first, a->place.first + a->place.bytes,
                         vkdml_bind_point_name(&points[b->index]).text, b->place.first, b->place.first + b->place.bytes,
                         refusal);
}

static void check_bound(const struct VkdmlBindingTable_T *table, size_t slots, struct vkdml_report *report) {
    for (size_t i = 0; i < slots; i++) {
        const struct slot slot = slot_at(table, i);
        if (is_required(slot.point) && !slot.binding->buffer) {
            vkdml_report_invalid(report, "%s: nothing is bound, must be a buffer of at least %" PRIu64 " bytes",
                                 vkdml_bind_point_name(slot.point).text, slot.point->bytes);
        }
    }
}

/* Sorts those of the first `points` that are bound by their places. Returns how many they are. */
static size_t sort_bound(const struct VkdmlBindingTable_T *table, size_t points) {
    size_t count = 0;
    for (size_t i = 0; i < points; i++) {
        if (table->bindings[i].buffer) {
            table->taken[count++] = taken_at(table, i);
        }
    }
    vkdml_taken_sort(table->taken, count);
    return count;
}

/* The first of the sorted points from `at` on that overlaps the next one, or `count`. */
static size_t find_neighbors(const struct VkdmlBindingTable_T *table, size_t count, size_t at) {
    while (at + 1 < count && !vkdml_taken_overlaps(&table->taken[at], &table->taken[at + 1])) {
        at++;
    }
    return at + 1 < count ? at : count;
}

static void check_neighbors(const struct VkdmlBindingTable_T *table, size_t count, struct vkdml_report *report) {
    for (size_t i = 0; (i = find_neighbors(table, count, i)) < count; i++) {
        const struct vkdml_taken *a = &table->taken[i], *b = &table->taken[i + 1];
        const struct vkdml_taken *first = a->index < b->index ? a : b, *second = a->index < b->index ? b : a;
        report_overlap(table, first, second, find_refusal(table, first, second, VKDML_NO_INPUT), report);
    }
}

/* An input, and the sorted points that it may overlap. */
struct search {
    struct vkdml_taken input;
    size_t number; /* among inputs */
    size_t at, count;
    bool disjoint; /* the points: those that the input overlaps are then neighbors */
};

static struct search begin_search(const struct VkdmlBindingTable_T *table, size_t number, size_t count, bool disjoint) {
    const size_t point = vkdml_dispatchable_point(table->dispatchable, VKDML_PLAN_INPUT, 0) + number;
    struct search search = {.number = number, .count = count, .at = count, .disjoint = disjoint};
    if (table->bindings[point].buffer) {
        search.input = taken_at(table, point);
        search.at = disjoint ? vkdml_taken_find(table->taken, count, &search.input) : 0;
    }
    return search;
}

/* Moves to the next point that the input must not overlap and does. Returns why, or NULL where there is none. */
static const char *find_overlap(const struct VkdmlBindingTable_T *table, struct search *search) {
    const char *refusal = NULL;
    for (; search->at < search->count && !refusal; search->at++) {
        const struct vkdml_taken *point = &table->taken[search->at];
        if (vkdml_taken_overlaps(point, &search->input)) {
            refusal = find_refusal(table, point, &search->input, search->number);
        } else if (search->disjoint) {
            search->at = search->count - 1;
        }
    }
    return refusal;
}

VkdmlResult vkdml_binding_table_check(const struct VkdmlBindingTable_T *table, struct vkdml_report *report) {
    const struct VkdmlDispatchable_T *d = table->dispatchable;
    const size_t exclusive = vkdml_dispatchable_point(d, VKDML_PLAN_INPUT, 0); /* all points but inputs */
    const size_t slots = vkdml_dispatchable_point_count(d);
    check_bound(table, slots, report);
    const size_t count = sort_bound(table, exclusive);
    const bool disjoint = find_neighbors(table, count, 0) == count;
    check_neighbors(table, count, report);
    for (size_t i = 0; i < slots - exclusive && report->omitted == 0; i++) {
        struct search search = begin_search(table, i, count, disjoint);
        for (const char *refusal; (refusal = find_overlap(table, &search)) != NULL;) {
            report_overlap(table, &table->taken[search.at - 1], &search.input, refusal, report);
        }
    }
    return report->result;
}

uint32_t vkdml_binding_table_overlapped(const struct VkdmlBindingTable_T *table, uint32_t room, uint32_t *inputs) {
    const struct VkdmlDispatchable_T *d = table->dispatchable;
    const size_t count = sort_bound(table, d->output_count); /* outputs are the first points */
    const bool disjoint = find_neighbors(table, count, 0) == count;
    uint32_t found = 0;
    for (uint32_t i = 0; i < d->input_count; i++) {
        struct search search = begin_search(table, i, count, disjoint);
        if (find_overlap(table, &search)) {
            if (found < room) {
                inputs[found] = i;
            }
            found++;
        }
    }
    return found;
}
