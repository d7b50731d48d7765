/* Operators that are what their bodies are: If by a condition, Loop and Scan turn by turn. */
#include "onnx/operators/move.h"

static const struct onnx_graph *find_body(const struct onnx_call *call, const char *name) {
    const struct onnx_graph *body;
    if (onnx_find_body(call, name, &body) && body == NULL) {
        onnx_refuse(call, "no %s", name);
    }
    return body;
}

/* One number of what is known before the model runs. */
static bool know(const struct onnx_call *call, struct onnx_tensor *tensor, int64_t *number) {
    struct onnx_call inner = *call;
    uint32_t count = 0;
    inner.inputs = &tensor;
    inner.input_count = 1;
    const int64_t *ints = onnx_host_ints(&inner, 0, &count);
    if (ints == NULL || count != 1) {
        return onnx_refuse(call, "no number");
    }
    *number = ints[0];
    return true;
}

static struct onnx_tensor **translate(const struct onnx_call *call, const struct onnx_graph *body, uint32_t count,
                                      struct onnx_tensor *const *inputs) {
    struct onnx_tensor **outputs = onnx_scratch(call, body->output_count, sizeof(*outputs));
    if (outputs == NULL || !onnx_translate_body(call, body, count, inputs, outputs)) {
        return NULL;
    }
    for (uint32_t i = 0; i < body->output_count; ++i) {
        if (outputs[i] == NULL) {
            onnx_refuse(call, "output %u of the body is no tensor", (unsigned)i);
            return NULL;
        }
    }
    return outputs;
}

/* ---- If ---- */

static bool are_alike(const struct onnx_tensor *a, const struct onnx_tensor *b) {
    bool alike = a->type == b->type && a->rank == b->rank;
    for (uint32_t d = 0; alike && d < a->rank; ++d) {
        alike = a->sizes[d] == b->sizes[d];
    }
    return alike;
}

/* Both branches are computed, and one taken: they have no effects. */
static bool take_one(const struct onnx_call *call, struct onnx_tensor *condition, const struct onnx_graph *a,
                     const struct onnx_graph *b) {
    struct onnx_tensor **first = translate(call, a, 0, NULL), **second = NULL;
    if (first != NULL) {
        second = translate(call, b, 0, NULL);
    }
    if (second == NULL) {
        return false;
    }
    condition = onnx_reshape(call, condition, 0, NULL);
    for (uint32_t i = 0; i < call->output_count; ++i) {
        if (!are_alike(first[i], second[i])) {
            return onnx_refuse(call, "branches of different sizes, and the condition is not known");
        }
        if (call->wanted[i] && !onnx_output(call, i, onnx_select(call, condition, first[i], second[i]))) {
            return false;
        }
    }
    return true;
}

static bool branch(const struct onnx_call *call) {
    struct onnx_tensor *condition = onnx_needed(call, 0);
    const struct onnx_graph *a = find_body(call, "then_branch"), *b = find_body(call, "else_branch");
    int64_t is_true;
    if (condition == NULL || a == NULL || b == NULL || a->output_count < call->output_count ||
        b->output_count < call->output_count) {
        return onnx_refuse(call, "branches of too few outputs");
    }
    if (condition->data == NULL) {
        /* Where both cannot be taken, the reason stays, and that the condition must be known is told. */
        return take_one(call, condition, a, b) || know(call, condition, &is_true);
    }
    if (!know(call, condition, &is_true)) {
        return false;
    }
    struct onnx_tensor **outputs = translate(call, is_true != 0 ? a : b, 0, NULL);
    for (uint32_t i = 0; outputs != NULL && i < call->output_count; ++i) {
        onnx_output(call, i, outputs[i]);
    }
    return outputs != NULL;
}

/* ---- what turns make ---- */

/* Tensors of turns, which become one; the plan's budget bounds their number. */
struct turns {
    uint32_t count, room;
    struct onnx_tensor **tensors;
};

static struct turns *allocate_turns(const struct onnx_call *call, size_t count) {
    return onnx_charge_plan(call, count) ? onnx_scratch(call, count, sizeof(struct turns)) : NULL;
}

static bool add_turn(const struct onnx_call *call, struct turns *turns, struct onnx_tensor *tensor) {
    if (turns->count == turns->room) {
        const uint32_t room = turns->room == 0 ? 8 : 2 * turns->room;
        struct onnx_tensor **grown = onnx_scratch(call, room, sizeof(struct onnx_tensor *));
        if (grown == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < turns->count; ++i) {
            grown[i] = turns->tensors[i];
        }
        turns->tensors = grown;
        turns->room = room;
    }
    turns->tensors[turns->count++] = tensor;
    return tensor != NULL;
}

/* A new axis before others. */
static struct onnx_tensor *add_axis(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis) {
    uint32_t sizes[ONNX_MAX_RANK + 1];
    for (uint32_t d = 0; d <= tensor->rank; ++d) {
        sizes[d] = d < axis ? tensor->sizes[d] : d == axis ? 1 : tensor->sizes[d - 1];
    }
    return onnx_reshape(call, tensor, tensor->rank + 1, sizes);
}

/* Without an axis of which an element is taken. */
static struct onnx_tensor *take(const struct onnx_call *call, struct onnx_tensor *tensor, uint32_t axis,
                                uint32_t index) {
    struct onnx_tensor *part = onnx_slice_axis(call, tensor, axis, index, 1, 1);
    uint32_t sizes[ONNX_MAX_RANK], rank = 0;
    for (uint32_t d = 0; part != NULL && d < part->rank; ++d) {
        if (d != axis) {
            sizes[rank++] = part->sizes[d];
        }
    }
    return onnx_reshape(call, part, rank, sizes);
}

/* Tensors of all turns along a new axis; turns behind one another, or the last first. */
static struct onnx_tensor *stack(const struct onnx_call *call, const struct turns *turns, uint32_t axis,
                                 bool is_backwards) {
    const uint32_t count = turns->count;
    struct onnx_tensor **all = onnx_scratch(call, count, sizeof *all);
    for (uint32_t i = 0; all != NULL && i < count; ++i) {
        all[i] = add_axis(call, turns->tensors[is_backwards ? count - 1 - i : i], axis);
        if (all[i] == NULL) {
            return NULL;
        }
    }
    return all == NULL ? NULL : onnx_join(call, count, all, axis);
}

/* Of no turns: what the body says of its output's sizes. */
static struct onnx_tensor *stack_nothing(const struct onnx_call *call, const struct onnx_graph *body, uint32_t output) {
    const struct onnx_value *value = &body->values[body->outputs[output]];
    uint32_t sizes[ONNX_MAX_RANK + 1] = {0};
    bool is_known = value->has_shape && value->type != ONNX_UNDEFINED && value->rank < ONNX_MAX_RANK;
    for (uint32_t d = 0; is_known && d < value->rank; ++d) {
        is_known = value->sizes[d] >= 0 && value->sizes[d] <= UINT32_MAX;
        sizes[d + 1] = (uint32_t)value->sizes[d];
    }
    if (!is_known) {
        onnx_refuse(call, "no turns, and the body does not say its outputs' sizes");
        return NULL;
    }
    return onnx_declare(call, value->type, value->rank + 1, sizes);
}

/* ---- Loop ---- */

struct loop {
    const struct onnx_graph *body;
    int64_t most;       /* turns, or -1 */
    uint32_t states;    /* carried from turn to turn */
    uint32_t collected; /* of each turn */
    uint32_t turns;
    struct onnx_tensor **inputs; /* the number of the turn, the condition, states */
    struct turns *turned; /* each that is collected */
};

/* Turns until the condition is false or there are enough. */
static bool turn(const struct onnx_call *call, struct loop *loop, int64_t goes_on) {
    for (; goes_on != 0 && (loop->most < 0 || loop->turns < loop->most); ++loop->turns) {
        loop->inputs[0] = onnx_number(call, ONNX_INT64, loop->turns);
        struct onnx_tensor **outputs = translate(call, loop->body, 2 + loop->states, loop->inputs);
        if (outputs == NULL || !know(call, outputs[0], &goes_on)) {
            return false;
        }
        loop->inputs[1] = outputs[0];
        for (uint32_t i = 0; i < loop->states; ++i) {
            loop->inputs[2 + i] = outputs[1 + i];
        }
        for (uint32_t i = 0; i < loop->collected; ++i) {
            if (!add_turn(call, &loop->turned[i], outputs[1 + loop->states + i])) {
                return false;
            }
        }
    }
    return true;
}

static bool start_loop(const struct onnx_call *call, struct loop *loop, int64_t *goes_on) {
    static const uint8_t truth = 1;
    loop->body = find_body(call, "body");
    if (loop->body == NULL) {
        return false;
    }
    loop->states = call->input_count < 2 ? 0 : call->input_count - 2;
    if (loop->body->output_count < 1 + loop->states || loop->body->input_count != 2 + loop->states) {
        return onnx_refuse(call, "a body of other inputs or outputs");
    }
    loop->collected = loop->body->output_count - 1 - loop->states;
    loop->inputs = onnx_scratch(call, 2 + (size_t)loop->states, sizeof *loop->inputs);
    loop->turned = allocate_turns(call, loop->collected);
    if (loop->inputs == NULL || loop->turned == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < loop->states; ++i) {
        loop->inputs[2 + i] = onnx_needed(call, 2 + i);
        if (loop->inputs[2 + i] == NULL) {
            return false;
        }
    }
    *goes_on = 1;
    loop->most = -1;
    if (onnx_input(call, 0) != NULL) {
        if (!know(call, onnx_input(call, 0), &loop->most)) {
            return false;
        }
        loop->most = loop->most < 0 ? 0 : loop->most;
    }
    if (onnx_input(call, 1) != NULL && !know(call, onnx_input(call, 1), goes_on)) {
        return false;
    }
    loop->inputs[1] = onnx_constant(call, ONNX_BOOL, 0, NULL, &truth);
    return loop->inputs[1] != NULL;
}

static bool loop(const struct onnx_call *call) {
    struct loop loop = {0};
    int64_t goes_on;
    if (!start_loop(call, &loop, &goes_on) || !turn(call, &loop, goes_on)) {
        return false;
    }
    for (uint32_t i = 0; i < call->output_count; ++i) {
        if (!call->wanted[i]) {
            continue;
        }
        if (i >= loop.states + loop.collected) {
            return onnx_refuse(call, "more outputs than the body's");
        }
        struct onnx_tensor *output = NULL;
        if (i < loop.states) {
            output = loop.inputs[2 + i];
        } else if (loop.turns == 0) {
            output = stack_nothing(call, loop.body, 1 + i);
        } else {
            output = stack(call, &loop.turned[i - loop.states], 0, false);
        }
        if (!onnx_output(call, i, output)) {
            return false;
        }
    }
    return true;
}

/* ---- Scan ---- */

struct scan {
    const struct onnx_graph *body;
    uint32_t states, scanned, collected, turns;
    const char *directions; /* the attribute's name */
};

static int64_t nth(const struct onnx_call *call, const char *name, uint32_t index) {
    uint32_t count;
    const int64_t *ints = onnx_ints(call, name, &count);
    return ints != NULL && index < count ? ints[index] : 0;
}

/* What a turn reads: the states, then an element of each that is scanned. */
static bool read_turn(const struct onnx_call *call, const struct scan *scan, struct onnx_tensor *const *inputs,
                      const uint32_t *axes, uint32_t turn_number, struct onnx_tensor **read) {
    for (uint32_t i = 0; i < scan->scanned; ++i) {
        const bool is_backwards = nth(call, scan->directions, i) != 0;
        read[scan->states + i] =
            take(call, inputs[scan->states + i], axes[i], is_backwards ? scan->turns - 1 - turn_number : turn_number);
        if (read[scan->states + i] == NULL) {
            return false;
        }
    }
    return true;
}

/* Outputs: the last states, then what is collected. */
static bool scan_turns(const struct onnx_call *call, const struct scan *scan, struct onnx_tensor *const *inputs,
                       const uint32_t *axes, struct onnx_tensor **states, struct turns *turned) {
    struct onnx_tensor **read = onnx_scratch(call, (size_t)scan->states + scan->scanned, sizeof *read);
    for (uint32_t i = 0; read != NULL && i < scan->states; ++i) {
        read[i] = inputs[i];
    }
    for (uint32_t t = 0; read != NULL && t < scan->turns; ++t) {
        if (!read_turn(call, scan, inputs, axes, t, read)) {
            return false;
        }
        struct onnx_tensor **outputs = translate(call, scan->body, scan->states + scan->scanned, read);
        if (outputs == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < scan->states; ++i) {
            read[i] = outputs[i];
        }
        for (uint32_t i = 0; i < scan->collected; ++i) {
            if (!add_turn(call, &turned[i], outputs[scan->states + i])) {
                return false;
            }
        }
    }
    for (uint32_t i = 0; read != NULL && i < scan->states; ++i) {
        states[i] = read[i];
    }
    return read != NULL;
}

static bool start_scan(const struct onnx_call *call, struct scan *scan, uint32_t input_count) {
    const int64_t scanned = onnx_int(call, "num_scan_inputs", 0);
    scan->body = find_body(call, "body");
    if (scan->body == NULL) {
        return false;
    }
    if (scanned < 1 || scanned > input_count) {
        return onnx_refuse(call, "nothing to scan");
    }
    scan->scanned = (uint32_t)scanned;
    scan->states = input_count - scan->scanned;
    if (scan->body->output_count < scan->states || scan->body->input_count != input_count ||
        call->output_count > scan->body->output_count) {
        return onnx_refuse(call, "a body of other inputs or outputs");
    }
    scan->collected = scan->body->output_count - scan->states;
    return true;
}

static bool set_turns(const struct onnx_call *call, struct scan *scan, uint32_t index, uint32_t turns) {
    if (index != 0 && turns != scan->turns) {
        return onnx_refuse(call, "sequences of different lengths");
    }
    if (turns == 0) {
        return onnx_refuse(call, "no turns");
    }
    scan->turns = turns;
    return true;
}

/* Version 9 on. */
static bool scan(const struct onnx_call *call) {
    struct scan scan = {.directions = "scan_input_directions"};
    if (!start_scan(call, &scan, call->input_count)) {
        return false;
    }
    uint32_t *axes = onnx_scratch(call, scan.scanned, sizeof *axes);
    struct onnx_tensor **states = onnx_scratch(call, scan.states, sizeof *states);
    struct turns *turned = allocate_turns(call, scan.collected);
    if (axes == NULL || states == NULL || turned == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < call->input_count; ++i) {
        const struct onnx_tensor *input = onnx_needed(call, i);
        if (input == NULL ||
            (i >= scan.states &&
             (!onnx_axis(call, nth(call, "scan_input_axes", i - scan.states), input->rank, &axes[i - scan.states]) ||
              !set_turns(call, &scan, i - scan.states, input->sizes[axes[i - scan.states]])))) {
            return false;
        }
    }
    if (!scan_turns(call, &scan, call->inputs, axes, states, turned)) {
        return false;
    }
    for (uint32_t i = 0; i < call->output_count; ++i) {
        struct onnx_tensor *output = i < scan.states ? states[i] : NULL;
        if (i >= scan.states) {
            const uint32_t c = i - scan.states;
            uint32_t axis;
            if (!onnx_axis(call, nth(call, "scan_output_axes", c), turned[c].tensors[0]->rank + 1, &axis)) {
                return false;
            }
            output = stack(call, &turned[c], axis, nth(call, "scan_output_directions", c) != 0);
        }
        if (!onnx_output(call, i, output)) {
            return false;
        }
    }
    return true;
}

/* Version 8: of each in a batch, which is the first axis; the second is scanned. */
static bool scan_batches(const struct onnx_call *call) {
    struct scan scan = {.directions = "directions"};
    const uint32_t count = call->input_count < 1 ? 0 : call->input_count - 1;
    if (onnx_input(call, 0) != NULL || !start_scan(call, &scan, count)) {
        return onnx_refuse(call, "sequences of different lengths");
    }
    struct onnx_tensor *const *inputs = call->inputs + 1;
    const uint32_t batches = inputs[count - 1] == NULL || inputs[count - 1]->rank < 2 ? 0 : inputs[count - 1]->sizes[0];
    for (uint32_t i = 0; i < count; ++i) {
        if (inputs[i] == NULL || inputs[i]->rank < (i < scan.states ? 1 : 2) || inputs[i]->sizes[0] != batches ||
            (i >= scan.states && !set_turns(call, &scan, i - scan.states, inputs[i]->sizes[1]))) {
            return onnx_refuse(call, "inputs that are no batches");
        }
    }
    if (batches == 0) {
        return onnx_refuse(call, "no batches");
    }
    const uint32_t outputs = scan.states + scan.collected;
    uint32_t *axes = onnx_scratch(call, scan.scanned, sizeof *axes);
    struct onnx_tensor **taken = onnx_scratch(call, count, sizeof *taken);
    struct turns *turned = allocate_turns(call, scan.collected);
    struct onnx_tensor **states = onnx_scratch(call, scan.states, sizeof *states);
    struct turns *all = allocate_turns(call, outputs);
    for (uint32_t b = 0; b < batches; ++b) {
        for (uint32_t i = 0; taken != NULL && i < count; ++i) {
            taken[i] = take(call, inputs[i], 0, b);
            if (taken[i] == NULL) {
                return false;
            }
        }
        for (uint32_t i = 0; turned != NULL && i < scan.collected; ++i) {
            turned[i].count = 0;
        }
        if (axes == NULL || taken == NULL || turned == NULL || states == NULL || all == NULL ||
            !scan_turns(call, &scan, taken, axes, states, turned)) {
            return false;
        }
        for (uint32_t i = 0; i < outputs; ++i) {
            struct onnx_tensor *made = i < scan.states ? states[i] : stack(call, &turned[i - scan.states], 0, false);
            if (made == NULL || !add_turn(call, &all[i], made)) {
                return false;
            }
        }
    }
    for (uint32_t i = 0; i < call->output_count; ++i) {
        if (!onnx_output(call, i, stack(call, &all[i], 0, false))) {
            return false;
        }
    }
    return true;
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "If", 1, branch},
    {ONNX_ML, "Loop", 1, loop},
    {ONNX_ML, "Scan", 8, scan_batches},
    {ONNX_ML, "Scan", 9, scan},
};
ONNX_DEFINE_FAMILY(control, rows)
