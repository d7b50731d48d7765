/**
 * @file version.h
 * @brief The library's version, the one place it is written (the build reads it from here), and what may change in the
 *        ABI.
 *
 * **Versions** are major.minor.patch. Before 1.0 a minor version may change anything, so its shared library has a name
 * of its own (SONAME libvkdml.so.0.1, then libvkdml.so.0.2); patches change no declaration. From 1.0 on the SONAME has
 * the major version alone, and within it programs built with older headers run with newer libraries.
 *
 * **Structs that a call reads** (VkdmlDeviceCreateInfo, VkdmlDeviceOpenInfo, VkdmlCompileInfo,
 * VkdmlBindingTableCreateInfo, VkdmlWeightStoreCreateInfo, VkdmlReferenceInfo) begin with their size as the program was compiled and grow at their
 * end. Members that an older program does not have are 0, which means what the library did before; members that an
 * older library does not know must be 0. All other structs stay as they are while the SONAME does: those of arrays
 * (VkdmlBufferBinding, VkdmlHostBinding), those that calls fill, the rows of the operator table, and DirectML's.
 *
 * **Creating a device** compares VKDML_HEADER_VERSION of the program with the running library: before 1.0 major and
 * minor version must be the same, afterwards the major version.
 */
#ifndef VKDML_VERSION_H
#define VKDML_VERSION_H

#define VKDML_VERSION_MAJOR 0 /**< of these headers */
#define VKDML_VERSION_MINOR 1 /**< of these headers */
#define VKDML_VERSION_PATCH 0 /**< of these headers */
/** Of these headers, as a string. */
#define VKDML_VERSION_STRING "0.1.0"

/** Major, minor and patch in one ordered number. */
#define VKDML_MAKE_VERSION(major, minor, patch) (((major) << 20) | ((minor) << 10) | (patch))

/** The version of the headers a program was compiled with. */
#define VKDML_HEADER_VERSION VKDML_MAKE_VERSION(VKDML_VERSION_MAJOR, VKDML_VERSION_MINOR, VKDML_VERSION_PATCH)

#endif /* VKDML_VERSION_H */
