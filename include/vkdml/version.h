/**
 * @file version.h
 * @brief The version of vkdml, which the build reads from here, and rules for changes of the ABI.
 *
 * **Versions** are major.minor.patch. Before 1.0, a minor version may change anything, so the SONAME contains it
 * (libvkdml.so.0.1, libvkdml.so.0.2). A patch version changes no declaration. From 1.0 on, the SONAME contains only the
 * major version, and programs built with older headers run with newer libraries of the same major version.
 *
 * **Structs that a call reads** (VkdmlDeviceCreateInfo, VkdmlDeviceOpenInfo, VkdmlCompileInfo,
 * VkdmlBindingTableCreateInfo, VkdmlWeightStoreCreateInfo, VkdmlReferenceInfo) begin with their size in the program.
 * New versions add members at the end. For members that an older program does not have, vkdml uses 0, which selects the
 * old behavior. Members that an older library does not know must be 0. All other structs do not change within a SONAME:
 * elements of arrays (VkdmlBufferBinding, VkdmlHostBinding), structs that calls fill, the rows of the operator table,
 * and DirectML's structs.
 *
 * **Creating a device** compares VKDML_HEADER_VERSION of the program with the running library. Before 1.0, the major
 * and minor versions must be equal; afterwards, the major versions.
 */
#ifndef VKDML_VERSION_H
#define VKDML_VERSION_H

#define VKDML_VERSION_MAJOR 0 /**< of these headers */
#define VKDML_VERSION_MINOR 1 /**< of these headers */
#define VKDML_VERSION_PATCH 0 /**< of these headers */
/** The version of these headers, as a string. */
#define VKDML_VERSION_STRING "0.1.0"

/** Combines major, minor and patch into one number, which orders versions. */
#define VKDML_MAKE_VERSION(major, minor, patch) (((major) << 20) | ((minor) << 10) | (patch))

/** The version of the headers a program was compiled with. */
#define VKDML_HEADER_VERSION VKDML_MAKE_VERSION(VKDML_VERSION_MAJOR, VKDML_VERSION_MINOR, VKDML_VERSION_PATCH)

#endif /* VKDML_VERSION_H */
