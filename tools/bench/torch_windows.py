"""Products and windows in PyTorch, for peers.py: matrix products, convolution, pooling, resampling, regions.

A function each, as in torch_timed.py. What PyTorch cannot be asked for in one call is None: padding that differs before and
behind, fused activations. Results are held to the sizes of the case's output before anything is timed.
"""


def padding_of(case):
    """The padding of each dimension, or None where it differs before and behind."""
    starts = case.list_of("StartPadding")
    return starts if starts == case.list_of("EndPadding") else None


def held(function, case):
    """The function, once its result has the sizes of the case's output."""
    result = function()
    sizes = list((result[0] if isinstance(result, tuple) else result).shape)
    if sizes != case.output.sizes:
        raise ValueError(f"the result has the sizes {sizes}, the case {case.output.sizes}")
    return function


# ---- products ----

def product(peer, case):
    """Without leading ones, so that what is one matrix is asked for as one; by a vector where it is one."""
    torch = peer.torch
    if "FusedActivation" in case.attributes:
        return None

    def matrix(name, transposition=None):
        operand = peer.ordinary(case.tensors[name])
        while operand.dim() > 2 and operand.shape[0] == 1:
            operand = operand[0]
        return operand.mT if case.attributes.get(transposition) == "TRANSPOSE" else operand

    a, b, target = matrix("ATensor", "TransA"), matrix("BTensor", "TransB"), peer.empty(case.output)
    alpha, other = case.float_of("Alpha"), matrix("CTensor") if "CTensor" in case.tensors else None
    if other is None and alpha == 1:
        if a.dim() == 2 and b.shape[1] == 1:
            return lambda: torch.mv(a, b[:, 0], out=target.view(-1))
        if a.dim() == 2 and a.shape[0] == 1:
            return lambda: torch.mv(b.mT, a[0], out=target.view(-1))
        return lambda: torch.matmul(a, b, out=target.view(*a.shape[:-1], b.shape[-1]))
    if a.dim() > 3:
        return None  # batches of two dimensions are added to nothing
    add = torch.addmm if a.dim() == 2 else torch.baddbmm
    sum_ = target.view(*a.shape[:-1], b.shape[-1])
    return lambda: add(sum_ if other is None else other, a, b, alpha=alpha, beta=0 if other is None else case.float_of("Beta"),
                       out=sum_)


def convolution(peer, case):
    """Cross-correlation, PyTorch's only mode: a filter the other way round has as much to do."""
    padding, rank = padding_of(case), len(case.input.sizes) - 2
    if padding is None or "FusedActivation" in case.attributes or case.int_of("DimensionCount") != rank:
        return None
    functional = peer.torch.nn.functional
    source, filter_ = peer.ordinary(case.input), peer.ordinary(case.tensors["FilterTensor"])
    bias = peer.ordinary(case.tensors["BiasTensor"]).flatten() if "BiasTensor" in case.tensors else None
    steps, gaps, groups = case.list_of("Strides"), case.list_of("Dilations"), case.int_of("GroupCount")
    if case.attributes["Direction"] == "BACKWARD":
        function, beyond = getattr(functional, f"conv_transpose{rank}d"), case.list_of("OutputPadding")
        return held(lambda: function(source, filter_, bias, steps, padding, beyond, groups, gaps), case)
    if any(case.list_of("OutputPadding")):
        return None
    function = getattr(functional, f"conv{rank}d")
    return held(lambda: function(source, filter_, bias, steps, padding, gaps, groups), case)


# ---- pooling ----

def windows_of(case):
    """Padding, which is None where it differs, dilations, and whether the window is the whole picture."""
    padding, gaps = padding_of(case), case.list_of("Dilations") if "Dilations" in case.attributes else [1]
    return padding, gaps, case.list_of("WindowSize") == case.input.sizes[2:] and padding is not None and not any(padding)


def average(peer, case):
    padding, gaps, is_whole = windows_of(case)
    if padding is None or set(gaps) != {1}:
        return None
    functional, rank = peer.torch.nn.functional, len(padding)
    source, window, steps = peer.ordinary(case.input), case.list_of("WindowSize"), case.list_of("Strides")
    if is_whole:
        function = getattr(functional, f"adaptive_avg_pool{rank}d")
        return held(lambda: function(source, 1), case)
    function, counts = getattr(functional, f"avg_pool{rank}d"), case.attributes.get("IncludePadding", "0") != "0"
    return held(lambda: function(source, window, steps, padding, False, counts), case)


def norm(peer, case):
    """PyTorch's takes no padding."""
    padding, gaps, _ = windows_of(case)
    if padding is None or any(padding) or set(gaps) != {1}:
        return None
    function = getattr(peer.torch.nn.functional, f"lp_pool{len(padding)}d")
    source, p, window, steps = peer.ordinary(case.input), case.int_of("P"), case.list_of("WindowSize"), case.list_of("Strides")
    return held(lambda: function(source, p, window, steps), case)


def maximum(peer, case):
    """With places, its are INT64; of whole pictures without, the greatest along their dimensions is faster."""
    padding, gaps, is_whole = windows_of(case)
    if padding is None:
        return None
    source, window, steps = peer.ordinary(case.input), case.list_of("WindowSize"), case.list_of("Strides")
    with_places = "OutputIndicesTensor" in case.tensors
    if is_whole and not with_places:
        target, axes = peer.empty(case.output), list(range(2, source.dim()))
        return held(lambda: peer.torch.amax(source, axes, keepdim=True, out=target), case)
    function = getattr(peer.torch.nn.functional, f"max_pool{len(padding)}d")
    gaps = gaps if len(gaps) == len(padding) else 1
    return held(lambda: function(source, window, steps, padding, gaps, False, with_places), case)


def unpooled(peer, case):
    """Each plane's elements to its first places, one after another, as the benchmarks have them."""
    torch, source = peer.torch, peer.ordinary(case.input)
    height, width = source.shape[2:]
    places = torch.arange(height * width, device=peer.device).reshape(height, width).expand(source.shape).contiguous()
    window = [size // part for size, part in zip(case.output.sizes[2:], (height, width))]
    return held(lambda: torch.nn.functional.max_unpool2d(source, places, window, output_size=case.output.sizes), case)


# ---- resampling, regions ----

def has_centred_pixels(case):
    offsets = {"InputPixelOffsets": 0.5, "OutputPixelOffsets": -0.5}
    return all(float_ == wanted for name, wanted in offsets.items() if name in case.attributes for float_ in case.floats_of(name))


def resampled(peer, case):
    """Of two dimensions that stay and up to three that change, whichever they are: memory stays as it is."""
    functional, source = peer.torch.nn.functional, peer.ordinary(case.input)
    changed = [d for d, (size, other) in enumerate(zip(case.input.sizes, case.output.sizes)) if size != other]
    kept = [d for d in range(source.dim()) if d not in changed]
    if not has_centred_pixels(case) or len(kept) != 2 or not changed:
        return None
    averages, linear = case.attributes.get("Antialiased", "0") != "0", case.attributes["InterpolationMode"] == "LINEAR"
    order = kept + changed
    source, sizes = source.permute(order), [case.output.sizes[d] for d in changed]
    back = [order.index(d) for d in range(len(order))]
    if not linear:
        return held(lambda: functional.interpolate(source, sizes, mode="nearest-exact").permute(back), case)
    mode = ("linear", "bilinear", "trilinear")[len(changed) - 1]
    return held(lambda: functional.interpolate(source, sizes, mode=mode, align_corners=False,
                                               antialias=averages).permute(back), case)


def boxes(peer, case):
    """A picture's number and two corners anywhere in it, for each region."""
    count, (height, width) = case.output.sizes[0], case.input.sizes[2:]
    extents = peer.torch.tensor([width, height, width, height], device=peer.device)
    corners = peer.torch.rand(count, 4, device=peer.device) * extents
    return peer.torch.cat([peer.torch.zeros(count, 1, device=peer.device), corners], 1).to(peer.dtype(case.input))


def pooled_regions(peer, case):
    from torchvision.ops import roi_pool
    source, regions, size = peer.ordinary(case.input), boxes(peer, case), case.output.sizes[2:]
    return held(lambda: roi_pool(source, regions, size, 1.0), case)


def aligned_regions(peer, case):
    """Averages of points between elements, as many in each bin or as many as it is large; then a region that is the other
    way round has one, as ours, where PyTorch takes regions for at least an element long."""
    from torchvision.ops import roi_align
    least, most = case.int_of("MinimumSamplesPerOutput"), case.int_of("MaximumSamplesPerOutput")
    if case.attributes["ReductionFunction"] != "AVERAGE" or case.attributes["InterpolationMode"] != "LINEAR" or \
            least not in (1, most) or case.attributes.get("AlignRegionsToCorners", "0") != "0":
        return None
    source, regions, size = peer.ordinary(case.input), boxes(peer, case), case.output.sizes[2:]
    is_fixed = least == most
    return held(lambda: roi_align(source, regions, size, 1.0, most if is_fixed else -1, is_fixed), case)


FAMILIES = {
    "GEMM": product, "CONVOLUTION": convolution,
    "AVERAGE_POOLING": average, "AVERAGE_POOLING1": average, "LP_POOLING": norm, "LP_POOLING1": norm,
    "MAX_POOLING": maximum, "MAX_POOLING1": maximum, "MAX_POOLING2": maximum, "MAX_UNPOOLING": unpooled,
    "UPSAMPLE_2D": resampled, "RESAMPLE": resampled, "RESAMPLE1": resampled, "RESAMPLE2": resampled, "RESAMPLE3": resampled,
    "ROI_POOLING": pooled_regions, "ROI_ALIGN": aligned_regions, "ROI_ALIGN1": aligned_regions,
}
