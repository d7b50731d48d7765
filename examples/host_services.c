/* An application's own memory and its own log: vkdml allocates and speaks through what it is given, and nowhere else.
 */
#include "application.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts what is in use. vkdml may call from several threads at once. */
struct memory {
    atomic_llong live;
    atomic_llong calls;
};

/* Before each allocation lies its size. 16: as malloc aligns; Vulkan asks for no more than that here, and larger
 * alignments would need aligned_alloc(). */
enum { HEADER = 16 };

static void *VKAPI_PTR allocate(void *user_data, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    struct memory *memory = user_data;
    (void)scope;
    unsigned char *block = alignment <= HEADER && size <= SIZE_MAX - HEADER ? malloc(size + HEADER) : NULL;
    if (!block) {
        return NULL; /* the call then fails with VKDML_ERROR_OUT_OF_HOST_MEMORY and leaves everything as it was */
    }
    memcpy(block, &size, sizeof size);
    atomic_fetch_add(&memory->live, (long long)size);
    atomic_fetch_add(&memory->calls, 1);
    return block + HEADER;
}

static void VKAPI_PTR release(void *user_data, void *pointer) {
    struct memory *memory = user_data;
    size_t size;
    if (!pointer) {
        return;
    }
    unsigned char *block = (unsigned char *)pointer - HEADER;
    memcpy(&size, block, sizeof size);
    atomic_fetch_sub(&memory->live, (long long)size);
    free(block);
}

static void *VKAPI_PTR reallocate(void *user_data, void *original, size_t size, size_t alignment,
                                  VkSystemAllocationScope scope) {
    size_t old = 0;
    if (size == 0) {
        release(user_data, original);
        return NULL;
    }
    void *moved = allocate(user_data, size, alignment, scope);
    if (moved && original) {
        memcpy(&old, (unsigned char *)original - HEADER, sizeof old);
        memcpy(moved, original, old < size ? old : size);
        release(user_data, original);
    }
    return moved;
}

/* May be called on any thread that calls vkdml; must not call vkdml. */
static void print_message(void *user_data, VkdmlLogLevel level, const char *message) {
    static const char *const levels[] = {"error", "warning", "info"};
    int *errors = user_data;
    *errors += level == VKDML_LOG_LEVEL_ERROR;
    printf("%s: %s\n", levels[level], message);
}

int main(void) {
    struct memory memory = {0};
    int errors = 0;
    const VkAllocationCallbacks callbacks = {
        .pUserData = &memory, .pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = release};
    const VkdmlDeviceOpenInfo info = {.structSize = sizeof info,
                                      .headerVersion = VKDML_HEADER_VERSION,
                                      .allocationCallbacks = &callbacks,
                                      .logCallback = print_message,
                                      .logUserData = &errors};
    struct application app;
    struct tensor three;
    struct tensor four;
    VkdmlOperator op = NULL;
    bool opened = application_open(&app, &info, 256);

    /* A descriptor that breaks a rule: the log has the reason, as vkdmlGetErrorMessage() has. */
    tensor_init(&three, DML_TENSOR_DATA_TYPE_FLOAT32, 1, (const uint32_t[]){3});
    tensor_init(&four, DML_TENSOR_DATA_TYPE_FLOAT32, 1, (const uint32_t[]){4});
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {&three.desc, &four.desc};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ACTIVATION_RELU, &relu};
    bool refused = opened && vkdmlCreateOperator(app.device, &desc, &op) == VKDML_ERROR_INVALID_ARGUMENT;
    vkdmlDestroyOperator(op); /* NULL: ignored */
    application_close(&app);

    printf("%d error; allocated %s, %lld bytes left\n", errors,
           atomic_load(&memory.calls) > 0 ? "through us" : "nothing", (long long)atomic_load(&memory.live));
    return refused && errors == 1 && atomic_load(&memory.live) == 0 ? 0 : 1;
}
