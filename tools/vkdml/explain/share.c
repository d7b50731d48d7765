#include "explain/explain.h"

#include <string.h>

/* Ranges of what docs/performance/h200.md has of the benchmarks that run a kernel, of all data types that it has. Of
 * kernels that its run did not come to there is nothing to tell. */
static const struct explain_share shares[] = {
    {"copy", "0.87 to 1.02", "copy", "copies: contiguous, rows with gaps, broadcasts"},
    {"transpose", "0.87 to 0.97", "copy", "transposes, and 64 channels to NHWC and back"},
    {"transpose_shifted", "0.66 to 0.89", "copy", "transposes of odd sizes"},
    {"interleave", "1.00", "copy", "3 channels to NHWC and back"},
    {"permute", "0.76 to 0.91", "copy", "permutations of 5 to 8 dimensions"},
    {"padding", "0.76 to 0.99", "copy", "padding of rows and of outer dimensions"},
    {"diagonal", "0.98 to 0.99", "fill", "diagonal matrices; of inputs 0.52 to 1.29 of the copy peak"},
    {"nonzero_mark", "0.47 to 0.91", "copy", "NONZERO_COORDINATES, with its second step"},
    {"nonzero_write", "0.47 to 0.91", "copy", "NONZERO_COORDINATES, with its first step"},
    {"product", NULL, NULL, "products wait for arithmetic, not for memory"},
    {"product_matrix", NULL, NULL, "products wait for arithmetic, not for memory"},
    {"integer_product", NULL, NULL, "products wait for arithmetic, not for memory"},
    {"integer_product_dot", NULL, NULL, "products wait for arithmetic, not for memory"},
    {"integer_product_matrix", NULL, NULL, "products wait for arithmetic, not for memory"},
    {"depthwise", NULL, NULL, "depthwise convolutions wait for arithmetic, not for memory"},
};

const struct explain_share *explain_share_of(const char *kernel, VkdmlKernelVariant variant) {
    /* On processors the same kernels go other ways, and were held to C loops instead. */
    for (size_t i = 0; variant != VKDML_KERNEL_VARIANT_SERIAL && i < sizeof(shares) / sizeof(shares[0]); i++) {
        if (strcmp(shares[i].kernel, kernel) == 0) {
            return &shares[i];
        }
    }
    return NULL;
}
