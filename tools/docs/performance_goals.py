"""What docs/PERFORMANCE.md holds the benchmarks to: families, goals on a GPU, and why some fall short.

Names are group/benchmark of `vkdml bench`, without type and size; of patterns the first that fits counts.
"""
from fnmatch import fnmatchcase

# (title, patterns, whether it waits for arithmetic, so that TFLOP/s are told and types apart)
FAMILIES = [
    ("Matrix products", ["product/gemm/vector!", "product/*"], True),
    ("Convolutions", ["convolution/*"], True),
    ("Attention", ["attention/*"], True),
    ("Matrices by vectors", ["product/gemm/vector"], False),
    ("Copies and transposes", ["identity/scale_bias!", "identity/*"], False),
    ("Padding and diagonals", ["padding*", "diagonal*"], False),
    ("Slices, joins, tiles and blocks",
     ["slice*", "split/*", "join/*", "tile/*", "space_to_depth*", "depth_to_space*", "unfold/*"], False),
    ("Coordinates of nonzero elements", ["nonzero/*"], False),
    ("Functions and activations", [f"element_wise_{name}/*" for name in (
        "abs acos acosh asin asinh atan atanh atan_yx ceil constant_pow cos cosh erf exp floor is_infinity is_nan log "
        "modulus_* negate recip round sign sin sinh sqrt tan tanh threshold clip* mean difference_square pow").split()]
     + ["activation_*"], False),
    ("Quantization", ["*quantize*"], False),
    ("Arithmetic, comparisons, bits, casts, fills",
     ["element_wise_*", "identity/scale_bias", "cast/*", "fill_value_*", "random_generator/*"], False),
    ("Softmax and normalization", ["normalize/*", "batch_normalization/*", "value_scale_2d/*"], False),
    ("Training", ["batch_normalization_*", "lrn_grad/*", "adam_optimizer/*"], False),
    ("Reductions", ["reduce/*", "argm*"], False),
    ("Scans", ["scan*"], False),
    ("The first K, sorted", ["top_k*"], False),
    ("Indices", ["gather*", "scatter*", "one_hot/*", "reverse_subsequences/*"], False),
    ("Pooling and resampling", ["window/*"], False),
    ("Regions", ["regions/*"], False),
]

# Those that README.md has room for.
SUMMARY = ("Matrix products", "Convolutions", "Copies and transposes", "Functions and activations",
           "Softmax and normalization")


def patterns_of(title):
    return next(patterns for name, patterns, _ in FAMILIES if name.startswith(title))


# By width, or by type where it is named; "*" is all others.
FUNCTION = {"float32": 0.95, "float16": 0.85, "*": 0.92}
ARITHMETIC = {"float32": 0.95, "*": 0.92}
TILES = {"64": 0.90, "32": 0.90, "16": 0.85, "8": 0.80}
ROWS = {"64": 0.92, "32": 0.92, "16": 0.92, "8": 0.75}
MOVED = {"64": 0.92, "32": 0.92, "16": 0.88, "8": 0.80}
REDUCED = {"32": 0.92, "16": 0.92, "*": 0.85}
NORMALIZED = {"float32": 0.92, "*": 0.88}

# (pattern, what it is a share of: "peak", "torch", or another benchmark; goals). None: there is no goal.
GOALS = [
    ("identity/contiguous/transfer", None, {}),
    ("identity/contiguous", "peak", {"*": 0.97}),
    ("identity/strided*", "peak", {"*": 0.90}),
    ("identity/broadcast/*", "peak", {"*": 0.90}),
    ("identity/permutation*", "peak", {"*": 0.75}),
    ("identity/scale_bias", "peak", {"float64": None, **ARITHMETIC}),
    ("identity/*", "peak", TILES),
    ("padding*/short_rows", "peak", {"*": 0.75}),
    ("padding*", "peak", ROWS),
    ("diagonal/*/transfer", None, {}),
    ("diagonal/*", "peak", {"*": 0.97}),
    ("diagonal1/*", None, {}),
    ("nonzero/4d/*", "peak", {"32": 0.75, "*": 0.60}),
    ("nonzero/flat/*", "peak", {"32": 0.70, "*": 0.60}),
    ("unfold/*", None, {}),
    *((pattern, "peak", MOVED) for pattern in patterns_of("Slices")),
    ("element_wise_pow/*", "peak", {"float32": 0.90, "*": 0.85}),
    ("element_wise_divide/*", "peak", {"64": 0.50, **ARITHMETIC}),
    *((pattern, "peak", FUNCTION) for pattern in patterns_of("Functions")),
    ("element_wise_quantized_linear_add/*", None, {}),
    ("dynamic_quantize_linear/*", None, {}),
    ("quantize/blocks/to_int4", "peak", {"*": 0.80}),
    ("convolution/quantized/*", None, {}),
    ("product/quantized*", None, {}),
    ("*quantize*", "peak", {"int4": 0.80, "uint4": 0.80, "*": 0.92}),
    ("element_wise_*/transposed", "peak", {"*": 0.75}),
    ("element_wise_*/broadcast/*", "peak", {"*": 0.92}),
    ("element_wise_*/strided_rows", "peak", {"*": 0.92}),
    ("element_wise_*", "peak", ARITHMETIC),
    ("cast/*", "peak", {"*": 0.92}),
    ("value_scale_2d/*", "peak", {"*": 0.92}),
    ("batch_normalization/*", "peak", {"*": 0.92}),
    ("normalize/hardmax/*", None, {}),
    ("normalize/l2/*", "peak", {"*": 0.85}),
    ("normalize/*/channels", "peak", {"*": 0.80}),
    ("normalize/*/rows_65536", "peak", {"*": 0.60}),
    ("normalize/*/rows_1048576", "peak", {"*": 0.60}),
    ("normalize/*/images*", "peak", {"*": 0.60}),
    ("normalize/*", "peak", NORMALIZED),
    ("reduce/*", "peak", REDUCED),
    ("argm*", "peak", {"*": 0.88}),
    ("random_generator/*", "peak", {"*": 0.90}),
    ("adam_optimizer/*", "peak", {"*": 0.85}),
    # The least that such operators move is more: statistics come before what they are for. 0.85 of that.
    ("batch_normalization_training/*", "peak", {"*": 0.57}),
    ("batch_normalization_training_grad/*", "peak", {"*": 0.51}),
    ("batch_normalization_grad/*", "peak", {"*": 0.64}),
    ("window/pool_gradient/*", "peak", {"*": 0.70}),
    ("window/resample_gradient/*", "peak", {"*": 0.70}),
    ("scan/line", "peak", {"*": 0.70}),
    ("scan/narrow", None, {}),
    ("scan/*", "peak", {"*": 0.85}),
    ("top_k/rows-of-8192/10", "torch", {"*": 4.0}),
    ("top_k/rows-of-8192/1000", "torch", {"*": 3.0}),
    ("gather/rows", "peak", {"*": 0.90}),
    ("gather/columns", "peak", {"*": 0.70}),
    ("gather_elements/*", "peak", {"*": 0.65}),
    ("gather_nd/rows", "peak", {"*": 0.85}),
    ("gather_nd1/rows", "peak", {"*": 0.85}),
    ("scatter_*/once", "peak", {"*": 0.50}),
    ("scatter_*", "peak", {"*": 0.35}),
    ("window/lrn/*", "peak", {"*": 0.85}),
    ("window/pool/*_global", "peak", {"*": 0.90}),
    ("window/pool/*", "peak", {"*": 0.85}),
    ("window/resample/nearest_x2", "peak", {"*": 0.90}),
    ("window/resample/linear_x2", "peak", {"*": 0.85}),
    ("window/resample/linear_to_half", "peak", {"*": 0.85}),
    ("product/gemm/vector", "peak", {"*": 0.90}),
    ("product/gemm/nn_*", "product/gemm/nn", {"*": 0.97}),
    ("product/gemm/odd", "torch", {"float32": 0.70}),
    ("product/gemm/batch", "torch", {"float32": 0.80}),
    ("product/gemm/*", "torch", {"float32": 0.80, "float16": 0.60}),
    ("convolution/3x3/depthwise", "torch", {"*": 1.5}),
    ("convolution/*", "torch", {"float32": 1.0, "float16": 0.60}),
]

# Why a benchmark may fall short of its goal, as far as it was found out.
CAUSES = [
    ("gather_elements/outer", "neighbouring outputs take elements from different rows, each by an access of its own"),
    ("scatter_elements/outer", "neighbouring updates go to different rows, each by an access of its own"),
    ("gather/columns", "a line of 64-bit elements fills shared memory, which leaves room for few workgroups"),
    ("identity/transpose/odd", "rows begin anywhere within 16 bytes: words are loaded one by one, and shifted"),
    ("identity/strided_output/odd", "two partial chunks of 16 bytes in each row"),
    ("nonzero/*", "the mask is written and read as well, and the second dispatch waits for the first"),
    ("window/lrn/within_large", "each output sums its own large window anew, in two passes"),
    ("window/pool/*", "each element is widened and compared or added up to nine times: instructions"),
    ("window/resample/*", "four times as much is written as read, from places computed in FLOAT32: instructions"),
    ("convolution/*/float16", "four elements of a picture are gathered by four loads, and the cores wait for them"),
    ("window/resample_gradient/*", "scales that are not whole: each element looks up which outputs took it"),
    ("window/pool_gradient/max*", "each window that reaches a patch finds its greatest element again"),
    ("window/pool_gradient/*", "each element is widened, divided and added up to nine times: instructions"),
    ("batch_normalization_*/channels2048_7x7", "rows of 49 elements begin anywhere within 16 bytes"),
    ("batch_normalization_*", "small dispatches before and behind the one that matters"),
    ("adam_optimizer/*", "an exact root and quotient for each element"),
    ("convolution/3x3/256_channels", "cuDNN takes fewer products here than the sum has, as Winograd's algorithm does"),
    ("convolution/*_by_2/*", "strides leave every other pixel out of what is gathered"),
    ("product/*/float16", "cuBLAS multiplies out of shared memory by instructions that Vulkan does not have"),
    ("product/*", "operands go through registers into shared memory"),
    ("top_k/*", "the sort of what is kept is the largest part"),
    ("batch_normalization/*", "a difference, a root, a quotient, a product and a sum, each rounded to FLOAT32"),
    ("*quantize*", "4 bytes are stored for 16 that are loaded: finding an item's place and block counts four times"),
    ("element_wise_divide/*", "four elements a word, each by a division of floats and two conversions"),
    ("element_wise_pow/*", "95 instruction slots an element; the memory leaves time for 63 of FLOAT32"),
    ("element_wise_add/*", None),
    ("element_wise_modulus*", "remainders are exact: a division and its correction in integers"),
    ("element_wise_*", "instructions: the memory leaves time for 63 of FLOAT32 and 31 of FLOAT16"),
    ("activation_*", "an exact quotient or power, and the function: more instructions than the memory leaves time for"),
    ("reduce/log_sum_exp/*", "an exponential for each element"),
    ("reduce/multiply/*", "an exponent is kept apart for each element, so that products do not overflow"),
    ("reduce/*/columns", "an invocation walks down columns with loads of 8 bytes of FLOAT16, and 4 of 8 bits"),
    ("reduce/*", "what a row's invocations do together weighs more where the row is short"),
    ("argm*", "two to four operations an element keep the place beside the extreme"),
    ("scan/*", "the input is read twice where lines are too few to fill the device"),
    ("normalize/*/rows_1048576", "two dispatches, of which the first takes an exponential for each element"),
    ("normalize/*", "rows beyond the registers are read a second time, partly from the cache"),
    ("slice1/reversed_rows", "8-bit rows that go backward are loaded element by element"),
    ("tile/inner", "the input is read twice, the second time meant to come from the cache"),
    ("padding*/short_rows", "rows' ends and rims are put together word by word"),
]


def first(rows, name):
    return next((row for row in rows if fnmatchcase(name, row[0])), None)


def family_of(name):
    for title, patterns, arithmetic in FAMILIES:
        if name + "!" in patterns:
            continue
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            return title, arithmetic
    return None


def goal_of(name, type_):
    """(what it is a share of, the share), or None."""
    row = first(GOALS, name)
    if not row or not row[1]:
        return None
    width = "".join(filter(str.isdigit, type_))
    goal = next((row[2][key] for key in (type_, width, "*") if key in row[2]), None)
    return (row[1], goal) if goal else None


def cause_of(name, type_):
    """Words, or None where none is known."""
    row = first(CAUSES, f"{name}/{type_}") or first(CAUSES, name)
    return row[1] if row else None
