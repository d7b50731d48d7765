// Descriptors that Microsoft's library and vkdml judge differently, and why.
#ifndef VKDML_TESTS_DIRECTML_VERDICTS_KNOWN_H
#define VKDML_TESTS_DIRECTML_VERDICTS_KNOWN_H

#include <cstddef>
#include <string>

extern "C" {
#include "cases/case.h"
}

enum class Accepts { DIRECTML, VKDML };

// One row of the table in docs/DIRECTML.md.
struct KnownDifference {
    Accepts accepts;                           // who accepts the descriptor
    const char *operators;                     // "all", or names separated by ", "
    const char *rule;                          // in the words of the documentation
    const char *reasons;                       // vkdml's, if it refuses: patterns separated by " | "; * is any text
    bool (*matches)(const operator_case &one); // if vkdml accepts
    const char *why;
};

extern const KnownDifference knownDifferences[];
extern const std::size_t knownDifferenceCount;

// The first row for a descriptor that vkdml refuses for this reason, or that it accepts; knownDifferenceCount: none.
// The operator has no prefix, and the reason has N for numbers.
std::size_t find_known_reason(const std::string &name, const std::string &reason);
std::size_t find_known_case(const operator_case &one);

#endif
