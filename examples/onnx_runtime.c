/*
 * An ONNX model by ONNX Runtime's C API on a Vulkan device, through vkdml's plugin: examples/models/classify.onnx, on
 * two pictures. Prints how likely each class is.
 *
 * onnx_runtime LIBONNXRUNTIME PLUGIN MODEL     all three are paths; ONNX Runtime is 1.23 or newer
 *
 * Without a GPU set VKDML_ONNXRUNTIME_SOFTWARE=1: then lavapipe is a device.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <onnxruntime_c_api.h>

enum { PICTURES = 2, PIXELS = 64, CLASSES = 5, API = 23 };

static const OrtApi *ort;

/* Whether a call succeeded; else its reason is printed. */
static bool succeeded(OrtStatus *status) {
    if (status != NULL) {
        fprintf(stderr, "%s\n", ort->GetErrorMessage(status));
        ort->ReleaseStatus(status);
    }
    return status == NULL;
}

static bool load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    union {
        void *symbol;
        const OrtApiBase *(*get)(void);
    } base = {dlsym(library, "OrtGetApiBase")};
    ort = base.symbol == NULL ? NULL : base.get()->GetApi(API);
    if (ort == NULL) {
        fprintf(stderr, "%s is older than 1.23, or no ONNX Runtime\n", path);
    }
    return ort != NULL;
}

/* The plugin's best device, for a session's options. */
static bool choose_device(OrtEnv *environment, OrtSessionOptions *options) {
    const OrtEpDevice *const *devices;
    size_t count;
    if (!succeeded(ort->GetEpDevices(environment, &devices, &count))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ort->EpDevice_EpName(devices[i]), "VkdmlExecutionProvider") == 0) {
            printf("on %s\n", ort->GetKeyValue(ort->EpDevice_EpMetadata(devices[i]), "vulkan_device"));
            return succeeded(
                ort->SessionOptionsAppendExecutionProvider_V2(options, environment, &devices[i], 1, NULL, NULL, 0));
        }
    }
    fprintf(stderr, "the plugin has no device; software ones are offered where VKDML_ONNXRUNTIME_SOFTWARE is 1\n");
    return false;
}

static bool run(OrtSession *session, const OrtMemoryInfo *memory) {
    static const char *const input_names[] = {"picture"}, *const output_names[] = {"classes"};
    static const int64_t sizes[] = {PICTURES, 1, 8, 8};
    float pixels[PICTURES * PIXELS];
    OrtValue *input = NULL, *output = NULL;
    float *classes;
    for (int i = 0; i < PICTURES * PIXELS; i++) {
        pixels[i] = (float)(i * 37 % 101) / 50 - 1;
    }
    bool done = succeeded(ort->CreateTensorWithDataAsOrtValue(memory, pixels, sizeof pixels, sizes, 4,
                                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input)) &&
                succeeded(ort->Run(session, NULL, input_names, (const OrtValue *const[]){input}, 1, output_names, 1,
                                   &output)) &&
                succeeded(ort->GetTensorMutableData(output, (void **)&classes));
    for (int i = 0; done && i < PICTURES; i++) {
        float sum = 0;
        printf("picture %d:", i);
        for (int c = 0; c < CLASSES; c++) {
            printf(" %.1f %%", 100 * (double)classes[i * CLASSES + c]);
            sum += classes[i * CLASSES + c];
        }
        printf("\n");
        done = sum > 0.999F && sum < 1.001F;
    }
    ort->ReleaseValue(output);
    ort->ReleaseValue(input);
    return done;
}

int main(int argc, char **argv) {
    OrtEnv *environment = NULL;
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;
    OrtMemoryInfo *memory = NULL;
    if (argc != 4 || !load(argv[1])) {
        fprintf(stderr, "Usage: onnx_runtime LIBONNXRUNTIME PLUGIN MODEL\n");
        return 2;
    }
    const bool done = succeeded(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "vkdml", &environment)) &&
                      succeeded(ort->RegisterExecutionProviderLibrary(environment, "vkdml", argv[2])) &&
                      succeeded(ort->CreateSessionOptions(&options)) && choose_device(environment, options) &&
                      succeeded(ort->CreateSession(environment, argv[3], options, &session)) &&
                      succeeded(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory)) &&
                      run(session, memory);
    ort->ReleaseMemoryInfo(memory);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
    if (environment != NULL) {
        succeeded(ort->UnregisterExecutionProviderLibrary(environment, "vkdml"));
    }
    ort->ReleaseEnv(environment);
    return done ? 0 : 1;
}
