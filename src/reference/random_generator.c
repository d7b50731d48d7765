/* RANDOM_GENERATOR: Philox 4x32-10 as its authors define it. */
#include "reference/element.h"
#include "reference/reference.h"

struct state {
    uint32_t counter[4], key[2];
};

static void advance(struct state *state, uint32_t count) {
    uint64_t carry = count;
    for (int i = 0; i < 4; i++) {
        carry += state->counter[i];
        state->counter[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void make_block(const struct state *state, uint32_t words[4]) {
    uint32_t c[4] = {state->counter[0], state->counter[1], state->counter[2], state->counter[3]};
    uint32_t k[2] = {state->key[0], state->key[1]};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                                  (uint32_t)a};
        for (int i = 0; i < 4; i++) {
            c[i] = next[i];
        }
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
    for (int i = 0; i < 4; i++) {
        words[i] = c[i];
    }
}

static uint32_t *state_word(struct state *state, uint32_t n) {
    return n < 4 ? &state->counter[n] : &state->key[n - 4];
}

void vkdml_reference_random_generator(const struct vkdml_instance *instance,
                                      const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const struct vkdml_tensor *next = &instance->outputs[1];
    struct state state;
    struct vkdml_coordinate at = {{0}};
    for (uint32_t n = 0; n < 6; n++) {
        at.index[input->dimension_count - 1] = n;
        *state_word(&state, n) = (uint32_t)vkdml_element_read(input, memory->inputs[0], &at);
    }
    struct vkdml_coordinate place = {{0}};
    uint32_t words[4], left = 0;
    do {
        if (left == 0) {
            make_block(&state, words);
            advance(&state, 1);
            left = 4;
        }
        vkdml_element_write(output, memory->outputs[0], &place, words[4 - left--]);
    } while (vkdml_coordinate_next(output, &place));
    for (uint32_t n = 0; n < 6 && next->dimension_count != 0; n++) {
        at.index[next->dimension_count - 1] = n;
        vkdml_element_write(next, memory->outputs[1], &at, *state_word(&state, n));
    }
}
