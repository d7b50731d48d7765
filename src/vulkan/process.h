/* Which process this is. A Vulkan device does not survive fork(): its driver's threads are not there in the child, and
 * who waits for them waits forever. */
#ifndef VKDML_VULKAN_PROCESS_H
#define VKDML_VULKAN_PROCESS_H

/* Another number in each process that fork() made of the one that asked first. Thread-safe, without a system call. */
unsigned vkdml_process_number(void);

#endif
