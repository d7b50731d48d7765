"""Random cases: any descriptor that the operator table allows, of 1 to 8 dimensions and few elements."""
import numpy as np
import vkdml

from .library import BITS, DTYPES, FLOATS, Tensor

MOST_ELEMENTS = 400


class Case:
    def __init__(self, operator, tensors, attributes):
        self.operator, self.tensors, self.attributes = operator, tensors, attributes
        self.inputs = {}
        for field in operator.fields_of("input"):
            tensor = tensors.get(field.name)
            if isinstance(tensor, list):
                for i, one in enumerate(tensor):
                    self.inputs[f"{field.name}[{i}]"] = one.broadcast()
            elif tensor is not None:
                self.inputs[field.name] = tensor.broadcast()
        outputs = [tensors[field.name] for field in operator.fields_of("output") if field.name in tensors]
        self.outputs = outputs[0] if isinstance(outputs[0], list) else outputs
        self.output = self.outputs[0]
        self.first = next(iter(self.inputs.values()), None)

    def __getitem__(self, attribute):
        return self.attributes[attribute]

    @property
    def types(self):
        return "->".join(t.type for t in [*[t for t in self.tensors.values() if isinstance(t, Tensor)]])

    def __str__(self):
        words = [self.operator.name]
        for name, value in {**self.tensors, **self.attributes}.items():
            for one in value if isinstance(value, list) and value and isinstance(value[0], Tensor) else [value]:
                if isinstance(one, Tensor):
                    words.append(f"{name}={one.type}{list(one.sizes)} strides {list(one.strides)}")
                else:
                    words.append(f"{name}={one[0].name if isinstance(one, tuple) and hasattr(one[0], 'name') else one}")
        return ", ".join(words)


def random_sizes(random, least, most):
    rank = int(random.integers(least, most + 1))
    sizes = [1] * rank
    for _ in range(8):
        d = int(random.integers(rank))
        size = int(random.integers(1, 12))
        if np.prod(sizes) // sizes[d] * size <= MOST_ELEMENTS:
            sizes[d] = size
    return sizes


def random_strides(random, sizes, may_repeat):
    """Packed, or in another order of dimensions, with gaps; with strides of 0 where elements may be repeated."""
    rank = len(sizes)
    order = list(range(rank)) if random.random() < 0.6 else [int(d) for d in random.permutation(rank)]
    strides, step = [0] * rank, 1
    for d in reversed(order):
        strides[d] = step
        step *= sizes[d]
        if random.random() < 0.15:
            step += int(random.integers(1, 5))
    if may_repeat and random.random() < 0.4:
        strides = [0 if random.random() < 0.5 else stride for stride in strides]
    return strides


SPECIAL = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 2, -2, 3, 10, -10, 88.7, -103.9, np.inf, -np.inf, np.nan,
                    2**-149, -2**-149, 2**-126, 3.4028235e38, -3.4028235e38, 65504, 65520, 2**-24, 6e-8, 2**31, -2**31,
                    2**32, 2**63, 8388607.5, 0.1])


def random_values(random, type_, sizes, flavour=None):
    dtype, count = DTYPES[type_], int(np.prod(sizes))
    flavour = flavour or str(random.choice(["ordinary", "ordinary", "bits", "special", "wide"]))
    if type_ in FLOATS:
        with np.errstate(all="ignore"):
            if flavour == "bits":
                values = random.integers(0, 256, count * dtype.itemsize, dtype=np.uint8).view(dtype)
            elif flavour == "special":
                values = random.choice(SPECIAL, count).astype(dtype)
            elif flavour == "wide":
                values = (random.standard_normal(count) * 2.0 ** random.integers(-30, 30, count)).astype(dtype)
            else:
                values = (random.standard_normal(count) * float(random.choice([1, 4, 30]))).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        least, most = (limits.min, limits.max) if BITS[type_] > 4 else (-8, 7) if type_ == "INT4" else (0, 15)
        if flavour == "special":
            values = random.choice(np.array([0, 1, 2, most, least, most - 1, least + 1, most // 2], dtype), count)
        elif flavour in ("ordinary", "wide"):
            values = random.integers(max(least, -9), min(most, 9), count, endpoint=True, dtype=dtype)
        else:
            values = random.integers(least, most, count, endpoint=True, dtype=dtype)
    return values.reshape(sizes)


def random_float(random):
    """An attribute: ordinary mostly."""
    chance = random.random()
    if chance < 0.3:
        return float(random.choice(np.array([0, 1, -1, 0.5, 2, -2, 3, 0.25])))
    if chance < 0.35:
        return float(random.choice(SPECIAL).astype(np.float32))
    return float(np.float32(random.normal() * 3))


def random_attribute(random, operator, field, library_, types):
    if field.type == "FLOAT":
        if field.name == "Steepness":
            return float(np.float32(abs(random.normal()) * 2 + 0.1)) if random.random() < 0.6 else 1.0
        if field.name == "SigmoidInputScale" and random.random() < 0.4:
            return 1.0
        if field.name == "Exponent":
            return float(random.choice([0, 1, 2, 3, -1, -2, 0.5, -0.5, 2.5, 10, 1 / 3], 1).astype(np.float32)[0])
        return random_float(random)
    if field.type == "INT":
        return int(random.integers(-6, 7))
    if field.type == "BOOL":
        return int(random.integers(2))
    if field.type == "ENUM" and field.name.endswith("DataType"):
        return types
    if field.type == "ENUM":
        return str(random.choice(list(field.enumerators)))
    if field.type == "SCALE_BIAS":
        return (random_float(random), random_float(random)) if random.random() < 0.25 else None
    if field.type == "SCALAR_UNION":
        return random_values(random, types, [1])[0]
    if field.type == "OPERATOR_DESC":
        if random.random() < 0.4:
            return None
        fused = random.choice([row for row in library_.operators.values() if row.fusable_since and row.name.startswith("ACTIVATION")])
        return fused, {inner.name: random_attribute(random, fused, inner, library_, types)
                       for inner in fused.fields_of("attribute")}
    raise NotImplementedError(f"{operator.name}.{field.name}")


def values_for(random, operator, field, type_, sizes, fixed):
    """Values that an operand makes sense with, mostly."""
    if operator.name in ("RNN", "GRU", "LSTM") and type_ in FLOATS:  # states forget
        return (random.uniform(-1.5, 1.5, sizes) / sizes[-1]).astype(DTYPES[type_])
    if "SHIFT" in operator.name and field.name == "BTensor":
        return random.integers(0, 2 * BITS[type_] + 2, sizes).astype(DTYPES[type_])
    if field.name == "ExponentTensor" and type_ not in FLOATS and random.random() < 0.8:
        return random.integers(0 if type_[0] == "U" else -3, 12, sizes).astype(DTYPES[type_])
    if field.name == "TrainingStepTensor":
        return random.choice([0, 1, 2, 10, 1000, 10**6, 2**32 - 1], sizes).astype(np.uint32)
    if field.name in ("VarianceTensor", "InputSecondMomentTensor") and random.random() < 0.8:
        return np.abs(random_values(random, type_, sizes, "ordinary"))
    if field.name in ("MaskTensor", "PastSequenceLengthsTensor"):
        return random.integers(-1 if random.random() < 0.1 else 0, 2 if len(sizes) > 3 else 12, sizes).astype(DTYPES[type_])
    if field.name in ("IndicesTensor", "SequenceLengthsTensor"):
        if random.random() < 0.2:  # hostile ones too
            return random_values(random, type_, sizes, "bits")
        return random.integers(0 if type_[0] == "U" or random.random() < 0.5 else -4, 4, sizes).astype(DTYPES[type_])
    if field.name == "BatchIndicesTensor":
        return random.integers(0, 2 if random.random() < 0.9 else 5, sizes).astype(DTYPES[type_])
    if field.name == "ROITensor" and random.random() < 0.9:
        corners = np.sort(random.uniform(-3, 14, [*sizes[:-1], 2, 2]), -2).reshape([*sizes[:-1], 4])
        corners = np.round(corners * 4) / 4 if random.random() < 0.3 else corners
        pictures = random.integers(0, 2, [*sizes[:-1], 1])
        return (corners if sizes[-1] == 4 else np.concatenate([pictures, corners], -1)).astype(DTYPES[type_])
    if "Scale" in field.name or field.name == "QuantizationTensors" and type_ in FLOATS:
        return (2.0 ** random.integers(-6, 6, sizes) * random.choice([1, 1.5, 0.7, 1.1], sizes)).astype(DTYPES[type_])
    if "LOGICAL" in operator.name or field.name == "ConditionTensor" or "EQUAL" in operator.name:
        # Equal pairs happen, and zeros.
        return random_values(random, type_, sizes, str(random.choice(["special", "ordinary", "bits"])))
    return random_values(random, type_, sizes, fixed)


def agree(random, operator, field, chosen):
    """A tensor's type and sizes by the table's rules about those before it."""
    type_ = str(random.choice(field.types))
    sizes = None
    for name, what, below in field.agreements:
        other = chosen.get(name)
        if below:
            continue
        if other is not None and "DATA_TYPE" in what:
            type_ = other[0]
        if other is not None and "SIZES" in what:
            sizes = other[1]
        if other is not None and "SIZES_OR_ONE" in what:
            sizes = [size if random.random() < 0.7 else 1 for size in other[1]]
        if other is not None and "SIZES_DIVIDE" in what:
            sizes = [int(random.choice([d for d in range(1, size + 1) if size % d == 0])) for size in other[1]]
        if other is not None and "DIMENSION_COUNT" in what and sizes is None:
            sizes = [1] * len(other[1])  # one element, where the next rule says so
        if "ONE_ELEMENT" in what and sizes is not None:
            sizes = [1] * len(sizes)
    return type_, sizes if sizes is not None else random_sizes(random, field.least, field.most)


def random_case(random, operator, library_):
    """A case, or None where the first choice of types is one that the operator's own rules refuse."""
    chosen, tensors, attributes = {}, {}, {}
    special = SHAPES.get(operator.name)
    if special:
        special(random, operator, chosen, attributes)
    flavour = None if random.random() < 0.6 else "ordinary"
    for field in operator.fields:
        if field.kind == "attribute":
            continue
        if field.name not in chosen:
            absent = field.optional and random.random() < 0.3
            chosen[field.name] = None if absent else agree(random, operator, field, chosen)
        if chosen[field.name] is None:
            continue
        tensors[field.name] = []
        for type_, sizes in chosen[field.name] if isinstance(chosen[field.name], list) else [chosen[field.name]]:
            is_input = field.kind == "input"
            strides = random_strides(random, sizes, is_input)
            tensor = Tensor(type_, sizes, strides, random=random)
            if is_input:
                # Written element by element: where a stride is 0 the last wins.
                tensor.write(values_for(random, operator, field, type_, sizes, flavour))
            tensors[field.name].append(tensor)
        if not isinstance(chosen[field.name], list):
            tensors[field.name] = tensors[field.name][0]
    type_ = next(t for t in reversed(tensors.values()) if isinstance(t, Tensor)).type
    for field in operator.fields_of("attribute"):
        if field.name not in attributes:
            attributes[field.name] = random_attribute(random, operator, field, library_, type_)
    if type_ not in ("FLOAT32", "FLOAT16") and attributes.get("ScaleBias"):
        attributes["ScaleBias"] = tuple(float(np.float32(random.normal() * 2)) for _ in range(2))
    return Case(operator, tensors, attributes)


# Operators whose tensors depend on attributes, or on one another in ways that the table does not say.


def shape_padding(random, operator, chosen, attributes):
    field = operator.fields[0]
    sizes = [min(size, 4) for size in random_sizes(random, field.least, field.most)]
    mode = str(random.choice(list(operator.fields[2].enumerators)))
    start, end = [0] * len(sizes), [0] * len(sizes)
    for d, size in enumerate(sizes):
        if random.random() < 0.35:
            most = {"REFLECTION": size - 1, "SYMMETRIC": size, "WRAP": size}.get(mode, 3)
            start[d], end[d] = int(random.integers(0, most + 1)), int(random.integers(0, most + 1))
    type_ = str(random.choice(field.types))
    chosen["InputTensor"] = type_, sizes
    chosen["OutputTensor"] = type_, [s + a + b for s, a, b in zip(sizes, start, end)]
    attributes.update(PaddingMode=mode, DimensionCount=len(sizes), StartPadding=start, EndPadding=end)


def shape_nonzero(random, operator, chosen, attributes):
    field = operator.fields[0]
    sizes = random_sizes(random, field.least, field.most)
    chosen["InputTensor"] = str(random.choice(field.types)), sizes
    chosen["OutputCountTensor"] = "UINT32", [1] * len(sizes)
    chosen["OutputCoordinatesTensor"] = "UINT32", [1] * max(0, len(sizes) - 2) + [int(np.prod(sizes)), len(sizes)]


def shape_value_scale(random, operator, chosen, attributes):
    channels = int(random.choice([1, 3]))
    chosen["InputTensor"] = str(random.choice(operator.fields[0].types)), [2, channels, 5, 7]
    attributes.update(ChannelCount=channels, Bias=[random_float(random) for _ in range(channels)])


def shape_quantize(random, operator, chosen, attributes):
    fields = {field.name: field for field in operator.fields}
    source, target = (str(random.choice(fields[name].types)) for name in ("InputTensor", "OutputTensor"))
    quantized, floats = (target, source) if operator.name == "QUANTIZE" else (source, target)
    sizes = random_sizes(random, 1, 8)
    blocks = [int(random.choice([d for d in range(1, size + 1) if size % d == 0])) for size in sizes]
    tensors = [(floats, blocks), (quantized, blocks)]
    if random.random() < 0.3:
        tensors.pop()
    chosen.update(InputTensor=(source, sizes), QuantizationTensors=tensors, OutputTensor=(target, sizes))
    attributes.update(QuantizationTensorCount=len(tensors),
                      QuantizationType="SCALE" if len(tensors) == 1 else "SCALE_ZERO_POINT")


def shape_quantize_linear(random, operator, chosen, attributes):
    type_ = str(random.choice(operator.fields[0].types))
    sizes = random_sizes(random, 1, 8)
    chosen["InputTensor"] = type_, sizes
    chosen["ScaleTensor"] = "FLOAT32" if type_ == "INT32" else type_, sizes


def shape_batch_normalization(random, operator, chosen, attributes):
    field = operator.fields[0]
    type_, sizes = str(random.choice(field.types)), random_sizes(random, max(field.least, 2), field.most)
    chosen["InputTensor"] = chosen["OutputTensor"] = type_, sizes
    for name in ("MeanTensor", "VarianceTensor", "ScaleTensor", "BiasTensor"):
        chosen[name] = type_, [size if d == 1 else 1 for d, size in enumerate(sizes)]
    attributes.update(Spatial=1, Epsilon=float(np.float32(random.choice([1e-5, 1e-3, 0.1]))))


def shape_training(random, operator, chosen, attributes):
    """What is broadcast over any dimensions, of which some are long enough that a variance is one."""
    field = operator.fields[0]
    type_, sizes = str(random.choice(field.types)), random_sizes(random, field.least, field.most)
    small = [size if random.random() < 0.5 else 1 for size in sizes]
    for field in operator.fields:
        if field.kind != "attribute":
            is_large = field.name in ("InputTensor", "InputGradientTensor", "FusedAddTensor", "OutputTensor",
                                      "OutputGradientTensor")
            absent = field.optional and random.random() < 0.5
            chosen[field.name] = None if absent else (type_, sizes if is_large else small)
    attributes["Epsilon"] = float(np.float32(random.choice([1e-5, 1e-3, 0.1])))
    if operator.name == "BATCH_NORMALIZATION_TRAINING":
        attributes["FusedActivation"] = None


def shape_adam(random, operator, chosen, attributes):
    chosen["TrainingStepTensor"] = "UINT32", [1] * int(random.integers(1, 9))
    beta1, beta2 = (float(np.float32(random.choice([0.9, 0.999, 0.5, 0.99999, 0]))) for _ in range(2))
    attributes.update(LearningRate=float(np.float32(random.choice([1e-3, 1, 0.1]))), Beta1=beta1, Beta2=beta2,
                      Epsilon=float(np.float32(random.choice([1e-8, 1e-3, 1]))))


def shape_random(random, operator, chosen, attributes):
    rank = int(random.integers(1, 9))
    chosen["InputStateTensor"] = "UINT32", [1] * (rank - 1) + [6]
    chosen["OutputStateTensor"] = chosen["InputStateTensor"]


def random_window(random, sizes, may_turn):
    """Offsets, sizes and strides of a window, and the sizes of what is taken."""
    window = [(int(random.integers(1, size + 1)), int(random.choice([1, 1, 2, 3]))) for size in sizes]
    offsets = [int(random.integers(0, size - length + 1)) for size, (length, _) in zip(sizes, window)]
    strides = [step if not may_turn or random.random() < 0.7 else -step for _, step in window]
    return offsets, [length for length, _ in window], strides, [1 + (length - 1) // step for length, step in window]


def shape_slice(random, operator, chosen, attributes):
    type_, sizes = str(random.choice(operator.fields[0].types)), random_sizes(random, 1, 8)
    offsets, lengths, strides, taken = random_window(random, sizes, operator.name != "SLICE")
    attributes["DimensionCount"] = len(sizes)
    if operator.name == "SLICE":
        attributes.update(Offsets=offsets, Sizes=taken, Strides=strides)
    else:
        attributes.update(InputWindowOffsets=offsets, InputWindowSizes=lengths, InputWindowStrides=strides)
    names = [field.name for field in operator.fields[:2]]
    whole, part = names if operator.name != "SLICE_GRAD" else reversed(names)
    chosen[whole], chosen[part] = (type_, sizes), (type_, taken)


def shape_parts(random, operator, chosen, attributes):
    splits = operator.name == "SPLIT"
    type_, sizes = str(random.choice(operator.fields[0 if splits else 1].types)), random_sizes(random, 1, 8)
    axis = int(random.integers(len(sizes)))
    ends = sorted({sizes[axis], *[int(random.integers(1, sizes[axis] + 1)) for _ in range(3)]})
    parts = [(type_, [end - begin if d == axis else size for d, size in enumerate(sizes)])
             for begin, end in zip([0, *ends], ends)]
    chosen["InputTensor" if splits else "OutputTensor"] = type_, sizes
    chosen["OutputTensors" if splits else "InputTensors"] = parts
    attributes.update({"OutputCount" if splits else "InputCount": len(parts), "Axis": axis})


def shape_tile(random, operator, chosen, attributes):
    type_ = str(random.choice(operator.fields[0].types))
    sizes = [min(size, 4) for size in random_sizes(random, 1, 8)]
    repeats = [int(random.choice([1, 1, 2, 3])) for _ in sizes]
    chosen["InputTensor"], chosen["OutputTensor"] = (type_, sizes), (type_, [a * b for a, b in zip(sizes, repeats)])
    attributes.update(RepeatsCount=len(sizes), Repeats=repeats)


def shape_blocks(random, operator, chosen, attributes):
    type_, block = str(random.choice(operator.fields[0].types)), int(random.integers(1, 4))
    n, c, h, w = (int(random.integers(1, 4)) for _ in range(4))
    deep, wide = (type_, [n, c * block * block, h, w]), (type_, [n, c, h * block, w * block])
    to_depth = operator.name.startswith("SPACE")
    chosen["InputTensor"], chosen["OutputTensor"] = (wide, deep) if to_depth else (deep, wide)
    attributes["BlockSize"] = block


def shape_unfold(random, operator, chosen, attributes):
    """UNFOLD, and FOLD the other way round, whose columns may have as many dimensions as the image."""
    type_, spatial = str(random.choice(operator.fields[0].types)), int(random.integers(1, 4))
    sizes = [int(random.integers(1, 6)) for _ in range(spatial)]
    start, end = ([int(random.integers(0, 3)) for _ in sizes] for _ in range(2))
    end = start if random.random() < 0.5 else end
    padded = [a + b + c for a, b, c in zip(sizes, start, end)]
    windows = [int(random.integers(1, min(size, 3) + 1)) for size in padded]
    dilations = [int(random.integers(1, (size - 1) // (window - 1) + 1)) if window > 1 else 1
                 for size, window in zip(padded, windows)]
    strides = [int(random.integers(1, 4)) for _ in sizes]
    blocks = [(size - dilation * (window - 1) - 1) // stride + 1
              for size, window, dilation, stride in zip(padded, windows, dilations, strides)]
    n, c = int(random.integers(1, 3)), int(random.integers(1, 4))
    image, columns = (type_, [n, c, *sizes]), (type_, [n, c * int(np.prod(windows)), int(np.prod(blocks))])
    if operator.name == "FOLD":
        columns[1][:0] = [1] * int(random.choice([0, spatial - 1]))
        image, columns = columns, image
    chosen["InputTensor"], chosen["OutputTensor"] = image, columns
    attributes.update(DimensionCount=spatial, WindowSizes=windows, Strides=strides, Dilations=dilations,
                      StartPadding=start, EndPadding=end)


REDUCED = {"FLOAT32", "FLOAT16", "INT32", "UINT32", "INT64", "UINT64"}


def shape_reduce(random, operator, chosen, attributes):
    fields = {field.name: field for field in operator.fields}
    function = str(random.choice(list(fields["Function"].enumerators))) if "Function" in fields else operator.name
    types = set(fields["InputTensor"].types)
    if function in ("SUM", "SUM_SQUARE", "MULTIPLY", "L1"):
        types &= REDUCED
    elif function not in ("MIN", "MAX", "ARGMIN", "ARGMAX"):
        types &= {"FLOAT32", "FLOAT16"}
    type_, sizes = str(random.choice(sorted(types))), random_sizes(random, 1, 8)
    axes = [int(d) for d in random.permutation(len(sizes))[:random.integers(1, len(sizes) + 1)]]
    places = function.startswith("ARG")
    chosen["InputTensor"] = type_, sizes
    chosen["OutputTensor"] = (str(random.choice(["UINT32", "INT32", "UINT64", "INT64"])) if places else type_,
                              [1 if d in axes else size for d, size in enumerate(sizes)])
    attributes.update(AxisCount=len(axes), Axes=axes)
    if "Function" in fields:
        attributes["Function"] = function


def shape_elements(random, operator, chosen, attributes):
    """GATHER_ELEMENTS and SCATTER_ELEMENTS."""
    type_, sizes = str(random.choice(operator.fields[0].types)), random_sizes(random, 1, 8)
    axis = int(random.integers(len(sizes)))
    indexed = [int(random.integers(1, 6)) if d == axis else size for d, size in enumerate(sizes)]
    indices = str(random.choice(["UINT32", "INT32", "UINT64", "INT64"]))
    chosen["InputTensor"], chosen["IndicesTensor"] = (type_, sizes), (indices, indexed)
    if operator.name == "GATHER_ELEMENTS":
        chosen["OutputTensor"] = type_, indexed
    else:
        chosen["UpdatesTensor"], chosen["OutputTensor"] = (type_, indexed), (type_, sizes)
    attributes["Axis"] = axis


def shape_gather(random, operator, chosen, attributes):
    """As deep as the output, with ones before."""
    type_ = str(random.choice(operator.fields[0].types))
    sizes = random_sizes(random, 1, 4)
    indexed = [int(random.integers(1, 4)) for _ in range(int(random.integers(0, 4)))]
    axis = int(random.integers(len(sizes)))
    batches = sizes[:int(random.integers(axis + 1))] if random.random() < 0.5 else []
    out = [*sizes[:axis], *indexed, *sizes[axis + 1:]]
    rank = max(len(out), len(sizes), len(batches) + len(indexed), 1)
    ahead = lambda part: [1] * (rank - len(part)) + part
    chosen["InputTensor"], chosen["OutputTensor"] = (type_, ahead(sizes)), (type_, ahead(out))
    chosen["IndicesTensor"] = str(random.choice(["UINT32", "INT32", "UINT64", "INT64"])), ahead(batches + indexed)
    attributes.update(Axis=axis + rank - len(sizes), IndexDimensions=len(indexed))


def shape_nd(random, operator, chosen, attributes):
    """GATHER_ND, GATHER_ND1 and SCATTER_ND."""
    type_ = str(random.choice(operator.fields[0].types))
    sizes = random_sizes(random, 1, 5)
    batches = int(random.integers(len(sizes))) if operator.name == "GATHER_ND1" else 0
    depth = int(random.integers(1, len(sizes) - batches + 1))
    outer = [*sizes[:batches], *[int(random.integers(1, 4)) for _ in range(int(random.integers(0, 3)))]]
    out = [*outer, *sizes[batches + depth:]]
    indices = [*outer, depth]
    rank = max(len(sizes), len(out), len(indices), 1)
    ahead = lambda part: [1] * (rank - len(part)) + part
    chosen["InputTensor"] = type_, ahead(sizes)
    chosen["IndicesTensor"] = str(random.choice(["UINT32", "INT32", "UINT64", "INT64"])), ahead(indices)
    chosen["OutputTensor"] = type_, ahead(out)
    if operator.name == "SCATTER_ND":
        chosen["UpdatesTensor"], chosen["OutputTensor"] = (type_, ahead(out)), (type_, ahead(sizes))
    attributes.update(InputDimensionCount=len(sizes), IndicesDimensionCount=len(indices))
    if operator.name == "GATHER_ND1":
        attributes["BatchDimensionCount"] = batches


def shape_one_hot(random, operator, chosen, attributes):
    fields = {field.name: field for field in operator.fields}
    sizes = random_sizes(random, 1, 7)
    axis = int(random.integers(len(sizes)))
    type_ = str(random.choice(fields["OutputTensor"].types))
    indexed = [1 if d == axis else size for d, size in enumerate(sizes)]
    chosen["IndicesTensor"] = str(random.choice(fields["IndicesTensor"].types)), indexed
    chosen["ValuesTensor"] = type_, [*[1] * (len(sizes) - 1), 2]
    chosen["OutputTensor"] = type_, sizes
    attributes["Axis"] = axis


def shape_reverse(random, operator, chosen, attributes):
    type_, sizes = str(random.choice(operator.fields[0].types)), random_sizes(random, 1, 8)
    axis = int(random.integers(len(sizes)))
    chosen["InputTensor"] = chosen["OutputTensor"] = type_, sizes
    chosen["SequenceLengthsTensor"] = (str(random.choice(["UINT32", "UINT64"])),
                                       [1 if d == axis else size for d, size in enumerate(sizes)])
    attributes["Axis"] = axis


def shape_scan(random, operator, chosen, attributes):
    type_, sizes = str(random.choice(operator.fields[0].types)), random_sizes(random, 1, 8)
    chosen["InputTensor"] = chosen["OutputTensor"] = type_, sizes
    exclusive = next(field.name for field in operator.fields if field.name.startswith("HasExclusive"))
    attributes.update({"Axis": int(random.integers(len(sizes))), exclusive: int(random.integers(2))})


def shape_top_k(random, operator, chosen, attributes):
    type_, sizes = str(random.choice(operator.fields[0].types)), random_sizes(random, 1, 8)
    axis = int(random.integers(len(sizes)))
    count = int(random.integers(1, sizes[axis] + 1))
    kept = [count if d == axis else size for d, size in enumerate(sizes)]
    chosen["InputTensor"], chosen["OutputValueTensor"] = (type_, sizes), (type_, kept)
    chosen["OutputIndexTensor"] = str(random.choice(["UINT32", "UINT64"])), kept
    attributes.update(Axis=axis, K=count)


def shape_matrix(random, operator, chosen, attributes):
    """Of two dimensions, with ones before."""
    sizes = random_sizes(random, 1, 2)
    most = operator.fields[0].most
    ahead = max(operator.fields[0].least - len(sizes), int(random.integers(0, most - len(sizes) + 1)))
    chosen["InputTensor"] = chosen["OutputTensor"] = str(random.choice(operator.fields[0].types)), [1] * ahead + sizes


def random_epsilon(random):
    """As it is meant mostly; it may be anything."""
    return random_float(random) if random.random() < 0.1 else float(np.float32(random.choice([0, 1e-12, 1e-5, 0.125, 1])))


def shape_axes(random, operator, chosen, attributes):
    """Some dimensions are folded, in any order; now and then none."""
    field = operator.fields[0]
    sizes = random_sizes(random, field.least, field.most)
    count = 0 if random.random() < 0.05 else int(random.integers(1, len(sizes) + 1))
    chosen["InputTensor"] = chosen["OutputTensor"] = str(random.choice(field.types)), sizes
    attributes.update(AxisCount=count, Axes=[int(d) for d in random.permutation(len(sizes))[:count]])
    if "NORMALIZATION" in operator.name:
        attributes["Epsilon"] = random_epsilon(random)


def shape_mean_variance(random, operator, chosen, attributes):
    attributes["Epsilon"] = random_epsilon(random)


def shape_lp(random, operator, chosen, attributes):
    field = operator.fields[0]
    sizes = random_sizes(random, field.least, field.most)
    chosen["InputTensor"] = chosen["OutputTensor"] = str(random.choice(field.types)), sizes
    attributes.update(Axis=int(random.integers(len(sizes))), P=int(random.integers(1, 3)), Epsilon=random_epsilon(random))


def shape_local_response(random, operator, chosen, attributes):
    """Attributes that are recommended, or others, of which many make powers of what is below 0."""
    attributes["LocalSize"] = int(random.choice([1, 2, 3, 4, 5, 7, 12, 100]))
    if random.random() < 0.8:
        attributes.update(Alpha=float(np.float32(random.choice([1e-4, 0.1, 1, 3]))),
                          Beta=float(np.float32(random.choice([0, 0.5, 0.75, 1, 2.3, -0.7]))),
                          Bias=float(np.float32(random.choice([0, 0.5, 1, 2]))))


def shape_upsample(random, operator, chosen, attributes):
    field = operator.fields[0]
    sizes = [min(size, 5) for size in random_sizes(random, field.least, field.most)]
    width, height = (int(random.choice([1, 2, 2, 3, 4, 5, 7])) for _ in range(2))
    type_ = str(random.choice(field.types))
    chosen["InputTensor"] = type_, sizes
    chosen["OutputTensor"] = type_, [*sizes[:-2], sizes[-2] * height, sizes[-1] * width]
    attributes["ScaleSize"] = width, height


def shape_gemm(random, operator, chosen, attributes):
    field = operator.fields[0]
    m, n, k = (int(random.choice([1, 2, 3, 5, 8, 17, 33])) for _ in range(3))
    batches = [int(random.integers(1, 4)) for _ in range(int(random.integers(field.least, field.most + 1)) - 2)]
    turns = [str(random.choice(["NONE", "TRANSPOSE"])) for _ in range(2)]
    type_ = str(random.choice(field.types))
    chosen["ATensor"] = type_, [*batches, *((m, k) if turns[0] == "NONE" else (k, m))]
    chosen["BTensor"] = type_, [*batches, *((k, n) if turns[1] == "NONE" else (n, k))]
    chosen["CTensor"] = (type_, [*batches, m, n]) if random.random() < 0.6 else None
    chosen["OutputTensor"] = type_, [*batches, m, n]
    attributes.update(TransA=turns[0], TransB=turns[1])


def shape_attention(random, operator, chosen, attributes):
    """From each kind of source, with what may be beside it; lengths of the past are left out."""
    type_, is_newer = str(random.choice(operator.fields[0].types)), operator.name == "MULTIHEAD_ATTENTION1"
    layout = str(random.choice(["apart", "apart", "QK", "KV", "QKV"]))
    n, s, keys, key_heads, depth, columns, past = (int(random.integers(1, most)) for most in (4, 9, 12, 4, 20, 20, 6))
    groups = int(random.integers(1, 4)) if is_newer and layout in ("apart", "KV") else 1
    keys = s if layout in ("QK", "QKV") else keys
    columns = depth if layout in ("KV", "QKV") else columns
    past = past if random.random() < 0.4 else 0
    heads, total = groups * key_heads, past + keys
    tensors = {
        "QueryTensor": [n, s, heads * depth] if layout in ("apart", "KV") else None,
        "KeyTensor": [n, keys, key_heads * depth] if layout == "apart" else None,
        "ValueTensor": [n, keys, key_heads * columns] if layout in ("apart", "QK") else None,
        "StackedQueryKeyTensor": [n, s, heads, 2, depth] if layout == "QK" else None,
        "StackedKeyValueTensor": [n, keys, key_heads, 2, depth] if layout == "KV" else None,
        "StackedQueryKeyValueTensor": [n, s, heads, 3, depth] if layout == "QKV" else None,
        "BiasTensor": [heads * depth + key_heads * (depth + columns)] if random.random() < 0.5 else None,
        "RelativePositionBiasTensor": [n, heads, s, total] if random.random() < 0.4 else None,
        "PastKeyTensor": [n, key_heads, past, depth] if past else None,
        "PastValueTensor": [n, key_heads, past, columns] if past else None,
        "OutputTensor": [n, s, heads * columns],
        "OutputPresentKeyTensor": None, "OutputPresentValueTensor": None,
    }
    masks = {"NONE": None, "KEY_SEQUENCE_LENGTH": [1, n], "KEY_SEQUENCE_END_START": [2, n],
             "KEY_QUERY_SEQUENCE_LENGTH_START_END": [3 * n + 2],
             "BOOLEAN": [size if random.random() < 0.7 else 1 for size in (n, heads, s, total)]}
    kind = str(random.choice(list(masks)))
    chosen.update({name: (type_, sizes) if sizes else None for name, sizes in tensors.items()})
    chosen["MaskTensor"] = ("INT32", masks[kind]) if masks[kind] else None
    if is_newer:
        chosen["PastSequenceLengthsTensor"] = None
        attributes.update(QueryHeadCount=heads, KeyValueHeadCount=key_heads)
    else:
        attributes.update(HeadCount=heads)
    attributes.update(Scale=float(np.float32(depth**-0.5)), MaskType=kind,
                      MaskFilterValue=float(random.choice([-10000, -3, -1e30])))


def shape_convolution(random, operator, chosen, attributes, is_plain=False):
    """Of one to three dimensions; backward the filter is put at each element of the input, forward of the output. Plain ones
    are forward, of up to two dimensions."""
    type_, spatial = str(random.choice(operator.fields[0].types)), int(random.integers(1, 3 if is_plain else 4))
    is_backward, is_depthwise = not is_plain and random.random() < 0.5, random.random() < 0.2
    groups = int(random.integers(1, 9) if is_depthwise else random.choice([1, 1, 2, 3]))
    n, made = (int(random.integers(1, 4)) for _ in range(2))
    channels = 1 if is_depthwise else int(random.integers(1, 6))
    filters, strides, dilations, places = ([int(random.integers(1, most)) for _ in range(spatial)] for most in (5, 4, 3, 7))
    output_padding = [0 if is_plain or random.random() >= (0.4 if is_backward else 0.1) else int(random.integers(0, s + 1))
                      for s in strides]
    whole = [(p - 1) * s + (f - 1) * d + 1 + (o if is_backward else int(random.integers(0, s)))
             for p, s, f, d, o in zip(places, strides, filters, dilations, output_padding)]
    start = [int(random.integers(0, min(size, 4))) for size in whole]
    end = [int(random.integers(0, min(size - a, 4))) for size, a in zip(whole, start)]
    kept = [size - a - b for size, a, b in zip(whole, start, end)]
    chosen["InputTensor"] = type_, [n, groups * channels, *(places if is_backward else kept)]
    chosen["FilterTensor"] = type_, [*((groups * channels, made) if is_backward else (groups * made, channels)), *filters]
    chosen["BiasTensor"] = (type_, [1, groups * made, *[1] * spatial]) if random.random() < 0.5 else None
    chosen["OutputTensor"] = type_, [n, groups * made, *(kept if is_backward else [p + o for p, o in zip(places, output_padding)])]
    attributes.update(DimensionCount=spatial, Strides=strides, Dilations=dilations, StartPadding=start, EndPadding=end, GroupCount=groups)
    if not is_plain:
        attributes.update(Direction="BACKWARD" if is_backward else "FORWARD", OutputPadding=output_padding)


def shape_pooling(random, operator, chosen, attributes):
    """Pictures and volumes; indices always."""
    fields = {field.name: field for field in operator.fields}
    type_, spatial = str(random.choice(operator.fields[0].types)), int(random.integers(2, 4))
    sizes = [int(random.integers(1, 7)) for _ in range(spatial)]
    windows = [int(random.integers(1, min(size, 4) + 1)) for size in sizes]
    start = [int(random.integers(0, window // 2 + 1 if random.random() < 0.8 else 3)) for window in windows]
    end = start if random.random() < 0.5 else [int(random.integers(0, 3)) for _ in sizes]
    padded = [a + b + c for a, b, c in zip(sizes, start, end)]
    dilations = [int(random.integers(1, (size - 1) // (window - 1) + 1)) if "Dilations" in fields and window > 1 else 1
                 for size, window in zip(padded, windows)]
    strides = [int(random.integers(1, 4)) for _ in sizes]
    n, c = int(random.integers(1, 3)), int(random.integers(1, 4))
    output = [n, c, *[(size - d * (window - 1) - 1) // stride + 1
                      for size, window, d, stride in zip(padded, windows, dilations, strides)]]
    if operator.name.endswith("GRAD"):
        chosen["InputGradientTensor"], chosen["OutputGradientTensor"] = (type_, output), (type_, [n, c, *sizes])
        if "InputTensor" in fields:
            chosen["InputTensor"] = type_, [n, c, *sizes]
    else:
        chosen["InputTensor"], chosen["OutputTensor"] = (type_, [n, c, *sizes]), (type_, output)
    if "OutputIndicesTensor" in fields:
        chosen["OutputIndicesTensor"] = str(random.choice(fields["OutputIndicesTensor"].types)), output
    attributes.update(DimensionCount=spatial, WindowSize=windows, Strides=strides, StartPadding=start, EndPadding=end)
    if "Dilations" in fields:
        attributes["Dilations"] = dilations
    if "P" in fields:
        attributes["P"] = int(random.choice([1, 2, 2, 3, 5]))


def shape_unpooling(random, operator, chosen, attributes):
    fields = {field.name: field for field in operator.fields}
    type_ = str(random.choice(operator.fields[0].types))
    sizes, output = ([int(random.integers(1, 5)) for _ in range(4)] for _ in range(2))
    chosen["InputTensor"], chosen["OutputTensor"] = (type_, sizes), (type_, output)
    chosen["IndicesTensor"] = str(random.choice(fields["IndicesTensor"].types)), sizes
def shape_resample(random, operator, chosen, attributes):
    """Mostly centres on centres, and as many elements as the scales say."""
    field = operator.fields[0]
    sizes = [min(size, 9) for size in random_sizes(random, field.least, field.most)]
    scales = [float(np.float32(random.choice([1, 2, 3, 1.5, 0.5, 0.7, 1 / 3, 1.3]))) if len(sizes) < 4 or d > 1 else 1.0
              for d in range(len(sizes))]
    more = int(random.random() < 0.2)
    type_ = str(random.choice(field.types))
    made = type_, [max(1, int(size * scale + 1e-6) + more) for size, scale in zip(sizes, scales)]
    if "GRAD" in operator.name:
        chosen["InputGradientTensor"], chosen["OutputGradientTensor"] = made, (type_, sizes)
    else:
        chosen["InputTensor"], chosen["OutputTensor"] = (type_, sizes), made
    offsets = [(0.5, -0.5), (0.5, -0.5), (0.0, 0.0), (0.0, -0.5), (0.25, 1.0)][int(random.integers(5))]
    offsets = offsets[::-1] if "GRAD" in operator.name else offsets
    attributes["ScaleCount" if operator.name == "RESAMPLE" else "DimensionCount"] = len(sizes)
    attributes["Scales"] = scales
    if operator.name != "RESAMPLE":
        attributes["InputPixelOffsets"], attributes["OutputPixelOffsets"] = ([v] * len(sizes) for v in offsets)


def shape_regions(random, operator, chosen, attributes):
    type_, aligns = str(random.choice(operator.fields[0].types)), operator.name != "ROI_POOLING"
    pictures, channels, height, width, regions, down, along = (int(random.integers(1, n)) for n in (4, 4, 12, 12, 6, 5, 5))
    chosen["InputTensor"] = type_, [pictures, channels, height, width]
    chosen["OutputTensor"] = type_, [regions, channels, down, along]
    chosen["ROITensor"] = type_, [regions, 4] if aligns else [1, 1, regions, 5]
    if not aligns:
        attributes.update(PooledSize=(along, down), SpatialScale=float(np.float32(random.choice([1, 0.5, 2, 0.3]))))
        return
    if operator.name == "ROI_ALIGN_GRAD":
        chosen["InputGradientTensor"] = chosen.pop("OutputTensor")
        chosen["BatchIndicesTensor"] = "UINT32", [regions]
        of_pictures = random.random() < 0.5
        chosen["OutputGradientTensor"] = chosen["InputTensor"] if of_pictures else None
        chosen["OutputROIGradientTensor"] = None if of_pictures else chosen["ROITensor"]
    else:
        chosen["BatchIndicesTensor"] = str(random.choice(["UINT32", "UINT64"])), [regions]
    least, scale = int(random.integers(0, 4)), float(np.float32(random.choice([1, 0.5, 2, 0.3])))
    attributes.update(SpatialScaleX=scale, SpatialScaleY=scale if random.random() < 0.8 else 1.0,
                      ReductionFunction=str(random.choice(["AVERAGE", "AVERAGE", "MAX"])),
                      MinimumSamplesPerOutput=least, MaximumSamplesPerOutput=int(random.choice([max(least, 1), 5, 2**32 - 1])))
    if operator.name != "ROI_ALIGN_GRAD":
        attributes["OutOfBoundsInputValue"] = 0.0 if random.random() < 0.7 else random_float(random)


# Of one or two attributes, which networks have; no function jumps.
RECURRENT_FUNCTIONS = ["SIGMOID", "TANH", "TANH", "RELU", "LEAKY_RELU", "HARD_SIGMOID", "ELU", "SOFTSIGN", "SOFTPLUS", "SCALED_TANH"]


def random_function(random):
    name = "ACTIVATION_" + str(random.choice(RECURRENT_FUNCTIONS))
    given = {"LEAKY_RELU": ["Alpha"], "HARD_SIGMOID": ["Alpha", "Beta"], "ELU": ["Alpha"], "SOFTPLUS": ["Steepness"],
             "SCALED_TANH": ["Alpha", "Beta"]}.get(name.removeprefix("ACTIVATION_"), [])
    return vkdml.schema(name), {attribute: float(random.choice([0.25, 0.5, 1])) if attribute != "Steepness" else 1.0
                                for attribute in given}


def shape_recurrent(random, operator, chosen, attributes):
    gates, functions = {"RNN": (1, 1), "GRU": (3, 2), "LSTM": (4, 3)}[operator.name]
    direction = str(random.choice(["FORWARD", "BACKWARD", "BIDIRECTIONAL"]))
    d = 2 if direction == "BIDIRECTIONAL" else 1
    t, b, i, h = (int(random.integers(1, most)) for most in (6, 5, 9, 9))
    type_ = str(random.choice(operator.fields[0].types))
    state, optional = [1, d, b, h], lambda sizes: (type_, sizes) if random.random() < 0.5 else None
    chosen["InputTensor"] = type_, [1, t, b, i]
    chosen["WeightTensor"], chosen["RecurrenceTensor"] = (type_, [1, d, gates * h, i]), (type_, [1, d, gates * h, h])
    chosen["BiasTensor"], chosen["HiddenInitTensor"] = optional([1, 1, d, 2 * gates * h]), optional(state)
    chosen["SequenceLengthsTensor"] = ("UINT32", [1, 1, 1, b]) if random.random() < 0.5 else None
    chosen["OutputSequenceTensor"], chosen["OutputSingleTensor"] = (type_, [t, d, b, h]), (type_, state)
    if operator.name == "LSTM":
        chosen["CellMemInitTensor"], chosen["PeepholeTensor"] = optional(state), optional([1, 1, d, 3 * h])
        chosen["OutputCellSingleTensor"] = type_, state
        attributes["ClipThreshold"] = float(random.choice([0.5, 2]))
    attributes.update(Direction=direction, ActivationDescCount=d * functions,
                      ActivationDescs=[random_function(random) for _ in range(d * functions)])


def shape_numbers(random, operator, chosen, names):
    """Scales and zero points: one, or a number for each coordinate along rows, columns or channels; what is optional may be
    absent. All have one dimension count, {.., M, 1}, {.., 1, N} or {1, C, 1..}."""
    fields = {field.name: field for field in operator.fields}
    rank = int(random.integers(1, 5))
    for name, (type_, dimension, count) in names.items():
        if name not in fields or (fields[name].optional and random.random() < 0.3):
            chosen.setdefault(name, None)
            continue
        own = {"rows": rank - 2, "columns": rank - 1, "channels": 1}[dimension] if rank > 1 else 0
        sizes = [1] * rank
        sizes[own] = count if random.random() < 0.5 else 1
        chosen[name] = type_, sizes


def shape_integer_matrices(random, operator, chosen, attributes):
    fields = {field.name: field for field in operator.fields}
    a_type = str(random.choice(fields["ATensor"].types))
    is_byte = a_type in ("INT8", "UINT8")
    b_type = str(random.choice(["INT8", "UINT8"])) if is_byte else a_type
    out_type = str(random.choice(fields["OutputTensor"].types))
    m, n, k = (int(random.choice([1, 2, 3, 5, 8, 17, 33])) for _ in range(3))
    batches = [int(random.integers(1, 4)) for _ in range(int(random.integers(2, 5)) - 2)]
    chosen["ATensor"], chosen["BTensor"] = (a_type, [*batches, m, k]), (b_type, [*batches, k, n])
    chosen["OutputTensor"] = out_type, [*batches, m, n]
    if "BiasTensor" in fields:
        chosen["BiasTensor"] = (out_type, [*batches, m, n]) if random.random() < 0.5 else None
    floats = out_type if out_type in ("FLOAT32", "FLOAT16") else "FLOAT32"
    shape_numbers(random, operator, chosen, {
        "AScaleTensor": (floats, "rows", m), "AZeroPointTensor": (a_type, "rows", m),
        "BScaleTensor": (floats, "columns", n), "BZeroPointTensor": (b_type, "columns", n),
        "OutputScaleTensor": (floats, "rows", m), "OutputZeroPointTensor": (out_type, "rows", m)})


def shape_integer_convolution(random, operator, chosen, attributes):
    fields = {field.name: field for field in operator.fields}
    shape_convolution(random, operator, chosen, attributes, is_plain=True)
    made, spatial = chosen["FilterTensor"][1][0], attributes["DimensionCount"]
    types = {name: str(random.choice(fields[name].types)) for name in ("InputTensor", "FilterTensor", "OutputTensor")}
    for name, type_ in types.items():
        chosen[name] = type_, chosen[name][1]
    has_bias = "BiasTensor" in fields and random.random() < 0.5
    chosen["BiasTensor"] = ("INT32", [1, made, *[1] * spatial]) if has_bias else None
    shape_numbers(random, operator, chosen, {
        "InputScaleTensor": ("FLOAT32", "channels", 1), "InputZeroPointTensor": (types["InputTensor"], "channels", 1),
        "FilterScaleTensor": ("FLOAT32", "channels", made), "FilterZeroPointTensor": (types["FilterTensor"], "channels", made),
        "OutputScaleTensor": ("FLOAT32", "channels", 1), "OutputZeroPointTensor": (types["OutputTensor"], "channels", 1)})


def shape_quantized_pooling(random, operator, chosen, attributes):
    shape_pooling(random, operator, chosen, attributes)
    fields = {field.name: field for field in operator.fields}
    type_, channels = chosen["InputTensor"][0], chosen["InputTensor"][1][1]
    out_type = str(random.choice(fields["OutputTensor"].types))
    chosen["OutputTensor"] = out_type, chosen["OutputTensor"][1]
    shape_numbers(random, operator, chosen, {
        "InputScaleTensor": ("FLOAT32", "channels", channels), "InputZeroPointTensor": (type_, "channels", channels),
        "OutputScaleTensor": ("FLOAT32", "channels", channels), "OutputZeroPointTensor": (out_type, "channels", channels)})


SHAPES = {
    "RNN": shape_recurrent, "GRU": shape_recurrent, "LSTM": shape_recurrent,
    "GEMM": shape_gemm,
    **dict.fromkeys(("MATRIX_MULTIPLY_INTEGER", "QUANTIZED_LINEAR_MATRIX_MULTIPLY", "MATRIX_MULTIPLY_INTEGER_TO_FLOAT"),
                    shape_integer_matrices),
    **dict.fromkeys(("CONVOLUTION_INTEGER", "QUANTIZED_LINEAR_CONVOLUTION"), shape_integer_convolution),
    "QUANTIZED_LINEAR_AVERAGE_POOLING": shape_quantized_pooling,
    "MULTIHEAD_ATTENTION": shape_attention,
    "MULTIHEAD_ATTENTION1": shape_attention,
    "CONVOLUTION": shape_convolution,
    "MAX_UNPOOLING": shape_unpooling,
    **{f"{name}_POOLING{n}": shape_pooling for name, n in [
        ("AVERAGE", ""), ("AVERAGE", 1), ("LP", ""), ("LP", 1), ("MAX", ""), ("MAX", 1), ("MAX", 2), ("AVERAGE", "_GRAD"), ("MAX", "_GRAD")]},
    "ROI_POOLING": shape_regions, "ROI_ALIGN": shape_regions, "ROI_ALIGN1": shape_regions, "ROI_ALIGN_GRAD": shape_regions,
    "ACTIVATION_SOFTMAX": shape_matrix, "ACTIVATION_LOG_SOFTMAX": shape_matrix, "ACTIVATION_HARDMAX": shape_matrix,
    "ACTIVATION_SOFTMAX1": shape_axes, "ACTIVATION_LOG_SOFTMAX1": shape_axes, "ACTIVATION_HARDMAX1": shape_axes,
    "MEAN_VARIANCE_NORMALIZATION": shape_mean_variance, "MEAN_VARIANCE_NORMALIZATION1": shape_axes,
    "MEAN_VARIANCE_NORMALIZATION2": shape_axes, "LP_NORMALIZATION": shape_lp,
    "LOCAL_RESPONSE_NORMALIZATION": shape_local_response, "UPSAMPLE_2D": shape_upsample,
    "RESAMPLE": shape_resample, "RESAMPLE1": shape_resample, "RESAMPLE2": shape_resample, "RESAMPLE3": shape_resample,
    "RESAMPLE_GRAD": shape_resample, "RESAMPLE_GRAD1": shape_resample, "FOLD": shape_unfold,
    "CUMULATIVE_SUMMATION": shape_scan, "CUMULATIVE_PRODUCT": shape_scan,
    "TOP_K": shape_top_k, "TOP_K1": shape_top_k,
    "REDUCE": shape_reduce, "ARGMIN": shape_reduce, "ARGMAX": shape_reduce, "GATHER_ELEMENTS": shape_elements,
    "SCATTER_ELEMENTS": shape_elements, "GATHER": shape_gather, "GATHER_ND": shape_nd, "GATHER_ND1": shape_nd,
    "SCATTER_ND": shape_nd, "ONE_HOT": shape_one_hot, "REVERSE_SUBSEQUENCES": shape_reverse,
    "SLICE": shape_slice, "SLICE1": shape_slice, "SLICE_GRAD": shape_slice, "SPLIT": shape_parts, "JOIN": shape_parts,
    "TILE": shape_tile, "SPACE_TO_DEPTH": shape_blocks, "SPACE_TO_DEPTH1": shape_blocks, "DEPTH_TO_SPACE": shape_blocks,
    "DEPTH_TO_SPACE1": shape_blocks, "UNFOLD": shape_unfold,
    "PADDING": shape_padding, "PADDING1": shape_padding, "NONZERO_COORDINATES": shape_nonzero,
    "VALUE_SCALE_2D": shape_value_scale, "QUANTIZE": shape_quantize, "DEQUANTIZE": shape_quantize,
    "ELEMENT_WISE_QUANTIZE_LINEAR": shape_quantize_linear, "BATCH_NORMALIZATION": shape_batch_normalization,
    **dict.fromkeys(("BATCH_NORMALIZATION_GRAD", "BATCH_NORMALIZATION_TRAINING", "BATCH_NORMALIZATION_TRAINING_GRAD"),
                    shape_training),
    "LOCAL_RESPONSE_NORMALIZATION_GRAD": shape_local_response, "ADAM_OPTIMIZER": shape_adam,
    "RANDOM_GENERATOR": shape_random,
}
