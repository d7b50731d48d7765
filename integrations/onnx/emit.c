/* Operators: held to the rules of the library, and computed at once where all is known and little; else nodes. */
#include <string.h>

#include "onnx/emit.h"
#include "onnx/known_operators.h"

/* DirectML's reasons are lines; the first is told. The code says whether types are the reason, see onnx_refuse_type().
 * */
static bool refuse_operator(const struct onnx_emission *e, VkdmlResult result) {
    const char *reasons = vkdmlGetErrorMessage();
    const size_t length = strcspn(reasons, "\n");
    if (result == VKDML_ERROR_INVALID_ARGUMENT && (vkdmlGetErrorCauses() & VKDML_ERROR_CAUSE_DATA_TYPE) != 0) {
        result = VKDML_ERROR_NOT_IMPLEMENTED;
    }
    return onnx_refuse_with(e->call, result, "%.*s", (int)(length < 300 ? length : 300), reasons);
}

/* ---- results ---- */

/* Describes outputs of known sizes. */
static bool describe_outputs(struct onnx_emission *e, const VkdmlTensorShape *shapes) {
    for (uint32_t i = 0; i < e->output_count; ++i) {
        const VkdmlTensorShape *shape = &shapes[i];
        if (shape->dimensionCount == 0) {
            continue;
        }
        if (!onnx_is_countable(shape->dimensionCount, shape->sizes)) {
            return onnx_refuse(e->call, "a tensor of more than 2^32 - 1 elements");
        }
        enum onnx_type type = onnx_type_of_dml(shape->dataType);
        if (e->outputs[i] != NULL) {
            type = e->outputs[i]->type;
        } else if (type == ONNX_UNDEFINED && e->input_count != 0 && e->inputs[0] != NULL) {
            type = e->inputs[0]->type;
        }
        struct onnx_tensor *made = onnx_add_tensor(e->call->plan, type, shape->dimensionCount, shape->sizes, ONNX_NONE);
        uint32_t *sizes = onnx_emission_memory(e, shape->dimensionCount, sizeof *sizes);
        if (made == NULL || sizes == NULL) {
            return onnx_memory_is_out(e->call);
        }
        memcpy(sizes, shape->sizes, shape->dimensionCount * sizeof *sizes);
        e->buffers[i] = (DML_BUFFER_TENSOR_DESC){.DataType = onnx_dml_type(type),
                                                 .DimensionCount = shape->dimensionCount,
                                                 .Sizes = sizes,
                                                 .TotalTensorSizeInBytes = vkdmlCalcBufferTensorSize(
                                                     onnx_dml_type(type), shape->dimensionCount, sizes, NULL)};
        e->descs[i].Desc = &e->buffers[i];
        e->outputs[i] = made;
    }
    return true;
}

/* Finds the outputs of an operator, and whether it is valid: of equal operators once. */
static bool infer(struct onnx_emission *e) {
    e->known = onnx_know_operator(e);
    if (e->known == NULL) {
        return false;
    }
    if (e->known->shapes != NULL) {
        return describe_outputs(e, e->known->shapes);
    }
    VkdmlTensorShape *shapes = onnx_emission_memory(e, e->output_count, sizeof *shapes);
    if (shapes == NULL) {
        return false;
    }
    const VkdmlResult inferred = vkdmlInferOutputSizes(&e->op, 0, e->output_count, shapes);
    if (inferred != VKDML_SUCCESS) {
        return refuse_operator(e, inferred);
    }
    if (!describe_outputs(e, shapes)) {
        return false;
    }
    const VkdmlResult valid = vkdmlValidateOperator(&e->op, 0);
    if (valid != VKDML_SUCCESS) {
        return refuse_operator(e, valid);
    }
    e->known->shapes = shapes;
    return true;
}

static uint64_t depends_of(const struct onnx_emission *e) {
    uint64_t depends = 0;
    for (uint32_t i = 0; i < e->input_count; ++i) {
        if (e->inputs[i] != NULL) {
            depends |= e->call->plan->sources[e->inputs[i]->source].depends;
        }
    }
    return depends;
}

/* Open sizes that results depend on, where they depend on nothing else. */
static uint64_t sizes_of(const struct onnx_emission *e) {
    uint64_t sizes = 0;
    for (uint32_t i = 0; i < e->input_count; ++i) {
        const struct onnx_tensor *input = e->inputs[i];
        const struct onnx_source *source = input == NULL ? NULL : &e->call->plan->sources[input->source];
        if (source != NULL && source->of_sizes == 0 && source->kind != ONNX_SOURCE_HOST) {
            return 0;
        }
        sizes |= source == NULL ? 0 : source->of_sizes;
    }
    return sizes;
}

/* Whether an operator may read what the plan does not fix; if not the plan fixes it. */
static bool check_growing(const struct onnx_emission *e) {
    const struct onnx_plan *plan = e->call->plan;
    uint64_t to_fix = 0, sizes = 0;
    for (uint32_t i = 0; i < e->input_count; ++i) {
        const struct onnx_tensor *input = e->inputs[i];
        if (input != NULL && input->growing != NULL && !plan->allows_growing) {
            to_fix |= onnx_bit_of(input->growing->input);
        }
        sizes |= input == NULL ? 0 : plan->sources[input->source].of_sizes;
    }
    sizes &= ~plan->stepped;
    if (sizes != 0 && !onnx_is_exact(&e->op, e->input_count + e->output_count, e->inputs)) {
        to_fix |= sizes;
    }
    return to_fix == 0 || onnx_fix_sizes(e->call, to_fix);
}

static size_t bytes_of(const struct onnx_tensor *tensor) {
    return onnx_bytes_of(tensor->type, onnx_count(tensor));
}

/* What the graph sees more in than its results: patterns of quantized numbers, filters and biases among them. */
static bool stays(DML_OPERATOR_TYPE type) {
    return type == DML_OPERATOR_RANDOM_GENERATOR || type == DML_OPERATOR_DEQUANTIZE ||
           type == DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR;
}

/* Small results, which shapes depend on, are always computed; larger ones until they take too much memory together. */
static bool fits(const struct onnx_plan *plan, uint64_t bytes) {
    return bytes <= ONNX_SMALL_BYTES || plan->host_bytes + bytes <= plan->host_limit / 4;
}

static bool is_foldable(const struct onnx_emission *e) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < e->input_count; ++i) {
        if (e->inputs[i] != NULL && e->inputs[i]->data == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < e->output_count; ++i) {
        if (e->outputs[i] != &onnx_absent) {
            bytes += bytes_of(e->outputs[i]);
        }
    }
    return bytes <= e->call->plan->fold_limit && !stays(e->op.Type) && fits(e->call->plan, bytes);
}

/* An input of the reference, which is only read: a copy where it is not aligned, as in a mapped file. */
static bool bind_data(const struct onnx_source *source, VkdmlHostBinding *binding, struct onnx_arena *copies) {
    const union {
        const void *constant;
        void *data;
    } place = {source->data};
    *binding = (VkdmlHostBinding){place.data, ONNX_ROUND_UP_4(source->bytes)};
    if ((uintptr_t)source->data % 8 != 0) {
        binding->data = onnx_allocate(copies, ONNX_ROUND_UP_4(source->bytes), 1);
        if (binding->data != NULL) {
            memcpy(binding->data, source->data, source->bytes);
        }
    }
    return binding->data != NULL;
}

static bool bind_folded(const struct onnx_emission *e, VkdmlHostBinding *inputs, VkdmlHostBinding *outputs,
                        struct onnx_arena *copies) {
    const struct onnx_plan *plan = e->call->plan;
    for (uint32_t i = 0; i < e->input_count; ++i) {
        if (e->inputs[i] != NULL && !bind_data(&plan->sources[e->inputs[i]->source], &inputs[i], copies)) {
            return onnx_memory_is_out(e->call);
        }
    }
    for (uint32_t i = 0; i < e->output_count; ++i) {
        if (e->outputs[i] != &onnx_absent) {
            const size_t bytes = ONNX_ROUND_UP_4(bytes_of(e->outputs[i]));
            outputs[i] = (VkdmlHostBinding){onnx_emission_memory(e, bytes, 1), bytes};
            if (outputs[i].data == NULL) {
                return false;
            }
        }
    }
    return true;
}

static bool fold(struct onnx_emission *e) {
    VkdmlHostBinding *bindings = onnx_emission_memory(e, e->input_count + e->output_count + 1, sizeof *bindings);
    if (bindings == NULL) {
        return false;
    }
    VkdmlHostBinding *outputs = bindings + e->input_count;
    struct onnx_arena copies = {0};
    if (!bind_folded(e, bindings, outputs, &copies)) {
        onnx_arena_free(&copies);
        return false;
    }
    const VkdmlReferenceInfo info = {.structSize = sizeof info,
                                     .desc = &e->op,
                                     .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED,
                                     .inputCount = e->input_count,
                                     .inputs = bindings,
                                     .outputCount = e->output_count,
                                     .outputs = outputs};
    const VkdmlResult executed = vkdmlReferenceExecute(&info);
    onnx_arena_free(&copies);
    if (executed != VKDML_SUCCESS) {
        return refuse_operator(e, executed);
    }
    const uint64_t depends = depends_of(e);
    for (uint32_t i = 0; i < e->output_count; ++i) {
        struct onnx_tensor *output = e->outputs[i];
        if (output != &onnx_absent) {
            e->call->plan->host_bytes += bytes_of(output) > ONNX_SMALL_BYTES ? bytes_of(output) : 0;
            e->outputs[i] = onnx_add_data(e->call->plan, output->type, output->rank, output->sizes, outputs[i].data,
                                          bytes_of(output), depends);
            if (e->outputs[i] == NULL) {
                return onnx_memory_is_out(e->call);
            }
        }
    }
    return true;
}

/* ---- nodes ---- */

static bool grow_nodes(struct onnx_plan *plan) {
    if (plan->node_count < plan->node_room) {
        return true;
    }
    const uint32_t room = plan->node_room == 0 ? 64 : plan->node_room * 2;
    struct onnx_plan_node *grown = onnx_allocate(&plan->arena, room, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    if (plan->node_count != 0) {
        memcpy(grown, plan->nodes, plan->node_count * sizeof *grown);
    }
    plan->nodes = grown;
    plan->node_room = room;
    return true;
}

static void find_optional(const struct onnx_emission *e, bool *is_optional) {
    for (uint32_t f = 0; f < e->schema->fieldCount; ++f) {
        const VkdmlFieldSchema *field = &e->schema->fields[f];
        if (field->kind == VKDML_FIELD_KIND_OUTPUT_TENSOR && field->bindingIndex < e->output_count) {
            is_optional[field->bindingIndex] = field->optional != 0;
        }
    }
}

/* The node's name in the model; of one that has none that of the first value that it makes. */
static const char *name_of(const struct onnx_call *call) {
    if (call->node == NULL || call->node->name[0] != 0) {
        return call->node == NULL ? "" : call->node->name;
    }
    for (uint32_t i = 0; i < call->node->output_count; ++i) {
        if (call->node->outputs[i] != ONNX_NONE) {
            return call->scope->graph->values[call->node->outputs[i]].name;
        }
    }
    return "";
}

static bool add_node(struct onnx_emission *e) {
    struct onnx_plan *plan = e->call->plan;
    bool *is_optional = onnx_emission_memory(e, e->output_count, sizeof *is_optional);
    uint32_t *inputs = onnx_emission_memory(e, e->input_count + e->output_count, sizeof *inputs);
    if (is_optional == NULL || inputs == NULL || !grow_nodes(plan)) {
        return onnx_memory_is_out(e->call);
    }
    find_optional(e, is_optional);
    struct onnx_plan_node *node = &plan->nodes[plan->node_count];
    *node = (struct onnx_plan_node){.desc = e->op,
                                    .name = name_of(e->call),
                                    .input_count = e->input_count,
                                    .output_count = e->output_count,
                                    .inputs = inputs,
                                    .outputs = inputs + e->input_count,
                                    .is_optional = is_optional,
                                    .known = e->known->number};
    for (uint32_t i = 0; i < e->input_count; ++i) {
        inputs[i] = e->inputs[i] == NULL ? ONNX_NONE : e->inputs[i]->source;
    }
    const uint64_t depends = depends_of(e), sizes_alone = sizes_of(e);
    for (uint32_t i = 0; i < e->output_count; ++i) {
        node->outputs[i] = ONNX_NONE;
        if (e->outputs[i] == &onnx_absent) {
            continue;
        }
        node->outputs[i] = onnx_add_source(plan, &(struct onnx_source){.kind = ONNX_SOURCE_NODE,
                                                                       .number = plan->node_count,
                                                                       .output = i,
                                                                       .bytes = bytes_of(e->outputs[i]),
                                                                       .depends = depends,
                                                                       .of_sizes = sizes_alone});
        e->outputs[i]->source = node->outputs[i];
        if (node->outputs[i] == ONNX_NONE) {
            return onnx_memory_is_out(e->call);
        }
        struct onnx_source *source = &plan->sources[node->outputs[i]];
        source->rank = e->outputs[i]->rank;
        memcpy(source->sizes, e->outputs[i]->sizes, sizeof source->sizes);
    }
    ++plan->node_count;
    return true;
}

/* The arrays by their full lengths: what the caller leaves out at their ends is absent. */
static bool lengthen(struct onnx_emission *e, uint32_t input_count, struct onnx_tensor *const *inputs,
                     uint32_t output_count, struct onnx_tensor *const *outputs) {
    e->input_count = onnx_count_tensors(e->schema, e->desc, VKDML_FIELD_KIND_INPUT_TENSOR);
    e->output_count = onnx_count_tensors(e->schema, e->desc, VKDML_FIELD_KIND_OUTPUT_TENSOR);
    struct onnx_tensor **all = onnx_emission_memory(e, e->input_count + e->output_count, sizeof *all);
    e->buffers = onnx_emission_memory(e, e->output_count, sizeof *e->buffers);
    e->descs = onnx_emission_memory(e, e->output_count, sizeof *e->descs);
    if (all == NULL || e->buffers == NULL || e->descs == NULL) {
        return false;
    }
    if (input_count > e->input_count || output_count > e->output_count) {
        return onnx_refuse(e->call, "%s has %u inputs and %u outputs", e->schema->name, (unsigned)e->input_count,
                           (unsigned)e->output_count);
    }
    for (uint32_t i = 0; i < input_count; ++i) {
        all[i] = inputs[i];
    }
    e->inputs = all;
    e->own_inputs = all;
    e->outputs = all + e->input_count;
    for (uint32_t i = 0; i < e->output_count; ++i) {
        e->outputs[i] = i < output_count ? outputs[i] : &onnx_absent;
    }
    return true;
}

static bool emit_into(struct onnx_emission *e, DML_OPERATOR_TYPE type, const void *desc, uint32_t input_count,
                      struct onnx_tensor *const *inputs, uint32_t output_count, struct onnx_tensor **outputs);

/* Recurrent networks take nothing that is OWNED_BY_DML: a copy of it instead, which is made at initialization. */
static bool disown(const struct onnx_emission *e) {
    const DML_OPERATOR_TYPE type = e->op.Type;
    if (type != DML_OPERATOR_RNN && type != DML_OPERATOR_GRU && type != DML_OPERATOR_LSTM) {
        return true;
    }
    struct onnx_plan *plan = e->call->plan;
    for (uint32_t i = 0; i < e->input_count; ++i) {
        struct onnx_tensor *input = e->inputs[i];
        if (input == NULL || input->source == ONNX_NONE || plan->sources[input->source].kind != ONNX_SOURCE_HOST ||
            plan->sources[input->source].bytes <= ONNX_CONSTANT_BYTES) {
            continue;
        }
        DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {0};
        struct onnx_tensor *copy = NULL;
        struct onnx_emission copying = {
            .call = e->call, .schema = vkdmlGetOperatorSchema(DML_OPERATOR_ELEMENT_WISE_IDENTITY), .is_kept = true};
        if (!emit_into(&copying, DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, 1, &input, 1, &copy)) {
            return false;
        }
        e->own_inputs[i] = copy;
    }
    return true;
}

static bool emit_into(struct onnx_emission *e, DML_OPERATOR_TYPE type, const void *desc, uint32_t input_count,
                      struct onnx_tensor *const *inputs, uint32_t output_count, struct onnx_tensor **outputs) {
    if (!onnx_copy_operator(e, &(DML_OPERATOR_DESC){type, desc}, &e->op)) {
        return false;
    }
    union {
        const void *constant;
        void *own;
    } copied = {e->op.Desc};
    e->desc = copied.own;
    if (!lengthen(e, input_count, inputs, output_count, outputs) || !disown(e) ||
        !onnx_set_tensors(e, VKDML_FIELD_KIND_INPUT_TENSOR) || !onnx_set_tensors(e, VKDML_FIELD_KIND_OUTPUT_TENSOR) ||
        !infer(e) || !check_growing(e) || !(!e->is_kept && is_foldable(e) ? fold(e) : add_node(e))) {
        return false;
    }
    for (uint32_t i = 0; i < output_count; ++i) {
        outputs[i] = e->outputs[i];
    }
    return true;
}

bool onnx_emit(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc, uint32_t input_count,
               struct onnx_tensor *const *inputs, uint32_t output_count, struct onnx_tensor **outputs) {
    struct onnx_emission e = {.call = call, .schema = vkdmlGetOperatorSchema(type)};
    return emit_into(&e, type, desc, input_count, inputs, output_count, outputs);
}

struct onnx_tensor *onnx_make(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc, uint32_t count,
                              struct onnx_tensor *const *inputs) {
    struct onnx_tensor *output = NULL;
    /* What failed before has been told. */
    for (uint32_t i = 0; i < count; ++i) {
        if (inputs[i] == NULL && call->error->text[0] != 0) {
            return NULL;
        }
    }
    return onnx_emit(call, type, desc, count, inputs, 1, &output) ? output : NULL;
}
