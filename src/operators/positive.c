#include "operators/positive.h"

#include <inttypes.h>

bool vkdml_positive_check(const struct vkdml_positive *arrays, uint32_t count, uint32_t length,
                          struct vkdml_report *report) {
    bool good = true;
    for (uint32_t i = 0; i < length; ++i) {
        for (uint32_t n = 0; n < count; ++n) {
            if (arrays[n].values[i] == 0) {
                vkdml_report_invalid(report, "%s[%" PRIu32 "] is 0, must be at least 1", arrays[n].name, i);
                good = false;
            }
        }
    }
    return good;
}
