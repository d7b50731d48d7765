"""The operator table as Python objects: what each operator's descriptor holds and what it accepts."""
import difflib
from functools import lru_cache
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from . import _library
from ._defaults import REQUIRED, default_of
from ._tensor import TYPES

NEWEST_LEVEL = 0x6400
NONE = 0xFFFFFFFF
KINDS = ("input", "output", "attribute")
FIELD_TYPES = ("TENSOR_DESC", "UINT", "INT", "FLOAT", "ENUM", "UINT_ARRAY", "SCALE_BIAS", "SCALAR_UNION", "BOOL",
               "INT_ARRAY", "FLOAT_ARRAY", "SIZE_2D", "TENSOR_DESC_ARRAY", "OPERATOR_DESC", "OPERATOR_DESC_ARRAY")
AGREEMENTS = ("DATA_TYPE", "DIMENSION_COUNT", "SIZES", "SIZES_OR_ONE", "SIZES_DIVIDE", "ONE_ELEMENT")
ACCURACIES = ("EXACT", "ULP", "SUM")
IN_WORDS = {"UINT": "an integer of 0 or more", "INT": "an integer", "FLOAT": "a float", "BOOL": "a bool",
            "UINT_ARRAY": "integers of 0 or more", "INT_ARRAY": "integers", "FLOAT_ARRAY": "floats",
            "SCALE_BIAS": "(Scale, Bias)", "SCALAR_UNION": "a number", "SIZE_2D": "(Width, Height)",
            "OPERATOR_DESC": "an activation: a name, or (name, {attribute: value})",
            "OPERATOR_DESC_ARRAY": "a list of activations"}


class Support(NamedTuple):
    """What a tensor may be from one feature level on, until a newer row says otherwise."""
    level: str
    least: int
    most: int
    types: Tuple[str, ...]


class Agreement(NamedTuple):
    """A rule of a tensor about an earlier one of the same operator, or of itself alone (field None)."""
    field: Optional[str]
    what: Tuple[str, ...]
    below: Optional[str]


class Field:
    """A field of a descriptor.

    Attributes:
        name: as in the struct, "ATensor" for example.
        kind: "input", "output" or "attribute".
        type: how it is stored: "TENSOR_DESC", "UINT", .. of VkdmlFieldType.
        optional: whether it may be left out, at the newest feature level.
        enumerators: of enumerations, values by short name.
        count_field, type_field: the names of the fields with an array's length and a scalar's type, or None.
        default: what it is where it is left out, or REQUIRED.
        support: of tensors, types and dimension counts by feature level, newest first; `types`, `least` and `most` are
            those of the newest.
        agreements: of tensors, in what it must agree with others.
    """

    def __init__(self, operator: str, row: Any, rows: Any):
        self.name: str = row.name.decode()
        self.kind, self.type, self.offset = KINDS[row.kind], FIELD_TYPES[row.type], row.offset
        self.optional = bool(row.optional) and row.optionalSince <= NEWEST_LEVEL
        self.count_field: Any = rows[row.countField].name.decode() if row.countField != NONE else None
        self.type_field: Any = rows[row.typeField].name.decode() if row.typeField != NONE else None
        self.enumerators: Dict[str, int] = {}
        self.prefix = ""
        if row.enumeration:
            enumeration = row.enumeration.contents
            self.prefix = enumeration.name.decode() + "_"
            self.enumerators = {short(entry.name.decode(), self.prefix): entry.value
                                for entry in enumeration.enumerators[:enumeration.enumeratorCount]}
        self.support = tuple(Support(level_name(entry.level), entry.minDimensionCount, entry.maxDimensionCount,
                                     tuple(name for i, name in enumerate(TYPES) if entry.dataTypes >> i & 1))
                             for entry in row.support[:row.supportCount])
        newest = self.support[0] if self.support else Support("", 0, 0, ())
        self.least, self.most, self.types = newest.least, newest.most, newest.types
        self.agreements = tuple(
            Agreement(rows[entry.field].name.decode() if entry.field != NONE else None,
                      tuple(name for i, name in enumerate(AGREEMENTS) if entry.what >> i & 1),
                      level_name(entry.below) if entry.below else None)
            for entry in row.agreements[:row.agreementCount])
        self.default: Any = REQUIRED if self.kind != "attribute" else default_of(operator, self)

    @property
    def is_tensor(self) -> bool:
        return self.kind != "attribute"

    def in_words(self) -> str:
        """What may be given for it."""
        if self.is_tensor:
            dimensions = f"{self.least} to {self.most}" if self.least != self.most else str(self.least)
            what = "tensors" if self.type == "TENSOR_DESC_ARRAY" else "tensor"
            return f"{what}: {' '.join(self.types)}; {dimensions} dimensions"
        return " | ".join(self.enumerators) if self.enumerators else IN_WORDS[self.type]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}: {self.in_words()}>"


class Operator:
    """A row of the operator table. str() of it is a page: its fields, what they take, their defaults.

    Attributes:
        name: without its prefix, "GEMM" for example.
        fields: Field objects, in the struct's order.
        introduced, fusable_since: feature levels, as "6_4"; fusable_since is None where it cannot be fused.
        fusable_into: the one operator that it can be fused into, None: all that fuse.
        accuracy, ulp, bound: "EXACT", "ULP" with ulp, or "SUM" with the bound in words, and as numbers in the next three.
        of_terms: the roundings of 2^-24 of the terms' magnitudes together, (fixed, per term) pairs of which the least holds.
        of_result, of_one: the same of the result itself, a pair, and of 1.
        of_integers: how far integers may be off.
    """

    def __init__(self, row: Any):
        self.type, self.size = row.type, row.descSize
        self.name: str = short(row.name.decode(), "DML_OPERATOR_")
        rows = row.fields[:row.fieldCount]
        self.fields = tuple(Field(self.name, field, rows) for field in rows)
        self.introduced = level_name(row.introduced)
        self.fusable_since = level_name(row.fusableSince) if row.fusableSince else None
        self.fusable_into: Optional[str] = (
            short(_library.library().GetOperatorName(row.fusableInto).decode(), "DML_OPERATOR_")
            if row.fusableInto else None)
        self.accuracy, self.ulp = ACCURACIES[row.accuracy.kind], row.accuracy.ulp
        self.bound = row.accuracy.what.decode() if row.accuracy.what else None
        self.of_terms = tuple((of.fixed, of.perTerm) for of in row.accuracy.ofTerms[:row.accuracy.ofTermsCount])
        self.of_result = (row.accuracy.ofResult.fixed, row.accuracy.ofResult.perTerm)
        self.of_one, self.of_integers = row.accuracy.absolute, row.accuracy.ofIntegers

    def field(self, name: str) -> Field:
        """The field of that name; TypeError where there is none."""
        for field in self.fields:
            if field.name == name:
                return field
        raise TypeError(f"{self.name} has no field {name}" + did_you_mean(name, [f.name for f in self.fields]))

    def fields_of(self, kind: str) -> List[Field]:
        return [field for field in self.fields if field.kind == kind]

    def __str__(self) -> str:
        accuracy = self.bound or (f"within {self.ulp} ULP" if self.ulp else "exact")
        lines = [f"{self.name} (since {self.introduced}): {accuracy}"]
        for field in self.fields:
            note = ""
            if field.is_tensor:
                note = ", optional" if field.optional else ""
            elif field.default is not REQUIRED:
                note = f", default {field.default}"
            lines.append(f"  {field.name} ({field.kind}{note}): {field.in_words()}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<operator {self.name}>"


def short(name: str, prefix: str) -> str:
    return name[len(prefix):] if name.startswith(prefix) else name


def did_you_mean(name: str, names: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(names), 1)
    return f"; did you mean {close[0]}?" if close else ""


def operator_meant(name: str) -> str:
    """The same for an operator, of which people write the end (relu, exp) or the beginning (conv2d)."""
    likely = [full for full in table() if full.endswith("_" + name)]
    if not likely and not did_you_mean(name, table()):
        likely = [full for full in table() if full.startswith(name.rstrip("0123456789D"))]
    return f"; did you mean {min(likely, key=len)}?" if likely else did_you_mean(name, table())


def level_name(level: int) -> str:
    return f"{level >> 12}_{level >> 8 & 15}"


def level_value(level: Union[str, int, None]) -> int:
    """A feature level from "6_4", "DML_FEATURE_LEVEL_6_4" or its number; 0, the newest, from None."""
    if level is None:
        return 0
    value = level
    if isinstance(level, str):
        major, _, minor = short(level, "DML_FEATURE_LEVEL_").partition("_")
        value = int(major) << 12 | int(minor) << 8 if major.isdigit() and minor.isdigit() else -1
    if value and not _library.library().GetFeatureLevelName(value):
        raise ValueError(f"{level} is no feature level: they are 1_0, 2_0, .. 6_4")
    return int(value)


@lru_cache(maxsize=None)
def table() -> Dict[str, Operator]:
    library = _library.library()
    rows = [Operator(library.GetOperatorSchemaAt(i).contents) for i in range(library.GetOperatorSchemaCount())]
    return {row.name: row for row in sorted(rows, key=lambda row: row.name)}


def operators() -> List[str]:
    """The names of the operators that the library implements, sorted, without DML_OPERATOR_."""
    return list(table())


def schema(operator: Union[str, Operator]) -> Operator:
    """An operator's row of the table, by its name, with DML_OPERATOR_ or without. print() shows its fields."""
    if isinstance(operator, Operator):
        return operator
    if not isinstance(operator, str):
        raise TypeError(f"the operator is {operator!r}, must be its name: \"GEMM\", \"ACTIVATION_RELU\"; "
                        "vkdml.operators() lists them")
    name = short(operator.upper(), "DML_OPERATOR_")
    if name in table():
        return table()[name]
    raise ValueError(f"{operator} is no operator" + (operator_meant(name) or "; vkdml.operators() lists them"))
