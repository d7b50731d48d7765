/* Where VKDML_TEST_MODULES names a folder, each module that pipelines are made of is written there, once, named by its
 * words: for tools/check/modules.sh. Linked in place of vkdml_specialize() by the tests that compile most. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/specialize.h"

/* The linker lets pipelines call the one here. */
uint32_t *__real_vkdml_specialize(const uint32_t *words, size_t *count,
                                  const struct vkdml_specialization *specialization,
                                  const VkAllocationCallbacks *callbacks);
uint32_t *__wrap_vkdml_specialize(const uint32_t *words, size_t *count,
                                  const struct vkdml_specialization *specialization,
                                  const VkAllocationCallbacks *callbacks);

/* A module that cannot be written would be one that nobody looks at. */
static void write_module(const char *folder, const uint32_t *words, size_t count) {
    char path[1024];
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
    }
    snprintf(path, sizeof(path), "%s/%016" PRIx64 ".spv", folder, hash);
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
        return;
    }
    file = fopen(path, "wb");
    if (file == NULL || fwrite(words, sizeof *words, count, file) != count || fclose(file) != 0) {
        fprintf(stderr, "VKDML_TEST_MODULES: cannot write %s\n", path);
        abort();
    }
}

uint32_t *__wrap_vkdml_specialize(const uint32_t *words, size_t *count,
                                  const struct vkdml_specialization *specialization,
                                  const VkAllocationCallbacks *callbacks) {
    uint32_t *specialized = __real_vkdml_specialize(words, count, specialization, callbacks);
    const char *folder = getenv("VKDML_TEST_MODULES");
    if (specialized != NULL && folder != NULL) {
        write_module(folder, specialized, *count);
    }
    return specialized;
}
