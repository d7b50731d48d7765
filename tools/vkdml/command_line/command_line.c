#include "command_line/command_line.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "command_line/help.h"
#include "command_line/refusal.h"

/* More options than any subcommand has, with aliases and both spellings, and the longest name. */
#define MAX_NAMES   192
#define NAME_SIZE   40
#define MAX_LETTERS 192

/* A table as getopt_long() wants it. */
struct getopt_table {
    char letters[MAX_LETTERS];
    struct option names[MAX_NAMES + 1];
    size_t name_count;
    char spellings[MAX_NAMES][NAME_SIZE]; /* of names that have a '_', with '-' instead */
    size_t spelling_count;
};

static void add_name(struct getopt_table *table, const char *name, int argument, int key) {
    if (name && table->name_count < MAX_NAMES) {
        table->names[table->name_count++] = (struct option){name, argument, NULL, key};
    }
}

/* A name as it is and with the other of '-' and '_'. */
static void add_spellings(struct getopt_table *table, const char *name, int argument, int key) {
    const bool underscores = name && strchr(name, '_');
    add_name(table, name, argument, key);
    if (name && (underscores || strchr(name, '-')) && table->spelling_count < MAX_NAMES && strlen(name) < NAME_SIZE) {
        char *spelling = table->spellings[table->spelling_count++];
        for (size_t i = 0; name[i] != '\0'; i++) {
            spelling[i] = name[i] != '-' && name[i] != '_' ? name[i] : underscores ? '-' : '_';
        }
        add_name(table, spelling, argument, key);
    }
}

static void fill_table(struct getopt_table *table, const struct subcommand *subcommand) {
    /* ':' makes getopt_long() tell an argument that is missing from an option that is unknown, '+' ends the options at
     * the first operand; 'h' is --help. */
    size_t length =
        (size_t)snprintf(table->letters, sizeof(table->letters), "%s:h", subcommand->stops_at_operand ? "+" : "");
    add_name(table, "help", no_argument, 'h');
    for (const struct option_row *row = subcommand->options; row && row->key; row++) {
        /* Whatever stands behind a refused option, it is refused. */
        const int argument = row->refusal ? optional_argument : row->argument ? required_argument : no_argument;
        add_spellings(table, row->name, argument, row->key);
        add_spellings(table, row->alias, argument, row->key);
        if (row->key < OPTION_KEY_FIRST && length + 4 < sizeof(table->letters)) {
            length += (size_t)snprintf(table->letters + length, sizeof(table->letters) - length, "%c%s", row->key,
                                       argument == required_argument   ? ":"
                                       : argument == optional_argument ? "::"
                                                                       : "");
        }
    }
}

static const struct option_row *find_row(const struct subcommand *subcommand, int key) {
    for (const struct option_row *row = subcommand->options; row && row->key; row++) {
        if (row->key == key) {
            return row;
        }
    }
    return NULL;
}

static int wrong(const struct subcommand *subcommand) {
    fprintf(stderr, "(`vkdml %s --help` tells more)\n", subcommand->name);
    return EXIT_USAGE;
}

/* What getopt_long() did not take: `letter` of a short option, or 0, then it is `word`. */
static int tell_unknown(const struct subcommand *subcommand, int letter, const char *word) {
    const struct option_row *row = letter ? find_row(subcommand, letter) : NULL;
    if (row || letter == 'h') {
        /* It takes no argument, but `--name=argument` gave one. */
        fprintf(stderr, "vkdml %s: --%s takes no argument ", subcommand->name, row ? row->name : "help");
        return wrong(subcommand);
    }
    if (letter) {
        fprintf(stderr, "vkdml %s: there is no option -%c ", subcommand->name, letter);
        return wrong(subcommand);
    }
    char name[NAME_SIZE], hint[SUGGEST_SIZE];
    const size_t length = strcspn(word + 2, "=");
    snprintf(name, sizeof(name), "%.*s", (int)length, word + 2);
    struct suggest suggest = suggest_begin(name);
    for (const struct option_row *option = subcommand->options; option && option->key; option++) {
        if (!option->refusal) {
            suggest_consider(&suggest, option->name);
        }
        if (!option->refusal && option->alias) {
            suggest_consider(&suggest, option->alias);
        }
    }
    fprintf(stderr, "vkdml %s: there is no option --%.*s%s ", subcommand->name, (int)length, word + 2,
            suggest_hint(&suggest, hint));
    return wrong(subcommand);
}

/* What stands for any text is in capitals; others are what they say. */
static bool has_alternatives(const struct option_row *row) {
    return row->argument && (strchr(row->argument, '|') || islower((unsigned char)row->argument[0]));
}

/* Whether the argument is one of "none|uav". */
static bool is_alternative(const char *alternatives, const char *argument) {
    const size_t length = strlen(argument);
    for (const char *at = alternatives; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        if (strcspn(at, "|") == length && strncmp(at, argument, length) == 0) {
            return true;
        }
    }
    return false;
}

static void take_effect(const struct option_row *row, const char *argument, void *request) {
    const bool is_set = true;
    void *const place = (unsigned char *)request + row->place;
    if (row->effect == OPTION_SETS) {
        memcpy(place, &is_set, sizeof(is_set));
    } else {
        memcpy(place, &argument, sizeof(const char *));
    }
}

/* Takes one option; COMMAND_LINE_GO_ON where it is good. */
static int take(const struct subcommand *subcommand, const struct option_row *row, const char *argument,
                void *request) {
    if (row->refusal) {
        fprintf(stderr, "vkdml %s: --%s is refused: %s\n", subcommand->name, row->name, row->refusal);
        return EXIT_USAGE;
    }
    if (has_alternatives(row) && !is_alternative(row->argument, argument)) {
        fprintf(stderr, "vkdml %s: --%s is '%s', must be %s%s\n", subcommand->name, row->name, argument,
                strchr(row->argument, '|') ? "one of " : "", row->argument);
        return EXIT_USAGE;
    }
    refusal_of(subcommand->name, row->name);
    if (row->effect != OPTION_APPLIED) {
        take_effect(row, argument, request);
        return COMMAND_LINE_GO_ON;
    }
    return subcommand->apply(row->key, argument, request) ? COMMAND_LINE_GO_ON : EXIT_USAGE;
}

static int check_operands(const struct subcommand *subcommand, int count, char **operands) {
    if (count < (int)subcommand->operands_least) {
        fprintf(stderr, "vkdml %s: %s is missing ", subcommand->name, subcommand->operands);
        return wrong(subcommand);
    }
    if (count > 0 && (unsigned)count > subcommand->operands_most) {
        fprintf(stderr, "vkdml %s: what is '%s'? ", subcommand->name, operands[subcommand->operands_most]);
        return wrong(subcommand);
    }
    return COMMAND_LINE_GO_ON;
}

int command_line_read(const struct subcommand *subcommand, int argc, char **argv, void *request, int *first) {
    /* Static: names point into it, and there is one command line. */
    static struct getopt_table table;
    int key, status = COMMAND_LINE_GO_ON;
    bool help = false;
    table = (struct getopt_table){0};
    fill_table(&table, subcommand);
    opterr = 0; /* what is wrong is told here */
    while (status == COMMAND_LINE_GO_ON && (key = getopt_long(argc, argv, table.letters, table.names, NULL)) != -1) {
        const char *word = argv[optind - 1];
        const struct option_row *row = find_row(subcommand, key);
        if (key == ':') {
            fprintf(stderr, "vkdml %s: what is the argument of %s? ", subcommand->name, word);
            status = wrong(subcommand);
        } else if (key == '?') {
            status = tell_unknown(subcommand, optopt, word);
        } else if (row) {
            status = take(subcommand, row, optarg, request);
        } else {
            help = true; /* 'h' is in no table */
        }
    }
    *first = optind;
    if (status == COMMAND_LINE_GO_ON && help) {
        help_print(subcommand);
        return EXIT_SUCCESS;
    }
    return status == COMMAND_LINE_GO_ON ? check_operands(subcommand, argc - optind, argv + optind) : status;
}

bool command_line_number(const char *argument, uint32_t minimum, uint32_t maximum, uint32_t *number) {
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(argument, &end, 10);
    if (end == argument || *end || strchr(argument, '-') || errno || value < minimum || value > maximum) {
        return refusal_tell("'%s' must be a whole number from %u to %u", argument, minimum, maximum);
    }
    *number = (uint32_t)value;
    return true;
}
