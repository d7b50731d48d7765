#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/operator_names.h"
#include "commands.h"
#include "selftest/selftest.h"

enum {
    OPTION_SECONDS = OPTION_KEY_FIRST,
    OPTION_LONG,
    OPTION_QUICK,
    OPTION_OPERATOR,
    OPTION_VARIANT,
    OPTION_SEED,
    OPTION_CASE,
    OPTION_JSON
};

#define USUAL_SECONDS 60
#define LONG_SECONDS  3600

/* What a command line asks for. */
struct request {
    struct selftest_options options;
    const char *output;
    bool json;
};

static const struct option_row options[] = {
    {'a', "adapter", .alias = "device", .argument = "TEXT", .kind = ARGUMENT_DEVICE,
     .text = "the device whose name contains TEXT, `#N` by number, or a UUID; default: `$VKDML_DEVICE`, else the best "
             "device"},
    {'o', "output", KEEPS(struct request, output), .argument = "FILE", .kind = ARGUMENT_FILE,
     .text = "write the report to FILE (standard output)"},
    {OPTION_JSON, "json", SETS(struct request, json), .text = "write it as a JSON document"},
    {OPTION_QUICK, "quick", SETS(struct request, options.quick),
     .text = "run one case of each operator, however long that takes"},
    {OPTION_SECONDS, "seconds", .argument = "N", .text = "run cases for N seconds (60)"},
    {OPTION_LONG, "long", .text = "run cases for an hour"},
    {OPTION_OPERATOR, "operator", KEEPS(struct request, options.operators), .argument = "NAME",
     .kind = ARGUMENT_OPERATOR, .text = "test that operator only, or those of a pattern such as `GATHER*`"},
    {OPTION_VARIANT, "variant", KEEPS(struct request, options.variant), .argument = "portable|subgroup|serial|all",
     .text = "test that variant of the kernels only, or all that the device can run (its own and portable)"},
    {OPTION_SEED, "seed", .argument = "N", .text = "the seed of the random cases (1)"},
    {OPTION_CASE, "case", KEEPS(struct request, options.line), .argument = "LINE",
     .text = "run only that case, as a report tells it"},
    {'d', "debug", SETS(struct request, options.validation),
     .text = "with the Vulkan validation layer; any message of it fails the case"},
    {0},
};

static bool apply_option(int key, const char *argument, void *context) {
    struct request *request = context;
    struct selftest_options *wanted = &request->options;
    uint32_t number;
    switch (key) {
    case 'a':
        wanted->device = argument;
        if (strcmp(argument, "reference") == 0) {
            return refusal_tell("the reference is what devices are held to");
        }
        return true;
    case OPTION_LONG:
        wanted->seconds = LONG_SECONDS;
        return true;
    case OPTION_SECONDS:
        if (!command_line_number(argument, 0, UINT32_MAX, &number)) {
            return false;
        }
        wanted->seconds = number;
        return true;
    default:
        return command_line_number(argument, 0, UINT32_MAX, &wanted->seed);
    }
}

/* False, with a hint on stderr, where no operator is called so. */
static bool check_operators(const char *pattern) {
    const struct selftest test = {.options = {.operators = pattern}};
    for (size_t f = 0; f < case_family_count; f++) {
        if (selftest_wants(&test, case_families[f])) {
            return true;
        }
    }
    operator_names_refuse(subcommand_selftest.name, pattern);
    return false;
}

/* False, with the reason on stderr, where it is no line of a case. */
static bool check_line(const char *line) {
    static struct operator_case c;
    char error[512];
    if (line && !case_parse(line, &c, error, sizeof(error))) {
        fprintf(stderr, "vkdml selftest: --case: %s\n", error);
        return false;
    }
    return true;
}

static bool write_report(struct json_object *report, const struct request *request) {
    FILE *file = request->output ? fopen(request->output, "w") : stdout;
    if (!file) {
        fprintf(stderr, "vkdml: '%s': %s\n", request->output, strerror(errno));
        return false;
    }
    if (request->json) {
        fprintf(file, "%s\n",
                json_object_to_json_string_ext(report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    } else {
        selftest_print_report(file, report);
    }
    bool good = fflush(file) == 0 && !ferror(file);
    if (request->output) {
        good = fclose(file) == 0 && good;
    }
    if (!good) {
        fprintf(stderr, "vkdml: '%s' cannot be written\n", request->output ? request->output : "standard output");
    }
    return good;
}

/* False, with the reason on stderr, where the report cannot be made or written. */
static bool tell(struct selftest *test, const struct request *request) {
    struct json_object *report = selftest_report(test);
    char verdict[SELFTEST_VERDICT_SIZE];
    if (!report) {
        fprintf(stderr, "vkdml: out of memory\n");
        return false;
    }
    const bool good = write_report(report, request);
    if (good && request->output) {
        printf("%s; the report is in '%s'\n", selftest_verdict(test, verdict), request->output);
    }
    json_object_put(report);
    return good;
}

static int run(int argc, char **argv) {
    static struct selftest test;
    struct request request = {.options = {.seconds = USUAL_SECONDS, .seed = 1}};
    int first;
    const int status = command_line_read(&subcommand_selftest, argc, argv, &request, &first);
    if (status != COMMAND_LINE_GO_ON) {
        return status;
    }
    if (!check_operators(request.options.operators) || !check_line(request.options.line)) {
        return EXIT_USAGE;
    }
    bool good = selftest_open(&test, &request.options);
    if (good) {
        selftest_run(&test);
        good = tell(&test, &request) && selftest_is_good(&test);
    }
    const bool complete = good && selftest_missing(&test) == 0;
    selftest_close(&test);
    return !good ? EXIT_FAILURE : complete ? EXIT_SUCCESS : EXIT_INCOMPLETE;
}

const struct subcommand subcommand_selftest = {
    .name = "selftest",
    .summary = "holds every operator on this device and driver to the reference",
    .description =
        "Runs cases of every operator on a device, and holds results to the CPU reference: bit for bit, sums within "
        "their bound. One case of each comes first, of GEMM, CONVOLUTION, pooling and softmax before all others, then "
        "more until time is up. Writes a report to attach to a bug: the device and its driver, what it does with "
        "floats, the kernels' variants, operator by operator how cases came out, and of failures the case, which "
        "`--case` runs "
        "again.\n"
        "Exits with 0 where all operators were reached and passed, with 1 where a case failed or none could run, and "
        "with 3 where none failed but time was up before all operators were reached: how many were not, and how long "
        "one case of each takes, is in the report.",
    .options = options,
    .apply = apply_option,
    .run = run,
};
