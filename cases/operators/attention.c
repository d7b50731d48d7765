/* Cases of MULTIHEAD_ATTENTION and MULTIHEAD_ATTENTION1. */
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/number.h"
#include "cases/operators/attention.h"
#include "cases/support.h"

/* ---- random cases ---- */

/* A tensor with leading dimensions of 1, up to five in all. */
static struct case_tensor *make_tensor(struct random *random, struct operator_case *c, const char *field,
                                       DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes) {
    struct case_tensor *tensor = case_tensor(c, field);
    const uint32_t lead = rank < 5 && random_chance(random, 30) ? random_between(random, 1, 5 - rank) : 0;
    tensor->type = type;
    tensor->rank = lead + rank;
    for (uint32_t d = 0; d < lead; d++) {
        tensor->sizes[d] = 1;
    }
    memcpy(tensor->sizes + lead, sizes, rank * sizeof(*sizes));
    return tensor;
}

static void make_input(struct random *random, struct operator_case *c, const char *field, DML_TENSOR_DATA_TYPE type,
                       enum case_fill fill, uint32_t rank, const uint32_t *sizes) {
    struct case_tensor *tensor = make_tensor(random, c, field, type, rank, sizes);
    tensor->fill = fill;
    generate_input_layout(random, tensor);
}

static void make_sources(struct random *random, struct operator_case *c, const struct attention_shape *s,
                         DML_TENSOR_DATA_TYPE type, enum case_fill fill, uint32_t layout) {
    const uint32_t queries[] = {s->batch, s->queries, s->query_heads * s->depth};
    const uint32_t keys[] = {s->batch, s->keys, s->key_heads * s->depth};
    const uint32_t values[] = {s->batch, s->keys, s->key_heads * s->columns};
    const uint32_t stacked[] = {s->batch, s->keys, s->key_heads, layout == QUERY_KEY_VALUE ? 3 : 2, s->depth};
    if (layout != QUERY_KEY && layout != QUERY_KEY_VALUE) {
        make_input(random, c, "QueryTensor", type, fill, 3, queries);
    }
    if (layout == QUERY) {
        make_input(random, c, "KeyTensor", type, fill, 3, keys);
    }
    if (layout == QUERY || layout == QUERY_KEY) {
        make_input(random, c, "ValueTensor", type, fill, 3, values);
    }
    if (layout != QUERY) {
        make_input(random, c,
                   layout == QUERY_KEY   ? "StackedQueryKeyTensor"
                   : layout == KEY_VALUE ? "StackedKeyValueTensor"
                                         : "StackedQueryKeyValueTensor",
                   type, fill, 5, stacked);
    }
    if (random_chance(random, 40)) {
        const uint32_t elements = queries[2] + keys[2] + values[2];
        make_input(random, c, "BiasTensor", type, fill, 1, &elements);
    }
}

static void make_mask(struct random *random, struct operator_case *c, const struct attention_shape *s) {
    const uint32_t numbers[] = {s->mask_type == MASK_END_START ? 2 : 1, s->batch}, packed = 3 * s->batch + 2;
    uint32_t elements[] = {s->batch, s->query_heads, s->queries, s->total};
    if (s->mask_type == MASK_NONE) {
        return;
    }
    for (uint32_t d = 0; d < 4; d++) {
        elements[d] = random_chance(random, 30) ? 1 : elements[d];
    }
    const bool is_boolean = s->mask_type == MASK_BOOLEAN;
    make_input(random, c, "MaskTensor", DML_TENSOR_DATA_TYPE_INT32, CASE_FILL_COORDINATES,
               is_boolean                    ? 4
               : s->mask_type == MASK_PACKED ? 1
                                             : 2,
               is_boolean                    ? elements
               : s->mask_type == MASK_PACKED ? &packed
                                             : numbers);
    case_tensor(c, "MaskTensor")->fill_permille = is_boolean ? 2 : s->total + 2;
    if (!is_boolean && random_chance(random, 10)) {
        case_tensor(c, "MaskTensor")->fill = CASE_FILL_SMALL;
    }
}

static void make_past(struct random *random, struct operator_case *c, const struct attention_shape *s,
                      DML_TENSOR_DATA_TYPE type, enum case_fill fill) {
    const uint32_t keys[] = {s->batch, s->key_heads, s->past, s->depth};
    const uint32_t values[] = {s->batch, s->key_heads, s->past, s->columns};
    const uint32_t all_keys[] = {s->batch, s->key_heads, s->total, s->depth};
    const uint32_t all_values[] = {s->batch, s->key_heads, s->total, s->columns};
    if (s->past != 0) {
        make_input(random, c, "PastKeyTensor", type, fill, 4, keys);
        make_input(random, c, "PastValueTensor", type, fill, 4, values);
    }
    if (s->has_lengths) {
        make_input(random, c, "PastSequenceLengthsTensor", DML_TENSOR_DATA_TYPE_INT32, CASE_FILL_COORDINATES, 1,
                   &s->batch);
        case_tensor(c, "PastSequenceLengthsTensor")->fill_permille = s->total + 1;
    }
    const bool has_one = random_chance(random, 40), has_other = has_one && random_chance(random, 80);
    if (s->has_lengths || has_one) {
        struct case_tensor *present = make_tensor(random, c, "OutputPresentKeyTensor", type, 4, all_keys);
        present->fill = s->has_lengths ? CASE_FILL_UNIT : CASE_FILL_BITS;
        generate_output_layout(random, present);
    }
    if (s->has_lengths || has_other) {
        struct case_tensor *present = make_tensor(random, c, "OutputPresentValueTensor", type, 4, all_values);
        present->fill = s->has_lengths ? CASE_FILL_UNIT : CASE_FILL_BITS;
        generate_output_layout(random, present);
    }
}

/* Head sizes, mostly those of networks and their neighbours. */
static uint32_t head_size(struct random *random, uint32_t most) {
    static const uint32_t usual[] = {1, 4, 8, 16, 32, 40, 64, 72, 80, 96, 128, 160, 256};
    const uint32_t size = random_chance(random, 70) ? RANDOM_OF(random, usual) : random_between(random, 1, 80);
    return size <= most ? size : random_between(random, 1, most);
}

static struct attention_shape choose_shape(struct random *random, bool newer, uint32_t layout) {
    struct attention_shape s = {.batch = random_chance(random, 50) ? 1 : random_between(random, 1, 3)};
    const uint32_t most = 8 * generate_budget(random), budget = most < 40000 ? most : 40000; /* products */
    s.key_heads = random_chance(random, 40) ? 1 : random_between(random, 1, 4);
    s.query_heads = s.key_heads;
    if (newer && layout != QUERY_KEY && layout != QUERY_KEY_VALUE) {
        s.query_heads *= random_chance(random, 30) ? 1 : random_between(random, 1, 4);
    }
    uint32_t left = budget / s.batch / s.query_heads;
    left = left < 4 ? 4 : left;
    s.depth = head_size(random, left < 512 ? (left + 1) / 2 : 256);
    s.columns =
        layout == QUERY || layout == QUERY_KEY ? random_chance(random, 50) ? s.depth : head_size(random, 128) : s.depth;
    left /= s.depth + s.columns;
    left = left < 2 ? 2 : left;
    s.queries = generate_tile_size(random, random_chance(random, 40) ? (left < 4 ? left : 4) : left);
    s.keys =
        layout == QUERY_KEY || layout == QUERY_KEY_VALUE ? s.queries : generate_tile_size(random, left / s.queries + 1);
    if (newer && random_chance(random, 35)) {
        s.has_lengths = true;
        s.queries = s.keys = s.queries < s.keys ? s.queries : s.keys;
        s.total = random_between(random, 1, 2 * s.keys + 20);
    } else {
        s.past = random_chance(random, 30) ? random_between(random, 1, s.keys + 10) : 0;
        s.total = s.past + s.keys;
    }
    s.mask_type = s.has_lengths || random_chance(random, 30) ? 0 : random_between(random, 1, 4);
    return s;
}

static void generate_attention(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_UNIT, CASE_FILL_UNIT, CASE_FILL_UNIT, CASE_FILL_SMALL,
                                           CASE_FILL_SPECIAL};
    static const uint32_t layouts[] = {QUERY, QUERY, QUERY_KEY, KEY_VALUE, QUERY_KEY_VALUE};
    static const float filters[] = {-10000, -10000, -3, -1e30f, -(float)INFINITY}, scales[] = {0.5f, 1, -2, 0};
    case_begin(c, family->type);
    const bool newer = attention_is_newer(c);
    const uint32_t layout = RANDOM_OF(random, layouts);
    const struct attention_shape s = choose_shape(random, newer, layout);
    const DML_TENSOR_DATA_TYPE type = generate_type(random, c, "OutputTensor");
    const enum case_fill fill = RANDOM_OF(random, fills);
    make_sources(random, c, &s, type, fill, layout);
    make_mask(random, c, &s);
    if (random_chance(random, 30)) {
        make_input(random, c, "RelativePositionBiasTensor", type, CASE_FILL_UNIT, 4,
                   (const uint32_t[]){s.batch, s.query_heads, s.queries, s.total});
    }
    make_past(random, c, &s, type, fill);
    generate_output_layout(random, make_tensor(random, c, "OutputTensor", type, 3,
                                               (const uint32_t[]){s.batch, s.queries, s.query_heads * s.columns}));
    case_set_float(c, "Scale", random_chance(random, 70) ? 1 / sqrtf((float)s.depth) : RANDOM_OF(random, scales));
    case_set_float(c, "MaskFilterValue", RANDOM_OF(random, filters));
    case_set_uint(c, newer ? "QueryHeadCount" : "HeadCount", s.query_heads);
    if (newer) {
        case_set_uint(c, "KeyValueHeadCount", s.key_heads);
    }
    case_set_uint(c, "MaskType", s.mask_type);
    generate_call(random, c);
}

#define INTEGERS CASE_TYPE(INT32)
#define SUPPORT_SINCE(level)                                                                                           \
    {"QueryTensor", CASE_SUPPORT(AT_LEVEL(level, 3, 5, FLOATS))},                                                      \
        {"KeyTensor", CASE_SUPPORT(AT_LEVEL(level, 3, 5, FLOATS))},                                                    \
        {"ValueTensor", CASE_SUPPORT(AT_LEVEL(level, 3, 5, FLOATS))},                                                  \
        {"StackedQueryKeyTensor", CASE_SUPPORT(AT_LEVEL(level, 5, 5, FLOATS))},                                        \
        {"StackedKeyValueTensor", CASE_SUPPORT(AT_LEVEL(level, 5, 5, FLOATS))},                                        \
        {"StackedQueryKeyValueTensor", CASE_SUPPORT(AT_LEVEL(level, 5, 5, FLOATS))},                                   \
        {"BiasTensor", CASE_SUPPORT(AT_LEVEL(level, 1, 5, FLOATS))},                                                   \
        {"MaskTensor", CASE_SUPPORT(AT_LEVEL(level, 1, 5, INTEGERS))},                                                 \
        {"RelativePositionBiasTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS))},                                   \
        {"PastKeyTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS))},                                                \
        {"PastValueTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS))},                                              \
        {"OutputTensor", CASE_SUPPORT(AT_LEVEL(level, 3, 5, FLOATS))},                                                 \
        {"OutputPresentKeyTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS))}, {                                     \
        "OutputPresentValueTensor", CASE_SUPPORT(AT_LEVEL(level, 4, 5, FLOATS))                                        \
    }
static const struct case_tensor_support multihead_attention_support[] = {SUPPORT_SINCE(6_1)};
/* Lengths are integers in the one program that sends them, whatever the documentation's table says. */
static const struct case_tensor_support multihead_attention1_support[] = {
    SUPPORT_SINCE(6_3), {"PastSequenceLengthsTensor", CASE_SUPPORT(AT_LEVEL(6_3, 1, 5, INTEGERS))}};

/* Weights of 1/4 and 3/4: scores that are log(3) apart. */
#define LOG3     "1.0986123"
#define ONE_HEAD " Scale=1 MaskFilterValue=-10000 HeadCount=1"
#define TWO_KEYS(type, more)                                                                                           \
    "MULTIHEAD_ATTENTION QueryTensor=" type "[1,1,1] QueryTensor.data=1 KeyTensor=" type                               \
    "[1,2,1] KeyTensor.data=0," LOG3 " ValueTensor=" type "[1,2,1] ValueTensor.data=4,8 OutputTensor=" type            \
    "[1,1,1] OutputTensor.data=" more
#define RANDOM_CASE(seed, type, q, k, v, out, more)                                                                    \
    "MULTIHEAD_ATTENTION seed=" seed " QueryTensor=" type q " QueryTensor.fill=UNIT KeyTensor=" type k                 \
    " KeyTensor.fill=UNIT ValueTensor=" type v " ValueTensor.fill=UNIT OutputTensor=" type out                         \
    " Scale=0.125 MaskFilterValue=-10000 " more
static const char *const multihead_attention_fixed[] = {
    TWO_KEYS("FLOAT32", "7" ONE_HEAD " MaskType=NONE"),
    TWO_KEYS("FLOAT16", "7" ONE_HEAD " MaskType=NONE"),
    /* Half of the scale, and a bias beside the scores that makes up for it. */
    TWO_KEYS("FLOAT32", "7 RelativePositionBiasTensor=FLOAT32[1,1,1,2] RelativePositionBiasTensor.data=0,0.54930615 "
                        "Scale=0.5 MaskFilterValue=-10000 HeadCount=1 MaskType=NONE"),
    /* Lengths: one key, none, more than there are; and from one on. */
    TWO_KEYS("FLOAT32", "4 MaskTensor=INT32[1,1] MaskTensor.data=1" ONE_HEAD " MaskType=KEY_SEQUENCE_LENGTH"),
    TWO_KEYS("FLOAT32", "6 MaskTensor=INT32[1,1] MaskTensor.data=0" ONE_HEAD " MaskType=KEY_SEQUENCE_LENGTH"),
    TWO_KEYS("FLOAT32", "6 MaskTensor=INT32[1,1] MaskTensor.data=-5" ONE_HEAD " MaskType=KEY_SEQUENCE_LENGTH"),
    TWO_KEYS("FLOAT32", "7 MaskTensor=INT32[1,1] MaskTensor.data=9" ONE_HEAD " MaskType=KEY_SEQUENCE_LENGTH"),
    TWO_KEYS("FLOAT32", "8 MaskTensor=INT32[2,1] MaskTensor.data=2,1" ONE_HEAD " MaskType=KEY_SEQUENCE_END_START"),
    TWO_KEYS("FLOAT32", "4 MaskTensor=INT32[5] MaskTensor.data=1,0,7,0,7" ONE_HEAD
                        " MaskType=KEY_QUERY_SEQUENCE_LENGTH_START_END"),
    /* What is added to all keys changes nothing; an infinite one leaves nothing. */
    TWO_KEYS("FLOAT32", "8 MaskTensor=INT32[1,1,1,2] MaskTensor.data=0,1" ONE_HEAD " MaskType=BOOLEAN"),
    TWO_KEYS("FLOAT32",
             "7 MaskTensor=INT32[1] MaskTensor.data=0 Scale=1 MaskFilterValue=-4 HeadCount=1 MaskType=BOOLEAN"),
    TWO_KEYS("FLOAT32",
             "0 MaskTensor=INT32[1] MaskTensor.data=0 Scale=1 MaskFilterValue=-inf HeadCount=1 MaskType=BOOLEAN"),
    TWO_KEYS("FLOAT32", "0 MaskTensor=INT32[1,1] MaskTensor.data=0 Scale=1 MaskFilterValue=-inf HeadCount=1 "
                        "MaskType=KEY_SEQUENCE_LENGTH"),
    /* Bias of queries, keys and values; what is present has it, and what is past has not. */
    "MULTIHEAD_ATTENTION QueryTensor=FLOAT32[1,1,1] QueryTensor.data=-1 KeyTensor=FLOAT32[1,1,1] "
    "KeyTensor.data=1.0986123 ValueTensor=FLOAT32[1,1,1] ValueTensor.data=5 BiasTensor=FLOAT32[3] "
    "BiasTensor.data=2,0,3 "
    "PastKeyTensor=FLOAT32[1,1,1,1] PastKeyTensor.data=0 PastValueTensor=FLOAT32[1,1,1,1] PastValueTensor.data=4 "
    "OutputTensor=FLOAT32[1,1,1] OutputTensor.data=7 OutputPresentKeyTensor=FLOAT32[1,1,2,1] "
    "OutputPresentKeyTensor.data=0,1.0986123 OutputPresentValueTensor=FLOAT32[1,1,2,1] "
    "OutputPresentValueTensor.data=4,8" ONE_HEAD " MaskType=NONE",
    /* Two heads, stacked in each way: of each head's query, keys and values. */
    "MULTIHEAD_ATTENTION StackedQueryKeyValueTensor=FLOAT32[1,1,2,3,1] StackedQueryKeyValueTensor.data=1,2,3,4,5,6 "
    "OutputTensor=FLOAT32[1,1,2] OutputTensor.data=3,6 Scale=1 MaskFilterValue=-10000 HeadCount=2 MaskType=NONE",
    "MULTIHEAD_ATTENTION StackedQueryKeyTensor=FLOAT32[1,2,1,2,1] StackedQueryKeyTensor.data=1,0,0,1.0986123 "
    "ValueTensor=FLOAT32[1,2,1] ValueTensor.data=4,8 OutputTensor=FLOAT32[1,2,1] OutputTensor.data=7,6" ONE_HEAD
    " MaskType=NONE",
    "MULTIHEAD_ATTENTION QueryTensor=FLOAT32[1,1,1] QueryTensor.data=1 StackedKeyValueTensor=FLOAT32[1,2,1,2,1] "
    "StackedKeyValueTensor.data=0,4,1.0986123,8 OutputTensor=FLOAT32[1,1,1] OutputTensor.data=7" ONE_HEAD
    " MaskType=NONE",
    /* Whole tiles of each size, and what is beyond. */
    RANDOM_CASE("1", "FLOAT32", "[1,128,128]", "[1,128,128]", "[1,128,128]", "[1,128,128]",
                "HeadCount=2 MaskType=NONE"),
    RANDOM_CASE("2", "FLOAT16", "[1,128,128]", "[1,128,128]", "[1,128,128]", "[1,128,128]",
                "HeadCount=2 MaskType=NONE"),
    RANDOM_CASE("3", "FLOAT32", "[1,77,40]", "[1,131,40]", "[1,131,24]", "[1,77,24]", "HeadCount=1 MaskType=NONE"),
    RANDOM_CASE("4", "FLOAT16", "[1,77,80]", "[1,150,80]", "[1,150,80]", "[1,77,80]", "HeadCount=1 MaskType=NONE"),
    RANDOM_CASE("5", "FLOAT32", "[1,33,256]", "[1,70,256]", "[1,70,256]", "[1,33,256]", "HeadCount=1 MaskType=NONE"),
    RANDOM_CASE("6", "FLOAT16", "[1,130,128]", "[1,66,128]", "[1,66,128]", "[1,130,128]", "HeadCount=1 MaskType=NONE"),
    RANDOM_CASE("7", "FLOAT32", "[1,67,7]", "[1,45,7]", "[1,45,5]", "[1,67,5]", "HeadCount=1 MaskType=NONE"),
    RANDOM_CASE("8", "FLOAT32", "[1,3,16]", "[1,20,16]", "[1,20,300]", "[1,3,300]", "HeadCount=1 MaskType=NONE"),
    RANDOM_CASE("9", "FLOAT16", "[2,70,64]", "[2,200,64]", "[2,200,64]", "[2,70,64]",
                "MaskTensor=INT32[1,2] MaskTensor.data=90,0 HeadCount=1 MaskType=KEY_SEQUENCE_LENGTH"),
    /* Few queries and many keys, which have shares. */
    RANDOM_CASE("10", "FLOAT32", "[1,1,64]", "[1,9000,64]", "[1,9000,64]", "[1,1,64]", "HeadCount=1 MaskType=NONE"),
    RANDOM_CASE("11", "FLOAT16", "[1,2,128]", "[1,2000,128]", "[1,2000,128]", "[1,2,128]", "HeadCount=2 MaskType=NONE"),
    /* The greatest score last, and first. */
    "MULTIHEAD_ATTENTION seed=12 QueryTensor=FLOAT16[1,40,16] QueryTensor.fill=UNIT KeyTensor=FLOAT16[1,300,16] "
    "KeyTensor.fill=INDEX ValueTensor=FLOAT16[1,300,16] ValueTensor.fill=UNIT OutputTensor=FLOAT16[1,40,16] Scale=0.01 "
    "MaskFilterValue=-10000 HeadCount=1 MaskType=NONE",
    "MULTIHEAD_ATTENTION seed=13 QueryTensor=FLOAT32[1,40,16] QueryTensor.fill=UNIT KeyTensor=FLOAT32[1,300,16] "
    "KeyTensor.fill=INDEX ValueTensor=FLOAT32[1,300,16] ValueTensor.fill=UNIT OutputTensor=FLOAT32[1,40,16] "
    "Scale=-0.01 "
    "MaskFilterValue=-10000 HeadCount=1 MaskType=NONE",
};

#define GROUPED " Scale=1 MaskFilterValue=-10000 QueryHeadCount=2 KeyValueHeadCount=1 MaskType=NONE"
static const char *const multihead_attention1_fixed[] = {
    /* Two heads of queries share one of keys. */
    "MULTIHEAD_ATTENTION1 QueryTensor=FLOAT32[1,1,2] QueryTensor.data=1,0 KeyTensor=FLOAT32[1,2,1] "
    "KeyTensor.data=0,1.0986123 ValueTensor=FLOAT32[1,2,1] ValueTensor.data=4,8 OutputTensor=FLOAT32[1,1,2] "
    "OutputTensor.data=7,6" GROUPED,
    /* A key goes behind what is there, and what is beyond it is left alone. */
    "MULTIHEAD_ATTENTION1 QueryTensor=FLOAT32[1,1,2] QueryTensor.data=1.0986123,0 KeyTensor=FLOAT32[1,1,1] "
    "KeyTensor.data=1 ValueTensor=FLOAT32[1,1,1] ValueTensor.data=4 PastSequenceLengthsTensor=INT32[1] "
    "PastSequenceLengthsTensor.data=1 OutputTensor=FLOAT32[1,1,2] OutputTensor.data=3,2 "
    "OutputPresentKeyTensor=FLOAT32[1,1,3,1] OutputPresentKeyTensor.fill=INDEX OutputPresentKeyTensor.data=?,1,? "
    "OutputPresentValueTensor=FLOAT32[1,1,3,1] OutputPresentValueTensor.fill=INDEX "
    "OutputPresentValueTensor.data=?,4,?" GROUPED,
    /* Lengths below 0 are 0, and what has no place is left out. */
    "MULTIHEAD_ATTENTION1 QueryTensor=FLOAT16[2,2,2] QueryTensor.data=0,0,0,0,0,0,0,0 KeyTensor=FLOAT16[2,2,1] "
    "KeyTensor.data=1,2,3,4 ValueTensor=FLOAT16[2,2,1] ValueTensor.data=10,20,29,40 PastSequenceLengthsTensor=INT32[2] "
    "PastSequenceLengthsTensor.data=-1,2 OutputTensor=FLOAT16[2,2,2] OutputTensor.data=10,10,15,15,12,12,12,12 "
    "OutputPresentKeyTensor=FLOAT16[2,1,3,1] OutputPresentKeyTensor.fill=INDEX OutputPresentKeyTensor.data=1,2,?,?,?,3 "
    "OutputPresentValueTensor=FLOAT16[2,1,3,1] OutputPresentValueTensor.fill=INDEX "
    "OutputPresentValueTensor.data=10,20,?,?,?,29" GROUPED,
    "MULTIHEAD_ATTENTION1 seed=3 QueryTensor=FLOAT16[2,1,512] QueryTensor.fill=UNIT KeyTensor=FLOAT16[2,1,128] "
    "KeyTensor.fill=UNIT ValueTensor=FLOAT16[2,1,128] ValueTensor.fill=UNIT PastSequenceLengthsTensor=INT32[2] "
    "PastSequenceLengthsTensor.data=300,5 OutputTensor=FLOAT16[2,1,512] OutputPresentKeyTensor=FLOAT16[2,2,400,64] "
    "OutputPresentKeyTensor.fill=UNIT OutputPresentValueTensor=FLOAT16[2,2,400,64] OutputPresentValueTensor.fill=UNIT "
    "Scale=0.125 MaskFilterValue=-10000 QueryHeadCount=8 KeyValueHeadCount=2 MaskType=NONE",
    "MULTIHEAD_ATTENTION1 seed=4 QueryTensor=FLOAT32[1,70,128] QueryTensor.fill=UNIT KeyTensor=FLOAT32[1,70,64] "
    "KeyTensor.fill=UNIT ValueTensor=FLOAT32[1,70,64] ValueTensor.fill=UNIT PastSequenceLengthsTensor=INT32[1] "
    "PastSequenceLengthsTensor.data=0 OutputTensor=FLOAT32[1,70,128] OutputPresentKeyTensor=FLOAT32[1,1,100,64] "
    "OutputPresentKeyTensor.fill=UNIT OutputPresentValueTensor=FLOAT32[1,1,100,64] OutputPresentValueTensor.fill=UNIT "
    "Scale=0.125 MaskFilterValue=-10000 QueryHeadCount=2 KeyValueHeadCount=1 MaskType=NONE",
};

#define PLAIN(sizes, more) "MULTIHEAD_ATTENTION " sizes " Scale=1 MaskFilterValue=0 HeadCount=2 " more
#define SEPARATE(q, k, v, out, more)                                                                                   \
    PLAIN("QueryTensor=FLOAT32" q " KeyTensor=FLOAT32" k " ValueTensor=FLOAT32" v " OutputTensor=FLOAT32" out, more)
#define GOOD(more) SEPARATE("[2,3,4]", "[2,5,4]", "[2,5,6]", "[2,3,6]", more)
#define REASON     "DML_OPERATOR_MULTIHEAD_ATTENTION: "
static const struct case_refusal multihead_attention_refused[] = {
    {PLAIN("KeyTensor=FLOAT32[2,5,4] ValueTensor=FLOAT32[2,5,6] OutputTensor=FLOAT32[2,3,6]", "MaskType=NONE"),
     REASON "queries come from 0 tensors, must come from one of QueryTensor, StackedQueryKeyTensor and "
            "StackedQueryKeyValueTensor"},
    {GOOD("MaskType=NONE StackedKeyValueTensor=FLOAT32[2,5,2,2,2]"), REASON
     "keys come from 2 tensors, must come from one of KeyTensor, StackedQueryKeyTensor, StackedKeyValueTensor and "
     "StackedQueryKeyValueTensor\n" REASON
     "values come from 2 tensors, must come from one of ValueTensor, StackedKeyValueTensor and "
     "StackedQueryKeyValueTensor"},
    {SEPARATE("[2,3,5]", "[2,5,4]", "[2,5,6]", "[2,3,6]", "MaskType=NONE"),
     REASON "QueryTensor.Sizes[2] is 5, must be a multiple of 2 = HeadCount"},
    {SEPARATE("[2,3,4]", "[2,5,6]", "[2,5,6]", "[2,3,6]", "MaskType=NONE"),
     REASON "KeyTensor.Sizes[2] is 6, must be 4, the elements of heads together"},
    {SEPARATE("[2,3,4]", "[1,5,4]", "[2,5,6]", "[2,3,6]", "MaskType=NONE"),
     REASON "KeyTensor.Sizes[0] is 1, must be 2, the batches"},
    {SEPARATE("[2,3,4]", "[2,5,4]", "[2,4,6]", "[2,3,6]", "MaskType=NONE"),
     REASON "ValueTensor.Sizes[1] is 4, must be 5, the keys"},
    {SEPARATE("[2,2,3,4]", "[2,5,4]", "[2,5,6]", "[2,3,6]", "MaskType=NONE"),
     REASON "QueryTensor.Sizes[0] is 2, must be 1: it leads those that have a meaning"},
    {SEPARATE("[2,3,4]", "[2,5,4]", "[2,5,6]", "[2,3,4]", "MaskType=NONE"),
     REASON "OutputTensor.Sizes[2] is 4, must be 6, the elements of values' heads together"},
    {"MULTIHEAD_ATTENTION QueryTensor=FLOAT32[2,3,4] KeyTensor=FLOAT32[2,5,4] ValueTensor=FLOAT32[2,5,6] "
     "OutputTensor=FLOAT32[2,3,6] Scale=1 MaskFilterValue=0 HeadCount=0 MaskType=NONE",
     REASON "HeadCount is 0, must be at least 1"},
    {PLAIN("StackedQueryKeyValueTensor=FLOAT32[2,3,2,2,4] OutputTensor=FLOAT32[2,3,8]", "MaskType=NONE"),
     REASON "StackedQueryKeyValueTensor.Sizes[3] is 2, must be 3, what is stacked"},
    {PLAIN("StackedQueryKeyValueTensor=FLOAT32[2,3,4,3,4] OutputTensor=FLOAT32[2,3,8]", "MaskType=NONE"),
     REASON "StackedQueryKeyValueTensor.Sizes[2] is 4, must be 2, the heads"},
    {GOOD("BiasTensor=FLOAT32[13] MaskType=NONE"),
     REASON "BiasTensor.Sizes[0] is 13, must be 14, the elements of queries', keys' and values' heads together"},
    {GOOD("PastKeyTensor=FLOAT32[2,2,7,2] MaskType=NONE"),
     REASON "PastValueTensor is NULL, must be there: PastKeyTensor is"},
    {GOOD("PastKeyTensor=FLOAT32[2,2,7,2] PastValueTensor=FLOAT32[2,2,6,3] MaskType=NONE"),
     REASON "PastValueTensor.Sizes[2] is 6, must be 7, PastKeyTensor's rows"},
    {"MULTIHEAD_ATTENTION QueryTensor=FLOAT32[1,3,1] KeyTensor=FLOAT32[1,5,1] ValueTensor=FLOAT32[1,5,1] "
     "PastKeyTensor=FLOAT32[1,1,4294967294,1] PastValueTensor=FLOAT32[1,1,4294967294,1] OutputTensor=FLOAT32[1,3,1] "
     "Scale=1 MaskFilterValue=0 HeadCount=1 MaskType=NONE",
     REASON "PastKeyTensor's rows and the keys are 4294967299 together, must be at most 4294967295"},
    {GOOD("PastKeyTensor=FLOAT32[2,2,7,2] PastValueTensor=FLOAT32[2,2,7,3] OutputPresentKeyTensor=FLOAT32[2,2,5,2] "
          "MaskType=NONE"),
     REASON "OutputPresentKeyTensor.Sizes[2] is 5, must be 12, the keys, past ones too"},
    {GOOD("RelativePositionBiasTensor=FLOAT32[2,2,3,1] MaskType=NONE"),
     REASON "RelativePositionBiasTensor.Sizes[3] is 1, must be 5, the keys, past ones too"},
    {GOOD("MaskType=BOOLEAN"), REASON "MaskTensor is NULL, must be there: MaskType is 4"},
    {GOOD("MaskTensor=INT32[1] MaskType=NONE"), REASON "MaskTensor is there, must be NULL: MaskType is 0 (NONE)"},
    {GOOD("MaskTensor=INT32[2,2] MaskType=KEY_SEQUENCE_LENGTH"), REASON "MaskTensor.Sizes[0] is 2, must be 1, lengths"},
    {GOOD("MaskTensor=INT32[2] MaskType=KEY_SEQUENCE_END_START"),
     REASON "MaskTensor has 1 dimensions, must have one of 2, ends and starts"},
    {GOOD("MaskTensor=INT32[7] MaskType=KEY_QUERY_SEQUENCE_LENGTH_START_END"),
     REASON "MaskTensor.Sizes[0] is 7, must be 8, three for each batch, and two"},
    {GOOD("MaskTensor=INT32[2,3,3,5] MaskType=BOOLEAN"), REASON "MaskTensor.Sizes[1] is 3, must be 2, or 1: the heads"},
};
#undef REASON

#define SHARED(heads, more)                                                                                            \
    "MULTIHEAD_ATTENTION1 QueryTensor=FLOAT32[2,3,8] KeyTensor=FLOAT32[2,3,4] ValueTensor=FLOAT32[2,3,4] "             \
    "OutputTensor=FLOAT32[2,3,8] Scale=1 MaskFilterValue=0 QueryHeadCount=4 KeyValueHeadCount=" heads " " more
#define PRESENT "OutputPresentKeyTensor=FLOAT32[2,2,9,2] OutputPresentValueTensor=FLOAT32[2,2,9,2] "
#define REASON  "DML_OPERATOR_MULTIHEAD_ATTENTION1: "
static const struct case_refusal multihead_attention1_refused[] = {
    {SHARED("3", "MaskType=NONE"), REASON "KeyValueHeadCount is 3, must divide 4 = QueryHeadCount"},
    {SHARED("0", "MaskType=NONE"), REASON "KeyValueHeadCount is 0, must divide 4 = QueryHeadCount"},
    {"MULTIHEAD_ATTENTION1 StackedQueryKeyValueTensor=FLOAT32[2,3,2,3,4] OutputTensor=FLOAT32[2,3,8] Scale=1 "
     "MaskFilterValue=0 QueryHeadCount=2 KeyValueHeadCount=1 MaskType=NONE",
     REASON "KeyValueHeadCount is 1, must be 2 = QueryHeadCount: StackedQueryKeyValueTensor has keys of as many heads"},
    {SHARED("2", "PastSequenceLengthsTensor=INT32[3] " PRESENT "MaskType=NONE"),
     REASON "PastSequenceLengthsTensor.Sizes[0] is 3, must be 2, the batches"},
    {SHARED("2", "PastSequenceLengthsTensor=INT32[2] OutputPresentKeyTensor=FLOAT32[2,2,9,2] MaskType=NONE"),
     REASON "OutputPresentValueTensor is NULL, must be there: PastSequenceLengthsTensor is"},
    {SHARED(
         "2",
         "PastSequenceLengthsTensor=INT32[2] PastKeyTensor=FLOAT32[2,2,6,2] PastValueTensor=FLOAT32[2,2,6,2] " PRESENT
         "MaskType=NONE"),
     REASON "PastKeyTensor is there, must be NULL: with PastSequenceLengthsTensor OutputPresentKeyTensor has what was "
            "before"},
    {SHARED("2", "PastSequenceLengthsTensor=INT32[2] MaskTensor=INT32[1] " PRESENT "MaskType=BOOLEAN"),
     REASON "MaskType is 4, must be 0 (NONE): PastSequenceLengthsTensor says what queries see"},
    {"MULTIHEAD_ATTENTION1 QueryTensor=FLOAT32[2,3,8] KeyTensor=FLOAT32[2,4,4] ValueTensor=FLOAT32[2,4,4] "
     "PastSequenceLengthsTensor=INT32[2] OutputTensor=FLOAT32[2,3,8] " PRESENT "Scale=1 MaskFilterValue=0 "
     "QueryHeadCount=4 KeyValueHeadCount=2 MaskType=NONE",
     REASON "there are 4 keys, must be 3 as queries: with PastSequenceLengthsTensor each sees those up to its own"},
    {SHARED("2", "PastSequenceLengthsTensor=INT32[2] OutputPresentKeyTensor=FLOAT32[2,2,9,2] "
                 "OutputPresentValueTensor=FLOAT32[2,2,8,2] MaskType=NONE"),
     REASON "OutputPresentValueTensor.Sizes[2] is 8, must be 9, the keys, past ones too"},
};

/* ---- benchmarks ---- */

/* The argument: elements of a head, and what else. */
#define HAS_PAST            2048u /* of keys all but one */
#define HAS_LENGTHS         4096u /* a mask */
#define HAS_BIAS            8192u /* beside the scores */
#define HEAD_SIZE(argument) ((argument)&1023u)

/* Heads of 2048 queries and as many keys; fewer of them where `bytes` are few, as many batches as they hold. */
static void make_self(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const uint32_t depth = HEAD_SIZE(argument);
    uint32_t heads = 32, queries = 2048;
    const uint64_t elements = bytes / (type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 2 : 4);
    while (queries > 64 && (uint64_t)heads * queries * depth > elements) {
        queries /= 2;
    }
    while (heads > 1 && (uint64_t)heads * queries * depth > elements) {
        heads /= 2;
    }
    uint64_t most = elements / ((uint64_t)heads * queries * depth);
    if ((argument & HAS_BIAS) != 0 && most > UINT32_MAX / ((uint64_t)heads * queries * queries)) {
        most = UINT32_MAX / ((uint64_t)heads * queries * queries); /* a tensor has fewer than 2^32 elements */
    }
    const uint32_t batches = most > 1 ? (uint32_t)most : 1;
    const uint32_t sizes[] = {batches, queries, heads * depth};
    case_begin(c, DML_OPERATOR_MULTIHEAD_ATTENTION);
    benchmark_tensor(case_tensor(c, "QueryTensor"), type, 3, sizes);
    benchmark_tensor(case_tensor(c, "KeyTensor"), type, 3, sizes);
    benchmark_tensor(case_tensor(c, "ValueTensor"), type, 3, sizes);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 3, sizes);
    if ((argument & HAS_LENGTHS) != 0) {
        struct case_tensor *mask = case_tensor(c, "MaskTensor");
        benchmark_tensor(mask, DML_TENSOR_DATA_TYPE_INT32, 2, (const uint32_t[]){1, batches});
        mask->fill = CASE_FILL_COORDINATES;
        mask->fill_permille = queries + 1;
        case_set_uint(c, "MaskType", MASK_LENGTH);
    }
    if ((argument & HAS_BIAS) != 0) {
        struct case_tensor *bias = case_tensor(c, "RelativePositionBiasTensor");
        benchmark_tensor(bias, type, 4, (const uint32_t[]){batches, heads, queries, queries});
        bias->has_strides = 1;
        memcpy(bias->strides, (const uint32_t[]){0, queries * queries, queries, 1}, 4 * sizeof(uint32_t));
        bias->fill = CASE_FILL_UNIT;
    }
    case_tensor(c, "QueryTensor")->fill = CASE_FILL_UNIT;
    case_tensor(c, "KeyTensor")->fill = CASE_FILL_UNIT;
    case_tensor(c, "ValueTensor")->fill = CASE_FILL_UNIT;
    case_set_float(c, "Scale", 1 / sqrtf((float)depth));
    case_set_float(c, "MaskFilterValue", -10000);
    case_set_uint(c, "HeadCount", heads);
}

/* 32 heads of queries, 8 of keys, 8192 keys, of as many batches as `bytes` hold. */
static void make_decoding(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    enum { HEADS = 8, GROUPS = 4, MOST_BATCHES = 64 };
    const uint32_t depth = HEAD_SIZE(argument);
    const uint64_t elements = bytes / (type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 2 : 4);
    uint32_t keys = 8192;
    while (keys > 64 && (uint64_t)HEADS * keys * depth > elements) {
        keys /= 2;
    }
    const uint64_t most = elements / ((uint64_t)HEADS * keys * depth);
    const uint32_t batches = most > MOST_BATCHES ? MOST_BATCHES : most > 1 ? (uint32_t)most : 1;
    const bool has_past = (argument & HAS_PAST) != 0;
    const uint32_t queries[] = {batches, 1, HEADS * GROUPS * depth};
    const uint32_t rows[] = {batches, has_past ? 1 : keys, HEADS * depth}, all[] = {batches, HEADS, keys, depth};
    case_begin(c, DML_OPERATOR_MULTIHEAD_ATTENTION1);
    benchmark_tensor(case_tensor(c, "QueryTensor"), type, 3, queries);
    benchmark_tensor(case_tensor(c, "KeyTensor"), type, 3, rows);
    benchmark_tensor(case_tensor(c, "ValueTensor"), type, 3, rows);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 3, queries);
    if (has_past) {
        struct case_tensor *lengths = case_tensor(c, "PastSequenceLengthsTensor");
        benchmark_tensor(case_tensor(c, "OutputPresentKeyTensor"), type, 4, all);
        benchmark_tensor(case_tensor(c, "OutputPresentValueTensor"), type, 4, all);
        benchmark_tensor(lengths, DML_TENSOR_DATA_TYPE_INT32, 1, &batches);
        lengths->value_count = batches;
        for (uint32_t b = 0; b < batches; b++) {
            lengths->values[b] = keys - 1;
        }
    }
    case_tensor(c, "QueryTensor")->fill = CASE_FILL_UNIT;
    case_tensor(c, "KeyTensor")->fill = CASE_FILL_UNIT;
    case_tensor(c, "ValueTensor")->fill = CASE_FILL_UNIT;
    case_set_float(c, "Scale", 1 / sqrtf((float)depth));
    case_set_float(c, "MaskFilterValue", -10000);
    case_set_uint(c, "QueryHeadCount", HEADS * GROUPS);
    case_set_uint(c, "KeyValueHeadCount", HEADS);
}

/* Two for each product, and one of queries and keys is one of weights and values. */
static double attention_operations(const struct operator_case *c) {
    const struct attention_shape s = attention_shape_of(c);
    return 2.0 * s.batch * s.query_heads * s.queries * s.total * (s.depth + s.columns);
}

#define OF_FLOATS (CASE_TYPE(FLOAT32) | CASE_TYPE(FLOAT16))
static const struct case_benchmark multihead_attention_benchmarks[] = {
    {"self_64", OF_FLOATS, 64, 0, make_self, NULL},
    {"self_80", OF_FLOATS, 80, 0, make_self, NULL},
    {"self_128", OF_FLOATS, 128, 0, make_self, NULL},
    {"self_64_lengths", OF_FLOATS, 64 | HAS_LENGTHS, 0, make_self, NULL},
    {"self_64_bias", OF_FLOATS, 64 | HAS_BIAS, 0, make_self, NULL},
};

static const struct case_benchmark multihead_attention1_benchmarks[] = {
    {"decode_64", OF_FLOATS, 64, CASE_BENCHMARK_READ, make_decoding, NULL},
    {"decode_128", OF_FLOATS, 128, CASE_BENCHMARK_READ, make_decoding, NULL},
    {"decode_128_past", OF_FLOATS, 128 | HAS_PAST, CASE_BENCHMARK_READ, make_decoding, NULL},
};

static const char *const attention_repeated[] = {
    RANDOM_CASE("1", "FLOAT32", "[1,70,64]", "[1,300,64]", "[1,300,64]", "[1,70,64]", "HeadCount=1 MaskType=NONE"),
    RANDOM_CASE("2", "FLOAT16", "[1,2,128]", "[1,3000,128]", "[1,3000,128]", "[1,2,128]", "HeadCount=2 MaskType=NONE"),
};

#define FAMILY(name, NAME, ...)                                                                                        \
    CASE_FAMILY(name, NAME, .generate = generate_attention, .transfers = true, .binds_whole = true,                    \
                .group = "attention", CASE_BENCHMARKS(name##_benchmarks), .bounds = attention_bounds,                  \
                .exact = attention_exact, __VA_ARGS__)
FAMILY(multihead_attention, MULTIHEAD_ATTENTION, .has_frame = true, CASE_REPEATED(attention_repeated),
       .operations = attention_operations);
FAMILY(multihead_attention1, MULTIHEAD_ATTENTION1, .operations = NULL);
