/* What compilers can be told of functions, where they can. */
#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#if defined(__GNUC__)
#define PRINTF_LIKE(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define PRINTF_LIKE(format_index, first_index)
#endif

#endif
