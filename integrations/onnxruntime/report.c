#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool report_check(const char *path, struct onnx_error *error) {
    FILE *file = fopen(path, "a");
    return (file != NULL && fclose(file) == 0) ||
           onnx_fail(error, "ep.vkdml.report: %.300s: %s", path, strerror(errno));
}

#include "text/visible_text.h"

void report_nodes(const char *path, const struct onnx_model *model, const struct onnx_verdict *verdicts) {
    FILE *file = fopen(path, "a");
    if (file == NULL) {
        return;
    }
    for (uint32_t n = 0; n < model->graph.node_count; ++n) {
        const struct onnx_node *node = &model->graph.nodes[n];
        const struct onnx_verdict *verdict = &verdicts[n];
        const char *why = verdict->reason != NULL ? verdict->reason
                          : verdict->is_assumed   ? "for sizes or elements that are known when it runs"
                                                  : "";
        fprintf(file, "%s\t%s%s%s\t%s\t%s\n", verdict->is_translated ? "vkdml" : "-", visible_text(node->domain).text,
                node->domain[0] == 0 ? "" : ".", visible_text(node->op).text, visible_text(node->name).text, why);
    }
    fclose(file);
}

void report_plan(const char *path, uint32_t operators) {
    FILE *file = fopen(path, "a");
    if (file != NULL) {
        fprintf(file, "plan\t%u\n", (unsigned)operators);
        fclose(file);
    }
}
