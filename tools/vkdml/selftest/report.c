/* The report: one document, which programs read as JSON and people as indented text. */
#include <stdio.h>
#include <string.h>

#include "base/json_tree.h"
#include "selftest/selftest.h"

static bool add_tally(struct json_object *told, const struct selftest_tally *tally) {
    return json_tree_count(told, "passed", tally->passed) &&
           (tally->failed == 0 || json_tree_count(told, "failed", tally->failed)) &&
           (tally->skipped == 0 || json_tree_count(told, "skipped", tally->skipped));
}

static bool add_variant(struct json_object *parent, const struct selftest *test,
                        const struct selftest_variant *variant) {
    struct json_object *told = json_tree_object(parent, selftest_variant_name(variant->variant));
    const bool good =
        variant->is_tested
            ? add_tally(told, &variant->all) && json_tree_count(told, "operators", variant->reached) &&
                  json_tree_count(told, "of", test->options.line ? 1 : test->family_count)
            : json_tree_text(told, "not tested", variant->unusable[0] ? variant->unusable : "not asked for");
    return good && (!variant->is_own || json_tree_add(told, "chosen", json_object_new_boolean(1)));
}

static bool add_variants(struct json_object *parent, const struct selftest *test) {
    struct json_object *told = json_tree_object(parent, "variants");
    bool good = true;
    for (size_t i = 0; i < SELFTEST_VARIANTS && good; i++) {
        good = add_variant(told, test, &test->variants[i]);
    }
    return good;
}

/* An operator, by variant; of those that no case came to there is nothing. */
static bool add_operator(struct json_object *parent, const struct selftest *test, size_t family) {
    const char *name = vkdmlGetOperatorName(case_families[family]->type) + strlen("DML_OPERATOR_");
    struct json_object *told = json_tree_object(parent, name);
    bool good = told != NULL;
    for (size_t i = 0; i < SELFTEST_VARIANTS && good; i++) {
        const struct selftest_variant *variant = &test->variants[i];
        const struct selftest_tally *tally = &variant->tallies[family];
        if (variant->is_tested && tally->passed + tally->failed + tally->skipped > 0) {
            good = add_tally(json_tree_object(told, selftest_variant_name(variant->variant)), tally);
        }
    }
    return good;
}

static bool add_operators(struct json_object *parent, const struct selftest *test) {
    struct json_object *told = json_tree_object(parent, "operators");
    bool good = told != NULL;
    for (size_t f = 0; f < case_family_count && good; f++) {
        good = !selftest_wants(test, case_families[f]) || add_operator(told, test, f);
    }
    return good;
}

/* How a case is run again. */
static bool add_command(struct json_object *told, const char *name, const char *before, const char *variant,
                        const char *after, const char *line) {
    char text[CASE_MAX_LINE + 128];
    snprintf(text, sizeof(text), "%s%s%s --case '%s'", before, variant, after, line);
    return json_tree_text(told, name, text);
}

static bool add_failure(struct json_object *parent, const struct selftest_failure *failure) {
    const char *line = failure->line ? failure->line : "(memory was out)";
    const char *variant = selftest_variant_name(failure->variant);
    struct json_object *told = json_tree_object(parent, NULL);
    return json_tree_text(told, "variant", variant) && json_tree_text(told, "case", line) &&
           json_tree_text(told, "what", failure->text) &&
           add_command(told, "again", "vkdml selftest --variant ", variant, "", line) &&
           add_command(told, "or", "VKDML_KERNEL_VARIANT=", variant, " test_differential", line);
}

static bool add_failures(struct json_object *parent, const struct selftest *test) {
    struct json_object *told = json_tree_array(parent, "failures");
    bool good = told != NULL;
    for (uint32_t i = 0; i < test->failure_count && i < SELFTEST_MAX_FAILURES && good; i++) {
        good = add_failure(told, &test->failures[i]);
    }
    return good;
}

static bool add_result(struct json_object *parent, const struct selftest *test) {
    struct json_object *told = json_tree_object(parent, "result");
    struct selftest_tally all = {0};
    char verdict[SELFTEST_VERDICT_SIZE];
    for (size_t i = 0; i < SELFTEST_VARIANTS; i++) {
        all.passed += test->variants[i].all.passed;
        all.failed += test->variants[i].all.failed;
        all.skipped += test->variants[i].all.skipped;
    }
    return json_tree_text(told, "verdict", selftest_verdict(test, verdict)) &&
           json_tree_count(told, "passed", all.passed) && json_tree_count(told, "failed", all.failed) &&
           json_tree_count(told, "skipped", all.skipped) &&
           json_tree_count(told, "not reached", selftest_missing(test)) &&
           (!test->stopped[0] || json_tree_text(told, "stopped", test->stopped)) &&
           (!test->interrupted || json_tree_add(told, "interrupted", json_object_new_boolean(1)));
}

struct json_object *selftest_report(struct selftest *test) {
    struct json_object *told = json_object_new_object();
    const bool good = json_tree_text(told, "vkdml", vkdmlGetVersionString()) &&
                      selftest_add_device(told, &test->probe) && json_tree_text(told, "library", test->log) &&
                      (test->stopped[0] ? json_tree_text(told, "floats observed", "not asked: the device is lost")
                                        : selftest_add_floats(told, &test->probe)) &&
                      json_tree_count(told, "seed", test->options.seed) &&
                      json_tree_number(told, "seconds", test->spent) && add_variants(told, test) &&
                      (test->options.line || add_operators(told, test)) && add_failures(told, test) &&
                      add_result(told, test);
    if (!good) {
        json_object_put(told);
        told = NULL;
    }
    return told;
}

/* ---- for people ---- */

/* Objects of so many members at most, within others, are a line. */
#define INLINE_MEMBERS 4

static void print_indented(FILE *file, const char *text, int indent) {
    for (const char *c = text; *c; c++) {
        fputc(*c, file);
        if (*c == '\n') {
            fprintf(file, "%*s", indent, "");
        }
    }
}

static void print_inline(FILE *file, struct json_object *value) {
    const char *separator = "";
    if (json_object_is_type(value, json_type_array)) {
        fputs(json_object_array_length(value) == 0 ? "none" : "", file);
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            fprintf(file, "%s%s", i ? " " : "", json_object_get_string(json_object_array_get_idx(value, i)));
        }
    } else if (json_object_is_type(value, json_type_object)) {
        fputs(json_object_object_length(value) == 0 ? "not reached" : "", file);
        json_object_object_foreach(value, name, member) {
            const bool nested = json_object_is_type(member, json_type_object);
            const bool counts = json_object_is_type(member, json_type_int);
            fprintf(file, "%s%s%s ", separator, name, counts ? "" : ":");
            print_inline(file, member);
            separator = nested ? "; " : ", ";
        }
    } else {
        fputs(json_object_get_string(value), file);
    }
}

static void print_members(FILE *file, struct json_object *object, int depth);

static void print_member(FILE *file, const char *name, struct json_object *value, int depth) {
    fprintf(file, "%*s%s:", 2 * depth, "", name);
    if (json_object_is_type(value, json_type_array) && json_object_array_length(value) > 0 &&
        json_object_is_type(json_object_array_get_idx(value, 0), json_type_object)) {
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            fprintf(file, "\n%*s%zu.\n", 2 * (depth + 1), "", i + 1);
            print_members(file, json_object_array_get_idx(value, i), depth + 2);
        }
        return;
    }
    if (json_object_is_type(value, json_type_object) &&
        (depth == 0 || json_object_object_length(value) > INLINE_MEMBERS)) {
        fputc('\n', file);
        print_members(file, value, depth + 1);
        return;
    }
    fputc(' ', file);
    if (json_object_is_type(value, json_type_string)) {
        print_indented(file, json_object_get_string(value), 2 * depth + 4);
    } else {
        print_inline(file, value);
    }
    fputc('\n', file);
}

static void print_members(FILE *file, struct json_object *object, int depth) {
    json_object_object_foreach(object, name, value) {
        print_member(file, name, value, depth);
    }
}

void selftest_print_report(FILE *file, struct json_object *report) {
    fputs("vkdml selftest: every operator of this device and driver, held to the reference\n\n", file);
    print_members(file, report, 0);
}
