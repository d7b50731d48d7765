#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vkdml/schema.h>

#include "base/operator_names.h"
#include "commands.h"
#include "model/element.h"

enum { OPTION_NAMES = OPTION_KEY_FIRST };

static const struct option_row options[] = {
    {'l', "level", .alias = "dml_feature_level", .argument = "L", .kind = ARGUMENT_LEVEL,
     .text = "what feature level L has, e.g. 5_0 (all levels, side by side)"},
    {OPTION_NAMES, "names", .text = "print names alone, a line each"},
    {0},
};

/* What a command line asks for. */
struct request {
    DML_FEATURE_LEVEL level;
    bool only_names;
    char **names; /* of operators; none: all */
    int name_count;
};

static bool apply_option(int key, const char *argument, void *context) {
    struct request *request = context;
    if (key == OPTION_NAMES) {
        return request->only_names = true;
    }
    request->level = command_feature_level(argument);
    return request->level != 0;
}

static void print_support(const VkdmlTensorSupport *support) {
    printf("    %s: ", vkdmlGetFeatureLevelName(support->level));
    if (support->minDimensionCount == support->maxDimensionCount) {
        printf("%u dimensions,", support->minDimensionCount);
    } else {
        printf("%u to %u dimensions,", support->minDimensionCount, support->maxDimensionCount);
    }
    for (int type = DML_TENSOR_DATA_TYPE_UNKNOWN; type <= DML_TENSOR_DATA_TYPE_INT4; type++) {
        if (support->dataTypes & (uint32_t)1 << type) {
            printf(" %s", element_type_name((DML_TENSOR_DATA_TYPE)type));
        }
    }
    putchar('\n');
}

static void print_tensor(const VkdmlFieldSchema *field, DML_FEATURE_LEVEL level) {
    printf("  %s (%s%s", field->name, field->kind == VKDML_FIELD_KIND_INPUT_TENSOR ? "input" : "output",
           field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY ? "s" : "");
    if (field->optional) {
        printf(field->optionalSince ? ", optional since %s" : ", optional",
               vkdmlGetFeatureLevelName(field->optionalSince));
    }
    printf(")\n");
    for (uint32_t i = 0; i < field->supportCount; i++) {
        if (!level) {
            print_support(&field->support[i]);
        } else if (field->support[i].level <= level) {
            print_support(&field->support[i]);
            return;
        }
    }
}

/* "DML_OPERATOR_ACTIVATION_TANH (since 1_0, to fuse since 1_0, ULP(2))" */
static void print_operator(const VkdmlOperatorSchema *schema) {
    const VkdmlAccuracy *accuracy = &schema->accuracy;
    printf("%s (since %s, ", schema->name, vkdmlGetFeatureLevelName(schema->introduced));
    if (schema->fusableSince) {
        printf("to fuse since %s%s%s, ", vkdmlGetFeatureLevelName(schema->fusableSince),
               schema->fusableInto ? " into " : "",
               schema->fusableInto ? operator_names_short(vkdmlGetOperatorName(schema->fusableInto)) : "");
    }
    switch (accuracy->kind) {
    case VKDML_ACCURACY_EXACT:
        printf("EXACT)\n");
        break;
    case VKDML_ACCURACY_ULP:
        printf("ULP(%u))\n", accuracy->ulp);
        break;
    case VKDML_ACCURACY_SUM:
        printf("SUM: %s)\n", accuracy->what);
        break;
    }
}

static int by_name(const void *left, const void *right) {
    const VkdmlOperatorSchema *const *a = left;
    const VkdmlOperatorSchema *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static bool is_wanted(const VkdmlOperatorSchema *schema, const struct request *request) {
    bool wanted = request->name_count == 0;
    for (int i = 0; i < request->name_count && !wanted; i++) {
        wanted = operator_names_equal(request->names[i], schema->name);
    }
    return wanted && (!request->level || schema->introduced <= request->level);
}

static bool names_are_known(const struct request *request) {
    bool known = true;
    for (int i = 0; i < request->name_count; i++) {
        known = operator_names_find(subcommand_operators.name, request->names[i]) != NULL && known;
    }
    return known;
}

static void print_with_tensors(const VkdmlOperatorSchema *schema, DML_FEATURE_LEVEL level) {
    print_operator(schema);
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (schema->fields[i].kind != VKDML_FIELD_KIND_ATTRIBUTE) {
            print_tensor(&schema->fields[i], level);
        }
    }
}

static int print_operators(const struct request *request) {
    uint32_t count = vkdmlGetOperatorSchemaCount();
    const VkdmlOperatorSchema **schemas = calloc(count + 1, sizeof(const VkdmlOperatorSchema *));
    if (!schemas) {
        fprintf(stderr, "vkdml: out of memory\n");
        return EXIT_FAILURE;
    }
    for (uint32_t i = 0; i < count; i++) {
        schemas[i] = vkdmlGetOperatorSchemaAt(i);
    }
    qsort(schemas, count, sizeof(const VkdmlOperatorSchema *), by_name);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_wanted(schemas[i], request)) {
            continue;
        }
        if (request->only_names) {
            puts(operator_names_short(schemas[i]->name));
        } else {
            print_with_tensors(schemas[i], request->level);
        }
    }
    free(schemas);
    return EXIT_SUCCESS;
}

static int run(int argc, char **argv) {
    struct request request = {0};
    int first;
    const int status = command_line_read(&subcommand_operators, argc, argv, &request, &first);
    if (status != COMMAND_LINE_GO_ON) {
        return status;
    }
    request.names = argv + first;
    request.name_count = argc - first;
    return names_are_known(&request) ? print_operators(&request) : EXIT_USAGE;
}

const struct subcommand subcommand_operators = {
    .name = "operators",
    .operands = "[NAME]..",
    .operands_most = UINT_MAX,
    .kind = ARGUMENT_OPERATOR,
    .summary = "lists the implemented operators",
    .description =
        "Lists the implemented operators, or those named in any case, with the dimension counts and data types of "
        "their tensors by feature level.\n"
        "EXACT: results are the CPU reference's, bit for bit, on every device. ULP(n): so they are, and FLOAT32 "
        "results are within n units in the last place of the exact value, FLOAT16 results within 1. SUM: "
        "results are within the bound.",
    .options = options,
    .apply = apply_option,
    .run = run,
};
