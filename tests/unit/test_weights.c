/* Weight stores: what graphs share, what initializers make, and what is refused. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph_execution.h"
#include "one_device.h"

#define WIDTH        64
#define MATRIX_BYTES (UINT64_C(4) * WIDTH * WIDTH)
#define MATRIX_AT    0
#define ROWS_AT      (UINT64_C(64) << 10)
#define RESULT_AT    (UINT64_C(256) << 10)
#define SCRATCH_AT   (UINT64_C(512) << 10) /* of the other buffer, whose beginning has the pages */

/* Pages follow one another in the other buffer. */
static struct {
    uint64_t taken;
    uint32_t live;
    VkdmlResult result; /* of allocatePage */
    uint64_t skew;      /* of a page's offset */
} pages;

static VkdmlResult allocate_page(void *data, uint64_t bytes, VkdmlBufferBinding *page) {
    (void)data;
    if (pages.result == VKDML_SUCCESS) {
        *page = other_range(pages.taken + pages.skew, bytes);
        pages.taken += (bytes + 255) / 256 * 256;
        pages.live++;
    }
    return pages.result;
}

static void free_page(void *data, const VkdmlBufferBinding *page) {
    (void)data;
    assert_true(page->buffer != VK_NULL_HANDLE);
    pages.live--;
}

static const VkdmlWeightStoreCreateInfo store_info = {
    .structSize = sizeof store_info, .allocatePage = allocate_page, .freePage = free_page};

static VkdmlWeightStore create_store(void) {
    VkdmlWeightStore store;
    assert_int_equal(vkdmlCreateWeightStore(device, &store_info, &store), VKDML_SUCCESS);
    return store;
}

static int begin(void **state) {
    memset(&pages, 0, sizeof pages);
    return begin_with_device(state);
}

static int end(void **state) {
    assert_int_equal(pages.live, 0);
    return end_with_device(state);
}

/* Rows of WIDTH numbers by a constant matrix, as a graph of one node, and of a second one by the same matrix. */
static void build(uint32_t rows, bool twice) {
    const uint32_t sizes[4] = {1, 1, rows, WIDTH}, square[4] = {1, 1, WIDTH, WIDTH};
    const uint64_t bytes = UINT64_C(4) * rows * WIDTH;
    const DML_BUFFER_TENSOR_DESC buffers[2] = {
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, bytes, 0},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_OWNED_BY_DML, 4, square, NULL, MATRIX_BYTES, 0}};
    const DML_TENSOR_DESC in = {DML_TENSOR_TYPE_BUFFER, &buffers[0]}, matrix = {DML_TENSOR_TYPE_BUFFER, &buffers[1]};
    const DML_GEMM_OPERATOR_DESC desc = {&in, &matrix, NULL, &in, DML_MATRIX_TRANSFORM_NONE, DML_MATRIX_TRANSFORM_NONE,
                                         1,   0,       NULL};
    begin_graph(3, 1);
    const uint32_t first = operator_node(DML_OPERATOR_GEMM, &desc, "first");
    feed(0, first, 0, sizes);
    feed(1, first, 1, square);
    if (twice) {
        const uint32_t second = operator_node(DML_OPERATOR_GEMM, &desc, "second");
        JOIN({first, 0, second, 0});
        feed(2, second, 1, square);
        yield_as(second, 0, 0, sizes);
    } else {
        yield_as(first, 0, 0, sizes);
    }
}

static VkdmlCompileInfo info_of(VkdmlWeightStore store, const uint64_t ids[3]) {
    return (VkdmlCompileInfo){
        .structSize = sizeof(VkdmlCompileInfo), .weightStore = store, .weightIdCount = 3, .weightIds = ids};
}

static VkdmlDispatchable compile(uint32_t rows, VkdmlWeightStore store, uint64_t first, uint64_t second) {
    const uint64_t ids[3] = {0, first, second};
    const VkdmlCompileInfo info = info_of(store, ids);
    VkdmlDispatchable compiled;
    build(rows, second != 0);
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, store != NULL ? &info : NULL, &compiled), VKDML_SUCCESS);
    graph_end(&graph);
    return compiled;
}

static VkdmlDispatchable initializer_of(VkdmlDispatchable compiled, uint64_t most) {
    VkdmlDispatchable initializer;
    assert_int_equal(vkdmlCreateWeightInitializer(compiled, most, &initializer), VKDML_SUCCESS);
    return initializer;
}

static VkdmlWeightStoreInfo facts_of(VkdmlWeightStore store) {
    VkdmlWeightStoreInfo facts;
    assert_int_equal(vkdmlGetWeightStoreInfo(store, &facts), VKDML_SUCCESS);
    return facts;
}

/* Inputs 1 and 2, where an initializer reads them, are the matrix. */
static void initialize_part(VkdmlDispatchable initializer) {
    VkdmlBufferBinding inputs[3] = {{0}};
    uint32_t indices[3], count = 3;
    assert_int_equal(vkdmlGetWeightInitializerInputs(initializer, &count, indices), VKDML_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        inputs[indices[i]] = range(MATRIX_AT, MATRIX_BYTES);
    }
    VkdmlBindingTable table = bind_all(
        initializer, &(struct bindings){.input_count = 3, .inputs = inputs, .temporary_at = SCRATCH_AT});
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), initializer, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
}

static void initialize_store(VkdmlDispatchable compiled) {
    VkdmlDispatchable initializer;
    while ((initializer = initializer_of(compiled, 1)) != NULL) {
        initialize_part(initializer);
        vkdmlDestroyDispatchable(initializer);
    }
}

static VkdmlBindingTable bind_graph(VkdmlDispatchable compiled, uint32_t rows, VkdmlBufferBinding persistent) {
    const uint64_t bytes = UINT64_C(4) * rows * WIDTH;
    const VkdmlBufferBinding inputs[3] = {range(ROWS_AT, bytes), nothing, nothing}, output = range(RESULT_AT, bytes);
    return bind_all(compiled, &(struct bindings){.input_count = 3,
                                                 .inputs = inputs,
                                                 .output_count = 1,
                                                 .outputs = &output,
                                                 .persistent = persistent,
                                                 .temporary_at = SCRATCH_AT});
}

static void execute(VkdmlDispatchable compiled, uint32_t rows, VkdmlBufferBinding persistent) {
    VkdmlBindingTable table = bind_graph(compiled, rows, persistent);
    memset(vulkan.bytes + RESULT_AT, 0xEE, (size_t)4 * rows * WIDTH);
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    vkdmlDestroyBindingTable(table);
}

static void fill_numbers(void) {
    float *matrix = (float *)(void *)(vulkan.bytes + MATRIX_AT), *rows = (float *)(void *)(vulkan.bytes + ROWS_AT);
    for (uint32_t i = 0; i < WIDTH * WIDTH; i++) {
        matrix[i] = (float)(i * 7 % 31) - 15;
        rows[i] = (float)(i * 5 % 23) / 8;
    }
}

/* What a graph gives with a persistent resource of its own. */
static void find_expected(uint32_t rows, unsigned char *expected) {
    VkdmlDispatchable compiled = compile(rows, NULL, 1, 0);
    VkdmlBindingProperties needs;
    assert_int_equal(vkdmlGetBindingProperties(compiled, &needs), VKDML_SUCCESS);
    const VkdmlBufferBinding inputs[3] = {nothing, range(MATRIX_AT, MATRIX_BYTES), nothing};
    const VkdmlBufferBinding persistent = other_range(VULKAN_BUFFER_BYTES / 4, needs.persistentResourceSize);
    initialize_one(compiled, 3, inputs, persistent);
    execute(compiled, rows, persistent);
    memcpy(expected, vulkan.bytes + RESULT_AT, (size_t)4 * rows * WIDTH);
    vkdmlDestroyDispatchable(compiled);
}

static void shapes_share_weights(void **state) {
    (void)state;
    static const uint32_t rows[3] = {40, 44, 40};
    static unsigned char expected[3][4 * 44 * WIDTH];
    fill_numbers();
    for (int i = 0; i < 3; i++) {
        find_expected(rows[i], expected[i]);
    }
    VkdmlWeightStore store = create_store();
    VkdmlDispatchable graphs[3] = {compile(rows[0], store, 5, 0), NULL, NULL};
    const VkdmlWeightStoreInfo first = facts_of(store);
    assert_true(first.regionCount > 0 && first.regionBytes >= MATRIX_BYTES);
    assert_int_equal(first.uninitializedCount, first.regionCount);
    initialize_store(graphs[0]);
    memset(vulkan.bytes + MATRIX_AT, 0xEE, MATRIX_BYTES); /* it is needed no more */
    for (int i = 1; i < 3; i++) {
        graphs[i] = compile(rows[i], store, 5, 0);
        assert_null(initializer_of(graphs[i], 0));
    }
    const VkdmlWeightStoreInfo all = facts_of(store);
    assert_int_equal(all.pageBytes, first.pageBytes);
    assert_int_equal(all.regionCount, first.regionCount);
    assert_int_equal(all.uninitializedCount, 0);
    for (int i = 0; i < 3; i++) {
        VkdmlBindingProperties needs;
        assert_int_equal(vkdmlGetBindingProperties(graphs[i], &needs), VKDML_SUCCESS);
        assert_int_equal(needs.persistentResourceSize, 0);
        execute(graphs[i], rows[i], nothing);
        assert_memory_equal(vulkan.bytes + RESULT_AT, expected[i], (size_t)4 * rows[i] * WIDTH);
        vkdmlDestroyDispatchable(graphs[i]);
    }
    assert_int_equal(facts_of(store).regionCount, all.regionCount); /* kept for the next graph, until .. */
    assert_int_equal(vkdmlTrimWeightStore(store), VKDML_SUCCESS);
    assert_int_equal(facts_of(store).pageCount, 0);
    vkdmlDestroyWeightStore(store);
}

static void weights_of_other_ids_are_others(void **state) {
    (void)state;
    VkdmlWeightStore store = create_store();
    VkdmlDispatchable a = compile(40, store, 5, 0);
    const uint32_t count = facts_of(store).regionCount;
    VkdmlDispatchable b = compile(40, store, 6, 0);
    assert_int_equal(facts_of(store).regionCount, 2 * count);
    VkdmlDispatchable unnamed[2] = {compile(40, store, 0, 0), compile(40, store, 0, 0)};
    assert_int_equal(facts_of(store).regionCount, 4 * count);
    VkdmlDispatchable both = compile(40, store, 5, 6); /* one graph that reads both */
    assert_int_equal(facts_of(store).regionCount, 4 * count);
    VkdmlDispatchable same = compile(40, store, 5, 5); /* and one that reads one twice */
    assert_int_equal(facts_of(store).regionCount, 4 * count);
    vkdmlDestroyDispatchable(a);
    vkdmlDestroyDispatchable(b);
    vkdmlDestroyDispatchable(unnamed[0]);
    vkdmlDestroyDispatchable(unnamed[1]);
    vkdmlDestroyDispatchable(both);
    vkdmlDestroyDispatchable(same);
    assert_int_equal(facts_of(store).regionCount, 0); /* no initializer made them */
    vkdmlDestroyWeightStore(store);
}

static void one_region_serves_two_readers_of_a_graph(void **state) {
    (void)state;
    static unsigned char once[4 * 40 * WIDTH];
    fill_numbers();
    VkdmlWeightStore store = create_store();
    VkdmlDispatchable graphs[2] = {compile(40, store, 5, 6), compile(40, store, 7, 7)};
    for (int i = 0; i < 2; i++) {
        initialize_store(graphs[i]);
        execute(graphs[i], 40, nothing);
        if (i == 0) {
            memcpy(once, vulkan.bytes + RESULT_AT, sizeof once);
        }
        vkdmlDestroyDispatchable(graphs[i]);
    }
    assert_memory_equal(vulkan.bytes + RESULT_AT, once, sizeof once);
    vkdmlDestroyWeightStore(store);
}

static void a_graph_waits_for_its_weights(void **state) {
    (void)state;
    fill_numbers();
    VkdmlWeightStore store = create_store();
    VkdmlDispatchable compiled = compile(40, store, 5, 6);
    VkdmlBindingTable table = bind_graph(compiled, 40, nothing);
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table),
                   "graph: weights are not initialized");
    VkdmlDispatchable unrecorded = initializer_of(compiled, MATRIX_BYTES);
    uint32_t count = 0;
    assert_int_equal(vkdmlGetWeightInitializerInputs(unrecorded, &count, NULL), VKDML_SUCCESS);
    assert_int_equal(count, 1); /* of two, both of which would be more bytes */
    vkdmlDestroyDispatchable(unrecorded);
    assert_int_equal(facts_of(store).uninitializedCount, facts_of(store).regionCount);
    VkdmlDispatchable first = initializer_of(compiled, MATRIX_BYTES), second = initializer_of(compiled, 0);
    assert_null(initializer_of(compiled, 0)); /* others make what is left */
    uint32_t index[2] = {9, 9}, one = 1;
    assert_int_equal(vkdmlGetWeightInitializerInputs(first, &one, &index[0]), VKDML_SUCCESS);
    assert_int_equal(vkdmlGetWeightInitializerInputs(second, &one, &index[1]), VKDML_SUCCESS);
    assert_int_equal(index[0], 1);
    assert_int_equal(index[1], 2);
    initialize_part(first);
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), "weights are not initialized");
    initialize_part(second);
    assert_int_equal(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    vkdmlDestroyDispatchable(first);
    vkdmlDestroyDispatchable(second);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyWeightStore(store);
}

/* As if a submission had failed. */
static void a_recording_is_taken_back(void **state) {
    (void)state;
    fill_numbers();
    VkdmlWeightStore store = create_store();
    VkdmlDispatchable compiled = compile(40, store, 5, 0);
    VkdmlBindingTable table = bind_graph(compiled, 40, nothing);
    VkdmlDispatchable initializer = initializer_of(compiled, 0);
    initialize_part(initializer);
    assert_int_equal(facts_of(store).uninitializedCount, 0);
    VkdmlDispatchable later = compile(7, store, 5, 0);
    assert_int_equal(vkdmlResetWeightInitializer(initializer), VKDML_SUCCESS);
    assert_int_equal(vkdmlResetWeightInitializer(initializer), VKDML_SUCCESS);
    assert_int_equal(facts_of(store).uninitializedCount, 1);
    assert_invalid(vkdmlRecordDispatch(device, vulkan_begin(&vulkan), compiled, table), "weights are not initialized");
    assert_null(initializer_of(compiled, 0)); /* the first one still is to make it */
    vkdmlDestroyDispatchable(initializer);
    VkdmlDispatchable none;
    assert_invalid(vkdmlCreateWeightInitializer(later, 0, &none), "the initializer of another graph makes");
    assert_null(none);
    initialize_store(compiled);
    assert_int_equal(facts_of(store).uninitializedCount, 0);
    assert_null(initializer_of(later, 0));
    execute(compiled, 40, nothing);
    execute(later, 7, nothing);
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(later);
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyWeightStore(store);
}

static void pages_are_as_large_as_what_is_in_them(void **state) {
    (void)state;
    VkdmlWeightStore store = create_store();
    VkdmlDispatchable compiled = compile(40, store, 5, 6);
    VkdmlWeightStoreInfo facts = facts_of(store);
    assert_int_equal(facts.pageCount, 1);
    assert_int_equal(facts.pageBytes, facts.regionBytes);
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyWeightStore(store);
    VkdmlWeightStoreCreateInfo info = store_info;
    info.maxPageBytes = 256;
    assert_int_equal(vkdmlCreateWeightStore(device, &info, &store), VKDML_SUCCESS);
    compiled = compile(40, store, 5, 6);
    facts = facts_of(store);
    assert_int_equal(facts.pageCount, facts.regionCount);
    assert_int_equal(facts.pageBytes, facts.regionBytes);
    vkdmlDestroyWeightStore(store); /* too early: the graph can only be destroyed */
    vkdmlDestroyDispatchable(compiled);
    /* Two weights fit into one page; one that a graph reads twice has room once. */
    info.maxPageBytes = 2 * MATRIX_BYTES;
    assert_int_equal(vkdmlCreateWeightStore(device, &info, &store), VKDML_SUCCESS);
    compiled = compile(40, store, 5, 6);
    VkdmlDispatchable same = compile(40, store, 7, 7);
    facts = facts_of(store);
    assert_int_equal(facts.pageCount, 2);
    assert_int_equal(facts.pageBytes, facts.regionBytes);
    vkdmlDestroyDispatchable(same);
    vkdmlDestroyWeightStore(store);
    vkdmlDestroyDispatchable(compiled);
}

static void refuse_compilation(const VkdmlCompileInfo *info, VkdmlResult result, const char *reason) {
    VkdmlDispatchable compiled;
    build(40, false);
    assert_int_equal(vkdmlCompileGraph(device, &graph.desc, info, &compiled), result);
    assert_null(compiled);
    assert_reason(reason);
    graph_end(&graph);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    static const uint64_t ids[3] = {0, 5, 0};
    VkdmlWeightStore store;
    VkdmlDispatchable made;
    VkdmlWeightStoreCreateInfo incomplete = store_info;
    incomplete.freePage = NULL;
    assert_invalid(vkdmlCreateWeightStore(device, &incomplete, &store), "info.freePage is NULL");
    assert_null(store);
    store = create_store();
    VkdmlCompileInfo info = info_of(store, ids);
    info.weightIdCount = 2;
    refuse_compilation(&info, VKDML_ERROR_INVALID_ARGUMENT, "weightIdCount is 2, must be the graph's InputCount, 3");
    info = info_of(NULL, ids);
    refuse_compilation(&info, VKDML_ERROR_INVALID_ARGUMENT, "weightIdCount is 3 without a weightStore");
    info = info_of(store, ids);
    pages.result = VKDML_ERROR_OUT_OF_DEVICE_MEMORY;
    refuse_compilation(&info, VKDML_ERROR_OUT_OF_DEVICE_MEMORY, "allocatePage failed for");
    pages.result = VKDML_SUCCESS;
    pages.skew = 16;
    refuse_compilation(&info, VKDML_ERROR_INVALID_ARGUMENT, "allocatePage returned offset 16");
    pages.skew = 0;
    assert_int_equal(facts_of(store).regionCount, 0);
    struct identity identity;
    identity_init(&identity, 64);
    VkdmlOperator op;
    assert_int_equal(vkdmlCreateOperator(device, &identity.desc, &op), VKDML_SUCCESS);
    info = (VkdmlCompileInfo){.structSize = sizeof info, .weightStore = store};
    assert_invalid(vkdmlCompileOperator(op, &info, &made), "weightStore is given for an operator");
    assert_int_equal(vkdmlCompileOperator(op, NULL, &made), VKDML_SUCCESS);
    VkdmlDispatchable compiled = compile(40, store, 5, 0), initializer;
    assert_invalid(vkdmlCreateWeightInitializer(made, 0, &initializer), "has no weights in a store");
    assert_invalid(vkdmlCreateOperatorInitializer(device, 1, &compiled, &initializer), "has its weights in a weight store");
    uint32_t count = 0;
    assert_invalid(vkdmlGetWeightInitializerInputs(compiled, &count, NULL), "is none of vkdmlCreateWeightInitializer()'s");
    assert_invalid(vkdmlResetWeightInitializer(compiled), "is none of vkdmlCreateWeightInitializer()'s");
    vkdmlDestroyDispatchable(made);
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyOperator(op);
    vkdmlDestroyWeightStore(store);
    vkdmlDestroyWeightStore(NULL);
}

/* ---- where memory is out ---- */

static VkdmlWeightStore used_store;
static VkdmlDispatchable used_graph;

static VkdmlResult call_compile(void **handle) {
    static const uint64_t ids[3] = {0, 5, 6};
    const VkdmlCompileInfo info = info_of(used_store, ids);
    return vkdmlCompileGraph(device, &graph.desc, &info, (VkdmlDispatchable *)handle);
}

/* Few allocations: each fails once, and leaves nothing. */
static VkdmlDispatchable create_initializer_in_spite(void) {
    VkdmlDispatchable initializer = NULL;
    const int live = atomic_load(&allocations.live);
    int fails = 0;
    while (initializer == NULL) {
        atomic_store(&allocations.made, 0);
        atomic_store(&allocations.fails, ++fails);
        const VkdmlResult result = vkdmlCreateWeightInitializer(used_graph, 1, &initializer);
        atomic_store(&allocations.fails, 0);
        assert_int_equal(result, initializer != NULL ? VKDML_SUCCESS : VKDML_ERROR_OUT_OF_HOST_MEMORY);
        assert_true(initializer != NULL || atomic_load(&allocations.live) == live);
    }
    assert_int_equal(fails, 5); /* what is chosen, the dispatchable, what it claims and the list of that */
    return initializer;
}

static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    void *handle = NULL;
    fill_numbers();
    atomic_store(&allocations.made, 0);
    atomic_store(&allocations.fails, 1);
    assert_int_equal(vkdmlCreateWeightStore(device, &store_info, &used_store), VKDML_ERROR_OUT_OF_HOST_MEMORY);
    assert_null(used_store);
    atomic_store(&allocations.fails, 0);
    used_store = create_store();
    build(40, true);
    survive_failing_allocations(call_compile, true, &handle);
    graph_end(&graph);
    used_graph = handle;
    VkdmlDispatchable first = create_initializer_in_spite();
    initialize_part(first);
    vkdmlDestroyDispatchable(first);
    initialize_store(used_graph);
    execute(used_graph, 40, nothing);
    vkdmlDestroyDispatchable(used_graph);
    vkdmlDestroyWeightStore(used_store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(shapes_share_weights),
        TEST(weights_of_other_ids_are_others),
        TEST(one_region_serves_two_readers_of_a_graph),
        TEST(a_graph_waits_for_its_weights),
        TEST(a_recording_is_taken_back),
        TEST(pages_are_as_large_as_what_is_in_them),
        TEST(what_cannot_be_is_refused),
        TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests_name("weights", tests, set_up_vulkan, tear_down_vulkan);
}
