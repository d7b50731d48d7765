/* ResNet-50 (arXiv 1512.03385) as one graph: 175 operators, which are compiled to one dispatchable. Weights and picture
 * are pseudo-random; layers.c has the layers, network.c is a smaller one with attention.
 *
 * resnet50 [SIDE]: of the picture, 224 pixels where left out. Prints the likeliest classes, how long compiling and an
 * inference take, and which memory. Of pictures of 64 pixels and less it holds the classes to the CPU reference, too.
 */
#include "layers.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 64, STAGES = 4, CLASSES = 1000, USUAL_SIDE = 224, MOST_SIDE = 1024, CHECKED_SIDE = 64, RUNS = 3 };

static struct value convolve_normalized(struct network *net, const char *name, struct value x, uint32_t channels,
                                        uint32_t size, uint32_t stride) {
    return normalize_batch(net, name, convolve(net, name, x, (struct filter){channels, size, stride, 1}, false));
}

/* Three convolutions, which what goes past them is added to. */
static struct value bottleneck(struct network *net, struct value x, uint32_t width, uint32_t stride) {
    const struct value narrow = relu(net, convolve_normalized(net, "reduce", x, width, 1, 1));
    const struct value filtered = relu(net, convolve_normalized(net, "filter", narrow, width, 3, stride));
    const struct value wide = convolve_normalized(net, "expand", filtered, 4 * width, 1, 1);
    const bool is_alike = stride == 1 && x.sizes[1] == 4 * width;
    const struct value past = is_alike ? x : convolve_normalized(net, "shortcut", x, 4 * width, 1, stride);
    return relu(net, add(net, "residual", wide, past));
}

static struct value build(struct network *net, uint32_t side) {
    static const uint32_t blocks[STAGES] = {3, 4, 6, 3};
    struct value x = take(net, SIZES(1, 3, side, side));
    x = relu(net, convolve_normalized(net, "stem", x, WIDTH, 7, 2));
    x = take_maxima(net, "maxima", x, 3, 2);
    for (uint32_t stage = 0; stage < STAGES; stage++) {
        for (uint32_t block = 0; block < blocks[stage]; block++) {
            x = bottleneck(net, x, WIDTH << stage, stage > 0 && block == 0 ? 2 : 1);
        }
    }
    x = average(net, "average", x);
    x = view(&x, SIZES(1, 1, 1, x.sizes[1]), STRIDES(0, 0, 0, 1));
    return softmax(net, "classes", connect(net, "classifier", x, CLASSES));
}

/* The shortest of some inferences; the first, at which drivers compile, is told by itself. */
static bool time_inferences(struct network *net, double *first, double *shortest) {
    bool good = network_run(net, first);
    for (int i = 0; i < RUNS && good; i++) {
        double milliseconds;
        good = network_run(net, &milliseconds);
        *shortest = i == 0 || milliseconds < *shortest ? milliseconds : *shortest;
    }
    return good;
}

static void print_memory(const struct network *net) {
    const double mebibyte = 1024.0 * 1024.0;
    printf("  weights            %7.1f MiB, and %.1f MiB as the graph keeps them\n",
           (double)net->weight_bytes / mebibyte, (double)net->needs.persistentResourceSize / mebibyte);
    printf("  between operators  %7.1f MiB, where %.1f MiB go through in turn\n",
           (double)net->needs.temporaryResourceSize / mebibyte, (double)net->node_bytes / mebibyte);
}

static bool run(struct network *net, uint32_t side) {
    VkPhysicalDeviceProperties properties;
    double first, shortest;
    const double start = now();
    if (!network_compile(net, build(net, side))) {
        return false;
    }
    const double compiled = now();
    if (!network_initialize(net)) {
        return false;
    }
    const double initialized = now();
    if (!time_inferences(net, &first, &shortest) || (side <= CHECKED_SIDE && !network_check(net, 1e-5f))) {
        return false;
    }
    vkGetPhysicalDeviceProperties(net->app->vk.physicalDevice, &properties);
    printf("ResNet-50 on %s: %u operators in one graph, a picture of %u x %u\n\n", properties.deviceName,
           net->node_count, side, side);
    printf("  compiling          %7.1f ms, and %.1f ms for the weights, once\n", compiled - start,
           initialized - compiled);
    printf("  an inference       %7.1f ms, the first one %.1f ms\n", shortest, first);
    print_memory(net);
    print_classes(network_output(net), CLASSES, 5);
    if (side <= CHECKED_SIDE) {
        printf("\nThat is the CPU reference's, within what rounding explains.\n");
    }
    return true;
}

int main(int argc, char **argv) {
    static struct network net;
    struct application app;
    const unsigned long side = argc > 1 ? strtoul(argv[1], NULL, 10) : USUAL_SIDE;
    if (argc > 2 || side < 1 || side > MOST_SIDE) {
        fprintf(stderr, "usage: resnet50 [SIDE], from 1 to %d\n", MOST_SIDE);
        return 2;
    }
    net.app = &app;
    const bool done = application_open(&app, NULL, 0) && run(&net, (uint32_t)side);
    network_destroy(&net);
    application_close(&app);
    return done ? 0 : 1;
}
