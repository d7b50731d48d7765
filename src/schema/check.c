/* The rules that the table holds: what every operator's tensors and enumerations must be at a feature level. */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "schema/fields.h"
#include "schema/schema.h"
#include "schema/subject.h"

#define DATA_TYPE_PREFIX "DML_TENSOR_DATA_TYPE_"

/* ---- type and dimension count by level ---- */

/* Writes "FLOAT32, FLOAT16" of a set of data types. */
static void list_data_types(uint32_t types, char *list, size_t room) {
    size_t end = 0;
    list[0] = '\0';
    for (uint32_t type = 0; type < 32 && end < room; type++) {
        if ((types & (1u << type)) == 0) {
            continue;
        }
        const char *name = vkdml_data_type_name((DML_TENSOR_DATA_TYPE)type);
        assert(name != NULL);
        int written = snprintf(list + end, room - end, "%s%s", end > 0 ? ", " : "", name + strlen(DATA_TYPE_PREFIX));
        assert(written > 0);
        end += (size_t)written;
    }
}

/* Whether a tensor has a type. */
static bool is_known(const struct vkdml_tensor *tensor) {
    return !tensor->is_inferred || tensor->data_type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static void check_support(const struct vkdml_instance *instance, const struct vkdml_subject *subject,
                          struct vkdml_report *report) {
    const struct vkdml_tensor *tensor = subject->tensor;
    const VkdmlTensorSupport *support = vkdml_find_support(subject->field, instance->level);
    if (is_known(tensor) && (support->dataTypes & (1u << tensor->data_type)) == 0) {
        char types[128];
        list_data_types(support->dataTypes, types, sizeof types);
        vkdml_report_invalid_type(report, "%s.DataType is %s, must be one of %s at feature level %s", subject->name,
                                  vkdml_data_type_name(tensor->data_type), types, vkdml_level_name(instance->level));
    }
    const uint32_t count = tensor->dimension_count;
    if (count >= support->minDimensionCount && count <= support->maxDimensionCount) {
        return;
    }
    if (support->minDimensionCount == support->maxDimensionCount) {
        vkdml_report_invalid(report, "%s.DimensionCount is %" PRIu32 ", must be %" PRIu32 " at feature level %s",
                             subject->name, count, support->minDimensionCount, vkdml_level_name(instance->level));
    } else {
        vkdml_report_invalid(report,
                             "%s.DimensionCount is %" PRIu32 ", must be %" PRIu32 " to %" PRIu32 " at feature level %s",
                             subject->name, count, support->minDimensionCount, support->maxDimensionCount,
                             vkdml_level_name(instance->level));
    }
}

/* ---- extent ---- */

/* Sizes and their product. False where what follows from them would be nonsense. */
static bool check_sizes(const struct vkdml_subject *subject, struct vkdml_report *report) {
    const struct vkdml_tensor *tensor = subject->tensor;
    bool sane = true;
    for (uint32_t i = 0; i < tensor->dimension_count; i++) {
        if (tensor->sizes[i] == 0) {
            sane = false;
            if (!tensor->is_inferred) {
                vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is 0, must be at least 1", subject->name, i);
            }
        }
    }
    uint64_t count;
    if (!vkdml_element_count(tensor->dimension_count, tensor->sizes, &count)) {
        vkdml_report_invalid(report, "the product of %s.Sizes is above %" PRIu64 ", must be at most %" PRIu32,
                             subject->name, UINT64_MAX, UINT32_MAX);
        sane = false;
    } else if (count > UINT32_MAX) {
        vkdml_report_invalid(report, "the product of %s.Sizes is %" PRIu64 ", must be at most %" PRIu32, subject->name,
                             count, UINT32_MAX);
        sane = false;
    }
    return sane;
}

/* What turns elements into bytes, for reasons. */
static const char *bytes_factor(const struct vkdml_tensor *tensor) {
    static const char *const factors[] = {"* 1", "* 2", "* 4", "* 8"};
    uint32_t power = 0;
    while (tensor->element_size >> power > 1) {
        power++;
    }
    return tensor->element_size == 0 ? "/ 2" : factors[power];
}

static void check_minimum_bytes(const struct vkdml_subject *subject, struct vkdml_report *report) {
    const struct vkdml_tensor *tensor = subject->tensor;
    uint64_t minimum;
    if (!vkdml_minimum_bytes(tensor->element_bits, tensor->dimension_count, tensor->sizes, tensor->strides, &minimum)) {
        vkdml_report_invalid(report,
                             "%s.Strides put the last element beyond 2^64 bytes, must keep "
                             "(dot(Sizes - 1, Strides) + 1) %s below that",
                             subject->name, bytes_factor(tensor));
    } else if (tensor->total_bytes < minimum) {
        vkdml_report_invalid(report,
                             "%s.TotalTensorSizeInBytes is %" PRIu64 ", must be at least %" PRIu64
                             " = (dot(Sizes - 1, %s) + 1) %s, rounded up to 4",
                             subject->name, tensor->total_bytes, minimum,
                             tensor->has_strides ? "Strides" : "packed strides", bytes_factor(tensor));
    }
}

static void check_base_alignment(const struct vkdml_subject *subject, struct vkdml_report *report) {
    const uint32_t element_size = subject->tensor->element_size > 0 ? subject->tensor->element_size : 1;
    const uint32_t alignment = subject->tensor->base_alignment;
    const bool is_power_of_two = (alignment & (alignment - 1)) == 0;
    if (alignment != 0 && (!is_power_of_two || alignment < element_size)) {
        vkdml_report_invalid(report,
                             "%s.GuaranteedBaseOffsetAlignment is %" PRIu32
                             ", must be 0 or a power of two of at least %" PRIu32 ", %s",
                             subject->name, alignment, element_size,
                             subject->tensor->element_size > 0 ? "the element's size" : "a byte");
    }
}

/* ---- outputs ---- */

/* Elements of an output must lie apart: two invocations would write one place. */
static void check_output_strides(const struct vkdml_subject *subject, struct vkdml_report *report) {
    const struct vkdml_tensor *tensor = subject->tensor;
    bool repeats = false;
    for (uint32_t i = 0; i < tensor->dimension_count; i++) {
        if (tensor->strides[i] == 0 && tensor->sizes[i] > 1) {
            vkdml_report_invalid(report,
                                 "%s.Strides[%" PRIu32 "] is 0, must be at least 1 in an output where Sizes[%" PRIu32
                                 "] (%" PRIu32 ") is above 1",
                                 subject->name, i, i, tensor->sizes[i]);
            repeats = true;
        }
    }
    if (repeats) {
        return;
    }
    switch (vkdml_self_overlap(tensor->dimension_count, tensor->sizes, tensor->strides)) {
    case VKDML_OVERLAP_NONE:
        break;
    case VKDML_OVERLAP_FOUND:
        vkdml_report_invalid(
            report, "%s.Strides lets two elements overlap, must give each element of an output a place of its own",
            subject->name);
        break;
    case VKDML_OVERLAP_UNDECIDED:
        vkdml_report_invalid(report,
                             "%s.Strides is too entangled to tell whether two elements overlap, must be simpler in an "
                             "output",
                             subject->name);
        break;
    }
}

static void check_output(const struct vkdml_subject *subject, bool sizes_are_sane, struct vkdml_report *report) {
    const struct vkdml_tensor *tensor = subject->tensor;
    if ((tensor->flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0) {
        vkdml_report_invalid(report,
                             "%s.Flags is DML_TENSOR_FLAG_OWNED_BY_DML, must be DML_TENSOR_FLAG_NONE in an output",
                             subject->name);
    }
    if (sizes_are_sane && tensor->has_strides) {
        check_output_strides(subject, report);
    }
}

/* ---- agreement between tensors ---- */

static void check_same_type(const struct vkdml_subject *subject, const struct vkdml_subject *other,
                            DML_FEATURE_LEVEL below, struct vkdml_report *report) {
    if (is_known(subject->tensor) && is_known(other->tensor) &&
        subject->tensor->data_type != other->tensor->data_type) {
        const char *level = vkdml_level_name(below);
        vkdml_report_invalid_type(report, "%s.DataType is %s, must be %s = %s.DataType%s%s", subject->name,
                                  vkdml_data_type_name(subject->tensor->data_type),
                                  vkdml_data_type_name(other->tensor->data_type), other->name,
                                  level != NULL ? " below feature level " : "", level != NULL ? level : "");
    }
}

static bool check_same_dimension_count(const struct vkdml_subject *subject, const struct vkdml_subject *other,
                                       struct vkdml_report *report) {
    if (subject->tensor->dimension_count == other->tensor->dimension_count) {
        return true;
    }
    vkdml_report_invalid(report, "%s.DimensionCount is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount",
                         subject->name, subject->tensor->dimension_count, other->tensor->dimension_count, other->name);
    return false;
}

/* Whether a size agrees with that of the other tensor; `must` is what it has to be, before the other's size. Sizes of 0
 * were told already. */
static bool sizes_agree(uint32_t what, uint32_t size, uint32_t other, const char **must) {
    if (size == 0 || other == 0) {
        return true;
    }
    if ((what & VKDML_AGREE_SIZES) != 0 && size != other) {
        *must = "be";
        return false;
    }
    if ((what & VKDML_AGREE_SIZES_OR_ONE) != 0 && size != other && size != 1) {
        *must = "be 1 or";
        return false;
    }
    *must = "divide";
    return (what & VKDML_AGREE_SIZES_DIVIDE) == 0 || other % size == 0;
}

static void check_pair(const struct vkdml_subject *subject, const struct vkdml_subject *other,
                       const VkdmlAgreement *agreement, struct vkdml_report *report) {
    const uint32_t sizes = VKDML_AGREE_SIZES | VKDML_AGREE_SIZES_OR_ONE | VKDML_AGREE_SIZES_DIVIDE;
    if ((agreement->what & VKDML_AGREE_DATA_TYPE) != 0) {
        check_same_type(subject, other, agreement->below, report);
    }
    if ((agreement->what & (VKDML_AGREE_DIMENSION_COUNT | sizes)) == 0 ||
        !check_same_dimension_count(subject, other, report)) {
        return;
    }
    for (uint32_t i = 0; i < subject->tensor->dimension_count; i++) {
        const uint32_t size = subject->tensor->sizes[i], other_size = other->tensor->sizes[i];
        const char *must;
        if (!sizes_agree(agreement->what, size, other_size, &must)) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must %s %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 subject->name, i, size, must, other_size, other->name, i);
        }
    }
}

static void check_one_element(const struct vkdml_subject *subject, struct vkdml_report *report) {
    for (uint32_t i = 0; i < subject->tensor->dimension_count; i++) {
        if (subject->tensor->sizes[i] > 1) { /* 0 was told */
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: the tensor has one element",
                                 subject->name, i, subject->tensor->sizes[i]);
        }
    }
}

static void check_agreement(const struct vkdml_instance *instance, const struct vkdml_subject *subject,
                            const VkdmlAgreement *agreement, struct vkdml_report *report) {
    if (!vkdml_agreement_holds(instance, agreement)) {
        return;
    }
    if ((agreement->what & VKDML_AGREE_ONE_ELEMENT) != 0) {
        check_one_element(subject, report);
    }
    if (agreement->field != VKDML_NONE) {
        const struct vkdml_subject other = vkdml_find_subject(instance, &instance->schema->fields[agreement->field], 0);
        if (other.tensor->dimension_count != 0 && other.tensor != subject->tensor) { /* 0: absent */
            check_pair(subject, &other, agreement, report);
        }
    }
}

/* ---- fields ---- */

static void check_tensor(const struct vkdml_instance *instance, const struct vkdml_subject *subject,
                         struct vkdml_report *report) {
    if (subject->tensor->dimension_count == 0) { /* absent */
        return;
    }
    check_support(instance, subject, report);
    const bool sizes_are_sane = check_sizes(subject, report);
    if (sizes_are_sane && is_known(subject->tensor)) {
        check_minimum_bytes(subject, report);
    }
    check_base_alignment(subject, report);
    if (subject->field->kind == VKDML_FIELD_KIND_OUTPUT_TENSOR) {
        check_output(subject, sizes_are_sane, report);
    }
    for (uint32_t i = 0; i < subject->field->agreementCount; i++) {
        check_agreement(instance, subject, &subject->field->agreements[i], report);
    }
}

/* Scalars are elements of the first output's type. */
static void check_scalars_type(const struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                               DML_TENSOR_DATA_TYPE type, struct vkdml_report *report) {
    const DML_TENSOR_DATA_TYPE wanted = instance->outputs[0].data_type;
    if (type != wanted && is_known(&instance->outputs[0])) {
        vkdml_report_invalid_type(report, "%s is %s, must be %s = %s.DataType", field->name, vkdml_data_type_name(type),
                                  vkdml_data_type_name(wanted), vkdml_output_name(instance, 0));
    }
}

static void check_enumerator(const struct vkdml_instance *instance, uint32_t index, struct vkdml_report *report) {
    const VkdmlFieldSchema *field = &instance->schema->fields[index];
    const VkdmlEnumeration *enumeration = field->enumeration;
    const int32_t value = (int32_t)vkdml_field_uint(instance->desc, field);
    for (uint32_t i = 0; i < enumeration->enumeratorCount; i++) {
        const VkdmlEnumerator *enumerator = &enumeration->enumerators[i];
        if (enumerator->value != value) {
            continue;
        }
        if (enumerator->introduced > instance->level) {
            vkdml_report_invalid(report, "%s is %s, which needs DML_FEATURE_LEVEL_%s; the feature level is %s",
                                 field->name, enumerator->name, vkdml_level_name(enumerator->introduced),
                                 vkdml_level_name(instance->level));
        }
        if (vkdml_names_scalars_type(instance->schema, index)) {
            check_scalars_type(instance, field, (DML_TENSOR_DATA_TYPE)value, report);
        }
        return;
    }
    vkdml_report_invalid(report, "%s is %" PRId32 ", must be a supported %s", field->name, value, enumeration->name);
}

void vkdml_schema_check(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const char *context = report->context;
    if (context == NULL) {
        report->context = instance->schema->name;
    }
    for (uint32_t i = 0; i < instance->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &instance->schema->fields[i];
        const uint32_t tensors = vkdml_subject_count(instance, field);
        for (uint32_t k = 0; k < tensors; k++) {
            const struct vkdml_subject subject = vkdml_find_subject(instance, field, k);
            check_tensor(instance, &subject, report);
        }
        if (field->type == VKDML_FIELD_TYPE_ENUM) {
            check_enumerator(instance, i, report);
        }
    }
    for (uint32_t i = 0; i < instance->activation_count; i++) {
        report->part = instance->activations[i].role;
        vkdml_schema_check(&instance->activations[i], report);
        report->part = NULL;
    }
    report->context = context;
}
