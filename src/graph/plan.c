/* Plans the nodes one by one and joins their plans: what depends on constants and on inputs OWNED_BY_DML alone to the
 * initializer's steps, the rest level by level, with intermediate tensors where nothing else is needed meanwhile. */
#include "graph/plan.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "frames/data/data.h"
#include "frames/gather/copy.h"
#include "frames/map/program.h"
#include "graph/place.h"
#include "operators/operators.h"
#include "plan/append.h"

/* What becomes of a node. */
struct node_plan {
    struct vkdml_instance instance; /* the operator's, but for the flags of its inputs */
    struct vkdml_plan plan;
    bool is_fixed;  /* the same in every execution: done at initialization */
    uint32_t level; /* of the others: what it waits for has lower ones */
};

/* What becomes of a value. */
struct value_plan {
    struct vkdml_origin early; /* where it lies at initialization; what is not there has type UNKNOWN */
    struct vkdml_origin late;  /* where it lies in executions */
    bool is_fixed;             /* known at initialization */
    bool is_kept;              /* .. and needed afterwards */
    uint32_t last_level;       /* of the nodes that read it */
};

struct planning {
    const struct vkdml_graph *graph;
    const struct vkdml_plan_limits *limits;
    VkdmlCompileFlags flags;
    struct vkdml_report *report;
    struct vkdml_plan *plan;
    struct vkdml_builder builder; /* of executions */
    struct vkdml_builder initialization;
    struct node_plan *nodes;
    struct value_plan *values;
    struct vkdml_block *blocks;   /* a value's, then each node's scratch memory */
    struct vkdml_tensor *tensors; /* of a node's inputs, with other flags: by source */
    struct vkdml_origin *origins; /* of one node's tensors */
    uint32_t *order;              /* nodes by their level in executions, fixed ones last */
    uint32_t *starts;             /* scratch: where levels begin in it */
};

static uint64_t round_up(uint64_t bytes) {
    return (bytes + VKDML_PLAN_REGION_ALIGNMENT - 1) / VKDML_PLAN_REGION_ALIGNMENT * VKDML_PLAN_REGION_ALIGNMENT;
}

/* ---- what is fixed ---- */

static bool reads_fixed_alone(const struct planning *planning, const struct vkdml_graph_node *node) {
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const uint32_t v = planning->graph->sources[node->first_source + i];
        if (v != VKDML_GRAPH_NONE && !planning->values[v].is_fixed) {
            return false;
        }
    }
    return true;
}

/* The initializer has no outputs bound. */
static bool is_graph_output(const struct planning *planning, const struct vkdml_graph_node *node) {
    for (uint32_t i = 0; i < node->output_count; ++i) {
        if (planning->graph->values[node->first_value + i].outputs > 0) {
            return true;
        }
    }
    return false;
}

static void find_fixed(struct planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t v = 0; v < graph->input_count; ++v) {
        planning->values[v].is_fixed = graph->values[v].owned;
    }
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        const uint32_t n = graph->order[at];
        const struct vkdml_graph_node *node = &graph->nodes[n];
        struct node_plan *planned = &planning->nodes[n];
        planned->is_fixed =
            node->instance == NULL || (reads_fixed_alone(planning, node) && !is_graph_output(planning, node));
        for (uint32_t i = 0; i < node->output_count; ++i) {
            planning->values[node->first_value + i].is_fixed = planned->is_fixed;
        }
    }
}

/* Levels once more, of what is left for executions. */
static uint32_t find_levels(struct planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    uint32_t count = 0;
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        const uint32_t n = graph->order[at];
        struct node_plan *planned = &planning->nodes[n];
        for (uint32_t i = 0; !planned->is_fixed && i < graph->nodes[n].input_count; ++i) {
            const uint32_t v = vkdml_graph_source(graph, n, i);
            const uint32_t before = v == VKDML_GRAPH_NONE ? v : graph->values[v].node;
            if (before != VKDML_GRAPH_NONE && !planning->nodes[before].is_fixed &&
                planning->nodes[before].level >= planned->level) {
                planned->level = planning->nodes[before].level + 1;
            }
        }
        count = !planned->is_fixed && planned->level >= count ? planned->level + 1 : count;
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        for (uint32_t i = 0; i < graph->nodes[n].input_count; ++i) {
            const uint32_t v = vkdml_graph_source(graph, n, i);
            if (v != VKDML_GRAPH_NONE && !planning->nodes[n].is_fixed &&
                planning->values[v].last_level < planning->nodes[n].level) {
                planning->values[v].last_level = planning->nodes[n].level;
            }
        }
    }
    return count;
}

/* ---- the nodes' plans ---- */

/* A node's inputs as its planner is to see them: OWNED_BY_DML where they are known at initialization, so that filters
 * are packed then; not where all is done then. */
static void set_flags(struct planning *planning, uint32_t n) {
    const struct vkdml_graph *graph = planning->graph;
    struct node_plan *planned = &planning->nodes[n];
    planned->instance = *graph->nodes[n].instance;
    planned->instance.inputs = planning->tensors + graph->nodes[n].first_source;
    for (uint32_t i = 0; i < graph->nodes[n].input_count; ++i) {
        struct vkdml_tensor *tensor = &planned->instance.inputs[i];
        const uint32_t v = vkdml_graph_source(graph, n, i);
        *tensor = graph->nodes[n].instance->inputs[i];
        if (v != VKDML_GRAPH_NONE && planning->values[v].is_fixed && !planned->is_fixed) {
            tensor->flags |= DML_TENSOR_FLAG_OWNED_BY_DML;
        } else {
            tensor->flags &= ~DML_TENSOR_FLAG_OWNED_BY_DML;
        }
    }
}

static VkdmlResult plan_work(struct planning *planning, uint32_t n) {
    const struct vkdml_program *program = planning->graph->nodes[n].program;
    struct node_plan *planned = &planning->nodes[n];
    if (program != NULL) {
        struct vkdml_builder builder = vkdml_builder_begin(&planned->plan, planning->limits, planning->report);
        return vkdml_program_plan(program, &builder);
    }
    set_flags(planning, n);
    return vkdml_plan_unkept(&planned->instance, planning->limits, planning->flags, planning->report, &planned->plan);
}

/* Whatever fails bears the node's name. */
static VkdmlResult plan_node(struct planning *planning, uint32_t n) {
    struct node_plan *planned = &planning->nodes[n];
    const struct vkdml_graph_text text = vkdml_graph_node_text(n, planning->graph->nodes[n].name);
    planning->report->part = text.text;
    VkdmlResult result = plan_work(planning, n);
    planning->report->part = NULL;
    for (uint32_t i = 0; result == VKDML_SUCCESS && i < planning->graph->nodes[n].input_count; ++i) {
        const uint32_t v = vkdml_graph_source(planning->graph, n, i);
        if (v != VKDML_GRAPH_NONE && !planned->is_fixed && planning->values[v].is_fixed &&
            vkdml_plan_reads_input(&planned->plan, i)) {
            planning->values[v].is_kept = true;
        }
    }
    return result;
}

static VkdmlResult plan_nodes(struct planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t n = 0; n < graph->node_count && result == VKDML_SUCCESS; ++n) {
        if (graph->nodes[n].instance != NULL) {
            result = plan_node(planning, n);
        }
    }
    for (uint32_t i = 0; i < graph->output_count; ++i) {
        struct value_plan *value = &planning->values[graph->outputs[i]];
        value->is_kept = value->is_kept || value->is_fixed;
    }
    return result;
}

/* ---- places ---- */

static void place_input(struct planning *planning, uint32_t v) {
    const struct vkdml_graph_value *value = &planning->graph->values[v];
    struct value_plan *planned = &planning->values[v];
    const struct vkdml_origin at = {.resource = VKDML_PLAN_INPUT, .index = v, .type = DML_TENSOR_DATA_TYPE_UINT32};
    planned->early = planned->late = at;
    if (planned->is_kept) {
        planned->late = vkdml_builder_kept(&planning->builder, "an input that is OWNED_BY_DML", value->bytes, at.type);
    }
}

static void place_fixed(struct planning *planning, uint32_t v) {
    const uint64_t bytes = planning->graph->values[v].bytes;
    struct value_plan *planned = &planning->values[v];
    if (planned->is_kept) {
        planned->early = vkdml_builder_kept(&planning->builder, "what is known at initialization", bytes,
                                            DML_TENSOR_DATA_TYPE_UINT32);
        planned->late = planned->early;
    } else {
        planned->early = vkdml_builder_region(&planning->initialization, "what only the initializer needs", bytes,
                                              DML_TENSOR_DATA_TYPE_UINT32);
    }
}

/* The first of the graph's outputs that a value is. */
static uint32_t output_of(const struct vkdml_graph *graph, uint32_t v) {
    uint32_t output = 0;
    while (graph->outputs[output] != v) {
        ++output;
    }
    return output;
}

/* A value's block in the temporary memory, empty where it lies elsewhere. */
static struct vkdml_block block_of(const struct planning *planning, uint32_t v) {
    const struct vkdml_graph_value *value = &planning->graph->values[v];
    struct vkdml_block block = {.bytes = 0};
    if (value->node != VKDML_GRAPH_NONE && !planning->values[v].is_fixed && value->outputs == 0) {
        block.bytes = round_up(value->bytes);
        block.first = planning->nodes[value->node].level;
        block.last = planning->values[v].last_level > block.first ? planning->values[v].last_level : block.first;
    }
    return block;
}

static VkdmlResult place_values(struct planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        planning->blocks[v] = block_of(planning, v);
    }
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        const struct node_plan *planned = &planning->nodes[n];
        planning->blocks[graph->value_count + n] =
            (struct vkdml_block){.bytes = planned->is_fixed ? 0 : planned->plan.steps.temporary_bytes,
                                 .first = planned->level,
                                 .last = planned->level};
    }
    const VkdmlResult result =
        vkdml_place(planning->blocks, graph->value_count + graph->node_count, planning->graph->callbacks,
                    planning->report, &planning->plan->steps.temporary_bytes);
    for (uint32_t v = 0; v < graph->value_count && result == VKDML_SUCCESS; ++v) {
        const struct vkdml_graph_value *value = &graph->values[v];
        if (value->node == VKDML_GRAPH_NONE) {
            place_input(planning, v);
        } else if (planning->values[v].is_fixed) {
            place_fixed(planning, v);
        } else if (value->outputs > 0) {
            planning->values[v].late = (struct vkdml_origin){
                .resource = VKDML_PLAN_OUTPUT, .index = output_of(graph, v), .type = DML_TENSOR_DATA_TYPE_UINT32};
        } else {
            planning->values[v].late = (struct vkdml_origin){.resource = VKDML_PLAN_TEMPORARY,
                                                             .offset = planning->blocks[v].offset,
                                                             .type = DML_TENSOR_DATA_TYPE_UINT32};
        }
    }
    return result;
}

/* ---- one plan ---- */

static VkdmlResult append_node(struct planning *planning, uint32_t n) {
    const struct vkdml_graph *graph = planning->graph;
    const struct vkdml_graph_node *node = &graph->nodes[n];
    struct node_plan *planned = &planning->nodes[n];
    struct vkdml_origin *late = planning->origins, *early = late + node->input_count;
    struct vkdml_origin *outputs = early + node->input_count;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const uint32_t v = vkdml_graph_source(graph, n, i);
        late[i] = v != VKDML_GRAPH_NONE ? planning->values[v].late : (struct vkdml_origin){.index = 0};
        early[i] = v != VKDML_GRAPH_NONE ? planning->values[v].early : (struct vkdml_origin){.index = 0};
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        const struct value_plan *value = &planning->values[node->first_value + i];
        outputs[i] = planned->is_fixed ? value->early : value->late;
    }
    struct vkdml_renaming renaming = {.input_count = node->input_count,
                                      .inputs = late,
                                      .init_inputs = early,
                                      .output_count = node->output_count,
                                      .outputs = outputs,
                                      .temporary_offset = planning->blocks[graph->value_count + n].offset};
    struct vkdml_plan joined = planned->plan;
    if (planned->is_fixed) {
        assert(joined.init_steps.count == 0);
        joined.init_steps = planned->plan.steps;
        joined.steps = (struct vkdml_plan_steps){.count = 0};
    }
    const VkdmlResult result = vkdml_plan_append(planning->plan, &joined, &renaming, planning->report);
    vkdml_plan_end(&planned->plan);
    vkdml_plan_begin(&planned->plan, graph->callbacks);
    return result;
}

static VkdmlResult check_words(struct planning *planning, uint64_t bytes, const char *what) {
    if (bytes / 4 > UINT32_MAX) {
        return vkdml_report_add(planning->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "%s has %" PRIu64 " bytes, must have at most %" PRIu64, what, bytes,
                                UINT64_C(4) * UINT32_MAX);
    }
    return VKDML_SUCCESS;
}

static VkdmlResult keep_inputs(struct planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t v = 0; v < graph->input_count && result == VKDML_SUCCESS; ++v) {
        if (planning->values[v].is_kept) {
            result = check_words(planning, graph->values[v].bytes, "an input that is OWNED_BY_DML");
            if (result == VKDML_SUCCESS) {
                result = vkdml_copy_plan_words(&planning->values[v].late, &planning->values[v].early,
                                               (uint32_t)(graph->values[v].bytes / 4), &planning->initialization);
            }
        }
    }
    return result;
}

/* Values that are outputs of the graph, but lie elsewhere: constants, and those that are several outputs. */
static VkdmlResult copy_outputs(struct planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    VkdmlResult result = VKDML_SUCCESS;
    struct vkdml_builder builder = vkdml_builder_begin(planning->plan, planning->limits, planning->report);
    vkdml_builder_phase(&builder);
    for (uint32_t i = 0; i < graph->output_count && result == VKDML_SUCCESS; ++i) {
        const struct vkdml_graph_value *value = &graph->values[graph->outputs[i]];
        const struct vkdml_origin *from = &planning->values[graph->outputs[i]].late;
        const struct vkdml_origin to = {.resource = VKDML_PLAN_OUTPUT, .index = i, .type = DML_TENSOR_DATA_TYPE_UINT32};
        if (from->resource == VKDML_PLAN_OUTPUT && from->index == i) {
            continue;
        }
        result = check_words(planning, value->bytes, "an output");
        if (result == VKDML_SUCCESS) {
            result = vkdml_copy_plan_words(&to, from, (uint32_t)(value->bytes / 4), &builder);
        }
    }
    return result;
}

static VkdmlResult append_fixed(struct planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    VkdmlResult result = keep_inputs(planning);
    for (uint32_t n = 0; n < graph->node_count && result == VKDML_SUCCESS; ++n) {
        if (graph->nodes[n].data != NULL) {
            const uint32_t v = graph->nodes[n].first_value;
            const uint64_t bytes = graph->values[v].bytes;
            const size_t given = bytes < graph->nodes[n].data_bytes ? (size_t)bytes : graph->nodes[n].data_bytes;
            result = vkdml_data_plan(&planning->values[v].early, bytes, graph->nodes[n].data, given,
                                     &planning->initialization);
        }
    }
    for (uint32_t at = 0; at < graph->node_count && result == VKDML_SUCCESS; ++at) {
        const uint32_t n = graph->order[at];
        if (graph->nodes[n].instance != NULL && planning->nodes[n].is_fixed) {
            result = append_node(planning, n);
        }
    }
    return result;
}

static VkdmlResult append_levels(struct planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t at = 0; at < graph->node_count && result == VKDML_SUCCESS; ++at) {
        if (!planning->nodes[planning->order[at]].is_fixed) {
            result = append_node(planning, planning->order[at]);
        }
    }
    return result;
}

/* ---- memory for all that ---- */

/* The levels that are left for executions, in the graph's order of nodes. */
static void sort_by_level(struct planning *planning, uint32_t level_count, uint32_t *starts) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        ++starts[planning->nodes[n].is_fixed ? level_count : planning->nodes[n].level];
    }
    uint32_t sum = 0;
    for (uint32_t l = 0; l <= level_count; ++l) {
        const uint32_t count = starts[l];
        starts[l] = sum;
        sum += count;
    }
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        const struct node_plan *planned = &planning->nodes[graph->order[at]];
        planning->order[starts[planned->is_fixed ? level_count : planned->level]++] = graph->order[at];
    }
}

static void *take(unsigned char **memory, size_t count, size_t size) {
    void *part = *memory;
    *memory += (count * size + 15) / 16 * 16;
    return part;
}

/* One allocation, cut into parts; NULL where there is none. */
static void *allocate(struct planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    const size_t nodes = graph->node_count, values = graph->value_count, sources = graph->source_count;
    const size_t bytes = nodes * sizeof(struct node_plan) + values * sizeof(struct value_plan) +
                         (nodes + values) * sizeof(struct vkdml_block) + sources * sizeof(struct vkdml_tensor) +
                         (2 * sources + values) * sizeof(struct vkdml_origin) + (2 * nodes + 1) * sizeof(uint32_t) +
                         8 * 16;
    void *all = vkdml_allocate(graph->callbacks, bytes);
    unsigned char *memory = all;
    if (all == NULL) {
        vkdml_report_out_of_memory(planning->report, bytes, "the plans of a graph's nodes");
        return NULL;
    }
    planning->nodes = take(&memory, nodes, sizeof *planning->nodes);
    planning->values = take(&memory, values, sizeof *planning->values);
    planning->blocks = take(&memory, nodes + values, sizeof *planning->blocks);
    planning->tensors = take(&memory, sources, sizeof *planning->tensors);
    planning->origins = take(&memory, 2 * sources + values, sizeof *planning->origins);
    planning->order = take(&memory, nodes, sizeof *planning->order);
    planning->starts = take(&memory, nodes + 1, sizeof *planning->starts);
    return all;
}

static VkdmlResult plan_graph(struct planning *planning) {
    find_fixed(planning);
    sort_by_level(planning, find_levels(planning), planning->starts);
    VkdmlResult result = plan_nodes(planning);
    if (result == VKDML_SUCCESS) {
        result = place_values(planning);
    }
    if (result == VKDML_SUCCESS) {
        result = append_fixed(planning);
    }
    if (result == VKDML_SUCCESS) {
        result = append_levels(planning);
    }
    if (result == VKDML_SUCCESS) {
        result = copy_outputs(planning);
    }
    vkdml_plan_synchronize(planning->plan, 0, 0);
    return result;
}

VkdmlResult vkdml_graph_plan(const struct vkdml_graph *graph, const struct vkdml_plan_limits *limits,
                             VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    struct planning planning = {.graph = graph, .limits = limits, .flags = flags, .report = report, .plan = plan};
    void *memory = allocate(&planning);
    if (memory == NULL) {
        return report->result;
    }
    planning.builder = vkdml_builder_begin(plan, limits, report);
    planning.initialization = vkdml_builder_at_initialization(&planning.builder);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        vkdml_plan_begin(&planning.nodes[n].plan, graph->callbacks);
    }
    const VkdmlResult result = plan_graph(&planning);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        vkdml_plan_end(&planning.nodes[n].plan);
    }
    vkdml_free(graph->callbacks, memory);
    return result;
}
