/* RNN, GRU and LSTM: plain loops, sequence by sequence and step by step. Sums are double's, states FLOAT32. */
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "reference/activation.h"
#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

/* Tensors by what they are; NULL: absent. */
struct operand {
    const struct vkdml_tensor *tensor;
    const void *memory;
};

struct result {
    const struct vkdml_tensor *tensor;
    void *memory;
};

struct network {
    const struct vkdml_instance *instance;
    struct operand input, weights, recurrence, bias, hidden_init, cell_init, lengths, peephole;
    struct result sequence, single, cell_single;
    uint32_t gates, functions, directions, steps, batch, width, hidden;
    DML_RECURRENT_NETWORK_DIRECTION direction;
    bool clips, couples, is_linear;
    float clip;
    /* Of the sequence that is under way. */
    uint32_t d, row;
    float *state, *next_state, *reset_state, *cell; /* `hidden` of each */
};

enum { F, G, H };

static struct operand input_of(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                               uint32_t index) {
    const bool present = instance->inputs[index].dimension_count != 0;
    return (struct operand){present ? &instance->inputs[index] : NULL, memory->inputs[index]};
}

static struct result output_of(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                               uint32_t index) {
    const bool present = instance->outputs[index].dimension_count != 0;
    return (struct result){present ? &instance->outputs[index] : NULL, memory->outputs[index]};
}

static void begin(struct network *n, const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                  uint32_t gates, uint32_t functions) {
    memset(n, 0, sizeof *n);
    n->instance = instance;
    n->gates = gates;
    n->functions = functions;
    n->input = input_of(instance, memory, 0);
    n->weights = input_of(instance, memory, 1);
    n->recurrence = input_of(instance, memory, 2);
    n->bias = input_of(instance, memory, 3);
    n->hidden_init = input_of(instance, memory, 4);
    n->lengths = input_of(instance, memory, 5);
    n->sequence = output_of(instance, memory, 0);
    n->single = output_of(instance, memory, 1);
    n->steps = n->input.tensor->sizes[1];
    n->batch = n->input.tensor->sizes[2];
    n->width = n->input.tensor->sizes[3];
    n->directions = n->weights.tensor->sizes[1];
    n->hidden = n->recurrence.tensor->sizes[3];
}

static double read(const struct operand *operand, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const struct vkdml_coordinate at = {{a, b, c, d}};
    return operand->tensor != NULL ? vkdml_number_read(operand->tensor, operand->memory, &at) : 0;
}

static void write(const struct result *result, uint32_t a, uint32_t b, uint32_t c, uint32_t d, float value) {
    const struct vkdml_coordinate at = {{a, b, c, d}};
    if (result->tensor != NULL) {
        vkdml_element_write(result->tensor, result->memory, &at,
                            vkdml_float_to_element(result->tensor->data_type, value));
    }
}

/* A function of the direction. */
static float apply(const struct network *n, uint32_t function, float x) {
    static const DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC steepness_of_one = {.Steepness = 1};
    const struct vkdml_instance *activation = &n->instance->activations[n->d * n->functions + function];
    struct vkdml_map_context context = {.desc = activation->desc, .type = DML_TENSOR_DATA_TYPE_FLOAT32};
    if (activation->schema->type == DML_OPERATOR_ACTIVATION_SOFTPLUS &&
        ((const DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC *)activation->desc)->Steepness == 0) {
        context.desc = &steepness_of_one;
    }
    return vkdml_reference_activation(activation->schema->type)(&x, &context);
}

/* ---- sums of a gate of a unit ---- */

static double of_input(const struct network *n, uint32_t t, uint32_t gate, uint32_t unit) {
    const uint32_t row = gate * n->hidden + unit;
    double sum = read(&n->bias, 0, 0, n->d, row);
    for (uint32_t k = 0; k < n->width; k++) {
        sum += read(&n->input, 0, t, n->row, k) * read(&n->weights, 0, n->d, row, k);
    }
    return sum;
}

static double of_state(const struct network *n, const float *state, uint32_t gate, uint32_t unit) {
    const uint32_t row = gate * n->hidden + unit;
    double sum = read(&n->bias, 0, 0, n->d, n->gates * n->hidden + row);
    for (uint32_t k = 0; k < n->hidden; k++) {
        sum += (double)state[k] * read(&n->recurrence, 0, n->d, row, k);
    }
    return sum;
}

static float sum_of(const struct network *n, uint32_t t, uint32_t gate, uint32_t unit) {
    return (float)(of_input(n, t, gate, unit) + of_state(n, n->state, gate, unit));
}

/* ---- cells: next_state of state ---- */

static void rnn_step(struct network *n, uint32_t t) {
    for (uint32_t u = 0; u < n->hidden; u++) {
        n->next_state[u] = apply(n, F, sum_of(n, t, 0, u));
    }
}

enum { UPDATE, RESET, NEW };

static float new_state(const struct network *n, uint32_t t, uint32_t u) {
    double own;
    if (n->is_linear) {
        own = (double)apply(n, F, sum_of(n, t, RESET, u)) * of_state(n, n->state, NEW, u);
    } else {
        own = of_state(n, n->reset_state, NEW, u);
    }
    return apply(n, G, (float)(of_input(n, t, NEW, u) + own));
}

static void gru_step(struct network *n, uint32_t t) {
    for (uint32_t u = 0; u < n->hidden && !n->is_linear; u++) {
        n->reset_state[u] = apply(n, F, sum_of(n, t, RESET, u)) * n->state[u];
    }
    for (uint32_t u = 0; u < n->hidden; u++) {
        const float update = apply(n, F, sum_of(n, t, UPDATE, u));
        const float rest = 1 - update;
        const float of_new = rest * new_state(n, t, u), of_old = update * n->state[u];
        n->next_state[u] = of_new + of_old;
    }
}

enum { INTO, OUT_OF, KEEP, CANDIDATE };

static float clipped(const struct network *n, double sum) {
    const float x = (float)sum;
    return !n->clips ? x : x > n->clip ? n->clip : x < -n->clip ? -n->clip : x;
}

static double gate_sum(const struct network *n, uint32_t t, uint32_t gate, uint32_t u) {
    return of_input(n, t, gate, u) + of_state(n, n->state, gate, u);
}

/* What a gate sees of the cell. */
static double seen(const struct network *n, uint32_t peephole, uint32_t u, float cell) {
    return n->peephole.tensor == NULL ? 0 : read(&n->peephole, 0, 0, n->d, peephole * n->hidden + u) * (double)cell;
}

static void lstm_step(struct network *n, uint32_t t) {
    for (uint32_t u = 0; u < n->hidden; u++) {
        const float cell = n->cell[u];
        const float into = apply(n, F, clipped(n, gate_sum(n, t, INTO, u) + seen(n, 0, u, cell)));
        const float keep =
            n->couples ? 1 - into : apply(n, F, clipped(n, gate_sum(n, t, KEEP, u) + seen(n, 2, u, cell)));
        const float candidate = apply(n, G, clipped(n, gate_sum(n, t, CANDIDATE, u)));
        const float kept = keep * cell, added = into * candidate;
        n->cell[u] = kept + added;
        const float out = apply(n, F, clipped(n, gate_sum(n, t, OUT_OF, u) + seen(n, 1, u, n->cell[u])));
        n->next_state[u] = out * apply(n, H, n->cell[u]);
    }
}

/* ---- sequences ---- */

static uint32_t length_of(const struct network *n) {
    if (n->lengths.tensor == NULL) {
        return n->steps;
    }
    const struct vkdml_coordinate at = {{0, 0, 0, n->row}};
    const uint64_t length = vkdml_element_read(n->lengths.tensor, n->lengths.memory, &at);
    return length < n->steps ? (uint32_t)length : n->steps;
}

static void run_sequence(struct network *n, void (*step)(struct network *n, uint32_t t)) {
    const uint32_t length = length_of(n);
    const bool is_backward = n->direction == DML_RECURRENT_NETWORK_DIRECTION_BACKWARD || n->d == 1;
    for (uint32_t u = 0; u < n->hidden; u++) {
        n->state[u] = (float)read(&n->hidden_init, 0, n->d, n->row, u);
        n->cell[u] = (float)read(&n->cell_init, 0, n->d, n->row, u);
    }
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t t = is_backward ? length - 1 - i : i;
        step(n, t);
        for (uint32_t u = 0; u < n->hidden; u++) {
            n->state[u] = n->next_state[u];
            write(&n->sequence, t, n->d, n->row, u, n->state[u]);
        }
    }
    for (uint32_t t = length; t < n->steps; t++) {
        for (uint32_t u = 0; u < n->hidden; u++) {
            write(&n->sequence, t, n->d, n->row, u, 0);
        }
    }
    for (uint32_t u = 0; u < n->hidden; u++) { /* a sequence of no step gives 0, and not what it begins with */
        write(&n->single, 0, n->d, n->row, u, length == 0 ? 0 : n->state[u]);
        write(&n->cell_single, 0, n->d, n->row, u, length == 0 ? 0 : n->cell[u]);
    }
}

static void run(struct network *n, const struct vkdml_reference_memory *memory,
                void (*step)(struct network *n, uint32_t t)) {
    const size_t bytes = (size_t)4 * n->hidden * sizeof(float);
    float *states = vkdml_allocate(NULL, bytes);
    if (states == NULL) {
        vkdml_report_out_of_memory(memory->report, bytes, "states");
        return;
    }
    n->state = states;
    n->next_state = states + n->hidden;
    n->reset_state = n->next_state + n->hidden;
    n->cell = n->reset_state + n->hidden;
    for (n->d = 0; n->d < n->directions; n->d++) {
        for (n->row = 0; n->row < n->batch; n->row++) {
            run_sequence(n, step);
        }
    }
    vkdml_free(NULL, states);
}

void vkdml_reference_rnn(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_RNN_OPERATOR_DESC *desc = instance->desc;
    struct network n;
    begin(&n, instance, memory, 1, 1);
    n.direction = desc->Direction;
    run(&n, memory, rnn_step);
}

void vkdml_reference_gru(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_GRU_OPERATOR_DESC *desc = instance->desc;
    struct network n;
    begin(&n, instance, memory, 3, 2);
    n.direction = desc->Direction;
    n.is_linear = desc->LinearBeforeReset != 0;
    run(&n, memory, gru_step);
}

void vkdml_reference_lstm(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_LSTM_OPERATOR_DESC *desc = instance->desc;
    struct network n;
    begin(&n, instance, memory, 4, 3);
    n.cell_init = input_of(instance, memory, 5);
    n.lengths = input_of(instance, memory, 6);
    n.peephole = input_of(instance, memory, 7);
    n.cell_single = output_of(instance, memory, 2);
    n.direction = desc->Direction;
    n.clips = desc->UseClipThreshold != 0;
    n.clip = desc->ClipThreshold;
    n.couples = desc->CoupleInputForget != 0;
    run(&n, memory, lstm_step);
}
