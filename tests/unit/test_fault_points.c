/* Every function of the API, and in each every allocation of the library's own and every call of Vulkan fails in turn:
 * the right code, a reason, nothing left, and the same call then succeeds; or, once the device is lost, fails as lost.
 * On the machine's first Vulkan device. An argument names one function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "device_fixture.h"
#include "graph/small_graph.h"
#include "vulkan/loader.h"

/* ---- what stands before the library's memory, threads and Vulkan ---- */

static struct allocations own; /* by whatever callbacks, or none */
static bool own_stays;         /* those after the one that fails, fail too */
static atomic_int threads, thread_fails;

void *__real_vkdml_allocate(const VkAllocationCallbacks *callbacks, size_t bytes);
void *__wrap_vkdml_allocate(const VkAllocationCallbacks *callbacks, size_t bytes);
void *__real_vkdml_allocate_unset(const VkAllocationCallbacks *callbacks, size_t bytes);
void *__wrap_vkdml_allocate_unset(const VkAllocationCallbacks *callbacks, size_t bytes);
void __real_vkdml_free(const VkAllocationCallbacks *callbacks, void *memory);
void __wrap_vkdml_free(const VkAllocationCallbacks *callbacks, void *memory);
VkdmlResult __real_vkdml_loader_open(struct vkdml_report *report, void **library, PFN_vkGetInstanceProcAddr *get);
VkdmlResult __wrap_vkdml_loader_open(struct vkdml_report *report, void **library, PFN_vkGetInstanceProcAddr *get);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data);

static bool allocation_fails(void) {
    const int made = atomic_fetch_add(&own.made, 1) + 1, fails = atomic_load(&own.fails);
    return fails != 0 && (own_stays ? made >= fails : made == fails);
}

void *__wrap_vkdml_allocate(const VkAllocationCallbacks *callbacks, size_t bytes) {
    void *memory = allocation_fails() ? NULL : __real_vkdml_allocate(callbacks, bytes);
    atomic_fetch_add(&own.live, memory != NULL);
    return memory;
}

void *__wrap_vkdml_allocate_unset(const VkAllocationCallbacks *callbacks, size_t bytes) {
    void *memory = allocation_fails() ? NULL : __real_vkdml_allocate_unset(callbacks, bytes);
    atomic_fetch_add(&own.live, memory != NULL);
    return memory;
}

void __wrap_vkdml_free(const VkAllocationCallbacks *callbacks, void *memory) {
    atomic_fetch_sub(&own.live, memory != NULL);
    __real_vkdml_free(callbacks, memory);
}

VkdmlResult __wrap_vkdml_loader_open(struct vkdml_report *report, void **library, PFN_vkGetInstanceProcAddr *get) {
    const VkdmlResult result = __real_vkdml_loader_open(report, library, get);
    *get = interposer_get_instance_proc_addr;
    return result;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data) {
    const int made = atomic_fetch_add(&threads, 1) + 1, fails = atomic_load(&thread_fails);
    return fails != 0 && made >= fails ? 11 /* EAGAIN */ : __real_pthread_create(thread, attributes, start, data);
}

/* ---- what calls are made on ---- */

enum { COUNT = 16, CACHE_BYTES = 1 << 20 };

static struct world {
    VkdmlDevice device;
    VkdmlOperator op;           /* NONZERO_COORDINATES, whose pipelines there are not yet */
    VkdmlDispatchable compiled; /* DIAGONAL_MATRIX */
    VkdmlDispatchable owned;    /* with an input that is OWNED_BY_DML */
    VkdmlBindingTable table;    /* of the compiled one, its output bound */
    struct graph graph;
    VkDescriptorPool pool;
    VkdmlWeightStore store;   /* with the weights of the graph, which are not initialized */
    VkdmlDispatchable stored; /* the graph with these */
    VkdmlDispatchable part;   /* an initializer of some */
    uint64_t page_bytes;      /* of the other buffer, that pages have taken */
    /* What the call made; not NULL before it. */
    void *made;
    void (*destroy)(void *made);
} world;

static unsigned char cache[CACHE_BYTES];
static size_t cache_size;

static VkdmlResult allocate_page(void *data, uint64_t bytes, VkdmlBufferBinding *page) {
    (void)data;
    *page = other_range(world.page_bytes, bytes);
    world.page_bytes += (bytes + 255) / 256 * 256;
    return VKDML_SUCCESS;
}

static void free_page(void *data, const VkdmlBufferBinding *page) {
    (void)data;
    (void)page;
}

static VkdmlResult create_store_of(VkdmlWeightStore *store) {
    const VkdmlWeightStoreCreateInfo info = {
        .structSize = sizeof info, .allocatePage = allocate_page, .freePage = free_page};
    return vkdmlCreateWeightStore(world.device, &info, store);
}

static VkdmlResult compile_stored_in(VkdmlWeightStore store, VkdmlDispatchable *compiled) {
    const VkdmlCompileInfo info = {.structSize = sizeof info, .weightStore = store};
    return vkdmlCompileGraph(world.device, &world.graph.desc, &info, compiled);
}

static void begin_world(bool has_device) {
    reset_vulkan();
    memset(&world, 0, sizeof world);
    if (!has_device) {
        return;
    }
    struct identity identity;
    struct nonzero nonzero;
    struct diagonal diagonal;
    const VkdmlBufferBinding output = range(0, 4 * (VkDeviceSize)COUNT * COUNT);
    identity_init(&identity, COUNT);
    identity.input.buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    nonzero_init(&nonzero, COUNT);
    diagonal_init(&diagonal, COUNT);
    world.device = import_device(0, NULL);
    assert_int_equal(vkdmlCreateOperator(world.device, &nonzero.desc, &world.op), VKDML_SUCCESS);
    world.compiled = compile_desc(world.device, &diagonal.desc);
    world.owned = compile_desc(world.device, &identity.desc);
    world.table = create_table(world.device, world.compiled, VK_NULL_HANDLE);
    assert_int_equal(vkdmlBindOutputs(world.table, 1, &output), VKDML_SUCCESS);
    small_graph(world.device, &world.graph);
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 64},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 16}};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                             .maxSets = 16,
                                             .poolSizeCount = 2,
                                             .pPoolSizes = sizes};
    assert_int_equal(vkCreateDescriptorPool(vulkan.device, &info, NULL, &world.pool), VK_SUCCESS);
    assert_int_equal(create_store_of(&world.store), VKDML_SUCCESS);
}

static void end_world(void) {
    if (world.made != NULL && world.destroy != NULL) {
        world.destroy(world.made);
    }
    graph_end(&world.graph);
    vkdmlDestroyDispatchable(world.part);
    vkdmlDestroyDispatchable(world.stored);
    vkdmlDestroyWeightStore(world.store);
    vkdmlDestroyBindingTable(world.table);
    vkdmlDestroyDispatchable(world.owned);
    vkdmlDestroyDispatchable(world.compiled);
    vkdmlDestroyOperator(world.op);
    vkdmlDestroyDevice(world.device);
    if (world.pool != VK_NULL_HANDLE) {
        vkDestroyDescriptorPool(vulkan.device, world.pool, NULL);
    }
    assert_nothing_left();
    assert_int_equal(own.live, 0);
}

/* A call whose handle is NULL where it fails. */
#define MAKING(name, type, call, destroys)                                                                             \
    static void destroy_##name(void *made) {                                                                           \
        destroys((type)made);                                                                                          \
    }                                                                                                                  \
    static VkdmlResult name(void) {                                                                                    \
        type made = (type)(void *)&world;                                                                              \
        const VkdmlResult result = call;                                                                               \
        assert_int_equal(made == NULL, result != VKDML_SUCCESS);                                                       \
        world.made = (void *)made;                                                                                     \
        world.destroy = destroy_##name;                                                                                \
        return result;                                                                                                 \
    }

static VkdmlResult import_it(VkdmlDevice *device) {
    VkAllocationCallbacks callbacks = counting_callbacks(&allocations);
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = interposer_get_instance_proc_addr;
    info.allocationCallbacks = &callbacks;
    info.pipelineCacheData = cache;
    info.pipelineCacheDataSize = cache_size;
    return vkdmlCreateDevice(&info, device);
}

static VkdmlResult open_it(VkdmlDeviceFlags flags, VkdmlDevice *device) {
    VkAllocationCallbacks callbacks = counting_callbacks(&allocations);
    const VkdmlDeviceOpenInfo info = {.structSize = sizeof info,
                                      .headerVersion = VKDML_HEADER_VERSION,
                                      .flags = flags,
                                      .allocationCallbacks = &callbacks};
    return vkdmlOpenDevice(&info, device);
}

static VkdmlResult create_operator_of(VkdmlOperator *op) {
    struct identity identity;
    identity_init(&identity, COUNT);
    return vkdmlCreateOperator(world.device, &identity.desc, op);
}

static VkdmlResult compile_graph_with(VkdmlCompileFlags flags, VkdmlDispatchable *compiled) {
    const VkdmlCompileInfo info = {.structSize = sizeof info, .flags = flags};
    return vkdmlCompileGraph(world.device, &world.graph.desc, &info, compiled);
}

static VkdmlResult create_table_in(VkDescriptorPool pool, VkdmlBindingTable *table) {
    const VkdmlBindingTableCreateInfo info = {
        .structSize = sizeof info, .dispatchable = world.compiled, .descriptorPool = pool};
    return vkdmlCreateBindingTable(world.device, &info, table);
}

typedef const VkdmlExplanation *Explanation;

static VkdmlResult create_part_of(VkdmlDispatchable *part) {
    return vkdmlCreateWeightInitializer(world.stored, 1, part);
}

MAKING(import, VkdmlDevice, import_it(&made), vkdmlDestroyDevice)
MAKING(open, VkdmlDevice, open_it(0, &made), vkdmlDestroyDevice)
MAKING(open_validated, VkdmlDevice, open_it(VKDML_DEVICE_FLAG_VALIDATION, &made), vkdmlDestroyDevice)
MAKING(create_operator, VkdmlOperator, create_operator_of(&made), vkdmlDestroyOperator)
MAKING(compile_operator, VkdmlDispatchable, vkdmlCompileOperator(world.op, NULL, &made), vkdmlDestroyDispatchable)
MAKING(compile_graph, VkdmlDispatchable, compile_graph_with(0, &made), vkdmlDestroyDispatchable)
MAKING(compile_in_parallel, VkdmlDispatchable,
       compile_graph_with(VKDML_COMPILE_FLAG_PARALLEL | VKDML_COMPILE_FLAG_NODE_BY_NODE, &made),
       vkdmlDestroyDispatchable)
MAKING(compile_for_open_sizes, VkdmlDispatchable, compile_graph_with(VKDML_COMPILE_FLAG_OPEN_SIZES, &made),
       vkdmlDestroyDispatchable)
MAKING(create_initializer, VkdmlDispatchable, vkdmlCreateOperatorInitializer(world.device, 1, &world.owned, &made),
       vkdmlDestroyDispatchable)
MAKING(compile_stored, VkdmlDispatchable, compile_stored_in(world.store, &made), vkdmlDestroyDispatchable)
MAKING(create_store, VkdmlWeightStore, create_store_of(&made), vkdmlDestroyWeightStore)
MAKING(create_part, VkdmlDispatchable, create_part_of(&made), vkdmlDestroyDispatchable)
MAKING(create_binding_table, VkdmlBindingTable, create_table_in(VK_NULL_HANDLE, &made), vkdmlDestroyBindingTable)
MAKING(create_table_in_a_pool, VkdmlBindingTable, create_table_in(world.pool, &made), vkdmlDestroyBindingTable)
MAKING(explain_operator, Explanation, vkdmlExplainOperator(world.op, NULL, &made), vkdmlDestroyExplanation)
MAKING(explain_graph, Explanation, vkdmlExplainGraph(world.device, &world.graph.desc, NULL, &made),
       vkdmlDestroyExplanation)

/* A call that makes nothing. */
#define CALLING(name, call)                                                                                            \
    static VkdmlResult name(void) {                                                                                    \
        return call;                                                                                                   \
    }
/* A call that cannot fail. */
#define DOING(name, call)                                                                                              \
    static VkdmlResult name(void) {                                                                                    \
        call;                                                                                                          \
        return VKDML_SUCCESS;                                                                                          \
    }

static VkdmlResult enumerate(void) {
    VkdmlPhysicalDeviceInfo infos[8];
    uint32_t count = 8;
    return vkdmlEnumeratePhysicalDevices(&count, infos);
}

static VkdmlResult check_feature(void) {
    DML_FEATURE_LEVEL level = DML_FEATURE_LEVEL_1_0;
    DML_FEATURE_QUERY_FEATURE_LEVELS query = {1, &level};
    DML_FEATURE_DATA_FEATURE_LEVELS answer;
    return vkdmlCheckFeatureSupport(world.device, DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof answer,
                                    &answer);
}

static VkdmlResult get_cache(void) {
    cache_size = sizeof cache;
    return vkdmlGetPipelineCacheData(world.device, &cache_size, cache);
}

static VkdmlResult validate(void) {
    struct identity identity;
    identity_init(&identity, COUNT);
    return vkdmlValidateOperator(&identity.desc, 0);
}

static VkdmlResult infer(void) {
    struct nonzero nonzero;
    VkdmlTensorShape shapes[2];
    nonzero_init(&nonzero, COUNT);
    return vkdmlInferOutputSizes(&nonzero.desc, 0, 2, shapes);
}

static VkdmlResult execute(void) {
    static uint32_t input[COUNT], count[1], coordinates[4 * COUNT];
    struct nonzero nonzero;
    nonzero_init(&nonzero, COUNT);
    const VkdmlHostBinding inputs[] = {{input, sizeof input}};
    const VkdmlHostBinding outputs[] = {{count, sizeof count}, {coordinates, sizeof coordinates}};
    const VkdmlReferenceInfo info = {.structSize = sizeof info,
                                     .desc = &nonzero.desc,
                                     .inputCount = 1,
                                     .inputs = inputs,
                                     .outputCount = 2,
                                     .outputs = outputs};
    return vkdmlReferenceExecute(&info);
}

static VkdmlResult execute_graph(void) {
    static float data[4][SMALL_COUNT];
    const VkdmlHostBinding inputs[] = {{data[0], SMALL_BYTES}, {data[1], SMALL_BYTES}, {NULL, 0}};
    const VkdmlHostBinding outputs[] = {{data[2], SMALL_BYTES}, {data[3], SMALL_BYTES}};
    return graph_reference(&world.graph, inputs, outputs);
}

static VkdmlResult bind_and_record(VkdmlDispatchable of, uint32_t input_count, const VkdmlBufferBinding *inputs,
                                   uint32_t output_count, const VkdmlBufferBinding *outputs,
                                   const VkdmlBufferBinding *persistent, VkCommandBuffer commands) {
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = of};
    VkdmlBindingProperties needs;
    VkdmlBindingTable table;
    VkdmlResult result = vkdmlCreateBindingTable(world.device, &info, &table);
    if (result == VKDML_SUCCESS) {
        assert_int_equal(vkdmlGetBindingProperties(of, &needs), VKDML_SUCCESS);
        const VkdmlBufferBinding temporary = other_range(0, needs.temporaryResourceSize);
        assert_int_equal(vkdmlBindInputs(table, input_count, inputs), VKDML_SUCCESS);
        assert_int_equal(vkdmlBindOutputs(table, output_count, outputs), VKDML_SUCCESS);
        if (needs.temporaryResourceSize > 0) {
            assert_int_equal(vkdmlBindTemporaryResource(table, &temporary), VKDML_SUCCESS);
        }
        if (needs.persistentResourceSize > 0) {
            assert_int_equal(vkdmlBindPersistentResource(table, persistent), VKDML_SUCCESS);
        }
        result = vkdmlRecordDispatch(world.device, commands, of, table);
        vkdmlDestroyBindingTable(table);
    }
    return result;
}

/* A graph from its compilation to its recording, its initialization before. */
static VkdmlResult record_graph(void) {
    const VkdmlBufferBinding none = {.buffer = VK_NULL_HANDLE}, data = range(0, SMALL_BYTES);
    const VkdmlBufferBinding owned[] = {none, data, none}, inputs[] = {data, none, none};
    const VkdmlBufferBinding outputs[] = {range(4096, SMALL_BYTES), range(8192, SMALL_BYTES)};
    VkdmlDispatchable compiled = NULL, initializer = NULL;
    VkdmlBindingProperties needs;
    VkdmlResult result = compile_graph_with(0, &compiled);
    if (result == VKDML_SUCCESS) {
        result = vkdmlCreateOperatorInitializer(world.device, 1, &compiled, &initializer);
    }
    if (result == VKDML_SUCCESS) {
        assert_int_equal(vkdmlGetBindingProperties(compiled, &needs), VKDML_SUCCESS);
        const VkdmlBufferBinding persistent = range(16384, needs.persistentResourceSize);
        VkCommandBuffer commands = vulkan_begin(&vulkan);
        result = bind_and_record(initializer, 3, owned, 1, &persistent, NULL, commands);
        if (result == VKDML_SUCCESS) {
            result = bind_and_record(compiled, 3, inputs, 2, outputs, &persistent, commands);
        }
    }
    vkdmlDestroyDispatchable(initializer);
    vkdmlDestroyDispatchable(compiled);
    return result;
}

static VkdmlResult get_overlapped(void) {
    uint32_t count = 0;
    return vkdmlGetOverlappedInputs(world.table, &count, NULL);
}

static VkdmlResult get_written(void) {
    uint64_t bytes = 0;
    return vkdmlGetWrittenSize(world.compiled, 0, &bytes);
}

static VkdmlResult get_part_inputs(void) {
    uint32_t count = 0;
    return vkdmlGetWeightInitializerInputs(world.part, &count, NULL);
}

static VkdmlWeightStoreInfo store_info;
static VkdmlGeneralPipelineInfo pipeline_info;
static VkdmlRequirements requirements;
static VkdmlVulkanHandles handles;
static VkdmlBindingProperties properties;
static const uint32_t sizes[4] = {1, 1, 1, 1};

CALLING(get_requirements, vkdmlGetRequirements(&requirements))
CALLING(get_operator_requirements,
        vkdmlGetOperatorRequirements(DML_OPERATOR_GEMM, DML_TENSOR_DATA_TYPE_FLOAT32, &requirements))
CALLING(get_handles, vkdmlGetVulkanHandles(world.device, &handles))
CALLING(check_operator, vkdmlCheckOperatorSupport(world.device, DML_OPERATOR_GEMM, DML_TENSOR_DATA_TYPE_FLOAT32))
CALLING(get_lost_reason, vkdmlGetDeviceLostReason(world.device))
CALLING(merge_cache, vkdmlMergePipelineCacheData(world.device, cache_size, cache))
CALLING(get_properties, vkdmlGetBindingProperties(world.compiled, &properties))
CALLING(bind_inputs, vkdmlBindInputs(world.table, 0, NULL))
CALLING(bind_outputs, vkdmlBindOutputs(world.table, 1, &(VkdmlBufferBinding){vulkan.buffer, 4096, 4 * COUNT *COUNT}))
CALLING(bind_temporary, vkdmlBindTemporaryResource(world.table, NULL))
CALLING(bind_persistent, vkdmlBindPersistentResource(world.table, NULL))
CALLING(record, vkdmlRecordDispatch(world.device, vulkan_begin(&vulkan), world.compiled, world.table))
CALLING(trim_store, vkdmlTrimWeightStore(world.store))
CALLING(reset_part, vkdmlResetWeightInitializer(world.part))
CALLING(get_pipeline_info, vkdmlGetGeneralPipelineInfo(world.compiled, &pipeline_info))
CALLING(get_store_info, vkdmlGetWeightStoreInfo(world.store, &store_info))
DOING(destroy_store, vkdmlDestroyWeightStore(world.store); world.store = NULL)
DOING(destroy_device, vkdmlDestroyDevice(NULL))
DOING(destroy_operator, vkdmlDestroyOperator(world.op); world.op = NULL)
DOING(destroy_dispatchable, vkdmlDestroyDispatchable(world.owned); world.owned = NULL)
DOING(destroy_table, vkdmlDestroyBindingTable(world.table); world.table = NULL)
DOING(destroy_explanation, vkdmlDestroyExplanation(NULL))
DOING(get_level, vkdmlGetFeatureLevel(world.device))
DOING(get_variant, vkdmlGetKernelVariant(world.device))
DOING(report_lost, vkdmlReportDeviceLost(world.device, "a test says so"))
DOING(mute, vkdmlMuteLog(world.device, 0))
DOING(get_schema, vkdmlGetOperatorSchema(DML_OPERATOR_GEMM))
DOING(get_schema_count, vkdmlGetOperatorSchemaCount())
DOING(get_schema_at, vkdmlGetOperatorSchemaAt(0))
DOING(get_name, vkdmlGetOperatorName(DML_OPERATOR_GEMM))
DOING(get_operator_level, vkdmlGetOperatorFeatureLevel(DML_OPERATOR_GEMM))
DOING(get_type_name, vkdmlGetDataTypeName(DML_TENSOR_DATA_TYPE_FLOAT32))
DOING(get_type_size, vkdmlGetDataTypeSize(DML_TENSOR_DATA_TYPE_FLOAT32))
DOING(get_type_bits, vkdmlGetDataTypeBits(DML_TENSOR_DATA_TYPE_FLOAT32))
DOING(get_level_name, vkdmlGetFeatureLevelName(DML_FEATURE_LEVEL_1_0))
DOING(get_tensor_size, vkdmlCalcBufferTensorSize(DML_TENSOR_DATA_TYPE_FLOAT32, 4, sizes, NULL))
DOING(get_result_text, vkdmlResultToString(VKDML_SUCCESS))
DOING(get_message, vkdmlGetErrorMessage())
DOING(get_causes, vkdmlGetErrorCauses())
DOING(get_version, vkdmlGetVersion())
DOING(get_version_text, vkdmlGetVersionString())

/* Every function of the API (check_fault_points.py), with how many points at least must have been seen to fail. */
static const struct subject {
    const char *name;
    VkdmlResult (*call)(void);
    int allocations;
    int calls;         /* of Vulkan */
    bool has_device;   /* and needs what is made on it */
    bool again;        /* what failed is tried again within the call, which may succeed */
    bool device_keeps; /* pipelines, of a call that fails */
} subjects[] = {
    {"vkdmlGetRequirements", get_requirements, 0, 0, false, false, false},
    {"vkdmlGetOperatorRequirements", get_operator_requirements, 0, 0, false, false, false},
    {"vkdmlCreateDevice", import, 1, 17, false, false, false},
    {"vkdmlOpenDevice", open, 4, 22, false, false, false},
    {"vkdmlOpenDevice", open_validated, 5, 24, false, false, false},
    {"vkdmlDestroyDevice", destroy_device, 0, 0, false, false, false},
    {"vkdmlEnumeratePhysicalDevices", enumerate, 2, 4, false, false, false},
    {"vkdmlGetVulkanHandles", get_handles, 0, 0, true, false, false},
    {"vkdmlCheckFeatureSupport", check_feature, 0, 0, true, false, false},
    {"vkdmlGetFeatureLevel", get_level, 0, 0, true, false, false},
    {"vkdmlGetKernelVariant", get_variant, 0, 0, true, false, false},
    {"vkdmlCheckOperatorSupport", check_operator, 0, 0, true, false, false},
    {"vkdmlGetDeviceLostReason", get_lost_reason, 0, 0, true, false, false},
    {"vkdmlReportDeviceLost", report_lost, 0, 0, true, false, false},
    {"vkdmlMuteLog", mute, 0, 0, true, false, false},
    {"vkdmlGetPipelineCacheData", get_cache, 0, 2, true, false, false},
    {"vkdmlMergePipelineCacheData", merge_cache, 0, 2, true, false, false},
    {"vkdmlCreateOperator", create_operator, 2, 0, true, false, false},
    {"vkdmlDestroyOperator", destroy_operator, 0, 0, true, false, false},
    {"vkdmlCompileOperator", compile_operator, 15, 4, true, false, true},
    {"vkdmlCreateOperatorInitializer", create_initializer, 1, 0, true, false, true},
    {"vkdmlDestroyDispatchable", destroy_dispatchable, 0, 0, true, false, false},
    {"vkdmlGetBindingProperties", get_properties, 0, 0, true, false, false},
    {"vkdmlCreateBindingTable", create_binding_table, 1, 2, true, false, false},
    {"vkdmlCreateBindingTable", create_table_in_a_pool, 1, 1, true, false, false},
    {"vkdmlDestroyBindingTable", destroy_table, 0, 0, true, false, false},
    {"vkdmlBindInputs", bind_inputs, 0, 0, true, false, false},
    {"vkdmlBindOutputs", bind_outputs, 0, 0, true, false, false},
    {"vkdmlBindTemporaryResource", bind_temporary, 0, 0, true, false, false},
    {"vkdmlBindPersistentResource", bind_persistent, 0, 0, true, false, false},
    {"vkdmlGetOverlappedInputs", get_overlapped, 0, 0, true, false, false},
    {"vkdmlGetWrittenSize", get_written, 0, 0, true, false, false},
    {"vkdmlRecordDispatch", record, 0, 0, true, false, false},
    {"vkdmlRecordDispatch", record_graph, 45, 10, true, false, true},
    {"vkdmlExplainOperator", explain_operator, 6, 0, true, false, false},
    {"vkdmlExplainGraph", explain_graph, 26, 0, true, false, false},
    {"vkdmlDestroyExplanation", destroy_explanation, 0, 0, false, false, false},
    {"vkdmlCompileGraph", compile_graph, 43, 8, true, false, true},
    {"vkdmlCompileGraph", compile_in_parallel, 35, 2, true, true, true},
    {"vkdmlCompileGraph", compile_for_open_sizes, 36, 2, true, true, true},
    {"vkdmlCompileGraph", compile_stored, 65, 8, true, false, true},
    {"vkdmlCreateWeightStore", create_store, 1, 0, true, false, false},
    {"vkdmlDestroyWeightStore", destroy_store, 0, 0, true, false, false},
    {"vkdmlTrimWeightStore", trim_store, 0, 0, true, false, false},
    {"vkdmlGetWeightStoreInfo", get_store_info, 0, 0, true, false, false},
    {"vkdmlCreateWeightInitializer", create_part, 4, 0, true, false, false},
    {"vkdmlGetWeightInitializerInputs", get_part_inputs, 0, 0, true, false, false},
    {"vkdmlResetWeightInitializer", reset_part, 0, 0, true, false, false},
    {"vkdmlGetGeneralPipelineInfo", get_pipeline_info, 0, 0, true, false, false},
    {"vkdmlInferOutputSizes", infer, 1, 0, false, false, false},
    {"vkdmlValidateOperator", validate, 1, 0, false, false, false},
    {"vkdmlReferenceExecute", execute, 3, 0, false, false, false},
    {"vkdmlReferenceExecuteGraph", execute_graph, 10, 0, true, false, false},
    {"vkdmlGetOperatorSchema", get_schema, 0, 0, false, false, false},
    {"vkdmlGetOperatorSchemaCount", get_schema_count, 0, 0, false, false, false},
    {"vkdmlGetOperatorSchemaAt", get_schema_at, 0, 0, false, false, false},
    {"vkdmlGetOperatorName", get_name, 0, 0, false, false, false},
    {"vkdmlGetOperatorFeatureLevel", get_operator_level, 0, 0, false, false, false},
    {"vkdmlGetDataTypeName", get_type_name, 0, 0, false, false, false},
    {"vkdmlGetDataTypeSize", get_type_size, 0, 0, false, false, false},
    {"vkdmlGetDataTypeBits", get_type_bits, 0, 0, false, false, false},
    {"vkdmlGetFeatureLevelName", get_level_name, 0, 0, false, false, false},
    {"vkdmlCalcBufferTensorSize", get_tensor_size, 0, 0, false, false, false},
    {"vkdmlResultToString", get_result_text, 0, 0, false, false, false},
    {"vkdmlGetErrorMessage", get_message, 0, 0, false, false, false},
    {"vkdmlGetErrorCauses", get_causes, 0, 0, false, false, false},
    {"vkdmlGetVersion", get_version, 0, 0, false, false, false},
    {"vkdmlGetVersionString", get_version_text, 0, 0, false, false, false},
};

static const char *only; /* this function; NULL: all */

/* The validation layer need not be there. */
static bool is_there(const struct subject *subject) {
    bool there = only == NULL || strcmp(subject->name, only) == 0;
    if (there && subject->call == open_validated) {
        begin_world(false);
        there = subject->call() == VKDML_SUCCESS;
        end_world();
    }
    return there;
}

/* ---- the points ---- */

struct left {
    int own, live;
    int32_t vulkan;
};

static struct left count_left(void) {
    return (struct left){own.live, allocations.live, interposer.live};
}

/* With a graph in the store only for calls that need one: it takes pipelines that others are to create. */
static void begin_world_of(const struct subject *subject) {
    begin_world(subject->has_device);
    const bool needs_part = subject->call == get_part_inputs || subject->call == reset_part;
    if (subject->call == create_part || needs_part) {
        assert_int_equal(compile_stored_in(world.store, &world.stored), VKDML_SUCCESS);
    }
    if (needs_part) {
        assert_int_equal(create_part_of(&world.part), VKDML_SUCCESS);
        assert_non_null(world.part);
    }
}

/* After a failure. The driver's own memory may grow with what it keeps for later. */
static void assert_left(const struct subject *subject, const struct left *before) {
    const struct left now = count_left();
    if (subject->device_keeps) {
        assert_true(now.own >= before->own && now.vulkan >= before->vulkan);
    } else {
        assert_int_equal(now.own, before->own);
        assert_int_equal(now.vulkan, before->vulkan);
    }
    assert_true(vkdmlGetErrorMessage()[0] != '\0');
}

/* Whether a call has an nth allocation, which fails, alone or with all behind it. */
static bool fail_allocation(const struct subject *subject, int nth, bool stays, int *failures) {
    begin_world_of(subject);
    const struct left before = count_left();
    atomic_store(&own.made, 0);
    atomic_store(&own.fails, nth);
    own_stays = stays;
    const VkdmlResult result = subject->call();
    const bool reached = atomic_load(&own.made) >= nth;
    atomic_store(&own.fails, 0);
    if (result != VKDML_SUCCESS) {
        ++*failures;
        assert_true(reached);
        assert_int_equal(result, VKDML_ERROR_OUT_OF_HOST_MEMORY);
        assert_left(subject, &before);
        assert_int_equal(subject->call(), VKDML_SUCCESS);
    }
    end_world();
    return reached;
}

static void every_allocation_fails_in_turn(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (!is_there(&subjects[i])) {
            continue;
        }
        for (int stays = 0; stays < (subjects[i].again ? 2 : 1); stays++) {
            int failures = 0, nth = 1;
            while (fail_allocation(&subjects[i], nth, stays != 0, &failures)) {
                nth++;
            }
            if (failures < subjects[i].allocations && (stays || !subjects[i].again)) {
                fail_msg("%s: %d allocations failed, must be %d", subjects[i].name, failures, subjects[i].allocations);
            }
            print_message("%s: %d allocations, %d failures\n", subjects[i].name, nth - 1, failures);
        }
    }
}

struct fault {
    enum interposed function;
    uint32_t nth;
    VkResult failure;
    VkdmlResult expected;
    bool stays;
};

/* What the library goes on without. */
static bool is_survived(const struct subject *subject, const struct fault *fault) {
    return fault->function == INTERPOSED_EnumerateDeviceExtensionProperties || (subject->again && !fault->stays) ||
           /* Memory that is full is replaced by another type's. */
           (fault->function == INTERPOSED_AllocateMemory && fault->failure == VK_ERROR_OUT_OF_DEVICE_MEMORY &&
            !fault->stays);
}

/* Whether a call makes so many calls of a function. */
static bool fail_call(const struct subject *subject, const struct fault *fault, int *failures) {
    begin_world_of(subject);
    const struct left before = count_left();
    const uint32_t called = interposer.calls[fault->function];
    interposer.failing = fault->function;
    interposer.fail_at = called + fault->nth;
    interposer.failure = fault->failure;
    interposer.stays = fault->stays;
    const VkdmlResult result = subject->call();
    const bool reached = interposer.calls[fault->function] >= called + fault->nth;
    interposer.fail_at = 0;
    const bool lost = reached && fault->failure == VK_ERROR_DEVICE_LOST && subject->has_device;
    if (result != VKDML_SUCCESS) {
        ++*failures;
        assert_true(reached);
        assert_int_equal(result, fault->expected);
        assert_reason(interposed_name(fault->function));
        assert_left(subject, &before);
        assert_int_equal(subject->call(), lost ? VKDML_ERROR_DEVICE_LOST : VKDML_SUCCESS);
    } else if (reached && (!is_survived(subject, fault) || lost)) {
        fail_msg("%s succeeds though call %u of %s returned %d", subject->name, fault->nth,
                 interposed_name(fault->function), (int)fault->failure);
    }
    if (lost) {
        assert_int_equal(vkdmlGetDeviceLostReason(world.device), VKDML_ERROR_DEVICE_LOST);
        assert_reason("device is lost: ");
        assert_reason(interposed_name(fault->function));
    }
    end_world();
    return reached;
}

static bool may_fail(enum interposed function) {
    static const bool may[] = {
#define MAY_CREATES                true
#define MAY_REPORTS                true
#define MAY_DESTROYS               false
#define MAY_RECORDS                false
#define INTERPOSE(name, kind, ...) MAY_##kind,
#include "interposed.inc"
    };
    return may[function];
}

/* How often a call that succeeds calls each function. */
static void count_calls(const struct subject *subject, uint32_t *calls) {
    begin_world_of(subject);
    for (uint32_t function = 0; function < INTERPOSED_COUNT; function++) {
        calls[function] = interposer.calls[function];
    }
    assert_int_equal(subject->call(), VKDML_SUCCESS);
    for (uint32_t function = 0; function < INTERPOSED_COUNT; function++) {
        calls[function] = interposer.calls[function] - calls[function];
    }
    end_world();
}

static void fail_calls(const struct subject *subject, const uint32_t *calls, struct fault fault, int *failures) {
    for (uint32_t function = 0; function < INTERPOSED_COUNT; function++) {
        fault.function = (enum interposed)function;
        fault.nth = 1;
        while (may_fail(fault.function) && calls[function] > 0 && fail_call(subject, &fault, failures)) {
            fault.nth++;
        }
    }
}

static void every_call_of_vulkan_fails_in_turn(void **state) {
    (void)state;
    static const struct fault faults[] = {
        {.failure = VK_ERROR_OUT_OF_HOST_MEMORY, .expected = VKDML_ERROR_OUT_OF_HOST_MEMORY},
        {.failure = VK_ERROR_OUT_OF_DEVICE_MEMORY, .expected = VKDML_ERROR_OUT_OF_DEVICE_MEMORY},
        {.failure = VK_ERROR_DEVICE_LOST, .expected = VKDML_ERROR_DEVICE_LOST},
        {.failure = VK_ERROR_OUT_OF_DEVICE_MEMORY, .expected = VKDML_ERROR_OUT_OF_DEVICE_MEMORY, .stays = true},
    };
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (!is_there(&subjects[i])) {
            continue;
        }
        uint32_t calls[INTERPOSED_COUNT];
        count_calls(&subjects[i], calls);
        for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
            int failures = 0;
            if (faults[f].stays && !subjects[i].again) {
                continue;
            }
            fail_calls(&subjects[i], calls, faults[f], &failures);
            if (failures < subjects[i].calls && (faults[f].stays || !subjects[i].again)) {
                fail_msg("%s: %d calls failed, must be %d", subjects[i].name, failures, subjects[i].calls);
            }
            print_message("%s: %d calls failed with %d\n", subjects[i].name, failures, (int)faults[f].failure);
        }
    }
}

static void a_cache_that_grows_while_it_is_read_is_read_again(void **state) {
    (void)state;
    begin_world(true);
    interposer.failing = INTERPOSED_GetPipelineCacheData;
    interposer.fail_at = 2;
    interposer.failure = VK_INCOMPLETE;
    assert_int_equal(get_cache(), VKDML_SUCCESS);
    assert_int_equal(interposer.calls[INTERPOSED_GetPipelineCacheData], 4);
    end_world();
}

static void without_threads_pipelines_are_created_by_the_caller(void **state) {
    (void)state;
    for (int fails = 0; fails < 3; fails++) {
        begin_world(true);
        atomic_store(&threads, 0);
        atomic_store(&thread_fails, fails);
        assert_int_equal(compile_in_parallel(), VKDML_SUCCESS);
        atomic_store(&thread_fails, 0);
        assert_true(fails == 0 || atomic_load(&threads) <= fails);
        end_world();
    }
}

/* The cache's data, for what reads it. */
static int set_up(void **state) {
    set_up_vulkan(state);
    begin_world(true);
    assert_int_equal(get_cache(), VKDML_SUCCESS);
    end_world();
    return 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_in_turn),
        cmocka_unit_test(every_call_of_vulkan_fails_in_turn),
        cmocka_unit_test(a_cache_that_grows_while_it_is_read_is_read_again),
        cmocka_unit_test(without_threads_pipelines_are_created_by_the_caller),
    };
    only = argc > 1 ? argv[1] : NULL;
    return cmocka_run_group_tests_name("fault points", tests, set_up, tear_down_vulkan);
}
