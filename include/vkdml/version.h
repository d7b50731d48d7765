/**
 * @file version.h
 * @brief The library's version. The one place it is written; the build reads it from here.
 */
#ifndef VKDML_VERSION_H
#define VKDML_VERSION_H

#define VKDML_VERSION_MAJOR  0
#define VKDML_VERSION_MINOR  1
#define VKDML_VERSION_PATCH  0
#define VKDML_VERSION_STRING "0.1.0"

/** Major, minor and patch in one ordered number. */
#define VKDML_MAKE_VERSION(major, minor, patch) (((major) << 20) | ((minor) << 10) | (patch))

/** The version of the headers a program was compiled with. */
#define VKDML_HEADER_VERSION VKDML_MAKE_VERSION(VKDML_VERSION_MAJOR, VKDML_VERSION_MINOR, VKDML_VERSION_PATCH)

#endif /* VKDML_VERSION_H */
