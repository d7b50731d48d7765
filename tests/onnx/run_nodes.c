/* Runs ONNX's own node tests: folders of model.onnx, test_data_set_0/input_N.pb and output_N.pb, as node_tests.py
 * writes them. Prints a line of TAP for each that is translated, and why others are not, and counts them; exits with 1
 * where one is wrong, or fewer pass than they must.
 *
 * onnx_nodes FOLDER [--reference] [--quiet] [--least=N] [--seconds=N] [TEXT..]: only those whose names contain a TEXT
 *   --seconds=N  a test that takes longer fails, as does one that ends the process, and the next one runs */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "onnx/file.h"
#include "onnx/session.h"

enum { MOST_TENSORS = 64, MOST_TESTS = 8192 };

struct test {
    const char *folder, *name;
    struct onnx_device *device;
    bool by_reference;
    struct onnx_arena arena;
    struct onnx_file *file;
    struct onnx_error error;
    uint32_t node_count;
};

static unsigned char *read_file(struct test *test, const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        *length = (size_t)ftell(file);
        rewind(file);
        bytes = onnx_allocate(&test->arena, *length + 1, 1);
        if (bytes != NULL && fread(bytes, 1, *length, file) != *length) {
            bytes = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static bool read_tensor(struct test *test, const char *kind, uint32_t index, struct onnx_data *data) {
    char path[1024];
    size_t length;
    const char *name;
    snprintf(path, sizeof path, "%s/%s/test_data_set_0/%s_%u.pb", test->folder, test->name, kind, (unsigned)index);
    const unsigned char *bytes = read_file(test, path, &length);
    return bytes == NULL ? onnx_fail(&test->error, "%s cannot be read", path)
                         : onnx_read_tensor(bytes, length, &test->arena, data, &name, &test->error);
}

static double half(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    const double value = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                         : exponent == 0 ? fraction * 0x1p-24
                                         : ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

static double element(enum onnx_type type, const void *data, size_t i) {
    if (type == ONNX_FLOAT) {
        return (double)((const float *)data)[i];
    }
    return type == ONNX_DOUBLE ? ((const double *)data)[i] : half(((const uint16_t *)data)[i]);
}

/* Of an odd number of elements of 4 bits the last byte's upper half is nobody's. */
static bool are_equal_bits(const struct onnx_data *expected, const unsigned char *got) {
    const unsigned char *bytes = expected->data;
    uint64_t count = 1;
    for (uint32_t d = 0; d < expected->rank; ++d) {
        count *= expected->sizes[d];
    }
    if ((expected->type == ONNX_UINT4 || expected->type == ONNX_INT4) && count % 2 != 0) {
        const size_t last = expected->bytes - 1;
        return memcmp(bytes, got, last) == 0 && (bytes[last] & 15) == (got[last] & 15);
    }
    return memcmp(bytes, got, expected->bytes) == 0;
}

/* ONNX's own tolerance, 1e-3 of the value and 1e-7; of FLOAT16, where 1e-3 is one unit in the last place, two of these:
 * what is computed in several steps is rounded in each. And 1e-6 of the greatest element: what is left of sums that
 * come to nothing are roundings of their terms, the expected ones too. */
static bool are_equal(const struct onnx_data *expected, const void *got, size_t *where) {
    if (expected->type != ONNX_FLOAT && expected->type != ONNX_DOUBLE && expected->type != ONNX_FLOAT16) {
        *where = 0;
        return are_equal_bits(expected, got);
    }
    const double share = expected->type == ONNX_FLOAT16 ? 2e-3 : 1e-3;
    const size_t count = expected->bytes / onnx_bytes_of(expected->type, 1);
    double greatest = 0;
    for (size_t i = 0; i < count; ++i) {
        const double size = fabs(element(expected->type, expected->data, i));
        greatest = size > greatest && !isinf(size) ? size : greatest;
    }
    for (size_t i = 0; i < count; ++i) {
        const double a = element(expected->type, expected->data, i), b = element(expected->type, got, i);
        const bool same = a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-7 + share * fabs(a) + 1e-6 * greatest;
        if (!same) {
            *where = i;
            return false;
        }
    }
    return true;
}

static bool check_output(struct test *test, uint32_t index, const struct onnx_plan_output *output, const void *got) {
    struct onnx_data expected;
    if (!read_tensor(test, "output", index, &expected)) {
        return false;
    }
    bool same = expected.type == output->type && expected.rank == output->rank;
    for (uint32_t d = 0; d < expected.rank && same; ++d) {
        same = expected.sizes[d] == output->sizes[d];
    }
    if (!same) {
        char text[256] = "";
        for (uint32_t d = 0; d < output->rank && d < 8; ++d) {
            snprintf(text + strlen(text), sizeof text - strlen(text), " %u", (unsigned)output->sizes[d]);
        }
        return onnx_fail(&test->error, "output %u is of type %s or sizes that are not expected:%s", (unsigned)index,
                         onnx_type_name(output->type), text);
    }
    size_t where = 0;
    return are_equal(&expected, got, &where) ||
           onnx_fail(&test->error, "output %u differs from element %zu on: %g, must be %g", (unsigned)index, where,
                     expected.type == ONNX_FLOAT || expected.type == ONNX_FLOAT16 || expected.type == ONNX_DOUBLE
                         ? element(expected.type, got, where)
                         : 0.0,
                     expected.type == ONNX_FLOAT || expected.type == ONNX_FLOAT16 || expected.type == ONNX_DOUBLE
                         ? element(expected.type, expected.data, where)
                         : 0.0);
}

enum outcome { PASSED, WRONG, REFUSED, UNFINISHED, OUTCOMES };

static enum outcome run_begun(struct test *test, struct onnx_run *run, uint32_t output_count) {
    void *outputs[MOST_TENSORS];
    for (uint32_t i = 0; i < output_count; ++i) {
        outputs[i] = onnx_allocate(&test->arena, (size_t)onnx_run_outputs(run)[i].bytes + 8, 1);
        if (outputs[i] == NULL) {
            return REFUSED;
        }
    }
    struct onnx_run_facts facts;
    onnx_run_facts(run, &facts);
    test->node_count = facts.node_count;
    /* Twice: the second finds what the first left. */
    if (!onnx_run_execute(run, outputs, &test->error) || !onnx_run_execute(run, outputs, &test->error)) {
        return WRONG;
    }
    for (uint32_t i = 0; i < output_count; ++i) {
        if (!check_output(test, i, &onnx_run_outputs(run)[i], outputs[i])) {
            return WRONG;
        }
    }
    return PASSED;
}

static enum outcome run_test(struct test *test) {
    char path[1024];
    struct onnx_plan_input inputs[MOST_TENSORS];
    snprintf(path, sizeof path, "%s/%s/model.onnx", test->folder, test->name);
    if (!onnx_open(path, &test->file, &test->error)) {
        return REFUSED;
    }
    const struct onnx_model *model = onnx_file_model(test->file);
    if (model->graph.input_count > MOST_TENSORS || model->graph.output_count > MOST_TENSORS) {
        onnx_fail(&test->error, "too many tensors for the test");
        return REFUSED;
    }
    for (uint32_t i = 0; i < model->graph.input_count; ++i) {
        struct onnx_data data;
        if (!read_tensor(test, "input", i, &data)) {
            return REFUSED;
        }
        inputs[i] = (struct onnx_plan_input){.type = data.type, .rank = data.rank, .data = data.data};
        memcpy(inputs[i].sizes, data.sizes, sizeof data.sizes);
    }
    struct onnx_session *session;
    struct onnx_run *run;
    const struct onnx_session_options options = {.by_reference = test->by_reference};
    if (!onnx_session_create(test->device, model, &model->graph, &options, &session, &test->error)) {
        return REFUSED;
    }
    enum outcome outcome = REFUSED;
    if (onnx_run_begin(session, model->graph.input_count, inputs, &run, &test->error)) {
        outcome = run_begun(test, run, model->graph.output_count);
        onnx_run_end(run);
    }
    onnx_session_free(session);
    return outcome;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_asked_for(const char *name, int count, char **texts) {
    bool any = false;
    for (int i = 0; i < count; ++i) {
        if (strncmp(texts[i], "--", 2) != 0) {
            any = true;
            if (strstr(name, texts[i]) != NULL) {
                return true;
            }
        }
    }
    return !any;
}

struct suite {
    const char *folder;
    char *names[MOST_TESTS];
    uint32_t count, counts[OUTCOMES];
    unsigned long least, seconds;
    bool by_reference, quiet;
};

static bool read_arguments(struct suite *suite, int argc, char **argv) {
    DIR *folder = argc < 2 ? NULL : opendir(argv[1]);
    if (folder == NULL) {
        fprintf(stderr, "Usage: onnx_nodes FOLDER [--reference] [--quiet] [--least=N] [--seconds=N] [TEXT..]\n");
        return false;
    }
    suite->folder = argv[1];
    for (int i = 2; i < argc; ++i) {
        suite->by_reference = suite->by_reference || strcmp(argv[i], "--reference") == 0;
        suite->quiet = suite->quiet || strcmp(argv[i], "--quiet") == 0;
        suite->least = strncmp(argv[i], "--least=", 8) == 0 ? strtoul(argv[i] + 8, NULL, 10) : suite->least;
        suite->seconds = strncmp(argv[i], "--seconds=", 10) == 0 ? strtoul(argv[i] + 10, NULL, 10) : suite->seconds;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL && suite->count < MOST_TESTS;) {
        if (entry->d_name[0] != '.' && is_asked_for(entry->d_name, argc - 2, argv + 2)) {
            suite->names[suite->count++] = strdup(entry->d_name);
        }
    }
    closedir(folder);
    qsort(suite->names, suite->count, sizeof suite->names[0], compare_names);
    return true;
}

static enum outcome run_one(const struct suite *suite, uint32_t i, struct onnx_device *device) {
    static const char *const taps[] = {"ok", "not ok", "#"};
    static const char *const outcomes[] = {"pass", "wrong", "refused"};
    struct test test = {
        .folder = suite->folder, .name = suite->names[i], .device = device, .by_reference = suite->by_reference};
    const enum outcome outcome = run_test(&test);
    if (!suite->quiet || outcome == WRONG) {
        printf("%s %u - %s: %s", taps[outcome], (unsigned)(i + 1), test.name, outcomes[outcome]);
        printf(outcome == PASSED ? ", %u operators%s\n" : ", %u operators, %s\n", (unsigned)test.node_count,
               test.error.text);
        fflush(stdout);
    }
    onnx_close(test.file);
    onnx_arena_free(&test.arena);
    return outcome;
}

/* Runs the tests from one on. Their outcomes, a byte each, are written to `pipe` unless it is 0. False without a
 * device. */
static bool run_from(struct suite *suite, uint32_t first, int pipe) {
    struct onnx_error error = {0};
    struct onnx_device *device;
    if (!onnx_device_open(NULL, &device, &error)) {
        fprintf(stderr, "onnx_nodes: %s\n", error.text);
        return false;
    }
    for (uint32_t i = first; i < suite->count; ++i) {
        alarm((unsigned)suite->seconds); /* of 0 none */
        const enum outcome outcome = run_one(suite, i, device);
        const unsigned char byte = (unsigned char)outcome;
        ++suite->counts[outcome];
        if (pipe != 0 && write(pipe, &byte, 1) != 1) {
            break;
        }
    }
    alarm(0);
    onnx_device_close(device);
    return true;
}

static void note_unfinished(struct suite *suite, uint32_t i, int status) {
    printf("not ok %u - %s: ", (unsigned)(i + 1), suite->names[i]);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        printf("not done in %lu seconds\n", suite->seconds);
    } else {
        printf("ended by %s %d\n", WIFSIGNALED(status) ? "signal" : "exit",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    fflush(stdout);
    ++suite->counts[UNFINISHED];
}

/* In a process of its own, and in another one behind a test that does not come to an end. */
static bool run_patiently(struct suite *suite) {
    enum { NO_DEVICE = 77 };
    for (uint32_t i = 0; i < suite->count; ++i) {
        int ends[2], status = 0;
        unsigned char outcome;
        if (pipe(ends) != 0) {
            return false;
        }
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            _Exit(run_from(suite, i, ends[1]) ? 0 : NO_DEVICE);
        }
        close(ends[1]);
        while (i < suite->count && read(ends[0], &outcome, 1) == 1) {
            ++suite->counts[outcome < OUTCOMES ? outcome : UNFINISHED];
            ++i;
        }
        close(ends[0]);
        if (child < 0 || waitpid(child, &status, 0) != child ||
            (WIFEXITED(status) && WEXITSTATUS(status) == NO_DEVICE)) {
            return false;
        }
        if (i < suite->count) {
            note_unfinished(suite, i, status);
        }
    }
    return true;
}

int main(int argc, char **argv) {
    static struct suite suite;
    if (!read_arguments(&suite, argc, argv)) {
        return 2;
    }
    const bool ran = suite.seconds != 0 ? run_patiently(&suite) : run_from(&suite, 0, 0);
    for (uint32_t i = 0; i < suite.count; ++i) {
        free(suite.names[i]);
    }
    if (!ran) {
        return 77;
    }
    const uint32_t *counts = suite.counts;
    printf("# %u passed, %u wrong, %u refused", (unsigned)counts[PASSED], (unsigned)counts[WRONG],
           (unsigned)counts[REFUSED]);
    printf(counts[UNFINISHED] != 0 ? ", %u not done\n" : "\n", (unsigned)counts[UNFINISHED]);
    if (counts[PASSED] < suite.least) {
        printf("not ok %u - %u pass, must be %lu\n", (unsigned)(suite.count + 1), (unsigned)counts[PASSED],
               suite.least);
    }
    return counts[WRONG] + counts[UNFINISHED] != 0 || counts[PASSED] < suite.least;
}
