#include "vulkan/driver.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/processor.h"
#include "kernels/variant.h"

/* Whether Mesa is told to do without AVX-512: each of its words means that much of a processor and no more. */
static bool is_told_of_less(void) {
    static const char *const words[] = {"nosse", "sse", "sse2", "sse3", "ssse3", "sse4.1", "avx"};
    const char *told = getenv("GALLIUM_OVERRIDE_CPU_CAPS");
    for (size_t i = 0; told && i < sizeof words / sizeof *words; i++) {
        if (strcmp(told, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *vkdml_driver_warning_here(const VkPhysicalDeviceDriverProperties *driver) {
    return vkdml_driver_warning(driver->driverID, driver->driverInfo,
                                vkdml_processor_has_avx512() && !is_told_of_less());
}
