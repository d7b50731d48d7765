#include "command_line/help.h"

#include <stdio.h>
#include <string.h>

#include <vkdml/result.h>
#include <vkdml/schema.h>

#include "base/json_tree.h"
#include "base/message.h"
#include "command_line/levels.h"

/* Columns of the page, and where the text beside options begins. */
#define PAGE_WIDTH  100
#define TEXT_COLUMN 32

/* Text from a column on, broken between words, and a newline at its end; the cursor is in `column`. */
static void print_wrapped(const char *text, size_t indent, size_t column) {
    const char *at = text;
    while (*at != '\0') {
        const size_t word = strcspn(at, " \n");
        if (column > indent && column + 1 + word > PAGE_WIDTH) {
            putchar('\n');
            column = 0;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        for (; column < indent; column++) {
            putchar(' ');
        }
        fwrite(at, 1, word, stdout);
        column += word;
        at += word;
        if (*at == '\n') {
            putchar('\n');
            column = 0;
        }
        at += *at != '\0';
    }
    putchar('\n');
}

/* "  -a, --adapter, --device TEXT" */
static void print_option(const struct option_row *row) {
    char left[128], letter[8] = "    ";
    if (row->key < OPTION_KEY_FIRST) {
        snprintf(letter, sizeof(letter), "-%c, ", row->key);
    }
    int width = snprintf(left, sizeof(left), "  %s--%s%s%s%s%s", letter, row->name, row->alias ? ", --" : "",
                         row->alias ? row->alias : "", row->argument ? " " : "", row->argument ? row->argument : "");
    fputs(left, stdout);
    if (width + 1 >= TEXT_COLUMN) {
        putchar('\n');
        width = 0;
    }
    for (; width < TEXT_COLUMN; width++) {
        putchar(' ');
    }
    print_wrapped(row->text, TEXT_COLUMN, TEXT_COLUMN);
}

void help_print(const struct subcommand *subcommand) {
    static const struct option_row help = {.key = 'h', .name = "help", .text = "print this and exit"};
    printf("Usage: vkdml %s [OPTION]..%s%s\n\n", subcommand->name, subcommand->operands ? " " : "",
           subcommand->operands ? subcommand->operands : "");
    print_wrapped(subcommand->description, 0, 0);
    putchar('\n');
    for (const struct option_row *row = subcommand->options; row && row->key; row++) {
        if (!row->refusal) {
            print_option(row);
        }
    }
    print_option(&help);
    puts("\nExits with 0, with 1 where something failed, and with 2 where the command line is wrong.");
}

/* By argument_kind. */
static const char *const kind_names[] = {
    [ARGUMENT_TEXT] = "text",       [ARGUMENT_FILE] = "file",         [ARGUMENT_MODEL] = "model",
    [ARGUMENT_FOLDER] = "folder",   [ARGUMENT_DEVICE] = "device",     [ARGUMENT_LEVEL] = "level",
    [ARGUMENT_COMMAND] = "command", [ARGUMENT_OPERATOR] = "operator", [ARGUMENT_PROGRAM] = "program",
};

/* Nothing for NULL; false where memory is out. */
static bool add_text(struct json_object *object, const char *name, const char *text) {
    return !text || json_tree_text(object, name, text);
}

static bool add_option(struct json_object *array, const struct option_row *row) {
    struct json_object *object = json_tree_object(array, NULL);
    const char letter[] = {row->key < OPTION_KEY_FIRST ? (char)row->key : '\0', '\0'};
    return object && add_text(object, "letter", row->key < OPTION_KEY_FIRST ? letter : NULL) &&
           add_text(object, "name", row->name) && add_text(object, "alias", row->alias) &&
           add_text(object, "argument", row->argument) &&
           add_text(object, "kind", row->argument ? kind_names[row->kind] : NULL) &&
           add_text(object, "text", row->text) && add_text(object, "refusal", row->refusal);
}

static bool add_subcommand(struct json_object *array, const struct subcommand *subcommand) {
    static const struct option_row help = {.key = 'h', .name = "help", .text = "print the help and exit"};
    struct json_object *object = json_tree_object(array, NULL);
    bool good =
        object && add_text(object, "name", subcommand->name) && add_text(object, "operands", subcommand->operands) &&
        add_text(object, "kind", subcommand->operands ? kind_names[subcommand->kind] : NULL) &&
        add_text(object, "summary", subcommand->summary) && add_text(object, "description", subcommand->description);
    struct json_object *options = good ? json_tree_array(object, "options") : NULL;
    good = options != NULL;
    for (const struct option_row *row = subcommand->options; good && row && row->key; row++) {
        good = add_option(options, row);
    }
    return good && add_option(options, &help);
}

static bool add_levels(struct json_object *array) {
    bool good = array != NULL;
    for (DML_FEATURE_LEVEL level = levels_next((DML_FEATURE_LEVEL)0); good && level; level = levels_next(level)) {
        good = json_tree_text(array, NULL, vkdmlGetFeatureLevelName(level));
    }
    return good;
}

bool help_print_json(const struct subcommand *const *subcommands, size_t count) {
    struct json_object *root = json_object_new_object();
    bool good =
        root && add_text(root, "version", vkdmlGetVersionString()) && add_levels(json_tree_array(root, "levels"));
    struct json_object *array = good ? json_tree_array(root, "commands") : NULL;
    good = array != NULL;
    for (size_t i = 0; good && i < count; i++) {
        good = add_subcommand(array, subcommands[i]);
    }
    good = good && json_tree_print(root);
    if (!good) {
        message_print("vkdml: out of memory");
    }
    json_object_put(root);
    return good;
}
