/* The rules of CONVOLUTION that the table cannot say. */
#ifndef VKDML_OPERATORS_CONVOLUTION_RULES_H
#define VKDML_OPERATORS_CONVOLUTION_RULES_H

#include "base/report.h"
#include "schema/schema.h"

void vkdml_convolution_check(const struct vkdml_instance *instance, struct vkdml_report *report);

#endif
