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

/* Whether a filter fits a name: a part of it, or a pattern of the whole where the filter has *, ? or [; NULL: any. */
bool bench_fits(const char *filter, const char *name);

/* Calls visit for each benchmark that the filter fits, until it returns false. Returns how many were visited. */
size_t bench_list(const char *filter, const uint64_t *sizes, size_t size_count,
                  bool (*visit)(const struct bench_entry *entry, void *context), void *context);

#endif
