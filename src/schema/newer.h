/* Descriptors of an operator's versions as its newest one's. */
#ifndef VKDML_SCHEMA_NEWER_H
#define VKDML_SCHEMA_NEWER_H

#include "schema/schema.h"

DML_ROI_ALIGN1_OPERATOR_DESC vkdml_roi_align1_of(const struct vkdml_instance *instance);

#endif
