/* A Vulkan loader whose drivers fail where they are told to: libvulkan.so.1 of this folder, found by LD_LIBRARY_PATH.
 * What it exports beside vkGetInstanceProcAddr() is for tests, in Python too. */
#ifndef ONNX_TEST_FAULTS_H
#define ONNX_TEST_FAULTS_H

#include <stdint.h>

/* The nth call of a function from now on, from 1, returns the VkResult instead; -n: each from there on. A device that
 * is lost stays so: its other functions return VK_ERROR_DEVICE_LOST from then on. NULL: none fails. Counts begin again.
 */
typedef void (*faults_set_function)(const char *function, int32_t nth, int32_t result);

/* How often the function that fails was called, and whether one failed. */
typedef uint32_t (*faults_calls_function)(void);
typedef uint32_t (*faults_failed_function)(void);

/* Objects, devices and instances that are there. */
typedef int32_t (*faults_live_function)(void);

/* What an application must not do, so far: devices that end before what is of them, memory, buffers and commands that
 * end while a queue uses them, and fences that are submitted while they are signaled. */
typedef uint32_t (*faults_misuses_function)(void);

#endif
