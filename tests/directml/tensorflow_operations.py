#!/usr/bin/env python3
"""Runs TensorFlow's operations by tensorflow-directml-plugin and compares them with the CPU. Prints TAP.

tensorflow_operations.py [--json FILE] [--seconds N] [TEXT..]

The cases are those of tensorflow_cases.py, for each type for which the plugin has a kernel. Soft placement is off, so
TensorFlow does not move an operation to the CPU. A worker process runs the cases; if one ends or hangs it, only that
case fails. TEXT: only operations whose name contains it. A case is
  right      all results are the CPU's within rounding; random numbers: the same mean and deviation
  no kernel  the plugin has no kernel for the operation (skipped)
  no peer    TensorFlow's CPU cannot compute it (skipped)
  client     wrong, for a known reason in the plugin (skipped), see KNOWN
  wrong      anything else, a message of vkdml during a case included (VKDML_LOG)
Only `wrong` fails. TF_DIRECTML_PATH and LD_LIBRARY_PATH name the folder of vkdml's libraries.
"""
import argparse
import collections
import inspect
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import zlib

import numpy as np

import tensorflow_cases

TOLERANCE = {"float32": 4e-6, "float16": 4e-3}
FLOATS = ("float32", "float16")
REFERENCES = ("reads a reference variable by TF_GetInput(), which TensorFlow aborts", "!input_is_ref")
# Faults of the client: (operation, sample of its case): the types, what the plugin does, and a part of the reason. A case
# of this table that is right, or wrong for another reason, fails. "Source" is the plugin's source of its last version.
KNOWN = {
    ("AdjustHue", ""): (("float16",), "describes the FLOAT32 delta as FLOAT16 (source: DmlAdjustImageKernel)", "differ"),
    ("AdjustSaturation", ""): (("float16",), "describes the FLOAT32 scale as FLOAT16 (source: DmlAdjustImageKernel)", "differ"),
    ("ApplyAdam", "nesterov"): (FLOATS, "refuses use_nesterov", "use_nesterov is not supported"),
    ("ResourceApplyAdam", "nesterov"): (FLOATS, "refuses use_nesterov", "use_nesterov is not supported"),
    ("ApplyCenteredRMSProp", ""): (FLOATS, "asks for an attribute that the operation does not have", "use_nesterov"),
    ("ResourceApplyCenteredRMSProp", ""): (FLOATS, "asks for an attribute that the operation does not have", "use_nesterov"),
    ("BlockLSTM", "clipped"): (FLOATS, "clips the state by ELEMENT_WISE_CLIP from -1, not from -cell_clip", "differ"),
    ("ClipByValue", ""): (("int64", "int16", "int8", "uint8", "uint16"), "reads integer limits as FLOAT32", "differ"),
    ("CropAndResize", "middle"): (FLOATS, "passes ROI_ALIGN1 with NEAREST_NEIGHBOR and places in the middle of two elements: there "
                                  "TensorFlow takes the second, DirectML the first (the illustration of ROI_ALIGN_GRAD's page)", "differ"),
    ("CropAndResize", "outside"): (FLOATS, "passes ROI_ALIGN1 with places less than an element outside: DirectML's page refers to "
                                   "Mask R-CNN, which moves these onto the picture; TensorFlow takes extrapolation_value", "differ"),
    ("DataFormatDimMap", ""): (("int64",), "passes a GATHER of UINT8 whose output has a stride of 4 bytes, not of 8", "differ"),
    ("DepthwiseConv2dNativeBackpropFilter", "strided"): (
        FLOATS, "passes a forward CONVOLUTION with the strides as Strides; the gradient needs them as Dilations, and so the "
        "plugin passes them for Conv2DBackpropFilter", "differ"),
    ("DepthwiseConv2dNativeBackpropFilter", "dilated"): (FLOATS, "passes the dilations as Dilations, see \"strided\"", "differ"),
    ("LSTMBlockCell", "clipped"): (FLOATS, "clips the state by ELEMENT_WISE_CLIP from 0, not from -cell_clip", "differ"),
    ("LSTMBlockCellGrad", "peephole"): (
        FLOATS, "reduces the gradients of the peepholes by REDUCE along axis 0 of [1, 1, batch, cells], which leaves the batch, "
        "and binds buffers of [cells] for them", "GraphOutputs[2]: size is"),
    ("MatrixSetDiag", ""): (FLOATS + ("bool",), "states too few bytes for a tensor; Microsoft's library refuses them, too",
                            "TotalTensorSizeInBytes"),
    ("MatrixSetDiagV2", ""): (FLOATS + ("bool",), "states too few bytes for a tensor; Microsoft's library refuses them, too",
                              "TotalTensorSizeInBytes"),
    ("ScatterNd", "duplicates"): (FLOATS + ("int64",), "passes SCATTER_ND, which sets elements; TensorFlow adds up", "differ"),
    ("StatelessRandomUniformIntV2", ""): (("int64",), "reads limits on the host from inputs 2 and 3, which are on the device "
                                          "(source: RandomUniformInt64KernelSelector)", "the worker ended"),
    ("Where", ""): (("int64",), "passes INT64 to NONZERO_COORDINATES, which Microsoft's library refuses, too", "the worker ended"),
    ("_FusedConv2D", "LeakyRelu"): (FLOATS, "does not implement LeakyRelu here", "UnimplementedError"),
}
KNOWN.update({(name, ""): (FLOATS + ("int64",), *REFERENCES) for name in ("AssignAdd", "AssignSub")})
KNOWN.update({(name, ""): (FLOATS, *REFERENCES) for name in (
    "ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradV2 ApplyAddSign ApplyGradientDescent ApplyMomentum ApplyPowerSign "
    "ApplyRMSProp SparseApplyAdagrad SparseApplyAdagradV2").split()})


def flat(values):
    return [part for value in values for part in (value if isinstance(value, list) else [value])]


def plain(value):
    """A protocol buffer's AttrValue as Python has it."""
    kind = value.WhichOneof("value")
    if kind != "list":
        return getattr(value, kind)
    return flat([list(part) for _, part in value.list.ListFields()])


def transposed(array, order):
    return np.transpose(array, order) if getattr(array, "ndim", 0) == 4 else array


def renamed(given, function):
    """Python's names of the arguments instead of the definition's; both are in one order."""
    names = [name for name in inspect.signature(function).parameters if name not in given]
    return {name if name in inspect.signature(function).parameters else names.pop(0): value for name, value in given.items()}


class Runner:
    """Computes cases on a device. TensorFlow is imported only by the worker."""

    def __init__(self):
        import tensorflow as tf
        from tensorflow.python.framework import kernels, op_def_library, op_def_registry
        self.tf, self.apply, self.definition = tf, op_def_library.apply_op, op_def_registry.get
        tf.config.set_soft_device_placement(False)
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
        self.kernels = collections.defaultdict(list)  # of a kind of device and an operation: types by the attribute's name
        for kernel in kernels.get_all_registered_kernels().kernel:
            self.kernels[kernel.device_type, kernel.op].append(
                {constraint.name: {tf.as_dtype(kind).name for kind in constraint.allowed_values.list.type}
                 for constraint in kernel.constraint})

    def type_attributes(self, case):
        """The names of the attributes of the type under test and of the type of indices."""
        tested, index = None, None
        for argument, value in zip(self.definition(case.op).input_arg, case.inputs):
            for part in value if isinstance(value, list) else [value]:
                kind = getattr(part, "kind", "computed")
                name = argument.type_attr or argument.type_list_attr
                if isinstance(part, tensorflow_cases.Data) and part.variable:
                    name = {"dtype"} & {attr.name for attr in self.definition(case.op).attr} and "dtype" or "T"
                tested = (tested or name) if kind is None else tested
                index = (index or name) if kind == "index" else index
        for name, value in case.attrs.items():
            tested = tested or (name if isinstance(value, str) and value == "kind" else None)
        return tested, index

    def variants(self, case):
        """The pairs of types to test; none: there is no kernel."""
        numbers = ["float32", "float16", "int64", "bool", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64"]
        kernels = self.kernels["GPU", case.op]
        if not kernels:
            return [("float32", "int32")] if self.kernels["DEFAULT", case.op] else []
        tested, index = self.type_attributes(case)
        possible = [attr.allowed_values.list.type for attr in self.definition(case.op).attr if attr.name == tested]
        possible = {self.tf.as_dtype(kind).name for kind in possible[0]} if possible and possible[0] else set(numbers)
        if any(getattr(value, "variable", False) for value in case.inputs):
            variables = self.kernels[("DEFAULT", "VariableV2") if case.graph else ("GPU", "AssignVariableOp")]
            possible &= set().union(*(kernel["dtype"] for kernel in variables))
        if case.kinds is not None:
            possible &= set(case.kinds)

        def indices(kind):
            """The types of indices for which there is a kernel of a type."""
            found = [kernel.get(index, {"int32"}) for kernel in kernels if kind in kernel.get(tested, {"float32"})]
            found = set().union(*found) if index != tested else {"int32"} if found else set()
            return [name for name in ("int32", "int64") if name in found]
        pairs = [(kind, indices(kind)[0]) for kind in numbers if kind in possible and indices(kind)]
        return pairs + [(kind, "int64") for kind, _ in pairs[:1] if index and indices(kind) == ["int32", "int64"]]

    def arrays(self, case, kind, index):
        random, made = np.random.RandomState(zlib.crc32(f"{case.op}{kind}".encode())), []
        for value in case.inputs:
            parts = [part.make(random, kind, index, made) for part in (value if isinstance(value, list) else [value])]
            made.append(parts if isinstance(value, list) else parts[0])
        return made

    def attributes(self, case, kind):
        same = {"float16": "int16", "float32": "int32", "int64": "float64"}.get(kind, kind)
        named = {"kind": kind, "same": same}
        types = {attr.name for attr in self.definition(case.op).attr if attr.type == "type"}
        attrs = {name: self.tf.as_dtype(named.get(value, value)) if name in types else value for name, value in case.attrs.items()}
        if case.graph:  # apply_op() has no defaults
            for attr in self.definition(case.op).attr:
                if attr.HasField("default_value") and attr.name not in attrs:
                    attrs[attr.name] = plain(attr.default_value)
        return attrs

    def compute(self, case, arrays, attrs, device):
        """The results as arrays, and then the values of the variables."""
        arrays = [[part.copy() for part in array] if isinstance(array, list) else array.copy() for array in arrays]  # in-place operations
        names = [argument.name for argument in self.definition(case.op).input_arg]
        if case.graph:
            return self.compute_graph(case, dict(zip(names, arrays)), attrs, device)
        tf = self.tf
        with tf.device(device):
            variables, given = [], {}
            for name, value, array in zip(names, case.inputs, arrays):
                if getattr(value, "variable", False):
                    variables.append(tf.Variable(array))
                    given[name] = variables[-1].handle
                else:
                    given[name] = [tf.identity(part) for part in array] if isinstance(array, list) else tf.constant(array)
            function = getattr(tf.raw_ops, case.op)
            found = function(**renamed(given, function), **attrs)
            found = [] if found is None or isinstance(found, tf.Operation) else flat(found) if isinstance(found, (list, tuple)) else [found]
            found += [variable.read_value() for variable in variables]
        return [part.numpy() for part in found]

    def compute_graph(self, case, named, attrs, device):
        tf = self.tf
        with tf.Graph().as_default(), tf.device(device):
            variables, given, fed = [], {}, {}

            def place(array):
                made = tf.compat.v1.placeholder(array.dtype, array.shape)
                fed[made] = array
                return made
            for (name, array), value in zip(named.items(), case.inputs):
                if getattr(value, "variable", False):
                    variables.append(tf.compat.v1.get_variable(f"v{len(variables)}", array.shape, array.dtype, use_resource=False,
                                                               initializer=tf.compat.v1.zeros_initializer()))
                    variables[-1].load_value = array
                    given[name] = variables[-1]._ref()
                else:
                    given[name] = [place(part) for part in array] if isinstance(array, list) else place(array)
            loads = [tf.compat.v1.assign(variable, place(variable.load_value)) for variable in variables]
            with tf.control_dependencies(loads):
                given = {name: value for name, value in given.items()}
            found = self.apply(case.op, name="tested", **given, **attrs)
            found = list(found) if isinstance(found, (list, tuple)) else [found]
            with tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(allow_soft_placement=False)) as session:
                if variables:
                    session.run(loads, fed)
                    session.run([part.op for part in found], fed)
                    return session.run([variable.value() for variable in variables])
                return session.run(found, fed)

    def compute_without_dilation(self, case, arrays, attrs):
        """The CPU's results for a filter (or the sizes of one) with zeros between its elements."""
        arrays, attrs = list(arrays), dict(attrs)
        step = attrs.pop("dilations")[1]
        filter_ = arrays[1]
        if filter_.ndim == 1:
            arrays[1] = np.append((filter_[:2] - 1) * step + 1, filter_[2:]).astype(filter_.dtype)
            return [found[::step, ::step] for found in self.compute(case, arrays, attrs, "/CPU:0")]
        arrays[1] = np.zeros(tuple((size - 1) * step + 1 for size in filter_.shape[:2]) + filter_.shape[2:], filter_.dtype)
        arrays[1][::step, ::step] = filter_
        return self.compute(case, arrays, attrs, "/CPU:0")

    def expected(self, case, arrays, attrs, kind):
        """The CPU's results; a type that it lacks is computed in FLOAT32 or INT32."""
        order = lambda values, old, new: {name: [value[i] for i in new] if name in ("strides", "ksize") else value
                                          for name, value in values.items() if name != old}
        if attrs.get("dilations", [1, 1])[1] > 1:
            return self.compute_without_dilation(case, arrays, attrs)
        if case.nchw:
            back = [transposed(array, (0, 2, 3, 1)) if getattr(spec, "shape", (0,))[0] == 2 else array
                    for array, spec in zip(arrays, case.inputs)]
            found = self.compute(case, back, order(attrs, "data_format", (0, 2, 3, 1)), "/CPU:0")
            return [transposed(array, (0, 3, 1, 2)) for array in found]
        try:
            return self.compute(case, arrays, attrs, "/CPU:0")
        except (self.tf.errors.NotFoundError, self.tf.errors.InvalidArgumentError, self.tf.errors.UnimplementedError) as error:
            wider = {"float16": "float32", "uint8": "int32", "int8": "int32", "uint16": "int32", "int16": "int32"}.get(kind)
            if wider is None:
                raise error
        widen = lambda array: array.astype(wider) if array.dtype == kind else array
        wide = [[widen(part) for part in array] if isinstance(array, list) else widen(array) for array in arrays]
        attrs = {name: self.tf.as_dtype(wider) if value == self.tf.as_dtype(kind) else value for name, value in attrs.items()}
        return [array.astype(kind) if array.dtype == wider else array for array in self.compute(case, wide, attrs, "/CPU:0")]


def compare(case, found, expected, kind):
    """None, or the difference in words."""
    if len(found) != len(expected):
        return f"{len(found)} results, must be {len(expected)}"
    for number, (ours, theirs) in enumerate(zip(found[:case.outputs], expected)):
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return f"result {number} is {ours.dtype}{ours.shape}, must be {theirs.dtype}{theirs.shape}"
        exact = ours.dtype.kind != "f"
        ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
        if case.random:
            spread = theirs.std() * 0.08 + 1e-9
            if abs(ours.mean() - theirs.mean()) > spread or abs(ours.std() - theirs.std()) > spread:
                return f"mean {ours.mean():.3f}, deviation {ours.std():.3f}, must be {theirs.mean():.3f} and {theirs.std():.3f}"
            continue
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        finite = np.abs(theirs[np.isfinite(theirs)])
        tolerance = 0 if exact else TOLERANCE.get(kind, 4e-6) * case.tolerance
        with np.errstate(invalid="ignore"):
            error = np.where(same, 0, np.abs(ours - theirs))
            bad = ~(error <= tolerance * np.maximum(np.abs(theirs), finite.mean() if finite.size else 0))
        if bad.any():
            where = tuple(int(i) for i in np.argwhere(bad)[0])
            return f"result {number}: {int(bad.sum())} of {bad.size} differ, {list(where)} is {ours[where]:.7g}, must be {theirs[where]:.7g}"
    return None


def summary(error):
    """A line of an error's text: the first one that says what is wrong, without where."""
    lines = [re.sub("{{.*?}} ", "", line.strip()) for line in str(error).splitlines() if not line.startswith(" ")]
    lines = [line for line in lines if line and not line.startswith(("Graph execution error", "Detected at node", "Node:"))]
    return lines[0] if lines else ""


def judge(runner, case, kind, index):
    """A verdict and its reason."""
    try:
        arrays = runner.arrays(case, kind, index)
        attrs = runner.attributes(case, kind)
        expected = runner.expected(case, arrays, attrs, kind)
    except Exception as error:
        return "no peer", summary(error)
    try:
        found = runner.compute(case, arrays, attrs, "/GPU:0")
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {summary(error)}"
    difference = compare(case, found, expected, kind)
    return ("wrong", difference) if difference else ("right", "")


def listed(runner, texts):
    """All tests in order: a case and its types, or None if there is no kernel."""
    for case in tensorflow_cases.all_cases():
        if texts and not any(text in case.op for text in texts):
            continue
        variants = runner.variants(case)
        for pair in variants or [(None, None)]:
            yield case, pair


def work(options):
    runner = Runner()
    for number, (case, (kind, index)) in enumerate(listed(runner, options.texts)):
        if number < options.worker:
            continue
        row = {"number": number, "operation": case.op, "type": kind, "sample": case.sample,
               "attributes": {name: str(value) for name, value in case.attrs.items()}}
        print(json.dumps(dict(row, verdict=None)), flush=True)
        row["verdict"], row["reason"] = judge(runner, case, kind, index) if kind else ("no kernel", "")
        print(json.dumps(row), flush=True)


def lines_of(options, first, log):
    """A worker's lines as they come; ends when it does, or after options.seconds without a line."""
    command = [sys.executable, __file__, "--worker", str(first)] + options.texts
    environment = dict(os.environ, TF_ENABLE_ONEDNN_OPTS="0")  # TensorFlow's own kernels on the CPU
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment) as worker:
        while select.select([worker.stdout], [], [], options.seconds)[0]:
            line = worker.stdout.readline()
            if not line:
                return
            if line.startswith("{"):
                yield json.loads(line)
        worker.kill()


def new_messages(log, position):
    """What vkdml, or TensorFlow before it aborted, wrote to a worker's standard error since a position."""
    log.seek(position)
    text = log.read().decode(errors="replace")
    return [line for line in text.splitlines() if "Check failed" in line or "F tensorflow/" in line or
            line.startswith("vkdml: ") and not line.startswith("vkdml: using ")]


def rows_of(options):
    """A finished row for each test."""
    first, started = 0, None
    while True:
        with tempfile.TemporaryFile() as log:
            started, position = None, 0
            for row in lines_of(options, first, log):
                first = row["number"] + 1
                started = row if row["verdict"] is None else None
                if started is not None:
                    continue
                messages = new_messages(log, position)
                position = log.tell()
                if row["verdict"] in ("right", "wrong") and messages:
                    row = dict(row, verdict="wrong", reason="; ".join(filter(None, [row["reason"]] + messages[:2])))
                yield row
            if started is None:
                return
            yield dict(started, verdict="wrong", reason="the worker ended: " + "; ".join(new_messages(log, position)[:2]))


def with_known(row):
    """The row, by the table of known faults: `client` if the fault is there, `wrong` if it is gone or another one."""
    types, evidence, symptom = KNOWN.get((row["operation"], row["sample"]), ((), "", ""))
    if row["type"] not in types or row["verdict"] not in ("right", "wrong"):
        return row
    if row["verdict"] == "right":
        return dict(row, verdict="wrong", reason=f"right, but KNOWN says that the plugin {evidence}")
    return dict(row, verdict="client", reason="the plugin " + evidence) if symptom in row["reason"] else row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=float, default=120, help="a case that takes longer fails")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("texts", nargs="*", metavar="TEXT")
    options = parser.parse_args()
    if options.worker is not None:
        work(options)
        return 0
    rows, counts, names = [], collections.Counter(), collections.defaultdict(set)
    for row in rows_of(options):
        row = with_known(row)
        rows.append(row)
        counts[row["verdict"]] += 1
        names[row["verdict"]].add(row["operation"])
        skip = "" if row["verdict"] in ("right", "wrong") else f" # SKIP {row['verdict']}: "
        text = f"{row['operation']} {row['type'] or ''}".strip()
        print(f"{'not ok' if row['verdict'] == 'wrong' else 'ok'} {len(rows)} - {text}{skip or ' # ' if row['reason'] else skip}"
              f"{row['reason']}".rstrip(": "), flush=True)
    print(f"1..{len(rows)}")
    right = names["right"] - names["wrong"] - names["client"]
    print(f"# {len(right)} operations right: " + ", ".join(f"{count} cases {word}" for word, count in sorted(counts.items())))
    for word in sorted(set(names) - {"right"}):
        print(f"# {word}: " + " ".join(sorted(names[word])))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
