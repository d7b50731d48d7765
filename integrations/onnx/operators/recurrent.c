/* Recurrent networks. */
#include <string.h>

#include "onnx/operators/network.h"
#include "onnx/operators/quantize.h"

#define MOST_ACTIVATIONS 6 /* three for each of two directions */

struct network {
    uint32_t steps, batch, input, hidden, directions, gates;
    bool is_batch_first; /* layout 1 */
    DML_RECURRENT_NETWORK_DIRECTION direction;
    struct onnx_tensor *x, *weights, *recurrence, *bias, *hidden_init, *lengths, *cell_init, *peepholes;
    uint32_t activation_count;
    struct onnx_activation activations[MOST_ACTIVATIONS];
    DML_OPERATOR_DESC descs[MOST_ACTIVATIONS];
};

/* ---- activations ---- */

/* Numbers are taken one behind another by the activations that have some. RNN, whose directions have one activation
 * each, may state two for one direction, since that is ONNX's default: the first counts. */
static bool read_activations(const struct onnx_call *call, struct network *n, uint32_t count,
                             const char *const *usual) {
    const struct onnx_attribute *names = onnx_attribute(call, "activations", ONNX_ATTRIBUTE_STRINGS);
    const struct onnx_attribute *alphas = onnx_attribute(call, "activation_alpha", ONNX_ATTRIBUTE_FLOATS);
    const struct onnx_attribute *betas = onnx_attribute(call, "activation_beta", ONNX_ATTRIBUTE_FLOATS);
    size_t alpha = 0, beta = 0;
    n->activation_count = count * n->directions;
    if (names != NULL && names->count != n->activation_count && (count != 1 || names->count < n->activation_count)) {
        return onnx_refuse(call, "%u activations, must be %u", (unsigned)names->count, (unsigned)n->activation_count);
    }
    for (uint32_t i = 0; i < n->activation_count; ++i) {
        struct onnx_activation *activation = &n->activations[i];
        const char *name = names != NULL ? names->strings[i] : usual[i % count];
        if (!onnx_find_activation(name, activation)) {
            return onnx_refuse(call, "activation %s", name);
        }
        const bool has_alpha = alphas != NULL && alpha < alphas->count;
        const bool has_beta = betas != NULL && beta < betas->count;
        if (!activation->has_defaults && (!has_alpha || !has_beta)) {
            return onnx_refuse(call, "activation %s without numbers", name);
        }
        if (activation->number_count > 0 && has_alpha) {
            activation->desc.Alpha = alphas->floats[alpha++];
        }
        if (activation->number_count > 1 && has_beta) {
            activation->desc.Beta = betas->floats[beta++];
        }
        n->descs[i] = (DML_OPERATOR_DESC){activation->type, &activation->desc};
    }
    return true;
}

/* ---- tensors ---- */

/* A tensor of these sizes, with ones before them up to four dimensions. */
static bool take(const struct onnx_call *call, struct onnx_tensor **tensor, uint32_t rank, const uint32_t *sizes) {
    if (*tensor == NULL) {
        return true;
    }
    bool fits = (*tensor)->rank == rank;
    for (uint32_t d = 0; d < rank && fits; ++d) {
        fits = (*tensor)->sizes[d] == sizes[d];
    }
    if (!fits) {
        return onnx_refuse(call, "weights or states of sizes that do not fit together");
    }
    *tensor = onnx_pad_rank(call, *tensor, 4);
    return *tensor != NULL;
}

/* States: {D, N, H}, or with layout 1 {N, D, H}. */
static struct onnx_tensor *swap(const struct onnx_call *call, const struct network *n, struct onnx_tensor *state) {
    return !n->is_batch_first || state == NULL || state->rank != 3
               ? state
               : onnx_transpose(call, state, (const uint32_t[]){1, 0, 2});
}

static bool read_direction(const struct onnx_call *call, struct network *n) {
    const char *direction = onnx_text(call, "direction", "forward");
    n->directions = strcmp(direction, "bidirectional") == 0 ? 2 : 1;
    n->direction = n->directions == 2                  ? DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL
                   : strcmp(direction, "reverse") == 0 ? DML_RECURRENT_NETWORK_DIRECTION_BACKWARD
                                                       : DML_RECURRENT_NETWORK_DIRECTION_FORWARD;
    if (n->direction == DML_RECURRENT_NETWORK_DIRECTION_FORWARD && strcmp(direction, "forward") != 0) {
        return onnx_refuse(call, "direction %s", direction);
    }
    n->is_batch_first = onnx_int(call, "layout", 0) != 0;
    return true;
}

/* The inputs as they are, which read_network() then checks and shapes. */
static void take_inputs(const struct onnx_call *call, struct network *n, uint32_t gates) {
    *n = (struct network){.gates = gates,
                          .x = onnx_input(call, 0),
                          .weights = onnx_input(call, 1),
                          .recurrence = onnx_input(call, 2),
                          .bias = onnx_input(call, 3),
                          .lengths = onnx_input(call, 4),
                          .hidden_init = onnx_input(call, 5)};
    if (gates == 4) {
        n->cell_init = onnx_input(call, 6);
        n->peepholes = onnx_input(call, 7);
    }
}

static bool read_network(const struct onnx_call *call, struct network *n) {
    if (n->x == NULL || n->weights == NULL || n->recurrence == NULL || n->x->rank != 3 || n->recurrence->rank != 3 ||
        onnx_is_empty(n->x) || onnx_is_empty(n->weights) || onnx_is_empty(n->recurrence)) {
        return onnx_refuse(call, "inputs of these sizes");
    }
    if (!read_direction(call, n)) {
        return false;
    }
    n->x = swap(call, n, n->x);
    n->hidden_init = swap(call, n, n->hidden_init);
    n->cell_init = swap(call, n, n->cell_init);
    if (n->x == NULL) {
        return false;
    }
    n->steps = n->x->sizes[0];
    n->batch = n->x->sizes[1];
    n->input = n->x->sizes[2];
    n->hidden = n->recurrence->sizes[2];
    const int64_t hidden = onnx_int(call, "hidden_size", n->hidden);
    if (hidden != n->hidden || n->hidden > INT32_MAX / 8) {
        return onnx_refuse(call, "hidden_size %lld", (long long)hidden);
    }
    const uint32_t d = n->directions, rows = n->gates * n->hidden;
    if (n->lengths != NULL) {
        if (n->lengths->type != ONNX_INT32) {
            return onnx_refuse_type(call, "sequence_lens of %s", onnx_type_name(n->lengths->type));
        }
        n->lengths = onnx_reinterpret(call, n->lengths, ONNX_UINT32);
    }
    return take(call, &n->x, 3, (const uint32_t[]){n->steps, n->batch, n->input}) &&
           take(call, &n->weights, 3, (const uint32_t[]){d, rows, n->input}) &&
           take(call, &n->recurrence, 3, (const uint32_t[]){d, rows, n->hidden}) &&
           take(call, &n->bias, 2, (const uint32_t[]){d, 2 * rows}) && take(call, &n->lengths, 1, &n->batch) &&
           take(call, &n->hidden_init, 3, (const uint32_t[]){d, n->batch, n->hidden}) &&
           take(call, &n->cell_init, 3, (const uint32_t[]){d, n->batch, n->hidden}) &&
           take(call, &n->peepholes, 2, (const uint32_t[]){d, 3 * n->hidden});
}

/* ---- operators ---- */

/* Outputs that are wanted, by what DirectML calls them. */
static bool declare(const struct onnx_call *call, const struct network *n, uint32_t count,
                    struct onnx_tensor **outputs) {
    const uint32_t all[] = {n->steps, n->directions, n->batch, n->hidden};
    const uint32_t last[] = {1, n->directions, n->batch, n->hidden};
    bool is_any = false;
    for (uint32_t i = 0; i < count; ++i) {
        const bool is_wanted = onnx_is_wanted(call, i);
        outputs[i] = is_wanted ? onnx_declare(call, n->x->type, 4, i == 0 ? all : last) : &onnx_absent;
        if (outputs[i] == NULL) {
            return false;
        }
        is_any = is_any || is_wanted;
    }
    return is_any || onnx_refuse(call, "no output");
}

static bool give(const struct onnx_call *call, const struct network *n, uint32_t count,
                 struct onnx_tensor *const *outputs) {
    for (uint32_t i = 0; i < count; ++i) {
        if (outputs[i] == &onnx_absent) {
            continue;
        }
        struct onnx_tensor *output = outputs[i];
        if (i == 0) {
            output = n->is_batch_first ? onnx_transpose(call, output, (const uint32_t[]){2, 0, 1, 3}) : output;
        } else {
            output = onnx_reshape(call, output, 3, (const uint32_t[]){n->directions, n->batch, n->hidden});
            output = swap(call, n, output);
        }
        if (!onnx_output(call, i, output)) {
            return false;
        }
    }
    return true;
}

static bool has_clip(const struct onnx_call *call) {
    return onnx_attribute(call, "clip", ONNX_ATTRIBUTE_FLOAT) != NULL;
}

static bool rnn(const struct onnx_call *call) {
    static const char *const usual[] = {"Tanh"};
    struct network n;
    struct onnx_tensor *outputs[2];
    if (has_clip(call)) {
        return onnx_refuse(call, "clip, which DirectML has for LSTM alone");
    }
    take_inputs(call, &n, 1);
    if (!read_network(call, &n) || !read_activations(call, &n, 1, usual) || !declare(call, &n, 2, outputs)) {
        return false;
    }
    DML_RNN_OPERATOR_DESC desc = {
        .ActivationDescCount = n.activation_count, .ActivationDescs = n.descs, .Direction = n.direction};
    return onnx_emit(call, DML_OPERATOR_RNN, &desc,
                     ONNX_TENSORS(n.x, n.weights, n.recurrence, n.bias, n.hidden_init, n.lengths), 2, outputs) &&
           give(call, &n, 2, outputs);
}

static bool gru(const struct onnx_call *call) {
    static const char *const usual[] = {"Sigmoid", "Tanh"};
    struct network n;
    struct onnx_tensor *outputs[2];
    if (has_clip(call)) {
        return onnx_refuse(call, "clip, which DirectML has for LSTM alone");
    }
    take_inputs(call, &n, 3);
    if (!read_network(call, &n) || !read_activations(call, &n, 2, usual) || !declare(call, &n, 2, outputs)) {
        return false;
    }
    DML_GRU_OPERATOR_DESC desc = {.ActivationDescCount = n.activation_count,
                                  .ActivationDescs = n.descs,
                                  .Direction = n.direction,
                                  .LinearBeforeReset = onnx_int(call, "linear_before_reset", 0) != 0};
    return onnx_emit(call, DML_OPERATOR_GRU, &desc,
                     ONNX_TENSORS(n.x, n.weights, n.recurrence, n.bias, n.hidden_init, n.lengths), 2, outputs) &&
           give(call, &n, 2, outputs);
}

/* LSTM of inputs that take_inputs() gave. */
static bool emit_lstm(const struct onnx_call *call, struct network *n) {
    static const char *const usual[] = {"Sigmoid", "Tanh", "Tanh"};
    struct onnx_tensor *outputs[3];
    if (!read_network(call, n) || !read_activations(call, n, 3, usual) || !declare(call, n, 3, outputs)) {
        return false;
    }
    DML_LSTM_OPERATOR_DESC desc = {.ActivationDescCount = n->activation_count,
                                   .ActivationDescs = n->descs,
                                   .Direction = n->direction,
                                   .ClipThreshold = onnx_float(call, "clip", 0),
                                   .UseClipThreshold = has_clip(call),
                                   .CoupleInputForget = onnx_int(call, "input_forget", 0) != 0};
    return onnx_emit(call, DML_OPERATOR_LSTM, &desc,
                     ONNX_TENSORS(n->x, n->weights, n->recurrence, n->bias, n->hidden_init, n->cell_init, n->lengths,
                                  n->peepholes),
                     3, outputs) &&
           give(call, n, 3, outputs);
}

static bool lstm(const struct onnx_call *call) {
    struct network n;
    take_inputs(call, &n, 4);
    return emit_lstm(call, &n);
}

/* ---- DynamicQuantizeLSTM ---- */

/* Weights {D, K, 4 H} of 8 bits as FLOAT {D, 4 H, K}. Their scales and zero points, inputs from `numbers` on, are {D}
 * or {D, 4 H}. */
static struct onnx_tensor *dequantize_weights(const struct onnx_call *call, uint32_t index, uint32_t numbers) {
    struct onnx_tensor *weights = onnx_input(call, index), *shaped[2];
    if (weights == NULL || weights->rank != 3 || onnx_is_empty(weights) ||
        (weights->type != ONNX_INT8 && weights->type != ONNX_UINT8)) {
        onnx_refuse(call, "input %u is not a matrix of INT8 or UINT8 for each direction", (unsigned)index);
        return NULL;
    }
    const uint32_t directions = weights->sizes[0], columns = weights->sizes[2];
    for (uint32_t i = 0; i < 2; ++i) {
        struct onnx_tensor *given = onnx_input(call, numbers + i);
        const bool is_per_column = given != NULL && given->rank == 2 && given->sizes[1] == columns;
        if (given == NULL || given->rank < 1 || given->sizes[0] != directions || (given->rank != 1 && !is_per_column) ||
            given->type != (i == 0 ? ONNX_FLOAT : weights->type)) {
            onnx_refuse(call, "input %u is not a scale or zero point for each direction or column of input %u",
                        (unsigned)(numbers + i), (unsigned)index);
            return NULL;
        }
        shaped[i] =
            onnx_reshape(call, given, 3, (const uint32_t[]){directions, 1, is_per_column ? columns : (uint32_t)1});
    }
    return onnx_transpose(call, onnx_dequantize(call, weights, shaped[0], shaped[1]), (const uint32_t[]){0, 2, 1});
}

/* x quantized to UINT8 by its own least and greatest elements, and dequantized. */
static struct onnx_tensor *round_to_bytes(const struct onnx_call *call, struct onnx_tensor *x) {
    struct onnx_tensor *made[3];
    if (x == NULL || onnx_is_empty(x) || x->type != ONNX_FLOAT) {
        onnx_refuse(call, "input 0 is not a FLOAT tensor with elements");
        return NULL;
    }
    return onnx_dynamic_quantize(call, x, ONNX_UINT8, made) ? onnx_dequantize(call, made[0], made[1], made[2]) : NULL;
}

/* LSTM in FLOAT with x rounded to 8 bits. ONNX Runtime's CPU kernel also rounds the hidden state in each step, in
 * groups of rows that depend on its number of threads; here the state keeps its precision. */
static bool dynamic_quantize_lstm(const struct onnx_call *call) {
    struct network n;
    take_inputs(call, &n, 4);
    n.x = round_to_bytes(call, n.x);
    n.weights = dequantize_weights(call, 1, 8);
    n.recurrence = dequantize_weights(call, 2, 10);
    return n.x != NULL && n.weights != NULL && n.recurrence != NULL && emit_lstm(call, &n);
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "GRU", 1, gru},
    {ONNX_ML, "LSTM", 1, lstm},
    {ONNX_ML, "RNN", 1, rnn},
    {ONNX_MICROSOFT, "DynamicQuantizeLSTM", 1, dynamic_quantize_lstm},
};
ONNX_DEFINE_FAMILY(recurrent, rows)
