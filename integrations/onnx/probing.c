#include "onnx/probing.h"

#include <string.h>

#include "onnx/plan_parts.h"
#include "onnx/report.h"

static void look(void *data, const struct onnx_node_report *report) {
    struct onnx_probing *p = data;
    const uint32_t n = (uint32_t)(report->node - p->graph->nodes);
    p->left -= p->left != 0;
    if (p->judgement->verdicts[n].is_consistent && report->outcome != ONNX_TRANSLATED) {
        p->refusing = report->result == VKDML_ERROR_LIMIT_EXCEEDED ? ONNX_NONE : n;
        p->is_refused = p->ends = true;
    }
    p->ends = p->ends || p->left == 0;
}

bool onnx_probe(struct onnx_probing *p) {
    struct onnx_error error = {0};
    const struct onnx_walk walk = {.open = &p->judgement->open,
                                   .assumed = p->sizes,
                                   .assumed_rank = ONNX_ASSUMED_RANK,
                                   .ends = &p->ends,
                                   .tell = look,
                                   .data = p};
    p->refusing = ONNX_NONE;
    p->is_refused = false;
    p->ends = p->left == 0;
    const struct onnx_plan_options options = {.host_limit = p->judgement->host_limit};
    struct onnx_plan *plan = onnx_plan_start(p->model, p->graph, &options);
    p->is_out = plan == NULL || !onnx_walk(plan, p->graph, &walk, &error) || p->is_out;
    const uint64_t written = p->is_out ? 0 : plan->host_bytes / ONNX_BYTES_PER_TRANSLATION;
    p->left -= written < p->left ? written : p->left;
    onnx_plan_free(plan);
    return !p->is_out && p->left != 0 && !p->is_refused;
}

void onnx_copy_base(struct onnx_probing *p) {
    memcpy(p->sizes, p->base, p->judgement->open.count * sizeof *p->sizes);
}

void onnx_move_sizes(struct onnx_probing *p, int64_t difference) {
    onnx_copy_base(p);
    for (uint32_t s = 0; s < p->count; ++s) {
        if (p->moves[s]) {
            p->sizes[s] = (uint32_t)(p->base[s] + difference);
        }
    }
}

bool onnx_probe_moved(struct onnx_probing *p, int64_t difference) {
    onnx_move_sizes(p, difference);
    return onnx_probe(p);
}
