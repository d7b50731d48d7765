#!/usr/bin/env python3
"""Holds the CPU reference to other implementations, over random cases of all operators. tools/check/peers.sh runs it.

compare.py --library FILE [--cases N] [--seed N] [--filter TEXT] [--peers NAME,..] [--judge N]
    --library FILE   libvkdml.so
    --cases N        cases an operator; 200
    --seed N         of the cases; 1
    --filter TEXT    only operators whose names contain TEXT
    --peers NAME,..  only these of torch, onnxruntime
    --judge N        elements of each case of an inexact operator that mpmath looks at; 4

Results of EXACT operators must be those of a second definition (tools/check/peers/definitions.py) bit for bit, NaN payloads
aside; others within the table's ULP of the exact value, which mpmath gives. PyTorch and ONNX Runtime must then say the
same, or the difference stand in tools/check/peers/differences.py with its reason. Prints a line an operator, and exits with 1 where
something is not explained.
"""
import argparse
import collections
import importlib
import os
import sys
import time
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(HERE, os.pardir, os.pardir, os.pardir, "python")]

from peers import cases, definitions, differences, library

PEERS = ("onnxruntime", "torch")
MODULES = {"onnxruntime": "onnx_peer", "torch": "torch_peer"}


class Tally:
    """What came of an operator's cases."""

    def __init__(self, operator):
        self.operator, self.cases, self.elements = operator, 0, 0
        self.worst = {"FLOAT32": (0.0, ""), "FLOAT16": (0.0, ""), "formula": (0.0, "")}
        self.compared = collections.Counter()
        self.explained = collections.Counter()
        self.failures = []

    def fail(self, case, who, index, what):
        at = f" at {tuple(int(i) for i in index)}" if index is not None else ""
        self.failures.append(f"{who}: {what}{at}; {case}")

    def measure(self, type_, error, what):
        if error > self.worst[type_][0]:
            self.worst[type_] = error, what

    def line(self):
        ulp = self.operator.ulp
        accuracy = f"ULP({ulp})" if ulp else self.operator.accuracy
        text = f"{self.operator.name:<44} {accuracy:<7} {self.cases:5} cases {self.elements:7} elements"
        for type_, (error, what) in self.worst.items():
            if ulp and self.cases and (what or type_ != "formula"):
                text += f"  {type_} {error:.3f} ULP" + (f" at {what}" if what else "")
        text += "".join(f"  {peer} {count}" for peer, count in sorted(self.compared.items()))
        return text + (f"  FAILED {len(self.failures)}" if self.failures else "")


def same(ours, theirs):
    """Bit for bit, but for the bits of NaN."""
    if ours.dtype.kind == "f":
        bits = f"uint{8 * ours.dtype.itemsize}"
        return (ours.view(bits) == theirs.view(bits)) | (np.isnan(ours) & np.isnan(theirs))
    return ours == theirs


def fit(values, case, output):
    """A peer's or a definition's results as the output's."""
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(np.broadcast_to(np.asarray(values).astype(library.DTYPES[output.type], copy=False),
                                                    output.sizes))


def attributes_in_words(case):
    return "".join(f" {name}={value!r}" for name, value in case.attributes.items() if name != "ScaleBias")


def judge_exact(tally, case, ours):
    """All outputs; `ours` is the first."""
    results = definitions.DEFINITIONS[case.operator.name](case)
    for tensor, result in zip(case.outputs, results if isinstance(results, list) else [results]):
        mine = ours if tensor is case.output else tensor.read()
        expected = fit(result, case, tensor)
        for index in np.argwhere(~same(mine, expected))[:1]:
            at = tuple(index)
            tally.fail(case, "definition", index, f"{mine[at]!r}, not {expected[at]!r}")


def judge_function(tally, case, ours, random, count):
    """Every element by NumPy's widest floats; the worst and some others by mpmath, whose word is last."""
    type_, operator = case.output.type, case.operator
    tolerance = operator.ulp if type_ == "FLOAT32" else 1
    operands = definitions.operands_of(case)
    with np.errstate(all="ignore"):
        exact = definitions.FUNCTIONS[operator.name][0](*[v.astype(definitions.wide) for v in operands], case)
    exact = np.broadcast_to(exact, ours.shape)
    errors = definitions.distance(type_, ours, exact).reshape(-1)
    flat = [np.broadcast_to(v, ours.shape).reshape(-1) for v in operands]
    suspects = set(np.argsort(-errors)[:2].tolist()) | set(random.integers(0, len(errors), count).tolist())
    suspects |= set(np.flatnonzero(errors > tolerance).tolist()[:20])
    for i in sorted(suspects):
        judged = definitions.distance_exactly(type_, ours.reshape(-1)[i], [v[i] for v in flat], case, definitions.FUNCTIONS)
        if judged is not None:
            errors[i] = judged
        what = f"({', '.join(repr(float(v[i])) for v in flat)}){attributes_in_words(case)}"
        if np.isfinite(errors[i]):  # not where a number should be an infinity, which fails below
            tally.measure(type_, float(errors[i]), what)
        if not errors[i] <= tolerance and not overflows(case, ours.reshape(-1)[i], flat[0][i]):
            tally.fail(case, "mpmath" if judged is not None else "definition", np.unravel_index(i, ours.shape),
                       f"{ours.reshape(-1)[i]!r} of {what} is {errors[i]:.3f} ULP off, not {tolerance}")
            break
    if operator.name in definitions.FORMULAS and type_ == "FLOAT32":
        measure_formula(tally, case, ours, operands[0])


def judge_sum(tally, case, ours):
    """A reduction of floats: within 2^-22 (2^-10 of FLOAT16's) of what the terms' magnitudes sum up to, in long double."""
    x, axes = definitions.full(case, "InputTensor"), tuple(case["Axes"])
    function = case["Function"]
    exact = definitions.REDUCED_SUMS[function](x.astype(definitions.wide), axes)
    limit = 65520 if ours.dtype == np.float16 else 2.0**128
    beyond = np.abs(exact) >= limit * (1 - 2.0**-12)
    terms = np.sum(np.abs(x.astype(definitions.wide)), axes, keepdims=True)
    slack = np.maximum(np.abs(exact), terms if function in ("SUM", "AVERAGE") else 1 if function[:3] == "LOG" else 0)
    near = np.abs(ours - exact) <= slack * (2.0**-10 if ours.dtype == np.float16 else 2.0**-22) + 2.0**-24
    if function == "LOG_SUM":  # of a sum near 0 little is left
        near |= np.abs(np.sum(x.astype(definitions.wide), axes, keepdims=True)) <= terms * 2.0**-20
    good = near | (np.isnan(ours) & np.isnan(exact)) | (ours == exact) | beyond
    for index in np.argwhere(~good)[:1]:
        at = tuple(index)
        tally.fail(case, "definition", index, f"{ours[at]!r}, not {exact[at]!r}")


def judge_bounded(tally, case, ours):
    """Sums and what is made of them: within what definitions.BOUNDED gives, and a unit in the last place."""
    with np.errstate(all="ignore"):
        results = definitions.BOUNDED[case.operator.name](case)
    for tensor, result in zip(case.outputs, results if isinstance(results, list) else [results]):
        judge_within(tally, case, ours if tensor is case.output else tensor.read(), *result)


def judge_within(tally, case, ours, exact, distance, known):
    with np.errstate(all="ignore"):
        is_half = ours.dtype == np.float16
        unit = np.abs(exact) * 2.0**(-10 if is_half else -23) + 2.0**(-24 if is_half else -149)
        limit = (65520 if is_half else 2.0**128) * (1 - 2.0**-10)
        good = (np.abs(ours - exact) <= distance + unit) | (np.isnan(ours) & np.isnan(exact)) | (ours == exact)
        good |= ~known | (np.isinf(ours) & (ours * exact > limit))
    for index in np.argwhere(~good)[:1]:
        at = tuple(index)
        tally.fail(case, "definition", index, f"{ours[at]!r}, not {exact[at]!r}")


def judge_network(tally, case, results):
    for ours, exact in zip(results, definitions.network(case)):
        for index in np.argwhere(~definitions.near_network(ours, exact))[:1]:
            at = tuple(index)
            tally.fail(case, "definition", index, f"{ours[at]!r}, not {exact[at]!r}")


def overflows(case, result, x):
    """What is multiplied is beyond FLOAT32, the product is not, as docs/OPERATORS.md says: CELU with Alpha below 0, and an
    infinite Alpha times what underflows."""
    if case.operator.name == "ACTIVATION_CELU":
        return np.isinf(result) and x / case["Alpha"] > 88
    return case.operator.name == "ACTIVATION_PARAMETRIC_SOFTPLUS" and np.isinf(case["Alpha"])


def measure_formula(tally, case, ours, x):
    """How far results are from the formula of which nothing is rounded."""
    with np.errstate(all="ignore"):
        exact = definitions.FORMULAS[case.operator.name][0](x.astype(definitions.wide), case)
    errors = definitions.distance("FLOAT32", ours, np.broadcast_to(exact, ours.shape))
    i = np.unravel_index(np.argmax(np.where(np.isfinite(errors), errors, 0)), ours.shape)
    value = np.broadcast_to(x, ours.shape)[i]
    judged = definitions.distance_exactly("FLOAT32", ours[i], [value], case, definitions.FORMULAS)
    if judged is not None:
        tally.measure("formula", judged, f"({float(value)!r}){attributes_in_words(case)}")


def compare(tally, case, name, ours, theirs):
    """With a peer: what differs must be explained."""
    tally.compared[name] += 1
    function = case.operator.ulp and case.output.type in library.FLOATS
    with np.errstate(all="ignore"):
        if case.operator.name in definitions.NETWORKS:
            apart = ~definitions.near_network(ours, theirs)
        elif definitions.is_bounded(case):
            apart = ~(differences.near_sum(case, ours, theirs) | same(ours, theirs))
        elif function:
            # The exact value has judged ours: a peer that is a few ULP off is no difference, one of another kind is.
            apart = ~(differences.near(2 * case.operator.ulp)(case, ours, theirs) | same(ours, theirs))
        else:
            apart = ~same(ours, theirs)
        for operators, peers, which, reason in differences.DIFFERENCES:
            if not apart.any():
                return
            if name in peers and case.operator.name in operators:
                covered = apart & which(case, ours, theirs)
                if covered.any():
                    tally.explained[name, reason] += int(covered.sum())
                    apart &= ~covered
    for index in np.argwhere(apart)[:1]:
        at = tuple(index)
        tally.fail(case, name, index, f"{theirs[at]!r}, we {ours[at]!r}")


def run_case(tally, library_, case, peers, random, options):
    others = [t.others() for t in case.outputs]
    reason = library_.execute(case.operator, case.tensors, case.attributes)
    if reason:
        tally.fail(case, "refused", None, reason)
        return
    tally.cases += 1
    ours = case.output.read()
    tally.elements += ours.size
    for tensor, before in zip(case.outputs, others):
        if (tensor.others() != before).any():
            tally.fail(case, "layout", None, "bytes that belong to no element changed")
    if case.operator.name == "NONZERO_COORDINATES":
        results = run_nonzero(tally, case)
    else:
        results = [ours, *[tensor.read() for tensor in case.outputs[1:]]]
        if case.operator.name in definitions.NETWORKS:
            judge_network(tally, case, results)
        elif case.attributes.get("FusedActivation"):
            judge_fused(tally, library_, case, ours)
        elif case.operator.ulp and case.output.type in library.FLOATS:
            judge_function(tally, case, ours, random, options.judge)
        elif case.attributes.get("Function") in definitions.REDUCED_SUMS and case.output.type in library.FLOATS:
            judge_sum(tally, case, ours)
        elif definitions.is_bounded(case):
            judge_bounded(tally, case, ours)
        elif case.operator.name in definitions.DEFINITIONS:
            judge_exact(tally, case, ours)
        else:
            judge_integers(tally, case, ours)
    for name, peer in peers.items():
        with np.errstate(all="ignore"):
            theirs = peer.results(case)
        if theirs is None:
            continue
        for mine, other, tensor in zip(results, theirs, case.outputs):
            compare(tally, case, name, mine, fit(other, case, tensor) if len(theirs) == 1 else other)


def run_nonzero(tally, case):
    """The count, and as many rows."""
    x = np.broadcast_to(case.first, case.tensors["InputTensor"].sizes)
    count = int(case.output.read().reshape(-1)[0])
    rows = case.outputs[1].read().reshape(-1, x.ndim)[:count]
    expected = np.argwhere(x != 0).astype(np.uint32)
    if count != len(expected) or (rows != expected).any():
        tally.fail(case, "definition", None, f"{count} coordinates, not the {len(expected)} of NumPy")
    return [np.array([count], np.uint32), rows]


def judge_integers(tally, case, ours):
    """POW of integers: exact, or through FLOAT32, whose truncation may go either way of an integer."""
    x, e = definitions.scaled(case, "InputTensor"), case.inputs["ExponentTensor"]
    if e.dtype.kind != "f":
        expected = fit(definitions.wrap(np.atleast_1d(np.frompyfunc(definitions.integer_power, 2, 1)(
            x.astype(object), e.astype(object))), x.dtype), case, case.output)
        wrong = ours != expected
    else:
        power = np.power(x.astype(np.float32).astype(definitions.wide), e.astype(definitions.wide))
        bounds = [definitions.to_integers(np.broadcast_to(power * (1 + sign * 2.0**-21), ours.shape), case.output.type)
                  for sign in (-1, 1)]
        expected = bounds[0]
        wrong = (ours < np.minimum(*bounds)) | (ours > np.maximum(*bounds))
    for index in np.argwhere(wrong)[:1]:
        at = tuple(index)
        tally.fail(case, "definition", index, f"{ours[at]!r}, not {expected[at]!r}")


def run_unfused(tally, library_, case):
    """What the library gives of the same numbers in FLOAT32 without the activation, which is judged in other cases."""
    tensors = {}
    for name, tensor in case.tensors.items():
        strides = [int(np.prod(tensor.sizes[d + 1:])) for d in range(len(tensor.sizes))]
        values = definitions.full(case, name) if name in case.inputs else None
        tensors[name] = library.Tensor("FLOAT32", tensor.sizes, strides, values)
    reason = library_.execute(case.operator, tensors, {**case.attributes, "FusedActivation": None})
    if reason:
        tally.fail(case, "refused", None, reason)
    return tensors["OutputTensor"].read()


def judge_fused(tally, library_, case, ours):
    """The activation by itself, of what the operator gives in FLOAT32: so a fused one rounds to FLOAT32 between them. Between
    FLOAT16 tensors a function is of FLOAT16's grade, and may round the other way."""
    fused, attributes = case["FusedActivation"]
    with np.errstate(all="ignore"):
        inner = (run_unfused(tally, library_, case) if definitions.is_bounded(case)
                 else definitions.DEFINITIONS[case.operator.name](case))
        inner = np.ascontiguousarray(np.broadcast_to(inner, ours.shape), np.float32)
    strides = [int(np.prod(ours.shape[d + 1:])) for d in range(ours.ndim)]
    source = library.Tensor("FLOAT32", ours.shape, strides, inner)
    target = library.Tensor("FLOAT32", ours.shape, strides)
    reason = library_.execute(fused, {"InputTensor": source, "OutputTensor": target}, attributes)
    if reason:
        tally.fail(case, "refused", None, reason)
        return
    expected = fit(target.read(), case, case.output)
    wrong = ~same(ours, expected)
    if ours.dtype == np.float16 and fused.accuracy != "EXACT":
        wrong &= (ours != np.nextafter(expected, ours)) | np.isnan(ours) | np.isnan(expected)
    for index in np.argwhere(wrong)[:1]:
        at = tuple(index)
        tally.fail(case, "fused", index, f"{ours[at]!r}, not {expected[at]!r}")


def open_peers(names):
    opened = {}
    for name in names:
        try:
            opened[name] = importlib.import_module("peers." + MODULES[name])
            print(f"# {name} {opened[name].version()}")
        except (ImportError, OSError) as error:
            print(f"# no {name}: {str(error).splitlines()[0]}")
    print(f"# numpy {np.__version__}, mpmath {definitions.mpmath.__version__}")
    return opened


def summarize(tallies, seconds):
    """The explained differences by reason, the failures, and what nobody but the definitions knows."""
    print()
    explained = collections.defaultdict(lambda: [0, set()])
    for tally in tallies:
        for (peer, reason), count in tally.explained.items():
            entry = explained[peer, reason]
            entry[0] += count
            entry[1].add(tally.operator.name)
    for (peer, reason), (count, names) in sorted(explained.items()):
        print(f"# {peer}: {reason}: {count} elements of {', '.join(sorted(names))}")
    alone = [tally.operator.name for tally in tallies if not tally.compared]
    print(f"# no peer but the definition: {', '.join(alone) or 'none'}")
    for tally in tallies:
        for failure in tally.failures[:3]:
            print(f"FAILED {tally.operator.name}: {failure}")
    failures = sum(len(tally.failures) for tally in tallies)
    print(f"{len(tallies)} operators, {sum(t.cases for t in tallies)} cases, {sum(t.elements for t in tallies)} elements, "
          f"{sum(sum(t.compared.values()) for t in tallies)} comparisons with peers, "
          f"{sum(count for count, _ in explained.values())} elements explained, {failures} failures, {seconds:.0f} s")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--filter", default="")
    parser.add_argument("--peers", default=PEERS, type=lambda text: [name for name in text.split(",") if name])
    parser.add_argument("--judge", type=int, default=4)
    options = parser.parse_args()
    begin = time.monotonic()
    library_ = library.Library(options.library)
    peers = open_peers(options.peers)
    tallies = []
    for name, operator in library_.operators.items():
        if options.filter not in name:
            continue
        random = np.random.default_rng([options.seed, zlib.crc32(name.encode())])
        tally = Tally(operator)
        for _ in range(options.cases):
            case = cases.random_case(random, operator, library_)
            with np.errstate(all="ignore"):
                run_case(tally, library_, case, peers, random, options)
        print(tally.line(), flush=True)
        tallies.append(tally)
    if not tallies:
        sys.exit(f"no operator's name contains {options.filter}")
    return 1 if summarize(tallies, time.monotonic() - begin) else 0


if __name__ == "__main__":
    sys.exit(main())
