#include "api/error.h"

#include <assert.h>

/* Two reports a thread: a call writes into the one that is not the latest failure's, so a success loses nothing and a
 * failure copies nothing. Thread-local and of fixed size: the reason is there after out-of-memory too. */
static _Thread_local struct vkdml_report reports[2];
static _Thread_local unsigned latest_failure;

struct vkdml_report *vkdml_error_begin(void) {
    struct vkdml_report *report = &reports[1 - latest_failure];
    vkdml_report_clear(report);
    return report;
}

VkdmlResult vkdml_error_end(struct vkdml_report *report, VkdmlResult result) {
    assert(report == &reports[1 - latest_failure] && "ended on the thread it began on, and only once");
    report->context = NULL; /* borrowed from objects that may not outlive the call */
    if (result != VKDML_SUCCESS) {
        assert(report->count > 0 && "every failure has a reason");
        latest_failure = 1 - latest_failure;
    }
    return result;
}

VkdmlResult vkdml_error_end_logged(struct vkdml_report *report, VkdmlResult result, const struct vkdml_log *log) {
    if (result != VKDML_SUCCESS && vkdml_log_is_on(log)) {
        log->callback(log->user_data, VKDML_LOG_LEVEL_ERROR, report->text);
    }
    return vkdml_error_end(report, result);
}

const char *vkdmlGetErrorMessage(void) {
    return reports[latest_failure].text;
}
