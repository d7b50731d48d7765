#include "verdicts_known.h"

#include <cfloat>
#include <cstdint>
#include <cstring>

namespace {

#define KNOWN_DIRECTML(operators, rule, reasons, why) {Accepts::DIRECTML, operators, rule, reasons, nullptr, why},
#define KNOWN_VKDML(operators, rule, matches, why)    {Accepts::VKDML, operators, rule, "", matches, why},

bool listed(const char *list, const std::string &name) {
    return std::strcmp(list, "all") == 0 ||
           (", " + std::string(list) + ", ").find(", " + name + ", ") != std::string::npos;
}

// * in the pattern is any text.
bool is_like(const char *text, const char *pattern, const char *end) {
    if (pattern == end) {
        return *text == '\0';
    }
    if (*pattern != '*') {
        return *text == *pattern && is_like(text + 1, pattern + 1, end);
    }
    do {
        if (is_like(text, pattern + 1, end)) {
            return true;
        }
    } while (*text++ != '\0');
    return false;
}

bool is_like_one(const std::string &reason, const char *patterns) {
    static const char separator[] = " | ";
    for (const char *from = patterns;;) {
        const char *const end = std::strstr(from, separator);
        if (is_like(reason.c_str(), from, end != nullptr ? end : from + std::strlen(from))) {
            return true;
        }
        if (end == nullptr) {
            return false;
        }
        from = end + sizeof separator - 1;
    }
}

// ---- what vkdml accepts ----

bool has_tensor(const operator_case &one, bool (*is)(const struct case_tensor &tensor)) {
    for (case_at at = case_first(&one); at.tensor != nullptr; at = case_next(&one, at)) {
        if (is(*at.tensor)) {
            return true;
        }
    }
    return false;
}

bool small_alignment(const operator_case &one) {
    return has_tensor(one, [](const struct case_tensor &tensor) {
        return tensor.align != 0 && tensor.align < DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
    });
}

std::uint32_t element_bytes(DML_TENSOR_DATA_TYPE type) {
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT64:
    case DML_TENSOR_DATA_TYPE_INT64:
    case DML_TENSOR_DATA_TYPE_UINT64:
        return 8;
    case DML_TENSOR_DATA_TYPE_FLOAT32:
    case DML_TENSOR_DATA_TYPE_INT32:
    case DML_TENSOR_DATA_TYPE_UINT32:
        return 4;
    case DML_TENSOR_DATA_TYPE_FLOAT16:
    case DML_TENSOR_DATA_TYPE_INT16:
    case DML_TENSOR_DATA_TYPE_UINT16:
        return 2;
    default:
        return 1;
    }
}

bool far_elements(const operator_case &one) {
    return has_tensor(one, [](const struct case_tensor &tensor) {
        return case_total_bytes(&tensor) / element_bytes(tensor.type) > UINT32_MAX;
    });
}

bool has_64_bits(const struct case_tensor &tensor) {
    return element_bytes(tensor.type) == 8;
}

float float_of(const operator_case &one, const char *field) {
    return case_has(&one, field) ? case_float(&one, field) : 0;
}

// NULL: there is no such tensor.
const struct case_tensor *find_tensor(const operator_case &one, const char *field) {
    if (!case_has(&one, field)) {
        return nullptr;
    }
    const std::uint32_t index = case_index(&one, field);
    return one.fields[index].present != 0 ? &one.tensors[index] : nullptr;
}

bool scaled_64_bits(const operator_case &one) {
    static const float none[] = {1, 0};
    const struct case_field &field = one.fields[case_index(&one, "ScaleBias")];
    return field.present != 0 && std::memcmp(field.words, none, sizeof none) != 0 && has_tensor(one, has_64_bits);
}

bool padding_alone(const operator_case &one) {
    const struct case_tensor &output = *find_tensor(one, "OutputTensor");
    const std::uint32_t *const padding = case_words(&one, "OutputPadding");
    bool found = false;
    for (std::uint32_t d = 2; d < output.rank; ++d) {
        found = found || padding[d - 2] >= output.sizes[d];
    }
    return found;
}

bool cell_alone(const operator_case &one) {
    return find_tensor(one, "OutputSequenceTensor") == nullptr && find_tensor(one, "OutputSingleTensor") == nullptr;
}

bool different_ranks(const operator_case &one) {
    const std::uint32_t rank = find_tensor(one, "OutputTensor")->rank;
    bool found = false;
    for (const char *const name : {"QueryTensor", "KeyTensor", "ValueTensor"}) {
        const struct case_tensor *const tensor = find_tensor(one, name);
        found = found || (tensor != nullptr && tensor->rank != rank);
    }
    return found;
}

bool broadcast_mask(const operator_case &one) {
    const struct case_tensor *const mask = find_tensor(one, "MaskTensor");
    bool found = false;
    for (std::uint32_t d = 0; mask != nullptr && d < mask->rank; ++d) {
        found = found || mask->sizes[d] == 1;
    }
    return mask != nullptr && case_word(&one, "MaskType") == DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN &&
           (found || mask->rank < 4);
}

bool flat_lengths(const operator_case &one) {
    const struct case_tensor *const mask = find_tensor(one, "MaskTensor");
    return mask != nullptr && mask->rank == 1 &&
           case_word(&one, "MaskType") == DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_LENGTH;
}

bool pooled_signs(const operator_case &one) {
    return find_tensor(one, "InputTensor")->type != find_tensor(one, "OutputTensor")->type;
}

bool different_sizes(const struct case_tensor *a, const struct case_tensor *b) {
    return a != nullptr && b != nullptr &&
           (a->rank != b->rank || std::memcmp(a->sizes, b->sizes, a->rank * sizeof a->sizes[0]) != 0);
}

bool different_parameters(const operator_case &one) {
    bool found = false;
    for (const char *const name : {"A", "B", "Input", "Filter", "Output"}) {
        found = found || different_sizes(find_tensor(one, (std::string(name) + "ScaleTensor").c_str()),
                                         find_tensor(one, (std::string(name) + "ZeroPointTensor").c_str()));
    }
    return found;
}

bool flat_parameters(const operator_case &one) {
    bool found = false;
    for (const char *const name : {"AScaleTensor", "AZeroPointTensor", "OutputScaleTensor", "OutputZeroPointTensor",
                                   "FilterScaleTensor", "FilterZeroPointTensor"}) {
        const struct case_tensor *const tensor = find_tensor(one, name);
        found = found || (tensor != nullptr && tensor->rank == 1 && tensor->sizes[0] > 1);
    }
    return found;
}

bool odd_scale(const operator_case &one) {
    const float x = float_of(one, "SpatialScaleX"), y = float_of(one, "SpatialScaleY");
    return !(x >= 0 && x <= FLT_MAX && y >= 0 && y <= FLT_MAX);
}

bool no_samples(const operator_case &one) {
    return case_word(&one, "MinimumSamplesPerOutput") == 0;
}

bool many_indices(const operator_case &one) {
    const std::uint32_t axis = case_word(&one, "Axis");
    return find_tensor(one, "IndicesTensor")->sizes[axis] > find_tensor(one, "InputTensor")->sizes[axis];
}

bool broadcast_indices(const operator_case &one) {
    const struct case_tensor &indices = *find_tensor(one, "IndicesTensor");
    bool found = false;
    for (std::uint32_t d = 0; indices.has_strides != 0 && d < indices.rank; ++d) {
        found = found || (indices.strides[d] == 0 && indices.sizes[d] > 1);
    }
    return found;
}

bool far_slice(const operator_case &one) {
    const struct case_field &strides = one.fields[case_index(&one, "Strides")];
    bool found = false;
    for (std::uint32_t i = 0; i < strides.word_count; ++i) {
        found = found || strides.words[i] > INT32_MAX;
    }
    return found;
}

bool early_axis(const operator_case &one) {
    return case_word(&one, "IndexDimensions") > case_word(&one, "Axis") + 1;
}

bool surplus_one(const operator_case &one) {
    const struct case_tensor &indices = *find_tensor(one, "IndicesTensor");
    const std::uint32_t count = case_word(&one, "IndexDimensions");
    return count != 0 && count <= indices.rank && indices.sizes[indices.rank - count] == 1;
}

} // namespace

const KnownDifference knownDifferences[] = {
#include "verdicts_known.inc"
};

const std::size_t knownDifferenceCount = sizeof knownDifferences / sizeof knownDifferences[0];

std::size_t find_known_reason(const std::string &name, const std::string &reason) {
    std::size_t i = 0;
    while (i < knownDifferenceCount &&
           !(knownDifferences[i].accepts == Accepts::DIRECTML && listed(knownDifferences[i].operators, name) &&
             is_like_one(reason, knownDifferences[i].reasons))) {
        ++i;
    }
    return i;
}

std::size_t find_known_case(const operator_case &one) {
    const std::string name = one.schema->name + std::strlen("DML_OPERATOR_");
    std::size_t i = 0;
    while (i < knownDifferenceCount &&
           !(knownDifferences[i].accepts == Accepts::VKDML && listed(knownDifferences[i].operators, name) &&
             knownDifferences[i].matches(one))) {
        ++i;
    }
    return i;
}
