/* Reading what an earlier run or tools/bench/peers.py wrote: nothing in it is trusted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/document.h"
#include "bench/report.h"

enum field_kind { FIELD_TEXT, FIELD_COUNT, FIELD_NUMBER };

static const char *const field_kinds[] = {
    [FIELD_TEXT] = "a string that is not empty", [FIELD_COUNT] = "a whole number", [FIELD_NUMBER] = "a number above 0"};

/* A field of a row, as docs/BENCHMARKS.md says. Fields that no report looks at are left alone. */
struct field {
    const char *name;
    enum field_kind kind;
    unsigned required; /* the kinds of files, as bits, whose rows must have it */
};

static const struct field fields[] = {
    {"name", FIELD_TEXT, 1u << BENCH_FILE_RUN | 1u << BENCH_FILE_PEERS},
    {"ms", FIELD_NUMBER, 1u << BENCH_FILE_RUN | 1u << BENCH_FILE_PEERS},
    {"peer", FIELD_TEXT, 1u << BENCH_FILE_PEERS},
    {"group", FIELD_TEXT, 1u << BENCH_FILE_RUN},
    {"type", FIELD_TEXT, 1u << BENCH_FILE_RUN},
    {"size", FIELD_COUNT, 1u << BENCH_FILE_RUN},
    {"bytes", FIELD_NUMBER, 1u << BENCH_FILE_RUN},
    {"gbps", FIELD_NUMBER, 1u << BENCH_FILE_RUN},
    {"ratio", FIELD_NUMBER, 1u << BENCH_FILE_RUN},
    {"peak", FIELD_TEXT, 1u << BENCH_FILE_RUN},
    {"ms_p10", FIELD_NUMBER, 0},
    {"ms_p90", FIELD_NUMBER, 0},
    {"ms_host", FIELD_NUMBER, 0},
    {"tflops", FIELD_NUMBER, 0},
    {"reference_ms", FIELD_NUMBER, 0},
    {"memcpy_ms", FIELD_NUMBER, 0},
    {"loop_ms", FIELD_NUMBER, 0},
};

static bool fits(struct json_object *value, enum field_kind kind) {
    uint64_t count;
    switch (kind) {
    case FIELD_TEXT:
        return json_object_is_type(value, json_type_string) && json_object_get_string_len(value) != 0;
    case FIELD_COUNT:
        return document_read_unsigned(value, INT64_MAX, &count);
    case FIELD_NUMBER:
    default:
        return (json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)) &&
               isfinite(json_object_get_double(value)) && json_object_get_double(value) > 0;
    }
}

static bool check_row(const struct document *document, struct json_object *row, size_t index,
                      enum bench_file_kind kind) {
    if (!json_object_is_type(row, json_type_object)) {
        return document_error(document, row, "results[%zu] must be an object", index);
    }
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        struct json_object *value = NULL;
        const bool is_there = json_object_object_get_ex(row, fields[i].name, &value);
        if (!is_there && (fields[i].required & 1u << kind)) {
            return document_error(document, row, "results[%zu] has no '%s'", index, fields[i].name);
        }
        if (is_there && !fits(value, fields[i].kind)) {
            return document_error(document, value ? value : row, "results[%zu]: '%s' must be %s", index, fields[i].name,
                                  field_kinds[fields[i].kind]);
        }
    }
    return true;
}

static bool check(const struct document *document, enum bench_file_kind kind) {
    struct json_object *root = document->root, *schema = NULL, *results = NULL;
    if (!json_object_is_type(root, json_type_object) || !json_object_object_get_ex(root, "schema", &schema) ||
        !json_object_is_type(schema, json_type_string) || strcmp(json_object_get_string(schema), BENCH_SCHEMA) != 0 ||
        !json_object_object_get_ex(root, "results", &results) || !json_object_is_type(results, json_type_array)) {
        return document_error(document, NULL, "holds no results of schema " BENCH_SCHEMA);
    }
    for (size_t i = 0; i < json_object_array_length(results); i++) {
        if (!check_row(document, json_object_array_get_idx(results, i), i, kind)) {
            return false;
        }
    }
    return true;
}

struct json_object *bench_read_json(const char *path, enum bench_file_kind kind) {
    struct document document;
    struct json_object *root = NULL;
    if (document_load(&document, path) && check(&document, kind)) {
        root = json_object_get(document.root);
    }
    document_free(&document);
    return root;
}
