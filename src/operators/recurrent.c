/* RNN, GRU and LSTM: what the table cannot say of them. */
#include "operators/recurrent.h"

#include <inttypes.h>

#include "tensor/infer.h"

static const struct vkdml_recurrent_kind rnn = {VKDML_RECURRENT_RNN, 1, VKDML_RECURRENT_NONE, 5, VKDML_RECURRENT_NONE,
                                                VKDML_RECURRENT_NONE};
static const struct vkdml_recurrent_kind gru = {VKDML_RECURRENT_GRU, 2, VKDML_RECURRENT_NONE, 5, VKDML_RECURRENT_NONE,
                                                VKDML_RECURRENT_NONE};
static const struct vkdml_recurrent_kind lstm = {VKDML_RECURRENT_LSTM, 3, 5, 6, 7, 2};

const struct vkdml_recurrent_kind *vkdml_recurrent_kind_of(const struct vkdml_instance *instance) {
    const DML_OPERATOR_TYPE type = instance->schema->type;
    return type == DML_OPERATOR_LSTM ? &lstm : type == DML_OPERATOR_GRU ? &gru : &rnn;
}

DML_RECURRENT_NETWORK_DIRECTION vkdml_recurrent_direction(const struct vkdml_instance *instance) {
    switch (vkdml_recurrent_kind_of(instance)->cell) {
    case VKDML_RECURRENT_LSTM:
        return ((const DML_LSTM_OPERATOR_DESC *)instance->desc)->Direction;
    case VKDML_RECURRENT_GRU:
        return ((const DML_GRU_OPERATOR_DESC *)instance->desc)->Direction;
    case VKDML_RECURRENT_RNN:
        break;
    }
    return ((const DML_RNN_OPERATOR_DESC *)instance->desc)->Direction;
}

/* What a tensor's sizes must be; NULL: the dimension is what sizes are counted from. */
struct wanted {
    uint64_t sizes[4];
    const char *meanings[4];
};

static void check_sizes(struct vkdml_tensor *tensor, const char *name, const struct wanted *wanted,
                        struct vkdml_report *report) {
    for (uint32_t d = 0; d < 4 && (tensor->dimension_count == 4 || tensor->is_inferred); ++d) {
        if (wanted->meanings[d] != NULL && !vkdml_size_is(tensor, d, wanted->sizes[d])) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 ", %s", name, d,
                                 tensor->sizes[d], wanted->sizes[d], wanted->meanings[d]);
        }
    }
}

static void check_input(const struct vkdml_instance *instance, uint32_t index, const struct wanted *wanted,
                        struct vkdml_report *report) {
    if (index != VKDML_RECURRENT_NONE) {
        check_sizes(&instance->inputs[index], vkdml_input_name(instance, index), wanted, report);
    }
}

static void check_output(const struct vkdml_instance *instance, uint32_t index, const struct wanted *wanted,
                         struct vkdml_report *report) {
    struct vkdml_tensor *output = index != VKDML_RECURRENT_NONE ? &instance->outputs[index] : NULL;
    if (output != NULL && (output->dimension_count != 0 || output->is_inferred)) {
        vkdml_choose_dimension_count(output, 4);
        check_sizes(output, vkdml_output_name(instance, index), wanted, report);
    }
}

#define ONE        "the leading size of it"
#define DIRECTIONS "the directions"
#define STEPS      "the steps of InputTensor"
#define BATCH      "the sequences of InputTensor"
#define UNITS      "the hidden units, RecurrenceTensor.Sizes[3]"

static void check_tensors(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_recurrent_kind *kind = vkdml_recurrent_kind_of(instance);
    const struct vkdml_tensor *input = &instance->inputs[VKDML_RECURRENT_INPUT];
    const struct vkdml_tensor *recurrence = &instance->inputs[VKDML_RECURRENT_RECURRENCE];
    if (input->dimension_count != 4 || recurrence->dimension_count != 4) {
        return; /* the table refuses it */
    }
    const uint64_t directions = vkdml_recurrent_direction_count(vkdml_recurrent_direction(instance));
    const uint64_t gates = vkdml_recurrent_gates(kind->cell), hidden = recurrence->sizes[3];
    const uint64_t steps = input->sizes[1], batch = input->sizes[2], width = input->sizes[3];
    static const char rows[] = "a row for each gate and hidden unit";
    const struct wanted of_input = {{1, 0, 0, 0}, {ONE, NULL, NULL, NULL}},
                        weights = {{1, directions, gates * hidden, width},
                                   {ONE, DIRECTIONS, rows, "InputTensor.Sizes[3]"}},
                        of_recurrence = {{1, directions, gates * hidden, 0}, {ONE, DIRECTIONS, rows, NULL}},
                        bias = {{1, 1, directions, 2 * gates * hidden},
                                {ONE, ONE, DIRECTIONS, "two for each gate and hidden unit"}},
                        state = {{1, directions, batch, hidden}, {ONE, DIRECTIONS, BATCH, UNITS}},
                        lengths = {{1, 1, 1, batch}, {ONE, ONE, ONE, BATCH}},
                        peephole = {{1, 1, directions, 3 * hidden},
                                    {ONE, ONE, DIRECTIONS, "three for each hidden unit"}},
                        sequence = {{steps, directions, batch, hidden}, {STEPS, DIRECTIONS, BATCH, UNITS}};
    check_input(instance, VKDML_RECURRENT_INPUT, &of_input, report);
    check_input(instance, VKDML_RECURRENT_WEIGHTS, &weights, report);
    check_input(instance, VKDML_RECURRENT_RECURRENCE, &of_recurrence, report);
    check_input(instance, VKDML_RECURRENT_BIAS, &bias, report);
    check_input(instance, VKDML_RECURRENT_HIDDEN_INIT, &state, report);
    check_input(instance, kind->cell_init, &state, report);
    check_input(instance, kind->lengths, &lengths, report);
    check_input(instance, kind->peephole, &peephole, report);
    check_output(instance, VKDML_RECURRENT_SEQUENCE, &sequence, report);
    check_output(instance, VKDML_RECURRENT_SINGLE, &state, report);
    check_output(instance, kind->cell_single, &state, report);
}

static void check_flags(const struct vkdml_instance *instance, struct vkdml_report *report) {
    for (uint32_t i = 0; i < instance->input_count; ++i) {
        if ((instance->inputs[i].flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0) {
            vkdml_report_invalid(
                report, "%s.Flags is DML_TENSOR_FLAG_OWNED_BY_DML, must be DML_TENSOR_FLAG_NONE in this operator",
                vkdml_input_name(instance, i));
        }
    }
}

static void check_recurrent(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_recurrent_kind *kind = vkdml_recurrent_kind_of(instance);
    const uint32_t functions = kind->functions * vkdml_recurrent_direction_count(vkdml_recurrent_direction(instance));
    bool has_output = false;
    if (instance->activation_count != functions) {
        vkdml_report_invalid(report, "ActivationDescCount is %" PRIu32 ", must be %" PRIu32 ", %" PRIu32 " a direction",
                             instance->activation_count, functions, kind->functions);
    }
    for (uint32_t i = 0; i < instance->output_count; ++i) {
        has_output = has_output || instance->outputs[i].dimension_count != 0 || instance->outputs[i].is_inferred;
    }
    if (!has_output) {
        vkdml_report_invalid(report, "no output is given, at least one must be");
    }
    check_flags(instance, report);
    check_tensors(instance, report);
}

const struct vkdml_operator vkdml_operator_rnn = {.rules = check_recurrent, .plan = vkdml_recurrent_plan_network};
const struct vkdml_operator vkdml_operator_gru = {.rules = check_recurrent, .plan = vkdml_recurrent_plan_network};
const struct vkdml_operator vkdml_operator_lstm = {.rules = check_recurrent, .plan = vkdml_recurrent_plan_network};
