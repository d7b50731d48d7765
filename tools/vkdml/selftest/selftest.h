/* Holding every operator of a device and driver to the reference: cases one after another until time is up, and a
 * report to attach to a bug. The cases, and what runs one, are those of the tests. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <volk.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>

#include "cases/family.h"
#include "cases/gpu.h"
#include "cases/run_case.h"

/* Failures that are told with their lines; all are counted. */
#define SELFTEST_MAX_FAILURES 32
#define SELFTEST_TEXT_SIZE    4096

#define SELFTEST_VARIANTS 3

struct selftest_options {
    const char *device;    /* part of a name; NULL: the default device */
    const char *operators; /* a name without DML_OPERATOR_, or a pattern; NULL: all */
    const char *variant;   /* "portable", "subgroup", "serial", "all"; NULL: the device's own, and portable */
    const char *line;      /* the one case to run; NULL: those of the families */
    double seconds;
    bool quick; /* one case of each operator instead, however long that takes */
    uint32_t seed;
    bool validation;
};

/* How cases came out. */
struct selftest_tally {
    uint32_t passed, failed, skipped;
};

/* A variant of the kernels, and how far its cases are. */
struct selftest_variant {
    VkdmlKernelVariant variant;
    bool is_own;        /* the device's, if nothing is forced */
    bool is_tested;     /* `gpu` is there */
    char unusable[256]; /* why the device cannot run it; "": it can */
    struct gpu gpu;
    struct runner runner;
    uint32_t family;                /* the next, in the test's order, .. */
    uint32_t round;                 /* .. of so many rounds, fixed cases first */
    struct selftest_tally *tallies; /* by family */
    struct selftest_tally all;
    uint32_t reached; /* families of which a case ran */
};

struct selftest_failure {
    VkdmlKernelVariant variant;
    char *line;
    char text[SELFTEST_TEXT_SIZE];
};

struct selftest {
    struct selftest_options options;
    VkdmlDevice opened;
    struct gpu probe; /* `opened`, as it is */
    struct selftest_variant variants[SELFTEST_VARIANTS];
    struct selftest_variant *running; /* whose messages come */
    char log[1024];                   /* what the library said when the device was opened */
    size_t *order;         /* the families asked for, by their place in the list, in the order of their turns */
    uint32_t family_count; /* so many */
    uint32_t fixed_rounds; /* until all their fixed cases are done */
    double spent;          /* seconds */
    double first_round;    /* of them what a case of each operator takes, from those that ran */
    char stopped[512];     /* why no other case could run; "": some could */
    bool interrupted;
    uint32_t failure_count;
    struct selftest_failure failures[SELFTEST_MAX_FAILURES];
};

/* Opens the device and chooses variants. False, with the reason on stderr, where there is nothing to test;
 * selftest_close() is due either way. */
bool selftest_open(struct selftest *test, const struct selftest_options *options);
void selftest_close(struct selftest *test);

/* Whether an operator is among those asked for. */
bool selftest_wants(const struct selftest *test, const struct case_family *family);

/* Runs cases until time is up, or the one that was given. An interrupt (control-C) ends it, and the wait for a GPU that
 * hangs; a second one ends the program. */
void selftest_run(struct selftest *test);
bool selftest_is_interrupted(void);

/* Whether cases ran and none failed. */
bool selftest_is_good(const struct selftest *test);

/* Of how many operators asked for no case ran. */
uint32_t selftest_missing(const struct selftest *test);

/* Enough for any verdict. */
#define SELFTEST_VERDICT_SIZE 128

/* "passed", or "passed, but 28 operators were not reached: one case of each takes about 13 s". Returns `verdict`. */
const char *selftest_verdict(const struct selftest *test, char verdict[SELFTEST_VERDICT_SIZE]);

const char *selftest_variant_name(VkdmlKernelVariant variant);

/* Adds "floats observed" to an object: what the device does with floats where a module asks for nothing, or why that is
 * not known. False where memory is out. */
bool selftest_add_floats(struct json_object *parent, struct gpu *gpu);

/* Adds "device": the device, as it describes itself. False where memory is out. */
bool selftest_add_device(struct json_object *parent, const struct gpu *gpu);

/* The report. NULL where memory is out; json_object_put() is due. */
struct json_object *selftest_report(struct selftest *test);

/* The same for people. */
void selftest_print_report(FILE *file, struct json_object *report);

#endif
