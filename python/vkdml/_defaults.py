"""What attributes are where they are left out. The operator table has no defaults; these are DirectML's usual ones."""
from typing import Any


class Required:
    """Stands where there is no default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = Required()


class Each:
    """An array of one value, of the length that the other arrays have."""

    def __init__(self, value: Any):
        self.value = value

    def __repr__(self) -> str:
        return f"{self.value} each"


class Derived:
    """Made of the tensors: `what` says of what."""

    def __init__(self, what: str):
        self.what = what

    def __repr__(self) -> str:
        return self.what


LENGTH = Derived("the length of its array")
OUTPUT_TYPE = Derived("the output's type")
OUTPUT_SCALES = Derived("the output's sizes by the input's")
QUANTIZATION = Derived("SCALE of one tensor, SCALE_ZERO_POINT of two")


def rank_of(tensor: str) -> Derived:
    return Derived(f"DimensionCount of {tensor}")


OF_ALL = {
    "Alpha": 1.0, "Antialiased": False, "AlignRegionsToCorners": False, "AxisDirection": "INCREASING",
    "BatchDimensionCount": 0, "ClipThreshold": 0.0, "CoupleInputForget": False, "CrossChannel": False, "Dilations": Each(1), "Direction": "FORWARD",
    "EndPadding": Each(0), "Epsilon": 1e-5, "GroupCount": 1, "HasExclusiveProduct": False, "HasExclusiveSum": False,
    "IncludePadding": False, "IndicesDimensionCount": rank_of("IndicesTensor"), "InfinityMode": "EITHER",
    "InputDimensionCount": rank_of("InputTensor"), "InputPixelOffset": 0.5, "InputPixelOffsets": Each(0.5),
    "InputWindowOffsets": Each(0), "InputWindowStrides": Each(1), "LinearBeforeReset": False, "MaximumSamplesPerOutput": 2**32 - 1,
    "MinimumSamplesPerOutput": 0, "Mode": "CROSS_CORRELATION", "NormalizeVariance": True, "Offset": 0,
    "Offsets": Each(0), "Order": "DEPTH_COLUMN_ROW", "OutOfBoundsInputValue": 0.0, "OutputPadding": Each(0),
    "OutputPixelOffset": -0.5, "OutputPixelOffsets": Each(-0.5), "P": 2, "PaddingMode": "CONSTANT", "PaddingValue": 0,
    "QuantizationType": QUANTIZATION, "ReductionFunction": "AVERAGE", "RoundingMode": "HALVES_TO_NEAREST_EVEN",
    "ScaleBias": None, "FusedActivation": None, "Scales": OUTPUT_SCALES, "SigmoidInputScale": 1.0, "Spatial": True,
    "SpatialScale": 1.0, "SpatialScaleX": 1.0, "SpatialScaleY": 1.0, "StartPadding": Each(0), "Steepness": 1.0,
    "Strides": Each(1), "TransA": "NONE", "TransB": "NONE", "UseClipThreshold": False, "UseMean": True, "UseVariance": True,
}
# Where an operator has others, or none.
OF_OPERATORS = {
    ("GEMM", "Beta"): 1.0,
    ("ACTIVATION_HARD_SIGMOID", "Alpha"): 0.2, ("ACTIVATION_HARD_SIGMOID", "Beta"): 0.5,
    ("ACTIVATION_HARD_SWISH", "Alpha"): 1 / 6, ("ACTIVATION_HARD_SWISH", "Beta"): 0.5,
    ("ACTIVATION_LEAKY_RELU", "Alpha"): 0.01,
    ("ACTIVATION_LINEAR", "Alpha"): REQUIRED,
    ("ACTIVATION_PARAMETRIC_SOFTPLUS", "Alpha"): REQUIRED,
    ("ACTIVATION_SCALED_ELU", "Alpha"): 1.67326319217681884765625,
    ("ACTIVATION_SCALED_ELU", "Gamma"): 1.05070102214813232421875,
    ("ACTIVATION_SCALED_TANH", "Beta"): 0.5,
    ("ACTIVATION_SHRINK", "Bias"): 0.0, ("ACTIVATION_SHRINK", "Threshold"): 0.5,
    ("LOCAL_RESPONSE_NORMALIZATION", "Alpha"): REQUIRED,
    ("LP_NORMALIZATION", "Epsilon"): 0.0,
    ("DIAGONAL_MATRIX", "Value"): 1.0,
    ("DIAGONAL_MATRIX1", "Value"): 1, ("DIAGONAL_MATRIX1", "DiagonalFillBegin"): 0,
    ("DIAGONAL_MATRIX1", "DiagonalFillEnd"): 1,
    ("TOP_K1", "AxisDirection"): "DECREASING",
    ("RESAMPLE_GRAD", "Scales"): REQUIRED, ("RESAMPLE_GRAD1", "Scales"): REQUIRED,
    ("RESAMPLE_GRAD", "InputPixelOffsets"): Each(-0.5), ("RESAMPLE_GRAD", "OutputPixelOffsets"): Each(0.5),
    ("RESAMPLE_GRAD1", "InputPixelOffsets"): Each(-0.5), ("RESAMPLE_GRAD1", "OutputPixelOffsets"): Each(0.5),
    ("MULTIHEAD_ATTENTION", "MaskType"): "NONE", ("MULTIHEAD_ATTENTION", "MaskFilterValue"): -10000.0,
    ("MULTIHEAD_ATTENTION1", "MaskType"): "NONE", ("MULTIHEAD_ATTENTION1", "MaskFilterValue"): -10000.0,
}


def default_of(operator: str, field: Any) -> Any:
    """The default of a field of _schema.Field's kind."""
    if field.name.endswith("DataType"):
        return OUTPUT_TYPE
    if field.name.endswith("HeadCount"):
        return REQUIRED
    if field.name.endswith("Count") and field.name not in OF_ALL:
        return LENGTH
    return OF_OPERATORS.get((operator, field.name), OF_ALL.get(field.name, REQUIRED))
