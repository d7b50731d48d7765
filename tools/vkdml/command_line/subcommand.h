/* What a subcommand is. Its help, its part of the man page and its completion are made of this, and its command line is
 * read by it. */
#ifndef SUBCOMMAND_H
#define SUBCOMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The exit status where a command line is wrong, and where nothing failed but time was up before all was done.
 * EXIT_SUCCESS and EXIT_FAILURE are 0 and 1. */
#define EXIT_USAGE      2
#define EXIT_INCOMPLETE 3

/* What completion offers where an argument is due. Of an argument with alternatives ("none|uav") it offers those. */
enum argument_kind {
    ARGUMENT_TEXT,     /* nothing: a number, a name of the user's */
    ARGUMENT_FILE,     /* any file */
    ARGUMENT_MODEL,    /* .json files */
    ARGUMENT_FOLDER,   /* folders */
    ARGUMENT_DEVICE,   /* what `vkdml devices` lists */
    ARGUMENT_LEVEL,    /* feature levels */
    ARGUMENT_OPERATOR, /* what `vkdml operators` lists */
    ARGUMENT_COMMAND,  /* subcommands */
    ARGUMENT_PROGRAM,  /* programs and files: a command line of its own */
};

/* Keys of options without a letter begin here. */
#define OPTION_KEY_FIRST 256

/* What becomes of an option. */
enum option_effect {
    OPTION_APPLIED, /* apply() is asked */
    OPTION_SETS,    /* a bool of the request is true */
    OPTION_KEEPS,   /* its argument is kept in the request, a const char * */
};

/* Of an option's row: the latter two, of a member of the request. */
#define SETS(type, member)  .effect = OPTION_SETS, .place = offsetof(type, member)
#define KEEPS(type, member) .effect = OPTION_KEEPS, .place = offsetof(type, member)

/* An option. In long names '-' and '_' are the same. `--help` is every subcommand's and in no table. */
struct option_row {
    int key;          /* what apply() gets: the option's letter, or a number from OPTION_KEY_FIRST on; 0 ends a table */
    const char *name; /* the long name */
    const char *alias;    /* a second one, or NULL */
    const char *argument; /* what the help calls it, or, in small letters, what it can be: "none|uav"; NULL: none */
    enum argument_kind kind;
    const char *text;    /* what it does; `quoted` words are literal */
    const char *refusal; /* of an option that others have and vkdml does not: why not. In no help and no completion */
    enum option_effect effect;
    size_t place; /* in the request, of an effect there */
};

/* Of a subcommand: it has one operand, which is of a kind. */
#define ONE_OPERAND(text, of_kind) .operands = (text), .operands_least = 1, .operands_most = 1, .kind = (of_kind)

struct subcommand {
    const char *name;
    const char *operands;             /* after the options in the usage line; NULL: none */
    unsigned operands_least;          /* how many there must be */
    unsigned operands_most;           /* how many there may be */
    enum argument_kind kind;          /* of the operands */
    bool stops_at_operand;            /* what comes after the first operand is no option of the subcommand */
    const char *summary;              /* a line: "runs a model" */
    const char *description;          /* paragraphs, with a newline between two; ends without one */
    const struct option_row *options; /* NULL: none but --help */
    /* Takes an option that has no effect of its own into what run() gave to command_line_read(). False, with the reason
     * on stderr, where its argument is wrong. NULL: there are none. */
    bool (*apply)(int key, const char *argument, void *request);
    /* argv[0] is the subcommand's name. Returns the exit status. */
    int (*run)(int argc, char **argv);
};

#endif
