"""What peers.py times PyTorch on: the operators that are more than a map of elements.

FAMILIES has a function for each operator, called with the peer and the case (peers.py's Torch and Case), before anything is
timed. It returns what is to be timed, or None where PyTorch would take several calls or has nothing. A new operator is a
line there.
"""
import torch_windows


def axes_of(case):
    return case.list_of("Axes")


def coordinates(peer, tensor):
    """Indices, of the type that PyTorch takes."""
    return peer.torch.randint(0, tensor.number or 1, tensor.sizes, device=peer.device)


# ---- rearranging ----

def copied(peer, case, view):
    target = peer.empty(case.output)
    return lambda: target.copy_(view)


def slice_(peer, case):
    """PyTorch has no views that go backward: it flips them, into a new tensor."""
    prefix = "" if case.operator == "SLICE" else "InputWindow"
    steps = case.list_of(prefix + "Strides")
    view = peer.random(case.input)
    for d, (first, size, step) in enumerate(zip(case.list_of(prefix + "Offsets"), case.list_of(prefix + "Sizes"), steps)):
        view = view[(slice(None),) * d + (slice(first, first + size, abs(step)),)]
    backward = [d for d, step in enumerate(steps) if step < 0]
    return (lambda: peer.torch.flip(view, backward)) if backward else copied(peer, case, view)


def slice_grad(peer, case):
    source, whole = case.tensors["InputGradientTensor"], case.tensors["OutputGradientTensor"]
    if set(case.list_of("InputWindowStrides")) != {1}:
        return None
    rims = []
    for first, part, size in reversed(list(zip(case.list_of("InputWindowOffsets"), source.sizes, whole.sizes))):
        rims += [first, size - first - part]
    gradient = peer.random(source)
    return lambda: peer.torch.nn.functional.pad(gradient, rims)


def split(peer, case):
    source = peer.random(case.input)
    targets = [peer.empty(tensor) for tensor in case.array("OutputTensors")]
    parts = source.split([target.shape[case.int_of("Axis")] for target in targets], case.int_of("Axis"))
    return lambda: [target.copy_(part) for target, part in zip(targets, parts)]


def join(peer, case):
    sources, target = [peer.random(tensor) for tensor in case.array("InputTensors")], peer.empty(case.output)
    axis = case.int_of("Axis")
    return lambda: peer.torch.cat(sources, axis, out=target)


def tile(peer, case):
    source, repeats = peer.random(case.input), case.list_of("Repeats")
    return lambda: source.repeat(*repeats)


def shuffle(name):
    """In PyTorch's order of the depths, whichever the case's is: as many bytes in as short runs."""
    def prepare(peer, case):
        source, block = peer.random(case.input), case.int_of("BlockSize")
        function = getattr(peer.torch.nn.functional, name)
        return lambda: function(source, block)
    return prepare


def unfold(peer, case):
    starts = case.list_of("StartPadding")
    if not case.input.type.startswith("FLOAT") or starts != case.list_of("EndPadding"):
        return None
    source, window, steps, gaps = peer.random(case.input), *map(case.list_of, ("WindowSizes", "Strides", "Dilations"))
    return lambda: peer.torch.nn.functional.unfold(source, window, gaps, starts, steps)


# ---- indices ----

def gather(peer, case):
    source, target, axis = peer.random(case.input), peer.empty(case.output), case.int_of("Axis")
    indices = coordinates(peer, case.tensors["IndicesTensor"]).flatten()
    return lambda: peer.torch.index_select(source, axis, indices, out=target)


def gather_elements(peer, case):
    source, target, axis = peer.random(case.input), peer.empty(case.output), case.int_of("Axis")
    indices = coordinates(peer, case.tensors["IndicesTensor"])
    return lambda: peer.torch.gather(source, axis, indices, out=target)


def tuples(peer, case):
    """A tensor for each coordinate of the tuples."""
    indices = coordinates(peer, case.tensors["IndicesTensor"])
    return tuple(part.contiguous() for part in indices.flatten(end_dim=-2).unbind(-1))


def gather_nd(peer, case):
    source, places = peer.random(case.input), tuples(peer, case)
    if int(case.attributes.get("BatchDimensionCount", 0)) == 1:
        rows = case.tensors["IndicesTensor"].sizes[1]
        batches = peer.torch.arange(source.shape[0], device=peer.device).repeat_interleave(rows)
        places = (batches, *places)
    return lambda: source[places]


def scatter_elements(peer, case):
    source, target, axis = peer.random(case.input), peer.empty(case.output), case.int_of("Axis")
    updates = peer.random(case.tensors["UpdatesTensor"])
    indices = coordinates(peer, case.tensors["IndicesTensor"])
    return lambda: peer.torch.scatter(source, axis, indices, updates, out=target)


def scatter_nd(peer, case):
    source, places = peer.random(case.input), tuples(peer, case)
    updates = peer.random(case.tensors["UpdatesTensor"])
    updates = updates.reshape(places[0].numel(), *source.shape[len(places):])
    return lambda: peer.torch.index_put(source, places, updates)


def one_hot(peer, case):
    """PyTorch's is INT64, along the innermost dimension."""
    axis = case.int_of("Axis")
    if case.output.type != "INT64" or axis != len(case.output.sizes) - 1:
        return None
    indices, classes = coordinates(peer, case.tensors["IndicesTensor"]).squeeze(axis), case.output.sizes[axis]
    return lambda: peer.torch.nn.functional.one_hot(indices, classes)


# ---- reductions ----

def reduce(peer, case):
    torch, axes, function = peer.torch, axes_of(case), case.attributes["Function"]
    if function in ("ARGMIN", "ARGMAX"):
        return place(peer, case, function.lower())
    source, target = peer.ordinary(case.input), peer.empty(case.output)
    if function in ("SUM", "AVERAGE"):
        fold = torch.sum if function == "SUM" else torch.mean
        return lambda: fold(source, axes, keepdim=True, dtype=source.dtype, out=target)
    if function in ("MIN", "MAX"):
        fold = torch.amin if function == "MIN" else torch.amax
        return lambda: fold(source, axes, keepdim=True, out=target)
    if function in ("L1", "L2"):
        return lambda: torch.linalg.vector_norm(source, int(function[1]), axes, keepdim=True, out=target)
    if function == "LOG_SUM_EXP":
        return lambda: torch.logsumexp(source, axes, keepdim=True, out=target)
    if function == "MULTIPLY" and len(axes) == 1:
        return lambda: torch.prod(source, axes[0], keepdim=True, dtype=source.dtype, out=target)
    return None


def place(peer, case, name):
    source, axes, fold = peer.ordinary(case.input), axes_of(case), getattr(peer.torch, name)
    if len(axes) == len(case.input.sizes):
        return lambda: fold(source)
    return (lambda: fold(source, axes[0], keepdim=True)) if len(axes) == 1 else None


def softmax(name):
    def prepare(peer, case):
        axes = axes_of(case) if "Axes" in case.attributes else [len(case.input.sizes) - 1]
        source, function = peer.ordinary(case.input), getattr(peer.torch.nn.functional, name)
        return (lambda: function(source, axes[0])) if len(axes) == 1 else None
    return prepare


def mean_variance(peer, case):
    """Layer normalization, of the innermost dimensions; scale and bias as elements of those."""
    rank = len(case.input.sizes)
    axes = axes_of(case) if "Axes" in case.attributes else [2, 3] if case.int_of("CrossChannel") == 0 else [1, 2, 3]
    if sorted(axes) != list(range(rank - len(axes), rank)) or "FusedActivation" in case.attributes or \
            case.int_of("NormalizeVariance") == 0:
        return None
    source, shape = peer.ordinary(case.input), case.input.sizes[rank - len(axes):]
    parameters = [peer.torch.rand(shape, device=peer.device).to(source.dtype) if name in case.tensors else None
                  for name in ("ScaleTensor", "BiasTensor")]
    return lambda: peer.torch.nn.functional.layer_norm(source, shape, *parameters, eps=1e-5)


def lp_normalization(peer, case):
    source, axis, p = peer.ordinary(case.input), case.int_of("Axis"), case.int_of("P")
    return lambda: peer.torch.nn.functional.normalize(source, p, axis)


def local_response(peer, case):
    """Across channels, which is all that PyTorch has."""
    if case.int_of("CrossChannel") == 0:
        return None
    source, size = peer.ordinary(case.input), case.int_of("LocalSize")
    return lambda: peer.torch.nn.functional.local_response_norm(source, size)


# ---- scans, order, windows ----

def scan(name):
    def prepare(peer, case):
        exclusive = {case.attributes.get(flag, "0") for flag in ("HasExclusiveSum", "HasExclusiveProduct")}
        if case.attributes.get("AxisDirection", "INCREASING") != "INCREASING" or exclusive != {"0"}:
            return None
        source, target, axis = peer.ordinary(case.input), peer.empty(case.output), case.int_of("Axis")
        function = getattr(peer.torch, name)
        return lambda: function(source, axis, dtype=source.dtype, out=target)
    return prepare


def top_k(peer, case):
    """The greatest, or with AxisDirection INCREASING the least, in order; its indices are INT64."""
    source, axis, k = peer.ordinary(case.input), case.int_of("Axis"), case.int_of("K")
    largest = case.attributes.get("AxisDirection", "DECREASING") == "DECREASING"
    return lambda: peer.torch.topk(source, k, axis, largest, True)


def fold(peer, case):
    padding = case.list_of("StartPadding")
    if case.int_of("DimensionCount") != 2 or padding != case.list_of("EndPadding"):
        return None
    source, (windows, steps, gaps) = peer.ordinary(case.input), map(case.list_of, ("WindowSizes", "Strides", "Dilations"))
    sizes = case.output.sizes[2:]
    return lambda: peer.torch.nn.functional.fold(source, sizes, windows, gaps, padding, steps)


FAMILIES = {
    "SLICE": slice_, "SLICE1": slice_, "SLICE_GRAD": slice_grad, "SPLIT": split, "JOIN": join, "TILE": tile,
    "SPACE_TO_DEPTH": shuffle("pixel_unshuffle"), "SPACE_TO_DEPTH1": shuffle("pixel_unshuffle"),
    "DEPTH_TO_SPACE": shuffle("pixel_shuffle"), "DEPTH_TO_SPACE1": shuffle("pixel_shuffle"), "UNFOLD": unfold,
    "GATHER": gather, "GATHER_ELEMENTS": gather_elements, "GATHER_ND": gather_nd, "GATHER_ND1": gather_nd,
    "SCATTER_ELEMENTS": scatter_elements, "SCATTER": scatter_elements, "SCATTER_ND": scatter_nd, "ONE_HOT": one_hot,
    "REDUCE": reduce, "ARGMIN": lambda peer, case: place(peer, case, "argmin"),
    "ARGMAX": lambda peer, case: place(peer, case, "argmax"),
    "ACTIVATION_SOFTMAX": softmax("softmax"), "ACTIVATION_SOFTMAX1": softmax("softmax"),
    "ACTIVATION_LOG_SOFTMAX": softmax("log_softmax"), "ACTIVATION_LOG_SOFTMAX1": softmax("log_softmax"),
    "MEAN_VARIANCE_NORMALIZATION": mean_variance, "MEAN_VARIANCE_NORMALIZATION1": mean_variance,
    "MEAN_VARIANCE_NORMALIZATION2": mean_variance, "LP_NORMALIZATION": lp_normalization,
    "LOCAL_RESPONSE_NORMALIZATION": local_response,
    "CUMULATIVE_SUMMATION": scan("cumsum"), "CUMULATIVE_PRODUCT": scan("cumprod"), "TOP_K": top_k, "TOP_K1": top_k,
    "FOLD": fold, **torch_windows.FAMILIES,
}
