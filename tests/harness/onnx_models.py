"""Writes small ONNX models with nothing but Python: the messages of onnx.proto that tests need."""
import struct

FLOAT, UINT8, INT8, INT32, INT64, BOOL, FLOAT16, BFLOAT16 = 1, 2, 3, 6, 7, 9, 10, 16
FORMATS = {FLOAT: "f", UINT8: "B", INT8: "b", INT32: "i", INT64: "q", BOOL: "B", FLOAT16: "e"}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(name, type_, sizes, values):
    """TensorProto, with raw data."""
    raw = struct.pack(f"<{len(values)}{FORMATS[type_]}", *values)
    return b"".join(number(1, size) for size in sizes) + number(2, type_) + text(8, name) + text(9, raw)


def value_info(name, type_, sizes):
    """ValueInfoProto; a size that is a text is a name, one that is None is open. sizes None: no shape."""
    shape = b""
    if sizes is not None:
        shape = text(2, b"".join(text(1, b"" if size is None else text(2, size) if isinstance(size, str) else number(1, size))
                                 for size in sizes))
    return text(1, name) + text(2, text(1, number(1, type_) + shape))


def attribute(name, value):
    """An int, a float, a text, or a list of one of these."""
    if isinstance(value, int):
        return text(1, name) + number(3, value) + number(20, 2)
    if isinstance(value, float):
        return text(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, str):
        return text(1, name) + text(4, value) + number(20, 3)
    if value and isinstance(value[0], float):
        return text(1, name) + text(7, struct.pack(f"<{len(value)}f", *value)) + number(20, 6)
    if value and isinstance(value[0], str):
        return text(1, name) + b"".join(text(9, item) for item in value) + number(20, 8)
    return text(1, name) + b"".join(number(8, item) for item in value) + number(20, 7)


def node(op, inputs, outputs, name="", domain="", **attributes):
    return (b"".join(text(1, item) for item in inputs) + b"".join(text(2, item) for item in outputs) + text(3, name) +
            text(4, op) + b"".join(text(5, attribute(*item)) for item in attributes.items()) + text(7, domain))


def model(nodes, inputs, outputs, constants=(), values=(), name="net", opset=17):
    """ModelProto; inputs, outputs and values are value_info()s, constants tensor()s."""
    graph = b"".join(text(1, item) for item in nodes) + text(2, name) + b"".join(text(5, item) for item in constants)
    for field, infos in ((11, inputs), (12, outputs), (13, values)):
        graph += b"".join(text(field, info) for info in infos)
    opsets = text(8, number(2, opset)) + text(8, text(1, "com.microsoft") + number(2, 1))
    return number(1, 8) + opsets + text(7, graph)
