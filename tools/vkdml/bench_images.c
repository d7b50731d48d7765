#include "bench_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/case_data.h"

bool bench_refused(const struct operator_case *c) {
    char line[CASE_MAX_LINE];
    fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
    if (case_print(c, line, sizeof(line))) {
        fprintf(stderr, "vkdml: in case '%s'\n", line);
    }
    return false;
}

uint64_t bench_region_bytes(const struct case_tensor *tensor) {
    const uint64_t bytes = tensor->offset + case_total_bytes(tensor) + tensor->extra;
    return (bytes + CASE_OFFSET_PERIOD - 1) / CASE_OFFSET_PERIOD * CASE_OFFSET_PERIOD;
}

void bench_images_free(struct bench_images *images) {
    for (uint32_t i = 0; i < CASE_MAX_FIELDS; i++) {
        free(images->fields[i]);
    }
}

bool bench_images_upload(struct bench_device *device, const struct operator_case *c, struct bench_images *images) {
    struct random random = {.state = c->seed};
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const struct case_tensor *tensor = &c->fields[i].tensor;
        if (!case_is_tensor(c, i) || !c->fields[i].present) {
            continue;
        }
        images->fields[i] = malloc(bench_region_bytes(tensor));
        if (!images->fields[i]) {
            fprintf(stderr, "vkdml: out of memory\n");
            return false;
        }
        random_bytes(&random, images->fields[i], bench_region_bytes(tensor));
        if (case_is_input(c, i)) {
            case_write_input(tensor, &random, images->fields[i] + tensor->offset);
            device->fields[i].filled = false;
        }
        if (!gpu_upload(&device->gpu, &device->fields[i].buffer, images->fields[i], bench_region_bytes(tensor))) {
            return false;
        }
    }
    return true;
}

bool bench_images_reference(const struct operator_case *c, struct bench_images *images) {
    VkdmlHostBinding inputs[CASE_MAX_FIELDS] = {{0}}, outputs[CASE_MAX_FIELDS] = {{0}};
    struct case_desc desc;
    case_build_desc(c, &desc);
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const struct case_tensor *tensor = &c->fields[i].tensor;
        if (images->fields[i]) {
            VkdmlHostBinding *binding = (case_is_input(c, i) ? inputs : outputs) + c->schema->fields[i].bindingIndex;
            *binding = (VkdmlHostBinding){images->fields[i] + tensor->offset, case_total_bytes(tensor)};
        }
    }
    const VkdmlReferenceInfo info = {.desc = &desc.op,
                                     .featureLevel = c->level,
                                     .flags = c->flags,
                                     .inputCount = c->schema->inputCount,
                                     .inputs = inputs,
                                     .outputCount = c->schema->outputCount,
                                     .outputs = outputs};
    return vkdmlReferenceExecute(&info) == VKDML_SUCCESS || bench_refused(c);
}

bool bench_images_compare(struct bench_device *device, const struct operator_case *c,
                          const struct bench_images *images) {
    char line[CASE_MAX_LINE];
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (!images->fields[i] || case_is_input(c, i)) {
            continue;
        }
        const uint64_t size = bench_region_bytes(&c->fields[i].tensor);
        unsigned char *got = malloc(size);
        bool good = got && gpu_download(&device->gpu, &device->fields[i].buffer, 0, size, got);
        if (good && memcmp(got, images->fields[i], size) != 0) {
            fprintf(stderr, "vkdml: wrong result in %s of case '%s'\n", c->schema->fields[i].name,
                    case_print(c, line, sizeof(line)) ? line : "?");
            good = false;
        }
        free(got);
        if (!good) {
            return false;
        }
    }
    return true;
}
