#include "operators/attention_rules.h"

#include <inttypes.h>

#include "operators/attention_parts.h"
#include "tensor/infer.h"

enum { QUERIES = VKDML_ATTENTION_QUERIES, KEYS, VALUES, ROLES };

/* What sizes are made of, found of the sources. */
struct shape {
    const struct vkdml_instance *instance;
    struct vkdml_report *report;
    struct vkdml_attention_attributes attributes;
    uint64_t batch, queries, keys, depth, columns;
    uint64_t past, total;
};

/* What a size must be, and why. */
struct wanted {
    uint64_t size;
    const char *meaning;
};

/* ---- tensors ---- */

/* Whether a tensor has these sizes last, and before them nothing but 1. */
static bool check_sizes(const struct shape *shape, struct vkdml_tensor *tensor, const char *name, uint32_t count,
                        const struct wanted *wanted) {
    const uint32_t rank = tensor->dimension_count;
    bool is_right = true;
    for (uint32_t d = 0; d < rank; ++d) {
        const struct wanted one = {1, "1: it leads those that have a meaning"};
        const struct wanted *own = rank - d > count ? &one : &wanted[count - (rank - d)];
        const uint32_t size = tensor->sizes[d];
        if (own->size == 0 || vkdml_size_is(tensor, d, own->size)) { /* 0: any size */
            continue;
        }
        is_right = false;
        if (own == &one) {
            vkdml_report_invalid(shape->report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %s", name, d, size,
                                 own->meaning);
        } else {
            vkdml_report_invalid(shape->report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 ", %s", name,
                                 d, size, own->size, own->meaning);
        }
    }
    for (uint32_t missing = rank; missing < count; ++missing) { /* dimensions that are not there are 1 */
        const struct wanted *own = &wanted[count - 1 - missing];
        if (own->size > 1) {
            vkdml_report_invalid(shape->report, "%s has %" PRIu32 " dimensions, must have one of %" PRIu64 ", %s", name,
                                 rank, own->size, own->meaning);
            is_right = false;
        }
    }
    return is_right;
}

static bool check_input(const struct shape *shape, uint32_t input, uint32_t count, const struct wanted *wanted) {
    struct vkdml_tensor *tensor = &shape->instance->inputs[input];
    return tensor->dimension_count == 0 ||
           check_sizes(shape, tensor, vkdml_input_name(shape->instance, input), count, wanted);
}

static void check_output(const struct shape *shape, uint32_t output, uint32_t count, const struct wanted *wanted) {
    struct vkdml_tensor *tensor = &shape->instance->outputs[output];
    if (tensor->dimension_count != 0 || tensor->is_inferred) {
        vkdml_choose_dimension_count(tensor, count);
        check_sizes(shape, tensor, vkdml_output_name(shape->instance, output), count, wanted);
    }
}

/* ---- sources ---- */

static bool check_sources(const struct shape *shape) {
    static const char *const what[ROLES] = {"queries", "keys", "values"};
    static const char *const from[ROLES] = {
        "QueryTensor, StackedQueryKeyTensor and StackedQueryKeyValueTensor",
        "KeyTensor, StackedQueryKeyTensor, StackedKeyValueTensor and StackedQueryKeyValueTensor",
        "ValueTensor, StackedKeyValueTensor and StackedQueryKeyValueTensor"};
    bool is_right = true;
    for (uint32_t role = QUERIES; role < ROLES; ++role) {
        const uint32_t count = vkdml_attention_source(shape->instance, role).count;
        if (count != 1) {
            vkdml_report_invalid(shape->report, "%s come from %" PRIu32 " tensors, must come from one of %s",
                                 what[role], count, from[role]);
            is_right = false;
        }
    }
    return is_right;
}

static bool check_heads(const struct shape *shape) {
    const struct vkdml_attention_attributes *own = &shape->attributes;
    const bool is_newer = shape->instance->schema->type == DML_OPERATOR_MULTIHEAD_ATTENTION1;
    if (own->query_heads == 0) {
        vkdml_report_invalid(shape->report, "%s is 0, must be at least 1", is_newer ? "QueryHeadCount" : "HeadCount");
        return false;
    }
    if (own->key_heads == 0 || own->query_heads % own->key_heads != 0) {
        vkdml_report_invalid(shape->report,
                             "KeyValueHeadCount is %" PRIu32 ", must divide %" PRIu32 " = QueryHeadCount",
                             own->key_heads, own->query_heads);
        return false;
    }
    const struct vkdml_attention_source source = vkdml_attention_source(shape->instance, QUERIES);
    if (source.stack != 0 && own->query_heads != own->key_heads) {
        vkdml_report_invalid(shape->report,
                             "KeyValueHeadCount is %" PRIu32 ", must be %" PRIu32
                             " = QueryHeadCount: %s has keys of as many heads",
                             own->key_heads, own->query_heads, vkdml_input_name(shape->instance, source.input));
        return false;
    }
    return true;
}

/* The elements of a head of what is not stacked; 0 where heads do not divide it. */
static uint32_t split(const struct shape *shape, uint32_t input, uint32_t heads, const char *name) {
    const struct vkdml_tensor *tensor = &shape->instance->inputs[input];
    const uint32_t last = tensor->dimension_count - 1;
    if (tensor->sizes[last] % heads == 0) {
        return tensor->sizes[last] / heads;
    }
    vkdml_report_invalid(shape->report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be a multiple of %" PRIu32 " = %s",
                         vkdml_input_name(shape->instance, input), last, tensor->sizes[last], heads, name);
    return 0;
}

/* Sizes as each source says them: of rows and of the elements of a head. */
static bool measure(const struct shape *shape, uint32_t role, uint64_t *batch, uint64_t *rows, uint64_t *width) {
    const struct vkdml_attention_source source = vkdml_attention_source(shape->instance, role);
    const struct vkdml_tensor *tensor = &shape->instance->inputs[source.input];
    const bool is_newer = shape->instance->schema->type == DML_OPERATOR_MULTIHEAD_ATTENTION1;
    const uint32_t count = source.stack != 0 ? 5 : 3;
    *batch = vkdml_attention_size(tensor, count, 0);
    *rows = vkdml_attention_size(tensor, count, 1);
    if (source.stack != 0) {
        *width = tensor->sizes[4];
    } else if (role == QUERIES) {
        *width = split(shape, source.input, shape->attributes.query_heads, is_newer ? "QueryHeadCount" : "HeadCount");
    } else {
        *width = split(shape, source.input, shape->attributes.key_heads, is_newer ? "KeyValueHeadCount" : "HeadCount");
    }
    return *width != 0;
}

/* The sizes of each source, once all are known. */
static bool check_source(const struct shape *shape, uint32_t role) {
    const struct vkdml_attention_source source = vkdml_attention_source(shape->instance, role);
    const uint64_t rows = role == QUERIES ? shape->queries : shape->keys;
    const uint64_t heads = role == QUERIES ? shape->attributes.query_heads : shape->attributes.key_heads;
    const uint64_t width = role == VALUES ? shape->columns : shape->depth;
    const struct wanted plain[] = {
        {shape->batch, "the batches"},
        {rows, role == QUERIES ? "the queries" : "the keys"},
        {heads * width, role == VALUES ? "the elements of values' heads together" : "the elements of heads together"}};
    const struct wanted stacked[] = {{shape->batch, "the batches"},
                                     {rows, role == QUERIES ? "the queries" : "the keys"},
                                     {heads, "the heads"},
                                     {source.stack, "what is stacked"},
                                     {width, "the elements of a head"}};
    return source.stack != 0 ? check_input(shape, source.input, 5, stacked)
                             : check_input(shape, source.input, 3, plain);
}

static bool measure_all(struct shape *shape) {
    uint64_t batch, rows, width;
    if (!measure(shape, QUERIES, &shape->batch, &shape->queries, &shape->depth) ||
        !measure(shape, KEYS, &batch, &shape->keys, &width) ||
        !measure(shape, VALUES, &batch, &rows, &shape->columns)) {
        return false;
    }
    const struct vkdml_tensor *past = &shape->instance->inputs[VKDML_ATTENTION_PAST_KEY];
    shape->past = past->dimension_count != 0 ? vkdml_attention_size(past, 4, 2) : 0;
    shape->total = shape->past + shape->keys;
    bool is_right = true;
    for (uint32_t role = QUERIES; role < ROLES; ++role) {
        const struct vkdml_attention_source source = vkdml_attention_source(shape->instance, role);
        const bool is_told = role != QUERIES && source.input == vkdml_attention_source(shape->instance, role - 1).input;
        is_right = (is_told || check_source(shape, role)) && is_right;
    }
    return is_right;
}

/* ---- what else there is ---- */

static void check_bias(const struct shape *shape) {
    const struct vkdml_attention_attributes *own = &shape->attributes;
    const uint64_t elements =
        own->query_heads * shape->depth + own->key_heads * shape->depth + own->key_heads * shape->columns;
    const struct wanted wanted[] = {{elements, "the elements of queries', keys' and values' heads together"}};
    check_input(shape, VKDML_ATTENTION_BIAS_TENSOR, 1, wanted);
}

static bool is_there(const struct shape *shape, uint32_t input) {
    return shape->instance->inputs[input].dimension_count != 0;
}

static void check_past(const struct shape *shape) {
    const struct wanted keys[] = {{shape->batch, "the batches"},
                                  {shape->attributes.key_heads, "the heads of keys"},
                                  {shape->past, "PastKeyTensor's rows"},
                                  {shape->depth, "the elements of a head"}};
    const struct wanted values[] = {keys[0], keys[1], keys[2], {shape->columns, "the elements of a head of values"}};
    if (is_there(shape, VKDML_ATTENTION_PAST_KEY) != is_there(shape, VKDML_ATTENTION_PAST_VALUE)) {
        vkdml_report_invalid(shape->report, "%s is NULL, must be there: %s is",
                             is_there(shape, VKDML_ATTENTION_PAST_KEY) ? "PastValueTensor" : "PastKeyTensor",
                             is_there(shape, VKDML_ATTENTION_PAST_KEY) ? "PastKeyTensor" : "PastValueTensor");
        return;
    }
    check_input(shape, VKDML_ATTENTION_PAST_KEY, 4, keys);
    check_input(shape, VKDML_ATTENTION_PAST_VALUE, 4, values);
    if (shape->total > UINT32_MAX) {
        vkdml_report_invalid(shape->report,
                             "PastKeyTensor's rows and the keys are %" PRIu64 " together, must be at most 4294967295",
                             shape->total);
    }
}

static bool is_present(const struct shape *shape, uint32_t output) {
    const struct vkdml_tensor *tensor = &shape->instance->outputs[output];
    return tensor->dimension_count != 0 || tensor->is_inferred;
}

/* With lengths of the past the outputs of keys and values hold it, and nothing else does. */
static void check_lengths(struct shape *shape) {
    if (!vkdml_attention_has_lengths(shape->instance)) {
        return;
    }
    const struct vkdml_instance *instance = shape->instance;
    const struct wanted wanted[] = {{shape->batch, "the batches"}};
    check_input(shape, VKDML_ATTENTION_PAST_LENGTHS, 1, wanted);
    for (uint32_t output = VKDML_ATTENTION_PRESENT_KEY; output <= VKDML_ATTENTION_PRESENT_VALUE; ++output) {
        if (!is_present(shape, output)) {
            vkdml_report_invalid(shape->report, "%s is NULL, must be there: PastSequenceLengthsTensor is",
                                 output == VKDML_ATTENTION_PRESENT_KEY ? "OutputPresentKeyTensor"
                                                                       : "OutputPresentValueTensor");
        }
    }
    if (shape->keys != shape->queries) {
        vkdml_report_invalid(shape->report,
                             "there are %" PRIu64 " keys, must be %" PRIu64
                             " as queries: with PastSequenceLengthsTensor each sees those up to its own",
                             shape->keys, shape->queries);
    }
    if (is_there(shape, VKDML_ATTENTION_PAST_KEY)) {
        vkdml_report_invalid(shape->report, "PastKeyTensor is there, must be NULL: with PastSequenceLengthsTensor "
                                            "OutputPresentKeyTensor has what was before");
    }
    if (shape->attributes.mask_type != DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE) {
        vkdml_report_invalid(shape->report,
                             "MaskType is %d, must be 0 (NONE): PastSequenceLengthsTensor says what queries see",
                             (int)shape->attributes.mask_type);
    }
    const struct vkdml_tensor *present = &instance->outputs[VKDML_ATTENTION_PRESENT_KEY];
    shape->total = present->dimension_count >= 4 ? vkdml_attention_size(present, 4, 2) : 0;
}

/* A mask of elements has each size or 1. */
static void check_elements(const struct shape *shape) {
    const struct vkdml_tensor *mask = &shape->instance->inputs[VKDML_ATTENTION_MASK_TENSOR];
    struct wanted wanted[] = {{shape->batch, "or 1: the batches"},
                              {shape->attributes.query_heads, "or 1: the heads"},
                              {shape->queries, "or 1: the queries"},
                              {shape->total, "or 1: the keys, past ones too"}};
    for (uint32_t d = 0; d < 4; ++d) {
        wanted[d].size = vkdml_attention_size(mask, 4, d) == 1 ? 0 : wanted[d].size;
    }
    check_input(shape, VKDML_ATTENTION_MASK_TENSOR, 4, wanted);
}

static void check_mask(const struct shape *shape) {
    const DML_MULTIHEAD_ATTENTION_MASK_TYPE type = shape->attributes.mask_type;
    const bool wants = type != DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE;
    if (wants != is_there(shape, VKDML_ATTENTION_MASK_TENSOR)) {
        vkdml_report_invalid(shape->report,
                             wants ? "MaskTensor is NULL, must be there: MaskType is %d"
                                   : "MaskTensor is there, must be NULL: MaskType is %d (NONE)",
                             (int)type);
        return;
    }
    const struct wanted numbers[] = {
        {type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START ? 2u : 1u,
         type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START ? "ends and starts" : "lengths"},
        {shape->batch, "the batches"}};
    const struct wanted packed[] = {{3 * shape->batch + 2, "three for each batch, and two"}};
    if (type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN) {
        check_elements(shape);
    } else if (type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_QUERY_SEQUENCE_LENGTH_START_END) {
        check_input(shape, VKDML_ATTENTION_MASK_TENSOR, 1, packed);
    } else {
        check_input(shape, VKDML_ATTENTION_MASK_TENSOR, 2, numbers);
    }
}

static void check_results(const struct shape *shape) {
    const struct vkdml_attention_attributes *own = &shape->attributes;
    const struct wanted output[] = {{shape->batch, "the batches"},
                                    {shape->queries, "the queries"},
                                    {own->query_heads * shape->columns, "the elements of values' heads together"}};
    const struct wanted keys[] = {{shape->batch, "the batches"},
                                  {own->key_heads, "the heads of keys"},
                                  {shape->total, "the keys, past ones too"},
                                  {shape->depth, "the elements of a head"}};
    const struct wanted values[] = {keys[0], keys[1], keys[2], {shape->columns, "the elements of a head of values"}};
    const struct wanted scores[] = {{shape->batch, "the batches"},
                                    {own->query_heads, "the heads"},
                                    {shape->queries, "the queries"},
                                    {shape->total, "the keys, past ones too"}};
    check_input(shape, VKDML_ATTENTION_RELATIVE_BIAS, 4, scores);
    check_output(shape, VKDML_ATTENTION_OUTPUT, 3, output);
    check_output(shape, VKDML_ATTENTION_PRESENT_KEY, 4, keys);
    check_output(shape, VKDML_ATTENTION_PRESENT_VALUE, 4, values);
}

void vkdml_attention_check(const struct vkdml_instance *instance, struct vkdml_report *report) {
    struct shape shape = {.instance = instance, .report = report, .attributes = vkdml_attention_read(instance)};
    if (report->result != VKDML_SUCCESS || !check_sources(&shape) || !check_heads(&shape) || !measure_all(&shape)) {
        return; /* what the table refuses, or what all else hangs on */
    }
    check_bias(&shape);
    check_past(&shape);
    check_lengths(&shape);
    check_mask(&shape);
    check_results(&shape);
}
