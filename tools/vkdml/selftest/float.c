/* What a device makes of floats: a kernel of the program's own, glsl/bench/float_behaviour.comp. */
#include <stdio.h>
#include <string.h>

#include "base/compute.h"
#include "base/json_tree.h"
#include "selftest/selftest.h"

/* Its module. */
extern const uint32_t float_behaviour[];
extern const size_t float_behaviour_bytes;

/* The kernel's. */
enum operation { ADD, MULTIPLY, MULTIPLY_ADD, DIVIDE, SQUARE_ROOT, FROM_FLOAT16, TO_FLOAT16 };

/* A question, and what answers mean. */
struct question {
    const char *name;
    enum operation operation;
    uint32_t a, b, c;
    struct {
        uint32_t bits;
        const char *meaning;
    } answers[3]; /* ends with a NULL meaning */
};

#define KEPT    "kept"
#define FLUSHED "flushed to zero"
#define EVEN    "to nearest even"
#define ZERO    "toward zero"

static const struct question questions[] = {
    {"FLOAT32 denormals, added", ADD, 1, 1, 0, {{2, KEPT}, {0, FLUSHED}}},
    {"FLOAT32 denormals, as sums of normals", ADD, 0x00800001, 0x80800000, 0, {{1, KEPT}, {0, FLUSHED}}},
    {"FLOAT32 denormals, as products", MULTIPLY, 0x00800000, 0x3F000000, 0, {{0x00400000, KEPT}, {0, FLUSHED}}},
    {"FLOAT32 sums halfway, below", ADD, 0x3F800000, 0x33800000, 0, {{0x3F800000, EVEN}, {0x3F800001, "upward"}}},
    {"FLOAT32 sums halfway, above", ADD, 0x3F800001, 0x33800000, 0, {{0x3F800002, EVEN}, {0x3F800001, ZERO}}},
    {"FLOAT32 products, inexact", MULTIPLY, 0x3F800001, 0x3FC00000, 0, {{0x3FC00002, EVEN}, {0x3FC00001, ZERO}}},
    {"FLOAT32 product and sum",
     MULTIPLY_ADD,
     0x3F800800,
     0x3F800800,
     0xBF801000,
     {{0, "two roundings"}, {0x33800000, "fused"}}},
    {"FLOAT32 quotient 1 / 3",
     DIVIDE,
     0x3F800000,
     0x40400000,
     0,
     {{0x3EAAAAAB, "rounded right"}, {0x3EAAAAAA, "a unit in the last place off"}}},
    {"FLOAT32 root of 2",
     SQUARE_ROOT,
     0x40000000,
     0,
     0,
     {{0x3FB504F3, "rounded right"}, {0x3FB504F4, "a unit in the last place off"}}},
    {"FLOAT32 negative zeros, added", ADD, 0x80000000, 0x80000000, 0, {{0x80000000, KEPT}, {0, "made positive"}}},
    {"FLOAT32 infinity less infinity",
     ADD,
     0x7F800000,
     0xFF800000,
     0,
     {{0x7FC00000, "NaN"}, {0xFFC00000, "NaN, negative"}, {0x7FFFFFFF, "NaN, all bits"}}},
    {"FLOAT16 denormals, to FLOAT32", FROM_FLOAT16, 1, 0, 0, {{0x33800000, KEPT}, {0, FLUSHED}}},
    {"FLOAT16 denormals, from FLOAT32", TO_FLOAT16, 0x33800000, 0, 0, {{1, KEPT}, {0, FLUSHED}}},
    {"FLOAT16 from FLOAT32, halfway, below", TO_FLOAT16, 0x3F801000, 0, 0, {{0x3C00, EVEN}, {0x3C01, "upward"}}},
    {"FLOAT16 from FLOAT32, halfway, above", TO_FLOAT16, 0x3F803000, 0, 0, {{0x3C02, EVEN}, {0x3C01, ZERO}}},
    {"FLOAT16 from 65520, beyond its greatest",
     TO_FLOAT16,
     0x477FF000,
     0,
     0,
     {{0x7C00, "infinity"}, {0x7BFF, "its greatest"}}},
};

#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

/* In the buffer: questions of four words, and behind them, at what any device may bind at, the answers. */
#define ANSWERS_OFFSET 4096
_Static_assert(QUESTIONS * 16 <= ANSWERS_OFFSET, "questions lie before their answers");

static bool create_probe(VkDevice device, VkBuffer buffer, struct compute *probe) {
    if (!compute_create_with_set(device, float_behaviour, float_behaviour_bytes, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0,
                                 probe)) {
        return false;
    }
    const VkDescriptorBufferInfo buffers[] = {{buffer, 0, QUESTIONS * 16}, {buffer, ANSWERS_OFFSET, QUESTIONS * 4}};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = probe->set,
                                        .descriptorCount = 2,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = buffers};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL); /* a write goes on at the next binding */
    return true;
}

static bool ask(struct gpu *gpu, const struct compute *probe) {
    for (size_t i = 0; i < QUESTIONS; i++) {
        const uint32_t words[] = {(uint32_t)questions[i].operation, questions[i].a, questions[i].b, questions[i].c};
        memcpy(gpu->mapped + i * sizeof(words), words, sizeof(words));
    }
    memset(gpu->mapped + ANSWERS_OFFSET, 0xA5, QUESTIONS * 4);
    VkCommandBuffer commands = gpu_begin_commands(gpu);
    if (commands == VK_NULL_HANDLE) {
        return false;
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, probe->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, probe->layout, 0, 1, &probe->set, 0, NULL);
    vkCmdDispatch(commands, (uint32_t)QUESTIONS, 1, 1);
    return gpu_submit_and_wait(gpu);
}

static bool add_answer(struct json_object *parent, const struct question *question, uint32_t bits) {
    char text[64];
    snprintf(text, sizeof(text), "otherwise: 0x%08X", bits);
    for (size_t i = 0; i < 3 && question->answers[i].meaning; i++) {
        if (question->answers[i].bits == bits) {
            return json_tree_text(parent, question->name, question->answers[i].meaning);
        }
    }
    return json_tree_text(parent, question->name, text);
}

bool selftest_add_floats(struct json_object *parent, struct gpu *gpu) {
    struct compute probe = {.module = VK_NULL_HANDLE};
    const VkDevice device = gpu->vulkan.device;
    bool good;
    gpu->error = "there is no pipeline to ask with";
    if (gpu_reserve(gpu, 2 * ANSWERS_OFFSET) && create_probe(device, gpu->buffer, &probe) && ask(gpu, &probe)) {
        struct json_object *told = json_tree_object(parent, "floats observed");
        good = told != NULL;
        for (size_t i = 0; i < QUESTIONS && good; i++) {
            uint32_t bits;
            memcpy(&bits, gpu->mapped + ANSWERS_OFFSET + i * 4, sizeof(bits));
            good = add_answer(told, &questions[i], bits);
        }
    } else {
        good = json_tree_text(parent, "floats observed", gpu->error);
    }
    compute_destroy(device, &probe);
    return good;
}
