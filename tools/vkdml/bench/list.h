/* The benchmarks that the case families list, by name. */
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "device/gpu.h"

#include "cases/family.h"

#define BENCH_NAME_CAPACITY 128

/* One benchmark of one type and size. */
struct bench_entry {
    const struct case_family *family;
    const struct case_benchmark *benchmark; /* NULL: a generated case */
    DML_TENSOR_DATA_TYPE type;
    uint64_t size; /* bytes asked for */
    char name[BENCH_NAME_CAPACITY];
};

/* "256MiB"; bytes that are no multiple of a larger unit stay bytes. */
void bench_size_name(uint64_t bytes, size_t capacity, char *text);

/* "float32" */
void bench_type_name(DML_TENSOR_DATA_TYPE type, size_t capacity, char *text);

#define BENCH_MAX_FILTERS 16

/* What is to be timed: texts between commas, any of which is to fit. None: all. */
struct bench_filter {
    const char *texts[BENCH_MAX_FILTERS];
    size_t count;
};

/* Whether one fits an entry's name or its operator's: a part of it, or a pattern of the whole where it has *, ? or [;
 * whatever the case. */
bool bench_fits(const struct bench_filter *filter, const struct bench_entry *entry);

/* Calls visit for each benchmark that the filter fits, until it returns false. Returns how many were visited. */
size_t bench_list(const struct bench_filter *filter, const uint64_t *sizes, size_t size_count,
                  bool (*visit)(const struct bench_entry *entry, void *context), void *context);

/* How many there are. */
size_t bench_count(const struct bench_filter *filter, const uint64_t *sizes, size_t size_count);

/* How far a list is. */
struct bench_turns {
    size_t done, count;
    double begun; /* timing_now() */
};

struct bench_turns bench_turns_begin(size_t count);

/* Shows which turn it is, and how much time is left: so many seconds, or, where that is NaN, as much as the turns
 * before it foretell. */
void bench_turns_next(struct bench_turns *turns, const char *name, double left);

#endif
