#include "base/json_tree.h"
#include "explain/explain.h"

static bool add_boolean(struct json_object *parent, const char *name, bool value) {
    return json_tree_add(parent, name, json_object_new_boolean(value));
}

static bool add_texts(struct json_object *parent, const char *name, const char *const *texts, uint32_t count) {
    struct json_object *array = json_tree_array(parent, name);
    bool good = array != NULL;
    for (uint32_t i = 0; i < count && good; i++) {
        good = json_tree_text(array, NULL, texts[i]);
    }
    return good;
}

static bool add_counts(struct json_object *parent, const char *name, const uint32_t *counts, uint32_t count) {
    struct json_object *array = json_tree_array(parent, name);
    bool good = array != NULL;
    for (uint32_t i = 0; i < count && good; i++) {
        good = json_tree_count(array, NULL, counts[i]);
    }
    return good;
}

static bool add_buffers(struct json_object *parent, const VkdmlStep *step) {
    struct json_object *array = json_tree_array(parent, "buffers");
    bool good = array != NULL;
    for (uint32_t i = 0; i < step->bufferCount && good; i++) {
        const VkdmlStepBuffer *buffer = &step->buffers[i];
        struct json_object *object = json_tree_object(array, NULL);
        good = json_tree_text(object, "name", buffer->name) &&
               json_tree_text(object, "access", buffer->written ? "write" : "read") &&
               json_tree_count(object, "offset", buffer->offset) && json_tree_count(object, "size", buffer->size);
    }
    return good;
}

/* Of constants without a name there is nothing to tell. */
static bool add_constants(struct json_object *parent, const VkdmlStep *step) {
    struct json_object *object = json_tree_object(parent, "constants");
    bool good = object != NULL;
    for (uint32_t i = 0; i < step->constantCount && good; i++) {
        const VkdmlStepConstant *constant = &step->constants[i];
        good = !*constant->name || json_tree_count(object, constant->name, constant->value);
    }
    return good;
}

static bool add_share(struct json_object *parent, const struct explain_share *share) {
    struct json_object *object = json_tree_object(parent, "measured");
    return (!share->share ||
            (json_tree_text(object, "share", share->share) && json_tree_text(object, "peak", share->peak))) &&
           json_tree_text(object, "what", share->what) && json_tree_text(object, "device", EXPLAIN_SHARE_DEVICE) &&
           json_tree_text(object, "source", EXPLAIN_SHARE_SOURCE);
}

static bool add_dispatch(struct json_object *object, const VkdmlStep *step, VkdmlKernelVariant variant) {
    const struct explain_share *share = explain_share_of(step->kernel, variant);
    return json_tree_text(object, "frame", step->frame) && json_tree_text(object, "kernel", step->kernel) &&
           json_tree_text(object, "module", explain_variant_name(step->module)) &&
           add_counts(object, "workgroups", step->groupCounts, 3) &&
           json_tree_count(object, "workgroup_size", step->groupSize) && add_constants(object, step) &&
           add_counts(object, "parameters", step->parameters, step->parameterCount) &&
           (!share || add_share(object, share));
}

static bool add_step(struct json_object *array, const VkdmlStep *step, VkdmlKernelVariant variant) {
    static const char *const kinds[] = {"dispatch", "copy", "fill"};
    struct json_object *object = json_tree_object(array, NULL);
    bool good = json_tree_text(object, "kind", kinds[step->kind]) &&
                add_boolean(object, "initializes", step->initializes != 0) &&
                add_boolean(object, "barrier_before", step->barrierBefore != 0);
    if (step->kind == VKDML_STEP_KIND_DISPATCH) {
        good = good && add_dispatch(object, step, variant);
    } else if (step->kind == VKDML_STEP_KIND_COPY) {
        good = good && json_tree_count(object, "runs", step->copiedRuns) &&
               json_tree_count(object, "bytes", step->copiedBytes);
    }
    return good && add_buffers(object, step) && add_texts(object, "notes", step->notes, step->noteCount);
}

bool explain_to_json(struct json_object *array, const struct explained *explained) {
    const VkdmlExplanation *e = explained->explanation;
    struct json_object *object = json_tree_object(array, NULL);
    bool good =
        json_tree_text(object, "name", explained->name) && json_tree_text(object, "operator", e->operatorName) &&
        json_tree_count(object, "input_bytes", e->inputBytes) &&
        json_tree_count(object, "output_bytes", e->outputBytes) &&
        json_tree_count(object, "temporary_resource", e->temporaryResourceSize) &&
        json_tree_count(object, "persistent_resource", e->persistentResourceSize) &&
        add_boolean(object, "in_place_is_free", e->inPlaceIsFree != 0) &&
        json_tree_number(object, "compile_ms", explained->compile_ms) &&
        add_texts(object, "notes", e->notes, e->noteCount) && (!e->nodeCount || explain_graph_to_json(object, e));
    struct json_object *steps = good ? json_tree_array(object, "steps") : NULL;
    good = steps != NULL;
    for (uint32_t i = 0; i < e->stepCount && good; i++) {
        good = add_step(steps, &e->steps[i], e->kernelVariant);
    }
    return good;
}
