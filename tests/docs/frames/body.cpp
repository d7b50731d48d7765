/* A fragment of C++: declarations and functions. */
#include <initializer_list>
#include <vector>

#include <vkdml/vkdml.h>

SNIPPET;
