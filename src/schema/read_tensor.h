/* Reading one tensor out of the caller's memory. */
#ifndef VKDML_SCHEMA_READ_TENSOR_H
#define VKDML_SCHEMA_READ_TENSOR_H

#include "base/report.h"
#include "tensor/tensor.h"

/* Copies what a descriptor says, checking each pointer and length before it follows it; `tensor` is all zero. What
 * makes it unreadable is reported, a line each, under the tensor's name. */
void vkdml_read_tensor(const char *name, const DML_TENSOR_DESC *desc, struct vkdml_tensor *tensor,
                       struct vkdml_report *report);

/* The same of an output that is inferred: its type, dimension count and sizes, as far as they are known; UNKNOWN, 0 and
 * a NULL Desc or Sizes are not. Nothing else is read. */
void vkdml_read_known(const char *name, const DML_TENSOR_DESC *desc, struct vkdml_tensor *tensor,
                      struct vkdml_report *report);

#endif
