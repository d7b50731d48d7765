/* What results of recurrent networks may be: intervals go through all steps. Functions are those without a jump. */
#include "cases/operators/recurrent.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case_data.h"

/* A number, and how far what is computed may be from it. */
struct number {
    double value, off;
};

enum {
    INPUT,
    WEIGHTS,
    RECURRENCE,
    BIAS,
    HIDDEN_INIT,
    CELL_INIT,
    LENGTHS,
    PEEPHOLE,
    SEQUENCE,
    SINGLE,
    CELL_SINGLE,
    SLOTS
};
enum { F, G, H };

struct network {
    const struct operator_case *c;
    const unsigned char *const *tensors;
    uint32_t slots[SLOTS]; /* UINT32_MAX: the operator has no such tensor, or it is absent */
    uint32_t gates, functions, directions, steps, batch, width, hidden;
    bool is_backward, is_linear, couples, clips;
    double clip;
    uint32_t d, row, t; /* that are under way */
    struct number *state, *next, *reset, *cell;
};

static const char *const slot_names[SLOTS] = {
    "InputTensor",          "WeightTensor",       "RecurrenceTensor",      "BiasTensor",
    "HiddenInitTensor",     "CellMemInitTensor",  "SequenceLengthsTensor", "PeepholeTensor",
    "OutputSequenceTensor", "OutputSingleTensor", "OutputCellSingleTensor"};

static struct network network_of(const struct operator_case *c, const unsigned char *const *tensors) {
    struct network n = {.c = c, .tensors = tensors};
    const DML_OPERATOR_TYPE type = c->schema->type;
    for (uint32_t s = 0; s < SLOTS; s++) {
        const bool present = case_has(c, slot_names[s]) && c->fields[case_index(c, slot_names[s])].present;
        n.slots[s] = present ? case_index(c, slot_names[s]) : UINT32_MAX;
    }
    n.gates = type == DML_OPERATOR_LSTM ? 4 : type == DML_OPERATOR_GRU ? 3 : 1;
    n.functions = type == DML_OPERATOR_LSTM ? 3 : type == DML_OPERATOR_GRU ? 2 : 1;
    n.steps = c->tensors[n.slots[INPUT]].sizes[1];
    n.batch = c->tensors[n.slots[INPUT]].sizes[2];
    n.width = c->tensors[n.slots[INPUT]].sizes[3];
    n.directions = c->tensors[n.slots[WEIGHTS]].sizes[1];
    n.hidden = c->tensors[n.slots[RECURRENCE]].sizes[3];
    n.is_backward = case_word(c, "Direction") == DML_RECURRENT_NETWORK_DIRECTION_BACKWARD;
    n.is_linear = type == DML_OPERATOR_GRU && case_word(c, "LinearBeforeReset") != 0;
    if (type == DML_OPERATOR_LSTM) {
        n.couples = case_word(c, "CoupleInputForget") != 0;
        n.clips = case_word(c, "UseClipThreshold") != 0;
        n.clip = (double)case_float(c, "ClipThreshold");
    }
    return n;
}

static double element(const struct network *n, uint32_t tensor, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const uint32_t at[] = {a, b, c, d};
    return n->slots[tensor] == UINT32_MAX ? 0 : case_number(n->c, n->tensors, n->slots[tensor], at);
}

/* ---- arithmetic ---- */

static struct number product(struct number a, struct number b) {
    return (struct number){a.value * b.value, fabs(a.value) * b.off + fabs(b.value) * a.off + a.off * b.off};
}

static struct number sum(struct number a, struct number b) {
    return (struct number){a.value + b.value, a.off + b.off};
}

static struct number rest_of(struct number a) {
    return (struct number){1 - a.value, a.off};
}

/* What a function of functions is rounded by, in parts of magnitudes. */
static struct number rounded(const struct network *n, struct number x, double magnitudes) {
    x.off += accuracy_of_result(n->c, 0) * magnitudes + 0x1p-120;
    return x;
}

/* ---- functions ---- */

static double parameter(const struct case_fused *fused, const char *name) {
    for (uint32_t i = 0; i < fused->schema->fieldCount; i++) {
        if (strcmp(fused->schema->fields[i].name, name) == 0) {
            float value;
            memcpy(&value, fused->fields[i].words, sizeof(value));
            return (double)value;
        }
    }
    return 0;
}

/* A function, how steep it is at most, and magnitudes on the way to it. */
struct function {
    double value, steepness, magnitude;
};

static struct function of(double value, double steepness) {
    return (struct function){value, steepness, fabs(value)};
}

static double softplus(double x) {
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static struct function clamped_line(double x, double a, double b) {
    const double line = fmin(fmax(a * x + b, 0), 1);
    return (struct function){line, fabs(a), fabs(a * x) + fabs(b)};
}

static struct function function_at(const struct case_fused *fused, double x) {
    const double a = parameter(fused, "Alpha"), b = parameter(fused, "Beta");
    const double bend = fmax(1, fabs(a)), sigmoid = 1 / (1 + exp(-x));
    switch ((int)fused->schema->type) {
    case DML_OPERATOR_ACTIVATION_IDENTITY:
        return of(x, 1);
    case DML_OPERATOR_ACTIVATION_RELU:
        return of(fmax(x, 0), 1);
    case DML_OPERATOR_ACTIVATION_LEAKY_RELU:
        return of(x >= 0 ? x : a * x, bend);
    case DML_OPERATOR_ACTIVATION_LINEAR:
        return (struct function){a * x + b, fabs(a), fabs(a * x) + fabs(b)};
    case DML_OPERATOR_ACTIVATION_HARD_SIGMOID:
        return clamped_line(x, a, b);
    case DML_OPERATOR_ACTIVATION_SIGMOID:
        return of(sigmoid, 0.25);
    case DML_OPERATOR_ACTIVATION_TANH:
        return of(tanh(x), 1);
    case DML_OPERATOR_ACTIVATION_SCALED_TANH:
        return of(a * tanh(b * x), fabs(a * b));
    case DML_OPERATOR_ACTIVATION_ELU:
        return of(x >= 0 ? x : a * expm1(x), bend);
    case DML_OPERATOR_ACTIVATION_CELU:
        return of(fmax(x, 0) + fmin(0, a * expm1(x / a)), bend);
    case DML_OPERATOR_ACTIVATION_SCALED_ELU:
        return of(parameter(fused, "Gamma") * (x > 0 ? x : a * expm1(x)), fabs(parameter(fused, "Gamma")) * bend);
    case DML_OPERATOR_ACTIVATION_SOFTSIGN:
        return of(x / (1 + fabs(x)), 1);
    case DML_OPERATOR_ACTIVATION_SOFTPLUS: {
        const double given = parameter(fused, "Steepness"), steepness = given == 0 ? 1 : given;
        return of(softplus(steepness * x) / steepness, 1);
    }
    case DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS:
        return of(a * softplus(b * x), fabs(a * b));
    case DML_OPERATOR_ACTIVATION_GELU:
        return of(x * 0.5 * erfc(-x * 0.70710678118654752440), 1.2);
    case DML_OPERATOR_ACTIVATION_SWISH:
        return of(x / (1 + exp(-parameter(fused, "SigmoidInputScale") * x)), 1.2);
    default:
        return (struct function){(double)NAN, (double)INFINITY, (double)INFINITY};
    }
}

static struct number applied(const struct network *n, uint32_t role, struct number x) {
    const struct case_fused *fused = &n->c->fused[n->d * n->functions + role];
    const struct function f = function_at(fused, x.value);
    const double own = 2 * accuracy_ulp(&fused->schema->accuracy, DML_TENSOR_DATA_TYPE_FLOAT32) * 0x1p-24;
    return rounded(n, (struct number){f.value, f.steepness * x.off + own * f.magnitude}, f.magnitude);
}

/* ---- sums ---- */

/* Of the input, the state, or both: what is added up is off by as much of all magnitudes as the table says. */
struct terms_of {
    struct number number;
    double magnitudes;
};

static void add_term(struct terms_of *t, double factor, struct number x) {
    t->number.value += factor * x.value;
    t->number.off += fabs(factor) * x.off;
    t->magnitudes += fabs(factor) * (fabs(x.value) + x.off);
}

static void add_input(const struct network *n, struct terms_of *t, uint32_t gate, uint32_t unit) {
    const uint32_t row = gate * n->hidden + unit;
    for (uint32_t k = 0; k < n->width; k++) {
        const struct number x = {element(n, INPUT, 0, n->t, n->row, k), 0};
        add_term(t, element(n, WEIGHTS, 0, n->d, row, k), x);
    }
    add_term(t, 1, (struct number){element(n, BIAS, 0, 0, n->d, row), 0});
}

static void add_state(const struct network *n, struct terms_of *t, const struct number *state, uint32_t gate,
                      uint32_t unit) {
    const uint32_t row = gate * n->hidden + unit;
    for (uint32_t k = 0; k < n->hidden; k++) {
        add_term(t, element(n, RECURRENCE, 0, n->d, row, k), state[k]);
    }
    add_term(t, 1, (struct number){element(n, BIAS, 0, 0, n->d, n->gates * n->hidden + row), 0});
}

static struct number summed(const struct network *n, struct terms_of t) {
    t.number.off += accuracy_of_terms(n->c, n->width + n->hidden) * t.magnitudes + 0x1p-110;
    return t.number;
}

static struct terms_of gate_terms(const struct network *n, const struct number *state, uint32_t gate, uint32_t unit) {
    struct terms_of t = {{0, 0}, 0};
    add_input(n, &t, gate, unit);
    add_state(n, &t, state, gate, unit);
    return t;
}

static struct number gate_sum(const struct network *n, const struct number *state, uint32_t gate, uint32_t unit) {
    return summed(n, gate_terms(n, state, gate, unit));
}

/* ---- cells ---- */

static void rnn_step(struct network *n) {
    for (uint32_t u = 0; u < n->hidden; u++) {
        n->next[u] = applied(n, F, gate_sum(n, n->state, 0, u));
    }
}

enum { UPDATE, RESET, NEW };

static struct number linear_sum(const struct network *n, uint32_t u, struct number reset) {
    struct terms_of of_input = {{0, 0}, 0}, of_state = {{0, 0}, 0};
    add_input(n, &of_input, NEW, u);
    add_state(n, &of_state, n->state, NEW, u);
    of_state.magnitudes *= fabs(reset.value) + reset.off;
    of_state.number = product(of_state.number, reset);
    const struct terms_of both = {sum(of_input.number, of_state.number), of_input.magnitudes + of_state.magnitudes};
    return summed(n, both);
}

static void gru_step(struct network *n) {
    for (uint32_t u = 0; u < n->hidden; u++) {
        const struct number reset = applied(n, F, gate_sum(n, n->state, RESET, u));
        const struct number kept = product(reset, n->state[u]);
        n->reset[u] = rounded(n, kept, fabs(kept.value));
    }
    for (uint32_t u = 0; u < n->hidden; u++) {
        const struct number update = applied(n, F, gate_sum(n, n->state, UPDATE, u));
        const struct number reset = applied(n, F, gate_sum(n, n->state, RESET, u));
        const struct number inner = n->is_linear ? linear_sum(n, u, reset) : gate_sum(n, n->reset, NEW, u);
        const struct number made = product(rest_of(update), applied(n, G, inner));
        const struct number kept = product(update, n->state[u]);
        n->next[u] = rounded(n, sum(made, kept), fabs(made.value) + fabs(kept.value) + fabs(update.value));
    }
}

enum { INTO, OUT_OF, KEEP, CANDIDATE };

static struct number clipped(const struct network *n, struct number x) {
    if (n->clips) {
        x.value = fmin(fmax(x.value, -n->clip), n->clip);
    }
    return x;
}

/* A gate's sum, with what it sees of the cell. */
static struct number seeing(const struct network *n, uint32_t gate, uint32_t peephole, uint32_t u, struct number cell) {
    struct terms_of t = gate_terms(n, n->state, gate, u);
    if (n->slots[PEEPHOLE] != UINT32_MAX) {
        add_term(&t, element(n, PEEPHOLE, 0, 0, n->d, peephole * n->hidden + u), cell);
    }
    return clipped(n, summed(n, t));
}

static void lstm_step(struct network *n) {
    for (uint32_t u = 0; u < n->hidden; u++) {
        const struct number cell = n->cell[u];
        const struct number into = applied(n, F, seeing(n, INTO, 0, u, cell));
        const struct number keep = n->couples ? rest_of(into) : applied(n, F, seeing(n, KEEP, 2, u, cell));
        const struct number candidate = applied(n, G, clipped(n, gate_sum(n, n->state, CANDIDATE, u)));
        const struct number kept = product(keep, cell), added = product(into, candidate);
        n->cell[u] = rounded(n, sum(kept, added), fabs(kept.value) + fabs(added.value) + fabs(cell.value));
        const struct number out = applied(n, F, seeing(n, OUT_OF, 1, u, n->cell[u]));
        const struct number shown = product(out, applied(n, H, n->cell[u]));
        n->next[u] = rounded(n, shown, fabs(shown.value));
    }
}

/* ---- all outputs of a case ---- */

/* Sequences as {steps, directions, batch, hidden}, behind them the last state and cell as {directions, batch, hidden}.
 */
static _Thread_local struct {
    uint64_t occasion;
    struct number *numbers;
} all;

static uint64_t last_of(const struct network *n) {
    return (uint64_t)n->steps * n->directions * n->batch * n->hidden;
}

static uint64_t place_of(const struct network *n, uint32_t t, uint32_t d, uint32_t row, uint32_t u) {
    return (((uint64_t)t * n->directions + d) * n->batch + row) * n->hidden + u;
}

static void run_sequence(struct network *n) {
    const double given = n->slots[LENGTHS] == UINT32_MAX ? n->steps : element(n, LENGTHS, 0, 0, 0, n->row);
    const uint32_t length = given < n->steps ? (uint32_t)given : n->steps;
    const uint64_t states = (uint64_t)n->directions * n->batch * n->hidden;
    for (uint32_t u = 0; u < n->hidden; u++) {
        n->state[u] = (struct number){element(n, HIDDEN_INIT, 0, n->d, n->row, u), 0};
        n->cell[u] = (struct number){element(n, CELL_INIT, 0, n->d, n->row, u), 0};
    }
    for (uint32_t i = 0; i < length; i++) {
        n->t = n->is_backward || n->d == 1 ? length - 1 - i : i;
        if (n->gates == 4) {
            lstm_step(n);
        } else if (n->gates == 3) {
            gru_step(n);
        } else {
            rnn_step(n);
        }
        memcpy(n->state, n->next, n->hidden * sizeof(n->state[0]));
        memcpy(all.numbers + place_of(n, n->t, n->d, n->row, 0), n->state, n->hidden * sizeof(n->state[0]));
    }
    for (uint32_t u = 0; u < n->hidden && length != 0; u++) {
        const uint64_t own = last_of(n) + ((uint64_t)n->d * n->batch + n->row) * n->hidden + u;
        all.numbers[own] = n->state[u];
        all.numbers[own + states] = n->cell[u];
    }
}

static void run_all(struct network *n) {
    const uint64_t states = (uint64_t)n->directions * n->batch * n->hidden;
    free(all.numbers);
    all.numbers = calloc(last_of(n) + 2 * states, sizeof(all.numbers[0]));
    n->state = calloc((size_t)4 * n->hidden, sizeof(n->state[0]));
    assert(all.numbers != NULL && n->state != NULL);
    n->next = n->state + n->hidden;
    n->reset = n->next + n->hidden;
    n->cell = n->reset + n->hidden;
    for (n->d = 0; n->d < n->directions; n->d++) {
        for (n->row = 0; n->row < n->batch; n->row++) {
            run_sequence(n);
        }
    }
    free(n->state);
}

static struct number number_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    struct network n = network_of(c, tensors);
    if (all.numbers == NULL || all.occasion != accuracy_occasion()) {
        run_all(&n);
        all.occasion = accuracy_occasion();
    }
    uint32_t slot = accuracy_slot();
    for (uint32_t s = SEQUENCE; s < SLOTS && slot == 0; s++) {
        slot = n.slots[s] != UINT32_MAX ? n.slots[s] : 0;
    }
    if (slot == n.slots[SEQUENCE]) {
        return all.numbers[place_of(&n, at[0], at[1], at[2], at[3])];
    }
    const uint64_t own = last_of(&n) + ((uint64_t)at[1] * n.batch + at[2]) * n.hidden + at[3];
    return all.numbers[slot == n.slots[SINGLE] ? own : own + (uint64_t)n.directions * n.batch * n.hidden];
}

struct accuracy_bounds recurrent_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                        const uint32_t *coordinates) {
    const struct number x = number_at(c, tensors, coordinates);
    if (!isfinite(x.value) || !isfinite(x.off) || fabs(x.value) + x.off > FLT_MAX) {
        return accuracy_anything;
    }
    return accuracy_around(x.value, x.off);
}

struct accuracy_exact recurrent_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                      const uint32_t *coordinates) {
    const struct number x = number_at(c, tensors, coordinates);
    return isfinite(x.value) && isfinite(x.off) ? accuracy_beside(x.value, fmax(fabs(x.value), 1)) : accuracy_no_exact;
}
