#include "cpp/counting.h"

#include "unit/vulkan_fixture.h"

static struct allocations allocations;

VkAllocationCallbacks counting(void) {
    return counting_callbacks(&allocations);
}

int counted(void) {
    return atomic_load(&allocations.live);
}
