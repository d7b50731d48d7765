"""The library through ctypes: the operator table, and vkdmlReferenceExecute() on tensors in NumPy's memory.

Nothing here names an operator: descriptors are written field by field, where the table says that they lie.
"""
import ctypes
import struct
from ctypes import POINTER, Structure, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

import numpy as np

TYPES = ["UNKNOWN", "FLOAT32", "FLOAT16", "UINT32", "UINT16", "UINT8", "INT32", "INT16", "INT8", "FLOAT64", "UINT64",
         "INT64", "UINT4", "INT4"]
# Elements of 4 bits are held in bytes outside tensors.
DTYPES = {name: np.dtype({"UINT4": "uint8", "INT4": "int8"}.get(name, name.lower())) for name in TYPES[1:]}
BITS = {name: 4 if name.endswith("T4") and name in ("UINT4", "INT4") else 8 * DTYPES[name].itemsize
        for name in TYPES[1:]}
FLOATS = ("FLOAT32", "FLOAT16", "FLOAT64")

INPUT, OUTPUT, ATTRIBUTE = range(3)
(TENSOR_DESC, UINT, INT, FLOAT, ENUM, UINT_ARRAY, SCALE_BIAS, SCALAR_UNION, BOOL, INT_ARRAY, FLOAT_ARRAY, SIZE_2D,
 TENSOR_DESC_ARRAY, OPERATOR_DESC, OPERATOR_DESC_ARRAY) = range(15)
AGREE_TYPE, AGREE_DIMENSIONS, AGREE_SIZES, AGREE_SIZES_OR_ONE, AGREE_SIZES_DIVIDE, AGREE_ONE_ELEMENT = (
    1 << i for i in range(6))
NONE = 0xFFFFFFFF
NEWEST_LEVEL = 0x6400


class Enumerator(Structure):
    _fields_ = [("name", c_char_p), ("value", c_int32), ("introduced", c_int32)]


class Enumeration(Structure):
    _fields_ = [("name", c_char_p), ("count", c_uint32), ("enumerators", POINTER(Enumerator))]


class Support(Structure):
    _fields_ = [("level", c_int32), ("least", c_uint32), ("most", c_uint32), ("types", c_uint32)]


class Agreement(Structure):
    _fields_ = [("field", c_uint32), ("what", c_uint32), ("below", c_int32)]


class FieldSchema(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int32), ("type", c_int32), ("offset", c_uint32), ("optional", c_uint32),
                ("optional_since", c_int32), ("enumeration", POINTER(Enumeration)), ("count_field", c_uint32),
                ("type_field", c_uint32), ("support", POINTER(Support)), ("support_count", c_uint32),
                ("agreements", POINTER(Agreement)), ("agreement_count", c_uint32), ("may_alias", c_uint32),
                ("binding_index", c_uint32)]


class Accuracy(Structure):
    _fields_ = [("kind", c_int32), ("ulp", c_uint32), ("what", c_char_p)]


class OperatorSchema(Structure):
    _fields_ = [("type", c_int32), ("name", c_char_p), ("introduced", c_int32), ("desc_size", c_uint32),
                ("field_count", c_uint32), ("fields", POINTER(FieldSchema)), ("input_count", c_uint32),
                ("output_count", c_uint32), ("fusable_since", c_int32), ("accuracy", Accuracy)]


class BufferTensorDesc(Structure):
    _fields_ = [("data_type", c_int32), ("flags", c_int32), ("dimension_count", c_uint32), ("sizes", c_void_p),
                ("strides", c_void_p), ("total_size", c_uint64), ("alignment", c_uint32)]


class TensorDesc(Structure):
    _fields_ = [("type", c_int32), ("desc", c_void_p)]


class OperatorDesc(Structure):
    _fields_ = [("type", c_int32), ("desc", c_void_p)]


class HostBinding(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class ReferenceInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("desc", POINTER(OperatorDesc)), ("level", c_int32), ("flags", c_uint32), ("input_count", c_uint32),
                ("inputs", POINTER(HostBinding)), ("output_count", c_uint32), ("outputs", POINTER(HostBinding))]


class Field:
    """A field of a row, as Python has it."""

    def __init__(self, schema):
        self.name, self.kind, self.type, self.offset = schema.name.decode(), schema.kind, schema.type, schema.offset
        self.optional = bool(schema.optional) and schema.optional_since <= NEWEST_LEVEL
        self.count_field, self.type_field = schema.count_field, schema.type_field
        self.enumerators = {}
        if schema.enumeration:
            enumeration = schema.enumeration.contents
            prefix = enumeration.name.decode() + "_"
            for entry in enumeration.enumerators[:enumeration.count]:
                self.enumerators[entry.name.decode().removeprefix(prefix)] = entry.value
        if schema.support_count:
            newest = schema.support[0]
            self.least, self.most = newest.least, newest.most
            self.types = [name for i, name in enumerate(TYPES) if newest.types >> i & 1]
        self.rules = [(rule.field, rule.what) for rule in schema.agreements[:schema.agreement_count] if not rule.below]


class Operator:
    """A row of the operator table."""

    def __init__(self, schema):
        self.type, self.name, self.size = schema.type, schema.name.decode().removeprefix("DML_OPERATOR_"), schema.desc_size
        self.fields = [Field(field) for field in schema.fields[:schema.field_count]]
        self.fusable = bool(schema.fusable_since)
        self.ulp = schema.accuracy.ulp
        self.accuracy = ["EXACT", f"ULP({self.ulp})", "SUM"][schema.accuracy.kind]

    def fields_of(self, kind):
        return [field for field in self.fields if field.kind == kind]


class Tensor:
    """Elements in memory: of a type, sizes and strides, with bytes before, between and behind them that are no element's."""

    def __init__(self, type_, sizes, strides, values=None, random=None):
        self.type, self.sizes, self.strides = type_, tuple(sizes), tuple(strides)
        places = np.zeros((), np.int64)
        for size, stride in zip(self.sizes, self.strides):
            places = np.add.outer(places, np.arange(size, dtype=np.int64) * stride)
        self.places = places
        self.span = int(places.max()) + 1
        self.total = -(-self.span * BITS[type_] // 32) * 4  # whole words, as DirectML counts them
        # uint64: vkdml wants memory aligned to the element.
        self.memory = (random.integers(0, 2**63, self.total // 8 + 2, dtype=np.uint64) if random is not None
                       else np.zeros(self.total // 8 + 2, np.uint64))
        if values is not None:
            self.write(values)

    def write(self, values):
        if BITS[self.type] == 4:
            data = self.memory.view(np.uint8)
            nibbles = np.stack([data & 15, data >> 4], 1).reshape(-1)
            nibbles[self.places] = values.view(np.uint8) & 15
            data[:] = nibbles[0::2] | nibbles[1::2] << 4
        else:
            self.memory.view(DTYPES[self.type])[self.places] = values

    def read(self):
        if BITS[self.type] == 4:
            data = self.memory.view(np.uint8)
            nibbles = np.stack([data & 15, data >> 4], 1).reshape(-1)[self.places]
            return (nibbles.astype(np.int8) ^ 8) - 8 if self.type == "INT4" else nibbles
        return self.memory.view(DTYPES[self.type])[self.places]

    def broadcast(self):
        """The elements, of dimensions that a stride of 0 repeats the first only: what a peer would be given."""
        return self.read()[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in self.strides)]

    def others(self):
        """What lies beside the elements."""
        rest = Tensor.__new__(Tensor)
        rest.__dict__.update(self.__dict__, memory=self.memory.copy())
        rest.write(np.zeros(self.sizes, DTYPES[self.type]))
        return rest.memory


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.vkdmlGetOperatorSchemaAt.restype = POINTER(OperatorSchema)
        self.lib.vkdmlGetErrorMessage.restype = c_char_p
        count = self.lib.vkdmlGetOperatorSchemaCount()
        rows = [Operator(self.lib.vkdmlGetOperatorSchemaAt(c_uint32(i)).contents) for i in range(count)]
        self.operators = {row.name: row for row in sorted(rows, key=lambda row: row.name)}

    def describe(self, operator, tensors, attributes, keep):
        """A descriptor in memory; `keep` gets what it points to."""
        desc = ctypes.create_string_buffer(max(operator.size, 8))
        keep.append(desc)
        values = {}

        def put(field, format_, *what):
            struct.pack_into(format_, desc, field.offset, *what)

        def put_pointer(field, thing):
            keep.append(thing)
            put(field, "P", ctypes.addressof(thing))

        for field in operator.fields:
            value = values[field.name] = (attributes if field.kind == ATTRIBUTE else tensors).get(field.name)
            if value is None:
                continue  # NULL, or 0
            if field.type in (TENSOR_DESC, TENSOR_DESC_ARRAY):
                list_ = value if isinstance(value, list) else [value]
                put_pointer(field, (TensorDesc * len(list_))(*[self.describe_tensor(t, keep) for t in list_]))
            elif field.type == ENUM:
                put(field, "i", field.enumerators[value])
            elif field.type == UINT:
                put(field, "I", value)
            elif field.type in (INT, BOOL):
                put(field, "i", value)
            elif field.type == FLOAT:
                put(field, "f", value)
            elif field.type == SIZE_2D:
                put(field, "II", *value)  # Width, Height
            elif field.type == UINT_ARRAY:
                put_pointer(field, (c_uint32 * len(value))(*value))
            elif field.type == INT_ARRAY:
                put_pointer(field, (c_int32 * len(value))(*value))
            elif field.type == FLOAT_ARRAY:
                put_pointer(field, (ctypes.c_float * len(value))(*value))
            elif field.type == SCALE_BIAS:
                put_pointer(field, (ctypes.c_float * 2)(*value))
            elif field.type == SCALAR_UNION:
                desc[field.offset:field.offset + 8] = value.tobytes().ljust(8, b"\xa5")
            elif field.type == OPERATOR_DESC:
                fused, fused_attributes = value
                inner = self.describe(fused, {}, fused_attributes, keep)
                put_pointer(field, OperatorDesc(fused.type, ctypes.addressof(inner)))
            else:
                raise NotImplementedError(f"{operator.name}.{field.name}")
        return desc

    def describe_tensor(self, tensor, keep):
        sizes, strides = (c_uint32 * len(tensor.sizes))(*tensor.sizes), (c_uint32 * len(tensor.sizes))(*tensor.strides)
        desc = BufferTensorDesc(TYPES.index(tensor.type), 0, len(tensor.sizes), ctypes.addressof(sizes),
                                ctypes.addressof(strides), tensor.total, 0)
        keep += [sizes, strides, desc]
        return TensorDesc(1, ctypes.addressof(desc))

    def execute(self, operator, tensors, attributes):
        """None, or why the library refuses."""
        keep = []
        desc = self.describe(operator, tensors, attributes, keep)
        op = OperatorDesc(operator.type, ctypes.addressof(desc))

        def bindings(kind):
            bound = []
            for field in operator.fields_of(kind):
                value = tensors.get(field.name)
                for tensor in value if isinstance(value, list) else [value]:
                    bound.append(HostBinding(tensor.memory.ctypes.data, tensor.total) if tensor else HostBinding())
            return len(bound), (HostBinding * max(len(bound), 1))(*bound)

        info = ReferenceInfo(ctypes.sizeof(ReferenceInfo), ctypes.pointer(op), 0, 0, *bindings(INPUT), *bindings(OUTPUT))
        if self.lib.vkdmlReferenceExecute(ctypes.byref(info)) == 0:
            return None
        return self.lib.vkdmlGetErrorMessage().decode()
