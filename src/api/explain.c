/* An explanation is a plan and its notes, copied into one allocation that the caller reads. */
#include "api/explain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/check.h"
#include "api/error.h"
#include "api/operator.h"
#include "base/memory.h"
#include "base/notes.h"
#include "kernels/kernels.h"
#include "vulkan/device.h"

/* The public struct comes first: the two are cast into each other. */
struct explanation {
    VkdmlExplanation told;
    const VkAllocationCallbacks *callbacks; /* the device's */
};

/* What of each kind an explanation holds: counted first, then taken one after another. */
struct room {
    size_t steps;
    size_t buffers;
    size_t constants;
    size_t notes;
    size_t words;
    size_t names; /* of tensors: inputs, then outputs */
    size_t bytes; /* of text */
};

struct explaining {
    const struct vkdml_subject *subject;
    const struct vkdml_plan *plan;
    const struct vkdml_notes *notes;
    VkdmlKernelVariant variant;
    /* Where the next of each kind goes. */
    VkdmlStep *steps;
    VkdmlStepBuffer *buffers;
    VkdmlStepConstant *constants;
    VkdmlExplainedNode *nodes;
    uint64_t *level_bytes;
    const char **notes_told;
    const char **names;
    uint32_t *words;
    const char *text; /* the notes' */
    char *name_text;
};

static const char *next_note(const char *note) {
    return note + strlen(note) + 1;
}

/* The name of an input, or of an output: the descriptor's field, or an end of the graph. */
static const char *name_at(const struct vkdml_subject *subject, bool output, uint32_t index, char text[48]) {
    if (subject->instance != NULL) {
        return output ? vkdml_output_name(subject->instance, index) : vkdml_input_name(subject->instance, index);
    }
    snprintf(text, 48, output ? "GraphOutputs[%" PRIu32 "]" : "GraphInputs[%" PRIu32 "]", index);
    return text;
}

/* ---- how much there is ---- */

/* Of a step's buffers those that are the same as buffer b, a bit for each: what is absent has another one bound. */
static uint32_t same_as(const struct vkdml_plan_step *step, uint32_t b) {
    const struct vkdml_plan_buffer *buffer = &step->buffers[b];
    uint32_t same = 0;
    for (uint32_t i = 0; i < step->buffer_count && i < VKDML_PLAN_MAX_BUFFERS; i++) {
        const struct vkdml_plan_buffer *other = &step->buffers[i];
        same |= (uint32_t)(other->resource == buffer->resource && other->index == buffer->index &&
                           other->offset == buffer->offset && other->size == buffer->size)
                << i;
    }
    return same;
}

/* A bit for each id. */
static uint32_t constants_of(const struct vkdml_plan_step *step) {
    return step->kind == VKDML_PLAN_DISPATCH ? step->constants_given : 0;
}

static uint32_t count_constants(const struct vkdml_plan_step *step) {
    uint32_t count = 0;
    for (uint32_t given = constants_of(step); given != 0; given &= given - 1) {
        count++;
    }
    return count;
}

static void count_steps(const struct vkdml_plan_steps *steps, struct room *room) {
    room->steps += steps->count;
    for (uint32_t i = 0; i < steps->count; i++) {
        room->buffers += steps->items[i].buffer_count;
        room->constants += count_constants(&steps->items[i]);
        room->words += steps->items[i].parameter_count;
    }
}

static struct room count(const struct explaining *e) {
    struct room room = {.bytes = e->notes->length};
    count_steps(&e->plan->init_steps, &room);
    count_steps(&e->plan->steps, &room);
    for (const char *note = e->notes->text; note && note < e->notes->text + e->notes->length; note = next_note(note)) {
        room.notes += *note != VKDML_NOTE_STEP_BEGINS;
    }
    char text[48];
    room.names = (size_t)e->subject->input_count + e->subject->output_count;
    for (uint32_t i = 0; i < e->subject->input_count; i++) {
        room.bytes += strlen(name_at(e->subject, false, i, text)) + 1;
    }
    for (uint32_t i = 0; i < e->subject->output_count; i++) {
        room.bytes += strlen(name_at(e->subject, true, i, text)) + 1;
    }
    for (uint32_t n = 0; n < e->subject->node_count; n++) {
        room.bytes += strlen(e->subject->nodes[n].name) + 1;
    }
    return room;
}

/* Lays all out in one allocation, the strictest alignment first. NULL where memory is out. */
static struct explanation *allocate(struct explaining *e, const VkAllocationCallbacks *callbacks,
                                    struct vkdml_report *report) {
    _Static_assert(sizeof(struct explanation) % _Alignof(VkdmlStep) == 0 &&
                       sizeof(VkdmlStep) % _Alignof(VkdmlStepBuffer) == 0 &&
                       sizeof(VkdmlStepBuffer) % _Alignof(VkdmlExplainedNode) == 0 &&
                       sizeof(VkdmlExplainedNode) % _Alignof(uint64_t) == 0 &&
                       sizeof(uint64_t) % _Alignof(VkdmlStepConstant) == 0 &&
                       sizeof(VkdmlStepConstant) % _Alignof(const char *) == 0,
                   "the arrays lie behind one another without gaps");
    const struct room room = count(e);
    const size_t bytes = sizeof(struct explanation) + room.steps * sizeof(VkdmlStep) +
                         room.buffers * sizeof(VkdmlStepBuffer) + e->subject->node_count * sizeof(VkdmlExplainedNode) +
                         e->subject->level_count * sizeof(uint64_t) + room.constants * sizeof(VkdmlStepConstant) +
                         (room.notes + room.names) * sizeof(const char *) + room.words * sizeof(uint32_t) + room.bytes;
    struct explanation *explanation = e->notes->is_out_of_memory ? NULL : vkdml_allocate(callbacks, bytes);
    if (!explanation) {
        vkdml_report_out_of_memory(report, bytes, "an explanation");
        return NULL;
    }
    explanation->callbacks = callbacks;
    e->steps = (VkdmlStep *)(explanation + 1);
    e->buffers = (VkdmlStepBuffer *)(e->steps + room.steps);
    e->nodes = (VkdmlExplainedNode *)(e->buffers + room.buffers);
    e->level_bytes = (uint64_t *)(e->nodes + e->subject->node_count);
    e->constants = (VkdmlStepConstant *)(e->level_bytes + e->subject->level_count);
    e->notes_told = (const char **)(e->constants + room.constants);
    e->names = e->notes_told + room.notes;
    e->words = (uint32_t *)(e->names + room.names);
    char *text = (char *)(e->words + room.words);
    if (e->notes->length) {
        memcpy(text, e->notes->text, e->notes->length);
    }
    e->text = text;
    e->name_text = text + e->notes->length;
    return explanation;
}

/* ---- telling it ---- */

static const char *keep_name(struct explaining *e, const char *name) {
    char *kept = e->name_text;
    const size_t size = strlen(name) + 1;
    memcpy(kept, name, size);
    e->name_text += size;
    return kept;
}

static void keep_names(struct explaining *e) {
    const uint32_t inputs = e->subject->input_count;
    char text[48];
    for (uint32_t i = 0; i < inputs; i++) {
        e->names[i] = keep_name(e, name_at(e->subject, false, i, text));
    }
    for (uint32_t i = 0; i < e->subject->output_count; i++) {
        e->names[inputs + i] = keep_name(e, name_at(e->subject, true, i, text));
    }
    for (uint32_t n = 0; n < e->subject->node_count; n++) {
        e->nodes[n] = e->subject->nodes[n];
        e->nodes[n].name = keep_name(e, e->subject->nodes[n].name);
    }
    for (uint32_t l = 0; l < e->subject->level_count; l++) {
        e->level_bytes[l] = e->subject->level_bytes[l];
    }
}

static const char *name_of(const struct explaining *e, const struct vkdml_plan_buffer *buffer) {
    switch (buffer->resource) {
    case VKDML_PLAN_INPUT:
        return e->names[buffer->index];
    case VKDML_PLAN_OUTPUT:
        return e->names[e->subject->input_count + buffer->index];
    case VKDML_PLAN_TEMPORARY:
        return "TemporaryResource";
    default:
        return "PersistentResource";
    }
}

static void tell_buffers(struct explaining *e, const struct vkdml_plan_step *step, VkdmlStep *told) {
    const uint32_t written = vkdml_plan_step_written(step);
    told->buffers = e->buffers;
    for (uint32_t b = 0; b < step->buffer_count; b++) {
        const struct vkdml_plan_buffer *buffer = &step->buffers[b];
        const uint32_t same = same_as(step, b);
        if ((same & ((UINT32_C(1) << b) - 1)) == 0) { /* the first of them */
            *e->buffers++ = (VkdmlStepBuffer){name_of(e, buffer), (same & written) != 0, buffer->offset, buffer->size};
            told->bufferCount++;
        }
    }
}

static void tell_dispatch(struct explaining *e, const struct vkdml_plan_step *step, VkdmlStep *told) {
    const struct vkdml_kernel_info *kernel = vkdml_kernel_info(step->kernel);
    const bool has_own = vkdml_kernel_module(step->kernel, e->variant) != &kernel->portable;
    told->frame = vkdml_kernel_word(kernel->frame);
    told->kernel = kernel->name;
    told->module = has_own ? e->variant : VKDML_KERNEL_VARIANT_PORTABLE;
    memcpy(told->groupCounts, step->groups, sizeof told->groupCounts);
    told->groupSize = step->constants[VKDML_SPECIALIZATION_LOCAL_SIZE];
    told->constantCount = count_constants(step);
    told->constants = e->constants;
    for (uint32_t i = 0; i < VKDML_KERNEL_CONSTANTS; i++) {
        if (constants_of(step) >> i & 1) {
            *e->constants++ = (VkdmlStepConstant){vkdml_kernel_constant(kernel, i), step->constants[i]};
        }
    }
    told->parameterCount = step->parameter_count;
    told->parameters = e->words;
    memcpy(e->words, vkdml_plan_step_parameters(step), step->parameter_count * sizeof *e->words);
    e->words += step->parameter_count;
}

static void tell_copy(const struct vkdml_plan_copy *copy, VkdmlStep *told) {
    told->copiedRuns = 1;
    for (uint32_t d = 0; d < copy->rank; d++) {
        told->copiedRuns *= copy->sizes[d];
    }
    told->copiedBytes = told->copiedRuns * copy->run_bytes;
}

/* The notes from `first` on, of a kind, up to the next step's or of all. */
static uint32_t tell_notes(struct explaining *e, size_t first, char kind) {
    const char *end = e->text + e->notes->length;
    uint32_t told = 0;
    for (const char *note = e->text + first; note < end; note = next_note(note)) {
        if (*note == kind) {
            *e->notes_told++ = note + 1;
            told++;
        } else if (*note == VKDML_NOTE_STEP_BEGINS && kind == VKDML_NOTE_OF_STEP) {
            break;
        }
    }
    return told;
}

static void tell_steps(struct explaining *e, const struct vkdml_plan_steps *steps, bool initializes) {
    static const VkdmlStepKind kinds[] = {[VKDML_PLAN_DISPATCH] = VKDML_STEP_KIND_DISPATCH,
                                          [VKDML_PLAN_COPY] = VKDML_STEP_KIND_COPY,
                                          [VKDML_PLAN_FILL] = VKDML_STEP_KIND_FILL};
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct vkdml_plan_step *step = &steps->items[i];
        VkdmlStep *told = e->steps++;
        told->kind = kinds[step->kind];
        told->initializes = initializes;
        told->barrierBefore = step->barrier_before;
        if (step->kind == VKDML_PLAN_DISPATCH) {
            tell_dispatch(e, step, told);
        } else if (step->kind == VKDML_PLAN_COPY) {
            tell_copy(&step->copy, told);
        }
        tell_buffers(e, step, told);
        told->notes = e->notes_told;
        told->noteCount = tell_notes(e, step->noted, VKDML_NOTE_OF_STEP);
    }
}

static uint64_t bytes_of(const struct vkdml_tensor *tensors, uint32_t count) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += tensors[i].dimension_count == 0
                     ? 0
                     : ((uint64_t)vkdml_tensor_elements(&tensors[i]) * tensors[i].element_bits + 7) / 8;
    }
    return bytes;
}

static void tell(struct explaining *e, VkdmlDevice device, VkdmlExplanation *told) {
    *told = (VkdmlExplanation){
        .operatorName = e->subject->name,
        .kernelVariant = device->variant,
        .variantReason = device->variant_reason,
        .inPlaceIsFree = e->plan->keeps_input,
        .inputBytes = e->subject->input_bytes,
        .outputBytes = e->subject->output_bytes,
        .temporaryResourceSize = e->plan->steps.temporary_bytes,
        .persistentResourceSize = e->plan->persistent_bytes,
        .notes = e->notes_told,
        .stepCount = e->plan->init_steps.count + e->plan->steps.count,
        .steps = e->steps,
        .nodeCount = e->subject->node_count,
        .nodes = e->nodes,
        .levelCount = e->subject->level_count,
        .levelBytes = e->level_bytes,
        .leastTemporaryBytes = e->subject->least_bytes,
    };
    keep_names(e);
    told->noteCount = tell_notes(e, 0, VKDML_NOTE_OF_PLAN);
    tell_steps(e, &e->plan->init_steps, true);
    tell_steps(e, &e->plan->steps, false);
}

VkdmlResult vkdml_explain_plan(VkdmlDevice device, const struct vkdml_subject *subject, const struct vkdml_plan *plan,
                               const struct vkdml_notes *notes, struct vkdml_report *report,
                               const VkdmlExplanation **explanation) {
    struct explaining e = {.subject = subject, .plan = plan, .notes = notes, .variant = device->variant};
    struct explanation *made = allocate(&e, device->callbacks, report);
    if (!made) {
        return VKDML_ERROR_OUT_OF_HOST_MEMORY;
    }
    tell(&e, device, &made->told);
    *explanation = &made->told;
    return VKDML_SUCCESS;
}

static VkdmlResult explain(VkdmlOperator op, const VkdmlCompileInfo *info, struct vkdml_report *report,
                           const VkdmlExplanation **explanation) {
    VkdmlDevice device = op->handle.device;
    struct vkdml_plan plan;
    struct vkdml_notes notes;
    vkdml_plan_begin(&plan, device->callbacks);
    vkdml_notes_begin(&notes, device->callbacks, report);
    VkdmlResult result = vkdml_operator_plan(op, info, report, &plan);
    if (result == VKDML_SUCCESS) {
        const struct vkdml_instance *instance = op->instance;
        const struct vkdml_subject subject = {.name = instance->schema->name,
                                              .instance = instance,
                                              .input_count = instance->input_count,
                                              .output_count = instance->output_count,
                                              .input_bytes = bytes_of(instance->inputs, instance->input_count),
                                              .output_bytes = bytes_of(instance->outputs, instance->output_count)};
        result = vkdml_explain_plan(device, &subject, &plan, &notes, report, explanation);
    }
    vkdml_notes_end(&notes, report);
    vkdml_plan_end(&plan);
    return result;
}

VkdmlResult vkdmlExplainOperator(VkdmlOperator op, const VkdmlCompileInfo *info, const VkdmlExplanation **explanation) {
    struct vkdml_report *report = vkdml_error_begin();
    if (explanation) {
        *explanation = NULL;
    }
    VkdmlResult result = vkdml_check_object_given(op, VKDML_HANDLE_OPERATOR, "op", explanation, "explanation", report);
    if (result == VKDML_SUCCESS) {
        result = explain(op, info, report, explanation);
    }
    return vkdml_end_on_object(report, result, op);
}

void vkdmlDestroyExplanation(const VkdmlExplanation *explanation) {
    if (explanation) {
        struct explanation *made = (struct explanation *)(uintptr_t)explanation;
        vkdml_free(made->callbacks, made);
    }
}
