/* Which case is next, and what becomes of it. */
#include <math.h>
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

bool selftest_is_interrupted(void) {
    return interrupted != 0;
}

/* What a family's n-th random case is: that of test_differential with this seed. */
static bool generate(const struct selftest *test, const struct case_family *family, uint64_t n, char *line) {
    static struct operator_case c;
    struct random random = {.state = random_mix(random_mix(test->options.seed, (uint64_t)family->type), n)};
    family->generate(family, &random, &c);
    return case_print(&c, line, CASE_MAX_LINE);
}

/* The next case of a variant: one of each operator in turn, first the fixed ones, then random ones without end. Returns
 * whose it is, by the family's place in the list. */
static size_t next_case(struct selftest *test, struct selftest_variant *variant, char *line) {
    for (;;) {
        if (variant->family == test->family_count) {
            variant->family = 0;
            variant->round++;
        }
        const size_t place = test->order[variant->family++];
        const struct case_family *family = case_families[place];
        if (variant->round < family->fixed_count) {
            snprintf(line, CASE_MAX_LINE, "%s", family->fixed[variant->round]);
            return place;
        }
        if (variant->round >= test->fixed_rounds && generate(test, family, variant->round - test->fixed_rounds, line)) {
            return place;
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

/* The device's own variant of those tested, or the first. */
static struct selftest_variant *leading_variant(struct selftest *test) {
    struct selftest_variant *leading = NULL;
    for (size_t i = 0; i < SELFTEST_VARIANTS; i++) {
        struct selftest_variant *variant = &test->variants[i];
        if (variant->is_tested && (!leading || variant->is_own)) {
            leading = variant;
        }
    }
    return leading;
}

/* Whose turn it is, once the leading variant had a case of each operator: mostly its. */
static struct selftest_variant *variant_of_turn(struct selftest *test, struct selftest_variant *leading,
                                                uint64_t turn) {
    const uint64_t share = turn % OWN_SHARE;
    size_t others = 0;
    for (size_t i = 0; i < SELFTEST_VARIANTS; i++) {
        struct selftest_variant *variant = &test->variants[i];
        if (variant->is_tested && variant != leading && others++ == share) {
            return variant;
        }
    }
    return leading;
}

/* What a case of each operator takes in all, by those that ran in so many seconds. */
static double estimate_first_round(const struct selftest *test, uint32_t ran, double seconds) {
    return ran == 0 ? 0 : seconds / ran * test->family_count;
}

static void show_progress(const struct selftest *test, const struct selftest_variant *variant, uint32_t first,
                          double seconds) {
    if (first < test->family_count) {
        progress_show("%.0f s: a case of %u of %u operators, all in about %.0f s; %u failed", seconds, first,
                      test->family_count, estimate_first_round(test, first, seconds), test->failure_count);
    } else {
        progress_show("%.0f s of %.0f: %u of %u operators by %s kernels, %u cases, %u failed", seconds,
                      test->options.seconds, variant->reached, test->family_count,
                      selftest_variant_name(variant->variant),
                      variant->all.passed + variant->all.failed + variant->all.skipped, test->failure_count);
    }
}

static void run_families(struct selftest *test) {
    static char line[CASE_MAX_LINE];
    struct selftest_variant *leading = leading_variant(test);
    const double start = timing_now();
    uint32_t first = 0; /* operators that had their first case */
    for (uint64_t turn = 0; !test->stopped[0] && !interrupted; turn++) {
        const bool is_first = first < test->family_count;
        struct selftest_variant *variant = is_first ? leading : variant_of_turn(test, leading, turn);
        const double seconds = (timing_now() - start) / 1000;
        if (test->options.quick ? !is_first : turn > 0 && seconds >= test->options.seconds) {
            break;
        }
        show_progress(test, variant, first, seconds);
        const size_t place = next_case(test, variant, line);
        run_line(test, variant, line, &variant->tallies[place]);
        if (is_first) {
            test->first_round = estimate_first_round(test, ++first, (timing_now() - start) / 1000);
        }
    }
    progress_clear();
}

void selftest_run(struct selftest *test) {
    const double start = timing_now();
    const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
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

/* Whether a case of a family ran by any variant. */
static bool is_reached(const struct selftest *test, size_t family) {
    uint32_t cases = 0;
    for (size_t i = 0; i < SELFTEST_VARIANTS; i++) {
        const struct selftest_tally *tally = &test->variants[i].tallies[family];
        cases += tally->passed + tally->failed + tally->skipped;
    }
    return cases != 0;
}

uint32_t selftest_missing(const struct selftest *test) {
    uint32_t missing = 0;
    for (uint32_t i = 0; i < test->family_count && !test->options.line; i++) {
        missing += !is_reached(test, test->order[i]);
    }
    return missing;
}

const char *selftest_verdict(const struct selftest *test, char verdict[SELFTEST_VERDICT_SIZE]) {
    const uint32_t missing = selftest_missing(test);
    const int length = selftest_is_good(test) ? snprintf(verdict, SELFTEST_VERDICT_SIZE, "passed")
                                              : snprintf(verdict, SELFTEST_VERDICT_SIZE, "failed: %u case%s",
                                                         test->failure_count, test->failure_count == 1 ? "" : "s");
    if (missing != 0) {
        snprintf(verdict + length, SELFTEST_VERDICT_SIZE - (size_t)length,
                 ", but %u of %u operators not reached: one case of each takes about %.0f s", missing,
                 test->family_count, ceil(test->first_round));
    }
    return verdict;
}
