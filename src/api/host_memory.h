/* The rules of memory that the reference runs over. */
#ifndef VKDML_API_HOST_MEMORY_H
#define VKDML_API_HOST_MEMORY_H

#include "base/report.h"
#include "schema/schema.h"
#include "vkdml/reference.h"

/* Holds the memory of a call to its tensors: one binding per tensor, present where the tensor is, large enough and
 * aligned to its elements; outputs apart from all else but for in place. */
VkdmlResult vkdml_check_host_memory(const VkdmlReferenceInfo *info, const struct vkdml_instance *instance,
                                    struct vkdml_report *report);

#endif
