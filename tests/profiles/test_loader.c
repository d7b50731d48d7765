/* The profiles' Vulkan loader makes every device the profile's, and ends the process at a violation.
 *
 * test_loader LIBVULKAN
 *   LIBVULKAN  the profiles' libvulkan.so.1 */
#define _POSIX_C_SOURCE 200809L /* fork, setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <volk.h>

#define THREADS 4

static const char *libvulkan;

/* What a process of its own came to. */
struct outcome {
    int status;
    char errors[4096]; /* its standard error's first bytes */
};

static void read_all(int file, char *text, size_t capacity) {
    size_t used = 0;
    ssize_t count;
    while (used + 1 < capacity && (count = read(file, text + used, capacity - used - 1)) > 0) {
        used += (size_t)count;
    }
    text[used] = '\0';
}

/* Runs a body in a process of its own, since the loader stays what it was first. 0: the body returned. */
static struct outcome run(void (*body)(void), const char *profile) {
    struct outcome outcome;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        signal(SIGSEGV, SIG_DFL); /* not cmocka's, which goes on with the next test */
        setenv("VKDML_TEST_PROFILE", profile, 1);
        unsetenv("VKDML_TEST_PROFILE_OWN");
        body();
        _exit(0);
    }
    close(ends[1]);
    read_all(ends[0], outcome.errors, sizeof outcome.errors);
    close(ends[0]);
    assert_int_equal(waitpid(child, &outcome.status, 0), child);
    return outcome;
}

static void assert_aborted(struct outcome outcome, const char *part) {
    if (!WIFSIGNALED(outcome.status) || WTERMSIG(outcome.status) != SIGABRT || strstr(outcome.errors, part) == NULL) {
        fail_msg("status 0x%x, \"%s\"; must abort and tell \"%s\"", (unsigned)outcome.status, outcome.errors, part);
    }
}

static void assert_returned(struct outcome outcome) {
    if (outcome.status != 0) {
        fail_msg("status 0x%x, \"%s\"", (unsigned)outcome.status, outcome.errors);
    }
}

/* In the child. */
static void require(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "not so: %s\n", what);
        _exit(1);
    }
}

static VkInstance open_instance(uint32_t version) {
    void *library = dlopen(libvulkan, RTLD_NOW | RTLD_LOCAL);
    require(library != NULL, "the loader opens");
    void *symbol = dlsym(library, "vkGetInstanceProcAddr");
    PFN_vkGetInstanceProcAddr get;
    memcpy(&get, &symbol, sizeof get);
    volkInitializeCustom(get);
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    require(vkCreateInstance(&info, NULL, &instance) == VK_SUCCESS, "there is an instance");
    volkLoadInstance(instance);
    return instance;
}

static VkPhysicalDevice open_physical_device(void) {
    VkInstance instance = open_instance(VK_API_VERSION_1_2); /* before volk's pointers are read */
    VkPhysicalDevice device;
    uint32_t count = 1;
    require(vkEnumeratePhysicalDevices(instance, &count, &device) >= 0 && count == 1, "there is a device");
    return device;
}

static VkDevice open_device(const VkPhysicalDeviceFeatures *features) {
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .pEnabledFeatures = features};
    VkPhysicalDevice physical_device = open_physical_device();
    VkDevice device;
    require(vkCreateDevice(physical_device, &info, NULL, &device) == VK_SUCCESS, "the device can be created");
    volkLoadDevice(device);
    return device;
}

static void look_at_a_minimum(void) {
    VkPhysicalDevice physical_device = open_physical_device();
    VkPhysicalDeviceProperties properties;
    uint32_t version = 0;
    vkGetPhysicalDeviceProperties(physical_device, &properties);
    require(strstr(properties.deviceName, "as profile minimum") != NULL, "its name tells the profile");
    require(properties.limits.maxComputeWorkGroupInvocations == 128, "128 invocations");
    require(properties.limits.minStorageBufferOffsetAlignment == 256, "alignment of 256");
    require(vkEnumerateInstanceVersion(&version) == VK_SUCCESS && version == VK_API_VERSION_1_2, "Vulkan 1.2");
}

static void every_device_is_the_profiles(void **state) {
    (void)state;
    assert_returned(run(look_at_a_minimum, "minimum"));
}

static void look_at_the_device(void) {
    VkPhysicalDevice physical_device = open_physical_device();
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical_device, &properties);
    require(strstr(properties.deviceName, "as profile") == NULL, "its name tells no profile");
}

static void without_a_profile_it_is_the_real_loader(void **state) {
    (void)state;
    assert_returned(run(look_at_the_device, ""));
}

static void without_such_a_profile_nothing_opens(void **state) {
    (void)state;
    assert_aborted(run(look_at_the_device, "minimun"), "names no profile: minimun");
}

static void enable_what_is_hidden(void) {
    const VkPhysicalDeviceFeatures features = {.shaderInt64 = VK_TRUE};
    open_device(&features);
}

static void ask_for_vulkan_1_3(void) {
    open_instance(VK_API_VERSION_1_3);
}

static void write_unaligned(void) {
    VkDevice device = open_device(NULL);
    const VkDescriptorBufferInfo buffer = {.offset = 4, .range = 4};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

static void call_what_is_not_looked_at(void) {
    VkDevice device = open_device(NULL);
    const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    vkCreateEvent(device, &info, NULL, &event);
}

static void a_violation_ends_the_process(void **state) {
    (void)state;
    assert_returned(run(enable_what_is_hidden, "amd"));
    assert_aborted(run(enable_what_is_hidden, "minimum"), "profile minimum: vkCreateDevice: shaderInt64");
    assert_aborted(run(ask_for_vulkan_1_3, "minimum"), "apiVersion");
    assert_aborted(run(write_unaligned, "intel"), "profile intel: vkUpdateDescriptorSets");
    assert_aborted(run(call_what_is_not_looked_at, "minimum"), "vkCreateEvent is called");
}

static void *make_layouts(void *data) {
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                  .descriptorCount = 4,
                                                  .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    VkDevice device = data;
    for (int i = 0; i < 2000; i++) {
        VkDescriptorSetLayout layout;
        VkPipelineLayout pipeline_layout;
        require(vkCreateDescriptorSetLayout(device, &info, NULL, &layout) == VK_SUCCESS, "there is a set layout");
        const VkPipelineLayoutCreateInfo create = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &layout};
        require(vkCreatePipelineLayout(device, &create, NULL, &pipeline_layout) == VK_SUCCESS, "its set is known");
        vkDestroyPipelineLayout(device, pipeline_layout, NULL);
        vkDestroyDescriptorSetLayout(device, layout, NULL);
    }
    return NULL;
}

static void make_layouts_on_threads(void) {
    VkDevice device = open_device(NULL);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        require(pthread_create(&threads[i], NULL, make_layouts, device) == 0, "there is a thread");
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* Each thread's layouts are known while others come and go. */
static void threads_do_not_disturb_each_other(void **state) {
    (void)state;
    assert_returned(run(make_layouts_on_threads, "minimum"));
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_is_the_profiles),
        cmocka_unit_test(without_a_profile_it_is_the_real_loader),
        cmocka_unit_test(without_such_a_profile_nothing_opens),
        cmocka_unit_test(a_violation_ends_the_process),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };
    if (count != 2 || strchr(arguments[1], '/') == NULL) {
        fprintf(stderr, "Usage: test_loader LIBVULKAN\n");
        return EXIT_FAILURE;
    }
    libvulkan = arguments[1];
    return cmocka_run_group_tests_name("profiles' loader", tests, NULL, NULL);
}
