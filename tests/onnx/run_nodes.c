/* Runs ONNX's own node tests: folders of model.onnx, test_data_set_0/input_N.pb and output_N.pb, as node_tests.py
 * writes them. Prints a line of TAP for each that is translated, and why others are not, and counts them; exits with 1
 * where one is wrong, or fewer pass than they must.
 *
 * onnx_nodes FOLDER [--reference] [--quiet] [--least=N] [TEXT..]: only those whose names contain a TEXT */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum outcome { PASSED, WRONG, REFUSED };

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

int main(int argc, char **argv) {
    static char *names[MOST_TESTS];
    static const char *const outcomes[] = {"pass", "wrong", "refused"};
    uint32_t count = 0, counts[3] = {0};
    unsigned long least = 0;
    bool by_reference = false, quiet = false;
    DIR *folder = argc < 2 ? NULL : opendir(argv[1]);
    struct onnx_error error = {{0}};
    struct onnx_device *device;
    if (folder == NULL) {
        fprintf(stderr, "Usage: onnx_nodes FOLDER [--reference] [--quiet] [--least=N] [TEXT..]\n");
        return 2;
    }
    for (int i = 2; i < argc; ++i) {
        by_reference = by_reference || strcmp(argv[i], "--reference") == 0;
        quiet = quiet || strcmp(argv[i], "--quiet") == 0;
        least = strncmp(argv[i], "--least=", 8) == 0 ? strtoul(argv[i] + 8, NULL, 10) : least;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL && count < MOST_TESTS;) {
        if (entry->d_name[0] != '.' && is_asked_for(entry->d_name, argc - 2, argv + 2)) {
            names[count++] = strdup(entry->d_name);
        }
    }
    closedir(folder);
    qsort(names, count, sizeof names[0], compare_names);
    if (!onnx_device_open(NULL, &device, &error)) {
        fprintf(stderr, "onnx_nodes: %s\n", error.text);
        return 77;
    }
    for (uint32_t i = 0; i < count; ++i) {
        struct test test = {.folder = argv[1], .name = names[i], .device = device, .by_reference = by_reference};
        const enum outcome outcome = run_test(&test);
        ++counts[outcome];
        if (!quiet || outcome == WRONG) {
            static const char *const taps[] = {"ok", "not ok", "#"};
            printf("%s %u - %s: %s", taps[outcome], (unsigned)(i + 1), test.name, outcomes[outcome]);
            printf(outcome == PASSED ? ", %u operators%s\n" : ", %u operators, %s\n", (unsigned)test.node_count,
                   test.error.text);
            fflush(stdout);
        }
        onnx_close(test.file);
        onnx_arena_free(&test.arena);
        free(names[i]);
    }
    onnx_device_close(device);
    printf("# %u passed, %u wrong, %u refused\n", (unsigned)counts[PASSED], (unsigned)counts[WRONG],
           (unsigned)counts[REFUSED]);
    if (counts[PASSED] < least) {
        printf("not ok %u - %u pass, must be %lu\n", (unsigned)(count + 1), (unsigned)counts[PASSED], least);
    }
    return counts[WRONG] != 0 || counts[PASSED] < least;
}
