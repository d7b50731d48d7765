/* The rules of convolutions that the table cannot say. */
#ifndef VKDML_OPERATORS_CONVOLUTION_RULES_H
#define VKDML_OPERATORS_CONVOLUTION_RULES_H

#include "base/report.h"
#include "operators/convolution_parts.h"

void vkdml_convolution_check(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                             struct vkdml_report *report);

#endif
