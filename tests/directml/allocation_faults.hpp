/* Makes allocations of chosen libraries fail. The program's malloc() is in front of the C library's; it fails only for
 * calls from the libraries that are watched, so that drivers and the test itself are left alone. */
#ifndef VKDML_ALLOCATION_FAULTS_HPP
#define VKDML_ALLOCATION_FAULTS_HPP

#include <cstddef>

namespace allocation_faults {

/** Adds the library that has this address to those that are watched. */
void watch(const void *address);

/** Which allocations of watched libraries fail. */
enum class Fails { One, Rest };

/** The at-th allocation by a watched library from now on fails, and all that follow for Fails::Rest. */
void begin(int at, Fails fails);

/** No allocation fails from now on. Returns whether one failed since begin(). */
bool end();

/** How many allocations of watched libraries were not freed; counted since the first call of watch(). */
std::size_t live();

} // namespace allocation_faults

#endif
