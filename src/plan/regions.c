/* The data flow of the init steps: which step wrote each byte last, and from what. The content of a region is numbered
 * by the steps that make it, with all that they read, back to the inputs: a number stands for the exact string of these
 * facts, not for a hash of it. */
#include "plan/regions.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

#define NO_STEP UINT32_MAX

/* ---- arrays that grow ---- */

struct array {
    const VkAllocationCallbacks *callbacks;
    unsigned char *items;
    size_t count, capacity; /* of elements */
    size_t size;            /* of an element */
    bool failed;            /* memory was out: elements are missing */
};

static void reserve(struct array *array, size_t more) {
    if (array->failed || array->capacity - array->count >= more) {
        return;
    }
    const size_t capacity = (array->count + more) * 2;
    unsigned char *grown = vkdml_allocate(array->callbacks, capacity * array->size);
    if (grown == NULL) {
        array->failed = true;
        return;
    }
    if (array->count > 0) {
        memcpy(grown, array->items, array->count * array->size);
    }
    vkdml_free(array->callbacks, array->items);
    array->items = grown;
    array->capacity = capacity;
}

static void append(struct array *array, const void *elements, size_t count) {
    reserve(array, count);
    if (!array->failed && count > 0) {
        memcpy(array->items + array->count * array->size, elements, count * array->size);
        array->count += count;
    }
}

/* ---- which bytes hold what ---- */

/* Bytes of a resource that one buffer of one step wrote last. */
struct segment {
    uint64_t begin, end;
    uint64_t content; /* of all that the step writes */
    uint64_t at;      /* where these bytes begin in the buffer */
    uint32_t buffer;  /* of the step */
    uint32_t step;
};

struct flow {
    const struct vkdml_plan *plan;
    const uint64_t *input_contents;
    struct vkdml_intern *intern;
    struct array temporary, persistent; /* struct segment, ascending and disjoint */
    struct array key;                   /* scratch: the string of facts */
    struct array indices;               /* uint32_t: the result's */
    struct array early;                 /* struct segment: what steps read of the persistent resource */
    struct vkdml_regions *regions;
};

static struct segment *segments(const struct array *array) {
    return (struct segment *)(void *)array->items;
}

/* The first segment that ends after `begin`. */
static size_t find_segment(const struct array *array, uint64_t begin) {
    size_t low = 0, high = array->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (segments(array)[middle].end <= begin) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Replaces what was written to the bytes of a segment before. */
static void write_segment(struct array *array, const struct segment *written) {
    reserve(array, 2);
    if (array->failed) {
        return;
    }
    size_t first = find_segment(array, written->begin), last = first;
    while (last < array->count && segments(array)[last].begin < written->end) {
        ++last;
    }
    struct segment parts[3];
    size_t count = 0;
    if (first < last && segments(array)[first].begin < written->begin) {
        parts[count] = segments(array)[first];
        parts[count++].end = written->begin;
    }
    parts[count++] = *written;
    if (first < last && segments(array)[last - 1].end > written->end) {
        parts[count] = segments(array)[last - 1];
        parts[count].at += written->end - parts[count].begin;
        parts[count++].begin = written->end;
    }
    memmove(segments(array) + first + count, segments(array) + last, (array->count - last) * sizeof *written);
    memcpy(segments(array) + first, parts, count * sizeof *written);
    array->count += count - (last - first);
}

/* ---- keys ---- */

static void add_words(struct flow *flow, const uint32_t *words, size_t count) {
    append(&flow->key, words, count * sizeof *words);
}

static void add_number(struct flow *flow, uint64_t number) {
    append(&flow->key, &number, sizeof number);
}

/* What bytes [begin, end) hold, by where it begins from `begin`. */
static void add_segments(struct flow *flow, const struct array *array, uint64_t begin, uint64_t end) {
    for (size_t s = find_segment(array, begin); s < array->count && segments(array)[s].begin < end; ++s) {
        const struct segment *segment = &segments(array)[s];
        const uint64_t from = segment->begin > begin ? segment->begin : begin;
        const uint64_t to = segment->end < end ? segment->end : end;
        add_number(flow, from - begin);
        add_number(flow, to - from);
        add_number(flow, segment->content);
        add_number(flow, segment->at + (from - segment->begin));
        add_number(flow, segment->buffer);
    }
}

static const struct array *segments_of(const struct flow *flow, const struct vkdml_plan_buffer *buffer) {
    return buffer->resource == VKDML_PLAN_TEMPORARY    ? &flow->temporary
           : buffer->resource == VKDML_PLAN_PERSISTENT ? &flow->persistent
                                                       : NULL;
}

static void add_buffer(struct flow *flow, const struct vkdml_plan_buffer *buffer) {
    add_number(flow, buffer->resource == VKDML_PLAN_INPUT);
    add_number(flow, buffer->size);
    if (buffer->resource == VKDML_PLAN_INPUT) {
        add_number(flow, flow->input_contents[buffer->index]);
        add_number(flow, buffer->offset);
    } else {
        add_segments(flow, segments_of(flow, buffer), buffer->offset, buffer->offset + buffer->size);
    }
    add_number(flow, UINT64_MAX); /* behind a list of any length */
}

static void add_copy(struct flow *flow, const struct vkdml_plan_copy *copy) {
    add_number(flow, copy->run_bytes);
    add_number(flow, copy->rank);
    for (uint32_t d = 0; d < copy->rank; ++d) {
        add_number(flow, copy->sizes[d]);
        add_number(flow, copy->source_strides[d]);
        add_number(flow, copy->target_strides[d]);
    }
}

/* Without the zeros that fill up a parameter block. */
static uint32_t count_parameters(const struct vkdml_plan_step *step) {
    const uint32_t *parameters = vkdml_plan_step_parameters(step);
    uint32_t count = step->parameter_count;
    while (count > 0 && parameters[count - 1] == 0) {
        --count;
    }
    return count;
}

static void add_dispatch(struct flow *flow, const struct vkdml_plan_step *step) {
    const uint32_t parameter_count = count_parameters(step);
    const uint32_t facts[] = {(uint32_t)step->kernel, step->constants_given, step->float_controls, step->repeat_count,
                              step->parameter_count,  parameter_count};
    add_words(flow, facts, sizeof facts / sizeof *facts);
    add_words(flow, step->constants, VKDML_KERNEL_CONSTANTS);
    add_words(flow, step->groups, 3);
    add_words(flow, step->repeat_strides, step->repeat_count > 1 ? VKDML_PLAN_MAX_BUFFERS : 0);
    add_words(flow, vkdml_plan_step_parameters(step), parameter_count);
}

/* The number of what a step writes: of its command with all that its buffers hold before. */
static uint64_t number_step(struct flow *flow, const struct vkdml_plan_step *step) {
    flow->key.count = 0;
    add_number(flow, (uint64_t)step->kind);
    if (step->kind == VKDML_PLAN_COPY) {
        add_copy(flow, &step->copy);
    } else if (step->kind == VKDML_PLAN_FILL) {
        add_number(flow, step->fill_word);
    } else {
        add_dispatch(flow, step);
    }
    for (uint32_t b = 0; b < step->buffer_count; ++b) {
        add_buffer(flow, &step->buffers[b]);
    }
    return flow->key.failed ? 0 : vkdml_intern(flow->intern, flow->key.items, flow->key.count);
}

/* ---- init steps, one after another ---- */

/* The steps that wrote what a step finds in temporary memory. */
static void add_needs(struct flow *flow, const struct vkdml_plan_step *step, struct vkdml_index_range *needs) {
    needs->first = (uint32_t)flow->indices.count;
    for (uint32_t b = 0; b < step->buffer_count; ++b) {
        const struct vkdml_plan_buffer *buffer = &step->buffers[b];
        const struct array *array = &flow->temporary;
        if (buffer->resource != VKDML_PLAN_TEMPORARY) {
            continue;
        }
        for (size_t s = find_segment(array, buffer->offset);
             s < array->count && segments(array)[s].begin < buffer->offset + buffer->size; ++s) {
            append(&flow->indices, &segments(array)[s].step, 1);
        }
    }
    needs->count = (uint32_t)flow->indices.count - needs->first;
}

static void add_writes(struct flow *flow, const struct vkdml_plan_step *step, struct vkdml_index_range *writes) {
    const uint32_t written = vkdml_plan_step_written(step);
    writes->first = (uint32_t)flow->indices.count;
    for (uint32_t b = 0; b < step->buffer_count; ++b) {
        if ((written >> b & 1) != 0 && step->buffers[b].resource == VKDML_PLAN_PERSISTENT) {
            const uint32_t region = vkdml_regions_at(flow->regions, step->buffers[b].offset);
            append(&flow->indices, &region, 1);
        }
    }
    writes->count = (uint32_t)flow->indices.count - writes->first;
}

/* The regions that a step reads and does not write, and what it finds there. */
static void add_reads(struct flow *flow, const struct vkdml_plan_step *step, struct vkdml_index_range *reads) {
    const uint32_t written = vkdml_plan_step_written(step);
    reads->first = (uint32_t)flow->indices.count;
    for (uint32_t b = 0; b < step->buffer_count; ++b) {
        const struct vkdml_plan_buffer *buffer = &step->buffers[b];
        const uint64_t end = buffer->offset + buffer->size;
        if (buffer->resource != VKDML_PLAN_PERSISTENT || (written >> b & 1) != 0) {
            continue;
        }
        const uint32_t region = vkdml_regions_at(flow->regions, buffer->offset);
        append(&flow->indices, &region, 1);
        for (size_t s = find_segment(&flow->persistent, buffer->offset);
             s < flow->persistent.count && segments(&flow->persistent)[s].begin < end; ++s) {
            append(&flow->early, &segments(&flow->persistent)[s], 1);
        }
    }
    reads->count = (uint32_t)flow->indices.count - reads->first;
}

static void write_buffers(struct flow *flow, const struct vkdml_plan_step *step, uint32_t index, uint64_t content) {
    const uint32_t written = vkdml_plan_step_written(step);
    for (uint32_t b = 0; b < step->buffer_count; ++b) {
        const struct vkdml_plan_buffer *buffer = &step->buffers[b];
        if ((written >> b & 1) == 0) {
            continue;
        }
        assert(buffer->resource == VKDML_PLAN_TEMPORARY || buffer->resource == VKDML_PLAN_PERSISTENT);
        const struct segment segment = {
            .begin = buffer->offset, .end = buffer->offset + buffer->size, .content = content, .buffer = b, .step = index};
        write_segment(buffer->resource == VKDML_PLAN_TEMPORARY ? &flow->temporary : &flow->persistent, &segment);
    }
}

/* False if memory is out. */
static bool follow(struct flow *flow) {
    for (uint32_t s = 0; s < flow->regions->step_count; ++s) {
        const struct vkdml_plan_step *step = &flow->plan->init_steps.items[s];
        struct vkdml_region_step *kept = &flow->regions->steps[s];
        const uint64_t content = number_step(flow, step);
        add_needs(flow, step, &kept->needs);
        add_writes(flow, step, &kept->writes);
        add_reads(flow, step, &kept->reads);
        write_buffers(flow, step, s, content);
        if (content == 0 || flow->indices.failed || flow->early.failed || flow->temporary.failed ||
            flow->persistent.failed) {
            return false;
        }
    }
    return true;
}

/* ---- where regions begin ---- */

static uint64_t round_down(uint64_t bytes) {
    return bytes / VKDML_PLAN_REGION_ALIGNMENT * VKDML_PLAN_REGION_ALIGNMENT;
}

static uint64_t round_up(uint64_t bytes) {
    return round_down(bytes + VKDML_PLAN_REGION_ALIGNMENT - 1);
}

/* Adds the blocks of a buffer to those that lie together: joins all segments that it overlaps. */
static void join(struct array *spans, const struct vkdml_plan_buffer *buffer) {
    struct segment span = {.begin = round_down(buffer->offset), .end = round_up(buffer->offset + buffer->size)};
    const size_t first = find_segment(spans, span.begin);
    for (size_t s = first; s < spans->count && segments(spans)[s].begin < span.end; ++s) {
        span.begin = segments(spans)[s].begin < span.begin ? segments(spans)[s].begin : span.begin;
        span.end = segments(spans)[s].end > span.end ? segments(spans)[s].end : span.end;
    }
    write_segment(spans, &span);
}

static void join_steps(struct array *spans, const struct vkdml_plan_steps *steps) {
    for (uint32_t s = 0; s < steps->count; ++s) {
        for (uint32_t b = 0; b < steps->items[s].buffer_count; ++b) {
            if (steps->items[s].buffers[b].resource == VKDML_PLAN_PERSISTENT) {
                join(spans, &steps->items[s].buffers[b]);
            }
        }
    }
}

/* Regions reach from the first byte that steps bind together to the next one's: all of the resource is in one. */
static VkdmlResult cut(const struct vkdml_plan *plan, struct vkdml_report *report, struct vkdml_regions *regions) {
    struct array spans = {.callbacks = plan->callbacks, .size = sizeof(struct segment)};
    join_steps(&spans, &plan->init_steps);
    join_steps(&spans, &plan->steps);
    const size_t bytes = (spans.count + 1) * sizeof *regions->items;
    regions->items = spans.failed ? NULL : vkdml_allocate(regions->callbacks, bytes);
    if (regions->items == NULL) {
        vkdml_free(plan->callbacks, spans.items);
        return vkdml_report_out_of_memory(report, bytes, "the regions of a persistent resource");
    }
    regions->count = (uint32_t)spans.count;
    for (uint32_t r = 0; r < regions->count; ++r) {
        const uint64_t end = r + 1 < regions->count ? segments(&spans)[r + 1].begin : plan->persistent_bytes;
        regions->items[r].offset = r == 0 ? 0 : segments(&spans)[r].begin;
        regions->items[r].bytes = end - regions->items[r].offset;
    }
    vkdml_free(plan->callbacks, spans.items);
    return VKDML_SUCCESS;
}

/* ---- the whole ---- */

/* Whether all that steps read of other regions is what these have in the end. */
static bool reads_are_final(const struct flow *flow) {
    for (size_t e = 0; e < flow->early.count; ++e) {
        const struct segment *read = &segments(&flow->early)[e];
        const size_t s = find_segment(&flow->persistent, read->begin);
        const struct segment *now = &segments(&flow->persistent)[s];
        if (s == flow->persistent.count || now->begin > read->begin || now->end < read->end || now->step != read->step) {
            return false;
        }
    }
    return true;
}

/* One region for all: initialization is done as a whole. */
static void join_regions(struct vkdml_regions *regions, uint64_t bytes) {
    regions->count = 1;
    regions->items[0] = (struct vkdml_region){.bytes = bytes};
    for (uint32_t s = 0; s < regions->step_count; ++s) {
        regions->steps[s].reads.count = 0;
        for (uint32_t w = 0; w < regions->steps[s].writes.count; ++w) {
            regions->indices[regions->steps[s].writes.first + w] = 0;
        }
    }
}

static bool number_regions(struct flow *flow) {
    for (uint32_t r = 0; r < flow->regions->count; ++r) {
        struct vkdml_region *region = &flow->regions->items[r];
        flow->key.count = 0;
        add_number(flow, UINT64_MAX); /* no kind of step */
        add_number(flow, region->bytes);
        add_segments(flow, &flow->persistent, region->offset, region->offset + region->bytes);
        region->content = flow->key.failed ? 0 : vkdml_intern(flow->intern, flow->key.items, flow->key.count);
        if (region->content == 0) {
            return false;
        }
    }
    return true;
}

static bool fill(struct flow *flow) {
    struct vkdml_regions *regions = flow->regions;
    if (!follow(flow)) {
        return false;
    }
    regions->indices = (uint32_t *)(void *)flow->indices.items;
    flow->indices.items = NULL;
    if (!reads_are_final(flow)) {
        join_regions(regions, flow->plan->persistent_bytes);
    }
    return number_regions(flow);
}

VkdmlResult vkdml_regions_find(const struct vkdml_plan *plan, const uint64_t *input_contents,
                               struct vkdml_intern *intern, const VkAllocationCallbacks *callbacks,
                               struct vkdml_report *report, struct vkdml_regions *regions) {
    *regions = (struct vkdml_regions){.callbacks = callbacks, .step_count = plan->init_steps.count};
    VkdmlResult result = cut(plan, report, regions);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct flow flow = {.plan = plan,
                        .input_contents = input_contents,
                        .intern = intern,
                        .temporary = {.callbacks = callbacks, .size = sizeof(struct segment)},
                        .persistent = {.callbacks = callbacks, .size = sizeof(struct segment)},
                        .key = {.callbacks = callbacks, .size = 1},
                        .indices = {.callbacks = callbacks, .size = sizeof(uint32_t)},
                        .early = {.callbacks = callbacks, .size = sizeof(struct segment)},
                        .regions = regions};
    const size_t bytes = (regions->step_count + (size_t)1) * sizeof *regions->steps;
    regions->steps = vkdml_allocate(callbacks, bytes);
    if (regions->steps == NULL || !fill(&flow)) {
        result = vkdml_report_out_of_memory(report, bytes, "the regions of a persistent resource");
        vkdml_regions_end(regions);
    }
    vkdml_free(callbacks, flow.temporary.items);
    vkdml_free(callbacks, flow.persistent.items);
    vkdml_free(callbacks, flow.key.items);
    vkdml_free(callbacks, flow.indices.items);
    vkdml_free(callbacks, flow.early.items);
    return result;
}

void vkdml_regions_end(struct vkdml_regions *regions) {
    vkdml_free(regions->callbacks, regions->items);
    vkdml_free(regions->callbacks, regions->steps);
    vkdml_free(regions->callbacks, regions->indices);
    *regions = (struct vkdml_regions){.callbacks = NULL};
}

uint32_t vkdml_regions_at(const struct vkdml_regions *regions, uint64_t offset) {
    uint32_t low = 0, high = regions->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (regions->items[middle].offset <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void vkdml_regions_mark(const struct vkdml_regions *regions, const bool *wanted, bool *marked) {
    memset(marked, 0, regions->step_count * sizeof *marked);
    for (uint32_t s = regions->step_count; s-- > 0;) {
        const struct vkdml_region_step *step = &regions->steps[s];
        for (uint32_t w = 0; w < step->writes.count; ++w) {
            marked[s] = marked[s] || wanted[regions->indices[step->writes.first + w]];
        }
        for (uint32_t n = 0; marked[s] && n < step->needs.count; ++n) {
            marked[regions->indices[step->needs.first + n]] = true;
        }
    }
}
