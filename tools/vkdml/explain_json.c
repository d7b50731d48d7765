#include "explain.h"

/* An object under construction. Once memory was out it stays NULL, and nothing more is added. */
static void add(struct json_object **object, const char *name, struct json_object *value) {
    if (!*object || !value || json_object_object_add(*object, name, value) != 0) {
        json_object_put(value);
        json_object_put(*object);
        *object = NULL;
    }
}

static void append(struct json_object **array, struct json_object *value) {
    if (!*array || !value || json_object_array_add(*array, value) != 0) {
        json_object_put(value);
        json_object_put(*array);
        *array = NULL;
    }
}

static struct json_object *texts_to_json(const char *const *texts, uint32_t count) {
    struct json_object *array = json_object_new_array();
    for (uint32_t i = 0; i < count && array; i++) {
        append(&array, json_object_new_string(texts[i]));
    }
    return array;
}

static struct json_object *numbers_to_json(const uint32_t *numbers, uint32_t count) {
    struct json_object *array = json_object_new_array();
    for (uint32_t i = 0; i < count && array; i++) {
        append(&array, json_object_new_int64(numbers[i]));
    }
    return array;
}

static struct json_object *buffers_to_json(const VkdmlStep *step) {
    struct json_object *array = json_object_new_array();
    for (uint32_t i = 0; i < step->bufferCount && array; i++) {
        const VkdmlStepBuffer *buffer = &step->buffers[i];
        struct json_object *object = json_object_new_object();
        add(&object, "name", json_object_new_string(buffer->name));
        add(&object, "access", json_object_new_string(buffer->written ? "write" : "read"));
        add(&object, "offset", json_object_new_uint64(buffer->offset));
        add(&object, "size", json_object_new_uint64(buffer->size));
        append(&array, object);
    }
    return array;
}

/* Of constants without a name there is nothing to tell. */
static struct json_object *constants_to_json(const VkdmlStep *step) {
    struct json_object *object = json_object_new_object();
    for (uint32_t i = 0; i < step->constantCount && object; i++) {
        if (*step->constants[i].name) {
            add(&object, step->constants[i].name, json_object_new_int64(step->constants[i].value));
        }
    }
    return object;
}

static struct json_object *share_to_json(const struct explain_share *share) {
    struct json_object *object = json_object_new_object();
    if (share->share) {
        add(&object, "share", json_object_new_string(share->share));
        add(&object, "peak", json_object_new_string(share->peak));
    }
    add(&object, "what", json_object_new_string(share->what));
    add(&object, "device", json_object_new_string(EXPLAIN_SHARE_DEVICE));
    add(&object, "source", json_object_new_string(EXPLAIN_SHARE_SOURCE));
    return object;
}

static void add_dispatch(struct json_object **object, const VkdmlStep *step, VkdmlKernelVariant variant) {
    const struct explain_share *share = explain_share_of(step->kernel, variant);
    add(object, "frame", json_object_new_string(step->frame));
    add(object, "kernel", json_object_new_string(step->kernel));
    add(object, "module", json_object_new_string(explain_variant_name(step->module)));
    add(object, "workgroups", numbers_to_json(step->groupCounts, 3));
    add(object, "workgroup_size", json_object_new_int64(step->groupSize));
    add(object, "constants", constants_to_json(step));
    add(object, "parameters", numbers_to_json(step->parameters, step->parameterCount));
    if (share) {
        add(object, "measured", share_to_json(share));
    }
}

static struct json_object *step_to_json(const VkdmlStep *step, VkdmlKernelVariant variant) {
    static const char *const kinds[] = {"dispatch", "copy", "fill"};
    struct json_object *object = json_object_new_object();
    add(&object, "kind", json_object_new_string(kinds[step->kind]));
    add(&object, "initializes", json_object_new_boolean(step->initializes != 0));
    add(&object, "barrier_before", json_object_new_boolean(step->barrierBefore != 0));
    if (step->kind == VKDML_STEP_KIND_DISPATCH) {
        add_dispatch(&object, step, variant);
    } else if (step->kind == VKDML_STEP_KIND_COPY) {
        add(&object, "runs", json_object_new_uint64(step->copiedRuns));
        add(&object, "bytes", json_object_new_uint64(step->copiedBytes));
    }
    add(&object, "buffers", buffers_to_json(step));
    add(&object, "notes", texts_to_json(step->notes, step->noteCount));
    return object;
}

struct json_object *explain_to_json(const struct explained *explained) {
    const VkdmlExplanation *e = explained->explanation;
    struct json_object *object = json_object_new_object();
    struct json_object *steps = json_object_new_array();
    add(&object, "name", json_object_new_string(explained->name));
    add(&object, "operator", json_object_new_string(e->operatorName));
    add(&object, "input_bytes", json_object_new_uint64(e->inputBytes));
    add(&object, "output_bytes", json_object_new_uint64(e->outputBytes));
    add(&object, "temporary_resource", json_object_new_uint64(e->temporaryResourceSize));
    add(&object, "persistent_resource", json_object_new_uint64(e->persistentResourceSize));
    add(&object, "in_place_is_free", json_object_new_boolean(e->inPlaceIsFree != 0));
    add(&object, "compile_ms", json_object_new_double(explained->compile_ms));
    add(&object, "notes", texts_to_json(e->notes, e->noteCount));
    for (uint32_t i = 0; i < e->stepCount && steps; i++) {
        append(&steps, step_to_json(&e->steps[i], e->kernelVariant));
    }
    add(&object, "steps", steps);
    return object;
}
