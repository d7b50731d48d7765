/* BATCH_NORMALIZATION_TRAINING, and the gradients of it and of BATCH_NORMALIZATION: statistics of what the scale is
 * broadcast over, a record of four numbers made of them for each element of the scale, and one map that takes these. */
#include <string.h>

#include "base/notes.h"
#include "operators/mapping.h"
#include "operators/scalar.h"
#include "operators/statistics.h"

/* ---- reductions ---- */

/* The dimensions over which one element of a tensor serves several of another, a bit each. */
static uint32_t broadcast_dimensions(const struct vkdml_tensor *scale, const struct vkdml_tensor *input) {
    uint32_t dimensions = 0;
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        dimensions |= (uint32_t)(scale->sizes[d] == 1 && input->sizes[d] > 1) << d;
    }
    return dimensions;
}

static float count_of(const struct vkdml_tensor *input, uint32_t dimensions) {
    uint32_t count = 1; /* at most the elements */
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        count *= (dimensions >> d & 1) != 0 ? input->sizes[d] : 1;
    }
    return (float)count;
}

/* ---- records ---- */

/* Their words, as glsl/map/records.comp has them. */
enum { MEAN_WORD, FACTOR_WORD, OFFSET_WORD, SLOPE_WORD };

/* A record for each element of a tensor; the view is that of their first words. */
static struct vkdml_view begin_records(const struct vkdml_view *like, struct vkdml_builder *builder) {
    struct vkdml_view records = *like;
    records.at.type = DML_TENSOR_DATA_TYPE_FLOAT32;
    vkdml_view_pack(&records);
    for (uint32_t d = 0; d < records.rank; ++d) {
        records.strides[d] *= VKDML_MAP_RECORD_WORDS;
    }
    const uint64_t bytes = (uint64_t)vkdml_view_elements(&records) * VKDML_MAP_RECORD_WORDS * sizeof(float);
    records.at = vkdml_builder_region(builder, "records", bytes, DML_TENSOR_DATA_TYPE_FLOAT32);
    return records;
}

static struct vkdml_view word_of(const struct vkdml_view *records, uint32_t word) {
    struct vkdml_view view = *records;
    view.at.first += word;
    return view;
}

/* What an operation with two numbers makes of one or two tensors; b may be NULL. */
static VkdmlResult plan_word(const struct vkdml_view *target, enum vkdml_map_operation operation,
                             const struct vkdml_view *a, const struct vkdml_view *b, const float arguments[2],
                             struct vkdml_builder *builder) {
    struct vkdml_map map;
    vkdml_map_begin(&map, *target);
    map.operation = operation;
    vkdml_map_set_operand(&map, 0, *a);
    if (b != NULL) {
        vkdml_map_set_operand(&map, 1, *b);
    }
    for (uint32_t i = 0; i < 2; ++i) {
        map.arguments[4 + i] = vkdml_float_bits(arguments[i]);
    }
    return vkdml_map_plan(&map, builder);
}

static VkdmlResult plan_copy(const struct vkdml_view *target, const struct vkdml_view *a,
                             struct vkdml_builder *builder) {
    static const float nothing[2] = {0, 0};
    return plan_word(target, VKDML_MAP_FIRST, a, NULL, nothing, builder);
}

/* ---- BATCH_NORMALIZATION_TRAINING ---- */

enum { INPUT, SCALE, BIAS, FUSED_ADD };   /* among its inputs */
enum { OUTPUT, MEAN, VARIANCE, RESULTS }; /* among its outputs */

/* Whether a reduction can leave its words where the outputs are. */
static bool takes_statistics(const struct vkdml_view *mean, const struct vkdml_view *variance) {
    return mean->at.type == DML_TENSOR_DATA_TYPE_FLOAT32 &&
           memcmp(mean->strides, variance->strides, mean->rank * sizeof(*mean->strides)) == 0;
}

/* FLOAT32, in the outputs or where these are to be copied from. */
static VkdmlResult plan_moments(const struct vkdml_planning *planning, struct vkdml_view moments[2]) {
    const struct vkdml_instance *instance = planning->instance;
    struct vkdml_reduce reduce = {
        .input = vkdml_input_view(instance, INPUT),
        .folded = broadcast_dimensions(&instance->inputs[SCALE], &instance->inputs[INPUT]),
        .function = VKDML_REDUCE_VARIANCE,
    };
    for (uint32_t i = 0; i < 2; ++i) {
        moments[i] = vkdml_output_view(instance, MEAN + i);
    }
    if (!takes_statistics(&moments[0], &moments[1])) {
        struct vkdml_statistics statistics;
        const VkdmlResult result = vkdml_statistics_plan_of(&reduce, planning, &statistics);
        memcpy(moments, statistics.numbers, sizeof(statistics.numbers));
        return result;
    }
    memcpy(reduce.outputs, moments, sizeof(reduce.outputs));
    return vkdml_reduce_plan(&reduce, planning->builder);
}

/* Of mean, scale / deviation and bias; and the outputs, where moments are not in them yet. */
static VkdmlResult plan_records(const struct vkdml_planning *planning, const struct vkdml_view moments[2],
                                struct vkdml_view *records) {
    const DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC *desc = planning->instance->desc;
    const float arguments[2] = {desc->Epsilon, 0};
    const struct vkdml_view scale = vkdml_input_view(planning->instance, SCALE);
    const struct vkdml_view bias = vkdml_input_view(planning->instance, BIAS);
    *records = begin_records(&moments[0], planning->builder);
    const struct vkdml_view mean = word_of(records, MEAN_WORD), factor = word_of(records, FACTOR_WORD);
    const struct vkdml_view offset = word_of(records, OFFSET_WORD);
    VkdmlResult result =
        plan_word(&factor, VKDML_MAP_OVER_DEVIATION, &scale, &moments[1], arguments, planning->builder);
    if (result == VKDML_SUCCESS) {
        result = plan_copy(&mean, &moments[0], planning->builder);
    }
    if (result == VKDML_SUCCESS) {
        result = plan_copy(&offset, &bias, planning->builder);
    }
    for (uint32_t i = 0; i < 2 && result == VKDML_SUCCESS && moments[i].at.resource != VKDML_PLAN_OUTPUT; ++i) {
        const struct vkdml_view output = vkdml_output_view(planning->instance, MEAN + i);
        result = plan_copy(&output, &moments[i], planning->builder);
    }
    return result;
}

static VkdmlResult plan_training(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    struct vkdml_view moments[2], records;
    (void)op;
    VkdmlResult result = plan_moments(planning, moments);
    vkdml_builder_phase(planning->builder);
    if (result == VKDML_SUCCESS) {
        result = plan_records(planning, moments, &records);
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct vkdml_epilogue activation;
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(instance, OUTPUT));
    map.operation = VKDML_MAP_NORMALIZE_BY_RECORD;
    vkdml_map_set_operand(&map, 0, vkdml_input_view(instance, INPUT));
    if (instance->inputs[FUSED_ADD].dimension_count != 0) {
        vkdml_map_set_operand(&map, 1, vkdml_input_view(instance, FUSED_ADD));
    }
    vkdml_map_set_records(&map, records, planning->builder->limits);
    vkdml_mapping_epilogue(instance, &activation);
    vkdml_map_set_epilogue(&map, &activation);
    vkdml_builder_phase(planning->builder);
    return vkdml_map_plan(&map, planning->builder);
}

const struct vkdml_operator vkdml_operator_batch_normalization_training = {
    .plan = plan_training,
    .mapping = {.operation = VKDML_MAP_FIRST, .attributes_of_operation = true},
};

/* ---- gradients ---- */

/* Among the inputs, and among the outputs. */
enum { GRADIENT = 1, GIVEN_MEAN, GIVEN_VARIANCE, GIVEN_SCALE };
enum { OUTPUT_GRADIENT, SCALE_GRADIENT, BIAS_GRADIENT };

/* The sum of a tensor, as FLOAT32. */
static VkdmlResult plan_sum(const struct vkdml_planning *planning, const struct vkdml_view *tensor, uint32_t folded,
                            struct vkdml_view *sum) {
    struct vkdml_view kept = *tensor;
    for (uint32_t d = 0; d < kept.rank; ++d) {
        kept.sizes[d] = (folded >> d & 1) != 0 ? 1 : kept.sizes[d];
    }
    *sum = vkdml_builder_scratch(planning->builder, "sums", &kept, DML_TENSOR_DATA_TYPE_FLOAT32);
    const struct vkdml_reduce reduce = {
        .input = *tensor, .outputs = {*sum}, .folded = folded, .function = VKDML_REDUCE_SUM};
    return vkdml_reduce_plan(&reduce, planning->builder);
}

/* Of products that a map makes first. */
static VkdmlResult plan_sums_in_turn(const struct vkdml_planning *planning, uint32_t folded,
                                     struct vkdml_view sums[2]) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_view gradient = vkdml_input_view(instance, GRADIENT);
    const struct vkdml_view product =
        vkdml_builder_scratch(planning->builder, "products", &gradient, DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_map map;
    vkdml_map_begin(&map, product);
    map.operation = VKDML_MAP_MULTIPLY_DIFFERENCE;
    vkdml_map_set_operand(&map, 0, gradient);
    vkdml_map_set_operand(&map, 1, vkdml_input_view(instance, INPUT));
    vkdml_map_set_operand(&map, 2, vkdml_input_view(instance, GIVEN_MEAN));
    VkdmlResult result = vkdml_map_plan(&map, planning->builder);
    vkdml_builder_phase(planning->builder);
    if (result == VKDML_SUCCESS) {
        result = plan_sum(planning, &gradient, folded, &sums[0]);
    }
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? plan_sum(planning, &product, folded, &sums[1]) : result;
}

/* Of gradients, and of gradients times the distance from the mean. */
static VkdmlResult plan_sums(const struct vkdml_planning *planning, uint32_t folded, struct vkdml_view sums[2]) {
    const struct vkdml_instance *instance = planning->instance;
    struct vkdml_reduce reduce = {
        .input = vkdml_input_view(instance, GRADIENT),
        .folded = folded,
        .function = VKDML_REDUCE_GRADIENTS,
        .beside = vkdml_input_view(instance, INPUT),
        .means = vkdml_input_view(instance, GIVEN_MEAN),
    };
    if (!vkdml_reduce_takes_gradients(&reduce, planning->builder->limits)) {
        vkdml_note(planning->builder->report,
                   "products in the temporary resource: a tensor and its gradient lie differently, or a dispatch may "
                   "have too few storage buffers for both");
        return plan_sums_in_turn(planning, folded, sums);
    }
    struct vkdml_statistics statistics;
    const VkdmlResult result = vkdml_statistics_plan_of(&reduce, planning, &statistics);
    memcpy(sums, statistics.numbers, sizeof(statistics.numbers));
    return result;
}

/* Scale / deviation as a word of records, and the gradients of scale and bias. */
static VkdmlResult plan_small(const struct vkdml_planning *planning, const struct vkdml_view sums[2], float epsilon,
                              const struct vkdml_view *factor) {
    const struct vkdml_instance *instance = planning->instance;
    const float arguments[2] = {epsilon, 0};
    const struct vkdml_view variance = vkdml_input_view(instance, GIVEN_VARIANCE);
    const struct vkdml_view scale = vkdml_input_view(instance, GIVEN_SCALE);
    const struct vkdml_view scale_gradient = vkdml_output_view(instance, SCALE_GRADIENT);
    const struct vkdml_view bias_gradient = vkdml_output_view(instance, BIAS_GRADIENT);
    VkdmlResult result = plan_word(factor, VKDML_MAP_OVER_DEVIATION, &scale, &variance, arguments, planning->builder);
    if (result == VKDML_SUCCESS) {
        result =
            plan_word(&scale_gradient, VKDML_MAP_OVER_DEVIATION, &sums[1], &variance, arguments, planning->builder);
    }
    return result == VKDML_SUCCESS ? plan_copy(&bias_gradient, &sums[0], planning->builder) : result;
}

/* The other words of records: the mean, and of the sums what is taken off gradients. */
static VkdmlResult plan_corrections(const struct vkdml_planning *planning, const struct vkdml_view sums[2],
                                    float epsilon, float count, const struct vkdml_view *records) {
    const struct vkdml_view mean = vkdml_input_view(planning->instance, GIVEN_MEAN);
    const struct vkdml_view variance = vkdml_input_view(planning->instance, GIVEN_VARIANCE);
    const struct vkdml_view mean_word = word_of(records, MEAN_WORD), offset = word_of(records, OFFSET_WORD);
    const struct vkdml_view slope = word_of(records, SLOPE_WORD);
    const float part[2] = {1 / count, 0}, part_over_variance[2] = {epsilon, 1 / count};
    VkdmlResult result = plan_copy(&mean_word, &mean, planning->builder);
    if (result == VKDML_SUCCESS) {
        result = plan_word(&offset, VKDML_MAP_BLEND, &sums[0], &sums[0], part, planning->builder);
    }
    return result == VKDML_SUCCESS
               ? plan_word(&slope, VKDML_MAP_OVER_VARIANCE, &sums[1], &variance, part_over_variance, planning->builder)
               : result;
}

static VkdmlResult plan_grad(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC *desc = instance->desc;
    const uint32_t folded = broadcast_dimensions(&instance->inputs[GIVEN_MEAN], &instance->inputs[INPUT]);
    struct vkdml_view sums[2];
    (void)op;
    VkdmlResult result = plan_sums(planning, folded, sums);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_builder_phase(planning->builder);
    const struct vkdml_view factor =
        vkdml_builder_scratch(planning->builder, "factors", &sums[0], DML_TENSOR_DATA_TYPE_FLOAT32);
    result = plan_small(planning, sums, desc->Epsilon, &factor);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(instance, OUTPUT_GRADIENT));
    map.operation = VKDML_MAP_MULTIPLY;
    vkdml_map_set_operand(&map, 0, vkdml_input_view(instance, GRADIENT));
    vkdml_map_set_operand(&map, 1, factor);
    vkdml_builder_phase(planning->builder);
    return vkdml_map_plan(&map, planning->builder);
}

static VkdmlResult plan_training_grad(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const DML_BATCH_NORMALIZATION_TRAINING_GRAD_OPERATOR_DESC *desc = instance->desc;
    const uint32_t folded = broadcast_dimensions(&instance->inputs[GIVEN_MEAN], &instance->inputs[INPUT]);
    struct vkdml_view sums[2];
    (void)op;
    VkdmlResult result = plan_sums(planning, folded, sums);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_builder_phase(planning->builder);
    const struct vkdml_view records = begin_records(&sums[0], planning->builder);
    const struct vkdml_view factor = word_of(&records, FACTOR_WORD);
    result = plan_small(planning, sums, desc->Epsilon, &factor);
    if (result == VKDML_SUCCESS) {
        result = plan_corrections(planning, sums, desc->Epsilon, count_of(&instance->inputs[INPUT], folded), &records);
    }
    if (result != VKDML_SUCCESS) {
        return result;
    }
    struct vkdml_map map;
    vkdml_map_begin(&map, vkdml_output_view(instance, OUTPUT_GRADIENT));
    map.operation = VKDML_MAP_NORMALIZE_GRAD_BY_RECORD;
    vkdml_map_set_operand(&map, 0, vkdml_input_view(instance, INPUT));
    vkdml_map_set_operand(&map, 1, vkdml_input_view(instance, GRADIENT));
    vkdml_map_set_records(&map, records, planning->builder->limits);
    vkdml_builder_phase(planning->builder);
    return vkdml_map_plan(&map, planning->builder);
}

const struct vkdml_operator vkdml_operator_batch_normalization_grad = {.plan = plan_grad};
const struct vkdml_operator vkdml_operator_batch_normalization_training_grad = {.plan = plan_training_grad};
