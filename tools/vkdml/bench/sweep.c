#include "bench/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/timing.h"
#include "bench/cause.h"
#include "cases/generate.h"

#define MAX_THREADS 64

/* Thousands of cases in a minute or two. */
#define SWEEP_SECONDS 0.005
#define WAKE_SECONDS  1.0

/* Of the run that checks the result: some thousand elements. */
#define CHECK_ELEMENTS 20000u

/* What does not change how fast a case is, or needs more than buffers bound. */
static void make_plain(struct operator_case *c) {
    c->level = (DML_FEATURE_LEVEL)0;
    c->execution = 0;
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        struct case_tensor *tensor = &c->tensors[at.slot];
        tensor->owned = 0;
        tensor->in_place = 0;
        /* Numbers as models have them. Special values are slow, and tests are full of them. */
        if (tensor->fill == CASE_FILL_SPECIAL || tensor->fill == CASE_FILL_BITS) {
            tensor->fill = CASE_FILL_SMALL;
        }
    }
}

static void generate(const struct bench_options *options, const struct case_family *family, uint32_t number,
                     uint32_t elements, struct operator_case *c) {
    struct random random = {.state = random_mix(random_mix(options->seed, (uint64_t)family->type), number)};
    generate_fix_budget(elements);
    family->generate(family, &random, c);
    make_plain(c);
}

static DML_TENSOR_DATA_TYPE type_of(const struct operator_case *c) {
    const struct case_at first = case_first(c);
    return first.tensor ? first.tensor->type : DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static void name_entry(struct bench_entry *entry, uint32_t number) {
    char type[32], size[32];
    bench_type_name(entry->type, sizeof(type), type);
    bench_size_name(entry->size, sizeof(size), size);
    snprintf(entry->name, sizeof(entry->name), "%s/sweep%" PRIu32 "/%s/%s", entry->family->group, number, type, size);
}

/* The cases that the filter fits, of every family in turn. */
struct sweep {
    struct bench_session *session;
    const struct bench_options *options;
    uint64_t size;
    uint32_t count;
    atomic_uint next;
};

static const struct case_family *family_of(uint32_t index) {
    return case_families[index % case_family_count];
}

static uint32_t number_of(uint32_t index) {
    return index / (uint32_t)case_family_count;
}

/* Elements of 4 bytes, whatever the type: the budget is drawn before it. */
static uint32_t elements_of(const struct sweep *sweep) {
    return (uint32_t)(sweep->size / 4);
}

/* Makes a case at full size, and its name; false where the filter does not fit that. */
static bool make_case(const struct sweep *sweep, uint32_t index, struct operator_case *c, struct bench_entry *entry) {
    *entry = (struct bench_entry){.family = family_of(index), .size = sweep->size};
    generate(sweep->options, entry->family, number_of(index), elements_of(sweep), c);
    entry->type = type_of(c);
    name_entry(entry, number_of(index));
    return bench_fits(&sweep->options->filter, entry);
}

static void compile_one(const struct sweep *sweep, const struct operator_case *c) {
    VkdmlDispatchable compiled = NULL;
    if (bench_compile(sweep->session->device.gpu.device, c, &compiled)) {
        vkdmlDestroyDispatchable(compiled);
    }
}

/* Of a thread: compiles cases until none is left. The device keeps their pipelines. */
static void *compile_cases(void *context) {
    struct sweep *sweep = context;
    struct operator_case c;
    struct bench_entry entry;
    for (uint32_t i = atomic_fetch_add(&sweep->next, 1); i < sweep->count; i = atomic_fetch_add(&sweep->next, 1)) {
        if (make_case(sweep, i, &c, &entry)) {
            compile_one(sweep, &c);
            generate(sweep->options, entry.family, number_of(i), CHECK_ELEMENTS, &c);
            compile_one(sweep, &c);
        }
    }
    return NULL;
}

/* Compiling is most of a sweep's time where a driver takes a tenth of a second for a kernel, and GPUs sleep meanwhile:
 * so it comes first, on all processors. */
static void compile_all(struct sweep *sweep) {
    pthread_t threads[MAX_THREADS];
    uint32_t count = 0;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    atomic_store(&sweep->next, 0);
    while (count < MAX_THREADS && count + 1 < processors &&
           pthread_create(&threads[count], NULL, compile_cases, sweep) == 0) {
        count++;
    }
    compile_cases(sweep);
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* Holds a small run of the case to the reference. */
static bool check_one(struct sweep *sweep, uint32_t index) {
    static struct operator_case c;
    struct bench_entry entry;
    if (!make_case(sweep, index, &c, &entry)) {
        return false;
    }
    generate(sweep->options, entry.family, number_of(index), CHECK_ELEMENTS, &c);
    if (!bench_check(&sweep->session->device, &c, sweep->session->device.gpu.device)) {
        progress_clear();
        printf("%-54s no figure: its result is wrong\n", entry.name);
        sweep->session->failed = true;
        return false;
    }
    return true;
}

/* False where memory is out. */
static bool time_one(struct sweep *sweep, uint32_t index) {
    static struct operator_case c;
    struct bench_session *session = sweep->session;
    struct bench_entry entry;
    const size_t before = session->count;
    make_case(sweep, index, &c, &entry);
    const bool good = bench_session_time_case(session, &entry, &c);
    if (session->count > before) {
        bench_print_record(session, &session->records[before]);
    }
    return good;
}

static bool run(struct sweep *sweep) {
    bool *right = calloc(sweep->count, sizeof(*right));
    bool good = right != NULL;
    const double start = timing_now();
    compile_all(sweep);
    const double compiled = timing_now();
    struct bench_turns turns = bench_turns_begin(sweep->count);
    for (uint32_t i = 0; good && i < sweep->count; i++) {
        bench_turns_next(&turns, "checking", (double)NAN);
        right[i] = check_one(sweep, i);
    }
    progress_clear();
    printf("# compiled in %.1f s, checked in %.1f s\n", (compiled - start) * 1e-3, (timing_now() - compiled) * 1e-3);
    /* GPUs sleep meanwhile. */
    bench_session_wake(sweep->session, sweep->session->effort.seconds > 0 ? WAKE_SECONDS : 0);
    turns = bench_turns_begin(sweep->count);
    for (uint32_t i = 0; good && i < sweep->count; i++) {
        bench_turns_next(&turns, "timing", (double)NAN);
        good = !right[i] || time_one(sweep, i);
    }
    progress_clear();
    free(right);
    return good;
}

static int by_ratio(const void *left, const void *right) {
    const double a = ((const struct bench_record *)left)->copy_ratio;
    const double b = ((const struct bench_record *)right)->copy_ratio;
    return (a > b) - (a < b);
}

static void print_spread(const struct bench_session *session) {
    static const double parts[] = {0, 0.01, 0.1, 0.5, 0.9, 1};
    printf("# ratio to the copy peak, %zu cases:", session->count);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const size_t index = (size_t)(parts[i] * (double)(session->count - 1));
        printf(" %g %%: %.3f%s", 100 * parts[i], session->records[index].copy_ratio, i + 1 < 6 ? "," : "\n");
    }
}

/* Cases of one family and one cause. */
struct group {
    char name[BENCH_NAME_CAPACITY + BENCH_CAUSE_CAPACITY];
    size_t count;
    size_t first;                /* record: the slowest, where records are sorted */
    double milliseconds, moving; /* what they take, and what their bytes take at the peak */
};

static void name_group(const struct bench_record *record, struct group *group) {
    static struct operator_case c;
    char error[128], cause[BENCH_CAUSE_CAPACITY] = "?";
    if (case_parse(record->line, &c, error, sizeof(error))) {
        bench_cause(&c, record->result.bytes, sizeof(cause), cause);
    }
    *group = (struct group){.count = 0};
    snprintf(group->name, sizeof(group->name), "%s: %s", record->entry.family->group, cause);
}

/* The groups of sorted records, which memory must hold one for each; returns how many. */
static size_t collect_groups(const struct bench_session *session, struct group *groups) {
    size_t count = 0;
    for (size_t i = 0; i < session->count; i++) {
        const struct bench_record *record = &session->records[i];
        size_t g = 0;
        name_group(record, &groups[count]);
        while (strcmp(groups[g].name, groups[count].name) != 0) {
            g++;
        }
        if (g == count) {
            groups[count++].first = i;
        }
        groups[g].count++;
        groups[g].milliseconds += record->result.figures.median;
        groups[g].moving += record->result.figures.median * record->copy_ratio;
    }
    return count;
}

static int by_loss(const void *left, const void *right) {
    const struct group *a = left, *b = right;
    const double x = a->moving / a->milliseconds, y = b->moving / b->milliseconds;
    return (x > y) - (x < y);
}

/* Every group, slowest first, with its slowest case. */
static bool print_groups(const struct bench_session *session) {
    struct group *groups = calloc(session->count, sizeof(*groups));
    if (!groups) {
        fprintf(stderr, "vkdml: out of memory\n");
        return false;
    }
    const size_t count = collect_groups(session, groups);
    qsort(groups, count, sizeof(*groups), by_loss);
    printf("# by cause: ratio of all their bytes to all their time, of the slowest, cases\n");
    for (size_t g = 0; g < count; g++) {
        const struct bench_record *slowest = &session->records[groups[g].first];
        printf("# %6.3f %6.3f %5zu  %s (%s)\n", groups[g].moving / groups[g].milliseconds, slowest->copy_ratio,
               groups[g].count, groups[g].name, slowest->entry.name);
    }
    free(groups);
    return true;
}

/* Most of what smaller cases take is a dispatch's latency, and --latency shows that: of them the groups alone tell. */
#define TELLING_BYTES ((uint64_t)4 << 20)

static size_t count_from(const struct bench_session *session, uint64_t bytes) {
    size_t count = 0;
    for (size_t i = 0; i < session->count; i++) {
        count += session->records[i].result.bytes >= bytes;
    }
    return count;
}

static void print_slowest(const struct bench_session *session) {
    const uint64_t least = count_from(session, TELLING_BYTES) != 0 ? TELLING_BYTES : 0;
    size_t left = (count_from(session, least) + 99) / 100;
    printf("# the slowest 1 %%%s:\n", least != 0 ? " of those that move 4 MiB and more" : "");
    for (size_t i = 0; i < session->count && left != 0; i++) {
        const struct bench_record *record = &session->records[i];
        struct group group;
        if (record->result.bytes >= least) {
            name_group(record, &group);
            printf("# %.4f %s; %s: %s\n", record->copy_ratio, group.name, record->entry.name, record->line);
            left--;
        }
    }
}

bool bench_sweep(struct bench_session *session, const struct bench_options *options) {
    const uint64_t size =
        options->size_count ? options->sizes[0] : (uint64_t)(bench_device_is_cpu(&session->device) ? 8 : 64) << 20;
    struct sweep sweep = {
        .session = session, .options = options, .size = size, .count = options->sweep * (uint32_t)case_family_count};
    session->device.period = BENCH_SWEEP_PERIOD;
    if (options->effort.seconds < 0) {
        session->effort.seconds = SWEEP_SECONDS;
    }
    if (!run(&sweep)) {
        fprintf(stderr, "vkdml: the sweep ended early\n");
        return false;
    }
    if (session->count == 0) {
        fprintf(stderr, "vkdml bench: no case of the sweep has a figure%s\n",
                options->filter.count ? "; its filter may fit none" : "");
        return false;
    }
    qsort(session->records, session->count, sizeof(session->records[0]), by_ratio);
    print_spread(session);
    print_slowest(session);
    return print_groups(session);
}
