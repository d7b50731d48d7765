/* What the table's rules say of outputs that are not known. */
#include "tensor/infer.h"
#include "schema/fields.h"
#include "schema/schema.h"
#include "schema/subject.h"

static void infer_by_other(struct vkdml_tensor *tensor, const struct vkdml_tensor *other, uint32_t what) {
    if ((what & VKDML_AGREE_DATA_TYPE) != 0) {
        vkdml_data_type_is(tensor, other->data_type);
    }
    if ((what & (VKDML_AGREE_DIMENSION_COUNT | VKDML_AGREE_SIZES)) != 0) {
        vkdml_choose_dimension_count(tensor, other->dimension_count);
    }
    const bool has_sizes = (what & VKDML_AGREE_SIZES) != 0 && tensor->dimension_count == other->dimension_count;
    for (uint32_t d = 0; d < tensor->dimension_count && has_sizes; d++) {
        vkdml_choose_size(tensor, d, other->sizes[d]);
    }
}

static void infer_by_agreement(const struct vkdml_instance *instance, struct vkdml_tensor *tensor,
                               const VkdmlAgreement *agreement) {
    if (!vkdml_agreement_holds(instance, agreement)) {
        return;
    }
    if (agreement->field != VKDML_NONE) {
        const struct vkdml_subject other = vkdml_find_subject(instance, &instance->schema->fields[agreement->field], 0);
        infer_by_other(tensor, other.tensor, agreement->what);
    }
    for (uint32_t d = 0; d < tensor->dimension_count && (agreement->what & VKDML_AGREE_ONE_ELEMENT) != 0; d++) {
        vkdml_choose_size(tensor, d, 1);
    }
}

/* The one type, and dimension count, that a level takes. */
static void infer_by_support(struct vkdml_tensor *tensor, const VkdmlTensorSupport *support) {
    if (support->minDimensionCount == support->maxDimensionCount) {
        vkdml_choose_dimension_count(tensor, support->minDimensionCount);
    }
    for (uint32_t type = 0; type < 32; type++) {
        if (support->dataTypes == 1u << type) {
            vkdml_data_type_is(tensor, (DML_TENSOR_DATA_TYPE)type);
        }
    }
}

/* Scalars are elements of the first output's type. */
static void infer_by_scalars(struct vkdml_instance *instance) {
    for (uint32_t i = 0; i < instance->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &instance->schema->fields[i];
        const DML_TENSOR_DATA_TYPE type =
            (DML_TENSOR_DATA_TYPE)(field->type == VKDML_FIELD_TYPE_ENUM ? vkdml_field_uint(instance->desc, field)
                                                                        : DML_TENSOR_DATA_TYPE_UNKNOWN);
        if (vkdml_data_type_bits(type) != 0 && vkdml_names_scalars_type(instance->schema, i)) {
            vkdml_data_type_is(&instance->outputs[0], type);
        }
    }
}

void vkdml_schema_infer(struct vkdml_instance *instance) {
    for (uint32_t i = 0; i < instance->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &instance->schema->fields[i];
        const uint32_t count = field->kind == VKDML_FIELD_KIND_OUTPUT_TENSOR ? vkdml_subject_count(instance, field) : 0;
        for (uint32_t k = 0; k < count; k++) {
            struct vkdml_tensor *tensor = vkdml_find_subject(instance, field, k).tensor;
            for (uint32_t a = 0; a < field->agreementCount; a++) {
                infer_by_agreement(instance, tensor, &field->agreements[a]);
            }
            infer_by_support(tensor, vkdml_find_support(field, instance->level));
        }
    }
    infer_by_scalars(instance);
}
