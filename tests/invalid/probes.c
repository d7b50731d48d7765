#include "probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators/operators.h"

enum phase phase;

/* Where the table's rules begin and end: the linker puts it before the library's (--wrap). */
void __real_vkdml_schema_check(const struct vkdml_instance *instance, struct vkdml_report *report);
void __wrap_vkdml_schema_check(const struct vkdml_instance *instance, struct vkdml_report *report);

void __wrap_vkdml_schema_check(const struct vkdml_instance *instance, struct vkdml_report *report) {
    phase = PHASE_TABLE;
    __real_vkdml_schema_check(instance, report);
    phase = PHASE_RULES;
}

/* As vkdml_validate() does it. */
void validate(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, bool stops, struct outcome *outcome) {
    struct vkdml_instance *instance = NULL;
    vkdml_report_clear(&outcome->report);
    phase = PHASE_READING;
    outcome->was_read = vkdml_instance_create(desc, level, NULL, &outcome->report, &instance) == VKDML_SUCCESS;
    if (outcome->was_read && !stops) {
        outcome->report.context = instance->schema->name;
        vkdml_check_instance(instance, &outcome->report);
    }
    vkdml_instance_destroy(instance, NULL);
}

static struct probe *add(struct probes *probes, const char *reason) {
    if (probes->count == probes->room) {
        probes->room = probes->room * 2 + 64;
        probes->items = realloc(probes->items, probes->room * sizeof(probes->items[0]));
        if (probes->items == NULL) {
            abort();
        }
    }
    struct probe *probe = &probes->items[probes->count++];
    *probe = (struct probe){.reason = reason};
    return probe;
}

/* Sees that the test that has it passes. */
static void settle(struct probe *probe, const char *name) {
    struct outcome outcome;
    validate(probe->desc, probe->level, false, &outcome);
    probe->is_readable = outcome.was_read;
    if (strcmp(outcome.report.text, probe->reason) != 0) {
        fprintf(stderr, "%s\nis to be told: %s\nand is: %s\n", name, probe->reason, outcome.report.text);
        exit(1);
    }
}

void probes_add_case(struct probes *probes, const char *line, const char *reason) {
    static struct operator_case c;
    char error[256];
    struct probe *probe = add(probes, reason);
    probe->case_desc = malloc(sizeof(*probe->case_desc));
    if (probe->case_desc == NULL || !case_parse(line, &c, error, sizeof(error))) {
        fprintf(stderr, "%s: %s\n", line, error);
        exit(1);
    }
    case_build_desc(&c, probe->case_desc);
    probe->desc = &probe->case_desc->op;
    probe->level = c.level;
    settle(probe, line);
}

void probes_add_sample(struct probes *probes, DML_OPERATOR_TYPE type, void (*edit)(struct sample *s),
                       const char *reason) {
    struct probe *probe = add(probes, reason);
    probe->sample = malloc(sizeof(*probe->sample));
    if (probe->sample == NULL) {
        abort();
    }
    sample_init(probe->sample, type);
    edit(probe->sample);
    probe->desc = &probe->sample->op;
    probe->level = probe->sample->level;
    settle(probe, reason);
}

void probes_free(struct probes *probes) {
    for (size_t i = 0; i < probes->count; i++) {
        free(probes->items[i].case_desc);
        free(probes->items[i].sample);
    }
    free(probes->items);
}

static bool notices(const struct probe *probe) {
    static struct outcome outcome;
    validate(probe->desc, probe->level, !probe->is_readable, &outcome);
    return outcome.was_read != probe->is_readable || strcmp(outcome.report.text, probe->reason) != 0;
}

bool probes_notice(const struct probes *probes, DML_OPERATOR_TYPE type) {
    for (size_t i = 0; i < probes->count; i++) {
        const struct probe *probe = &probes->items[i];
        if ((type == DML_OPERATOR_INVALID || probe->desc->Type == type) && notices(probe)) {
            return true;
        }
    }
    return false;
}
