/* vkdml template: a model of one operator, to fill in. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vkdml/schema.h>

#include "base/operator_names.h"
#include "commands.h"
#include "model/element.h"
#include "template_values.h"

/* What is written about one operator. */
struct template {
    const VkdmlOperatorSchema *schema;
    DML_TENSOR_DATA_TYPE *types; /* of tensor fields, by field */
    char name[64];               /* of the dispatchable */
};

static bool is_tensor(const VkdmlFieldSchema *field) {
    return field->kind != VKDML_FIELD_KIND_ATTRIBUTE;
}

/* ---- values ---- */

/* FLOAT32 where it may be, else the first of these that may. */
static DML_TENSOR_DATA_TYPE first_type(const VkdmlFieldSchema *field) {
    static const DML_TENSOR_DATA_TYPE order[] = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_UINT8,
                                                 DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_INT32};
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (field->support[0].dataTypes >> order[i] & 1) {
            return order[i];
        }
    }
    return DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static DML_TENSOR_DATA_TYPE pick_type(const struct template *template, const VkdmlFieldSchema *field) {
    const struct template_value *row = template_value_find(template->schema, field);
    char name[32] = {0};
    DML_TENSOR_DATA_TYPE type;
    if (row && sscanf(row->value, "%31[A-Z0-9]", name) == 1 && element_type_from_name(name, &type)) {
        return type;
    }
    for (uint32_t i = 0; i < field->agreementCount; i++) {
        const VkdmlAgreement *agreement = &field->agreements[i];
        /* An array's tensors may have to agree with each other, so that the field is its own. */
        const bool is_earlier = agreement->field < (uint32_t)(field - template->schema->fields);
        if ((agreement->what & VKDML_AGREE_DATA_TYPE) && is_earlier && agreement->below == 0 &&
            !template->schema->fields[agreement->field].optional) {
            return template->types[agreement->field];
        }
    }
    return first_type(field);
}

static const char *pick_sizes(const struct template *template, const VkdmlFieldSchema *field) {
    const struct template_value *row = template_value_find(template->schema, field);
    if (row) {
        const char *sizes = strchr(row->value, '[');
        return sizes ? sizes : row->value;
    }
    for (uint32_t i = 0; i < field->agreementCount; i++) {
        if (field->agreements[i].what & VKDML_AGREE_ONE_ELEMENT) {
            return "[1, 1, 1, 1]";
        }
    }
    return "[1, 1, 2, 3]";
}

/* How many things an array's text holds: one more than separators outside of brackets. */
static unsigned count_items(const char *text, char separator) {
    unsigned count = 1;
    for (; *text; text++) {
        count += *text == separator;
    }
    return count;
}

static unsigned long count_elements(const char *sizes) {
    unsigned long count = 1;
    for (const char *at = sizes; *at && *at != ']'; at++) {
        if (isdigit((unsigned char)*at)) {
            char *end;
            count *= strtoul(at, &end, 10);
            at = end - 1;
        }
    }
    return count;
}

/* ---- tensors of a field ---- */

/* One tensor: the field's, or one of its array. */
struct template_tensor {
    const VkdmlFieldSchema *field;
    DML_TENSOR_DATA_TYPE type;
    const char *sizes; /* up to its ']' */
    int sizes_length;
    const char *data; /* NULL: any */
    char name[80];    /* of the resource: the field's, of an array's tensors with a number behind */
};

/* How many tensors a field has, and the one at an index. */
static unsigned tensor_count(const struct template *template, const VkdmlFieldSchema *field) {
    const struct template_value *row = template_value_find(template->schema, field);
    return row && field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY ? count_items(row->value, ';') : 1;
}

static struct template_tensor tensor_at(const struct template *template, const VkdmlFieldSchema *field,
                                        unsigned index) {
    const struct template_value *row = template_value_find(template->schema, field);
    const bool is_array = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    struct template_tensor tensor = {.field = field,
                                     .type = template->types[field - template->schema->fields],
                                     .sizes = pick_sizes(template, field),
                                     .data = row ? row->data : NULL};
    const char *text = row && is_array ? row->value : tensor.sizes;
    for (unsigned i = 0; i < index; i++) {
        text = strchr(text, ';') + 2;
    }
    char name[32];
    if (is_array && sscanf(text, "%31[A-Z0-9]", name) == 1) {
        element_type_from_name(name, &tensor.type);
    }
    tensor.sizes = strchr(text, '[');
    tensor.sizes_length = (int)strcspn(tensor.sizes, "]") + 1;
    if (is_array) {
        snprintf(tensor.name, sizeof(tensor.name), "%s%u", field->name, index);
    } else {
        snprintf(tensor.name, sizeof(tensor.name), "%s", field->name);
    }
    return tensor;
}

/* Whether the example leaves a field out. One that may be absent is there where its elements are told. */
static bool is_left_out(const struct template *template, const VkdmlFieldSchema *field) {
    const struct template_value *row = template_value_find(template->schema, field);
    return field->optional && (row == NULL || row->data == NULL);
}

static void print_tensor(const struct template_tensor *tensor) {
    printf("{\"DataType\": \"%s\", \"Sizes\": %.*s}", element_type_name(tensor->type), tensor->sizes_length,
           tensor->sizes);
}

/* ---- resources ---- */

static void print_resource(const struct template_tensor *tensor, bool optional) {
    const unsigned long count = count_elements(tensor->sizes);
    printf("    %s\"%s\": ", optional ? "// " : "", tensor->name);
    if (tensor->field->kind == VKDML_FIELD_KIND_OUTPUT_TENSOR) {
        printf("{\"initialValues\": \"deferred\"},\n");
        return;
    }
    printf("{\"initialValuesDataType\": \"%s\", \"initialValues\": ", element_type_name(tensor->type));
    if (tensor->data) {
        printf("%s},\n", tensor->data);
    } else if (element_is_float(tensor->type)) {
        printf("{\"valueCount\": %lu, \"random\": \"uniform\", \"min\": 0, \"max\": 1}},\n", count);
    } else {
        printf("{\"valueCount\": %lu, \"valueStart\": 1, \"valueDelta\": 1}},\n", count);
    }
}

static void print_resources(const struct template *template) {
    printf("  \"resources\": {\n");
    for (uint32_t i = 0; i < template->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &template->schema->fields[i];
        for (unsigned j = 0; is_tensor(field) && j < tensor_count(template, field); j++) {
            const struct template_tensor tensor = tensor_at(template, field, j);
            print_resource(&tensor, is_left_out(template, field));
        }
    }
    printf("  },\n");
}

/* ---- the descriptor ---- */

/* The field whose array a field is the length of, or whose number it is the type of; NULL: none. */
static const VkdmlFieldSchema *find_dependent(const VkdmlOperatorSchema *schema, uint32_t index) {
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (schema->fields[i].countField == index || schema->fields[i].typeField == index) {
            return &schema->fields[i];
        }
    }
    return NULL;
}

static void print_tensors(const struct template *template, const VkdmlFieldSchema *field) {
    const bool is_array = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    printf("%s", is_array ? "[" : "");
    for (unsigned i = 0; i < tensor_count(template, field); i++) {
        const struct template_tensor tensor = tensor_at(template, field, i);
        printf("%s", i ? ", " : "");
        print_tensor(&tensor);
    }
    printf("%s", is_array ? "]" : "");
}

/* The type of the first output. */
static const char *output_type(const struct template *template) {
    for (uint32_t i = 0; i < template->schema->fieldCount; i++) {
        if (template->schema->fields[i].kind == VKDML_FIELD_KIND_OUTPUT_TENSOR) {
            return element_type_name(template->types[i]);
        }
    }
    return "FLOAT32";
}

static void print_count(const struct template *template, const VkdmlFieldSchema *array) {
    const struct template_value *row = template_value_find(template->schema, array);
    const bool tensors = array->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    printf("%u", tensors ? tensor_count(template, array) : count_items(row ? row->value : "[1, 1]", ','));
}

/* "CONSTANT" of "DML_PADDING_MODE_CONSTANT". */
static const char *enumerator_suffix(const VkdmlEnumeration *enumeration, uint32_t index) {
    return enumeration->enumerators[index].name + strlen(enumeration->name) + 1;
}

/* By VkdmlFieldType, where no row says more. */
static const char *const defaults[] = {
    [VKDML_FIELD_TYPE_UINT] = "1",
    [VKDML_FIELD_TYPE_INT] = "1",
    [VKDML_FIELD_TYPE_FLOAT] = "1",
    [VKDML_FIELD_TYPE_UINT_ARRAY] = "[1, 1]",
    [VKDML_FIELD_TYPE_SCALE_BIAS] = "{\"Scale\": 1, \"Bias\": 0}",
    [VKDML_FIELD_TYPE_SCALAR_UNION] = "1",
    [VKDML_FIELD_TYPE_BOOL] = "true",
    [VKDML_FIELD_TYPE_INT_ARRAY] = "[1, 1]",
    [VKDML_FIELD_TYPE_FLOAT_ARRAY] = "[1, 1]",
    [VKDML_FIELD_TYPE_SIZE_2D] = "{\"Width\": 1, \"Height\": 1}",
    [VKDML_FIELD_TYPE_OPERATOR_DESC] = "{\"Type\": \"ACTIVATION_RELU\"}",
    [VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY] = "[{\"Type\": \"ACTIVATION_RELU\"}]",
};

/* A field's value as an example, optional or not. */
static void print_value(const struct template *template, const VkdmlFieldSchema *field) {
    const VkdmlOperatorSchema *schema = template->schema;
    const struct template_value *row = template_value_find(schema, field);
    const VkdmlFieldSchema *dependent = find_dependent(schema, (uint32_t)(field - schema->fields));
    if (is_tensor(field)) {
        print_tensors(template, field);
    } else if (dependent && dependent->type == VKDML_FIELD_TYPE_SCALAR_UNION) {
        printf("\"%s\"", output_type(template));
    } else if (dependent) {
        print_count(template, dependent);
    } else if (row) {
        printf("%s", row->value);
    } else if (field->type == VKDML_FIELD_TYPE_ENUM) {
        printf("\"%s\"", enumerator_suffix(field->enumeration, 0));
    } else {
        printf("%s", defaults[field->type]);
    }
}

static void comment_types(const VkdmlFieldSchema *field) {
    const VkdmlTensorSupport *support = &field->support[0];
    const uint32_t least = support->minDimensionCount, most = support->maxDimensionCount;
    const char *separator = "";
    for (int type = DML_TENSOR_DATA_TYPE_UNKNOWN; type <= DML_TENSOR_DATA_TYPE_INT4; type++) {
        if (support->dataTypes >> type & 1) {
            printf("%s%s", separator, element_type_name((DML_TENSOR_DATA_TYPE)type));
            separator = ", ";
        }
    }
    if (least == most) {
        printf("; %u dimensions", most);
    } else {
        printf("; %u to %u dimensions", least, most);
    }
}

/* What may stand there instead. */
static void print_comment(const struct template *template, const VkdmlFieldSchema *field) {
    const VkdmlFieldSchema *dependent = find_dependent(template->schema, (uint32_t)(field - template->schema->fields));
    if (field->optional) {
        printf(" // optional: ");
        print_value(template, field);
    } else if (is_tensor(field)) {
        printf(" // ");
        comment_types(field);
    } else if (field->type == VKDML_FIELD_TYPE_ENUM && !dependent) {
        for (uint32_t i = 0; i < field->enumeration->enumeratorCount; i++) {
            printf("%s%s", i ? ", " : " // ", enumerator_suffix(field->enumeration, i));
        }
    }
}

static void print_descriptor(const struct template *template) {
    const VkdmlOperatorSchema *schema = template->schema;
    printf("  \"dispatchables\": {\n"
           "    \"%s\": {\n"
           "      \"type\": \"%s\",\n"
           "      \"desc\": {\n",
           template->name, schema->name);
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &schema->fields[i];
        printf("        \"%s\": ", field->name);
        if (is_left_out(template, field)) {
            printf("null");
        } else {
            print_value(template, field);
        }
        printf("%s", i + 1 < schema->fieldCount ? "," : "");
        print_comment(template, field);
        putchar('\n');
    }
    printf("      }\n    }\n  },\n");
}

/* ---- the commands ---- */

static void print_binding(const struct template *template, const VkdmlFieldSchema *field) {
    const bool is_array = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    printf("      %s\"%s\": %s", is_left_out(template, field) ? "// " : "", field->name, is_array ? "[" : "");
    for (unsigned i = 0; i < tensor_count(template, field); i++) {
        const struct template_tensor tensor = tensor_at(template, field, i);
        printf("%s\"%s\"", i ? ", " : "", tensor.name);
    }
    printf("%s,\n", is_array ? "]" : "");
}

static void print_commands(const struct template *template) {
    const VkdmlOperatorSchema *schema = template->schema;
    printf("  \"commands\": [\n"
           "    {\"type\": \"dispatch\", \"dispatchable\": \"%s\", \"bindings\": {\n",
           template->name);
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (is_tensor(&schema->fields[i])) {
            print_binding(template, &schema->fields[i]);
        }
    }
    printf("    }},\n");
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &schema->fields[i];
        for (unsigned j = 0; field->kind == VKDML_FIELD_KIND_OUTPUT_TENSOR && j < tensor_count(template, field); j++) {
            const struct template_tensor tensor = tensor_at(template, field, j);
            printf("    %s{\"type\": \"print\", \"resource\": \"%s\"},\n", is_left_out(template, field) ? "// " : "",
                   tensor.name);
        }
    }
    printf("  ]\n");
}

static int print_template(const VkdmlOperatorSchema *schema) {
    struct template template = {schema, calloc(schema->fieldCount, sizeof(*template.types)), {0}};
    if (!template.types) {
        fprintf(stderr, "vkdml: out of memory\n");
        return EXIT_FAILURE;
    }
    snprintf(template.name, sizeof(template.name), "%s", operator_names_short(schema->name));
    for (char *letter = template.name; *letter; letter++) {
        *letter = (char)tolower((unsigned char)*letter);
    }
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (is_tensor(&schema->fields[i])) {
            template.types[i] = pick_type(&template, &schema->fields[i]);
        }
    }
    printf("// %s, since feature level %s.\n", schema->name, vkdmlGetFeatureLevelName(schema->introduced));
    printf("{\n");
    print_resources(&template);
    print_descriptor(&template);
    print_commands(&template);
    printf("}\n");
    free(template.types);
    return EXIT_SUCCESS;
}

/* ---- the command line ---- */

static int run(int argc, char **argv) {
    int first;
    const int status = command_line_read(&subcommand_template, argc, argv, NULL, &first);
    if (status != COMMAND_LINE_GO_ON) {
        return status;
    }
    const VkdmlOperatorSchema *schema = operator_names_find(subcommand_template.name, argv[first]);
    return schema ? print_template(schema) : EXIT_USAGE;
}

const struct subcommand subcommand_template = {
    .name = "template",
    ONE_OPERAND("OPERATOR", ARGUMENT_OPERATOR),
    .summary = "prints a model of an operator, to fill in",
    .description = "Prints a model of one operator with an example value for each field, and in comments what else may "
                   "stand there. It runs as it is: `vkdml template GEMM | vkdml run -`.",
    .run = run,
};
