#include "command_line/refusal.h"

#include <stdarg.h>
#include <stdio.h>

static const char *refusing_subcommand, *refused_option;

void refusal_of(const char *subcommand, const char *option) {
    refusing_subcommand = subcommand;
    refused_option = option;
}

bool refusal_tell(const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "vkdml %s: --%s: ", refusing_subcommand, refused_option);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}
