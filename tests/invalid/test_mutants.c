/* Takes one constraint after another away, each entry of the table's rows and each refusal of the operators' rules, and
 * sees that a test of refusals notices. Which refusals an operator makes is found on neighbours of its cases.
 *
 * test_mutants REFUSED.TXT SURVIVORS.TXT [--suggest] [--operator NAME]
 * SURVIVORS.TXT lists what no test notices, with the reason: "NAME -- WHY". --suggest prints cases for REFUSED.TXT that
 * would notice, for a person to judge. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documented.h"
#include "mutants.h"
#include "neighbours.h"
#include "probes.h"
#include "refusals.h"
#include "refused_file.h"

/* ---- lists of texts ---- */

struct texts {
    char **items;
    size_t count;
    size_t room;
};

static bool has_text(const struct texts *texts, const char *text) {
    for (size_t i = 0; i < texts->count; i++) {
        if (strcmp(texts->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static const char *add_text(struct texts *texts, const char *text) {
    if (texts->count == texts->room) {
        texts->room = texts->room * 2 + 32;
        texts->items = realloc(texts->items, texts->room * sizeof(texts->items[0]));
    }
    char *copy = malloc(strlen(text) + 1);
    if (texts->items == NULL || copy == NULL) {
        abort();
    }
    strcpy(copy, text);
    return texts->items[texts->count++] = copy;
}

static void free_texts(struct texts *texts) {
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->items[i]);
    }
    free(texts->items);
    memset(texts, 0, sizeof(*texts));
}

/* ---- what is tested ---- */

static struct probes probes;
static struct texts suggested; /* lines and reasons that probes point to */
static bool suggests;

static void add_probes(const struct refused_file *file) {
    for (size_t i = 0; i < REFUSAL_COUNT; i++) {
        const char *reason = refusals[i].reason;
        probes_add_sample(&probes, refusals[i].type, refusals[i].edit, reason != NULL ? reason : "");
    }
    for (size_t i = 0; i < case_family_count; i++) {
        for (size_t k = 0; k < case_families[i]->refused_count; k++) {
            probes_add_case(&probes, case_families[i]->refused[k].line, case_families[i]->refused[k].reason);
        }
    }
    for (size_t i = 0; i < file->count; i++) {
        probes_add_case(&probes, file->items[i].line, file->items[i].reason);
    }
}

/* ---- the neighbours of an operator's cases ---- */

#define MOST_CASES     160
#define MOST_FIXED     6
#define MOST_GENERATED 6

static struct operator_case cases[MOST_CASES]; /* of one operator */
static size_t case_count;

/* Leaves out what a descriptor does not say, and what no operator's own rule is of. */
static void make_bare(struct operator_case *c) {
    c->seed = 0;
    c->flags = 0;
    c->execution = 0;
    for (size_t i = 0; i < CASE_MAX_TENSORS; i++) {
        struct case_tensor *tensor = &c->tensors[i];
        tensor->slack = tensor->extra = tensor->align = tensor->offset = tensor->in_place = 0;
        tensor->fill = CASE_FILL_BITS;
        tensor->fill_permille = tensor->value_count = tensor->has_strides = 0;
    }
}

static void collect_line(const char *line) {
    char error[256];
    if (case_count < MOST_CASES && case_parse(line, &cases[case_count], error, sizeof(error))) {
        make_bare(&cases[case_count++]);
    }
}

static void collect_cases(const struct case_family *family, const struct refused_file *file) {
    const char *name = vkdmlGetOperatorName(family->type) + strlen("DML_OPERATOR_");
    const size_t length = strlen(name);
    case_count = 0;
    for (size_t i = 0; i < family->fixed_count && i < MOST_FIXED; i++) {
        collect_line(family->fixed[i]);
    }
    for (uint64_t seed = 1; seed <= MOST_GENERATED; seed++) {
        struct random random = {seed};
        case_begin(&cases[case_count], family->type);
        family->generate(family, &random, &cases[case_count]);
        make_bare(&cases[case_count++]);
    }
    for (size_t i = 0; i < family->refused_count; i++) {
        collect_line(family->refused[i].line);
    }
    for (size_t i = 0; i < file->count; i++) {
        if (strncmp(file->items[i].line, name, length) == 0 && file->items[i].line[length] == ' ') {
            collect_line(file->items[i].line);
        }
    }
}

static void visit_all_neighbours(neighbour_visit *visit, void *context) {
    for (size_t i = 0; i < case_count; i++) {
        visit_neighbours(&cases[i], visit, context);
    }
}

/* ---- suggestions ---- */

struct suggestion {
    bool is_of_row; /* the mutant is a row, and else silence */
    const char *silent;
    bool found;
    size_t lines; /* of the reason */
    char line[CASE_MAX_LINE];
    char reason[VKDML_REPORT_CAPACITY];
};

static size_t count_lines(const char *text) {
    size_t lines = 1;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static void consider(const struct operator_case *c, void *context) {
    static struct case_desc desc;
    static struct outcome whole, changed;
    static char line[CASE_MAX_LINE];
    struct suggestion *suggestion = context;
    case_build_desc(c, &desc);
    if (suggestion->is_of_row) {
        suspend_mutant();
    }
    silence(NULL);
    validate(&desc.op, c->level, false, &whole);
    if (suggestion->is_of_row) {
        resume_mutant();
    }
    silence(suggestion->silent);
    if (whole.report.count == 0 || whole.report.omitted != 0) {
        return;
    }
    validate(&desc.op, c->level, !whole.was_read, &changed);
    const size_t lines = count_lines(whole.report.text);
    if (strcmp(whole.report.text, changed.report.text) == 0 || !case_print(c, line, sizeof(line)) ||
        (suggestion->found &&
         (lines > suggestion->lines || (lines == suggestion->lines && strlen(line) >= strlen(suggestion->line))))) {
        return;
    }
    suggestion->found = true;
    suggestion->lines = lines;
    strcpy(suggestion->line, line);
    strcpy(suggestion->reason, whole.report.text);
}

/* A case without anything but its counts, which says what must not be NULL. */
static void visit_empty(DML_OPERATOR_TYPE type, neighbour_visit *visit, void *context) {
    static struct operator_case c;
    case_begin(&c, type);
    for (uint32_t i = 0; i < c.schema->fieldCount; i++) {
        const uint32_t count = c.schema->fields[i].countField;
        if (count != VKDML_NONE) {
            c.fields[count].present = 1;
            c.fields[count].words[0] = 1;
        }
    }
    visit(&c, context);
}

/* As one writes a case: without what is left out where it is 0. */
static void shorten(char *line) {
    char *end = line;
    for (const char *word = line; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        const char *fill = strstr(word, ".fill=BITS");
        const bool is_kept = strncmp(word, "seed=0", length) != 0 && (fill == NULL || fill > word + length);
        if (is_kept) {
            if (end != line) {
                *end++ = ' ';
            }
            memmove(end, word, length);
            end += length;
        }
        word += length + (word[length] == ' ');
    }
    *end = '\0';
}

/* Prints a case that notices and lets the others of its operator be judged by it, too. */
static void suggest(const char *name, DML_OPERATOR_TYPE type, const char *silent) {
    static struct suggestion suggestion;
    suggestion = (struct suggestion){.is_of_row = silent == NULL, .silent = silent};
    visit_empty(type, consider, &suggestion);
    if (!suggestion.found) {
        visit_all_neighbours(consider, &suggestion);
    }
    if (!suggestion.found) {
        fprintf(stderr, "no neighbour notices: %s\n", name);
        return;
    }
    if (suggestion.is_of_row) {
        suspend_mutant();
    }
    silence(NULL);
    shorten(suggestion.line);
    puts(suggestion.line);
    for (const char *reason = suggestion.reason; *reason != '\0';) {
        const size_t length = strcspn(reason, "\n");
        const size_t prefix = strlen(vkdmlGetOperatorName(type)) + 2;
        printf("    %.*s\n", (int)(length - prefix), reason + prefix);
        reason += length + (reason[length] == '\n');
    }
    probes_add_case(&probes, add_text(&suggested, suggestion.line), add_text(&suggested, suggestion.reason));
    if (suggestion.is_of_row) {
        resume_mutant();
    }
    silence(silent);
}

/* ---- survivors ---- */

static struct texts listed; /* names that may survive */
static struct texts met;    /* of them, those that did */
static uint32_t mutant_count, survivor_count, rule_count;

static void read_survivors(const char *path) {
    char line[2048];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        char *why = strstr(line, " -- ");
        if (line[0] == '#' || line[0] == '\n') {
            continue;
        }
        if (why == NULL) {
            fprintf(stderr, "%s: not \"NAME -- WHY\": %s", path, line);
            exit(2);
        }
        *why = '\0';
        add_text(&listed, line);
    }
    fclose(file);
}

static void judge(const char *name, bool noticed, DML_OPERATOR_TYPE type, const char *silent) {
    mutant_count++;
    if (noticed) {
        return;
    }
    if (has_text(&listed, name)) {
        add_text(&met, name);
        return;
    }
    survivor_count++;
    if (suggests && type != DML_OPERATOR_INVALID) {
        suggest(name, type, silent);
    } else {
        printf("no test notices: %s\n", name);
    }
}

/* ---- rows ---- */

static const struct case_tensor_support *documented(const struct case_family *family, const char *tensor) {
    for (size_t i = 0; i < family->support_count; i++) {
        if (strcmp(family->support[i].tensor, tensor) == 0) {
            return &family->support[i];
        }
    }
    return NULL;
}

/* Whether the documents' tables notice, at the level that the mutant is of. */
static bool documents_notice(const struct mutant *mutant) {
    static struct trial trial;
    struct complaint complaint;
    const struct case_family *family = case_family_of(mutant->type);
    trial_begin(&trial, family, documented(family, mutant->tensor));
    const struct level *level = &levels[level_index(mutant->level)];
    for (uint32_t type = 1; type < TYPE_COUNT; type++) {
        for (uint32_t rank = 1; rank <= DML_TENSOR_DIMENSION_COUNT_MAX1; rank++) {
            if ((mutant->judge == JUDGE_TYPES && type != mutant->data_type) ||
                (mutant->judge == JUDGE_RANKS && rank != mutant->rank)) {
                continue;
            }
            if (!trial_holds(&trial, level, (DML_TENSOR_DATA_TYPE)type, rank, &complaint)) {
                return true;
            }
        }
    }
    return false;
}

/* The level before the one that introduced the operator has it refused. */
static bool level_notices(DML_OPERATOR_TYPE type) {
    struct complaint complaint;
    const struct case_family *family = case_family_of(type);
    return !level_holds(family, &levels[level_index(introduced(family)) - 1], &complaint);
}

static void meet_row(const struct mutant *mutant) {
    switch (mutant->judge) {
    case JUDGE_CASES:
        judge(mutant->name, probes_notice(&probes, mutant->type), mutant->type, NULL);
        break;
    case JUDGE_ALL_CASES:
        judge(mutant->name, probes_notice(&probes, DML_OPERATOR_INVALID), DML_OPERATOR_INVALID, NULL);
        break;
    case JUDGE_LEVEL:
        judge(mutant->name, level_notices(mutant->type), DML_OPERATOR_INVALID, NULL);
        break;
    case JUDGE_TYPES:
    case JUDGE_RANKS:
    case JUDGE_SUPPORT:
        judge(mutant->name, documents_notice(mutant), DML_OPERATOR_INVALID, NULL);
        break;
    }
}

/* ---- refusals ---- */

static struct texts of_rules; /* of one operator */
static struct texts of_all;   /* of what reads descriptors, and of the table */

static void hear_words(const char *words) {
    struct texts *texts = phase == PHASE_RULES ? &of_rules : &of_all;
    if (!has_text(texts, words)) {
        add_text(texts, words);
    }
}

static void hear_neighbour(const struct operator_case *c, void *context) {
    static struct case_desc desc;
    static struct outcome outcome;
    (void)context;
    case_build_desc(c, &desc);
    validate(&desc.op, c->level, false, &outcome);
}

static void judge_silence(const char *operator_name, const char *words, DML_OPERATOR_TYPE type) {
    char name[2048];
    snprintf(name, sizeof(name), "%s: without \"%s\"", operator_name, words);
    silence(words);
    judge(name, probes_notice(&probes, type), type, words);
    silence(NULL);
}

static void judge_rules(const struct case_family *family) {
    hear = hear_words;
    visit_all_neighbours(hear_neighbour, NULL);
    hear = NULL;
    const char *name = vkdmlGetOperatorName(family->type) + strlen("DML_OPERATOR_");
    for (size_t i = 0; i < of_rules.count; i++) {
        judge_silence(name, of_rules.items[i], family->type);
    }
    rule_count += (uint32_t)of_rules.count;
    free_texts(&of_rules);
}

static bool is_wanted(const char *wanted, const struct case_family *family) {
    return wanted == NULL || strcmp(wanted, vkdmlGetOperatorName(family->type) + strlen("DML_OPERATOR_")) == 0;
}

static int usage(void) {
    fprintf(stderr, "test_mutants REFUSED.TXT SURVIVORS.TXT [--suggest] [--operator NAME]\n");
    return 2;
}

int main(int argc, char **argv) {
    const char *wanted = NULL;
    if (argc < 3) {
        return usage();
    }
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--suggest") == 0) {
            suggests = true;
        } else if (strcmp(argv[i], "--operator") == 0 && i + 1 < argc) {
            wanted = argv[++i];
        } else {
            return usage();
        }
    }
    struct refused_file file = refused_file_read(argv[1]);
    read_survivors(argv[2]);
    add_probes(&file);

    for (size_t i = 0; i < case_family_count; i++) {
        if (is_wanted(wanted, case_families[i])) {
            collect_cases(case_families[i], &file);
            for_row_mutants(vkdmlGetOperatorSchema(case_families[i]->type), meet_row);
            judge_rules(case_families[i]);
        }
    }
    for (size_t i = 0; i < of_all.count && wanted == NULL; i++) {
        judge_silence("all", of_all.items[i], DML_OPERATOR_INVALID);
    }
    for (size_t i = 0; i < listed.count && wanted == NULL; i++) {
        if (!has_text(&met, listed.items[i])) {
            printf("listed, but a test notices, or it is not there: %s\n", listed.items[i]);
            survivor_count++;
        }
    }
    fprintf(stderr,
            "%u constraints taken away, %u of them operators' own refusals; %zu listed as not noticed, %u others\n",
            mutant_count, rule_count, met.count, survivor_count);
    free_texts(&of_all);
    free_texts(&listed);
    free_texts(&met);
    probes_free(&probes);
    free_texts(&suggested);
    refused_file_free(&file);
    return survivor_count != 0 || mutant_count == 0 || (wanted == NULL && rule_count == 0);
}
