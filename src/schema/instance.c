/* Copies a descriptor out of the caller's memory, checking each pointer and length before it follows it. */
#include <assert.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "schema/fields.h"
#include "schema/read_tensor.h"
#include "schema/schema.h"
#include "schema/table.h"

#define NEWEST_LEVEL DML_FEATURE_LEVEL_6_4

/* What copying takes along. */
struct reader {
    vkdml_schema_lookup *find;
    DML_FEATURE_LEVEL level;
    bool infers;           /* outputs are taken as far as they are known */
    unsigned char *memory; /* one allocation, cut into parts; NULL while only adding up */
    size_t used;
    struct vkdml_report *report;
};

/* Takes zeroed memory aligned for any type. Sums are far from overflow: every part is bounded. */
static void *take(struct reader *reader, size_t bytes) {
    void *part = reader->memory != NULL ? reader->memory + reader->used : NULL;
    const size_t alignment = alignof(max_align_t);
    reader->used += (bytes + alignment - 1) / alignment * alignment;
    return part;
}

/* The name of an array's element: "QuantizationTensors[65535]". */
struct element_name {
    char text[32];
};

static struct element_name name_element(const VkdmlFieldSchema *array, uint32_t index) {
    struct element_name name;
    const int length = snprintf(name.text, sizeof name.text, "%s[%" PRIu32 "]", array->name, index);
    assert(length > 0 && (size_t)length < sizeof name.text);
    (void)length;
    return name;
}

/* ---- how much memory ---- */

/* Bytes behind a pointer to numbers; 0 for other types. */
static size_t pointee_bytes(VkdmlFieldType type) {
    switch (type) {
    case VKDML_FIELD_TYPE_UINT_ARRAY:
    case VKDML_FIELD_TYPE_INT_ARRAY:
    case VKDML_FIELD_TYPE_FLOAT_ARRAY:
        return VKDML_MAX_DIMENSIONS * sizeof(uint32_t);
    case VKDML_FIELD_TYPE_SCALE_BIAS:
        return sizeof(DML_SCALE_BIAS);
    default:
        return 0;
    }
}

/* Operators in a field, one or an array's; 0 where there are none, or the pointer is NULL. */
static uint32_t operator_count(const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field, const void *desc) {
    switch (field->type) {
    case VKDML_FIELD_TYPE_OPERATOR_DESC:
        return vkdml_field_pointer(desc, field) != NULL;
    case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
        return vkdml_field_pointer(desc, field) != NULL ? vkdml_array_length(schema, field, desc) : 0;
    default:
        return 0;
    }
}

static uint32_t tensor_count(const VkdmlOperatorSchema *schema, VkdmlFieldKind kind, const void *desc) {
    uint32_t count = kind == VKDML_FIELD_KIND_INPUT_TENSOR ? schema->inputCount : schema->outputCount;
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (schema->fields[i].kind == kind && schema->fields[i].type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
            count += vkdml_array_length(schema, &schema->fields[i], desc);
        }
    }
    return count;
}

static void add_tensors(struct reader *reader, uint32_t count) {
    take(reader, count * sizeof(struct vkdml_tensor));
    take(reader, count * sizeof(const char *));
}

/* The struct and the numbers behind its pointers. */
static void add_desc(struct reader *reader, const VkdmlOperatorSchema *schema) {
    take(reader, schema->descSize);
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        take(reader, pointee_bytes(schema->fields[i].type));
    }
}

static void add_operators(struct reader *reader, uint32_t count, const DML_OPERATOR_DESC *nested) {
    take(reader, count * sizeof(struct vkdml_instance));
    for (uint32_t i = 0; i < count; i++) {
        const VkdmlOperatorSchema *schema = reader->find(nested[i].Type);
        take(reader, sizeof(struct element_name));
        if (schema != NULL) {
            add_desc(reader, schema);
        }
    }
}

/* What read_desc() takes of the caller's descriptor, and the struct. */
static void add_instance(struct reader *reader, const VkdmlOperatorSchema *schema, const void *desc) {
    take(reader, sizeof(struct vkdml_instance));
    add_tensors(reader, tensor_count(schema, VKDML_FIELD_KIND_INPUT_TENSOR, desc));
    add_tensors(reader, tensor_count(schema, VKDML_FIELD_KIND_OUTPUT_TENSOR, desc));
    add_desc(reader, schema);
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &schema->fields[i];
        if (field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY) {
            take(reader, vkdml_array_length(schema, field, desc) * sizeof(struct element_name));
        }
        const uint32_t operators = operator_count(schema, field, desc);
        if (operators > 0) {
            add_operators(reader, operators, vkdml_field_pointer(desc, field));
        }
    }
}

/* ---- pointers and lengths ---- */

/* What a pointer of a type has to point to. */
static const char *const pointee_names[] = {
    [VKDML_FIELD_TYPE_TENSOR_DESC] = "a DML_TENSOR_DESC",
    [VKDML_FIELD_TYPE_UINT_ARRAY] = "values",
    [VKDML_FIELD_TYPE_INT_ARRAY] = "values",
    [VKDML_FIELD_TYPE_FLOAT_ARRAY] = "values",
    [VKDML_FIELD_TYPE_SCALE_BIAS] = "a DML_SCALE_BIAS",
    [VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY] = "tensors",
    [VKDML_FIELD_TYPE_OPERATOR_DESC] = "a DML_OPERATOR_DESC",
    [VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY] = "operators",
};

/* Whether a pointer points to anything. Where it is NULL and may not be, it is reported; of no elements it may be. */
static bool is_given(const struct reader *reader, const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field,
                     const void *desc) {
    if (vkdml_field_pointer(desc, field) != NULL) {
        return true;
    }
    const VkdmlFieldSchema *count_field = field->countField != VKDML_NONE ? &schema->fields[field->countField] : NULL;
    const uint32_t length = count_field != NULL ? vkdml_field_uint(desc, count_field) : 1;
    if (length == 0 || (field->optional && reader->level >= field->optionalSince)) {
        return false;
    }
    if (field->optional) {
        vkdml_report_invalid(reader->report, "%s is NULL, which needs DML_FEATURE_LEVEL_%s; the feature level is %s",
                             field->name, vkdml_level_name(field->optionalSince), vkdml_level_name(reader->level));
    } else if (count_field != NULL) {
        vkdml_report_invalid(reader->report, "%s is NULL, must point to %s (%" PRIu32 ") %s", field->name,
                             count_field->name, length, pointee_names[field->type]);
    } else {
        vkdml_report_invalid(reader->report, "%s is NULL, must point to %s", field->name, pointee_names[field->type]);
    }
    return false;
}

/* Holds a UINT field to what the arrays it counts may have; those of one length are of one kind. */
static void check_length(const struct reader *reader, const VkdmlOperatorSchema *schema, uint32_t index,
                         const void *desc) {
    const VkdmlFieldSchema *field = &schema->fields[index];
    const uint32_t length = vkdml_field_uint(desc, field);
    struct vkdml_lengths lengths = {0, UINT32_MAX};
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (schema->fields[i].countField == index) {
            lengths = vkdml_array_lengths(schema->fields[i].type);
        }
    }
    if (length > lengths.most && lengths.least == 0) {
        vkdml_report_invalid(reader->report, "%s is %" PRIu32 ", must be at most %" PRIu32, field->name, length,
                             lengths.most);
    } else if (length < lengths.least || length > lengths.most) {
        vkdml_report_invalid(reader->report, "%s is %" PRIu32 ", must be %" PRIu32 " to %" PRIu32, field->name, length,
                             lengths.least, lengths.most);
    }
}

/* ---- fields ---- */

/* The tensors of a field, one or an array's. */
static void read_tensors(struct reader *reader, struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                         void *copy) {
    const bool is_input = field->kind == VKDML_FIELD_KIND_INPUT_TENSOR;
    const bool is_array = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    struct vkdml_tensor *tensors = (is_input ? instance->inputs : instance->outputs) + field->bindingIndex;
    const char **names = (is_input ? instance->input_names : instance->output_names) + field->bindingIndex;
    const uint32_t count = is_array ? vkdml_array_length(instance->schema, field, copy) : 1;
    const DML_TENSOR_DESC *source = vkdml_field_pointer(copy, field);
    const bool is_inferred = reader->infers && !is_input && (source != NULL || !field->optional);
    const bool given = is_inferred ? source != NULL : is_given(reader, instance->schema, field, copy);
    vkdml_field_set_pointer(copy, field, NULL);
    struct element_name *element_names = is_array ? take(reader, count * sizeof *element_names) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = field->name;
        if (is_array) {
            element_names[i] = name_element(field, i);
            names[i] = element_names[i].text;
        }
        tensors[i].is_inferred = is_inferred;
        if (given) {
            (is_inferred ? vkdml_read_known : vkdml_read_tensor)(names[i], &source[i], &tensors[i], reader->report);
        }
    }
}

/* Numbers behind a pointer: `bytes` of them are there. */
static void read_numbers(struct reader *reader, const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field,
                         size_t bytes, void *copy) {
    void *numbers = take(reader, pointee_bytes(field->type));
    const void *source = vkdml_field_pointer(copy, field);
    if (is_given(reader, schema, field, copy)) {
        memcpy(numbers, source, bytes);
        vkdml_field_set_pointer(copy, field, numbers);
    }
}

static void read_operators(struct reader *reader, struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                           void *copy);

static void read_field(struct reader *reader, struct vkdml_instance *instance, uint32_t index, void *copy) {
    const VkdmlOperatorSchema *schema = instance->schema;
    const VkdmlFieldSchema *field = &schema->fields[index];
    switch (field->type) {
    case VKDML_FIELD_TYPE_TENSOR_DESC:
    case VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY:
        if (instance->role == NULL) {
            read_tensors(reader, instance, field, copy);
        } else if (vkdml_field_pointer(copy, field) != NULL) {
            vkdml_report_invalid(reader->report, "%s is given, must be NULL in an operator that is fused", field->name);
        }
        break;
    case VKDML_FIELD_TYPE_UINT:
        check_length(reader, schema, index, copy);
        break;
    case VKDML_FIELD_TYPE_BOOL: /* any value but 0 is true */
        vkdml_field_set_uint(copy, field, vkdml_field_uint(copy, field) != 0);
        break;
    case VKDML_FIELD_TYPE_UINT_ARRAY:
    case VKDML_FIELD_TYPE_INT_ARRAY:
    case VKDML_FIELD_TYPE_FLOAT_ARRAY:
        read_numbers(reader, schema, field, vkdml_array_length(schema, field, copy) * sizeof(uint32_t), copy);
        break;
    case VKDML_FIELD_TYPE_SCALE_BIAS:
        read_numbers(reader, schema, field, sizeof(DML_SCALE_BIAS), copy);
        break;
    case VKDML_FIELD_TYPE_OPERATOR_DESC:
    case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
        read_operators(reader, instance, field, copy);
        break;
    case VKDML_FIELD_TYPE_INT: /* came with the struct */
    case VKDML_FIELD_TYPE_FLOAT:
    case VKDML_FIELD_TYPE_ENUM:
    case VKDML_FIELD_TYPE_SCALAR_UNION:
    case VKDML_FIELD_TYPE_SIZE_2D:
        break;
    }
}

static void read_desc(struct reader *reader, struct vkdml_instance *instance, const void *desc) {
    const VkdmlOperatorSchema *schema = instance->schema;
    void *copy = take(reader, schema->descSize);
    memcpy(copy, desc, schema->descSize);
    instance->desc = copy;
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        read_field(reader, instance, i, copy);
    }
}

/* ---- operators ---- */

/* Whether the type is one of DirectML's; nothing else can be told of one that is not. */
static bool check_type(DML_OPERATOR_TYPE type, struct vkdml_report *report) {
    if (vkdml_operator_name(type) != NULL) {
        return true;
    }
    vkdml_report_invalid(report, "DML_OPERATOR_DESC.Type is %d, must be one of DirectML's operators (%d to %d)",
                         (int)type, (int)DML_OPERATOR_ELEMENT_WISE_IDENTITY, (int)DML_OPERATOR_UNFOLD);
    return false;
}

static void check_desc(const DML_OPERATOR_DESC *desc, struct vkdml_report *report) {
    if (desc->Desc == NULL) {
        vkdml_report_invalid(report, "DML_OPERATOR_DESC.Desc is NULL, must point to a descriptor of that operator");
    }
}

/* Whether the operator can be read: of the level, implemented, with a struct. */
static void check_operator(const struct reader *reader, const DML_OPERATOR_DESC *desc) {
    if (!check_type(desc->Type, reader->report)) {
        return;
    }
    const DML_FEATURE_LEVEL introduced = vkdml_operator_level(desc->Type);
    if (introduced > reader->level) {
        vkdml_report_invalid(reader->report, "needs DML_FEATURE_LEVEL_%s, the feature level is %s",
                             vkdml_level_name(introduced), vkdml_level_name(reader->level));
    }
    if (reader->find(desc->Type) == NULL) {
        vkdml_report_add(reader->report, VKDML_ERROR_NOT_IMPLEMENTED, "is not implemented yet");
    }
    check_desc(desc, reader->report);
}

/* The level from which an operator may be fused into another; 0: never. Some, which have rows, into that one alone. */
static DML_FEATURE_LEVEL fusable_since(const struct reader *reader, DML_OPERATOR_TYPE type, DML_OPERATOR_TYPE into) {
    const VkdmlOperatorSchema *row = reader->find(type);
    return row != NULL && row->fusableInto == into ? row->fusableSince : vkdml_operator_fusable_since(type);
}

/* The same of an operator that is to be fused. */
static void check_fused(const struct reader *reader, const DML_OPERATOR_DESC *desc, DML_OPERATOR_TYPE into) {
    if (!check_type(desc->Type, reader->report)) {
        return;
    }
    const char *name = vkdml_operator_name(desc->Type);
    const DML_FEATURE_LEVEL since = fusable_since(reader, desc->Type, into);
    if ((int)since == 0) {
        vkdml_report_invalid(reader->report, "%s cannot be fused, must be an activation that can", name);
        return;
    }
    if (since > reader->level) {
        vkdml_report_invalid(reader->report, "%s needs DML_FEATURE_LEVEL_%s to be fused, the feature level is %s", name,
                             vkdml_level_name(since), vkdml_level_name(reader->level));
    }
    if (reader->find(desc->Type) == NULL) {
        vkdml_report_add(reader->report, VKDML_ERROR_NOT_IMPLEMENTED, "%s is not implemented yet", name);
    }
    check_desc(desc, reader->report);
}

/* The operators of a field, one or an array's. */
static void read_operators(struct reader *reader, struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                           void *copy) {
    const uint32_t count = operator_count(instance->schema, field, copy);
    const DML_OPERATOR_DESC *source = vkdml_field_pointer(copy, field);
    is_given(reader, instance->schema, field, copy);
    vkdml_field_set_pointer(copy, field, NULL);
    instance->activation_count = count;
    instance->activations = take(reader, count * sizeof *instance->activations);
    for (uint32_t i = 0; i < count; i++) {
        struct vkdml_instance *nested = &instance->activations[i];
        struct element_name *role = take(reader, sizeof *role);
        *role = name_element(field, i);
        nested->role = field->type == VKDML_FIELD_TYPE_OPERATOR_DESC ? field->name : role->text;
        nested->level = reader->level;
        reader->report->part = nested->role;
        const uint32_t failures_before = reader->report->count;
        check_fused(reader, &source[i], instance->schema->type);
        if (reader->report->count == failures_before) {
            nested->schema = reader->find(source[i].Type);
            read_desc(reader, nested, source[i].Desc);
        }
        reader->report->part = NULL;
    }
}

/* ---- the descriptor ---- */

static VkdmlResult copy_desc(struct reader *reader, const DML_OPERATOR_DESC *desc,
                             const VkAllocationCallbacks *callbacks, struct vkdml_instance **instance) {
    const VkdmlOperatorSchema *schema = reader->find(desc->Type);
    add_instance(reader, schema, desc->Desc);
    const size_t bytes = reader->used;
    reader->memory = vkdml_allocate(callbacks, bytes);
    if (reader->memory == NULL) {
        return vkdml_report_out_of_memory(reader->report, bytes, "a copy of the descriptor");
    }
    reader->used = 0;
    struct vkdml_instance *made = take(reader, sizeof *made);
    made->schema = schema;
    made->level = reader->level;
    made->input_count = tensor_count(schema, VKDML_FIELD_KIND_INPUT_TENSOR, desc->Desc);
    made->output_count = tensor_count(schema, VKDML_FIELD_KIND_OUTPUT_TENSOR, desc->Desc);
    made->inputs = take(reader, made->input_count * sizeof *made->inputs);
    made->outputs = take(reader, made->output_count * sizeof *made->outputs);
    made->input_names = take(reader, made->input_count * sizeof *made->input_names);
    made->output_names = take(reader, made->output_count * sizeof *made->output_names);

    const uint32_t failures_before = reader->report->count;
    read_desc(reader, made, desc->Desc);
    assert(reader->used <= bytes);
    if (reader->report->count > failures_before) {
        vkdml_instance_destroy(made, callbacks);
        return reader->report->result;
    }
    *instance = made;
    return VKDML_SUCCESS;
}

static VkdmlResult create(struct reader *reader, const DML_OPERATOR_DESC *desc, const VkAllocationCallbacks *callbacks,
                          struct vkdml_instance **instance) {
    struct vkdml_report *report = reader->report;
    const uint32_t failures_before = report->count;
    *instance = NULL;
    if ((int)reader->level == 0) {
        reader->level = NEWEST_LEVEL;
    }
    if (vkdml_level_name(reader->level) == NULL) {
        vkdml_report_invalid(report, "the feature level is 0x%x, must be 0 or one of DML_FEATURE_LEVEL_1_0 to %s",
                             (unsigned int)reader->level, vkdml_level_name(NEWEST_LEVEL));
        reader->level = NEWEST_LEVEL;
    }
    if (desc == NULL) {
        vkdml_report_invalid(report, "DML_OPERATOR_DESC is NULL, must point to a descriptor");
        return VKDML_ERROR_INVALID_ARGUMENT;
    }

    const char *context = report->context;
    if (context == NULL) {
        report->context = vkdml_operator_name(desc->Type);
    }
    check_operator(reader, desc);
    VkdmlResult result = report->result;
    if (report->count == failures_before) {
        result = copy_desc(reader, desc, callbacks, instance);
    }
    report->context = context;
    return result;
}

VkdmlResult vkdml_instance_create_of(vkdml_schema_lookup *find, const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                     const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                                     struct vkdml_instance **instance) {
    struct reader reader = {.find = find, .level = level, .report = report};
    return create(&reader, desc, callbacks, instance);
}

VkdmlResult vkdml_instance_create(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                  const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                                  struct vkdml_instance **instance) {
    return vkdml_instance_create_of(vkdml_schema_find, desc, level, callbacks, report, instance);
}

VkdmlResult vkdml_instance_create_known(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level,
                                        const VkAllocationCallbacks *callbacks, struct vkdml_report *report,
                                        struct vkdml_instance **instance) {
    struct reader reader = {.find = vkdml_schema_find, .level = level, .infers = true, .report = report};
    return create(&reader, desc, callbacks, instance);
}

const DML_SCALE_BIAS *vkdml_instance_scale_bias(const struct vkdml_instance *instance) {
    for (uint32_t i = 0; i < instance->schema->fieldCount; i++) {
        if (instance->schema->fields[i].type == VKDML_FIELD_TYPE_SCALE_BIAS) {
            const DML_SCALE_BIAS *scale_bias;
            memcpy(&scale_bias, (const unsigned char *)instance->desc + instance->schema->fields[i].offset,
                   sizeof scale_bias);
            return scale_bias;
        }
    }
    return NULL;
}

void vkdml_instance_destroy(struct vkdml_instance *instance, const VkAllocationCallbacks *callbacks) {
    vkdml_free(callbacks, instance);
}
