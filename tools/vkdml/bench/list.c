#include "bench/list.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/operator_names.h"
#include "base/progress.h"
#include "base/timing.h"

void bench_size_name(uint64_t bytes, size_t capacity, char *text) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (unit + 1 < sizeof(units) / sizeof(units[0]) && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, capacity, "%" PRIu64 "%s", bytes, units[unit]);
}

void bench_type_name(DML_TENSOR_DATA_TYPE type, size_t capacity, char *text) {
    snprintf(text, capacity, "%s", vkdmlGetDataTypeName(type) + strlen("DML_TENSOR_DATA_TYPE_"));
    for (char *c = text; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
}

static bool text_fits(const char *text, const struct bench_entry *entry) {
    return operator_names_part(text, entry->name) ||
           operator_names_part(operator_names_short(text),
                               operator_names_short(vkdmlGetOperatorName(entry->family->type)));
}

bool bench_fits(const struct bench_filter *filter, const struct bench_entry *entry) {
    bool fits = filter->count == 0;
    for (size_t i = 0; i < filter->count; i++) {
        for (const char *at = filter->texts[i]; *at && !fits; at += strspn(at, ",")) {
            char text[BENCH_NAME_CAPACITY];
            const size_t length = strcspn(at, ",");
            snprintf(text, sizeof(text), "%.*s", (int)length, at);
            fits = text_fits(text, entry);
            at += length;
        }
    }
    return fits;
}

static void name_entry(struct bench_entry *entry) {
    char type[32], size[32];
    bench_type_name(entry->type, sizeof(type), type);
    bench_size_name(entry->size, sizeof(size), size);
    snprintf(entry->name, sizeof(entry->name), "%s/%s/%s/%s", entry->family->group, entry->benchmark->name, type, size);
}

/* Whether the operator takes the type: as its first input's, or output's where it has none or the benchmark says so. */
static bool takes(const struct case_family *family, const struct case_benchmark *benchmark, DML_TENSOR_DATA_TYPE type) {
    const bool of_output = (benchmark->flags & CASE_BENCHMARK_TYPE_OF_OUTPUT) != 0;
    const VkdmlFieldKind kind = of_output ? VKDML_FIELD_KIND_OUTPUT_TENSOR : VKDML_FIELD_KIND_INPUT_TENSOR;
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(family->type);
    const VkdmlFieldSchema *first = NULL;
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &schema->fields[i];
        if (field->supportCount != 0 && (first == NULL || (first->kind != kind && field->kind == kind))) {
            first = field;
        }
    }
    return first != NULL && (first->support[0].dataTypes >> type & 1) != 0;
}

size_t bench_list(const struct bench_filter *filter, const uint64_t *sizes, size_t size_count,
                  bool (*visit)(const struct bench_entry *entry, void *context), void *context) {
    size_t count = 0;
    for (size_t f = 0; f < case_family_count; f++) {
        for (size_t b = 0; b < case_families[f]->benchmark_count; b++) {
            const struct case_benchmark *benchmark = &case_families[f]->benchmarks[b];
            for (int type = DML_TENSOR_DATA_TYPE_FLOAT32; type <= DML_TENSOR_DATA_TYPE_INT4; type++) {
                const bool timed =
                    (benchmark->types >> type & 1) && takes(case_families[f], benchmark, (DML_TENSOR_DATA_TYPE)type);
                for (size_t s = 0; s < size_count && timed; s++) {
                    struct bench_entry entry = {case_families[f], benchmark, (DML_TENSOR_DATA_TYPE)type, sizes[s], ""};
                    name_entry(&entry);
                    if (!bench_fits(filter, &entry)) {
                        continue;
                    }
                    count++;
                    if (!visit(&entry, context)) {
                        return count;
                    }
                }
            }
        }
    }
    return count;
}

static bool count_entry(const struct bench_entry *entry, void *context) {
    (void)entry;
    (void)context;
    return true;
}

size_t bench_count(const struct bench_filter *filter, const uint64_t *sizes, size_t size_count) {
    return bench_list(filter, sizes, size_count, count_entry, NULL);
}

struct bench_turns bench_turns_begin(size_t count) {
    return (struct bench_turns){.count = count, .begun = timing_now()};
}

void bench_turns_next(struct bench_turns *turns, const char *name, double left) {
    char text[PROGRESS_LEFT_SIZE];
    if (isnan(left) && turns->done != 0) {
        left = (timing_now() - turns->begun) * 1e-3 / (double)turns->done * (double)(turns->count - turns->done);
    }
    turns->done++;
    progress_show("%zu of %zu%s: %s", turns->done, turns->count, progress_left(left, text), name);
}
