"""One use of an operator: what the caller gave, completed by defaults and by what follows from the tensors."""
import numbers
import re
from ctypes import byref
from contextlib import contextmanager
from typing import Any, Container, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np

from . import _defaults
from ._defaults import Derived, Each, REQUIRED
from ._describe import Descriptor, Known
from ._library import Error, TensorShape, library
from ._output_types import output_type
from ._schema import Field, Operator, did_you_mean, level_value, schema, short
from ._tensor import DTYPES, FLOATS, Tensor, as_tensor, type_name

LIMITS = {"UINT": (0, 2**32 - 1), "INT": (-2**31, 2**31 - 1)}
Activation = Tuple[Operator, Dict[str, Any]]


def integer(value: Any, kind: str, what: str) -> int:
    least, most = LIMITS[kind]
    if not isinstance(value, (numbers.Integral, np.bool_)):
        raise TypeError(f"{what} is {value!r}, must be an integer")
    if not least <= int(value) <= most:
        raise ValueError(f"{what} is {value}, must be from {least} to {most}")
    return int(value)


def number(value: Any, what: str) -> float:
    if not isinstance(value, (numbers.Real, np.bool_)):
        raise TypeError(f"{what} is {value!r}, must be a number")
    return float(value)


def pair(value: Any, what: str, members: str) -> Any:
    values = tuple(value)
    if len(values) != 2:
        raise ValueError(f"{what} is {value!r}, must be {members}")
    return values


def enumerator(field: Field, value: Any, what: str) -> str:
    """The short name of a name or a value."""
    names = {number: name for name, number in field.enumerators.items()}
    if isinstance(value, str):
        name = short(value.upper(), field.prefix)
        if name in field.enumerators:
            return name
        raise ValueError(f"{what} is {value!r}, must be one of {', '.join(field.enumerators)}"
                         + did_you_mean(name, field.enumerators))
    if field.prefix == "DML_TENSOR_DATA_TYPE_" and not isinstance(value, numbers.Integral):
        return type_name(value)
    if isinstance(value, numbers.Integral) and int(value) in names:
        return names[int(value)]
    raise ValueError(f"{what} is {value!r}, must be one of {', '.join(field.enumerators)}")


def scalar(value: Any, type_: str, what: str) -> np.ndarray:
    """An element of the type; of NumPy's scalars of that type the very bits."""
    dtype = DTYPES[type_]
    if isinstance(value, np.generic) and value.dtype == dtype:
        return np.array(value)
    if type_ in FLOATS:
        with np.errstate(over="ignore"):
            return np.array(number(value, what)).astype(dtype)
    limits = np.iinfo(dtype)
    if not isinstance(value, (numbers.Integral, np.bool_)):
        raise TypeError(f"{what} is {value!r}, must be an integer, as {type_} is")
    if not limits.min <= int(value) <= limits.max:
        raise ValueError(f"{what} is {value}, beyond {type_}")
    return np.array(int(value), dtype)


def axis(value: Any, rank: int, what: str) -> Any:
    """From the end, where it is negative."""
    if isinstance(value, numbers.Integral) and value < 0:
        if value < -rank:
            raise ValueError(f"{what} is {value}, before the first dimension")
        return value + rank
    return value


def array(field: Field, values: Any, rank: int, what: str) -> List[Any]:
    if field.type == "OPERATOR_DESC_ARRAY":
        return [activation(value, rank, f"{what}[{i}]") for i, value in enumerate(values)]
    if field.type == "FLOAT_ARRAY":
        return [number(value, what) for value in values]
    values = [axis(value, rank, what) for value in values] if field.name == "Axes" else values
    return [integer(value, field.type[:-len("_ARRAY")], what) for value in values]


def activation(value: Any, rank: int, what: str) -> Activation:
    """An operator to fuse: a name, with ACTIVATION_ or without, or that and its attributes."""
    if not isinstance(value, (str, Operator, tuple, list)) or not value:
        raise TypeError(f"{what} is {value!r}, must be an activation: a name, or (name, {{attribute: value}})")
    name, given = (value, {}) if isinstance(value, (str, Operator)) else (*value, {})[:2]
    if isinstance(name, str):
        try:
            name = schema(name)
        except ValueError:
            name = schema("ACTIVATION_" + name)
    attributes: Dict[str, Any] = {}
    known = name.fields_of("attribute")
    for wrong in set(given) - {field.name for field in known}:
        raise TypeError(f"{what}: {name.name} has no attribute {wrong}" + did_you_mean(wrong, [f.name for f in known]))
    for field in known:
        value = given.get(field.name, field.default)
        if field.default is _defaults.LENGTH:
            continue
        if value is REQUIRED:
            raise TypeError(f"{what}: {name.name} needs {field.name} ({field.in_words()})")
        if field.type.endswith("_ARRAY"):
            attributes[field.name] = array(field, [value] if np.ndim(value) == 0 else value, rank, f"{what}.{field.name}")
            attributes[field.count_field] = len(attributes[field.name])
        else:
            attributes[field.name] = plain(field, value, rank, f"{what}.{field.name}")
    return name, attributes


def plain(field: Field, value: Any, rank: int, what: str) -> Any:
    """An attribute that is no array, and of an operator on tensors of so many dimensions."""
    if field.name == "Axis":
        value = axis(value, rank, what)
    if field.type == "ENUM":
        return enumerator(field, value, what)
    if field.type in LIMITS:
        return integer(value, field.type, what)
    if field.type == "BOOL":
        if not isinstance(value, (numbers.Integral, np.bool_)):
            raise TypeError(f"{what} is {value!r}, must be a bool")
        return int(bool(value))
    if field.type == "FLOAT":
        return number(value, what)
    if field.type == "SIZE_2D":
        return [integer(v, "UINT", what) for v in pair(value, what, "(Width, Height)")]
    if field.type == "SCALE_BIAS":
        return None if value is None else [number(v, what) for v in pair(value, what, "(Scale, Bias)")]
    if field.type == "OPERATOR_DESC":
        return None if value is None else activation(value, rank, what)
    raise NotImplementedError(f"{what}: fields of type {field.type}")


def advice_on_type(name: str, value: Any, type_: str) -> str:
    dtype = DTYPES[type_]
    if isinstance(value, np.ndarray):
        return f"{name} was given as {in_short(value)}: give {name}.astype(np.{dtype}), which is {type_}"
    return (f"{name} was given as {in_short(value)}, of which NumPy makes {np.asarray(value).dtype}: give "
            f"np.array(.., np.{dtype}), which is {type_}")


def in_short(value: Any) -> str:
    """What the caller wrote, in words that fit a sentence."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__} ({text[:50]} ..)"


class Call:
    """An operator's tensors and attributes, by field name; all of them after complete().

    Attributes:
        tensors: a Tensor, a list of them, or None.
        attributes: integers, floats, lists, names of enumerators; scalars as arrays of one element.
        targets: what the caller gave for outputs, an array to be written, or None, in the order of all outputs.
        refusal: why no sizes of outputs follow; they are 1 then.
    """

    def __init__(self, operator: Union[str, Operator], given: Dict[str, Any], level: Union[str, int, None] = None):
        self.operator = schema(operator)
        self.given, self.level = given, level_value(level)
        self.refusal: Optional[Error] = None
        self.tensors: Dict[str, Any] = {}
        self.attributes: Dict[str, Any] = {}
        self.targets: List[Tuple[Tensor, Optional[np.ndarray]]] = []
        for name in given:
            self.operator.field(name)
        missing = [field for field in self.operator.fields if given.get(field.name) is None and self.must_be_given(field)]
        if missing:
            raise TypeError(f"{self.operator.name} needs " + ", ".join(f"{f.name} ({f.in_words()})" for f in missing))
        self.complete()

    def __getitem__(self, attribute: str) -> Any:
        return self.attributes[attribute]

    def sizes(self, tensor: str) -> Tuple[int, ...]:
        return self.tensors[tensor].sizes

    def must_be_given(self, field: Field) -> bool:
        if field.kind == "input":
            return not field.optional
        if field.kind == "output":  # how many can only be told by the caller
            return field.type == "TENSOR_DESC_ARRAY" and self.given.get(field.count_field) is None
        if field.default is _defaults.OUTPUT_SCALES:
            return not isinstance(self.given.get("OutputTensor"), (tuple, list, np.ndarray, Tensor))
        return field.default is REQUIRED

    def complete(self) -> None:
        for field in self.operator.fields_of("input"):
            self.tensors[field.name] = self.input(field)
        late = []  # scalars and their types, which are the output's
        for field in self.operator.fields_of("attribute"):
            if field.type == "SCALAR_UNION" or field.default is _defaults.OUTPUT_TYPE:
                late.append(field)
            elif field.default is not _defaults.LENGTH:
                self.attributes[field.name] = self.attribute(field)
        self.count_arrays()
        outputs = self.operator.fields_of("output")
        for field in outputs:
            self.tensors[field.name] = self.known_outputs(field)
        for field in sorted(late, key=lambda field: field.type == "SCALAR_UNION"):
            self.attributes[field.name] = self.late_attribute(field, outputs[0])
        if None in (output.sizes for output in self.bound("output") if output):
            self.infer()
        for field in outputs:
            self.tensors[field.name] = self.make_outputs(field)

    def name_of(self, field: Field) -> str:
        return f"{self.operator.name}: {field.name}"

    def input(self, field: Field) -> Any:
        value = self.given.get(field.name)
        if value is None:
            return None
        if field.type == "TENSOR_DESC_ARRAY":
            if not isinstance(value, (list, tuple)):
                raise TypeError(f"{self.name_of(field)} is {in_short(value)}, must be a list of arrays")
            return [self.tensor(one, f"{field.name}[{i}]") for i, one in enumerate(value)]
        return self.tensor(value, field.name)

    def tensor(self, value: Any, name: str) -> Tensor:
        try:
            return as_tensor(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.operator.name}: {name} is {in_short(value)}, must be an array of numbers: "
                              f"{error}") from None

    def attribute(self, field: Field) -> Any:
        """As it is given, or by default; arrays may be one number or Each until count_arrays()."""
        value, what = self.given.get(field.name), self.name_of(field)
        if value is None:
            value = field.default
            if isinstance(value, Derived):
                value = self.derive(field)
        if isinstance(value, Each):
            return value
        if not field.type.endswith("_ARRAY"):
            return plain(field, value, self.rank(), what)
        if field.type == "OPERATOR_DESC_ARRAY":
            return array(field, value if isinstance(value, list) else [value], self.rank(), what)
        if np.ndim(value) == 0:
            return Each(array(field, [value], self.rank(), what)[0])
        return array(field, value, self.rank(), what)

    def rank(self) -> int:
        """Of the first tensor that there is; 0 where there is none."""
        for tensors in self.tensors.values():
            for tensor in tensors if isinstance(tensors, list) else [tensors]:
                if tensor is not None:
                    return len(tensor.sizes)
        return 0

    def derive(self, field: Field) -> Any:
        """A default that is made of the tensors."""
        if field.default is _defaults.QUANTIZATION:
            return "SCALE" if len(self.tensors["QuantizationTensors"]) == 1 else "SCALE_ZERO_POINT"
        if field.default is _defaults.OUTPUT_SCALES:
            sizes = self.describe_output(self.operator.field("OutputTensor"), self.given["OutputTensor"])[0]
            if sizes is None:
                raise TypeError(f"{self.operator.name} needs Scales, or OutputTensor's sizes")
            return [out / in_ for out, in_ in zip(sizes, self.sizes("InputTensor"))]
        return len(self.sizes(field.default.what.split()[-1]))  # DimensionCount of a tensor

    def count_arrays(self) -> None:
        """Gives arrays that share a length one length, and writes it into its field."""
        for count in {field.count_field for field in self.operator.fields if field.count_field}:
            sharing = [field for field in self.operator.fields if field.count_field == count]
            given = self.given.get(count)
            lengths = {field.name: len(value) for field in sharing for value in [self.array(field)]
                       if isinstance(value, list)}
            if given is not None:
                lengths[count] = integer(given, "UINT", f"{self.operator.name}: {count}")
            if len(set(lengths.values())) > 1:
                raise ValueError(f"{self.operator.name}: lengths differ: "
                                 + ", ".join(f"{name} {length}" for name, length in lengths.items()))
            length = next(iter(lengths.values())) if lengths else self.usual_length(sharing[0])
            self.attributes[count] = length
            for field in sharing:
                value = self.attributes.get(field.name)
                if isinstance(value, Each):
                    self.attributes[field.name] = [value.value] * length

    def array(self, field: Field) -> Any:
        if not field.is_tensor:
            return self.attributes[field.name]
        value = self.tensors.get(field.name, self.given.get(field.name))
        return [None] * value if isinstance(value, numbers.Integral) else value if value is None else list(value)

    def usual_length(self, field: Field) -> int:
        """Of arrays that are all defaults or one number."""
        if field.name == "Axes":
            return 1
        rank = self.rank()
        spatial = self.operator.name == "CONVOLUTION" or "POOLING" in self.operator.name or self.operator.name == "UNFOLD"
        return max(rank - 2, 0) if spatial else rank

    def parts(self, field: Field) -> List[Any]:
        """What was given for each tensor of an output; of an absent one nothing."""
        value = self.given.get(field.name)
        if field.type != "TENSOR_DESC_ARRAY":
            return [] if value is None and field.optional else [value]
        return [None] * self[field.count_field] if value is None or isinstance(value, numbers.Integral) else list(value)

    def known_outputs(self, field: Field) -> Any:
        outputs = [one if isinstance(one, Tensor) else self.known_output(field, one) for one in self.parts(field)]
        return outputs if field.type == "TENSOR_DESC_ARRAY" else outputs[0] if outputs else None

    def known_output(self, field: Field, given: Any) -> Known:
        sizes, type_ = self.describe_output(field, given)
        return Known(type_ or output_type(self, field), sizes)

    def infer(self) -> None:
        """Completes the sizes of outputs by what the library says of the rest."""
        outputs = self.bound("output")
        shapes = (TensorShape * len(outputs))()
        descriptor = Descriptor(self.operator, self.tensors, self.attributes)
        try:
            library().InferOutputSizes(byref(descriptor.desc), self.level, len(shapes), shapes)
            found = [tuple(shape.sizes[:shape.dimensionCount]) for shape in shapes]
        except Error as error:
            self.ask_for(re.findall(r": (\w+)[^:]* does not follow from", error.reason))
            self.refusal, found = error, [(1,) * max(self.rank(), 1)] * len(outputs)
        inferred = [known._replace(sizes=sizes) if isinstance(known, Known) and known.sizes is None else known
                    for known, sizes in zip(outputs, found)]
        for field in self.operator.fields_of("output"):
            value = self.tensors[field.name]
            count = len(value) if isinstance(value, list) else 1
            self.tensors[field.name] = inferred[:count] if isinstance(value, list) else inferred[0]
            del inferred[:count]

    def ask_for(self, names: List[str]) -> None:
        """Refuses a call where sizes of outputs do not follow."""
        for field in self.operator.fields_of("output"):
            if field.name in names and field.type == "TENSOR_DESC_ARRAY":
                raise ValueError(f"{self.operator.name}: {self.sizes('InputTensor')[self['Axis']]} elements along axis "
                                 f"{self['Axis']} are not {self[field.count_field]} equal parts; give {field.name} as a list "
                                 "of shapes")
            if field.name in names:
                raise self.lacking(field, self.tensors[field.name])

    def lacking(self, field: Field, output: Known) -> TypeError:
        lacking = " and ".join(what for what, known in (("sizes", output.sizes), ("type", output.type)) if known is None)
        return TypeError(f"{self.name_of(field)}: its {lacking} must be given: an array to fill, a shape, a dtype or "
                         "(shape, dtype)")

    def make_outputs(self, field: Field) -> Any:
        value = self.tensors[field.name]
        known = value if isinstance(value, list) else [value]
        made = [self.make_output(field, *pair) for pair in zip(known, self.parts(field))]
        return made if isinstance(value, list) else made[0] if made else None

    def make_output(self, field: Field, output: Any, given: Any) -> Tensor:
        """The tensor that an output is written to; `given` is an array to fill, a Tensor, a shape, a type, both, or None."""
        if isinstance(output, Known):
            if output.sizes is None or output.type is None:
                raise self.lacking(field, output)
            output = Tensor(output.type, output.sizes)
        self.targets.append((output, given if isinstance(given, np.ndarray) else None))
        return output

    def descriptor(self, owned: Container[str] = ()) -> Descriptor:
        """Raises Error where the library said that there is none."""
        if self.refusal:
            raise self.refusal
        return Descriptor(self.operator, self.tensors, self.attributes, owned)

    def describe_output(self, field: Field, given: Any) -> Tuple[Optional[Tuple[int, ...]], Optional[str]]:
        """The sizes and the type that the caller gave for an output."""
        if isinstance(given, Tensor):
            return given.sizes, given.type
        if isinstance(given, np.ndarray):
            if not given.flags.writeable:
                raise ValueError(f"{self.name_of(field)}: the array is read-only")
            return given.shape or (1,), type_name(given.dtype)
        if given is None or given is True:
            return None, None
        if isinstance(given, (list, tuple)):
            if len(given) == 2 and isinstance(given[0], (list, tuple)):
                return tuple(integer(size, "UINT", self.name_of(field)) for size in given[0]), type_name(given[1])
            return tuple(integer(size, "UINT", self.name_of(field)) for size in given), None
        if isinstance(given, numbers.Integral):
            return (integer(given, "UINT", self.name_of(field)),), None
        return None, type_name(given)

    def late_attribute(self, field: Field, output: Field) -> Any:
        """One that is of the output's type, or names it."""
        value, known = self.given.get(field.name), self.tensors[output.name]
        if known.type is None:
            raise self.lacking(output, known)
        if field.type == "SCALAR_UNION":
            type_ = self.attributes[field.type_field]
            return scalar(field.default if value is None else value, type_, self.name_of(field))
        return known.type if value is None else enumerator(field, value, self.name_of(field))

    def bound_names(self, kind: str) -> List[str]:
        """What the same are called."""
        names: List[str] = []
        for field in self.operator.fields_of(kind):
            value = self.tensors[field.name]
            names += [f"{field.name}[{i}]" for i in range(len(value))] if isinstance(value, list) else [field.name]
        return names

    def forget_values(self) -> None:
        """Keeps of tensors no more than types, sizes and strides."""
        def described(tensor: Optional[Tensor]) -> Optional[Tensor]:
            return tensor and Tensor(tensor.type, tensor.sizes, tensor.strides)

        self.given, self.targets = {}, []
        self.tensors = {name: [described(one) for one in value] if isinstance(value, list) else described(value)
                        for name, value in self.tensors.items()}

    def is_owned(self, owned: Tuple[str, ...]) -> List[bool]:
        """Of the inputs in the order of bindings, which are the operator's: those of the names."""
        for name in owned:
            if self.operator.field(name).kind != "input":
                raise ValueError(f"owned: {name} is no input of {self.operator.name}")
            if self.given.get(name) is None:
                raise TypeError(f"{self.operator.name}: {name} is owned, and missing")
        return [field.name in owned for field in self.operator.fields_of("input")
                for _ in (self.tensors[field.name] if isinstance(self.tensors[field.name], list) else [0])]

    @contextmanager
    def advising(self) -> Iterator[None]:
        """Adds advice() to what the library refuses within."""
        try:
            yield
        except Error as error:
            error.add(self.advice(error.reason))
            raise

    def advice(self, reason: str) -> List[str]:
        """What to write instead, where the library's reasons are about types and lengths that follow from what was given."""
        lines = []
        for field in self.operator.fields_of("input"):
            value = self.given.get(field.name)
            for i, one in enumerate(value) if field.type == "TENSOR_DESC_ARRAY" else [(None, value)]:
                name = field.name if i is None else f"{field.name}[{i}]"
                wrong = re.findall(rf": {re.escape(name)}\.DataType is \w+, must be (?:one of )?([\w, ]+?)(?: = | at |$)", reason,
                                  re.MULTILINE)
                if wrong and not isinstance(one, Tensor):
                    allowed = [[type_name(word) for word in words.split(", ")] for words in wrong]
                    types = [type_ for type_ in allowed[-1] if all(type_ in others for others in allowed)] or allowed[-1]
                    lines.append(advice_on_type(name, one, "FLOAT32" if "FLOAT32" in types else types[0]))
        for count in {field.count_field for field in self.operator.fields if field.count_field}:
            wrong = re.search(rf": {count} is (\d+), must be (\d+)", reason)
            for field in self.operator.fields_of("attribute") if wrong else []:
                value = self.given.get(field.name)
                if field.count_field == count and np.ndim(value) == 1:
                    lines.append(f"{field.name} was given as {in_short(value)}, of length {len(value)}: give {wrong[2]} values, "
                                 "or one number that stands for all")
        return lines

    def bound(self, kind: str) -> List[Optional[Tensor]]:
        """The tensors of a kind in the order of bindings: each of an array, and None where one is absent."""
        tensors: List[Optional[Tensor]] = []
        for field in self.operator.fields_of(kind):
            value = self.tensors[field.name]
            tensors += value if isinstance(value, list) else [value]
        return tensors
