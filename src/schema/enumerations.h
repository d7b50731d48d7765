/* The DML_ enumerations that fields of descriptors have. */
#ifndef VKDML_SCHEMA_ENUMERATIONS_H
#define VKDML_SCHEMA_ENUMERATIONS_H

#include "vkdml/schema.h"

extern const VkdmlEnumeration vkdml_enumeration_padding_mode;
extern const VkdmlEnumeration vkdml_enumeration_is_infinity_mode;
extern const VkdmlEnumeration vkdml_enumeration_random_generator_type;
extern const VkdmlEnumeration vkdml_enumeration_rounding_mode;
extern const VkdmlEnumeration vkdml_enumeration_quantization_type;
extern const VkdmlEnumeration vkdml_enumeration_depth_space_order;
extern const VkdmlEnumeration vkdml_enumeration_reduce_function;
extern const VkdmlEnumeration vkdml_enumeration_axis_direction;
extern const VkdmlEnumeration vkdml_enumeration_interpolation_mode;
extern const VkdmlEnumeration vkdml_enumeration_matrix_transform;
extern const VkdmlEnumeration vkdml_enumeration_convolution_mode;
extern const VkdmlEnumeration vkdml_enumeration_convolution_direction;
extern const VkdmlEnumeration vkdml_enumeration_recurrent_network_direction;
extern const VkdmlEnumeration vkdml_enumeration_multihead_attention_mask_type;

/* The data types of scalars: neither UNKNOWN nor the 4-bit types. */
extern const VkdmlEnumeration vkdml_enumeration_data_type;

#endif
