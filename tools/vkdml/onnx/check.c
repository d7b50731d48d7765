#include "onnx/check.h"

#include <stdio.h>
#include <string.h>

#include <vkdml/schema.h>

#include "base/operator_names.h"
#include "onnx/report.h"

struct check {
    const struct subject *subject;
    uint32_t counts[ONNX_UNNEEDED + 1];
    uint32_t operators;
};

static void print_operators(const struct onnx_node_report *report) {
    uint32_t same = 0;
    for (uint32_t i = 0; i < report->operator_count; i += same) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(report->operators[i]);
        for (same = 1; i + same < report->operator_count && report->operators[i + same] == report->operators[i];) {
            same++;
        }
        printf("%s%s", i ? ", " : " -> ", schema ? operator_names_short(schema->name) : "?");
        if (same > 1) {
            printf(" x%u", same);
        }
    }
}

/* Reasons begin with "OP 'NAME': ", which has been printed. */
static const char *without_name(const struct onnx_node *node, const char *reason) {
    char name[256];
    const int length = snprintf(name, sizeof(name), "%s%s%s%s: ", node->op, *node->name ? " '" : "", node->name,
                                *node->name ? "'" : "");
    const bool begins = length > 0 && (size_t)length < sizeof(name) && strncmp(reason, name, (size_t)length) == 0;
    return begins ? reason + length : reason;
}

static void tell(void *data, const struct onnx_node_report *report) {
    struct check *check = data;
    const struct onnx_node *node = report->node;
    check->counts[report->outcome]++;
    check->operators += report->operator_count;
    printf("  %s%s%s %u", node->domain, *node->domain ? "." : "", node->op, node->version);
    if (*node->name) {
        printf(" '%s'", node->name);
    } else if (node->output_count && node->outputs[0] != ONNX_NONE) {
        printf(" of %s", check->subject->graph->values[node->outputs[0]].name);
    }
    switch (report->outcome) {
    case ONNX_TRANSLATED:
        print_operators(report);
        puts(report->operator_count ? "" : ": a view, or known while planning");
        break;
    case ONNX_REFUSED:
        printf(": refused: %s\n", without_name(node, report->reason));
        break;
    case ONNX_UNREACHED:
        puts(": not looked at: it reads what a refused node makes, whose shape the model does not say");
        break;
    default:
        puts(": left out: no output depends on it");
        break;
    }
}

static void print_count(const char *before, uint32_t count, const char *what) {
    printf("%s%u %s%s", before, count, what, count == 1 ? "" : "s");
}

static bool check_subject(const struct subject *subject) {
    struct check check = {.subject = subject};
    struct onnx_error error = {0};
    printf("%s:\n", subject->path);
    if (!onnx_report(subject->model, subject->graph, subject->input_count, subject->inputs, tell, &check,
                     &error)) {
        return subject_fail(subject, &error);
    }
    const uint32_t refused = check.counts[ONNX_REFUSED], unreached = check.counts[ONNX_UNREACHED];
    printf("%s: %s", subject->path, refused ? "refused" : "fine");
    print_count(": ", subject->graph->node_count, "node");
    print_count(", ", check.operators, "DirectML operator");
    if (refused) {
        print_count(", ", refused, "node");
        printf(" refused");
    }
    if (unreached) {
        printf(", %u not looked at", unreached);
    }
    putchar('\n');
    return refused == 0 && unreached == 0;
}

bool check_onnx_model(const char *path, const struct onnx_request *request) {
    struct subject subject;
    bool good = subject_open(&subject, path, request) && check_subject(&subject);
    subject_close(&subject);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "vkdml: standard output cannot be written\n");
        good = false;
    }
    return good;
}
