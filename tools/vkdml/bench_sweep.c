#include "bench_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases/generate.h"

/* Of the run that checks the result: some thousand elements. */
#define CHECK_ELEMENTS 20000u

/* What does not change how fast a case is, or needs more than buffers bound. */
static void make_plain(struct operator_case *c) {
    c->level = (DML_FEATURE_LEVEL)0;
    c->execution = 0;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        c->fields[i].tensor.owned = 0;
        c->fields[i].tensor.in_place = 0;
    }
}

static void generate(const struct bench_options *options, const struct case_family *family, uint32_t number,
                     uint32_t elements, struct operator_case *c) {
    struct random random = {.state = random_mix(random_mix(options->seed, (uint64_t)family->type), number)};
    generate_fix_budget(elements);
    family->generate(&random, c);
    make_plain(c);
}

static DML_TENSOR_DATA_TYPE type_of(const struct operator_case *c) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (case_is_tensor(c, i) && c->fields[i].present) {
            return c->fields[i].tensor.type;
        }
    }
    return DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static void name_entry(struct bench_entry *entry, uint32_t number) {
    char type[32], size[32];
    bench_type_name(entry->type, sizeof(type), type);
    bench_size_name(entry->size, sizeof(size), size);
    snprintf(entry->name, sizeof(entry->name), "%s/sweep%" PRIu32 "/%s/%s", entry->family->group, number, type, size);
}

static bool time_one(struct bench_session *session, const struct bench_options *options,
                     const struct case_family *family, uint32_t number, uint64_t size) {
    static struct operator_case c;
    struct bench_entry entry = {.family = family, .size = size};
    const size_t before = session->count;
    /* Elements of 4 bytes, whatever the type: the budget is drawn before it. */
    generate(options, family, number, (uint32_t)(size / 4), &c);
    entry.type = type_of(&c);
    name_entry(&entry, number);
    if (!bench_fits(options->filter, entry.name)) {
        return true;
    }
    generate(options, family, number, CHECK_ELEMENTS, &c);
    if (!bench_check(&session->device, &c, session->device.gpu.device)) {
        printf("%-54s no figure: its result is wrong\n", entry.name);
        session->failed = true;
        return true;
    }
    generate(options, family, number, (uint32_t)(size / 4), &c);
    const bool good = bench_session_time_case(session, &entry, &c);
    if (session->count > before) {
        bench_print_record(session, &session->records[before]);
    }
    return good;
}

static int by_ratio(const void *left, const void *right) {
    const double a = ((const struct bench_record *)left)->copy_ratio;
    const double b = ((const struct bench_record *)right)->copy_ratio;
    return (a > b) - (a < b);
}

static void print_spread(const struct bench_session *session) {
    static const double parts[] = {0, 0.01, 0.1, 0.5, 0.9, 1};
    const size_t worst = (session->count + 99) / 100;
    printf("# ratio to the copy peak, %zu cases:", session->count);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const size_t index = (size_t)(parts[i] * (double)(session->count - 1));
        printf(" %g %%: %.3f%s", 100 * parts[i], session->records[index].copy_ratio, i + 1 < 6 ? "," : "\n");
    }
    printf("# the slowest 1 %%:\n");
    for (size_t i = 0; i < worst; i++) {
        printf("# %.4f %s: %s\n", session->records[i].copy_ratio, session->records[i].entry.name,
               session->records[i].line);
    }
}

bool bench_sweep(struct bench_session *session, const struct bench_options *options) {
    const uint64_t size =
        options->size_count ? options->sizes[0] : (uint64_t)(bench_device_is_cpu(&session->device) ? 8 : 64) << 20;
    for (size_t f = 0; f < case_family_count; f++) {
        for (uint32_t i = 0; i < options->sweep; i++) {
            if (!time_one(session, options, case_families[f], i, size)) {
                return false;
            }
        }
    }
    if (session->count == 0) {
        fprintf(stderr, "vkdml bench: no case of the sweep has a figure%s\n",
                options->filter ? "; its filter may fit none" : "");
        return false;
    }
    qsort(session->records, session->count, sizeof(session->records[0]), by_ratio);
    print_spread(session);
    return true;
}
