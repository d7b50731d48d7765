#include "onnx/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vkdml/schema.h>

#include "base/operator_names.h"
#include "onnx/conditions.h"
#include "onnx/judge.h"
#include "onnx/operators.h"
#include "onnx/report.h"
#include "text/visible_text.h"

/* Names of open sizes that are told, and bytes of one: a name as it is printed, and a dimension. */
#define MOST_NAMES 16
#define NAME_SIZE  (sizeof(struct visible_text) + 16)

/* Bytes of an input's file whose elements count: as in sessions. */
#define MOST_ELEMENTS 65536

struct check {
    const struct subject *subject;
    const struct onnx_judgement *judgement; /* NULL: all sizes are known */
    uint32_t node, undecided;
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
    const struct onnx_title title = onnx_node_title(node);
    const size_t length = strlen(title.text);
    const bool begins = strncmp(reason, title.text, length) == 0 && strncmp(reason + length, ": ", 2) == 0;
    return begins ? reason + length + 2 : reason;
}

static void print_node(const struct check *check, const struct onnx_node *node) {
    printf("%s%s%s %u", visible_text(node->domain).text, *node->domain ? "." : "", visible_text(node->op).text,
           node->version);
    if (*node->name) {
        printf(" '%s'", visible_text(node->name).text);
    } else if (node->output_count && node->outputs[0] != ONNX_NONE) {
        printf(" of %s", visible_text(check->subject->graph->values[node->outputs[0]].name).text);
    }
}

/* With sizes that stay open a node is refused where no size that was tried fits. */
static enum onnx_outcome outcome_of(struct check *check, const struct onnx_node_report *report, const char **reason,
                                    bool *is_undecided) {
    const struct onnx_verdict *verdict = check->judgement ? &check->judgement->verdicts[check->node++] : NULL;
    *reason = report->reason;
    *is_undecided = false;
    if (!verdict || report->outcome == ONNX_UNNEEDED) {
        return report->outcome;
    }
    *reason = verdict->reason;
    if (verdict->is_translated || report->outcome == ONNX_UNREACHED) {
        return verdict->is_translated ? ONNX_TRANSLATED : ONNX_UNREACHED;
    }
    const struct onnx_node *node = report->node;
    *is_undecided = verdict->is_assumed && onnx_find_operator(node->domain, node->op, node->version) != NULL;
    check->undecided += *is_undecided;
    return ONNX_REFUSED;
}

static void tell(void *data, const struct onnx_node_report *report) {
    struct check *check = data;
    const char *reason;
    bool is_undecided;
    const enum onnx_outcome outcome = outcome_of(check, report, &reason, &is_undecided);
    check->counts[outcome]++;
    check->operators += report->operator_count;
    fputs("  ", stdout);
    print_node(check, report->node);
    switch (outcome) {
    case ONNX_TRANSLATED:
        print_operators(report);
        puts(report->operator_count               ? ""
             : report->outcome != ONNX_TRANSLATED ? ": operators that depend on the sizes"
                                                  : ": a view, or known while planning");
        break;
    case ONNX_REFUSED:
        printf(": %s: %s\n", is_undecided ? "fits no size that was tried" : "refused",
               without_name(report->node, reason));
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

static bool print_end(const struct check *check) {
    const struct subject *subject = check->subject;
    const uint32_t refused = check->counts[ONNX_REFUSED], unreached = check->counts[ONNX_UNREACHED];
    const bool is_undecided = refused != 0 && refused == check->undecided;
    printf("%s: %s", subject->path, is_undecided ? "undecided" : refused ? "refused" : "fine");
    print_count(": ", subject->graph->node_count, "node");
    print_count(", ", check->operators, "DirectML operator");
    if (refused) {
        print_count(", ", refused, "node");
        printf(is_undecided ? " that other sizes may fit" : " refused");
    }
    if (unreached) {
        printf(", %u not looked at", unreached);
    }
    putchar('\n');
    return refused == 0 && unreached == 0;
}

/* ---- sizes that stay open ---- */

static bool has_file(const struct subject *subject, uint32_t input) {
    bool found = false;
    for (size_t i = 0; i < subject->file_count; i++) {
        found = found || subject->files[i] == input;
    }
    return found;
}

/* Names of sizes that nothing states, each once. */
struct open_names {
    char texts[MOST_NAMES][NAME_SIZE];
    uint32_t count;
    bool are_more;
};

static void add_name(struct open_names *names, const char *name) {
    bool found = false;
    for (uint32_t i = 0; i < names->count; i++) {
        found = found || strcmp(names->texts[i], name) == 0;
    }
    if (!found && names->count < MOST_NAMES) {
        snprintf(names->texts[names->count++], NAME_SIZE, "%s", name);
    } else {
        names->are_more = names->are_more || !found;
    }
}

static void find_open(const struct subject *subject, struct open_names *names) {
    *names = (struct open_names){.count = 0};
    for (uint32_t i = 0; i < subject->graph->input_count; i++) {
        const struct onnx_value *value = &subject->graph->values[subject->graph->inputs[i]];
        for (uint32_t d = 0; value->has_shape && d < value->rank && !has_file(subject, i); d++) {
            char text[NAME_SIZE];
            uint32_t size;
            if (value->sizes[d] >= 0 || subject_size(subject, value, d, &size)) {
                continue;
            }
            if (value->symbols[d]) {
                snprintf(text, sizeof(text), "%s", visible_text(value->symbols[d]).text);
            } else {
                snprintf(text, sizeof(text), "%s.%u", visible_text(value->name).text, d);
            }
            add_name(names, text);
        }
    }
}

static void print_open(const struct subject *subject) {
    struct open_names names;
    find_open(subject, &names);
    printf("  sizes that are open: ");
    for (uint32_t i = 0; i < names.count; i++) {
        printf("%s%s", i ? ", " : "", names.texts[i]);
    }
    printf("%s (--size NAME=N states one)\n", names.are_more ? ", .." : "");
}

static struct onnx_data data_of(const struct onnx_plan_input *input) {
    struct onnx_data data = {.type = input->type, .rank = input->rank, .data = input->data};
    memcpy(data.sizes, input->sizes, sizeof(data.sizes));
    data.bytes = onnx_bytes_of(input->type, onnx_elements(input->rank, input->sizes));
    return data;
}

/* The graph with the sizes that are stated, and with elements of small files; its values are to be freed. `elements`
 * has room for ONNX_REQUEST_MOST. False where memory is out. */
static bool fill_in_sizes(const struct subject *subject, struct onnx_data *elements, struct onnx_graph *graph) {
    *graph = *subject->graph;
    graph->values = malloc((graph->value_count + (size_t)1) * sizeof(*graph->values));
    if (!graph->values) {
        return false;
    }
    memcpy(graph->values, subject->graph->values, graph->value_count * sizeof(*graph->values));
    for (size_t i = 0; i < subject->file_count; i++) {
        struct onnx_value *value = &graph->values[graph->inputs[subject->files[i]]];
        const struct onnx_plan_input *input = &subject->inputs[subject->files[i]];
        value->has_shape = true;
        value->type = input->type;
        value->rank = input->rank;
        for (uint32_t d = 0; d < input->rank; d++) {
            value->sizes[d] = input->sizes[d];
        }
        elements[i] = data_of(input);
        if (elements[i].bytes <= MOST_ELEMENTS) {
            value->constant = &elements[i];
        }
    }
    for (uint32_t v = 0; v < graph->value_count; v++) {
        struct onnx_value *value = &graph->values[v];
        for (uint32_t d = 0; value->has_shape && d < value->rank; d++) {
            uint32_t size;
            if (value->sizes[d] < 0 && subject_size(subject, value, d, &size)) {
                value->sizes[d] = size;
            }
        }
    }
    return true;
}

/* The conditions under which nodes are translated, and the node of each that refuses other sizes. */
static bool print_conditions(const struct check *check, const struct onnx_graph *graph, struct onnx_arena *arena) {
    const struct onnx_condition *conditions;
    uint32_t count;
    if (!onnx_find_conditions(check->subject->model, graph, arena, check->judgement, &conditions, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        printf("  runs where %s (", onnx_condition_text(&conditions[i], &check->judgement->open, graph).text);
        print_node(check, &graph->nodes[conditions[i].node]);
        puts(")");
    }
    return true;
}

static bool check_open(struct check *check, struct onnx_error *error) {
    const struct subject *subject = check->subject;
    struct onnx_arena arena = {0};
    struct onnx_graph graph;
    struct onnx_judgement judgement;
    struct onnx_data elements[ONNX_REQUEST_MOST];
    bool good = fill_in_sizes(subject, elements, &graph);
    if (good && onnx_judge_open(subject->model, &graph, &arena, &judgement)) {
        check->judgement = &judgement;
        print_open(subject);
        good = onnx_report_open(subject->model, &graph, &judgement.open, judgement.assumed, tell, check, error);
        good = good && (print_conditions(check, &graph, &arena) || onnx_fail_memory(error));
    } else {
        good = onnx_fail_memory(error);
    }
    onnx_arena_free(&arena);
    free(graph.values);
    return good;
}

static bool check_subject(const struct subject *subject) {
    struct check check = {.subject = subject};
    struct onnx_error error = {0};
    printf("%s:\n", subject->path);
    const bool good = subject->has_open_sizes ? check_open(&check, &error)
                                              : onnx_report(subject->model, subject->graph, subject->input_count,
                                                            subject->inputs, tell, &check, &error);
    return good ? print_end(&check) : subject_fail(subject, &error);
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
