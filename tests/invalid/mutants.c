#include "mutants.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documented.h"
#include "probes.h"
#include "schema/schema.h"
#include "schema/table.h"

#define MAX_FIELDS  CASE_MAX_FIELDS
#define MAX_ENTRIES 16 /* of support, of agreements */

/* ---- what the library asks ---- */

/* The operator of which the library gets another answer; DML_OPERATOR_INVALID: none. */
static struct {
    DML_OPERATOR_TYPE type;
    bool is_old;     /* of the first level */
    bool is_fusable; /* from the first level on */
} now;
static DML_OPERATOR_TYPE suspended;

/* The row that it gets, a copy. */
static VkdmlOperatorSchema row;
static VkdmlFieldSchema fields[MAX_FIELDS];
static VkdmlTensorSupport support[MAX_FIELDS][MAX_ENTRIES];
static VkdmlAgreement agreements[MAX_FIELDS][MAX_ENTRIES];
static VkdmlEnumeration enumeration;
static VkdmlEnumerator enumerators[64];

const VkdmlOperatorSchema *__real_vkdml_schema_find(DML_OPERATOR_TYPE type);
const VkdmlOperatorSchema *__wrap_vkdml_schema_find(DML_OPERATOR_TYPE type);
DML_FEATURE_LEVEL __real_vkdml_operator_level(DML_OPERATOR_TYPE type);
DML_FEATURE_LEVEL __wrap_vkdml_operator_level(DML_OPERATOR_TYPE type);
DML_FEATURE_LEVEL __real_vkdml_operator_fusable_since(DML_OPERATOR_TYPE type);
DML_FEATURE_LEVEL __wrap_vkdml_operator_fusable_since(DML_OPERATOR_TYPE type);
VkdmlResult __wrap_vkdml_report_invalid(struct vkdml_report *report, const char *format, ...);

const VkdmlOperatorSchema *__wrap_vkdml_schema_find(DML_OPERATOR_TYPE type) {
    return now.type == type && type != DML_OPERATOR_INVALID ? &row : __real_vkdml_schema_find(type);
}

DML_FEATURE_LEVEL __wrap_vkdml_operator_level(DML_OPERATOR_TYPE type) {
    return now.type == type && now.is_old ? DML_FEATURE_LEVEL_1_0 : __real_vkdml_operator_level(type);
}

DML_FEATURE_LEVEL __wrap_vkdml_operator_fusable_since(DML_OPERATOR_TYPE type) {
    return now.type == type && now.is_fusable ? DML_FEATURE_LEVEL_1_0 : __real_vkdml_operator_fusable_since(type);
}

/* ---- refusals ---- */

static const char *silent;
hear_refusal *hear;

void silence(const char *words) {
    silent = words;
}

/* How long a number is, with what stands for one; 0: there is none. */
static size_t number_length(const char *text) {
    static const char type[] = "DML_TENSOR_DATA_TYPE_";
    if (strncmp(text, type, strlen(type)) == 0) {
        return strlen(type) + strspn(text + strlen(type), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    }
    const size_t sign = *text == '-';
    if (strncmp(text + sign, "nan", 3) == 0 || strncmp(text + sign, "inf", 3) == 0) {
        return isalpha((unsigned char)text[sign + 3]) ? 0 : sign + 3;
    }
    return isdigit((unsigned char)text[sign]) ? sign + 1 + strspn(text + sign + 1, "0123456789.e+-") : 0;
}

static void leave_numbers_out(char *text) {
    char *end = text;
    for (const char *from = text; *from != '\0';) {
        const size_t length = end == text || !isalnum((unsigned char)end[-1]) ? number_length(from) : 0;
        *end++ = length != 0 ? '#' : *from;
        from += length != 0 ? length : 1;
    }
    *end = '\0';
}

VkdmlResult __wrap_vkdml_report_invalid(struct vkdml_report *report, const char *format, ...) {
    char text[1024], words[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (phase == PHASE_RULES) {
        const bool has_part = report->part != NULL;
        snprintf(words, sizeof(words), "%s%s%s", has_part ? report->part : "", has_part ? ": " : "", text);
        leave_numbers_out(words);
    } else {
        snprintf(words, sizeof(words), "%s", format);
    }
    if (hear != NULL) {
        hear(words);
    }
    if (silent == NULL || strcmp(words, silent) != 0) {
        vkdml_report_add(report, VKDML_ERROR_INVALID_ARGUMENT, "%s", text);
    } else if (phase == PHASE_READING) {
        vkdml_report_add(report, VKDML_ERROR_INVALID_ARGUMENT, " "); /* what cannot be read must not be */
    }
    return VKDML_ERROR_INVALID_ARGUMENT;
}

/* ---- rows ---- */

static void check_room(bool there_is) {
    if (!there_is) {
        fprintf(stderr, "a row has more than there is room for\n");
        abort();
    }
}

static void copy_row(const VkdmlOperatorSchema *schema) {
    row = *schema;
    check_room(schema->fieldCount <= MAX_FIELDS);
    memcpy(fields, schema->fields, schema->fieldCount * sizeof(fields[0]));
    row.fields = fields;
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &schema->fields[i];
        check_room(field->supportCount <= MAX_ENTRIES && field->agreementCount <= MAX_ENTRIES);
        for (uint32_t k = 0; k < field->supportCount; k++) {
            support[i][k] = field->support[k];
        }
        for (uint32_t k = 0; k < field->agreementCount; k++) {
            agreements[i][k] = field->agreements[k];
        }
        fields[i].support = support[i];
        fields[i].agreements = agreements[i];
    }
}

static const VkdmlOperatorSchema *whole;
static meet_mutant *meet_one;

static struct mutant begin(const VkdmlFieldSchema *field, enum judge judge) {
    return (struct mutant){.type = row.type, .judge = judge, .tensor = field != NULL ? field->name : NULL};
}

/* Names it, has it met, and makes the row whole. */
static void meet(struct mutant *mutant, const char *what) {
    const size_t prefix = strlen("DML_OPERATOR_");
    snprintf(mutant->name, sizeof(mutant->name), "%s%s%s: %s", row.name + prefix, mutant->tensor != NULL ? " " : "",
             mutant->tensor != NULL ? mutant->tensor : "", what);
    now.type = row.type;
    meet_one(mutant);
    memset(&now, 0, sizeof(now));
    copy_row(whole);
}

void suspend_mutant(void) {
    suspended = now.type;
    now.type = DML_OPERATOR_INVALID;
}

void resume_mutant(void) {
    now.type = suspended;
}

/* ---- what a tensor may be ---- */

static void meet_types(const VkdmlFieldSchema *field, VkdmlTensorSupport *entry) {
    for (uint32_t type = 1; type < TYPE_COUNT; type++) {
        char what[64];
        struct mutant mutant = begin(field, JUDGE_TYPES);
        mutant.level = entry->level;
        mutant.data_type = type;
        snprintf(what, sizeof(what), "%s %s at %s", (entry->dataTypes >> type & 1) != 0 ? "no" : "also",
                 type_names[type], level_name(entry->level));
        entry->dataTypes ^= 1u << type;
        meet(&mutant, what);
    }
}

static void meet_rank(const VkdmlFieldSchema *field, VkdmlTensorSupport *entry, uint32_t *bound, uint32_t value,
                      uint32_t rank) {
    char what[64];
    struct mutant mutant = begin(field, JUDGE_RANKS);
    mutant.level = entry->level;
    mutant.rank = rank;
    snprintf(what, sizeof(what), "%s %u dimensions at %s",
             rank >= entry->minDimensionCount && rank <= entry->maxDimensionCount ? "no" : "also", rank,
             level_name(entry->level));
    *bound = value;
    meet(&mutant, what);
}

static void meet_ranks(const VkdmlFieldSchema *field, VkdmlTensorSupport *entry) {
    uint32_t *least = &entry->minDimensionCount, *most = &entry->maxDimensionCount;
    if (*least > 1) {
        meet_rank(field, entry, least, *least - 1, *least - 1);
    }
    if (*most < DML_TENSOR_DIMENSION_COUNT_MAX1) {
        meet_rank(field, entry, most, *most + 1, *most + 1);
    }
    if (*least < *most) {
        meet_rank(field, entry, least, *least + 1, *least);
        meet_rank(field, entry, most, *most - 1, *most);
    }
}

/* All entries but the oldest, from which on there is a tensor. */
static void meet_without_entry(VkdmlFieldSchema *field, VkdmlTensorSupport *entries, uint32_t k) {
    char what[64];
    struct mutant mutant = begin(field, JUDGE_SUPPORT);
    mutant.level = entries[k].level;
    snprintf(what, sizeof(what), "nothing of %s", level_name(entries[k].level));
    memmove(&entries[k], &entries[k + 1], (field->supportCount - k - 1) * sizeof(entries[0]));
    field->supportCount--;
    meet(&mutant, what);
}

/* ---- agreements ---- */

static const struct {
    uint32_t bit;
    const char *name;
} bits[] = {
    {VKDML_AGREE_DATA_TYPE, "type"},
    {VKDML_AGREE_DIMENSION_COUNT, "dimension count"},
    {VKDML_AGREE_SIZES, "sizes"},
    {VKDML_AGREE_SIZES_OR_ONE, "sizes or one"},
    {VKDML_AGREE_SIZES_DIVIDE, "sizes that divide"},
    {VKDML_AGREE_ONE_ELEMENT, "one element"},
};

static void meet_agreement(const VkdmlFieldSchema *field, VkdmlAgreement *agreement) {
    const char *other = agreement->field != VKDML_NONE ? whole->fields[agreement->field].name : "nothing";
    const uint32_t sizes = VKDML_AGREE_SIZES | VKDML_AGREE_SIZES_OR_ONE | VKDML_AGREE_SIZES_DIVIDE;
    char what[160];
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        if ((agreement->what & bits[i].bit) != 0) {
            struct mutant mutant = begin(field, JUDGE_CASES);
            snprintf(what, sizeof(what), "no agreement with %s in %s", other, bits[i].name);
            agreement->what &= ~bits[i].bit;
            meet(&mutant, what);
        }
        if ((agreement->what & bits[i].bit & sizes) != 0) {
            struct mutant mutant = begin(field, JUDGE_CASES);
            snprintf(what, sizeof(what), "no agreement with %s in %s, but in their count", other, bits[i].name);
            agreement->what = (agreement->what & ~bits[i].bit) | VKDML_AGREE_DIMENSION_COUNT;
            meet(&mutant, what);
        }
    }
}

/* ---- the rest of a field ---- */

static bool is_pointer(const VkdmlFieldSchema *field) {
    switch (field->type) {
    case VKDML_FIELD_TYPE_TENSOR_DESC:
    case VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY:
    case VKDML_FIELD_TYPE_UINT_ARRAY:
    case VKDML_FIELD_TYPE_INT_ARRAY:
    case VKDML_FIELD_TYPE_FLOAT_ARRAY:
    case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
        return true;
    default:
        return false;
    }
}

static void meet_optional(VkdmlFieldSchema *field) {
    if (is_pointer(field) && (!field->optional || (int)field->optionalSince != 0)) {
        struct mutant mutant = begin(field, JUDGE_CASES);
        field->optional = 1;
        field->optionalSince = (DML_FEATURE_LEVEL)0;
        meet(&mutant, "optional");
    }
}

static void meet_enumerators(VkdmlFieldSchema *field) {
    for (uint32_t k = 0; field->enumeration != NULL && k < field->enumeration->enumeratorCount; k++) {
        const VkdmlEnumerator *enumerator = &field->enumeration->enumerators[k];
        if (enumerator->introduced > whole->introduced) {
            char what[160];
            struct mutant mutant = begin(field, JUDGE_CASES);
            snprintf(what, sizeof(what), "%s at any level", enumerator->name);
            enumeration = *field->enumeration;
            check_room(enumeration.enumeratorCount <= sizeof(enumerators) / sizeof(enumerators[0]));
            memcpy(enumerators, enumeration.enumerators, enumeration.enumeratorCount * sizeof(enumerators[0]));
            enumerators[k].introduced = DML_FEATURE_LEVEL_1_0;
            enumeration.enumerators = enumerators;
            field->enumeration = &enumeration;
            meet(&mutant, what);
        }
    }
}

static void meet_scalars_type(VkdmlFieldSchema *field) {
    if (field->typeField != VKDML_NONE) {
        struct mutant mutant = begin(field, JUDGE_CASES);
        /* Of one type all scalars of a row are. */
        for (uint32_t i = 0; i < row.fieldCount; i++) {
            fields[i].typeField = VKDML_NONE;
        }
        meet(&mutant, "of any type");
    }
}

static void meet_field(uint32_t i) {
    VkdmlFieldSchema *field = &fields[i];
    for (uint32_t k = 0; k < field->supportCount; k++) {
        meet_types(field, &support[i][k]);
        meet_ranks(field, &support[i][k]);
        if (k + 1 < field->supportCount) {
            meet_without_entry(field, support[i], k);
        }
    }
    for (uint32_t k = 0; k < field->agreementCount; k++) {
        meet_agreement(field, &agreements[i][k]);
    }
    meet_optional(field);
    meet_enumerators(field);
    meet_scalars_type(field);
}

/* ---- the operator ---- */

static void meet_level(void) {
    if (vkdml_operator_level(row.type) > DML_FEATURE_LEVEL_1_0) {
        struct mutant mutant = begin(NULL, JUDGE_LEVEL);
        now.is_old = true;
        for (uint32_t i = 0; i < row.fieldCount; i++) {
            if (fields[i].supportCount > 0) { /* there is no level without its tensors */
                support[i][fields[i].supportCount - 1].level = DML_FEATURE_LEVEL_1_0;
            }
        }
        meet(&mutant, "at any level");
    }
}

/* Whether others may fuse it, and from which level on: of activations, since all others are refused alike. */
static void meet_fusable(void) {
    const DML_FEATURE_LEVEL since = vkdml_operator_fusable_since(row.type);
    if (strncmp(row.name, "DML_OPERATOR_ACTIVATION_", strlen("DML_OPERATOR_ACTIVATION_")) == 0 &&
        since != DML_FEATURE_LEVEL_1_0) {
        struct mutant mutant = begin(NULL, JUDGE_ALL_CASES);
        now.is_fusable = true;
        meet(&mutant, "fused into any operator, at any level");
    }
    if ((int)row.fusableSince != 0 && row.fusableInto != DML_OPERATOR_INVALID) {
        struct mutant mutant = begin(NULL, JUDGE_ALL_CASES);
        row.fusableSince = DML_FEATURE_LEVEL_1_0;
        meet(&mutant, "fused at any level");
    }
}

void for_row_mutants(const VkdmlOperatorSchema *schema, meet_mutant *meet_them) {
    whole = schema;
    meet_one = meet_them;
    copy_row(whole);
    meet_level();
    meet_fusable();
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        meet_field(i);
    }
}
