/* Everything there is to do with a device, by eight threads at once; and by one, often, in memory that does not grow.
 * On the machine's first Vulkan device.
 *
 * test_threads [CYCLES [ROUNDS]]: so many cycles of the latter, 2000 by default; so many rounds of each thread, 40 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>

#include "graph/small_graph.h"
#include "one_device.h"

enum { THREADS = 8, COUNT = 16, CACHE_BYTES = 1 << 20 };

struct worker {
    uint32_t seed;
    VkCommandPool pool;
    VkCommandBuffer commands;
    struct graph graph;
    unsigned char cache[CACHE_BYTES];
    const char *failed; /* what failed first */
};

static struct worker workers[THREADS];
static uint32_t rounds = 40;

/* What all threads use, which is free-threaded. */
static struct shared {
    struct graph graph;
    VkdmlOperator op;
    VkdmlDispatchable compiled, of_graph;
} shared;

static void begin_worker(struct worker *worker, uint32_t seed) {
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = vulkan.queue_family};
    worker->seed = seed;
    worker->failed = NULL;
    assert_int_equal(vkCreateCommandPool(vulkan.device, &pool, NULL, &worker->pool), VK_SUCCESS);
    const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = worker->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    assert_int_equal(vkAllocateCommandBuffers(vulkan.device, &commands, &worker->commands), VK_SUCCESS);
}

static void end_worker(struct worker *worker) {
    vkDestroyCommandPool(vulkan.device, worker->pool, NULL);
    if (worker->failed) {
        fail_msg("%s failed", worker->failed);
    }
}

/* Of a thread: cmocka's asserts are the main thread's. */
static bool good(struct worker *worker, VkdmlResult result, const char *what) {
    if (result != VKDML_SUCCESS && !worker->failed) {
        worker->failed = what;
    }
    return result == VKDML_SUCCESS;
}

/* Binds an output, and all a nonzero operator has beside it, and records. */
static void bind_and_record(struct worker *worker, VkdmlDispatchable compiled) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = compiled};
    VkdmlBindingProperties needs;
    VkdmlBindingTable table = NULL;
    if (!good(worker, vkdmlGetBindingProperties(compiled, &needs), "vkdmlGetBindingProperties") ||
        !good(worker, vkdmlCreateBindingTable(device, &info, &table), "vkdmlCreateBindingTable")) {
        return;
    }
    VkdmlBufferBinding inputs[2], outputs[2];
    for (uint32_t i = 0; i < 2; i++) {
        inputs[i] = range(65536 * (VkDeviceSize)i, 65536);
        outputs[i] = range(65536 * (VkDeviceSize)(2 + i), 65536);
    }
    const VkdmlBufferBinding temporary = other_range(0, needs.temporaryResourceSize);
    good(worker, vkdmlBindInputs(table, needs.inputCount, inputs), "vkdmlBindInputs");
    good(worker, vkdmlBindOutputs(table, needs.outputCount, outputs), "vkdmlBindOutputs");
    if (needs.temporaryResourceSize > 0) {
        good(worker, vkdmlBindTemporaryResource(table, &temporary), "vkdmlBindTemporaryResource");
    }
    vkBeginCommandBuffer(worker->commands, &begin);
    good(worker, vkdmlRecordDispatch(device, worker->commands, compiled, table), "vkdmlRecordDispatch");
    vkEndCommandBuffer(worker->commands);
    vkdmlDestroyBindingTable(table);
}

static void run_operator(struct worker *worker, uint32_t round) {
    struct identity identity;
    struct nonzero nonzero;
    struct diagonal diagonal;
    const uint32_t count = 1 + (worker->seed + round) % COUNT;
    identity_init(&identity, count);
    nonzero_init(&nonzero, count);
    diagonal_init(&diagonal, count);
    const DML_OPERATOR_DESC *descs[] = {&identity.desc, &nonzero.desc, &diagonal.desc};
    VkdmlOperator op = NULL;
    VkdmlDispatchable compiled = NULL;
    if (good(worker, vkdmlCreateOperator(device, descs[(worker->seed + round) % 3], &op), "vkdmlCreateOperator") &&
        good(worker, vkdmlCompileOperator(op, NULL, &compiled), "vkdmlCompileOperator")) {
        bind_and_record(worker, compiled);
    }
    vkdmlDestroyDispatchable(compiled);
    vkdmlDestroyOperator(op);
}

static void run_graph(struct worker *worker, uint32_t round) {
    const VkdmlCompileInfo info = {.structSize = sizeof info,
                                   .flags = (round % 2 ? VKDML_COMPILE_FLAG_PARALLEL : 0u) |
                                            (round % 3 ? VKDML_COMPILE_FLAG_NODE_BY_NODE : 0u) |
                                            (round % 5 ? VKDML_COMPILE_FLAG_OPEN_SIZES : 0u)};
    VkdmlDispatchable compiled = NULL, initializer = NULL;
    small_graph(device, &worker->graph);
    if (good(worker, vkdmlCompileGraph(device, &worker->graph.desc, &info, &compiled), "vkdmlCompileGraph")) {
        good(worker, vkdmlCreateOperatorInitializer(device, 1, &compiled, &initializer),
             "vkdmlCreateOperatorInitializer");
    }
    vkdmlDestroyDispatchable(initializer);
    vkdmlDestroyDispatchable(compiled);
    graph_end(&worker->graph);
}

static void run_cache(struct worker *worker) {
    size_t size = sizeof worker->cache;
    if (good(worker, vkdmlGetPipelineCacheData(device, &size, worker->cache), "vkdmlGetPipelineCacheData")) {
        good(worker, vkdmlMergePipelineCacheData(device, size, worker->cache), "vkdmlMergePipelineCacheData");
    }
}

/* Objects that other threads use at the same time. */
static void run_shared(struct worker *worker) {
    VkdmlDispatchable compiled = NULL, initializer = NULL;
    const VkdmlExplanation *explanation = NULL;
    if (good(worker, vkdmlCompileOperator(shared.op, NULL, &compiled), "vkdmlCompileOperator of one operator")) {
        bind_and_record(worker, compiled);
        bind_and_record(worker, shared.compiled);
    }
    good(worker, vkdmlCreateOperatorInitializer(device, 1, &shared.of_graph, &initializer),
         "vkdmlCreateOperatorInitializer of one dispatchable");
    good(worker, vkdmlExplainOperator(shared.op, NULL, &explanation), "vkdmlExplainOperator");
    vkdmlDestroyExplanation(explanation);
    vkdmlDestroyDispatchable(initializer);
    vkdmlDestroyDispatchable(compiled);
}

static void begin_shared(void) {
    struct nonzero nonzero;
    struct diagonal diagonal;
    nonzero_init(&nonzero, COUNT);
    diagonal_init(&diagonal, COUNT);
    assert_int_equal(vkdmlCreateOperator(device, &nonzero.desc, &shared.op), VKDML_SUCCESS);
    shared.compiled = compile_desc(device, &diagonal.desc);
    small_graph(device, &shared.graph);
    assert_int_equal(vkdmlCompileGraph(device, &shared.graph.desc, NULL, &shared.of_graph), VKDML_SUCCESS);
}

static void end_shared(void) {
    vkdmlDestroyDispatchable(shared.of_graph);
    vkdmlDestroyDispatchable(shared.compiled);
    vkdmlDestroyOperator(shared.op);
    graph_end(&shared.graph);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    for (uint32_t round = 0; round < rounds && !worker->failed; round++) {
        run_operator(worker, round);
        run_shared(worker);
        if ((worker->seed + round) % 4 == 0) {
            run_graph(worker, round);
        }
        if ((worker->seed + round) % 8 == 0) {
            run_cache(worker);
        }
    }
    return NULL;
}

static void eight_threads_do_everything_at_once(void **state) {
    (void)state;
    for (VkdmlDeviceFlags flags = 0; flags <= VKDML_DEVICE_FLAG_CHECK_HANDLES;
         flags += VKDML_DEVICE_FLAG_CHECK_HANDLES) {
        pthread_t threads[THREADS];
        /* Neither the interposer nor counted memory: their atomics would put the threads in an order, and hide races.
         */
        VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
        info.flags = flags;
        assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
        begin_shared();
        for (uint32_t i = 0; i < THREADS; i++) {
            begin_worker(&workers[i], i);
            assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            end_worker(&workers[i]);
        }
        end_shared();
        vkdmlDestroyDevice(device);
    }
}

static uint32_t cycles = 2000;

/* The address sanitizer keeps what is freed for a while, and tells of leaks itself. */
#ifdef __SANITIZE_ADDRESS__
static const bool keeps_freed = true;
#else
static const bool keeps_freed = false;
#endif

static size_t resident_bytes(void) {
    size_t pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%zu %zu", &pages, &resident) != 2) {
            resident = 0;
        }
        fclose(file);
    }
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void memory_does_not_grow(void **state) {
    (void)state;
    const uint32_t first = cycles / 10;
    int live = 0;
    size_t bytes = 0;
    begin_without_device(NULL);
    device = import_device(0, NULL);
    begin_worker(&workers[0], 0);
    for (uint32_t i = 0; i < cycles; i++) {
        run_operator(&workers[0], i);
        if (i % 16 == 0) {
            run_graph(&workers[0], i);
        }
        if (i == first) {
            live = allocations.live;
            bytes = resident_bytes();
        }
        if (i > first && i % 48 == first % 48) { /* at the same place of the cycle of all there is */
            assert_int_equal(allocations.live, live);
        }
    }
    const size_t grown = resident_bytes() > bytes ? resident_bytes() - bytes : 0;
    print_message("%u cycles, %zu KiB more resident since cycle %u\n", cycles, grown / 1024, first);
    /* Of a long run as little as of a short one. The heap has room of some MiB, where what is lost goes first: 64 bytes
     * of each of 100,000 cycles show, 8 bytes of each of a million. */
    assert_true(keeps_freed || grown < (size_t)(cycles < 10000 ? 4096 : 512) << 10);
    end_worker(&workers[0]);
    end_with_device(NULL);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        /* First: what is lost would go where others left room. */
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(eight_threads_do_everything_at_once),
    };
    if (argc > 1) {
        cycles = (uint32_t)strtoul(argv[1], NULL, 10);
    }
    if (argc > 2) {
        rounds = (uint32_t)strtoul(argv[2], NULL, 10);
    }
    return cmocka_run_group_tests_name("threads", tests, set_up_vulkan, tear_down_vulkan);
}
