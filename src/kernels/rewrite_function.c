/* Branches on constants. A function is a list of blocks in an order in which what dominates comes first; headers of
 * selections and loops name the block in which these merge, loops also the one that continues them, and nothing leaves
 * them but through these, by returning, or for those of a loop or switch around it. What is written has to keep to
 * that. */
#include "kernels/rewrite.h"

static const uint32_t *terminator_of(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block) {
    return rewrite->words + block->terminator;
}

static const uint32_t *merge_of(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block) {
    return rewrite->words + block->merge;
}

static bool is_loop(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block) {
    return block->merge != 0 && spirv_opcode(merge_of(rewrite, block)) == SPIRV_OP_LOOP_MERGE;
}

/* NULL: of no block. */
static struct vkdml_rewrite_block *block_of(const struct vkdml_rewrite *rewrite, uint32_t label) {
    const uint32_t index = vkdml_rewrite_id(rewrite, label)->value.word;
    const bool found = label != 0 && index < rewrite->block_count && rewrite->blocks[index].label == label;
    return found ? &rewrite->blocks[index] : NULL;
}

static bool is_back_edge(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block, uint32_t label) {
    const struct vkdml_rewrite_block *target = block_of(rewrite, label);
    return target != NULL && target <= block && is_loop(rewrite, target);
}

/* Where a block that branches on a constant goes; 0: it does not, or ends a loop's turn, and a loop must have the
 * branch back even if nothing takes it. */
static uint32_t decided(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block) {
    const uint32_t *branch = terminator_of(rewrite, block);
    const struct vkdml_value value = vkdml_rewrite_id(rewrite, spirv_word(branch, 1))->value;
    if (!value.known) {
        return 0;
    }
    if (spirv_opcode(branch) == SPIRV_OP_BRANCH_CONDITIONAL) {
        const uint32_t yes = spirv_word(branch, 2), no = spirv_word(branch, 3);
        const bool is_back = is_back_edge(rewrite, block, yes) || is_back_edge(rewrite, block, no);
        return is_back ? 0 : value.word != 0 ? yes : no;
    }
    if (spirv_opcode(branch) == SPIRV_OP_SWITCH) {
        for (uint32_t i = 3; i + 1 < spirv_length(branch); i += 2) {
            if (branch[i] == value.word) {
                return branch[i + 1];
            }
        }
        return spirv_word(branch, 2);
    }
    return 0;
}

/* The labels that a block goes to, i from 0; then 0. */
static uint32_t successor(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block, uint32_t i) {
    const uint32_t *branch = terminator_of(rewrite, block);
    const uint32_t only = decided(rewrite, block);
    if (only != 0) {
        return i == 0 ? only : 0;
    }
    switch (spirv_opcode(branch)) {
    case SPIRV_OP_BRANCH:
        return i == 0 ? spirv_word(branch, 1) : 0;
    case SPIRV_OP_BRANCH_CONDITIONAL:
        return spirv_word(branch, 2 + i);
    case SPIRV_OP_SWITCH:
        return spirv_word(branch, 2 + 2 * i);
    default:
        return 0;
    }
}

static bool goes_to(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block, uint32_t label) {
    uint32_t next;
    for (uint32_t i = 0; (next = successor(rewrite, block, i)) != 0; i++) {
        if (next == label) {
            return true;
        }
    }
    return false;
}

/* Whether the i-th operand of a block's OpPhi comes from where something still comes from. */
static bool comes_in(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block, const uint32_t *phi,
                     uint32_t i) {
    const struct vkdml_rewrite_block *parent = block_of(rewrite, phi[i + 1]);
    return parent != NULL && parent->reached && goes_to(rewrite, parent, block->label);
}

/* ---- what is reached ---- */

/* Returns where the function ends; at its OpFunctionEnd, if there is one. */
static size_t list_blocks(struct vkdml_rewrite *rewrite, size_t begin) {
    struct vkdml_rewrite_block *block = NULL;
    size_t at = begin;
    rewrite->block_count = 0;
    while (at < rewrite->count && spirv_opcode(rewrite->words + at) != SPIRV_OP_FUNCTION_END) {
        const uint32_t *instruction = rewrite->words + at;
        const uint32_t opcode = spirv_opcode(instruction);
        if (opcode == SPIRV_OP_LABEL) {
            const uint32_t label = spirv_word(instruction, 1);
            vkdml_rewrite_id(rewrite, label)->value = (struct vkdml_value){.word = rewrite->block_count};
            block = &rewrite->blocks[rewrite->block_count++];
            *block = (struct vkdml_rewrite_block){.label = label, .begin = (uint32_t)at};
        }
        if (block != NULL) {
            block->terminator = (uint32_t)at;
            block->merge =
                opcode == SPIRV_OP_LOOP_MERGE || opcode == SPIRV_OP_SELECTION_MERGE ? (uint32_t)at : block->merge;
        }
        at += spirv_length(instruction);
    }
    return at;
}

static void reach(struct vkdml_rewrite *rewrite) {
    bool again = rewrite->block_count != 0;
    for (uint32_t b = 0; b < rewrite->block_count; b++) {
        rewrite->blocks[b].reached = b == 0;
    }
    while (again) {
        again = false;
        for (uint32_t b = 0; b < rewrite->block_count; b++) {
            uint32_t label;
            for (uint32_t i = 0;
                 rewrite->blocks[b].reached && (label = successor(rewrite, &rewrite->blocks[b], i)) != 0; i++) {
                struct vkdml_rewrite_block *next = block_of(rewrite, label);
                again = again || (next != NULL && !next->reached && next < &rewrite->blocks[b]);
                if (next != NULL) {
                    next->reached = true;
                }
            }
        }
    }
}

/* Short-circuit logic is a phi of a constant and what a branch not taken would have computed. */
static bool fold_phi(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block, const uint32_t *phi,
                     uint32_t *value) {
    bool found = false;
    for (uint32_t i = 3; i + 1 < spirv_length(phi); i += 2) {
        const struct vkdml_value operand = vkdml_rewrite_id(rewrite, phi[i])->value;
        if (!comes_in(rewrite, block, phi, i)) {
            continue;
        }
        if (!operand.known || (found && operand.word != *value)) {
            return false;
        }
        *value = operand.word;
        found = true;
    }
    return found;
}

/* Finds results that are constants; whether there are more than before. The instructions stay as they are. */
static bool fold_results(struct vkdml_rewrite *rewrite) {
    bool more = false;
    for (uint32_t b = 0; b < rewrite->block_count; b++) {
        const struct vkdml_rewrite_block *block = &rewrite->blocks[b];
        const uint32_t *instruction = rewrite->words + block->begin;
        for (; block->reached && instruction < terminator_of(rewrite, block);
             instruction += spirv_length(instruction)) {
            struct vkdml_value *result = &vkdml_rewrite_id(rewrite, spirv_word(instruction, 2))->value;
            struct vkdml_value operands[VKDML_CONSTANT_FOLD_OPERANDS];
            const uint32_t opcode = spirv_opcode(instruction);
            for (uint32_t i = 0; i < VKDML_CONSTANT_FOLD_OPERANDS; i++) {
                operands[i] = vkdml_rewrite_id(rewrite, spirv_word(instruction, 3 + i))->value;
            }
            uint32_t value;
            if (opcode == SPIRV_OP_PHI ? fold_phi(rewrite, block, instruction, &value)
                                       : vkdml_constant_fold(opcode, operands, &value)) {
                more = more || !result->known;
                *result = (struct vkdml_value){value, true};
            }
        }
    }
    return more;
}

/* ---- which merge instructions stay ---- */

/* Whether all that leaves a header's construct for its merge block does so outside of the constructs within: from the
 * blocks that are passed in any case, going from the header to the merge block. */
static bool is_straight(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *header) {
    const uint32_t label = spirv_word(merge_of(rewrite, header), 1);
    const struct vkdml_rewrite_block *merge = block_of(rewrite, label);
    const struct vkdml_rewrite_block *block = header;
    if (merge == NULL || successor(rewrite, header, 1) != 0) {
        return false;
    }
    for (uint32_t steps = 0; steps < rewrite->block_count; steps++) {
        const bool is_header = block != header && block->keeps_merge;
        const bool goes_on = is_header || successor(rewrite, block, 1) == 0;
        const uint32_t next = is_header ? spirv_word(merge_of(rewrite, block), 1) : successor(rewrite, block, 0);
        block = goes_on ? block_of(rewrite, next) : NULL;
        if (block == NULL || !block->reached || block == merge) {
            return merge->edges == (block == merge);
        }
    }
    return false;
}

/* A selection on a constant is none, and a loop that does not come back is none, unless something within a construct
 * within leaves it: that is allowed for loops and switches alone, and stays a switch with but a default, or a loop. */
static bool keeps_merge(const struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *header) {
    if (is_loop(rewrite, header)) {
        const struct vkdml_rewrite_block *target = block_of(rewrite, spirv_word(merge_of(rewrite, header), 2));
        return (target != NULL && target->reached) || !is_straight(rewrite, header);
    }
    return decided(rewrite, header) == 0 ||
           (spirv_opcode(terminator_of(rewrite, header)) == SPIRV_OP_SWITCH && !is_straight(rewrite, header));
}

/* From the last header, so that those within a construct come before its own. */
static void settle_merges(struct vkdml_rewrite *rewrite) {
    for (uint32_t b = 0; b < rewrite->block_count; b++) {
        const struct vkdml_rewrite_block *block = &rewrite->blocks[b];
        uint32_t label;
        for (uint32_t i = 0; block->reached && (label = successor(rewrite, block, i)) != 0; i++) {
            struct vkdml_rewrite_block *next = block_of(rewrite, label);
            if (next != NULL) {
                next->edges++;
            }
        }
    }
    for (uint32_t b = rewrite->block_count; b-- > 0;) {
        struct vkdml_rewrite_block *header = &rewrite->blocks[b];
        if (!header->reached || header->merge == 0 || !keeps_merge(rewrite, header)) {
            continue;
        }
        struct vkdml_rewrite_block *merge = block_of(rewrite, spirv_word(merge_of(rewrite, header), 1));
        struct vkdml_rewrite_block *target = block_of(rewrite, spirv_word(merge_of(rewrite, header), 2));
        header->keeps_merge = true;
        if (merge != NULL) {
            merge->named = true;
        }
        if (is_loop(rewrite, header) && target != NULL && !target->reached) {
            target->named = true;
            target->back_to = header->label;
        }
    }
}

/* ---- writing ---- */

/* Marks all words, as any may be an id; also what is defined: the second operand of instructions in functions is their
 * result, or something else that is defined where they stand, but for labels and merge instructions of selections. */
static void put_used(struct vkdml_rewrite *rewrite, const uint32_t *words, uint32_t count) {
    const uint32_t opcode = spirv_opcode(words), result = opcode == SPIRV_OP_LABEL ? 1 : 2;
    vkdml_rewrite_put(rewrite, words, count);
    for (uint32_t i = 1; i < count; i++) {
        struct vkdml_rewrite_id *id = vkdml_rewrite_id(rewrite, words[i]);
        id->used = true;
        id->written = id->written || (i == result && opcode != SPIRV_OP_SELECTION_MERGE);
    }
}

/* Without the operands that come from where nothing comes from any more. A loop's header keeps a way back. */
static void put_phi(struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block, const uint32_t *phi) {
    const struct vkdml_rewrite_block *target =
        is_loop(rewrite, block) ? block_of(rewrite, spirv_word(merge_of(rewrite, block), 2)) : NULL;
    const size_t begin = rewrite->out_count;
    uint32_t any = 0;
    put_used(rewrite, (const uint32_t[]){phi[0], spirv_word(phi, 1), spirv_word(phi, 2)}, 3);
    for (uint32_t i = 3; i + 1 < spirv_length(phi); i += 2) {
        if (comes_in(rewrite, block, phi, i)) {
            any = phi[i];
            vkdml_rewrite_id(rewrite, any)->used = true;
            vkdml_rewrite_put(rewrite, phi + i, 2);
        }
    }
    if (target != NULL && target->back_to == block->label) {
        vkdml_rewrite_put(rewrite, (const uint32_t[]){any, target->label}, 2);
    }
    if (begin < rewrite->out_count) {
        rewrite->out[begin] = spirv_first(SPIRV_OP_PHI, (uint32_t)(rewrite->out_count - begin));
    }
}

static void put_terminator(struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block) {
    const uint32_t *branch = terminator_of(rewrite, block);
    const uint32_t only = decided(rewrite, block);
    if (only == 0) {
        put_used(rewrite, branch, spirv_length(branch));
    } else if (spirv_opcode(branch) == SPIRV_OP_SWITCH && block->keeps_merge) {
        put_used(rewrite, (const uint32_t[]){spirv_first(SPIRV_OP_SWITCH, 3), spirv_word(branch, 1), only}, 3);
    } else {
        put_used(rewrite, (const uint32_t[]){spirv_first(SPIRV_OP_BRANCH, 2), only}, 2);
    }
}

static void put_block(struct vkdml_rewrite *rewrite, const struct vkdml_rewrite_block *block) {
    const uint32_t *label = rewrite->words + block->begin;
    put_used(rewrite, label, spirv_length(label));
    if (!block->reached) {
        const uint32_t back[] = {spirv_first(SPIRV_OP_BRANCH, 2), block->back_to};
        const uint32_t unreachable[] = {spirv_first(SPIRV_OP_UNREACHABLE, 1)};
        put_used(rewrite, block->back_to != 0 ? back : unreachable, block->back_to != 0 ? 2 : 1);
        return;
    }
    const uint32_t *instruction = label + spirv_length(label);
    for (; instruction < terminator_of(rewrite, block); instruction += spirv_length(instruction)) {
        if (spirv_opcode(instruction) == SPIRV_OP_PHI) {
            put_phi(rewrite, block, instruction);
        } else if (instruction != merge_of(rewrite, block) || block->keeps_merge) {
            put_used(rewrite, instruction, spirv_length(instruction));
        }
        if (spirv_opcode(instruction) == SPIRV_OP_FUNCTION_CALL) {
            vkdml_rewrite_call(rewrite, spirv_word(instruction, 3));
        }
    }
    put_terminator(rewrite, block);
}

void vkdml_rewrite_function(struct vkdml_rewrite *rewrite, size_t begin) {
    const size_t end = list_blocks(rewrite, begin);
    do {
        reach(rewrite);
    } while (fold_results(rewrite));
    settle_merges(rewrite);
    for (size_t at = begin; at < end && spirv_opcode(rewrite->words + at) != SPIRV_OP_LABEL;
         at += spirv_length(rewrite->words + at)) {
        put_used(rewrite, rewrite->words + at, spirv_length(rewrite->words + at));
    }
    for (uint32_t b = 0; b < rewrite->block_count; b++) {
        if (rewrite->blocks[b].reached || rewrite->blocks[b].named) {
            put_block(rewrite, &rewrite->blocks[b]);
        }
    }
    if (end < rewrite->count) {
        put_used(rewrite, rewrite->words + end, spirv_length(rewrite->words + end));
    }
}
