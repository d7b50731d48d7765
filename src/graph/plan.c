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
#include "graph/outline.h"
#include "graph/planning.h"
#include "operators/operators.h"
#include "plan/append.h"

/* ---- what is fixed ---- */

static bool reads_fixed_alone(const struct vkdml_graph_planning *planning, const struct vkdml_graph_node *node) {
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const uint32_t v = planning->graph->sources[node->first_source + i];
        if (v != VKDML_GRAPH_NONE && !planning->values[v].is_fixed) {
            return false;
        }
    }
    return true;
}

/* The initializer has no outputs bound. */
static bool is_graph_output(const struct vkdml_graph_planning *planning, const struct vkdml_graph_node *node) {
    for (uint32_t i = 0; i < node->output_count; ++i) {
        if (planning->graph->values[node->first_value + i].outputs > 0) {
            return true;
        }
    }
    return false;
}

static void find_fixed(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    for (uint32_t v = 0; v < graph->input_count; ++v) {
        planning->values[v].is_fixed = graph->values[v].owned;
    }
    for (uint32_t at = 0; at < graph->node_count; ++at) {
        const uint32_t n = graph->order[at];
        const struct vkdml_graph_node *node = &graph->nodes[n];
        struct vkdml_node_plan *planned = &planning->nodes[n];
        planned->is_fixed =
            !vkdml_graph_works(node) || (reads_fixed_alone(planning, node) && !is_graph_output(planning, node));
        for (uint32_t i = 0; i < node->output_count; ++i) {
            planning->values[node->first_value + i].is_fixed = planned->is_fixed;
        }
    }
}

/* ---- the nodes' plans ---- */

/* A node's inputs as its planner is to see them: OWNED_BY_DML where they are known at initialization, so that filters
 * are packed then; not where all is done then. */
static void set_flags(struct vkdml_graph_planning *planning, uint32_t n) {
    const struct vkdml_graph *graph = planning->graph;
    struct vkdml_node_plan *planned = &planning->nodes[n];
    planned->instance = *graph->nodes[n].instance;
    planned->instance.inputs = planning->tensors + graph->nodes[n].first_source;
    for (uint32_t i = 0; i < planned->instance.input_count; ++i) {
        struct vkdml_tensor *tensor = &planned->instance.inputs[i];
        const uint32_t v = vkdml_graph_source(graph, n, i);
        uint64_t at;
        *tensor = graph->nodes[n].instance->inputs[i];
        if (v != VKDML_GRAPH_NONE && planning->values[v].strides != NULL) {
            memcpy(tensor->strides, planning->values[v].strides, sizeof tensor->strides);
            tensor->total_bytes = graph->values[vkdml_graph_whole(planning, v, &at)].bytes - at;
            tensor->has_strides = true;
        }
        if (v != VKDML_GRAPH_NONE && planning->values[v].is_fixed && !planned->is_fixed) {
            tensor->flags |= DML_TENSOR_FLAG_OWNED_BY_DML;
        } else {
            tensor->flags &= ~DML_TENSOR_FLAG_OWNED_BY_DML;
        }
    }
}

/* As its operands are to be read. */
static VkdmlResult plan_program(struct vkdml_graph_planning *planning, uint32_t n,
                                const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                struct vkdml_plan *plan) {
    struct vkdml_builder builder = vkdml_builder_begin(plan, limits, report);
    struct vkdml_program program = *planning->graph->nodes[n].program;
    for (uint32_t i = 0; i < program.operand_count; ++i) {
        const uint32_t *strides = planning->values[vkdml_graph_source(planning->graph, n, i)].strides;
        if (strides != NULL) {
            memcpy(program.operands[i].strides, strides, sizeof program.operands[i].strides);
        }
        if (vkdml_program_is_in_place(&program, i)) {
            plan->aliases[plan->alias_count++] = (struct vkdml_plan_alias){0, i};
        }
    }
    return vkdml_program_plan(&program, &builder);
}

static VkdmlResult plan_work(struct vkdml_graph_planning *planning, uint32_t n, const struct vkdml_plan_limits *limits,
                             struct vkdml_report *report, struct vkdml_plan *plan) {
    if (planning->graph->nodes[n].program != NULL) {
        return plan_program(planning, n, limits, report, plan);
    }
    set_flags(planning, n);
    return vkdml_plan_unkept(&planning->nodes[n].instance, planning->graph->nodes[n].tail, limits, planning->flags,
                             report, plan);
}

static bool have_pipelines(const struct vkdml_plan_pipelines *pipelines, const struct vkdml_plan_steps *steps) {
    bool exist = true;
    for (uint32_t s = 0; s < steps->count && exist; ++s) {
        exist = steps->items[s].kind != VKDML_PLAN_DISPATCH || pipelines->exists(pipelines->context, &steps->items[s]);
    }
    return exist;
}

static void swap_plans(struct vkdml_plan *a, struct vkdml_plan *b) {
    const struct vkdml_plan other = *a;
    *a = *b;
    *b = other;
}

/* Replaces a node's plan by a general one where that has all its pipelines and the other does not; those are then
 * requested. The pipelines of a general plan that does not have them become spare ones of the node's, the first time the
 * graph is compiled: later that would be two waits instead of one. */
static VkdmlResult choose_plan(struct vkdml_graph_planning *planning, struct vkdml_plan *best, bool has_best,
                               struct vkdml_plan *general) {
    const struct vkdml_plan_pipelines *pipelines = planning->limits->pipelines;
    if (!have_pipelines(pipelines, &general->steps) || !have_pipelines(pipelines, &general->spare_steps)) {
        if (!pipelines->is_first) {
            return VKDML_SUCCESS;
        }
        VkdmlResult result = vkdml_plan_add_spares(best, general->steps.items, general->steps.count, planning->report);
        return result == VKDML_SUCCESS ? vkdml_plan_add_spares(best, general->spare_steps.items,
                                                               general->spare_steps.count, planning->report)
                                       : result;
    }
    if (!has_best) {
        pipelines->request(pipelines->context, &best->steps);
        swap_plans(best, general);
    }
    return VKDML_SUCCESS;
}

/* Plans a node as general; false where that cannot be. */
static bool plan_general(struct vkdml_graph_planning *planning, uint32_t n, struct vkdml_plan *general) {
    struct vkdml_plan_limits limits = *planning->limits;
    struct vkdml_report report;
    limits.general = true;
    limits.initialization = planning->limits;
    vkdml_report_clear(&report);
    vkdml_plan_begin(general, planning->graph->callbacks);
    return plan_work(planning, n, &limits, &report, general) == VKDML_SUCCESS;
}

/* Plans a node as general where its best plan is not enough: pipelines of that are missing, or general pipelines are to
 * be created. What cannot be planned as general stays as it is. */
static VkdmlResult plan_for_open_sizes(struct vkdml_graph_planning *planning, uint32_t n) {
    const struct vkdml_plan_pipelines *pipelines = planning->limits->pipelines;
    const bool is_general = (planning->flags & VKDML_COMPILE_FLAG_GENERAL_PIPELINES) != 0;
    const bool has_best = !is_general && have_pipelines(pipelines, &planning->nodes[n].plan.steps);
    if (has_best && !pipelines->is_first) {
        return VKDML_SUCCESS;
    }
    struct vkdml_plan general;
    VkdmlResult result = VKDML_SUCCESS;
    if (plan_general(planning, n, &general)) {
        if (is_general) {
            swap_plans(&planning->nodes[n].plan, &general);
        }
        result = is_general ? VKDML_SUCCESS : choose_plan(planning, &planning->nodes[n].plan, has_best, &general);
    }
    vkdml_plan_end(&general);
    return result;
}

/* For other sizes a node that is a view here may have to copy, as what it reads does not begin at a multiple of 16. */
static VkdmlResult add_spares_of_views(struct vkdml_graph_planning *planning) {
    const struct vkdml_plan_pipelines *pipelines = planning->limits->pipelines;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t n = 0; n < planning->graph->node_count && result == VKDML_SUCCESS; ++n) {
        struct vkdml_plan general;
        if (pipelines == NULL || !pipelines->is_first || !planning->nodes[n].is_view || planning->nodes[n].is_fixed) {
            continue;
        }
        if (plan_general(planning, n, &general)) {
            result = vkdml_plan_add_spares(planning->plan, general.steps.items, general.steps.count, planning->report);
            result = result == VKDML_SUCCESS ? vkdml_plan_add_spares(planning->plan, general.spare_steps.items,
                                                                     general.spare_steps.count, planning->report)
                                             : result;
        }
        vkdml_plan_end(&general);
    }
    return result;
}

/* Whatever fails bears the node's name. */
static VkdmlResult plan_node(struct vkdml_graph_planning *planning, uint32_t n) {
    struct vkdml_node_plan *planned = &planning->nodes[n];
    const struct vkdml_graph_text text = vkdml_graph_node_text(n, planning->graph->nodes[n].name);
    planning->report->part = text.text;
    VkdmlResult result = plan_work(planning, n, planning->limits, planning->report, &planned->plan);
    if (result == VKDML_SUCCESS && planning->limits->pipelines != NULL && !planned->is_fixed) {
        result = plan_for_open_sizes(planning, n);
    }
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

static VkdmlResult plan_nodes(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t n = 0; n < graph->node_count && result == VKDML_SUCCESS; ++n) {
        if (vkdml_graph_works(&graph->nodes[n]) && !planning->nodes[n].is_view) {
            result = plan_node(planning, n);
        }
    }
    for (uint32_t i = 0; i < graph->output_count; ++i) {
        struct vkdml_value_plan *value = &planning->values[graph->outputs[i]];
        value->is_kept = value->is_kept || value->is_fixed;
    }
    return result;
}

/* ---- one plan ---- */

/* Makes room for all steps that nodes have: growing step by step copies them several times. */
static VkdmlResult reserve_steps(struct vkdml_graph_planning *planning) {
    struct vkdml_plan *plan = planning->plan;
    uint32_t steps = 0, init_steps = 0;
    for (uint32_t n = 0; n < planning->graph->node_count; ++n) {
        const struct vkdml_plan *node = &planning->nodes[n].plan;
        steps += planning->nodes[n].is_fixed ? 0 : node->steps.count;
        init_steps += planning->nodes[n].is_fixed ? node->steps.count : node->init_steps.count;
    }
    const VkdmlResult result = vkdml_plan_reserve(plan, &plan->steps, steps, 0, planning->report);
    return result == VKDML_SUCCESS ? vkdml_plan_reserve(plan, &plan->init_steps, init_steps, 0, planning->report)
                                   : result;
}

static VkdmlResult append_node(struct vkdml_graph_planning *planning, uint32_t n) {
    const struct vkdml_graph *graph = planning->graph;
    const struct vkdml_graph_node *node = &graph->nodes[n];
    struct vkdml_node_plan *planned = &planning->nodes[n];
    struct vkdml_origin *late = planning->origins, *early = late + node->input_count;
    struct vkdml_origin *outputs = early + node->input_count;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const uint32_t v = vkdml_graph_source(graph, n, i);
        late[i] = v != VKDML_GRAPH_NONE ? planning->values[v].late : (struct vkdml_origin){.index = 0};
        early[i] = v != VKDML_GRAPH_NONE ? planning->values[v].early : (struct vkdml_origin){.index = 0};
    }
    for (uint32_t i = 0; i < node->output_count; ++i) {
        const struct vkdml_value_plan *value = &planning->values[node->first_value + i];
        outputs[i] = planned->is_fixed ? value->early : value->late;
    }
    struct vkdml_renaming renaming = {.input_count = node->input_count,
                                      .inputs = late,
                                      .init_inputs = early,
                                      .output_count = node->output_count,
                                      .outputs = outputs,
                                      .temporary_offset = planning->blocks[graph->value_count + n].offset,
                                      .node = n,
                                      .is_part = true};
    struct vkdml_plan joined = planned->plan;
    if (planned->is_fixed) {
        assert(joined.init_steps.count == 0);
        joined.init_steps = planned->plan.steps;
        joined.steps = (struct vkdml_plan_steps){.count = 0};
    }
    vkdml_outline_begin_node(graph->outline, n, planned->is_fixed, planned->level, planning->plan);
    const VkdmlResult result = vkdml_plan_append(planning->plan, &joined, &renaming, planning->report);
    vkdml_outline_end_node(graph->outline, n, planning->plan);
    vkdml_plan_end(&planned->plan);
    vkdml_plan_begin(&planned->plan, graph->callbacks);
    return result;
}

static VkdmlResult check_words(struct vkdml_graph_planning *planning, uint64_t bytes, const char *what) {
    if (bytes / 4 > UINT32_MAX) {
        return vkdml_report_add(planning->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                "%s has %" PRIu64 " bytes, must have at most %" PRIu64, what, bytes,
                                UINT64_C(4) * UINT32_MAX);
    }
    return VKDML_SUCCESS;
}

static VkdmlResult keep_inputs(struct vkdml_graph_planning *planning) {
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

/* Copies words; with open sizes by the kernel that suits any number, where the best one's pipeline does not exist yet. */
static VkdmlResult copy_words(const struct vkdml_origin *to, const struct vkdml_origin *from, uint32_t words,
                              struct vkdml_builder *builder) {
    const struct vkdml_plan_pipelines *pipelines = builder->limits->pipelines;
    const struct vkdml_builder_mark mark = vkdml_builder_mark(builder);
    struct vkdml_plan_limits limits = *builder->limits;
    struct vkdml_builder general = *builder;
    limits.general = true;
    general.limits = &limits;
    VkdmlResult result = vkdml_copy_plan_words(to, from, words, builder);
    if (result != VKDML_SUCCESS || pipelines == NULL) {
        return result;
    }
    struct vkdml_plan_step best = *vkdml_builder_first_since(builder, &mark);
    if (best.kind == VKDML_PLAN_DISPATCH && !pipelines->exists(pipelines->context, &best)) {
        vkdml_builder_undo(builder, &mark);
        result = vkdml_copy_plan_words(to, from, words, &general);
        if (result != VKDML_SUCCESS ||
            pipelines->exists(pipelines->context, vkdml_builder_first_since(builder, &mark))) {
            pipelines->request(pipelines->context, &(struct vkdml_plan_steps){.count = 1, .items = &best});
            return result;
        }
        vkdml_builder_undo(builder, &mark);
        result = vkdml_copy_plan_words(to, from, words, builder);
    }
    return result == VKDML_SUCCESS ? vkdml_copy_add_spare(DML_TENSOR_DATA_TYPE_UINT32, &general) : result;
}

/* Values that are outputs of the graph, but lie elsewhere: constants, and those that are several outputs. */
static VkdmlResult copy_outputs(struct vkdml_graph_planning *planning) {
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
            result = copy_words(&to, from, (uint32_t)(value->bytes / 4), &builder);
        }
    }
    return result;
}

static VkdmlResult append_fixed(struct vkdml_graph_planning *planning) {
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
        if (vkdml_graph_works(&graph->nodes[n]) && planning->nodes[n].is_fixed) {
            result = append_node(planning, n);
        }
    }
    return result;
}

/* Nodes of one level do not wait for each other: the phases of each begin where the level's do, so that barriers
 * within nodes are shared too. Returns behind the level's last. */
static VkdmlResult append_level(struct vkdml_graph_planning *planning, uint32_t first_init_phase, uint32_t *at) {
    struct vkdml_plan *plan = planning->plan;
    const uint32_t level = planning->nodes[planning->order[*at]].level;
    const uint32_t first = plan->steps.count, first_phase = plan->steps.phase;
    uint32_t phase = first_phase, init_phase = plan->init_steps.phase;
    VkdmlResult result = VKDML_SUCCESS;
    for (; *at < planning->graph->node_count && result == VKDML_SUCCESS; ++*at) {
        const uint32_t n = planning->order[*at];
        if (!vkdml_node_executes(planning, n) || planning->nodes[n].level != level) {
            break;
        }
        plan->steps.phase = first_phase;
        plan->init_steps.phase = first_init_phase;
        result = append_node(planning, n);
        phase = plan->steps.phase > phase ? plan->steps.phase : phase;
        init_phase = plan->init_steps.phase > init_phase ? plan->init_steps.phase : init_phase;
    }
    plan->steps.phase = phase;
    plan->init_steps.phase = init_phase;
    return result == VKDML_SUCCESS ? vkdml_plan_sort_phases(plan, &plan->steps, first, planning->report) : result;
}

/* What nodes do at initialization reads nothing but what is fixed. */
static VkdmlResult append_levels(struct vkdml_graph_planning *planning) {
    struct vkdml_plan *plan = planning->plan;
    const uint32_t first_init = plan->init_steps.count, first_init_phase = plan->init_steps.phase;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t at = 0; at < planning->graph->node_count && result == VKDML_SUCCESS;) {
        if (vkdml_node_executes(planning, planning->order[at])) {
            result = append_level(planning, first_init_phase, &at);
        } else {
            ++at;
        }
    }
    return result == VKDML_SUCCESS ? vkdml_plan_sort_phases(plan, &plan->init_steps, first_init, planning->report)
                                   : result;
}

/* ---- memory for all that ---- */

static void *take(unsigned char **memory, size_t count, size_t size) {
    void *part = *memory;
    *memory += (count * size + 15) / 16 * 16;
    return part;
}

/* One allocation, cut into parts; NULL where there is none. */
static void *allocate(struct vkdml_graph_planning *planning) {
    const struct vkdml_graph *graph = planning->graph;
    const size_t nodes = graph->node_count, values = graph->value_count, sources = graph->source_count;
    const size_t bytes = nodes * sizeof(struct vkdml_node_plan) + values * sizeof(struct vkdml_value_plan) +
                         (nodes + values) * sizeof(struct vkdml_block) + sources * sizeof(struct vkdml_tensor) +
                         (2 * sources + values) * sizeof(struct vkdml_origin) +
                         (2 * nodes + 1 + values) * sizeof(uint32_t) + 8 * 16;
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
    planning->starts = take(&memory, nodes + 1 + values, sizeof *planning->starts);
    return all;
}

static VkdmlResult plan_graph(struct vkdml_graph_planning *planning) {
    const bool node_by_node = (planning->flags & VKDML_COMPILE_FLAG_NODE_BY_NODE) != 0;
    find_fixed(planning);
    if (!node_by_node) {
        vkdml_graph_find_strided(planning);
    }
    VkdmlResult result = plan_nodes(planning);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    if (!node_by_node) {
        vkdml_graph_find_views(planning);
    }
    vkdml_graph_find_levels(planning);
    if (!node_by_node) {
        vkdml_graph_find_overwritten(planning);
    }
    result = vkdml_graph_place_values(planning);
    if (result == VKDML_SUCCESS) {
        result = reserve_steps(planning);
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
    return result == VKDML_SUCCESS ? add_spares_of_views(planning) : result;
}

VkdmlResult vkdml_graph_plan(const struct vkdml_graph *graph, const struct vkdml_plan_limits *limits,
                             VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    struct vkdml_graph_planning planning = {
        .graph = graph, .limits = limits, .flags = flags, .report = report, .plan = plan};
    void *memory = allocate(&planning);
    if (memory == NULL) {
        return report->result;
    }
    planning.builder = vkdml_builder_begin(plan, limits, report);
    planning.initialization = vkdml_builder_at_initialization(&planning.builder);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        vkdml_plan_begin(&planning.nodes[n].plan, graph->callbacks);
    }
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        planning.values[v].whole = v;
    }
    const VkdmlResult result = plan_graph(&planning);
    for (uint32_t n = 0; n < graph->node_count; ++n) {
        vkdml_plan_end(&planning.nodes[n].plan);
    }
    vkdml_free(graph->callbacks, memory);
    return result;
}
