/* Host memory that counts, for tests in C++: of tests/unit/vulkan_fixture.h, which is not C++. */
#ifndef CPP_COUNTING_H
#define CPP_COUNTING_H

#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

VkAllocationCallbacks counting(void);

/* Allocations through it that are not freed yet. */
int counted(void);

#ifdef __cplusplus
}
#endif

#endif
