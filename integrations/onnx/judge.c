#include "onnx/judge.h"

#include <string.h>

#include "onnx/plan_parts.h"
#include "onnx/report.h"

#define LARGE_SIZE 224

struct judging {
    struct onnx_verdict *next;
    struct onnx_arena *arena;
    bool refuses; /* some node */
    bool is_out;  /* memory */
};

static void judge_node(void *data, const struct onnx_node_report *report) {
    struct judging *j = data;
    struct onnx_verdict *verdict = j->next++;
    verdict->is_translated = report->outcome == ONNX_TRANSLATED;
    verdict->is_assumed = report->is_assumed;
    if (!verdict->is_translated) {
        const char *kept = onnx_copy_text(j->arena, report->reason, strlen(report->reason));
        verdict->reason = kept;
        j->refuses = true;
        j->is_out = j->is_out || kept == NULL;
    }
}

static struct onnx_verdict *judge_for(const struct onnx_model *model, const struct onnx_graph *graph,
                                      struct onnx_arena *arena, uint32_t assumed_size, bool *refuses) {
    struct onnx_verdict *verdicts = onnx_allocate(arena, graph->node_count, sizeof *verdicts);
    struct judging judging = {.next = verdicts, .arena = arena};
    const struct onnx_walk walk = {.assumed_size = assumed_size, .tell = judge_node, .data = &judging};
    struct onnx_error error = {0};
    struct onnx_plan *plan = verdicts == NULL ? NULL : onnx_plan_start(model, graph, NULL);
    const bool done = plan != NULL && onnx_walk(plan, graph, &walk, &error);
    *refuses = judging.refuses;
    onnx_plan_free(plan);
    return done && !judging.is_out ? verdicts : NULL;
}

const struct onnx_verdict *onnx_judge(const struct onnx_model *model, const struct onnx_graph *graph,
                                      struct onnx_arena *arena) {
    bool refuses;
    struct onnx_verdict *verdicts = judge_for(model, graph, arena, LARGE_SIZE, &refuses);
    if (verdicts == NULL || !refuses) {
        return verdicts;
    }
    const struct onnx_verdict *others = judge_for(model, graph, arena, 1, &refuses);
    for (uint32_t n = 0; others != NULL && n < graph->node_count; ++n) {
        if (!verdicts[n].is_translated && others[n].is_translated) {
            verdicts[n] = others[n];
        }
    }
    return others == NULL ? NULL : verdicts;
}
