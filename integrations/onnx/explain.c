#include "onnx/conditions.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/visible_text.h"

/* Adds text at the end of text that may be full. */
static void append(char *text, size_t size, const char *format, ...) ONNX_PRINTF(3, 4);
static void append(char *text, size_t size, const char *format, ...) {
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

struct onnx_condition_text onnx_condition_text(const struct onnx_condition *condition,
                                               const struct onnx_open_sizes *open, const struct onnx_graph *graph) {
    static const char *const relations[] = {
        [ONNX_AT_LEAST] = ">=", [ONNX_AT_MOST] = "<=", [ONNX_EQUAL] = "=", [ONNX_MULTIPLE] = "%"};
    struct onnx_condition_text text = {{0}};
    const size_t size = sizeof text.text;
    int64_t bound = condition->bound;
    append(text.text, size, "%s %s ", onnx_open_name(open, graph, condition->number).text, relations[condition->kind]);
    for (uint32_t i = 0; i < condition->term_count; ++i) {
        append(text.text, size, "%s%s", i == 0 ? "" : " + ", onnx_open_name(open, graph, condition->terms[i]).text);
    }
    if (condition->term_count != 0 && bound != 0) {
        append(text.text, size, bound < 0 ? " - " : " + ");
        bound = bound < 0 ? -bound : bound;
    }
    if (condition->term_count == 0 || bound != 0) {
        append(text.text, size, "%" PRId64, bound);
    }
    if (condition->kind == ONNX_MULTIPLE) {
        append(text.text, size, " = %" PRIu32, condition->rest);
    }
    append(text.text, size, condition->may_be_one ? " or 1" : "");
    if (condition->term_may_be_one) {
        append(text.text, size, " or %s = 1", onnx_open_name(open, graph, condition->terms[0]).text);
    }
    return text;
}

/* ---- sizes of a run ---- */

bool onnx_condition_holds(const struct onnx_condition *condition, const uint32_t *sizes) {
    const int64_t size = sizes[condition->number];
    int64_t sum = condition->bound;
    for (uint32_t i = 0; i < condition->term_count; ++i) {
        sum += sizes[condition->terms[i]];
    }
    switch (condition->kind) {
    case ONNX_AT_LEAST:
        return size >= sum;
    case ONNX_AT_MOST:
        return size <= sum;
    case ONNX_MULTIPLE:
        return size % condition->bound == condition->rest;
    case ONNX_EQUAL:
        break;
    }
    return size == sum || (condition->may_be_one && size == 1) ||
           (condition->term_may_be_one && sizes[condition->terms[0]] == 1);
}

/* What inputs make of the open sizes. A size that two inputs have differently is what is wrong. */
static bool read_sizes(const struct onnx_graph *graph, const struct onnx_open_sizes *open, uint32_t input_count,
                       const struct onnx_plan_input *inputs, uint32_t *sizes, struct onnx_error *error) {
    for (uint32_t i = 0; i < input_count; ++i) {
        const struct onnx_value *value = &graph->values[graph->inputs[i]];
        for (uint32_t d = 0; value->has_shape && d < value->rank && d < inputs[i].rank; ++d) {
            const uint32_t number = onnx_open_size_of(open, graph, graph->inputs[i], d);
            if (number != ONNX_NONE && sizes[number] != 0 && sizes[number] != inputs[i].sizes[d]) {
                append(error->text, sizeof error->text, "; %s is %" PRIu32 ", but %" PRIu32 " in input '%s'",
                       onnx_open_name(open, graph, number).text, sizes[number], inputs[i].sizes[d],
                       visible_text(value->name).text);
                return false;
            }
            if (number != ONNX_NONE) {
                sizes[number] = inputs[i].sizes[d];
            }
        }
    }
    return true;
}

static bool explain(const struct onnx_model *model, const struct onnx_graph *graph, uint32_t input_count,
                    const struct onnx_plan_input *inputs, struct onnx_arena *arena, struct onnx_error *error) {
    struct onnx_judgement judgement;
    const struct onnx_condition *conditions;
    uint32_t count, told = 0;
    uint32_t *sizes = NULL;
    bool done = onnx_judge_open(model, graph, arena, &judgement);
    if (done && judgement.open.input_count != 0) {
        sizes = onnx_allocate(arena, judgement.open.count, sizeof *sizes);
    }
    if (sizes == NULL || !read_sizes(graph, &judgement.open, input_count, inputs, sizes, error) ||
        !onnx_find_conditions(model, graph, arena, &judgement, &conditions, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!onnx_condition_holds(&conditions[i], sizes)) {
            append(error->text, sizeof error->text, "%s %s, but it is %" PRIu32,
                   told++ == 0 ? "; the model needs" : ",",
                   onnx_condition_text(&conditions[i], &judgement.open, graph).text, sizes[conditions[i].number]);
        }
    }
    for (uint32_t s = 0; told == 0 && s < judgement.open.input_count; ++s) {
        append(error->text, sizeof error->text, "%s %s = %" PRIu32, s == 0 ? "; sizes of this run:" : ",",
               onnx_open_name(&judgement.open, graph, s).text, sizes[s]);
    }
    return false;
}

bool onnx_explain_sizes(const struct onnx_model *model, const struct onnx_graph *graph, uint32_t input_count,
                        const struct onnx_plan_input *inputs, struct onnx_error *error) {
    struct onnx_arena arena = {0};
    const bool is_about_sizes =
        error->result == VKDML_ERROR_INVALID_ARGUMENT || error->result == VKDML_ERROR_LIMIT_EXCEEDED;
    if (is_about_sizes && inputs != NULL) {
        explain(model, graph, input_count, inputs, &arena, error);
    }
    onnx_arena_free(&arena);
    return false;
}
