#include "onnx/judge.h"

#include <string.h>

#include "onnx/operators.h"
#include "onnx/plan_parts.h"

#define MOST_LOOKED_AT 65536 /* bytes, as session.c lets plans look at */
#define MOST_TRIED     16    /* inputs */
#define LARGE_SIZE     224

struct judging {
    struct onnx_plan plan;
    struct onnx_scope scope;
    bool *is_assumed; /* of each value */
    const char **why; /* of each value that has no tensor */
    uint32_t assumed_size;
    bool assumes;
};

/* Where the elements of values that the plan takes as they come are. */
static uint32_t add_unknown(struct judging *j, uint32_t value, size_t bytes) {
    const uint64_t bit = (uint64_t)1 << (value < 63 ? value : 63);
    return onnx_add_source(&j->plan, &(struct onnx_source){.kind = ONNX_SOURCE_INPUT,
                                                           .number = value,
                                                           .bytes = bytes,
                                                           .depends = bytes <= MOST_LOOKED_AT ? bit : 0});
}

/* A value as the model describes it. */
static bool describe(struct judging *j, uint32_t value) {
    const struct onnx_value *said = &j->scope.graph->values[value];
    if (said->type == ONNX_UNDEFINED || !said->has_shape || said->rank > ONNX_MAX_RANK) {
        j->why[value] = said->type == ONNX_UNDEFINED ? "is no tensor, or of a type that is not said"
                                                     : "has no sizes that are known before the model runs";
        return true;
    }
    uint32_t sizes[ONNX_MAX_RANK];
    for (uint32_t d = 0; d < said->rank; ++d) {
        const bool is_said = said->sizes[d] >= 0 && said->sizes[d] <= UINT32_MAX;
        sizes[d] = is_said ? (uint32_t)said->sizes[d] : j->assumed_size;
        j->is_assumed[value] = j->is_assumed[value] || !is_said;
        j->assumes = j->assumes || !is_said;
    }
    if (!onnx_is_countable(said->rank, sizes)) {
        j->why[value] = "has more than 2^32 - 1 elements";
        return true;
    }
    const size_t bytes = onnx_bytes_of(said->type, onnx_elements(said->rank, sizes));
    uint32_t source = ONNX_NONE;
    if (bytes != 0) {
        source = add_unknown(j, value, bytes);
        if (source == ONNX_NONE) {
            return false;
        }
    }
    j->scope.tensors[value] = onnx_add_tensor(&j->plan, said->type, said->rank, sizes, source);
    return j->scope.tensors[value] != NULL;
}

static const char *keep_text(struct onnx_arena *arena, const char *text) {
    const char *kept = onnx_copy_text(arena, text, strlen(text));
    return kept == NULL ? "memory is out" : kept;
}

static bool translate(struct judging *j, const struct onnx_node *node, struct onnx_tensor **tensors, bool *wanted,
                      struct onnx_error *error) {
    const struct onnx_operator *row = onnx_find_operator(node->domain, node->op, node->version);
    struct onnx_call call = {.plan = &j->plan, .scope = &j->scope, .node = node, .error = error};
    if (row == NULL) {
        return onnx_refuse(&call, "there is no translation of %s%s%s %u", node->domain, node->domain[0] == 0 ? "" : ".",
                           node->op, (unsigned)node->version);
    }
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const uint32_t value = node->inputs[i];
        tensors[i] = value == ONNX_NONE ? NULL : j->scope.tensors[value];
        if (value != ONNX_NONE && tensors[i] == NULL) {
            return onnx_refuse(&call, "input '%s' %s", j->scope.graph->values[value].name,
                               j->why[value] == NULL ? "is not made" : j->why[value]);
        }
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        wanted[i] = node->outputs[i] != ONNX_NONE;
    }
    call.input_count = node->input_count;
    call.output_count = node->output_count;
    call.inputs = tensors;
    call.outputs = tensors + node->input_count;
    call.wanted = wanted;
    if (!row->translate(&call)) {
        return onnx_refuse(&call, "memory is out");
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        if (wanted[i] && call.outputs[i] == NULL) {
            return onnx_refuse(&call, "output %u is not translated", (unsigned)i);
        }
    }
    return true;
}

/* Whether a node that asks for elements of its inputs would be translated, as far as zeros in their place tell: other
 * elements may fit where these do not, but what no element changes are types. */
static bool try_zeros(struct judging *j, const struct onnx_node *node, struct onnx_tensor **tensors, bool *wanted,
                      struct onnx_error *error) {
    struct onnx_tensor *kept[MOST_TRIED];
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->input_count && i < MOST_TRIED; ++i) {
        const uint32_t value = node->inputs[i];
        struct onnx_tensor *tensor = value == ONNX_NONE ? NULL : j->scope.tensors[value];
        kept[i] = tensor;
        count = i + 1;
        if (tensor != NULL && tensor->data == NULL && tensor->source != ONNX_NONE &&
            (j->plan.sources[tensor->source].depends & j->plan.unknown) != 0) {
            const size_t bytes = onnx_bytes_of(tensor->type, onnx_count(tensor));
            void *zeros = bytes > MOST_LOOKED_AT ? NULL : onnx_allocate(&j->plan.arena, bytes + 4, 1);
            struct onnx_tensor *other =
                zeros == NULL ? NULL
                              : onnx_add_data(&j->plan, tensor->type, tensor->rank, tensor->sizes, zeros, bytes, 0);
            j->scope.tensors[value] = other == NULL ? tensor : other;
        }
    }
    const bool done = translate(j, node, tensors, wanted, error) || strstr(error->text, ".DataType ") == NULL;
    for (uint32_t i = count; i-- > 0;) {
        if (kept[i] != NULL) {
            j->scope.tensors[node->inputs[i]] = kept[i];
        }
    }
    return done;
}

static bool judge_node(struct judging *j, const struct onnx_node *node, struct onnx_arena *arena,
                       struct onnx_verdict *verdict) {
    struct onnx_error error = {{0}};
    struct onnx_tensor **tensors =
        onnx_allocate(&j->plan.arena, (size_t)node->input_count + node->output_count, sizeof *tensors);
    bool *wanted = onnx_allocate(&j->plan.arena, node->output_count, sizeof *wanted);
    if (tensors == NULL || wanted == NULL) {
        return false;
    }
    j->plan.unknown = 0;
    verdict->is_translated = translate(j, node, tensors, wanted, &error);
    for (uint32_t i = 0; i < node->input_count; ++i) {
        verdict->is_assumed = verdict->is_assumed || (node->inputs[i] != ONNX_NONE && j->is_assumed[node->inputs[i]]);
    }
    const bool translated = verdict->is_translated;
    if (!translated && j->plan.unknown != 0) {
        /* Its elements are there when the model runs; types are tried with others. */
        struct onnx_error other = {{0}};
        if (try_zeros(j, node, tensors, wanted, &other)) {
            verdict->is_translated = true;
            verdict->is_assumed = true;
        } else {
            verdict->reason = keep_text(arena, other.text);
        }
    } else if (!translated) {
        verdict->reason = keep_text(arena, error.text);
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        const uint32_t value = node->outputs[i];
        if (value == ONNX_NONE) {
            continue;
        }
        j->is_assumed[value] = verdict->is_assumed;
        if (translated) {
            j->scope.tensors[value] = tensors[node->input_count + i];
        } else if (!describe(j, value)) {
            return false;
        }
    }
    return true;
}

static bool judge_all(struct judging *j, struct onnx_arena *arena, struct onnx_verdict *verdicts) {
    const struct onnx_graph *graph = j->scope.graph;
    j->scope.tensors = onnx_allocate(&j->plan.arena, graph->value_count, sizeof *j->scope.tensors);
    j->is_assumed = onnx_allocate(&j->plan.arena, graph->value_count, sizeof *j->is_assumed);
    j->why = onnx_allocate(&j->plan.arena, graph->value_count, sizeof *j->why);
    bool *is_made = onnx_allocate(&j->plan.arena, graph->value_count, sizeof *is_made);
    if (j->scope.tensors == NULL || j->is_assumed == NULL || j->why == NULL || is_made == NULL) {
        return false;
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        for (uint32_t i = 0; i < graph->nodes[n].output_count; ++i) {
            if (graph->nodes[n].outputs[i] != ONNX_NONE) {
                is_made[graph->nodes[n].outputs[i]] = true;
            }
        }
    }
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        const struct onnx_data *data = graph->values[v].constant;
        if (data != NULL) {
            j->scope.tensors[v] =
                onnx_add_data(&j->plan, data->type, data->rank, data->sizes, data->data, data->bytes, 0);
            if (j->scope.tensors[v] == NULL) {
                return false;
            }
        } else if (!is_made[v] && !describe(j, v)) {
            return false;
        }
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        if (!judge_node(j, &graph->nodes[n], arena, &verdicts[n])) {
            return false;
        }
    }
    return true;
}

static struct onnx_verdict *judge_for(const struct onnx_model *model, const struct onnx_graph *graph,
                                      struct onnx_arena *arena, uint32_t assumed_size, bool *assumes) {
    struct judging j = {.plan = {.model = model, .fold_limit = MOST_LOOKED_AT},
                        .scope = {.graph = graph},
                        .assumed_size = assumed_size};
    struct onnx_verdict *verdicts = onnx_allocate(arena, graph->node_count, sizeof *verdicts);
    const bool done = verdicts != NULL && judge_all(&j, arena, verdicts);
    *assumes = j.assumes;
    onnx_arena_free(&j.plan.arena);
    return done ? verdicts : NULL;
}

const struct onnx_verdict *onnx_judge(const struct onnx_model *model, const struct onnx_graph *graph,
                                      struct onnx_arena *arena) {
    bool assumes;
    struct onnx_verdict *verdicts = judge_for(model, graph, arena, LARGE_SIZE, &assumes);
    if (verdicts == NULL || !assumes) {
        return verdicts;
    }
    const struct onnx_verdict *others = judge_for(model, graph, arena, 1, &assumes);
    for (uint32_t n = 0; others != NULL && n < graph->node_count; ++n) {
        if (!verdicts[n].is_translated && others[n].is_translated) {
            verdicts[n] = others[n];
        }
    }
    return others == NULL ? NULL : verdicts;
}
