#include "bench/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"

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
    for (uint32_t i = 0; i < CASE_MAX_TENSORS; i++) {
        free(images->tensors[i]);
    }
}

bool bench_images_upload(struct bench_device *device, const struct operator_case *c, struct bench_images *images) {
    struct random random = {.state = c->seed};
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        const uint64_t size = bench_region_bytes(at.tensor);
        unsigned char *image = malloc(size);
        images->tensors[at.slot] = image;
        if (!image) {
            fprintf(stderr, "vkdml: out of memory\n");
            return false;
        }
        random_bytes(&random, image, size);
        if (at.is_input) {
            case_write_input(at.tensor, &random, image + at.tensor->offset);
            device->tensors[at.slot].filled = false;
        }
        if (!gpu_upload(&device->gpu, &device->tensors[at.slot].buffer, image, size)) {
            return false;
        }
    }
    return true;
}

bool bench_images_reference(const struct operator_case *c, struct bench_images *images) {
    VkdmlHostBinding inputs[CASE_MAX_TENSORS] = {{0}}, outputs[CASE_MAX_TENSORS] = {{0}};
    struct case_desc desc;
    case_build_desc(c, &desc);
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        (at.is_input ? inputs : outputs)[at.binding] =
            (VkdmlHostBinding){images->tensors[at.slot] + at.tensor->offset, case_total_bytes(at.tensor)};
    }
    const VkdmlReferenceInfo info = {.structSize = sizeof info,
                                     .desc = &desc.op,
                                     .featureLevel = c->level,
                                     .flags = c->flags,
                                     .inputCount = case_input_count(c),
                                     .inputs = inputs,
                                     .outputCount = case_output_count(c),
                                     .outputs = outputs};
    return vkdmlReferenceExecute(&info) == VKDML_SUCCESS || bench_refused(c);
}

/* Sums are what was got where that is as near as they promise to be. */
static void accept_sums(const struct operator_case *c, struct case_at output, const struct bench_images *images,
                        const unsigned char *got) {
    const unsigned char *tensors[CASE_MAX_TENSORS] = {0};
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        tensors[at.slot] = images->tensors[at.slot] + at.tensor->offset;
    }
    accuracy_accept(c, output, case_bounds(c->schema->type), tensors, got + output.tensor->offset,
                    images->tensors[output.slot] + output.tensor->offset);
}

bool bench_images_compare(struct bench_device *device, const struct operator_case *c,
                          const struct bench_images *images) {
    char line[CASE_MAX_LINE];
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input) {
            continue;
        }
        const uint64_t size = bench_region_bytes(at.tensor);
        unsigned char *got = malloc(size);
        bool good = got && gpu_download(&device->gpu, &device->tensors[at.slot].buffer, 0, size, got);
        if (good && c->schema->accuracy.kind == VKDML_ACCURACY_SUM) {
            accept_sums(c, at, images, got);
        }
        if (good && memcmp(got, images->tensors[at.slot], size) != 0) {
            fprintf(stderr, "vkdml: wrong result in %s of case '%s'\n", case_tensor_name(c, at).text,
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
