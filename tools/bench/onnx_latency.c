/*
 * What a run costs beyond its work: times, in one process and in turns, an empty submission to the device, and a model
 * of one Add of four floats by ONNX Runtime's C API from host memory to host memory: by the plugin, by the plugin with
 * tensors bound on the device, and by the CPU provider. Prints medians in microseconds.
 *
 * onnx_latency LIBONNXRUNTIME PLUGIN MODEL [RUNS]     the model has inputs x and y, and output z, of four floats
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <onnxruntime_c_api.h>

#include "onnx/device.h"

enum { API = 23, FLOATS = 4, TURNS = 20, MOST_RUNS = 100000 };

static const OrtApi *ort;
static OrtEnv *environment;
static OrtMemoryInfo *host;

static bool succeeded(OrtStatus *status) {
    if (status != NULL) {
        fprintf(stderr, "%s\n", ort->GetErrorMessage(status));
        ort->ReleaseStatus(status);
    }
    return status == NULL;
}

static bool load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    union {
        void *symbol;
        const OrtApiBase *(*get)(void);
    } base = {library == NULL ? NULL : dlsym(library, "OrtGetApiBase")};
    ort = base.symbol == NULL ? NULL : base.get()->GetApi(API);
    if (ort == NULL) {
        fprintf(stderr, "%s is no ONNX Runtime of 1.23 or newer\n", path);
    }
    return ort != NULL;
}

/* ---- what is timed ---- */

struct subject {
    const char *name;
    bool (*run)(struct subject *subject);
    OrtSession *session;
    OrtIoBinding *binding; /* NULL: by Run() */
    struct onnx_device *device;
    struct onnx_commands commands;
    double *microseconds;
};

static bool run_empty(struct subject *subject) {
    struct onnx_error error = {0};
    return onnx_commands_run(subject->device, &subject->commands, &error);
}

static bool run_session(struct subject *subject) {
    static const char *const inputs[] = {"x", "y"}, *const outputs[] = {"z"};
    static const int64_t sizes[] = {FLOATS};
    float x[FLOATS] = {1, 2, 3, 4}, y[FLOATS] = {10, 20, 30, 40};
    OrtValue *values[2] = {NULL, NULL}, *sum = NULL;
    float *z = NULL;
    const bool done =
        succeeded(ort->CreateTensorWithDataAsOrtValue(host, x, sizeof x, sizes, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                                      &values[0])) &&
        succeeded(ort->CreateTensorWithDataAsOrtValue(host, y, sizeof y, sizes, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                                      &values[1])) &&
        succeeded(ort->Run(subject->session, NULL, inputs, (const OrtValue *const *)values, 2, outputs, 1, &sum)) &&
        succeeded(ort->GetTensorMutableData(sum, (void **)&z)) && z[0] == 11 && z[3] == 44;
    ort->ReleaseValue(sum);
    ort->ReleaseValue(values[0]);
    ort->ReleaseValue(values[1]);
    return done;
}

static bool run_bound(struct subject *subject) {
    return succeeded(ort->RunWithBinding(subject->session, NULL, subject->binding));
}

/* ---- making them ---- */

static const OrtEpDevice *find_device(void) {
    const OrtEpDevice *const *devices;
    size_t count;
    if (succeeded(ort->GetEpDevices(environment, &devices, &count))) {
        for (size_t i = 0; i < count; ++i) {
            if (strcmp(ort->EpDevice_EpName(devices[i]), "VkdmlExecutionProvider") == 0) {
                return devices[i];
            }
        }
    }
    fprintf(stderr, "the plugin has no device\n");
    return NULL;
}

static bool make_session(const char *path, const OrtEpDevice *device, OrtSession **session) {
    OrtSessionOptions *options = NULL;
    const bool done =
        succeeded(ort->CreateSessionOptions(&options)) &&
        (device == NULL ||
         succeeded(ort->SessionOptionsAppendExecutionProvider_V2(options, environment, &device, 1, NULL, NULL, 0))) &&
        succeeded(ort->CreateSession(environment, path, options, session));
    ort->ReleaseSessionOptions(options);
    return done;
}

static bool bind_one(struct subject *subject, OrtAllocator *allocator, const char *name) {
    static const int64_t sizes[] = {FLOATS};
    OrtValue *value = NULL;
    const bool done =
        succeeded(ort->CreateTensorAsOrtValue(allocator, sizes, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value)) &&
        succeeded(strcmp(name, "z") == 0 ? ort->BindOutput(subject->binding, name, value)
                                         : ort->BindInput(subject->binding, name, value));
    ort->ReleaseValue(value);
    return done;
}

static bool bind_on_device(struct subject *subject, const OrtEpDevice *device) {
    OrtAllocator *allocator = NULL;
    const OrtMemoryInfo *memory = ort->EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT);
    return succeeded(ort->GetSharedAllocator(environment, memory, &allocator)) && allocator != NULL &&
           succeeded(ort->CreateIoBinding(subject->session, &subject->binding)) && bind_one(subject, allocator, "x") &&
           bind_one(subject, allocator, "y") && bind_one(subject, allocator, "z");
}

static bool make_empty(struct subject *subject, const OrtEpDevice *device) {
    const char *index = ort->GetKeyValue(ort->EpDevice_EpMetadata(device), "vulkan_index");
    char name[32];
    struct onnx_error error = {0};
    snprintf(name, sizeof name, "#%s", index);
    const struct onnx_device_options options = {.name = name};
    const bool done = onnx_device_open(&options, &subject->device, &error) &&
                      onnx_commands_begin(subject->device, &subject->commands, &error) &&
                      onnx_commands_end(subject->device, &subject->commands, &error);
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
    }
    return done;
}

/* ---- timing ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool time_all(struct subject *subjects, int count, int runs) {
    bool done = true;
    for (int run = 0; done && run < runs;) {
        for (int s = 0; s < count; ++s) { /* in turns: what slows the machine slows all */
            for (int i = 0; done && i < TURNS; ++i) {
                const double begin = now();
                done = subjects[s].run(&subjects[s]);
                subjects[s].microseconds[run + i] = now() - begin;
            }
        }
        run += TURNS;
    }
    return done;
}

static bool measure(const char *path, int runs) {
    struct subject subjects[] = {{.name = "an empty submission", .run = run_empty},
                                 {.name = "Add, host to host", .run = run_session},
                                 {.name = "Add, bound on the device", .run = run_bound},
                                 {.name = "Add, CPU provider", .run = run_session}};
    enum { COUNT = sizeof subjects / sizeof *subjects };
    const OrtEpDevice *device = find_device();
    double *samples = calloc((size_t)COUNT * (size_t)(runs + TURNS), sizeof *samples);
    bool done = device != NULL && samples != NULL && make_empty(&subjects[0], device) &&
                make_session(path, device, &subjects[1].session) && make_session(path, device, &subjects[2].session) &&
                bind_on_device(&subjects[2], device) && make_session(path, NULL, &subjects[3].session);
    for (int s = 0; s < COUNT && samples != NULL; ++s) {
        subjects[s].microseconds = samples + (size_t)s * (size_t)(runs + TURNS);
    }
    done = done && time_all(subjects, COUNT, TURNS) && time_all(subjects, COUNT, runs);
    for (int s = 0; done && s < COUNT; ++s) {
        qsort(subjects[s].microseconds, (size_t)runs, sizeof(double), compare);
        printf("%-26s %8.1f\n", subjects[s].name, subjects[s].microseconds[runs / 2]);
    }
    for (int s = 0; s < COUNT; ++s) {
        ort->ReleaseIoBinding(subjects[s].binding);
        ort->ReleaseSession(subjects[s].session);
    }
    if (subjects[0].device != NULL) {
        onnx_commands_free(subjects[0].device, &subjects[0].commands);
        onnx_device_close(subjects[0].device);
    }
    free(samples);
    return done;
}

int main(int argc, char **argv) {
    const int runs = argc == 5 ? atoi(argv[4]) / TURNS * TURNS : 2000;
    if (argc < 4 || argc > 5 || runs < TURNS || runs > MOST_RUNS || !load(argv[1])) {
        fprintf(stderr, "Usage: onnx_latency LIBONNXRUNTIME PLUGIN MODEL [RUNS]\n");
        return 2;
    }
    const bool done = succeeded(ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "vkdml", &environment)) &&
                      succeeded(ort->RegisterExecutionProviderLibrary(environment, "vkdml", argv[2])) &&
                      succeeded(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &host)) &&
                      measure(argv[3], runs);
    ort->ReleaseMemoryInfo(host);
    if (environment != NULL) {
        succeeded(ort->UnregisterExecutionProviderLibrary(environment, "vkdml"));
    }
    ort->ReleaseEnv(environment);
    return done ? 0 : 1;
}
