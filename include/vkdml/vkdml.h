/**
 * @file vkdml.h
 * @brief DirectML's operators on any Vulkan 1.2 device. Includes the whole API.
 */
#ifndef VKDML_H
#define VKDML_H

#include "vkdml/binding.h"
#include "vkdml/device.h"
#include "vkdml/dml_operators.h"
#include "vkdml/dml_types.h"
#include "vkdml/explain.h"
#include "vkdml/graph.h"
#include "vkdml/infer.h"
#include "vkdml/operator.h"
#include "vkdml/reference.h"
#include "vkdml/result.h"
#include "vkdml/schema.h"
#include "vkdml/version.h"
#include "vkdml/weights.h"

#endif /* VKDML_H */
