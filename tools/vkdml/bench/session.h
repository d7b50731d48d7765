/* A run of `vkdml bench`: the device, its peaks, and what has been measured so far. */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "bench/case.h"

/* What copying, filling and reading reach, in GB/s. */
struct bench_peaks {
    uint64_t bytes; /* copied, filled or read */
    double copy_command, copy_kernel, copy;
    double fill_command, fill_kernel, fill;
    double read;
};

/* One line of the table. NAN: not measured. */
struct bench_record {
    struct bench_entry entry;
    struct bench_result result;
    double speed;      /* GB/s */
    double copy_ratio; /* of the copy peak */
    double ratio;      /* of the peak that the entry is held to */
    const char *peak;  /* its name: "copy", "fill" or "read" */
    double tflops;     /* 10^12 floating point operations a second; NaN where bytes are what counts */
    struct bench_host_times times;
    char *line; /* the case */
};

struct bench_session {
    struct bench_device device;
    struct bench_effort effort;
    struct bench_peaks peaks;
    bool references; /* run the CPU reference and the plain loops too */
    bool failed;     /* a case has no figure */
    bool incomplete; /* time was up before all were timed */
    size_t count, capacity;
    struct bench_record *records;
};

/* Opens the device. seconds below 0: the device's default time. bench_session_close() is due either way. */
bool bench_session_open(struct bench_session *session, const char *device, bool no_features,
                        const struct bench_effort *effort);
void bench_session_close(struct bench_session *session);

/* Keeps a GPU busy for a while, with copies of the size that peaks are measured at, so that its clocks rise. */
void bench_session_wake(struct bench_session *session, double seconds);

/* Measures what ratios are to, and tells it. bytes 0: the device's default size. */
bool bench_session_measure_peaks(struct bench_session *session, uint64_t bytes);

/* 256 MiB, on a CPU device 64 MiB: beyond its caches. */
uint64_t bench_default_size(const struct bench_session *session);

/* Makes an entry's case at a size. */
void bench_make_case(const struct bench_entry *entry, uint64_t bytes, struct operator_case *c);

/* Checks an entry's result at a small size, times it and keeps the record; session->failed where there is no figure.
 * False where memory is out. */
bool bench_session_time(struct bench_session *session, const struct bench_entry *entry);

/* Times a case that is its entry's already. */
bool bench_session_time_case(struct bench_session *session, const struct bench_entry *entry,
                             const struct operator_case *c);

/* The peak that a benchmark of such flags is held to, and its name. */
double bench_peak_of(const struct bench_session *session, uint32_t flags, const char **name);

/* The variant of its kernels that the device runs: a name, or "?". */
const char *bench_session_variant(const struct bench_session *session);

/* The table's columns. */
void bench_print_header(const struct bench_session *session);
void bench_print_record(const struct bench_session *session, const struct bench_record *record);

#endif
