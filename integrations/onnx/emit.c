/* Operators: descriptors are completed from the table of the library, held to its rules, and computed at once where all
 * is known and little. */
#include <string.h>

#include "onnx/plan_parts.h"

#define ROUND_UP_4(bytes) (((bytes) + 3) / 4 * 4)

struct onnx_tensor *onnx_constant(const struct onnx_call *call, enum onnx_type type, uint32_t rank,
                                  const uint32_t *sizes, const void *data) {
    if (!onnx_is_countable(rank, sizes)) {
        onnx_refuse(call, "a tensor of more than 2^32 - 1 elements");
        return NULL;
    }
    const size_t bytes = onnx_bytes_of(type, onnx_elements(rank, sizes));
    void *copy = bytes == SIZE_MAX ? NULL : onnx_allocate(&call->plan->arena, bytes + 4, 1);
    if (copy == NULL) {
        onnx_memory_is_out(call);
        return NULL;
    }
    if (bytes != 0) {
        memcpy(copy, data, bytes);
    }
    struct onnx_tensor *tensor = onnx_add_data(call->plan, type, rank, sizes, copy, bytes, 0);
    return tensor != NULL || onnx_memory_is_out(call) ? tensor : NULL;
}

struct onnx_tensor *onnx_number(const struct onnx_call *call, enum onnx_type type, double number) {
    if (type == ONNX_DOUBLE) {
        return onnx_constant(call, type, 0, NULL, &number);
    }
    if (type == ONNX_FLOAT || type == ONNX_FLOAT16) {
        const float value = (float)number;
        return onnx_cast(call, onnx_constant(call, ONNX_FLOAT, 0, NULL, &value), type);
    }
    const int64_t value = (int64_t)number;
    return onnx_cast(call, onnx_constant(call, ONNX_INT64, 0, NULL, &value), type);
}

struct onnx_tensor *onnx_fill(const struct onnx_call *call, enum onnx_type type, uint32_t rank, const uint32_t *sizes,
                              double number) {
    return onnx_broadcast(call, onnx_number(call, type, number), rank, sizes);
}

struct onnx_tensor *onnx_declare(const struct onnx_call *call, enum onnx_type type, uint32_t rank,
                                 const uint32_t *sizes) {
    if (!onnx_is_countable(rank, sizes)) {
        onnx_refuse(call, "a tensor of more than 2^32 - 1 elements");
        return NULL;
    }
    struct onnx_tensor *tensor = onnx_add_tensor(call->plan, type, rank, sizes, ONNX_NONE);
    return tensor != NULL || onnx_memory_is_out(call) ? tensor : NULL;
}

/* ---- descriptors ---- */

struct emission {
    const struct onnx_call *call;
    const VkdmlOperatorSchema *schema;
    unsigned char *desc; /* the plan's copy */
    DML_OPERATOR_DESC op;
    bool is_kept; /* a node, also where all is known */
    uint32_t input_count, output_count;
    struct onnx_tensor *const *inputs;
    struct onnx_tensor **own_inputs; /* the same array */
    struct onnx_tensor **outputs;
    VkdmlTensorShape *shapes;
    DML_BUFFER_TENSOR_DESC *buffers; /* of the outputs */
    DML_TENSOR_DESC *descs;          /* likewise */
};

static void *allocate(const struct emission *e, size_t count, size_t size) {
    void *memory = onnx_allocate(&e->call->plan->arena, count, size);
    if (memory == NULL) {
        onnx_memory_is_out(e->call);
    }
    return memory;
}

static bool copy_operator(const struct emission *e, const DML_OPERATOR_DESC *from, DML_OPERATOR_DESC *to);

static uint32_t read_count(const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field,
                           const unsigned char *desc) {
    uint32_t count = 1;
    if (field->countField != VKDML_NONE) {
        memcpy(&count, desc + schema->fields[field->countField].offset, sizeof count);
    }
    return count;
}

/* What a pointer of a descriptor leads to, copied; tensors are another matter. */
static bool copy_field(const struct emission *e, const VkdmlOperatorSchema *schema, const VkdmlFieldSchema *field,
                       unsigned char *desc) {
    size_t size;
    switch (field->type) {
    case VKDML_FIELD_TYPE_UINT_ARRAY:
    case VKDML_FIELD_TYPE_INT_ARRAY:
    case VKDML_FIELD_TYPE_FLOAT_ARRAY:
        size = sizeof(uint32_t);
        break;
    case VKDML_FIELD_TYPE_SCALE_BIAS:
        size = sizeof(DML_SCALE_BIAS);
        break;
    case VKDML_FIELD_TYPE_OPERATOR_DESC:
    case VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY:
        size = sizeof(DML_OPERATOR_DESC);
        break;
    default:
        return true;
    }
    const void *from;
    memcpy(&from, desc + field->offset, sizeof from);
    if (from == NULL) {
        return true;
    }
    const uint32_t count = read_count(schema, field, desc);
    void *copy = allocate(e, count, size);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, from, count * size);
    memcpy(desc + field->offset, &copy, sizeof copy);
    if (size != sizeof(DML_OPERATOR_DESC)) {
        return true;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!copy_operator(e, (const DML_OPERATOR_DESC *)from + i, (DML_OPERATOR_DESC *)copy + i)) {
            return false;
        }
    }
    return true;
}

static bool copy_operator(const struct emission *e, const DML_OPERATOR_DESC *from, DML_OPERATOR_DESC *to) {
    const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(from->Type);
    unsigned char *desc = schema == NULL ? NULL : allocate(e, 1, schema->descSize);
    if (desc == NULL) {
        return onnx_refuse(e->call, "no operator %d", (int)from->Type);
    }
    memcpy(desc, from->Desc, schema->descSize);
    *to = (DML_OPERATOR_DESC){from->Type, desc};
    for (uint32_t f = 0; f < schema->fieldCount; ++f) {
        if (!copy_field(e, schema, &schema->fields[f], desc)) {
            return false;
        }
    }
    return true;
}

static bool describe(const struct emission *e, const struct onnx_tensor *tensor, DML_BUFFER_TENSOR_DESC *buffer) {
    const struct onnx_source *source = &e->call->plan->sources[tensor->source];
    const uint32_t rank = tensor->rank == 0 ? 1 : tensor->rank;
    uint32_t *sizes = allocate(e, 2 * rank, sizeof *sizes);
    if (sizes == NULL) {
        return false;
    }
    sizes[0] = 1;
    memcpy(sizes, tensor->sizes, tensor->rank * sizeof *sizes);
    memcpy(sizes + rank, tensor->strides, tensor->rank * sizeof *sizes);
    const bool is_owned = source->kind == ONNX_SOURCE_HOST && source->bytes > ONNX_CONSTANT_BYTES;
    *buffer = (DML_BUFFER_TENSOR_DESC){.DataType = onnx_dml_type(tensor->type),
                                       .Flags = is_owned ? DML_TENSOR_FLAG_OWNED_BY_DML : DML_TENSOR_FLAG_NONE,
                                       .DimensionCount = rank,
                                       .Sizes = sizes,
                                       .Strides = tensor->is_strided && tensor->rank != 0 ? sizes + rank : NULL,
                                       .TotalTensorSizeInBytes = ROUND_UP_4(source->bytes)};
    return true;
}

static bool describe_input(const struct emission *e, uint32_t index, DML_TENSOR_DESC *desc) {
    const struct onnx_tensor *tensor = e->inputs[index];
    if (onnx_dml_type(tensor->type) == DML_TENSOR_DATA_TYPE_UNKNOWN) {
        return onnx_refuse(e->call, "%s: DirectML has no such type", onnx_type_name(tensor->type));
    }
    if (tensor->source == ONNX_NONE) {
        return onnx_refuse(e->call, "a tensor of no elements");
    }
    DML_BUFFER_TENSOR_DESC *buffer = allocate(e, 1, sizeof *buffer);
    *desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, buffer};
    return buffer != NULL && describe(e, tensor, buffer);
}

/* Points a field of the descriptor to tensors that are there, those from *next on. */
static bool set_inputs(const struct emission *e, const VkdmlFieldSchema *field, uint32_t *next) {
    const bool is_array = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    const uint32_t count = is_array ? read_count(e->schema, field, e->desc) : 1;
    DML_TENSOR_DESC *descs = NULL;
    if (*next < e->input_count && (is_array || e->inputs[*next] != NULL)) {
        descs = allocate(e, count, sizeof *descs);
        if (descs == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < count && *next + i < e->input_count; ++i) {
            if (e->inputs[*next + i] == NULL) {
                return onnx_refuse(e->call, "an input is missing");
            }
            if (!describe_input(e, *next + i, &descs[i])) {
                return false;
            }
        }
    }
    memcpy(e->desc + field->offset, &descs, sizeof descs);
    *next += count;
    return true;
}

/* Outputs as far as they are known. */
static bool set_outputs(const struct emission *e, const VkdmlFieldSchema *field, uint32_t *next) {
    const bool is_array = field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
    const uint32_t count = is_array ? read_count(e->schema, field, e->desc) : 1;
    DML_TENSOR_DESC *descs = NULL;
    for (uint32_t i = *next; i < *next + count && i < e->output_count; ++i) {
        const struct onnx_tensor *declared = e->outputs[i];
        if (declared == &onnx_absent) {
            continue;
        }
        descs = &e->descs[*next];
        e->descs[i] = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, NULL};
        if (declared == NULL) {
            continue;
        }
        const uint32_t rank = declared->rank == 0 ? 1 : declared->rank;
        uint32_t *sizes = allocate(e, rank, sizeof *sizes);
        if (sizes == NULL) {
            return false;
        }
        sizes[0] = 1;
        memcpy(sizes, declared->sizes, declared->rank * sizeof *sizes);
        e->buffers[i] =
            (DML_BUFFER_TENSOR_DESC){.DataType = onnx_dml_type(declared->type), .DimensionCount = rank, .Sizes = sizes};
        e->descs[i].Desc = &e->buffers[i];
    }
    memcpy(e->desc + field->offset, &descs, sizeof descs);
    *next += count;
    return true;
}

static bool set_tensors(const struct emission *e, VkdmlFieldKind kind) {
    uint32_t next = 0;
    for (uint32_t f = 0; f < e->schema->fieldCount; ++f) {
        const VkdmlFieldSchema *field = &e->schema->fields[f];
        if (field->kind != kind) {
            continue;
        }
        if (!(kind == VKDML_FIELD_KIND_INPUT_TENSOR ? set_inputs(e, field, &next) : set_outputs(e, field, &next))) {
            return false;
        }
    }
    return true;
}

/* DirectML's reasons are lines; the first is told. */
static bool refuse_operator(const struct emission *e) {
    const char *reasons = vkdmlGetErrorMessage();
    const size_t length = strcspn(reasons, "\n");
    return onnx_refuse(e->call, "%.*s", (int)(length < 300 ? length : 300), reasons);
}

/* ---- results ---- */

/* Sizes of outputs, and memory for their descriptions. */
static bool infer(struct emission *e) {
    if (vkdmlInferOutputSizes(&e->op, 0, e->output_count, e->shapes) != VKDML_SUCCESS) {
        return refuse_operator(e);
    }
    for (uint32_t i = 0; i < e->output_count; ++i) {
        VkdmlTensorShape *shape = &e->shapes[i];
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
        uint32_t *sizes = allocate(e, shape->dimensionCount, sizeof *sizes);
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
    return vkdmlValidateOperator(&e->op, 0) == VKDML_SUCCESS || refuse_operator(e);
}

static uint64_t depends_of(const struct emission *e) {
    uint64_t depends = 0;
    for (uint32_t i = 0; i < e->input_count; ++i) {
        if (e->inputs[i] != NULL) {
            depends |= e->call->plan->sources[e->inputs[i]->source].depends;
        }
    }
    return depends;
}

static size_t bytes_of(const struct onnx_tensor *tensor) {
    return onnx_bytes_of(tensor->type, onnx_count(tensor));
}

/* What the graph sees more in than its results: patterns of quantized numbers, filters and biases among them. */
static bool stays(DML_OPERATOR_TYPE type) {
    return type == DML_OPERATOR_RANDOM_GENERATOR || type == DML_OPERATOR_DEQUANTIZE ||
           type == DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR;
}

static bool is_foldable(const struct emission *e) {
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
    return bytes <= e->call->plan->fold_limit && !stays(e->op.Type);
}

static bool fold(struct emission *e) {
    VkdmlHostBinding *bindings = allocate(e, e->input_count + e->output_count + 1, sizeof *bindings);
    if (bindings == NULL) {
        return false;
    }
    VkdmlHostBinding *outputs = bindings + e->input_count;
    const struct onnx_plan *plan = e->call->plan;
    for (uint32_t i = 0; i < e->input_count; ++i) {
        if (e->inputs[i] != NULL) {
            const struct onnx_source *source = &plan->sources[e->inputs[i]->source];
            const union {
                const void *constant;
                void *data;
            } place = {source->data}; /* it is only read */
            bindings[i] = (VkdmlHostBinding){place.data, ROUND_UP_4(source->bytes)};
        }
    }
    for (uint32_t i = 0; i < e->output_count; ++i) {
        if (e->outputs[i] != &onnx_absent) {
            const size_t bytes = ROUND_UP_4(bytes_of(e->outputs[i]));
            outputs[i] = (VkdmlHostBinding){allocate(e, bytes, 1), bytes};
            if (outputs[i].data == NULL) {
                return false;
            }
        }
    }
    const VkdmlReferenceInfo info = {.structSize = sizeof info,
                                     .desc = &e->op,
                                     .flags = VKDML_COMPILE_FLAG_ZERO_UNDEFINED,
                                     .inputCount = e->input_count,
                                     .inputs = bindings,
                                     .outputCount = e->output_count,
                                     .outputs = outputs};
    if (vkdmlReferenceExecute(&info) != VKDML_SUCCESS) {
        return refuse_operator(e);
    }
    const uint64_t depends = depends_of(e);
    for (uint32_t i = 0; i < e->output_count; ++i) {
        struct onnx_tensor *output = e->outputs[i];
        if (output != &onnx_absent) {
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

static void find_optional(const struct emission *e, bool *is_optional) {
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

static bool add_node(struct emission *e) {
    struct onnx_plan *plan = e->call->plan;
    bool *is_optional = allocate(e, e->output_count, sizeof *is_optional);
    uint32_t *inputs = allocate(e, e->input_count + e->output_count, sizeof *inputs);
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
                                    .is_optional = is_optional};
    for (uint32_t i = 0; i < e->input_count; ++i) {
        inputs[i] = e->inputs[i] == NULL ? ONNX_NONE : e->inputs[i]->source;
    }
    const uint64_t depends = depends_of(e);
    for (uint32_t i = 0; i < e->output_count; ++i) {
        node->outputs[i] = ONNX_NONE;
        if (e->outputs[i] == &onnx_absent) {
            continue;
        }
        node->outputs[i] = onnx_add_source(plan, &(struct onnx_source){.kind = ONNX_SOURCE_NODE,
                                                                       .number = plan->node_count,
                                                                       .output = i,
                                                                       .bytes = bytes_of(e->outputs[i]),
                                                                       .depends = depends});
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

static uint32_t count_tensors(const VkdmlOperatorSchema *schema, const unsigned char *desc, VkdmlFieldKind kind) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < schema->fieldCount; ++f) {
        const VkdmlFieldSchema *field = &schema->fields[f];
        if (field->kind == kind) {
            count += field->type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY ? read_count(schema, field, desc) : 1;
        }
    }
    return count;
}

/* The arrays by their full lengths: what the caller leaves out at their ends is absent. */
static bool lengthen(struct emission *e, uint32_t input_count, struct onnx_tensor *const *inputs, uint32_t output_count,
                     struct onnx_tensor *const *outputs) {
    e->input_count = count_tensors(e->schema, e->desc, VKDML_FIELD_KIND_INPUT_TENSOR);
    e->output_count = count_tensors(e->schema, e->desc, VKDML_FIELD_KIND_OUTPUT_TENSOR);
    struct onnx_tensor **all = allocate(e, e->input_count + e->output_count, sizeof *all);
    e->shapes = allocate(e, e->output_count, sizeof *e->shapes);
    e->buffers = allocate(e, e->output_count, sizeof *e->buffers);
    e->descs = allocate(e, e->output_count, sizeof *e->descs);
    if (all == NULL || e->shapes == NULL || e->buffers == NULL || e->descs == NULL) {
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

static bool emit_into(struct emission *e, DML_OPERATOR_TYPE type, const void *desc, uint32_t input_count,
                      struct onnx_tensor *const *inputs, uint32_t output_count, struct onnx_tensor **outputs);

/* Recurrent networks take nothing that is OWNED_BY_DML: a copy of it instead, which is made at initialization. */
static bool disown(const struct emission *e) {
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
        struct emission copying = {
            .call = e->call, .schema = vkdmlGetOperatorSchema(DML_OPERATOR_ELEMENT_WISE_IDENTITY), .is_kept = true};
        if (!emit_into(&copying, DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, 1, &input, 1, &copy)) {
            return false;
        }
        e->own_inputs[i] = copy;
    }
    return true;
}

static bool emit_into(struct emission *e, DML_OPERATOR_TYPE type, const void *desc, uint32_t input_count,
                      struct onnx_tensor *const *inputs, uint32_t output_count, struct onnx_tensor **outputs) {
    if (!copy_operator(e, &(DML_OPERATOR_DESC){type, desc}, &e->op)) {
        return false;
    }
    union {
        const void *constant;
        void *own;
    } copied = {e->op.Desc};
    e->desc = copied.own;
    if (!lengthen(e, input_count, inputs, output_count, outputs) || !disown(e) ||
        !set_tensors(e, VKDML_FIELD_KIND_INPUT_TENSOR) || !set_tensors(e, VKDML_FIELD_KIND_OUTPUT_TENSOR) ||
        !infer(e) || !(!e->is_kept && is_foldable(e) ? fold(e) : add_node(e))) {
        return false;
    }
    for (uint32_t i = 0; i < output_count; ++i) {
        outputs[i] = e->outputs[i];
    }
    return true;
}

bool onnx_emit(const struct onnx_call *call, DML_OPERATOR_TYPE type, void *desc, uint32_t input_count,
               struct onnx_tensor *const *inputs, uint32_t output_count, struct onnx_tensor **outputs) {
    struct emission e = {.call = call, .schema = vkdmlGetOperatorSchema(type)};
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

/* ---- element by element ---- */

struct onnx_tensor *onnx_binary(const struct onnx_call *call, DML_OPERATOR_TYPE type, struct onnx_tensor *a,
                                struct onnx_tensor *b) {
    uint32_t rank, sizes[ONNX_MAX_RANK];
    if (a == NULL || b == NULL || !onnx_broadcast_sizes(call, 2, (struct onnx_tensor *[]){a, b}, &rank, sizes)) {
        return NULL;
    }
    a = onnx_broadcast(call, a, rank, sizes);
    b = onnx_broadcast(call, b, rank, sizes);
    if (a == NULL || b == NULL) {
        return NULL;
    }
    if (onnx_is_empty(a)) {
        return onnx_declare(call, a->type, rank, sizes);
    }
    struct onnx_tensor *both[] = {a, b};
    DML_ELEMENT_WISE_ADD_OPERATOR_DESC desc = {0};
    return onnx_align(call, 2, both) ? onnx_reshape(call, onnx_make(call, type, &desc, 2, both), rank, sizes) : NULL;
}

struct onnx_tensor *onnx_cast(const struct onnx_call *call, struct onnx_tensor *tensor, enum onnx_type type) {
    if (tensor == NULL || tensor->type == type) {
        return tensor;
    }
    if (onnx_is_empty(tensor)) {
        return onnx_declare(call, type, tensor->rank, tensor->sizes);
    }
    DML_CAST_OPERATOR_DESC desc = {0};
    struct onnx_tensor *cast = onnx_declare(call, type, tensor->rank, tensor->sizes);
    return cast != NULL && onnx_emit(call, DML_OPERATOR_CAST, &desc, ONNX_TENSORS(tensor), 1, &cast)
               ? onnx_reshape(call, cast, tensor->rank, tensor->sizes)
               : NULL;
}
