#include "cases/run_case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/image.h"
#include "cases/random.h"

/* One run of a case; all of it is given back by finish(). */
struct run {
    struct runner *runner;
    struct gpu *gpu;
    const struct operator_case *c;
    VkdmlDevice device;
    VkdmlDispatchable compiled, initializer;
    VkdmlBindingTable table, initializer_table;
    VkdmlBindingProperties properties;
    struct image_layout layout;
    enum case_status status;
    char *text;
    size_t text_size;
};

static bool fail(struct run *run, enum case_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->text, run->text_size, format, arguments);
    va_end(arguments);
    run->status = status;
    return false;
}

/* A vkdml call failed. */
static bool fail_call(struct run *run, const char *call, VkdmlResult result) {
    enum case_status status = result == VKDML_ERROR_LIMIT_EXCEEDED || result == VKDML_ERROR_FEATURE_NOT_PRESENT
                                  ? CASE_SKIPPED
                              : result == VKDML_ERROR_DEVICE_LOST || result == VKDML_ERROR_OUT_OF_HOST_MEMORY ||
                                      result == VKDML_ERROR_OUT_OF_DEVICE_MEMORY
                                  ? CASE_STOPPED
                                  : CASE_FAILED;
    return fail(run, status, "%s: %s: %s", call, vkdmlResultToString(result), vkdmlGetErrorMessage());
}

static bool fail_gpu(struct run *run) {
    return fail(run, CASE_STOPPED, "%s", run->gpu->error != NULL ? run->gpu->error : "Vulkan failed");
}

static bool compile(struct run *run) {
    struct case_desc desc;
    VkdmlOperator op = NULL;
    VkdmlCompileInfo info = {
        .structSize = sizeof info, .executionFlags = (DML_EXECUTION_FLAGS)run->c->execution, .flags = run->c->flags};
    run->device = gpu_device_at(run->gpu, run->c->level);
    if (run->device == NULL) {
        return fail_gpu(run);
    }
    case_build_desc(run->c, &desc);
    VkdmlResult result = vkdmlCreateOperator(run->device, &desc.op, &op);
    memset(&desc, 0xcd, sizeof(desc)); /* the operator must have copied all of it */
    if (result != VKDML_SUCCESS) {
        return fail_call(run, "vkdmlCreateOperator", result);
    }
    result = vkdmlCompileOperator(op, &info, &run->compiled);
    vkdmlDestroyOperator(op); /* dispatchables live on */
    if (result != VKDML_SUCCESS) {
        return fail_call(run, "vkdmlCompileOperator", result);
    }
    result = vkdmlGetBindingProperties(run->compiled, &run->properties);
    if (result != VKDML_SUCCESS) {
        return fail_call(run, "vkdmlGetBindingProperties", result);
    }
    const uint32_t inputs = case_input_count(run->c), outputs = case_output_count(run->c);
    if (run->properties.inputCount != inputs || run->properties.outputCount != outputs) {
        return fail(run, CASE_FAILED, "binding properties: %u inputs, %u outputs, the operator has %u and %u",
                    run->properties.inputCount, run->properties.outputCount, inputs, outputs);
    }
    return true;
}

static bool grow(struct runner *runner, size_t size) {
    if (size <= runner->capacity) {
        return true;
    }
    runner_free(runner);
    /* aligned_alloc() takes multiples of the alignment; a page satisfies every tensor's GuaranteedBaseOffsetAlignment.
     */
    runner->capacity = (size + 4095) / 4096 * 4096;
    runner->initial = aligned_alloc(4096, runner->capacity);
    runner->expected = aligned_alloc(4096, runner->capacity);
    runner->scratch = aligned_alloc(4096, runner->capacity);
    if (runner->initial == NULL || runner->expected == NULL || runner->scratch == NULL) {
        runner_free(runner);
        return false;
    }
    return true;
}

void runner_free(struct runner *runner) {
    free(runner->initial);
    free(runner->expected);
    free(runner->scratch);
    runner->initial = runner->expected = runner->scratch = NULL;
    runner->capacity = 0;
}

static bool prepare(struct run *run) {
    image_place(run->c, run->properties.temporaryResourceSize, run->properties.persistentResourceSize, &run->layout);
    if (!grow(run->runner, run->layout.size)) {
        return fail(run, CASE_STOPPED, "out of host memory for %zu bytes", run->layout.size);
    }
    if (!gpu_reserve(run->gpu, run->layout.size)) {
        return fail_gpu(run);
    }
    image_write(run->c, &run->layout, run->runner->initial);
    memcpy(run->gpu->mapped, run->runner->initial, run->layout.size);
    memcpy(run->runner->expected, run->runner->initial, run->layout.size);
    return true;
}

/* Executes the reference with its inputs in one image and its outputs in another, or in the same. */
static bool execute_reference(struct run *run, unsigned char *from, unsigned char *to) {
    VkdmlHostBinding inputs[CASE_MAX_TENSORS] = {{0}}, outputs[CASE_MAX_TENSORS] = {{0}};
    struct case_desc desc;
    case_build_desc(run->c, &desc);
    for (struct case_at at = case_first(run->c); at.tensor != NULL; at = case_next(run->c, at)) {
        const struct image_region *region = &run->layout.tensors[at.slot];
        unsigned char *image = at.is_input ? from : to;
        (at.is_input ? inputs : outputs)[at.binding] = (VkdmlHostBinding){image + region->offset, region->size};
    }
    VkdmlReferenceInfo info = {.structSize = sizeof info,
                               .desc = &desc.op,
                               .featureLevel = run->c->level,
                               .flags = run->c->flags,
                               .inputCount = case_input_count(run->c),
                               .inputs = inputs,
                               .outputCount = case_output_count(run->c),
                               .outputs = outputs};
    VkdmlResult result = vkdmlReferenceExecute(&info);
    return result == VKDML_SUCCESS || fail_call(run, "vkdmlReferenceExecute", result);
}

/* The reference wrote elements only, and what the case has typed in. */
static bool check_reference(struct run *run) {
    struct runner *runner = run->runner;
    char where[512];
    memcpy(runner->scratch, run->gpu->mapped, run->layout.size); /* still as uploaded */
    if (image_difference(run->c, &run->layout, runner->initial, runner->scratch, where, sizeof(where))) {
        return fail(run, CASE_FAILED, "the reference wrote to an input: %s", where);
    }
    image_copy_outputs(run->c, &run->layout, runner->expected, runner->scratch);
    if (image_difference(run->c, &run->layout, runner->expected, runner->scratch, where, sizeof(where))) {
        return fail(run, CASE_FAILED, "the reference wrote what is no element: %s", where);
    }
    memcpy(runner->scratch, runner->initial, run->layout.size);
    if (image_write_typed(run->c, &run->layout, runner->scratch) &&
        image_difference(run->c, &run->layout, runner->expected, runner->scratch, where, sizeof(where))) {
        return fail(run, CASE_FAILED, "the reference differs from the data typed in: %s", where);
    }
    return true;
}

static bool has_outputs_in_place(const struct operator_case *c) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (!at.is_input && at.tensor->in_place != 0) {
            return true;
        }
    }
    return false;
}

/* The reference makes the same of its inputs where outputs lie in their place. */
static bool check_reference_in_place(struct run *run) {
    struct runner *runner = run->runner;
    char where[512];
    if (!has_outputs_in_place(run->c)) {
        return true;
    }
    memcpy(runner->scratch, runner->initial, run->layout.size);
    if (!execute_reference(run, runner->scratch, runner->scratch)) {
        return false;
    }
    if (image_difference(run->c, &run->layout, runner->expected, runner->scratch, where, sizeof(where))) {
        return fail(run, CASE_FAILED, "the reference in place differs from itself: %s", where);
    }
    return true;
}

static VkdmlBufferBinding region_binding(const struct run *run, const struct image_region *region) {
    if (region->size == 0) {
        return (VkdmlBufferBinding){.buffer = VK_NULL_HANDLE};
    }
    return (VkdmlBufferBinding){.buffer = run->gpu->buffer, .offset = region->offset, .size = region->bound};
}

static bool record(struct run *run, VkdmlDispatchable dispatchable, VkdmlBindingTable table) {
    VkCommandBuffer commands = gpu_begin_commands(run->gpu);
    if (commands == VK_NULL_HANDLE) {
        return fail_gpu(run);
    }
    VkdmlResult result = vkdmlRecordDispatch(run->device, commands, dispatchable, table);
    if (result != VKDML_SUCCESS) {
        vkEndCommandBuffer(commands);
        return fail_call(run, "vkdmlRecordDispatch", result);
    }
    return gpu_submit_and_wait(run->gpu) || fail_gpu(run);
}

static bool has_owned_inputs(const struct operator_case *c) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.tensor->owned) {
            return true;
        }
    }
    return false;
}

/* The inputs of a dispatch: of the initializer those owned by DML, of the operator the others. */
static void input_bindings(const struct run *run, bool owned, VkdmlBufferBinding *bindings) {
    for (struct case_at at = case_first(run->c); at.tensor != NULL; at = case_next(run->c, at)) {
        if (at.is_input && (at.tensor->owned != 0) == owned) {
            bindings[at.binding] = region_binding(run, &run->layout.tensors[at.slot]);
        }
    }
}

/* Once initialized, an operator needs its owned inputs no more: other bytes must do as well. */
static void overwrite_owned_inputs(struct run *run) {
    struct random random = {.state = random_mix(run->c->seed, 0)};
    for (struct case_at at = case_first(run->c); at.tensor != NULL; at = case_next(run->c, at)) {
        const struct image_region *region = &run->layout.tensors[at.slot];
        if (at.tensor->owned) {
            random_bytes(&random, run->runner->expected + region->offset, region->size);
            memcpy(run->gpu->mapped + region->offset, run->runner->expected + region->offset, region->size);
        }
    }
}

static bool is_initialized(const struct run *run) {
    return run->properties.persistentResourceSize != 0 || has_owned_inputs(run->c);
}

static bool record_initializer(struct run *run) {
    if (!is_initialized(run)) {
        return true;
    }
    if (!record(run, run->initializer, run->initializer_table)) {
        return false;
    }
    /* From here on the persistent resource is an input. */
    memcpy(run->runner->expected + run->layout.persistent.offset, run->gpu->mapped + run->layout.persistent.offset,
           run->layout.persistent.size);
    overwrite_owned_inputs(run);
    return true;
}

static bool initialize(struct run *run) {
    if (!is_initialized(run)) {
        return true;
    }
    VkdmlResult result = vkdmlCreateOperatorInitializer(run->device, 1, &run->compiled, &run->initializer);
    if (result != VKDML_SUCCESS) {
        return fail_call(run, "vkdmlCreateOperatorInitializer", result);
    }
    VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = run->initializer};
    VkdmlBufferBinding inputs[CASE_MAX_TENSORS] = {{0}};
    input_bindings(run, true, inputs);
    VkdmlBufferBinding persistent = region_binding(run, &run->layout.persistent);
    result = vkdmlCreateBindingTable(run->device, &info, &run->initializer_table);
    if (result == VKDML_SUCCESS) {
        result = vkdmlBindInputs(run->initializer_table, case_input_count(run->c), inputs);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdmlBindOutputs(run->initializer_table, 1, &persistent);
    }
    if (result != VKDML_SUCCESS) {
        return fail_call(run, "binding the initializer", result);
    }
    return record_initializer(run);
}

static bool execute(struct run *run) {
    VkdmlBufferBinding inputs[CASE_MAX_TENSORS] = {{0}}, outputs[CASE_MAX_TENSORS] = {{0}};
    VkdmlBufferBinding temporary = region_binding(run, &run->layout.temporary);
    VkdmlBufferBinding persistent = region_binding(run, &run->layout.persistent);
    input_bindings(run, false, inputs);
    for (struct case_at at = case_first(run->c); at.tensor != NULL; at = case_next(run->c, at)) {
        if (!at.is_input) {
            outputs[at.binding] = region_binding(run, &run->layout.tensors[at.slot]);
        }
    }
    VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = run->compiled};
    VkdmlResult result = vkdmlCreateBindingTable(run->device, &info, &run->table);
    if (result == VKDML_SUCCESS) {
        result = vkdmlBindInputs(run->table, case_input_count(run->c), inputs);
    }
    if (result == VKDML_SUCCESS) {
        result = vkdmlBindOutputs(run->table, case_output_count(run->c), outputs);
    }
    if (result == VKDML_SUCCESS && run->layout.temporary.size != 0) {
        result = vkdmlBindTemporaryResource(run->table, &temporary);
    }
    if (result == VKDML_SUCCESS && run->layout.persistent.size != 0) {
        result = vkdmlBindPersistentResource(run->table, &persistent);
    }
    if (result != VKDML_SUCCESS) {
        return fail_call(run, "binding", result);
    }
    return record(run, run->compiled, run->table);
}

static void show(const struct run *run) {
    const unsigned char *tensors[CASE_MAX_TENSORS];
    struct case_at output = case_first(run->c);
    while (output.is_input) {
        output = case_next(run->c, output);
    }
    for (uint32_t i = 0; i < CASE_MAX_TENSORS; i++) {
        tensors[i] = run->runner->initial + run->layout.tensors[i].offset;
    }
    run->runner->observe(run->c, tensors,
                         (const unsigned char *)run->gpu->mapped + run->layout.tensors[output.slot].offset);
}

static bool compare(struct run *run) {
    char where[512];
    if (run->runner->observe != NULL) {
        show(run);
    }
    /* The temporary resource may hold anything; its guards may not. */
    memcpy(run->runner->expected + run->layout.temporary.offset, run->gpu->mapped + run->layout.temporary.offset,
           run->layout.temporary.size);
    const VkdmlOperatorSchema *schema = run->c->schema;
    if (schema->accuracy.kind == VKDML_ACCURACY_SUM && run->runner->bounds != NULL) {
        image_accept(run->c, &run->layout, run->runner->bounds(schema->type), run->runner->initial, run->gpu->mapped,
                     run->runner->expected);
    }
    if (image_difference(run->c, &run->layout, run->gpu->mapped, run->runner->expected, where, sizeof(where))) {
        return fail(run, CASE_FAILED, "the GPU differs from the reference: %s", where);
    }
    return true;
}

/* All memory as it is before the first run. */
static bool keep_for_repeats(struct run *run) {
    if (run->runner->repeats != 0) {
        memcpy(run->runner->scratch, run->gpu->mapped, run->layout.size);
    }
    return true;
}

/* Runs it again and again on what `scratch` holds, the temporary resource full of other bytes each time. */
static bool repeat(struct run *run) {
    struct runner *runner = run->runner;
    const struct image_region *temporary = &run->layout.temporary;
    struct random random = {.state = random_mix(run->c->seed, 1)};
    char where[512];
    if (runner->repeats != 0) {
        memcpy(runner->expected, run->gpu->mapped, run->layout.size);
    }
    for (uint64_t i = 0; i < runner->repeats; i++) {
        random_bytes(&random, runner->scratch + temporary->offset, temporary->size);
        memcpy(run->gpu->mapped, runner->scratch, run->layout.size);
        if (!record(run, run->compiled, run->table)) {
            return false;
        }
        memcpy(runner->expected + temporary->offset, run->gpu->mapped + temporary->offset, temporary->size);
        if (image_difference(run->c, &run->layout, run->gpu->mapped, runner->expected, where, sizeof(where))) {
            return fail(run, CASE_FAILED, "run %" PRIu64 " differs from the first: %s", i + 2, where);
        }
    }
    return true;
}

/* Runs it again, its initializer too, on memory that held the other bits. What the reference leaves must stay. */
static bool poison(struct run *run) {
    struct runner *runner = run->runner;
    const struct image_region *temporary = &run->layout.temporary;
    char where[512];
    if (!runner->poisons) {
        return true;
    }
    memcpy(runner->scratch, run->gpu->mapped, run->layout.size);
    memcpy(runner->expected, runner->initial, run->layout.size);
    image_turn_over(run->c, &run->layout, runner->expected);
    memcpy(run->gpu->mapped, runner->expected, run->layout.size);
    if (!execute_reference(run, runner->initial, runner->expected)) {
        return false;
    }
    image_expect_same(run->c, &run->layout, runner->initial, runner->scratch, run->gpu->mapped, runner->expected);
    if (!record_initializer(run) || !record(run, run->compiled, run->table)) {
        return false;
    }
    memcpy(runner->expected + temporary->offset, run->gpu->mapped + temporary->offset, temporary->size);
    if (image_difference(run->c, &run->layout, run->gpu->mapped, runner->expected, where, sizeof(where))) {
        return fail(run, CASE_FAILED, "it differs where memory held other bits before: %s", where);
    }
    return true;
}

enum case_status run_case(struct runner *runner, const struct operator_case *c, char *text, size_t text_size) {
    struct run run = {.runner = runner, .gpu = runner->gpu, .c = c, .text = text, .text_size = text_size};
    gpu_clear_messages(run.gpu);
    bool ran = compile(&run) && prepare(&run) && execute_reference(&run, runner->initial, runner->expected) &&
               check_reference(&run) && check_reference_in_place(&run) && initialize(&run) && keep_for_repeats(&run) &&
               execute(&run) && compare(&run) && repeat(&run) && poison(&run);
    vkdmlDestroyBindingTable(run.table);
    vkdmlDestroyBindingTable(run.initializer_table);
    vkdmlDestroyDispatchable(run.initializer);
    vkdmlDestroyDispatchable(run.compiled);
    if (ran && run.gpu->message_count != 0) {
        fail(&run, CASE_FAILED, "%u validation messages:\n%s", run.gpu->message_count, run.gpu->messages);
    }
    return run.status;
}
