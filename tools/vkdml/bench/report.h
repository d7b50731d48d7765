/* What a run leaves behind: files for programs and for people, and the comparison with an earlier run. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/session.h"

#include <json-c/json.h>

#define BENCH_SCHEMA "vkdml-bench-1"

/* The whole run as JSON, as docs/BENCHMARKS.md says; NULL where memory is out. json_object_put() is due. kind: of the
 * rows, "latency" or "host", which are then the run's; NULL: none. */
struct json_object *bench_to_json(const struct bench_session *session, const char *kind, struct json_object *rows);

/* The same of a model's dispatches, which are timed on a device that is known by its name. */
struct json_object *bench_models_to_json(const char *device, bool on_device, struct json_object *rows);

/* What a file of results holds. */
enum bench_file_kind { BENCH_FILE_RUN, BENCH_FILE_PEERS };

/* A file of results: an earlier run's, or peers'. Its rows have what the functions below need. NULL, with the reason on
 * stderr, where it is none. json_object_put() is due. */
struct json_object *bench_read_json(const char *path, enum bench_file_kind kind);

/* Each returns false with the reason on stderr. */
bool bench_write_json(const char *path, struct json_object *run);
bool bench_write_csv(const char *path, struct json_object *run);

/* Prints which ratios dropped since the baseline by more than both runs' spread and a margin. Returns how many, or -1
 * where no benchmark is in both. */
int bench_compare(struct json_object *run, struct json_object *baseline);

/* Prints the peers' times beside ours. */
void bench_print_peers(struct json_object *run, struct json_object *peers);

#endif
