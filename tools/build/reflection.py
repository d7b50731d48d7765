"""What a SPIR-V module says of itself: its parameter block, its specialization constants, what it writes; and names left out."""

import dataclasses
import re
import struct

HEADER_WORDS = 5
MAGIC = 0x07230203

# Opcodes
SOURCE, SOURCE_EXTENSION, NAME, MEMBER_NAME, STRING, LINE, NO_LINE, MODULE_PROCESSED = 3, 4, 5, 6, 7, 8, 317, 330
OF_DEBUGGING = {SOURCE, SOURCE_EXTENSION, NAME, MEMBER_NAME, STRING, LINE, NO_LINE, MODULE_PROCESSED}
TYPE_INT, TYPE_VECTOR, TYPE_ARRAY, TYPE_STRUCT, TYPE_POINTER, CONSTANT, VARIABLE = 21, 23, 28, 30, 32, 43, 59
DECORATE, MEMBER_DECORATE = 71, 72
# Decorations
SPEC_ID, ARRAY_STRIDE, NON_WRITABLE, BINDING, OFFSET = 1, 6, 24, 33, 35
UNIFORM = 2  # storage class


def words_of(code):
    words = struct.unpack(f"<{len(code) // 4}I", code)
    if not words or words[0] != MAGIC:
        raise ValueError("not a SPIR-V module")
    return words


def instructions(words):
    """Each instruction's opcode, and its words after the first."""
    at = HEADER_WORDS
    while at < len(words):
        count = words[at] >> 16
        yield words[at] & 0xFFFF, words[at + 1 : at + count]
        at += count


def text_of(words):
    return struct.pack(f"<{len(words)}I", *words).split(b"\0", 1)[0].decode()


@dataclasses.dataclass(frozen=True)
class Field:
    """Of a parameter block: numbers of 32 bits in vectors, of which there may be an array."""

    name: str
    offset: int  # bytes
    width: int  # of a vector; 1: no vector
    length: int  # of an array; 0: no array

    @property
    def size(self):
        return 4 * self.width * max(self.length, 1)


@dataclasses.dataclass
class Module:
    block: str  # name of the parameter block's type; "": the module has no block, or no names
    fields: tuple
    constants: dict  # of SpecId names; "" where the module has none
    written: int  # of buffers at bindings 1, 2, .. bit 0, 1, ..: whether some member of its struct may be written


def read(code):
    """The Module of a file's bytes."""
    names, members, types, offsets, strides = {}, {}, {}, {}, {}
    bindings, variables, spec_ids, read_only, numbers = {}, {}, {}, set(), {}
    for opcode, operands in instructions(words_of(code)):
        if opcode == NAME:
            names.setdefault(operands[0], text_of(operands[1:]))  # others are of constants that are the same
        elif opcode == MEMBER_NAME:
            members[operands[0], operands[1]] = text_of(operands[2:])
        elif opcode == DECORATE and operands[1] == BINDING:
            bindings[operands[0]] = operands[2]
        elif opcode == DECORATE and operands[1] == SPEC_ID:
            spec_ids[operands[0]] = operands[2]
        elif opcode == DECORATE and operands[1] == ARRAY_STRIDE:
            strides[operands[0]] = operands[2]
        elif opcode in (DECORATE, MEMBER_DECORATE) and operands[opcode - DECORATE + 1] == NON_WRITABLE:
            read_only.add(operands[0])
        elif opcode == MEMBER_DECORATE and operands[2] == OFFSET:
            offsets[operands[0], operands[1]] = operands[3]
        elif opcode in (TYPE_INT, TYPE_VECTOR, TYPE_ARRAY, TYPE_STRUCT, TYPE_POINTER):
            types[operands[0]] = opcode, operands[1:]
        elif opcode == CONSTANT:
            numbers[operands[1]] = operands[2]
        elif opcode == VARIABLE:
            variables[operands[1]] = operands[0]

    def field(block, number, kind):
        length, width = 0, 1
        if types[kind][0] == TYPE_ARRAY:
            stride = strides[kind]
            kind, length = types[kind][1][0], numbers[types[kind][1][1]]
        if types[kind][0] == TYPE_VECTOR:
            kind, width = types[kind][1]
        name = members.get((block, number), "")
        if types[kind] != (TYPE_INT, (32, 0)) or length and stride != 4 * width:
            raise ValueError(f"{name}: a parameter block has numbers of type uint alone, their vectors, and arrays of uvec4")
        return Field(name, offsets[block, number], width, length)

    block, fields = "", ()
    written = 0
    for variable, binding in bindings.items():
        storage, pointed = types[variables[variable]][1]
        if storage == UNIFORM and binding == 0:
            block = names.get(pointed, "")
            fields = tuple(field(pointed, number, kind) for number, kind in enumerate(types[pointed][1]))
        elif binding > 0 and variable not in read_only and pointed not in read_only:
            written |= 1 << (binding - 1)
    return Module(block, fields, {number: names.get(name, "") for name, number in spec_ids.items()}, written)


def without_names(code, kept=frozenset()):
    """The module without what debuggers read, but for the names of some ids and their members."""
    words = words_of(code)
    out, named = list(words[:HEADER_WORDS]), set()
    for opcode, operands in instructions(words):
        is_first = opcode == NAME and operands[0] not in named
        if opcode == NAME:
            named.add(operands[0])
        if opcode not in OF_DEBUGGING or ((is_first or opcode == MEMBER_NAME) and operands[0] in kept):
            out += [opcode | (len(operands) + 1) << 16, *operands]
    return struct.pack(f"<{len(out)}I", *out)


def with_shared_names(code):
    """The module with the names that C shares with it and no others: those of its parameter block and constants."""
    types, variables, bindings, spec_ids = {}, {}, {}, set()
    for opcode, operands in instructions(words_of(code)):
        if opcode == DECORATE and operands[1] == BINDING:
            bindings[operands[0]] = operands[2]
        elif opcode == DECORATE and operands[1] == SPEC_ID:
            spec_ids.add(operands[0])
        elif opcode == TYPE_POINTER:
            types[operands[0]] = operands[1:]
        elif opcode == VARIABLE:
            variables[operands[1]] = operands[0]
    blocks = {types[variables[id]] for id, binding in bindings.items() if binding == 0}
    structs = {pointed for storage, pointed in blocks if storage == UNIFORM}
    return without_names(code, structs | spec_ids if structs else frozenset())


# A group of constants that C has from here, or has as well: a comment says so, and up to the first other line each is a number or a bit.
GROUP = re.compile(r"^// (In|As in) C: (?:enum (\w+), )?([A-Z_0-9]+)_\.\.\.(?:[.,:; ].*)?$")
NUMBER = re.compile(r"^const uint (\w+) = (0x[0-9A-Fa-f]+|\d+)u?;(?:\s*//\s*(.*))?$")
BIT = re.compile(r"^const bool (\w+) = \(\w+ & (0x[0-9A-Fa-f]+|\d+)u\) != 0;(?:\s*//\s*(.*))?$")


@dataclasses.dataclass
class Group:
    enum: str  # name of C's enum; "": it has none
    is_known: bool  # C has its enumerators already, which must agree
    numbers: dict  # of enumerators, by their names in C: the number, and what is said of it


def groups_of(text):
    """The groups of a source."""
    groups, group = [], None
    for line in text.splitlines():
        begins, entry = GROUP.match(line), NUMBER.match(line) or BIT.match(line)
        if begins:
            group, prefix = Group(begins[2] or "", begins[1] != "In", {}), begins[3]
            groups.append(group)
        elif group and entry:
            name = f"{prefix}_{entry[1]}"
            group.numbers[name] = int(entry[2], 0), entry[3] or ""
        elif group and group.numbers and re.match(r"\s+//", line):  # more of what is said of the last one
            number, said = group.numbers[name]
            group.numbers[name] = number, f"{said} {line.strip()[2:].strip()}"
        elif not line.startswith("//"):
            group = None
    return groups
