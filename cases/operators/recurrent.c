/* Cases of RNN, GRU and LSTM. */
#include "cases/operators/recurrent.h"

#include <string.h>

#include "cases/generate.h"
#include "cases/support.h"

struct kind {
    uint32_t gates, functions;
    bool has_cell;
};

static struct kind kind_of(const struct operator_case *c) {
    const DML_OPERATOR_TYPE type = c->schema->type;
    return type == DML_OPERATOR_LSTM  ? (struct kind){4, 3, true}
           : type == DML_OPERATOR_GRU ? (struct kind){3, 2, false}
                                      : (struct kind){1, 1, false};
}

/* Sizes of a network. */
struct shape {
    uint32_t directions, steps, batch, width, hidden;
};

/* ---- random cases ---- */

static struct case_tensor *add_tensor(struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type,
                                      const uint32_t *sizes) {
    struct case_tensor *tensor = case_tensor(c, field);
    tensor->type = type;
    tensor->rank = 4;
    memcpy(tensor->sizes, sizes, 4 * sizeof(*sizes));
    return tensor;
}

static void add_input(struct random *random, struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type,
                      const uint32_t *sizes, uint32_t centered) {
    struct case_tensor *tensor = add_tensor(c, field, type, sizes);
    tensor->fill = CASE_FILL_CENTERED;
    tensor->fill_permille = centered;
    generate_input_layout(random, tensor);
}

static void maybe_input(struct random *random, struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type,
                        const uint32_t *sizes, uint32_t centered) {
    if (random_chance(random, 50)) {
        add_input(random, c, field, type, sizes, centered);
    }
}

static void add_outputs(struct random *random, struct operator_case *c, const struct shape *s,
                        DML_TENSOR_DATA_TYPE type) {
    const uint32_t states[] = {1, s->directions, s->batch, s->hidden};
    const uint32_t sequence[] = {s->steps, s->directions, s->batch, s->hidden};
    const char *const fields[] = {"OutputSequenceTensor", "OutputSingleTensor", "OutputCellSingleTensor"};
    const uint32_t count = kind_of(c).has_cell ? 3 : 2;
    const uint32_t wanted = random_between(random, 1, (1u << count) - 1);
    for (uint32_t i = 0; i < count; i++) {
        if ((wanted >> i & 1) != 0) {
            generate_output_layout(random, add_tensor(c, fields[i], type, i == 0 ? sequence : states));
        }
    }
}

static const DML_OPERATOR_TYPE functions[] = {
    DML_OPERATOR_ACTIVATION_TANH,        DML_OPERATOR_ACTIVATION_SIGMOID,
    DML_OPERATOR_ACTIVATION_RELU,        DML_OPERATOR_ACTIVATION_LEAKY_RELU,
    DML_OPERATOR_ACTIVATION_LINEAR,      DML_OPERATOR_ACTIVATION_HARD_SIGMOID,
    DML_OPERATOR_ACTIVATION_SCALED_TANH, DML_OPERATOR_ACTIVATION_ELU,
    DML_OPERATOR_ACTIVATION_CELU,        DML_OPERATOR_ACTIVATION_SCALED_ELU,
    DML_OPERATOR_ACTIVATION_SOFTSIGN,    DML_OPERATOR_ACTIVATION_SOFTPLUS,
    DML_OPERATOR_ACTIVATION_IDENTITY,    DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS,
};

/* Those of networks are common; all attributes that are floats are moderate. Gates are mostly from 0 to 1, since states
 * grow without end where they are not. */
static void add_function(struct random *random, struct operator_case *c, uint32_t index, bool is_gate) {
    static const float numbers[] = {0.25f, 0.5f, 0.75f, 1, 1};
    static const DML_OPERATOR_TYPE gates[] = {DML_OPERATOR_ACTIVATION_SIGMOID, DML_OPERATOR_ACTIVATION_SIGMOID,
                                              DML_OPERATOR_ACTIVATION_HARD_SIGMOID};
    const DML_OPERATOR_TYPE usual = is_gate ? RANDOM_OF(random, gates) : DML_OPERATOR_ACTIVATION_TANH;
    struct case_fused *fused = case_fuse(
        c, "ActivationDescs", index, random_chance(random, is_gate ? 90 : 50) ? usual : RANDOM_OF(random, functions));
    for (uint32_t i = 0; i < fused->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &fused->schema->fields[i];
        if (field->type == VKDML_FIELD_TYPE_FLOAT) {
            case_fused_set_float(fused, field->name,
                                 strcmp(field->name, "Steepness") == 0 ? random_chance(random, 50) ? 0 : 1.5f
                                                                       : RANDOM_OF(random, numbers));
        }
    }
}

static void add_attributes(struct random *random, struct operator_case *c, uint32_t direction) {
    const struct kind kind = kind_of(c);
    const uint32_t directions = direction == DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL ? 2 : 1;
    const bool same = random_chance(random, 50);
    case_set_uint(c, "ActivationDescCount", kind.functions * directions);
    for (uint32_t i = 0; i < kind.functions * directions; i++) {
        const bool is_gate = kind.functions > 1 && i % kind.functions == 0;
        if (i >= kind.functions && same) {
            struct case_fused *fused = case_fuse(c, "ActivationDescs", i, c->fused[i - kind.functions].schema->type);
            memcpy(fused->fields, c->fused[i - kind.functions].fields, sizeof(fused->fields));
        } else {
            add_function(random, c, i, is_gate);
        }
    }
    case_set_uint(c, "Direction", direction);
    if (case_has(c, "LinearBeforeReset")) {
        case_set_uint(c, "LinearBeforeReset", random_chance(random, 50));
    }
    if (kind.has_cell) {
        case_set_float(c, "ClipThreshold", random_chance(random, 50) ? 0.25f : 1);
        case_set_uint(c, "UseClipThreshold", random_chance(random, 30));
        case_set_uint(c, "CoupleInputForget", random_chance(random, 30));
    }
}

static uint32_t size_within(struct random *random, uint32_t most) {
    return generate_tile_size(random, most < 1 ? 1 : most);
}

/* What a case costs is steps * batch * gates * hidden * (width + hidden). */
static struct shape draw_shape(struct random *random, const struct operator_case *c, uint32_t directions) {
    uint32_t left = 16 * generate_budget(random) / (kind_of(c).gates * directions);
    struct shape s = {.directions = directions};
    s.hidden = size_within(random, random_chance(random, 80) ? 40 : 200);
    s.width = size_within(random, random_chance(random, 80) ? 40 : 200);
    left /= s.hidden * (s.width + s.hidden);
    s.batch = size_within(random, left < 70 ? left : 70);
    left /= s.batch;
    s.steps = random_between(random, 1, left < 1 ? 1 : left < 12 ? left : 12);
    return s;
}

static void generate_recurrent(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    const uint32_t direction = random_between(random, 0, 2);
    const struct kind kind = kind_of(c);
    const struct shape s = draw_shape(random, c, direction == 2 ? 2 : 1);
    const DML_TENSOR_DATA_TYPE type = generate_type(random, c, "InputTensor");
    const uint32_t rows = kind.gates * s.hidden, d = s.directions;
    const uint32_t states[] = {1, d, s.batch, s.hidden};
    add_input(random, c, "InputTensor", type, (const uint32_t[]){1, s.steps, s.batch, s.width}, 1);
    add_input(random, c, "WeightTensor", type, (const uint32_t[]){1, d, rows, s.width}, (s.width + 3) / 4);
    add_input(random, c, "RecurrenceTensor", type, (const uint32_t[]){1, d, rows, s.hidden}, s.hidden);
    maybe_input(random, c, "BiasTensor", type, (const uint32_t[]){1, 1, d, 2 * rows}, 1);
    maybe_input(random, c, "HiddenInitTensor", type, states, 1);
    if (random_chance(random, 50)) {
        const uint32_t sizes[] = {1, 1, 1, s.batch};
        add_input(random, c, "SequenceLengthsTensor", DML_TENSOR_DATA_TYPE_UINT32, sizes, s.steps + 2);
        case_tensor(c, "SequenceLengthsTensor")->fill = CASE_FILL_COORDINATES;
    }
    if (kind.has_cell) {
        maybe_input(random, c, "CellMemInitTensor", type, states, 1);
        maybe_input(random, c, "PeepholeTensor", type, (const uint32_t[]){1, 1, d, 3 * s.hidden}, 1);
    }
    add_outputs(random, c, &s, type);
    add_attributes(random, c, direction);
    generate_call(random, c);
    for (uint32_t i = 0; i < CASE_MAX_TENSORS; i++) {
        c->tensors[i].owned = 0;
    }
}

/* ---- cases of a few numbers ---- */

#define FLOATS_4D CASE_SUPPORT(AT_LEVEL(1_0, 4, 4, FLOATS))
#define UINT32_4D CASE_SUPPORT(AT_LEVEL(1_0, 4, 4, CASE_TYPE(UINT32)))
#define COMMON_SUPPORT                                                                                                 \
    {"InputTensor", FLOATS_4D}, {"WeightTensor", FLOATS_4D}, {"RecurrenceTensor", FLOATS_4D},                          \
        {"BiasTensor", FLOATS_4D}, {"HiddenInitTensor", FLOATS_4D}, {"SequenceLengthsTensor", UINT32_4D},              \
        {"OutputSequenceTensor", FLOATS_4D}, {                                                                         \
        "OutputSingleTensor", FLOATS_4D                                                                                \
    }
static const struct case_tensor_support rnn_support[] = {COMMON_SUPPORT};
static const struct case_tensor_support gru_support[] = {COMMON_SUPPORT};
static const struct case_tensor_support lstm_support[] = {COMMON_SUPPORT,
                                                          {"CellMemInitTensor", FLOATS_4D},
                                                          {"PeepholeTensor", FLOATS_4D},
                                                          {"OutputCellSingleTensor", FLOATS_4D}};

/* Three steps of two sequences of one number, one hidden unit: h = x + h' / 2. */
#define COUNTED                                                                                                        \
    "RNN InputTensor=FLOAT32[1,3,2,1] InputTensor.data=1,2,3,4,5,6 WeightTensor=FLOAT32[1,1,1,1] "                     \
    "WeightTensor.data=1 RecurrenceTensor=FLOAT32[1,1,1,1] RecurrenceTensor.data=0.5 "
#define ONE_FUNCTION " ActivationDescCount=1 ActivationDescs[0]="
static const char *const rnn_fixed[] = {
    COUNTED "OutputSequenceTensor=FLOAT32[3,1,2,1] OutputSequenceTensor.data=1,2,3.5,5,6.75,8.5 "
            "OutputSingleTensor=FLOAT32[1,1,2,1] OutputSingleTensor.data=6.75,8.5" ONE_FUNCTION
            "IDENTITY Direction=FORWARD",
    COUNTED "OutputSequenceTensor=FLOAT32[3,1,2,1] OutputSequenceTensor.data=3.75,5.5,5.5,7,5,6 "
            "OutputSingleTensor=FLOAT32[1,1,2,1] OutputSingleTensor.data=3.75,5.5" ONE_FUNCTION
            "IDENTITY Direction=BACKWARD",
    /* A bias of each half, a state to begin with, and lengths of none, some and too many. */
    "RNN InputTensor=FLOAT32[1,2,3,1] InputTensor.data=1,2,3,4,5,6 WeightTensor=FLOAT32[1,1,1,1] WeightTensor.data=1 "
    "RecurrenceTensor=FLOAT32[1,1,1,1] RecurrenceTensor.data=2 BiasTensor=FLOAT32[1,1,1,2] BiasTensor.data=0.25,0.5 "
    "HiddenInitTensor=FLOAT32[1,1,3,1] HiddenInitTensor.data=1,1,2 SequenceLengthsTensor=UINT32[1,1,1,3] "
    "SequenceLengthsTensor.data=0,1,9 OutputSequenceTensor=FLOAT32[2,1,3,1] "
    "OutputSequenceTensor.data=0,4.75,7.75,0,0,22.25 OutputSingleTensor=FLOAT32[1,1,3,1] "
    "OutputSingleTensor.data=0,4.75,22.25" ONE_FUNCTION "RELU Direction=FORWARD",
    /* Both directions, functions that differ, and FLOAT16. */
    "RNN InputTensor=FLOAT16[1,2,1,1] InputTensor.data=1,-2 WeightTensor=FLOAT16[1,2,1,1] WeightTensor.data=1,1 "
    "RecurrenceTensor=FLOAT16[1,2,1,1] RecurrenceTensor.data=1,1 OutputSequenceTensor=FLOAT16[2,2,1,1] "
    "OutputSequenceTensor.data=1,0,-0.5,-1 OutputSingleTensor=FLOAT16[1,2,1,1] OutputSingleTensor.data=-0.5,0 "
    "ActivationDescCount=2 ActivationDescs[0]=LEAKY_RELU ActivationDescs[0].Alpha=0.5 ActivationDescs[1]=LINEAR "
    "ActivationDescs[1].Alpha=0.5 ActivationDescs[1].Beta=0 Direction=BIDIRECTIONAL",
    /* Functions that jump. */
    COUNTED "OutputSingleTensor=FLOAT32[1,1,2,1] OutputSingleTensor.data=6.5,8.5" ONE_FUNCTION
            "THRESHOLDED_RELU ActivationDescs[0].Alpha=1.5 Direction=FORWARD",
    COUNTED "OutputSingleTensor=FLOAT32[1,1,2,1] OutputSingleTensor.data=5,6.75" ONE_FUNCTION
            "SHRINK ActivationDescs[0].Bias=1 ActivationDescs[0].Threshold=0.5 Direction=FORWARD",
    "RNN seed=1 InputTensor=FLOAT32[1,5,20,12] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT32[1,2,70,12] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT32[1,2,70,70] RecurrenceTensor.fill=CENTERED:35 "
    "OutputSingleTensor=FLOAT32[1,2,20,70] ActivationDescCount=2 ActivationDescs[0]=ELU "
    "ActivationDescs[0].Alpha=0.5 ActivationDescs[1]=ELU ActivationDescs[1].Alpha=3.5 Direction=BIDIRECTIONAL",
    "RNN seed=2 InputTensor=FLOAT32[1,3,5,4] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT32[1,1,600,4] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT32[1,1,600,600] RecurrenceTensor.fill=CENTERED:300 "
    "OutputSequenceTensor=FLOAT32[3,1,5,600]" ONE_FUNCTION "TANH Direction=FORWARD",
};

/* Of gates that are sigmoids of 0, a half: h = (x + h') / 2, where the new state is not made of h'. */
#define HALVED                                                                                                         \
    "GRU InputTensor=FLOAT32[1,2,1,1] InputTensor.data=4,8 WeightTensor=FLOAT32[1,1,3,1] WeightTensor.data=0,0,1 "     \
    "RecurrenceTensor=FLOAT32[1,1,3,1] "
#define TWO_FUNCTIONS " ActivationDescCount=2 ActivationDescs[0]=SIGMOID ActivationDescs[1]=IDENTITY "
static const char *const gru_fixed[] = {
    HALVED "RecurrenceTensor.data=0,0,0 OutputSequenceTensor=FLOAT32[2,1,1,1] OutputSequenceTensor.data=2,5 "
           "OutputSingleTensor=FLOAT32[1,1,1,1] OutputSingleTensor.data=5" TWO_FUNCTIONS
           "Direction=FORWARD LinearBeforeReset=0",
    /* Reset before: x + (h' / 2 * 2) + 1; behind: x + (h' * 2 + 1) / 2. */
    HALVED "RecurrenceTensor.data=0,0,2 BiasTensor=FLOAT32[1,1,1,6] BiasTensor.data=0,0,0,0,0,1 "
           "OutputSequenceTensor=FLOAT32[2,1,1,1] OutputSequenceTensor.data=2.5,7" TWO_FUNCTIONS
           "Direction=FORWARD LinearBeforeReset=0",
    HALVED "RecurrenceTensor.data=0,0,2 BiasTensor=FLOAT32[1,1,1,6] BiasTensor.data=0,0,0,0,0,1 "
           "OutputSequenceTensor=FLOAT32[2,1,1,1] OutputSequenceTensor.data=2.25,6.5" TWO_FUNCTIONS
           "Direction=FORWARD LinearBeforeReset=1",
    "GRU seed=1 InputTensor=FLOAT32[1,4,9,12] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT32[1,2,210,12] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT32[1,2,210,70] RecurrenceTensor.fill=CENTERED:35 "
    "OutputSequenceTensor=FLOAT32[4,2,9,70] ActivationDescCount=4 ActivationDescs[0]=SIGMOID "
    "ActivationDescs[1]=TANH ActivationDescs[2]=SIGMOID ActivationDescs[3]=TANH Direction=BIDIRECTIONAL "
    "LinearBeforeReset=0",
    "GRU seed=2 InputTensor=FLOAT16[1,4,40,12] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT16[1,1,99,12] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT16[1,1,99,33] RecurrenceTensor.fill=CENTERED:16 "
    "OutputSequenceTensor=FLOAT16[4,1,40,33] ActivationDescCount=2 ActivationDescs[0]=SIGMOID "
    "ActivationDescs[1]=TANH Direction=BACKWARD LinearBeforeReset=1",
    /* States of which there are too many for one workgroup. */
    "GRU seed=3 InputTensor=FLOAT32[1,3,5,7] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT32[1,2,486,7] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT32[1,2,486,162] RecurrenceTensor.fill=CENTERED:80 "
    "BiasTensor=FLOAT32[1,1,2,972] BiasTensor.fill=CENTERED:1 OutputSequenceTensor=FLOAT32[3,2,5,162] "
    "OutputSingleTensor=FLOAT32[1,2,5,162] ActivationDescCount=4 ActivationDescs[0]=SIGMOID "
    "ActivationDescs[1]=TANH ActivationDescs[2]=SIGMOID ActivationDescs[3]=TANH Direction=BIDIRECTIONAL "
    "LinearBeforeReset=0",
    "GRU seed=4 InputTensor=FLOAT32[1,3,17,7] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT32[1,1,486,7] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT32[1,1,486,162] RecurrenceTensor.fill=CENTERED:80 "
    "BiasTensor=FLOAT32[1,1,1,972] BiasTensor.fill=CENTERED:1 OutputSequenceTensor=FLOAT32[3,1,17,162] "
    "ActivationDescCount=2 ActivationDescs[0]=SIGMOID ActivationDescs[1]=TANH Direction=FORWARD "
    "LinearBeforeReset=1",
    /* So many steps that they come in chunks. */
    "GRU seed=5 InputTensor=FLOAT32[1,800,2,3] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT32[1,2,18,3] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT32[1,2,18,6] RecurrenceTensor.fill=CENTERED:5 "
    "OutputSequenceTensor=FLOAT32[800,2,2,6] OutputSingleTensor=FLOAT32[1,2,2,6] ActivationDescCount=4 "
    "ActivationDescs[0]=SIGMOID ActivationDescs[1]=TANH ActivationDescs[2]=HARD_SIGMOID "
    "ActivationDescs[2].Alpha=0.25 ActivationDescs[2].Beta=0.5 ActivationDescs[3]=TANH Direction=BIDIRECTIONAL "
    "LinearBeforeReset=0",
};

/* Gates that are half of what goes in but for the cell's own: rows are of i, o, f and c. */
#define CELL                                                                                                           \
    "LSTM InputTensor=FLOAT32[1,2,1,1] InputTensor.data=2,4 WeightTensor=FLOAT32[1,1,4,1] WeightTensor.data=1,2,3,4 "  \
    "RecurrenceTensor=FLOAT32[1,1,4,1] RecurrenceTensor.data=0,0,0,0 "
#define THREE_FUNCTIONS                                                                                                \
    " ActivationDescCount=3 ActivationDescs[0]=IDENTITY ActivationDescs[1]=IDENTITY ActivationDescs[2]=IDENTITY "      \
    "Direction=FORWARD "
#define NO_CLIP "ClipThreshold=0 UseClipThreshold=0 "
static const char *const lstm_fixed[] = {
    /* i 2, o 4, f 6, c 8: C = 16, h = 64; then 4, 8, 12, 16: C = 12 * 16 + 64 = 256, h = 2048. */
    CELL "OutputSequenceTensor=FLOAT32[2,1,1,1] OutputSequenceTensor.data=64,2048 OutputSingleTensor=FLOAT32[1,1,1,1] "
         "OutputSingleTensor.data=2048 OutputCellSingleTensor=FLOAT32[1,1,1,1] "
         "OutputCellSingleTensor.data=256" THREE_FUNCTIONS NO_CLIP "CoupleInputForget=0",
    /* f = 1 - i: C = 16 and -3 * 16 + 64. */
    CELL "OutputCellSingleTensor=FLOAT32[1,1,1,1] OutputCellSingleTensor.data=16" THREE_FUNCTIONS NO_CLIP
         "CoupleInputForget=1",
    /* Clipped to 3: i 2, o, f, c 3: C = 6; all 3: C = 3 * 6 + 9, which is not clipped. */
    CELL
    "OutputSequenceTensor=FLOAT32[2,1,1,1] OutputSequenceTensor.data=18,81 OutputCellSingleTensor=FLOAT32[1,1,1,1] "
    "OutputCellSingleTensor.data=27" THREE_FUNCTIONS "ClipThreshold=3 UseClipThreshold=1 CoupleInputForget=0",
    /* A peephole sees the cell before, of o the one that is made: i 2 + 1, f 6 + 3, C = 9 + 24, o = 4 + 2 * 33. */
    "LSTM InputTensor=FLOAT32[1,1,1,1] InputTensor.data=2 WeightTensor=FLOAT32[1,1,4,1] WeightTensor.data=1,2,3,4 "
    "RecurrenceTensor=FLOAT32[1,1,4,1] RecurrenceTensor.data=0,0,0,0 CellMemInitTensor=FLOAT32[1,1,1,1] "
    "CellMemInitTensor.data=1 PeepholeTensor=FLOAT32[1,1,1,3] PeepholeTensor.data=1,2,3 "
    "OutputSingleTensor=FLOAT32[1,1,1,1] OutputSingleTensor.data=2310 OutputCellSingleTensor=FLOAT32[1,1,1,1] "
    "OutputCellSingleTensor.data=33" THREE_FUNCTIONS NO_CLIP "CoupleInputForget=0",
    "LSTM seed=1 InputTensor=FLOAT32[1,4,33,12] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT32[1,2,140,12] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT32[1,2,140,35] RecurrenceTensor.fill=CENTERED:16 "
    "OutputSequenceTensor=FLOAT32[4,2,33,35] OutputCellSingleTensor=FLOAT32[1,2,33,35] ActivationDescCount=6 "
    "ActivationDescs[0]=SIGMOID ActivationDescs[1]=TANH ActivationDescs[2]=TANH ActivationDescs[3]=SIGMOID "
    "ActivationDescs[4]=TANH ActivationDescs[5]=SOFTSIGN Direction=BIDIRECTIONAL " NO_CLIP "CoupleInputForget=0",
    "LSTM seed=2 InputTensor=FLOAT16[1,3,3,12] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT16[1,1,520,12] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT16[1,1,520,130] RecurrenceTensor.fill=CENTERED:65 "
    "OutputSequenceTensor=FLOAT16[3,1,3,130] ActivationDescCount=3 ActivationDescs[0]=SIGMOID "
    "ActivationDescs[1]=TANH ActivationDescs[2]=TANH Direction=BACKWARD " NO_CLIP "CoupleInputForget=0",
    /* States of which there are too many for one workgroup. */
    "LSTM seed=3 InputTensor=FLOAT32[1,3,33,5] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT32[1,1,548,5] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT32[1,1,548,137] RecurrenceTensor.fill=CENTERED:65 "
    "SequenceLengthsTensor=UINT32[1,1,1,33] SequenceLengthsTensor.fill=COORDINATES:5 "
    "PeepholeTensor=FLOAT32[1,1,1,411] PeepholeTensor.fill=CENTERED:1 OutputSequenceTensor=FLOAT32[3,1,33,137] "
    "OutputCellSingleTensor=FLOAT32[1,1,33,137] ActivationDescCount=3 ActivationDescs[0]=SIGMOID "
    "ActivationDescs[1]=TANH ActivationDescs[2]=TANH Direction=BACKWARD " NO_CLIP "CoupleInputForget=0",
    "LSTM seed=4 InputTensor=FLOAT16[1,2,7,5] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT16[1,2,760,5] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT16[1,2,760,190] RecurrenceTensor.fill=CENTERED:95 "
    "OutputSequenceTensor=FLOAT16[2,2,7,190] ActivationDescCount=6 ActivationDescs[0]=SIGMOID "
    "ActivationDescs[1]=TANH ActivationDescs[2]=TANH ActivationDescs[3]=SIGMOID ActivationDescs[4]=TANH "
    "ActivationDescs[5]=TANH Direction=BIDIRECTIONAL " NO_CLIP "CoupleInputForget=1",
    "LSTM seed=5 InputTensor=FLOAT32[1,3,1,5] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT32[1,1,600,5] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT32[1,1,600,150] RecurrenceTensor.fill=CENTERED:75 "
    "OutputSequenceTensor=FLOAT32[3,1,1,150] ActivationDescCount=3 ActivationDescs[0]=SIGMOID "
    "ActivationDescs[1]=TANH ActivationDescs[2]=TANH Direction=FORWARD " NO_CLIP "CoupleInputForget=0",
    /* So many steps that they come in chunks. */
    "LSTM seed=6 InputTensor=FLOAT16[1,900,2,3] InputTensor.fill=CENTERED:1 WeightTensor=FLOAT16[1,2,20,3] "
    "WeightTensor.fill=CENTERED:3 RecurrenceTensor=FLOAT16[1,2,20,5] RecurrenceTensor.fill=CENTERED:5 "
    "SequenceLengthsTensor=UINT32[1,1,1,2] SequenceLengthsTensor.data=900,700 OutputSequenceTensor=FLOAT16[900,2,2,5] "
    "OutputSingleTensor=FLOAT16[1,2,2,5] ActivationDescCount=6 ActivationDescs[0]=SIGMOID ActivationDescs[1]=TANH "
    "ActivationDescs[2]=TANH ActivationDescs[3]=SIGMOID ActivationDescs[4]=TANH ActivationDescs[5]=TANH "
    "Direction=BIDIRECTIONAL " NO_CLIP "CoupleInputForget=0",
};

/* ---- what is refused ---- */

#define SMALL_RNN(input, weights, recurrence, more)                                                                    \
    "RNN InputTensor=FLOAT32" input " WeightTensor=FLOAT32" weights " RecurrenceTensor=FLOAT32" recurrence more
#define SINGLE(sizes) " OutputSingleTensor=FLOAT32" sizes ONE_FUNCTION "TANH Direction=FORWARD"
static const struct case_refusal rnn_refused[] = {
    {SMALL_RNN("[2,3,2,1]", "[1,1,4,1]", "[1,1,4,4]", SINGLE("[1,1,2,4]")),
     "DML_OPERATOR_RNN: InputTensor.Sizes[0] is 2, must be 1, the leading size of it"},
    {SMALL_RNN("[1,3,2,5]", "[1,1,4,6]", "[1,1,4,4]", SINGLE("[1,1,2,4]")),
     "DML_OPERATOR_RNN: WeightTensor.Sizes[3] is 6, must be 5, InputTensor.Sizes[3]"},
    {SMALL_RNN("[1,3,2,5]", "[1,1,4,5]", "[1,1,3,4]", SINGLE("[1,1,2,4]")),
     "DML_OPERATOR_RNN: RecurrenceTensor.Sizes[2] is 3, must be 4, a row for each gate and hidden unit"},
    {SMALL_RNN("[1,3,2,5]", "[1,2,4,5]", "[1,1,4,4]", SINGLE("[1,1,2,4]")),
     "DML_OPERATOR_RNN: WeightTensor.Sizes[1] is 2, must be 1, the directions"},
    {SMALL_RNN("[1,3,2,5]", "[1,1,4,5]", "[1,1,4,4]", " BiasTensor=FLOAT32[1,1,1,4]" SINGLE("[1,1,2,4]")),
     "DML_OPERATOR_RNN: BiasTensor.Sizes[3] is 4, must be 8, two for each gate and hidden unit"},
    {SMALL_RNN("[1,3,2,5]", "[1,1,4,5]", "[1,1,4,4]", " SequenceLengthsTensor=UINT32[1,1,1,3]" SINGLE("[1,1,2,4]")),
     "DML_OPERATOR_RNN: SequenceLengthsTensor.Sizes[3] is 3, must be 2, the sequences of InputTensor"},
    {SMALL_RNN("[1,3,2,5]", "[1,1,4,5]", "[1,1,4,4]", SINGLE("[1,1,3,4]")),
     "DML_OPERATOR_RNN: OutputSingleTensor.Sizes[2] is 3, must be 2, the sequences of InputTensor"},
    {SMALL_RNN("[1,3,2,5]", "[1,1,4,5]", "[1,1,4,4]",
               " OutputSequenceTensor=FLOAT32[2,1,2,4]" ONE_FUNCTION "TANH Direction=FORWARD"),
     "DML_OPERATOR_RNN: OutputSequenceTensor.Sizes[0] is 2, must be 3, the steps of InputTensor"},
    {SMALL_RNN("[1,3,2,5]", "[1,1,4,5]", "[1,1,4,4]", ONE_FUNCTION "TANH Direction=FORWARD"),
     "DML_OPERATOR_RNN: no output is given, at least one must be"},
    {SMALL_RNN("[1,3,2,5]", "[1,1,4,5]", "[1,1,4,4]",
               " OutputSingleTensor=FLOAT32[1,1,2,4] ActivationDescCount=2 "
               "ActivationDescs[0]=TANH ActivationDescs[1]=TANH Direction=FORWARD"),
     "DML_OPERATOR_RNN: ActivationDescCount is 2, must be 1, 1 a direction"},
    {"RNN InputTensor=FLOAT32[1,3,2,5] InputTensor.owned=1 WeightTensor=FLOAT32[1,1,4,5] "
     "RecurrenceTensor=FLOAT32[1,1,4,4]" SINGLE("[1,1,2,4]"),
     "DML_OPERATOR_RNN: InputTensor.Flags is DML_TENSOR_FLAG_OWNED_BY_DML, must be DML_TENSOR_FLAG_NONE in this "
     "operator"},
};
static const struct case_refusal gru_refused[] = {
    {"GRU InputTensor=FLOAT32[1,3,2,5] WeightTensor=FLOAT32[1,1,4,5] RecurrenceTensor=FLOAT32[1,1,6,2] "
     "OutputSingleTensor=FLOAT32[1,1,2,2] ActivationDescCount=2 ActivationDescs[0]=SIGMOID ActivationDescs[1]=TANH "
     "Direction=FORWARD LinearBeforeReset=0",
     "DML_OPERATOR_GRU: WeightTensor.Sizes[2] is 4, must be 6, a row for each gate and hidden unit"},
};
static const struct case_refusal lstm_refused[] = {
    {"LSTM InputTensor=FLOAT32[1,3,2,5] WeightTensor=FLOAT32[1,1,8,5] RecurrenceTensor=FLOAT32[1,1,8,2] "
     "CellMemInitTensor=FLOAT32[1,1,2,3] PeepholeTensor=FLOAT32[1,1,1,6] OutputCellSingleTensor=FLOAT32[1,1,2,2] "
     "ActivationDescCount=3 ActivationDescs[0]=SIGMOID ActivationDescs[1]=TANH ActivationDescs[2]=TANH "
     "Direction=FORWARD " NO_CLIP "CoupleInputForget=0",
     "DML_OPERATOR_LSTM: CellMemInitTensor.Sizes[3] is 3, must be 2, the hidden units, RecurrenceTensor.Sizes[3]"},
    {"LSTM InputTensor=FLOAT32[1,3,2,5] WeightTensor=FLOAT32[1,1,8,5] RecurrenceTensor=FLOAT32[1,1,8,2] "
     "PeepholeTensor=FLOAT32[1,1,1,8] OutputCellSingleTensor=FLOAT32[1,1,2,2] "
     "ActivationDescCount=3 ActivationDescs[0]=SIGMOID ActivationDescs[1]=TANH ActivationDescs[2]=TANH "
     "Direction=FORWARD " NO_CLIP "CoupleInputForget=0",
     "DML_OPERATOR_LSTM: PeepholeTensor.Sizes[3] is 8, must be 6, three for each hidden unit"},
};

/* ---- benchmarks ---- */

/* The argument: the operator, and whether one sequence goes a long way. Sizes are those of their kind, whatever is
 * asked for: a network's steps follow one another. */
#define IS_LONG 1u

static void add_benchmark_functions(struct operator_case *c) {
    const struct kind kind = kind_of(c);
    case_set_uint(c, "ActivationDescCount", kind.functions);
    for (uint32_t i = 0; i < kind.functions; i++) {
        case_fuse(c, "ActivationDescs", i,
                  kind.functions > 1 && i == 0 ? DML_OPERATOR_ACTIVATION_SIGMOID : DML_OPERATOR_ACTIVATION_TANH);
    }
}

static void benchmark_input(struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type,
                            const uint32_t *sizes, uint32_t centered) {
    struct case_tensor *tensor = add_tensor(c, field, type, sizes);
    tensor->fill = CASE_FILL_CENTERED;
    tensor->fill_permille = centered;
}

static void make_recurrent(DML_OPERATOR_TYPE op, uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument,
                           struct operator_case *c) {
    const bool is_long = argument == IS_LONG;
    const uint32_t batch = is_long ? 1 : 32;
    uint32_t hidden = is_long ? 128 : 512, steps = is_long ? 512 : 64;
    while (hidden > 16 && (uint64_t)steps * batch * hidden * 4 > bytes) {
        hidden /= 2;
    }
    while (steps > 1 && (uint64_t)steps * batch * hidden * 4 > bytes) {
        steps /= 2;
    }
    case_begin(c, op);
    const uint32_t rows = kind_of(c).gates * hidden;
    benchmark_input(c, "InputTensor", type, (const uint32_t[]){1, steps, batch, hidden}, 1);
    benchmark_input(c, "WeightTensor", type, (const uint32_t[]){1, 1, rows, hidden}, hidden / 4);
    benchmark_input(c, "RecurrenceTensor", type, (const uint32_t[]){1, 1, rows, hidden}, hidden / 2);
    benchmark_input(c, "BiasTensor", type, (const uint32_t[]){1, 1, 1, 2 * rows}, 4);
    add_tensor(c, "OutputSequenceTensor", type, (const uint32_t[]){steps, 1, batch, hidden});
    add_benchmark_functions(c);
    if (op == DML_OPERATOR_GRU) {
        case_set_uint(c, "LinearBeforeReset", 1);
    }
}

static double recurrent_operations(const struct operator_case *c) {
    const struct case_tensor *input = &c->tensors[case_index(c, "InputTensor")];
    const struct case_tensor *recurrence = &c->tensors[case_index(c, "RecurrenceTensor")];
    return 2.0 * input->sizes[1] * input->sizes[2] * recurrence->sizes[1] * recurrence->sizes[2] *
           ((double)input->sizes[3] + recurrence->sizes[3]);
}

#define RECURRENT_FAMILY(name, NAME, first)                                                                            \
    static void make_##name(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {   \
        make_recurrent(DML_OPERATOR_##NAME, bytes, type, argument, c);                                                 \
    }                                                                                                                  \
    static const struct case_benchmark name##_benchmarks[] = {                                                         \
        {#name "/batch32", CASE_TYPES_FLOATS, 0, 0, make_##name, NULL},                                                \
        {#name "/long", CASE_TYPES_FLOATS, IS_LONG, 0, make_##name, NULL},                                             \
    };                                                                                                                 \
    CASE_FAMILY(name, NAME, .has_frame = (first), .binds_whole = true, .generate = generate_recurrent,                 \
                .group = "recurrent", CASE_BENCHMARKS(name##_benchmarks), .operations = recurrent_operations,          \
                .bounds = recurrent_bounds, .exact = recurrent_exact)

RECURRENT_FAMILY(rnn, RNN, false);
RECURRENT_FAMILY(gru, GRU, false);
RECURRENT_FAMILY(lstm, LSTM, true);
