#define _POSIX_C_SOURCE 200809L /* nanosleep */
/* Failure at every point where the host's memory or a driver can fail: the code, the reason, and nothing left behind.
 * And threads. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "base/report.h"
#include "device_fixture.h"
#include "kernels/blocks.h"
#include "plan/step.h"
#include "vkdml/vkdml.h"
#include "vulkan/pipelines.h"

/* Creates them in order up to the first failure, which it returns. */
static VkdmlResult create_objects(struct objects *objects, PFN_vkGetInstanceProcAddr get) {
    VkAllocationCallbacks callbacks = counting_callbacks(&allocations);
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.getInstanceProcAddr = get;
    info.allocationCallbacks = &callbacks;
    struct identity identity;
    identity_init(&identity, 64);
    identity.input.buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    memset(objects, 0xA5, sizeof *objects); /* a failing call sets its result to NULL */
    VkdmlResult result = vkdmlCreateDevice(&info, &objects->device);
    if (result != VKDML_SUCCESS) {
        assert_null(objects->device);
        objects->op = NULL;
        objects->compiled = objects->initializer = NULL;
        objects->table = NULL;
        return result;
    }
    VkdmlResult results[4];
    results[0] = vkdmlCreateOperator(objects->device, &identity.desc, &objects->op);
    results[1] = vkdmlCompileOperator(objects->op, NULL, &objects->compiled);
    results[2] = vkdmlCreateOperatorInitializer(objects->device, 1, &objects->compiled, &objects->initializer);
    VkdmlBindingTableCreateInfo table = {.structSize = sizeof table, .dispatchable = objects->compiled};
    results[3] = vkdmlCreateBindingTable(objects->device, &table, &objects->table);
    const void *const made[] = {objects->op, objects->compiled, objects->initializer, objects->table};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(made[i] == NULL, results[i] != VKDML_SUCCESS);
    }
    for (size_t i = 0; i < 4 && result == VKDML_SUCCESS; i++) {
        result = results[i];
    }
    return result;
}

static void destroy_all(struct objects *objects) {
    destroy_objects(objects);
    assert_nothing_left();
}

/* One call of a driver's function fails. */
static void fail_call(enum interposed function, uint32_t call, VkResult failure) {
    interposer_reset(vkGetInstanceProcAddr);
    interposer.failing = function;
    interposer.fail_at = call;
    interposer.failure = failure;
}

/* How many host allocations all of it takes. */
static int count_allocations(void) {
    struct objects objects;
    interposer_reset(vkGetInstanceProcAddr);
    atomic_store(&allocations.fails, 0);
    atomic_store(&allocations.made, 0);
    assert_int_equal(create_objects(&objects, interposer_get_instance_proc_addr), VKDML_SUCCESS);
    const int made = atomic_load(&allocations.made);
    destroy_all(&objects);
    return made;
}

static void any_failing_host_allocation_is_out_of_memory_and_leaves_nothing(void **state) {
    (void)state;
    const int count = count_allocations();
    int failures = 0;
    assert_true(count > 10);
    for (int i = 1; i <= count; i++) {
        struct objects objects;
        interposer_reset(vkGetInstanceProcAddr);
        atomic_store(&allocations.made, 0);
        atomic_store(&allocations.fails, i);
        VkdmlResult result = create_objects(&objects, interposer_get_instance_proc_addr);
        atomic_store(&allocations.fails, 0);
        if (result != VKDML_SUCCESS) { /* drivers do without some */
            failures++;
            assert_true(result == VKDML_ERROR_OUT_OF_HOST_MEMORY || result == VKDML_ERROR_OUT_OF_DEVICE_MEMORY);
        }
        destroy_all(&objects);
    }
    assert_true(failures >= 8); /* the library's own: device, descriptor, operator, dispatchable, 2 of pipelines, .. */
}

static void a_failed_call_can_be_made_again(void **state) {
    (void)state;
    const int count = count_allocations();
    for (int i = 1; i <= count; i++) {
        struct objects objects;
        interposer_reset(vkGetInstanceProcAddr);
        assert_int_equal(create_objects(&objects, interposer_get_instance_proc_addr), VKDML_SUCCESS);
        struct nonzero nonzero; /* needs other pipelines than the objects have */
        VkdmlOperator op;
        VkdmlDispatchable compiled;
        nonzero_init(&nonzero, 32);
        assert_int_equal(vkdmlCreateOperator(objects.device, &nonzero.desc, &op), VKDML_SUCCESS);
        atomic_store(&allocations.made, 0);
        atomic_store(&allocations.fails, i);
        if (vkdmlCompileOperator(op, NULL, &compiled) != VKDML_SUCCESS) {
            assert_null(compiled);
            assert_int_equal(vkdmlCompileOperator(op, NULL, &compiled), VKDML_SUCCESS);
        }
        const bool done = atomic_load(&allocations.made) < i;
        atomic_store(&allocations.fails, 0);
        vkdmlDestroyDispatchable(compiled);
        vkdmlDestroyOperator(op);
        destroy_all(&objects);
        if (done) {
            return;
        }
    }
    fail_msg("compilation alone takes as many allocations as all objects");
}

/* Which driver calls the objects take, and may fail. */
static const enum interposed failing_calls[] = {
    INTERPOSED_CreatePipelineCache,  INTERPOSED_CreateDescriptorSetLayout, INTERPOSED_CreatePipelineLayout,
    INTERPOSED_CreateShaderModule,   INTERPOSED_CreateComputePipelines,    INTERPOSED_CreateBuffer,
    INTERPOSED_AllocateMemory,       INTERPOSED_BindBufferMemory,          INTERPOSED_MapMemory,
    INTERPOSED_CreateDescriptorPool, INTERPOSED_AllocateDescriptorSets,
};

/* Fails each of those calls, one at a time, with a code. Memory that is full is replaced by another type's. */
static void fail_each_call(VkResult failure, VkdmlResult expected, bool stays) {
    for (size_t i = 0; i < sizeof failing_calls / sizeof *failing_calls; i++) {
        struct objects objects;
        uint32_t nth = 0;
        bool reached = true;
        while (reached) {
            interposer_reset(vkGetInstanceProcAddr);
            interposer.failing = failing_calls[i];
            interposer.fail_at = ++nth;
            interposer.failure = failure;
            VkdmlResult result = create_objects(&objects, interposer_get_instance_proc_addr);
            reached = interposer.calls[failing_calls[i]] >= nth;
            const bool replaced =
                failing_calls[i] == INTERPOSED_AllocateMemory && failure == VK_ERROR_OUT_OF_DEVICE_MEMORY;
            assert_int_equal(result, reached && !replaced ? expected : VKDML_SUCCESS);
            if (objects.device && reached) {
                assert_int_equal(vkdmlGetDeviceLostReason(objects.device) == VKDML_ERROR_DEVICE_LOST, stays);
            }
            destroy_all(&objects);
            assert_int_equal(interposer.calls[INTERPOSED_FreeDescriptorSets], 0); /* a table's own pool goes whole */
        }
        assert_true(nth > 1);
    }
}

static void any_driver_call_may_run_out_of_device_memory(void **state) {
    (void)state;
    fail_each_call(VK_ERROR_OUT_OF_DEVICE_MEMORY, VKDML_ERROR_OUT_OF_DEVICE_MEMORY, false);
}

static void any_driver_call_may_run_out_of_host_memory(void **state) {
    (void)state;
    fail_each_call(VK_ERROR_OUT_OF_HOST_MEMORY, VKDML_ERROR_OUT_OF_HOST_MEMORY, false);
}

static void any_driver_call_may_lose_the_device(void **state) {
    (void)state;
    fail_each_call(VK_ERROR_DEVICE_LOST, VKDML_ERROR_DEVICE_LOST, true);
}

static void an_error_that_no_code_covers_is_the_drivers(void **state) {
    (void)state;
    struct objects objects;
    fail_call(INTERPOSED_CreateComputePipelines, 1, (VkResult)-123456);
    assert_int_equal(create_objects(&objects, interposer_get_instance_proc_addr), VKDML_ERROR_DRIVER);
    destroy_all(&objects);
}

static void a_failure_names_the_call_and_its_result(void **state) {
    (void)state;
    struct objects objects;
    fail_call(INTERPOSED_CreatePipelineLayout, 2, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(create_objects(&objects, interposer_get_instance_proc_addr), VKDML_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_string_equal(vkdmlGetErrorMessage(), "vkCreatePipelineLayout returned VK_ERROR_OUT_OF_DEVICE_MEMORY");
    destroy_all(&objects);
}

static void memory_that_is_full_is_replaced_by_another_type(void **state) {
    (void)state;
    struct objects objects;
    fail_call(INTERPOSED_AllocateMemory, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    VkdmlResult result = create_objects(&objects, interposer_get_instance_proc_addr);
    assert_int_equal(interposer.calls[INTERPOSED_AllocateMemory], 2);
    assert_int_equal(result, VKDML_SUCCESS);
    destroy_all(&objects);
}

/* Every function that takes an object of the device. */
static void assert_all_lost(struct objects *objects, const struct identity *identity) {
    VkdmlOperator op;
    VkdmlDispatchable dispatchable;
    VkdmlBindingTable table;
    VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = objects->compiled};
    VkdmlBindingProperties properties;
    VkdmlBufferBinding binding = {vulkan.buffer, 0, 256};
    const VkdmlResult results[] = {
        vkdmlCreateOperator(objects->device, &identity->desc, &op),
        vkdmlCompileOperator(objects->op, NULL, &dispatchable),
        vkdmlCreateOperatorInitializer(objects->device, 1, &objects->compiled, &dispatchable),
        vkdmlGetBindingProperties(objects->compiled, &properties),
        vkdmlCreateBindingTable(objects->device, &info, &table),
        vkdmlBindInputs(objects->table, 1, &binding),
        vkdmlBindOutputs(objects->table, 1, &binding),
        vkdmlBindTemporaryResource(objects->table, NULL),
        vkdmlBindPersistentResource(objects->table, NULL),
        vkdmlRecordDispatch(objects->device, vulkan.commands, objects->compiled, objects->table),
        vkdmlGetDeviceLostReason(objects->device),
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        assert_int_equal(results[i], VKDML_ERROR_DEVICE_LOST);
    }
}

static void after_a_loss_everything_fails_with_its_reason_but_destroying(void **state) {
    (void)state;
    struct objects objects;
    struct nonzero nonzero;
    struct identity identity;
    VkdmlOperator op;
    VkdmlDispatchable compiled;
    identity_init(&identity, 64);
    nonzero_init(&nonzero, 64);
    interposer_reset(vkGetInstanceProcAddr);
    assert_int_equal(create_objects(&objects, interposer_get_instance_proc_addr), VKDML_SUCCESS);
    assert_int_equal(vkdmlCreateOperator(objects.device, &nonzero.desc, &op), VKDML_SUCCESS);
    interposer.failing = INTERPOSED_CreateComputePipelines;
    interposer.fail_at = interposer.calls[INTERPOSED_CreateComputePipelines] + 1;
    interposer.failure = VK_ERROR_DEVICE_LOST;
    assert_int_equal(vkdmlCompileOperator(op, NULL, &compiled), VKDML_ERROR_DEVICE_LOST);
    assert_reason("DML_OPERATOR_NONZERO_COORDINATES: vkCreateComputePipelines returned VK_ERROR_DEVICE_LOST");
    assert_all_lost(&objects, &identity);
    assert_reason("device is lost: vkCreateComputePipelines returned VK_ERROR_DEVICE_LOST");
    vkdmlDestroyOperator(op);
    destroy_all(&objects);
}

/* ---- threads ---- */

static struct objects raced;

static struct second {
    pthread_t thread;
    atomic_bool begun;
    VkdmlDispatchable compiled;
    VkdmlResult result;
} second;

static void *compile_second(void *argument) {
    (void)argument;
    atomic_store(&second.begun, true);
    second.result = vkdmlCompileOperator(raced.op, NULL, &second.compiled);
    return NULL;
}

/* Called while the first thread's pipeline is being created; leaves the other one time to want it too. */
static void begin_second_thread(void) {
    const struct timespec while_it_looks = {.tv_nsec = 50 * 1000 * 1000};
    atomic_init(&second.begun, false);
    assert_int_equal(pthread_create(&second.thread, NULL, compile_second, NULL), 0);
    while (!atomic_load(&second.begun)) {
        sched_yield();
    }
    nanosleep(&while_it_looks, NULL);
}

/* Two threads compile one operator at once, and the first pipeline's creation returns `failure`; returns how often
 * pipelines were created. */
static uint32_t race(VkResult failure, VkdmlResult expected) {
    struct nonzero nonzero;
    VkdmlDispatchable first;
    interposer_reset(vkGetInstanceProcAddr);
    assert_int_equal(create_objects(&raced, interposer_get_instance_proc_addr), VKDML_SUCCESS);
    vkdmlDestroyOperator(raced.op);
    nonzero_init(&nonzero, 64);
    assert_int_equal(vkdmlCreateOperator(raced.device, &nonzero.desc, &raced.op), VKDML_SUCCESS);
    const uint32_t before = interposer.calls[INTERPOSED_CreateComputePipelines];
    interposer.while_compiling = begin_second_thread;
    interposer.failing = INTERPOSED_CreateComputePipelines;
    interposer.fail_at = failure != VK_SUCCESS ? before + 1 : 0;
    interposer.failure = failure;
    assert_int_equal(vkdmlCompileOperator(raced.op, NULL, &first), expected);
    assert_int_equal(pthread_join(second.thread, NULL), 0);
    assert_int_equal(second.result, VKDML_SUCCESS);
    const uint32_t created = interposer.calls[INTERPOSED_CreateComputePipelines] - before;
    vkdmlDestroyDispatchable(first);
    vkdmlDestroyDispatchable(second.compiled);
    destroy_all(&raced);
    return created;
}

static void of_two_threads_that_need_one_pipeline_the_second_waits_for_it(void **state) {
    (void)state;
    assert_int_equal(race(VK_SUCCESS, VKDML_SUCCESS), 2); /* one for each of the two passes */
}

static void a_thread_whose_pipeline_another_failed_to_create_creates_it(void **state) {
    (void)state;
    assert_int_equal(race(VK_ERROR_OUT_OF_HOST_MEMORY, VKDML_ERROR_OUT_OF_HOST_MEMORY), 3);
}

/* A kernel with a constant that is given as 0, or is not given: two pipelines in one list. */
static struct vkdml_plan_step step_with(bool is_given) {
    struct vkdml_plan_step step = {.kind = VKDML_PLAN_DISPATCH, .kernel = VKDML_KERNEL_COPY, .buffer_count = 2};
    vkdml_step_constant(&step, VKDML_GATHER_CONSTANT_LOCAL_SIZE, 1);
    vkdml_step_constant(&step, VKDML_GATHER_CONSTANT_ELEMENT_BITS, 32);
    vkdml_step_constant(&step, VKDML_GATHER_CONSTANT_DENSE, 1);
    if (is_given) {
        vkdml_step_constant(&step, VKDML_GATHER_CONSTANT_RANK, 0);
    }
    return step;
}

static VkPipeline beside;

static void create_beside(void) {
    static struct vkdml_report report;
    const struct vkdml_plan_step step = step_with(true);
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_pipelines_get(raced.device, &step, &report, &beside), VKDML_SUCCESS);
}

/* It is found again in its list, though one was created meanwhile that lies before it. */
static void a_pipeline_that_fails_leaves_those_created_meanwhile(void **state) {
    (void)state;
    static struct vkdml_report report;
    const struct vkdml_plan_step step = step_with(false), other = step_with(true);
    VkPipeline pipeline, again;
    interposer_reset(vkGetInstanceProcAddr);
    assert_int_equal(create_objects(&raced, interposer_get_instance_proc_addr), VKDML_SUCCESS);
    const uint32_t before = interposer.calls[INTERPOSED_CreateComputePipelines];
    interposer.while_compiling = create_beside;
    interposer.failing = INTERPOSED_CreateComputePipelines;
    interposer.fail_at = before + 2; /* what is created meanwhile is the first */
    interposer.failure = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_pipelines_get(raced.device, &step, &report, &pipeline), VKDML_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_true(pipeline == VK_NULL_HANDLE && beside != VK_NULL_HANDLE);
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_pipelines_get(raced.device, &other, &report, &again), VKDML_SUCCESS);
    assert_true(again == beside);
    assert_int_equal(vkdml_pipelines_get(raced.device, &step, &report, &pipeline), VKDML_SUCCESS);
    assert_true(pipeline != VK_NULL_HANDLE && pipeline != beside);
    assert_int_equal(interposer.calls[INTERPOSED_CreateComputePipelines] - before, 3);
    destroy_all(&raced);
}

static void *compile_diagonal(void *argument) {
    struct diagonal diagonal;
    VkdmlOperator op;
    diagonal_init(&diagonal, 8);
    VkdmlResult *result = argument;
    *result = vkdmlCreateOperator(raced.device, &diagonal.desc, &op);
    if (*result == VKDML_SUCCESS) {
        *result = vkdmlCompileOperator(op, NULL, &second.compiled);
    }
    vkdmlDestroyOperator(op);
    return NULL;
}

static void finish_second_thread(void) {
    assert_int_equal(pthread_create(&second.thread, NULL, compile_diagonal, &second.result), 0);
    assert_int_equal(pthread_join(second.thread, NULL), 0);
}

static void different_pipelines_are_created_at_once(void **state) {
    (void)state;
    struct nonzero nonzero;
    VkdmlOperator op;
    VkdmlDispatchable first;
    interposer_reset(vkGetInstanceProcAddr);
    assert_int_equal(create_objects(&raced, interposer_get_instance_proc_addr), VKDML_SUCCESS);
    nonzero_init(&nonzero, 64);
    assert_int_equal(vkdmlCreateOperator(raced.device, &nonzero.desc, &op), VKDML_SUCCESS);
    interposer.while_compiling = finish_second_thread;
    assert_int_equal(vkdmlCompileOperator(op, NULL, &first), VKDML_SUCCESS);
    assert_int_equal(second.result, VKDML_SUCCESS);
    vkdmlDestroyDispatchable(first);
    vkdmlDestroyDispatchable(second.compiled);
    vkdmlDestroyOperator(op);
    destroy_all(&raced);
}

enum { THREADS = 8, ROUNDS = 50 };

struct worker {
    VkdmlDevice device;
    uint32_t seed;
    uint32_t failures;
};

/* Creates, compiles and destroys; every other operator needs pipelines that threads race for. */
static void *work(void *argument) {
    struct worker *worker = argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct identity identity;
        struct nonzero nonzero;
        VkdmlOperator op;
        VkdmlDispatchable compiled;
        VkdmlBindingTable table = NULL;
        identity_init(&identity, 1 + (worker->seed + i) % 100);
        nonzero_init(&nonzero, 1 + (worker->seed + i) % 100);
        const DML_OPERATOR_DESC *desc = (worker->seed + i) % 2 ? &identity.desc : &nonzero.desc;
        bool good = vkdmlCreateOperator(worker->device, desc, &op) == VKDML_SUCCESS &&
                    vkdmlCompileOperator(op, NULL, &compiled) == VKDML_SUCCESS;
        if (good) {
            VkdmlBindingTableCreateInfo info = {.structSize = sizeof info, .dispatchable = compiled};
            good = vkdmlCreateBindingTable(worker->device, &info, &table) == VKDML_SUCCESS;
            vkdmlDestroyBindingTable(table);
            vkdmlDestroyDispatchable(compiled);
        }
        vkdmlDestroyOperator(op);
        worker->failures += !good;
    }
    return NULL;
}

static void threads_create_and_compile_at_once(void **state) {
    (void)state;
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    VkAllocationCallbacks callbacks = counting_callbacks(&allocations);
    VkdmlDeviceCreateInfo info = vulkan_device_info(&vulkan);
    info.allocationCallbacks = &callbacks;
    VkdmlDevice device;
    assert_int_equal(vkdmlCreateDevice(&info, &device), VKDML_SUCCESS);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.device = device, .seed = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].failures, 0);
    }
    vkdmlDestroyDevice(device);
    assert_int_equal(atomic_load(&allocations.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_failing_host_allocation_is_out_of_memory_and_leaves_nothing),
        cmocka_unit_test(a_failed_call_can_be_made_again),
        cmocka_unit_test(any_driver_call_may_run_out_of_device_memory),
        cmocka_unit_test(any_driver_call_may_run_out_of_host_memory),
        cmocka_unit_test(any_driver_call_may_lose_the_device),
        cmocka_unit_test(an_error_that_no_code_covers_is_the_drivers),
        cmocka_unit_test(a_failure_names_the_call_and_its_result),
        cmocka_unit_test(memory_that_is_full_is_replaced_by_another_type),
        cmocka_unit_test(after_a_loss_everything_fails_with_its_reason_but_destroying),
        cmocka_unit_test(of_two_threads_that_need_one_pipeline_the_second_waits_for_it),
        cmocka_unit_test(a_thread_whose_pipeline_another_failed_to_create_creates_it),
        cmocka_unit_test(a_pipeline_that_fails_leaves_those_created_meanwhile),
        cmocka_unit_test(different_pipelines_are_created_at_once),
        cmocka_unit_test(threads_create_and_compile_at_once),
    };
    return cmocka_run_group_tests(tests, set_up_vulkan, tear_down_vulkan);
}
