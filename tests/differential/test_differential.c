/* The operators on the GPU against the CPU reference, bit for bit: fixed cases, then random ones.
 *
 * test_differential [--seed S] [--cases N] [--operator NAME] [--seconds T] [--case 'LINE'] [--part K/N]
 *                   [--operators K/N] [--transfer] [--no-skips] [--repeat N] [--errors] [--appended] [--general]
 *                   [--changed] [--hostile] [--poison]
 *   --seed S        of the random cases; 1
 *   --cases N       random cases per operator, ten times as many of those with a frame of their own; 40; 0: no end,
 *                   with --seconds
 *   --seconds T     stops each operator's random cases after that time
 *   --operator NAME only that operator, without DML_OPERATOR_
 *   --case 'LINE'   only that case, as a failure printed it
 *   --transfer      the device may use transfer commands (VKDML_DEVICE_FLAG_ALLOW_TRANSFER); operators that may be
 *                   planned so
 *   --part K/N      of fixed and exhaustive cases every Nth, from the Kth on, random ones of every Nth operator, but of
 * all with a frame of their own, and of another seed
 *   --operators K/N only every Nth operator, from the Kth on
 *   --no-skips      a case that the device cannot run is a failure
 *   --repeat N      instead: cases whose order of operations could show, N times each, which must give the same bits;
 *                   with --operator its random cases too, with --case that one
 *   --errors        instead: random cases of the operators whose accuracy is SUM, of numbers alone and up to a million
 *                   elements, and how far the worst result was from the exact one, by function and type;
 *                   with --case of that one
 *   --appended      instead: each case also as a part of a larger plan, on memory of its own, which must give the same
 *                   bits as its plan alone, with barriers where plans meet and nowhere else
 *   --general       instead: each case also by a general plan, whose kernels do not depend on sizes, which must give
 *                   the same bits
 *   --changed       instead: random cases alone, changed in sizes, strides, types and attributes as fuzzers change them
 *                   (tests/fuzz/change_case.h), those that the rules allow
 *   --hostile       instead: N cases of each input of each operator, that input full of what no coordinate, length or
 *                   scale should be
 *   --poison        each case twice, outputs and resources before it full of bits and of the other bits, which must
 *                   give the same bits
 * The environment: VKDML_DEVICE picks a device, VKDML_TEST_VALIDATION=1 turns the validation layer on,
 * VKDML_TEST_PROFILE=name makes it another device, VKDML_TEST_MAX_CASES=N is the most that --cases and its default
 * mean, VKDML_TEST_PART=K/N stands for --part. Exits with 77, after saying why, where there is no Vulkan device. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "appended.h"
#include "cases/family.h"
#include "cases/run_case.h"
#include "changed.h"
#include "errors.h"
#include "harness/gpu_open.h"
#include "hostile.h"
#include "profiles/profile.h"

#define EXIT_SKIPPED  77
#define MAX_TESTS     512
#define MAX_REPORTED  5 /* failures of one test told in full */
#define TEXT_CAPACITY 4096
#define NAME_CAPACITY 96

/* One of so many. */
struct part {
    uint64_t at, of;
};

static struct options {
    uint64_t seed;
    uint64_t cases;
    uint64_t seconds;
    const char *operator_name;
    const char *line;
    bool transfer;
    bool no_skips;
    bool errors;
    bool appended;
    bool general;
    bool changed;
    bool hostile;
    bool poison;
    uint64_t repeat;       /* 0: no repetitions */
    struct part part;      /* of the cases */
    struct part operators; /* of the operators */
} options = {.seed = 1, .cases = 40, .part = {0, 1}, .operators = {0, 1}};

static struct gpu gpu;
static struct runner runner = {.gpu = &gpu, .bounds = case_bounds};
static bool stopped; /* no other case can run */

/* How the cases of one test came out. */
struct tally {
    uint64_t passed, failed, skipped;
    uint64_t refused; /* rightly */
};

static void tell_failure(const char *kind, uint64_t number, const char *line, const char *text) {
    printf("# %s: %s\n", kind, text);
    printf("#   device: %s; run seed %" PRIu64 ", case %" PRIu64 "\n", gpu.properties.deviceName, options.seed, number);
    printf("#   again:  test_differential --case '%s'\n", line);
    fflush(stdout);
}

/* Runs a case as a part of a larger plan, which its plan alone was run before. */
static enum case_status run_appended(const struct operator_case *c, char *text, size_t size) {
    appended_set(true, options.general);
    enum case_status status = run_case(&runner, c, text, size);
    if (status == CASE_PASSED && appended_failure() != NULL) {
        snprintf(text, size, "%s", appended_failure());
        status = CASE_FAILED;
    }
    appended_set(false, false);
    return status;
}

/* Whether a case was not run since its device binds so little at once that dispatches for its tensors have no end, or
 * that what its operator binds whole does not fit. */
static bool is_rightly_refused(const struct operator_case *c, const char *text) {
    const struct case_family *family = case_family_of(c->schema->type);
    return gpu.properties.limits.maxStorageBufferRange <= 32768 && strstr(text, "VKDML_ERROR_LIMIT_EXCEEDED") != NULL &&
           (strstr(text, "dispatches to bind its tensors") != NULL ||
            (family->binds_whole && strstr(text, "maxStorageBufferRange") != NULL));
}

/* Runs the case that a line says. */
static void run_line(const char *line, uint64_t number, struct tally *tally) {
    static struct operator_case c;
    char text[TEXT_CAPACITY] = "";
    enum case_status status = CASE_FAILED;
    if (case_parse(line, &c, text, sizeof(text))) {
        status = run_case(&runner, &c, text, sizeof(text));
        if (status == CASE_PASSED && (options.appended || options.general)) {
            status = run_appended(&c, text, sizeof(text));
        }
    }
    switch (status) {
    case CASE_PASSED:
        tally->passed++;
        return;
    case CASE_SKIPPED:
        if (is_rightly_refused(&c, text)) {
            tally->refused++;
            tell_failure("refused", number, line, text);
        } else if (tally->skipped++ < MAX_REPORTED) {
            tell_failure("skipped", number, line, text);
        }
        return;
    case CASE_STOPPED:
        stopped = true;
        break;
    case CASE_FAILED:
        break;
    }
    if (tally->failed++ < MAX_REPORTED) {
        tell_failure("FAILED", number, line, text);
    }
}

static void finish(const char *name, const struct tally *tally) {
    printf("# %s: %" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " skipped, %" PRIu64 " refused\n", name,
           tally->passed, tally->failed, tally->skipped, tally->refused);
    fflush(stdout);
    assert_int_equal(tally->failed, 0);
    assert_true(tally->passed + tally->skipped + tally->refused > 0);
    assert_true(tally->skipped == 0 || !options.no_skips);
}

/* Whether a case is of the part that is run. Families begin with different ones, so that short lists are shared out
 * too. */
static bool is_in_part(const struct case_family *family, uint64_t i) {
    return (i + (uint64_t)family->type) % options.part.of == options.part.at;
}

/* Those of the part. */
static void run_lines(const struct case_family *family, const char *const *lines, size_t count, const char *what) {
    struct tally tally = {0};
    for (size_t i = 0; i < count && !stopped; i++) {
        if (is_in_part(family, i)) {
            run_line(lines[i], i, &tally);
        }
    }
    finish(what, &tally);
}

static void fixed_cases_agree(void **state) {
    const struct case_family *family = *state;
    run_lines(family, family->fixed, family->fixed_count, "fixed cases");
}

/* Runs what a printed line says rather than what was generated: a line that did not tell all would show as a case that
 * does not fail again. */
static void run_generated(const struct case_family *family, uint64_t number, struct tally *tally) {
    static struct operator_case generated, parsed;
    char line[CASE_MAX_LINE], text[TEXT_CAPACITY] = "";
    struct random random = {.state = random_mix(random_mix(options.seed, (uint64_t)family->type), number)};
    if (options.errors) {
        errors_generate(family, &random, &generated);
    } else if (options.changed) {
        if (!changed_generate(family, &random, &generated)) {
            tally->refused++;
            return;
        }
    } else {
        family->generate(family, &random, &generated);
    }
    if (!case_print(&generated, line, sizeof(line)) || !case_parse(line, &parsed, text, sizeof(text)) ||
        (memcmp(&generated, &parsed, sizeof(parsed)) != 0 && !options.changed)) { /* strides left out keep numbers */
        fail_msg("case %" PRIu64 " is not what its line says: %s (%s)", number, line, text);
    }
    run_line(line, number, tally);
}

static void random_cases_agree(void **state) {
    const struct case_family *family = *state;
    struct tally tally = {0};
    time_t end = time(NULL) + (time_t)options.seconds;
    const uint64_t cases = family->has_frame ? 5 * options.cases : options.cases;
    for (uint64_t i = 0; (options.cases == 0 || i < cases) && !stopped; i++) {
        if (options.seconds != 0 && time(NULL) >= end) {
            break;
        }
        run_generated(family, i, &tally);
    }
    errors_print();
    finish("random cases", &tally);
}

static void repeated_cases_agree(void **state) {
    const struct case_family *family = *state;
    run_lines(family, family->repeated, family->repeated_count, "repeated cases");
}

/* Each input in turn. One that no case has would be an input that this test forgets. */
static void hostile_cases_agree(void **state) {
    const struct case_family *family = *state;
    static struct operator_case c;
    char line[CASE_MAX_LINE];
    struct tally tally = {0};
    for (uint32_t n = 0; n < hostile_count(family); n++) {
        struct random random = {.state = random_mix(random_mix(options.seed, (uint64_t)family->type), n)};
        for (uint64_t i = 0; i < options.cases && !stopped; i++) {
            assert_true(hostile_generate(family, n, &random, &c));
            assert_true(case_print(&c, line, sizeof(line)));
            run_line(line, i, &tally);
        }
    }
    finish("hostile cases", &tally);
}

/* Every element there is, and every special value. */
static void exhaustive_cases_agree(void **state) {
    const struct case_family *family = *state;
    static struct operator_case c;
    char line[CASE_MAX_LINE];
    struct tally tally = {0};
    for (uint32_t i = 0; !stopped && family->exhaustive(family, i, &c); i++) {
        if (is_in_part(family, i)) {
            assert_true(case_print(&c, line, sizeof(line)));
            run_line(line, i, &tally);
        }
    }
    finish("exhaustive cases", &tally);
}

static void given_case_agrees(void **state) {
    struct tally tally = {0};
    (void)state;
    run_line(options.line, 0, &tally);
    errors_print();
    finish(options.line, &tally);
}

/* The subgroup kernels cannot run on such a profile; forcing them ends in this refusal and in no other way. */
static void a_profile_without_subgroup_arithmetic_refuses_their_kernels(void **state) {
    const char *variant = getenv("VKDML_KERNEL_VARIANT");
    (void)state;
    assert_non_null(variant);
    assert_string_equal(variant, "subgroup");
    assert_int_equal(gpu.profile->subgroup_operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, 0);
    assert_non_null(strstr(gpu.error, "the device cannot run the subgroup kernels: it has no VK_SUBGROUP_FEATURE"));
}

static bool parse_number(const char *text, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0';
}

/* K/N */
static bool parse_part(const char *text, struct part *part) {
    char *end;
    errno = 0;
    part->at = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '/' && parse_number(end + 1, &part->of) && part->at < part->of;
}

/* Options without a value. */
static bool take_flag(const char *name) {
    static const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--transfer", &options.transfer}, {"--no-skips", &options.no_skips},
                 {"--appended", &options.appended}, {"--general", &options.general}, {"--changed", &options.changed},
                 {"--hostile", &options.hostile},   {"--poison", &options.poison},
                 {"--errors", &options.errors}};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (strcmp(name, flags[i].name) == 0) {
            return *flags[i].flag = true;
        }
    }
    return false;
}

static bool parse_options(int count, char **arguments) {
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i];
        if (take_flag(name)) {
            continue;
        }
        const char *value = i + 1 < count ? arguments[++i] : "";
        bool known = strcmp(name, "--seed") == 0        ? parse_number(value, &options.seed)
                     : strcmp(name, "--cases") == 0     ? parse_number(value, &options.cases)
                     : strcmp(name, "--seconds") == 0   ? parse_number(value, &options.seconds)
                     : strcmp(name, "--repeat") == 0    ? parse_number(value, &options.repeat)
                     : strcmp(name, "--operator") == 0  ? (options.operator_name = value) != NULL
                     : strcmp(name, "--part") == 0      ? parse_part(value, &options.part)
                     : strcmp(name, "--operators") == 0 ? parse_part(value, &options.operators)
                     : strcmp(name, "--case") == 0      ? (options.line = value) != NULL
                                                        : false;
        if (!known) {
            fprintf(stderr, "test_differential: cannot read %s %s\n", name, value);
            return false;
        }
    }
    return true;
}

/* A limit set around whole suites, whatever their command lines say. */
static bool limit_cases(void) {
    const char *text = getenv("VKDML_TEST_MAX_CASES");
    uint64_t most;
    if (text == NULL) {
        return true;
    }
    if (!parse_number(text, &most) || most == 0) {
        fprintf(stderr, "test_differential: VKDML_TEST_MAX_CASES is %s, must be a number above 0\n", text);
        return false;
    }
    options.cases = options.cases == 0 || options.cases > most ? most : options.cases;
    return true;
}

/* Parts of a command line have random cases of their own. A part set around whole suites has those of the suites: on
 * the next device most of their pipelines are in the driver's cache. */
static bool choose_part(void) {
    const char *text = getenv("VKDML_TEST_PART");
    options.seed += options.part.of > 1 ? 1000 * (options.part.at + 1) : 0;
    if (text != NULL && !parse_part(text, &options.part)) {
        fprintf(stderr, "test_differential: VKDML_TEST_PART is %s, must be a number, / and a greater one\n", text);
        return false;
    }
    return true;
}

static bool check_options(void) {
    if (options.cases == 0 && options.seconds == 0) {
        fprintf(stderr, "test_differential: --cases 0 needs --seconds\n");
        return false;
    }
    if (options.errors + options.appended + options.general + options.changed + options.hostile +
            (options.repeat != 0) >
        1) {
        fprintf(stderr, "test_differential: --errors, --repeat, --appended, --general, --changed or --hostile, "
                        "one at a time\n");
        return false;
    }
    runner.repeats = options.repeat != 0 ? options.repeat - 1 : 0;
    runner.poisons = options.poison;
    runner.observe = options.errors ? errors_observe : options.appended || options.general ? appended_observe : NULL;
    return true;
}

/* Whether one of so many cases is of the part. */
static bool has_cases_of(const struct case_family *family, size_t count) {
    bool has = false;
    for (size_t i = 0; i < count; i++) {
        has = has || is_in_part(family, i);
    }
    return has;
}

/* They are for what kernels compute, which limits and features do not change. */
static bool has_exhaustive_cases(const struct case_family *family) {
    static struct operator_case c;
    bool has = false;
    const bool is_wanted = getenv("VKDML_TEST_PROFILE") == NULL && !options.appended && !options.general;
    for (uint32_t i = 0; is_wanted && family->exhaustive != NULL && !has && family->exhaustive(family, i, &c); i++) {
        has = is_in_part(family, i);
    }
    return has;
}

/* What is run of a family, and whether it has such cases. */
struct kind {
    const char *name;
    CMUnitTestFunction function;
    bool has_cases;
};

#define KINDS 5

static void list_kinds(const struct case_family *family, struct kind *kinds) {
    const bool is_plain = options.repeat == 0 && !options.errors && !options.changed && !options.hostile;
    const bool measured = family->bounds != NULL && family->exact != NULL;
    const bool has_random = options.errors        ? measured
                            : options.hostile     ? false
                            : options.repeat != 0 ? options.operator_name != NULL
                                                  : family->has_frame || is_in_part(family, 0);
    const struct kind all[KINDS] = {
        {"fixed", fixed_cases_agree, is_plain && has_cases_of(family, family->fixed_count)},
        {"random", random_cases_agree, has_random},
        {"exhaustive", exhaustive_cases_agree, is_plain && has_exhaustive_cases(family)},
        {"repeated", repeated_cases_agree, options.repeat != 0 && has_cases_of(family, family->repeated_count)},
        {"hostile", hostile_cases_agree, options.hostile && hostile_count(family) != 0 && is_in_part(family, 0)}};
    memcpy(kinds, all, sizeof(all));
}

static size_t list_tests(struct CMUnitTest *tests, char names[][NAME_CAPACITY]) {
    size_t count = 0;
    if (options.line != NULL) {
        tests[0] =
            (struct CMUnitTest){.name = "the given case agrees with the reference", .test_func = given_case_agrees};
        return 1;
    }
    for (size_t i = 0; i < case_family_count && count + KINDS <= MAX_TESTS; i++) {
        const struct case_family *family = case_families[i];
        const char *name = vkdmlGetOperatorName(family->type) + strlen("DML_OPERATOR_");
        if ((options.operator_name != NULL && strcmp(options.operator_name, name) != 0) ||
            (options.transfer && !family->transfers) || i % options.operators.of != options.operators.at) {
            continue;
        }
        struct kind kinds[KINDS];
        list_kinds(family, kinds);
        for (size_t k = 0; k < KINDS; k++) {
            if (kinds[k].has_cases) {
                /* cmocka gives a test its initial state through a pointer to data that it does not change. */
                void *state = (void *)(uintptr_t)family;
                snprintf(names[count], NAME_CAPACITY, "%s: %s cases agree", name, kinds[k].name);
                tests[count] = (struct CMUnitTest){names[count], kinds[k].function, NULL, NULL, state};
                count++;
            }
        }
    }
    return count;
}

int main(int count, char **arguments) {
    static struct CMUnitTest tests[MAX_TESTS];
    static char names[MAX_TESTS][NAME_CAPACITY];
    if (!parse_options(count, arguments) || !check_options() || !limit_cases() || !choose_part()) {
        return EXIT_FAILURE;
    }
    size_t test_count = list_tests(tests, names);
    if (test_count == 0) {
        fprintf(stderr, "test_differential: no operator %s\n", options.operator_name);
        return EXIT_FAILURE;
    }
    int status = EXIT_FAILURE;
    VkdmlResult result = gpu_open(&gpu, options.transfer ? VKDML_DEVICE_FLAG_ALLOW_TRANSFER : 0u);
    if (result == VKDML_ERROR_FEATURE_NOT_PRESENT && gpu.profile != NULL) {
        const struct CMUnitTest refusal[] = {
            cmocka_unit_test(a_profile_without_subgroup_arithmetic_refuses_their_kernels)};
        status = cmocka_run_group_tests_name("differential", refusal, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    } else if (result != VKDML_SUCCESS) {
        printf("# no device: %s: %s\n", vkdmlResultToString(result), gpu.error);
        /* Where validation was asked for, there is Vulkan: what is missing is the layer, and that must show. */
        status = result == VKDML_ERROR_INITIALIZATION_FAILED && !gpu.validation ? EXIT_SKIPPED : EXIT_FAILURE;
    } else {
        printf("# device: %s; seed %" PRIu64 ", %" PRIu64 " random cases per operator%s%s\n", gpu.properties.deviceName,
               options.seed, options.cases, gpu.validation ? ", validation layer on" : "",
               options.transfer ? ", transfer commands allowed" : "");
        if (gpu.message_count != 0) {
            printf("# opening the device: %s\n", gpu.messages);
        }
        fflush(stdout);
        int failed = _cmocka_run_group_tests("differential", tests, test_count, NULL, NULL);
        status = failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    runner_free(&runner);
    gpu_close(&gpu);
    return status;
}
