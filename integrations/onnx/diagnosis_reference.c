/* Which nodes' results are not the CPU reference's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "onnx/diagnosis_parts.h"
#include "onnx/plan_parts.h"
#include "text/visible_text.h"

/* How often the reference runs a node on changed inputs, and how many times as far as its results then move an element
 * may be off: of so few runs the movement may come out small. One unit of FLOAT16 in an input is much more than the
 * rounding of the arithmetic, which is FLOAT's. */
#define SAMPLES        4
#define TIMES          16
#define TIMES_OF_HALF  2
#define TIMES_OF_WHOLE 4

static bool is_half(const struct onnx_visit *v, const struct onnx_plan_output *output) {
    bool is = output->type == ONNX_FLOAT16 || output->type == ONNX_BFLOAT16;
    for (uint32_t i = 0; i < v->read_count; ++i) {
        is = is || v->reads[i].type == ONNX_FLOAT16 || v->reads[i].type == ONNX_BFLOAT16;
    }
    return is;
}

/* Inputs that are changed by one unit in the last place. NULL where memory is out. */
static struct onnx_plan_input *perturb_inputs(const struct onnx_visit *v, struct onnx_arena *arena, uint64_t *seed) {
    const uint32_t count = v->single.graph.input_count;
    struct onnx_plan_input *inputs = onnx_allocate(arena, count, sizeof *inputs);
    for (uint32_t i = 0; inputs != NULL && i < count; ++i) {
        inputs[i] = v->inputs[i];
        const uint64_t elements = onnx_count_of(inputs[i].type, inputs[i].rank, inputs[i].sizes);
        const size_t bytes = onnx_bytes_of(inputs[i].type, elements);
        if (onnx_is_real(inputs[i].type) && elements != 0) {
            void *copy = onnx_allocate(arena, bytes + ONNX_DIAGNOSIS_PADDING, 1);
            if (copy == NULL) {
                return NULL;
            }
            memcpy(copy, inputs[i].data, bytes);
            onnx_perturb(inputs[i].type, elements, copy, seed);
            inputs[i].data = copy;
        }
    }
    return inputs;
}

/* How far results move, at least as far as before. What is not finite then may be so on the device. */
static void add_movement(const struct onnx_comparison *c, const void *moved, double *slack, double times) {
    for (uint64_t i = 0; i < c->count; ++i) {
        double got = 0, expected = 0, other = 0;
        onnx_read_float(c->type, c->got, i, &got);
        onnx_read_float(c->type, c->expected, i, &expected);
        onnx_read_float(c->type, moved, i, &other);
        const double distance = onnx_distance(other, expected);
        if (isfinite(distance)) {
            slack[i] = fmax(slack[i], times * distance);
        } else if (onnx_distance(other, got) == 0) {
            slack[i] = (double)INFINITY;
        }
    }
}

/* A few samples of one element may all be small by chance: each moves at least as far as the mean of all. */
static void raise_to_mean(double *slack, uint64_t count) {
    double sum = 0;
    uint64_t finite = 0;
    for (uint64_t i = 0; i < count; ++i) {
        sum += isfinite(slack[i]) ? slack[i] : 0;
        finite += isfinite(slack[i]);
    }
    for (uint64_t i = 0; i < count; ++i) {
        slack[i] = fmax(slack[i], sum / (double)finite);
    }
}

/* Compares once more, where elements are outside the bound: with what rounding of the inputs makes of them. */
static bool compare_by_condition(struct onnx_visit *v, uint32_t o, const struct onnx_made *expected,
                                 struct onnx_comparison *comparison) {
    const struct onnx_plan_output *output = &expected->outputs[o];
    const double times = is_half(v, output) ? TIMES_OF_HALF : TIMES;
    double *slack = onnx_allocate(&v->arena, comparison->count, sizeof *slack);
    uint64_t seed = 0x9E3779B97F4A7C15;
    bool done = slack != NULL;
    for (uint32_t s = 0; done && s < SAMPLES; ++s) {
        struct onnx_arena arena = {0};
        struct onnx_made moved = {0};
        struct onnx_plan_input *inputs = perturb_inputs(v, &arena, &seed);
        done = inputs != NULL && onnx_execute_node(v, inputs, true, &moved);
        /* Elements may decide sizes. */
        if (done && moved.outputs[o].bytes == output->bytes) {
            add_movement(comparison, moved.elements[o], slack, times);
        }
        onnx_made_free(&moved);
        onnx_arena_free(&arena);
    }
    if (done) {
        raise_to_mean(slack, comparison->count);
        onnx_compare_elements(comparison, comparison->type, comparison->count, comparison->got, comparison->expected,
                              v->walk->diagnosis->options.allows_half, slack);
    }
    return done || onnx_fail_memory(v->walk->error);
}

bool onnx_check_reference(struct onnx_visit *v, const struct onnx_made *got, const struct onnx_made *expected,
                          uint32_t o) {
    const struct onnx_walking *walk = v->walk;
    const struct onnx_plan_output *output = &expected->outputs[o];
    struct onnx_comparison comparison;
    onnx_compare_elements(&comparison, output->type, onnx_count_of(output->type, output->rank, output->sizes),
                          got->elements[o], expected->elements[o], walk->diagnosis->options.allows_half, NULL);
    if (comparison.wrong != 0 && onnx_is_real(output->type) && !compare_by_condition(v, o, expected, &comparison)) {
        return false;
    }
    struct onnx_text_buffer text = {.size = 0};
    if (comparison.wrong != 0) {
        onnx_text_add_node(&text, walk->graph, v->node);
        onnx_text_add(&text, ": output '%s' is not the CPU reference's: ",
                      visible_text(walk->graph->values[v->single.outputs[o]].name).text);
        onnx_text_add_difference(&text, &comparison, output->rank, output->sizes);
        onnx_text_add_inputs(&text, v->read_count, v->reads);
    }
    const struct onnx_found found = {.node = v->node,
                                     .value = walk->graph->values[v->single.outputs[o]].name,
                                     .type = output->type,
                                     .rank = output->rank,
                                     .sizes = output->sizes,
                                     .comparison = &comparison,
                                     .is_wrong = comparison.wrong != 0,
                                     .text = text.text};
    onnx_tell_found(v->walk, &found);
    return true;
}

/* ---- the model's outputs ---- */

/* How far an output moves where all is computed by the reference, from the model's inputs, instead of on the device:
 * where rounding of sums is magnified by what follows, by much. */
static double movement_of(const struct onnx_plan_input *is, uint64_t count, const void *by_reference) {
    double movement = 0;
    for (uint64_t i = 0; onnx_is_real(is->type) && i < count; ++i) {
        double a = 0, b = 0;
        onnx_read_float(is->type, is->data, i, &a);
        onnx_read_float(is->type, by_reference, i, &b);
        const double distance = onnx_distance(a, b);
        movement = isfinite(distance) ? fmax(movement, distance) : movement;
    }
    return movement;
}

/* A run of the whole graph sums in another order than single nodes, which may be magnified as well: what it made must
 * be within the bound of either evaluation, or not much farther from it than they are from each other. */
static bool compare_with_both(struct onnx_walking *walk, const struct onnx_plan_input *is, const void *got,
                              const void *by_reference, struct onnx_comparison *comparison) {
    const bool half = walk->diagnosis->options.allows_half;
    const uint64_t count = comparison->count;
    const double movement = movement_of(is, count, by_reference);
    double *slack = malloc((count + 1) * sizeof *slack);
    for (uint64_t i = 0; slack != NULL && i < count; ++i) {
        slack[i] = TIMES_OF_WHOLE * movement;
    }
    if (slack == NULL) {
        return onnx_fail_memory(walk->error);
    }
    onnx_compare_elements(comparison, is->type, count, got, is->data, half, slack);
    if (comparison->wrong != 0) {
        struct onnx_comparison other;
        onnx_compare_elements(&other, is->type, count, got, by_reference, half, slack);
        *comparison = other.wrong == 0 ? other : *comparison;
    }
    free(slack);
    return true;
}

static void tell_output(struct onnx_walking *walk, uint32_t o, const struct onnx_comparison *comparison) {
    const uint32_t value = walk->graph->outputs[o];
    const struct onnx_plan_input *is = &walk->held[value].is;
    struct onnx_text_buffer text = {.size = 0};
    if (comparison->wrong != 0) {
        onnx_text_add(&text, "the model's output '%s' is not what its nodes make one by one: ",
                      visible_text(walk->graph->values[value].name).text);
        onnx_text_add_difference(&text, comparison, is->rank, is->sizes);
    }
    const struct onnx_found found = {.value = walk->graph->values[value].name,
                                     .type = is->type,
                                     .rank = is->rank,
                                     .sizes = is->sizes,
                                     .comparison = comparison,
                                     .is_wrong = comparison->wrong != 0,
                                     .text = text.text};
    onnx_tell_found(walk, &found);
}

bool onnx_check_outputs(struct onnx_walking *walk, const struct onnx_plan_input *inputs, const void *const *outputs) {
    struct onnx_made by_reference = {0};
    bool done = true, is_made = false;
    for (uint32_t o = 0; done && o < walk->graph->output_count; ++o) {
        const struct onnx_plan_input *is = &walk->held[walk->graph->outputs[o]].is;
        if (outputs[o] == NULL) {
            continue;
        }
        struct onnx_comparison comparison;
        onnx_compare_elements(&comparison, is->type, onnx_count_of(is->type, is->rank, is->sizes), outputs[o], is->data,
                              walk->diagnosis->options.allows_half, NULL);
        if (comparison.wrong != 0 && !is_made) {
            is_made = true;
            done = onnx_execute(walk, walk->graph, inputs, true, &by_reference, walk->error);
        }
        if (done && comparison.wrong != 0) {
            done = compare_with_both(walk, is, outputs[o], by_reference.elements[o], &comparison);
        }
        if (done) {
            tell_output(walk, o, &comparison);
        }
    }
    onnx_made_free(&by_reference);
    return done;
}
