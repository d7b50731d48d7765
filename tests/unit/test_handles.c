/* Handles: objects that outlive their device, and devices that check what they are given. On the machine's first Vulkan
 * device. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>

#include "device_fixture.h"
#include "vkdml/vkdml.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Messages by level, from any thread. */
static struct {
    atomic_uint count[3];
    char last[3][512];
} messages;

static void keep_message(void *user_data, VkdmlLogLevel level, const char *message) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)user_data;
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&messages.count[level], 1);
    snprintf(messages.last[level], sizeof messages.last[level], "%s", message);
    pthread_mutex_unlock(&lock);
}

static int set_up(void **state) {
    (void)state;
    interposer_reset(vkGetInstanceProcAddr);
    memset(&messages, 0, sizeof messages);
    return 0;
}

/* Whatever a test did, nothing is left. */
static int tear_down(void **state) {
    (void)state;
    assert_nothing_left();
    return 0;
}

static VkdmlOperator create_operator(VkdmlDevice device) {
    struct identity identity;
    VkdmlOperator op;
    identity_init(&identity, 16);
    assert_int_equal(vkdmlCreateOperator(device, &identity.desc, &op), VKDML_SUCCESS);
    return op;
}

static void create_objects(VkdmlDeviceFlags flags, struct objects *objects) {
    objects->device = import_device(flags, keep_message);
    objects->op = create_operator(objects->device);
    assert_int_equal(vkdmlCompileOperator(objects->op, NULL, &objects->compiled), VKDML_SUCCESS);
    assert_int_equal(vkdmlCreateOperatorInitializer(objects->device, 1, &objects->compiled, &objects->initializer),
                     VKDML_SUCCESS);
    objects->table = create_table(objects->device, objects->compiled, VK_NULL_HANDLE);
}

static void expect_refused(VkdmlResult result, const char *reason) {
    assert_string_equal(vkdmlGetErrorMessage(), reason);
    assert_int_equal(result, VKDML_ERROR_INVALID_ARGUMENT);
}

/* ---- objects that outlive their device ---- */

static void a_device_without_objects_goes_without_a_word(void **state) {
    (void)state;
    struct objects objects;
    create_objects(0, &objects);
    destroy_objects(&objects);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_WARNING], 0);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 0);
}

static void what_is_alive_at_the_devices_end_is_counted_in_one_warning(void **state) {
    (void)state;
    for (VkdmlDeviceFlags flags = 0; flags <= VKDML_DEVICE_FLAG_CHECK_HANDLES;
         flags += VKDML_DEVICE_FLAG_CHECK_HANDLES) {
        struct objects objects;
        create_objects(flags, &objects);
        VkdmlBindingTable tables[] = {create_table(objects.device, objects.initializer, VK_NULL_HANDLE),
                                      create_table(objects.device, objects.compiled, VK_NULL_HANDLE)};
        memset(&messages, 0, sizeof messages);
        vkdmlDestroyDevice(objects.device);
        assert_int_equal(messages.count[VKDML_LOG_LEVEL_WARNING], 1);
        assert_string_equal(messages.last[VKDML_LOG_LEVEL_WARNING],
                            "vkdmlDestroyDevice: still alive are 1 operators, 2 dispatchables, 3 binding tables and 0 weight "
                            "stores of the device, which can only be destroyed from now on");
        assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 0);
        assert_int_equal(interposer.live, 0); /* nothing of Vulkan's is left, descriptor pools included */
        objects.device = NULL;
        vkdmlDestroyBindingTable(tables[0]);
        vkdmlDestroyBindingTable(tables[1]);
        assert_true(atomic_load(&allocations.live) > 0);
        destroy_objects(&objects);
        assert_int_equal(atomic_load(&allocations.live), 0);
    }
}

static void objects_without_a_device_can_only_be_destroyed(void **state) {
    (void)state;
    static const char reason[] = "device was destroyed: what is left of its objects can only be destroyed";
    struct objects objects;
    VkdmlBindingProperties properties;
    VkdmlDispatchable compiled;
    create_objects(0, &objects);
    vkdmlDestroyDevice(objects.device);
    memset(&messages, 0, sizeof messages);
    expect_refused(vkdmlCompileOperator(objects.op, NULL, &compiled), reason);
    expect_refused(vkdmlGetBindingProperties(objects.compiled, &properties), reason);
    expect_refused(vkdmlBindInputs(objects.table, 0, NULL), reason);
    expect_refused(vkdmlBindTemporaryResource(objects.table, NULL), reason);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 0); /* who logs may be gone */
    objects.device = NULL;
    destroy_objects(&objects);
}

static void sets_in_a_pool_of_the_callers_stay_in_it(void **state) {
    (void)state;
    struct objects objects;
    create_objects(0, &objects);
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 6}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                       .maxSets = 1,
                                       .poolSizeCount = COUNT_OF(sizes),
                                       .pPoolSizes = sizes};
    VkDescriptorPool pool;
    assert_int_equal(vkCreateDescriptorPool(vulkan.device, &info, NULL, &pool), VK_SUCCESS);
    VkdmlBindingTable table = create_table(objects.device, objects.compiled, pool);
    vkdmlDestroyDevice(objects.device);
    vkdmlDestroyBindingTable(table);
    assert_int_equal(interposer.calls[INTERPOSED_FreeDescriptorSets], 0);
    vkDestroyDescriptorPool(vulkan.device, pool, NULL);
    objects.device = NULL;
    destroy_objects(&objects);
}

static void an_opened_device_takes_its_vulkan_with_it(void **state) {
    (void)state;
    VkdmlDeviceOpenInfo info = {
        .structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .logCallback = keep_message};
    struct objects objects = {.op = NULL};
    assert_int_equal(vkdmlOpenDevice(&info, &objects.device), VKDML_SUCCESS);
    objects.op = create_operator(objects.device);
    assert_int_equal(vkdmlCompileOperator(objects.op, NULL, &objects.compiled), VKDML_SUCCESS);
    objects.table = create_table(objects.device, objects.compiled, VK_NULL_HANDLE);
    vkdmlDestroyDevice(objects.device);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_WARNING], 1);
    objects.device = NULL;
    destroy_objects(&objects);
}

/* ---- what a device that checks handles refuses ---- */

/* Every call with handles, one of which is the one at hand. The others are good ones. */
static VkdmlResult create_operator_on(const struct objects *good, void *handle) {
    struct identity identity;
    VkdmlOperator op;
    (void)good;
    identity_init(&identity, 16);
    return vkdmlCreateOperator(handle, &identity.desc, &op);
}
static VkdmlResult create_initializer_on(const struct objects *good, void *handle) {
    VkdmlDispatchable initializer;
    return vkdmlCreateOperatorInitializer(handle, 1, &good->compiled, &initializer);
}
static VkdmlResult create_table_on(const struct objects *good, void *handle) {
    VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = good->compiled};
    VkdmlBindingTable table;
    return vkdmlCreateBindingTable(handle, &info, &table);
}
static VkdmlResult record_on(const struct objects *good, void *handle) {
    return vkdmlRecordDispatch(handle, vulkan.commands, good->compiled, good->table);
}
static VkdmlResult get_handles(const struct objects *good, void *handle) {
    VkdmlVulkanHandles handles;
    (void)good;
    return vkdmlGetVulkanHandles(handle, &handles);
}
static VkdmlResult check_operator(const struct objects *good, void *handle) {
    (void)good;
    return vkdmlCheckOperatorSupport(handle, DML_OPERATOR_PADDING, DML_TENSOR_DATA_TYPE_FLOAT32);
}
static VkdmlResult check_feature(const struct objects *good, void *handle) {
    DML_FEATURE_LEVEL level = DML_FEATURE_LEVEL_1_0;
    DML_FEATURE_QUERY_FEATURE_LEVELS query = {1, &level};
    DML_FEATURE_DATA_FEATURE_LEVELS answer;
    (void)good;
    return vkdmlCheckFeatureSupport(handle, DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof answer, &answer);
}
static VkdmlResult get_lost_reason(const struct objects *good, void *handle) {
    (void)good;
    return vkdmlGetDeviceLostReason(handle);
}
static VkdmlResult get_cache(const struct objects *good, void *handle) {
    size_t size;
    (void)good;
    return vkdmlGetPipelineCacheData(handle, &size, NULL);
}
static VkdmlResult merge_cache(const struct objects *good, void *handle) {
    static const char data[64];
    (void)good;
    return vkdmlMergePipelineCacheData(handle, sizeof data, data);
}
static VkdmlResult compile(const struct objects *good, void *handle) {
    VkdmlDispatchable compiled;
    (void)good;
    return vkdmlCompileOperator(handle, NULL, &compiled);
}
static VkdmlResult explain(const struct objects *good, void *handle) {
    const VkdmlExplanation *explanation;
    (void)good;
    return vkdmlExplainOperator(handle, NULL, &explanation);
}
static VkdmlResult get_properties(const struct objects *good, void *handle) {
    VkdmlBindingProperties properties;
    (void)good;
    return vkdmlGetBindingProperties(handle, &properties);
}
static VkdmlResult create_table_of(const struct objects *good, void *handle) {
    VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = handle};
    VkdmlBindingTable table;
    return vkdmlCreateBindingTable(good->device, &info, &table);
}
static VkdmlResult initialize(const struct objects *good, void *handle) {
    const VkdmlDispatchable operators[] = {good->compiled, handle};
    VkdmlDispatchable initializer;
    return vkdmlCreateOperatorInitializer(good->device, 2, operators, &initializer);
}
static VkdmlResult record_dispatchable(const struct objects *good, void *handle) {
    return vkdmlRecordDispatch(good->device, vulkan.commands, handle, good->table);
}
static VkdmlResult record_table(const struct objects *good, void *handle) {
    return vkdmlRecordDispatch(good->device, vulkan.commands, good->compiled, handle);
}
static VkdmlResult bind_inputs(const struct objects *good, void *handle) {
    (void)good;
    return vkdmlBindInputs(handle, 1, &(VkdmlBufferBinding){vulkan.buffer, 0, 64});
}
static VkdmlResult bind_outputs(const struct objects *good, void *handle) {
    (void)good;
    return vkdmlBindOutputs(handle, 1, &(VkdmlBufferBinding){vulkan.buffer, 64, 64});
}
static VkdmlResult bind_temporary(const struct objects *good, void *handle) {
    (void)good;
    return vkdmlBindTemporaryResource(handle, NULL);
}
static VkdmlResult bind_persistent(const struct objects *good, void *handle) {
    (void)good;
    return vkdmlBindPersistentResource(handle, NULL);
}

/* Those without a result succeed where there is no message. */
static VkdmlResult result_of_void(void) {
    return vkdmlGetErrorMessage()[0] == '\0' ? VKDML_SUCCESS : VKDML_ERROR_INVALID_ARGUMENT;
}
static VkdmlResult get_level(const struct objects *good, void *handle) {
    (void)good;
    assert_int_equal(vkdmlGetFeatureLevel(handle), 0);
    return result_of_void();
}
static VkdmlResult get_variant(const struct objects *good, void *handle) {
    (void)good;
    assert_int_equal(vkdmlGetKernelVariant(handle), VKDML_KERNEL_VARIANT_DEFAULT);
    return result_of_void();
}
static VkdmlResult report_lost(const struct objects *good, void *handle) {
    (void)good;
    vkdmlReportDeviceLost(handle, NULL);
    return result_of_void();
}
static VkdmlResult mute_log(const struct objects *good, void *handle) {
    (void)good;
    vkdmlMuteLog(handle, 0);
    return result_of_void();
}
#define DESTROYING(name, function)                                                                                     \
    static VkdmlResult name(const struct objects *good, void *handle) {                                                \
        (void)good;                                                                                                    \
        function(handle);                                                                                              \
        return result_of_void();                                                                                       \
    }
DESTROYING(destroy_device, vkdmlDestroyDevice)
DESTROYING(destroy_operator, vkdmlDestroyOperator)
DESTROYING(destroy_dispatchable, vkdmlDestroyDispatchable)
DESTROYING(destroy_table, vkdmlDestroyBindingTable)

enum kind { DEVICE, OPERATOR, DISPATCHABLE, TABLE, KINDS };

static const char *const kind_names[] = {"VkdmlDevice", "VkdmlOperator", "VkdmlDispatchable", "VkdmlBindingTable"};

static const struct call {
    enum kind kind;
    const char *argument; /* as reasons call it */
    VkdmlResult (*make)(const struct objects *good, void *handle);
    bool names_device; /* beside the handle */
} calls[] = {
    {DEVICE, "device", create_operator_on, false},
    {DEVICE, "device", create_initializer_on, false},
    {DEVICE, "device", create_table_on, false},
    {DEVICE, "device", record_on, false},
    {DEVICE, "device", get_handles, false},
    {DEVICE, "device", check_operator, false},
    {DEVICE, "device", check_feature, false},
    {DEVICE, "device", get_lost_reason, false},
    {DEVICE, "device", get_cache, false},
    {DEVICE, "device", merge_cache, false},
    {DEVICE, "device", get_level, false},
    {DEVICE, "device", get_variant, false},
    {DEVICE, "device", report_lost, false},
    {DEVICE, "device", mute_log, false},
    {DEVICE, "vkdmlDestroyDevice: device", destroy_device, false},
    {OPERATOR, "op", compile, false},
    {OPERATOR, "op", explain, false},
    {OPERATOR, "vkdmlDestroyOperator: op", destroy_operator, false},
    {DISPATCHABLE, "dispatchable", get_properties, false},
    {DISPATCHABLE, "info.dispatchable", create_table_of, true},
    {DISPATCHABLE, "operators[1]", initialize, true},
    {DISPATCHABLE, "dispatchable", record_dispatchable, true},
    {DISPATCHABLE, "vkdmlDestroyDispatchable: dispatchable", destroy_dispatchable, false},
    {TABLE, "table", record_table, true},
    {TABLE, "table", bind_inputs, false},
    {TABLE, "table", bind_outputs, false},
    {TABLE, "table", bind_temporary, false},
    {TABLE, "table", bind_persistent, false},
    {TABLE, "vkdmlDestroyBindingTable: table", destroy_table, false},
};

/* Makes each call with a handle; NULL: calls are left out. All are refused, and the log is told of it. */
static void expect_all_refused(const struct objects *good, void *const *handles, const char *format,
                               void (*print)(char *reason, size_t room, const struct call *call, const char *format)) {
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        char reason[256];
        if (!handles[calls[i].kind]) {
            continue;
        }
        memset(&messages, 0, sizeof messages);
        print(reason, sizeof reason, &calls[i], format);
        expect_refused(calls[i].make(good, handles[calls[i].kind]), reason);
        assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 1);
        assert_string_equal(messages.last[VKDML_LOG_LEVEL_ERROR], reason);
    }
}

static void print_destroyed(char *reason, size_t room, const struct call *call, const char *format) {
    (void)format;
    snprintf(reason, room, "%s is a %s that was destroyed, must be a live %s", call->argument, kind_names[call->kind],
             kind_names[call->kind]);
}

static void print_none(char *reason, size_t room, const struct call *call, const char *format) {
    (void)format;
    snprintf(reason, room, "%s is the handle of no object, must be that of a live %s", call->argument,
             kind_names[call->kind]);
}

static void print_kind(char *reason, size_t room, const struct call *call, const char *format) {
    snprintf(reason, room, "%s is a %s, must be a %s", call->argument, format, kind_names[call->kind]);
}

static void calls_with_live_handles_are_as_ever(void **state) {
    (void)state;
    struct objects objects;
    create_objects(VKDML_DEVICE_FLAG_CHECK_HANDLES, &objects);
    assert_int_equal(bind_inputs(&objects, objects.table), VKDML_SUCCESS);
    assert_int_equal(bind_outputs(&objects, objects.table), VKDML_SUCCESS);
    vulkan_begin(&vulkan);
    assert_int_equal(record_on(&objects, objects.device), VKDML_SUCCESS);
    vulkan_run(&vulkan);
    assert_int_equal(vkdmlGetFeatureLevel(objects.device), DML_FEATURE_LEVEL_6_4);
    destroy_objects(&objects);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 0);
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_WARNING], 0);
}

static void create_two(struct objects *good, struct objects *other) {
    create_objects(VKDML_DEVICE_FLAG_CHECK_HANDLES, good);
    create_objects(VKDML_DEVICE_FLAG_CHECK_HANDLES, other);
}

static void a_destroyed_object_is_refused_by_every_call(void **state) {
    (void)state;
    struct objects good, dead;
    create_objects(VKDML_DEVICE_FLAG_CHECK_HANDLES, &good);
    dead = good;
    dead.op = create_operator(good.device);
    assert_int_equal(vkdmlCompileOperator(good.op, NULL, &dead.compiled), VKDML_SUCCESS);
    dead.table = create_table(good.device, good.compiled, VK_NULL_HANDLE);
    vkdmlDestroyBindingTable(dead.table);
    vkdmlDestroyDispatchable(dead.compiled);
    vkdmlDestroyOperator(dead.op);
    const int32_t live = interposer.live;
    expect_all_refused(&good, (void *[]){NULL, dead.op, dead.compiled, dead.table}, NULL, print_destroyed);
    assert_int_equal(interposer.live, live); /* destroying twice did nothing */
    destroy_objects(&good);
}

static void a_destroyed_device_is_refused_by_every_call(void **state) {
    (void)state;
    struct objects good, dead;
    create_two(&good, &dead);
    destroy_objects(&dead);
    expect_all_refused(&good, (void *[]){dead.device, dead.op, dead.compiled, dead.table}, NULL, print_none);
    destroy_objects(&good);
    /* Nobody is left to log it. */
    memset(&messages, 0, sizeof messages);
    assert_int_equal(vkdmlGetDeviceLostReason(good.device), VKDML_ERROR_INVALID_ARGUMENT);
    vkdmlDestroyDevice(good.device);
    assert_string_equal(vkdmlGetErrorMessage(),
                        "vkdmlDestroyDevice: device is the handle of no object, must be that of a live VkdmlDevice");
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], 0);
}

static void a_device_whose_objects_are_alive_is_destroyed_all_the_same(void **state) {
    (void)state;
    struct objects good, dead;
    create_two(&good, &dead);
    vkdmlDestroyDevice(dead.device);
    expect_refused(vkdmlGetDeviceLostReason(dead.device),
                   "device is a VkdmlDevice that was destroyed, must be a live VkdmlDevice");
    expect_refused(bind_inputs(&good, dead.table),
                   "device was destroyed: what is left of its objects can only be destroyed");
    vkdmlDestroyDevice(dead.device);
    assert_string_equal(vkdmlGetErrorMessage(), "vkdmlDestroyDevice: device is a VkdmlDevice that was destroyed, must "
                                                "be a live VkdmlDevice");
    vkdmlDestroyBindingTable(dead.table);
    vkdmlDestroyDispatchable(dead.initializer);
    vkdmlDestroyDispatchable(dead.compiled);
    vkdmlDestroyOperator(dead.op);
    destroy_objects(&good);
}

/* Memory that ends the program when it is read: a handle is looked up, and never read before. */
static void what_is_no_handle_is_refused_unread(void **state) {
    (void)state;
    struct objects good;
    create_objects(VKDML_DEVICE_FLAG_CHECK_HANDLES, &good);
    void *memory = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    for (size_t offset = 0; offset < 4096; offset += 1000) {
        void *handle = (char *)memory + offset;
        expect_all_refused(&good, (void *[]){handle, handle, handle, handle}, NULL, print_none);
    }
    assert_int_equal(munmap(memory, 4096), 0);
    destroy_objects(&good);
}

static void an_object_of_another_kind_is_refused_by_every_call(void **state) {
    (void)state;
    struct objects good;
    create_objects(VKDML_DEVICE_FLAG_CHECK_HANDLES, &good);
    void *const handles[] = {good.device, good.op, good.compiled, good.table};
    for (enum kind kind = 0; kind < KINDS; kind++) {
        void *wrong[] = {handles[kind], handles[kind], handles[kind], handles[kind]};
        wrong[kind] = NULL;
        expect_all_refused(&good, wrong, kind_names[kind], print_kind);
    }
    destroy_objects(&good);
}

static void an_object_of_another_device_is_refused_where_one_is_named(void **state) {
    (void)state;
    struct objects good, other;
    create_two(&good, &other);
    void *const handles[] = {other.device, other.op, other.compiled, other.table};
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        if (calls[i].names_device) {
            char reason[128];
            snprintf(reason, sizeof reason, "%s is of another device, must be of the given one", calls[i].argument);
            expect_refused(calls[i].make(&good, handles[calls[i].kind]), reason);
        }
    }
    destroy_objects(&good);
    destroy_objects(&other);
}

static void a_table_is_refused_once_its_dispatchable_is_gone(void **state) {
    (void)state;
    struct objects objects;
    create_objects(VKDML_DEVICE_FLAG_CHECK_HANDLES, &objects);
    vkdmlDestroyDispatchable(objects.compiled);
    expect_refused(bind_inputs(&objects, objects.table),
                   "the table's dispatchable is a VkdmlDispatchable that was destroyed, must be a live "
                   "VkdmlDispatchable");
    expect_refused(record_on(&objects, objects.device),
                   "dispatchable is a VkdmlDispatchable that was destroyed, must be a live VkdmlDispatchable");
    expect_refused(record_dispatchable(&objects, objects.initializer),
                   "operator initializer: table is of another dispatchable, must be of the given one");
    objects.compiled = NULL;
    destroy_objects(&objects);
}

/* ---- addresses ---- */

static void no_new_object_takes_a_destroyed_ones_address_soon(void **state) {
    (void)state;
    VkdmlDevice device = import_device(VKDML_DEVICE_FLAG_CHECK_HANDLES, keep_message);
    VkdmlOperator dead = create_operator(device);
    VkdmlDispatchable compiled;
    vkdmlDestroyOperator(dead);
    for (int i = 0; i < 4000; i++) {
        vkdmlDestroyOperator(create_operator(device));
    }
    VkdmlOperator live = create_operator(device);
    assert_ptr_not_equal(live, dead);
    expect_refused(vkdmlCompileOperator(dead, NULL, &compiled),
                   "op is a VkdmlOperator that was destroyed, must be a live VkdmlOperator");
    vkdmlDestroyOperator(live);
    vkdmlDestroyDevice(device);
}

static void memory_of_destroyed_objects_is_kept_within_bounds(void **state) {
    (void)state;
    VkdmlDevice device = import_device(VKDML_DEVICE_FLAG_CHECK_HANDLES, keep_message);
    const int before = atomic_load(&allocations.live);
    for (int i = 0; i < 10000; i++) {
        vkdmlDestroyOperator(create_operator(device));
    }
    assert_int_equal(atomic_load(&allocations.live) - before, 4096);
    vkdmlDestroyDevice(device);
}

/* ---- beside a device without the flag ---- */

static void objects_of_a_device_that_does_not_check_are_taken_as_they_are(void **state) {
    (void)state;
    struct objects checking, other;
    create_objects(VKDML_DEVICE_FLAG_CHECK_HANDLES, &checking);
    create_objects(0, &other);
    assert_int_equal(bind_inputs(&other, other.table), VKDML_SUCCESS);
    assert_int_equal(get_properties(&other, other.compiled), VKDML_SUCCESS);
    expect_refused(create_table_of(&checking, other.compiled),
                   "info.dispatchable is the handle of no object, must be that of a live VkdmlDispatchable");
    expect_refused(create_table_of(&other, checking.compiled),
                   "info.dispatchable is of another device, must be of the given one");
    vkdmlDestroyOperator(checking.op);
    expect_refused(compile(&other, checking.op),
                   "op is a VkdmlOperator that was destroyed, must be a live VkdmlOperator");
    checking.op = NULL;
    destroy_objects(&other);
    destroy_objects(&checking);
}

/* ---- threads ---- */

#define THREADS 8
#define ROUNDS  200

struct race {
    struct objects shared;
    VkdmlOperator contended[ROUNDS];
};

/* Objects of its own come and go, and all threads destroy the same operators. */
static void *run(void *argument) {
    struct race *race = argument;
    uintptr_t failed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct identity identity;
        VkdmlOperator op;
        VkdmlDispatchable compiled;
        identity_init(&identity, 16);
        failed += vkdmlCreateOperator(race->shared.device, &identity.desc, &op) != VKDML_SUCCESS;
        failed += vkdmlCompileOperator(op, NULL, &compiled) != VKDML_SUCCESS;
        failed += get_properties(&race->shared, race->shared.compiled) != VKDML_SUCCESS;
        vkdmlDestroyOperator(op);
        vkdmlDestroyDispatchable(compiled);
        failed += get_properties(&race->shared, compiled) != VKDML_ERROR_INVALID_ARGUMENT;
        vkdmlDestroyOperator(race->contended[i]);
    }
    return (void *)failed;
}

static void threads_destroy_each_object_once(void **state) {
    (void)state;
    struct race race;
    pthread_t threads[THREADS];
    create_objects(VKDML_DEVICE_FLAG_CHECK_HANDLES, &race.shared);
    for (int i = 0; i < ROUNDS; i++) {
        race.contended[i] = create_operator(race.shared.device);
    }
    memset(&messages, 0, sizeof messages);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run, &race), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    /* Of each, all threads but one; and each thread asked of what it had destroyed itself. */
    assert_int_equal(messages.count[VKDML_LOG_LEVEL_ERROR], ROUNDS * (THREADS - 1) + ROUNDS * THREADS);
    destroy_objects(&race.shared);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_device_without_objects_goes_without_a_word),
        TEST(what_is_alive_at_the_devices_end_is_counted_in_one_warning),
        TEST(objects_without_a_device_can_only_be_destroyed),
        TEST(sets_in_a_pool_of_the_callers_stay_in_it),
        TEST(an_opened_device_takes_its_vulkan_with_it),
        TEST(calls_with_live_handles_are_as_ever),
        TEST(a_destroyed_object_is_refused_by_every_call),
        TEST(a_destroyed_device_is_refused_by_every_call),
        TEST(a_device_whose_objects_are_alive_is_destroyed_all_the_same),
        TEST(what_is_no_handle_is_refused_unread),
        TEST(an_object_of_another_kind_is_refused_by_every_call),
        TEST(an_object_of_another_device_is_refused_where_one_is_named),
        TEST(a_table_is_refused_once_its_dispatchable_is_gone),
        TEST(no_new_object_takes_a_destroyed_ones_address_soon),
        TEST(memory_of_destroyed_objects_is_kept_within_bounds),
        TEST(objects_of_a_device_that_does_not_check_are_taken_as_they_are),
        TEST(threads_destroy_each_object_once),
    };
    return cmocka_run_group_tests(tests, set_up_vulkan, tear_down_vulkan);
}
