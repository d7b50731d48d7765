/* Which case is next, and what becomes of it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/timing.h"
#include "selftest/selftest.h"

/* Of so many cases one is of each variant that is not the device's own. */
#define OWN_SHARE 4

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

/* What a family's n-th random case is: that of test_differential with this seed. */
static bool generate(const struct selftest *test, const struct case_family *family, uint64_t n, char *line) {
    static struct operator_case c;
    struct random random = {.state = random_mix(random_mix(test->options.seed, (uint64_t)family->type), n)};
    family->generate(family, &random, &c);
    return case_print(&c, line, CASE_MAX_LINE);
}

/* The next case of a variant: one of each operator in turn, first the fixed ones, then random ones without end. */
static const struct case_family *next_case(struct selftest *test, struct selftest_variant *variant, char *line) {
    for (;;) {
        if (variant->family == case_family_count) {
            variant->family = 0;
            variant->round++;
        }
        const struct case_family *family = case_families[variant->family++];
        if (!selftest_wants(test, family)) {
            continue;
        }
        if (variant->round < family->fixed_count) {
            snprintf(line, CASE_MAX_LINE, "%s", family->fixed[variant->round]);
            return family;
        }
        if (variant->round >= test->fixed_rounds && generate(test, family, variant->round - test->fixed_rounds, line)) {
            return family;
        }
    }
}

static void keep_failure(struct selftest *test, const struct selftest_variant *variant, const char *line,
                         const char *text) {
    if (test->failure_count < SELFTEST_MAX_FAILURES) {
        struct selftest_failure *failure = &test->failures[test->failure_count];
        const size_t size = strlen(line) + 1;
        failure->variant = variant->variant;
        failure->line = malloc(size);
        if (failure->line) {
            memcpy(failure->line, line, size);
        }
        snprintf(failure->text, sizeof(failure->text), "%s", text);
    }
    test->failure_count++;
}

/* Runs a case; `tally` may be NULL. */
static void run_line(struct selftest *test, struct selftest_variant *variant, const char *line,
                     struct selftest_tally *tally) {
    static struct operator_case c;
    struct selftest_tally unused = {0};
    char text[SELFTEST_TEXT_SIZE] = "";
    enum case_status status = CASE_FAILED;
    test->running = variant;
    if (case_parse(line, &c, text, sizeof(text))) {
        status = run_case(&variant->runner, &c, text, sizeof(text));
    }
    test->running = NULL;
    tally = tally ? tally : &unused;
    variant->reached += tally->passed + tally->failed + tally->skipped == 0;
    switch (status) {
    case CASE_PASSED:
        tally->passed++;
        variant->all.passed++;
        return;
    case CASE_SKIPPED:
        tally->skipped++;
        variant->all.skipped++;
        return;
    case CASE_STOPPED:
        if (vkdmlGetDeviceLostReason(variant->gpu.device) != VKDML_SUCCESS) {
            snprintf(test->stopped, sizeof(test->stopped), "%s", vkdmlGetErrorMessage());
        }
        break; /* others may do with less memory */
    case CASE_FAILED:
        break;
    }
    tally->failed++;
    variant->all.failed++;
    keep_failure(test, variant, line, text);
}

static size_t index_of(const struct case_family *family) {
    size_t i = 0;
    while (case_families[i] != family) {
        i++;
    }
    return i;
}

/* Whose turn it is: mostly the device's own variant's. */
static struct selftest_variant *variant_of_turn(struct selftest *test, uint64_t turn) {
    struct selftest_variant *others[SELFTEST_VARIANTS];
    struct selftest_variant *own = NULL;
    size_t count = 0;
    for (size_t i = 0; i < SELFTEST_VARIANTS; i++) {
        struct selftest_variant *variant = &test->variants[i];
        if (variant->is_tested && variant->is_own) {
            own = variant;
        } else if (variant->is_tested) {
            others[count++] = variant;
        }
    }
    if (!own || (count > 0 && turn % OWN_SHARE < count && OWN_SHARE > count)) {
        return others[turn % OWN_SHARE % count];
    }
    return own;
}

static void show_progress(const struct selftest *test, const struct selftest_variant *variant, double seconds) {
    progress_show("%.0f s of %.0f: %u of %u operators by %s kernels, %u cases, %u failed", seconds,
                  test->options.seconds, variant->reached, test->family_count, selftest_variant_name(variant->variant),
                  variant->all.passed + variant->all.failed + variant->all.skipped, test->failure_count);
}

static void run_families(struct selftest *test) {
    static char line[CASE_MAX_LINE];
    const double start = timing_now();
    for (uint64_t turn = 0; !test->stopped[0] && !interrupted; turn++) {
        struct selftest_variant *variant = variant_of_turn(test, turn);
        const double seconds = (timing_now() - start) / 1000;
        if (turn > 0 && seconds >= test->options.seconds) {
            break;
        }
        show_progress(test, variant, seconds);
        const struct case_family *family = next_case(test, variant, line);
        run_line(test, variant, line, &variant->tallies[index_of(family)]);
    }
    progress_clear();
}

void selftest_run(struct selftest *test) {
    const double start = timing_now();
    const struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    if (!test->options.line) {
        run_families(test);
    }
    for (size_t i = 0; i < SELFTEST_VARIANTS && test->options.line && !test->stopped[0]; i++) {
        if (test->variants[i].is_tested) {
            run_line(test, &test->variants[i], test->options.line, NULL);
        }
    }
    test->interrupted = interrupted != 0;
    test->spent = (timing_now() - start) / 1000;
}

bool selftest_is_good(const struct selftest *test) {
    uint32_t passed = 0;
    for (size_t i = 0; i < SELFTEST_VARIANTS; i++) {
        passed += test->variants[i].all.passed;
    }
    return passed > 0 && test->failure_count == 0;
}
