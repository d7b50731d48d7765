"""Makes a page for each operator of the site: what it computes, its descriptor, what its tensors may be at which level,
how exact it is, and an example as a model and in Python, run on the CPU reference.

It is put together from the header, from docs/operators/ and from what the vkdml command and the Python module say.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LIST = re.compile(r"^\*\*Operators\*\*: ([A-Z0-9_,\s]+)\.$", re.MULTILINE)
HEADING = re.compile(r"^## ([A-Z][A-Z0-9_]+(?:, [A-Z][A-Z0-9_]+)*)$", re.MULTILINE)
ROW = re.compile(r"DML_OPERATOR_(\w+) \(since (\w+), (?:to fuse since ([^,]+), )?(EXACT|ULP\(\d+\)|SUM: .*)\)")
WORST = "\n## Worst error found\n\n"


def page_of(operator):
    """The name that Doxygen knows its page by."""
    return "operator_" + operator.lower()


class Family:
    """A page of docs/operators/."""

    def __init__(self, path):
        self.path = path
        text = path.read_text()
        self.title = text.split("\n", 1)[0].lstrip("# ")
        listed = LIST.search(text)
        self.operators = re.split(r",\s+", listed.group(1)) if listed else []
        body, _, worst = text.partition(WORST)
        parts = HEADING.split(body)
        sections = [(names.split(", "), text.strip()) for names, text in zip(parts[1::2], parts[2::2])]
        self.remarks = {name: text for names, text in sections for name in names}
        self.named = [name for names in parts[1::2] for name in names.split(", ")]
        self.general = (body[:HEADING.search(body).start()] if self.named else body).rstrip() + "\n"
        self.tables = re.findall(r"((?:^[^|\n].*\n)+)\n^(\|.*\n\|[-|]+\n)((?:^\|.*\n)+)", worst + "\n", re.MULTILINE)

    def worst(self, operator):
        """What the tables of errors say of it: a row's first cell names operators, or the header's does."""
        text = ""
        for note, header, rows in self.tables:
            first = operators_in(header.split("|")[1])
            own = [row for row in rows.splitlines() if operator in (first or operators_in(row.split("|")[1]))]
            if own:
                text += f"\n**Worst error found.** {note.strip()}\n\n{header}" + "\n".join(own) + "\n"
        return text


def operators_in(cell):
    return re.findall(r"\b[A-Z][A-Z0-9_]{3,}\b", cell)


def families(root):
    return [Family(path) for path in sorted((root / "docs/operators").glob("*.md"))]


def table_of(command):
    """{operator: (since, fused since or None, accuracy, [(tensor, input or output, [(level, dimensions, types)])])}"""
    lines = subprocess.run([command, "operators"], capture_output=True, text=True, check=True).stdout.splitlines()
    table, tensors = {}, []
    for line in lines:
        row = ROW.fullmatch(line)
        tensor = re.fullmatch(r"  (\w+) \((.*)\)", line)
        support = re.fullmatch(r"    (\w+): ([\d to]+) dimensions, (.*)", line)
        if row:
            tensors = []
            table[row.group(1)] = (*row.groups()[1:], tensors)
        elif tensor:
            tensors.append((*tensor.groups(), []))
        elif support:
            tensors[-1][2].append(support.groups())
    return table


def declarations(root):
    """{operator: (the comment's text, the struct)}, from dml_operators.h."""
    text = (root / "include/vkdml/dml_operators.h").read_text()
    found = {}
    pattern = r"/\*\*((?:(?!\*/).)*)\*/\n(typedef struct DML_(\w+)_OPERATOR_DESC \{.*?\n\} \w+;)"
    for comment, struct, name in re.findall(pattern, text, re.DOTALL):
        lines = [re.sub(r"^ ?\* ?", "", line.strip("\n")) for line in comment.strip(" \n").split("\n")]
        text = re.sub(r"^DML_OPERATOR_\w+( \(\w+\))?: ", "", "\n".join(lines).strip())
        found[name] = (text[0].upper() + text[1:] if not text.startswith("out") else text, struct.replace("/**<", "/*"))
    found["SCATTER_ELEMENTS"] = found["SCATTER"]
    return found


# ---- examples ----

def without_comments(model):
    """The JSON of a template: its comments and trailing commas are what json does not read."""
    text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*', lambda match: match.group(1) or "", model)
    return json.loads(re.sub(r",(\s*[}\]])", r"\1", text))


def array_of(resource, sizes):
    """NumPy's words for what a resource holds."""
    dtype, values = f"np.{resource['initialValuesDataType'].lower()}", resource["initialValues"]
    shape = ", ".join(map(str, sizes))
    if isinstance(values, list):
        made = f"np.array({values}, {dtype})"
    elif "random" in values:
        made = f"np.linspace({values['min']}, {values['max']}, {values['valueCount']}, dtype={dtype})"
    else:
        first, step = values["valueStart"], values["valueDelta"]
        made = f"np.arange({first}, {first + step * values['valueCount']}, {step}, {dtype})"
    return f"{made}.reshape({shape})" if len(sizes) > 1 else made


def tensor_field(desc, resource):
    if resource["initialValues"] == "deferred":
        return f"({tuple(desc['Sizes'])}, {desc['DataType']!r})"
    return array_of(resource, desc["Sizes"])


def activation_of(value):
    """One to fuse: its name, with its attributes where it has some."""
    name, attributes = value["Type"], {field: number for field, number in value.items() if field != "Type"}
    return (name, attributes) if attributes else name


def attribute_of(value):
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return repr([activation_of(one) for one in value])
    if isinstance(value, dict):
        return repr(tuple(value.values()))
    return repr(value)


def fields_of(model):
    """[(field, its text in Python, whether it is an output)]"""
    (dispatchable,) = model["dispatchables"].values()
    bindings = model["commands"][0]["bindings"]
    fields = []
    for name, value in dispatchable["desc"].items():
        if value is None:
            continue
        tensors = value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
        if isinstance(tensors[0], dict) and "Sizes" in tensors[0]:
            bound = bindings[name] if isinstance(bindings[name], list) else [bindings[name]]
            texts = [tensor_field(desc, model["resources"][resource]) for desc, resource in zip(tensors, bound)]
            text = f"[{', '.join(texts)}]" if tensors is value else texts[0]
            fields.append((name, text, name.startswith("Output")))
        else:
            fields.append((name, attribute_of(value), False))
    return fields


def call_of(operator, fields):
    indent = "\n" + " " * len("vkdml.run(")
    arguments = f",{indent}".join(f"{name}={text}" for name, text, _ in fields)
    return f'vkdml.run("{operator}",{indent}{arguments})'


class Python:
    """Runs calls of the module."""

    def __init__(self, root, library):
        sys.path.insert(0, str(root / "python"))
        os.environ["VKDML_LIBRARY"] = str(library)
        try:
            import numpy
        except ImportError:
            sys.exit("the operators' pages need NumPy: install it (Debian: python3-numpy)")
        import vkdml
        numpy.set_printoptions(threshold=sys.maxsize, linewidth=100)
        self.names = {"np": numpy, "vkdml": vkdml}

    def printed(self, call):
        """What the interpreter prints, or None where it raises."""
        try:
            return repr(eval(call[:-1] + ', device="reference")', self.names))  # what it evaluates is made above
        except Exception:
            return None

    def example(self, operator, fields):
        """The shortest call that gives the same: (call, what it prints)"""
        wanted = self.printed(call_of(operator, fields))
        if wanted is None:
            raise RuntimeError(f"{operator}: the example fails:\n{call_of(operator, fields)}")
        for field in sorted(fields, key=lambda field: not field[2]):
            fewer = [other for other in fields if other is not field]
            if fewer and self.printed(call_of(operator, fewer)) == wanted:
                fields = fewer
        return call_of(operator, fields), wanted


def model_example(command, operator):
    """(a model, what it prints on the reference)"""
    text = subprocess.run([command, "template", operator], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.json")
        path.write_text(text)
        run = subprocess.run([command, "run", "-a", "reference", path], capture_output=True, text=True, check=True)
        printed = run.stdout
    return text, printed[printed.index("Resource"):]


# ---- pages ----

def fenced(text, language="{.unparsed}"):
    return f"```{language}\n{text.strip()}\n```\n"


def tensors_table(tensors):
    """Tensors that are alike share their rows."""
    alike = {}
    for name, _, supports in tensors:
        alike.setdefault(tuple(supports), []).append(name)
    text = "| tensor | from level | dimensions | types |\n|---|---|---|---|\n"
    for supports, names in alike.items():
        for level, dimensions, types in reversed(supports):
            text += f"| {', '.join(names)} | {level} | {dimensions} | {types.replace(' ', ', ')} |\n"
    return text


ACCURACIES = {
    "EXACT": "**EXACT**: every device gives the bits of the CPU reference.",
    "ULP": "**{0}**: every device gives the bits of the CPU reference; FLOAT32 results are within {1} units in the "
           "last place of the exact value, FLOAT16 results within 1.",
    "SUM": "**SUM**: {0}.",
}


def accuracy_of(accuracy, worst):
    kind = re.match(r"[A-Z]+", accuracy).group()
    arguments = {"EXACT": (), "ULP": (accuracy, re.sub(r"\D", "", accuracy)),
                 "SUM": (accuracy[5:].replace("*", "\\*"),)}
    text = ACCURACIES[kind].format(*arguments[kind]) + "\n"
    return text + worst


class Operators:
    def __init__(self, root, command, library):
        self.root, self.command = root, command
        self.families, self.table, self.declared = families(root), table_of(command), declarations(root)
        self.family = {name: family for family in self.families for name in family.operators}
        self.python = Python(root, library)

    def text(self, site, operator):
        """The page, as Doxygen reads it. `site` has what turns a page's prose."""
        since, fused, accuracy, tensors = self.table[operator]
        comment, struct = self.declared[operator]
        family, name = self.family[operator], page_of(operator)
        model, model_prints = model_example(self.command, operator)
        call, prints = self.python.example(operator, fields_of(without_comments(model)))
        intro = f"Since feature level {since}" + (f"; other operators fuse it since {fused}." if fused else ".")
        remarks = site.prose(family.path, family.remarks.get(operator, ""))
        worst = site.prose(family.path, family.worst(operator))
        related = f"What its whole family has in common: \\ref {site.page_name(family.path)}."
        parts = [f"# {operator} {{#{name}}}", intro,
                 f"## What it computes {{#{name}_computes}}", comment, remarks, related,
                 f"## Descriptor {{#{name}_descriptor}}", fenced(struct, "{.c}"),
                 f"## Tensors {{#{name}_tensors}}", tensors_table(tensors),
                 f"## Accuracy {{#{name}_accuracy}}", accuracy_of(accuracy, worst),
                 f"## Example {{#{name}_example}}",
                 f"As a model, which `vkdml template {operator}` prints and `vkdml run` runs:", fenced(model),
                 "It prints:", fenced(model_prints),
                 f"## In Python {{#{name}_python}}",
                 fenced("import numpy as np\nimport vkdml\n\n" + call, "{.py}"), "The result:", fenced(prints)]
        return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"
