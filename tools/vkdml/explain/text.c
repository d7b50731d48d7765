#include "explain/explain.h"
#include "text/visible_text.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const variant_names[] = {"default", "portable", "subgroup", "serial"};

const char *explain_variant_name(VkdmlKernelVariant variant) {
    const size_t index = (size_t)variant;
    return index < sizeof(variant_names) / sizeof(variant_names[0]) ? variant_names[index] : "?";
}

static void print_command(const VkdmlStep *step) {
    switch (step->kind) {
    case VKDML_STEP_KIND_COPY:
        printf("vkCmdCopyBuffer, %" PRIu64 " bytes in %" PRIu64 " run%s", step->copiedBytes, step->copiedRuns,
               step->copiedRuns == 1 ? "" : "s");
        break;
    case VKDML_STEP_KIND_FILL:
        printf("vkCmdFillBuffer");
        break;
    default:
        printf("%s/%s, %s module, %u x %u x %u workgroups of %u", step->frame, step->kernel,
               explain_variant_name(step->module), step->groupCounts[0], step->groupCounts[1], step->groupCounts[2],
               step->groupSize);
        break;
    }
}

/* Notes have names of nodes in them. */
static void print_note(const char *indent, const char *note) {
    char visible[1024];
    visible_message(note, visible, sizeof(visible));
    printf("%s%s\n", indent, visible);
}

static void print_buffers(const VkdmlStep *step) {
    for (uint32_t i = 0; i < step->bufferCount; i++) {
        const VkdmlStepBuffer *buffer = &step->buffers[i];
        printf("     %s %s: %" PRIu64 " bytes", buffer->written ? "writes" : "reads ", buffer->name, buffer->size);
        if (buffer->offset) {
            printf(" from byte %" PRIu64 " on", buffer->offset);
        }
        putchar('\n');
    }
}

static void print_values(const VkdmlStep *step) {
    if (step->kind != VKDML_STEP_KIND_DISPATCH) {
        return;
    }
    printf("     constants:");
    for (uint32_t i = 0; i < step->constantCount; i++) {
        if (*step->constants[i].name) {
            printf(" %s=%u", step->constants[i].name, step->constants[i].value);
        }
    }
    printf("\n     parameters:");
    for (uint32_t i = 0; i < step->parameterCount; i++) {
        printf(" %u", step->parameters[i]);
    }
    putchar('\n');
}

static void print_share(const VkdmlStep *step, VkdmlKernelVariant variant) {
    const struct explain_share *share =
        step->kind == VKDML_STEP_KIND_DISPATCH ? explain_share_of(step->kernel, variant) : NULL;
    if (!share) {
        printf("     share of the copy peak: not measured\n");
    } else if (!share->share) {
        printf("     %s\n", share->what);
    } else {
        printf("     share of the %s peak: %s, measured on an %s: %s (%s)\n", share->peak, share->share,
               EXPLAIN_SHARE_DEVICE, share->what, EXPLAIN_SHARE_SOURCE);
    }
}

static void print_step(const VkdmlStep *step, uint32_t number, VkdmlKernelVariant variant, bool values) {
    printf("  %u. %s%s", number, step->initializes ? "once, at initialization: " : "",
           step->barrierBefore ? "after a barrier: " : "");
    print_command(step);
    putchar('\n');
    for (uint32_t i = 0; i < step->noteCount; i++) {
        print_note("     ", step->notes[i]);
    }
    print_buffers(step);
    if (values) {
        print_values(step);
    }
    print_share(step, variant);
}

void explain_print(const struct explained *explained, const struct explain_detail *detail) {
    const VkdmlExplanation *e = explained->explanation;
    printf("\ndispatchable '%s': %s\n", visible_text(explained->name).text, e->operatorName);
    printf("  elements of all inputs %" PRIu64 " bytes, of all outputs %" PRIu64 " bytes\n", e->inputBytes,
           e->outputBytes);
    printf("  temporary resource %" PRIu64 " bytes, persistent resource %" PRIu64 " bytes\n", e->temporaryResourceSize,
           e->persistentResourceSize);
    printf("  compiled in %.2f ms, with the pipelines that it was the first to need\n", explained->compile_ms);
    if (e->inPlaceIsFree) {
        printf("  in place nothing is recorded: the output is the input\n");
    }
    if (e->nodeCount) {
        explain_print_graph(e);
    }
    for (uint32_t i = 0; i < e->noteCount; i++) {
        print_note("  ", e->notes[i]);
    }
    const uint32_t shown = e->stepCount < detail->steps ? e->stepCount : detail->steps;
    for (uint32_t i = 0; i < shown; i++) {
        print_step(&e->steps[i], i + 1, e->kernelVariant, detail->values);
    }
    if (shown < e->stepCount) {
        printf("  and %u more (--steps %u shows all)\n", e->stepCount - shown, e->stepCount);
    }
}
