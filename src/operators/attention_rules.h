/* The attention operators' own rules. */
#ifndef VKDML_OPERATORS_ATTENTION_RULES_H
#define VKDML_OPERATORS_ATTENTION_RULES_H

#include "operators/operators.h"

void vkdml_attention_check(const struct vkdml_instance *instance, struct vkdml_report *report);

#endif
