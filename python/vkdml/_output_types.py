"""The types of outputs that are left to the module: by the rules of the table, else the usual ones."""
from typing import Any, Callable, Dict, Optional


def always(name: str) -> Callable[[Any], Optional[str]]:
    return lambda call: name


def by_tensor(name: str, otherwise: Optional[str] = None, place: int = 0) -> Callable[[Any], Optional[str]]:
    def type_of(call: Any) -> Optional[str]:
        tensor = call.tensors.get(name)
        if isinstance(tensor, list):
            tensor = tensor[place] if place < len(tensor) else None
        return tensor.type if tensor is not None else otherwise
    return type_of


def reduced(call: Any) -> str:
    return "UINT32" if call["Function"] in ("ARGMIN", "ARGMAX") else call.tensors["InputTensor"].type


OUTPUT_TYPES: Dict[Any, Callable[[Any], Optional[str]]] = {
    "REDUCE": reduced, "ARGMIN": always("UINT32"), "ARGMAX": always("UINT32"),
    "TOP_K": always("UINT32"), "TOP_K1": always("UINT32"),
    "MAX_POOLING1": always("UINT32"), "MAX_POOLING2": always("UINT32"),
    **{f"ELEMENT_WISE_{name}": always("UINT8") for name in
       ("LOGICAL_EQUALS", "LOGICAL_GREATER_THAN", "LOGICAL_GREATER_THAN_OR_EQUAL", "LOGICAL_LESS_THAN",
        "LOGICAL_LESS_THAN_OR_EQUAL", "IS_NAN", "BIT_COUNT")},
    "QUANTIZE": by_tensor("QuantizationTensors", "UINT8", 1), "DEQUANTIZE": by_tensor("QuantizationTensors"),
    "DYNAMIC_QUANTIZE_LINEAR": always("UINT8"), "ELEMENT_WISE_QUANTIZE_LINEAR": always("UINT8"),
    "ELEMENT_WISE_QUANTIZED_LINEAR_ADD": by_tensor("ATensor"), "QUANTIZED_LINEAR_MATRIX_MULTIPLY": by_tensor("ATensor"),
    "QUANTIZED_LINEAR_CONVOLUTION": by_tensor("InputTensor"), "QUANTIZED_LINEAR_AVERAGE_POOLING": by_tensor("InputTensor"),
}


def output_type(call: Any, field: Any) -> Optional[str]:
    """That of an output that the caller gave none for; None where nothing says it."""
    if len(field.types) == 1:
        return field.types[0]
    for rule in field.agreements:
        other = call.tensors.get(rule.field) if rule.field else None
        if other and "DATA_TYPE" in rule.what and not rule.below:
            type_: Optional[str] = (other[0] if isinstance(other, list) else other).type
            return type_
    infer = OUTPUT_TYPES.get(call.operator.name)
    return infer(call) if infer else None
