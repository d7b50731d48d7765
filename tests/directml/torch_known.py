"""Results of torch-directml 0.2.5.dev240914 that are not vkdml's fault, with the evidence of each; and what is open in vkdml.

Evidence came from a recorder between the client and libdirectml.so, which printed each descriptor, and which asked Microsoft's
libdirectml.so, as the wheel has it, for its verdict on the same descriptor.
"""

# Messages that vkdml's libraries log when they refuse a descriptor or a command: (regular expression, reason).
REFUSALS = (
    (r"DML_OPERATOR_AVERAGE_POOLING: Strides\[\d\] is 0", "adaptive pooling to a larger size sends a stride of 0"),
    (r"Sizes\[\d\] is 0, must be at least 1", "it describes an empty tensor, which Microsoft's library refuses, too"),
    (r"DataType is \w+, must be one of", "it sends a data type that the operator does not have"),
    (r"CopyBufferRegion: a resource is NULL", "it copies from or to no resource"),
    (r"DML_OPERATOR_GATHER: Axis is 4, must be below 4", "the axis of a scalar is out of range; Microsoft's library refuses it, too"),
    (r"must be \d+ = FilterTensor.Sizes\[1\] \* GroupCount", "transposed convolution of groups: Microsoft's library refuses it, too"),
    (r"graph: GraphOutputs\[0\]: size is \d+, must be at least", "it binds an output of the size before broadcasting"),
    (r"DML_OPERATOR_PADDING: .*must be 42949", "it sends negative padding as a large unsigned number"),
    # Open in vkdml: Microsoft's library accepts these descriptors.
    (r"DML_OPERATOR_AVERAGE_POOLING: OutputTensor.Sizes\[\d\] is \d+, must be \d+, the number of windows",
     "open: vkdml refuses an output of pooling with more windows (ceil_mode)"),
    (r"OutputIndexTensor has no edge, must have one", "open: vkdml refuses a graph that does not use an output of TOP_K1"),
)

# The client alone decides the shape and the type of a result; DirectML cannot.
SHAPES = "it gives the result another type or size"

BROADCAST = "it sends strides of 0 for a broadcast INT64 tensor, so that one element is read"
CLIP = "it sends a NaN as the largest FLOAT16 of CLIP1"
UNINITIALIZED = "the result is not initialized"
WINDOWS = "it sends one fixed window, also where the windows differ"
CORRECTION = "it divides by the number of elements"
ORDER = "equal elements come in another order"
CEIL = "it ignores ceil_mode, and returns indices into all channels"
VIEW = "masked_fill_() on a view changes a copy"
PASSED = "it computes with a bool or with an exponent that it did not write"
NORM = "it leaves out the root of a norm over a dimension of size 1"

# (operation, types or None for all): reason. These compute something else.
VALUES = {
    ("std_mean", None): CORRECTION, ("var", None): CORRECTION, ("var_mean", None): CORRECTION, ("std", None): CORRECTION,
    ("nn.functional.normalize", "float32 float16"): NORM,
    ("nn.functional.adaptive_avg_pool1d", None): WINDOWS, ("nn.functional.adaptive_avg_pool2d", None): WINDOWS,
    ("nn.functional.max_pool1d", None): CEIL, ("max_pool2d_with_indices_backward", None): CEIL,
    ("nn.functional.softplus", None): "it ignores the threshold",
    ("masked.logsumexp", None): VIEW,
    ("new_empty", None): UNINITIALIZED, ("new_empty_strided", None): UNINITIALIZED, ("empty", None): UNINITIALIZED,
    ("empty_strided", None): UNINITIALIZED, ("empty_like", None): UNINITIALIZED, ("empty_permuted", None): UNINITIALIZED,
    ("to_sparse", None): "the result is not sparse",
    ("addmm", "int64"): "it multiplies by fractions, which the CPU rounds to 0",
    ("baddbmm", "int64"): "it multiplies by fractions, which the CPU rounds to 0",
    ("atan2", "int64"): BROADCAST, ("div", "int64"): BROADCAST, ("true_divide", "int64"): BROADCAST,
    ("remainder", "int64"): BROADCAST, ("floor_divide", "int64"): BROADCAST, ("pow", "int64"): BROADCAST,
    ("__rdiv__", "int64"): BROADCAST, ("__rpow__", "int64"): BROADCAST, ("unravel_index", "int64"): BROADCAST,
    ("exp2", "bool"): PASSED, ("special.ndtr", "bool"): PASSED,
    ("sort", "float16 bool"): ORDER, ("argsort", "float16 bool"): ORDER, ("topk", "int64"): ORDER,
    ("nn.functional.cosine_similarity", "float16"): CLIP, ("nn.functional.margin_ranking_loss", "float16"): CLIP,
    ("nn.functional.triplet_margin_loss", "float16"): CLIP, ("nn.functional.cosine_embedding_loss", "float16"): CLIP,
    ("nn.functional.triplet_margin_with_distance_loss", "float16"): CLIP, ("nn.functional.hinge_embedding_loss", "float16"): CLIP,
    ("nn.functional.gaussian_nll_loss", "float16"): CLIP,
    ("dist", "float16"): "its powers exceed FLOAT16",
    ("nn.functional.conv_transpose2d", "float16"): "terms cancel: the CPU's result is further from FLOAT64's (0.084, 0.058 here)",
}
