/* The rules that the table holds: what every operator's tensors and enumerations must be at a feature level. */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "schema/schema.h"

#define DATA_TYPE_PREFIX "DML_TENSOR_DATA_TYPE_"

static const struct vkdml_tensor *tensor_of(const struct vkdml_instance *instance, const VkdmlFieldSchema *field) {
    return field->kind == VKDML_FIELD_KIND_INPUT_TENSOR ? &instance->inputs[field->bindingIndex]
                                                        : &instance->outputs[field->bindingIndex];
}

/* The newest row of support not above the level. */
static const VkdmlTensorSupport *find_support(const VkdmlFieldSchema *field, DML_FEATURE_LEVEL level) {
    for (uint32_t i = 0; i < field->supportCount; i++) {
        if (field->support[i].level <= level) {
            return &field->support[i];
        }
    }
    assert(false && "a tensor is newer than its operator");
    return &field->support[field->supportCount - 1];
}

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

static void check_support(const struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                          const struct vkdml_tensor *tensor, struct vkdml_report *report) {
    const VkdmlTensorSupport *support = find_support(field, instance->level);
    const char *level = vkdml_level_name(instance->level);
    if ((support->dataTypes & (1u << tensor->data_type)) == 0) {
        char types[128];
        list_data_types(support->dataTypes, types, sizeof types);
        vkdml_report_invalid(report, "%s.DataType is %s, must be one of %s at feature level %s", field->name,
                             vkdml_data_type_name(tensor->data_type), types, level);
    }
    const uint32_t count = tensor->dimension_count;
    if (count >= support->minDimensionCount && count <= support->maxDimensionCount) {
        return;
    }
    if (support->minDimensionCount == support->maxDimensionCount) {
        vkdml_report_invalid(report, "%s.DimensionCount is %" PRIu32 ", must be %" PRIu32 " at feature level %s",
                             field->name, count, support->minDimensionCount, level);
    } else {
        vkdml_report_invalid(report,
                             "%s.DimensionCount is %" PRIu32 ", must be %" PRIu32 " to %" PRIu32 " at feature level %s",
                             field->name, count, support->minDimensionCount, support->maxDimensionCount, level);
    }
}

/* ---- extent ---- */

/* Sizes and their product. False where what follows from them would be nonsense. */
static bool check_sizes(const VkdmlFieldSchema *field, const struct vkdml_tensor *tensor, struct vkdml_report *report) {
    bool sane = true;
    for (uint32_t i = 0; i < tensor->dimension_count; i++) {
        if (tensor->sizes[i] == 0) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is 0, must be at least 1", field->name, i);
            sane = false;
        }
    }
    uint64_t count;
    if (!vkdml_element_count(tensor->dimension_count, tensor->sizes, &count)) {
        vkdml_report_invalid(report, "the product of %s.Sizes is above %" PRIu64 ", must be at most %" PRIu32,
                             field->name, UINT64_MAX, UINT32_MAX);
        sane = false;
    } else if (count > UINT32_MAX) {
        vkdml_report_invalid(report, "the product of %s.Sizes is %" PRIu64 ", must be at most %" PRIu32, field->name,
                             count, UINT32_MAX);
        sane = false;
    }
    return sane;
}

static void check_minimum_bytes(const VkdmlFieldSchema *field, const struct vkdml_tensor *tensor,
                                struct vkdml_report *report) {
    uint64_t minimum;
    if (!vkdml_minimum_bytes(tensor->element_size, tensor->dimension_count, tensor->sizes, tensor->strides, &minimum)) {
        vkdml_report_invalid(report,
                             "%s.Strides put the last element beyond 2^64 bytes, must keep "
                             "(dot(Sizes - 1, Strides) + 1) * %" PRIu32 " below that",
                             field->name, tensor->element_size);
    } else if (tensor->total_bytes < minimum) {
        vkdml_report_invalid(report,
                             "%s.TotalTensorSizeInBytes is %" PRIu64 ", must be at least %" PRIu64
                             " = (dot(Sizes - 1, %s) + 1) * %" PRIu32 ", rounded up to 4",
                             field->name, tensor->total_bytes, minimum,
                             tensor->has_strides ? "Strides" : "packed strides", tensor->element_size);
    }
}

static void check_base_alignment(const VkdmlFieldSchema *field, const struct vkdml_tensor *tensor,
                                 struct vkdml_report *report) {
    const uint32_t alignment = tensor->base_alignment;
    const bool is_power_of_two = (alignment & (alignment - 1)) == 0;
    if (alignment != 0 && (!is_power_of_two || alignment < tensor->element_size)) {
        vkdml_report_invalid(report,
                             "%s.GuaranteedBaseOffsetAlignment is %" PRIu32
                             ", must be 0 or a power of two of at least %" PRIu32 ", the element's size",
                             field->name, alignment, tensor->element_size);
    }
}

/* ---- outputs ---- */

/* Elements of an output must lie apart: two invocations would write one place. */
static void check_output_strides(const VkdmlFieldSchema *field, const struct vkdml_tensor *tensor,
                                 struct vkdml_report *report) {
    bool repeats = false;
    for (uint32_t i = 0; i < tensor->dimension_count; i++) {
        if (tensor->strides[i] == 0 && tensor->sizes[i] > 1) {
            vkdml_report_invalid(report,
                                 "%s.Strides[%" PRIu32 "] is 0, must be at least 1 in an output where Sizes[%" PRIu32
                                 "] (%" PRIu32 ") is above 1",
                                 field->name, i, i, tensor->sizes[i]);
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
            field->name);
        break;
    case VKDML_OVERLAP_UNDECIDED:
        vkdml_report_invalid(report,
                             "%s.Strides is too entangled to tell whether two elements overlap, must be simpler in an "
                             "output",
                             field->name);
        break;
    }
}

static void check_output(const VkdmlFieldSchema *field, const struct vkdml_tensor *tensor, bool sizes_are_sane,
                         struct vkdml_report *report) {
    if ((tensor->flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0) {
        vkdml_report_invalid(
            report, "%s.Flags is DML_TENSOR_FLAG_OWNED_BY_DML, must be DML_TENSOR_FLAG_NONE in an output", field->name);
    }
    if (sizes_are_sane && tensor->has_strides) {
        check_output_strides(field, tensor, report);
    }
}

/* ---- agreement between tensors ---- */

static void check_agreement(const struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                            const struct vkdml_tensor *tensor, struct vkdml_report *report) {
    const VkdmlFieldSchema *other_field = &instance->schema->fields[field->agreesWith];
    const struct vkdml_tensor *other = tensor_of(instance, other_field);
    if (other->dimension_count == 0) { /* absent */
        return;
    }
    if ((field->agreement & VKDML_AGREE_DATA_TYPE) != 0 && tensor->data_type != other->data_type) {
        vkdml_report_invalid(report, "%s.DataType is %s, must be %s = %s.DataType", field->name,
                             vkdml_data_type_name(tensor->data_type), vkdml_data_type_name(other->data_type),
                             other_field->name);
    }
    if ((field->agreement & (VKDML_AGREE_DIMENSION_COUNT | VKDML_AGREE_SIZES)) != 0 &&
        tensor->dimension_count != other->dimension_count) {
        vkdml_report_invalid(report, "%s.DimensionCount is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount",
                             field->name, tensor->dimension_count, other->dimension_count, other_field->name);
        return;
    }
    if ((field->agreement & VKDML_AGREE_SIZES) == 0) {
        return;
    }
    for (uint32_t i = 0; i < tensor->dimension_count; i++) {
        if (tensor->sizes[i] != other->sizes[i]) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 field->name, i, tensor->sizes[i], other->sizes[i], other_field->name, i);
        }
    }
}

/* ---- fields ---- */

static void check_tensor(const struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                         struct vkdml_report *report) {
    const struct vkdml_tensor *tensor = tensor_of(instance, field);
    if (tensor->dimension_count == 0) { /* absent */
        return;
    }
    check_support(instance, field, tensor, report);
    const bool sizes_are_sane = check_sizes(field, tensor, report);
    if (sizes_are_sane) {
        check_minimum_bytes(field, tensor, report);
    }
    check_base_alignment(field, tensor, report);
    if (field->kind == VKDML_FIELD_KIND_OUTPUT_TENSOR) {
        check_output(field, tensor, sizes_are_sane, report);
    }
    if (field->agreesWith != VKDML_NONE) {
        check_agreement(instance, field, tensor, report);
    }
}

static void check_enumerator(const struct vkdml_instance *instance, const VkdmlFieldSchema *field,
                             struct vkdml_report *report) {
    const VkdmlEnumeration *enumeration = field->enumeration;
    int32_t value;
    memcpy(&value, (const unsigned char *)instance->desc + field->offset, sizeof value);
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
        if (field->type == VKDML_FIELD_TYPE_TENSOR_DESC) {
            check_tensor(instance, field, report);
        } else if (field->type == VKDML_FIELD_TYPE_ENUM) {
            check_enumerator(instance, field, report);
        }
    }
    report->context = context;
}
