/*
 * Keeps what the driver compiled in a file, so that the next run of the program need not: pipeline_cache [FILE]. A file
 * of another driver, or a damaged one, does no harm: it is ignored.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, mkstemp */

#include "application.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* The file's bytes, malloc'ed; NULL where it is not there or cannot be read. */
static void *read_cache(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    long length = -1;
    void *data = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
        data = malloc((size_t)length);
        if (data && fread(data, 1, (size_t)length, file) != (size_t)length) {
            free(data);
            data = NULL;
        }
    }
    if (file) {
        fclose(file);
    }
    *size = data ? (size_t)length : 0;
    return data;
}

/* Writes a new file of its own name, which replaces the old one in one step: a program that reads meanwhile, or writes
 * too, has a whole one. */
static bool write_cache(VkdmlDevice device, const char *path) {
    size_t size = 0;
    char beside[4096];
    if (snprintf(beside, sizeof beside, "%s.XXXXXX", path) >= (int)sizeof beside) {
        fprintf(stderr, "%s: too long a name\n", path);
        return false;
    }
    if (!succeeded(vkdmlGetPipelineCacheData(device, &size, NULL))) {
        return false;
    }
    void *data = malloc(size);
    if (!data || !succeeded(vkdmlGetPipelineCacheData(device, &size, data))) {
        free(data);
        return false;
    }
    const int descriptor = mkstemp(beside);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    bool written = file && fwrite(data, 1, size, file) == size;
    written = file && fclose(file) == 0 && written && rename(beside, path) == 0;
    if (!written) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        if (descriptor >= 0) {
            unlink(beside);
        }
    }
    free(data);
    return written;
}

/* Compiles a few operators, as a program does that loads a model. */
static bool load_model(VkdmlDevice device) {
    struct tensor t;
    tensor_init(&t, DML_TENSOR_DATA_TYPE_FLOAT32, 2, (const uint32_t[]){64, 64});
    const DML_ACTIVATION_GELU_OPERATOR_DESC gelu = {&t.desc, &t.desc};
    const DML_GEMM_OPERATOR_DESC gemm = {
        &t.desc, &t.desc, NULL, &t.desc, DML_MATRIX_TRANSFORM_NONE, DML_MATRIX_TRANSFORM_NONE, 1.0f, 0.0f, NULL};
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC softmax = {&t.desc, &t.desc, 1, (const uint32_t[]){1}};
    const DML_OPERATOR_DESC descs[] = {{DML_OPERATOR_ACTIVATION_GELU, &gelu},
                                       {DML_OPERATOR_GEMM, &gemm},
                                       {DML_OPERATOR_ACTIVATION_SOFTMAX1, &softmax}};
    bool good = true;
    for (size_t i = 0; good && i < sizeof descs / sizeof descs[0]; i++) {
        VkdmlOperator op = NULL;
        VkdmlDispatchable compiled = NULL;
        good = succeeded(vkdmlCreateOperator(device, &descs[i], &op)) &&
               succeeded(vkdmlCompileOperator(op, NULL, &compiled));
        vkdmlDestroyDispatchable(compiled);
        vkdmlDestroyOperator(op);
    }
    return good;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "vkdml.cache";
    VkdmlDeviceOpenInfo info = {.structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION};
    void *data = read_cache(path, &info.pipelineCacheDataSize);
    VkdmlDevice device = NULL;
    info.pipelineCacheData = data;
    bool done = succeeded(vkdmlOpenDevice(&info, &device));
    free(data); /* was read during the call */
    if (done) {
        const double begin = now();
        done = load_model(device);
        printf("%s: 3 operators compiled in %.1f ms\n", info.pipelineCacheDataSize > 0 ? "with a cache" : "without",
               now() - begin);
    }
    done = done && write_cache(device, path);
    vkdmlDestroyDevice(device);
    return done ? 0 : 1;
}
