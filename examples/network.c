/* A small network looks at a picture and names one of ten classes: convolutions, a transformer encoder layer whose
 * tokens are the pixels that those leave, and a classifier (layers.c has the layers). All of it is one graph, which is
 * compiled to one dispatchable. The weights, pseudo-random ones, belong to the graph.
 *
 * Prints the layers, how likely each class is and how long an inference takes, and holds what the graph makes of the
 * picture to the CPU reference.
 */
#include "layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, TOKENS = SIDE * SIDE, CHANNELS = 32, HEADS = 4, PER_HEAD = CHANNELS / HEADS, CLASSES = 10 };

/* The columns of a row by heads, where they are. */
#define HEAD_SIZES   SIZES(1, HEADS, TOKENS, PER_HEAD)
#define HEAD_STRIDES STRIDES(0, PER_HEAD, CHANNELS, 1)

static struct value heads(struct network *net, const char *name, struct value tokens) {
    const struct value rows = connect(net, name, tokens, CHANNELS);
    return view(&rows, HEAD_SIZES, HEAD_STRIDES);
}

static struct value attend(struct network *net, struct value tokens) {
    const uint32_t *sizes = SIZES(1, HEADS, TOKENS, TOKENS);
    const struct value query = heads(net, "query", tokens), key = heads(net, "key", tokens);
    const struct value value = heads(net, "value", tokens);
    const struct value scores = multiply(net, "scores", query, key, DML_MATRIX_TRANSFORM_TRANSPOSE, 1 / sqrtf(PER_HEAD),
                                         sizes, STRIDES(0, TOKENS * TOKENS, TOKENS, 1));
    const struct value attention = softmax(net, "attention", scores);
    const struct value context =
        multiply(net, "context", attention, value, DML_MATRIX_TRANSFORM_NONE, 1, HEAD_SIZES, HEAD_STRIDES);
    return connect(net, "projection", view(&context, tokens.sizes, STRIDES(0, 0, CHANNELS, 1)), CHANNELS);
}

static struct value encode(struct network *net, struct value tokens) {
    const struct value attended = normalize(net, "norm 1", add(net, "residual 1", tokens, attend(net, tokens)));
    const struct value hidden = gelu(net, connect(net, "expansion", attended, 2 * CHANNELS));
    const struct value mixed = connect(net, "contraction", hidden, CHANNELS);
    return normalize(net, "norm 2", add(net, "residual 2", attended, mixed));
}

static struct value build(struct network *net) {
    const struct value picture = take(net, SIZES(1, 3, 4 * SIDE, 4 * SIDE));
    const struct value stem = relu(net, convolve(net, "stem", picture, (struct filter){CHANNELS, 3, 2, 1}, true));
    const struct value pooled = take_maxima(net, "maxima", stem, 2, 2);
    const struct value depthwise =
        relu(net, convolve(net, "depthwise", pooled, (struct filter){CHANNELS, 3, 1, CHANNELS}, true));
    const struct value pointwise = convolve(net, "pointwise", depthwise, (struct filter){CHANNELS, 1, 1, 1}, true);
    const struct value features = add(net, "residual", pooled, pointwise);

    /* A token is a pixel, an element of each channel. Strides say where those lie; nothing is transposed. */
    struct value tokens = view(&features, SIZES(1, 1, TOKENS, CHANNELS), STRIDES(0, 0, 1, TOKENS));
    tokens = encode(net, tokens);
    tokens = view(&tokens, SIZES(1, CHANNELS, SIDE, SIDE), STRIDES(0, 1, SIDE * CHANNELS, CHANNELS));

    const struct value averages = average(net, "average", tokens);
    const struct value row = view(&averages, SIZES(1, 1, 1, CHANNELS), STRIDES(0, 0, 0, 1));
    return softmax(net, "classes", connect(net, "classifier", row, CLASSES));
}

static int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of nine inferences; one before is not counted. */
static bool time_inference(struct network *net, double *median) {
    double times[10];
    for (int i = 0; i < 10; i++) {
        if (!network_run(net, &times[i])) {
            return false;
        }
    }
    qsort(times + 1, 9, sizeof(times[0]), compare_times);
    *median = times[5];
    return true;
}

static void print_layers(const struct network *net) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(net->app->vk.physicalDevice, &properties);
    printf("A small network on %s: %u layers in one graph\n\n", properties.deviceName, net->node_count);
    printf("      layer         operator                      sizes of its output\n");
    for (uint32_t i = 0; i < net->node_count; i++) {
        const struct node *node = &net->nodes[i];
        printf("  %2u  %-12s  %-28s  %u x %u x %u x %u\n", i + 1, node->name,
               vkdmlGetOperatorName(node->type) + strlen("DML_OPERATOR_"), node->sizes[0], node->sizes[1],
               node->sizes[2], node->sizes[3]);
    }
}

int main(void) {
    static struct network net;
    struct application app;
    double milliseconds = 0;
    net.app = &app;
    const bool done = application_open(&app, NULL, 0) && network_compile(&net, build(&net)) &&
                      network_initialize(&net) && time_inference(&net, &milliseconds) && network_check(&net, 1e-5f);
    if (done) {
        print_layers(&net);
        print_classes(network_output(&net), CLASSES, CLASSES);
        printf("\nThat is the CPU reference's, within what rounding explains.\nAn inference takes %.3f ms.\n",
               milliseconds);
    }
    network_destroy(&net);
    application_close(&app);
    return done ? 0 : 1;
}
