/* RANDOM_GENERATOR */
#include "cases/generate.h"
#include "cases/operators/mapping.h"

#define WORDS CASE_SUPPORT(AT_LEVEL(3_0, 4, 4, CASE_TYPE(UINT32)), AT_LEVEL(4_0, 1, 8, CASE_TYPE(UINT32)))
static const struct case_tensor_support random_generator_support[] = {
    {"InputStateTensor", WORDS}, {"OutputTensor", WORDS}, {"OutputStateTensor", WORDS}};

#define STATE_OF(state)        "RANDOM_GENERATOR InputStateTensor=UINT32[6] InputStateTensor.data=" state
#define BLOCK_OF(state, words) STATE_OF(state) " OutputTensor=UINT32[4] OutputTensor.data=" words
#define NEXT(next)             " OutputStateTensor=UINT32[6] OutputStateTensor.data=" next

static const char *const random_generator_fixed[] = {
    /* Random123's vectors. */
    BLOCK_OF("0,0,0,0,0,0", "0x6627e8d5,0xe169c58d,0xbc57ac4c,0x9b00dbd8") NEXT("1,0,0,0,0,0"),
    BLOCK_OF("0xffffffff,0xffffffff,0xffffffff,0xffffffff,0xffffffff,0xffffffff",
             "0x408f276d,0x41c83b0e,0xa20bc7c6,0x6d5451fd") NEXT("0,0,0,0,0xffffffff,0xffffffff"),
    BLOCK_OF("0x243f6a88,0x85a308d3,0x13198a2e,0x03707344,0xa4093822,0x299f31d0",
             "0xd16cfe09,0x94fdcceb,0x5001e420,0x24126ea1"),
    /* The counter's first word counts, and which word of the key is which. */
    BLOCK_OF("1,0,0,0,0,0", "0xf8e4cca4,0x5cb200db,0xb1a574eb,0x097eff67"),
    BLOCK_OF("0,0,0,0,1,0", "0xe3e80670,0xe50a0ebc,0x95f222c0,0xb615aa27"),
    BLOCK_OF("0,0,0,0,0,1", "0xfdde3e0b,0xfa7e58b6,0x3380ec46,0xd8d55c4f"),
    /* The second block carries through all words; a part of a block counts as one. */
    STATE_OF("0xffffffff,0xffffffff,0xffffffff,0xffffffff,0,0") " OutputTensor=UINT32[1,1,2,3] "
                                                                "OutputTensor.data=0x3f9d0c45,0x26f733a8,0x4f9f3099,"
                                                                "0x22d2ed02,0x6627e8d5,0xe169c58d" NEXT("1,0,0,0,0,0"),
    STATE_OF("0xfffffffe,0xffffffff,7,0,5,6") " OutputTensor=UINT32[9] "
                                              "OutputTensor.data=0x73fb6cfc,0xf3554364,0xea8da890,0x8b52edcb,"
                                              "0xfcf0cc62,0x349ffb1b,0x72a92c75,0x026b0f50,0x6bfa6e80" NEXT(
                                                  "1,0,8,0,5,6"),
    /* Elements are numbered in row-major order, however they lie. */
    STATE_OF("0,0,0,0,0,0") " OutputTensor=UINT32[2,3] OutputTensor.strides=1,2 "
                            "OutputTensor.data=0x6627e8d5,0xe169c58d,0xbc57ac4c,0x9b00dbd8,0xf8e4cca4,0x5cb200db",
    "RANDOM_GENERATOR InputStateTensor=UINT32[1,6] InputStateTensor.strides=9,2 InputStateTensor.data=0,0,0,0,0,0 "
    "OutputTensor=UINT32[1] OutputTensor.data=0x6627e8d5 OutputStateTensor=UINT32[1,6] OutputStateTensor.strides=20,3 "
    "OutputStateTensor.data=1,0,0,0,0,0",
    /* Many, of rows with gaps, and one that is whole. */
    "RANDOM_GENERATOR seed=3 InputStateTensor=UINT32[6] OutputTensor=UINT32[301,7,11] OutputTensor.strides=128,16,1",
    "RANDOM_GENERATOR seed=4 InputStateTensor=UINT32[6] OutputTensor=UINT32[1000003] OutputStateTensor=UINT32[6]",
};

static const struct case_refusal random_generator_refused[] = {
    {"RANDOM_GENERATOR InputStateTensor=UINT32[1,1,2,6] OutputTensor=UINT32[1,1,1,4]",
     "DML_OPERATOR_RANDOM_GENERATOR: InputStateTensor.Sizes[2] is 2, must be 1: a state is a counter of four words and "
     "a "
     "key of two"},
    {"RANDOM_GENERATOR InputStateTensor=UINT32[4] OutputTensor=UINT32[4]",
     "DML_OPERATOR_RANDOM_GENERATOR: InputStateTensor.Sizes[0] is 4, must be 6: a state is a counter of four words and "
     "a "
     "key of two"},
};

static void make_state(struct case_tensor *state, uint32_t rank) {
    state->type = DML_TENSOR_DATA_TYPE_UINT32;
    state->rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
        state->sizes[d] = d + 1 == rank ? 6 : 1;
    }
}

/* Counters of which some words carry. */
static void choose_state(struct random *random, struct case_tensor *state) {
    if (random_chance(random, 50)) {
        state->value_count = 6;
        for (uint32_t i = 0; i < 6; i++) {
            state->values[i] = i > 3 || random_chance(random, 30) ? (uint32_t)(random_next(random) >> 32)
                                                                  : UINT32_MAX - random_below(random, 3);
        }
    }
}

static void generate_random(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    struct case_tensor *state = case_tensor(c, "InputStateTensor"), *output = case_tensor(c, "OutputTensor");
    make_state(state, random_between(random, 1, CASE_MAX_RANK));
    generate_input_layout(random, state);
    choose_state(random, state);
    output->type = DML_TENSOR_DATA_TYPE_UINT32;
    output->rank = random_between(random, 1, CASE_MAX_RANK);
    generate_sizes(random, generate_budget(random), output);
    generate_output_layout(random, output);
    if (random_chance(random, 60)) {
        struct case_tensor *next = case_tensor(c, "OutputStateTensor");
        make_state(next, state->rank);
        generate_output_layout(random, next);
    }
    generate_call(random, c);
}

static void make_random(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    (void)argument;
    case_begin(c, DML_OPERATOR_RANDOM_GENERATOR);
    make_state(case_tensor(c, "InputStateTensor"), 1);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 1, (const uint32_t[]){benchmark_size(bytes, type, 1, 4)});
}

static void random_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const uint32_t slot = case_index(c, "OutputTensor");
    const uint64_t count = case_element_count(&c->tensors[slot]);
    const uint32_t *state = (const uint32_t *)(const void *)tensors[0];
    uint32_t *out = (uint32_t *)(void *)tensors[slot];
    for (uint64_t n = 0; n + 4 <= count; n += 4) {
        const uint64_t low = (state[0] | (uint64_t)state[1] << 32) + n / 4;
        uint32_t w0 = (uint32_t)low, w1 = (uint32_t)(low >> 32), w2 = state[2], w3 = state[3];
        uint32_t k0 = state[4], k1 = state[5];
        for (int round = 0; round < 10; round++, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
            const uint64_t a = UINT64_C(0xD2511F53) * w0, b = UINT64_C(0xCD9E8D57) * w2;
            w0 = (uint32_t)(b >> 32) ^ w1 ^ k0;
            w1 = (uint32_t)b;
            w2 = (uint32_t)(a >> 32) ^ w3 ^ k1;
            w3 = (uint32_t)a;
        }
        memcpy(out + n, (const uint32_t[]){w0, w1, w2, w3}, 16);
    }
}

static const struct case_benchmark random_generator_benchmarks[] = {
    {"packed", CASE_TYPE(UINT32), 0, CASE_BENCHMARK_FILL | CASE_BENCHMARK_TYPE_OF_OUTPUT, make_random, random_loop},
};

CASE_FAMILY(random_generator, RANDOM_GENERATOR, .has_frame = true, .generate = generate_random,
            .group = "random_generator", CASE_BENCHMARKS(random_generator_benchmarks));
