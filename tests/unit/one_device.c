#include "one_device.h"

VkdmlDevice device;

int begin_without_device(void **state) {
    (void)state;
    reset_vulkan();
    device = NULL;
    return 0;
}

int begin_with_device(void **state) {
    begin_without_device(state);
    device = import_device(0, NULL);
    return 0;
}

int end_with_device(void **state) {
    (void)state;
    vkdmlDestroyDevice(device);
    assert_nothing_left();
    return 0;
}
