/* Tensors beyond what a descriptor can bind, or 32 bits count in bytes: every element is checked, against the position
 * it came from; and products of more than the small sizes that other tests have. VKDML_TEST_LARGE_BYTES: the size of
 * the larger tensor of each test; default 1.5 GiB. A test is skipped, with its reason, where the memory is not to be
 * had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/number.h"
#include "harness/gpu_open.h"

#define DEFAULT_BYTES (UINT64_C(3) << 29)

static struct gpu gpu;
static uint64_t large_bytes = DEFAULT_BYTES;

struct large {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *bytes;
    uint64_t size;
};

static void destroy(struct large *large) {
    vkDestroyBuffer(gpu.vulkan.device, large->buffer, NULL);
    vkFreeMemory(gpu.vulkan.device, large->memory, NULL);
    *large = (struct large){0};
}

/* Host-visible memory, cached where there is a choice: the tests read every byte. False where it is not to be had. */
static bool create(struct large *large, uint64_t size) {
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    const VkMemoryPropertyFlags wanted[] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                                VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT};
    VkPhysicalDeviceMemoryProperties types;
    VkMemoryRequirements needs;
    *large = (struct large){.size = size};
    if (vkCreateBuffer(gpu.vulkan.device, &info, NULL, &large->buffer) != VK_SUCCESS) {
        large->buffer = VK_NULL_HANDLE;
        return false;
    }
    vkGetBufferMemoryRequirements(gpu.vulkan.device, large->buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(gpu.vulkan.physicalDevice, &types);
    for (uint32_t i = 0; i < 2 * types.memoryTypeCount; i++) {
        const uint32_t type = i % types.memoryTypeCount;
        const VkMemoryPropertyFlags flags = wanted[i / types.memoryTypeCount];
        if ((needs.memoryTypeBits >> type & 1) == 0 || (types.memoryTypes[type].propertyFlags & flags) != flags) {
            continue;
        }
        const VkMemoryAllocateInfo allocate = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
        if (vkAllocateMemory(gpu.vulkan.device, &allocate, NULL, &large->memory) == VK_SUCCESS) {
            if (vkBindBufferMemory(gpu.vulkan.device, large->buffer, large->memory, 0) == VK_SUCCESS &&
                vkMapMemory(gpu.vulkan.device, large->memory, 0, VK_WHOLE_SIZE, 0, &large->bytes) == VK_SUCCESS) {
                return true;
            }
            break;
        }
        large->memory = VK_NULL_HANDLE;
    }
    destroy(large);
    return false;
}

/* Both buffers, or the test is skipped. */
static void create_both(struct large *a, uint64_t a_size, struct large *b, uint64_t b_size) {
    *b = (struct large){0};
    if (!create(a, a_size) || !create(b, b_size)) {
        destroy(a);
        print_message("skipped: no memory for buffers of %llu and %llu bytes\n", (unsigned long long)a_size,
                      (unsigned long long)b_size);
        skip();
    }
}

/* A tensor of up to two dimensions, packed or with strides. */
struct tensor {
    uint32_t sizes[2];
    uint32_t strides[2];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

static void set_tensor(struct tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t rows, uint32_t columns,
                       bool transposed) {
    *tensor = (struct tensor){.sizes = {rows, columns}, .strides = {1, rows}};
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){
        .DataType = type, .DimensionCount = 2, .Sizes = tensor->sizes, .Strides = transposed ? tensor->strides : NULL};
    tensor->buffer.TotalTensorSizeInBytes = vkdmlCalcBufferTensorSize(type, 2, tensor->sizes, tensor->buffer.Strides);
    assert_true(tensor->buffer.TotalTensorSizeInBytes != 0);
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
}

static VkdmlBufferBinding whole(const struct large *large) {
    return (VkdmlBufferBinding){large->buffer, 0, large->size};
}

#define REQUIRE(call)                                                                                                  \
    do {                                                                                                               \
        if ((call) != VKDML_SUCCESS) {                                                                                 \
            fail_msg("%s: %s", #call, vkdmlGetErrorMessage());                                                         \
        }                                                                                                              \
    } while (0)

/* Compiles, binds, records, submits and waits. */
static void execute_on(DML_OPERATOR_TYPE type, const void *desc, uint32_t input_count, const VkdmlBufferBinding *inputs,
                       uint32_t output_count, const VkdmlBufferBinding *outputs) {
    const DML_OPERATOR_DESC operator_desc = {type, desc};
    VkdmlOperator op;
    VkdmlDispatchable compiled;
    VkdmlBindingTable table;
    VkdmlBindingProperties properties;
    struct large temporary = {0};
    REQUIRE(vkdmlCreateOperator(gpu.device, &operator_desc, &op));
    REQUIRE(vkdmlCompileOperator(op, NULL, &compiled));
    REQUIRE(vkdmlGetBindingProperties(compiled, &properties));
    print_message("%u dispatches, %llu bytes of temporary memory\n", properties.descriptorSetCount,
                  (unsigned long long)properties.temporaryResourceSize);
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = compiled};
    REQUIRE(vkdmlCreateBindingTable(gpu.device, &info, &table));
    if (input_count != 0) {
        REQUIRE(vkdmlBindInputs(table, input_count, inputs));
    }
    REQUIRE(vkdmlBindOutputs(table, output_count, outputs));
    if (properties.temporaryResourceSize != 0) {
        assert_true(create(&temporary, properties.temporaryResourceSize));
        const VkdmlBufferBinding binding = whole(&temporary);
        REQUIRE(vkdmlBindTemporaryResource(table, &binding));
    }
    REQUIRE(vkdmlRecordDispatch(gpu.device, gpu_begin_commands(&gpu), compiled, table));
    assert_true(gpu_submit_and_wait(&gpu));
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyOperator(op);
    destroy(&temporary);
}

static void execute(DML_OPERATOR_TYPE type, const void *desc, const struct large *input, uint32_t output_count,
                    const VkdmlBufferBinding *outputs) {
    const VkdmlBufferBinding binding = input != NULL ? whole(input) : (VkdmlBufferBinding){0};
    execute_on(type, desc, input != NULL, &binding, output_count, outputs);
}

/* Neighbours, and elements a window or 2^32 apart, differ. */
static uint32_t value_at(uint64_t index) {
    return (uint32_t)((index ^ index >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

static void fail_at_index(uint64_t index, uint32_t got, uint32_t want) {
    fail_msg("element %llu: got 0x%x, want 0x%x", (unsigned long long)index, got, want);
}

static void a_copy_of_bytes(void **state) {
    (void)state;
    const uint64_t count = large_bytes - 5 < UINT32_MAX ? large_bytes - 5 : UINT32_MAX - 3; /* 4 GiB - 4 */
    const uint32_t rows = 1, columns = (uint32_t)count;
    struct large input, output;
    struct tensor in, out;
    set_tensor(&in, DML_TENSOR_DATA_TYPE_UINT8, rows, columns, false);
    set_tensor(&out, DML_TENSOR_DATA_TYPE_UINT8, rows, columns, false);
    create_both(&input, in.buffer.TotalTensorSizeInBytes, &output, in.buffer.TotalTensorSizeInBytes);
    uint8_t *source = input.bytes;
    const uint8_t *result = output.bytes;
    for (uint64_t i = 0; i < count; i++) {
        source[i] = (uint8_t)value_at(i);
    }
    memset(output.bytes, 0xA5, output.size);
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {&in.desc, &out.desc, NULL};
    const VkdmlBufferBinding outputs[] = {whole(&output)};
    execute(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, &input, 1, outputs);
    for (uint64_t i = 0; i < count; i++) {
        if (result[i] != (uint8_t)value_at(i)) {
            fail_at_index(i, result[i], (uint8_t)value_at(i));
        }
    }
    for (uint64_t i = count; i < output.size; i++) {
        assert_int_equal(result[i], 0xA5); /* the tail keeps its bytes */
    }
    destroy(&input);
    destroy(&output);
}

/* Checks out[r][c] = value_at(c * rows + r) of a transposed input. */
static void check_transpose(DML_TENSOR_DATA_TYPE type, uint64_t bytes) {
    const uint32_t size = vkdmlGetDataTypeSize(type);
    const uint32_t rows = 8191;
    const uint32_t columns = (uint32_t)(bytes / size / rows);
    struct large input, output;
    struct tensor in, out;
    set_tensor(&in, type, rows, columns, true);
    set_tensor(&out, type, rows, columns, false);
    create_both(&input, in.buffer.TotalTensorSizeInBytes, &output, out.buffer.TotalTensorSizeInBytes);
    for (uint64_t i = 0; i < (uint64_t)rows * columns; i++) {
        if (size == 4) {
            ((uint32_t *)input.bytes)[i] = value_at(i);
        } else {
            ((uint8_t *)input.bytes)[i] = (uint8_t)value_at(i);
        }
    }
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {&in.desc, &out.desc, NULL};
    const VkdmlBufferBinding outputs[] = {whole(&output)};
    execute(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, &input, 1, outputs);
    uint64_t i = 0;
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++, i++) {
            const uint32_t want = value_at((uint64_t)c * rows + r);
            const uint32_t got = size == 4 ? ((const uint32_t *)output.bytes)[i] : ((const uint8_t *)output.bytes)[i];
            if (got != (size == 4 ? want : (uint8_t)want)) {
                fail_at_index(i, got, want);
            }
        }
    }
    destroy(&input);
    destroy(&output);
}

static void a_transpose_of_words(void **state) {
    (void)state;
    check_transpose(DML_TENSOR_DATA_TYPE_FLOAT32, large_bytes);
}

static void a_transpose_of_bytes(void **state) {
    (void)state;
    check_transpose(DML_TENSOR_DATA_TYPE_INT8, large_bytes < UINT32_MAX ? large_bytes / 2 : UINT32_MAX - 3);
}

static void a_mirrored_padding(void **state) {
    (void)state;
    const uint32_t rows = 4099;
    const uint64_t elements = large_bytes / 2 < UINT32_MAX ? large_bytes / 2 : UINT32_MAX;
    const uint32_t columns = (uint32_t)(elements / (rows + 5)) - 9;
    const uint32_t start[] = {2, 4}, end[] = {3, 5};
    struct large input, output;
    struct tensor in, out;
    set_tensor(&in, DML_TENSOR_DATA_TYPE_UINT16, rows, columns, false);
    set_tensor(&out, DML_TENSOR_DATA_TYPE_UINT16, rows + 5, columns + 9, false);
    create_both(&input, in.buffer.TotalTensorSizeInBytes, &output, out.buffer.TotalTensorSizeInBytes);
    for (uint64_t i = 0; i < (uint64_t)rows * columns; i++) {
        ((uint16_t *)input.bytes)[i] = (uint16_t)value_at(i);
    }
    const DML_PADDING_OPERATOR_DESC desc = {
        &in.desc, &out.desc, DML_PADDING_MODE_REFLECTION, 0.0f, 2, start, end,
    };
    const VkdmlBufferBinding outputs[] = {whole(&output)};
    execute(DML_OPERATOR_PADDING, &desc, &input, 1, outputs);
    const uint16_t *result = output.bytes;
    for (uint32_t r = 0; r < rows + 5; r++) {
        const int64_t y = llabs((int64_t)r - 2);
        const uint64_t row = (uint64_t)(y < rows ? y : 2 * ((int64_t)rows - 1) - y) * columns;
        for (uint32_t c = 0; c < columns + 9; c++) {
            const int64_t x = llabs((int64_t)c - 4);
            const uint16_t want =
                (uint16_t)value_at(row + (uint64_t)(x < columns ? x : 2 * ((int64_t)columns - 1) - x));
            if (*result != want) {
                fail_at_index((uint64_t)r * (columns + 9) + c, *result, want);
            }
            result++;
        }
    }
    destroy(&input);
    destroy(&output);
}

static void a_diagonal(void **state) {
    (void)state;
    const uint32_t rows = 16411;
    const uint32_t columns = (uint32_t)(large_bytes / 4 / rows);
    const int32_t offset = 3;
    struct large output, none;
    struct tensor out;
    set_tensor(&out, DML_TENSOR_DATA_TYPE_UINT32, rows, columns, false);
    create_both(&output, out.buffer.TotalTensorSizeInBytes, &none, 16);
    memset(output.bytes, 0xA5, output.size);
    const DML_DIAGONAL_MATRIX_OPERATOR_DESC desc = {&out.desc, offset, 7.0f};
    const VkdmlBufferBinding outputs[] = {whole(&output)};
    execute(DML_OPERATOR_DIAGONAL_MATRIX, &desc, NULL, 1, outputs);
    const uint32_t *result = output.bytes;
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++) {
            const uint32_t want = (int64_t)r + offset == (int64_t)c ? 7 : 0;
            if (*result != want) {
                fail_at_index((uint64_t)r * columns + c, *result, want);
            }
            result++;
        }
    }
    destroy(&output);
    destroy(&none);
}

/* Rows from all over an input that may not be bound whole, and from beyond it. */
static void gathered_rows(void **state) {
    (void)state;
    enum { COLUMNS = 7, COUNT = 200003 };
    const uint32_t rows = (uint32_t)(large_bytes / 2 / COLUMNS);
    struct large input, output, indices;
    struct tensor in, out, named;
    set_tensor(&in, DML_TENSOR_DATA_TYPE_UINT16, rows, COLUMNS, false);
    set_tensor(&out, DML_TENSOR_DATA_TYPE_UINT16, COUNT, COLUMNS, false);
    set_tensor(&named, DML_TENSOR_DATA_TYPE_INT32, 1, COUNT, false);
    create_both(&input, in.buffer.TotalTensorSizeInBytes, &output, out.buffer.TotalTensorSizeInBytes);
    assert_true(create(&indices, named.buffer.TotalTensorSizeInBytes));
    for (uint64_t i = 0; i < (uint64_t)rows * COLUMNS; i++) {
        ((uint16_t *)input.bytes)[i] = (uint16_t)value_at(i);
    }
    int32_t *index = indices.bytes;
    for (uint32_t i = 0; i < COUNT; i++) {
        index[i] = (int32_t)(value_at(i) % rows);
        index[i] = i % 5 == 0 ? index[i] - (int32_t)rows : i % 11 == 0 ? index[i] + (int32_t)rows : index[i];
    }
    memset(output.bytes, 0xA5, output.size);
    const DML_GATHER_OPERATOR_DESC desc = {&in.desc, &named.desc, &out.desc, 0, 1};
    const VkdmlBufferBinding inputs[] = {whole(&input), whole(&indices)}, outputs[] = {whole(&output)};
    execute_on(DML_OPERATOR_GATHER, &desc, 2, inputs, 1, outputs);
    const uint16_t *result = output.bytes;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t row = value_at(i) % rows;
        for (uint32_t c = 0; c < COLUMNS; c++) {
            const uint16_t want = i % 5 != 0 && i % 11 == 0 ? 0 : (uint16_t)value_at(row * COLUMNS + c);
            if (*result != want) {
                fail_at_index((uint64_t)i * COLUMNS + c, *result, want);
            }
            result++;
        }
    }
    destroy(&input);
    destroy(&output);
    destroy(&indices);
}

static void nonzero_elements(void **state) {
    (void)state;
    /* Coordinates of one column take as many bytes as FLOAT32 elements; then the count. */
    uint64_t elements = large_bytes / 4 - 3;
    elements = elements < UINT32_MAX ? elements : UINT32_MAX - 2;
    const uint32_t sizes[] = {(uint32_t)elements}, one[] = {1}, rows[] = {(uint32_t)elements, 1};
    const DML_BUFFER_TENSOR_DESC in = {
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 1, sizes, NULL, 4 * elements, 0};
    const DML_BUFFER_TENSOR_DESC count_out = {DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 1, one, NULL, 4, 0};
    const DML_BUFFER_TENSOR_DESC coordinates = {
        DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 2, rows, NULL, 4 * elements, 0};
    const DML_TENSOR_DESC descs[] = {
        {DML_TENSOR_TYPE_BUFFER, &in}, {DML_TENSOR_TYPE_BUFFER, &count_out}, {DML_TENSOR_TYPE_BUFFER, &coordinates}};
    struct large input, output, count;
    create_both(&input, 4 * elements, &output, 4 * elements);
    assert_true(create(&count, 16));
    for (uint64_t i = 0; i < elements; i++) {
        ((uint32_t *)input.bytes)[i] = value_at(i) % 3 == 0 ? 0x80000000u : 0x3F800000u; /* -0.0 or 1.0 */
    }
    const DML_NONZERO_COORDINATES_OPERATOR_DESC desc = {&descs[0], &descs[1], &descs[2]};
    const VkdmlBufferBinding outputs[] = {whole(&count), whole(&output)};
    execute(DML_OPERATOR_NONZERO_COORDINATES, &desc, &input, 2, outputs);
    const uint32_t *result = output.bytes;
    uint64_t row = 0;
    for (uint64_t i = 0; i < elements; i++) {
        if (value_at(i) % 3 != 0) {
            if (result[row] != (uint32_t)i) {
                fail_at_index(row, result[row], (uint32_t)i);
            }
            row++;
        }
    }
    assert_int_equal(*(const uint32_t *)count.bytes, (uint32_t)row);
    destroy(&input);
    destroy(&output);
    destroy(&count);
}

/* ---- a product of many tiles ---- */

/* More than the largest tile that planners choose fits often into, and no multiple of any. */
enum { PRODUCT_M = 1040, PRODUCT_N = 1032, PRODUCT_K = 72 };

/* Small integers, whose sums are exact as FLOAT16 too, in any order: of a from 0 on, of b from 1. */
static int32_t factor_at(uint32_t which, uint32_t row, uint32_t k) {
    return (int32_t)((row * (5 + 4 * which) + k * (3 + row % 2)) % 7) - 3;
}

static void fill_factors(uint16_t *elements, uint32_t which, uint32_t rows, bool along_rows) {
    static const uint16_t halves[] = {0xC200, 0xC000, 0xBC00, 0, 0x3C00, 0x4000, 0x4200}; /* -3 to 3 */
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t k = 0; k < PRODUCT_K; k++) {
            elements[along_rows ? k * rows + row : row * PRODUCT_K + k] = halves[factor_at(which, row, k) + 3];
        }
    }
}

static void check_sums(const uint16_t *sums) {
    static int8_t a[PRODUCT_M][PRODUCT_K], b[PRODUCT_N][PRODUCT_K];
    for (uint32_t k = 0; k < PRODUCT_K; k++) {
        for (uint32_t m = 0; m < PRODUCT_M; m++) {
            a[m][k] = (int8_t)factor_at(0, m, k);
        }
        for (uint32_t n = 0; n < PRODUCT_N; n++) {
            b[n][k] = (int8_t)factor_at(1, n, k);
        }
    }
    for (uint32_t m = 0; m < PRODUCT_M; m++) {
        for (uint32_t n = 0; n < PRODUCT_N; n++) {
            int32_t want = 0;
            for (uint32_t k = 0; k < PRODUCT_K; k++) {
                want += a[m][k] * b[n][k];
            }
            const double got = number_decode(DML_TENSOR_DATA_TYPE_FLOAT16, sums[m * PRODUCT_N + n]);
            if (got != (double)want) {
                fail_msg("row %u, column %u: got %g, want %d", m, n, got, (int)want);
            }
        }
    }
}

static void products_of_many_tiles(void **state) {
    (void)state;
    for (uint32_t turns = 0; turns < 4; turns++) {
        const bool turns_a = (turns & 1) != 0, turns_b = (turns & 2) != 0;
        struct large factors[2], sums;
        struct tensor a, b, out;
        set_tensor(&a, DML_TENSOR_DATA_TYPE_FLOAT16, turns_a ? PRODUCT_K : PRODUCT_M, turns_a ? PRODUCT_M : PRODUCT_K,
                   false);
        set_tensor(&b, DML_TENSOR_DATA_TYPE_FLOAT16, turns_b ? PRODUCT_N : PRODUCT_K, turns_b ? PRODUCT_K : PRODUCT_N,
                   false);
        set_tensor(&out, DML_TENSOR_DATA_TYPE_FLOAT16, PRODUCT_M, PRODUCT_N, false);
        create_both(&factors[0], a.buffer.TotalTensorSizeInBytes, &factors[1], b.buffer.TotalTensorSizeInBytes);
        assert_true(create(&sums, out.buffer.TotalTensorSizeInBytes));
        fill_factors(factors[0].bytes, 0, PRODUCT_M, turns_a);
        fill_factors(factors[1].bytes, 1, PRODUCT_N, !turns_b);
        memset(sums.bytes, 0xA5, sums.size);
        const DML_GEMM_OPERATOR_DESC desc = {
            .ATensor = &a.desc,
            .BTensor = &b.desc,
            .OutputTensor = &out.desc,
            .TransA = turns_a ? DML_MATRIX_TRANSFORM_TRANSPOSE : DML_MATRIX_TRANSFORM_NONE,
            .TransB = turns_b ? DML_MATRIX_TRANSFORM_TRANSPOSE : DML_MATRIX_TRANSFORM_NONE,
            .Alpha = 1};
        const VkdmlBufferBinding inputs[] = {whole(&factors[0]), whole(&factors[1]), {0}}, outputs[] = {whole(&sums)};
        execute_on(DML_OPERATOR_GEMM, &desc, 3, inputs, 1, outputs);
        check_sums(sums.bytes);
        destroy(&factors[0]);
        destroy(&factors[1]);
        destroy(&sums);
    }
}

static int open_gpu(void **state) {
    (void)state;
    const char *bytes = getenv("VKDML_TEST_LARGE_BYTES");
    if (bytes != NULL) {
        large_bytes = strtoull(bytes, NULL, 0);
    }
    if (gpu_open(&gpu, 0) != VKDML_SUCCESS) {
        print_error("%s\n", gpu.error);
        return 1;
    }
    return 0;
}

static int close_gpu(void **state) {
    (void)state;
    gpu_close(&gpu);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_of_bytes),      cmocka_unit_test(a_transpose_of_words),
        cmocka_unit_test(a_transpose_of_bytes), cmocka_unit_test(a_mirrored_padding),
        cmocka_unit_test(a_diagonal),           cmocka_unit_test(gathered_rows),
        cmocka_unit_test(nonzero_elements),     cmocka_unit_test(products_of_many_tiles),
    };
    return cmocka_run_group_tests_name("large", tests, open_gpu, close_gpu);
}
