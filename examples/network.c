/* A small network looks at a picture and names one of ten classes: convolutions, a transformer encoder layer whose
 * tokens are the pixels that those leave, and a classifier (layers.c has the layers). One command buffer holds all of
 * it. The weights, pseudo-random ones, belong to the operators; all operators share one temporary resource.
 *
 * Prints the layers, how likely each class is and how long an inference takes, and holds what each layer made of its
 * inputs to the CPU reference.
 */
#include <volk.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vkdml/vkdml.h>

#include "layers.h"

/* ---- the network ---- */

enum { SIDE = 8, TOKENS = SIDE * SIDE, CHANNELS = 32, HEADS = 4, PER_HEAD = CHANNELS / HEADS, CLASSES = 10 };

/* The columns of a row by heads, where they are. */
static struct tensor *heads(struct network *net, const struct tensor *rows) {
    return view(net, rows, SIZES(1, HEADS, TOKENS, PER_HEAD), STRIDES(0, PER_HEAD, CHANNELS, 1));
}

static struct tensor *attend(struct network *net, struct tensor *tokens) {
    struct tensor *query = heads(net, connect(net, "query", tokens, CHANNELS, NULL));
    struct tensor *key = heads(net, connect(net, "key", tokens, CHANNELS, NULL));
    struct tensor *value = heads(net, connect(net, "value", tokens, CHANNELS, NULL));
    struct tensor *scores = create(net, SIZES(1, HEADS, TOKENS, TOKENS)), *context = create(net, tokens->sizes);
    multiply(net, "scores", query, key, DML_MATRIX_TRANSFORM_TRANSPOSE, 1 / sqrtf(PER_HEAD), scores);
    struct tensor *attention = softmax(net, "attention", scores);
    multiply(net, "context", attention, value, DML_MATRIX_TRANSFORM_NONE, 1, heads(net, context));
    return connect(net, "projection", context, CHANNELS, NULL);
}

static struct tensor *encode(struct network *net, struct tensor *tokens) {
    struct tensor *attended = normalize(net, "norm 1", add(net, "residual 1", tokens, attend(net, tokens)));
    struct tensor *hidden = connect(net, "expansion", attended, 2 * CHANNELS, &gelu);
    struct tensor *mixed = connect(net, "contraction", hidden, CHANNELS, NULL);
    return normalize(net, "norm 2", add(net, "residual 2", attended, mixed));
}

static struct tensor *build(struct network *net, struct tensor *picture) {
    struct tensor *stem = convolve(net, "stem", picture, (struct filter){CHANNELS, 3, 2, 1}, &relu);
    struct tensor *pooled = take_maxima(net, "maxima", stem);
    struct tensor *depthwise = convolve(net, "depthwise", pooled, (struct filter){CHANNELS, 3, 1, CHANNELS}, &relu);
    struct tensor *pointwise = convolve(net, "pointwise", depthwise, (struct filter){CHANNELS, 1, 1, 1}, NULL);
    struct tensor *features = add(net, "residual", pooled, pointwise);

    /* A token is a pixel, an element of each channel. Strides say where those lie; nothing is transposed. */
    struct tensor *tokens = view(net, features, SIZES(1, 1, TOKENS, CHANNELS), STRIDES(0, 0, 1, TOKENS));
    tokens = encode(net, tokens);
    tokens = view(net, tokens, SIZES(1, CHANNELS, SIDE, SIDE), STRIDES(0, 1, SIDE * CHANNELS, CHANNELS));

    struct tensor *averages = average(net, "average", tokens);
    averages = view(net, averages, SIZES(1, 1, 1, CHANNELS), STRIDES(0, 0, 0, 1));
    return softmax(net, "classes", connect(net, "classifier", averages, CLASSES, NULL));
}

/* ---- its operators and their resources ---- */

/* Compiles all layers, and says where their resources lie. */
static bool compile(struct network *net, VkdmlDevice device) {
    VkdmlDispatchable compiled[MAX_LAYERS];
    uint64_t end = net->tensor_bytes;
    for (uint32_t i = 0; i < net->layer_count; i++) {
        struct layer *layer = &net->layers[i];
        VkdmlOperator op = NULL;
        const bool done = vkdmlCreateOperator(device, &layer->desc, &op) == VKDML_SUCCESS &&
                          vkdmlCompileOperator(op, NULL, &layer->compiled) == VKDML_SUCCESS &&
                          vkdmlGetBindingProperties(layer->compiled, &layer->needs) == VKDML_SUCCESS;
        vkdmlDestroyOperator(op); /* what was compiled lives on */
        if (!done) {
            return false;
        }
        compiled[i] = layer->compiled;
        layer->persistent = end;
        end = align(end + layer->needs.persistentResourceSize);
        if (layer->needs.temporaryResourceSize > net->temporary_size) {
            net->temporary_size = layer->needs.temporaryResourceSize;
        }
    }
    net->temporary = end;
    return vkdmlCreateOperatorInitializer(device, net->layer_count, compiled, &net->initializer) == VKDML_SUCCESS;
}

static VkdmlBufferBinding range(VkBuffer buffer, uint64_t offset, uint64_t size) {
    return size == 0 ? (VkdmlBufferBinding){0} : (VkdmlBufferBinding){buffer, offset, size};
}

/* What an input takes: weights at initialization, all else at execution. */
static VkdmlBufferBinding input_range(VkBuffer buffer, const struct tensor *tensor, DML_TENSOR_FLAGS flags) {
    if (tensor == NULL || tensor->buffer.Flags != flags) {
        return (VkdmlBufferBinding){0};
    }
    return range(buffer, tensor->offset, tensor->buffer.TotalTensorSizeInBytes);
}

static bool bind_layer(const struct network *net, VkdmlDevice device, VkBuffer buffer, struct layer *layer) {
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = layer->compiled};
    const VkdmlBufferBinding persistent = range(buffer, layer->persistent, layer->needs.persistentResourceSize);
    const VkdmlBufferBinding temporary = range(buffer, net->temporary, layer->needs.temporaryResourceSize);
    const VkdmlBufferBinding output = input_range(buffer, layer->output, DML_TENSOR_FLAG_NONE);
    VkdmlBufferBinding inputs[3];
    for (uint32_t i = 0; i < layer->input_count; i++) {
        inputs[i] = input_range(buffer, layer->inputs[i], DML_TENSOR_FLAG_NONE);
    }
    return vkdmlCreateBindingTable(device, &info, &layer->table) == VKDML_SUCCESS &&
           vkdmlBindInputs(layer->table, layer->input_count, inputs) == VKDML_SUCCESS &&
           vkdmlBindOutputs(layer->table, 1, &output) == VKDML_SUCCESS &&
           vkdmlBindTemporaryResource(layer->table, &temporary) == VKDML_SUCCESS &&
           vkdmlBindPersistentResource(layer->table, &persistent) == VKDML_SUCCESS;
}

/* The initializer's inputs are those of all layers, of which it is given the weights; its outputs what they keep. */
static bool bind_network(struct network *net, VkdmlDevice device, VkBuffer buffer) {
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = net->initializer};
    VkdmlBufferBinding inputs[MAX_LAYERS * 3];
    VkdmlBufferBinding outputs[MAX_LAYERS];
    uint32_t count = 0;
    for (uint32_t l = 0; l < net->layer_count; l++) {
        struct layer *layer = &net->layers[l];
        if (!bind_layer(net, device, buffer, layer)) {
            return false;
        }
        for (uint32_t i = 0; i < layer->input_count; i++) {
            inputs[count++] = input_range(buffer, layer->inputs[i], DML_TENSOR_FLAG_OWNED_BY_DML);
        }
        outputs[l] = range(buffer, layer->persistent, layer->needs.persistentResourceSize);
    }
    return vkdmlCreateBindingTable(device, &info, &net->initializer_table) == VKDML_SUCCESS &&
           vkdmlBindInputs(net->initializer_table, count, inputs) == VKDML_SUCCESS &&
           vkdmlBindOutputs(net->initializer_table, net->layer_count, outputs) == VKDML_SUCCESS;
}

static void destroy_network(struct network *net) {
    for (uint32_t i = 0; i < net->layer_count; i++) {
        vkdmlDestroyBindingTable(net->layers[i].table);
        vkdmlDestroyDispatchable(net->layers[i].compiled);
    }
    vkdmlDestroyBindingTable(net->initializer_table);
    vkdmlDestroyDispatchable(net->initializer);
}

/* ---- the application's Vulkan ---- */

struct application {
    VkdmlVulkanHandles vk;
    VkBuffer buffer; /* all tensors and resources */
    VkDeviceMemory memory;
    float *elements; /* the same, as the host sees it */
    VkCommandPool pool;
    VkCommandBuffer setup, inference;
};

/* Memory that the host sees, on the device if there is such. Large models copy instead. */
static uint32_t find_memory_type(VkPhysicalDevice device, uint32_t allowed) {
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties types;
    uint32_t found = VK_MAX_MEMORY_TYPES;
    vkGetPhysicalDeviceMemoryProperties(device, &types);
    for (uint32_t i = 0; i < types.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = types.memoryTypes[i].propertyFlags;
        if ((allowed & 1u << i) != 0 && (flags & visible) == visible &&
            (found == VK_MAX_MEMORY_TYPES || (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0)) {
            found = i;
        }
    }
    return found; /* Vulkan promises that there is one */
}

static bool create_memory(struct application *app, VkDeviceSize size) {
    const VkBufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryRequirements needs;
    void *mapped;
    if (vkCreateBuffer(app->vk.device, &buffer, NULL, &app->buffer) != VK_SUCCESS) {
        return false;
    }
    vkGetBufferMemoryRequirements(app->vk.device, app->buffer, &needs);
    const uint32_t type = find_memory_type(app->vk.physicalDevice, needs.memoryTypeBits);
    const VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    if (vkAllocateMemory(app->vk.device, &memory, NULL, &app->memory) != VK_SUCCESS ||
        vkBindBufferMemory(app->vk.device, app->buffer, app->memory, 0) != VK_SUCCESS ||
        vkMapMemory(app->vk.device, app->memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS) {
        return false;
    }
    app->elements = mapped;
    return true;
}

static bool create_commands(struct application *app) {
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = app->vk.queueFamilyIndex};
    VkCommandBuffer commands[2];
    if (vkCreateCommandPool(app->vk.device, &pool, NULL, &app->pool) != VK_SUCCESS) {
        return false;
    }
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = app->pool, .commandBufferCount = 2};
    if (vkAllocateCommandBuffers(app->vk.device, &info, commands) != VK_SUCCESS) {
        return false;
    }
    app->setup = commands[0];
    app->inference = commands[1];
    return true;
}

static void destroy_application(struct application *app) {
    if (app->vk.device) {
        vkDestroyCommandPool(app->vk.device, app->pool, NULL);
        vkDestroyBuffer(app->vk.device, app->buffer, NULL);
        vkFreeMemory(app->vk.device, app->memory, NULL);
    }
}

/* What was written becomes visible to what follows, and to the host: vkdml puts no barrier around an operator. */
static void barrier(VkCommandBuffer commands) {
    const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                     VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, NULL, 0,
                         NULL);
}

static bool record(const struct application *app, const struct network *net, VkdmlDevice device) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (vkBeginCommandBuffer(app->setup, &begin) != VK_SUCCESS ||
        vkdmlRecordDispatch(device, app->setup, net->initializer, net->initializer_table) != VKDML_SUCCESS ||
        vkBeginCommandBuffer(app->inference, &begin) != VK_SUCCESS) {
        return false;
    }
    barrier(app->setup);
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const struct layer *layer = &net->layers[i];
        if (vkdmlRecordDispatch(device, app->inference, layer->compiled, layer->table) != VKDML_SUCCESS) {
            return false;
        }
        barrier(app->inference); /* the next layer reads the output, and takes the temporary resource over */
    }
    return vkEndCommandBuffer(app->setup) == VK_SUCCESS && vkEndCommandBuffer(app->inference) == VK_SUCCESS;
}

static bool run(const struct application *app, VkCommandBuffer commands) {
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    return vkQueueSubmit(app->vk.queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
           vkQueueWaitIdle(app->vk.queue) == VK_SUCCESS;
}

static int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of nine inferences in milliseconds, submission and wait included; one before is not counted. */
static bool time_inference(const struct application *app, double *median) {
    double times[10];
    for (int i = 0; i < 10; i++) {
        struct timespec begin, end;
        timespec_get(&begin, TIME_UTC);
        if (!run(app, app->inference)) {
            return false;
        }
        timespec_get(&end, TIME_UTC);
        times[i] = (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-6;
    }
    qsort(times + 1, 9, sizeof(times[0]), compare_times);
    *median = times[5];
    return true;
}

/* ---- the reference ---- */

static VkdmlHostBinding host_range(float *elements, const struct tensor *tensor) {
    return tensor == NULL
               ? (VkdmlHostBinding){NULL, 0}
               : (VkdmlHostBinding){elements + tensor->offset / sizeof(float), tensor->buffer.TotalTensorSizeInBytes};
}

/* Runs a layer on the CPU, from inputs in one copy of all tensors to the output in another. */
static bool run_reference(const struct layer *layer, float *from, float *to) {
    const VkdmlHostBinding output = host_range(to, layer->output);
    VkdmlHostBinding inputs[3];
    for (uint32_t i = 0; i < layer->input_count; i++) {
        inputs[i] = host_range(from, layer->inputs[i]);
    }
    const VkdmlReferenceInfo info = {.structSize = sizeof info,
                                     .desc = &layer->desc,
                                     .inputCount = layer->input_count,
                                     .inputs = inputs,
                                     .outputCount = 1,
                                     .outputs = &output};
    const VkdmlResult result = vkdmlReferenceExecute(&info);
    if (result != VKDML_SUCCESS) {
        fprintf(stderr, "%s: %s\n", layer->name, vkdmlGetErrorMessage());
    }
    return result == VKDML_SUCCESS;
}

/* Holds a layer's results to the reference. What is added up is known from the same layer of magnitudes. */
static bool is_within(const struct layer *layer, const float *results, const float *expected, const float *terms) {
    const size_t first = layer->output->offset / sizeof(float);
    const size_t count = layer->output->buffer.TotalTensorSizeInBytes / sizeof(float);
    for (size_t i = first; i < first + count; i++) {
        const double allowed = layer->tolerance.terms * (double)terms[i] +
                               layer->tolerance.result * fabs((double)expected[i]) + layer->tolerance.constant;
        if (!(fabs((double)results[i] - (double)expected[i]) <= allowed)) {
            fprintf(stderr, "%s: element %zu is %.9g, must be %.9g within %.3g\n", layer->name, i - first,
                    (double)results[i], (double)expected[i], allowed);
            return false;
        }
    }
    return true;
}

/* Each layer's inputs are those that the device had, so that no layer answers for another. */
static bool check(const struct network *net, const float *elements) {
    const size_t count = net->tensor_bytes / sizeof(float);
    float *results = malloc(4 * net->tensor_bytes);
    if (results == NULL) {
        fprintf(stderr, "out of memory\n");
        return false;
    }
    float *expected = results + count, *magnitudes = results + 2 * count, *terms = results + 3 * count;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        results[i] = expected[i] = elements[i];
        magnitudes[i] = terms[i] = fabsf(elements[i]);
    }
    for (uint32_t i = 0; i < net->layer_count && good; i++) {
        const struct layer *layer = &net->layers[i];
        good = run_reference(layer, results, expected) && run_reference(layer, magnitudes, terms) &&
               is_within(layer, results, expected, terms);
    }
    free(results);
    return good;
}

/* ---- all of it ---- */

/* Weights and picture: from -0.3 to 0.3, which leaves sums of some 30 products about as large as they are. */
static void fill(float *elements, uint64_t count) {
    uint32_t state = 1;
    for (uint64_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        elements[i] = (float)(state >> 8) * (0.6f / 0x1p24f) - 0.3f;
    }
}

static int find_greatest(const float *elements, int count) {
    int greatest = 0;
    for (int i = 1; i < count; i++) {
        greatest = elements[i] > elements[greatest] ? i : greatest;
    }
    return greatest;
}

static void print_layers(const struct network *net, VkPhysicalDevice device) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    printf("A small network on %s: %u layers in one command buffer\n\n", properties.deviceName, net->layer_count);
    printf("      layer         operator                      sizes of its output\n");
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const struct layer *layer = &net->layers[i];
        const uint32_t *sizes = layer->output->sizes;
        printf("  %2u  %-12s  %-28s  %u x %u x %u x %u\n", i + 1, layer->name,
               vkdmlGetOperatorName(layer->desc.Type) + strlen("DML_OPERATOR_"), sizes[0], sizes[1], sizes[2],
               sizes[3]);
    }
}

static void print_classes(const float *probabilities) {
    static const char bar[] = "########################################";
    const int answer = find_greatest(probabilities, CLASSES);
    printf("\nWhat it takes a picture of random numbers for, with weights of random numbers:\n\n");
    for (int i = 0; i < CLASSES; i++) {
        const int length = (int)(probabilities[i] * (float)(sizeof(bar) - 1) / probabilities[answer] + 0.5f);
        printf("  class %d  %4.1f %%  %.*s%s\n", i, 100 * (double)probabilities[i], length, bar,
               i == answer ? "  <- its answer" : "");
    }
}

int main(void) {
    static struct network net;
    struct application app = {0};
    VkdmlDevice device = NULL;
    double milliseconds;
    int status = 1;
    const struct tensor *classes = build(&net, create(&net, SIZES(1, 3, 4 * SIDE, 4 * SIDE)));

    if (vkdmlOpenDevice(NULL, &device) != VKDML_SUCCESS || vkdmlGetVulkanHandles(device, &app.vk) != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
        goto done;
    }
    volkInitializeCustom(app.vk.getInstanceProcAddr);
    volkLoadInstance(app.vk.instance);
    volkLoadDevice(app.vk.device);
    if (!compile(&net, device) || !create_memory(&app, net.temporary + net.temporary_size) || !create_commands(&app) ||
        !bind_network(&net, device, app.buffer) || !record(&app, &net, device)) {
        fprintf(stderr, "a call failed; vkdml's latest message: %s\n", vkdmlGetErrorMessage());
        goto done;
    }
    fill(app.elements, net.tensor_bytes / sizeof(float));
    if (!run(&app, app.setup) || !time_inference(&app, &milliseconds)) {
        fprintf(stderr, "the device was lost\n");
        goto done;
    }
    if (!check(&net, app.elements)) {
        goto done;
    }
    print_layers(&net, app.vk.physicalDevice);
    print_classes(app.elements + classes->offset / sizeof(float));
    printf("\nEach layer's results are the CPU reference's, within what rounding explains.\n"
           "An inference takes %.3f ms.\n",
           milliseconds);
    status = 0;
done:
    destroy_network(&net);
    destroy_application(&app);
    vkdmlDestroyDevice(device);
    return status;
}
