/* What every public function begins and ends with: the report behind vkdmlGetErrorMessage(). */
#ifndef VKDML_API_ERROR_H
#define VKDML_API_ERROR_H

#include "base/report.h"
#include "vkdml/result.h"
#include "vulkan/log.h"

/* The calling thread's report, emptied. The message of the latest failed call stays as it is: it is another report. */
struct vkdml_report *vkdml_error_begin(void);

/* Ends the call that began with `report` and returns `result`. Of a failure the report becomes the thread's latest
 * message; a success leaves that as it was. */
VkdmlResult vkdml_error_end(struct vkdml_report *report, VkdmlResult result);

/* The same; a failure's message goes to the log too. log may be NULL. */
VkdmlResult vkdml_error_end_logged(struct vkdml_report *report, VkdmlResult result, const struct vkdml_log *log);

#endif
