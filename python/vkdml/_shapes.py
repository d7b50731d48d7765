"""The sizes and types of outputs that are left to the module: by the rules of the table, else by those of the operator."""
import math
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

Sizes = Tuple[int, ...]


def fit_rank(sizes: List[int], rank: int) -> Optional[Sizes]:
    """With as many ones in front as `rank` wants, or without those that are too many; None where that cannot be."""
    surplus = len(sizes) - rank
    if surplus <= 0:
        return (1,) * -surplus + tuple(sizes)
    return tuple(sizes[surplus:]) if all(size == 1 for size in sizes[:surplus]) else None


def windows(call: Any, window: List[int]) -> List[int]:
    """How many windows there are along each spatial dimension."""
    sizes, a = call.sizes("InputTensor")[-len(window):], call.attributes
    dilations = a.get("Dilations") or [1] * len(window)
    return [(size + start + end - (length - 1) * dilation - 1) // stride + 1
            for size, start, end, length, dilation, stride in
            zip(sizes, a["StartPadding"], a["EndPadding"], window, dilations, a["Strides"])]


def gemm(call: Any) -> Sizes:
    a, b = call.sizes("ATensor"), call.sizes("BTensor")
    return (*a[:-2], a[-2 if call["TransA"] == "NONE" else -1], b[-1 if call["TransB"] == "NONE" else -2])


def convolution(call: Any) -> Sizes:
    sizes, filter_, spatial = call.sizes("InputTensor"), call.sizes("FilterTensor"), call["DimensionCount"]
    lengths = filter_[-spatial:]
    if call["Direction"] == "FORWARD":
        made = [count + more for count, more in zip(windows(call, lengths), call["OutputPadding"])]
        return (*sizes[:-spatial - 1], filter_[-spatial - 2], *made)
    made = [(size - 1) * stride + (length - 1) * dilation + 1 + more - start - end
            for size, stride, length, dilation, more, start, end in
            zip(sizes[-spatial:], call["Strides"], lengths, call["Dilations"], call["OutputPadding"],
                call["StartPadding"], call["EndPadding"])]
    return (*sizes[:-spatial - 1], filter_[-spatial - 1] * call["GroupCount"], *made)


def pooling(call: Any) -> Sizes:
    window = call["WindowSize"]
    return (*call.sizes("InputTensor")[:-len(window)], *windows(call, window))


def padding(call: Any) -> Sizes:
    return tuple(size + start + end for size, start, end in
                 zip(call.sizes("InputTensor"), call["StartPadding"], call["EndPadding"]))


def reduction(call: Any) -> Sizes:
    return tuple(1 if d in call["Axes"] else size for d, size in enumerate(call.sizes("InputTensor")))


def gather(call: Any) -> Optional[Sizes]:
    sizes, indices, axis = call.sizes("InputTensor"), call.sizes("IndicesTensor"), call["Axis"]
    counted = indices[len(indices) - call["IndexDimensions"]:]
    return fit_rank([*sizes[:axis], *counted, *sizes[axis + 1:]], len(sizes))


def gather_nd(call: Any) -> Optional[Sizes]:
    sizes, indices = call.sizes("InputTensor"), call.sizes("IndicesTensor")
    counted = sizes[len(sizes) - call["InputDimensionCount"]:]
    tuples = indices[len(indices) - call["IndicesDimensionCount"]:]
    batches = call.attributes.get("BatchDimensionCount", 0)
    return fit_rank([*tuples[:-1], *counted[batches + tuples[-1]:]], len(sizes))


def slice1(call: Any) -> Sizes:
    return tuple((size - 1) // abs(stride) + 1
                 for size, stride in zip(call["InputWindowSizes"], call["InputWindowStrides"]))


def join(call: Any) -> Sizes:
    parts, axis = [tensor.sizes for tensor in call.tensors["InputTensors"]], call["Axis"]
    return (*parts[0][:axis], sum(part[axis] for part in parts), *parts[0][axis + 1:])


def split(call: Any) -> Sizes:
    """Of each of so many equal parts."""
    sizes, axis = call.sizes("InputTensor"), call["Axis"]
    if sizes[axis] % call["OutputCount"]:
        raise ValueError(f"SPLIT: {sizes[axis]} elements along axis {axis} are not {call['OutputCount']} equal parts; give "
                         "OutputTensors as a list of shapes")
    return (*sizes[:axis], sizes[axis] // call["OutputCount"], *sizes[axis + 1:])


def tile(call: Any) -> Sizes:
    return tuple(size * count for size, count in zip(call.sizes("InputTensor"), call["Repeats"]))


def to_depth(call: Any) -> Sizes:
    sizes, block = call.sizes("InputTensor"), call["BlockSize"]
    return (*sizes[:-3], sizes[-3] * block * block, sizes[-2] // block, sizes[-1] // block)


def to_space(call: Any) -> Sizes:
    sizes, block = call.sizes("InputTensor"), call["BlockSize"]
    return (*sizes[:-3], sizes[-3] // (block * block), sizes[-2] * block, sizes[-1] * block)


def unfold(call: Any) -> Sizes:
    sizes, window = call.sizes("InputTensor"), call["WindowSizes"]
    return (sizes[0], sizes[1] * math.prod(window), math.prod(windows(call, window)))


def top_k(call: Any) -> Sizes:
    return tuple(call["K"] if d == call["Axis"] else size for d, size in enumerate(call.sizes("InputTensor")))


def resample(call: Any) -> Sizes:
    """Scales are FLOAT32: 0.7 times 10 is 7 all the same."""
    return tuple(max(1, math.floor(size * float(np.float32(scale)) * (1 + 2.0**-22)))
                 for size, scale in zip(call.sizes("InputTensor"), call["Scales"]))


def upsample(call: Any) -> Sizes:
    sizes, (width, height) = call.sizes("InputTensor"), call["ScaleSize"]
    return (*sizes[:-2], sizes[-2] * height, sizes[-1] * width)


def roi_pooling(call: Any) -> Sizes:
    width, height = call["PooledSize"]
    return (call.sizes("ROITensor")[-2], call.sizes("InputTensor")[1], height, width)


def coordinates(call: Any) -> Sizes:
    """Of all dimensions: leading ones have a coordinate too."""
    sizes = call.sizes("InputTensor")
    return (*[1] * (len(sizes) - 2), math.prod(sizes), len(sizes))


def count_of_coordinates(call: Any) -> Sizes:
    return (1,) * len(call.sizes("InputTensor"))


# Of the first output, or of the one named. The rules of the table come first.
OUTPUT_SIZES: Dict[Any, Callable[[Any], Optional[Sizes]]] = {
    "GEMM": gemm, "CONVOLUTION": convolution, "PADDING": padding, "PADDING1": padding,
    **{f"{name}_POOLING{n}": pooling for name, n in [("AVERAGE", ""), ("AVERAGE", 1), ("LP", ""), ("LP", 1), ("MAX", ""),
                                                     ("MAX", 1), ("MAX", 2)]},
    "REDUCE": reduction, "ARGMIN": reduction, "ARGMAX": reduction,
    "GATHER": gather, "GATHER_ND": gather_nd, "GATHER_ND1": gather_nd,
    "SLICE": lambda call: tuple(call["Sizes"]), "SLICE1": slice1, "JOIN": join, "SPLIT": split, "TILE": tile,
    "SPACE_TO_DEPTH": to_depth, "SPACE_TO_DEPTH1": to_depth, "DEPTH_TO_SPACE": to_space, "DEPTH_TO_SPACE1": to_space,
    "UNFOLD": unfold, "TOP_K": top_k, "TOP_K1": top_k,
    "RESAMPLE": resample, "RESAMPLE1": resample, "RESAMPLE2": resample, "RESAMPLE3": resample,
    "UPSAMPLE_2D": upsample, "ROI_POOLING": roi_pooling,
    ("NONZERO_COORDINATES", "OutputCountTensor"): count_of_coordinates,
    ("NONZERO_COORDINATES", "OutputCoordinatesTensor"): coordinates,
}


def output_sizes(call: Any, field: Any) -> Optional[Sizes]:
    """Those of an output that the caller gave none for; None where nothing says them."""
    sizes: Optional[Sizes] = None
    for rule in field.agreements:
        other = call.tensors.get(rule.field) if rule.field else None
        if isinstance(other, list) or rule.below:
            continue
        if other is not None and "SIZES" in rule.what:
            return other.sizes
        if other is not None and "DIMENSION_COUNT" in rule.what:
            sizes = (1,) * len(other.sizes)  # where the next rule says that it is one element
        if "ONE_ELEMENT" in rule.what and sizes is not None:
            return sizes
    infer = OUTPUT_SIZES.get((call.operator.name, field.name)) or OUTPUT_SIZES.get(call.operator.name)
    if infer is None:
        return None
    # Where no size follows it is 1: the library knows better what is wrong with the rest.
    try:
        sizes = infer(call)
    except (IndexError, ZeroDivisionError):
        sizes = (1,) * call.rank()
    return None if sizes is None else tuple(max(size, 1) for size in sizes)


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
    "ELEMENT_WISE_QUANTIZED_LINEAR_ADD": by_tensor("ATensor"),
}


def output_type(call: Any, field: Any) -> Optional[str]:
    """That of an output that the caller gave none for; None where nothing says it."""
    if len(field.types) == 1:
        return field.types[0]
    for rule in field.agreements:
        other = call.tensors.get(rule.field) if rule.field else None
        if other and "DATA_TYPE" in rule.what and not rule.below:
            return other[0].type if isinstance(other, list) else other.type
    infer = OUTPUT_TYPES.get(call.operator.name)
    return infer(call) if infer else None
