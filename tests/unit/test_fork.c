/* Devices of a process in its children: what is inherited says so at once and goes without waiting, and what is new
 * works, also where other threads are at work during fork(). On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "operator_fixture.h"
#include "vkdml/vkdml.h"

enum { SECONDS = 5, FORKS = 12 };

struct objects {
    VkdmlDevice device;
    VkdmlOperator op;
    VkdmlDispatchable compiled;
    VkdmlBindingTable table;
};

static bool create(struct objects *objects, VkdmlDeviceFlags flags) {
    const VkdmlDeviceOpenInfo info = {
        .structSize = sizeof info, .headerVersion = VKDML_HEADER_VERSION, .flags = flags};
    struct identity identity;
    identity_init(&identity, 16);
    *objects = (struct objects){NULL, NULL, NULL, NULL};
    if (vkdmlOpenDevice(&info, &objects->device) != VKDML_SUCCESS ||
        vkdmlCreateOperator(objects->device, &identity.desc, &objects->op) != VKDML_SUCCESS ||
        vkdmlCompileOperator(objects->op, NULL, &objects->compiled) != VKDML_SUCCESS) {
        return false;
    }
    const VkdmlBindingTableCreateInfo table = {.structSize = sizeof table, .dispatchable = objects->compiled};
    return vkdmlCreateBindingTable(objects->device, &table, &objects->table) == VKDML_SUCCESS;
}

static void destroy(const struct objects *objects) {
    vkdmlDestroyBindingTable(objects->table);
    vkdmlDestroyDispatchable(objects->compiled);
    vkdmlDestroyOperator(objects->op);
    vkdmlDestroyDevice(objects->device);
}

static bool is_refused(VkdmlResult result) {
    return result == VKDML_ERROR_DEVICE_LOST && strstr(vkdmlGetErrorMessage(), "made before fork()") != NULL;
}

static bool child_refuses(const struct objects *inherited) {
    VkdmlDispatchable compiled;
    VkdmlBindingProperties properties;
    size_t size;
    vkdmlReportDeviceLost(inherited->device, "another reason");
    const bool good = is_refused(vkdmlGetDeviceLostReason(inherited->device)) &&
                      is_refused(vkdmlCompileOperator(inherited->op, NULL, &compiled)) &&
                      is_refused(vkdmlGetBindingProperties(inherited->compiled, &properties)) &&
                      is_refused(vkdmlBindInputs(inherited->table, 0, NULL)) &&
                      is_refused(vkdmlGetPipelineCacheData(inherited->device, &size, NULL));
    destroy(inherited);
    return good;
}

enum outcome { GOOD, REFUSES_NOT, FAILS, DRIVER_FAILS };

/* Whether the child refuses what it inherits, and can make its own. */
static enum outcome fork_with(const struct objects *inherited) {
    const pid_t child = fork();
    if (child == 0) {
        struct objects own;
        alarm(SECONDS); /* a wait without end ends the child */
        enum outcome outcome = child_refuses(inherited) ? GOOD : REFUSES_NOT;
        if (outcome == GOOD && !create(&own, 0)) {
            outcome = strstr(vkdmlGetErrorMessage(), "a child of fork()") != NULL ? DRIVER_FAILS : FAILS;
        }
        if (outcome == GOOD) {
            destroy(&own);
        }
        _exit((int)outcome);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? (enum outcome)WEXITSTATUS(status) : FAILS;
}

static void children_refuse_what_they_inherit(void **state) {
    static const VkdmlDeviceFlags flags[] = {0, VKDML_DEVICE_FLAG_CHECK_HANDLES};
    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        struct objects objects;
        assert_true(create(&objects, flags[i]));
        const enum outcome outcome = fork_with(&objects);
        assert_int_equal(vkdmlGetDeviceLostReason(objects.device), VKDML_SUCCESS); /* the parent's works on */
        destroy(&objects);
        assert_true(create(&objects, flags[i]));
        destroy(&objects);
        if (outcome == DRIVER_FAILS) {
            skip(); /* NVIDIA's driver 580 */
        }
        assert_int_equal(outcome, GOOD);
    }
}

static atomic_bool ends;

static void *compile(void *argument) {
    const struct objects *objects = argument;
    while (!atomic_load(&ends)) {
        VkdmlDispatchable compiled;
        if (vkdmlCompileOperator(objects->op, NULL, &compiled) != VKDML_SUCCESS) {
            return NULL;
        }
        vkdmlDestroyDispatchable(compiled);
    }
    return argument;
}

static void threads_that_hold_locks_stop_no_child(void **state) {
    struct objects objects;
    pthread_t threads[2];
    bool good = true;
    (void)state;
    assert_true(create(&objects, VKDML_DEVICE_FLAG_CHECK_HANDLES));
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, compile, &objects), 0);
    }
    for (int i = 0; i < FORKS; i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            _exit(child_refuses(&objects) ? 0 : 1);
        }
        int status = -1;
        good = waitpid(child, &status, 0) == child && status == 0 && good;
    }
    atomic_store(&ends, true);
    for (size_t i = 0; i < 2; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        good = result != NULL && good;
    }
    destroy(&objects);
    assert_true(good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_refuse_what_they_inherit),
        cmocka_unit_test(threads_that_hold_locks_stop_no_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
