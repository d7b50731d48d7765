/* A fragment of C++ with vkdml's handles: declarations and functions. */
#include <vkdml/vkdml.hpp>

SNIPPET;
