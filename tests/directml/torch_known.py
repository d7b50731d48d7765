"""Faults of torch-directml 0.2.5.dev240914, each with its evidence: a recorder between the client and libdirectml.so printed
the descriptors, bindings and values of each sample. Microsoft's libdirectml.so, from the same package, refuses the descriptors of
REFUSALS, too, but for one.

A fault names operations, types and, where not all samples of an operation show it, a condition on the sample.
"""
import math
import re
from typing import Callable, NamedTuple, Optional

import torch
from torch.utils._pytree import tree_leaves

FLOATS, ALL = "float32 float16", "float32 float16 int64 bool"


class Fault(NamedTuple):
    """A wrong result."""

    reason: str
    operations: str  # names; NAME:VARIANT is one variant
    types: str = FLOATS
    when: Callable = lambda sample: True


def option(sample, name, position=None, default=None):
    """An argument of a sample, by name or by position."""
    given = position is not None and position < len(sample.args)
    return sample.args[position] if given else sample.kwargs.get(name, default)


def is_whole_reduction(sample):
    return option(sample, "dim", 0) is None


def is_uneven(sample):
    """Whether windows of adaptive pooling differ: a size of the output does not divide the input's."""
    if option(sample, "scale_factor") is not None:
        return option(sample, "scale_factor") > 1
    sizes = option(sample, "size", 0)
    sizes = sizes if isinstance(sizes, (tuple, list)) else (sizes,)
    inputs = sample.input.shape[sample.input.dim() - len(sizes):]
    return any(size is not None and into % size for size, into in zip(sizes, inputs))


def has_other_rank(sample):
    ranks = {part.dim() for part in (sample.input, *sample.args) if isinstance(part, torch.Tensor) and part.dim()}
    return len(ranks) > 1


def has_equal_elements(sample):
    return sample.input.unique().numel() < sample.input.numel()


def is_inexact_power(sample):
    """Whether a norm is computed by powers."""
    power = next((value for name in ("ord", "p") if (value := option(sample, name, 0)) is not None), 2)
    return isinstance(power, (int, float)) and power not in (0, 1, 2) and not math.isinf(power)


def is_infinite_norm(sample):
    power = option(sample, "ord", 0)
    return isinstance(power, float) and math.isinf(power)


def is_ceil(sample):
    return bool(option(sample, "ceil_mode"))


def is_empty(sample):
    return any(part.numel() == 0 for part in tree_leaves((sample.input, sample.args)) if isinstance(part, torch.Tensor))


def has_fraction(sample):
    return any(isinstance(value, float) and value % 1 for value in (option(sample, "alpha"), option(sample, "beta")))


BROADCAST = "it sends strides of 0 for a broadcast integer tensor, so that one element is read"
UNINITIALIZED = "nothing is sent for the result, whose memory is not initialized"
WINDOWS = "it sends one fixed window, also where the windows differ"
CORRECTION = "it divides by the number of elements"
ORDER = "equal elements come in another order"
CEIL = "it ignores ceil_mode, and returns indices into all channels"
POWERS = "it binds the outputs of ELEMENT_WISE_ABS and ELEMENT_WISE_POW onto the caller's tensor, which it reads again"

# Wrong values of an operation's own results.
VALUES = (
    Fault(CORRECTION, "std_mean var", when=is_whole_reduction),
    Fault(POWERS, "nn.functional.normalize", when=is_inexact_power),
    Fault(WINDOWS, "nn.functional.adaptive_avg_pool1d nn.functional.adaptive_avg_pool2d nn.functional.interpolate:area",
          when=is_uneven),
    Fault("with ceil_mode, DirectML counts the padding beyond EndPadding; PyTorch does not", "nn.functional.avg_pool1d",
          when=is_ceil),
    Fault(CEIL, "nn.functional.max_pool1d max_pool2d_with_indices_backward", when=is_ceil),
    Fault("it ignores the threshold", "nn.functional.softplus", when=lambda sample: "threshold" in sample.kwargs),
    Fault("masked_fill_() on a view changes a copy", "masked.logsumexp"),
    Fault(UNINITIALIZED, "new_empty new_empty_strided empty empty_strided empty_like empty_permuted", ALL),
    Fault("it multiplies by fractions, which the CPU rounds to 0", "addmm baddbmm", "int64", has_fraction),
    Fault(BROADCAST, "atan2 div true_divide remainder floor_divide pow __rdiv__ __rpow__", "int64", has_other_rank),
    Fault(BROADCAST, "unravel_index", "int64"),
    Fault(BROADCAST, "cov", "float32 float16 int64", lambda sample: option(sample, "fweights") is not None),
    Fault("it computes with a bool or with an exponent that it did not write", "exp2 special.ndtr", "bool"),
    Fault(ORDER, "sort argsort", "float16 bool", has_equal_elements), Fault(ORDER, "topk", "int64", has_equal_elements),
    Fault("its powers exceed FLOAT16", "dist", "float16", lambda sample: option(sample, "p", 1) > 2),
)

# Results of another size, type or layout: the client alone decides these.
SHAPES = (
    Fault("the CPU's result is not copied into the output", "median nanmedian", "float32 float16 int64",
          lambda sample: option(sample, "dim") is not None),
    Fault("the CPU's result is not copied into the output", "kthvalue masked.median linalg.lstsq", "float32 float16 int64"),
    Fault("it does not promote bool", "deg2rad rad2deg ldexp __rdiv__ max:reduction_no_dim min:reduction_no_dim", "bool"),
    Fault("an empty tensor has another type or size", "bitwise_not square sinc", "int64 bool", is_empty),
    Fault("an empty tensor has another type or size", "log10 log2", "float16", is_empty),
    Fault("it gives a mean and a variance outside training, too", "native_batch_norm"),
    Fault(CEIL, "nn.functional.max_pool2d", "float32 float16 int64", is_ceil),
    Fault("it ignores the type", "to", ALL),
    Fault("the result is not sparse", "to_sparse", ALL),
    Fault("with p = 0, it takes the columns of two matrices for the rows of the second", "cdist", "float32",
          lambda sample: sample.input.dim() == 2),
    Fault("it multiplies into a bool", "native_dropout_backward", ALL),
)

BOOL = "FLOAT x bool: it casts the FLOAT operand to INT32 first"
ADDING = "scatter_add() is FILL, SCATTER_ELEMENTS and ELEMENT_WISE_ADD: of equal indices one counts"
DIMENSION = "gather() and scatter() do not wrap a negative dimension: Axis is rank - 1 too small"
ARANGE = "arange() into a given tensor leaves it without elements"

# Wrong gradients of an operation whose own results are right.
GRADIENTS = (
    Fault(BOOL, "amax amin nansum nanmean masked.amax masked.amin nan_to_num scatter_reduce:amin scatter_reduce:amax"),
    Fault(BOOL, "norm:inf linalg.norm linalg.vector_norm", when=is_infinite_norm),
    Fault(ADDING, "gather take_along_dim cummax cummin"),
    Fault(POWERS, "norm linalg.norm linalg.vector_norm", when=is_inexact_power),
    Fault("storage_offset() of a view is 0, from where autograd takes a slice that was written", "nn.functional.pad:circular"),
    Fault(DIMENSION, "sort nn.functional.max_unpool1d nn.functional.max_unpool2d nn.functional.max_unpool3d"),
    Fault("it sends strides of 0 for the gradient of the loss",
          "nn.functional.nll_loss nn.functional.mse_loss nn.functional.smooth_l1_loss",
          when=lambda sample: option(sample, "reduction") == "none"),
    Fault(UNINITIALIZED + " (a sum over an empty dimension)", "nn.functional.bilinear", when=is_empty),
    Fault("the CPU's noise is not copied back", "nn.functional.rrelu", when=lambda sample: option(sample, "training") is True),
    Fault(ARANGE, "trace mvlgamma"),
    Fault("tril() of four dimensions sends the size of the first as DiagonalFillBegin", "linalg.householder_product",
          when=lambda sample: sample.input.dim() == 4),
)

# The process ends in the client or in libtorch_cpu, without a function of vkdml's libraries on the stack.
CRASHES = (
    Fault("any() of an empty tensor is not initialized, and libtorch_cpu's _linalg_check_errors() reads a missing element",
          "linalg.inv linalg.ldl_factor linalg.solve", "float32"),
    Fault("its flip_dml_helper() does not wrap a negative dimension", "flip rot90 cumulative_trapezoid", ALL),
    Fault("a copy to the CPU with non_blocking=True is written after the tensor is freed", "to", ALL),
)

# Messages that vkdml's libraries log when they refuse a descriptor or a command: (regular expression, reason).
EMPTY = "it describes an empty tensor"
TYPE = "it sends a data type that the operator does not have"
REFUSALS = (
    (r"_(GEMM|JOIN|NONZERO_COORDINATES|PADDING|TILE|FILL_VALUE_CONSTANT): \w+(\[\d\])?\.Sizes\[\d\] is 0, must be at least 1",
     EMPTY),
    (r"_GATHER_ELEMENTS: IndicesTensor.DataType is DML_TENSOR_DATA_TYPE_UINT8, must be one of", TYPE),
    (r"_(ACTIVATION_SOFTMAX1|ACTIVATION_LOG_SOFTMAX1|ELEMENT_WISE_POW|ELEMENT_WISE_RECIP): InputTensor.DataType is "
     r"DML_TENSOR_DATA_TYPE_FLOAT64, must be one of", TYPE),
    (r"_(ACTIVATION_THRESHOLDED_RELU|AVERAGE_POOLING|CONVOLUTION|ELEMENT_WISE_(IS_INFINITY|IS_NAN|LOG|SIN)): "
     r"InputTensor.DataType is DML_TENSOR_DATA_TYPE_(INT64|UINT8), must be one of", TYPE),
    (r"_ELEMENT_WISE_SUBTRACT: BTensor.DataType is DML_TENSOR_DATA_TYPE_FLOAT16, must be DML_TENSOR_DATA_TYPE_FLOAT32", TYPE),
    (r"_(GATHER|SCATTER_ELEMENTS): Axis is 4, must be below 4", "the axis of a scalar is out of range"),
    (r"_SCATTER_ELEMENTS: Axis is 429496729\d, must be below 4", DIMENSION),
    (r"_CONVOLUTION: OutputTensor.Sizes\[1\] is \d+, must be \d+ = FilterTensor.Sizes\[1\] \* GroupCount",
     "it divides the channels of a transposed convolution by its groups"),
    # Microsoft's library accepts this one. The forward result is wrong already: the windows are all at the same place.
    (r"_AVERAGE_POOLING_GRAD: Strides\[\d\] is 0, must be at least 1", WINDOWS),
    (r"CopyBufferRegion: a resource is NULL", "it copies from or to no resource"),
    (r"graph: GraphOutputs\[0\]: size is \d+, must be at least", "it binds an output of the size before broadcasting"),
)


def refusal(message) -> Optional[str]:
    """Why torch-directml sends what vkdml's libraries refuse."""
    return next((reason for pattern, reason in REFUSALS if re.search(pattern, message)), None)


def fault_of(faults, op, kind, sample=None) -> Optional[str]:
    """Why the result of a sample is wrong. Without a sample, the condition is not asked."""
    names = (op.name, f"{op.name}:{op.variant_test_name}")
    return next((fault.reason for fault in faults if any(name in fault.operations.split() for name in names)
                 and kind in fault.types.split() and (sample is None or fault.when(sample))), None)
