#include "explain/explain.h"

#include <string.h>

/* Ranges of what docs/PERFORMANCE.md has of the benchmarks that run a kernel, of all data types that it has. */
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
    {"map", "0.33 to 1.04", "copy", "maps of up to 32 bits, by what they compute: ADD 1.03, CELU 0.33 to 0.49"},
    {"map_wide", "0.52 to 1.03", "copy", "maps of 64 bits, by what they compute"},
    {"normalize", "0.48 to 0.70", "copy", "BATCH_NORMALIZATION"},
    {"reduce", "0.22 to 0.98", "read", "reductions: sums 0.71 to 0.97, LOG_SUM_EXP 0.22 to 0.44"},
    {"reduce_wide", "0.83 to 0.96", "read", "reductions of 64 bits"},
    {"rows", "0.64 to 0.99", "copy", "softmax and normalization of rows; up to 1024 elements 0.92 to 0.99"},
    {"index", "0.05 to 1.49", "copy", "gathers and scatters: rows 0.91 to 1.49, elements far apart 0.05 to 0.34"},
    {"index_lines", "0.68 to 0.99", "copy", "gathers and scatters along the innermost axis"},
    {"scan", "0.32 to 0.97", "copy", "running sums and products: few columns 0.32 to 0.57, rows 0.94 to 0.97"},
    {"scan_wide", "0.59 to 0.92", "copy", "running sums of 64 bits"},
    {"neighbours", "0.02 to 0.93", "copy", "LOCAL_RESPONSE_NORMALIZATION and FOLD; large windows 0.02 to 0.03"},
    {"interpolate", "0.15 to 1.02", "copy", "resampling: linear to twice the size 0.66 to 0.79"},
    {"pool", "0.67 to 0.94", "copy", "pooling of 2x2 and 3x3 windows"},
    {"regions", "0.09 to 0.27", "copy", "regions of interest"},
    {"product", NULL, NULL, "products are bound by arithmetic: 26 to 44 TFLOPS of FLOAT32"},
    {"product_matrix", NULL, NULL, "products are bound by arithmetic: 40.4 to 327 TFLOPS of FLOAT16"},
    {"depthwise", NULL, NULL, "depthwise convolutions: 6.6 to 7.8 TFLOPS"},
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
