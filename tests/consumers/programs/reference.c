/* Adds two tensors by the CPU reference: nothing of Vulkan but its headers. */
#include <stdio.h>

#include <vkdml/vkdml.h>

int main(void) {
    const uint32_t sizes[] = {4};
    const DML_BUFFER_TENSOR_DESC buffer = {
        .DataType = DML_TENSOR_DATA_TYPE_FLOAT32, .DimensionCount = 1, .Sizes = sizes, .TotalTensorSizeInBytes = 16};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = {&tensor, &tensor, &tensor};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_ADD, &add};

    float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40}, sum[4];
    const VkdmlHostBinding inputs[] = {{a, sizeof a}, {b, sizeof b}};
    const VkdmlHostBinding output = {sum, sizeof sum};
    const VkdmlReferenceInfo info = {.structSize = sizeof info,
                                     .desc = &desc,
                                     .inputCount = 2,
                                     .inputs = inputs,
                                     .outputCount = 1,
                                     .outputs = &output};
    if (vkdmlReferenceExecute(&info) != VKDML_SUCCESS) {
        fprintf(stderr, "vkdml: %s\n", vkdmlGetErrorMessage());
        return 1;
    }
    printf("%g %g %g %g\n", (double)sum[0], (double)sum[1], (double)sum[2], (double)sum[3]);
    return 0;
}
